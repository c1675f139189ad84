/* Demonstrates records in the order of two fields: a draw list from back to front, at the same
   depth by material. It is sorted by a list of fields, and by an expression in OpenCL C that says
   the same; both keep equal draws in their order.

   cc -O2 -I.. draw_list.c -o draw_list -lOpenCL */

#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 50000 };

typedef struct draw { float depth; cl_uint material, mesh; } draw;

static draw draws[COUNT], by_fields[COUNT], by_expression[COUNT];

static void check(clsort_sorter *sorter, clsort_status status)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "%s: %s\n%s\n", clsort_status_text(status), clsort_last_error(sorter),
            clsort_build_log(sorter));
    exit(EXIT_FAILURE);
}

static int draw_precedes(const draw *a, const draw *b)
{
    return a->depth > b->depth || (a->depth == b->depth && a->material < b->material);
}

/* Counts neighbours out of order. The mesh is the place in the unsorted list, so it must ascend
   among equal draws. */
static cl_uint count_errors(const draw *sorted)
{
    cl_uint i, wrong = 0;
    for (i = 0; i < COUNT; i++) {
        wrong += sorted[i].mesh >= COUNT
                 || memcmp(&sorted[i], &draws[sorted[i].mesh], sizeof(draw)) != 0;
        if (i && !draw_precedes(&sorted[i - 1], &sorted[i]))
            wrong += draw_precedes(&sorted[i], &sorted[i - 1])
                     || sorted[i - 1].mesh >= sorted[i].mesh;
    }
    return wrong;
}

static clsort_desc draw_list(void)
{
    clsort_desc desc = clsort_desc_default();
    desc.count = COUNT;
    desc.record_size = sizeof(draw);
    return desc;
}

int main(void)
{
    clsort_sorter *sorter;
    clsort_status status = clsort_create(NULL, NULL, NULL, &sorter);
    clsort_desc desc = draw_list();
    clsort_field fields[2] = { { 0 }, { 0 } };
    cl_uint i, wrong;

    if (status != CL_SUCCESS) {
        fprintf(stderr, "clsort_create: %s\n", clsort_status_text(status));
        return EXIT_FAILURE;
    }
    for (i = 0; i < COUNT; i++) {
        draws[i].depth = (float)(i * 7919u % 997u) / 8.0f;
        draws[i].material = i * 104729u % 31u;
        draws[i].mesh = i;
    }
    memcpy(by_fields, draws, sizeof draws);
    memcpy(by_expression, draws, sizeof draws);

    fields[0].offset = offsetof(draw, depth);
    fields[0].type = CLSORT_F32;
    fields[0].order = CLSORT_DESCENDING;
    fields[1].offset = offsetof(draw, material);
    fields[1].type = CLSORT_U32;
    desc.fields = fields;
    desc.field_count = 2;
    check(sorter, clsort_sort_host(sorter, &desc, by_fields, NULL, NULL));

    desc = draw_list();
    desc.record_type = "typedef struct { float depth; uint material, mesh; } clsort_record;";
    desc.precedes = "a.depth > b.depth || (a.depth == b.depth && a.material < b.material)";
    check(sorter, clsort_sort_host(sorter, &desc, by_expression, NULL, NULL));
    clsort_destroy(sorter);

    wrong = count_errors(by_fields) + (memcmp(by_fields, by_expression, sizeof draws) != 0);
    for (i = 0; i < 4; i++)
        printf("depth %7.3f material %2u mesh %5u\n", (double)by_fields[i].depth,
               (unsigned)by_fields[i].material, (unsigned)by_fields[i].mesh);
    printf("%d draws sorted by fields and by an expression, %u wrong\n", COUNT, (unsigned)wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
