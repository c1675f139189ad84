/* pieces.h - one clsort_enqueue_merge, clsort_enqueue_merge_runs or clsort_enqueue_partition,
   checked byte for byte, guards included, against the host. */

#ifndef CLSORT_TESTS_PIECES_H
#define CLSORT_TESTS_PIECES_H

#include "cases.h"

/* What all these calls share: types, and how they are made. */
typedef struct pieces_how {
    cl_uint type, order, nan_order;
    size_t value_size, shift;
    const char *pattern;
    uint64_t seed;
    cl_uint work_group, items;
    int unsorted;               /* inputs that ought to be sorted are not: guards are checked */
    int own_scratch;            /* scratch memory of just the bytes that are asked for */
    int wait;                   /* CASE_WAIT_NONE ... */
    cl_command_queue queue;     /* NULL: the bench's */
} pieces_how;

/* Arrays. KEYS hold all runs, one after another; only a merge of two has KEYS_B. */
enum { PIECES_KEYS, PIECES_KEYS_B, PIECES_KEYS_OUT, PIECES_VALUES, PIECES_VALUES_B,
       PIECES_VALUES_OUT, PIECES_SPLITTERS, PIECES_STARTS, PIECES_SCRATCH };

typedef struct pieces_state {
    image image;
    size_t n;                           /* elements of an output */
    clsort_run run[CLSORT_MAX_RUNS];
    cl_mem own[2 * CLSORT_MAX_RUNS];    /* of runs with buffers of their own */
    cl_uint run_count, splitter_count;
} pieces_state;

static inline clsort_desc pieces_order(const pieces_how *h)
{
    clsort_desc d = clsort_desc_default();
    d.key_type = h->type;
    d.order = h->order;
    d.nan_order = h->nan_order;
    d.value_size = h->value_size;
    d.tuning.work_group = h->work_group;
    d.tuning.items = h->items;
    return d;
}

static inline pieces_how pieces_make(cl_uint type, size_t value_size, const char *pattern)
{
    pieces_how h;
    memset(&h, 0, sizeof h);
    h.type = type;
    h.value_size = value_size;
    h.pattern = pattern;
    h.seed = 1;
    return h;
}

static inline void pieces_say(const char *what, const pieces_how *h)
{
    const clsort_desc d = pieces_order(h);
    AT("%s, %s, shift %zu%s%s, wait %d, %s queue", what,
       case_words(&d, h->type, h->pattern, h->seed), h->shift, h->unsorted ? ", unsorted" : "",
       h->own_scratch ? ", own scratch" : "", h->wait, h->queue ? "other" : "first");
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Begins a state with n elements of input and as many of output, of which `more` come from
   KEYS_B. */
static inline void pieces_begin(const pieces_how *h, pieces_state *s, size_t n, size_t more)
{
    const size_t key = pattern_key_size(h->type), value = h->value_size;
    memset(s, 0, sizeof *s);
    s->n = n + more;
    image_add(&s->image, PIECES_KEYS, key, n * key, h->shift);
    image_add(&s->image, PIECES_VALUES, value, n * value, h->shift);
    image_add(&s->image, PIECES_KEYS_OUT, key, s->n * key, h->shift / 2);
    image_add(&s->image, PIECES_VALUES_OUT, value, s->n * value, h->shift / 2);
}

/* With scratch memory, if the call brings it: this is the last array. */
static inline int pieces_allocate(const pieces_how *h, pieces_state *s, size_t scratch)
{
    image_add(&s->image, PIECES_SCRATCH, h->own_scratch && scratch ? 16 : 0, scratch, 0);
    return image_make(&s->image, 77 + s->n);
}

/* Sorts elements of an input. */
static inline int pieces_sort(const image *m, size_t array, size_t first, size_t n,
                              const pieces_how *h)
{
    const clsort_desc d = pieces_order(h);
    const size_t size = m->array[array].element;
    unsigned char *copy = (unsigned char *)malloc(n * size + 1);
    uint64_t *codes = (uint64_t *)malloc(n * 8 + 1);
    uint32_t *order = (uint32_t *)malloc(n * 4 + 1);
    size_t i;
    int good = CHECK(copy && codes && order);
    if (good) {
        memcpy(copy, image_at(m, m->was, array, first), n * size);
        good = image_codes(m, array, first, n, &d, codes)
               && CHECK(reference_argsort(codes, n, order));
    }
    for (i = 0; good && i < n; i++)
        memcpy(image_at(m, m->was, array, first + i), copy + order[i] * size, size);
    free(copy);
    free(codes);
    free(order);
    return good;
}

/* Fills a part of an array of keys with a pattern, sorted unless that is not wanted. */
static inline int pieces_fill(const image *m, size_t array, size_t first, size_t n, uint64_t seed,
                              const pieces_how *h)
{
    return image_fill(m, array, first, n, 0, h->type, h->pattern, seed, 16)
           && (h->unsorted || pieces_sort(m, array, first, n, h));
}

static inline int pieces_upload(const bench *b, pieces_state *s)
{
    return image_upload(b, &s->image,
                        1u << PIECES_KEYS | 1u << PIECES_KEYS_B | 1u << PIECES_VALUES
                            | 1u << PIECES_VALUES_B | 1u << PIECES_SPLITTERS);
}

static inline void pieces_close(pieces_state *s)
{
    int k;
    for (k = 0; k < 2 * CLSORT_MAX_RUNS; k++)
        if (s->own[k]) clReleaseMemObject(s->own[k]);
    image_release(&s->image);
}

/* What the descriptions of these calls have in common. */
#define PIECES_DESCRIBE(d, h, m) \
    do { \
        (d).key_type = (h)->type; \
        (d).order = (h)->order; \
        (d).nan_order = (h)->nan_order; \
        (d).value_size = (h)->value_size; \
        (d).tuning.work_group = (h)->work_group; \
        (d).tuning.items = (h)->items; \
        (d).keys_out = image_buffer(m, PIECES_KEYS_OUT, &(d).keys_out_offset); \
        (d).values_out = image_buffer(m, PIECES_VALUES_OUT, &(d).values_out_offset); \
    } while (0)

/* ---- results --------------------------------------------------------------------------------- */

/* Makes parts of codes, and their begins. */
static inline void partition_expect(const pieces_how *h, pieces_state *s, uint64_t *codes)
{
    const clsort_desc d = pieces_order(h);
    const image *m = &s->image;
    uint64_t splitters[CLSORT_MAX_SPLITTERS];
    uint32_t starts[CLSORT_MAX_SPLITTERS + 2] = { 0 };
    size_t i;
    cl_uint p;
    image_codes(m, PIECES_SPLITTERS, 0, s->splitter_count, &d, splitters);
    for (i = 0; i < s->n; i++) {
        for (p = 0; p < s->splitter_count && splitters[p] <= codes[i];) p++;
        codes[i] = p;
        starts[p + 1]++;
    }
    for (p = 0; p <= s->splitter_count; p++) starts[p + 1] += starts[p];
    memcpy(image_at(m, m->want, PIECES_STARTS, 0), starts, m->array[PIECES_STARTS].size);
}

/* Element i of an output was at order[i] of both inputs. `from`: PIECES_KEYS or PIECES_VALUES; the
   second input and the output follow it. */
static inline void pieces_move(const image *m, size_t from, const uint32_t *order, size_t n)
{
    const size_t size = m->array[from].element, first = size ? m->array[from].size / size : 0;
    size_t i;
    for (i = 0; size && i < n; i++)
        memcpy(image_at(m, m->want, from + 2, i),
               order[i] < first ? image_at(m, m->was, from, order[i])
                                : image_at(m, m->was, from + 1, order[i] - first),
               size);
}

/* The outputs as they must be: a stable sort of all elements, or of the numbers of their parts. */
static inline int pieces_expect(const pieces_how *h, pieces_state *s)
{
    const clsort_desc d = pieces_order(h);
    const image *m = &s->image;
    const size_t first = m->array[PIECES_KEYS].size / pattern_key_size(h->type);
    uint64_t *codes = (uint64_t *)malloc(s->n * 8 + 1);
    uint32_t *order = (uint32_t *)malloc(s->n * 4 + 1);
    int good = CHECK(codes && order);
    if (good) {
        image_codes(m, PIECES_KEYS, 0, first, &d, codes);
        image_codes(m, PIECES_KEYS_B, 0, s->n - first, &d, codes + first);
        if (s->splitter_count) partition_expect(h, s, codes);
        good = CHECK(reference_argsort(codes, s->n, order));
        if (good) pieces_move(m, PIECES_KEYS, order, s->n);
        if (good) pieces_move(m, PIECES_VALUES, order, s->n);
    }
    free(codes);
    free(order);
    return good;
}

/* All that the call left; of inputs that are not sorted, outputs may be anything. */
static inline int pieces_hold(const bench *b, const pieces_how *h, pieces_state *s)
{
    static const size_t outputs[] = { PIECES_SCRATCH, PIECES_KEYS_OUT, PIECES_VALUES_OUT,
                                      PIECES_STARTS };
    size_t i;
    if (!image_read(&s->image, b->session.queue) || (!h->unsorted && !pieces_expect(h, s)))
        return 0;
    for (i = 0; i < (h->unsorted ? 4u : 1u); i++)
        image_forgive(&s->image, outputs[i], s->image.array[outputs[i]].size);
    return image_is_right(&s->image);
}

/* ---- merges of two inputs -------------------------------------------------------------------- */

static inline int merge_enqueue(const bench *b, const pieces_how *h, pieces_state *s)
{
    clsort_merge_desc d = clsort_merge_desc_default();
    const image *m = &s->image;
    image_call c;
    int good;
    PIECES_DESCRIBE(d, h, m);
    d.count_a = m->array[PIECES_KEYS].size / m->array[PIECES_KEYS].element;
    d.count_b = s->n - d.count_a;
    d.keys_a = image_buffer(m, PIECES_KEYS, &d.keys_a_offset);
    d.keys_b = image_buffer(m, PIECES_KEYS_B, &d.keys_b_offset);
    d.values_a = image_buffer(m, PIECES_VALUES, &d.values_a_offset);
    d.values_b = image_buffer(m, PIECES_VALUES_B, &d.values_b_offset);
    good = image_call_begin(b, h->queue, h->wait, &c)
           && CHECK_OK(clsort_enqueue_merge(b->sorter, c.queue, &d, c.n, c.list, &c.done));
    return image_call_end(b, &c, good);
}

static inline int merge_check(const bench *b, const pieces_how *h, size_t count_a, size_t count_b)
{
    const size_t key = pattern_key_size(h->type), value = h->value_size;
    char what[80];
    pieces_state s;
    int good;
    snprintf(what, sizeof what, "%zu and %zu keys", count_a, count_b);
    pieces_say(what, h);
    pieces_begin(h, &s, count_a, count_b);
    image_add(&s.image, PIECES_KEYS_B, key, count_b * key, h->shift);
    image_add(&s.image, PIECES_VALUES_B, value, count_b * value, h->shift);
    good = pieces_allocate(h, &s, 0) && pieces_fill(&s.image, PIECES_KEYS, 0, count_a, h->seed, h)
           && pieces_fill(&s.image, PIECES_KEYS_B, 0, count_b, h->seed + 1, h)
           && pieces_upload(b, &s) && merge_enqueue(b, h, &s) && pieces_hold(b, h, &s);
    pieces_close(&s);
    return good;
}

/* ---- merges of runs -------------------------------------------------------------------------- */

static inline clsort_merge_runs_desc runs_describe(const pieces_how *h, const pieces_state *s)
{
    clsort_merge_runs_desc d = clsort_merge_runs_desc_default();
    PIECES_DESCRIBE(d, h, &s->image);
    d.runs = s->run;
    d.run_count = s->run_count;
    d.scratch = image_buffer(&s->image, PIECES_SCRATCH, &d.scratch_offset);
    d.scratch_size = s->image.array[PIECES_SCRATCH].size;
    return d;
}

/* Makes runs of so many elements in host memory. */
static inline int runs_make(const bench *b, const pieces_how *h, const size_t *counts,
                            cl_uint run_count, pieces_state *s)
{
    clsort_merge_runs_desc d;
    size_t first = 0, scratch = 0;
    cl_uint k;
    int good;
    for (k = 0; k < run_count; k++) first += counts[k];
    pieces_begin(h, s, first, 0);
    s->run_count = run_count;
    for (k = 0; k < run_count; k++) s->run[k].count = counts[k];
    d = runs_describe(h, s);
    good = CHECK_OK(clsort_merge_runs_scratch_size(b->sorter, &d, &scratch))
           && pieces_allocate(h, s, scratch);
    for (first = k = 0; good && k < run_count; first += counts[k++])
        good = pieces_fill(&s->image, PIECES_KEYS, first, counts[k], h->seed + k, h);
    return good;
}

/* Gives run k its place in the common buffers or, if `apart`, buffers of its own. */
static inline int runs_place(const bench *b, const pieces_how *h, pieces_state *s, cl_uint k,
                             size_t first, int apart)
{
    const image *m = &s->image;
    clsort_run *const r = &s->run[k];
    const size_t key = pattern_key_size(h->type), size = h->value_size;
    r->keys = image_buffer(m, PIECES_KEYS, &r->keys_offset);
    r->values = image_buffer(m, PIECES_VALUES, &r->values_offset);
    r->keys_offset += first * key;
    r->values_offset += first * size;
    if (!apart) return 1;
    r->keys_offset = r->values_offset = 0;
    r->keys = r->values = NULL;
    if (!r->count) return 1;
    r->keys = s->own[k] = test_buffer(b, r->count * key, image_at(m, m->was, PIECES_KEYS, first));
    if (size)
        r->values = s->own[CLSORT_MAX_RUNS + k]
            = test_buffer(b, r->count * size, image_at(m, m->was, PIECES_VALUES, first));
    return CHECK(r->keys && (r->values || !size));
}

static inline int runs_upload(const bench *b, const pieces_how *h, int apart, pieces_state *s)
{
    size_t first = 0;
    cl_uint k;
    int good = pieces_upload(b, s);
    for (k = 0; good && k < s->run_count; first += s->run[k++].count)
        good = runs_place(b, h, s, k, first, apart);
    return good;
}

static inline int runs_enqueue(const bench *b, const pieces_how *h, pieces_state *s)
{
    const clsort_merge_runs_desc d = runs_describe(h, s);
    image_call c;
    const int good
        = image_call_begin(b, h->queue, h->wait, &c)
          && CHECK_OK(clsort_enqueue_merge_runs(b->sorter, c.queue, &d, c.n, c.list, &c.done));
    return image_call_end(b, &c, good);
}

static inline int runs_check(const bench *b, const pieces_how *h, const size_t *counts,
                             cl_uint run_count, int apart)
{
    char what[160];
    pieces_state s;
    cl_uint k;
    int good;
    snprintf(what, sizeof what, "%u runs%s of", (unsigned)run_count, apart ? " apart" : "");
    for (k = 0; k < run_count; k++)
        snprintf(what + strlen(what), sizeof what - strlen(what), " %zu", counts[k]);
    pieces_say(what, h);
    good = runs_make(b, h, counts, run_count, &s) && runs_upload(b, h, apart, &s)
           && runs_enqueue(b, h, &s) && pieces_hold(b, h, &s);
    pieces_close(&s);
    return good;
}

/* ---- partitions ------------------------------------------------------------------------------ */

static inline clsort_partition_desc partition_describe(const pieces_how *h, const pieces_state *s)
{
    clsort_partition_desc d = clsort_partition_desc_default();
    const image *m = &s->image;
    PIECES_DESCRIBE(d, h, m);
    d.count = s->n;
    d.splitter_count = s->splitter_count;
    d.keys = image_buffer(m, PIECES_KEYS, &d.keys_offset);
    d.values = image_buffer(m, PIECES_VALUES, &d.values_offset);
    d.splitters = image_buffer(m, PIECES_SPLITTERS, &d.splitters_offset);
    d.starts = image_buffer(m, PIECES_STARTS, &d.starts_offset);
    d.scratch = image_buffer(m, PIECES_SCRATCH, &d.scratch_offset);
    d.scratch_size = m->array[PIECES_SCRATCH].size;
    return d;
}

/* Splitters: some keys, if there are any, and other numbers; every third one twice. */
static inline int partition_splitters(const pieces_how *h, pieces_state *s)
{
    const image *m = &s->image;
    const size_t key = pattern_key_size(h->type);
    uint64_t random = h->seed;
    cl_uint i;
    if (!image_fill(m, PIECES_SPLITTERS, 0, s->splitter_count, 0, h->type, h->pattern, h->seed + 99,
                    16))
        return 0;
    for (i = 0; i < s->splitter_count; i++) {
        unsigned char *const to = image_at(m, m->was, PIECES_SPLITTERS, i);
        if (i % 3 == 1 && s->n)
            memcpy(to, image_at(m, m->was, PIECES_KEYS, pattern_random(&random) % s->n), key);
        if (i % 3 == 2) memcpy(to, to - key, key);
    }
    return h->unsorted || pieces_sort(m, PIECES_SPLITTERS, 0, s->splitter_count, h);
}

static inline int partition_open(const bench *b, const pieces_how *h, size_t n,
                                 cl_uint splitter_count, pieces_state *s)
{
    const size_t key = pattern_key_size(h->type);
    clsort_partition_desc d;
    size_t scratch = 0;
    pieces_begin(h, s, n, 0);
    s->splitter_count = splitter_count;
    image_add(&s->image, PIECES_SPLITTERS, key, splitter_count * key, h->shift);
    image_add(&s->image, PIECES_STARTS, 4, (splitter_count + (size_t)2) * 4, 0);
    d = partition_describe(h, s);
    return CHECK_OK(clsort_partition_scratch_size(b->sorter, &d, &scratch))
           && pieces_allocate(h, s, scratch)
           && image_fill(&s->image, PIECES_KEYS, 0, n, 0, h->type, h->pattern, h->seed, 16)
           && partition_splitters(h, s) && pieces_upload(b, s);
}

static inline int partition_enqueue(const bench *b, const pieces_how *h, pieces_state *s)
{
    const clsort_partition_desc d = partition_describe(h, s);
    image_call c;
    const int good
        = image_call_begin(b, h->queue, h->wait, &c)
          && CHECK_OK(clsort_enqueue_partition(b->sorter, c.queue, &d, c.n, c.list, &c.done));
    return image_call_end(b, &c, good);
}

static inline int partition_check(const bench *b, const pieces_how *h, size_t n,
                                  cl_uint splitter_count)
{
    char what[80];
    pieces_state s;
    int good;
    snprintf(what, sizeof what, "%zu keys by %u splitters", n, (unsigned)splitter_count);
    pieces_say(what, h);
    good = partition_open(b, h, n, splitter_count, &s) && partition_enqueue(b, h, &s)
           && pieces_hold(b, h, &s);
    pieces_close(&s);
    return good;
}

#endif
