/* AUTO that measures, on the driver of mock.h, whose clock a test sets: AUTO follows it, and no
   fault, no damaged text and no choice does harm. */

#include "mock.h"

#define CLSORT_IMPLEMENTATION
#include "caching.h"
#include "clsort_measure.h"
#include "later.h"

/* ---- a device with a clock ------------------------------------------------------------------- */

enum { BITONIC, MERGE, PASSES, HYBRID, CACHED, FEW, KINDS };
static const char *const prefixes[KINDS] = { "clsort_bitonic", "clsort_merge", "clsort_radix",
                                             "clsort_hybrid", "clsort_cached", "clsort_samples" };

/* The clock: ns of a sort by each kind, all of which it costs when its first kernel runs. On CPUs
   merge begins with a kernel of bitonic: then it gets that time back. */
typedef struct world {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    clsort_sorter *sorter;
    cl_ulong ns[CLSORT__WAYS];      /* KINDS are fewer */
    int sorts[CLSORT__WAYS];        /* that began by each */
    int fickle, runs;           /* a kind that is the fastest in the first round only */
    int wrong;                  /* a kind whose results are wrong */
    int kind, last;             /* of the sort that runs, -1: none has begun; of the last one */
    int selects;                /* kinds are ways to select, and a read ends one */
    int steps, cancel_at;       /* of the progress callback */
    int failures;               /* that the diagnostic callback heard of */
} world;

static int kind_of(const char *kernel)
{
    int k;
    if (!strcmp(kernel, "clsort_ranks")) return FEW;
    for (k = 0; k < KINDS; k++)
        if (!strncmp(kernel, prefixes[k], strlen(prefixes[k]))) return k;
    return -1;
}

/* The way to select that begins with a kernel, which is one of a sort where rows are sorted. */
static int way_of(const char *kernel)
{
    static const struct { const char *kernel; int way; } ways[] = {
        { "clsort_select_stream", CLSORT__BY_STREAMS },
        { "clsort_select_short", CLSORT__BY_REGISTERS },
        { "clsort_select_pieces", CLSORT__BY_ROUNDS },
        { "clsort_select_tile", CLSORT__BY_TILES },
        { "clsort_select_begin", CLSORT__BY_ONE_LAUNCH },
        { "clsort_select_sample", CLSORT__BY_SAMPLE },
        { "clsort_select_rows", CLSORT__BY_DIGITS },
        { "clsort_select_pass", CLSORT__BY_DIGITS },
        { "clsort_select_sort", CLSORT__BY_DIGITS },
        { "clsort_select_scatter", CLSORT__BY_DIGITS }
    };
    size_t i;
    for (i = 0; i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(kernel, ways[i].kernel)) return ways[i].way;
    return kind_of(kernel) >= 0 || !strncmp(kernel, "clsort_segment", 14) ? CLSORT__BY_SORTING : -1;
}

static cl_ulong cost(void *user, const char *kernel, size_t global)
{
    world *w = (world *)user;
    const int kind = !kernel ? -1 : w->selects ? way_of(kernel) : kind_of(kernel);
    (void)global;
    if (w->selects) {
        if (kind < 0 || w->kind >= 0) return 10;
        w->kind = w->last = kind;
        return w->ns[kind];
    }
    if (!kernel) w->kind = -1;
    if (w->kind == BITONIC && kind == MERGE) {
        w->kind = w->last = MERGE;
        w->sorts[BITONIC]--;
        w->sorts[MERGE]++;
        return w->ns[MERGE] - w->ns[BITONIC];
    }
    if (kind < 0 || w->kind >= 0) return 10;
    w->kind = w->last = kind;
    w->sorts[kind]++;
    if (kind == w->fickle) return w->runs++ % 11 < 6 ? 1000000 : 3000000;
    return w->ns[kind];
}

static void spoil(void *user, cl_mem buffer, size_t at, size_t bytes, void *host)
{
    world *w = (world *)user;
    clsort_proof proof;
    (void)buffer, (void)at;
    if (w->selects) {
        if (bytes == sizeof proof) w->last = -2;   /* of what selections are compared with */
        if (w->last == w->wrong) *(char *)host ^= 1;
        w->kind = -1;
        return;
    }
    if (bytes != sizeof proof || w->last != w->wrong) return;
    memcpy(&proof, host, sizeof proof);
    proof.unsorted = 1;
    memcpy(host, &proof, sizeof proof);
}

static int go_on(void *user, cl_uint done, cl_uint total)
{
    world *w = (world *)user;
    CHECK(done <= total);
    return ++w->steps == w->cancel_at;
}

static void hear_failure(void *user, clsort_status status, const char *function,
                         const char *message)
{
    (void)status, (void)function, (void)message;
    ((world *)user)->failures++;
}

static void set_clock(world *w, int fastest, cl_ulong fast, cl_ulong slow)
{
    int k;
    for (k = 0; k < (int)(sizeof w->ns / sizeof *w->ns); k++)
        w->ns[k] = k == fastest ? fast : slow;
}

/* Makes a sorter on device number `number` of two. */
static clsort_sorter *new_sorter(world *w, cl_uint flags, store *cache)
{
    clsort_options o = clsort_options_default();
    clsort_sorter *s = NULL;
    o.diagnostic = hear_failure;
    o.user = w;
    o.flags = flags;
    o.cache_load = cache ? load : NULL;
    o.cache_save = cache ? save : NULL;
    o.cache_user = cache;
    CHECK_OK(clsort_create(w->context, w->device, &o, &s));
    return s;
}

static void open_world(world *w, mock_facts facts)
{
    memset(w, 0, sizeof *w);
    mock_open(facts, 0, &w->context, &w->device, &w->queue);
    mock.on_cost = cost;
    mock.on_read = spoil;
    mock.user = w;
    w->fickle = w->wrong = w->kind = -1;
    set_clock(w, -1, 0, 2000000);
    w->sorter = new_sorter(w, 0, NULL);
}

static void close_world(world *w)
{
    clsort_destroy(w->sorter);
    CHECK(counted_nothing_live() && !mock.faults);
    mock_clReleaseCommandQueue(w->queue);
    mock_clReleaseContext(w->context);
}

/* ---- what is sorted -------------------------------------------------------------------------- */

enum { SORTS = 9, SELECTIONS = 6 };
static clsort_desc selection_number(int number, size_t count)
{
    static const struct { cl_uint type, later; size_t value_size, rows, k; } selections[] = {
        { CLSORT_F32, LATER_INDICES, 0, 0, 40 },
        { CLSORT_U32, LATER_KEYS_OUT, 0, 0, 1 },
        { CLSORT_F32, LATER_INDICES | LATER_KEYS_OUT, 0, 9, 40 },
        { CLSORT_U64, LATER_KEYS_OUT | LATER_VALUES_OUT, 4, 0, 100 },
        { CLSORT_U64, LATER_INDICES, 0, 3, 2500 },
        { CLSORT_I16, LATER_INDICES | LATER_VALUES_OUT, 20, 1200, 5 }
    };
    clsort_desc d = clsort_desc_default();
    d.count = count;
    d.key_type = selections[number].type;
    later(&d, selections[number].later);
    d.value_size = selections[number].value_size;
    d.rows = selections[number].rows;
    d.top_k = selections[number].k;
    return d;
}

/* A sort of one array, or behind those a selection. */
static clsort_desc sort_number(int number, size_t count)
{
    static const struct { cl_uint type, later, stable; size_t value_size; } sorts[SORTS] = {
        { CLSORT_U32, 0, 0, 0 }, { CLSORT_F32, LATER_KEYS_OUT, 0, 0 },
        { CLSORT_U64, 0, 0, 0 }, { CLSORT_I16, 0, 0, 0 },
        { CLSORT_U32, LATER_KEYS_OUT | LATER_VALUES_OUT, 0, 4 },
        { CLSORT_U32, LATER_INDICES, 0, 0 }, { CLSORT_U32, 0, 1, 4 },
        { CLSORT_U64, 0, 0, 8 }, { CLSORT_U8, 0, 1, 4 }   /* bitonic needs the most scratch */
    };
    clsort_desc d = clsort_desc_default();
    if (number >= SORTS) return selection_number(number - SORTS, count);
    d.count = count;
    d.key_type = sorts[number].type;
    later(&d, sorts[number].later);
    d.stable = sorts[number].stable;
    d.value_size = sorts[number].value_size;
    return d;
}

static clsort_status measure(world *w, clsort_sorter *s, const clsort_desc *d, cl_uint max_ms)
{
    clsort_measure_desc m = clsort_measure_desc_default();
    m.sort = d;
    m.max_ms = max_ms ? max_ms : 1000000;
    m.progress = go_on;
    m.user = w;
    w->steps = w->runs = 0;
    return clsort_measure(s, w->queue, &m);
}

static int same_choices(clsort_sorter *a, clsort_sorter *b)
{
    cl_uint i;
    for (i = 0;; i++) {
        clsort_choice x = clsort_choice_default(), y = x;
        const clsort_status status = clsort_auto_choice(a, i, &x);
        if (clsort_auto_choice(b, i, &y) != status) return 0;
        if (status != CL_SUCCESS) return i >= 9;
        y.origin = x.origin;
        if (memcmp(&x, &y, sizeof x)) return 0;
    }
}

/* Is it as a sorter that measured nothing? */
static int is_built_in(world *w, clsort_sorter *s)
{
    clsort_sorter *fresh = new_sorter(w, 0, NULL);
    const int same = same_choices(s, fresh) && !s->policy->measured;
    clsort_destroy(fresh);
    return same;
}

/* The kind of a plan. */
static int planned_kind(const clsort__plan *p)
{
    switch (p->config.family) {
    case CLSORT__BITONIC: return BITONIC;
    case CLSORT__MERGE: return MERGE;
    case CLSORT__HYBRID: return HYBRID;
    case CLSORT__CACHED: return CACHED;
    case CLSORT__SAMPLES: case CLSORT__RANKS: return FEW;
    default: return PASSES;
    }
}

/* Do two sorters plan a kind of sorts alike, from one count up to another? */
static int plan_alike(clsort_sorter *a, clsort_sorter *b, clsort_desc d, size_t from, size_t most)
{
    clsort__plan x, y;
    for (d.count = from; d.count <= most; d.count += d.count / 2 + 1) {
        clsort__make_plan(&a->facts, a->policy, &d, &x);
        clsort__make_plan(&b->facts, b->policy, &d, &y);
        if (x.algorithm != y.algorithm || memcmp(&x.config, &y.config, sizeof x.config)) return 0;
    }
    return 1;
}

/* ---- AUTO follows the clock ------------------------------------------------------------------ */

/* At each count: what AUTO takes is of the fastest kind wherever some row takes that. */
static int follows(world *w, const clsort_desc *d, int fastest)
{
    clsort_desc at = *d;
    int met = 0, corner;
    for (at.count = 2; at.count <= d->count; at.count += at.count / 2 + 1) {
        clsort__plan p;
        int can = 0;
        if (at.count < 256 && fastest != BITONIC) continue;
        for (corner = 0; corner < CLSORT__CORNERS; corner++) {
            const clsort__crossover row = clsort__corner_row(corner);
            clsort__policy form = *clsort__policy_of(&w->sorter->facts);
            form.crossover_rows = &row;
            clsort__make_plan(&w->sorter->facts, &form, &at, &p);
            can |= planned_kind(&p) == fastest;
        }
        clsort__make_plan(&w->sorter->facts, w->sorter->policy, &at, &p);
        if (!CHECK(!can || planned_kind(&p) == fastest)) {
            printf("  %u keys by family %u\n", (unsigned)at.count, (unsigned)p.config.family);
            return met;
        }
        met += can;
    }
    return met;
}

/* Such sorts of all counts build nothing, and if what AUTO takes now was prepared, they allocate
   nothing. */
static void sorts_at_once(world *w, const clsort_desc *d, int prepared)
{
    clsort_desc at = *d;
    const int builds = mock.builds;
    cl_ulong allocated;
    int i;
    cl_mem memory[5];
    for (i = 0; i < 5; i++)
        memory[i] = mock_new_buffer(w->context, 20 * d->count * (d->rows ? d->rows : 1));
    at.keys = memory[0];
    at.keys_out = d->keys_out ? memory[1] : NULL;
    at.values = d->value_size ? memory[2] : NULL;
    at.values_out = d->values_out ? memory[3] : NULL;
    at.indices = d->indices ? memory[4] : NULL;
    at.flags = CLSORT_FLAG_NO_BUILD | (d->flags & CLSORT_FLAG_TOP_PARTITION);
    allocated = mock.allocated;
    for (at.count = d->top_k ? d->top_k : 1; at.count <= d->count; at.count += at.count / 3 + 1)
        CHECK_OK(clsort_enqueue_sort(w->sorter, w->queue, &at, 0, NULL, NULL));
    CHECK(mock.builds == builds && (mock.allocated == allocated || !prepared));
    for (i = 0; i < 5; i++) mock_clReleaseMemObject(memory[i]);
}

/* Events cost time, as on NVIDIA's GPUs: sorts of many launches do not pay for one each. */
static void follows_the_clock(bench *b)
{
    int v, number, fastest, met[KINDS] = { 0 };
    (void)b;
    for (v = 0; v < (int)MOCK_PRESETS; v++)
        for (number = 0; number < SORTS; number++)
            for (fastest = 0; fastest < KINDS; fastest++) {
                const clsort_desc d = sort_number(number, (size_t)1 << (12 + 3 * (fastest % 3)));
                world w;
                open_world(&w, mock_presets[v].facts());
                AT("%s, sort %d, %s", mock_presets[v].name, number, prefixes[fastest]);
                set_clock(&w, fastest, 1000000, 2000000);
                mock.event_cost = 300000;
                if (CHECK_OK(measure(&w, w.sorter, &d, 0))) {
                    met[fastest] += follows(&w, &d, fastest);
                    sorts_at_once(&w, &d, 1);
                    CHECK(!w.failures && counted.live[COUNTED_QUEUE] <= 1);   /* the caller's */
                }
                close_world(&w);
            }
    for (fastest = 0; fastest < KINDS; fastest++) CHECK(met[fastest] > 10);
}

/* The built-in policy; with another way to select, 1 + CLSORT__BY_*. */
static clsort__policy built_in(const world *w, int way)
{
    clsort__policy p = *clsort__policy_of(&w->sorter->facts);
    p.way = (cl_uint)way;
    return p;
}

/* How a selection from rows of `count` elements works, by a policy; NULL: by the sorter's. */
static int planned_way(world *w, const clsort_desc *d, size_t count, const clsort__policy *policy)
{
    clsort_desc at = *d, own;
    clsort__checks c = clsort__begin_checks(w->sorter);
    clsort__job j;
    at.count = count;
    clsort__sort_job(&j, w->sorter, "test", &at, &own);
    if (policy) j.policy = policy;
    j.op->judge(&c, &j);
    CHECK(c.status == CL_SUCCESS && j.plan.d.top_k);
    return j.plan.select.how;
}

/* At each count: the fastest way is taken wherever it can be, there and at the count of its class
   that was measured; if that count is selected from in this way anyhow, it stays as planned. */
static int follows_ways(world *w, const clsort_desc *d, int fastest)
{
    const clsort__policy form = built_in(w, 1 + fastest), own = built_in(w, 0);
    size_t n;
    int met = 0, wanted;
    for (n = 256 + 2 * d->top_k; n <= d->count; n += n / 5 + 1) {
        const size_t up = (size_t)1 << clsort__ceil_log2(n), of = up < d->count ? up : d->count;
        if ((size_t)2 << clsort__ceil_log2(d->top_k) > n) continue;
        if (planned_way(w, d, n, &form) != fastest || planned_way(w, d, of, &form) != fastest)
            continue;
        wanted = planned_way(w, d, of, &own) == fastest ? planned_way(w, d, n, &own) : fastest;
        if (!CHECK(planned_way(w, d, n, NULL) == wanted)) {
            printf("  %u keys by %s\n", (unsigned)n,
                   clsort__ways[planned_way(w, d, n, NULL)].name);
            return met;
        }
        met++;
    }
    return met;
}

/* From here on selections are measured, or sorts: results of selections are compared, so buffers
   hold nothing. */
static void select_now(world *w, int selects)
{
    w->selects = selects;
    w->kind = -1;
    mock.stored = selects ? 0 : 4096;
}

/* A world for a sort, or a selection, by number. */
static void open_world_for(world *w, int number, mock_facts facts)
{
    open_world(w, facts);
    select_now(w, number >= SORTS);
}

/* A sort or a selection of few elements, by number. */
static clsort_desc small_number(int number)
{
    return sort_number(number, number < SORTS ? 600 : number == SORTS + 4 ? 6000 : 300);
}

static void selects_by_the_clock(bench *b)
{
    int v, number, fastest, met[CLSORT__WAYS] = { 0 };
    (void)b;
    for (v = 0; v < (int)MOCK_PRESETS; v++)
        for (number = 0; number < SELECTIONS; number++)
            for (fastest = 0; fastest < (int)CLSORT__WAYS; fastest++) {
                const clsort_desc d = selection_number(number, number == 5 ? 6000
                                                               : number ? 300000 : 1 << 23);
                world w;
                open_world_for(&w, SORTS, mock_presets[v].facts());
                AT("%s, selection %d, %s", mock_presets[v].name, number,
                   clsort__ways[fastest].name);
                set_clock(&w, fastest, 1000000, 2000000);
                if (CHECK_OK(measure(&w, w.sorter, &d, 0))) {
                    met[fastest] += follows_ways(&w, &d, fastest);
                    sorts_at_once(&w, &d, 1);
                    CHECK(!w.failures && counted.live[COUNTED_QUEUE] <= 1);   /* the caller's */
                }
                close_world(&w);
            }
    for (fastest = 0; fastest < (int)CLSORT__WAYS; fastest++) CHECK(met[fastest] > 10);
}

/* A gain of 4 %, or in one round only, changes nothing: the row that is kept is AUTO's own. */
static void needs_two_rounds(bench *b)
{
    int v, kind, fickle;
    (void)b;
    for (v = 0; v < (int)MOCK_PRESETS; v++)
        for (kind = 0; kind < KINDS; kind++)
            for (fickle = 0; fickle < 2; fickle++) {
                const clsort_desc d = sort_number(0, 1 << 16);
                clsort_sorter *fresh;
                clsort__plan was, is;
                clsort_desc at = d;
                world w;
                open_world(&w, mock_presets[v].facts());
                AT("%s, %s, fickle %d", mock_presets[v].name, prefixes[kind], fickle);
                set_clock(&w, kind, 1920000, 2000000);
                if (fickle) w.fickle = kind;
                CHECK_OK(measure(&w, w.sorter, &d, 0));
                fresh = new_sorter(&w, 0, NULL);
                for (at.count = 256; at.count <= d.count; at.count *= 2) {
                    clsort__make_plan(&w.sorter->facts, w.sorter->policy, &at, &is);
                    clsort__make_plan(&fresh->facts, fresh->policy, &at, &was);
                    CHECK(planned_kind(&is) == planned_kind(&was)
                          || (fickle && planned_kind(&was) == kind));
                }
                clsort_destroy(fresh);
                close_world(&w);
            }
}

/* What is behind radix by more than twice its time at two counts is not run with more elements;
   radix is, however far it is behind, and so is AUTO's own. */
static void drops_what_is_behind(bench *b)
{
    static const cl_ulong slow[] = { 1990000, 2010000 };
    int i, more;
    (void)b;
    for (i = 0; i < 4; i++) {
        const int behind = i % 2, radix = i / 2;
        int sorts[2] = { 0, 0 };
        for (more = 0; more < 2; more++) {
            const clsort_desc d = sort_number(2, (size_t)1 << (more ? 20 : 16));
            world w;
            open_world(&w, mock_gpu());
            AT("%s, %.2f ms", radix ? "radix" : "merge", 1e-6 * (double)slow[behind]);
            set_clock(&w, radix ? MERGE : PASSES, 1000000, slow[behind]);
            CHECK_OK(measure(&w, w.sorter, &d, 0));
            sorts[more] = w.sorts[radix ? PASSES : BITONIC];
            close_world(&w);
        }
        if (behind && !radix) CHECK(sorts[1] <= sorts[0] + 1);
        else CHECK(sorts[1] > sorts[0] + 10);
    }
}

/* What writes nothing is dropped, though what was there before was right: here all do. */
static void drops_what_writes_nothing(bench *b)
{
    const clsort_desc d = selection_number(0, 2000);
    world w;
    (void)b;
    open_world_for(&w, SORTS, mock_gpu());
    CHECK_OK(measure(&w, w.sorter, &d, 0));
    mock.stored = 1 << 20;
    CHECK_STATUS(measure(&w, w.sorter, &d, 0), CLSORT_ERROR_WRONG_RESULT);
    close_world(&w);
}

/* What is found, and its gain, does not depend on what was measured before. */
static void starts_anew(bench *b)
{
    int number;
    (void)b;
    for (number = 0; number < SORTS + SELECTIONS; number++) {
        const clsort_desc d = sort_number(number, 1 << 13);
        const int fast = number < SORTS ? (int)MERGE : (int)CLSORT__BY_TILES;
        clsort_sorter *once, *twice;
        world w;
        open_world_for(&w, number, mock_gpu());
        AT("sort %d", number);
        once = new_sorter(&w, 0, NULL);
        twice = new_sorter(&w, 0, NULL);
        set_clock(&w, number < SORTS ? (int)BITONIC : (int)CLSORT__BY_DIGITS, 1000000, 2000000);
        CHECK_OK(measure(&w, twice, &d, 0));
        set_clock(&w, fast, 1000000, 2000000);
        CHECK_OK(measure(&w, once, &d, 0));
        CHECK_OK(measure(&w, twice, &d, 0));
        CHECK_OK(measure(&w, twice, &d, 0));
        CHECK(same_choices(once, twice));
        clsort_destroy(once);
        clsort_destroy(twice);
        close_world(&w);
    }
}

/* So it is with ways to select. */
static void drops_ways(void)
{
    int v, number, way;
    for (v = 0; v < (int)MOCK_PRESETS; v++)
        for (number = 0; number < SELECTIONS; number += 2)
            for (way = 0; way < (int)CLSORT__WAYS; way++) {
                const clsort_desc d = selection_number(number, 20000);
                clsort_status status;
                size_t n;
                world w;
                open_world_for(&w, SORTS, mock_presets[v].facts());
                AT("%s, selection %d, %s", mock_presets[v].name, number, clsort__ways[way].name);
                set_clock(&w, way, 1000000, 2000000);
                w.wrong = way;
                status = measure(&w, w.sorter, &d, 0);
                if (status != CL_SUCCESS) {   /* there was no other way */
                    CHECK_STATUS(status, CLSORT_ERROR_WRONG_RESULT);
                    CHECK(way == CLSORT__BY_DIGITS && is_built_in(&w, w.sorter));
                } else
                    for (n = (size_t)2 << clsort__ceil_log2(d.top_k); n <= d.count; n *= 2)
                        CHECK(n < 256 || planned_way(&w, &d, n, NULL) != way);
                close_world(&w);
            }
}

/* The fastest kind is dropped if its results are wrong; with all wrong, the call fails. */
static void drops_what_is_wrong(bench *b)
{
    const clsort_desc d = sort_number(0, 1 << 14);
    clsort_desc at = d;
    clsort__plan p;
    world w;
    int v, kind;
    (void)b;
    for (v = 0; v < (int)MOCK_PRESETS; v++)
        for (kind = 0; kind < KINDS; kind++) {
            open_world(&w, mock_presets[v].facts());
            AT("%s, %s", mock_presets[v].name, prefixes[kind]);
            set_clock(&w, kind, 1000000, 2000000);
            w.wrong = kind;
            CHECK_OK(measure(&w, w.sorter, &d, 0));
            for (at.count = 256; at.count <= d.count; at.count *= 2) {
                clsort__make_plan(&w.sorter->facts, w.sorter->policy, &at, &p);
                CHECK(planned_kind(&p) != kind);
            }
            close_world(&w);
        }
    drops_ways();
}

/* ---- it ends early --------------------------------------------------------------------------- */

static void cancel_anywhere(int number)
{
    const clsort_desc d = sort_number(number, 1 << 10);
    world w;
    int steps, at;
    open_world_for(&w, number, mock_gpu());
    set_clock(&w, MERGE, 1000000, 2000000);
    CHECK_OK(measure(&w, w.sorter, &d, 0));
    steps = w.steps;
    CHECK(steps > 10);
    for (at = 1; at <= steps; at++) {
        clsort_sorter *s = new_sorter(&w, 0, NULL);
        AT("sort %d, step %d of %d", number, at, steps);
        w.cancel_at = at;
        w.failures = 0;
        CHECK_STATUS(measure(&w, s, &d, 0), CLSORT_ERROR_CANCELLED);
        CHECK(w.failures == 1 && is_built_in(&w, s));
        clsort_destroy(s);
    }
    w.cancel_at = steps + 1;
    CHECK_OK(measure(&w, w.sorter, &d, 0));
    close_world(&w);
}

static void cancelled_anywhere(bench *b)
{
    (void)b;
    cancel_anywhere(0);
    cancel_anywhere(SORTS);
}

/* The clock of the device is kept: what would take longer is not begun. */
static void out_of_time(bench *b)
{
    static const cl_uint limits[] = { 1, 10, 100, 1000 };
    size_t i;
    (void)b;
    for (i = 0; i < 2 * sizeof limits / sizeof *limits; i++) {
        const int number = i % 2 ? SORTS : 2;
        const cl_uint limit = limits[i / 2];
        const clsort_desc d = sort_number(number, 1 << 20);
        world w;
        cl_ulong start;
        open_world_for(&w, number, mock_nvidia());
        AT("sort %d, %u ms", number, (unsigned)limit);
        start = mock.clock;
        set_clock(&w, MERGE, limit * 10000, limit * 20000);
        CHECK_STATUS(measure(&w, w.sorter, &d, limit), CLSORT_ERROR_OUT_OF_TIME);
        CHECK(is_built_in(&w, w.sorter));
        CHECK((double)(mock.clock - start) <= 1.2e6 * limit);
        close_world(&w);
    }
}

/* ns of a launch: what it costs to begin, and its work-items. */
static cl_ulong cost_by_size(void *user, const char *kernel, size_t global)
{
    (void)user;
    return kernel ? 4000 + global / 10 : 4000;
}

static clsort_status measure_in(world *w, clsort_sorter *s, const clsort_desc *d, cl_uint max_ms,
                                cl_uint flags)
{
    clsort_measure_desc m = clsort_measure_desc_default();
    m.sort = d;
    m.max_ms = max_ms;
    m.flags = flags;
    return clsort_measure(s, w->queue, &m);
}

/* Builds that take 3 s each do not keep large counts from being measured: once they are there, 15 s
   are enough for 2^26 elements. */
static void slow_builds(bench *b)
{
    int v, number;
    (void)b;
    for (v = 0; v < (int)MOCK_PRESETS; v++)
        for (number = 0; number < 3; number += 2) {
            const clsort_desc d = sort_number(number, 1 << 26);
            clsort_choice c = clsort_choice_default();
            int built;
            world w;
            open_world(&w, mock_presets[v].facts());
            AT("%s, sort %d", mock_presets[v].name, number);
            mock.on_cost = cost_by_size;
            mock.build_cost = 3000000000u;
            CHECK_OK(measure_in(&w, w.sorter, &d, 1000000, CLSORT_MEASURE_ONLY_BUILDS));
            CHECK(is_built_in(&w, w.sorter));
            built = mock.builds;
            CHECK_OK(measure_in(&w, w.sorter, &d, 15000, 0));
            CHECK(mock.builds <= built + 2);   /* some are for counts between the measured ones */
            CHECK_OK(clsort_auto_choice(w.sorter, number ? 6 : 3, &c));
            CHECK(c.origin == CLSORT_ORIGIN_MEASURED && c.most == 1 << 26);
            close_world(&w);
        }
}

/* max_ms bounds a call, builds included, unless a single form takes longer. What was built stays:
   calls in little time come to an end, too. */
static void slow_builds_keep_the_time(bench *b)
{
    static const cl_uint limits[] = { 5000, 10000, 40000 };
    int v, calls;
    size_t i;
    (void)b;
    for (v = 0; v < (int)MOCK_PRESETS; v++)
        for (i = 0; i < sizeof limits / sizeof *limits; i++) {
            const clsort_desc d = sort_number(2, 1 << 24);
            clsort_status status = CLSORT_ERROR_OUT_OF_TIME;
            world w;
            open_world(&w, mock_presets[v].facts());
            mock.on_cost = cost_by_size;
            mock.build_cost = 1500000000;
            for (calls = 0; calls < 30 && status == CLSORT_ERROR_OUT_OF_TIME; calls++) {
                const cl_ulong start = mock.clock;
                AT("%s, %u ms, call %d", mock_presets[v].name, (unsigned)limits[i], calls);
                CHECK(is_built_in(&w, w.sorter));
                status = measure_in(&w, w.sorter, &d, limits[i], 0);
                CHECK((double)(mock.clock - start) <= 1.2e6 * limits[i]);
            }
            CHECK_OK(status);
            CHECK((calls == 1) == (limits[i] == 40000));
            close_world(&w);
        }
}

static void within_bytes(bench *b)
{
    const clsort_desc d = sort_number(4, 10000);
    clsort_measure_desc m = clsort_measure_desc_default();
    clsort_desc top = selection_number(2, 10000);
    world w;
    (void)b;
    open_world(&w, mock_gpu());
    m.sort = &top;
    m.max_bytes = 9 * 10000 * 11;   /* with keys, and keys and indices that a reference sorts */
    CHECK_STATUS(clsort_measure(w.sorter, w.queue, &m), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    m.sort = &d;
    m.max_bytes = 10000;
    CHECK_STATUS(clsort_measure(w.sorter, w.queue, &m), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    CHECK(strstr(clsort_last_error(w.sorter), "max_bytes") && is_built_in(&w, w.sorter));
    m.max_bytes = (size_t)1 << 20;
    CHECK_OK(clsort_measure(w.sorter, w.queue, &m));
    CHECK(!is_built_in(&w, w.sorter));
    close_world(&w);
}

/* Any call that fails: either the measurement does without it, or AUTO stays. */
static void survives_faults(bench *b)
{
    static const cl_int codes[3] = { CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY,
                                     CL_MEM_OBJECT_ALLOCATION_FAILURE };
    uint64_t random = test_seed();
    const uint64_t apart = b->small ? 200 : getenv("CLSORT_TEST_WHOLE") ? 20 : 50;
    int at, failed = 0, survived = 0;
    for (at = 1;; at += 1 + (int)(pattern_random(&random) % apart)) {
        const int number = at % (SORTS + SELECTIONS);
        const clsort_desc d = small_number(number);
        clsort_status status;
        clsort_sorter *s;
        int more;
        world w;
        open_world_for(&w, number, mock_presets[at % 3].facts());
        s = new_sorter(&w, 0, NULL);
        set_clock(&w, MERGE, 1000000, 2000000);
        AT("call %d", at);
        counted.calls = 0;
        counted.code = codes[at % 3];
        counted.fail_at = at;
        counted.fail_after = at % 7 == 0;
        w.failures = 0;
        status = measure(&w, s, &d, 0);
        more = counted.failed > 0;
        counted.fail_at = counted.fail_after = 0;
        if (status != CL_SUCCESS) CHECK(w.failures == 1 && is_built_in(&w, s));
        else CHECK(!w.failures);
        failed += status != CL_SUCCESS;
        survived += more && status == CL_SUCCESS;
        CHECK_OK(measure(&w, s, &d, 0));
        clsort_destroy(s);
        close_world(&w);
        if ((!more && number < SORTS) || test_now.faults) break;
    }
    printf("%d failed, %d survived\n", failed, survived);
    CHECK(failed > 20);
}

/* Calls that miss what they need, and structs and descriptions that say what they must not. */
static void refuses_to_measure(world *w)
{
    clsort_desc d = sort_number(0, 1000);
    clsort_measure_desc m = clsort_measure_desc_default();
    CHECK_STATUS(clsort_measure(NULL, w->queue, &m), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_measure(w->sorter, NULL, &m), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_measure(w->sorter, w->queue, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_measure(w->sorter, w->queue, &m), CLSORT_ERROR_NULL_ARGUMENT);
    m.sort = &d;
    m.flags = 2;
    CHECK_STATUS(clsort_measure(w->sorter, w->queue, &m), CLSORT_ERROR_UNKNOWN_VALUE);
    m.flags = 0;
    m.struct_size = 3;
    CHECK_STATUS(clsort_measure(w->sorter, w->queue, &m), CLSORT_ERROR_UNKNOWN_VALUE);
    m.struct_size = sizeof m;
    d.rows = 2;
    CHECK_STATUS(clsort_measure(w->sorter, w->queue, &m), CLSORT_ERROR_NO_CHOICE);
    d.rows = 0, d.segment_count = 2;
    CHECK_STATUS(clsort_measure(w->sorter, w->queue, &m), CLSORT_ERROR_NO_CHOICE);
    d.top_k = 2, d.keys_out = CLSORT_LATER;
    CHECK_STATUS(clsort_measure(w->sorter, w->queue, &m), CLSORT_ERROR_UNSUPPORTED);
    d.segment_count = 0, d.flags |= CLSORT_FLAG_TOP_NTH;
    CHECK_STATUS(clsort_measure(w->sorter, w->queue, &m), CLSORT_ERROR_UNSUPPORTED);
    d.flags = 0, d.keys_out = NULL;
    CHECK_STATUS(clsort_measure(w->sorter, w->queue, &m), CLSORT_ERROR_MISSING_BUFFER);
    d.top_k = 0, d.algorithm = CLSORT_MERGE;
    CHECK_STATUS(clsort_measure(w->sorter, w->queue, &m), CLSORT_ERROR_UNSUPPORTED);
    d.algorithm = 0, d.key_type = 0;
    CHECK_STATUS(clsort_measure(w->sorter, w->queue, &m), CLSORT_ERROR_KEY_TYPE);
    d = sort_number(0, 1);
    CHECK_OK(clsort_measure(w->sorter, w->queue, &m));
    CHECK(is_built_in(w, w->sorter));
}

static void refuses(bench *b)
{
    const clsort_desc d = sort_number(0, 1000);
    clsort_measure_desc m = clsort_measure_desc_default();
    clsort_choice c = clsort_choice_default();
    clsort_sorter *pinned;
    world w;
    size_t bytes = 0;
    (void)b;
    open_world(&w, mock_gpu());
    refuses_to_measure(&w);
    m.sort = &d;
    CHECK_STATUS(clsort_auto_choice(w.sorter, 9, &c), CLSORT_ERROR_UNKNOWN_VALUE);
    CHECK_STATUS(clsort_auto_choice(w.sorter, 0, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_save_choices(w.sorter, NULL, 0, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_OK(clsort_save_choices(w.sorter, NULL, 0, &bytes));
    CHECK(bytes == 1);
    CHECK_STATUS(clsort_load_choices(w.sorter, NULL, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    pinned = new_sorter(&w, CLSORT_OPTION_BUILT_IN_CHOICES, NULL);
    CHECK_STATUS(clsort_measure(pinned, w.queue, &m), CLSORT_ERROR_UNSUPPORTED);
    CHECK_STATUS(clsort_load_choices(pinned, "", NULL), CLSORT_ERROR_UNSUPPORTED);
    clsort_destroy(pinned);
    pinned = new_sorter(&w, CLSORT_OPTION_FEW_SORTS, NULL);
    CHECK_STATUS(clsort_measure(pinned, w.queue, &m), CLSORT_ERROR_UNSUPPORTED);
    clsort_destroy(pinned);
    close_world(&w);
}

/* ---- who has them ---------------------------------------------------------------------------- */

/* A choice serves counts up to the most that was measured, and its kind only. */
static void serves_what_was_measured(bench *b)
{
    int v, number;
    (void)b;
    for (v = 0; v < (int)MOCK_PRESETS; v++)
        for (number = 0; number < SORTS; number++) {
            const clsort_desc d = sort_number(0, 1 << 11);
            clsort_sorter *fresh;
            world w;
            open_world(&w, mock_presets[v].facts());
            AT("%s, sort %d", mock_presets[v].name, number);
            set_clock(&w, BITONIC, 1000000, 2000000);
            CHECK_OK(measure(&w, w.sorter, &d, 0));
            CHECK(follows(&w, &d, BITONIC) > 3);
            fresh = new_sorter(&w, 0, NULL);
            CHECK(plan_alike(w.sorter, fresh, sort_number(number, 0),
                             number < 2 ? (1 << 11) + 1 : 0, 1 << 24));
            clsort_destroy(fresh);
            close_world(&w);
        }
}

/* The first four of these changes stay in the class of a selection, the others leave it. */
static void change_class(clsort_desc *at, int change)
{
    switch (change) {
    case 0: at->top_k = 33; break;
    case 1: at->top_k = 64; break;
    case 2: at->rows = 16; break;
    case 3: at->order = CLSORT_DESCENDING, at->key_type = CLSORT_U32; break;
    case 4: at->top_k = 32; break;
    case 5: at->top_k = 65; break;
    case 6: at->rows = 8; break;
    case 7: at->rows = 17; break;
    case 8: at->key_type = CLSORT_U16; break;
    case 9: at->indices = NULL, at->keys_out = CLSORT_LATER; break;
    case 10: at->flags |= CLSORT_FLAG_TOP_UNSORTED; break;
    default: at->first_bit = 3; break;
    }
}

/* A choice of top-k serves its class: it is told apart by k, the number of rows, width and payload;
   and what selects otherwise has none. */
static void serves_its_class(bench *b)
{
    enum { CHANGES = 12 };
    const clsort_desc d = selection_number(2, 1 << 12);
    clsort__policy own, tiles;
    int i;
    world w;
    (void)b;
    open_world_for(&w, SORTS, mock_gpu());
    own = built_in(&w, 0);
    tiles = built_in(&w, 1 + CLSORT__BY_TILES);
    set_clock(&w, CLSORT__BY_TILES, 1000000, 2000000);
    CHECK(planned_way(&w, &d, 3000, NULL) == CLSORT__BY_REGISTERS);
    CHECK_OK(measure(&w, w.sorter, &d, 0));
    for (i = 0; i < CHANGES; i++) {
        clsort_desc at = d;
        change_class(&at, i);
        AT("change %d", i);
        CHECK(planned_way(&w, &at, 3000, &tiles) == CLSORT__BY_TILES);
        CHECK(planned_way(&w, &at, 3000, NULL) == (i < 4 ? CLSORT__BY_TILES
                                                        : CLSORT__BY_REGISTERS));
        CHECK(planned_way(&w, &at, 4096, NULL) == (i < 4 ? CLSORT__BY_TILES
                                                        : CLSORT__BY_REGISTERS));
        CHECK(planned_way(&w, &at, 128, NULL) == planned_way(&w, &at, 128, &own));   /* fewer were
                                                                                  not measured */
    }
    close_world(&w);
}

/* Streams need room for a list of candidates, however they are preferred. */
static void keeps_conditions(bench *b)
{
    clsort_desc d = selection_number(0, 2000);
    clsort__policy streams;
    world w;
    (void)b;
    d.top_k = 100;
    open_world_for(&w, SORTS, mock_cpu());
    streams = built_in(&w, 1 + CLSORT__BY_STREAMS);
    CHECK(planned_way(&w, &d, 399, &streams) != CLSORT__BY_STREAMS);
    CHECK(planned_way(&w, &d, 400, &streams) == CLSORT__BY_STREAMS);
    CHECK(planned_way(&w, &d, 1200, NULL) != CLSORT__BY_STREAMS);
    CHECK(planned_way(&w, &d, 1200, &streams) == CLSORT__BY_STREAMS);
    close_world(&w);
}

/* There is room for 64 classes of top-k: one more takes the place of the oldest. */
static void forgets_the_oldest(bench *b)
{
    enum { ROOM = CLSORT__MEASURED_ROWS - CLSORT__ARRAY_KINDS };
    clsort_desc d = selection_number(0, 300);
    clsort__measured *m;
    clsort__class of;
    int i;
    world w;
    (void)b;
    open_world_for(&w, SORTS, mock_gpu());
    for (i = 0; i <= ROOM + 1; i++) {
        d.top_k = (size_t)1 << i % 7;
        d.rows = (size_t)1 << i / 7;
        CHECK_OK(measure(&w, w.sorter, &d, 0));
        CHECK_OK(measure(&w, w.sorter, &d, 0));
    }
    m = w.sorter->policy->measured;
    for (i = 0; i <= ROOM + 1; i++) {
        d.top_k = (size_t)1 << i % 7;
        d.rows = (size_t)1 << i / 7;
        CHECK(clsort__find_class(&d, &of));
        CHECK((clsort__place_of(m, &of) != NULL) == (i > 1));
    }
    close_world(&w);
}

static void clones_share(bench *b)
{
    const clsort_desc d = sort_number(0, 1 << 12);
    clsort_sorter *before = NULL, *after = NULL;
    world w;
    (void)b;
    open_world(&w, mock_gpu());
    set_clock(&w, HYBRID, 1000000, 2000000);
    CHECK_OK(clsort_clone(w.sorter, &before));
    CHECK_OK(measure(&w, w.sorter, &d, 0));
    CHECK_OK(clsort_clone(w.sorter, &after));
    CHECK(is_built_in(&w, before));
    CHECK(same_choices(w.sorter, after) && !same_choices(w.sorter, before));
    clsort_destroy(w.sorter);
    w.sorter = after;
    CHECK(follows(&w, &d, HYBRID) > 3);
    clsort_destroy(before);
    close_world(&w);
}

static void kept_in_a_cache(bench *b)
{
    const clsort_desc pairs = sort_number(4, 1 << 12), keys = sort_number(0, 1 << 12);
    clsort_sorter *s, *again, *pinned;
    store cache = { 0 };
    world w;
    int loads;
    (void)b;
    open_world(&w, mock_gpu());
    s = new_sorter(&w, 0, &cache);
    set_clock(&w, HYBRID, 1000000, 2000000);
    CHECK_OK(measure(&w, s, &keys, 0));
    set_clock(&w, FEW, 1000000, 2000000);
    CHECK_OK(measure(&w, s, &pairs, 0));
    again = new_sorter(&w, 0, &cache);
    CHECK(same_choices(s, again) && !is_built_in(&w, again));
    pinned = new_sorter(&w, CLSORT_OPTION_BUILT_IN_CHOICES, &cache);
    CHECK(is_built_in(&w, pinned));
    clsort_destroy(again);
    clsort_destroy(pinned);
    clsort_destroy(s);
    mock.facts[0].driver = "2";
    again = new_sorter(&w, 0, &cache);
    CHECK(is_built_in(&w, again));
    clsort_destroy(again);
    mock.facts[0].driver = "1";
    loads = cache.loads;
    again = new_sorter(&w, 0, &cache);
    CHECK(cache.loads == loads + 1 && !is_built_in(&w, again));
    clsort_destroy(again);
    empty_store(&cache);
    close_world(&w);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* A sorter that has measured two kinds of sorts, and selections, and its text. */
static void measured_text(world *w, const char *device, char *text, size_t room)
{
    const clsort_desc keys = sort_number(2, 1 << 12), pairs = sort_number(4, 1 << 11),
                      top = selection_number(0, 1 << 13);
    clsort_sorter *s;
    size_t bytes = 0;
    mock.facts[0].name = device;
    s = new_sorter(w, 0, NULL);
    set_clock(w, HYBRID, 1000000, 2000000);
    CHECK_OK(measure(w, s, &keys, 0));
    set_clock(w, MERGE, 1000000, 2000000);
    CHECK_OK(measure(w, s, &pairs, 0));
    select_now(w, 1);
    set_clock(w, CLSORT__BY_TILES, 1000000, 2000000);
    CHECK_OK(measure(w, s, &top, 0));
    select_now(w, 0);
    CHECK_STATUS(clsort_save_choices(s, text, 10, &bytes), CLSORT_ERROR_SCRATCH_TOO_SMALL);
    CHECK(bytes <= room && strstr(clsort_last_error(s), "size: the text of choices has"));
    CHECK(!strstr(clsort_last_error(s), "scratch_size"));
    CHECK_OK(clsort_save_choices(s, text, room, &bytes));
    CHECK(bytes == strlen(text) + 1);
    clsort_destroy(s);
    mock.facts[0].name = "mock GPU";
}

/* Line ends as on Windows. */
static void add_returns(const char *from, char *to)
{
    for (; *from; *to++ = *from++)
        if (*from == '\n') *to++ = '\r';
    *to = 0;
}

static void travel_as_text(bench *b)
{
    char own[4000], other[4000], both[9000], windows[9000], again[4000];
    clsort_sorter *s;
    clsort_choice c = clsort_choice_default();
    cl_uint fits = 7;
    size_t bytes = 0;
    world w;
    (void)b;
    open_world(&w, mock_gpu());
    measured_text(&w, "mock GPU", own, sizeof own);
    measured_text(&w, "another\nGPU\x80", other, sizeof other);
    s = new_sorter(&w, 0, NULL);
    CHECK_OK(clsort_save_choices(s, again, sizeof again, &bytes));
    CHECK(bytes == 1 && !*again);   /* nothing was measured */
    CHECK_OK(clsort_load_choices(s, other, &fits));
    CHECK(!fits && is_built_in(&w, s));
    CHECK_OK(clsort_save_choices(s, again, sizeof again, &bytes));
    CHECK(bytes == 1 && !*again);
    snprintf(both, sizeof both, "%s%s", other, own);
    add_returns(both, windows);
    CHECK_OK(clsort_load_choices(s, windows, &fits));
    CHECK(fits == 1 && !is_built_in(&w, s));
    CHECK_OK(clsort_save_choices(s, again, sizeof again, &bytes));
    CHECK(!strcmp(again, own));
    CHECK_OK(clsort_auto_choice(s, 6, &c));
    CHECK(c.origin == CLSORT_ORIGIN_LOADED && c.bits == 64 && c.most == 1 << 12 && c.gain > 1000);
    CHECK_OK(clsort_auto_choice(s, 3, &c));
    CHECK(c.origin == CLSORT_ORIGIN_DERIVED && c.bits == 32 && !c.payload && !c.gain);
    CHECK_OK(clsort_auto_choice(s, 9, &c));
    CHECK(c.origin == CLSORT_ORIGIN_LOADED && c.bits == 32 && c.payload == CLSORT_PAYLOAD_WORDS
          && !strcmp(c.way, "tiles") && c.top_k == 64 && c.rows == 1 && c.least == 129
          && c.most == 4096);
    CHECK_OK(clsort_load_choices(s, "", &fits));
    CHECK(!fits && !is_built_in(&w, s));
    mock.facts[0].driver = "2";   /* a text holds for any driver */
    clsort_destroy(s);
    s = new_sorter(&w, 0, NULL);
    CHECK_OK(clsort_load_choices(s, both, &fits));
    CHECK(fits == 1);
    clsort_destroy(s);
    close_world(&w);
}

/* The longest name that a text holds; one that is longer is not told. */
static void long_names_of_devices(bench *b)
{
    char name[CLSORT__MOST_NAME + 1], text[4000];
    size_t length;
    world w;
    (void)b;
    open_world(&w, mock_gpu());
    for (length = CLSORT__MOST_NAME - 3; length <= CLSORT__MOST_NAME; length++) {
        memset(name, 'x', length);
        name[length] = 0;
        measured_text(&w, name, text, sizeof text);
        AT("%u characters", (unsigned)length);
        CHECK(!strstr(text, name) == (length > CLSORT__MOST_NAME - 2));
        CHECK(!strstr(text, " ?\n") == (length <= CLSORT__MOST_NAME - 2));
        CHECK(!mock.faults == (length <= CLSORT__MOST_NAME - 2));   /* the query was refused */
        mock.faults = 0;
    }
    close_world(&w);
}

/* Lets a text of one section say another version, with what that may have. */
static void change_version(const char *from, char *to, unsigned version, const char *more)
{
    const char *rest = strchr(from, '\n') + 1, *end = strstr(rest, "end ");
    clsort__lines l;
    char hash[33];
    size_t length;
    sprintf(to, "clsort choices %u\n%.*s%s", version, (int)(end - rest), rest, more);
    length = strlen(to);
    memset(&l, 0, sizeof l);
    for (l.next = to; clsort__read_line(&l);) clsort__hash_line(&l);
    clsort__print_hash(l.hash, hash);
    sprintf(to + length, "end %s\n", hash);
}

/* A text of the version before fits, one of the next is skipped, whatever it has, unless it is
   damaged. */
static void versions_of_texts(bench *b)
{
    char own[4000], text[4100], both[8200];
    clsort_sorter *s;
    cl_uint fits = 7;
    world w;
    (void)b;
    open_world(&w, mock_gpu());
    measured_text(&w, "mock GPU", own, sizeof own);
    s = new_sorter(&w, 0, NULL);
    change_version(own, text, 3, "verdict 3 of 4\n");
    CHECK_OK(clsort_load_choices(s, text, &fits));
    CHECK(!fits && is_built_in(&w, s));
    snprintf(both, sizeof both, "%s%s", text, own);
    CHECK_OK(clsort_load_choices(s, both, &fits));
    CHECK(fits == 1 && !is_built_in(&w, s));
    clsort_destroy(s);
    s = new_sorter(&w, 0, NULL);
    *strstr(text, "of 4") = 'i';
    CHECK_STATUS(clsort_load_choices(s, text, &fits), CLSORT_ERROR_DAMAGED);
    CHECK(!fits && is_built_in(&w, s));
    change_version(own, text, 2, "verdict 3 of 4\n");
    CHECK_STATUS(clsort_load_choices(s, text, &fits), CLSORT_ERROR_DAMAGED);
    change_version(own, text, 1, "");
    CHECK_OK(clsort_load_choices(s, text, &fits));
    CHECK(fits == 1 && !is_built_in(&w, s));
    clsort_destroy(s);
    close_world(&w);
}

/* Lines that are whole, but make no sense, are refused. */
static void lines_that_make_no_sense(bench *b)
{
    static const char good[] =
        "choice 13 most 256 top 2^6 rows 2^0 ways ........s........................ gain 1000\n";
    static const char *const lines[] = {
        "choice 13 most 256 top 2^6 rows 2^0 ways .........s....................... gain 1000\n",
        "choice 13 most 256 top 2^6 rows 2^0 ways ........x........................ gain 1000\n",
        "choice 13 most 256 top 2^6 rows 2^0 ways ........s....................... gain 1000\n",
        "choice 13 most 256 top 2^6 rows 2^0 ways ........s......................... gain 1000\n",
        "choice 13 most 256 top 2^33 rows 2^0 ways ........s........................ gain 1000\n",
        "choice 13 most 256 top 2^6 rows 2^33 ways ........s........................ gain 1000\n",
        "choice 13 most 0 top 2^6 rows 2^0 ways ................................. gain 1000\n",
        "choice 13 most 256 top 2^6 rows 2^0 ways ........s........................ gain 0\n",
        "choice 8 most 256 top 2^6 rows 2^0 ways ........s........................ gain 1000\n",
        "choice 18 most 256 top 2^6 rows 2^0 ways ........s........................ gain 1000\n",
        "choice 13 most 256 few 0 radix 0 hybrid 0 bitonic 0 gain 1000\n",
        "choice 3 most 256 few 0 radix 0 hybrid 0 bitonic 4194305 gain 1000\n"
    };
    char own[4000], text[4200];
    size_t i;
    cl_uint fits;
    world w;
    (void)b;
    open_world(&w, mock_gpu());
    measured_text(&w, "mock GPU", own, sizeof own);
    change_version(own, text, 2, good);
    CHECK_OK(clsort_load_choices(w.sorter, text, &fits));
    CHECK(fits == 1);
    for (i = 0; i < sizeof lines / sizeof *lines; i++) {
        clsort_sorter *s = new_sorter(&w, 0, NULL);
        AT("line %s", lines[i]);
        change_version(own, text, 2, lines[i]);
        CHECK_STATUS(clsort_load_choices(s, text, &fits), CLSORT_ERROR_DAMAGED);
        CHECK(!fits && is_built_in(&w, s));
        clsort_destroy(s);
    }
    close_world(&w);
}

/* What is kept because nothing gains can be saved and loaded, too, and describes AUTO as it was. */
static void own_choices_travel(bench *b)
{
    int v, number;
    (void)b;
    for (v = 0; v < (int)MOCK_PRESETS; v++)
        for (number = 0; number < SORTS; number++) {
            const clsort_desc d = sort_number(number, 1 << 20);
            clsort_choice c = clsort_choice_default();
            cl_uint i;
            clsort_sorter *loaded;
            char text[4000];
            cl_uint fits = 0;
            size_t bytes;
            world w;
            open_world(&w, mock_presets[v].facts());
            AT("%s, sort %d", mock_presets[v].name, number);
            loaded = new_sorter(&w, 0, NULL);
            for (i = 0; clsort_auto_choice(loaded, i, &c) == CL_SUCCESS; i++)
                CHECK(c.origin == (*c.device ? CLSORT_ORIGIN_BUILT_IN : CLSORT_ORIGIN_DERIVED)
                      && (!*c.device) == (v % 2 == 1));   /* of other GPUs */
            CHECK(i == 9);
            w.failures = 0;
            CHECK_OK(measure(&w, loaded, &d, 0));
            CHECK_OK(clsort_save_choices(loaded, text, sizeof text, &bytes));
            clsort_destroy(loaded);
            loaded = new_sorter(&w, 0, NULL);
            CHECK_OK(clsort_load_choices(loaded, text, &fits));
            CHECK(fits == 1 && loaded->policy->measured);
            CHECK(plan_alike(loaded, w.sorter, d, 256, d.count));
            clsort_destroy(loaded);
            close_world(&w);
        }
}

/* Damages a text in one of several ways; 0 if it is still the same. */
static void damage_text(const char *text, char *damaged, uint64_t *random)
{
    const size_t length = strlen(text), at = pattern_random(random) % length,
                 more = 1 + pattern_random(random) % 40,
                 cut = at + more < length ? more : length - at;
    memcpy(damaged, text, length + 1);
    switch (pattern_random(random) % 5) {
    case 0: damaged[at] = (char)(damaged[at] ^ 1 << pattern_random(random) % 8); break;
    case 1: damaged[at] = 0; break;
    case 2: memmove(damaged + at, text + at + cut, length - at - cut + 1); break;
    case 3: memmove(damaged + at + cut, text + at, length - at + 1); break;
    default: damaged[at] = (char)('0' + pattern_random(random) % 10); break;
    }
}

/* 10,000 damaged, foreign and truncated texts and entries: AUTO stays what it was, or has what was
   measured on this device. */
static void damage_does_no_harm(bench *b)
{
    char own[4000], other[4000], both[8000], damaged[9000];
    uint64_t random = test_seed();
    clsort_sorter *s, *right;
    int i, refused = 0, taken = 0;
    world w;
    (void)b;
    open_world(&w, mock_gpu());
    measured_text(&w, "mock GPU", own, sizeof own);
    measured_text(&w, "another GPU", other, sizeof other);
    snprintf(both, sizeof both, "%s%s", other, own);
    right = new_sorter(&w, 0, NULL);
    CHECK_OK(clsort_load_choices(right, own, NULL));
    s = new_sorter(&w, 0, NULL);
    for (i = 0; i < 10000 && test_now.faults < 5; i++) {
        cl_uint fits = 0;
        clsort_status status;
        AT("text %d", i);
        damage_text(i % 2 ? both : own, damaged, &random);
        status = clsort_load_choices(s, damaged, &fits);
        CHECK(status == CL_SUCCESS || (status == CLSORT_ERROR_DAMAGED && !fits));
        refused += status != CL_SUCCESS;
        if (!fits) {
            CHECK(!s->policy->measured);
            continue;
        }
        taken++;
        CHECK(same_choices(s, right));
        clsort_destroy(s);
        s = new_sorter(&w, 0, NULL);
    }
    printf("%d refused, %d taken\n", refused, taken);
    CHECK(refused > 9000);
    clsort_destroy(s);
    clsort_destroy(right);
    close_world(&w);
}

static void damaged_entries(bench *b)
{
    const clsort_desc d = sort_number(0, 1 << 10);
    uint64_t random = test_seed();
    store cache = { 0 }, foreign = { 0 };
    clsort_sorter *s;
    entry was, *of;
    world w;
    int i;
    (void)b;
    open_world(&w, mock_gpu());
    set_clock(&w, HYBRID, 1000000, 2000000);
    s = new_sorter(&w, 0, &cache);
    CHECK_OK(measure(&w, s, &d, 0));
    of = &cache.entries[cache.count - 1];
    memset(&was, 0, sizeof was);
    put_bytes(&was, of->data, of->size);
    mock.facts[0].name = "another GPU";
    clsort_destroy(s);
    s = new_sorter(&w, 0, &foreign);
    CHECK_OK(measure(&w, s, &d, 0));
    clsort_destroy(s);
    mock.facts[0].name = "mock GPU";
    for (i = 0; i < 2000 && test_now.faults < 5; i++) {
        AT("entry %d", i);
        put_bytes(of, was.data, was.size);
        damage(of, &cache.entries[0], &foreign.entries[foreign.count - 1], &random);
        s = new_sorter(&w, 0, &cache);
        CHECK(!s->policy->measured && !w.failures);
        clsort_destroy(s);
    }
    put_bytes(of, was.data, was.size);
    s = new_sorter(&w, 0, &cache);
    CHECK(s->policy->measured != NULL);
    clsort_destroy(s);
    free(was.data);
    empty_store(&cache);
    empty_store(&foreign);
    close_world(&w);
}

/* ---- scratch, and kernels that are there ----------------------------------------------------- */

/* Any row of a kind that a text may hold. */
static clsort__measured_row any_row(cl_uint kind, uint64_t *random)
{
    clsort__measured_row r;
    cl_uint *const at[4] = { &r.row.samples, &r.row.bitonic, &r.row.radix, &r.row.hybrid };
    cl_uint k;
    memset(&r, 0, sizeof r);
    r.of.kind = kind;
    r.gain = 1000;
    r.most = CLSORT__NEVER >> pattern_random(random) % 24;
    for (k = 0; k < 4; k++) {
        const unsigned draw = (unsigned)(pattern_random(random) % 34);
        *at[k] = draw == 33 ? CLSORT__NEVER : draw == 32 ? 0 : 1u << draw;
    }
    if (r.row.bitonic > CLSORT__MOST_BITONIC) r.row.bitonic = CLSORT__MOST_BITONIC;
    if (kind >= CLSORT__ARRAY_KINDS) {
        for (k = 0; k <= clsort__ceil_log2(r.most); k++)
            r.select[k] = (unsigned char)(pattern_random(random) % (CLSORT__WAYS + 1));
        r.of.k_log2 = (cl_uint)(pattern_random(random) % 14);
        r.of.rows_log2 = (cl_uint)(pattern_random(random) % 8);
    }
    CHECK(clsort__good_row(&r));
    return r;
}

/* Any rows of all kinds. */
static void draw_choices(clsort__measured *m, uint64_t *random)
{
    cl_uint i;
    for (i = 0; i < CLSORT__MEASURED_ROWS; i++)
        m->rows[i] = any_row(i < CLSORT__ARRAY_KINDS
                                 ? i : CLSORT__ARRAY_KINDS + (cl_uint)(pattern_random(random) % 9),
                             random);
}

/* Gives a sorter that measured nothing such rows. */
static void take_any_choices(clsort_sorter *s, uint64_t *random)
{
    clsort__measured *choices;
    if (!CHECK_OK(clsort__copy_choices(s, NULL, &choices))) return;
    draw_choices(choices, random);
    s->policy = &choices->policy;
}

/* A sort, a selection or a partition; of a selection one of the choices is for its class. */
static clsort_desc any_call(uint64_t *random, clsort__measured *choices)
{
    clsort_desc d = sort_number((int)(pattern_random(random) % (SORTS + SELECTIONS)), 0);
    d.count = pattern_random(random) >> (36 + pattern_random(random) % 26);
    if (pattern_random(random) % 4 == 0) d.nan_order = CLSORT_NAN_EQUAL;
    if (d.top_k) {
        d.top_k = 1 + pattern_random(random) % (d.count < 5000 ? d.count + 1 : 5000);
        if (d.count && d.count < 5000 && pattern_random(random) % 4 == 0) d.top_k = d.count;
        d.rows = pattern_random(random) % 90;
        choices->rows[CLSORT__ARRAY_KINDS] = choices->rows[CLSORT__MEASURED_ROWS - 1];
        clsort__find_class(&d, &choices->rows[CLSORT__ARRAY_KINDS].of);
        choices->rows[CLSORT__ARRAY_KINDS].most = CLSORT__NEVER;
    } else if (pattern_random(random) % 4 == 0 && d.count > 2) {
        d.top_k = d.count / 2;
        d.keys_out = CLSORT_LATER;
        if (d.value_size) d.values_out = CLSORT_LATER;
    }
    return d;
}

static void choices_are_covered(const world *w, clsort_desc d, clsort__measured *choices,
                                size_t more)
{
    size_t before = 0, after = 0, any = 0, larger = 0;
    char text[2000] = "";
    if (clsort_scratch_size(w->sorter, &d, &before) != CL_SUCCESS) return;
    choices->policy = *w->sorter->policy;
    choices->policy.measured = choices;
    w->sorter->policy = &choices->policy;
    CHECK_OK(clsort_explain(w->sorter, &d, text, sizeof text));
    CHECK_OK(clsort_scratch_size(w->sorter, &d, &after));
    CHECK_OK(clsort_scratch_size(NULL, &d, &any));
    w->sorter->policy = clsort__policy_of(&w->sorter->facts);
    CHECK(before == after && any >= before);
    CHECK(strtoull(strstr(text, "\nscratch ") + 9, NULL, 10) <= before);
    d.count += more;
    if (clsort_scratch_size(w->sorter, &d, &larger) == CL_SUCCESS) CHECK(larger >= before);
}

/* Scratch as it was sized before is enough by any row, and sizes do not fall with the count. */
static void scratch_covers_any_row(bench *b)
{
    uint64_t random = test_seed();
    world w;
    int i, v, met = 0;
    (void)b;
    for (v = 0; v < (int)MOCK_PRESETS; v++)
        for (i = 0; i < 3000 && test_now.faults < 5; i++) {
            clsort__measured choices;
            clsort_desc d;
            draw_choices(&choices, &random);
            d = any_call(&random, &choices);
            if (i && !(i % 1000)) close_world(&w);
            if (!(i % 1000)) open_world(&w, mock_presets[v].facts());
            met += d.rows && d.count >= d.top_k;
            AT("%s, n %u, type %x, values %u, flags %u, top %u of %u rows", mock_presets[v].name,
               (unsigned)d.count, (unsigned)d.key_type, (unsigned)d.value_size, (unsigned)d.flags,
               (unsigned)d.top_k, (unsigned)d.rows);
            choices_are_covered(&w, d, &choices,
                                (size_t)(1 + pattern_random(&random) % (d.count + 1)));
            if (i == 2999) close_world(&w);
        }
    CHECK(met > 2000);
}

/* Sorts, selections, and last a partition. */
static clsort_desc call_number(int number, size_t count)
{
    clsort_desc d = sort_number(number < SORTS + SELECTIONS ? number : 0, count);
    if (number < SORTS + SELECTIONS) return d;
    d.top_k = 40;
    d.flags |= CLSORT_FLAG_TOP_PARTITION;
    return d;
}

/* What was prepared before goes on with CLSORT_FLAG_NO_BUILD, by the built-in choice; what was not
   fails as before. */
static void ready_stays_ready(bench *b)
{
    int v, number;
    (void)b;
    for (v = 0; v < (int)MOCK_PRESETS; v++)
        for (number = 0; number <= SORTS + SELECTIONS; number++) {
            const clsort_desc d = call_number(number, 1 << 12);
            uint64_t random = test_seed();
            world w;
            int i;
            open_world(&w, mock_presets[v].facts());
            AT("%s, sort %d", mock_presets[v].name, number);
            for (i = 0; i < 20; i++) {
                clsort_sorter *s = new_sorter(&w, 0, NULL);
                clsort_desc prepared = d;
                prepared.flags |= CLSORT_FLAG_ANY_COUNT;
                CHECK_OK(clsort_prepare(s, w.queue, &prepared));
                take_any_choices(s, &random);
                clsort_destroy(w.sorter);
                w.sorter = s;
                sorts_at_once(&w, &d, number < SORTS);
                CHECK(!w.failures);
            }
            close_world(&w);
        }
}

static void unready_stays_unready(bench *b)
{
    clsort_desc d = sort_number(0, 1 << 12);
    uint64_t random = test_seed();
    world w;
    (void)b;
    open_world(&w, mock_gpu());
    take_any_choices(w.sorter, &random);
    d.keys = mock_new_buffer(w.context, 1 << 15);
    d.flags = CLSORT_FLAG_NO_BUILD;
    CHECK_STATUS(clsort_enqueue_sort(w.sorter, w.queue, &d, 0, NULL, NULL),
                 CLSORT_ERROR_NOT_READY);
    CHECK(w.failures == 1);
    mock_clReleaseMemObject(d.keys);
    close_world(&w);
}

static const test_entry tests[] = {
    { "AUTO follows the clock, whatever is the fastest, and is ready", follows_the_clock },
    { "a switch needs more than 5 % in two rounds", needs_two_rounds },
    { "what is far behind is not run with more elements", drops_what_is_behind },
    { "what writes nothing is not taken", drops_what_writes_nothing },
    { "what was measured before does not matter", starts_anew },
    { "what sorts wrong is not taken", drops_what_is_wrong },
    { "cancelled at any step, AUTO stays as it was", cancelled_anywhere },
    { "out of time, AUTO stays as it was, and the time is kept", out_of_time },
    { "bytes are kept", within_bytes },
    { "a fault in any call is reported, and AUTO stays, or is survived", survives_faults },
    { "what cannot be measured is refused", refuses },
    { "a choice serves its kind, up to the count that was measured", serves_what_was_measured },
    { "a choice of selections serves its class", serves_its_class },
    { "a way that is preferred is taken where it can be", keeps_conditions },
    { "of more classes than there is room for the oldest is forgotten", forgets_the_oldest },
    { "clones that are made later have the choices, others do not", clones_share },
    { "choices are kept in a cache, by device and driver", kept_in_a_cache },
    { "choices travel as text, that of many devices", travel_as_text },
    { "a text tells names of devices up to the longest", long_names_of_devices },
    { "texts of other versions fit, or are skipped", versions_of_texts },
    { "lines that make no sense are refused", lines_that_make_no_sense },
    { "choices that gain nothing are AUTO's own, and travel as text", own_choices_travel },
    { "damaged texts change nothing", damage_does_no_harm },
    { "damaged entries of a cache change nothing", damaged_entries },
    { "scratch as it was sized covers any choice, and grows with the count",
      scratch_covers_any_row },
    { "what was ready without building stays so", ready_stays_ready },
    { "what was not stays so, too", unready_stays_unready },
    TEST_REST,
    { "where builds are slow, 2^26 elements are measured in 15 s after them", slow_builds },
    { "the time is kept where builds are slow, and calls come to an end",
      slow_builds_keep_the_time },
    { "AUTO selects by the clock, too", selects_by_the_clock }
};

TEST_MAIN_ALONE(tests, "a mock")
