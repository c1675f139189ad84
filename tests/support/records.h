/* records.h - one sort of records by fields, by a comparator or by an expression that contradicts
   itself, checked against a stable sort on the host, guards included. */

#ifndef CLSORT_TESTS_RECORDS_H
#define CLSORT_TESTS_RECORDS_H

#include "cases.h"

/* An order in OpenCL C, and the same on the host. */
typedef struct record_order {
    size_t size;
    const char *record_type, *precedes;
    int (*before)(const unsigned char *a, const unsigned char *b); /* NULL: it contradicts itself */
} record_order;

enum { RECORD_IN_PLACE, RECORD_OUT, RECORD_INDICES, RECORD_INDICES_OUT, RECORD_OUTPUTS };

typedef struct record_case {
    clsort_desc d;              /* count, record_size, fields, algorithm, tuning; buffers are filled
                                   in */
    const record_order *order;  /* NULL: d.fields */
    int output;                 /* RECORD_IN_PLACE ... */
    int verify;                 /* prove the result on the device, too */
    uint64_t seed;
    size_t shift;               /* records more before the range */
    cl_uint mode;               /* of the order that contradicts itself ... */
    void *memory;               /* ... and the counter that it remembers by */
    clsort_sorter *sorter;      /* NULL: the bench's */
    cl_command_queue queue;     /* NULL: the bench's */
} record_case;

enum { RECORD_FROM, RECORD_TO, RECORD_TO_INDICES };   /* arrays */

typedef struct record_state {
    const record_case *c;
    const bench *b;
    clsort_desc d;
    image image;
    uint32_t *order;
} record_state;

/* ---- comparators ----------------------------------------------------------------------------- */

/* Word i of a record, of so many bytes each. */
static inline uint64_t record_word(const unsigned char *r, size_t bytes, size_t i)
{
    return reference_bits(r + bytes * i, bytes);
}

static inline uint32_t record_uint(const unsigned char *r, size_t i)
{
    return (uint32_t)record_word(r, 4, i);
}

static inline int record_before_4(const unsigned char *a, const unsigned char *b)
{
    return (record_uint(a, 0) & 7) < (record_uint(b, 0) & 7);
}

static inline int record_before_6(const unsigned char *a, const unsigned char *b)
{
    return record_word(a, 2, 1) % 32 < record_word(b, 2, 1) % 32;
}

static inline int record_before_8(const unsigned char *a, const unsigned char *b)
{
    const uint32_t x = record_uint(a, 1) % 4, y = record_uint(b, 1) % 4;
    return x < y || (x == y && record_uint(a, 0) % 8 > record_uint(b, 0) % 8);
}

static inline int record_before_12(const unsigned char *a, const unsigned char *b)
{
    return record_uint(a, 0) % 4 + record_uint(a, 2) % 8
           > record_uint(b, 0) % 4 + record_uint(b, 2) % 8;
}

static inline int record_before_16(const unsigned char *a, const unsigned char *b)
{
    return record_word(a, 2, 7) % 16 > record_word(b, 2, 7) % 16;
}

static inline int record_before_20(const unsigned char *a, const unsigned char *b)
{
    size_t i = 0;
    while (i < 4 && record_uint(a, i) % 2 == record_uint(b, i) % 2) i++;
    return record_uint(a, i) % 2 < record_uint(b, i) % 2;
}

static inline int record_before_64(const unsigned char *a, const unsigned char *b)
{
    return record_uint(a, 15) % 8 < record_uint(b, 15) % 8;
}

static inline int record_before_bit_32(const unsigned char *a, const unsigned char *b)
{
    return (~record_word(a, 8, 0) & record_word(b, 8, 0)) >> 32 & 1;
}

static inline int record_before_fraction(const unsigned char *a, const unsigned char *b)
{
    return (record_uint(a, 0) & 3) < (record_uint(b, 0) & 3);
}

static inline int record_before_long(const unsigned char *a, const unsigned char *b)
{
    return (int64_t)record_word(a, 8, 0) < (int64_t)record_word(b, 8, 0);
}

static const record_order record_orders[] = {
    { 8, "typedef struct { uint depth, layer; } clsort_record;",
      "a.layer % 4 < b.layer % 4 || (a.layer % 4 == b.layer % 4 && a.depth % 8 > b.depth % 8)",
      record_before_8 },
    { 20,
      "typedef struct { uint word[5]; } clsort_record;\n"
      "int less(clsort_record a, clsort_record b)\n"
      "{\n"
      "    int i = 0;\n"
      "    while (i < 4 && a.word[i] % 2 == b.word[i] % 2) i++;\n"
      "    return a.word[i] % 2 < b.word[i] % 2;\n"
      "}",
      "less(a, b)", record_before_20 },
    { 12,
      "#define PARTS 4\n/* weighs a record */ typedef struct {\n    uint x, y, z;\n} "
      "clsort_record;\n"
      "uint weight(const clsort_record *r) { return r->x % PARTS + r->z % 8; }   // the heavier, "
      "the earlier",
      "weight(&a)\n>\nweight(&b)   // no end of line", record_before_12 },
    { 6, "typedef struct { ushort x, y, z; } clsort_record;", "a.y % 32 < b.y % 32",
      record_before_6 },
    { 4, "typedef uint clsort_record;", "(a & 7u) < (b & 7u)", record_before_4 },
    { 16, "typedef struct { ulong big; ushort small[4]; } clsort_record;",
      "a.small[3] % 16 > b.small[3] % 16", record_before_16 },
    { 64, "typedef struct { uint2 place[8]; } clsort_record;",
      "a.place[7].y % 8 < b.place[7].y % 8", record_before_64 },
    /* Truth that a conversion to int would lose: a high bit, fractions, a pointer's upper half. */
    { 8, "typedef struct { ulong key; } clsort_record;", "(~a.key & b.key) & 0x100000000ul",
      record_before_bit_32 },
    { 8,
      "typedef struct { uint number; float weight; } clsort_record;\n"
      "float my_part(clsort_record r) { return (r.number & 3u) * 0.125f; }",
      "fmax(my_part(b) - my_part(a), 0.0f)", record_before_fraction },
    { 8, "typedef struct { long key; } clsort_record;",
      "a.key ^ a.key, (long)(a.key < b.key) << 40", record_before_long }
};
enum {
    RECORD_ORDERS = sizeof record_orders / sizeof *record_orders,
    RECORD_TRUTHS = 7
}; /* the first of those */

/* Contradicts itself in the way that the records' mode says: never, always, by chance, by
   work-item, by what it was asked before, or in a way of its own for each record. */
enum {
    RECORD_NEVER,
    RECORD_ALWAYS,
    RECORD_RANDOM,
    RECORD_FLIPPING,
    RECORD_REMEMBERING,
    RECORD_MIXED,
    RECORD_MODES
};

static const record_order record_illegal = {
    16,
    "typedef struct { uint key, mode; ulong memory; } clsort_record;\n"
    "uint mix(uint x) { x = (x ^ x >> 16) * 0x7FEB352Du; x = (x ^ x >> 15) * 0x846CA68Bu; return x "
    "^ x >> 16; }\n"
    "int answer(clsort_record a, clsort_record b)\n"
    "{\n"
    "    const uint chance = mix(a.key ^ mix(b.key ^ mix((uint)get_global_id(0))));\n"
    "    switch (a.mode < 5 ? a.mode : a.key % 4) {\n"
    "    case 0: return 0;\n"
    "    case 1: return 1;\n"
    "    case 2: return chance & 1;\n"
    "    case 3: return get_local_id(0) & 1 ? a.key < b.key : a.key > b.key;\n"
    "    default: return mix(atomic_inc((volatile global uint *)a.memory)) & 1;\n"
    "    }\n"
    "}\n",
    "answer(a, b)", NULL
};

static inline record_case record_make(const record_order *order, size_t n)
{
    record_case c;
    memset(&c, 0, sizeof c);
    c.d = clsort_desc_default();
    c.d.count = n;
    c.order = order;
    c.seed = n + 1;
    if (!order) return c;
    c.d.record_size = order->size;
    c.d.record_type = order->record_type;
    c.d.precedes = order->precedes;
    return c;
}

static inline void record_say(const record_case *c)
{
    const clsort_desc *d = &c->d;
    char fields[300] = "";
    cl_uint i;
    for (i = 0; d->fields && i < d->field_count; i++) {
        const clsort_field *f = &d->fields[i];
        snprintf(fields + strlen(fields), sizeof fields - strlen(fields), " %#x@%zu%s%s%s",
                 (unsigned)f->type, f->offset, f->order ? " desc" : "", f->nan_order ? " nans" : "",
                 f->zero_order ? " zeros" : "");
    }
    AT("n %zu, record_size %zu, %s%s, algorithm %u, output %d, seed %llu, shift %zu, mode %u, "
       "work_group %u, items %u",
       d->count, d->record_size, d->precedes ? "precedes " : "fields",
       d->precedes ? d->precedes : fields, (unsigned)d->algorithm, c->output,
       (unsigned long long)c->seed, c->shift, (unsigned)c->mode, (unsigned)d->tuning.work_group,
       (unsigned)d->tuning.items);
}

/* ---- reference ------------------------------------------------------------------------------- */

static const record_state *record_now;

static inline int record_fields_compare(const clsort_desc *d, const unsigned char *a,
                                        const unsigned char *b)
{
    cl_uint i;
    size_t part;
    for (i = 0; i < d->field_count; i++)
        for (part = 0; part < reference_field_parts(&d->fields[i]); part++) {
            uint64_t x, y;
            reference_part_codes(a, 0, 1, &d->fields[i], part, &x);
            reference_part_codes(b, 0, 1, &d->fields[i], part, &y);
            if (x != y) return x < y ? -1 : 1;
        }
    return 0;
}

static inline unsigned char *record_was(const record_state *s, size_t i)
{
    return image_at(&s->image, s->image.was, RECORD_FROM, i);
}

static inline int record_compare(const record_state *s, const unsigned char *a,
                                 const unsigned char *b)
{
    if (!s->c->order) return record_fields_compare(&s->d, a, b);
    return s->c->order->before(a, b) ? -1 : s->c->order->before(b, a) ? 1 : 0;
}

static inline int record_compare_indices(const void *a, const void *b)
{
    uint32_t x, y;
    int order;
    memcpy(&x, a, 4);
    memcpy(&y, b, 4);
    order = record_compare(record_now, record_was(record_now, x), record_was(record_now, y));
    return order ? order : x < y ? -1 : x > y;
}

/* ---- one case -------------------------------------------------------------------------------- */

/* Fills a string of bytes with a few letters, of which all, two at the end or both ends differ. */
static inline void record_fill_bytes(record_state *s, const clsort_field *f, size_t kind,
                                     uint64_t noise)
{
    const size_t bytes = reference_field_size(f->type);
    size_t i, k;
    for (i = 0; i < s->d.count; i++)
        for (k = 0; k < bytes; k++) {
            const int varies = kind == 0 || (kind == 1 && k + 2 >= bytes)
                               || (kind == 2 && (k == 0 || k + 1 == bytes));
            const uint64_t bits = pattern_random(&noise) >> 40;
            if (kind == 3) break;
            record_was(s, i)[f->offset + k] = varies ? (unsigned char)(bits % 3 * 127) : 'a';
        }
}

/* Noise; then each field by a pattern with many equal keys, or what the contradictory order reads,
   in guards, too. */
static inline int record_fill(record_state *s)
{
    static const char *const patterns[] = { "mod-2", "mod-3", "mod-16", "uniform" },
                             *const floats[] = { "around-zero", "nans-10", "mod-3", "infinities" };
    const clsort_desc *d = &s->d;
    const uint64_t memory = (uint64_t)(uintptr_t)s->c->memory;
    const size_t before = IMAGE_GUARD + s->c->shift;
    uint64_t random = ~s->c->seed;
    size_t i;
    cl_uint k;
    if (!image_make(&s->image, s->c->seed)) return 0;
    for (k = 0; d->fields && k < d->field_count; k++) {
        const clsort_field *f = &d->fields[k];
        const size_t which = (size_t)(pattern_random(&random) >> 33) % 4;
        if (reference_is_bytes(f->type)) {
            record_fill_bytes(s, f, which, pattern_random(&random));
        } else if (!image_fill(&s->image, RECORD_FROM, 0, d->count, f->offset, f->type,
                               pattern_is_float(f->type) ? floats[which] : patterns[which],
                               pattern_random(&random), 16)) {
            return 0;
        }
    }
    for (i = 0; i < before + d->count + IMAGE_GUARD && s->c->order && !s->c->order->before; i++) {
        unsigned char *record = record_was(s, 0) - before * d->record_size + i * d->record_size;
        memcpy(record + 4, &s->c->mode, 4);
        memcpy(record + 8, &memory, 8);
    }
    return 1;
}

static inline int record_open(record_state *s)
{
    const record_case *c = s->c;
    const size_t n = c->d.count, size = c->d.record_size;
    image *m = &s->image;
    image_add(m, RECORD_FROM, size, n * size, c->shift);
    image_add(m, RECORD_TO, c->output & RECORD_OUT ? size : 0, n * size, c->shift);
    image_add(m, RECORD_TO_INDICES, c->output & RECORD_INDICES ? 4 : 0, n * 4, c->shift);
    s->order = (uint32_t *)malloc(n * 4 + 1);
    if (!CHECK(s->order != NULL) || !record_fill(s)
        || !image_upload(s->b, m, c->output ? 1u << RECORD_FROM : 0))
        return 0;
    s->d.keys = image_buffer(m, RECORD_FROM, &s->d.keys_offset);
    s->d.keys_out = image_buffer(m, RECORD_TO, &s->d.keys_out_offset);
    s->d.indices = image_buffer(m, RECORD_TO_INDICES, &s->d.indices_offset);
    return 1;
}

static inline int record_sort(record_state *s, clsort_sorter *sorter)
{
    image_call call;
    int good = image_call_begin(s->b, s->c->queue, CASE_WAIT_NONE, &call);
    cl_mem proof = s->c->verify ? image_prove_input(s->b, sorter, call.queue, &s->d) : NULL;
    good = good && (proof || !s->c->verify)
           && CHECK_OK(clsort_enqueue_sort(sorter, call.queue, &s->d, 0, NULL, &call.done));
    good = image_call_end(s->b, &call, good);
    if (proof)
        good = image_prove_output(sorter, call.queue, &s->d, proof, CL_SUCCESS) && good;
    return good && image_read(&s->image, call.queue);
}

/* An order that contradicts itself may give any order of the records, but must give all of them:
   that which the indices say, or else what has the same sum. */
static inline int record_adopt(record_state *s, size_t target)
{
    const size_t n = s->d.count;
    const image *m = &s->image;
    if (s->d.indices) {
        if (n) memcpy(s->order, image_at(m, m->now, RECORD_TO_INDICES, 0), n * 4);
        return CHECK(reference_is_permutation(s->order, n));
    }
    image_forgive(m, target, n * s->d.record_size);
    return image_kept(m, RECORD_FROM, target, n);
}

static inline int record_check(record_state *s)
{
    const size_t target = s->d.keys_out ? RECORD_TO : RECORD_FROM;
    const image *m = &s->image;
    const int known = !s->c->order || s->c->order->before;
    reference_count_up(s->order, s->d.count);
    record_now = s;
    if (!known && !record_adopt(s, target)) return 0;
    if (known && s->d.count) qsort(s->order, s->d.count, 4, record_compare_indices);
    if ((s->d.keys_out || !s->c->output) && (known || s->d.indices))
        image_move(m, RECORD_FROM, target, s->order, s->d.count);
    if (s->d.indices && s->d.count)
        memcpy(image_at(m, m->want, RECORD_TO_INDICES, 0), s->order, s->d.count * 4);
    return image_is_right(m);
}

/* Runs the case and checks everything about it; returns 1 if all is well. */
static inline int record_run(const bench *b, const record_case *c)
{
    record_state s;
    int good;
    memset(&s, 0, sizeof s);
    s.c = c;
    s.b = b;
    s.d = c->d;
    record_say(c);
    good = record_open(&s) && record_sort(&s, c->sorter ? c->sorter : b->sorter)
           && record_check(&s);
    image_release(&s.image);
    free(s.order);
    return good;
}

/* ---- random fields --------------------------------------------------------------------------- */

/* A type of a field: now and then bytes of any length. */
static inline cl_uint record_draw_type(uint64_t *random)
{
    const uint64_t bits = pattern_random(random) >> 20;
    return bits % 4 ? case_types[bits / 4 % CASE_TYPES].type
                    : CLSORT_BYTES + 1 + (cl_uint)(bits / 4 % (bits & 4 ? 64 : 12));
}

/* What its offset is a multiple of. */
static inline size_t record_unit(cl_uint type)
{
    return reference_is_bytes(type) ? 1 : reference_field_size(type);
}

/* `count` fields anywhere in records of the case, which get a size; of at most `widest` bytes in
   sum if that is not 0. */
static inline void record_draw_fields(record_case *c, clsort_field *fields, cl_uint count,
                                      size_t widest, uint64_t *random)
{
    size_t align = 1, length = 1 + (size_t)(pattern_random(random) >> 40) % 6, sum = 0, most = 1;
    cl_uint i;
    memset(fields, 0, count * sizeof *fields);
    for (i = 0; i < count; i++) {
        clsort_field *f = &fields[i];
        const uint64_t bits = pattern_random(random) >> 20;
        do f->type = record_draw_type(random);
        while (widest && sum + reference_field_size(f->type) + (count - 1 - i) > widest);
        sum += reference_field_size(f->type);
        f->order = bits & 1;
        f->nan_order = (bits >> 1 & 7) % 3;
        f->zero_order = bits >> 2 & 1;
        if (align < record_unit(f->type)) align = record_unit(f->type);
        if (most < reference_field_size(f->type)) most = reference_field_size(f->type);
    }
    c->d.record_size = align * (length + (most - 1) / align);
    for (i = 0; i < count; i++) {
        const size_t unit = record_unit(fields[i].type),
                     places = (c->d.record_size - reference_field_size(fields[i].type)) / unit + 1;
        fields[i].offset = unit * ((size_t)(pattern_random(random) >> 20) % places);
    }
    c->d.fields = fields;
    c->d.field_count = count;
}

#endif
