/* Rows, segments and counts on the device as rows of a table (rows.h): every length around a
   switch, mixed lengths, types, payloads, offsets that do not ascend; published sorts of rows. A
   sort of rows or segments is stable, but not by those: so there is one right result. */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "rows.h"

/* ---- sorters --------------------------------------------------------------------------------- */

static void wide_vectors(clsort_sorter *s)
{
    s->facts.has_vectors = 1, s->facts.compute_units = 2;
    s->policy = clsort__policy_of(&s->facts);
}

/* Five rows suffice for its cores. */
static const row_device two_wide_cores = { .cpu = 1, .change = wide_vectors },
                        /* work-groups make progress: one launch does all passes */
                        sweeps = { .sweeps = 1 },
                        quick = { .quick = 1 }, checking = { .checks = 1 };

/* ---- cases ----------------------------------------------------------------------------------- */

static void five_rows(sort_case *c) { c->d.rows = 5; }

static void three_rows(sort_case *c) { c->d.rows = 3; }

static void two_hundred_rows(sort_case *c) { c->d.rows = 200, c->d.row_stride = 0; }

static void no_elements(sort_case *c)
{
    static const uint32_t none[] = { 50, 50, 50 };
    c->offsets = none;
    c->d.segment_count = 2;
    c->d.count = c->seed % 2 ? 50 : 0;
}

/* Segments around the longest that a core sorts at once. */
static void long_segments(sort_case *c)
{
    static const uint32_t long_ones[] = { 7, 16392, 278536, 540681, 540682, 560000 };
    c->offsets = long_ones;
    c->d.segment_count = 5;
    c->d.count = 560000;
}

/* All strings of zeros and ones of a length, a row for each: a network that sorts all of them sorts
   everything of that length. */
static void all_strings(sort_case *c) { c->d.rows = (size_t)1 << c->d.count, c->d.row_stride = 0; }

static uint64_t bit_of_row(const sort_case *c, size_t i, uint64_t *random)
{
    (void)random;
    return i / c->d.count >> i % c->d.count & 1;
}

/* Two offsets exchanged among long segments: that lost 16384 of 60000 elements once. */
static void seen_descent(sort_case *c)
{
    static const uint32_t seen[] = { 0, 40000, 20000, 60000 };
    c->offsets = seen;
    c->d.segment_count = 3;
    c->d.count = 60000;
}

static const clsort_field fields[] = { { 4, CLSORT_U32, CLSORT_DESCENDING, 0, 0 },
                                       { 0, CLSORT_U8, 0, 0, 0 },
                                       { 8, CLSORT_I16, 0, 0, 0 },
                                       { 8, CLSORT_F32, 1, 1, 1 },
                                       { 1, CLSORT_BYTES + 11, 1, 0, 0 } };

/* ---- rows ------------------------------------------------------------------------------------ */

/* Where several work-items share a tile, and where one has few elements. */
#define SHAPES "merge/64x8 merge/64x1 merge/256x4 merge/1"
#define BATCHES "batch-odd-even batch-bitonic batch-bitonic-local batch-bitonic-split"
#define NAMES \
    "auto bitonic bitonic-b16 merge radix radix-portable radix-sweeps radix-hybrid radix-samples " \
    "radix-cached quicksort quicksort-host"
#define ALL_ELEMENTS \
    "k4+4 k4 k1+1 k2 k8+8 k4+6 k4+12 f32:20@8 u32:8@4 i16:6@2 f64:64@24 f32:12@4+4 k4# k8# k4+4# " \
    "k4+12# u32:8@4#"

static const test_row rows[] = {
    { .name = "rows of any length and number are sorted", .forms = "merge auto",
      .elements = "k4+4", .patterns = "mod-256 uniform nans-10",
      .counts = "1..5 9 ~h ~t ~2t ~4t 5t+1h+3 ~16k",
      .with = "rows! order nan places strides prove", .times = 3 },
    { .name = "long rows of bare keys are sorted", .forms = "auto", .elements = "u32",
      .patterns = "uniform zipf", .counts = "1000 8192 32773 65537",
      .with = "rows! order counted" },
    { .name = "rows around what wide vectors sort whole are sorted", .device = &two_wide_cores,
      .elements = "u32 i64", .patterns = "uniform", .counts = "16383 16385 262144 262145",
      .with = "rows!", .change = five_rows, .one_in = 2 },
    { .name = "short rows are sorted side by side", .elements = "k4",
      .patterns = "mod-16 uniform nans-10", .counts = "1 2 ~8 ~16 31..33",
      .with = "rows! order nan places", .times = 12 },
    { .name = "segments of all lengths are sorted", .forms = "merge auto", .elements = "k4+4",
      .patterns = "mod-256 uniform", .counts = "1..3 64 65 257 1000 2000",
      .with = "segments! gaps order places prove", .times = 8 },
    { .name = "many segments are sorted", .forms = "merge", .elements = "k4+4",
      .patterns = "mod-256", .counts = "64k 65537", .with = "segments! gaps", .times = 3 },
    { .name = "where offsets do not ascend no element moves, and a proof tells",
      .forms = "merge", .elements = "k4+4 k4+4#", .patterns = "mod-256 uniform",
      .counts = "3 20 90 300", .with = "segments! descends! gaps places prove counted",
      .times = 15 },
    { .name = "two offsets exchanged among long segments lose no element", .forms = "merge",
      .elements = "u32+4", .patterns = "mod-256", .counts = "3",
      .with = "segments! places prove", .times = 4, .change = seen_descent },
    { .name = "segments of nothing are sorted", .forms = "merge", .elements = "u32+4",
      .patterns = "uniform", .counts = "0 50", .with = "segments! queue places", .times = 6,
      .change = no_elements },
    { .name = "rows and segments of every type and payload are sorted", .forms = "merge auto",
      .elements = ALL_ELEMENTS, .patterns = "mod-16 uniform around-zero nans-10 sign-edges",
      .counts = "5 40 300",
      .with = "rows segments gaps order nan equals places strides prove counted", .times = 6,
      .one_in = 16 },
    { .name = "rows and segments of records are sorted by fields", .forms = "merge",
      .elements = "f32:12@4", .patterns = "mod-16", .counts = "5 40 300",
      .with = "rows segments gaps places strides prove", .times = 6, .fields = fields,
      .field_count = 5 },
    { .name = "rows and segments are sorted by some bits", .forms = "auto",
      .elements = "k4+4 k4 k4#", .patterns = "uniform mod-256 nans-10 around-zero",
      .counts = "5 40 300", .with = "rows segments order nan equals bits! places strides prove",
      .times = 8, .refused = 1 },
    { .name = "work-groups of any shape sort rows and segments", .forms = SHAPES,
      .elements = "k4+4 k4+4#", .patterns = "mod-256 uniform", .device = &quick,
      .counts = "1 2 5 64 ~h ~t 2t+1 300 4t 5t+1h+3",
      .with = "rows segments gaps order places strides prove counted produced", .times = 4,
      .one_in = 8 },
    { .name = "a count on the device is followed", .forms = "auto merge",
      .elements = "k4+4 k4#", .patterns = "mod-256 uniform",
      .counts = "0..2 300 ~t ~2t 5000 48k", .with = "counted! order stable places prove",
      .times = 8, .one_in = 4 },
    { .name = "a count is followed by each form that takes one", .forms = NAMES,
      .elements = "k4+4 k4 k4#", .patterns = "mod-256 uniform",
      .counts = "0..2 300 ~t ~2t 5000 48k", .with = "counted! order stable places prove",
      .times = 6, .one_in = 12, .device = &quick, .refused = 1 },
    { .name = "it is followed in rows and segments", .forms = "merge auto", .elements = "k4+4",
      .patterns = "mod-256", .counts = "1 30 300 3t",
      .with = "counted! rows segments gaps order places produced prove", .times = 8 },
    { .name = "sorters that check themselves know rows and segments", .device = &checking,
      .forms = "merge", .elements = "k4+4 k4+4#", .patterns = "mod-256", .counts = "5 40 300",
      .with = "rows segments gaps order places counted", .times = 8 },
    { .name = "out-of-order queues and wait lists work with rows and segments",
      .forms = "merge", .elements = "k4+4", .patterns = "mod-256", .counts = "6 90 3000",
      .with = "queue rows segments gaps places prove", .times = 8 },
    { .name = "rows, segments and counts on the device overwrite their input", .device = &quick,
      .forms = "merge merge/64x8", .elements = "k4+4 u32:12@4",
      .patterns = "mod-256 uniform", .counts = "1 5 64 ~t 300 3t+7",
      .with = "rows segments gaps descends order strides apart overwrites counted queue",
      .times = 6, .one_in = 3 },
    ROW_REST,
    { .name = "rows around what cores sort at once with values are sorted",
      .device = &two_wide_cores, .elements = "k4+4 k8+8 k8# k2+4 k4#",
      .patterns = "uniform mod-16 equal nans-10", .counts = "~32k ~64k",
      .with = "rows! order nan places", .change = five_rows, .one_in = 2 },
    { .name = "segments around what a core sorts at once with values are sorted",
      .device = &two_wide_cores, .elements = "k4+4 k8+8 k8# k2+4",
      .patterns = "uniform mod-16 equal nans-10", .counts = "5",
      .with = "segments! order nan places prove", .change = long_segments },
    { .name = "counts are followed by each form of radix that overwrites its input",
      .device = &quick, .forms = "radix-samples/64 radix-hybrid/64 radix-cached radix-portable",
      .elements = "k4", .patterns = "mod-256 uniform", .counts = "1 300 5000 48k",
      .with = "counted! order apart overwrites", .times = 6 },
    { .name = "some bits decide, by each form that takes them", .forms = NAMES,
      .elements = "k4+4 k4 k4# k8", .patterns = "uniform mod-256 nans-10",
      .counts = "37 3t+1 5000", .with = "bits! order nan stable counted places", .times = 6,
      .one_in = 16, .device = &quick, .refused = 1 },
    { .name = "published sorts of rows sort", .forms = BATCHES,
      .elements = "k4 k1+4 k2+8 k8+3 k4+4 f32:12@4", .patterns = "uniform mod-16 nans-10",
      .counts = "1..70/3 ~128 ~512 1025", .with = "rows! order nan places", .one_in = 12,
      .device = &quick },
    { .name = "long rows of bare keys of 8 bytes are sorted, and short ones side by side",
      .forms = "merge auto", .elements = "k8", .patterns = "mod-16 uniform zipf nans-10",
      .counts = "1 2 ~8 ~16 31..33 1000 8192 128k", .with = "rows! order nan places", .times = 4 },
    { .name = "rows and segments of long keys and records are sorted by some bits",
      .forms = "merge auto", .elements = "k8+4 k2 u32:8@4",
      .patterns = "uniform mod-256 nans-10", .counts = "5 40 300",
      .with = "rows segments order nan equals bits! places strides prove", .times = 8,
      .one_in = 3, .refused = 1 },
    { .name = "rows around every switch are sorted", .forms = "merge auto " SHAPES,
      .device = &quick, .elements = "k4+4", .patterns = "mod-256",
      .counts = "0..5 ~h ~t ~2t ~4t 5t+1h+3 ~16k ~32k", .with = "rows! order places strides",
      .times = 2, .one_in = 2 },
    { .name = "segments around every switch are sorted", .forms = SHAPES, .device = &quick,
      .elements = "k4+4", .patterns = "mod-256", .counts = "1 2 3 20 64 65 257 1000 64k",
      .with = "segments! gaps order places prove", .times = 4, .one_in = 2 },
    { .name = "where offsets do not ascend work-groups move no element", .forms = SHAPES,
      .device = &quick, .elements = "k4+4 k4+4#", .patterns = "mod-256 uniform",
      .counts = "3 20 90 300", .with = "segments! descends! gaps places prove counted",
      .times = 15, .one_in = 2 },
    { .name = "rows and segments of all types and payloads are sorted", .forms = "merge auto "
      SHAPES, .device = &quick, .elements = ALL_ELEMENTS,
      .patterns = "mod-16 uniform around-zero nans-10 sign-edges", .counts = "5 40 300",
      .with = "rows segments gaps order nan equals places strides prove counted", .times = 8,
      .one_in = 6 },
    { .name = "counts on the device are followed in long rows", .forms = "merge " SHAPES,
      .device = &quick, .elements = "k4+4", .patterns = "uniform", .counts = "32773 48k",
      .with = "counted! rows order", .times = 6, .one_in = 2 },
    { .name = "each form follows a count on the device, and some bits", .forms = NAMES,
      .device = &quick, .elements = "k4+4 k4 k4# k8+8", .patterns = "mod-256 uniform",
      .counts = "0..2 300 ~t ~2t 5000", .with = "counted bits order stable places prove",
      .times = 8, .one_in = 3, .refused = 1 },
    { .name = "passes of merges are done in one launch", .device = &sweeps,
      .forms = "merge/64x8 merge/256x4", .elements = "k4+4 k4#", .patterns = "mod-256",
      .counts = "1 3 64 65 300 5000", .with = "segments! gaps places", .times = 3, .one_in = 2 },
    { .name = "200 rows of 8192 and of 8000 keys are sorted as published", .forms = BATCHES,
      .elements = "i32", .patterns = "uniform", .counts = "8000 8192", .with = "rows!",
      .change = two_hundred_rows, .one_in = 4, .device = &quick },
    { .name = "every work-group and block sorts rows as published", .elements = "u32+4",
      .forms = "batch-odd-even/1x1 batch-odd-even/16x4 batch-odd-even/256x16 "
          "batch-bitonic/1x4 batch-bitonic/16x16 batch-bitonic/256x1 batch-bitonic-local/1x16 "
          "batch-bitonic-local/16x1 batch-bitonic-local/256x4 batch-bitonic-split/1x1 "
          "batch-bitonic-split/16x4 batch-bitonic-split/256x16", .patterns = "uniform mod-16",
      .counts = "1500 33 50", .with = "rows! order places", .times = 2, .one_in = 6 },
    { .name = "a few rows are sorted by small work-groups", .elements = "i32+4",
      .forms = "batch-odd-even/4x2 batch-odd-even/4x4 batch-bitonic/4x2 batch-bitonic/4x4 "
          "batch-bitonic-local/4x2 batch-bitonic-local/4x4 batch-bitonic-split/4x2 "
          "batch-bitonic-split/4x4", .patterns = "uniform mod-16", .counts = "1 2 7 16 33 50",
      .with = "rows! places", .one_in = 2, .change = three_rows },
    { .name = "values and indices of rows are stable as published, where that is asked for",
      .forms = BATCHES, .elements = "u32# u32+4 u32+8#", .patterns = "mod-16",
      .counts = "70..100 333", .with = "rows! stable! strides places", .one_in = 4 },
    { .name = "every string of zeros and ones is sorted by each published network",
      .elements = "u8",
      .forms = "batch-odd-even/1x2 batch-odd-even/2x4 batch-odd-even batch-bitonic/1x2 "
          "batch-bitonic/2x4 batch-bitonic batch-bitonic-local/1x2 batch-bitonic-local/2x4 "
          "batch-bitonic-local batch-bitonic-split/1x2 batch-bitonic-split/2x2 "
          "batch-bitonic-split/2x4 batch-bitonic-split", .patterns = "uniform",
      .counts = "1..14", .with = "rows!", .make = bit_of_row, .change = all_strings,
      .one_in = 3, .device = &quick },
};

ROWS_MAIN(rows)
