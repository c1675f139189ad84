/* gathering.h - one gather of several arrays on a device, checked against the host, byte for byte.

   Every array has noise around it and between its rows: what a gather does not write must stay. */

#ifndef CLSORT_TESTS_GATHERING_H
#define CLSORT_TESTS_GATHERING_H

#include "harness.h"

#include "../../tools/clsort/patterns.h"

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

/* An array in host memory and on the device. */
typedef struct gathering_image {
    unsigned char *bytes;
    size_t size, offset, stride;    /* of all, to the first element, between rows */
    cl_mem buffer;
} gathering_image;

typedef struct gathering_state {
    const gathering_case *c;
    gathering_image indices, source[GATHERING_ARRAYS], target[GATHERING_ARRAYS];
    size_t arrays;
} gathering_state;

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

/* Noise with room for rows of `count` elements, which lie `gap` units apart. */
static inline int gathering_fill(const gathering_case *c, const bench *b, gathering_image *m,
                                 size_t count, size_t element, size_t gap, uint64_t seed)
{
    const size_t shift = (3 + c->shift) * element;
    cl_int error = CL_SUCCESS;
    size_t i;
    m->offset = shift;
    m->stride = count * element + gap * gathering_unit(element);
    m->size = 2 * shift + gathering_rows(c) * m->stride;
    m->bytes = (unsigned char *)malloc(m->size);
    if (!CHECK(m->bytes != NULL)) return 0;
    for (i = 0; i < m->size; i++) m->bytes[i] = (unsigned char)(pattern_random(&seed) >> 56);
    m->buffer = clCreateBuffer(b->session.context, CL_MEM_READ_WRITE, m->size, NULL, &error);
    return CHECK(error == CL_SUCCESS);
}

static inline cl_uint *gathering_index(const gathering_state *s, size_t row, size_t i)
{
    return (cl_uint *)(void *)(s->indices.bytes + s->indices.offset + row * s->indices.stride
                               + 4 * i);
}

static inline void gathering_draw_indices(gathering_state *s)
{
    const size_t sources = gathering_sources(s->c);
    uint64_t random = s->c->seed;
    size_t row, i;
    for (row = 0; row < gathering_rows(s->c); row++)
        for (i = 0; i < s->c->count; i++) {
            const uint64_t r = pattern_random(&random) >> 8;
            cl_uint index = sources ? (cl_uint)((r >> 8) % sources) : 0;
            if (r % 100 < s->c->outside)
                index = r & 128 ? (cl_uint)sources : 0xFFFFFFFFu - (cl_uint)(r % 3);
            *gathering_index(s, row, i) = index;
        }
}

static inline int gathering_write(const gathering_image *m, cl_command_queue queue)
{
    return CHECK(
        clEnqueueWriteBuffer(queue, m->buffer, CL_TRUE, 0, m->size, m->bytes, 0, NULL, NULL)
        == CL_SUCCESS);
}

static inline int gathering_open(gathering_state *s, const bench *b, cl_command_queue queue)
{
    const gathering_case *c = s->c;
    int good = gathering_fill(c, b, &s->indices, c->count, 4, c->index_gap, c->seed);
    size_t i;
    while (s->arrays < GATHERING_ARRAYS && c->sizes[s->arrays]) s->arrays++;
    if (good) gathering_draw_indices(s);
    good = good && gathering_write(&s->indices, queue);
    for (i = 0; good && i < s->arrays; i++) {
        good = gathering_fill(c, b, &s->source[i], gathering_sources(c), c->sizes[i], c->source_gap,
                              c->seed + i)
               && gathering_fill(c, b, &s->target[i], c->count, c->sizes[i], c->target_gap,
                                 c->seed + 9 + i)
               && gathering_write(&s->source[i], queue) && gathering_write(&s->target[i], queue);
    }
    return good;
}

/* Strides without gaps are left to the default. */
static inline void gathering_describe(const gathering_state *s, clsort_gather *g,
                                      clsort_array *arrays)
{
    const gathering_case *c = s->c;
    size_t i;
    memset(g, 0, sizeof *g);
    memset(arrays, 0, GATHERING_ARRAYS * sizeof *arrays);
    for (i = 0; i < s->arrays; i++) {
        arrays[i].source = s->source[i].buffer;
        arrays[i].source_offset = s->source[i].offset;
        arrays[i].source_row_stride = c->source_gap ? s->source[i].stride : 0;
        arrays[i].target = s->target[i].buffer;
        arrays[i].target_offset = s->target[i].offset;
        arrays[i].target_row_stride = c->target_gap ? s->target[i].stride : 0;
        arrays[i].element_size = c->sizes[i];
    }
    g->rows = c->rows;
    g->count = c->count;
    g->source_count = c->source_count;
    g->indices = s->indices.buffer;
    g->indices_offset = s->indices.offset;
    g->indices_row_stride = c->index_gap ? s->indices.stride : 0;
    g->arrays = arrays;
    g->array_count = (cl_uint)s->arrays;
}

/* What array `a` must hold, and what it does. */
static inline int gathering_check(gathering_state *s, size_t a, cl_command_queue queue)
{
    const gathering_image *source = &s->source[a], *target = &s->target[a];
    const size_t size = s->c->sizes[a];
    unsigned char *got = (unsigned char *)malloc(target->size);
    size_t row, i;
    int good = CHECK(got != NULL);
    for (row = 0; row < gathering_rows(s->c); row++)
        for (i = 0; i < s->c->count; i++) {
            const size_t from = *gathering_index(s, row, i);
            if (from < gathering_sources(s->c))
                memcpy(target->bytes + target->offset + row * target->stride + i * size,
                       source->bytes + source->offset + row * source->stride + from * size, size);
        }
    good = good
           && CHECK(clEnqueueReadBuffer(queue, target->buffer, CL_TRUE, 0, target->size, got, 0,
                                        NULL, NULL)
                    == CL_SUCCESS)
           && CHECK(!memcmp(got, target->bytes, target->size));
    free(got);
    return good;
}

static inline void gathering_release(gathering_image *m)
{
    free(m->bytes);
    if (m->buffer) clReleaseMemObject(m->buffer);
}

/* Runs the case and checks every byte of every target; returns 1 if all is well. */
static inline int gathering_run(const bench *b, const gathering_case *c)
{
    cl_command_queue queue = c->queue ? c->queue : b->session.queue;
    clsort_array arrays[GATHERING_ARRAYS];
    gathering_state s;
    clsort_gather g;
    size_t i;
    int good;
    gathering_say(c);
    memset(&s, 0, sizeof s);
    s.c = c;
    good = gathering_open(&s, b, queue);
    if (good) gathering_describe(&s, &g, arrays);
    good = good && CHECK_OK(clsort_enqueue_gather(b->sorter, queue, &g, 0, NULL, NULL))
           && CHECK(clFinish(queue) == CL_SUCCESS);
    for (i = 0; i < s.arrays && good; i++) good = gathering_check(&s, i, queue);
    gathering_release(&s.indices);
    for (i = 0; i < GATHERING_ARRAYS; i++) {
        gathering_release(&s.source[i]);
        gathering_release(&s.target[i]);
    }
    return good;
}

#endif
