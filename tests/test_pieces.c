/* clsort_enqueue_merge, clsort_enqueue_merge_runs and clsort_enqueue_partition as rows of a table
   (rows.h): every type, order and size of values, sizes around every switch, inputs, runs and parts
   of any sizes, work-groups, unsorted inputs, events, scratch memory; and bad calls. */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "pieces.h"
#include "rows.h"

/* ---- calls as rows --------------------------------------------------------------------------- */

/* Another word for .with: unsorted (inputs and splitters are not in order). */
static pieces_how how_of(const test_row *r, const sort_case *c)
{
    pieces_how h = pieces_make(c->d.key_type, c->d.value_size, c->pattern);
    h.order = c->d.order;
    h.nan_order = c->d.nan_order;
    h.work_group = c->d.tuning.work_group;
    h.items = c->d.tuning.items;
    h.seed = c->seed;
    h.shift = c->shift;
    h.own_scratch = c->own_scratch;
    h.queue = c->queue;
    h.wait = c->wait;
    h.unsorted = row_has(r, "unsorted");
    return h;
}

/* .counts and .k are the sizes of both inputs. */
static int merge_two(const bench *b, const test_row *r, const sort_case *c, uint64_t *random)
{
    const pieces_how h = how_of(r, c);
    (void)random;
    return merge_check(b, &h, c->d.count, row_number_k(r, c));
}

/* .k is how many runs there are. All have the size, or one alone, or together, or each about as
   many, some of them none and one perhaps more. */
static int merge_some_runs(const bench *b, const test_row *r, const sort_case *c,
                           uint64_t *random)
{
    const pieces_how h = how_of(r, c);
    const size_t style = draw(random, 5), n = c->d.count, runs = row_number_k(r, c),
                 large = draw(random, runs);
    size_t counts[CLSORT_MAX_RUNS], k;
    for (k = 0; k < runs; k++) {
        const size_t about = draw(random, 4) ? draw(random, 2 * n + 1) : 0;
        counts[k] = style == 0   ? n
                    : style == 1 ? (k == large ? n : draw(random, 2))
                    : style == 2 ? n / runs + (k < n % runs)
                                 : about;
    }
    if (style == 3 && n < 10000) counts[large] *= 7;
    return runs_check(b, &h, counts, (cl_uint)runs, chance(random, 50));
}

/* .k is the number of splitters. */
static int part(const bench *b, const test_row *r, const sort_case *c, uint64_t *random)
{
    const pieces_how h = how_of(r, c);
    (void)random;
    return partition_check(b, &h, c->d.count, (cl_uint)row_number_k(r, c));
}

/* ---- runs and parts of their own ------------------------------------------------------------- */

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

/* ---- rows ------------------------------------------------------------------------------------ */

#define UP_TO_16 "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"
#define INPUTS "0 1 3 ~16 33 1000 1023 1025 2048 5000"
#define OTHERS "0 1 5 t t+1 300 1023 777 4099"
#define EVERY_TYPE "k4+2 k8+4 k1+3 k2+8 k4 k8 k1 k2"
#define EVERY_SIZE "i32+1 i32+2 i32+3 i32+4 i32+5 i32+6 i32+7 i32+8"
#define TYPICAL "mod-16 nans-10 uniform around-zero"

static const test_row rows[] = {
    { .name = "two sorted inputs of every type are merged, the first one first",
      .call = merge_two, .elements = EVERY_TYPE " k4+4", .patterns = TYPICAL, .counts = INPUTS,
      .k = OTHERS, .with = "order nan places", .times = 9, .one_in = 4 },
    { .name = "two sorted inputs with values of every size are merged", .call = merge_two,
      .elements = EVERY_SIZE, .patterns = "equal mod-2 uniform mod-16", .counts = INPUTS,
      .k = OTHERS, .with = "order places", .times = 9, .one_in = 6 },
    { .name = "two sorted inputs are merged in work-groups", .call = merge_two,
      .forms = "auto/16 auto/1 auto/4x8 auto/64x8 auto/256", .elements = "f32+4 f32",
      .patterns = "nans-10 mod-3", .counts = INPUTS, .k = OTHERS, .with = "order nan places",
      .times = 9, .one_in = 8 },
    { .name = "merges of two inputs wait, and are waited for", .call = merge_two,
      .elements = "f32+4", .patterns = "mod-16", .counts = "1 15 1023", .k = "t 40 777",
      .with = "queue", .times = 9 },
    { .name = "merges of unsorted inputs write nothing but their output", .call = merge_two,
      .forms = "auto auto/16", .elements = "f32+4 f32",
      .patterns = "reverse uniform organ-pipe mod-16", .counts = INPUTS, .k = OTHERS,
      .with = "unsorted places", .times = 9, .one_in = 2 },
    { .name = "1 to 16 runs of u32 are merged", .call = merge_some_runs,
      .elements = "u32 u32+4", .patterns = "uniform mod-16 equal min-max maximum",
      .counts = "3 100 3000", .k = UP_TO_16, .with = "places", .times = 32 },
    { .name = "runs one after another are merged", .run = runs_one_after_another },
    { .name = "runs of every type are merged", .call = merge_some_runs, .elements = EVERY_TYPE,
      .patterns = TYPICAL, .counts = "120", .k = "1 3 7 13 16", .with = "order nan places",
      .times = 10, .one_in = 4 },
    { .name = "runs with values of every size are merged", .call = merge_some_runs,
      .elements = EVERY_SIZE, .patterns = "mod-16", .counts = "90", .k = "1 7 13",
      .with = "places", .times = 6, .one_in = 6 },
    { .name = "runs are merged in work-groups", .call = merge_some_runs,
      .forms = "auto/64 auto/256 auto/128 auto/32 auto/1", .elements = "f32+4 f32 f64+5 f64",
      .patterns = "mod-16", .counts = "2 300 4000", .k = "1 4 6 7 8 11 16",
      .with = "order places", .times = 7, .one_in = 10 },
    { .name = "runs that are not sorted harm nothing else", .call = merge_some_runs,
      .forms = "auto auto/64", .elements = "f32+4 f32", .patterns = "reverse uniform organ-pipe",
      .counts = "1000", .k = "1 6 11 16", .with = "unsorted places", .times = 12, .one_in = 2 },
    { .name = "u32 keys are parted", .call = part, .elements = "u32 u32+4",
      .patterns = "uniform mod-16 equal min-max", .counts = "0 1 ~64 1000 ~2048 ~3072 20011",
      .k = "1 2 15 16 100 255", .with = "places", .times = 12 },
    { .name = "keys of every type are parted", .call = part, .elements = EVERY_TYPE,
      .patterns = TYPICAL, .counts = "77 3000", .k = "9 15 200", .with = "order nan places",
      .times = 9, .one_in = 4 },
    { .name = "splitters that are not sorted harm nothing else", .call = part,
      .forms = "auto auto/64", .elements = "f32+4 f32", .patterns = "reverse uniform",
      .counts = "3000", .k = "12 200", .with = "unsorted places", .times = 4, .one_in = 2 },
    { .name = "merges of runs wait and are waited for", .call = merge_some_runs,
      .elements = "u32+4", .patterns = "mod-16", .counts = "3000", .k = "4 1", .with = "queue",
      .times = 12 },
    { .name = "partitions wait and are waited for", .call = part, .elements = "u32+4",
      .patterns = "mod-16", .counts = "5000", .k = "15", .with = "queue", .times = 9 },
    { .name = "parts are segments of a sort", .run = parts_are_segments },
    { .name = "nothing is built unasked", .run = nothing_is_built_unasked },
    { .name = "bad merges are refused", .run = bad_merges },
    { .name = "bad partitions are refused", .run = bad_partitions },
    ROW_REST,
    { .name = "inputs of every type are merged in work-groups", .call = merge_two,
      .forms = "auto auto/16 auto/64x8 auto/256", .elements = EVERY_TYPE, .patterns = TYPICAL,
      .counts = INPUTS, .k = OTHERS, .with = "order nan places unsorted", .times = 9,
      .one_in = 6 },
    { .name = "runs around tiles are merged", .call = merge_some_runs,
      .forms = "auto auto/64x8 auto/256", .elements = "u32+4", .patterns = "uniform mod-16",
      .counts = "~384 ~1024 2048 ~8192", .k = "2 3 5", .with = "places", .times = 15 },
    { .name = "long runs are merged", .call = merge_some_runs,
      .forms = "auto auto/256 auto/128 auto/64", .elements = "u32 u32+4 f64",
      .patterns = "mod-16 uniform runs-apart equal", .counts = "131071 262144", .k = "7",
      .with = "places", .times = 3, .one_in = 3 },
    { .name = "keys with values of every size are parted", .call = part,
      .elements = EVERY_SIZE, .patterns = "mod-16", .counts = "2500", .k = "15 16",
      .with = "places", .times = 4 },
    { .name = "keys are parted in work-groups", .call = part,
      .forms = "auto/64 auto/256 auto/16 auto/1", .elements = "f32+4 f32 f64+4 f64",
      .patterns = "mod-16 uniform", .counts = "0 1 ~512 ~2048 30000", .k = "1 15 16 255",
      .with = "order places", .times = 8, .one_in = 4 },
    { .name = "many keys are parted", .call = part, .forms = "auto auto/32", .elements = "u32",
      .patterns = "uniform mod-16", .counts = "8m+77", .k = "15 255", .with = "places",
      .times = 2, .one_in = 2 },
};

ROWS_MAIN(rows)
