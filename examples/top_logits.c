/* Demonstrates top-k as an operator of an ML runtime: the best K of each row of logits, with their
   indices, between offsets of one arena buffer; the logits stay as they are. Rows are padded, as a
   runtime pads tensors.

   cc -O2 -I.. top_logits.c -o top_logits -lOpenCL */

#define CL_TARGET_OPENCL_VERSION 120
#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, COUNT = 32000, STRIDE = COUNT + 64, K = 40 };

/* The arena: logits, then the best logits, then their indices. */
enum {
    LOGITS_AT = 256,
    BEST_AT = LOGITS_AT + ROWS * STRIDE * 4,
    INDICES_AT = BEST_AT + ROWS * K * 4,
    ARENA = INDICES_AT + ROWS * K * 4
};

static char arena[ARENA], arena_after[ARENA];

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, clsort_status_text(status));
    exit(EXIT_FAILURE);
}

static float logit(const char *memory, int row, int i)
{
    float x;
    memcpy(&x, memory + LOGITS_AT + (row * STRIDE + i) * 4, 4);
    return x;
}

/* How many results of a row are wrong: best[i] is the logit at index[i], and exactly i logits come
   before it. */
static int wrong_in(int row)
{
    cl_int index[K];
    float best[K];
    int i, j, wrong = 0;
    memcpy(best, arena_after + BEST_AT + row * K * 4, sizeof best);
    memcpy(index, arena_after + INDICES_AT + row * K * 4, sizeof index);
    for (i = 0; i < K; i++) {
        int before = 0;
        if (index[i] < 0 || index[i] >= COUNT) return K;
        for (j = 0; j < COUNT; j++)
            before += logit(arena, row, j) > best[i]
                      || (logit(arena, row, j) == best[i] && j < index[i]);
        wrong += before != i || logit(arena, row, index[i]) != best[i];
    }
    return wrong;
}

int main(void)
{
    clsort_sorter *sorter;
    clsort_desc desc = clsort_desc_default();
    cl_command_queue queue;
    cl_mem memory;
    cl_int status;
    int i, wrong = 0;

    for (i = 0; i < ROWS * STRIDE; i++) {
        const float x = (float)((unsigned)i * 2654435761u >> 8) / 1048576.0f - 8;
        memcpy(arena + LOGITS_AT + i * 4, &x, 4);
    }
    check(clsort_create(NULL, NULL, NULL, &sorter), "clsort_create");
    queue = clCreateCommandQueue(clsort_context(sorter), clsort_device(sorter), 0, &status);
    check(status, "clCreateCommandQueue");
    memory = clCreateBuffer(clsort_context(sorter), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                            sizeof arena, arena, &status);
    check(status, "clCreateBuffer");

    desc.rows = ROWS;
    desc.count = COUNT;
    desc.row_stride = STRIDE * sizeof(float);
    desc.top_k = K;
    desc.key_type = CLSORT_F32;
    desc.order = CLSORT_DESCENDING;
    desc.nan_order = CLSORT_NAN_LAST;
    /* Three ranges of one buffer that do not overlap. */
    desc.keys = desc.keys_out = desc.indices = memory;
    desc.keys_offset = LOGITS_AT;
    desc.keys_out_offset = BEST_AT;
    desc.indices_offset = INDICES_AT;   /* below 2^31: the cl_uint are good i32 */
    check(clsort_enqueue_sort(sorter, queue, &desc, 0, NULL, NULL), "clsort_enqueue_sort");
    check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof arena_after, arena_after, 0, NULL,
                              NULL),
          "clEnqueueReadBuffer");

    for (i = 0; i < ROWS; i++) wrong += wrong_in(i);
    /* The logits and what lies before them must be untouched. */
    wrong += memcmp(arena, arena_after, BEST_AT) != 0;
    printf("the best %d of %d rows of %d logits, %d wrong\n", K, ROWS, COUNT, wrong);

    clsort_destroy(sorter);
    clReleaseMemObject(memory);
    clReleaseCommandQueue(queue);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
