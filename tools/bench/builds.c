/* builds.c - how long a device's compiler takes for each kind of sort, with nothing in its cache.

     make build/builds
     build/builds [--only NAME]... [--keys BYTES]... [--limit SECONDS] [--one-in COUNT]
         [--seed SEED]

   Each case is one clsort_prepare in a process of its own that has a context, with an empty folder
   for PoCL's cache and without NVIDIA's; Intel's runtime for CPUs keeps none. Times are seconds of
   CPU, so that what else runs on the machine changes little. A case that exceeds the limit
   (default: 30) is stopped.

   One line per payload, one column per kind of sort: first those that AUTO chooses, whose names
   begin with "auto", then the algorithms by name. "-": not possible. --only: the columns whose name
   holds NAME. --keys: of so many bytes. --one-in: one of so many cases, drawn from SEED (default:
   1). CLSORT_DEVICE names the device. Ends with "N passed, N failed"; a case beyond the limit has
   failed. */

#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CLSORT_STATIC
#define CLSORT_IMPLEMENTATION
#include "../../clsort.h"

#include <ftw.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"
#include "sample.h"

enum { NAMES_MAX = 16 };
enum { SKIPPED = -1, IMPOSSIBLE = -2, FAILED = -3 };

/* What the command line asks for. */
typedef struct build_plan {
    const char *only[NAMES_MAX], *keys[NAMES_MAX];
    size_t only_count, keys_count;
    uint64_t limit, one_in, seed;
} build_plan;

/* What is sorted: keys alone, or with values or their indices, or records. A line of the table. */
enum { BARE, VALUES, INDICES, RECORDS };
typedef struct payload { cl_uint type; size_t key_bytes, bytes; int kind; } payload;

/* A kind of sort: a column of the table. */
typedef struct kind {
    const char *name, *algorithm;
    size_t count, rows, segments, k;
    cl_uint stable;
} kind;

static const kind kinds[] = {
    { "auto-many", "auto", 1 << 23, 0, 0, 0, 0 },  { "auto-few", "auto", 1000, 0, 0, 0, 0 },
    { "auto-stable", "auto", 1000, 0, 0, 0, 1 },   { "auto-rows", "auto", 2000, 64, 0, 0, 0 },
    { "auto-parts", "auto", 1 << 20, 0, 500, 0, 0 }, { "auto-top", "auto", 1 << 14, 8, 0, 40, 0 },
    { "bitonic", "bitonic", 1 << 20, 0, 0, 0, 0 }, { "merge", "merge", 1 << 20, 0, 0, 0, 0 },
    { "radix", "radix", 1 << 20, 0, 0, 0, 0 },     { "quicksort", "quicksort", 1 << 20, 0, 0, 0, 0 }
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct build_run {
    build_plan plan;
    sample_draw drawn;
    int passed, failed;
    double slowest;
    char where[80];   /* the slowest case */
} build_run;

/* ---- a case ---------------------------------------------------------------------------------- */

static clsort_desc describe(const payload *p, const kind *k)
{
    clsort_desc d = clsort_desc_default();
    clsort_set_algorithm(&d, k->algorithm);
    d.key_type = p->type;
    d.count = k->count;
    d.rows = k->rows;
    d.segment_count = k->segments;
    d.top_k = k->k;
    d.stable = k->stable;
    if (p->kind == VALUES) d.value_size = p->bytes;
    if (p->kind == RECORDS) d.record_size = p->bytes;
    if (p->kind == INDICES) d.indices = CLSORT_LATER;
    else if (k->k) d.keys_out = CLSORT_LATER;
    if (k->k && p->kind == VALUES) d.values_out = CLSORT_LATER;
    return d;
}

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

/* Seconds of CPU of this process and of those that it started. */
static double used_seconds(void)
{
    struct rusage own, started;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &started);
    return seconds(own.ru_utime) + seconds(own.ru_stime) + seconds(started.ru_utime)
           + seconds(started.ru_stime);
}

/* In a process of its own, whose exit status this is: 0 done, 1 failed, 2 not possible. Writes the
   seconds that it took to `pipe`. */
static int build(const payload *p, const kind *k, int pipe)
{
    const clsort_desc d = describe(p, k);
    device_info info;
    device_session session;
    clsort_sorter *sorter = NULL;
    clsort_status status;
    double took;
    if (!device_choose(NULL, &info) || !device_open(&info, &session)) return 1;
    took = -used_seconds();
    status = clsort_create(session.context, info.id, NULL, &sorter);
    if (status == CL_SUCCESS) status = clsort_check(sorter, &d);
    if (status == CLSORT_ERROR_UNSUPPORTED) return 2;
    if (status == CL_SUCCESS) status = clsort_prepare(sorter, NULL, &d);
    took += used_seconds();
    if (write(pipe, &took, sizeof took) != (ssize_t)sizeof took) return 1;
    if (status != CL_SUCCESS) fprintf(stderr, "%s: %s\n", k->name, clsort_last_error(sorter));
    clsort_destroy(sorter);
    device_close(&session);
    return status != CL_SUCCESS;
}

static int remove_entry(const char *path, const struct stat *about, int type, struct FTW *place)
{
    (void)about, (void)type, (void)place;
    return remove(path);
}

/* Seconds of CPU that a case took, the limit if it was stopped, or IMPOSSIBLE or FAILED. */
static double measure(const build_plan *plan, const payload *p, const kind *k)
{
    char folder[] = "/tmp/clsort-builds-XXXXXX";
    double took = FAILED;
    int status = 0, ends[2];
    pid_t child;
    if (!mkdtemp(folder) || pipe(ends)) return FAILED;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        const struct rlimit limit = { plan->limit, plan->limit };
        setrlimit(RLIMIT_CPU, &limit);
        setenv("POCL_CACHE_DIR", folder, 1);
        setenv("CUDA_CACHE_DISABLE", "1", 1);
        _exit(build(p, k, ends[1]));
    }
    close(ends[1]);
    if (read(ends[0], &took, sizeof took) != (ssize_t)sizeof took) took = FAILED;
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) < 0) return FAILED;
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGXCPU))
        return (double)plan->limit;
    if (WIFSIGNALED(status)) return FAILED;
    if (WEXITSTATUS(status)) return WEXITSTATUS(status) == 2 ? IMPOSSIBLE : FAILED;
    return took;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int holds_one(const char *text, const char *const *names, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++)
        if (strstr(text, names[i])) return 1;
    return count == 0;
}

static int takes_kind(const build_plan *plan, const kind *k)
{
    return holds_one(k->name, plan->only, plan->only_count);
}

/* One case of the table: measures it if it is drawn, prints it and counts it. */
static void run_case(build_run *run, const payload *p, const char *name, const kind *k)
{
    const double took = sample_takes(&run->drawn) ? measure(&run->plan, p, k) : SKIPPED;
    const int beyond = took >= (double)run->plan.limit, width = (int)strlen(k->name);
    if (took == SKIPPED) printf(" %*s", width, "");
    else if (took == IMPOSSIBLE) printf(" %*s", width, "-");
    else if (took == FAILED) printf(" %*s", width, "failed");
    else printf(" %*.1f%s", width - beyond, took, beyond ? "+" : "");
    fflush(stdout);
    run->failed += took == FAILED || beyond;
    run->passed += took >= 0 && !beyond;
    if (took <= run->slowest) return;
    run->slowest = took;
    snprintf(run->where, sizeof run->where, "%s, %s", name, k->name);
}

static void run_payload(build_run *run, const payload *p)
{
    static const char *const words[] = { "", "value", "indices", "record" };
    char name[32], bytes[8] = "";
    size_t i;
    if (p->bytes) snprintf(bytes, sizeof bytes, " %u", (unsigned)p->bytes);
    snprintf(name, sizeof name, "u%u %s%s", (unsigned)p->key_bytes * 8, words[p->kind], bytes);
    printf("%-14s", name);
    for (i = 0; i < KINDS; i++)
        if (takes_kind(&run->plan, &kinds[i])) run_case(run, p, name, &kinds[i]);
    printf("\n");
}

/* Keys of one width with all that can be with them: values and records as they are moved, and one
   size more of each, which is sorted by index. */
static void run_keys(build_run *run, cl_uint type, size_t key_bytes)
{
    payload p = { type, key_bytes, 0, BARE };
    run_payload(run, &p);
    p.kind = INDICES;
    run_payload(run, &p);
    p.kind = VALUES;
    for (p.bytes = 1; p.bytes <= 9; p.bytes++) run_payload(run, &p);
    p.kind = RECORDS;
    for (p.bytes = key_bytes; p.bytes <= 16 + key_bytes; p.bytes += key_bytes) run_payload(run, &p);
}

static void run_table(build_run *run)
{
    static const struct { cl_uint type; const char *bytes; } keys[] = {
        { CLSORT_U8, "1" }, { CLSORT_U16, "2" }, { CLSORT_U32, "4" }, { CLSORT_U64, "8" }
    };
    size_t i;
    printf("%-14s", "seconds");
    for (i = 0; i < KINDS; i++)
        if (takes_kind(&run->plan, &kinds[i])) printf(" %s", kinds[i].name);
    printf("\n");
    for (i = 0; i < sizeof keys / sizeof *keys; i++)
        if (holds_one(keys[i].bytes, run->plan.keys, run->plan.keys_count))
            run_keys(run, keys[i].type, strtoul(keys[i].bytes, NULL, 10));
}

/* Reads one option and its argument; returns 0 if it is none. */
static int take_option(build_plan *plan, const char *name, const char *value)
{
    const int fits = plan->only_count < NAMES_MAX && plan->keys_count < NAMES_MAX;
    if (!strcmp(name, "--only") && fits) plan->only[plan->only_count++] = value;
    else if (!strcmp(name, "--keys") && fits) plan->keys[plan->keys_count++] = value;
    else if (!strcmp(name, "--limit")) plan->limit = strtoul(value, NULL, 10);
    else if (!strcmp(name, "--one-in")) plan->one_in = strtoul(value, NULL, 10);
    else if (!strcmp(name, "--seed")) plan->seed = strtoul(value, NULL, 10);
    else return 0;
    return 1;
}

int main(int count, char **words)
{
    build_run run;
    int i;
    memset(&run, 0, sizeof run);
    run.plan.limit = 30;
    run.plan.seed = 1;
    for (i = 1; i < count; i += 2)
        if (i + 1 == count || !take_option(&run.plan, words[i], words[i + 1])) {
            fprintf(stderr, "builds: '%s'? See the first lines of builds.c\n", words[i]);
            return 2;
        }
    run.drawn = sample_one_in(run.plan.one_in, run.plan.seed);
    run_table(&run);
    printf("slowest: %s, %.1f s\n", run.where, run.slowest);
    printf("%d passed, %d failed\n", run.passed, run.failed);
    return run.failed > 0 || run.passed == 0;
}
