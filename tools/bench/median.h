/* median.h - the median of times, for the programs of this folder. */

#ifndef CLSORT_TOOLS_MEDIAN_H
#define CLSORT_TOOLS_MEDIAN_H

#include <stdlib.h>

static int median_order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the times, too. Of an even number, the larger one in the middle. */
static double median(double *times, int n)
{
    qsort(times, (size_t)n, sizeof *times, median_order);
    return times[n / 2];
}

#endif
