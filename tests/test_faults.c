/* Every OpenCL call and every allocation of the implementation fails once, then all from that one on: never a false success,
   a message that names the function, nothing leaked, the input intact or a permutation, and a sorter that still works. */

#include "counted.h"

#define CLSORT_IMPLEMENTATION
#include "harness.h"

#include "../tools/patterns.h"

enum { N = 700, GUARD = 64, ROOM = N + 2 * GUARD };

/* What a scenario works on. */
typedef struct stage {
    bench *b;
    clsort_sorter *sorter;      /* NULL: the scenario makes one */
    cl_command_queue queue;
    cl_mem keys, values, scratch;
    cl_uint input[ROOM], order[ROOM];
    cl_event gate;              /* a completed user event */
} stage;

typedef struct scenario {
    const char *name;
    clsort_status (*run)(stage *s, clsort_sorter *sorter);
    int fresh;                  /* needs a sorter that has built nothing */
    int out_of_order;
} scenario;

/* ---- scenarios --------------------------------------------------------------------------------------------------- */

static clsort_desc describe(const stage *s)
{
    clsort_desc d = clsort_desc_default();
    d.count = N;
    d.key_type = CLSORT_U32;
    d.keys = s->keys;
    d.keys_offset = 4 * GUARD;
    return d;
}

/* Enqueues; a call that succeeded must have an event that completes, one that failed none. */
static clsort_status enqueue(stage *s, clsort_sorter *sorter, const clsort_desc *d)
{
    cl_event done = s->gate;
    clsort_status status = clsort_enqueue_sort(sorter, s->queue, d, 1, &s->gate, &done);
    CHECK(clFinish(s->queue) == CL_SUCCESS);
    if (status != CL_SUCCESS) CHECK(done == NULL);
    else if (CHECK(done != NULL)) {
        CHECK(clWaitForEvents(1, &done) == CL_SUCCESS);
        counted_clReleaseEvent(done);
    }
    return status;
}

static clsort_status sort_keys(stage *s, clsort_sorter *sorter)
{
    clsort_desc d = describe(s);
    return enqueue(s, sorter, &d);
}

static clsort_status sort_pairs(stage *s, clsort_sorter *sorter)
{
    clsort_desc d = describe(s);
    d.values = s->values;
    d.values_offset = 4 * GUARD;
    d.value_size = 4;
    return enqueue(s, sorter, &d);
}

static clsort_status sort_stable(stage *s, clsort_sorter *sorter)
{
    clsort_desc d = describe(s);
    d.values = s->values;
    d.values_offset = 4 * GUARD;
    d.value_size = 4;
    d.stable = 1;
    return enqueue(s, sorter, &d);
}

static clsort_status sort_with_callers_scratch(stage *s, clsort_sorter *sorter)
{
    clsort_desc d = describe(s);
    clsort_status status;
    d.values = s->values;
    d.values_offset = 4 * GUARD;
    d.value_size = 4;
    d.stable = 1;
    status = clsort_scratch_size(sorter, &d, &d.scratch_size);
    d.scratch = s->scratch;
    return status ? status : enqueue(s, sorter, &d);
}

static clsort_status sort_by_kernel_a(stage *s, clsort_sorter *sorter)
{
    clsort_desc d = describe(s);
    clsort_status status = clsort_select(&d, "bitonic-a");
    return status ? status : enqueue(s, sorter, &d);
}

/* Host arrays: the stage's buffers stay as they are. */
static clsort_status sort_host(stage *s, clsort_sorter *sorter)
{
    cl_uint keys[N], i;
    clsort_desc d = clsort_desc_default();
    clsort_status status;
    d.count = N;
    d.key_type = CLSORT_U32;
    memcpy(keys, s->input, sizeof keys);
    status = clsort_sort_host(sorter, &d, keys, NULL, NULL);
    for (i = 1; i < N && status == CL_SUCCESS; i++)
        if (!CHECK(keys[i - 1] <= keys[i])) break;
    return status;
}

static clsort_status prepare(stage *s, clsort_sorter *sorter)
{
    clsort_desc d = describe(s);
    d.value_size = 4;
    d.values = s->values;
    d.stable = 1;
    return clsort_prepare(sorter, &d);
}

static clsort_status clone(stage *s, clsort_sorter *sorter)
{
    clsort_sorter *other = sorter;
    clsort_status status = clsort_clone(sorter, &other);
    CHECK((status == CL_SUCCESS) == (other != NULL));
    (void)s;
    clsort_destroy(other);
    return status;
}

static clsort_status create(stage *s, clsort_sorter *sorter)
{
    clsort_sorter *other = sorter;
    clsort_status status = clsort_create(s->b->session.context, s->b->session.info.id, NULL, &other);
    CHECK((status == CL_SUCCESS) == (other != NULL));
    clsort_destroy(other);
    return status;
}

static clsort_status gather(stage *s, clsort_sorter *sorter)
{
    clsort_gather g;
    clsort_array a;
    memset(&g, 0, sizeof g);
    memset(&a, 0, sizeof a);
    a.source = s->scratch;
    a.target = s->scratch;
    a.target_offset = 4096;
    a.element_size = 12;
    g.count = 100;
    g.indices = s->values;
    g.arrays = &a;
    g.array_count = 1;
    return clsort_enqueue_gather(sorter, s->queue, &g, 0, NULL, NULL);
}

static clsort_status check_order(stage *s, clsort_sorter *sorter)
{
    clsort_desc d = describe(s);
    return clsort_enqueue_is_sorted(sorter, s->queue, &d, s->scratch, 0, 0, NULL, NULL);
}

static const scenario scenarios[] = {
    { "create", create, 0, 0 },
    { "the first sort", sort_keys, 1, 0 },
    { "a later sort of keys", sort_keys, 0, 0 },
    { "a later sort of pairs", sort_pairs, 0, 0 },
    { "the first stable sort", sort_stable, 1, 0 },
    { "a later stable sort", sort_stable, 0, 0 },
    { "a stable sort out of order", sort_stable, 0, 1 },
    { "caller's scratch", sort_with_callers_scratch, 0, 0 },
    { "caller's scratch out of order", sort_with_callers_scratch, 0, 1 },
    { "kernel A", sort_by_kernel_a, 0, 0 },
    { "kernel A out of order", sort_by_kernel_a, 0, 1 },
    { "host arrays", sort_host, 0, 0 },
    { "prepare", prepare, 0, 0 },
    { "clone", clone, 0, 0 },
    { "the first gather", gather, 1, 0 },
    { "a later gather", gather, 0, 0 },
    { "the first check of order", check_order, 1, 0 },
    { "a later check of order", check_order, 0, 0 }
};

/* ---- stage ------------------------------------------------------------------------------------------------------- */

static int reset_stage(stage *s)
{
    cl_command_queue queue = s->b->session.queue;
    cl_int error = clEnqueueWriteBuffer(queue, s->keys, CL_TRUE, 0, sizeof s->input, s->input, 0, NULL, NULL);
    if (!error) error = clEnqueueWriteBuffer(queue, s->values, CL_TRUE, 0, sizeof s->order, s->order, 0, NULL, NULL);
    return CHECK(error == CL_SUCCESS);
}

static int open_stage(stage *s, bench *b, int out_of_order)
{
    cl_context context = b->session.context;
    cl_int error[5] = { 0, 0, 0, 0, 0 };
    cl_uint i;
    memset(s, 0, sizeof *s);
    s->b = b;
    pattern_fill(pattern_find("mod-256"), CLSORT_U32, ROOM, 1, 0, s->input);
    for (i = 0; i < ROOM; i++) s->order[i] = i;
    s->queue = clCreateCommandQueue(context, b->session.info.id, out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error[0]);
    s->keys = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof s->input, NULL, &error[1]);
    s->values = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof s->order, NULL, &error[2]);
    s->scratch = clCreateBuffer(context, CL_MEM_READ_WRITE, 65536, NULL, &error[3]);
    s->gate = clCreateUserEvent(context, &error[4]);
    for (i = 1; i < 5; i++)
        if (!CHECK(error[i] == CL_SUCCESS)) return 0;
    clSetUserEventStatus(s->gate, CL_COMPLETE);
    if (out_of_order && !s->queue) printf("this device has no out-of-order queues\n");
    return s->queue != NULL;
}

static void close_stage(stage *s)
{
    if (s->queue) clReleaseCommandQueue(s->queue);
    if (s->keys) clReleaseMemObject(s->keys);
    if (s->values) clReleaseMemObject(s->values);
    if (s->scratch) clReleaseMemObject(s->scratch);
    if (s->gate) clReleaseEvent(s->gate);
}

static int read_stage(const stage *s, cl_uint *keys, cl_uint *values)
{
    cl_command_queue queue = s->b->session.queue;
    cl_int error = clEnqueueReadBuffer(queue, s->keys, CL_TRUE, 0, sizeof s->input, keys, 0, NULL, NULL);
    if (!error) error = clEnqueueReadBuffer(queue, s->values, CL_TRUE, 0, sizeof s->order, values, 0, NULL, NULL);
    return CHECK(error == CL_SUCCESS);
}

static int is_untouched(const stage *s)
{
    cl_uint keys[ROOM], values[ROOM];
    return read_stage(s, keys, values) && !memcmp(keys, s->input, sizeof keys) && !memcmp(values, s->order, sizeof values);
}

static int compare_numbers(const void *a, const void *b)
{
    const cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;
    return (x > y) - (x < y);
}

/* The keys are the input's in some order, and the guards are as they were. */
static int is_permuted(const stage *s)
{
    cl_uint keys[ROOM], values[ROOM], wanted[ROOM];
    if (!read_stage(s, keys, values)) return 0;
    memcpy(wanted, s->input, sizeof wanted);
    qsort(keys + GUARD, N, sizeof *keys, compare_numbers);
    qsort(wanted + GUARD, N, sizeof *wanted, compare_numbers);
    return !memcmp(keys, wanted, sizeof keys) && !memcmp(values, s->order, 4 * GUARD)
        && !memcmp(values + GUARD + N, s->order + GUARD + N, 4 * GUARD);
}

/* ---- injection --------------------------------------------------------------------------------------------------- */

/* A sorter that has run the scenario once, or that has built nothing. */
static clsort_sorter *new_sorter(stage *s, const scenario *c)
{
    clsort_sorter *sorter = NULL;
    CHECK_OK(clsort_create(s->b->session.context, s->b->session.info.id, NULL, &sorter));
    if (!c->fresh && sorter) CHECK_OK(c->run(s, sorter));
    return sorter;
}

/* After the fault: the same call works on the same sorter. */
static void expect_recovery(stage *s, const scenario *c, clsort_sorter *sorter)
{
    counted.fail_at = 0;
    reset_stage(s);
    CHECK_OK(c->run(s, sorter));
    CHECK(clFinish(s->queue) == CL_SUCCESS);
    CHECK(is_permuted(s));
}

/* Runs the scenario with call number k failing. Returns 0 when it makes fewer calls. */
static int inject(stage *s, const scenario *c, clsort_sorter *sorter, int k, int after, cl_int code)
{
    clsort_status status;
    int failed, launched;
    reset_stage(s);
    counted.calls = counted.failed = counted.launches = 0;
    counted.code = code;
    counted.fail_after = after;
    counted.fail_at = k;
    status = c->run(s, sorter);
    counted.fail_at = 0;
    failed = counted.failed;
    launched = counted.launches;
    AT("%s: call %d, %s, fails with %d%s", c->name, k, failed ? counted.failed_function : "none", (int)code, after ? ", and all later ones" : "");
    CHECK(clFinish(s->queue) == CL_SUCCESS);
    CHECK((status == CL_SUCCESS) == (failed == 0));
    if (failed && c->run != create && c->run != clone) CHECK(strstr(clsort_last_error(sorter), counted.failed_function) != NULL);
    CHECK(launched ? is_permuted(s) : is_untouched(s));
    return failed > 0;
}

/* All calls of a scenario in turn, on one sorter, or on a new one each time. Returns how many there are. */
static int fail_scenario(stage *s, const scenario *c, int after, cl_int code)
{
    int idle[COUNTED_KINDS], warm[COUNTED_KINDS], k, failed = 1;
    clsort_sorter *sorter;
    memcpy(idle, counted.live, sizeof idle);
    sorter = new_sorter(s, c);
    for (k = 1; failed; k++) {
        memcpy(warm, counted.live, sizeof warm);
        failed = inject(s, c, sorter, k, after, code);
        if (!c->fresh) CHECK(!memcmp(warm, counted.live, sizeof warm));
        if (failed && (!c->fresh || !after)) expect_recovery(s, c, sorter);
        if (!c->fresh) continue;
        clsort_destroy(sorter);
        CHECK(!memcmp(idle, counted.live, sizeof idle));
        sorter = new_sorter(s, c);
    }
    clsort_destroy(sorter);
    CHECK(!memcmp(idle, counted.live, sizeof idle));
    return k - 2;
}

static void fail_every_call(bench *b)
{
    static stage s;
    size_t i;
    for (i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        int calls = 0;
        double start = test_seconds();
        if (open_stage(&s, b, scenarios[i].out_of_order)) {
            calls = fail_scenario(&s, &scenarios[i], 0, CL_OUT_OF_RESOURCES);
            CHECK(calls > 0 && fail_scenario(&s, &scenarios[i], 1, CL_OUT_OF_HOST_MEMORY) == calls);
        }
        close_stage(&s);
        printf("%s: %d calls failed in turn (%.1f s)\n", scenarios[i].name, calls, test_seconds() - start);
        fflush(stdout);
    }
}

static const test_entry tests[] = {
    { "a failing OpenCL function or allocation is reported and leaves no harm", fail_every_call }
};

TEST_MAIN(tests)
