/* report.h - `clsort report`: one text about a device, to be sent in: what info, the self-test,
   tune and bench say of it.

   It begins without a cache and keeps nothing, so that AUTO is as it was built in. Messages go into
   the text, too: a report is wanted most where something fails. */

#ifndef CLSORT_TOOLS_REPORT_H
#define CLSORT_TOOLS_REPORT_H

#include <sys/utsname.h>

#include "bench.h"
#include "info.h"
#include "outputs.h"
#include "tune.h"

typedef struct report_job {
    device_info info;
    clsort_options options;
    size_t most;      /* elements */
    double part_ms;   /* of tune, and of bench */
} report_job;

typedef struct report_part {
    const char *name;
    int (*run)(const report_job *);
} report_part;

/* ---- parts ----------------------------------------------------------------------------------- */

static int report_device(const report_job *job)
{
    struct utsname system;
    if (uname(&system) >= 0) printf("%s %s, %s\n", system.sysname, system.release, system.machine);
    tune_print_device(&job->info);
    return info_device(&job->info, &job->options, INFO_VERBOSE);
}

static void report_hear(void *user, clsort_status status, const char *function,
                        const char *message)
{
    (void)user, (void)status, (void)function;
    puts(message);
}

static int report_self_test(const report_job *job)
{
    clsort_options options = job->options;
    device_session session;
    clsort_sorter *sorter = NULL;
    double start;
    int code;
    options.diagnostic = report_hear;   /* of each algorithm that fails */
    if (!device_open(&job->info, &session))
        return fail(DONE_OPENCL, "%s: cannot be opened", job->info.name);
    code = cl_check(clsort_create(session.context, job->info.id, &options, &sorter),
                    "clsort_create");
    start = now_ms();
    if (code == DONE_OK) code = sorter_check(sorter, clsort_self_test(sorter));
    printf("%s after %.1f s\n", code == DONE_OK ? "passed" : "failed", (now_ms() - start) * 1e-3);
    clsort_destroy(sorter);
    device_close(&session);
    return code;
}

static int report_tune(const report_job *job)
{
    return tune_device(&job->info, &job->options, job->part_ms, job->most, TUNE_VERBOSE);
}

/* AUTO and what it may take, at the counts of tune, as `bench` times it. */
static int report_bench(const report_job *job)
{
    static arguments a;
    static bench_plan plan;
    static char counts[REPEAT_MAX][24];
    size_t n = 0;
    int i, code;
    for (i = 0; n < job->most; i++) {
        n = tune_next(n, job->most);
        snprintf(counts[i], sizeof counts[i], "%zu", n);
        a.value[OPTION_COUNT][i] = counts[i];
    }
    a.given[OPTION_COUNT] = i;
    a.given[OPTION_TYPE] = a.given[OPTION_ALGORITHM] = a.given[OPTION_RUNS] = 1;
    a.value[OPTION_TYPE][0] = "u32,u64";
    a.value[OPTION_ALGORITHM][0]
        = "auto,merge,radix,radix-portable,radix-samples,radix-hybrid,bitonic";
    a.value[OPTION_RUNS][0] = "5";
    code = plan_parse(&a, &plan);
    plan.until = now_ms() + job->part_ms;
    if (code == DONE_OK) code = bench_device(&plan, &job->info);
    if (is_too_late(&plan)) puts("The time was up: more --seconds may bring more rows.");
    order_free(&plan.order);
    return code;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Writes a part to a file, with all messages. Returns an exit code. */
static int report_write(const report_part *part, const report_job *job, FILE *file)
{
    const int out = dup(STDOUT_FILENO), messages = dup(STDERR_FILENO);
    int code = DONE_OK;
    if (file != stdout) progress("%s", part->name);
    fflush(stdout);
    if (out < 0 || messages < 0 || dup2(fileno(file), STDOUT_FILENO) < 0
        || dup2(fileno(file), STDERR_FILENO) < 0)
        code = fail(DONE_IO, "report: %s", strerror(errno));
    if (code == DONE_OK) printf("==== %s\n", part->name);
    if (code == DONE_OK) code = part->run(job);
    putchar('\n');
    fflush(stdout);
    if (out >= 0) dup2(out, STDOUT_FILENO), close(out);
    if (messages >= 0) dup2(messages, STDERR_FILENO), close(messages);
    if (file != stdout) progress("%s", "");
    return code;
}

/* Writes all parts, whatever fails. Returns an exit code. */
static int report_parts(const arguments *a, const report_job *job, FILE *file)
{
    static const report_part parts[] = { { "device", report_device },
                                         { "self-test", report_self_test },
                                         { "tune", report_tune },
                                         { "bench", report_bench } };
    size_t i;
    int code = DONE_OK;
    for (i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        int this_code;
        if (parts[i].run == report_self_test && a->given[OPTION_NO_SELF_TEST]) continue;
        this_code = report_write(&parts[i], job, file);
        if (this_code != DONE_OK) code = this_code;
        if (this_code != DONE_OK) warn("report: %s failed; the report says how", parts[i].name);
    }
    return code;
}

static int command_report(const arguments *a)
{
    const key_array nothing = keys_none(NULL, 1);   /* the parts write by themselves */
    report_job job;
    double most_ms = 0;
    int found = DONE_OK, code;
    memset(&job, 0, sizeof job);
    job.options = clsort_options_default();
    code = tune_options(a, "report", "60", &job.info, &most_ms, &job.most);
    if (code != DONE_OK) return code;
    job.part_ms = most_ms / 2;
    code = outputs_open(a);
    outputs[OUTPUT_KEYS].array = &nothing;
    if (code == DONE_OK) found = report_parts(a, &job, outputs[OUTPUT_KEYS].file);
    code = outputs_finish(a, code);
    return code == DONE_OK ? found : code;
}

#endif
