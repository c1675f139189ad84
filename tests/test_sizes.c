/* Every size up to 1025 on every algorithm, the sizes around powers of two and tiles, and rows
   around each switch of their tile. */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "pretenders.h"

/* Sorts n keys by the algorithm; payload 4 adds values. */
static int sort_one(bench *b, const char *name, cl_uint type, size_t n, const char *pattern,
                    size_t value_size)
{
    sort_case c = case_make(type, n, pattern);
    c.algorithm = name;
    c.d.value_size = value_size;
    c.seed = n + 1;
    c.shift = n & 1;
    if (case_sorts_blocks(name)) c.block = case_block_length(b, &c);
    return case_run(b, &c);
}

static void sort_small_sizes(bench *b, const char *name)
{
    size_t n, step = b->small ? 13 : 1, last = b->small ? 300 : 1025;
    for (n = 0; n <= last; n += n < 18 ? 1 : step) {
        if (n >= 18 && !test_takes(b, 4)) continue;
        if (!sort_one(b, name, CLSORT_U32, n, "uniform", 0)) return;
        if (!sort_one(b, name, CLSORT_F32, n, "reverse", 0)) return;
    }
}

static void every_small_size(bench *b)
{
    cl_uint i;
    for (i = 0; clsort_algorithm_name(i); i++)
        if (!case_sorts_rows(clsort_algorithm_name(i)))
            sort_small_sizes(b, clsort_algorithm_name(i));
}

/* The largest keys in the order of their values, before what fills a tile behind them. */
static int sort_largest(bench *b, const char *name, size_t n)
{
    sort_case c = case_make(CLSORT_U32, n, "maximum");
    c.algorithm = name;
    c.d.value_size = 4;
    c.d.stable = 1;
    return case_run(b, &c);
}

static void every_small_size_of_pairs(bench *b)
{
    size_t n, step = b->small ? 29 : 1, last = b->small ? 150 : 1025;
    for (n = 0; n <= last; n += step)
        if (!sort_one(b, "auto", CLSORT_U32, n, "mod-16", 4)
            || !sort_one(b, "bitonic", CLSORT_F32, n, "uniform", 4)
            || !sort_largest(b, n % 2 ? "bitonic" : "quicksort", n))
            return;
}

/* size - 1, size, size + 1 */
static int sort_around(bench *b, const char *name, size_t size)
{
    size_t n;
    for (n = size - 1; n <= size + 1; n++)
        if (!sort_one(b, name, n & 1 ? CLSORT_F32 : CLSORT_U32, n, n & 2 ? "uniform" : "reverse",
                      0))
            return 0;
    return 1;
}

static void powers_of_two(bench *b)
{
    size_t size;
    cl_uint i;
    for (i = 0; clsort_algorithm_name(i); i++)
        for (size = 2048;
             size <= (b->small ? 4096u : 131072u) && !case_sorts_rows(clsort_algorithm_name(i));
             size *= 2)
            if (!sort_around(b, clsort_algorithm_name(i), size)) break;
}

static void tile_multiples(bench *b)
{
    size_t k;
    cl_uint i;
    for (i = 0; clsort_algorithm_name(i); i++) {
        sort_case c = case_make(CLSORT_U32, 1, "uniform");
        size_t tile;
        c.algorithm = clsort_algorithm_name(i);
        if (case_sorts_rows(c.algorithm)) continue;
        tile = case_block_length(b, &c);
        for (k = 1; k <= 9; k += k < 4 ? 1 : 5)
            if (tile < 2 || (b->small && k * tile > 1024)
                || !sort_around(b, clsort_algorithm_name(i), k * tile))
                break;
    }
}

static void every_work_group_size(bench *b)
{
    cl_uint group, items;
    for (group = 1; group <= 1024; group *= b->small ? 32 : 8)
        for (items = 2; items <= 32; items *= b->small ? 16 : 4) {
            sort_case c = case_make(CLSORT_U32, b->small ? 200 : 5000, "uniform");
            if (!test_takes(b, 3)) continue;
            c.algorithm = "bitonic";
            c.d.tuning.work_group = group;
            c.d.tuning.items = items;
            if (!case_run(b, &c))
                printf("  work_group %u, items %u\n", (unsigned)group, (unsigned)items);
        }
}

/* Rows of elements of one word, two or three. */
static sort_case make_rows(size_t words, size_t rows, size_t count, size_t gap)
{
    sort_case c = case_make(words == 3 ? CLSORT_U64 : CLSORT_U32, count, "mod-256");
    c.d.value_size = words == 1 ? 0 : 4;
    c.d.rows = rows;
    c.d.row_stride = (count + gap) * case_element_size(&c);
    c.seed = rows + 31 * count;
    c.shift = gap;
    return c;
}

/* Rows around counts where their tile may change, few or as many as keep the only core busy. In
   *tiles, bit 0: some had one for themselves; bit 1: some shared one. */
static int rows_around_switches(bench *b, size_t words, unsigned *tiles)
{
    static const size_t around[] = { 4,   128, 160, 204,  256,  320,  409,
                                     512, 640, 682, 1024, 1280, 2048, 4095 };
    size_t i, count, busy;
    for (i = 0; i < sizeof around / sizeof *around; i++) {
        const int drawn = test_takes(b, 60);
        for (count = around[i] - 1; count <= around[i] + 1 && drawn; count++)
            for (busy = 0; busy < 2; busy++) {
                const sort_case c = make_rows(words, busy ? 2 + 4096 / count : 1 + i % 3, count,
                                              (count + (size_t)test_seed()) % 7);
                clsort_desc chosen = c.d;
                b->sorter->compute_units = busy ? 1 : 1000;
                if (!CHECK_OK(clsort_resolve(b->sorter, &c.d, &chosen)) || !case_run(b, &c))
                    return 0;
                *tiles |= chosen.tuning.work_group * chosen.tuning.items < 2 * count ? 1 : 2;
            }
    }
    return 1;
}

/* Also on NVIDIA's GPUs, where the shortest work-groups are warps. */
static void rows_of_own_tiles(bench *b)
{
    bench other = *b;
    unsigned tiles = 0;
    size_t words, i;
    if (b->small) return;
    more_options = quick_builds(b);
    other.sorter = pretending_sorter(b, CL_DEVICE_TYPE_GPU, 0, 0);
    if (!CHECK(other.sorter != NULL)) return;
    for (i = 0; i < 6; i++) {
        words = 1 + i % 3;
        other.sorter->has_warps = i >= 3;
        if (!rows_around_switches(&other, words, &tiles)) break;
    }
    CHECK(tiles == 3 || other.sorter->max_group < 256 || test_draws(b));
    clsort_destroy(other.sorter);
    more_options = NULL;
}

static void a_million(bench *b)
{
    sort_case c = case_make(CLSORT_U32, b->small ? 1500 : 1000003, "uniform");
    case_run(b, &c);
    c.d.value_size = 4;
    case_run(b, &c);
}

static const test_entry tests[] = {
    { "pairs of every size from 0 to 1025 are sorted", every_small_size_of_pairs },
    { "a million keys and pairs are sorted", a_million },
    TEST_REST,
    { "every algorithm sorts every size from 0 to 1025", every_small_size },
    { "every algorithm sorts powers of two, one less and one more", powers_of_two },
    { "every algorithm sorts multiples of its tile, one less and one more", tile_multiples },
    { "every work-group size and number of items sorts", every_work_group_size },
    { "rows with a tile of their own, and others, are sorted", rows_of_own_tiles }
};

TEST_MAIN(tests)
