/* mpi_sort.h - sorts over the ranks of an MPI communicator, each with clsort on a device of its own
   or on a share of one. One file to copy, beside clsort.h; all functions are static.

     mpicc program.c -lOpenCL

     #define CLSORT_IMPLEMENTATION             in one file, as ever
     #include "clsort.h"
     #include "mpi_sort.h"

     clsort_mpi_desc d = clsort_mpi_desc_default();
     clsort_mpi_result result;
     d.order.key_type = CLSORT_F32;
     d.count = n;                              of this rank; may be 0
     d.keys.host = keys;                       or d.keys.buffer, a cl_mem
     d.room = clsort_mpi_room(total, ranks, 0);
     d.keys_out.host = sorted;                 for d.room keys
     status = clsort_mpi_sort(MPI_COMM_WORLD, sorter, queue, &d, &result);

   Afterwards rank 0 has the first result.count elements of the order, rank 1 the next ones, and so
   on. Equal keys come in the order of ranks and, with order.stable, in their order on each rank.

   WHAT IT SORTS
     keys of all types, alone or with values of any size; records by a key or by fields; in all
     orders of clsort_desc but `precedes`. Input and output lie in host memory or in buffers. Counts
     differ among ranks as you like; a rank holds at most 2^32 - 1 elements before and after.

   HOW IT WORKS
     1 Each rank sorts its elements on its device.
     2 The ranks agree on splitters, the first elements of ranks 1, 2, and so on. A splitter is a
       key, a rank and a place there, so that equal keys are shared out like others. Each rank
       offers regular samples of its sorted keys; all count how many of their elements come before
       each sample, by binary search on the device, and add up. So the true place of each sample in
       the whole is known. Where the nearest one is too far from the place wanted, all offer samples
       between its neighbours in another round.
     3 Splitters cut the sorted elements of each rank into a part for each rank.
     4 Parts are exchanged. Where the device shares the host's memory, messages go from buffer to
       buffer. Elsewhere they pass through pinned host memory in chunks: one is downloaded, one sent
       and one received, and one uploaded at the same time.
     5 Each rank merges the parts that it received: those of up to CLSORT_MAX_RUNS ranks at once. A
       half of the ranks is merged while the rest is still uploaded. Records, equal zeros and NaNs,
       bit ranges and values above 8 bytes cannot be merged on the device: these are sorted again.

   BALANCE
     No rank receives more than 1.1 times its share (elements of all / ranks), or one element more
     than its share where that is below 10. With CLSORT_MPI_BALANCED the counts differ by at most 1.
     Neither depends on the input. Rounds: 1 for up to 64 ranks, without CLSORT_MPI_BALANCED; at
     most CLSORT_MPI_MAX_ROUNDS, since a round cuts what lies between the neighbours to a quarter at
     least. Samples take memory and time in the square of the number of ranks: this is meant for
     some hundreds.

   MEMORY on the device: with K bytes of an element, n elements before and m after, K (n + 2 m) and
     scratch memory, less those of n and m that lie in buffers of yours. In pinned memory: 8 chunks.

   ERRORS
     All ranks return the same status and text, those of the lowest rank that failed. No rank waits
     for one that failed: a rank whose device fails takes part in all messages until the ranks agree
     that one did. An MPI call that fails goes to the communicator's error handler, by default the
     end of the job. If that returns, only this rank returns CLSORT_MPI_ERROR_MPI, and others may
     wait for it: call MPI_Abort.

   THREADS: one thread of each rank calls; MPI_THREAD_FUNNELED is enough. The sorter and the queue
     belong to the call while it runs.

   SOURCES: Shi and Schaeffer, Parallel Sorting by Regular Sampling, 1992; Li et al., On the
     Versatility of Parallel Sorting by Regular Sampling, 1993; Harsh, Kale and Solomonik, Histogram
     Sort with Sampling, 2019; Varman et al., Merging Multiple Lists on Hierarchical-Memory
     Multiprocessors, 1991 (splitters of many lists). */

#ifndef CLSORT_MPI_SORT_H
#define CLSORT_MPI_SORT_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__unix__) || defined(__APPLE__)
#include <sched.h>
#endif

#include "clsort.h"

#if defined(__GNUC__)
#define CLSORT_MPI_API __attribute__((__unused__)) static
#else
#define CLSORT_MPI_API static
#endif

/* Beside those of clsort_status. */
enum {
    CLSORT_MPI_ERROR_MPI = -5100,       /* an MPI call failed; only this rank knows */
    CLSORT_MPI_ERROR_DISAGREE = -5101,  /* the ranks were given different orders, sizes or flags */
    CLSORT_MPI_ERROR_ROOM = -5102       /* `room` is below what a rank receives */
};

enum {
    CLSORT_MPI_BALANCED = 1,   /* counts after the sort differ by at most 1 */
    CLSORT_MPI_STAGED = 2      /* through pinned memory even where the device shares the host's */
};

/* What a sort does, in this order. */
enum {
    CLSORT_MPI_LOAD,        /* host arrays go to the device */
    CLSORT_MPI_SORT,
    CLSORT_MPI_SAMPLE,      /* rounds of sampling and counting */
    CLSORT_MPI_PARTITION,   /* ranks tell each other the sizes of parts, and make buffers */
    CLSORT_MPI_EXCHANGE,
    CLSORT_MPI_MERGE,
    CLSORT_MPI_STORE,       /* the result goes to host arrays */
    CLSORT_MPI_PHASES
};

enum { CLSORT_MPI_MAX_ROUNDS = 18 };

/* An array in host memory or in a buffer; the other one is NULL. Empty arrays may have both NULL.
   offset: bytes, of a buffer only, as aligned as clsort_desc says. */
typedef struct clsort_mpi_array {
    void *host;
    cl_mem buffer;
    size_t offset;
} clsort_mpi_array;

/* Start from clsort_mpi_desc_default(). */
typedef struct clsort_mpi_desc {
    /* Key types, orders, bits, stable, value_size, record_size, key_offset, fields and tuning, as
       for clsort_enqueue_sort, and the same on all ranks. Its counts, buffers, parts and scratch
       memory stay 0. */
    clsort_desc order;
    size_t count;               /* elements of this rank, 0 to 2^32 - 1 */
    /* Keys or records, and value_size bytes for each. Host arrays are only read. Buffers are used
       as room to work in: their content is undefined afterwards. */
    clsort_mpi_array keys, values;
    /* They receive the result. They may be the inputs, at the same offsets. */
    clsort_mpi_array keys_out, values_out;
    size_t room;                /* elements that the outputs can hold; see clsort_mpi_room */
    cl_uint flags;              /* CLSORT_MPI_*, the same on all ranks */
    size_t chunk_bytes;         /* of a message, the same on all ranks; default: 4 MiB where a rank
                                   sends through pinned memory, else as long as MPI allows */
    /* Called at the start of each phase, or NULL. */
    void (*phase)(void *user, int phase);
    void *user;
    /* Receive the elements that go to and come from each rank, a number for each rank; or NULL. */
    cl_ulong *sent, *received;
} clsort_mpi_desc;

typedef struct clsort_mpi_result {
    size_t count;               /* elements of this rank after the sort */
    cl_ulong first;             /* elements on the ranks before it */
    cl_ulong total;             /* elements of all ranks */
    double imbalance;           /* the most elements of a rank / (total / ranks); 1 without any */
    int rounds;                 /* of sampling */
    int failed_rank;            /* the lowest one that failed; -1: none */
    char error[512];            /* "rank 2: clEnqueueReadBuffer: ..."; "" without an error */
    double seconds[CLSORT_MPI_PHASES];   /* on this rank, each until all ranks were done */
} clsort_mpi_result;

/* The default description: every field is 0, but order is clsort_desc_default(). */
CLSORT_MPI_API clsort_mpi_desc clsort_mpi_desc_default(void)
{
    clsort_mpi_desc d;
    memset(&d, 0, sizeof d);
    d.order = clsort_desc_default();
    return d;
}

/* What a status means, in one line. Never NULL. Any thread may call it at any time. */
CLSORT_MPI_API const char *clsort_mpi_status_text(clsort_status status)
{
    switch (status) {
    case CLSORT_MPI_ERROR_MPI: return "CLSORT_MPI_ERROR_MPI: an MPI call failed";
    case CLSORT_MPI_ERROR_DISAGREE:
        return "CLSORT_MPI_ERROR_DISAGREE: the ranks were given different orders, sizes or flags";
    case CLSORT_MPI_ERROR_ROOM:
        return "CLSORT_MPI_ERROR_ROOM: `room` is below what this rank receives: see "
               "clsort_mpi_room";
    default: return clsort_status_text(status);
    }
}

/* How far a splitter may be from its place, in elements. */
static cl_ulong clsort_mpi__tolerance(cl_ulong total, int ranks, cl_uint flags)
{
    const cl_ulong tenth = total / 10 / (cl_ulong)ranks;
    return (flags & CLSORT_MPI_BALANCED) || tenth < 1 ? 0 : (tenth - 1) / 2;
}

/* The most elements that a rank receives, of `total` on all. Any thread may call it at any time. */
CLSORT_MPI_API size_t clsort_mpi_room(cl_ulong total, int ranks, cl_uint flags)
{
    const cl_ulong all = (cl_ulong)ranks, share = total / all + (total % all != 0);
    return (size_t)(share + 2 * clsort_mpi__tolerance(total, ranks, flags));
}

/* ==== implementation ========================================================================== */

enum {
    CLSORT_MPI__FETCH = 16 << 20,  /* bytes of elements that are fetched from the device at once,
                                      and in any case 256 elements */
    CLSORT_MPI__POOL = 1 << 16,    /* samples of a round that all ranks offer, where they can be
                                      so few */
    CLSORT_MPI__SLOTS = 4,         /* chunks on their way out, and as many on their way in */
    CLSORT_MPI__CHUNK = 4 << 20
};

/* The longest message in bytes. */
#if MPI_VERSION >= 4
#define CLSORT_MPI__MESSAGE (((size_t)-1) / 4)
#define CLSORT_MPI__ISEND(data, size, to, tag, comm, request) \
    MPI_Isend_c(data, (MPI_Count)(size), MPI_BYTE, to, tag, comm, request)
#define CLSORT_MPI__IRECV(data, size, from, tag, comm, request) \
    MPI_Irecv_c(data, (MPI_Count)(size), MPI_BYTE, from, tag, comm, request)
#else
#define CLSORT_MPI__MESSAGE ((size_t)1 << 30)
#define CLSORT_MPI__ISEND(data, size, to, tag, comm, request) \
    MPI_Isend(data, (int)(size), MPI_BYTE, to, tag, comm, request)
#define CLSORT_MPI__IRECV(data, size, from, tag, comm, request) \
    MPI_Irecv(data, (int)(size), MPI_BYTE, from, tag, comm, request)
#endif

typedef struct clsort_mpi__place {
    cl_mem buffer;
    size_t offset;
} clsort_mpi__place;

/* A splitter: `target` elements of all ranks should come before it. */
typedef struct clsort_mpi__cut {
    cl_ulong target;
    cl_ulong found;               /* so many come before the best sample so far ... */
    size_t place;                 /* ... and so many of this rank */
    cl_ulong low_total, high_total;   /* the same of its neighbours among the samples */
    size_t low, high;
} clsort_mpi__cut;

/* Consecutive elements of an array of received ones. */
typedef struct clsort_mpi__run {
    size_t first, count;
} clsort_mpi__run;

/* A part of what goes to a rank, or comes from one. */
typedef struct clsort_mpi__chunk {
    int peer, array;
    size_t at, size;   /* bytes */
} clsort_mpi__chunk;

typedef struct clsort_mpi__slot {
    cl_mem buffer;
    unsigned char *memory;
    cl_event event;         /* of a download or an upload; NULL if there is none */
    MPI_Request request;
    clsort_mpi__chunk chunk;
} clsort_mpi__slot;

/* Chunks pass through slots in turn, on the way out or in. Chunk i is in slot i % SLOTS. On the way
   out it is downloaded, then sent, on the way in received, then uploaded. So chunks from `finished`
   to `moved` - 1 are in their second step, those from `moved` to `begun` - 1 in their first. */
typedef struct clsort_mpi__pipe {
    int is_out, is_over;
    int distance, array;    /* of the next chunk: ranks in turn, the next one first */
    size_t done;            /* bytes of that array that were begun */
    size_t begun, moved, finished;
    clsort_mpi__slot slot[CLSORT_MPI__SLOTS];
} clsort_mpi__pipe;

/* Arrays: 0 are keys or records, 1 are values. */
typedef struct clsort_mpi__job {
    const clsort_mpi_desc *desc;
    clsort_mpi_result *result;
    MPI_Comm comm;                /* a duplicate of the caller's */
    int rank, ranks;
    int lost;                     /* MPI failed: no further call */
    clsort_status status;
    double since;                 /* when the phase began */
    int phase;
    clsort_sorter *sorter;
    cl_command_queue queue, down, up;   /* the caller's; of staged downloads and uploads */
    int arrays, is_staged;
    size_t message;               /* bytes of one at most, the same on all ranks */
    size_t size[2];               /* bytes of an element */
    size_t words;                 /* of a sample: codes of the key, rank, place */
    clsort_mpi__place in[2], received[2], merged[2], out[2], final[2];
    cl_mem made[8];               /* to be released */
    int made_count;
    cl_mem fetch_places, fetch_keys;
    size_t fetch;                 /* elements that these two hold */
    clsort_mpi__cut *cuts;        /* ranks - 1 */
    cl_ulong *send_at, *receive_at;   /* ranks + 1: where parts begin in `in` and `received` */
    clsort_mpi__run *runs;        /* of each rank in `received`, then of groups of them */
    cl_ulong *missing;            /* bytes of each group that have not come yet */
    int group;                    /* runs that are merged at once, at first */
    int is_joined;                /* were these merged while others were exchanged? */
    /* Of an exchange from buffer to buffer. */
    unsigned char *mapped[2][2];  /* `received` and `in`, of each array */
    MPI_Request *requests;
    clsort_mpi__pipe pipe[2];     /* of a staged exchange: in, out */
} clsort_mpi__job;

/* ---- errors ---------------------------------------------------------------------------------- */

/* Notes the first failure of this rank. */
static void clsort_mpi__check(clsort_mpi__job *j, clsort_status status, const char *what)
{
    const char *text = clsort_mpi_status_text(status);
    if (status == CL_SUCCESS || j->status != CL_SUCCESS) return;
    if (!strncmp(what, "clsort_", 7) && strcmp(what, "clsort_mpi_sort")
        && *clsort_last_error(j->sorter))
        text = clsort_last_error(j->sorter);
    j->status = status;
    snprintf(j->result->error, sizeof j->result->error, "rank %d: %s: %.400s", j->rank, what,
             text);
}

/* Notes whether an MPI call succeeded. */
static void clsort_mpi__call(clsort_mpi__job *j, int code, const char *what)
{
    if (code == MPI_SUCCESS) return;
    j->status = CL_SUCCESS;
    clsort_mpi__check(j, CLSORT_MPI_ERROR_MPI, what);
    j->lost = 1;
}

/* All ranks learn of the lowest one that failed. Returns whether all are well. */
static int clsort_mpi__agree(clsort_mpi__job *j)
{
    struct { int is_well, rank; } mine, lowest = { 1, 0 };
    if (j->lost || j->result->failed_rank >= 0) return 0;
    mine.is_well = j->status == CL_SUCCESS;
    mine.rank = j->rank;
    clsort_mpi__call(j, MPI_Allreduce(&mine, &lowest, 1, MPI_2INT, MPI_MINLOC, j->comm),
                     "MPI_Allreduce");
    if (lowest.is_well || j->lost) return !j->lost;
    j->result->failed_rank = lowest.rank;
    clsort_mpi__call(j, MPI_Bcast(&j->status, 1, MPI_INT, lowest.rank, j->comm), "MPI_Bcast");
    if (!j->lost)
        clsort_mpi__call(j, MPI_Bcast(j->result->error, (int)sizeof j->result->error, MPI_CHAR,
                                      lowest.rank, j->comm), "MPI_Bcast");
    return 0;
}

/* Ends the phase that runs and, if all ranks are well, begins the next one. Returns whether they
   are. */
static int clsort_mpi__phase(clsort_mpi__job *j, int phase)
{
    const int is_well = clsort_mpi__agree(j);
    const double now = MPI_Wtime();
    if (j->phase >= 0) j->result->seconds[j->phase] = now - j->since;
    j->phase = phase;
    j->since = now;
    if (is_well && phase < CLSORT_MPI_PHASES && j->desc->phase)
        j->desc->phase(j->desc->user, phase);
    return is_well;
}

/* Memory of the host; NULL notes a failure. */
static void *clsort_mpi__memory(clsort_mpi__job *j, size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) clsort_mpi__check(j, CL_OUT_OF_HOST_MEMORY, "calloc");
    return memory;
}

static cl_mem clsort_mpi__buffer(clsort_mpi__job *j, size_t bytes)
{
    cl_int code = CL_SUCCESS;
    cl_mem made;
    if (j->status != CL_SUCCESS) return NULL;
    made = clCreateBuffer(clsort_context(j->sorter), CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL,
                          &code);
    clsort_mpi__check(j, code, "clCreateBuffer");
    if (made) j->made[j->made_count++] = made;
    return made;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static int clsort_mpi__is_array(const clsort_mpi_array *a, size_t elements)
{
    if (a->host && (a->buffer || a->offset)) return 0;
    return a->host || a->buffer || !elements;
}

/* What this rank alone can say of its arguments. */
static clsort_status clsort_mpi__arguments(clsort_mpi__job *j)
{
    const clsort_mpi_desc *d = j->desc;
    const clsort_desc *o = &d->order;
    const cl_uint known = CLSORT_MPI_BALANCED | CLSORT_MPI_STAGED;
    clsort_desc local = *o;
    if (o->precedes || o->record_type || o->rows || o->segments || o->segment_count || o->top_k
        || o->indices || o->count_buffer || o->scratch)
        return CLSORT_ERROR_UNSUPPORTED;
    if (o->count || o->keys || o->values || o->keys_out || o->values_out)
        return CLSORT_ERROR_UNUSED_FIELD;
    if (d->flags & ~known) return CLSORT_ERROR_UNKNOWN_FLAG;
    if (d->count > 0xFFFFFFFFu) return CLSORT_ERROR_COUNT_TOO_LARGE;
    if (!clsort_mpi__is_array(&d->keys, d->count) || !clsort_mpi__is_array(&d->keys_out, d->room))
        return CLSORT_ERROR_MISSING_BUFFER;
    if (o->value_size && (!clsort_mpi__is_array(&d->values, d->count)
                          || !clsort_mpi__is_array(&d->values_out, d->room)))
        return CLSORT_ERROR_MISSING_BUFFER;
    local.count = d->count;
    clsort_mpi__check(j, clsort_check(j->sorter, &local), "clsort_check");
    return CL_SUCCESS;
}

static void clsort_mpi__hash(cl_ulong *h, const void *data, size_t size)
{
    const unsigned char *at = (const unsigned char *)data;
    while (size-- > 0) *h = (*h ^ *at++) * 1099511628211u;
}

/* A number that is the same for the same order. */
static cl_ulong clsort_mpi__order_hash(const clsort_mpi_desc *d)
{
    const clsort_desc *o = &d->order;
    cl_ulong h = 14695981039346656037u, numbers[12];
    numbers[0] = o->key_type;
    numbers[1] = o->order;
    numbers[2] = o->nan_order;
    numbers[3] = o->zero_order;
    numbers[4] = o->first_bit;
    numbers[5] = o->last_bit;
    numbers[6] = o->value_size;
    numbers[7] = o->record_size;
    numbers[8] = o->key_offset;
    numbers[9] = o->field_count;
    numbers[10] = d->flags;
    numbers[11] = d->chunk_bytes;
    clsort_mpi__hash(&h, numbers, sizeof numbers);
    if (o->fields) clsort_mpi__hash(&h, o->fields, o->field_count * sizeof *o->fields);
    return h;
}

/* Does this rank exchange through pinned memory? */
static int clsort_mpi__is_staged(const clsort_mpi__job *j)
{
    cl_bool is_unified = CL_FALSE;
    clGetDeviceInfo(clsort_device(j->sorter), CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof is_unified,
                    &is_unified, NULL);
    return !is_unified || (j->desc->flags & CLSORT_MPI_STAGED);
}

/* Are all arguments right, and those the same that must be? Counts all elements, and agrees on the
   length of messages: some ranks may send from buffers that others receive in pinned memory. */
static void clsort_mpi__compare(clsort_mpi__job *j)
{
    const cl_ulong hash = clsort_mpi__order_hash(j->desc);
    cl_ulong bounds[3], least[3] = { 0, 0, 0 }, count = j->desc->count;
    clsort_mpi__check(j, clsort_mpi__arguments(j), "clsort_mpi_sort");
    if (!clsort_mpi__agree(j)) return;
    j->is_staged = clsort_mpi__is_staged(j);
    bounds[0] = hash;
    bounds[1] = ~hash;
    bounds[2] = j->desc->chunk_bytes ? j->desc->chunk_bytes
                : j->is_staged       ? (size_t)CLSORT_MPI__CHUNK : CLSORT_MPI__MESSAGE;
    clsort_mpi__call(j, MPI_Allreduce(bounds, least, 3, MPI_UINT64_T, MPI_MIN, j->comm),
                     "MPI_Allreduce");
    j->message = least[2] < CLSORT_MPI__MESSAGE ? (size_t)least[2] : CLSORT_MPI__MESSAGE;
    if (!j->lost)
        clsort_mpi__call(j, MPI_Allreduce(&count, &j->result->total, 1, MPI_UINT64_T, MPI_SUM,
                                          j->comm), "MPI_Allreduce");
    if (!j->lost && least[0] != ~least[1])
        clsort_mpi__check(j, CLSORT_MPI_ERROR_DISAGREE, "clsort_mpi_sort");
}

/* ---- sort ------------------------------------------------------------------------------------ */

static void clsort_mpi__load(clsort_mpi__job *j)
{
    const clsort_mpi_array *arrays[2];
    int a;
    arrays[0] = &j->desc->keys;
    arrays[1] = &j->desc->values;
    for (a = 0; a < j->arrays; a++) {
        const size_t bytes = j->desc->count * j->size[a];
        j->in[a].buffer = arrays[a]->buffer;
        j->in[a].offset = arrays[a]->offset;
        if (arrays[a]->buffer) continue;
        j->in[a].buffer = clsort_mpi__buffer(j, bytes);
        if (bytes && j->status == CL_SUCCESS)
            clsort_mpi__check(j, clEnqueueWriteBuffer(j->queue, j->in[a].buffer, CL_TRUE, 0, bytes,
                                                      arrays[a]->host, 0, NULL, NULL),
                              "clEnqueueWriteBuffer");
    }
}

/* Sorts `count` elements of `from` into `to`. */
static void clsort_mpi__sort(clsort_mpi__job *j, size_t count, const clsort_mpi__place *from,
                             const clsort_mpi__place *to)
{
    clsort_desc d = j->desc->order;
    if (!count || j->status != CL_SUCCESS) return;
    d.count = count;
    d.keys = from[0].buffer;
    d.keys_offset = from[0].offset;
    if (to != from) d.keys_out = to[0].buffer;
    if (to != from) d.keys_out_offset = to[0].offset;
    if (j->arrays > 1) {
        d.values = from[1].buffer;
        d.values_offset = from[1].offset;
        if (to != from) d.values_out = to[1].buffer;
        if (to != from) d.values_out_offset = to[1].offset;
    }
    clsort_mpi__check(j, clsort_enqueue_sort(j->sorter, j->queue, &d, 0, NULL, NULL),
                      "clsort_enqueue_sort");
    clsort_mpi__check(j, clFinish(j->queue), "clFinish");
}

/* ---- samples --------------------------------------------------------------------------------- */

static cl_ulong clsort_mpi__bits(const unsigned char *key, unsigned bytes)
{
    cl_ulong b8;
    cl_uint b4;
    cl_ushort b2;
    if (bytes == 8) return memcpy(&b8, key, 8), b8;
    if (bytes == 4) return memcpy(&b4, key, 4), b4;
    if (bytes == 2) return memcpy(&b2, key, 2), b2;
    return *key;
}

/* A number that has a key's order. */
static cl_ulong clsort_mpi__code(const unsigned char *key, cl_uint type, cl_uint order,
                                 cl_uint nan_order, cl_uint zero_order)
{
    const unsigned width = type & 0xFF, kind = type >> 8,
                   mantissa = type == CLSORT_F16   ? 10u
                              : type == CLSORT_BF16 ? 7u
                              : type == CLSORT_F32  ? 23u
                              : type == CLSORT_F64  ? 52u : 0u;
    const cl_ulong all = ~(cl_ulong)0 >> (64 - width), sign = all ^ all >> 1,
                   nans = ((cl_ulong)1 << mantissa) - 1, infinity = (all >> 1) - nans;
    cl_ulong bits = clsort_mpi__bits(key, width / 8), code;
    if (mantissa && zero_order == CLSORT_ZERO_EQUAL && bits == sign) bits = 0;
    if (mantissa && nan_order == CLSORT_NAN_EQUAL && (bits & ~sign) > infinity)
        bits = infinity + 1;
    code = mantissa ? (bits & sign ? ~bits & all : bits | sign)
                    : kind == CLSORT_I8 >> 8 ? bits ^ sign : bits;
    if (order == CLSORT_DESCENDING) code = all - code;
    /* NaNs lie at both ends: those in front move behind the last ones. */
    return mantissa && nan_order != CLSORT_NAN_TOTAL ? (code - nans) & all : code;
}

static int clsort_mpi__is_bytes(const clsort_field *f)
{
    return f->type >> 8 == (cl_uint)CLSORT_BYTES >> 8;
}

/* The words that a field takes among the codes of an element: 8 bytes go into one. */
static size_t clsort_mpi__field_words(const clsort_field *f)
{
    return clsort_mpi__is_bytes(f) ? ((f->type & 0xFF) + 7) / 8 : 1;
}

/* Writes the words of a field of an element. Returns the place behind them. */
static cl_ulong *clsort_mpi__field_codes(const clsort_field *f, const unsigned char *field,
                                         cl_ulong *words)
{
    const size_t size = f->type & 0xFF;
    size_t i, k;
    if (!clsort_mpi__is_bytes(f)) {
        *words = clsort_mpi__code(field, f->type, f->order, f->nan_order, f->zero_order);
        return words + 1;
    }
    for (i = 0; i < size; i += 8, words++) {
        for (*words = 0, k = i; k < i + 8; k++) *words = *words << 8 | (k < size ? field[k] : 0);
        if (f->order == CLSORT_DESCENDING) *words = ~*words;
    }
    return words;
}

/* The words of an element that decide. */
static void clsort_mpi__codes(const clsort_mpi__job *j, const unsigned char *element,
                              cl_ulong *words)
{
    const clsort_desc *o = &j->desc->order;
    const unsigned width = o->key_type & 0xFF, last = o->last_bit ? o->last_bit : width;
    cl_uint i;
    for (i = 0; i < o->field_count; i++)
        words = clsort_mpi__field_codes(&o->fields[i], element + o->fields[i].offset, words);
    if (o->field_count) return;
    words[0] = clsort_mpi__code(element + o->key_offset, o->key_type, o->order, o->nan_order,
                                o->zero_order);
    words[0] = (words[0] & ~(cl_ulong)0 >> (64 - last)) >> o->first_bit;
}

static int clsort_mpi__is_before(const cl_ulong *a, const cl_ulong *b, size_t words)
{
    size_t i = 0;
    while (i + 1 < words && a[i] == b[i]) i++;
    return a[i] < b[i];
}

/* Reads the sorted elements at n places, at most j->fetch. */
static void clsort_mpi__fetch(clsort_mpi__job *j, const cl_uint *places, size_t n,
                              unsigned char *elements)
{
    clsort_gather_desc g = clsort_gather_desc_default();
    clsort_array a;
    if (!n || j->status != CL_SUCCESS) return;
    memset(&a, 0, sizeof a);
    a.source = j->in[0].buffer;
    a.source_offset = j->in[0].offset;
    a.target = j->fetch_keys;
    a.element_size = j->size[0];
    g.count = n;
    g.source_count = j->desc->count;
    g.indices = j->fetch_places;
    g.arrays = &a;
    g.array_count = 1;
    clsort_mpi__check(j, clEnqueueWriteBuffer(j->queue, j->fetch_places, CL_FALSE, 0,
                                              n * sizeof *places, places, 0, NULL, NULL),
                      "clEnqueueWriteBuffer");
    clsort_mpi__check(j, clsort_enqueue_gather(j->sorter, j->queue, &g, 0, NULL, NULL),
                      "clsort_enqueue_gather");
    clsort_mpi__check(j, clEnqueueReadBuffer(j->queue, j->fetch_keys, CL_TRUE, 0, n * j->size[0],
                                             elements, 0, NULL, NULL), "clEnqueueReadBuffer");
}

/* The samples of all ranks in a round. */
typedef struct clsort_mpi__pool {
    size_t each;                /* of a rank */
    size_t count;               /* of all */
    cl_ulong *samples;          /* count times `words`; a rank of ~0 stands for none */
    cl_ulong *before;           /* elements of this rank before each */
    cl_ulong *total;            /* of all ranks */
    cl_uint *low, *high;        /* places between which a search goes on */
    cl_uint *places, *which;    /* what is fetched, and for which samples */
    unsigned char *elements;
} clsort_mpi__pool;

static void clsort_mpi__pool_free(clsort_mpi__pool *p)
{
    free(p->samples);
    free(p->before);
    free(p->total);
    free(p->low);
    free(p->high);
    free(p->places);
    free(p->which);
    free(p->elements);
}

static void clsort_mpi__pool_make(clsort_mpi__job *j, size_t each, clsort_mpi__pool *p)
{
    const size_t n = each * (size_t)j->ranks;
    p->each = each;
    p->count = n;
    p->samples = (cl_ulong *)clsort_mpi__memory(j, n, j->words * sizeof(cl_ulong));
    p->before = (cl_ulong *)clsort_mpi__memory(j, n, sizeof(cl_ulong));
    p->total = (cl_ulong *)clsort_mpi__memory(j, n, sizeof(cl_ulong));
    p->low = (cl_uint *)clsort_mpi__memory(j, n, sizeof(cl_uint));
    p->high = (cl_uint *)clsort_mpi__memory(j, n, sizeof(cl_uint));
    p->places = (cl_uint *)clsort_mpi__memory(j, j->fetch, sizeof(cl_uint));
    p->which = (cl_uint *)clsort_mpi__memory(j, j->fetch, sizeof(cl_uint));
    p->elements = (unsigned char *)clsort_mpi__memory(j, j->fetch, j->size[0]);
}

/* Offers n of the elements low ... high - 1 of this rank, at regular distances, as samples number
   `at` and on; or all of them if they are not more. */
static void clsort_mpi__offer(const clsort_mpi__job *j, clsort_mpi__pool *p, size_t at, size_t n,
                              size_t low, size_t high)
{
    const cl_ulong length = high - low;
    size_t i;
    for (i = 0; i < n; i++) {
        cl_ulong *rank = p->samples + (at + i) * j->words + j->words - 2, *place = rank + 1;
        *rank = length > i ? (cl_ulong)j->rank : ~(cl_ulong)0;
        *place = low + (length > n ? (2 * i + 1) * length / (2 * n) : i);
    }
}

/* Reads the keys of this rank's own samples. */
static void clsort_mpi__read_samples(clsort_mpi__job *j, clsort_mpi__pool *p)
{
    const size_t first = p->each * (size_t)j->rank, end = first + p->each;
    size_t i = first, k, n;
    while (i < end) {
        for (n = 0; i < end && n < j->fetch; i++) {
            const cl_ulong *rank = p->samples + i * j->words + j->words - 2;
            if (*rank == ~(cl_ulong)0) continue;
            p->which[n] = (cl_uint)i;
            p->places[n++] = (cl_uint)rank[1];
        }
        clsort_mpi__fetch(j, p->places, n, p->elements);
        for (k = 0; k < n; k++)
            clsort_mpi__codes(j, p->elements + k * j->size[0],
                              p->samples + p->which[k] * j->words);
    }
}

/* Halves the search of n samples by the elements that were fetched for them. */
static void clsort_mpi__halve(clsort_mpi__job *j, clsort_mpi__pool *p, size_t n)
{
    cl_ulong words[CLSORT_MAX_FIELDS * CLSORT_MAX_FIELD_BYTES / 8 + 2];
    size_t k;
    for (k = 0; k < n; k++) {
        const size_t i = p->which[k];
        clsort_mpi__codes(j, p->elements + k * j->size[0], words);
        words[j->words - 2] = (cl_ulong)j->rank;
        words[j->words - 1] = p->places[k];
        if (clsort_mpi__is_before(words, p->samples + i * j->words, j->words))
            p->low[i] = p->places[k] + 1;
        else p->high[i] = p->places[k];
    }
}

/* Counts how many elements of this rank come before each sample: all binary searches go on at the
   same time. */
static void clsort_mpi__count(clsort_mpi__job *j, clsort_mpi__pool *p)
{
    size_t i, n, busy = 1;
    for (i = 0; i < p->count; i++) {
        const cl_ulong *rank = p->samples + i * j->words + j->words - 2;
        const int is_own = *rank == (cl_ulong)j->rank, is_none = *rank == ~(cl_ulong)0;
        p->low[i] = is_own ? (cl_uint)rank[1] : 0;
        p->high[i] = is_own || is_none ? p->low[i] : (cl_uint)j->desc->count;
    }
    while (busy && j->status == CL_SUCCESS) {
        for (busy = i = 0; i < p->count; busy += n) {
            for (n = 0; i < p->count && n < j->fetch; i++) {
                if (p->low[i] == p->high[i]) continue;
                p->which[n] = (cl_uint)i;
                p->places[n++] = p->low[i] + (p->high[i] - p->low[i]) / 2;
            }
            clsort_mpi__fetch(j, p->places, n, p->elements);
            if (j->status == CL_SUCCESS) clsort_mpi__halve(j, p, n);
        }
    }
    for (i = 0; i < p->count; i++) p->before[i] = p->low[i];
}

static cl_ulong clsort_mpi__distance(cl_ulong a, cl_ulong b) { return a < b ? b - a : a - b; }

/* What a sample says of a splitter. All splitters hear of all samples, so that their order is that
   of their targets. */
static void clsort_mpi__narrow(clsort_mpi__cut *c, cl_ulong total, cl_ulong before)
{
    const cl_ulong now = clsort_mpi__distance(total, c->target),
                   best = clsort_mpi__distance(c->found, c->target);
    if (now < best || (now == best && total < c->found)) {
        c->found = total;
        c->place = (size_t)before;
    }
    if (total <= c->target && total >= c->low_total) {
        c->low_total = total;
        c->low = (size_t)before;
    }
    if (total >= c->target && total <= c->high_total) {
        c->high_total = total;
        c->high = (size_t)before;
    }
}

static int clsort_mpi__is_open(const clsort_mpi__job *j, int s)
{
    return clsort_mpi__distance(j->cuts[s].found, j->cuts[s].target)
           > clsort_mpi__tolerance(j->result->total, j->ranks, j->desc->flags);
}

/* Offers this rank's samples: at first from all elements, later between the neighbours of each
   splitter that is too far from its place. */
static void clsort_mpi__offer_all(clsort_mpi__job *j, clsort_mpi__pool *p, size_t each)
{
    size_t at = p->each * (size_t)j->rank;
    int s;
    if (j->result->rounds == 0) {
        clsort_mpi__offer(j, p, at, each, 0, j->desc->count);
        return;
    }
    for (s = 0; s < j->ranks - 1; s++)
        if (clsort_mpi__is_open(j, s)) {
            clsort_mpi__offer(j, p, at, each, j->cuts[s].low, j->cuts[s].high);
            at += each;
        }
}

/* One round with `lists` times `each` samples of each rank. */
static void clsort_mpi__round(clsort_mpi__job *j, size_t lists, size_t each)
{
    clsort_mpi__pool p;
    size_t i;
    int s;
    clsort_mpi__pool_make(j, lists * each, &p);
    if (clsort_mpi__agree(j)) {
        const int words = (int)(p.each * j->words);
        clsort_mpi__offer_all(j, &p, each);
        clsort_mpi__read_samples(j, &p);
        clsort_mpi__call(j, MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p.samples, words,
                                          MPI_UINT64_T, j->comm), "MPI_Allgather");
        clsort_mpi__count(j, &p);
        if (!j->lost)
            clsort_mpi__call(j, MPI_Allreduce(p.before, p.total, (int)p.count, MPI_UINT64_T,
                                              MPI_SUM, j->comm), "MPI_Allreduce");
        for (s = 0; s < j->ranks - 1; s++)
            for (i = 0; i < p.count; i++)
                if (p.samples[i * j->words + j->words - 2] != ~(cl_ulong)0)
                    clsort_mpi__narrow(&j->cuts[s], p.total[i], p.before[i]);
    }
    clsort_mpi__pool_free(&p);
}

/* The splitters' targets; before any sample they stand in front of all elements. */
static void clsort_mpi__aim(clsort_mpi__job *j)
{
    const cl_ulong total = j->result->total, all = (cl_ulong)j->ranks;
    int s;
    for (s = 0; s < j->ranks - 1; s++) {
        clsort_mpi__cut *c = &j->cuts[s];
        const cl_ulong before = (cl_ulong)s + 1;
        memset(c, 0, sizeof *c);
        c->target = total / all * before + total % all * before / all;
        c->high_total = total;
        c->high = j->desc->count;
    }
}

/* Rounds until each splitter is near enough. */
static void clsort_mpi__sample(clsort_mpi__job *j)
{
    const size_t all = (size_t)j->ranks, fair = CLSORT_MPI__POOL / all;
    size_t open = 1, each = all < 16 ? 256 : 16 * all;
    int s;
    if (each > fair) each = fair < 16 ? 16 : fair;
    clsort_mpi__aim(j);
    j->fetch = CLSORT_MPI__FETCH / j->size[0] < 256 ? 256 : CLSORT_MPI__FETCH / j->size[0];
    if (j->fetch > CLSORT_MPI__POOL) j->fetch = CLSORT_MPI__POOL;
    j->fetch_places = clsort_mpi__buffer(j, j->fetch * sizeof(cl_uint));
    j->fetch_keys = clsort_mpi__buffer(j, j->fetch * j->size[0]);
    if (!clsort_mpi__agree(j)) return;
    while (open && j->ranks > 1 && j->result->total && j->result->rounds < CLSORT_MPI_MAX_ROUNDS) {
        clsort_mpi__round(j, open, each);
        if (!clsort_mpi__agree(j)) return;
        j->result->rounds++;
        for (open = 0, s = 0; s < j->ranks - 1; s++) open += (size_t)clsort_mpi__is_open(j, s);
        each = CLSORT_MPI__POOL / 4 / (all * (open ? open : 1));
        each = each < 4 ? 4 : each > 64 ? 64 : each;
    }
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Can the device merge these elements? Others are sorted again. */
static int clsort_mpi__can_merge(const clsort_mpi__job *j)
{
    const clsort_desc *o = &j->desc->order;
    return !o->record_size && !o->first_bit
           && (!o->last_bit || o->last_bit == 8 * (cl_uint)j->size[0])
           && o->zero_order == CLSORT_ZERO_DISTINCT && o->nan_order != CLSORT_NAN_EQUAL
           && o->value_size <= 8;
}

/* Where the parts of this rank begin. They ascend, unless the device sorted wrong. */
static void clsort_mpi__cut_parts(clsort_mpi__job *j)
{
    int r;
    for (r = 1; r < j->ranks; r++) j->send_at[r] = j->cuts[r - 1].place;
    j->send_at[j->ranks] = j->desc->count;
    for (r = 0; r < j->ranks; r++)
        if (j->send_at[r] > j->send_at[r + 1])
            clsort_mpi__check(j, CLSORT_ERROR_WRONG_RESULT, "clsort_mpi_sort");
}

/* The ranks tell each other the sizes of their parts. */
static void clsort_mpi__tell_sizes(clsort_mpi__job *j, cl_ulong *sent, cl_ulong *received)
{
    cl_ulong most = 0, count = 0;
    int r;
    for (r = 0; r < j->ranks; r++) sent[r] = j->send_at[r + 1] - j->send_at[r];
    clsort_mpi__call(j, MPI_Alltoall(sent, 1, MPI_UINT64_T, received, 1, MPI_UINT64_T, j->comm),
                     "MPI_Alltoall");
    for (r = 0; r < j->ranks; r++) {
        j->receive_at[r] = count;
        j->runs[r].first = (size_t)count;
        j->runs[r].count = (size_t)received[r];
        count += received[r];
    }
    j->receive_at[j->ranks] = count;
    j->result->count = (size_t)count;
    if (!j->lost)
        clsort_mpi__call(j, MPI_Exscan(&count, &j->result->first, 1, MPI_UINT64_T, MPI_SUM,
                                       j->comm), "MPI_Exscan");
    if (!j->rank) j->result->first = 0;
    if (!j->lost)
        clsort_mpi__call(j, MPI_Allreduce(&count, &most, 1, MPI_UINT64_T, MPI_MAX, j->comm),
                         "MPI_Allreduce");
    if (j->result->total)
        j->result->imbalance = (double)most * j->ranks / (double)j->result->total;
    if (count > 0xFFFFFFFFu)
        clsort_mpi__check(j, CLSORT_ERROR_COUNT_TOO_LARGE, "clsort_mpi_sort");
    else if (count > j->desc->room)
        clsort_mpi__check(j, CLSORT_MPI_ERROR_ROOM, "clsort_mpi_sort");
}

/* Buffers for what comes and what is merged. */
static void clsort_mpi__make_room(clsort_mpi__job *j)
{
    const clsort_mpi_array *out[2];
    int a;
    out[0] = &j->desc->keys_out;
    out[1] = &j->desc->values_out;
    j->group = j->is_staged && j->ranks > 2 ? (j->ranks + 1) / 2 : j->ranks;
    if (j->group > CLSORT_MAX_RUNS) j->group = CLSORT_MAX_RUNS;
    for (a = 0; a < j->arrays; a++) {
        const size_t bytes = j->result->count * j->size[a];
        if (j->ranks > 1) j->received[a].buffer = clsort_mpi__buffer(j, bytes);
        if (j->ranks > j->group || (j->ranks > 1 && !out[a]->buffer))
            j->merged[a].buffer = clsort_mpi__buffer(j, bytes);
        j->out[a].buffer = out[a]->buffer;
        j->out[a].offset = out[a]->offset;
    }
}

/* Copies elements on the device. */
static void clsort_mpi__copy(clsort_mpi__job *j, const clsort_mpi__place *from, size_t from_first,
                             const clsort_mpi__place *to, size_t to_first, size_t count,
                             cl_uint n_wait, const cl_event *wait)
{
    int a;
    for (a = 0; a < j->arrays && count && j->status == CL_SUCCESS; a++)
        clsort_mpi__check(j, clEnqueueCopyBuffer(j->queue, from[a].buffer, to[a].buffer,
                                                 from[a].offset + from_first * j->size[a],
                                                 to[a].offset + to_first * j->size[a],
                                                 count * j->size[a], n_wait, wait, NULL),
                          "clEnqueueCopyBuffer");
}

/* Enqueues the merge of n runs that lie one after the other in `from` to the same place in `to`. */
static void clsort_mpi__join(clsort_mpi__job *j, const clsort_mpi__run *runs, int n,
                             const clsort_mpi__place *from, const clsort_mpi__place *to,
                             cl_uint n_wait, const cl_event *wait)
{
    clsort_merge_runs_desc m = clsort_merge_runs_desc_default();
    const clsort_desc *o = &j->desc->order;
    clsort_run list[CLSORT_MAX_RUNS];
    int i, last = 0;
    memset(list, 0, sizeof list);
    for (i = 0; i < n; i++) {
        clsort_run *run = &list[m.run_count];
        if (!runs[i].count) continue;
        run->count = runs[i].count;
        run->keys = from[0].buffer;
        run->keys_offset = from[0].offset + runs[i].first * j->size[0];
        run->values = from[1].buffer;
        run->values_offset = from[1].offset + runs[i].first * j->size[1];
        m.run_count++;
        last = i;
    }
    if (m.run_count < 2) {
        clsort_mpi__copy(j, from, runs[last].first, to, runs[last].first, runs[last].count, n_wait,
                         wait);
        return;
    }
    m.runs = list;
    m.key_type = o->key_type;
    m.order = o->order;
    m.nan_order = o->nan_order;
    m.value_size = o->value_size;
    m.keys_out = to[0].buffer;
    m.keys_out_offset = to[0].offset + runs[0].first * j->size[0];
    m.values_out = to[1].buffer;
    m.values_out_offset = to[1].offset + runs[0].first * j->size[1];
    if (j->status == CL_SUCCESS)
        clsort_mpi__check(j, clsort_enqueue_merge_runs(j->sorter, j->queue, &m, n_wait, wait, NULL),
                          "clsort_enqueue_merge_runs");
}

/* Where the last step writes: buffers of the caller, or ours that it does not read. */
static void clsort_mpi__aim_last(clsort_mpi__job *j, const clsort_mpi__place *from)
{
    int a;
    for (a = 0; a < j->arrays; a++)
        j->final[a] = j->out[a].buffer      ? j->out[a]
                      : from == j->received ? j->merged[a] : j->received[a];
}

/* Merges groups of runs, then their results, until one run is left. */
static void clsort_mpi__merge_rounds(clsort_mpi__job *j)
{
    const clsort_mpi__place *from, *to = j->received;
    int runs = j->ranks, group = j->group, is_joined = j->is_joined, is_last, at, n;
    do {
        from = to;
        is_last = runs <= group;
        if (is_last) clsort_mpi__aim_last(j, from);
        to = is_last ? j->final : from == j->merged ? j->received : j->merged;
        for (at = 0, n = 0; at < runs; at += group, n++) {
            const int size = at + group < runs ? group : runs - at;
            int i;
            if (!is_joined) clsort_mpi__join(j, j->runs + at, size, from, to, 0, NULL);
            j->runs[n] = j->runs[at];
            for (i = 1; i < size; i++) j->runs[n].count += j->runs[at + i].count;
        }
        runs = n;
        group = CLSORT_MAX_RUNS;
        is_joined = 0;
    } while (!is_last);
}

/* A rank that is alone has its result already. */
static void clsort_mpi__take(clsort_mpi__job *j)
{
    int a;
    for (a = 0; a < j->arrays; a++) {
        const clsort_mpi__place *in = &j->in[a], *out = &j->out[a];
        const int is_there = in->buffer == out->buffer && in->offset == out->offset;
        j->final[a] = out->buffer ? *out : *in;
        if (out->buffer && !is_there && j->result->count && j->status == CL_SUCCESS)
            clsort_mpi__check(j, clEnqueueCopyBuffer(j->queue, in->buffer, out->buffer, in->offset,
                                                     out->offset, j->result->count * j->size[a], 0,
                                                     NULL, NULL), "clEnqueueCopyBuffer");
    }
}

static void clsort_mpi__merge(clsort_mpi__job *j)
{
    if (j->ranks == 1) {
        clsort_mpi__take(j);
    } else if (clsort_mpi__can_merge(j)) {
        clsort_mpi__merge_rounds(j);
    } else {
        clsort_mpi__aim_last(j, j->received);
        clsort_mpi__sort(j, j->result->count, j->received, j->final);
    }
    clsort_mpi__check(j, clFinish(j->queue), "clFinish");
}

static void clsort_mpi__store(clsort_mpi__job *j)
{
    void *host[2];
    int a;
    host[0] = j->desc->keys_out.host;
    host[1] = j->desc->values_out.host;
    for (a = 0; a < j->arrays; a++) {
        const size_t bytes = j->result->count * j->size[a];
        if (host[a] && bytes && j->status == CL_SUCCESS)
            clsort_mpi__check(j, clEnqueueReadBuffer(j->queue, j->final[a].buffer, CL_TRUE,
                                                     j->final[a].offset, bytes, host[a], 0, NULL,
                                                     NULL), "clEnqueueReadBuffer");
    }
}

/* ---- exchange from buffer to buffer ---------------------------------------------------------- */

/* Sends or receives the part of one rank, in messages that are not too long. Returns how many
   requests it made. */
static size_t clsort_mpi__messages(clsort_mpi__job *j, int is_out, int peer, int array,
                                   unsigned char *memory, MPI_Request *requests)
{
    const cl_ulong *at = (is_out ? j->send_at : j->receive_at) + peer;
    size_t place = (size_t)at[0] * j->size[array], n = 0;
    const size_t end = (size_t)at[1] * j->size[array];
    for (; place < end; n++) {
        const size_t size = end - place < j->message ? end - place : j->message;
        if (requests && is_out)
            clsort_mpi__call(j, CLSORT_MPI__ISEND(memory + place, size, peer, array, j->comm,
                                                  &requests[n]), "MPI_Isend");
        else if (requests)
            clsort_mpi__call(j, CLSORT_MPI__IRECV(memory + place, size, peer, array, j->comm,
                                                  &requests[n]), "MPI_Irecv");
        if (j->lost) break;
        place += size;
    }
    return n;
}

/* All messages: those that come, then those that go. Without `requests` it only counts. */
static size_t clsort_mpi__post(clsort_mpi__job *j, MPI_Request *requests)
{
    size_t n = 0;
    int is_out, distance, a;
    for (is_out = 0; is_out < 2; is_out++)
        for (distance = 1; distance < j->ranks; distance++)
            for (a = 0; a < j->arrays && !j->lost; a++) {
                const int step = is_out ? distance : j->ranks - distance;
                n += clsort_mpi__messages(j, is_out, (j->rank + step) % j->ranks, a,
                                          j->mapped[is_out][a], requests ? requests + n : NULL);
            }
    return n;
}

/* Starts to map a part of a buffer. */
static unsigned char *clsort_mpi__map(clsort_mpi__job *j, cl_mem buffer, size_t offset,
                                      size_t bytes, cl_map_flags flags)
{
    cl_int code = CL_SUCCESS;
    void *memory;
    if (!bytes || j->status != CL_SUCCESS) return NULL;
    memory = clEnqueueMapBuffer(j->queue, buffer, CL_FALSE, flags, offset, bytes, 0, NULL, NULL,
                                &code);
    clsort_mpi__check(j, code, "clEnqueueMapBuffer");
    return (unsigned char *)memory;
}

static void clsort_mpi__unmap(clsort_mpi__job *j, cl_mem buffer, unsigned char **memory)
{
    if (*memory)
        clsort_mpi__check(j, clEnqueueUnmapMemObject(j->queue, buffer, *memory, 0, NULL, NULL),
                          "clEnqueueUnmapMemObject");
    *memory = NULL;
}

/* Copies the part that stays between mapped buffers. */
static void clsort_mpi__keep(const clsort_mpi__job *j)
{
    const clsort_mpi__run *own = &j->runs[j->rank];
    int a;
    for (a = 0; a < j->arrays && own->count; a++)
        memcpy(j->mapped[0][a] + own->first * j->size[a],
               j->mapped[1][a] + (size_t)j->send_at[j->rank] * j->size[a],
               own->count * j->size[a]);
}

static void clsort_mpi__map_all(clsort_mpi__job *j)
{
    int a;
    j->requests = (MPI_Request *)clsort_mpi__memory(j, clsort_mpi__post(j, NULL),
                                                    sizeof *j->requests);
    for (a = 0; a < j->arrays; a++) {
        j->mapped[0][a] = clsort_mpi__map(j, j->received[a].buffer, 0,
                                          j->result->count * j->size[a], CL_MAP_WRITE);
        j->mapped[1][a] = clsort_mpi__map(j, j->in[a].buffer, j->in[a].offset,
                                          j->desc->count * j->size[a], CL_MAP_READ);
    }
}

static void clsort_mpi__direct(clsort_mpi__job *j)
{
    const size_t n = clsort_mpi__post(j, j->requests);
    size_t i;
    clsort_mpi__keep(j);
    for (i = 0; i < n && !j->lost; i++)
        clsort_mpi__call(j, MPI_Wait(&j->requests[i], MPI_STATUS_IGNORE), "MPI_Wait");
}

/* ---- exchange through pinned memory ---------------------------------------------------------- */

/* The next chunk of a pipe. Returns 0 when there is none. Both ends of a way cut it alike. */
static int clsort_mpi__next(const clsort_mpi__job *j, clsort_mpi__pipe *p, clsort_mpi__chunk *c)
{
    for (; p->distance < j->ranks; p->distance++) {
        const int step = p->is_out ? p->distance : j->ranks - p->distance;
        const int peer = (j->rank + step) % j->ranks;
        const cl_ulong *at = (p->is_out ? j->send_at : j->receive_at) + peer;
        for (; p->array < j->arrays; p->array++, p->done = 0) {
            const size_t bytes = (size_t)(at[1] - at[0]) * j->size[p->array];
            const size_t left = bytes - p->done;
            if (!left) continue;
            c->peer = peer;
            c->array = p->array;
            c->at = (size_t)at[0] * j->size[p->array] + p->done;
            c->size = left < j->message ? left : j->message;
            p->done += c->size;
            return 1;
        }
        p->array = 0;
    }
    return 0;
}

static void clsort_mpi__pipe_make(clsort_mpi__job *j, int is_out)
{
    clsort_mpi__pipe *p = &j->pipe[is_out];
    int i;
    p->is_out = is_out;
    p->distance = 1;
    for (i = 0; i < CLSORT_MPI__SLOTS && j->status == CL_SUCCESS; i++) {
        cl_int code = CL_SUCCESS;
        p->slot[i].buffer = clCreateBuffer(clsort_context(j->sorter),
                                           CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, j->message,
                                           NULL, &code);
        clsort_mpi__check(j, code, "clCreateBuffer");
        p->slot[i].memory = clsort_mpi__map(j, p->slot[i].buffer, 0, j->message,
                                            CL_MAP_READ | CL_MAP_WRITE);
    }
}

static void clsort_mpi__pipe_free(clsort_mpi__job *j, clsort_mpi__pipe *p)
{
    int i;
    for (i = 0; i < CLSORT_MPI__SLOTS; i++) {
        clsort_mpi__slot *s = &p->slot[i];
        clsort_mpi__unmap(j, s->buffer, &s->memory);
        if (s->buffer) clReleaseMemObject(s->buffer);
        s->buffer = NULL;
    }
}

/* Starts to copy a chunk between a slot and the device. After a failure nothing is copied: then
   only messages go on, so that no rank waits. */
static void clsort_mpi__slot_copy(clsort_mpi__job *j, int is_out, clsort_mpi__slot *s)
{
    const clsort_mpi__place *a = (is_out ? j->in : j->received) + s->chunk.array;
    const size_t at = a->offset + s->chunk.at;
    const cl_command_queue queue = is_out ? j->down : j->up;
    if (j->status != CL_SUCCESS) return;
    if (is_out)
        clsort_mpi__check(j, clEnqueueReadBuffer(queue, a->buffer, CL_FALSE, at, s->chunk.size,
                                                 s->memory, 0, NULL, &s->event),
                          "clEnqueueReadBuffer");
    else
        clsort_mpi__check(j, clEnqueueWriteBuffer(queue, a->buffer, CL_FALSE, at, s->chunk.size,
                                                  s->memory, 0, NULL, &s->event),
                          "clEnqueueWriteBuffer");
    clsort_mpi__check(j, clFlush(queue), "clFlush");
}

/* Is the copy complete? */
static int clsort_mpi__is_copied(clsort_mpi__job *j, clsort_mpi__slot *s)
{
    cl_int state = CL_COMPLETE, code;
    if (!s->event) return 1;
    code = clGetEventInfo(s->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    if (code == CL_SUCCESS && state > CL_COMPLETE) return 0;
    clsort_mpi__check(j, code, "clGetEventInfo");
    clsort_mpi__check(j, state, s->chunk.array ? "a copy of values" : "a copy of keys");
    clReleaseEvent(s->event);
    s->event = NULL;
    return 1;
}

/* Starts a message. */
static void clsort_mpi__slot_send(clsort_mpi__job *j, int is_out, clsort_mpi__slot *s)
{
    if (is_out)
        clsort_mpi__call(j, CLSORT_MPI__ISEND(s->memory, s->chunk.size, s->chunk.peer,
                                              s->chunk.array, j->comm, &s->request), "MPI_Isend");
    else
        clsort_mpi__call(j, CLSORT_MPI__IRECV(s->memory, s->chunk.size, s->chunk.peer,
                                              s->chunk.array, j->comm, &s->request), "MPI_Irecv");
}

static int clsort_mpi__is_sent(clsort_mpi__job *j, clsort_mpi__slot *s)
{
    int is_done = 0;
    clsort_mpi__call(j, MPI_Test(&s->request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    return is_done || j->lost;
}

/* Notes that bytes of a rank are being uploaded, and enqueues the merge of its group when they are
   the last ones. */
static void clsort_mpi__arrive(clsort_mpi__job *j, int peer, size_t bytes, const cl_event *event)
{
    const int group = peer / j->group, first = group * j->group,
              n = j->ranks - first < j->group ? j->ranks - first : j->group;
    j->missing[group] -= bytes;
    if (j->missing[group] || !j->is_joined || j->status != CL_SUCCESS) return;
    clsort_mpi__join(j, j->runs + first, n, j->received, j->merged, event ? 1 : 0, event);
    clsort_mpi__check(j, clFlush(j->queue), "clFlush");
}

/* Does what can be done without waiting. Returns whether that was anything. */
static int clsort_mpi__pipe_step(clsort_mpi__job *j, clsort_mpi__pipe *p)
{
    const size_t before = p->begun + p->moved + p->finished;
    clsort_mpi__slot *s = &p->slot[p->begun % CLSORT_MPI__SLOTS];
    if (p->begun - p->finished < CLSORT_MPI__SLOTS && clsort_mpi__next(j, p, &s->chunk)) {
        if (p->is_out) clsort_mpi__slot_copy(j, 1, s);
        else clsort_mpi__slot_send(j, 0, s);
        p->begun++;
    }
    s = &p->slot[p->moved % CLSORT_MPI__SLOTS];
    if (p->moved < p->begun && p->is_out && clsort_mpi__is_copied(j, s)) {
        clsort_mpi__slot_send(j, 1, s);
        p->moved++;
    } else if (p->moved < p->begun && !p->is_out && clsort_mpi__is_sent(j, s)) {
        clsort_mpi__slot_copy(j, 0, s);
        clsort_mpi__arrive(j, s->chunk.peer, s->chunk.size, s->event ? &s->event : NULL);
        p->moved++;
    }
    s = &p->slot[p->finished % CLSORT_MPI__SLOTS];
    if (p->finished < p->moved
        && (p->is_out ? clsort_mpi__is_sent(j, s) : clsort_mpi__is_copied(j, s)))
        p->finished++;
    p->is_over = p->distance >= j->ranks && p->finished == p->begun;
    return p->begun + p->moved + p->finished != before;
}

/* Lets other threads have the processor: MPI's and the driver's may need it. */
static void clsort_mpi__yield(void)
{
#if defined(__unix__) || defined(__APPLE__)
    sched_yield();
#endif
}

/* Counts the bytes that come to each group, and merges groups that get nothing from others. */
static void clsort_mpi__expect(clsort_mpi__job *j)
{
    const size_t each = j->size[0] + j->size[1];
    int r;
    for (r = 0; r < j->ranks; r++)
        if (r != j->rank) j->missing[r / j->group] += j->runs[r].count * each;
    for (r = 0; r < j->ranks; r += j->group)
        if (!j->missing[r / j->group]) clsort_mpi__arrive(j, r, 0, NULL);
}

static void clsort_mpi__staged(clsort_mpi__job *j)
{
    const clsort_mpi__run *own = &j->runs[j->rank];
    clsort_mpi__pipe *in = &j->pipe[0], *out = &j->pipe[1];
    clsort_mpi__copy(j, j->in, (size_t)j->send_at[j->rank], j->received, own->first, own->count, 0,
                     NULL);
    clsort_mpi__check(j, clFlush(j->queue), "clFlush");
    j->is_joined = j->ranks > j->group && clsort_mpi__can_merge(j);
    clsort_mpi__expect(j);
    while (!j->lost && !(out->is_over && in->is_over)) {
        const int is_busy = clsort_mpi__pipe_step(j, out) + clsort_mpi__pipe_step(j, in);
        if (!is_busy) clsort_mpi__yield();
    }
}

/* ---- parts and their exchange ---------------------------------------------------------------- */

/* Makes all that an exchange needs: once it has begun, only copies can fail on one rank alone. */
static void clsort_mpi__open(clsort_mpi__job *j)
{
    if (j->is_staged) {
        clsort_mpi__pipe_make(j, 0);
        clsort_mpi__pipe_make(j, 1);
    } else {
        clsort_mpi__map_all(j);
    }
    clsort_mpi__check(j, clFinish(j->queue), "clFinish");
}

/* Gives back what clsort_mpi__open made; more than once does no harm. */
static void clsort_mpi__close(clsort_mpi__job *j)
{
    int a;
    if (j->down) clsort_mpi__check(j, clFinish(j->down), "clFinish");
    if (j->up) clsort_mpi__check(j, clFinish(j->up), "clFinish");
    for (a = 0; a < 2; a++) {
        clsort_mpi__pipe_free(j, &j->pipe[a]);
        clsort_mpi__unmap(j, j->received[a].buffer, &j->mapped[0][a]);
        clsort_mpi__unmap(j, j->in[a].buffer, &j->mapped[1][a]);
    }
    free(j->requests);
    j->requests = NULL;
}

static void clsort_mpi__partition(clsort_mpi__job *j)
{
    cl_ulong *own = (cl_ulong *)clsort_mpi__memory(j, (size_t)j->ranks, 2 * sizeof *own);
    cl_ulong *sent = j->desc->sent ? j->desc->sent : own,
             *received = j->desc->received ? j->desc->received : own + j->ranks;
    clsort_mpi__cut_parts(j);
    if (clsort_mpi__agree(j)) clsort_mpi__tell_sizes(j, sent, received);
    free(own);
    clsort_mpi__make_room(j);
    if (j->ranks > 1) clsort_mpi__open(j);
}

static void clsort_mpi__exchange(clsort_mpi__job *j)
{
    if (j->ranks == 1) return;
    if (j->is_staged) clsort_mpi__staged(j);
    else clsort_mpi__direct(j);
    clsort_mpi__close(j);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static cl_command_queue clsort_mpi__queue(clsort_mpi__job *j)
{
    cl_int code = CL_SUCCESS;
    cl_command_queue made;
    if (j->status != CL_SUCCESS) return NULL;
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
    made = clCreateCommandQueue(clsort_context(j->sorter), clsort_device(j->sorter), 0, &code);
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
    clsort_mpi__check(j, code, "clCreateCommandQueue");
    return made;
}

/* What needs to be known and made before the first phase. */
static void clsort_mpi__begin(clsort_mpi__job *j)
{
    const clsort_desc *o = &j->desc->order;
    cl_uint i;
    j->arrays = o->value_size ? 2 : 1;
    j->size[0] = o->record_size ? o->record_size : (o->key_type & 0xFF) / 8;
    j->size[1] = o->value_size;
    j->words = o->field_count ? 2 : 3;
    for (i = 0; i < o->field_count; i++) j->words += clsort_mpi__field_words(&o->fields[i]);
    j->cuts = (clsort_mpi__cut *)clsort_mpi__memory(j, (size_t)j->ranks, sizeof *j->cuts);
    j->send_at = (cl_ulong *)clsort_mpi__memory(j, (size_t)j->ranks + 1, sizeof *j->send_at);
    j->receive_at = (cl_ulong *)clsort_mpi__memory(j, (size_t)j->ranks + 1, sizeof *j->receive_at);
    j->runs = (clsort_mpi__run *)clsort_mpi__memory(j, (size_t)j->ranks, sizeof *j->runs);
    j->missing = (cl_ulong *)clsort_mpi__memory(j, (size_t)j->ranks, sizeof *j->missing);
    j->down = clsort_mpi__queue(j);
    j->up = clsort_mpi__queue(j);
}

static void clsort_mpi__end(clsort_mpi__job *j)
{
    clsort_mpi__close(j);
    while (j->made_count > 0) clReleaseMemObject(j->made[--j->made_count]);
    if (j->down) clReleaseCommandQueue(j->down);
    if (j->up) clReleaseCommandQueue(j->up);
    free(j->cuts);
    free(j->send_at);
    free(j->receive_at);
    free(j->runs);
    free(j->missing);
    if (j->comm != MPI_COMM_NULL && !j->lost) MPI_Comm_free(&j->comm);
}

static void clsort_mpi__phases(clsort_mpi__job *j)
{
    clsort_mpi__begin(j);
    if (!clsort_mpi__phase(j, CLSORT_MPI_LOAD)) return;
    clsort_mpi__load(j);
    if (!clsort_mpi__phase(j, CLSORT_MPI_SORT)) return;
    clsort_mpi__sort(j, j->desc->count, j->in, j->in);
    if (!clsort_mpi__phase(j, CLSORT_MPI_SAMPLE)) return;
    clsort_mpi__sample(j);
    if (!clsort_mpi__phase(j, CLSORT_MPI_PARTITION)) return;
    clsort_mpi__partition(j);
    if (!clsort_mpi__phase(j, CLSORT_MPI_EXCHANGE)) return;
    clsort_mpi__exchange(j);
    if (!clsort_mpi__phase(j, CLSORT_MPI_MERGE)) return;
    clsort_mpi__merge(j);
    if (!clsort_mpi__phase(j, CLSORT_MPI_STORE)) return;
    clsort_mpi__store(j);
    clsort_mpi__phase(j, CLSORT_MPI_PHASES);
}

/* Sorts the elements of all ranks of a communicator, and waits for it. All ranks call it, each with
   a sorter and an in-order queue of its context and device. Ranks may share a device, or have
   devices of different kinds. *result is written in any case. Outputs are undefined after a
   failure.
   Errors: CLSORT_MPI_ERROR_MPI, _DISAGREE and _ROOM; CLSORT_ERROR_UNSUPPORTED for `precedes`, rows,
   segments, top_k, indices and a count on the device; CLSORT_ERROR_COUNT_TOO_LARGE; all of
   clsort_enqueue_sort, clsort_enqueue_gather and clsort_enqueue_merge_runs. */
CLSORT_MPI_API clsort_status clsort_mpi_sort(MPI_Comm comm, clsort_sorter *sorter,
                                             cl_command_queue queue, const clsort_mpi_desc *desc,
                                             clsort_mpi_result *result)
{
    clsort_mpi__job job;
    memset(&job, 0, sizeof job);
    memset(result, 0, sizeof *result);
    result->failed_rank = -1;
    result->imbalance = 1;
    job.desc = desc;
    job.result = result;
    job.sorter = sorter;
    job.queue = queue;
    job.phase = -1;
    job.comm = MPI_COMM_NULL;
    clsort_mpi__call(&job, MPI_Comm_dup(comm, &job.comm), "MPI_Comm_dup");
    if (!job.lost) clsort_mpi__call(&job, MPI_Comm_rank(job.comm, &job.rank), "MPI_Comm_rank");
    if (!job.lost) clsort_mpi__call(&job, MPI_Comm_size(job.comm, &job.ranks), "MPI_Comm_size");
    if (!job.lost) clsort_mpi__compare(&job);
    if (clsort_mpi__agree(&job)) clsort_mpi__phases(&job);
    clsort_mpi__end(&job);
    return job.status;
}

#endif
