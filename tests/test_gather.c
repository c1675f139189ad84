/* Gathers: elements of every size, rows with gaps, indices that lead out, and indices as argsort of
   arrays and of rows and top-k give them. */

#define TEST_PUBLIC
#include "cases.h"
#include "gathering.h"

static int gather(const bench *b, gathering_case c, size_t first_size, size_t shift)
{
    c.sizes[0] = first_size;
    c.shift = shift;
    return gathering_run(b, &c);
}

static void every_element_size(bench *b)
{
    static const size_t sizes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 33, 128 };
    size_t i;
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (!gather(b, gathering_make(0, 301, 250), sizes[i], i)) return;
        if (!gather(b, gathering_make(5, 31, 25), sizes[i], i)) return;
    }
}

static void every_number_of_elements(bench *b)
{
    static const size_t counts[] = { 0, 1, 2, 63, 64, 65, 255, 256, 257, 1000 };
    size_t i, k;
    for (i = 0; i < sizeof counts / sizeof *counts; i++)
        for (k = 0; k < 3; k++)
            if (!gather(b, gathering_make(0, counts[i], k ? counts[i] / k : 0), 4, i + k)) return;
}

/* Strides of all, of some and of no array; the gaps are no multiples of elements. */
static void rows_with_gaps(bench *b)
{
    static const size_t rows[] = { 1, 2, 3, 64, 1000 }, counts[] = { 1, 7, 64, 300 };
    size_t r, c, k;
    for (r = 0; r < (b->small ? 3u : 5u); r++)
        for (c = 0; c < 4; c++)
            for (k = 0; k < 8; k++) {
                gathering_case g = gathering_make(rows[r], counts[c],
                                                  c & 1 ? counts[c] + 9 : counts[c] / 2);
                g.source_gap = k & 1 ? 5 : 0;
                g.target_gap = k & 2 ? 3 : 0;
                g.index_gap = k & 4 ? 1 + r : 0;
                g.seed += k;
                if (!gathering_run(b, &g)) return;
            }
}

/* All indices lead out: no target is touched. */
static void nothing_to_pick(bench *b)
{
    gathering_case c = gathering_make(4, 50, 20);
    c.outside = 100;
    CHECK(gathering_run(b, &c));
}

static void an_empty_gather_has_an_event(bench *b)
{
    clsort_gather_desc g = clsort_gather_desc_default();
    cl_event done = NULL;
    g.rows = 3;
    if (!CHECK_OK(clsort_enqueue_gather(b->sorter, b->session.queue, &g, 0, NULL, &done))
        || !CHECK(done != NULL))
        return;
    CHECK(clWaitForEvents(1, &done) == CL_SUCCESS);
    clReleaseEvent(done);
}

/* ---- indices that sorts give ----------------------------------------------------------------- */

enum { VALUE = 12 };   /* bytes */

/* Rows of `count` keys, `gap` keys apart, with values beside them.
   The first `k` of each are wanted. */
typedef struct sorted_rows {
    size_t rows, count, gap, k;
    int top;                /* by top-k, else by argsort */
    unsigned char *keys, *values, *got;
    uint32_t *order;        /* of one row */
    uint64_t *codes;
    clsort_desc d;
    clsort_array arrays[2];
    clsort_gather_desc g;
} sorted_rows;

static int open_rows(const bench *b, sorted_rows *r)
{
    const size_t stride = r->count + r->gap, all = r->rows * stride;
    size_t i;
    r->keys = (unsigned char *)malloc(all * 4);
    r->values = (unsigned char *)malloc(all * VALUE);
    r->got = (unsigned char *)malloc(r->rows * r->k * VALUE);
    r->order = (uint32_t *)malloc(r->count * 4);
    r->codes = (uint64_t *)malloc(r->count * 8);
    if (!CHECK(r->keys && r->values && r->got && r->order && r->codes)) return 0;
    pattern_fill(pattern_find("mod-16"), CLSORT_U32, all, all, 1024, r->keys);
    for (i = 0; i < all * VALUE; i++) r->values[i] = (unsigned char)(i * 2654435761u >> 13);
    r->d = clsort_desc_default();
    r->d.key_type = CLSORT_U32;
    r->d.stable = 1;
    r->d.count = r->count;
    r->d.rows = r->rows;
    r->d.row_stride = r->gap ? stride * 4 : 0;
    r->d.top_k = r->top ? r->k : 0;
    r->d.keys = test_buffer(b, all * 4, r->keys);
    r->d.indices = test_buffer(b, all * 4, NULL);
    return 1;
}

/* As the header says: an argsort's indices lie as its keys do, those of top-k without gaps. */
static void describe_gather(const bench *b, sorted_rows *r)
{
    const size_t stride = r->count + r->gap, sizes[2] = { 4, VALUE };
    size_t i;
    for (i = 0; i < 2; i++) {
        clsort_array *a = &r->arrays[i];
        a->element_size = sizes[i];
        a->source = i ? test_buffer(b, r->rows * stride * VALUE, r->values) : r->d.keys;
        a->source_row_stride = r->gap ? stride * sizes[i] : 0;
        a->target = test_buffer(b, r->rows * r->k * sizes[i], NULL);
    }
    r->g.rows = r->rows;
    r->g.count = r->k;
    r->g.source_count = r->count;
    r->g.indices = r->d.indices;
    r->g.indices_row_stride = r->gap && !r->top ? stride * 4 : 0;
    r->g.arrays = r->arrays;
    r->g.array_count = 2;
}

static void check_gathered_rows(const bench *b, sorted_rows *r, size_t a,
                                const unsigned char *source)
{
    const size_t size = r->arrays[a].element_size, stride = r->count + r->gap,
                 bytes = r->rows * r->k * size;
    size_t row, i;
    CHECK(clEnqueueReadBuffer(b->session.queue, r->arrays[a].target, CL_TRUE, 0, bytes, r->got, 0,
                              NULL, NULL)
          == CL_SUCCESS);
    for (row = 0; row < r->rows; row++) {
        reference_codes(r->keys + row * stride * 4, 4, r->count, &r->d, r->codes);
        if (!CHECK(reference_argsort(r->codes, r->count, r->order))) return;
        for (i = 0; i < r->k; i++)
            if (!CHECK(!memcmp(r->got + (row * r->k + i) * size,
                               source + (row * stride + r->order[i]) * size, size)))
                return;
    }
}

static void close_rows(sorted_rows *r)
{
    if (r->d.keys) clReleaseMemObject(r->d.keys);
    if (r->d.indices) clReleaseMemObject(r->d.indices);
    if (r->arrays[1].source) clReleaseMemObject(r->arrays[1].source);
    if (r->arrays[0].target) clReleaseMemObject(r->arrays[0].target);
    if (r->arrays[1].target) clReleaseMemObject(r->arrays[1].target);
    free(r->keys);
    free(r->values);
    free(r->got);
    free(r->order);
    free(r->codes);
}

/* Sorts rows to indices and gathers by them. */
static void gather_rows(const bench *b, size_t rows, size_t count, size_t gap, size_t k, int top)
{
    sorted_rows r;
    memset(&r, 0, sizeof r);
    AT("%zu rows of %zu, gap %zu, %zu by %s", rows, count, gap, k, top ? "top-k" : "argsort");
    r.rows = rows;
    r.count = count;
    r.gap = gap;
    r.k = k;
    r.top = top;
    if (open_rows(b, &r)) {
        describe_gather(b, &r);
        CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &r.d, 0, NULL, NULL));
        CHECK_OK(clsort_enqueue_gather(b->sorter, b->session.queue, &r.g, 0, NULL, NULL));
        check_gathered_rows(b, &r, 0, r.keys);
        check_gathered_rows(b, &r, 1, r.values);
    }
    close_rows(&r);
}

static void indices_of_rows(bench *b)
{
    static const size_t shapes[][3] = {
        { 2, 5, 0 }, { 1, 300, 0 }, { 3, 70, 2 }, { 40, 33, 1 }, { 2, 3000, 0 }
    };
    size_t i;
    for (i = 0; i < 5; i++)
        gather_rows(b, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][1], 0);
}

static void indices_of_top_k(bench *b)
{
    static const size_t shapes[][4] = {
        { 2, 5, 0, 3 }, { 1, 900, 0, 40 }, { 3, 70, 2, 70 }, { 40, 33, 1, 1 }, { 2, 3000, 0, 2500 }
    };
    size_t i;
    for (i = 0; i < 5; i++)
        gather_rows(b, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], 1);
}

static const test_entry tests[] = {
    { "elements of every size are gathered, and indices that lead out are skipped",
      every_element_size },
    { "any number of elements is gathered", every_number_of_elements },
    { "rows are gathered by indices of their own, whatever lies between them", rows_with_gaps },
    { "where all indices lead out nothing is written", nothing_to_pick },
    { "a gather of nothing has an event", an_empty_gather_has_an_event },
    { "the indices of sorted rows gather their arrays", indices_of_rows },
    { "the indices of top-k gather their arrays", indices_of_top_k }
};

TEST_MAIN(tests)
