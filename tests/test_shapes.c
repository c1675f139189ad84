/* A few sorts by every kernel in every shape, quick enough for simulators that check each access:
   see tests/scripts/small. */

#define CLSORT_IMPLEMENTATION
#include "cases.h"
#include "pieces.h"
#include "records.h"
#include "top.h"

/* Sorts a handful of sizes; the largest spans several tiles of every shape that is used here. */
static void sort_some(bench *b, sort_case c)
{
    static const size_t sizes[] = { 1, 3, 70 };
    size_t i;
    if (!test_takes(b, 3)) return;
    for (i = 0; i < 3; i++) {
        c.d.count = sizes[i];
        c.seed = i + 1;
        case_run(b, &c);
    }
}

/* Keys, pairs, odd values, records and argsort in one shape. */
static void sort_every_kind(bench *b, cl_uint work_group, cl_uint items)
{
    sort_case c = case_make(CLSORT_F32, 0, "mod-16");
    c.d.tuning.work_group = work_group;
    c.d.tuning.items = items;
    sort_some(b, c);
    c.keys_out = 1;
    sort_some(b, c);
    c.d.stable = 1;
    c.d.value_size = 12;
    c.values_out = items > 0;   /* in place there is a copy, behind which Oclgrind takes all of
                                   scratch for uninitialized */
    sort_some(b, c);
    c.d.value_size = 0;
    c.values_out = 0;
    c.indices = 1;
    sort_some(b, c);
    c = case_make(CLSORT_U64, 0, "uniform");
    c.d.tuning.work_group = work_group;
    c.d.tuning.items = items;
    c.d.value_size = 8;
    sort_some(b, c);
    c.d.key_type = CLSORT_I8;
    c.d.value_size = 3;
    sort_some(b, c);
    c.d.key_type = CLSORT_U16;
    c.d.value_size = 0;
    c.d.record_size = 6;
    c.d.key_offset = 2;
    sort_some(b, c);
}

static void default_shape(bench *b) { sort_every_kind(b, 0, 0); }
static void lone_elements_shared_tile(bench *b) { sort_every_kind(b, 8, 4); }
static void lone_elements_own_tile(bench *b) { sort_every_kind(b, 1, 8); }

static void lone_elements_large_group(bench *b)
{
    sort_case c = case_make(CLSORT_U32, 0, "reverse");
    c.d.tuning.work_group = 1024;
    c.d.tuning.items = 2;
    sort_some(b, c);
    c.d.value_size = 4;
    sort_some(b, c);
}

/* Some of these variants begin with a copy, too. */
static void published_variants(bench *b)
{
    cl_uint i;
    for (i = 2; clsort_algorithm_name(i) && strcmp(clsort_algorithm_name(i), "bitonic-local-only");
         i++) {
        sort_case c = case_make(CLSORT_U32, 0, "uniform");
        c.algorithm = clsort_algorithm_name(i);
        c.d.tuning.work_group = 8;
        c.d.tuning.items = 4;
        sort_some(b, c);
    }
}

/* ---- merge ----------------------------------------------------------------------------------- */

static sort_case merge_case(cl_uint type, const char *pattern, cl_uint work_group, cl_uint items)
{
    sort_case c = case_make(type, 0, pattern);
    c.algorithm = "merge";
    c.d.tuning.work_group = work_group;
    c.d.tuning.items = items;
    return c;
}

/* Keys, pairs, odd values, records, argsort and equal zeros by merge in one shape. */
static void merge_every_kind(bench *b, cl_uint work_group, cl_uint items)
{
    sort_case c = merge_case(CLSORT_F32, "around-zero", work_group, items);
    sort_some(b, c);
    c.keys_out = 1;
    c.d.value_size = 4;
    sort_some(b, c);
    c.d.zero_order = CLSORT_ZERO_EQUAL;
    c.d.order = CLSORT_DESCENDING;
    sort_some(b, c);
    c.d.value_size = 0;
    c.indices = 1;
    sort_some(b, c);
    c = merge_case(CLSORT_I8, "uniform", work_group, items);
    c.d.value_size = 3;
    sort_some(b, c);
    c = merge_case(CLSORT_U64, "mod-16", work_group, items);
    c.d.record_size = 16;
    c.d.key_offset = 8;
    sort_some(b, c);
}

static void merge_default_shape(bench *b) { merge_every_kind(b, 0, 0); }
static void merge_shared_tile(bench *b) { merge_every_kind(b, 8, 4); }
static void merge_wide_group(bench *b) { merge_every_kind(b, 32, 1); }

/* Neither copies nor vectors: for the check of uninitialized memory. */
static void lone_elements_merge(bench *b)
{
    static const cl_uint shapes[][2] = { { 0, 0 }, { 8, 4 }, { 16, 2 }, { 32, 1 } };
    size_t i;
    for (i = 0; i < 4; i++) {
        sort_case c = merge_case(CLSORT_U32, "mod-16", shapes[i][0], shapes[i][1]);
        sort_some(b, c);
        c.d.value_size = 4;
        sort_some(b, c);
    }
}

static void lone_elements_merge_in_blocks(bench *b)
{
    cl_uint group;
    for (group = 1; group <= 32; group *= 2) {
        sort_case c = merge_case(CLSORT_U32, "mod-16", group, 0);
        c.algorithm = "merge-local-only";
        c.d.value_size = group & 5 ? 4 : 0;
        c.block = case_block_length(b, &c);
        sort_some(b, c);
    }
}

static void lone_inputs_merge(bench *b)
{
    static const size_t counts[][2] = { { 0, 0 }, { 0, 3 },   { 5, 0 },
                                        { 1, 1 }, { 33, 40 }, { 70, 7 } };
    size_t i, k;
    for (k = 0; k < 3; k++)
        for (i = 0; i < 6; i++) {
            pieces_how h = pieces_make(CLSORT_U32, k == 1 ? 0 : 4, "mod-16");
            h.work_group = k ? 8u * (cl_uint)k : 0;
            h.items = k ? 4 : 0;
            merge_check(b, &h, counts[i][0], counts[i][1]);
        }
}

static void unsorted_inputs(bench *b)
{
    static const char *const patterns[] = { "reverse", "uniform", "mod-16" };
    size_t i, k;
    for (k = 0; k < 3; k++)
        for (i = 0; i < 3; i++) {
            pieces_how h = pieces_make(CLSORT_U32, k & 1 ? 4 : 0, patterns[i]);
            h.work_group = k ? 8u * (cl_uint)k : 0;
            h.items = k ? 2 : 0;
            h.unsorted = 1;
            merge_check(b, &h, 40 + 9 * i, 61);
        }
}

/* ---- radix and quicksort --------------------------------------------------------------------- */

/* Sizes of a few tiles and of many. */
static void sort_in_groups(bench *b, sort_case c, const char *algorithm, cl_uint work_group)
{
    c.algorithm = algorithm;
    c.d.tuning.work_group = work_group;
    c.d.tuning.items = 4;
    c.d.count = 40;
    case_run(b, &c);
    c.d.count = 250;
    case_run(b, &c);
}

/* Compilers of real devices take seconds for each of these shapes: there one is enough. */
static void sort_kinds_in_groups(bench *b, const char *algorithm)
{
    sort_case c = case_make(CLSORT_U32, 0, "mod-16");
    c.keys_out = c.values_out = 1;
    c.d.stable = 1;
    c.d.value_size = 4;
    sort_in_groups(b, c, algorithm, 8);
    if (!device_name_holds(b->session.info.platform_name, "Oclgrind")) return;
    c = case_make(CLSORT_U64, 0, "mod-16");
    c.keys_out = 1;
    sort_in_groups(b, c, algorithm, 16);
    c = case_make(CLSORT_I16, 0, "uniform");
    c.indices = 1;
    sort_in_groups(b, c, algorithm, 32);
}

static void radix_in_groups(bench *b) { sort_kinds_in_groups(b, "radix-portable"); }
static void quicksort_in_groups(bench *b) { sort_kinds_in_groups(b, "quicksort"); }

/* ---- rows and segments ----------------------------------------------------------------------- */

static const cl_uint part_shapes[][2] = { { 0, 0 }, { 16, 4 }, { 64, 1 } };

/* Rows that take several tiles, and such that share one; the largest first, since Oclgrind takes
   scratch that grows for uninitialized. */
static void sort_rows(bench *b, sort_case c)
{
    static const size_t rows[][3] = { { 2, 150, 0 }, { 2, 33, 2 }, { 3, 32, 0 }, { 7, 5, 1 } };
    size_t i;
    for (i = 0; i < 4; i++) {
        c.d.rows = rows[i][0];
        c.d.count = rows[i][1];
        c.d.row_stride = (rows[i][1] + rows[i][2]) * case_element_size(&c);
        case_run(b, &c);
    }
}

/* The last ones lead out of the range, and back: then nothing is sorted. */
static void sort_segments(bench *b, sort_case c)
{
    static const uint32_t mixed[] = { 1, 1, 4, 36, 36, 69, 70, 270 },
                          beyond[] = { 0, 30, 60, 400, 90, 4000000000u, 20, 10 },
                          ends[] = { 1, 3, 34, 35, 68, 70, 263 };
    c.offsets = mixed;
    c.d.segment_count = 7;
    c.d.count = 272;
    case_run(b, &c);
    c.counted = 1;
    c.there = 100;
    case_run(b, &c);
    c.counted = 0;
    c.ends = ends;
    case_run(b, &c);
    c.ends = NULL;
    c.offsets = beyond;
    c.d.count = 90;
    case_run(b, &c);
}

static void parts(bench *b)
{
    size_t i;
    for (i = 0; i < 3; i++) {
        sort_case c = merge_case(CLSORT_U32, "mod-16", part_shapes[i][0], part_shapes[i][1]);
        c.d.value_size = 4;
        c.prove = i == 1;
        sort_rows(b, c);
        sort_segments(b, c);
        c.keys_out = c.values_out = 1;
        c.indices = 1;
        sort_rows(b, c);
        sort_segments(b, c);
        c.values_out = 0;
        c.d.value_size = 0;   /* then work-groups number the elements */
        sort_rows(b, c);
        sort_segments(b, c);
    }
}

static void lone_elements_in_rows(bench *b)
{
    size_t i;
    for (i = 0; i < 3; i++) {
        sort_case c = merge_case(CLSORT_U32, "mod-16", part_shapes[i][0], part_shapes[i][1]);
        sort_rows(b, c);
        c.d.value_size = 4;
        sort_rows(b, c);
    }
}

/* Records at the sizes of sort_some. */
static void sort_some_records(bench *b, record_case c)
{
    static const size_t sizes[] = { 1, 3, 70 };
    size_t i;
    if (!test_takes(b, 3)) return;
    for (i = 0; i < 3; i++) {
        c.d.count = sizes[i];
        c.seed += i + 1;
        record_run(b, &c);
    }
}

static void fields(bench *b)
{
    static const clsort_field list[] = { { 4, CLSORT_F32, 1, 1, 1 },
                                         { 2, CLSORT_U8, 0, 0, 0 },
                                         { 8, CLSORT_U64, 0, 0, 0 } };
    record_case c = record_make(NULL, 0);
    cl_uint k;
    c.d.record_size = 16;
    c.d.fields = list;
    for (k = 0; k < 4; k++) {
        c.d.field_count = k & 1 ? 2 : 3;
        c.d.tuning.work_group = k & 2 ? 8 : 0;
        c.d.tuning.items = k & 2 ? 4 : 0;
        c.output = k ? RECORD_INDICES_OUT : RECORD_OUT;
        c.verify = k == 3;
        sort_some_records(b, c);
    }
}

static void comparators(bench *b)
{
    cl_uint k;
    for (k = 0; k < 4; k++) {
        record_case c = record_make(&record_orders[k & 1], 0);
        c.d.tuning.work_group = k & 2 ? 8 : 0;
        c.output = k & 1 ? RECORD_INDICES_OUT : RECORD_OUT;
        c.verify = 1;
        sort_some_records(b, c);
    }
}

/* All but the one that reads the host's memory. */
static void contradictions(bench *b)
{
    static const cl_uint groups[] = { 0, 4, 16 };
    size_t i;
    for (i = 0; i < 3; i++) {
        record_case c = record_make(&record_illegal, 0);
        c.d.tuning.work_group = groups[i];
        c.output = i == 1 ? RECORD_INDICES_OUT : RECORD_OUT;
        for (c.mode = 0; c.mode < RECORD_MODES; c.mode++)
            if (c.mode != RECORD_REMEMBERING) sort_some_records(b, c);
    }
}

/* Each key lies between its neighbours but for two that change places. */
static void lone_elements_order_check(bench *b)
{
    cl_uint keys[40], answer = 0, i;
    cl_int error = 0, error2 = 0;
    cl_mem result;
    clsort_desc d = clsort_desc_default();
    for (i = 0; i < 40; i++) keys[i] = i == 30 ? 29 : i == 29 ? 30 : i;
    d.count = 40;
    d.key_type = CLSORT_U32;
    d.keys = clCreateBuffer(b->session.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                            sizeof keys, keys, &error);
    result = clCreateBuffer(b->session.context, CL_MEM_READ_WRITE, sizeof answer, NULL, &error2);
    CHECK(error == CL_SUCCESS && error2 == CL_SUCCESS);
    CHECK_OK(clsort_enqueue_is_sorted(b->sorter, b->session.queue, &d, result, 0, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(b->session.queue, result, CL_TRUE, 0, sizeof answer, &answer, 0, NULL,
                              NULL)
          == CL_SUCCESS);
    CHECK(answer == 30);
    clReleaseMemObject(d.keys);
    clReleaseMemObject(result);
}

/* ---- top-k ----------------------------------------------------------------------------------- */

static void select_rows(bench *b, cl_uint type, size_t rows, size_t count, size_t k, cl_uint flags)
{
    size_t i;
    for (i = count > 2000; i < 2; i++) {   /* long rows by work-groups only */
        top_case c = top_make(type, rows, count, k);
        c.d.flags = flags;
        c.d.tuning.work_group = i ? 16 : 0;
        c.d.value_size = i ? 3 : 0;
        c.outputs = i ? TOP_VALUES | TOP_INDICES : TOP_KEYS | TOP_INDICES;
        c.pattern = i ? "mod-3" : "uniform";
        if (test_takes(b, 3)) top_run(b, &c);
    }
}

/* By one work-group each, whole or after passes. The longest come first: Oclgrind takes scratch
   memory for uninitialized that lies where other memory was released. */
static void lone_rows(bench *b)
{
    select_rows(b, CLSORT_I16, 2, 900, 500, CLSORT_FLAG_TOP_NTH);
    select_rows(b, CLSORT_F32, 3, 1, 1, 0);
    select_rows(b, CLSORT_F32, 3, 70, 9, 0);
    select_rows(b, CLSORT_U64, 2, 33, 9, 0);
    select_rows(b, CLSORT_U8, 2, 900, 5, 0);
}

/* With tables in global memory: k that no work-group sorts, and a row for several work-groups.
   Oclgrind takes what a fill wrote for uninitialized. */
static void rows_in_parts(bench *b)
{
    select_rows(b, CLSORT_I64, 1, 2100, 2060, CLSORT_FLAG_TOP_UNSORTED);
    select_rows(b, CLSORT_I64, 1, 2100, 2060, 0);
    select_rows(b, CLSORT_I64, 2, 2100, 2060, 0);
    select_rows(b, CLSORT_U8, 1, 16500, 7, 0);
}

/* Several tiles of a few runs, and several blocks of a few parts. */
static void runs_in_shape(bench *b, cl_uint work_group)
{
    static const size_t counts[] = { 150, 0, 300, 7, 213 };
    pieces_how h = pieces_make(CLSORT_F32, 4, "mod-16");
    h.work_group = work_group;
    h.items = work_group ? 8 : 0;
    h.own_scratch = 1;
    if (test_takes(b, 2)) runs_check(b, &h, counts, 5, 0);
    h = pieces_make(CLSORT_U64, 0, "uniform");
    h.work_group = work_group;
    h.unsorted = 1;
    if (test_takes(b, 2)) runs_check(b, &h, counts, 5, 1);
}

static void lone_runs(bench *b)
{
    runs_in_shape(b, 0);
    runs_in_shape(b, 64);
}

static void parts_in_shape(bench *b, cl_uint work_group)
{
    pieces_how h = pieces_make(CLSORT_F32, 3, "mod-16");
    h.work_group = work_group;
    if (test_takes(b, 2)) partition_check(b, &h, 300, 5);
    h = pieces_make(CLSORT_U64, 0, "uniform");
    h.work_group = work_group;
    if (test_takes(b, 2)) partition_check(b, &h, 70, 17);
}

static void every_parts(bench *b)
{
    parts_in_shape(b, 0);
    parts_in_shape(b, 16);
}

static const test_entry tests[] = {
    { "the device's own shape sorts every kind of payload", default_shape },
    { "single elements in shared tiles sort every kind of payload", lone_elements_shared_tile },
    { "the merge family sorts every kind of payload", merge_default_shape },
    { "the order of fields is kept", fields },
    { "the first k of single rows are found", lone_rows },
    TEST_REST,
    { "single elements in a tile per work-item sort every kind of payload",
      lone_elements_own_tile },
    { "single elements in large work-groups sort", lone_elements_large_group },
    { "the published variants sort", published_variants },
    { "single elements are checked for order", lone_elements_order_check },
    { "the merge family sorts every kind of payload in shared tiles", merge_shared_tile },
    { "the merge family sorts every kind of payload with an item for each work-item",
      merge_wide_group },
    { "the order of comparators is kept", comparators },
    { "comparators that contradict themselves do no harm: the records are all there",
      contradictions },
    { "merges of unsorted inputs do no harm to the rest", unsorted_inputs },
    { "radix sorts in work-groups", radix_in_groups },
    { "quicksort sorts in work-groups", quicksort_in_groups },
    { "the first k of rows in parts are found", rows_in_parts },
    { "the rows and segments of every shape are sorted", parts },
    { "elements alone are sorted in rows", lone_elements_in_rows },
    { "elements alone are merged", lone_elements_merge },
    { "elements alone are merged in blocks", lone_elements_merge_in_blocks },
    { "elements alone of two inputs are merged", lone_inputs_merge },
    { "elements alone of several runs are merged", lone_runs },
    { "the keys of every shape are parted", every_parts }
};

TEST_MAIN(tests)
