/* multi.h - one call of clsort_sort_host_on against the host's order, byte for byte. It includes
   clsort_multi.h. */

#ifndef CLSORT_TESTS_MULTI_H
#define CLSORT_TESTS_MULTI_H

#include "cases.h"
#include "../../tools/multi/clsort_multi.h"

enum { MULTI_SORTERS = 3 };

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

/* Arrays of a call. */
enum { MULTI_KEYS, MULTI_VALUES, MULTI_KEYS_OUT, MULTI_VALUES_OUT, MULTI_INDICES, MULTI_WORK };

typedef struct multi_state {
    image image;                /* the call gets what is `now` */
    uint32_t *order;            /* the host's */
    clsort_share shares[MULTI_SORTERS];
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

/* Device memory for two jobs of a few elements, whatever tables a device's forms of radix need. */
static inline size_t multi_least(clsort_sorter *s, clsort_desc d)
{
    size_t scratch = 0;
    d.count = 1;
    CHECK_OK(clsort_scratch_size(s, &d, &scratch));
    return 2 * scratch + 16000;
}

/* A few elements in several chunks: floats by some of their bits, seldom by all, with every place
   of NaNs and zeros; with values, as records, argsorted. */
static inline multi_case multi_draw(clsort_sorter *s, uint64_t *random)
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
    c.memory = multi_least(s, c.d)
               + draw(random, n * (c.d.record_size + c.d.value_size + width / 8));
    return c;
}

static inline void multi_add(multi_state *t, size_t array, size_t element, size_t count)
{
    image_add(&t->image, array, count ? element : 0, count * element, 1);
}

/* Makes the arrays, and the order that they must get. */
static inline int multi_begin(const multi_case *c, multi_state *t)
{
    const size_t n = c->d.count, key = pattern_key_size(c->pattern_type),
                 element = c->d.record_size ? c->d.record_size : key, value = c->d.value_size,
                 at = c->d.fields ? c->key_at : c->d.key_offset, out = c->out ? n : 0;
    uint64_t *codes = (uint64_t *)malloc(n * sizeof *codes + 1);
    image *m = &t->image;
    int done;
    memset(t, 0, sizeof *t);
    multi_add(t, MULTI_KEYS, element, n);
    multi_add(t, MULTI_VALUES, value, n);
    multi_add(t, MULTI_KEYS_OUT, element, out);
    multi_add(t, MULTI_VALUES_OUT, value, out);
    multi_add(t, MULTI_INDICES, 8, c->argsort ? n : 0);
    image_add(m, MULTI_WORK, c->work ? 16 : 0,
              (n * element + 15) / 16 * 16 + n * (c->argsort ? 8 : value), 0);
    t->order = (uint32_t *)malloc(n * sizeof *t->order + 1);
    done = codes && t->order && image_make(m, 7)
           && image_fill(m, MULTI_KEYS, 0, n, at, c->pattern_type, c->pattern, c->seed, 256)
           && image_codes(m, MULTI_KEYS, 0, n, &c->d, codes)
           && reference_argsort(codes, n, t->order);
    if (done) image_begin(m);
    free(codes);
    return done;
}

static inline void multi_end(multi_state *t)
{
    image_release(&t->image);
    free(t->order);
}

/* An array as the call gets it, NULL if there is none. */
static inline void *multi_array(const multi_state *t, size_t array)
{
    return t->image.array[array].element ? image_at(&t->image, t->image.now, array, 0) : NULL;
}

static inline clsort_status multi_call(const multi_case *c, multi_state *t,
                                       clsort_sorter *const *sorters)
{
    clsort_multi_desc m = clsort_multi_desc_default();
    m.sort = &c->d;
    m.keys = multi_array(t, MULTI_KEYS);
    m.values = multi_array(t, MULTI_VALUES);
    m.keys_out = multi_array(t, MULTI_KEYS_OUT);
    m.values_out = multi_array(t, MULTI_VALUES_OUT);
    m.indices = (cl_ulong *)multi_array(t, MULTI_INDICES);
    m.work = multi_array(t, MULTI_WORK);
    m.work_size = t->image.array[MULTI_WORK].size;
    m.device_memory = c->memory;
    m.transfer = c->transfer;
    m.shares = t->shares;
    return clsort_sort_host_on(sorters, c->sorters, &m);
}

/* Is the result right, and everything else as it was? Work may hold anything. */
static inline int multi_check_result(const multi_case *c, const multi_state *t)
{
    const image *m = &t->image;
    const size_t n = c->d.count;
    size_t i;
    memcpy(m->want, m->was, m->bytes);
    if (!c->argsort || c->out)
        image_move(m, MULTI_KEYS, c->out ? MULTI_KEYS_OUT : MULTI_KEYS, t->order, n);
    if (!c->argsort)
        image_move(m, MULTI_VALUES, c->out ? MULTI_VALUES_OUT : MULTI_VALUES, t->order, n);
    for (i = 0; c->argsort && i < n; i++) {
        const cl_ulong index = t->order[i];
        memcpy(image_at(m, m->want, MULTI_INDICES, i), &index, sizeof index);
    }
    image_forgive(m, MULTI_WORK, m->array[MULTI_WORK].size);
    return image_is_right(m);
}

/* After a failure: is every element still there, with its value? */
static inline int multi_check_kept(const multi_case *c, const multi_state *t)
{
    const image *m = &t->image;
    const int good = image_keeps_guards(m);
    if (c->out || c->argsort)
        return CHECK(image_untouched(m, MULTI_KEYS) && image_untouched(m, MULTI_VALUES)) && good;
    return image_pairs_kept(m, MULTI_KEYS, MULTI_VALUES, c->d.count) && good;
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
    AT("%zu %s, %zu bytes of device memory%s%s, transfer %d, %u sorters", c->d.count,
       case_words(&c->d, c->pattern_type, c->pattern, c->seed), c->memory,
       c->argsort ? ", argsort" : "", c->out ? ", into other arrays" : "", (int)c->transfer,
       (unsigned)c->sorters);
    good = CHECK(multi_begin(c, &t)) && CHECK_OK(multi_call(c, &t, sorters))
           && multi_check_result(c, &t);
    multi_end(&t);
    return good ? multi_jobs(&t) : 0;
}

#endif
