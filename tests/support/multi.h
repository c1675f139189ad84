/* multi.h - one call of clsort_sort_host_on against the host's order, byte for byte. Include it
   after clsort.h, with CLSORT_MULTI defined. */

#ifndef CLSORT_TESTS_MULTI_H
#define CLSORT_TESTS_MULTI_H

#include "cases.h"

enum { MULTI_GUARD = 64, MULTI_SORTERS = 3 };

/* What to sort and how. */
typedef struct multi_case {
    clsort_desc d;
    const char *pattern;        /* of keys; records are random bytes around them */
    uint64_t seed;              /* of keys */
    cl_uint pattern_type;       /* with fields: of what is filled in at key_at */
    size_t key_at;
    int argsort, out;           /* out: the result goes to other arrays */
    size_t memory;
    cl_uint transfer;
    cl_uint sorters;            /* how many */
    int work;                   /* the caller brings it */
} multi_case;

/* Arrays of a call, each between guards. */
enum { MULTI_KEYS, MULTI_VALUES, MULTI_KEYS_OUT, MULTI_VALUES_OUT, MULTI_INDICES, MULTI_WORK,
       MULTI_ARRAYS };

typedef struct multi_state {
    size_t bytes[MULTI_ARRAYS]; /* 0: not there */
    unsigned char *array[MULTI_ARRAYS], *before[MULTI_ARRAYS];  /* before: a copy */
    uint32_t *order;            /* the host's */
    clsort_share shares[MULTI_SORTERS];
    size_t element;
} multi_state;

static inline multi_case multi_make(cl_uint type, size_t n, const char *pattern)
{
    multi_case c;
    memset(&c, 0, sizeof c);
    c.d = clsort_desc_default();
    c.d.count = n;
    c.d.key_type = c.pattern_type = type;
    c.pattern = pattern;
    c.seed = 5;
    c.sorters = 1;
    return c;
}

/* A few elements in several chunks: floats by some of their bits, seldom by all, with every place
   of NaNs and zeros; with values, as records, argsorted. */
static inline multi_case multi_draw(uint64_t *random)
{
    static const cl_uint types[] = { CLSORT_F16, CLSORT_BF16, CLSORT_F32, CLSORT_F64 };
    static const char *const patterns[] = { "nans-10", "around-zero", "all-halves", "infinities",
                                            "uniform" };
    static const size_t sizes[] = { 0, 1, 8, 20 };
    const cl_uint type = types[draw(random, 4)], width = type & 0xFFu;
    const size_t n = 170 + draw(random, 2400);
    multi_case c = multi_make(type, n, patterns[draw(random, 5)]);
    c.seed = pattern_random(random);
    c.d.stable = 1;
    c.d.order = (cl_uint)draw(random, 2);
    c.d.nan_order = (cl_uint)draw(random, 3);
    c.d.zero_order = (cl_uint)draw(random, 2);
    if (draw(random, 8)) {
        c.d.first_bit = (cl_uint)draw(random, width);
        c.d.last_bit = c.d.first_bit + 1 + (cl_uint)draw(random, width - c.d.first_bit);
    }
    if (!draw(random, 5)) {
        c.d.key_offset = width / 8;
        c.d.record_size = 3 * c.d.key_offset;
    }
    c.argsort = !draw(random, 3);
    c.d.value_size = c.argsort ? 0 : sizes[draw(random, 4)];
    c.out = !draw(random, 3);
    c.transfer = 1 + (cl_uint)draw(random, 2);
    c.memory = 16000 + draw(random, n * (c.d.record_size + c.d.value_size + width / 8));
    return c;
}

static inline void multi_make_array(multi_state *t, int i, size_t bytes, uint64_t *random)
{
    size_t k;
    t->bytes[i] = bytes;
    if (!bytes) return;
    t->array[i] = (unsigned char *)malloc(bytes + 2 * MULTI_GUARD);
    t->before[i] = (unsigned char *)malloc(bytes + 2 * MULTI_GUARD);
    for (k = 0; k < bytes + 2 * MULTI_GUARD; k++)
        t->array[i][k] = (unsigned char)(pattern_random(random) >> 56);
    t->array[i] += MULTI_GUARD;
    t->before[i] += MULTI_GUARD;
}

static inline void multi_copy_array(multi_state *t, int i)
{
    if (t->bytes[i])
        memcpy(t->before[i] - MULTI_GUARD, t->array[i] - MULTI_GUARD,
               t->bytes[i] + 2 * MULTI_GUARD);
}

/* Makes the arrays, and the order that they must get. */
static inline int multi_begin(const multi_case *c, multi_state *t)
{
    const size_t n = c->d.count, key = pattern_key_size(c->pattern_type),
                 at = c->d.fields ? c->key_at : c->d.key_offset;
    uint64_t random = 7, *codes = (uint64_t *)malloc(n * sizeof *codes + 1);
    unsigned char *keys = (unsigned char *)malloc(n * key + 1);
    size_t i;
    int done;
    memset(t, 0, sizeof *t);
    t->element = c->d.record_size ? c->d.record_size : key;
    multi_make_array(t, MULTI_KEYS, n * t->element, &random);
    multi_make_array(t, MULTI_VALUES, n * c->d.value_size, &random);
    multi_make_array(t, MULTI_KEYS_OUT, c->out ? n * t->element : 0, &random);
    multi_make_array(t, MULTI_VALUES_OUT, c->out ? n * c->d.value_size : 0, &random);
    multi_make_array(t, MULTI_INDICES, c->argsort ? n * 8 : 0, &random);
    multi_make_array(t, MULTI_WORK,
                     c->work ? (n * t->element + 15) / 16 * 16
                                   + n * (c->argsort ? 8 : c->d.value_size) : 0, &random);
    pattern_fill(pattern_find(c->pattern), c->pattern_type, n, c->seed, 256, keys);
    for (i = 0; i < n; i++)
        memcpy(t->array[MULTI_KEYS] + i * t->element + at, keys + i * key, key);
    t->order = (uint32_t *)malloc(n * sizeof *t->order + 1);
    done = !c->d.fields || reference_record_codes(t->array[MULTI_KEYS], n, &c->d, codes);
    if (!c->d.fields) reference_codes(keys, key, n, &c->d, codes);
    done = done && reference_argsort(codes, n, t->order);
    for (i = 0; i < MULTI_ARRAYS; i++) multi_copy_array(t, (int)i);
    free(keys);
    free(codes);
    return done;
}

static inline void multi_end(multi_state *t)
{
    int i;
    for (i = 0; i < MULTI_ARRAYS; i++) {
        if (!t->bytes[i]) continue;
        free(t->array[i] - MULTI_GUARD);
        free(t->before[i] - MULTI_GUARD);
    }
    free(t->order);
}

static inline clsort_status multi_call(const multi_case *c, multi_state *t,
                                       clsort_sorter *const *sorters)
{
    clsort_multi_desc m = clsort_multi_desc_default();
    m.sort = &c->d;
    m.keys = t->array[MULTI_KEYS];
    m.values = t->array[MULTI_VALUES];
    m.keys_out = t->array[MULTI_KEYS_OUT];
    m.values_out = t->array[MULTI_VALUES_OUT];
    m.indices = (cl_ulong *)(void *)t->array[MULTI_INDICES];
    m.work = t->array[MULTI_WORK];
    m.work_size = t->bytes[MULTI_WORK];
    m.device_memory = c->memory;
    m.transfer = c->transfer;
    m.shares = t->shares;
    return clsort_sort_host_on(sorters, c->sorters, &m);
}

/* Do arrays `to` hold the elements of `from` in the host's order? */
static inline int multi_is_sorted(const multi_state *t, int from, int to, size_t n, size_t size)
{
    size_t i;
    for (i = 0; size && i < n; i++)
        if (memcmp(t->array[to] + i * size, t->before[from] + t->order[i] * size, size)) return 0;
    return 1;
}

static inline int multi_is_untouched(const multi_state *t, int i)
{
    return !t->bytes[i] || !memcmp(t->array[i], t->before[i], t->bytes[i]);
}

static inline int multi_keeps_guards(const multi_state *t)
{
    int i, good = 1;
    for (i = 0; i < MULTI_ARRAYS; i++)
        if (t->bytes[i])
            good = good && !memcmp(t->array[i] - MULTI_GUARD, t->before[i] - MULTI_GUARD,
                                   MULTI_GUARD)
                   && !memcmp(t->array[i] + t->bytes[i], t->before[i] + t->bytes[i], MULTI_GUARD);
    return good;
}

/* Is the result right, and everything else as it was? */
static inline int multi_check_result(const multi_case *c, const multi_state *t)
{
    const size_t n = c->d.count;
    const int keys_to = c->out ? MULTI_KEYS_OUT : MULTI_KEYS,
              values_to = c->out ? MULTI_VALUES_OUT : MULTI_VALUES;
    const cl_ulong *indices = (const cl_ulong *)(const void *)t->array[MULTI_INDICES];
    size_t i;
    int good = CHECK(multi_keeps_guards(t));
    if (c->out || c->argsort) good = CHECK(multi_is_untouched(t, MULTI_KEYS)) && good;
    if (c->out || c->argsort) good = CHECK(multi_is_untouched(t, MULTI_VALUES)) && good;
    if (!c->argsort || c->out)
        good = CHECK(multi_is_sorted(t, MULTI_KEYS, keys_to, n, t->element)) && good;
    if (!c->argsort)
        good = CHECK(multi_is_sorted(t, MULTI_VALUES, values_to, n, c->d.value_size)) && good;
    for (i = 0; c->argsort && i < n && good; i++) good = CHECK(indices[i] == t->order[i]);
    return good;
}

static inline int multi_compare_hash(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* A number for each element with its value, in ascending order. */
static inline uint64_t *multi_hashes(const multi_case *c, const multi_state *t,
                                     unsigned char *const *arrays)
{
    const size_t n = c->d.count, sizes[2] = { t->element, c->d.value_size };
    uint64_t *hashes = (uint64_t *)malloc(n * sizeof *hashes + 1);
    size_t i, a, k;
    for (i = 0; i < n; i++) {
        hashes[i] = 1;
        for (a = 0; a < 2; a++)
            for (k = 0; k < sizes[a]; k++) {
                hashes[i] ^= arrays[a][i * sizes[a] + k];
                pattern_random(&hashes[i]);
                hashes[i] *= UINT64_C(0x100000001B3);
            }
    }
    qsort(hashes, n, sizeof *hashes, multi_compare_hash);
    return hashes;
}

/* After a failure: is every element still there, with its value? */
static inline int multi_check_kept(const multi_case *c, const multi_state *t)
{
    uint64_t *before, *after;
    int good = CHECK(multi_keeps_guards(t));
    if (c->out || c->argsort)
        return CHECK(multi_is_untouched(t, MULTI_KEYS) && multi_is_untouched(t, MULTI_VALUES))
               && good;
    before = multi_hashes(c, t, t->before);
    after = multi_hashes(c, t, t->array);
    good = CHECK(!memcmp(before, after, c->d.count * sizeof *before)) && good;
    free(before);
    free(after);
    return good;
}

static inline cl_uint multi_jobs(const multi_state *t)
{
    return t->shares[0].jobs + t->shares[1].jobs + t->shares[2].jobs;
}

/* Runs a case that must be sorted. Returns the number of jobs; 0 after a failed check. */
static inline cl_uint multi_run(const multi_case *c, clsort_sorter *const *sorters)
{
    multi_state t;
    int good;
    AT("%zu %s, %s, seed %llu, %s, bits %u to %u, nan_order %u, zero_order %u, values of %zu, "
       "records of %zu, %zu bytes of device memory%s%s, transfer %d, %u sorters", c->d.count,
       case_type_name(c->pattern_type), c->pattern, (unsigned long long)c->seed,
       c->d.order ? "descending" : "ascending", (unsigned)c->d.first_bit, (unsigned)c->d.last_bit,
       (unsigned)c->d.nan_order, (unsigned)c->d.zero_order, c->d.value_size, c->d.record_size,
       c->memory, c->argsort ? ", argsort" : "", c->out ? ", into other arrays" : "",
       (int)c->transfer, (unsigned)c->sorters);
    good = CHECK(multi_begin(c, &t)) && CHECK_OK(multi_call(c, &t, sorters))
           && multi_check_result(c, &t);
    multi_end(&t);
    return good ? multi_jobs(&t) : 0;
}

#endif
