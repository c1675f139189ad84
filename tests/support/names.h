/* Names of algorithms, with suffixes. Include it behind the implementation. */

#ifndef NAMES_H
#define NAMES_H

enum { NAMES_WAYS = sizeof clsort__suffixes / sizeof *clsort__suffixes };

/* Writes name number i: those of clsort_algorithm_name, each alone and with one suffix. Returns 0
   after the last one. *name is "" where there is no such name, or a shorter one means the same. */
static inline int names_take(cl_uint i, char name[2 * CLSORT__NAME_BYTES])
{
    const char *const first = clsort_algorithm_name(i / NAMES_WAYS),
               *const suffix = i % NAMES_WAYS ? clsort__suffixes[i % NAMES_WAYS - 1].word : "";
    char shortest[CLSORT__NAME_BYTES] = "";
    clsort_desc d = clsort_desc_default();
    if (!first) return 0;
    snprintf(name, 2 * CLSORT__NAME_BYTES, "%s%s", first, suffix);
    if (clsort_set_algorithm(&d, name) == CL_SUCCESS) clsort__find_name(&d, shortest);
    if (strcmp(name, shortest) != 0) *name = 0;
    return 1;
}

#endif
