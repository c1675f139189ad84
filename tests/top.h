/* top.h - one clsort_enqueue_sort with top_k, checked byte for byte, guards included, against a
   stable sort of each row on the host. */

#ifndef CLSORT_TESTS_TOP_H
#define CLSORT_TESTS_TOP_H

#include "cases.h"

enum { TOP_KEYS = 1, TOP_INDICES = 2, TOP_VALUES = 4 };   /* outputs */
enum { TOP_GUARD = 96, TOP_SEALED = 0xA5 };

typedef struct top_case {
    clsort_desc d;             /* count, rows, top_k, types, flags, value_size, tuning; buffers are
                                  filled in */
    const char *pattern;
    uint64_t seed;
    size_t gap;                /* elements between rows */
    int outputs;               /* TOP_KEYS | TOP_INDICES | TOP_VALUES */
    int scratch;               /* the caller's scratch, exactly as much as asked for */
    size_t poisoned;           /* of so many elements four have the byte `poison`; 0: none */
    int poison, twice;         /* twice: four in the middle, too */
    int wait;                  /* CASE_WAIT_NONE or CASE_WAIT_LATER */
    cl_command_queue queue;    /* NULL: the bench's */
} top_case;

/* What is read, and what is written; each lies between guards. */
enum {
    TOP_FROM_KEYS,
    TOP_FROM_VALUES,
    TOP_TO_KEYS,
    TOP_TO_INDICES,
    TOP_TO_VALUES,
    TOP_SCRATCH,
    TOP_ARRAYS
};

typedef struct top_state {
    const top_case *c;
    clsort_desc d;
    size_t rows, stride, wanted, bytes[TOP_ARRAYS];   /* stride: elements between rows */
    unsigned char *image[TOP_ARRAYS];
    cl_mem buffer[TOP_ARRAYS];
} top_state;

static inline top_case top_make(cl_uint type, size_t rows, size_t count, size_t k)
{
    top_case c;
    memset(&c, 0, sizeof c);
    c.d = clsort_desc_default();
    c.d.key_type = type;
    c.d.rows = rows;
    c.d.count = count;
    c.d.top_k = k;
    c.pattern = "uniform";
    c.seed = 1 + count + 3 * rows + 7 * k;
    c.outputs = TOP_KEYS | TOP_INDICES;
    return c;
}

static inline void top_say(const top_case *c)
{
    const clsort_desc *d = &c->d;
    AT("top %zu of %zu rows of %zu keys, %s, %s, %s%s%s, bits %u to %u, gap %zu, flags %u, outputs "
       "%d, value_size %zu, seed %llu, work_group %u%s, wait %d, poison %d in %zu %s",
       d->top_k, d->rows, d->count, case_type_name(d->key_type), c->pattern,
       d->order ? "descending" : "ascending", d->nan_order ? ", NaNs last" : "",
       d->zero_order ? ", equal zeros" : "", (unsigned)d->first_bit, (unsigned)d->last_bit, c->gap,
       (unsigned)d->flags, c->outputs, d->value_size, (unsigned long long)c->seed,
       (unsigned)d->tuning.work_group, c->scratch ? ", scratch given" : "", c->wait, c->poison,
       c->poisoned, c->twice ? "twice" : "once");
}

/* Puts the poison where a sample looks. */
static inline void top_poison(top_state *s)
{
    const size_t key = pattern_key_size(s->d.key_type), apart = s->c->poisoned;
    size_t row, i;
    for (row = 0; row < (apart ? s->rows : 0); row++)
        for (i = 0; i < s->d.count; i++)
            if (i % apart < 4 || (s->c->twice && i % apart - apart / 2 < 4))
                memset(s->image[TOP_FROM_KEYS] + TOP_GUARD + (row * s->stride + i) * key,
                       s->c->poison, key);
}

/* Sizes, images of all arrays, and the input. Rows are filled one by one, so that "sorted" is
   sorted in each. */
static inline int top_fill(top_state *s)
{
    const size_t key = pattern_key_size(s->d.key_type),
                 elements = (s->rows - 1) * s->stride + s->d.count, results = s->rows * s->wanted;
    const size_t sizes[TOP_ARRAYS] = {
        elements * key, elements * s->d.value_size, results * key,
        results * 4,    results * s->d.value_size,  s->d.scratch_size
    };
    size_t a, i;
    for (a = 0; a < TOP_ARRAYS; a++) {
        s->bytes[a] = sizes[a];
        s->image[a] = (unsigned char *)malloc(sizes[a] + 2 * TOP_GUARD);
        if (!CHECK(s->image[a] != NULL)) return 0;
        memset(s->image[a], TOP_SEALED, sizes[a] + 2 * TOP_GUARD);
    }
    for (i = 0; i < s->rows; i++)
        pattern_fill(pattern_find(s->c->pattern), s->d.key_type, s->d.count, s->c->seed + i, 0,
                     s->image[TOP_FROM_KEYS] + TOP_GUARD + i * s->stride * key);
    top_poison(s);
    for (i = 0; i < s->bytes[TOP_FROM_VALUES]; i++)
        s->image[TOP_FROM_VALUES][TOP_GUARD + i] = (unsigned char)(i * 2654435761u >> 13);
    return 1;
}

static inline int top_upload(top_state *s, const bench *b)
{
    size_t a;
    cl_int error = CL_SUCCESS;
    for (a = 0; a < TOP_ARRAYS && error == CL_SUCCESS; a++)
        s->buffer[a] = clCreateBuffer(
            b->session.context,
            CL_MEM_COPY_HOST_PTR | (a < TOP_TO_KEYS ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE),
            s->bytes[a] + 2 * TOP_GUARD, s->image[a], &error);
    if (!CHECK(error == CL_SUCCESS)) return 0;
    s->d.keys = s->buffer[TOP_FROM_KEYS];
    s->d.keys_offset = TOP_GUARD;
    if (s->d.value_size) s->d.values = s->buffer[TOP_FROM_VALUES], s->d.values_offset = TOP_GUARD;
    if (s->c->outputs & TOP_KEYS)
        s->d.keys_out = s->buffer[TOP_TO_KEYS], s->d.keys_out_offset = TOP_GUARD;
    if (s->c->outputs & TOP_INDICES)
        s->d.indices = s->buffer[TOP_TO_INDICES], s->d.indices_offset = TOP_GUARD;
    if (s->c->outputs & TOP_VALUES)
        s->d.values_out = s->buffer[TOP_TO_VALUES], s->d.values_out_offset = TOP_GUARD;
    if (s->c->scratch) s->d.scratch = s->buffer[TOP_SCRATCH], s->d.scratch_offset = TOP_GUARD;
    return 1;
}

/* Enqueues behind the event of the case, waits, and checks that nothing ran before it. */
static inline int top_enqueue(top_state *s, const bench *b)
{
    const cl_command_queue queue = s->c->queue ? s->c->queue : b->session.queue;
    cl_event wait = NULL, done = NULL;
    cl_int state = CL_COMPLETE;
    int good;
    if (s->c->wait) wait = clCreateUserEvent(b->session.context, NULL);
    good = CHECK_OK(
        clsort_enqueue_sort(b->sorter, queue, &s->d, wait ? 1 : 0, wait ? &wait : NULL, &done));
    if (wait && good) {
        /* which runs commands there, and waits */
        if (!device_name_holds(b->session.info.platform_name, "Oclgrind")) clFlush(queue);
        clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
        good = CHECK(state != CL_COMPLETE);
    }
    if (wait) clSetUserEventStatus(wait, CL_COMPLETE), clReleaseEvent(wait);
    if (!good) return 0;
    good = CHECK(clWaitForEvents(1, &done) == CL_SUCCESS);
    clReleaseEvent(done);
    return good;
}

static inline int top_by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Writes into the images what row `row` must give. With an order of the device's own, `got` holds
   the indices that it chose: they must be the right ones, in any order. */
static inline int top_expect(top_state *s, size_t row, uint64_t *codes, uint32_t *order,
                             const uint32_t *got)
{
    const size_t key = pattern_key_size(s->d.key_type), value = s->d.value_size,
                 first = row * s->stride;
    const unsigned char *keys = s->image[TOP_FROM_KEYS] + TOP_GUARD,
                        *values = s->image[TOP_FROM_VALUES] + TOP_GUARD;
    size_t i;
    reference_codes(keys + first * key, key, s->d.count, &s->d, codes);
    if (!CHECK(reference_argsort(codes, s->d.count, order))) return 0;
    if (s->d.flags & CLSORT_FLAG_TOP_NTH) order[0] = order[s->d.top_k - 1];
    if (got) {
        uint32_t *sorted = (uint32_t *)malloc(s->wanted * 4);
        if (!CHECK(sorted != NULL)) return 0;
        memcpy(sorted, got, s->wanted * 4);
        qsort(sorted, s->wanted, 4, top_by_number);
        qsort(order, s->wanted, 4, top_by_number);
        i = (size_t)memcmp(sorted, order, s->wanted * 4);
        memcpy(order, got, s->wanted * 4);
        free(sorted);
        if (!CHECK(i == 0)) return 0;
    }
    for (i = 0; i < s->wanted; i++) {
        const size_t to = row * s->wanted + i, from = first + order[i];
        if (s->d.keys_out)
            memcpy(s->image[TOP_TO_KEYS] + TOP_GUARD + to * key, keys + from * key, key);
        if (s->d.indices) memcpy(s->image[TOP_TO_INDICES] + TOP_GUARD + to * 4, &order[i], 4);
        if (s->d.values_out)
            memcpy(s->image[TOP_TO_VALUES] + TOP_GUARD + to * value, values + from * value, value);
    }
    return 1;
}

/* Reads the arrays back and compares all of them but scratch, of which only the guards count. */
static inline int top_compare(top_state *s, const bench *b)
{
    const int any_order = s->d.flags & CLSORT_FLAG_TOP_UNSORTED
                          && !(s->d.flags & CLSORT_FLAG_TOP_NTH) && s->d.indices;
    unsigned char *after[TOP_ARRAYS] = { NULL };
    uint64_t *codes = (uint64_t *)malloc((s->d.count + 1) * sizeof *codes);
    uint32_t *order = (uint32_t *)malloc((s->d.count + 1) * sizeof *order);
    size_t a, row;
    int good = CHECK(codes && order);
    for (a = 0; a < TOP_ARRAYS && good; a++) {
        after[a] = (unsigned char *)malloc(s->bytes[a] + 2 * TOP_GUARD);
        good = CHECK(after[a] != NULL)
               && CHECK(clEnqueueReadBuffer(b->session.queue, s->buffer[a], CL_TRUE, 0,
                                            s->bytes[a] + 2 * TOP_GUARD, after[a], 0, NULL, NULL)
                        == CL_SUCCESS);
    }
    for (row = 0; row < s->rows && good; row++)
        good = top_expect(s, row, codes, order,
                          any_order
                              ? (const uint32_t *)(const void *)(after[TOP_TO_INDICES] + TOP_GUARD)
                                    + row * s->wanted
                              : NULL);
    if (good && s->bytes[TOP_SCRATCH])
        memcpy(after[TOP_SCRATCH] + TOP_GUARD, s->image[TOP_SCRATCH] + TOP_GUARD,
               s->bytes[TOP_SCRATCH]);
    for (a = 0; a < TOP_ARRAYS && good; a++)
        good = CHECK(!memcmp(after[a], s->image[a], s->bytes[a] + 2 * TOP_GUARD));
    for (a = 0; a < TOP_ARRAYS; a++) free(after[a]);
    free(codes);
    free(order);
    return good;
}

/* Runs a case; without indices, `any order` can only be checked where the device sorts. */
static inline int top_run(const bench *b, const top_case *c)
{
    top_state s;
    size_t a;
    int good;
    top_say(c);
    memset(&s, 0, sizeof s);
    s.c = c;
    s.d = c->d;
    s.rows = c->d.rows ? c->d.rows : 1;
    s.stride = c->d.count + c->gap;
    s.wanted = c->d.flags & CLSORT_FLAG_TOP_NTH ? 1 : c->d.top_k;
    if (c->gap) s.d.row_stride = s.stride * pattern_key_size(c->d.key_type);
    s.d.flags |= c->outputs & TOP_INDICES ? CLSORT_FLAG_INDICES : 0;
    good = CHECK_OK(clsort_scratch_size(b->sorter, &s.d, &s.d.scratch_size));
    s.d.flags = c->d.flags;
    good = good && top_fill(&s) && top_upload(&s, b);
    if (!c->scratch) s.d.scratch_size = 0;
    good = good && top_enqueue(&s, b) && top_compare(&s, b);
    for (a = 0; a < TOP_ARRAYS; a++) {
        if (s.buffer[a]) clReleaseMemObject(s.buffer[a]);
        free(s.image[a]);
    }
    return good;
}

#endif
