/* Sorts, where there is a device; without one only the library is there. */

#include "clsort.h"

#include <stdio.h>

int main(void)
{
    float keys[5] = { 3, -1, 4, 0, 2 };
    clsort_desc d = clsort_desc_default();
    clsort_sorter *s;
    clsort_status status = clsort_create(NULL, NULL, NULL, &s);
    if (status != CL_SUCCESS) {
        puts(clsort_status_text(status));
        return clsort_version() / 100 != CLSORT_VERSION_MAJOR * 100 + CLSORT_VERSION_MINOR;
    }
    d.count = 5;
    d.key_type = CLSORT_F32;
    status = clsort_sort_host(s, &d, keys, NULL, NULL);
    if (status != CL_SUCCESS) puts(clsort_last_error(s));
    else printf("%g %g %g %g %g\n", keys[0], keys[1], keys[2], keys[3], keys[4]);
    clsort_destroy(s);
    return status != CL_SUCCESS || keys[0] != -1 || keys[4] != 4;
}
