/* gathering.h - one gather of several arrays on a device, checked against the host, byte for byte.

   Noise lies around arrays and between their rows: what a gather does not write must stay. */

#ifndef CLSORT_TESTS_GATHERING_H
#define CLSORT_TESTS_GATHERING_H

#include "image.h"

enum { GATHERING_ARRAYS = 4 };

typedef struct gathering_case {
    size_t rows;                /* 0: the call names none */
    size_t count, source_count; /* elements per row; source_count 0: the call names none */
    size_t sizes[GATHERING_ARRAYS];   /* bytes of an element; 0 ends the list */
    size_t source_gap, target_gap, index_gap;   /* between rows, in units of the alignment */
    size_t shift;               /* elements before each array */
    unsigned outside;           /* per cent of the indices that lead out of the source */
    uint64_t seed;
    cl_command_queue queue;     /* NULL: the bench's */
} gathering_case;

/* Array i goes from GATHERING_SOURCE + i to GATHERING_TARGET + i. */
enum { GATHERING_INDICES, GATHERING_SOURCE, GATHERING_TARGET = 5 };

static inline gathering_case gathering_make(size_t rows, size_t count, size_t source_count)
{
    static const size_t sizes[GATHERING_ARRAYS] = { 4, 1, 12, 6 };
    gathering_case c;
    memset(&c, 0, sizeof c);
    c.rows = rows;
    c.count = count;
    c.source_count = source_count;
    c.outside = 10;
    c.seed = rows + 31 * count + source_count;
    memcpy(c.sizes, sizes, sizeof sizes);
    return c;
}

static inline void gathering_say(const gathering_case *c)
{
    AT("gather of %zu rows, %zu of %zu elements, sizes %zu %zu %zu %zu, gaps %zu %zu %zu, shift "
       "%zu, seed %llu",
       c->rows, c->count, c->source_count, c->sizes[0], c->sizes[1], c->sizes[2], c->sizes[3],
       c->source_gap, c->target_gap, c->index_gap, c->shift, (unsigned long long)c->seed);
}

static inline size_t gathering_rows(const gathering_case *c) { return c->rows ? c->rows : 1; }

static inline size_t gathering_sources(const gathering_case *c)
{
    return c->source_count ? c->source_count : c->count;
}

static inline size_t gathering_unit(size_t size)
{
    return size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : 1;
}

/* An array of rows of `count` elements, which lie `gap` units apart. */
static inline void gathering_add(const gathering_case *c, image *m, size_t array, size_t count,
                                 size_t element, size_t gap)
{
    image_add_rows(m, array, element, gathering_rows(c), count,
                   count * element + gap * gathering_unit(element), c->shift);
}

static inline cl_uint *gathering_index(const image *m, size_t row, size_t i)
{
    return (cl_uint *)(void *)image_in_row(m, m->was, GATHERING_INDICES, row, i);
}

static inline void gathering_draw_indices(const gathering_case *c, const image *m)
{
    const size_t sources = gathering_sources(c);
    uint64_t random = c->seed;
    size_t row, i;
    for (row = 0; row < gathering_rows(c); row++)
        for (i = 0; i < c->count; i++) {
            const uint64_t r = pattern_random(&random) >> 8;
            cl_uint index = sources ? (cl_uint)((r >> 8) % sources) : 0;
            if (r % 100 < c->outside)
                index = r & 128 ? (cl_uint)sources : 0xFFFFFFFFu - (cl_uint)(r % 3);
            *gathering_index(m, row, i) = index;
        }
}

static inline size_t gathering_arrays(const gathering_case *c)
{
    size_t arrays = 0;
    while (arrays < GATHERING_ARRAYS && c->sizes[arrays]) arrays++;
    return arrays;
}

static inline int gathering_open(const gathering_case *c, const bench *b, image *m)
{
    size_t i;
    memset(m, 0, sizeof *m);
    gathering_add(c, m, GATHERING_INDICES, c->count, 4, c->index_gap);
    for (i = 0; i < gathering_arrays(c); i++) {
        gathering_add(c, m, GATHERING_SOURCE + i, gathering_sources(c), c->sizes[i],
                      c->source_gap);
        gathering_add(c, m, GATHERING_TARGET + i, c->count, c->sizes[i], c->target_gap);
    }
    if (!image_make(m, c->seed)) return 0;
    gathering_draw_indices(c, m);
    return image_upload(b, m, (1u << GATHERING_TARGET) - 1);
}

/* Strides without gaps are left to the default. */
static inline void gathering_describe(const gathering_case *c, const image *m,
                                      clsort_gather_desc *g, clsort_array *arrays)
{
    size_t i;
    memset(g, 0, sizeof *g);
    memset(arrays, 0, GATHERING_ARRAYS * sizeof *arrays);
    for (i = 0; i < gathering_arrays(c); i++) {
        clsort_array *a = &arrays[i];
        a->source = image_buffer(m, GATHERING_SOURCE + i, &a->source_offset);
        a->source_row_stride = c->source_gap ? m->array[GATHERING_SOURCE + i].apart : 0;
        a->target = image_buffer(m, GATHERING_TARGET + i, &a->target_offset);
        a->target_row_stride = c->target_gap ? m->array[GATHERING_TARGET + i].apart : 0;
        a->element_size = c->sizes[i];
    }
    g->rows = c->rows;
    g->count = c->count;
    g->source_count = c->source_count;
    g->indices = image_buffer(m, GATHERING_INDICES, &g->indices_offset);
    g->indices_row_stride = c->index_gap ? m->array[GATHERING_INDICES].apart : 0;
    g->arrays = arrays;
    g->array_count = (cl_uint)gathering_arrays(c);
}

/* What array `a` must hold. */
static inline void gathering_expect(const gathering_case *c, const image *m, size_t a)
{
    size_t row, i;
    for (row = 0; row < gathering_rows(c); row++)
        for (i = 0; i < c->count; i++) {
            const size_t from = *gathering_index(m, row, i);
            if (from < gathering_sources(c))
                memcpy(image_in_row(m, m->want, GATHERING_TARGET + a, row, i),
                       image_in_row(m, m->was, GATHERING_SOURCE + a, row, from), c->sizes[a]);
        }
}

/* Runs the case and checks every byte of every array; returns 1 if all is well. */
static inline int gathering_run(const bench *b, const gathering_case *c)
{
    cl_command_queue queue = c->queue ? c->queue : b->session.queue;
    clsort_array arrays[GATHERING_ARRAYS];
    clsort_gather_desc g;
    image m;
    size_t i;
    int good;
    gathering_say(c);
    good = gathering_open(c, b, &m);
    gathering_describe(c, &m, &g, arrays);
    good = good && CHECK_OK(clsort_enqueue_gather(b->sorter, queue, &g, 0, NULL, NULL))
           && CHECK(clFinish(queue) == CL_SUCCESS) && image_read(&m, queue);
    for (i = 0; i < gathering_arrays(c) && good; i++) gathering_expect(c, &m, i);
    good = good && image_is_right(&m);
    image_release(&m);
    return good;
}

#endif
