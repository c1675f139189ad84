/* host_arrays.c - how long sorting an array in host memory takes beside moving it: up to the device
   and down again, by one command each, one after the other.

     make build/host_arrays
     build/host_arrays [COUNT [RUNS [CELL...]]]

   COUNT u32 (a multiple of 4), random, in pinned memory, as are the result and the memory for runs;
   such as 2^20 or 16Mi, default 2^26. CLSORT_DEVICE names the device; of several that it names, the
   first and then all are used. Each line is the median of RUNS (default 3) calls of
   clsort_sort_host_on, each result checked: it is in order, and it has the input's sums. CELLs, by
   default all:

     one       one trip, one buffer
     several   one trip, several buffers: the device is said to allocate a quarter of the array at
               most
     quarter   a quarter of the array's bytes is the limit of device memory: two trips
     records   the same with records of 16 bytes by a u32
     whole     as quarter, where the limit is as many bytes as the array has
     pageable  one trip, one buffer, from malloc memory
     staged    the same by way of blocks of pinned memory

   "speed" is that of the reference, made as many times as there are trips, divided by that of the
   call: above 1, moving up and moving down overlap. */

#define _POSIX_C_SOURCE 200112L
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CLSORT_STATIC
#define CLSORT_IMPLEMENTATION
#include "../../clsort.h"
#include "../multi/clsort_multi.h"

#include <time.h>

#include "counts.h"
#include "device.h"
#include "median.h"
#include "patterns.h"
#include "threads.h"

enum { RUNS_MOST = 15, ARRAYS = 3 };

/* How an array is sorted. */
typedef struct cell {
    const char *name;
    int parts;                  /* the limit of memory is the array's bytes / parts; 0: none */
    size_t words;               /* of a record, which its first word orders; 1: keys */
    cl_uint transfer;
    int several_buffers, pageable;
} cell;

static const cell cells[] = { { "one", 0, 1, CLSORT_TRANSFER_DIRECT, 0, 0 },
                              { "several", 0, 1, CLSORT_TRANSFER_DIRECT, 1, 0 },
                              { "quarter", 4, 1, CLSORT_TRANSFER_DIRECT, 0, 0 },
                              { "records", 4, 4, CLSORT_TRANSFER_DIRECT, 0, 0 },
                              { "whole", 1, 1, CLSORT_TRANSFER_DIRECT, 0, 0 },
                              { "pageable", 0, 1, CLSORT_TRANSFER_DIRECT, 0, 1 },
                              { "staged", 0, 1, CLSORT_TRANSFER_STAGED, 0, 1 } };
enum { CELLS = sizeof cells / sizeof *cells };

/* What a thread finds in its part of an array. */
typedef struct part_facts { uint64_t sum, mixed, wrong; } part_facts;

typedef struct measure {
    device_info devices[DEVICE_MAX];
    clsort_sorter *sorters[DEVICE_MAX];
    cl_uint count;              /* of devices */
    cl_context context;
    cl_command_queue queue;     /* of the first device */
    size_t n, bytes, runs;
    cl_mem pinned[ARRAYS];
    cl_uint *array[ARRAYS];     /* input, result, runs: where they are pinned, or others */
    cl_uint *mapped[ARRAYS], *pageable[2];
    const cl_uint *looked_at;
    size_t words;               /* of an element that is looked at */
    part_facts facts[THREADS_MOST], input;
    double reference;           /* seconds */
} measure;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void must(cl_int code, const char *what)
{
    if (code == CL_SUCCESS) return;
    fprintf(stderr, "host_arrays: %s: %s\n", what, clsort_status_text(code));
    exit(1);
}

/* -- arrays -- */

static void fill_part(void *user, size_t part, size_t parts)
{
    measure *const m = (measure *)user;
    const size_t end = part_start(m->n, part + 1, parts);
    size_t i = part_start(m->n, part, parts);
    uint64_t state = i + 1;
    for (; i < end; i++) m->array[0][i] = (cl_uint)(pattern_random(&state) >> 32);
}

static void look_at_part(void *user, size_t part, size_t parts)
{
    measure *const m = (measure *)user;
    const cl_uint *const keys = m->looked_at;
    const size_t end = part_start(m->n, part + 1, parts);
    size_t i = part_start(m->n, part, parts);
    part_facts f = { 0, 0, 0 };
    for (; i < end; i++) {
        f.sum += keys[i];
        f.mixed += (keys[i] ^ UINT64_C(0x9E3779B9)) * (keys[i] | UINT64_C(0x7F4A7C1500000001));
        f.wrong += i % m->words == 0 && i + m->words < m->n && keys[i] > keys[i + m->words];
    }
    m->facts[part] = f;
}

static part_facts look_at(measure *m, const cl_uint *keys, size_t words)
{
    part_facts all = { 0, 0, 0 };
    int i;
    memset(m->facts, 0, sizeof m->facts);
    m->looked_at = keys;
    m->words = words;
    work_share(look_at_part, m);
    for (i = 0; i < THREADS_MOST; i++) {
        all.sum += m->facts[i].sum;
        all.mixed += m->facts[i].mixed;
        all.wrong += m->facts[i].wrong;
    }
    return all;
}

/* Pinned memory of all bytes, and of some more: runs are rounded up to 16 bytes. */
static void pin(measure *m, int i)
{
    cl_int error;
    const double begin = now();
    m->pinned[i] = clCreateBuffer(m->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                  m->bytes + 16, NULL, &error);
    must(error, "clCreateBuffer");
    m->array[i] = (cl_uint *)clEnqueueMapBuffer(m->queue, m->pinned[i], CL_TRUE,
                                                CL_MAP_WRITE_INVALIDATE_REGION, 0, m->bytes + 16, 0,
                                                NULL, NULL, &error);
    must(error, "clEnqueueMapBuffer");
    m->mapped[i] = m->array[i];
    fprintf(stderr, "pinned %.2f GiB in %.2f s\n", (double)m->bytes / (1 << 30), now() - begin);
}

/* Takes arrays in malloc memory in the place of those that are pinned, or these again. */
static void use_pageable(measure *m, int pageable)
{
    int i;
    for (i = 0; i < ARRAYS; i++) m->array[i] = m->mapped[i];
    for (i = 0; pageable && i < 2; i++) {
        if (!m->pageable[i]) m->pageable[i] = (cl_uint *)malloc(m->bytes);
        if (!m->pageable[i]) exit(1);
        m->array[i] = m->pageable[i];
    }
    if (pageable) memcpy(m->array[0], m->mapped[0], m->bytes);
}

/* -- measuring -- */

/* All bytes up, then down, through a buffer that has as many as one allocation may. */
static void move_all(measure *m, size_t room, cl_mem buffer, int up)
{
    size_t at, bytes;
    for (at = 0; at < m->bytes; at += bytes) {
        unsigned char *const host = (unsigned char *)m->array[up ? 0 : 1] + at;
        bytes = m->bytes - at < room ? m->bytes - at : room;
        if (up)
            must(clEnqueueWriteBuffer(m->queue, buffer, CL_FALSE, 0, bytes, host, 0, NULL, NULL),
                 "clEnqueueWriteBuffer");
        else
            must(clEnqueueReadBuffer(m->queue, buffer, CL_FALSE, 0, bytes, host, 0, NULL, NULL),
                 "clEnqueueReadBuffer");
    }
    must(clFinish(m->queue), "clFinish");
}

static void measure_reference(measure *m)
{
    double up[RUNS_MOST], down[RUNS_MOST];
    const double gigabytes = (double)m->bytes * 1e-9;
    cl_ulong most = 0;
    size_t i, room;
    cl_mem buffer;
    cl_int error;
    clGetDeviceInfo(m->devices[0].id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL);
    room = m->bytes < most / 2 ? m->bytes : (size_t)most / 2;
    buffer = clCreateBuffer(m->context, CL_MEM_READ_WRITE, room, NULL, &error);
    must(error, "clCreateBuffer");
    move_all(m, room, buffer, 1);
    for (i = 0; i < m->runs; i++) {
        const double begin = now();
        double middle;
        move_all(m, room, buffer, 1);
        middle = now();
        move_all(m, room, buffer, 0);
        up[i] = middle - begin;
        down[i] = now() - middle;
    }
    clReleaseMemObject(buffer);
    m->reference = median(up, (int)m->runs) + median(down, (int)m->runs);
    printf("reference: up %.4f s, %.1f GB/s; down %.4f s, %.1f GB/s; together %.4f s\n",
           up[m->runs / 2], gigabytes / up[m->runs / 2], down[m->runs / 2],
           gigabytes / down[m->runs / 2], m->reference);
}

/* One call; returns its seconds. */
static double sort_once(measure *m, const clsort_multi_desc *multi, cl_uint devices, size_t words)
{
    const double begin = now();
    const clsort_status status = clsort_sort_host_on(m->sorters, devices, multi);
    const double seconds = now() - begin;
    part_facts result;
    if (status != CL_SUCCESS) {
        fprintf(stderr, "host_arrays: %s: %s\n", clsort_status_text(status),
                clsort_last_error(m->sorters[0]));
        exit(1);
    }
    result = look_at(m, m->array[1], words);
    if (!result.wrong && result.sum == m->input.sum && result.mixed == m->input.mixed)
        return seconds;
    fprintf(stderr, "host_arrays: the result is wrong: %.0f places\n", (double)result.wrong);
    exit(1);
}

/* Runs of calls, in seconds. */
static double time_sorts(measure *m, const clsort_multi_desc *multi, cl_uint devices, size_t words)
{
    double times[RUNS_MOST];
    size_t i;
    sort_once(m, multi, devices, words);   /* builds kernels */
    for (i = 0; i < m->runs; i++) times[i] = sort_once(m, multi, devices, words);
    return median(times, (int)m->runs);
}

static void measure_cell(measure *m, const cell *c, cl_uint devices)
{
    clsort_multi_desc multi = clsort_multi_desc_default();
    clsort_desc d = clsort_desc_default();
    clsort_share shares[DEVICE_MAX];
    const cl_ulong most = m->sorters[0]->facts.max_allocation;
    const cl_uint trips = c->parts ? 2 : 1;
    double seconds;
    cl_uint k;
    d.count = m->n / c->words;
    d.key_type = CLSORT_U32;
    if (c->words > 1) d.record_size = c->words * sizeof(cl_uint);
    use_pageable(m, c->pageable);
    multi.sort = &d;
    multi.keys = m->array[0];
    multi.keys_out = m->array[1];
    multi.work = m->array[2];
    multi.work_size = m->array[2] ? m->bytes + 16 : 0;
    multi.device_memory = c->parts ? m->bytes / (size_t)c->parts : 0;
    multi.transfer = c->transfer;
    multi.shares = shares;
    if (c->several_buffers && most > m->bytes / 4)
        m->sorters[0]->facts.max_allocation = m->bytes / 4;
    seconds = time_sorts(m, &multi, devices, c->words);
    m->sorters[0]->facts.max_allocation = most;
    printf("%-8s %7u %5u %9.4f %6.2f ", c->name, devices, trips, seconds,
           trips * m->reference / seconds);
    for (k = 0; k < devices; k++) printf(" %u", shares[k].jobs);
    printf("\n");
}

/* -- devices -- */

static void open_devices(measure *m)
{
    cl_context_properties properties[3] = { CL_CONTEXT_PLATFORM, 0, 0 };
    cl_device_id ids[DEVICE_MAX];
    device_info first;
    cl_int error;
    cl_uint i, found;
    if (!device_choose(NULL, &first)) must(CL_DEVICE_NOT_FOUND, "CLSORT_DEVICE");
    found = (cl_uint)device_list(getenv("CLSORT_DEVICE"), m->devices, DEVICE_MAX);
    for (i = 0; i < found; i++)
        if (m->devices[i].platform == first.platform && m->devices[i].type == first.type)
            m->devices[m->count++] = m->devices[i];
    for (i = 0; i < m->count; i++) ids[i] = m->devices[i].id;
    properties[1] = (cl_context_properties)first.platform;
    m->context = clCreateContext(properties, m->count, ids, NULL, NULL, &error);
    must(error, "clCreateContext");
    m->queue = clCreateCommandQueue(m->context, ids[0], 0, &error);
    must(error, "clCreateCommandQueue");
    for (i = 0; i < m->count; i++)
        must(clsort_create(m->context, ids[i], NULL, &m->sorters[i]), "clsort_create");
}

static void close_devices(measure *m)
{
    cl_uint i;
    for (i = 0; i < ARRAYS; i++) {
        if (!m->mapped[i]) continue;
        clEnqueueUnmapMemObject(m->queue, m->pinned[i], m->mapped[i], 0, NULL, NULL);
        clReleaseMemObject(m->pinned[i]);
    }
    clFinish(m->queue);
    free(m->pageable[0]);
    free(m->pageable[1]);
    for (i = 0; i < m->count; i++) clsort_destroy(m->sorters[i]);
    clReleaseCommandQueue(m->queue);
    clReleaseContext(m->context);
}

static int is_wanted(char **argv, int argc, const char *name)
{
    int i;
    for (i = 3; i < argc; i++)
        if (!strcmp(argv[i], name)) return 1;
    return argc < 4;
}

/* The count in a place of the command line; 0 if it is none. */
static size_t count_argument(int argc, char **argv, int place, size_t otherwise)
{
    unsigned long long count;
    if (argc <= place) return otherwise;
    return count_parse(argv[place], &count) && count <= SIZE_MAX ? (size_t)count : 0;
}

int main(int argc, char **argv)
{
    static measure m;
    size_t i;
    m.n = count_argument(argc, argv, 1, (size_t)1 << 26);
    m.runs = count_argument(argc, argv, 2, 3);
    m.n -= m.n % 4;   /* whole records */
    m.bytes = m.n * sizeof(cl_uint);
    if (!m.n || !m.runs || m.runs > RUNS_MOST) {
        fprintf(stderr, "usage: host_arrays [COUNT [RUNS [CELL...]]]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    open_devices(&m);
    pin(&m, 0);
    pin(&m, 1);
    work_share(fill_part, &m);
    m.input = look_at(&m, m.array[0], 1);
    printf("%s, %zu u32\n", m.devices[0].name, m.n);
    measure_reference(&m);
    printf("%-8s %7s %5s %9s %6s  jobs\n", "cell", "devices", "trips", "seconds", "speed");
    for (i = 0; i < CELLS; i++) {
        if (!is_wanted(argv, argc, cells[i].name)) continue;
        if (cells[i].parts && !m.array[2]) pin(&m, 2);
        measure_cell(&m, &cells[i], 1);
        if (m.count > 1) measure_cell(&m, &cells[i], m.count);
    }
    close_devices(&m);
    return 0;
}
