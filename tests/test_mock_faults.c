/* Every call of every function fails, on the driver of mock.h: once with either of two codes, then
   together with all that follow. After each fault:
   - never a false success; code, function and message are right
   - no event is given away, or one that completes
   - nothing is leaked, and the caller's objects have the references that they had
   - the driver was asked for nothing that OpenCL forbids
   - the same sorter does the same again as without the fault; destroying it gives everything back

   A run is a call on a device, in some mode: with a fresh sorter or a warm one, on either kind of
   queue, behind a wait list, with an event, checking itself, profiled.

   CLSORT_TEST_SCENARIO   only runs whose name holds it
   CLSORT_TEST_WHOLE      all runs; default: one in 36, drawn by CLSORT_TEST_SEED
   CLSORT_TEST_SMALL      one in a hundred */

#include "mock.h"

#define CLSORT_IMPLEMENTATION
#include "faults.h"

#include <signal.h>
#include <unistd.h>

#include "../tools/clsort/patterns.h"

enum { BUFFERS = 12, BUFFER_BYTES = 1 << 22, ARRAYS = 5 };

enum {
    KEYS,
    KEYS_OUT,
    VALUES,
    VALUES_OUT,
    INDICES,
    SCRATCH,
    SEGMENTS,
    COUNT
}; /* the rest: arrays of gathers */

/* How a run is done. */
enum {
    FRESH = 1,
    OUT_OF_ORDER = 2,
    WAITS = 4,
    WITH_EVENT = 8,
    CHECKS_ITSELF = 16,
    PROFILES = 32,
    MODES = 64
};

/* What a description has. */
enum {
    HAS_INDICES = 1,
    HAS_KEYS_OUT = 2,
    HAS_VALUES_OUT = 4,
    HAS_STABLE = 8,
    HAS_SCRATCH = 16,
    HAS_SEGMENTS = 32,
    HAS_COUNT = 64,
    HAS_FIELDS = 128,
    HAS_LONG_FIELDS = 256,
    HAS_TEXTS = 512,
    HAS_ZEROS = 1024,
    HAS_UNSORTED = 2048,
    HAS_NTH = 4096,
    HAS_PARTITION = 8192,
    HAS_STRIDES = 16384,
    HAS_LENGTHS = 32768,
    HAS_ENDS = 65536
};

typedef struct shape {
    const char *name;
    size_t count;
    cl_uint key_type;
    size_t value_size, record_size, rows, top;
    int has;
    cl_uint last_bit;
} shape;

struct stage;

/* A call under test; `holds`: it says that nothing is wrong. */
typedef struct subject {
    const char *name;
    clsort_status (*act)(struct stage *t);
    int modes;                  /* those that it may have */
    const char *algorithm;      /* NULL: does not matter */
    int alone;                  /* the call keeps its errors in a sorter of its own */
    int every; /* of so many faults one is drawn, for calls that take long; 0: all */
} subject;

typedef struct stage {
    const subject *c;
    const shape *shape;
    int mode;
    char name[160];
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_mem buffer[BUFFERS];
    cl_event gate, waiting;     /* complete; not complete, if not NULL */
    clsort_sorter *sorter;
    clsort_options options;
    clsort_desc d;
    said said;
    uint64_t trace;             /* of a run without a fault */
    int safe_from, safe_to;     /* calls whose failure does no harm */
    int proofs, wrong;          /* proofs that were read; those from which on are wrong, 0: none */
    int callers[MOCK_KINDS];    /* references that the test has */
} stage;

/* ---- calls ----------------------------------------------------------------------------------- */

/* What comes before the calls under test does not fail, and is not counted. */
static fault pause_faults(void)
{
    fault f;
    f.call = counted.fail_at;
    f.after = counted.fail_after;
    f.code = counted.code;
    disarm();
    return f;
}

static void resume_faults(const fault *f)
{
    counted.calls = counted.launches = 0;
    mock.trace = 0;
    counted.fail_at = f->call;
}

static cl_uint wait_count(const stage *t) { return t->mode & WAITS ? 1 : 0; }
static const cl_event *wait_list(const stage *t) { return t->mode & WAITS ? &t->gate : NULL; }

/* A failed call gives no event away, another one an event that completes. */
static clsort_status end_call(stage *t, clsort_status status, cl_event done)
{
    cl_int state = CL_QUEUED;
    if (!(t->mode & WITH_EVENT)) return status;
    CHECK((done != NULL) == (status == CL_SUCCESS));
    if (status != CL_SUCCESS) return status;
    CHECK(mock_clWaitForEvents(1, &done) == CL_SUCCESS);
    CHECK(mock_clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL)
          == CL_SUCCESS);
    CHECK(state == CL_COMPLETE);
    counted_clReleaseEvent(done);
    return status;
}

/* Enqueues something with the wait list and the event of the stage's mode. */
#define ENQUEUE(t, status, function, ...) \
    do { \
        cl_event done = (t)->gate; \
        status = function(__VA_ARGS__, wait_count(t), wait_list(t), \
                          (t)->mode & WITH_EVENT ? &done : NULL); \
        status = end_call(t, status, done); \
    } while (0)

static clsort_status sort_with(stage *t, clsort_sorter *s)
{
    clsort_status status;
    ENQUEUE(t, status, clsort_enqueue_sort, s, t->queue, &t->d);
    return status;
}

static clsort_status act_sort(stage *t) { return sort_with(t, t->sorter); }

static clsort_desc without_buffers(const stage *t)
{
    clsort_desc d = t->d;
    d.keys = d.keys_out = d.values = d.values_out = d.indices = d.segments = d.count_buffer =
        d.scratch = NULL;
    d.scratch_size = 0;
    if (t->shape->has & HAS_INDICES) d.indices = CLSORT_LATER;
    if (t->shape->has & HAS_KEYS_OUT) d.keys_out = CLSORT_LATER;
    if (t->shape->has & HAS_VALUES_OUT) d.values_out = CLSORT_LATER;
    if (t->shape->has & HAS_COUNT) d.count_buffer = CLSORT_LATER;
    return d;
}

/* After clsort_prepare the sort builds nothing, and makes no buffer. */
static clsort_status act_prepare(stage *t)
{
    const clsort_desc d = without_buffers(t);
    const clsort_status status = clsort_prepare(t->sorter, NULL, &d);
    const fault f = pause_faults();
    const int buffers = counted.made[COUNTED_BUFFER];
    if (status == CL_SUCCESS) {
        t->d.flags |= CLSORT_FLAG_NO_BUILD;
        CHECK_OK(sort_with(t, t->sorter));
        t->d.flags &= ~(cl_uint)CLSORT_FLAG_NO_BUILD;
        CHECK(t->mode & CHECKS_ITSELF || counted.made[COUNTED_BUFFER] == buffers);
    }
    resume_faults(&f);
    return status;
}

static clsort_status act_ask(stage *t)
{
    const clsort_desc bare = without_buffers(t);
    clsort_desc resolved = clsort_desc_default();
    char text[2000];
    size_t bytes;
    clsort_status status = clsort_check(t->sorter, &t->d);
    if (status == CL_SUCCESS) status = clsort_check(t->sorter, &bare);
    if (status == CL_SUCCESS) status = clsort_resolve(t->sorter, &t->d, &resolved);
    if (status == CL_SUCCESS) status = clsort_scratch_size(t->sorter, &bare, &bytes);
    if (status == CL_SUCCESS) status = clsort_explain(t->sorter, &t->d, text, sizeof text);
    return status;
}

/* The kernels do nothing: whatever way the arrays go, they come back as they were. */
static clsort_status act_host(stage *t)
{
    static cl_ulong keys[4000], values[4000];
    static cl_uint indices[4000];
    clsort_desc d = without_buffers(t);
    clsort_status status;
    size_t i, kept = 0;
    d.flags = 0;
    d.indices = d.keys_out = d.values_out = NULL;
    for (i = 0; i < 4000; i++) keys[i] = indices[i] = (cl_uint)i, values[i] = ~(cl_ulong)i;
    mock.hold = 1;   /* commands run when the host waits for them */
    status = clsort_sort_host(t->sorter, &d, keys, d.value_size ? values : NULL,
                              t->shape->has & HAS_INDICES ? indices : NULL);
    mock.hold = 0;
    for (i = 0; i < 4000; i++) kept += keys[i] == i && values[i] == ~(cl_ulong)i;
    CHECK(kept == 4000);
    return status;
}

/* The same with arrays that are pinned themselves, as if they were large. */
static clsort_status act_host_pinned(stage *t)
{
    if (t->sorter->facts.block_bytes) t->sorter->facts.block_bytes = 1;
    return act_host(t);
}

/* May a driver refuse to pin arrays of the call? */
static int pins(const stage *t)
{
    return t->sorter->facts.block_bytes && (t->c->act == act_host || t->c->act == act_host_pinned);
}

static clsort_status act_is_sorted(stage *t)
{
    clsort_status status;
    ENQUEUE(t, status, clsort_enqueue_is_sorted, t->sorter, t->queue, &t->d, t->buffer[COUNT], 64);
    return status;
}

/* A fingerprint, the sort, its verification; the proof is read and judged. */
static clsort_status act_prove(stage *t)
{
    cl_mem proof = t->buffer[BUFFERS - 1];
    clsort_proof read;
    clsort_status status;
    ENQUEUE(t, status, clsort_enqueue_fingerprint, t->sorter, t->queue, &t->d, proof, 0);
    if (status == CL_SUCCESS) status = act_sort(t);
    if (status != CL_SUCCESS) return status;
    ENQUEUE(t, status, clsort_enqueue_verify, t->sorter, t->queue, &t->d, proof, 0);
    if (status != CL_SUCCESS) return status;
    CHECK(mock_clEnqueueReadBuffer(t->queue, proof, CL_TRUE, 0, sizeof read, &read, 0, NULL, NULL)
          == CL_SUCCESS);
    CHECK(clsort_judge(&read) == CL_SUCCESS);
    return status;
}

static clsort_status act_gather(stage *t)
{
    static const size_t sizes[ARRAYS] = { 1, 4, 12, 8, 30 };
    clsort_gather_desc g = clsort_gather_desc_default();
    clsort_array a[ARRAYS];
    clsort_status status;
    size_t i;
    memset(a, 0, sizeof a);
    for (i = 0; i < ARRAYS; i++) {
        a[i].source = t->buffer[i % 2 ? VALUES : KEYS];
        a[i].target = t->buffer[SEGMENTS + i];
        a[i].target_offset = BUFFER_BYTES / 2;
        a[i].element_size = sizes[i];
    }
    g.count = t->shape->count;
    g.rows = t->shape->rows;
    g.indices = t->buffer[INDICES];
    g.arrays = a;
    g.array_count = ARRAYS;
    ENQUEUE(t, status, clsort_enqueue_gather, t->sorter, t->queue, &g);
    return status;
}

static clsort_status act_groups(stage *t)
{
    clsort_groups_desc g = clsort_groups_desc_default();
    clsort_status status;
    g.count = g.groups = t->shape->count;
    g.key_type = CLSORT_U16;
    g.keys = t->buffer[KEYS];
    g.starts = t->buffer[INDICES];
    g.counts = t->shape->rows ? NULL : t->buffer[SEGMENTS];
    g.count_buffer = t->buffer[COUNT];
    ENQUEUE(t, status, clsort_enqueue_group_starts, t->sorter, t->queue, &g);
    return status;
}

static clsort_status act_merge(stage *t)
{
    clsort_merge_desc m = clsort_merge_desc_default();
    clsort_status status;
    m.count_a = t->shape->count / 3;
    m.count_b = t->shape->count - m.count_a;
    m.key_type = t->shape->key_type;
    m.value_size = t->shape->value_size;
    m.keys_a = t->buffer[KEYS];
    m.keys_b = t->buffer[INDICES];
    m.keys_out = t->buffer[KEYS_OUT];
    m.values_a = m.value_size ? t->buffer[VALUES] : NULL;
    m.values_b = m.value_size ? t->buffer[SCRATCH] : NULL;
    m.values_out = m.value_size ? t->buffer[VALUES_OUT] : NULL;
    ENQUEUE(t, status, clsort_enqueue_merge, t->sorter, t->queue, &m);
    return status;
}

/* Three runs; a count of 0 and 1 leaves one run or none. */
static clsort_status act_runs(stage *t)
{
    const size_t n = t->shape->count;
    clsort_merge_runs_desc m = clsort_merge_runs_desc_default();
    clsort_run run[3];
    clsort_status status;
    int i;
    memset(run, 0, sizeof run);
    m.runs = run;
    m.run_count = 3;
    m.key_type = t->shape->key_type;
    m.value_size = t->shape->value_size;
    for (i = 0; i < 3; i++) {
        run[i].count = i ? n / 3 : n - 2 * (n / 3);
        run[i].keys = t->buffer[i ? INDICES : KEYS];
        run[i].values = m.value_size ? t->buffer[i ? SCRATCH : VALUES] : NULL;
    }
    m.keys_out = t->buffer[KEYS_OUT];
    m.values_out = m.value_size ? t->buffer[VALUES_OUT] : NULL;
    ENQUEUE(t, status, clsort_enqueue_merge_runs, t->sorter, t->queue, &m);
    return status;
}

static clsort_status act_partition(stage *t)
{
    clsort_partition_desc m = clsort_partition_desc_default();
    clsort_status status;
    m.count = t->shape->count;
    m.splitter_count = t->shape->count % 2 ? 15 : 16;
    m.key_type = t->shape->key_type;
    m.value_size = t->shape->value_size;
    m.keys = t->buffer[KEYS];
    m.keys_out = t->buffer[KEYS_OUT];
    m.values = m.value_size ? t->buffer[VALUES] : NULL;
    m.values_out = m.value_size ? t->buffer[VALUES_OUT] : NULL;
    m.splitters = t->buffer[INDICES];
    m.starts = t->buffer[SEGMENTS];
    ENQUEUE(t, status, clsort_enqueue_partition, t->sorter, t->queue, &m);
    return status;
}

/* ---- calls about sorters --------------------------------------------------------------------- */

static clsort_status create_with(stage *t, cl_context context, cl_device_id device)
{
    clsort_sorter *other = t->sorter;
    clsort_status status = clsort_create(context, device, &t->options, &other);
    CHECK((status == CL_SUCCESS) == (other != NULL));
    disarm();
    if (status == CL_SUCCESS)
        CHECK(clsort_device(other) && (!context || clsort_context(other) == context));
    clsort_destroy(other);
    return status;
}

static clsort_status act_create(stage *t) { return create_with(t, t->context, t->device); }
static clsort_status act_create_own(stage *t) { return create_with(t, NULL, NULL); }

/* A clone, and a clone of it, sort as their original does. */
static clsort_status act_clone(stage *t)
{
    clsort_sorter *first = t->sorter, *second = t->sorter;
    clsort_status status = clsort_clone(t->sorter, &first);
    CHECK((status == CL_SUCCESS) == (first != NULL));
    disarm();
    if (status == CL_SUCCESS) {
        CHECK_OK(sort_with(t, first));
        CHECK_OK(clsort_clone(first, &second));
        clsort_destroy(first);
        CHECK_OK(sort_with(t, second));
        clsort_destroy(second);
    }
    return status;
}

/* Completes the event that sorts wait for, if it is not: at last, or when the host waits. */
static void open_gate(void *user)
{
    stage *t = (stage *)user;
    if (t->waiting) CHECK(mock_clSetUserEventStatus(t->waiting, CL_COMPLETE) == CL_SUCCESS);
    t->waiting = NULL;
}

/* A clone is destroyed while its two sorts, on two queues, wait. */
static clsort_status act_destroy_pending(stage *t)
{
    const fault f = pause_faults();
    clsort_sorter *other = NULL;
    clsort_status status;
    cl_int error = 0;
    cl_event gate = mock_clCreateUserEvent(t->context, &error);
    cl_command_queue queue = mock_new_queue(t->context, t->device, 0);
    if (!t->sorter->program_count) CHECK_OK(act_sort(t));
    CHECK_OK(clsort_clone(t->sorter, &other));
    resume_faults(&f);
    status = clsort_enqueue_sort(other, t->queue, &t->d, 1, &gate, NULL);
    if (status == CL_SUCCESS) status = clsort_enqueue_sort(other, queue, &t->d, 1, &gate, NULL);
    t->safe_from = counted.calls;
    t->waiting = gate;
    clsort_destroy(other);
    t->safe_to = counted.calls;
    disarm();
    open_gate(t);
    CHECK(mock_clFinish(t->queue) == CL_SUCCESS && mock_clFinish(queue) == CL_SUCCESS);
    mock_clReleaseEvent(gate);
    mock_clReleaseCommandQueue(queue);
    return status;
}

/* Trimmed while a sort waits; the next one finds its scratch again. */
static clsort_status act_trim(stage *t)
{
    const fault f = pause_faults();
    clsort_status status;
    cl_int error = 0;
    cl_event gate = mock_clCreateUserEvent(t->context, &error);
    CHECK_OK(clsort_enqueue_sort(t->sorter, t->queue, &t->d, 1, &gate, NULL));
    resume_faults(&f);
    t->waiting = gate;
    t->safe_from = counted.calls;
    status = clsort_trim(t->sorter);
    t->safe_to = counted.calls;
    if (status == CL_SUCCESS) status = act_sort(t);
    disarm();
    open_gate(t);
    mock_clReleaseEvent(gate);
    return status;
}

/* Two sorters on one queue: a fault of one leaves the other alone. */
static clsort_status act_two_sorters(stage *t)
{
    const fault f = pause_faults();
    clsort_sorter *other = NULL;
    clsort_status first, second = CL_SUCCESS;
    CHECK_OK(clsort_clone(t->sorter, &other));
    resume_faults(&f);
    first = sort_with(t, t->sorter);
    if (first == CL_SUCCESS || !counted.fail_after) second = sort_with(t, other);
    disarm();
    CHECK(first == CL_SUCCESS || counted.fail_after || second == CL_SUCCESS);
    clsort_destroy(other);
    return first != CL_SUCCESS ? first : second;
}

/* Three sorts wait in the queue, then are judged; a fault defers that of some. Wrong ones are told
 * in any case. */
static clsort_status collect(stage *t, int wait, int wrong)
{
    const fault f = pause_faults();
    clsort_status status, later;
    said heard;
    int i;
    CHECK_OK(clsort_collect(t->sorter, 1));
    mock.hold = 1;
    for (i = 0; i < 3; i++) CHECK_OK(act_sort(t));
    mock.hold = wait;
    if (!wait) mock_run();
    t->proofs = 0;
    t->wrong = wrong;
    resume_faults(&f);
    status = clsort_collect(t->sorter, wait);
    disarm();
    heard = t->said;
    later = clsort_collect(t->sorter, 1);
    CHECK(t->proofs == 3);
    CHECK(status == CL_SUCCESS ? later == CL_SUCCESS && !wrong : 1);
    CHECK(!wrong || status == CLSORT_ERROR_WRONG_RESULT || later == CLSORT_ERROR_WRONG_RESULT);
    CHECK(wrong || later == CL_SUCCESS);
    CHECK_OK(clsort_collect(t->sorter, 1));
    mock.hold = t->wrong = 0;
    t->said = heard;
    return wrong && status == CLSORT_ERROR_WRONG_RESULT ? CL_SUCCESS : status;
}

static clsort_status act_collect(stage *t) { return collect(t, 0, 0); }
static clsort_status act_collect_all(stage *t) { return collect(t, 1, 0); }
static clsort_status act_collect_wrong(stage *t) { return collect(t, 1, 2); }

static int collects(const subject *c)
{
    return c->act == act_collect || c->act == act_collect_all || c->act == act_collect_wrong;
}

static clsort_status act_self_test(stage *t) { return clsort_self_test(t->sorter); }

/* ---- stages ---------------------------------------------------------------------------------- */

/* quicksort-host asks twice for another round; a proof is wrong where a test wants that. */
static void change_reads(void *user, cl_mem buffer, size_t at, size_t bytes, void *host)
{
    stage *t = (stage *)user;
    clsort_proof *proof = (clsort_proof *)host;
    cl_uint *state = (cl_uint *)host;
    (void)buffer, (void)at;
    if (bytes == CLSORT__QUICK_STATE_WORDS * sizeof *state)
        state[CLSORT__QUICK_BLOCKS] = state[CLSORT__QUICK_LEAVES] = 3;
    if (bytes == sizeof *proof && ++t->proofs >= t->wrong && t->wrong) proof->unsorted--;
}

static void describe_order(clsort_desc *d, const shape *s)
{
    static const clsort_field fields[3] = { { 0, CLSORT_U32, 0, 0, 0 },
                                            { 4, CLSORT_F32, 1, 1, 0 },
                                            { 8, CLSORT_I16, 0, 0, 0 } };
    if (s->has & HAS_ZEROS) d->zero_order = CLSORT_ZERO_EQUAL;
    if (!(s->has & (HAS_FIELDS | HAS_LONG_FIELDS | HAS_TEXTS))) return;
    d->key_type = 0;
    d->fields = s->has & HAS_TEXTS ? NULL : fields;
    d->field_count = s->has & HAS_TEXTS ? 0 : s->has & HAS_LONG_FIELDS ? 3 : 2;
    d->record_type =
        s->has & HAS_TEXTS ? "typedef struct { uint key, rest; } clsort_record;" : NULL;
    d->precedes = s->has & HAS_TEXTS ? "a.key < b.key" : NULL;
}

static clsort_desc describe(const stage *t)
{
    const shape *s = t->shape;
    clsort_desc d = clsort_desc_default();
    if (t->c->algorithm) CHECK_OK(clsort_set_algorithm(&d, t->c->algorithm));
    d.count = s->count;
    d.key_type = s->key_type;
    d.record_size = s->record_size;
    d.value_size = s->value_size;
    d.rows = s->rows;
    d.top_k = s->top;
    d.last_bit = s->last_bit;
    d.stable = (s->has & HAS_STABLE) != 0;
    d.keys = t->buffer[KEYS];
    d.values = s->value_size ? t->buffer[VALUES] : NULL;
    d.keys_out = s->has & HAS_KEYS_OUT ? t->buffer[KEYS_OUT] : NULL;
    d.values_out = s->has & HAS_VALUES_OUT ? t->buffer[VALUES_OUT] : NULL;
    d.indices = s->has & HAS_INDICES ? t->buffer[INDICES] : NULL;
    d.segments = s->has & HAS_SEGMENTS ? t->buffer[SEGMENTS] : NULL;
    d.segment_count = s->has & HAS_SEGMENTS ? 17 : 0;
    d.segment_ends = s->has & HAS_ENDS ? t->buffer[SEGMENTS] : NULL;
    d.segment_ends_offset = s->has & HAS_ENDS ? 4 : 0;
    d.count_buffer = s->has & HAS_COUNT ? t->buffer[COUNT] : NULL;
    d.flags = (s->has & HAS_UNSORTED ? CLSORT_FLAG_TOP_UNSORTED : 0)
              | (s->has & HAS_NTH ? CLSORT_FLAG_TOP_NTH : 0)
              | (s->has & HAS_PARTITION ? CLSORT_FLAG_TOP_PARTITION : 0);
    d.lengths = s->has & HAS_LENGTHS ? t->buffer[SEGMENTS] : NULL;
    if (s->has & HAS_STRIDES) {
        d.keys_out_row_stride = 4 * (s->count + 1);
        d.values_out_row_stride = s->value_size * (s->count + 2);
        d.indices_row_stride = 4 * (s->count + 3);
    }
    describe_order(&d, s);
    return d;
}

static int make_sorter(stage *t)
{
    t->sorter = NULL;
    return CHECK_OK(clsort_create(t->context, t->device, &t->options, &t->sorter));
}

static void open_stage(stage *t, const subject *c, const shape *s, mock_facts facts, int mode)
{
    cl_int error = 0;
    size_t i;
    memset(t, 0, sizeof *t);
    t->c = c;
    t->shape = s;
    t->mode = mode;
    snprintf(t->name, sizeof t->name, "%s, %s%s%s, %s, mode %d", c->name, s->name,
             c->algorithm ? ", " : "", c->algorithm ? c->algorithm : "", facts.name, mode);
    t->options.diagnostic = hear;
    t->options.user = &t->said;
    t->options.flags = mode & CHECKS_ITSELF ? CLSORT_OPTION_VERIFY : 0;
    t->options.profile = mode & PROFILES ? hear_command : NULL;
    mock_open(facts, (mode & OUT_OF_ORDER) != 0, &t->context, &t->device, &t->queue);
    mock.user = t;
    mock.on_read = change_reads;
    mock.on_stuck = open_gate;
    mock.sorts = c->act == act_self_test;
    mock.traces = 1;
    for (i = 0; i < BUFFERS; i++)
        t->buffer[i] = mock_new_buffer(t->context, i == BUFFERS - 1 ? 4096 : BUFFER_BYTES);
    t->gate = mock_clCreateUserEvent(t->context, &error);
    mock_clSetUserEventStatus(t->gate, CL_COMPLETE);
    t->d = describe(t);
    for (i = 0; i < MOCK_KINDS; i++) t->callers[i] = mock_live((int)i);
}

static void close_stage(stage *t)
{
    size_t i;
    mock_clReleaseEvent(t->gate);
    for (i = 0; i < BUFFERS; i++) mock_clReleaseMemObject(t->buffer[i]);
    mock_clReleaseCommandQueue(t->queue);
    mock_clReleaseContext(t->context);
}

/* The references to what the test made are as they were: all others are the implementation's. */
static int check_callers(const stage *t)
{
    static const int kinds[MOCK_KINDS] = { COUNTED_DEVICE, COUNTED_CONTEXT, COUNTED_QUEUE,
                                           COUNTED_BUFFER, COUNTED_PROGRAM, COUNTED_KERNEL,
                                           COUNTED_EVENT };
    int i, good = 1;
    for (i = 0; i < MOCK_KINDS; i++)
        good = CHECK(mock_live(i) - counted.live[kinds[i]] == t->callers[i]) && good;
    return good;
}

/* Lets the next call do what the first one did: samples lie elsewhere each time. */
static void start_trace(stage *t)
{
    mock.trace = 0;
    if (t->sorter) t->sorter->seed = 0;
}

/* The call without a fault. It does the same each time. */
static int run_unharmed(stage *t, int first)
{
    int good;
    disarm();
    start_trace(t);
    good = CHECK_OK(t->c->act(t)) && CHECK(mock_clFinish(t->queue) == CL_SUCCESS);
    if (first) t->trace = mock.trace;
    return good && CHECK(mock.trace == t->trace || t->sorter->facts.given_up);
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* Does a fault hit a call that does no harm when it fails? */
static int is_safe(const stage *t, const fault *f)
{
    return f->call > t->safe_from && f->call <= t->safe_to;
}

/* Is it a mark on a queue that another one looks for scratch memory of? Without it the other one
   makes its own. */
static int marks_queues(const stage *t, const char *function)
{
    return t->c->act == act_destroy_pending
           && (!strcmp(function, "clEnqueueMarkerWithWaitList") || !strcmp(function, "clFlush"));
}

/* A call without the block or the pin: it makes the block or one of the pins, or uses a pin. */
static int remedies_pins(const stage *t, const char *function)
{
    return !strcmp(function, "malloc") || !strcmp(function, "clCreateBuffer")
           || (t->c->act == act_host_pinned
               && (!strcmp(function, "clEnqueueWriteBuffer")
                   || !strcmp(function, "clEnqueueReadBuffer")));
}

/* Calls whose failure has a remedy. Success is right then, if the call did what it does without the
 * fault. */
static int may_be_survived(const stage *t, const fault *f, const char *function)
{
    if (!strcmp(function, "clGetProgramBuildInfo") || !strcmp(function, "clGetDeviceIDs")) return 1;
    if (is_safe(t, f) || marks_queues(t, function)) return 1;
    if (pins(t) && remedies_pins(t, function)) return 1;
    if (t->sorter->facts.given_up && !strcmp(function, "clBuildProgram")) return 1;   /* sweeps */
    if (!(t->mode & CHECKS_ITSELF)) return 0;
    return !strcmp(function, "clGetEventInfo") || !strcmp(function, "clEnqueueReadBuffer")
           || !strcmp(function, "clCreateCommandQueue") || !strcmp(function, "clWaitForEvents");
}

static void judge_fault(stage *t, const fault *f, clsort_status status, int launched)
{
    const int told = t->c->act == act_sort && t->mode & PROFILES && !(t->mode & CHECKS_ITSELF);
    const int goes_on =
        t->c->act == act_self_test || t->c->act == act_destroy_pending || collects(t->c);
    const int remedied = t->sorter->facts.given_up || is_safe(t, f)
                         || marks_queues(t, counted.failed_function)
                         || (pins(t) && remedies_pins(t, counted.failed_function));
    const int also = f->after ? (goes_on ? LATER_ONES : 0) | (remedied ? REMEDIES : 0) : 0;
    say(t->name, f, counted.failed_function);
    if (told) CHECK(t->said.commands == launched);
    if (t->c->act == act_host_pinned && pins(t) && !f->after && !(t->shape->has & HAS_INDICES)
        && (!strcmp(counted.failed_function, "clEnqueueWriteBuffer")
            || !strcmp(counted.failed_function, "clEnqueueReadBuffer")))
        CHECK(status == CL_SUCCESS);   /* it is moved once more */
    if (status != CL_SUCCESS)
        check_report(&t->said, t->c->alone ? NULL : t->sorter, status, also);
    else if (CHECK(may_be_survived(t, f, counted.failed_function)))
        CHECK(mock.trace == t->trace || t->sorter->facts.given_up || pins(t));   /* other offsets */
    CHECK(!mock.faults);
    check_callers(t);
}

/* Runs the call with one fault; returns the failed function's name, NULL when there are fewer
 * calls. */
static const char *inject(stage *t, const fault *f, const int *idle, int *warm)
{
    const int faults = test_now.faults;
    clsort_status status;
    int launched;
    say(t->name, f, "?");
    start_trace(t);
    t->safe_from = t->safe_to = 0;
    arm(&t->said, f);
    status = t->c->act(t);
    launched = counted.launches;
    disarm();
    mock.hold = 0;
    CHECK(mock_clFinish(t->queue) == CL_SUCCESS);
    if (!counted.failed) return NULL;
    judge_fault(t, f, status, launched);
    if (!t->sorter->facts.given_up || t->c->act != act_self_test) run_unharmed(t, 0);
    if (t->mode & FRESH) {
        clsort_destroy(t->sorter);
        check_live(idle);
        make_sorter(t);
    } else {
        check_live(warm);
        memcpy(warm, counted.live, sizeof counted.live);
    }
    figures.injected++;
    figures.passed += test_now.faults == faults;
    return counted.failed_function;
}

/* Call number `call` fails in every way; 0 if there are fewer calls. */
static int fail_call(stage *t, int call, const int *idle, int *warm)
{
    fault f = { 0, 0, CL_OUT_OF_RESOURCES };
    const char *function;
    f.call = call;
    function = inject(t, &f, idle, warm);
    if (!function) return 0;
    f.after = 1;
    CHECK(inject(t, &f, idle, warm) != NULL);
    if (!strcmp(function, "malloc")) return 1;
    f.code = other_code(function);
    CHECK(inject(t, &f, idle, warm) != NULL);
    f.after = 0;
    CHECK(inject(t, &f, idle, warm) != NULL);
    return 1;
}

/* All faults of one run, or of a call that takes long some, drawn from its name. */
static void fail_calls(stage *t, const int *idle)
{
    int call = 1, warm[COUNTED_KINDS];
    uint64_t random = strlen(t->name);
    memcpy(warm, counted.live, sizeof warm);
    while (fail_call(t, call, idle, warm))
        call += t->c->every ? 1 + (int)(pattern_random(&random) % (2 * (unsigned)t->c->every)) : 1;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static const shape shapes[] = {
    { "keys", 3000, CLSORT_U32, 0, 0, 0, 0, 0, 0 },
    { "many keys", 300000, CLSORT_U16, 0, 0, 0, 0, 0, 0 },
    { "pairs", 3000, CLSORT_F32, 4, 0, 0, 0, 0, 0 },
    { "stable pairs", 3000, CLSORT_I64, 8, 0, 0, 0, HAS_STABLE | HAS_SCRATCH, 0 },
    { "16-byte values", 3000, CLSORT_U8, 16, 0, 0, 0, HAS_VALUES_OUT, 0 },
    { "out of place", 3000, CLSORT_F64, 4, 0, 0, 0, HAS_KEYS_OUT | HAS_VALUES_OUT, 0 },
    { "keys alone out of place", 3000, CLSORT_U32, 4, 0, 0, 0, HAS_KEYS_OUT, 0 },
    { "argsort", 3000, CLSORT_F16, 0, 0, 0, 0, HAS_INDICES, 0 },
    { "argsort with all outputs", 3000, CLSORT_U32, 5, 0, 0, 0,
      HAS_INDICES | HAS_KEYS_OUT | HAS_VALUES_OUT | HAS_SCRATCH, 0 },
    { "equal zeros", 3000, CLSORT_F32, 0, 0, 0, 0, HAS_ZEROS, 0 },
    { "records", 3000, CLSORT_U32, 0, 12, 0, 0, 0, 0 },
    { "records by fields", 3000, CLSORT_U32, 0, 20, 0, 0, HAS_FIELDS, 0 },
    { "records by long fields", 3000, CLSORT_U32, 0, 20, 0, 0, HAS_LONG_FIELDS | HAS_INDICES, 0 },
    { "records by an expression", 3000, CLSORT_U32, 0, 8, 0, 0, HAS_TEXTS, 0 },
    { "an argsort by an expression", 3000, CLSORT_U32, 0, 8, 0, 0,
      HAS_TEXTS | HAS_INDICES | HAS_SCRATCH, 0 },
    { "some bits", 3000, CLSORT_U32, 4, 0, 0, 0, 0, 20 },
    { "rows", 700, CLSORT_U32, 4, 0, 5, 0, 0, 0 },
    { "many rows", 9, CLSORT_U16, 0, 0, 300, 0, HAS_SCRATCH, 0 },
    { "rows out of place", 300, CLSORT_U32, 4, 0, 5, 0, HAS_KEYS_OUT, 0 },
    { "segments", 3000, CLSORT_U32, 8, 0, 0, 0, HAS_SEGMENTS, 0 },
    { "a count", 3000, CLSORT_F32, 0, 0, 0, 0, HAS_COUNT | HAS_INDICES, 12 },
    { "segments with gaps", 3000, CLSORT_U32, 8, 0, 0, 0, HAS_SEGMENTS | HAS_ENDS, 0 },
    { "segments and a count", 70000, CLSORT_U32, 0, 0, 0, 0, HAS_SEGMENTS | HAS_COUNT, 0 },
    { "no keys", 0, CLSORT_U32, 0, 0, 0, 0, 0, 0 },
    { "one key", 1, CLSORT_U32, 0, 0, 0, 0, 0, 0 },
    { "top-k", 3000, CLSORT_F32, 0, 0, 3, 40, HAS_KEYS_OUT, 0 },
    { "top-k with values", 30000, CLSORT_U32, 12, 0, 2, 40, HAS_KEYS_OUT | HAS_VALUES_OUT, 0 },
    { "top-k that is sorted", 9000, CLSORT_U32, 0, 0, 2, 8000, HAS_INDICES | HAS_SCRATCH, 0 },
    { "top-k of some bits", 9000, CLSORT_U32, 4, 0, 2, 8000, HAS_VALUES_OUT, 20 },
    { "rows at strides", 900, CLSORT_U32, 4, 0, 3, 0,
      HAS_KEYS_OUT | HAS_VALUES_OUT | HAS_INDICES | HAS_STRIDES, 0 },
    { "top-k at strides", 9000, CLSORT_U32, 4, 0, 3, 8000,
      HAS_KEYS_OUT | HAS_VALUES_OUT | HAS_INDICES | HAS_STRIDES | HAS_LENGTHS, 0 },
    { "top-k of records", 3000, CLSORT_F32, 0, 16, 3, 40, HAS_KEYS_OUT | HAS_LENGTHS, 0 },
    { "top-k of segments", 9000, CLSORT_F32, 4, 0, 0, 40,
      HAS_KEYS_OUT | HAS_VALUES_OUT | HAS_SEGMENTS | HAS_COUNT, 0 },
    { "a partition in place", 9000, CLSORT_U32, 4, 0, 2, 40, HAS_PARTITION, 0 },
    { "a partition of records", 9000, CLSORT_U32, 0, 12, 2, 40, HAS_PARTITION | HAS_KEYS_OUT, 0 },
    { "top-k unsorted", 9000, CLSORT_U64, 0, 0, 2, 8000, HAS_KEYS_OUT | HAS_UNSORTED, 0 },
    { "the k-th", 90000, CLSORT_U32, 0, 0, 1, 50, HAS_KEYS_OUT | HAS_NTH, 0 }
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

enum { ALL_MODES = MODES - 1, QUEUE_MODES = FRESH | OUT_OF_ORDER | WAITS | WITH_EVENT };

static const subject calls[] = {
    { "create", act_create, CHECKS_ITSELF, NULL, 1, 0 },
    { "create with a context of its own", act_create_own, CHECKS_ITSELF, NULL, 1, 0 },
    { "prepare", act_prepare, FRESH | OUT_OF_ORDER | CHECKS_ITSELF, NULL, 0, 0 },
    { "check, resolve, scratch_size, explain", act_ask, FRESH, NULL, 0, 0 },
    { "sort_host", act_host, FRESH | PROFILES, NULL, 0, 0 },
    { "sort_host, pinned", act_host_pinned, FRESH | PROFILES, NULL, 0, 0 },
    { "is_sorted", act_is_sorted, QUEUE_MODES, NULL, 0, 0 },
    { "fingerprint, sort, verify, judge", act_prove, QUEUE_MODES, NULL, 0, 0 },
    { "gather", act_gather, QUEUE_MODES, NULL, 0, 0 },
    { "group_starts", act_groups, QUEUE_MODES, NULL, 0, 0 },
    { "merge", act_merge, QUEUE_MODES, NULL, 0, 0 },
    { "merge_runs", act_runs, QUEUE_MODES, NULL, 0, 0 },
    { "partition", act_partition, QUEUE_MODES, NULL, 0, 0 },
    { "clone", act_clone, OUT_OF_ORDER, NULL, 0, 0 },
    { "destroy while sorts are pending", act_destroy_pending, OUT_OF_ORDER, NULL, 1, 0 },
    { "trim while a sort is pending", act_trim, OUT_OF_ORDER, NULL, 0, 0 },
    { "two sorters", act_two_sorters, OUT_OF_ORDER | WAITS, NULL, 1, 0 },
    { "collect", act_collect, OUT_OF_ORDER | WAITS, NULL, 0, 0 },
    { "collect and wait", act_collect_all, OUT_OF_ORDER | WAITS, NULL, 0, 0 },
    { "collect a wrong sort", act_collect_wrong, OUT_OF_ORDER | WAITS, NULL, 1, 0 },
    { "self_test", act_self_test, FRESH, "auto", 0, 200000 }
};
enum { CALLS = sizeof calls / sizeof *calls };

/* Modes that a call always has. */
static int needed_modes(const subject *c)
{
    if (c->act == act_self_test) return FRESH;
    return c->act == act_collect || c->act == act_collect_all || c->act == act_collect_wrong
               ? CHECKS_ITSELF
               : 0;
}

/* Does a call take such a description at all? */
static int takes(const subject *c, const shape *s)
{
    if (c->act == act_create || c->act == act_create_own || c->act == act_self_test)
        return s == shapes;
    if (c->act == act_groups) return s == shapes || !s->count || (s->rows && !s->has && !s->top);
    if (c->act == act_gather) return s == shapes || !s->count || (s->rows && !s->has && !s->top);
    if (c->act == act_merge || c->act == act_runs || c->act == act_partition)
        return s->value_size <= 8 && s->key_type && !s->has && !s->record_size && !s->rows
               && !s->last_bit;
    if (c->act == act_host || c->act == act_host_pinned)
        return s->count <= 3000
               && !(s->has & ~(HAS_INDICES | HAS_STABLE | HAS_ZEROS | HAS_FIELDS | HAS_TEXTS))
               && s->record_size <= 8 && s->value_size <= 8 && !s->top
               && s->rows * s->count <= 4000;
    if (c->act == act_prove || needed_modes(c)) return !s->top && s->count > 1;
    return c->act != act_is_sorted || !s->top;
}

static int make_run(const subject *c, const shape *s, mock_facts facts, int mode)
{
    static stage t;
    int idle[COUNTED_KINDS], live[MOCK_KINDS], made = 0;
    const char *only = getenv("CLSORT_TEST_SCENARIO");
    memcpy(live, mock.live, sizeof live);
    open_stage(&t, c, s, facts, mode | needed_modes(c));
    memcpy(idle, counted.live, sizeof idle);
    AT("%s: no fault", t.name);
    if ((!only || strstr(t.name, only)) && make_sorter(&t)
        && clsort_check(t.sorter, &t.d) == CL_SUCCESS) {
        if (s->has & HAS_SCRATCH) {
            CHECK_OK(clsort_scratch_size(t.sorter, &t.d, &t.d.scratch_size));
            t.d.scratch = t.d.scratch_size ? t.buffer[SCRATCH] : NULL;
        }
        made = run_unharmed(&t, 1) && run_unharmed(&t, 0);
        if (mode & FRESH) {
            clsort_destroy(t.sorter);
            make_sorter(&t);
        }
        if (made) fail_calls(&t, idle);
    }
    clsort_destroy(t.sorter);
    check_live(idle);
    close_stage(&t);
    CHECK(!memcmp(live, mock.live, sizeof live) && !mock.faults);
    return made;
}

static void hung(int number)
{
    (void)number;
    printf("FAILED: no return within two minutes, with %s\n", test_now.at);
    fflush(stdout);
    _exit(1);
}

/* Every call on every device with every description, in modes that are drawn. */
static void run_calls(const bench *b, const subject *list, size_t count, int draws)
{
    const uint64_t one_in = getenv("CLSORT_TEST_WHOLE") ? 1 : b->small ? 100 : 36;
    uint64_t random = test_seed();
    size_t i, v, s;
    int draw, runs = 0;
    signal(SIGALRM, hung);
    for (i = 0; i < count; i++)
        for (v = 0; v < MOCK_PRESETS; v++)
            for (s = 0; s < SHAPES; s++)
                for (draw = 0; draw < draws; draw++) {
                    const int mode = (int)(pattern_random(&random) % MODES) & list[i].modes;
                    const int left_out = pattern_random(&random) % one_in != 0;
                    if (left_out || !takes(&list[i], &shapes[s])) continue;
                    if (list[i].every && draw) continue;
                    alarm(120);
                    runs += make_run(&list[i], &shapes[s], mock_presets[v].facts(), mode);
                    alarm(0);
                }
    printf("%d runs; ", runs);
    print_figures();
}

static void fail_functions(bench *b) { run_calls(b, calls, CALLS, 2); }

static void fail_algorithms(bench *b)
{
    subject list[64];
    size_t i;
    for (i = 0; i < 64 && clsort_algorithm_name((cl_uint)i); i++) {
        const subject c = { "sort", act_sort, ALL_MODES, NULL, 0, 0 };
        list[i] = c;
        list[i].algorithm = clsort_algorithm_name((cl_uint)i);
    }
    run_calls(b, list, i, 1);
}

static const test_entry tests[] = {
    { "a fault in any call of any function is reported and leaves no harm", fail_functions },
    { "a fault in any call of any algorithm is reported and leaves no harm", fail_algorithms }
};

TEST_MAIN_ALONE(tests, "a mock")
