/* A sorter without the families that CLSORT_NO_* leave out: whoever names one is told so, AUTO and
   the self-test do without. On the driver of mock.h; other families by -D CLSORT_NO_... */

#include "mock.h"

#ifndef CLSORT_NO_MERGE
#define CLSORT_NO_RADIX               /* and with it quicksort, which needs it */
#endif

#define CLSORT_IMPLEMENTATION
#include "harness.h"

static int is_left_out(cl_uint algorithm)
{
    int out[] = { 0, 0, 0, 0, 0 };
#ifdef CLSORT_NO_MERGE
    out[CLSORT_MERGE] = out[CLSORT_QUICKSORT] = 1;
#endif
#ifdef CLSORT_NO_RADIX
    out[CLSORT_RADIX] = out[CLSORT_QUICKSORT] = 1;
#endif
    return out[algorithm];
}

typedef struct world {
    cl_context context;
    cl_command_queue queue;
    cl_mem keys;
    clsort_sorter *sorter;
} world;

static void open_world(world *w, mock_facts facts)
{
    cl_device_id device = (cl_device_id)(void *)&mock_devices[0];
    cl_int error = 0;
    mock_reset(facts);
    counted_reset();
    w->context = mock_clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    w->queue = mock_clCreateCommandQueue(w->context, device, 0, &error);
    w->keys = mock_clCreateBuffer(w->context, CL_MEM_READ_WRITE, 1 << 20, NULL, &error);
    CHECK(error == CL_SUCCESS);
    CHECK_OK(clsort_create(w->context, device, NULL, &w->sorter));
}

static void close_world(world *w)
{
    clsort_destroy(w->sorter);
    CHECK(counted_nothing_live());
    mock_clReleaseMemObject(w->keys);
    mock_clReleaseCommandQueue(w->queue);
    mock_clReleaseContext(w->context);
    CHECK(!mock.faults);
}

static clsort_desc make_desc(const world *w, const char *algorithm, size_t n)
{
    clsort_desc d = clsort_desc_default();
    CHECK_OK(clsort_set_algorithm(&d, algorithm));
    d.count = n;
    d.key_type = CLSORT_U32;
    d.keys = w->keys;
    d.rows = strncmp(algorithm, "batch", 5) ? 0 : 1;
    return d;
}

static void refuse_by_name(bench *b)
{
    const char *name;
    cl_uint i;
    size_t v;
    (void)b;
    for (v = 0; v < MOCK_PRESETS; v++) {
        world w;
        open_world(&w, mock_presets[v].facts());
        for (i = 0; (name = clsort_algorithm_name(i)) != NULL; i++) {
            const clsort_desc d = make_desc(&w, name, 3000);
            const int out = is_left_out(d.algorithm);
            const clsort_status status = clsort_enqueue_sort(w.sorter, w.queue, &d, 0, NULL, NULL);
            AT("%s on device %zu", name, v);
            CHECK((status == CLSORT_ERROR_UNSUPPORTED) == out
                  || !strcmp(name, "quicksort-device"));
            if (out) CHECK(strstr(clsort_last_error(w.sorter), "CLSORT_NO_") != NULL);
        }
        close_world(&w);
    }
}

static void sort_by_the_rest(bench *b)
{
    size_t v, n;
    (void)b;
    for (v = 0; v < MOCK_PRESETS; v++) {
        world w;
        open_world(&w, mock_presets[v].facts());
        for (n = 1; n < 200000; n = n * 2 + 1) {
            clsort_desc d = make_desc(&w, "auto", n), resolved = clsort_desc_default();
            AT("%zu elements on device %zu", n, v);
            CHECK_OK(clsort_resolve(w.sorter, &d, &resolved));
            CHECK(!is_left_out(resolved.algorithm));
            CHECK_OK(clsort_enqueue_sort(w.sorter, w.queue, &d, 0, NULL, NULL));
        }
        mock.sorts = 1;
        CHECK_OK(clsort_self_test(w.sorter));
        close_world(&w);
    }
}

static const test_entry tests[] = {
    { "a family that was left out is refused by name", refuse_by_name },
    { "AUTO and the self-test do without what was left out", sort_by_the_rest }
};

TEST_MAIN_ALONE(tests, "a mock")
