/* The quicksort family: every scheduler, pivot rule, width and payload, the edges of tiles, leaves
   and blocks, equal keys, and inputs made against its own pivots. */

#include "harness.h"

#define CLSORT_IMPLEMENTATION
#include "cases.h"

enum { MOST_SAMPLES = 63 };

static const char *const rules[] = { "", "+median3", "+sample" };
enum { RULES = sizeof rules / sizeof *rules };

static const char *const schedulers[] = { "quicksort", "quicksort-host", "quicksort-device" };
enum { SCHEDULERS = sizeof schedulers / sizeof *schedulers };

static sort_case quick_make(cl_uint type, size_t n, const char *pattern)
{
    sort_case c = case_make(type, n, pattern);
    c.algorithm = "quicksort";
    c.seed = n + type;
    return c;
}

/* ---- sorts ----------------------------------------------------------------------------------- */

static void every_scheduler_and_pivot(bench *b)
{
    static const cl_uint types[] = { CLSORT_U8, CLSORT_I16, CLSORT_F32, CLSORT_U64 };
    static const size_t values[] = { 0, 4, 8, 24 };
    char name[64];
    size_t s, r, t;
    for (s = 0; s < SCHEDULERS; s++)
        for (r = 0; r < RULES; r++)
            for (t = b->few_programs ? 2 : 0; t < (b->few_programs ? 3u : 4u); t++) {
                sort_case c = quick_make(types[t], b->small ? 300 : 70001,
                                         r & 1 ? "uniform" : "mod-256");
                if (!test_takes(b, 8)) continue;
                snprintf(name, sizeof name, "%s%s", schedulers[s], rules[r]);
                c.algorithm = name;
                case_run(b, &c);
                c.d.value_size = b->few_programs ? 4 : values[(t + r) % 4];
                c.d.order = (cl_uint)(t & 1);
                case_run(b, &c);
            }
}

static void equal_keys_and_orders(bench *b)
{
    static const char *const patterns[] = { "uniform",  "sorted",    "zero",       "bucket",
                                            "gaussian", "staggered", "organ-pipe", "reverse",
                                            "mod-2",    "mod-3",     "min-max",    "zipf" };
    size_t i, k;
    for (k = 0; k < 4; k++) {
        if (!test_takes(b, 4)) continue;
        for (i = 0; i < sizeof patterns / sizeof *patterns; i++) {
            sort_case c = quick_make(CLSORT_U32, b->small ? 400 : 60000, patterns[i]);
            c.d.value_size = k & 1 ? 4 : 0;
            c.d.tuning.work_group = k & 2 ? 16 : 0;
            c.keys_out = k == 3;
            case_run(b, &c);
        }
    }
}

/* Ties go by the original index, and partitions keep the order of equal keys. */
static void stable_and_argsort(bench *b)
{
    static const char *const patterns[] = { "mod-16", "zero", "mod-1024", "uniform" };
    size_t i, k;
    for (k = 0; k < 6; k++) {
        if (!test_takes(b, 3)) continue;
        for (i = 0; i < 4; i++) {
            sort_case c = quick_make(CLSORT_U32, b->small ? 300 : 40001, patterns[i]);
            c.algorithm = schedulers[k % (b->few_programs ? 1 : SCHEDULERS)];
            c.d.stable = k != 5;
            c.indices = k & 1;
            c.d.value_size = c.indices ? 0 : 4;
            c.d.tuning.work_group = k & 2 ? 16 : 0;
            case_run(b, &c);
        }
    }
}

static void records_and_zeros(bench *b)
{
    static const size_t sizes[] = { 8, 12, 16, 40 };
    size_t i;
    sort_case zeros = quick_make(CLSORT_F32, b->small ? 200 : 20000, "zeros");
    for (i = 0; i < (b->few_programs ? 2u : 4u); i++) {
        sort_case c = quick_make(CLSORT_U32, b->small ? 200 : 30000, "mod-256");
        if (!test_takes(b, 4)) continue;
        c.d.record_size = sizes[i];
        c.d.key_offset = 4;
        c.keys_out = (int)i & 1;
        c.d.tuning.work_group = i & 2 ? 16 : 0;
        case_run(b, &c);
    }
    zeros.d.zero_order = CLSORT_ZERO_EQUAL;
    zeros.d.value_size = 4;
    case_run(b, &zeros);
}

/* Every scan that a scheduler knows, in work-groups of one team and of several. */
static void every_scan(bench *b)
{
    static const cl_uint groups[] = { 32, 8 };
    static const char *const scans[] = { "+local", "+builtin", "+blelloch" };
    char name[64];
    size_t s, g, scan;
    for (s = 0; s < SCHEDULERS; s++)
        for (g = 0; g < (b->few_programs ? 1u : 2u); g++)
            for (scan = 0; scan < 3; scan++) {
                sort_case c = quick_make(CLSORT_U32, b->small ? 300 : 30001, "mod-1024");
                if (scan == 1 && strcmp(schedulers[s], "quicksort-device") != 0)
                    continue;
                if (!test_takes(b, 5)) continue;
                snprintf(name, sizeof name, "%s%s", schedulers[s], scans[scan]);
                c.algorithm = name;
                c.d.tuning.work_group = groups[g];
                c.d.tuning.items = 4;
                case_run(b, &c);
            }
}

/* ---- sizes and shapes ------------------------------------------------------------------------ */

/* What a plan does with n keys. */
static clsort__quick_job quick_job(const bench *b, const clsort_desc *d, size_t *tile)
{
    clsort__plan p;
    clsort__quick_job j;
    clsort__make_plan(b->sorter, d, &p);
    memset(&j, 0, sizeof j);
    j.w.shape = clsort__tile_shape(b->sorter, &p);
    j.n = d->count;
    clsort__quick_sizes(b->sorter, &j);
    *tile = j.tile;
    return j;
}

static void sizes_around_every_switch(bench *b)
{
    static const cl_uint groups[] = { 0, 1, 4, 64 };
    size_t g, k, i, n;
    for (g = 0; g < (b->few_programs ? 2u : 4u); g++) {
        sort_case c = quick_make(CLSORT_U32, 100000, "uniform");
        size_t tile, edges[6];
        clsort__quick_job j;
        if (!test_takes(b, 2)) continue;
        c.d.algorithm = CLSORT_QUICKSORT;
        c.d.tuning.work_group = groups[g];
        if (!CHECK_OK(clsort_prepare(b->sorter, NULL, &c.d))) return;
        j = quick_job(b, &c.d, &tile);
        edges[0] = tile;
        edges[1] = 2 * tile;
        edges[2] = j.leaf_elements;
        edges[3] = 2 * j.leaf_elements;
        edges[4] = j.block_elements;
        edges[5] = j.leaf_elements + j.block_elements;
        for (i = 0; i < (b->small ? 1u : 6u); i++)
            for (k = 0; k < 3; k++)
                for (n = edges[i] - 1; n <= edges[i] + 1; n++) {
                    c.d.count = n;
                    c.pattern = k == 0 ? "uniform" : k == 1 ? "mod-3" : "reverse";
                    if (!case_run(b, &c)) return;
                }
    }
}

/* Each shape is a program, so that a sample of them is compiled. */
static void small_shapes(bench *b)
{
    sample_draw drawn = test_sample(b, test_draws(b) ? 5 : 2);
    cl_uint group, items;
    for (group = 1; group <= 256; group *= 2) {
        sort_case c = quick_make(CLSORT_U32, b->small ? 100 : 9001, "mod-1024");
        if (!sample_takes(&drawn)) continue;
        items = group & 0x55 ? 2 : 8;
        c.d.tuning.work_group = group;
        c.d.tuning.items = items;
        c.d.value_size = group & 0x99 ? 4 : 0;
        c.d.stable = 1;
        case_run(b, &c);
    }
}

/* ---- killers --------------------------------------------------------------------------------- */

/* M. D. McIlroy, A killer adversary for quicksort, 1999, against a model of our partition: keys get
   their values while the model compares them, each as low as the answers before allow, and the
   pivot candidate lowest. GAS: not known yet. */
enum { GAS = -1 };
typedef struct adversary {
    int *value, *row, *moved;   /* by key; the keys in their present order; the same after a
                                   partition */
    int solid, candidate;
    size_t n, group, items;     /* group * items rows move at a time, in the order of work-items;
                                   group 1: rows keep their order */
} adversary;

/* Does key x come before key y? */
static int adversary_less(adversary *a, int x, int y)
{
    if (a->value[x] == GAS && a->value[y] == GAS) a->value[x == a->candidate ? x : y] = a->solid++;
    if (a->value[x] == GAS) a->candidate = x;
    else if (a->value[y] == GAS) a->candidate = y;
    return a->value[y] == GAS || (a->value[x] != GAS && a->value[x] < a->value[y]);
}

/* As choose_pivot and count_samples of kernels.cl. */
static int model_pivot(adversary *a, const int *row, size_t rows, cl_uint rule)
{
    size_t most = a->group > 1 && a->group < 64 ? a->group - 1 : MOST_SAMPLES, i, k, rank;
    size_t samples = rule == 1      ? 3
                     : rows < 4096  ? 7
                     : rows < 65536 ? 15
                                    : MOST_SAMPLES;
    int sample[MOST_SAMPLES], ranks[MOST_SAMPLES] = { 0 };
    if (samples > most) samples = most;
    for (i = 0; i < samples; i++)
        sample[i] = row[(uint64_t)i * (rows - 1) / (samples - 1 ? samples - 1 : 1)];
    for (i = 0; i < samples; i++)
        for (k = 0; k < i; k++) ranks[adversary_less(a, sample[i], sample[k]) ? k : i]++;
    for (i = 0, rank = 0; i < samples; i++)
        if ((size_t)ranks[i] == samples / 2) rank = i;
    return sample[rank];
}

/* The m-th of some rows that move together, in the order in which a partition takes them: by
   work-items, each with every group-th row. */
static size_t model_row(const adversary *a, size_t rows, size_t m)
{
    size_t whole = rows / a->group, rest = rows % a->group, longer = rest * (whole + 1);
    if (a->group == 1) return m;
    return m < longer ? m / (whole + 1) + m % (whole + 1) * a->group
                      : rest + (m - longer) / whole + (m - longer) % whole * a->group;
}

/* Partitions rows begin ... begin + rows - 1; returns how many come before the pivot, which lies
   behind them. */
static size_t model_partition(adversary *a, size_t begin, size_t rows, int pivot)
{
    size_t tile = a->group * a->items, at, m, less = 0, greater = 0;
    int *after = (int *)malloc(rows * sizeof *after);
    if (!CHECK(after != NULL)) return 0;
    for (at = 0; at < rows; at += tile) {
        size_t count = rows - at < tile ? rows - at : tile;
        for (m = 0; m < count; m++) {
            int key = a->row[begin + at + model_row(a, count, m)];
            if (key == pivot) continue;
            if (adversary_less(a, key, pivot)) a->moved[begin + less++] = key;
            else after[greater++] = key;
        }
    }
    a->moved[begin + less] = pivot;
    memcpy(a->moved + begin + less + 1, after, greater * sizeof *after);
    memcpy(a->row + begin, a->moved + begin, rows * sizeof *a->row);
    free(after);
    return less;
}

/* Partitions the longest part again and again, as often as there are rounds, and gives all keys
   their values. */
static void make_killer(adversary *a, const clsort__quick_job *j, cl_uint rule)
{
    size_t begin = 0, rows = a->n, i, less;
    cl_uint round;
    for (i = 0; i < a->n; i++) {
        a->value[i] = GAS;
        a->row[i] = (int)i;
    }
    for (round = 0; round < j->rounds + 2 && rows > j->leaf_elements; round++) {
        less = model_partition(a, begin, rows, model_pivot(a, a->row + begin, rows, rule));
        if (2 * less < rows) begin += less + 1;
        rows = 2 * less < rows ? rows - less - 1 : less;
    }
    for (i = 0; i < a->n; i++)
        if (a->value[i] == GAS) a->value[i] = a->solid++;
}

/* Sorts the killer, which is a permutation, and looks at the state that is left in scratch. */
static int sort_killer(const bench *b, const adversary *a, const clsort_desc *asked,
                       const clsort__quick_job *j)
{
    cl_command_queue queue = b->session.queue;
    clsort_desc d = *asked;
    clsort__plan p;
    cl_uint state[16] = { 0 };
    cl_int error, error2;
    int *sorted = (int *)malloc(a->n * sizeof *sorted), good;
    size_t bytes, i;
    if (!CHECK(sorted != NULL) || !CHECK_OK(clsort_scratch_size(b->sorter, &d, &bytes))) return 0;
    clsort__make_plan(b->sorter, &d, &p);
    clsort__plan_scratch(b->sorter, &p);
    d.keys = clCreateBuffer(b->session.context, CL_MEM_COPY_HOST_PTR, a->n * sizeof *sorted,
                            a->value, &error);
    d.scratch = clCreateBuffer(b->session.context, CL_MEM_READ_WRITE, bytes, NULL, &error2);
    d.scratch_size = bytes;
    good = CHECK(error == CL_SUCCESS && error2 == CL_SUCCESS)
           && CHECK_OK(clsort_enqueue_sort(b->sorter, queue, &d, 0, NULL, NULL))
           && CHECK(clEnqueueReadBuffer(queue, d.keys, CL_TRUE, 0, a->n * sizeof *sorted, sorted, 0,
                                        NULL, NULL)
                    == CL_SUCCESS)
           && CHECK(clEnqueueReadBuffer(queue, d.scratch, CL_TRUE, p.scratch.tables, sizeof state,
                                        state, 0, NULL, NULL)
                    == CL_SUCCESS);
    for (i = 0; good && i < a->n; i++) good = CHECK(sorted[i] == (int)i);
    /* rounds taken; leftovers */
    good = good && CHECK(state[6] == j->rounds) && CHECK(state[5] > 0);
    if (d.keys) clReleaseMemObject(d.keys);
    if (d.scratch) clReleaseMemObject(d.scratch);
    free(sorted);
    return good;
}

static int try_killer(const bench *b, size_t n, cl_uint group, cl_uint rule, const char *scheduler)
{
    char name[64];
    adversary a;
    clsort__quick_job j;
    clsort_desc d = clsort_desc_default(), resolved = d;
    size_t tile;
    int good;
    d.count = n;
    d.key_type = CLSORT_I32;
    AT("a killer of %zu keys, work-group %u, pivot %u, %s", n, (unsigned)group, (unsigned)rule,
       scheduler);
    snprintf(name, sizeof name, "%s%s", scheduler, rules[rule]);
    if (!CHECK_OK(clsort_set_algorithm(&d, name))) return 0;
    d.tuning.work_group = group;
    if (!CHECK_OK(clsort_prepare(b->sorter, NULL, &d))
        || !CHECK_OK(clsort_resolve(b->sorter, &d, &resolved)))
        return 0;
    j = quick_job(b, &d, &tile);
    memset(&a, 0, sizeof a);
    a.n = n;
    a.group = resolved.tuning.work_group;
    a.items = tile / a.group < 8 ? tile / a.group : 8;   /* CLSORT_MOVED_ITEMS */
    a.value = (int *)malloc(3 * n * sizeof *a.value);
    if (!CHECK(a.value != NULL)) return 0;
    a.row = a.value + n;
    a.moved = a.row + n;
    make_killer(&a, &j, rule);
    good = sort_killer(b, &a, &d, &j);
    free(a.value);
    return good;
}

static void killers(bench *b)
{
    static const cl_uint groups[] = { 4, 16, 64 };
    size_t g, k;
    cl_uint rule;
    for (g = 0; g < (b->few_programs ? 2u : 3u); g++) {
        if (!test_takes(b, 3)) continue;
        for (rule = 1; rule < RULES; rule++)
            for (k = 0; k < (b->small ? 1u : 18u); k++)
                if (!try_killer(b, 9000 + 517 * k, groups[g], rule, schedulers[k % 2])) return;
    }
}

/* Keys that are powers of two: half way between the bounds only ever cuts off the greatest. */
static void powers_of_two(bench *b)
{
    size_t n = b->small ? 2000 : 40000, i, s;
    cl_ulong *keys = (cl_ulong *)malloc(n * sizeof *keys);
    if (!CHECK(keys != NULL)) return;
    for (s = 0; s < SCHEDULERS; s++) {
        clsort_desc d = clsort_desc_default();
        if (!test_takes(b, SCHEDULERS) || case_lacks(b, schedulers[s])) continue;
        for (i = 0; i < n; i++) keys[i] = (cl_ulong)1 << (i * 29 + i / 64) % 64;
        d.count = n;
        d.key_type = CLSORT_U64;
        CHECK_OK(clsort_set_algorithm(&d, schedulers[s]));
        d.tuning.work_group = b->few_programs ? 0 : 16;
        if (!CHECK_OK(clsort_sort_host(b->sorter, &d, keys, NULL, NULL))) break;
        for (i = 1; i < n; i++)
            if (!CHECK(keys[i - 1] <= keys[i])) break;
    }
    free(keys);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void hear_round(void *user, const char *stage, cl_event event)
{
    (void)event;
    *(cl_uint *)user += strstr(stage, "quick_count") != NULL;
}

/* Rounds of a sort of n uniform keys, as the host counts them that asks after each. */
static cl_uint count_rounds(const bench *b, clsort_desc *d, cl_uint *keys)
{
    clsort_options options = clsort_options_default();
    clsort_sorter *s = NULL;
    cl_uint rounds = 0;
    uint64_t random = 7;
    size_t i;
    options.profile = hear_round;
    options.user = &rounds;
    for (i = 0; i < d->count; i++) keys[i] = (cl_uint)(pattern_random(&random) >> 32);
    CHECK_OK(clsort_create(b->session.context, b->session.info.id, &options, &s));
    CHECK_OK(clsort_sort_host(s, d, keys, NULL, NULL));
    clsort_destroy(s);
    for (i = 1; i < d->count; i++)
        if (!CHECK(keys[i - 1] <= keys[i])) break;
    return rounds;
}

/* The middle of the bounds that the rounds before have found halves uniform keys. */
static void bounds_halve(bench *b)
{
    static const struct { cl_uint work_group; size_t n; } cases[] = { { 16, 6000 }, { 0, 200000 } };
    const int simulated = device_name_holds(b->session.info.platform_name, "Oclgrind");
    cl_uint *keys = (cl_uint *)malloc(200000 * sizeof *keys), rounds, least;
    size_t i, tile;
    if (!CHECK(keys != NULL)) return;
    for (i = 0; i < (simulated ? 1u : 2u); i++) {
        clsort_desc d = clsort_desc_default();
        d.count = cases[i].n;
        d.key_type = CLSORT_U32;
        CHECK_OK(clsort_set_algorithm(&d, "quicksort-host"));
        d.tuning.work_group = cases[i].work_group;
        rounds = count_rounds(b, &d, keys);
        least = clsort__ceil_log2(d.count / quick_job(b, &d, &tile).leaf_elements);
        AT("%zu keys: %u rounds, %u to leaves", d.count, (unsigned)rounds, (unsigned)least);
        CHECK(rounds >= least && rounds <= least + 2);
    }
    free(keys);
}

static const test_entry tests[] = {
    { "equal keys and orders are sorted", equal_keys_and_orders },
    { "uniform keys are halved in each round", bounds_halve },
    { "powers of two are sorted by the middle of the bounds", powers_of_two },
    TEST_REST,
    { "every scheduler sorts with every pivot rule, widths and payloads",
      every_scheduler_and_pivot },
    { "equal keys keep their order where asked, and indices are right", stable_and_argsort },
    { "records and equal zeros are sorted", records_and_zeros },
    { "every scan adds up", every_scan },
    { "sizes around tiles, leaves and blocks are sorted", sizes_around_every_switch },
    { "work-groups of every shape sort", small_shapes },
    { "killers made for each shape are sorted within the bound on rounds", killers }
};

TEST_MAIN(tests)
