/* The radix family: every width and payload, parts of the code, digits that are the same
   everywhere, the edges of blocks and tiles, work-groups of every shape, stale scratch, and checks
   of results by some bits. */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "cases.h"
#include "pretenders.h"
#include "records.h"

enum { GUARD = 127, SMALL = 1 << 14 };   /* up to so many rows one work-item of a CPU sorts alone */

static cl_uint width_of(cl_uint type) { return type & 0xFFu; }

/* Of many cases for the same programs: one of three, where tests draw. */
static int takes_third(const bench *b, size_t number)
{
    return !test_draws(b) || (number + test_seed()) % 3 == 0;
}

/* Values with the index in them, and stable: so the harness expects it. sort_given does not ask. */
static sort_case radix_make(cl_uint type, size_t n, const char *pattern)
{
    sort_case c = case_make(type, n, pattern);
    c.algorithm = "radix";
    c.d.stable = 1;
    c.d.value_size = 4;
    c.seed = n + type;
    return c;
}

static int radix_run(const bench *b, const sort_case *c)
{
    const int good = case_run(b, c);
    if (!good && test_now.faults <= 5)
        printf("  bits %u to %u\n", (unsigned)c->d.first_bit, (unsigned)c->d.last_bit);
    return good;
}

/* ---- keys of a test's own -------------------------------------------------------------------- */

/* Keys and then their numbers, both between guards, as they must be. */
static int given_expect(const clsort_desc *d, const void *keys, unsigned char *bytes,
                        size_t key_bytes)
{
    const size_t n = d->count, size = width_of(d->key_type) / 8;
    uint64_t *codes = (uint64_t *)malloc(n * 8 + 1);
    uint32_t *order = (uint32_t *)malloc(n * 4 + 1);
    size_t i;
    int good = CHECK(codes && order);
    if (good) reference_codes(keys, size, n, d, codes);
    good = good && CHECK(reference_argsort(codes, n, order));
    for (i = 0; good && i < n; i++) {
        memcpy(bytes + (GUARD + i) * size, (const unsigned char *)keys + order[i] * size, size);
        memcpy(bytes + key_bytes + (GUARD + i) * 4, &order[i], 4);
    }
    free(codes);
    free(order);
    return good;
}

/* Sorts keys with their numbers as values, in place or out of it, without asking for stability. */
static int sort_given(const bench *b, clsort_desc d, const void *keys, int out)
{
    const size_t n = d.count, size = width_of(d.key_type) / 8, key_bytes = (n + 2 * GUARD) * size,
                 value_bytes = (n + 2 * GUARD) * 4;
    unsigned char *was = (unsigned char *)malloc(3 * (key_bytes + value_bytes)),
                  *now = was + key_bytes + value_bytes, *want = now + key_bytes + value_bytes;
    uint32_t i;
    int good;
    if (!CHECK(was != NULL)) return 0;
    memset(was, 0x5A, 3 * (key_bytes + value_bytes));
    memcpy(was + GUARD * size, keys, n * size);
    for (i = 0; i < n; i++) memcpy(was + key_bytes + (GUARD + i) * 4, &i, 4);
    d.keys = test_buffer(b, key_bytes, was);
    d.values = test_buffer(b, value_bytes, was + key_bytes);
    d.value_size = 4;
    d.keys_offset = GUARD * size;
    d.values_offset = GUARD * 4;
    d.keys_out_offset = out ? d.keys_offset : 0;
    d.values_out_offset = out ? d.values_offset : 0;
    d.keys_out = out ? test_buffer(b, key_bytes, now) : NULL;
    d.values_out = out ? test_buffer(b, value_bytes, now) : NULL;
    good = given_expect(&d, keys, want, key_bytes)
           && CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, NULL))
           && CHECK(clEnqueueReadBuffer(b->session.queue, out ? d.keys_out : d.keys, CL_TRUE, 0,
                                        key_bytes, now, 0, NULL, NULL)
                    == CL_SUCCESS)
           && CHECK(clEnqueueReadBuffer(b->session.queue, out ? d.values_out : d.values, CL_TRUE, 0,
                                        value_bytes, now + key_bytes, 0, NULL, NULL)
                    == CL_SUCCESS)
           && CHECK(!memcmp(now, want, key_bytes + value_bytes));
    clReleaseMemObject(d.keys);
    clReleaseMemObject(d.values);
    if (out) clReleaseMemObject(d.keys_out);
    if (out) clReleaseMemObject(d.values_out);
    free(was);
    return good;
}

/* n keys made by a function of the place and a parameter, in both orders, in and out of place. */
typedef uint64_t key_maker(size_t i, unsigned parameter, uint64_t *random);

static int sort_made(const bench *b, cl_uint type, size_t n, key_maker *make, unsigned parameter)
{
    const size_t size = width_of(type) / 8;
    unsigned char *keys = (unsigned char *)malloc(n * size + 8);
    clsort_desc d = clsort_desc_default();
    uint64_t random = n + parameter;
    size_t i;
    int good = CHECK(keys != NULL), out;
    AT("n %zu, %s, parameter %u", n, case_type_name(type), parameter);
    for (i = 0; good && i < n; i++) pattern_store(keys, i, size, make(i, parameter, &random));
    d.count = n;
    d.key_type = type;
    d.algorithm = CLSORT_RADIX;
    for (out = 0; good && out < 2; out++)
        for (d.order = 0; good && d.order < 2; d.order++) good = sort_given(b, d, keys, out);
    free(keys);
    return good;
}

static uint64_t one_bit(size_t i, unsigned bit, uint64_t *random)
{
    (void)i;
    return UINT64_C(0xA5A5C3C3F00F9669) ^ (pattern_random(random) >> 40 & 1) << bit;
}

static uint64_t one_hot_digit(size_t i, unsigned digit, uint64_t *random)
{
    (void)i;
    return (pattern_random(random) & UINT64_C(0xFF) << 8 * digit)
           | (UINT64_C(0x7B7B7B7B7B7B7B7B) & ~(UINT64_C(0xFF) << 8 * digit));
}

static uint64_t one_digit_constant(size_t i, unsigned digit, uint64_t *random)
{
    (void)i;
    return pattern_random(random) & ~(UINT64_C(0xFF) << 8 * digit);
}

/* One of two digits, so that no bit of them is the same everywhere; the others are constant. */
static uint64_t two_digits_differ(size_t i, unsigned pair, uint64_t *random)
{
    const unsigned low = pair % 8, high = pair / 8;
    (void)i;
    return (pattern_random(random) >> 20 & 3) * 0x55 << 8 * low
           | (pattern_random(random) >> 20 & 7) << 8 * high;
}

static uint64_t last_differs(size_t i, unsigned last, uint64_t *random)
{
    (void)random;
    return i == last ? 0 : UINT64_C(0x0101010101010101);
}

static const cl_uint widths[] = { CLSORT_U8, CLSORT_U16, CLSORT_U32, CLSORT_U64 };

static void one_bit_decides(bench *b)
{
    size_t w;
    unsigned bit;
    for (w = 0; w < 4; w++)
        for (bit = 0; bit < width_of(widths[w]); bit++)
            if (!sort_made(b, widths[w], bit % 3 || b->small ? 301 : SMALL + 301, one_bit, bit))
                return;
}

static void one_digit_decides(bench *b)
{
    size_t w;
    unsigned digit, other;
    for (w = 0; w < 4; w++)
        for (digit = 0; digit < width_of(widths[w]) / 8; digit++) {
            if (!sort_made(b, widths[w], 1001, one_hot_digit, digit)
                || !sort_made(b, widths[w], 1001, one_digit_constant, digit))
                return;
            if (!b->small
                && (!sort_made(b, widths[w], SMALL + 1001, one_hot_digit, digit)
                    || !sort_made(b, widths[w], SMALL + 1001, one_digit_constant, digit)))
                return;
            for (other = 0; other < digit; other++)
                if (!sort_made(b, widths[w], digit + other < 4 && !b->small ? SMALL + 65 : 300,
                               two_digits_differ, other + 8 * digit))
                    return;
        }
}

static void one_key_decides(bench *b)
{
    static const unsigned places[] = { 0, 1, 63, 64, SMALL - 1, SMALL, SMALL + 299 };
    size_t w, i;
    for (w = 0; w < 4; w++)
        for (i = 0; i < (b->small ? 4u : 7u); i++)
            if (!sort_made(b, widths[w], b->small ? 300 : SMALL + 300, last_differs, places[i]))
                return;
}

/* ---- types and payloads ---------------------------------------------------------------------- */

/* Both orders at some sizes, in place and out of it. */
static int sort_some(const bench *b, sort_case c)
{
    static const size_t counts[] = { 0, 1, 2, 37, 256, 1500, SMALL + 3000 };
    size_t i;
    for (i = 0; i < (b->small ? 5u : 7u); i++)
        for (c.d.order = 0; c.d.order < 2; c.d.order++) {
            c.d.count = counts[i];
            c.seed = counts[i] + c.d.order + 1;
            c.shift = i % 3;
            c.placement = (int)((i + c.d.order) % 3);
            if (!radix_run(b, &c)) return 0;
        }
    return 1;
}

static void every_type(bench *b)
{
    static const char *const integers[] = { "uniform", "mod-16", "sign-edges" }, *const floats[] = {
        "uniform", "nans-10", "around-zero"
    };
    static const char *const names[] = { "radix", "radix-portable" };
    size_t t, k, name;
    for (name = 0; name < (test_is_cpu(b) ? 1u : 2u); name++)
        for (t = 0; t < CASE_TYPES; t++)
            for (k = 0; k < 3; k++) {
                const int is_float = pattern_is_float(case_types[t].type);
                sort_case c = radix_make(case_types[t].type, 0, is_float ? floats[k] : integers[k]);
                c.algorithm = names[name];
                c.d.nan_order = k & 1;
                c.keys_out = k == 1 ? CASE_OWN : 0;
                c.values_out = k == 2 ? CASE_OWN : 0;
                if (!sort_some(b, c)) return;
            }
}

/* Each pair of a width and a size is a program; 4 bytes beside every width are common in other
   tests. */
static void every_value_size(bench *b)
{
    static const struct { cl_uint type; size_t bytes;
    } kinds[] = { { CLSORT_U32, 0 }, { CLSORT_U32, 8 }, { CLSORT_U32, 4 }, { CLSORT_U64, 0 },
                  { CLSORT_U32, 1 }, { CLSORT_I8, 2 },  { CLSORT_F32, 3 }, { CLSORT_F64, 5 },
                  { CLSORT_U32, 6 }, { CLSORT_I16, 7 } };
    size_t k;
    for (k = 0; k < (b->few_programs ? 4 : sizeof kinds / sizeof *kinds); k++) {
        sort_case c = radix_make(kinds[k].type, 0, "mod-16");
        c.d.value_size = kinds[k].bytes;
        if (!sort_some(b, c)) return;
        c.keys_out = k & 1 ? CASE_SAME : CASE_OWN;
        c.values_out = !c.d.value_size ? 0 : k & 2 ? CASE_SAME : CASE_OWN;
        if (!sort_some(b, c)) return;
        c.keys_out = CASE_OWN;
        c.values_out = 0;
        if (!sort_some(b, c)) return;
    }
}

static void larger_values(bench *b)
{
    static const size_t sizes[] = { 9, 12, 24, 128 };
    size_t i;
    for (i = 0; i < 4; i++) {
        sort_case c = radix_make(i & 1 ? CLSORT_F32 : CLSORT_U32, 0, "mod-16");
        c.d.value_size = sizes[i];
        c.keys_out = i & 2 ? CASE_OWN : 0;
        c.values_out = i & 1 ? CASE_OWN : 0;
        if (!sort_some(b, c)) return;
    }
}

static void records(bench *b)
{
    static const struct { cl_uint type; size_t size, at;
    } kinds[] = { { CLSORT_U32, 8, 4 },  { CLSORT_F32, 20, 8 }, { CLSORT_U64, 16, 8 },
                  { CLSORT_F32, 12, 4 }, { CLSORT_I16, 6, 2 },  { CLSORT_U8, 5, 3 },
                  { CLSORT_U8, 33, 32 }, { CLSORT_F64, 64, 24 } };
    size_t i;
    for (i = 0; i < (b->few_programs ? 2 : sizeof kinds / sizeof *kinds); i++) {
        sort_case c = radix_make(kinds[i].type, 0, "mod-16");
        c.d.value_size = 0;
        c.d.record_size = kinds[i].size;
        c.d.key_offset = kinds[i].at;
        if (!sort_some(b, c)) return;
        c.keys_out = CASE_OWN;
        if (!sort_some(b, c)) return;
        c.d.first_bit = width_of(kinds[i].type) / 8;
        c.keys_out = CASE_SAME;
        if (!sort_some(b, c)) return;
    }
}

static void argsort(bench *b)
{
    static const int outs[] = { 0, CASE_OWN, CASE_SAME };
    size_t w, k;
    for (w = 0; w < 4; w++)
        for (k = 0; k < 3; k++) {
            sort_case c = radix_make(widths[w], 0, "mod-256");
            c.d.value_size = k == 2 ? 3 : 0;
            c.values_out = k == 2 ? CASE_OWN : 0;
            c.indices = 1;
            c.keys_out = outs[k];
            if (!sort_some(b, c)) return;
            c.d.first_bit = 3;
            if (!sort_some(b, c)) return;
        }
}

static void zeros_and_nans(bench *b)
{
    static const cl_uint types[] = { CLSORT_F32, CLSORT_F16, CLSORT_BF16, CLSORT_F64 };
    size_t t, k;
    for (t = 0; t < 4; t++)
        for (k = 0; k < 4; k++) {
            sort_case c = radix_make(types[t], 0, k & 1 ? "nans-10" : "around-zero");
            c.d.zero_order = CLSORT_ZERO_EQUAL;
            c.d.nan_order = k & 1;
            c.d.first_bit = k & 2 ? width_of(types[t]) / 2 : 0;
            c.keys_out = k & 2 ? CASE_OWN : 0;
            if (!sort_some(b, c)) return;
        }
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* One part of the code in every output, small and in blocks. */
static int sort_bits(const bench *b, cl_uint type, size_t n, cl_uint first, cl_uint last,
                     const char *pattern)
{
    static const int outs[] = { 0, CASE_OWN, CASE_SAME };
    size_t k;
    for (k = 0; k < 3; k++) {
        sort_case c = radix_make(type, n, pattern);
        c.d.first_bit = first;
        c.d.last_bit = last;
        c.d.order = (cl_uint)(first + k) & 1;
        c.keys_out = outs[k];
        c.values_out = outs[(k + last) % 3];
        if (!radix_run(b, &c)) return 0;
    }
    return 1;
}

/* Odd and even numbers of passes, all of them used or not. */
static void every_number_of_passes(bench *b)
{
    static const cl_uint bits[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 24, 32, 33, 40, 48, 56, 64 };
    static const char *const patterns[] = { "uniform",    "mod-256", "mod-2",
                                            "upper-half", "equal",   "and-10" };
    size_t w, k, p;
    for (w = 0; w < 4; w++)
        for (k = 0; k < sizeof bits / sizeof *bits && bits[k] <= width_of(widths[w]); k++)
            for (p = 0; p < 6; p++) {
                const cl_uint spare = width_of(widths[w]) - bits[k], first = p < 3 ? 0 : spare / 2;
                if (!sort_bits(b, widths[w], (k + p) % 2 && !b->small ? SMALL + 100 : 200, first,
                               first + bits[k], patterns[p]))
                    return;
            }
}

static void every_part_of_short_codes(bench *b)
{
    static const cl_uint types[] = { CLSORT_U8,  CLSORT_I8,  CLSORT_U16,
                                     CLSORT_I16, CLSORT_F16, CLSORT_BF16 };
    cl_uint t, first, last, order;
    for (t = 0; t < 6; t++)
        for (first = 0; first < width_of(types[t]); first++)
            for (last = first + 1; last <= width_of(types[t]); last += b->small ? 5 : 1)
                for (order = 0; order < 2; order++) {
                    sort_case c = radix_make(types[t], 100 + 7 * first, "uniform");
                    c.d.first_bit = first;
                    c.d.last_bit = last;
                    c.d.order = order;
                    c.keys_out = last & 1 ? CASE_OWN : 0;
                    if (!radix_run(b, &c)) return;
                }
}

static void parts_of_long_codes(bench *b)
{
    static const cl_uint types[] = { CLSORT_U32, CLSORT_F32, CLSORT_I64,
                                     CLSORT_U64, CLSORT_F64, CLSORT_I32 };
    static const size_t counts[] = { 3, 300, 700, SMALL + 77 };
    uint64_t random = 3;
    cl_uint t, turn;
    for (t = 0; t < 6; t++)
        for (turn = 0; turn < (b->small ? 4u : 40u); turn++) {
            const cl_uint width = width_of(types[t]), edge = turn < 8 ? 8 * (1 + turn % 3) : 0,
                          first = edge ? edge - (turn & 1) : (cl_uint)draw(&random, width);
            const cl_uint last = turn < 3 ? width
                                          : first + 1 + (cl_uint)draw(&random, width - first);
            if (!sort_bits(b, types[t], counts[draw(&random, b->small ? 2 : 4)], first, last,
                           turn % 3 ? "uniform" : "and-4"))
                return;
        }
}

/* Where 0 stands for the width of the key; the last bit may be named. */
static void default_bits(bench *b)
{
    size_t w;
    for (w = 0; w < 4; w++) {
        const cl_uint width = width_of(widths[w]);
        if (!sort_bits(b, widths[w], 500, width / 2, 0, "uniform")
            || !sort_bits(b, widths[w], 500, 0, width, "uniform")
            || !sort_bits(b, widths[w], 500, width - 1, 0, "uniform")
            || !sort_bits(b, widths[w], 500, width - 1, width, "uniform"))
            return;
    }
}

static void expect_status(const bench *b, clsort_desc d, clsort_status wanted)
{
    clsort_desc resolved = clsort_desc_default();
    size_t bytes;
    AT("type %#x, algorithm %u, bits %u to %u, record_size %zu", (unsigned)d.key_type,
       (unsigned)d.algorithm, (unsigned)d.first_bit, (unsigned)d.last_bit, d.record_size);
    CHECK_STATUS(clsort_check(b->sorter, &d), wanted);
    if (wanted == CLSORT_ERROR_BIT_RANGE)
        CHECK(strstr(clsort_last_error(b->sorter), "leave both 0 for all bits"));
    CHECK_STATUS(clsort_resolve(b->sorter, &d, &resolved), wanted);
    CHECK_STATUS(clsort_scratch_size(b->sorter, &d, &bytes), wanted);
    CHECK_STATUS(clsort_scratch_size(NULL, &d, &bytes), wanted);
    CHECK_STATUS(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, NULL),
                 wanted == CL_SUCCESS ? CLSORT_ERROR_MISSING_BUFFER : wanted);
}

/* Of keys of that width, by each algorithm. */
static void wrong_bits_of_keys(const bench *b, cl_uint type)
{
    static const cl_uint others[] = { CLSORT_BITONIC, CLSORT_MERGE }, none = 0xFFFFFFFFu;
    const cl_uint width = width_of(type);
    const cl_uint wrong[][2] = {
        { 0, width + 1 }, { width, 0 },     { width, width }, { 3, 3 },
        { 4, 3 },         { width + 1, 0 }, { 0, none },      { none, 0 }
    };
    clsort_desc d = clsort_desc_default();
    size_t k;
    d.count = 100;
    d.key_type = type;
    for (d.algorithm = 0; d.algorithm <= CLSORT_RADIX; d.algorithm++)
        for (k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            d.first_bit = wrong[k][0];
            d.last_bit = wrong[k][1];
            expect_status(b, d, CLSORT_ERROR_BIT_RANGE);
        }
    d.last_bit = width;
    for (k = 0; k < 2; k++) {
        d.algorithm = others[k];
        d.first_bit = 1;
        expect_status(b, d, CLSORT_ERROR_UNSUPPORTED);
        d.first_bit = 0;
        expect_status(b, d, CL_SUCCESS);   /* all bits */
    }
}

static void wrong_bits_are_rejected(bench *b)
{
    static const clsort_field fields[] = { { 0, CLSORT_U32, 0, 0, 0 } };
    clsort_desc d = clsort_desc_default();
    size_t w;
    for (w = 0; w < 4; w++) wrong_bits_of_keys(b, widths[w]);
    d.count = 100;
    d.record_size = 8;
    d.fields = fields;
    d.field_count = 1;
    d.last_bit = 20;
    expect_status(b, d, CLSORT_ERROR_BIT_RANGE);
    d.fields = NULL;
    d.field_count = 0;
    d.record_type = "typedef uint2 clsort_record;";
    d.precedes = "a.x < b.x";
    expect_status(b, d, CLSORT_ERROR_BIT_RANGE);
}

static void auto_takes_radix(bench *b)
{
    size_t w, n;
    for (w = 0; w < 4; w++)
        for (n = 1; n < 100000; n *= 17) {
            sort_case c = radix_make(widths[w], n, "uniform");
            clsort_desc resolved = clsort_desc_default();
            c.algorithm = NULL;
            c.d.first_bit = 2;
            AT("n %zu, %s", n, case_type_name(widths[w]));
            CHECK_OK(clsort_resolve(b->sorter, &c.d, &resolved));
            CHECK(resolved.algorithm == CLSORT_RADIX && resolved.first_bit == 2
                  && resolved.last_bit == width_of(widths[w]));
            c.d.last_bit = 7;
            CHECK_OK(clsort_resolve(b->sorter, &c.d, &resolved));
            CHECK(resolved.algorithm == CLSORT_RADIX && resolved.first_bit == 2
                  && resolved.last_bit == 7);
            if (!radix_run(b, &c)) return;
        }
}

/* Preparing also runs each kernel on no elements: of work-groups, too, on CPUs. */
static void preparing_builds_work_groups(bench *b)
{
    clsort_sorter *s = fresh_sorter(b, 0);
    sort_case c = radix_make(CLSORT_U32, SMALL + 500, "uniform");
    bench other = *b;
    other.sorter = s;
    c.d.tuning.work_group = 16;
    c.algorithm = NULL;
    CHECK_OK(clsort_set_algorithm(&c.d, "radix-portable"));
    CHECK_OK(clsort_prepare(s, b->session.queue, &c.d));
    radix_run(&other, &c);
    clsort_destroy(s);
}

static void preparing_builds_radix(bench *b)
{
    clsort_sorter *s = fresh_sorter(b, 0);
    bench other = *b;
    sort_case c = radix_make(CLSORT_U32, SMALL + 500, "uniform");
    other.sorter = s;
    c.d.first_bit = 5;
    c.d.flags = CLSORT_FLAG_NO_BUILD;
    CHECK_STATUS(clsort_enqueue_sort(s, b->session.queue, &c.d, 0, NULL, NULL),
                 CLSORT_ERROR_VALUE_SIZE);
    CHECK_OK(clsort_prepare(s, NULL, &c.d));
    radix_run(&other, &c);
    c.d.count = 100;   /* may take other kernels */
    c.d.flags = 0;
    CHECK_OK(clsort_prepare(s, NULL, &c.d));
    c.d.flags = CLSORT_FLAG_NO_BUILD;
    radix_run(&other, &c);
    clsort_destroy(s);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Sums of 32 blocks' counts, where there are more: on a device of many units. */
static void stretches_of_blocks(bench *b)
{
    static const size_t blocks[] = { 31, 32, 33, 63, 64, 65, 96, 97, 100 };
    static const char *const patterns[] = { "uniform", "mod-3", "zipf", "sorted" };
    enum { TILE = 64 };
    clsort_sorter *s = fresh_sorter(b, 0);
    bench other = *b;
    size_t i, p;
    other.sorter = s;
    s->compute_units = 64;
    for (i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (p = 0; p < 4; p++) {
            const size_t n = blocks[i] * TILE - (i + p) % 3 * (TILE / 2 - 1);
            sort_case c = radix_make(p % 2 ? CLSORT_U64 : CLSORT_U32, n, patterns[p]);
            c.d.tuning.work_group = 16;
            c.d.tuning.items = TILE / 16;
            c.algorithm = "radix-portable";
            c.keys_out = i % 2 ? CASE_OWN : 0;
            if (!radix_run(&other, &c)) break;
        }
    clsort_destroy(s);
}

static void every_pattern(bench *b)
{
    size_t p, w;
    for (p = 0; pattern_name(p); p++)
        for (w = 0; w < 4; w++) {
            static const cl_uint floats[] = { CLSORT_F64, CLSORT_F16, CLSORT_F32, CLSORT_F64 };
            const cl_uint type = pattern_applies(p, widths[w]) ? widths[w] : floats[w];
            sort_case c = radix_make(type, b->small ? 200 : SMALL * ((p + w) & 1) + 1200,
                                     pattern_name(p));
            if (w == 0 && type == CLSORT_F64) continue;
            c.d.order = (cl_uint)p & 1;
            c.keys_out = p & 2 ? CASE_OWN : 0;
            if (!radix_run(b, &c)) return;
        }
}

static int sort_around(const bench *b, sort_case c, size_t n)
{
    size_t i;
    for (i = n ? n - 1 : 0; i <= n + 1; i++) {
        c.d.count = i;
        c.d.order = i >> 1 & 1;
        c.keys_out = i & 1 ? CASE_OWN : 0;
        c.own_scratch = i % 3 == 0;
        c.scratch_fill = 0xA5;
        c.seed = i + 1;
        if (!radix_run(b, &c)) return 0;
    }
    return 1;
}

/* The tiles of a work-group; on CPUs blocks of 64 rows, and where one work-item stops to sort
   alone. */
static void tiles_and_blocks(bench *b)
{
    static const size_t edges[] = {
        0,          64,          128,         256,       1024,           SMALL,
        SMALL + 64, SMALL + 512, SMALL + 576, 2 * SMALL, 2 * SMALL + 64, 3 * SMALL,
        4 * SMALL
    };
    size_t w, k;
    for (w = 0; w < 4; w++) {
        sort_case c = radix_make(widths[w], 1, "uniform");
        const size_t tile = case_block_length(b, &c);
        for (k = 0; k < (b->small ? 4 : sizeof edges / sizeof *edges); k++)
            if (!sort_around(b, c, edges[k])) return;
        for (k = 1; k <= 20; k += k < 4 ? 1 : 4)
            if ((!b->small || k * tile < 500) && !sort_around(b, c, k * tile)) return;
        c.d.value_size = 0;
        for (k = 4; k < (b->small ? 4 : sizeof edges / sizeof *edges); k += 2)
            if (!sort_around(b, c, edges[k])) return;
    }
}

/* By the kernels of GPUs: around one tile, some, as many as there are blocks in a table, and
   more. */
static int sort_in_groups(const bench *b, sort_case c)
{
    static const size_t tiles[] = { 0, 1, 2, 3, 17, 1023, 1024, 1025, 2048, 2049 };
    const size_t tile = case_block_length(b, &c);
    size_t k;
    for (k = 0; k < sizeof tiles / sizeof *tiles; k++) {
        if (tiles[k] * tile > (b->small        ? 200u
                               : tile == 64    ? 132000u
                               : tiles[k] > 17 ? 20000u
                                               : 70000u))
            break;
        c.pattern = k & 1 ? "mod-256" : "uniform";
        if (!sort_around(b, c, tiles[k] * tile)) return 0;
    }
    return 1;
}

/* As on a GPU. Each pair of numbers is a program, so that a sample of them is compiled. */
static void every_work_group(bench *b)
{
    sample_draw drawn = test_sample(b, test_draws(b) ? 18 : 3);
    bench other = *b;
    cl_uint k;
    other.sorter = pretending_sorter(b, CL_DEVICE_TYPE_GPU, 0, 0);
    for (k = 0; k < 36 && other.sorter; k++) {
        sort_case c = radix_make(CLSORT_U32, 1, "uniform");
        if (!sample_takes(&drawn)) continue;
        c.d.tuning.work_group = 1u << k / 4;
        c.d.tuning.items = 1u << k % 4;
        c.d.value_size = k % 4 ? 0 : 4;
        if (!sort_in_groups(&other, c)) break;
    }
    clsort_destroy(other.sorter);
}

/* What a GPU would run on its own choice. */
static void gpus_choice(bench *b)
{
    bench other = *b;
    sort_case c = radix_make(CLSORT_U32, 1, "uniform");
    other.sorter = pretending_sorter(b, CL_DEVICE_TYPE_GPU, 0, 0);
    if (!other.sorter) return;
    if (sort_in_groups(&other, c)) {
        c.d.first_bit = 7;
        c.d.last_bit = 31;
        sort_in_groups(&other, c);
    }
    clsort_destroy(other.sorter);
}

/* Sweeps with every type, at the edges of tiles and in bit ranges. */
static void sweeps_sort(bench *b)
{
    static const cl_uint types[] = { CLSORT_U32, CLSORT_F32, CLSORT_U8, CLSORT_I64 };
    bench other = *b;
    size_t k;
    if (!test_is_cpu(b) || !sweeping_sorter(b, &other)) return;
    for (k = 0; k < (b->few_programs ? 1 : 4); k++) {
        sort_case c = radix_make(types[k], 1, k & 1 ? "uniform" : "mod-1024");
        if (!test_takes(b, 2)) continue;
        c.d.tuning.items = 1u << (k + 1);   /* raised to what the tables have room for */
        c.d.value_size = k & 1 ? 0 : 4;
        if (!sort_around(&other, c, 2048) || !sort_around(&other, c, 3 * 2048)
            || !sort_around(&other, c, 70000))
            break;
        c.keys_out = CASE_OWN;
        c.d.first_bit = k == 2 ? 1 : 3;
        c.d.last_bit = k == 2 ? 5 : 20;
        if (!sort_around(&other, c, 20000)) break;
        c.pattern = "equal";
        if (!sort_around(&other, c, 5000)) break;
    }
    end_sweeping(&other);
}

/* Long keys of pairs: sweeps by the upper digits, and equal prefixes that are sorted or turn out
   too many. */
static void equal_prefixes_are_sorted(bench *b)
{
    static const struct { cl_uint type; const char *pattern; size_t value_size; } kinds[] = {
        { CLSORT_U64, "uniform", 4 }, { CLSORT_U64, "echo", 4 }, { CLSORT_F64, "gaussian", 8 },
        { CLSORT_I64, "sorted", 4 }, { CLSORT_F64, "uniform", 4 }, { CLSORT_U64, "mod-1024", 8 }
    };
    bench other = *b;
    size_t k;
    if (!sweeping_sorter(b, &other)) return;
    for (k = 0; k < (b->small ? 2 : sizeof kinds / sizeof *kinds); k++) {
        sort_case c = radix_make(kinds[k].type, CLSORT__PREFIXES_LEAST + 12345 * k,
                                 kinds[k].pattern);
        if (!test_takes(b, 3)) continue;
        c.d.value_size = kinds[k].value_size;
        c.d.order = k & 1;
        c.keys_out = k & 2 ? 0 : CASE_OWN;
        if (k == 4) {
            c.d.first_bit = 7;
            c.d.last_bit = 62;
        }
        if (!radix_run(&other, &c)) break;
    }
    end_sweeping(&other);
}

/* On a CPU of many cores: more units of 64 rows than fit into a table. */
static void many_blocks(bench *b)
{
    static const size_t counts[] = { 300,   SMALL, SMALL + 1, 20000,  65535, 65536,
                                     65600, 65664, 70001,     131072, 131136 };
    bench other = *b;
    sort_case c = radix_make(CLSORT_U32, 1, "uniform");
    size_t k;
    other.sorter = pretending_sorter(b, CL_DEVICE_TYPE_CPU, 1000, 0);
    for (k = 0; k < (b->small ? 1 : sizeof counts / sizeof *counts) && other.sorter; k++) {
        c.pattern = k & 1 ? "uniform" : "mod-1024";
        if (!sort_around(&other, c, counts[k])) break;
    }
    clsort_destroy(other.sorter);
}

static void work_groups_take_every_payload(bench *b)
{
    static const struct { cl_uint type; size_t value_size, record_size; } kinds[] = {
        { CLSORT_U64, 8, 0 }, { CLSORT_U8, 1, 0 }, { CLSORT_F32, 0, 12 }
    };
    size_t i;
    for (i = 0; i < (b->few_programs ? 1 : sizeof kinds / sizeof *kinds); i++) {
        sort_case c = radix_make(kinds[i].type, 1, "uniform");
        if (!test_takes(b, 3)) continue;
        c.d.value_size = kinds[i].value_size;
        c.d.record_size = kinds[i].record_size;
        c.d.key_offset = kinds[i].record_size ? 4 : 0;
        c.d.tuning.work_group = 16;
        c.d.tuning.items = 4;
        if (!sort_in_groups(b, c)) return;
    }
}

static void work_groups_sort_by_some_bits(bench *b)
{
    static const cl_uint bits[] = { 1, 3, 4, 5, 8, 9, 12, 13, 16, 20, 24, 31 };
    size_t k, n;
    for (k = 0; k < sizeof bits / sizeof *bits; k++)
        for (n = 30; n < 5000; n *= 7) {
            sort_case c = radix_make(CLSORT_U32, n, k & 1 ? "mod-256" : "uniform");
            c.d.tuning.work_group = 16;
            c.d.tuning.items = 2;
            c.d.first_bit = (cl_uint)n % (33 - bits[k]);
            c.d.last_bit = c.d.first_bit + bits[k];
            c.d.order = k >> 1 & 1;
            c.keys_out = n & 1 ? CASE_OWN : 0;
            if (!radix_run(b, &c)) return;
        }
}

/* Digits of 4 bits, tiles of a few rows. */
static void little_local_memory(bench *b)
{
    static const cl_ulong bytes[] = { 1024, 4096 };
    size_t i;
    for (i = 0; i < (b->few_programs ? 1u : 2u); i++) {
        bench other = *b;
        sort_case c = radix_make(i & 1 ? CLSORT_U64 : CLSORT_U32, 1, "uniform");
        if (!test_takes(b, 2)) continue;
        other.sorter = pretending_sorter(b, i ? 0 : CL_DEVICE_TYPE_GPU, 0, bytes[i]);
        if (!other.sorter) return;
        c.d.tuning.work_group = 128;
        if (sort_in_groups(&other, c)) {
            c.d.first_bit = 5;
            c.d.last_bit = 18;
            sort_in_groups(&other, c);
        }
        clsort_destroy(other.sorter);
    }
}

/* CPUs write elements of a digit together where many digits' places share sets of a cache; here
   wherever digits have places of their own. */
static void elements_are_written_together(bench *b)
{
    static const struct { cl_uint type; size_t value, record; const char *pattern; } kinds[] = {
        { CLSORT_U32, 4, 0, "uniform" }, { CLSORT_U16, 12, 0, "uniform" },
        { CLSORT_U64, 1, 0, "bit-reversed" }, { CLSORT_F32, 0, 12, "uniform" },
        { CLSORT_U32, 0, 0, "bit-reversed" }
    };
    enum { KINDS = sizeof kinds / sizeof *kinds };
    bench other = *b;
    size_t k;
    more_options = "-DCLSORT_CACHE_WAYS=0";
    other.sorter = fresh_sorter(b, 0);
    for (k = 0; k < KINDS && other.sorter; k++) {
        sort_case c = radix_make(kinds[k].type, k % 2 ? 70001 : 1 << 16, kinds[k].pattern);
        if (!test_takes(b, 2)) continue;
        c.algorithm = "radix-portable";
        c.d.value_size = kinds[k].value;
        c.d.record_size = kinds[k].record;
        c.d.order = (cl_uint)k & 1;
        c.keys_out = k & 1 ? CASE_OWN : 0;
        if (!radix_run(&other, &c)) break;
    }
    clsort_destroy(other.sorter);
    more_options = NULL;
}

/* The same of a long piece, by one work-item. */
static void long_pieces_are_written_together(bench *b)
{
    static const uint32_t offsets[] = { 0, 300, 70001, 70002, 76543 };
    bench other = *b;
    size_t k;
    more_options = "-DCLSORT_CACHE_WAYS=0 -DCLSORT_NO_VECTORS=1";
    other.sorter = fresh_sorter(b, 0);
    for (k = 0; k < 2 && other.sorter; k++) {
        sort_case c = radix_make(k ? CLSORT_U32 : CLSORT_U16, 76543, "uniform");
        c.d.value_size = k ? 4 : 0;
        c.algorithm = "auto";
        c.d.segment_count = 4;
        c.offsets = offsets;
        if (!radix_run(&other, &c)) break;
    }
    clsort_destroy(other.sorter);
    more_options = NULL;
}

/* One number of keys, at every place of a line. */
static int keys_by_lines(const bench *b, sort_case c, size_t step)
{
    for (c.shift = 0; c.shift < 20; c.shift += step) {
        c.keys_out = c.shift & 1 ? CASE_OWN : 0;
        c.placement = (int)(c.shift % 3);
        c.d.order = c.shift >> 1 & 1;
        if (!radix_run(b, &c)) return 0;
    }
    return 1;
}

/* CPUs gather lines of many keys before they write them; here of few, so that every place of a line
   begins and ends a block. */
static void keys_are_written_by_lines(bench *b)
{
    static const size_t counts[] = { 63, 64, 65, 1000, SMALL, SMALL + 1, 2 * SMALL + 777 };
    bench other = *b;
    size_t w, i;
    int good = 1;
    more_options = "-DCLSORT_STAGE_BYTES=64";
    other.sorter = fresh_sorter(b, 0);
    for (w = 0; w < 4 && other.sorter; w += b->few_programs ? 2 : 1) {
        if (!test_takes(b, 2)) continue;
        for (i = 0; i < (b->small ? 4u : 7u) && good; i++) {
            sort_case c = radix_make(widths[w], counts[i], i & 1 ? "uniform" : "mod-16");
            c.d.value_size = 0;
            good = keys_by_lines(&other, c, i < 4 ? 1 : 7);
        }
    }
    clsort_destroy(other.sorter);
    more_options = NULL;
}

static void long_arrays(bench *b)
{
    sort_case c = radix_make(CLSORT_U64, b->small ? 900 : ((size_t)1 << 22) + 5, "uniform");
    c.d.value_size = 0;
    c.shift = 3;
    radix_run(b, &c);
    c = radix_make(CLSORT_U32, b->small ? 900 : 1000003, "mod-1024");
    radix_run(b, &c);
    c.d.first_bit = 4;
    c.d.last_bit = 24;
    c.pattern = "uniform";
    radix_run(b, &c);
}

/* ---- fields ---------------------------------------------------------------------------------- */

static void fields_take_several_sorts(bench *b)
{
    clsort_field fields[CLSORT_MAX_FIELDS];
    uint64_t random = 11;
    cl_uint count, turn;
    for (count = 1; count <= CLSORT_MAX_FIELDS; count++)
        for (turn = 0; turn < (b->small ? 1u : 6u); turn++) {
            static const size_t sizes[] = { 0, 1, 2, 300, 900, SMALL + 200 };
            record_case c = record_make(NULL, sizes[draw(&random, b->small ? 4 : 6)]);
            record_draw_fields(&c, fields, count, 0, &random);
            c.d.algorithm = CLSORT_RADIX;
            c.seed = pattern_random(&random);
            c.shift = draw(&random, 3);
            c.verify = (int)(turn & 1);
            for (c.output = 0; c.output < RECORD_OUTPUTS; c.output++)
                if (!record_run(b, &c)) return;
        }
}

/* ---- scratch --------------------------------------------------------------------------------- */

/* What a sort can be asked for, by a number. */
static sort_case draw_case(size_t k, uint64_t *random, int small)
{
    static const size_t counts[] = { 0, 1, 5, 64, 200, 1000, SMALL, SMALL + 1, SMALL + 999, 40000 };
    static const char *const patterns[] = { "uniform", "mod-16", "equal", "mostly-zero",
                                            "upper-half" };
    sort_case c = radix_make(k & 1 ? CLSORT_U32 : CLSORT_U64, counts[draw(random, small ? 5 : 10)],
                             patterns[draw(random, 5)]);
    const cl_uint width = width_of(c.d.key_type);
    c.keys_out = (int)draw(random, 3);
    c.d.order = (cl_uint)draw(random, 2);
    c.seed = pattern_random(random);
    c.indices = k % 5 == 1;
    c.d.value_size = k % 5 < 2 ? 0 : k % 5 == 2 ? 20 : 4;
    if (c.d.value_size) c.values_out = (int)draw(random, 3);
    c.d.first_bit = draw(random, 2) ? (cl_uint)draw(random, width) : 0;
    c.d.last_bit = draw(random, 2)
                       ? c.d.first_bit + 1 + (cl_uint)draw(random, width - c.d.first_bit)
                       : 0;
    if (k % 7 == 3) c.d.tuning.work_group = 16, c.d.tuning.items = 2;
    return c;
}

static void callers_scratch(bench *b)
{
    static const int fills[] = { 0x00, 0xFF, 0xA5 };
    uint64_t random = 17;
    size_t k;
    for (k = 0; k < (b->small ? 20u : 150u); k++) {
        sort_case c = draw_case(k, &random, b->small);
        c.own_scratch = 1;
        c.scratch_fill = fills[k % 3];
        c.placement = (int)draw(&random, 3);
        if (!radix_run(b, &c)) return;
    }
}

static void stale_tables(bench *b)
{
    uint64_t random = 23;
    size_t k;
    for (k = 0; k < (b->small ? 20u : 200u); k++) {
        sort_case c = draw_case(k, &random, b->small);
        if (!radix_run(b, &c)) return;
    }
}

/* ---- checks ---------------------------------------------------------------------------------- */

static cl_uint first_unsorted(const bench *b, clsort_desc d, const void *keys)
{
    cl_uint answer = 0xDEAD;
    cl_mem result = test_buffer(b, 4, NULL);
    d.keys = test_buffer(b, d.count * width_of(d.key_type) / 8, keys);
    CHECK_OK(clsort_enqueue_is_sorted(b->sorter, b->session.queue, &d, result, 0, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(b->session.queue, result, CL_TRUE, 0, 4, &answer, 0, NULL, NULL)
          == CL_SUCCESS);
    clReleaseMemObject(d.keys);
    clReleaseMemObject(result);
    return answer;
}

static void order_is_checked_by_some_bits(bench *b)
{
    uint64_t codes[200];
    unsigned char keys[200 * 8];
    uint64_t random = 31;
    size_t t, turn, n = 200;
    for (t = 0; t < CASE_TYPES; t++)
        for (turn = 0; turn < 20; turn++) {
            clsort_desc d = clsort_desc_default();
            const cl_uint width = width_of(case_types[t].type);
            d.count = n;
            d.key_type = case_types[t].type;
            d.order = turn & 1;
            d.nan_order = turn >> 1 & 1;
            d.first_bit = (cl_uint)draw(&random, width);
            d.last_bit = d.first_bit + 1 + (cl_uint)draw(&random, width - d.first_bit);
            if (turn % 5 == 4) d.last_bit = 0;
            AT("%s, bits %u to %u", case_type_name(d.key_type), (unsigned)d.first_bit,
               (unsigned)d.last_bit);
            pattern_fill(pattern_find(turn % 3 ? "sorted" : "uniform"), d.key_type, n, turn + 1, 0,
                         keys);
            reference_codes(keys, width / 8, n, &d, codes);
            CHECK(first_unsorted(b, d, keys) == reference_first_unordered(codes, n));
        }
}

/* Sorts by the upper half of the code, changes places from and to, and expects a proof or none. */
static void judge_swapped(const bench *b, int indices, cl_uint stable, size_t from, size_t to,
                          clsort_status wanted)
{
    enum { N = 3000 };
    cl_uint keys[N], x, y, i;
    cl_mem proof = test_buffer(b, sizeof(clsort_proof), NULL), target;
    cl_command_queue queue = b->session.queue;
    clsort_desc d = clsort_desc_default();
    clsort_proof p;
    AT("indices %d, stable %u, places %zu and %zu", indices, (unsigned)stable, from, to);
    for (i = 0; i < N; i++) keys[i] = (i * 7 % 1000) << 16 | (N - i);
    d.count = N;
    d.key_type = CLSORT_U32;
    d.stable = stable;
    d.first_bit = 16;
    d.keys = test_buffer(b, sizeof keys, keys);
    if (indices) d.indices = test_buffer(b, sizeof keys, NULL);
    target = indices ? d.indices : d.keys;
    CHECK_OK(clsort_enqueue_fingerprint(b->sorter, queue, &d, proof, 0, 0, NULL, NULL));
    CHECK_OK(clsort_enqueue_sort(b->sorter, queue, &d, 0, NULL, NULL));
    clEnqueueReadBuffer(queue, target, CL_TRUE, from * 4, 4, &x, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, target, CL_TRUE, to * 4, 4, &y, 0, NULL, NULL);
    clEnqueueWriteBuffer(queue, target, CL_TRUE, to * 4, 4, &x, 0, NULL, NULL);
    clEnqueueWriteBuffer(queue, target, CL_TRUE, from * 4, 4, &y, 0, NULL, NULL);
    CHECK_OK(clsort_enqueue_verify(b->sorter, queue, &d, proof, 0, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, proof, CL_TRUE, 0, sizeof p, &p, 0, NULL, NULL) == CL_SUCCESS);
    CHECK_STATUS(clsort_judge(&p), wanted);
    clReleaseMemObject(d.keys);
    if (indices) clReleaseMemObject(d.indices);
    clReleaseMemObject(proof);
}

/* Three keys of each upper half, equal but for bits that do not count. */
static void results_by_some_bits_are_proven(bench *b)
{
    judge_swapped(b, 0, 1, 5, 5, CL_SUCCESS);
    judge_swapped(b, 0, 1, 0, 1, CL_SUCCESS);
    judge_swapped(b, 0, 1, 2, 3, CLSORT_ERROR_WRONG_RESULT);
    judge_swapped(b, 1, 1, 5, 5, CL_SUCCESS);
    judge_swapped(b, 1, 0, 0, 1, CL_SUCCESS);
    judge_swapped(b, 1, 1, 0, 1, CLSORT_ERROR_WRONG_RESULT);
    judge_swapped(b, 1, 0, 2, 3, CLSORT_ERROR_WRONG_RESULT);
}

static void self_checking_sorters_know_bits(bench *b)
{
    bench other = *b;
    uint64_t random = 41;
    size_t k;
    other.sorter = fresh_sorter(b, CLSORT_OPTION_VERIFY);
    for (k = 0; k < (b->few_programs ? 12u : 40u) && other.sorter; k++) {
        sort_case c = draw_case(b->few_programs ? 3 + k % 3 : k, &random, b->small);
        c.d.tuning.work_group = c.d.tuning.items = 0;
        if (!radix_run(&other, &c)) break;
    }
    CHECK_OK(clsort_collect(other.sorter, 1));
    clsort_destroy(other.sorter);
}

/* ---- hybrid radix ---------------------------------------------------------------------------- */

/* Would a kernel whose name begins so run for a case? */
static int runs_kernel(const bench *b, const sort_case *c, const char *name)
{
    char text[2048];
    clsort_desc d = c->d;
    CHECK_OK(clsort_set_algorithm(&d, c->algorithm));
    return CHECK_OK(clsort_explain(b->sorter, &d, text, sizeof text)) && strstr(text, name) != NULL;
}

static int is_hybrid(const bench *b, const sort_case *c)
{
    return runs_kernel(b, c, "clsort_hybrid_split");
}

static sort_case hybrid_make(cl_uint type, size_t n, const char *pattern)
{
    sort_case c = case_make(type, n, pattern);
    c.algorithm = "radix-hybrid";
    c.d.order = n & 1;
    c.seed = n + type;
    return c;
}

/* Runs a test of kernels of GPUs with a sorter of its own. */
static void with_kernels_of_gpus(bench *b, void (*run)(bench *))
{
    bench other = *b;
    more_options = quick_builds(b);
    other.sorter = keeping_sorter(b);
    if (other.sorter) run(&other);
    clsort_destroy(other.sorter);
    more_options = NULL;
}

/* Ranges as buckets, and buckets of ranges; keys in place and out of place. SKIP_PASSES keeps
   hybrid radix away from some patterns. */
static void hybrid_sorts_every_pattern(bench *b)
{
    static const cl_uint types[] = { CLSORT_U32, CLSORT_F32, CLSORT_I64, CLSORT_F64 };
    static const size_t counts[] = { 2, 3, 1279, 1281, 20011, 200003 };
    size_t t, i, k;
    for (t = 0; t < (b->few_programs ? 2u : 4u); t++) {
        if (!test_takes(b, 4)) continue;
        for (i = b->small ? 2 : 0; i < (b->small ? 5u : 6u); i++)
            for (k = 0; pattern_name(k); k++) {
                sort_case c = hybrid_make(types[t], counts[i] + k % 2, pattern_name(k));
                if (!pattern_applies(k, types[t]) || (b->small && k % 3 != i % 3)) continue;
                if (!takes_third(b, i + k)) continue;
                c.keys_out = k % 3 == 2 ? CASE_OWN : 0;
                c.d.nan_order = k & 1;
                if (!case_run(b, &c)) return;
            }
    }
}

/* A program of hybrid radix with one kernel more. NULL if it does not build. */
static cl_kernel kernel_beside(const bench *b, const char *text, const char *name)
{
    sort_case c = hybrid_make(CLSORT_U64, 1 << 20, "uniform");
    clsort__plan p;
    clsort__recipe r;
    cl_program program;
    cl_kernel kernel = NULL;
    cl_int error;
    CHECK_OK(clsort_set_algorithm(&c.d, c.algorithm));
    clsort__make_plan(b->sorter, &c.d, &p);
    clsort__make_recipe(b->sorter, &p.config, &r);
    r.list.text[r.list.count++] = text;
    program = clCreateProgramWithSource(clsort_context(b->sorter), (cl_uint)r.list.count,
                                        (const char **)(size_t)r.list.text, NULL, &error);
    if (!error) error = build_with_more(program, 1, &b->session.info.id, r.options, NULL, NULL);
    if (!error) kernel = clCreateKernel(program, name, &error);
    if (program) clReleaseProgram(program);
    CHECK_OK(error);
    return kernel;
}

/* However wide codes are, their parts are hardly longer than even ones; only the last may be
   shorter. What is counted is the first part's share, in thousandths of an even one. */
static void wide_codes_are_cut_evenly(bench *b)
{
    static const char text[] =
        "kernel void share_of_first(global uint *share, ulong span, uint parts)\n"
        "{\n"
        "    const linear_map_t line = make_map(0, span - 1, parts, 0);\n"
        "    *share = (uint)(map_start(line, 1, 0, span - 1) / (span / parts / 1000));\n"
        "}\n";
    const size_t one = 1;
    const cl_command_queue q = b->session.queue;
    cl_ulong span = (cl_ulong)1 << 63;
    cl_uint parts, share = 0;
    cl_kernel k = kernel_beside(b, text, "share_of_first");
    cl_mem out = k ? clCreateBuffer(b->session.context, CL_MEM_WRITE_ONLY, 4, NULL, NULL) : NULL;
    if (!CHECK(out != NULL)) return;
    for (; span > 1 << 20; span = span / 7 * 3)
        for (parts = 2; parts < 40; parts += parts / 4 + 1) {
            AT("%.0f codes, %u parts", (double)span, (unsigned)parts);
            clSetKernelArg(k, 0, sizeof out, &out);
            clSetKernelArg(k, 1, sizeof span, &span);
            clSetKernelArg(k, 2, sizeof parts, &parts);
            CHECK_OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, NULL));
            CHECK_OK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, 4, &share, 0, NULL, NULL));
            CHECK(share >= 990 && share <= 1030);
        }
    clReleaseMemObject(out);
    clReleaseKernel(k);
}

static void hybrid_cuts_wide_codes(bench *b) { with_kernels_of_gpus(b, wide_codes_are_cut_evenly); }

/* Where hybrid radix of keys or pairs gives up, sweeps follow, whose tables it has cleared. */
static void sweeps_follow_hybrid(bench *b)
{
    static const char *const patterns[] = { "zipf", "uniform", "zipf", "uniform", "zipf" };
    bench other = *b;
    const size_t all = sizeof patterns / sizeof *patterns, only = test_choice(b, 2);
    size_t k;
    if (!sweeping_sorter(b, &other)) return;
    more_options = sweeping_builds(b);
    for (k = 0; k < 2 * all; k++) {
        sort_case c = hybrid_make(CLSORT_U32, 20011 + k, patterns[k % all]);
        if (only < 2 && k / all != only) continue;
        c.keys_out = k % all > 2 ? CASE_OWN : 0;
        c.d.value_size = k < all ? 0 : 4;
        if (!case_run(&other, &c)) break;
    }
    end_sweeping(&other);
}

/* What the plan of hybrid radix came to: whether it sorted, and how many keys are in buckets above
   the capacity. */
typedef struct hybrid_result { cl_uint stays, over; } hybrid_result;

static hybrid_result read_hybrid(const bench *b, const clsort_desc *d)
{
    enum { SKIP = 4 * CLSORT__SKIP_PASSES };
    hybrid_result r = { 0, 0 };
    clsort__plan p;
    const cl_command_queue q = b->session.queue;
    size_t at;
    clsort__make_plan(b->sorter, d, &p);
    clsort__plan_scratch(b->sorter, &p);
    at = p.scratch.tables;
    CHECK_OK(clEnqueueReadBuffer(q, d->scratch, CL_TRUE, at + SKIP, 4, &r.stays, 0, NULL, NULL));
    at += clsort__hybrid_at(b->sorter, &p);
    CHECK_OK(clEnqueueReadBuffer(q, d->scratch, CL_TRUE, at, 4, &r.over, 0, NULL, NULL));
    return r;
}

/* Sorts keys out of place by hybrid radix, in scratch memory that is looked at after. */
static hybrid_result run_hybrid(const bench *b, cl_uint type, size_t n, const void *keys)
{
    hybrid_result r = { 0, 0 };
    const size_t bytes = n * pattern_key_size(type);
    clsort_desc d = clsort_desc_default();
    d.count = n;
    d.key_type = type;
    d.tuning.work_group = 64;
    d.keys = test_buffer(b, bytes, keys);
    d.keys_out = test_buffer(b, bytes, NULL);
    if (CHECK_OK(clsort_set_algorithm(&d, "radix-hybrid"))
        && CHECK_OK(clsort_scratch_size(b->sorter, &d, &d.scratch_size))) {
        d.scratch = test_buffer(b, d.scratch_size, NULL);
        if (CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, NULL)))
            r = read_hybrid(b, &d);
        clReleaseMemObject(d.scratch);
    }
    clReleaseMemObject(d.keys);
    clReleaseMemObject(d.keys_out);
    return r;
}

/* Numbers from 10^9 to 2 * 10^9; but so many parts in 10,000, which the sample overlooks, are up to
   480,000 larger. */
static void fill_middle(cl_uint *keys, size_t n, unsigned more)
{
    uint64_t random = 7;
    size_t i;
    for (i = 0; i < n; i++) {
        const cl_uint r = (cl_uint)(pattern_random(&random) >> 32);
        keys[i] = i % 10000 < more ? 2000000000 + r % 480000 : 1000000000 + r % 1000000000;
    }
    for (i = 0; i < (size_t)1 << CLSORT__HYBRID_SAMPLE_LOG2; i++)
        keys[pattern_hybrid_place(i, n)]
            = 1000000000 + (cl_uint)(pattern_random(&random) % 1000000000);
}

/* Buckets do not become too long just outside of the sample, nor where keys thin out. */
static void plans_fit_edges(bench *b)
{
    enum { N = 1200007, M = 1 << 23 };
    static cl_uint keys[N];
    static cl_float numbers[M];
    const size_t only = test_choice(b, 2);
    hybrid_result r;
    if (only != 1) {
        AT("%d keys that the sample overlooks", 17 * N / 10000);
        fill_middle(keys, N, 17);
        r = run_hybrid(b, CLSORT_U32, N, keys);
        CHECK(r.stays && r.over == 0);
    }
    if (only == 0) return;
    AT("%d numbers that thin out", M);
    pattern_fill(pattern_find("normal"), CLSORT_F32, M, 1, 0, numbers);
    r = run_hybrid(b, CLSORT_F32, M, numbers);
    CHECK(r.stays && r.over == 0);
}

/* Hybrid radix sorts floats of both signs, whose codes leave out all that lie near 0, and numbers
   that end at once or thin out, without a bucket that is too long. It leaves numbers to the passes
   if hundreds of them share few cells. */
static void plans_fit_keys(bench *b)
{
    enum { N = 300007 };
    static cl_ulong keys[N];
    static const struct { cl_uint type; const char *pattern; cl_uint stays; } cases[] = {
        { CLSORT_F64, "normal", 1 },  { CLSORT_F32, "normal", 1 },   { CLSORT_F64, "unit", 1 },
        { CLSORT_F32, "unit", 1 },    { CLSORT_U32, "gaussian", 1 }, { CLSORT_U64, "uniform", 1 },
        { CLSORT_U32, "sorted", 1 },  { CLSORT_I32, "zipf", 1 },     { CLSORT_U64, "clusters", 0 }
    };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        hybrid_result r;
        if (!test_takes_of_few(b, 3)) continue;
        AT("%s %s", case_type_name(cases[i].type), cases[i].pattern);
        pattern_fill(pattern_find(cases[i].pattern), cases[i].type, N, i + 1, 0, keys);
        r = run_hybrid(b, cases[i].type, N, keys);
        CHECK(r.stays == cases[i].stays && r.over == 0);
    }
}

static void hybrid_plans_fit_keys(bench *b)
{
    with_kernels_of_gpus(b, plans_fit_keys);
    with_kernels_of_gpus(b, plans_fit_edges);
}

/* Codes that many keys have, with others between them, in ranges that are split again. */
static void heavy_codes(bench *b)
{
    static const char *const patterns[] = { "mostly-zero", "powers-of-two", "sign-edges",
                                            "mod-16" };
    size_t k;
    for (k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        sort_case c = hybrid_make(CLSORT_U32, 200003 + k, patterns[k]);
        c.keys_out = k & 1 ? CASE_OWN : 0;
        c.d.tuning.work_group = 64;
        if (!case_run(b, &c)) return;
    }
}

static void hybrid_counts_heavy_codes(bench *b)
{
    with_kernels_of_gpus(b, heavy_codes);
}

/* Buckets of one code, of a few codes, of codes that differ only far down; outliers. */
static void full_buckets(bench *b)
{
    static const char *const patterns[] = { "mod-16", "outliers", "zipf", "random-tail",
                                            "one-last", "powers-of-two" };
    static const cl_uint groups[] = { 64, 128, 256 };
    size_t g, k;
    for (g = 0; g < (b->few_programs ? 1u : 3u); g++) {
        if (!test_takes(b, 3)) continue;
        for (k = 0; k < sizeof patterns / sizeof *patterns; k++) {
            sort_case c = hybrid_make(CLSORT_U32, b->small ? 6000 : 170000 << g, patterns[k]);
            if (!takes_third(b, k)) continue;
            c.d.tuning.work_group = groups[g];
            if (!case_run(b, &c)) return;
        }
    }
}

static void hybrid_sorts_full_buckets(bench *b) { with_kernels_of_gpus(b, full_buckets); }

/* Values and indices, in place and out of place. Hybrid radix leaves patterns of keys that are not
   spread about evenly to the passes. */
static void pairs_of_every_pattern(bench *b)
{
    static const cl_uint types[] = { CLSORT_U32, CLSORT_F32, CLSORT_I32 };
    static const size_t counts[] = { 2, 769, 6007, 40009 };
    size_t i, k, indices;
    for (indices = 0; indices < 2; indices++)
        for (i = 0; i < (b->small ? 3u : 4u); i++)
            for (k = 0; pattern_name(k); k++) {
                sort_case c = hybrid_make(types[(k + i) % 3], counts[i] + k % 2, pattern_name(k));
                if (!pattern_applies(k, c.d.key_type)) continue;
                if (k && (k + indices) % 2 != i % 2) continue;
                if (!takes_third(b, (i + k) / 2)) continue;
                c.d.tuning.work_group = 64;
                c.d.value_size = indices ? 0 : 4;
                c.indices = (int)indices;
                c.d.nan_order = (cl_uint)k % 3;
                c.d.zero_order = k % 2 ? CLSORT_ZERO_EQUAL : CLSORT_ZERO_DISTINCT;
                c.keys_out = k % 5 > 2 ? CASE_OWN : 0;
                c.values_out = k % 4 > 1 && !indices ? CASE_OWN : 0;
                c.shift = k % 3;
                if (!case_run(b, &c)) return;
            }
}

static void hybrid_sorts_pairs(bench *b) { with_kernels_of_gpus(b, pairs_of_every_pattern); }

/* Keys that span about 2^24 codes, or another power of two: from there on values tell no cells
   apart. The sample spans a little less than the keys, the map of its cells a little more. */
static void pairs_of_spans(bench *b)
{
    const size_t seeds = b->small ? 24 : 100;
    size_t k;
    for (k = 0; k < seeds; k++) {
        sort_case c = hybrid_make(k % 3 ? CLSORT_U32 : CLSORT_I32, 17588 + k,
                                  k % 4 ? "span-24" : "span");
        if (!test_takes(b, 3)) continue;
        c.d.tuning.work_group = 64;
        c.indices = k % 5 == 4;
        c.d.value_size = c.indices ? 0 : 4;
        c.keys_out = k % 7 > 4 ? CASE_OWN : 0;
        if (!case_run(b, &c)) return;
    }
}

static void hybrid_sorts_pairs_of_spans(bench *b) { with_kernels_of_gpus(b, pairs_of_spans); }

/* Sorts pairs in place. */
static int sort_pairs(const bench *b, size_t n, cl_uint *keys, cl_uint *values)
{
    clsort_desc d = clsort_desc_default();
    d.count = n;
    d.key_type = CLSORT_I32;
    d.value_size = 4;
    d.tuning.work_group = 64;
    return CHECK_OK(clsort_set_algorithm(&d, "radix-hybrid"))
           && CHECK_OK(clsort_sort_host(b->sorter, &d, keys, values, NULL));
}

/* Equal keys come in the order of their values, however these lie before: of 4096 keys that are
   spread evenly, whose values are large, or small, or few. */
static void ties_by_value(bench *b)
{
    enum { N = 30011 };
    static cl_uint keys[2][N], values[2][N];
    uint64_t random = 1;
    unsigned way;
    size_t i;
    for (way = 0; way < 3; way++) {
        const cl_uint most = way == 0 ? ~0u : way == 1 ? N : 200;
        for (i = 0; i < N; i++) {
            keys[0][i] = keys[1][i] = (cl_uint)(pattern_random(&random) >> 52) << 20;
            values[0][i] = values[1][i] = (cl_uint)(pattern_random(&random) >> 20) % most;
        }
        for (i = N - 1; i > 0; i--) {
            const size_t j = (size_t)(pattern_random(&random) >> 33) % (i + 1);
            const cl_uint key = keys[1][i], value = values[1][i];
            keys[1][i] = keys[1][j];
            values[1][i] = values[1][j];
            keys[1][j] = key;
            values[1][j] = value;
        }
        if (!sort_pairs(b, N, keys[0], values[0]) || !sort_pairs(b, N, keys[1], values[1])) return;
        CHECK(!memcmp(keys[0], keys[1], sizeof *keys));
        CHECK(!memcmp(values[0], values[1], sizeof *values));
        for (i = 1; i < N; i++)
            if (!CHECK(keys[0][i] != keys[0][i - 1] || values[0][i] >= values[0][i - 1])) return;
    }
}

static void hybrid_orders_ties_by_value(bench *b) { with_kernels_of_gpus(b, ties_by_value); }

static int compare_uints(const void *a, const void *b)
{
    const cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;
    return (x > y) - (x < y);
}

/* Sorts keys, and compares them with a sort of the host. */
static int sort_codes(const bench *b, size_t n, cl_uint *keys)
{
    clsort_desc d = clsort_desc_default();
    cl_uint *wanted = malloc(n * sizeof *wanted);
    int right;
    if (!CHECK(wanted != NULL)) return 0;
    memcpy(wanted, keys, n * sizeof *wanted);
    qsort(wanted, n, sizeof *wanted, compare_uints);
    d.count = n;
    d.key_type = CLSORT_U32;
    d.tuning.work_group = 64;
    right = CHECK_OK(clsort_set_algorithm(&d, "radix-hybrid"))
            && CHECK_OK(clsort_sort_host(b->sorter, &d, keys, NULL, NULL))
            && CHECK(!memcmp(wanted, keys, n * sizeof *wanted));
    free(wanted);
    return right;
}

/* Second digits that are counted together with the first ones: one of each cell group, several;
   that are counted again since a cell group has too many keys; that have too few codes, and just
   enough. One key lies below the others, and two above. */
static void parts_of_cell_groups(bench *b)
{
    static const struct { size_t n; cl_uint codes; } cases[] = {
        { 200003, 0 }, { 302261, 1 << 30 }, { 302261, 0 }, { 700001, 0 }, { 911861, 0 },
        { 700001, 700 }, { 700001, 800 }, { 700001, 1 << 30 }
    };
    uint64_t random = 1;
    size_t k, i;
    for (k = 0; k < (b->small ? 2 : sizeof cases / sizeof *cases); k++) {
        const cl_uint codes = cases[k].codes;
        cl_uint *keys = malloc(cases[k].n * sizeof *keys);
        int right;
        if (!CHECK(keys != NULL)) return;
        AT("%zu keys of %u codes", cases[k].n, (unsigned)codes);
        for (i = 0; i < cases[k].n; i++) {
            keys[i] = (cl_uint)(pattern_random(&random) >> 20);
            keys[i] = codes ? keys[i] % codes + 1000 : keys[i];
        }
        if (codes) {
            keys[cases[k].n / 4] = 1;
            keys[cases[k].n / 3] = ~0u - 1;
            keys[cases[k].n / 2] = ~0u;
        }
        right = sort_codes(b, cases[k].n, keys);
        free(keys);
        if (!right) return;
    }
}

static void hybrid_counts_parts(bench *b) { with_kernels_of_gpus(b, parts_of_cell_groups); }

/* A work-group counts more equal keys than its counters of 16 bits hold, of which the sample has
   none. */
static void counters_overflow(bench *b)
{
    const size_t tile = 64 * 8, groups = 5 * (size_t)b->sorter->compute_units,
                 n = groups * 140 * tile;
    cl_uint *keys = groups <= 40 ? malloc(n * sizeof *keys) : NULL;
    uint64_t random = 1;
    size_t i;
    if (groups > 40 || !CHECK(keys != NULL)) return;
    for (i = 0; i < n; i++)
        keys[i] = i / tile % groups ? (cl_uint)(pattern_random(&random) >> 20) : 123456789;
    for (i = 0; i < 1 << 14; i++)
        keys[pattern_hybrid_place(i, n)] = (cl_uint)(pattern_random(&random) >> 20);
    sort_codes(b, n, keys);
    free(keys);
}

static void hybrid_notes_overflow(bench *b) { with_kernels_of_gpus(b, counters_overflow); }

static void hybrid_is_for_some_elements(bench *b)
{
    static const struct { cl_uint type, stable; size_t value_size; int indices; cl_uint last_bit;
                          int hybrid; } kinds[] = {
        { CLSORT_U32, 0, 0, 0, 0, 1 },  { CLSORT_F64, 0, 0, 0, 0, 1 },
        { CLSORT_U16, 0, 0, 0, 0, 0 },  { CLSORT_U32, 0, 0, 0, 31, 0 },
        { CLSORT_U32, 0, 4, 0, 0, 1 },  { CLSORT_U32, 1, 4, 0, 0, 0 },
        { CLSORT_F32, 0, 4, 0, 0, 1 },  { CLSORT_F32, 0, 2, 0, 0, 0 },
        { CLSORT_I64, 0, 4, 0, 0, 0 },  { CLSORT_I16, 0, 4, 0, 0, 0 },
        { CLSORT_I32, 0, 4, 0, 31, 0 }, { CLSORT_I32, 1, 0, 1, 0, 1 },
        { CLSORT_U64, 0, 0, 1, 0, 0 },  { CLSORT_U32, 1, 12, 0, 0, 1 }
    };
    size_t i;
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        sort_case c = hybrid_make(kinds[i].type, 1000, "uniform");
        AT("kind %zu", i);
        c.d.stable = kinds[i].stable;
        c.d.value_size = kinds[i].value_size;
        c.d.last_bit = kinds[i].last_bit;
        if (kinds[i].indices) c.d.indices = CLSORT_LATER;
        CHECK(is_hybrid(b, &c) == kinds[i].hybrid);
    }
}

/* ---- radix of samples ------------------------------------------------------------------------ */

static sort_case samples_make(cl_uint type, size_t n, const char *pattern)
{
    sort_case c = hybrid_make(type, n, pattern);
    c.algorithm = "radix-samples";
    c.d.tuning.work_group = 64;
    return c;
}

/* Every pattern in one tile, in two and more, where in place, and for the most keys. */
static void samples_of_every_pattern(bench *b)
{
    static const cl_uint types[] = { CLSORT_U32, CLSORT_F64, CLSORT_F32, CLSORT_I64 };
    size_t t, i, k;
    for (t = 0; t < (b->few_programs ? 2u : 4u); t++) {
        const size_t held = types[t] == CLSORT_F64 || types[t] == CLSORT_I64 ? 64 * 8 : 64 * 16;
        const size_t counts[] = { held, 3, 3073, 4 * held + 1, 7777, held / 16 * held };
        if (!test_takes(b, 4)) continue;
        for (i = b->small ? 2 : 0; i < (b->small ? 5u : 6u); i++)
            for (k = 0; pattern_name(k); k++) {
                sort_case c = samples_make(types[t], counts[i] - k % 2, pattern_name(k));
                if (!pattern_applies(k, types[t]) || (b->small && k % 3 != i % 3)) continue;
                if (!takes_third(b, i + k)) continue;
                c.keys_out = k % 3 == 2 ? CASE_OWN : 0;
                c.d.nan_order = k & 1;
                if (!case_run(b, &c)) return;
            }
    }
}

/* The work-groups that a GPU would choose, and the most keys. On CPUs the compiler takes half a
   minute for them. */
static void samples_sort_in_large_groups(bench *b)
{
    static const char *const patterns[] = { "uniform", "mostly-zero", "sign-edges", "sorted" };
    size_t k;
    if (test_is_cpu(b)) return;
    for (k = 0; k < (b->small ? 1 : sizeof patterns / sizeof *patterns); k++) {
        sort_case c = samples_make(CLSORT_U32, b->small ? 6000 : 256 * 4096 - k, patterns[k]);
        c.d.tuning.work_group = 256;
        if (!case_run(b, &c)) return;
    }
}

/* Keys in place, for radix of samples with small work-groups. */
static clsort_desc samples_desc(cl_mem keys, size_t n)
{
    clsort_desc d = clsort_desc_default();
    d.keys = keys;
    d.key_type = CLSORT_U32;
    d.count = n;
    CHECK_OK(clsort_set_algorithm(&d, "radix-samples"));
    d.tuning.work_group = 64;
    return d;
}

/* `sorted` has room for as many. */
static void sort_by_samples(bench *b, cl_uint *keys, cl_uint *sorted, size_t n)
{
    const size_t bytes = n * sizeof *keys;
    cl_int code;
    cl_mem buffer = clCreateBuffer(b->session.context, CL_MEM_COPY_HOST_PTR, bytes, keys, &code);
    const clsort_desc d = samples_desc(buffer, n);
    if (!CHECK(code == CL_SUCCESS)) return;
    memcpy(sorted, keys, bytes);
    qsort(sorted, n, sizeof *sorted, compare_uints);
    CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(b->session.queue, buffer, CL_TRUE, 0, bytes, keys, 0, NULL, NULL)
          == CL_SUCCESS);
    CHECK(!memcmp(keys, sorted, bytes));
    clReleaseMemObject(buffer);
}

/* As sort_samples of kernels.cl. */
static size_t sample_of_two(cl_uint seed, cl_uint i, size_t n, size_t samples)
{
    const cl_uint noise = (seed + i + 1) * 0x9E3779B9u,
                  jitter = (noise ^ noise >> 15) * 0x85EBCA6Bu;
    return i * (n / samples) + (size_t)((cl_ulong)jitter * (n / samples) >> 32);
}

/* Samples are the lowest codes or, some of them, the highest; the others, more than a work-group
   holds, are in one bucket: any codes, one code, the top code, few codes that are close, powers of
   two. */
static void make_misleading(cl_uint *keys, cl_uint seed, size_t n, size_t samples, cl_uint kind)
{
    size_t i;
    for (i = 0; i < n; i++) {
        const cl_uint noise = (cl_uint)(i + 1) * 0x9E3779B9u;
        keys[i] = kind % 5 == 0   ? noise | 1u << 31
                  : kind % 5 == 1 ? 3000000000u
                  : kind % 5 == 2 ? 0xFFFFFFFFu
                  : kind % 5 == 3 ? 0x80000000u - noise % 3
                                  : 1u << (16 + i % 16);
    }
    for (i = 0; i < samples; i++)
        keys[sample_of_two(seed, (cl_uint)i, n, samples)]
            = kind >= 5 && i % 3 == 0 ? 0xFFFFFFF0u + (cl_uint)i % 8 : (cl_uint)(i * 7 % 256);
}

/* Two launches, with samples that say nothing of most keys: whatever the kind, one bucket has more
   keys than a work-group holds. */
static void misleading_samples(bench *b)
{
    enum { N = 9 * 64 * 16 + 5 };
    static cl_uint keys[N], sorted[N];
    const clsort_desc d = samples_desc(NULL, N);
    clsort__plan p;
    cl_uint kind;
    clsort__make_plan(b->sorter, &d, &p);
    CHECK(p.config.family == CLSORT__SAMPLES && !p.config.subset);
    for (kind = 0; kind < 10; kind++) {
        AT("kind %u", (unsigned)kind);
        make_misleading(keys, b->sorter->seed, N, clsort__cut_samples(&p.config, N).samples, kind);
        sort_by_samples(b, keys, sorted, N);
    }
}

/* Pairs whose values go to another array, and indices; equal keys keep their order. One bucket and
   one tile; more of both; the most pairs. Pairs in place are sorted by passes. */
static void samples_of_pairs(bench *b)
{
    static const cl_uint types[] = { CLSORT_U32, CLSORT_F32, CLSORT_I32 };
    static const size_t counts[] = { 2, 513, 3001, 64 * 256 };
    size_t i, k;
    for (i = 0; i < (b->small ? 3u : 4u); i++)
        for (k = 0; pattern_name(k); k++) {
            sort_case c = samples_make(types[(k + i) % 3], counts[i] - k % 2, pattern_name(k));
            if (!pattern_applies(k, c.d.key_type) || (b->small && k % 3 != i % 3)) continue;
            if (!takes_third(b, i + k)) continue;
            c.indices = (int)(k + i) % 2;
            c.d.value_size = c.indices ? 0 : 4;
            c.d.stable = 1;
            c.d.nan_order = k & 1;
            c.keys_out = k % 5 > 2 ? CASE_OWN : 0;
            c.values_out = k % 7 && !c.indices ? CASE_OWN : 0;
            c.shift = k % 3;
            if (!case_run(b, &c)) return;
        }
}

static void samples_sort_pairs(bench *b) { with_kernels_of_gpus(b, samples_of_pairs); }

/* The kernels are not given up, as they are where they do not build. */
static void samples_are_kept(bench *b)
{
    sort_case c = samples_make(CLSORT_U32, 5000, "uniform");
    CHECK(case_run(b, &c) && !(b->sorter->broken & CLSORT__BIT(CLSORT__SAMPLES)));
    c.d.value_size = 4;
    c.values_out = CASE_OWN;
    CHECK(case_run(b, &c) && !(b->sorter->broken & CLSORT__BIT(CLSORT__SAMPLES)));
}

static void samples_build(bench *b) { with_kernels_of_gpus(b, samples_are_kept); }

/* The tables have room at every count, although others lay them out. */
static void samples_have_room(bench *b)
{
    static const cl_uint types[] = { CLSORT_U32, CLSORT_U64 };
    size_t n, t;
    for (t = 0; t < 2; t++)
        for (n = 2; n <= 64 * 1024; n += n / 7 + 1) {
            sort_case c = samples_make(types[t], n, "uniform");
            clsort__plan p;
            CHECK_OK(clsort_set_algorithm(&c.d, c.algorithm));
            clsort__make_plan(b->sorter, &c.d, &p);
            if (p.config.family == CLSORT__SAMPLES && !p.config.subset)
                CHECK(clsort__samples_tables(&p.config, n) <= clsort__radix_tables(b->sorter, &p));
        }
}

static void samples_sort_every_pattern(bench *b)
{
    with_kernels_of_gpus(b, samples_of_every_pattern);
}

static void samples_may_mislead(bench *b) { with_kernels_of_gpus(b, misleading_samples); }

/* ---- radix by ranks -------------------------------------------------------------------------- */

/* Every pattern around a block, the first part of the others, and the most elements of one launch;
   all widths of keys and values; in place and not. */
static void ranks_of_every_pattern(bench *b)
{
    static const struct { cl_uint type; size_t values, record; int indices; } kinds[]
        = { { CLSORT_I32, 4, 0, 0 }, { CLSORT_F32, 0, 0, CASE_OWN }, { CLSORT_F64, 8, 0, 0 },
            { CLSORT_F32, 0, 12, 0 }, { CLSORT_I64, 12, 0, 0 }, { CLSORT_U16, 3, 0, 0 },
            { CLSORT_I8, 0, 0, 0 }, { CLSORT_U64, 0, 0, 0 } };
    static const size_t counts[] = { 320, 16, 1000, 4096, 2, 64, 319, 4098 };
    size_t t, i, k;
    for (t = 0; t < (b->few_programs ? 4u : 8u); t++) {
        if (!test_takes(b, 3)) continue;
        for (i = 0; i < (b->small ? 3u : 8u); i++)
            for (k = 0; pattern_name(k); k++) {
                sort_case c = samples_make(kinds[t].type, counts[i] - k % 2, pattern_name(k));
                if (!pattern_applies(k, kinds[t].type) || (b->small && k % 3 != i)) continue;
                if (!takes_third(b, i + k)) continue;
                c.d.value_size = kinds[t].values;
                c.d.record_size = kinds[t].record;
                c.d.key_offset = kinds[t].record ? 4 : 0;
                c.d.stable = 1;
                c.d.order = k >> 1 & 1;
                c.d.nan_order = k & 1;
                c.keys_out = k % 3 ? CASE_OWN : 0;
                c.values_out = kinds[t].values && k % 4 ? CASE_OWN : 0;
                c.indices = kinds[t].indices;
                if (!case_run(b, &c)) return;
            }
    }
}

static void ranks_sort_every_pattern(bench *b) { with_kernels_of_gpus(b, ranks_of_every_pattern); }

/* The work-group of NVIDIA's GPUs, with blocks of more elements than a part has work-items. */
static void ranks_sort_in_large_groups(bench *b)
{
    static const size_t counts[] = { 16384, 5000, 512, 31 };
    size_t i;
    for (i = b->small ? 1 : 0; i < 4; i++) {
        sort_case c = samples_make(CLSORT_U32, counts[i], i % 2 ? "zipf" : "mod-3");
        c.d.tuning.work_group = 512;
        c.d.value_size = 4;
        c.d.stable = 1;
        c.keys_out = c.values_out = CASE_OWN;
        if (!case_run(b, &c)) return;
    }
}

/* ---- radix in cache -------------------------------------------------------------------------- */

static int is_cached(const bench *b, const sort_case *c)
{
    return runs_kernel(b, c, "clsort_cached_");
}

static sort_case cached_make(cl_uint type, size_t n, const char *pattern)
{
    sort_case c = hybrid_make(type, n, pattern);
    c.algorithm = "radix-cached";
    return c;
}

/* One work-item sorts up to 65536 elements; more are cut into ranges. */
static void cached_sorts_every_pattern(bench *b)
{
    static const cl_uint types[] = { CLSORT_U32, CLSORT_F32, CLSORT_I64, CLSORT_F64 };
    static const size_t counts[] = { 255, 257, 5000, 65535, 65537, 150001 };
    size_t t, i, k;
    for (t = 0; t < (b->few_programs ? 2u : 4u); t++)
        for (i = 0; i < (b->small ? 3u : 6u); i++)
            for (k = 0; pattern_name(k); k++) {
                sort_case c = cached_make(types[t], counts[i] + k % 2, pattern_name(k));
                if (!pattern_applies(k, types[t]) || (i > 2 && k % 3 != i % 3)) continue;
                if (i < 3 && !takes_third(b, i + k)) continue;
                c.keys_out = k % 3 == 2 ? CASE_OWN : 0;
                c.d.nan_order = k & 1;
                if (!case_run(b, &c)) return;
            }
}

/* Networks of 4, 8 and 16 rows, partitions of a few rows, with every length of the last row. */
static void cached_sorts_every_count(bench *b)
{
    static const cl_uint types[] = { CLSORT_U32, CLSORT_U64 };
    size_t t, n;
    for (t = 0; t < 2; t++)
        for (n = 1; n < (b->small ? 300u : 1030u); n++) {
            sort_case c = cached_make(types[t], n, n % 5 ? "uniform" : "mod-16");
            if (!case_run(b, &c)) return;
        }
}

/* Stable, with values of every size, records and indices. */
static void cached_moves_payloads(bench *b)
{
    static const cl_uint sizes[] = { 1, 2, 4, 6, 8, 24 };
    const size_t n = b->small ? 3000 : 90001;
    size_t i;
    for (i = 0; i < (b->few_programs ? 3u : 6u); i++) {
        sort_case c = cached_make(i & 1 ? CLSORT_F64 : CLSORT_U32, n, "mod-1024");
        if (!test_takes(b, 3)) continue;
        c.d.value_size = sizes[i];
        c.d.stable = 1;
        if (!case_run(b, &c)) return;
        c.d.value_size = 0;
        c.indices = 1;
        if (!case_run(b, &c)) return;
        c = cached_make(CLSORT_U32, n, "zipf");
        c.d.record_size = 4 * (i + 2);
        c.d.key_offset = 4;
        if (!case_run(b, &c)) return;
    }
}

/* Pairs of 4 bytes each, as they are and by index, at every length of a row, at the edges of leaves
   and of one launch, and where spare lanes end. */
static int pairs_in_cache(bench *b, size_t most)
{
    static const char *const patterns[] = { "uniform", "mod-16", "equal", "sorted", "zipf" };
    static const size_t counts[] = { 1, 31, 33, 63, 64, 65, 127, 128, 129, 130, 191, 257, 1023,
                                     3001, 65536, 65537, 80007 };
    size_t i;
    for (i = 0; i < sizeof counts / sizeof *counts && counts[i] <= most; i++) {
        sort_case c = cached_make(i % 3 ? CLSORT_F32 : CLSORT_I32, counts[i], patterns[i % 5]);
        c.d.order = i % 2 ? CLSORT_DESCENDING : CLSORT_ASCENDING;
        c.d.nan_order = (cl_uint)i % 3;
        c.own_scratch = i % 4 == 3;
        c.shift = i % 4;
        c.indices = i % 7 == 6;
        if (!c.indices) c.d.value_size = 4;
        c.keys_out = i % 5 == 4 ? CASE_OWN : 0;
        c.values_out = i % 5 == 4 && !c.indices && i % 2 ? CASE_OWN : 0;
        if (!case_run(b, &c)) return 0;
        c.pattern = patterns[(i + 2) % 5];
        if (!case_run(b, &c)) return 0;
    }
    return 1;
}

/* In both forms; with so many cores that few lanes are spare, or none. */
static void cached_packs_pairs(bench *b)
{
    static const struct { const char *options; cl_uint cores; size_t most; } forms[] = {
        { NULL, 0, 80007 }, { NULL, 128, 80007 }, { NULL, 255, 80007 },
        { "-DCLSORT_NO_VECTORS=1", 0, 3001 }
    };
    bench other = *b;
    size_t i;
    int good = test_is_cpu(b);
    for (i = 0; i < sizeof forms / sizeof *forms && good; i++) {
        more_options = forms[i].options;
        other.sorter = pretending_sorter(b, 0, forms[i].cores, 0);
        good = other.sorter && pairs_in_cache(&other, b->small ? 3001 : forms[i].most);
        clsort_destroy(other.sorter);
    }
    more_options = NULL;
}

/* Bare keys in the form of compilers that show no instructions that compress: runs of 64 or 128 are
   merged; on the simulator, too, which says that it has no vectors. */
static void cached_merges_vectors(bench *b)
{
    static const char *const patterns[] = { "uniform", "equal", "zipf", "sorted" };
    static const size_t counts[] = { 1,   16,  17,  31,  32,  33,   63,   64,    65,    127,   128,
                                     129, 191, 255, 256, 257, 1000, 7777, 10000, 65535, 65536 };
    const size_t most = sizeof counts / sizeof *counts - (b->small ? 4 : 0);
    bench other = *b;
    size_t i;
    if (!b->sorter->is_cpu) return;
    more_options = "-DCLSORT_NO_COMPRESS=1";
    other.sorter = fresh_sorter(b, 0);
    if (other.sorter) other.sorter->has_vectors = 1;
    for (i = 0; i < 2 * most && other.sorter; i++) {
        sort_case c = cached_make(i & 1 ? CLSORT_F64 : CLSORT_I32, counts[i / 2],
                                  patterns[i % 5 % 4]);
        c.d.order = i & 2 ? CLSORT_DESCENDING : CLSORT_ASCENDING;
        c.keys_out = i % 3 ? 0 : CASE_OWN;
        if (!case_run(&other, &c)) break;
    }
    clsort_destroy(other.sorter);
    more_options = NULL;
}

/* Sorts patterns in which a key is common; with more elements than fit into caches, which are moved
   by whole lines, and with fewer. */
static void sort_common_keys(const bench *b)
{
    static const char *const patterns[] = { "mostly-zero", "equal", "mod-2", "mod-3",  "mod-4",
                                            "and-4",       "zipf",  "and-2", "min-max" };
    static const cl_uint types[] = { CLSORT_U32, CLSORT_F32, CLSORT_I64, CLSORT_F64 };
    static const size_t counts[] = { 65537, 70001, 1 << 19, (1 << 20) + 1, (1 << 21) - 1 };
    size_t i;
    for (i = 0; i < 36; i++) {
        sort_case c = cached_make(types[i % 4], counts[i % 5], patterns[i % 9]);
        if (i % 5 > 2 && !test_takes(b, 3)) continue;
        c.d.order = i & 4 ? CLSORT_DESCENDING : CLSORT_ASCENDING;
        c.keys_out = i & 8 ? CASE_OWN : 0;
        c.d.value_size = i % 7 == 6 ? 4 : 0;
        if (!case_run(b, &c)) return;
    }
}

/* A key that is most of the sample; then any that is in it, which has others on both sides in its
   range, also where all ranges are in use. */
static void cached_leaves_common_keys(bench *b)
{
    const sort_case many = cached_make(CLSORT_U32, (1 << 22) + 1, "uniform");
    bench other = *b;
    if (!b->sorter->is_cpu || b->small) return;
    sort_common_keys(b);
    edited.text = "often>=CLSORT__EDGE_CACHED_COMMON(size)";
    edited.other = "often>0";
    edited.programs = 0;
    other.sorter = fresh_sorter(b, 0);
    if (other.sorter) sort_common_keys(&other);
    if (other.sorter) case_run(&other, &many);
    CHECK(edited.programs > 0);
    CHECK(!other.sorter || !(other.sorter->broken & CLSORT__BIT(CLSORT__CACHED)));
    edited.text = NULL;
    clsort_destroy(other.sorter);
}

/* Rows around the vectors that are sorted in registers and the runs that these are merged to, with
   and without instructions that compress. */
static void rows_of_vectors(bench *b)
{
    static const char *const options[] = { NULL, "-DCLSORT_NO_COMPRESS=1",
                                           "-DCLSORT_NO_VECTORS=1" };
    static const size_t lengths[] = { 9,   15,  16,  17,  31,  32,  33,  63,  64,  65,
                                      127, 128, 129, 192, 255, 256, 257, 511, 513, 1000 };
    static const char *const patterns[] = { "uniform", "mod-16", "sorted" };
    bench other = *b;
    size_t form, i;
    if (!test_is_cpu(b)) return;
    for (form = 0; form < 3; form++) {
        more_options = options[form];
        other.sorter = fresh_sorter(b, 0);
        for (i = 0; i < 2 * sizeof lengths / sizeof *lengths && other.sorter; i++) {
            sort_case c = radix_make(i & 1 ? CLSORT_U64 : CLSORT_F32, lengths[i / 2],
                                     patterns[i % 3]);
            c.algorithm = "auto";
            c.d.value_size = 0;
            c.d.order = (cl_uint)(i / 2 & 1);
            c.keys_out = i % 3 ? 0 : CASE_OWN;
            c.d.rows = 7;
            c.d.row_stride = (lengths[i / 2] + i % 4) * (i & 1 ? 8 : 4);
            if (!case_run(&other, &c)) break;
        }
        clsort_destroy(other.sorter);
    }
    more_options = NULL;
}

/* Packed elements need keys and values of the second array in one buffer. */
static void cached_needs_one_buffer(bench *b)
{
    sort_case c = cached_make(CLSORT_U32, 200000, "uniform");
    bench other = *b;
    c.d.value_size = 4;
    other.sorter = fresh_sorter(b, 0);
    if (!other.sorter) return;
    other.sorter->max_allocation = 1599999;
    CHECK(!is_cached(&other, &c));
    CHECK(case_run(&other, &c));
    other.sorter->max_allocation = 1600000;
    CHECK(is_cached(&other, &c) == test_is_cpu(b));
    CHECK(case_run(&other, &c));
    clsort_destroy(other.sorter);
}

/* With three cores or more, passes are behind, and sort where a range has too many elements. */
static void cached_leaves_heavy_ranges(bench *b)
{
    static const char *const patterns[] = { "uniform", "zipf", "mostly-zero", "outliers",
                                            "powers-of-two" };
    size_t k;
    if (b->small) return;
    for (k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        sort_case c = cached_make(CLSORT_U32, (1 << 19) + k, patterns[k]);
        if (!case_run(b, &c)) return;
        c.d.value_size = 4;
        if (!case_run(b, &c)) return;
    }
}

static void cached_is_for_long_keys(bench *b)
{
    sort_case c = cached_make(CLSORT_F64, 1000, "uniform");
    const int cpu = is_cached(b, &c);
    c.d.value_size = 4;
    CHECK(is_cached(b, &c) == cpu);
    c.d.key_type = CLSORT_U16;
    CHECK(!is_cached(b, &c));
    c.d.key_type = CLSORT_U32;
    CHECK(is_cached(b, &c) == cpu);
    c.d.last_bit = 31;
    CHECK(!is_cached(b, &c));
    c.d.last_bit = 0;
    c.d.tuning.work_group = 64;
    CHECK(!is_cached(b, &c));
}

static const test_entry tests[] = {
    { "every type is sorted in both orders, equal keys in theirs", every_type },
    { "values of 0 to 8 bytes move with keys of every width", every_value_size },
    { "larger values are moved by index", larger_values },
    { "argsort gives the stable permutation", argsort },
    { "equal zeros keep their order, NaNs go last", zeros_and_nans },
    { "keys that differ in one bit are sorted by it", one_bit_decides },
    { "digits that are the same everywhere change nothing", one_digit_decides },
    { "one key that differs finds its place", one_key_decides },
    { "odd and even numbers of passes end in the right array", every_number_of_passes },
    { "every part of a code of 8 or 16 bits is sorted by", every_part_of_short_codes },
    { "parts of codes of 32 and 64 bits are sorted by", parts_of_long_codes },
    { "the last bit is the key's width if not given", default_bits },
    { "wrong bits are rejected", wrong_bits_are_rejected },
    { "AUTO takes radix for some bits", auto_takes_radix },
    { "prepare builds what radix needs", preparing_builds_radix },
    { "prepare runs kernels of work-groups", preparing_builds_work_groups },
    { "every pattern is sorted", every_pattern },
    { "tiles and blocks are sorted, one row less and one more", tiles_and_blocks },
    { "sweeps sort", sweeps_sort },
    { "order is checked by some bits", order_is_checked_by_some_bits },
    { "results by some bits are proven, wrong ones are found", results_by_some_bits_are_proven },
    { "hybrid radix sorts every pattern", hybrid_sorts_every_pattern },
    { "hybrid radix sorts pairs", hybrid_sorts_pairs },
    { "radix of samples sorts every pattern", samples_sort_every_pattern },
    { "ranks sort every pattern", ranks_sort_every_pattern },
    { "radix in cache sorts every pattern", cached_sorts_every_pattern },
    { "radix in cache moves payloads, stable", cached_moves_payloads },
    { "radix in cache sorts bare keys by merges of vectors", cached_merges_vectors },
    { "radix in cache counts a common key", cached_leaves_common_keys },
    { "fields of any number take one sort or several", fields_take_several_sorts },
    { "tables of earlier sorts do no harm", stale_tables },
    { "sorters that check themselves know bits", self_checking_sorters_know_bits },
    { "more blocks than a table holds are sorted", many_blocks },
    { "long arrays are sorted", long_arrays },
    TEST_REST,
    { "records of every size are sorted by their key", records },
    { "stretches of 32 blocks are added up", stretches_of_blocks },
    { "every work-group size and number of items sorts", every_work_group },
    { "the work-groups that a GPU would choose sort", gpus_choice },
    { "the low digits of pairs of long keys are sorted by insertion", equal_prefixes_are_sorted },
    { "work-groups sort every kind of payload", work_groups_take_every_payload },
    { "work-groups sort by some bits", work_groups_sort_by_some_bits },
    { "devices of little local memory sort", little_local_memory },
    { "keys that are written by lines arrive at every alignment", keys_are_written_by_lines },
    { "elements of a digit are written together", elements_are_written_together },
    { "elements of long segments are, too", long_pieces_are_written_together },
    { "hybrid radix cuts wide codes evenly", hybrid_cuts_wide_codes },
    { "sweeps follow where hybrid radix gives up", sweeps_follow_hybrid },
    { "hybrid radix cuts codes by what keys have", hybrid_plans_fit_keys },
    { "hybrid radix counts heavy codes", hybrid_counts_heavy_codes },
    { "hybrid radix sorts buckets above their capacity", hybrid_sorts_full_buckets },
    { "hybrid radix sorts pairs whose keys span about 2^24 codes", hybrid_sorts_pairs_of_spans },
    { "hybrid radix orders equal keys by their values", hybrid_orders_ties_by_value },
    { "hybrid radix counts second digits at once", hybrid_counts_parts },
    { "hybrid radix notes that a counter was too small", hybrid_notes_overflow },
    { "hybrid radix takes bare keys, and pairs of two words", hybrid_is_for_some_elements },
    { "radix of samples sorts the most keys", samples_sort_in_large_groups },
    { "radix of samples sorts buckets of any length", samples_may_mislead },
    { "ranks sort in large work-groups", ranks_sort_in_large_groups },
    { "radix of samples sorts pairs", samples_sort_pairs },
    { "radix of samples has room for its tables", samples_have_room },
    { "radix of samples builds its kernels", samples_build },
    { "radix in cache sorts every count", cached_sorts_every_count },
    { "rows around what vectors hold are sorted", rows_of_vectors },
    { "radix in cache packs pairs", cached_packs_pairs },
    { "radix in cache needs pairs in one buffer", cached_needs_one_buffer },
    { "radix in cache leaves heavy ranges to passes", cached_leaves_heavy_ranges },
    { "radix in cache takes keys of 4 and 8 bytes", cached_is_for_long_keys },
    { "the caller's scratch is enough, whatever is in it", callers_scratch }
};

TEST_MAIN(tests)
