/* tune.h - `clsort tune`: measures on a device what AUTO's table assumes, and prints the table's
   rows as they are best there.

   For each row of clsort__crossovers that is for this kind of device, random keys of growing counts
   are sorted by each method, in turns. The best thresholds are those with which the mean of
   log(time / best time) over all counts is least. Thresholds that gain less than 2 % stay as they
   are. At the largest count, other numbers of work-items and of keys per work-item follow. */

#ifndef CLSORT_TOOLS_TUNE_H
#define CLSORT_TOOLS_TUNE_H

#include <math.h>

#include "bench.h"

enum { TUNE_BITONIC, TUNE_MERGE, TUNE_RADIX, TUNE_HYBRID, TUNE_SAMPLES, TUNE_METHODS };
enum {
    TUNE_LOG2_FIRST = 8,
    TUNE_LOG2_LAST = 24,
    TUNE_SIZES = TUNE_LOG2_LAST - TUNE_LOG2_FIRST + 1
};
enum { TUNE_RUNS = 15, TUNE_SHAPES = 4 };

/* A row under measurement. Times are in ms; 0: cannot be done, HUGE_VAL: too slow to be taken. */
typedef struct tune_job {
    device_session session;
    cl_command_queue queue;
    clsort_sorter *sorter;
    const struct clsort__crossover *row;
    const char *methods[TUNE_METHODS];
    cl_mem keys, keys_out, values, values_out, result;
    double ms[TUNE_SIZES][TUNE_METHODS];
    int sizes;                   /* that were measured */
} tune_job;

static size_t tune_count(int size) { return (size_t)1 << (TUNE_LOG2_FIRST + size); }

static cl_uint tune_type(const tune_job *job)
{
    return job->row->bits == 16 ? CLSORT_U16 : job->row->bits == 32 ? CLSORT_U32 : CLSORT_U64;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static clsort_desc tune_describe(const tune_job *job, size_t n, const char *method)
{
    clsort_desc d = clsort_desc_default();
    d.count = n;
    d.key_type = tune_type(job);
    d.keys = job->keys;
    d.keys_out = job->keys_out;
    if (job->row->payload != 1) {
        d.values = job->values;
        d.values_out = job->values_out;
        d.value_size = 4;
    }
    if (method) clsort_set_algorithm(&d, method);
    return d;
}

/* One sort, from the call to the end of the queue. Returns an exit code. */
static int tune_run(const tune_job *job, const clsort_desc *d, double *ms)
{
    const double start = now_ms();
    int code = sorter_check(job->sorter, clsort_enqueue_sort(job->sorter, job->queue, d, 0, NULL,
                                                             NULL));
    if (code == DONE_OK) code = cl_check(clFinish(job->queue), "clFinish");
    *ms = now_ms() - start;
    return code;
}

/* The first run, whose result is checked. Returns an exit code. */
static int tune_first_run(const tune_job *job, const clsort_desc *d)
{
    clsort_desc out = *d;
    cl_uint unsorted = 0;
    double ms;
    int code = tune_run(job, d, &ms);
    out.keys = d->keys_out;
    out.keys_out = NULL;
    if (code == DONE_OK)
        code = sorter_check(job->sorter,
                            clsort_enqueue_is_sorted(job->sorter, job->queue, &out, job->result, 0,
                                                     0, NULL, NULL));
    if (code == DONE_OK)
        code = cl_check(clEnqueueReadBuffer(job->queue, job->result, CL_TRUE, 0, 4, &unsorted, 0,
                                            NULL, NULL),
                        "clEnqueueReadBuffer");
    if (code == DONE_OK && unsorted != d->count)
        code = fail(DONE_WRONG, "tune: wrong result at element %u of %zu", (unsigned)unsorted,
                    d->count);
    return code;
}

/* The medians of sorts that take turns; count is at most TUNE_METHODS + 1. One that this device
   cannot do has 0. Those with HUGE_VAL are left out. Returns an exit code. */
static int tune_turns(const tune_job *job, const clsort_desc *d, int count, double *ms)
{
    double times[TUNE_METHODS + 1][TUNE_RUNS];
    const double start = now_ms();
    int i, run, code = DONE_OK;
    for (i = 0; i < count && code == DONE_OK; i++) {
        if (isinf(ms[i])) continue;
        ms[i] = clsort_prepare(job->sorter, job->queue, &d[i]) == CL_SUCCESS;
        if (ms[i] > 0) code = tune_first_run(job, &d[i]);
    }
    for (run = 0; run < TUNE_RUNS && code == DONE_OK; run++) {
        for (i = 0; i < count && code == DONE_OK; i++)
            if (ms[i] > 0 && !isinf(ms[i])) code = tune_run(job, &d[i], &times[i][run]);
        if (run >= 4 && now_ms() - start > 150) break;
    }
    run -= run == TUNE_RUNS;
    for (i = 0; i < count && code == DONE_OK; i++)
        if (ms[i] > 0 && !isinf(ms[i])) ms[i] = median(times[i], run + 1);
    return code;
}

static double tune_least(const double *ms)
{
    double least = HUGE_VAL;
    int m;
    for (m = 0; m < TUNE_METHODS; m++)
        if (ms[m] > 0 && ms[m] < least) least = ms[m];
    return least;
}

/* Measures one count by all methods. Bitonic and merge are left out from where they take four times
   as long as another. Returns an exit code. */
static int tune_size(tune_job *job, int size)
{
    clsort_desc d[TUNE_METHODS];
    double *ms = job->ms[size];
    int m;
    for (m = 0; m < TUNE_METHODS; m++) {
        const double *before = size ? job->ms[size - 1] : NULL;
        d[m] = tune_describe(job, tune_count(size), job->methods[m]);
        ms[m] = before && m <= TUNE_MERGE && before[m] > 4 * tune_least(before) ? HUGE_VAL : 0;
    }
    progress("%u bits, n = 2^%d", (unsigned)job->row->bits, TUNE_LOG2_FIRST + size);
    return tune_turns(job, d, TUNE_METHODS, ms);
}

/* ---- thresholds ------------------------------------------------------------------------------ */

/* The method that AUTO takes with a row's thresholds. */
static int tune_choice(const struct clsort__crossover *row, size_t n, const double *ms)
{
    const int radix = n >= row->hybrid && ms[TUNE_HYBRID] > 0 ? TUNE_HYBRID : TUNE_RADIX;
    const int orders[3][3] = { { radix, TUNE_MERGE, TUNE_BITONIC },
                               { TUNE_BITONIC, radix, TUNE_MERGE },
                               { TUNE_MERGE, radix, TUNE_BITONIC } };
    const int *order = orders[n >= row->radix ? 0 : n <= row->bitonic ? 1 : 2];
    int i = 0;
    if (clsort__are_samples_best(row, n) && ms[TUNE_SAMPLES] > 0) return TUNE_SAMPLES;
    while (i < 2 && !(ms[order[i]] > 0)) i++;
    return order[i];
}

/* The mean of log(time / least time) with a row's thresholds; what is too slow counts as 8. */
static double tune_loss(const tune_job *job, const struct clsort__crossover *row)
{
    double sum = 0;
    int i;
    for (i = 0; i < job->sizes; i++) {
        const double *ms = job->ms[i], ratio = ms[tune_choice(row, tune_count(i), ms)]
                                               / tune_least(ms);
        sum += log(ratio < 8 ? ratio : 8);
    }
    return job->sizes ? sum / job->sizes : 0;
}

/* The threshold number `place`: 0, the counts that were measured, never. */
static cl_uint tune_threshold(const tune_job *job, int place)
{
    return !place ? 0 : place > job->sizes ? 0xFFFFFFFFu : (cl_uint)tune_count(place - 1);
}

/* Takes a row's thresholds as the best ones if they lose less. */
static void tune_take(const tune_job *job, const struct clsort__crossover *row, double *least,
                      struct clsort__crossover *best)
{
    const double loss = tune_loss(job, row);
    if (loss >= *least) return;
    *least = loss;
    *best = *row;
}

/* The thresholds with the least loss; those of the table if they lose at most 2 % more. */
static struct clsort__crossover tune_best(const tune_job *job)
{
    struct clsort__crossover best = *job->row, row = best;
    double least = tune_loss(job, &best) - 0.02;
    const int most = job->sizes + 1;
    int bitonic, radix, hybrid, samples;
    for (bitonic = 0; bitonic <= most; bitonic++)
        for (radix = 1; radix <= most; radix++)
            for (hybrid = radix; hybrid <= most; hybrid++)
                for (samples = 0; samples <= most; samples++) {
                    row.bitonic = tune_threshold(job, bitonic);
                    row.radix = tune_threshold(job, radix);
                    row.hybrid = tune_threshold(job, hybrid);
                    row.samples = tune_threshold(job, samples);
                    tune_take(job, &row, &least, &best);
                }
    return best;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void tune_print_times(const tune_job *job)
{
    int i, m;
    printf("\n%u bits%s, ms", (unsigned)job->row->bits, job->row->payload == 1 ? "" : " + 4 bytes");
    for (m = 0; m < TUNE_METHODS; m++) printf(" %14s", job->methods[m]);
    puts("  AUTO / best");
    for (i = 0; i < job->sizes; i++) {
        const double *ms = job->ms[i], least = tune_least(ms);
        const double ratio = ms[tune_choice(job->row, tune_count(i), ms)] / least;
        printf("2^%-*d", job->row->payload == 1 ? 9 : 19, TUNE_LOG2_FIRST + i);
        for (m = 0; m < TUNE_METHODS; m++)
            if (ms[m] > 0 && !isinf(ms[m])) printf(" %14.4f", ms[m]);
            else printf(" %14s", "-");
        printf("  %.2f%s\n", ratio, ratio > 1.05 ? " *" : "");
    }
}

static const char *tune_threshold_text(cl_uint threshold, char *text, size_t room)
{
    int log2 = 0;
    while (threshold >> log2 > 1) log2++;
    if (!threshold) return "0";
    if (threshold == 0xFFFFFFFFu) return "CLSORT__NEVER";
    snprintf(text, room, "1u << %d", log2);
    return text;
}

static void tune_print_row(const struct clsort__crossover *row)
{
    static const char *const devices[] = { "CLSORT__NVIDIA", "CLSORT__OTHER_GPU", "CLSORT__MERGE_GPU",
                                           "CLSORT__CPU_ROWS", "CLSORT__CPU" };
    char text[4][24];
    printf("    { %s, %d, %u, %s, %s, %s, %s },", devices[row->device], row->payload,
           (unsigned)row->bits, tune_threshold_text(row->bitonic, text[0], sizeof text[0]),
           tune_threshold_text(row->radix, text[1], sizeof text[1]),
           tune_threshold_text(row->hybrid, text[2], sizeof text[2]),
           tune_threshold_text(row->samples, text[3], sizeof text[3]));
}

/* The best row, and what it gains over the one of the table. Where the time was up before its first
   count, the table's row stays, and nothing is said of it. */
static void tune_print_best(const tune_job *job)
{
    const struct clsort__crossover best = tune_best(job);
    const double now = exp(tune_loss(job, job->row)), then = exp(tune_loss(job, &best));
    const int last = TUNE_LOG2_FIRST + job->sizes - 1;
    tune_print_row(&best);
    if (!job->sizes) {
        puts("   /* not measured */");
        return;
    }
    if (memcmp(&best, job->row, sizeof best))
        printf("   /* AUTO now takes %.2f x the best method's time up to 2^%d, then %.2f x */\n",
               now, last, then);
    else printf("   /* as now: %.2f x the best method's time up to 2^%d */\n", now, last);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Half and twice of what AUTO takes: of its keys per work-item, then of its work-items. The ones
   that this device does not take stay without an effect. */
static clsort_tuning tune_shape(const clsort_tuning *used, int shape)
{
    clsort_tuning t = *used;
    if (shape == 0) t.items = used->items / 2;
    if (shape == 1) t.items = used->items * 2;
    if (shape == 2) t.work_group = used->work_group / 2;
    if (shape == 3) t.work_group = used->work_group * 2;
    return t;
}

/* Measures AUTO beside other shapes at the largest count. Returns an exit code. */
static int tune_shapes(const tune_job *job)
{
    clsort_desc d[1 + TUNE_SHAPES], used, other;
    double ms[1 + TUNE_SHAPES] = { 0 };
    char text[2000] = "", name[64] = "";
    int i, count = 1, code;
    if (!job->sizes) return DONE_OK;
    d[0] = used = other = tune_describe(job, tune_count(job->sizes - 1), NULL);
    code = sorter_check(job->sorter, clsort_resolve(job->sorter, &d[0], &used));
    if (code == DONE_OK)
        code = sorter_check(job->sorter, clsort_explain(job->sorter, &d[0], text, sizeof text));
    for (i = 0; i < TUNE_SHAPES; i++) {
        d[count] = d[0];
        d[count].tuning = tune_shape(&used.tuning, i);
        if (clsort_resolve(job->sorter, &d[count], &other) == CL_SUCCESS
            && memcmp(&other.tuning, &used.tuning, sizeof used.tuning)) count++;
    }
    if (code == DONE_OK) code = tune_turns(job, d, count, ms);
    if (code != DONE_OK) return code;
    sscanf(text, "algorithm %63s", name);
    printf("\n%s, %u bits, n = 2^%d: work-group %u, items %u: %.4f ms\n", name,
           (unsigned)job->row->bits, TUNE_LOG2_FIRST + job->sizes - 1,
           (unsigned)used.tuning.work_group, (unsigned)used.tuning.items, ms[0]);
    for (i = 1; i < count; i++)
        if (ms[i] > 0)
            printf("    work-group %u, items %u: %.2f x the time%s\n",
                   (unsigned)d[i].tuning.work_group, (unsigned)d[i].tuning.items, ms[i] / ms[0],
                   ms[i] * 1.05 < ms[0] ? " *" : "");
    return DONE_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Makes the buffers of a row and fills its keys. Returns an exit code. */
static int tune_buffers(tune_job *job)
{
    const cl_uint type = tune_type(job);
    const size_t bytes = pattern_key_size(type) << TUNE_LOG2_LAST;
    cl_mem *const memory[] = { &job->keys_out, &job->values, &job->values_out, &job->result };
    cl_int code = CL_SUCCESS;
    int i;
    void *keys = malloc(bytes);
    if (!keys) return fail(DONE_IO, "tune: %s", strerror(ENOMEM));
    pattern_fill(pattern_find("uniform"), type, (size_t)1 << TUNE_LOG2_LAST, 1, 0, keys);
    job->keys = clCreateBuffer(job->session.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                               bytes, keys, &code);
    for (i = 0; i < 4 && code == CL_SUCCESS; i++)
        *memory[i] = clCreateBuffer(job->session.context, CL_MEM_READ_WRITE,
                                    i ? (size_t)4 << TUNE_LOG2_LAST : bytes, NULL, &code);
    free(keys);
    return cl_check(code, "clCreateBuffer");
}

static void tune_release(tune_job *job)
{
    cl_mem *const memory[] = { &job->keys, &job->keys_out, &job->values, &job->values_out,
                               &job->result };
    int i;
    for (i = 0; i < 5; i++) {
        if (*memory[i]) clReleaseMemObject(*memory[i]);
        *memory[i] = NULL;
    }
}

/* Measures a row until `most_ms` have passed, at least one count. Returns an exit code. */
static int tune_row(tune_job *job, double most_ms)
{
    double start;
    int code;
    job->sizes = 0;
    if (most_ms <= 0) return DONE_OK;
    code = tune_buffers(job);
    start = now_ms();
    while (code == DONE_OK && job->sizes < TUNE_SIZES && now_ms() - start < most_ms) {
        code = tune_size(job, job->sizes);
        if (code == DONE_OK && !isinf(tune_least(job->ms[job->sizes]))) job->sizes++;
        else break;
    }
    progress("%s", "");
    if (code == DONE_OK && job->sizes) tune_print_times(job);
    return code;
}

/* Measures the table's rows of this device, each its share of the time. Returns an exit code. */
static int tune_rows(tune_job *job, double most_ms)
{
    enum { ROWS = sizeof clsort__crossovers / sizeof *clsort__crossovers };
    static tune_job done[ROWS];
    const clsort_desc d = tune_describe(job, 1, NULL);
    const int device = clsort__find_crossover(job->sorter, &d).device;
    const double start = now_ms();
    int i, rows = 0, measured = 0, code = DONE_OK;
    for (i = 0; i < ROWS; i++) rows += clsort__crossovers[i].device == device;
    for (i = 0; i < ROWS && code == DONE_OK; i++) {
        if (clsort__crossovers[i].device != device) continue;
        job->row = &clsort__crossovers[i];
        code = tune_row(job, (most_ms - (now_ms() - start)) / (rows - measured));
        if (code == DONE_OK && job->row->bits == 32 && job->row->payload == 1)
            code = tune_shapes(job);
        done[measured++] = *job;
        tune_release(job);
    }
    if (code == DONE_OK) puts("\nRows of clsort__crossovers in clsort.h, as they are best here:");
    for (i = 0; i < measured && code == DONE_OK; i++) tune_print_best(&done[i]);
    return code;
}

static void tune_methods(tune_job *job, const device_info *info)
{
    job->row = clsort__crossovers;
    job->methods[TUNE_BITONIC] = "bitonic";
    job->methods[TUNE_MERGE] = "merge";
    job->methods[TUNE_RADIX] = job->sorter && job->sorter->has_progress ? "radix-sweeps"
                                                                        : "radix-portable";
    job->methods[TUNE_HYBRID] = info->type & CL_DEVICE_TYPE_CPU ? "radix-cached" : "radix-hybrid";
    job->methods[TUNE_SAMPLES] = "radix-samples";
}

static int command_tune(const arguments *a)
{
    device_info info;
    tune_job job;
    cl_int error = CL_SUCCESS;
    unsigned long long seconds;
    int code;
    memset(&job, 0, sizeof job);
    if (!count_parse(argument(a, OPTION_SECONDS, "50"), &seconds))
        return fail(DONE_USAGE, "tune: --seconds needs a whole number");
    if (!device_choose(argument(a, OPTION_DEVICE, getenv("CLSORT_DEVICE")), &info)
        || !device_open(&info, &job.session))
        return fail(DONE_OPENCL, "tune: there is no such device, or it cannot be opened");
    job.queue = clCreateCommandQueue(job.session.context, info.id, 0, &error);
    code = cl_check(error, "clCreateCommandQueue");
    if (code == DONE_OK)
        code = cl_check(clsort_create(job.session.context, info.id, NULL, &job.sorter),
                        "clsort_create");
    tune_methods(&job, &info);
    printf("%s: %s, clsort %d.%d.%d\n", info.platform_name, info.name, CLSORT_VERSION_MAJOR,
           CLSORT_VERSION_MINOR, CLSORT_VERSION_PATCH);
    if (code == DONE_OK) code = tune_rows(&job, 1e3 * (double)seconds);
    clsort_destroy(job.sorter);
    if (job.queue) clReleaseCommandQueue(job.queue);
    device_close(&job.session);
    return code;
}

#endif
