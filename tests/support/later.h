/* Buffers that a sort will have, as words of a table beside flags. Include it behind clsort.h. */

#ifndef LATER_H
#define LATER_H

enum {
    LATER_INDICES = 1 << 16,
    LATER_KEYS_OUT = 1 << 17,
    LATER_VALUES_OUT = 1 << 18,
    LATER_COUNT = 1 << 19,
    LATER_LENGTHS = 1 << 20,
    LATER_ALL = 31 << 16
};

/* Adds flags, and CLSORT_LATER where `words` say so and no buffer is given. */
static inline void later(clsort_desc *d, cl_uint words)
{
    d->flags |= words & ~(cl_uint)LATER_ALL;
    if (words & LATER_INDICES && !d->indices) d->indices = CLSORT_LATER;
    if (words & LATER_KEYS_OUT && !d->keys_out) d->keys_out = CLSORT_LATER;
    if (words & LATER_VALUES_OUT && !d->values_out) d->values_out = CLSORT_LATER;
    if (words & LATER_COUNT && !d->count_buffer) d->count_buffer = CLSORT_LATER;
    if (words & LATER_LENGTHS && !d->lengths) d->lengths = CLSORT_LATER;
}

/* Forgets them. */
static inline void later_none(clsort_desc *d)
{
    if (d->indices == CLSORT_LATER) d->indices = NULL;
    if (d->keys_out == CLSORT_LATER) d->keys_out = NULL;
    if (d->values_out == CLSORT_LATER) d->values_out = NULL;
    if (d->count_buffer == CLSORT_LATER) d->count_buffer = NULL;
    if (d->lengths == CLSORT_LATER) d->lengths = NULL;
}

#endif
