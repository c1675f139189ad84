/* faults.h - injects a fault and judges what the caller was told of it. For programs that include
 * counted.h. */

#ifndef CLSORT_TESTS_FAULTS_H
#define CLSORT_TESTS_FAULTS_H

#include "harness.h"

/* What the diagnostic callback was told last, and how often; how many commands the profile heard
 * of. */
typedef struct said {
    int times, commands;
    clsort_status status;
    char function[64], message[1000];
} said;

static inline void hear(void *user, clsort_status status, const char *function, const char *message)
{
    said *s = (said *)user;
    s->times++;
    s->status = status;
    snprintf(s->function, sizeof s->function, "%s", function);
    snprintf(s->message, sizeof s->message, "%s", message);
}

static inline void hear_command(void *user, const char *stage, cl_event event)
{
    CHECK(stage != NULL && event != NULL);
    ((said *)user)->commands++;
}

typedef struct fault {
    int call, after;    /* which call fails, and do all later ones? */
    cl_int code;
} fault;

static struct { int injected, passed; } figures;

/* What comes after the calls under test is not to fail. */
static inline void disarm(void) { counted.fail_at = 0; }

static inline void arm(said *s, const fault *f)
{
    memset(s, 0, sizeof *s);
    counted.calls = counted.failed = counted.launches = 0;
    counted.code = f->code;
    counted.fail_after = f->after;
    counted.fail_at = f->call;
}

/* Says what is tried; `function` is that of the call that failed. */
static inline void say(const char *name, const fault *f, const char *function)
{
    AT("%s: call %d, %s, fails with %d%s", name, f->call, function, (int)f->code,
       f->after ? ", and all later ones" : "");
}

/* A second code that a driver could give. */
static inline cl_int other_code(const char *function)
{
    static const struct { const char *function; cl_int code;
    } codes[] = { { "clBuildProgram", CL_BUILD_PROGRAM_FAILURE },
                  { "clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE },
                  { "clEnqueue", CL_MEM_OBJECT_ALLOCATION_FAILURE },
                  { "clGetMemObjectInfo", CL_INVALID_MEM_OBJECT },
                  { "clGetCommandQueueInfo", CL_INVALID_COMMAND_QUEUE },
                  { "clRetainCommandQueue", CL_INVALID_COMMAND_QUEUE },
                  { "clSetKernelArg", CL_INVALID_ARG_SIZE },
                  { "clGetDeviceInfo", CL_INVALID_DEVICE },
                  { "clRetainDevice", CL_INVALID_DEVICE } };
    size_t i;
    for (i = 0; i < sizeof codes / sizeof *codes; i++)
        if (!strncmp(function, codes[i].function, strlen(codes[i].function))) return codes[i].code;
    return CL_OUT_OF_HOST_MEMORY;
}

/* What the failing function's code becomes; *reporter is who is then named. */
static inline clsort_status wanted_status(clsort_status got, const char **reporter)
{
    if (!strcmp(counted.failed_function, "malloc")) return CL_OUT_OF_HOST_MEMORY;
    if (!strcmp(counted.failed_function, "clBuildProgram")
        && counted.code == CL_BUILD_PROGRAM_FAILURE)
        return got == CLSORT_ERROR_COMPARATOR ? got : CLSORT_ERROR_BUILD_FAILED;
    if (!strcmp(counted.failed_function, "clGetDeviceIDs")) *reporter = "clsort_create";
    if (!strcmp(counted.failed_function, "clGetDeviceIDs")) return CLSORT_ERROR_DEVICE_UNUSABLE;
    if (counted.code == CL_INVALID_MEM_OBJECT && got == CLSORT_ERROR_NOT_A_BUFFER) {
        *reporter = "clsort_";
        return got;
    }
    return counted.code;
}

/* Is what was told last well-formed? */
static inline int check_message(const said *s)
{
    const int good = CHECK(!strncmp(s->message, s->function, strlen(s->function)));
    return CHECK(strstr(s->message, status_name(s->status))) && good;
}

/* What may be told of a fault, besides its own code by its own function. */
enum {
    LATER_ONES =
        1, /* the call goes on after the first failure, which it returns; the last one is told */
    REMEDIES = 2 /* it tries something else, and returns why that failed */
};

/* Code, function and message, as returned, as told to the callback and, if there is one, as kept by
   the sorter. */
static inline int check_report(const said *s, const clsort_sorter *sorter, clsort_status status,
                               int also)
{
    const char *reporter = counted.failed_function;
    const clsort_status wanted = wanted_status(status, &reporter);
    int good =
        CHECK(also & REMEDIES || status == wanted) && CHECK(s->times > 0) && check_message(s);
    if (!(also & LATER_ONES)) good = CHECK(s->status == status) && good;
    if (!also) good = CHECK(!strncmp(s->function, reporter, strlen(reporter))) && good;
    if (sorter) good = CHECK(!strcmp(clsort_last_error(sorter), s->message)) && good;
    if (!good && test_now.faults <= 5)
        printf("  got %d, told %d times: %s\n", (int)status, s->times, s->message);
    return good;
}

/* Does the implementation hold what it held before, kind by kind? */
static inline int check_live(const int *wanted)
{
    static const char *const names[COUNTED_KINDS] = { "context", "device", "queue", "buffer",
                                                      "program", "kernel", "event", "memory" };
    int kind, good;
    counted_settle();
    good = CHECK(!memcmp(counted.live, wanted, sizeof counted.live));
    for (kind = 0; kind < COUNTED_KINDS && !good; kind++)
        if (counted.live[kind] != wanted[kind] && test_now.faults <= 5)
            printf("  %s: %d live, not %d\n", names[kind], counted.live[kind], wanted[kind]);
    return good;
}

static inline void print_figures(void)
{
    printf("%d faults injected, %d passed\n", figures.injected, figures.passed);
    memset(&figures, 0, sizeof figures);
}

#endif
