/* counted.h - sends every OpenCL call of the implementation through wrappers that count objects,
   note wait lists and fail on demand. Include it before clsort.h; the same program may call the
   wrappers too, for objects it got from clsort. They call the driver, or with COUNTED_CL(function)
   defined whatever that names: mock.h is a driver for tests.

   counted_live(kind)      objects that the implementation holds: created or retained more often
                           than released
   counted.fail_at         the number of the call that fails, from 1; 0: none
   counted.fail_after      all calls after that one fail, too */

#ifndef CLSORT_TESTS_COUNTED_H
#define CLSORT_TESTS_COUNTED_H

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <CL/cl.h>

enum {
    COUNTED_CONTEXT,
    COUNTED_DEVICE,
    COUNTED_QUEUE,
    COUNTED_BUFFER,
    COUNTED_PROGRAM,
    COUNTED_KERNEL,
    COUNTED_EVENT,
    COUNTED_MEMORY,
    COUNTED_KINDS
};

static struct {
    int live[COUNTED_KINDS];
    int made[COUNTED_KINDS];         /* ever created or retained */
    int calls;                       /* that could fail */
    int fail_at, fail_after;
    cl_int code;                     /* of an injected failure */
    int failed;                      /* injected failures so far */
    const char *failed_function;     /* the first of them */
    int callbacks;                   /* set and not called yet */
    int launches;                    /* commands enqueued */
    int launches_ahead;              /* ... with fewer events to wait for than `waits` */
    cl_uint waits;
    size_t kernel_group; /* the largest work-group that any kernel allows; 0: as the driver says */
    cl_ulong spills;     /* bytes that each kernel spills, by Intel's query; 0: as drivers say */
} counted;

/* Threads may count together; relaxed, so that counting hides no race from ThreadSanitizer. */
#define COUNTED_ADD(place, change) __atomic_add_fetch(&(place), change, __ATOMIC_RELAXED)

static inline void counted_add(int kind, int change)
{
    COUNTED_ADD(counted.live[kind], change);
    if (change > 0) COUNTED_ADD(counted.made[kind], change);
}

static inline void counted_launch(cl_uint waits)
{
    COUNTED_ADD(counted.launches, 1);
    if (waits < counted.waits) COUNTED_ADD(counted.launches_ahead, 1);
}

/* Counts a call; the code it must fail with, or CL_SUCCESS. */
static inline cl_int counted_gate(const char *function)
{
    const int call = COUNTED_ADD(counted.calls, 1);
    const int later = call > counted.fail_at;
    if (!counted.fail_at || call < counted.fail_at || (later && !counted.fail_after))
        return CL_SUCCESS;
    if (!counted.failed++) counted.failed_function = function;
    return counted.code;
}

/* MemorySanitizer is told that the noise in new memory does not count as written. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define COUNTED_UNWRITTEN(p, bytes) __msan_allocated_memory(p, bytes)
#endif
#endif
#ifndef COUNTED_UNWRITTEN
#define COUNTED_UNWRITTEN(p, bytes) (void)(bytes)
#endif

/* Memory lies behind its size and before a mark, and holds noise at first. */
enum { COUNTED_HEAD = 16, COUNTED_MARK = 16, COUNTED_NOISE = 0xA5 };

static inline void *counted_wrap(unsigned char *block, size_t bytes)
{
    if (!block) return NULL;
    memcpy(block, &bytes, sizeof bytes);
    memset(block + COUNTED_HEAD + bytes, COUNTED_NOISE, COUNTED_MARK);
    return block + COUNTED_HEAD;
}

/* The block of some memory, NULL of none. Ends the program where its mark was overwritten. */
static inline unsigned char *counted_unwrap(void *p)
{
    unsigned char *const block = p ? (unsigned char *)p - COUNTED_HEAD : NULL;
    size_t bytes = 0, i;
    if (!block) return NULL;
    memcpy(&bytes, block, sizeof bytes);
    for (i = 0; i < COUNTED_MARK; i++)
        if (block[COUNTED_HEAD + bytes + i] != COUNTED_NOISE) {
            printf("FAILED: memory was written behind its end\n");
            fflush(stdout);
            abort();
        }
    return block;
}

static inline void *counted_resize(void *p, size_t bytes)
{
    const size_t more = COUNTED_HEAD + COUNTED_MARK;
    unsigned char *const block = counted_unwrap(p);
    if (bytes > (size_t)-1 - more) return NULL;
    return counted_wrap((unsigned char *)realloc(block, bytes + more), bytes);
}

static inline void *counted_malloc(size_t bytes)
{
    void *p = counted_gate("malloc") ? NULL : counted_resize(NULL, bytes);
    if (!p) return NULL;
    memset(p, COUNTED_NOISE, bytes);
    COUNTED_UNWRITTEN(p, bytes);
    counted_add(COUNTED_MEMORY, 1);
    return p;
}

static inline void *counted_realloc(void *p, size_t bytes)
{
    void *grown = counted_gate("malloc") ? NULL : counted_resize(p, bytes);
    if (grown) COUNTED_ADD(counted.made[COUNTED_MEMORY], 1);
    return grown;
}

static inline void counted_free(void *p)
{
    counted_add(COUNTED_MEMORY, -1);
    free(counted_unwrap(p));
}

#ifndef COUNTED_CL
#define COUNTED_CL(function) function
#endif

/* A function that returns its code. */
#define COUNTED_QUERY(name, parameters, arguments) \
    static inline cl_int counted_##name parameters \
    { \
        cl_int code = counted_gate(#name); \
        return code ? code : COUNTED_CL(name) arguments; \
    }

/* A function that returns an object and writes its code to `error`. */
#define COUNTED_CREATE(name, type, kind, parameters, arguments) \
    static inline type counted_##name parameters \
    { \
        type object; \
        *error = counted_gate(#name); \
        if (*error) return NULL; \
        object = COUNTED_CL(name) arguments; \
        if (object) counted_add(kind, 1); \
        return object; \
    }

#define COUNTED_RETAIN(name, type, kind) \
    static inline cl_int counted_clRetain##name(type object) \
    { \
        cl_int code = counted_gate("clRetain" #name); \
        if (!code) code = COUNTED_CL(clRetain##name)(object); \
        if (!code) counted_add(kind, 1); \
        return code; \
    }

#define COUNTED_RELEASE(name, type, kind) \
    static inline cl_int counted_clRelease##name(type object) \
    { \
        counted_add(kind, -1); \
        return COUNTED_CL(clRelease##name)(object); \
    }

/* A command; its last three parameters are n, wait and event. */
#define COUNTED_ENQUEUE(name, parameters, arguments) \
    static inline cl_int counted_##name parameters \
    { \
        cl_int code = counted_gate(#name); \
        if (code) return code; \
        counted_launch(n); \
        code = COUNTED_CL(name) arguments; \
        if (!code && event) counted_add(COUNTED_EVENT, 1); \
        return code; \
    }

#define COUNTED_INFO(name, type) \
    COUNTED_QUERY(name, (type object, cl_uint what, size_t size, void *value, size_t *bytes), \
                  (object, what, size, value, bytes))

COUNTED_INFO(clGetDeviceInfo, cl_device_id)
COUNTED_INFO(clGetPlatformInfo, cl_platform_id)
COUNTED_INFO(clGetProgramInfo, cl_program)
COUNTED_INFO(clGetContextInfo, cl_context)
COUNTED_INFO(clGetCommandQueueInfo, cl_command_queue)
COUNTED_INFO(clGetMemObjectInfo, cl_mem)
COUNTED_INFO(clGetEventInfo, cl_event)
COUNTED_INFO(clGetEventProfilingInfo, cl_event)
COUNTED_QUERY(clGetPlatformIDs, (cl_uint room, cl_platform_id *list, cl_uint *count),
              (room, list, count))
COUNTED_QUERY(clGetDeviceIDs,
              (cl_platform_id p, cl_device_type t, cl_uint room, cl_device_id *list,
               cl_uint *count),
              (p, t, room, list, count))
COUNTED_QUERY(clGetProgramBuildInfo,
              (cl_program p, cl_device_id d, cl_uint what, size_t size, void *value, size_t *bytes),
              (p, d, what, size, value, bytes))
COUNTED_QUERY(clSetKernelArg, (cl_kernel k, cl_uint number, size_t size, const void *value),
              (k, number, size, value))
COUNTED_QUERY(clBuildProgram,
              (cl_program p, cl_uint n, const cl_device_id *d, const char *options,
               void (CL_CALLBACK *f)(cl_program, void *), void *user),
              (p, n, d, options, f, user))
COUNTED_QUERY(clFlush, (cl_command_queue queue), (queue))
COUNTED_QUERY(clFinish, (cl_command_queue queue), (queue))
COUNTED_QUERY(clWaitForEvents, (cl_uint count, const cl_event *events), (count, events))

/* A callback of the implementation, which may come at any time on any thread. */
typedef struct counted_callback {
    void (CL_CALLBACK *call)(cl_event, cl_int, void *);
    void *user;
} counted_callback;

static inline void CL_CALLBACK counted_called(cl_event event, cl_int state, void *user)
{
    counted_callback *c = (counted_callback *)user;
    c->call(event, state, c->user);
    free(c);
    COUNTED_ADD(counted.callbacks, -1);
}

static inline cl_int counted_clSetEventCallback(cl_event e, cl_int state,
                                                void (CL_CALLBACK *f)(cl_event, cl_int, void *),
                                                void *user)
{
    cl_int code = counted_gate("clSetEventCallback");
    counted_callback *c = code ? NULL : (counted_callback *)malloc(sizeof *c);
    if (!c) return code ? code : CL_OUT_OF_HOST_MEMORY;
    c->call = f;
    c->user = user;
    COUNTED_ADD(counted.callbacks, 1);
    code = COUNTED_CL(clSetEventCallback)(e, state, counted_called, c);
    if (code) {
        COUNTED_ADD(counted.callbacks, -1);
        free(c);
    }
    return code;
}

/* Waits until no callback is due, for some seconds at most: then the counts of objects are right.
 */
static inline void counted_settle(void)
{
    const struct timespec pause = { 0, 1000000 };
    int i;
    for (i = 0; i < 5000 && COUNTED_ADD(counted.callbacks, 0); i++) nanosleep(&pause, NULL);
}

/* Says less than the driver of a kernel's work-group, if counted.kernel_group is less, and that
   kernels spill. */
static inline cl_int counted_clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d, cl_uint what,
                                                      size_t size, void *value, size_t *bytes)
{
    enum { SPILL_MEM_SIZE_INTEL = 0x4109 };
    cl_int code = counted_gate("clGetKernelWorkGroupInfo");
    if (!code && what == SPILL_MEM_SIZE_INTEL && counted.spills) {
        memcpy(value, &counted.spills, sizeof counted.spills);
        return code;
    }
    if (!code) code = COUNTED_CL(clGetKernelWorkGroupInfo)(k, d, what, size, value, bytes);
    if (!code && value && what == CL_KERNEL_WORK_GROUP_SIZE && counted.kernel_group
        && *(size_t *)value > counted.kernel_group)
        *(size_t *)value = counted.kernel_group;
    if (!code && value && what == CL_KERNEL_COMPILE_WORK_GROUP_SIZE && counted.kernel_group
        && *(size_t *)value > counted.kernel_group)
        *(size_t *)value = 0;
    return code;
}

COUNTED_CREATE(clCreateContext, cl_context, COUNTED_CONTEXT,
               (const cl_context_properties *p, cl_uint n, const cl_device_id *d,
                void (CL_CALLBACK *f)(const char *, const void *, size_t, void *), void *user,
                cl_int *error),
               (p, n, d, f, user, error))
COUNTED_CREATE(clCreateCommandQueue, cl_command_queue, COUNTED_QUEUE,
               (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *error),
               (c, d, p, error))
#if defined(CL_VERSION_2_0)
COUNTED_CREATE(clCreateCommandQueueWithProperties, cl_command_queue, COUNTED_QUEUE,
               (cl_context c, cl_device_id d, const cl_queue_properties *p, cl_int *error),
               (c, d, p, error))
#endif
COUNTED_CREATE(clCreateBuffer, cl_mem, COUNTED_BUFFER,
               (cl_context c, cl_mem_flags flags, size_t bytes, void *host, cl_int *error),
               (c, flags, bytes, host, error))
COUNTED_CREATE(clCreateProgramWithSource, cl_program, COUNTED_PROGRAM,
               (cl_context c, cl_uint n, const char **text, const size_t *lengths, cl_int *error),
               (c, n, text, lengths, error))
COUNTED_CREATE(clCreateProgramWithBinary, cl_program, COUNTED_PROGRAM,
               (cl_context c, cl_uint n, const cl_device_id *d, const size_t *bytes,
                const unsigned char **binaries, cl_int *status, cl_int *error),
               (c, n, d, bytes, binaries, status, error))
COUNTED_CREATE(clCreateKernel, cl_kernel, COUNTED_KERNEL,
               (cl_program p, const char *name, cl_int *error), (p, name, error))

COUNTED_RETAIN(Context, cl_context, COUNTED_CONTEXT)
COUNTED_RETAIN(Device, cl_device_id, COUNTED_DEVICE)
COUNTED_RETAIN(CommandQueue, cl_command_queue, COUNTED_QUEUE)
COUNTED_RETAIN(Program, cl_program, COUNTED_PROGRAM)
COUNTED_RETAIN(Event, cl_event, COUNTED_EVENT)

COUNTED_RELEASE(Context, cl_context, COUNTED_CONTEXT)
COUNTED_RELEASE(Device, cl_device_id, COUNTED_DEVICE)
COUNTED_RELEASE(CommandQueue, cl_command_queue, COUNTED_QUEUE)
COUNTED_RELEASE(MemObject, cl_mem, COUNTED_BUFFER)
COUNTED_RELEASE(Program, cl_program, COUNTED_PROGRAM)
COUNTED_RELEASE(Kernel, cl_kernel, COUNTED_KERNEL)
COUNTED_RELEASE(Event, cl_event, COUNTED_EVENT)

COUNTED_ENQUEUE(clEnqueueNDRangeKernel,
                (cl_command_queue q, cl_kernel k, cl_uint dimensions, const size_t *offset,
                 const size_t *global, const size_t *group, cl_uint n, const cl_event *wait,
                 cl_event *event),
                (q, k, dimensions, offset, global, group, n, wait, event))
COUNTED_ENQUEUE(clEnqueueCopyBuffer,
                (cl_command_queue q, cl_mem from, cl_mem to, size_t from_at, size_t to_at,
                 size_t bytes, cl_uint n, const cl_event *wait, cl_event *event),
                (q, from, to, from_at, to_at, bytes, n, wait, event))
COUNTED_ENQUEUE(clEnqueueFillBuffer,
                (cl_command_queue q, cl_mem buffer, const void *pattern, size_t size, size_t at,
                 size_t bytes, cl_uint n, const cl_event *wait, cl_event *event),
                (q, buffer, pattern, size, at, bytes, n, wait, event))
COUNTED_ENQUEUE(clEnqueueReadBuffer,
                (cl_command_queue q, cl_mem buffer, cl_bool blocking, size_t at, size_t bytes,
                 void *host, cl_uint n, const cl_event *wait, cl_event *event),
                (q, buffer, blocking, at, bytes, host, n, wait, event))
COUNTED_ENQUEUE(clEnqueueWriteBuffer,
                (cl_command_queue q, cl_mem buffer, cl_bool blocking, size_t at, size_t bytes,
                 const void *host, cl_uint n, const cl_event *wait, cl_event *event),
                (q, buffer, blocking, at, bytes, host, n, wait, event))
COUNTED_ENQUEUE(clEnqueueUnmapMemObject,
                (cl_command_queue q, cl_mem buffer, void *place, cl_uint n, const cl_event *wait,
                 cl_event *event),
                (q, buffer, place, n, wait, event))
COUNTED_ENQUEUE(clEnqueueMarkerWithWaitList,
                (cl_command_queue q, cl_uint n, const cl_event *wait, cl_event *event),
                (q, n, wait, event))

static inline void *counted_clEnqueueMapBuffer(cl_command_queue q, cl_mem buffer, cl_bool blocking,
                                               cl_map_flags flags, size_t at, size_t bytes,
                                               cl_uint n, const cl_event *wait, cl_event *event,
                                               cl_int *error)
{
    *error = counted_gate("clEnqueueMapBuffer");
    if (*error) return NULL;
    return COUNTED_CL(clEnqueueMapBuffer)(q, buffer, blocking, flags, at, bytes, n, wait, event,
                                          error);
}

#define CLSORT_CL(function) counted_##function
#define CLSORT_MALLOC(bytes) counted_malloc(bytes)
#define CLSORT_REALLOC(p, bytes) counted_realloc(p, bytes)
#define CLSORT_FREE(p) counted_free(p)

/* Does the implementation hold nothing any more? */
static inline int counted_nothing_live(void)
{
    int kind;
    counted_settle();
    for (kind = 0; kind < COUNTED_KINDS; kind++)
        if (counted.live[kind]) return 0;
    return 1;
}

static inline void counted_reset(void) { counted_settle(); memset(&counted, 0, sizeof counted); }

#endif
