/* Descriptions drawn at random, on devices drawn at random, on the driver of mock.h. The functions
   agree with each other: what clsort_check takes, all others take, enqueue too; what it refuses,
   they refuse with the same code. The scratch that clsort_scratch_size tells is what is used, and
   enough; clsort_explain counts the commands that are enqueued; no launch exceeds the device's
   limits, no command leads behind the end of a buffer, nothing is leaked. Any number in any field
   gets an answer.

   CLSORT_TEST_SEED    of the first case; default 1
   CLSORT_TEST_CASES   default 20000, or 2000 with CLSORT_TEST_SMALL */

#include "mock.h"

#define CLSORT_IMPLEMENTATION
#include "draw.h"

static struct { int cases, taken, sorted, answers, refused[128]; } seen;

/* ---- what must hold -------------------------------------------------------------------------- */

/* The number behind a word of clsort_explain. */
static double told(const char *text, const char *word)
{
    const char *place = strstr(text, word);
    return CHECK(place != NULL) ? strtod(place + strlen(word), NULL) : -1;
}

/* All functions that ask say the same; returns what. *scratch receives what the sort takes: all
   that clsort_scratch_size asks for, or no more than that where a choice may be measured. */
static clsort_status ask_all(drawn *c, const clsort_desc *d, size_t *scratch)
{
    clsort_desc resolved = clsort_desc_default();
    char text[2000];
    size_t asked = 0;
    const clsort_status checked = clsort_check(c->sorter, d);
    CHECK_STATUS(clsort_resolve(c->sorter, d, &resolved), checked);
    CHECK_STATUS(clsort_scratch_size(c->sorter, d, &asked), checked);
    CHECK_STATUS(clsort_explain(c->sorter, d, text, sizeof text), checked);
    CHECK(!mock.commands && !mock.builds);
    if (checked != CL_SUCCESS) return checked;
    *scratch = (size_t)told(text, "\nscratch ");
    CHECK(d->algorithm && d->algorithm != CLSORT_RADIX ? asked == *scratch : asked >= *scratch);
    return checked;
}

/* clsort_explain counts what was enqueued last. A host that asks between rounds is told the most
 * that can happen. */
static void check_story(drawn *c, int commands, size_t scratch)
{
    char text[2000] = "";
    double all;
    CHECK_OK(clsort_explain(c->sorter, &c->full, text, sizeof text));
    all = told(text, "\nlaunches ") + told(text, "\ncopies ");
    if (!strstr(text, "quicksort-host")) CHECK(all == (double)commands);
    CHECK(told(text, "\nscratch ") == (double)scratch);
}

/* In the caller's scratch: enough as it is told, and not with 16 bytes less. */
static void sort_in_own_scratch(drawn *c, size_t scratch)
{
    clsort_desc d = c->full;
    char text[2000] = "";
    size_t again = 0;
    if (!scratch || !add_buffer(c, SCRATCH, &d.scratch, &d.scratch_offset, 16, scratch, 1)) return;
    d.scratch_size = scratch;
    CHECK_OK(clsort_explain(c->sorter, &d, text, sizeof text));
    again = (size_t)told(text, "\nscratch ");
    CHECK(again <= scratch);
    d.scratch_size = again;
    CHECK_OK(clsort_enqueue_sort(c->sorter, c->queue, &d, 0, NULL, NULL));
    d.scratch_size = again - 16;
    CHECK_STATUS(clsort_enqueue_sort(c->sorter, c->queue, &d, 0, NULL, NULL),
                 CLSORT_ERROR_SCRATCH_TOO_SMALL);
    CHECK_STATUS(clsort_check(c->sorter, &d), CLSORT_ERROR_SCRATCH_TOO_SMALL);
}

/* With all buffers there: the sort runs, first in the sorter's scratch. */
static void sort_case_drawn(drawn *c)
{
    size_t scratch = 0, asked = 0, any = 0, again = 0;
    int commands = mock.traced;
    cl_ulong allocated;
    cl_event done = NULL;
    if (!add_buffers(c)) return;
    if (!CHECK(ask_all(c, &c->full, &scratch) == CL_SUCCESS)) return;
    CHECK_OK(clsort_scratch_size(NULL, &c->bare, &any));
    CHECK_OK(clsort_scratch_size(c->sorter, &c->bare, &asked));
    CHECK(any >= asked && asked >= scratch);
    CHECK_OK(clsort_scratch_size(c->sorter, &c->full, &again));
    CHECK(again == asked);   /* buffers that are left to later are foreseen */
    allocated = mock.allocated;
    CHECK_OK(clsort_enqueue_sort(c->sorter, c->queue, &c->full, 0, NULL, &done));
    if (!CHECK(done != NULL)) return;
    counted_clReleaseEvent(done);
    seen.sorted++;
    commands = mock.traced - commands;
    if (!c->facts.rejects) CHECK(mock.allocated - allocated == (commands ? scratch : 0));
    if (!c->facts.rejects) check_story(c, commands, scratch);
    sort_in_own_scratch(c, scratch);
}

/* Without elements no call misses a buffer, whatever else its description says. Few elements may
   need a larger work-group than many. */
static void try_nothing(drawn *c)
{
    clsort_desc d = c->bare, resolved = d;
    clsort_status checked;
    cl_mem result;
    char text[2000];
    size_t bytes;
    d.count = 0;
    d.keys_offset = d.keys_out_offset = d.values_offset = d.values_out_offset = 16;
    d.indices_offset = d.count_offset = d.segments_offset = d.segment_ends_offset = 16;
    d.scratch_offset = 16;
    d.scratch_size = 1000;
    checked = clsort_check(c->sorter, &d);
    if (checked == CLSORT_ERROR_DEVICE_LIMITS) return;
    CHECK_OK(checked);
    result = mock_new_buffer(c->context, 4096);
    CHECK_OK(clsort_prepare(c->sorter, c->queue, &d));
    CHECK_OK(clsort_resolve(c->sorter, &d, &resolved));
    CHECK_OK(clsort_scratch_size(NULL, &d, &bytes));
    CHECK_OK(clsort_explain(c->sorter, &d, text, sizeof text));
    CHECK_OK(clsort_enqueue_sort(c->sorter, c->queue, &d, 0, NULL, NULL));
    CHECK_OK(clsort_enqueue_is_sorted(c->sorter, c->queue, &d, result, 0, 0, NULL, NULL));
    d.keys_out = d.indices ? d.indices : d.keys_out;   /* what proofs read is written */
    CHECK_OK(clsort_enqueue_fingerprint(c->sorter, c->queue, &d, result, 0, 0, NULL, NULL));
    CHECK_OK(clsort_enqueue_verify(c->sorter, c->queue, &d, result, 0, 0, NULL, NULL));
    mock_clReleaseMemObject(result);
}

static void try_case(uint64_t seed)
{
    static drawn c;
    size_t scratch = 0;
    clsort_status checked;
    draw_seed(&c, seed);
    checked = ask_all(&c, &c.bare, &scratch);
    seen.cases++;
    if (checked == CL_SUCCESS) {
        seen.taken++;
        if (one_in(&c, 2)) CHECK_OK(clsort_prepare(c.sorter, NULL, &c.bare));
        else sort_case_drawn(&c);
        if (!c.bare.top_k) try_nothing(&c);
    } else {
        if (CHECK(checked <= -5000 && checked >= -5127)) seen.refused[-5000 - checked]++;
        CHECK_STATUS(clsort_prepare(c.sorter, NULL, &c.bare), checked);
    }
    close_case(&c);
}

static void try_cases(bench *b)
{
    const char *from = getenv("CLSORT_TEST_SEED"), *many = getenv("CLSORT_TEST_CASES");
    const uint64_t first = from ? strtoull(from, NULL, 10) : 1;
    const int count = many ? atoi(many) : b->small ? 2000 : 20000;
    int i;
    try_case(86127);   /* short rows, and 472 bytes of local memory: too wide a tile was launched */
    for (i = 0; i < count; i++) try_case(first + (uint64_t)i);
    printf("%d descriptions, %d taken, %d sorted; refused:", seen.cases, seen.taken, seen.sorted);
    for (i = 0; i < 128; i++)
        if (seen.refused[i]) printf(" %d %d", -5000 - i, seen.refused[i]);
    printf("\n");
    CHECK(seen.taken > seen.cases / 5 && seen.sorted > seen.cases / 20);
}

/* The first family of a plan's kernels that others replace where it does not build; 0: none. */
static cl_uint replaceable_family(const clsort__plan *p)
{
    cl_uint i;
    for (i = 0; i < p->step_count; i++) {
        const clsort__config *c = clsort__step_config(p, &p->steps[i]);
        if (c && clsort__is_replaceable(c->family)) return c->family;
    }
    return 0;
}

/* Plans a call of the case's description as it is now. */
static clsort_status plan_case(drawn *c, clsort__job *j)
{
    static clsort_desc own;
    clsort__sort_job(j, c->sorter, "a test", &c->bare, &own);
    return clsort__plan_job(j);
}

/* One family after the other does not build. The call goes on as the next one begins, in no more
   scratch memory than was told before. */
static int break_families(drawn *c)
{
    clsort__job j;
    size_t told_before;
    cl_uint family;
    int broken = 0;
    if (plan_case(c, &j) != CL_SUCCESS) return 0;
    told_before = j.plan.scratch.layout.bytes;
    while ((family = replaceable_family(&j.plan)) != 0
           || (j.plan.inner_step && (family = replaceable_family(&j.inner)) != 0)) {
        c->sorter->facts.given_up |= CLSORT__BIT(family);
        if (!CHECK_OK(plan_case(c, &j))) break;
        CHECK(j.plan.scratch.layout.bytes <= told_before);
        broken++;
    }
    return broken;
}

static void break_all_families(bench *b)
{
    const char *from = getenv("CLSORT_TEST_SEED");
    const uint64_t first = from ? strtoull(from, NULL, 10) : 1;
    static drawn c;
    int i, broken[2] = { 0, 0 };
    for (i = 0; i < (b->small ? 4000 : 20000); i++) {
        draw_seed(&c, first + (uint64_t)i);
        if (i % 2) {
            c.bare.algorithm = CLSORT_AUTO;
            memset(&c.bare.tuning, 0, sizeof c.bare.tuning);
        }
        if (clsort_check(c.sorter, &c.bare) == CL_SUCCESS)
            broken[c.bare.top_k > 0] += break_families(&c);
        close_case(&c);
    }
    CHECK(broken[0] > 20 && broken[1] > 20);
    printf("%d families did not build, and %d of selections\n", broken[0], broken[1]);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Sizes for merges of runs and for partitions do not fall with the count. Sizes for sorts are in
   tests/test_mock_promises.c. */
static void expect_growth_of_pieces(drawn *c)
{
    clsort_merge_runs_desc m = clsort_merge_runs_desc_default();
    clsort_partition_desc p = clsort_partition_desc_default();
    clsort_run runs[3];
    size_t last[2] = { 0, 0 }, now[2];
    memset(runs, 0, sizeof runs);
    m.runs = runs;
    m.run_count = 3;
    p.splitter_count = 1 + below(c, 255);
    m.key_type = p.key_type = c->bare.key_type ? c->bare.key_type : CLSORT_U32;
    m.value_size = p.value_size = below(c, 9);
    m.tuning.work_group = p.tuning.work_group = one_in(c, 2) ? 0 : power(c, 9);
    for (p.count = 1; p.count < (size_t)1 << 30; p.count += 1 + below(c, 16) * p.count / 8) {
        const clsort_run whole[3] = { { p.count / 3, 0, 0, 0, 0 }, { p.count / 2, 0, 0, 0, 0 },
                                      { p.count / 6, 0, 0, 0, 0 } };
        memcpy(runs, whole, sizeof runs);
        memcpy(now, last, sizeof now);
        if (clsort_merge_runs_scratch_size(c->sorter, &m, &now[0]) != CL_SUCCESS) break;
        if (clsort_partition_scratch_size(c->sorter, &p, &now[1]) != CL_SUCCESS) break;
        CHECK(now[0] >= last[0] && now[1] >= last[1]);
        memcpy(last, now, sizeof last);
    }
}

static void sizes_grow(bench *b)
{
    const char *from = getenv("CLSORT_TEST_SEED");
    const uint64_t first = from ? strtoull(from, NULL, 10) : 1;
    static drawn c;
    int i;
    for (i = 0; i < (b->small ? 400 : 4000); i++) {
        draw_seed(&c, first + (uint64_t)i);
        expect_growth_of_pieces(&c);
        close_case(&c);
    }
}

/* The bytes of tables that tools/README.md allows a sort of bare keys or pairs. */
static double allowed_tables(const clsort_desc *d, size_t key)
{
    const double n = (double)d->count, merge = n / 16 + 8,
                 tile = key == 4 && !d->value_size ? 4352 : 1536,
                 sweeps = 9500 + (d->count >> 30 ? 2048 : 1024) * (n / tile);
    const int portable = d->tuning.variant == CLSORT__AS(RADIX, PORTABLE),
              passes = portable || d->tuning.variant == CLSORT__AS(RADIX, SWEEPS),
              half = key == 4 && !d->value_size && d->count <= (size_t)5 << 26;
    const double radix = (!portable && sweeps > 1.14e6 ? sweeps : 1.14e6)
                         + (passes ? 0 : half ? 0.54e6 : 1.07e6);
    const double rows = n * (double)d->rows / 2 + 132000;
    if (d->rows) return !d->algorithm && radix > rows ? radix : rows;
    if (d->algorithm == CLSORT_MERGE) return merge;
    if (d->algorithm == CLSORT_QUICKSORT)
        return d->count < 1u << 23 ? 1.24 * n + 137000 : n / 2 + 6.3e6;
    return d->algorithm == CLSORT_RADIX || radix > merge ? radix : merge;
}

/* The same by the few lines of MEMORY in the head comment of clsort.h. */
static double roughly_allowed(const clsort_desc *d, size_t key)
{
    const double n = (double)d->count * (double)(d->rows ? d->rows : 1);
    if (d->algorithm == CLSORT_QUICKSORT) return allowed_tables(d, key);
    return n * (n < 1073741824. ? 0.7 : 1.4) + 2.3e6;
}

/* The same of all that a selection of keys takes. */
static double allowed_selection(const clsort_desc *d, size_t key, double units)
{
    const double n = (double)d->count, k = (double)d->top_k, all = n * (double)d->rows,
                 rows = (double)d->rows, p = (n < 16777216 / rows ? n : 16777216 / rows) / 4096;
    const int few = rows <= units / 2 + 1 && k <= 4096;
    const double parts = rows * (41200 + (d->count >> 24 ? 4 * (n / 4096) : 0)
                                 + (few ? (key == 8 ? 2 : 1) * (32768 + 32 * k + n / 128) : 0)),
                 rounds = k <= 256 ? rows * k * (1.07 * p + 3) * (double)(key + 4) : 0,
                 sort = d->rows > 1 ? rows * k / 2 + 132000 : 2.2e6 + n / 1.5,
                 after = k > 2048 ? rows * k * (double)(2 * key + 8) + sort : 0,
                 whole = all * (double)(2 * key)
                         + (d->rows > 1 ? all / 2 + 132000 : 2.2e6 + n / 1.5);
    const double some = (parts > rounds ? parts : rounds) + after;
    return some > whole ? some : whole;
}

/* By one kind of sort or selection and all counts, with 16 bytes for each array's end. */
static void expect_bounds(drawn *c, size_t key, int selects)
{
    clsort_desc *const d = &c->bare;
    const size_t rows = d->rows ? d->rows : 1;
    size_t values = d->value_size, n, bytes;
    if (selects) values = d->value_size = 0, d->keys_out = CLSORT_LATER;
    for (n = 1; n < 0xFFFFFFFFu / rows; n += n / 7 + 1) {
        const size_t tops[] = { 1, 100, 3000, n / 3 }, kinds = selects ? 4 : 1;
        size_t i;
        for (i = 0; i < kinds; i++) {
            const double arrays = (double)(n * rows * (key + values)) + 96;
            d->count = n;
            d->top_k = selects ? tops[i] : 0;
            if (clsort_scratch_size(c->sorter, d, &bytes) != CL_SUCCESS) continue;
            AT("%s, n %zu, type %x, values %zu, algorithm %u, variant %x, top %zu of %zu rows",
               c->facts.name, n, (unsigned)d->key_type, values, (unsigned)d->algorithm,
               (unsigned)d->tuning.variant, d->top_k, rows);
            CHECK((double)bytes <= 96 + (selects ? allowed_selection(d, key, c->facts.compute_units)
                                                 : arrays + allowed_tables(d, key)));
            CHECK(selects || (double)bytes <= 96 + arrays + roughly_allowed(d, key));
        }
    }
}

/* Sizes of all kinds, by counts up to 2^32. */
static void sizes_are_within_bounds(bench *b)
{
    static const cl_uint types[] = { CLSORT_U16, CLSORT_F32, CLSORT_U64 };
    static drawn c;
    cl_uint kind;
    size_t v;
    (void)b;
    for (v = 0; v < MOCK_PRESETS; v++)
        for (kind = 0; kind < 3 * 3 * 9; kind++) {
            static const char *const names[] = { "radix-portable", "radix-sweeps", "radix-hybrid",
                                                 "radix",          "merge",        "quicksort",
                                                 "auto",           "auto",         "auto" };
            clsort_desc *const d = &c.bare;
            const cl_uint way = kind / 9;
            const size_t key = (size_t)2 << kind % 3;
            memset(&c, 0, sizeof c);
            c.facts = mock_presets[v].facts();
            c.facts.max_allocation = (cl_ulong)1 << 40;
            open_case(&c);
            *d = clsort_desc_default();
            d->key_type = types[kind % 3];
            d->value_size = kind / 3 % 3 * 4;
            CHECK_OK(clsort_set_algorithm(d, names[way]));
            d->rows = way == 6 ? 3 : way == 8 ? d->value_size + 1 : 0;
            if (way == 7) c.sorter->options.flags |= CLSORT_OPTION_BUILT_IN_CHOICES;
            expect_bounds(&c, key, way == 8);
            close_case(&c);
        }
}

/* ---- wrong numbers --------------------------------------------------------------------------- */

/* A number that no caller means: 0, one that divides nothing, one whose products wrap. */
static size_t wrong_size(drawn *c)
{
    const cl_uint kind = below(c, 4);
    return kind == 0   ? below(c, 18)
           : kind == 1 ? (size_t)-1 - below(c, 18)
           : kind == 2 ? ((size_t)1 << below(c, 8 * sizeof(size_t))) + below(c, 3) - 1
                       : some_size(c, 33);
}

/* Puts wrong numbers into one to three sizes of the description. */
static void spoil(drawn *c)
{
    static const size_t places[] = {
        offsetof(clsort_desc, count), offsetof(clsort_desc, rows),
        offsetof(clsort_desc, row_stride), offsetof(clsort_desc, row_stride),
        offsetof(clsort_desc, top_k), offsetof(clsort_desc, keys_out_row_stride),
        offsetof(clsort_desc, values_out_row_stride), offsetof(clsort_desc, indices_row_stride),
        offsetof(clsort_desc, value_size), offsetof(clsort_desc, record_size),
        offsetof(clsort_desc, key_offset), offsetof(clsort_desc, segment_count),
        offsetof(clsort_desc, keys_offset), offsetof(clsort_desc, scratch_size)
    };
    cl_uint i = 1 + below(c, 3);
    for (; i; i--) {
        const size_t wrong = wrong_size(c);
        const cl_uint place = below(c, sizeof places / sizeof *places);
        memcpy((char *)&c->bare + places[place], &wrong, sizeof wrong);
    }
}

/* Fills the sizes of a struct that begins with struct_size, but for what is no number. */
static void draw_wrong(drawn *c, void *place, const size_t *sizes, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        const size_t wrong = one_in(c, 2) ? 8 * some_size(c, 10) : wrong_size(c);
        memcpy((char *)place + sizes[i], &wrong, sizeof wrong);
    }
}

static void gather_wrong(drawn *c)
{
    static const size_t sizes[] = { offsetof(clsort_gather_desc, count),
                                    offsetof(clsort_gather_desc, rows),
                                    offsetof(clsort_gather_desc, source_count),
                                    offsetof(clsort_gather_desc, indices_offset),
                                    offsetof(clsort_gather_desc, indices_row_stride) };
    static const size_t of_array[] = { offsetof(clsort_array, source_offset),
                                       offsetof(clsort_array, target_offset),
                                       offsetof(clsort_array, element_size),
                                       offsetof(clsort_array, source_row_stride),
                                       offsetof(clsort_array, target_row_stride) };
    clsort_gather_desc g = clsort_gather_desc_default();
    clsort_array a[2];
    memset(a, 0, sizeof a);
    draw_wrong(c, &g, sizes, sizeof sizes / sizeof *sizes);
    draw_wrong(c, &a[0], of_array, sizeof of_array / sizeof *of_array);
    draw_wrong(c, &a[1], of_array, sizeof of_array / sizeof *of_array);
    g.arrays = a;
    g.array_count = below(c, 3);
    seen.answers += clsort_enqueue_gather(c->sorter, c->queue, &g, 0, NULL, NULL) <= CL_SUCCESS;
}

static void merge_wrong(drawn *c)
{
    clsort_merge_runs_desc runs = clsort_merge_runs_desc_default();
    clsort_merge_desc two = clsort_merge_desc_default();
    clsort_run run[3];
    size_t bytes = 0;
    memset(run, 0, sizeof run);
    run[0].count = two.count_a = wrong_size(c);
    run[1].count = two.count_b = wrong_size(c);
    runs.value_size = two.value_size = wrong_size(c);
    runs.keys_out_offset = two.keys_out_offset = wrong_size(c);
    runs.key_type = two.key_type = c->bare.key_type;
    runs.tuning = two.tuning = c->bare.tuning;
    runs.runs = run;
    runs.run_count = below(c, 4);
    seen.answers += clsort_enqueue_merge(c->sorter, c->queue, &two, 0, NULL, NULL) <= CL_SUCCESS;
    CHECK_STATUS(clsort_prepare_merge_runs(c->sorter, &runs),
                 clsort_merge_runs_scratch_size(c->sorter, &runs, &bytes));
}

static void part_wrong(drawn *c)
{
    clsort_partition_desc p = clsort_partition_desc_default();
    clsort_groups_desc g = clsort_groups_desc_default();
    size_t bytes = 0;
    g.count = p.count = wrong_size(c);
    g.groups = wrong_size(c);
    g.keys_offset = p.keys_offset = wrong_size(c);
    p.value_size = wrong_size(c);
    g.key_type = p.key_type = c->bare.key_type;
    p.splitter_count = (cl_uint)wrong_size(c);
    p.tuning = c->bare.tuning;
    seen.answers +=
        clsort_enqueue_group_starts(c->sorter, c->queue, &g, 0, NULL, NULL) <= CL_SUCCESS;
    CHECK_STATUS(clsort_prepare_partition(c->sorter, &p),
                 clsort_partition_scratch_size(c->sorter, &p, &bytes));
}

/* Whatever numbers a caller gives, a call answers; a division by one of them would end the
   program. */
static void answer_wrong_numbers(bench *b)
{
    const char *from = getenv("CLSORT_TEST_SEED"), *many = getenv("CLSORT_TEST_CASES");
    const uint64_t first = from ? strtoull(from, NULL, 10) : 1;
    const int count = many ? atoi(many) : b->small ? 4000 : 40000;
    static drawn c;
    int i, wrong = 0;
    for (i = 0; i < count; i++) {
        size_t scratch = 0;
        clsort_status checked;
        draw_seed(&c, first + (uint64_t)i);
        spoil(&c);
        checked = ask_all(&c, &c.bare, &scratch);
        wrong += checked != CL_SUCCESS;
        clsort_scratch_size(NULL, &c.bare, &scratch);
        gather_wrong(&c);
        merge_wrong(&c);
        part_wrong(&c);
        close_case(&c);
    }
    CHECK(wrong > count / 2 && wrong < count && seen.answers == 3 * count);
    printf("%d of %d descriptions with wrong numbers are refused\n", wrong, count);
}

static const test_entry tests[] = {
    { "all functions agree about descriptions", try_cases },
    { "any number in any field gets an answer", answer_wrong_numbers },
    { "where kernels do not build, the call goes on as the next one begins", break_all_families },
    { "sizes for merges and partitions do not fall with the count", sizes_grow },
    { "they are within what the table of scratch memory says", sizes_are_within_bounds }
};

TEST_MAIN_ALONE(tests, "a mock")
