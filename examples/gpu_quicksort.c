/* Demonstrates GPU-Quicksort beside sorts on the host: width times height random unsigned integers
   are sorted by the C library, by std::sort where this is compiled as C++, by a quicksort on one
   thread, and several times by each scheduler of GPU-Quicksort that the device supports: rounds
   driven by the host, by the device, or all enqueued at once. Every result is verified, every sort
   timed.

   cc -O2 -I.. gpu_quicksort.c -o gpu_quicksort -lOpenCL
   c++ -O2 -std=c++11 -x c++ -I.. gpu_quicksort.c -o gpu_quicksort -lOpenCL

   ./gpu_quicksort 5 gpu intel 8192 8192 show_CL */

#define _POSIX_C_SOURCE 199309L             /* clock_gettime */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS   /* clCreateCommandQueue without a warning, beside the
                                               later functions that clsort may use */
#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#include "tools/clsort/device.h"
#include "tools/clsort/patterns.h"
#include <errno.h>
#include <time.h>
#ifdef __cplusplus
#include <algorithm>
#endif

enum { WRONG_USAGE = 2, TEXT = 256 };

static const char usage[] =
    "usage: gpu_quicksort [iterations [cpu|gpu|all [vendor [width [height "
    "[show_CL|no_show_CL]]]]]]\n"
    "  iterations     sorts by each scheduler of GPU-Quicksort; default 5\n"
    "  cpu|gpu|all    kind of the device; default all: the first GPU, else the first device\n"
    "  vendor         part of the platform's or the device's name, upper and lower case alike, or "
    "all; default all\n"
    "  width, height  their product is the number of keys, below 2^32, a power of two or not; "
    "default 1024 1024\n"
    "  show_CL        show details of OpenCL: versions, limits, time to build kernels, each "
    "iteration; default no_show_CL\n"
    "  -h, -?         print this\n"
    "exit status: 0; 1 for a wrong result, a failure, or no such device; 2 for wrong usage\n";

typedef struct options {
    cl_uint iterations, width, height;
    const char *kind, *vendor;
    int show;
} options;

typedef struct trial {
    options given;
    size_t count;
    cl_uint *keys, *expected, *result;   /* as made, as qsort left them, as the sort in question
                                            did */
    device_session device;
    clsort_sorter *sorter;
    cl_mem buffer;
    unsigned sorts, wrong;
} trial;

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "gpu_quicksort: %s: %s\n", what, clsort_status_text(status));
    exit(EXIT_FAILURE);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* ---- options and device ---------------------------------------------------------------------- */

static void refuse(const char *why, const char *text)
{
    fprintf(stderr, "gpu_quicksort: %s: '%s'\n%s", why, text, usage);
    exit(WRONG_USAGE);
}

static cl_uint parse_number(const char *text)
{
    char *end;
    unsigned long long number;
    errno = 0;
    number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || !number || number >> 32)
        refuse("not a number from 1 to 2^32 - 1", text);
    return (cl_uint)number;
}

static options parse_options(int argc, char **argv)
{
    options o = { 5, 1024, 1024, "all", "all", 0 };
    cl_ulong keys;
    int i;
    for (i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "-?")) {
            fputs(usage, stdout);
            exit(EXIT_SUCCESS);
        }
        if (argv[i][0] == '-') refuse("unknown option", argv[i]);
    }
    if (argc > 1) o.iterations = parse_number(argv[1]);
    if (argc > 2) o.kind = argv[2];
    if (argc > 3) o.vendor = argv[3];
    if (argc > 4) o.width = parse_number(argv[4]);
    if (argc > 5) o.height = parse_number(argv[5]);
    if (argc > 6) o.show = !strcmp(argv[6], "show_CL");
    if (argc > 7) refuse("one operand too many", argv[7]);
    if (strcmp(o.kind, "cpu") && strcmp(o.kind, "gpu") && strcmp(o.kind, "all"))
        refuse("neither cpu nor gpu nor all", o.kind);
    if (argc > 6 && !o.show && strcmp(argv[6], "no_show_CL"))
        refuse("neither show_CL nor no_show_CL", argv[6]);
    keys = (cl_ulong)o.width * o.height;
    if (keys >> 32 || keys > (size_t)-1 / sizeof(cl_uint))
        refuse("width times height must be below 2^32 and fit into memory", argv[argc > 5 ? 5 : 4]);
    return o;
}

/* The first device of that kind and vendor, a GPU before others. */
static device_info find_device(const options *o)
{
    const cl_device_type kind = !strcmp(o->kind, "cpu")   ? CL_DEVICE_TYPE_CPU
                                : !strcmp(o->kind, "gpu") ? CL_DEVICE_TYPE_GPU
                                                          : CL_DEVICE_TYPE_ALL;
    const cl_device_type wanted[2] = { kind & CL_DEVICE_TYPE_GPU, kind };
    device_info list[DEVICE_MAX];
    const size_t count = device_list(o->vendor, list, DEVICE_MAX);
    size_t i, w;
    for (w = 0; w < 2; w++)
        for (i = 0; i < count; i++)
            if (list[i].type & wanted[w]) return list[i];
    fprintf(stderr, "gpu_quicksort: no OpenCL device of kind %s and vendor %s\n", o->kind,
            o->vendor);
    exit(EXIT_FAILURE);
}

static void show_device(const device_info *device)
{
    char version[TEXT] = "", driver[TEXT] = "";
    cl_uint units = 0;
    size_t work_group = 0;
    check(clGetDeviceInfo(device->id, CL_DEVICE_VERSION, TEXT, version, NULL), "clGetDeviceInfo");
    check(clGetDeviceInfo(device->id, CL_DRIVER_VERSION, TEXT, driver, NULL), "clGetDeviceInfo");
    check(clGetDeviceInfo(device->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL),
          "clGetDeviceInfo");
    check(clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof work_group, &work_group,
                          NULL),
          "clGetDeviceInfo");
    printf("  %s, driver %s\n  %u compute units, work-groups of up to %lu\n", version, driver,
           (unsigned)units, (unsigned long)work_group);
}

static void open_device(trial *t)
{
    const device_info info = find_device(&t->given);
    cl_int status;
    printf("device: %s (%s)\n", info.name, info.platform_name);
    if (t->given.show) show_device(&info);
    check(device_open(&info, &t->device) ? CL_SUCCESS : CL_DEVICE_NOT_AVAILABLE,
          "a context and a queue");
    t->buffer = clCreateBuffer(t->device.context, CL_MEM_READ_WRITE, t->count * sizeof(cl_uint),
                               NULL, &status);
    check(status, "clCreateBuffer");
    check(clsort_create(t->device.context, info.id, NULL, &t->sorter), "clsort_create");
}

/* ---- sorts on the host ----------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;
    return (x > y) - (x < y);
}

static void library_sort(cl_uint *keys, size_t count)
{
    qsort(keys, count, sizeof *keys, compare_keys);
}

#ifdef __cplusplus
static void standard_sort(cl_uint *keys, size_t count) { std::sort(keys, keys + count); }
#endif

/* Hoare's partition. Returns the length of the left side; it is below count because the pivot is
   never the last of two keys or more. */
static size_t partition(cl_uint *keys, size_t count)
{
    const cl_uint pivot = keys[(count - 1) / 2];
    size_t i = 0, j = count - 1;
    for (;; i++, j--) {
        cl_uint high;
        while (keys[i] < pivot) i++;
        while (keys[j] > pivot) j--;
        if (i >= j) return j + 1;
        high = keys[i];
        keys[i] = keys[j];
        keys[j] = high;
    }
}

/* The call inside takes the shorter side, so at most log2(count) calls are open at once. */
static void quicksort(cl_uint *keys, size_t count)
{
    while (count > 1) {
        const size_t left = partition(keys, count), right = count - left;
        quicksort(left < right ? keys : keys + left, left < right ? left : right);
        if (left < right) keys += left;
        count = left < right ? right : left;
    }
}

/* ---- trials ---------------------------------------------------------------------------------- */

static void print_result(const trial *t, const char *name, double ms, int right)
{
    printf("%-24s %10.3f ms %10.1f Mkey/s  %s\n", name, ms,
           (double)t->count / (ms > 0 ? ms : 1e-6) * 1e-3, right ? "verified" : "WRONG");
}

/* Sorts a copy of the keys in `target`; returns the time. */
static double time_on_host(const trial *t, void (*sort)(cl_uint *keys, size_t count),
                           cl_uint *target)
{
    double start;
    memcpy(target, t->keys, t->count * sizeof(cl_uint));
    start = now_ms();
    sort(target, t->count);
    return now_ms() - start;
}

/* The first sort, with which all others are compared; neighbours in order are what can be said of
   it alone. */
static void try_library(trial *t)
{
    const double ms = time_on_host(t, library_sort, t->expected);
    size_t i = 1;
    while (i < t->count && t->expected[i - 1] <= t->expected[i]) i++;
    print_result(t, "qsort", ms, i == t->count);
    t->sorts++;
    t->wrong += i != t->count;
}

/* Compares and counts t->result. */
static int is_right(trial *t)
{
    const int right = memcmp(t->result, t->expected, t->count * sizeof(cl_uint)) == 0;
    t->sorts++;
    t->wrong += !right;
    return right;
}

static void try_on_host(trial *t, const char *name, void (*sort)(cl_uint *keys, size_t count))
{
    const double ms = time_on_host(t, sort, t->result);
    print_result(t, name, ms, is_right(t));
}

/* What the device's clock says from the end of one command to the end of another; releases both
   events. */
static double device_ms(cl_event first, cl_event last)
{
    cl_ulong start, end;
    check(clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_END, sizeof start, &start, NULL),
          "clGetEventProfilingInfo");
    check(clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
          "clGetEventProfilingInfo");
    check(clReleaseEvent(first), "clReleaseEvent");
    check(clReleaseEvent(last), "clReleaseEvent");
    return end > start ? (double)(end - start) * 1e-6 : 0;
}

/* One sort into t->result; returns the time from the call to the end of the last command, without
   the copies before and behind. */
static double sort_once(trial *t, const clsort_desc *desc)
{
    const size_t bytes = t->count * sizeof(cl_uint);
    cl_command_queue queue = t->device.queue;
    cl_event before, done;
    double start, ms, device;
    check(clEnqueueWriteBuffer(queue, t->buffer, CL_TRUE, 0, bytes, t->keys, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    check(clEnqueueMarkerWithWaitList(queue, 0, NULL, &before), "clEnqueueMarkerWithWaitList");
    check(clFinish(queue), "clFinish");
    start = now_ms();
    check(clsort_enqueue_sort(t->sorter, queue, desc, 0, NULL, &done),
          clsort_last_error(t->sorter));
    check(clFinish(queue), "clFinish");
    ms = now_ms() - start;
    device = device_ms(before, done);
    if (t->given.show) printf("  %10.3f ms, by the device's clock %.3f ms\n", ms, device);
    check(clEnqueueReadBuffer(queue, t->buffer, CL_TRUE, 0, bytes, t->result, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    return ms;
}

/* Chooses a scheduler and builds its kernels. Returns 0 if there is no such scheduler for this
   device. */
static int select_scheduler(const trial *t, const char *name, clsort_desc *desc)
{
    const double start = now_ms();
    clsort_status status = clsort_set_algorithm(desc, name);
    if (status == CL_SUCCESS) status = clsort_check(t->sorter, desc);
    if (status == CL_SUCCESS) status = clsort_prepare(t->sorter, NULL, desc);
    if (status == CLSORT_ERROR_UNKNOWN_VALUE || status == CLSORT_ERROR_UNSUPPORTED
        || status == CLSORT_ERROR_DEVICE_LIMITS) {
        printf("%-24s not supported by this device\n", name);
        return 0;
    }
    check(status, clsort_last_error(t->sorter));
    if (t->given.show) printf("%s: kernels built in %.0f ms\n", name, now_ms() - start);
    return 1;
}

static void try_scheduler(trial *t, const char *name)
{
    clsort_desc desc = clsort_desc_default();
    const unsigned wrong = t->wrong;
    double sum = 0;
    cl_uint i;
    desc.count = t->count;
    desc.key_type = CLSORT_U32;
    desc.keys = t->buffer;
    if (!select_scheduler(t, name, &desc)) return;
    for (i = 0; i < t->given.iterations; i++) {
        sum += sort_once(t, &desc);
        is_right(t);
    }
    print_result(t, name, sum / t->given.iterations, t->wrong == wrong);
}

/* Room for all arrays, and the same random keys in every run. */
static void make_keys(trial *t)
{
    uint64_t state = 1;
    size_t i;
    t->keys = (cl_uint *)malloc(t->count * sizeof(cl_uint));
    t->expected = (cl_uint *)malloc(t->count * sizeof(cl_uint));
    t->result = (cl_uint *)malloc(t->count * sizeof(cl_uint));
    check(t->keys && t->expected && t->result ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "malloc");
    for (i = 0; i < t->count; i++) t->keys[i] = (cl_uint)(pattern_random(&state) >> 32);
}

static void close_trial(trial *t)
{
    clsort_destroy(t->sorter);
    check(clReleaseMemObject(t->buffer), "clReleaseMemObject");
    device_close(&t->device);
    free(t->keys);
    free(t->expected);
    free(t->result);
}

int main(int argc, char **argv)
{
    static const char *const schedulers[3] = { "quicksort-host", "quicksort-device", "quicksort" };
    trial t;
    int i;
    memset(&t, 0, sizeof t);
    t.given = parse_options(argc, argv);
    t.count = (size_t)t.given.width * t.given.height;
    open_device(&t);
    make_keys(&t);
    printf("%lu random unsigned integers, means of %u sorts by each scheduler\n",
           (unsigned long)t.count, (unsigned)t.given.iterations);
    try_library(&t);
#ifdef __cplusplus
    try_on_host(&t, "std::sort", standard_sort);
#endif
    try_on_host(&t, "quicksort on one thread", quicksort);
    for (i = 0; i < 3; i++) try_scheduler(&t, schedulers[i]);
    printf("%u sorts, %u wrong\n", t.sorts, t.wrong);
    close_trial(&t);
    return t.wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
