/* tune.h - `clsort tune`: lets clsort_measure measure what AUTO should take on a device, and prints
   its choices.

   Each kind of keys and payload is measured up to 2^12 elements, which builds its kernels, then up
   to 2^16, 2^20 and 2^24 (or -n) as far as its share of the time goes. What was measured is kept in the cache, where the other commands find
   it. */

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

/* Measures a kind, more and more elements: the fewest if it takes no more than `all_ms`, others
   until `most_ms` have passed. Returns an exit code. */
static int tune_kind(tune_job *job, double all_ms, double most_ms)
{
    const double start = now_ms();
    size_t n = 0;
    while (n < job->most) {
        const double left = (n ? most_ms : all_ms) - (now_ms() - start);
        const size_t next = n ? n * TUNE_FACTOR : TUNE_FIRST;
        const clsort_desc d = tune_describe(job->kind, next < job->most ? next : job->most);
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
static void tune_print_row(const clsort_sorter *sorter, cl_uint kind, const clsort_choice *c)
{
    static const char *const devices[] = { "CLSORT__NVIDIA", "CLSORT__OTHER_GPU", "CLSORT__MERGE_GPU",
                                           "CLSORT__CPU_ROWS", "CLSORT__CPU" };
    static const int payloads[3] = { 1, 2, 0 };
    const clsort_desc d = tune_describe(kind, 1);
    const cl_uint thresholds[4] = { c->bitonic_most, c->radix_least, c->hybrid_least, c->few_most };
    char text[4][24];
    const char *at[4];
    int i;
    for (i = 0; i < 4; i++) at[i] = tune_threshold_text(thresholds[i], text[i], sizeof text[i]);
    printf("    { %s, %d, %u, %s, %s, %s, %s },\n",
           devices[clsort__built_in_crossover(sorter, &d).device], payloads[c->payload],
           (unsigned)c->bits, at[0], at[1], at[2], at[3]);
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
        if (c.origin >= CLSORT_ORIGIN_LOADED) tune_print_row(sorter, i, &c);
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

static int command_tune(const arguments *a)
{
    const clsort_options options = cached_options(a);
    device_info info;
    tune_job job;
    cl_int error = CL_SUCCESS;
    unsigned long long seconds, most;
    int code;
    memset(&job, 0, sizeof job);
    if (!count_parse(argument(a, OPTION_SECONDS, "50"), &seconds))
        return fail(DONE_USAGE, "tune: --seconds needs a whole number");
    if (!count_parse(argument(a, OPTION_COUNT, "2^24"), &most) || most > UINT32_MAX)
        return fail(DONE_USAGE, "tune: -n needs a number below 2^32");
    job.most = (size_t)most;
    if (!device_choose(argument(a, OPTION_DEVICE, getenv("CLSORT_DEVICE")), &info)
        || !device_open(&info, &job.session))
        return fail(DONE_OPENCL, "tune: there is no such device, or it cannot be opened");
    job.queue = clCreateCommandQueue(job.session.context, info.id, 0, &error);
    code = cl_check(error, "clCreateCommandQueue");
    if (code == DONE_OK)
        code = cl_check(clsort_create(job.session.context, info.id, &options, &job.sorter),
                        "clsort_create");
    printf("%s: %s, clsort %d.%d.%d\n", info.platform_name, info.name, CLSORT_VERSION_MAJOR,
           CLSORT_VERSION_MINOR, CLSORT_VERSION_PATCH);
    if (code == DONE_OK) code = tune_kinds(&job, 1e3 * (double)seconds);
    clsort_destroy(job.sorter);
    if (job.queue) clReleaseCommandQueue(job.queue);
    device_close(&job.session);
    return code;
}

#endif
