/* demo.c - `make demo`: sorts 4 Mi random 32-bit keys with every algorithm on one device, checks each result, prints a table.

   build/demo [count]        CLSORT_DEVICE=<part of a name> chooses the device */

#define _POSIX_C_SOURCE 199309L   /* clock_gettime */
#define CL_TARGET_OPENCL_VERSION 120
#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#include "device.h"
#include <time.h>

enum { RUNS = 3 };

/* An algorithm that takes longer than this is run once. */
static const double slow_ms = 1000;

typedef struct demo {
    device_session device;
    clsort_sorter *sorter;
    cl_mem master, keys;          /* the input, and the buffer that is sorted */
    size_t count;
    cl_uint *expected, *result;   /* the input after qsort; what the device made of it */
    double qsort_ms;
} demo;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "demo: %s: %s\n", what, clsort_status_text(status));
    exit(EXIT_FAILURE);
}

static int compare_u32(const void *a, const void *b)
{
    cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;
    return (x > y) - (x < y);
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Steele, Lea and Flood's SplitMix64. */
static cl_uint random_u32(cl_ulong *state)
{
    cl_ulong z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (cl_uint)(z >> 32);
}

static void list_devices(const demo *d)
{
    device_info list[DEVICE_MAX];
    size_t count = device_list("all", list, DEVICE_MAX), i;
    printf("device: %s (%s)\n", d->device.info.name, d->device.info.platform_name);
    for (i = 0; i < count; i++)
        if (list[i].id != d->device.info.id) printf("  also here: %s (%s)\n", list[i].name, list[i].platform_name);
    printf("  CLSORT_DEVICE=<part of a name> chooses another\n");
}

/* Makes the input, on the device and sorted on the host. */
static void make_input(demo *d)
{
    cl_ulong state = 1;
    cl_int status;
    const size_t bytes = d->count * sizeof(cl_uint);
    size_t i;
    double start;

    d->expected = (cl_uint *)malloc(bytes);
    d->result = (cl_uint *)malloc(bytes);
    check(d->expected && d->result ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "malloc");
    for (i = 0; i < d->count; i++) d->expected[i] = random_u32(&state);

    d->master = clCreateBuffer(d->device.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, d->expected, &status);
    check(status, "clCreateBuffer");
    d->keys = clCreateBuffer(d->device.context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    check(status, "clCreateBuffer");

    start = now_ms();
    qsort(d->expected, d->count, sizeof(cl_uint), compare_u32);
    d->qsort_ms = now_ms() - start;
}

/* One sort, from its call to the end of its last command; the copy of the input before it does not count. */
static double measure(demo *d, const clsort_desc *desc)
{
    double start;
    check(clEnqueueCopyBuffer(d->device.queue, d->master, d->keys, 0, 0, d->count * sizeof(cl_uint), 0, NULL, NULL), "clEnqueueCopyBuffer");
    check(clFinish(d->device.queue), "clFinish");
    start = now_ms();
    check(clsort_enqueue_sort(d->sorter, d->device.queue, desc, 0, NULL, NULL), "clsort_enqueue_sort");
    check(clFinish(d->device.queue), "clFinish");
    return now_ms() - start;
}

/* The largest power of two such that every block of so many keys is sorted. */
static size_t sorted_block(const demo *d)
{
    size_t block = 1, i;
    while (block < d->count) block *= 2;
    for (i = 1; i < d->count; i++)
        while (d->result[i - 1] > d->result[i] && i % block) block /= 2;
    return block;
}

/* Checks order and permutation; says "yes", or what is sorted, or "WRONG". Returns whether the result is as it should be. */
static int verify(demo *d, int blocks_only, char *text, size_t room)
{
    const size_t bytes = d->count * sizeof(cl_uint);
    size_t block;
    check(clEnqueueReadBuffer(d->device.queue, d->keys, CL_TRUE, 0, bytes, d->result, 0, NULL, NULL), "clEnqueueReadBuffer");
    snprintf(text, room, "yes");
    if (!memcmp(d->result, d->expected, bytes)) return 1;
    block = sorted_block(d);
    qsort(d->result, d->count, sizeof(cl_uint), compare_u32);
    snprintf(text, room, "blocks of %lu", (unsigned long)block);
    if (blocks_only && block > 1 && !memcmp(d->result, d->expected, bytes)) return 1;
    snprintf(text, room, "WRONG");
    return 0;
}

/* One row of the table; returns whether the algorithm did what it promises. */
static int demonstrate(demo *d, const char *name)
{
    const char *only = strstr(name, "only");
    clsort_desc desc = clsort_desc_default();
    clsort_status status;
    double ms[RUNS];
    size_t runs = 0;
    char verified[32];
    int right;

    desc.count = d->count;
    desc.key_type = CLSORT_U32;
    desc.keys = d->keys;
    check(clsort_select(&desc, name), "clsort_select");
    status = clsort_prepare(d->sorter, &desc);
    if (status == CLSORT_ERROR_UNSUPPORTED || status == CLSORT_ERROR_DEVICE_LIMITS) {
        printf("  %-26s %s\n", name, clsort_status_text(status));
        return 1;
    }
    check(status, name);

    do ms[runs] = measure(d, &desc);
    while (ms[runs++] < slow_ms && runs < RUNS);
    qsort(ms, runs, sizeof ms[0], compare_double);
    right = verify(d, only && !only[4], verified, sizeof verified);
    printf("  %-26s %10.2f %10.1f %8.2f   %s\n", name, ms[runs / 2], (double)d->count / ms[runs / 2] / 1e3, d->qsort_ms / ms[runs / 2],
           verified);
    fflush(stdout);
    return right;
}

int main(int argc, char **argv)
{
    demo d = { 0 };
    device_info info;
    const char *name;
    cl_uint number;
    int wrong = 0;

    d.count = argc > 1 ? strtoul(argv[1], NULL, 0) : (size_t)4 << 20;
    if (argc > 2 || !d.count) { fprintf(stderr, "usage: demo [count]\n"); return EXIT_FAILURE; }
    if (!device_choose(NULL, &info)) {
        fprintf(stderr, "demo: there is no OpenCL device%s\n", getenv("CLSORT_DEVICE") ? " of the name that CLSORT_DEVICE asks for" : "");
        return EXIT_FAILURE;
    }
    if (!device_open(&info, &d.device)) { fprintf(stderr, "demo: %s: no context or queue\n", info.name); return EXIT_FAILURE; }
    check(clsort_create(d.device.context, info.id, NULL, &d.sorter), "clsort_create");

    list_devices(&d);
    make_input(&d);
    printf("%lu keys of 32 bits, uniform; qsort on the host takes %.0f ms\n\n", (unsigned long)d.count, d.qsort_ms);
    printf("  %-26s %10s %10s %8s   %s\n", "algorithm", "ms", "Mkey/s", "x qsort", "verified");
    for (number = 0; (name = clsort_algorithm_name(number)) != NULL; number++) wrong += !demonstrate(&d, name);

    clsort_destroy(d.sorter);
    clReleaseMemObject(d.master);
    clReleaseMemObject(d.keys);
    device_close(&d.device);
    free(d.expected);
    free(d.result);
    if (wrong) printf("\n%d algorithms gave a wrong result\n", wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
