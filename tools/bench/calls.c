/* calls.c - how long the host is busy in a warm call of clsort_enqueue_sort, by this header and, if
   wanted, by an earlier one:

     make build/calls && build/calls [COUNT [CALLS]]
     git show v0.4.0:clsort.h >build/before.h
     cc -O2 -DCALLS_HEADER='"../../build/before.h"' -Itools/clsort tools/bench/calls.c \
         -o build/calls_before -lOpenCL

   Prints the median of CALLS calls (default 20000) in us and the time that a tenth of them keeps,
   each on an idle in-order queue, for COUNT u32 (default 4096). Run both in turns. */

#define _POSIX_C_SOURCE 199309L
#define CL_TARGET_OPENCL_VERSION 120
#define CLSORT_STATIC
#define CLSORT_IMPLEMENTATION
#ifndef CALLS_HEADER
#define CALLS_HEADER "../../clsort.h"
#endif
#include CALLS_HEADER
#include <time.h>
#include "device.h"
#include "median.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

int main(int n, char **words)
{
    const size_t count = n > 1 ? strtoul(words[1], NULL, 10) : 4096;
    const int calls = n > 2 ? atoi(words[2]) : 20000;
    double *const us = (double *)malloc((size_t)(calls < 1 ? 1 : calls) * sizeof *us), middle;
    clsort_desc d = clsort_desc_default();
    clsort_sorter *s = NULL;
    device_info info;
    device_session device;
    cl_command_queue queue;
    cl_int code, i;
    if (!us || !device_choose(NULL, &info) || !device_open(&info, &device)) return 2;
    queue = clCreateCommandQueue(device.context, info.id, 0, &code);   /* without profiling */
    d.count = count;
    d.key_type = CLSORT_U32;
    d.keys = clCreateBuffer(device.context, CL_MEM_READ_WRITE, count * 4, NULL, NULL);
    if (!code) code = clsort_create(device.context, info.id, NULL, &s);
    if (!code) code = clsort_prepare(s, queue, &d);
    for (i = -calls / 10; i < calls && !code; i++) {
        const double begin = now();
        code = clsort_enqueue_sort(s, queue, &d, 0, NULL, NULL);
        us[i < 0 ? 0 : i] = now() - begin;
        if (!code) code = clFinish(queue);
    }
    if (calls < 1) return 2;
    if (code) return fprintf(stderr, "calls: %s\n", clsort_status_text(code)), 1;
    middle = median(us, calls);
    printf("%.3f us, a tenth %.3f: %s, %zu u32, clsort %u\n", middle, us[calls / 10], info.name,
           count, (unsigned)clsort_version());
    return 0;
}
