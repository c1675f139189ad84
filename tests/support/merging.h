/* merging.h - one clsort_enqueue_merge, checked byte for byte, guards included, against a stable
   merge on the host. */

#ifndef CLSORT_TESTS_MERGING_H
#define CLSORT_TESTS_MERGING_H

#include "cases.h"

enum { MERGING_GUARD = 127 };

typedef struct merging_case {
    clsort_merge_desc d;       /* counts, types, tuning; buffers are filled in */
    const char *pattern;
    uint64_t seed;
    size_t shift;              /* elements more before each range */
    int unsorted;              /* the inputs are left as they are: only the guards and the inputs
                                  are checked */
    int wait;                  /* CASE_WAIT_NONE ... */
    cl_command_queue queue;    /* NULL: the bench's */
} merging_case;

/* Keys and values of a, b and the output, each with guards. */
enum { MERGING_A, MERGING_B, MERGING_OUT, MERGING_ARRAYS = 6 };

typedef struct merging_state {
    const merging_case *c;
    const bench *b;
    clsort_merge_desc d;
    size_t count[3], first, size[MERGING_ARRAYS], bytes[MERGING_ARRAYS];
    unsigned char *before[MERGING_ARRAYS], *after, *want[2];
    cl_mem buffer[MERGING_ARRAYS];
} merging_state;

static inline merging_case merging_make(cl_uint type, size_t count_a, size_t count_b,
                                        size_t value_size)
{
    merging_case c;
    memset(&c, 0, sizeof c);
    c.d = clsort_merge_desc_default();
    c.d.key_type = type;
    c.d.count_a = count_a;
    c.d.count_b = count_b;
    c.d.value_size = value_size;
    c.pattern = "mod-16";
    c.seed = 1 + count_a + 3 * count_b;
    return c;
}

static inline void merging_say(const merging_case *c)
{
    const clsort_merge_desc *d = &c->d;
    AT("%zu and %zu keys, %s, %s, %s%s, value_size %zu, seed %llu, shift %zu%s, work_group %u, "
       "items %u, wait %d, %s queue",
       d->count_a, d->count_b, case_type_name(d->key_type), c->pattern,
       d->order ? "descending" : "ascending", d->nan_order ? ", NaNs last" : "", d->value_size,
       (unsigned long long)c->seed, c->shift, c->unsorted ? ", unsorted" : "",
       (unsigned)d->tuning.work_group, (unsigned)d->tuning.items, c->wait,
       c->queue ? "other" : "first");
}

static inline unsigned char *merging_at(merging_state *s, size_t array, size_t i)
{
    return s->before[array] + (s->first + i) * s->size[array];
}

/* Codes of the keys of an image. */
static inline void merging_codes(merging_state *s, const unsigned char *keys, size_t n,
                                 uint64_t *codes)
{
    clsort_desc d = clsort_desc_default();
    d.key_type = s->d.key_type;
    d.order = s->d.order;
    d.nan_order = s->d.nan_order;
    reference_codes(keys, s->size[0], n, &d, codes);
}

/* Fills input k with a pattern, in order unless the case says otherwise. */
static inline int merging_fill(merging_state *s, size_t k)
{
    const size_t n = s->count[k], bytes = s->size[k];
    unsigned char *keys = (unsigned char *)malloc(n * bytes + 1);
    uint64_t *codes = (uint64_t *)malloc(n * 8 + 1);
    uint32_t *order = (uint32_t *)malloc(n * 4 + 1);
    size_t i;
    int good = CHECK(keys && codes && order);
    if (good) {
        pattern_fill(pattern_find(s->c->pattern), s->d.key_type, n, s->c->seed + k, 16, keys);
        merging_codes(s, keys, n, codes);
        for (i = 0; i < n; i++) order[i] = (uint32_t)i;
        good = s->c->unsorted || CHECK(reference_argsort(codes, n, order));
        for (i = 0; good && i < n; i++) memcpy(merging_at(s, k, i), keys + order[i] * bytes, bytes);
    }
    free(keys);
    free(codes);
    free(order);
    return good;
}

static inline int merging_open(merging_state *s)
{
    const merging_case *c = s->c;
    uint64_t noise = c->seed;
    size_t k, i;
    cl_int error = CL_SUCCESS;
    cl_mem_flags access;
    s->count[0] = c->d.count_a;
    s->count[1] = c->d.count_b;
    s->count[2] = c->d.count_a + c->d.count_b;
    s->first = MERGING_GUARD + c->shift;
    for (k = 0; k < MERGING_ARRAYS && error == CL_SUCCESS; k++) {
        s->size[k] = k < 3 ? pattern_key_size(c->d.key_type) : c->d.value_size;
        s->bytes[k] = s->size[k] * (s->first + s->count[k % 3] + MERGING_GUARD);
        s->before[k] = (unsigned char *)malloc(s->bytes[k] + 8);
        if (!CHECK(s->before[k] != NULL)) return 0;
        for (i = 0; i < s->bytes[k]; i++)
            s->before[k][i] = (unsigned char)(pattern_random(&noise) >> 40);
        if (k < 2 && !merging_fill(s, k)) return 0;
        access = k % 3 == 2 ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
        if (s->size[k])
            s->buffer[k] = clCreateBuffer(s->b->session.context, access | CL_MEM_COPY_HOST_PTR,
                                          s->bytes[k], s->before[k], &error);
    }
    s->after = (unsigned char *)malloc(s->bytes[2] + s->bytes[5] + 1);
    s->want[0] = (unsigned char *)malloc(s->bytes[2] + 1);
    s->want[1] = (unsigned char *)malloc(s->bytes[5] + 1);
    return CHECK(error == CL_SUCCESS) && CHECK(s->after && s->want[0] && s->want[1]);
}

static inline void merging_close(merging_state *s)
{
    size_t k;
    for (k = 0; k < MERGING_ARRAYS; k++) {
        if (s->buffer[k]) clReleaseMemObject(s->buffer[k]);
        free(s->before[k]);
    }
    free(s->after);
    free(s->want[0]);
    free(s->want[1]);
}

static inline void merging_describe(merging_state *s)
{
    clsort_merge_desc *d = &s->d;
    d->keys_a = s->buffer[0];
    d->keys_b = s->buffer[1];
    d->keys_out = s->buffer[2];
    d->values_a = s->buffer[3];
    d->values_b = s->buffer[4];
    d->values_out = s->buffer[5];
    d->keys_a_offset = d->keys_b_offset = d->keys_out_offset = s->first * s->size[0];
    d->values_a_offset = d->values_b_offset = d->values_out_offset = s->first * s->size[3];
}

/* The images of the outputs as they must be. */
static inline int merging_expect(merging_state *s)
{
    uint64_t *codes = (uint64_t *)malloc((s->count[2] + 1) * 8);
    size_t a = 0, b = 0, i;
    if (!CHECK(codes != NULL)) return 0;
    merging_codes(s, merging_at(s, 0, 0), s->count[0], codes);
    merging_codes(s, merging_at(s, 1, 0), s->count[1], codes + s->count[0]);
    memcpy(s->want[0], s->before[2], s->bytes[2]);
    if (s->size[5]) memcpy(s->want[1], s->before[5], s->bytes[5]);
    for (i = 0; i < s->count[2]; i++) {
        const int second = a == s->count[0]
                           || (b < s->count[1] && codes[s->count[0] + b] < codes[a]);
        const size_t from = second ? b++ : a++;
        memcpy(s->want[0] + (s->first + i) * s->size[0], merging_at(s, second ? 1 : 0, from),
               s->size[0]);
        if (s->size[3])
            memcpy(s->want[1] + (s->first + i) * s->size[3], merging_at(s, second ? 4 : 3, from),
                   s->size[3]);
    }
    free(codes);
    return 1;
}

static inline int merging_inputs_intact(merging_state *s, cl_command_queue queue, size_t k)
{
    unsigned char *now = (unsigned char *)malloc(s->bytes[k] + 1);
    int good = CHECK(now
                     && clEnqueueReadBuffer(queue, s->buffer[k], CL_TRUE, 0, s->bytes[k], now, 0,
                                            NULL, NULL)
                            == CL_SUCCESS)
               && CHECK(!memcmp(now, s->before[k], s->bytes[k]));
    free(now);
    return good;
}

/* One output: the whole image; of unsorted inputs only the guards. */
static inline int merging_check_output(merging_state *s, cl_command_queue queue, size_t k)
{
    const size_t begin = s->first * s->size[k], end = begin + s->count[2] * s->size[k];
    if (!CHECK(clEnqueueReadBuffer(queue, s->buffer[k], CL_TRUE, 0, s->bytes[k], s->after, 0, NULL,
                                   NULL)
               == CL_SUCCESS))
        return 0;
    if (!s->c->unsorted) return CHECK(!memcmp(s->after, s->want[k / 3], s->bytes[k]));
    return CHECK(!memcmp(s->after, s->before[k], begin))
           && CHECK(!memcmp(s->after + end, s->before[k] + end, s->bytes[k] - end));
}

static inline int merging_enqueue(merging_state *s, cl_command_queue queue)
{
    sort_case waits;
    cl_event done = NULL, wait[2];
    cl_uint n_wait = s->c->wait ? 2 : 0, i;
    int good;
    memset(&waits, 0, sizeof waits);
    waits.wait = s->c->wait;
    good = case_waits(&waits, s->b, wait);
    good = good
           && CHECK_OK(clsort_enqueue_merge(s->b->sorter, queue, &s->d, n_wait,
                                            n_wait ? wait : NULL, &done));
    if (s->c->wait == CASE_WAIT_LATER) clSetUserEventStatus(wait[1], CL_COMPLETE);
    good = good && case_finish(&waits, queue, done);
    for (i = 0; i < 2; i++)
        if (wait[i]) clReleaseEvent(wait[i]);
    return good;
}

static inline int merging_run(const bench *b, const merging_case *c)
{
    cl_command_queue queue = c->queue ? c->queue : b->session.queue;
    merging_state s;
    size_t k;
    int good;
    memset(&s, 0, sizeof s);
    s.c = c;
    s.b = b;
    s.d = c->d;
    merging_say(c);
    good = merging_open(&s);
    if (good) merging_describe(&s);
    good = good && merging_expect(&s) && merging_enqueue(&s, queue);
    for (k = 0; k < MERGING_ARRAYS && good; k++)
        if (s.size[k])
            good = k % 3 == 2 ? merging_check_output(&s, queue, k)
                              : merging_inputs_intact(&s, queue, k);
    merging_close(&s);
    return good;
}

#endif
