/* What no real device does on demand: compilers that reject a family, limits that are too low, logs
   of any size, commands that fail, proofs that are wrong. On the driver of mock.h. */

#include "mock.h"

#define CLSORT_IMPLEMENTATION
#include "harness.h"

/* ---- world: a context, a queue and buffers on a faked device ---- */

enum { BUFFERS = 6 };
enum { KEYS, KEYS_OUT, VALUES, VALUES_OUT, INDICES, SCRATCH };

typedef struct world {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_mem buffer[BUFFERS];
    clsort_sorter *sorter;
    int live[MOCK_KINDS];                   /* before the world was made */
} world;

static void open_world(world *w, mock_facts facts, size_t bytes, cl_uint flags)
{
    clsort_options options;
    cl_int error = 0;
    size_t i;
    memset(w, 0, sizeof *w);
    memset(&options, 0, sizeof options);
    options.flags = flags;
    mock_reset(facts);
    counted_reset();
    memcpy(w->live, mock.live, sizeof w->live);
    w->device = (cl_device_id)(void *)&mock_devices[0];
    w->context = mock_clCreateContext(NULL, 1, &w->device, NULL, NULL, &error);
    w->queue = mock_clCreateCommandQueue(w->context, w->device, 0, &error);
    for (i = 0; i < BUFFERS; i++)
        w->buffer[i] = mock_clCreateBuffer(w->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    CHECK(error == CL_SUCCESS);
    CHECK_OK(clsort_create(w->context, w->device, &options, &w->sorter));
}

/* Everything is given back, and the driver had nothing to complain of. */
static void close_world(world *w)
{
    size_t i;
    clsort_destroy(w->sorter);
    CHECK(counted_nothing_live());
    for (i = 0; i < BUFFERS; i++) mock_clReleaseMemObject(w->buffer[i]);
    mock_clReleaseCommandQueue(w->queue);
    mock_clReleaseContext(w->context);
    CHECK(!memcmp(w->live, mock.live, sizeof w->live));
    CHECK(!mock.faults);
}

static clsort_desc make_desc(const world *w, size_t n, cl_uint type)
{
    clsort_desc d = clsort_desc_default();
    d.count = n;
    d.key_type = type;
    d.keys = w->buffer[KEYS];
    return d;
}

/* ---- every algorithm ---- */

static const struct { const char *name; mock_facts (*facts)(void);
} devices[] = { { "CPU", mock_cpu },
                { "GPU", mock_gpu },
                { "NVIDIA", mock_nvidia },
                { "launcher", mock_launcher } };
enum { DEVICES = sizeof devices / sizeof *devices };

static void sort_everything(bench *b)
{
    static const cl_uint types[] = { CLSORT_U8, CLSORT_F16, CLSORT_U32, CLSORT_F64 };
    static const size_t counts[] = { 0, 1, 5, 3000, 100000 };
    size_t v, t, c, i;
    const char *name;
    (void)b;
    for (v = 0; v < DEVICES; v++) {
        world w;
        open_world(&w, devices[v].facts(), 1 << 20, 0);
        for (i = 0; (name = clsort_algorithm_name((cl_uint)i)) != NULL; i++)
            for (t = 0; t < 4; t++)
                for (c = 0; c < 5; c++) {
                    clsort_desc d = make_desc(&w, counts[c], types[t]);
                    AT("%s on a %s, %zu keys of type %x", name, devices[v].name, counts[c],
                       (unsigned)types[t]);
                    CHECK_OK(clsort_select(&d, name));
                    if (!strncmp(name, "batch", 5)) d.rows = 1;
                    if (clsort_check(w.sorter, &d) == CLSORT_ERROR_UNSUPPORTED) continue;
                    CHECK_OK(clsort_enqueue_sort(w.sorter, w.queue, &d, 0, NULL, NULL));
                }
        close_world(&w);
    }
}

static const test_entry tests[] = {
    { "the driver refuses nothing of any algorithm on any device", sort_everything }
};

TEST_MAIN_ALONE(tests, "a mock")
