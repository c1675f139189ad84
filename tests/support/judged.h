/* judged.h - what the device says of results: is an array in order, and is a wrong result found? */

#ifndef CLSORT_TESTS_JUDGED_H
#define CLSORT_TESTS_JUDGED_H

#include "cases.h"

/* The number of the first element that comes before its predecessor. */
static inline cl_uint judged_unsorted(const bench *b, const clsort_desc *d)
{
    cl_mem result = test_buffer(b, 4, NULL);
    cl_uint first = 12345;
    CHECK_OK(clsort_enqueue_is_sorted(b->sorter, b->session.queue, d, result, 0, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(b->session.queue, result, CL_TRUE, 0, 4, &first, 0, NULL, NULL)
          == CL_SUCCESS);
    clReleaseMemObject(result);
    return first;
}

/* Sorts, swaps elements i and j of `target`, each of `size` bytes, and has the device judge. The
   buffers of the description are released. */
static inline clsort_status judged_swapped(const bench *b, const clsort_desc *d, cl_mem target,
                                           size_t size, size_t i, size_t j)
{
    const cl_command_queue q = b->session.queue;
    cl_mem proof = test_buffer(b, sizeof(clsort_proof), NULL);
    unsigned char x[64], y[64];
    clsort_proof p;
    CHECK_OK(clsort_enqueue_fingerprint(b->sorter, q, d, proof, 0, 0, NULL, NULL));
    CHECK_OK(clsort_enqueue_sort(b->sorter, q, d, 0, NULL, NULL));
    clEnqueueReadBuffer(q, target, CL_TRUE, i * size, size, x, 0, NULL, NULL);
    clEnqueueReadBuffer(q, target, CL_TRUE, j * size, size, y, 0, NULL, NULL);
    clEnqueueWriteBuffer(q, target, CL_TRUE, j * size, size, x, 0, NULL, NULL);
    clEnqueueWriteBuffer(q, target, CL_TRUE, i * size, size, y, 0, NULL, NULL);
    CHECK_OK(clsort_enqueue_verify(b->sorter, q, d, proof, 0, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(q, proof, CL_TRUE, 0, sizeof p, &p, 0, NULL, NULL) == CL_SUCCESS);
    clReleaseMemObject(d->keys);
    if (d->values) clReleaseMemObject(d->values);
    if (d->indices) clReleaseMemObject(d->indices);
    clReleaseMemObject(proof);
    return clsort_judge(&p);
}

#endif
