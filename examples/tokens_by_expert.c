/* Demonstrates a mixture of experts, with nothing read back in between: tokens are grouped by
   expert, a second call finds where each group begins, and between these offsets each group is
   sorted by score, the best token first.

   cc -O2 -I.. tokens_by_expert.c -o tokens_by_expert -lOpenCL */

#define CL_TARGET_OPENCL_VERSION 120
#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#include <stdio.h>
#include <stdlib.h>

enum { TOKENS = 40000, EXPERTS = 64, EXPERT_BITS = 6 };

typedef struct token { float score; cl_uint number; } token;

static token tokens[TOKENS];
static cl_uint experts[TOKENS];
static cl_uint offsets[EXPERTS + 1];   /* read for the check only */

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, clsort_status_text(status));
    exit(EXIT_FAILURE);
}

static cl_mem upload(clsort_sorter *sorter, size_t bytes, void *data)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(clsort_context(sorter), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   bytes, data, &status);
    check(status, "clCreateBuffer");
    return buffer;
}

/* Counts tokens that are lost, or in another group than their expert's; or that come behind a worse
   one, or before an earlier equal one. */
static cl_uint count_errors(void)
{
    static unsigned char seen[TOKENS];
    cl_uint e = 0, i, wrong = offsets[0] != 0 || offsets[EXPERTS] != TOKENS;
    for (i = 0; i < TOKENS; i++) {
        const token *own = &tokens[i], *last = &tokens[i ? i - 1 : 0];
        while (e + 1 < EXPERTS && offsets[e + 1] <= i) e++;
        wrong += own->number >= TOKENS || experts[own->number] != e || seen[own->number]++;
        wrong += i > offsets[e]
                 && (last->score < own->score
                     || (last->score == own->score && last->number > own->number));
    }
    return wrong;
}

int main(void)
{
    clsort_sorter *sorter;
    clsort_desc group = clsort_desc_default(), rank = group;
    clsort_groups_desc begins = clsort_groups_desc_default();
    cl_command_queue queue;
    cl_int status;
    cl_uint i, wrong;

    check(clsort_create(NULL, NULL, NULL, &sorter), "clsort_create");
    queue = clCreateCommandQueue(clsort_context(sorter), clsort_device(sorter), 0, &status);
    check(status, "clCreateCommandQueue");
    for (i = 0; i < TOKENS; i++) {
        experts[i] = (i * 2654435761u >> 20) % 61u;   /* the last three get none */
        tokens[i].score = (float)(i * 7919u % 9973u) / 9973.0f;
        tokens[i].number = i;
    }

    group.count = rank.count = TOKENS;
    group.key_type = CLSORT_U32;
    group.last_bit = EXPERT_BITS;   /* the others are 0: one pass instead of four */
    group.stable = 1;               /* tokens of one expert keep their order */
    group.keys = upload(sorter, sizeof experts, experts);
    group.values = rank.keys = upload(sorter, sizeof tokens, tokens);
    group.value_size = rank.record_size = sizeof(token);
    rank.key_type = CLSORT_F32;     /* of records, the score in front */
    rank.order = CLSORT_DESCENDING;
    rank.segments = upload(sorter, sizeof offsets, offsets);
    rank.segment_count = begins.groups = EXPERTS;
    begins.count = TOKENS;
    begins.key_type = CLSORT_U32;
    begins.keys = group.keys;
    begins.starts = rank.segments;
    check(clsort_enqueue_sort(sorter, queue, &group, 0, NULL, NULL), "clsort_enqueue_sort");
    check(clsort_enqueue_group_starts(sorter, queue, &begins, 0, NULL, NULL),
          "clsort_enqueue_group_starts");
    check(clsort_enqueue_sort(sorter, queue, &rank, 0, NULL, NULL), "clsort_enqueue_sort");

    check(clEnqueueReadBuffer(queue, rank.keys, CL_TRUE, 0, sizeof tokens, tokens, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    check(clEnqueueReadBuffer(queue, rank.segments, CL_TRUE, 0, sizeof offsets, offsets, 0, NULL,
                              NULL),
          "clEnqueueReadBuffer");
    wrong = count_errors();
    printf("expert 7: %u tokens, the best one %u with score %.5f\n",
           (unsigned)(offsets[8] - offsets[7]), (unsigned)tokens[offsets[7]].number,
           (double)tokens[offsets[7]].score);
    printf("%d tokens of %d experts, %u wrong\n", TOKENS, EXPERTS, (unsigned)wrong);
    clsort_destroy(sorter);
    clReleaseMemObject(group.keys);
    clReleaseMemObject(rank.keys);
    clReleaseMemObject(rank.segments);
    clReleaseCommandQueue(queue);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
