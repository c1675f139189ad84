/* What is chosen by count, on devices of mock.h. tests/plans has a page for each kind of device,
   and one for mistakes. Each line is a device, a description and the plan that it gets. This
   test fails when the code plans otherwise. Is that intended? Then write the file again, and let
   the commit say why:

     CLSORT_TEST_WRITE=1 build/test_mock_plans

   On the left of "=>": cpu, gpu or nvidia; the name of an algorithm, or merge_arrays,
   is_sorted, verify or gather for those calls; the type of the keys; then any of the words of
   `numbers` below with a number after a colon, and of `flags`. "bare": no buffers, and clsort_check
   instead of the call. A line without a plan gets one.

   On the right: the algorithm; work-items of a work-group x items of each; p and passes over the
   elements; launches + copies. Or the error with what it says.

   One number may be a range, as n:1..5000. The right side then has each value at which another plan
   begins; for a limit of the device also # and a hash of the commands with everything that the
   device is told but buffers and names. Where the plans of two values differ that are an eighth
   apart, those in between are searched. */

#include "mock.h"

#define CLSORT_IMPLEMENTATION
#include "harness.h"

#include "../tools/clsort/patterns.h"

enum { ROLES = 9, WORDS = 4000, PLAN = 1100, MOST_LINES = 500 };
enum { KEYS, KEYS_OUT, VALUES, VALUES_OUT, INDICES, SEGMENTS, COUNT, RESULT, MERGED };

/* One line: its left side, and what has been made of it. */
typedef struct plan_line {
    char words[WORDS], call[32];
    mock_facts facts;
    clsort_desc d;
    clsort_field fields[8];
    size_t other;                   /* merge_arrays: elements of the second array; merge_runs: runs;
                                       parts: splitters */
    size_t ends;                    /* not 0: segments have ends of their own */
    size_t source;                  /* gather: elements of the source */
    int is_bare;
    size_t arrays;                  /* of a gather */
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer[ROLES];
    clsort_sorter *sorter;
} plan_line;

/* ---- reading --------------------------------------------------------------------------------- */

static const struct { const char *name; cl_uint type; } types[] = {
    { "u8", CLSORT_U8 },   { "i8", CLSORT_I8 },     { "u16", CLSORT_U16 }, { "i16", CLSORT_I16 },
    { "f16", CLSORT_F16 }, { "bf16", CLSORT_BF16 }, { "u32", CLSORT_U32 }, { "i32", CLSORT_I32 },
    { "f32", CLSORT_F32 }, { "u64", CLSORT_U64 },   { "i64", CLSORT_I64 }, { "f64", CLSORT_F64 }
};

/* Where the number behind a word goes: a size_t of the description or of the device. */
static size_t *find_size(plan_line *p, const char *word)
{
    const struct { const char *name; size_t *place; } numbers[] = {
        { "n", &p->d.count },          { "values", &p->d.value_size },
        { "rows", &p->d.rows },        { "stride", &p->d.row_stride },
        { "keys_stride", &p->d.keys_out_row_stride },
        { "values_stride", &p->d.values_out_row_stride },
        { "indices_stride", &p->d.indices_row_stride },
        { "lengths_offset", &p->d.lengths_offset },
        { "top", &p->d.top_k },        { "segments", &p->d.segment_count },
        { "record", &p->d.record_size },{ "key_at", &p->d.key_offset },
        { "other", &p->other },        { "source", &p->source },
        { "arrays", &p->arrays },      { "most", &p->facts.max_group },
        { "keys_offset", &p->d.keys_offset },
        { "values_offset", &p->d.values_offset }, { "indices_offset", &p->d.indices_offset },
        { "keys_out_offset", &p->d.keys_out_offset },
        { "values_out_offset", &p->d.values_out_offset },
        { "count_offset", &p->d.count_offset }, { "segments_offset", &p->d.segments_offset },
        { "ends", &p->ends },         { "ends_offset", &p->d.segment_ends_offset },
        { "scratch_offset", &p->d.scratch_offset }, { "scratch_size", &p->d.scratch_size },
        { "sub_group", &p->facts.sub_group }
    };
    size_t i;
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!strcmp(word, numbers[i].name)) return numbers[i].place;
    return NULL;
}

static cl_uint *find_uint(plan_line *p, const char *word)
{
    const struct { const char *name; cl_uint *place; } numbers[] = {
        { "first", &p->d.first_bit },  { "last", &p->d.last_bit },
        { "group", &p->d.tuning.work_group }, { "items", &p->d.tuning.items },
        { "fields", &p->d.field_count }, { "units", &p->facts.compute_units },
        { "vector", &p->facts.vector_width }, { "flags", &p->d.flags },
        { "order", &p->d.order }, { "nan", &p->d.nan_order }, { "zero", &p->d.zero_order },
        { "algorithm", &p->d.algorithm },
        { "variant", &p->d.tuning.variant },
        { "local_type", &p->facts.local_type }
    };
    size_t i;
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!strcmp(word, numbers[i].name)) return numbers[i].place;
    return NULL;
}

static int read_flag(plan_line *p, const char *word)
{
    clsort_desc *d = &p->d;
    if (!strcmp(word, "stable")) d->stable = 1;
    else if (!strcmp(word, "bare")) p->is_bare = 1;
    else if (!strcmp(word, "indices")) d->indices = CLSORT_LATER;
    else if (!strcmp(word, "keys_out")) d->keys_out = CLSORT_LATER;
    else if (!strcmp(word, "values_out")) d->values_out = CLSORT_LATER;
    else if (!strcmp(word, "count")) d->count_buffer = CLSORT_LATER;
    else if (!strcmp(word, "overwrites")) d->flags |= CLSORT_FLAG_OVERWRITE_INPUT;
    else if (!strcmp(word, "unsorted")) d->flags |= CLSORT_FLAG_TOP_UNSORTED;
    else if (!strcmp(word, "nth")) d->flags |= CLSORT_FLAG_TOP_NTH;
    else if (!strcmp(word, "partition")) d->flags |= CLSORT_FLAG_TOP_PARTITION;
    else if (!strcmp(word, "lengths")) d->lengths = CLSORT_LATER;
    else if (!strcmp(word, "precedes")) {
        d->precedes = "a < b";
        d->record_type = "typedef uint clsort_record;";
    } else return 0;
    return 1;
}

static int read_word(plan_line *p, char *word)
{
    char *colon = strchr(word, ':');
    size_t *size, i;
    cl_uint *number;
    if (!colon) {
        for (i = 0; i < sizeof types / sizeof *types; i++)
            if (!strcmp(word, types[i].name)) return p->d.key_type = types[i].type, 1;
        return read_flag(p, word);
    }
    *colon = 0;
    size = find_size(p, word);
    number = find_uint(p, word);
    if (size) *size = (size_t)strtoull(colon + 1, NULL, 10);
    else if (number) *number = (cl_uint)strtoul(colon + 1, NULL, 10);
    else if (!strcmp(word, "local")) p->facts.local_bytes = strtoull(colon + 1, NULL, 10);
    else if (!strcmp(word, "allocation"))
        p->facts.max_allocation = strtoull(colon + 1, NULL, 10);
    else return 0;
    return 1;
}

static int read_device(plan_line *p, const char *word)
{
    static const struct { const char *name; mock_facts (*facts)(void); } devices[] = {
        { "cpu", mock_cpu }, { "gpu", mock_gpu }, { "nvidia", mock_nvidia }
    };
    size_t i;
    for (i = 0; i < sizeof devices / sizeof *devices; i++)
        if (word && !strcmp(word, devices[i].name)) return p->facts = devices[i].facts(), 1;
    return 0;
}

/* Keys of several fields: u16, i32, u64, f32, ... one after the other. */
static void make_fields(plan_line *p)
{
    static const cl_uint kinds[] = { CLSORT_U16, CLSORT_I32, CLSORT_U64, CLSORT_F32 };
    cl_uint i;
    for (i = 0; i < 8; i++) {
        p->fields[i].type = kinds[i % 4];
        p->fields[i].offset = 8 * i;
        p->fields[i].order = i % 3 == 1;
    }
    if (p->d.field_count) p->d.fields = p->fields;
}

/* Reads the left side of a line; 0 if it says what is not known. */
static int read_line(plan_line *p, const char *text)
{
    char copy[WORDS], *word;
    memset(p, 0, sizeof *p);
    p->d = clsort_desc_default();
    snprintf(p->words, sizeof p->words, "%s", text);
    snprintf(copy, sizeof copy, "%s", text);
    if (!read_device(p, strtok(copy, " \n"))) return 0;
    word = strtok(NULL, " \n");
    if (!word) return 0;
    snprintf(p->call, sizeof p->call, "%s", word);
    if (strcmp(word, "merge_arrays") && strcmp(word, "is_sorted") && strcmp(word, "verify")
        && strcmp(word, "gather") && strcmp(word, "merge_runs") && strcmp(word, "parts")) {
        if (clsort_set_algorithm(&p->d, word) != CL_SUCCESS) return 0;
    }
    while ((word = strtok(NULL, " \n")) != NULL)
        if (!read_word(p, word)) return 0;
    make_fields(p);
    return 1;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void open_line(plan_line *p)
{
    cl_device_id device;
    size_t i;
    mock_open(p->facts, 0, &p->context, &device, &p->queue);
    mock.traces = 1;
    for (i = 0; i < ROLES; i++)
        p->buffer[i] = mock_new_buffer(p->context, (size_t)p->facts.max_allocation);
    CHECK_OK(clsort_create(p->context, device, NULL, &p->sorter));
}

static void close_line(plan_line *p)
{
    size_t i;
    clsort_destroy(p->sorter);
    for (i = 0; i < ROLES; i++) mock_clReleaseMemObject(p->buffer[i]);
    mock_clReleaseCommandQueue(p->queue);
    mock_clReleaseContext(p->context);
    CHECK(counted_nothing_live() && !mock.faults);
}

/* The description with the buffers that it will have. */
static clsort_desc with_buffers(const plan_line *p)
{
    clsort_desc d = p->d;
    d.keys = p->buffer[KEYS];
    if (d.value_size) d.values = p->buffer[VALUES];
    if (d.keys_out) d.keys_out = p->buffer[KEYS_OUT];
    if (d.values_out) d.values_out = p->buffer[VALUES_OUT];
    if (d.indices) d.indices = p->buffer[INDICES];
    if (d.count_buffer) d.count_buffer = p->buffer[COUNT];
    if (d.segment_count) d.segments = p->buffer[SEGMENTS];
    if (p->ends) d.segment_ends = p->buffer[SEGMENTS];
    if (d.lengths) d.lengths = p->buffer[SEGMENTS];
    return d;
}

static clsort_status merge_arrays(plan_line *p)
{
    clsort_merge_desc m = clsort_merge_desc_default();
    m.count_a = p->d.count;
    m.count_b = p->other;
    m.key_type = p->d.key_type;
    m.value_size = p->d.value_size;
    m.flags = p->d.flags;
    m.tuning = p->d.tuning;
    m.keys_a = p->buffer[KEYS];
    m.keys_b = p->buffer[RESULT];
    m.keys_out = p->buffer[KEYS_OUT];
    if (m.value_size) m.values_a = p->buffer[VALUES];
    if (m.value_size) m.values_b = p->buffer[MERGED];
    if (m.value_size) m.values_out = p->buffer[VALUES_OUT];
    return clsort_enqueue_merge(p->sorter, p->queue, &m, 0, NULL, NULL);
}

/* A merge of so many runs, each of that many elements. */
static clsort_status merge_runs(plan_line *p)
{
    clsort_merge_runs_desc m = clsort_merge_runs_desc_default();
    clsort_run run[CLSORT_MAX_RUNS + 1];
    size_t k;
    memset(run, 0, sizeof run);
    for (k = 0; k < p->other && k <= CLSORT_MAX_RUNS; k++) {
        run[k].count = p->d.count;
        run[k].keys = p->buffer[KEYS];
        if (p->d.value_size) run[k].values = p->buffer[VALUES];
    }
    m.runs = run;
    m.run_count = (cl_uint)p->other;
    m.key_type = p->d.key_type;
    m.value_size = p->d.value_size;
    m.flags = p->d.flags;
    m.tuning = p->d.tuning;
    m.keys_out = p->buffer[KEYS_OUT];
    if (m.value_size) m.values_out = p->buffer[VALUES_OUT];
    return clsort_enqueue_merge_runs(p->sorter, p->queue, &m, 0, NULL, NULL);
}

/* A partition by so many splitters. */
static clsort_status part(plan_line *p)
{
    clsort_partition_desc m = clsort_partition_desc_default();
    m.count = p->d.count;
    m.splitter_count = (cl_uint)p->other;
    m.key_type = p->d.key_type;
    m.value_size = p->d.value_size;
    m.flags = p->d.flags;
    m.tuning = p->d.tuning;
    m.keys = p->buffer[KEYS];
    m.keys_out = p->buffer[KEYS_OUT];
    if (m.value_size) m.values = p->buffer[VALUES];
    if (m.value_size) m.values_out = p->buffer[VALUES_OUT];
    m.splitters = p->buffer[RESULT];
    m.starts = p->buffer[SEGMENTS];
    return clsort_enqueue_partition(p->sorter, p->queue, &m, 0, NULL, NULL);
}

static clsort_status gather(plan_line *p)
{
    clsort_array arrays[40];
    clsort_gather_desc g;
    size_t i;
    memset(&g, 0, sizeof g);
    memset(arrays, 0, sizeof arrays);
    for (i = 0; i < 40; i++) {
        arrays[i].source = p->buffer[KEYS];
        arrays[i].target = p->buffer[KEYS_OUT];
        arrays[i].source_offset = 16 * i;
        arrays[i].target_offset = (size_t)p->facts.max_allocation / 64 * i;
        arrays[i].element_size = p->d.value_size + (p->d.value_size ? 0 : i % 16 + 1);
    }
    g.count = p->d.count;
    g.rows = p->d.rows;
    g.source_count = p->source;
    g.indices = p->buffer[INDICES];
    g.arrays = arrays;
    g.array_count = (cl_uint)(p->arrays ? p->arrays : 1);
    return clsort_enqueue_gather(p->sorter, p->queue, &g, 0, NULL, NULL);
}

static clsort_status enqueue(plan_line *p, const clsort_desc *d)
{
    if (!strcmp(p->call, "merge_arrays")) return merge_arrays(p);
    if (!strcmp(p->call, "merge_runs")) return merge_runs(p);
    if (!strcmp(p->call, "parts")) return part(p);
    if (!strcmp(p->call, "gather")) return gather(p);
    if (!strcmp(p->call, "is_sorted"))
        return clsort_enqueue_is_sorted(p->sorter, p->queue, d, p->buffer[RESULT], 0, 0, NULL,
                                        NULL);
    if (!strcmp(p->call, "verify"))
        return clsort_enqueue_verify(p->sorter, p->queue, d, p->buffer[RESULT], 0, 0, NULL, NULL);
    return clsort_enqueue_sort(p->sorter, p->queue, d, 0, NULL, NULL);
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* The number behind a word of clsort_explain. */
static unsigned long long number_after(const char *text, const char *word)
{
    const char *place = strstr(text, word);
    return place ? strtoull(place + strlen(word), NULL, 10) : 0;
}

/* What a sort would do. */
static void explain(plan_line *p, const clsort_desc *d, char *shape, size_t room)
{
    char text[4000] = "";
    clsort_desc r = clsort_desc_default();
    CHECK_OK(clsort_resolve(p->sorter, d, &r));
    CHECK_OK(clsort_explain(p->sorter, d, text, sizeof text));
    snprintf(shape, room, "%.*s %ux%u p%llu %llu+%llu", (int)strcspn(text + 10, "\n"), text + 10,
             (unsigned)r.tuning.work_group, (unsigned)r.tuning.items,
             number_after(text, "\npasses "), number_after(text, "\nlaunches "),
             number_after(text, "\ncopies "));
}

/* The code of an error; its message without the function and what the code says in general. */
static void explain_error(const plan_line *p, clsort_status status, int full, char *plan,
                          size_t room)
{
    const char *message = clsort_last_error(p->sorter), *detail = strstr(message, ": ");
    const char *general = strchr(clsort_status_text(status), ':'), *end = NULL;
    if (detail && general) end = strstr(detail, general);
    if (detail && !end) end = strstr(detail, " (CL");
    if (full && end && end > detail)
        snprintf(plan, room, "error %d, %.*s", (int)status, (int)(end - detail - 2), detail + 2);
    else snprintf(plan, room, "error %d", (int)status);
}

/* The plan of a line without a range; with what an error says, or a hash. */
static void make_plan(plan_line *p, int says_more, int has_hash, char *plan)
{
    char shape[WORDS / 8] = "", hash[16] = "";
    clsort_desc d, named = clsort_desc_default();
    clsort_status status;
    open_line(p);
    d = p->is_bare ? p->d : with_buffers(p);
    status = p->is_bare ? clsort_check(p->sorter, &d) : enqueue(p, &d);
    if (has_hash && !status) snprintf(hash, sizeof hash, " #%08x", (unsigned)(mock.trace >> 32));
    if (status != CL_SUCCESS) explain_error(p, status, says_more, shape, sizeof shape);
    else if (clsort_set_algorithm(&named, p->call) == CL_SUCCESS)
        explain(p, &d, shape, sizeof shape);
    else snprintf(shape, sizeof shape, "%d commands", mock.traced);
    snprintf(plan, PLAN, "%s%s", shape, hash);
    close_line(p);
}

/* Reads a line with a number in place of its range, which begins at `range`, and plans it. */
static void plan_at(plan_line *p, const char *line, const char *range, size_t number, char *plan)
{
    const int limits = !strncmp(range - 6, "local:", 6) || !strncmp(range - 5, "most:", 5);
    char words[WORDS];
    snprintf(words, sizeof words, "%.*s%zu%s", (int)(range - line), line, number,
             range + strcspn(range, " "));
    if (CHECK(read_line(p, words))) make_plan(p, 0, limits, plan);
}

/* The least number above `low` with another plan than `was`; `high` has one. Writes it. */
static size_t find_change(plan_line *p, const char *line, const char *range, size_t low,
                          size_t high, const char *was, char *plan)
{
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        plan_at(p, line, range, middle, plan);
        *(strcmp(plan, was) ? &high : &low) = middle;
    }
    plan_at(p, line, range, high, plan);
    return high;
}

static void make_plans(plan_line *p, const char *line, char *plans)
{
    const char *dots = strstr(line, ".."), *range = dots;
    const size_t last = (size_t)strtoull(dots + 2, NULL, 10);
    char was[PLAN] = "", plan[PLAN] = "";
    size_t at, next, used;
    while (range[-1] != ':') range--;
    at = (size_t)strtoull(range, NULL, 10);
    plan_at(p, line, range, at, was);
    used = (size_t)snprintf(plans, WORDS, "%zu %s", at, was);
    while (at < last) {
        next = at + at / 8 + 1 < last ? at + at / 8 + 1 : last;
        plan_at(p, line, range, next, plan);
        if (strcmp(plan, was)) {
            next = find_change(p, line, range, at, next, was, plan);
            used += (size_t)snprintf(plans + used, WORDS - used, "; %zu %s", next, plan);
            if (!CHECK(used < WORDS)) return;
            memcpy(was, plan, sizeof was);
        }
        at = next;
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

static char lines[MOST_LINES][WORDS];

/* Lines of tests/plans, without line ends. */
static size_t read_file(void)
{
    FILE *f = fopen("tests/plans", "r");
    size_t n = 0;
    if (!CHECK(f != NULL)) return 0;
    while (n < MOST_LINES && fgets(lines[n], WORDS, f)) {
        lines[n][strcspn(lines[n], "\n")] = 0;
        n++;
    }
    CHECK(n < MOST_LINES);
    fclose(f);
    return n;
}

static void check_line(char *line, FILE *out)
{
    static plan_line p;
    static char left[WORDS], plan[WORDS];
    const size_t length = (size_t)(strstr(line, " => ") ? strstr(line, " => ") - line
                                                        : (ptrdiff_t)strlen(line));
    const char *wanted = line[length] ? line + length + 4 : "";
    snprintf(left, sizeof left, "%.*s", (int)length, line);
    AT("%s", left);
    if (strstr(left, "..")) make_plans(&p, left, plan);
    else if (CHECK(read_line(&p, left))) make_plan(&p, 1, 0, plan);
    else return;
    if (out) fprintf(out, "%s => %s\n", left, plan);
    else {
        if (!CHECK(!strcmp(plan, wanted))) printf("  planned %s\n  before  %s\n", plan, wanted);
    }
}

static void check_plans(bench *b)
{
    const int writes = getenv("CLSORT_TEST_WRITE") != NULL;
    const size_t n = read_file();
    FILE *out = writes ? fopen("tests/plans", "w") : NULL;
    size_t i;
    (void)b;
    if (writes && !CHECK(out != NULL)) return;
    for (i = 0; i < n; i++) {
        if (*lines[i] && *lines[i] != '#') check_line(lines[i], out);
        else if (out) fprintf(out, "%s\n", lines[i]);
    }
    if (out) fclose(out);
    CHECK(n > 100);
}

static const test_entry tests[] = { { "what is planned is what tests/plans lists", check_plans } };

TEST_MAIN_ALONE(tests, "a mock")
