/* Sorts random cases and compares each, byte for byte and guards included, with a stable sort on
   the host: keys, pairs and records by every algorithm; rows, segments and counts on the device;
   records by fields and by comparators, also by one that contradicts itself; merges of two inputs;
   merges of many runs and partitions; selections from rows; host arrays in several runs.

     fuzz [--seed S] [--cases N] [--seconds N] [--case K] [--most N]
          [--adversarial [--log2 M] | --disguised]

   Stops on each device after N cases or N seconds, whichever comes first; default: 10 seconds.
   --case runs number K of the seed alone. --most cuts every count to N elements, for simulators. A
   case depends on its seed, its number and the other options only. A wrong one is made simpler as
   long as it stays wrong, then printed. CLSORT_DEVICE chooses devices, as for the tests.

   --adversarial sorts by the forms of radix, and by what AUTO takes for many elements on a GPU with
   its crossovers divided by 2^10: keys that lie at the edges of what these forms decide, in numbers
   around their capacities. On a CPU it pretends that this is a GPU, of work-groups up to 64 or of
   any. --disguised: the same crossovers and devices, but the cases that stand above.

   --log2 M: adversarial cases of 2^(M - 6) to 2^M elements by AUTO, all lengths as frequent, with
   crossovers divided by 2^(26 - M). With 26 crossovers are as users have them: a GPU sorts, and a
   host compares for seconds. With 14 few elements take the plans of 2^26. */

#define CLSORT_STAGE_BYTES 20000
#define CLSORT__MULTI_MERGERS 2
#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "cases.h"
#include "gathering.h"
#include "generate.h"
#include "multi.h"
#include "pieces.h"
#include "pretenders.h"
#include "records.h"
#include "top.h"

/* Building a program takes as long as hundreds of small sorts: so many cases in a row share one. */
enum { BATCH = 800, LARGE_BATCH = 20, MOST_WRONG = 10, MOST_SHRUNK = 3 };
enum { LARGEST_LOG2 = 26 };

typedef struct fuzz_options {
    uint64_t seed, cases, only, most;
    uint64_t log2;                /* of the most elements of adversarial cases by AUTO; 0: others */
    double seconds;
    int one;                      /* only case `only` */
    int adversarial, disguised;
} fuzz_options;

typedef struct fuzz_device {
    bench b;
    const fuzz_options *o;
    cl_command_queue unordered;   /* NULL if the device has none */
    clsort_sorter *gpus[PRETENDED_GPUS];    /* of adversarial and disguised cases */
    uint64_t cases, wrong;
} fuzz_device;

/* ---- random descriptions --------------------------------------------------------------------- */

/* The number of a case's batch. */
static uint64_t batch_of(const fuzz_options *o, uint64_t number)
{
    return number / (o->log2 ? LARGE_BATCH : BATCH);
}

/* What the cases of a batch have in common: all that a program is compiled for. */
static sort_case draw_batch(uint64_t seed, uint64_t batch)
{
    uint64_t random = random_state(~seed, batch);
    sort_case c = case_make(case_types[draw(&random, CASE_TYPES)].type, 0, "uniform");
    draw_payload(&random, &c);
    draw_algorithm(&random, &c);
    return c;
}

/* ---- adversarial cases ----------------------------------------------------------------------- */

/* What the cases of a batch have in common. */
static sort_case draw_adversarial_batch(const fuzz_options *o, uint64_t batch)
{
    static const cl_uint types[] = { CLSORT_U32, CLSORT_U32, CLSORT_U32, CLSORT_U64, CLSORT_U16 };
    static const char *const forms[] = { "radix-hybrid", "radix-hybrid", "radix-samples",
                                         "radix-cached", "radix-sweeps", "radix-portable" };
    uint64_t random = random_state(~o->seed, batch);
    sort_case c = case_make(types[draw(&random, 5)], 0, "uniform");
    const size_t kind = draw(&random, 20);
    c.indices = kind >= 6 && kind < 10;
    c.d.value_size = kind < 10 ? 0 : kind < 16 ? 4 : kind < 19 ? 8 : 1;
    c.algorithm = chance(&random, 45) || o->log2 ? "auto" : forms[draw(&random, 6)];
    return c;
}

/* Counts around the capacities of buckets and tiles, and around the crossovers by 2^10. */
static size_t draw_adversarial_count(uint64_t *random)
{
    static const size_t edges[] = { 512,  768,   1024,  1280,  3072,  4096,  5120, 8192,
                                    8193, 12288, 16384, 16385, 17588, 20000, 3,    128 };
    const size_t kind = draw(random, 100), around = draw(random, 5);
    if (kind < 55) return edges[draw(random, 16)] + around - 2;
    if (kind < 80) return 12000 + draw(random, 12000);
    if (kind < 97) return 1 + draw(random, 6000);
    return 90000 + draw(random, 100000);
}

/* All lengths of counts are as frequent; powers of two are drawn more often. */
static size_t draw_large_count(uint64_t *random, uint64_t most)
{
    const size_t low = (size_t)1 << (most - 1 - draw(random, 6)), kind = draw(random, 10),
                 around = draw(random, 5);
    if (kind < 6) return low + draw(random, low);
    return (kind < 9 ? 2 * low : low + low / 2) + around - 2;
}

static sort_case draw_adversarial(const fuzz_device *f, uint64_t number)
{
    static const char *const patterns[] = { "span",      "span-24",   "span",     "span-24",
                                            "clusters",  "geometric", "heavy",    "quarter",
                                            "two-sides", "few-high",  "overlooked" };
    uint64_t random = random_state(f->o->seed, number);
    sort_case c = draw_adversarial_batch(f->o, batch_of(f->o, number));
    draw_type(&random, &c);
    draw_places(&random, &c);
    may_overwrite(&c);
    c.d.stable = (cl_uint)chance(&random, 15);
    if (chance(&random, 80)) c.pattern = patterns[draw(&random, 11)];
    c.d.count = f->o->log2 ? draw_large_count(&random, f->o->log2)
                           : draw_adversarial_count(&random);
    if (c.d.count > f->o->most) c.d.count %= (size_t)f->o->most + 1;
    return c;
}

/* Lets cases sort as on a GPU, by the plans of many elements. */
static int open_gpus(fuzz_device *f)
{
    test_crossover_log2 = f->o->log2 ? LARGEST_LOG2 - (unsigned)f->o->log2 : 10;
    return !test_is_cpu(&f->b) || pretending_gpus(&f->b, f->gpus);
}

static sort_case draw_case(const fuzz_device *f, uint64_t number)
{
    uint64_t random = random_state(f->o->seed, number);
    sort_case c = draw_batch(f->o->seed, number / BATCH);
    draw_type(&random, &c);
    draw_places(&random, &c);
    may_overwrite(&c);
    c.queue = chance(&random, 30) ? f->unordered : NULL;
    c.wait = chance(&random, 30) ? (int)draw(&random, CASE_WAITS) : CASE_WAIT_NONE;
    c.no_event = chance(&random, 20);
    c.d.count = draw_count(&random, case_block_length(&f->b, &c));
    if (c.d.count > f->o->most) c.d.count %= (size_t)f->o->most + 1;
    if (takes_parts(&c) && chance(&random, 40)) draw_parts(&random, &c);
    return c;
}

/* ---- running --------------------------------------------------------------------------------- */

static char repeat[200];   /* how to repeat the running case */

static void say(const char *text)
{
    if (write(STDOUT_FILENO, text, strlen(text)) < 0) _exit(2);
}

/* A driver crashed. */
static void say_crash(int signal_number)
{
    say("CRASHED\n");
    say(repeat);
    say("  with ");
    say(test_now.at);
    say("\n");
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* ---- records by fields and comparators, merges of two inputs, selections --------------------- */

enum {
    SORTS,
    FIELDS,
    COMPARATORS,
    CONTRADICTIONS,
    MERGES,
    PIECES,
    SELECTIONS,
    GATHERS,
    MULTIS
};

/* What the cases of a batch are. */
static int draw_kind(const fuzz_device *f, uint64_t batch)
{
    uint64_t random = random_state(f->o->seed + 77, batch);
    const size_t kind = draw(&random, 100);
    return kind < 56 ? SORTS : kind < 58 ? MULTIS : kind < 70 ? FIELDS : kind < 80 ? COMPARATORS
         : kind < 86 ? CONTRADICTIONS : kind < 89 ? MERGES : kind < 92 ? PIECES
         : kind < 98 ? SELECTIONS : GATHERS;
}

static void draw_shape(uint64_t *random, clsort_tuning *t)
{
    if (chance(random, 30)) t->work_group = 1u << draw(random, 9);
    if (t->work_group && chance(random, 30)) t->items = 1u << draw(random, 4);
}

static size_t draw_some(const fuzz_device *f, uint64_t *random)
{
    size_t n = draw_count(random, 64);
    return n > f->o->most ? n % ((size_t)f->o->most + 1) : n;
}

static record_case draw_records(const fuzz_device *f, uint64_t number, int kind,
                                clsort_field *fields)
{
    uint64_t batch = random_state(~f->o->seed, number / BATCH),
             random = random_state(f->o->seed, number);
    const record_order *order = kind == CONTRADICTIONS
                                    ? &record_illegal
                                    : &record_orders[draw(&batch, RECORD_ORDERS)];
    record_case c = record_make(kind == FIELDS ? NULL : order, draw_some(f, &random));
    draw_shape(&batch, &c.d.tuning);
    if (kind == FIELDS) {
        const size_t widest = chance(&random, 50) ? 8 : 0;
        record_draw_fields(&c, fields, 1 + (cl_uint)draw(&random, CLSORT_MAX_FIELDS), widest,
                           &random);
        if (chance(&random, 50))
            c.d.algorithm = widest && chance(&batch, 40) ? CLSORT_BITONIC : CLSORT_MERGE;
    }
    c.d.stable = (cl_uint)chance(&random, 30);
    c.output = chance(&batch, 50) ? (int)draw(&random, 2) * RECORD_OUT
                                  : (int)draw(&random, RECORD_OUTPUTS);
    c.verify = chance(&random, 20) && kind != CONTRADICTIONS;
    c.seed = pattern_random(&random);
    c.shift = draw(&random, 9);
    c.queue = chance(&random, 30) ? f->unordered : NULL;
    c.mode = (cl_uint)draw(&random, RECORD_MODES);
    if (c.mode == RECORD_REMEMBERING) c.mode = RECORD_MIXED;
    return c;
}

/* How inputs, runs or parts of the type, size of values and shape of a batch are made. */
static pieces_how draw_pieces(const fuzz_device *f, uint64_t number, uint64_t *random)
{
    uint64_t batch = random_state(~f->o->seed, number / BATCH);
    sort_case type = draw_batch(f->o->seed, number / BATCH);
    clsort_tuning shape;
    pieces_how h;
    memset(&shape, 0, sizeof shape);
    draw_type(random, &type);
    h = pieces_make(type.d.key_type, type.d.value_size % 9, type.pattern);
    draw_shape(&batch, &shape);
    h.work_group = shape.work_group;
    h.items = shape.items;
    h.order = type.d.order;
    h.nan_order = type.d.nan_order % 2;   /* NaNs are not equal there */
    h.seed = type.seed;
    h.shift = draw(random, 9);
    h.unsorted = chance(random, 10);
    h.own_scratch = chance(random, 30);
    h.queue = chance(random, 30) ? f->unordered : NULL;
    h.wait = chance(random, 30) ? (int)draw(random, CASE_WAITS) : CASE_WAIT_NONE;
    return h;
}

/* Now and then lengths of rows, or segments of one row; a count on the device. */
static void draw_bounds(uint64_t *random, top_case *c)
{
    static uint32_t bounds[64], ends[64];
    const size_t n = c->d.count, kind = draw(random, 4);
    size_t i;
    c->counted = chance(random, 20);
    c->there = (uint32_t)draw(random, n + n / 4 + 2);
    if (kind > 1 || c->d.rows > 63) return;
    if (kind == 0) {
        c->segments = 1 + draw(random, 63);
        c->d.rows = 0;
        c->gap = 0;
    }
    for (i = 0; i < 64; i++) bounds[i] = (uint32_t)draw(random, n + n / 8 + 2);
    if (c->segments && chance(random, 80)) qsort(bounds, 64, sizeof *bounds, top_by_number);
    for (i = 0; i < 64; i++) ends[i] = (uint32_t)draw(random, n + n / 8 + 2);
    if (c->segments && chance(random, 40)) c->ends = ends;
    c->bounds = bounds;
}

/* A partition, in place or not. */
static void draw_partition(uint64_t *random, top_case *c)
{
    c->d.flags = CLSORT_FLAG_TOP_PARTITION;
    if (chance(random, 50)) c->outputs = 0;
    if (c->outputs & TOP_INDICES && c->d.value_size) c->outputs |= TOP_VALUES;
    c->apart = c->d.rows && c->outputs && chance(random, 30) ? c->d.count + draw(random, 70) : 0;
}

/* Records instead of keys with values. */
static void draw_top_record(uint64_t *random, top_case *c)
{
    const size_t key = pattern_key_size(c->d.key_type);
    c->d.record_size = key * (1 + draw(random, 5));
    c->d.key_offset = key * draw(random, c->d.record_size / key);
    if (chance(random, 50)) {
        c->d.value_size = 0;
        c->outputs &= TOP_KEYS | TOP_INDICES;
    }
    if (!c->outputs && !(c->d.flags & CLSORT_FLAG_TOP_PARTITION)) c->outputs = TOP_KEYS;
    if (!c->outputs) c->apart = 0;
}

/* Rows of which some, most or all are wanted; now and then more of them than any work-group
   sorts. */
static top_case draw_selection(const fuzz_device *f, uint64_t number)
{
    uint64_t batch = random_state(~f->o->seed, number / BATCH),
             random = random_state(f->o->seed, number);
    sort_case type = draw_batch(f->o->seed, number / BATCH);
    const size_t some = draw_some(f, &random) + 1,
                 n = f->o->most > 15000 && chance(&random, 10) ? 4097 + draw(&random, 9000) : some;
    const size_t elements = f->o->most < 60000 ? (size_t)f->o->most : 60000,
                 k = chance(&random, 50) ? n - draw(&random, n) / 8 : 1 + draw(&random, n);
    top_case c;
    draw_type(&random, &type);
    c = top_make(type.d.key_type, 1 + draw(&random, elements / n + 1), n, k);
    c.d.tuning.work_group = chance(&batch, 30) ? 1u << draw(&batch, 9) : 0;
    c.d.order = type.d.order;
    c.d.nan_order = type.d.nan_order;
    c.d.zero_order = type.d.zero_order;
    c.d.first_bit = type.d.first_bit;
    c.d.last_bit = type.d.last_bit;
    c.d.flags = chance(&random, 20)   ? CLSORT_FLAG_TOP_UNSORTED
                : chance(&random, 20) ? CLSORT_FLAG_TOP_NTH
                                      : 0;
    c.d.value_size = chance(&random, 50) ? 1 + draw(&random, 20) : 0;
    c.outputs = c.d.value_size ? TOP_VALUES | (int)draw(&random, 4) : 1 + (int)draw(&random, 3);
    if (c.d.flags & CLSORT_FLAG_TOP_UNSORTED) c.outputs |= TOP_INDICES;
    c.pattern = type.pattern;
    c.seed = type.seed;
    c.gap = chance(&random, 30) ? draw(&random, 70) : 0;
    c.apart = chance(&random, 30) ? c.d.top_k + draw(&random, 70) : 0;
    draw_bounds(&random, &c);
    if (!c.segments && chance(&random, 25)) draw_partition(&random, &c);
    if (chance(&random, 15)) draw_top_record(&random, &c);
    c.scratch = chance(&random, 30);
    c.queue = chance(&random, 30) ? f->unordered : NULL;
    c.wait = chance(&random, 30) ? CASE_WAIT_LATER : CASE_WAIT_NONE;
    return c;
}

/* Rows of any length, gaps between them, and more or fewer elements than the sources have. */
static gathering_case draw_gathering(const fuzz_device *f, uint64_t number)
{
    uint64_t random = random_state(f->o->seed, number);
    const size_t n = draw_some(f, &random), most = n < 20000 ? n : 20000;
    const size_t rows = chance(&random, 30) ? 0
                                            : 1 + draw(&random, chance(&random, 50) ? 5 : most + 1);
    const size_t count = most / (rows ? rows : 1) + draw(&random, 2);
    gathering_case c = gathering_make(rows, count,
                                      chance(&random, 50) ? 0 : 1 + draw(&random, 2 * count + 1));
    size_t i;
    for (i = 0; i < GATHERING_ARRAYS; i++)
        c.sizes[i] = i && chance(&random, 30) ? 0 : 1 + draw(&random, 33);
    c.source_gap = rows && chance(&random, 30) ? draw(&random, 20) : 0;
    c.target_gap = rows && chance(&random, 30) ? draw(&random, 20) : 0;
    c.index_gap = rows && chance(&random, 30) ? draw(&random, 20) : 0;
    c.shift = draw(&random, 9);
    c.outside = chance(&random, 50) ? 0 : (unsigned)draw(&random, 100);
    c.seed = pattern_random(&random);
    c.queue = chance(&random, 30) ? f->unordered : NULL;
    return c;
}

/* Intel's compiler crashes on long tiles of bitonic sorts. */
static void spare_items(const fuzz_device *f, cl_uint work_group, cl_uint *items)
{
    if (work_group && device_name_holds(f->b.session.info.platform_name, "Intel(R)")) *items = 8;
}

/* Runs a case of records or merges; of a wrong one, says the smallest count that is wrong, too. */
static int run_records(const fuzz_device *f, uint64_t number, int kind)
{
    clsort_field fields[CLSORT_MAX_FIELDS];
    record_case c = draw_records(f, number, kind, fields);
    size_t step;
    spare_items(f, c.d.tuning.work_group, &c.d.tuning.items);
    if (record_run(&f->b, &c) && !test_now.faults) return 1;
    test_now.quiet = 1;
    for (step = c.d.count; step > 0; step /= 2)
        while (step <= c.d.count) {
            c.d.count -= step;
            if (!record_run(&f->b, &c)) continue;
            c.d.count += step;
            break;
        }
    record_say(&c);
    test_now.quiet = 0;
    printf("  simplest form: %s\n", test_now.at);
    return 0;
}

static int run_merging(const fuzz_device *f, uint64_t number)
{
    uint64_t random = random_state(f->o->seed, number);
    pieces_how h = draw_pieces(f, number, &random);
    const size_t count_a = draw_some(f, &random), count_b = draw_some(f, &random);
    spare_items(f, h.work_group, &h.items);
    return merge_check(&f->b, &h, count_a, count_b) && !test_now.faults;
}

/* A merge of runs or a partition. */
static int run_pieces(const fuzz_device *f, uint64_t number)
{
    uint64_t random = random_state(f->o->seed, number);
    const pieces_how h = draw_pieces(f, number, &random);
    const cl_uint runs = 1 + (cl_uint)draw(&random, CLSORT_MAX_RUNS);
    size_t counts[CLSORT_MAX_RUNS];
    cl_uint k;
    if (chance(&random, 50)) {
        const size_t n = draw_some(f, &random), most = chance(&random, 50) ? 15 : 255;
        return partition_check(&f->b, &h, n, 1 + (cl_uint)draw(&random, most)) && !test_now.faults;
    }
    for (k = 0; k < runs; k++) counts[k] = chance(&random, 20) ? 0 : draw_some(f, &random) / 4;
    return runs_check(&f->b, &h, counts, runs, chance(&random, 30)) && !test_now.faults;
}

static int run_selection(const fuzz_device *f, uint64_t number)
{
    top_case c = draw_selection(f, number);
    spare_items(f, c.d.tuning.work_group, &c.d.tuning.items);
    return top_run(&f->b, &c) && !test_now.faults;
}

static int run_gathering(const fuzz_device *f, uint64_t number)
{
    const gathering_case c = draw_gathering(f, number);
    return gathering_run(&f->b, &c) && !test_now.faults;
}

/* Host arrays by some bits of floats. */
static int run_multi(const fuzz_device *f, uint64_t number)
{
    uint64_t random = random_state(f->o->seed, number);
    multi_case c = multi_draw(f->b.sorter, &random);
    if (c.d.count > f->o->most) c.d.count %= (size_t)f->o->most + 1;
    return multi_run(&c, &f->b.sorter) + !c.d.count && !test_now.faults;
}

/* Runs a case that is no plain sort; 1 if all is well. */
static int run_other(const fuzz_device *f, uint64_t number, int kind)
{
    test_now.faults = 0;
    if (kind == SELECTIONS) return run_selection(f, number);
    if (kind == GATHERS) return run_gathering(f, number);
    if (kind == MULTIS) return run_multi(f, number);
    if (kind == PIECES) return run_pieces(f, number);
    return kind == MERGES ? run_merging(f, number) : run_records(f, number, kind);
}

static void run_number(fuzz_device *f, uint64_t number)
{
    const int hard = f->o->adversarial, kind = hard ? SORTS : draw_kind(f, number / BATCH);
    sort_case c = hard ? draw_adversarial(f, number) : draw_case(f, number);
    char limit[80] = "";
    if (f->gpus[0])
        f->b.sorter = f->gpus[(f->o->seed + batch_of(f->o, number)) % PRETENDED_GPUS];
    if (f->o->most < UINT32_MAX)
        snprintf(limit, sizeof limit, " --most %llu", (unsigned long long)f->o->most);
    if (hard) strcat(limit, " --adversarial");
    if (f->o->log2)
        snprintf(limit + strlen(limit), 20, " --log2 %u", (unsigned)f->o->log2);
    if (f->o->disguised) strcat(limit, " --disguised");
    snprintf(repeat, sizeof repeat, "  repeat it with: fuzz --seed %llu --case %llu%s\n",
             (unsigned long long)f->o->seed, (unsigned long long)number, limit);
    f->cases++;
    if (kind == SORTS ? run_case(&f->b, &c) : run_other(f, number, kind)) return;
    f->wrong++;
    fputs(repeat, stdout);
    if (f->wrong <= MOST_SHRUNK && kind == SORTS) explain(&f->b, &c);
}

static void run_device(fuzz_device *f)
{
    const fuzz_options *o = f->o;
    clsort_sorter *const own = f->b.sorter;
    double start = test_seconds();
    uint64_t i;
    cl_int error;
    /* Intel's runtime loses launches on queues that are out of order. */
    if (!device_name_holds(f->b.session.info.platform_name, "Intel(R)"))
        f->unordered = clCreateCommandQueue(f->b.session.context, f->b.session.info.id,
                                            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    test_now.device = &f->b;
    test_now.name = "fuzz";
    if ((o->adversarial || o->disguised) && !CHECK(open_gpus(f))) return;
    if (o->one) run_number(f, o->only);
    for (i = 0;
         !o->one && i < o->cases && f->wrong < MOST_WRONG && test_seconds() - start < o->seconds;
         i++)
        run_number(f, i);
    if (f->unordered) clReleaseCommandQueue(f->unordered);
    for (i = 0; i < PRETENDED_GPUS; i++) clsort_destroy(f->gpus[i]);
    f->b.sorter = own;
    printf("%llu cases in %.1f s\n", (unsigned long long)f->cases, test_seconds() - start);
}

/* ---- command line ---------------------------------------------------------------------------- */

/* A whole number in argument `text`; 0 if there is none. */
static int read_number(const char *text, uint64_t *number)
{
    char *end;
    if (!text || *text < '0' || *text > '9') return 0;
    *number = strtoull(text, &end, 10);
    return !*end;
}

static int read_options(int argc, char **argv, fuzz_options *o)
{
    int i, cases = 0, seconds = 0;
    memset(o, 0, sizeof *o);
    o->seed = 1;
    o->cases = UINT64_MAX;
    o->most = UINT32_MAX;
    for (i = 1; i < argc; i += 2) {
        uint64_t number;
        while (i < argc && !strcmp(argv[i], "--adversarial")) o->adversarial = 1, i++;
        while (i < argc && !strcmp(argv[i], "--disguised")) o->disguised = 1, i++;
        if (i == argc) break;
        if (!read_number(i + 1 < argc ? argv[i + 1] : NULL, &number)) return 0;
        if (!strcmp(argv[i], "--seed")) o->seed = number;
        else if (!strcmp(argv[i], "--cases")) o->cases = number, cases = 1;
        else if (!strcmp(argv[i], "--seconds")) o->seconds = (double)number, seconds = 1;
        else if (!strcmp(argv[i], "--most")) o->most = number;
        else if (!strcmp(argv[i], "--log2")) o->log2 = number;
        else if (!strcmp(argv[i], "--case")) o->only = number, o->one = 1;
        else return 0;
    }
    if (!seconds) o->seconds = cases ? 1e9 : 10;
    return !o->log2 || (o->adversarial && o->log2 > 8 && o->log2 <= LARGEST_LOG2);
}

int main(int argc, char **argv)
{
    device_info list[DEVICE_MAX];
    fuzz_options o;
    uint64_t cases = 0, wrong = 0;
    size_t devices, failed = 0, i;
    if (!read_options(argc, argv, &o)) {
        fprintf(stderr, "usage: fuzz [--seed S] [--cases N] [--seconds N] [--case K] [--most N]"
                        " [--adversarial [--log2 M] | --disguised]\n");
        return 2;
    }
    signal(SIGSEGV, say_crash);
    signal(SIGABRT, say_crash);
    devices = test_devices(list);
    for (i = 0; i < devices; i++) {
        fuzz_device f;
        memset(&f, 0, sizeof f);
        f.o = &o;
        printf("device: %s, %s\n", list[i].platform_name, list[i].name);
        if (test_open(&list[i], &f.b)) run_device(&f);
        failed += f.wrong || !f.cases;
        cases += f.cases;
        wrong += f.wrong;
        test_close(&f.b);
    }
    if (!devices) printf("FAILED: no device to test\n"), devices = failed = 1;
    printf("%llu cases, %llu wrong\n%zu passed, %zu failed\n", (unsigned long long)cases,
           (unsigned long long)wrong, devices - failed, failed);
    return failed > 0;
}
