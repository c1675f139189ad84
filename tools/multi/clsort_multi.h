/* clsort_multi.h - sorts host arrays of any size by clsort, on one device or several. One file to
   copy, beside clsort.h. MIT or public domain, as you like: clsort.h has the texts.

     #include "clsort.h"
     #include "clsort_multi.h"

     clsort_multi_desc m = clsort_multi_desc_default();
     m.sort = &d;                              count, types and order
     m.keys = keys;                            sorted in place
     status = clsort_sort_host_on(sorters, 2, &m);

   The file of a program that defines CLSORT_IMPLEMENTATION includes this header, too: the
   implementation comes with it. It calls private functions of clsort.h, so both headers must be of
   one version. They are two because few programs need this one, and because tools and web pages
   that show code stop at 1 MiB.

   COMPILE-TIME OPTIONS, beside those of clsort.h, defined before the implementation is included
     CLSORT_STAGE_BYTES         bytes of a block of pinned memory; default 16 MiB
     CLSORT_YIELD()             called while it waits for devices; default sched_yield() on
                                POSIX, else nothing */

#include "clsort.h"   /* above the guard, so that CLSORT_IMPLEMENTATION brings both */

#ifndef CLSORT_MULTI_H_INCLUDED
#define CLSORT_MULTI_H_INCLUDED

#if CLSORT_VERSION_MAJOR != 0 || CLSORT_VERSION_MINOR != 5 || CLSORT_VERSION_PATCH != 0
#error "clsort.h and clsort_multi.h are of different versions: take both from one release"
#endif

/* The OpenCL functions that the implementation calls, beside CLSORT_CL_FUNCTIONS. */
#define CLSORT_MULTI_CL_FUNCTIONS(X) \
    X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject)

#ifdef __cplusplus
extern "C" {
#endif

/* How bytes go between host memory and a device. */
enum { CLSORT_TRANSFER_DEFAULT = 0,  /* DIRECT if the device shares memory with the host, and on
                                        NVIDIA's GPUs, which pin the arrays and `work` for the call;
                                        else STAGED */
       CLSORT_TRANSFER_DIRECT = 1,   /* commands read and write the host arrays. On devices with
                                        memory of their own this is fast if the arrays and `work`
                                        are pinned, such as mapped CL_MEM_ALLOC_HOST_PTR */
       CLSORT_TRANSFER_STAGED = 2 }; /* blocks of pinned memory, which the call allocates, lie
                                        between; the calling thread copies */

/* What one sorter did. */
typedef struct clsort_share {
    cl_ulong elements;          /* of its finished jobs; in two trips each element counts twice */
    cl_uint jobs;               /* chunks that it sorted, and parts that it merged */
    clsort_status status;       /* CL_SUCCESS, or why the sorter was dropped */
} clsort_share;

/* Arrays in host memory, and how to sort them. */
typedef struct clsort_multi_desc {
    size_t struct_size;
    /* As for clsort_sort_host, but with any count, and without rows and `precedes`. */
    const clsort_desc *sort;
    void *keys, *values;        /* as for clsort_sort_host */
    /* Receive the result; then keys and values are only read. Both NULL: keys and values are sorted
       in place. They must not overlap other arrays. */
    void *keys_out, *values_out;
    /* Argsort: receives the permutation, count cl_ulong. Then keys are only read, values are
       ignored, and keys_out may be NULL. NULL: no argsort. */
    cl_ulong *indices;
    /* Host memory for sorted runs in two trips, and for the result of one trip in place with
       several buffers; otherwise not needed. NULL: from CLSORT_MALLOC. Bytes: count * (bytes of a
       key or record), rounded up to a multiple of 16, plus count * value_size; for an argsort plus
       count * 8 instead. */
    void *work;
    size_t work_size;           /* bytes of `work` */
    /* The most bytes of buffers on each device. 0: 7 / 8 of the device's memory, or 1 / 4 if that
       is also the host's. */
    size_t device_memory;
    clsort_share *shares;       /* receives what each sorter did; NULL: not wanted */
    cl_uint transfer;           /* CLSORT_TRANSFER_* */
    cl_uint reserved;           /* 0 */
} clsort_multi_desc;
CLSORT__DEFAULT(clsort_multi_desc)

/* Sorts the arrays. Blocks. The sorters may belong to different contexts and platforms. Give each
   device a context of its own: threads that share one of NVIDIA's contexts wait for each other's
   moves of ordinary memory. On two H200s sorts of 0.9 ms then took 35 ms and more.
   - If all elements and scratch memory fit on one device, the first such device sorts them in one
     trip. If one buffer or one sort does not take all elements, it merges eight runs. Name the
     fastest device first.
   - Else the arrays make two trips through the devices. In the first one, sorted chunks become
     runs in `work`. In the second one, each part of the result is merged from pieces of all runs;
     the host finds the pieces.
   - GPUs merge by clsort_enqueue_merge_runs: keys of one type and all their bits, without equal
     zeros and equal NaNs, and values of up to 8 bytes. Other keys, records and longer values are
     merged by another sort of the pieces, and so is everything on CPUs in two trips.
   - If reading back the result of one trip in place fails, it is read once more. If that fails,
     too, the call fails, and the arrays are undefined.
   - 2^30 u32 on an NVIDIA H200 take 0.44 to 0.56 s in one trip, 0.78 to 0.99 s in two trips, and as
     long with two H200s: most of it is pinning. Arrays that are pinned before take 0.18 s, 0.22 to
     0.25 s, and 0.19 s. With STAGED, ordinary arrays took 1.6 s in one trip, 2.9 s in two.
   - Every device has two jobs at a time: bytes of one move while the other is sorted. A fast device
     does more jobs. No threads are made: the calling thread asks all devices in turn. With one
     device and CLSORT_TRANSFER_DIRECT it sleeps.
   - A device is dropped if a call or a command fails: the diagnostic callback hears why, and the
     other devices do its jobs again. After CL_MEM_OBJECT_ALLOCATION_FAILURE it goes on with half of
     its memory instead, until that is too little for one element.
   - Host memory beyond `work`: with CLSORT_TRANSFER_STAGED, 4 * CLSORT_STAGE_BYTES of pinned memory
     for each device. Tables take less than 400 * runs + 32 * runs * sorters + 2000 * sorters bytes.
     If runs stay on the device, also 8 * 4096 keys or records and 8192 bytes.
   - A call makes up to two queues for each device, and releases them with its buffers.
   Fails if no sorter is left, with the code of the sorter that was dropped last, or with
   CL_OUT_OF_HOST_MEMORY. Arrays that receive a result are then undefined. Arrays that are sorted in
   place are as they were, or hold a permutation of the input: sorted runs, each value with its key.
   Exceptions: one trip in place, see above; a driver that still writes to host memory after
   clFinish and clWaitForEvents failed.
   Errors: CLSORT_ERROR_NULL_ARGUMENT also for no sorters; CLSORT_ERROR_UNKNOWN_VALUE also for a
   sorter that is given twice; CLSORT_ERROR_VALUE_SIZE if only one of keys_out and values_out is
   given; CLSORT_ERROR_SCRATCH_TOO_SMALL for work_size; CLSORT_ERROR_SCRATCH_TOO_LARGE if
   device_memory does not hold one element.
   Sources: Knuth, The Art of Computer Programming 3, 5.4; see clsort_enqueue_merge_runs, too. */
CLSORT_API clsort_status clsort_sort_host_on(clsort_sorter *const *sorters, cl_uint sorter_count,
                                             const clsort_multi_desc *multi);

#ifdef __cplusplus
}
#endif

#endif /* CLSORT_MULTI_H_INCLUDED */

/* ==== implementation ========================================================================== */

#ifdef CLSORT_IMPLEMENTATION
#ifndef CLSORT_MULTI_IMPLEMENTED
#define CLSORT_MULTI_IMPLEMENTED

#ifndef CLSORT_STAGE_BYTES
#define CLSORT_STAGE_BYTES (16 << 20)
#endif
#ifndef CLSORT_YIELD
#if defined(__unix__) || defined(__APPLE__)
#include <sched.h>
#define CLSORT_YIELD() (void)sched_yield()
#else
#define CLSORT_YIELD() (void)0
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- >>multi --------------------------------------------------------------------------------- */

/* Host arrays of any size. A job moves pieces of host arrays to a device, side by side, sorts them
   there, and brings them back as one range of other arrays. In the first trip a job has one piece,
   a chunk of the input, and leaves a sorted run. In the second trip it has a piece of every run,
   and leaves a part of the result. Each device has two slots for jobs: one job moves while the
   other is sorted. All slots are asked in turn whether they can go on.

   It is built on the public functions, and looks into no sorter. tests/scripts/header lists the
   helpers that it takes from clsort.h. */

enum {
    CLSORT__MULTI_FIRST_SIZE = offsetof(clsort_multi_desc, reserved) + sizeof(cl_uint),
    CLSORT__MULTI_SLOTS = 2,
    CLSORT__MULTI_STAGES = 2,       /* blocks of pinned memory in a slot */
    CLSORT__MULTI_ARRAYS = 2,       /* keys (or records), values */
    CLSORT__MULTI_BLOCK = 4096,     /* keys that are read from a device at once */
    CLSORT__MULTI_RUNS = 8,         /* the fewest runs of one device */
    CLSORT__MULTI_PARTS = 8,        /* the fewest parts into which runs that stay are merged */
    CLSORT__MULTI_MOST_PARTS = 64,  /* the most such parts */
    CLSORT__MULTI_PINS = 3 * CLSORT__MULTI_ARRAYS,  /* of inputs, `work` and results */
    CLSORT__MULTI_DIRECT_BLOCKS = 64    /* without pinned memory, times CLSORT_STAGE_BYTES: the most
                                           that a command moves */
};

/* The state of a slot. */
enum { CLSORT__MULTI_IDLE, CLSORT__MULTI_UP, CLSORT__MULTI_DOWN };

/* Arrays in host memory: keys or records, and values; NULL: none. */
typedef struct clsort__multi_arrays {
    unsigned char *array[CLSORT__MULTI_ARRAYS];
} clsort__multi_arrays;

/* Elements of an array in host memory. */
typedef struct clsort__multi_range { size_t first, count; } clsort__multi_range;

/* An element of a run, and the codes of its fields, except CLSORT_BYTES. */
typedef struct clsort__multi_pivot {
    const unsigned char *place;
    cl_ulong codes[CLSORT_MAX_FIELDS];
} clsort__multi_pivot;

/* A sorted run: in host memory, or on the device that sorts alone. */
typedef struct clsort__multi_run {
    clsort__multi_range range;
    cl_mem arrays[CLSORT__MULTI_ARRAYS];    /* NULL: in host memory */
    size_t block;               /* the block of keys that was read last, by number from 1; 0:
                                   none */
    /* The search for a place, which is from low to high. The pivot is in the middle. */
    size_t low, middle, high;
    clsort__multi_pivot pivot;
} clsort__multi_run;

/* A block of pinned memory, and the command that fills or empties it. */
typedef struct clsort__multi_stage {
    cl_mem memory;
    unsigned char *place;
    cl_event event;             /* NULL: it is free */
    unsigned char *target;      /* host memory that receives its bytes, or NULL */
    size_t bytes;
} clsort__multi_stage;

/* Bytes to move between host memory and a buffer. */
typedef struct clsort__multi_block {
    unsigned char *host;
    cl_mem buffer;
    size_t at, bytes;
} clsort__multi_block;

typedef struct clsort__multi_slot {
    int state;
    cl_command_queue queue;     /* kept until the call ends; NULL: not needed yet */
    cl_mem arrays[CLSORT__MULTI_ARRAYS], merged[CLSORT__MULTI_ARRAYS], scratch;
    const cl_mem *result;       /* `arrays`; or `merged`, if parts are merged */
    size_t room, scratch_bytes; /* room: elements of an array; 0: no buffers */
    clsort__multi_range job;    /* the range of the result's arrays */
    clsort__multi_range *pieces;
    /* The next block: its array and piece, its offset in the piece, its place in the buffer;
       bytes. */
    size_t array, piece, offset, at;
    cl_event last;              /* of the last command. The queue is in order, yet the next command
                                   waits for it, so that a failure reaches the last command of a
                                   job */
    clsort__multi_stage stages[CLSORT__MULTI_STAGES];
    cl_uint turn;               /* the number of the next block's stage */
} clsort__multi_slot;

typedef struct clsort__multi_device {
    clsort_sorter *s;
    int is_cpu;
    int direct;                 /* no blocks of pinned memory */
    int pins;                   /* ordinary arrays are pinned for the call */
    cl_mem pinned[CLSORT__MULTI_PINS];
    cl_uint pin_count;
    cl_ulong memory;            /* the most bytes of its buffers */
    size_t most;                /* the most elements of a job */
    clsort_share share;
    clsort__multi_slot slot_list[CLSORT__MULTI_SLOTS];
} clsort__multi_device;

typedef struct clsort__multi {
    clsort_multi_desc given;
    clsort_desc d;              /* a sort on a device, without count and buffers */
    clsort_field fields[CLSORT_MAX_FIELDS];     /* the first field decides, then the next */
    clsort__codec codecs[CLSORT_MAX_FIELDS];    /* of the fields */
    cl_uint field_count;
    size_t count, size[CLSORT__MULTI_ARRAYS];   /* size: bytes of an element; 0: no array */
    clsort__multi_arrays in, work, out, from, to;   /* from, to: of the current trip */
    void *own_work;
    clsort__multi_device *devices;
    cl_uint device_count;
    cl_uint only;               /* the device that has all jobs; device_count: all devices have
                                   some */
    cl_uint slot_count;         /* slots of a device, in this trip */
    int merges;                 /* 1 in the second trip */
    int can_merge;              /* by clsort_enqueue_merge_runs; else pieces are sorted again */
    int stays;                  /* runs stay on the only device until they are merged */
    int overwrites;             /* 1: the result of the only device is read over the input; 2: for
                                   the second time */
    unsigned char *blocks;      /* of keys; one for each run that stays on the device */
    clsort_status unread;       /* why a block could not be read */
    size_t next;                /* elements that jobs have taken */
    clsort__multi_range *redo;  /* jobs of devices that failed */
    size_t redo_count, busy;    /* busy: slots that have a job */
    clsort__multi_run *runs;    /* in the order of their first elements, once all are there */
    size_t run_count, job_room; /* job_room: of `runs` and `redo` */
    size_t split;               /* the rank that was searched last */
    size_t *open, open_count;   /* runs being searched, in the order of their pivots */
    clsort_run *list;           /* a job's pieces on the device; room for one of each run */
    clsort__multi_range *pieces;    /* one of each run, for all slots; if runs stay, for all
                                       parts */
    clsort_status status;       /* why the last device was dropped, or why the call must end */
    int ends;                   /* the trip must end: no host memory is left, or the only device
                                   failed */
} clsort__multi;

static const char clsort__multi_name[] = "clsort_sort_host_on";

/* -- the order, on the host -- */

/* The code of field i of the element at `place`, without ignored bits. It equals field_code of
   kernels.cl. */
static cl_ulong clsort__multi_code(const clsort__multi *m, const unsigned char *place, cl_uint i)
{
    const cl_uint bits = clsort__key_bits(m->fields[i].type);
    const clsort__codec *const c = &m->codecs[i];
    const cl_ulong sign = (cl_ulong)1 << (bits - 1), all = sign | (sign - 1);
    cl_ulong code = 0;
    cl_uint byte;
    place += m->fields[i].offset;
    for (byte = 0; byte < bits; byte += 8) code |= (cl_ulong)*place++ << byte;
    if (c->minus_zero && code == c->minus_zero) code = 0;
    if (c->nans && (code & (sign - 1)) >= sign - c->nans) code = sign - c->nans;
    code ^= (code & sign ? c->mask : 0) ^ c->flip;
    code = (code - c->rotate) & all;
    if (m->d.last_bit && m->d.last_bit < bits) code &= ((cl_ulong)1 << m->d.last_bit) - 1;
    return code >> m->d.first_bit;
}

/* Compares two elements by one field, then by all: below 0, 0 or above 0, as by memcmp. */
static int clsort__multi_compare_field(const clsort__multi *m, const clsort__multi_pivot *a,
                                       const clsort__multi_pivot *b, cl_uint i)
{
    const clsort_field *const f = &m->fields[i];
    if (clsort__is_bytes(f->type)) {
        const int order = memcmp(a->place + f->offset, b->place + f->offset,
                                 clsort__key_bits(f->type) / 8);
        return f->order ? (order < 0) - (order > 0) : order;
    }
    return (a->codes[i] > b->codes[i]) - (a->codes[i] < b->codes[i]);
}

static int clsort__multi_compare(const clsort__multi *m, const clsort__multi_pivot *a,
                                 const clsort__multi_pivot *b)
{
    cl_uint i;
    int order = 0;
    for (i = 0; i < m->field_count && !order; i++)
        order = clsort__multi_compare_field(m, a, b, i);
    return order;
}

/* Reads a block of keys from the device, which is idle then. */
static clsort_status clsort__multi_read_block(clsort__multi *m, clsort__multi_run *r, size_t block,
                                              unsigned char *to)
{
    const clsort__multi_device *const device = &m->devices[m->only];
    const size_t first = block * CLSORT__MULTI_BLOCK,
                 count = clsort__smaller(CLSORT__MULTI_BLOCK, r->range.count - first);
    return CLSORT__TRY(device->s, clEnqueueReadBuffer,
                       (device->slot_list[0].queue, r->arrays[0], CL_TRUE, first * m->size[0],
                        count * m->size[0], to, 0, NULL, NULL));
}

/* Element i of a run. If it cannot be read from the device, m->unread says why. */
static const unsigned char *clsort__multi_element(clsort__multi *m, size_t run, size_t i)
{
    clsort__multi_run *const r = &m->runs[run];
    const size_t block = i / CLSORT__MULTI_BLOCK, bytes = CLSORT__MULTI_BLOCK * m->size[0];
    unsigned char *const keys = m->blocks + run * bytes;
    if (!r->arrays[0]) return m->work.array[0] + (r->range.first + i) * m->size[0];
    if (r->block != block + 1 && m->unread == CL_SUCCESS)
        m->unread = clsort__multi_read_block(m, r, block, keys);
    r->block = block + 1;
    return keys + i % CLSORT__MULTI_BLOCK * m->size[0];
}

/* Opens a run: its pivot is the element in the middle of its range low ... high. Inserts the run in
   the order of pivots; of equal pivots, that of the earlier run is first. */
static void clsort__multi_open_run(clsort__multi *m, size_t run)
{
    clsort__multi_run *const r = &m->runs[run];
    size_t low = 0, high = m->open_count, i;
    r->middle = r->low + (r->high - r->low) / 2;
    r->pivot.place = clsort__multi_element(m, run, r->middle);
    for (i = 0; i < m->field_count; i++)
        r->pivot.codes[i] = clsort__is_bytes(m->fields[i].type)
                                ? 0 : clsort__multi_code(m, r->pivot.place, (cl_uint)i);
    while (low < high) {
        const size_t middle = low + (high - low) / 2, other = m->open[middle];
        const int order = clsort__multi_compare(m, &m->runs[other].pivot, &r->pivot);
        if (order < 0 || (!order && other < run)) low = middle + 1;
        else high = middle;
    }
    for (i = m->open_count++; i > low; i--) m->open[i] = m->open[i - 1];
    m->open[low] = run;
}

/* Removes the first or the last open run, and returns it. */
static size_t clsort__multi_close_run(clsort__multi *m, int first)
{
    const size_t run = m->open[first ? 0 : --m->open_count];
    size_t i;
    if (!first) return run;
    m->open_count--;
    for (i = 0; i < m->open_count; i++) m->open[i] = m->open[i + 1];
    return run;
}

/* Finds for each run, as runs[i].low, how many of its elements are among the first `rank` of all in
   the stable order. Of the elements from low to high, `wanted` are still to be found. `before`
   counts elements between `low` and the pivot, in all runs; at most these come before the first
   pivot. If before < wanted, the first pivot is among the wanted elements, and so are those in
   front of it. Else the last pivot is not, as all counted elements and all other pivots come before
   it. So each step halves the range of one run. A search goes on from the one before. */
static void clsort__multi_split(clsort__multi *m, size_t rank)
{
    const int goes_on = m->split <= rank;
    size_t i, wanted = rank, before = 0;
    for (i = 0; i < m->run_count; i++) {
        clsort__multi_run *const r = &m->runs[i];
        if (!goes_on) r->low = 0;
        r->high = goes_on && rank == m->split ? r->low : r->range.count;
        wanted -= r->low;
        if (r->low == r->high) continue;
        clsort__multi_open_run(m, i);
        before += r->middle - r->low;
    }
    while (m->open_count) {
        const int takes = before < wanted;
        const size_t run = clsort__multi_close_run(m, takes);
        clsort__multi_run *const r = &m->runs[run];
        before -= r->middle - r->low;
        if (takes) wanted -= r->middle + 1 - r->low;
        if (takes) r->low = r->middle + 1;
        else r->high = r->middle;
        if (r->low == r->high) continue;
        clsort__multi_open_run(m, run);
        before += r->middle - r->low;
    }
    m->split = rank;
}

/* Finds the pieces of a part of the result, one in each run. */
static void clsort__multi_find_pieces(clsort__multi *m, const clsort__multi_range *part,
                                      clsort__multi_range *pieces)
{
    size_t i;
    clsort__multi_split(m, part->first);
    for (i = 0; i < m->run_count; i++) pieces[i].first = m->runs[i].low;
    clsort__multi_split(m, part->first + part->count);
    for (i = 0; i < m->run_count; i++) {
        pieces[i].count = m->runs[i].low - pieces[i].first;
        pieces[i].first += m->runs[i].range.first;
    }
}

/* -- devices and slots -- */

/* 1 if a device has jobs. */
static int clsort__multi_works(const clsort__multi *m, cl_uint i)
{
    return m->devices[i].share.status == CL_SUCCESS
           && (m->only == m->device_count || m->only == i);
}

static cl_uint clsort__multi_working(const clsort__multi *m)
{
    cl_uint i, count = 0;
    for (i = 0; i < m->device_count; i++)
        if (clsort__multi_works(m, i)) count++;
    return count;
}

static void clsort__multi_release_event(cl_event *event)
{
    if (*event) CLSORT_CL(clReleaseEvent)(*event);
    *event = NULL;
}

/* Waits until no command of a slot uses host memory, then releases all that it has, except its
   queue. A driver that fails even to wait is assumed to run nothing any more. */
static void clsort__multi_release_slot(clsort__multi_slot *slot)
{
    const cl_command_queue queue = slot->queue;
    int i;
    for (i = 0; i < CLSORT__MULTI_STAGES; i++)
        if (slot->stages[i].place)
            CLSORT_CL(clEnqueueUnmapMemObject)(slot->queue, slot->stages[i].memory,
                                               slot->stages[i].place, 0, NULL, NULL);
    if (slot->queue && CLSORT_CL(clFinish)(slot->queue) != CL_SUCCESS && slot->last)
        CLSORT_CL(clWaitForEvents)(1, &slot->last);
    for (i = 0; i < CLSORT__MULTI_STAGES; i++) {
        clsort__multi_release_event(&slot->stages[i].event);
        clsort__release_buffer(&slot->stages[i].memory);
    }
    for (i = 0; i < CLSORT__MULTI_ARRAYS; i++) {
        clsort__release_buffer(&slot->arrays[i]);
        clsort__release_buffer(&slot->merged[i]);
    }
    clsort__release_buffer(&slot->scratch);
    clsort__multi_release_event(&slot->last);
    memset(slot, 0, sizeof *slot);
    slot->queue = queue;
}

/* Pins arrays while commands use them. If the driver fails, commands take longer. Results in place
   are pinned as inputs. */
static void clsort__multi_pin_arrays(const clsort__multi *m, clsort__multi_device *device,
                                     const clsort__multi_arrays *arrays)
{
    int i;
    for (i = 0; i < CLSORT__MULTI_ARRAYS && device->pins; i++) {
        unsigned char *const array = arrays->array[i];
        const int reads = array == m->in.array[i] && array != m->out.array[i];
        if (array && (arrays != &m->out || array != m->in.array[i]))
            device->pinned[device->pin_count++] =
                clsort__pin(device->s, array, m->count * m->size[i],
                            reads ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE);
    }
}

/* Unpins the arrays. */
static void clsort__multi_unpin(clsort__multi_device *device)
{
    while (device->pin_count) clsort__release_buffer(&device->pinned[--device->pin_count]);
}

static clsort_status clsort__multi_pin(clsort_sorter *s, cl_command_queue queue,
                                       clsort__multi_stage *stage)
{
    cl_int code;
    CLSORT__MUST(clsort__create_buffer(s, CLSORT_STAGE_BYTES, NULL,
                                       CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, "pinned memory",
                                       &stage->memory));
    stage->place = (unsigned char *)CLSORT_CL(clEnqueueMapBuffer)(
        queue, stage->memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, CLSORT_STAGE_BYTES, 0, NULL,
        NULL, &code);
    if (code != CL_SUCCESS) stage->place = NULL;
    return clsort__note(s, code, "clEnqueueMapBuffer");
}

#ifndef CLSORT__MULTI_MERGERS
#define CLSORT__MULTI_MERGERS 1   /* 0: no device; 1: GPUs; 2: CPUs, too. Tests set it */
#endif

/* 1 if a device merges its pieces in this trip. CPUs sort them again: PoCL then takes 0.6 to 0.7 of
   the CPU time, with 2^21 u32 and 4 or 8 bytes of values in some 65 jobs, or 2^22 u32 alone, and
   needs half the bytes of buffers. */
static int clsort__multi_merges(const clsort__multi *m, const clsort__multi_device *device)
{
    return m->merges && m->can_merge && (m->stays || !device->is_cpu || CLSORT__MULTI_MERGERS > 1);
}

/* A merge without its runs, its output and its scratch memory. */
static clsort_merge_runs_desc clsort__multi_merge_desc(const clsort__multi *m)
{
    clsort_merge_runs_desc r = clsort_merge_runs_desc_default();
    r.key_type = m->d.key_type;
    r.order = m->d.order;
    r.nan_order = clsort__is_float(r.key_type) ? m->d.nan_order : 0;
    r.flags = m->d.flags;
    r.value_size = m->size[1];
    return r;
}

/* Bytes of scratch memory for a job of up to n elements. */
static clsort_status clsort__multi_scratch(const clsort__multi *m,
                                           const clsort__multi_device *device, size_t n,
                                           size_t *bytes)
{
    clsort_merge_runs_desc merge = clsort__multi_merge_desc(m);
    clsort_desc d = m->d;
    clsort_run runs[2];
    d.count = n;
    if (!clsort__multi_merges(m, device)) return clsort_scratch_size(device->s, &d, bytes);
    memset(runs, 0, sizeof runs);
    runs[0].count = 1;
    runs[1].count = n - 1;
    merge.runs = runs;
    merge.run_count = 2;
    return clsort_merge_runs_scratch_size(device->s, &merge, bytes);
}

/* Makes the arrays of a slot. */
static clsort_status clsort__multi_make_arrays(const clsort__multi *m, clsort_sorter *s, size_t n,
                                               cl_mem *arrays)
{
    int i;
    for (i = 0; i < CLSORT__MULTI_ARRAYS; i++)
        if (m->size[i])
            CLSORT__MUST(clsort__create_buffer(s, n * m->size[i], NULL, CL_MEM_READ_WRITE,
                                               "a job's array", &arrays[i]));
    return CL_SUCCESS;
}

/* Makes the queue and buffers of a slot, unless it has them in this trip. */
static clsort_status clsort__multi_make_slot(const clsort__multi *m, clsort__multi_device *device,
                                             cl_uint number)
{
    clsort__multi_slot *const slot = &device->slot_list[number];
    clsort_sorter *const s = device->s;
    const size_t n = device->most;
    int i;
    if (slot->room) return CL_SUCCESS;
    CLSORT__MUST(clsort__make_queue(s, 0, &slot->queue));
    CLSORT__MUST(clsort__multi_scratch(m, device, n, &slot->scratch_bytes));
    if (!m->stays || (m->merges && !m->can_merge))
        CLSORT__MUST(clsort__multi_make_arrays(m, s, n, slot->arrays));
    if (clsort__multi_merges(m, device))
        CLSORT__MUST(clsort__multi_make_arrays(m, s, n, slot->merged));
    if (slot->scratch_bytes)
        CLSORT__MUST(clsort__create_buffer(s, slot->scratch_bytes, NULL, CL_MEM_READ_WRITE,
                                           "a job's scratch", &slot->scratch));
    for (i = 0; i < CLSORT__MULTI_STAGES && !device->direct; i++)
        CLSORT__MUST(clsort__multi_pin(s, slot->queue, &slot->stages[i]));
    slot->room = n;
    return CL_SUCCESS;
}

/* Ends the jobs of a device, after its commands. Other devices may then do these jobs. */
static void clsort__multi_stop(clsort__multi *m, clsort__multi_device *device)
{
    int i;
    for (i = 0; i < CLSORT__MULTI_SLOTS; i++) {
        clsort__multi_slot *const slot = &device->slot_list[i];
        const clsort__multi_range job = slot->job;
        const int busy = slot->state != CLSORT__MULTI_IDLE;
        clsort__multi_release_slot(slot);
        if (!busy) continue;
        m->redo[m->redo_count++] = job;
        m->busy--;
    }
}

/* 1 if n elements and their scratch memory fit into one slot of a device. */
static int clsort__multi_fits(const clsort__multi *m, const clsort__multi_device *device, size_t n)
{
    const clsort_sorter *const s = device->s;
    const size_t element = m->size[0] + m->size[1], all = m->stays ? m->count * element : 0,
                 copies = m->stays ? m->merges != 0 : clsort__multi_merges(m, device) ? 2 : 1;
    size_t scratch;
    return clsort__can_allocate(s, n, m->size[0]) && clsort__can_allocate(s, n, m->size[1])
           && all <= device->memory
           && clsort__multi_scratch(m, device, n, &scratch) == CL_SUCCESS
           && clsort__can_allocate(s, scratch, 1)
           && clsort__saturating_add(copies * n * element, scratch)
                  <= (device->memory - all) / m->slot_count;
}

/* The most elements of a job on a device. */
static size_t clsort__multi_most(const clsort__multi *m, const clsort__multi_device *device)
{
    size_t low = 0, high = clsort__smaller(m->count, 0xFFFFFFFFu);
    const int quiet = clsort__hush(device->s, 1);   /* larger counts may fail */
    while (low < high) {
        const size_t middle = high - (high - low) / 2;
        if (clsort__multi_fits(m, device, middle)) low = middle;
        else high = middle - 1;
    }
    clsort__hush(device->s, quiet);
    return low;
}

/* Finds the most elements of a job in a trip. Fails if there is no room for one. */
static clsort_status clsort__multi_find_most(const clsort__multi *m, clsort__multi_device *device)
{
    size_t scratch;
    CLSORT__MUST(clsort__multi_scratch(m, device, 1, &scratch));
    device->most = clsort__multi_most(m, device);
    return device->most ? CL_SUCCESS
                        : clsort__fail(device->s, CLSORT_ERROR_SCRATCH_TOO_LARGE,
                                       clsort__multi_name,
                                       "device_memory: less than one element takes");
}

/* Begins a direction, at its first block. */
static void clsort__multi_turn(clsort__multi_slot *slot, int state)
{
    slot->state = state;
    slot->array = slot->piece = slot->offset = slot->at = 0;
}

/* Reads a result again from its first block, when no command of its slot runs. */
static void clsort__multi_read_again(clsort__multi *m, clsort__multi_device *device)
{
    clsort__multi_slot *const slot = &device->slot_list[0];
    int i;
    m->overwrites = 2;
    CLSORT_CL(clFinish)(slot->queue);
    clsort__multi_unpin(device);
    for (i = 0; i < CLSORT__MULTI_STAGES; i++)
        clsort__multi_release_event(&slot->stages[i].event);
    clsort__multi_release_event(&slot->last);
    clsort__multi_turn(slot, CLSORT__MULTI_DOWN);
}

/* Drops a device. If it has too little memory, it goes on with half instead. */
static void clsort__multi_drop(clsort__multi *m, clsort__multi_device *device, clsort_status status)
{
    if (m->overwrites == 1) {
        clsort__multi_read_again(m, device);
        return;
    }
    clsort__multi_stop(m, device);
    m->status = status;
    m->ends = m->only < m->device_count;
    if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE && device->memory > 1 && !m->overwrites) {
        device->memory /= 2;
        status = m->ends ? CL_SUCCESS : clsort__multi_find_most(m, device);
    }
    if (status == CL_SUCCESS) return;
    device->share.status = m->status = status;
}

/* -- a job -- */

/* Elements of the next job of a device that takes `most`. All jobs of a single device have one
   size, for which kernels are built; they are enough that one moves while another is sorted. With
   several devices, jobs get smaller at the end, so that devices end together. */
static size_t clsort__multi_job(const clsort__multi *m, size_t most)
{
    const size_t devices = clsort__multi_working(m), runs = CLSORT__MULTI_RUNS,
                 jobs = clsort__ceil_divide(m->count, most),
                 share = clsort__ceil_divide(m->count - m->next, 4 * devices),
                 least = clsort__ceil_divide(most, 4);
    if (m->only < m->device_count) return most;
    if (devices > 1) return share < least ? least : share;
    return clsort__ceil_divide(m->count, jobs < runs ? runs : jobs);
}

/* Hands out a job of at most `most` elements: a job of a dropped device, else a share of the rest.
   Returns 0 if there is none. */
static int clsort__multi_take(clsort__multi *m, size_t most, clsort__multi_range *job)
{
    clsort__multi_range rest, *from = &rest;
    const size_t wanted = clsort__multi_job(m, most);
    rest.first = m->next;
    rest.count = m->count - m->next;
    if (m->redo_count) from = &m->redo[m->redo_count - 1];
    job->first = from->first;
    job->count = clsort__smaller(clsort__smaller(wanted, most), from->count);
    from->first += job->count;
    from->count -= job->count;
    if (from == &rest) m->next += job->count;
    else if (!from->count) m->redo_count--;
    return job->count != 0;
}

/* Makes the next command of a slot wait for this one. */
static void clsort__multi_chain(clsort__multi_slot *slot, cl_event event)
{
    clsort__multi_release_event(&slot->last);
    slot->last = event;
}

/* Finds the next block to move up or down. Returns 0 if there is none. Runs that stay on the device
   do not move in between. */
static int clsort__multi_find_block(const clsort__multi *m, const clsort__multi_device *device,
                                    clsort__multi_slot *slot, clsort__multi_block *b)
{
    const int up = slot->state == CLSORT__MULTI_UP;
    const clsort__multi_range *const pieces = up ? slot->pieces : &slot->job;
    const size_t piece_count = up && m->merges ? m->run_count : 1,
                 most = (size_t)CLSORT_STAGE_BYTES
                        * (device->direct ? CLSORT__MULTI_DIRECT_BLOCKS : 1);
    if (m->stays && up == m->merges) return 0;
    for (; slot->array < CLSORT__MULTI_ARRAYS; slot->array++, slot->piece = slot->at = 0) {
        const size_t size = m->size[slot->array];
        unsigned char *const host = (up ? m->from : m->to).array[slot->array];
        for (; host && slot->piece < piece_count; slot->piece++, slot->offset = 0) {
            const clsort__multi_range *const piece = &pieces[slot->piece];
            b->bytes = clsort__smaller(piece->count * size - slot->offset, most);
            if (!b->bytes) continue;
            b->host = host + piece->first * size + slot->offset;
            b->buffer = (up ? slot->arrays : slot->result)[slot->array];
            b->at = slot->at;
            slot->offset += b->bytes;
            slot->at += b->bytes;
            return 1;
        }
    }
    return 0;
}

/* Enqueues the transfer of a block, by way of `stage` unless that is NULL. */
static clsort_status clsort__multi_move(clsort_sorter *s, clsort__multi_slot *slot,
                                        clsort__multi_stage *stage, const clsort__multi_block *b)
{
    unsigned char *const host = stage ? stage->place : b->host;
    const cl_uint n = slot->last ? 1 : 0;
    const cl_event *const wait = slot->last ? &slot->last : NULL;
    const int up = slot->state == CLSORT__MULTI_UP;
    cl_event event = NULL;
    if (stage && up) memcpy(host, b->host, b->bytes);
    if (up)
        CLSORT__MUST(CLSORT__TRY(s, clEnqueueWriteBuffer, (slot->queue, b->buffer, CL_FALSE, b->at,
                                                           b->bytes, host, n, wait, &event)));
    else
        CLSORT__MUST(CLSORT__TRY(s, clEnqueueReadBuffer, (slot->queue, b->buffer, CL_FALSE, b->at,
                                                          b->bytes, host, n, wait, &event)));
    clsort__multi_chain(slot, event);
    if (!stage) return CL_SUCCESS;
    CLSORT__MUST(CLSORT__TRY(s, clRetainEvent, (event)));
    stage->event = event;
    stage->target = up ? NULL : b->host;
    stage->bytes = b->bytes;
    slot->turn = (slot->turn + 1) % CLSORT__MULTI_STAGES;
    return CL_SUCCESS;
}

/* *over: 1 if a command is complete. Fails if the command did. */
static clsort_status clsort__multi_is_over(clsort_sorter *s, cl_event event, int *over)
{
    cl_int state = CL_QUEUED;
    *over = 0;
    CLSORT__MUST(CLSORT__ASK(s, clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS, state));
    if (state < 0)
        return clsort__fail(s, state, clsort__multi_name, "a command failed on the device");
    *over = state == CL_COMPLETE;
    return CL_SUCCESS;
}

/* *is_free: 1 if a stage is free. If its command has ended, copies its bytes to their target. */
static clsort_status clsort__multi_settle(clsort_sorter *s, clsort__multi_stage *stage,
                                          int *is_free)
{
    *is_free = 1;
    if (!stage->event) return CL_SUCCESS;
    CLSORT__MUST(clsort__multi_is_over(s, stage->event, is_free));
    if (!*is_free) return CL_SUCCESS;
    clsort__multi_release_event(&stage->event);
    if (stage->target) memcpy(stage->target, stage->place, stage->bytes);
    stage->target = NULL;
    return CL_SUCCESS;
}

/* Elements of arrays on the device, as a clsort_run. */
static clsort_run clsort__multi_run_of(const clsort__multi *m, const cl_mem *arrays, size_t first,
                                       size_t count)
{
    clsort_run r;
    r.count = count;
    r.keys = arrays[0];
    r.keys_offset = first * m->size[0];
    r.values = arrays[1];
    r.values_offset = first * m->size[1];
    return r;
}

/* Merges the runs of m->list, CLSORT_MAX_RUNS at a time, into the arrays `to`. *count: the runs
   before and after. */
static clsort_status clsort__multi_merge_list(const clsort__multi *m, clsort_sorter *s,
                                              clsort__multi_slot *slot, const cl_mem *to,
                                              size_t *count)
{
    size_t i, k, first = 0, end = 0, left = 0;
    for (i = 0; i < *count; i += CLSORT_MAX_RUNS) {
        clsort_merge_runs_desc r = clsort__multi_merge_desc(m);
        cl_event done = NULL;
        r.runs = m->list + i;
        r.run_count = (cl_uint)clsort__smaller(*count - i, CLSORT_MAX_RUNS);
        r.keys_out = to[0];
        r.keys_out_offset = first * m->size[0];
        r.values_out = to[1];
        r.values_out_offset = first * m->size[1];
        r.scratch = slot->scratch;
        r.scratch_size = slot->scratch_bytes;
        CLSORT__MUST(clsort_enqueue_merge_runs(s, slot->queue, &r, slot->last ? 1 : 0,
                                               slot->last ? &slot->last : NULL, &done));
        clsort__multi_chain(slot, done);
        for (k = 0; k < r.run_count; k++) end += r.runs[k].count;
        m->list[left++] = clsort__multi_run_of(m, to, first, end - first);
        first = end;
    }
    *count = left;
    return CL_SUCCESS;
}

/* Lists the pieces of a job as runs on the device, where they were moved up or have stayed. Returns
   their number. */
static size_t clsort__multi_list_pieces(const clsort__multi *m, const clsort__multi_slot *slot)
{
    size_t i, count = 0, first = 0;
    for (i = 0; i < m->run_count; i++) {
        const clsort__multi_run *const r = &m->runs[i];
        const clsort__multi_range *const piece = &slot->pieces[i];
        const size_t at = m->stays ? piece->first - r->range.first : first;
        if (!piece->count) continue;
        m->list[count++] = clsort__multi_run_of(m, m->stays ? r->arrays : slot->arrays, at,
                                                piece->count);
        first += piece->count;
    }
    return count;
}

/* Merges the pieces of a job. */
static clsort_status clsort__multi_merge(const clsort__multi *m, clsort_sorter *s,
                                         clsort__multi_slot *slot)
{
    size_t count = clsort__multi_list_pieces(m, slot);
    while (count > 1 || (m->stays && slot->result == slot->arrays)) {
        const cl_mem *const to = slot->result == slot->arrays ? slot->merged : slot->arrays;
        CLSORT__MUST(clsort__multi_merge_list(m, s, slot, to, &count));
        slot->result = to;
    }
    return CL_SUCCESS;
}

/* Copies pieces of runs that stay on the device to a slot. */
static clsort_status clsort__multi_collect(const clsort__multi *m, clsort_sorter *s,
                                           clsort__multi_slot *slot)
{
    const size_t count = clsort__multi_list_pieces(m, slot);
    size_t i, first = 0;
    int k;
    for (i = 0; i < count; first += m->list[i++].count) {
        const clsort_run *const r = &m->list[i];
        const cl_mem from[CLSORT__MULTI_ARRAYS] = { r->keys, r->values };
        const size_t at[CLSORT__MULTI_ARRAYS] = { r->keys_offset, r->values_offset };
        for (k = 0; k < CLSORT__MULTI_ARRAYS && m->size[k]; k++) {
            cl_event done = NULL;
            CLSORT__MUST(CLSORT__TRY(s, clEnqueueCopyBuffer,
                                     (slot->queue, from[k], slot->arrays[k], at[k],
                                      first * m->size[k], r->count * m->size[k],
                                      slot->last ? 1 : 0, slot->last ? &slot->last : NULL,
                                      &done)));
            clsort__multi_chain(slot, done);
        }
    }
    return CL_SUCCESS;
}

/* Sorts the pieces that were moved up. A stable sort of pieces of sorted runs is a stable merge. */
static clsort_status clsort__multi_sort(const clsort__multi *m, const clsort__multi_device *device,
                                        clsort__multi_slot *slot)
{
    clsort_sorter *const s = device->s;
    clsort_desc d = m->d;
    cl_event done = NULL;
    slot->result = slot->arrays;
    if (clsort__multi_merges(m, device)) return clsort__multi_merge(m, s, slot);
    if (m->merges && m->stays) CLSORT__MUST(clsort__multi_collect(m, s, slot));
    d.count = slot->job.count;
    d.keys = slot->arrays[0];
    d.values = slot->arrays[1];
    d.scratch = slot->scratch;
    d.scratch_size = slot->scratch_bytes;
    CLSORT__MUST(clsort_enqueue_sort(s, slot->queue, &d, 1, &slot->last, &done));
    clsort__multi_chain(slot, done);
    return CL_SUCCESS;
}

/* Makes a sorted chunk a run. If it stays on the device, it takes the slot's arrays. */
static void clsort__multi_add_run(clsort__multi *m, clsort__multi_slot *slot)
{
    clsort__multi_run *const r = &m->runs[m->run_count++];
    int i;
    memset(r, 0, sizeof *r);
    r->range = slot->job;
    for (i = 0; i < CLSORT__MULTI_ARRAYS && m->stays; i++) {
        r->arrays[i] = slot->arrays[i];
        slot->arrays[i] = NULL;
    }
}

/* Ends a job, if all its bytes have arrived. */
static clsort_status clsort__multi_end(clsort__multi *m, clsort__multi_device *device,
                                       clsort__multi_slot *slot, int *moved)
{
    int i, over;
    for (i = 0; i < CLSORT__MULTI_STAGES; i++) {
        CLSORT__MUST(clsort__multi_settle(device->s, &slot->stages[i], &over));
        if (!over) return CL_SUCCESS;
    }
    CLSORT__MUST(clsort__multi_is_over(device->s, slot->last, &over));
    if (!over) return CL_SUCCESS;
    clsort__multi_release_event(&slot->last);
    slot->state = CLSORT__MULTI_IDLE;
    m->busy--;
    device->share.jobs++;
    device->share.elements += slot->job.count;
    if (!m->merges) clsort__multi_add_run(m, slot);
    *moved = 1;
    return CL_SUCCESS;
}

/* 1 if the next command is the first one that reads a result over the input. It is only enqueued
   after the sort has succeeded, so that it can be repeated if it fails. */
static int clsort__multi_will_overwrite(const clsort__multi *m, const clsort__multi_slot *slot)
{
    return m->only < m->device_count && !m->stays && slot->state == CLSORT__MULTI_DOWN
           && m->to.array[0] == m->in.array[0];
}

/* Enqueues and ends as much of a job as is possible now. */
static clsort_status clsort__multi_go_on(clsort__multi *m, clsort__multi_device *device,
                                         clsort__multi_slot *slot, int *moved)
{
    for (;;) {
        clsort__multi_stage *const stage = device->direct ? NULL : &slot->stages[slot->turn];
        clsort__multi_block block;
        int is_free = 1;
        if (m->overwrites == 0 && clsort__multi_will_overwrite(m, slot)) {
            CLSORT__MUST(clsort__multi_is_over(device->s, slot->last, &is_free));
            if (!is_free) return CL_SUCCESS;
            m->overwrites = 1;
        }
        if (stage) CLSORT__MUST(clsort__multi_settle(device->s, stage, &is_free));
        if (!is_free) return CL_SUCCESS;
        if (clsort__multi_find_block(m, device, slot, &block)) {
            CLSORT__MUST(clsort__multi_move(device->s, slot, stage, &block));
        } else if (slot->state == CLSORT__MULTI_UP) {
            CLSORT__MUST(clsort__multi_sort(m, device, slot));
            clsort__multi_turn(slot, CLSORT__MULTI_DOWN);
        } else {
            return clsort__multi_end(m, device, slot, moved);
        }
        *moved = 1;
    }
}

/* Starts a job in an idle slot. */
static clsort_status clsort__multi_start(clsort__multi *m, clsort__multi_device *device,
                                         cl_uint number)
{
    clsort__multi_slot *const slot = &device->slot_list[number];
    const int stayed = m->merges && m->stays;
    const size_t each = m->merges ? m->run_count : 1,
                 place = stayed ? slot->job.first / device->most
                                : CLSORT__MULTI_SLOTS * (size_t)(device - m->devices) + number;
    clsort__multi_turn(slot, CLSORT__MULTI_UP);
    m->busy++;
    CLSORT__MUST(clsort__multi_make_slot(m, device, number));
    slot->pieces = m->pieces + each * place;
    if (!m->merges) slot->pieces[0] = slot->job;
    else if (!stayed) clsort__multi_find_pieces(m, &slot->job, slot->pieces);
    if (!m->merges && m->stays)
        return clsort__multi_make_arrays(m, device->s, slot->job.count, slot->arrays);
    return CL_SUCCESS;
}

/* Makes room for one more job and its run, even if all jobs must be done again. If there is no
   memory, ends the trip. */
static int clsort__multi_has_room(clsort__multi *m, clsort_sorter *s)
{
    const size_t wanted = (m->merges ? 0 : m->run_count) + m->redo_count + m->busy + 1;
    if (wanted <= m->job_room) return 1;
    m->ends = clsort__grow(s, &m->redo, 2 * wanted, sizeof *m->redo) != CL_SUCCESS
              || clsort__grow(s, &m->runs, 2 * wanted + m->run_count, sizeof *m->runs)
                     != CL_SUCCESS;
    if (m->ends) m->status = CL_OUT_OF_HOST_MEMORY;
    else m->job_room = 2 * wanted;
    return !m->ends;
}

/* Gives a slot its turn. Returns 1 if something happened. */
static int clsort__multi_step(clsort__multi *m, clsort__multi_device *device, cl_uint number)
{
    clsort__multi_slot *const slot = &device->slot_list[number];
    clsort_status status = CL_SUCCESS;
    int moved = 0;
    if (slot->state == CLSORT__MULTI_IDLE) {
        if (!clsort__multi_has_room(m, device->s)) return 0;
        if (!clsort__multi_take(m, device->most, &slot->job)) return 0;
        status = clsort__multi_start(m, device, number);
    }
    if (status == CL_SUCCESS) status = clsort__multi_go_on(m, device, slot, &moved);
    if (status == CL_SUCCESS && moved) status = CLSORT__TRY(device->s, clFlush, (slot->queue));
    if (status != CL_SUCCESS) clsort__multi_drop(m, device, status);
    return moved || status != CL_SUCCESS;
}

/* -- trips -- */

/* Waits if no slot can go on: for the older job of a device that works alone; else it only
   yields. */
static void clsort__multi_pause(clsort__multi *m)
{
    clsort__multi_slot *oldest = NULL;
    clsort_status status;
    cl_uint i = 0, j;
    while (i < m->device_count && !clsort__multi_works(m, i)) i++;
    for (j = 0; i < m->device_count && j < m->slot_count; j++) {
        clsort__multi_slot *const slot = &m->devices[i].slot_list[j];
        if (slot->last && (!oldest || slot->job.first < oldest->job.first)) oldest = slot;
    }
    if (!oldest || !m->devices[i].direct || clsort__multi_working(m) > 1) {
        CLSORT_YIELD();
        return;
    }
    status = CLSORT__TRY(m->devices[i].s, clWaitForEvents, (1, &oldest->last));
    if (status != CL_SUCCESS) clsort__multi_drop(m, &m->devices[i], status);
}

/* Numbers the elements for an argsort, which moves the numbers with the keys. */
static void clsort__multi_number(const clsort__multi *m)
{
    size_t i;
    for (i = 0; m->given.indices && i < m->count; i++) m->given.indices[i] = i;
}

static int clsort__multi_has_jobs(const clsort__multi *m)
{
    return m->next < m->count || m->redo_count || m->busy;
}

/* Moves all elements through the devices once, and releases the buffers of all slots. Fails if no
   device is left. */
static clsort_status clsort__multi_trip(clsort__multi *m)
{
    const size_t slot_count = m->device_count * (size_t)CLSORT__MULTI_SLOTS;
    clsort_status status;
    cl_uint i, j;
    if (!m->merges) clsort__multi_number(m);
    if (!m->merges || !m->stays)
        CLSORT__MUST(clsort__grow(m->devices[0].s, &m->pieces,
                                  slot_count * (m->merges ? m->run_count : 1), sizeof *m->pieces));
    m->next = m->redo_count = 0;
    m->ends = 0;
    while (!m->ends && clsort__multi_working(m) && clsort__multi_has_jobs(m)) {
        int moved = 0;
        for (i = 0; i < m->device_count; i++)
            for (j = 0; j < m->slot_count && clsort__multi_works(m, i); j++)
                moved |= clsort__multi_step(m, &m->devices[i], j);
        if (!moved && !m->ends) clsort__multi_pause(m);
    }
    status = m->ends || clsort__multi_has_jobs(m) ? m->status : CL_SUCCESS;
    for (i = 0; i < m->device_count; i++)
        for (j = 0; j < CLSORT__MULTI_SLOTS; j++)
            clsort__multi_release_slot(&m->devices[i].slot_list[j]);
    m->busy = 0;
    return status;
}

/* Forgets all runs. */
static void clsort__multi_drop_runs(clsort__multi *m)
{
    for (; m->run_count; m->run_count--) {
        clsort__release_buffer(&m->runs[m->run_count - 1].arrays[0]);
        clsort__release_buffer(&m->runs[m->run_count - 1].arrays[1]);
    }
}

/* Plans a trip of all devices. Drops devices that cannot have a job. */
static void clsort__multi_plan(clsort__multi *m)
{
    cl_uint i;
    m->only = m->device_count;
    m->slot_count = CLSORT__MULTI_SLOTS;
    for (i = 0; i < m->device_count; i++) {
        clsort_status status;
        if (!clsort__multi_works(m, i)) continue;
        status = clsort__multi_find_most(m, &m->devices[i]);
        if (status != CL_SUCCESS) clsort__multi_drop(m, &m->devices[i], status);
    }
}

/* Finds or allocates m->work, for all elements. */
static clsort_status clsort__multi_make_work(clsort__multi *m)
{
    const size_t keys = clsort__round_up(m->count * m->size[0]);
    unsigned char *work = (unsigned char *)m->given.work;
    if (!work && !m->own_work)
        CLSORT__MUST(clsort__grow(m->devices[0].s, &m->own_work, keys + m->count * m->size[1], 1));
    if (!work) work = (unsigned char *)m->own_work;
    m->work.array[0] = work;
    m->work.array[1] = m->size[1] ? work + keys : NULL;
    return CL_SUCCESS;
}

/* Copies the result from m->work to its arrays. */
static void clsort__multi_copy_work(const clsort__multi *m)
{
    int i;
    for (i = 0; i < CLSORT__MULTI_ARRAYS; i++)
        if (m->out.array[i])
            memcpy(m->out.array[i], m->work.array[i], m->count * m->size[i]);
}

/* 1 if keys and values are sorted in place. */
static int clsort__multi_in_place(const clsort__multi *m)
{
    return m->out.array[0] == m->in.array[0];
}

/* Orders the runs by their first elements, and makes tables for their merge. */
static clsort_status clsort__multi_order_runs(clsort__multi *m)
{
    clsort_sorter *const s = m->devices[0].s;
    const size_t block = CLSORT__MULTI_BLOCK * m->size[0];
    size_t i, j;
    for (i = 1; i < m->run_count; i++) {
        const clsort__multi_run run = m->runs[i];
        for (j = i; j && m->runs[j - 1].range.first > run.range.first; j--)
            m->runs[j] = m->runs[j - 1];
        m->runs[j] = run;
    }
    m->split = 0;
    CLSORT__MUST(clsort__grow(s, &m->open, m->run_count, sizeof *m->open));
    if (m->stays) CLSORT__MUST(clsort__grow(s, &m->blocks, m->run_count, block));
    return clsort__grow(s, &m->list, m->run_count, sizeof *m->list);
}

/* The second trip: pieces of all runs become parts of the result. */
static clsort_status clsort__multi_merge_runs(clsort__multi *m)
{
    clsort_status status;
    CLSORT__MUST(clsort__multi_order_runs(m));
    m->merges = 1;
    clsort__multi_plan(m);
    m->from = m->work;
    m->to = m->out;
    status = clsort__multi_trip(m);
    if (status != CL_SUCCESS && clsort__multi_in_place(m)) clsort__multi_copy_work(m);
    return status;
}

/* Merges the runs that stay on the device, in parts: one moves down while the next one is merged.
   All pieces are found first, because reading from the device would wait for a part that moves
   down. */
static clsort_status clsort__multi_merge_there(clsort__multi *m)
{
    clsort__multi_device *const device = &m->devices[m->only];
    const size_t part = clsort__ceil_divide(m->count, CLSORT__MULTI_PARTS);
    clsort__multi_range r;
    CLSORT__MUST(clsort__multi_order_runs(m));
    m->merges = 1;
    CLSORT__MUST(clsort__multi_find_most(m, device));
    device->most = clsort__smaller(device->most, part);
    CLSORT__MUST(clsort__grow(device->s, &m->pieces,
                              clsort__ceil_divide(m->count, device->most) * m->run_count,
                              sizeof *m->pieces));
    for (r.first = 0; r.first < m->count; r.first += device->most) {
        r.count = clsort__smaller(device->most, m->count - r.first);
        clsort__multi_find_pieces(m, &r, m->pieces + r.first / device->most * m->run_count);
    }
    CLSORT__MUST(m->unread);
    return clsort__multi_trip(m);
}

/* Sorts all on one device, in one trip. In place, a result of several runs goes through m->work, so
   that a failure in the middle leaves the input. The result of one job is read over the input. */
static clsort_status clsort__multi_sort_alone(clsort__multi *m, cl_uint device)
{
    const int by_work = clsort__multi_in_place(m) && m->stays;
    clsort_status status;
    if (by_work) CLSORT__MUST(clsort__multi_make_work(m));
    m->only = device;
    m->from = m->in;
    m->to = by_work ? m->work : m->out;
    clsort__multi_pin_arrays(m, &m->devices[device], &m->in);
    clsort__multi_pin_arrays(m, &m->devices[device], by_work ? &m->work : &m->out);
    status = clsort__multi_trip(m);
    if (status == CL_SUCCESS && m->stays) status = clsort__multi_merge_there(m);
    if (status == CL_SUCCESS && by_work) clsort__multi_copy_work(m);
    clsort__multi_drop_runs(m);
    clsort__multi_unpin(&m->devices[device]);
    m->merges = 0;
    m->unread = CL_SUCCESS;
    return status;
}

/* 1 if a device holds all elements: in one array, or in a few runs that stay there. Plans its
   trip. */
static int clsort__multi_holds(clsort__multi *m, clsort__multi_device *device)
{
    size_t part;
    m->stays = 0;
    m->slot_count = 1;
    device->most = clsort__multi_most(m, device);
    if (device->most == m->count) return 1;
    m->stays = 1;
    m->slot_count = CLSORT__MULTI_SLOTS;
    m->merges = 1;
    part = clsort__multi_most(m, device);
    m->merges = 0;
    device->most = clsort__smaller(clsort__multi_most(m, device),
                                   clsort__ceil_divide(m->count, CLSORT__MULTI_RUNS));
    return part >= clsort__ceil_divide(m->count, CLSORT__MULTI_MOST_PARTS)
           && device->most == clsort__ceil_divide(m->count, CLSORT__MULTI_RUNS);
}

/* Sorts on the first device that holds all, else on all devices in two trips. In the first one,
   chunks of the input become runs in m->work. */
static clsort_status clsort__multi_run_all(clsort__multi *m)
{
    cl_uint i;
    for (i = 0; i < m->device_count; i++) {
        clsort_status status;
        m->only = m->device_count;
        if (!clsort__multi_works(m, i) || !clsort__multi_holds(m, &m->devices[i])) continue;
        status = clsort__multi_sort_alone(m, i);
        if (status == CL_SUCCESS || m->overwrites) return status;
    }
    m->stays = 0;
    clsort__multi_plan(m);
    if (!clsort__multi_working(m)) return m->status;
    CLSORT__MUST(clsort__multi_make_work(m));
    for (i = 0; i < m->device_count; i++) {
        if (!clsort__multi_works(m, i)) continue;
        clsort__multi_pin_arrays(m, &m->devices[i], &m->in);
        clsort__multi_pin_arrays(m, &m->devices[i], &m->work);
        clsort__multi_pin_arrays(m, &m->devices[i], &m->out);
    }
    m->from = m->in;
    m->to = m->work;
    CLSORT__MUST(clsort__multi_trip(m));
    return clsort__multi_merge_runs(m);
}

/* -- the call -- */

/* Checks sorters, arrays and options of a call. */
static void clsort__multi_check_given(clsort__checks *c, clsort_sorter *const *sorters,
                                      cl_uint count, const clsort__multi *m)
{
    const clsort_multi_desc *const g = &m->given;
    const int values = m->d.value_size && !g->indices;
    const clsort__mistake sizes[] = {
        { values && !g->keys_out != !g->values_out, "keys_out and values_out: both or neither" },
        { !values && g->values_out, "values_out without values" }
    };
    const clsort__mistake unknown[] = {
        { g->transfer > CLSORT_TRANSFER_STAGED, "transfer" }, { g->reserved != 0, "reserved" }
    };
    const clsort__mistake unsupported[] = {
        { m->d.rows || m->d.row_stride, "rows: they must be 0 in host arrays of any size" },
        { m->d.precedes != NULL, "precedes: the host cannot compare by it" },
        { m->d.top_k != 0, "top_k: it must be 0 with host arrays" }
    };
    cl_uint i, j;
    for (i = 0; i < count; i++)
        for (j = 0; j < i; j++)
            if (sorters[i] == sorters[j])
                clsort__blame(c, CLSORT_ERROR_UNKNOWN_VALUE, "sorters: one is there twice");
    CLSORT__BLAME(c, CLSORT_ERROR_VALUE_SIZE, sizes);
    CLSORT__BLAME(c, CLSORT_ERROR_UNKNOWN_VALUE, unknown);
    CLSORT__BLAME(c, CLSORT_ERROR_UNSUPPORTED, unsupported);
}

/* Checks that the arrays can be addressed, and that `work` is large enough. */
static void clsort__multi_check_sizes(clsort__checks *c, const clsort__multi *m)
{
    const size_t n = m->count;
    const int fits = clsort__fits(n, m->size[0], 0) && clsort__fits(n, m->size[1], 0);
    const size_t bytes = clsort__round_up(n * m->size[0]) + n * m->size[1];
    if (!fits) clsort__blame(c, CLSORT_ERROR_SIZE_OVERFLOW, "count * value_size is too large");
    else if (m->given.work && m->given.work_size < bytes)
        clsort__blame(c, CLSORT_ERROR_SCRATCH_TOO_SMALL, "work_size: %.0f bytes are needed",
                      (double)bytes);
}

/* Takes order and sizes from the description. */
static void clsort__multi_describe(clsort__multi *m, const clsort_desc *sort)
{
    m->d = *sort;
    m->count = sort->count;
    m->d.count = sort->count ? 1 : 0;
    if (m->given.indices) m->d.value_size = sizeof *m->given.indices;
    m->size[0] = clsort__element_bytes(sort);
    m->size[1] = m->d.value_size;
    m->fields[0] = clsort__only_field(sort, sort->key_offset);
    m->field_count = 1;
    if (!sort->fields || sort->field_count > CLSORT_MAX_FIELDS) return;
    m->field_count = sort->field_count;
    memcpy(m->fields, sort->fields, sort->field_count * sizeof *m->fields);
    m->d.fields = m->fields;
}

/* 1 if clsort_enqueue_merge_runs can merge the runs. */
static int clsort__multi_can_merge(const clsort__multi *m)
{
    return CLSORT__MULTI_MERGERS && !m->d.record_size && !clsort__some_bits(&m->d)
           && m->d.value_size <= 8 && !clsort__merges_codes(&m->codecs[0]);
}

/* Takes the arrays from the description. An argsort moves indices as values. */
static void clsort__multi_take_arrays(clsort__multi *m)
{
    const clsort_multi_desc *const g = &m->given;
    void *const moved = g->indices ? (void *)g->indices : g->values;
    m->in.array[0] = (unsigned char *)g->keys;
    m->in.array[1] = (unsigned char *)moved;
    m->out.array[0] = (unsigned char *)(g->keys_out || g->indices ? g->keys_out : g->keys);
    m->out.array[1] = (unsigned char *)(g->values_out && !g->indices ? g->values_out : moved);
}

static clsort_status clsort__multi_check(clsort__multi *m, clsort_sorter *const *sorters,
                                         cl_uint count, const clsort_multi_desc *multi)
{
    clsort_sorter *const s = sorters[0];
    clsort__checks c = clsort__begin_checks(s);
    clsort_desc sort;
    cl_uint i;
    int wrong = clsort__adopt(&m->given, sizeof m->given, CLSORT__MULTI_FIRST_SIZE, multi);
    clsort__begin_call(s, clsort__multi_name);
    CLSORT__MUST(clsort__judge_struct(s, "multi", wrong));
    wrong = clsort__adopt(&sort, sizeof sort, CLSORT__FIRST_DESC, m->given.sort);
    CLSORT__MUST(clsort__judge_struct(s, "sort", wrong));
    clsort__multi_describe(m, &sort);
    clsort__multi_take_arrays(m);
    clsort__multi_check_given(&c, sorters, count, m);
    clsort__check_host(&c, m->given.sort ? &m->d : NULL, m->in.array[0], m->in.array[1]);
    clsort__multi_check_sizes(&c, m);
    CLSORT__MUST(clsort__conclude(&c));
    for (i = 0; i < m->field_count; i++)
        if (!clsort__is_bytes(m->fields[i].type))
            m->codecs[i] = clsort__make_codec(&m->fields[i]);
    m->can_merge = clsort__multi_can_merge(m);
    return CL_SUCCESS;
}

/* Asks how much memory a device has, and how bytes get there. */
static clsort_status clsort__multi_ask_device(clsort__multi_device *device,
                                              const clsort_multi_desc *given)
{
    clsort_sorter *const s = device->s;
    cl_ulong memory = 0;
    cl_device_type type = 0;
    cl_bool shared = CL_FALSE;
    CLSORT__MUST(CLSORT__FACT(s, CL_DEVICE_GLOBAL_MEM_SIZE, memory));
    CLSORT__MUST(CLSORT__FACT(s, CL_DEVICE_TYPE, type));
    device->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    if (CLSORT_CL(clGetDeviceInfo)(clsort_device(s), CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof shared,
                                   &shared, NULL)
        != CL_SUCCESS)
        shared = CL_FALSE;
    if (device->is_cpu) shared = CL_TRUE;
    device->memory = given->device_memory ? given->device_memory
                     : shared             ? memory / 4
                                          : memory - memory / 8;
    device->pins = given->transfer == CLSORT_TRANSFER_DEFAULT && !shared && clsort__can_pin(s);
    device->direct = given->transfer == CLSORT_TRANSFER_DEFAULT
                         ? shared == CL_TRUE || device->pins
                         : given->transfer == CLSORT_TRANSFER_DIRECT;
    return CL_SUCCESS;
}

/* Makes the tables of all devices. */
static clsort_status clsort__multi_open(clsort__multi *m, clsort_sorter *const *sorters,
                                        cl_uint count)
{
    cl_uint i;
    CLSORT__MUST(clsort__grow(sorters[0], &m->devices, count, sizeof *m->devices));
    memset(m->devices, 0, count * sizeof *m->devices);
    m->device_count = m->only = count;
    for (i = 0; i < count; i++) {
        clsort_status status;
        m->devices[i].s = sorters[i];
        status = clsort__multi_ask_device(&m->devices[i], &m->given);
        if (status != CL_SUCCESS) clsort__multi_drop(m, &m->devices[i], status);
    }
    return CL_SUCCESS;
}

static void clsort__multi_close(clsort__multi *m)
{
    cl_uint i, j;
    clsort__multi_drop_runs(m);
    for (i = 0; i < m->device_count; i++) {
        clsort__multi_device *const device = &m->devices[i];
        if (m->given.shares) m->given.shares[i] = device->share;
        clsort__multi_unpin(device);
        for (j = 0; j < CLSORT__MULTI_SLOTS; j++)
            if (device->slot_list[j].queue)
                CLSORT_CL(clReleaseCommandQueue)(device->slot_list[j].queue);
    }
    clsort__free(m->devices);
    clsort__free(m->redo);
    clsort__free(m->runs);
    clsort__free(m->open);
    clsort__free(m->list);
    clsort__free(m->blocks);
    clsort__free(m->pieces);
    clsort__free(m->own_work);
}

CLSORT_API clsort_status clsort_sort_host_on(clsort_sorter *const *sorters, cl_uint sorter_count,
                                             const clsort_multi_desc *multi)
{
    clsort__multi m;
    clsort_status status;
    const void *before;
    cl_uint i;
    if (!sorters || !sorter_count || !multi) return CLSORT_ERROR_NULL_ARGUMENT;
    for (i = 0; i < sorter_count; i++)
        if (!sorters[i]) return CLSORT_ERROR_NULL_ARGUMENT;
    memset(&m, 0, sizeof m);
    for (i = 0; i < sorter_count && clsort__enter(sorters[i], &before);) i++;
    status = i < sorter_count ? CLSORT_ERROR_BUSY
                              : clsort__multi_check(&m, sorters, sorter_count, multi);
    if (status == CL_SUCCESS) status = clsort__multi_open(&m, sorters, sorter_count);
    if (status == CL_SUCCESS && m.count) status = clsort__multi_run_all(&m);
    clsort__multi_close(&m);
    while (i) sorters[--i]->thread = NULL;
    return status;
}

#ifdef __cplusplus
}
#endif

#endif /* CLSORT_MULTI_IMPLEMENTED */
#endif /* CLSORT_IMPLEMENTATION */
