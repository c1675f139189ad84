/* Demonstrates keeping a list sorted: a few new items are sorted on their own and merged into the
   list, which is cheaper than sorting everything again. Of equal times the items of the list stay
   in front.

   cc -O2 -I.. merge_new_items.c -o merge_new_items -lOpenCL */

#define CL_TARGET_OPENCL_VERSION 120
#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#include <stdio.h>
#include <stdlib.h>

enum { NEW = 1000, ROUNDS = 20, COUNT = NEW * ROUNDS };

static cl_uint times[COUNT], numbers[COUNT];
static cl_context context;
static cl_command_queue queue;

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, clsort_status_text(status));
    exit(EXIT_FAILURE);
}

static cl_uint time_of(cl_uint item) { return (item * 2654435761u >> 16) % 5000u; }

static cl_mem buffer(size_t count)
{
    cl_int status;
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, count * sizeof(cl_uint), NULL,
                                 &status);
    check(status, "clCreateBuffer");
    return made;
}

/* Writes new items, sorts them and merges them behind those of the list that are as early: list +
   items = target. */
static void add_items(clsort_sorter *sorter, cl_uint first, cl_mem items[2], cl_mem list[2],
                      cl_mem target[2])
{
    clsort_desc sort = clsort_desc_default();
    clsort_merge_desc merge = clsort_merge_desc_default();
    sort.count = merge.count_b = NEW;
    sort.key_type = merge.key_type = CLSORT_U32;
    sort.value_size = merge.value_size = sizeof(cl_uint);
    sort.stable = 1;
    sort.keys = merge.keys_b = items[0];
    sort.values = merge.values_b = items[1];
    merge.count_a = first;
    merge.keys_a = list[0];
    merge.values_a = list[1];
    merge.keys_out = target[0];
    merge.values_out = target[1];
    check(clEnqueueWriteBuffer(queue, items[0], CL_FALSE, 0, NEW * sizeof(cl_uint), times + first,
                               0, NULL, NULL),
          "clEnqueueWriteBuffer");
    check(clEnqueueWriteBuffer(queue, items[1], CL_FALSE, 0, NEW * sizeof(cl_uint), numbers + first,
                               0, NULL, NULL),
          "clEnqueueWriteBuffer");
    check(clsort_enqueue_sort(sorter, queue, &sort, 0, NULL, NULL), "clsort_enqueue_sort");
    check(clsort_enqueue_merge(sorter, queue, &merge, 0, NULL, NULL), "clsort_enqueue_merge");
}

int main(void)
{
    clsort_sorter *sorter;
    cl_mem items[2], list[2][2];
    cl_int status;
    cl_uint i, wrong = 0;

    check(clsort_create(NULL, NULL, NULL, &sorter), "clsort_create");
    context = clsort_context(sorter);
    queue = clCreateCommandQueue(context, clsort_device(sorter), 0, &status);
    check(status, "clCreateCommandQueue");
    for (i = 0; i < 2; i++) {
        items[i] = buffer(NEW);
        list[0][i] = buffer(COUNT);
        list[1][i] = buffer(COUNT);
    }
    for (i = 0; i < COUNT; i++) { times[i] = time_of(i); numbers[i] = i; }

    /* The list moves from one pair of buffers to the other and back. Nothing waits until the
       end. */
    for (i = 0; i < ROUNDS; i++) add_items(sorter, i * NEW, items, list[i % 2], list[(i + 1) % 2]);
    check(clFinish(queue), "clFinish");
    check(clEnqueueReadBuffer(queue, list[ROUNDS % 2][0], CL_TRUE, 0, sizeof times, times, 0, NULL,
                              NULL),
          "clEnqueueReadBuffer");
    check(clEnqueueReadBuffer(queue, list[ROUNDS % 2][1], CL_TRUE, 0, sizeof numbers, numbers, 0,
                              NULL, NULL),
          "clEnqueueReadBuffer");

    for (i = 0; i < COUNT; i++)
        wrong += numbers[i] >= COUNT || times[i] != time_of(numbers[i])
                 || (i && times[i - 1] > times[i]);
    for (i = 1; i < COUNT; i++) wrong += times[i - 1] == times[i] && numbers[i - 1] >= numbers[i];
    printf("%d items in %d rounds, %u wrong\n", COUNT, ROUNDS, (unsigned)wrong);
    clsort_destroy(sorter);
    for (i = 0; i < 6; i++) clReleaseMemObject(i < 2 ? items[i] : list[i / 2 - 1][i % 2]);
    clReleaseCommandQueue(queue);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
