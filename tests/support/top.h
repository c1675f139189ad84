/* top.h - one clsort_enqueue_sort with top_k, checked byte for byte, guards included, against a
   stable sort of each row on the host. */

#ifndef CLSORT_TESTS_TOP_H
#define CLSORT_TESTS_TOP_H

#include "cases.h"

enum { TOP_KEYS = 1, TOP_INDICES = 2, TOP_VALUES = 4 };   /* outputs */

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
    const uint32_t *keys;      /* of 4 bytes, of all rows, in place of the pattern's; NULL: none */
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

/* What is read, and what is written. */
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
    image image;
    size_t rows, stride, wanted;    /* stride: elements between rows */
    size_t to_keys, to_values;      /* the arrays that receive them, TOP_ARRAYS: none */
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
    AT("top %zu of %zu rows of %zu keys, %s, gap %zu, flags %u, outputs %d%s, wait %d, results %zu "
       "apart%s, %u on the device, %u fields, poison %u in %u clusters %s",
       d->top_k, d->rows, d->count, case_words(d, d->key_type, c->pattern, c->seed), c->gap,
       (unsigned)d->flags, c->outputs, c->scratch ? ", scratch given" : "", c->wait, c->apart,
       c->ends       ? ", segments with ends"
       : c->segments ? ", segments"
       : c->bounds   ? ", lengths"
                     : "",
       c->counted ? (unsigned)c->there : 0u, (unsigned)c->field_count, (unsigned)c->poison,
       (unsigned)c->clusters, c->twice ? "twice" : "once");
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Decides which arrays there are, and how far the rows of outputs lie apart. */
static inline void top_lay_out(top_state *s)
{
    const top_case *c = s->c;
    image *m = &s->image;
    const size_t key = c->d.record_size ? c->d.record_size : pattern_key_size(c->d.key_type),
                 value = c->d.value_size, apart = c->apart, rows = c->segments ? 1 : s->rows;
    const int partition = (c->d.flags & CLSORT_FLAG_TOP_PARTITION) != 0,
              aside = c->outputs & (TOP_KEYS | TOP_INDICES);
    const size_t usual = partition ? s->stride : s->wanted;
    image_add_rows(m, TOP_FROM_KEYS, key, rows, c->d.count, s->stride * key, 1);
    image_add_rows(m, TOP_FROM_VALUES, value, rows, c->d.count, s->stride * value, 1);
    image_add(m, TOP_BOUNDS, c->bounds ? 4 : 0, (s->rows + (c->segments && !c->ends)) * 4, 1);
    image_add(m, TOP_ENDS, c->ends ? 4 : 0, s->rows * 4, 1);
    image_add(m, TOP_COUNT, c->counted ? 4 : 0, 4, 1);
    image_add_rows(m, TOP_TO_KEYS, c->outputs & TOP_KEYS ? key : 0, s->rows, s->wanted,
                   (apart ? apart : usual) * key, 1);
    image_add_rows(m, TOP_TO_INDICES, c->outputs & TOP_INDICES ? 4 : 0, s->rows, s->wanted,
                   (apart ? apart + 1 : usual) * 4, 1);
    image_add_rows(m, TOP_TO_VALUES, c->outputs & TOP_VALUES ? value : 0, s->rows, s->wanted,
                   (apart ? apart + 2 : usual) * value, 1);
    s->to_keys = c->outputs & TOP_KEYS ? TOP_TO_KEYS
                 : partition && !aside ? TOP_FROM_KEYS
                                       : TOP_ARRAYS;
    s->to_values = c->outputs & TOP_VALUES ? TOP_TO_VALUES
                   : partition && value    ? TOP_FROM_VALUES
                                           : TOP_ARRAYS;
    if (c->gap) s->d.row_stride = m->array[TOP_FROM_KEYS].apart;
    if (apart && c->outputs & TOP_KEYS) s->d.keys_out_row_stride = m->array[TOP_TO_KEYS].apart;
    if (apart && c->outputs & TOP_INDICES)
        s->d.indices_row_stride = m->array[TOP_TO_INDICES].apart;
    if (apart && c->outputs & TOP_VALUES)
        s->d.values_out_row_stride = m->array[TOP_TO_VALUES].apart;
}

/* Rows are filled one by one, so that "sorted" is sorted in each. */
static inline int top_fill(top_state *s)
{
    const top_case *c = s->c;
    const image *m = &s->image;
    const size_t rows = c->segments ? 1 : s->rows;
    size_t i;
    if (!image_make(&s->image, c->seed)) return 0;
    for (i = 0; i < rows; i++) {
        if (!image_fill(m, TOP_FROM_KEYS, i * s->stride, c->d.count, c->d.key_offset,
                        c->d.key_type, c->pattern, c->seed + i, 0))
            return 0;
        if (c->keys)
            memcpy(image_in_row(m, m->was, TOP_FROM_KEYS, i, 0), c->keys + i * c->d.count,
                   c->d.count * 4);
        if (!c->clusters) continue;
        if (!CHECK(m->array[TOP_FROM_KEYS].element == 4)) return 0;
        pattern_poison((uint32_t *)(void *)image_in_row(m, m->was, TOP_FROM_KEYS, i, 0),
                       c->d.count, c->clusters,
                       c->d.tuning.work_group ? c->d.tuning.work_group : 256, c->poison, c->twice);
    }
    image_fill_numbers(m, TOP_BOUNDS, c->bounds);
    image_fill_numbers(m, TOP_ENDS, c->ends);
    image_fill_numbers(m, TOP_COUNT, &c->there);
    return 1;
}

static inline int top_upload(top_state *s, const bench *b)
{
    const image *m = &s->image;
    clsort_desc *d = &s->d;
    const unsigned written = 1u << s->to_keys | 1u << s->to_values;
    if (!image_upload(b, &s->image, ((1u << TOP_TO_KEYS) - 1) & ~written)) return 0;
    d->keys = image_buffer(m, TOP_FROM_KEYS, &d->keys_offset);
    d->values = image_buffer(m, TOP_FROM_VALUES, &d->values_offset);
    if (s->c->segments) d->segments = image_buffer(m, TOP_BOUNDS, &d->segments_offset);
    else d->lengths = image_buffer(m, TOP_BOUNDS, &d->lengths_offset);
    d->segment_ends = image_buffer(m, TOP_ENDS, &d->segment_ends_offset);
    d->count_buffer = image_buffer(m, TOP_COUNT, &d->count_offset);
    d->keys_out = image_buffer(m, TOP_TO_KEYS, &d->keys_out_offset);
    d->indices = image_buffer(m, TOP_TO_INDICES, &d->indices_offset);
    d->values_out = image_buffer(m, TOP_TO_VALUES, &d->values_out_offset);
    d->scratch = image_buffer(m, TOP_SCRATCH, &d->scratch_offset);
    return 1;
}

static inline int top_enqueue(top_state *s, const bench *b)
{
    image_call call;
    const int good = image_call_begin(b, s->c->queue, s->c->wait, &call)
                     && CHECK_OK(clsort_enqueue_sort(b->sorter, call.queue, &s->d, call.n,
                                                     call.list, &call.done));
    return image_call_end(b, &call, good);
}

/* ---- expectation ----------------------------------------------------------------------------- */

static inline int top_by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The elements that count. */
static inline size_t top_most(const top_state *s)
{
    return s->c->counted && s->c->there < s->d.count ? s->c->there : s->d.count;
}

/* The first element of a row or segment. */
static inline size_t top_first(const top_state *s, size_t row)
{
    if (!s->c->segments) return row * s->stride;
    return s->c->bounds[row] < top_most(s) ? s->c->bounds[row] : top_most(s);
}

/* The same, and how many there are. */
static inline size_t top_part(const top_state *s, size_t row, size_t *first)
{
    const top_case *c = s->c;
    const size_t most = top_most(s);
    size_t end;
    *first = top_first(s, row);
    if (!c->bounds) return most;
    if (!c->segments) return c->bounds[row] < most ? c->bounds[row] : most;
    end = c->ends ? c->ends[row] : c->bounds[row + 1];
    end = end < most ? end : most;
    return end > *first ? end - *first : 0;
}

/* Where result i of a row is wanted; of a partition of segments, behind the others of its
   array. */
static inline unsigned char *top_wanted(const top_state *s, size_t output, size_t row, size_t i)
{
    const image *m = &s->image;
    if (s->c->segments && output < TOP_TO_KEYS)
        return image_at(m, m->want, output, top_first(s, row) + i);
    return image_in_row(m, m->want, output, row, i);
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

/* The mark of an element that a row does not have. */
static inline void top_expect_mark(top_state *s, size_t row, size_t i)
{
    const uint32_t none = 0xFFFFFFFFu;
    const int moved = s->d.record_size
                      || (s->d.nan_order == CLSORT_NAN_EQUAL
                          && pattern_is_float(s->d.key_type));
    if (s->d.keys_out && !moved && !(s->d.flags & CLSORT_FLAG_TOP_PARTITION))
        top_last_key(s, top_wanted(s, TOP_TO_KEYS, row, i));
    if (s->d.indices) memcpy(top_wanted(s, TOP_TO_INDICES, row, i), &none, 4);
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

/* What row `row` must give. With an order of the device's own, `got` holds the indices that it
   chose: they must be the right ones, in any order. */
static inline int top_expect(top_state *s, size_t row, uint64_t *codes, uint32_t *order,
                             const uint32_t *got)
{
    const image *m = &s->image;
    size_t first, n = top_part(s, row, &first), k = n < s->d.top_k ? n : s->d.top_k;
    size_t i;
    if (!image_codes(m, TOP_FROM_KEYS, first, n, &s->d, codes)
        || !CHECK(reference_argsort(codes, n, order)))
        return 0;
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
        if (s->to_keys < TOP_ARRAYS)
            memcpy(top_wanted(s, s->to_keys, row, i), image_at(m, m->was, TOP_FROM_KEYS, from),
                   m->array[TOP_FROM_KEYS].element);
        if (s->d.indices) memcpy(top_wanted(s, TOP_TO_INDICES, row, i), &order[i], 4);
        if (s->to_values < TOP_ARRAYS)
            memcpy(top_wanted(s, s->to_values, row, i), image_at(m, m->was, TOP_FROM_VALUES, from),
                   s->d.value_size);
    }
    return 1;
}

/* Of scratch memory only the guards count. */
static inline int top_compare(top_state *s, const bench *b)
{
    const int any_order = s->d.flags & CLSORT_FLAG_TOP_UNSORTED
                          && !(s->d.flags & CLSORT_FLAG_TOP_NTH) && s->d.indices;
    uint64_t *codes = (uint64_t *)malloc((s->d.count + 1) * sizeof *codes);
    uint32_t *order = (uint32_t *)malloc((s->d.count + 1) * sizeof *order);
    size_t row;
    int good = CHECK(codes && order) && image_read(&s->image, b->session.queue);
    for (row = 0; row < s->rows && good; row++)
        good = top_expect(s, row, codes, order,
                          any_order ? (const uint32_t *)(void *)image_in_row(
                                          &s->image, s->image.now, TOP_TO_INDICES, row, 0)
                                    : NULL);
    image_forgive(&s->image, TOP_SCRATCH, s->image.array[TOP_SCRATCH].size);
    free(codes);
    free(order);
    return good && image_is_right(&s->image);
}

static inline cl_uint top_roles(const top_case *c)
{
    return (c->outputs & TOP_INDICES ? (cl_uint)LATER_INDICES : 0)
           | (c->outputs & TOP_KEYS ? (cl_uint)LATER_KEYS_OUT : 0)
           | (c->outputs & TOP_VALUES ? (cl_uint)LATER_VALUES_OUT : 0)
           | (c->counted ? (cl_uint)LATER_COUNT : 0)
           | (c->bounds && !c->segments ? (cl_uint)LATER_LENGTHS : 0);
}

/* Runs a case; without indices, `any order` can only be checked where the device sorts. */
static inline int top_run(const bench *b, const top_case *c)
{
    top_state s;
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
    case_use_fields(&s.d, c->fields, c->field_count);
    top_lay_out(&s);
    later(&s.d, top_roles(c));
    if (!CHECK_OK(clsort_scratch_size(b->sorter, &s.d, &s.d.scratch_size))) return 0;
    s.d.flags = c->d.flags;
    if (!c->scratch) s.d.scratch_size = 0;
    image_add(&s.image, TOP_SCRATCH, s.d.scratch_size ? 16 : 0, s.d.scratch_size, 1);
    good = top_fill(&s) && top_upload(&s, b) && top_enqueue(&s, b) && top_compare(&s, b);
    image_release(&s.image);
    return good;
}

#endif
