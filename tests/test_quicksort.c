/* The quicksort family beyond a right order, which test_rows.c proves: how many rounds it takes,
   and inputs made against its own pivots. */

#include "harness.h"

#define CLSORT_IMPLEMENTATION
#include "cases.h"

enum { MOST_SAMPLES = 63 };

static const char *const rules[] = { "", "+median3", "+sample" };
enum { RULES = sizeof rules / sizeof *rules };

static const char *const schedulers[] = { "quicksort", "quicksort-host" };

/* ---- sizes and shapes ------------------------------------------------------------------------ */

/* What a plan does with n keys. */
static clsort__quick_job quick_job(const bench *b, const clsort_desc *d, size_t *tile)
{
    clsort__plan p;
    clsort__quick_job j;
    clsort__make_plan(&b->sorter->facts, b->sorter->policy, d, &p);
    memset(&j, 0, sizeof j);
    clsort__bind(b->sorter, &p, NULL);
    j.w.shape = p.granted;
    j.n = d->count;
    j.p = &p;
    clsort__quick_sizes(&j);
    j.p = NULL;
    *tile = j.tile;
    return j;
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

static const adversary *killer;
static cl_uint killer_state[16];

static uint64_t key_of_killer(const sort_case *c, size_t i, uint64_t *random)
{
    (void)c, (void)random;
    return (uint64_t)(cl_uint)killer->value[i];
}

static int read_state(const bench *b, const case_state *s)
{
    clsort__plan p;
    clsort__make_plan(&b->sorter->facts, b->sorter->policy, &s->d, &p);
    clsort__plan_scratch(&p, &p);
    memcpy(killer_state, image_at(&s->image, s->image.now, CASE_SCRATCH, 0) + p.scratch.tables,
           sizeof killer_state);
    return 1;
}

/* Sorts the killer, and looks at the state that is left in scratch: rounds taken, leftovers. */
static int sort_killer(const bench *b, const adversary *a, const clsort_desc *d,
                       const clsort__quick_job *j)
{
    sort_case c = case_make(CLSORT_I32, a->n, "uniform");
    c.d = *d;
    c.own_scratch = 1;
    c.make = key_of_killer;
    c.look = read_state;
    killer = a;
    return case_run(b, &c) && CHECK(killer_state[6] == j->rounds) && CHECK(killer_state[5] > 0);
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
    { "uniform keys are halved in each round", bounds_halve },
    TEST_REST,
    { "killers made for each shape are sorted within the bound on rounds", killers }
};

TEST_MAIN(tests)

