/* Events, wait lists, queues of both kinds, threads, object lifetimes. */

#include "counted.h"

#include <pthread.h>

#define CLSORT_IMPLEMENTATION
#include "harness.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tools/clsort/patterns.h"

enum { N = 3000 };

/* ---- jobs: one array each -------------------------------------------------------------------- */

/* An array of pairs; pair i has the value i. Keys repeat, so that a stable order can be told from
   another one. */
typedef struct job {
    cl_context context;
    cl_mem keys, values;
    cl_uint input[N];
    cl_event done;
} job;

static int open_job(job *j, cl_context context, uint64_t seed)
{
    cl_uint order[N], i;
    cl_int error = 0, error2 = 0;
    memset(j, 0, sizeof *j);
    j->context = context;
    pattern_fill(pattern_find("mod-256"), CLSORT_U32, N, seed, 0, j->input);
    for (i = 0; i < N; i++) order[i] = i;
    j->keys = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof j->input,
                             j->input, &error);
    j->values = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof order,
                               order, &error2);
    return CHECK(error == CL_SUCCESS && error2 == CL_SUCCESS);
}

static void close_job(job *j)
{
    if (j->done) counted_clReleaseEvent(j->done);
    if (j->keys) clReleaseMemObject(j->keys);
    if (j->values) clReleaseMemObject(j->values);
}

/* A stable sort of pairs with scratch memory, by the algorithm of a name or, for NULL, the one that
   AUTO picks. */
static clsort_status start_job_by(const char *algorithm, job *j, clsort_sorter *s,
                                  cl_command_queue queue, cl_uint n_wait, const cl_event *wait)
{
    clsort_desc d = clsort_desc_default();
    if (algorithm) CHECK_OK(clsort_set_algorithm(&d, algorithm));
    d.count = N;
    d.key_type = CLSORT_U32;
    d.keys = j->keys;
    d.values = j->values;
    d.value_size = 4;
    d.stable = 1;
    return clsort_enqueue_sort(s, queue, &d, n_wait, wait, &j->done);
}

static clsort_status start_job(job *j, clsort_sorter *s, cl_command_queue queue, cl_uint n_wait,
                               const cl_event *wait)
{
    return start_job_by(NULL, j, s, queue, n_wait, wait);
}

static cl_int event_state(cl_event event)
{
    cl_int state = CL_QUEUED;
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return state;
}

/* A queue of the job's own, so that a look at the buffers waits for nothing. */
static int read_job(const job *j, cl_uint *keys, cl_uint *values)
{
    cl_device_id devices[64] = { NULL };
    cl_int error = clGetContextInfo(j->context, CL_CONTEXT_DEVICES, sizeof devices, devices, NULL);
    cl_command_queue queue = clCreateCommandQueue(j->context, devices[0], 0, &error);
    if (!CHECK(error == CL_SUCCESS)) return 0;
    error = clEnqueueReadBuffer(queue, j->keys, CL_TRUE, 0, sizeof j->input, keys, 0, NULL, NULL);
    if (!error)
        error = clEnqueueReadBuffer(queue, j->values, CL_TRUE, 0, sizeof j->input, values, 0, NULL,
                                    NULL);
    clReleaseCommandQueue(queue);
    return CHECK(error == CL_SUCCESS);
}

static int job_is_untouched(const job *j)
{
    cl_uint keys[N], values[N], i;
    if (!read_job(j, keys, values)) return 0;
    for (i = 0; i < N; i++)
        if (keys[i] != j->input[i] || values[i] != i) return 0;
    return 1;
}

/* Sorted, stable and each pair intact? */
static int job_is_sorted(const job *j)
{
    cl_uint keys[N], values[N], i;
    if (!read_job(j, keys, values)) return 0;
    for (i = 0; i < N; i++) {
        if (values[i] >= N || keys[i] != j->input[values[i]]) return 0;
        if (i && (keys[i - 1] > keys[i] || (keys[i - 1] == keys[i] && values[i - 1] >= values[i])))
            return 0;
    }
    return 1;
}

static int finish_job(job *j)
{
    if (!CHECK(j->done != NULL) || !CHECK(clWaitForEvents(1, &j->done) == CL_SUCCESS)) return 0;
    return CHECK(event_state(j->done) == CL_COMPLETE) && CHECK(job_is_sorted(j));
}

static void nap(long milliseconds)
{
    struct timespec t;
    t.tv_sec = 0;
    t.tv_nsec = milliseconds * 1000000;
    nanosleep(&t, NULL);
}

/* An out-of-order queue, or NULL with a remark where the device has none. */
static cl_command_queue open_queue(bench *b, int out_of_order)
{
    cl_int error = 0;
    cl_command_queue queue = clCreateCommandQueue(
        b->session.context, b->session.info.id,
        out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
    if (error != CL_SUCCESS && out_of_order) printf("this device has no out-of-order queues\n");
    else CHECK(error == CL_SUCCESS);
    return queue;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void run_gated(bench *b, int out_of_order)
{
    cl_command_queue queue = open_queue(b, out_of_order);
    cl_int error = 0;
    cl_event gates[2];
    job j;
    if (!queue || !open_job(&j, b->session.context, 1)) return;
    AT(out_of_order ? "an out-of-order queue" : "an in-order queue");
    gates[0] = clCreateUserEvent(b->session.context, &error);
    gates[1] = clCreateUserEvent(b->session.context, &error);
    CHECK_OK(start_job(&j, b->sorter, queue, 2, gates));
    CHECK(clFlush(queue) == CL_SUCCESS);
    clSetUserEventStatus(gates[1], CL_COMPLETE);
    nap(30);
    CHECK(j.done && event_state(j.done) > CL_COMPLETE);
    CHECK(job_is_untouched(&j));
    clSetUserEventStatus(gates[0], CL_COMPLETE);
    finish_job(&j);
    clReleaseEvent(gates[0]);
    clReleaseEvent(gates[1]);
    close_job(&j);
    clReleaseCommandQueue(queue);
}

static void nothing_moves_before_the_gate(bench *b)
{
    run_gated(b, 0);
    run_gated(b, 1);
}

/* Every step of this network is a launch. */
static void every_command_gets_the_wait_list(bench *b)
{
    cl_int error = 0;
    cl_event gate = clCreateUserEvent(b->session.context, &error);
    job j;
    if (!open_job(&j, b->session.context, 2)) return;
    clSetUserEventStatus(gate, CL_COMPLETE);
    clsort_trim(b->sorter);   /* no mark on a queue of another test */
    counted.launches = counted.launches_ahead = 0;
    counted.waits = 1;
    CHECK_OK(start_job_by("bitonic-b2", &j, b->sorter, b->session.queue, 1, &gate));
    AT("%d commands, %d of them ahead of the gate", counted.launches, counted.launches_ahead);
    CHECK(counted.launches > 1 && counted.launches_ahead == 0);
    counted.waits = 0;
    finish_job(&j);
    clReleaseEvent(gate);
    close_job(&j);
}

/* Nothing to do, but the event waits all the same. */
static void empty_calls_wait_too(bench *b)
{
    clsort_desc d = clsort_desc_default();
    clsort_merge_desc m = clsort_merge_desc_default();
    clsort_gather_desc g = clsort_gather_desc_default();
    cl_int error = 0;
    cl_event gate = clCreateUserEvent(b->session.context, &error), done[3] = { NULL, NULL, NULL };
    int i;
    d.key_type = m.key_type = CLSORT_U32;
    CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 1, &gate, &done[0]));
    CHECK_OK(clsort_enqueue_merge(b->sorter, b->session.queue, &m, 1, &gate, &done[1]));
    CHECK_OK(clsort_enqueue_gather(b->sorter, b->session.queue, &g, 1, &gate, &done[2]));
    CHECK(clFlush(b->session.queue) == CL_SUCCESS);
    nap(30);
    for (i = 0; i < 3; i++) CHECK(done[i] && event_state(done[i]) > CL_COMPLETE);
    clSetUserEventStatus(gate, CL_COMPLETE);
    for (i = 0; i < 3; i++) {
        CHECK(clWaitForEvents(1, &done[i]) == CL_SUCCESS);
        counted_clReleaseEvent(done[i]);
    }
    clReleaseEvent(gate);
}

static void chain_of_jobs(bench *b)
{
    enum { JOBS = 4 };
    job j[JOBS];
    cl_command_queue queue = open_queue(b, 0);
    int i, opened = 0;
    for (i = 0; i < JOBS; i++) opened += open_job(&j[i], b->session.context, (uint64_t)i);
    if (opened < JOBS) return;
    for (i = 0; i < JOBS; i++)
        CHECK_OK(start_job(&j[i], b->sorter, i & 1 ? queue : b->session.queue, i > 0,
                           i ? &j[i - 1].done : NULL));
    CHECK(clFlush(queue) == CL_SUCCESS && clFlush(b->session.queue) == CL_SUCCESS);
    for (i = JOBS; i-- > 0;) finish_job(&j[i]);
    for (i = 0; i < JOBS; i++) close_job(&j[i]);
    clReleaseCommandQueue(queue);
}

/* ---- queues ---------------------------------------------------------------------------------- */

enum { IN_FLIGHT = 6 };

/* Several sorts at once on two queues, which share the sorter and its scratch. */
static void run_in_flight(bench *b, int out_of_order)
{
    cl_command_queue queues[2];
    job j[IN_FLIGHT];
    int i, opened = 0;
    queues[0] = open_queue(b, out_of_order);
    queues[1] = open_queue(b, out_of_order);
    for (i = 0; i < IN_FLIGHT; i++) opened += open_job(&j[i], b->session.context, 10 + (uint64_t)i);
    AT(out_of_order ? "out-of-order queues" : "in-order queues");
    if (queues[0] && queues[1] && opened == IN_FLIGHT) {
        for (i = 0; i < IN_FLIGHT; i++)
            CHECK_OK(start_job(&j[i], b->sorter, queues[i & 1], 0, NULL));
        CHECK(clFlush(queues[0]) == CL_SUCCESS && clFlush(queues[1]) == CL_SUCCESS);
        for (i = 0; i < IN_FLIGHT; i++) finish_job(&j[i]);
    }
    for (i = 0; i < IN_FLIGHT; i++) close_job(&j[i]);
    CHECK_OK(clsort_trim(b->sorter));
    if (queues[0]) clReleaseCommandQueue(queues[0]);
    if (queues[1]) clReleaseCommandQueue(queues[1]);
}

static void several_sorts_in_flight(bench *b)
{
    int i;
    for (i = 0; i < 10; i++) {
        run_in_flight(b, 0);
        run_in_flight(b, 1);
    }
}

static void no_profiling_needed(bench *b)
{
    cl_command_queue queue = open_queue(b, 0);
    job j;
    if (open_job(&j, b->session.context, 3) && CHECK_OK(start_job(&j, b->sorter, queue, 0, NULL)))
        finish_job(&j);
    close_job(&j);
    clReleaseCommandQueue(queue);
}

/* Sorts on a part of a device, and by a clone. */
static void sort_on_part(cl_context context, cl_device_id part)
{
    clsort_sorter *sorters[2] = { NULL };
    cl_int error = 0;
    cl_command_queue queue = clCreateCommandQueue(context, part, 0, &error);
    int i;
    CHECK(error == CL_SUCCESS);
    if (!CHECK_OK(clsort_create(context, part, NULL, &sorters[0]))) return;
    CHECK_OK(clsort_clone(sorters[0], &sorters[1]));
    for (i = 0; i < 2; i++) {
        job j;
        if (!open_job(&j, context, (uint64_t)(40 + i))) return;
        CHECK_OK(start_job(&j, sorters[i], queue, 0, NULL));
        finish_job(&j);
        close_job(&j);
        clsort_destroy(sorters[i]);
    }
    clReleaseCommandQueue(queue);
}

static int has_halves(cl_device_id device)
{
    cl_device_partition_property ways[8] = { 0 };
    size_t bytes = 0, i, found = 0;
    const cl_int error =
        clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof ways, ways, &bytes);
    for (i = 0; error == CL_SUCCESS && i < bytes / sizeof *ways; i++)
        found += ways[i] == CL_DEVICE_PARTITION_EQUALLY;
    return found > 0;
}

/* A context of parts may name the whole device in place of them, as PoCL's does. In a context that
   was made of the whole one, a driver may take its parts or not. */
static void parts_of_the_device(bench *b)
{
    const cl_device_id whole = b->session.info.id;
    cl_device_partition_property halves[3] = { CL_DEVICE_PARTITION_EQUALLY, 0, 0 };
    cl_device_id parts[8];
    cl_context context;
    cl_uint units = 0, count = 0, i;
    cl_int error = clGetDeviceInfo(whole, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    clsort_sorter *s;
    halves[1] = (cl_device_partition_property)(units / 2);
    /* Mesa's rusticl, which has none, crashes when it is asked for some. */
    if (error == CL_SUCCESS && !has_halves(whole)) error = CL_DEVICE_PARTITION_FAILED;
    if (error == CL_SUCCESS) error = clCreateSubDevices(whole, halves, 8, parts, &count);
    if (error != CL_SUCCESS) {
        test_skips("this device has no parts");
        return;
    }
    context = clCreateContext(NULL, 2, parts, NULL, NULL, &error);
    CHECK(error == CL_SUCCESS);
    for (i = 0; i < 2; i++) sort_on_part(context, parts[i]);
    clReleaseContext(context);
    context = clCreateContext(NULL, 1, &whole, NULL, NULL, &error);
    if (clsort_create(context, parts[0], NULL, &s) == CL_SUCCESS) {
        clsort_destroy(s);
        sort_on_part(context, parts[0]);
    } else {
        CHECK_STATUS(clsort_create(context, parts[0], NULL, &s), CLSORT_ERROR_DEVICE_UNUSABLE);
    }
    clReleaseContext(context);
    for (i = 0; i < count; i++) clReleaseDevice(parts[i]);
}

/* ---- lifetimes ------------------------------------------------------------------------------- */

static clsort_sorter *new_sorter(bench *b)
{
    clsort_sorter *s = NULL;
    CHECK_OK(clsort_create(b->session.context, b->session.info.id, NULL, &s));
    return s;
}

/* Trims, then destroys the sorter while its commands wait behind a gate. */
static void run_destroyed(bench *b, int out_of_order)
{
    cl_command_queue queue = open_queue(b, out_of_order);
    clsort_sorter *s = new_sorter(b);
    cl_int error = 0;
    cl_event gate = clCreateUserEvent(b->session.context, &error);
    job j[2];
    if (!queue || !open_job(&j[0], b->session.context, 4)
        || !open_job(&j[1], b->session.context, 5))
        return;
    CHECK_OK(start_job(&j[0], s, queue, 1, &gate));
    CHECK_OK(clsort_trim(s));
    CHECK_OK(start_job(&j[1], s, queue, 1, &gate));
    clsort_destroy(s);
    CHECK(clFlush(queue) == CL_SUCCESS);
    CHECK(event_state(j[0].done) > CL_COMPLETE && event_state(j[1].done) > CL_COMPLETE);
    clSetUserEventStatus(gate, CL_COMPLETE);
    finish_job(&j[0]);
    finish_job(&j[1]);
    close_job(&j[0]);
    close_job(&j[1]);
    clReleaseEvent(gate);
    clReleaseCommandQueue(queue);
}

static void destroy_while_work_is_pending(bench *b)
{
    run_destroyed(b, 0);
    run_destroyed(b, 1);
}

static int live_programs(void)
{
    return COUNTED_ADD(counted.live[COUNTED_PROGRAM], 0);
}

/* A sorter told that the driver is one whose launches need their programs: they are released when
   the work is done, or after a wait where neither mark nor callback can be had. */
static void run_heritage(bench *b, int out_of_order, int fail)
{
    cl_command_queue queue = open_queue(b, out_of_order);
    clsort_sorter *s = new_sorter(b);
    cl_int error = 0;
    cl_event gate = clCreateUserEvent(b->session.context, &error);
    job j;
    int before;
    counted_settle();
    before = live_programs();
    if (!queue || !s || !open_job(&j, b->session.context, 7)) return;
    AT("out of order %d, failing %d", out_of_order, fail);
    s->facts.releases_late = 1;
    CHECK_OK(start_job(&j, s, queue, !fail, fail ? NULL : &gate));
    CHECK(live_programs() > before);
    if (fail) counted.fail_at = counted.calls + fail;
    counted.code = CL_OUT_OF_RESOURCES;
    counted.fail_after = 1;
    clsort_destroy(s);
    counted.fail_at = 0;
    CHECK(fail || live_programs() > before);
    clSetUserEventStatus(gate, CL_COMPLETE);
    finish_job(&j);
    counted_settle();
    CHECK(live_programs() == before);
    close_job(&j);
    clReleaseEvent(gate);
    clReleaseCommandQueue(queue);
}

static void CL_CALLBACK hear_nothing(cl_event event, cl_int state, void *user)
{
    (void)event, (void)state, (void)user;
}

/* Does the driver call back, or what stands before it? wine's does not. */
static int calls_back(const bench *b)
{
    cl_int error = 0;
    cl_event event = clCreateUserEvent(b->session.context, &error);
    const int calls = clSetEventCallback(event, CL_COMPLETE, hear_nothing, NULL) == CL_SUCCESS;
    clSetUserEventStatus(event, CL_COMPLETE);
    clReleaseEvent(event);
    if (!calls) test_skips("this driver has no callbacks: clsort_destroy waits");
    return calls;
}

static void programs_outlive_launches(bench *b)
{
    const int calls = calls_back(b);
    int fail;
    if (calls) run_heritage(b, 0, 0);
    if (calls) run_heritage(b, 1, 0);
    for (fail = 1; fail < 9; fail++) run_heritage(b, fail % 2, fail);
}

static cl_uint context_references(const bench *b)
{
    cl_uint count = 0;
    clGetContextInfo(b->session.context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL);
    return count;
}

/* Drivers may let go of finished commands, and so of what these hold, a moment later: waits up to
   ten seconds for that. */
static cl_uint settled_context_references(const bench *b, cl_uint expected)
{
    int i;
    for (i = 0; i < 1000 && context_references(b) != expected; i++) nap(10);
    return context_references(b);
}

static cl_uint queue_references(cl_command_queue queue)
{
    cl_uint count = 0;
    clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL);
    return count;
}

static cl_uint buffer_references(cl_mem buffer)
{
    cl_uint count = 0;
    clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL);
    return count;
}

/* Checks that nobody but the caller holds the queue and the buffers, ten seconds later at most. */
static void expect_single_references(cl_command_queue queue, const job *j)
{
    cl_uint queues = 0, keys = 0, values = 0;
    int i;
    for (i = 0; i < 1000 && (queues != 1 || keys != 1 || values != 1); i++) {
        if (i > 0) nap(10);
        queues = queue_references(queue);
        keys = buffer_references(j->keys);
        values = buffer_references(j->values);
    }
    AT("references: queue %u, keys %u, values %u", (unsigned)queues, (unsigned)keys,
       (unsigned)values);
    CHECK(queues == 1 && keys == 1 && values == 1);
}

/* The context is counted with the queue gone: a driver's queue may hold its last command, and that
   the context. */
static void reference_counts(bench *b)
{
    cl_uint before, after;
    cl_command_queue queue;
    clsort_sorter *s, *clone = NULL;
    job j;
    nap(100);   /* the test before may have left commands that hold the context */
    before = context_references(b);
    queue = open_queue(b, 0);
    s = new_sorter(b);
    if (!open_job(&j, b->session.context, 6)) return;
    CHECK_OK(start_job(&j, s, queue, 0, NULL));
    finish_job(&j);
    counted_clReleaseEvent(j.done);   /* it may hold its queue */
    j.done = NULL;
    CHECK(clFinish(queue) == CL_SUCCESS);
    CHECK_OK(clsort_clone(s, &clone));
    clsort_destroy(s);
    clsort_destroy(clone);
    expect_single_references(queue, &j);
    close_job(&j);
    clReleaseCommandQueue(queue);
    after = settled_context_references(b, before);
    AT("context references %u before, %u after", (unsigned)before, (unsigned)after);
    CHECK(after == before);
}

static void trim_lets_go_of_the_queue(bench *b)
{
    cl_command_queue queue = open_queue(b, 0);
    clsort_sorter *s = new_sorter(b);
    int queues, buffers;
    job j;
    if (!open_job(&j, b->session.context, 7)) return;
    queues = counted.live[COUNTED_QUEUE];
    buffers = counted.live[COUNTED_BUFFER];
    CHECK_OK(start_job(&j, s, queue, 0, NULL));
    finish_job(&j);
    CHECK(counted.live[COUNTED_QUEUE] == queues + 1 && counted.live[COUNTED_BUFFER] == buffers + 1);
    CHECK_OK(clsort_trim(s));
    CHECK(counted.live[COUNTED_QUEUE] == queues && counted.live[COUNTED_BUFFER] == buffers);
    clsort_destroy(s);
    close_job(&j);
    clReleaseCommandQueue(queue);
}

/* Each sort needs more scratch memory than the one before. */
static void growing_scratch_replaces_the_old(bench *b)
{
    clsort_sorter *s = new_sorter(b);
    clsort_desc d = clsort_desc_default();
    cl_int error = 0;
    const int live = counted.live[COUNTED_BUFFER], made = counted.made[COUNTED_BUFFER];
    d.key_type = CLSORT_U32;
    d.algorithm = CLSORT_MERGE;
    d.keys = clCreateBuffer(b->session.context, CL_MEM_READ_WRITE, 4000, NULL, &error);
    for (d.count = 10; d.count <= 1000; d.count *= 10) {
        CHECK_OK(clsort_enqueue_sort(s, b->session.queue, &d, 0, NULL, NULL));
        CHECK(counted.live[COUNTED_BUFFER] == live + 1);
    }
    CHECK(counted.made[COUNTED_BUFFER] == made + 3);
    CHECK(clFinish(b->session.queue) == CL_SUCCESS);
    clsort_destroy(s);
    CHECK(counted.live[COUNTED_BUFFER] == live);
    clReleaseMemObject(d.keys);
}

/* Bytes that the process has in memory; 0 where the system does not say. */
static double resident(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long all = 0, pages = 0;
    if (f && fscanf(f, "%ld %ld", &all, &pages) != 2) pages = 0;
    if (f) fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* A queue for each sort, and released: scratch memory, queues and the process stay as they are. */
static void run_a_queue_for_each_sort(bench *b, int out_of_order)
{
    const int queues = test_is_cpu(b) ? 200 : 2000, buffers = counted.live[COUNTED_BUFFER],
              held = counted.live[COUNTED_QUEUE];
    clsort_sorter *s = new_sorter(b);
    clsort_desc d = clsort_desc_default();
    double early = 0;
    int i;
    d.key_type = CLSORT_U32;
    d.algorithm = CLSORT_MERGE;
    d.count = 1 << 16;
    d.keys = test_buffer(b, d.count * 4, NULL);
    for (i = 1; i <= queues; i++) {
        cl_command_queue queue = open_queue(b, out_of_order);
        if (!queue) break;
        CHECK_OK(clsort_enqueue_sort(s, queue, &d, 0, NULL, NULL));
        CHECK(clFinish(queue) == CL_SUCCESS);
        clReleaseCommandQueue(queue);
        if (i == 20) early = resident();
    }
    AT("%d buffers, %d queues, %.0f MiB in place of %.0f", counted.live[COUNTED_BUFFER] - buffers,
       counted.live[COUNTED_QUEUE] - held, resident() / 1048576, early / 1048576);
    CHECK(counted.live[COUNTED_BUFFER] <= buffers + 8 && counted.live[COUNTED_QUEUE] <= held + 8);
    if (i > queues) CHECK(resident() <= 1.2 * early);   /* else there are no such queues */
    clsort_destroy(s);
    clReleaseMemObject(d.keys);
}

static void a_queue_for_each_sort(bench *b)
{
    run_a_queue_for_each_sort(b, 0);
    run_a_queue_for_each_sort(b, 1);
}

/* The launches of a prepared sort have each been made once before, so that no driver's first
   launch falls into a frame. Each buffer of its scratch memory was written to once, too; one more
   buffer is what the launches were made with. */
static void preparing_launches_what_sorts_launch(bench *b)
{
    static const char *const names[] = { "bitonic", "merge", "radix" };
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        clsort_sorter *s = new_sorter(b);
        clsort_desc d = clsort_desc_default();
        int prepared, written;
        job j;
        AT("%s", names[i]);
        if (!open_job(&j, b->session.context, 13)) return;
        CHECK_OK(clsort_set_algorithm(&d, names[i]));
        d.count = N;
        d.key_type = CLSORT_U32;
        d.keys = j.keys;
        counted.launches = 0;
        written = -counted.made[COUNTED_BUFFER] - 1;
        CHECK_OK(clsort_prepare(s, NULL, &d));
        written += counted.made[COUNTED_BUFFER];
        prepared = counted.launches - written;
        CHECK(prepared > 0 && job_is_untouched(&j));
        CHECK_OK(clsort_enqueue_sort(s, b->session.queue, &d, 0, NULL, NULL));
        CHECK(counted.launches == written + 2 * prepared);
        CHECK(clFinish(b->session.queue) == CL_SUCCESS);
        close_job(&j);
        clsort_destroy(s);
    }
}

/* Every way to use a sorter, with the counts of what is live before and after. */
static void everything_is_released(bench *b)
{
    int before[COUNTED_KINDS];
    clsort_sorter *s, *clone = NULL;
    cl_command_queue queue = open_queue(b, 1);
    clsort_desc d = clsort_desc_default();
    cl_uint keys[3] = { 2, 1, 0 };
    job j[2];
    if (!open_job(&j[0], b->session.context, 8) || !open_job(&j[1], b->session.context, 9)) return;
    counted_settle();
    memcpy(before, counted.live, sizeof before);
    s = new_sorter(b);
    d.key_type = CLSORT_U32;
    d.count = 3;
    CHECK_OK(clsort_prepare(s, NULL, &d));
    CHECK_OK(clsort_sort_host(s, &d, keys, NULL, NULL));
    CHECK_OK(clsort_clone(s, &clone));
    CHECK_OK(start_job(&j[0], clone, b->session.queue, 0, NULL));
    if (queue) CHECK_OK(start_job(&j[1], s, queue, 0, NULL));
    finish_job(&j[0]);
    if (queue) finish_job(&j[1]);
    close_job(&j[0]);
    close_job(&j[1]);
    CHECK(counted.live[COUNTED_CONTEXT] == before[COUNTED_CONTEXT] + 2);
    clsort_destroy(s);
    clsort_destroy(clone);
    counted_settle();
    CHECK(!memcmp(before, counted.live, sizeof before));
    if (queue) clReleaseCommandQueue(queue);
}

/* With caller's scratch a call that was prepared creates nothing but its event, and allocates
   nothing. */
static void warmed_up_calls_create_nothing(bench *b)
{
    clsort_desc d = clsort_desc_default();
    cl_int error = 0;
    int before[COUNTED_KINDS], calls;
    job j;
    if (!open_job(&j, b->session.context, 11)) return;
    d.count = N;
    d.key_type = CLSORT_U32;
    d.keys = j.keys;
    d.values = j.values;
    d.value_size = 4;
    d.stable = 1;
    CHECK_OK(clsort_scratch_size(b->sorter, &d, &d.scratch_size));
    d.scratch = clCreateBuffer(b->session.context, CL_MEM_READ_WRITE, d.scratch_size, NULL, &error);
    CHECK_OK(clsort_prepare(b->sorter, NULL, &d));
    /* then it keeps each queue, too, from the first sort on */
    if (b->sorter->facts.releases_late) {
        CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, NULL));
        CHECK(clFinish(b->session.queue) == CL_SUCCESS);
    }
    counted_settle();
    memcpy(before, counted.made, sizeof before);
    before[COUNTED_EVENT]++;
    calls = counted.calls;
    CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, &j.done));
    CHECK(counted.calls > calls && !memcmp(before, counted.made, sizeof before));
    finish_job(&j);
    close_job(&j);
    clReleaseMemObject(d.scratch);
}

/* Prepared on a queue, a sort that uses the sorter's scratch memory makes nothing but events. */
static void prepared_queues_need_nothing(bench *b)
{
    int v, i;
    for (v = 0; v < 2; v++) {
        clsort_sorter *s = new_sorter(b);
        cl_command_queue queue = open_queue(b, v);
        clsort_desc d = clsort_desc_default();
        int made[COUNTED_KINDS];
        job j;
        if (!queue || !open_job(&j, b->session.context, 17)) return;
        d.count = N;
        d.key_type = CLSORT_U32;
        d.stable = 1;
        d.value_size = 4;
        AT("%s", v ? "out of order" : "in order");
        CHECK_OK(clsort_prepare(s, queue, &d));
        d.keys = j.keys;
        d.values = j.values;
        d.flags = CLSORT_FLAG_NO_BUILD;
        counted_settle();
        memcpy(made, counted.made, sizeof made);
        CHECK_OK(clsort_enqueue_sort(s, queue, &d, 0, NULL, &j.done));
        for (i = 0; i < COUNTED_KINDS; i++)
            CHECK(i == COUNTED_EVENT || counted.made[i] == made[i]);
        finish_job(&j);
        close_job(&j);
        clsort_destroy(s);
        clReleaseCommandQueue(queue);
    }
}

/* ---- frames ---------------------------------------------------------------------------------- */

enum { FRAMES = 300, OCTAVES = 20 };

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A frame: a sort of `count` keys, which builds nothing and makes nothing but its event. Returns
   its seconds. */
static double run_frame(const clsort_desc *prepared, clsort_sorter *s, cl_command_queue queue,
                        cl_mem keys, size_t count)
{
    int made[COUNTED_KINDS], kind;
    clsort_desc d = *prepared;
    double start;
    d.count = count;
    d.keys = keys;
    d.flags = CLSORT_FLAG_NO_BUILD;
    memcpy(made, counted.made, sizeof made);
    AT("a frame of %zu keys", count);
    start = test_seconds();
    CHECK_OK(clsort_enqueue_sort(s, queue, &d, 0, NULL, NULL));
    CHECK(clFinish(queue) == CL_SUCCESS);
    start = test_seconds() - start;
    for (kind = 0; kind < COUNTED_KINDS; kind++)
        CHECK(kind == COUNTED_EVENT || counted.made[kind] == made[kind]);
    return start;
}

/* Seconds that a frame may take beyond three times the median. A compiler's work would take 0.2 s
   and more, memory for a buffer 0.2 ms on GPUs, which other tests use at the same time unless this
   one is alone. */
static double frame_slack(const bench *b)
{
    return test_is_cpu(b) || getenv("CLSORT_TEST_BESIDE") ? 0.2 : 0.0001;
}

/* Frames of random counts, as many of each octave. Prints which octave had the slowest frame beside
   its median. */
static void run_frames(const bench *b, const clsort_desc *prepared, clsort_sorter *s,
                       cl_command_queue queue)
{
    double times[OCTAVES][FRAMES / OCTAVES], most = 0, median = 0;
    const cl_mem keys = test_buffer(b, prepared->count * 4, NULL);
    const cl_uint word = 0;
    uint64_t random = 1;
    int octave, i, worst = 0;
    /* a driver may give a buffer memory when a command first uses it */
    CHECK_OK(clEnqueueFillBuffer(queue, keys, &word, sizeof word, 0, prepared->count * 4, 0, NULL,
                                 NULL));
    CHECK_OK(clFinish(queue));
    for (i = 0; i < FRAMES; i++) {
        const size_t top = prepared->count >> (OCTAVES - 1 - i % OCTAVES);
        const size_t count = top - (size_t)(pattern_random(&random) % (top / 2 + 1));
        times[i % OCTAVES][i / OCTAVES] = run_frame(prepared, s, queue, keys, count);
    }
    for (octave = 0; octave < OCTAVES; octave++) {
        double *const t = times[octave];
        qsort(t, FRAMES / OCTAVES, sizeof *t, compare_times);
        if (t[FRAMES / OCTAVES - 1] - t[FRAMES / OCTAVES / 2] <= most - median) continue;
        most = t[FRAMES / OCTAVES - 1];
        median = t[FRAMES / OCTAVES / 2];
        worst = octave;
    }
    printf("%d frames; the slowest one beside its median: %.3f ms, %.3f ms, of up to %zu keys\n",
           FRAMES, 1e3 * most, 1e3 * median, prepared->count >> (OCTAVES - 1 - worst));
    CHECK(most < 3 * median + frame_slack(b));
    clReleaseMemObject(keys);
}

/* One clsort_prepare serves frames of every count, from the first one on. */
static void one_preparation_for_every_count(bench *b)
{
    int v;
    for (v = 0; v < 2; v++) {
        clsort_sorter *s = new_sorter(b);
        cl_command_queue queue = open_queue(b, v);
        clsort_desc d = clsort_desc_default();
        const double start = test_seconds();
        if (!queue) return;
        d.count = (size_t)1 << (b->small ? 13 : OCTAVES);
        d.key_type = CLSORT_U32;
        d.flags = CLSORT_FLAG_ANY_COUNT;
        CHECK_OK(clsort_prepare(s, queue, &d));
        printf("%s queue, prepared in %.2f s; ", v ? "out-of-order" : "in-order",
               test_seconds() - start);
        run_frames(b, &d, s, queue);
        clsort_destroy(s);
        clReleaseCommandQueue(queue);
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

typedef struct worker {
    bench *b;
    clsort_sorter *sorter;
    cl_command_queue queue;
    job jobs[4];
    int good;
} worker;

static void *work(void *argument)
{
    worker *w = (worker *)argument;
    int i;
    w->good = 1;
    for (i = 0; i < 4; i++)
        if (start_job(&w->jobs[i], w->sorter, w->queue, 0, NULL) != CL_SUCCESS) w->good = 0;
    if (clFinish(w->queue) != CL_SUCCESS) w->good = 0;
    return NULL;
}

static void clones_in_threads(bench *b)
{
    enum { THREADS = 3 };
    static worker w[THREADS];
    pthread_t threads[THREADS];
    int t, i;
    for (t = 0; t < THREADS; t++) {
        memset(&w[t], 0, sizeof w[t]);
        w[t].b = b;
        w[t].queue = open_queue(b, 0);
        CHECK_OK(clsort_clone(b->sorter, &w[t].sorter));
        for (i = 0; i < 4; i++)
            open_job(&w[t].jobs[i], b->session.context, (uint64_t)(20 + 4 * t + i));
    }
    for (t = 0; t < THREADS; t++) CHECK(!pthread_create(&threads[t], NULL, work, &w[t]));
    for (t = 0; t < THREADS; t++) {
        CHECK(!pthread_join(threads[t], NULL) && w[t].good);
        for (i = 0; i < 4; i++) {
            finish_job(&w[t].jobs[i]);
            close_job(&w[t].jobs[i]);
        }
        clsort_destroy(w[t].sorter);
        clReleaseCommandQueue(w[t].queue);
    }
}

/* ---- failed dependencies --------------------------------------------------------------------- */

/* A sort behind an event that fails: its own event fails and nothing is moved. */
static void fail_the_gate(bench *b)
{
    cl_int error = 0;
    cl_command_queue queue = open_queue(b, 0);
    cl_event gate = clCreateUserEvent(b->session.context, &error);
    job j;
    if (!open_job(&j, b->session.context, 12)) return;
    CHECK_OK(start_job(&j, b->sorter, queue, 1, &gate));
    CHECK(clFlush(queue) == CL_SUCCESS);
    CHECK(clSetUserEventStatus(gate, -1) == CL_SUCCESS);
    CHECK(clWaitForEvents(1, &j.done) != CL_SUCCESS);   /* not its state: Intel's runtime calls even
                                                           a plain copy complete then */
    nap(30);
    CHECK(job_is_untouched(&j));
}

static const test_entry child_tests[] = { { "nothing moves after a failed dependency",
                                            fail_the_gate } };

/* Some drivers crash or hang on a failed user event, so a process of its own tries; CLSORT_DEVICE
   narrows it to this device. */
static void failed_dependencies(bench *b)
{
    int state = 0;
    pid_t child;
    fflush(stdout);
    child = fork();
    if (test_lacks((int)child, "fork")) return;
    if (!child) {
        setenv("CLSORT_DEVICE", b->session.info.name, 1);
        unsetenv("CLSORT_TEST_ONLY");
        alarm(20);
        execl("/proc/self/exe", "test_queues", "--failed-dependency", (char *)NULL);
        _exit(127);
    }
    CHECK(child > 0 && waitpid(child, &state, 0) == child);
    if (WIFSIGNALED(state))
        printf("remark: this driver %s on a failed user event\n",
               WTERMSIG(state) == SIGALRM ? "hangs" : "crashes");
    else CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

/* ---- table ----------------------------------------------------------------------------------- */

static const test_entry tests[] = {
    { "nothing moves before the wait list is complete", nothing_moves_before_the_gate },
    { "every command gets the caller's wait list", every_command_gets_the_wait_list },
    { "calls that have nothing to do wait for their wait list", empty_calls_wait_too },
    { "sorts on two queues can wait for each other", chain_of_jobs },
    { "several sorts in flight on two queues do not disturb each other", several_sorts_in_flight },
    { "a queue without profiling is enough", no_profiling_needed },
    { "parts of a device sort", parts_of_the_device },
    { "a sorter may be trimmed and destroyed while its work is pending",
      destroy_while_work_is_pending },
    { "programs outlive their launches where the driver needs them", programs_outlive_launches },
    { "the reference counts of the caller's objects are as before", reference_counts },
    { "trim lets go of scratch and queues", trim_lets_go_of_the_queue },
    { "scratch that grows replaces the old", growing_scratch_replaces_the_old },
    { "prepare launches what a sort launches", preparing_launches_what_sorts_launch },
    { "every object of the implementation is released", everything_is_released },
    { "a warmed-up call creates nothing but its event", warmed_up_calls_create_nothing },
    { "a sort on a queue that it was prepared for makes nothing but events",
      prepared_queues_need_nothing },
    { "one preparation serves frames of every count", one_preparation_for_every_count },
    { "clones sort in other threads", clones_in_threads },
    { "a failed dependency leaves the keys alone", failed_dependencies },
    TEST_REST,
    { "a queue for each sort takes no more memory than a few", a_queue_for_each_sort }
};

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--failed-dependency")) {
        int failed;
        test_progress.ends = 1;
        failed = test_main(child_tests, 1);
        fflush(stdout);
        _exit(failed);
    }
    return test_main(tests, sizeof tests / sizeof *tests);
}
