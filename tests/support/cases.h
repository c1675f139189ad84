/* cases.h - one whole sort on a device, checked against the host reference, byte for byte.

   All arrays of a case lie between guards in one image (image.h): results, inputs and guards must
   be as wanted. Only the bytes of scratch memory are free. */

#ifndef CLSORT_TESTS_CASES_H
#define CLSORT_TESTS_CASES_H

#include "harness.h"

#include "../../clsort.h"   /* its implementation, if a program defines that behind harness.h */
#include "image.h"
#include "later.h"

/* The name of each type, in the order of case_types. */
static const struct { cl_uint type; const char *name;
} case_types[] = { { CLSORT_U8, "u8" },   { CLSORT_I8, "i8" },   { CLSORT_U16, "u16" },
                   { CLSORT_I16, "i16" }, { CLSORT_F16, "f16" }, { CLSORT_BF16, "bf16" },
                   { CLSORT_U32, "u32" }, { CLSORT_I32, "i32" }, { CLSORT_F32, "f32" },
                   { CLSORT_U64, "u64" }, { CLSORT_I64, "i64" }, { CLSORT_F64, "f64" } };
enum { CASE_TYPES = sizeof case_types / sizeof *case_types };

static inline const char *case_type_name(cl_uint type)
{
    size_t i = 0;
    while (i + 1 < CASE_TYPES && case_types[i].type != type) i++;
    return case_types[i].name;
}

enum {
    CASE_KEYS,
    CASE_KEYS_OUT,
    CASE_VALUES,
    CASE_VALUES_OUT,
    CASE_INDICES,
    CASE_SCRATCH,
    CASE_SEGMENTS,
    CASE_ENDS,
    CASE_COUNT,
    CASE_ROLES
};

enum { CASE_APART,   /* a buffer for each array */
       CASE_PARENT,  /* all arrays in one buffer */
       CASE_SUB };   /* sub-buffers of one buffer */

enum { CASE_OWN = 1, CASE_SAME };

/* The bits of key i of a case. */
struct sort_case;
typedef uint64_t case_maker(const struct sort_case *c, size_t i, uint64_t *random);

/* Looks at what a sort left, scratch memory included; 0: it is wrong. */
struct case_state;
typedef int case_look(const struct bench *b, const struct case_state *s);

/* What to sort and how. */
typedef struct sort_case {
    clsort_desc d;            /* without buffers and offsets: case_run fills them in */
    const char *algorithm;    /* NULL: what d says */
    const char *pattern;
    uint64_t seed;
    size_t block;             /* the algorithm sorts blocks of this length only; 0: everything */
    int indices;              /* which outputs the call has ... */
    int keys_out, values_out; /* ... CASE_OWN, or CASE_SAME: the input's own place */
    cl_command_queue queue;   /* NULL: the bench's */
    int wait;                 /* CASE_WAIT_NONE ... */
    int no_event;             /* the call asks for none */
    int own_scratch;          /* the caller brings scratch memory of exactly the documented size
                                 ... */
    int scratch_fill;         /* ... filled with this byte */
    int placement;            /* CASE_APART ... */
    size_t shift;             /* elements more before each array: moves it to other alignments */
    const uint32_t *offsets;  /* d.segment_count + 1 of them: segments */
    const uint32_t *ends;     /* of segments, d.segment_count of them; then the last offset is not
                                 used */
    int counted;              /* the count lies on the device ... */
    uint32_t there;           /* ... and is this */
    int produced;             /* commands enqueued just before the sort write offsets and count */
    int prove;                /* prove the result on the device, too */
    const clsort_field *fields;   /* records in the order of these; key_type and key_offset then
                                     only say what is filled in */
    cl_uint field_count;
    case_maker *make;         /* makes the bits of keys in place of the pattern ... */
    size_t number;            /* ... with this among what it may look at */
    case_look *look;
} sort_case;

static const uint32_t CASE_OUTSIDE = UINT32_MAX;

typedef struct case_state {
    const sort_case *c;
    clsort_desc d;
    image image;
    cl_mem parent;
    uint64_t *codes;
    uint32_t *order;    /* the reference's permutation; CASE_OUTSIDE for what is not sorted */
} case_state;

/* A random number below `below`, which is at least 1. */
static inline size_t draw(uint64_t *random, size_t below)
{
    return (size_t)(pattern_random(random) >> 24) % below;
}

static inline sort_case case_make(cl_uint type, size_t n, const char *pattern)
{
    sort_case c;
    memset(&c, 0, sizeof c);
    c.d = clsort_desc_default();
    c.d.count = n;
    c.d.key_type = type;
    c.pattern = pattern;
    c.seed = 1;
    return c;
}

/* Another sorter for the same device. */
static inline clsort_sorter *fresh_sorter(const bench *b, cl_uint flags)
{
    clsort_options options = clsort_options_default();
    clsort_sorter *s = NULL;
    options.flags = flags;
    CHECK_OK(clsort_create(b->session.context, b->session.info.id, &options, &s));
    return s;
}

static inline const char *case_out(int kind, const char *name)
{
    return kind == CASE_SAME ? ", output in the input's place by name" : kind ? name : "";
}

/* What a description sorts and how, for messages; until the next call. */
static inline const char *case_words(const clsort_desc *d, cl_uint type, const char *pattern,
                                     uint64_t seed)
{
    static char words[300];
    snprintf(words, sizeof words,
             "%s, %s, seed %llu, %s%s%s%s, bits %u to %u, value_size %zu, record_size %zu, "
             "key_offset %zu, work_group %u, items %u",
             case_type_name(type), pattern, (unsigned long long)seed,
             d->order ? "descending" : "ascending", d->stable ? ", stable" : "",
             !d->nan_order ? "" : d->nan_order > 1 ? ", NaNs equal" : ", NaNs last",
             d->zero_order ? ", zeros equal" : "", (unsigned)d->first_bit, (unsigned)d->last_bit,
             d->value_size, d->record_size, d->key_offset, (unsigned)d->tuning.work_group,
             (unsigned)d->tuning.items);
    return words;
}

static inline void case_say(const sort_case *c)
{
    const clsort_desc *d = &c->d;
    char parts[160] = "";
    if (c->offsets)
        snprintf(parts, sizeof parts, ", %zu segments from %u to %u%s", d->segment_count,
                 (unsigned)c->offsets[0], (unsigned)c->offsets[d->segment_count],
                 c->ends ? " with gaps" : "");
    else if (d->rows)
        snprintf(parts, sizeof parts, ", %zu rows, %zu bytes apart; of outputs %zu, %zu, %zu",
                 d->rows, d->row_stride, d->keys_out_row_stride, d->values_out_row_stride,
                 d->indices_row_stride);
    if (c->make)
        snprintf(parts + strlen(parts), sizeof parts - strlen(parts), ", keys made for %zu",
                 c->number);
    if (c->counted)
        snprintf(parts + strlen(parts), sizeof parts - strlen(parts), ", %u on the device",
                 (unsigned)c->there);
    AT("n %zu%s, %s, algorithm %s%s%s%s%s%s, placement %d, shift %zu, %s queue, wait %d%s",
       d->count, parts, case_words(d, d->key_type, c->pattern, c->seed),
       c->algorithm ? c->algorithm : "as described", c->indices ? ", indices" : "",
       case_out(c->keys_out, ", keys_out"), case_out(c->values_out, ", values_out"),
       c->own_scratch ? ", own scratch" : "",
       c->d.flags & CLSORT_FLAG_OVERWRITE_INPUT ? ", input overwritten" : "", c->placement,
       c->shift,
       c->queue ? "other" : "first", c->wait, c->no_event ? ", no event" : "");
}

/* The roles that receive keys and values, CASE_ROLES for none. */
static inline size_t case_keys_target(const sort_case *c)
{
    return c->keys_out == CASE_OWN      ? CASE_KEYS_OUT
           : c->indices && !c->keys_out ? CASE_ROLES
                                        : CASE_KEYS;
}

static inline size_t case_values_target(const sort_case *c)
{
    if (!c->d.value_size) return CASE_ROLES;
    return c->values_out == CASE_OWN      ? CASE_VALUES_OUT
           : c->indices && !c->values_out ? CASE_ROLES
                                          : CASE_VALUES;
}

/* ---- parts: rows, segments, or all ----------------------------------------------------------- */

static inline size_t case_element_size(const sort_case *c)
{
    return c->d.record_size ? c->d.record_size : pattern_key_size(c->d.key_type);
}

/* Elements from the start of one row to that of the next. */
static inline size_t case_row_step(const sort_case *c)
{
    return c->d.row_stride ? c->d.row_stride / case_element_size(c) : c->d.count;
}

/* Elements from the first to the last. */
static inline size_t case_extent(const sort_case *c)
{
    return c->d.rows > 1 && c->d.count ? (c->d.rows - 1) * case_row_step(c) + c->d.count
                                       : c->d.count;
}

static inline int case_has_parts(const sort_case *c)
{
    return c->offsets || c->d.rows > 1 || c->counted;
}

static inline size_t case_part_count(const sort_case *c)
{
    return c->offsets ? c->d.segment_count : c->d.rows ? c->d.rows : 1;
}

/* The end of the last element that counts. */
static inline size_t case_most(const sort_case *c)
{
    return c->counted && c->there < c->d.count ? c->there : c->d.count;
}

static inline size_t case_offset(const sort_case *c, size_t i)
{
    const size_t most = case_most(c);
    return c->offsets[i] < most ? c->offsets[i] : most;
}

static inline size_t case_end(const sort_case *c, size_t i)
{
    const size_t most = case_most(c);
    if (!c->ends) return case_offset(c, i + 1);
    return c->ends[i] < most ? c->ends[i] : most;
}

/* Part i: where it begins, and how many elements it has. */
static inline size_t case_part(const sort_case *c, size_t i, size_t *begin)
{
    *begin = i * case_row_step(c);
    if (!c->offsets) return case_most(c);
    *begin = case_offset(c, i);
    return case_end(c, i) > *begin ? case_end(c, i) - *begin : 0;
}

/* Do the offsets not ascend, or segments reach beyond the next one's begin? Then nothing is
   sorted. */
static inline int case_descends(const sort_case *c)
{
    size_t begin, i;
    for (i = 0; c->offsets && i + (c->ends != NULL) < c->d.segment_count; i++) {
        const size_t length = case_part(c, i, &begin);
        if (begin + length > case_offset(c, i + 1)) return 1;
    }
    return 0;
}

/* The algorithms that end in "only" sort blocks. */
static inline int case_sorts_blocks(const char *algorithm)
{
    size_t n = strlen(algorithm);
    return n >= 4 && !strcmp(algorithm + n - 4, "only");
}

/* The algorithms that begin with "batch" sort rows only; cases have none. */
static inline int case_sorts_rows(const char *algorithm)
{
    return !strncmp(algorithm, "batch", 5);
}

/* The length of the blocks that the case's algorithm sorts first: known when the kernels are built,
   which may take a smaller work-group. */
static inline size_t case_block_length(const bench *b, const sort_case *c)
{
    clsort_desc d = c->d, resolved = d;
    if (!d.count) d.count = 1;
    if (c->indices) d.indices = CLSORT_LATER;
    if (c->algorithm && !CHECK_OK(clsort_set_algorithm(&d, c->algorithm))) return 1;
    if (clsort_check(b->sorter, &d) == CLSORT_ERROR_UNSUPPORTED) return 1;
    d.flags &= ~(cl_uint)CLSORT_FLAG_NO_BUILD;
    if (!CHECK_OK(clsort_prepare(b->sorter, NULL, &d))
        || !CHECK_OK(clsort_resolve(b->sorter, &d, &resolved)))
        return 1;
    return (size_t)resolved.tuning.work_group * resolved.tuning.items;
}

/* ---- layout ---------------------------------------------------------------------------------- */

static inline size_t case_base_alignment(const bench *b)
{
    cl_uint bits = 0;
    clGetDeviceInfo(b->session.info.id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL);
    return bits / 8 > 16 ? bits / 8 : 16;
}

/* An array of the rows that the call has, `given` bytes apart or as those of the input. */
static inline void case_add(case_state *s, size_t role, size_t element, size_t given)
{
    const sort_case *c = s->c;
    image_add_rows(&s->image, role, element, c->d.rows ? c->d.rows : 1, c->d.count,
                   given ? given : case_row_step(c) * element, c->shift);
}

/* Gives every array its place in the image. */
static inline void case_lay_out(case_state *s, const bench *b, size_t scratch)
{
    const sort_case *c = s->c;
    const size_t row = case_element_size(c), value = c->d.value_size, segments = c->d.segment_count;
    image *m = &s->image;
    m->align = case_base_alignment(b);
    case_add(s, CASE_KEYS, row, 0);
    case_add(s, CASE_KEYS_OUT, c->keys_out == CASE_OWN ? row : 0, c->d.keys_out_row_stride);
    case_add(s, CASE_VALUES, value, 0);
    case_add(s, CASE_VALUES_OUT, c->values_out == CASE_OWN ? value : 0,
             c->d.values_out_row_stride);
    case_add(s, CASE_INDICES, c->indices ? 4 : 0, c->d.indices_row_stride);
    image_add(m, CASE_SCRATCH, scratch ? 16 : 0, scratch, c->shift);
    image_add(m, CASE_SEGMENTS, c->offsets ? 4 : 0, (segments + !c->ends) * 4, c->shift);
    image_add(m, CASE_ENDS, c->offsets && c->ends ? 4 : 0, segments * 4, c->shift);
    image_add(m, CASE_COUNT, c->counted ? 4 : 0, 4, c->shift);
}

static inline unsigned char *case_was(const case_state *s, size_t role, size_t i)
{
    return image_at(&s->image, s->image.was, role, i);
}

/* Keys that are made for a case: they take the place of its pattern's keys. */
static inline void case_make_keys(case_state *s, size_t n)
{
    const sort_case *c = s->c;
    uint64_t random = c->seed;
    size_t i;
    for (i = 0; i < n && c->make; i++)
        pattern_store(case_was(s, CASE_KEYS, i) + c->d.key_offset, 0,
                      pattern_key_size(c->d.key_type), c->make(c, i, &random));
}

/* The image before the sort: noise, keys, values that begin with their index as far as it fits,
   scratch with its byte. */
static inline int case_fill(case_state *s)
{
    const sort_case *c = s->c;
    size_t n = case_extent(c), i;
    if (!image_make(&s->image, c->seed)
        || !image_fill(&s->image, CASE_KEYS, 0, n, c->d.key_offset, c->d.key_type, c->pattern,
                       c->seed, c->block ? c->block : 1024))
        return 0;
    case_make_keys(s, n);
    for (i = 0; i < n && c->d.value_size >= 4; i++) {
        const uint32_t number = (uint32_t)i;
        memcpy(case_was(s, CASE_VALUES, i), &number, 4);
    }
    memset(case_was(s, CASE_SCRATCH, 0), c->scratch_fill, s->image.array[CASE_SCRATCH].size);
    image_fill_numbers(&s->image, CASE_SEGMENTS, c->offsets);
    image_fill_numbers(&s->image, CASE_ENDS, c->ends);
    image_fill_numbers(&s->image, CASE_COUNT, &c->there);
    return 1;
}

/* ---- device ---------------------------------------------------------------------------------- */

/* The roles that the call must not write, a bit for each. */
static inline unsigned case_read_only(const sort_case *c)
{
    const int kept = !(c->d.flags & CLSORT_FLAG_OVERWRITE_INPUT);
    return 1u << CASE_SEGMENTS | 1u << CASE_ENDS | 1u << CASE_COUNT
           | (kept && case_keys_target(c) != CASE_KEYS ? 1u << CASE_KEYS : 0)
           | (kept && case_values_target(c) != CASE_VALUES ? 1u << CASE_VALUES : 0);
}

/* Gives an array its part of the parent, or a sub-buffer of that. */
static inline int case_take_part(case_state *s, size_t role)
{
    image_array *a = &s->image.array[role];
    const cl_mem_flags access = case_read_only(s->c) >> role & 1 ? CL_MEM_READ_ONLY
                                                                 : CL_MEM_READ_WRITE;
    cl_buffer_region region;
    cl_int error = CL_SUCCESS;
    if (!a->element) return 1;
    region.origin = a->base;
    region.size = a->bytes;
    if (s->c->placement == CASE_SUB)
        a->buffer = clCreateSubBuffer(s->parent, access, CL_BUFFER_CREATE_TYPE_REGION, &region,
                                      &error);
    else
        a->buffer = s->parent, a->from = a->base, error = clRetainMemObject(s->parent);
    return CHECK(error == CL_SUCCESS);
}

static inline int case_create(case_state *s, const bench *b)
{
    size_t role;
    int good = 1;
    if (s->c->placement == CASE_APART) return image_upload(b, &s->image, case_read_only(s->c));
    image_begin(&s->image);
    s->parent = test_buffer(b, s->image.bytes, s->image.was);
    for (role = 0; role < CASE_ROLES && good; role++) good = case_take_part(s, role);
    return good;
}

static inline void case_describe(case_state *s)
{
    const image *m = &s->image;
    clsort_desc *d = &s->d;
    d->keys = image_buffer(m, CASE_KEYS, &d->keys_offset);
    d->keys_out = image_buffer(m, CASE_KEYS_OUT, &d->keys_out_offset);
    d->values = image_buffer(m, CASE_VALUES, &d->values_offset);
    d->values_out = image_buffer(m, CASE_VALUES_OUT, &d->values_out_offset);
    d->indices = image_buffer(m, CASE_INDICES, &d->indices_offset);
    d->scratch = image_buffer(m, CASE_SCRATCH, &d->scratch_offset);
    d->segments = image_buffer(m, CASE_SEGMENTS, &d->segments_offset);
    d->segment_ends = image_buffer(m, CASE_ENDS, &d->segment_ends_offset);
    d->count_buffer = image_buffer(m, CASE_COUNT, &d->count_offset);
    if (s->c->keys_out == CASE_SAME) d->keys_out = d->keys, d->keys_out_offset = d->keys_offset;
    if (s->c->values_out == CASE_SAME)
        d->values_out = d->values, d->values_out_offset = d->values_offset;
}

/* Does the call itself wait until it has sorted? */
static inline int case_blocks(const sort_case *c)
{
    return c->algorithm && !strncmp(c->algorithm, "quicksort-host", 14);
}

/* Spoils offsets and count, and enqueues copies that put them right; on in-order queues. */
static inline int case_produce(const case_state *s, const bench *b, cl_command_queue queue,
                               size_t role)
{
    const image_array *a = &s->image.array[role];
    cl_mem right;
    cl_int error;
    if (!s->c->produced || !a->element) return 1;
    right = test_buffer(b, a->bytes, s->image.was + a->base);
    error = clEnqueueWriteBuffer(queue, a->buffer, CL_TRUE, a->from, a->bytes, s->image.was, 0,
                                 NULL, NULL);
    if (error == CL_SUCCESS)
        error = clEnqueueCopyBuffer(queue, right, a->buffer, 0, a->from, a->bytes, 0, NULL, NULL);
    clReleaseMemObject(right);
    return CHECK(error == CL_SUCCESS);
}

/* Would a proof read keys that the sort may overwrite? */
static inline int case_reads_again(const sort_case *c)
{
    return c->d.flags & CLSORT_FLAG_OVERWRITE_INPUT && c->indices && !c->keys_out;
}

/* Sorts and waits; the event must be there and complete. Proofs must tell that offsets do not
   ascend. With a single element that depends on what the output held before: none is asked for. */
static inline int case_sort(case_state *s, const bench *b)
{
    const sort_case *c = s->c;
    const int descends = case_descends(c), wrong = descends && c->d.count > 1,
              prove = c->prove && (wrong || !descends) && !case_reads_again(c);
    image_call call;
    int good = image_call_begin(b, c->queue,
                                c->wait && case_blocks(c) ? CASE_WAIT_PAST : c->wait, &call);
    cl_mem proof = good && prove ? image_prove_input(b, b->sorter, call.queue, &s->d) : NULL;
    good = good && (proof || !prove) && case_produce(s, b, call.queue, CASE_SEGMENTS)
           && case_produce(s, b, call.queue, CASE_ENDS)
           && case_produce(s, b, call.queue, CASE_COUNT);
    good = good
           && CHECK_OK(clsort_enqueue_sort(b->sorter, call.queue, &s->d, call.n, call.list,
                                           c->no_event ? NULL : &call.done));
    call.behind = c->no_event;
    if (good && c->no_event)
        good = CHECK(clEnqueueMarkerWithWaitList(call.queue, 0, NULL, &call.done) == CL_SUCCESS);
    good = image_call_end(b, &call, good);
    if (proof)
        good = image_prove_output(b->sorter, call.queue, &s->d, proof,
                                  wrong ? CLSORT_ERROR_WRONG_RESULT : CL_SUCCESS)
               && good;
    return good && image_read(&s->image, call.queue) && (!c->look || c->look(b, s));
}

/* ---- expectation ----------------------------------------------------------------------------- */

/* The stable permutation of `length` elements from `first` on. */
static inline int case_reference_part(case_state *s, size_t first, size_t length)
{
    size_t i;
    if (!CHECK(reference_argsort(s->codes + first, length, s->order + first))) return 0;
    for (i = 0; i < length; i++) s->order[first + i] += (uint32_t)first;
    return 1;
}

/* The codes of the keys, or of the places of records in the order of fields. */
static inline int case_reference_codes(case_state *s)
{
    return image_codes(&s->image, CASE_KEYS, 0, case_extent(s->c),
                       s->c->fields ? &s->d : &s->c->d, s->codes);
}

/* That of each part or block. */
static inline int case_reference(case_state *s)
{
    size_t n = case_extent(s->c), block = s->c->block ? s->c->block : n + 1, first, i;
    if (!case_reference_codes(s)) return 0;
    for (first = 0; first < n && !case_has_parts(s->c); first += block)
        if (!case_reference_part(s, first, n - first < block ? n - first : block)) return 0;
    if (!case_has_parts(s->c)) return 1;
    for (i = 0; i < n; i++) s->order[i] = CASE_OUTSIDE;
    for (i = 0; i < case_part_count(s->c); i++) {
        const size_t length = case_part(s->c, i, &first);
        if (length && !case_reference_part(s, first, length)) return 0;
    }
    return 1;
}

/* Kernels that launch kernels are optional: does the device lack what this algorithm needs? */
static inline int case_lacks(const bench *b, const char *algorithm)
{
    clsort_desc d = clsort_desc_default();
    d.key_type = CLSORT_U32;
    return algorithm && !strncmp(algorithm, "quicksort-device", 16)
           && CHECK_OK(clsort_set_algorithm(&d, algorithm))
           && clsort_check(b->sorter, &d) == CLSORT_ERROR_UNSUPPORTED;
}

/* Are equal elements promised to keep their order? If `stable` says so, or equal zeros or NaNs of
   floats; by fields; of rows, if only one, and segments; by merge and radix, if they are named, but
   for hybrid radix of values. */
static inline int case_is_stable(const sort_case *c)
{
    const int merges = c->d.zero_order == CLSORT_ZERO_EQUAL || c->d.nan_order == CLSORT_NAN_EQUAL;
    if (c->d.stable || c->fields) return 1;
    if (c->offsets || c->d.rows) return !c->algorithm || !case_sorts_rows(c->algorithm);
    if (merges && pattern_is_float(c->d.key_type)) return 1;
    if (!c->algorithm) return c->d.algorithm == CLSORT_MERGE || c->d.algorithm == CLSORT_RADIX;
    if (!strcmp(c->algorithm, "radix-hybrid") && c->d.value_size && !c->indices) return 0;
    return !strncmp(c->algorithm, "merge", 5) || !strncmp(c->algorithm, "radix", 5);
}

/* Indices of an unstable argsort are taken from the result, once they are known to be a sorting
   permutation of what is sorted. */
static inline int case_adopt_indices(case_state *s)
{
    size_t n = case_most(s->c), i;
    uint32_t *found = (uint32_t *)malloc(n * 4 + 1);
    int good = CHECK(found != NULL);
    if (good && n) memcpy(found, image_at(&s->image, s->image.now, CASE_INDICES, 0), n * 4);
    good = good && CHECK(reference_is_permutation(found, n));
    for (i = 0; good && i < n; i++) good = CHECK(s->codes[found[i]] == s->codes[s->order[i]]);
    if (good && n) memcpy(s->order, found, n * 4);
    free(found);
    return good;
}

/* Where element i among the rows of the input is wanted in an output. */
static inline unsigned char *case_wanted(const case_state *s, size_t role, size_t i)
{
    const size_t step = case_row_step(s->c);
    return image_in_row(&s->image, s->image.want, role, i / step, i % step);
}

/* target[i] of the wanted image = source[order[i]] of the input. */
static inline void case_permute(case_state *s, size_t source, size_t target)
{
    size_t n = case_extent(s->c), i;
    for (i = 0; i < n; i++)
        if (s->order[i] != CASE_OUTSIDE)
            memcpy(case_wanted(s, target, i), case_was(s, source, s->order[i]),
                   s->image.array[source].element);
}

/* Indices count from the start of their part. */
static inline void case_expect_indices(case_state *s)
{
    size_t parts = case_has_parts(s->c) ? case_part_count(s->c) : 1, part, i;
    for (part = 0; part < parts; part++) {
        size_t first = 0,
               length = case_has_parts(s->c) ? case_part(s->c, part, &first) : s->c->d.count;
        for (i = 0; i < length; i++) {
            const uint32_t index = s->order[first + i] - (uint32_t)first;
            memcpy(case_wanted(s, CASE_INDICES, first + i), &index, sizeof index);
        }
    }
}

/* What is sorted of an input may be overwritten; what lies between rows and segments may not. */
static inline void case_forgive_input(case_state *s, size_t role)
{
    const image *m = &s->image;
    size_t n = case_extent(s->c), i;
    for (i = 0; i < n; i++)
        if (s->order[i] != CASE_OUTSIDE)
            memcpy(image_at(m, m->want, role, i), image_at(m, m->now, role, i),
                   m->array[role].element);
}

/* Where offsets do not ascend, an output may hold anything; what is sorted in place stays. */
static inline void case_expect(case_state *s)
{
    static const size_t outputs[] = { CASE_KEYS_OUT, CASE_VALUES_OUT, CASE_INDICES };
    const image *m = &s->image;
    const int overwrites = s->c->d.flags & CLSORT_FLAG_OVERWRITE_INPUT;
    size_t keys = case_keys_target(s->c), values = case_values_target(s->c), i;
    memcpy(m->want, m->was, m->bytes);
    if (case_descends(s->c)) {
        for (i = 0; i < 3; i++) image_forgive(m, outputs[i], m->array[outputs[i]].size);
    } else {
        if (keys < CASE_ROLES) case_permute(s, CASE_KEYS, keys);
        if (values < CASE_ROLES) case_permute(s, CASE_VALUES, values);
        if (s->c->indices) case_expect_indices(s);
        if (overwrites && keys != CASE_KEYS) case_forgive_input(s, CASE_KEYS);
        if (overwrites && values != CASE_VALUES) case_forgive_input(s, CASE_VALUES);
    }
    if (s->d.scratch) image_forgive(m, CASE_SCRATCH, s->d.scratch_size);
}

/* ---- unstable results: elements with equal keys in any order --------------------------------- */

/* May the order of equal elements be seen? Keys alone show it by some of their bits. */
static inline int case_shows_ties(const sort_case *c)
{
    return c->d.value_size || c->d.record_size || c->d.first_bit || c->d.last_bit;
}

/* Are n elements of the result, from `first` on, the expected ones, where elements with equal keys
   may have any order? If so they become the expected ones. */
static inline int case_forgive_part(case_state *s, size_t first, size_t n)
{
    const image *m = &s->image;
    const size_t keys = case_keys_target(s->c), values = case_values_target(s->c),
                 other = values < CASE_ROLES ? values : keys, roles[] = { keys, other };
    size_t i, end;
    for (i = first; i < first + n; i = end) {
        const uint64_t code = s->codes[s->order[i]];
        for (end = i + 1; end < first + n && s->codes[s->order[end]] == code;) end++;
        if (image_sum(m, m->now, keys, other, i, end - i)
            != image_sum(m, m->want, keys, other, i, end - i))
            return 0;
    }
    for (i = 0; i < 2; i++)
        memcpy(image_at(m, m->want, roles[i], first), image_at(m, m->now, roles[i], first),
               n * m->array[roles[i]].element);
    return 1;
}

/* The order of each part or block. Rows are as far apart in outputs as in the input. */
static inline int case_forgive_ties(case_state *s)
{
    const size_t n = case_most(s->c), block = s->c->block ? s->c->block : n + 1;
    size_t first, i;
    if (!case_has_parts(s->c)) {
        for (first = 0; first < n; first += block)
            if (!case_forgive_part(s, first, n - first < block ? n - first : block)) return 0;
        return 1;
    }
    for (i = 0; i < case_part_count(s->c); i++) {
        const size_t length = case_part(s->c, i, &first);
        if (!case_forgive_part(s, first, length)) return 0;
    }
    return 1;
}

/* ---- whole ----------------------------------------------------------------------------------- */

static inline int case_verify(case_state *s)
{
    int ties = !case_is_stable(s->c) && !s->c->indices && case_shows_ties(s->c);
    if (!case_descends(s->c) && !case_reference(s)) return 0;
    if (s->c->indices && !case_is_stable(s->c) && !case_adopt_indices(s)) return 0;
    case_expect(s);
    if (ties && !CHECK(case_forgive_ties(s))) return 0;
    return image_is_right(&s->image);
}

static inline int case_allocate(case_state *s)
{
    size_t n = case_extent(s->c);
    s->codes = (uint64_t *)malloc(n * 8 + 1);
    s->order = (uint32_t *)malloc(n * 4 + 1);
    return CHECK(s->codes && s->order) && case_fill(s);
}

static inline void case_release(case_state *s)
{
    image_release(&s->image);
    if (s->parent) clReleaseMemObject(s->parent);
    free(s->codes);
    free(s->order);
}

/* What the call will have, for later(). */
static inline cl_uint case_roles(const sort_case *c)
{
    cl_uint roles = 0;
    if (c->indices) roles |= LATER_INDICES;
    if (c->keys_out) roles |= LATER_KEYS_OUT;
    if (c->values_out) roles |= LATER_VALUES_OUT;
    if (c->counted) roles |= LATER_COUNT;
    return roles;
}

/* Scratch memory by the documented size, without buffers. An output in the input's place shows
   only in the buffers: then there is room for more, and case_exact_scratch says how much of it the
   call gets. */
static inline int case_scratch(const bench *b, const sort_case *c, clsort_desc *d, size_t *bytes)
{
    const int same = c->keys_out == CASE_SAME || c->values_out == CASE_SAME;
    size_t n = case_extent(c), in_place = 0;
    int good;
    later(d, case_roles(c));
    good = CHECK_OK(clsort_scratch_size(b->sorter, d, bytes));
    d->keys_out = d->values_out = NULL;
    if (same && !d->keys_out_row_stride && !d->values_out_row_stride)
        good = CHECK_OK(clsort_scratch_size(b->sorter, d, &in_place)) && good;
    later_none(d);
    if (in_place > *bytes) *bytes = in_place;
    if (c->keys_out == CASE_SAME) *bytes += n * case_element_size(c) + 16;
    if (c->values_out == CASE_SAME) *bytes += n * c->d.value_size + 16;
    /* if only one is in place, rows, also a single one, and segments go by index */
    if ((case_has_parts(c) || c->d.rows) && same) *bytes += n * (case_element_size(c) + 8) + 48;
    return good;
}

/* Gives the call exactly what the description with its buffers needs. */
static inline int case_exact_scratch(case_state *s, const bench *b, size_t room)
{
    clsort_desc d = s->d;
    if (!s->c->own_scratch) return 1;
    d.scratch = NULL;
    d.scratch_offset = 0;
    if (!CHECK_OK(clsort_scratch_size(b->sorter, &d, &s->d.scratch_size))
        || !CHECK(s->d.scratch_size <= room))
        return 0;
    return s->c->keys_out == CASE_SAME || s->c->values_out == CASE_SAME
           || CHECK(s->d.scratch_size == room);
}

/* Orders records by fields, if there are any. */
static inline void case_use_fields(clsort_desc *d, const clsort_field *fields, cl_uint count)
{
    if (!fields) return;
    d->fields = fields;
    d->field_count = count;
    d->key_type = 0;
    d->key_offset = 0;
}

/* The description as it is checked without buffers. */
static inline int case_begin(case_state *s, const sort_case *c)
{
    memset(s, 0, sizeof *s);
    s->c = c;
    s->d = c->d;
    case_use_fields(&s->d, c->fields, c->field_count);
    return !c->algorithm || CHECK_OK(clsort_set_algorithm(&s->d, c->algorithm));
}

/* Runs the case and checks everything about it; returns 1 if all is well. */
static inline int case_run(const bench *b, const sort_case *c)
{
    case_state s;
    size_t scratch = 0;
    int good;
    case_say(c);
    if (case_lacks(b, c->algorithm)) return 1;
    if (!case_begin(&s, c)) return 0;
    if (c->own_scratch && !case_scratch(b, c, &s.d, &scratch)) return 0;
    case_lay_out(&s, b, scratch);
    good = case_allocate(&s) && case_create(&s, b);
    if (good) case_describe(&s);
    good = good && case_exact_scratch(&s, b, scratch) && case_sort(&s, b) && case_verify(&s);
    case_release(&s);
    return good;
}

#endif
