/* Sorts millions of random and adversarial keys by what AUTO takes for them, alone, with values or
   as indices. Keys are made and results are checked on the device, by kernels of this program; one
   result in ten is also compared with a stable sort on the host.

     fuzz_large [--seed S] [--cases N] [--seconds N] [--case K] [--least L] [--most M]

   Counts are from 2^L to 2^M, 2^20 to 2^26 by default, and less where the device's memory is small.
   With M below 26 the crossovers are divided by 2^(26 - M): these counts take the plans of 2^26. On
   a CPU it pretends that this is a GPU, of work-groups up to 64 or of any. The rest is as in
   fuzz.c. First, what the checks are for is done to right results, and each check must see it. */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "cases.h"
#include "on_device.h"
#include "pretenders.h"

/* So many cases in a row share programs; a host makes at most so many keys, and sorts by digits of
   so many bits. */
enum { BATCH = 20, MOST_WRONG = 10, HOST_KEYS = 1 << 21, HOST_BITS = 11, HOST_DIGITS = 1 << 11 };

enum { KEYS, KEYS_OUT, VALUES, VALUES_OUT, SCRATCH, ARRAYS };

typedef struct large_options {
    uint64_t seed, cases, only, least, most;
    double seconds;
    int one;                      /* only case `only` */
} large_options;

typedef struct large_device {
    bench b;
    const large_options *o;
    uint64_t most;                /* of the counts, as a power of two */
    clsort_sorter *gpus[PRETENDED_GPUS];   /* on a CPU */
    device_kernels kernels[2];    /* for keys of 4 and of 8 bytes */
    cl_mem places;
    cl_mem buffer[ARRAYS];        /* room for the longest arrays; scratch memory: the case's */
    uint64_t cases, wrong, hosted;
} large_device;

typedef struct large_case {
    clsort_desc d;                /* without buffers and offsets */
    uint64_t seed;
    const char *pattern;
    device_recipe keys;           /* of all keys; `overlooked` ... */
    device_recipe some;           /* ... not of those at the places that hybrid radix samples */
    int overlooked, from_host;    /* the host makes the keys ... */
    int hosted;                   /* ... and compares the result */
    int indices, keys_out, values_out, own_scratch;
    size_t shift;
} large_case;

/* ---- random keys ----------------------------------------------------------------------------- */

static int chance(uint64_t *random, unsigned percent) { return draw(random, 100) < percent; }

static uint64_t random_state(uint64_t seed, uint64_t number)
{
    uint64_t state = seed * UINT64_C(0xD1342543DE82EF95) + number;
    return pattern_random(&state);
}

/* The bits of a case's keys, the largest code, and the middle of all codes: that of 0. */
static unsigned width_of(const large_case *c) { return c->d.key_type & 0xFFu; }
static uint64_t top_of(const large_case *c) { return UINT64_MAX >> (64 - width_of(c)); }
static uint64_t middle_of(const large_case *c) { return top_of(c) / 2 + 1; }

/* A part of span + 1 codes: from 0 on, on both sides of the middle, or anywhere. */
static void add_span(uint64_t *random, const large_case *c, device_recipe *r, uint64_t span,
                     uint64_t share)
{
    const uint64_t top = top_of(c), room = top - span, any = pattern_random(random);
    const uint64_t low = room == UINT64_MAX ? any : any % (room + 1);
    const size_t where = draw(random, 8);
    if (where == 0) device_add_part(r, 0, span, share);
    else if (where == 1 && span < top) device_add_part(r, middle_of(c) - span / 2 - 1, span, share);
    else if (where == 2 && room >= 0x12345) device_add_part(r, 0x12345, span, share);
    else device_add_part(r, low, span, share);
}

/* 2^w codes, but for up to 1/1024 of them more or less. */
static uint64_t draw_span(uint64_t *random, const large_case *c, unsigned w)
{
    const uint64_t top = top_of(c), span = top >> (width_of(c) - w), edge = (span >> 10) + 1,
                   kind = draw(random, 6), some = pattern_random(random) % edge;
    const uint64_t more = kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? edge : kind == 3 ? some : 0;
    if (kind > 3) return span - (kind == 4 ? span > 0 : some);
    return top - span < more ? top : span + more;
}

static unsigned draw_width(uint64_t *random, const large_case *c)
{
    return 1 + (unsigned)draw(random, width_of(c));
}

static void draw_spans(uint64_t *random, large_case *c)
{
    c->pattern = "span";
    add_span(random, c, &c->keys, draw_span(random, c, draw_width(random, c)), 0);
}

/* What AUTO once sorted wrong: about 2^24 codes. */
static void draw_span_24(uint64_t *random, large_case *c)
{
    const uint64_t span = chance(random, 40) ? 0xFFFFFF : draw_span(random, c, 24);
    const size_t where = draw(random, 3);
    c->pattern = "span of 24 bits";
    if (where == 0) device_add_part(&c->keys, 0x12345, span, 0);
    else if (where == 1) device_add_part(&c->keys, middle_of(c) - span / 2 - 1, span, 0);
    else add_span(random, c, &c->keys, span, 0);
}

static void draw_uniform(uint64_t *random, large_case *c)
{
    (void)random;
    c->pattern = "uniform";
    device_add_part(&c->keys, 0, top_of(c), 0);
}

static void draw_clusters(uint64_t *random, large_case *c)
{
    const size_t parts = 1 + draw(random, 12);
    size_t i;
    c->pattern = "clusters";
    for (i = 0; i < parts; i++)
        add_span(random, c, &c->keys,
                 pattern_any_length(pattern_random(random), width_of(c)) & top_of(c),
                 (UINT64_C(1) << 32) / parts);
}

/* Some codes that about one key in 192 has, or so many that these are about half of all keys. */
static void draw_heavy(uint64_t *random, large_case *c)
{
    const size_t codes = 1 + draw(random, 70);
    const uint64_t share = chance(random, 50) ? (UINT64_C(1) << 32) / 192
                                              : (UINT64_C(1) << 31) / codes;
    size_t i;
    c->pattern = "heavy";
    for (i = 0; i < codes; i++)
        add_span(random, c, &c->keys, 0, share - share / 16 + draw(random, share / 8));
    device_add_part(&c->keys, 0, top_of(c), 0);
}

/* About a quarter of the keys, or an eighth, in a narrow range. */
static void draw_quarter(uint64_t *random, large_case *c)
{
    const uint64_t share = UINT64_C(1) << (29 + draw(random, 2)), span = draw(random, c->d.count);
    c->pattern = "quarter";
    add_span(random, c, &c->keys, span, share - share / 32 + draw(random, share / 16));
    device_add_part(&c->keys, 0, top_of(c), 0);
}

/* Both sides of the middle of all codes, with a gap between them that is about as long as both. */
static void draw_two_sides(uint64_t *random, large_case *c)
{
    const uint64_t span = top_of(c) >> 2 >> draw(random, width_of(c) - 2),
                   edge = span / 512 + 1,
                   gap = span + pattern_random(random) % (2 * edge) - edge;
    c->pattern = "two sides";
    device_add_part(&c->keys, middle_of(c) - gap / 2 - span / 2 - 1, span / 2, UINT64_C(1) << 31);
    device_add_part(&c->keys, middle_of(c) + gap / 2, span / 2, 0);
}

static void draw_few(uint64_t *random, large_case *c)
{
    const size_t codes = 1 + draw(random, DEVICE_PARTS);
    size_t i;
    c->pattern = "few distinct";
    for (i = 0; i < codes; i++)
        add_span(random, c, &c->keys, 0, (UINT64_C(1) << 32) / codes);
}

/* Few different upper bits or lower ones, any others. */
static void draw_few_bits(uint64_t *random, large_case *c)
{
    const uint64_t low = top_of(c) >> draw(random, width_of(c));
    draw_uniform(random, c);
    c->pattern = "few bits";
    c->keys.keep = chance(random, 75) ? low : ~low;
    c->keys.fixed = pattern_random(random);
}

/* Sorted, reversed, organ pipe, runs; sometimes with random keys among them. */
static void draw_ranked(uint64_t *random, large_case *c)
{
    const size_t kind = draw(random, 5), n = c->d.count;
    c->pattern = kind == 0   ? "sorted"
                 : kind == 1 ? "reversed"
                 : kind == 2 ? "organ pipe"
                 : kind == 3 ? "runs"
                             : "pipes";
    c->keys.shape = DEVICE_RANKED;
    c->keys.length = kind == 2 ? (n + 1) / 2 : kind > 2 ? 1 + draw(random, n) : 0;
    c->keys.down = kind == 2 || kind == 4;
    c->keys.strays = chance(random, 70) ? 0 : 2 + draw(random, 2000);
    if (kind == 1) c->d.order = !c->d.order;
}

/* A law of Zipf from 1 on, or such distances from anywhere, up or down. */
static void draw_geometric(uint64_t *random, large_case *c)
{
    const int zipf = chance(random, 40);
    c->pattern = zipf ? "zipf" : "geometric";
    c->keys.shape = DEVICE_GEOMETRIC;
    c->keys.length = zipf ? 20 : width_of(c) - 1;
    c->keys.from = zipf ? 1 : pattern_random(random);
    c->keys.down = !zipf && chance(random, 50);
}

/* Floats below 1, or near 0; of integers those near 0. */
static void draw_near_zero(uint64_t *random, large_case *c)
{
    const uint64_t near = top_of(c) >> 1 >> draw(random, width_of(c) - 1);
    c->pattern = "near 0";
    if (pattern_is_float(c->d.key_type) && chance(random, 75)) {
        c->pattern = "floats below 1";
        c->keys.shape = DEVICE_UNIT;
        c->keys.mantissa = reference_mantissa(c->d.key_type);
        c->keys.down = (uint64_t)chance(random, 50);
        return;
    }
    device_add_part(&c->keys, middle_of(c) - near / 2 - 1, near, 0);
}

/* Some of the patterns that only a host makes, of few keys. */
static void draw_host_pattern(uint64_t *random, large_case *c)
{
    size_t patterns = 0, pattern;
    while (pattern_name(patterns)) patterns++;
    do pattern = draw(random, patterns); while (!pattern_applies(pattern, c->d.key_type));
    c->pattern = pattern_name(pattern);
    c->from_host = 1;
    if (c->d.count > HOST_KEYS) c->d.count = HOST_KEYS - draw(random, HOST_KEYS / 2);
}

static void draw_keys(uint64_t *random, large_case *c)
{
    static void (*const draws[])(uint64_t *, large_case *) = {
        draw_uniform, draw_spans,     draw_spans,     draw_spans,
        draw_span_24, draw_clusters,  draw_heavy,     draw_quarter,
        draw_ranked,  draw_two_sides, draw_few_bits,  draw_few,
        draw_ranked,  draw_geometric, draw_near_zero, draw_host_pattern
    };
    const int pairs = c->d.value_size || c->indices;
    if (width_of(c) == 32 && chance(random, pairs ? 30 : 10)) draw_span_24(random, c);
    else draws[draw(random, sizeof draws / sizeof *draws)](random, c);
    if (c->from_host || !chance(random, 8)) return;
    c->overlooked = 1;
    c->some = device_recipe_make(DEVICE_MIXED, pattern_random(random));
    add_span(random, c, &c->some, draw_span(random, c, draw_width(random, c)), 0);
}

/* ---- random cases ---------------------------------------------------------------------------- */

/* What the cases of a batch have in common: programs are built for it. */
static large_case draw_batch(uint64_t seed, uint64_t batch)
{
    uint64_t random = random_state(~seed, batch);
    const size_t payload = draw(&random, 10);
    large_case c;
    memset(&c, 0, sizeof c);
    c.d = clsort_desc_default();
    c.d.key_type = chance(&random, 65) ? CLSORT_U32 : CLSORT_U64;
    c.d.value_size = payload < 4 ? 4 : 0;
    c.indices = payload >= 4 && payload < 7;
    c.d.stable = (cl_uint)chance(&random, 20);
    return c;
}

/* All lengths of counts are as frequent; powers of two and crossovers are drawn more often. */
static size_t draw_count(uint64_t *random, uint64_t least, uint64_t most)
{
    const uint64_t log2 = least + (most > least ? draw(random, most - least) : 0);
    const size_t low = (size_t)1 << log2, kind = draw(random, 10), around = draw(random, 5);
    const size_t n = kind < 6   ? low + draw(random, low)
                     : kind < 8 ? 2 * low + around - 2
                     : kind < 9 ? (size_t)1 << (most - 1 - draw(random, 2))
                                : low + low / 2 + around - 2;
    const size_t top = (size_t)1 << most;
    return n > top ? top : n;
}

static void draw_type(uint64_t *random, large_case *c)
{
    static const cl_uint types[] = { CLSORT_U32, CLSORT_I32, CLSORT_F32,
                                     CLSORT_U64, CLSORT_I64, CLSORT_F64 };
    c->d.key_type = types[draw(random, 3) + (c->d.key_type == CLSORT_U64 ? 3 : 0)];
    c->d.order = chance(random, 35) ? CLSORT_DESCENDING : CLSORT_ASCENDING;
    c->d.nan_order = chance(random, 25) ? CLSORT_NAN_LAST : CLSORT_NAN_TOTAL;
}

static large_case draw_case(const large_device *f, uint64_t number)
{
    uint64_t random = random_state(f->o->seed, number);
    large_case c = draw_batch(f->o->seed, number / BATCH);
    draw_type(&random, &c);
    c.seed = pattern_random(&random);
    c.d.count = draw_count(&random, f->o->least, f->most);
    c.keys = device_recipe_make(DEVICE_MIXED, pattern_random(&random));
    draw_keys(&random, &c);
    c.keys_out = chance(&random, 40);
    c.values_out = c.d.value_size && chance(&random, 50);
    c.own_scratch = chance(&random, 20);
    c.shift = chance(&random, 60) ? 0 : draw(&random, 9);
    /* Of 2^20 to 2^26 elements one in ten: a third of the shortest, for which a host takes little
       time, and one in 129 of the longest. */
    c.hosted = draw(&random, 1 + (2 * c.d.count >> f->o->least)) == 0;
    return c;
}

static void say_case(const large_case *c)
{
    AT("n %zu, %s, %s%s, %s%s%s%s%s%s%s, shift %zu, parts %llu from 0x%llx spanning 0x%llx",
       c->d.count, case_type_name(c->d.key_type), c->pattern,
       c->overlooked ? ", samples overlook it" : "", c->d.order ? "descending" : "ascending",
       c->d.stable ? ", stable" : "", c->d.nan_order ? ", NaNs last" : "",
       c->d.value_size ? ", values" : c->indices ? ", indices" : "",
       c->keys_out ? ", keys_out" : "", c->values_out ? ", values_out" : "",
       c->own_scratch ? ", own scratch" : "", c->shift,
       (unsigned long long)c->keys.parts, (unsigned long long)c->keys.low[0],
       (unsigned long long)c->keys.span[0]);
}

/* ---- running --------------------------------------------------------------------------------- */

/* A running case: its arrays, and where its results are. */
typedef struct large_run {
    const large_device *f;
    const large_case *c;
    const device_kernels *k;
    clsort_desc d;
    device_array array[ARRAYS];   /* n is 0: the call has no such array */
    const device_array *keys, *values;   /* results: the keys, or with indices the input; the
                                            values or indices, or NULL */
    cl_uint what;                 /* of the check of the result */
    device_sums before;           /* of the input's elements, and ... */
    device_sums placed;           /* ... of its keys and their places */
    unsigned char *input;         /* of cases that the host compares */
} large_run;

static void set_array(large_run *r, size_t number, int given, size_t element)
{
    device_array *a = &r->array[number];
    a->buffer = r->f->buffer[number];
    a->at = DEVICE_GUARD + r->c->shift;
    a->n = given ? r->c->d.count : 0;
    a->element = element;
}

static void set_arrays(large_run *r)
{
    const large_case *c = r->c;
    const size_t key = pattern_key_size(c->d.key_type);
    set_array(r, KEYS, 1, key);
    set_array(r, KEYS_OUT, c->keys_out, key);
    set_array(r, VALUES, c->d.value_size > 0, 4);
    set_array(r, VALUES_OUT, c->values_out || c->indices, 4);
    r->keys = &r->array[c->keys_out && !c->indices ? KEYS_OUT : KEYS];
    r->values = c->values_out || c->indices ? &r->array[VALUES_OUT]
                : c->d.value_size           ? &r->array[VALUES]
                                            : NULL;
    r->what = DEVICE_ORDER | (c->d.stable ? DEVICE_STABLE : 0u)
              | (c->indices ? DEVICE_INDICES : c->d.value_size ? DEVICE_VALUES : 0u)
              | (c->indices && c->keys_out ? DEVICE_SORTED : 0u);
    if (!r->values) r->what &= ~(cl_uint)DEVICE_STABLE;
}

static void describe(large_run *r)
{
    const device_array *a = r->array;
    r->d = r->c->d;
    r->d.keys = a[KEYS].buffer;
    r->d.keys_offset = a[KEYS].at * a[KEYS].element;
    r->d.keys_out = a[KEYS_OUT].n ? a[KEYS_OUT].buffer : NULL;
    r->d.keys_out_offset = a[KEYS_OUT].n ? a[KEYS_OUT].at * a[KEYS_OUT].element : 0;
    r->d.values = a[VALUES].n ? a[VALUES].buffer : NULL;
    r->d.values_offset = a[VALUES].n ? a[VALUES].at * 4 : 0;
    if (r->c->indices) r->d.indices = a[VALUES_OUT].buffer;
    else if (a[VALUES_OUT].n) r->d.values_out = a[VALUES_OUT].buffer;
    if (r->d.indices) r->d.indices_offset = a[VALUES_OUT].at * 4;
    if (r->d.values_out) r->d.values_out_offset = a[VALUES_OUT].at * 4;
}

/* Scratch memory of exactly the documented size, in words of 16 bytes. */
static int give_scratch(large_run *r)
{
    device_array *a = &r->array[SCRATCH];
    size_t bytes = 0;
    cl_int error = CL_SUCCESS;
    if (!r->c->own_scratch) return 1;
    if (!CHECK_OK(clsort_scratch_size(r->f->b.sorter, &r->d, &bytes))) return 0;
    if (!bytes) return 1;
    a->at = DEVICE_GUARD;
    a->n = (bytes + 15) / 16;
    a->element = 16;
    a->buffer = clCreateBuffer(r->f->b.session.context, CL_MEM_READ_WRITE, device_array_bytes(a),
                               NULL, &error);
    if (!CHECK(error == CL_SUCCESS)) return 0;
    r->d.scratch = a->buffer;
    r->d.scratch_offset = DEVICE_GUARD * 16;
    r->d.scratch_size = 16 * a->n;
    return device_clear(r->k, a);
}

/* Keys by the host. */
static int write_pattern(large_run *r)
{
    const device_array *a = &r->array[KEYS];
    unsigned char *keys = (unsigned char *)malloc(a->n * a->element);
    int good = CHECK(keys != NULL);
    if (good) {
        pattern_fill(pattern_find(r->c->pattern), r->c->d.key_type, a->n, r->c->seed, 1024, keys);
        good = CHECK(clEnqueueWriteBuffer(r->k->queue, a->buffer, CL_TRUE, a->at * a->element,
                                          a->n * a->element, keys, 0, NULL, NULL)
                     == CL_SUCCESS);
    }
    free(keys);
    return good;
}

/* The keys that the sample of hybrid radix draws. */
static int write_sampled(large_run *r)
{
    static uint32_t places[1 << 14];
    const device_array *a = &r->array[KEYS];
    const size_t count = a->n < 1 << 14 ? a->n : (size_t)1 << 14;
    size_t i;
    for (i = 0; i < count; i++) places[i] = (uint32_t)pattern_hybrid_place(i, a->n);
    return CHECK(clEnqueueWriteBuffer(r->k->queue, r->f->places, CL_TRUE, 0,
                                      count * sizeof *places, places, 0, NULL, NULL)
                 == CL_SUCCESS)
           && device_fill(r->k, a->buffer, a->at, a->n, r->c->d.key_type, &r->c->some, r->f->places,
                          count);
}

/* Puts arrays with their input on the device. */
static int write_arrays(large_run *r)
{
    const device_array *keys = &r->array[KEYS];
    int good = 1;
    size_t i;
    for (i = 0; i < SCRATCH; i++)
        if (r->array[i].n) good = good && device_clear(r->k, &r->array[i]);
    if (r->array[VALUES].n)
        good = good && device_count_up(r->k, r->array[VALUES].buffer, r->array[VALUES].at, keys->n);
    good = good
           && (r->c->from_host ? write_pattern(r)
                               : device_fill(r->k, keys->buffer, keys->at, keys->n,
                                             r->c->d.key_type, &r->c->keys, NULL, keys->n));
    return good && (!r->c->overlooked || write_sampled(r));
}

static int same_sums(const device_sums *a, const device_sums *b)
{
    return a->hash[0] == b->hash[0] && a->hash[1] == b->hash[1];
}

/* Takes the sums of the input, and a copy if the host compares. */
static int look_before(large_run *r)
{
    const device_array *a = &r->array[KEYS];
    if (!device_check(r->k, &r->d, r->values ? DEVICE_PLACES : 0, a, NULL, NULL, &r->before)
        || !device_check(r->k, &r->d, DEVICE_PLACES, a, NULL, NULL, &r->placed))
        return 0;
    if (!r->c->hosted) return 1;
    r->input = (unsigned char *)malloc(a->n * a->element);
    return CHECK(r->input != NULL)
           && CHECK(clEnqueueReadBuffer(r->k->queue, a->buffer, CL_TRUE, a->at * a->element,
                                        a->n * a->element, r->input, 0, NULL, NULL)
                    == CL_SUCCESS);
}

static int sort_arrays(large_run *r)
{
    return CHECK_OK(clsort_enqueue_sort(r->f->b.sorter, r->k->queue, &r->d, 0, NULL, NULL))
           && CHECK(clFinish(r->k->queue) == CL_SUCCESS);
}

/* What may be wrong with a result. */
static const char fault_order[] = "elements are in wrong order",
                  fault_elements[] = "the elements are not those of the input",
                  fault_indices[] = "indices or keys_out are wrong",
                  fault_guard[] = "a guard has changed",
                  fault_keys[] = "keys that are only read have changed",
                  fault_values[] = "values that are only read have changed";

/* What is wrong with the result; NULL if nothing is. */
static const char *find_fault(const large_run *r)
{
    const device_array *keys = &r->array[KEYS], *values = &r->array[VALUES];
    device_sums sums;
    size_t i;
    if (!device_check(r->k, &r->d, r->what, r->keys, r->values, &r->array[KEYS_OUT], &sums))
        return "the device fails";
    if (sums.wrong) return fault_indices;
    if (sums.disordered) return fault_order;
    if (!same_sums(&sums, &r->before)) return fault_elements;
    for (i = 0; i < ARRAYS; i++)
        if (r->array[i].n && device_guards_changed(r->k, &r->array[i])) return fault_guard;
    if (r->values && values->n && r->values != values && device_values_changed(r->k, values))
        return fault_values;
    if (r->keys == keys && !r->c->indices) return NULL;
    if (!device_check(r->k, &r->d, DEVICE_PLACES, keys, NULL, NULL, &sums))
        return "the device fails";
    return same_sums(&sums, &r->placed) ? NULL : fault_keys;
}

/* ---- a sort on the host ---------------------------------------------------------------------- */

typedef struct host_item { uint64_t code; uint32_t place; } host_item;

/* One pass of a stable sort, from the lowest digits; returns where the items are then. */
static host_item *host_pass(host_item *from, host_item *to, size_t n, unsigned bit)
{
    static size_t count[HOST_DIGITS + 1];
    const uint64_t digit = HOST_DIGITS - 1;
    size_t i;
    memset(count, 0, sizeof count);
    for (i = 0; i < n; i++) count[(from[i].code >> bit & digit) + 1]++;
    if (count[(from[0].code >> bit & digit) + 1] == n) return from;
    for (i = 1; i < HOST_DIGITS; i++) count[i] += count[i - 1];
    for (i = 0; i < n; i++) to[count[from[i].code >> bit & digit]++] = from[i];
    return to;
}

/* The code of a key of an array on the host. Two keys have the same one only if their bits are the
   same: neither NaNs nor zeros are equal here. */
static uint64_t host_code(const large_run *r, const unsigned char *keys, size_t i)
{
    const clsort_desc *d = &r->d;
    const size_t key = pattern_key_size(d->key_type);
    return reference_code(reference_bits(keys + i * key, key), d->key_type, d->order, d->nan_order,
                          d->zero_order);
}

/* An array of results; NULL if there is no memory or none such. */
static unsigned char *read_array(const large_run *r, const device_array *a)
{
    unsigned char *bytes = a && a->n ? (unsigned char *)malloc(a->n * a->element) : NULL;
    if (bytes
        && !CHECK(clEnqueueReadBuffer(r->k->queue, a->buffer, CL_TRUE, a->at * a->element,
                                      a->n * a->element, bytes, 0, NULL, NULL)
                  == CL_SUCCESS)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

/* Are keys and values those of sorted items? Of equal keys values may come in any order if the sort
   need not be stable. */
static int host_compares(const large_run *r, const host_item *items, const unsigned char *keys,
                         const uint32_t *values)
{
    const size_t n = r->c->d.count;
    size_t i;
    for (i = 0; i < n; i++) {
        if (keys && host_code(r, keys, i) != items[i].code) break;
        if (!values || values[i] == items[i].place) continue;
        if (r->c->d.stable || values[i] >= n) break;
        if (host_code(r, r->input, values[i]) != items[i].code) break;
    }
    if (!CHECK(i == n)) return 0;
    return !values || r->c->d.stable || CHECK(reference_is_permutation(values, n));
}

/* Compares with a sort on the host. */
static int host_agrees(const large_run *r)
{
    const size_t n = r->c->d.count, width = 8 * pattern_key_size(r->c->d.key_type);
    host_item *items = (host_item *)malloc(n * sizeof *items),
              *spare = (host_item *)malloc(n * sizeof *spare), *sorted = items;
    const device_array *out = r->c->indices ? &r->array[KEYS_OUT] : r->keys;
    unsigned char *keys = read_array(r, out), *values = read_array(r, r->values);
    int good = CHECK(items && spare && !keys == !out->n && !values == !r->values);
    size_t i;
    for (i = 0; good && i < n; i++) {
        items[i].code = host_code(r, r->input, i);
        items[i].place = (uint32_t)i;
    }
    for (i = 0; good && i < width; i += HOST_BITS)
        sorted = host_pass(sorted, sorted == items ? spare : items, n, (unsigned)i);
    good = good && host_compares(r, sorted, keys, (const uint32_t *)(const void *)values);
    free(items);
    free(spare);
    free(keys);
    free(values);
    return good;
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* Makes the arrays of a case, and sorts. */
static int start_run(large_run *r, const large_device *f, const large_case *c)
{
    memset(r, 0, sizeof *r);
    r->f = f;
    r->c = c;
    r->k = &f->kernels[pattern_key_size(c->d.key_type) == 8];
    set_arrays(r);
    describe(r);
    return give_scratch(r) && write_arrays(r) && look_before(r) && sort_arrays(r);
}

static void end_run(large_run *r)
{
    if (r->array[SCRATCH].buffer) clReleaseMemObject(r->array[SCRATCH].buffer);
    free(r->input);
}

static int run_case(large_device *f, const large_case *c)
{
    large_run r;
    int good;
    test_now.faults = 0;
    say_case(c);
    good = start_run(&r, f, c);
    if (good) {
        const char *fault = find_fault(&r);
        good = test_check(!fault, fault, __FILE__, __LINE__) && (!c->hosted || host_agrees(&r));
        f->hosted += c->hosted != 0;
    }
    end_run(&r);
    return good && !test_now.faults;
}

static void run_number(large_device *f, uint64_t number)
{
    const large_case c = draw_case(f, number);
    if (f->gpus[0]) f->b.sorter = f->gpus[(f->o->seed + number / BATCH) % PRETENDED_GPUS];
    f->cases++;
    if (run_case(f, &c)) return;
    f->wrong++;
    printf("  repeat it with: fuzz_large --seed %llu --case %llu --least %llu --most %llu\n",
           (unsigned long long)f->o->seed, (unsigned long long)number,
           (unsigned long long)f->o->least, (unsigned long long)f->most);
    fflush(stdout);
}

/* ---- do the checks see what is wrong? -------------------------------------------------------- */

/* Elements next to an array. */
enum { GUARD_BEFORE = -1000, GUARD_BEHIND };

/* A way to spoil a right result: element `from` is written over element `to`, or both are
   exchanged. Negative ones count from the end. */
typedef struct large_spoil {
    int indices, keys_out, stable;
    size_t array;
    long from, to;
    int exchange;
    const char *fault;
} large_spoil;

/* The first elements have equal keys, by twos; the last ones do not. */
static const large_spoil spoils[] = {
    { 0, 1, 1, KEYS_OUT, -2, -1, 1, fault_order },
    { 0, 0, 1, KEYS, -3, -1, 1, fault_order },
    { 0, 1, 1, VALUES_OUT, 0, 1, 1, fault_order },
    { 0, 1, 1, VALUES_OUT, -2, -1, 1, fault_elements },
    { 0, 1, 1, KEYS_OUT, -2, -1, 0, fault_elements },
    { 0, 1, 0, VALUES_OUT, 0, 1, 0, fault_elements },
    { 0, 1, 1, KEYS_OUT, -1, GUARD_BEHIND, 0, fault_guard },
    { 0, 1, 1, VALUES_OUT, 0, GUARD_BEFORE, 0, fault_guard },
    { 0, 1, 1, KEYS, 0, -1, 0, fault_keys },
    { 0, 1, 1, VALUES, 0, -1, 0, fault_values },
    { 1, 0, 1, VALUES_OUT, -2, -1, 1, fault_order },
    { 1, 0, 1, VALUES_OUT, 0, 1, 1, fault_order },
    { 1, 0, 0, VALUES_OUT, -2, -1, 0, fault_elements },
    { 1, 0, 1, VALUES_OUT, GUARD_BEHIND, -1, 0, fault_indices },
    { 1, 1, 1, KEYS_OUT, -2, -1, 1, fault_indices },
    { 1, 1, 1, KEYS, -1, 0, 0, fault_indices }
};

/* Byte of element `number` of an array. */
static size_t spoil_place(const device_array *a, long number)
{
    const size_t behind = number == GUARD_BEHIND ? a->n : number < 0 ? a->n - (size_t)-number
                                                                     : (size_t)number;
    return ((size_t)a->at + (number == GUARD_BEFORE ? (size_t)0 - 1 : behind)) * a->element;
}

static int spoil(const large_run *r, const large_spoil *how)
{
    const device_array *a = &r->array[how->array];
    const size_t from = spoil_place(a, how->from), to = spoil_place(a, how->to);
    unsigned char one[16], other[16];
    cl_command_queue q = r->k->queue;
    int good = clEnqueueReadBuffer(q, a->buffer, CL_TRUE, from, a->element, one, 0, NULL, NULL)
               == CL_SUCCESS;
    good &= clEnqueueReadBuffer(q, a->buffer, CL_TRUE, to, a->element, other, 0, NULL, NULL)
            == CL_SUCCESS;
    good &= clEnqueueWriteBuffer(q, a->buffer, CL_TRUE, to, a->element, one, 0, NULL, NULL)
            == CL_SUCCESS;
    if (how->exchange)
        good &= clEnqueueWriteBuffer(q, a->buffer, CL_TRUE, from, a->element, other, 0, NULL, NULL)
                == CL_SUCCESS;
    return CHECK(good);
}

/* Keys in two sorted runs of which the second is a 16th of all, and the first one's begin. */
static large_case plain_case(const large_spoil *how, cl_uint type, size_t n)
{
    large_case c;
    memset(&c, 0, sizeof c);
    c.d = clsort_desc_default();
    c.d.count = n;
    c.d.key_type = type;
    c.d.value_size = how->indices ? 0 : 4;
    c.d.stable = (cl_uint)how->stable;
    c.indices = how->indices;
    c.keys_out = how->keys_out;
    c.values_out = !how->indices && how->keys_out;
    c.hosted = 1;
    c.pattern = "runs";
    c.keys = device_recipe_make(DEVICE_RANKED, 1);
    c.keys.length = n - n / 16;
    return c;
}

/* Does the host see it, too? Guards and what is only read are none of its business. */
static int host_disagrees(const large_run *r, const char *fault)
{
    const int faults = test_now.faults;
    int agrees;
    if (fault == fault_guard || fault == fault_keys || fault == fault_values) return 1;
    if (r->array[KEYS].n && r->c->indices && r->c->keys_out) return 1;
    test_now.quiet = 1;
    agrees = host_agrees(r);
    test_now.quiet = 0;
    test_now.faults = faults;
    return !agrees;
}

/* Sorts, spoils the result, and looks. */
static void see_fault(large_device *f, const large_spoil *how, cl_uint type)
{
    const large_case c = plain_case(how, type, (size_t)1 << f->o->least);
    large_run r;
    AT("%s, array %zu, element %ld spoiled by %ld, to see: %s", case_type_name(type), how->array,
       how->to, how->from, how->fault);
    if (start_run(&r, f, &c)) {
        const char *found = find_fault(&r);
        test_check(!found, found, __FILE__, __LINE__);
        CHECK(host_agrees(&r));
        if (spoil(&r, how)) {
            found = find_fault(&r);
            test_check(found == how->fault, found ? found : "not seen", __FILE__, __LINE__);
            CHECK(host_disagrees(&r, how->fault));
        }
    }
    end_run(&r);
}

static int checks_see(large_device *f)
{
    size_t i;
    test_now.faults = 0;
    for (i = 0; i < sizeof spoils / sizeof *spoils; i++) {
        see_fault(f, &spoils[i], CLSORT_U32);
        see_fault(f, &spoils[i], CLSORT_F64);
    }
    return !test_now.faults;
}

/* ---- devices --------------------------------------------------------------------------------- */

/* Room for the longest arrays. */
static int make_room(large_device *f)
{
    const size_t most = ((size_t)1 << f->most) + 2 * DEVICE_GUARD + 8;
    size_t i;
    for (i = 0; i < SCRATCH; i++)
        f->buffer[i] = test_buffer(&f->b, most * (i < VALUES ? 8 : 4), NULL);
    f->places = test_buffer(&f->b, sizeof(cl_uint) << 14, NULL);
    return !test_now.faults && device_build(&f->b, 4, &f->kernels[0])
           && device_build(&f->b, 8, &f->kernels[1]);
}

/* With scratch memory, what is copied, and what drivers need a case takes up to 64 bytes per
   element. */
static int open_device(large_device *f)
{
    cl_ulong memory = 0;
    clGetDeviceInfo(f->b.session.info.id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    f->most = f->o->most;
    while (f->most > f->o->least && UINT64_C(64) << f->most > memory) f->most--;
    test_crossover_log2 = f->most < 26 ? 26 - (unsigned)f->most : 0;
    if (!make_room(f)) return 0;
    return !test_is_cpu(&f->b) || pretending_gpus(&f->b, f->gpus);
}

static void close_device(large_device *f)
{
    size_t i;
    for (i = 0; i < ARRAYS; i++)
        if (f->buffer[i]) clReleaseMemObject(f->buffer[i]);
    if (f->places) clReleaseMemObject(f->places);
    for (i = 0; i < 2; i++) device_release(&f->kernels[i]);
    for (i = 0; i < PRETENDED_GPUS; i++) clsort_destroy(f->gpus[i]);
    more_options = NULL;
}

static void run_device(large_device *f)
{
    const large_options *o = f->o;
    clsort_sorter *const own = f->b.sorter;
    const double start = test_seconds();
    uint64_t i;
    test_now.device = &f->b;
    test_now.name = "fuzz_large";
    if (!CHECK(open_device(f))) f->wrong++;
    else if (o->one) run_number(f, o->only);
    else f->wrong += !checks_see(f);
    for (i = 0;
         !o->one && i < o->cases && f->wrong < MOST_WRONG && test_seconds() - start < o->seconds;
         i++)
        run_number(f, i);
    close_device(f);
    f->b.sorter = own;
    printf("%llu cases, %llu of them on the host, too, in %.1f s\n", (unsigned long long)f->cases,
           (unsigned long long)f->hosted, test_seconds() - start);
}

/* ---- command line ---------------------------------------------------------------------------- */

/* A whole number in argument `text`; 0 if there is none. */
static int read_number(const char *text, uint64_t *number)
{
    char *end;
    if (!text || *text < '0' || *text > '9') return 0;
    *number = strtoull(text, &end, 10);
    return !*end;
}

static int read_options(int argc, char **argv, large_options *o)
{
    int i, cases = 0, seconds = 0;
    memset(o, 0, sizeof *o);
    o->seed = 1;
    o->cases = UINT64_MAX;
    o->least = 20;
    o->most = 26;
    for (i = 1; i < argc; i += 2) {
        uint64_t number;
        if (!read_number(i + 1 < argc ? argv[i + 1] : NULL, &number)) return 0;
        if (!strcmp(argv[i], "--seed")) o->seed = number;
        else if (!strcmp(argv[i], "--cases")) o->cases = number, cases = 1;
        else if (!strcmp(argv[i], "--seconds")) o->seconds = (double)number, seconds = 1;
        else if (!strcmp(argv[i], "--case")) o->only = number, o->one = 1;
        else if (!strcmp(argv[i], "--least")) o->least = number;
        else if (!strcmp(argv[i], "--most")) o->most = number;
        else return 0;
    }
    if (!seconds) o->seconds = cases ? 1e9 : 60;
    return o->least >= 5 && o->least <= o->most && o->most <= 30;
}

int main(int argc, char **argv)
{
    device_info list[DEVICE_MAX];
    large_options o;
    uint64_t cases = 0, wrong = 0;
    size_t devices, failed = 0, i;
    if (!read_options(argc, argv, &o)) {
        fprintf(stderr, "usage: fuzz_large [--seed S] [--cases N] [--seconds N] [--case K]"
                        " [--least L] [--most M], 5 <= L <= M <= 30\n");
        return 2;
    }
    devices = test_devices(list);
    for (i = 0; i < devices; i++) {
        large_device f;
        memset(&f, 0, sizeof f);
        f.o = &o;
        printf("device: %s, %s\n", list[i].platform_name, list[i].name);
        fflush(stdout);
        if (test_open(&list[i], &f.b)) run_device(&f);
        failed += f.wrong || !f.cases;
        cases += f.cases;
        wrong += f.wrong;
        test_close(&f.b);
    }
    if (!devices) printf("FAILED: no device to test\n"), devices = failed = 1;
    printf("%llu cases, %llu wrong\n%zu passed, %zu failed\n", (unsigned long long)cases,
           (unsigned long long)wrong, devices - failed, failed);
    return failed > 0;
}
