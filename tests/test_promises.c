/* Promises about memory on devices of every kind, of any size: on the driver of mock.h. */

#include "mock.h"

#define CLSORT_IMPLEMENTATION
#include "draw.h"

/* ---- devices and descriptions ---- */

typedef struct world {
    cl_context context;
    cl_command_queue queue;
    clsort_sorter *sorter;
} world;

static void open_world(world *w, mock_facts facts, cl_ulong max_allocation)
{
    cl_device_id device;
    facts.max_allocation = max_allocation;
    mock_open(facts, 0, &w->context, &device, &w->queue);
    CHECK_OK(clsort_create(w->context, device, NULL, &w->sorter));
}

static void close_world(world *w)
{
    clsort_destroy(w->sorter);
    mock_clReleaseCommandQueue(w->queue);
    mock_clReleaseContext(w->context);
    CHECK(counted_nothing_live() && !mock.faults);
}

/* Kinds of descriptions: by every algorithm, rows, segments, a count on the device, selections. */
enum { BY_ROWS = CLSORT_QUICKSORT + 1, BY_SEGMENTS, COUNTED, TOP, TOP_LONG, SHAPES };
enum { VARIANTS = 64, KINDS = SHAPES * VARIANTS };

static void shape_desc(clsort_desc *d, cl_uint shape)
{
    d->algorithm = shape <= CLSORT_QUICKSORT ? shape : CLSORT_AUTO;
    if (shape == BY_ROWS) d->rows = 3;
    if (shape == BY_SEGMENTS) d->segment_count = 5;
    if (shape == COUNTED) d->count_buffer = CLSORT_LATER;
    if (shape == TOP) d->top_k = 7;
    if (shape == TOP_LONG) d->top_k = 5000;
    if (d->top_k && !d->indices) d->keys_out = CLSORT_LATER;
}

static clsort_desc describe(cl_uint kind)
{
    static const cl_uint types[] = { CLSORT_U8, CLSORT_U32, CLSORT_F64, CLSORT_F16 };
    static const size_t values[] = { 0, 1, 4, 20 };
    clsort_desc d = clsort_desc_default();
    d.key_type = types[kind & 3];
    d.value_size = values[kind >> 2 & 3];
    d.stable = kind >> 4 & 1;
    if (kind >> 5 & 1) {
        d.indices = d.keys_out = CLSORT_LATER;
        if (d.value_size) d.values_out = CLSORT_LATER;
        d.zero_order = CLSORT_ZERO_EQUAL;
    }
    shape_desc(&d, kind / VARIANTS);
    return d;
}

/* ---- sizes ---- */

/* Is this how a size is refused that is too large for the device, or for a size_t? */
static int is_too_large(clsort_status status)
{
    return status == CLSORT_ERROR_COUNT_TOO_LARGE || status == CLSORT_ERROR_SIZE_OVERFLOW
           || status == CLSORT_ERROR_SCRATCH_TOO_LARGE;
}

/* Tables of about 41 KB for each of many rows: a size is right or refused, on hosts of 32 bits,
   too. */
static void sizes_do_not_wrap(bench *b)
{
    size_t rows, bytes;
    (void)b;
    for (rows = 1000; rows < 1 << 24; rows += rows / 7) {
        clsort_desc d = clsort_desc_default();
        const double least = 4.0 * 3 * 2048 * (double)rows;
        clsort_status status;
        d.key_type = CLSORT_U8;
        d.count = d.top_k = 1;
        d.rows = rows;
        AT("%zu rows", rows);
        status = clsort_scratch_size(NULL, &d, &bytes);
        if (status == CL_SUCCESS) CHECK((double)bytes >= least);
        else CHECK_STATUS(status, CLSORT_ERROR_SCRATCH_TOO_LARGE);
        CHECK(status == CL_SUCCESS || least > 2.5e9);
    }
}

/* The most elements that a number can say, of several rows. */
static void selections_of_too_many(bench *b)
{
    size_t v;
    (void)b;
    for (v = 0; v < DRAW_KINDS; v++) {
        world w;
        clsort_desc d = clsort_desc_default();
        open_world(&w, draw_facts(&draw_kinds[v]), (cl_ulong)1 << 40);
        d.key_type = CLSORT_U32;
        d.rows = 400;
        d.top_k = 7;
        AT("%s", draw_kinds[v].name);
        for (d.count = (size_t)-1; d.count > (size_t)-100; d.count--)
            if (!CHECK(is_too_large(clsort_check(w.sorter, &d)))) break;
        close_world(&w);
    }
}

/* On NVIDIA's GPUs with work-groups of 64 to 256, radix of samples gives each work-item 16 elements
   from some count on, and then needs fewer buckets than for one element less. */
static void samples_need_no_less(bench *b)
{
    cl_uint group_log2;
    (void)b;
    for (group_log2 = 6; group_log2 <= 8; group_log2++) {
        const size_t edge = clsort__samples_spread(&clsort__policies[CLSORT__NVIDIA],
                                                  group_log2);
        mock_facts f = mock_nvidia();
        size_t bytes[3] = { 0, 0, 0 }, i;
        world w;
        f.max_group = (size_t)1 << group_log2;
        open_world(&w, f, (cl_ulong)1 << 40);
        w.sorter->options.flags |= CLSORT_OPTION_BUILT_IN_CHOICES;   /* samples, here */
        AT("work-groups of %zu", f.max_group);
        for (i = 0; i < 3; i++) {
            clsort_desc d = clsort_desc_default();
            d.count = edge - 1 + i;
            d.key_type = CLSORT_U32;
            CHECK_OK(clsort_scratch_size(w.sorter, &d, &bytes[i]));
        }
        CHECK(bytes[0] <= bytes[1] && bytes[1] <= bytes[2]);
        close_world(&w);
    }
}

/* ---- allocations ---- */

enum { OWN_ROLES = INDICES + 1 };

/* Makes the buffers of a call; 0 if the device cannot. */
static int make_buffers(const world *w, const clsort_desc *d, cl_mem *buffers)
{
    const size_t key = (d->key_type & 0xFF) / 8, rows = d->rows ? d->rows : 1;
    const size_t results = d->top_k ? rows * d->top_k : rows * d->count, n = rows * d->count;
    const size_t bytes[OWN_ROLES] = { n * key, results * key, n * d->value_size,
                                  results * d->value_size, results * 4 };
    const int wanted[OWN_ROLES] = { 1, d->keys_out != NULL, 1, d->values_out != NULL,
                                d->indices != NULL };
    int made = 1, i;
    for (i = 0; i < OWN_ROLES; i++) {
        cl_int error = CL_SUCCESS;
        buffers[i] = NULL;
        if (!bytes[i] || !wanted[i]) continue;
        buffers[i] = mock_clCreateBuffer(w->context, CL_MEM_READ_WRITE, bytes[i], NULL, &error);
        made = made && error == CL_SUCCESS;
    }
    return made;
}

/* What clsort_check says without buffers is what prepare and the call itself do. */
static void expect_agreement(const world *w, clsort_desc d)
{
    const clsort_status said = clsort_check(w->sorter, &d);
    cl_mem buffers[OWN_ROLES];
    const int made = make_buffers(w, &d, buffers);
    size_t bytes = 0;
    int i;
    CHECK_STATUS(clsort_prepare(w->sorter, NULL, &d), said);
    CHECK_STATUS(clsort_scratch_size(w->sorter, &d, &bytes), said);
    CHECK(made ? said != CLSORT_ERROR_COUNT_TOO_LARGE : said == CLSORT_ERROR_COUNT_TOO_LARGE);
    d.keys = buffers[KEYS];
    d.keys_out = buffers[KEYS_OUT];
    d.values = buffers[VALUES];
    d.values_out = buffers[VALUES_OUT];
    d.indices = buffers[INDICES];
    if (made) CHECK_STATUS(clsort_enqueue_sort(w->sorter, w->queue, &d, 0, NULL, NULL), said);
    for (i = 0; i < OWN_ROLES; i++)
        if (buffers[i]) mock_clReleaseMemObject(buffers[i]);
    CHECK_OK(clsort_trim(w->sorter));
}

static int is_sortable(const clsort_desc *d, cl_uint shape)
{
    if (shape == BY_SEGMENTS || shape == COUNTED) return 0;
    return !d->top_k || !d->value_size || d->values_out;
}

static void checks_know_allocations(bench *b)
{
    static const cl_ulong most[] = { 1 << 20, (4 << 20) + 16, (cl_ulong)1 << 32 };
    size_t v, m;
    cl_uint kind;
    int more;
    (void)b;
    for (v = 0; v < DRAW_KINDS; v++)
        for (m = 0; m < 3; m++) {
            world w;
            open_world(&w, draw_facts(&draw_kinds[v]), most[m]);
            for (kind = 0; kind < KINDS; kind++)
                for (more = 0; more < 4; more++) {
                    clsort_desc d = describe(kind);
                    const size_t key = (d.key_type & 0xFF) / 8;
                    const size_t wide = d.value_size > key ? d.value_size : key;
                    const size_t rows = d.rows ? d.rows : 1;
                    const cl_ulong n = most[m] / wide / rows / (more > 1 ? 4 : 1) + (more & 1);
                    d.count = (size_t)n;
                    if (n > 0xFFFFFFFFu || !is_sortable(&d, kind / VARIANTS)) continue;
                    if (sizeof(size_t) < 8 && m == 2) continue;   /* no such arrays there */
                    if (clsort_check(w.sorter, &d) == CLSORT_ERROR_UNSUPPORTED) continue;
                    AT("%s of %.0f bytes, kind %u, %zu elements", draw_kinds[v].name,
                       (double)most[m], (unsigned)kind, d.count);
                    expect_agreement(&w, d);
                }
            close_world(&w);
        }
}

/* Keys and their values, each as large as the device allows or half of that, are sorted by AUTO. */
static void arrays_of_any_size(bench *b)
{
    static const struct { cl_uint type; size_t value_size; double share; } arrays[] = {
        { CLSORT_U8, 0, 1 }, { CLSORT_U8, 1, 1 }, { CLSORT_U32, 4, 0.5 }, { CLSORT_U32, 4, 1 },
        { CLSORT_U64, 8, 1 }, { CLSORT_U16, 0, 1 }, { CLSORT_F32, 2, 1 }
    };
    size_t v, i;
    (void)b;
    for (v = 0; v < DRAW_KINDS; v++) {
        world w;
        open_world(&w, draw_facts(&draw_kinds[v]), ((cl_ulong)1 << 32) - 16);
        for (i = 0; i < sizeof arrays / sizeof *arrays; i++) {
            clsort_desc d = clsort_desc_default();
            if (sizeof(size_t) < 8) continue;   /* no such arrays there */
            d.key_type = arrays[i].type;
            d.value_size = arrays[i].value_size;
            d.count = (size_t)(4294967280.0 * arrays[i].share) / ((d.key_type & 0xFF) / 8);
            AT("%s, type %x with values of %zu bytes", draw_kinds[v].name, (unsigned)d.key_type,
               d.value_size);
            CHECK_OK(clsort_check(w.sorter, &d));
            expect_agreement(&w, d);
        }
        close_world(&w);
    }
}

static const test_entry tests[] = {
    { "sizes of scratch do not wrap", sizes_do_not_wrap },
    { "too many elements to select from are refused", selections_of_too_many },
    { "samples of a count need no less scratch than of one element less", samples_need_no_less },
    { "clsort_check knows what can be allocated", checks_know_allocations },
    { "AUTO sorts arrays as large as the device allocates", arrays_of_any_size }
};

TEST_MAIN_ALONE(tests, "a mock")
