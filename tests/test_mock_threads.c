/* Clones in threads, clones of clones in threads of their own, on the driver of mock.h: for
   ThreadSanitizer. That driver synchronises no threads, so a sorter that shares something with its
   clone is seen. Sorters are destroyed while their clones work, and while their sorts are
   queued. */

#include "mock.h"

#define CLSORT_IMPLEMENTATION
#include "harness.h"

enum { LEVELS = 4, ROUNDS = 6, BUFFERS = 4, BUFFER_BYTES = 1 << 20 }; /* 8 threads without clones */

typedef struct worker {
    clsort_sorter *sorter;          /* its own from now on */
    const struct stage *stage;
    int level, faults;
    pthread_t threads[2];
    struct worker *clones[2];
} worker;

typedef struct stage {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;         /* of all threads */
    cl_mem buffer[BUFFERS];
} stage;

static void *work(void *of);

/* Starts a thread with a clone. */
static void start_clone(worker *w, int i)
{
    worker *other = (worker *)calloc(1, sizeof *other);
    w->clones[i] = other;
    other->stage = w->stage;
    other->level = w->level + 1;
    w->faults += clsort_clone(w->sorter, &other->sorter) != CL_SUCCESS;
    w->faults += pthread_create(&w->threads[i], NULL, work, other) != 0;
}

static void end_clone(worker *w, int i)
{
    pthread_join(w->threads[i], NULL);
    w->faults += w->clones[i]->faults;
    free(w->clones[i]);
}

static clsort_desc describe(const worker *w, int round)
{
    clsort_desc d = clsort_desc_default();
    d.count = 2000 + 100 * (size_t)round;
    d.key_type = round % 2 ? CLSORT_U32 : CLSORT_F64;
    d.keys = w->stage->buffer[0];
    d.algorithm = (cl_uint)round % 5;
    d.stable = 1;
    if (round % 3 == 1) d.values = w->stage->buffer[1], d.value_size = 4;
    if (round == 4) {
        d.key_type = 0;
        d.algorithm = CLSORT_MERGE;
        d.values = NULL;
        d.value_size = 0;
        d.record_size = 8;
        d.record_type = "typedef struct { uint key, rest; } clsort_record;";
        d.precedes = w->level % 2 ? "a.key < b.key" : "a.key > b.key";
    }
    if (round == 5)
        d.top_k = 7, d.algorithm = 0, d.value_size = 0, d.keys_out = w->stage->buffer[2];
    return d;
}

static clsort_status use(worker *w, cl_command_queue queue, int round)
{
    clsort_desc d = describe(w, round);
    char text[2000];
    cl_event done = NULL;
    clsort_status status = clsort_enqueue_sort(w->sorter, queue, &d, 0, NULL, &done);
    if (status == CL_SUCCESS)
        status = clsort_enqueue_sort(w->sorter, w->stage->queue, &d, 1, &done, NULL);
    if (done) counted_clReleaseEvent(done);
    if (status == CL_SUCCESS) status = clsort_explain(w->sorter, &d, text, sizeof text);
    if (status == CL_SUCCESS) status = clsort_collect(w->sorter, round % 2);
    d.keys = NULL;
    d.algorithm = 9;
    if (clsort_check(w->sorter, &d) == CL_SUCCESS) return CL_INVALID_VALUE;
    if (!strstr(clsort_last_error(w->sorter), "algorithm")) return CL_INVALID_VALUE;
    return round == 3 && status == CL_SUCCESS ? clsort_trim(w->sorter) : status;
}

static void *work(void *of)
{
    worker *w = (worker *)of;
    cl_int error = 0;
    cl_command_queue queue =
        mock_clCreateCommandQueue(w->stage->context, w->stage->device, 0, &error);
    const int clones = w->level + 1 < LEVELS;
    int round;
    if (clones) start_clone(w, 0);
    for (round = 0; round < ROUNDS; round++) {
        w->faults += use(w, queue, round) != CL_SUCCESS;
        if (clones && round == 2) start_clone(w, 1);
    }
    clsort_destroy(w->sorter);
    if (clones) end_clone(w, 0);
    if (clones) end_clone(w, 1);
    mock_clReleaseCommandQueue(queue);
    mock_bury(NULL);
    return NULL;
}

static void clone_in_threads(bench *b)
{
    mock_facts (*const kinds[])(void) = { mock_cpu, mock_gpu, mock_nvidia };
    clsort_options options = clsort_options_default();
    size_t v, i;
    (void)b;
    options.flags = CLSORT_OPTION_VERIFY;
    for (v = 0; v < 3; v++) {
        stage s;
        worker w;
        cl_int error = 0;
        mock_reset(kinds[v]());
        counted_reset();
        memset(&w, 0, sizeof w);
        s.device = (cl_device_id)(void *)&mock_devices[0];
        s.context = mock_clCreateContext(NULL, 1, &s.device, NULL, NULL, &error);
        s.queue = mock_clCreateCommandQueue(s.context, s.device, 0, &error);
        for (i = 0; i < BUFFERS; i++)
            s.buffer[i] =
                mock_clCreateBuffer(s.context, CL_MEM_READ_WRITE, BUFFER_BYTES, NULL, &error);
        w.stage = &s;
        CHECK_OK(clsort_create(s.context, s.device, &options, &w.sorter));
        work(&w);
        AT("device %zu: %d faults", v, w.faults);
        CHECK(!w.faults && !mock.faults && counted_nothing_live());
        for (i = 0; i < BUFFERS; i++) mock_clReleaseMemObject(s.buffer[i]);
        mock_clReleaseCommandQueue(s.queue);
        mock_clReleaseContext(s.context);
    }
}

static const test_entry tests[] = { { "clones of clones sort in threads", clone_in_threads } };

TEST_MAIN_ALONE(tests, "a mock")
