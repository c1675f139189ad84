/* Some bits of the key decide: codes are turned and compared whole, or passes take the digits that
   count. With `stable`, what is equal in the chosen bits keeps its order. */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "cases.h"
#include "pretenders.h"

/* Also all chosen bits equal and the others not, and the other way round. */
static const struct { cl_uint type, first, last; const char *pattern; } ranges[] = {
    { CLSORT_U64, 0, 45, "uniform" },    { CLSORT_U64, 0, 1, "uniform" },
    { CLSORT_U64, 0, 32, "upper-half" }, { CLSORT_U64, 32, 64, "lower-half" },
    { CLSORT_U64, 63, 64, "uniform" },   { CLSORT_U64, 0, 63, "and-10" },
    { CLSORT_I64, 5, 60, "zipf" },       { CLSORT_F64, 2, 52, "nans-10" },
    { CLSORT_U32, 7, 19, "uniform" },    { CLSORT_U32, 31, 32, "uniform" },
    { CLSORT_U32, 0, 16, "upper-half" }, { CLSORT_U32, 16, 32, "lower-half" },
    { CLSORT_U32, 0, 31, "sorted" },     { CLSORT_U32, 1, 30, "reverse" },
    { CLSORT_I32, 3, 31, "mod-1024" },   { CLSORT_F32, 4, 31, "around-zero" },
    { CLSORT_F32, 0, 31, "nans-10" },    { CLSORT_U16, 1, 15, "uniform" },
    { CLSORT_F16, 0, 12, "nans-10" },    { CLSORT_I8, 2, 7, "uniform" },
    { CLSORT_U32, 0, 32, "uniform" }
};
enum { RANGES = sizeof ranges / sizeof *ranges };

/* What moves with the keys: bytes of values, or of records; indices. */
static const struct { size_t value, record; int indices; } loads[] = {
    { 0, 0, 0 }, { 4, 0, 0 }, { 0, 0, 1 }, { 8, 0, 0 }, { 0, 16, 0 }, { 12, 0, 0 }
};
enum { LOADS = sizeof loads / sizeof *loads };

static sort_case bits_case(size_t i, size_t load, size_t n, const char *form)
{
    sort_case c = case_make(ranges[i].type, n, ranges[i].pattern);
    c.algorithm = form;
    c.seed = 7 * i + load;
    c.d.first_bit = ranges[i].first;
    c.d.last_bit = ranges[i].last;
    c.d.order = (cl_uint)(i + load / 2) % 2;
    c.d.nan_order = (cl_uint)(i % 3 == 1 ? CLSORT_NAN_LAST : CLSORT_NAN_TOTAL);
    c.d.value_size = loads[load % LOADS].value;
    c.d.record_size = loads[load % LOADS].record;
    c.d.key_offset = c.d.record_size / 2;
    c.indices = loads[load % LOADS].indices;
    c.keys_out = (int)(i % 2) * CASE_OWN;
    c.values_out = c.d.value_size ? c.keys_out : 0;
    c.own_scratch = i % 3 == 2;
    return c;
}

/* By bits no more scratch memory is needed than without. */
static int takes_no_more(const bench *b, const sort_case *c)
{
    clsort_desc d = c->d;
    size_t some = 0, all = 0;
    case_say(c);
    if (c->algorithm && !CHECK_OK(clsort_set_algorithm(&d, c->algorithm))) return 0;
    later(&d, case_roles(c));
    if (!CHECK_OK(clsort_scratch_size(b->sorter, &d, &some))) return 0;
    d.first_bit = d.last_bit = 0;
    return CHECK_OK(clsort_scratch_size(b->sorter, &d, &all)) && CHECK(some <= all);
}

static int run_bits(const bench *b, sort_case c)
{
    return (c.d.stable || takes_no_more(b, &c)) && case_run(b, &c);
}

static int sort_ranges(const bench *b, const char *form, const size_t *counts, size_t number)
{
    size_t i, k;
    for (k = 0; k < number; k++)
        for (i = k; i < RANGES; i += b->few_programs ? (form ? 6 : 2) : 1)
            if (!run_bits(b, bits_case(i, i % 5 + (i + k) / 5, counts[k], form))) return 0;
    return 1;
}

static void by_auto(bench *b)
{
    static const size_t counts[] = { 2, 100, 1000, 5000, 70000 };
    sort_ranges(b, NULL, counts, b->small ? 3 : 5);
}

/* Forms of radix are stable by name, so passes do what they are asked for. */
static void by_every_name(bench *b)
{
    static const char *const names[] = { "bitonic",      "bitonic-b4",   "radix",
                                         "radix-cached", "radix-hybrid", "quicksort" };
    static const size_t counts[] = { 3, 700, 9000 };
    size_t i = sizeof names / sizeof *names;
    while (i-- > 0)
        if (!sort_ranges(b, names[i], counts, b->small ? 2 : 3)) return;
}

static void stable_order(bench *b)
{
    static const size_t counts[] = { 100, 3000, 70000 };
    size_t i, k;
    for (k = 0; k < (b->small ? 2u : 3u); k++)
        for (i = 0; i < RANGES; i++) {
            sort_case c = bits_case(i, i + k, counts[k], NULL);
            c.d.stable = 1;
            if (!run_bits(b, c)) return;
            c.algorithm = i % 2 ? "radix" : "radix-hybrid";
            if (!run_bits(b, c)) return;
            c.d.stable = i % 2 == 0;   /* radix is stable by name */
            if (!run_bits(b, c)) return;
        }
}

/* By most bits AUTO takes what it takes for whole keys, from the same counts on. */
static void same_forms(bench *b)
{
    size_t n, load;
    for (load = 0; load < LOADS; load++)
        for (n = 16; n <= 1u << 18; n *= 4) {
            sort_case c = bits_case(0, load, n, NULL);
            clsort_desc some = clsort_desc_default(), all = some;
            c.d.first_bit = 1, c.d.last_bit = 62;
            case_say(&c);
            later(&c.d, case_roles(&c));
            CHECK_OK(clsort_resolve(b->sorter, &c.d, &some));
            c.d.first_bit = c.d.last_bit = 0;
            CHECK_OK(clsort_resolve(b->sorter, &c.d, &all));
            CHECK(some.algorithm == all.algorithm && some.tuning.variant == all.tuning.variant);
        }
}

/* Merges of turned codes take as long as merges of whole keys, so passes must be few to be
   faster; from its crossover on, hybrid radix is. */
static void merges_by_most_bits(const bench *b)
{
    static const struct { size_t n, load; cl_uint last, algorithm; } way[] = {
        { 1u << 17, 1, 45, CLSORT_MERGE }, { 1u << 17, 5, 33, CLSORT_MERGE },
        { 1u << 17, 1, 32, CLSORT_RADIX }, { 1u << 23, 1, 45, CLSORT_RADIX }
    };
    size_t i;
    for (i = 0; i < sizeof way / sizeof *way; i++) {
        sort_case c = bits_case(0, way[i].load, way[i].n >> test_crossover_log2, NULL);
        clsort_desc d = clsort_desc_default();
        c.d.last_bit = way[i].last;
        case_say(&c);
        later(&c.d, case_roles(&c));
        CHECK_OK(clsort_resolve(b->sorter, &c.d, &d));
        CHECK(d.algorithm == way[i].algorithm);
    }
}

/* AUTO where 2^crossover_log2 times fewer elements take the plans of many, on CPUs also as another
   device. */
static void on_another(const bench *b, cl_device_type type, unsigned crossover_log2)
{
    static const size_t counts[] = { 60, 2000, 20000 };
    const int is_cpu = test_is_cpu(b);
    bench other = *b;
    test_crossover_log2 = crossover_log2;
    more_options = is_cpu ? quick_builds(b) : NULL;
    other.sorter = is_cpu ? pretending_sorter(b, type, 8, 48 << 10) : fresh_sorter(b, 0);
    if (other.sorter && is_cpu && type == CL_DEVICE_TYPE_GPU) merges_by_most_bits(&other);
    if (other.sorter) same_forms(&other), sort_ranges(&other, NULL, counts, b->small ? 2 : 3);
    clsort_destroy(other.sorter);
    more_options = NULL;
    test_crossover_log2 = 0;
}

static void few_on_gpus(bench *b) { on_another(b, CL_DEVICE_TYPE_GPU, 0); }
static void many_on_gpus(bench *b) { on_another(b, CL_DEVICE_TYPE_GPU, 10); }
static void many_on_cpus(bench *b) { on_another(b, CL_DEVICE_TYPE_CPU, 6); }

static void parts(bench *b)
{
    static const uint32_t offsets[] = { 0, 3, 3, 1500, 4000 };
    size_t i;
    for (i = 0; i < RANGES; i++) {
        sort_case c = bits_case(i, i, 4000, NULL);
        c.counted = 1;
        c.there = (uint32_t)(i * 190);
        if (!case_run(b, &c)) return;
        c.counted = 0;
        c.d.rows = i % 2 ? 3 : 0;
        if (!c.d.rows) c.offsets = offsets, c.d.segment_count = 4;
        if (!case_run(b, &c)) return;
        c = bits_case(i, i, 4000, "merge");
        c.d.rows = 1 + i % 2;
        if (!case_run(b, &c)) return;
    }
}

/* Of equal elements either may come first, but each time the same one. */
static void same_bytes(bench *b)
{
    enum { N = 30000 };
    static uint32_t keys[2][N], values[2][N];
    uint64_t random = 5;
    size_t k, i, load;
    for (load = 0; load < 2; load++) {
        clsort_desc d = clsort_desc_default();
        d.count = N;
        d.key_type = CLSORT_U32;
        d.first_bit = 3, d.last_bit = 30;
        d.value_size = 4 * load;
        for (i = 0; i < N; i++) values[0][i] = values[1][i] = (uint32_t)i;
        for (i = 0; i < N; i++)
            keys[0][i] = keys[1][i] = (uint32_t)pattern_random(&random) & 0xC00000FFu;
        for (k = 0; k < 2; k++)
            CHECK_OK(clsort_sort_host(b->sorter, &d, keys[k], load ? values[k] : NULL, NULL));
        CHECK(!memcmp(keys[0], keys[1], sizeof keys[0])
              && !memcmp(values[0], values[1], sizeof values[0]));
    }
}

static const test_entry tests[] = {
    { "AUTO sorts by some bits", by_auto },
    { "most bits take the same form as whole keys", same_forms },
    { "results are the same each time", same_bytes },
    TEST_REST,
    { "what is equal in some bits keeps its order with stable", stable_order },
    { "rows, segments and counts on the device are sorted by some bits", parts },
    { "few elements on GPUs", few_on_gpus },
    { "every form sorts by some bits", by_every_name },
    { "as many as on CPUs with more cores", many_on_cpus },
    { "as many as on GPUs", many_on_gpus }
};

TEST_MAIN(tests)
