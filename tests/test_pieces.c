/* clsort_enqueue_merge_runs and clsort_enqueue_partition: every type, order and size of values,
   sizes around every switch, runs and parts of any sizes, work-groups, stability, unsorted inputs,
   events, scratch memory, and bad calls. */

#define TEST_PUBLIC
#include "harness.h"

#include "pieces.h"

/* ---- merges of runs -------------------------------------------------------------------------- */

/* Draws sizes of runs: about as large as `size`, some empty, one perhaps much larger. */
static void draw_counts(uint64_t *random, size_t size, cl_uint run_count, size_t *counts)
{
    cl_uint k;
    for (k = 0; k < run_count; k++) {
        const uint64_t draw = pattern_random(random);
        counts[k] = draw % 4 ? (size_t)(draw >> 8) % (2 * size + 1) : 0;
        if (draw % 16 == 7) counts[k] = size;
    }
    k = (cl_uint)(pattern_random(random) % run_count);
    if (pattern_random(random) % 3 == 0) counts[k] *= 7;
}

/* Merges of 1 to 16 runs of about `size` elements each. */
static int merge_any_runs(const bench *b, pieces_how h, size_t size, int step)
{
    uint64_t random = h.seed + size;
    size_t counts[CLSORT_MAX_RUNS];
    cl_uint run_count;
    for (run_count = 1; run_count <= CLSORT_MAX_RUNS; run_count += (cl_uint)step) {
        draw_counts(&random, size, run_count, counts);
        h.seed++;
        h.shift = run_count % 5;
        h.own_scratch = run_count % 3 == 0;
        if (!runs_check(b, &h, counts, run_count, run_count % 2 == 0)) return 0;
    }
    return 1;
}

static void runs_of_u32(bench *b)
{
    static const char *const patterns[] = { "uniform", "mod-16", "equal", "min-max", "maximum" };
    size_t i;
    for (i = 0; i < 5; i++) {
        pieces_how h = pieces_make(CLSORT_U32, i & 1 ? 4 : 0, patterns[i]);
        h.seed = 100 * i + 1;
        if (!merge_any_runs(b, h, 3, 1) || !merge_any_runs(b, h, 100, 2)
            || !merge_any_runs(b, h, 3000, 5))
            return;
    }
}

/* Sizes around tiles: of work-groups 48 or 240 times their items, of work-items 1024 and more. */
static void runs_around_tiles(bench *b)
{
    static const size_t sizes[] = { 383, 384, 385, 1023, 1024, 1025, 2048, 8191, 8192, 8193 };
    static const cl_uint groups[] = { 0, 64, 256 };
    size_t i, g;
    for (g = 0; g < (b->few_programs ? 1u : 3u); g++)
        for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            pieces_how h = pieces_make(CLSORT_U32, 4, i & 1 ? "mod-16" : "uniform");
            size_t one[3] = { 0 }, two[2], even[5];
            one[1] = sizes[i], one[2] = 1;
            two[0] = sizes[i] / 2, two[1] = sizes[i] - two[0];
            even[0] = even[1] = even[2] = even[3] = even[4] = sizes[i];
            h.work_group = groups[g];
            h.items = g == 1 ? 8 : 0;
            if (!runs_check(b, &h, one, 3, 0) || !runs_check(b, &h, two, 2, 1)
                || !runs_check(b, &h, even, 5, 0))
                return;
        }
}

/* So many elements that samples bound the search for tiles, on CPUs, too; bare ones and others by
   each kind of kernels. */
static void long_runs(bench *b)
{
    static const size_t counts[] = { 262144, 0, 131071, 131072, 131073, 5, 400000 };
    static const char *const patterns[] = { "mod-16", "uniform", "runs-apart", "equal" };
    static const cl_uint groups[] = { 0, 256, 0, 128, 64, 256 };
    size_t i;
    for (i = 0; i < (b->small ? 2u : b->few_programs ? 3u : 12u); i++) {
        pieces_how h = pieces_make(i % 5 == 4 ? CLSORT_F64 : CLSORT_U32, i & 1 ? 0 : 4,
                                   patterns[i % 4]);
        h.own_scratch = i & 1;
        h.work_group = groups[i % 6];
        if (!test_takes(b, 3)) continue;
        if (!runs_check(b, &h, counts, 7, 0)) return;
    }
}

/* Runs whose keys do not mingle, in the order of the runs and against it. */
static void runs_one_after_another(bench *b)
{
    size_t counts[CLSORT_MAX_RUNS];
    cl_uint k, down;
    for (down = 0; down < 2; down++) {
        const pieces_how h = pieces_make(CLSORT_U32, 4, "sorted");
        pieces_state s;
        size_t i = 0;
        int good;
        AT("16 runs one after another%s", down ? ", last first" : "");
        for (k = 0; k < CLSORT_MAX_RUNS; k++) counts[k] = 700 + k;
        good = runs_make(b, &h, counts, CLSORT_MAX_RUNS, &s);
        for (k = 0; good && k < CLSORT_MAX_RUNS; k++) {
            size_t left = counts[k];
            for (; left > 0; left--, i++) {
                const cl_uint key = (down ? 15 - k : k) << 20 | (cl_uint)(i / 3);
                memcpy(image_at(&s.image, s.image.was, PIECES_KEYS, i), &key, 4);
            }
        }
        if (good && runs_upload(b, &h, 0, &s) && runs_enqueue(b, &h, &s)) pieces_hold(b, &h, &s);
        pieces_close(&s);
    }
}

static const cl_uint types[] = { CLSORT_U8,  CLSORT_I16, CLSORT_F16, CLSORT_BF16, CLSORT_I32,
                                 CLSORT_F32, CLSORT_U64, CLSORT_I64, CLSORT_F64,  CLSORT_I8,
                                 CLSORT_U16, CLSORT_U32 };
enum { TYPES = sizeof types / sizeof *types };

/* A type, an order and a size of values of their own for each number. */
static pieces_how type_number(size_t i)
{
    pieces_how h = pieces_make(types[i % TYPES], i < TYPES ? (i * 5 + 3) % 9 : 0,
                               pattern_is_float(types[i % TYPES]) ? "nans-10" : "mod-16");
    h.order = i & 1;
    h.nan_order = i / 2 & 1;
    return h;
}

static void runs_of_every_type(bench *b)
{
    sample_draw drawn = test_sample(b, test_draws(b) ? 4 : 2);
    size_t i;
    for (i = 0; i < 2 * TYPES; i++)
        if (sample_takes(&drawn) && !merge_any_runs(b, type_number(i), 120, 6)) return;
}

static void runs_with_values_of_every_size(bench *b)
{
    size_t bytes;
    for (bytes = 1; bytes <= 8; bytes++)
        if ((!b->few_programs || bytes == 4)
            && !merge_any_runs(b, pieces_make(CLSORT_I32, bytes, "mod-16"), 90, 6))
            return;
}

/* In work-groups, also those that are too small for a tile of 16 shares. */
static void runs_in_work_groups(bench *b)
{
    static const cl_uint groups[] = { 64, 256, 128, 32, 1 };
    size_t i;
    for (i = 0; i < (b->few_programs ? 1u : 5u); i++) {
        pieces_how h = pieces_make(i & 1 ? CLSORT_F64 : CLSORT_F32, i & 2 ? 0 : 4 + i, "mod-16");
        if (!test_takes(b, 5)) continue;
        h.work_group = groups[i];
        h.order = i & 1;
        if (!merge_any_runs(b, h, 2, 3) || !merge_any_runs(b, h, 300, 5)
            || !merge_any_runs(b, h, 4000, 7))
            return;
    }
}

static void runs_that_are_not_sorted(bench *b)
{
    static const char *const patterns[] = { "reverse", "uniform", "organ-pipe" };
    size_t i;
    for (i = 0; i < 6; i++) {
        pieces_how h = pieces_make(CLSORT_F32, i & 1 ? 0 : 4, patterns[i % 3]);
        h.unsorted = 1;
        h.work_group = i >= 3 && i & 1 ? 64 : 0;
        if (!merge_any_runs(b, h, 1000, 5)) return;
    }
}

/* ---- partitions ------------------------------------------------------------------------------ */

static int partition_sizes(const bench *b, pieces_how h)
{
    static const size_t counts[] = { 0,    1,    63,   64,   65,   1000, 2047, 2048,
                                     2049, 3071, 3072, 3073, 20011 };
    static const cl_uint splitters[] = { 1, 2, 15, 16, 100, 255 };
    size_t c, k;
    for (c = 0; c < sizeof counts / sizeof *counts; c++)
        for (k = 0; k < sizeof splitters / sizeof *splitters; k++) {
            h.seed++;
            h.shift = (c + k) % 4;
            h.own_scratch = k % 3 == 0;
            if (!partition_check(b, &h, counts[c], splitters[k])) return 0;
        }
    return 1;
}

static void parts_of_u32(bench *b)
{
    static const char *const patterns[] = { "uniform", "mod-16", "equal", "min-max" };
    size_t i;
    for (i = 0; i < 4; i++)
        if (!partition_sizes(b, pieces_make(CLSORT_U32, i & 1 ? 4 : 0, patterns[i]))) return;
}

static void parts_of_every_type(bench *b)
{
    sample_draw drawn = test_sample(b, test_draws(b) ? 6 : 2);
    size_t i;
    for (i = 0; i < 2 * TYPES; i++) {
        pieces_how h = type_number(i);
        if (!sample_takes(&drawn)) continue;
        h.shift = i % 4;
        if (!partition_check(b, &h, 3000, i & 1 ? 9 : 200) || !partition_check(b, &h, 77, 15))
            return;
    }
}

static void parts_with_values_of_every_size(bench *b)
{
    size_t bytes;
    for (bytes = 1; bytes <= 8; bytes++) {
        const pieces_how h = pieces_make(CLSORT_I32, bytes, "mod-16");
        if ((!b->few_programs || bytes == 4) && !partition_check(b, &h, 2500, bytes & 1 ? 15 : 16))
            return;
    }
}

static void parts_in_work_groups(bench *b)
{
    static const cl_uint groups[] = { 64, 256, 16, 1 };
    static const size_t counts[] = { 0, 1, 511, 512, 513, 2047, 2048, 2049, 30000 };
    static const cl_uint splitters[] = { 1, 15, 16, 255 };
    size_t g, c, k;
    for (g = 0; g < (b->few_programs ? 1u : 4u); g++) {
        if (!test_takes(b, 4)) continue;
        for (c = 0; c < sizeof counts / sizeof *counts; c++)
            for (k = g & 1; k < 4; k += 2) {
                pieces_how h = pieces_make(g & 1 ? CLSORT_F64 : CLSORT_F32, g & 2 ? 0 : 4,
                                           "mod-16");
                h.seed = c + 1;
                h.work_group = groups[g];
                h.order = c & 1;
                h.pattern = c & 1 ? "uniform" : "mod-16";
                h.shift = c & 1;   /* keys at a multiple of 16 bytes, and others */
                if (!partition_check(b, &h, counts[c], splitters[k])) return;
            }
    }
}

/* Many keys: lines of the target are staged then, on CPUs. */
static void many_keys_are_parted(bench *b)
{
    const size_t n = b->small ? 100000 : (1 << 23) + 77, only = test_choice(b, 3);
    pieces_how h = pieces_make(CLSORT_U32, 0, "uniform");
    h.shift = 1;
    if ((only == 3 || only == 0) && !partition_check(b, &h, n, 15)) return;
    h.pattern = "mod-16";
    if ((only == 3 || only == 1) && !partition_check(b, &h, n, 255)) return;
    h.work_group = 32;   /* work-groups move several tiles each */
    h.seed++;
    if (only >= 2) partition_check(b, &h, n / 2, 15);
}

static void splitters_that_are_not_sorted(bench *b)
{
    static const char *const patterns[] = { "reverse", "uniform" };
    size_t i;
    for (i = 0; i < 4; i++) {
        pieces_how h = pieces_make(CLSORT_F32, i & 1 ? 0 : 4, patterns[i % 2]);
        h.unsorted = 1;
        h.work_group = i >= 2 ? 64 : 0;
        if (!partition_check(b, &h, 3000, i & 1 ? 200 : 12)) return;
    }
}

/* ---- both ------------------------------------------------------------------------------------ */

static void calls_wait_and_are_waited_for(bench *b)
{
    static const size_t counts[] = { 3000, 2000, 1000, 4000 };
    cl_command_queue unordered = test_unordered_queue(b);
    int wait, queue;
    for (queue = 0; queue < (unordered ? 2 : 1); queue++)
        for (wait = 0; wait < CASE_WAITS; wait++) {
            pieces_how h = pieces_make(CLSORT_U32, 4, "mod-16");
            h.queue = queue ? unordered : NULL;
            h.wait = wait;
            if (!runs_check(b, &h, counts, 4, 0) || !runs_check(b, &h, counts, 1, 0)
                || !partition_check(b, &h, 5000, 15))
                break;
        }
    if (unordered) clReleaseCommandQueue(unordered);
}

/* Parts are sorted as segments, and the sorted parts of several arrays are merged: a sample sort
   out of these calls. */
static void parts_are_segments(bench *b)
{
    enum { N = 5000 };
    const pieces_how h = pieces_make(CLSORT_U32, 0, "uniform");
    pieces_state s;
    cl_mem result = test_buffer(b, 4, NULL);
    cl_uint unsorted = 0;
    AT("%d keys, parted, then sorted as segments", N);
    if (partition_open(b, &h, N, 40, &s) && partition_enqueue(b, &h, &s)) {
        clsort_desc d = clsort_desc_default();
        d.count = N;
        d.key_type = CLSORT_U32;
        d.keys = image_buffer(&s.image, PIECES_KEYS_OUT, &d.keys_offset);
        d.segments = image_buffer(&s.image, PIECES_STARTS, &d.segments_offset);
        d.segment_count = 41;
        CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, NULL));
        d.segments = NULL;
        d.segments_offset = d.segment_count = 0;
        CHECK_OK(clsort_enqueue_is_sorted(b->sorter, b->session.queue, &d, result, 0, 0, NULL,
                                          NULL));
        CHECK(clEnqueueReadBuffer(b->session.queue, result, CL_TRUE, 0, 4, &unsorted, 0, NULL,
                                  NULL)
              == CL_SUCCESS);
        CHECK(unsorted == N);
    }
    pieces_close(&s);
    clReleaseMemObject(result);
}

/* Partitions, prepared for few splitters and for many. */
static void prepared_partitions(bench *b, clsort_sorter *sorter)
{
    const pieces_how h = pieces_make(CLSORT_U16, 4, "uniform");
    const cl_uint splitters[2] = { 7, 16 };
    clsort_partition_desc p;
    pieces_state s;
    int i;
    for (i = 0; i < 2; i++) {
        if (!partition_open(b, &h, 100, splitters[i], &s)) break;
        p = partition_describe(&h, &s);
        CHECK_OK(clsort_prepare_partition(sorter, &p));
        p.flags = CLSORT_FLAG_NO_BUILD;
        CHECK_OK(clsort_enqueue_partition(sorter, b->session.queue, &p, 0, NULL, NULL));
        p.splitter_count = splitters[!i];
        if (!i)
            CHECK_STATUS(clsort_enqueue_partition(sorter, b->session.queue, &p, 0, NULL, NULL),
                         CLSORT_ERROR_NOT_READY);
        CHECK(clFinish(b->session.queue) == CL_SUCCESS);
        pieces_close(&s);
    }
    CHECK_STATUS(clsort_prepare_partition(NULL, &p), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_prepare_partition(sorter, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    p.splitter_count = 256;
    CHECK_STATUS(clsort_prepare_partition(sorter, &p), CLSORT_ERROR_UNKNOWN_VALUE);
}

/* Kernels that are not built yet, and such that were prepared. */
static void nothing_is_built_unasked(bench *b)
{
    static const size_t counts[2] = { 10, 20 };
    const pieces_how h = pieces_make(CLSORT_U32, 4, "uniform");
    bench other = *b;
    pieces_state s;
    clsort_merge_runs_desc m;
    if (!CHECK_OK(clsort_create(b->session.context, b->session.info.id, NULL, &other.sorter)))
        return;
    AT("a new sorter");
    if (runs_make(b, &h, counts, 2, &s) && runs_upload(b, &h, 0, &s)) {
        m = runs_describe(&h, &s);
        m.flags = CLSORT_FLAG_NO_BUILD;
        CHECK_STATUS(clsort_enqueue_merge_runs(other.sorter, b->session.queue, &m, 0, NULL, NULL),
                     CLSORT_ERROR_NOT_READY);
        CHECK_OK(clsort_prepare_merge_runs(other.sorter, &m));
        CHECK_OK(clsort_enqueue_merge_runs(other.sorter, b->session.queue, &m, 0, NULL, NULL));
        CHECK(clFinish(b->session.queue) == CL_SUCCESS);
        CHECK_STATUS(clsort_prepare_merge_runs(other.sorter, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    }
    pieces_close(&s);
    prepared_partitions(b, other.sorter);
    clsort_destroy(other.sorter);
}

/* ---- bad calls ------------------------------------------------------------------------------- */

/* One change to a good call. */
#define REFUSED(function, call, good, change, code) \
    do { \
        cl_event done = NULL; \
        call = good; \
        change; \
        AT("%s", #change); \
        CHECK_STATUS(function(b->sorter, b->session.queue, &call, 0, NULL, &done), code); \
        CHECK(!done); \
        CHECK(strstr(clsort_last_error(b->sorter), #function)); \
    } while (0)
#define WITH_RUNS(change, code) \
    do { \
        memcpy(runs, t->good_runs, sizeof t->good_runs); \
        REFUSED(clsort_enqueue_merge_runs, m, t->good, change, code); \
    } while (0)

/* A good merge of three runs, whose arrays a change makes bad. */
typedef struct bad_merge {
    cl_mem keys, values, keys_out, values_out;
    clsort_run good_runs[3], runs[17];
    clsort_merge_runs_desc good;
} bad_merge;

static void open_bad_merge(const bench *b, bad_merge *t)
{
    clsort_merge_runs_desc m = clsort_merge_runs_desc_default();
    size_t i;
    memset(t, 0, sizeof *t);
    t->keys = test_buffer(b, 400, NULL), t->values = test_buffer(b, 800, NULL);
    t->keys_out = test_buffer(b, 1204, NULL), t->values_out = test_buffer(b, 2400, NULL);
    for (i = 0; i < 3; i++) {
        t->good_runs[i].count = 100;
        t->good_runs[i].keys = t->keys;
        t->good_runs[i].values = t->values;
    }
    m.runs = t->runs;
    m.run_count = 3;
    m.key_type = CLSORT_U32;
    m.value_size = 8;
    m.keys_out = t->keys_out;
    m.values_out = t->values_out;
    t->good = m;
}

static void close_bad_merge(const bad_merge *t)
{
    clReleaseMemObject(t->keys), clReleaseMemObject(t->values);
    clReleaseMemObject(t->keys_out), clReleaseMemObject(t->values_out);
}

/* What a name puts into tuning.variant. */
static cl_uint variant_of(const char *name)
{
    clsort_desc d = clsort_desc_default();
    CHECK_OK(clsort_set_algorithm(&d, name));
    return d.tuning.variant;
}

static void merges_of_nothing(const bench *b, const bad_merge *t)
{
    size_t bytes = 0;
    CHECK_STATUS(clsort_enqueue_merge_runs(NULL, b->session.queue, &t->good, 0, NULL, NULL),
                 CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_enqueue_merge_runs(b->sorter, b->session.queue, NULL, 0, NULL, NULL),
                 CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_merge_runs_scratch_size(NULL, &t->good, &bytes),
                 CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_merge_runs_scratch_size(b->sorter, NULL, &bytes),
                 CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_merge_runs_scratch_size(b->sorter, &t->good, NULL),
                 CLSORT_ERROR_NULL_ARGUMENT);
}

static void merges_of_bad_fields(const bench *b, bad_merge *t)
{
    clsort_run *const runs = t->runs;
    clsort_merge_runs_desc m;
    WITH_RUNS(m.runs = NULL, CLSORT_ERROR_NULL_ARGUMENT);
    WITH_RUNS(m.key_type = 0, CLSORT_ERROR_KEY_TYPE);
    WITH_RUNS(m.order = 2, CLSORT_ERROR_UNKNOWN_VALUE);
    WITH_RUNS(m.nan_order = 3, CLSORT_ERROR_UNKNOWN_VALUE);
    WITH_RUNS(m.run_count = 0, CLSORT_ERROR_UNKNOWN_VALUE);
    WITH_RUNS(m.run_count = 17, CLSORT_ERROR_UNKNOWN_VALUE);
    WITH_RUNS(m.reserved = 1, CLSORT_ERROR_UNKNOWN_VALUE);
    WITH_RUNS(m.flags = 2, CLSORT_ERROR_UNKNOWN_FLAG);
    WITH_RUNS(m.value_size = 9, CLSORT_ERROR_UNSUPPORTED);
    WITH_RUNS(m.tuning.variant = variant_of("merge-local-only"), CLSORT_ERROR_UNSUPPORTED);
    WITH_RUNS(m.tuning.variant = variant_of("radix-hybrid"), CLSORT_ERROR_UNKNOWN_VALUE);
    WITH_RUNS((m.key_type = CLSORT_F32, m.nan_order = CLSORT_NAN_EQUAL), CLSORT_ERROR_UNSUPPORTED);
    WITH_RUNS(m.value_size = 0, CLSORT_ERROR_VALUE_SIZE);
    WITH_RUNS(runs[1].values = NULL, CLSORT_ERROR_VALUE_SIZE);
    CHECK(strstr(clsort_last_error(b->sorter), "runs[1].values"));
    WITH_RUNS(m.scratch_size = 16, CLSORT_ERROR_UNUSED_FIELD);
    WITH_RUNS(m.scratch_offset = 16, CLSORT_ERROR_UNUSED_FIELD);
    if (sizeof(size_t) > 4) {
        WITH_RUNS(runs[2].count = (size_t)1 << 16 << 16, CLSORT_ERROR_COUNT_TOO_LARGE);
        WITH_RUNS((runs[0].count = 0x80000000u, runs[1].count = 0x80000000u),
                  CLSORT_ERROR_COUNT_TOO_LARGE);
    }
}

static void merges_of_bad_arrays(const bench *b, bad_merge *t)
{
    clsort_run *const runs = t->runs;
    const clsort_run none = { 0, NULL, 0, NULL, 0 };
    const cl_mem keys = t->keys, keys_out = t->keys_out, values_out = t->values_out;
    clsort_merge_runs_desc m;
    WITH_RUNS(runs[1].keys_offset = ~(size_t)3, CLSORT_ERROR_SIZE_OVERFLOW);
    WITH_RUNS(runs[2].keys_offset = 2, CLSORT_ERROR_MISALIGNED);
    CHECK(strstr(clsort_last_error(b->sorter), "runs[2].keys_offset"));
    WITH_RUNS(runs[2].values_offset = 4, CLSORT_ERROR_MISALIGNED);
    WITH_RUNS(m.keys_out_offset = 1, CLSORT_ERROR_MISALIGNED);
    WITH_RUNS(runs[0].keys = NULL, CLSORT_ERROR_MISSING_BUFFER);
    WITH_RUNS(m.keys_out = NULL, CLSORT_ERROR_MISSING_BUFFER);
    WITH_RUNS(runs[1].count = 101, CLSORT_ERROR_BUFFER_TOO_SMALL);
    WITH_RUNS(m.keys_out_offset = 8, CLSORT_ERROR_BUFFER_TOO_SMALL);
    WITH_RUNS((m.keys_out = keys, runs[0] = runs[1] = none), CLSORT_ERROR_OVERLAP);
    WITH_RUNS((m.scratch = keys_out, m.scratch_size = 16), CLSORT_ERROR_OVERLAP);
    WITH_RUNS((m.scratch = values_out, m.value_size = 0, m.values_out = NULL,
               runs[0].values = runs[1].values = runs[2].values = NULL, m.scratch_size = 16),
              CLSORT_ERROR_SCRATCH_TOO_SMALL);
}

static void bad_merges(bench *b)
{
    bad_merge t;
    open_bad_merge(b, &t);
    merges_of_nothing(b, &t);
    merges_of_bad_fields(b, &t);
    merges_of_bad_arrays(b, &t);
    close_bad_merge(&t);
}

#define WITH_PARTS(change, code) REFUSED(clsort_enqueue_partition, p, good, change, code)

/* A good partition, in which a change is bad. */
static clsort_partition_desc good_partition(const bench *b)
{
    clsort_partition_desc good = clsort_partition_desc_default();
    good.count = 100;
    good.key_type = CLSORT_I32;
    good.value_size = 8;
    good.keys = test_buffer(b, 400, NULL), good.values = test_buffer(b, 800, NULL);
    good.keys_out = test_buffer(b, 404, NULL), good.values_out = test_buffer(b, 804, NULL);
    good.splitters = test_buffer(b, 40, NULL), good.starts = test_buffer(b, 48, NULL);
    good.splitter_count = 10;
    return good;
}

static void partitions_of_nothing(const bench *b, clsort_partition_desc good)
{
    size_t bytes = 0;
    CHECK_STATUS(clsort_enqueue_partition(NULL, b->session.queue, &good, 0, NULL, NULL),
                 CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_enqueue_partition(b->sorter, b->session.queue, NULL, 0, NULL, NULL),
                 CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_partition_scratch_size(b->sorter, NULL, &bytes),
                 CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_partition_scratch_size(b->sorter, &good, NULL), CLSORT_ERROR_NULL_ARGUMENT);
}

static void partitions_of_bad_fields(const bench *b, clsort_partition_desc good)
{
    clsort_partition_desc p;
    WITH_PARTS(p.key_type = 1, CLSORT_ERROR_KEY_TYPE);
    WITH_PARTS(p.order = 2, CLSORT_ERROR_UNKNOWN_VALUE);
    WITH_PARTS(p.splitter_count = 0, CLSORT_ERROR_UNKNOWN_VALUE);
    WITH_PARTS(p.splitter_count = 256, CLSORT_ERROR_UNKNOWN_VALUE);
    WITH_PARTS(p.reserved = 1, CLSORT_ERROR_UNKNOWN_VALUE);
    WITH_PARTS(p.flags = 4, CLSORT_ERROR_UNKNOWN_FLAG);
    WITH_PARTS(p.value_size = 12, CLSORT_ERROR_UNSUPPORTED);
    WITH_PARTS(p.tuning.variant = variant_of("radix-portable"), CLSORT_ERROR_UNSUPPORTED);
    WITH_PARTS(p.value_size = 0, CLSORT_ERROR_VALUE_SIZE);
    WITH_PARTS(p.values = NULL, CLSORT_ERROR_VALUE_SIZE);
    WITH_PARTS(p.values_out = NULL, CLSORT_ERROR_VALUE_SIZE);
    WITH_PARTS(p.scratch_offset = 16, CLSORT_ERROR_UNUSED_FIELD);
    if (sizeof(size_t) > 4)
        WITH_PARTS(p.count = (size_t)1 << 16 << 16, CLSORT_ERROR_COUNT_TOO_LARGE);
}

static void partitions_of_bad_arrays(const bench *b, clsort_partition_desc good)
{
    const cl_mem keys = good.keys, splitters = good.splitters;
    clsort_partition_desc p;
    WITH_PARTS(p.splitters_offset = ~(size_t)3, CLSORT_ERROR_SIZE_OVERFLOW);
    WITH_PARTS(p.starts_offset = ~(size_t)3, CLSORT_ERROR_SIZE_OVERFLOW);
    WITH_PARTS(p.splitters_offset = 2, CLSORT_ERROR_MISALIGNED);
    WITH_PARTS(p.starts_offset = 2, CLSORT_ERROR_MISALIGNED);
    WITH_PARTS(p.keys_offset = 2, CLSORT_ERROR_MISALIGNED);
    WITH_PARTS(p.values_out_offset = 4, CLSORT_ERROR_MISALIGNED);
    WITH_PARTS(p.keys = NULL, CLSORT_ERROR_MISSING_BUFFER);
    WITH_PARTS(p.keys_out = NULL, CLSORT_ERROR_MISSING_BUFFER);
    WITH_PARTS(p.splitters = NULL, CLSORT_ERROR_MISSING_BUFFER);
    WITH_PARTS(p.starts = NULL, CLSORT_ERROR_MISSING_BUFFER);
    WITH_PARTS(p.splitter_count = 11, CLSORT_ERROR_BUFFER_TOO_SMALL);
    WITH_PARTS(p.starts_offset = 4, CLSORT_ERROR_BUFFER_TOO_SMALL);
    WITH_PARTS(p.count = 101, CLSORT_ERROR_BUFFER_TOO_SMALL);
    WITH_PARTS(p.keys_out = keys, CLSORT_ERROR_OVERLAP);
    WITH_PARTS(p.starts = splitters; p.splitter_count = 8, CLSORT_ERROR_OVERLAP);
    WITH_PARTS((p.scratch = splitters, p.scratch_size = 16), CLSORT_ERROR_OVERLAP);
}

static void bad_partitions(bench *b)
{
    const clsort_partition_desc good = good_partition(b);
    partitions_of_nothing(b, good);
    partitions_of_bad_fields(b, good);
    partitions_of_bad_arrays(b, good);
    clReleaseMemObject(good.keys), clReleaseMemObject(good.values);
    clReleaseMemObject(good.keys_out), clReleaseMemObject(good.values_out);
    clReleaseMemObject(good.splitters), clReleaseMemObject(good.starts);
}

static const test_entry tests[] = {
    { "1 to 16 runs of u32 are merged", runs_of_u32 },
    { "runs one after another are merged", runs_one_after_another },
    { "runs of every type are merged", runs_of_every_type },
    { "runs with values of every size are merged", runs_with_values_of_every_size },
    { "runs are merged in work-groups", runs_in_work_groups },
    { "runs that are not sorted harm nothing else", runs_that_are_not_sorted },
    { "u32 keys are parted", parts_of_u32 },
    { "keys of every type are parted", parts_of_every_type },
    { "splitters that are not sorted harm nothing else", splitters_that_are_not_sorted },
    { "calls wait and are waited for", calls_wait_and_are_waited_for },
    { "parts are segments of a sort", parts_are_segments },
    { "nothing is built unasked", nothing_is_built_unasked },
    { "bad merges are refused", bad_merges },
    { "bad partitions are refused", bad_partitions },
    TEST_REST,
    { "runs around tiles are merged", runs_around_tiles },
    { "long runs are merged", long_runs },
    { "keys with values of every size are parted", parts_with_values_of_every_size },
    { "keys are parted in work-groups", parts_in_work_groups },
    { "many keys are parted", many_keys_are_parted }
};

TEST_MAIN(tests)
