/* tune.h - `clsort tune`: lets clsort_measure measure what AUTO should take on a device, and prints
   its choices.

   Of each kind of keys and payload, and of some kinds of top-k, all kernels are built first. Then
   it is measured up to 2^12 elements, 2^16, 2^20 and 2^24 (or -n) as far as its share of the time
   goes. --seconds counts both; what runs when the time is up is not cut short: all builds of one
   algorithm, or one sort. How long all builds take is told beforehand, by the first of them.
   What was measured is kept in the cache, where the other commands find it. At the end it says up
   to how many elements each kind was measured, and why no further. */

#ifndef CLSORT_TOOLS_TUNE_H
#define CLSORT_TOOLS_TUNE_H

#include "bench.h"
#include "info.h"
#include "session.h"

/* TUNE_BUILDS: all builds took 37 times as long as the first one, on PoCL. */
enum { TUNE_FIRST = 1 << 12, TUNE_FACTOR = 16, TUNE_BUILDS = 40 };

enum { TUNE_TABLE, TUNE_VERBOSE, TUNE_JSON };   /* how it prints what it found */

/* Sorts, and selections of the first k of each row with their indices, by what is done most. Values
   go to another array. */
typedef struct tune_sort {
    cl_uint type;
    size_t value_size, rows, top_k;
} tune_sort;

static const tune_sort tune_sorts[] = {
    { CLSORT_U32, 0, 0, 0 },   { CLSORT_U32, 4, 0, 0 },     { CLSORT_U64, 0, 0, 0 },
    { CLSORT_F32, 0, 1, 40 },  { CLSORT_U16, 0, 0, 0 },     { CLSORT_U64, 4, 0, 0 },
    { CLSORT_F32, 0, 64, 40 }, { CLSORT_F32, 0, 4096, 40 }, { CLSORT_F32, 0, 1, 2048 },
    { CLSORT_U32, 8, 0, 0 },   { CLSORT_U16, 4, 0, 0 },     { CLSORT_F32, 0, 64, 2048 },
    { CLSORT_U64, 8, 0, 0 },   { CLSORT_U16, 8, 0, 0 }
};
enum { TUNE_SORTS = sizeof tune_sorts / sizeof *tune_sorts };

/* How far a kind was measured: up to `reached` elements of each row, 0 if not at all. */
typedef struct tune_range {
    size_t reached, wanted;
    const char *why;   /* no further; NULL where all that was wanted is done */
} tune_range;

typedef struct tune_job {
    device_session session;
    cl_command_queue queue;
    clsort_sorter *sorter;
    const tune_sort *sort;
    size_t count, most;
    int how;
    double until, build_ms, measure_ms;   /* when the time is up; what builds and measuring took */
    tune_range ranges[TUNE_SORTS];
} tune_job;

static clsort_desc tune_describe(const tune_sort *sort, size_t n)
{
    clsort_desc d = clsort_desc_default();
    d.count = n;
    d.key_type = sort->type;
    d.value_size = sort->value_size;
    d.rows = sort->rows;
    d.top_k = sort->top_k;
    if (d.top_k) d.indices = CLSORT_LATER;
    else if (d.value_size) d.keys_out = d.values_out = CLSORT_LATER;
    return d;
}

static int tune_shows(void *user, cl_uint done, cl_uint total)
{
    const tune_job *job = (const tune_job *)user;
    const tune_sort *s = job->sort;
    const unsigned bits = s->type & 0xFF, percent = 100 * done / total;
    if (s->top_k)
        progress("top %zu of %zu x %zu: %u %%", s->top_k, s->rows, job->count, percent);
    else
        progress("%u bits, values of %zu bytes, up to %zu: %u %%", bits, s->value_size, job->count,
                 percent);
    return 0;
}

/* Builds what up to `n` elements need, or measures them, in so many ms. */
static clsort_status tune_call(tune_job *job, size_t n, double ms, cl_uint flags)
{
    const clsort_desc d = tune_describe(job->sort, n);
    clsort_measure_desc m = clsort_measure_desc_default();
    job->count = n;
    m.sort = &d;
    m.max_ms = ms < 1e9 ? (cl_uint)ms : 1000000000u;
    m.flags = flags;
    m.progress = tune_shows;
    m.user = job;
    return clsort_measure(job->sorter, job->queue, &m);
}

/* The number of elements to measure after `n` of them; 0: none yet. */
static size_t tune_next(size_t n, size_t most)
{
    const size_t next = !n ? TUNE_FIRST : n < most / TUNE_FACTOR ? n * TUNE_FACTOR : most;
    return next < most ? next : most;
}

static double tune_left(const tune_job *job) { return job->until - now_ms(); }

/* Builds all that up to *most elements need; where memory is short, for fewer. */
static clsort_status tune_build(tune_job *job, size_t *most)
{
    const double start = now_ms(), left = tune_left(job);
    clsort_status status = CLSORT_ERROR_OUT_OF_TIME;
    if (left >= 1) status = tune_call(job, *most, left, CLSORT_MEASURE_ONLY_BUILDS);
    job->build_ms += now_ms() - start;
    if (status != CL_MEM_OBJECT_ALLOCATION_FAILURE || *most < TUNE_FACTOR) return status;
    *most /= TUNE_FACTOR;
    return tune_build(job, most);
}

static const char tune_too_late[] = "the time was up", tune_too_large[] = "no memory for more";

/* Measures a sort, more and more elements: the fewest while any time is left, others in an equal
   share for each of `kinds` that are still to be measured. */
static clsort_status tune_counts(tune_job *job, int kinds, tune_range *range)
{
    size_t n = 0, most = range->wanted;
    double spent = 0, share;
    clsort_status status = tune_build(job, &most);
    share = tune_left(job) / kinds;
    range->why = most < range->wanted ? tune_too_large : NULL;
    while (status == CL_SUCCESS && n < most) {
        const double left = n ? share - spent : tune_left(job), start = now_ms();
        if (left < 1) status = CLSORT_ERROR_OUT_OF_TIME;
        if (status != CL_SUCCESS) break;
        n = tune_next(n, most);
        if (n <= job->sort->top_k) continue;
        status = tune_call(job, n, left, 0);
        spent += now_ms() - start;
        if (status == CL_SUCCESS) range->reached = n;
    }
    job->measure_ms += spent;
    return status;
}

/* Measures a sort in its share of the time, which `kinds` have left. Returns an exit code. */
static int tune_one(tune_job *job, int kinds, tune_range *range)
{
    const size_t rows = job->sort->rows ? job->sort->rows : 1, least = 2 * job->sort->top_k;
    clsort_status status = CLSORT_ERROR_OUT_OF_TIME;
    range->wanted = job->most / rows;
    range->why = "-n is too small";
    if (range->wanted < 2 || range->wanted < least) return DONE_OK;
    if (tune_left(job) >= 1) status = tune_counts(job, kinds, range);
    if (status == CL_SUCCESS) return DONE_OK;
    range->why = status == CL_MEM_OBJECT_ALLOCATION_FAILURE ? tune_too_large : tune_too_late;
    if (range->why == tune_too_large || status == CLSORT_ERROR_OUT_OF_TIME) return DONE_OK;
    return sorter_check(job->sorter, status);
}

/* ---- output ---------------------------------------------------------------------------------- */

static const char *tune_threshold_text(cl_uint threshold, char *text, size_t room)
{
    int log2 = 0;
    while (threshold >> log2 > 1) log2++;
    if (threshold == 0xFFFFFFFFu) return "CLSORT__NEVER";
    if (threshold != 1u << log2) snprintf(text, room, "%u", (unsigned)threshold);
    else snprintf(text, room, "1u << %d", log2);
    return text;
}

/* A choice as a row of clsort__crossovers. */
static void tune_print_row(const clsort_sorter *sorter, const clsort_choice *c)
{
    static const int payloads[3] = { 1, 2, 0 };
    const cl_uint thresholds[4] = { c->bitonic_most, c->radix_least, c->hybrid_least, c->few_most };
    char text[4][24];
    const char *at[4];
    int i;
    for (i = 0; i < 4; i++) at[i] = tune_threshold_text(thresholds[i], text[i], sizeof text[i]);
    printf("    { CLSORT__%s, %d, %u, %s, %s, %s, %s },\n", sorter->policy->name,
           payloads[c->payload], (unsigned)c->bits, at[0], at[1], at[2], at[3]);
}

/* The measured choices as a text that programs can load, from malloc; NULL without any. Returns an
   exit code. */
static int tune_text(clsort_sorter *sorter, char **text)
{
    size_t bytes = 0;
    int code = sorter_check(sorter, clsort_save_choices(sorter, NULL, 0, &bytes));
    *text = NULL;
    if (code != DONE_OK || bytes < 2) return code;
    *text = (char *)malloc(bytes);
    if (!*text) return fail(DONE_OPENCL, "out of memory");
    return sorter_check(sorter, clsort_save_choices(sorter, *text, bytes, &bytes));
}

/* The choices for programs: as rows of the source, and as a text to load. */
static void tune_print_source(clsort_sorter *sorter, const char *text)
{
    clsort_choice c = clsort_choice_default();
    cl_uint i;
    puts("\nRows of clsort__crossovers in clsort.h, for what was measured:");
    for (i = 0; clsort_auto_choice(sorter, i, &c) == CL_SUCCESS; i++)
        if (info_measured(&c) && !c.top_k) tune_print_row(sorter, &c);
    printf("\nFor clsort_load_choices:\n%s", text);
}

static const char *tune_name(const tune_sort *s, char *name, size_t room)
{
    const unsigned bits = s->type & 0xFF;
    if (s->top_k)
        snprintf(name, room, "top %zu of %zu row%s, %u bits", s->top_k, s->rows,
                 s->rows == 1 ? "" : "s", bits);
    else if (s->value_size)
        snprintf(name, room, "%u bits, values of %zu bytes", bits, s->value_size);
    else snprintf(name, room, "%u bits", bits);
    return name;
}

/* Up to how many elements a kind was measured. */
static void tune_print_range(const tune_sort *s, const tune_range *range)
{
    char name[64], reached[24] = "not at all";
    if (range->reached) snprintf(reached, sizeof reached, "%zu", range->reached);
    printf("  %-28s %11s %11zu%s%s\n", tune_name(s, name, sizeof name), reached, range->wanted,
           range->why ? "  " : "", range->why ? range->why : "");
}

/* What was measured and what was not, and what to do for the rest. */
static void tune_print_ranges(const tune_job *job)
{
    int i, none = 0, late = 0, part = 0;
    for (i = 0; i < TUNE_SORTS; i++) {
        const tune_range *range = &job->ranges[i];
        none += !range->reached;
        part += range->reached && range->why;
        late += range->why == tune_too_late;
    }
    if (none < TUNE_SORTS) {
        printf("\n  %-28s %11s %11s\n", "measured", "up to", "of");
        for (i = 0; i < TUNE_SORTS; i++) tune_print_range(&tune_sorts[i], &job->ranges[i]);
    }
    if (none + part)
        printf("Of %d kinds %d were not measured, and %d not up to the most elements.\n",
               TUNE_SORTS, none, part);
    if (late)
        puts("The time was up: more --seconds measure more. Kernels that are built stay in the\n"
             "cache, so that the next run has more time to measure.");
}

/* What all that is good for. */
static void tune_print_gain(const tune_job *job)
{
    clsort_choice c = clsort_choice_default();
    cl_uint i, measured = 0, gained = 0;
    for (i = 0; clsort_auto_choice(job->sorter, i, &c) == CL_SUCCESS; i++) {
        measured += (cl_uint)info_measured(&c);
        gained += (cl_uint)info_gains(&c);
    }
    if (gained)
        printf("\n%u of %u choices gain. Please send in what `clsort report` writes.\n",
               (unsigned)gained, (unsigned)measured);
    else if (measured)
        puts("\nNo gain here: what is built in sorts as fast, to 5 %, as the best that was found.");
}

/* All that was found, as tables. */
static void tune_print(const tune_job *job, const char *text)
{
    if (text) info_choices(job->sorter);
    if (text && job->how == TUNE_VERBOSE) tune_print_source(job->sorter, text);
    tune_print_ranges(job);
    tune_print_gain(job);
    if (job->build_ms > 1)
        printf("Built in %.1f s and measured in %.1f s.\n", job->build_ms / 1e3,
               job->measure_ms / 1e3);
}

static void tune_print_json(const tune_job *job, const char *text)
{
    char name[64];
    int i;
    json_begin();
    json_text("platform", job->session.info.platform_name);
    json_text("device", job->session.info.name);
    json_number("build_s", "%.3f", job->build_ms / 1e3);
    json_number("measure_s", "%.3f", job->measure_ms / 1e3);
    json_open("kinds", '[');
    for (i = 0; i < TUNE_SORTS; i++) {
        const tune_range *range = &job->ranges[i];
        json_open(NULL, '{');
        json_text("kind", tune_name(&tune_sorts[i], name, sizeof name));
        json_number("measured_to", "%zu", range->reached);
        json_number("of", "%zu", range->wanted);
        json_text("why_no_further", range->why ? range->why : "");
        json_close('}');
    }
    json_close(']');
    info_choices_json(job->sorter);
    json_text("for_clsort_load_choices", text ? text : "");
    json_end();
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Builds what AUTO takes for the first sort, and says how long all builds take by that. Returns an
   exit code. */
static int tune_first_build(tune_job *job)
{
    const double start = now_ms(), all = job->until - start;
    clsort_desc d = tune_describe(&tune_sorts[0], TUNE_FIRST);
    double ms, builds;
    int code;
    if (all < 1) return DONE_OK;
    d.keys = CLSORT_LATER;
    code = sorter_check(job->sorter, clsort_prepare(job->sorter, NULL, &d));
    ms = now_ms() - start;
    builds = TUNE_BUILDS * ms / 1e3;
    job->build_ms += ms;
    if (code != DONE_OK || job->how == TUNE_JSON) return code;
    if (ms < 50) puts("The first kernels are in a cache; others may be, too.");
    else
        printf("The first kernels took %.1f s to build: all may take %.0f s, once.\n", ms / 1e3,
               builds);
    if (builds > all / 1e3)
        printf("--seconds %.0f may be too few to measure much; what is built stays in the cache.\n",
               all / 1e3);
    fflush(stdout);
    return code;
}

/* Measures all sorts, each its share of the time. Returns an exit code. */
static int tune_all(tune_job *job, double most_ms)
{
    char *text;
    int i, code;
    if (job->how != TUNE_JSON)
        printf("This takes up to %.0f s, builds of kernels included. Builds of one algorithm are\n"
               "not cut short.\n", most_ms / 1e3);
    fflush(stdout);
    job->until = now_ms() + most_ms;
    code = tune_first_build(job);
    for (i = 0; i < TUNE_SORTS && code == DONE_OK; i++) {
        job->sort = &tune_sorts[i];
        code = tune_one(job, TUNE_SORTS - i, &job->ranges[i]);
    }
    progress("%s", "");
    if (code != DONE_OK) return code;
    code = tune_text(job->sorter, &text);
    if (code == DONE_OK && job->how == TUNE_JSON) tune_print_json(job, text);
    else if (code == DONE_OK) tune_print(job, text);
    free(text);
    return code;
}

/* Measures up to `most` elements on a device for about `most_ms`, builds included, and prints its
   choices. Returns an exit code. */
static int tune_device(const device_info *info, const clsort_options *options, double most_ms,
                       size_t most, int how)
{
    tune_job job;
    cl_int error = CL_SUCCESS;
    int code;
    memset(&job, 0, sizeof job);
    job.most = most;
    job.how = how;
    if (!device_open(info, &job.session))
        return fail(DONE_OPENCL, "%s: cannot be opened", info->name);
    job.queue = clCreateCommandQueue(job.session.context, info->id, 0, &error);
    code = cl_check(error, "clCreateCommandQueue");
    if (code == DONE_OK)
        code = cl_check(clsort_create(job.session.context, info->id, options, &job.sorter),
                        "clsort_create");
    if (code == DONE_OK) code = tune_all(&job, most_ms);
    clsort_destroy(job.sorter);
    if (job.queue) clReleaseCommandQueue(job.queue);
    device_close(&job.session);
    return code;
}

/* The device that is measured, for how long and up to how many elements. Returns an exit code. */
static int tune_options(const arguments *a, const char *name, const char *usual_seconds,
                        device_info *info, double *most_ms, size_t *most)
{
    const char *want = argument(a, OPTION_DEVICE, getenv("CLSORT_DEVICE"));
    unsigned long long seconds, n;
    if (!count_parse(argument(a, OPTION_SECONDS, usual_seconds), &seconds))
        return fail(DONE_USAGE, "%s: --seconds needs a whole number", name);
    if (!count_parse(argument(a, OPTION_COUNT, "2^24"), &n) || !n || n > UINT32_MAX)
        return fail(DONE_USAGE, "%s: -n needs a number from 1 to 2^32 - 1, not '%s'", name,
                    argument(a, OPTION_COUNT, ""));
    *most_ms = 1e3 * (double)seconds;
    *most = (size_t)n;
    return device_choose(want, info) ? DONE_OK : fail_no_device(want);
}

static void tune_print_device(const device_info *info)
{
    printf("%s: %s, clsort %d.%d.%d\n", info->platform_name, info->name, CLSORT_VERSION_MAJOR,
           CLSORT_VERSION_MINOR, CLSORT_VERSION_PATCH);
}

static int command_tune(const arguments *a)
{
    const clsort_options options = cached_options(a);
    device_info info;
    double most_ms = 0;
    size_t most = 0;
    int code = tune_options(a, "tune", "120", &info, &most_ms, &most);
    const int how = a->given[OPTION_JSON]      ? TUNE_JSON
                    : a->given[OPTION_VERBOSE] ? TUNE_VERBOSE
                                               : TUNE_TABLE;
    if (code != DONE_OK) return code;
    if (how != TUNE_JSON) tune_print_device(&info);
    return tune_device(&info, &options, most_ms, most, how);
}

#endif
