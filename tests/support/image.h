/* image.h - the arrays of a call between guards, and the call between its wait list and its event.

   The bytes of all arrays lie in one image. It exists three times: as it was before the call, as it
   is afterwards, and as the test wants it. Guards have at least 127 elements; they, and what nobody
   fills in, are noise. After the call all bytes must be those that are wanted. */

#ifndef CLSORT_TESTS_IMAGE_H
#define CLSORT_TESTS_IMAGE_H

#include "harness.h"

#include "../../tools/clsort/patterns.h"
#include "../../tools/clsort/reference.h"

enum { IMAGE_ARRAYS = 9, IMAGE_GUARD = 127 };

typedef struct image_array {
    size_t element;     /* bytes; 0: the call has no such array */
    size_t size;        /* bytes of all elements */
    size_t base;        /* first byte in the image, guards included */
    size_t at;          /* first element, from base */
    size_t bytes;       /* guards included */
    size_t apart;       /* bytes from one row to the next, where an array has rows */
    size_t from;        /* where base is in the buffer */
    cl_mem buffer;
} image_array;

typedef struct image {
    image_array array[IMAGE_ARRAYS];
    size_t align, bytes;            /* align: of each base; 0: 16 */
    unsigned char *was, *now, *want;
} image;

/* Gives array i its place; without an element there is none. `shift` elements more in the guard
   before it move it to another alignment: with 1 there are 128. */
static inline void image_add(image *m, size_t i, size_t element, size_t size, size_t shift)
{
    const size_t align = m->align ? m->align : 16;
    image_array *a = &m->array[i];
    if (!element) return;
    a->element = element;
    a->size = size;
    a->base = m->bytes;
    a->at = (IMAGE_GUARD + shift) * element;
    a->bytes = (a->at + size + IMAGE_GUARD * element + align - 1) / align * align;
    m->bytes += a->bytes;
}

/* The same for rows of `length` elements that lie `apart` bytes apart. */
static inline void image_add_rows(image *m, size_t i, size_t element, size_t rows, size_t length,
                                  size_t apart, size_t shift)
{
    image_add(m, i, element, length ? (rows - 1) * apart + length * element : 0, shift);
    m->array[i].apart = apart;
}

/* Allocates an image that is nothing but noise. */
static inline int image_make(image *m, uint64_t seed)
{
    size_t i;
    m->was = (unsigned char *)malloc(m->bytes + 1);
    m->now = (unsigned char *)malloc(m->bytes + 1);
    m->want = (unsigned char *)malloc(m->bytes + 1);
    if (!CHECK(m->was && m->now && m->want)) return 0;
    for (i = 0; i < m->bytes; i += 8) {
        const uint64_t bits = pattern_random(&seed);
        memcpy(m->was + i, &bits, 8);
    }
    return 1;
}

/* Element k of array i, in one of the three images; or of a row. */
static inline unsigned char *image_at(const image *m, unsigned char *bytes, size_t i, size_t k)
{
    const image_array *a = &m->array[i];
    return bytes + a->base + a->at + k * a->element;
}

static inline unsigned char *image_in_row(const image *m, unsigned char *bytes, size_t i,
                                          size_t row, size_t k)
{
    return image_at(m, bytes, i, k) + row * m->array[i].apart;
}

/* ---- contents -------------------------------------------------------------------------------- */

/* Makes n keys and writes them into elements of the input, from `first` on, `offset` bytes behind
   their begin. */
static inline int image_fill(const image *m, size_t i, size_t first, size_t n, size_t offset,
                             cl_uint type, const char *pattern, uint64_t seed, size_t tile)
{
    const size_t key = pattern_key_size(type);
    unsigned char *keys = (unsigned char *)malloc(n * key + 1);
    size_t k;
    if (!CHECK(keys != NULL)) return 0;
    pattern_fill(pattern_find(pattern), type, n, seed, tile, keys);
    for (k = 0; k < n; k++)
        memcpy(image_at(m, m->was, i, first + k) + offset, keys + k * key, key);
    free(keys);
    return 1;
}

static inline void image_fill_numbers(const image *m, size_t i, const uint32_t *numbers)
{
    if (m->array[i].element) memcpy(image_at(m, m->was, i, 0), numbers, m->array[i].size);
}

/* The codes of n keys or records of the input, from `first` on, by a description or its fields. */
static inline int image_codes(const image *m, size_t i, size_t first, size_t n,
                              const clsort_desc *d, uint64_t *codes)
{
    const unsigned char *keys = image_at(m, m->was, i, first);
    if (d->fields) return CHECK(reference_record_codes(keys, n, d, codes));
    reference_codes(keys + d->key_offset, m->array[i].element, n, d, codes);
    return 1;
}

/* The sum of a number for each of n elements from `first` on, of one array or of two together: the
   same for all orders. */
static inline uint64_t image_sum(const image *m, unsigned char *bytes, size_t one, size_t other,
                                 size_t first, size_t n)
{
    const size_t arrays[2] = { one, other };
    uint64_t sum = 0;
    size_t k, a, j;
    for (k = first; k < first + n; k++) {
        uint64_t hash = 1;
        for (a = 0; a < (one == other ? 1u : 2u); a++)
            for (j = 0; j < m->array[arrays[a]].element; j++) {
                hash ^= image_at(m, bytes, arrays[a], k)[j];
                hash = pattern_random(&hash);
            }
        sum += hash;
    }
    return sum;
}

/* Are n elements of `from` in the input those of `to` after the call, in any order? */
static inline int image_kept(const image *m, size_t from, size_t to, size_t n)
{
    return CHECK(image_sum(m, m->was, from, from, 0, n) == image_sum(m, m->now, to, to, 0, n));
}

static inline int image_pairs_kept(const image *m, size_t keys, size_t values, size_t n)
{
    return CHECK(image_sum(m, m->was, keys, values, 0, n)
                 == image_sum(m, m->now, keys, values, 0, n));
}

/* Wanted: elements of array `to` are those of `from` in the input, in this order. */
static inline void image_move(const image *m, size_t from, size_t to, const uint32_t *order,
                              size_t n)
{
    size_t k;
    for (k = 0; k < n; k++)
        memcpy(image_at(m, m->want, to, k), image_at(m, m->was, from, order[k]),
               m->array[from].element);
}

/* So many bytes of an array may be anything. */
static inline void image_forgive(const image *m, size_t i, size_t bytes)
{
    memcpy(image_at(m, m->want, i, 0), image_at(m, m->now, i, 0), bytes);
}

static inline int image_untouched(const image *m, size_t i)
{
    const image_array *a = &m->array[i];
    return !memcmp(m->was + a->base, m->now + a->base, a->bytes);
}

/* The array of the first byte that is not as wanted, in *k its element: negative, or at least as
   many as there are, in a guard. */
static inline size_t image_first_wrong(const image *m, long *k)
{
    size_t at = 0, i;
    while (at < m->bytes && m->want[at] == m->now[at]) at++;
    for (i = 0; i < IMAGE_ARRAYS; i++) {
        const image_array *a = &m->array[i];
        if (!a->element || at < a->base || at >= a->base + a->bytes) continue;
        *k = (long)((at - a->base) / a->element) - (long)(a->at / a->element);
        return i;
    }
    return IMAGE_ARRAYS;
}

/* The first wrong place is said; arrays are numbered as in the enumeration of the call. */
static inline int image_is_right(const image *m)
{
    char text[120];
    long k = 0;
    size_t i;
    if (!memcmp(m->want, m->now, m->bytes)) return 1;
    i = image_first_wrong(m, &k);
    snprintf(text, sizeof text, "the first wrong place is element %ld of array %zu", k, i);
    return test_check(0, text, __FILE__, __LINE__);
}

/* Is all as it was but for elements of arrays? */
static inline int image_keeps_guards(const image *m)
{
    size_t i;
    memcpy(m->want, m->was, m->bytes);
    for (i = 0; i < IMAGE_ARRAYS; i++) image_forgive(m, i, m->array[i].size);
    return image_is_right(m);
}

/* ---- buffers --------------------------------------------------------------------------------- */

/* Call this once the input is complete. */
static inline void image_begin(const image *m)
{
    memcpy(m->now, m->was, m->bytes);
    memcpy(m->want, m->was, m->bytes);
}

/* And gives each array a buffer of its own; bit i of `read_only`: the call must not write array
   i. */
static inline int image_upload(const bench *b, image *m, unsigned read_only)
{
    cl_int error = CL_SUCCESS;
    size_t i;
    image_begin(m);
    for (i = 0; i < IMAGE_ARRAYS && error == CL_SUCCESS; i++) {
        image_array *a = &m->array[i];
        const cl_mem_flags access = read_only >> i & 1 ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE;
        if (a->element)
            a->buffer = clCreateBuffer(b->session.context, access | CL_MEM_COPY_HOST_PTR, a->bytes,
                                       m->was + a->base, &error);
    }
    return CHECK(error == CL_SUCCESS);
}

/* The buffer of an array, NULL if there is none, and where its elements begin. */
static inline cl_mem image_buffer(const image *m, size_t i, size_t *offset)
{
    const image_array *a = &m->array[i];
    *offset = a->buffer ? a->from + a->at : 0;
    return a->buffer;
}

static inline int image_read(const image *m, cl_command_queue queue)
{
    cl_int error = CL_SUCCESS;
    size_t i;
    for (i = 0; i < IMAGE_ARRAYS && error == CL_SUCCESS; i++) {
        const image_array *a = &m->array[i];
        if (a->buffer)
            error = clEnqueueReadBuffer(queue, a->buffer, CL_TRUE, a->from, a->bytes,
                                        m->now + a->base, 0, NULL, NULL);
    }
    return CHECK(error == CL_SUCCESS);
}

static inline void image_release(image *m)
{
    size_t i;
    for (i = 0; i < IMAGE_ARRAYS; i++)
        if (m->array[i].buffer) clReleaseMemObject(m->array[i].buffer);
    free(m->was);
    free(m->now);
    free(m->want);
}

/* ---- calls ----------------------------------------------------------------------------------- */

enum { CASE_WAIT_NONE,   /* no wait list */
       CASE_WAIT_PAST,   /* events that are complete */
       CASE_WAIT_LATER,  /* and one that completes when the call has returned */
       CASE_WAITS };

typedef struct image_call {
    cl_command_queue queue;
    int wait;               /* CASE_WAIT_NONE ... */
    cl_uint n;
    cl_event events[2];
    const cl_event *list;
    cl_event done;
    int behind;             /* `done` is a marker's behind the call, which may have enqueued
                               nothing: without an event there need be no command that waits */
} image_call;

/* queue: NULL for the bench's. */
static inline int image_call_begin(const bench *b, cl_command_queue queue, int wait, image_call *c)
{
    cl_int error = CL_SUCCESS;
    memset(c, 0, sizeof *c);
    c->queue = queue ? queue : b->session.queue;
    c->wait = wait;
    for (c->n = 0; c->n < (wait ? 2u : 0u) && error == CL_SUCCESS; c->n++) {
        c->events[c->n] = clCreateUserEvent(b->session.context, &error);
        c->list = c->events;
        if (error == CL_SUCCESS && (c->n == 0 || wait == CASE_WAIT_PAST))
            error = clSetUserEventStatus(c->events[c->n], CL_COMPLETE);
    }
    return CHECK(error == CL_SUCCESS);
}

static inline cl_int image_call_state(const image_call *c)
{
    cl_int state = CL_SUBMITTED;
    clGetEventInfo(c->done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return state;
}

/* Completes the wait list, before which nothing may have run, and waits for the event; the call
   was good if there is one. */
static inline int image_call_end(const bench *b, image_call *c, int good)
{
    cl_uint i;
    good = good && CHECK(c->done != NULL);
    if (good && c->wait == CASE_WAIT_LATER && !c->behind) {
        /* which runs commands there, and waits */
        if (!device_name_holds(b->session.info.platform_name, "Oclgrind")) clFlush(c->queue);
        good = CHECK(image_call_state(c) != CL_COMPLETE);
    }
    if (c->wait == CASE_WAIT_LATER) clSetUserEventStatus(c->events[1], CL_COMPLETE);
    if (c->done) good = CHECK(clWaitForEvents(1, &c->done) == CL_SUCCESS) && good;
    if (c->done) good = CHECK(image_call_state(c) == CL_COMPLETE) && good;
    if (c->done) clReleaseEvent(c->done);
    for (i = 0; i < 2; i++)
        if (c->events[i]) clReleaseEvent(c->events[i]);
    return good;
}

/* ---- proofs ---------------------------------------------------------------------------------- */

/* The fingerprint of the input, before the sort; NULL if that fails. */
static inline cl_mem image_prove_input(const bench *b, clsort_sorter *sorter,
                                       cl_command_queue queue, const clsort_desc *d)
{
    cl_mem proof = test_buffer(b, sizeof(clsort_proof), NULL);
    if (!CHECK_OK(clsort_enqueue_fingerprint(sorter, queue, d, proof, 0, 0, NULL, NULL))
        || !CHECK(clFinish(queue) == CL_SUCCESS)) {
        clReleaseMemObject(proof);
        return NULL;
    }
    return proof;
}

/* What the device says of the output. */
static inline int image_prove_output(clsort_sorter *sorter, cl_command_queue queue,
                                     const clsort_desc *d, cl_mem proof, clsort_status wanted)
{
    clsort_proof p;
    const int good
        = CHECK_OK(clsort_enqueue_verify(sorter, queue, d, proof, 0, 0, NULL, NULL))
          && CHECK(clFinish(queue) == CL_SUCCESS)
          && CHECK(clEnqueueReadBuffer(queue, proof, CL_TRUE, 0, sizeof p, &p, 0, NULL, NULL)
                   == CL_SUCCESS)
          && CHECK_STATUS(clsort_judge(&p), wanted);
    clReleaseMemObject(proof);
    return good;
}

#endif
