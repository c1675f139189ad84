/* harness.h - runs the tests of one program on every device and ends with "N passed, N failed".

   A test program fills a table of test_entry and returns test_main(table, length). Each entry runs
   once per device and counts once. AT(...) says what a test is doing, for the message when a CHECK
   fails, or when a driver crashes: that test has failed, and the program starts again behind it.

   A program that defines TEST_PUBLIC before it includes this uses public names only. With
   TEST_LINKED it is linked with an implementation that others share, else it has its own.

   CLSORT_DEVICE       a part of a platform's or device's name, or "all"; default: the platforms in
                       test_platforms
   CLSORT_TEST_SMALL   set: few sizes and types, for slow or small devices
   CLSORT_TEST_SEED    a number: draws other cases where a test takes a sample (default: 1)
   CLSORT_TEST_WHOLE   set: CPUs and the mock, too, run every case that test_takes and the like
                       would leave out
   CLSORT_TEST_ONLY    only tests whose names hold this
   CLSORT_TEST_SHARE   I/N: only each N-th of the tests that would run, from number I on, with I
                       below N: N processes do the work of one
   CLSORT_TEST_PART    without CLSORT_TEST_ONLY: "first": only tests above the row TEST_REST of a
                       table; "rest": only those below it */

#ifndef CLSORT_TESTS_HARNESS_H
#define CLSORT_TESTS_HARNESS_H

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined TEST_PUBLIC && !defined TEST_LINKED
#define CLSORT_IMPLEMENTATION
#endif
#include "../../clsort.h"
#include "../../tools/clsort/device.h"
#include "../../tools/clsort/sample.h"

/* A device under test, with one sorter that all tests of a program share. */
typedef struct bench {
    device_session session;
    clsort_sorter *sorter;
    size_t tile;            /* block length of the default algorithm for u32 keys */
    int small;              /* CLSORT_TEST_SMALL is set */
    int few_programs;       /* small, or a compiler that takes seconds for each: tests draw fewer
                               layouts */
} bench;

typedef struct test_entry {
    const char *name;
    void (*run)(bench *b);
} test_entry;

/* The row of a table below which stands what `make test` leaves to `make check`. Above it one test
   covers each family and each way to call it. */
#define TEST_REST { NULL, NULL }

static struct {
    const bench *device;
    const char *name;       /* of the running test */
    int faults;             /* failed checks in it */
    int quiet;              /* set: failed checks are counted only */
    char at[512];           /* what it is doing */
    sample_draw drawn;      /* of its programs; one_in is 0 before the first draw */
} test_now;

/* The name of a status, which every message about it has. */
static inline const char *status_name(clsort_status status)
{
#define NAME_OF(name, code, text) case code: return #name;
    switch (status) { CLSORT_STATUS_LIST(NAME_OF) }
#undef NAME_OF
    return clsort_status_text(status);
}

/* Of CPU, by all threads of this program: what else runs changes little. */
static inline double test_cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static inline double test_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void test_at(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(test_now.at, sizeof test_now.at, format, arguments);
    va_end(arguments);
}

/* Counts and reports a failed check; returns `good`. Only the first few of a test are printed. */
static inline int test_check(int good, const char *what, const char *file, int line)
{
    if (good) return 1;
    if (++test_now.faults <= 5 && !test_now.quiet) {
        printf("FAILED %s\n  on %s, %s\n  at %s:%d: %s\n", test_now.name,
               test_now.device->session.info.platform_name, test_now.device->session.info.name,
               file, line, what);
        if (test_now.at[0]) printf("  with %s\n", test_now.at);
        fflush(stdout);
    }
    return 0;
}

static inline int test_check_status(clsort_status got, clsort_status wanted, const char *what,
                                    const char *file, int line)
{
    char text[1024];
    if (got == wanted) return 1;
    snprintf(text, sizeof text, "%s gave %d (%s), not %d; the sorter's last error: %s", what,
             (int)got, clsort_status_text(got), (int)wanted,
             clsort_last_error(test_now.device->sorter));
    return test_check(0, text, file, line);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* CLSORT_TEST_SEED: what tests draw by that share what they build. */
static inline uint64_t test_seed_alone(void)
{
    const char *text = getenv("CLSORT_TEST_SEED");
    return text && *text ? strtoull(text, NULL, 10) : 1;
}

/* What other draws depend on: that, and the name of the test. */
static inline uint64_t test_seed(void)
{
    const char *c;
    uint64_t seed = test_seed_alone();
    for (c = test_now.name; c && *c; c++) seed = seed * 31 + (unsigned char)*c;
    return seed;
}

/* Where all cases would take too long: draws one of `one_in` that come after each other; where
   programs are few, one of four times as many. */
static inline sample_draw test_sample(const bench *b, uint64_t one_in)
{
    return sample_one_in(b->few_programs ? 4 * one_in : one_in, test_seed());
}

#define AT(...) test_at(__VA_ARGS__)
#define CHECK(condition) test_check(!!(condition), #condition, __FILE__, __LINE__)
#define CHECK_STATUS(call, wanted) test_check_status((call), (wanted), #call, __FILE__, __LINE__)
#define CHECK_OK(call) CHECK_STATUS(call, CL_SUCCESS)

/* ---- devices --------------------------------------------------------------------------------- */

/* Platforms tested by default. Others have been seen to compute wrong results or to crash: name
   them to test them. */
static const char *const test_platforms[] = { "Portable Computing Language", "Intel(R) OpenCL",
                                              "NVIDIA", "Oclgrind" };

static inline int test_platform_is_default(const char *name)
{
    size_t i;
    for (i = 0; i < sizeof test_platforms / sizeof *test_platforms; i++)
        if (device_name_holds(name, test_platforms[i])) return 1;
    return 0;
}

/* The devices to test: those that CLSORT_DEVICE names, else those of the default platforms. */
static inline size_t test_devices(device_info *list)
{
    const char *want = getenv("CLSORT_DEVICE");
    size_t count = device_list(want, list, DEVICE_MAX), kept = 0, i;
    if (want && *want) return count;
    for (i = 0; i < count; i++) {
        if (test_platform_is_default(list[i].platform_name)) list[kept++] = list[i];
        else
            printf("skipped: %s, %s (CLSORT_DEVICE can name it)\n", list[i].platform_name,
                   list[i].name);
    }
    return kept;
}

static inline int test_open(const device_info *info, bench *b)
{
    clsort_desc d = clsort_desc_default(), resolved = d;
    memset(b, 0, sizeof *b);
    b->small = getenv("CLSORT_TEST_SMALL") != NULL;
    b->few_programs = b->small || device_name_holds(info->platform_name, "Intel(R) OpenCL");
    d.count = 1;
    d.key_type = CLSORT_U32;
    if (!device_open(info, &b->session)) return 0;
    if (clsort_create(b->session.context, info->id, NULL, &b->sorter) != CL_SUCCESS) return 0;
    if (clsort_resolve(b->sorter, &d, &resolved) != CL_SUCCESS) return 0;
    b->tile = (size_t)resolved.tuning.work_group * resolved.tuning.items;
    return b->tile > 0;
}

/* A simulator of GPUs says that it is a CPU. */
static inline int test_is_cpu(const bench *b)
{
    return (b->session.info.type & CL_DEVICE_TYPE_CPU)
           && !device_name_holds(b->session.info.platform_name, "Oclgrind");
}

/* Does the device draw some of the programs of kernels that a test would compile? */
static inline int test_draws(const bench *b)
{
    return test_is_cpu(b) && !b->few_programs && !getenv("CLSORT_TEST_WHOLE");
}

/* Is the next case of the running test drawn, as one of `one_in` that come after each other? Every
   one is with CLSORT_TEST_WHOLE, or without `draws`. A test has one such stream of cases, always
   with the same `one_in`: of fewer cases than that none may be drawn. */
static inline int test_takes_if(int draws, uint64_t one_in)
{
    sample_draw *drawn = &test_now.drawn;
    if (!drawn->one_in)
        *drawn = sample_one_in(draws && !getenv("CLSORT_TEST_WHOLE") ? one_in : 1, test_seed());
    return sample_takes(drawn);
}

/* On CPUs, where compiling takes most of a test's time, one of `one_in`; elsewhere every case, and
   where programs are few. */
static inline int test_takes(const bench *b, uint64_t one_in)
{
    return test_takes_if(test_draws(b), one_in);
}

/* The same, but also where programs are few: of loops that have `one_in` cases there, too. */
static inline int test_takes_of_few(const bench *b, uint64_t one_in)
{
    return test_takes_if(test_is_cpu(b), one_in);
}

/* The same where it is the host that takes long, whatever the device or the mock. */
static inline int test_takes_on_host(uint64_t one_in) { return test_takes_if(1, one_in); }

/* On CPUs the number of one of so many choices; `count`, where all of them are to be made. One is
   made in any case, which test_takes does not promise. */
static inline size_t test_choice(const bench *b, size_t count)
{
    const int all = !test_is_cpu(b) || getenv("CLSORT_TEST_WHOLE");
    uint64_t random = test_seed();
    return all ? count : (size_t)(pattern_random(&random) % count);
}

/* A buffer that starts as a copy of the data; with NULL its bytes are undefined. */
static inline cl_mem test_buffer(const bench *b, size_t bytes, const void *data)
{
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_int error = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(b->session.context, flags, bytes, (void *)(uintptr_t)data,
                                   &error);
    CHECK(error == CL_SUCCESS);
    return buffer;
}

/* Says what of the running test this device cannot do. */
static inline void test_skips(const char *why)
{
    printf("skipped: of \"%s\": %s\n", test_now.name ? test_now.name : "all", why);
}

/* Does the system lack what gave this result? Windows has not all of POSIX. */
static inline int test_lacks(int result, const char *what)
{
    char why[80];
    if (result >= 0 || errno != ENOSYS) return 0;
    snprintf(why, sizeof why, "this system has no %s", what);
    test_skips(why);
    return 1;
}

/* A queue that runs commands out of order; NULL on a device that has none. */
static inline cl_command_queue test_unordered_queue(const bench *b)
{
    cl_int error = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueue(b->session.context, b->session.info.id,
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    if (error != CL_SUCCESS) test_skips("this device has no queues that are out of order");
    return error == CL_SUCCESS ? queue : NULL;
}

static inline void test_close(bench *b)
{
    clsort_destroy(b->sorter);
    device_close(&b->session);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Does this run take a test? `is_rest`: it stands below TEST_REST. */
static inline int test_is_wanted(const test_entry *test, int is_rest)
{
    const char *only = getenv("CLSORT_TEST_ONLY"), *part = getenv("CLSORT_TEST_PART");
    if (!test->name) return 0;
    if (only) return strstr(test->name, only) != NULL;
    return !part || (strcmp(part, "rest") == 0) == is_rest;
}

/* Is a test of that number, of those wanted, in this process's share? */
static inline int test_is_shared(unsigned number)
{
    const char *share = getenv("CLSORT_TEST_SHARE");
    unsigned own, shares;
    if (!share || sscanf(share, "%u/%u", &own, &shares) != 2 || !shares) return 1;
    return number % shares == own;
}

/* How far the program is: what a crash must not lose. The process that follows reads it from the
   environment. */
static struct {
    unsigned device, next;      /* of the list; of the table, the entry behind the running one */
    int ran, failed;
    int ends;                   /* set: a crash ends the program */
    pid_t process;              /* not that of a child */
} test_progress;

static char test_progress_text[80] = "CLSORT_TEST_PROGRESS=";

/* Counts the running test as failed, and starts the program again behind it. Memory may be damaged:
   nothing is allocated here. */
static void test_crashed(int number)
{
    static char *arguments[] = { (char *)(uintptr_t)"/proc/self/exe", NULL };
    if (!test_progress.ends && test_progress.process == getpid()) {
        printf("FAIL  %s (it crashed: signal %d)\n  on %s\n  with %s\n",
               test_now.name ? test_now.name : "opening or closing the device", number,
               test_now.device ? test_now.device->session.info.name : "no device yet",
               test_now.at[0] ? test_now.at : "nothing said");
        fflush(stdout);
        if (!test_now.name) test_progress.device++, test_progress.next = 0;
        snprintf(strchr(test_progress_text, '=') + 1, 50, "%u %u %d %d", test_progress.device,
                 test_progress.next, test_progress.ran + 1, test_progress.failed + 1);
        execv(arguments[0], arguments);
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* Sanitizers report crashes themselves. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define TEST_SANITIZED 1
#elif defined __has_feature
#define TEST_SANITIZED (__has_feature(memory_sanitizer) || __has_feature(address_sanitizer) \
                        || __has_feature(thread_sanitizer))
#else
#define TEST_SANITIZED 0
#endif

/* Takes crashes from here on. Drivers install handlers of their own as they load their compilers:
   this is done again before each test. */
static inline void test_take_crashes(void)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
    static char stack[1 << 16];     /* the other one may be full */
    stack_t other;
    struct sigaction action;
    size_t i;
    if (TEST_SANITIZED || test_progress.ends) return;
    memset(&other, 0, sizeof other);
    other.ss_sp = stack;
    other.ss_size = sizeof stack;
    sigaltstack(&other, NULL);
    memset(&action, 0, sizeof action);
    action.sa_handler = test_crashed;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
}

/* Reads how far the process before came. */
static inline void test_resume(void)
{
    const char *text = getenv("CLSORT_TEST_PROGRESS");
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (text)
        sscanf(text, "%u %u %d %d", &test_progress.device, &test_progress.next, &test_progress.ran,
               &test_progress.failed);
    putenv(test_progress_text);
    test_progress.process = getpid();
    test_take_crashes();
}

/* Prints the sum; the exit status. That nothing ran is a failure, except where a share of the tests
   was empty on a device. */
static inline int test_end(const char *nothing_ran)
{
    test_progress.ends = 1;
    if (!test_progress.ran && !(test_progress.device && getenv("CLSORT_TEST_SHARE"))) {
        printf("FAILED: %s\n", nothing_ran);
        test_progress.failed++, test_progress.ran++;
    }
    printf("%d passed, %d failed\n", test_progress.ran - test_progress.failed,
           test_progress.failed);
    return test_progress.failed > 0;
}

/* Runs every entry that is wanted on one device, from where a crash left off. */
static inline void test_run_all(const test_entry *tests, size_t count, bench *b)
{
    int is_rest = 0;
    unsigned wanted = 0;
    size_t i;
    for (i = 0; i < count; i++) {
        double start = test_cpu_seconds();
        is_rest |= !tests[i].name;
        if (!test_is_wanted(&tests[i], is_rest) || !test_is_shared(wanted++)
            || i < test_progress.next)
            continue;
        test_progress.next = (unsigned)i + 1;
        test_now.device = b;
        test_now.name = tests[i].name;
        test_now.faults = 0;
        test_now.at[0] = 0;
        test_now.drawn.one_in = 0;
        test_take_crashes();
        tests[i].run(b);
        if (test_now.faults > 5) printf("  ... %d failed checks in all\n", test_now.faults);
        printf("%s  %s (%.1f s of CPU)\n", test_now.faults ? "FAIL" : "pass", tests[i].name,
               test_cpu_seconds() - start);
        fflush(stdout);
        test_now.name = NULL;
        test_progress.failed += test_now.faults > 0;
        test_progress.ran++;
    }
    test_progress.next = 0;
}

/* Runs the table on every device; the exit status of the program. */
static inline int test_main(const test_entry *tests, size_t count)
{
    device_info list[DEVICE_MAX];
    size_t devices;
    test_resume();
    devices = test_devices(list);
    for (; test_progress.device < devices; test_progress.device++) {
        const device_info *device = &list[test_progress.device];
        bench b;
        printf("device: %s, %s\n", device->platform_name, device->name);
        if (test_open(device, &b)) {
            test_run_all(tests, count, &b);
        } else {
            printf("FAILED: no sorter for this device\n");
            test_progress.failed++, test_progress.ran++;
        }
        test_close(&b);
    }
    return test_end("no device to test, or no test of that name");
}

/* Runs the table once, without a device; `name` stands for one in messages. */
static inline int test_main_alone(const test_entry *tests, size_t count, const char *name)
{
    static bench b;
    test_resume();
    snprintf(b.session.info.platform_name, sizeof b.session.info.platform_name, "%s", name);
    snprintf(b.session.info.name, sizeof b.session.info.name, "no device");
    b.small = getenv("CLSORT_TEST_SMALL") != NULL;
    if (!test_progress.device) test_run_all(tests, count, &b);
    return test_end("no test of that name");
}

#define TEST_MAIN_ALONE(table, name) \
    int main(void) { return test_main_alone(table, sizeof table / sizeof *table, name); }
#define TEST_MAIN(table) int main(void) { return test_main(table, sizeof table / sizeof *table); }

#endif
