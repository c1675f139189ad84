/* Top-k and n-th elements of rows: types, orders, ties, lengths around every switch, strides and
   outputs as rows of a table (rows.h); plans for many elements, bad calls. */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "rows.h"
#include "top.h"

/* ---- selections as rows ---------------------------------------------------------------------- */

/* What a row draws besides what a sort has: k; with the words many (rows), gaps (between rows),
   outputs (any set of them), apart (gaps between results), scratch, lengths (of rows), cuts
   (segments), nth, loose (in any order), parted (partitions), held (a work-group must hold its
   row). */

enum { MOST_ROWS = 512, MOST_CUTS = 16 };

static void draw_number_of_rows(const test_row *r, uint64_t *random, top_case *t)
{
    t->d.rows = row_has(r, "many") ? 64u << draw(random, 4) : draw(random, 6);
    while (t->d.rows > 64 && t->d.rows * t->d.count > 1 << 20) t->d.rows /= 2;
    t->gap = t->d.rows && row_chance(r, "gaps", random, 50) ? 1 + draw(random, 130) : 0;
}

/* Below, at and above k; 0; above the count. */
static void draw_lengths(uint64_t *random, top_case *t)
{
    static uint32_t lengths[MOST_ROWS];
    const size_t n = t->d.count, k = t->d.top_k;
    size_t i;
    for (i = 0; i < t->d.rows; i++) {
        const size_t some[] = { 0, 1, k - 1, k, k + 1, n - 1, n, n + 9, draw(random, n + 1) };
        lengths[i] = (uint32_t)some[draw(random, 9)];
    }
    t->bounds = lengths;
}

/* Empty segments, short and long ones; offsets that descend and that lead out; ends of their own,
   which leave gaps, overlap or come in any order. Partitions move elements: their segments
   ascend. */
static void draw_cuts(uint64_t *random, top_case *t, int parted)
{
    static uint32_t offsets[MOST_CUTS + 1], ends[MOST_CUTS];
    const size_t n = t->d.count;
    const int ascend = parted || chance(random, 70);
    size_t i;
    t->segments = 1 + draw(random, MOST_CUTS);
    t->d.rows = t->gap = 0;
    for (i = 0; i <= t->segments; i++) offsets[i] = (uint32_t)draw(random, n + !parted * n / 8 + 1);
    if (ascend) qsort(offsets, t->segments + 1, sizeof *offsets, top_by_number);
    if (chance(random, 30)) offsets[t->segments / 2] = offsets[t->segments / 2 + 1];
    t->bounds = offsets;
    if (chance(random, 50)) return;
    for (i = 0; i < t->segments; i++) {
        const uint32_t end = offsets[i + 1], length = end > offsets[i] ? end - offsets[i] : 0;
        ends[i] = end - (chance(random, 50) ? (uint32_t)draw(random, length + 1) : 0);
        if (!parted && chance(random, 20)) ends[i] = (uint32_t)draw(random, n + n / 4 + 1);
    }
    t->ends = ends;
}

static cl_uint draw_flag(const test_row *r, uint64_t *random)
{
    const size_t kind = draw(random, 4);
    if (row_chance(r, "parted", random, 30)) return CLSORT_FLAG_TOP_PARTITION;
    if (kind == 1 && row_has(r, "nth")) return CLSORT_FLAG_TOP_NTH;
    if (kind == 2 && row_has(r, "loose")) return CLSORT_FLAG_TOP_UNSORTED;
    return 0;
}

/* Values go to values_out, or, of a partition without indices, stay beside their keys. */
static void draw_outputs(const test_row *r, uint64_t *random, top_case *t)
{
    const int parted = t->d.flags == CLSORT_FLAG_TOP_PARTITION;
    if (row_has(r, "outputs")) t->outputs = (int)draw(random, 8);
    else if (t->d.value_size) t->outputs |= TOP_VALUES;
    if (t->d.flags == CLSORT_FLAG_TOP_UNSORTED) t->outputs |= TOP_INDICES;
    if (parted && t->segments) t->outputs = 0;
    if (parted && t->outputs & TOP_INDICES && t->d.value_size) t->outputs |= TOP_VALUES;
    if (!t->d.value_size) t->outputs &= ~TOP_VALUES;
    if (!t->outputs && !parted) t->outputs = TOP_KEYS;
    if (!parted && !(t->outputs & TOP_VALUES)) t->d.value_size = 0;
    if (!t->outputs || !(t->d.rows || t->segments) || !row_chance(r, "apart", random, 50)) return;
    t->apart = (parted ? t->d.count : t->d.top_k) + draw(random, 70);
}

static top_case draw_selection(const test_row *r, const sort_case *c, uint64_t *random)
{
    const size_t n = c->d.count, k = row_number_k(r, c);
    top_case t = top_make(c->d.key_type, 0, n, k);
    t.d = c->d;
    t.d.top_k = k > n ? n : k + !k;
    t.pattern = c->pattern;
    t.seed = c->seed;
    t.fields = c->fields;
    t.field_count = c->field_count;
    t.scratch = c->own_scratch;
    t.wait = c->wait;
    t.queue = c->queue;
    t.counted = c->counted;
    t.there = c->there;
    t.d.flags = draw_flag(r, random);
    draw_number_of_rows(r, random, &t);
    if (row_chance(r, "cuts", random, 50))
        draw_cuts(random, &t, t.d.flags == CLSORT_FLAG_TOP_PARTITION);
    else if (t.d.rows && row_chance(r, "lengths", random, 50)) draw_lengths(random, &t);
    draw_outputs(r, random, &t);
    return t;
}

/* Does a selection take this kernel? */
static int takes_kernel(const bench *b, const top_case *c, const char *kernel)
{
    static char text[2000];
    clsort_desc d = c->d;
    d.keys_out = CLSORT_LATER;
    return CHECK_OK(clsort_explain(b->sorter, &d, text, sizeof text)) && strstr(text, kernel);
}

static int select_some(const bench *b, const test_row *r, const sort_case *c, uint64_t *random)
{
    const top_case t = draw_selection(r, c, random);
    return top_run(b, &t)
           && (!row_has(r, "held") || t.d.count > t.d.tuning.work_group * (size_t)8
               || CHECK(takes_kernel(b, &t, "clsort_select_short")
                        || takes_kernel(b, &t, "clsort_select_tile")));
}

/* ---- plans for many elements ----------------------------------------------------------------- */

/* Where a work-item that reads a row of descending elements alone draws a sample of the rest: each
   element comes before those so far, until stream_row_part of kernels.cl has no patience left. 0
   if the device has no such plan. */
static size_t place_of_sample(const bench *b, const clsort_desc *d)
{
    const size_t k = d->top_k,
                 patience = 8 + k * (2 + clsort__ceil_log2((cl_uint)(d->count / k + 1)));
    clsort__plan p;
    clsort__plan_selection(&b->sorter->facts, b->sorter->policy, d, &p);
    return p.select.how == CLSORT__BY_STREAMS && p.select.parts == 1
               ? p.select.list_capacity + (patience - 1) / 32 * 32
               : 0;
}

/* Rows that a work-item reads alone: after a beginning in descending order, low keys where a sample
   of the rest looks make its bound too low. */
static void streams_that_a_sample_misleads(bench *b)
{
    enum { ROWS = 8, N = 40000, K = 40, LOWEST = 6 };
    static uint32_t keys[ROWS * N];
    top_case c = top_make(CLSORT_U32, ROWS, N, K);
    const size_t low = place_of_sample(b, &c.d), apart = (N - low) / 64;
    size_t row, i;
    for (i = 0; i < ROWS * N; i++)
        keys[i] = i % N < low + 32 || i / N % 2 ? 1000000 - (uint32_t)(i % N) : 1000;
    for (row = 0; row < ROWS; row++)
        for (i = 0; i < LOWEST; i++) {   /* as draw_below of kernels.cl */
            uint32_t drawn = ((uint32_t)i + 1) * 0x9E3779B1u;
            drawn = (drawn ^ drawn >> 15) * 0x85EBCA6Bu;
            keys[row * N + low + i * apart + ((uint64_t)drawn * apart >> 32)] = 0;
        }
    c.keys = keys;
    top_run(b, &c);
}

/* Rows just below, at and above stream_long times k, for k on both sides of half the list: from
   there on a CPU of few cores reads them once. */
static void large_k_of_long_rows(bench *b)
{
    static const char *const patterns[] = { "mod-3", "uniform", "reverse", "sorted", "equal" };
    static const cl_uint flags[] = { 0, CLSORT_FLAG_TOP_NTH, CLSORT_FLAG_TOP_UNSORTED };
    size_t i, half, side;
    for (i = 0; i < 10; i++)
        for (half = 0; half < 4; half++)
            for (side = 0; side < 3; side++) {
                const cl_uint type = i & 1 ? CLSORT_U64 : CLSORT_F32;
                const size_t capacity = i & 1 ? 2048 : 4096,
                             k = capacity / (half & 2 ? 2 : 4) + (half & 1);
                const size_t n = b->sorter->policy->select.stream_long * k + side - 1;
                top_case c = top_make(type, 1, n, k);
                clsort__plan p;
                c.pattern = patterns[i / 2];
                c.d.flags = flags[(i + half + side) % 3];
                clsort__plan_selection(&b->sorter->facts, b->sorter->policy, &c.d, &p);
                if (p.select.most_capacity != capacity || !test_is_cpu(b)) return;
                AT("%zu of %zu, %s", k, c.d.count, c.pattern);
                if (b->sorter->facts.compute_units <= 6)
                    CHECK((p.select.how == CLSORT__BY_STREAMS)
                          == (!half || (half < 3 && side == 2)));
                if (test_takes(b, 4) && !top_run(b, &c)) return;
            }
}

/* Rows around what a work-item keeps in order, what it ranks by comparing all with all, and what is
   left where it samples the rest: 547 to 549 keys less 36 make 7 or 8 for each of 64 samples. */
static void work_items_keep_any_number(bench *b)
{
    static const char *const patterns[] = { "uniform", "reverse", "mod-3" };
    static const struct { size_t count, k; } cases[] = {
        { 300, CLSORT__EDGE_INSERT_MOST },    { CLSORT__EDGE_RANK_MOST, 50 },
        { 36 + 64 * CLSORT__EDGE_LEAST_APART, 4 }
    };
    size_t i, side, j;
    for (i = 0; i < 3; i++)
        for (side = 0; side < 3; side++)
            for (j = 0; j < 6; j++) {
                const size_t moved = side - 1;
                top_case c = top_make(CLSORT_U32, 1 + j % 3, cases[i].count + (i ? moved : 0),
                                      cases[i].k + (i ? 0 : moved));
                c.pattern = patterns[j % 3];
                c.d.flags = j / 3 ? (cl_uint)CLSORT_FLAG_TOP_NTH : 0;
                if (!top_run(b, &c)) return;
            }
}

/* A row has a bound as long as that is among the first LAST_BOUND of the columns' firsts, of which
   a work-item has two at most. Of equal keys as many as k are candidates. */
static void bounds_of_columns(bench *b)
{
    static const struct { cl_uint group; size_t count, k; const char *pattern; } cases[] = {
        { 32, 900, CLSORT__EDGE_LAST_BOUND(32), "uniform" },
        { 32, 900, CLSORT__EDGE_LAST_BOUND(64), "uniform" },
        { 256, 600, CLSORT__EDGE_RANKED_MOST(256), "equal" }
    };
    size_t i, side;
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        for (side = 0; side < 3 && (i == 1 || !b->few_programs); side++) {
            top_case c = top_make(CLSORT_U32, 2, cases[i].count, cases[i].k + side - 1);
            c.pattern = cases[i].pattern;
            c.d.tuning.work_group = cases[i].group;
            if (!top_run(b, &c)) return;
            CHECK(takes_kernel(b, &c, "clsort_select_short") == (i != 1 || side < 2));
        }
}

/* The clusters of the sample by which rows are bounded; 0: there is none. */
static uint32_t sample_clusters(const bench *b, const top_case *c)
{
    clsort__plan p;
    clsort__plan_selection(&b->sorter->facts, b->sorter->policy, &c->d, &p);
    return clsort__has_sample(&p) ? p.select.clusters : 0;
}

/* Has a work-group room for the candidates of a piece? */
static int holds_piece(const bench *b, cl_uint type, size_t k, size_t piece, size_t group)
{
    const size_t firsts = k > CLSORT__EDGE_LAST_BOUND(group) ? 2 : 1, columns = firsts * group,
                 candidates = k * (piece / columns), bytes = clsort__key_bits(type) / 8;
    const cl_uint capacity = 1u << clsort__ceil_log2(candidates > columns ? candidates : columns);
    return (columns + 1 + (capacity < piece ? capacity : piece)) * CLSORT__RANKED_BYTES(bytes) + 8
           <= b->sorter->facts.local_bytes;
}

enum { ROUNDS_PIECE = CLSORT__SHORT_MOST, ROUNDS_GROUP = 128,
       ROUNDS_MOST_K = CLSORT__EDGE_LAST_BOUND(CLSORT__SHORT_FIRSTS * ROUNDS_GROUP),
       ROUNDS_MOST_OF_ALL = ROUNDS_PIECE / CLSORT__ROUND_PART };

typedef struct rounds_case {
    cl_uint type;
    size_t rows, n, k;
    const char *pattern;
} rounds_case;

/* A selection of a case, or of its k-th alone; returns whether it went as it should. */
static int long_row_in_rounds(bench *b, const rounds_case *r, int nth, cl_uint order)
{
    const int large = r->k >= ROUNDS_MOST_OF_ALL, group = large ? 2 * ROUNDS_GROUP : ROUNDS_GROUP,
              in_rounds = r->k <= (size_t)(large ? ROUNDS_MOST_OF_ALL : ROUNDS_MOST_K)
                          && holds_piece(b, r->type, r->k, ROUNDS_PIECE, (size_t)group);
    top_case c = top_make(r->type, r->rows, r->n, r->k);
    c.pattern = r->pattern;
    c.d.tuning.work_group = (cl_uint)group;
    c.d.flags = nth ? (cl_uint)CLSORT_FLAG_TOP_NTH : 0;
    c.d.order = order;
    c.scratch = 1;
    c.apart = nth ? 0 : r->k + 5;
    return top_run(b, &c)
           && CHECK(b->sorter->facts.has_progress || takes_kernel(b, &c, "by rounds") == in_rounds);
}

/* Pieces of rows, of up to three rounds: around whole pieces, where another round begins, and
   around the most k. */
static void long_rows_in_rounds(bench *b)
{
    enum { PIECE = ROUNDS_PIECE, MOST_K = ROUNDS_MOST_K, MOST_OF_ALL = ROUNDS_MOST_OF_ALL };
    static const rounds_case cases[] = {
        { CLSORT_U32, 1, PIECE + 1, 1, "uniform" },
        { CLSORT_U32, 3, 2 * PIECE - 1, 40, "sorted" },
        { CLSORT_F32, 1, 2 * PIECE, MOST_K, "mod-1000" },
        { CLSORT_U64, 2, 2 * PIECE + 1, MOST_K - 1, "reverse" },
        { CLSORT_U8, 1, 50000, MOST_K, "uniform" },
        { CLSORT_I16, 1, 25 * PIECE, MOST_K, "mostly-zero" },
        { CLSORT_U32, 1, 26 * PIECE + 1, MOST_K, "uniform" },
        { CLSORT_F64, 2, 100000, MOST_K, "uniform" },
        { CLSORT_I64, 1, 65536, 17, "equal" },
        { CLSORT_U32, 1, 65536, MOST_K + 1, "uniform" },
        { CLSORT_U32, 1, 20000, MOST_OF_ALL, "uniform" },
        { CLSORT_I32, 1, 20000, MOST_OF_ALL + 1, "uniform" }
    };
    size_t i;
    for (i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        if (!test_takes(b, 2)) continue;
        if (!long_row_in_rounds(b, &cases[i / 2], (int)(i % 2),
                                i / 2 % 2 ? CLSORT_DESCENDING : CLSORT_ASCENDING))
            return;
    }
}

/* A row of 4 million keys, whose sample leads nowhere or astray. */
static void long_rows_by_a_sample(bench *b)
{
    static const struct {
        const char *pattern;
        size_t k;
        int poisoned;
        uint32_t poison;
    } cases[] = { { "uniform", 260, 0, 0 }, { "mod-1000", 300, 0, 0 }, { "sorted", 257, 0, 0 },
                  { "uniform", 260, 1, 0 }, { "uniform", 260, 1, 0xFFFFFFFFu },
                  { "mostly-zero", 300, 0, 0 } };
    size_t i;
    for (i = 0; i < (b->small ? 0 : sizeof cases / sizeof *cases); i++) {
        top_case c = top_make(CLSORT_U32, 1, (1u << 22) + 77, cases[i].k);
        if (!test_takes(b, 3)) continue;
        c.pattern = cases[i].pattern;
        c.poison = cases[i].poison;
        c.d.tuning.work_group = 64;
        c.clusters = cases[i].poisoned ? sample_clusters(b, &c) : 0;
        if (!top_run(b, &c)
            || !CHECK(takes_kernel(b, &c, "clsort_select_sample")
                      || takes_kernel(b, &c, "clsort_select_begin")))
            return;
    }
}

/* One launch for everything after the sample, on devices where work-groups make progress: CPUs do,
   too. PoCL 3.1 optimizes this one kernel for half a minute, and then fails where steps are not
   followed by a barrier: tools/dev/check has it do so, tests/run has not. PoCL 6.0 fails without
   optimizing. A device of one unit would take other plans. */
static void long_rows_in_one_launch(bench *b)
{
    static const uint32_t poisons[] = { 0, 0, 0xFFFFFFFFu };
    bench other = *b;
    size_t i;
    if (!test_is_cpu(b) || b->small || b->few_programs) return;
    other.sorter = pretending_sorter(b, 0, 4, 0);
    if (!CHECK(other.sorter != NULL)) return;
    more_options = "-DCLSORT_FORWARD_PROGRESS=0";
    other.sorter->facts.has_progress = 1;
    other.sorter->policy = clsort__policy_of(&other.sorter->facts);
    for (i = 0; i < 10; i++) {
        top_case c = top_make(CLSORT_U32, 1 + i % 2, i < 5 ? 70001 : 8200,
                              i == 9 ? 900 : i == 4 ? 400 : 40 + i);
        if (i < 8 && !test_takes(b, 2)) continue;
        c.pattern = i % 4 == 3 ? "mod-16" : "uniform";
        c.poison = poisons[i % 3];
        c.twice = i % 2 == 1;
        c.gap = i % 3;
        c.d.tuning.work_group = 64;
        c.clusters = i % 3 ? sample_clusters(&other, &c) : 0;
        c.d.flags = i == 8 ? CLSORT_FLAG_TOP_NTH : 0;
        if (!top_run(&other, &c)) break;
        CHECK(takes_kernel(&other, &c, "clsort_select_long") == (i < 9));
    }
    CHECK(!(other.sorter->facts.given_up & CLSORT__BIT(CLSORT__LONG_ROWS)));
    more_options = NULL;
    clsort_destroy(other.sorter);
}

static void prepared_calls_build_nothing(bench *b)
{
    clsort_sorter *s;
    const bench *usual = test_now.device;
    bench other = *b;
    size_t i;
    for (i = 0; i < 5; i++) {
        top_case c = top_make(CLSORT_U16, i % 3 == 1 ? 1 : 20, i ? 50000 : 100,
                              i >= 2 ? 40000 : 13);
        c.d.flags = CLSORT_FLAG_NO_BUILD | (i == 2 ? CLSORT_FLAG_TOP_UNSORTED : 0);
        c.d.value_size = 2;
        c.outputs = TOP_VALUES | TOP_INDICES;
        if (!CHECK_OK(clsort_create(b->session.context, b->session.info.id, NULL, &s))) return;
        c.d.indices = CLSORT_LATER;
        other.sorter = s;
        test_now.device = &other;
        if (CHECK_OK(clsort_prepare(s, NULL, &c.d))) top_run(&other, &c);
        test_now.device = usual;
        clsort_destroy(s);
    }
}

static void scratch_bounds_hold(bench *b)
{
    static const size_t counts[] = { 1, 100, 3000, 10000, 200000 };
    size_t i, mine, any, last = 0;
    for (i = 0; i < 20; i++) {
        const size_t n = counts[i % 5];
        const cl_uint type = i < 10 ? CLSORT_F32 : CLSORT_I64;
        clsort_desc d = top_make(type, i < 10 ? 4 : 1, n, n / 2 + 1).d;
        if (i / 5 % 2) d.indices = CLSORT_LATER;
        else d.flags = CLSORT_FLAG_TOP_UNSORTED;
        last = i % 5 ? last : 0;
        AT("%zu keys, flags %u", n, (unsigned)d.flags);
        CHECK_OK(clsort_scratch_size(b->sorter, &d, &mine));
        CHECK_OK(clsort_scratch_size(NULL, &d, &any));
        CHECK(mine <= any && mine >= last);
        last = mine;
    }
}

/* ---- bad calls ------------------------------------------------------------------------------- */

/* A good selection from three rows, and arrays: one change to it. */
typedef struct bad_selection {
    clsort_desc good;
    cl_mem keys, keys_out, indices, small;
} bad_selection;

static void expect_refusal(const bench *b, const bad_selection *t, const clsort_desc *d,
                           const char *change, clsort_status wanted)
{
    static unsigned char before[3 * 400], after[3 * 400];
    const cl_mem written[] = { t->keys, t->keys_out, t->indices };
    cl_event done = (cl_event)(uintptr_t)d;
    size_t i, k;
    AT("%s", change);
    CHECK_STATUS(clsort_enqueue_sort(b->sorter, b->session.queue, d, 0, NULL, &done), wanted);
    CHECK(done == NULL);
    for (i = 0; i < sizeof before; i++) before[i] = (unsigned char)(i * 7);
    for (k = 0; k < 3; k++) {
        clEnqueueReadBuffer(b->session.queue, written[k], CL_TRUE, 0, sizeof after, after, 0, NULL,
                            NULL);
        CHECK(!memcmp(before, after, sizeof before));
    }
}

#define REFUSED(change, wanted) \
    do { \
        clsort_desc d = t->good; \
        change; \
        expect_refusal(b, t, &d, #change, wanted); \
    } while (0)

static void bad_numbers(const bench *b, const bad_selection *t)
{
    REFUSED(d.top_k = d.count + 1, CLSORT_ERROR_TOP_K);
    REFUSED(d.count = 0, CLSORT_ERROR_TOP_K);
    REFUSED(d.row_stride = 401, CLSORT_ERROR_MISALIGNED);
    REFUSED(d.row_stride = 396, CLSORT_ERROR_OVERLAP);
    REFUSED(d.row_stride = ~(size_t)0 / 8 & ~(size_t)3, CLSORT_ERROR_SIZE_OVERFLOW);
    REFUSED(d.keys_out_row_stride = 36, CLSORT_ERROR_OVERLAP);
    REFUSED(d.indices_row_stride = 36, CLSORT_ERROR_OVERLAP);
    REFUSED(d.indices_row_stride = 584, CLSORT_ERROR_BUFFER_TOO_SMALL);
    REFUSED(d.rows = (size_t)1 << 24, CLSORT_ERROR_COUNT_TOO_LARGE);
    REFUSED(d.rows = 4, CLSORT_ERROR_BUFFER_TOO_SMALL);
    REFUSED(d.record_size = 8, CLSORT_ERROR_BUFFER_TOO_SMALL);
}

static void bad_outputs(const bench *b, const bad_selection *t)
{
    REFUSED(d.keys_out = d.indices = NULL, CLSORT_ERROR_MISSING_BUFFER);
    REFUSED((d.values = d.keys, d.value_size = 4), CLSORT_ERROR_MISSING_BUFFER);
    REFUSED(d.keys_out = t->small, CLSORT_ERROR_BUFFER_TOO_SMALL);
    REFUSED(d.indices = t->small, CLSORT_ERROR_BUFFER_TOO_SMALL);
    REFUSED(d.keys_out = d.keys, CLSORT_ERROR_OVERLAP);
    REFUSED((d.flags = CLSORT_FLAG_TOP_PARTITION, d.keys_out = t->small),
            CLSORT_ERROR_BUFFER_TOO_SMALL);
    REFUSED((d.flags = CLSORT_FLAG_TOP_PARTITION, d.values = t->small, d.value_size = 4),
            CLSORT_ERROR_MISSING_BUFFER);
}

static void bad_kinds(const bench *b, const bad_selection *t)
{
    static const clsort_field fields[2] = { { 0, CLSORT_U64, 0, 0, 0 }, { 8, CLSORT_U8, 0, 0, 0 } };
    REFUSED((d.key_type = 0, d.record_size = 4, d.record_type = "typedef uint clsort_record;",
             d.precedes = "a < b"), CLSORT_ERROR_UNSUPPORTED);
    REFUSED((d.key_type = 0, d.record_size = 16, d.count = 20, d.fields = fields,
             d.field_count = 2), CLSORT_ERROR_UNSUPPORTED);
    REFUSED(d.algorithm = CLSORT_RADIX, CLSORT_ERROR_UNSUPPORTED);
    REFUSED(d.flags = CLSORT_FLAG_TOP_PARTITION | CLSORT_FLAG_TOP_UNSORTED,
            CLSORT_ERROR_UNKNOWN_FLAG);
    REFUSED(d.flags = CLSORT_FLAG_TOP_PARTITION | CLSORT_FLAG_TOP_NTH, CLSORT_ERROR_UNKNOWN_FLAG);
    REFUSED((d.flags = CLSORT_FLAG_TOP_PARTITION, d.top_k = 0), CLSORT_ERROR_UNKNOWN_FLAG);
    REFUSED((d.flags = CLSORT_FLAG_TOP_NTH, d.top_k = d.rows = 0), CLSORT_ERROR_UNKNOWN_FLAG);
}

static void bad_parts(const bench *b, const bad_selection *t)
{
    const cl_mem m = t->small;
    REFUSED((d.segments = m, d.rows = 0), CLSORT_ERROR_UNUSED_FIELD);
    REFUSED((d.segments = m, d.segment_count = 2), CLSORT_ERROR_UNSUPPORTED);
    REFUSED((d.segments = m, d.segment_count = (size_t)1 << 24, d.rows = 0),
            CLSORT_ERROR_COUNT_TOO_LARGE);
    REFUSED((d.segments = m, d.segment_count = 200, d.rows = 0, d.top_k = 1),
            CLSORT_ERROR_BUFFER_TOO_SMALL);
    REFUSED((d.lengths = m, d.rows = 0), CLSORT_ERROR_UNUSED_FIELD);
    REFUSED((d.lengths = m, d.lengths_offset = 2), CLSORT_ERROR_MISALIGNED);
    REFUSED((d.lengths = m, d.lengths_offset = 112), CLSORT_ERROR_BUFFER_TOO_SMALL);
    REFUSED((d.lengths = m, d.lengths_offset = ~(size_t)3), CLSORT_ERROR_SIZE_OVERFLOW);
    REFUSED(d.lengths_offset = 4, CLSORT_ERROR_UNUSED_FIELD);
    REFUSED(d.lengths = CLSORT_LATER, CLSORT_ERROR_MISSING_BUFFER);
    REFUSED(d.lengths = d.keys_out, CLSORT_ERROR_OVERLAP);
    REFUSED((d.lengths = m, d.top_k = 0), CLSORT_ERROR_UNSUPPORTED);
    REFUSED((d.lengths = d.segments = m, d.segment_count = 1, d.rows = 1),
            CLSORT_ERROR_UNSUPPORTED);
}

static void bad_calls_change_nothing(bench *b)
{
    unsigned char bytes[3 * 400];
    bad_selection t;
    size_t i;
    for (i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * 7);
    t.keys = test_buffer(b, sizeof bytes, bytes);
    t.keys_out = test_buffer(b, sizeof bytes, bytes);
    t.indices = test_buffer(b, sizeof bytes, bytes);
    t.small = test_buffer(b, 4 * 3 * 10 - 1, bytes);
    t.good = top_make(CLSORT_F32, 3, 100, 10).d;
    t.good.keys = t.keys;
    t.good.keys_out = t.keys_out;
    t.good.indices = t.indices;
    bad_numbers(b, &t);
    bad_outputs(b, &t);
    bad_kinds(b, &t);
    bad_parts(b, &t);
    clReleaseMemObject(t.keys), clReleaseMemObject(t.keys_out);
    clReleaseMemObject(t.indices), clReleaseMemObject(t.small);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const row_device many_cores = { .cpu = 1, .units = 32 };

static const clsort_field fields[2] = { { 4, CLSORT_F32, CLSORT_DESCENDING, 1, 0 },
                                        { 2, CLSORT_U16, 0, 0, 0 } },
                          bytes[2] = { { 5, CLSORT_BYTES + 3, CLSORT_DESCENDING, 0, 0 },
                                       { 0, CLSORT_BYTES + 5, 0, 0, 0 } };

#define HELD "uniform mod-3 sorted reverse equal nans-10 maximum mod-256"
#define TIES "equal minimum maximum mod-2 mod-3 sorted reverse organ-pipe mostly-zero"

static const test_row rows[] = {
    { .name = "short rows give their first k and their n-th element", .call = select_some,
      .elements = "f32", .patterns = "mod-16 uniform",
      .counts = "1 2 3 5 31 64 65 ~256 511 513 1000", .k = "1 2 40 h t-1 t",
      .with = "order nth gaps", .times = 12 },
    { .name = "rows of any length do, around every switch of the method", .call = select_some,
      .elements = "u32", .patterns = "mod-256 uniform",
      .counts = "~2048 ~4096 8191 8193 16385 32767 32768 65537 131072",
      .k = "1 2 40 h t-1 t", .with = "order nth loose", .times = 12 },
    { .name = "every type, order, NaN and zero is selected by", .call = select_some,
      .elements = "k4 k8 k1 k2", .patterns = "uniform nans-10 around-zero mod-3",
      .counts = "3001 40007", .k = "41 t-3", .with = "order nan equals nth loose", .times = 24,
      .one_in = 2 },
    { .name = "equal NaNs come by their index", .call = select_some, .elements = "f32",
      .patterns = "nans-10 around-zero", .counts = "70 900 5000 70000", .k = "40 t-1 t",
      .with = "equals! order outputs apart gaps lengths scratch nth loose parted", .times = 12 },
    { .name = "of equal keys the smaller index wins", .call = select_some, .elements = "u64 f32",
      .patterns = TIES, .counts = "70001", .k = "1 14 157 1730 19033",
      .with = "order nth loose", .times = 25 },
    { .name = "many rows are selected from in one call", .call = select_some, .elements = "f32",
      .patterns = "mod-256 gaussian", .counts = "33 300 1000 5000 6000", .k = "1 10 40 5000",
      .with = "many order", .times = 4 },
    { .name = "many long rows are", .call = select_some, .elements = "f32",
      .patterns = "gaussian", .counts = "131072", .k = "40", .with = "many" },
    { .name = "rows may have gaps, which are not read as keys", .call = select_some,
      .elements = "i16+6", .patterns = "uniform", .counts = "200 40000", .k = "17",
      .with = "gaps!", .times = 3 },
    { .name = "rows are partitioned around the k-th element", .call = select_some,
      .forms = "auto auto/64", .elements = "k4+12 i64+12 k4",
      .patterns = "uniform mod-3 equal sorted nans-10", .counts = "1 2 9 300 5000 70000",
      .k = "1 t h t-1", .with = "parted! order equals outputs gaps apart scratch lengths",
      .times = 4, .one_in = 3 },
    { .name = "segments are partitioned, too", .call = select_some,
      .elements = "u32+4 u32:8@0 u32", .patterns = "mod-256 uniform",
      .counts = "9 300 9500", .k = "1 7 200 h", .with = "parted! cuts! order counted",
      .times = 12 },
    { .name = "rows that are read once survive a sample that misleads",
      .run = streams_that_a_sample_misleads },
    { .name = "large k of rows around the length from which they are read once",
      .run = large_k_of_long_rows },
    { .name = "work-items keep and rank any number", .run = work_items_keep_any_number },
    { .name = "rows in many parts give their first k and their n-th element",
      .call = select_some, .device = &many_cores, .elements = "u32 i64", .patterns = "uniform",
      .one_in = 2,
      .counts = "50000 150000", .k = "1 2 5 16 17 40 250 1000", .with = "nth scratch",
      .times = 16 },
    { .name = "records are selected and partitioned", .call = select_some,
      .elements = "f32:12@4 f32:24@4+4 f32:12@4+20", .patterns = "uniform mod-16",
      .counts = "9 300 5000 30000", .k = "t 1 h 40",
      .with = "bits order outputs gaps apart lengths cuts nth parted", .times = 12,
      .one_in = 2 },
    { .name = "so they are by fields", .call = select_some, .elements = "f32:12@4 f32:24@4+4",
      .patterns = "uniform mod-16", .counts = "9 300 5000 30000", .k = "t 1 h 40",
      .with = "outputs gaps apart lengths cuts nth parted", .times = 8, .one_in = 2,
      .fields = fields, .field_count = 2 },
    { .name = "and by bytes", .call = select_some, .elements = "f32:12@4 f32:24@4+4",
      .patterns = "uniform mod-16", .counts = "9 300 5000 30000", .k = "t 1 h 40",
      .with = "outputs gaps apart lengths cuts nth parted", .times = 8, .one_in = 2,
      .fields = bytes, .field_count = 2 },
    { .name = "a count on the device is followed", .call = select_some, .elements = "i32",
      .patterns = "uniform", .counts = "9 300 5000 70000", .k = "1 h 40 t",
      .with = "counted!", .times = 12 },
    { .name = "any set of outputs is written and nothing else", .call = select_some,
      .elements = "f32+1 f32+4 f32+8 f32+24 f32+3", .patterns = "uniform",
      .counts = "100 3000 50000", .k = "40", .with = "outputs nth scratch", .times = 12,
      .one_in = 2 },
    { .name = "some bits of the keys decide", .call = select_some, .elements = "u32 f32",
      .patterns = "uniform around-zero nans-10", .counts = "900 40000", .k = "33",
      .with = "bits! order nan equals", .times = 20 },
    { .name = "work-groups of any size select", .call = select_some,
      .forms = "auto/1 auto/2 auto/16 auto/64 auto/256", .elements = "u32",
      .patterns = "uniform mod-16", .counts = "77 2500 40000", .k = "50 t-20",
      .with = "loose", .times = 6, .one_in = 5 },
    { .name = "rows that a work-group holds give theirs in one reading", .call = select_some,
      .forms = "auto/32", .elements = "k4", .patterns = HELD,
      .counts = "33 256 1024", .k = "1 2 20 21 35 40 h t",
      .with = "order nan equals gaps nth held!", .times = 24 },
    { .name = "rows that a work-group holds give whole keys", .call = select_some,
      .forms = "auto/32", .elements = "f32 u32 i32", .patterns = "zeros uniform",
      .counts = "250", .k = "1 2 20 21 35 40 h t", .with = "equals! bits gaps nth held!",
      .times = 16 },
    { .name = "candidates may crowd into few columns of a row", .call = select_some,
      .forms = "auto/32", .elements = "u32", .patterns = "bit-reversed",
      .counts = "256 1000 1024", .k = "19", .with = "nth", .times = 4 },
    { .name = "wait lists, events and out-of-order queues work", .call = select_some,
      .elements = "f32+4", .patterns = "uniform", .counts = "500 60000", .k = "9",
      .with = "queue", .times = 4 },
    { .name = "scratch is bounded and grows with the count", .run = scratch_bounds_hold },
    { .name = "bad calls get their code and change nothing", .run = bad_calls_change_nothing },
    ROW_REST,
    { .name = "segments are selected from", .call = select_some, .forms = "auto auto/64",
      .elements = "f32+4 u64+4", .patterns = "uniform mod-3", .counts = "9 300 5000 70000",
      .k = "1 7 40 5000", .with = "cuts! order outputs apart counted nth loose", .times = 24 },
    { .name = "work-groups of any size hold rows of any key", .call = select_some,
      .forms = "auto/16 auto/32 auto/64 auto/128 auto/256", .elements = "k4 k8 k2 k1",
      .patterns = HELD, .counts = "32 33 256 300 400 1024 2047 2048 3001 4096",
      .k = "1 2 10 11 20 21 35 40 41 67 80 81 131 160 161 259 320 h t",
      .with = "order nan equals gaps nth held!", .times = 19, .one_in = 8 },
    { .name = "equal NaNs of 8 bytes come by their index", .call = select_some,
      .forms = "auto auto/64", .elements = "f64", .patterns = "nans-10 around-zero",
      .counts = "70 900 5000 70000", .k = "40 t-1 t",
      .with = "equals! order outputs apart gaps lengths scratch nth loose parted",
      .times = 12 },
    { .name = "k may be as large as bounds of columns allow", .run = bounds_of_columns },
    { .name = "rows of outputs may have strides of their own", .call = select_some,
      .elements = "f32+6 i64+6", .patterns = "uniform", .counts = "9 300 5000 60000",
      .k = "7 t", .with = "outputs apart! gaps scratch nth loose", .times = 14, .one_in = 2 },
    { .name = "rows have lengths, and what they lack is marked", .call = select_some,
      .forms = "auto auto/64", .elements = "f32+4 u16+4", .patterns = "uniform maximum",
      .counts = "9 300 5000 70000", .k = "1 7 40 5000",
      .with = "lengths! order nan gaps outputs counted nth loose", .times = 12 },
    { .name = "long rows are selected from in rounds", .run = long_rows_in_rounds },
    { .name = "more than a work-group sorts is sorted too", .call = select_some,
      .elements = "i64+12 f32+12", .patterns = "mod-16 around-zero", .counts = "9001",
      .k = "4500 t", .with = "outputs gaps scratch order bits equals", .times = 28 },
    { .name = "long rows are read once if their sample does not mislead",
      .run = long_rows_by_a_sample },
    { .name = "long rows are selected from in one launch after the sample",
      .run = long_rows_in_one_launch },
    { .name = "prepared calls build nothing", .run = prepared_calls_build_nothing },
};

ROWS_MAIN(rows)
