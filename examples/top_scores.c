/* Demonstrates argsort for machine learning: the order of a model's scores, best first, as indices;
   the scores stay where they are. NaNs, as a broken model gives them, come last instead of winning.

   cc -O2 -I.. top_scores.c -o top_scores -lOpenCL */

#define CL_TARGET_OPENCL_VERSION 120
#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 50000, BEST = 5 };

static float scores[COUNT], scores_after[COUNT];
static cl_uint order[COUNT];

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, clsort_status_text(status));
    exit(EXIT_FAILURE);
}

/* Does sample a rank before sample b? Best score first, NaNs last, equal scores by index. */
static int before(cl_uint a, cl_uint b)
{
    int a_nan = isnan(scores[a]), b_nan = isnan(scores[b]);
    if (a_nan || b_nan) return a_nan && b_nan ? a < b : b_nan;
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
}

int main(void)
{
    clsort_sorter *sorter;
    clsort_desc desc = clsort_desc_default();
    cl_command_queue queue;
    cl_mem keys, indices;
    cl_int status;
    cl_uint i, wrong = 0;

    for (i = 0; i < COUNT; i++)
        scores[i] = i % 10000 == 77 ? NAN : (float)((i * 2654435761u >> 16) % 30000u) / 30000.0f;

    check(clsort_create(NULL, NULL, NULL, &sorter), "clsort_create");
    queue = clCreateCommandQueue(clsort_context(sorter), clsort_device(sorter), 0, &status);
    check(status, "clCreateCommandQueue");
    keys = clCreateBuffer(clsort_context(sorter), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                          sizeof scores, scores, &status);
    check(status, "clCreateBuffer");
    indices = clCreateBuffer(clsort_context(sorter), CL_MEM_READ_WRITE, sizeof order, NULL,
                             &status);
    check(status, "clCreateBuffer");

    desc.count = COUNT;
    desc.key_type = CLSORT_F32;
    desc.order = CLSORT_DESCENDING;
    desc.nan_order = CLSORT_NAN_LAST;
    desc.stable = 1;                 /* equal scores: the lower index first */
    desc.keys = keys;                /* only read, because there are indices and no keys_out */
    desc.indices = indices;
    check(clsort_enqueue_sort(sorter, queue, &desc, 0, NULL, NULL), "clsort_enqueue_sort");

    /* A program that wants the best five reads five indices; the whole order is for the check
       below. */
    check(clEnqueueReadBuffer(queue, indices, CL_TRUE, 0, sizeof order, order, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    check(clEnqueueReadBuffer(queue, keys, CL_TRUE, 0, sizeof scores, scores_after, 0, NULL, NULL),
          "clEnqueueReadBuffer");

    for (i = 0; i < COUNT; i++)
        if (order[i] >= COUNT) return EXIT_FAILURE;
    for (i = 0; i < BEST; i++)
        printf("%u. sample %5u, score %.5f\n", (unsigned)i + 1, (unsigned)order[i],
               (double)scores[order[i]]);
    for (i = 1; i < COUNT; i++) wrong += !before(order[i - 1], order[i]);
    wrong += memcmp(scores, scores_after, sizeof scores) != 0;
    printf("%d scores ranked, %u wrong\n", COUNT, (unsigned)wrong);

    clsort_destroy(sorter);
    clReleaseMemObject(keys);
    clReleaseMemObject(indices);
    clReleaseCommandQueue(queue);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
