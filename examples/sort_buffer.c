/* Demonstrates sorting a buffer between your own commands: one queue uploads, another sorts, a wait
   list and an event tie them together, and the host waits once, at the end.

   cc -O2 -I.. sort_buffer.c -o sort_buffer -lOpenCL */

/* Later versions deprecate clCreateCommandQueue. */
#define CL_TARGET_OPENCL_VERSION 120
#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 100000 };

static cl_uint keys[COUNT];

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, clsort_status_text(status));
    exit(EXIT_FAILURE);
}

/* The first GPU, else the first device of any kind. */
static cl_device_id find_device(void)
{
    const cl_device_type wanted[2] = { CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ALL };
    cl_platform_id platforms[16];
    cl_uint count = 0, i, w;
    cl_device_id device;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (w = 0; w < 2; w++)
        for (i = 0; i < count && i < 16; i++)
            if (clGetDeviceIDs(platforms[i], wanted[w], 1, &device, NULL) == CL_SUCCESS)
                return device;
    check(CL_DEVICE_NOT_FOUND, "find_device");
    return NULL;
}

int main(void)
{
    cl_device_id device = find_device();
    cl_int status;
    cl_context context;
    cl_command_queue upload, compute;
    cl_mem buffer;
    cl_event uploaded, sorted;
    clsort_sorter *sorter;
    clsort_desc desc = clsort_desc_default();
    cl_uint i, wrong = 0;

    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    upload = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    compute = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof keys, NULL, &status);
    check(status, "clCreateBuffer");

    desc.count = COUNT;
    desc.key_type = CLSORT_U32;
    desc.keys = buffer;
    check(clsort_create(context, device, NULL, &sorter), "clsort_create");
    /* Builds kernels now instead of in the first sort. */
    check(clsort_prepare(sorter, compute, &desc), "clsort_prepare");

    /* An odd factor makes the keys a permutation of 0 ... 2^32 - 1 cut to COUNT elements: all
       different. */
    for (i = 0; i < COUNT; i++) keys[i] = i * 2654435761u;
    check(clEnqueueWriteBuffer(upload, buffer, CL_FALSE, 0, sizeof keys, keys, 0, NULL, &uploaded),
          "clEnqueueWriteBuffer");
    check(clFlush(upload), "clFlush");
    check(clsort_enqueue_sort(sorter, compute, &desc, 1, &uploaded, &sorted),
          "clsort_enqueue_sort");
    check(clFlush(compute), "clFlush");
    check(clEnqueueReadBuffer(upload, buffer, CL_TRUE, 0, sizeof keys, keys, 1, &sorted, NULL),
          "clEnqueueReadBuffer");

    /* 244002641 is the inverse of the factor modulo 2^32, so it turns each key back into its
       index. */
    for (i = 0; i < COUNT; i++)
        wrong += keys[i] * 244002641u >= COUNT || (i && keys[i - 1] >= keys[i]);
    printf("%d keys sorted, from %u to %u, %u wrong\n", COUNT, (unsigned)keys[0],
           (unsigned)keys[COUNT - 1], (unsigned)wrong);

    clsort_destroy(sorter);
    check(clReleaseEvent(uploaded), "clReleaseEvent");
    check(clReleaseEvent(sorted), "clReleaseEvent");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseCommandQueue(upload), "clReleaseCommandQueue");
    check(clReleaseCommandQueue(compute), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
