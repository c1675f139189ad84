/* Demonstrates sorting an array in host memory: descending floats, each with an integer that moves
   along.

   cc -O2 -I.. sort_array.c -o sort_array -lOpenCL */

#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 100000 };

static float prices[COUNT];
static cl_uint articles[COUNT];

static int report(clsort_sorter *sorter, clsort_status status)
{
    fprintf(stderr, "%s: %s\n", clsort_status_text(status),
            sorter ? clsort_last_error(sorter) : "no sorter");
    clsort_destroy(sorter);
    return EXIT_FAILURE;
}

static float price_of(cl_uint article)
{
    return (float)(article * 2654435761u >> 8) / 100.0f;
}

int main(void)
{
    clsort_sorter *sorter;
    clsort_desc desc = clsort_desc_default();
    clsort_status status;
    cl_uint i, wrong = 0;

    for (i = 0; i < COUNT; i++) {
        articles[i] = i;
        prices[i] = price_of(i);
    }

    desc.count = COUNT;
    desc.key_type = CLSORT_F32;
    desc.order = CLSORT_DESCENDING;
    desc.value_size = sizeof articles[0];

    /* No context and no device: the sorter takes the first GPU, else the first device. */
    status = clsort_create(NULL, NULL, NULL, &sorter);
    if (status != CL_SUCCESS) return report(NULL, status);
    status = clsort_sort_host(sorter, &desc, prices, articles, NULL);
    if (status != CL_SUCCESS) return report(sorter, status);
    clsort_destroy(sorter);

    for (i = 0; i < COUNT; i++)
        wrong += prices[i] != price_of(articles[i]) || (i && prices[i - 1] < prices[i]);
    for (i = 0; i < 5; i++)
        printf("article %5u costs %9.2f\n", (unsigned)articles[i], (double)prices[i]);
    printf("%d prices sorted, %u wrong\n", COUNT, (unsigned)wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
