/* Where arrays may lie, to the byte: a buffer of exactly the right size is taken, one of a byte
   less is not; arrays may touch, and may not share one byte that is written. And which buffers
   kernels must be able to read or write. Every array of every call, with elements of one byte, on
   the driver of mock.h. */

#include "mock.h"

#define CLSORT_IMPLEMENTATION
#include "harness.h"

enum { N = 64, ROWS = 3, STRIDE = 80, EXTENT = 2 * STRIDE + N, K = 8, SCRATCH_BYTES = 1 << 16 };
enum { MOST_ARRAYS = 9, ROOM = 1 << 18 };
enum { MANY = 6000, MOST = 5000 };   /* of more than one work-group sorts */

/* ---- calls ----------------------------------------------------------------------------------- */

typedef struct place {
    cl_mem buffer;
    size_t offset;
} place;

typedef struct world {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    clsort_sorter *sorter;
} world;

enum { READ = 1, WRITTEN = 2, BOTH = READ | WRITTEN };

/* An array of a call: its bytes, what its offset must be a multiple of, what kernels do with it. */
typedef struct array {
    const char *name;
    size_t bytes, step;
    int use;
} array;

/* A call, given the places of its arrays; and what a sort is told beside these. */
typedef struct api {
    const char *name;
    clsort_status (*call)(const world *w, const struct api *a, const place *at);
    array arrays[MOST_ARRAYS + 1];
    size_t count, rows, top_k;
    cl_uint work_group, flags;
} api;

/* Describes a sort, whose arrays have the names of the description's fields. */
static clsort_desc describe(const api *a, const place *at)
{
    static const struct { const char *name; size_t buffer, offset; } fields[] = {
#define FIELD(name, at) { #name, offsetof(clsort_desc, name), offsetof(clsort_desc, at##_offset) }
        FIELD(keys, keys), FIELD(keys_out, keys_out), FIELD(values, values),
        FIELD(values_out, values_out), FIELD(indices, indices), FIELD(scratch, scratch),
        FIELD(segments, segments), FIELD(segment_ends, segment_ends), FIELD(count_buffer, count)
#undef FIELD
    };
    clsort_desc d = clsort_desc_default();
    size_t i, k;
    for (i = 0; a->arrays[i].name; i++)
        for (k = 0; k < sizeof fields / sizeof *fields; k++) {
            if (strcmp(a->arrays[i].name, fields[k].name)) continue;
            memcpy((char *)&d + fields[k].buffer, &at[i].buffer, sizeof at[i].buffer);
            memcpy((char *)&d + fields[k].offset, &at[i].offset, sizeof at[i].offset);
        }
    d.count = a->count ? a->count : N;
    d.key_type = CLSORT_U8;
    d.rows = a->rows;
    d.row_stride = a->rows ? STRIDE : 0;
    d.top_k = a->top_k;
    d.tuning.work_group = a->work_group;
    d.flags = a->flags;
    d.value_size = d.values != NULL;
    d.scratch_size = d.scratch ? SCRATCH_BYTES : 0;
    d.segment_count = d.segments ? 5 : 0;
    return d;
}

static clsort_status enqueue(const world *w, const clsort_desc *d)
{
    const clsort_status checked = clsort_check(w->sorter, d);
    CHECK(clsort_enqueue_sort(w->sorter, w->queue, d, 0, NULL, NULL) == checked);
    return checked;
}

static clsort_status sort(const world *w, const api *a, const place *at)
{
    const clsort_desc d = describe(a, at);
    return enqueue(w, &d);
}

static clsort_status check_order(const world *w, const api *a, const place *at)
{
    const clsort_desc d = describe(a, at);
    return clsort_enqueue_is_sorted(w->sorter, w->queue, &d, at[2].buffer, at[2].offset, 0, NULL,
                                    NULL);
}

static clsort_status prove(const world *w, const api *a, const place *at)
{
    const clsort_desc d = describe(a, at);
    const cl_mem proof = at[5].buffer;
    const size_t offset = at[5].offset;
    const clsort_status before = clsort_enqueue_fingerprint(w->sorter, w->queue, &d, proof, offset,
                                                            0, NULL, NULL);
    CHECK(clsort_enqueue_verify(w->sorter, w->queue, &d, proof, offset, 0, NULL, NULL) == before);
    return before;
}

static clsort_status gather(const world *w, const api *self, const place *at)
{
    clsort_array a[2];
    clsort_gather_desc g = clsort_gather_desc_default();
    size_t i;
    (void)self;
    memset(a, 0, sizeof a);
    for (i = 0; i < 2; i++) {
        a[i].source = at[2 * i].buffer, a[i].source_offset = at[2 * i].offset;
        a[i].target = at[2 * i + 1].buffer, a[i].target_offset = at[2 * i + 1].offset;
        a[i].element_size = 1;
    }
    g.indices = at[4].buffer, g.indices_offset = at[4].offset;
    g.count = N;
    g.source_count = N + 4;
    g.arrays = a;
    g.array_count = 2;
    return clsort_enqueue_gather(w->sorter, w->queue, &g, 0, NULL, NULL);
}

static clsort_status merge(const world *w, const api *self, const place *at)
{
    clsort_merge_desc m = clsort_merge_desc_default();
    (void)self;
    m.count_a = m.count_b = N;
    m.key_type = CLSORT_U8;
    m.value_size = 1;
    m.keys_a = at[0].buffer, m.keys_a_offset = at[0].offset;
    m.keys_b = at[1].buffer, m.keys_b_offset = at[1].offset;
    m.keys_out = at[2].buffer, m.keys_out_offset = at[2].offset;
    m.values_a = at[3].buffer, m.values_a_offset = at[3].offset;
    m.values_b = at[4].buffer, m.values_b_offset = at[4].offset;
    m.values_out = at[5].buffer, m.values_out_offset = at[5].offset;
    return clsort_enqueue_merge(w->sorter, w->queue, &m, 0, NULL, NULL);
}

/* Two runs of N elements, in buffers of their own. */
static clsort_status merge_runs(const world *w, const api *self, const place *at)
{
    clsort_merge_runs_desc m = clsort_merge_runs_desc_default();
    clsort_run run[2];
    cl_uint k;
    (void)self;
    for (k = 0; k < 2; k++) {
        run[k].count = N;
        run[k].keys = at[k].buffer, run[k].keys_offset = at[k].offset;
        run[k].values = at[2 + k].buffer, run[k].values_offset = at[2 + k].offset;
    }
    m.runs = run;
    m.run_count = 2;
    m.key_type = CLSORT_U8;
    m.value_size = 1;
    m.keys_out = at[4].buffer, m.keys_out_offset = at[4].offset;
    m.values_out = at[5].buffer, m.values_out_offset = at[5].offset;
    m.scratch = at[6].buffer, m.scratch_offset = at[6].offset;
    m.scratch_size = SCRATCH_BYTES;
    return clsort_enqueue_merge_runs(w->sorter, w->queue, &m, 0, NULL, NULL);
}

static clsort_status part(const world *w, const api *self, const place *at)
{
    clsort_partition_desc p = clsort_partition_desc_default();
    (void)self;
    p.count = N;
    p.splitter_count = 3;
    p.key_type = CLSORT_U8;
    p.value_size = 1;
    p.keys = at[0].buffer, p.keys_offset = at[0].offset;
    p.keys_out = at[1].buffer, p.keys_out_offset = at[1].offset;
    p.values = at[2].buffer, p.values_offset = at[2].offset;
    p.values_out = at[3].buffer, p.values_out_offset = at[3].offset;
    p.splitters = at[4].buffer, p.splitters_offset = at[4].offset;
    p.starts = at[5].buffer, p.starts_offset = at[5].offset;
    p.scratch = at[6].buffer, p.scratch_offset = at[6].offset;
    p.scratch_size = SCRATCH_BYTES;
    return clsort_enqueue_partition(w->sorter, w->queue, &p, 0, NULL, NULL);
}

#define OUTPUTS(n) { "keys_out", n, 1, BOTH }, { "values", n, 1, READ }, \
                   { "values_out", n, 1, BOTH }, { "indices", 4 * (n), 4, BOTH }
#define SCRATCH { "scratch", SCRATCH_BYTES, 16, BOTH }

static const api apis[] = {
    { "a sort in place", sort,
      .arrays = { { "keys", N, 1, BOTH }, { "values", N, 1, BOTH } } },
    { "a sort", sort,
      .arrays = { { "keys", N, 1, READ }, OUTPUTS(N), SCRATCH } },
    { "rows", sort,
      .arrays = { { "keys", EXTENT, 1, READ }, OUTPUTS(EXTENT), SCRATCH,
                  { "count_buffer", 4, 4, READ } },
      .rows = ROWS },
    { "segments", sort,
      .arrays = { { "keys", N, 1, READ }, OUTPUTS(N), SCRATCH, { "segments", 4 * 6, 4, READ } } },
    { "segments with gaps", sort,
      .arrays = { { "keys", N, 1, READ }, OUTPUTS(N), SCRATCH, { "segments", 4 * 5, 4, READ },
                  { "segment_ends", 4 * 5, 4, READ } } },
    { "top-k", sort,
      .arrays = { { "keys", EXTENT, 1, READ }, { "keys_out", ROWS * K, 1, WRITTEN },
                  { "values", EXTENT, 1, READ }, { "values_out", ROWS * K, 1, WRITTEN },
                  { "indices", 4 * ROWS * K, 4, BOTH } },
      .rows = ROWS, .top_k = K },
    { "top-k of values", sort,
      .arrays = { { "keys", EXTENT, 1, READ }, { "keys_out", ROWS * K, 1, WRITTEN },
                  { "values", EXTENT, 1, READ }, { "values_out", ROWS * K, 1, WRITTEN },
                  SCRATCH },
      .rows = ROWS, .top_k = K },   /* values are fetched by indices, which lie in scratch memory */
    { "top-k of many", sort,
      .arrays = { { "keys", MANY, 1, READ }, { "keys_out", MOST, 1, BOTH },
                  { "indices", 4 * MOST, 4, BOTH }, SCRATCH },
      .count = MANY, .top_k = MOST, .work_group = 256 },   /* else the whole row is sorted */
    { "top-k of a sorted row", sort,
      .arrays = { { "keys", MANY, 1, READ }, { "keys_out", MOST, 1, WRITTEN },
                  { "indices", 4 * MOST, 4, WRITTEN }, SCRATCH },
      .count = MANY, .top_k = MOST },
    { "top-k of many, unsorted", sort,
      .arrays = { { "keys", MANY, 1, READ }, { "keys_out", MOST, 1, WRITTEN },
                  { "indices", 4 * MOST, 4, WRITTEN } },
      .count = MANY, .top_k = MOST, .flags = CLSORT_FLAG_TOP_UNSORTED },
    { "a check of order", check_order,
      .arrays = { { "keys", EXTENT, 1, READ }, { "count_buffer", 4, 4, READ },
                  { "result", 4, 4, BOTH } },
      .rows = ROWS },
    { "a proof", prove,
      .arrays = { { "keys", N, 1, READ }, OUTPUTS(N),
                  { "proof", sizeof(clsort_proof), 4, BOTH } } },
    { "a gather", gather,
      .arrays = { { "source", N + 4, 1, READ }, { "target", N, 1, WRITTEN },
                  { "second source", N + 4, 1, READ }, { "second target", N, 1, WRITTEN },
                  { "indices", 4 * N, 4, READ } } },
    { "a merge", merge,
      .arrays = { { "keys_a", N, 1, READ }, { "keys_b", N, 1, READ },
                  { "keys_out", 2 * N, 1, WRITTEN }, { "values_a", N, 1, READ },
                  { "values_b", N, 1, READ }, { "values_out", 2 * N, 1, WRITTEN } } },
    { "a merge of runs", merge_runs,
      .arrays = { { "runs[0].keys", N, 1, READ }, { "runs[1].keys", N, 1, READ },
                  { "runs[0].values", N, 1, READ }, { "runs[1].values", N, 1, READ },
                  { "keys_out", 2 * N, 1, BOTH }, { "values_out", 2 * N, 1, BOTH }, SCRATCH } },
    { "a partition", part,
      .arrays = { { "keys", N, 1, READ }, { "keys_out", N, 1, WRITTEN },
                  { "values", N, 1, READ }, { "values_out", N, 1, WRITTEN },
                  { "splitters", 3, 1, READ }, { "starts", 4 * 5, 4, WRITTEN }, SCRATCH } }
};
enum { APIS = sizeof apis / sizeof *apis };

/* ---- world ----------------------------------------------------------------------------------- */

static void open_world(world *w)
{
    mock_open(mock_gpu(), 0, &w->context, &w->device, &w->queue);
    CHECK_OK(clsort_create(w->context, w->device, NULL, &w->sorter));
}

static void close_world(world *w)
{
    clsort_destroy(w->sorter);
    mock_clReleaseCommandQueue(w->queue);
    mock_clReleaseContext(w->context);
    CHECK(!mock.faults);
}

/* Each array in a buffer of its own, with room. */
static void open_places(const world *w, const api *a, place *at)
{
    size_t i;
    for (i = 0; a->arrays[i].name; i++) {
        at[i].buffer = mock_new_buffer(w->context, ROOM);
        at[i].offset = 0;
    }
}

static void close_places(const api *a, place *at)
{
    size_t i;
    for (i = 0; a->arrays[i].name; i++) mock_clReleaseMemObject(at[i].buffer);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Does something with each array of each call: `expect` hears of array i, with all in places. */
static void try_arrays(void (*expect)(const world *w, const api *a, const place *at, size_t i))
{
    world w;
    size_t k, i;
    open_world(&w);
    for (k = 0; k < APIS; k++) {
        place at[MOST_ARRAYS];
        open_places(&w, &apis[k], at);
        CHECK_OK(apis[k].call(&w, &apis[k], at));
        for (i = 0; apis[k].arrays[i].name; i++) expect(&w, &apis[k], at, i);
        close_places(&apis[k], at);
    }
    close_world(&w);
}

/* Array i at an offset in a buffer of its own, which is released then. */
static void expect_moved(const world *w, const api *a, const place *at, size_t i, cl_mem buffer,
                         size_t offset, clsort_status code)
{
    place moved[MOST_ARRAYS];
    memcpy(moved, at, sizeof moved);
    moved[i].buffer = buffer;
    moved[i].offset = offset;
    CHECK_STATUS(a->call(w, a, moved), code);
    mock_clReleaseMemObject(buffer);
}

/* In buffers that end with the array, and a byte before. */
static void expect_ends(const world *w, const api *a, const place *at, size_t i)
{
    size_t offset, less;
    for (offset = 0; offset <= 48; offset += 48)
        for (less = 0; less < 2; less++) {
            AT("%s: %s at %zu ends %zu bytes behind its buffer", a->name, a->arrays[i].name,
               offset, less);
            expect_moved(w, a, at, i,
                         mock_new_buffer(w->context, offset + a->arrays[i].bytes - less), offset,
                         less ? CLSORT_ERROR_BUFFER_TOO_SMALL : CL_SUCCESS);
        }
}

static void buffers_end_with_their_arrays(bench *b)
{
    (void)b;
    try_arrays(expect_ends);
}

/* In buffers that kernels may only read, or only write. */
static void expect_access(const world *w, const api *a, const place *at, size_t i)
{
    int allowed;
    for (allowed = READ; allowed <= WRITTEN; allowed++) {
        cl_int error = 0;
        const cl_mem buffer = mock_clCreateBuffer(
            w->context, allowed == READ ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY, ROOM, NULL, &error);
        AT("%s: %s in a buffer that is only %s", a->name, a->arrays[i].name,
           allowed == READ ? "read" : "written");
        expect_moved(w, a, at, i, buffer, 0,
                     a->arrays[i].use & ~allowed ? CLSORT_ERROR_BUFFER_ACCESS : CL_SUCCESS);
    }
}

static void buffers_allow_what_kernels_do(bench *b)
{
    (void)b;
    try_arrays(expect_access);
}

/* In a buffer of another context, and at an offset near SIZE_MAX. What has no count cannot exceed a
   size_t: it is too long for its buffer. */
static void expect_nowhere(const world *w, const api *a, const place *at, size_t i)
{
    const int alone = !strcmp(a->arrays[i].name, "result") || !strcmp(a->arrays[i].name, "proof");
    cl_context other = mock_new_context(w->device);
    AT("%s: %s of another context", a->name, a->arrays[i].name);
    expect_moved(w, a, at, i, mock_new_buffer(other, ROOM), 0, CLSORT_ERROR_BUFFER_CONTEXT);
    mock_clReleaseContext(other);
    AT("%s: %s near SIZE_MAX", a->name, a->arrays[i].name);
    expect_moved(w, a, at, i, mock_new_buffer(w->context, ROOM), ~(size_t)15,
                 alone ? CLSORT_ERROR_BUFFER_TOO_SMALL : CLSORT_ERROR_SIZE_OVERFLOW);
}

static void arrays_are_where_they_can_be(bench *b)
{
    (void)b;
    try_arrays(expect_nowhere);
}

/* Rows of a gather, those of array `wide` an element too close: its sources and targets, then the
   indices. */
static void gather_rows(const world *w, const place *at, size_t wide)
{
    clsort_array a[2];
    clsort_gather_desc g;
    size_t i;
    memset(&g, 0, sizeof g);
    memset(a, 0, sizeof a);
    for (i = 0; i < 2; i++) {
        a[i].source = at[2 * i].buffer;
        a[i].target = at[2 * i + 1].buffer;
        a[i].element_size = 1;
        a[i].source_row_stride = N - (wide == 2 * i);
        a[i].target_row_stride = N - (wide == 2 * i + 1);
    }
    g.indices = at[4].buffer;
    g.indices_row_stride = 4 * N - 4 * (wide == 4);
    g.count = N;
    g.rows = ROWS;
    g.arrays = a;
    g.array_count = 2;
    AT("array %zu", wide);
    CHECK_STATUS(clsort_enqueue_gather(w->sorter, w->queue, &g, 0, NULL, NULL),
                 wide < 5 ? CLSORT_ERROR_OVERLAP : CL_SUCCESS);
}

static void rows_may_touch(bench *b)
{
    world w;
    place at[MOST_ARRAYS];
    const api *a = apis;
    size_t wide;
    (void)b;
    open_world(&w);
    while (strcmp(a->name, "a gather")) a++;
    open_places(&w, a, at);
    for (wide = 0; wide <= 5; wide++) gather_rows(&w, at, wide);
    close_places(a, at);
    close_world(&w);
}

/* Array j in the buffer of array i, `gap` steps behind its end. */
static void expect_neighbours(const world *w, const api *a, const place *at, size_t i, size_t j,
                              int gap)
{
    const array *first = &a->arrays[i], *second = &a->arrays[j];
    const int wrong = gap < 0 && ((first->use | second->use) & WRITTEN);
    place moved[MOST_ARRAYS];
    memcpy(moved, at, sizeof moved);
    moved[i].offset = (second->step - first->bytes % second->step) % second->step;
    moved[i].offset = (moved[i].offset + first->step - 1) / first->step * first->step;
    moved[j].buffer = moved[i].buffer;
    moved[j].offset = moved[i].offset + first->bytes + (size_t)(gap * (int)second->step);
    if (moved[j].offset % second->step) return;
    AT("%s: %s %d steps behind %s", a->name, second->name, gap, first->name);
    CHECK_STATUS(a->call(w, a, moved), wrong ? CLSORT_ERROR_OVERLAP : CL_SUCCESS);
}

static int checked;   /* places inside of others */

/* Arrays i and j are only read, and j lies at the start of i; array k is written behind j. */
static void expect_inside(const world *w, const api *a, const place *at, size_t i, size_t j,
                          size_t k)
{
    const array *around = &a->arrays[i], *inside = &a->arrays[j], *written = &a->arrays[k];
    place moved[MOST_ARRAYS];
    if ((around->use | inside->use) & WRITTEN || !(written->use & WRITTEN)) return;
    if (inside->bytes + written->step > around->bytes || inside->bytes % written->step) return;
    memcpy(moved, at, sizeof moved);
    moved[j] = moved[k] = moved[i];
    moved[k].offset += inside->bytes;
    AT("%s: %s and then %s inside %s", a->name, inside->name, written->name, around->name);
    CHECK_STATUS(a->call(w, a, moved), CLSORT_ERROR_OVERLAP);
    checked++;
}

static void expect_no_sharing(const world *w, const api *a, const place *at, size_t i)
{
    size_t j, k;
    for (j = 0; a->arrays[j].name; j++) {
        if (i == j) continue;
        expect_neighbours(w, a, at, i, j, 0);
        expect_neighbours(w, a, at, i, j, -1);
        for (k = 0; a->arrays[k].name; k++) expect_inside(w, a, at, i, j, k);
    }
}

static void arrays_may_touch(bench *b)
{
    (void)b;
    checked = 0;
    try_arrays(expect_no_sharing);
    CHECK(checked > 10);
}

/* The bytes that clsort_explain tells: of AUTO clsort_scratch_size gives no fewer, of a named
   algorithm just these. */
static size_t told_scratch(world *w, const clsort_desc *d)
{
    char text[2000] = "";
    const char *at;
    size_t bytes = 0;
    CHECK_OK(clsort_scratch_size(w->sorter, d, &bytes));
    CHECK_OK(clsort_explain(w->sorter, d, text, sizeof text));
    at = strstr(text, "\nscratch ");
    if (!CHECK(at != NULL)) return bytes;
    if (d->algorithm) CHECK((size_t)strtoull(at + 9, NULL, 10) == bytes);
    CHECK((size_t)strtoull(at + 9, NULL, 10) <= bytes);
    return (size_t)strtoull(at + 9, NULL, 10);
}

/* Scratch of exactly the size that a sort takes is enough; a byte less is not. */
static void scratch_is_exact(bench *b)
{
    static const struct { size_t count, k, value_size; cl_uint algorithm; } cases[] = {
        { 1000, 0, 0, CLSORT_MERGE }, { 1000, 0, 1, CLSORT_MERGE }, { 5000, 0, 0, CLSORT_RADIX },
        { 5000, 0, 4, CLSORT_RADIX }, { 5000, 0, 0, CLSORT_QUICKSORT }, { 100, 0, 12, 0 },
        { 20000, 10, 0, 0 }, { 20000, 10, 4, 0 }, { 20000, 5000, 4, 0 }
    };
    world w;
    size_t i;
    (void)b;
    open_world(&w);
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        clsort_desc d = clsort_desc_default();
        d.key_type = CLSORT_U8;
        d.count = cases[i].count;
        d.top_k = cases[i].k;
        d.algorithm = cases[i].algorithm;
        d.value_size = cases[i].value_size;
        d.keys = mock_new_buffer(w.context, ROOM);
        d.values = d.value_size ? mock_new_buffer(w.context, ROOM) : NULL;
        d.keys_out = mock_new_buffer(w.context, ROOM);
        d.values_out = d.value_size ? mock_new_buffer(w.context, ROOM) : NULL;
        d.scratch = mock_new_buffer(w.context, 4 * ROOM);
        AT("case %zu", i);
        d.scratch_size = 4 * ROOM;
        d.scratch_size = told_scratch(&w, &d);
        CHECK(d.scratch_size > 0);
        CHECK_OK(enqueue(&w, &d));
        d.scratch_size--;
        CHECK_STATUS(enqueue(&w, &d), CLSORT_ERROR_SCRATCH_TOO_SMALL);
        mock_clReleaseMemObject(d.keys);
        if (d.values) mock_clReleaseMemObject(d.values);
        mock_clReleaseMemObject(d.keys_out);
        if (d.values) mock_clReleaseMemObject(d.values_out);
        mock_clReleaseMemObject(d.scratch);
    }
    close_world(&w);
}

static const test_entry tests[] = {
    { "buffers may end with their arrays, not a byte before", buffers_end_with_their_arrays },
    { "buffers allow what kernels do, and need not allow more", buffers_allow_what_kernels_do },
    { "arrays lie in buffers of the sorter's context, at offsets that end in a size_t",
      arrays_are_where_they_can_be },
    { "rows of each array of a gather may touch, but not overlap", rows_may_touch },
    { "arrays may touch, but not share a byte that is written", arrays_may_touch },
    { "scratch may be as small as documented, not a byte smaller", scratch_is_exact }
};

TEST_MAIN_ALONE(tests, "a mock")
