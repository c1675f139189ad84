/* One clsort_prepare for every count up to a most, on the driver of mock.h: whatever the count, a
 * later sort launches nothing that was not launched before, and makes nothing but events. */

#include "mock.h"

#define CLSORT_IMPLEMENTATION
#include "harness.h"
#include "later.h"

#include "../tools/clsort/patterns.h"

/* ---- launches -------------------------------------------------------------------------------- */

/* A launch as a driver may compile it apart. */
typedef struct launch {
    const void *program;
    const char *kernel;
    size_t group;
    int large;                  /* as PoCL tells it on CPUs, but no GPU's driver */
} launch;

static struct { launch seen[1000]; int count, late, fresh, first_uses; } launches;

static void hear_launch(void *user, const mock_launch *heard)
{
    const int large = heard->global >= 65535 && mock.facts[0].type == CL_DEVICE_TYPE_CPU;
    launch *l = launches.seen;
    (void)user;
    launches.first_uses += heard->first_uses;
    for (; l < launches.seen + launches.count; l++)
        if (l->program == heard->program && !strcmp(l->kernel, heard->kernel)
            && l->group == heard->group && l->large == large)
            return;
    if (launches.late && !launches.fresh++)
        AT("%s, and %s of %zu work-items in groups of %zu, which is new", test_now.at,
           heard->kernel, heard->global, heard->group);
    if (!CHECK(launches.count < 1000)) return;
    launches.count++;
    l->program = heard->program;
    l->kernel = heard->kernel;
    l->group = heard->group;
    l->large = large;
}

/* ---- sorts ----------------------------------------------------------------------------------- */

typedef struct shape {
    const char *name;
    size_t most;
    cl_uint key_type;
    size_t value_size, record_size, rows, top_k;
    int stable, indices, keys_out, scratch;
    const char *algorithm;
    cl_uint flags;              /* CLSORT_FLAG_TOP_* */
} shape;

static const shape shapes[] = {
    { "bytes", 300000, CLSORT_U8, 0, 0, 0, 0, 0, 0, 0, 0, "auto", 0 },
    { "keys", 20000000, CLSORT_U32, 0, 0, 0, 0, 0, 0, 0, 0, "auto", 0 },
    { "long keys", 9000000, CLSORT_F64, 0, 0, 0, 0, 0, 0, 0, 0, "auto", 0 },
    { "keys out of place", 3000000, CLSORT_U32, 0, 0, 0, 0, 0, 0, 1, 0, "auto", 0 },
    { "pairs", 3000000, CLSORT_F32, 4, 0, 0, 0, 1, 0, 0, 0, "auto", 0 },
    { "pairs in scratch of the caller", 3000000, CLSORT_F16, 8, 0, 0, 0, 0, 0, 0, 1, "auto", 0 },
    { "particles", 1000000, CLSORT_F32, 48, 0, 0, 0, 1, 0, 0, 0, "auto", 0 },
    { "records", 1000000, CLSORT_U64, 0, 24, 0, 0, 0, 0, 0, 0, "auto", 0 },
    { "argsort", 3000000, CLSORT_U32, 0, 0, 0, 0, 0, 1, 0, 0, "auto", 0 },
    { "rows", 100000, CLSORT_U32, 4, 0, 9, 0, 0, 0, 0, 0, "auto", 0 },
    { "many rows", 3000, CLSORT_U16, 0, 0, 1000, 0, 0, 1, 0, 0, "auto", 0 },
    { "top-k", 300000, CLSORT_F32, 0, 0, 5, 40, 0, 1, 1, 0, "auto", 0 },
    { "top-k of many", 300000, CLSORT_U32, 0, 0, 3, 6000, 0, 1, 1, 0, "auto", 0 },
    { "partition", 100000, CLSORT_U32, 0, 0, 5, 40, 0, 0, 0, 0, "auto",
      CLSORT_FLAG_TOP_PARTITION },
    { "partition with indices", 300000, CLSORT_F32, 4, 0, 0, 40, 0, 1, 1, 0, "auto",
      CLSORT_FLAG_TOP_PARTITION | LATER_VALUES_OUT },
    { "the first of all", 3000, CLSORT_F32, 0, 0, 0, 3000, 0, 1, 1, 0, "auto", 0 },
    { "bitonic", 1000000, CLSORT_U32, 4, 0, 0, 0, 0, 0, 0, 0, "bitonic", 0 },
    { "merge", 1000000, CLSORT_U32, 0, 0, 0, 0, 0, 0, 0, 0, "merge", 0 },
    { "radix", 10000000, CLSORT_U64, 0, 0, 0, 0, 0, 0, 0, 0, "radix", 0 },
    { "quicksort", 1000000, CLSORT_U32, 0, 0, 0, 0, 0, 0, 0, 0, "quicksort", 0 }
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct stage {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_mem buffers[5];
    clsort_sorter *sorter;
    clsort_desc d;
} stage;

static cl_mem large_buffer(const stage *t)
{
    const cl_uint word = 0;
    cl_mem buffer = mock_new_buffer(t->context, (size_t)1 << 30);
    CHECK_OK(mock_clEnqueueFillBuffer(t->queue, buffer, &word, sizeof word, 0, sizeof word, 0, NULL,
                                      NULL));
    return buffer;
}

static void describe(stage *t, const shape *s)
{
    clsort_desc *const d = &t->d;
    *d = clsort_desc_default();
    d->count = s->most;
    d->key_type = s->key_type;
    d->value_size = s->value_size;
    d->record_size = s->record_size;
    d->rows = s->rows;
    d->top_k = s->top_k;
    d->stable = (cl_uint)s->stable;
    CHECK_OK(clsort_set_algorithm(d, s->algorithm));
    later(d, CLSORT_FLAG_ANY_COUNT | s->flags);
    if (s->indices) d->indices = CLSORT_LATER;
    if (s->keys_out) d->keys_out = CLSORT_LATER;
}

static void open_stage(stage *t, const shape *s, mock_facts facts, int out_of_order)
{
    int i;
    memset(t, 0, sizeof *t);
    mock_open(facts, out_of_order, &t->context, &t->device, &t->queue);
    launches.count = launches.late = launches.fresh = 0;
    mock.on_launch = hear_launch;
    for (i = 0; i < 5; i++) t->buffers[i] = large_buffer(t);
    CHECK_OK(clsort_create(t->context, t->device, NULL, &t->sorter));
    describe(t, s);
    if (!s->scratch) return;
    t->d.scratch = t->buffers[4];
    t->d.scratch_size = (size_t)1 << 30;
}

static void close_stage(stage *t)
{
    int i;
    clsort_destroy(t->sorter);
    CHECK(counted_nothing_live() && !mock.faults);
    for (i = 0; i < 5; i++) mock_clReleaseMemObject(t->buffers[i]);
    mock_clReleaseCommandQueue(t->queue);
    mock_clReleaseContext(t->context);
}

/* A frame: nothing is built or made but events, nothing is launched for the first time, and no
   buffer is used for the first time. */
static void run_frame(stage *t, const shape *s, size_t count)
{
    const int builds = mock.builds;
    int made[COUNTED_KINDS], kind;
    clsort_desc d = t->d;
    d.count = count;
    d.keys = t->buffers[0];
    if (s->value_size) d.values = t->buffers[1];
    if (s->keys_out) d.keys_out = t->buffers[2];
    if (s->indices) d.indices = t->buffers[3];
    if (s->flags & LATER_VALUES_OUT) d.values_out = t->buffers[4];
    d.flags = CLSORT_FLAG_NO_BUILD | (s->flags & CLSORT_FLAG_TOP_PARTITION)
              | (count % 2 ? CLSORT_FLAG_ANY_COUNT : 0);
    memcpy(made, counted.made, sizeof made);
    launches.first_uses = 0;
    AT("%s, device %s, %zu of %zu elements", s->name, mock.facts[0].name, count, s->most);
    CHECK_OK(clsort_enqueue_sort(t->sorter, t->queue, &d, 0, NULL, NULL));
    CHECK(mock.builds == builds && !launches.first_uses);
    for (kind = 0; kind < COUNTED_KINDS; kind++)
        if (kind != COUNTED_EVENT) CHECK(counted.made[kind] == made[kind]);
}

/* All small counts, those around powers of two, and some that are drawn. */
static void run_frames(stage *t, const shape *s, int small)
{
    const size_t least = s->top_k, dense = small ? 300 : 5000;
    uint64_t random = s->most;
    size_t n, i;
    for (n = least; n < least + dense && n <= s->most; n++) run_frame(t, s, n);
    for (n = 1; n / 2 <= s->most; n *= 2)
        for (i = 0; i < 5; i++)
            if (n + i >= 2 + least && n + i - 2 <= s->most) run_frame(t, s, n + i - 2);
    for (i = 0; i < dense; i++) {
        const size_t range = s->most >> pattern_random(&random) % 12;
        n = least + (size_t)(pattern_random(&random) % (range ? range : 1));
        run_frame(t, s, n < s->most ? n : s->most);
    }
}

static void prepare_and_run(stage *t, const shape *s, int small)
{
    CHECK_OK(clsort_prepare(t->sorter, t->queue, &t->d));
    launches.late = 1;
    run_frames(t, s, small);
    CHECK(!launches.fresh);
}

static void needs_nothing_later(bench *b)
{
    size_t v, i;
    for (v = 0; v < 2 * MOCK_PRESETS; v++)
        for (i = 0; i < SHAPES; i++) {
            stage t;
            open_stage(&t, &shapes[i], mock_presets[v / 2].facts(), v % 2);
            AT("%s on device %zu", shapes[i].name, v / 2);
            if (clsort_check(t.sorter, &t.d) == CL_SUCCESS)
                prepare_and_run(&t, &shapes[i], b->small || v % 2);
            close_stage(&t);
        }
}

/* A device of any size, whose plans change at other counts. */
static mock_facts draw_facts(uint64_t *random)
{
    mock_facts facts = mock_presets[pattern_random(random) % MOCK_PRESETS].facts();
    facts.compute_units = 1 + (cl_uint)(pattern_random(random) % 160);
    facts.local_bytes = (cl_ulong)4096 << pattern_random(random) % 6;
    if (pattern_random(random) % 2) facts.kernel_group = facts.max_group / 2;
    return facts;
}

/* Counts between those that prepare tries first may launch what neither of them does. */
static void drawn_need_nothing_later(bench *b)
{
    uint64_t random = 5;
    int v;
    for (v = 0; v < (b->small ? 200 : 1000); v++) {
        shape s = shapes[pattern_random(&random) % SHAPES];
        const size_t least = s.top_k ? s.top_k : 1;
        stage t;
        s.most = least + (size_t)(pattern_random(&random) % (s.most - least + 1));
        open_stage(&t, &s, draw_facts(&random), 0);
        if (v % 2) t.sorter->facts.max_allocation = (size_t)100000 << pattern_random(&random) % 9;
        AT("%s on drawn device %d", s.name, v);
        if (clsort_check(t.sorter, &t.d) == CL_SUCCESS) prepare_and_run(&t, &s, 1);
        close_stage(&t);
    }
}

/* On a device whose allocations are small, scratch memory has several buffers; where they begin
   depends on the count. */
static void several_buffers_are_made_ahead(bench *b)
{
    const shape s = { "pairs", 1500000, CLSORT_U32, 4, 0, 0, 0, 1, 0, 0, 0, "merge",
                      0 };
    mock_facts facts = mock_gpu();
    stage t;
    (void)b;
    facts.max_allocation = (cl_ulong)1 << 30;
    open_stage(&t, &s, facts, 0);
    t.sorter->facts.max_allocation = 8000000;
    CHECK_OK(clsort_prepare(t.sorter, t.queue, &t.d));
    run_frames(&t, &s, 1);
    close_stage(&t);
}

/* Without the flag, this would be noticed. */
static void the_flag_matters(bench *b)
{
    const shape *const s = &shapes[1];
    stage t;
    clsort_desc d;
    (void)b;
    open_stage(&t, s, mock_gpu(), 0);
    t.d.flags = 0;
    CHECK_OK(clsort_prepare(t.sorter, t.queue, &t.d));
    d = t.d;
    d.keys = t.buffers[0];
    d.count = 3000;
    d.flags = CLSORT_FLAG_NO_BUILD;
    CHECK_STATUS(clsort_enqueue_sort(t.sorter, t.queue, &d, 0, NULL, NULL), CLSORT_ERROR_NOT_READY);
    close_stage(&t);
}

static const test_entry tests[] = {
    { "prepared for any count, a sort builds, makes and launches nothing new",
      needs_nothing_later },
    { "on drawn devices, too, a prepared sort makes nothing new", drawn_need_nothing_later },
    { "several scratch buffers are made ahead", several_buffers_are_made_ahead },
    { "without CLSORT_FLAG_ANY_COUNT other counts are not ready", the_flag_matters }
};

TEST_MAIN_ALONE(tests, "a mock")
