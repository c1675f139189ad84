/* Where data and counts decide: inputs just below, at and just above each threshold, at random
   offsets, as keys and as pairs, in place and not. What the kernels decided is read from their
   tables, and what they sorted is checked.

   `decisions` has a row for each constant CLSORT__EDGE_* of kernels.cl: how its edge is made, and
   the test. `counts` has a row for each number of the planner that decides by counts, and the line
   of tests/plans that lists where. tests/scripts/header ties both to kernels.cl and clsort.h. */

#include "pretend.h"

#include <limits.h>

#define CLSORT_IMPLEMENTATION
#include "cases.h"
#include "pretenders.h"

enum { SAMPLE = 1 << CLSORT__HYBRID_SAMPLE_LOG2, MOST = 530000, GROUP = 64, CORES = 5 };
enum { HEAD_WORDS = CLSORT__HYBRID_HEAVIES_AT, MOST_CODES = 128 };
enum { OUT, IN_PLACE, PAIRS_OUT, PAIRS_IN_PLACE, LAYOUTS };
static const char *const layouts[] = { "keys", "keys in place", "pairs", "pairs in place" };

/* What sorts, and in which work-groups, 0: AUTO's. */
typedef struct form {
    const char *name;
    cl_uint family, group;
} form;
static const form hybrid = { "radix-hybrid", CLSORT__HYBRID, GROUP },
                  cached = { "radix-cached", CLSORT__CACHED, 0 },
                  samples = { "radix-samples", CLSORT__SAMPLES, 256 };

/* Codes to be sorted, and what the kernels made of them. They are keys of 4 or 8 bytes without a
   sign, so a key is its code; or floats, of which `keys` are the codes. That of a pair has its
   value below it. */
typedef struct stage {
    const bench *b;
    const form *form;
    uint64_t random;
    int layout, floats;
    size_t bytes, n;              /* of a key; keys */
    cl_ulong low, span;           /* the sample's least key, and its most less that */
    cl_ulong sample[SAMPLE], keys[MOST], codes[MOST_CODES];
    cl_uint watched;              /* a range */
    cl_uint stays, head[HEAD_WORDS];
} stage;

static int is_pairs(const stage *t) { return t->layout >= PAIRS_OUT; }
static size_t code_bytes(const stage *t) { return is_pairs(t) ? 8 : t->bytes; }
static size_t capacity(const stage *t) { return GROUP * CLSORT__EDGE_BUCKET_ITEMS(code_bytes(t)); }
static cl_ulong middle(const stage *t) { return (cl_ulong)1 << (8 * t->bytes - 1); }
static cl_uint key_type(const stage *t)
{
    return t->floats ? t->bytes == 8 ? CLSORT_F64 : CLSORT_F32
                     : t->bytes == 8 ? CLSORT_U64 : CLSORT_U32;
}

static cl_ulong below(stage *t, cl_ulong n) { return n ? pattern_random(&t->random) % n : 0; }

/* ---- a sort ---------------------------------------------------------------------------------- */

static stage *sorting;   /* its keys are sorted, and its head is read */

static uint64_t key_of_stage(const sort_case *c, size_t i, uint64_t *random)
{
    const stage *t = sorting;
    const cl_ulong code = t->keys[i];
    (void)c, (void)random;
    return !t->floats ? code : code >= middle(t) ? code ^ middle(t) : ~code;
}

/* Takes words of the tables in scratch memory. */
static void read_tables(const case_state *s, const clsort__plan *p, size_t at, void *words,
                        size_t bytes)
{
    memcpy(words, image_at(&s->image, s->image.now, CASE_SCRATCH, 0) + p->scratch.tables + at,
           bytes);
}

/* Reads SKIP_PASSES and the tables behind it, but of radix of samples, which has neither. */
static int read_head(const bench *b, const case_state *s)
{
    stage *const t = sorting;
    clsort__plan p;
    clsort__make_plan(&b->sorter->facts, b->sorter->policy, &s->d, &p);
    clsort__plan_scratch(&p, &p);
    if (!CHECK(p.config.family == t->form->family) || t->form == &samples) return 1;
    read_tables(s, &p, 4 * CLSORT__SKIP_PASSES, &t->stays, 4);
    read_tables(s, &p, t->form == &hybrid ? clsort__hybrid_at(&p) : 4 * CLSORT__PLAN_WORDS,
                t->head, sizeof t->head);
    return 1;
}

/* Sorts the keys, with their numbers as values, in scratch memory that is looked at after. */
static void sort_keys(stage *t)
{
    const int in_place = t->layout % 2, pairs = is_pairs(t);
    sort_case c = case_make(key_type(t), t->n, "uniform");
    c.algorithm = t->form->name;
    c.d.tuning.work_group = t->form->group;
    c.d.value_size = pairs ? 4 : 0;
    c.keys_out = in_place ? 0 : CASE_OWN;
    c.values_out = pairs && !in_place ? CASE_OWN : 0;
    c.own_scratch = 1;
    c.make = key_of_stage;
    c.look = read_head;
    sorting = t;
    case_run(t->b, &c);
}

/* ---- maps ------------------------------------------------------------------------------------ */

static cl_ulong head_code(const stage *t, int word)
{
    return code_bytes(t) == 8 ? t->head[word] | (cl_ulong)t->head[word + 1] << 32 : t->head[word];
}

/* What a key becomes on the map of the cells, as kernels.cl says it, by the head. */
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

static cl_uint cell_group_of(const stage *t, cl_ulong key)
{
    return 1 + (cl_uint)(product_of(t, key) >> (31 + CLSORT__HYBRID_CELL_GROUP_LOG2));
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
static void spread_from(stage *t, size_t n, cl_ulong low, cl_ulong span)
{
    size_t i;
    t->n = n;
    t->span = span;
    t->low = low;
    for (i = 0; i < SAMPLE; i++)
        t->sample[i] = t->low + (cl_ulong)((double)span * (double)i / (SAMPLE - 1));
    t->sample[SAMPLE - 1] = t->low + span;
    for (i = 0; i < n; i++) t->keys[i] = t->low + below(t, span + 1);
}

static void spread(stage *t, size_t n, cl_ulong span)
{
    const cl_ulong top = t->bytes == 8 ? ~(cl_ulong)0 : 0xFFFFFFFFu, margin = span / 4;
    spread_from(t, n, margin + below(t, top - span - 2 * margin), span);
}

/* Puts the sample in its places. */
static void place_sample(stage *t)
{
    size_t i;
    for (i = 0; i < SAMPLE; i++) t->keys[pattern_hybrid_place(i, t->n)] = t->sample[i];
}

/* Sorts what `spread` made, so that the head has the map that keys of this span get. */
static void see_map(stage *t)
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

/* Gives exactly `rows` keys to the codes first ... end - 1, and no others but their part of the
   sample; those from `other` to `other_end` - 1 are not used. */
static void fill_codes(stage *t, cl_ulong first, cl_ulong end, cl_ulong other, cl_ulong other_end,
                       size_t rows)
{
    size_t i, has = 0;
    for (i = 0; i < t->n; i++) {
        while (t->keys[i] - first < end - first && !is_sampled(t, i)) {
            t->keys[i] = t->low + below(t, t->span + 1);
            if (t->keys[i] - other < other_end - other) t->keys[i] = first;
        }
        has += t->keys[i] - first < end - first;
    }
    for (i = 0; i < t->n && has < rows; i++) {
        if (is_sampled(t, i) || t->keys[i] - first < end - first
            || t->keys[i] - other < other_end - other)
            continue;
        t->keys[i] = first + below(t, end - first);
        has++;
    }
    CHECK(has == rows);
}

/* The same for a cell group; `other` is a second one, or 0. */
static void fill_cell_group(stage *t, cl_uint group, cl_uint other, size_t rows)
{
    fill_codes(t, first_key(t, cell_group_of, group), first_key(t, cell_group_of, group + 1),
               other ? first_key(t, cell_group_of, other) : 0,
               other ? first_key(t, cell_group_of, other + 1) : 0, rows);
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

/* The cells of one work-item have `wanted` of the sample. */
static void crowd_item(stage *t, cl_uint item, size_t wanted)
{
    const size_t cells = CLSORT__HYBRID_CELLS / GROUP;
    cl_ulong first, last;
    size_t i, has = 0;
    see_map(t);
    first = first_key(t, cell_of, item * (cl_uint)cells);
    last = first_key(t, cell_of, (item + 1) * (cl_uint)cells);
    for (i = 0; i < SAMPLE; i++) has += t->sample[i] >= first && t->sample[i] < last;
    for (i = 1; has < wanted; i++, has++) t->sample[i] = first + below(t, last - first);
    place_sample(t);
}

/* They have FLAT_TIMES their part of it. */
static void make_flat(stage *t, int side)
{
    spread(t, 3 * SAMPLE, wide_span(t));
    crowd_item(t, 30 + (cl_uint)below(t, 25),
               CLSORT__EDGE_FLAT_TIMES * (SAMPLE / GROUP) + (size_t)(side + 1) - 1);
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

/* Keys lie beside the sample, as far below it and above it as cells go. */
static void make_margins(stage *t, int side, cl_ulong below_it, cl_ulong above_it)
{
    size_t i = 1, k = 2;
    place_sample(t);
    while (is_sampled(t, i)) i++;
    for (k = i + 1; is_sampled(t, k);) k++;
    t->keys[i] = t->low - below_it - (cl_ulong)(side + 1) + 1;
    t->keys[k] = t->low + t->span + above_it + (cl_ulong)(side + 1) - 1;
}

static void make_margin(stage *t, int side)
{
    spread(t, few_keys(t), wide_span(t) / 2);
    make_margins(t, side, t->span >> CLSORT__EDGE_MARGIN_LOG2, t->span >> CLSORT__EDGE_MARGIN_LOG2);
}

/* Floats of one sign, whose cells go on farther towards 0. */
static void make_inner(stage *t, int side)
{
    const cl_ulong span = wide_span(t) / 4, inner = span >> CLSORT__EDGE_INNER_LOG2,
                   margin = span >> CLSORT__EDGE_MARGIN_LOG2, apart = 2 * inner + below(t, span);
    const int negative = (int)below(t, 2);
    t->floats = 1;
    spread_from(t, few_keys(t), negative ? middle(t) - apart - span : middle(t) + apart, span);
    make_margins(t, side, negative ? margin : inner, negative ? inner : margin);
}

/* Pairs whose keys span LEAST_SPAN. The value of the least key is below that of the most. */
static void make_span(stage *t, int side)
{
    spread(t, 3 * SAMPLE, (cl_ulong)CLSORT__EDGE_LEAST_SPAN + (cl_ulong)(side + 1) - 1);
    place_sample(t);
}

/* ---- edges of heavy codes -------------------------------------------------------------------- */

/* Of n keys a sample of `codes` codes: of those that are looked through, every so many-th,
   `looked_at` have each of them, and `last_looked_at` the last one; of the whole sample, `copies`
   and `last_copies`. The rest is spread evenly, and never lies in a cell of theirs. */
static void make_codes(stage *t, size_t n, cl_uint codes, size_t looked_at, size_t last_looked_at,
                       size_t copies, size_t last_copies)
{
    const size_t step = SAMPLE / CLSORT__HYBRID_HEAVY_SAMPLE;
    cl_ulong *const code = t->codes;
    size_t looked = 0, others = step - 1, i, k;
    spread(t, n, wide_span(t));
    see_map(t);
    for (k = 0; k < codes; k++)
        code[k] = t->low + t->span / (codes + 1) * (k + 1) + below(t, t->span / 4000);
    for (i = 1; i + 1 < SAMPLE; i++)
        for (k = 0; k < codes; k++)
            while (cell_of(t, t->sample[i]) == cell_of(t, code[k])) t->sample[i] += t->span / 9000;
    for (k = 0; k < codes; k++) {
        const size_t own = k + 1 == codes ? last_looked_at : looked_at,
                     all = k + 1 == codes ? last_copies : copies;
        for (i = 0; i < own; i++) t->sample[step * ++looked] = code[k];
        for (; i < all; i++, others++) {
            others += others % step == 0;
            t->sample[others] = code[k];
        }
    }
    CHECK(looked < CLSORT__HYBRID_HEAVY_SAMPLE - 1 && others < SAMPLE - 1);
    place_sample(t);
}

/* A code has 1 / CROWDED_PART of the sample, others less, and together they have half of it. */
static void make_crowded(stage *t, int side)
{
    const size_t edge = SAMPLE / CLSORT__EDGE_CROWDED_PART + (size_t)(side + 1) - 1;
    make_codes(t, 4 * SAMPLE, CLSORT__EDGE_HEAVIES, 8, 8, 120, edge);
}

static void make_least_heavy(stage *t, int side)
{
    make_codes(t, 4 * SAMPLE, 41, 20, CLSORT__EDGE_LEAST_HEAVY + (size_t)(side + 1) - 1, 200, 200);
}

static void make_heavies_part(stage *t, int side)
{
    const size_t half = CLSORT__HYBRID_HEAVY_SAMPLE / CLSORT__EDGE_HEAVIES_PART;
    make_codes(t, 4 * SAMPLE, 32, 16, half - 31 * 16 + (size_t)(side + 1) - 1, 200, 200);
}

/* Of so many keys that ranges are split again, which writes the keys of heavy codes. */
static void make_many_heavies(stage *t, int side)
{
    make_codes(t, many_keys(t), CLSORT__EDGE_HEAVIES + (cl_uint)(side + 1) - 1, 9, 9, 130, 130);
}

static void make_heavies(stage *t, int side)
{
    make_codes(t, 4 * SAMPLE, CLSORT__EDGE_HEAVIES + (cl_uint)(side + 1) - 1, 9, 9, 130, 130);
}

/* The last of HEAVIES codes has 1 / HEAVY_PART of the sample. */
static void make_last_heavy(stage *t, int side)
{
    make_codes(t, many_keys(t), CLSORT__EDGE_HEAVIES, 9, 300, 130,
               SAMPLE / CLSORT__EDGE_HEAVY_PART + (size_t)(side + 1));
}

/* Different codes of one cell have 1 / HEAVY_PART of the sample. */
static void make_heavy_cell(stage *t, int side)
{
    const size_t wanted = SAMPLE / CLSORT__EDGE_HEAVY_PART + (size_t)(side + 1) - 1;
    const cl_uint cell = 9000 + (cl_uint)below(t, 5000);
    cl_ulong first, step;
    size_t i, has = 0;
    spread(t, many_keys(t), wide_span(t));
    see_map(t);
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

/* Different keys of one cell are a third of all. It has as many codes as a range has second
   digits. */
static void make_narrow_cell(stage *t, int side)
{
    const cl_ulong codes = (cl_ulong)(CLSORT__HYBRID_MOST_SECOND_DIGITS(code_bytes(t), 0) + side),
                   inner = (CLSORT__HYBRID_DIGITS - 2) << CLSORT__HYBRID_CELL_GROUP_LOG2,
                   margins = 2 * (inner * codes >> CLSORT__EDGE_MARGIN_LOG2);
    const cl_uint cell = 3000 + (cl_uint)below(t, 9000);
    cl_ulong first;
    size_t i;
    spread(t, many_keys(t), inner * codes - inner / 2 - margins);
    see_map(t);
    first = first_key(t, cell_of, cell);
    for (i = 1; i < SAMPLE - 1; i += 3) t->sample[i] = first + below(t, codes - 1);
    for (i = 0; i < t->n; i += 3) t->keys[i] = first + below(t, codes - 1);
    place_sample(t);
}

/* Different codes of one cell beside heavy codes, without which the sample is counted again. */
static void make_cell_beside_codes(stage *t, int side)
{
    const size_t wanted = SAMPLE / CLSORT__EDGE_HEAVY_PART + (size_t)(side + 1) - 1;
    cl_ulong first, step;
    cl_uint cell;
    size_t i, k, has = 0;
    make_codes(t, 4 * SAMPLE, 32, 20, 20, 200, 200);
    cell = cell_of(t, (t->codes[10] + t->codes[11]) / 2);
    first = first_key(t, cell_of, cell);
    step = (first_key(t, cell_of, cell + 1) - first) / 5000;
    for (i = 0; i < SAMPLE; i++) has += cell_of(t, t->sample[i]) == cell;
    for (i = 1; i + 1 < SAMPLE && has < wanted; i++) {
        for (k = 0; k < 32 && t->sample[i] != t->codes[k];) k++;
        if (k < 32 || cell_of(t, t->sample[i]) == cell) continue;
        t->sample[i] = first + step * (++has);
    }
    CHECK(has == wanted);
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

static cl_ulong range_code(const stage *t, cl_uint range, int word)
{
    return head_code(t, CLSORT__HYBRID_RANGES_AT + (int)range * CLSORT__HYBRID_RANGE_WORDS + word);
}

/* A cell group, which is a bucket, has as many keys as one holds. */
static void make_bucket(stage *t, int side)
{
    spread(t, few_keys(t), wide_span(t));
    see_map(t);
    fill_cell_group(t, 20 + (cl_uint)below(t, 200), 0, capacity(t) + (size_t)(side + 1) - 1);
}

/* One has OVER_TIMES what it holds. */
static void make_long_bucket(stage *t, int side)
{
    spread(t, few_keys(t), wide_span(t));
    see_map(t);
    fill_cell_group(t, 20 + (cl_uint)below(t, 200), 0,
               CLSORT__EDGE_OVER_TIMES(t->n) * capacity(t) + (size_t)(side + 1) - 1);
}

/* The first code behind two of the four second digits of the codes low ... last, as cut_line of
   kernels.cl cuts them. */
static cl_ulong behind_two(cl_ulong low, cl_ulong last)
{
    cl_ulong width, factor;
    int shift = 0;
    while ((last - low) >> shift >= (cl_ulong)1 << 27) shift++;
    width = ((last - low) >> shift) + 1;
    factor = ((cl_ulong)1 << 33) / width / 2;
    return low + ((((cl_ulong)1 << 31) + factor - 1) / factor << shift);
}

/* Two second digits of a range that is no cell group have as many; they are joined if that is so of
   any two. */
static void make_joined(stage *t, int side)
{
    cl_ulong first, middle, end;
    t->watched = 90 + (cl_uint)below(t, 60);
    spread(t, 15 * SAMPLE, wide_span(t));
    crowd_item(t, 3, 4 * (SAMPLE / GROUP));
    sort_keys(t);
    first = range_code(t, t->watched, 0);
    end = range_code(t, t->watched, 2) + 1;
    middle = behind_two(first, end - 1);
    fill_codes(t, first, middle, middle, end, capacity(t) + (size_t)(side + 1) - 1);
}

/* Two have together 1 / OVER_PART of the keys. */
static void make_long_buckets(stage *t, int side)
{
    const cl_uint group = 20 + (cl_uint)below(t, 200);
    size_t all, one;
    spread(t, few_keys(t), wide_span(t));
    see_map(t);
    all = t->n / CLSORT__EDGE_OVER_PART + (size_t)(side + 1) - 1;
    one = all / 2;
    fill_cell_group(t, group, 0, one);
    fill_cell_group(t, group + 7, group, all - one);
}

/* A cell group has as many keys as its second digits, which are counted with the first ones, may
   have. */
static void make_parts(stage *t, int side)
{
    spread(t, many_keys(t), wide_span(t));
    see_map(t);
    if (!CHECK(t->head[CLSORT__HEAD_GROUP_DIGITS] == 1)) return;
    fill_cell_group(t, 20 + (cl_uint)below(t, 200), 0,
               CLSORT__EDGE_MOST_EVEN(capacity(t), GROUP) + (size_t)(side + 1) - 1);
}

/* A cell group has as many keys as one second digit is for, and another one too many for these to
   be counted with the first ones. */
static void make_even_room(stage *t, int side)
{
    const cl_uint crowded = 20 + (cl_uint)below(t, 200);
    t->watched = crowded + 9;
    spread(t, many_keys(t), wide_span(t));
    see_map(t);
    fill_cell_group(t, crowded, 0, capacity(t) - GROUP / 2);
    fill_cell_group(t, t->watched, crowded,
               CLSORT__EDGE_EVEN_ROOM(capacity(t), GROUP) + (size_t)(side + 1) - 1);
}

/* A range that is no cell group has as many keys as two second digits are for, which are joined
   then. */
static void make_room(stage *t, int side)
{
    t->watched = 90 + (cl_uint)below(t, 60);
    spread(t, 15 * SAMPLE, wide_span(t));
    crowd_item(t, 3, 4 * (SAMPLE / GROUP));
    sort_keys(t);
    fill_codes(t, range_code(t, t->watched, 0), range_code(t, t->watched, 2) + 1, 0, 0,
               CLSORT__EDGE_ROOM(capacity(t)) + (size_t)(side + 1) - 1);
}

/* A cell group, which is a bucket with a bin for each 1 / BINS of its codes, has `rows` keys in the
   first bin, in descending order. */
static void fill_bin(stage *t, size_t rows)
{
    const cl_uint group = 20 + (cl_uint)below(t, 200);
    const cl_ulong bins = GROUP << CLSORT__HYBRID_OWN_BINS_LOG2;
    cl_ulong first, width;
    size_t i, has = 0;
    spread(t, few_keys(t), wide_span(t));
    see_map(t);
    first = first_key(t, cell_group_of, group);
    width = (first_key(t, cell_group_of, group + 1) - first) / bins;
    for (i = 0; i < SAMPLE; i++)
        if (t->sample[i] - first < 2 * width) t->sample[i] += 2 * width;
    for (i = 0; i < t->n; i++) {
        if (t->keys[i] - first < 2 * width) t->keys[i] += 2 * width;
        if (!is_sampled(t, i) && has < rows) t->keys[i] = first + width / 2 - ++has;
    }
    place_sample(t);
}

static void make_transposed(stage *t, int side)
{
    fill_bin(t, CLSORT__EDGE_MOST_TRANSPOSED + (size_t)(side + 1) - 1);
}

static void make_trusted(stage *t, int side)
{
    fill_bin(t, CLSORT__EDGE_MOST_TRUSTED + (size_t)(side + 1) - 1);
}

/* ---- edges of radix in cache, and of samples ------------------------------------------------- */

static void make_counted(stage *t, size_t n)
{
    const cl_ulong span = wide_span(t);
    size_t i;
    t->n = n;
    t->low = below(t, span / 4);
    for (i = 0; i < n; i++) t->keys[i] = t->low + below(t, span);
}

static void make_ranges(stage *t, int side)
{
    make_counted(t, ((size_t)(CLSORT__EDGE_CACHED_LEAST_RANGES + 1)
                     << CLSORT__EDGE_CACHED_RANGE_LOG2) + (size_t)(side + 1) - 1);
}

static void make_least_ranges(stage *t, int side)
{
    make_counted(t, ((size_t)CLSORT__EDGE_CACHED_LEAST_RANGES << CLSORT__EDGE_CACHED_RANGE_LOG2)
                        + (size_t)(side + 1) - 1);
}

/* The sample has one key in each cell. Range 10 of 32 has 1 / CACHED_PART of all keys. */
static void make_cached_part(stage *t, int side)
{
    enum { CELLS = CLSORT__CACHED_CELLS, SHIFT = 18, EACH = CELLS / 32 };
    static unsigned char sampled[MOST];
    cl_ulong first;
    size_t i, more;
    make_counted(t, CLSORT__CACHED_GATED + below(t, 4000));
    first = t->low + ((cl_ulong)10 * EACH << SHIFT);
    memset(sampled, 0, sizeof sampled);
    for (i = 0; i < CELLS; i++) {
        const size_t place = pattern_cached_place(i, t->n);
        sampled[place] = 1;
        t->keys[place] = t->low + ((cl_ulong)i << SHIFT);
    }
    more = t->n / CLSORT__EDGE_CACHED_PART(CORES) + (size_t)(side + 1) - 1 - EACH;
    for (i = 0; i < t->n; i++)
        if (!sampled[i]) {
            t->keys[i] = more ? first + below(t, (cl_ulong)EACH << SHIFT)
                              : t->low + below(t, (cl_ulong)10 * EACH << SHIFT);
            more -= more > 0;
        }
}

/* A key that has so much of the sample; the others are spread. */
static void make_cached_common(stage *t, int side)
{
    enum { SAMPLED = 1 << CLSORT__CACHED_SAMPLE_LOG2 };
    size_t often = CLSORT__EDGE_CACHED_COMMON(SAMPLED) + (size_t)(side + 1) - 1, i;
    cl_ulong common;
    make_counted(t, CLSORT__CACHED_GATED + below(t, 4000));
    common = t->low + below(t, wide_span(t));
    for (i = 0; i < SAMPLED; i++) {
        cl_ulong *key = t->keys + pattern_cached_place(i, t->n);
        *key = i < often ? common : *key == common ? common + 1 : *key;
    }
}

/* Keys of one bucket, so many of which lie in one of its bins. */
static void make_long_bin(stage *t, int side)
{
    const size_t wanted = CLSORT__EDGE_SAMPLES_LONG_BIN + (size_t)(side + 1) - 1;
    size_t i;
    t->n = 128;
    for (i = 0; i < t->n; i++)
        t->keys[i] = i < wanted ? ((cl_ulong)1 << 31) + (1 << 21) + below(t, 1 << 20)
                                : below(t, (cl_ulong)1 << 31);
    t->keys[t->n - 1] = 0xFFFFFFFFu;
    t->keys[t->n - 2] = 0;
}

/* ---- what is decided ------------------------------------------------------------------------- */

static cl_uint see_flat(const stage *t) { return t->head[CLSORT__HEAD_CELL_GROUPS]; }
static cl_uint see_skip(const stage *t) { return t->stays; }
static cl_uint see_sorted(const stage *t) { return t->head[CLSORT__HEAD_OVER] == 0 && t->stays; }
static cl_uint see_parts(const stage *t) { return t->head[CLSORT__HEAD_GROUP_DIGITS]; }
static cl_uint see_heavies(const stage *t) { return t->head[CLSORT__HEAD_HEAVIES]; }
static cl_uint see_ranges(const stage *t) { return t->head[1]; }   /* CACHED_IN_USE */
static cl_uint see_nothing(const stage *t) { return t->n > 0; }

/* Is a common key kept apart? The head's CACHED_AROUND is the range that it lies in. */
static cl_uint see_apart(const stage *t) { return t->head[3] < CLSORT__CACHED_RANGES; }
static cl_uint see_gap(const stage *t) { return head_code(t, CLSORT__HEAD_GAP_SIZE) != 0; }

/* By how much the buckets above the capacity have more than one holds. */
static cl_uint see_over(const stage *t)
{
    const cl_uint over = t->head[CLSORT__HEAD_OVER];
    return over ? over - (cl_uint)capacity(t) : 0;
}

/* How many keys lie where no cells of the sample are. */
static cl_uint see_outside(const stage *t)
{
    const cl_uint *end = t->head + CLSORT__HYBRID_NEXT_AT, last = t->head[CLSORT__HEAD_DIGITS] - 1;
    return end[0] + end[last] - end[last - 1];
}

/* The second digits of the range that is watched. */
static cl_uint see_digits(const stage *t)
{
    const cl_uint *range = t->head + CLSORT__HYBRID_RANGES_AT
                           + t->watched * CLSORT__HYBRID_RANGE_WORDS;
    const cl_ulong span = range_code(t, t->watched, 2) - range_code(t, t->watched, 0);
    return (cl_uint)((cl_ulong)(cl_uint)(span >> range[4]) * range[5] >> 31) + 1;
}

/* Of which elements; LONG: keys of 8 bytes alone, SHORT: of 4; MOVED: not in place. */
enum { KEYS = 1, PAIRS = 2, LONG = 4, SHORT = 8, MOVED = 16 };

/* What decides, how its edge is made, and the test; of tests in this program what is seen below, at
   and above the edge, of which elements, and what sorts them. The others are named. */
#define NAMED NULL, NULL, { 0, 0, 0 }, 0, NULL
static const struct decision {
    const char *name, *how, *test;
    void (*make)(stage *, int);
    cl_uint (*see)(const stage *);
    cl_uint seen[3];
    int elements;
    const form *form;
} decisions[] = {
    { "CLSORT__EDGE_FLAT_TIMES", "keys of an even sample are put into one work-item's cells", NULL,
      make_flat, see_flat, { 1, 1, 0 }, KEYS | PAIRS, &hybrid },
    { "CLSORT__EDGE_GAP_PART", "both sides of the middle of all codes move apart", NULL, make_gap,
      see_gap, { 0, 0, 1 }, KEYS, &hybrid },
    { "CLSORT__EDGE_LEAST_GAP_STEPS", "both sides of a gap have so many codes", NULL,
      make_gap_steps, see_gap, { 0, 1, 1 }, KEYS | LONG, &hybrid },
    { "CLSORT__EDGE_MARGIN_LOG2", "a key lies so far below the sample, another above", NULL,
      make_margin, see_outside, { 0, 0, 2 }, KEYS, &hybrid },
    { "CLSORT__EDGE_INNER_LOG2", "the same of floats of one sign", NULL, make_inner, see_outside,
      { 0, 0, 2 }, KEYS, &hybrid },
    { "CLSORT__EDGE_LEAST_SPAN", "keys of pairs span so much", NULL, make_span, see_skip,
      { 0, 1, 1 }, PAIRS, &hybrid },
    { "CLSORT__EDGE_HEAVY_PART", "different keys of one cell of the sample", NULL, make_heavy_cell,
      see_skip, { 1, 1, 0 }, KEYS, &hybrid },
    { "CLSORT__EDGE_HEAVY_PART", "one cell has about as many codes as second digits", NULL,
      make_narrow_cell, see_skip, { 1, 0, 0 }, KEYS, &hybrid },
    { "CLSORT__EDGE_CROWDED_PART", "codes of half the sample, the last has so many of it", NULL,
      make_crowded, see_heavies, { 0, 0, CLSORT__EDGE_HEAVIES }, KEYS, &hybrid },
    { "CLSORT__EDGE_LEAST_HEAVY", "codes of most of the sample, another has so many", NULL,
      make_least_heavy, see_heavies, { 40, 41, 41 }, KEYS, &hybrid },
    { "CLSORT__EDGE_HEAVIES", "so many codes have most of the sample", NULL, make_heavies,
      see_heavies, { CLSORT__EDGE_HEAVIES - 1, CLSORT__EDGE_HEAVIES, CLSORT__EDGE_HEAVIES }, KEYS,
      &hybrid },
    { "CLSORT__EDGE_HEAVIES", "the last of them has 1 / HEAVY_PART of it", NULL, make_last_heavy,
      see_skip, { 1, 1, 1 }, KEYS, &hybrid },
    { "CLSORT__EDGE_HEAVIES", "the same, of more keys", NULL, make_many_heavies, see_heavies,
      { CLSORT__EDGE_HEAVIES - 1, CLSORT__EDGE_HEAVIES, CLSORT__EDGE_HEAVIES }, KEYS, &hybrid },
    { "CLSORT__EDGE_HEAVIES_PART", "codes have so much of what is looked through", NULL,
      make_heavies_part, see_heavies, { 0, 32, 32 }, KEYS, &hybrid },
    { "CLSORT__EDGE_HEAVY_PART", "different keys of one cell, beside heavy codes", NULL,
      make_cell_beside_codes, see_skip, { 1, 1, 0 }, KEYS | SHORT, &hybrid },
    { "CLSORT__EDGE_HEAVY_PART", "a code that the sample overlooks", NULL, make_heavy_range,
      see_skip, { 1, 1, 0 }, KEYS, &hybrid },
    { "CLSORT__EDGE_BUCKET_ITEMS", "a cell group has so many keys", NULL, make_bucket, see_over,
      { 0, 0, 1 }, KEYS | PAIRS, &hybrid },
    { "CLSORT__EDGE_BUCKET_ITEMS", "two second digits have so many keys", NULL, make_joined,
      see_digits, { 2, 2, 4 }, KEYS | SHORT, &hybrid },
    { "CLSORT__EDGE_OVER_TIMES", "a cell group has so many keys", NULL, make_long_bucket, see_skip,
      { 1, 0, 0 }, KEYS | PAIRS, &hybrid },
    { "CLSORT__EDGE_OVER_PART", "two cell groups have so many keys", NULL, make_long_buckets,
      see_skip, { 1, 1, 0 }, KEYS | PAIRS, &hybrid },
    { "CLSORT__EDGE_MOST_EVEN", "a cell group has so many keys", NULL, make_parts, see_parts,
      { 1, 1, 0 }, KEYS, &hybrid },
    { "CLSORT__EDGE_EVEN_ROOM", "a cell group has so many keys, another one more", NULL,
      make_even_room, see_digits, { 1, 2, 2 }, KEYS, &hybrid },
    { "CLSORT__EDGE_ROOM", "a range that is no cell group has so many keys", NULL, make_room,
      see_digits, { 1, 2, 2 }, KEYS | SHORT, &hybrid },
    { "CLSORT__EDGE_MOST_TRANSPOSED", "a bin has so many keys; both ways sort", NULL,
      make_transposed,
      see_sorted, { 1, 1, 1 }, KEYS | PAIRS, &hybrid },
    { "CLSORT__EDGE_MOST_TRUSTED", "a bin has so many keys; both ways sort", NULL, make_trusted,
      see_sorted, { 1, 1, 1 }, KEYS | PAIRS, &hybrid },
    { "CLSORT__EDGE_CACHED_RANGE_LOG2", "counts around 17 ranges", NULL, make_ranges, see_ranges,
      { 16, 17, 17 }, KEYS | PAIRS | SHORT, &cached },
    { "CLSORT__EDGE_CACHED_LEAST_RANGES", "counts around 16 ranges", NULL, make_least_ranges,
      see_ranges, { 16, 16, 16 }, KEYS, &cached },
    { "CLSORT__EDGE_CACHED_PART", "a range of several codes has so many keys", NULL,
      make_cached_part, see_skip, { 1, 1, 0 }, KEYS | PAIRS | SHORT, &cached },
    { "CLSORT__EDGE_CACHED_COMMON", "a key has so much of the sample", NULL,
      make_cached_common, see_apart, { 0, 1, 1 }, KEYS | PAIRS, &cached },
    { "CLSORT__EDGE_SAMPLES_LONG_BIN", "a bin has so many keys; both ways sort", NULL,
      make_long_bin, see_nothing, { 1, 1, 1 }, PAIRS | MOVED, &samples },
    { "CLSORT__EDGE_RUNS_LONG_BIN", "a bin of a tile of runs has so many keys; both ways sort",
      "merges of runs order bins of any length", NAMED },
    { "CLSORT__EDGE_MOST_EQUAL_PREFIX", "so many keys have equal upper digits",
      "equal prefixes are sorted up to their most", NAMED },
    { "CLSORT__EDGE_DIGITS_CROWD", "patterns on warps, which others have not; both ways sort",
      "hybrid radix sorts every pattern", NAMED },
    { "CLSORT__EDGE_BINS_CROWD", "patterns on warps, which others have not; both ways sort",
      "runs are merged in work-groups", NAMED },
    { "CLSORT__EDGE_FEW_PARTS", "15 and 16 splitters", "u32 keys are parted", NAMED },
    { "CLSORT__EDGE_LAST_BOUND", "k around 5/8 of the columns",
      "k may be as large as bounds of columns allow", NAMED },
    { "CLSORT__EDGE_MANY_COLUMNS", "work-groups of 64, 128 and 256; both ways rank",
      "rows that a work-group holds give theirs in one reading", NAMED },
    { "CLSORT__EDGE_RANKED_MOST", "equal keys, as many candidates as k; both ways rank",
      "k may be as large as bounds of columns allow", NAMED },
    { "CLSORT__EDGE_RANK_MOST", "rows of so many keys; both ways rank",
      "work-items keep and rank any number", NAMED },
    { "CLSORT__EDGE_INSERT_MOST", "k is so large; both ways select",
      "work-items keep and rank any number", NAMED },
    { "CLSORT__EDGE_LEAST_APART", "so many keys are left when a bound is wanted; both ways select",
      "work-items keep and rank any number", NAMED }
};
/* Numbers of the planner that decide by counts, and lines of tests/plans that list where. */
static const struct { const char *name, *line; } counts[] = {
    { "clsort__crossovers", "nvidia auto u32 keys_out n:1..3000000" },
    { "clsort__crossovers", "nvidia auto u32 bare n:3000000..4294967295" },
    { "clsort__crossovers", "nvidia auto u32 bare indices n:1000000..4294967295" },
    { "clsort__crossovers", "nvidia auto u64 bare n:3000000..4294967295" },
    { "clsort__crossovers", "nvidia auto u16 keys_out n:1..3000000" },
    { "clsort__crossovers", "gpu auto u32 n:1..3000000" },
    { "clsort__crossovers", "gpu auto u32 bare units:132 n:200000..20000000" },
    { "clsort__crossovers", "gpu auto u64 bare units:132 n:200000..20000000" },
    { "clsort__crossovers", "gpu auto u32 bare indices units:132 n:200000..20000000" },
    { "clsort__crossovers", "gpu auto u16 bare units:132 n:2..20000000" },
    { "clsort__crossovers", "gpu auto u64 bare values:4 values_out units:132 n:200000..20000000" },
    { "clsort__crossovers", "gpu auto u32 bare values:8 values_out units:132 n:200000..20000000" },
    { "clsort__crossovers", "nvidia auto u64 values:8 keys_out values_out n:1..3000000" },
    { "clsort__crossovers", "nvidia auto u32 bare values:8 values_out n:200000..20000000" },
    { "clsort__code_bits", "nvidia auto record:64 fields:2 n:1..6000000" },
    { "clsort__code_bits", "gpu auto record:64 fields:4 n:1..6000000" },
    { "clsort__suits_samples", "nvidia auto u32 values:12 values_out n:1..3000000" },
    { "clsort__suits_samples", "gpu auto u32 values:12 values_out n:1..3000000" },
    { "crossovers.two_codes", "nvidia auto record:64 fields:3 n:1..3000000" },
    { "crossovers.extracted_samples", "nvidia auto f32 record:32 n:1..3000000" },
    { "crossovers.extracted_samples", "gpu auto f32 nan:2 n:1..3000000" },
    { "crossovers.units", "gpu auto u32 bare n:1000000 units:0..400" },
    { "clsort__policy_of", "gpu auto u32 n:200000 local:16..70000" },
    { "clsort__policy_of", "gpu auto u32 n:200000 most:1..2000" },
    { "clsort__policy_of", "gpu auto u32 n:200000 local_type:2" },
    { "clsort__crossovers", "cpu auto u32 values:4 n:1..3000000" },
    { "clsort__crossovers", "cpu auto u64 bare n:1..10000000" },
    { "clsort__crossovers", "cpu auto u32 bare sub_group:4 n:1..3000000" },
    { "clsort__crossovers", "cpu auto u64 bare sub_group:4 n:1..3000000" },
    { "clsort__crossovers", "cpu auto u32 bare vector:1 n:1..3000000" },
    { "clsort__crossovers", "cpu auto u64 bare vector:1 n:1..10000000" },
    { "clsort__policy_of", "cpu auto u64 n:100000 sub_group:0..8" },
    { "clsort__policy_of", "cpu auto u64 bare n:100000 vector:0..20" },
    { "crossovers.most_ranked", "nvidia auto u16 keys_out n:1..3000000" },
    { "crossovers.most_ranked", "gpu auto u8 n:1..3000000" },
    { "ranks.each", "nvidia radix-samples u32 indices n:1..3000000" },
    { "ranks.each_in_place", "nvidia auto u32 indices n:1..3000000" },
    { "ranks.each_best", "nvidia auto u32 keys_out n:1..3000000" },
    { "clsort__hybrid_second_digits", "nvidia radix-hybrid u32 n:2..2000000" },
    { "clsort__hybrid_second_digits", "nvidia radix-hybrid u64 n:2..2000000" },
    { "clsort__hybrid_second_digits", "nvidia radix-hybrid u64 values:4 values_out n:2..2000000" },
    { "clsort__hybrid_second_digits", "nvidia radix-hybrid u32 values:8 n:2..2000000" },
    { "clsort__hybrid_second_digits", "nvidia radix-hybrid u64 values:8 n:2..2000000" },
    { "CLSORT__HYBRID_MOST", "nvidia auto u64 bare n:3000000..4294967295" },
    { "hybrid.wide_most",
      "nvidia radix-hybrid u32 allocation:20000000000 n:1000000000..4294967295 bare" },
    { "CLSORT__HYBRID_MOST", "nvidia radix-hybrid u64 indices n:100000000..4294967295 bare" },
    { "hybrid.most_pairs", "nvidia auto u32 bare indices n:1000000..4294967295" },
    { "hybrid.least_packed",
      "gpu auto u32 bare values:4 values_out units:132 n:5000000..100000000" },
    { "CLSORT__SWEEP_TILE", "nvidia radix u64 values:8 values_out n:1..5000000" },
    { "radix.large", "nvidia auto u32 bare n:3000000..4294967295" },
    { "radix.prefixes", "nvidia radix u64 values:8 values_out n:1..5000000" },
    { "radix.most_serial", "cpu auto u8 n:1..3000000" },
    { "cached.serial_bytes", "cpu radix-cached u32 n:1..3000000" },
    { "CLSORT__CACHED_GATED", "cpu radix-cached u32 n:1..3000000" },
    { "CLSORT__CACHED_CORES", "cpu radix-cached u32 n:524288 units:0..40" },
    { "runs.step_log2", "gpu merge_runs u32 n:1..3000000 other:5" },
    { "runs.serial_step_log2", "cpu merge_runs u32 n:1..3000000 other:5" },
    { "CLSORT__SHORT_MOST", "nvidia auto u32 top:10 keys_out n:3000..300000000 bare" },
    { "select.once", "gpu auto u32 top:10 keys_out n:3000000..300000000 bare" },
    { "select.part", "gpu auto u32 top:10 keys_out n:1..3000000" },
    { "select.part", "cpu auto u32 top:10 keys_out n:1..3000000" },
    { "clsort__select_plans", "nvidia auto u32 top:1..3000000 keys_out n:3000000" },
    { "clsort__select_plans", "cpu auto u32 top:1..3000000 keys_out n:3000000" },
    { "clsort__select_plans",
      "nvidia auto f32 indices keys_out unsorted top:300000 n:300000..30000000" },
    { "clsort__select_plans",
      "nvidia auto f32 indices keys_out nth top:300000 n:300000..30000000" },
    { "clsort__select_plans", "nvidia auto f32 indices keys_out top:300000 n:300000..30000000" },
    { "clsort__select_plans", "nvidia auto f32 indices keys_out top:20000 n:20000..3000000" },
    { "clsort__select_plans", "gpu auto f32 indices keys_out top:2000 rows:64 n:2000..20000" },
    { "clsort__select_plans", "gpu auto f32 indices keys_out top:2000 rows:1..100 n:10000" },
    { "clsort__select_plans", "cpu auto u32 indices keys_out unsorted top:5000 n:5000..3000000" },
    { "clsort__select_plans", "cpu auto u32 indices keys_out nth top:5000 n:5000..3000000" },
    { "clsort__select_plans", "cpu auto u32 indices keys_out top:5000 n:5000..3000000" },
    { "clsort__select_plans", "cpu auto u32 keys_out nth top:5000 vector:16 n:5000..3000000" },
    { "clsort__select_plans", "cpu auto u32 top:40 keys_out rows:4096 vector:16 n:40..5000" },
    { "clsort__select_plans", "cpu auto u32 top:40 keys_out rows:20..40 vector:16 n:128" },
    { "clsort__select_plans", "cpu auto u32 top:40 indices rows:4096 vector:16 n:40..5000" },
    { "clsort__select_plans", "cpu auto u64 top:40 keys_out rows:4096 vector:16 n:40..5000" },
    { "select.stream_long", "cpu auto u32 top:2048 keys_out n:1..3000000" },
    { "select.stream_long", "cpu auto u64 top:513..1025 keys_out n:131072" },
    { "select.part_ks", "cpu auto u32 indices keys_out top:1024 n:1024..300000" },
    { "select.stream_cores", "cpu auto u32 top:2048 keys_out n:1000000 units:0..40" },
    { "clsort__plan_short_rows", "gpu auto u32 top:1..300 keys_out n:300" },
    { "clsort__rows_share", "gpu auto u32 rows:20000 n:1..5000" },
    { "clsort__rows_share", "gpu auto u32 values:4 rows:20000 n:1..5000" },
    { "clsort__rows_share", "nvidia auto u64 values:4 rows:20000 n:1..5000" },
    { "least_long_row", "nvidia auto u32 rows:3 n:1000000..4000000" },
    { "least_long_row", "gpu auto u32 values:4 rows:3 units:132 n:1000000..4000000" },
    { "least_long_row", "gpu auto u32 rows:3 units:132 n:1000000..8000000" },
    { "least_long_row", "cpu auto u32 bare units:2 rows:2 n:1..100000" },
    { "least_long_row", "cpu auto u64 values:4 units:2 rows:3 n:1..100000" },
    { "least_long_row", "cpu auto u32 units:4 rows:3 n:200000..300000" },
    { "least_long_row", "cpu auto u32 values:4 rows:3 n:10000 units:1..8" },
    { "rows.per_core", "cpu auto u32 bare n:50000 units:2 rows:1..8" },
    { "rows.pairs_at_once", "cpu auto u32 values:4 vector:16 units:2 rows:4 n:1..100000" },
    { "rows.at_once", "cpu auto u64 values:4 vector:16 units:2 rows:4 n:1..100000" },
    { "rows.most_one_by_one", "cpu auto u32 values:4 n:50000 units:2 rows:1023..1026" },
    { "clsort__fit_row", "nvidia auto u32 rows:20 n:1..5000" },
    { "clsort__fit_row", "gpu auto u64 values:4 rows:20 n:1..5000" }
};

/* tests/plans has each of these lines. */
static void planner_decides(bench *b)
{
    static char text[1 << 20];
    FILE *f = fopen("tests/plans", "r");
    size_t i, size = f ? fread(text, 1, sizeof text - 1, f) : 0;
    (void)b;
    if (!CHECK(size > 0 && size < sizeof text - 1)) return;
    fclose(f);
    text[size] = 0;
    for (i = 0; i < sizeof counts / sizeof *counts; i++) {
        char line[200];
        AT("%s: %s", counts[i].name, counts[i].line);
        snprintf(line, sizeof line, "\n%s => ", counts[i].line);
        CHECK(strstr(text, line) != NULL);
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Below, at and above one edge. */
static void try_sides(stage *t, const struct decision *d)
{
    int side;
    for (side = -1; side <= 1; side++) {
        d->make(t, side);
        sort_keys(t);
        AT("%s: %s, %zu bytes, %s, side %d", d->name, d->how, t->bytes, layouts[t->layout], side);
        if (!CHECK(d->see(t) == d->seen[side + 1])) printf("  seen: %u\n", (unsigned)d->see(t));
    }
}

/* Is an edge wanted? CLSORT_TEST_EDGE, if set, names the only one. */
static int is_wanted(const struct decision *d)
{
    const char *only = getenv("CLSORT_TEST_EDGE");
    return !only || !strcmp(only, d->name);
}

/* Tries an edge for the layouts and sizes of keys that it is for, or for number `only` of these,
   if that is not below 0. Returns how many there are. */
static int try_edge(stage *t, const struct decision *d, int only)
{
    int number = 0;
    for (t->layout = 0; t->layout < LAYOUTS; t->layout += d->elements & MOVED ? PAIRS_OUT : 1)
        for (t->bytes = d->elements & LONG ? 8 : 4;
             t->bytes <= (is_pairs(t) || d->elements & SHORT ? 4 : 8); t->bytes += 4) {
            if (!(d->elements & (is_pairs(t) ? PAIRS : KEYS))) continue;
            if (only < 0 || number == only) {
                t->form = d->form;
                t->floats = 0;
                try_sides(t, d);
            }
            number++;
        }
    return number;
}

/* Each edge of some decisions for all that it is for; on CPUs for one of these, the same of all
   that are for the same, since programs take long to build. One of two decisions is drawn, with all
   that lies below, at and above its edge; but one that is named is tried. */
static void try_edges(const bench *b, size_t first, size_t end)
{
    static stage t;
    const int draws = test_is_cpu(b) && !getenv("CLSORT_TEST_WHOLE"),
              named = getenv("CLSORT_TEST_EDGE") != NULL;
    const uint64_t one_in = end - first > 1 ? 2 : 1;
    size_t i;
    t.b = b;
    t.random = test_seed();
    for (i = first; i < end; i++) {
        const int all = try_edge(&t, &decisions[i], INT_MAX);
        const int drawn = all ? (int)(test_seed_alone() % (uint64_t)all) : 0;
        if (CHECK(all > 0) && is_wanted(&decisions[i]) && (named || test_takes(b, one_in)))
            try_edge(&t, &decisions[i], draws ? drawn : -1);
    }
}

/* The decision whose edge `make` makes; of NULL the first one that other programs test. */
static size_t decision_of(void (*make)(stage *, int))
{
    size_t i = 0;
    while (decisions[i].make != make) i++;
    return i;
}

/* Tries the edges from the one that `from` makes up to that of `to`. Integers with values are
   packed, however few. */
static void form_decides(const bench *b, void (*from)(stage *, int), void (*to)(stage *, int))
{
    clsort__policy packs;
    const size_t first = decision_of(from), end = decision_of(to);
    bench other = *b;
    more_options = quick_builds(b);
    other.sorter = pretending_sorter(b, 0, decisions[first].form == &cached ? CORES : 0, 0);
    if (other.sorter) {
        /* which samples give way to */
        other.sorter->facts.given_up |= CLSORT__BIT(CLSORT__RANKS);
        packs = *other.sorter->policy;
        packs.hybrid.least_packed = 0;
        other.sorter->policy = &packs;
        try_edges(&other, first, end);
    }
    clsort_destroy(other.sorter);
    more_options = NULL;
}

static void about_cells(bench *b) { form_decides(b, make_flat, make_crowded); }
static void about_codes(bench *b) { form_decides(b, make_crowded, make_bucket); }
static void about_counts(bench *b) { form_decides(b, make_bucket, make_ranges); }
static void about_samples(bench *b) { form_decides(b, make_long_bin, NULL); }
static void about_cache(bench *b)
{
    if (test_is_cpu(b)) form_decides(b, make_ranges, make_long_bin);
}

static int compare_keys(const void *a, const void *b)
{
    const cl_ulong x = *(const cl_ulong *)a, y = *(const cl_ulong *)b;
    return (x > y) - (x < y);
}

/* Merges two runs that are one tile; `wanted` keys are in one of its bins. */
static void merge_bin(const bench *b, size_t wanted, uint64_t random)
{
    enum { N = 1000, HALF = N / 2 };
    cl_ulong keys[N];
    cl_uint all[N], run[2][HALF], got[N];
    clsort_run runs[2];
    clsort_merge_runs_desc m = clsort_merge_runs_desc_default();
    size_t i;
    for (i = 0; i < N; i++)
        keys[i] = i < wanted ? ((cl_ulong)1 << 31) + pattern_random(&random) % (1 << 20)
                             : pattern_random(&random) >> 33;
    keys[N - 1] = 0xFFFFFFFFu;
    keys[N - 2] = 0;
    qsort(keys, N, sizeof *keys, compare_keys);
    memset(runs, 0, sizeof runs);
    for (i = 0; i < N; i++) run[i % 2][i / 2] = all[i] = (cl_uint)keys[i];
    for (i = 0; i < 2; i++) {
        runs[i].keys = test_buffer(b, sizeof run[i], run[i]);
        runs[i].count = HALF;
    }
    m.runs = runs;
    m.run_count = 2;
    m.key_type = CLSORT_U32;
    m.keys_out = test_buffer(b, sizeof got, NULL);
    m.tuning.work_group = GROUP;
    if (CHECK_OK(clsort_enqueue_merge_runs(b->sorter, b->session.queue, &m, 0, NULL, NULL))
        && CHECK_OK(clEnqueueReadBuffer(b->session.queue, m.keys_out, CL_TRUE, 0, sizeof got, got,
                                        0, NULL, NULL)))
        CHECK(!memcmp(got, all, sizeof all));
    clReleaseMemObject(runs[0].keys);
    clReleaseMemObject(runs[1].keys);
    clReleaseMemObject(m.keys_out);
}

static void bins_of_runs(bench *b)
{
    static const size_t edges[] = { CLSORT__EDGE_RUNS_LONG_BIN, CLSORT__EDGE_MOST_TRUSTED,
                                    2 * CLSORT__EDGE_MOST_TRANSPOSED };
    size_t i;
    for (i = 0; i < 9; i++) merge_bin(b, edges[i / 3] + i % 3 - 1, test_seed() + i);
}

/* Keys, of which c->number have equal upper digits. */
static uint64_t equal_prefix(const sort_case *c, size_t i, uint64_t *random)
{
    const uint64_t key = pattern_random(random);
    return i % 1000 || i / 1000 >= c->number ? key : (uint64_t)0xABCDEF << 40 | key >> 24;
}

/* Keys of tiles: tile v has a probability near 1 / v; what lies below it is uniform. */
static uint64_t skewed_tile(const sort_case *c, size_t i, uint64_t *random)
{
    const uint64_t low = (uint64_t)1 << pattern_random(random) % 12;
    (void)c;
    (void)i;
    return (low + (pattern_random(random) & (low - 1))) << 48 | pattern_random(random) >> 16;
}

static cl_uint prefixes_stay;

static int read_stays(const bench *b, const case_state *s)
{
    clsort__plan p;
    clsort__make_plan(&b->sorter->facts, b->sorter->policy, &s->d, &p);
    clsort__plan_scratch(&p, &p);
    read_tables(s, &p, 4 * CLSORT__SKIP_PASSES, &prefixes_stay, 4);
    return 1;
}

/* Sorts such keys, `times` the fewest that have prefixes, by sweeps. Returns 1 if the sweeps of
   upper digits sorted all. */
static cl_uint sort_prefixes(const bench *b, case_maker *make, size_t times, size_t wanted)
{
    sort_case c = case_make(CLSORT_U64, times * b->sorter->policy->radix.prefixes + 11, "uniform");
    c.algorithm = "radix";
    c.d.value_size = 4;
    c.own_scratch = 1;
    c.make = make;
    c.number = wanted;
    c.look = read_stays;
    return case_run(b, &c) ? prefixes_stay : 2;
}

static void equal_prefixes(bench *b)
{
    bench other = *b;
    size_t i;
    if (!sweeping_sorter(b, &other)) return;
    for (i = 0; i < 2; i++)
        if (test_takes(b, 3))
            CHECK(sort_prefixes(&other, equal_prefix, 1, CLSORT__EDGE_MOST_EQUAL_PREFIX + i)
                  == (i == 0));
    CHECK(sort_prefixes(&other, skewed_tile, 2, 0) == 1);
    end_sweeping(&other);
}

/* ---- what the host and kernels both say ------------------------------------------------------ */

/* Bytes of the tables of a plan, which come last. */
static size_t table_bytes(const clsort__plan *p)
{
    return p->scratch.layout.bytes - p->scratch.tables;
}

/* What clsort_hybrid_starts lists, clsort_hybrid_resplit takes, and ranges may need. */
static void hybrid_has_room(const clsort__plan *p)
{
    const size_t at = clsort__hybrid_at(p), digits = clsort__hybrid_second_digits(p),
                 n = p->d.count, buckets = CLSORT__HYBRID_DIGITS * digits,
                 bucket = clsort__hybrid_bucket(&p->config),
                 most = clsort__range_digits(&p->config);
    CHECK(clsort__smaller(buckets, n / 2) <= at / 4 - CLSORT__SKIP_PASSES - 1);
    CHECK(at + 4 * (CLSORT__HYBRID_SECOND_DIGITS_AT + buckets) <= table_bytes(p));
    CHECK(!(digits & (digits - 1)) && digits <= most);
    CHECK(digits == most
          || n / CLSORT__HYBRID_EVEN_DIGITS
                 <= CLSORT__EDGE_ROOM(bucket) * clsort__largest(digits, 1, 0));
}

/* Samples, their buckets and tiles, which a work-group holds in local memory; places of 16 bits. */
static void samples_have_room(const clsort__plan *p)
{
    const clsort__samples_job j = clsort__cut_samples(p->policy, &p->config,
                                                       p->d.count);
    const size_t group = (size_t)1 << p->config.group_log2, held = clsort__radix_tile(&p->config);
    if (p->config.subset) {
        CHECK(p->d.count <= held);
        return;
    }
    CHECK(j.tile <= held && j.tile <= 0xFFFF && j.tiles <= group && j.tiles <= j.most_tiles);
    CHECK(j.samples <= held && j.buckets <= group << CLSORT__SAMPLES_OWN_BINS_LOG2);
    CHECK(j.buckets * (p->config.key_bytes + 2 * j.tiles) <= table_bytes(p));
}

/* The status words of sweeps, and the counters of their histogram. */
static void sweeps_have_room(const clsort__plan *p)
{
    const size_t words = p->config.wide ? 512 : 256;
    clsort__radix_job j;
    memset(&j, 0, sizeof j);
    j.p = p;
    j.n = p->d.count;
    j.w.shape = p->config;
    clsort__radix_blocks(&j);
    CHECK(4 * (CLSORT__SWEEP_HEAD + 256 * p->key.bytes + j.blocks * words) <= table_bytes(p));
    CHECK(p->config.wide || j.n < (size_t)1 << 30);
    CHECK(clsort__ceil_divide(j.blocks, clsort__histogram_groups(&j))
              * j.block_elements
          <= CLSORT__COUNTER_MOST * CLSORT__LEAST_COPIES);
}

/* A block of each work-item, ranges and cells. */
static void cached_has_room(const clsort__plan *p)
{
    const size_t blocks = clsort__smaller(clsort__radix_most_blocks(p->d.count)
                                              - CLSORT__CACHED_WORDS / 256,
                                          clsort__few_groups(p));
    CHECK(clsort__is_cached_alone(p)
          || 4 * (CLSORT__PLAN_WORDS + CLSORT__CACHED_WORDS + blocks * CLSORT__CACHED_RANGES)
                 <= table_bytes(p));
}

/* The blocks of a partition into few parts, of which a table has more. */
static void parts_have_room(const clsort__plan *sort)
{
    clsort__plan p = *sort;
    clsort__radix_job j;
    clsort__plan_partition(&p, CLSORT__EDGE_FEW_PARTS - 1);
    memset(&j, 0, sizeof j);
    j.p = &p;
    j.n = p.d.count;
    j.w.shape = p.config;
    clsort__radix_blocks(&j);
    CHECK(4 * (CLSORT__PLAN_WORDS + CLSORT__SEEN_WORDS * j.blocks
               + (j.blocks + 1) * CLSORT__EDGE_FEW_PARTS) <= clsort__block_tables(j.n));
}

static void plan_has_room(const clsort__plan *p)
{
    AT("family %u of variant %x, %zu elements, %zu bytes of values, %u cores",
       (unsigned)p->config.family, (unsigned)p->d.tuning.variant, p->d.count, p->d.value_size,
       (unsigned)p->facts->compute_units);
    if (p->config.family == CLSORT__HYBRID) hybrid_has_room(p);
    if (p->config.family == CLSORT__SAMPLES) samples_have_room(p);
    if (p->config.family == CLSORT__SWEEP) sweeps_have_room(p);
    if (p->config.family == CLSORT__CACHED) cached_has_room(p);
    parts_have_room(p);
}

/* The lists of a selection by streams have room for the first k of each part; a row's table has. */
static void streams_have_room(const clsort_sorter *s, clsort_desc d)
{
    clsort__plan p;
    size_t k;
    d.algorithm = CLSORT_AUTO;
    d.tuning.variant = 0;
    for (k = 1; k < d.count / 4; k += 1 + k / 3) {
        d.top_k = k;
        d.flags = k % 2 ? (cl_uint)CLSORT_FLAG_TOP_NTH : 0;
        clsort__plan_selection(&s->facts, s->policy, &d, &p);
        if (p.select.how != CLSORT__BY_STREAMS) continue;
        AT("first %zu of %zu, %u cores", k, d.count, (unsigned)s->facts.compute_units);
        CHECK(p.select.parts * k <= p.select.list_capacity
              && p.select.list_capacity <= p.select.most_capacity
              && CLSORT__ROW_LIST + p.select.list_capacity <= p.select.row_words);
    }
}

/* Numbers of elements around powers of two, and others. */
static void plans_have_room(const clsort_sorter *s, int log2_most)
{
    static const char *const names[] = { "auto",         "radix",         "radix-sweeps",
                                         "radix-hybrid", "radix-samples", "radix-cached" };
    uint64_t random = test_seed();
    size_t kind, i;
    for (i = 0; i < 4 * (size_t)log2_most; i++)
        for (kind = 0; kind < 3 * sizeof names / sizeof *names; kind++) {
            const size_t power = (size_t)1 << i / 4;
            clsort_desc d = clsort_desc_default();
            clsort__plan p;
            d.count = i % 4 < 3 ? power + i % 4 - 1 : power + pattern_random(&random) % power;
            d.key_type = kind % 2 ? CLSORT_U64 : CLSORT_U32;
            CHECK_OK(clsort_set_algorithm(&d, names[kind / 3]));
            d.value_size = kind % 3 < 2 ? 0 : i % 8 < 4 ? 4 : 8;
            if (kind % 3 == 2) d.values_out = d.keys_out = CLSORT_LATER;
            if (d.count < 2) continue;
            clsort__make_plan(&s->facts, s->policy, &d, &p);
            clsort__plan_scratch(&p, &p);
            plan_has_room(&p);
            if (!kind && d.count < 1 << 24) streams_have_room(s, d);
        }
}

/* Kernels are not told how long a table is: what they write by counts of their own lies inside of
   what the planner takes by others. */
static void tables_have_room(bench *b)
{
    static const cl_uint cores[] = { 1, 4, 16, 132 };
    size_t i;
    for (i = 0; i < 3 * sizeof cores / sizeof *cores; i++) {
        clsort_sorter *s = pretending_sorter(b, i % 3 ? CL_DEVICE_TYPE_GPU : 0, cores[i / 3], 0);
        if (!s) return;
        s->facts.max_allocation = (cl_ulong)1 << 36;
        if (i % 3 == 2)
            s->facts.has_progress = s->facts.has_warps = 1, s->facts.local_bytes = 49152;
        s->policy = clsort__policy_of(&s->facts);
        plans_have_room(s, 31);
        clsort_destroy(s);
    }
}

static const test_entry tests[] = {
    { "hybrid radix decides where it should about cells of the sample", about_cells },
    { "the planner decides where tests/plans lists it", planner_decides },
    { "tables have room for what kernels write", tables_have_room },
    { "equal prefixes are sorted up to their most", equal_prefixes },
    { "radix of samples sorts bins of any length", about_samples },
    { "radix in cache decides where it should", about_cache },
    TEST_REST,
    { "hybrid radix decides where it should about heavy codes", about_codes },
    { "hybrid radix decides where it should about exact counts", about_counts },
    { "merges of runs order bins of any length", bins_of_runs }
};

TEST_MAIN(tests)
