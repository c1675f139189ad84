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
    size_t apart;              /* elements from the results of a row to those of the next; 0: no
                                  gaps. Indices lie one farther apart, values two */
    const clsort_field *fields;     /* records by these; key_type then says what is filled in */
    cl_uint field_count;
    const uint32_t *bounds;    /* NULL, or a length for each row ... */
    size_t segments;           /* ... or if this is not 0, one offset more than that: segments */
    const uint32_t *ends;      /* of segments; then the last offset is not used */
    int counted;               /* the count lies on the device ... */
    uint32_t there;            /* ... and is this */
    int outputs;               /* TOP_KEYS | TOP_INDICES | TOP_VALUES */
    int scratch;               /* the caller's scratch, exactly as much as asked for */
    uint32_t clusters;         /* of a sample: keys of 4 bytes are `poison` there; 0: none */
    uint32_t poison;
    int twice;                 /* those of a second sample, too */
    int wait;                  /* CASE_WAIT_NONE or CASE_WAIT_LATER */
    cl_command_queue queue;    /* NULL: the bench's */
} top_case;

/* What is read, and what is written; each lies between guards. */
enum {
    TOP_FROM_KEYS,
    TOP_FROM_VALUES,
    TOP_BOUNDS,
    TOP_ENDS,
    TOP_COUNT,
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
    size_t element;            /* bytes of a key or record */
    size_t apart[TOP_ARRAYS];  /* bytes between rows of what is written */
    int to_keys, to_values;    /* the arrays that receive them, -1: none */
    unsigned char *input;      /* the keys alone, and copies of the first two images */
    unsigned char *before[2];
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
       "%d, value_size %zu, seed %llu, work_group %u%s, wait %d, results %zu apart%s, %u on the "
       "device, record_size %zu, %u fields, poison %u in %u clusters %s",
       d->top_k, d->rows, d->count, case_type_name(d->key_type), c->pattern,
       d->order ? "descending" : "ascending",
       d->nan_order > 1 ? ", NaNs equal" : d->nan_order ? ", NaNs last" : "",
       d->zero_order ? ", equal zeros" : "", (unsigned)d->first_bit, (unsigned)d->last_bit, c->gap,
       (unsigned)d->flags, c->outputs, d->value_size, (unsigned long long)c->seed,
       (unsigned)d->tuning.work_group, c->scratch ? ", scratch given" : "", c->wait, c->apart,
       c->ends       ? ", segments with ends"
       : c->segments ? ", segments"
       : c->bounds   ? ", lengths"
                     : "",
       c->counted ? (unsigned)c->there : 0u, d->record_size, (unsigned)c->field_count,
       (unsigned)c->poison, (unsigned)c->clusters,
       c->twice ? "twice" : "once");
}

/* Puts the keys into the elements; what else is in a record differs from byte to byte. */
static inline void top_fill_elements(top_state *s, size_t elements, size_t key)
{
    unsigned char *to = s->image[TOP_FROM_KEYS] + TOP_GUARD;
    size_t i;
    for (i = 0; i < elements * s->element; i++) to[i] = (unsigned char)(i * 2246822519u >> 11);
    for (i = 0; i < elements; i++)
        memcpy(to + i * s->element + s->c->d.key_offset, s->input + i * key, key);
}

/* Sizes, images of all arrays, and the input. Rows are filled one by one, so that "sorted" is
   sorted in each. */
static inline int top_fill(top_state *s)
{
    const size_t key = pattern_key_size(s->c->d.key_type),
                 rows = s->c->segments ? 1 : s->rows,
                 elements = (rows - 1) * s->stride + s->d.count;
    const size_t sizes[TOP_ARRAYS] = { elements * s->element, elements * s->d.value_size,
                                       s->c->bounds ? (s->rows + !s->c->ends) * 4 : 0,
                                       s->c->ends ? s->rows * 4 : 0, 4,
                                       (s->rows - 1) * s->apart[TOP_TO_KEYS]
                                           + s->wanted * s->element,
                                       (s->rows - 1) * s->apart[TOP_TO_INDICES] + s->wanted * 4,
                                       (s->rows - 1) * s->apart[TOP_TO_VALUES]
                                           + s->wanted * s->d.value_size,
                                       s->d.scratch_size };
    size_t a, i;
    for (a = 0; a < TOP_ARRAYS; a++) {
        s->bytes[a] = sizes[a];
        s->image[a] = (unsigned char *)malloc(sizes[a] + 2 * TOP_GUARD);
        if (!CHECK(s->image[a] != NULL)) return 0;
        memset(s->image[a], TOP_SEALED, sizes[a] + 2 * TOP_GUARD);
    }
    if (s->c->bounds)
        memcpy(s->image[TOP_BOUNDS] + TOP_GUARD, s->c->bounds,
               (s->rows + (s->c->segments > 0 && !s->c->ends)) * 4);
    if (s->c->ends) memcpy(s->image[TOP_ENDS] + TOP_GUARD, s->c->ends, s->rows * 4);
    memcpy(s->image[TOP_COUNT] + TOP_GUARD, &s->c->there, 4);
    s->input = (unsigned char *)malloc(elements * key + 1);
    if (!CHECK(s->input != NULL)) return 0;
    memset(s->input, TOP_SEALED, elements * key);
    for (i = 0; i < rows; i++)
        pattern_fill(pattern_find(s->c->pattern), s->c->d.key_type, s->d.count, s->c->seed + i, 0,
                     s->input + i * s->stride * key);
    for (i = 0; i < (s->c->clusters ? rows : 0); i++)
        pattern_poison((uint32_t *)(void *)(s->input + i * s->stride * key), s->d.count,
                       s->c->clusters, s->d.tuning.work_group ? s->d.tuning.work_group : 256,
                       s->c->poison, s->c->twice);
    top_fill_elements(s, elements, key);
    for (i = 0; i < s->bytes[TOP_FROM_VALUES]; i++)
        s->image[TOP_FROM_VALUES][TOP_GUARD + i] = (unsigned char)(i * 2654435761u >> 13);
    for (a = 0; a < 2; a++) {
        s->before[a] = (unsigned char *)malloc(sizes[a] + 1);
        if (!CHECK(s->before[a] != NULL)) return 0;
        memcpy(s->before[a], s->image[a] + TOP_GUARD, sizes[a]);
    }
    return 1;
}

static inline int top_upload(top_state *s, const bench *b)
{
    size_t a;
    cl_int error = CL_SUCCESS;
    for (a = 0; a < TOP_ARRAYS && error == CL_SUCCESS; a++)
        s->buffer[a] = clCreateBuffer(
            b->session.context,
            CL_MEM_COPY_HOST_PTR
                | (a < TOP_TO_KEYS && (int)a != s->to_keys && (int)a != s->to_values
                       ? CL_MEM_READ_ONLY
                       : CL_MEM_READ_WRITE),
            s->bytes[a] + 2 * TOP_GUARD, s->image[a], &error);
    if (!CHECK(error == CL_SUCCESS)) return 0;
    s->d.keys = s->buffer[TOP_FROM_KEYS];
    s->d.keys_offset = TOP_GUARD;
    if (s->d.value_size) s->d.values = s->buffer[TOP_FROM_VALUES], s->d.values_offset = TOP_GUARD;
    if (s->c->segments) s->d.segments = s->buffer[TOP_BOUNDS], s->d.segments_offset = TOP_GUARD;
    else if (s->c->bounds) s->d.lengths = s->buffer[TOP_BOUNDS], s->d.lengths_offset = TOP_GUARD;
    if (s->c->ends) s->d.segment_ends = s->buffer[TOP_ENDS], s->d.segment_ends_offset = TOP_GUARD;
    if (s->c->counted) s->d.count_buffer = s->buffer[TOP_COUNT], s->d.count_offset = TOP_GUARD;
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

/* Result i of a row in an image of an output. */
static inline unsigned char *top_result(const top_state *s, unsigned char *image, int output,
                                        size_t row, size_t i)
{
    const size_t element = output == TOP_TO_KEYS || output == TOP_FROM_KEYS ? s->element
                           : output == TOP_TO_INDICES                       ? 4
                                                                            : s->d.value_size;
    return image + TOP_GUARD + row * s->apart[output] + i * element;
}

/* The first element of a row or segment, and how many there are. */
static inline size_t top_part(const top_state *s, size_t row, size_t *first)
{
    const top_case *c = s->c;
    const size_t most = c->counted && c->there < s->d.count ? c->there : s->d.count;
    size_t end;
    *first = row * s->stride;
    if (!c->bounds) return most;
    if (!c->segments) return c->bounds[row] < most ? c->bounds[row] : most;
    *first = c->bounds[row] < most ? c->bounds[row] : most;
    end = c->ends ? c->ends[row] : c->bounds[row + 1];
    end = end < most ? end : most;
    return end > *first ? end - *first : 0;
}

/* The key whose code is all ones. */
static inline void top_last_key(const top_state *s, unsigned char *key)
{
    const size_t bytes = pattern_key_size(s->d.key_type);
    clsort_field f = { 0, s->d.key_type, s->d.order, s->d.nan_order, s->d.zero_order };
    const clsort__codec c = clsort__make_codec(&f);
    const uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
    uint64_t bits = (~(uint64_t)0 + c.rotate) ^ c.flip;
    if (bits & sign) bits ^= c.mask;
    memcpy(key, &bits, bytes);
}

/* Writes into the images the mark of an element that a row does not have. */
static inline void top_expect_mark(top_state *s, size_t row, size_t i)
{
    const uint32_t none = 0xFFFFFFFFu;
    const int moved = s->d.record_size
                      || (s->d.nan_order == CLSORT_NAN_EQUAL
                          && pattern_is_float(s->d.key_type));
    if (s->d.keys_out && !moved && !(s->d.flags & CLSORT_FLAG_TOP_PARTITION))
        top_last_key(s, top_result(s, s->image[TOP_TO_KEYS], TOP_TO_KEYS, row, i));
    if (s->d.indices)
        memcpy(top_result(s, s->image[TOP_TO_INDICES], TOP_TO_INDICES, row, i), &none, 4);
}

/* The codes of n elements from `first` on. */
static inline int top_codes(const top_state *s, size_t first, size_t n, uint64_t *codes)
{
    const size_t key = pattern_key_size(s->c->d.key_type);
    if (s->c->fields)
        return CHECK(reference_record_codes(s->before[0] + first * s->element, n, &s->d, codes));
    reference_codes(s->input + first * key, key, n, &s->d, codes);
    return 1;
}

/* Is a partition done by sorting? */
static inline int top_is_sorted(const top_case *c)
{
    return c->bounds ? c->segments > 0 : !c->counted;
}

/* Turns the sorted order of n elements into that of a partition around the k-th. */
static inline int top_partition(uint32_t *order, size_t n, size_t k)
{
    unsigned char *ahead = (unsigned char *)calloc(n, 1);
    const uint32_t nth = order[k - 1];
    size_t i, front = 0, back = k;
    if (!CHECK(ahead != NULL)) return 0;
    for (i = 0; i + 1 < k; i++) ahead[order[i]] = 1;
    for (i = 0; i < n; i++)
        if (ahead[i]) order[front++] = (uint32_t)i;
        else if (i != nth) order[back++] = (uint32_t)i;
    order[k - 1] = nth;
    free(ahead);
    return 1;
}

/* Takes an order of the device's own, if it holds the right indices. */
static inline int top_adopt(uint32_t *order, const uint32_t *got, size_t k)
{
    uint32_t *sorted = (uint32_t *)malloc(k * 4 + 1);
    int good = CHECK(sorted != NULL);
    if (good) memcpy(sorted, got, k * 4);
    qsort(sorted, good ? k : 0, 4, top_by_number);
    qsort(order, k, 4, top_by_number);
    good = good && CHECK(!memcmp(sorted, order, k * 4));
    memcpy(order, got, k * 4);
    free(sorted);
    return good;
}

/* Writes into the images what row `row` must give. With an order of the device's own, `got` holds
   the indices that it chose: they must be the right ones, in any order. */
static inline int top_expect(top_state *s, size_t row, uint64_t *codes, uint32_t *order,
                             const uint32_t *got)
{
    const size_t value = s->d.value_size;
    size_t first, n = top_part(s, row, &first), k = n < s->d.top_k ? n : s->d.top_k;
    size_t i;
    if (!top_codes(s, first, n, codes) || !CHECK(reference_argsort(codes, n, order))) return 0;
    if (s->d.flags & CLSORT_FLAG_TOP_NTH) {
        k = n >= s->d.top_k;
        if (k) order[0] = order[s->d.top_k - 1];
    }
    if (s->d.flags & CLSORT_FLAG_TOP_PARTITION && n) {
        if (!top_is_sorted(s->c) && !top_partition(order, n, k)) return 0;
        k = n;
    }
    if (got && !top_adopt(order, got, k)) return 0;
    for (i = k; i < s->wanted; i++) top_expect_mark(s, row, i);
    for (i = 0; i < k; i++) {
        const size_t from = first + order[i];
        if (s->to_keys >= 0)
            memcpy(top_result(s, s->image[s->to_keys], s->to_keys, row, i),
                   s->before[0] + from * s->element, s->element);
        if (s->d.indices)
            memcpy(top_result(s, s->image[TOP_TO_INDICES], TOP_TO_INDICES, row, i), &order[i], 4);
        if (s->to_values >= 0)
            memcpy(top_result(s, s->image[s->to_values], s->to_values, row, i),
                   s->before[1] + from * value, value);
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
                              ? (const uint32_t *)(void *)top_result(s, after[TOP_TO_INDICES],
                                                                     TOP_TO_INDICES, row, 0)
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

static inline cl_uint top_flags(const top_case *c)
{
    return (c->outputs & TOP_INDICES ? (cl_uint)CLSORT_FLAG_INDICES : 0)
           | (c->outputs & TOP_KEYS ? (cl_uint)CLSORT_FLAG_KEYS_OUT : 0)
           | (c->outputs & TOP_VALUES ? (cl_uint)CLSORT_FLAG_VALUES_OUT : 0)
           | (c->counted ? (cl_uint)CLSORT_FLAG_COUNT_BUFFER : 0)
           | (c->bounds && !c->segments ? (cl_uint)CLSORT_FLAG_LENGTHS : 0);
}

/* Decides how far the rows of outputs lie apart. */
static inline void top_place_rows(top_state *s)
{
    const size_t value = s->d.value_size, apart = s->c->apart;
    const int partition = (s->c->d.flags & CLSORT_FLAG_TOP_PARTITION) != 0,
              aside = s->c->outputs & (TOP_KEYS | TOP_INDICES);
    const size_t usual = partition ? s->stride : s->wanted;
    s->to_keys = s->c->outputs & TOP_KEYS ? TOP_TO_KEYS : partition && !aside ? TOP_FROM_KEYS : -1;
    s->to_values = s->c->outputs & TOP_VALUES ? TOP_TO_VALUES
                   : partition && value       ? TOP_FROM_VALUES
                                              : -1;
    s->apart[TOP_FROM_KEYS] = s->stride * s->element;
    s->apart[TOP_FROM_VALUES] = s->stride * value;
    s->apart[TOP_TO_KEYS] = (apart ? apart : usual) * s->element;
    s->apart[TOP_TO_INDICES] = (apart ? apart + 1 : usual) * 4;
    s->apart[TOP_TO_VALUES] = (apart ? apart + 2 : usual) * value;
    if (!apart) return;
    if (s->c->outputs & TOP_KEYS) s->d.keys_out_row_stride = s->apart[TOP_TO_KEYS];
    if (s->c->outputs & TOP_INDICES) s->d.indices_row_stride = s->apart[TOP_TO_INDICES];
    if (s->c->outputs & TOP_VALUES) s->d.values_out_row_stride = s->apart[TOP_TO_VALUES];
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
    s.rows = c->segments ? c->segments : c->d.rows ? c->d.rows : 1;
    s.d.segment_count = c->segments;
    s.stride = c->d.count + c->gap;
    s.wanted = c->d.flags & CLSORT_FLAG_TOP_NTH         ? 1
               : c->d.flags & CLSORT_FLAG_TOP_PARTITION ? c->d.count
                                                        : c->d.top_k;
    s.element = c->d.record_size ? c->d.record_size : pattern_key_size(c->d.key_type);
    if (c->fields) {
        s.d.fields = c->fields;
        s.d.field_count = c->field_count;
        s.d.key_type = 0;
        s.d.key_offset = 0;
    }
    if (c->gap) s.d.row_stride = s.stride * s.element;
    s.d.flags |= top_flags(c);
    top_place_rows(&s);
    good = CHECK_OK(clsort_scratch_size(b->sorter, &s.d, &s.d.scratch_size));
    s.d.flags = c->d.flags;
    good = good && top_fill(&s) && top_upload(&s, b);
    if (!c->scratch) s.d.scratch_size = 0;
    good = good && top_enqueue(&s, b) && top_compare(&s, b);
    for (a = 0; a < TOP_ARRAYS; a++) {
        if (s.buffer[a]) clReleaseMemObject(s.buffer[a]);
        free(s.image[a]);
    }
    free(s.input);
    free(s.before[0]);
    free(s.before[1]);
    return good;
}

#endif
