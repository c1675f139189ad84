/* test_batch.c - the published sorts of rows: one work-group sorts each row in one launch. Every
   one is run on rows of all lengths, on all strings of zeros and ones, in all shapes of work-groups
   and blocks. And short rows as AUTO sorts them. */

#define CLSORT_IMPLEMENTATION
#include "cases.h"

static const char *const batch_names[] = { "batch-odd-even", "batch-bitonic", "batch-bitonic-local",
                                           "batch-bitonic-split" };
enum { BATCH_NAMES = sizeof batch_names / sizeof *batch_names };

/* ---- rows in an image ------------------------------------------------------------------------ */

enum { GUARD = 9 };   /* elements of noise before the first row and behind the last one */

enum { IN_PLACE, TO_OUTPUTS };

/* Rows with keys of 1, 2, 4 or 8 bytes; between them `gap` elements that belong to none. */
typedef struct batch_case {
    clsort_desc d;       /* count, rows, types and sizes; tuning */
    const char *name;
    size_t gap;
    int outputs;         /* IN_PLACE ... */
    uint64_t seed;
} batch_case;

/* Keys or values: the image before the sort and after it, where results are read from, and their
   buffers. */
typedef struct batch_array {
    size_t element, bytes;
    unsigned char *before, *after;
    cl_mem from, to;     /* the same, if in place */
} batch_array;

static batch_case make_case(const char *name, cl_uint type, size_t rows, size_t count)
{
    batch_case c;
    memset(&c, 0, sizeof c);
    c.d = clsort_desc_default();
    c.d.key_type = type;
    c.d.rows = rows;
    c.d.count = count;
    c.name = name;
    c.seed = 1 + count;
    return c;
}

static void say_case(const batch_case *c)
{
    AT("%s, %zu rows of %zu, gaps of %zu, %s, %s%s, value_size %zu, record_size %zu, %s, "
       "work_group %u, items %u",
       c->name, c->d.rows, c->d.count, c->gap, case_type_name(c->d.key_type),
       c->d.order ? "descending" : "ascending", c->d.stable ? ", stable" : "", c->d.value_size,
       c->d.record_size, c->outputs ? "to outputs" : "in place", (unsigned)c->d.tuning.work_group,
       (unsigned)c->d.tuning.items);
}

static size_t element_place(const batch_case *c, size_t row, size_t i)
{
    return GUARD + row * (c->d.count + c->gap) + i;
}

/* Makes an image of noise in which few keys are different if the seed is odd, and its buffers. */
static int open_array(const bench *b, const batch_case *c, batch_array *a, size_t element)
{
    cl_int error = CL_SUCCESS, error2 = CL_SUCCESS;
    const cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
    uint64_t random = c->seed + element;
    size_t i;
    memset(a, 0, sizeof *a);
    if (!element) return 1;
    a->element = element;
    a->bytes = element * (element_place(c, c->d.rows, 0) + GUARD);
    a->before = (unsigned char *)malloc(a->bytes);
    a->after = (unsigned char *)malloc(a->bytes);
    if (!CHECK(a->before && a->after)) return 0;
    for (i = 0; i < a->bytes; i++)
        a->before[i] = (unsigned char)(c->seed & 1 && i % 3 ? 0 : pattern_random(&random) >> 17);
    a->from = a->to = clCreateBuffer(b->session.context, flags, a->bytes, a->before, &error);
    if (c->outputs) a->to = clCreateBuffer(b->session.context, flags, a->bytes, a->before, &error2);
    return CHECK(error == CL_SUCCESS && error2 == CL_SUCCESS);
}

static void close_array(batch_array *a)
{
    if (a->to && a->to != a->from) clReleaseMemObject(a->to);
    if (a->from) clReleaseMemObject(a->from);
    free(a->before);
    free(a->after);
}

static int read_array(const bench *b, cl_mem buffer, const batch_array *a)
{
    return !a->element
           || CHECK(clEnqueueReadBuffer(b->session.queue, buffer, CL_TRUE, 0, a->bytes, a->after, 0,
                                        NULL, NULL)
                    == CL_SUCCESS);
}

/* An input that is not to be written is as before. */
static int input_is_kept(const bench *b, const batch_array *a)
{
    return a->to == a->from
           || (read_array(b, a->from, a) && CHECK(!memcmp(a->before, a->after, a->bytes)));
}

static int sort_image(const bench *b, const batch_case *c, const batch_array *keys,
                      const batch_array *values)
{
    clsort_desc d = c->d;
    d.keys = keys->from;
    d.keys_offset = GUARD * keys->element;
    d.values = values->from;
    d.values_offset = GUARD * values->element;
    d.row_stride = c->gap ? (d.count + c->gap) * keys->element : 0;
    if (c->outputs) {
        d.keys_out = keys->to;
        d.keys_out_offset = d.keys_offset;
        d.values_out = values->to;
        d.values_out_offset = values->to ? d.values_offset : 0;
    }
    return CHECK_OK(clsort_set_algorithm(&d, c->name))
           && CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, NULL))
           && input_is_kept(b, keys) && input_is_kept(b, values) && read_array(b, keys->to, keys)
           && read_array(b, values->to, values);
}

/* ---- what must come out ---------------------------------------------------------------------- */

static size_t pair_bytes;

static int compare_pairs(const void *a, const void *b) { return memcmp(a, b, pair_bytes); }

/* A row's pairs of key and value in an order of their own, and its keys' codes in the order in
   which they lie. */
static void take_row(const batch_case *c, size_t row, const batch_array *keys,
                     const unsigned char *key_image, const batch_array *values,
                     const unsigned char *value_image, unsigned char *pairs, uint64_t *codes)
{
    const size_t n = c->d.count, first = element_place(c, row, 0);
    size_t i;
    pair_bytes = keys->element + values->element;
    for (i = 0; i < n; i++) {
        const unsigned char *key = key_image + (first + i) * keys->element;
        memcpy(pairs + i * pair_bytes, key, keys->element);
        if (values->element)
            memcpy(pairs + i * pair_bytes + keys->element,
                   value_image + (first + i) * values->element, values->element);
        codes[i] = reference_code(reference_bits(key + c->d.key_offset,
                                                 pattern_key_size(c->d.key_type)),
                                  c->d.key_type, c->d.order, c->d.nan_order, c->d.zero_order);
    }
    qsort(pairs, n, pair_bytes, compare_pairs);
}

/* The row's codes ascend, and its pairs are those that were there. Then it is put where it is
   expected. */
static int check_row(const batch_case *c, size_t row, const batch_array *keys,
                     const batch_array *values, unsigned char *pairs, uint64_t *codes)
{
    const size_t n = c->d.count, first = element_place(c, row, 0),
                 room = n * (keys->element + values->element);
    size_t i;
    take_row(c, row, keys, keys->before, values, values->before, pairs, codes);
    take_row(c, row, keys, keys->after, values, values->after, pairs + room, codes);
    if (!CHECK(!memcmp(pairs, pairs + room, room))) return 0;
    for (i = 1; i < n; i++)
        if (!CHECK(codes[i - 1] <= codes[i])) return 0;
    memcpy(keys->before + first * keys->element, keys->after + first * keys->element,
           n * keys->element);
    if (values->element)
        memcpy(values->before + first * values->element, values->after + first * values->element,
               n * values->element);
    return 1;
}

/* Every row is sorted, and nothing else was written. */
static int check_image(const batch_case *c, const batch_array *keys, const batch_array *values)
{
    const size_t n = c->d.count;
    unsigned char *pairs = (unsigned char *)malloc(2 * n * (keys->element + values->element) + 1);
    uint64_t *codes = (uint64_t *)malloc(n * sizeof *codes + 1);
    int good = CHECK(pairs && codes);
    size_t row;
    for (row = 0; row < c->d.rows && good; row++)
        good = check_row(c, row, keys, values, pairs, codes);
    free(pairs);
    free(codes);
    return good && CHECK(!memcmp(keys->before, keys->after, keys->bytes))
        && (!values->element || CHECK(!memcmp(values->before, values->after, values->bytes)));
}

static int run_rows(const bench *b, const batch_case *c)
{
    batch_array keys, values;
    int good, ready;
    say_case(c);
    good = open_array(b, c, &keys,
                      c->d.record_size ? c->d.record_size : pattern_key_size(c->d.key_type));
    ready = open_array(b, c, &values, c->d.value_size);
    good = good && ready && sort_image(b, c, &keys, &values) && check_image(c, &keys, &values);
    close_array(&keys);
    close_array(&values);
    return good;
}

/* ---- lengths, types, payloads ---------------------------------------------------------------- */

/* Types with keys of `bytes`, in turns: they share their kernels. */
static cl_uint type_of_size(size_t bytes, size_t turn)
{
    cl_uint fitting[CASE_TYPES];
    size_t count = 0, i;
    for (i = 0; i < CASE_TYPES; i++)
        if (pattern_key_size(case_types[i].type) == bytes) fitting[count++] = case_types[i].type;
    return fitting[turn % count];
}

/* Sorts `rows` rows of `count`; what does not choose a kernel follows from the length. */
static int run_length(const bench *b, const char *name, size_t key_bytes, size_t value_size,
                      size_t rows, size_t count)
{
    batch_case c = make_case(name, type_of_size(key_bytes, count), rows, count);
    c.d.value_size = value_size;
    c.d.order = (cl_uint)(count / 2 & 1);
    c.d.nan_order = (cl_uint)(count / 4 & 1);
    c.gap = count % 3;
    c.outputs = count % 5 < 2 ? TO_OUTPUTS : IN_PLACE;
    return run_rows(b, &c);
}

static int run_lengths(const bench *b, const char *name, size_t key_bytes, size_t value_size)
{
    static const size_t rows[] = { 1, 3, 200 };
    const size_t step = b->small ? 9 : 1, most = b->small ? 512 : 8192;
    size_t r, n, power;
    for (r = 0; r < 3; r++)
        for (n = 1; n <= 70; n += step)
            if (!run_length(b, name, key_bytes, value_size, rows[r], n)) return 0;
    for (r = 0; r < 2; r++)
        for (power = 128; power <= most; power *= 2)
            for (n = power - 1; n <= power + 1; n++)
                if (!run_length(b, name, key_bytes, value_size, rows[r], n)) return 0;
    return 1;
}

/* Each algorithm, key size and value size is a program, so that a sample of them is compiled. */
static void every_length(bench *b)
{
    static const size_t values[] = { 0, 4, 8, 3 };
    sample_draw drawn = test_sample(b, test_draws(b) ? 16 : 3);
    size_t i, k, v;
    for (i = 0; i < BATCH_NAMES; i++)
        for (k = 1; k <= 8; k *= 2)
            for (v = 0; v < 4; v++)
                if (sample_takes(&drawn) && !run_lengths(b, batch_names[i], k, values[v])) return;
}

/* On CPUs as many rows of up to two vectors as a vector has lanes are sorted side by side. A vector
   has 8 or 16 lanes: sizes and numbers of rows around these. */
static void side_by_side(bench *b)
{
    static const size_t lengths[] = { 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33 },
                        rows[] = { 2, 7, 8, 9, 15, 16, 17, 50 };
    enum { LENGTHS = sizeof lengths / sizeof *lengths, ROWS = sizeof rows / sizeof *rows };
    size_t i, k, bytes;
    for (bytes = 4; bytes <= 8; bytes *= 2)
        for (i = 0; i < LENGTHS; i++)
            for (k = 0; k < ROWS; k++) {
                batch_case c = make_case("auto", type_of_size(bytes, i), rows[k], lengths[i]);
                c.d.order = (cl_uint)(k & 1);
                c.d.nan_order = (cl_uint)(k / 2 & 1);
                c.gap = (i + k) % 4;
                c.outputs = (i + k) / 2 % 2 ? TO_OUTPUTS : IN_PLACE;
                if (!run_rows(b, &c)) return;
            }
}

static void as_published(bench *b)
{
    static const size_t lengths[] = { 8192, 8000 };
    size_t i, k;
    for (i = 0; i < BATCH_NAMES; i++)
        for (k = 0; k < 2; k++) {
            batch_case c = make_case(batch_names[i], CLSORT_I32, b->small ? 2 : 200, lengths[k]);
            if (test_takes(b, 4) && !run_rows(b, &c)) return;
        }
}

static void records(bench *b)
{
    size_t i;
    for (i = 0; i < BATCH_NAMES; i++) {
        batch_case c = make_case(batch_names[i], CLSORT_F32, 5, 300);
        if (!test_takes(b, 2)) continue;
        c.d.record_size = 12;
        c.d.key_offset = 4;
        c.gap = 2;
        if (!run_rows(b, &c)) return;
        c.outputs = TO_OUTPUTS;
        if (!run_rows(b, &c)) return;
    }
}

/* Each shape is a program, so that a sample of them is compiled. */
static void every_shape(bench *b)
{
    sample_draw drawn = test_sample(b, test_draws(b) ? 12 : 2);
    cl_uint group, items;
    size_t i;
    for (i = 0; i < BATCH_NAMES; i++)
        for (group = 1; group <= 256; group *= 16)
            for (items = 1; items <= 32; items *= 4) {
                batch_case c = make_case(batch_names[i], CLSORT_U32, 3, b->small ? 100 : 1500);
                if (!sample_takes(&drawn)) continue;
                c.d.value_size = 4;
                c.d.tuning.work_group = group;
                c.d.tuning.items = items;
                if (!run_rows(b, &c)) return;
            }
}

/* On CPUs two of four algorithms: each is a program, in each of its shapes. */
static int takes_name(const bench *b, size_t i)
{
    return !test_draws(b) || (i + test_seed()) % 2 == 0;
}

static void few_rows(bench *b)
{
    static const size_t lengths[] = { 1, 2, 7, 16, 33, 50 };
    size_t i, k;
    for (i = 0; i < BATCH_NAMES; i++)
        for (k = 0; k < 6; k++) {
            batch_case c = make_case(batch_names[i], CLSORT_I32, 3, lengths[k]);
            if (!takes_name(b, i)) continue;
            c.d.value_size = 4;
            c.d.tuning.work_group = 4;
            c.d.tuning.items = k & 1 ? 4 : 2;
            c.gap = 1;
            c.outputs = k & 2 ? TO_OUTPUTS : IN_PLACE;
            if (!run_rows(b, &c)) return;
        }
}

/* ---- by index -------------------------------------------------------------------------------- */

/* Keys that repeat, and where they must go: with `stable` the result is known to the byte. */
static void stable_values_and_indices(bench *b)
{
    enum { ROWS = 7, COUNT = 333 };
    cl_uint keys[ROWS * COUNT], got[ROWS * COUNT];
    uint64_t codes[COUNT];
    uint32_t order[COUNT];
    size_t i, k, row;
    for (k = 0; k < BATCH_NAMES; k++) {
        cl_int error = 0, error2 = 0;
        clsort_desc d = clsort_desc_default();
        for (i = 0; i < ROWS * COUNT; i++) keys[i] = (cl_uint)(i * 2654435761u >> 7) % 10;
        d.key_type = CLSORT_U32;
        d.rows = ROWS;
        d.count = COUNT;
        d.stable = 1;
        d.keys = clCreateBuffer(b->session.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                sizeof keys, keys, &error);
        d.indices = clCreateBuffer(b->session.context, CL_MEM_READ_WRITE, sizeof got, NULL,
                                   &error2);
        AT("%s", batch_names[k]);
        CHECK(error == CL_SUCCESS && error2 == CL_SUCCESS);
        CHECK_OK(clsort_set_algorithm(&d, batch_names[k]));
        CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(b->session.queue, d.indices, CL_TRUE, 0, sizeof got, got, 0, NULL,
                                  NULL)
              == CL_SUCCESS);
        for (row = 0; row < ROWS; row++) {
            for (i = 0; i < COUNT; i++) codes[i] = keys[row * COUNT + i];
            CHECK(reference_argsort(codes, COUNT, order)
                  && !memcmp(order, got + row * COUNT, sizeof order));
        }
        clReleaseMemObject(d.keys);
        clReleaseMemObject(d.indices);
    }
}

/* ---- the zero-one principle ------------------------------------------------------------------ */

/* Row r of `rows` rows holds the bits of r; sorted, its ones come last. */
static int sort_strings(const bench *b, clsort_desc d, size_t wires, unsigned char *keys)
{
    cl_command_queue queue = b->session.queue;
    size_t r, i, zeros;
    d.count = wires;
    d.rows = (size_t)1 << wires;
    AT("all strings of %zu keys, work_group %u, items %u", wires, (unsigned)d.tuning.work_group,
       (unsigned)d.tuning.items);
    for (r = 0; r < d.rows; r++)
        for (i = 0; i < wires; i++) keys[r * wires + i] = (unsigned char)(r >> i & 1);
    if (!CHECK(clEnqueueWriteBuffer(queue, d.keys, CL_TRUE, 0, d.rows * wires, keys, 0, NULL, NULL)
               == CL_SUCCESS)
        || !CHECK_OK(clsort_enqueue_sort(b->sorter, queue, &d, 0, NULL, NULL))
        || !CHECK(
            clEnqueueReadBuffer(queue, d.keys, CL_TRUE, 0, d.rows * wires, keys, 0, NULL, NULL)
            == CL_SUCCESS))
        return 0;
    for (r = 0; r < d.rows; r++) {
        for (i = zeros = 0; i < wires; i++) zeros += !(r >> i & 1);
        for (i = 0; i < wires; i++)
            if (!CHECK(keys[r * wires + i] == (i >= zeros))) return 0;
    }
    return 1;
}

/* Blocks of 2, 4 and 8 keys, so that networks have stages beyond a block, and the default. */
static int every_string(const bench *b, const char *name, clsort_desc d, unsigned char *keys)
{
    static const cl_uint shapes[][2] = { { 1, 2 }, { 2, 2 }, { 2, 4 }, { 0, 0 } };
    const size_t most = b->small ? 8 : 14;
    size_t k, wires;
    if (!CHECK_OK(clsort_set_algorithm(&d, name))) return 0;
    for (k = 0; k < 4; k++) {
        if (!test_takes(b, 3)) continue;
        d.tuning.work_group = shapes[k][0];
        d.tuning.items = shapes[k][1];
        for (wires = 1; wires <= most; wires++)
            if (!sort_strings(b, d, wires, keys)) return 0;
    }
    return 1;
}

/* A network that sorts all strings of zeros and ones of a length sorts everything of that
   length. */
static void zeros_and_ones(bench *b)
{
    unsigned char *keys = (unsigned char *)malloc(14 << 14);
    clsort_desc d = clsort_desc_default();
    cl_int error;
    size_t i;
    d.key_type = CLSORT_U8;
    d.keys = clCreateBuffer(b->session.context, CL_MEM_READ_WRITE, 14 << 14, NULL, &error);
    for (i = 0; i < BATCH_NAMES && CHECK(keys && error == CL_SUCCESS); i++)
        if (!every_string(b, batch_names[i], d, keys)) break;
    if (d.keys) clReleaseMemObject(d.keys);
    free(keys);
}

/* ---- descriptions ---------------------------------------------------------------------------- */

static clsort_desc rows_of_u32(const char *name)
{
    clsort_desc d = clsort_desc_default();
    d.key_type = CLSORT_U32;
    d.count = 100;
    d.rows = 4;
    CHECK_OK(clsort_set_algorithm(&d, name));
    return d;
}

static void only_rows(bench *b)
{
    const clsort_field fields[2] = { { 0, CLSORT_U64, 0, 0, 0 }, { 8, CLSORT_U64, 0, 0, 0 } };
    clsort_desc d, unusable[7];
    size_t i, k;
    for (i = 0; i < BATCH_NAMES; i++) {
        d = rows_of_u32(batch_names[i]);
        CHECK_OK(clsort_check(b->sorter, &d));
        for (k = 0; k < 7; k++) unusable[k] = d;
        unusable[0].rows = 0;
        unusable[1].segment_count = 2;
        unusable[2].count_buffer = CLSORT_LATER;
        unusable[3].first_bit = 3;
        unusable[4].tuning.items = 64;
        unusable[5].key_type = 0, unusable[5].record_size = 16, unusable[5].fields = fields,
        unusable[5].field_count = 2;
        unusable[6].algorithm = CLSORT_MERGE;   /* the name says another */
        for (k = 0; k < 7; k++) {
            AT("%s, description %zu", batch_names[i], k);
            CHECK_STATUS(clsort_check(b->sorter, &unusable[k]),
                         k == 6 ? CLSORT_ERROR_UNKNOWN_VALUE : CLSORT_ERROR_UNSUPPORTED);
        }
    }
}

static void shapes_and_scratch(bench *b)
{
    size_t i, bytes = 1;
    for (i = 0; i < BATCH_NAMES; i++) {
        clsort_desc d = rows_of_u32(batch_names[i]), resolved = d;
        AT("%s", batch_names[i]);
        d.rows = 1;
        d.value_size = 4;
        CHECK(CHECK_OK(clsort_scratch_size(b->sorter, &d, &bytes)) && bytes == 0);
        CHECK(CHECK_OK(clsort_scratch_size(NULL, &d, &bytes)) && bytes == 0);
        CHECK_OK(clsort_prepare(b->sorter, NULL, &d));
        d.flags = CLSORT_FLAG_NO_BUILD;
        CHECK_OK(clsort_resolve(b->sorter, &d, &resolved));
        CHECK(resolved.algorithm == CLSORT_BITONIC && resolved.tuning.variant == d.tuning.variant
              && resolved.rows == 1);
        CHECK(resolved.tuning.work_group > 0 && resolved.tuning.work_group <= 256
              && resolved.tuning.items == 2);
    }
}

/* Two rows of 8 keys, by blocks of 2: every network has six steps, the first block sort one; a
   split does two steps in one trip. */
static void known_passes(bench *b)
{
    static const unsigned passes[BATCH_NAMES] = { 6, 6, 6, 4 };
    size_t i;
    for (i = 0; i < BATCH_NAMES; i++) {
        clsort_desc d = rows_of_u32(batch_names[i]);
        char text[2000], name[64], counts[64], moved[64];
        d.rows = 2;
        d.count = 8;
        d.tuning.work_group = 1;
        d.tuning.items = 2;
        CHECK_OK(clsort_explain(b->sorter, &d, text, sizeof text));
        AT("%s", text);
        snprintf(name, sizeof name, "algorithm %s\n", batch_names[i]);
        snprintf(counts, sizeof counts, "\npasses %u\nlaunches 1:", passes[i]);
        snprintf(moved, sizeof moved, "\nmoved %u", passes[i] * 2 * 2 * 8 * 4);
        CHECK(strstr(text, name) && strstr(text, counts) && strstr(text, moved));
    }
}

static const test_entry tests[] = {
    { "short rows are sorted side by side", side_by_side },
    { "what is not a batch of rows is refused", only_rows },
    { "shapes are resolved, and no scratch memory is needed", shapes_and_scratch },
    { "explain knows how often rows are read and written", known_passes },
    TEST_REST,
    { "rows of every length are sorted, and nothing beside them is touched", every_length },
    { "200 rows of 8192 and of 8000 keys are sorted as published", as_published },
    { "rows of records are sorted", records },
    { "every work-group and block sorts rows", every_shape },
    { "a few rows are sorted by small work-groups", few_rows },
    { "indices of rows are stable if asked for", stable_values_and_indices },
    { "every string of zeros and ones is sorted by each network", zeros_and_ones }
};

TEST_MAIN(tests)
