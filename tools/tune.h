/* tune.h - `clsort tune`: lets clsort_measure measure what AUTO should take on a device, and prints
   its choices.

   Each kind of keys and payload is measured up to 2^12 elements, which builds its kernels, then up
   to 2^16, 2^20 and 2^24 (or -n) as far as its share of the time goes. What was measured is kept in
   the cache, where the other commands find it. */

#ifndef CLSORT_TOOLS_TUNE_H
#define CLSORT_TOOLS_TUNE_H

#include "bench.h"
#include "info.h"
#include "session.h"

enum { TUNE_FIRST = 1 << 12, TUNE_FACTOR = 16, TUNE_KINDS = 9 };

typedef struct tune_job {
    device_session session;
    cl_command_queue queue;
    clsort_sorter *sorter;
    cl_uint kind;               /* number of the choice that is measured */
    size_t count, most;
} tune_job;

/* What a choice is for: values go to another array. */
static clsort_desc tune_describe(cl_uint kind, size_t n)
{
    static const cl_uint types[3] = { CLSORT_U16, CLSORT_U32, CLSORT_U64 };
    clsort_desc d = clsort_desc_default();
    d.count = n;
    d.key_type = types[kind / 3];
    d.value_size = 4 * (kind % 3);
    if (d.value_size) d.flags = CLSORT_FLAG_KEYS_OUT | CLSORT_FLAG_VALUES_OUT;
    return d;
}

static int tune_shows(void *user, cl_uint done, cl_uint total)
{
    const tune_job *job = (const tune_job *)user;
    const clsort_desc d = tune_describe(job->kind, job->count);
    progress("%u bits, values of %zu bytes, up to %zu: %u %%", (unsigned)(d.key_type & 0xFF),
             d.value_size, d.count, (unsigned)(100 * done / total));
    return 0;
}

/* The number of elements to measure after `n` of them; 0: none yet. */
static size_t tune_next(size_t n, size_t most)
{
    const size_t next = !n ? TUNE_FIRST : n < most / TUNE_FACTOR ? n * TUNE_FACTOR : most;
    return next < most ? next : most;
}

/* Measures a kind, more and more elements: the fewest if it takes no more than `all_ms`, others
   until `most_ms` have passed. Returns an exit code. */
static int tune_kind(tune_job *job, double all_ms, double most_ms)
{
    const double start = now_ms();
    size_t n = 0;
    while (n < job->most) {
        const double left = (n ? most_ms : all_ms) - (now_ms() - start);
        const clsort_desc d = tune_describe(job->kind, tune_next(n, job->most));
        clsort_measure_desc m = clsort_measure_desc_default();
        clsort_status status;
        if (left < 1) break;
        job->count = n = d.count;
        m.sort = &d;
        m.max_ms = (cl_uint)left;
        m.progress = tune_shows;
        m.user = job;
        status = clsort_measure(job->sorter, job->queue, &m);
        if (status == CLSORT_ERROR_OUT_OF_TIME || status == CL_MEM_OBJECT_ALLOCATION_FAILURE) break;
        if (status != CL_SUCCESS) return sorter_check(job->sorter, status);
    }
    return DONE_OK;
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
    printf("    { %s, %d, %u, %s, %s, %s, %s },\n",
           info_rows(sorter), payloads[c->payload], (unsigned)c->bits, at[0], at[1], at[2], at[3]);
}

/* The choices as a table, as rows and as a text that programs can load. Returns an exit code. */
static int tune_print(clsort_sorter *sorter)
{
    char text[8000];
    size_t bytes = 0;
    cl_uint i;
    int code = sorter_check(sorter, clsort_save_choices(sorter, text, sizeof text, &bytes));
    progress("%s", "");
    info_choices(sorter);
    if (code != DONE_OK || bytes < 2) {
        puts("\nNothing was measured: allow more --seconds.");
        return code;
    }
    puts("\nRows of clsort__crossovers in clsort.h, for what was measured:");
    for (i = 0; i < TUNE_KINDS; i++) {
        clsort_choice c = clsort_choice_default();
        code = sorter_check(sorter, clsort_auto_choice(sorter, i, &c));
        if (code != DONE_OK) return code;
        if (c.origin >= CLSORT_ORIGIN_LOADED) tune_print_row(sorter, &c);
    }
    printf("\nFor clsort_load_choices:\n%s", text);
    return DONE_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Measures all kinds, each its share of the time. Returns an exit code. */
static int tune_kinds(tune_job *job, double most_ms)
{
    /* What is sorted most comes first. */
    static const cl_uint order[TUNE_KINDS] = { 3, 4, 6, 0, 7, 5, 1, 8, 2 };
    const double start = now_ms();
    int i, code = DONE_OK;
    for (i = 0; i < TUNE_KINDS && code == DONE_OK; i++) {
        const double left = most_ms - (now_ms() - start);
        job->kind = order[i];
        code = tune_kind(job, left, left / (TUNE_KINDS - i));
    }
    return code == DONE_OK ? tune_print(job->sorter) : code;
}

/* Measures up to `most` elements on a device for about `most_ms`, and prints its choices. Returns
   an exit code. */
static int tune_device(const device_info *info, const clsort_options *options, double most_ms,
                       size_t most)
{
    tune_job job;
    cl_int error = CL_SUCCESS;
    int code;
    memset(&job, 0, sizeof job);
    job.most = most;
    if (!device_open(info, &job.session))
        return fail(DONE_OPENCL, "%s: cannot be opened", info->name);
    job.queue = clCreateCommandQueue(job.session.context, info->id, 0, &error);
    code = cl_check(error, "clCreateCommandQueue");
    if (code == DONE_OK)
        code = cl_check(clsort_create(job.session.context, info->id, options, &job.sorter),
                        "clsort_create");
    if (code == DONE_OK) code = tune_kinds(&job, most_ms);
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
        return fail(DONE_USAGE, "%s: -n needs a number from 1 to 2^32 - 1", name);
    *most_ms = 1e3 * (double)seconds;
    *most = (size_t)n;
    return device_choose(want, info) ? DONE_OK
                                     : fail(DONE_OPENCL, "no OpenCL device%s%s",
                                            want ? " has a name with " : "", want ? want : "");
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
    int code = tune_options(a, "tune", "50", &info, &most_ms, &most);
    if (code != DONE_OK) return code;
    tune_print_device(&info);
    return tune_device(&info, &options, most_ms, most);
}

#endif
