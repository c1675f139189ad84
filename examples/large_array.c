/* Demonstrates sorting an array in host memory that is larger than the device's memory, which this
   program limits to half of the array's bytes: in chunks, on two sorters at once.

   cc -O2 -I.. -I../tools/multi large_array.c -o large_array -lOpenCL */

#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#include "clsort_multi.h"
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000000 };

static cl_ulong hashes[COUNT], lines[COUNT];

static cl_ulong hash_of(cl_ulong line)
{
    return line * (((cl_ulong)0x9E3779B9 << 32) | 0x7F4A7C15);
}

int main(void)
{
    /* In a real program, one for each device: the fastest first. Here both are for the same one. */
    clsort_sorter *sorters[2] = { NULL, NULL };
    clsort_desc desc = clsort_desc_default();
    clsort_multi_desc multi = clsort_multi_desc_default();
    clsort_share shares[2];
    clsort_status status;
    size_t i, wrong = 0;

    for (i = 0; i < COUNT; i++) hashes[i] = hash_of(i);

    desc.count = COUNT;                 /* may be above 2^32 */
    desc.key_type = CLSORT_U64;
    multi.sort = &desc;
    multi.keys = hashes;
    multi.indices = lines;              /* an argsort: hashes stay as they are */
    multi.device_memory = sizeof hashes / 2;
    multi.shares = shares;

    status = clsort_create(NULL, NULL, NULL, &sorters[0]);
    if (status == CL_SUCCESS) status = clsort_clone(sorters[0], &sorters[1]);
    if (status == CL_SUCCESS) status = clsort_sort_host_on(sorters, 2, &multi);
    if (status != CL_SUCCESS)
        fprintf(stderr, "%s: %s\n", clsort_status_text(status), clsort_last_error(sorters[0]));
    clsort_destroy(sorters[0]);
    clsort_destroy(sorters[1]);
    if (status != CL_SUCCESS) return EXIT_FAILURE;

    for (i = 1; i < COUNT; i++) wrong += hash_of(lines[i - 1]) > hash_of(lines[i]);
    for (i = 0; i < 2; i++)
        printf("sorter %u: %u chunks and parts\n", (unsigned)i, (unsigned)shares[i].jobs);
    printf("%d hashes, %u wrong\n", COUNT, (unsigned)wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
