/* clsort_enqueue_merge_runs and clsort_enqueue_partition: every type, order and size of values,
   sizes around every switch, runs and parts of any sizes, work-groups, stability, unsorted inputs,
   events, scratch memory, and bad calls. */

#define CLSORT_IMPLEMENTATION
#include "harness.h"

#include "pieces.h"

/* ---- merges of runs -------------------------------------------------------------------------- */

/* Draws sizes of runs: about as large as `size`, some empty, one perhaps much larger. */
static void draw_counts(uint64_t *random, size_t size, cl_uint run_count, size_t *counts)
{
    cl_uint k;
    for (k = 0; k < run_count; k++) {
        const uint64_t draw = pattern_random(random);
        counts[k] = draw % 4 ? (size_t)(draw >> 8) % (2 * size + 1) : 0;
        if (draw % 16 == 7) counts[k] = size;
    }
    k = (cl_uint)(pattern_random(random) % run_count);
    if (pattern_random(random) % 3 == 0) counts[k] *= 7;
}

/* Merges of 1 to 16 runs of about `size` elements each. */
static int merge_any_runs(const bench *b, pieces_how h, size_t size, int step)
{
    uint64_t random = h.seed + size;
    size_t counts[CLSORT_MAX_RUNS];
    cl_uint run_count;
    for (run_count = 1; run_count <= CLSORT_MAX_RUNS; run_count += (cl_uint)step) {
        draw_counts(&random, size, run_count, counts);
        h.seed++;
        h.shift = run_count % 5;
        h.own_scratch = run_count % 3 == 0;
        if (!runs_check(b, &h, counts, run_count, run_count % 2 == 0)) return 0;
    }
    return 1;
}

static void runs_of_u32(bench *b)
{
    static const char *const patterns[] = { "uniform", "mod-16", "equal", "min-max", "maximum" };
    size_t i;
    for (i = 0; i < 5; i++) {
        pieces_how h = pieces_make(CLSORT_U32, i & 1 ? 4 : 0, patterns[i]);
        h.seed = 100 * i + 1;
        if (!merge_any_runs(b, h, 3, 1) || !merge_any_runs(b, h, 100, 2)
            || !merge_any_runs(b, h, 3000, 5))
            return;
    }
}

/* ---- partitions ------------------------------------------------------------------------------ */

static int partition_sizes(const bench *b, pieces_how h)
{
    static const size_t counts[] = { 0, 1, 63, 64, 65, 1000, 2047, 2048, 2049, 20011 };
    static const cl_uint splitters[] = { 1, 2, 15, 16, 100, 255 };
    size_t c, k;
    for (c = 0; c < sizeof counts / sizeof *counts; c++)
        for (k = 0; k < sizeof splitters / sizeof *splitters; k++) {
            h.seed++;
            h.shift = (c + k) % 4;
            h.own_scratch = k % 3 == 0;
            if (!partition_check(b, &h, counts[c], splitters[k])) return 0;
        }
    return 1;
}

static void parts_of_u32(bench *b)
{
    static const char *const patterns[] = { "uniform", "mod-16", "equal", "min-max" };
    size_t i;
    for (i = 0; i < 4; i++)
        if (!partition_sizes(b, pieces_make(CLSORT_U32, i & 1 ? 4 : 0, patterns[i]))) return;
}

static const test_entry tests[] = {
    { "1 to 16 runs of u32 are merged", runs_of_u32 },
    { "u32 keys are partitioned", parts_of_u32 }
};

TEST_MAIN(tests)
