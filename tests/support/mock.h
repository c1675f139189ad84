/* mock.h - an OpenCL driver for tests. It runs no kernels, so it is fast. It checks every argument
   of every call, and says of its devices what a test wants.

   Include it before clsort.h. The implementation then calls counted_* (counted.h counts its objects
   and fails calls on demand), and these call the driver's mock_cl*. A test makes its own objects by
   mock_cl*, too.

   mock.facts[i]       what the devices are; mock_cpu(), mock_gpu(), mock_nvidia() and
                       mock_launcher() fill them in
   mock.faults         calls that OpenCL forbids: unknown or released objects, objects of another
                       context, launches that the device cannot run, waits that would never end.
                       Each is refused, and the first ones are printed
   mock.hold           set: commands stay queued until mock_run(), or until the host waits for one
   mock.sorts          set: a launch sorts its first array, if the buffer is stored: all of it, or
                       what the host wrote from its start on. A merge of runs that fill one buffer,
                       and a partition, write their outputs. Where keys are numbered, these numbers
                       are an argsort's from then on
   mock.on_read        may change what a read returns
   mock.on_launch      hears of every launch
   mock.on_build       hears of every build from source
   mock.on_spills      says how many bytes a kernel spills, as Intel's drivers do; NULL: the driver
                       does not know that query
   mock.on_cost        how many ns a command takes by the clock of mock.clock, which only commands
                       move; `kernel` is NULL of what is no launch. Without this hook: 1000
   mock.event_cost     how many ns more it takes if it has an event
   mock.build_cost     how many ns of that clock a build takes that is not from a binary
   mock.on_stuck       is called where the host would wait for ever, as another thread of the caller
   mock.traces         set: mock.trace is a hash of all launches, copies and fills, with what they
                       were told except buffers; mock.traced counts them. For one thread.
                       2: with buffers, too, by their numbers in the order in which they were made
   mock.parts          set: the second device is a part of the first one, which contexts and
                       programs name in its place, as PoCL's do
   mock.fail_command   the number of the command, from 1, that ends with mock.command_code
   mock.allocated      bytes of all buffers that were ever made
   mock_live(kind)     references to objects of a kind, the test's own included

   A buffer of up to mock.stored bytes, or one that the host wrote to, holds bytes that fills,
   copies, reads and writes move. A larger one holds nothing, and a read of it gives zeros.

   Programs have the kernels that their text has after the preprocessor (mock_source.h), with the
   parameters that these declare. A #error fails the build. Binaries are good in the same process;
   a damaged one, or one of another device, is a fault, as it may crash a real driver.

   mock.no_binaries    set: programs give none
   mock.refuse_binary  1: clCreateProgramWithBinary fails, 2: so does the build, 3: kernels lack
   mock.loads          builds of programs from binaries, which mock.builds does not count

   Threads may use objects as OpenCL allows. Commands that wait are queued under a lock. Nothing
   else here synchronises threads, so that ThreadSanitizer sees the implementation's mistakes. */

#ifndef CLSORT_TESTS_MOCK_H
#define CLSORT_TESTS_MOCK_H

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CL/cl.h>

#include "mock_source.h"

enum { MOCK_DEVICES = 2, MOCK_CALLBACKS = 4, MOCK_QUARANTINE = 1 << 12 };

enum { MOCK_DEVICE, MOCK_CONTEXT, MOCK_QUEUE, MOCK_BUFFER, MOCK_PROGRAM, MOCK_KERNEL, MOCK_EVENT,
       MOCK_KINDS };

/* What a device says of itself. */
typedef struct mock_facts {
    const char *name, *vendor, *version, *driver;
    cl_device_type type;
    cl_uint vendor_id, nvidia_major; /* nvidia_major 0: the driver does not know that query */
    cl_uint compute_units, vector_width;
    size_t sub_group;                       /* the fewest work-items of a sub-group; 0: the driver
                                               does not know that query */
    cl_bool compiler, available, unified;
    size_t max_group, item_sizes[3];
    size_t kernel_group; /* the largest work-group that any kernel allows; 0: max_group */
    cl_ulong kernel_local;                  /* CL_KERNEL_LOCAL_MEM_SIZE of every kernel */
    cl_uint local_type;                     /* 0: CL_GLOBAL of CPUs, CL_LOCAL of others */
    cl_ulong local_bytes, max_allocation, memory;
    cl_command_queue_properties queues;     /* what queues of the host can have */
    cl_device_device_enqueue_capabilities enqueues;
    cl_bool collectives;
    cl_ulong rejects;                       /* bit per family that the compiler rejects */
    cl_int build_code;                      /* and how */
    const char *log;                        /* the build log ... */
    size_t log_bytes;                       /* ... and its size as told; 0: that of `log` */
} mock_facts;

typedef struct mock_object {
    cl_uint magic;                          /* MOCK_ALIVE + kind */
    int references;                         /* that callers have */
    int uses; /* 1 for those; by other objects and by commands that are not complete */
    struct mock_object *context;            /* itself used */
} mock_object;

enum { MOCK_ALIVE = 0x6D6F6300, MOCK_DEAD = 0x64656164 };

typedef struct mock_device { mock_object base; int number; } mock_device;
typedef struct mock_context {
    mock_object base;
    cl_uint devices;
} mock_context; /* a bit per device */

typedef struct mock_queue {
    mock_object base;
    mock_device *device;
    cl_command_queue_properties properties;
    int pending;
} mock_queue;

typedef struct mock_buffer {
    mock_object base;
    cl_mem_object_type type;
    cl_mem_flags flags;
    size_t size;
    unsigned char *bytes;                   /* NULL: not stored */
    int sorted;                             /* by a launch, and not written since */
    int ordered;                            /* holds the result of an argsort */
    size_t written;                         /* from its start on, by writes of the host in order */
    unsigned char *map;                     /* host memory, while it is mapped */
    int used;                               /* a command used it */
    cl_uint number;
} mock_buffer;

typedef struct mock_program {
    mock_object base;
    const mock_source *source;
    int loaded;                             /* from a binary */
    int device;                             /* that it was built for */
    char options[800];
    const mock_kernels *kernels;            /* NULL: not built */
    const char *error;                      /* "" if there is none */
    cl_uint family, group_log2, key_bytes, value_bytes, records;
} mock_program;

typedef struct mock_argument {
    size_t size;                            /* 0: not set */
    mock_buffer *buffer;
    cl_ulong value;                         /* of one of up to 8 bytes */
} mock_argument;

typedef struct mock_kernel {
    mock_object base;
    mock_program *program;
    const mock_signature *signature;
    mock_argument arguments[MOCK_PARAMETERS];
} mock_kernel;

typedef struct mock_event {
    mock_object base;
    mock_queue *queue;                      /* NULL: a user event */
    cl_int status;
    cl_ulong times[3];                      /* when it was queued, started, ended */
    cl_uint callbacks;
    void (CL_CALLBACK *callback[MOCK_CALLBACKS])(cl_event, cl_int, void *);
    void *callback_user[MOCK_CALLBACKS];
} mock_event;

enum { MOCK_LAUNCH, MOCK_COPY, MOCK_FILL, MOCK_READ, MOCK_WRITE, MOCK_MARKER };

/* A command; what it does when it runs: bytes from `from` to `to`, or host memory. */
typedef struct mock_command {
    struct mock_command *next;
    int kind, number;
    mock_queue *queue;
    mock_event *event, **waits;
    cl_uint wait_count;
    mock_buffer *from, *to;
    size_t from_at, to_at, bytes, pattern_size;
    unsigned char pattern[16];
    void *host;
    const void *source;
    const char *kernel;                     /* of a launch, and its work-items */
    size_t global;
    size_t key_bytes, value_bytes;
    mock_buffer *inputs[2];                 /* of a merge of runs or a partition: keys, values */
    mock_buffer *splitters, *starts;
    mock_buffer *order;                     /* of an argsort */
    size_t count, parts;
} mock_command;

/* A launch as a hook hears of it: sizes in work-items, local memory in bytes. */
typedef struct mock_launch {
    const void *program;
    const char *kernel;
    size_t global, group, local;
    int first_uses;                         /* buffers that no command used before */
} mock_launch;

static struct {
    mock_facts facts[MOCK_DEVICES];
    int hold, sorts, traces, traced, parts;
    uint64_t trace;
    size_t stored;
    int faults, fault_quiet;
    int commands, fail_command;             /* enqueued so far */
    int unflushed;                          /* since the last clFlush or wait, of any queue */
    cl_int command_code;
    size_t list_bytes;                      /* of a context's list of devices, as told; 0: right */
    int in_place;                           /* buffers in memory of the host's so far */
    int refuses_host;                       /* set: the driver makes no such buffers */
    int builds, loads, live[MOCK_KINDS];
    int no_binaries, refuse_binary;
    cl_ulong allocated;
    cl_uint buffers;                        /* ever made */
    void *user;                             /* for the hooks */
    void (*on_read)(void *user, cl_mem buffer, size_t at, size_t bytes, void *host);
    void (*on_stuck)(void *user);
    void (*on_launch)(void *user, const mock_launch *l);
    void (*on_build)(void *user, const char *text, const char *options);
    cl_ulong (*on_spills)(void *user, const char *options, const char *kernel);
    cl_ulong (*on_cost)(void *user, const char *kernel, size_t global);
    cl_ulong clock, event_cost, build_cost; /* ns; of an event, of a build from source */
} mock;

static mock_object mock_platform = { MOCK_ALIVE + MOCK_KINDS, 1, 1, NULL };
static mock_device mock_devices[MOCK_DEVICES] = {
    { { MOCK_ALIVE + MOCK_DEVICE, 1, 1, NULL }, 0 }, { { MOCK_ALIVE + MOCK_DEVICE, 1, 1, NULL }, 1 }
};
static mock_command *mock_pending;          /* in the order of their enqueue calls */
static pthread_mutex_t mock_lock = PTHREAD_MUTEX_INITIALIZER;

/* Under MemorySanitizer, bytes that the driver is given must have been written. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define MOCK_SEES(place, bytes) __msan_check_mem_is_initialized(place, (place) ? (bytes) : 0)
#endif
#endif
#ifndef MOCK_SEES
#define MOCK_SEES(place, bytes) (void)(place)
#endif

#define MOCK_GET(place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#define MOCK_ADD(place, change) __atomic_add_fetch(&(place), change, __ATOMIC_RELAXED)

/* ---- devices --------------------------------------------------------------------------------- */

static inline mock_facts mock_gpu(void)
{
    mock_facts f;
    memset(&f, 0, sizeof f);
    f.name = "mock GPU";
    f.vendor = "mock";
    f.version = "OpenCL 1.2 mock";
    f.driver = "1";
    f.type = CL_DEVICE_TYPE_GPU;
    f.vendor_id = 0x1234;
    f.compute_units = 16;
    f.vector_width = 1;
    f.compiler = f.available = CL_TRUE;
    f.max_group = f.item_sizes[0] = f.item_sizes[1] = f.item_sizes[2] = 1024;
    f.local_bytes = 48 << 10;
    f.max_allocation = (cl_ulong)4 << 30;
    f.memory = (cl_ulong)16 << 30;
    f.queues = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    f.build_code = CL_BUILD_PROGRAM_FAILURE;
    f.log = "kernels.cl:1: error: not today";
    return f;
}

static inline mock_facts mock_cpu(void)
{
    mock_facts f = mock_gpu();
    f.name = "mock CPU";
    f.type = CL_DEVICE_TYPE_CPU;
    f.unified = CL_TRUE;
    f.compute_units = 4;
    f.vector_width = 8;
    f.max_group = f.item_sizes[0] = f.item_sizes[1] = f.item_sizes[2] = 4096;
    return f;
}

/* One whose work-groups make progress: radix sorts by sweeps. */
static inline mock_facts mock_nvidia(void)
{
    mock_facts f = mock_gpu();
    f.name = "mock NVIDIA";
    f.version = "OpenCL 3.0 CUDA";
    f.vendor_id = 0x10DE;
    f.nvidia_major = 9;
    f.compute_units = 132;
    return f;
}

/* One whose kernels launch kernels. */
static inline mock_facts mock_launcher(void)
{
    mock_facts f = mock_gpu();
    f.name = "mock launcher";
    f.version = "OpenCL 3.0 mock";
    f.enqueues = CL_DEVICE_QUEUE_SUPPORTED;
    f.collectives = CL_TRUE;
    f.queues |= CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
    return f;
}

/* Two such devices and a driver without faults. What lives goes on living. */
static inline void mock_reset(mock_facts facts)
{
    int i, live[MOCK_KINDS];
    memcpy(live, mock.live, sizeof live);
    memset(&mock, 0, sizeof mock);
    memcpy(mock.live, live, sizeof live);
    for (i = 0; i < MOCK_DEVICES; i++) mock.facts[i] = facts;
    mock.stored = 4096;
}

static inline int mock_live(int kind) { return MOCK_GET(mock.live[kind]); }

/* ---- faults ---------------------------------------------------------------------------------- */

/* Notes a call that OpenCL forbids; returns the code for it. */
static inline cl_int mock_fault(const char *function, const char *what, cl_int code)
{
    if (MOCK_ADD(mock.faults, 1) <= 5 && !mock.fault_quiet)
        printf("the driver refused %s: %s\n", function, what);
    return code;
}

/* ---- objects --------------------------------------------------------------------------------- */

/* Is this an object of a kind that a caller still has? */
static inline int mock_is(const void *handle, int kind)
{
    const mock_object *o = (const mock_object *)handle;
    return o && MOCK_GET(o->magic) == (cl_uint)(MOCK_ALIVE + kind) && MOCK_GET(o->references) > 0;
}

static inline void *mock_create(size_t size, int kind, mock_object *context)
{
    mock_object *o = (mock_object *)calloc(1, size);
    if (!o) abort();
    o->magic = (cl_uint)(MOCK_ALIVE + kind);
    o->references = o->uses = 1;
    o->context = context;
    if (context) MOCK_ADD(context->uses, 1);
    MOCK_ADD(mock.live[kind], 1);
    return o;
}

/* Memory of what is released is kept for a while, so that a later use of it is noticed; with NULL,
   all of it is freed: at the end of a thread. */
static inline void mock_bury(mock_object *o)
{
    static __thread mock_object *graves[MOCK_QUARANTINE];
    static __thread unsigned next;
    unsigned i;
    if (o) o->magic = MOCK_DEAD;
    for (i = 0; !o && i < MOCK_QUARANTINE; i++) {
        free(graves[i]);
        graves[i] = NULL;
    }
    if (!o) return;
    free(graves[next % MOCK_QUARANTINE]);
    graves[next++ % MOCK_QUARANTINE] = o;
}

/* What an object keeps alive, besides its context. */
static inline mock_object *mock_owner(mock_object *o)
{
    const int kind = (int)(o->magic - MOCK_ALIVE);
    if (kind == MOCK_KERNEL) return &((mock_kernel *)o)->program->base;
    if (kind == MOCK_EVENT && ((mock_event *)o)->queue) return &((mock_event *)o)->queue->base;
    return NULL;
}

/* Ends one use of an object, and with the last one the object and its uses of others. */
static inline void mock_unuse(mock_object *o)
{
    while (o && __atomic_sub_fetch(&o->uses, 1, __ATOMIC_ACQ_REL) == 0) {
        mock_object *const owner = mock_owner(o), *const context = o->context;
        if (o->magic == MOCK_ALIVE + MOCK_BUFFER) {
            free(((mock_buffer *)o)->bytes);
            free(((mock_buffer *)o)->map);
        }
        mock_bury(o);
        if (owner) mock_unuse(owner);
        o = context;
    }
}

static inline cl_int mock_retain(void *handle, int kind, const char *function, cl_int code)
{
    if (!mock_is(handle, kind)) return mock_fault(function, "no such object", code);
    MOCK_ADD(((mock_object *)handle)->references, 1);
    MOCK_ADD(mock.live[kind], 1);
    return CL_SUCCESS;
}

static inline cl_int mock_release(void *handle, int kind, const char *function, cl_int code)
{
    mock_object *const o = (mock_object *)handle;
    if (!mock_is(handle, kind)) return mock_fault(function, "no such object", code);
    MOCK_ADD(mock.live[kind], -1);
    if (__atomic_sub_fetch(&o->references, 1, __ATOMIC_ACQ_REL) == 0) mock_unuse(o);
    return CL_SUCCESS;
}

#define MOCK_COUNTS(name, type, kind, code) \
    static inline cl_int mock_clRetain##name(type o) \
    { \
        return mock_retain(o, kind, "clRetain" #name, code); \
    } \
    static inline cl_int mock_clRelease##name(type o) \
    { \
        return mock_release(o, kind, "clRelease" #name, code); \
    }

MOCK_COUNTS(Device, cl_device_id, MOCK_DEVICE, CL_INVALID_DEVICE)
MOCK_COUNTS(Context, cl_context, MOCK_CONTEXT, CL_INVALID_CONTEXT)
MOCK_COUNTS(CommandQueue, cl_command_queue, MOCK_QUEUE, CL_INVALID_COMMAND_QUEUE)
MOCK_COUNTS(MemObject, cl_mem, MOCK_BUFFER, CL_INVALID_MEM_OBJECT)
MOCK_COUNTS(Program, cl_program, MOCK_PROGRAM, CL_INVALID_PROGRAM)
MOCK_COUNTS(Kernel, cl_kernel, MOCK_KERNEL, CL_INVALID_KERNEL)
MOCK_COUNTS(Event, cl_event, MOCK_EVENT, CL_INVALID_EVENT)

/* ---- queries --------------------------------------------------------------------------------- */

/* The answer to a query. */
static inline cl_int mock_answer(const void *data, size_t bytes, size_t room, void *value,
                                 size_t *needed)
{
    if (needed) *needed = bytes;
    if (!value) return CL_SUCCESS;
    if (room < bytes)
        return mock_fault("a query", "the answer is larger than its room", CL_INVALID_VALUE);
    memcpy(value, data, bytes);
    return CL_SUCCESS;
}

#define MOCK_ANSWER(place) mock_answer(&(place), sizeof(place), room, value, needed)
#define MOCK_TEXT(text) mock_answer(text, strlen(text) + 1, room, value, needed)

static inline cl_int mock_clGetPlatformIDs(cl_uint room, cl_platform_id *list, cl_uint *count)
{
    if (list && room) list[0] = (cl_platform_id)(void *)&mock_platform;
    if (count) *count = 1;
    return CL_SUCCESS;
}

static inline cl_int mock_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room,
                                         cl_device_id *list, cl_uint *count)
{
    cl_uint found = 0;
    int i;
    if ((void *)platform != (void *)&mock_platform)
        return mock_fault("clGetDeviceIDs", "no such platform", CL_INVALID_PLATFORM);
    for (i = 0; i < MOCK_DEVICES; i++) {
        if (type != CL_DEVICE_TYPE_ALL && !(type & mock.facts[i].type)) continue;
        if (list && found < room) list[found] = (cl_device_id)(void *)&mock_devices[i];
        found++;
    }
    if (count) *count = found;
    return found ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

static inline cl_int mock_device_text(const mock_facts *f, cl_device_info what, size_t room,
                                      void *value, size_t *needed)
{
    switch (what) {
    case CL_DEVICE_NAME: return MOCK_TEXT(f->name);
    case CL_DEVICE_VENDOR: return MOCK_TEXT(f->vendor);
    case CL_DEVICE_VERSION: return MOCK_TEXT(f->version);
    case CL_DRIVER_VERSION: return MOCK_TEXT(f->driver);
    case CL_DEVICE_EXTENSIONS: return MOCK_TEXT("");
    default: return CL_INVALID_VALUE;
    }
}

static inline cl_int mock_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room,
                                          void *value, size_t *needed)
{
    enum { COMPUTE_CAPABILITY_MAJOR_NV = 0x4000, SUB_GROUP_SIZES_INTEL = 0x4108 };
    const void *const platform = &mock_platform;
    const void *parent;
    cl_device_local_mem_type local_type;
    const mock_facts *f;
    size_t sub_groups[2];
    if (!mock_is(device, MOCK_DEVICE)) return CL_INVALID_DEVICE;
    f = &mock.facts[((mock_device *)(void *)device)->number];
    local_type = f->local_type                    ? f->local_type
                 : f->type & CL_DEVICE_TYPE_CPU ? CL_GLOBAL
                                                : CL_LOCAL;
    parent = mock.parts && f != mock.facts ? &mock_devices[0] : NULL;
    switch (what) {
    case CL_DEVICE_PARENT_DEVICE: return MOCK_ANSWER(parent);
    case CL_DEVICE_TYPE: return MOCK_ANSWER(f->type);
    case CL_DEVICE_PLATFORM: return MOCK_ANSWER(platform);
    case CL_DEVICE_VENDOR_ID: return MOCK_ANSWER(f->vendor_id);
    case CL_DEVICE_MAX_COMPUTE_UNITS: return MOCK_ANSWER(f->compute_units);
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT: return MOCK_ANSWER(f->vector_width);
    case CL_DEVICE_COMPILER_AVAILABLE: return MOCK_ANSWER(f->compiler);
    case CL_DEVICE_HOST_UNIFIED_MEMORY: return MOCK_ANSWER(f->unified);
    case CL_DEVICE_AVAILABLE: return MOCK_ANSWER(f->available);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: return MOCK_ANSWER(f->max_group);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: return MOCK_ANSWER(f->item_sizes);
    case CL_DEVICE_LOCAL_MEM_SIZE: return MOCK_ANSWER(f->local_bytes);
    case CL_DEVICE_LOCAL_MEM_TYPE: return MOCK_ANSWER(local_type);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return MOCK_ANSWER(f->max_allocation);
    case CL_DEVICE_GLOBAL_MEM_SIZE: return MOCK_ANSWER(f->memory);
    case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: return MOCK_ANSWER(f->enqueues);
    case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT: return MOCK_ANSWER(f->collectives);
    case SUB_GROUP_SIZES_INTEL:
        sub_groups[0] = 32;
        sub_groups[1] = f->sub_group;
        return f->sub_group ? MOCK_ANSWER(sub_groups) : CL_INVALID_VALUE;
    case COMPUTE_CAPABILITY_MAJOR_NV:
        return f->nvidia_major ? MOCK_ANSWER(f->nvidia_major) : CL_INVALID_VALUE;
    default: return mock_device_text(f, what, room, value, needed);
    }
}

static inline cl_int mock_clGetPlatformInfo(cl_platform_id platform, cl_platform_info what,
                                            size_t room, void *value, size_t *needed)
{
    if ((void *)platform != (void *)&mock_platform)
        return mock_fault("clGetPlatformInfo", "no such platform", CL_INVALID_PLATFORM);
    switch (what) {
    case CL_PLATFORM_NAME: return MOCK_TEXT("mock platform");
    case CL_PLATFORM_VENDOR: return MOCK_TEXT("mock");
    case CL_PLATFORM_VERSION: return MOCK_TEXT("OpenCL 3.0 mock");
    default: return CL_INVALID_VALUE;
    }
}

static inline cl_int mock_clGetContextInfo(cl_context handle, cl_context_info what, size_t room,
                                           void *value, size_t *needed)
{
    const mock_context *c = (mock_context *)(void *)handle;
    const mock_device *list[MOCK_DEVICES];
    size_t count = 0;
    cl_uint i;
    if (!mock_is(c, MOCK_CONTEXT)) return CL_INVALID_CONTEXT;
    if (what == CL_CONTEXT_REFERENCE_COUNT) return MOCK_ANSWER(c->base.references);
    if (what != CL_CONTEXT_DEVICES) return CL_INVALID_VALUE;
    if (mock.list_bytes && needed) *needed = mock.list_bytes;
    if (mock.list_bytes) return value ? CL_INVALID_VALUE : CL_SUCCESS;
    for (i = 0; i < MOCK_DEVICES; i++)
        if (c->devices >> i & 1) list[count++] = &mock_devices[mock.parts ? 0 : i];
    return mock_answer(list, count * sizeof *list, room, value, needed);
}

static inline cl_int mock_clGetCommandQueueInfo(cl_command_queue handle, cl_command_queue_info what,
                                                size_t room, void *value, size_t *needed)
{
    const mock_queue *q = (mock_queue *)(void *)handle;
    if (!mock_is(q, MOCK_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    switch (what) {
    case CL_QUEUE_CONTEXT: return MOCK_ANSWER(q->base.context);
    case CL_QUEUE_DEVICE: return MOCK_ANSWER(q->device);
    case CL_QUEUE_PROPERTIES: return MOCK_ANSWER(q->properties);
    case CL_QUEUE_REFERENCE_COUNT: return MOCK_ANSWER(q->base.references);
    default: return CL_INVALID_VALUE;
    }
}

static inline cl_int mock_clGetMemObjectInfo(cl_mem handle, cl_mem_info what, size_t room,
                                             void *value, size_t *needed)
{
    const mock_buffer *b = (mock_buffer *)(void *)handle;
    const cl_mem none = NULL;
    if (!mock_is(b, MOCK_BUFFER)) return CL_INVALID_MEM_OBJECT;
    switch (what) {
    case CL_MEM_TYPE: return MOCK_ANSWER(b->type);
    case CL_MEM_CONTEXT: return MOCK_ANSWER(b->base.context);
    case CL_MEM_FLAGS: return MOCK_ANSWER(b->flags);
    case CL_MEM_SIZE: return MOCK_ANSWER(b->size);
    case CL_MEM_ASSOCIATED_MEMOBJECT: return MOCK_ANSWER(none);   /* no part of another one */
    case CL_MEM_REFERENCE_COUNT: return MOCK_ANSWER(b->base.references);
    default: return CL_INVALID_VALUE;
    }
}

static inline cl_int mock_clGetEventInfo(cl_event handle, cl_event_info what, size_t room,
                                         void *value, size_t *needed)
{
    const mock_event *e = (mock_event *)(void *)handle;
    const cl_int status =
        mock_is(e, MOCK_EVENT) ? __atomic_load_n(&e->status, __ATOMIC_ACQUIRE) : 0;
    if (!mock_is(e, MOCK_EVENT)) return CL_INVALID_EVENT;
    switch (what) {
    case CL_EVENT_CONTEXT: return MOCK_ANSWER(e->base.context);
    case CL_EVENT_COMMAND_QUEUE: return MOCK_ANSWER(e->queue);
    case CL_EVENT_COMMAND_EXECUTION_STATUS: return MOCK_ANSWER(status);
    case CL_EVENT_REFERENCE_COUNT: return MOCK_ANSWER(e->base.references);
    default: return CL_INVALID_VALUE;
    }
}

static inline cl_int mock_clGetEventProfilingInfo(cl_event handle, cl_profiling_info what,
                                                  size_t room, void *value, size_t *needed)
{
    const mock_event *e = (mock_event *)(void *)handle;
    if (!mock_is(e, MOCK_EVENT)) return CL_INVALID_EVENT;
    if (!e->queue || !(e->queue->properties & CL_QUEUE_PROFILING_ENABLE)
        || __atomic_load_n(&e->status, __ATOMIC_ACQUIRE) != CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    switch (what) {
    case CL_PROFILING_COMMAND_QUEUED: return MOCK_ANSWER(e->times[0]);
    case CL_PROFILING_COMMAND_START: return MOCK_ANSWER(e->times[1]);
    case CL_PROFILING_COMMAND_END: return MOCK_ANSWER(e->times[2]);
    default: return CL_INVALID_VALUE;
    }
}

static inline cl_int mock_clGetKernelWorkGroupInfo(cl_kernel handle, cl_device_id device,
                                                   cl_kernel_work_group_info what, size_t room,
                                                   void *value, size_t *needed)
{
    enum { SPILL_MEM_SIZE_INTEL = 0x4109 };
    const mock_kernel *const k = (mock_kernel *)(void *)handle;
    const mock_facts *f;
    size_t group, said, compiled[3] = { 0, 1, 1 };
    cl_ulong spills = 0;
    if (!mock_is(handle, MOCK_KERNEL)) return CL_INVALID_KERNEL;
    if (!mock_is(device, MOCK_DEVICE)) return CL_INVALID_DEVICE;
    f = &mock.facts[((mock_device *)(void *)device)->number];
    if (what == SPILL_MEM_SIZE_INTEL && mock.on_spills) {
        spills = mock.on_spills(mock.user, k->program->options, k->signature->name);
        return MOCK_ANSWER(spills);
    }
    group = f->kernel_group ? f->kernel_group : f->max_group;
    said = f->nvidia_major && group > 256 ? 256 : group;   /* as NVIDIA's driver does */
    compiled[0] = (size_t)1 << k->program->group_log2;
    if (compiled[0] > group) compiled[0] = 0;
    if (what == CL_KERNEL_WORK_GROUP_SIZE) return MOCK_ANSWER(said);
    if (what == CL_KERNEL_COMPILE_WORK_GROUP_SIZE) return MOCK_ANSWER(compiled);
    return what == CL_KERNEL_LOCAL_MEM_SIZE ? MOCK_ANSWER(f->kernel_local) : CL_INVALID_VALUE;
}

/* ---- contexts, queues, buffers --------------------------------------------------------------- */

static inline cl_context mock_clCreateContext(
    const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
    void (CL_CALLBACK *f)(const char *, const void *, size_t, void *), void *user, cl_int *error)
{
    mock_context *c;
    cl_uint i, bits = 0;
    cl_int code = CL_SUCCESS;
    (void)f, (void)user;
    if (properties && (void *)properties[1] != (void *)&mock_platform) code = CL_INVALID_PLATFORM;
    for (i = 0; i < n && !code; i++) {
        if (!mock_is(devices[i], MOCK_DEVICE)) code = CL_INVALID_DEVICE;
        else bits |= 1u << ((mock_device *)(void *)devices[i])->number;
    }
    if (!code && !bits) code = CL_INVALID_VALUE;
    if (code) mock_fault("clCreateContext", "platform or devices", code);
    if (error) *error = code;
    if (code) return NULL;
    c = (mock_context *)mock_create(sizeof *c, MOCK_CONTEXT, NULL);
    c->devices = bits;
    return (cl_context)(void *)c;
}

static inline cl_command_queue mock_make_queue(cl_context handle, cl_device_id device,
                                               cl_command_queue_properties properties,
                                               const char *function, cl_int *error)
{
    mock_context *c = (mock_context *)(void *)handle;
    mock_device *d = (mock_device *)(void *)device;
    mock_queue *q;
    cl_int code = CL_SUCCESS;
    if (!mock_is(c, MOCK_CONTEXT))
        code = mock_fault(function, "no such context", CL_INVALID_CONTEXT);
    else if (!mock_is(d, MOCK_DEVICE) || !(c->devices >> d->number & 1))
        code = mock_fault(function, "not a device of the context", CL_INVALID_DEVICE);
    else if (properties & ~mock.facts[d->number].queues) code = CL_INVALID_QUEUE_PROPERTIES;
    if (error) *error = code;
    if (code) return NULL;
    q = (mock_queue *)mock_create(sizeof *q, MOCK_QUEUE, &c->base);
    q->device = d;
    q->properties = properties;
    return (cl_command_queue)(void *)q;
}

static inline cl_command_queue mock_clCreateCommandQueue(cl_context context, cl_device_id device,
                                                         cl_command_queue_properties properties,
                                                         cl_int *error)
{
    return mock_make_queue(context, device, properties, "clCreateCommandQueue", error);
}

static inline cl_command_queue mock_clCreateCommandQueueWithProperties(
    cl_context context, cl_device_id device, const cl_queue_properties *list, cl_int *error)
{
    cl_command_queue_properties properties = 0;
    for (; list && *list; list += 2)
        if (*list == CL_QUEUE_PROPERTIES) properties = list[1];
    return mock_make_queue(context, device, properties, "clCreateCommandQueueWithProperties",
                           error);
}

/* The largest allocation that all devices of a context allow. */
static inline cl_ulong mock_largest(const mock_context *c)
{
    cl_ulong most = ~(cl_ulong)0;
    cl_uint i;
    for (i = 0; i < MOCK_DEVICES; i++)
        if (c->devices >> i & 1 && mock.facts[i].max_allocation < most)
            most = mock.facts[i].max_allocation;
    return most;
}

static inline cl_mem mock_clCreateBuffer(cl_context handle, cl_mem_flags flags, size_t size,
                                         void *host, cl_int *error)
{
    mock_context *c = (mock_context *)(void *)handle;
    const int copies = (flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR)) != 0;
    mock_buffer *b;
    cl_int code = CL_SUCCESS;
    if (!mock_is(c, MOCK_CONTEXT))
        code = mock_fault("clCreateBuffer", "no such context", CL_INVALID_CONTEXT);
    else if (!host != !copies)
        code = mock_fault("clCreateBuffer", "host memory without its flag, or the reverse",
                          CL_INVALID_HOST_PTR);
    else if (!size) code = mock_fault("clCreateBuffer", "no bytes", CL_INVALID_BUFFER_SIZE);
    else if (size > mock_largest(c)) code = CL_INVALID_BUFFER_SIZE;
    else if (flags & CL_MEM_USE_HOST_PTR && mock.refuses_host) code = CL_INVALID_HOST_PTR;
    if (error) *error = code;
    if (code) return NULL;
    b = (mock_buffer *)mock_create(sizeof *b, MOCK_BUFFER, &c->base);
    b->type = CL_MEM_OBJECT_BUFFER;
    MOCK_ADD(mock.allocated, (cl_ulong)size);
    b->number = MOCK_ADD(mock.buffers, 1);
    b->flags = flags & ~(cl_mem_flags)CL_MEM_COPY_HOST_PTR; /* CL_MEM_USE_HOST_PTR: the driver
                                                               works in a copy */
    if (!(b->flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY))) b->flags |= CL_MEM_READ_WRITE;
    b->size = size;
    if (copies || size <= mock.stored) b->bytes = (unsigned char *)calloc(1, size);
    if (copies) memcpy(b->bytes, host, size);
    if (flags & CL_MEM_USE_HOST_PTR) MOCK_ADD(mock.in_place, 1);
    return (cl_mem)(void *)b;
}

/* ---- programs and kernels -------------------------------------------------------------------- */

static inline cl_program mock_clCreateProgramWithSource(cl_context handle, cl_uint n,
                                                        const char **text, const size_t *lengths,
                                                        cl_int *error)
{
    mock_context *c = (mock_context *)(void *)handle;
    mock_program *p;
    cl_int code = CL_SUCCESS;
    cl_uint i;
    (void)lengths;
    if (!mock_is(c, MOCK_CONTEXT))
        code = mock_fault("clCreateProgramWithSource", "no such context", CL_INVALID_CONTEXT);
    for (i = 0; i < n && !code; i++)
        if (!text[i])
            code = mock_fault("clCreateProgramWithSource", "a text is NULL", CL_INVALID_VALUE);
    if (error) *error = code;
    if (code) return NULL;
    p = (mock_program *)mock_create(sizeof *p, MOCK_PROGRAM, &c->base);
    p->source = mock_read_source(n, (const char *const *)(uintptr_t)text);
    p->error = "";
    return (cl_program)(void *)p;
}

/* The value of a macro that the options define. */
static inline cl_uint mock_option(const char *options, const char *name)
{
    char text[64];
    const char *place;
    snprintf(text, sizeof text, "-D CLSORT_%s=", name);
    place = strstr(options, text);
    return place ? (cl_uint)strtoul(place + strlen(text), NULL, 10) : 0;
}

static inline cl_int mock_clBuildProgram(cl_program handle, cl_uint n, const cl_device_id *devices,
                                         const char *options,
                                         void (CL_CALLBACK *f)(cl_program, void *), void *user)
{
    mock_program *p = (mock_program *)(void *)handle;
    const mock_facts *facts;
    (void)f, (void)user;
    if (!mock_is(p, MOCK_PROGRAM))
        return mock_fault("clBuildProgram", "no such program", CL_INVALID_PROGRAM);
    if (n != 1 || !mock_is(devices[0], MOCK_DEVICE))
        return mock_fault("clBuildProgram", "devices", CL_INVALID_DEVICE);
    p->device = ((mock_device *)(void *)devices[0])->number;
    facts = &mock.facts[p->device];
    if (p->loaded) MOCK_ADD(mock.loads, 1);
    else {
        MOCK_ADD(mock.builds, 1);
        MOCK_ADD(mock.clock, mock.build_cost);
        if (mock.on_build) mock.on_build(mock.user, p->source->text, options);
    }
    if (p->loaded && mock.refuse_binary == 2) return CL_BUILD_PROGRAM_FAILURE;
    if (p->loaded) options = p->options;
    else snprintf(p->options, sizeof p->options, "%s", options);
    p->family = mock_option(options, "FAMILY");
    p->group_log2 = mock_option(options, "GROUP_LOG2");
    p->key_bytes = mock_option(options, "KEY_BYTES");
    p->value_bytes = mock_option(options, "VALUE_BYTES");
    p->records = mock_option(options, "RECORDS");
    p->error = mock_read_kernels(p->source, options)->error;
    if (*p->error) return CL_BUILD_PROGRAM_FAILURE;
    if (facts->rejects >> p->family & 1) return facts->build_code;
    p->kernels = mock_read_kernels(p->source, options);
    return CL_SUCCESS;
}

/* A binary: where its text lies in this process, and its options. */
typedef struct mock_binary {
    uint64_t mark;                          /* a sum of all that follows */
    const mock_source *source;
    int device;
    char options[800];
} mock_binary;

static inline uint64_t mock_binary_mark(const mock_binary *b)
{
    const unsigned char *const bytes = (const unsigned char *)b;
    uint64_t sum = 14695981039346656037u;
    size_t i;
    for (i = sizeof b->mark; i < sizeof *b; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
    return sum;
}

static inline cl_program mock_clCreateProgramWithBinary(cl_context handle, cl_uint n,
                                                        const cl_device_id *devices,
                                                        const size_t *bytes,
                                                        const unsigned char **binaries,
                                                        cl_int *status, cl_int *error)
{
    mock_context *c = (mock_context *)(void *)handle;
    mock_binary b;
    mock_program *p;
    cl_int code = mock.refuse_binary == 1 ? CL_INVALID_BINARY : CL_SUCCESS;
    memset(&b, 0, sizeof b);
    if (n == 1 && bytes[0] == sizeof b) memcpy(&b, binaries[0], sizeof b);
    if (!mock_is(c, MOCK_CONTEXT) || n != 1 || !mock_is(devices[0], MOCK_DEVICE))
        code = mock_fault("clCreateProgramWithBinary", "context or devices", CL_INVALID_VALUE);
    else if (!b.source || b.mark != mock_binary_mark(&b)
             || strcmp(mock.facts[b.device].name,
                       mock.facts[((mock_device *)(void *)devices[0])->number].name))
        code = mock_fault("clCreateProgramWithBinary", "a damaged binary", CL_INVALID_BINARY);
    if (status) *status = code;
    if (error) *error = code;
    if (code) return NULL;
    p = (mock_program *)mock_create(sizeof *p, MOCK_PROGRAM, &c->base);
    p->source = b.source;
    p->loaded = 1;
    p->error = "";
    memcpy(p->options, b.options, sizeof p->options);
    return (cl_program)(void *)p;
}

/* The binary of one device; those of the context's other devices have no bytes. */
static inline cl_int mock_give_binary(const mock_program *p, size_t number, unsigned char **place)
{
    mock_binary b;
    if (!place[number]) return CL_SUCCESS;
    memset(&b, 0, sizeof b);
    b.source = p->source;
    b.device = p->device;
    memcpy(b.options, p->options, sizeof b.options);
    b.mark = mock_binary_mark(&b);
    memcpy(place[number], &b, sizeof b);
    return CL_SUCCESS;
}

static inline cl_int mock_clGetProgramInfo(cl_program handle, cl_program_info what, size_t room,
                                           void *value, size_t *needed)
{
    const mock_program *p = (mock_program *)(void *)handle;
    const int good = mock_is(p, MOCK_PROGRAM);
    const cl_uint devices = good ? ((mock_context *)(void *)p->base.context)->devices : 0;
    const mock_device *list[MOCK_DEVICES];
    size_t sizes[MOCK_DEVICES], count = 0, own = 0;
    int i;
    if (!good) return mock_fault("clGetProgramInfo", "no such program", CL_INVALID_PROGRAM);
    for (i = 0; i < MOCK_DEVICES; i++) {
        if (!(devices >> i & 1)) continue;
        if (i == p->device) own = count;
        sizes[count] = p->kernels && i == p->device && !mock.no_binaries ? sizeof(mock_binary) : 0;
        list[count++] = &mock_devices[mock.parts ? 0 : i];
    }
    if (what == CL_PROGRAM_DEVICES)
        return mock_answer(list, count * sizeof *list, room, value, needed);
    if (what == CL_PROGRAM_BINARY_SIZES)
        return mock_answer(sizes, count * sizeof *sizes, room, value, needed);
    if (what != CL_PROGRAM_BINARIES || !value || room < count * sizeof(unsigned char *)
        || !sizes[own])
        return mock_fault("clGetProgramInfo", "binaries", CL_INVALID_VALUE);
    return mock_give_binary(p, own, (unsigned char **)value);
}

/* The log may be told to be larger than any memory; then no caller has room for it, or reads what
 * is there. */
static inline cl_int mock_clGetProgramBuildInfo(cl_program handle, cl_device_id device,
                                                cl_program_build_info what, size_t room,
                                                void *value, size_t *needed)
{
    const mock_facts *f;
    const char *log;
    size_t length;
    if (!mock_is(handle, MOCK_PROGRAM))
        return mock_fault("clGetProgramBuildInfo", "no such program", CL_INVALID_PROGRAM);
    if (!mock_is(device, MOCK_DEVICE))
        return mock_fault("clGetProgramBuildInfo", "device", CL_INVALID_DEVICE);
    if (what != CL_PROGRAM_BUILD_LOG) return CL_INVALID_VALUE;
    f = &mock.facts[((mock_device *)(void *)device)->number];
    log = ((mock_program *)(void *)handle)->error;
    if (!*log) log = f->log;
    length = strlen(log) + 1;
    if (needed) *needed = f->log_bytes ? f->log_bytes : length;
    if (!value) return CL_SUCCESS;
    if (room < (f->log_bytes ? f->log_bytes : length)) return CL_INVALID_VALUE;
    memset(value, 'x', room);
    memcpy(value, log, length < room ? length : room);
    return CL_SUCCESS;
}

static inline cl_kernel mock_clCreateKernel(cl_program handle, const char *name, cl_int *error)
{
    static const char function[] = "clCreateKernel";
    mock_program *p = (mock_program *)(void *)handle;
    const mock_signature *s = NULL;
    mock_kernel *k;
    cl_int code = CL_SUCCESS;
    if (!mock_is(p, MOCK_PROGRAM))
        code = mock_fault(function, "no such program", CL_INVALID_PROGRAM);
    else if (!p->kernels) code = mock_fault(function, "not built", CL_INVALID_PROGRAM_EXECUTABLE);
    else for (s = p->kernels->first; s && strcmp(s->name, name);) s = s->next;
    if (!code && p->loaded && mock.refuse_binary == 3) code = CL_INVALID_KERNEL_NAME;
    if (!code && !s) code = mock_fault(function, name, CL_INVALID_KERNEL_NAME);
    if (error) *error = code;
    if (code) return NULL;
    k = (mock_kernel *)mock_create(sizeof *k, MOCK_KERNEL, p->base.context);
    k->program = p;
    k->signature = s;
    MOCK_ADD(p->base.uses, 1);
    return (cl_kernel)(void *)k;
}

/* Notes an argument that a kernel of this name does not have. */
static inline cl_int mock_bad_argument(const mock_kernel *k, cl_uint number, const char *what,
                                       cl_int code)
{
    char text[160];
    snprintf(text, sizeof text, "%s: argument %u: %s", k->signature->name, (unsigned)number, what);
    return mock_fault("clSetKernelArg", text, code);
}

static inline cl_int mock_clSetKernelArg(cl_kernel handle, cl_uint number, size_t size,
                                         const void *value)
{
    mock_kernel *k = (mock_kernel *)(void *)handle;
    mock_argument a = { 0, NULL, 0 };
    int kind, is_buffer;
    if (!mock_is(k, MOCK_KERNEL))
        return mock_fault("clSetKernelArg", "no such kernel", CL_INVALID_KERNEL);
    if (number >= (cl_uint)k->signature->count)
        return mock_bad_argument(k, number, "there are fewer", CL_INVALID_ARG_INDEX);
    kind = k->signature->kinds[number];
    is_buffer = kind == MOCK_GLOBAL || kind == MOCK_OPTIONAL;
    if (kind == MOCK_LOCAL ? value || !size : !value)
        return mock_bad_argument(k, number, "value", CL_INVALID_ARG_VALUE);
    if (kind != MOCK_LOCAL && size != (is_buffer ? sizeof(cl_mem) : (size_t)kind))
        return mock_bad_argument(k, number, "size", CL_INVALID_ARG_SIZE);
    a.size = size;
    MOCK_SEES(value, size);
    if (is_buffer) memcpy(&a.buffer, value, sizeof a.buffer);
    else if (value) memcpy(&a.value, value, size < sizeof a.value ? size : sizeof a.value);
    is_buffer = is_buffer && (a.buffer || kind == MOCK_GLOBAL);
    if (is_buffer && !mock_is(a.buffer, MOCK_BUFFER))
        return mock_bad_argument(k, number, "no such buffer", CL_INVALID_MEM_OBJECT);
    if (is_buffer && a.buffer->base.context != k->base.context)
        return mock_bad_argument(k, number, "a buffer of another context", CL_INVALID_MEM_OBJECT);
    k->arguments[number] = a;
    return CL_SUCCESS;
}

/* ---- commands -------------------------------------------------------------------------------- */

static inline void mock_set_status(mock_event *e, cl_int status)
{
    cl_uint i;
    __atomic_store_n(&e->status, status, __ATOMIC_RELEASE);
    for (i = 0; status <= CL_COMPLETE && i < e->callbacks; i++)
        e->callback[i]((cl_event)(void *)e, status, e->callback_user[i]);
    if (status <= CL_COMPLETE) e->callbacks = 0;
}

/* One pass of mock_sort: by one byte, from one place to another. */
static inline void mock_sort_byte(const unsigned char *rows, unsigned char *sorted, size_t n,
                                  size_t row, size_t byte)
{
    size_t next[256] = { 0 }, sum = 0, i;
    for (i = 0; i < n; i++) next[rows[i * row + byte]]++;
    for (i = 0; i < 256; i++) {
        const size_t count = next[i];
        next[i] = sum;
        sum += count;
    }
    for (i = 0; i < n; i++)
        memcpy(sorted + next[rows[i * row + byte]]++ * row, rows + i * row, row);
}

/* Sorts as many stored keys as there can be, and values beside them; stable. For little-endian
   hosts, as clsort is. */
static inline void mock_sort(const mock_command *c)
{
    const size_t k = c->key_bytes, v = c->to ? c->value_bytes : 0,
                 key_room = c->from->written ? c->from->written : c->from->size - c->from_at,
                 keys_there = key_room / k,
                 values_there = v ? (c->to->size - c->to_at) / v : keys_there,
                 n = keys_there < values_there ? keys_there : values_there;
    unsigned char *keys = c->from->bytes + c->from_at, *values = v ? c->to->bytes + c->to_at : NULL;
    unsigned char *rows = (unsigned char *)malloc(2 * n * (k + v) + 1),
                  *sorted = rows + n * (k + v), *now = rows;
    size_t i;
    for (i = 0; i < n; i++) {
        memcpy(rows + i * (k + v), keys + i * k, k);
        if (v) memcpy(rows + i * (k + v) + k, values + i * v, v);
    }
    for (i = 0; i < k; i++) {
        mock_sort_byte(now, now == rows ? sorted : rows, n, k + v, i);
        now = now == rows ? sorted : rows;
    }
    for (i = 0; i < n; i++) {
        memcpy(keys + i * k, now + i * (k + v), k);
        if (v) memcpy(values + i * v, now + i * (k + v) + k, v);
    }
    free(rows);
}

/* Writes the argsort of stored keys, whatever sorts them then. */
static inline void mock_argsort(const mock_command *c)
{
    const size_t places = c->order->size / sizeof(cl_uint);
    mock_command sort = *c;
    mock_buffer keys = *c->from, numbers = *c->order;
    size_t i;
    if (!c->from->bytes) return;
    if (!c->order->bytes) c->order->bytes = (unsigned char *)calloc(places, sizeof(cl_uint));
    keys.bytes = (unsigned char *)malloc(keys.size);
    memcpy(keys.bytes, c->from->bytes, keys.size);
    numbers.bytes = c->order->bytes;
    for (i = 0; i < places; i++) ((cl_uint *)(void *)numbers.bytes)[i] = (cl_uint)i;
    sort.from = &keys;
    sort.to = &numbers;
    sort.to_at = 0;
    sort.value_bytes = sizeof(cl_uint);
    mock_sort(&sort);
    free(keys.bytes);
    c->order->ordered = 1;
}

static inline uint64_t mock_key(const mock_buffer *b, size_t i, size_t bytes)
{
    uint64_t key = 0;
    memcpy(&key, b->bytes + i * bytes, bytes);
    return key;
}

/* Parts unsigned keys, and values beside them; stable. */
static inline void mock_part(const mock_command *c)
{
    const size_t k = c->key_bytes, v = c->value_bytes;
    size_t part, i, place = 0;
    for (part = 0; part < c->parts; part++) {
        ((cl_uint *)(void *)c->starts->bytes)[part] = (cl_uint)place;
        for (i = 0; i < c->count; i++) {
            const uint64_t key = mock_key(c->inputs[0], i, k);
            if (part && key < mock_key(c->splitters, part - 1, k)) continue;
            if (part + 1 < c->parts && key >= mock_key(c->splitters, part, k)) continue;
            memcpy(c->from->bytes + place * k, c->inputs[0]->bytes + i * k, k);
            if (v) memcpy(c->to->bytes + place * v, c->inputs[1]->bytes + i * v, v);
            place++;
        }
    }
    ((cl_uint *)(void *)c->starts->bytes)[c->parts] = (cl_uint)place;
}

/* Merges runs that fill a buffer, by a sort, or parts keys, where the buffers are stored. */
static inline void mock_make_output(const mock_command *c)
{
    const int v = c->value_bytes > 0;
    if (!c->inputs[0]->bytes || !c->from->bytes || (v && !(c->inputs[1]->bytes && c->to->bytes)))
        return;
    if (c->parts) {
        if (c->splitters->bytes && c->starts->bytes) mock_part(c);
        return;
    }
    if (c->inputs[0]->size != c->from->size || (v && c->inputs[1]->size != c->to->size)) return;
    memcpy(c->from->bytes, c->inputs[0]->bytes, c->from->size);
    if (v) memcpy(c->to->bytes, c->inputs[1]->bytes, c->to->size);
    mock_sort(c);
}

/* What a command does. */
static inline void mock_execute(const mock_command *c)
{
    unsigned char *from = c->from ? c->from->bytes : NULL, *to = c->to ? c->to->bytes : NULL;
    mock_command keys = *c;
    size_t i;
    if (c->inputs[0]) {
        mock_make_output(c);
        return;
    }
    if (c->order) {
        mock_argsort(c);
        return;
    }
    if (c->kind == MOCK_LAUNCH && c->to && c->to->ordered) keys.to = NULL;
    if (c->kind == MOCK_COPY && to && from) memmove(to + c->to_at, from + c->from_at, c->bytes);
    if (c->kind == MOCK_WRITE && to) memcpy(to + c->to_at, c->source, c->bytes);
    if (c->kind == MOCK_WRITE && (!c->to_at || c->to_at == c->to->written))
        c->to->written = c->to_at + c->bytes;
    if (c->kind == MOCK_READ && from) memcpy(c->host, from + c->from_at, c->bytes);
    if (c->kind == MOCK_READ && !from) memset(c->host, 0, c->bytes);
    if (c->kind == MOCK_READ && mock.on_read)
        mock.on_read(mock.user, (cl_mem)(void *)c->from, c->from_at, c->bytes, c->host);
    for (i = 0; c->kind == MOCK_FILL && to && i < c->bytes; i += c->pattern_size)
        memcpy(to + c->to_at + i, c->pattern, c->pattern_size);
    if (c->kind == MOCK_LAUNCH && from && (!c->to || to) && !c->from->sorted)
        mock_sort(&keys);
    if (c->kind == MOCK_LAUNCH && from) c->from->sorted = 1;
    else if (to) c->to->sorted = 0;
}

/* Moves the clock by a command. */
static inline void mock_spend(const mock_command *c)
{
    const cl_ulong cost = (mock.on_cost ? mock.on_cost(mock.user, c->kernel, c->global) : 1000)
                          + (c->event ? mock.event_cost : 0),
                   end = MOCK_ADD(mock.clock, cost);
    if (!c->event) return;
    c->event->times[1] = end - cost;
    c->event->times[2] = end;
}

/* Runs a command whose events have come, or fails it because one of them did. */
static inline cl_int mock_complete(const mock_command *c)
{
    cl_int status = CL_COMPLETE;
    cl_uint i;
    for (i = 0; i < c->wait_count; i++)
        if (__atomic_load_n(&c->waits[i]->status, __ATOMIC_ACQUIRE) < 0)
            status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (c->number == mock.fail_command) status = mock.command_code;
    mock_spend(c);
    if (status == CL_COMPLETE) mock_execute(c);
    if (c->event) mock_set_status(c->event, status);
    return status;
}

/* Have all events come that a command waits for? */
static inline int mock_waits_are_over(const mock_command *c)
{
    cl_uint i;
    for (i = 0; i < c->wait_count; i++)
        if (__atomic_load_n(&c->waits[i]->status, __ATOMIC_ACQUIRE) > CL_COMPLETE) return 0;
    return 1;
}

static inline int mock_can_run(const mock_command *c)
{
    const mock_command *before;
    if (!mock_waits_are_over(c)) return 0;
    if (c->queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) return 1;
    for (before = mock_pending; before != c; before = before->next)
        if (before->queue == c->queue) return 0;
    return 1;
}

/* Ends the uses of objects by a command that waited. */
static inline void mock_forget(mock_command *c)
{
    cl_uint i;
    MOCK_ADD(c->queue->pending, -1);
    for (i = 0; i < c->wait_count; i++) mock_unuse(&c->waits[i]->base);
    if (c->event) mock_unuse(&c->event->base);
    if (c->from) mock_unuse(&c->from->base);
    if (c->to) mock_unuse(&c->to->base);
    mock_unuse(&c->queue->base);
    free(c->waits);
    free(c);
}

/* Runs all commands that can. */
static inline void mock_run(void)
{
    mock_command **place;
    pthread_mutex_lock(&mock_lock);
    for (place = &mock_pending; *place;) {
        mock_command *const c = *place;
        if (!mock_can_run(c)) {
            place = &c->next;
            continue;
        }
        *place = c->next;
        pthread_mutex_unlock(&mock_lock);
        mock_complete(c);
        mock_forget(c);
        pthread_mutex_lock(&mock_lock);
        place = &mock_pending;
    }
    pthread_mutex_unlock(&mock_lock);
}

/* Queues a command behind what it waits for. */
static inline void mock_defer(const mock_command *command)
{
    mock_command **place, *c = (mock_command *)malloc(sizeof *c);
    cl_uint i;
    *c = *command;
    c->next = NULL;
    c->waits = (mock_event **)malloc(c->wait_count * sizeof *c->waits + 1);
    for (i = 0; i < c->wait_count; i++) {
        c->waits[i] = command->waits[i];
        MOCK_ADD(c->waits[i]->base.uses, 1);
    }
    MOCK_ADD(c->queue->base.uses, 1);
    MOCK_ADD(c->queue->pending, 1);
    if (c->event) MOCK_ADD(c->event->base.uses, 1);
    if (c->from) MOCK_ADD(c->from->base.uses, 1);
    if (c->to) MOCK_ADD(c->to->base.uses, 1);
    pthread_mutex_lock(&mock_lock);
    for (place = &mock_pending; *place;) place = &(*place)->next;
    *place = c;
    pthread_mutex_unlock(&mock_lock);
}

/* Is there something left of a queue that can never run? */
static inline cl_int mock_drain(mock_queue *q, const char *function)
{
    if (MOCK_GET(q->pending)) mock_run();
    if (MOCK_GET(q->pending) && mock.on_stuck) mock.on_stuck(mock.user);
    if (MOCK_GET(q->pending))
        return mock_fault(function, "would wait for ever", CL_OUT_OF_RESOURCES);
    return CL_SUCCESS;
}

/* Queue and wait list of a command. */
static inline cl_int mock_check_command(const char *function, const mock_queue *q, cl_uint n,
                                        const cl_event *wait)
{
    cl_uint i;
    if (!mock_is(q, MOCK_QUEUE))
        return mock_fault(function, "no such queue", CL_INVALID_COMMAND_QUEUE);
    if (!n != !wait) return mock_fault(function, "wait list", CL_INVALID_EVENT_WAIT_LIST);
    for (i = 0; i < n; i++) {
        if (!mock_is(wait[i], MOCK_EVENT))
            return mock_fault(function, "no such event", CL_INVALID_EVENT_WAIT_LIST);
        if (((mock_event *)(void *)wait[i])->base.context != q->base.context)
            return mock_fault(function, "an event of another context", CL_INVALID_CONTEXT);
    }
    return CL_SUCCESS;
}

/* A range of a buffer that a command uses. */
static inline cl_int mock_check_range(const char *function, const mock_queue *q,
                                      const mock_buffer *b, size_t at, size_t bytes)
{
    if (!mock_is(b, MOCK_BUFFER))
        return mock_fault(function, "no such buffer", CL_INVALID_MEM_OBJECT);
    if (b->base.context != q->base.context)
        return mock_fault(function, "a buffer of another context", CL_INVALID_CONTEXT);
    if (!bytes) return mock_fault(function, "no bytes", CL_INVALID_VALUE);
    if (at > b->size || bytes > b->size - at)
        return mock_fault(function, "beyond the end of a buffer", CL_INVALID_VALUE);
    return CL_SUCCESS;
}

static inline void mock_trace(uint64_t x)
{
    mock.trace = (mock.trace ^ x) * UINT64_C(0x9E3779B97F4A7C15);
    mock.trace ^= mock.trace >> 29;
}

static inline void mock_trace_buffer(const mock_buffer *b)
{
    if (mock.traces > 1) mock_trace(b ? b->number : 0);
}

/* Takes a command into the trace; a launch with its work-items, the numbers in its program's build
   options and the values of its arguments. Names are left out: they may change. */
static inline void mock_trace_command(const mock_command *c, const mock_kernel *k, size_t global,
                                      size_t group)
{
    const char *option = k ? k->program->kernels->options : "";
    int i;
    if (!mock.traces) return;
    mock.traced++;
    for (; *option; option++)
        if (isdigit((unsigned char)*option)) mock_trace((uint64_t)*option);
    mock_trace((uint64_t)c->kind);
    mock_trace(k ? global : c->bytes);
    mock_trace(k ? group : c->from_at);
    mock_trace(k ? (uint64_t)k->signature->count : c->to_at);
    mock_trace(c->pattern[0]);
    mock_trace_buffer(c->from);
    mock_trace_buffer(c->to);
    for (i = 0; k && i < k->signature->count; i++) {
        mock_trace(k->arguments[i].buffer ? 0
                                          : k->arguments[i].value + 256 * k->arguments[i].size);
        mock_trace_buffer(k->arguments[i].buffer);
    }
}

/* Enqueues a checked command. */
/* Marks a buffer, if there is one, as used; returns 1 if it was not before. */
static inline int mock_use_buffer(mock_buffer *b)
{
    return b && !__atomic_exchange_n(&b->used, 1, __ATOMIC_RELAXED);
}

static inline cl_int mock_enqueue(mock_command *c, cl_uint n, const cl_event *wait, cl_event *event,
                                  int blocking)
{
    cl_int status = CL_COMPLETE;
    c->wait_count = n;
    c->waits = (mock_event **)(uintptr_t)wait;
    c->number = MOCK_ADD(mock.commands, 1);
    MOCK_ADD(mock.unflushed, 1);
    mock_use_buffer(c->from);
    mock_use_buffer(c->to);
    if (event) {
        c->event = (mock_event *)mock_create(sizeof *c->event, MOCK_EVENT, c->queue->base.context);
        c->event->queue = c->queue;
        c->event->times[0] = MOCK_GET(mock.clock);
        MOCK_ADD(c->queue->base.uses, 1);
        c->event->status = CL_QUEUED;
        *event = (cl_event)(void *)c->event;
    }
    if (mock.hold || MOCK_GET(c->queue->pending) || !mock_waits_are_over(c)) mock_defer(c);
    else status = mock_complete(c);
    if (blocking) {
        const cl_int drained = mock_drain(c->queue, "a blocking command");
        if (drained) return drained;
    }
    return blocking && status < 0 ? status : CL_SUCCESS;
}

static inline mock_command mock_begin(int kind, cl_command_queue queue)
{
    mock_command c;
    memset(&c, 0, sizeof c);
    c.kind = kind;
    c.queue = (mock_queue *)(void *)queue;
    return c;
}

static inline cl_int mock_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint n,
                                                      const cl_event *wait, cl_event *event)
{
    mock_command c = mock_begin(MOCK_MARKER, queue);
    const cl_int code = mock_check_command("clEnqueueMarkerWithWaitList", c.queue, n, wait);
    return code ? code : mock_enqueue(&c, n, wait, event, 0);
}

static inline cl_int mock_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer,
                                              cl_bool blocking, size_t at, size_t bytes, void *host,
                                              cl_uint n, const cl_event *wait, cl_event *event)
{
    mock_command c = mock_begin(MOCK_READ, queue);
    cl_int code = mock_check_command("clEnqueueReadBuffer", c.queue, n, wait);
    c.from = (mock_buffer *)(void *)buffer;
    c.from_at = at;
    c.bytes = bytes;
    c.host = host;
    if (!code) code = mock_check_range("clEnqueueReadBuffer", c.queue, c.from, at, bytes);
    return code ? code : mock_enqueue(&c, n, wait, event, blocking != CL_FALSE);
}

static inline cl_int mock_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer,
                                               cl_bool blocking, size_t at, size_t bytes,
                                               const void *host, cl_uint n, const cl_event *wait,
                                               cl_event *event)
{
    mock_command c = mock_begin(MOCK_WRITE, queue);
    cl_int code = mock_check_command("clEnqueueWriteBuffer", c.queue, n, wait);
    c.to = (mock_buffer *)(void *)buffer;
    c.to_at = at;
    c.bytes = bytes;
    c.source = host;
    if (!code) code = mock_check_range("clEnqueueWriteBuffer", c.queue, c.to, at, bytes);
    if (!code && !c.to->bytes) c.to->bytes = (unsigned char *)calloc(1, c.to->size);
    return code ? code : mock_enqueue(&c, n, wait, event, blocking != CL_FALSE);
}

/* Host memory of its own; what is written there does not reach the buffer. */
static inline void *mock_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                            cl_map_flags flags, size_t at, size_t bytes, cl_uint n,
                                            const cl_event *wait, cl_event *event, cl_int *error)
{
    mock_command c = mock_begin(MOCK_MARKER, queue);
    mock_buffer *b = (mock_buffer *)(void *)buffer;
    cl_int code = mock_check_command("clEnqueueMapBuffer", c.queue, n, wait);
    if (!code) code = mock_check_range("clEnqueueMapBuffer", c.queue, b, at, bytes);
    if (!code && (b->map || !flags || at))
        code = mock_fault("clEnqueueMapBuffer", "mapped before, or not as known here",
                          CL_INVALID_VALUE);
    if (!code) code = mock_enqueue(&c, n, wait, event, blocking != CL_FALSE);
    if (error) *error = code;
    if (!code) b->map = (unsigned char *)calloc(1, bytes);
    return code ? NULL : b->map;
}

/* What was mapped is freed with the buffer: commands may still be queued that use it. */
static inline cl_int mock_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer,
                                                  void *place, cl_uint n, const cl_event *wait,
                                                  cl_event *event)
{
    mock_command c = mock_begin(MOCK_MARKER, queue);
    const mock_buffer *b = (mock_buffer *)(void *)buffer;
    cl_int code = mock_check_command("clEnqueueUnmapMemObject", c.queue, n, wait);
    if (!code && (!mock_is(b, MOCK_BUFFER) || !place || b->map != place))
        code = mock_fault("clEnqueueUnmapMemObject", "not mapped there", CL_INVALID_VALUE);
    return code ? code : mock_enqueue(&c, n, wait, event, 0);
}

static inline cl_int mock_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                              size_t from_at, size_t to_at, size_t bytes, cl_uint n,
                                              const cl_event *wait, cl_event *event)
{
    mock_command c = mock_begin(MOCK_COPY, queue);
    cl_int code = mock_check_command("clEnqueueCopyBuffer", c.queue, n, wait);
    c.from = (mock_buffer *)(void *)from;
    c.from_at = from_at;
    c.to = (mock_buffer *)(void *)to;
    c.to_at = to_at;
    c.bytes = bytes;
    if (!code) code = mock_check_range("clEnqueueCopyBuffer", c.queue, c.from, from_at, bytes);
    if (!code) code = mock_check_range("clEnqueueCopyBuffer", c.queue, c.to, to_at, bytes);
    if (!code && from == to && from_at < to_at + bytes && to_at < from_at + bytes)
        code = mock_fault("clEnqueueCopyBuffer", "the ranges overlap", CL_MEM_COPY_OVERLAP);
    if (!code) mock_trace_command(&c, NULL, 0, 0);
    return code ? code : mock_enqueue(&c, n, wait, event, 0);
}

static inline cl_int mock_clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer,
                                              const void *pattern, size_t size, size_t at,
                                              size_t bytes, cl_uint n, const cl_event *wait,
                                              cl_event *event)
{
    mock_command c = mock_begin(MOCK_FILL, queue);
    cl_int code = mock_check_command("clEnqueueFillBuffer", c.queue, n, wait);
    c.to = (mock_buffer *)(void *)buffer;
    c.to_at = at;
    c.bytes = bytes;
    if (!code) code = mock_check_range("clEnqueueFillBuffer", c.queue, c.to, at, bytes);
    if (!code
        && (!size || size > sizeof c.pattern || size & (size - 1) || at % size || bytes % size))
        code = mock_fault("clEnqueueFillBuffer", "pattern", CL_INVALID_VALUE);
    if (code) return code;
    c.pattern_size = size;
    MOCK_SEES(pattern, size);
    memcpy(c.pattern, pattern, size);
    mock_trace_command(&c, NULL, 0, 0);
    return mock_enqueue(&c, n, wait, event, 0);
}

/* Can the queue's device run this launch? Writes the bytes of local memory that it takes. */
static inline cl_int mock_check_launch(const mock_queue *q, const mock_kernel *k, size_t global,
                                       size_t group, size_t *local)
{
    static const char function[] = "clEnqueueNDRangeKernel";
    const mock_facts *f = &mock.facts[q->device->number];
    const size_t most = f->kernel_group ? f->kernel_group : f->max_group;
    int i;
    if (!mock_is(k, MOCK_KERNEL)) return mock_fault(function, "no such kernel", CL_INVALID_KERNEL);
    if (k->base.context != q->base.context)
        return mock_fault(function, "a kernel of another context", CL_INVALID_CONTEXT);
    if (!global) return mock_fault(function, "no work-items", CL_INVALID_GLOBAL_WORK_SIZE);
    if (group > most || group > f->item_sizes[0] || global % group
        || group != (size_t)1 << k->program->group_log2)
        return mock_fault(function, "the work-group", CL_INVALID_WORK_GROUP_SIZE);
    *local = (size_t)f->kernel_local;
    for (i = 0; i < k->signature->count; i++) {
        const mock_argument *a = &k->arguments[i];
        if (!a->size) return mock_fault(function, "an argument is not set", CL_INVALID_KERNEL_ARGS);
        if (a->buffer && !mock_is(a->buffer, MOCK_BUFFER))
            return mock_fault(function, "an argument was released", CL_INVALID_MEM_OBJECT);
        if (k->signature->kinds[i] == MOCK_LOCAL) *local += a->size;
        if (a->buffer && i + 1 < k->signature->count && k->signature->kinds[i + 1] == 8
            && k->arguments[i + 1].value > a->buffer->size)
            return mock_fault(function, "an offset beyond a buffer", CL_INVALID_VALUE);
    }
    return *local > f->local_bytes ? mock_fault(function, "local memory", CL_OUT_OF_RESOURCES)
                                   : CL_SUCCESS;
}

/* The arrays of a launch that writes the output of a merge of runs or of a partition, whose target
   is argument `target`; arrays begin where their buffers do. */
static inline void mock_find_outputs(mock_command *c, const mock_kernel *k, int target, int values)
{
    const mock_argument *a = k->arguments;
    const int v = c->value_bytes > 0, rest = target + 2 + 2 * v;
    c->inputs[0] = a[0].buffer;
    c->inputs[1] = v ? a[values].buffer : NULL;
    c->from = a[target].buffer;
    c->to = v ? a[target + 2].buffer : NULL;
    if (values > 2) return;
    c->splitters = a[rest + 3].buffer;      /* behind the codec's three */
    c->starts = a[rest + 5].buffer;
    c->count = (size_t)a[rest + 9].value;
    c->parts = (size_t)a[rest + 12].value + 1;
}

/* The arrays of a launch that numbers keys: before these are sorted, or as it sorts them. */
static inline int mock_find_order(mock_command *c, const mock_kernel *k)
{
    const mock_argument *const a = k->arguments;
    const mock_program *p = k->program;
    const char *const name = k->signature->name;
    const int extracts = !strcmp(name, "clsort_extract") && a[12].value,
              ranks = !strcmp(name, "clsort_ranks")
                      && mock_option(p->options, "BREAK_TIES_BY_INDEX"),
              samples = !strncmp(name, "clsort_samples_", 15) && p->value_bytes
                        && a[k->signature->count - 2].value,
              cached = !strncmp(name, "clsort_cached_", 14) && p->value_bytes
                       && (cl_uint)a[k->signature->count - 2].value & 16;   /* NUMBERS_KEYS */
    if (!extracts && !ranks && !samples && !cached) return 0;
    c->key_bytes = extracts ? (size_t)a[7].value : samples ? 4 : p->key_bytes;
    c->from = a[0].buffer;
    c->from_at = (size_t)a[1].value;
    c->order = a[extracts ? 4 : 6].buffer;
    return 1;
}

/* The arrays that a launch sorts. */
static inline void mock_find_arrays(mock_command *c, const mock_kernel *k)
{
    const mock_program *p = k->program;
    const char *const name = k->signature->name;
    const mock_argument *const a = k->arguments;
    int first = 0;
    if (!mock.sorts || p->records || p->family == 5 || p->family == 10) return;
    if (mock_find_order(c, k)) return;
    c->key_bytes = p->key_bytes;
    if (p->value_bytes && (p->family == 41 || p->family == 45)
        && !mock_option(p->options, "BUCKET_ITEMS"))
        c->key_bytes = 4;   /* a packed pair's */
    c->value_bytes = p->value_bytes;
    if (!strcmp(name, "clsort_runs_pass")) mock_find_outputs(c, k, p->value_bytes ? 38 : 21, 17);
    if (!strcmp(name, "clsort_partition_scatter"))
        mock_find_outputs(c, k, p->value_bytes ? 4 : 2, 2);
    if (!strncmp(name, "clsort_runs_", 12) || !strncmp(name, "clsort_partition_", 17)) return;
    if (!strcmp(name, "clsort_ranks")) first = p->value_bytes ? 4 : 2;   /* it may read copies */
    c->from = a[first].buffer;
    c->from_at = (size_t)a[first + 1].value;
    if (!p->value_bytes) return;
    c->to = a[first + 2].buffer;
    c->to_at = (size_t)a[first + 3].value;
}

/* Marks the buffers of a launch as used; returns how many were not before. */
static inline int mock_use_buffers(const mock_kernel *k)
{
    int i, first = 0;
    for (i = 0; i < k->signature->count; i++) first += mock_use_buffer(k->arguments[i].buffer);
    return first;
}

static inline cl_int mock_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                                 cl_uint dimensions, const size_t *offset,
                                                 const size_t *global, const size_t *group,
                                                 cl_uint n, const cl_event *wait, cl_event *event)
{
    mock_command c = mock_begin(MOCK_LAUNCH, queue);
    const mock_kernel *k = (mock_kernel *)(void *)kernel;
    size_t local = 0;
    int first_uses;
    cl_int code = mock_check_command("clEnqueueNDRangeKernel", c.queue, n, wait);
    if (!code && (dimensions != 1 || offset || !group))
        code = mock_fault("clEnqueueNDRangeKernel", "dimensions", CL_INVALID_WORK_DIMENSION);
    if (!code) code = mock_check_launch(c.queue, k, *global, *group, &local);
    if (code) return code;
    first_uses = mock_use_buffers(k);
    if (mock.on_launch) {
        const mock_launch l = { k->program, k->signature->name, *global, *group, local,
                                first_uses };
        mock.on_launch(mock.user, &l);
    }
    c.kernel = k->signature->name;
    c.global = *global;
    mock_find_arrays(&c, k);
    mock_trace_command(&c, k, *global, *group);
    return mock_enqueue(&c, n, wait, event, 0);
}

/* ---- waiting --------------------------------------------------------------------------------- */

static inline cl_int mock_clFlush(cl_command_queue queue)
{
    if (!mock_is(queue, MOCK_QUEUE))
        return mock_fault("clFlush", "no such queue", CL_INVALID_COMMAND_QUEUE);
    __atomic_store_n(&mock.unflushed, 0, __ATOMIC_RELAXED);
    return CL_SUCCESS;
}

static inline cl_int mock_clFinish(cl_command_queue queue)
{
    if (!mock_is(queue, MOCK_QUEUE))
        return mock_fault("clFinish", "no such queue", CL_INVALID_COMMAND_QUEUE);
    return mock_drain((mock_queue *)(void *)queue, "clFinish");
}

static inline cl_int mock_clWaitForEvents(cl_uint n, const cl_event *events)
{
    cl_int code = CL_SUCCESS, status;
    cl_uint i;
    if (!n || !events) return mock_fault("clWaitForEvents", "no events", CL_INVALID_VALUE);
    for (i = 0; i < n; i++) {
        const mock_event *e = (mock_event *)(void *)events[i];
        if (!mock_is(e, MOCK_EVENT))
            return mock_fault("clWaitForEvents", "no such event", CL_INVALID_EVENT);
        if (__atomic_load_n(&e->status, __ATOMIC_ACQUIRE) > CL_COMPLETE) mock_run();
        if (__atomic_load_n(&e->status, __ATOMIC_ACQUIRE) > CL_COMPLETE && mock.on_stuck)
            mock.on_stuck(mock.user);
        status = __atomic_load_n(&e->status, __ATOMIC_ACQUIRE);
        if (status > CL_COMPLETE)
            return mock_fault("clWaitForEvents", "would wait for ever", CL_OUT_OF_RESOURCES);
        if (status < 0) code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return code;
}

static inline cl_event mock_clCreateUserEvent(cl_context handle, cl_int *error)
{
    mock_context *c = (mock_context *)(void *)handle;
    mock_event *e;
    const int good = mock_is(c, MOCK_CONTEXT);
    if (error)
        *error = good ? CL_SUCCESS
                      : mock_fault("clCreateUserEvent", "no such context", CL_INVALID_CONTEXT);
    if (!good) return NULL;
    e = (mock_event *)mock_create(sizeof *e, MOCK_EVENT, &c->base);
    e->status = CL_SUBMITTED;
    return (cl_event)(void *)e;
}

static inline cl_int mock_clSetUserEventStatus(cl_event handle, cl_int status)
{
    mock_event *e = (mock_event *)(void *)handle;
    if (!mock_is(e, MOCK_EVENT) || e->queue)
        return mock_fault("clSetUserEventStatus", "no such event", CL_INVALID_EVENT);
    if (e->status <= CL_COMPLETE)
        return mock_fault("clSetUserEventStatus", "set before", CL_INVALID_OPERATION);
    mock_set_status(e, status);
    if (!mock.hold) mock_run();
    return CL_SUCCESS;
}

static inline cl_int mock_clSetEventCallback(cl_event handle, cl_int when,
                                             void (CL_CALLBACK *f)(cl_event, cl_int, void *),
                                             void *user)
{
    mock_event *e = (mock_event *)(void *)handle;
    if (!mock_is(e, MOCK_EVENT))
        return mock_fault("clSetEventCallback", "no such event", CL_INVALID_EVENT);
    if (when != CL_COMPLETE || !f)
        return mock_fault("clSetEventCallback", "callback", CL_INVALID_VALUE);
    if (__atomic_load_n(&e->status, __ATOMIC_ACQUIRE) <= CL_COMPLETE) {
        f(handle, e->status, user);
        return CL_SUCCESS;
    }
    if (e->callbacks == MOCK_CALLBACKS)
        return mock_fault("clSetEventCallback", "too many for this driver", CL_OUT_OF_RESOURCES);
    e->callback[e->callbacks] = f;
    e->callback_user[e->callbacks++] = user;
    return CL_SUCCESS;
}

/* The kinds of devices that most tests go through. */
static const struct mock_preset {
    const char *name;
    mock_facts (*facts)(void);
} mock_presets[] = {
    { "CPU", mock_cpu },
    { "GPU", mock_gpu },
    { "NVIDIA", mock_nvidia },
    { "launcher", mock_launcher },
};
enum { MOCK_PRESETS = sizeof mock_presets / sizeof *mock_presets };

#define COUNTED_CL(function) mock_##function

#include "counted.h"

/* ---- worlds ---------------------------------------------------------------------------------- */

static inline cl_command_queue mock_new_queue(cl_context context, cl_device_id device,
                                              int out_of_order)
{
    cl_int error = 0;
    cl_command_queue queue = mock_clCreateCommandQueue(
        context, device, out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
    if (error) abort();
    return queue;
}

static inline cl_mem mock_new_buffer(cl_context context, size_t bytes)
{
    cl_int error = 0;
    cl_mem buffer = mock_clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (error) abort();
    return buffer;
}

static inline cl_context mock_new_context(cl_device_id device)
{
    cl_int error = 0;
    cl_context context = mock_clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (error) abort();
    return context;
}

/* A driver without faults, its first device, and a context and a queue of that. */
static inline void mock_open(mock_facts facts, int out_of_order, cl_context *context,
                             cl_device_id *device, cl_command_queue *queue)
{
    mock_reset(facts);
    counted_reset();
    *device = (cl_device_id)(void *)&mock_devices[0];
    *context = mock_new_context(*device);
    *queue = mock_new_queue(*context, *device, out_of_order);
}

#endif
