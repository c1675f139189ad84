/* Clones in threads, clones of clones in threads of their own, on the driver of mock.h: for
   ThreadSanitizer. That driver synchronises no threads, so a sorter that shares something with its
   clone is seen. Sorters are destroyed while their clones work, and while their sorts are
   queued. */

#include "mock.h"

#define CLSORT_IMPLEMENTATION
#include "clsort_measure.h"
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
    cl_command_queue queue = mock_new_queue(w->stage->context, w->stage->device, 0);
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
        memset(&w, 0, sizeof w);
        mock_open(kinds[v](), 0, &s.context, &s.device, &s.queue);
        for (i = 0; i < BUFFERS; i++) s.buffer[i] = mock_new_buffer(s.context, BUFFER_BYTES);
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

/* ---- two threads, one sorter ----------------------------------------------------------------- */

enum { PLACES = 12 };

typedef struct intruder {
    clsort_sorter *sorter;
    cl_command_queue queue;
    int launches, calls, busy;
    void *places[PLACES];           /* what calls set to NULL on failure */
} intruder;

/* Calls all functions that take a sorter and may be busy, with as little as they take. */
static void *intrude(void *of)
{
    intruder *const i = (intruder *)of;
    clsort_sorter *const s = i->sorter, **const clone = (clsort_sorter **)(void *)i->places;
    cl_event *const done = (cl_event *)(void *)(i->places + 1);
    cl_uint fits = 0;
    size_t n;
    const clsort_status all[] = {
        clsort_clone(s, clone), clsort_trim(s), clsort_check(s, NULL),
        clsort_resolve(s, NULL, NULL), clsort_prepare(s, NULL, NULL),
        clsort_scratch_size(s, NULL, NULL), clsort_explain(s, NULL, NULL, 0),
        clsort_enqueue_sort(s, i->queue, NULL, 0, NULL, &done[0]),
        clsort_sort_host(s, NULL, NULL, NULL, NULL),
        clsort_enqueue_gather(s, i->queue, NULL, 0, NULL, &done[1]),
        clsort_enqueue_group_starts(s, i->queue, NULL, 0, NULL, &done[2]),
        clsort_enqueue_merge(s, i->queue, NULL, 0, NULL, &done[3]),
        clsort_enqueue_merge_runs(s, i->queue, NULL, 0, NULL, &done[4]),
        clsort_merge_runs_scratch_size(s, NULL, NULL), clsort_prepare_merge_runs(s, NULL),
        clsort_enqueue_partition(s, i->queue, NULL, 0, NULL, &done[5]),
        clsort_partition_scratch_size(s, NULL, NULL), clsort_prepare_partition(s, NULL),
        clsort_enqueue_is_sorted(s, i->queue, NULL, NULL, 0, 0, NULL, &done[6]),
        clsort_enqueue_fingerprint(s, i->queue, NULL, NULL, 0, 0, NULL, &done[7]),
        clsort_enqueue_verify(s, i->queue, NULL, NULL, 0, 0, NULL, &done[8]),
        clsort_collect(s, 0), clsort_self_test(s), clsort_measure(s, i->queue, NULL),
        clsort_auto_choice(s, 0, NULL), clsort_save_choices(s, NULL, 0, NULL),
        clsort_load_choices(s, NULL, &fits)
    };
    for (n = 0; n < sizeof all / sizeof *all; n++) i->busy += all[n] == CLSORT_ERROR_BUSY;
    i->calls += (int)n;
    mock_bury(NULL);
    return NULL;
}

/* One call, by a thread that may. */
static void *trim(void *of)
{
    intruder *const i = (intruder *)of;
    i->busy += clsort_trim(i->sorter) != CL_SUCCESS;
    mock_bury(NULL);
    return NULL;
}

/* Another thread comes while this one is in a call. */
static void hear_launch(void *user, const mock_launch *heard)
{
    intruder *const i = (intruder *)user;
    pthread_t thread;
    (void)heard;
    i->launches++;
    memset(i->places, 1, sizeof i->places);
    CHECK(!pthread_create(&thread, NULL, intrude, i) && !pthread_join(thread, NULL));
}

static void refuse_two_threads(bench *b)
{
    cl_device_id device;
    cl_context context;
    cl_mem keys;
    clsort_desc d = clsort_desc_default();
    intruder i;
    pthread_t thread;
    int k;
    (void)b;
    memset(&i, 0, sizeof i);
    mock_open(mock_gpu(), 0, &context, &device, &i.queue);
    keys = mock_new_buffer(context, BUFFER_BYTES);
    CHECK_OK(clsort_create(context, device, NULL, &i.sorter));
    d.count = 5000;
    d.key_type = CLSORT_U32;
    CHECK_STATUS(clsort_check(i.sorter, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    d.keys = keys;
    mock.user = &i;
    mock.on_launch = hear_launch;
    CHECK_OK(clsort_enqueue_sort(i.sorter, i.queue, &d, 0, NULL, NULL));
    mock.on_launch = NULL;
    AT("%d of %d calls, %d launches", i.busy, i.calls, i.launches);
    CHECK(i.launches > 0 && i.busy == i.calls && i.calls == 27 * i.launches);
    for (k = 0; k < 10; k++) CHECK(!i.places[k]);
    CHECK(strstr(clsort_last_error(i.sorter), "clsort_check: desc"));
    CHECK(!pthread_create(&thread, NULL, trim, &i) && !pthread_join(thread, NULL));
    CHECK(i.busy == i.calls);
    clsort_destroy(i.sorter);
    CHECK(!mock.faults && counted_nothing_live());
    mock_clReleaseMemObject(keys);
    mock_clReleaseCommandQueue(i.queue);
    mock_clReleaseContext(context);
}

static const test_entry tests[] = {
    { "clones of clones sort in threads", clone_in_threads },
    { "a call is refused while another thread is in one with the sorter", refuse_two_threads }
};

TEST_MAIN_ALONE(tests, "a mock")
