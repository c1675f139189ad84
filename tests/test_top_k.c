/* Top-k and n-th elements of rows: types, orders, ties, lengths around every switch, strides,
   outputs, bad calls. */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "top.h"
#include "pretenders.h"

static const cl_uint all_types[] = { CLSORT_U8,  CLSORT_I8,   CLSORT_U16, CLSORT_I16,
                                     CLSORT_F16, CLSORT_BF16, CLSORT_U32, CLSORT_I32,
                                     CLSORT_F32, CLSORT_U64,  CLSORT_I64, CLSORT_F64 };

/* Some k of a length. */
static void run_some_k(bench *b, top_case c)
{
    const size_t n = c.d.count, ks[] = { 1, 2, 40, n / 2, n - 1, n };
    size_t i;
    for (i = 0; i < sizeof ks / sizeof *ks; i++) {
        c.d.top_k = ks[i];
        if (ks[i] < 1 || ks[i] > n || (i && ks[i] == ks[i - 1])) continue;
        c.seed++;
        if (!top_run(b, &c)) return;
        c.d.flags = CLSORT_FLAG_TOP_UNSORTED;
        /* Up to that, work-groups sort all the same. */
        if (ks[i] > 2048 && !top_run(b, &c)) return;
        c.d.flags = 0;
        if (i == 2) continue;
        c.d.flags ^= CLSORT_FLAG_TOP_NTH;
        if (!top_run(b, &c)) return;
        c.d.flags = 0;
    }
}

static void short_rows(bench *b)
{
    static const size_t counts[] = { 1, 2, 3, 5, 31, 64, 65, 255, 256, 257, 511, 513, 1000 };
    size_t i;
    for (i = 0; i < sizeof counts / sizeof *counts; i++) {
        top_case c = top_make(CLSORT_F32, i % 2 ? 3 : 17, counts[i], 0);
        c.d.order = i & 1;
        c.pattern = i % 3 ? "mod-16" : "uniform";
        c.gap = i % 4;
        run_some_k(b, c);
    }
}

static void rows_around_every_switch(bench *b)
{
    static const size_t counts[] = { 2047, 2048,  2049,  4095,  4096,  4097,  8191,
                                     8193, 16385, 32767, 32768, 65537, 131072 };
    size_t i;
    for (i = 0; i < (b->small ? 3 : sizeof counts / sizeof *counts); i++) {
        top_case c = top_make(CLSORT_U32, i % 2 ? 1 : 3, counts[i], 0);
        c.d.order = i & 1;
        c.pattern = i % 3 ? "uniform" : "mod-256";
        run_some_k(b, c);
    }
}

static void every_type_and_order(bench *b)
{
    static const char *const patterns[] = { "uniform", "nans-10", "around-zero", "mod-3" };
    size_t t, i;
    for (t = 0; t < sizeof all_types / sizeof *all_types; t++)
        for (i = 0; i < 8; i++) {
            top_case c = top_make(all_types[t], 2, i & 4 ? 3001 : 40007, 41);
            if ((b->few_programs && t % 4) || !test_takes(b, 6)) continue;
            if (!pattern_applies(pattern_find(patterns[i % 4]), all_types[t])) continue;
            c.pattern = patterns[i % 4];
            c.d.order = i & 1;
            c.d.nan_order = i == 5 ? CLSORT_NAN_EQUAL : i >> 1 & 1;
            c.d.zero_order = i % 3 == 2;
            if (!top_run(b, &c)) return;
            c.d.top_k = c.d.count - 3;
            if (!top_run(b, &c)) return;
            c.d.flags = CLSORT_FLAG_TOP_UNSORTED;
            if (!top_run(b, &c)) return;
        }
}

/* Of equal NaNs the smaller index comes first: by every kind of selection. */
static void equal_nans(bench *b)
{
    static const size_t counts[] = { 70, 900, 5000, 70000 };
    static uint32_t lengths[4] = { 0, 60, 800, 100000 };
    size_t i;
    for (i = 0; i < (b->small ? 16 : 48); i++) {
        const size_t n = counts[i % 4], k = i / 4 % 3 == 0 ? 40 : i / 4 % 3 == 1 ? n - n / 50 : n;
        top_case c = top_make(i % 5 ? CLSORT_F32 : CLSORT_F64, 1 + i % 3, n, k);
        if (!test_takes(b, 5)) continue;
        c.d.nan_order = CLSORT_NAN_EQUAL;
        c.d.zero_order = i % 7 == 3;
        c.d.order = i & 1;
        c.pattern = i % 9 == 8 ? "around-zero" : "nans-10";
        c.outputs = 1 + (int)i % 7;
        c.d.value_size = c.outputs & TOP_VALUES ? 4 : 0;
        c.apart = i % 4 == 2 ? k + 5 : 0;
        c.gap = i % 3;
        c.bounds = i % 5 == 3 ? lengths : NULL;
        c.scratch = i % 2 == 0;
        c.d.tuning.work_group = i % 6 == 5 ? 64 : 0;
        if (!top_run(b, &c)) return;
        if (i % 5 == 2) c.d.flags = CLSORT_FLAG_TOP_NTH;
        if (i % 5 == 3 && !c.apart) c.d.flags = CLSORT_FLAG_TOP_PARTITION;
        if (i % 5 == 4 && c.outputs & TOP_INDICES) c.d.flags = CLSORT_FLAG_TOP_UNSORTED;
        if (c.d.flags && !top_run(b, &c)) return;
    }
}

static void equal_keys_by_index(bench *b)
{
    static const char *const patterns[] = { "equal",   "minimum",    "maximum",
                                            "mod-2",   "mod-3",      "sorted",
                                            "reverse", "organ-pipe", "mostly-zero" };
    size_t i, k;
    for (i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (k = 1; k <= 20000; k = k * 11 + 3) {
            top_case c = top_make(i & 1 ? CLSORT_U64 : CLSORT_F32, i / 2 % 2 ? 1 : 3,
                                  b->small ? 700 : 70001, k);
            if (!CHECK(pattern_name(pattern_find(patterns[i])) != NULL) || k > c.d.count) continue;
            if (!test_takes(b, 3)) continue;
            c.pattern = patterns[i];
            c.d.order = k & 1;
            if (!top_run(b, &c)) return;
            c.d.flags = k > 2048 ? CLSORT_FLAG_TOP_UNSORTED : CLSORT_FLAG_TOP_NTH;
            if (!top_run(b, &c)) return;
        }
}

static void many_rows(bench *b)
{
    static const struct {
        size_t rows, count, k;
    } shapes[] = { { 64, 131072, 40 }, { 1000, 1000, 10 }, { 1000, 33, 33 },
                   { 64, 5000, 100 },  { 300, 300, 1 },    { 50, 6000, 5000 } };
    size_t i;
    for (i = b->small ? 1 : 0; i < (b->small ? 2 : sizeof shapes / sizeof *shapes); i++) {
        top_case c = top_make(CLSORT_F32, shapes[i].rows, shapes[i].count, shapes[i].k);
        c.d.order = CLSORT_DESCENDING;
        c.pattern = i & 1 ? "mod-256" : "gaussian";
        if (!top_run(b, &c)) return;
    }
}

static void rows_with_gaps(bench *b)
{
    size_t gap;
    for (gap = 1; gap <= 130; gap = gap * 3 + 1) {
        top_case c = top_make(CLSORT_I16, 5, gap & 1 ? 200 : 40000, 17);
        c.gap = gap;
        c.d.value_size = 6;
        c.outputs = TOP_KEYS | TOP_INDICES | TOP_VALUES;
        if (!top_run(b, &c)) return;
    }
}

static void strides_of_outputs(bench *b)
{
    static const size_t counts[] = { 9, 300, 5000, 60000 };
    size_t i;
    int outputs;
    for (i = 0; i < (b->small ? 4 : 12); i++)
        for (outputs = 1; outputs < 8; outputs++) {
            const size_t n = counts[i % 4];
            top_case c = top_make(i & 4 ? CLSORT_I64 : CLSORT_F32, 1 + (i + 3) % 5, n,
                                  i & 1 ? n : 7);
            if (!test_takes(b, 4)) continue;
            c.outputs = outputs;
            c.d.value_size = outputs & TOP_VALUES ? 6 : 0;
            c.gap = i % 3;
            c.apart = c.d.top_k + (i + (size_t)outputs) % 3 * 50;
            c.scratch = outputs & 1;
            if (!top_run(b, &c)) return;
            c.d.flags = i & 2 && outputs & TOP_INDICES ? CLSORT_FLAG_TOP_UNSORTED
                                                      : CLSORT_FLAG_TOP_NTH;
            if (!top_run(b, &c)) return;
        }
}

/* Lengths below, at and above k; 0; above the count. */
static void lengths_of_rows(bench *b)
{
    static const size_t counts[] = { 9, 300, 5000, 70000 }, ks[] = { 1, 7, 40, 5000 };
    static uint32_t lengths[16];
    uint64_t random = 7;
    size_t i, r;
    for (i = 0; i < (b->small ? 16 : 48); i++) {
        const size_t n = counts[i % 4], k = ks[i / 4 % 4] < n ? ks[i / 4 % 4] : n;
        top_case c = top_make(i % 3 ? CLSORT_F32 : CLSORT_U16, 1 + i % 12, n, k);
        const size_t some[] = { 0, 1, k - 1, k, k + 1, n - 1, n, n + 9, draw(&random, n + 1) };
        for (r = 0; r < c.d.rows; r++) lengths[r] = (uint32_t)some[(r + i) % 9];
        c.bounds = lengths;
        c.d.order = i & 1;
        c.d.nan_order = i / 2 % 2;
        c.pattern = i % 5 ? "uniform" : "maximum";
        c.d.tuning.work_group = i % 6 == 5 ? 64 : 0;
        c.gap = i % 3;
        c.outputs = 1 + (int)i % 7;
        c.d.value_size = c.outputs & TOP_VALUES ? 4 : 0;
        c.counted = i % 4 == 3;
        c.there = (uint32_t)(n / 2);
        if (!top_run(b, &c)) return;
        c.d.flags = i & 2 && c.outputs & TOP_INDICES ? CLSORT_FLAG_TOP_UNSORTED
                                                    : CLSORT_FLAG_TOP_NTH;
        if (!top_run(b, &c)) return;
    }
}

/* In place and not, with ties, lengths and every k. */
static void partitions(bench *b)
{
    static const size_t counts[] = { 1, 2, 9, 300, 5000, 70000 };
    static const char *const patterns[] = { "uniform", "mod-3", "equal", "sorted", "nans-10" };
    static uint32_t lengths[4];
    uint64_t random = 5;
    size_t i, r;
    for (i = 0; i < (b->small ? 30 : 120); i++) {
        const size_t n = counts[i % 6], some[] = { 1, n, n / 2, n - 1, draw(&random, n) + 1 };
        top_case c = top_make(i % 4 ? CLSORT_F32 : CLSORT_I64, i % 5, n, some[i / 6 % 5]);
        if (!c.d.top_k) c.d.top_k = 1;
        c.pattern = c.d.key_type == CLSORT_F32 ? patterns[i % 5] : "mod-256";
        c.d.order = i / 3 % 2;
        c.d.zero_order = i % 8 == 7;
        c.d.flags = CLSORT_FLAG_TOP_PARTITION;
        c.d.tuning.work_group = i % 7 == 6 ? 64 : 0;
        c.outputs = (int)i % 8;
        c.d.value_size = c.outputs & TOP_VALUES || (!(c.outputs & TOP_INDICES) && i % 3) ? 12 : 0;
        c.gap = c.d.rows ? i % 3 : 0;
        c.apart = c.d.rows && i % 4 == 1 && c.outputs ? n + 3 : 0;
        c.scratch = i % 3 == 1;
        for (r = 0; r < 4; r++) lengths[r] = (uint32_t)draw(&random, n + 2);
        if (!test_takes(b, 3)) continue;
        c.bounds = c.d.rows && i % 5 > 2 ? lengths : NULL;
        if (!top_run(b, &c)) return;
    }
}

/* Segments of the test below, and how many elements there are. */
enum { PARTED = 5, PARTED_COUNT = 9500 };
static const uint32_t parted_offsets[PARTED] = { 7, 7, 300, 301, 9000 },
                      parted_ends[PARTED] = { 7, 200, 0, 9000, 9000 };

/* Is each segment partitioned around its k-th key, with the key's tag, its index before, beside it,
   and nothing else moved? */
static void check_parted(const uint32_t *keys, const uint32_t *after, const uint32_t *tags,
                         size_t k)
{
    unsigned char seen[PARTED_COUNT] = { 0 };
    size_t g, i;
    for (g = 0; g < PARTED; g++) {
        const size_t first = parted_offsets[g],
                     end = parted_ends[g] < first ? first : parted_ends[g],
                     nth = first + (end - first < k ? end - first : k);
        for (i = first; i < end; i++) {
            CHECK(i < nth ? after[i] <= after[nth - 1] : after[i] >= after[nth - 1]);
            CHECK(tags[i] >= first && tags[i] < end);
        }
    }
    for (i = 0; i < PARTED_COUNT; i++) {
        if (!CHECK(tags[i] < PARTED_COUNT && !seen[tags[i]] && keys[tags[i]] == after[i])) return;
        seen[tags[i]] = 1;
        CHECK((i >= 7 && i < 200) || (i > 300 && i < 9000) || tags[i] == i);
    }
}

/* How tags lie beside keys: as values, in records, or as values with a count on the device. */
enum { PARTED_VALUES, PARTED_RECORDS, PARTED_COUNTED };

/* `from`: the keys, then the tags; or records of both. */
static clsort_desc describe_parted(const bench *b, int way, size_t k, const uint32_t *from)
{
    static const uint32_t count = PARTED_COUNT - 300;
    const int records = way == PARTED_RECORDS;
    clsort_desc d = clsort_desc_default();
    d.keys = test_buffer(b, (records ? 8 : 4) * PARTED_COUNT, from);
    d.values = records ? NULL : test_buffer(b, 4 * PARTED_COUNT, from + PARTED_COUNT);
    d.value_size = records ? 0 : 4;
    d.record_size = records ? 8 : 0;
    d.segments = test_buffer(b, sizeof parted_offsets, parted_offsets);
    d.segment_ends = test_buffer(b, sizeof parted_ends, parted_ends);
    d.segment_count = PARTED;
    d.count_buffer = way == PARTED_COUNTED ? test_buffer(b, sizeof count, &count) : NULL;
    d.count = PARTED_COUNT;
    d.key_type = CLSORT_U32;
    d.top_k = k;
    d.flags = CLSORT_FLAG_TOP_PARTITION;
    return d;
}

static int read_parted(const bench *b, cl_mem from, size_t words, uint32_t *to)
{
    return CHECK(!clEnqueueReadBuffer(b->session.queue, from, CL_TRUE, 0, 4 * words, to, 0, NULL,
                                      NULL));
}

static void partition_segments(const bench *b, const uint32_t *keys, int way, size_t k)
{
    enum { N = PARTED_COUNT };
    static uint32_t all[2 * N], after[N], tags[N];
    const int records = way == PARTED_RECORDS;
    clsort_desc d;
    size_t i;
    for (i = 0; i < N; i++) {
        all[records ? 2 * i : i] = keys[i];
        all[records ? 2 * i + 1 : N + i] = (uint32_t)i;
    }
    d = describe_parted(b, way, k, all);
    if (CHECK(d.keys && d.segments && d.segment_ends)
        && CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, NULL))
        && read_parted(b, d.keys, records ? 2 * N : N, all)
        && (records || read_parted(b, d.values, N, all + N))) {
        for (i = 0; i < N; i++) {
            after[i] = all[records ? 2 * i : i];
            tags[i] = all[records ? 2 * i + 1 : N + i];
        }
        check_parted(keys, after, tags, k);
    }
    clReleaseMemObject(d.keys);
    if (d.values) clReleaseMemObject(d.values);
    if (d.count_buffer) clReleaseMemObject(d.count_buffer);
    clReleaseMemObject(d.segments);
    clReleaseMemObject(d.segment_ends);
}

/* Segments are partitioned where they are, keys with values or records; what lies outside stays, as
   the gap of 100 elements. */
static void partitions_of_segments(bench *b)
{
    static const size_t ks[] = { 1, 200, 5000 };
    static uint32_t keys[PARTED_COUNT];
    size_t i;
    for (i = 0; i < PARTED_COUNT; i++) keys[i] = (uint32_t)(i * 2654435761u >> 9) % 700;
    for (i = 0; i < 9; i++)
        if (test_takes(b, 3)) partition_segments(b, keys, (int)(i % 3), ks[i / 3]);
}

/* Where a work-item that reads a row of descending elements alone draws a sample of the rest: each
   element comes before those so far, until stream_row_part of kernels.cl has no patience left. 0
   if the device has no such plan. */
static size_t place_of_sample(bench *b, const clsort_desc *d)
{
    const size_t k = d->top_k,
                 patience = 8 + k * (2 + clsort__ceil_log2((cl_uint)(d->count / k + 1)));
    clsort__plan p;
    clsort__plan_selection(b->sorter, d, &p);
    return p.select.how == CLSORT__BY_STREAMS && p.select.parts == 1
               ? p.select.list_capacity + (patience - 1) / 32 * 32
               : 0;
}

/* Rows that a work-item reads alone: after a beginning in descending order, low keys where a sample
   of the rest looks make its bound too low. */
static void streams_that_a_sample_misleads(bench *b)
{
    enum { ROWS = 8, N = 40000, K = 40, LOWEST = 6 };
    uint32_t *keys = (uint32_t *)malloc(ROWS * N * 4), found[ROWS * K];
    clsort_desc d = clsort_desc_default();
    size_t row, i, low, apart;
    if (!CHECK(keys != NULL)) return;
    d.count = N;
    d.rows = ROWS;
    d.top_k = K;
    d.key_type = CLSORT_U32;
    low = place_of_sample(b, &d);
    apart = (N - low) / 64;
    for (i = 0; i < ROWS * N; i++)
        keys[i] = i % N < low + 32 || i / N % 2 ? 1000000 - (uint32_t)(i % N) : 1000;
    for (row = 0; row < ROWS; row++)
        for (i = 0; i < LOWEST; i++) {   /* as draw_below of kernels.cl */
            uint32_t drawn = ((uint32_t)i + 1) * 0x9E3779B1u;
            drawn = (drawn ^ drawn >> 15) * 0x85EBCA6Bu;
            keys[row * N + low + i * apart + ((uint64_t)drawn * apart >> 32)] = 0;
        }
    d.keys = test_buffer(b, ROWS * N * 4, keys);
    d.indices = test_buffer(b, sizeof found, found);
    if (CHECK(d.keys && d.indices)
        && CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, NULL))
        && CHECK(!clEnqueueReadBuffer(b->session.queue, d.indices, CL_TRUE, 0, sizeof found, found,
                                      0, NULL, NULL)))
        for (row = 0; row < ROWS; row++) {
            const uint32_t *k = keys + row * N;
            for (i = 1; i < K; i++) {
                const uint32_t x = found[row * K + i - 1], y = found[row * K + i];
                CHECK(k[x] < k[y] || (k[x] == k[y] && x < y));
            }
            CHECK(!k[found[row * K + LOWEST - 1]] && k[found[row * K + LOWEST]]);
            CHECK(found[row * K + K - 1] == (row % 2 ? N - 34u : low + 32 + 33));
        }
    clReleaseMemObject(d.keys);
    clReleaseMemObject(d.indices);
    free(keys);
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
                top_case c = top_make(type, 1, b->sorter->policy->select.stream_long * k + side - 1, k);
                clsort__plan p;
                c.pattern = patterns[i / 2];
                c.d.flags = flags[(i + half + side) % 3];
                clsort__plan_selection(b->sorter, &c.d, &p);
                if (p.select.most_capacity != capacity || !test_is_cpu(b)) return;
                AT("%zu of %zu, %s", k, c.d.count, c.pattern);
                if (b->sorter->compute_units <= 6)
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

/* A CPU of many cores cuts rows into many parts, of which each lists its first k: lists have room
   for all of them, though an n-th element is only one. */
static void rows_in_many_parts(bench *b)
{
    static const size_t ks[] = { 1, 2, 5, 16, 17, 40, 250, 1000 };
    bench other = *b;
    size_t i;
    if (!test_is_cpu(b)) return;
    other.sorter = pretending_sorter(b, 0, 32, 0);
    for (i = 0; other.sorter && i < 2 * sizeof ks / sizeof *ks; i++) {
        const size_t rows = ks[i / 2] == 40 ? 3 : 1;
        top_case c = top_make(i % 4 < 2 ? CLSORT_U32 : CLSORT_I64, rows, 150000 / rows, ks[i / 2]);
        c.d.flags = i % 2 ? (cl_uint)CLSORT_FLAG_TOP_NTH : 0;
        c.scratch = 1;
        top_run(&other, &c);
    }
    clsort_destroy(other.sorter);
}

/* By their key, by some of its bits, and by fields; with values beside them. */
static void records(bench *b)
{
    static const clsort_field fields[2] = { { 4, CLSORT_F32, CLSORT_DESCENDING, 1, 0 },
                                            { 2, CLSORT_U16, 0, 0, 0 } },
                              bytes[2] = { { 5, CLSORT_BYTES + 3, CLSORT_DESCENDING, 0, 0 },
                                           { 0, CLSORT_BYTES + 5, 0, 0, 0 } };
    static const size_t counts[] = { 9, 300, 5000, 30000 };
    static uint32_t bounds[5];
    uint64_t random = 5;
    size_t i, r;
    for (i = 0; i < (b->small ? 24 : 96); i++) {
        const size_t n = counts[i % 4];
        top_case c = top_make(CLSORT_F32, 1 + i % 3, n, i % 5 == 4 ? n : 1 + n / 7);
        c.d.record_size = i % 2 ? 12 : 24;
        c.d.key_offset = 4;
        c.fields = i % 3 != 2 ? NULL : i % 2 ? bytes : fields;
        c.field_count = c.fields ? 2 : 0;
        c.d.last_bit = i % 3 == 1 ? 24 : 0;
        c.pattern = i % 7 ? "uniform" : "mod-16";
        c.d.order = c.fields ? 0 : i & 1;
        c.outputs = 1 + (int)i / 4 % 3;
        if (i / 2 % 2) c.outputs |= TOP_VALUES, c.d.value_size = i % 5 ? 4 : 20;
        c.gap = i % 4;
        c.apart = i % 6 == 5 ? n + 3 : 0;
        for (r = 0; r < 5; r++) bounds[r] = (uint32_t)draw(&random, n + 2);
        c.bounds = i % 5 > 2 ? bounds : NULL;
        if (i % 8 == 6) {
            c.segments = 4;
            c.d.rows = c.gap = 0;
            c.bounds = bounds;
        }
        if (!top_run(b, &c)) return;
        c.d.flags = c.segments || i % 2 ? CLSORT_FLAG_TOP_NTH : CLSORT_FLAG_TOP_PARTITION;
        if (c.d.flags == CLSORT_FLAG_TOP_PARTITION && c.outputs != TOP_INDICES && i % 3)
            c.outputs = 0, c.apart = 0;
        if (!top_run(b, &c)) return;
    }
}

/* Empty segments, short and long ones; offsets that descend and that lead out. Then with ends of
   their own: segments that leave gaps, overlap or come in any order. */
static void segments_of_rows(bench *b)
{
    static const size_t counts[] = { 9, 300, 5000, 70000 }, ks[] = { 1, 7, 40, 5000 };
    static uint32_t offsets[18], ends[17];
    uint64_t random = 11;
    size_t i, r;
    for (i = 0; i < (b->small ? 16 : 48); i++) {
        const size_t n = counts[i % 4], k = ks[i / 4 % 4] < n ? ks[i / 4 % 4] : n;
        top_case c = top_make(i % 3 ? CLSORT_F32 : CLSORT_U64, 0, n, k);
        c.segments = 1 + i % 16;
        for (r = 0; r <= c.segments; r++)
            offsets[r] = (uint32_t)(i % 5 == 4 ? draw(&random, n + n / 4 + 1)
                                               : n * r / c.segments / (1 + r % 3 / 2));
        c.bounds = offsets;
        c.d.order = i & 1;
        c.pattern = i % 5 ? "uniform" : "mod-3";
        c.d.tuning.work_group = i % 6 == 5 ? 64 : 0;
        c.outputs = 1 + (int)i % 7;
        c.d.value_size = c.outputs & TOP_VALUES ? 4 : 0;
        c.apart = i % 2 ? k + i : 0;
        c.counted = i % 4 == 3;
        c.there = (uint32_t)(n / 2);
        if (!top_run(b, &c)) return;
        for (r = 0; r < c.segments; r++)
            ends[r] = i % 3 ? offsets[r + 1] - offsets[r + 1] % 3 * (uint32_t)(n / 50)
                            : (uint32_t)draw(&random, n + n / 4 + 1);
        c.ends = ends;
        if (!top_run(b, &c)) return;
        c.d.flags = i & 2 && c.outputs & TOP_INDICES ? CLSORT_FLAG_TOP_UNSORTED
                                                    : CLSORT_FLAG_TOP_NTH;
        if (!top_run(b, &c)) return;
        c.ends = NULL;
        if (!top_run(b, &c)) return;
    }
}

static void counts_on_the_device(bench *b)
{
    static const size_t counts[] = { 9, 300, 5000, 70000 };
    size_t i;
    for (i = 0; i < 12; i++) {
        const size_t n = counts[i % 4];
        top_case c = top_make(CLSORT_I32, i % 3, n, 1 + n / (1 + i % 5 * 20));
        const size_t some[] = { 0, c.d.top_k - 1, c.d.top_k, n / 2, n, UINT32_MAX };
        c.counted = 1;
        c.there = (uint32_t)some[i / 2];
        if (c.d.top_k > n) c.d.top_k = n;
        if (!top_run(b, &c)) return;
    }
}

static void every_set_of_outputs(bench *b)
{
    static const size_t counts[] = { 100, 3000, 50000 }, sizes[] = { 1, 4, 8, 24, 3 };
    size_t i;
    int outputs;
    for (i = 0; i < 5; i++)
        for (outputs = 1; outputs < 8; outputs++) {
            top_case c = top_make(CLSORT_F32, 3, counts[i % 3], 40);
            c.outputs = outputs;
            c.d.value_size = outputs & TOP_VALUES ? sizes[i] : 0;
            c.scratch = outputs & 1;
            if (!top_run(b, &c)) return;
            c.d.flags = CLSORT_FLAG_TOP_NTH;
            if (!top_run(b, &c)) return;
        }
}

static void some_bits_of_the_keys(bench *b)
{
    static const struct {
        cl_uint first, last;
    } bits[] = { { 0, 20 }, { 12, 0 }, { 5, 6 }, { 3, 27 } };
    uint64_t random = test_seed();
    size_t i;
    for (i = 0; i < 4; i++) {
        top_case c = top_make(i & 1 ? CLSORT_F32 : CLSORT_U32, 2, i & 2 ? 900 : 40000, 33);
        c.d.first_bit = bits[i].first;
        c.d.last_bit = bits[i].last;
        c.d.order = i & 1;
        if (!top_run(b, &c)) return;
    }
    for (i = 0; i < 40; i++) {
        top_case c = top_make(CLSORT_F32, 2, i < 5 ? 40000 : 900, 33);
        c.d.first_bit = (cl_uint)draw(&random, 31);
        c.d.last_bit = c.d.first_bit + 1 + (cl_uint)draw(&random, 32 - c.d.first_bit);
        c.d.order = (cl_uint)draw(&random, 2);
        c.d.nan_order = (cl_uint)draw(&random, 3);
        c.d.zero_order = (cl_uint)draw(&random, 2);
        c.pattern = i % 2 ? "around-zero" : "nans-10";
        if (!top_run(b, &c)) return;
    }
}

/* Long k are sorted in the scratch of a whole sort: any outputs, on rows alone and beside others,
   by all bits and by some. */
static void sorted_k_above_the_room(bench *b)
{
    size_t i;
    int outputs;
    for (i = 0; i < (b->small ? 1 : 8); i++)
        for (outputs = 1; outputs < 8; outputs++) {
            top_case c = top_make(i & 2 ? CLSORT_I64 : CLSORT_F32, i & 1 ? 1 : 3, 9001,
                                  i & 4 ? 4500 : 9001);
            c.outputs = outputs;
            c.pattern = outputs & 1 ? "mod-16" : "around-zero";
            c.gap = i & 1 ? 0 : 5;
            c.scratch = outputs % 3 == 0;
            c.d.order = i >> 1 & 1;
            c.d.value_size = outputs & TOP_VALUES ? 12 : 0;
            c.d.zero_order = (cl_uint)outputs >> 1 & 1;
            if (!top_run(b, &c)) return;
            c.d.first_bit = 3;
            c.d.last_bit = 21;
            if (!top_run(b, &c)) return;
        }
}

/* Work-groups of a CPU too, with the barriers and atomics of a GPU. */
static void work_groups_of_any_size(bench *b)
{
    static const cl_uint groups[] = { 1, 2, 16, 64, 256 };
    static const size_t counts[] = { 77, 2500, 40000 };
    size_t i, j;
    for (i = 0; i < (b->few_programs ? 2 : 5); i++) {
        if (!test_takes(b, 5)) continue;
        for (j = 0; j < 3; j++) {
            top_case c = top_make(CLSORT_U32, 2, counts[j], 50);
            c.d.tuning.work_group = groups[b->few_programs ? 3 - i : i];
            c.pattern = j & 1 ? "mod-16" : "uniform";
            if (!top_run(b, &c)) return;
            c.d.top_k = c.d.count * 3 / 4;
            if (!top_run(b, &c)) return;
            c.d.flags = CLSORT_FLAG_TOP_UNSORTED;
            if (!top_run(b, &c)) return;
        }
    }
}

/* Does a selection take this kernel? */
static int takes_kernel(bench *b, const top_case *c, const char *kernel)
{
    static char text[2000];
    clsort_desc d = c->d;
    d.keys_out = CLSORT_LATER;
    return CHECK_OK(clsort_explain(b->sorter, &d, text, sizeof text)) && strstr(text, kernel);
}

/* Some k around the switches of rows that a work-group of `group` work-items holds. */
static int run_held(bench *b, top_case c, size_t group)
{
    const size_t n = c.d.count, ks[] = { 1,         2,         group * 5 / 8, group * 5 / 8 + 1,
                                         group + 3, group * 5 / 4, n / 2,     n };
    size_t i;
    for (i = 0; i < sizeof ks / sizeof *ks; i++) {
        if (!ks[i] || ks[i] > n) continue;
        c.d.top_k = ks[i];
        c.d.flags = i % 3 == 2 ? CLSORT_FLAG_TOP_NTH : 0;
        c.seed++;
        if (!top_run(b, &c)) return 0;
        if (n <= group * 8
            && !CHECK(takes_kernel(b, &c, "clsort_select_short")
                   || takes_kernel(b, &c, "clsort_select_tile")))
            return 0;
    }
    return 1;
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

static void rows_that_a_work_group_holds(bench *b)
{
    static const char *const patterns[] = { "uniform", "mod-3",   "sorted",  "reverse",
                                            "equal",   "nans-10", "maximum", "mod-256" };
    static const struct {
        cl_uint type, group;
        size_t rows, count;
    } shapes[] = { { CLSORT_F32, 32, 70, 32 },   { CLSORT_F32, 32, 9, 33 },
                   { CLSORT_F32, 32, 40, 256 },  { CLSORT_U64, 32, 3, 300 },
                   { CLSORT_I32, 32, 3, 1024 },  { CLSORT_U8, 16, 5, 400 },
                   { CLSORT_U32, 64, 3, 2048 },  { CLSORT_F64, 128, 2, 3001 },
                   { CLSORT_F16, 128, 3, 4096 }, { CLSORT_I16, 256, 3, 2047 } };
    size_t i, j;
    for (i = 0; i < (b->few_programs ? 3 : sizeof shapes / sizeof *shapes); i++) {
        if (!test_takes(b, 5)) continue;
        for (j = 0; j < (b->small ? 2 : sizeof patterns / sizeof *patterns); j++) {
            const size_t at = (i + j) % (sizeof patterns / sizeof *patterns);
            top_case c = top_make(shapes[i].type, shapes[i].rows, shapes[i].count, 1);
            if (!pattern_applies(pattern_find(patterns[at]), shapes[i].type)) continue;
            c.pattern = patterns[at];
            c.d.order = j & 1;
            c.d.nan_order = j >> 1 & 1;
            c.d.zero_order = j % 3 == 2;
            c.gap = j % 2 ? 5 : 0;
            c.d.tuning.work_group = shapes[i].group;
            if (!run_held(b, c, shapes[i].group)) return;
        }
    }
}

/* Such rows where keys cannot be told from their codes: of equal zeros, or of some of the bits. */
static void held_rows_by_parts_of_keys(bench *b)
{
    static const struct {
        cl_uint type, zero_order, first_bit, last_bit;
        const char *pattern;
    } cases[] = { { CLSORT_F32, CLSORT_ZERO_EQUAL, 0, 0, "zeros" },
                  { CLSORT_U32, 0, 29, 0, "uniform" },
                  { CLSORT_I32, 0, 0, 4, "uniform" } };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        top_case c = top_make(cases[i].type, 7, 250, 1);
        c.pattern = cases[i].pattern;
        c.d.zero_order = cases[i].zero_order;
        c.d.first_bit = cases[i].first_bit;
        c.d.last_bit = cases[i].last_bit;
        c.d.tuning.work_group = 32;
        if (!run_held(b, c, 32)) return;
    }
}

/* The smallest elements of such a row lie in one column of a work-group of 32: more candidates than
   it counts ranks of. */
static void candidates_in_few_columns(bench *b)
{
    static const size_t counts[] = { 256, 1000, 1024 };
    size_t i;
    for (i = 0; i < 3; i++) {
        top_case c = top_make(CLSORT_U32, 3, counts[i], 19);
        c.pattern = "bit-reversed";
        c.d.tuning.work_group = 32;
        if (!top_run(b, &c)) return;
        c.d.flags = CLSORT_FLAG_TOP_NTH;
        if (!top_run(b, &c)) return;
    }
}

/* The clusters of the sample by which rows are bounded; 0: there is none. */
static uint32_t sample_clusters(const bench *b, const top_case *c)
{
    clsort__plan p;
    clsort__plan_selection(b->sorter, &c->d, &p);
    return clsort__has_sample(&p) ? p.select.clusters : 0;
}

/* Has a work-group room for the candidates of a piece? */
static int holds_piece(const bench *b, cl_uint type, size_t k, size_t piece, size_t group)
{
    const size_t firsts = k > CLSORT__EDGE_LAST_BOUND(group) ? 2 : 1, columns = firsts * group,
                 candidates = k * (piece / columns), bytes = clsort__key_bits(type) / 8;
    const cl_uint capacity = 1u << clsort__ceil_log2(candidates > columns ? candidates : columns);
    return (columns + 1 + (capacity < piece ? capacity : piece)) * CLSORT__RANKED_BYTES(bytes) + 8
           <= b->sorter->local_bytes;
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
           && CHECK(b->sorter->has_progress || takes_kernel(b, &c, "by rounds") == in_rounds);
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
    other.sorter->has_progress = 1;
    clsort__choose_policy(other.sorter);
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
    CHECK(!(other.sorter->broken & CLSORT__BIT(CLSORT__LONG_ROWS)));
    more_options = NULL;
    clsort_destroy(other.sorter);
}

static void wait_lists_and_queues(bench *b)
{
    cl_command_queue queue = test_unordered_queue(b);
    size_t i;
    for (i = 0; i < 4; i++) {
        top_case c = top_make(CLSORT_F32, 2, i & 1 ? 500 : 60000, 9);
        c.wait = i & 2 ? CASE_WAIT_LATER : CASE_WAIT_NONE;
        c.d.value_size = 4;
        c.outputs = TOP_VALUES;
        if (!top_run(b, &c)) return;
        c.queue = queue;
        if (queue && !top_run(b, &c)) break;
    }
    if (queue) clReleaseCommandQueue(queue);
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

typedef struct bad_call {
    const char *name;
    void (*spoil)(clsort_desc *d, cl_mem small);
    clsort_status wanted;
} bad_call;

static void above_count(clsort_desc *d, cl_mem m) { (void)m; d->top_k = d->count + 1; }
static void of_nothing(clsort_desc *d, cl_mem m) { (void)m; d->count = 0; }
static void no_output(clsort_desc *d, cl_mem m) { (void)m; d->keys_out = d->indices = NULL; }
static void no_values_out(clsort_desc *d, cl_mem m)
{
    (void)m;
    d->values = d->keys;
    d->value_size = 4;
}
static void small_keys_out(clsort_desc *d, cl_mem m) { d->keys_out = m; }
static void small_indices(clsort_desc *d, cl_mem m) { d->indices = m; }
static void same_keys(clsort_desc *d, cl_mem m) { (void)m; d->keys_out = d->keys; }
static void odd_stride(clsort_desc *d, cl_mem m) { (void)m; d->row_stride = 401; }
static void short_stride(clsort_desc *d, cl_mem m) { (void)m; d->row_stride = 396; }
static void too_many_rows(clsort_desc *d, cl_mem m) { (void)m; d->rows = (size_t)1 << 24; }
static void more_rows(clsort_desc *d, cl_mem m) { (void)m; d->rows = 4; }
static void of_records(clsort_desc *d, cl_mem m) { (void)m; d->record_size = 8; }
static void of_precedes(clsort_desc *d, cl_mem m)
{
    (void)m;
    d->key_type = 0;
    d->record_size = 4;
    d->record_type = "typedef uint clsort_record;";
    d->precedes = "a < b";
}
static void of_long_fields(clsort_desc *d, cl_mem m)
{
    static const clsort_field fields[2] = { { 0, CLSORT_U64, 0, 0, 0 }, { 8, CLSORT_U8, 0, 0, 0 } };
    (void)m;
    d->key_type = 0;
    d->record_size = 16;
    d->count = 20;
    d->fields = fields;
    d->field_count = 2;
}
static void loose_partition(clsort_desc *d, cl_mem m)
{
    (void)m;
    d->flags = CLSORT_FLAG_TOP_PARTITION | CLSORT_FLAG_TOP_UNSORTED;
}
static void nth_partition(clsort_desc *d, cl_mem m)
{
    (void)m;
    d->flags = CLSORT_FLAG_TOP_PARTITION | CLSORT_FLAG_TOP_NTH;
}
static void partition_without_k(clsort_desc *d, cl_mem m)
{
    (void)m;
    d->flags = CLSORT_FLAG_TOP_PARTITION;
    d->top_k = 0;
}
static void small_partition(clsort_desc *d, cl_mem m)
{
    d->flags = CLSORT_FLAG_TOP_PARTITION;
    d->keys_out = m;
}
static void partition_without_values_out(clsort_desc *d, cl_mem m)
{
    d->flags = CLSORT_FLAG_TOP_PARTITION;
    d->values = m;
    d->value_size = 4;
}
static void by_radix(clsort_desc *d, cl_mem m) { (void)m; d->algorithm = CLSORT_RADIX; }
static void all_overflow(clsort_desc *d, cl_mem m)
{
    (void)m;
    d->row_stride = ~(size_t)0 / 8 & ~(size_t)3;
}
static void short_keys_out_stride(clsort_desc *d, cl_mem m)
{
    (void)m;
    d->keys_out_row_stride = 36;
}
static void short_indices_stride(clsort_desc *d, cl_mem m) { (void)m; d->indices_row_stride = 36; }
static void long_indices_stride(clsort_desc *d, cl_mem m) { (void)m; d->indices_row_stride = 584; }
static void without_k(clsort_desc *d, cl_mem m)
{
    (void)m;
    d->top_k = 0;
    d->rows = 0;
    d->flags = CLSORT_FLAG_TOP_NTH;
}
static void in_no_segments(clsort_desc *d, cl_mem m) { d->segments = m; d->rows = 0; }
static void in_rows_and_segments(clsort_desc *d, cl_mem m)
{
    d->segments = m;
    d->segment_count = 2;
}
static void too_many_segments(clsort_desc *d, cl_mem m)
{
    d->segments = m;
    d->segment_count = (size_t)1 << 24;
    d->rows = 0;
}
static void short_offsets(clsort_desc *d, cl_mem m)
{
    d->segments = m;
    d->segment_count = 200;
    d->rows = 0;
    d->top_k = 1;
}
static void lengths_in_no_rows(clsort_desc *d, cl_mem m) { d->lengths = m; d->rows = 0; }
static void odd_lengths(clsort_desc *d, cl_mem m) { d->lengths = m; d->lengths_offset = 2; }
static void short_lengths(clsort_desc *d, cl_mem m) { d->lengths = m; d->lengths_offset = 112; }
static void far_lengths(clsort_desc *d, cl_mem m)
{
    d->lengths = m;
    d->lengths_offset = ~(size_t)3;
}
static void no_lengths(clsort_desc *d, cl_mem m) { (void)m; d->lengths_offset = 4; }
static void lengths_left_to_later(clsort_desc *d, cl_mem m)
{
    (void)m;
    d->lengths = CLSORT_LATER;
}
static void lengths_in_keys_out(clsort_desc *d, cl_mem m) { (void)m; d->lengths = d->keys_out; }
static void lengths_without_k(clsort_desc *d, cl_mem m) { d->lengths = m; d->top_k = 0; }
static void lengths_of_segments(clsort_desc *d, cl_mem m)
{
    d->lengths = d->segments = m;
    d->segment_count = 1;
    d->rows = 1;
}

static const bad_call bad_calls[] = {
    { "k above count", above_count, CLSORT_ERROR_TOP_K },
    { "k of nothing", of_nothing, CLSORT_ERROR_TOP_K },
    { "no output", no_output, CLSORT_ERROR_MISSING_BUFFER },
    { "no values_out", no_values_out, CLSORT_ERROR_MISSING_BUFFER },
    { "small keys_out", small_keys_out, CLSORT_ERROR_BUFFER_TOO_SMALL },
    { "small indices", small_indices, CLSORT_ERROR_BUFFER_TOO_SMALL },
    { "keys_out is keys", same_keys, CLSORT_ERROR_OVERLAP },
    { "odd stride", odd_stride, CLSORT_ERROR_MISALIGNED },
    { "short stride", short_stride, CLSORT_ERROR_OVERLAP },
    { "a short stride of keys_out", short_keys_out_stride, CLSORT_ERROR_OVERLAP },
    { "a short stride of indices", short_indices_stride, CLSORT_ERROR_OVERLAP },
    { "a long stride of indices", long_indices_stride, CLSORT_ERROR_BUFFER_TOO_SMALL },
    { "too many rows", too_many_rows, CLSORT_ERROR_COUNT_TOO_LARGE },
    { "more rows than keys", more_rows, CLSORT_ERROR_BUFFER_TOO_SMALL },
    { "records beyond the end", of_records, CLSORT_ERROR_BUFFER_TOO_SMALL },
    { "records in an order of one's own", of_precedes, CLSORT_ERROR_UNSUPPORTED },
    { "records by long fields", of_long_fields, CLSORT_ERROR_UNSUPPORTED },
    { "a partition that is not ordered", loose_partition, CLSORT_ERROR_UNKNOWN_FLAG },
    { "a partition of the n-th", nth_partition, CLSORT_ERROR_UNKNOWN_FLAG },
    { "a partition without k", partition_without_k, CLSORT_ERROR_UNKNOWN_FLAG },
    { "a partition into k keys", small_partition, CLSORT_ERROR_BUFFER_TOO_SMALL },
    { "a partition of values beside indices", partition_without_values_out,
      CLSORT_ERROR_MISSING_BUFFER },
    { "an algorithm", by_radix, CLSORT_ERROR_UNSUPPORTED },
    { "overflow", all_overflow, CLSORT_ERROR_SIZE_OVERFLOW },
    { "a flag without top_k", without_k, CLSORT_ERROR_UNKNOWN_FLAG },
    { "segments without a number", in_no_segments, CLSORT_ERROR_UNUSED_FIELD },
    { "rows and segments", in_rows_and_segments, CLSORT_ERROR_UNSUPPORTED },
    { "too many segments", too_many_segments, CLSORT_ERROR_COUNT_TOO_LARGE },
    { "short offsets", short_offsets, CLSORT_ERROR_BUFFER_TOO_SMALL },
    { "lengths without rows", lengths_in_no_rows, CLSORT_ERROR_UNUSED_FIELD },
    { "odd lengths", odd_lengths, CLSORT_ERROR_MISALIGNED },
    { "short lengths", short_lengths, CLSORT_ERROR_BUFFER_TOO_SMALL },
    { "lengths near SIZE_MAX", far_lengths, CLSORT_ERROR_SIZE_OVERFLOW },
    { "an offset without lengths", no_lengths, CLSORT_ERROR_UNUSED_FIELD },
    { "a flag but no lengths", lengths_left_to_later, CLSORT_ERROR_MISSING_BUFFER },
    { "lengths in keys_out", lengths_in_keys_out, CLSORT_ERROR_OVERLAP },
    { "lengths of a sort", lengths_without_k, CLSORT_ERROR_UNSUPPORTED },
    { "lengths of segments", lengths_of_segments, CLSORT_ERROR_UNSUPPORTED },
};

static void bad_calls_change_nothing(bench *b)
{
    static unsigned char before[3 * 400], after[3 * 400];
    cl_mem buffers[4];
    size_t i, k;
    for (i = 0; i < sizeof before; i++) before[i] = (unsigned char)(i * 7);
    for (i = 0; i < 4; i++)
        buffers[i] = clCreateBuffer(b->session.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                    i == 3 ? 4 * 3 * 10 - 1 : sizeof before, before, NULL);
    for (i = 0; i < sizeof bad_calls / sizeof *bad_calls; i++) {
        clsort_desc d = top_make(CLSORT_F32, 3, 100, 10).d;
        cl_event done = (cl_event)(void *)&d;
        d.keys = buffers[0];
        d.keys_out = buffers[1];
        d.indices = buffers[2];
        bad_calls[i].spoil(&d, buffers[3]);
        AT("%s", bad_calls[i].name);
        CHECK_STATUS(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, &done),
                     bad_calls[i].wanted);
        CHECK(done == NULL);
        for (k = 0; k < 3; k++) {
            clEnqueueReadBuffer(b->session.queue, buffers[k], CL_TRUE, 0, sizeof after, after, 0,
                                NULL, NULL);
            CHECK(!memcmp(before, after, sizeof before));
        }
    }
    for (i = 0; i < 4; i++) clReleaseMemObject(buffers[i]);
}

static const test_entry tests[] = {
    { "short rows give their first k and their n-th element", short_rows },
    { "rows of any length do, around every switch of the method", rows_around_every_switch },
    { "every type, order, NaN and zero is selected by", every_type_and_order },
    { "equal NaNs come by their index", equal_nans },
    { "of equal keys the smaller index wins", equal_keys_by_index },
    { "many rows are selected from in one call", many_rows },
    { "rows may have gaps, which are not read as keys", rows_with_gaps },
    { "rows are partitioned around the k-th element", partitions },
    { "segments are partitioned, too", partitions_of_segments },
    { "rows that are read once survive a sample that misleads", streams_that_a_sample_misleads },
    { "large k of rows around the length from which they are read once", large_k_of_long_rows },
    { "work-items keep and rank any number", work_items_keep_any_number },
    { "rows in many parts give their first k and their n-th element", rows_in_many_parts },
    { "records are selected and partitioned", records },
    { "a count on the device is followed", counts_on_the_device },
    { "any set of outputs is written and nothing else", every_set_of_outputs },
    { "some bits of the keys decide", some_bits_of_the_keys },
    { "work-groups of any size select", work_groups_of_any_size },
    { "rows that a work-group holds give theirs in one reading", rows_that_a_work_group_holds },
    { "rows that a work-group holds give whole keys", held_rows_by_parts_of_keys },
    { "candidates may crowd into few columns of a row", candidates_in_few_columns },
    { "wait lists, events and out-of-order queues work", wait_lists_and_queues },
    { "scratch is bounded and grows with the count", scratch_bounds_hold },
    { "bad calls get their code and change nothing", bad_calls_change_nothing },
    TEST_REST,
    { "segments are selected from", segments_of_rows },
    { "k may be as large as bounds of columns allow", bounds_of_columns },
    { "rows of outputs may have strides of their own", strides_of_outputs },
    { "rows have lengths, and what they lack is marked", lengths_of_rows },
    { "long rows are selected from in rounds", long_rows_in_rounds },
    { "more than a work-group sorts is sorted too", sorted_k_above_the_room },
    { "long rows are read once if their sample does not mislead", long_rows_by_a_sample },
    { "long rows are selected from in one launch after the sample", long_rows_in_one_launch },
    { "prepared calls build nothing", prepared_calls_build_nothing }
};

TEST_MAIN(tests)
