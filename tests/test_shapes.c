/* A few sorts by every kernel in every shape, quick enough for simulators that check each access:
   see tests/scripts/small. Sorts of one array are rows (rows.h). */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "pieces.h"
#include "records.h"
#include "rows.h"
#include "top.h"

/* ---- merge ----------------------------------------------------------------------------------- */

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

static sort_case merge_case(cl_uint work_group, cl_uint items)
{
    sort_case c = case_make(CLSORT_U32, 0, "mod-16");
    c.algorithm = "merge";
    c.d.tuning.work_group = work_group;
    c.d.tuning.items = items;
    return c;
}

static void parts(bench *b)
{
    size_t i;
    for (i = 0; i < 3; i++) {
        sort_case c = merge_case(part_shapes[i][0], part_shapes[i][1]);
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
        sort_case c = merge_case(part_shapes[i][0], part_shapes[i][1]);
        sort_rows(b, c);
        c.d.value_size = 4;
        sort_rows(b, c);
    }
}

/* The largest number spans several tiles of every shape that is used here. */
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

/* ---- rows ------------------------------------------------------------------------------------ */

#define KINDS "f32 f32+12 f32# u64+8 i8+3 u16:6@2"
#define PUBLISHED \
    "bitonic/8x4 bitonic-a/8x4 bitonic-b2/8x4 bitonic-b4/8x4 bitonic-b8/8x4 bitonic-b16/8x4 " \
    "bitonic-a-local/8x4 bitonic-b2-local/8x4 bitonic-b4-local/8x4 bitonic-b8-local/8x4 " \
    "bitonic-b16-local/8x4 bitonic-b16-global-tail/8x4 bitonic-shared-512/8x4"

/* In place there is a copy, behind which Oclgrind takes all of scratch memory for uninitialized:
   those "alone" and "single" have outputs of their own. */
static const test_row rows[] = {
    { .name = "the device's own shape sorts every kind of payload", .elements = KINDS,
      .patterns = "mod-16 uniform", .counts = "1 3 70", .with = "stable places", .times = 2,
      .one_in = 3 },
    { .name = "single elements in shared tiles sort every kind of payload",
      .forms = "auto/8x4", .elements = KINDS, .patterns = "mod-16 uniform", .counts = "1 3 70",
      .with = "stable apart!", .times = 2, .one_in = 3 },
    { .name = "the merge family sorts every kind of payload", .forms = "merge",
      .elements = "f32 f32+4 f32# i8+3 u64:16@8", .patterns = "around-zero uniform mod-16",
      .counts = "1 3 70", .with = "order equals places", .times = 2, .one_in = 3 },
    { .name = "the order of fields is kept", .run = fields },
    { .name = "the first k of single rows are found", .run = lone_rows },
    ROW_REST,
    { .name = "single elements in a tile per work-item sort every kind of payload",
      .forms = "auto/1x8", .elements = KINDS, .patterns = "mod-16 uniform", .counts = "1 3 70",
      .with = "stable apart!", .times = 2, .one_in = 3 },
    { .name = "single elements in large work-groups sort", .forms = "auto/1024x2",
      .elements = "u32 u32+4", .patterns = "reverse", .counts = "1 3 70", .with = "apart!" },
    { .name = "the published variants sort", .forms = PUBLISHED, .elements = "u32",
      .patterns = "uniform", .counts = "1 3 70", .one_in = 3 },
    { .name = "single elements are checked for order", .run = lone_elements_order_check },
    { .name = "the merge family sorts every kind of payload in shared tiles",
      .forms = "merge/8x4", .elements = "f32 f32+4 f32# i8+3 u64:16@8",
      .patterns = "around-zero uniform mod-16", .counts = "1 3 70",
      .with = "order equals places", .times = 2, .one_in = 3 },
    { .name = "the merge family sorts every kind of payload with an item for each work-item",
      .forms = "merge/32x1", .elements = "f32 f32+4 f32# i8+3 u64:16@8",
      .patterns = "around-zero uniform mod-16", .counts = "1 3 70",
      .with = "order equals places", .times = 2, .one_in = 3 },
    { .name = "the order of comparators is kept", .run = comparators },
    { .name = "comparators that contradict themselves do no harm: the records are all there",
      .run = contradictions },
    { .name = "merges of unsorted inputs do no harm to the rest", .run = unsorted_inputs },
    { .name = "radix sorts in work-groups", .forms = "radix-portable/8x4 radix-portable/32x4",
      .elements = "u32+4 u64 i16#", .patterns = "mod-16 uniform", .counts = "40 250",
      .with = "apart! stable!", .one_in = 6 },
    { .name = "quicksort sorts in work-groups", .forms = "quicksort/8x4 quicksort/32x4",
      .elements = "u32+4 u64 i16#", .patterns = "mod-16 uniform", .counts = "40 250",
      .with = "apart! stable!", .one_in = 6 },
    { .name = "the first k of rows in parts are found", .run = rows_in_parts },
    { .name = "the rows and segments of every shape are sorted", .run = parts },
    { .name = "elements alone are sorted in rows", .run = lone_elements_in_rows },
    { .name = "elements alone are merged", .elements = "u32 u32+4", .patterns = "mod-16",
      .forms = "merge merge/8x4 merge/16x2 merge/32x1", .counts = "1 3 70", .one_in = 3 },
    { .name = "elements alone are merged in blocks", .elements = "u32 u32+4",
      .forms = "merge-local-only/1 merge-local-only/2 merge-local-only/4 merge-local-only/8 "
          "merge-local-only/16 merge-local-only/32", .patterns = "mod-16", .counts = "1 3 70",
      .one_in = 3 },
    { .name = "elements alone of two inputs are merged", .run = lone_inputs_merge },
    { .name = "elements alone of several runs are merged", .run = lone_runs },
    { .name = "the keys of every shape are parted", .run = every_parts },
};

ROWS_MAIN(rows)
