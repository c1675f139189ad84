/* What no real device does on demand: compilers that reject a family, limits that are too low, logs
   of any size, commands that fail, proofs that are wrong. On the driver of mock.h. */

#include "mock.h"

#define CLSORT_IMPLEMENTATION
#include "harness.h"

/* ---- world: a context, a queue and buffers on a faked device --------------------------------- */

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
    clsort_options options = clsort_options_default();
    size_t i;
    memset(w, 0, sizeof *w);
    memcpy(w->live, mock.live, sizeof w->live);
    options.flags = flags;
    mock_open(facts, 0, &w->context, &w->device, &w->queue);
    for (i = 0; i < BUFFERS; i++) w->buffer[i] = mock_new_buffer(w->context, bytes);
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

/* ---- a compiler that rejects sweeps ---------------------------------------------------------- */


/* What was launched. */
typedef struct launches { int sweeps, others; } launches;

static void hear_launch(void *user, const mock_launch *heard)
{
    launches *l = (launches *)user;
    if (!strcmp(heard->kernel, "clsort_radix_sweep")) l->sweeps++;
    else l->others++;
}

static mock_facts without_sweeps(void)
{
    mock_facts f = mock_nvidia();
    f.rejects = (cl_ulong)1 << CLSORT__SWEEP;
    return f;
}

/* Descriptions that radix sorts by sweeps, where it can. */
static clsort_desc swept_desc(const world *w, int shape)
{
    clsort_desc d = make_desc(w, 5000, CLSORT_U32);
    CHECK_OK(clsort_set_algorithm(&d, shape == 1 || shape > 5 ? "auto" : "radix-sweeps"));
    d.last_bit = shape == 1 ? 20 : 0;
    d.stable = shape == 1;   /* else other forms sort by most bits */
    if (shape == 2) d.indices = w->buffer[INDICES];
    if (shape == 3) d.values = w->buffer[VALUES], d.value_size = 12;
    if (shape == 4) d.keys_out = w->buffer[KEYS_OUT];
    if (shape == 5) d.key_type = CLSORT_F64, d.zero_order = CLSORT_ZERO_EQUAL;
    if (shape < 6) return d;
    d.first_bit = 4;
    d.top_k = 4900;
    d.keys_out = w->buffer[KEYS_OUT];
    return d;
}
enum { SWEPT_SHAPES = 7 };

/* Enqueues what was prepared without its buffers; 0 if it was not ready. */
static void prepare_and_sort(world *w, const clsort_desc *d)
{
    clsort_desc bare = *d, sorted = *d;
    bare.keys = bare.values = NULL;
    if (d->keys_out) bare.keys_out = CLSORT_LATER;
    if (d->indices) bare.indices = CLSORT_LATER;
    sorted.flags = CLSORT_FLAG_NO_BUILD;
    CHECK_OK(clsort_prepare(w->sorter, NULL, &bare));
    CHECK_OK(clsort_enqueue_sort(w->sorter, w->queue, &sorted, 0, NULL, NULL));
}

/* The caller's scratch is as large as clsort_scratch_size said, before it was known that sweeps do
 * not build. */
static void sort_in_own_scratch(world *w, const clsort_desc *desc)
{
    clsort_desc d = *desc;
    size_t now = 0;
    CHECK_OK(clsort_scratch_size(w->sorter, &d, &d.scratch_size));
    d.scratch = mock_new_buffer(w->context, d.scratch_size);
    CHECK_OK(clsort_enqueue_sort(w->sorter, w->queue, &d, 0, NULL, NULL));
    CHECK_OK(clsort_scratch_size(w->sorter, desc, &now));
    CHECK(now <= d.scratch_size);
    mock_clReleaseMemObject(d.scratch);
}

static void fall_back_from_sweeps(bench *b)
{
    int shape, way;
    (void)b;
    for (shape = 0; shape < SWEPT_SHAPES; shape++)
        for (way = 0; way < 4; way++) {
            world w;
            launches l = { 0, 0 };
            clsort_desc d;
            open_world(&w, way == 3 ? mock_nvidia() : without_sweeps(), 1 << 20, 0);
            mock.user = &l;
            mock.on_launch = hear_launch;
            d = swept_desc(&w, shape);
            AT("shape %d, way %d", shape, way);
            if (way == 0) prepare_and_sort(&w, &d);
            else if (way == 1) sort_in_own_scratch(&w, &d);
            else CHECK_OK(clsort_enqueue_sort(w.sorter, w.queue, &d, 0, NULL, NULL));
            CHECK(way == 3 ? l.sweeps > 0 : !l.sweeps && l.others > 0);
            CHECK_OK(clsort_enqueue_sort(w.sorter, w.queue, &d, 0, NULL, NULL));
            close_world(&w);
        }
}

static void hear_selection(void *user, const mock_launch *heard)
{
    launches *l = (launches *)user;
    const char *kernel = heard->kernel;
    if (!strcmp(kernel, "clsort_select_short") || !strcmp(kernel, "clsort_select_tile")
        || !strcmp(kernel, "clsort_select_long"))
        l->sweeps++;
    else l->others++;
}

/* Kernels that hold a row, sort rows in tiles, or read long rows in one launch. */
static void fall_back_in_selections(bench *b)
{
    static const struct {
        size_t count, k;
    } rows[] = { { 1000, 10 }, { 1000, 900 }, { 200000, 10 } };
    int i;
    (void)b;
    for (i = 0; i < 12; i++) {
        mock_facts f = mock_nvidia();
        world w;
        launches l = { 0, 0 };
        clsort_desc d;
        if (i < 9)
            f.rejects = (cl_ulong)1 << CLSORT__SHORT_ROWS | (cl_ulong)1 << CLSORT__ROW_TILES
                        | (cl_ulong)1 << CLSORT__LONG_ROWS;
        open_world(&w, f, 1 << 20, 0);
        mock.user = &l;
        mock.on_launch = hear_selection;
        d = make_desc(&w, rows[i % 3].count, CLSORT_F32);
        d.top_k = rows[i % 3].k;
        d.keys_out = w.buffer[KEYS_OUT];
        AT("%zu of %zu, way %d", d.top_k, d.count, i / 3);
        if (i < 3) prepare_and_sort(&w, &d);
        else if (i == 5) sort_in_own_scratch(&w, &d);   /* short rows need none */
        else CHECK_OK(clsort_enqueue_sort(w.sorter, w.queue, &d, 0, NULL, NULL));
        CHECK(i < 9 ? !l.sweeps && l.others > 0 : l.sweeps == 1);
        close_world(&w);
    }
}

/* ---- verdicts -------------------------------------------------------------------------------- */

/* What the diagnostics callback heard; which proofs are read as wrong ones. */
typedef struct story {
    int told[3];                            /* wrong results, failed sorts, others */
    int proofs, wrong_first,
        wrong_last; /* proofs read so far; those from first to last are wrong */
} story;

static void hear_verdict(void *user, clsort_status status, const char *function,
                         const char *message)
{
    story *t = (story *)user;
    t->told[status == CLSORT_ERROR_WRONG_RESULT ? 0 : strstr(message, "a sort failed") ? 1 : 2]++;
    CHECK(strstr(message, function) != NULL);
}

static void spoil_proof(void *user, cl_mem buffer, size_t at, size_t bytes, void *host)
{
    story *t = (story *)user;
    clsort_proof *proof = (clsort_proof *)host;
    (void)buffer, (void)at;
    if (bytes != sizeof *proof || ++t->proofs < t->wrong_first || t->proofs > t->wrong_last) return;
    if (t->proofs % 2) proof->unsorted--;
    else proof->after[t->proofs / 2 % 4] ^= 1;
}

/* A sorter that checks itself, on a device where proofs can be made wrong. */
static void open_verified(world *w, story *t)
{
    clsort_options options = clsort_options_default();
    open_world(w, mock_gpu(), 1 << 16, 0);
    clsort_destroy(w->sorter);
    memset(t, 0, sizeof *t);
    options.flags = CLSORT_OPTION_VERIFY;
    options.diagnostic = hear_verdict;
    options.user = t;
    CHECK_OK(clsort_create(w->context, w->device, &options, &w->sorter));
    mock.user = t;
    mock.on_read = spoil_proof;
}

static void sort_some(world *w, int times)
{
    const clsort_desc d = make_desc(w, 1000, CLSORT_U32);
    while (times-- > 0) CHECK_OK(clsort_enqueue_sort(w->sorter, w->queue, &d, 0, NULL, NULL));
}

/* Some of five sorts are wrong. Whether an enqueue call or clsort_collect finds out, and when, one
 * collect call says so once. */
static void keep_wrong_verdicts(bench *b)
{
    int first, held, wait;
    (void)b;
    for (first = 1; first <= 5; first++)
        for (held = 0; held < 2; held++)
            for (wait = 0; wait < 2; wait++) {
                world w;
                story t;
                open_verified(&w, &t);
                AT("proof %d is wrong%s%s", first, held ? ", commands are held" : "",
                   wait ? ", collect waits" : "");
                t.wrong_first = first;
                t.wrong_last = first == 2 ? 3 : first;
                mock.hold = held;
                sort_some(&w, 5);
                if (held) CHECK(t.proofs == 0);
                if (held && !wait) CHECK_OK(clsort_collect(w.sorter, 0));
                if (held && !wait) mock_run();
                CHECK_STATUS(clsort_collect(w.sorter, wait), CLSORT_ERROR_WRONG_RESULT);
                CHECK(t.proofs == 5 && t.told[0] == t.wrong_last - first + 1 && !t.told[1]
                      && !t.told[2]);
                CHECK(strstr(clsort_last_error(w.sorter), "clsort_enqueue_sort") != NULL);
                CHECK_OK(clsort_collect(w.sorter, 1));
                sort_some(&w, 1);
                CHECK_OK(clsort_collect(w.sorter, 1));
                close_world(&w);
            }
}

/* A sort whose last command fails on the device is reported with that code; a wrong one beside it
 * goes before. */
static void report_failed_sorts(bench *b)
{
    int wrong, held, commands;
    (void)b;
    for (wrong = 0; wrong < 2; wrong++)
        for (held = 0; held < 2; held++) {
            world w;
            story t;
            open_verified(&w, &t);
            AT("%s%s", wrong ? "another sort is wrong" : "no sort is wrong",
               held ? ", commands are held" : "");
            sort_some(&w, 1);
            commands = mock.commands - 1;   /* but for the read of the proof */
            CHECK_OK(clsort_collect(w.sorter, 1));
            mock.hold = held;
            mock.fail_command = mock.commands + commands;
            mock.command_code = CL_OUT_OF_RESOURCES;
            t.wrong_first = t.wrong_last = wrong ? 2 : 0;
            sort_some(&w, 2);
            CHECK_STATUS(clsort_collect(w.sorter, 1),
                         wrong ? CLSORT_ERROR_WRONG_RESULT : CL_OUT_OF_RESOURCES);
            CHECK(t.told[0] == wrong && t.told[1] == 1 && !t.told[2]);
            CHECK_OK(clsort_collect(w.sorter, 1));
            close_world(&w);
        }
}

/* A running sort has no proof yet, whatever its event answers. */
static void leave_running_sorts(bench *b)
{
    world w;
    story t;
    clsort_desc d;
    cl_int error = 0;
    cl_event gate;
    (void)b;
    open_verified(&w, &t);
    gate = mock_clCreateUserEvent(w.context, &error);
    d = make_desc(&w, 1000, CLSORT_U32);
    CHECK_OK(clsort_enqueue_sort(w.sorter, w.queue, &d, 1, &gate, NULL));
    CHECK_OK(clsort_collect(w.sorter, 0));
    counted.calls = 0;
    counted.fail_at = 1;
    counted.code = CL_OUT_OF_HOST_MEMORY;
    CHECK_STATUS(clsort_collect(w.sorter, 0), CL_OUT_OF_HOST_MEMORY);
    CHECK(counted.failed == 1 && t.proofs == 0);
    counted.fail_at = 0;
    mock_clSetUserEventStatus(gate, CL_COMPLETE);
    CHECK_OK(clsort_collect(w.sorter, 0));
    CHECK(t.proofs == 1 && t.told[0] == 0);
    mock_clReleaseEvent(gate);
    close_world(&w);
}

/* A read of a proof that fails inside the next enqueue call loses nothing. */
static void keep_unread_proofs(bench *b)
{
    int fail, done = 0;
    (void)b;
    for (fail = 1; !done; fail++) {
        world w;
        story t;
        clsort_status status;
        clsort_desc d;
        open_verified(&w, &t);
        d = make_desc(&w, 1000, CLSORT_U32);
        AT("call %d of the second sort fails", fail);
        mock.hold = 1;
        t.wrong_first = t.wrong_last = 1;
        sort_some(&w, 1);
        mock_run();
        counted.calls = counted.failed = 0;
        counted.fail_at = fail;
        counted.code = CL_OUT_OF_HOST_MEMORY;
        status = clsort_enqueue_sort(w.sorter, w.queue, &d, 0, NULL, NULL);
        counted.fail_at = 0;
        done = !counted.failed;
        CHECK(status == CL_SUCCESS || !done);
        CHECK_STATUS(clsort_collect(w.sorter, 1), CLSORT_ERROR_WRONG_RESULT);
        CHECK_OK(clsort_collect(w.sorter, 1));
        CHECK(t.proofs == 1 + (status == CL_SUCCESS));
        close_world(&w);
    }
    CHECK(fail > 40);
}

/* ---- facts that no device should tell -------------------------------------------------------- */

/* Every algorithm, argsort, rows, top-k, a gather and a check of order on a device; what
 * clsort_check refuses, enqueue refuses, too. */
static int try_everything(world *w, int top)
{
    const char *name;
    int sorted = 0;
    cl_uint i, shape;
    for (i = 0; (name = clsort_algorithm_name(i)) != NULL; i++)
        for (shape = 0; shape < 12; shape++) {
            clsort_desc d =
                make_desc(w, shape % 3 == 2 ? 30000 : 700, shape % 2 ? CLSORT_U64 : CLSORT_U16);
            clsort_status checked;
            CHECK_OK(clsort_set_algorithm(&d, name));
            if (shape / 3 == 1) d.values = w->buffer[VALUES], d.value_size = 8;
            if (shape / 3 == 2) d.indices = w->buffer[INDICES];
            if (shape / 3 == 3) d.rows = 3;
            if (shape / 3 == 3 && i == 0 && top) d.top_k = 600, d.keys_out = w->buffer[KEYS_OUT];
            AT("%s, shape %u", name, (unsigned)shape);
            checked = clsort_check(w->sorter, &d);
            CHECK_STATUS(clsort_enqueue_sort(w->sorter, w->queue, &d, 0, NULL, NULL), checked);
            CHECK(checked == CL_SUCCESS || checked == CLSORT_ERROR_UNSUPPORTED
                  || checked == CLSORT_ERROR_DEVICE_LIMITS);
            sorted += checked == CL_SUCCESS;
            if (shape == 0)
                CHECK_OK(clsort_enqueue_is_sorted(w->sorter, w->queue, &d, w->buffer[INDICES], 0, 0,
                                                  NULL, NULL));
        }
    return sorted;
}

/* On each kind of device, also on one that says that it has no compute units. */
static void sort_everything(bench *b)
{
    size_t v;
    (void)b;
    for (v = 0; v < 2 * MOCK_PRESETS; v++) {
        world w;
        mock_facts f = mock_presets[v / 2].facts();
        if (v % 2) f.compute_units = 0;
        open_world(&w, f, 1 << 20, 0);
        CHECK(try_everything(&w, 1) > 100);
        close_world(&w);
    }
}

static void fit_little_memory(bench *b)
{
    static const cl_ulong sizes[] = { 0,    1,    8,    15,   16,   20,    31,    64,
                                      95,   100,  127,  200,  500,  783,   784,   785,
                                      1000, 1024, 2000, 4000, 8192, 16384, 32768, 65536 };
    size_t v, i;
    (void)b;
    for (v = 0; v < MOCK_PRESETS; v++)
        for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            world w;
            mock_facts f = mock_presets[v].facts();
            int sorted;
            f.local_bytes = sizes[i];
            open_world(&w, f, 1 << 20, 0);
            sorted = try_everything(&w, 1);
            AT("%s with %u bytes of local memory", f.name, (unsigned)f.local_bytes);
            CHECK(sizes[i] < 100 || sorted > 60);
            close_world(&w);
        }
}

/* Kernels may be limited more than the device is, and may need some local memory of their own. */
static void fit_small_groups(bench *b)
{
    size_t v, group;
    int taken;
    (void)b;
    for (v = 0; v < MOCK_PRESETS; v++)
        for (group = 0; group <= 512; group = group ? 2 * group : 1)
            for (taken = 0; taken < 2; taken++) {
                world w;
                mock_facts f = mock_presets[v].facts();
                f.kernel_group = group ? group : 1;
                if (!group) f.max_group = 0;
                if (taken) f.kernel_local = f.local_bytes - 4096;
                open_world(&w, f, 1 << 20, 0);
                CHECK(try_everything(&w, !taken) > 100);
                close_world(&w);
            }
}

/* ---- sizes that no driver should tell -------------------------------------------------------- */

static void bound_logs(bench *b)
{
    static const size_t sizes[] = {
        0, 1, 31, 1 << 20, (1 << 20) + 1, (size_t)1 << 33, (size_t)-2, (size_t)-1
    };
    size_t i;
    (void)b;
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        world w;
        mock_facts f = mock_gpu();
        clsort_desc d;
        f.rejects = ~(cl_ulong)0;
        f.log_bytes = sizes[i];
        open_world(&w, f, 4096, 0);
        d = make_desc(&w, 100, CLSORT_U32);
        AT("a log of %zu bytes", sizes[i]);
        CHECK_STATUS(clsort_enqueue_sort(w.sorter, w.queue, &d, 0, NULL, NULL),
                     CLSORT_ERROR_BUILD_FAILED);
        if (sizes[i] <= 1 << 20)
            CHECK(!strncmp(clsort_build_log(w.sorter), f.log, sizes[i] == 1 ? 1 : strlen(f.log)));
        else CHECK(!*clsort_build_log(w.sorter));
        mock.facts[0].log_bytes = (size_t)-1;   /* and what an earlier build said is gone */
        CHECK_STATUS(clsort_enqueue_sort(w.sorter, w.queue, &d, 0, NULL, NULL),
                     CLSORT_ERROR_BUILD_FAILED);
        CHECK(!*clsort_build_log(w.sorter));
        close_world(&w);
    }
}

static void bound_lists(bench *b)
{
    static const size_t sizes[] = { (size_t)1 << 33, (size_t)-2, (size_t)-1 };
    size_t i;
    (void)b;
    for (i = 0; i < 3; i++) {
        world w;
        clsort_sorter *s = NULL;
        open_world(&w, mock_gpu(), 4096, 0);
        mock.list_bytes = sizes[i];
        CHECK_STATUS(clsort_create(w.context, w.device, NULL, &s), CL_OUT_OF_HOST_MEMORY);
        close_world(&w);
    }
}

/* A part of a device belongs to a context that names the whole one if the driver gives it a
   queue. */
static void find_parts_of_devices(bench *b)
{
    int whole;
    (void)b;
    for (whole = 0; whole < 2; whole++) {
        cl_device_id part = (cl_device_id)(void *)&mock_devices[1];
        clsort_sorter *s = NULL;
        cl_context context;
        world w;
        open_world(&w, mock_cpu(), 4096, 0);
        context = mock_new_context(whole ? w.device : part);
        CHECK_STATUS(clsort_create(context, part, NULL, &s),
                     whole ? CLSORT_ERROR_DEVICE_UNUSABLE : CL_SUCCESS);
        clsort_destroy(s);
        mock.fault_quiet = whole;   /* the queue is refused */
        mock.parts = 1;
        CHECK_STATUS(clsort_create(context, part, NULL, &s),
                     whole ? CLSORT_ERROR_DEVICE_UNUSABLE : CL_SUCCESS);
        CHECK(!s || clsort_device(s) == part);
        clsort_destroy(s);
        CHECK(mock.faults == whole);
        mock.faults = 0;
        mock_clReleaseContext(context);
        close_world(&w);
    }
}

/* ---- host memory, messages ------------------------------------------------------------------- */

/* After clsort_prepare the first sorts on a queue allocate nothing on the host, with wait lists of
 * up to 15 events. */
static void allocate_early(bench *b)
{
    size_t v;
    (void)b;
    for (v = 0; v < 2 * MOCK_PRESETS; v++) {
        world w;
        clsort_desc d;
        cl_int error = 0;
        cl_event gates[15];
        cl_uint n;
        cl_command_queue queue;
        open_world(&w, mock_presets[v / 2].facts(), 1 << 20, 0);
        queue = mock_new_queue(w.context, w.device, v % 2);
        for (n = 0; n < 15; n++) gates[n] = mock_clCreateUserEvent(w.context, &error);
        for (n = 0; n < 15; n++) mock_clSetUserEventStatus(gates[n], CL_COMPLETE);
        d = make_desc(&w, 3000, CLSORT_U32);
        d.stable = 1;
        d.values = w.buffer[VALUES];
        d.value_size = 4;
        CHECK_OK(clsort_prepare(w.sorter, NULL, &d));
        counted.made[COUNTED_MEMORY] = 0;
        for (n = 0; n <= 15; n++)
            CHECK_OK(clsort_enqueue_sort(w.sorter, queue, &d, n, n ? gates : NULL, NULL));
        AT("device %zu: %d allocations", v, counted.made[COUNTED_MEMORY]);
        CHECK(counted.made[COUNTED_MEMORY] == 0);
        for (n = 0; n < 15; n++) mock_clReleaseEvent(gates[n]);
        clsort_trim(w.sorter);
        mock_clReleaseCommandQueue(queue);
        close_world(&w);
    }
}

/* The queue is checked, before anything is built. */
static void refuse_to_prepare_on_foreign_queues(bench *b)
{
    cl_context context;
    cl_command_queue queue;
    clsort_desc d;
    world w;
    (void)b;
    open_world(&w, mock_gpu(), 4096, 0);
    context = mock_new_context(w.device);
    queue = mock_new_queue(context, w.device, 0);
    d = make_desc(&w, 100, CLSORT_U32);
    CHECK_STATUS(clsort_prepare(w.sorter, queue, &d), CLSORT_ERROR_QUEUE_MISMATCH);
    CHECK_STATUS(clsort_prepare(w.sorter, (cl_command_queue)(void *)w.buffer[KEYS], &d),
                 CL_INVALID_COMMAND_QUEUE);
    CHECK(!mock.builds && !mock.commands);
    mock_clReleaseCommandQueue(queue);
    mock_clReleaseContext(context);
    close_world(&w);
}

/* Prepare waits for its launches alone, where the queue is out of order. */
static void prepare_beside_waiting_commands(bench *b)
{
    cl_int error = 0;
    cl_event gate;
    cl_command_queue queue;
    clsort_desc d;
    world w;
    (void)b;
    open_world(&w, mock_gpu(), 4096, 0);
    queue = mock_new_queue(w.context, w.device, 1);
    gate = mock_clCreateUserEvent(w.context, &error);
    d = make_desc(&w, 100, CLSORT_U32);
    CHECK(mock_clEnqueueMarkerWithWaitList(queue, 1, &gate, NULL) == CL_SUCCESS);
    CHECK_OK(clsort_prepare(w.sorter, queue, &d));
    mock_clSetUserEventStatus(gate, CL_COMPLETE);
    mock_clReleaseEvent(gate);
    clsort_trim(w.sorter);
    mock_clReleaseCommandQueue(queue);
    close_world(&w);
}

/* A clone that fails tells why through its original. */
static void explain_failed_clones(bench *b)
{
    int fail, done = 0;
    world w;
    clsort_desc d;
    (void)b;
    open_world(&w, mock_gpu(), 1 << 16, 0);
    d = make_desc(&w, 1000, CLSORT_U32);
    d.key_type = 0;
    d.record_size = 4;
    d.record_type = "typedef uint clsort_record;";
    d.precedes = "a < b";
    CHECK_OK(clsort_enqueue_sort(w.sorter, w.queue, &d, 0, NULL, NULL));
    for (fail = 1; !done; fail++) {
        clsort_sorter *other = w.sorter;
        clsort_status status;
        counted.calls = counted.failed = 0;
        counted.fail_at = fail;
        counted.code = CL_OUT_OF_RESOURCES;
        status = clsort_clone(w.sorter, &other);
        counted.fail_at = 0;
        AT("call %d of a clone fails, %s", fail, counted.failed ? counted.failed_function : "none");
        done = !counted.failed;
        CHECK((status == CL_SUCCESS) == done && (other != NULL) == done);
        if (!done)
            CHECK(strstr(clsort_last_error(w.sorter), counted.failed_function)
                  == clsort_last_error(w.sorter));
        clsort_destroy(other);
    }
    CHECK(fail > 20);
    close_world(&w);
}

/* ---- wait lists ------------------------------------------------------------------------------ */

/* On an out-of-order queue each command waits for the caller's events and for the one before. */
static void wait_for_many_events(bench *b)
{
    enum { MOST = 40 };
    cl_uint n, i;
    (void)b;
    for (n = 1; n <= MOST; n++) {
        world w;
        cl_event events[MOST], done = NULL;
        cl_command_queue queue;
        cl_int error = 0;
        clsort_desc d;
        open_world(&w, mock_gpu(), 1 << 16, 0);
        AT("%u events", (unsigned)n);
        queue = mock_new_queue(w.context, w.device, 1);
        for (i = 0; i < n; i++) events[i] = mock_clCreateUserEvent(w.context, &error);
        d = make_desc(&w, 10000, CLSORT_U32);
        d.algorithm = CLSORT_MERGE;
        counted.waits = n;
        CHECK_OK(clsort_enqueue_sort(w.sorter, queue, &d, n, events, &done));
        CHECK(counted.launches > 1 && !counted.launches_ahead);
        for (i = 0; i < n; i++) mock_clSetUserEventStatus(events[i], CL_COMPLETE);
        CHECK(mock_clFinish(queue) == CL_SUCCESS);
        for (i = 0; i < n; i++) mock_clReleaseEvent(events[i]);
        counted_clReleaseEvent(done);
        clsort_trim(w.sorter);
        mock_clReleaseCommandQueue(queue);
        close_world(&w);
    }
}

/* ---- the self-test --------------------------------------------------------------------------- */

/* Damages the end of one read. */
typedef struct damage { int reads, at; } damage;

static void damage_read(void *user, cl_mem buffer, size_t at, size_t bytes, void *host)
{
    damage *d = (damage *)user;
    (void)buffer, (void)at;
    if (++d->reads == d->at) ((unsigned char *)host)[bytes - 1] ^= 1;
}

/* The self-test reads keys alone, of four counts, then keys and values, of every family. */
static void test_oneself(bench *b)
{
    enum { FEWEST = 6, STEP = 93 };   /* the sixth read is the first one of values */
    /* A self-test takes long, and in sanitizers longer. */
    const int few = b->small ? FEWEST : 1, step = b->small ? 99 * STEP : STEP;
    damage d = { 0, 0 };
    int all = 0, at;
    for (at = 0; at <= all; at += at < FEWEST ? few : step) {
        world w;
        if (at && at != FEWEST && !test_takes_on_host(3)) continue;
        open_world(&w, mock_gpu(), 16, 0);
        AT("read %d of %d is wrong", at, all);
        mock.sorts = 1;
        mock.user = &d;
        mock.on_read = damage_read;
        d.reads = 0;
        d.at = at;
        CHECK_STATUS(clsort_self_test(w.sorter), at ? CLSORT_ERROR_WRONG_RESULT : CL_SUCCESS);
        CHECK(!at == !clsort_last_error(w.sorter)[0]);
        if (!at) all = d.reads;
        close_world(&w);
    }
    CHECK(all >= 4 * 4 * 4 * 3);   /* families, widths, counts; keys, keys and values */
}

/* What AUTO takes for many descriptions, as a bit for each algorithm. */
static cl_uint taken_by_auto(const world *w, clsort_sorter *sorter)
{
    static const cl_uint types[] = { CLSORT_U8, CLSORT_U16, CLSORT_F32, CLSORT_U64 };
    cl_uint taken = 0, t;
    size_t n;
    for (t = 0; t < 4; t++)
        for (n = 1; n < 200000; n = n * 3 + 1) {
            clsort_desc d = make_desc(w, n, types[t]), resolved = clsort_desc_default();
            CHECK_OK(clsort_resolve(sorter, &d, &resolved));
            taken |= 1u << resolved.algorithm;
            CHECK_OK(clsort_enqueue_sort(sorter, w->queue, &d, 0, NULL, NULL));
        }
    return taken;
}

/* A compiler that rejects a family; quicksort needs those of merge and of radix, too. */
static void avoid_broken_families(bench *b)
{
    static const struct { cl_uint family, out; } cases[] = {
        { CLSORT_BITONIC, 1u << CLSORT_BITONIC },
        { CLSORT_MERGE, 1u << CLSORT_MERGE | 1u << CLSORT_QUICKSORT },
        { CLSORT_RADIX, 1u << CLSORT_RADIX | 1u << CLSORT_QUICKSORT },
        { CLSORT_QUICKSORT, 1u << CLSORT_QUICKSORT }
    };
    const size_t presets = b->small ? 1 : MOCK_PRESETS;
    size_t v, i;
    for (v = 0; v < presets; v++)
        for (i = 0; i < 4; i++) {
            world w;
            clsort_sorter *clone = NULL;
            mock_facts f = mock_presets[v].facts();
            if (!test_takes_on_host(4)) continue;
            f.rejects = (cl_ulong)1 << cases[i].family;
            open_world(&w, f, 1 << 21, 0);
            AT("%s without family %u", mock_presets[v].name, (unsigned)cases[i].family);
            mock.sorts = 1;
            CHECK_STATUS(clsort_self_test(w.sorter), CLSORT_ERROR_WRONG_RESULT);
            CHECK(!(taken_by_auto(&w, w.sorter) & cases[i].out));
            CHECK_OK(clsort_clone(w.sorter, &clone));
            CHECK(!(taken_by_auto(&w, clone) & cases[i].out));
            clsort_destroy(clone);
            close_world(&w);
        }
}

/* Damages what is read of long sorts, which only test radix from the top. */
static void damage_long_read(void *user, cl_mem buffer, size_t at, size_t bytes, void *host)
{
    (void)user, (void)buffer, (void)at;
    if (bytes >= 1 << 21) ((unsigned char *)host)[bytes - 1] ^= 1;
}

/* The form of radix for n keys with values of this size; CLSORT__RADIX_PORTABLE: no radix. */
static cl_uint radix_of(const world *w, clsort_desc d, cl_uint type, size_t value_size, size_t n)
{
    clsort_desc resolved = clsort_desc_default();
    d.keys = w->buffer[0];
    d.key_type = type;
    d.count = n;
    d.value_size = value_size;
    if (value_size) d.values = w->buffer[1];
    CHECK_OK(clsort_resolve(w->sorter, &d, &resolved));
    return resolved.algorithm == CLSORT_RADIX
               ? clsort__choice(&resolved.tuning, CLSORT__AT_RADIX)
               : (cl_uint)CLSORT__RADIX_PORTABLE;
}

/* The same if AUTO chooses. */
static cl_uint radix_with_values(const world *w, cl_uint type, size_t value_size, size_t n)
{
    return radix_of(w, clsort_desc_default(), type, value_size, n);
}

static cl_uint radix_of_auto(const world *w, cl_uint type, size_t n)
{
    return radix_with_values(w, type, 0, n);
}

/* AUTO takes hybrid radix for integers and values, but not where equal keys keep their order: with
   `stable`, or where the caller names radix. */
static void auto_sorts_pairs(const world *w, int wrong)
{
    const cl_uint passes = CLSORT__RADIX_DEFAULT, hybrid = wrong ? passes : CLSORT__RADIX_HYBRID;
    const size_t n = 1 << 24;
    clsort_desc stable = clsort_desc_default(), named = stable;
    stable.stable = 1;
    named.algorithm = CLSORT_RADIX;
    CHECK(radix_with_values(w, CLSORT_I32, 4, n) == hybrid);
    CHECK(radix_with_values(w, CLSORT_I32, 4, n - 1) == passes);
    CHECK(radix_with_values(w, CLSORT_I32, 4, 4 * n) == hybrid);
    CHECK(radix_with_values(w, CLSORT_I32, 4, 4 * n + 1) == passes);
    CHECK(radix_with_values(w, CLSORT_F32, 4, n) == passes);
    CHECK(radix_with_values(w, CLSORT_I32, 8, 3 << 19) == hybrid);
    CHECK(radix_with_values(w, CLSORT_I32, 8, (3 << 19) - 1) == passes);
    CHECK(radix_with_values(w, CLSORT_F64, 4, n) == hybrid);
    CHECK(radix_of(w, stable, CLSORT_F64, 4, n) == passes);
    CHECK(radix_of(w, stable, CLSORT_I32, 4, n) == passes);
    CHECK(radix_of(w, named, CLSORT_I32, 4, n) == passes);
}

/* AUTO takes hybrid radix from its crossovers on, and what is resolved sorts so again; no longer if
   the self-test finds it wrong. */
static void avoid_wrong_hybrid(bench *b)
{
    static const struct { cl_uint type; size_t n; } from[] = { { CLSORT_U32, 1 << 23 },
                                                               { CLSORT_F32, 1 << 23 },
                                                               { CLSORT_I64, 1 << 21 } };
    int wrong;
    size_t i;
    (void)b;
    for (wrong = 0; wrong < 2; wrong++) {
        world w;
        open_world(&w, mock_nvidia(), (size_t)1 << 25, 0);
        mock.sorts = 1;
        mock.on_read = wrong ? damage_long_read : NULL;
        CHECK_STATUS(clsort_self_test(w.sorter), wrong ? CLSORT_ERROR_WRONG_RESULT : CL_SUCCESS);
        for (i = 0; i < sizeof from / sizeof *from; i++) {
            AT("type %u", (unsigned)from[i].type);
            CHECK(radix_of_auto(&w, from[i].type, from[i].n)
                  == (wrong ? CLSORT__RADIX_DEFAULT : CLSORT__RADIX_HYBRID));
            CHECK(radix_of_auto(&w, from[i].type, from[i].n - 1) != CLSORT__RADIX_HYBRID);
        }
        auto_sorts_pairs(&w, wrong);
        CHECK(radix_of_auto(&w, CLSORT_U16, 1 << 24) == CLSORT__RADIX_DEFAULT);
        close_world(&w);
    }
}

/* Spans of the long sorts of 4 bytes and of the others that were read; long keys of one span are
   damaged. */
typedef struct span_reads { cl_uint damaged, longs, powers; } span_reads;

static void damage_span(void *user, cl_mem buffer, size_t at, size_t bytes, void *host)
{
    span_reads *r = (span_reads *)user;
    unsigned char *const keys = (unsigned char *)host;   /* at any address */
    const cl_uint edge = CLSORT__EDGE_LEAST_SPAN;
    const size_t count = bytes / sizeof(cl_uint);
    cl_uint first, last, span, w;
    (void)buffer, (void)at;
    if (count < 1000) return;
    memcpy(&first, keys, sizeof first);
    memcpy(&last, keys + (count - 1) * sizeof last, sizeof last);
    span = last - first;
    if (count == CLSORT__TEST_TOP_DOWN && span + 1 - edge < 3)
        r->longs |= 1u << (span + 1 - edge);
    for (w = 1; count == CLSORT__TEST_COUNT && w < 32; w++)
        if (span + 1 - (1u << w) < 3 + (1u << w >> 10)) r->powers |= 1u << w;
    if (count == CLSORT__TEST_TOP_DOWN && span == r->damaged)
        keys[1000 * sizeof(cl_uint)] ^= 1;
}

/* The self-test sorts spans around every power of two, and below, at and above the one that decides
   about pairs; a form of radix that sorts one of these wrong is left out. */
static void test_spans(bench *b)
{
    int side;
    (void)b;
    for (side = -2; side <= 1; side++) {
        span_reads r = { 0, 0, 0 };
        const int wrong = side > -2;
        world w;
        open_world(&w, mock_nvidia(), (size_t)1 << 25, 0);
        AT("side %d", side);
        if (wrong) r.damaged = (cl_uint)(CLSORT__EDGE_LEAST_SPAN + side);
        mock.sorts = 1;
        mock.user = &r;
        mock.on_read = damage_span;
        CHECK_STATUS(clsort_self_test(w.sorter), wrong ? CLSORT_ERROR_WRONG_RESULT : CL_SUCCESS);
        CHECK(wrong || (r.longs == 7 && r.powers == ~1u));
        auto_sorts_pairs(&w, wrong);
        close_world(&w);
    }
}

/* How many programs of a family a sorter has. */
static int programs_of(const clsort_sorter *s, cl_uint family)
{
    int count = 0;
    size_t i;
    for (i = 0; i < s->program_count; i++) count += s->programs[i].config.family == family;
    return count;
}

/* For a few sorts, AUTO builds no hybrid kernels; who names hybrid radix gets it. */
static void few_sorts(bench *b)
{
    static const struct { cl_uint type; size_t values; } kinds[] = {
        { CLSORT_U32, 0 }, { CLSORT_F64, 0 }, { CLSORT_I32, 4 }
    };
    size_t i;
    (void)b;
    for (i = 0; i < 4 * sizeof kinds / sizeof *kinds; i++) {
        const int few = i % 2, other = i / 2 % 2;
        clsort_desc d = clsort_desc_default();
        world w;
        open_world(&w, other ? mock_gpu() : mock_nvidia(), 64, few ? CLSORT_OPTION_FEW_SORTS : 0);
        d.key_type = kinds[i / 4].type;
        d.value_size = kinds[i / 4].values;
        d.count = 1 << 24;
        AT("type %u, few %d, other %d", (unsigned)d.key_type, few, other);
        CHECK_OK(clsort_prepare(w.sorter, NULL, &d));
        CHECK(programs_of(w.sorter, CLSORT__HYBRID) == !few);
        CHECK(programs_of(w.sorter, CLSORT__SWEEP) == !other);
        CHECK(programs_of(w.sorter, CLSORT_RADIX) == (other && !few));
        CHECK(programs_of(w.sorter, CLSORT_MERGE) == (other && few));
        CHECK_OK(clsort_set_algorithm(&d, "radix-hybrid"));
        CHECK_OK(clsort_prepare(w.sorter, NULL, &d));
        CHECK(programs_of(w.sorter, CLSORT__HYBRID) == 1);
        close_world(&w);
    }
}

/* The same of radix in cache: on CPUs from a few hundred elements on that fit a lane, of pairs
   where vectors of 16 are preferred, else from more. Where its kernels do not build, the first sort
   goes on without them. */
static void avoid_wrong_cached(bench *b)
{
    static const struct { cl_uint width, type; size_t values, n; } from[] = {
        { 16, CLSORT_F32, 0, 1 << 9 },  { 16, CLSORT_U64, 0, 1 << 9 },
        { 8, CLSORT_I64, 0, 1 << 9 },   { 16, CLSORT_I32, 4, 1 << 9 },
        { 16, CLSORT_F32, 12, 1 << 9 }, { 16, CLSORT_F32, 8, 1 << 17 },
        { 8, CLSORT_I64, 4, 1 << 22 }
    };
    const size_t cases = b->small ? 3 : 3 * sizeof from / sizeof *from;
    size_t i;
    for (i = 0; i < cases; i++) {
        const size_t k = i / 3, n = from[k].n;
        const int wrong = i % 3 == 1, rejected = i % 3 == 2;
        mock_facts f = mock_cpu();
        world w;
        if (!test_takes_on_host(3)) continue;
        f.vector_width = from[k].width;
        if (rejected) f.rejects = (cl_ulong)1 << CLSORT__FAMILY_CACHED;
        open_world(&w, f, (size_t)1 << 25, 0);
        AT("width %u, type %u, case %u", (unsigned)from[k].width, (unsigned)from[k].type,
           (unsigned)(i % 3));
        mock.sorts = 1;
        mock.on_read = wrong ? damage_long_read : NULL;
        CHECK_STATUS(clsort_self_test(w.sorter), wrong ? CLSORT_ERROR_WRONG_RESULT : CL_SUCCESS);
        CHECK(radix_with_values(&w, from[k].type, from[k].values, n)
              == (wrong || rejected ? CLSORT__RADIX_DEFAULT : CLSORT__RADIX_CACHED));
        CHECK(radix_with_values(&w, from[k].type, from[k].values, n - 1)
              != CLSORT__RADIX_CACHED);
        CHECK(programs_of(w.sorter, CLSORT__HYBRID) == 0);
        close_world(&w);
    }
}

/* Programs of NVIDIA's driver are kept until their launches are done; that does not wait for the
   caller to flush the queue. */
static void flush_what_keeps_programs(bench *b)
{
    world w;
    clsort_desc d;
    (void)b;
    open_world(&w, mock_nvidia(), 1 << 16, 0);
    d = make_desc(&w, 1000, CLSORT_U32);
    CHECK_OK(clsort_enqueue_sort(w.sorter, w.queue, &d, 0, NULL, NULL));
    CHECK(mock.unflushed > 0);
    CHECK_OK(clsort_trim(w.sorter));
    CHECK(mock.unflushed == 0);
    close_world(&w);
}

/* A queue for each sort: two of them have scratch memory in turns, whether they are released
   (`kept` 0) or somebody still holds them. A queue that sorts in between keeps its own. */
static void queues_come_and_go(mock_facts facts, int out_of_order, int kept)
{
    world w;
    clsort_desc d;
    cl_command_queue queues[10];
    int i, live[MOCK_KINDS] = { 0 };
    open_world(&w, facts, 1 << 16, 0);
    d = make_desc(&w, 1000, CLSORT_U32);
    d.algorithm = CLSORT_MERGE;
    for (i = 0; i < 10; i++) {
        queues[i] = mock_new_queue(w.context, w.device, out_of_order);
        CHECK_OK(clsort_enqueue_sort(w.sorter, w.queue, &d, 0, NULL, NULL));
        CHECK_OK(clsort_enqueue_sort(w.sorter, queues[i], &d, 0, NULL, NULL));
        AT("queue %d, kept %d: %u slots", i, kept, (unsigned)w.sorter->slot_count);
        CHECK(w.sorter->slot_count == (i ? 3 : 2) && w.sorter->slot_list[0].queue == w.queue);
        CHECK(mock_clFinish(queues[i]) == CL_SUCCESS);
        if (!kept) mock_clReleaseCommandQueue(queues[i]);
        if (i == 3) memcpy(live, mock.live, sizeof live);
        live[MOCK_QUEUE] += kept && i > 3;
    }
    CHECK(!memcmp(live, mock.live, sizeof live));
    for (i = 0; i < 10 && kept; i++) mock_clReleaseCommandQueue(queues[i]);
    close_world(&w);
}

static void take_over_idle_slots(bench *b)
{
    int i;
    (void)b;
    for (i = 0; i < 8; i++)
        queues_come_and_go(i & 1 ? mock_nvidia() : mock_gpu(), i >> 1 & 1, i >> 2);
}

/* What a queue has yet to do keeps its scratch memory, and with NVIDIA's driver its programs, also
   when the caller has released it. */
static void keep_slots_in_use(bench *b)
{
    int v, i;
    (void)b;
    for (v = 0; v < 4; v++) {
        world w;
        clsort_desc d;
        open_world(&w, v & 1 ? mock_nvidia() : mock_gpu(), 1 << 16, 0);
        d = make_desc(&w, 1000, CLSORT_U32);
        d.algorithm = CLSORT_MERGE;
        mock.hold = 1;
        for (i = 0; i < 10; i++) {
            cl_command_queue queue = mock_new_queue(w.context, w.device, v >> 1);
            if (i == 5) mock_run();
            mock.hold = i < 5;
            CHECK_OK(clsort_enqueue_sort(w.sorter, queue, &d, 0, NULL, NULL));
            AT("device %d, queue %d: %u slots", v, i, (unsigned)w.sorter->slot_count);
            CHECK(w.sorter->slot_count == (i < 5 ? (size_t)i + 1 : 5));
            mock_clReleaseCommandQueue(queue);
        }
        close_world(&w);
    }
}

static size_t scratch_needed(const world *w, size_t n)
{
    clsort_desc d = make_desc(w, n, CLSORT_U32);
    size_t bytes = 0;
    d.algorithm = CLSORT_MERGE;
    CHECK_OK(clsort_scratch_size(w->sorter, &d, &bytes));
    return bytes;
}

/* The bytes of scratch memory that a sort makes. */
static size_t scratch_made(const world *w, size_t n)
{
    const cl_ulong before = mock.allocated;
    clsort_desc d = make_desc(w, n, CLSORT_U32);
    d.algorithm = CLSORT_MERGE;
    CHECK_OK(clsort_enqueue_sort(w->sorter, w->queue, &d, 0, NULL, NULL));
    return (size_t)(mock.allocated - before);
}

/* What such a sort takes, and what clsort_scratch_size tells of it: both in bytes for each key. */
static double scratch_of(const world *w, const clsort_desc *d, double *told)
{
    char text[2000];
    size_t bytes = 0;
    const char *line;
    CHECK_OK(clsort_scratch_size(w->sorter, d, &bytes));
    CHECK_OK(clsort_explain(w->sorter, d, text, sizeof text));
    line = strstr(text, "\nscratch ");
    *told = (double)bytes / (double)d->count;
    return CHECK(line != NULL) ? strtod(line + 9, NULL) / (double)d->count : 0;
}

/* Only tables are left of the scratch memory of a sort that may overwrite its input. */
static void lend_inputs(bench *b)
{
    static const struct {
        mock_facts (*facts)(void);
        cl_uint type, stable;
        size_t value, count;
        double most, told;      /* bytes for each key */
    } cases[] = {
        { mock_nvidia, CLSORT_U32, 0, 0, 1 << 20, 1.1, 1.6 },
        { mock_nvidia, CLSORT_U32, 0, 0, 1 << 24, 0.3, 0.3 },
        { mock_nvidia, CLSORT_U64, 0, 0, 1 << 20, 0.6, 2.1 },
        { mock_nvidia, CLSORT_U64, 0, 0, 1 << 24, 0.5, 0.5 },
        { mock_nvidia, CLSORT_U32, 1, 4, 1 << 20, 1.1, 8.6 },   /* samples may be measured */
        { mock_nvidia, CLSORT_U32, 1, 4, 1 << 24, 0.3, 1.1 },
        { mock_nvidia, CLSORT_U64, 0, 8, 1 << 20, 2.1, 2.1 },
        { mock_gpu, CLSORT_F32, 0, 0, 1 << 20, 1.6, 1.6 },
        { mock_gpu, CLSORT_U32, 0, 8, 1 << 20, 2.1, 2.1 },
        { mock_cpu, CLSORT_U32, 0, 0, 1 << 20, 1.1, 1.1 },
        { mock_cpu, CLSORT_U64, 0, 8, 1 << 20, 1.1, 1.1 }
    };
    size_t i;
    (void)b;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t key = (cases[i].type & 0xFF) / 8;
        world w;
        clsort_desc d;
        double is, told, was, was_told;
        AT("case %d", (int)i);
        open_world(&w, cases[i].facts(), 1 << 20, 0);
        d = make_desc(&w, cases[i].count, cases[i].type);
        d.keys = NULL;
        d.keys_out = CLSORT_LATER;
        d.stable = cases[i].stable;
        if (cases[i].value) d.value_size = cases[i].value, d.values_out = CLSORT_LATER;
        was = scratch_of(&w, &d, &was_told);
        d.flags = CLSORT_FLAG_OVERWRITE_INPUT;
        is = scratch_of(&w, &d, &told);
        if (!CHECK(is <= cases[i].most && told <= cases[i].told && is <= told)
            || !CHECK(was - is == (double)(key + cases[i].value) && told <= was_told))
            printf("  %.3f bytes for each key in place of %.3f, told are %.3f\n", is, was, told);
        d.count *= 2;
        scratch_of(&w, &d, &was_told);
        CHECK(2 * was_told >= told);
        close_world(&w);
    }
}

/* The first scratch memory has the size that is needed, a later one a quarter to spare: up to 64
   MiB, the largest allocation, and what the driver has. */
static void grow_scratch_by_a_quarter(bench *b)
{
    enum { N = 100000, M = 110000 };
    mock_facts facts = mock_gpu();
    world w;
    size_t n, most;
    (void)b;
    open_world(&w, facts, (size_t)1 << 29, 0);
    CHECK(scratch_made(&w, N) == scratch_needed(&w, N));
    CHECK(scratch_made(&w, M) == scratch_needed(&w, M) / 4 * 5);
    for (n = M; n <= M / 4 * 5; n += M / 100) CHECK(scratch_made(&w, n) == 0);
    n = (size_t)1 << 27;
    CHECK(scratch_made(&w, n) == scratch_needed(&w, n) + ((size_t)64 << 20));
    most = scratch_needed(&w, M);
    close_world(&w);

    facts.max_allocation = most + 16;
    open_world(&w, facts, 4 * M, 0);
    CHECK(scratch_made(&w, N) == scratch_needed(&w, N));
    CHECK(scratch_made(&w, M) == most + 16);
    close_world(&w);

    open_world(&w, mock_gpu(), 4 * M, 0);
    CHECK(scratch_made(&w, N) == scratch_needed(&w, N));
    mock.facts[0].max_allocation = mock.facts[1].max_allocation = most;
    CHECK(scratch_made(&w, M) == most && !*clsort_last_error(w.sorter));
    close_world(&w);
}

/* Local memory that kernels need which a call does not launch: rows that are sorted one after
   another need none of the kernels that sort them at once. */
static void ask_for_launched_kernels_only(bench *b)
{
    char text[2000] = "";
    clsort_desc d;
    world w;
    (void)b;
    open_world(&w, mock_cpu(), 16, 0);
    w.sorter->facts.local_bytes = 7;
    d = make_desc(&w, 1404150, CLSORT_U8);
    d.keys = NULL;
    d.value_size = 12;
    d.rows = 91;
    CHECK_OK(clsort_explain(w.sorter, &d, text, sizeof text));
    CHECK(strstr(text, "rows one after another") != NULL);
    close_world(&w);
}

/* Host arrays are used where they lie on a CPU that shares the host's memory, if they are aligned;
   the result is read also where such a driver works in a copy. Keys of an argsort are not written
   by anyone. NVIDIA's driver pins a block, or without `block` the arrays that go up, unless it
   refuses that. */
static int pins_host_arrays(mock_facts facts, size_t shift, size_t value_size, int indices,
                            int block, int refuses)
{
    static cl_ulong room[3][40];
    char *const place = (char *)room[0] + shift;
    cl_uint keys[3] = { 9, 7, 8 };
    clsort_desc d = clsort_desc_default();
    int in_place;
    world w;
    open_world(&w, facts, 64, 0);
    mock.sorts = 1;
    mock.refuses_host = refuses;
    if (!block && w.sorter->facts.block_bytes) w.sorter->facts.block_bytes = 1;
    memcpy(place, keys, sizeof keys);
    d.count = 3;
    d.key_type = CLSORT_U32;
    d.value_size = value_size;
    CHECK_OK(clsort_sort_host(w.sorter, &d, place, value_size ? (char *)room[1] + shift : NULL,
                              indices ? (cl_uint *)room[2] : NULL));
    memcpy(keys, place, sizeof keys);
    CHECK(keys[0] == (indices ? 9 : 7) && keys[1] == (indices ? 7 : 8));
    in_place = mock.in_place;
    close_world(&w);
    return in_place;
}

static mock_facts unified(mock_facts f, cl_bool unified)
{
    f.unified = unified;
    return f;
}

static void use_host_arrays(bench *b)
{
    const struct {
        mock_facts facts;
        size_t shift, value_size;
        int indices, block, refuses, in_place;
    } cases[] = {
        { mock_gpu(), 0, 0, 0, 1, 0, 0 },
        { unified(mock_cpu(), CL_FALSE), 0, 4, 0, 1, 0, 0 },
        { mock_cpu(), 0, 0, 0, 1, 0, 1 },
        { mock_cpu(), 4, 4, 0, 1, 0, 2 },
        { mock_cpu(), 2, 0, 0, 1, 0, 0 },
        { mock_cpu(), 4, 8, 0, 1, 0, 0 },
        { mock_cpu(), 4, 12, 0, 1, 0, 2 },
        { mock_cpu(), 0, 0, 1, 1, 0, 2 },
        { unified(mock_gpu(), CL_TRUE), 4, 4, 0, 1, 0, 2 },
        { mock_nvidia(), 1, 4, 0, 1, 0, 1 },
        { mock_nvidia(), 1, 0, 0, 0, 0, 1 },
        { mock_nvidia(), 1, 4, 0, 0, 0, 2 },
        { mock_nvidia(), 1, 0, 1, 0, 0, 1 },
        { mock_nvidia(), 1, 4, 0, 0, 1, 0 },
        { mock_nvidia(), 1, 4, 0, 1, 1, 0 }
    };
    size_t i;
    (void)b;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        AT("case %zu", i);
        CHECK(pins_host_arrays(cases[i].facts, cases[i].shift, cases[i].value_size,
                               cases[i].indices, cases[i].block, cases[i].refuses)
              == cases[i].in_place);
    }
}

/* A command fails on the device, after it was enqueued: the call says so. */
static void fail_host_commands(bench *b)
{
    int way, number;
    (void)b;
    for (way = 0; way < 3; way++) {
        int commands = 1;
        for (number = 1; number <= commands; number++) {
            cl_uint keys[3] = { 9, 7, 8 }, values[3] = { 0 };
            clsort_desc d = clsort_desc_default();
            world w;
            open_world(&w, way ? mock_nvidia() : mock_gpu(), 64, 0);
            if (way == 2) w.sorter->facts.block_bytes = 1;
            d.count = 3;
            d.key_type = CLSORT_U32;
            d.value_size = 4;
            CHECK_OK(clsort_sort_host(w.sorter, &d, keys, values, NULL));
            mock.commands = 0;
            mock.fail_command = number;
            mock.command_code = CL_OUT_OF_RESOURCES;
            AT("way %d, command %d", way, number);
            CHECK(clsort_sort_host(w.sorter, &d, keys, values, NULL) != CL_SUCCESS
                  || number > commands || (way == 2 && number + 2 > commands));
            commands = mock.commands;
            mock.fail_command = 0;
            close_world(&w);
        }
        CHECK(commands > 3);
    }
}

/* ---- gathers --------------------------------------------------------------------------------- */

enum { MANY = 1000 };

/* MANY arrays that share a source and have targets of their own in one buffer. */
static void make_many(const world *w, clsort_gather_desc *g, clsort_array *arrays)
{
    size_t i;
    memset(g, 0, sizeof *g);
    memset(arrays, 0, MANY * sizeof *arrays);
    for (i = 0; i < MANY; i++) {
        arrays[i].source = w->buffer[KEYS];
        arrays[i].target = w->buffer[KEYS_OUT];
        arrays[i].target_offset = 40 * (i * 7 % MANY);   /* in no order */
        arrays[i].element_size = 4;
    }
    g->count = 10;
    g->indices = w->buffer[INDICES];
    g->arrays = arrays;
    g->array_count = MANY;
}

/* Each array of many is checked by as many calls as one alone, and one that overlaps is found. */
static void gather_many_arrays(bench *b)
{
    static clsort_array arrays[MANY];
    clsort_gather_desc g;
    int calls;
    size_t i;
    world w;
    (void)b;
    open_world(&w, mock_cpu(), 40 * MANY, 0);
    make_many(&w, &g, arrays);
    CHECK_OK(clsort_enqueue_gather(w.sorter, w.queue, &g, 0, NULL, NULL));
    counted.calls = 0;
    counted.made[COUNTED_MEMORY] = 0;
    CHECK_OK(clsort_enqueue_gather(w.sorter, w.queue, &g, 0, NULL, NULL));
    calls = counted.calls;
    AT("%d calls", calls);
    CHECK(calls < 40 * MANY && counted.made[COUNTED_MEMORY] == 0);
    for (i = 0; i < MANY; i += 37) {
        AT("array %zu", i);
        make_many(&w, &g, arrays);
        arrays[i].target_offset = i % 2 ? arrays[(i + 1) % MANY].target_offset : 36;
        CHECK_STATUS(clsort_enqueue_gather(w.sorter, w.queue, &g, 0, NULL, NULL),
                     CLSORT_ERROR_OVERLAP);
        make_many(&w, &g, arrays);
        arrays[i].source = w.buffer[KEYS_OUT];
        CHECK_STATUS(clsort_enqueue_gather(w.sorter, w.queue, &g, 0, NULL, NULL),
                     CLSORT_ERROR_OVERLAP);
    }
    close_world(&w);
}

/* ---- structs of other versions --------------------------------------------------------------- */

/* Room for a struct of a newer header, what such a header appends to it, and noise behind that. */
enum { STRUCT_ROOM = 1024, APPENDED = 2 * sizeof(size_t) };
typedef union any_struct {
    size_t size;
    clsort_desc desc;
    clsort_options options;
    clsort_gather_desc gather;
    clsort_groups_desc groups;
    clsort_merge_desc merge;
    clsort_merge_runs_desc runs;
    clsort_partition_desc partition;
    unsigned char bytes[STRUCT_ROOM];
} any_struct;

static void fill_desc(const world *w, any_struct *a) { a->desc = make_desc(w, 100, CLSORT_U32); }

/* Host arrays: the description names no buffers. */
static void fill_bare(const world *w, any_struct *a)
{
    fill_desc(w, a);
    a->desc.keys = NULL;
}

static void fill_options(const world *w, any_struct *a)
{
    (void)w;
    a->options = clsort_options_default();
}

static void fill_gather(const world *w, any_struct *a)
{
    a->gather = clsort_gather_desc_default();
    a->gather.count = 100;
    a->gather.indices = w->buffer[INDICES];
}

static void fill_groups(const world *w, any_struct *a)
{
    a->groups = clsort_groups_desc_default();
    a->groups.key_type = CLSORT_U32;
    a->groups.count = a->groups.groups = 100;
    a->groups.keys = w->buffer[KEYS];
    a->groups.starts = w->buffer[KEYS_OUT];
}

static void fill_merge(const world *w, any_struct *a)
{
    a->merge = clsort_merge_desc_default();
    a->merge.key_type = CLSORT_U32;
    a->merge.count_a = 100;
    a->merge.keys_a = w->buffer[KEYS];
    a->merge.keys_out = w->buffer[KEYS_OUT];
}

static void fill_runs(const world *w, any_struct *a)
{
    static clsort_run run[2];
    run[0].count = 60, run[1].count = 40;
    run[0].keys = run[1].keys = w->buffer[KEYS];
    a->runs = clsort_merge_runs_desc_default();
    a->runs.runs = run;
    a->runs.run_count = 2;
    a->runs.key_type = CLSORT_U32;
    a->runs.keys_out = w->buffer[KEYS_OUT];
}

static void fill_partition(const world *w, any_struct *a)
{
    a->partition = clsort_partition_desc_default();
    a->partition.key_type = CLSORT_U32;
    a->partition.count = 100;
    a->partition.splitter_count = 9;
    a->partition.keys = w->buffer[KEYS];
    a->partition.keys_out = w->buffer[KEYS_OUT];
    a->partition.splitters = w->buffer[INDICES];
    a->partition.starts = w->buffer[SCRATCH];
}

/* A call with a struct; what else it takes stands in the world. */
#define CALL(name, ...) \
    static clsort_status call_##name(world *w, const any_struct *a) \
    { \
        clsort_desc resolved = clsort_desc_default(); \
        cl_uint keys[100] = { 0 }; \
        char text[2000]; \
        size_t bytes = 0; \
        (void)w, (void)resolved, (void)keys, (void)text, (void)bytes; \
        return __VA_ARGS__; \
    }
CALL(check, clsort_check(w->sorter, &a->desc))
CALL(prepare, clsort_prepare(w->sorter, w->queue, &a->desc))
CALL(resolve, clsort_resolve(w->sorter, &a->desc, &resolved))
CALL(scratch_size, clsort_scratch_size(NULL, &a->desc, &bytes))
CALL(explain, clsort_explain(w->sorter, &a->desc, text, sizeof text))
CALL(sort, clsort_enqueue_sort(w->sorter, w->queue, &a->desc, 0, NULL, NULL))
CALL(sort_host, clsort_sort_host(w->sorter, &a->desc, keys, NULL, NULL))
CALL(is_sorted, clsort_enqueue_is_sorted(w->sorter, w->queue, &a->desc, w->buffer[SCRATCH], 0, 0,
                                         NULL, NULL))
CALL(fingerprint, clsort_enqueue_fingerprint(w->sorter, w->queue, &a->desc, w->buffer[SCRATCH], 0,
                                             0, NULL, NULL))
CALL(verify, clsort_enqueue_verify(w->sorter, w->queue, &a->desc, w->buffer[SCRATCH], 0, 0, NULL,
                                   NULL))
CALL(gather, clsort_enqueue_gather(w->sorter, w->queue, &a->gather, 0, NULL, NULL))
CALL(runs, clsort_enqueue_merge_runs(w->sorter, w->queue, &a->runs, 0, NULL, NULL))
CALL(runs_size, clsort_merge_runs_scratch_size(w->sorter, &a->runs, &bytes))
CALL(partition, clsort_enqueue_partition(w->sorter, w->queue, &a->partition, 0, NULL, NULL))
CALL(partition_size, clsort_partition_scratch_size(w->sorter, &a->partition, &bytes))
CALL(groups, clsort_enqueue_group_starts(w->sorter, w->queue, &a->groups, 0, NULL, NULL))
CALL(merge, clsort_enqueue_merge(w->sorter, w->queue, &a->merge, 0, NULL, NULL))
#undef CALL

static clsort_status call_create(world *w, const any_struct *a)
{
    clsort_sorter *s = NULL;
    const clsort_status status = clsort_create(w->context, w->device, &a->options, &s);
    clsort_destroy(s);
    return status;
}

static const struct struct_call {
    const char *name;
    size_t size, first;
    void (*fill)(const world *w, any_struct *a);
    clsort_status (*call)(world *w, const any_struct *a);
} struct_calls[] = {
    { "check", sizeof(clsort_desc), CLSORT__FIRST_DESC, fill_desc, call_check },
    { "prepare", sizeof(clsort_desc), CLSORT__FIRST_DESC, fill_desc, call_prepare },
    { "resolve", sizeof(clsort_desc), CLSORT__FIRST_DESC, fill_desc, call_resolve },
    { "scratch_size", sizeof(clsort_desc), CLSORT__FIRST_DESC, fill_desc, call_scratch_size },
    { "explain", sizeof(clsort_desc), CLSORT__FIRST_DESC, fill_desc, call_explain },
    { "sort", sizeof(clsort_desc), CLSORT__FIRST_DESC, fill_desc, call_sort },
    { "sort_host", sizeof(clsort_desc), CLSORT__FIRST_DESC, fill_bare, call_sort_host },
    { "is_sorted", sizeof(clsort_desc), CLSORT__FIRST_DESC, fill_desc, call_is_sorted },
    { "fingerprint", sizeof(clsort_desc), CLSORT__FIRST_DESC, fill_desc, call_fingerprint },
    { "verify", sizeof(clsort_desc), CLSORT__FIRST_DESC, fill_desc, call_verify },
    { "create", sizeof(clsort_options), CLSORT__FIRST_OPTIONS, fill_options, call_create },
    { "gather", sizeof(clsort_gather_desc), CLSORT__FIRST_GATHER, fill_gather, call_gather },
    { "groups", sizeof(clsort_groups_desc), CLSORT__FIRST_GROUPS, fill_groups, call_groups },
    { "merge", sizeof(clsort_merge_runs_desc), CLSORT__FIRST_MERGE_RUNS, fill_runs, call_runs },
    { "merge", sizeof(clsort_merge_runs_desc), CLSORT__FIRST_MERGE_RUNS, fill_runs,
      call_runs_size },
    { "partition", sizeof(clsort_partition_desc), CLSORT__FIRST_PARTITION, fill_partition,
      call_partition },
    { "partition", sizeof(clsort_partition_desc), CLSORT__FIRST_PARTITION, fill_partition,
      call_partition_size },
    { "merge", sizeof(clsort_merge_desc), CLSORT__FIRST_MERGE, fill_merge, call_merge }
};

/* A call with the struct as this header has it, as the first one had it, and as a newer one would.
   tests/scripts/header compiles this with a header whose structs have a field more. */
static void give_structs(world *w, const struct struct_call *c)
{
    const size_t wrong[] = { 1, c->first - sizeof(size_t), c->size + 1, 4096, (size_t)-8 };
    any_struct a, *older;
    size_t i;
    memset(&a, 0xA5, sizeof a);
    c->fill(w, &a);
    CHECK(a.size == c->size);
    CHECK_OK(c->call(w, &a));                    /* the noise behind it is not read */
    a.size = 0;
    CHECK_OK(c->call(w, &a));
    older = malloc(c->first);                    /* the sanitizer sees what is read behind it */
    if (!CHECK(older != NULL)) return;
    a.size = c->first;
    memcpy(older, &a, c->first);
    CHECK_OK(c->call(w, older));
    free(older);
    a.size = c->size + APPENDED;
    memset(a.bytes + c->size, 0, APPENDED);
    CHECK_OK(c->call(w, &a));                    /* nobody uses the new fields */
    for (i = 0; i < APPENDED; i++) {
        a.bytes[c->size + i] = 1;
        CHECK_STATUS(c->call(w, &a), CLSORT_ERROR_UNKNOWN_VALUE);
        a.bytes[c->size + i] = 0;
    }
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        AT("%s, size %zu", c->name, wrong[i]);
        a.size = wrong[i];
        CHECK_STATUS(c->call(w, &a), CLSORT_ERROR_UNKNOWN_VALUE);
    }
    c->fill(w, &a);
    CHECK_OK(c->call(w, &a));
}

static void give_structs_of_newer_headers(bench *b)
{
    size_t i;
    world w;
    (void)b;
    open_world(&w, mock_gpu(), 4096, 0);
    for (i = 0; i < sizeof struct_calls / sizeof *struct_calls; i++) {
        AT("%s", struct_calls[i].name);
        give_structs(&w, &struct_calls[i]);
    }
    close_world(&w);
}

/* ---- nothing to do --------------------------------------------------------------------------- */

/* Merges, partitions, gathers and searches for groups without elements: what they would only read
   or write is not there. */
static void do_nothing_else(bench *b)
{
    static const clsort_run runs[2] = { { 0, NULL, 16, NULL, 16 }, { 0, NULL, 16, NULL, 16 } };
    clsort_array array = { NULL, 16, NULL, 16, 4, 48, 48 };
    any_struct a;
    world w;
    size_t bytes = 1;
    (void)b;
    open_world(&w, mock_gpu(), 4096, 0);
    memset(&a, 0, sizeof a);
    fill_merge(&w, &a);
    a.merge.count_a = 0;
    a.merge.keys_a = a.merge.keys_out = NULL;
    a.merge.keys_a_offset = a.merge.keys_out_offset = a.merge.values_out_offset = 16;
    a.merge.value_size = 4;
    CHECK_OK(call_merge(&w, &a));
    fill_runs(&w, &a);
    a.runs.runs = runs;
    a.runs.keys_out = NULL;
    a.runs.value_size = 4;
    a.runs.scratch_size = 1000, a.runs.scratch_offset = 16;
    CHECK_OK(call_runs(&w, &a));
    CHECK_OK(clsort_merge_runs_scratch_size(w.sorter, &a.runs, &bytes));
    CHECK(bytes == 0);
    CHECK_OK(clsort_prepare_merge_runs(w.sorter, &a.runs));
    a.runs.run_count = 0;
    CHECK_STATUS(call_runs(&w, &a), CLSORT_ERROR_UNKNOWN_VALUE);
    fill_partition(&w, &a);
    a.partition.count = 0;
    a.partition.keys = a.partition.keys_out = NULL;
    a.partition.value_size = 4;
    CHECK_OK(call_partition(&w, &a));
    CHECK_OK(call_partition_size(&w, &a));
    CHECK_OK(clsort_prepare_partition(w.sorter, &a.partition));
    fill_gather(&w, &a);
    a.gather.count = 0;
    a.gather.indices = NULL;
    a.gather.arrays = &array;
    a.gather.array_count = 1;
    for (a.gather.rows = 1; a.gather.rows < 4; a.gather.rows++) CHECK_OK(call_gather(&w, &a));
    fill_groups(&w, &a);
    a.groups.count = 0;
    a.groups.keys = NULL;
    a.groups.counts = w.buffer[VALUES];
    CHECK_OK(call_groups(&w, &a));
    a.groups.groups = 0;
    CHECK_OK(call_groups(&w, &a));
    a.groups.starts = NULL;
    CHECK_OK(call_groups(&w, &a));
    close_world(&w);
}

/* Of a struct with another size than ours, as many bytes are taken as both have. */
static void take_structs_of_any_size(bench *b)
{
    unsigned char given[256], ours[256];
    size_t own, size, i;
    (void)b;
    for (own = 32; own <= 128; own += 8)
        for (size = 32; size <= 128; size += 8) {
            memset(given, 0xA5, sizeof given);
            memset(ours, 0x5A, sizeof ours);
            for (i = own; i < size; i++) given[i] = 0;
            memcpy(given, &size, sizeof size);
            AT("%zu bytes as %zu", size, own);
            CHECK(clsort__adopt(ours, own, 32, given) == CLSORT__STRUCT_IS_RIGHT);
            CHECK(!memcmp(ours, &own, sizeof own));
            for (i = sizeof own; i < sizeof ours; i++)
                CHECK(ours[i] == (i >= own ? 0x5A : i < size ? 0xA5 : 0));
        }
}

/* The description that comes back fills the caller's struct, and not a byte more. */
static void resolve_into_structs_of_any_size(bench *b)
{
    static const size_t more[] = { 0, sizeof(size_t), APPENDED };
    size_t v, i;
    world w;
    (void)b;
    open_world(&w, mock_gpu(), 4096, 0);
    for (v = 0; v < 3; v++) {
        clsort_desc d = make_desc(&w, 100, CLSORT_U32);
        const size_t end = sizeof d + more[v];
        any_struct a;
        memset(&a, 0xA5, sizeof a);
        a.size = end;
        AT("%zu bytes more", more[v]);
        CHECK_OK(clsort_resolve(w.sorter, &d, &a.desc));
        CHECK(a.size == end && a.desc.count == 100 && a.desc.algorithm != CLSORT_AUTO);
        for (i = sizeof d; i < sizeof a; i++) CHECK(a.bytes[i] == (i < end ? 0 : 0xA5));
        CHECK_OK(clsort_resolve(w.sorter, &a.desc, &a.desc));
        a.size = sizeof d - sizeof(size_t);
        CHECK_STATUS(clsort_resolve(w.sorter, &d, &a.desc), CLSORT_ERROR_UNKNOWN_VALUE);
        CHECK(strstr(clsort_last_error(w.sorter), "resolved.struct_size"));
        CHECK_STATUS(clsort_set_algorithm(&a.desc, "merge"), CLSORT_ERROR_UNKNOWN_VALUE);
    }
    close_world(&w);
}

static const test_entry tests[] = {
    { "the driver refuses nothing of any algorithm on any device", sort_everything },
    { "where sweeps do not build, radix sorts without them", fall_back_from_sweeps },
    { "where kernels for rows do not build, others select", fall_back_in_selections },
    { "a verdict stays until collect hands it out", keep_wrong_verdicts },
    { "a sort that fails on the device is reported", report_failed_sorts },
    { "a running sort is not judged, even if its state cannot be had", leave_running_sorts },
    { "a proof that cannot be read is read later", keep_unread_proofs },
    { "no launch asks for more local memory than there is", fit_little_memory },
    { "no launch has a larger work-group than its kernel allows", fit_small_groups },
    { "a build log of any size does no harm", bound_logs },
    { "a list of devices of any size does no harm", bound_lists },
    { "a prepared sort allocates nothing on the host", allocate_early },
    { "prepare refuses the queues of others", refuse_to_prepare_on_foreign_queues },
    { "prepare does not wait for other commands of an out-of-order queue",
      prepare_beside_waiting_commands },
    { "a clone that fails says why", explain_failed_clones },
    { "wait lists may have any length", wait_for_many_events },
    { "AUTO leaves out what the self-test found broken", avoid_broken_families },
    { "AUTO takes hybrid radix unless the self-test found it wrong", avoid_wrong_hybrid },
    { "AUTO leaves out hybrid radix where few sorts are to come", few_sorts },
    { "AUTO takes radix in cache unless it is wrong or does not build", avoid_wrong_cached },
    { "a trimmed queue is flushed where its programs are kept", flush_what_keeps_programs },
    { "a part of a device is found in its context", find_parts_of_devices },
    { "a queue that has nothing left to do leaves its scratch to another", take_over_idle_slots },
    { "a queue that has something left to do keeps its scratch", keep_slots_in_use },
    { "an input that may be overwritten replaces the second array", lend_inputs },
    { "scratch that is outgrown is replaced by one with a quarter to spare",
      grow_scratch_by_a_quarter },
    { "local memory is asked for by what is launched", ask_for_launched_kernels_only },
    { "host arrays are sorted where they lie if they are aligned, or pinned", use_host_arrays },
    { "a sort of host arrays fails if one of its commands does", fail_host_commands },
    { "a gather checks many arrays as fast as few", gather_many_arrays },
    { "structs of newer headers are taken if nobody uses what is new",
      give_structs_of_newer_headers },
    { "merges, partitions, gathers and groups of no elements need no arrays", do_nothing_else },
    { "of a struct only bytes are read that the program has", take_structs_of_any_size },
    { "a resolved description ends where the program's struct does",
      resolve_into_structs_of_any_size },
    TEST_REST,
    { "the self-test sees keys and values that are wrong", test_oneself },
    { "the self-test sorts spans around powers of two", test_spans }
};

TEST_MAIN_ALONE(tests, "a mock")
