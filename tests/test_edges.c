/* Where hybrid radix decides: inputs just below, at and just above each threshold, at random
   offsets, as keys and as pairs, in place and not. What the kernels decided is read from their
   tables, and what they sorted is checked.

   `decisions` has a row for each constant CLSORT__EDGE_* of kernels.cl: how its edge is made, and
   the test; tests/header holds these names against each other. */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "cases.h"
#include "pretenders.h"

enum { SAMPLE = 1 << CLSORT__HYBRID_SAMPLE_LOG2, MOST = 200000, GROUP = 64, HEAD_WORDS = 32 };
enum { OUT, IN_PLACE, PAIRS_OUT, PAIRS_IN_PLACE, LAYOUTS };
static const char *const layouts[] = { "keys", "keys in place", "pairs", "pairs in place" };

/* Codes to be sorted, and what the kernels made of them. They are keys of 4 or 8 bytes without a
   sign, so a key is its code; that of a pair has its value below it. */
typedef struct stage {
    const bench *b;
    uint64_t random;
    int layout;
    size_t bytes, n;              /* of a key; keys */
    cl_ulong low, span;           /* the sample's least key, and its most less that */
    cl_ulong sample[SAMPLE], keys[MOST];
    cl_uint stays, head[HEAD_WORDS];
} stage;

static int is_pairs(const stage *t) { return t->layout >= PAIRS_OUT; }
static size_t code_bytes(const stage *t) { return is_pairs(t) ? 8 : t->bytes; }
static size_t capacity(const stage *t) { return GROUP * CLSORT__EDGE_BUCKET_ITEMS(code_bytes(t)); }
static cl_uint key_type(const stage *t) { return t->bytes == 8 ? CLSORT_U64 : CLSORT_U32; }

static cl_ulong below(stage *t, cl_ulong n) { return n ? pattern_random(&t->random) % n : 0; }

/* ---- a sort ---------------------------------------------------------------------------------- */

static void to_elements(const stage *t, const cl_ulong *keys, void *elements)
{
    size_t i;
    for (i = 0; i < t->n; i++) {
        const cl_uint narrow = (cl_uint)keys[i];
        memcpy((char *)elements + i * t->bytes, t->bytes == 8 ? (const void *)&keys[i] : &narrow,
               t->bytes);
    }
}

static int compare_keys(const void *a, const void *b)
{
    const cl_ulong x = *(const cl_ulong *)a, y = *(const cl_ulong *)b;
    return (x > y) - (x < y);
}

/* Are the keys that came back in order, and does each have one of the values that were there? */
static void check_sorted(const stage *t, const void *keys, const cl_uint *values)
{
    static cl_ulong wanted[MOST], moved[MOST];
    static unsigned char seen[MOST];
    static cl_ulong elements[MOST];
    size_t i, strangers = 0;
    memcpy(wanted, t->keys, t->n * sizeof *wanted);
    qsort(wanted, t->n, sizeof *wanted, compare_keys);
    to_elements(t, wanted, elements);
    CHECK(!memcmp(keys, elements, t->n * t->bytes));
    if (!is_pairs(t)) return;
    memset(seen, 0, sizeof seen);
    for (i = 0; i < t->n; i++) {
        strangers += values[i] >= t->n || seen[values[i] % MOST]++;
        moved[i] = t->keys[values[i] % t->n];
    }
    CHECK(strangers == 0 && !memcmp(moved, wanted, t->n * sizeof *wanted));
}

/* Reads the gate and the head of the tables. */
static void read_head(stage *t, const clsort_desc *d)
{
    const cl_command_queue q = t->b->session.queue;
    clsort__plan p;
    clsort__make_plan(t->b->sorter, d, &p);
    clsort__plan_scratch(t->b->sorter, &p);
    CHECK_OK(clEnqueueReadBuffer(q, d->scratch, CL_TRUE, p.scratch.tables + 4 * CLSORT__GATE, 4,
                                 &t->stays, 0, NULL, NULL));
    CHECK_OK(clEnqueueReadBuffer(q, d->scratch, CL_TRUE,
                                 p.scratch.tables + clsort__hybrid_at(t->b->sorter, &p),
                                 sizeof t->head, t->head, 0, NULL, NULL));
}

/* Sorts the keys, with their numbers as values, in scratch memory that is looked at after. */
static void sort_keys(stage *t)
{
    static cl_ulong elements[MOST];
    static cl_uint values[MOST];
    const bench *b = t->b;
    const cl_command_queue q = b->session.queue;
    const int in_place = t->layout % 2, pairs = is_pairs(t);
    clsort_desc d = clsort_desc_default();
    size_t i;
    for (i = 0; i < t->n; i++) values[i] = (cl_uint)i;
    to_elements(t, t->keys, elements);
    d.count = t->n;
    d.key_type = key_type(t);
    d.tuning.work_group = GROUP;
    d.value_size = pairs ? 4 : 0;
    d.keys = test_buffer(b, t->n * t->bytes, elements);
    d.keys_out = in_place ? NULL : test_buffer(b, t->n * t->bytes, NULL);
    d.values = pairs ? test_buffer(b, t->n * 4, values) : NULL;
    d.values_out = pairs && !in_place ? test_buffer(b, t->n * 4, NULL) : NULL;
    CHECK_OK(clsort_set_algorithm(&d, "radix-hybrid"));
    CHECK_OK(clsort_scratch_size(b->sorter, &d, &d.scratch_size));
    d.scratch = test_buffer(b, d.scratch_size, NULL);
    if (CHECK_OK(clsort_enqueue_sort(b->sorter, q, &d, 0, NULL, NULL))) {
        read_head(t, &d);
        CHECK_OK(clEnqueueReadBuffer(q, in_place ? d.keys : d.keys_out, CL_TRUE, 0,
                                     t->n * t->bytes, elements, 0, NULL, NULL));
        if (pairs)
            CHECK_OK(clEnqueueReadBuffer(q, in_place ? d.values : d.values_out, CL_TRUE, 0,
                                         t->n * 4, values, 0, NULL, NULL));
        check_sorted(t, elements, values);
    }
    clReleaseMemObject(d.scratch);
    clReleaseMemObject(d.keys);
    if (d.keys_out) clReleaseMemObject(d.keys_out);
    if (d.values) clReleaseMemObject(d.values);
    if (d.values_out) clReleaseMemObject(d.values_out);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static cl_ulong head_code(const stage *t, int word)
{
    return code_bytes(t) == 8 ? t->head[word] | (cl_ulong)t->head[word + 1] << 32 : t->head[word];
}

/* What a key becomes on the line of the cells, as kernels.cl says it, by the head. */
static cl_ulong product_of(const stage *t, cl_ulong key)
{
    const cl_ulong code = is_pairs(t) ? key << 32 : key;
    const cl_uint x = (cl_uint)((code - head_code(t, CLSORT__HEAD_LEAST))
                                >> t->head[CLSORT__HEAD_SHIFT]);
    return (cl_ulong)x * t->head[CLSORT__HEAD_FACTOR];
}

static cl_uint cell_of(const stage *t, cl_ulong key)
{
    return 1 + (cl_uint)(product_of(t, key) >> 31);
}

static cl_uint slice_of(const stage *t, cl_ulong key)
{
    return 1 + (cl_uint)(product_of(t, key) >> (31 + CLSORT__HYBRID_SLICE_LOG2));
}

/* The first key of the sample's span whose number is not below `wanted`. */
static cl_ulong first_key(const stage *t, cl_uint (*number)(const stage *, cl_ulong),
                          cl_uint wanted)
{
    cl_ulong first = t->low, end = t->low + t->span;
    while (first < end) {
        const cl_ulong middle = first + (end - first) / 2;
        if (number(t, middle) < wanted) first = middle + 1;
        else end = middle;
    }
    return first;
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* A sample that is spread evenly over `span` codes from a random one on; other keys, too. n: a
   multiple of SAMPLE, so that each of the sample is another key. */
static void spread(stage *t, size_t n, cl_ulong span)
{
    const cl_ulong top = t->bytes == 8 ? ~(cl_ulong)0 : 0xFFFFFFFFu, margin = span / 4;
    size_t i;
    t->n = n;
    t->span = span;
    t->low = margin + below(t, top - span - 2 * margin);
    for (i = 0; i < SAMPLE; i++)
        t->sample[i] = t->low + (cl_ulong)((double)span * (double)i / (SAMPLE - 1));
    t->sample[SAMPLE - 1] = t->low + span;
    for (i = 0; i < n; i++) t->keys[i] = t->low + below(t, span + 1);
}

/* Puts the sample in its places. */
static void place_sample(stage *t)
{
    size_t i;
    for (i = 0; i < SAMPLE; i++) t->keys[pattern_hybrid_place(i, t->n)] = t->sample[i];
}

/* Sorts what `spread` made, so that the head has the line that keys of this span get. */
static void see_line(stage *t)
{
    place_sample(t);
    sort_keys(t);
}

static int is_sampled(const stage *t, size_t i)
{
    static size_t n;
    static unsigned char marks[MOST];
    size_t k;
    if (n != t->n) {
        memset(marks, 0, sizeof marks);
        for (k = 0; k < SAMPLE; k++) marks[pattern_hybrid_place(k, t->n)] = 1;
        n = t->n;
    }
    return marks[i];
}

/* Gives exactly `rows` keys to the slice `slice`, and no others but its part of the sample; `other`
   is a second slice that may not be used, or 0. */
static void fill_slice(stage *t, cl_uint slice, cl_uint other, size_t rows)
{
    const cl_ulong first = first_key(t, slice_of, slice), end = first_key(t, slice_of, slice + 1);
    size_t i, has = 0;
    for (i = 0; i < t->n; i++) {
        cl_uint own = slice_of(t, t->keys[i]);
        while (own == slice && !is_sampled(t, i)) {
            t->keys[i] = t->low + below(t, t->span + 1);
            own = slice_of(t, t->keys[i]);
            if (own == other) own = slice;
        }
        has += own == slice;
    }
    for (i = 0; i < t->n && has < rows; i++) {
        const cl_uint own = slice_of(t, t->keys[i]);
        if (is_sampled(t, i) || own == slice || own == other) continue;
        t->keys[i] = first + below(t, end - first);
        has++;
    }
    CHECK(has == rows);
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* Each makes keys at an edge, `side` of it: -1, 0 or 1. */

/* As many keys as ranges that are buckets are for, and as many as these are split again for. */
static size_t few_keys(const stage *t) { return (code_bytes(t) == 8 ? 5 : 9) * (size_t)SAMPLE; }
static size_t many_keys(const stage *t) { return (code_bytes(t) == 8 ? 7 : 11) * (size_t)SAMPLE; }
static cl_ulong wide_span(const stage *t)
{
    return (t->bytes == 8 ? (cl_ulong)1 << 62 : (cl_ulong)1 << 31) / 10 * 7;
}

/* The cells of one work-item have FLAT_TIMES its part of the sample. */
static void make_flat(stage *t, int side)
{
    const size_t cells = CLSORT__HYBRID_CELLS / GROUP,
                 wanted = CLSORT__EDGE_FLAT_TIMES * (SAMPLE / GROUP) + (size_t)(side + 1) - 1;
    const cl_uint item = 30 + (cl_uint)below(t, 25);
    cl_ulong first, last;
    size_t i, has = 0;
    spread(t, 3 * SAMPLE, wide_span(t));
    see_line(t);
    first = first_key(t, cell_of, item * (cl_uint)cells);
    last = first_key(t, cell_of, (item + 1) * (cl_uint)cells);
    for (i = 0; i < SAMPLE; i++) has += t->sample[i] >= first && t->sample[i] < last;
    for (i = 1; has < wanted; i++, has++) t->sample[i] = first + below(t, last - first);
    place_sample(t);
}

/* Keys on both sides of the middle of all codes leave 1 / GAP_PART of their span between them. */
static void make_gap(stage *t, int side)
{
    const cl_ulong middle = (cl_ulong)1 << (8 * t->bytes - 1), span = wide_span(t) & ~(cl_ulong)1,
                   length = span / CLSORT__EDGE_GAP_PART + (cl_ulong)(side + 1) - 1,
                   lower = (span - length) / 5 * 2, reach = length / 3 + below(t, length / 3),
                   low = middle - reach - lower;
    size_t i;
    t->n = 3 * SAMPLE;
    for (i = 0; i < t->n; i++) {
        const cl_ulong at = below(t, span - length);
        t->keys[i] = low + (at <= lower ? at : at + length);
    }
    for (i = 0; i < SAMPLE; i++) t->sample[i] = t->keys[i];
    t->sample[0] = low, t->sample[1] = low + lower;
    t->sample[2] = low + lower + length, t->sample[3] = low + span;
    place_sample(t);
}

/* What lies beside the gap has LEAST_GAP_STEPS times 2^32 codes. */
static void make_gap_steps(stage *t, int side)
{
    const cl_ulong used = ((cl_ulong)CLSORT__EDGE_LEAST_GAP_STEPS(8) << 32) + (cl_ulong)(side + 1)
                          - 1,
                   middle = (cl_ulong)1 << 63, lower = used / 3,
                   length = ((cl_ulong)1 << 60) + below(t, (cl_ulong)1 << 60),
                   low = middle - length / 2 - lower;
    size_t i;
    t->n = 3 * SAMPLE;
    for (i = 0; i < t->n; i++) {
        const cl_ulong at = below(t, used);
        t->keys[i] = low + (at <= lower ? at : at + length);
    }
    for (i = 0; i < SAMPLE; i++) t->sample[i] = t->keys[i];
    t->sample[0] = low, t->sample[1] = low + lower;
    t->sample[2] = low + lower + length, t->sample[3] = low + used + length;
    place_sample(t);
}

/* Pairs whose keys span LEAST_SPAN. The value of the least key is below that of the most. */
static void make_span(stage *t, int side)
{
    spread(t, 3 * SAMPLE, (cl_ulong)CLSORT__EDGE_LEAST_SPAN + (cl_ulong)(side + 1) - 1);
    place_sample(t);
}

/* ---- edges of heavy codes -------------------------------------------------------------------- */

/* A sample of `codes` codes: of those that are looked through, every JUDGED-th, `judged` have each
   of them, and `last_judged` the last one; of the whole sample, `copies` and `last_copies`. The
   rest is spread evenly, and never lies in a cell of theirs. */
static void make_codes(stage *t, cl_uint codes, size_t judged, size_t last_judged, size_t copies,
                       size_t last_copies)
{
    const size_t step = SAMPLE / CLSORT__HYBRID_JUDGED;
    static cl_ulong code[128];
    size_t looked = 0, others = step - 1, i, k;
    spread(t, 4 * SAMPLE, wide_span(t));
    see_line(t);
    for (k = 0; k < codes; k++)
        code[k] = t->low + t->span / (codes + 1) * (k + 1) + below(t, t->span / 4000);
    for (i = 1; i + 1 < SAMPLE; i++)
        for (k = 0; k < codes; k++)
            while (cell_of(t, t->sample[i]) == cell_of(t, code[k])) t->sample[i] += t->span / 9000;
    for (k = 0; k < codes; k++) {
        const size_t own = k + 1 == codes ? last_judged : judged,
                     all = k + 1 == codes ? last_copies : copies;
        for (i = 0; i < own; i++) t->sample[step * ++looked] = code[k];
        for (; i < all; i++, others++) {
            others += others % step == 0;
            t->sample[others] = code[k];
        }
    }
    CHECK(looked < CLSORT__HYBRID_JUDGED - 1 && others < SAMPLE - 1);
    place_sample(t);
}

/* A code has 1 / CROWDED_PART of the sample, others less, and together they have half of it. */
static void make_crowded(stage *t, int side)
{
    const size_t edge = SAMPLE / CLSORT__EDGE_CROWDED_PART + (size_t)(side + 1) - 1;
    make_codes(t, CLSORT__EDGE_HEAVIES, 8, 8, 120, edge);
}

static void make_least_heavy(stage *t, int side)
{
    make_codes(t, 41, 20, CLSORT__EDGE_LEAST_HEAVY + (size_t)(side + 1) - 1, 200, 200);
}

static void make_heavies_part(stage *t, int side)
{
    const size_t half = CLSORT__HYBRID_JUDGED / CLSORT__EDGE_HEAVIES_PART;
    make_codes(t, 32, 16, half - 31 * 16 + (size_t)(side + 1) - 1, 200, 200);
}

static void make_heavies(stage *t, int side)
{
    make_codes(t, CLSORT__EDGE_HEAVIES + (cl_uint)(side + 1) - 1, 9, 9, 130, 130);
}

/* Different codes of one cell have 1 / HEAVY_PART of the sample. */
static void make_heavy_cell(stage *t, int side)
{
    const size_t wanted = SAMPLE / CLSORT__EDGE_HEAVY_PART + (size_t)(side + 1) - 1;
    const cl_uint cell = 9000 + (cl_uint)below(t, 5000);
    cl_ulong first, step;
    size_t i, has = 0;
    spread(t, many_keys(t), wide_span(t));
    see_line(t);
    first = first_key(t, cell_of, cell);
    step = (first_key(t, cell_of, cell + 1) - first) / 5000;
    for (i = 0; i < SAMPLE; i++) has += cell_of(t, t->sample[i]) == cell;
    for (i = 1; has < wanted; i++) {
        if (cell_of(t, t->sample[3 * i]) == cell) continue;
        t->sample[3 * i] = first + step * i;
        has++;
    }
    place_sample(t);
}

/* One of 128 codes, each of which has a cell, has 1 / HEAVY_PART of the keys and little of the
   sample. */
static void make_heavy_range(stage *t, int side)
{
    enum { CODES = 128 };
    const cl_uint heavy = (cl_uint)below(t, CODES);
    size_t i, more;
    spread(t, few_keys(t), CODES - 1);
    for (i = 0; i < SAMPLE; i++) t->sample[i] = t->low + i % CODES;
    more = t->n / CLSORT__EDGE_HEAVY_PART + (size_t)(side + 1) - 1 - SAMPLE / CODES;
    for (i = 0; i < t->n; i++)
        if (!is_sampled(t, i)) {
            t->keys[i] = t->low + (heavy + (more ? 0 : 1 + below(t, CODES - 1))) % CODES;
            more -= more > 0;
        }
    place_sample(t);
}

/* ---- edges of buckets ------------------------------------------------------------------------ */

/* A slice, which is a bucket, has as many keys as one holds. */
static void make_bucket(stage *t, int side)
{
    spread(t, few_keys(t), wide_span(t));
    see_line(t);
    fill_slice(t, 20 + (cl_uint)below(t, 200), 0, capacity(t) + (size_t)(side + 1) - 1);
}

/* One has OVER_TIMES what it holds. */
static void make_long_bucket(stage *t, int side)
{
    spread(t, few_keys(t), wide_span(t));
    see_line(t);
    fill_slice(t, 20 + (cl_uint)below(t, 200), 0,
               CLSORT__EDGE_OVER_TIMES(t->n) * capacity(t) + (size_t)(side + 1) - 1);
}

/* Two have together 1 / OVER_PART of the keys. */
static void make_long_buckets(stage *t, int side)
{
    const cl_uint slice = 20 + (cl_uint)below(t, 200);
    size_t all, one;
    spread(t, few_keys(t), wide_span(t));
    see_line(t);
    all = t->n / CLSORT__EDGE_OVER_PART + (size_t)(side + 1) - 1;
    one = all / 2;
    fill_slice(t, slice, 0, one);
    fill_slice(t, slice + 7, slice, all - one);
}

/* A slice has as many keys as its second digits, which are counted with the first ones, may have:
   a work-group's size less for each than a bucket holds. */
static void make_parts(stage *t, int side)
{
    spread(t, many_keys(t), wide_span(t));
    see_line(t);
    if (!CHECK(t->head[CLSORT__HEAD_PARTS] == 1)) return;
    fill_slice(t, 20 + (cl_uint)below(t, 200), 0, capacity(t) - GROUP + (size_t)(side + 1) - 1);
}

/* A slice, which is a bucket with a bin for each 1 / BINS of its codes, has `rows` keys in the first
   bin, in descending order. */
static void fill_bin(stage *t, size_t rows)
{
    const cl_uint slice = 20 + (cl_uint)below(t, 200);
    const cl_ulong bins = GROUP << CLSORT__HYBRID_OWN_BINS_LOG2;
    cl_ulong first, width;
    size_t i, has = 0;
    spread(t, few_keys(t), wide_span(t));
    see_line(t);
    first = first_key(t, slice_of, slice);
    width = (first_key(t, slice_of, slice + 1) - first) / bins;
    for (i = 0; i < SAMPLE; i++)
        if (t->sample[i] - first < 2 * width) t->sample[i] += 2 * width;
    for (i = 0; i < t->n; i++) {
        if (t->keys[i] - first < 2 * width) t->keys[i] += 2 * width;
        if (!is_sampled(t, i) && has < rows) t->keys[i] = first + width / 2 - ++has;
    }
    place_sample(t);
}

static void make_mended(stage *t, int side)
{
    fill_bin(t, CLSORT__EDGE_MOST_MENDED + (size_t)(side + 1) - 1);
}

static void make_trusted(stage *t, int side)
{
    fill_bin(t, CLSORT__EDGE_MOST_TRUSTED + (size_t)(side + 1) - 1);
}

/* ---- what is decided ------------------------------------------------------------------------- */

static cl_uint see_flat(const stage *t) { return t->head[CLSORT__HEAD_FLAT]; }
static cl_uint see_gate(const stage *t) { return t->stays; }
static cl_uint see_sorted(const stage *t) { return t->head[CLSORT__HEAD_OVER] == 0 && t->stays; }
static cl_uint see_parts(const stage *t) { return t->head[CLSORT__HEAD_PARTS]; }
static cl_uint see_heavies(const stage *t) { return t->head[CLSORT__HEAD_HEAVIES]; }
static cl_uint see_gap(const stage *t) { return head_code(t, CLSORT__HEAD_GAP_SIZE) != 0; }

/* By how much the buckets above the capacity have more than one holds. */
static cl_uint see_over(const stage *t)
{
    const cl_uint over = t->head[CLSORT__HEAD_OVER];
    return over ? over - (cl_uint)capacity(t) : 0;
}

enum { KEYS = 1, PAIRS = 2, LONG = 4 };   /* LONG: keys of 8 bytes alone */

/* What decides, how its edge is made, and the test; of tests in this program what is seen below, at
   and above the edge, and of which elements. The others are named. */
static const struct decision {
    const char *name, *how, *test;
    void (*make)(stage *, int);
    cl_uint (*see)(const stage *);
    cl_uint seen[3];
    int elements;
} decisions[] = {
    { "CLSORT__EDGE_FLAT_TIMES", "keys of an even sample are put into one work-item's cells", NULL,
      make_flat, see_flat, { 1, 1, 0 }, KEYS | PAIRS },
    { "CLSORT__EDGE_GAP_PART", "both sides of the middle of all codes move apart", NULL, make_gap,
      see_gap, { 0, 0, 1 }, KEYS },
    { "CLSORT__EDGE_LEAST_GAP_STEPS", "both sides of a gap have so many codes", NULL,
      make_gap_steps, see_gap, { 0, 1, 1 }, KEYS | LONG },
    { "CLSORT__EDGE_LEAST_SPAN", "keys of pairs span so much", NULL, make_span, see_gate,
      { 0, 1, 1 }, PAIRS },
    { "CLSORT__EDGE_HEAVY_PART", "different keys of one cell of the sample", NULL, make_heavy_cell,
      see_gate, { 1, 1, 0 }, KEYS },
    { "CLSORT__EDGE_CROWDED_PART", "codes of half the sample, the last has so many of it", NULL,
      make_crowded, see_heavies, { 0, 0, CLSORT__EDGE_HEAVIES }, KEYS },
    { "CLSORT__EDGE_LEAST_HEAVY", "codes of most of the sample, another has so many", NULL,
      make_least_heavy, see_heavies, { 40, 41, 41 }, KEYS },
    { "CLSORT__EDGE_HEAVIES", "so many codes have most of the sample", NULL, make_heavies,
      see_heavies, { CLSORT__EDGE_HEAVIES - 1, CLSORT__EDGE_HEAVIES, CLSORT__EDGE_HEAVIES }, KEYS },
    { "CLSORT__EDGE_HEAVIES_PART", "codes have so much of what is looked through", NULL,
      make_heavies_part, see_heavies, { 0, 32, 32 }, KEYS },
    { "CLSORT__EDGE_HEAVY_PART", "a code that the sample overlooks", NULL, make_heavy_range,
      see_gate, { 1, 1, 0 }, KEYS },
    { "CLSORT__EDGE_BUCKET_ITEMS", "a slice has so many keys", NULL, make_bucket, see_over,
      { 0, 0, 1 }, KEYS | PAIRS },
    { "CLSORT__EDGE_OVER_TIMES", "a slice has so many keys", NULL, make_long_bucket, see_gate,
      { 1, 0, 0 }, KEYS | PAIRS },
    { "CLSORT__EDGE_OVER_PART", "two slices have so many keys", NULL, make_long_buckets, see_gate,
      { 1, 1, 0 }, KEYS | PAIRS },
    { "second digits that are counted with the first", "a slice has so many keys", NULL, make_parts,
      see_parts, { 1, 1, 0 }, KEYS },
    { "CLSORT__EDGE_MOST_MENDED", "a bin has so many keys; both ways sort", NULL, make_mended,
      see_sorted, { 1, 1, 1 }, KEYS | PAIRS },
    { "CLSORT__EDGE_MOST_TRUSTED", "a bin has so many keys; both ways sort", NULL, make_trusted,
      see_sorted, { 1, 1, 1 }, KEYS | PAIRS },
    { "CLSORT__EDGE_SAMPLES_LONG_BIN", "a sample that misleads; both ways sort",
      "radix of samples sorts buckets of any length", NULL, NULL, { 0, 0, 0 }, 0 },
    { "CLSORT__EDGE_RUNS_MOST_MENDED", "runs of few codes; both ways sort",
      "runs are merged in work-groups", NULL, NULL, { 0, 0, 0 }, 0 },
    { "CLSORT__EDGE_CACHED_RANGE_LOG2", "counts around 2^w; the plan does not depend on it",
      "radix in cache sorts every count", NULL, NULL, { 0, 0, 0 }, 0 },
    { "CLSORT__EDGE_CACHED_LEAST_RANGES", "counts around 2^w; the plan does not depend on it",
      "radix in cache sorts every count", NULL, NULL, { 0, 0, 0 }, 0 }
};
/* Where decisions about heavy codes begin, and those about exact counts. */
enum { OF_CODES = 5, OF_COUNTS = 9, DECISIONS = sizeof decisions / sizeof *decisions };

/* ---- tests ----------------------------------------------------------------------------------- */

/* Below, at and above one edge. */
static void try_sides(stage *t, const struct decision *d)
{
    int side;
    for (side = -1; side <= 1; side++) {
        AT("%s: %s, %zu bytes, %s, side %d", d->name, d->how, t->bytes, layouts[t->layout], side);
        d->make(t, side);
        sort_keys(t);
        if (!CHECK(d->see(t) == d->seen[side + 1])) printf("  seen: %u\n", (unsigned)d->see(t));
    }
}

/* Each edge of some decisions for the layouts and sizes of keys that it is for; for half of these
   where tests draw. */
static void try_edges(const bench *b, size_t first, size_t end)
{
    static stage t;
    unsigned number = (unsigned)test_seed();
    size_t i;
    t.b = b;
    t.random = test_seed();
    for (i = first; i < end; i++)
        for (t.layout = 0; t.layout < LAYOUTS; t.layout++)
            for (t.bytes = decisions[i].elements & LONG ? 8 : 4; t.bytes <= (is_pairs(&t) ? 4 : 8);
                 t.bytes += 4)
                if (decisions[i].elements & (is_pairs(&t) ? PAIRS : KEYS)
                    && (++number % 2 || !test_draws(b)))
                    try_sides(&t, &decisions[i]);
}

static void hybrid_decides(const bench *b, size_t first, size_t end)
{
    bench other = *b;
    more_options = test_draws(b) ? "-cl-opt-disable" : NULL;
    other.sorter = fresh_sorter(b, 0);
    if (other.sorter) try_edges(&other, first, end);
    clsort_destroy(other.sorter);
    more_options = NULL;
}

static void about_cells(bench *b) { hybrid_decides(b, 0, OF_CODES); }
static void about_codes(bench *b) { hybrid_decides(b, OF_CODES, OF_COUNTS); }
static void about_counts(bench *b) { hybrid_decides(b, OF_COUNTS, DECISIONS); }

static const test_entry tests[] = {
    { "hybrid radix decides where it should about cells of the sample", about_cells },
    { "hybrid radix decides where it should about heavy codes", about_codes },
    { "hybrid radix decides where it should about exact counts", about_counts }
};

TEST_MAIN(tests)
