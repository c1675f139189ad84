/* Sorts of one array as rows of a table (rows.h): every type, order, payload, place, size and
   pattern, by every form that takes one array, each by its name. The forms of radix are in
   test_rows_radix.c, rows, segments and counts in test_rows_parts.c. */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "records.h"
#include "rows.h"

#define ALL_BITONIC \
    "bitonic bitonic-a bitonic-b2 bitonic-b4 bitonic-b8 bitonic-b16 bitonic-a-local " \
    "bitonic-b2-local bitonic-b4-local bitonic-b8-local bitonic-b16-local " \
    "bitonic-b16-global-tail bitonic-shared-512 "

/* What few devices take, or none on its own: PoCL's optimizer would take most of the time. */
static const row_device quick = { .quick = 1 };

/* ---- keys that are made ---------------------------------------------------------------------- */

/* Every string of up to 10 zeros and ones, by its number: a network that sorts all of a length
   sorts everything of that length. Of longer ones some. */
static uint64_t zeros_and_ones(const sort_case *c, size_t i, uint64_t *random)
{
    const uint64_t drawn = c->number * UINT64_C(0x9E3779B97F4A7C15) >> 20;
    (void)random;
    return (c->d.count > 10 ? drawn : c->number) >> i & 1;
}

/* Half way between the bounds of powers of two only ever cuts off the greatest. */
static uint64_t powers_of_two(const sort_case *c, size_t i, uint64_t *random)
{
    (void)random;
    return UINT64_C(1) << (i * 29 + i / 64 + c->number) % 64;
}

static const clsort_field nans_first[2] = { { 4, CLSORT_F32, 0, CLSORT_NAN_EQUAL, 0 },
                                            { 0, CLSORT_U8, 0, 0, 0 } };
static const clsort_field two_fields[2] = { { 0, CLSORT_U8, CLSORT_DESCENDING, 0, 0 },
                                            { 4, CLSORT_F32, 0, 0, 0 } };

/* ---- tests with answers of their own --------------------------------------------------------- */

/* NaNs behind the numbers, as the header words it: of each type the first +NaN and the last, the
   last -NaN and the first, as their upper 16 bits. They are sorted as keys, and as a field. */
static void order_of_nans(bench *b)
{
    static const cl_uint types[] = { CLSORT_F16, CLSORT_BF16, CLSORT_F32, CLSORT_F64 };
    static const cl_uint infinities[] = { 0x7C00, 0x7F80, 0x7F80, 0x7FF0 };
    cl_uint t, order, i;
    for (t = 0; t < 4; t++)
        for (order = 0; order < 2; order++) {
            const cl_uint inf = infinities[t], minus = 0x8000, one = 0x3C00, nan = inf + 1;
            const cl_uint rising[7] = { minus + inf, one, inf, nan, 0x7FFF, 0xFFFF, minus + nan },
                          falling[7] = { inf, one, minus + inf, minus + nan, 0xFFFF, 0x7FFF, nan };
            const cl_uint *const wanted = order ? falling : rising;
            const size_t key = pattern_key_size(types[t]);
            const clsort_field field = { 0, types[t], order, CLSORT_NAN_LAST, 0 };
            unsigned char in[2][7 * 8] = { { 0 } }, out[7 * 8] = { 0 };
            clsort_desc d = clsort_desc_default();
            AT("type %x, order %u", types[t], order);
            for (i = 0; i < 7; i++) {
                const cl_ushort half = (cl_ushort)wanted[i], same = (cl_ushort)wanted[i * 3 % 7];
                memcpy(out + i * key + key - 2, &half, 2);
                memcpy(in[0] + i * key + key - 2, &same, 2);
            }
            memcpy(in[1], in[0], sizeof in[0]);
            d.count = 7;
            d.key_type = types[t], d.order = order, d.nan_order = CLSORT_NAN_LAST;
            CHECK_OK(clsort_sort_host(b->sorter, &d, in[0], NULL, NULL));
            CHECK(!memcmp(in[0], out, 7 * key));
            d.key_type = d.order = d.nan_order = 0;
            d.record_size = key, d.fields = &field, d.field_count = 1;
            CHECK_OK(clsort_sort_host(b->sorter, &d, in[1], NULL, NULL));
            CHECK(!memcmp(in[1], out, 7 * key));
        }
}

/* A record of 100 bytes and others, by bytes of every length, alone, beside other fields, cut at
   any place between codes; sorted, argsorted, and proven. */
static void bytes_of_every_length(bench *b)
{
    static const cl_uint others[] = { CLSORT_U32, CLSORT_I8, CLSORT_F32, CLSORT_U16 };
    cl_uint length;
    for (length = 1; length <= CLSORT_MAX_FIELD_BYTES; length += b->small && length > 20 ? 11 : 1) {
        const clsort_field fields[3] = {
            { length % 7, CLSORT_BYTES + length, length & 1, 0, 0 },
            { 72, others[length % 4], length >> 1 & 1, 0, 0 },
            { 76, CLSORT_BYTES + 1 + length % 13, length >> 2 & 1, 0, 0 }
        };
        record_case c;
        memset(&c, 0, sizeof c);
        c.d = clsort_desc_default();
        c.d.count = length % 3 ? 300 : 5000;
        c.d.record_size = 100;
        c.d.fields = fields;
        c.d.algorithm = length % 5 == 4 ? CLSORT_MERGE : 0;
        for (c.d.field_count = 1; c.d.field_count <= 3; c.d.field_count++) {
            c.seed = length * 4 + c.d.field_count;
            c.output = (int)(c.seed % RECORD_OUTPUTS);
            c.verify = 1;
            if (!record_run(b, &c)) return;
        }
    }
}

/* How many of n records of one or two words are out of order, or do not match their values. */
static cl_uint wrong_records(const cl_uint *records, size_t words, const cl_uint *values, cl_uint n)
{
    cl_uint i, wrong = 0;
    for (i = 0; i < n; i++) {
        wrong += records[words * i] != values[i] * 2654435761u >> 24;
        wrong += words > 1 && records[2 * i + 1] != values[i];
        if (!i) continue;
        wrong += records[words * i] > records[words * (i - 1)];
        wrong += records[words * i] == records[words * (i - 1)] && values[i - 1] > values[i];
    }
    return wrong;
}

/* By an expression; of equal records, and so of their values, the order stays. */
static void records_by_an_expression(bench *b)
{
    enum { N = 3000 };
    static cl_uint records[2 * N], values[N];
    cl_uint i, round;
    for (round = 0; round < 4; round++) {
        const size_t words = round & 1 ? 2 : 1;
        clsort_desc d = clsort_desc_default();
        clsort_sorter *s = fresh_sorter(b, CLSORT_OPTION_VERIFY);
        for (i = 0; i < N; i++) {
            records[words * i] = i * 2654435761u >> 24;
            if (words > 1) records[2 * i + 1] = i;
            values[i] = i;
        }
        d.count = N;
        d.record_size = 4 * words;
        d.record_type = words > 1 ? "typedef struct { uint k, v; } clsort_record;"
                                  : "typedef struct { uint k; } clsort_record;";
        d.precedes = "a.k > b.k";
        d.keys = test_buffer(b, 4 * words * N, records);
        d.values = test_buffer(b, sizeof values, values);
        d.value_size = round & 2 ? 2 : 4;
        if (d.value_size == 2) d.count = N / 2;
        AT("round %u", (unsigned)round);
        CHECK_OK(clsort_enqueue_sort(s, b->session.queue, &d, 0, NULL, NULL));
        CHECK_OK(clsort_collect(s, 1));
        clEnqueueReadBuffer(b->session.queue, d.keys, CL_TRUE, 0, 4 * words * N, records, 0, NULL,
                            NULL);
        clEnqueueReadBuffer(b->session.queue, d.values, CL_TRUE, 0, sizeof values, values, 0, NULL,
                            NULL);
        if (d.value_size == 4) CHECK(!wrong_records(records, words, values, N));
        clReleaseMemObject(d.keys), clReleaseMemObject(d.values);
        clsort_destroy(s);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void few_cores(clsort_sorter *s) { s->facts.compute_units = 1; }
static void many_cores(clsort_sorter *s)
{
    s->facts.compute_units = 1000;
    s->policy = &clsort__policies[CLSORT__NVIDIA];
}

/* Rows keep one core busy, or leave many idle, which decides whether they have tiles of their
   own. */
static const row_device gpu_of_one_core = { .type = CL_DEVICE_TYPE_GPU, .quick = 1,
                                            .change = few_cores },
                        gpu_of_warps = { .type = CL_DEVICE_TYPE_GPU, .quick = 1,
                                         .change = many_cores };
#define AROUND_TILES \
    "~4 ~128 ~160 ~204 ~256 ~320 ~409 ~512 ~640 ~682 ~1024 ~1280 ~2048 ~4095"

static const test_row rows[] = {
    { .name = "NaNs behind the numbers are in the order that the header says",
      .run = order_of_nans },
    { .name = "keys of every type are sorted in every order and place",
      .elements = "k1 k2 k4 k8", .patterns = "uniform mod-16 nans-10 around-zero infinities",
      .counts = "37 ~t 2t+7 3t-5", .with = "order nan equals places prove queue", .times = 30 },
    { .name = "equal keys keep their order where that is asked for",
      .elements = "k1+4 k2+4 k4+4 k8+4", .patterns = "mod-3 mod-16 zeros uniform",
      .counts = "2 70 t+1 3t-5 5000", .with = "order nan stable places queue", .times = 12 },
    { .name = "a permutation is given, of keys and values of any size",
      .elements = "k4# k8# k4+12#", .patterns = "mod-256 nans-10 uniform equal",
      .counts = "0..3 t+1 3t-5 5000", .with = "order nan equals stable places", .times = 8,
      .one_in = 3 },
    { .name = "values of every size follow their keys",
      .elements = "k4+1 k4+2 k4+3 k4+5 k4+6 k4+7 k4+8 k4+9 k4+12 k4+16 k4+24 k4+128 k1+1 "
          "k1+5 k1+7 k2+2 k2+12 k8+3 k8+8 k8+20", .patterns = "mod-256 uniform",
      .counts = "37 t+1 3t-5", .with = "order nan stable places", .times = 4, .one_in = 10 },
    { .name = "records of every size are sorted whole, with values and without",
      .elements = "u8:5@3 u8:7@3 f16:10@4 f32:4@0 f32:8@4 f32:12@0 f32:16@4 f32:20@16 f32:36@4 "
          "u64:16@8 u64:40@8 u32:4@0+1 f32:8@4+4 f32:12@8+7 f32:24@20+16 u32:8@0+33 u64:16@0+8#",
      .patterns = "mod-256 mod-16", .counts = "0 37 t+1 3t-5",
      .with = "order stable places prove", .times = 4, .one_in = 8 },
    { .name = "equal NaNs of a field leave the order to the next one", .elements = "f32:12@4",
      .patterns = "nans-10", .counts = "3000", .with = "places", .times = 2,
      .fields = nans_first, .field_count = 2 },
    { .name = "values move with records by fields",
      .elements = "f32:12@4+1 f32:12@4+4 f32:12@4+12", .patterns = "mod-16",
      .counts = "2 77 5000", .with = "places prove", .times = 3, .fields = two_fields,
      .field_count = 2, .one_in = 3 },
    { .name = "every value of 8 and 16 bits has its place, and every half", .elements = "k1 k2",
      .patterns = "bit-reversed all-halves min-max uniform", .counts = "64k",
      .with = "order nan places", .times = 16 },
    { .name = "some bits of keys decide, wherever NaNs and zeros are", .forms = "auto radix",
      .elements = "k2+4 k4 k4# k8+4",
      .patterns = "nans-10 around-zero all-halves infinities uniform",
      .counts = "1 40..2400/97", .with = "order nan equals bits! stable places prove",
      .times = 2, .one_in = 2 },
    { .name = "pairs of any size up to 1025 are sorted", .elements = "k4+4",
      .patterns = "mod-16 uniform maximum", .counts = "0..70 71..1025/7 ~1024",
      .with = "order stable" },
    { .name = "strings of up to 17 zeros and ones are sorted", .elements = "u8",
      .patterns = "uniform", .counts = "2..10 13 16 17", .times = 1024, .make = zeros_and_ones },
    { .name = "every pattern is sorted", .elements = "u32 f32 u64 f16 i8", .patterns = "*",
      .counts = "3t 20000", .with = "order" },
    { .name = "a million keys and pairs are sorted", .elements = "u32 u32+4",
      .patterns = "uniform", .counts = "1000003" },
    { .name = "every named form sorts", .forms = ALL_BITONIC
      "merge quicksort quicksort-host quicksort-device bitonic-local-only merge-local-only",
      .elements = "k4+4 k4", .patterns = "uniform mod-16 reverse",
      .counts = "0..17 ~t ~3t 1000 20000", .with = "order stable places", .times = 2,
      .one_in = 16, .device = &quick },

    /* merge */
    { .name = "merge sorts in work-groups of any size",
      .elements = "k4 k4+4 k8+8 k1+1 f32:12@4 k2+3",
      .forms = "merge/16x4 merge/64x4 merge/8x8 merge/1x1 merge/2x1 merge/4x2 merge/32x1 "
          "merge/256x4", .patterns = "mod-16 uniform sorted reverse",
      .counts = "0..2 ~t ~2t 3t+1h+1 4t 7t+3 16t+1", .with = "order nan stable places",
      .one_in = 24, .device = &quick },
    { .name = "arrays of many slices are merged", .forms = "merge",
      .elements = "u32 u32+4", .patterns = "mod-256 uniform",
      .counts = "~1024 ~2048 4096 ~64k 131073 300001", .with = "order places" },
    { .name = "work-groups sort blocks, each for itself",
      .elements = "k4 k4+4 i8+1 f16+3 f64+5 u32:12@8",
      .forms = "merge-local-only/1 merge-local-only/2 merge-local-only/8 "
          "merge-local-only/32 merge-local-only/64 merge-local-only/256 merge-local-only/1024",
      .patterns = "mod-16", .counts = "0 1 ~t 2t 2t+1h+1 5t-1", .with = "order places",
      .times = 2, .one_in = 14, .device = &quick },

    /* quicksort */
    { .name = "quicksort sorts by every pivot and payload",
      .forms = "quicksort quicksort+median3 quicksort+sample quicksort-host "
          "quicksort-host+sample quicksort-device quicksort-device+median3 quicksort/16",
      .elements = "k4 k4+4 k1+8 k2+4# k8+24 u32:12@4", .one_in = 24,
      .patterns = "uniform sorted zero bucket gaussian staggered organ-pipe reverse mod-2 "
          "mod-3 min-max zipf mod-1024", .counts = "300 40001",
      .with = "order nan stable places", .times = 4, .device = &quick },

    ROW_REST,
    { .name = "powers of two are sorted by the middle of the bounds",
      .forms = "quicksort/16 quicksort-host/16 quicksort-device/16", .elements = "u64",
      .patterns = "uniform", .counts = "40000", .make = powers_of_two, .one_in = 3,
      .device = &quick },
    { .name = "bytes of every length are sorted as memcmp has them",
      .run = bytes_of_every_length },
    { .name = "values move with records by an expression", .run = records_by_an_expression },
    { .name = "all types with all patterns are sorted", .elements = "*", .patterns = "*",
      .counts = "3t 5000", .with = "order nan equals places" },
    { .name = "every pattern of pairs is sorted", .elements = "u32+4 f64+8 f32+4",
      .patterns = "*", .counts = "3t", .with = "order stable" },
    { .name = "every form sorts every pattern", .forms = "*", .elements = "u32 f32 u32+4",
      .patterns = "*", .counts = "5000", .with = "order", .one_in = 3 },
    { .name = "pairs of every size from 0 to 1025 are sorted",
      .forms = "auto bitonic quicksort", .elements = "k4+4",
      .patterns = "mod-16 uniform maximum", .counts = "0..1025", .with = "order stable" },
    { .name = "every form sorts every size from 0 to 1025", .forms = "*", .elements = "k4",
      .patterns = "uniform reverse", .counts = "0..17 18..1025/3", .with = "order places" },
    { .name = "every form sorts around powers of two and tiles", .forms = "*", .elements = "k4",
      .patterns = "uniform reverse",
      .counts = "~2k ~4k ~8k ~16k ~32k ~64k ~128k ~t ~2t ~3t ~4t ~9t", .with = "order" },
    { .name = "every form sorts strings of zeros and ones", .forms = "*", .elements = "u8",
      .patterns = "uniform", .counts = "2..9", .times = 512, .make = zeros_and_ones, .one_in = 4 },
    { .name = "every form sorts every combination of outputs",
      .forms = "auto bitonic-a bitonic-b16 bitonic-a-local bitonic-b16-global-tail "
          "bitonic-shared-512 merge", .elements = "f32+4 f32+8 f32+16 f32+4# f32+16#",
      .patterns = "mod-256", .counts = "3 2h+5", .with = "stable places", .times = 16,
      .one_in = 5 },
    { .name = "every form sorts records", .forms = "*", .elements = "u32:12@4 u32:12@4+4",
      .patterns = "mod-256", .counts = "3001", .with = "stable places", .times = 4, .one_in = 7 },
    { .name = "few keys in every order are sorted",
      .forms = "bitonic-b16 merge merge-local-only", .elements = "u8",
      .patterns = "uniform mod-3", .counts = "2..8", .times = 500 },
    { .name = "bitonic sorts in every work-group and number of items", .elements = "k4",
      .forms = "bitonic/1x2 bitonic/1x8 bitonic/1x32 bitonic/8x2 bitonic/8x8 bitonic/8x32 "
          "bitonic/64x2 bitonic/64x8 bitonic/64x32 bitonic/512x2 bitonic/512x8 bitonic/512x32",
      .patterns = "uniform", .counts = "5000", .with = "order", .one_in = 3 },
    { .name = "rows with a tile of their own are sorted", .device = &gpu_of_one_core,
      .elements = "k4 k4+4 k8+4", .patterns = "mod-256", .counts = AROUND_TILES,
      .with = "rows!", .one_in = 3 },
    { .name = "rows that share tiles of warps are sorted", .device = &gpu_of_warps,
      .elements = "k4 k4+4 k8+4", .patterns = "mod-256", .counts = AROUND_TILES,
      .with = "rows!", .one_in = 3 },
    { .name = "equal keys keep their order beside every payload", .forms = "merge bitonic auto",
      .elements = "k4+1 k4+2 k4+3 k4+5 k4+6 k4+7 k4+8 k4+24 k4# u32:8@4 u32:12@4 u32:16@4 "
          "u32:20@4", .patterns = "mod-3", .counts = "2 70 1500 5000",
      .with = "order stable! places", .times = 2, .one_in = 8 },
    { .name = "equal zeros and NaNs keep their order",
      .forms = "merge bitonic auto quicksort radix",
      .elements = "f32 f32+4 f32# f16+4 bf16+4 f64+4", .patterns = "around-zero nans-10",
      .counts = "2 70 1500 5000", .with = "order equals! stable places", .times = 4, .one_in = 6 },
    { .name = "quicksort adds up by every scan",
      .forms = "quicksort+local/32x4 quicksort+blelloch/32x4 quicksort-host+blelloch/8x4 "
          "quicksort-device+builtin/32x4 quicksort-device+blelloch/8x4", .elements = "u32",
      .patterns = "mod-1024", .counts = "30001", .one_in = 3, .device = &quick },
    { .name = "quicksort sorts around tiles and in work-groups of every shape",
      .forms = "quicksort quicksort/1x2 quicksort/2x8 quicksort/4x2 quicksort/8x8 "
          "quicksort/32x8 quicksort/64x2 quicksort/128x8 quicksort/256x2",
      .elements = "k4 k4+4", .patterns = "uniform mod-3 reverse mod-1024",
      .counts = "~t ~2t ~4t ~8t ~16t ~32t ~33t 9001", .with = "order stable", .one_in = 4,
      .device = &quick },
};

ROWS_MAIN(rows)
