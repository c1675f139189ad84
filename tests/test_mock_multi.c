/* Host arrays of any size on the two devices of mock.h, one of which fails: each call of the host
   in turn, and each command. Right results or a clear error; nothing is lost or leaked, and the
   driver was asked for nothing that OpenCL forbids. Kernels sort only in place there, by the
   bitonic family. */

#define CLSORT_STAGE_BYTES 1000
#define CLSORT_YIELD() mock_run()
#define CLSORT__MULTI_MERGERS 0   /* no kernel of the mock merges pieces */

#include "mock.h"

#define CLSORT_IMPLEMENTATION
#include "faults.h"
#include "multi.h"

/* Events end in any order; the first device is NVIDIA's. */
enum { HOLDS = 1, NVIDIA = 2 };

/* Two sorters, each with a device and a context of its own. */
typedef struct stage {
    cl_context context[2];
    clsort_sorter *sorters[2];
    said said[2];
} stage;

static void open_stage(stage *t, int options)
{
    int i;
    mock_reset(options & NVIDIA ? mock_nvidia() : mock_gpu());
    mock.facts[1] = mock_cpu();
    mock.sorts = 1;
    mock.stored = 1 << 20;
    mock.hold = options & HOLDS;
    counted_reset();
    memset(t, 0, sizeof *t);
    for (i = 0; i < 2; i++) {
        clsort_options o = clsort_options_default();
        cl_device_id device = (cl_device_id)(void *)&mock_devices[i];
        cl_int error = 0;
        o.diagnostic = hear;
        o.user = &t->said[i];
        t->context[i] = mock_clCreateContext(NULL, 1, &device, NULL, NULL, &error);
        CHECK_OK(clsort_create(t->context[i], device, &o, &t->sorters[i]));
    }
}

static void close_stage(stage *t)
{
    int i;
    for (i = 0; i < 2; i++) {
        clsort_destroy(t->sorters[i]);
        mock_clReleaseContext(t->context[i]);
    }
    CHECK(counted_nothing_live());
    CHECK(mock.faults == 0);
    CHECK(mock_live(MOCK_BUFFER) == 0 && mock_live(MOCK_EVENT) == 0 && mock_live(MOCK_QUEUE) == 0);
}

static multi_case case_of(size_t n, cl_uint transfer, int out)
{
    multi_case c = multi_make(CLSORT_U32, n, "uniform");
    c.d.algorithm = CLSORT_BITONIC;
    c.sorters = 2;
    c.transfer = transfer;
    c.out = out;
    c.memory = 8 * n / 5;   /* a fifth of the elements for each of two slots */
    return c;
}

static void shares(bench *b)
{
    int way;
    (void)b;
    for (way = 0; way < 16; way++) {
        multi_case c = case_of(20000 + (size_t)way, 1 + (cl_uint)way % 2, way / 2 % 2);
        multi_state t;
        stage s;
        open_stage(&s, way / 4 % 2);
        c.d.value_size = way & 8 ? 4 : 0;
        if (way & 8) c.pattern = "sorted";   /* no equal keys: this family is not stable */
        AT("way %d", way);
        CHECK(multi_begin(&c, &t));
        if (CHECK_OK(multi_call(&c, &t, s.sorters))) multi_check_result(&c, &t);
        CHECK(t.shares[0].elements + t.shares[1].elements == 2 * c.d.count);
        CHECK(t.shares[0].jobs > 3 && t.shares[1].jobs > 3);
        CHECK(!counted.live[COUNTED_BUFFER] && !counted.live[COUNTED_EVENT]
              && !counted.live[COUNTED_QUEUE]);
        multi_end(&t);
        close_stage(&s);
    }
}

/* A call makes its own queues. Where the sorter must hold the queues that it was used with, it
   holds those of one call and one more, however many calls there are. */
static void queues(bench *b)
{
    int nvidia, i;
    (void)b;
    for (nvidia = 0; nvidia < 2; nvidia++) {
        const multi_case c = case_of(20000, CLSORT_TRANSFER_DIRECT, 0);
        stage s;
        open_stage(&s, nvidia ? NVIDIA : 0);
        for (i = 0; i < 5; i++) {
            multi_state t;
            AT("NVIDIA's: %d, call %d", nvidia, i);
            CHECK(multi_begin(&c, &t));
            if (CHECK_OK(multi_call(&c, &t, s.sorters))) multi_check_result(&c, &t);
            CHECK(counted.live[COUNTED_QUEUE] == (!nvidia ? 0 : i ? 3 : 2));
            multi_end(&t);
        }
        close_stage(&s);
    }
}

/* Another thread asks for the second device, which has nothing to do yet. */
static void *ask_second(void *of)
{
    const stage *const s = (const stage *)of;
    const clsort_multi_desc m = clsort_multi_desc_default();
    const clsort_status status = clsort_sort_host_on(s->sorters + 1, 1, &m);
    mock_bury(NULL);
    return status == CLSORT_ERROR_BUSY ? of : NULL;
}

/* Is a sorter of this stage taken? */
static int is_busy(stage *s)
{
    pthread_t thread;
    void *busy = NULL;
    CHECK(!pthread_create(&thread, NULL, ask_second, s) && !pthread_join(thread, &busy));
    return busy != NULL;
}

static void hear_launch(void *user, const mock_launch *heard)
{
    (void)heard;
    CHECK(is_busy((stage *)user));
}

static void take_all_sorters(bench *b)
{
    const multi_case c = case_of(20000, CLSORT_TRANSFER_DIRECT, 0);
    multi_state t;
    stage s;
    (void)b;
    open_stage(&s, 0);
    mock.user = &s;
    mock.on_launch = hear_launch;
    CHECK(multi_begin(&c, &t));
    if (CHECK_OK(multi_call(&c, &t, s.sorters))) multi_check_result(&c, &t);
    mock.on_launch = NULL;
    CHECK(!is_busy(&s));
    multi_end(&t);
    close_stage(&s);
}

/* What a fault in one place may end in. `device`: the call names it; `host`: memory of the host
   was refused. */
static void judge(const multi_case *c, const multi_state *t, const stage *s, clsort_status status,
                  int all)
{
    const int host = (counted.failed && !strcmp(counted.failed_function, "malloc"))
                     || (all && status == CL_OUT_OF_HOST_MEMORY),
              /* A result that cannot be read back in one trip in place, twice. */
              spoils = all && !c->memory && !c->out && counted.failed,
              dropped = (t->shares[0].status != CL_SUCCESS) + (t->shares[1].status != CL_SUCCESS);
    int i;
    if (status == CL_SUCCESS) multi_check_result(c, t);
    else if (spoils && dropped == 1) CHECK(image_keeps_guards(&t->image));
    else multi_check_kept(c, t);
    if (!all && !host) CHECK(status == CL_SUCCESS && dropped <= 1);
    if (status != CL_SUCCESS) CHECK(host || dropped == 2 || (spoils && dropped == 1));
    for (i = 0; i < 2; i++)
        if (t->shares[i].status != CL_SUCCESS) CHECK(s->said[i].times > 0);
    if (status != CL_SUCCESS) CHECK(s->said[0].times + s->said[1].times > 0);
}

/* Runs a case in which a call fails; returns how many calls there were. */
static int try_fault(stage *s, const multi_case *c, const fault *f)
{
    multi_state t;
    clsort_status status;
    int calls;
    CHECK(multi_begin(c, &t));
    arm(&s->said[0], f);
    memset(&s->said[1], 0, sizeof s->said[1]);
    status = multi_call(c, &t, s->sorters);
    disarm();
    calls = counted.calls;
    mock_run();
    say(c->transfer == CLSORT_TRANSFER_DIRECT   ? "direct"
        : c->transfer == CLSORT_TRANSFER_STAGED ? "staged"
                                                : "pinned",
        f,
        counted.failed ? counted.failed_function : "none");
    judge(c, &t, s, status, f->after);
    CHECK(!counted.live[COUNTED_BUFFER]);
    CHECK(c->transfer == CLSORT_TRANSFER_DEFAULT || !counted.live[COUNTED_EVENT]);   /* or marks */
    multi_end(&t);
    return calls;
}

/* With sorters that are used again after each fault, and with new ones, which build kernels. */
static void each_call(bench *b)
{
    int way;
    for (way = 0; way < 18 && !test_now.faults; way++) {
        const int fresh = way == 10 || way == 11, step = b->small ? 13 : fresh ? 5 : 2,
                  pins = way < 12 ? 0 : NVIDIA, options = pins ? pins : way / 4 % 2;
        multi_case c = case_of(2000, pins ? CLSORT_TRANSFER_DEFAULT : 1 + (cl_uint)way % 2,
                               way / 2 % 2);
        fault f;
        int calls;
        stage s;
        memset(&f, 0, sizeof f);
        if (way / 2 == 4 || way >= 16) c.memory = 0;   /* one trip */
        open_stage(&s, options);
        calls = try_fault(&s, &c, &f);
        f.code = way % 3 ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_OUT_OF_RESOURCES;
        /* Where later calls fail, too, nothing can wait for commands that write to host arrays. */
        f.after = way < 4 || way == 9 || way == 13 || way == 17;
        for (f.call = 1 + way % step; f.call <= calls && !test_now.faults; f.call += step) {
            if (fresh) close_stage(&s);
            if (fresh) open_stage(&s, options);
            try_fault(&s, &c, &f);
        }
        close_stage(&s);
    }
}

/* Each command ends with an error, in its turn. */
static void each_command(bench *b)
{
    int way, number;
    for (way = 0; way < 8; way++) {
        int commands = 1;
        for (number = 1; number <= commands; number += b->small ? 5 : 1) {
            multi_case c = case_of(2000, way < 6 ? 1 + (cl_uint)way % 2 : 0, way / 2 % 2);
            multi_state t;
            stage s;
            clsort_status status;
            if (way == 4 || way == 5 || way == 7) c.memory = 0;   /* one trip */
            open_stage(&s, way < 4 ? 0 : way < 6 ? HOLDS : NVIDIA);
            CHECK(multi_begin(&c, &t));
            mock.fail_command = number;
            mock.command_code = CL_OUT_OF_RESOURCES;
            status = multi_call(&c, &t, s.sorters);
            commands = mock.commands;
            AT("way %d, command %d of %d", way, number, commands);
            judge(&c, &t, &s, status, 0);
            multi_end(&t);
            close_stage(&s);
            if (test_now.faults) return;
        }
    }
}

/* A single device whose memory is used up by others goes on with half, in two trips. */
static void short_memory(bench *b)
{
    multi_case c = case_of(3000, CLSORT_TRANSFER_DIRECT, 0);
    int call = 0;
    (void)b;
    c.sorters = 1;
    for (c.memory = 0; c.memory < 20000; c.memory += 10000) {
        do {
            multi_state t;
            stage s;
            open_stage(&s, 0);
            CHECK(multi_begin(&c, &t));
            counted.calls = counted.failed = 0;
            counted.code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
            counted.fail_at = ++call;
            CHECK(multi_call(&c, &t, s.sorters) == CL_SUCCESS
                  || strcmp(counted.failed_function, "clCreateBuffer"));
            disarm();
            multi_check_kept(&c, &t);
            multi_end(&t);
            close_stage(&s);
        } while (counted.failed && strcmp(counted.failed_function, "clCreateBuffer"));
    }
    CHECK(counted.failed);
}

/* Sorters that cannot have a job are dropped; if none can, that is said. */
static void no_room(bench *b)
{
    multi_case c = case_of(9000, CLSORT_TRANSFER_DIRECT, 0);
    multi_state t;
    stage s;
    (void)b;
    open_stage(&s, 0);
    mock.facts[0].memory = 3;
    c.memory = 0;
    CHECK(multi_begin(&c, &t));
    CHECK_OK(multi_call(&c, &t, s.sorters));
    multi_check_result(&c, &t);
    CHECK(t.shares[0].jobs == 0 && t.shares[1].jobs == 1);
    multi_end(&t);
    mock.facts[1].memory = 20000;
    CHECK(multi_begin(&c, &t));
    CHECK_OK(multi_call(&c, &t, s.sorters));
    multi_check_result(&c, &t);
    CHECK(t.shares[0].status == CLSORT_ERROR_SCRATCH_TOO_LARGE && t.shares[1].jobs > 4);
    multi_end(&t);
    c.memory = 3;
    CHECK(multi_begin(&c, &t));
    CHECK_STATUS(multi_call(&c, &t, s.sorters), CLSORT_ERROR_SCRATCH_TOO_LARGE);
    multi_check_kept(&c, &t);
    multi_end(&t);
    close_stage(&s);
}

/* Without a limit of the caller's, a GPU goes in trips where its memory is short, also for scratch
   memory, which radix needs; a CPU where a quarter of the host's is. */
static void own_memory(bench *b)
{
    multi_case c = case_of(9000, CLSORT_TRANSFER_DEFAULT, 0);
    int way;
    (void)b;
    c.sorters = 1;
    c.memory = 0;
    for (way = 0; way < 6; way++) {
        const int device = way & 1;
        multi_state t;
        stage s;
        open_stage(&s, 0);
        mock.facts[device].memory = way < 2 ? 40000 : 50000;
        c.d.algorithm = way < 4 ? CLSORT_BITONIC : CLSORT_RADIX;
        CHECK(multi_begin(&c, &t));
        AT("way %d", way);
        CHECK_OK(multi_call(&c, &t, &s.sorters[device]));
        CHECK((t.shares[0].jobs > 1) == (way != 2));
        if (way < 4) multi_check_result(&c, &t);
        multi_end(&t);
        close_stage(&s);
    }
}

/* A mistake in the arguments of a call, and its answer. */
static void bad_call(stage *s, const clsort_desc *d, const clsort_multi_desc *m, cl_uint sorters,
                     clsort_status wanted, const char *what)
{
    cl_uint keys[10], i;
    for (i = 0; i < 10; i++) keys[i] = 10 - i;
    AT("%s", what);
    {
        clsort_multi_desc given = *m;
        given.sort = d;
        if (given.keys) given.keys = keys;
        CHECK_STATUS(clsort_sort_host_on(s->sorters, sorters, &given), wanted);
    }
    for (i = 0; i < 10; i++) CHECK(keys[i] == 10 - i);
    CHECK(!counted.live[COUNTED_BUFFER] && !counted.launches);
}

/* Descriptions that go with buffers only, or not with arrays of any size. */
static void bad_descriptions(bench *b)
{
    static const struct { const char *what; size_t at, bytes; clsort_status wanted; } fields[] = {
#define FIELD(name, wanted) { #name, offsetof(clsort_desc, name), \
                              sizeof ((clsort_desc *)0)->name, wanted }
        FIELD(rows, CLSORT_ERROR_UNSUPPORTED), FIELD(keys_offset, CLSORT_ERROR_UNSUPPORTED),
        FIELD(segment_count, CLSORT_ERROR_UNSUPPORTED), FIELD(scratch, CLSORT_ERROR_UNSUPPORTED),
        FIELD(top_k, CLSORT_ERROR_UNSUPPORTED), FIELD(keys, CLSORT_ERROR_UNSUPPORTED),
        FIELD(precedes, CLSORT_ERROR_FIELDS), FIELD(order, CLSORT_ERROR_UNKNOWN_VALUE),
        FIELD(value_size, CLSORT_ERROR_VALUE_SIZE), FIELD(struct_size, CLSORT_ERROR_UNKNOWN_VALUE),
#undef FIELD
    };
    size_t i;
    stage s;
    (void)b;
    open_stage(&s, 0);
    for (i = 0; i < sizeof fields / sizeof *fields; i++) {
        clsort_desc d = clsort_desc_default();
        clsort_multi_desc m = clsort_multi_desc_default();
        d.count = 10;
        d.key_type = CLSORT_U32;
        memset((unsigned char *)&d + fields[i].at, 7, fields[i].bytes < 8 ? fields[i].bytes : 1);
        m.keys = &m;
        bad_call(&s, &d, &m, 2, fields[i].wanted, fields[i].what);
    }
    close_stage(&s);
}

static void bad_calls(bench *b)
{
    clsort_desc d = clsort_desc_default();
    clsort_multi_desc m = clsort_multi_desc_default(), good;
    stage s;
    (void)b;
    open_stage(&s, 0);
    d.count = 10;
    d.key_type = CLSORT_U32;
    m.keys = &m;
    good = m;
    CHECK_STATUS(clsort_sort_host_on(NULL, 1, &m), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_sort_host_on(s.sorters, 1, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    bad_call(&s, &d, &m, 0, CLSORT_ERROR_NULL_ARGUMENT, "no sorters");
    bad_call(&s, NULL, &m, 2, CLSORT_ERROR_NULL_ARGUMENT, "no description");
#define BAD(field, value, wanted) \
    m = good, m.field = value, bad_call(&s, &d, &m, 2, wanted, #field)
    BAD(keys, NULL, CLSORT_ERROR_NULL_ARGUMENT);
    BAD(struct_size, 3, CLSORT_ERROR_UNKNOWN_VALUE);
    BAD(transfer, 3, CLSORT_ERROR_UNKNOWN_VALUE);
    BAD(reserved, 1, CLSORT_ERROR_UNKNOWN_VALUE);
    BAD(values, &m, CLSORT_ERROR_VALUE_SIZE);
    BAD(values_out, &m, CLSORT_ERROR_VALUE_SIZE);
    m = good, m.work = &m, m.work_size = 47;
    bad_call(&s, &d, &m, 2, CLSORT_ERROR_SCRATCH_TOO_SMALL, "work_size");
    m = good, d.value_size = 4, m.values = m.keys_out = &m;
    bad_call(&s, &d, &m, 2, CLSORT_ERROR_VALUE_SIZE, "keys_out without values_out");
    m = good, d.value_size = 0, d.count = (size_t)-1 / 8;
    bad_call(&s, &d, &m, 2, CLSORT_ERROR_SIZE_OVERFLOW, "count");
    d.count = 10, s.said[0].times = 0;
    {
        clsort_sorter *const twice[2] = { s.sorters[0], s.sorters[0] };
        CHECK_STATUS(clsort_sort_host_on(twice, 2, (m.sort = &d, &m)), CLSORT_ERROR_UNKNOWN_VALUE);
    }
    CHECK(s.said[0].times == 1);
#undef BAD
    close_stage(&s);
}

static const test_entry tests[] = {
    { "two devices share chunks and parts, in any order of their events", shares },
    { "calls leave no queues behind, or few", queues },
    { "a call takes all its sorters, and no other thread may use one", take_all_sorters },
    { "each call of two devices fails: right, or nothing is lost", each_call },
    { "each command of two devices fails: right", each_command },
    { "a device without room is not asked, or dropped", no_room },
    { "a device short of memory goes on with less", short_memory },
    { "a device goes in trips where its own memory is short", own_memory },
    { "descriptions that do not go with host arrays are refused", bad_descriptions },
    { "bad calls are refused before anything is done", bad_calls },
};

TEST_MAIN_ALONE(tests, "mock driver")
