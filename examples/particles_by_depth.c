/* Demonstrates a game's use: in each frame particles are sorted back to front for blending. The
   keys are 32-bit depths, the payload is the 16-byte particle itself. How many are alive, only the
   device knows. Kernels are built and all memory is made while loading, so no frame waits for a
   compiler or an allocation.

   cc -O2 -I.. particles_by_depth.c -o particles_by_depth -lOpenCL */

#define CL_TARGET_OPENCL_VERSION 120
#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 20000, FRAMES = 3 };

typedef struct particle { float x, y, z, size; } particle;

static particle particles[COUNT];
static float depths[COUNT];
static cl_uint alive;

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, clsort_status_text(status));
    exit(EXIT_FAILURE);
}

/* Stands for a simulation: the same particles in other places, most of them in front of the
   camera, and fewer alive in each frame. */
static void move_particles(int frame)
{
    cl_uint i;
    alive = COUNT - 3000u * (cl_uint)frame;
    for (i = 0; i < COUNT; i++) {
        particles[i].z = (float)((i * 7919u + (cl_uint)frame * 104729u) % 65536u) / 64.0f - 8.0f;
        particles[i].size = (float)i;
        depths[i] = particles[i].z;
    }
}

/* Counts neighbours out of order, particles that lost their depth or were lost themselves, and dead
   ones that were moved. */
static cl_uint count_errors(void)
{
    static unsigned char seen[COUNT];
    cl_uint i, wrong = 0;
    for (i = 0; i < COUNT; i++) seen[i] = 0;
    for (i = 0; i < COUNT; i++) {
        seen[(cl_uint)particles[i].size] = 1;
        wrong += (i && i < alive && depths[i - 1] < depths[i]) || particles[i].z != depths[i]
                 || (i >= alive && (cl_uint)particles[i].size != i);
    }
    for (i = 0; i < COUNT; i++) wrong += !seen[i];
    return wrong;
}

int main(void)
{
    clsort_sorter *sorter;
    clsort_desc desc = clsort_desc_default();
    cl_command_queue queue;
    cl_mem keys, values, count;
    cl_int status;
    cl_uint wrong = 0;
    int frame;

    /* A game hands in the context and the device that it renders with; here clsort chooses them. */
    check(clsort_create(NULL, NULL, NULL, &sorter), "clsort_create");
    queue = clCreateCommandQueue(clsort_context(sorter), clsort_device(sorter), 0, &status);
    check(status, "clCreateCommandQueue");
    keys = clCreateBuffer(clsort_context(sorter), CL_MEM_READ_WRITE, sizeof depths, NULL, &status);
    check(status, "clCreateBuffer");
    values = clCreateBuffer(clsort_context(sorter), CL_MEM_READ_WRITE, sizeof particles, NULL,
                            &status);
    check(status, "clCreateBuffer");
    count = clCreateBuffer(clsort_context(sorter), CL_MEM_READ_WRITE, sizeof alive, NULL, &status);
    check(status, "clCreateBuffer");

    /* `count` is the most that there may be. Kernels, launches and scratch memory follow from it,
       whatever the device says in a frame. */
    desc.count = COUNT;
    desc.count_buffer = count;
    desc.key_type = CLSORT_F32;
    desc.order = CLSORT_DESCENDING;
    desc.keys = keys;
    desc.values = values;
    desc.value_size = sizeof(particle);
    check(clsort_scratch_size(sorter, &desc, &desc.scratch_size), "clsort_scratch_size");
    desc.scratch = clCreateBuffer(clsort_context(sorter), CL_MEM_READ_WRITE, desc.scratch_size,
                                  NULL, &status);
    check(status, "clCreateBuffer");
    check(clsort_prepare(sorter, queue, &desc), "clsort_prepare");
    desc.flags = CLSORT_FLAG_NO_BUILD;   /* from here on, an error rather than a hitch */

    for (frame = 0; frame < FRAMES; frame++) {
        move_particles(frame);
        check(clEnqueueWriteBuffer(queue, keys, CL_FALSE, 0, sizeof depths, depths, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
        check(clEnqueueWriteBuffer(queue, values, CL_FALSE, 0, sizeof particles, particles, 0, NULL,
                                   NULL),
              "clEnqueueWriteBuffer");
        /* Stands for the kernel that counts those that live on. */
        check(clEnqueueWriteBuffer(queue, count, CL_FALSE, 0, sizeof alive, &alive, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
        check(clsort_enqueue_sort(sorter, queue, &desc, 0, NULL, NULL), "clsort_enqueue_sort");
        check(clEnqueueReadBuffer(queue, keys, CL_FALSE, 0, sizeof depths, depths, 0, NULL, NULL),
              "clEnqueueReadBuffer");
        check(clEnqueueReadBuffer(queue, values, CL_TRUE, 0, sizeof particles, particles, 0, NULL,
                                  NULL),
              "clEnqueueReadBuffer");
        printf("frame %d: %u from depth %.3f to %.3f\n", frame, (unsigned)alive, (double)depths[0],
               (double)depths[alive - 1]);
        wrong += count_errors();
    }
    printf("%d frames of %d particles, %u wrong\n", FRAMES, COUNT, (unsigned)wrong);

    clsort_destroy(sorter);
    clReleaseMemObject(keys);
    clReleaseMemObject(values);
    clReleaseMemObject(count);
    clReleaseMemObject(desc.scratch);
    clReleaseCommandQueue(queue);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
