/* sentinel.c - a library with one version of clsort.h, which tools/bench/bench-before builds twice.
   */

#define CLSORT_IMPLEMENTATION
#include "clsort.h"

#include <stdlib.h>
#include <time.h>

#include "sentinel.h"

/* What the program calls. A code is one of OpenCL or clsort. */
__attribute__((visibility("default"))) int sentinel_open(cl_device_id device);
__attribute__((visibility("default"))) int sentinel_prepare(const sentinel *s, size_t count);
__attribute__((visibility("default"))) double sentinel_sort(void);
__attribute__((visibility("default"))) cl_ulong sentinel_sum(void);

static struct {
    cl_context context;
    cl_command_queue queue;
    clsort_sorter *sorter;
    clsort_desc d;
    cl_mem keys, values, keys_out, values_out, offsets;
    size_t bytes, value_bytes;   /* of the outputs */
} o;

int sentinel_open(cl_device_id device)
{
    cl_int code;
    o.context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (code == CL_SUCCESS) o.queue = clCreateCommandQueue(o.context, device, 0, &code);
    return code == CL_SUCCESS ? clsort_create(o.context, device, NULL, &o.sorter) : code;
}

static cl_uint mix(cl_uint x)
{
    x = (x ^ (x >> 16)) * 0x7FEB352Du;
    x = (x ^ (x >> 15)) * 0x846CA68Bu;
    return x ^ (x >> 16);
}

/* A buffer in place of another one; with what is in memory if it is given. */
static int renew(cl_mem *buffer, size_t bytes, void *memory)
{
    cl_int code;
    if (*buffer) clReleaseMemObject(*buffer);
    *buffer = clCreateBuffer(o.context, memory ? CL_MEM_COPY_HOST_PTR : 0, bytes, memory, &code);
    return code;
}

/* Uniform keys: floats from 0 to 1, integers of all codes. Each value is drawn from its key. */
static int fill(const sentinel *s, size_t n)
{
    const size_t words = n * (size_t)s->key_bytes / 4;
    cl_uint *keys = (cl_uint *)malloc(words * 4), *values = (cl_uint *)malloc(n * 4);
    size_t i;
    int code = keys && values ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (i = 0; !code && i < words; i++) {
        const float unit = (float)(mix((cl_uint)i) >> 8) / 16777216;
        if (s->floats)
            memcpy(keys + i, &unit, sizeof unit);
        else
            keys[i] = mix((cl_uint)i);
    }
    for (i = 0; !code && i < n; i++) values[i] = mix(keys[i * (size_t)s->key_bytes / 4] + 1);
    if (!code) code = renew(&o.keys, words * 4, keys);
    if (!code) code = renew(&o.values, n * 4, values);
    free(keys);
    free(values);
    return code;
}

static int cut(const sentinel *s, size_t count)
{
    cl_uint *offsets = (cl_uint *)malloc((s->rows + 1) * sizeof *offsets);
    size_t i;
    int code;
    if (!offsets) return CL_OUT_OF_HOST_MEMORY;
    for (i = 0; i <= s->rows; i++) offsets[i] = (cl_uint)(i * count);
    code = renew(&o.offsets, (s->rows + 1) * sizeof *offsets, offsets);
    free(offsets);
    return code;
}

static void describe(const sentinel *s, size_t count)
{
    clsort_desc *d = &o.d;
    *d = clsort_desc_default();
    d->key_type = s->key_bytes == 8 ? CLSORT_U64 : s->floats ? CLSORT_F32 : CLSORT_U32;
    d->count = s->segments ? s->rows * count : count;
    d->rows = s->rows > 1 && !s->segments ? s->rows : 0;   /* even one row is sorted stably */
    if (s->segments) d->segments = o.offsets, d->segment_count = s->rows;
    d->keys = o.keys;
    d->keys_out = o.keys_out;
    if (s->values) d->values = o.values, d->values_out = o.values_out, d->value_size = 4;
    if (s->top_k) d->top_k = s->top_k, d->order = CLSORT_DESCENDING;
}

int sentinel_prepare(const sentinel *s, size_t count)
{
    const size_t n = s->rows * count, out = s->top_k ? s->rows * s->top_k : n;
    int code = fill(s, n);
    o.bytes = out * (size_t)s->key_bytes;
    o.value_bytes = s->values ? out * 4 : 0;
    if (!code) code = renew(&o.keys_out, o.bytes, NULL);
    if (!code) code = renew(&o.values_out, out * 4, NULL);
    if (!code) code = cut(s, count);
    if (code) return code;
    clsort_trim(o.sorter);
    describe(s, count);
    return clsort_prepare(o.sorter, o.queue, &o.d);
}

/* Milliseconds from the call to the sorted arrays; below 0 after a failure. */
double sentinel_sort(void)
{
    struct timespec start, end;
    int code;
    clock_gettime(CLOCK_MONOTONIC, &start);
    code = clsort_enqueue_sort(o.sorter, o.queue, &o.d, 0, NULL, NULL);
    if (!code) code = clFinish(o.queue);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return code ? -1 : (double)(end.tv_sec - start.tv_sec) * 1e3
                           + (double)(end.tv_nsec - start.tv_nsec) * 1e-6;
}

/* A sum over the outputs in their order; 0 after a failure. */
cl_ulong sentinel_sum(void)
{
    const cl_mem buffers[2] = { o.keys_out, o.values_out };
    const size_t bytes[2] = { o.bytes, o.value_bytes };
    cl_ulong sum = 1;
    size_t i, j;
    for (i = 0; i < 2 && bytes[i]; i++) {
        cl_uint *words = (cl_uint *)malloc(bytes[i]);
        if (!words || clEnqueueReadBuffer(o.queue, buffers[i], CL_TRUE, 0, bytes[i], words, 0,
                                          NULL, NULL) != CL_SUCCESS)
            sum = 0;
        for (j = 0; sum && j < bytes[i] / 4; j++) sum = sum * 0x9E3779B97F4A7C15u + words[j];
        free(words);
    }
    return sum;
}
