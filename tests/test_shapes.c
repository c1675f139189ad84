/* A few sorts by every kernel in every shape, quick enough for simulators that check each access: see tests/small. */

#define CLSORT_IMPLEMENTATION
#include "cases.h"

/* Sorts a handful of sizes; the largest spans several tiles of every shape that is used here. */
static void sort_some(bench *b, sort_case c)
{
    static const size_t sizes[] = { 1, 3, 70 };
    size_t i;
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
    c.values_out = items > 0;   /* in place there is a copy, behind which Oclgrind takes all of scratch for uninitialized */
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
    for (i = 2; clsort_algorithm_name(i) && strcmp(clsort_algorithm_name(i), "bitonic-local-only"); i++) {
        sort_case c = case_make(CLSORT_U32, 0, "uniform");
        c.algorithm = clsort_algorithm_name(i);
        c.d.tuning.work_group = 8;
        c.d.tuning.items = 4;
        sort_some(b, c);
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
    d.keys = clCreateBuffer(b->session.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof keys, keys, &error);
    result = clCreateBuffer(b->session.context, CL_MEM_READ_WRITE, sizeof answer, NULL, &error2);
    CHECK(error == CL_SUCCESS && error2 == CL_SUCCESS);
    CHECK_OK(clsort_enqueue_is_sorted(b->sorter, b->session.queue, &d, result, 0, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(b->session.queue, result, CL_TRUE, 0, sizeof answer, &answer, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(answer == 30);
    clReleaseMemObject(d.keys);
    clReleaseMemObject(result);
}

static const test_entry tests[] = {
    { "the device's own shape sorts every kind of payload", default_shape },
    { "single elements in shared tiles sort every kind of payload", lone_elements_shared_tile },
    { "single elements in a tile per work-item sort every kind of payload", lone_elements_own_tile },
    { "single elements in large work-groups sort", lone_elements_large_group },
    { "the published variants sort", published_variants },
    { "single elements are checked for order", lone_elements_order_check }
};

TEST_MAIN(tests)
