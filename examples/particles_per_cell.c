/* Demonstrates segments: particles are grouped by the cells of a grid, and each cell's are sorted
   from back to front, all cells in one call. The grid's table of offsets says where cells begin;
   cells may be empty, or hold half of all particles.

   cc -O2 -I.. particles_per_cell.c -o particles_per_cell -lOpenCL */

#define CL_TARGET_OPENCL_VERSION 120
#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 1000, MOST = 200000 };

typedef struct particle { float depth; cl_uint cell, born, colour; } particle;

static particle particles[MOST];
static cl_uint starts[CELLS + 1];   /* cell c holds particles starts[c] to starts[c + 1] - 1 */

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, clsort_status_text(status));
    exit(EXIT_FAILURE);
}

/* Stands for a simulation that keeps its particles by cell: most cells hold some, every seventh
   none, one a crowd. */
static cl_uint fill_cells(void)
{
    cl_uint c, i, n = 0;
    for (c = 0; c < CELLS; c++) {
        cl_uint here = c == 500 ? MOST / 2 : c % 7 == 3 ? 0 : c * 2654435761u >> 26;
        starts[c] = n;
        for (i = 0; i < here; i++, n++) {
            particles[n].depth = (float)(n * 7919u % 4096u) / 16.0f;
            particles[n].cell = c;
            particles[n].born = n;
        }
    }
    starts[CELLS] = n;
    return n;
}

/* Counts particles that left their cell, are nearer than their successor, or changed places with
   one of the same depth. */
static cl_uint count_errors(void)
{
    cl_uint c, i, wrong = 0;
    for (c = 0; c < CELLS; c++)
        for (i = starts[c]; i < starts[c + 1]; i++) {
            const particle *p = &particles[i], *last = &particles[i ? i - 1 : 0];
            wrong += p->cell != c || p->depth != (float)(p->born * 7919u % 4096u) / 16.0f;
            wrong += i > starts[c]
                     && (last->depth < p->depth
                         || (last->depth == p->depth && last->born >= p->born));
        }
    return wrong;
}

static cl_mem upload(clsort_sorter *sorter, size_t bytes, void *data)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(clsort_context(sorter), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   bytes, data, &status);
    check(status, "clCreateBuffer");
    return buffer;
}

int main(void)
{
    clsort_sorter *sorter;
    clsort_desc desc = clsort_desc_default();
    cl_command_queue queue;
    cl_int status;
    cl_uint wrong;

    check(clsort_create(NULL, NULL, NULL, &sorter), "clsort_create");
    queue = clCreateCommandQueue(clsort_context(sorter), clsort_device(sorter), 0, &status);
    check(status, "clCreateCommandQueue");

    desc.count = fill_cells();
    desc.key_type = CLSORT_F32;
    desc.order = CLSORT_DESCENDING;
    desc.record_size = sizeof(particle);
    desc.key_offset = offsetof(particle, depth);
    desc.keys = upload(sorter, desc.count * sizeof(particle), particles);
    /* A kernel of yours could write these: only the device reads them. */
    desc.segments = upload(sorter, sizeof starts, starts);
    desc.segment_count = CELLS;
    check(clsort_enqueue_sort(sorter, queue, &desc, 0, NULL, NULL), "clsort_enqueue_sort");

    check(clEnqueueReadBuffer(queue, desc.keys, CL_TRUE, 0, desc.count * sizeof(particle),
                              particles, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    wrong = count_errors();
    printf("cell 500: %u particles, from depth %.3f to %.3f\n",
           (unsigned)(starts[501] - starts[500]), (double)particles[starts[500]].depth,
           (double)particles[starts[501] - 1].depth);
    printf("%u particles sorted in %d cells, %u wrong\n", (unsigned)desc.count, CELLS,
           (unsigned)wrong);

    clsort_destroy(sorter);
    clReleaseMemObject(desc.keys);
    clReleaseMemObject(desc.segments);
    clReleaseCommandQueue(queue);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
