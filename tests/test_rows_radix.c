/* The forms of radix as rows of a table (rows.h): each by its name, forms of GPUs on a CPU by
   sorters that sort as on a GPU. Plans, refusals and what a form promises beyond a right order are
   in test_radix.c. */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "rows.h"

/* ---- sorters --------------------------------------------------------------------------------- */

static void units_64(clsort_sorter *s) { s->facts.compute_units = 64; }
static void with_vectors(clsort_sorter *s)
{
    s->facts.has_vectors = 1;
    s->policy = clsort__policy_of(&s->facts);
}

static const row_device
    quick = { .quick = 1 },
    only_gpu = { .gpu = 1 },   /* a CPU's compiler takes half a minute */
    gpu = { .quick = 1, .type = CL_DEVICE_TYPE_GPU },
    sweeps = { .sweeps = 1 },
    /* sums of 32 blocks' counts, where there are more */
    many_units = { .change = units_64, .quick = 1 },
    /* a CPU with more units of 64 rows than fit into a table */
    many_cores = { .type = CL_DEVICE_TYPE_CPU, .units = 1000 },
    /* digits of 4 bits, tiles of a few rows */
    little_memory = { .local_memory = 4096, .quick = 1 },
    least_memory = { .type = CL_DEVICE_TYPE_GPU, .local_memory = 1024, .quick = 1 },
    /* elements of a digit are written together wherever digits have places of their own */
    together = { .options = "-DCLSORT_CACHE_WAYS=0", .quick = 1 },
    together_in_pieces = { .options = "-DCLSORT_CACHE_WAYS=0 -DCLSORT_NO_VECTORS=1", .quick = 1 },
    /* lines of few keys, so that every place of a line begins and ends a block */
    short_lines = { .options = "-DCLSORT_STAGE_BYTES=64", .quick = 1 },
    /* cores that leave few lanes spare, or none */
    cores_128 = { .cpu = 1, .units = 128 },
    cores_255 = { .cpu = 1, .units = 255 },
    no_vectors = { .cpu = 1, .options = "-DCLSORT_NO_VECTORS=1" },
    /* compilers that show no instructions that compress; also the simulator, which says that it has
       no vectors */
    no_compress = { .options = "-DCLSORT_NO_COMPRESS=1", .change = with_vectors },
    /* any key of the sample is taken for a common one */
    all_common = { .cpu = 1, .text = "often>=CLSORT__EDGE_CACHED_COMMON(size)",
                   .other = "often>0" };

/* ---- keys that are made ---------------------------------------------------------------------- */

static uint64_t one_bit(const sort_case *c, size_t i, uint64_t *random)
{
    (void)i;
    return UINT64_C(0xA5A5C3C3F00F9669) ^ (pattern_random(random) >> 40 & 1) << c->number % 64;
}

/* Digits below 8 alone differ, those from 8 on alone are the same. */
static uint64_t one_digit(const sort_case *c, size_t i, uint64_t *random)
{
    const uint64_t mask = UINT64_C(0xFF) << 8 * (c->number % 8), bits = pattern_random(random);
    (void)i;
    return c->number < 8 ? (bits & mask) | (UINT64_C(0x7B7B7B7B7B7B7B7B) & ~mask) : bits & ~mask;
}

/* One of two digits, so that no bit of them is the same everywhere; the others are constant. */
static uint64_t two_digits(const sort_case *c, size_t i, uint64_t *random)
{
    const size_t low = c->number % 8, high = c->number / 8 % 8;
    (void)i;
    return (pattern_random(random) >> 20 & 3) * 0x55 << 8 * low
           | (pattern_random(random) >> 20 & 7) << 8 * high;
}

static uint64_t one_key(const sort_case *c, size_t i, uint64_t *random)
{
    static const size_t places[] = { 0, 1, 63, 64, 299, 16383, 16384, 16683 };
    (void)random;
    return i == places[c->number % 8] ? 0 : UINT64_C(0x0101010101010101);
}

static const clsort_field fields[] = { { 4, CLSORT_U32, CLSORT_DESCENDING, 0, 0 },
                                       { 0, CLSORT_U8, 0, 0, 0 },
                                       { 8, CLSORT_F32, 1, 1, 1 },
                                       { 2, CLSORT_I16, 0, 0, 0 } };

/* ---- rows ------------------------------------------------------------------------------------ */

#define EVERY_WIDTH "k1+4 k2+4 k4+4 k8+4"
#define FEW_PATTERNS \
    "uniform zipf mostly-zero sorted equal outliers normal sign-edges mod-16 clusters nans-10 " \
    "powers-of-two"
#define TYPICAL "uniform mod-16 sign-edges nans-10 around-zero"

static const row_device checking = { .checks = 1 };

static const test_row rows[] = {
    { .name = "radix sorts every type in both orders, equal keys in theirs", .forms = "radix",
      .elements = EVERY_WIDTH, .patterns = TYPICAL, .counts = "0..2 37 256 1500 ~16k 19384",
      .with = "order nan equals places prove queue", .times = 8 },
    { .name = "radix moves values of any size, and records", .forms = "radix",
      .elements = "k4 k4+8 k8 k4+1 k1+2 k4+3 k8+5 k4+6 k2+7 k4+9 k4+24 k4+128 u32:8@4 "
          "f32:20@8 u64:16@8 f32:12@4 i16:6@2 u8:5@3 u8:33@32 f64:64@24 u32:8@4+4",
      .patterns = "mod-16 uniform", .counts = "0..2 37 256 1500 19384",
      .with = "order nan bits places", .times = 3, .one_in = 8 },
    { .name = "radix gives the stable permutation", .forms = "radix",
      .elements = "k1# k2# k4# k8# k4+3#", .patterns = "mod-256 " TYPICAL,
      .counts = "0 1 37 1500 19384", .with = "order nan equals bits places", .times = 4,
      .one_in = 5 },
    { .name = "keys that differ in one bit are sorted by it", .forms = "radix",
      .elements = EVERY_WIDTH, .patterns = "uniform", .counts = "301 16685",
      .with = "order places", .times = 64, .make = one_bit },
    { .name = "digits that are the same everywhere change nothing", .forms = "radix",
      .elements = EVERY_WIDTH, .patterns = "uniform", .counts = "1001 17385",
      .with = "order places", .times = 16, .make = one_digit },
    { .name = "two digits that differ end in the right array", .forms = "radix",
      .elements = "k8+4", .patterns = "uniform", .counts = "300 16449", .with = "order places",
      .times = 64, .make = two_digits },
    { .name = "one key that differs finds its place", .forms = "radix", .elements = EVERY_WIDTH,
      .patterns = "uniform", .counts = "300 16684", .with = "order places", .times = 8,
      .make = one_key },
    { .name = "any bits of the key decide", .forms = "radix auto", .elements = EVERY_WIDTH,
      .patterns = "uniform mod-256 mod-2 upper-half equal and-10 and-4",
      .counts = "100 200 700 16484", .with = "order nan bits! stable! places prove", .times = 25 },
    { .name = "sorters that check themselves know bits", .device = &checking, .forms = "radix",
      .elements = EVERY_WIDTH " k4#", .patterns = "uniform mod-16 equal mostly-zero upper-half",
      .counts = "0 1 5 64 200 1000 ~16k 40000", .with = "order bits places", .times = 4,
      .one_in = 3 },
    { .name = "radix sorts every pattern", .forms = "radix", .elements = EVERY_WIDTH,
      .patterns = "*", .counts = "1200 17584", .with = "order places" },
    { .name = "radix sorts around tiles and blocks", .forms = "radix", .elements = EVERY_WIDTH
      " k4 k8", .patterns = "uniform mod-1024",
      .counts = "~0 ~64 ~128 ~256 ~1024 ~16k ~16448 ~16896 ~16960 ~32k ~32832 ~48k ~64k ~t "
          "~2t ~3t ~4t ~8t ~12t ~16t ~20t", .with = "order places", .one_in = 2 },
    { .name = "fields of any number take one sort or several", .forms = "radix",
      .elements = "f32:12@4 f32:12@4+4", .patterns = "mod-16", .counts = "0..2 300 900 16584",
      .with = "places", .times = 3, .fields = fields, .field_count = 4 },
    { .name = "long arrays are sorted", .forms = "radix", .elements = "u64 u32+4",
      .patterns = "uniform mod-1024", .counts = "1000003 2000005", .with = "bits" },
    { .name = "more blocks than a table holds are sorted", .device = &many_cores,
      .forms = "radix", .elements = "u32+4", .patterns = "uniform mod-1024",
      .counts = "~300 ~16k 20000 ~64k ~65600 ~65664 70001 ~128k ~131136", .with = "order places" },

    /* forms of GPUs */
    { .name = "sweeps sort", .device = &sweeps, .forms = "radix/0x2 radix-sweeps/0x8",
      .elements = "k4+4 k4 k1+4 k8", .patterns = "uniform mod-1024 equal",
      .counts = "~2048 ~6144 20000 ~70000", .with = "order bits stable! places", .times = 2,
      .one_in = 4, .kernel = "clsort_radix_sweep" },
    { .name = "hybrid radix sorts", .device = &quick, .forms = "radix-hybrid",
      .elements = "u32 f32 i64 f64", .patterns = FEW_PATTERNS, .counts = "2 3 1280 1281 20011",
      .with = "order nan places", .times = 6, .one_in = 4, .kernel = "clsort_hybrid_split" },
    { .name = "hybrid radix sorts pairs", .device = &quick, .forms = "radix-hybrid/64",
      .elements = "u32+4 i32+4 u32#", .patterns = FEW_PATTERNS " span span-24",
      .counts = "2 769 6007 17600", .with = "order nan places", .times = 6, .one_in = 2,
      .kernel = "clsort_hybrid_split" },
    { .name = "hybrid radix carries values", .device = &quick, .forms = "radix-hybrid/64",
      .elements = "k8+4 k4+8", .patterns = FEW_PATTERNS " span span-24",
      .counts = "2 3 385 513 6007 49345 70001", .with = "order nan places bits", .times = 4,
      .kernel = "clsort_hybrid_split" },
    { .name = "radix of samples sorts", .device = &quick, .forms = "radix-samples/64",
      .elements = "u32 f64 f32 i64", .patterns = FEW_PATTERNS,
      .counts = "3 512 1023 3073 4097 7777", .with = "order nan places", .times = 6,
      .one_in = 4, .kernel = "clsort_samples" },
    { .name = "ranks sort", .device = &quick, .forms = "radix-samples/64",
      .elements = "i32+4 f32# f64+8 f32:12@4 i64+12 u16+3 i8 u64", .patterns = FEW_PATTERNS,
      .counts = "2 16 64 319 1000 4097", .with = "order nan stable! places", .times = 6,
      .one_in = 8 },

    /* where the input is the second array */
    { .name = "sweeps overwrite their input", .device = &sweeps, .forms = "radix-sweeps/0x8",
      .elements = "k4+4 k8", .patterns = "uniform mod-1024 equal mod-2",
      .counts = "~2048 6145 20000", .with = "order bits scratch apart overwrites queue",
      .times = 3, .one_in = 2, .kernel = "clsort_radix_sweep" },
    { .name = "hybrid radix overwrites its input", .device = &quick,
      .forms = "radix-hybrid/64", .elements = "u32 f64",
      .patterns = FEW_PATTERNS " powers-of-two random-tail one-last",
      .counts = "2 3 1280 1281 20011 200003", .with = "order nan scratch apart overwrites queue",
      .times = 6, .one_in = 4, .kernel = "clsort_hybrid_split" },
    { .name = "radix of samples overwrites its input", .device = &quick,
      .forms = "radix-samples/64", .elements = "k4 k4#", .patterns = FEW_PATTERNS,
      .counts = "3 513 3073 7777", .with = "order nan scratch apart overwrites", .times = 3,
      .one_in = 2 },
    { .name = "quicksort overwrites its input", .forms = "quicksort", .elements = "k4",
      .patterns = "uniform mod-256", .counts = "257 19384 40000", .times = 2,
      .with = "order apart overwrites", .device = &quick },

    /* of CPUs */
    { .name = "every form overwrites its input",
      .forms = "radix radix-portable radix-cached merge bitonic-a auto",
      .elements = "k4 k8 k4+4 k8+8 k2+1 u32:12@4 u32:20@8 k4# k8# k4+12#",
      .patterns = "uniform mod-256 nans-10 sorted", .counts = "2 257 1500 19384 70001",
      .with = "order nan scratch apart overwrites queue", .times = 2, .one_in = 6 },
    { .name = "radix in cache overwrites its input", .forms = "radix-cached",
      .elements = "u32 f64 u64+8", .patterns = "uniform mostly-zero zipf sorted mod-3",
      .counts = "255 5000 ~16k ~32k ~64k 150001", .with = "order nan scratch apart overwrites",
      .times = 2 },
    { .name = "radix in cache sorts every pattern", .forms = "radix-cached",
      .elements = "u32 f64 f32 i64", .patterns = "*", .counts = "255 257 5000",
      .with = "order nan places", .one_in = 2 },
    { .name = "radix in cache sorts around ranges", .forms = "radix-cached",
      .elements = "u32 f64 u32+4",
      .patterns = "uniform zipf sorted mod-16 equal outliers nans-10",
      .counts = "~32k ~64k 150001",
      .with = "order nan places", .times = 3 },
    { .name = "radix in cache moves payloads, stable", .forms = "radix-cached",
      .elements = "u32+1 f64+2 u32+4 f64+6 u32+8 f64+24 u32# f64# u32:8@4 u32:16@4",
      .patterns = "mod-1024 zipf", .counts = "3000 ~16k ~21845 90001",
      .with = "order stable! places", .times = 2, .one_in = 5 },
    { .name = "radix in cache sorts bare keys by merges of vectors", .device = &no_compress,
      .forms = "radix-cached", .elements = "i32 f64", .patterns = "uniform equal zipf sorted",
      .counts = "~1 ~16 ~32 ~64 ~128 191 ~256 1000 7777 10000 ~64k", .with = "order nan places" },
    { .name = "radix in cache counts a common key", .forms = "radix-cached",
      .elements = "u32 f64 u32+4",
      .patterns = "mostly-zero equal mod-2 mod-3 mod-4 and-4 zipf and-2 min-max",
      .counts = "65537 512k 1048577", .with = "order places", .times = 3, .one_in = 3 },

    ROW_REST,
    /* Devices of few compute units have lower crossovers. */
    { .name = "AUTO carries values from its crossovers on", .device = &gpu, .forms = "auto",
      .elements = "u64+4 f64+8 u32+8 i64# f32#", .patterns = "uniform zipf random-tail",
      .counts = "~256k ~1m ~1m+512k ~1m+768k", .with = "places", .one_in = 5 },
    { .name = "AUTO packs integers from its crossover on", .device = &only_gpu, .forms = "auto",
      .elements = "u32+4", .patterns = "uniform zipf", .counts = "~4m ~32m" },
    { .name = "every part of a code of 8 or 16 bits decides", .forms = "radix",
      .elements = "k1+4 k2+4", .patterns = "uniform", .counts = "100..212/16",
      .with = "order bits! places", .times = 150 },
    { .name = "stretches of 32 blocks are added up", .device = &many_units,
      .elements = "u32+4 u64+4", .forms = "radix-portable/16x4",
      .patterns = "uniform mod-3 zipf sorted",
      .counts = "1984 2048 2081 4032 4096 4129 6144 6208 6369", .with = "order places",
      .times = 4 },
    { .name = "radix sorts in work-groups of every size and number of items", .device = &gpu,
      .forms = "radix/1x1 radix/1x4 radix/2x8 radix/4x1 radix/4x2 radix/8x4 radix/16x2 "
          "radix/16x4 radix/32x1 radix/32x8 radix/64x4 radix/128x2 radix/256x1 radix/256x8",
      .elements = "k4 k4+4 k8+8 k1+1 f32:12@4", .patterns = "uniform mod-256",
      .counts = "~0 ~t ~2t ~3t ~17t", .with = "order bits places", .one_in = 18 },
    { .name = "the work-groups that a GPU would choose sort", .device = &gpu,
      .forms = "radix radix-portable", .elements = "k4+4 k8+4", .patterns = "uniform mod-256",
      .counts = "~0 ~t ~2t ~3t ~17t", .with = "order bits places", .times = 2, .one_in = 2 },
    { .name = "blocks fill a table, and one more", .device = &gpu,
      .forms = "radix-portable/16x4", .elements = "u32", .patterns = "uniform mod-256",
      .counts = "~1023t ~1024t ~1025t ~2048t ~2049t", .with = "order places" },
    { .name = "devices of little local memory sort", .device = &little_memory,
      .forms = "radix/128", .elements = "u32+4 u64+4", .patterns = "uniform mod-256",
      .counts = "~0 ~t ~2t ~3t ~17t", .with = "order bits places", .one_in = 2 },
    { .name = "devices of the least local memory sort", .device = &least_memory,
      .forms = "radix/128", .elements = "u32+4 u64+4", .patterns = "uniform mod-256",
      .counts = "~0 ~t ~2t ~3t ~17t", .with = "order bits places", .one_in = 2 },
    { .name = "the low digits of pairs of long keys are sorted by insertion", .device = &sweeps,
      .forms = "radix", .elements = "k8+4 k8+8",
      .patterns = "uniform echo gaussian sorted mod-1024", .counts = "2097152 2109497",
      .with = "order stable! bits", .times = 2, .one_in = 2 },
    { .name = "keys that are written by lines arrive at every alignment",
      .device = &short_lines, .forms = "radix", .elements = "k1 k2 k4 k8",
      .patterns = "uniform mod-16", .counts = "~64 1000 ~16k 33545", .with = "order places",
      .times = 12, .one_in = 2 },
    { .name = "elements of a digit are written together", .device = &together,
      .forms = "radix-portable", .elements = "u32+4 u16+12 u64+1 f32:12@4 u32",
      .patterns = "uniform bit-reversed", .counts = "64k 70001", .with = "order places",
      .times = 2, .one_in = 2 },
    { .name = "elements of long segments are, too", .device = &together_in_pieces,
      .elements = "u16 u32+4", .patterns = "uniform", .counts = "76543",
      .with = "rows! order places", .times = 2 },
    { .name = "sweeps follow where hybrid radix gives up", .device = &sweeps,
      .forms = "radix-hybrid", .elements = "u32 u32+4", .patterns = "zipf uniform",
      .counts = "20011..20017", .with = "places", .times = 2, .one_in = 2 },
    { .name = "passes follow where hybrid radix gives up, whatever it overwrites",
      .device = &quick, .forms = "radix-hybrid", .elements = "u32 f64 u64+4 f32+4",
      .patterns = "zipf uniform geometric", .counts = "20011..20017", .times = 3,
      .with = "scratch apart overwrites" },
    { .name = "where the low digits are left, too", .device = &sweeps, .forms = "radix",
      .elements = "k8+4 k8+8", .patterns = "uniform echo mod-1024", .counts = "2097152 2109497",
      .with = "order bits apart overwrites", .times = 2, .one_in = 2 },
    { .name = "hybrid radix overwrites its input by every pattern", .device = &quick,
      .forms = "radix-hybrid radix-hybrid/64", .elements = "u32 f32 i64 f64", .patterns = "*",
      .counts = "1281 20011 200003", .with = "order nan apart overwrites",
      .kernel = "clsort_hybrid_split" },
    { .name = "hybrid radix counts heavy codes", .device = &quick, .forms = "radix-hybrid/64",
      .elements = "u32", .patterns = "mostly-zero powers-of-two sign-edges mod-16",
      .counts = "200003 200004", .with = "order places", .times = 4,
      .kernel = "clsort_hybrid_split" },
    { .name = "hybrid radix sorts buckets above their capacity", .device = &quick,
      .forms = "radix-hybrid/64 radix-hybrid/128 radix-hybrid/256", .elements = "u32",
      .patterns = "mod-16 outliers zipf random-tail one-last powers-of-two",
      .counts = "6000 340000", .with = "order places", .times = 4, .one_in = 3,
      .kernel = "clsort_hybrid_split" },
    { .name = "hybrid radix sorts pairs whose keys span about 2^24 codes", .device = &quick,
      .forms = "radix-hybrid/64", .elements = "u32+4 i32+4 u32#", .patterns = "span span-24",
      .counts = "17588..17688", .with = "order places", .one_in = 2 },
    { .name = "hybrid radix sorts every pattern", .device = &quick, .forms = "radix-hybrid",
      .elements = "u32 f32 i64 f64", .patterns = "*", .counts = "3 1281 20011 200003",
      .with = "order nan places", .one_in = 4 },
    { .name = "hybrid radix sorts every pattern of pairs", .device = &quick,
      .forms = "radix-hybrid/64", .elements = "k4+4 k4#", .patterns = "*",
      .counts = "769 40009", .with = "order nan equals places", .one_in = 2 },
    { .name = "hybrid radix carries values of every pattern", .device = &quick,
      .forms = "radix-hybrid/64 radix-hybrid/128 radix-hybrid/256",
      .elements = "k8+4 k8+8 k4+8 k8# f32+8 u64+12", .patterns = "*", .counts = "769 40009 150001",
      .with = "order nan equals places bits", .one_in = 4 },
    { .name = "radix of samples sorts every pattern", .device = &quick,
      .forms = "radix-samples/64", .elements = "u32 f64 f32 i64", .patterns = "*",
      .counts = "3 512 1023 3073 4097 7777", .with = "order nan places", .one_in = 4 },
    { .name = "ranks sort every pattern", .device = &quick, .forms = "radix-samples/64",
      .elements = "i32+4 f32# f64+8 f32:12@4 i64+12 u16+3 i8 u64", .patterns = "*",
      .counts = "319 1000 4097", .with = "order nan stable! places", .one_in = 4 },
    { .name = "radix of samples sorts in the work-groups of GPUs", .device = &only_gpu,
      .forms = "radix-samples/256", .elements = "u32", .counts = "1m-3..1m",
      .patterns = "uniform mostly-zero sign-edges sorted", .with = "order" },
    { .name = "ranks sort in the work-groups of GPUs", .device = &quick,
      .forms = "radix-samples/512", .elements = "u32+4", .patterns = "zipf mod-3",
      .counts = "31 512 5000 16k", .with = "order stable! apart" },
    { .name = "radix of samples sorts the most keys", .device = &quick,
      .forms = "radix-samples/64", .elements = "u32 f64", .patterns = "*", .counts = "32k 64k",
      .with = "order nan places", .one_in = 2 },
    { .name = "radix of samples sorts pairs", .device = &quick, .forms = "radix-samples/64",
      .elements = "k4+4 k4#", .patterns = "*", .counts = "2 513 3001 16k",
      .with = "order nan stable! apart", .kernel = "clsort_samples" },
    { .name = "radix in cache sorts every count", .forms = "radix-cached",
      .elements = "u32 u64", .patterns = "uniform mod-16", .counts = "1..1030", .with = "order" },
    { .name = "radix in cache packs pairs", .forms = "radix-cached", .elements = "k4+4 k4#",
      .patterns = "uniform mod-16 equal sorted zipf nans-10",
      .counts = "1 31 33 ~64 ~128 130 191 257 1023 3001 ~32k 80007",
      .with = "order nan equals places", .times = 4 },
    { .name = "it does with few spare lanes", .device = &cores_128, .forms = "radix-cached",
      .elements = "k4+4 k4#", .patterns = "uniform mod-16 equal sorted zipf",
      .counts = "1 31 33 ~64 ~128 130 191 257 1023 3001 ~32k 80007",
      .with = "order nan places" },
    { .name = "it does with none", .device = &cores_255, .forms = "radix-cached",
      .elements = "k4+4 k4#", .patterns = "uniform mod-16 equal sorted zipf",
      .counts = "1 31 33 ~64 ~128 130 191 257 1023 3001 ~32k 80007",
      .with = "order nan places" },
    { .name = "it does without vectors", .device = &no_vectors, .forms = "radix-cached",
      .elements = "k4+4 k4#", .patterns = "uniform mod-16 equal sorted zipf",
      .counts = "1 31 33 ~64 ~128 130 191 257 1023 3001", .with = "order nan places" },
    { .name = "radix in cache leaves heavy ranges to passes", .forms = "radix-cached",
      .elements = "u32 u32+4", .patterns = "uniform zipf mostly-zero outliers powers-of-two",
      .counts = "524288..524292", .with = "stable" },
    { .name = "radix in cache takes any key for a common one", .device = &all_common,
      .forms = "radix-cached", .elements = "u32 f32 i64 f64 i32+4 f32#",
      .patterns = "mostly-zero equal mod-2 mod-3 mod-4 and-4 zipf and-2 min-max uniform",
      .counts = "65537 512k 1048577", .with = "order places" },
    { .name = "so it does where all ranges are in use", .device = &all_common,
      .forms = "radix-cached", .elements = "u32 u32+4", .patterns = "uniform",
      .counts = "4194305" },
    { .name = "rows around what vectors hold are sorted", .device = &no_compress,
      .forms = "auto", .elements = "k4 k8", .patterns = "uniform mod-16 sorted",
      .counts = "9 ~16 ~32 ~64 ~128 192 ~256 511 513 1000", .with = "rows! order places" },
    { .name = "so are they without vectors", .device = &no_vectors, .forms = "auto",
      .elements = "k4 k8", .patterns = "uniform mod-16 sorted",
      .counts = "9 ~16 ~32 ~64 ~128 192 ~256 511 513 1000", .with = "rows! order places" },
};

ROWS_MAIN(rows)
