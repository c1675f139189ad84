/* pieces.h - one clsort_enqueue_merge_runs or clsort_enqueue_partition, checked byte for byte,
   guards included, against the host. */

#ifndef CLSORT_TESTS_PIECES_H
#define CLSORT_TESTS_PIECES_H

#include "cases.h"

enum { PIECES_GUARD = 61 };

/* An array between guards: its image, and a buffer that begins as a copy. */
typedef struct piece {
    size_t size, count, first, bytes;   /* first: elements before the array */
    unsigned char *image;
    cl_mem buffer;
} piece;

static inline int piece_open(const bench *b, piece *p, size_t size, size_t count, size_t shift)
{
    uint64_t noise = 77 + count + 5 * size;
    size_t i;
    p->size = size;
    p->count = count;
    p->first = PIECES_GUARD + shift;
    p->bytes = size * (p->first + count + PIECES_GUARD);
    p->image = (unsigned char *)malloc(p->bytes + 8);
    if (!CHECK(p->image != NULL)) return 0;
    for (i = 0; i < p->bytes; i++) p->image[i] = (unsigned char)(pattern_random(&noise) >> 40);
    (void)b;
    return 1;
}

static inline unsigned char *piece_at(const piece *p, size_t i)
{
    return p->image + (p->first + i) * p->size;
}

static inline size_t piece_offset(const piece *p) { return p->first * p->size; }

static inline int piece_upload(const bench *b, piece *p)
{
    if (p->size) p->buffer = test_buffer(b, p->bytes, p->image);
    return !p->size || CHECK(p->buffer != NULL);
}

/* Is the buffer as the image says? With `any` the elements may be anything. */
static inline int piece_holds(const bench *b, const piece *p, int any)
{
    const size_t begin = piece_offset(p), end = begin + p->count * p->size;
    unsigned char *now = (unsigned char *)malloc(p->bytes + 1);
    int good = !p->size
               || (CHECK(now
                         && clEnqueueReadBuffer(b->session.queue, p->buffer, CL_TRUE, 0, p->bytes,
                                                now, 0, NULL, NULL)
                                == CL_SUCCESS)
                   && CHECK(!memcmp(now, p->image, any ? begin : end))
                   && CHECK(!memcmp(now + end, p->image + end, p->bytes - end)));
    free(now);
    return good;
}

static inline void piece_close(piece *p)
{
    if (p->buffer) clReleaseMemObject(p->buffer);
    free(p->image);
}

static inline void piece_codes(const piece *p, cl_uint type, cl_uint order, cl_uint nan_order,
                               size_t n, uint64_t *codes)
{
    clsort_desc d = clsort_desc_default();
    d.key_type = type;
    d.order = order;
    d.nan_order = nan_order;
    reference_codes(piece_at(p, 0), p->size, n, &d, codes);
}

/* Fills a part of an array of keys with a pattern, sorted unless that is not wanted. */
static inline int piece_fill(const piece *p, size_t from, size_t n, const char *pattern,
                             uint64_t seed, const clsort_desc *order)
{
    unsigned char *keys = (unsigned char *)calloc(n + 1, p->size + 1);
    uint64_t *codes = (uint64_t *)malloc(n * 8 + 1);
    uint32_t *place = (uint32_t *)malloc(n * 4 + 1);
    size_t i;
    int good = CHECK(keys && codes && place);
    if (good) {
        pattern_fill(pattern_find(pattern), order->key_type, n, seed, 16, keys);
        reference_codes(keys, p->size, n, order, codes);
        reference_count_up(place, n);
        good = order->stable == 0 || CHECK(reference_argsort(codes, n, place));
        for (i = 0; good && i < n; i++)
            memcpy(piece_at(p, from + i), keys + place[i] * p->size, p->size);
    }
    free(keys);
    free(codes);
    free(place);
    return good;
}

/* Moves elements to where they must end in an output: element i was at from[i]. */
static inline void piece_permute(const piece *in, const uint32_t *from, piece *out)
{
    size_t i;
    for (i = 0; i < in->count; i++) memcpy(piece_at(out, i), piece_at(in, from[i]), in->size);
}

/* What both calls share: types, and how they are made. */
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

static inline clsort_desc pieces_order(const pieces_how *h)
{
    clsort_desc d = clsort_desc_default();
    d.key_type = h->type;
    d.order = h->order;
    d.nan_order = h->nan_order;
    d.stable = !h->unsorted;
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

/* What descriptions of merges and of partitions have in common. */
#define PIECES_DESCRIBE(m, h) \
    do { \
        (m).key_type = (h)->type; \
        (m).order = (h)->order; \
        (m).nan_order = (h)->nan_order; \
        (m).value_size = (h)->value_size; \
        (m).tuning.work_group = (h)->work_group; \
        (m).tuning.items = (h)->items; \
    } while (0)

/* A call between its wait list and its event. */
typedef struct pieces_call {
    const bench *b;
    cl_command_queue queue;
    sort_case waits;
    cl_event done, wait[2];
    cl_uint n_wait;
    cl_mem scratch;
    size_t scratch_size;
} pieces_call;

static inline int pieces_begin(const bench *b, const pieces_how *h, size_t scratch, pieces_call *c)
{
    memset(c, 0, sizeof *c);
    c->b = b;
    c->queue = h->queue ? h->queue : b->session.queue;
    c->waits.wait = h->wait;
    c->n_wait = h->wait ? 2 : 0;
    c->scratch_size = scratch;
    if (h->own_scratch && scratch) c->scratch = test_buffer(b, scratch + 16, NULL);
    return case_waits(&c->waits, b, c->wait);
}

static inline int pieces_end(pieces_call *c, const pieces_how *h, int good)
{
    cl_uint i;
    if (h->wait == CASE_WAIT_LATER) clSetUserEventStatus(c->wait[1], CL_COMPLETE);
    good = good && case_finish(&c->waits, c->queue, c->done);
    for (i = 0; i < 2; i++)
        if (c->wait[i]) clReleaseEvent(c->wait[i]);
    if (c->scratch) clReleaseMemObject(c->scratch);
    return good;
}

static inline void pieces_say(const char *what, const pieces_how *h)
{
    AT("%s, %s, %s, %s, nan_order %u, value_size %zu, seed %llu, shift %zu%s%s, work_group %u, "
       "items %u, wait %d, %s queue",
       what, case_type_name(h->type), h->pattern, h->order ? "descending" : "ascending",
       (unsigned)h->nan_order, h->value_size, (unsigned long long)h->seed, h->shift,
       h->unsorted ? ", unsorted" : "", h->own_scratch ? ", own scratch" : "",
       (unsigned)h->work_group, (unsigned)h->items, h->wait, h->queue ? "other" : "first");
}

/* ---- merges of runs -------------------------------------------------------------------------- */

typedef struct runs_state {
    piece keys, values, keys_out, values_out;   /* inputs: all runs, one after another */
    clsort_run run[CLSORT_MAX_RUNS];
    cl_mem own[2 * CLSORT_MAX_RUNS];    /* of runs with buffers of their own */
    size_t n;
} runs_state;

/* Gives run k its place in the common buffers or, if `apart`, buffers of its own. */
static inline int runs_place(const bench *b, const pieces_how *h, runs_state *s, cl_uint k,
                             size_t first, int apart)
{
    clsort_run *const r = &s->run[k];
    const size_t key = s->keys.size, size = h->value_size;
    r->keys = s->keys.buffer;
    r->values = s->values.buffer;
    r->keys_offset = piece_offset(&s->keys) + first * key;
    r->values_offset = size ? piece_offset(&s->values) + first * size : 0;
    if (!apart) return 1;
    r->keys_offset = r->values_offset = 0;
    if (!r->count) {
        r->keys = r->values = NULL;
        return 1;
    }
    r->keys = s->own[k] = test_buffer(b, r->count * key, piece_at(&s->keys, first));
    if (size)
        r->values = s->own[CLSORT_MAX_RUNS + k] = test_buffer(b, r->count * size,
                                                              piece_at(&s->values, first));
    return CHECK(r->keys && (r->values || !size));
}

static inline int runs_open(const bench *b, const pieces_how *h, const size_t *counts,
                            cl_uint run_count, int apart, runs_state *s)
{
    const clsort_desc order = pieces_order(h);
    const size_t key = pattern_key_size(h->type);
    size_t first = 0;
    cl_uint k;
    int good = 1;
    memset(s, 0, sizeof *s);
    for (k = 0; k < run_count; k++) s->n += s->run[k].count = counts[k];
    good = piece_open(b, &s->keys, key, s->n, h->shift)
           && piece_open(b, &s->values, h->value_size, s->n, h->shift)
           && piece_open(b, &s->keys_out, key, s->n, h->shift / 2)
           && piece_open(b, &s->values_out, h->value_size, s->n, h->shift / 2);
    for (k = 0; good && k < run_count; first += counts[k++])
        good = piece_fill(&s->keys, first, counts[k], h->pattern, h->seed + k, &order);
    good = good && piece_upload(b, &s->keys) && piece_upload(b, &s->values)
           && piece_upload(b, &s->keys_out) && piece_upload(b, &s->values_out);
    for (first = k = 0; good && k < run_count; first += counts[k++])
        good = runs_place(b, h, s, k, first, apart);
    return good;
}

static inline void runs_close(runs_state *s)
{
    int k;
    for (k = 0; k < 2 * CLSORT_MAX_RUNS; k++)
        if (s->own[k]) clReleaseMemObject(s->own[k]);
    piece_close(&s->keys);
    piece_close(&s->values);
    piece_close(&s->keys_out);
    piece_close(&s->values_out);
}

/* The outputs as they must be: a stable sort of all runs. */
static inline int runs_expect(const pieces_how *h, runs_state *s)
{
    uint64_t *codes = (uint64_t *)malloc(s->n * 8 + 1);
    uint32_t *from = (uint32_t *)malloc(s->n * 4 + 1);
    int good = CHECK(codes && from);
    if (good) {
        piece_codes(&s->keys, h->type, h->order, h->nan_order, s->n, codes);
        reference_count_up(from, s->n);
        good = CHECK(reference_argsort(codes, s->n, from));
        if (good) piece_permute(&s->keys, from, &s->keys_out);
        if (good) piece_permute(&s->values, from, &s->values_out);
    }
    free(codes);
    free(from);
    return good;
}

static inline int runs_enqueue(const bench *b, const pieces_how *h, runs_state *s,
                               cl_uint run_count)
{
    clsort_merge_runs_desc m = clsort_merge_runs_desc_default();
    pieces_call c;
    size_t scratch = 0;
    int good;
    m.runs = s->run;
    m.run_count = run_count;
    PIECES_DESCRIBE(m, h);
    if (!CHECK_OK(clsort_merge_runs_scratch_size(b->sorter, &m, &scratch))) return 0;
    m.keys_out = s->keys_out.buffer;
    m.values_out = s->values_out.buffer;
    m.keys_out_offset = piece_offset(&s->keys_out);
    m.values_out_offset = piece_offset(&s->values_out);
    good = pieces_begin(b, h, scratch, &c);
    if (c.scratch) m.scratch = c.scratch, m.scratch_offset = 16, m.scratch_size = scratch;
    good = good
           && CHECK_OK(clsort_enqueue_merge_runs(b->sorter, c.queue, &m, c.n_wait,
                                                 c.n_wait ? c.wait : NULL, &c.done));
    return pieces_end(&c, h, good);
}

static inline int runs_check(const bench *b, const pieces_how *h, const size_t *counts,
                             cl_uint run_count, int apart)
{
    char what[160];
    runs_state s;
    cl_uint k;
    int good;
    snprintf(what, sizeof what, "%u runs%s of", (unsigned)run_count, apart ? " apart" : "");
    for (k = 0; k < run_count; k++)
        snprintf(what + strlen(what), sizeof what - strlen(what), " %zu", counts[k]);
    pieces_say(what, h);
    good = runs_open(b, h, counts, run_count, apart, &s) && runs_enqueue(b, h, &s, run_count)
           && (h->unsorted || runs_expect(h, &s)) && piece_holds(b, &s.keys, 0)
           && piece_holds(b, &s.values, 0) && piece_holds(b, &s.keys_out, h->unsorted)
           && piece_holds(b, &s.values_out, h->unsorted);
    runs_close(&s);
    return good;
}

/* ---- partitions ------------------------------------------------------------------------------ */

typedef struct partition_state {
    piece keys, values, keys_out, values_out, splitters, starts;
    size_t n;
    cl_uint splitter_count;
} partition_state;

/* Splitters: some keys, if there are any, and other numbers; every third one twice. */
static inline int partition_splitters(const pieces_how *h, partition_state *s)
{
    const clsort_desc order = pieces_order(h);
    const size_t key = s->keys.size;
    clsort_desc any = order;
    uint64_t random = h->seed;
    uint64_t codes[CLSORT_MAX_SPLITTERS];
    uint32_t place[CLSORT_MAX_SPLITTERS];
    unsigned char sorted[8 * CLSORT_MAX_SPLITTERS];
    cl_uint i;
    any.stable = 0;
    if (!piece_fill(&s->splitters, 0, s->splitter_count, h->pattern, h->seed + 99, &any)) return 0;
    for (i = 0; i < s->splitter_count; i++) {
        unsigned char *const to = piece_at(&s->splitters, i);
        if (i % 3 == 1 && s->n)
            memcpy(to, piece_at(&s->keys, (size_t)(pattern_random(&random) % s->n)), key);
        if (i % 3 == 2) memcpy(to, to - key, key);
    }
    if (h->unsorted) return 1;
    reference_codes(piece_at(&s->splitters, 0), key, s->splitter_count, &order, codes);
    reference_count_up(place, s->splitter_count);
    if (!CHECK(reference_argsort(codes, s->splitter_count, place))) return 0;
    for (i = 0; i < s->splitter_count; i++)
        memcpy(sorted + i * key, piece_at(&s->splitters, place[i]), key);
    memcpy(piece_at(&s->splitters, 0), sorted, s->splitter_count * key);
    return 1;
}

static inline int partition_open(const bench *b, const pieces_how *h, size_t n,
                                 cl_uint splitter_count, partition_state *s)
{
    const size_t key = pattern_key_size(h->type);
    clsort_desc order = pieces_order(h);
    memset(s, 0, sizeof *s);
    s->n = n;
    s->splitter_count = splitter_count;
    order.stable = 0;
    return piece_open(b, &s->keys, key, n, h->shift)
           && piece_open(b, &s->values, h->value_size, n, h->shift)
           && piece_open(b, &s->keys_out, key, n, h->shift / 2)
           && piece_open(b, &s->values_out, h->value_size, n, h->shift / 2)
           && piece_open(b, &s->splitters, key, splitter_count, h->shift)
           && piece_open(b, &s->starts, 4, splitter_count + 2, 0)
           && piece_fill(&s->keys, 0, n, h->pattern, h->seed, &order)
           && partition_splitters(h, s) && piece_upload(b, &s->keys)
           && piece_upload(b, &s->values) && piece_upload(b, &s->keys_out)
           && piece_upload(b, &s->values_out) && piece_upload(b, &s->splitters)
           && piece_upload(b, &s->starts);
}

static inline void partition_close(partition_state *s)
{
    piece_close(&s->keys);
    piece_close(&s->values);
    piece_close(&s->keys_out);
    piece_close(&s->values_out);
    piece_close(&s->splitters);
    piece_close(&s->starts);
}

/* The outputs as they must be: a stable sort by the numbers of parts. */
static inline int partition_expect(const pieces_how *h, partition_state *s)
{
    uint64_t *codes = (uint64_t *)malloc(s->n * 8 + 1), splitters[CLSORT_MAX_SPLITTERS];
    uint32_t *from = (uint32_t *)malloc(s->n * 4 + 1), starts[CLSORT_MAX_SPLITTERS + 2] = { 0 };
    size_t i;
    cl_uint p;
    int good = CHECK(codes && from);
    if (good) {
        piece_codes(&s->keys, h->type, h->order, h->nan_order, s->n, codes);
        piece_codes(&s->splitters, h->type, h->order, h->nan_order, s->splitter_count, splitters);
        for (i = 0; i < s->n; i++) {
            for (p = 0; p < s->splitter_count && splitters[p] <= codes[i];) p++;
            codes[i] = p;
            starts[p + 1]++;
        }
        for (p = 0; p <= s->splitter_count; p++) starts[p + 1] += starts[p];
        memcpy(piece_at(&s->starts, 0), starts, ((size_t)s->splitter_count + 2) * 4);
        reference_count_up(from, s->n);
        good = CHECK(reference_argsort(codes, s->n, from));
        if (good) piece_permute(&s->keys, from, &s->keys_out);
        if (good) piece_permute(&s->values, from, &s->values_out);
    }
    free(codes);
    free(from);
    return good;
}

static inline int partition_enqueue(const bench *b, const pieces_how *h, partition_state *s)
{
    clsort_partition_desc m = clsort_partition_desc_default();
    pieces_call c;
    size_t scratch = 0;
    int good;
    m.count = s->n;
    m.splitter_count = s->splitter_count;
    PIECES_DESCRIBE(m, h);
    if (!CHECK_OK(clsort_partition_scratch_size(b->sorter, &m, &scratch))) return 0;
    m.keys = s->keys.buffer;
    m.values = s->values.buffer;
    m.keys_out = s->keys_out.buffer;
    m.values_out = s->values_out.buffer;
    m.splitters = s->splitters.buffer;
    m.starts = s->starts.buffer;
    m.keys_offset = piece_offset(&s->keys);
    m.values_offset = piece_offset(&s->values);
    m.keys_out_offset = piece_offset(&s->keys_out);
    m.values_out_offset = piece_offset(&s->values_out);
    m.splitters_offset = piece_offset(&s->splitters);
    m.starts_offset = piece_offset(&s->starts);
    good = pieces_begin(b, h, scratch, &c);
    if (c.scratch) m.scratch = c.scratch, m.scratch_offset = 16, m.scratch_size = scratch;
    good = good
           && CHECK_OK(clsort_enqueue_partition(b->sorter, c.queue, &m, c.n_wait,
                                                c.n_wait ? c.wait : NULL, &c.done));
    return pieces_end(&c, h, good);
}

static inline int partition_check(const bench *b, const pieces_how *h, size_t n,
                                  cl_uint splitter_count)
{
    char what[80];
    partition_state s;
    int good;
    snprintf(what, sizeof what, "%zu keys by %u splitters", n, (unsigned)splitter_count);
    pieces_say(what, h);
    good = partition_open(b, h, n, splitter_count, &s) && partition_enqueue(b, h, &s)
           && (h->unsorted || partition_expect(h, &s)) && piece_holds(b, &s.keys, 0)
           && piece_holds(b, &s.values, 0) && piece_holds(b, &s.splitters, 0)
           && piece_holds(b, &s.keys_out, h->unsorted)
           && piece_holds(b, &s.values_out, h->unsorted) && piece_holds(b, &s.starts, h->unsorted);
    partition_close(&s);
    return good;
}

#endif
