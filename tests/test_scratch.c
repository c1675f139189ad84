/* Scratch memory that one buffer cannot hold: on devices that are said to allocate little, sorts
   are right with as many buffers as they need, and are refused beforehand where that is no help. */

#include "harness.h"

/* The largest allocation that devices admit to, 0: the truth; and how many buffers were made. */
static cl_ulong allocation;
static int buffers_made;

static cl_int limited_info(cl_device_id device, cl_device_info what, size_t size, void *value,
                           size_t *needed)
{
    const cl_int code = clGetDeviceInfo(device, what, size, value, needed);
    if (allocation && code == CL_SUCCESS && value && what == CL_DEVICE_MAX_MEM_ALLOC_SIZE)
        memcpy(value, &allocation, sizeof allocation);
    return code;
}

/* Buffers made from host memory are the tests' own, which have guards around their elements. */
static cl_mem limited_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                             cl_int *error)
{
    const int refuse = allocation && !host && bytes > allocation;
    buffers_made += !host;
    if (refuse && error) *error = CL_INVALID_BUFFER_SIZE;
    return refuse ? NULL : clCreateBuffer(context, flags, bytes, host, error);
}

#define clGetDeviceInfo limited_info
#define clCreateBuffer limited_buffer
#define CLSORT_IMPLEMENTATION
#include "cases.h"
#include "top.h"

static clsort_sorter *limited_sorter(const bench *b, cl_ulong bytes)
{
    clsort_sorter *s;
    allocation = bytes;
    s = fresh_sorter(b, 0);
    allocation = 0;
    return s;
}

/* What clsort_check says of a description on a device that allocates so many bytes. */
static clsort_status check_limited(const bench *b, const clsort_desc *d, cl_ulong bytes)
{
    clsort_sorter *s = limited_sorter(b, bytes);
    const clsort_status status = clsort_check(s, d);
    size_t scratch = 0;
    CHECK_STATUS(clsort_scratch_size(s, d, &scratch), status);
    if (status != CL_SUCCESS) CHECK_STATUS(clsort_prepare(s, NULL, d), status);
    if (status != CL_SUCCESS)
        CHECK(status == CLSORT_ERROR_SCRATCH_TOO_LARGE || status == CLSORT_ERROR_COUNT_TOO_LARGE);
    clsort_destroy(s);
    return status;
}

/* The fewest bytes that a device must allocate for a description. */
static cl_ulong least_limit(const bench *b, const clsort_desc *d)
{
    cl_ulong no = 1 << 16, yes = 1 << 26;   /* a mebibyte is what OpenCL promises */
    CHECK_OK(check_limited(b, d, yes));
    while (yes - no > 1) {
        const cl_ulong middle = (no + yes) / 2;
        if (check_limited(b, d, middle) == CL_SUCCESS) yes = middle;
        else no = middle;
    }
    return yes;
}

/* The most buffers that a sort of this program had as scratch memory. */
static int most_buffers;

/* A sorter for the least device, prepared for a description. */
static bench least_bench(const bench *b, const clsort_desc *d)
{
    bench least = *b;
    allocation = least_limit(b, d);
    least.sorter = fresh_sorter(b, 0);
    CHECK_OK(clsort_prepare(least.sorter, NULL, d));
    buffers_made = 0;
    return least;
}

static void close_least(bench *least)
{
    if (buffers_made > most_buffers) most_buffers = buffers_made;
    clsort_destroy(least->sorter);
    allocation = 0;
}

/* Sorts on the least device that clsort_check accepts, after clsort_prepare and without. */
static int run_least(const bench *b, const sort_case *c)
{
    clsort_desc d = c->d;
    bench least;
    int good;
    later(&d, case_roles(c));
    d.fields = c->fields;
    d.field_count = c->field_count;
    if (c->fields) d.key_type = 0;
    if (c->algorithm) CHECK_OK(clsort_set_algorithm(&d, c->algorithm));
    least = least_bench(b, &d);
    good = case_run(&least, c);
    CHECK_OK(clsort_trim(least.sorter));
    good = good && case_run(&least, c);
    close_least(&least);
    return good;
}

static const char *const algorithms[] = {
    "auto", "bitonic", "bitonic-a", "merge", "radix", "quicksort"
};

static void plain_sorts(bench *b)
{
    static const size_t values[] = { 0, 3, 8, 12 };
    size_t a, v;
    int out;
    most_buffers = 0;
    for (a = 0; a < sizeof algorithms / sizeof *algorithms; a++)
        for (v = 0; v < 4; v++)
            for (out = 0; out < (b->small ? 1 : 4); out++) {
                sort_case c = case_make(v & 1 ? CLSORT_F32 : CLSORT_U32, 20000, "uniform");
                if (!test_takes(b, 4)) continue;
                c.algorithm = algorithms[a];
                c.d.value_size = values[v];
                c.d.stable = 1;
                c.d.zero_order = v == 3;
                c.keys_out = out & 1;
                c.values_out = v && out >> 1 ? CASE_OWN : 0;
                if (!run_least(b, &c)) return;
            }
    CHECK(most_buffers >= 3);
    printf("as many as %d buffers\n", most_buffers);
}

static void argsorts_and_records(bench *b)
{
    static const clsort_field fields[3] = {
        { 8, CLSORT_U64, 0, 0, 0 }, { 0, CLSORT_F32, 1, 0, 0 }, { 4, CLSORT_U16, 0, 0, 0 }
    };
    size_t k;
    most_buffers = 0;
    for (k = 0; k < 8; k++) {
        sort_case c = case_make(CLSORT_U16, 20000, "mod-16");
        c.indices = k & 1;
        c.keys_out = k >> 1 & 1;
        c.d.record_size = k < 4 ? 20 : 16;
        if (k >= 4) c.fields = fields, c.field_count = 3;
        if (!run_least(b, &c)) return;
    }
    CHECK(most_buffers >= 3);
}

static void rows_of_all_kinds(bench *b)
{
    size_t k;
    most_buffers = 0;
    for (k = 0; k < 8; k++) {
        sort_case c = case_make(CLSORT_U16, k < 4 ? 2000 : 17000, "uniform");
        c.d.rows = 7;
        c.d.value_size = k & 1 ? 8 : 0;
        c.indices = k >> 1 & 1;
        if (c.indices && c.d.value_size) c.values_out = CASE_OWN;
        if (!run_least(b, &c)) return;
    }
    CHECK(most_buffers >= 3);
}

/* Selections, some with a sort afterwards. */
static void selections(bench *b)
{
    static const size_t counts[] = { 7, 5000 };
    size_t k;
    most_buffers = 0;
    for (k = 0; k < 8; k++) {
        top_case c = top_make(CLSORT_U32, k >> 2 ? 3 : 1, 20000, counts[k & 1]);
        clsort_desc d = c.d;
        bench least;
        c.outputs = k & 2 ? TOP_VALUES : TOP_KEYS;
        c.d.value_size = d.value_size = k & 2 ? 4 : 0;
        if (!(k & 2)) d.keys_out = CLSORT_LATER;
        least = least_bench(b, &d);
        if (!top_run(&least, &c)) printf("selection %zu\n", k);
        CHECK_OK(clsort_trim(least.sorter));
        if (!top_run(&least, &c)) printf("selection %zu without clsort_prepare\n", k);
        close_least(&least);
    }
    CHECK(most_buffers >= 2);
}

/* Scratch of the caller's own is one buffer, and its size is what it was. */
static void callers_scratch(bench *b)
{
    sort_case c = case_make(CLSORT_U32, 20000, "uniform");
    bench least = *b;
    clsort_desc d;
    size_t whole = 0, parts = 1;
    c.algorithm = "radix";
    c.d.value_size = 8;
    d = c.d;
    CHECK_OK(clsort_set_algorithm(&d, c.algorithm));
    CHECK_OK(clsort_scratch_size(b->sorter, &d, &whole));
    least.sorter = limited_sorter(b, least_limit(b, &d));
    CHECK_OK(clsort_scratch_size(least.sorter, &d, &parts));
    CHECK(whole == parts);
    c.own_scratch = 1;
    case_run(&least, &c);
    clsort_destroy(least.sorter);
}

static const test_entry tests[] = {
    { "argsorts and sorts of records are right in the least allocations that are accepted",
      argsorts_and_records },
    { "so are sorts of rows", rows_of_all_kinds },
    { "so are selections", selections },
    { "the caller's scratch is one buffer", callers_scratch },
    TEST_REST,
    { "sorts are right in the least allocations that clsort_check accepts", plain_sorts }
};

TEST_MAIN(tests)
