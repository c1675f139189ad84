/* Host arrays of any size, on one device or several: every type, with values, as records,
   argsorted, in as many chunks as small limits of device memory make. Devices that fail are
   dropped, and nothing is lost. */

#define CLSORT_STAGE_BYTES 20000
#define CLSORT__MULTI_MERGERS 2
#include "counted.h"

#define CLSORT_IMPLEMENTATION
#include "multi.h"

/* Another sorter for the same device. */
static clsort_sorter *make_sorter(const bench *b)
{
    clsort_sorter *s = NULL;
    CHECK_OK(clsort_create(b->session.context, b->session.info.id, NULL, &s));
    return s;
}

enum { TABLES = 20000 };   /* bytes of device memory that tables of any device's forms fit in */

/* A limit with which n elements take about this number of chunks. */
static size_t memory_for(size_t n, size_t element, size_t chunks)
{
    return 5 * n * element / chunks + TABLES;
}

static const cl_uint long_types[] = { CLSORT_U32, CLSORT_I32, CLSORT_F32,
                                      CLSORT_U64, CLSORT_I64, CLSORT_F64 };

/* Arrays that fit on the device, but not in one buffer: they make one trip. */
static void several_buffers(bench *b)
{
    const cl_ulong most = b->sorter->facts.max_allocation;
    multi_state t;
    size_t i;
    for (i = 0; i < 8; i++) {
        multi_case c = multi_make(long_types[i % 6], 100000 + i, i & 1 ? "mod-256" : "uniform");
        const size_t key = pattern_key_size(c.d.key_type), element = key + (i % 3 ? 4 : 0);
        c.d.stable = 1;
        c.d.value_size = i % 3 ? 4 : 0;
        c.d.order = (cl_uint)i / 2 % 2;
        c.out = c.work = i / 2 % 2;
        c.argsort = i == 4;
        c.transfer = 1 + (cl_uint)i % 2;
        c.memory = 8 * c.d.count * element + 2000000;
        b->sorter->facts.max_allocation = c.d.count * key - 1;
        CHECK(multi_begin(&c, &t));
        CHECK_OK(multi_call(&c, &t, &b->sorter));
        multi_check_result(&c, &t);
        CHECK(t.shares[0].jobs > 8);
        if (c.work) CHECK(image_untouched(&t.image, MULTI_WORK));   /* no run came back */
        multi_end(&t);
        b->sorter->facts.max_allocation = most;
    }
}

/* So do records, long values and some bits of keys, whose pieces are sorted once more. */
static void several_buffers_of_others(bench *b)
{
    const cl_ulong most = b->sorter->facts.max_allocation;
    multi_state t;
    size_t i;
    for (i = 0; i < 4; i++) {
        multi_case c = multi_make(CLSORT_U32, 60000 + i, "mod-256");
        c.d.stable = 1;
        c.out = c.work = 1;
        if (i < 2) c.d.record_size = 12;
        if (i < 2) c.d.key_offset = c.key_at = 4;
        c.d.value_size = i == 1 ? 4 : i == 2 ? 12 : 0;
        if (i == 3) c.d.first_bit = 3;
        if (i == 3) c.d.last_bit = 7;
        c.transfer = 1 + (cl_uint)i % 2;
        c.memory = 40 * c.d.count * 16 + 2000000;
        b->sorter->facts.max_allocation = c.d.count * (i < 2 ? 12 : i == 2 ? 12 : 4) - 1;
        CHECK(multi_begin(&c, &t));
        CHECK_OK(multi_call(&c, &t, &b->sorter));
        multi_check_result(&c, &t);
        CHECK(t.shares[0].jobs > 8);
        CHECK(image_untouched(&t.image, MULTI_WORK));   /* no run came back */
        multi_end(&t);
        b->sorter->facts.max_allocation = most;
    }
}

/* clsort_sort_host refuses such arrays, and names what takes them, if anything does. */
static void sort_host(bench *b)
{
    const cl_ulong most = b->sorter->facts.max_allocation;
    multi_case c = multi_make(CLSORT_F32, 100000, "uniform");
    multi_state t;
    void *keys, *values;
    c.d.value_size = 8;
    c.d.stable = 1;
    CHECK(multi_begin(&c, &t));
    b->sorter->facts.max_allocation = 300000;
    keys = multi_array(&t, MULTI_KEYS);
    values = multi_array(&t, MULTI_VALUES);
    CHECK_STATUS(clsort_sort_host(b->sorter, &c.d, keys, values, NULL),
                 CLSORT_ERROR_COUNT_TOO_LARGE);
    CHECK(strstr(clsort_last_error(b->sorter), "clsort_sort_host_on of clsort_multi.h"));
    CHECK_OK(multi_call(&c, &t, &b->sorter));
    multi_check_result(&c, &t);
    c.d.rows = 2;
    CHECK_STATUS(clsort_sort_host(b->sorter, &c.d, keys, values, NULL),
                 CLSORT_ERROR_COUNT_TOO_LARGE);
    CHECK(!strstr(clsort_last_error(b->sorter), "clsort_sort_host_on"));
    b->sorter->facts.max_allocation = most;
    multi_end(&t);
}

/* The whole key says whether it is a NaN or a zero, on the devices and where the host cuts runs. */
static void some_bits_of_floats(bench *b)
{
    uint64_t random = test_seed();
    cl_uint jobs = 0, one = 1;
    size_t i;
    for (i = 0; one && i < (b->small ? 30 : 100); i++) {
        const multi_case c = multi_draw(b->sorter, &random);
        jobs += one = multi_run(&c, &b->sorter);
    }
    CHECK(jobs > 4 * i);
}

/* Devices of other platforms, if the loader shows any: arrays on both are right. */
static void other_platforms(bench *b)
{
    device_info list[DEVICE_MAX];
    device_session session;
    clsort_sorter *sorters[2];
    const size_t count = test_devices(list);
    multi_case c = multi_make(CLSORT_F32, 200000, "uniform");
    multi_state t;
    size_t i = 0;
    while (i < count && list[i].platform == b->session.info.platform) i++;
    if (i == count) {
        printf("  not run: there is one platform\n");
        return;
    }
    sorters[0] = b->sorter;
    if (!CHECK(device_open(&list[i], &session))) return;
    CHECK_OK(clsort_create(session.context, session.info.id, NULL, &sorters[1]));
    c.sorters = 2;
    c.argsort = 1;
    c.d.stable = 1;
    c.memory = memory_for(c.d.count, 12, 24);
    CHECK(multi_begin(&c, &t));
    CHECK_OK(multi_call(&c, &t, sorters));
    multi_check_result(&c, &t);
    CHECK(t.shares[0].jobs && t.shares[1].jobs);
    printf("  %s: %u jobs, %s: %u jobs\n", b->session.info.platform_name, t.shares[0].jobs,
           session.info.platform_name, t.shares[1].jobs);
    multi_end(&t);
    clsort_destroy(sorters[1]);
    device_close(&session);
}

/* Does a fault do what it should? With `all`, all later calls fail, too. */
static int check_fault(const multi_case *c, clsort_sorter *const *sorters, int call, int all)
{
    multi_state t;
    clsort_status status;
    int good;
    CHECK(multi_begin(c, &t));
    counted.calls = counted.failed = 0;
    counted.code = CL_OUT_OF_RESOURCES;
    counted.fail_after = all;
    counted.fail_at = call;
    status = multi_call(c, &t, sorters);
    counted.fail_at = 0;
    AT("call %d fails (%s)%s", call, counted.failed ? counted.failed_function : "none",
       all ? ", and all later ones" : "");
    good = status == CL_SUCCESS ? multi_check_result(c, &t) : multi_check_kept(c, &t);
    if (!all && counted.failed && strcmp(counted.failed_function, "malloc"))
        good = CHECK(status == CL_SUCCESS) && good;
    if (status != CL_SUCCESS && status != CL_OUT_OF_HOST_MEMORY)
        good = CHECK(t.shares[0].status != CL_SUCCESS && t.shares[1].status != CL_SUCCESS) && good;
    multi_end(&t);
    return good;
}

/* A sample of the calls of two devices fails, alone or, where no command writes to host arrays,
   with all that come after it: clFinish does not wait then. */
static void a_device_fails(bench *b)
{
    const int samples = b->small ? 6 : test_draws(b) ? 16 : 40;
    const int first = (int)(test_seed() % 4);   /* of four that come after each other */
    const cl_ulong most = b->sorter->facts.max_allocation;
    clsort_sorter *sorters[2];
    multi_case c = multi_make(CLSORT_U32, 30000, "uniform");
    int calls, i, way;
    c.sorters = 2;
    c.d.value_size = 4;
    sorters[0] = b->sorter;
    sorters[1] = make_sorter(b);
    for (way = 0; way < 6; way++) {
        const int live = counted.live[COUNTED_BUFFER];
        c.transfer = 1 + (cl_uint)way % 2;
        c.out = way > 1;
        c.memory = memory_for(c.d.count, 8, 10);
        if (way > 3) c.memory = 8 * c.d.count * 8 + 2000000;
        for (i = 0; i < 2; i++) sorters[i]->facts.max_allocation = way > 3 ? 119999 : most;
        check_fault(&c, sorters, 0, 0);
        calls = counted.calls;
        for (i = 0; i < samples; i++)
            if (!check_fault(&c, sorters, 1 + (int)((long)calls * (4 * i + first) / (4 * samples)),
                             way & i & 1)) break;
        CHECK(counted.live[COUNTED_BUFFER] == live);
    }
    b->sorter->facts.max_allocation = most;
    clsort_destroy(sorters[1]);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const clsort_field fields[4] = { { 4, CLSORT_U8, CLSORT_DESCENDING, 0, 0 },
                                        { 8, CLSORT_F32, 0, CLSORT_NAN_EQUAL, CLSORT_ZERO_EQUAL },
                                        { 0, CLSORT_BYTES + 3, CLSORT_DESCENDING, 0, 0 },
                                        { 0, CLSORT_U16, 0, 0, 0 } };

/* One test: of each list its cases take one in turn; the order, where the result goes, who brings
   the work memory and how elements travel change by themselves. */
enum { ROW_MOST = 10 };
typedef struct multi_row {
    const char *name;
    unsigned times;
    size_t n, jobs;                 /* elements; more jobs than this are wanted */
    cl_uint types[ROW_MOST], type_count;
    const char *patterns[ROW_MOST];
    size_t pattern_count, values[ROW_MOST], value_count, records[3], record_count;
    size_t chunks[ROW_MOST], chunk_count;   /* of elements, about */
    cl_uint first_bit, last_bit, sorters;
    unsigned argsort;               /* one case of this number; 0: none */
    int unstable, equals, fields;   /* equals: zeros, and NaNs in turn; fields: the second half */
} multi_row;

static multi_case row_case(const multi_row *r, unsigned i)
{
    multi_case c = multi_make(r->types[i % r->type_count], r->n, r->patterns[i % r->pattern_count]);
    const size_t key = pattern_key_size(c.pattern_type);
    c.d.stable = !r->unstable;
    c.d.order = i / 2 % 2;
    c.d.nan_order = r->equals ? i % 3 : i % 3 == 1;
    c.d.zero_order = (cl_uint)r->equals;
    c.d.value_size = r->value_count ? r->values[i % r->value_count] : 0;
    c.d.first_bit = r->first_bit, c.d.last_bit = r->last_bit;
    if (r->record_count) c.d.record_size = r->records[i % r->record_count];
    if (r->record_count) c.d.key_offset = c.key_at = 8;
    if (r->fields && i >= r->times / 2) {
        c.d.key_type = c.d.nan_order = c.d.order = 0;
        c.d.key_offset = 0;
        c.d.fields = fields;
        c.d.field_count = 4;
    }
    c.argsort = r->argsort && i % r->argsort == 0;
    c.out = i % 4 == 3 && !(c.argsort && c.d.value_size);
    c.work = i % 4 > 1;
    c.transfer = i % 3;
    c.sorters = r->sorters ? 2 + i % r->sorters : 1;
    c.memory = memory_for(r->n, (c.d.record_size ? c.d.record_size : key) + c.d.value_size,
                          r->chunks[i % r->chunk_count]);
    return c;
}

#define ALL_TYPES \
    { CLSORT_U8, CLSORT_I16, CLSORT_F16, CLSORT_BF16, CLSORT_U32, CLSORT_I32, CLSORT_F32, \
      CLSORT_U64, CLSORT_I64, CLSORT_F64 }, 10

/* The most that fits in one trip, one element more, two, three, 16, 17 and 40 runs and more. */
static const multi_row rows[] = {
    { "host arrays of each type are sorted in chunks", 10, 60000, 4, ALL_TYPES, { "uniform" }, 1,
      { 0 }, 0, { 0 }, 0, { 9 }, 1, 0, 0, 0, 0, 1, 0, 0 },
    { "any number of runs is merged, stably", 8, 100000, 0, { CLSORT_U32 }, 1, { "mod-256" }, 1,
      { 4 }, 1, { 0 }, 0, { 1, 2, 3, 8, 16, 17, 40, 150 }, 8, 0, 0, 0, 0, 0, 0, 0 },
    { "skewed keys are sorted in chunks, stably", 8, 50000, 6, { CLSORT_I32, CLSORT_U64 }, 2,
      { "equal", "sorted", "reverse", "min-max", "zipf", "organ-pipe", "two-runs",
        "mostly-zero" }, 8, { 0, 4, 8 }, 3, { 0 }, 0, { 12 }, 1, 0, 0, 0, 3, 0, 0, 0 },
    { "values of any size move with their keys", 7, 20000, 1, { CLSORT_U16, CLSORT_F32 }, 2,
      { "mod-256" }, 1, { 1, 2, 3, 8, 12, 16, 33 }, 7, { 0 }, 0, { 7 }, 1, 0, 0, 0, 0, 0, 0, 0 },
    { "equal zeros and NaNs keep their order", 8, 20000, 4, { CLSORT_F32, CLSORT_F64 }, 2,
      { "zeros", "nans-10", "around-zero", "numbers" }, 4, { 0 }, 0, { 0 }, 0, { 20 }, 1, 0, 0, 0,
      1, 0, 1, 0 },
    { "some bits of the key decide", 3, 40000, 4, { CLSORT_U32 }, 1, { "uniform" }, 1, { 0 }, 0,
      { 0 }, 0, { 10 }, 1, 3, 12, 0, 1, 0, 0, 0 },
    { "records are sorted and argsorted in chunks", 6, 20000, 2, { CLSORT_F32 }, 1,
      { "mod-16", "numbers" }, 2, { 0, 8, 0 }, 3, { 12, 16, 100 }, 3, { 7 }, 1, 0, 0, 0, 3, 0, 0,
      1 },
    { "two and three sorters share the work", 6, 100000, 8, { CLSORT_U32 }, 1,
      { "uniform", "mod-256" }, 2, { 4 }, 1, { 0 }, 0, { 20 }, 1, 0, 0, 2, 5, 0, 0, 0 },
    { "few elements are sorted, and none", 40, 0, 0, { CLSORT_F32 }, 1, { "all-halves" }, 1, { 0 },
      0, { 0 }, 0, { 1 }, 1, 0, 0, 0, 3, 1, 0, 0 }
};

/* The row whose name the test has. Without a number of elements its cases have 0, 1, 2 ... */
static void run_row(bench *b)
{
    const multi_row *r = rows;
    clsort_sorter *sorters[MULTI_SORTERS] = { b->sorter, NULL, NULL };
    unsigned i;
    while (r->name != test_now.name) r++;
    for (i = 1; i < MULTI_SORTERS && r->sorters; i++) sorters[i] = make_sorter(b);
    for (i = 0; i < r->times; i++) {
        multi_case c = row_case(r, i);
        if (!r->n) c.d.count = i;
        if (b->small) c.d.count /= 3, c.memory = (c.memory - TABLES) / 3 + TABLES;
        if (!CHECK(multi_run(&c, sorters) + !c.d.count > (b->small ? 0 : r->jobs))) break;
    }
    for (i = 1; i < MULTI_SORTERS; i++) clsort_destroy(sorters[i]);
}

static const test_entry tests[] = {
    { "an array in several buffers makes one trip", several_buffers },
    { "records, long values and some bits in several buffers make one trip",
      several_buffers_of_others },
    { "clsort_sort_host says what takes more than the device holds at once", sort_host },
    { "some bits of floats decide, wherever NaNs and zeros are", some_bits_of_floats },
    { "devices of two platforms share the work", other_platforms },
    { "a device that fails is dropped, and nothing is lost", a_device_fails }
};
enum { ROWS = sizeof rows / sizeof *rows, TESTS = sizeof tests / sizeof *tests };

int main(void)
{
    test_entry all[ROWS + TESTS];
    size_t i;
    for (i = 0; i < ROWS; i++) all[i].name = rows[i].name, all[i].run = run_row;
    memcpy(all + ROWS, tests, sizeof tests);
    return test_main(all, ROWS + TESTS);
}
