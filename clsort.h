/* clsort.h - v0.2.0 - not released - sorts on any OpenCL device - one C99/C++11 header, MIT or
   public domain, as you like

   DO THIS, in exactly one C or C++ file; every other file includes clsort.h without the define:

     #define CLSORT_IMPLEMENTATION
     #include "clsort.h"

   QUICK START (a whole program; link with -lOpenCL, on macOS with -framework OpenCL)

     #define CLSORT_IMPLEMENTATION
     #include "clsort.h"
     #include <stdio.h>

     int main(void)
     {
         float keys[5] = { 3, -1, 4, 0, 2 };
         clsort_desc d = clsort_desc_default();
         clsort_sorter *s;

         d.count = 5;
         d.key_type = CLSORT_F32;
         if (clsort_create(NULL, NULL, NULL, &s) != CL_SUCCESS) return 1;
         if (clsort_sort_host(s, &d, keys, NULL, NULL) != CL_SUCCESS) puts(clsort_last_error(s));
         else printf("%g %g %g %g %g\n", keys[0], keys[1], keys[2], keys[3], keys[4]);
         clsort_destroy(s);
         return 0;
     }

   prints -1 0 2 3 4. In a real program you bring the context, the queue and the buffers:

     clsort_create(context, device, NULL, &s);            once, per context and device
     d.keys = keys;  d.values = payload;  d.value_size = 4;
     clsort_enqueue_sort(s, queue, &d, 0, NULL, &done);   does not wait; `done` is a cl_event

   WHAT IT SORTS
     keys      u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64; none of them needs an extension
     payload   nothing; values of any size beside the keys; whole records with the key inside,
               alone or with values beside them
     argsort   `indices` receives the permutation as cl_uint, and the keys stay as they are;
               clsort_enqueue_gather applies it, also that of rows and of top-k
     order     ascending or descending; NaNs by bit pattern or all last; the two zeros apart or
               equal; by some bits of the key; records by several fields of any types and orders,
               strings of bytes among them, or by an expression of yours in OpenCL C
     where     in place, or into keys_out and values_out; at any byte offset aligned to the element
     count     0 to 2^32 - 1 elements, without padding; or what a buffer says when the sort runs;
               any number in host memory, on several devices: clsort_sort_host_on (CLSORT_MULTI)
     parts     equal rows at a stride, or segments between offsets that a kernel may have written,
               with gaps where they have ends of their own; each is sorted by itself, all in one
               call
     top-k     the first k of each row or segment, or only the k-th, with indices and values; rows
               partitioned around the k-th
     merge     two sorted inputs into one, stable: clsort_enqueue_merge; up to 16 sorted runs in one
               pass over the data: clsort_enqueue_merge_runs
     partition keys, with values, by up to 255 sorted splitters, stable: clsort_enqueue_partition
     groups    where each group of equal keys begins: clsort_enqueue_group_starts
     trust     clsort_enqueue_verify proves a result on the device; with CLSORT_OPTION_VERIFY every
               sort does; clsort_self_test tells whether this driver computes right

   WHAT IT DOES NOT
     - rows, segments or a count on the device with `precedes`, or with any algorithm but merge
       (exception: the batch-* algorithms sort rows)
     - top-k by `precedes` or by fields of more than 8 bytes
     - rows with a length each, but for top-k: sort segments
     - merges and partitions of records, of values above 8 bytes, or with equal zeros or NaNs
     Most of these are refused with CLSORT_ERROR_UNSUPPORTED; the others have no field to ask for.

   ORDER, STABILITY, NaN
     Keys are compared as unsigned codes. Floats have a total order, mirrored when descending:
       -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN
     - CLSORT_NAN_LAST puts every NaN after every number, in both orders. Among themselves NaNs are
       ordered by their bits.
     - CLSORT_NAN_EQUAL does so, too, but all NaNs are equal, as in numpy. For floats it implies
       `stable`; for integers it is ignored.
     - CLSORT_ZERO_EQUAL makes -0 and +0 equal. For floats it implies `stable`; for integers it is
       ignored.
     - Key bits are moved, never changed: NaN payloads and signs of zeros survive.
     These sorts are always stable:
     - merge and radix
     - by `fields` or `precedes`
     - of rows (even if `rows` is 1), of segments, or with a count on the device; but batch-* only
       with `stable`
     Bitonic and quicksort are not. With `stable` they sort (key, original index) pairs and gather
     the rest: 4 more bytes per element in each pass, and some scratch memory.
     Records in an order of your own:
     - `fields` become codes of up to 8 bytes that are sorted in one go. A longer key takes one sort
       for each 8 bytes, the last fields first. A field of CLSORT_BYTES + n may be divided among
       them.
     - `record_type` and `precedes` are code that you must trust: it runs on the device with access
       to all that a kernel can reach. Names that begin with clsort_ or CLSORT_ are reserved. Other
       names of kernels.cl are taken, too (key, load_bits, item_t), and a macro of yours replaces
       them: give macros and functions a prefix of your own, such as my_. Members of clsort_record
       may have any name that is no macro there.
     - `precedes` is compiled into the kernels, once per sorter and text. The sorter keeps the text
       and its kernels until clsort_destroy, so do not make texts that differ only in numbers. If
       the expression contradicts itself (a before b, b before c, c before a; different answers to
       the same question), the order is undefined, but no record is lost, doubled or written
       outside the range.
     Results are deterministic: the same input, description and device give the same bytes.

   TOP-K
     With top_k = k, clsort_enqueue_sort selects k elements from each of `rows` rows, which have
     `count` keys each, or from each segment.
     - keys_out, indices and values_out each receive k elements per row, row after row without
       gaps, or at strides of their own (keys_out_row_stride and so on). At least one of them must
       be given, and with value_size values_out; clsort_check and clsort_prepare take a NULL buffer
       as one that comes later. The keys are only read.
     - An index counts inside its row.
     - Rows may have a length each (lengths), segments may be selected from instead of rows, and a
       count may lie on the device. Where a row has fewer than k elements, the rest of its indices
       is 0xFFFFFFFF, and the rest of its keys is the last key of the order: all bits of its code
       are set. The rest of its values is not touched. An n-th element that a row does not have is
       marked so, too. A segment whose offsets descend has no elements. Segments with ends of
       their own (segment_ends) may overlap, and come in any order.
     - The k elements are in the description's order. Of equal keys the smaller index comes first.
     - CLSORT_FLAG_TOP_UNSORTED allows any order. That saves a sort, and its scratch memory, where k
       is above what a work-group sorts: 4096, or 2048 with keys of 8 bytes; less where local memory
       is below 48 KiB.
     - CLSORT_FLAG_TOP_NTH writes only the k-th element.
     - CLSORT_FLAG_TOP_PARTITION rearranges each row or segment, as std::nth_element and
       np.partition do: the k-th element stands in its place, what comes before it is in front of
       it, and the rest behind it. Both are in any order, which is the same each time. Outputs are
       those of a sort: keys and values are moved in place unless keys_out, values_out or indices
       are given, and have `count` elements per row. If a row has fewer than k elements, the last
       one in order is the k-th. What lies behind a row's length stays; indices are 0xFFFFFFFF
       there. A partition takes as long as a sort, and its scratch memory: rows are sorted, but
       where they have lengths or a count on the device.
     - Keys may be inside of records, which are then moved whole, or be fields of up to 8 bytes.
       Values may be selected beside records. The rest of the records of a row that is short is not
       touched; neither is that of keys whose NaNs are equal (CLSORT_NAN_EQUAL).
     - Keys may have any type and order, and some of their bits may decide.
     - Refused: an algorithm, `precedes`, fields of more than 8 bytes.
       clsort_sort_host and clsort_enqueue_verify reject top_k; CLSORT_OPTION_VERIFY skips it,
       unless a sort does all.
     How it works on GPUs, and on CPUs where you name a work-group:
     Rows of up to 4096 keys (of 8 bytes: up to 2048 where k is large) are read once, in one launch.
     A work-group cuts a row into columns: 64 for up to 512 keys, 128 up to 2048, else 256. Where k
     is at most 5 / 8 of these, the columns' first elements bound the row: what may be among its k
     are a few candidates, and their ranks are counted. Above that, whole rows are sorted in local
     memory.
     A few longer rows, at most one for every two cores and without lengths or a count on the
     device, are read once, too: where work-groups make progress (NVIDIA since 7.0), and elsewhere
     where they have 2^22 keys or more together. A sample bounds each row; one reading lists what
     does not come after the bound; the ranks of these candidates are counted. That needs k to be
     small beside the count: of a sample of 1024 to 32,768 keys 150 may be among the k. If too few
     or too many are candidates, a second sample is tried (NVIDIA), then digits decide.
     Other long rows: digits of 11 bits, from the top, narrow a row down to the elements that may be
     among its k; these are sorted. Equal keys are narrowed by their indices. So no input takes more
     than ceil(bits / 11) + ceil(log2(count) / 11) readings and one to collect; most take two or
     three. The number of launches does not depend on the number of rows. With a sample it is 2 on
     NVIDIA's GPUs. Without, it is one where there are rows enough for the whole device; else 3 more
     than those readings; and those of the sort, if there is one.
     On CPUs, where k is at most a 16th of the count, or a quarter of up to 256, and fits four times
     into what a work-group sorts, each core reads its part of the rows once. It keeps what comes
     before the k-th element so far. Where that is much, as in descending order, a sample of the
     rest bounds it, too; if the sample misled, the part is read again. Else digits narrow a row.
     Where sorting the rows takes less time, they are sorted, stably, and the first k are copied; if
     k is the count, that is a sort. It is so where no single reading selects, nothing but rows of
     one length is given, and the count is at most
       one row, GPUs     2k, or 256k up to 2^21
       one row, CPUs     8k, or 32k up to 2^20
       rows, GPUs        8k / 7, with k above what a work-group sorts
       rows, CPUs        5k
     and above 128, or 16 for 1000 rows and more. A tuning.work_group turns this off.

   MEMORY
     clsort_scratch_size returns the bytes of scratch memory. Below, n is count, K the bytes of a
     key, V those of a value, and a(x) is x rounded up to 16. Records count as values.

       sort                                          scratch memory
       bitonic and batch-*, values of 0 to 8 bytes
         or records of up to 16 bytes                0
       bitonic-a                                     a(nK) + a(nV)
       merge                                         a(nK) + a(nV) + a(n / 16 + 8)
       merge with `precedes`                         a(nK) + a(nV) + a(2n + 8)
       radix                                         a(nK) + a(nV) + a(T), with the T of radix
       quicksort                                     a(nK) + a(nV) + a(T), with that of quicksort
       rows, segments, a count on the device         a(nK) + a(nV) + a(T), with that of rows; n runs
                                                     from the first row to the last, gaps included
       clsort_enqueue_merge, _gather, _group_starts  0
       clsort_enqueue_merge_runs                     at most n / 6 + n / 128 + 1024 bytes; on CPUs
                                                     n / 512 + n / 2048 bytes and 1 KiB per core
       clsort_enqueue_partition                      a(T) with the T of radix without sweeps

     T, the bytes of tables:
     - radix: 4 (32 + 4 B + 256 (B + 1)) with B = min(n / 64 + 1, 1024), at most 1.1 MB. With one
       launch per digit, on NVIDIA's GPUs, it is at least 4 (64 + 256 K) + W (n / t + 1). W is 1024,
       and 2048 from 2^30 elements on. t is a tile: 4352 bare keys of 4 bytes, never below 1536.
     - radix-hybrid, and radix where it takes that (keys of 4 bytes without values from 2^23 on, of
       8 bytes from 2^22 on): a(T) with the T of radix, and 4 (3344 + 256 H). H is 0 up to 163,000
       keys at least, then a power of two, at most 512 (keys of 8 bytes: 1024). That is up to 0.54
       MB (1.07 MB) more.
     - quicksort: a(4 (1050 + 188 S)) with S = min(n / 1024, 8192) + 1, and the T of rows; less than
       1.24 n + 137 KB, and from 2^23 elements on n / 2 + 6.3 MB
     - rows: 52 + 24 (n / 64) + 4 (n / 32) + 128 min(n / 64 + 1, 1024), less than n / 2 + 132 KB

     Some sorts are indirect: they sort (key, index) pairs, then gather the rest. These are
     - sorts with indices, with values above 8 bytes, records above 16, or values beside records
     - sorts by fields, with equal zeros or NaNs, or by `precedes` if 4 does not divide record_size
     - stable sorts by bitonic and quicksort
     V is then 4, K is that of the codes, and there is also
     - a(nK) for keys, unless keys_out or keys that are sorted in place can hold them (0 with
       `precedes`)
     - a(4n) for indices, unless `indices` is given
     - a(n * element size) for every array that is permuted in place
     Rows, segments and a count on the device are also sorted indirectly by some bits of the key,
     where keys are sorted in place and values are not, or the reverse, and where an output has
     another row stride than the keys. They then always take
     the a(4n) for indices, and the a(nK) for keys unless these are sorted in place by all bits.

     A partition takes what a stable sort takes. Any other top_k, and a partition of rows with
     lengths or a count on the device, takes the following. There are R rows or segments, w elements
     written per row, and D = 2^11 or fewer digits:
     - a(4Rw) for values, records or a partition without indices (w is n in a partition)
     - of records, or with equal NaNs: a(nK), where n runs from the first row to the last
     - a(n * element size) for every array that is partitioned in place
     - where rows are cut into P parts, or k is above what a work-group sorts, or a few rows have
       more than 4096 keys: a(4R (3D + 48 + max(P, m) rounded up to 4) + CR), with m at most 4096
       and P at most n / 4096 + 1; about 41 KB per row, and C. C is 8 (4096 + 4k + n / 1024), twice
       that with keys of 8 bytes, for at most one row more than half the cores. It is 0 for more
       rows, for up to 4096 keys, where k is above what a work-group sorts, and on CPUs (where rows
       that are not cut need none of this), unless you name a work-group
     - where rows are sorted whole (see TOP-K): instead of all that a(nK) for keys, a(4n) for
       indices, each only if they are written (indices also for values and records), of records or
       with equal NaNs a(nK), and what a stable sort of these into other arrays takes. If only
       shorter rows would be sorted whole, then at least what the longest of these would take
     - where the selected elements are sorted as rows: a(RkK) without keys_out, and what a stable
       sort in place of R rows of k keys takes, with u32 values if indices or values are wanted. If
       outputs have row strides: always a(RkK), a(4Rk) for indices, and what such a sort takes into
       outputs with these strides

     Scratch memory is yours (scratch, scratch_offset, scratch_size), as one buffer, or the
     sorter's: for each queue one buffer, or several where one would exceed the device's largest
     allocation. The sorter's buffers grow on demand and are kept until clsort_trim. Arrays as large
     as that allocation can be sorted: for keys and values alone AUTO takes an algorithm that needs
     no larger array in scratch memory.
     The sorter retains its context, its device, and the queues that own such buffers (with NVIDIA's
     driver every queue that it was used with). It never retains a buffer of yours.
     Host memory: a few KiB per sorter through CLSORT_MALLOC. A warmed-up enqueue allocates none,
     and neither does the first one after clsort_prepare. Exceptions: a further queue, a wait list
     of more than 15 events, CLSORT_OPTION_VERIFY.

   ERRORS
     Every function returns a clsort_status. OpenCL's codes pass through; ours are CLSORT_ERROR_*,
     from -5000 to -5099. Arguments are checked before anything is enqueued, in the order of
     CLSORT_STATUS_LIST below; after such an error nothing was written. clsort_last_error names the
     failing OpenCL function, clsort_build_log holds the compiler's output.
     If an enqueue fails after its first launch, the event is NULL, and commands that were already
     enqueued still run. The arrays then hold a permutation of the input in no particular order. An
     interrupted quicksort may leave some elements only in scratch memory and others duplicated.

   THREADS
     There are no globals. One thread at a time uses a sorter; clsort_clone makes one for another
     thread.

   PERFORMANCE
     In a pass every element is read and written once. Times are for 2^26 uniform u32 keys on an
     NVIDIA H200, medians from the call to the end of clFinish. clsort_explain tells the passes,
     launches and bytes of a sort; the `profile` callback of clsort_options tells where its time
     goes.

     AUTO, in this order: what only one algorithm can do, by that one; else
     - some bits of the key: radix
     - many elements on CPUs and on NVIDIA's GPUs, where a CPU prefers vectors of AVX-512 a few
       hundred: radix
     - CPUs: bitonic
     - GPUs: bitonic up to 4096 bare keys of at most 32 bits, else merge
     AUTO never takes quicksort.

     radix      1.69 ms, 40 Gkey/s; with u32 values 2.8 ms, 24 Gkey/s; radix-portable 2.8 ms
     - One pass for each 8 bits of the key, or of first_bit to last_bit. A digit that all keys share
       costs only its launch.
     - Where work-groups are known to make progress (NVIDIA since 7.0), a pass reads the keys once,
       and one more reading counts all digits. Elsewhere a pass reads them twice.
     - A pass takes 0.36 ms, three times a copy. No single step binds it: latencies add up.
     - On CPUs (radix-cached) elements are moved once, to up to 256 ranges that a cache holds.
       With AVX-512 bare keys are then sorted in vectors. Up to 65536 elements take one launch, by
       one core. Where a range has many different keys and more elements than two cores' part, of 32
       cores at most, passes sort.
     - Skewed keys (95 % zeros, sign edges, minima and maxima, powers of two) take 1.03 to 1.18
       times as long, bit-reversed ones 1.67 times.

     merge      2.9 ms, 23 Gkey/s; with u32 values 5.1 ms, 13 Gkey/s
     - 1 + ceil(log2(n / tile)) passes, here 14. A tile is 8192 keys of 4 bytes on most GPUs, 4096
       with 4-byte values or 8-byte keys, and 256 keys on CPUs.
     - A pass moves 84 to 100 % of what a copy moves. Sorting tiles in local memory takes a fifth of
       the time, the search for splits 8 %.

     bitonic    7.8 ms, 8.7 Gkey/s
     - 2^L elements in tiles of 2^T take 1 + the sum over stages s = T ... L-1 of
       (ceil((s + 1 - T) / 4) + 1) passes, here 47. T is 12 for keys of 4 bytes on most GPUs and 8
       on CPUs.

     quicksort  9.7 ms, 6.9 Gkey/s; with u32 values 14.1 ms
     - A round reads twice and writes once what is unfinished. Keys equal to a pivot are done.
     - At most 1.5 log2(n / leaf) + 4 rounds are enqueued; a leaf is what one work-group sorts
       alone. Input made against the pivots may leave sequences unfinished: these are merged.
     - Of the six inputs of its paper none takes more than 1.04 times as long; equal keys take a
       20th. Pivots in one run: half way between the bounds 9.6 ms, medians of samples 10.3, medians
       of three 11.7.
     - quicksort-host waits for every round inside clsort_enqueue_sort. No other sort waits.

     rows and segments, by merge
     - Rows of up to a tile are read and written once; short ones share a tile. Longer ones take
       1 + ceil(log2(length / tile)) passes, each only over rows that are not whole yet. An array
       with a count on the device is sorted as one row.
     - A million rows take as many launches as one. With offsets there are as many as a single
       segment of `count` elements needs, since lengths are not read back; launches with nothing to
       do end at once.
     - A tile is 8192 keys of 4 bytes where rows (segments: on average) are longer than 4096, else
       4096; 4096 with 4-byte values or 8-byte keys, 2048 with both. On CPUs a work-item sorts 16384
       elements at once, by radix, and up to 262,144 bare keys in vectors of AVX-512.
     - u32 keys, in ms, with CUB's segmented sorts of the same rows by events:
                                rows     segments   CUB
         200 x 8192             0.040    0.118      0.092
         4096 x 4096            0.189    0.363      0.413
         100,000 x 256          0.226    0.484      7.66
         1,000,000 x 32         0.169    0.388      0.498

     top-k      two or three readings of the rows as a rule, on CPUs one; see TOP-K
     - The best 40 of 64 rows of 131,072 f32, with indices: 0.084 ms. Sorting rows of u32 with u32
       values takes 0.47 ms.

     building   0.4 to 1.8 s on that GPU, 1 to 3 s on PoCL, once per driver cache
     - Call clsort_prepare while you load, with CLSORT_FLAG_ANY_COUNT if the count changes, and set
       CLSORT_FLAG_NO_BUILD where a hitch would hurt.
     - Built programs can be kept for the next start; see clsort_cache_folder.

   LIMITS
     - At most 2^32 - 1 elements per call: with rows all from the first row to the last, gaps
       included. Top-k takes as many in each row, and up to 2^24 - 1 rows.
     - On an out-of-order queue, a sort that uses the sorter's scratch memory depends on the one
       before it, so it fails if that one's dependency failed. Scratch memory of yours avoids that.
     - Big-endian devices are untested.

   COMPILE-TIME OPTIONS, defined before the implementation is included
     CLSORT_STATIC              every function is static
     CLSORT_API                 decoration of the public functions; default extern
     CLSORT_ASSERT(x)           default assert(x)
     CLSORT_MALLOC(n), CLSORT_REALLOC(p, n), CLSORT_FREE(p)
                                your allocator; all three or none
     CLSORT_CL(function)        how to call an OpenCL function; default its name. For loaders and
                                tests; CLSORT_CL_FUNCTIONS lists these functions
     CLSORT_NO_BITONIC, CLSORT_NO_MERGE, CLSORT_NO_RADIX, CLSORT_NO_QUICKSORT
                                leave an algorithm out, with its kernels; it then answers
                                CLSORT_ERROR_UNSUPPORTED, and its names are unknown.
                                These need both merge and radix: rows, segments, a count on the
                                device, quicksort, and top_k above what a work-group sorts
     CLSORT_NO_CACHE_FOLDER     leaves out clsort_cache_folder, and with it all use of files
     CLSORT_CACHE_BYTES         the most bytes of all files in such a folder; default 256 MiB
     CLSORT_MULTI               adds clsort_sort_host_on; define it wherever clsort.h is included
     CLSORT_STAGE_BYTES         with CLSORT_MULTI: bytes of a block of pinned memory; default 16 MiB
     CLSORT_YIELD()             with CLSORT_MULTI: is called while no device has news; default
                                sched_yield() on POSIX, else nothing
     CLSORT_NO_PUBLISHED        leaves out what only reproduces publications: all choices of
                                tuning.bitonic_step and tuning.local, which are the names bitonic-*,
                                batch-* and merge-local-only
     CL_TARGET_OPENCL_VERSION   yours if you set it (120 or later), or include CL/cl.h before; else
                                300, but only functions of OpenCL 1.2 are called. quicksort-device
                                needs that you set it to 300

   Revision history and licence are at the end of this file.
*/

#ifndef CLSORT_H_INCLUDED
#define CLSORT_H_INCLUDED

#define CLSORT_VERSION_MAJOR 0
#define CLSORT_VERSION_MINOR 2
#define CLSORT_VERSION_PATCH 0

#include <stddef.h>
#include <string.h>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#ifndef CLSORT__OPENCL_1
#define CLSORT__OPENCL_1
#endif
#endif
#if defined(__APPLE__)
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

#ifndef CLSORT_API
#ifdef CLSORT_STATIC
#if defined(__GNUC__)
#define CLSORT_API __attribute__((unused)) static
#else
#define CLSORT_API static
#endif
#else
#define CLSORT_API extern
#endif
#endif

/* Functions that are compiled into the caller. */
#if defined(__GNUC__)
#define CLSORT__INLINE __attribute__((unused)) static inline
#else
#define CLSORT__INLINE static inline
#endif

/* Every OpenCL function that the implementation calls, for programs that load them by hand:

     #define DECLARE(name) static decltype(&name) my_##name;         (C: give the types yourself)
     CLSORT_CL_FUNCTIONS(DECLARE)
     #define CLSORT_CL(name) my_##name

   All of them are in OpenCL 1.2, except the last one, which is there only if you set
   CL_TARGET_OPENCL_VERSION to 200 or later. */
#define CLSORT_CL_FUNCTIONS(X) \
    X(clBuildProgram) X(clCreateBuffer) X(clCreateCommandQueue) X(clCreateContext) \
    X(clCreateKernel) X(clCreateProgramWithBinary) X(clCreateProgramWithSource) \
    X(clEnqueueCopyBuffer) X(clEnqueueFillBuffer) X(clEnqueueMarkerWithWaitList) \
    X(clEnqueueNDRangeKernel) X(clEnqueueReadBuffer) X(clFinish) X(clFlush) \
    X(clGetCommandQueueInfo) X(clGetContextInfo) X(clGetDeviceIDs) X(clGetDeviceInfo) \
    X(clGetEventInfo) X(clGetKernelWorkGroupInfo) X(clGetMemObjectInfo) X(clGetPlatformIDs) \
    X(clGetPlatformInfo) X(clGetProgramBuildInfo) X(clGetProgramInfo) X(clReleaseCommandQueue) \
    X(clReleaseContext) X(clReleaseDevice) X(clReleaseEvent) X(clReleaseKernel) \
    X(clReleaseMemObject) X(clReleaseProgram) X(clRetainCommandQueue) X(clRetainContext) \
    X(clRetainDevice) X(clRetainEvent) X(clRetainProgram) X(clSetEventCallback) X(clSetKernelArg) \
    X(clWaitForEvents) \
    CLSORT__CL_FUNCTIONS_2(X) CLSORT__CL_FUNCTIONS_MULTI(X)
#if !defined(CLSORT__OPENCL_1) && CL_TARGET_OPENCL_VERSION >= 200
#define CLSORT__CL_FUNCTIONS_2(X) X(clCreateCommandQueueWithProperties)
#else
#define CLSORT__CL_FUNCTIONS_2(X)
#endif
#ifdef CLSORT_MULTI
#define CLSORT__CL_FUNCTIONS_MULTI(X) \
    X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject) X(clEnqueueWriteBuffer)
#else
#define CLSORT__CL_FUNCTIONS_MULTI(X)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- rules for all calls ---------------------------------------------------------------------

   THREADS
     One thread at a time uses a sorter: a function that takes one must not run while another
     function runs with the same sorter. Exceptions: clsort_context and clsort_device.
     Any thread may call a function that takes no sorter, or NULL for it, at any time.

   SIZES OF STRUCTS
     clsort_desc, clsort_options, clsort_gather, clsort_groups, clsort_merge_desc,
     clsort_merge_runs_desc and clsort_partition_desc begin with struct_size, the struct's size in
     the program. Start from the struct's default function, which stores it.
     Later versions only append fields, so a program and an implementation that were compiled with
     headers of different versions work together:
     - an older program has fewer fields: the implementation reads no others; they have defaults
     - a newer program has more fields: they must be 0, else CLSORT_ERROR_UNKNOWN_VALUE
     struct_size 0 stands for the size in the implementation. So a struct of zeros works, but only
     if the program and the implementation have the same header. A size that no version has answers
     CLSORT_ERROR_UNKNOWN_VALUE, before any other field is looked at.
     clsort_field, clsort_array, clsort_run and clsort_proof have no struct_size and never change;
     clsort_tuning keeps its size.

   ERRORS
     Each function says which errors it adds to these: CLSORT_ERROR_NULL_ARGUMENT,
     CL_OUT_OF_HOST_MEMORY, and codes of the OpenCL functions that it calls. */

/* ---- status ---------------------------------------------------------------------------------- */

/* CL_SUCCESS, a code of OpenCL, or one of these. The list is also the order in which arguments are
   checked. */
typedef cl_int clsort_status;

#define CLSORT_STATUS_LIST(X) \
    X(CLSORT_ERROR_NULL_ARGUMENT, -5000, \
      "a required argument is NULL: pass a sorter, a queue, a description and a place for the " \
      "result") \
    X(CLSORT_ERROR_WAIT_LIST, -5001, \
      "the wait list is NULL with a count, has a count of 0 with a list, or holds a NULL event") \
    X(CLSORT_ERROR_KEY_TYPE, -5002, \
      "key_type is not set or unknown: set it to one of CLSORT_U8 ... CLSORT_F64") \
    X(CLSORT_ERROR_FIELDS, -5025, \
      "fields or precedes are wrong: they need record_size, exclude each other and key_type, " \
      "order, nan_order, zero_order and key_offset") \
    X(CLSORT_ERROR_UNKNOWN_VALUE, -5003, \
      "a field or a name has a value that this version does not know") \
    X(CLSORT_ERROR_BIT_RANGE, -5029, \
      "first_bit must be below last_bit, and last_bit at most " \
      "the key's width: leave both 0 for all bits") \
    X(CLSORT_ERROR_UNKNOWN_FLAG, -5004, \
      "flags has a bit that this version does not know, or that does not go with the other " \
      "fields") \
    X(CLSORT_ERROR_UNSUPPORTED, -5005, "this version does not do what a field asks for") \
    X(CLSORT_ERROR_VALUE_SIZE, -5006, "values and value_size go together: set both or neither") \
    X(CLSORT_ERROR_UNUSED_FIELD, -5030, \
      "a field is set that only says more about another one, which is not set") \
    X(CLSORT_ERROR_RECORD_LAYOUT, -5007, \
      "a record must hold its key (record_size, key_offset, fields)") \
    X(CLSORT_ERROR_COUNT_TOO_LARGE, -5008, \
      "count must be below 2^32 and its bytes within the device's largest allocation") \
    X(CLSORT_ERROR_SIZE_OVERFLOW, -5009, \
      "count times the element size, or an offset plus that, does not fit in a size_t") \
    X(CLSORT_ERROR_MISALIGNED, -5010, \
      "an offset, record_size or key_offset is not a multiple of the element's alignment") \
    X(CLSORT_ERROR_TOP_K, -5027, "top_k is above count: a row has no more than count elements") \
    X(CLSORT_ERROR_MISSING_BUFFER, -5011, "a buffer that the call needs is NULL") \
    X(CLSORT_ERROR_SCRATCH_TOO_LARGE, -5028, \
      "scratch memory needs a buffer that the device cannot allocate: sort fewer elements at " \
      "once, or by an algorithm that needs less") \
    X(CLSORT_ERROR_QUEUE_MISMATCH, -5012, \
      "the queue belongs to another context or device than the sorter: create one sorter per " \
      "device") \
    X(CLSORT_ERROR_EVENT_MISMATCH, -5013, \
      "an event of the wait list belongs to another context than the sorter") \
    X(CLSORT_ERROR_NOT_A_BUFFER, -5014, \
      "a memory object is an image, a pipe or not valid: pass buffers") \
    X(CLSORT_ERROR_BUFFER_CONTEXT, -5015, "a buffer belongs to another context than the sorter") \
    X(CLSORT_ERROR_BUFFER_ACCESS, -5016, \
      "a buffer was created without the kernel access that its role needs") \
    X(CLSORT_ERROR_BUFFER_TOO_SMALL, -5017, \
      "a buffer is smaller than its offset plus the bytes of its elements") \
    X(CLSORT_ERROR_OVERLAP, -5018, "two ranges overlap and at least one of them is written") \
    X(CLSORT_ERROR_SCRATCH_TOO_SMALL, -5019, \
      "scratch_size is below what clsort_scratch_size asks for") \
    X(CLSORT_ERROR_DEVICE_LIMITS, -5023, \
      "the device's work-group or local memory limits are too low for every variant") \
    X(CLSORT_ERROR_WRONG_RESULT, -5024, \
      "a check found a wrong result: do not use this algorithm on this device, and report both") \
    X(CLSORT_ERROR_NOT_READY, -5020, \
      "kernels are not built yet and CLSORT_FLAG_NO_BUILD is set: call clsort_prepare first") \
    X(CLSORT_ERROR_DEVICE_UNUSABLE, -5021, \
      "there is no such device, or it has no compiler or is not available: choose another one") \
    X(CLSORT_ERROR_BUILD_FAILED, -5022, \
      "the device's compiler rejected the kernels: see clsort_build_log and report it") \
    X(CLSORT_ERROR_COMPARATOR, -5026, \
      "record_type or precedes does not compile, or sizeof(clsort_record) is not record_size: " \
      "see clsort_build_log")

#define CLSORT__ENUMERATOR(name, code, text) name = code,
enum { CLSORT_STATUS_LIST(CLSORT__ENUMERATOR) CLSORT_ERROR_LAST_ = -5099 };
#undef CLSORT__ENUMERATOR

/* What a status means and what to change, in one line; for OpenCL's own codes their name. Never
   NULL. */
CLSORT_API const char *clsort_status_text(clsort_status status);

/* ---- description ----------------------------------------------------------------------------- */

/* Key types: kind in the upper byte, width in bits in the lower one. 0 is an error: floats sorted
   as integers would be silently wrong. */
enum {
    CLSORT_U8 = 0x108, CLSORT_U16 = 0x110, CLSORT_U32 = 0x120, CLSORT_U64 = 0x140,
    CLSORT_I8 = 0x208, CLSORT_I16 = 0x210, CLSORT_I32 = 0x220, CLSORT_I64 = 0x240,
    CLSORT_F16 = 0x310, CLSORT_F32 = 0x320, CLSORT_F64 = 0x340,
    CLSORT_BF16 = 0x410,
    CLSORT_BYTES = 0x500            /* CLSORT_BYTES + n, of `fields` only: n bytes, from 1 to 64, in
                                       the order of memcmp: strings of fixed length, big-endian
                                       numbers, UUIDs, hashes */
};

enum { CLSORT_ASCENDING = 0, CLSORT_DESCENDING = 1 };
enum { CLSORT_NAN_TOTAL = 0,    /* by bit pattern: -NaN below -inf, +NaN above +inf */
       CLSORT_NAN_LAST = 1,     /* every NaN after every number, in both orders */
       CLSORT_NAN_EQUAL = 2 };  /* the same, and NaNs keep their original order; bits kept; implies
                                   stable. Not for merges and clsort_enqueue_partition */
enum { CLSORT_ZERO_DISTINCT = 0,  /* -0 below +0 */
       CLSORT_ZERO_EQUAL = 1 };   /* equal, in their original order; bits kept; implies stable */

/* Algorithms. AUTO picks the fastest for the device and the description. */
enum {
    CLSORT_AUTO = 0,
    CLSORT_BITONIC = 1,
    CLSORT_MERGE = 2,
    CLSORT_RADIX = 3,
    CLSORT_QUICKSORT = 4
};

enum {
    /* clsort_enqueue_* answers CLSORT_ERROR_NOT_READY instead of building kernels. */
    CLSORT_FLAG_NO_BUILD = 1,
    /* For clsort_check, clsort_resolve, clsort_prepare, clsort_scratch_size and clsort_explain,
       when the buffer does not exist yet: the sort will have indices, keys_out, values_out,
       count_buffer. */
    CLSORT_FLAG_INDICES = 2,
    CLSORT_FLAG_KEYS_OUT = 4,
    CLSORT_FLAG_VALUES_OUT = 8,
    CLSORT_FLAG_COUNT_BUFFER = 16,
    /* top_k: the k elements of a row in any order, which is the same each time. */
    CLSORT_FLAG_TOP_UNSORTED = 32,
    /* top_k: only the last of the k elements is written, one per row. */
    CLSORT_FLAG_TOP_NTH = 64,
    /* top_k: each row is rearranged around its k-th element; see TOP-K. */
    CLSORT_FLAG_TOP_PARTITION = 128,
    /* As CLSORT_FLAG_COUNT_BUFFER: the selection will have lengths. */
    CLSORT_FLAG_LENGTHS = 256,
    /* For clsort_prepare: `count` is the most that there will be. Other calls ignore it. */
    CLSORT_FLAG_ANY_COUNT = 512
};

/* Choices that reproduce published variants; clsort_set_algorithm makes them by name. */

/* Bitonic: the widest step over global memory. */
enum {
    CLSORT_STEP_DEFAULT = 0,
    CLSORT_STEP_A = 1,
    CLSORT_STEP_B2 = 2,
    CLSORT_STEP_B4 = 4,
    CLSORT_STEP_B8 = 8,
    CLSORT_STEP_B16 = 16
};

/* Bitonic: what is done in local memory. Merge has DEFAULT and ONLY. */
enum {
    CLSORT_LOCAL_DEFAULT = 0,       /* first stages, and the tail of every later stage */
    CLSORT_LOCAL_OFF = 1,           /* nothing: every step is a launch over global memory */
    CLSORT_LOCAL_GLOBAL_TAIL = 2,   /* nothing: first stages and tails are one launch each, with
                                       barriers between steps in global memory */
    CLSORT_LOCAL_START = 3,         /* first stages, no tails */
    CLSORT_LOCAL_ONLY = 4,          /* blocks are sorted, but not the whole array */

    /* Sorts of rows as published: one launch, with a work-group for each row. They need `rows`,
       which may be 1. */
    CLSORT_LOCAL_BATCH_ODD_EVEN = 5,  /* Batcher's odd-even merge sort, all in global memory */
    CLSORT_LOCAL_BATCH_OFF = 6,       /* bitonic, all in global memory */
    CLSORT_LOCAL_BATCH = 7,           /* bitonic; steps inside a block of work_group * items keys
                                         in local memory, one block after another */
    CLSORT_LOCAL_BATCH_SPLIT = 8      /* the same, and the step above them while blocks are loaded;
                                         the upper block's keys wait in registers */
};

enum { CLSORT_RADIX_DEFAULT = 0,     /* CLSORT_RADIX_HYBRID on GPUs and CLSORT_RADIX_CACHED on CPUs
                                        where that is known to be the fastest and neither work_group
                                        nor items is set; else one launch per digit where
                                        work-groups are known to make progress (NVIDIA), else
                                        three */
       CLSORT_RADIX_PORTABLE = 1,    /* three launches per digit */
       CLSORT_RADIX_SWEEPS = 2,      /* as by default, never one of those below */
       CLSORT_RADIX_HYBRID = 3,      /* from the top digit down: keys of 4 or 8 bytes without
                                        values, indices, records and bit ranges; others as by
                                        default */
       CLSORT_RADIX_SAMPLES = 4,     /* the same keys in one launch or three, if they are few: up to
                                        work_group^2 * 20 keys of 4 bytes, * 12 of 8 bytes, with
                                        a work_group of 256, on CPUs of 64, if it is not set; others
                                        as by default */
       CLSORT_RADIX_CACHED = 5 };    /* CPUs: into ranges of codes; then each is sorted in a core's
                                        cache: keys of 4 or 8 bytes without bit ranges, and a
                                        work_group of 0 or 1; others, and other devices, as with
                                        CLSORT_RADIX_SWEEPS. Stable. With AVX-512, where the
                                        device's compiler shows it, bare keys are sorted by it.
                                        Sources: Polychroniou and Ross, 2014; Bramas, 2017 */

/* Quicksort: how a pivot is chosen. */
enum { CLSORT_PIVOT_DEFAULT = 0,     /* CLSORT_PIVOT_MIDRANGE, the fastest one measured */
       CLSORT_PIVOT_MEDIAN3 = 1,     /* the median of the first, the middle and the last key */
       CLSORT_PIVOT_MIDRANGE = 2,    /* half way from the least code to the greatest; where these
                                        are not known, as at first, the median of a sample */
       CLSORT_PIVOT_SAMPLE = 3 };    /* the median of 7 to 63 keys */

/* Quicksort: who starts the next round. */
enum { CLSORT_SCHEDULER_DEFAULT = 0, /* CLSORT_SCHEDULER_QUEUED */
       CLSORT_SCHEDULER_HOST = 1,    /* the host, which reads back after every round:
                                        clsort_enqueue_sort BLOCKS until the rounds are done */
       CLSORT_SCHEDULER_DEVICE = 2,  /* kernels, where OpenCL 2.0 or later and the device can */
       CLSORT_SCHEDULER_QUEUED = 3 };/* nobody: all rounds are enqueued at once, and those that are
                                        not needed do nothing */

/* Quicksort: how the work-items of a work-group add up. */
enum { CLSORT_SCAN_DEFAULT = 0,      /* LOCAL, with CLSORT_SCHEDULER_DEVICE BUILTIN */
       CLSORT_SCAN_LOCAL = 1,        /* by hand in local memory, teams of work-items first */
       CLSORT_SCAN_BUILTIN = 2,      /* by work-group functions of OpenCL C 2.0; needs
                                        CLSORT_SCHEDULER_DEVICE */
       CLSORT_SCAN_BLELLOCH = 3 };   /* as published for OpenCL 1.2: by a tree of sums in local
                                        memory, up and down */

/* Choices for measurements and for published variants. Their meaning may change between versions.
   0 means default for every field. */
typedef struct clsort_tuning {
    cl_uint bitonic_step;   /* CLSORT_STEP_*; default: B16, for any number of steps */
    cl_uint local;          /* CLSORT_LOCAL_* */
    /* Work-items per work-group: a power of two, lowered to what the device can do. Radix takes 1
       for 2. */
    cl_uint work_group;
    /* Keys per work-item in kernels over local memory: 1, 2, 4, 8, 16 or 32; at most 8 on CPUs.
       Bitonic takes 2 for 1; with LOCAL_DEFAULT and LOCAL_ONLY it also takes 64 to 512, and holds
       them in vectors. */
    cl_uint items;
    cl_uint pivot;          /* CLSORT_PIVOT_* */
    cl_uint scheduler;      /* CLSORT_SCHEDULER_* */
    cl_uint radix;          /* CLSORT_RADIX_* */
    cl_uint scan;           /* CLSORT_SCAN_*; of work-groups with several work-items */
    cl_uint reserved[8];    /* 0. Room for later versions: this struct keeps its size */
} clsort_tuning;

/* One field of a key of several; see `fields`. This struct never changes. */
typedef struct clsort_field {
    size_t offset;          /* bytes from the start of the record, a multiple of the field's size;
                               of CLSORT_BYTES + n any */
    cl_uint type;           /* CLSORT_U8 ... CLSORT_F64, or CLSORT_BYTES + n; required */
    cl_uint order;          /* default: CLSORT_ASCENDING */
    cl_uint nan_order;      /* default: CLSORT_NAN_TOTAL */
    cl_uint zero_order;     /* default: CLSORT_ZERO_DISTINCT */
} clsort_field;

enum { CLSORT_MAX_FIELDS = 8, CLSORT_MAX_FIELD_BYTES = 64 };

/* What to sort. Start from clsort_desc_default(). Zero means default for every field. Counts are
   elements; offsets, strides and sizes are bytes. Buffers that receive something must be readable
   and writable by kernels. */
typedef struct clsort_desc {
    size_t struct_size;         /* sizeof(clsort_desc); see SIZES OF STRUCTS */

    /* The keys and their order. */
    size_t count;               /* elements, with `rows` in each row; below 2^32 */
    cl_uint key_type;           /* CLSORT_U8 ... CLSORT_F64; required, but 0 with fields or
                                   precedes */
    cl_uint order;              /* default: CLSORT_ASCENDING */
    cl_uint nan_order;          /* default: CLSORT_NAN_TOTAL; ignored for integers */
    cl_uint zero_order;         /* default: CLSORT_ZERO_DISTINCT; ignored for integers */
    cl_uint stable;             /* nonzero: equal keys keep their order */
    cl_uint algorithm;          /* default: CLSORT_AUTO */
    cl_uint flags;              /* CLSORT_FLAG_* */

    /* Only bits first_bit to last_bit - 1 of the key's code decide. The code is an unsigned number
       in the key's order. Only radix, rows, segments and top_k can do this. Keys whose bits are
       equal keep their order; keys are moved whole. An empty range is CLSORT_ERROR_BIT_RANGE. */
    cl_uint first_bit;          /* default: 0 */
    cl_uint last_bit;           /* default: the key's width */

    /* Arrays. `keys` is sorted in place unless keys_out or indices is given, `values` unless
       values_out or indices is; then they are only read. */
    cl_mem keys;
    size_t keys_offset;         /* a multiple of the key's size */
    cl_mem keys_out;            /* receives the sorted keys; may be `keys` at keys_offset */
    size_t keys_out_offset;
    cl_mem values;              /* one value per key, moved with it */
    size_t values_offset;       /* a multiple of the largest power of two up to 8 that divides
                                   value_size */
    size_t value_size;          /* any; values above 8 bytes are moved once, at the end */
    cl_mem values_out;          /* receives the values; required for values with indices or top_k */
    size_t values_out_offset;
    /* Receives cl_uint: element i of the sorted order was at indices[i]. Only keys_out and
       values_out are also written then. */
    cl_mem indices;
    size_t indices_offset;      /* a multiple of 4 */
    /* If record_size is not 0, `keys` holds whole records of that size, with the key at
       key_offset inside. Both are multiples of the key's size. Values may move with records. */
    size_t record_size;
    size_t key_offset;

    /* Scratch memory of yours; default: the sorter's own. See clsort_scratch_size. */
    cl_mem scratch;
    size_t scratch_offset;      /* a multiple of 16 */
    size_t scratch_size;        /* bytes usable from scratch_offset on */

    /* Parts that are sorted apart, in one call: either equal rows of `count` elements ... Indices
       count from the start of their row or segment. */
    size_t rows;                /* 0: one array. 1 or more: equal keys keep their order */
    /* From one row of keys to the next, a multiple of an element; 0: no gaps. Rows of values are as
       many elements apart. Gaps between rows are not touched. */
    size_t row_stride;
    /* The same for outputs, in bytes and as aligned as their offsets are; 0: like the rows of keys,
       as many elements apart; with top_k no gaps. An array that is sorted in place keeps the rows
       of its input. */
    size_t keys_out_row_stride;
    size_t values_out_row_stride;
    size_t indices_row_stride;
    /* With rows and top_k: a length for each row, cl_uint, clamped to `count`. Kernels may have
       written them. What lies behind a row's length is not looked at. */
    cl_mem lengths;
    size_t lengths_offset;      /* a multiple of 4 */
    /* ... or segments, between segment_count + 1 ascending offsets, cl_uint: segment i is the
       elements segments[i] to segments[i + 1] - 1. Kernels may have written the offsets, which are
       clamped to `count`. Elements before the first segment and after the last one are not touched.
       If an offset is above the next one, nothing is sorted: arrays in place stay as they were,
       keys_out, values_out and indices are undefined, and clsort_enqueue_is_sorted and
       clsort_enqueue_verify report it. */
    cl_mem segments;
    size_t segments_offset;     /* a multiple of 4 */
    size_t segment_count;
    /* Ends of segments, for gaps between them: segment i is the elements segments[i] to
       segment_ends[i] - 1, both clamped to `count`, and both buffers have segment_count cl_uint.
       NULL: a segment ends where the next one begins. A segment whose end is not above its begin is
       empty. Elements outside of segments are not touched.
       - For sorts and partitions each begin, also that of an empty segment, must be at or above the
         begin and the end of the segment before. Else nothing is sorted, as above.
       - Other selections (top_k) only read the keys: their segments may overlap and come in any
         order. */
    cl_mem segment_ends;
    size_t segment_ends_offset; /* a multiple of 4 */

    /* If not 0: only the first top_k elements of each row's or segment's order are written. At most
       `count`. See TOP-K. */
    size_t top_k;

    /* A count that only the device knows: one cl_uint, read when the sort runs. If it is less than
       `count`, it is the number of keys, of keys in each row, or the end of the last segment.
       Elements from there on are not touched. */
    cl_mem count_buffer;
    size_t count_offset;        /* a multiple of 4 */

    /* Records (record_size) in an order of your own, always stable. Either a list of fields, of
       which the first one decides ... */
    const clsort_field *fields; /* read during the call only */
    cl_uint field_count;        /* 1 to CLSORT_MAX_FIELDS */
    /* ... or an expression in OpenCL C, which is compiled once per sorter: does record `a` come
       before record `b`? */
    /* Declares the type clsort_record, of record_size bytes, and all that the expression needs:
       "typedef struct { float depth; uint layer; } clsort_record;". It is trusted code, and some
       names are taken: see ORDER. */
    const char *record_type;
    /* "a.layer < b.layer || (a.layer == b.layer && a.depth > b.depth)". It may have any scalar type
       and is true where it is not 0. If it contradicts itself, the order is undefined, but every
       record is still there once. */
    const char *precedes;

    clsort_tuning tuning;
} clsort_desc;

/* The default description: struct_size is set, every other field is 0. */
CLSORT__INLINE clsort_desc clsort_desc_default(void)
{
    clsort_desc d;
    memset(&d, 0, sizeof d);
    d.struct_size = sizeof d;
    return d;
}

/* The version of the implementation: major * 10000 + minor * 100 + patch. It may be another one
   than the header's, which CLSORT_VERSION_MAJOR, _MINOR and _PATCH state. */
CLSORT_API cl_uint clsort_version(void);

/* The names of the algorithms, numbered from 0; NULL after the last one. Names of what was left out
   with CLSORT_NO_* are not there, so a number may stand for another name elsewhere.
   - Full sorts come first.
   - Names that end in "only" sort blocks, for measurements. They answer CLSORT_ERROR_UNSUPPORTED
     for rows, segments and a count on the device.
   - Names that begin with "batch" sort rows, for measurements. They answer
     CLSORT_ERROR_UNSUPPORTED if `rows` is 0. */
CLSORT_API const char *clsort_algorithm_name(cl_uint number);

/* Sets algorithm and tuning of *desc to what one of these names stands for. Leaves tuning.pivot and
   tuning.scan as they are, and tuning.work_group and tuning.items unless the name fixes them.
   Errors: CLSORT_ERROR_UNKNOWN_VALUE if there is no such name, or for desc->struct_size. */
CLSORT_API clsort_status clsort_set_algorithm(clsort_desc *desc, const char *name);

/* ---- sorter ---------------------------------------------------------------------------------- */

typedef struct clsort_sorter clsort_sorter;

/* Called on every failure, before the failing function returns, also from within clsort_create.
   `function` is the OpenCL function or the clsort function that failed; `message` is one line. Both
   strings live until the callback returns. */
typedef void (*clsort_diagnostic)(void *user, clsort_status status, const char *function,
                                  const char *message);

/* Called once for every command of a clsort_enqueue_* call or of a sort of host arrays, in the
   order of the commands, before that call returns. The launches of clsort_prepare are not reported.
   - `stage` is the kernel's name, such as "clsort_merge_pass", or for another command the name of
     the OpenCL function, such as "clEnqueueCopyBuffer". It lives as long as the program.
   - `event` is released after the callback; call clRetainEvent to keep it. If the queue has
     CL_QUEUE_PROFILING_ENABLE, it holds the command's times once it is complete.
   - The callback runs on the thread that uses the sorter, and must not use this sorter.
   A clone has the same callback. */
typedef void (*clsort_profile)(void *user, const char *stage, cl_event event);

enum {
    /* Every sort checks its own result on the device; see clsort_collect. */
    CLSORT_OPTION_VERIFY = 1
};

/* A cache of built programs in storage of yours, so that the next start of your program compiles
   nothing. `name` is 32 hexadecimal digits: a hash of the kernels' text, the build options, this
   version, the device, its driver and its platform.
   - load copies the first `size` bytes of the entry to `data`, and returns the bytes of the whole
     entry, or 0 if there is none. It is called twice: first with size 0 and data NULL.
   - save keeps `size` bytes under that name, and replaces what is there. It may fail in silence.
   Nothing that load returns is trusted: an entry holds its name, its size and a hash of the binary,
   and the driver sees no byte of it before these are checked. An entry that is damaged, or that the
   driver does not take, costs only the time to build the program; then save replaces it. The hash
   guards against damage, not against malice: who can write entries can run code in your program.
   - load is called where a program would be built.
   - save is called at the end of clsort_prepare and of clsort_self_test, where all kernels have run
     once, and in clsort_destroy for programs that these did not see. PoCL compiles kernels once
     more to give a binary, which takes about two thirds of the time of building them.
   The callbacks run on the thread that uses the sorter, and must not use this sorter. A clone has
   the same callbacks, so with clones these must be safe to call from several threads. */
typedef size_t (*clsort_cache_load)(void *user, const char *name, void *data, size_t size);
typedef void (*clsort_cache_save)(void *user, const char *name, const void *data, size_t size);

/* Start from clsort_options_default(). Zero means default for every field. */
typedef struct clsort_options {
    size_t struct_size;            /* sizeof(clsort_options); see SIZES OF STRUCTS */
    clsort_diagnostic diagnostic;  /* default: none */
    void *user;                    /* handed to the callbacks */
    cl_uint flags;                 /* CLSORT_OPTION_* */
    clsort_profile profile;        /* default: none; with one, every command has an event */
    clsort_cache_load cache_load;  /* default: none; for a folder: clsort_cache_folder */
    clsort_cache_save cache_save;  /* default: none */
    void *cache_user;              /* handed to these two */
} clsort_options;

/* The default options: struct_size is set, every other field is 0. */
CLSORT__INLINE clsort_options clsort_options_default(void)
{
    clsort_options o;
    memset(&o, 0, sizeof o);
    o.struct_size = sizeof o;
    return o;
}

#ifndef CLSORT_NO_CACHE_FOLDER
/* Sets the callbacks of *options to a pair that keeps one file per program in a folder. `path` must
   live as long as every sorter with these options. With NULL it is the folder `clsort` in the
   user's folder of caches: XDG_CACHE_HOME or ~/.cache, on macOS ~/Library/Caches, on Windows
   LOCALAPPDATA.
   - The folder is made when it is first needed, not its parents, and only its owner can open it
     (0700). A folder of another owner, or one that others can write to, is not used. On Windows
     nothing is checked.
   - Files are written aside and then renamed, so any number of processes and threads may use the
     folder at once. Files with other names are left alone.
   - When the files would exceed CLSORT_CACHE_BYTES, those written longest ago are deleted.
   - A disk that is full or read-only only means that nothing is kept.
   Any thread may call it at any time. Errors: CLSORT_ERROR_NULL_ARGUMENT;
   CLSORT_ERROR_UNKNOWN_VALUE for options->struct_size. */
CLSORT_API clsort_status clsort_cache_folder(clsort_options *options, const char *path);
#endif

/* Makes a sorter for a device of a context. Builds no kernel yet. With context and device NULL it
   takes the first GPU, else the first device, in a context of its own. `options` may be NULL.
   *sorter is NULL on failure.
   Errors: CLSORT_ERROR_NULL_ARGUMENT also if only one of context and device is NULL;
   CLSORT_ERROR_UNKNOWN_VALUE for options->struct_size; CLSORT_ERROR_UNKNOWN_FLAG;
   CLSORT_ERROR_DEVICE_UNUSABLE. */
CLSORT_API clsort_status clsort_create(cl_context context, cl_device_id device,
                                       const clsort_options *options, clsort_sorter **sorter);

/* Makes another sorter for the same device, for use by another thread. It shares the programs and
   comparators that exist so far, and has its own kernels, scratch memory and errors. On failure
   *clone is NULL, and clsort_last_error(sorter) says why. */
CLSORT_API clsort_status clsort_clone(clsort_sorter *sorter, clsort_sorter **clone);

/* Releases everything. Commands that are still queued complete. NULL is a no-op. Does not wait,
   with one exception: NVIDIA's driver needs a program until its launches are done, so there an
   event callback releases the programs later. It calls CLSORT_FREE on a thread of the driver, and
   this code must stay loaded until then. Only if the driver refuses the callback, destroy waits. */
CLSORT_API void clsort_destroy(clsort_sorter *sorter);

/* Releases the sorter's scratch buffers and the queues that it retained. Does not wait. */
CLSORT_API clsort_status clsort_trim(clsort_sorter *sorter);

/* The message of the last failure on this sorter, such as "clsort_enqueue_sort: keys: ..."; "" if
   there was none. Lives until the next call with this sorter. */
CLSORT_API const char *clsort_last_error(const clsort_sorter *sorter);

/* The compiler's whole output of the last failed build; "" if there was none, or if it is above 1
   MiB. Lives until the next call with this sorter. Line numbers are those of kernels.cl, or of your
   texts, as files named record_type and precedes. NVIDIA's compiler counts all lines as one
   file. */
CLSORT_API const char *clsort_build_log(const clsort_sorter *sorter);

/* The context and the device of a sorter, not retained. Any thread may ask, at any time. */
CLSORT_API cl_context clsort_context(const clsort_sorter *sorter);
CLSORT_API cl_device_id clsort_device(const clsort_sorter *sorter);

/* ---- sorting --------------------------------------------------------------------------------- */

/* Would this description run on this device? Needs no buffers: a NULL buffer passes, a given one is
   checked as by clsort_enqueue_sort. Builds nothing. Errors: those of CLSORT_STATUS_LIST that a
   description can cause. */
CLSORT_API clsort_status clsort_check(clsort_sorter *sorter, const clsort_desc *desc);

/* Writes the description that would run. These fields are filled in:
   - algorithm and last_bit
   - tuning.work_group and tuning.items; their product is a block of the "only" algorithms
   - with top_k and without segments, rows and row_stride
   Other fields are as given; 0 in them stands for the default. `resolved` may be `desc`. Set
   resolved->struct_size before the call, best by clsort_desc_default(): no byte beyond is written.
   Errors: as clsort_check. */
CLSORT_API clsort_status clsort_resolve(clsort_sorter *sorter, const clsort_desc *desc,
                                        clsort_desc *resolved);

/* Builds and warms all that such a sort needs, so that the first one costs no more than a later
   one: kernels, one launch of each geometry, scratch memory. Needs no buffers. Blocks.
   - With a queue, it launches the kernels on that queue, without elements, and makes the sorter's
     scratch memory for it. The first sort on that queue then makes no object but events. It waits
     for its own launches, and so for what an in-order queue holds before them.
   - With `queue` NULL, it launches the kernels on a queue of the sorter's own. The scratch memory
     goes to the next queue that needs some.
   AUTO and several algorithms choose kernels by the count. With CLSORT_FLAG_ANY_COUNT it prepares
   for every count from 0 (of top_k: from top_k) to desc->count. Any such sort, with the same
   description otherwise and on the queue that was given, then builds nothing, allocates nothing and
   makes no object but events. That takes longer, since more kernels are built: for up to 2^20 u32
   keys on PoCL 2.1 s instead of 0.9.
   Errors: as clsort_check; CLSORT_ERROR_QUEUE_MISMATCH; CLSORT_ERROR_BUILD_FAILED,
   CLSORT_ERROR_COMPARATOR. */
CLSORT_API clsort_status clsort_prepare(clsort_sorter *sorter, cl_command_queue queue,
                                        const clsort_desc *desc);

/* Bytes of scratch memory that such a sort needs: exactly on this sorter's device, or an upper
   bound for any device if `sorter` is NULL. Needs no buffers. The size never shrinks when only
   `count` grows, so scratch memory for more elements is enough for fewer. It may exceed the
   device's largest allocation; then only the sorter's own scratch memory can be used. Errors: as
   clsort_check. */
CLSORT_API clsort_status clsort_scratch_size(clsort_sorter *sorter, const clsort_desc *desc,
                                             size_t *bytes);

/* Writes a short text about how such a sort would run. Each line is a word and what it says; the
   last line ends with a newline, too:
     algorithm  its name; with top_k "top-k by" registers, tiles, streams, a sample, digits or
                sorting, and the sort of the k elements, or of the rows, if there is one
     passes     commands that write elements. For a radix sort by one work-item and for batch-*:
                passes inside the one command
     launches   how many, and of which kernels
     copies     commands that copy or fill a buffer
     moved      bytes that these commands read and write, if nothing is skipped: keys, values,
                records, codes and indices. Not counted: counters, tables, splits, what a search for
                a split reads, records that an expression reads by their number
     scratch    bytes, as clsort_scratch_size
   Where the data decides (such as digits that are the same everywhere), it is the most that can
   happen. When its kernels are built, a work-group may turn out smaller; a later call knows. Needs
   no buffers; builds and enqueues nothing. `text` has room for `size` characters; 2000 are always
   enough. Errors: as clsort_check. */
CLSORT_API clsort_status clsort_explain(clsort_sorter *sorter, const clsort_desc *desc, char *text,
                                        size_t size);

/* Enqueues the sort after the n_wait events of `wait`, and does not wait for the device. Exception:
   CLSORT_SCHEDULER_HOST blocks until quicksort's rounds are done. Kernels that are not built yet
   are built first; see clsort_prepare.
   - The queue and the buffers must belong to the sorter's context, the queue also to its device.
     In-order and out-of-order queues work alike.
   - If `done` is not NULL, *done receives an event, which completes when all output is visible,
     also for a count of 0 or 1. Release it. On failure *done is NULL; see ERRORS in the comment
     that opens this file.
   - The buffers stay yours: do not touch the ranges before `done` is complete.
   - On an out-of-order queue, sorts that use the sorter's own scratch memory wait for each other.
     Sorts with scratch memory of yours do not; then see to it that no two use the same at once.
   Errors: those of CLSORT_STATUS_LIST. CLSORT_ERROR_WRONG_RESULT means that the self-test left AUTO
   no algorithm.
   Sources:
   - bitonic: Batcher, Sorting networks and their applications, 1968
   - bitonic-*, merge-local-only: Bainville, OpenCL Sorting, 2011
   - merge: Green, McColl, Bader, GPU merge path, 2012; on CPUs Inoue et al., AA-sort, 2007
   - radix-cached: Polychroniou and Ross, A Comprehensive Study of Main-Memory Partitioning, 2014;
     Bramas, A Novel Hybrid Quicksort Algorithm Vectorized using AVX-512, 2017
   - radix: Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016;
     Adinets and Merrill, Onesweep, 2022; radix-hybrid: Stehle and Jacobsen, A Memory
     Bandwidth-Efficient Hybrid Radix Sort on GPUs, 2017; radix-samples: Shi and Schaeffer, Parallel
     Sorting by Regular Sampling, 1992
   - quicksort: Cederman and Tsigas, GPU-Quicksort, JEA 14, 2009
   - batch-*: Zucchi, Parallel batch sorting, 2013 */
CLSORT_API clsort_status clsort_enqueue_sort(clsort_sorter *sorter, cl_command_queue queue,
                                             const clsort_desc *desc, cl_uint n_wait,
                                             const cl_event *wait, cl_event *done);

/* Sorts arrays in host memory on a queue of the sorter's own. Blocks until they are sorted.
   - *desc gives count, rows, types and sizes. Its buffers, offsets, segments and scratch are 0.
   - `values` holds count * value_size bytes; NULL without values.
   - If `indices` is not NULL, it receives the permutation, count cl_uint, and neither keys nor
     values are written.
   - Rows lie as on the device.
   - On CPUs that share the host's memory (CL_DEVICE_HOST_UNIFIED_MEMORY) arrays are sorted where
     they lie and are not copied, if keys, values and indices begin at multiples of the largest
     power of two up to 8 that divides the size of their elements (with `precedes`: of 128). The
     arrays must not overlap.
   After a failure:
   - before the first launch, the arrays are unchanged;
   - later, where they were copied, they are unchanged, too, unless reading back the result failed:
     then their content is undefined;
   - later, where they were not copied, no command uses them any more, and they are as ERRORS says
     of a failed enqueue: as a rule a permutation. If a command fails on the device, their content
     is undefined. If waiting for the device fails, it may even go on writing to them.
   With `indices` keys and values are unchanged in any case.
   With CLSORT_MULTI, arrays that the device does not hold at once are sorted by
   clsort_sort_host_on, whose rules then hold; without indices, rows and `precedes`.
   Errors: as clsort_enqueue_sort. */
CLSORT_API clsort_status clsort_sort_host(clsort_sorter *sorter, const clsort_desc *desc,
                                          void *keys, void *values, cl_uint *indices);

/* One array for clsort_enqueue_gather; zero it first. Offsets and strides are bytes, and multiples
   of the largest power of two up to 8 that divides element_size. This struct never changes. */
typedef struct clsort_array {
    cl_mem source;              /* elements to pick from */
    size_t source_offset;
    cl_mem target;              /* receives the elements; must not overlap any source */
    size_t target_offset;
    size_t element_size;        /* bytes, any */
    /* With rows: from one row to the next; 0: no gaps. Gaps in the target are not touched. */
    size_t source_row_stride;
    size_t target_row_stride;
} clsort_array;

/* A gather: target[i] = source[indices[i]], for each array and in each row. Start from
   clsort_gather_default(). */
typedef struct clsort_gather {
    size_t struct_size;         /* sizeof(clsort_gather); see SIZES OF STRUCTS */
    size_t count;               /* elements to write, with `rows` in each row; below 2^32 */
    size_t source_count;        /* elements of a source, with `rows` of each row; 0: count */
    cl_mem indices;             /* cl_uint for each element to write */
    size_t indices_offset;      /* bytes, a multiple of 4 */
    const clsort_array *arrays;
    cl_uint array_count;
    cl_uint flags;              /* CLSORT_FLAG_NO_BUILD */
    /* 0: one row. An index counts from the start of its row, as it does in the result of an argsort
       of rows and of top-k. */
    size_t rows;
    size_t indices_row_stride;  /* with rows: bytes from one row of indices to the next, a multiple
                                   of 4; 0: no gaps */
} clsort_gather;

/* The default gather: struct_size is set, every other field is 0. */
CLSORT__INLINE clsort_gather clsort_gather_default(void)
{
    clsort_gather g;
    memset(&g, 0, sizeof g);
    g.struct_size = sizeof g;
    return g;
}

/* Enqueues a gather by a permutation, as an argsort gives it, for any number of arrays. An index of
   source_count or above leaves its target element as it was. For the indices of
   - an argsort of n elements: count n
   - an argsort of R rows of n keys: rows R, count n, and the indices_row_stride of the sort; where
     that was 0 and row_stride makes the keys S apart, 4 S. Set strides for the arrays, too
   - top-k of R rows of n keys: rows R, count k, source_count n
   Indices of segments count from the start of their segment: a gather cannot use them.
   Queue, events and errors as in clsort_enqueue_sort. */
CLSORT_API clsort_status clsort_enqueue_gather(clsort_sorter *sorter, cl_command_queue queue,
                                               const clsort_gather *gather, cl_uint n_wait,
                                               const cl_event *wait, cl_event *done);

/* Sorted keys, each the number of its group. Start from clsort_groups_default(). */
typedef struct clsort_groups {
    size_t struct_size;         /* sizeof(clsort_groups); see SIZES OF STRUCTS */
    size_t count;               /* keys; below 2^32 */
    size_t groups;              /* group numbers are 0 to groups - 1; below 2^32 - 1 */
    cl_uint key_type;           /* CLSORT_U8, CLSORT_U16, CLSORT_U32 or CLSORT_U64; required */
    cl_uint flags;              /* CLSORT_FLAG_NO_BUILD */
    /* Ascending keys. If they do not ascend, the numbers that are written are undefined, but none
       is above `count`. */
    cl_mem keys;
    size_t keys_offset;         /* bytes, a multiple of the key's size */
    /* At least one of the next two must be given. */
    cl_mem starts;              /* receives groups + 1 cl_uint: the keys of group g are those from
                                   starts[g] to starts[g + 1] - 1. Keys of `groups` and above come
                                   from starts[groups] on. Or NULL */
    size_t starts_offset;       /* bytes, a multiple of 4 */
    cl_mem counts;              /* receives `groups` cl_uint: how many keys a group has. Or NULL */
    size_t counts_offset;       /* bytes, a multiple of 4 */
    cl_mem count_buffer;        /* or NULL; one cl_uint, read when the call runs: the number of keys
                                   if it is less than `count` */
    size_t count_offset;        /* bytes, a multiple of 4 */
} clsort_groups;

/* The default groups: struct_size is set, every other field is 0. */
CLSORT__INLINE clsort_groups clsort_groups_default(void)
{
    clsort_groups g;
    memset(&g, 0, sizeof g);
    g.struct_size = sizeof g;
    return g;
}

/* Enqueues a search for where each group begins among sorted keys, and how many keys it has: after
   a sort by cell, by expert or by material. Groups may be empty or huge: each takes log2(count)
   reads. `starts` can be the `segments` of a later sort. Needs no scratch memory. Queue, events and
   errors as in clsort_enqueue_sort. Source: Knuth, The Art of Computer Programming 3, 6.2.1. */
CLSORT_API clsort_status clsort_enqueue_group_starts(clsort_sorter *sorter, cl_command_queue queue,
                                                     const clsort_groups *groups, cl_uint n_wait,
                                                     const cl_event *wait, cl_event *done);

/* Two sorted inputs, a and b, and their merged order. Start from clsort_merge_desc_default(). */
typedef struct clsort_merge_desc {
    size_t struct_size;         /* sizeof(clsort_merge_desc); see SIZES OF STRUCTS */
    size_t count_a, count_b;    /* elements; their sum is below 2^32 */
    cl_uint key_type;           /* CLSORT_U8 ... CLSORT_F64; required */
    cl_uint order;              /* default: CLSORT_ASCENDING */
    cl_uint nan_order;          /* default: CLSORT_NAN_TOTAL */
    cl_uint flags;              /* CLSORT_FLAG_NO_BUILD */
    /* Keys, sorted in that order. If they are not, the output is undefined, but nothing else is
       touched. Offsets are bytes, multiples of the key's size. */
    cl_mem keys_a;
    size_t keys_a_offset;
    cl_mem keys_b;
    size_t keys_b_offset;
    cl_mem keys_out;            /* receives count_a + count_b keys; must not overlap an input */
    size_t keys_out_offset;
    /* One value per key, moved with it. Offsets are bytes, multiples of the largest power of two
       that divides value_size. */
    size_t value_size;          /* bytes, 0 to 8; 0: no values */
    cl_mem values_a;
    size_t values_a_offset;
    cl_mem values_b;
    size_t values_b_offset;
    cl_mem values_out;
    size_t values_out_offset;
    clsort_tuning tuning;
} clsort_merge_desc;

/* The default merge: struct_size is set, every other field is 0. */
CLSORT__INLINE clsort_merge_desc clsort_merge_desc_default(void)
{
    clsort_merge_desc m;
    memset(&m, 0, sizeof m);
    m.struct_size = sizeof m;
    return m;
}

/* Enqueues a stable merge of two sorted inputs: of equal keys, those of input a come first. Needs
   no scratch memory. Queue, events and errors as in clsort_enqueue_sort. Source: Green, McColl,
   Bader, GPU merge path, 2012. */
CLSORT_API clsort_status clsort_enqueue_merge(clsort_sorter *sorter, cl_command_queue queue,
                                              const clsort_merge_desc *merge, cl_uint n_wait,
                                              const cl_event *wait, cl_event *done);

/* One of the sorted runs of clsort_enqueue_merge_runs. Zero it first. Offsets are bytes: of keys
   multiples of the key's size, of values multiples of the largest power of two that divides
   value_size. This struct never changes. */
typedef struct clsort_run {
    size_t count;               /* elements; 0: the buffers are not looked at and may be NULL */
    cl_mem keys;                /* sorted in the order of the merge */
    size_t keys_offset;
    cl_mem values;              /* one per key; NULL without values */
    size_t values_offset;
} clsort_run;

enum { CLSORT_MAX_RUNS = 16 };

/* Sorted runs, and their merged order. Start from clsort_merge_runs_desc_default(). */
typedef struct clsort_merge_runs_desc {
    size_t struct_size;         /* sizeof(clsort_merge_runs_desc); see SIZES OF STRUCTS */
    const clsort_run *runs;     /* read during the call only. Runs may lie in the same buffers, and
                                   may even be the same elements. If one is not sorted, the output
                                   is undefined, but nothing else is touched */
    cl_uint run_count;          /* 1 to CLSORT_MAX_RUNS */
    cl_uint key_type;           /* CLSORT_U8 ... CLSORT_F64; required */
    cl_uint order;              /* default: CLSORT_ASCENDING */
    cl_uint nan_order;          /* default: CLSORT_NAN_TOTAL; CLSORT_NAN_EQUAL is not supported */
    cl_uint flags;              /* CLSORT_FLAG_NO_BUILD */
    cl_uint reserved;           /* 0 */
    cl_mem keys_out;            /* receives the keys of all runs, fewer than 2^32; must not overlap
                                   a run */
    size_t keys_out_offset;     /* bytes, a multiple of the key's size */
    size_t value_size;          /* bytes, 0 to 8; 0: no values */
    cl_mem values_out;          /* receives the values; must not overlap a run */
    size_t values_out_offset;   /* bytes, aligned as the values of a run */
    /* Scratch memory of yours; default: the sorter's own. See clsort_merge_runs_scratch_size. */
    cl_mem scratch;
    size_t scratch_offset;      /* bytes, a multiple of 16 */
    size_t scratch_size;        /* bytes usable from scratch_offset on */
    clsort_tuning tuning;       /* work_group and items, as CLSORT_MERGE has them */
} clsort_merge_runs_desc;

/* The default merge of runs: struct_size is set, every other field is 0. */
CLSORT__INLINE clsort_merge_runs_desc clsort_merge_runs_desc_default(void)
{
    clsort_merge_runs_desc m;
    memset(&m, 0, sizeof m);
    m.struct_size = sizeof m;
    return m;
}

/* Enqueues a stable merge of up to CLSORT_MAX_RUNS sorted runs: of equal keys, those of the run
   with the smaller number come first, and those of a run keep their order. However many runs there
   are, each element is read once and written once: four merges of two at a time do so four times.
   A tile of the output is merged from its share of every run: in local memory or, on CPUs, by a tree
   of losers. There two bare runs are merged faster by clsort_enqueue_merge, in vectors.
   clsort_prepare does not build these kernels: the first call does, once for each size of keys and
   of values. With CLSORT_FLAG_NO_BUILD a call that would build answers CLSORT_ERROR_NOT_READY.
   Queue, events, scratch memory and errors as in clsort_enqueue_sort. Sources: Varman et al.,
   Merging Multiple Lists on Hierarchical-Memory Multiprocessors, 1991, for the search for shares;
   Green, McColl, Bader, GPU merge path, 2012, and on CPUs Knuth, The Art of Computer Programming 3,
   5.4.1, in a tile. */
CLSORT_API clsort_status clsort_enqueue_merge_runs(clsort_sorter *sorter, cl_command_queue queue,
                                                   const clsort_merge_runs_desc *merge,
                                                   cl_uint n_wait, const cl_event *wait,
                                                   cl_event *done);

/* Bytes of scratch memory that such a merge needs on this sorter's device. Needs no buffers: of the
   runs only their counts are read. The size never shrinks when only counts grow. Errors: those of
   CLSORT_STATUS_LIST that a description can cause. */
CLSORT_API clsort_status clsort_merge_runs_scratch_size(clsort_sorter *sorter,
                                                        const clsort_merge_runs_desc *merge,
                                                        size_t *bytes);

/* Keys, and the splitters that part them. Start from clsort_partition_desc_default(). */
typedef struct clsort_partition_desc {
    size_t struct_size;         /* sizeof(clsort_partition_desc); see SIZES OF STRUCTS */
    size_t count;               /* keys; below 2^32 */
    cl_uint key_type;           /* CLSORT_U8 ... CLSORT_F64; required */
    cl_uint order;              /* default: CLSORT_ASCENDING */
    cl_uint nan_order;          /* default: CLSORT_NAN_TOTAL; CLSORT_NAN_EQUAL is not supported */
    cl_uint flags;              /* CLSORT_FLAG_NO_BUILD */
    /* Offsets of keys and splitters are bytes, multiples of the key's size. */
    cl_mem keys;
    size_t keys_offset;
    cl_mem keys_out;            /* receives the keys, part after part; must not overlap an input */
    size_t keys_out_offset;
    /* One value per key, moved with it. Offsets are bytes, multiples of the largest power of two
       that divides value_size. */
    size_t value_size;          /* bytes, 0 to 8; 0: no values */
    cl_mem values;
    size_t values_offset;
    cl_mem values_out;
    size_t values_out_offset;
    cl_mem splitters;           /* splitter_count keys, sorted in the order of the description; equal
                                   ones are allowed. Kernels may have written them. If they are not
                                   sorted, it is undefined which part a key goes to, but every key
                                   is still there once */
    size_t splitters_offset;
    cl_mem starts;              /* receives splitter_count + 2 cl_uint: part p has the keys from
                                   starts[p] to starts[p + 1] - 1 of the output. The first one is 0,
                                   the last one `count` */
    size_t starts_offset;       /* bytes, a multiple of 4 */
    cl_uint splitter_count;     /* 1 to CLSORT_MAX_SPLITTERS */
    cl_uint reserved;           /* 0 */
    /* Scratch memory of yours; default: the sorter's own. See clsort_partition_scratch_size. */
    cl_mem scratch;
    size_t scratch_offset;      /* bytes, a multiple of 16 */
    size_t scratch_size;        /* bytes usable from scratch_offset on */
    clsort_tuning tuning;       /* work_group and items, as CLSORT_RADIX has them */
} clsort_partition_desc;

enum { CLSORT_MAX_SPLITTERS = 255 };

/* The default partition: struct_size is set, every other field is 0. */
CLSORT__INLINE clsort_partition_desc clsort_partition_desc_default(void)
{
    clsort_partition_desc p;
    memset(&p, 0, sizeof p);
    p.struct_size = sizeof p;
    return p;
}

/* Enqueues a stable partition by splitters. Part p has the keys that do not come before splitter
   p - 1, but do come before splitter p: a key that is equal to a splitter is above it. Keys of a
   part keep their order. Nothing is read back: `starts` can be the `segments` of a sort that
   follows. Keys are read twice, values once, and all are written once. clsort_prepare does not
   build these kernels: the first call does, once for each size of keys and of values, for up to 15
   splitters and for more. With CLSORT_FLAG_NO_BUILD a call that would build answers
   CLSORT_ERROR_NOT_READY. Queue, events, scratch memory and errors as in clsort_enqueue_sort.
   Source: the scatter of Merrill and Grimshaw, High Performance and Scalable Radix Sorting, 2011,
   with a search among splitters in place of a digit, as in Leischner, Osipov, Sanders, GPU sample
   sort, 2010. */
CLSORT_API clsort_status clsort_enqueue_partition(clsort_sorter *sorter, cl_command_queue queue,
                                                  const clsort_partition_desc *partition,
                                                  cl_uint n_wait, const cl_event *wait,
                                                  cl_event *done);

/* Bytes of scratch memory that such a partition needs on this sorter's device. Needs no buffers.
   The size never shrinks when only `count` grows. Errors: those of CLSORT_STATUS_LIST that a
   description can cause. */
CLSORT_API clsort_status clsort_partition_scratch_size(clsort_sorter *sorter,
                                                       const clsort_partition_desc *partition,
                                                       size_t *bytes);

/* Enqueues a check of order. `result` at result_offset (bytes, a multiple of 4) receives one
   cl_uint: the number of the first element that comes before its predecessor in the description's
   order. If the keys are sorted, it receives
   - desc->count, also where a count on the device is less
   - of rows, one past the last element of the last row
   Elements of rows and segments are numbered from the first row, or from keys_offset, gaps
   included. Where the offsets of segments do not ascend, or segments with ends of their own
   overlap, the number is 0. Reads only keys (or records), count, types and order of *desc, its
   rows, segments and count on the device. Queue, events and errors as in clsort_enqueue_sort. */
CLSORT_API clsort_status clsort_enqueue_is_sorted(clsort_sorter *sorter, cl_command_queue queue,
                                                  const clsort_desc *desc, cl_mem result,
                                                  size_t result_offset, cl_uint n_wait,
                                                  const cl_event *wait, cl_event *done);

/* ---- checking -------------------------------------------------------------------------------- */

/* Written by clsort_enqueue_fingerprint and clsort_enqueue_verify. `before` and `after` are sums of
   hashes, which do not depend on the order of elements. This struct never changes. */
typedef struct clsort_proof {
    cl_uint before[4];          /* of the input: [0] and [1] of elements, [2] and [3] of elements
                                   with their values */
    cl_uint after[4];           /* of the output */
    cl_uint indices[2];         /* 0 if the indices hold every number once */
    cl_uint unsorted;           /* as clsort_enqueue_is_sorted; where indices are the only output,
                                   of the keys in their order */
    cl_uint count;              /* equal to `unsorted` if the output is in order */
} clsort_proof;

/* Check a sort on the device: enqueue the fingerprint before the sort and the verification after
   it, both with the sort's description. Then read the clsort_proof, sizeof(clsort_proof) bytes at
   proof_offset (a multiple of 4), and judge it. Each row or segment is checked on its own; elements
   outside of them are not. The offsets of segments and the count on the device must not have
   changed. Queue, events and errors as in clsort_enqueue_sort. Source of the hash: Vigna's
   splitmix64. */
CLSORT_API clsort_status clsort_enqueue_fingerprint(clsort_sorter *sorter, cl_command_queue queue,
                                                    const clsort_desc *desc, cl_mem proof,
                                                    size_t proof_offset, cl_uint n_wait,
                                                    const cl_event *wait, cl_event *done);
CLSORT_API clsort_status clsort_enqueue_verify(clsort_sorter *sorter, cl_command_queue queue,
                                               const clsort_desc *desc, cl_mem proof,
                                               size_t proof_offset, cl_uint n_wait,
                                               const cl_event *wait, cl_event *done);

/* CL_SUCCESS if the output is in order and a permutation of the input, keys with their values; else
   CLSORT_ERROR_WRONG_RESULT. A wrong permutation goes unnoticed with a probability of about
   2^-64. */
CLSORT_API clsort_status clsort_judge(const clsort_proof *proof);

/* With CLSORT_OPTION_VERIFY, judges the sorts that are complete, or if `wait` is not 0 waits for
   all and judges them. Returns the verdict on all sorts that were judged since the last call:
     CLSORT_ERROR_WRONG_RESULT   at least one sort was wrong
     another code                a sort failed on the device with that code; or a sort could not be
                                 judged: it stays pending, and a later call judges it
     CL_SUCCESS                  none of these; with `wait`, every sort was right
   Every clsort_enqueue_sort judges complete sorts, too, but leaves the verdict to this function and
   goes on. The diagnostic callback hears of each failure when it is found. clsort_destroy does not
   judge. */
CLSORT_API clsort_status clsort_collect(clsort_sorter *sorter, int wait);

/* Sorts small arrays with every algorithm on this device, compares with the host, and takes those
   that fail out of AUTO. If none is left, AUTO answers CLSORT_ERROR_WRONG_RESULT. Builds the
   kernels of all of them, and blocks: on PoCL with two cores for 46 s if its cache has none of
   them, else for 1.4 s. The finding holds for this sorter and for clones made later.
   Errors: CLSORT_ERROR_WRONG_RESULT if an algorithm failed, and all that a sort can meet. */
CLSORT_API clsort_status clsort_self_test(clsort_sorter *sorter);

#ifdef CLSORT_MULTI
/* ---- host arrays of any size, several devices ------------------------------------------------ */

/* How bytes go between host memory and a device. */
enum { CLSORT_TRANSFER_DEFAULT = 0,  /* DIRECT where the device shares memory with the host */
       CLSORT_TRANSFER_DIRECT = 1,   /* commands read and write the host arrays. For devices with
                                        memory of their own: fast if the arrays and `work` are
                                        pinned memory, such as mapped CL_MEM_ALLOC_HOST_PTR */
       CLSORT_TRANSFER_STAGED = 2 }; /* by way of blocks of pinned memory that the call allocates;
                                        the calling thread copies */

/* What one sorter did. This struct never changes. */
typedef struct clsort_share {
    cl_ulong elements;          /* of the jobs that it finished; in two trips each counts twice */
    cl_uint jobs;               /* chunks that it sorted, and parts that it merged */
    clsort_status status;       /* CL_SUCCESS, or why the sorter was dropped */
} clsort_share;

/* Arrays in host memory, and the means to sort them. Start from clsort_multi_desc_default(). */
typedef struct clsort_multi_desc {
    size_t struct_size;         /* sizeof(clsort_multi_desc); see SIZES OF STRUCTS */
    /* Count, types, order and sizes; `count` may be any number that the arrays can have. Its
       buffers, offsets, rows, segments, scratch and `precedes` are 0. Read during the call only. */
    const clsort_desc *sort;
    void *keys;                 /* count keys, or records */
    void *values;               /* count * value_size bytes; NULL without values */
    /* Receive the result, and then keys and values are only read. NULL, both: keys and values are
       sorted in place. They must not overlap other arrays. */
    void *keys_out;
    void *values_out;
    /* Argsort: receives the permutation, count cl_ulong. Keys are only read, and values are not
       looked at; keys_out may be NULL. NULL: no argsort. */
    cl_ulong *indices;
    /* Host memory in which sorted runs are kept; NULL: from CLSORT_MALLOC, if it is needed. Its
       bytes are count * (bytes of a key or record), rounded up to a multiple of 16, and
       count * value_size; of an argsort count * 8 in place of the latter. */
    void *work;
    size_t work_size;           /* bytes of `work` */
    /* The most bytes of buffers on each device. 0: 7 / 8 of the device's memory, or 1 / 4 of that
       where it is also the host's. */
    size_t device_memory;
    clsort_share *shares;       /* receives what each sorter did; NULL: not wanted */
    cl_uint transfer;           /* CLSORT_TRANSFER_* */
    cl_uint reserved;           /* 0 */
} clsort_multi_desc;

/* The default: struct_size is set, every other field is 0. */
CLSORT__INLINE clsort_multi_desc clsort_multi_desc_default(void)
{
    clsort_multi_desc m;
    memset(&m, 0, sizeof m);
    m.struct_size = sizeof m;
    return m;
}

/* Sorts arrays in host memory, of any size, on one device or on several. Blocks until they are
   sorted. The sorters may belong to different contexts and platforms; no sorter may be given twice.
   - If all elements fit on a device at once, with scratch memory, the first such device sorts them,
     in one trip. Name the fastest one first. If one buffer or one sort does not take them all, eight
     runs stay on the device and are merged there: keys of one type that are compared as they are
     (not some of their bits, equal zeros or equal NaNs), with values of up to 8 bytes.
   - Else the arrays go through the devices twice. Chunks are sorted, and leave runs in `work`. Then
     each part of the result is merged from its pieces of all runs, which are searched for on the
     host. There may be any number of runs. Where such keys and values as above are merged, a GPU
     reads and writes them once; CPUs, and records, longer values and other keys are sorted.
   - Every device has two jobs at a time, so that bytes of one move while the other is sorted. It
     gets another job when it has finished one, so a fast device does more. No threads are made: the
     calling thread asks all devices in turn, and calls CLSORT_YIELD() if none has news; with one
     device and CLSORT_TRANSFER_DIRECT it sleeps.
   - A device on which a call or a command fails is dropped. The sorter's diagnostic callback hears
     why, and the other devices do its jobs again. If it fails with CL_MEM_OBJECT_ALLOCATION_FAILURE,
     it goes on with half of its memory instead, until that is too little for one element.
   - Host memory beyond the arrays: `work` in two trips, and in one trip if it is in place. Per
     device, with CLSORT_TRANSFER_STAGED, 4 * CLSORT_STAGE_BYTES of pinned memory. For tables fewer
     bytes than 300 * runs + 32 * runs * sorters + 2000 * sorters, and where runs stay on the device
     8 * 4096 keys.
   - The sorters keep up to three queues each, and as usual their programs; buffers are released.
   Fails if no sorter is left, with the code of the one that was dropped last, or with
   CL_OUT_OF_HOST_MEMORY. No key, value or record is lost then:
   - arrays that are only read are as they were; those that receive a result are undefined
   - arrays that are sorted in place are as they were, or hold a permutation of the input: sorted
     runs, one after the other, each value with its key
   This holds unless a driver goes on writing to host memory although clFinish and clWaitForEvents
   have failed.
   Errors: as clsort_enqueue_sort. CLSORT_ERROR_NULL_ARGUMENT also for no sorters;
   CLSORT_ERROR_UNKNOWN_VALUE also for a sorter that is given twice; CLSORT_ERROR_UNSUPPORTED for
   what goes with buffers only, for rows and for `precedes`; CLSORT_ERROR_VALUE_SIZE if only one of
   keys_out and values_out is given; CLSORT_ERROR_SCRATCH_TOO_SMALL for work_size;
   CLSORT_ERROR_SCRATCH_TOO_LARGE if device_memory does not hold one element.
   Thread safety: one thread at a time uses the sorters.
   Source: Knuth, The Art of Computer Programming 3, 5.4; splits: Varman et al., Merging multiple
   lists on hierarchical-memory multiprocessors, 1991. */
CLSORT_API clsort_status clsort_sort_host_on(clsort_sorter *const *sorters, cl_uint sorter_count,
                                             const clsort_multi_desc *multi);
#endif

#ifdef __cplusplus
}
#endif

#endif /* CLSORT_H_INCLUDED */

/* ==== implementation ========================================================================== */

#ifdef CLSORT_IMPLEMENTATION
#ifndef CLSORT_IMPLEMENTED
#define CLSORT_IMPLEMENTED

#ifdef _MSC_VER
#pragma warning(push)
#pragma warning(disable : 4996)   /* functions of C and of OpenCL 1.2 that newer ones replace */
#endif

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CLSORT_ASSERT
#include <assert.h>
#define CLSORT_ASSERT(x) assert(x)
#endif
#ifndef CLSORT_MALLOC
#define CLSORT_MALLOC(n) malloc(n)
#define CLSORT_REALLOC(p, n) realloc(p, n)
#define CLSORT_FREE(p) free(p)
#endif
#ifndef CLSORT_CL
#define CLSORT_CL(function) function
#endif
#ifdef CLSORT_MULTI
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
#endif
#ifndef CLSORT_CACHE_BYTES
#define CLSORT_CACHE_BYTES (256 << 20)
#endif
#ifndef CLSORT_NO_CACHE_FOLDER
#ifdef _WIN32
#include <direct.h>
#include <io.h>
#include <process.h>
#else
#include <dirent.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(CLSORT_NO_MERGE) || defined(CLSORT_NO_RADIX)
#undef CLSORT_NO_QUICKSORT
#define CLSORT_NO_QUICKSORT   /* merge and radix finish what its rounds leave */
#endif

/* Sections; each uses those before it. To follow a call, start at its function in >>public, go on
   to clsort__enqueue in >>job, and from there to the functions of its clsort__operation.

     >>source      the text of kernels.cl
     >>types       families, kernels, the sorter, plans, runs
     >>status      errors, and macros that end a function at the first one
     >>arithmetic  rounding, logarithms, sums that do not wrap
     >>memory      host arrays, slots of scratch buffers, marks on queues
     >>device      contexts, queries, queues
     >>folder      files of a cache of built programs
     >>cache       entries of a cache, whoever stores them
     >>program     the shapes of kernels, building programs
     >>plan        from a description to a plan: key, arrays, algorithm, kernels, scratch
     >>check       mistakes in arguments, buffers, limits
     >>structs     structs of callers that were compiled with another version
     >>launch      arguments, launches, copies, fills
     >>job         from a public call to its commands: counted, warmed, enqueued
     >>bitonic >>merge >>runs >>radix >>partition >>segments >>batch >>quicksort
                   shapes, tables and launches of each algorithm
     >>algorithms  the table of these
     >>gather >>groups >>sort >>select >>is_sorted >>host >>proof
                   checks, programs and commands of each kind of call
     >>operations  the table of these
     >>prepare     builds, warms and allocates ahead, for one count or for all up to a most
     >>sorter      creating, cloning and destroying
     >>presets     algorithms by name
     >>explain     the text of clsort_explain
     >>self-test   known sorts on the device
     >>public      the functions of the API, in its order
     >>multi       with CLSORT_MULTI: host arrays of any size, several devices */

/* ---- >>source -------------------------------------------------------------------------------- */

/* >>>> generated from kernels.cl by tools/embed; do not edit */
/* Numbers that the kernels and clsort.h must agree on. tools/embed also writes this part into
   clsort.h as C, so it holds only #defines that are valid in C and in OpenCL C. In the tables of
   quicksort, S is the number of sequences that a round may have. */

/* CLSORT_FAMILY: which kernels a program is made of. The public algorithms have their public
   numbers. */
#define CLSORT__FAMILY_BITONIC 1
#define CLSORT__FAMILY_MERGE 2
#define CLSORT__FAMILY_RADIX 3
#define CLSORT__FAMILY_QUICKSORT 4
#define CLSORT__FAMILY_UTILITY 32
#define CLSORT__FAMILY_PUBLISHED_BITONIC 33
#define CLSORT__FAMILY_PUBLISHED_MERGE 34
#define CLSORT__FAMILY_SWEEP 35
#define CLSORT__FAMILY_RELAUNCH 36
#define CLSORT__FAMILY_SELECT 37
#define CLSORT__FAMILY_SEGMENTS 38
#define CLSORT__FAMILY_PIECES 39
#define CLSORT__FAMILY_BATCH 40
#define CLSORT__FAMILY_HYBRID 41
#define CLSORT__FAMILY_SHORT_ROWS 42
#define CLSORT__FAMILY_ROW_TILES 43
#define CLSORT__FAMILY_LONG_ROWS 44
#define CLSORT__FAMILY_SAMPLES 45
#define CLSORT__FAMILY_CACHED 46
#define CLSORT__FAMILY_RUNS 47
#define CLSORT__FAMILY_PARTITION 48

/* A merge of many runs: the most runs; elements of a work-group's tile, in which the share of each
   run begins at a multiple of `items`; words before the tile, for addresses and sizes of shares,
   then the share that each work-item's elements belong to. */
#define CLSORT__MOST_RUNS 16
#define CLSORT__RUNS_TILE(group, items) (((group) - CLSORT__MOST_RUNS) * (items))
#define CLSORT__SHARE_WORDS(group) (6 * CLSORT__MOST_RUNS + 2 + (group))

/* Local memory: one empty slot follows each 2^pad_log2 slots of a tile, so that accesses at a
   stride do not meet in one bank. */
#define CLSORT__KEY_PAD_LOG2(key_bytes) ((key_bytes) == 8 ? 4 : 5)
#define CLSORT__WORD_PAD_LOG2 5
/* In words, for `group` work-items: the sums of a scan, without and with the total; before the list
   of a selection, counters and sums; packed segments, whose tile has a head flag for each element,
   then a word for each work-item and two more. */
#define CLSORT__SCAN_WORDS(group) (2 * (group))
#define CLSORT__SCAN_TOTAL_WORDS(group) (CLSORT__SCAN_WORDS(group) + 1)
#define CLSORT__SELECT_SUMS 4
#define CLSORT__SELECT_LIST(group) (CLSORT__SELECT_SUMS + CLSORT__SCAN_TOTAL_WORDS(group))
#define CLSORT__HEAD_WORDS(tile) (((tile) + 31) / 32)
#define CLSORT__PACKING_WORDS(group, tile) (CLSORT__HEAD_WORDS(tile) + (group) + 2)
/* The same of a radix tile: offsets and next places of digits, counters of each team, sums and,
   later in their place, what is staged. A team is the work-items that rank elements together: a
   warp, or 16 where warps are not known. Pairs of warps are staged when all are ranked: in place of
   the counters, too. */
#define CLSORT__WARP 32
#define CLSORT__TEAM(group, most) ((group) < (most) ? (group) : (most))
#define CLSORT__RADIX_PLACES(digits) (2 * (digits))
#define CLSORT__RADIX_COUNTERS(group, team, digits) ((group) / CLSORT__TEAM(group, team) * (digits))
#define CLSORT__RADIX_SHARES(team, value_bytes) ((team) == CLSORT__WARP && (value_bytes) > 0)
#define CLSORT__RADIX_TILE_WORDS(digits, counters, sums, staged, shares) \
    (CLSORT__RADIX_PLACES(digits) + (counters) \
     + ((staged) > (sums) + ((shares) ? (counters) : 0) ? (staged) - ((shares) ? (counters) : 0) \
                                                        : (sums)))
/* In bytes: a pair of code and index that a selection ranks. */
#define CLSORT__RANKED_BYTES(key_bytes) ((key_bytes) == 8 ? 16 : 8)
/* In words again, of quicksort: sums, or counts of parts. */
#define CLSORT__QUICK_SUMS(group) (CLSORT__SCAN_WORDS(group) + 2)

/* Bits of the argument `kind`, which says how segments are given. */
#define CLSORT__SEGMENTS_AT_OFFSETS 1
#define CLSORT__SEGMENTS_IN_RANGES 2
#define CLSORT__COUNT_ON_DEVICE 4
/* The same of selections: rows have a length each. */
#define CLSORT__ROW_LENGTHS 8
/* Segments at offsets have ends of their own: there may be gaps between them. */
#define CLSORT__SEGMENTS_HAVE_GAPS 16
/* Words of a range in a list; words before the jobs in their table. */
#define CLSORT__RANGE_WORDS 8
#define CLSORT__JOB_HEAD 4

/* Radix tables, in words: the plan has one word for each pass, the bits seen take SEEN_WORDS for
   each block. A sweep's tables begin with a head: plan, bits seen, then a ticket counter for each
   pass, how many low bits are mended, how many runs. */
#define CLSORT__PLAN_WORDS 32
#define CLSORT__SEEN_WORDS 4
#define CLSORT__SWEEP_PASSES 8
#define CLSORT__SWEEP_HEAD 64
/* The word of the plan that hybrid radix and mending leave nonzero where they have sorted. Bits of
   the argument in_place: where that word is not 0, do nothing; leave low bits to be mended. */
#define CLSORT__GATE 31
#define CLSORT__GATED 4
#define CLSORT__MENDS 8
/* Digits of a key. */
#define CLSORT__DIGITS_OF(key_bytes, digit_bits) ((8 * (key_bytes) + (digit_bits)-1) / (digit_bits))
/* How many copies each local counter has, by the number of counters in a histogram of all digits. A
   count of one digit uses the fewest copies. Without warps a counter of the histogram has 16
   bits. */
#define CLSORT__LEAST_COPIES 8
#define CLSORT__HISTOGRAM_COPIES(counters, warps) \
    ((warps)              ? 2 \
     : (counters) <= 512  ? 32 \
     : (counters) <= 1024 ? 16 \
                          : CLSORT__LEAST_COPIES)
#define CLSORT__COUNTER_MOST 65535

/* Hybrid radix: ranges; cells of the sample, how many share a word of masks, and log2 of how many
   make a slice, of which there are two fewer than ranges; log2 of the sample's keys; how many
   ranges it makes equally heavy, the others equally wide; the most second digits of a range. */
#define CLSORT__HYBRID_DIGITS 256
#define CLSORT__HYBRID_CELLS 16384
#define CLSORT__HYBRID_MASK_CELLS 16
#define CLSORT__HYBRID_SLICE_LOG2 6
#define CLSORT__HYBRID_SAMPLE_LOG2 14
#define CLSORT__HYBRID_EVEN_DIGITS 192
#define CLSORT__HYBRID_MOST_SLOTS(key_bytes) ((key_bytes) == 8 ? 1024 : 512)
/* Its tables, in words: a head of 16; masks; ranges' counts; ranges; counts of second digits. */
#define CLSORT__HYBRID_RANGE_WORDS 8
#define CLSORT__HYBRID_MASKS_AT 16
#define CLSORT__HYBRID_NEXT_AT \
    (CLSORT__HYBRID_MASKS_AT + CLSORT__HYBRID_CELLS / CLSORT__HYBRID_MASK_CELLS)
#define CLSORT__HYBRID_RANGES_AT (CLSORT__HYBRID_NEXT_AT + CLSORT__HYBRID_DIGITS)
#define CLSORT__HYBRID_SLOTS_AT \
    (CLSORT__HYBRID_RANGES_AT + CLSORT__HYBRID_RANGE_WORDS * CLSORT__HYBRID_DIGITS)
/* log2 of the fewest work-items of a work-group. */
#define CLSORT__HYBRID_LEAST_GROUP 6
/* Copies of each counter of ranges, so that lanes with equal digits meet less; tiles that a
   work-group recounts. Of each work-item of a bucket: keys, and log2 of the bins; spare bins, for
   what lies beyond the end. The longest bin that is mended by transposition, in radix of samples
   twice that; there the longest bin of equal length that is kept: else keys are the borders of
   bins. The longest bin whose keys are not looked at before. */
#define CLSORT__HYBRID_COPIES 4
#define CLSORT__HYBRID_RECOUNT_TILES 4
#define CLSORT__HYBRID_BUCKET_ITEMS(key_bytes) ((key_bytes) == 8 ? 12 : 20)
#define CLSORT__HYBRID_OWN_BINS_LOG2 4
#define CLSORT__HYBRID_SPARE_BINS 32
#define CLSORT__HYBRID_MOST_MENDED 96
#define CLSORT__SAMPLES_MOST_MENDED 24
#define CLSORT__HYBRID_MOST_TRUSTED 10
/* Other passes sort where one range has more than 1 / HEAVY_PART of the keys, the buckets above the
   capacity more than 1 / OVER_PART, or one of these OVER_TIMES the capacity. What lies outside of
   the sample, some 2^-14 of many keys, may crowd into few buckets: more keys allow longer ones. */
#define CLSORT__HYBRID_HEAVY_PART 4
#define CLSORT__HYBRID_OVER_PART 8
#define CLSORT__HYBRID_OVER_TIMES(n) (8 + ((n) >> 22))
/* A sample is flat if no work-item's cells have more than so many times its part of it. */
#define CLSORT__HYBRID_FLAT_TIMES 2

/* Radix in cache: ranges; cells of the sample; log2 of the most keys of the sample; log2 of the
   fewest elements that make a range; the fewest ranges; words before the counts of blocks: a head,
   marks of ranges, where ranges begin, the range of each cell. */
#define CLSORT__CACHED_RANGES 256
#define CLSORT__CACHED_CELLS 4096
#define CLSORT__CACHED_SAMPLE_LOG2 12
#define CLSORT__CACHED_RANGE_LOG2 14
#define CLSORT__CACHED_LEAST_RANGES 16
#define CLSORT__CACHED_MIXED_AT 16
#define CLSORT__CACHED_STARTS_AT (CLSORT__CACHED_MIXED_AT + CLSORT__CACHED_RANGES)
#define CLSORT__CACHED_CELLS_AT (CLSORT__CACHED_STARTS_AT + CLSORT__CACHED_RANGES + 1)
#define CLSORT__CACHED_WORDS (CLSORT__CACHED_CELLS_AT + CLSORT__CACHED_CELLS / 4)

/* Quicksort's tables, in words: a state; two tables of sequences; blocks; leaves; leftovers. */
#define CLSORT__QUICK_STATE_WORDS 16
#define CLSORT__QUICK_SEQUENCE_WORDS 16
#define CLSORT__QUICK_BLOCK_WORDS 10
#define CLSORT__QUICK_MOST_BLOCKS(S) (2 * (S) + 1)
#define CLSORT__QUICK_MOST_LEAVES(S) (8 * (S) + 64)
#define CLSORT__QUICK_MOST_LEFTOVERS(S) (CLSORT__QUICK_MOST_LEAVES(S) + (S))
#define CLSORT__QUICK_BLOCKS_AT(S) \
    (CLSORT__QUICK_STATE_WORDS + 2 * CLSORT__QUICK_SEQUENCE_WORDS * (S))
#define CLSORT__QUICK_LEAVES_AT(S) \
    (CLSORT__QUICK_BLOCKS_AT(S) + CLSORT__QUICK_BLOCK_WORDS * CLSORT__QUICK_MOST_BLOCKS(S))
#define CLSORT__QUICK_LEFTOVERS_AT(S) \
    (CLSORT__QUICK_LEAVES_AT(S) + CLSORT__RANGE_WORDS * CLSORT__QUICK_MOST_LEAVES(S))
/* The words of the state: sequences and blocks of an even round, the same of an odd one, then
   these. */
#define CLSORT__QUICK_SEQUENCES 0
#define CLSORT__QUICK_BLOCKS 1
#define CLSORT__QUICK_LEAVES 4
#define CLSORT__QUICK_LEFT 5
#define CLSORT__QUICK_ROUNDS 6
/* The stack of a leaf, in words. */
#define CLSORT__STACK_HEAD 4
#define CLSORT__STACK_WORDS (CLSORT__STACK_HEAD + 24 * CLSORT__RANGE_WORDS)
/* Pivot rules and scans: clsort_tuning's numbers. */
#define CLSORT__PIVOT_MEDIAN3 1
#define CLSORT__PIVOT_MIDRANGE 2
#define CLSORT__PIVOT_SAMPLE 3
#define CLSORT__SCAN_LOCAL 1
#define CLSORT__SCAN_BUILTIN 2
#define CLSORT__SCAN_BLELLOCH 3

/* What a selection returns of a row: the first k in order, the k-th only, the first k in the row's
   order, or the whole row with the k-th in its place between what comes before it and the rest. */
#define CLSORT__SELECT_FIRST 0
#define CLSORT__SELECT_NTH 1
#define CLSORT__SELECT_UNORDERED 2
#define CLSORT__SELECT_PARTITION 3
/* Which outputs a selection writes. */
#define CLSORT__WRITES_INDICES 1
#define CLSORT__WRITES_KEYS 2
/* Words of a row's table: ROW_COLLECTED has the number of elements collected, ROW_LIST is the first
   word of their list. */
#define CLSORT__ROW_COLLECTED 32
#define CLSORT__ROW_LIST 48
/* ROW_CANDIDATES: how many candidates a reading found; ROW_FAILED: how often these did not decide
   the row; ROW_BOUND: the pair that no candidate comes after, as two words of 64 bits. */
#define CLSORT__ROW_CANDIDATES 33
#define CLSORT__ROW_FAILED 34
#define CLSORT__ROW_BOUND 36
/* In the table of row 0, for one launch of all: numbers that were drawn, and that are done; how
   often a row has failed. */
#define CLSORT__ROW_DRAWN 40
#define CLSORT__ROW_DONE 41
#define CLSORT__ROW_ANY_FAILED 42
/* A sample's elements lie in clusters of so many, one after the other. A work-group's list of
   candidates has LISTED places. */
#define CLSORT__CLUSTER 4
#define CLSORT__LISTED 1024

/* A packed field: below bit FIELD_BYTES its offset in the record; from there 7 bits for its bytes,
   then flags of one bit; the numbers of bits have 6 bits or more each. EQUAL_NANS needs MANTISSA,
   the bits of a mantissa if NaNs come last. With BIG_ENDIAN the first byte counts most; only then
   may a field have more than 8 bytes, or other numbers of them than 1, 2, 4 and 8. */
#define CLSORT__FIELD_BYTES 32
#define CLSORT__FIELD_SIGN 39
#define CLSORT__FIELD_DESCENDING 40
#define CLSORT__FIELD_FLOAT 41
#define CLSORT__FIELD_EQUAL_ZEROS 42
#define CLSORT__FIELD_MANTISSA 43
#define CLSORT__FIELD_EQUAL_NANS 49
#define CLSORT__FIELD_BIG_ENDIAN 50
#define CLSORT__FIELD_FIRST_BIT 51
#define CLSORT__FIELD_IGNORED_HIGH_BITS 57

static const char *const clsort__source[] = {
    "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
    "//---- passes: merge\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
    "//---- shared\n\n\n\n\n\n\n"
    "#define CLSORT__FAMILY_BITONIC 1\n"
    "#define CLSORT__FAMILY_MERGE 2\n"
    "#define CLSORT__FAMILY_RADIX 3\n"
    "#define CLSORT__FAMILY_QUICKSORT 4\n"
    "#define CLSORT__FAMILY_UTILITY 32\n"
    "#define CLSORT__FAMILY_PUBLISHED_BITONIC 33\n"
    "#define CLSORT__FAMILY_PUBLISHED_MERGE 34\n"
    "#define CLSORT__FAMILY_SWEEP 35\n"
    "#define CLSORT__FAMILY_RELAUNCH 36\n"
    "#define CLSORT__FAMILY_SELECT 37\n"
    "#define CLSORT__FAMILY_SEGMENTS 38\n"
    "#define CLSORT__FAMILY_PIECES 39\n"
    "#define CLSORT__FAMILY_BATCH 40\n"
    "#define CLSORT__FAMILY_HYBRID 41\n"
    "#define CLSORT__FAMILY_SHORT_ROWS 42\n"
    "#define CLSORT__FAMILY_ROW_TILES 43\n"
    "#define CLSORT__FAMILY_LONG_ROWS 44\n"
    "#define CLSORT__FAMILY_SAMPLES 45\n"
    "#define CLSORT__FAMILY_CACHED 46\n"
    "#define CLSORT__FAMILY_RUNS 47\n"
    "#define CLSORT__FAMILY_PARTITION 48\n\n\n\n\n"
    "#define CLSORT__MOST_RUNS 16\n"
    "#define CLSORT__RUNS_TILE(group, items) (((group) - CLSORT__MOST_RUNS) * (items))\n"
    "#define CLSORT__SHARE_WORDS(group) (6 * CLSORT__MOST_RUNS + 2 + (group))\n\n\n\n"
    "#define CLSORT__KEY_PAD_LOG2(key_bytes) ((key_bytes) == 8 ? 4 : 5)\n"
    "#define CLSORT__WORD_PAD_LOG2 5\n\n\n\n"
    "#define CLSORT__SCAN_WORDS(group) (2 * (group))\n"
    "#define CLSORT__SCAN_TOTAL_WORDS(group) (CLSORT__SCAN_WORDS(group) + 1)\n"
    "#define CLSORT__SELECT_SUMS 4\n"
    "#define CLSORT__SELECT_LIST(group) (CLSORT__SELECT_SUMS + CLSORT__SCAN_TOTAL_WORDS(group))\n"
    "#define CLSORT__HEAD_WORDS(tile) (((tile) + 31) / 32)\n"
    "#define CLSORT__PACKING_WORDS(group, tile) (CLSORT__HEAD_WORDS(tile) + (group) + 2)\n\n\n\n\n"
    "#define CLSORT__WARP 32\n"
    "#define CLSORT__TEAM(group, most) ((group) < (most) ? (group) : (most))\n"
    "#define CLSORT__RADIX_PLACES(digits) (2 * (digits))\n"
    "#define CLSORT__RADIX_COUNTERS(group, team, digits) ((group) / CLSORT__TEAM(group, team) * (digits))\n"
    "#define CLSORT__RADIX_SHARES(team, value_bytes) ((team) == CLSORT__WARP && (value_bytes) > 0)\n"
    "#define CLSORT__RADIX_TILE_WORDS(digits, counters, sums, staged, shares) \\\n"
    "    (CLSORT__RADIX_PLACES(digits) + (counters) \\\n"
    "     + ((staged) > (sums) + ((shares) ? (counters) : 0) ? (staged) - ((shares) ? (counters) : 0) \\\n"
    "                                                        : (sums)))\n\n"
    "#define CLSORT__RANKED_BYTES(key_bytes) ((key_bytes) == 8 ? 16 : 8)\n\n"
    "#define CLSORT__QUICK_SUMS(group) (CLSORT__SCAN_WORDS(group) + 2)\n\n\n"
    "#define CLSORT__SEGMENTS_AT_OFFSETS 1\n"
    "#define CLSORT__SEGMENTS_IN_RANGES 2\n"
    "#define CLSORT__COUNT_ON_DEVICE 4\n\n"
    "#define CLSORT__ROW_LENGTHS 8\n\n"
    "#define CLSORT__SEGMENTS_HAVE_GAPS 16\n\n"
    "#define CLSORT__RANGE_WORDS 8\n"
    "#define CLSORT__JOB_HEAD 4\n\n\n\n\n"
    "#define CLSORT__PLAN_WORDS 32\n"
    "#define CLSORT__SEEN_WORDS 4\n"
    "#define CLSORT__SWEEP_PASSES 8\n"
    "#define CLSORT__SWEEP_HEAD 64\n\n\n"
    "#define CLSORT__GATE 31\n"
    "#define CLSORT__GATED 4\n"
    "#define CLSORT__MENDS 8\n\n"
    "#define CLSORT__DIGITS_OF(key_bytes, digit_bits) ((8 * (key_bytes) + (digit_bits)-1) / (digit_bits))\n\n\n\n"
    "#define CLSORT__LEAST_COPIES 8\n"
    "#define CLSORT__HISTOGRAM_COPIES(counters, warps) \\\n"
    "    ((warps)              ? 2 \\\n"
    "     : (counters) <= 512  ? 32 \\\n"
    "     : (counters) <= 1024 ? 16 \\\n"
    "                          : CLSORT__LEAST_COPIES)\n"
    "#define CLSORT__COUNTER_MOST 65535\n\n",
    "//---- shared: hybrid radix\n\n\n\n"
    "#define CLSORT__HYBRID_DIGITS 256\n"
    "#define CLSORT__HYBRID_CELLS 16384\n"
    "#define CLSORT__HYBRID_MASK_CELLS 16\n"
    "#define CLSORT__HYBRID_SLICE_LOG2 6\n"
    "#define CLSORT__HYBRID_SAMPLE_LOG2 14\n"
    "#define CLSORT__HYBRID_EVEN_DIGITS 192\n"
    "#define CLSORT__HYBRID_MOST_SLOTS(key_bytes) ((key_bytes) == 8 ? 1024 : 512)\n\n"
    "#define CLSORT__HYBRID_RANGE_WORDS 8\n"
    "#define CLSORT__HYBRID_MASKS_AT 16\n"
    "#define CLSORT__HYBRID_NEXT_AT \\\n"
    "    (CLSORT__HYBRID_MASKS_AT + CLSORT__HYBRID_CELLS / CLSORT__HYBRID_MASK_CELLS)\n"
    "#define CLSORT__HYBRID_RANGES_AT (CLSORT__HYBRID_NEXT_AT + CLSORT__HYBRID_DIGITS)\n"
    "#define CLSORT__HYBRID_SLOTS_AT \\\n"
    "    (CLSORT__HYBRID_RANGES_AT + CLSORT__HYBRID_RANGE_WORDS * CLSORT__HYBRID_DIGITS)\n\n"
    "#define CLSORT__HYBRID_LEAST_GROUP 6\n\n\n\n\n\n"
    "#define CLSORT__HYBRID_COPIES 4\n"
    "#define CLSORT__HYBRID_RECOUNT_TILES 4\n"
    "#define CLSORT__HYBRID_BUCKET_ITEMS(key_bytes) ((key_bytes) == 8 ? 12 : 20)\n"
    "#define CLSORT__HYBRID_OWN_BINS_LOG2 4\n"
    "#define CLSORT__HYBRID_SPARE_BINS 32\n"
    "#define CLSORT__HYBRID_MOST_MENDED 96\n"
    "#define CLSORT__SAMPLES_MOST_MENDED 24\n"
    "#define CLSORT__HYBRID_MOST_TRUSTED 10\n\n\n\n"
    "#define CLSORT__HYBRID_HEAVY_PART 4\n"
    "#define CLSORT__HYBRID_OVER_PART 8\n"
    "#define CLSORT__HYBRID_OVER_TIMES(n) (8 + ((n) >> 22))\n\n"
    "#define CLSORT__HYBRID_FLAT_TIMES 2\n\n\n\n\n"
    "#define CLSORT__CACHED_RANGES 256\n"
    "#define CLSORT__CACHED_CELLS 4096\n"
    "#define CLSORT__CACHED_SAMPLE_LOG2 12\n"
    "#define CLSORT__CACHED_RANGE_LOG2 14\n"
    "#define CLSORT__CACHED_LEAST_RANGES 16\n"
    "#define CLSORT__CACHED_MIXED_AT 16\n"
    "#define CLSORT__CACHED_STARTS_AT (CLSORT__CACHED_MIXED_AT + CLSORT__CACHED_RANGES)\n"
    "#define CLSORT__CACHED_CELLS_AT (CLSORT__CACHED_STARTS_AT + CLSORT__CACHED_RANGES + 1)\n"
    "#define CLSORT__CACHED_WORDS (CLSORT__CACHED_CELLS_AT + CLSORT__CACHED_CELLS / 4)\n\n",
    "//---- shared: quicksort and selections\n\n"
    "#define CLSORT__QUICK_STATE_WORDS 16\n"
    "#define CLSORT__QUICK_SEQUENCE_WORDS 16\n"
    "#define CLSORT__QUICK_BLOCK_WORDS 10\n"
    "#define CLSORT__QUICK_MOST_BLOCKS(S) (2 * (S) + 1)\n"
    "#define CLSORT__QUICK_MOST_LEAVES(S) (8 * (S) + 64)\n"
    "#define CLSORT__QUICK_MOST_LEFTOVERS(S) (CLSORT__QUICK_MOST_LEAVES(S) + (S))\n"
    "#define CLSORT__QUICK_BLOCKS_AT(S) \\\n"
    "    (CLSORT__QUICK_STATE_WORDS + 2 * CLSORT__QUICK_SEQUENCE_WORDS * (S))\n"
    "#define CLSORT__QUICK_LEAVES_AT(S) \\\n"
    "    (CLSORT__QUICK_BLOCKS_AT(S) + CLSORT__QUICK_BLOCK_WORDS * CLSORT__QUICK_MOST_BLOCKS(S))\n"
    "#define CLSORT__QUICK_LEFTOVERS_AT(S) \\\n"
    "    (CLSORT__QUICK_LEAVES_AT(S) + CLSORT__RANGE_WORDS * CLSORT__QUICK_MOST_LEAVES(S))\n\n\n"
    "#define CLSORT__QUICK_SEQUENCES 0\n"
    "#define CLSORT__QUICK_BLOCKS 1\n"
    "#define CLSORT__QUICK_LEAVES 4\n"
    "#define CLSORT__QUICK_LEFT 5\n"
    "#define CLSORT__QUICK_ROUNDS 6\n\n"
    "#define CLSORT__STACK_HEAD 4\n"
    "#define CLSORT__STACK_WORDS (CLSORT__STACK_HEAD + 24 * CLSORT__RANGE_WORDS)\n\n"
    "#define CLSORT__PIVOT_MEDIAN3 1\n"
    "#define CLSORT__PIVOT_MIDRANGE 2\n"
    "#define CLSORT__PIVOT_SAMPLE 3\n"
    "#define CLSORT__SCAN_LOCAL 1\n"
    "#define CLSORT__SCAN_BUILTIN 2\n"
    "#define CLSORT__SCAN_BLELLOCH 3\n\n\n\n"
    "#define CLSORT__SELECT_FIRST 0\n"
    "#define CLSORT__SELECT_NTH 1\n"
    "#define CLSORT__SELECT_UNORDERED 2\n"
    "#define CLSORT__SELECT_PARTITION 3\n\n"
    "#define CLSORT__WRITES_INDICES 1\n"
    "#define CLSORT__WRITES_KEYS 2\n\n\n"
    "#define CLSORT__ROW_COLLECTED 32\n"
    "#define CLSORT__ROW_LIST 48\n\n\n"
    "#define CLSORT__ROW_CANDIDATES 33\n"
    "#define CLSORT__ROW_FAILED 34\n"
    "#define CLSORT__ROW_BOUND 36\n\n\n"
    "#define CLSORT__ROW_DRAWN 40\n"
    "#define CLSORT__ROW_DONE 41\n"
    "#define CLSORT__ROW_ANY_FAILED 42\n\n\n"
    "#define CLSORT__CLUSTER 4\n"
    "#define CLSORT__LISTED 1024\n\n\n\n\n\n"
    "#define CLSORT__FIELD_BYTES 32\n"
    "#define CLSORT__FIELD_SIGN 39\n"
    "#define CLSORT__FIELD_DESCENDING 40\n"
    "#define CLSORT__FIELD_FLOAT 41\n"
    "#define CLSORT__FIELD_EQUAL_ZEROS 42\n"
    "#define CLSORT__FIELD_MANTISSA 43\n"
    "#define CLSORT__FIELD_EQUAL_NANS 49\n"
    "#define CLSORT__FIELD_BIG_ENDIAN 50\n"
    "#define CLSORT__FIELD_FIRST_BIT 51\n"
    "#define CLSORT__FIELD_IGNORED_HIGH_BITS 57\n\n",
    "//---- tuning\n\n"
    "#ifndef CLSORT_KEY_BYTES\n"
    "#define CLSORT_KEY_BYTES 4\n"
    "#endif\n\n\n"
    "#ifndef CLSORT_VALUE_BYTES\n"
    "#define CLSORT_VALUE_BYTES 0\n"
    "#endif\n\n\n"
    "#ifndef CLSORT_RECORDS\n"
    "#define CLSORT_RECORDS 0\n"
    "#endif\n\n"
    "#ifndef CLSORT_BREAK_TIES_BY_INDEX\n"
    "#define CLSORT_BREAK_TIES_BY_INDEX 0\n"
    "#endif\n\n\n"
    "#ifndef CLSORT_COMPARATOR\n"
    "#define CLSORT_COMPARATOR 0\n"
    "#endif\n\n\n"
    "#ifndef CLSORT_RECORD_BYTES\n"
    "#define CLSORT_RECORD_BYTES 4\n"
    "#endif\n"
    "#ifndef CLSORT_INDIRECT\n"
    "#define CLSORT_INDIRECT 0\n"
    "#endif\n\n"
    "#ifndef CLSORT_TWO_ARRAYS\n"
    "#define CLSORT_TWO_ARRAYS 0\n"
    "#endif\n\n"
    "#ifndef CLSORT_GROUP_LOG2\n"
    "#define CLSORT_GROUP_LOG2 8\n"
    "#endif\n\n\n"
    "#ifndef CLSORT_SHARE_LOG2\n"
    "#define CLSORT_SHARE_LOG2 CLSORT_GROUP_LOG2\n"
    "#endif\n\n"
    "#ifndef CLSORT_ITEMS_LOG2\n"
    "#define CLSORT_ITEMS_LOG2 4\n"
    "#endif\n\n"
    "#ifndef CLSORT_FAMILY\n"
    "#define CLSORT_FAMILY CLSORT__FAMILY_BITONIC\n"
    "#endif\n"
    "#define CLSORT_IS(name) (CLSORT_FAMILY == CLSORT__FAMILY_##name)\n"
    "#ifndef __has_builtin\n"
    "#define __has_builtin(name) 0\n"
    "#endif\n\n",
    "//---- tuning: families\n\n"
    "#define CLSORT_NEEDS_RADIX \\\n"
    "    (CLSORT_IS(RADIX) || CLSORT_IS(SWEEP) || CLSORT_IS(PIECES) || CLSORT_IS(CACHED) \\\n"
    "     || CLSORT_IS(PARTITION))\n"
    "#define CLSORT_NEEDS_BINS (CLSORT_IS(HYBRID) || CLSORT_IS(SAMPLES))\n"
    "#define CLSORT_NEEDS_QUICKSORT (CLSORT_IS(QUICKSORT) || CLSORT_IS(RELAUNCH))\n"
    "#define CLSORT_NEEDS_PACKING (CLSORT_IS(SEGMENTS) || CLSORT_IS(ROW_TILES))\n"
    "#define CLSORT_NEEDS_MERGE \\\n"
    "    (CLSORT_IS(MERGE) || CLSORT_IS(PUBLISHED_MERGE) || CLSORT_IS(RUNS) || CLSORT_NEEDS_PACKING)\n"
    "#define CLSORT_NEEDS_PASSES (CLSORT_IS(SELECT) || CLSORT_IS(LONG_ROWS))\n"
    "#define CLSORT_NEEDS_SELECT (CLSORT_NEEDS_PASSES || CLSORT_IS(SHORT_ROWS) || CLSORT_IS(ROW_TILES))\n"
    "#define CLSORT_NEEDS_STAGES (CLSORT_IS(BITONIC) || CLSORT_NEEDS_QUICKSORT)\n"
    "#define CLSORT_NEEDS_WINDOWS \\\n"
    "    (CLSORT_NEEDS_STAGES || CLSORT_IS(PUBLISHED_BITONIC) || CLSORT_IS(BATCH))\n"
    "#define CLSORT_NEEDS_GROUP \\\n"
    "    (CLSORT_IS(RADIX) || CLSORT_IS(SWEEP) || CLSORT_IS(PARTITION) || CLSORT_NEEDS_BINS \\\n"
    "     || CLSORT_NEEDS_QUICKSORT || CLSORT_NEEDS_SELECT || CLSORT_IS(SEGMENTS))\n\n"
    "#define CLSORT_MASKS_IDS \\\n"
    "    (CLSORT_NEEDS_QUICKSORT || (CLSORT_NEEDS_RADIX && CLSORT_KEY_BYTES + CLSORT_VALUE_BYTES > 8))\n\n\n"
    "#ifndef CLSORT_BRANCHES\n"
    "#define CLSORT_BRANCHES 0\n"
    "#endif\n\n"
    "#ifndef CLSORT_LANES\n"
    "#define CLSORT_LANES 1\n"
    "#endif\n\n"
    "#ifndef CLSORT_RANGES\n"
    "#define CLSORT_RANGES 0\n"
    "#endif\n\n"
    "#if CLSORT_KEY_BYTES != 1 && CLSORT_KEY_BYTES != 2 && CLSORT_KEY_BYTES != 4 && CLSORT_KEY_BYTES != 8\n"
    "#error \"CLSORT_KEY_BYTES must be 1, 2, 4 or 8\"\n"
    "#endif\n"
    "#if CLSORT_VALUE_BYTES < 0 || CLSORT_VALUE_BYTES > 16\n"
    "#error \"CLSORT_VALUE_BYTES must be 0 to 16\"\n"
    "#endif\n"
    "#if CLSORT_COMPARATOR && (CLSORT_KEY_BYTES != 1 || !CLSORT_RECORDS)\n"
    "#error \"CLSORT_COMPARATOR needs CLSORT_RECORDS 1 and CLSORT_KEY_BYTES 1\"\n"
    "#endif\n"
    "#if CLSORT_BREAK_TIES_BY_INDEX && (CLSORT_VALUE_BYTES != 4 || CLSORT_RECORDS)\n"
    "#error \"CLSORT_BREAK_TIES_BY_INDEX needs a cl_uint value\"\n"
    "#endif\n"
    "#if CLSORT_GROUP_LOG2 < 0 || CLSORT_GROUP_LOG2 > 13\n"
    "#error \"CLSORT_GROUP_LOG2 must be 0 to 13\"\n"
    "#endif\n"
    "#if CLSORT_SHARE_LOG2 != 0 && CLSORT_SHARE_LOG2 != CLSORT_GROUP_LOG2\n"
    "#error \"CLSORT_SHARE_LOG2 must be 0 or CLSORT_GROUP_LOG2\"\n"
    "#endif\n"
    "#if CLSORT_ITEMS_LOG2 < 0 || CLSORT_ITEMS_LOG2 > 5\n"
    "#error \"CLSORT_ITEMS_LOG2 must be 0 to 5\"\n"
    "#endif\n"
    "#if CLSORT_LANES != 1 && (CLSORT_LANES != 16 || CLSORT_SHARE_LOG2 != 0)\n"
    "#error \"CLSORT_LANES must be 1, or 16 with CLSORT_SHARE_LOG2 0\"\n"
    "#endif\n\n"
    "#define CLSORT_GROUP (1 << CLSORT_GROUP_LOG2)\n"
    "#define CLSORT_ITEMS (1 << CLSORT_ITEMS_LOG2)\n"
    "#define CLSORT_TILE_ITEMS_LOG2 (CLSORT_SHARE_LOG2 + CLSORT_ITEMS_LOG2)\n"
    "#define CLSORT_TILE_ITEMS (1 << CLSORT_TILE_ITEMS_LOG2)\n"
    "#define CLSORT_WORDS ((CLSORT_VALUE_BYTES + 3) / 4)\n"
    "#define CLSORT_WORDS_OR_1 (CLSORT_WORDS + !CLSORT_WORDS)\n\n"
    "#define CLSORT_INLINE static inline __attribute__((always_inline))\n\n"
    "#define CLSORT_CALLED static __attribute__((noinline))\n\n\n"
    "#if CLSORT_LANES == 1\n"
    "#define CLSORT_KERNEL kernel __attribute__((reqd_work_group_size(CLSORT_GROUP, 1, 1)))\n"
    "#else\n"
    "#define CLSORT_KERNEL \\\n"
    "    kernel __attribute__((reqd_work_group_size(CLSORT_GROUP, 1, 1), vec_type_hint(codes_t)))\n"
    "#endif\n\n\n\n\n"
    "CLSORT_INLINE uint local_id(void)\n"
    "{\n"
    "    return (uint)get_local_id(0) & (CLSORT_MASKS_IDS ? CLSORT_GROUP - 1 : ~0u);\n"
    "}\n\n"
    "#define CLSORT_JOIN_(a, b) a##b\n"
    "#define CLSORT_JOIN(a, b) CLSORT_JOIN_(a, b)\n\n",
    "//---- order\n\n\n"
    "CLSORT_INLINE uint ordered_place(global const uchar *indices, uint by_index, uint i, uint n)\n"
    "{\n"
    "    const uint place = by_index ? ((global const uint *)indices)[i] : i;\n"
    "    return place < n ? place : 0;\n"
    "}\n\n\n"
    "CLSORT_INLINE uint ceil_log2(uint n)\n"
    "{\n"
    "    return n > 1 ? 32 - clz(n - 1) : 0;\n"
    "}\n\n\n"
    "CLSORT_INLINE ulong load_bits(global const uchar *place, uint bytes)\n"
    "{\n"
    "    return bytes == 1 ? *place\n"
    "         : bytes == 2 ? *(global const ushort *)place\n"
    "         : bytes == 4 ? *(global const uint *)place : *(global const ulong *)place;\n"
    "}\n\n"
    "CLSORT_INLINE void store_bits(global uchar *place, uint bytes, ulong bits)\n"
    "{\n"
    "    if (bytes == 1) *place = (uchar)bits;\n"
    "    else if (bytes == 2) *(global ushort *)place = (ushort)bits;\n"
    "    else if (bytes == 4) *(global uint *)place = (uint)bits;\n"
    "    else *(global ulong *)place = bits;\n"
    "}\n\n",
    "//---- comparator\n\n\n\n\n",
    "//---- codec\n"
    "#if CLSORT_COMPARATOR\n\n"
    "typedef char\n"
    "    clsort_record_size_is_that_of_the_type[sizeof(clsort_record) == CLSORT_RECORD_BYTES ? 1 : -1];\n"
    "#endif\n"
    "#if CLSORT_KEY_BYTES == 1\n"
    "typedef uchar code_t;\n"
    "#define CLSORT_CODE_NAME uchar\n"
    "#elif CLSORT_KEY_BYTES == 2\n"
    "typedef ushort code_t;\n"
    "#define CLSORT_CODE_NAME ushort\n"
    "#elif CLSORT_KEY_BYTES == 4\n"
    "typedef uint code_t;\n"
    "#define CLSORT_CODE_NAME uint\n"
    "#else\n"
    "typedef ulong code_t;\n"
    "#define CLSORT_CODE_NAME ulong\n"
    "#endif\n\n\n\n"
    "#if CLSORT_LANES == 1\n"
    "#define CLSORT_LANES_LOG2 0\n"
    "typedef code_t codes_t;\n"
    "typedef uint words_t;\n"
    "#define CLSORT_WORD_FLAG(flag) (flag)\n"
    "#else\n"
    "#define CLSORT_LANES_LOG2 4\n"
    "typedef CLSORT_JOIN(CLSORT_CODE_NAME, 16) codes_t;\n"
    "typedef uint16 words_t;\n"
    "#define CLSORT_WORD_FLAG(flag) convert_int16(flag)\n"
    "#endif\n\n\n\n\n\n\n\n"
    "#if CLSORT_COMPARATOR\n\n\n"
    "typedef struct { code_t mask, flip, rotate; global const uchar *records; } codec_t;\n\n"
    "#define CLSORT_CODEC_ARGS \\\n"
    "    ulong mask, ulong flip, ulong rotate, global const uchar *records, ulong records_at\n"
    "#define CLSORT_CODEC { (code_t)mask, (code_t)flip, (code_t)rotate, records + records_at }\n"
    "#else\n"
    "typedef struct { code_t mask, flip, rotate; } codec_t;\n\n"
    "#define CLSORT_CODEC_ARGS ulong mask, ulong flip, ulong rotate\n"
    "#define CLSORT_CODEC { (code_t)mask, (code_t)flip, (code_t)rotate }\n"
    "#endif\n\n"
    "CLSORT_INLINE codes_t toggle_magnitude(codes_t k, code_t mask)\n"
    "{\n"
    "    codes_t sign = (codes_t)(k >> (code_t)(8 * CLSORT_KEY_BYTES - 1));\n"
    "    return (codes_t)(k ^ ((codes_t)(-sign) & mask));\n"
    "}\n\n"
    "CLSORT_INLINE codes_t encode(codes_t k, codec_t c)\n"
    "{\n"
    "    return (codes_t)((codes_t)(toggle_magnitude(k, c.mask) ^ c.flip) - c.rotate);\n"
    "}\n\n"
    "CLSORT_INLINE codes_t decode(codes_t code, codec_t c)\n"
    "{\n"
    "    return toggle_magnitude((codes_t)((codes_t)(code + c.rotate) ^ c.flip), c.mask);\n"
    "}\n\n",
    "//---- record\n\n"
    "typedef struct { global uchar *keys, *values; } array_t;\n\n\n\n"
    "#if CLSORT_RECORDS\n"
    "#define CLSORT_ARRAY_ARGS(name) \\\n"
    "    global uchar *name##_buffer, ulong name##_keys_at, ulong name##_values_at\n"
    "#define CLSORT_ARRAY(name) { name##_buffer + name##_keys_at, name##_buffer + name##_values_at }\n"
    "#elif CLSORT_VALUE_BYTES == 0\n"
    "#define CLSORT_ARRAY_ARGS(name) global uchar *name##_buffer, ulong name##_keys_at\n"
    "#define CLSORT_ARRAY(name) { name##_buffer + name##_keys_at, name##_buffer }\n"
    "#else\n"
    "#define CLSORT_ARRAY_ARGS(name) \\\n"
    "    global uchar *name##_buffer, ulong name##_keys_at, global uchar *name##_buffer_2, \\\n"
    "        ulong name##_values_at\n"
    "#define CLSORT_ARRAY(name) { name##_buffer + name##_keys_at, name##_buffer_2 + name##_values_at }\n"
    "#endif\n\n\n"
    "enum { ARRAY_SOURCE, ARRAY_TARGET, ARRAY_ALT };\n\n"
    "CLSORT_INLINE array_t array_at(uint which, array_t source, array_t target, array_t alt)\n"
    "{\n"
    "    const array_t a = { which == ARRAY_SOURCE   ? source.keys\n"
    "                        : which == ARRAY_TARGET ? target.keys\n"
    "                                                : alt.keys,\n"
    "                        which == ARRAY_SOURCE   ? source.values\n"
    "                        : which == ARRAY_TARGET ? target.values\n"
    "                                                : alt.values };\n"
    "    return a;\n"
    "}\n\n\n"
    "typedef struct {\n"
    "    codes_t key;\n"
    "    words_t word[CLSORT_WORDS_OR_1];\n"
    "} item_t;\n\n\n"
    "#if CLSORT_VALUE_BYTES % 8 == 0\n"
    "typedef ulong unit_t;\n"
    "#define CLSORT_UNIT 8\n"
    "#define CLSORT_UNIT_NAME ulong\n"
    "#elif CLSORT_VALUE_BYTES % 4 == 0\n"
    "typedef uint unit_t;\n"
    "#define CLSORT_UNIT 4\n"
    "#define CLSORT_UNIT_NAME uint\n"
    "#elif CLSORT_VALUE_BYTES % 2 == 0\n"
    "typedef ushort unit_t;\n"
    "#define CLSORT_UNIT 2\n"
    "#define CLSORT_UNIT_NAME ushort\n"
    "#else\n"
    "typedef uchar unit_t;\n"
    "#define CLSORT_UNIT 1\n"
    "#define CLSORT_UNIT_NAME uchar\n"
    "#endif\n\n"
    "CLSORT_INLINE global code_t *key_place(array_t a, size_t i)\n"
    "{\n"
    "    return (global code_t *)(a.keys + i * (CLSORT_RECORDS ? CLSORT_VALUE_BYTES : CLSORT_KEY_BYTES));\n"
    "}\n\n\n"
    "#if CLSORT_UNIT == 1\n"
    "#define CLSORT_LOAD_WORD(from, w) as_uint(vload4(w, from))\n"
    "#define CLSORT_STORE_WORD(word, to, w) vstore4(as_uchar4(word), w, to)\n"
    "#elif CLSORT_UNIT == 2\n"
    "#define CLSORT_LOAD_WORD(from, w) as_uint(vload2(w, from))\n"
    "#define CLSORT_STORE_WORD(word, to, w) vstore2(as_ushort2(word), w, to)\n"
    "#else\n"
    "#define CLSORT_LOAD_WORD(from, w) \\\n"
    "    ((uint)((from)[4 * (w) / CLSORT_UNIT] >> 32 * (w) % (8 * CLSORT_UNIT)))\n"
    "#define CLSORT_STORE_WORD(word, to, w) (to)[w] = word\n"
    "#endif\n\n\n"
    "#define CLSORT_LAST_UNITS (CLSORT_VALUE_BYTES / 4 * 4 / CLSORT_UNIT)\n\n"
    "CLSORT_INLINE void load_words(array_t a, size_t i, uint *word)\n"
    "{\n"
    "    global const unit_t *from = (global const unit_t *)(a.values + i * CLSORT_VALUE_BYTES);\n"
    "    #pragma unroll\n"
    "    for (uint w = 0; w < CLSORT_VALUE_BYTES / 4; w++)\n"
    "        word[w] = CLSORT_LOAD_WORD(from, w);\n"
    "    if (CLSORT_VALUE_BYTES % 4)\n"
    "        word[CLSORT_WORDS_OR_1 - 1] = 0;\n"
    "    #pragma unroll\n"
    "    for (uint u = CLSORT_LAST_UNITS; u < CLSORT_VALUE_BYTES / CLSORT_UNIT; u++)\n"
    "        word[CLSORT_WORDS_OR_1 - 1] |= (uint)from[u] << (u * CLSORT_UNIT % 4 * 8);\n"
    "}\n\n"
    "CLSORT_INLINE void store_words(array_t a, size_t i, const uint *word)\n"
    "{\n"
    "    global unit_t *to = (global unit_t *)(a.values + i * CLSORT_VALUE_BYTES);\n"
    "#if CLSORT_UNIT == 8\n"
    "    #pragma unroll\n"
    "    for (uint u = 0; u < CLSORT_VALUE_BYTES / 8; u++)\n"
    "        to[u] = word[2 * u] | (ulong)word[2 * u + 1] << 32;\n"
    "#else\n"
    "    #pragma unroll\n"
    "    for (uint w = 0; w < CLSORT_VALUE_BYTES / 4; w++)\n"
    "        CLSORT_STORE_WORD(word[w], to, w);\n"
    "    #pragma unroll\n"
    "    for (uint u = CLSORT_LAST_UNITS; u < CLSORT_VALUE_BYTES / CLSORT_UNIT; u++)\n"
    "        to[u] = (unit_t)(word[CLSORT_WORDS_OR_1 - 1] >> (u * CLSORT_UNIT % 4 * 8));\n"
    "#endif\n"
    "}\n\n\n"
    "CLSORT_INLINE item_t top_item(void)\n"
    "{\n"
    "    item_t r;\n"
    "    r.key = (codes_t)(code_t)~(code_t)0;\n"
    "    for (uint w = 0; w < CLSORT_WORDS; w++)\n"
    "        r.word[w] = (words_t)0xFFFFFFFFu;\n"
    "    return r;\n"
    "}\n\n",
    "//---- record: items\n"
    "#if CLSORT_LANES == 1\n\n"
    "CLSORT_INLINE item_t load_whole_item(array_t a, codec_t c, uint i)\n"
    "{\n"
    "    item_t r;\n"
    "    r.key = CLSORT_COMPARATOR ? 0 : encode(*key_place(a, i), c);\n"
    "    load_words(a, i, r.word);\n"
    "    return r;\n"
    "}\n\n\n"
    "CLSORT_INLINE item_t load_item(array_t a, codec_t c, uint i, uint n)\n"
    "{\n"
    "    return i < n ? load_whole_item(a, c, i) : top_item();\n"
    "}\n\n\n"
    "CLSORT_INLINE void store_whole_item(array_t a, codec_t c, uint i, item_t r)\n"
    "{\n"
    "    if (!CLSORT_RECORDS)\n"
    "        *key_place(a, i) = decode(r.key, c);\n"
    "    store_words(a, i, r.word);\n"
    "}\n\n\n"
    "CLSORT_INLINE void store_item(array_t a, codec_t c, uint i, uint n, item_t r)\n"
    "{\n"
    "    if (i < n)\n"
    "        store_whole_item(a, c, i, r);\n"
    "}\n"
    "#else\n\n",
    "//---- record: items of 16\n\n"
    "CLSORT_CALLED void load_lanes(array_t a, uint i, uint lanes, item_t *r)\n"
    "{\n"
    "    code_t key[CLSORT_LANES];\n"
    "    vstore16(r->key, 0, key);\n"
    "    for (uint l = 0; l < lanes; l++)\n"
    "        key[l] = *key_place(a, (size_t)i + l);\n"
    "    r->key = vload16(0, key);\n"
    "    uint word[CLSORT_WORDS_OR_1 * CLSORT_LANES];\n"
    "    for (uint w = 0; w < CLSORT_WORDS; w++)\n"
    "        vstore16(r->word[w], w, word);\n"
    "    for (uint l = 0; l < lanes; l++) {\n"
    "        uint one[CLSORT_WORDS_OR_1];\n"
    "        load_words(a, (size_t)i + l, one);\n"
    "        for (uint w = 0; w < CLSORT_WORDS; w++)\n"
    "            word[w * CLSORT_LANES + l] = one[w];\n"
    "    }\n"
    "    for (uint w = 0; w < CLSORT_WORDS; w++)\n"
    "        r->word[w] = vload16(w, word);\n"
    "}\n\n"
    "CLSORT_CALLED void store_lanes(array_t a, uint i, uint lanes, const item_t *r)\n"
    "{\n"
    "    code_t key[CLSORT_LANES];\n"
    "    vstore16(r->key, 0, key);\n"
    "    if (!CLSORT_RECORDS)\n"
    "        for (uint l = 0; l < lanes; l++)\n"
    "            *key_place(a, (size_t)i + l) = key[l];\n"
    "    uint word[CLSORT_WORDS_OR_1 * CLSORT_LANES];\n"
    "    for (uint w = 0; w < CLSORT_WORDS; w++)\n"
    "        vstore16(r->word[w], w, word);\n"
    "    for (uint l = 0; l < lanes; l++) {\n"
    "        uint one[CLSORT_WORDS_OR_1];\n"
    "        for (uint w = 0; w < CLSORT_WORDS; w++)\n"
    "            one[w] = word[w * CLSORT_LANES + l];\n"
    "        store_words(a, (size_t)i + l, one);\n"
    "    }\n"
    "}\n\n\n"
    "#define CLSORT_ITEMS_DIRECT \\\n"
    "    (!CLSORT_RECORDS && CLSORT_VALUE_BYTES <= 8 \\\n"
    "     && (CLSORT_VALUE_BYTES & (CLSORT_VALUE_BYTES - 1)) == 0)\n\n\n"
    "CLSORT_INLINE item_t load_whole_item(array_t a, codec_t c, uint i)\n"
    "{\n"
    "    item_t r;\n"
    "#if CLSORT_ITEMS_DIRECT\n"
    "    r.key = vload16(0, key_place(a, i));\n"
    "#if CLSORT_WORDS == 1\n"
    "    r.word[0] = convert_uint16(vload16(0, (global const unit_t *)a.values + i));\n"
    "#elif CLSORT_WORDS == 2\n"
    "    ulong16 pair = vload16(0, (global const ulong *)a.values + i);\n"
    "    r.word[0] = convert_uint16(pair);\n"
    "    r.word[1] = convert_uint16(pair >> 32);\n"
    "#endif\n"
    "#else\n"
    "    r = top_item();\n"
    "    load_lanes(a, i, CLSORT_LANES, &r);\n"
    "#endif\n"
    "    r.key = encode(r.key, c);\n"
    "    return r;\n"
    "}\n\n\n"
    "CLSORT_INLINE void store_whole_item(array_t a, codec_t c, uint i, item_t r)\n"
    "{\n"
    "    r.key = decode(r.key, c);\n"
    "#if CLSORT_ITEMS_DIRECT\n"
    "    vstore16(r.key, 0, key_place(a, i));\n"
    "#if CLSORT_WORDS == 1\n"
    "    vstore16(CLSORT_JOIN(convert_, CLSORT_JOIN(CLSORT_UNIT_NAME, 16))(r.word[0]), 0,\n"
    "             (global unit_t *)a.values + i);\n"
    "#elif CLSORT_WORDS == 2\n"
    "    vstore16(convert_ulong16(r.word[0]) | convert_ulong16(r.word[1]) << 32, 0,\n"
    "             (global ulong *)a.values + i);\n"
    "#endif\n"
    "#else\n"
    "    store_lanes(a, i, CLSORT_LANES, &r);\n"
    "#endif\n"
    "}\n\n\n"
    "CLSORT_INLINE item_t load_item(array_t a, codec_t c, uint i, uint n)\n"
    "{\n"
    "    item_t r = top_item();\n"
    "    r.key = decode(r.key, c);\n"
    "    load_lanes(a, i, i < n ? min(n - i, (uint)CLSORT_LANES) : 0, &r);\n"
    "    r.key = encode(r.key, c);\n"
    "    return r;\n"
    "}\n\n\n"
    "CLSORT_INLINE void store_item(array_t a, codec_t c, uint i, uint n, item_t r)\n"
    "{\n"
    "    r.key = decode(r.key, c);\n"
    "    store_lanes(a, i, i < n ? min(n - i, (uint)CLSORT_LANES) : 0, &r);\n"
    "}\n"
    "#endif\n\n",
    "//---- record: order\n"
    "#if !CLSORT_IS(UTILITY)\n"
    "#if CLSORT_COMPARATOR\n\n"
    "CLSORT_INLINE clsort_record record_of(item_t r, codec_t c)\n"
    "{\n"
    "#if CLSORT_INDIRECT\n"
    "    return ((global const clsort_record *)c.records)[r.word[0]];\n"
    "#else\n"
    "    union { uint word[CLSORT_WORDS_OR_1]; clsort_record record; } u;\n"
    "    for (uint w = 0; w < CLSORT_WORDS; w++)\n"
    "        u.word[w] = r.word[w];\n"
    "    return u.record;\n"
    "#endif\n"
    "}\n"
    "#endif\n\n"
    "#if CLSORT_LANES == 1\n\n"
    "CLSORT_INLINE uint comes_before(item_t x, item_t y, codec_t c)\n"
    "{\n"
    "#if CLSORT_COMPARATOR\n"
    "    return x.key < y.key || (!x.key && !y.key && clsort_precedes(record_of(x, c), record_of(y, c)));\n"
    "#else\n"
    "    return x.key < y.key;\n"
    "#endif\n"
    "}\n"
    "#endif\n"
    "#endif\n\n",
    "//---- record: insertion\n"
    "#if CLSORT_LANES == 1 && CLSORT_SHARE_LOG2 == 0 \\\n"
    "    && (CLSORT_IS(MERGE) || CLSORT_IS(PIECES) || CLSORT_IS(CACHED))\n\n\n"
    "#define CLSORT_INSERTION_MOST (CLSORT_IS(MERGE) ? CLSORT_ITEMS : 32)\n\n\n\n"
    "CLSORT_INLINE void insertion_sort(array_t source, array_t target, uint base, uint size, codec_t c)\n"
    "{\n"
    "    item_t v[CLSORT_INSERTION_MOST];\n"
    "    for (uint i = 0; i < size; i++) {\n"
    "        const item_t r = load_whole_item(source, c, base + i);\n"
    "        uint place = i;\n"
    "        for (; place > 0 && comes_before(r, v[place - 1], c); place--)\n"
    "            v[place] = v[place - 1];\n"
    "        v[place] = r;\n"
    "    }\n"
    "    for (uint i = 0; i < size; i++)\n"
    "        store_whole_item(target, c, base + i, v[i]);\n"
    "}\n"
    "#endif\n\n",
    "//---- segments\n\n\n\n\n\n\n\n"
    "#define CLSORT_SEGMENT_ARGS \\\n"
    "    global const uchar *offsets, ulong offsets_at, global const uchar *ends, ulong ends_at, \\\n"
    "        global const uchar *number, ulong number_at, uint segments, uint count, uint stride, \\\n"
    "        uint kind\n"
    "#define CLSORT_SEGMENTS \\\n"
    "    { \\\n"
    "        (global const uint *)(offsets + offsets_at), (global const uint *)(ends + ends_at), \\\n"
    "            (global const uint *)(number + number_at), segments, count, stride, kind \\\n"
    "    }\n"
    "typedef struct {\n"
    "    global const uint *offsets, *ends, *number;\n"
    "    uint segments, count, stride, kind;\n"
    "} segments_t;\n\n\n"
    "typedef struct { uint begin, size; } segment_t;\n\n\n\n"
    "CLSORT_INLINE uint segment_count(segments_t s)\n"
    "{\n"
    "    return s.kind & CLSORT__SEGMENTS_IN_RANGES && s.segments ? min(s.segments, *s.number)\n"
    "                                                             : s.segments;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE segment_t take_segment(segments_t s, uint i)\n"
    "{\n"
    "    const uint most = s.kind & CLSORT__COUNT_ON_DEVICE ? min(s.count, *s.number) : s.count;\n"
    "    segment_t own = { i * s.stride, most };\n"
    "    if (s.kind & CLSORT__SEGMENTS_AT_OFFSETS) {\n"
    "        own.begin = min(s.offsets[i], most);\n"
    "        own.size = max(min(s.ends[i], most), own.begin) - own.begin;\n"
    "    }\n"
    "    if (s.kind & CLSORT__SEGMENTS_IN_RANGES) {\n"
    "        own.begin = s.offsets[CLSORT__RANGE_WORDS * i];\n"
    "        own.size = s.offsets[CLSORT__RANGE_WORDS * i + 1];\n"
    "    }\n"
    "    return own;\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE uint segment_descends(segments_t s, uint i)\n"
    "{\n"
    "    const uint most = s.kind & CLSORT__COUNT_ON_DEVICE ? min(s.count, *s.number) : s.count,\n"
    "               gaps = s.kind & CLSORT__SEGMENTS_HAVE_GAPS;\n"
    "    if (!(s.kind & CLSORT__SEGMENTS_AT_OFFSETS) || (gaps && i + 1 == s.segments))\n"
    "        return 0;\n"
    "    const segment_t own = take_segment(s, i);\n"
    "    return own.begin + own.size > min(s.offsets[i + 1], most);\n"
    "}\n\n\n"
    "CLSORT_INLINE uint find_segment(segments_t s, uint place)\n"
    "{\n"
    "    uint low = 0, high = s.segments;\n"
    "    while (low < high) {\n"
    "        const uint middle = low + (high - low) / 2;\n"
    "        if (take_segment(s, middle).begin < place)\n"
    "            low = middle + 1;\n"
    "        else\n"
    "            high = middle;\n"
    "    }\n"
    "    return low;\n"
    "}\n\n\n"
    "CLSORT_INLINE segment_t segment_around(segments_t s, uint i)\n"
    "{\n"
    "    const segment_t nowhere = { 0, 0 };\n"
    "    const uint after = s.kind & CLSORT__SEGMENTS_AT_OFFSETS ? find_segment(s, i + 1)\n"
    "                                                            : i / s.stride + 1;\n"
    "    const segment_t own = after ? take_segment(s, after - 1) : nowhere;\n"
    "    return i >= own.begin && i - own.begin < own.size ? own : nowhere;\n"
    "}\n\n",
    "//---- segments: jobs\n\n\n\n\n\n\n\n\n\n\n\n"
    "#define CLSORT_JOB_ARGS global uchar *jobs, ulong jobs_at, uint most_jobs, uint per\n"
    "#define CLSORT_JOBS { (global uint *)(jobs + jobs_at), most_jobs, per }\n"
    "typedef struct {\n"
    "    global uint *table;\n"
    "    uint most, per;\n"
    "} jobs_t;\n\n"
    "typedef struct {\n"
    "    segment_t segment;\n"
    "    uint slice, where;\n"
    "} job_t;\n\n\n\n"
    "CLSORT_INLINE segments_t sortable_segments(segments_t s, jobs_t j)\n"
    "{\n"
    "    if (s.kind & CLSORT__SEGMENTS_AT_OFFSETS && s.segments && j.table[2])\n"
    "        s.segments = 0;\n"
    "    return s;\n"
    "}\n\n\n"
    "CLSORT_INLINE uint job_count(jobs_t j, segments_t s)\n"
    "{\n"
    "    return j.per ? s.segments * j.per : s.segments ? min(j.table[0], j.most) : 0;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE uint pass_job_count(jobs_t j, segments_t s, uint pass)\n"
    "{\n"
    "    return j.per || (s.segments && j.table[1] > 1u << pass) ? job_count(j, s) : 0;\n"
    "}\n\n\n"
    "CLSORT_INLINE global uint *job_window(jobs_t j, uint window)\n"
    "{\n"
    "    return j.table + CLSORT__JOB_HEAD + 2 * (size_t)j.most + window;\n"
    "}\n\n"
    "CLSORT_INLINE job_t take_job(jobs_t j, segments_t s, uint i)\n"
    "{\n"
    "    const uint which = j.per ? i / j.per : j.table[CLSORT__JOB_HEAD + 2 * i];\n"
    "    const job_t job = { take_segment(s, which),\n"
    "                        j.per ? i % j.per : j.table[CLSORT__JOB_HEAD + 2 * i + 1],\n"
    "                        s.kind & CLSORT__SEGMENTS_IN_RANGES\n"
    "                            ? s.offsets[CLSORT__RANGE_WORDS * which + 2]\n"
    "                            : ARRAY_SOURCE };\n"
    "    return job;\n"
    "}\n\n\n"
    "CLSORT_INLINE uint segment_passes(segment_t s, uint tile)\n"
    "{\n"
    "    return ceil_log2(s.size ? (s.size - 1) / tile + 1 : 1);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE array_t advance(array_t a, long i)\n"
    "{\n"
    "    a.keys += i * (CLSORT_RECORDS ? CLSORT_VALUE_BYTES : CLSORT_KEY_BYTES);\n"
    "    a.values += i * CLSORT_VALUE_BYTES;\n"
    "    return a;\n"
    "}\n\n",
    "//---- local\n"
    "#if CLSORT_LANES == 1\n\n\n"
    "#define CLSORT_KEY_PAD_LOG2 CLSORT__KEY_PAD_LOG2(CLSORT_KEY_BYTES)\n"
    "#define CLSORT_WORD_SLOTS (CLSORT_TILE_ITEMS + (CLSORT_TILE_ITEMS >> CLSORT__WORD_PAD_LOG2))\n\n"
    "CLSORT_INLINE uint pad_slot(uint i, const uint pad_log2)\n"
    "{\n"
    "    return i + (i >> pad_log2);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE item_t get_item(local const code_t *keys, local const uint *words, uint i)\n"
    "{\n"
    "    item_t r;\n"
    "    r.key = keys[pad_slot(i, CLSORT_KEY_PAD_LOG2)];\n"
    "    for (uint k = 0; k < CLSORT_WORDS; k++)\n"
    "        r.word[k] = words[k * CLSORT_WORD_SLOTS + pad_slot(i, CLSORT__WORD_PAD_LOG2)];\n"
    "    return r;\n"
    "}\n\n"
    "CLSORT_INLINE void put_item(local code_t *keys, local uint *words, uint i, item_t r)\n"
    "{\n"
    "    keys[pad_slot(i, CLSORT_KEY_PAD_LOG2)] = r.key;\n"
    "    for (uint k = 0; k < CLSORT_WORDS; k++)\n"
    "        words[k * CLSORT_WORD_SLOTS + pad_slot(i, CLSORT__WORD_PAD_LOG2)] = r.word[k];\n"
    "}\n"
    "#endif\n\n",
    "//---- group\n"
    "#if CLSORT_NEEDS_GROUP\n\n"
    "#ifndef CLSORT_FORWARD_PROGRESS\n"
    "#define CLSORT_FORWARD_PROGRESS 0\n"
    "#endif\n\n\n"
    "#ifndef CLSORT_TEAM_MOST\n"
    "#define CLSORT_TEAM_MOST 16\n"
    "#endif\n"
    "#define CLSORT_WARPS (CLSORT_FORWARD_PROGRESS && CLSORT_TEAM_MOST == CLSORT__WARP)\n"
    "#define CLSORT_TEAM CLSORT__TEAM(CLSORT_GROUP, CLSORT_TEAM_MOST)\n"
    "#define CLSORT_TEAMS (CLSORT_GROUP / CLSORT_TEAM)\n\n\n"
    "#if CLSORT_GROUP_LOG2 > 0\n"
    "#define group_sync() barrier(CLK_LOCAL_MEM_FENCE)\n"
    "#else\n"
    "#define group_sync()\n"
    "#endif\n\n\n\n"
    "#if CLSORT_FORWARD_PROGRESS\n"
    "CLSORT_INLINE void team_sync(void)\n"
    "{\n"
    "    __asm__ volatile(\"bar.warp.sync 0xffffffff;\" : : : \"memory\");\n"
    "}\n"
    "#else\n"
    "#define team_sync() group_sync()\n"
    "#endif\n\n\n\n\n"
    "CLSORT_INLINE uint group_scan(uint x, local uint *sums)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    uint sum = x, base = 0;\n"
    "    sums[t] = x;\n"
    "    #pragma unroll\n"
    "    for (uint step = 1; step < CLSORT_TEAM; step <<= 1) {\n"
    "        team_sync();\n"
    "        sum += t % CLSORT_TEAM >= step ? sums[base + t - step] : 0;\n"
    "        base ^= CLSORT_GROUP;\n"
    "        sums[base + t] = sum;\n"
    "    }\n"
    "    group_sync();\n"
    "    #pragma unroll\n"
    "    for (uint w = 0; w + 1 < CLSORT_TEAMS; w++)\n"
    "        sum += w < t / CLSORT_TEAM ? sums[base + w * CLSORT_TEAM + CLSORT_TEAM - 1] : 0;\n"
    "    return sum - x;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE uint group_scan_total(uint x, local uint *sums, uint *total)\n"
    "{\n"
    "    const uint before = group_scan(x, sums);\n"
    "    if (local_id() == CLSORT_GROUP - 1)\n"
    "        sums[2 * CLSORT_GROUP] = before + x;\n"
    "    group_sync();\n"
    "    *total = sums[2 * CLSORT_GROUP];\n"
    "    return before;\n"
    "}\n"
    "#endif\n\n",
    "//---- network\n"
    "#if !CLSORT_IS(UTILITY)\n\n"
    "#if CLSORT_BREAK_TIES_BY_INDEX\n"
    "#define CLSORT_PRECEDES(a, b) CLSORT_TIE_BREAK((a).key, (b).key, (a).word[0], (b).word[0])\n"
    "#if CLSORT_LANES == 1\n"
    "#define CLSORT_TIE_BREAK(ka, kb, ia, ib) ((ka) < (kb) || ((ka) == (kb) && (ia) < (ib)))\n"
    "#else\n"
    "#define CLSORT_TIE_BREAK(ka, kb, ia, ib) \\\n"
    "    (((ka) < (kb)) | (((ka) == (kb)) & CLSORT_CODE_FLAG((ia) < (ib))))\n"
    "#if CLSORT_KEY_BYTES == 1\n"
    "#define CLSORT_CODE_FLAG(flag) convert_char16(flag)\n"
    "#elif CLSORT_KEY_BYTES == 2\n"
    "#define CLSORT_CODE_FLAG(flag) convert_short16(flag)\n"
    "#elif CLSORT_KEY_BYTES == 4\n"
    "#define CLSORT_CODE_FLAG(flag) (flag)\n"
    "#else\n"
    "#define CLSORT_CODE_FLAG(flag) convert_long16(flag)\n"
    "#endif\n"
    "#endif\n"
    "#else\n"
    "#define CLSORT_PRECEDES(a, b) ((a).key < (b).key)\n"
    "#endif\n\n\n\n"
    "CLSORT_INLINE void order_items(item_t *a, item_t *b)\n"
    "{\n"
    "#if CLSORT_WORDS == 0\n"
    "    codes_t low = min(a->key, b->key);\n"
    "    b->key = max(a->key, b->key);\n"
    "    a->key = low;\n"
    "#else\n"
    "    const item_t x = *a, y = *b;\n"
    "    a->key = CLSORT_PRECEDES(y, x) ? y.key : x.key;\n"
    "    b->key = CLSORT_PRECEDES(y, x) ? x.key : y.key;\n"
    "    #pragma unroll\n"
    "    for (uint w = 0; w < CLSORT_WORDS; w++) {\n"
    "        a->word[w] = CLSORT_WORD_FLAG(CLSORT_PRECEDES(y, x)) ? y.word[w] : x.word[w];\n"
    "        b->word[w] = CLSORT_WORD_FLAG(CLSORT_PRECEDES(y, x)) ? x.word[w] : y.word[w];\n"
    "    }\n"
    "#endif\n"
    "}\n\n"
    "#if CLSORT_LANES == 1\n"
    "#define CLSORT_REVERSE(item)\n"
    "#define lane_steps(v, items, stage)\n"
    "#else\n"
    "#define CLSORT_SWIZZLE_ITEM(to, from, s) \\\n"
    "    do { \\\n"
    "        (to).key = (from).key.s; \\\n"
    "        for (uint w = 0; w < CLSORT_WORDS; w++) (to).word[w] = (from).word[w].s; \\\n"
    "    } while (0)\n"
    "#define CLSORT_REVERSE(item) CLSORT_SWIZZLE_ITEM(item, item, sfedcba9876543210)\n\n\n\n"
    "CLSORT_INLINE item_t order_lanes(item_t own, item_t other, codes_t upper)\n"
    "{\n"
    "#if CLSORT_WORDS == 0\n"
    "    own.key = upper != (codes_t)0 ? max(own.key, other.key) : min(own.key, other.key);\n"
    "#else\n"
    "    const item_t x = own;\n"
    "#define CLSORT_TAKES (upper != (codes_t)0 ? CLSORT_PRECEDES(x, other) : CLSORT_PRECEDES(other, x))\n"
    "    own.key = CLSORT_TAKES ? other.key : x.key;\n"
    "    for (uint w = 0; w < CLSORT_WORDS; w++)\n"
    "        own.word[w] = CLSORT_WORD_FLAG(CLSORT_TAKES) ? other.word[w] : x.word[w];\n"
    "#undef CLSORT_TAKES\n"
    "#endif\n"
    "    return own;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void lane_steps(item_t *v, uint items, uint stage)\n"
    "{\n"
    "    const codes_t lane = (codes_t)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);\n"
    "#define CLSORT_LANE_STEP(swizzle, bit) \\\n"
    "    { \\\n"
    "        item_t other; \\\n"
    "        CLSORT_SWIZZLE_ITEM(other, r, swizzle); \\\n"
    "        r = order_lanes(r, other, lane & (code_t)(1 << bit)); \\\n"
    "    }\n"
    "    for (uint m = 0; m < items; m++) {\n"
    "        item_t r = v[m];\n"
    "        if (stage == 3) CLSORT_LANE_STEP(sfedcba9876543210, 3)\n"
    "        if (stage > 3)  CLSORT_LANE_STEP(s89abcdef01234567, 3)\n"
    "        if (stage == 2) CLSORT_LANE_STEP(s76543210fedcba98, 2)\n"
    "        if (stage > 2)  CLSORT_LANE_STEP(s45670123cdef89ab, 2)\n"
    "        if (stage == 1) CLSORT_LANE_STEP(s32107654ba98fedc, 1)\n"
    "        if (stage > 1)  CLSORT_LANE_STEP(s23016745ab89efcd, 1)\n"
    "        CLSORT_LANE_STEP(s1032547698badcfe, 0)\n"
    "        v[m] = r;\n"
    "    }\n"
    "#undef CLSORT_LANE_STEP\n"
    "}\n"
    "#endif\n\n",
    "//---- network: steps\n\n\n"
    "CLSORT_INLINE void window_step(item_t *v, const uint bits, const uint bit, uint mirror)\n"
    "{\n"
    "    if (mirror) {\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < 1u << bits; m++)\n"
    "            if (!(m >> bit & 1)) {\n"
    "                CLSORT_REVERSE(v[m ^ ((2u << bit) - 1)]);\n"
    "                order_items(&v[m], &v[m ^ ((2u << bit) - 1)]);\n"
    "                CLSORT_REVERSE(v[m ^ ((2u << bit) - 1)]);\n"
    "            }\n"
    "    } else {\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < 1u << bits; m++)\n"
    "            if (!(m >> bit & 1))\n"
    "                order_items(&v[m], &v[m | 1u << bit]);\n"
    "    }\n"
    "}\n\n\n"
    "CLSORT_INLINE void window_steps(item_t *v, const uint bits, uint hi, uint lo, uint mirror)\n"
    "{\n"
    "    if (bits > 4 && hi >= 4 && lo <= 4) window_step(v, bits, 4, mirror && hi == 4);\n"
    "    if (bits > 3 && hi >= 3 && lo <= 3) window_step(v, bits, 3, mirror && hi == 3);\n"
    "    if (bits > 2 && hi >= 2 && lo <= 2) window_step(v, bits, 2, mirror && hi == 2);\n"
    "    if (bits > 1 && hi >= 1 && lo <= 1) window_step(v, bits, 1, mirror && hi == 1);\n"
    "    if (lo == 0) window_step(v, bits, 0, mirror && hi == 0);\n"
    "}\n"
    "#endif\n\n",
    "//---- window: items\n"
    "#if CLSORT_NEEDS_WINDOWS\n\n\n\n"
    "typedef struct { uint first, flipped, low_bit, flip; } window_t;\n\n"
    "CLSORT_INLINE window_t make_window(uint t, uint bits, uint low_bit, uint flip)\n"
    "{\n"
    "    const uint below = (1u << low_bit) - 1,\n"
    "               first = (t >> low_bit << (low_bit + bits)) | (t & below);\n"
    "    const window_t w = { first, first ^ below, low_bit, flip };\n"
    "    return w;\n"
    "}\n\n"
    "CLSORT_INLINE uint window_item(window_t w, uint m)\n"
    "{\n"
    "    return (m & w.flip ? w.flipped : w.first) + (m << w.low_bit);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE uint window_whole(window_t w, uint bits, uint base, uint n)\n"
    "{\n"
    "    const uint last = max(w.first, w.flipped) + (((1u << bits) - 1) << w.low_bit);\n"
    "    return base + (last << CLSORT_LANES_LOG2) + (CLSORT_LANES - 1) < n;\n"
    "}\n\n",
    "//---- window: loads and stores\n\n\n\n\n\n"
    "CLSORT_INLINE void load_window(item_t *v, window_t w, const uint bits, array_t a, codec_t c,\n"
    "                               uint base, uint n)\n"
    "{\n"
    "    if (window_whole(w, bits, base, n)) {\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < 1u << bits; m++)\n"
    "            v[m] = load_whole_item(a, c, base + (window_item(w, m) << CLSORT_LANES_LOG2));\n"
    "    } else {\n"
    "        codes_t keys[32];\n"
    "        words_t words[32 * CLSORT_WORDS_OR_1];\n"
    "        #pragma unroll 1\n"
    "        for (uint m = 0; m < 1u << bits; m++) {\n"
    "            const item_t r = load_item(a, c, base + (window_item(w, m) << CLSORT_LANES_LOG2), n);\n"
    "            keys[m] = r.key;\n"
    "            for (uint k = 0; k < CLSORT_WORDS; k++)\n"
    "                words[m * CLSORT_WORDS + k] = r.word[k];\n"
    "        }\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < 1u << bits; m++) {\n"
    "            v[m].key = keys[m];\n"
    "            for (uint k = 0; k < CLSORT_WORDS; k++)\n"
    "                v[m].word[k] = words[m * CLSORT_WORDS + k];\n"
    "        }\n"
    "    }\n"
    "}\n\n"
    "CLSORT_INLINE void store_window(const item_t *v, window_t w, const uint bits, array_t a, codec_t c,\n"
    "                                uint base, uint n)\n"
    "{\n"
    "    if (window_whole(w, bits, base, n)) {\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < 1u << bits; m++)\n"
    "            store_whole_item(a, c, base + (window_item(w, m) << CLSORT_LANES_LOG2), v[m]);\n"
    "    } else {\n"
    "        codes_t keys[32];\n"
    "        words_t words[32 * CLSORT_WORDS_OR_1];\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < 1u << bits; m++) {\n"
    "            keys[m] = v[m].key;\n"
    "            for (uint k = 0; k < CLSORT_WORDS; k++)\n"
    "                words[m * CLSORT_WORDS + k] = v[m].word[k];\n"
    "        }\n"
    "        #pragma unroll 1\n"
    "        for (uint m = 0; m < 1u << bits; m++) {\n"
    "            item_t r;\n"
    "            r.key = keys[m];\n"
    "            for (uint k = 0; k < CLSORT_WORDS; k++)\n"
    "                r.word[k] = words[m * CLSORT_WORDS + k];\n"
    "            store_item(a, c, base + (window_item(w, m) << CLSORT_LANES_LOG2), n, r);\n"
    "        }\n"
    "    }\n"
    "}\n\n"
    "#if CLSORT_LANES == 1 && (CLSORT_IS(PUBLISHED_BITONIC) || CLSORT_IS(BATCH))\n\n\n"
    "CLSORT_INLINE void order_elements(array_t from, array_t to, codec_t c, uint n, uint i, uint j)\n"
    "{\n"
    "    item_t a = load_item(from, c, i, n), b = load_item(from, c, j, n);\n"
    "    order_items(&a, &b);\n"
    "    store_item(to, c, i, n, a);\n"
    "    store_item(to, c, j, n, b);\n"
    "}\n\n\n"
    "CLSORT_INLINE uint pairs_below(uint n, uint bit)\n"
    "{\n"
    "    return (n >> bit >> 1 << bit) + min(n & ((2u << bit) - 1), 1u << bit);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void global_step(array_t from, array_t to, codec_t c, uint n, uint bit, uint mirror)\n"
    "{\n"
    "    for (uint t = local_id(); t < pairs_below(n, bit); t += CLSORT_GROUP) {\n"
    "        const window_t w = make_window(t, 1, bit, mirror);\n"
    "        order_elements(from, to, c, n, window_item(w, 0), window_item(w, 1));\n"
    "    }\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "}\n"
    "#endif\n\n\n\n\n"
    "CLSORT_INLINE void window_pass(array_t a, codec_t c, uint n, uint windows, uint low_bit, uint hi,\n"
    "                               uint lo, uint mirror, const uint bits)\n"
    "{\n"
    "    const uint t = (uint)get_global_id(0);\n"
    "    const window_t w = make_window(t, bits, low_bit, mirror ? 1u << hi : 0);\n"
    "    item_t v[16];\n"
    "    if (t >= windows)\n"
    "        return;\n"
    "    load_window(v, w, bits, a, c, 0, n);\n"
    "    window_steps(v, bits, hi, lo, mirror);\n"
    "    store_window(v, w, bits, a, c, 0, n);\n"
    "}\n\n"
    "#define CLSORT_WINDOW_KERNEL(name, bits) \\\n"
    "    CLSORT_KERNEL void name(CLSORT_ARRAY_ARGS(data), CLSORT_CODEC_ARGS, uint n, uint windows, \\\n"
    "                            uint low_bit, uint hi, uint lo, uint mirror) \\\n"
    "    { \\\n"
    "        const array_t data = CLSORT_ARRAY(data); \\\n"
    "        const codec_t codec = CLSORT_CODEC; \\\n"
    "        window_pass(data, codec, n, windows, low_bit, hi, lo, mirror, bits); \\\n"
    "    }\n"
    "#endif\n\n",
    "//---- window: slots\n"
    "#if CLSORT_NEEDS_STAGES\n"
    "#if CLSORT_SHARE_LOG2 > 0\n\n\n"
    "typedef struct { uint first, bit0, bit1, bit2, bit3, bit4; } slots_t;\n\n"
    "CLSORT_INLINE uint slot_stride(window_t w, uint bit, const uint pad_log2)\n"
    "{\n"
    "    return pad_slot(1u << (w.low_bit + bit), pad_log2)\n"
    "         + (w.flip >> bit & 1 ? pad_slot(w.flipped, pad_log2) - pad_slot(w.first, pad_log2) : 0);\n"
    "}\n\n"
    "CLSORT_INLINE slots_t window_slots(window_t w, const uint pad_log2)\n"
    "{\n"
    "    const slots_t s = { pad_slot(w.first, pad_log2), slot_stride(w, 0, pad_log2),\n"
    "                        slot_stride(w, 1, pad_log2), slot_stride(w, 2, pad_log2),\n"
    "                        slot_stride(w, 3, pad_log2), slot_stride(w, 4, pad_log2) };\n"
    "    return s;\n"
    "}\n\n"
    "CLSORT_INLINE uint window_slot(slots_t s, const uint m)\n"
    "{\n"
    "    return s.first + (m & 16 ? s.bit4 : 0) + (m & 8 ? s.bit3 : 0) + (m & 4 ? s.bit2 : 0)\n"
    "           + (m & 2 ? s.bit1 : 0) + (m & 1 ? s.bit0 : 0);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void put_items(const item_t *v, local code_t *keys, local uint *words, window_t w)\n"
    "{\n"
    "    const slots_t key_slots = window_slots(w, CLSORT_KEY_PAD_LOG2),\n"
    "                  word_slots = window_slots(w, CLSORT__WORD_PAD_LOG2);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++) {\n"
    "        keys[window_slot(key_slots, m)] = v[m].key;\n"
    "        #pragma unroll\n"
    "        for (uint k = 0; k < CLSORT_WORDS; k++)\n"
    "            words[k * CLSORT_WORD_SLOTS + window_slot(word_slots, m)] = v[m].word[k];\n"
    "    }\n"
    "}\n\n"
    "CLSORT_INLINE void get_items(item_t *v, local const code_t *keys, local const uint *words,\n"
    "                             window_t w)\n"
    "{\n"
    "    const slots_t key_slots = window_slots(w, CLSORT_KEY_PAD_LOG2),\n"
    "                  word_slots = window_slots(w, CLSORT__WORD_PAD_LOG2);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++) {\n"
    "        v[m].key = keys[window_slot(key_slots, m)];\n"
    "        #pragma unroll\n"
    "        for (uint k = 0; k < CLSORT_WORDS; k++)\n"
    "            v[m].word[k] = words[k * CLSORT_WORD_SLOTS + window_slot(word_slots, m)];\n"
    "    }\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE void move_window(item_t *v, local code_t *keys, local uint *words, window_t from,\n"
    "                               window_t to)\n"
    "{\n"
    "    put_items(v, keys, words, from);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    get_items(v, keys, words, to);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n"
    "#else\n"
    "#define move_window(v, keys, words, from, to)\n"
    "#endif\n\n",
    "//---- window: stages\n\n"
    "typedef struct { uint t, base; } seat_t;\n\n"
    "CLSORT_INLINE seat_t take_seat(void)\n"
    "{\n"
    "    const uint t = CLSORT_SHARE_LOG2 ? local_id() : 0;\n"
    "    const uint tile = (uint)(CLSORT_SHARE_LOG2 ? get_group_id(0) : get_global_id(0));\n"
    "    const seat_t s = { t, tile << (CLSORT_TILE_ITEMS_LOG2 + CLSORT_LANES_LOG2) };\n"
    "    return s;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE uint no_tile(uint n)\n"
    "{\n"
    "    return CLSORT_SHARE_LOG2 == 0\n"
    "           && (n == 0\n"
    "               || get_global_id(0) > (n - 1) >> (CLSORT_TILE_ITEMS_LOG2 + CLSORT_LANES_LOG2));\n"
    "}\n\n\n\n"
    "#define CLSORT_HOME_BIT (CLSORT_TILE_ITEMS_LOG2 - CLSORT_ITEMS_LOG2)\n\n\n\n"
    "CLSORT_INLINE window_t tile_window(uint t, uint low_bit, uint hi, uint mirror)\n"
    "{\n"
    "    low_bit = min(low_bit, (uint)CLSORT_HOME_BIT);\n"
    "    return make_window(t, CLSORT_ITEMS_LOG2, low_bit, mirror && low_bit ? 1u << (hi - low_bit) : 0);\n"
    "}\n\n\n\n\n\n\n"
    "CLSORT_INLINE window_t tile_stage(item_t *v, local code_t *keys, local uint *words, uint t,\n"
    "                                  window_t now, uint stage)\n"
    "{\n"
    "    uint hi = stage;\n"
    "    uint windows = CLSORT_SHARE_LOG2 ? stage / CLSORT_ITEMS_LOG2 + 1 : 1;\n"
    "    for (; windows > 0; windows--) {\n"
    "        const uint low = (windows - 1) * CLSORT_ITEMS_LOG2, mirror = hi == stage;\n"
    "        const window_t next = tile_window(t, low, hi, mirror);\n"
    "        move_window(v, keys, words, now, next);\n"
    "        window_steps(v, CLSORT_ITEMS_LOG2, hi - next.low_bit, low - next.low_bit, mirror);\n"
    "        now = next;\n"
    "        hi = low - 1;\n"
    "    }\n"
    "    return now;\n"
    "}\n"
    "#endif\n\n",
#ifndef CLSORT_NO_BITONIC
    "//---- bitonic: tile\n"
    "#if CLSORT_IS(BITONIC)\n"
    "CLSORT_WINDOW_KERNEL(clsort_bitonic_b16, 4)\n\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_bitonic_tile(CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target),\n"
    "                                       CLSORT_CODEC_ARGS, uint n, uint last,\n"
    "                                       local code_t *tile_keys, local uint *tile_words)\n"
    "{\n"
    "    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const seat_t seat = take_seat();\n"
    "    const window_t home = tile_window(seat.t, CLSORT_HOME_BIT, 0, 0);\n"
    "    window_t now = home;\n"
    "    item_t v[CLSORT_ITEMS];\n"
    "    if (no_tile(n))\n"
    "        return;\n"
    "    load_window(v, home, CLSORT_ITEMS_LOG2, source, codec, seat.base, n);\n"
    "    for (uint stage = 0; stage < CLSORT_LANES_LOG2; stage++)\n"
    "        lane_steps(v, CLSORT_ITEMS, stage);\n"
    "    for (uint stage = CLSORT_LANES_LOG2; stage <= last; stage++) {\n"
    "        now = tile_stage(v, tile_keys, tile_words, seat.t, now, stage - CLSORT_LANES_LOG2);\n"
    "        lane_steps(v, CLSORT_ITEMS, stage);\n"
    "    }\n"
    "    move_window(v, tile_keys, tile_words, now, home);\n"
    "    store_window(v, home, CLSORT_ITEMS_LOG2, target, codec, seat.base, n);\n"
    "}\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_bitonic_tail(CLSORT_ARRAY_ARGS(data), CLSORT_CODEC_ARGS, uint n,\n"
    "                                       local code_t *tile_keys, local uint *tile_words)\n"
    "{\n"
    "    const array_t data = CLSORT_ARRAY(data);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const seat_t seat = take_seat();\n"
    "    const window_t home = tile_window(seat.t, CLSORT_HOME_BIT, 0, 0);\n"
    "    window_t now = home;\n"
    "    item_t v[CLSORT_ITEMS];\n"
    "    if (no_tile(n))\n"
    "        return;\n"
    "    load_window(v, home, CLSORT_ITEMS_LOG2, data, codec, seat.base, n);\n"
    "    for (uint left = CLSORT_TILE_ITEMS_LOG2; left > 0;) {\n"
    "        window_steps(v, CLSORT_ITEMS_LOG2, left - 1 - now.low_bit, 0, 0);\n"
    "        left = now.low_bit;\n"
    "        const window_t next = tile_window(\n"
    "            seat.t, left ? left - min(left, (uint)CLSORT_ITEMS_LOG2) : CLSORT_HOME_BIT, 0, 0);\n"
    "        move_window(v, tile_keys, tile_words, now, next);\n"
    "        now = next;\n"
    "    }\n"
    "    lane_steps(v, CLSORT_ITEMS, 32);\n"
    "    store_window(v, home, CLSORT_ITEMS_LOG2, data, codec, seat.base, n);\n"
    "}\n\n"
    "#endif\n\n",
#ifndef CLSORT_NO_PUBLISHED
    "//---- bitonic: published\n"
    "#if CLSORT_IS(PUBLISHED_BITONIC)\n"
    "CLSORT_WINDOW_KERNEL(clsort_bitonic_b2, 1)\n"
    "CLSORT_WINDOW_KERNEL(clsort_bitonic_b4, 2)\n"
    "CLSORT_WINDOW_KERNEL(clsort_bitonic_b8, 3)\n\n"
    "#if CLSORT_LANES == 1\n\n\n\n"
    "CLSORT_KERNEL void clsort_bitonic_a(CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target),\n"
    "                                    CLSORT_CODEC_ARGS, uint n, uint bit, uint mirror)\n"
    "{\n"
    "    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const uint i = (uint)get_global_id(0), partner = i ^ (mirror ? (2u << bit) - 1 : 1u << bit);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    item_t own = load_item(source, codec, i, n), other = load_item(source, codec, partner, n);\n"
    "    if (i < partner)\n"
    "        order_items(&own, &other);\n"
    "    else\n"
    "        order_items(&other, &own);\n"
    "    store_item(target, codec, i, n, own);\n"
    "}\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_bitonic_global_tile(CLSORT_ARRAY_ARGS(data), CLSORT_CODEC_ARGS, uint n,\n"
    "                                              uint first, uint last)\n"
    "{\n"
    "    const array_t data = CLSORT_ARRAY(data);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const uint tile_log2 = CLSORT_GROUP_LOG2 + CLSORT_ITEMS_LOG2,\n"
    "               base = (uint)get_group_id(0) << tile_log2,\n"
    "               size = min(n - min(base, n), 1u << tile_log2);\n"
    "    const array_t tile = advance(data, base);\n"
    "    for (uint stage = first; stage <= last; stage++)\n"
    "        for (uint left = min(stage + 1, tile_log2); left > 0; left--)\n"
    "            global_step(tile, tile, codec, size, left - 1, left > stage);\n"
    "}\n"
    "#endif\n"
    "#endif\n\n",
    "//---- bitonic: published batch\n\n\n\n\n\n\n\n\n\n\n\n"
    "#if CLSORT_IS(BATCH) && CLSORT_LANES == 1\n\n"
    "CLSORT_INLINE uint batch_stages(uint n)\n"
    "{\n"
    "    return max(ceil_log2(n), 1u);\n"
    "}\n\n\n"
    "CLSORT_INLINE array_t batch_row(array_t a, uint stride)\n"
    "{\n"
    "    return advance(a, (long)((uint)get_group_id(0) * stride));\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void odd_even_step(array_t from, array_t to, codec_t c, uint n, uint bit, uint stage)\n"
    "{\n"
    "    const uint start = bit < stage ? 1u << bit : 0;\n"
    "    for (uint t = local_id(); t < pairs_below(n, bit); t += CLSORT_GROUP) {\n"
    "        const uint i = make_window(t, 1, bit, 0).first + start, j = i + (1u << bit);\n"
    "        if ((j & ((2u << stage) - 1)) >> bit)\n"
    "            order_elements(from, to, c, n, i, j);\n"
    "    }\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "}\n\n\n"
    "CLSORT_INLINE void batch_steps(array_t row, codec_t c, uint n, uint stage, uint low)\n"
    "{\n"
    "    for (uint left = stage + 1; left > low; left--)\n"
    "        global_step(row, row, c, n, left - 1, left > stage);\n"
    "}\n\n",
    "//---- bitonic: published batch in global memory\n"
    "CLSORT_KERNEL void clsort_batch_odd_even(CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target),\n"
    "                                         CLSORT_CODEC_ARGS, uint n, uint stride)\n"
    "{\n"
    "    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);\n"
    "    const array_t from = batch_row(source, stride), to = batch_row(target, stride);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const uint stages = batch_stages(n);\n"
    "    for (uint stage = 0; stage < stages; stage++)\n"
    "        for (uint left = stage + 1; left > 0; left--)\n"
    "            odd_even_step(stage ? to : from, to, codec, n, left - 1, stage);\n"
    "}\n\n"
    "CLSORT_KERNEL void clsort_batch_bitonic(CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target),\n"
    "                                        CLSORT_CODEC_ARGS, uint n, uint stride)\n"
    "{\n"
    "    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);\n"
    "    const array_t from = batch_row(source, stride), to = batch_row(target, stride);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const uint stages = batch_stages(n);\n"
    "    global_step(from, to, codec, n, 0, 1);\n"
    "    for (uint stage = 1; stage < stages; stage++)\n"
    "        batch_steps(to, codec, n, stage, 0);\n"
    "}\n\n",
    "//---- bitonic: published batch blocks\n\n\n"
    "CLSORT_INLINE void block_stages(local code_t *keys, local uint *words, uint first, uint last)\n"
    "{\n"
    "    for (uint stage = first; stage <= last; stage++)\n"
    "        for (uint left = min(stage + 1, (uint)CLSORT_TILE_ITEMS_LOG2); left > 0; left--) {\n"
    "            barrier(CLK_LOCAL_MEM_FENCE);\n"
    "            for (uint t = local_id(); t < CLSORT_TILE_ITEMS / 2; t += CLSORT_GROUP) {\n"
    "                const window_t w = make_window(t, 1, left - 1, left > stage);\n"
    "                const uint i = window_item(w, 0), j = window_item(w, 1);\n"
    "                item_t a = get_item(keys, words, i), b = get_item(keys, words, j);\n"
    "                order_items(&a, &b);\n"
    "                put_item(keys, words, i, a);\n"
    "                put_item(keys, words, j, b);\n"
    "            }\n"
    "        }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void load_block(local code_t *keys, local uint *words, array_t a, codec_t c,\n"
    "                              uint base, uint n)\n"
    "{\n"
    "    for (uint i = local_id(); i < CLSORT_TILE_ITEMS; i += CLSORT_GROUP)\n"
    "        put_item(keys, words, i, load_item(a, c, base + i, n));\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void store_block(local const code_t *keys, local const uint *words, array_t a,\n"
    "                               codec_t c, uint base, uint n)\n"
    "{\n"
    "    for (uint i = local_id(); i < CLSORT_TILE_ITEMS; i += CLSORT_GROUP)\n"
    "        store_item(a, c, base + i, n, get_item(keys, words, i));\n"
    "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
    "}\n\n\n"
    "CLSORT_INLINE void batch_blocks(array_t from, array_t to, codec_t c, uint n, uint first, uint last,\n"
    "                                local code_t *keys, local uint *words)\n"
    "{\n"
    "    const uint blocks = n ? ((n - 1) >> CLSORT_TILE_ITEMS_LOG2) + 1 : 0;\n"
    "    for (uint k = 0; k < blocks; k++) {\n"
    "        load_block(keys, words, from, c, k << CLSORT_TILE_ITEMS_LOG2, n);\n"
    "        block_stages(keys, words, first, last);\n"
    "        store_block(keys, words, to, c, k << CLSORT_TILE_ITEMS_LOG2, n);\n"
    "    }\n"
    "}\n\n",
    "//---- bitonic: published batch local\n\n\n\n"
    "CLSORT_INLINE void split_blocks(array_t row, codec_t c, uint n, uint stage, local code_t *keys,\n"
    "                                local uint *words)\n"
    "{\n"
    "    const uint mirror = stage == CLSORT_TILE_ITEMS_LOG2 ? CLSORT_TILE_ITEMS - 1 : 0,\n"
    "               lid = local_id();\n"
    "    const uint pairs = ((n - 1) >> CLSORT_TILE_ITEMS_LOG2 >> 1) + 1;\n"
    "    item_t upper[CLSORT_ITEMS];\n"
    "    for (uint k = 0; k < pairs; k++) {\n"
    "        const uint low = k << 1 << CLSORT_TILE_ITEMS_LOG2, high = low + CLSORT_TILE_ITEMS;\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_ITEMS; m++) {\n"
    "            const uint i = m * CLSORT_GROUP + lid;\n"
    "            item_t lower = load_item(row, c, low + i, n);\n"
    "            upper[m] = load_item(row, c, high + (i ^ mirror), n);\n"
    "            order_items(&lower, &upper[m]);\n"
    "            put_item(keys, words, i, lower);\n"
    "        }\n"
    "        block_stages(keys, words, stage, stage);\n"
    "        store_block(keys, words, row, c, low, n);\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_ITEMS; m++)\n"
    "            put_item(keys, words, (m * CLSORT_GROUP + lid) ^ mirror, upper[m]);\n"
    "        block_stages(keys, words, stage, stage);\n"
    "        store_block(keys, words, row, c, high, n);\n"
    "    }\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE void batch_in_blocks(array_t from, array_t to, codec_t c, uint n, const uint splits,\n"
    "                                   local code_t *keys, local uint *words)\n"
    "{\n"
    "    const uint stages = batch_stages(n);\n"
    "    batch_blocks(from, to, c, n, 0, min(stages, (uint)CLSORT_TILE_ITEMS_LOG2) - 1, keys, words);\n"
    "    for (uint stage = CLSORT_TILE_ITEMS_LOG2; stage < stages; stage++) {\n"
    "        batch_steps(to, c, n, stage, CLSORT_TILE_ITEMS_LOG2 + splits);\n"
    "        if (splits)\n"
    "            split_blocks(to, c, n, stage, keys, words);\n"
    "        else\n"
    "            batch_blocks(to, to, c, n, stage, stage, keys, words);\n"
    "    }\n"
    "}\n\n\n"
    "CLSORT_KERNEL void clsort_batch_local(CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target),\n"
    "                                      CLSORT_CODEC_ARGS, uint n, uint stride,\n"
    "                                      local code_t *block_keys, local uint *block_words)\n"
    "{\n"
    "    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);\n"
    "    const array_t from = batch_row(source, stride), to = batch_row(target, stride);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    batch_in_blocks(from, to, codec, n, 0, block_keys, block_words);\n"
    "}\n\n"
    "CLSORT_KERNEL void clsort_batch_split(CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target),\n"
    "                                      CLSORT_CODEC_ARGS, uint n, uint stride,\n"
    "                                      local code_t *block_keys, local uint *block_words)\n"
    "{\n"
    "    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);\n"
    "    const array_t from = batch_row(source, stride), to = batch_row(target, stride);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    batch_in_blocks(from, to, codec, n, 1, block_keys, block_words);\n"
    "}\n"
    "#endif\n\n",
#else
    "#line 1866\n",
#endif
#else
    "#line 1866\n",
#endif
#ifndef CLSORT_NO_MERGE
    "//---- merge\n"
    "#if CLSORT_NEEDS_MERGE\n\n\n\n"
    "typedef struct {\n"
    "    array_t a, b;\n"
    "    uint start, first_a, na, first_b, nb;\n"
    "} pair_t;\n\n\n\n"
    "CLSORT_INLINE pair_t find_pair(array_t a, array_t b, uint i, uint n, uint run, uint span)\n"
    "{\n"
    "    const uint start = i & ~span, size = start < n ? min(n - start - 1, span) + 1 : 0,\n"
    "               na = min(size, run);\n"
    "    const pair_t p = { a, b, start, start, na, CLSORT_TWO_ARRAYS ? start : start + run, size - na };\n"
    "    return p;\n"
    "}\n\n\n"
    "CLSORT_INLINE uint second_first(pair_t p, uint x, uint y, codec_t c)\n"
    "{\n"
    "#if CLSORT_LANES == 1\n"
    "    return comes_before(load_whole_item(p.b, c, p.first_b + y),\n"
    "                        load_whole_item(p.a, c, p.first_a + x), c);\n"
    "#else\n"
    "    const code_t key_x = encode((codes_t)*key_place(p.a, p.first_a + x), c).s0,\n"
    "                 key_y = encode((codes_t)*key_place(p.b, p.first_b + y), c).s0;\n"
    "    uint word_x[CLSORT_WORDS_OR_1], word_y[CLSORT_WORDS_OR_1];\n"
    "    load_words(p.a, p.first_a + x, word_x);\n"
    "    load_words(p.b, p.first_b + y, word_y);\n"
    "    return key_y < key_x || (CLSORT_BREAK_TIES_BY_INDEX && key_y == key_x && word_y[0] < word_x[0]);\n"
    "#endif\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE uint split_pair(pair_t p, uint diagonal, codec_t c)\n"
    "{\n"
    "    uint low = diagonal > p.nb ? diagonal - p.nb : 0, high = min(diagonal, p.na);\n"
    "    while (low < high) {\n"
    "        const uint quarter = (high - low) >> 2;\n"
    "        uint first[3];\n"
    "        #pragma unroll\n"
    "        for (uint k = 0; k < 3; k++) {\n"
    "            const uint x = low + (k + 1) * quarter;\n"
    "            first[k] = !second_first(p, x, diagonal - 1 - x, c);\n"
    "        }\n"
    "        high = !first[0]   ? low + quarter\n"
    "               : !first[1] ? low + 2 * quarter\n"
    "               : !first[2] ? low + 3 * quarter\n"
    "                           : high;\n"
    "        low = first[2]   ? low + 3 * quarter + 1\n"
    "              : first[1] ? low + 2 * quarter + 1\n"
    "              : first[0] ? low + quarter + 1\n"
    "                         : low;\n"
    "    }\n"
    "    return low;\n"
    "}\n\n",
    "//---- merge: splits\n"
    "#if !CLSORT_IS(PUBLISHED_MERGE) && !CLSORT_IS(RUNS)\n"
    "#if CLSORT_TWO_ARRAYS\n"
    "#define CLSORT_PAIR_ARGS \\\n"
    "    CLSORT_ARRAY_ARGS(a), CLSORT_ARRAY_ARGS(b), CLSORT_CODEC_ARGS, uint n, uint run, uint span, \\\n"
    "        uint slice\n"
    "#define CLSORT_SECOND_ARRAY CLSORT_ARRAY(b)\n"
    "#else\n"
    "#define CLSORT_PAIR_ARGS \\\n"
    "    CLSORT_ARRAY_ARGS(a), CLSORT_CODEC_ARGS, uint n, uint run, uint span, uint slice\n"
    "#define CLSORT_SECOND_ARRAY CLSORT_ARRAY(a)\n"
    "#endif\n"
    "#define CLSORT_SPLITS_ARGS global uchar *splits, ulong splits_at\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_merge_split(CLSORT_PAIR_ARGS, CLSORT_SPLITS_ARGS, uint spread_log2)\n"
    "{\n"
    "    const array_t array_a = CLSORT_ARRAY(a), array_b = CLSORT_SECOND_ARRAY;\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const size_t i = get_global_id(0) >> spread_log2;\n"
    "    if (i * slice >= n || i << spread_log2 != get_global_id(0))\n"
    "        return;\n"
    "    const pair_t p = find_pair(array_a, array_b, (uint)i * slice, n, run, span);\n"
    "    ((global uint *)(splits + splits_at))[i] = split_pair(p, (uint)i * slice - p.start, codec);\n"
    "}\n\n"
    "#if CLSORT_COMPARATOR\n\n\n\n"
    "CLSORT_KERNEL void clsort_merge_clamp(CLSORT_SPLITS_ARGS, uint n, uint span, uint slice)\n"
    "{\n"
    "    const size_t start = get_global_id(0) * ((size_t)span + 1);\n"
    "    global uint *split = (global uint *)(splits + splits_at);\n"
    "    size_t i = (start + slice - 1) / slice;\n"
    "    uint last_split = 0, last_diagonal = 0;\n"
    "    if (start >= n)\n"
    "        return;\n"
    "    for (; i * slice < n && i * slice <= start + span; i++) {\n"
    "        const uint diagonal = (uint)(i * slice - start);\n"
    "        last_split = clamp(split[i], last_split, last_split + (diagonal - last_diagonal));\n"
    "        last_diagonal = diagonal;\n"
    "        split[i] = last_split;\n"
    "    }\n"
    "}\n\n\n"
    "CLSORT_KERNEL void clsort_merge_ordered(global const uchar *indices, ulong indices_at,\n"
    "                                        global uchar *result, ulong result_at, CLSORT_CODEC_ARGS,\n"
    "                                        uint n, uint by_index, uint strict)\n"
    "{\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    global const clsort_record *record = (global const clsort_record *)codec.records;\n"
    "    const uint i = (uint)get_global_id(0);\n"
    "    if (i >= n || n - i < 2)\n"
    "        return;\n"
    "    const uint x = ordered_place(indices + indices_at, by_index, i, n),\n"
    "               y = ordered_place(indices + indices_at, by_index, i + 1, n);\n"
    "    if (clsort_precedes(record[y], record[x])\n"
    "        || (strict && y <= x && !clsort_precedes(record[x], record[y])))\n"
    "        atomic_min((volatile global uint *)(result + result_at), i + 1);\n"
    "}\n"
    "#endif\n"
    "#endif\n\n",
    "//---- merge: work-group\n"
    "#if CLSORT_SHARE_LOG2 > 0\n\n\n\n"
    "CLSORT_INLINE void load_runs(local code_t *keys, local uint *words, pair_t p, uint count, codec_t c)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    const array_t first = advance(p.a, (long)p.first_a + t),\n"
    "                  second = advance(p.b, (long)p.first_b - p.na + t);\n"
    "    if (count == CLSORT_TILE_ITEMS) {\n"
    "        item_t v[CLSORT_ITEMS];\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_ITEMS; m++) {\n"
    "            const array_t from = m * CLSORT_GROUP + t < p.na ? first : second;\n"
    "            v[m] = load_whole_item(from, c, m * CLSORT_GROUP);\n"
    "        }\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_ITEMS; m++)\n"
    "            put_item(keys, words, m * CLSORT_GROUP + t, v[m]);\n"
    "    } else {\n"
    "        #pragma unroll 1\n"
    "        for (uint i = t; i < CLSORT_TILE_ITEMS; i += CLSORT_GROUP)\n"
    "            put_item(keys, words, i,\n"
    "                     i < count ? load_whole_item(i < p.na ? first : second, c, i - t) : top_item());\n"
    "    }\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE void store_items(const item_t *v, local code_t *keys, local uint *words,\n"
    "                               array_t target, uint first, uint count, codec_t c)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++)\n"
    "        put_item(keys, words, t * CLSORT_ITEMS + m, v[m]);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (count == CLSORT_TILE_ITEMS) {\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_ITEMS; m++)\n"
    "            store_whole_item(target, c, first + m * CLSORT_GROUP + t,\n"
    "                             get_item(keys, words, m * CLSORT_GROUP + t));\n"
    "    } else {\n"
    "        #pragma unroll 1\n"
    "        for (uint i = t; i < count; i += CLSORT_GROUP)\n"
    "            store_whole_item(target, c, first + i, get_item(keys, words, i));\n"
    "    }\n"
    "}\n\n",
    "//---- merge: local splits\n\n\n"
    "CLSORT_INLINE uint split_items(local const code_t *keys, local const uint *words, uint first,\n"
    "                               uint na, uint second, uint nb, uint diagonal, codec_t c)\n"
    "{\n"
    "    uint low = diagonal > nb ? diagonal - nb : 0, high = min(diagonal, na);\n"
    "    while (low < high) {\n"
    "        const uint middle = (low + high) / 2;\n"
    "        if (comes_before(get_item(keys, words, second + diagonal - 1 - middle),\n"
    "                         get_item(keys, words, first + middle), c))\n"
    "            high = middle;\n"
    "        else\n"
    "            low = middle + 1;\n"
    "    }\n"
    "    return low;\n"
    "}\n\n"
    "#if CLSORT_GROUP >= 16\n"
    "#define CLSORT_PROBES (CLSORT_GROUP / 2)\n\n\n\n\n\n\n"
    "CLSORT_INLINE void search_splits(pair_t p, uint diagonal, local uint *ranges, uint widest,\n"
    "                                 codec_t c)\n"
    "{\n"
    "    const uint t = local_id(), probe = t % CLSORT_PROBES;\n"
    "    local uint *range = ranges + t / CLSORT_PROBES * 2;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint width = widest; width > 0; width = (width - 1) / CLSORT_PROBES) {\n"
    "        const uint low = range[0], high = range[1],\n"
    "                   x = low + probe * ((high - low + CLSORT_PROBES - 1) / CLSORT_PROBES);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (x < high) {\n"
    "            if (second_first(p, x, diagonal - 1 - x, c))\n"
    "                atomic_min(&range[1], x);\n"
    "            else\n"
    "                atomic_max(&range[0], x + 1);\n"
    "        }\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "}\n"
    "#endif\n\n",
    "//---- merge: local runs\n"
    "#if CLSORT_COMPARATOR\n\n\n\n"
    "CLSORT_INLINE uint prefix_max(local uint *x, uint own)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    x[t] = own;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint step = 1; step < CLSORT_GROUP; step *= 2) {\n"
    "        const uint other = t >= step ? x[t - step] : 0;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        own = max(own, other);\n"
    "        x[t] = own;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    return own;\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE uint settle_split(local uint *splits, uint first, uint diagonal, uint *split)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    const uint a = prefix_max(splits, first + *split) - first;\n"
    "    const uint b = prefix_max(splits, first + (diagonal - a)) - first;\n"
    "    *split = diagonal - b;\n"
    "    splits[t] = *split;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    const uint next = splits[t + 1 < CLSORT_GROUP ? t + 1 : t];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    return next;\n"
    "}\n"
    "#endif\n\n\n\n\n\n\n"
    "CLSORT_INLINE void merge_items(item_t *v, local const code_t *keys, local const uint *words,\n"
    "                               local uint *splits, uint first, uint na, uint b_first, uint nb,\n"
    "                               codec_t c)\n"
    "{\n"
    "    const uint t = local_id(), diagonal = min(t * CLSORT_ITEMS - first, na + nb);\n"
    "    uint split = split_items(keys, words, first, na, b_first, nb, diagonal, c), end_a = first + na,\n"
    "         end_b = b_first + nb;\n"
    "#if CLSORT_COMPARATOR\n"
    "    const uint next = settle_split(splits, first, diagonal, &split), size = na + nb - diagonal;\n"
    "    if (size > CLSORT_ITEMS) {\n"
    "        end_a = first + next;\n"
    "        end_b = b_first + (diagonal + CLSORT_ITEMS - next);\n"
    "    }\n"
    "#endif\n"
    "    uint a = first + split, b = b_first + (diagonal - split);\n"
    "    item_t x = get_item(keys, words, a), y = get_item(keys, words, b);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++) {\n"
    "        const uint second = b < end_b && (a >= end_a || comes_before(y, x, c));\n"
    "        v[m] = second ? y : x;\n"
    "        const uint next_place = second ? ++b : ++a;\n"
    "        const item_t next_item = get_item(keys, words, next_place);\n"
    "        x = second ? x : next_item;\n"
    "        y = second ? next_item : y;\n"
    "    }\n"
    "}\n\n",
    "//---- merge: registers\n\n"
    "CLSORT_INLINE void order_neighbours(item_t *x, item_t *y, codec_t c)\n"
    "{\n"
    "    const item_t first = *x, second = *y;\n"
    "    const uint swap = comes_before(second, first, c);\n"
    "    *x = swap ? second : first;\n"
    "    *y = swap ? first : second;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void sort_items(item_t *v, codec_t c)\n"
    "{\n"
    "#if CLSORT_VALUE_BYTES == 0\n"
    "    if (CLSORT_ITEMS_LOG2 > 0) window_steps(v, CLSORT_ITEMS_LOG2, 0, 0, 1);\n"
    "    if (CLSORT_ITEMS_LOG2 > 1) window_steps(v, CLSORT_ITEMS_LOG2, 1, 0, 1);\n"
    "    if (CLSORT_ITEMS_LOG2 > 2) window_steps(v, CLSORT_ITEMS_LOG2, 2, 0, 1);\n"
    "    if (CLSORT_ITEMS_LOG2 > 3) window_steps(v, CLSORT_ITEMS_LOG2, 3, 0, 1);\n"
    "    if (CLSORT_ITEMS_LOG2 > 4) window_steps(v, CLSORT_ITEMS_LOG2, 4, 0, 1);\n"
    "#else\n"
    "    #pragma unroll\n"
    "    for (uint round = 0; round < CLSORT_ITEMS; round += 2) {\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m + 1 < CLSORT_ITEMS; m += 2)\n"
    "            order_neighbours(&v[m], &v[m + 1], c);\n"
    "        #pragma unroll\n"
    "        for (uint m = 1; m + 1 < CLSORT_ITEMS; m += 2)\n"
    "            order_neighbours(&v[m], &v[m + 1], c);\n"
    "    }\n"
    "#endif\n"
    "}\n\n",
    "//---- merge: work-group tiles\n"
    "#if !CLSORT_IS(PUBLISHED_MERGE)\n\n\n\n\n"
    "CLSORT_INLINE void find_splits(pair_t p, uint from, uint count, uint size,\n"
    "                               global const uint *stored, uint has_splits, local uint *splits_here,\n"
    "                               codec_t c)\n"
    "{\n"
    "    const uint t = local_id(), diagonal = from + t * 2 / CLSORT_GROUP * count;\n"
    "    if (t < 2) {\n"
    "        const uint own = from + t * count;\n"
    "        const uint known = own >= size ? p.na : has_splits ? stored[t] : 0;\n"
    "        const uint searched = own < size && !has_splits;\n"
    "#if CLSORT_GROUP >= 16\n"
    "        splits_here[2 * t] = searched && own > p.nb ? own - p.nb : known;\n"
    "        splits_here[2 * t + 1] = searched ? min(own, p.na) : known;\n"
    "#else\n"
    "        splits_here[2 * t] = searched ? split_pair(p, own, c) : known;\n"
    "#endif\n"
    "    }\n"
    "#if CLSORT_GROUP >= 16\n"
    "    search_splits(p, diagonal, splits_here, has_splits ? 0 : min(p.na, p.nb), c);\n"
    "#else\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "#endif\n"
    "}\n\n\n\n\n\n"
    "CLSORT_INLINE void sort_tile(array_t source, array_t target, uint base, uint count, codec_t codec,\n"
    "                             local code_t *keys, local uint *words, local uint *splits)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    const pair_t tile = { source, source, base, base, count, base, 0 };\n"
    "    item_t v[CLSORT_ITEMS];\n"
    "    load_runs(keys, words, tile, count, codec);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++)\n"
    "        v[m] = get_item(keys, words, t * CLSORT_ITEMS + m);\n"
    "    sort_items(v, codec);\n"
    "    #pragma unroll 1\n"
    "    for (uint run = CLSORT_ITEMS; run < CLSORT_TILE_ITEMS; run *= 2) {\n"
    "        const uint first = t * CLSORT_ITEMS & ~(2 * run - 1),\n"
    "                   size = min(count - min(first, count), 2 * run), na = min(size, run);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_ITEMS; m++)\n"
    "            put_item(keys, words, t * CLSORT_ITEMS + m, v[m]);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        merge_items(v, keys, words, splits, first, na, first + na, size - na, codec);\n"
    "    }\n"
    "    store_items(v, keys, words, target, base, count, codec);\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE void merge_tile(pair_t p, uint base, array_t target, global const uint *stored,\n"
    "                              uint has_splits, codec_t codec, local code_t *keys, local uint *words,\n"
    "                              local uint *splits_here)\n"
    "{\n"
    "    const uint from = base - p.start, size = p.na + p.nb,\n"
    "               count = from < size ? min(size - from, (uint)CLSORT_TILE_ITEMS) : 0;\n"
    "    item_t v[CLSORT_ITEMS];\n"
    "    find_splits(p, from, count, size, stored, has_splits, splits_here, codec);\n\n"
    "    const uint a = splits_here[0], na = min(max(splits_here[2], a) - a, count);\n"
    "    p.first_a += a;\n"
    "    p.first_b += from - a;\n"
    "    p.na = na;\n"
    "    load_runs(keys, words, p, count, codec);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    merge_items(v, keys, words, splits_here, 0, na, na, count - na, codec);\n"
    "    store_items(v, keys, words, target, base, count, codec);\n"
    "}\n"
    "#endif\n\n",
    "//---- merge: work-group kernels\n"
    "#if CLSORT_IS(MERGE)\n\n\n"
    "CLSORT_KERNEL void clsort_merge_tile(CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target),\n"
    "                                     CLSORT_CODEC_ARGS, uint n, uint slice, local code_t *keys,\n"
    "                                     local uint *words, local uint *splits)\n"
    "{\n"
    "    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const uint base = (uint)get_group_id(0) << CLSORT_TILE_ITEMS_LOG2;\n"
    "    sort_tile(source, target, base, base < n ? min(n - base, (uint)CLSORT_TILE_ITEMS) : 0, codec,\n"
    "              keys, words, splits);\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_merge_pass(CLSORT_PAIR_ARGS, CLSORT_ARRAY_ARGS(target),\n"
    "                                     CLSORT_SPLITS_ARGS, uint has_splits, local code_t *keys,\n"
    "                                     local uint *words, local uint *splits_here)\n"
    "{\n"
    "    const array_t array_a = CLSORT_ARRAY(a), array_b = CLSORT_SECOND_ARRAY,\n"
    "                  target = CLSORT_ARRAY(target);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const uint group = (uint)get_group_id(0), base = group << CLSORT_TILE_ITEMS_LOG2;\n"
    "    merge_tile(find_pair(array_a, array_b, base, n, run, span), base, target,\n"
    "               (global const uint *)(splits + splits_at) + group, has_splits, codec, keys, words,\n"
    "               splits_here);\n"
    "}\n"
    "#endif\n"
    "#elif !CLSORT_IS(PUBLISHED_MERGE)\n\n",
    "//---- merge: serial\n"
    "#if CLSORT_LANES == 1\n"
    "#if CLSORT_IS(MERGE)\n\n"
    "CLSORT_KERNEL void clsort_merge_tile(CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target),\n"
    "                                     CLSORT_CODEC_ARGS, uint n, uint slice, local code_t *keys,\n"
    "                                     local uint *words, local uint *splits)\n"
    "{\n"
    "    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const size_t start = get_global_id(0) * slice, end = min(start + slice, (size_t)n);\n"
    "    for (size_t base = start; base < end; base += CLSORT_ITEMS)\n"
    "        insertion_sort(source, target, (uint)base, (uint)min(end - base, (size_t)CLSORT_ITEMS),\n"
    "                       codec);\n"
    "}\n"
    "#endif\n\n\n\n"
    "CLSORT_INLINE void merge_slice(pair_t p, uint a, uint end_a, uint b, uint end_b, array_t target,\n"
    "                               uint to, codec_t c)\n"
    "{\n"
    "    while (a < end_a && b < end_b) {\n"
    "        item_t x = load_whole_item(p.a, c, p.first_a + a),\n"
    "               y = load_whole_item(p.b, c, p.first_b + b);\n"
    "        for (uint steps = min(end_a - a, end_b - b); steps > 0; steps--) {\n"
    "            const uint second = comes_before(y, x, c);\n"
    "            store_whole_item(target, c, to++, second ? y : x);\n"
    "            a += !second;\n"
    "            b += second;\n"
    "            if (steps > 1) {\n"
    "                x = load_whole_item(p.a, c, p.first_a + a);\n"
    "                y = load_whole_item(p.b, c, p.first_b + b);\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "    for (; a < end_a; a++)\n"
    "        store_whole_item(target, c, to++, load_whole_item(p.a, c, p.first_a + a));\n"
    "    for (; b < end_b; b++)\n"
    "        store_whole_item(target, c, to++, load_whole_item(p.b, c, p.first_b + b));\n"
    "}\n\n"
    "#else\n\n",
    "//---- merge: vectors\n\n"
    "CLSORT_INLINE uint lane_precedes(item_t x, item_t y)\n"
    "{\n"
    "    return x.key.s0 < y.key.s0\n"
    "           || (CLSORT_BREAK_TIES_BY_INDEX && x.key.s0 == y.key.s0 && x.word[0].s0 < y.word[0].s0);\n"
    "}\n\n\n"
    "CLSORT_INLINE item_t load_run(array_t a, codec_t c, uint i, uint end)\n"
    "{\n"
    "    return i < end && end - i >= CLSORT_LANES ? load_whole_item(a, c, i) : load_item(a, c, i, end);\n"
    "}\n\n\n\n\n\n"
    "CLSORT_INLINE void merge_slice(pair_t p, uint a, uint end_a, uint b, uint end_b, array_t target,\n"
    "                               uint to, codec_t c)\n"
    "{\n"
    "    const uint end = to + (end_a - a) + (end_b - b);\n"
    "    item_t v[2], x = load_run(p.a, c, p.first_a + a, p.first_a + end_a),\n"
    "                y = load_run(p.b, c, p.first_b + b, p.first_b + end_b);\n"
    "    v[0] = x;\n"
    "    a = min(end_a - a, (uint)CLSORT_LANES) + a;\n"
    "    x = load_run(p.a, c, p.first_a + a, p.first_a + end_a);\n"
    "    for (; to < end; to += min(end - to, (uint)CLSORT_LANES)) {\n"
    "        if (lane_precedes(y, x)) {\n"
    "            v[1] = y;\n"
    "            b = min(end_b - b, (uint)CLSORT_LANES) + b;\n"
    "            y = load_run(p.b, c, p.first_b + b, p.first_b + end_b);\n"
    "        } else {\n"
    "            v[1] = x;\n"
    "            a = min(end_a - a, (uint)CLSORT_LANES) + a;\n"
    "            x = load_run(p.a, c, p.first_a + a, p.first_a + end_a);\n"
    "        }\n"
    "        CLSORT_REVERSE(v[1]);\n"
    "        order_items(&v[0], &v[1]);\n"
    "        lane_steps(v, 2, 32);\n"
    "        if (end - to >= CLSORT_LANES)\n"
    "            store_whole_item(target, c, to, v[0]);\n"
    "        else\n"
    "            store_item(target, c, to, end, v[0]);\n"
    "        v[0] = v[1];\n"
    "    }\n"
    "}\n"
    "#endif\n\n",
    "//---- merge: serial pass\n"
    "#if CLSORT_IS(MERGE)\n\n\n"
    "CLSORT_KERNEL void clsort_merge_pass(CLSORT_PAIR_ARGS, CLSORT_ARRAY_ARGS(target),\n"
    "                                     CLSORT_SPLITS_ARGS, uint has_splits, local code_t *keys,\n"
    "                                     local uint *words, local uint *splits_here)\n"
    "{\n"
    "    const array_t array_a = CLSORT_ARRAY(a), array_b = CLSORT_SECOND_ARRAY,\n"
    "                  target = CLSORT_ARRAY(target);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const size_t i = get_global_id(0);\n"
    "    global const uint *split = (global const uint *)(splits + splits_at);\n"
    "    if (i * slice >= n)\n"
    "        return;\n"
    "    const uint end = (uint)min((size_t)n, (i + 1) * slice);\n"
    "    for (uint begin = (uint)i * slice; begin < end;) {\n"
    "        const pair_t p = find_pair(array_a, array_b, begin, n, run, span);\n"
    "        const uint from = begin - p.start, size = p.na + p.nb, to = min(end - p.start, size);\n"
    "        const uint a = from == 0 ? 0 : has_splits ? split[i] : split_pair(p, from, codec);\n"
    "        const uint end_a = to == size ? p.na : has_splits ? split[i + 1] : split_pair(p, to, codec);\n"
    "        merge_slice(p, a, end_a, from - a, to - end_a, target, begin, codec);\n"
    "        begin = p.start + to;\n"
    "    }\n"
    "}\n"
    "#endif\n"
    "#endif\n\n",
    "//---- merge: runs\n"
    "#if CLSORT_IS(RUNS)\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
    "#define CLSORT_RUN_BUFFERS(name) \\\n"
    "    global uchar *name##0, global uchar *name##1, global uchar *name##2, global uchar *name##3, \\\n"
    "        global uchar *name##4, global uchar *name##5, global uchar *name##6, \\\n"
    "        global uchar *name##7, global uchar *name##8, global uchar *name##9, \\\n"
    "        global uchar *name##a, global uchar *name##b, global uchar *name##c, \\\n"
    "        global uchar *name##d, global uchar *name##e, global uchar *name##f\n"
    "#if CLSORT_VALUE_BYTES == 0\n"
    "#define CLSORT_RUNS_ARGS \\\n"
    "    CLSORT_RUN_BUFFERS(keys_of_), ulong16 keys_at, CLSORT_CODEC_ARGS, uint16 counts\n"
    "#define CLSORT_RUN(i) { keys_of_##i + keys_at.s##i, keys_of_##i }\n"
    "#else\n"
    "#define CLSORT_RUNS_ARGS \\\n"
    "    CLSORT_RUN_BUFFERS(keys_of_), ulong16 keys_at, CLSORT_RUN_BUFFERS(values_of_), \\\n"
    "        ulong16 values_at, CLSORT_CODEC_ARGS, uint16 counts\n"
    "#define CLSORT_RUN(i) { keys_of_##i + keys_at.s##i, values_of_##i + values_at.s##i }\n"
    "#endif\n"
    "#define CLSORT_RUNS \\\n"
    "    { \\\n"
    "        { CLSORT_RUN(0), CLSORT_RUN(1), CLSORT_RUN(2), CLSORT_RUN(3), CLSORT_RUN(4), \\\n"
    "          CLSORT_RUN(5), CLSORT_RUN(6), CLSORT_RUN(7), CLSORT_RUN(8), CLSORT_RUN(9), \\\n"
    "          CLSORT_RUN(a), CLSORT_RUN(b), CLSORT_RUN(c), CLSORT_RUN(d), CLSORT_RUN(e), \\\n"
    "          CLSORT_RUN(f) }, \\\n"
    "        { counts.s0, counts.s1, counts.s2, counts.s3, counts.s4, counts.s5, counts.s6, counts.s7, \\\n"
    "          counts.s8, counts.s9, counts.sa, counts.sb, counts.sc, counts.sd, counts.se, counts.sf } \\\n"
    "    }\n\n\n"
    "typedef struct {\n"
    "    array_t array[CLSORT__MOST_RUNS];\n"
    "    uint count[CLSORT__MOST_RUNS];\n"
    "} runs_t;\n\n\n"
    "typedef struct { uint of[CLSORT__MOST_RUNS]; } split_t;\n\n\n"
    "CLSORT_INLINE code_t code_at(array_t a, uint i, codec_t c)\n"
    "{\n"
    "#if CLSORT_LANES == 1\n"
    "    return encode(*key_place(a, i), c);\n"
    "#else\n"
    "    return encode((codes_t)*key_place(a, i), c).s0;\n"
    "#endif\n"
    "}\n\n"
    "CLSORT_INLINE uint sum_split(const split_t *s)\n"
    "{\n"
    "    uint sum = 0;\n"
    "    #pragma unroll\n"
    "    for (uint k = 0; k < CLSORT__MOST_RUNS; k++)\n"
    "        sum += s->of[k];\n"
    "    return sum;\n"
    "}\n\n",
    "//---- merge: samples of runs\n\n\n"
    "CLSORT_INLINE uint codes_before(array_t a, uint size, code_t code, uint equal, codec_t c)\n"
    "{\n"
    "    uint low = 0, high = size;\n"
    "    while (low < high) {\n"
    "        const uint middle = low + (high - low) / 2;\n"
    "        const code_t x = code_at(a, middle, c);\n"
    "        if (x < code || (equal && x == code))\n"
    "            low = middle + 1;\n"
    "        else\n"
    "            high = middle;\n"
    "    }\n"
    "    return low;\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_runs_sample(CLSORT_RUNS_ARGS, global uchar *samples, ulong samples_at,\n"
    "                                      uint step_log2)\n"
    "{\n"
    "    const runs_t r = CLSORT_RUNS;\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const uint k = (uint)(get_global_id(0) % CLSORT__MOST_RUNS);\n"
    "    ulong sample = get_global_id(0) / CLSORT__MOST_RUNS;\n"
    "    uint own = CLSORT__MOST_RUNS, size = 0;\n"
    "    array_t from = r.array[0], in = from;\n"
    "    #pragma unroll\n"
    "    for (uint i = 0; i < CLSORT__MOST_RUNS; i++) {\n"
    "        const uint number = r.count[i] >> step_log2, missing = own == CLSORT__MOST_RUNS,\n"
    "                   here = missing && sample < number;\n"
    "        own = here ? i : own;\n"
    "        from.keys = here ? r.array[i].keys : from.keys;\n"
    "        sample -= missing && !here ? number : 0;\n"
    "        in.keys = i == k ? r.array[i].keys : in.keys;\n"
    "        size = i == k ? r.count[i] : size;\n"
    "    }\n"
    "    if (own == CLSORT__MOST_RUNS)\n"
    "        return;\n"
    "    const uint place = (uint)(((sample + 1) << step_log2) - 1);\n"
    "    ((global uint *)(samples + samples_at))[get_global_id(0)]\n"
    "        = k == own ? place : codes_before(in, size, code_at(from, place, codec), k < own, codec);\n"
    "}\n\n",
    "//---- merge: splits of runs\n\n\n"
    "typedef struct {\n"
    "    split_t low, high;\n"
    "    code_t first, last;\n"
    "} bracket_t;\n\n"
    "CLSORT_INLINE split_t sample_row(global const uint *samples, uint s)\n"
    "{\n"
    "    split_t row;\n"
    "    vstore16(vload16(s, samples), 0, row.of);\n"
    "    return row;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE bracket_t find_bracket(const runs_t *r, global const uint *samples, uint step_log2,\n"
    "                                     uint rank, uint n, codec_t c)\n"
    "{\n"
    "    bracket_t b;\n"
    "    uint before = 0, lower = 0, upper = n;\n"
    "    b.first = 0;\n"
    "    b.last = (code_t)~(code_t)0;\n"
    "    #pragma unroll\n"
    "    for (uint k = 0; k < CLSORT__MOST_RUNS; k++) {\n"
    "        b.low.of[k] = 0;\n"
    "        b.high.of[k] = r->count[k];\n"
    "    }\n"
    "    for (uint k = 0; k < CLSORT__MOST_RUNS; k++) {\n"
    "        const uint number = r->count[k] >> step_log2;\n"
    "        uint low = 0, high = number;\n"
    "        while (low < high) {\n"
    "            const uint middle = (low + high) / 2;\n"
    "            const split_t row = sample_row(samples, before + middle);\n"
    "            if (sum_split(&row) <= rank)\n"
    "                low = middle + 1;\n"
    "            else\n"
    "                high = middle;\n"
    "        }\n"
    "        if (low > 0) {\n"
    "            const split_t last = sample_row(samples, before + low - 1);\n"
    "            if (sum_split(&last) >= lower) {\n"
    "                lower = sum_split(&last);\n"
    "                b.low = last;\n"
    "                b.first = code_at(r->array[k], (low << step_log2) - 1, c);\n"
    "            }\n"
    "        }\n"
    "        if (low < number) {\n"
    "            const split_t next = sample_row(samples, before + low);\n"
    "            if (sum_split(&next) < upper) {\n"
    "                upper = sum_split(&next);\n"
    "                b.high = next;\n"
    "                b.last = code_at(r->array[k], ((low + 1) << step_log2) - 1, c);\n"
    "            }\n"
    "        }\n"
    "        before += number;\n"
    "    }\n"
    "    return b;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE split_t codes_up_to(const runs_t *r, const bracket_t *b, code_t code, codec_t c)\n"
    "{\n"
    "    split_t low = b->low, high = b->high;\n"
    "    for (uint more = 1; more;) {\n"
    "        code_t x[CLSORT__MOST_RUNS];\n"
    "        uint middle[CLSORT__MOST_RUNS];\n"
    "        more = 0;\n"
    "        #pragma unroll\n"
    "        for (uint k = 0; k < CLSORT__MOST_RUNS; k++) {\n"
    "            const uint open = low.of[k] < high.of[k];\n"
    "            middle[k] = open ? low.of[k] + (high.of[k] - low.of[k]) / 2 : 0;\n"
    "            x[k] = code_at(r->array[k], middle[k], c);\n"
    "        }\n"
    "        #pragma unroll\n"
    "        for (uint k = 0; k < CLSORT__MOST_RUNS; k++) {\n"
    "            const uint open = low.of[k] < high.of[k], after = open && x[k] <= code;\n"
    "            low.of[k] = after ? middle[k] + 1 : low.of[k];\n"
    "            high.of[k] = open && !after ? middle[k] : high.of[k];\n"
    "            more |= low.of[k] < high.of[k];\n"
    "        }\n"
    "    }\n"
    "    return low;\n"
    "}\n\n",
    "//---- merge: split kernel\n\n"
    "CLSORT_INLINE void narrow_bracket(const runs_t *r, bracket_t *b, uint rank, codec_t c)\n"
    "{\n"
    "    #pragma unroll\n"
    "    for (uint k = 0; k < CLSORT__MOST_RUNS; k++)\n"
    "        b->high.of[k] = max(b->low.of[k], b->high.of[k]);\n"
    "    while (b->first < b->last && sum_split(&b->low) < rank) {\n"
    "        const code_t middle = (code_t)(b->first + (code_t)(b->last - b->first) / 2);\n"
    "        const split_t found = codes_up_to(r, b, middle, c);\n"
    "        if (sum_split(&found) > rank) {\n"
    "            b->high = found;\n"
    "            b->last = middle;\n"
    "        } else {\n"
    "            b->low = found;\n"
    "            b->first = (code_t)(middle + 1);\n"
    "        }\n"
    "    }\n"
    "}\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_runs_split(CLSORT_RUNS_ARGS, global uchar *samples, ulong samples_at,\n"
    "                                     global uchar *splits, ulong splits_at, uint step_log2, uint n,\n"
    "                                     uint tile, uint tiles, uint spread_log2)\n"
    "{\n"
    "    const runs_t r = CLSORT_RUNS;\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const size_t i = get_global_id(0) >> spread_log2;\n"
    "    if (i > tiles || i << spread_log2 != get_global_id(0))\n"
    "        return;\n"
    "    const uint rank = (uint)min(i * tile, (size_t)n);\n"
    "    bracket_t b = find_bracket(&r, (global const uint *)(samples + samples_at), step_log2, rank, n,\n"
    "                               codec);\n"
    "    narrow_bracket(&r, &b, rank, codec);\n"
    "    const uint known = sum_split(&b.low);\n"
    "    uint rest = known < rank ? rank - known : 0;\n"
    "    #pragma unroll\n"
    "    for (uint k = 0; k < CLSORT__MOST_RUNS; k++) {\n"
    "        const uint more = min(rest, b.high.of[k] - b.low.of[k]);\n"
    "        b.low.of[k] += more;\n"
    "        rest -= more;\n"
    "    }\n"
    "    vstore16(vload16(0, b.low.of), i, (global uint *)(splits + splits_at));\n"
    "}\n\n",
    "//---- merge: a tile of runs\n\n\n"
    "CLSORT_INLINE uint run_share(uint begin, uint end, uint left)\n"
    "{\n"
    "    return min(max(begin, end) - begin, left);\n"
    "}\n\n"
    "#if CLSORT_SHARE_LOG2 > 0\n\n\n\n"
    "typedef struct {\n"
    "    local ulong *keys, *values;\n"
    "    local uint *begins, *sums, *owners;\n"
    "} shares_t;\n\n"
    "CLSORT_INLINE shares_t make_shares(local ulong *space)\n"
    "{\n"
    "    local uint *words = (local uint *)(space + 2 * CLSORT__MOST_RUNS);\n"
    "    const shares_t s = { space, space + CLSORT__MOST_RUNS, words, words + CLSORT__MOST_RUNS + 1,\n"
    "                         words + 2 * (CLSORT__MOST_RUNS + 1) };\n"
    "    return s;\n"
    "}\n\n\n"
    "CLSORT_INLINE void find_shares(shares_t s, const runs_t *r, global const uint *split, uint size)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    uint slots = 0, sum = 0, owner = 0;\n"
    "    #pragma unroll\n"
    "    for (uint k = 0; k < CLSORT__MOST_RUNS; k++) {\n"
    "        const uint begin = split[k], share = run_share(begin, split[k + CLSORT__MOST_RUNS],\n"
    "                                                       size - sum);\n"
    "        owner = slots <= t ? k : owner;\n"
    "        if (t == k) {\n"
    "            const array_t from = advance(r->array[k], begin);\n"
    "            s.keys[k] = (ulong)(size_t)from.keys;\n"
    "            s.values[k] = (ulong)(size_t)from.values;\n"
    "            s.begins[k] = slots;\n"
    "            s.sums[k] = sum;\n"
    "        }\n"
    "        slots += (share + CLSORT_ITEMS - 1) / CLSORT_ITEMS;\n"
    "        sum += share;\n"
    "    }\n"
    "    if (t == 0) {\n"
    "        s.begins[CLSORT__MOST_RUNS] = slots;\n"
    "        s.sums[CLSORT__MOST_RUNS] = sum;\n"
    "    }\n"
    "    s.owners[t] = owner;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void load_shares(local code_t *keys, local uint *words, shares_t s, codec_t c)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    item_t v[CLSORT_ITEMS];\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++) {\n"
    "        const uint slot = m * CLSORT_GROUP + t, k = s.owners[slot / CLSORT_ITEMS],\n"
    "                   i = slot - s.begins[k] * CLSORT_ITEMS;\n"
    "        const array_t from = { (global uchar *)(size_t)s.keys[k],\n"
    "                               (global uchar *)(size_t)s.values[k] };\n"
    "        v[m] = load_item(from, c, i, s.sums[k + 1] - s.sums[k]);\n"
    "    }\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++)\n"
    "        put_item(keys, words, m * CLSORT_GROUP + t, v[m]);\n"
    "}\n\n",
    "//---- merge: pass of runs\n\n\n\n"
    "CLSORT_KERNEL void clsort_runs_pass(CLSORT_RUNS_ARGS, CLSORT_ARRAY_ARGS(target),\n"
    "                                    global uchar *splits, ulong splits_at, uint n, uint tile,\n"
    "                                    uint levels, local ulong *space, local code_t *keys,\n"
    "                                    local uint *words)\n"
    "{\n"
    "    const runs_t r = CLSORT_RUNS;\n"
    "    const array_t target = CLSORT_ARRAY(target);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const shares_t s = make_shares(space);\n"
    "    const uint t = local_id(), group = (uint)get_group_id(0), base = group * tile;\n"
    "    item_t v[CLSORT_ITEMS];\n"
    "    find_shares(s, &r, (global const uint *)(splits + splits_at) + group * CLSORT__MOST_RUNS,\n"
    "                min(n - base, tile));\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    load_shares(keys, words, s, codec);\n"
    "    #pragma unroll 1\n"
    "    for (uint level = 0; level < levels; level++) {\n"
    "        const uint a = s.owners[t] >> (level + 1) << (level + 1), b = a + (1u << level),\n"
    "                   end = a + (2u << level);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        merge_items(v, keys, words, &s.owners[0], s.begins[a] * CLSORT_ITEMS,\n"
    "                    s.sums[b] - s.sums[a], s.begins[b] * CLSORT_ITEMS, s.sums[end] - s.sums[b],\n"
    "                    codec);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_ITEMS; m++)\n"
    "            put_item(keys, words, t * CLSORT_ITEMS + m, v[m]);\n"
    "    }\n"
    "    store_items(v, keys, words, target, base, s.sums[CLSORT__MOST_RUNS], codec);\n"
    "}\n"
    "#else\n\n",
    "//---- merge: players\n\n\n"
    "#if CLSORT_KEY_BYTES < 8\n"
    "typedef ulong player_t;\n"
    "CLSORT_INLINE player_t make_player(code_t code, uint run)\n"
    "{\n"
    "    return (ulong)code << 5 | run;\n"
    "}\n\n"
    "CLSORT_INLINE uint player_run(player_t x) { return (uint)x & 15; }\n"
    "CLSORT_INLINE uint player_first(player_t x, player_t y) { return x < y; }\n"
    "#else\n"
    "typedef struct { ulong code; uint run; } player_t;\n"
    "CLSORT_INLINE player_t make_player(code_t code, uint run)\n"
    "{\n"
    "    const player_t x = { code, run };\n"
    "    return x;\n"
    "}\n\n"
    "CLSORT_INLINE uint player_run(player_t x) { return x.run & 15; }\n"
    "CLSORT_INLINE uint player_first(player_t x, player_t y)\n"
    "{\n"
    "    return x.code < y.code || (x.code == y.code && x.run < y.run);\n"
    "}\n"
    "#endif\n\n",
    "//---- merge: trees of runs\n\n\n\n"
    "typedef struct {\n"
    "    uint next[CLSORT__MOST_RUNS], end[CLSORT__MOST_RUNS];\n"
    "    player_t loser[CLSORT__MOST_RUNS], best;\n"
    "    uint to;\n"
    "} tree_t;\n\n\n"
    "CLSORT_INLINE player_t next_player(const runs_t *r, const tree_t *t, uint k, codec_t c)\n"
    "{\n"
    "    return t->next[k] < t->end[k]\n"
    "               ? make_player(code_at(r->array[k], t->next[k], c), k)\n"
    "               : make_player((code_t)~(code_t)0, CLSORT__MOST_RUNS + k);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE uint begin_tree(tree_t *t, const runs_t *r, uint leaves, global const uint *split,\n"
    "                              uint size, uint to, codec_t c)\n"
    "{\n"
    "    player_t winner[2 * CLSORT__MOST_RUNS];\n"
    "    uint sum = 0;\n"
    "    t->to = to;\n"
    "    for (uint k = 0; k < leaves; k++) {\n"
    "        const uint share = run_share(split[k], split[k + CLSORT__MOST_RUNS], size - sum);\n"
    "        t->next[k] = split[k];\n"
    "        t->end[k] = split[k] + share;\n"
    "        sum += share;\n"
    "        winner[leaves + k] = next_player(r, t, k, c);\n"
    "    }\n"
    "    for (uint i = leaves - 1; i > 0; i--) {\n"
    "        const player_t x = winner[2 * i], y = winner[2 * i + 1];\n"
    "        const uint first = player_first(x, y);\n"
    "        winner[i] = first ? x : y;\n"
    "        t->loser[i] = first ? y : x;\n"
    "    }\n"
    "    t->best = winner[1];\n"
    "    return sum;\n"
    "}\n\n\n"
    "CLSORT_INLINE void play(tree_t *t, const runs_t *r, uint leaves, array_t target, codec_t c)\n"
    "{\n"
    "    const uint k = player_run(t->best), from = t->next[k]++;\n"
    "    uint word[CLSORT_WORDS_OR_1];\n"
    "    *key_place(target, t->to) = *key_place(r->array[k], from);\n"
    "    load_words(r->array[k], from, word);\n"
    "    store_words(target, t->to++, word);\n"
    "    player_t best = next_player(r, t, k, c);\n"
    "    for (uint node = (leaves + k) / 2; node > 0; node /= 2) {\n"
    "        const player_t other = t->loser[node];\n"
    "        const uint first = player_first(best, other);\n"
    "        t->loser[node] = first ? other : best;\n"
    "        best = first ? best : other;\n"
    "    }\n"
    "    t->best = best;\n"
    "}\n\n",
    "//---- merge: serial pass of runs\n\n\n"
    "#define CLSORT_TREES 2\n"
    "CLSORT_KERNEL void clsort_runs_pass(CLSORT_RUNS_ARGS, CLSORT_ARRAY_ARGS(target),\n"
    "                                    global uchar *splits, ulong splits_at, uint n, uint tile,\n"
    "                                    uint levels, uint tiles_each)\n"
    "{\n"
    "    const runs_t r = CLSORT_RUNS;\n"
    "    const array_t target = CLSORT_ARRAY(target);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const uint leaves = 1u << levels;\n"
    "    const size_t end = min((get_global_id(0) + 1) * tiles_each, (size_t)(n - 1) / tile + 1);\n"
    "    global const uint *split = (global const uint *)(splits + splits_at);\n"
    "    for (size_t i = get_global_id(0) * tiles_each; i < end; i += CLSORT_TREES) {\n"
    "        tree_t tree[CLSORT_TREES];\n"
    "        uint rest[CLSORT_TREES], common = tile;\n"
    "        for (uint t = 0; t < CLSORT_TREES; t++) {\n"
    "            const size_t own = min(i + t, end - 1), base = own * tile;\n"
    "            rest[t] = begin_tree(&tree[t], &r, leaves, split + own * CLSORT__MOST_RUNS,\n"
    "                                 i + t < end ? (uint)min((size_t)tile, n - base) : 0, (uint)base,\n"
    "                                 codec);\n"
    "            common = min(common, rest[t]);\n"
    "        }\n"
    "        for (uint m = 0; m < common; m++) {\n"
    "            #pragma unroll\n"
    "            for (uint t = 0; t < CLSORT_TREES; t++)\n"
    "                play(&tree[t], &r, leaves, target, codec);\n"
    "        }\n"
    "        for (uint t = 0; t < CLSORT_TREES; t++)\n"
    "            for (uint m = common; m < rest[t]; m++)\n"
    "                play(&tree[t], &r, leaves, target, codec);\n"
    "    }\n"
    "}\n"
    "#endif\n"
    "#endif\n\n",
#ifndef CLSORT_NO_PUBLISHED
    "//---- merge: published\n"
    "#if CLSORT_IS(PUBLISHED_MERGE) && !CLSORT_COMPARATOR && CLSORT_LANES == 1\n\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_merge_local(CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target),\n"
    "                                      CLSORT_CODEC_ARGS, uint n, local code_t *keys,\n"
    "                                      local uint *words)\n"
    "{\n"
    "    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const uint i = (uint)get_global_id(0);\n"
    "    item_t r = load_item(source, codec, i, n);\n"
    "#if CLSORT_SHARE_LOG2 > 0\n"
    "    const uint t = local_id();\n"
    "    for (uint run = 1; run < CLSORT_GROUP; run *= 2) {\n"
    "        const uint sibling = (t & ~(run - 1)) ^ run, is_second = t & run ? 1 : 0;\n"
    "        uint rank = 0;\n"
    "        put_item(keys, words, t, r);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (uint step = run; step > 0; step /= 2)\n"
    "            if (rank + step <= run) {\n"
    "                const item_t other = get_item(keys, words, sibling + rank + step - 1);\n"
    "                rank += is_second ? (comes_before(r, other, codec) ? 0 : step)\n"
    "                                  : (comes_before(other, r, codec) ? step : 0);\n"
    "            }\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        put_item(keys, words, (t & ~(2 * run - 1)) + (t & (run - 1)) + rank, r);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        r = get_item(keys, words, t);\n"
    "    }\n"
    "#endif\n"
    "    store_item(target, codec, i, n, r);\n"
    "}\n"
    "#endif\n\n",
#else
    "#line 2951\n",
#endif
    "//---- merge: segments\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
    "#if CLSORT_NEEDS_PACKING\n"
    "#if CLSORT_LANES == 1 && !CLSORT_COMPARATOR && !CLSORT_TWO_ARRAYS\n"
    "#if CLSORT_IS(SEGMENTS)\n\n\n"
    "CLSORT_INLINE array_t runs_before(array_t target, array_t alt, uint passes, uint pass)\n"
    "{\n"
    "    return passes - pass & 1 ? alt : target;\n"
    "}\n\n\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_segment_jobs(CLSORT_SEGMENT_ARGS, CLSORT_JOB_ARGS, uint least, uint slice,\n"
    "                                       local uint *sums)\n"
    "{\n"
    "    const segments_t s = CLSORT_SEGMENTS;\n"
    "    const jobs_t j = CLSORT_JOBS;\n"
    "    const uint t = local_id(), first = (uint)get_group_id(0) * CLSORT_GROUP,\n"
    "               i = first + t, window = max(slice / 2, 1u);\n"
    "    const segment_t nothing = { 0, 0 }, own = i < segment_count(s) ? take_segment(s, i) : nothing;\n"
    "    if (i < segment_count(s) && segment_descends(s, i))\n"
    "        atomic_or((volatile global uint *)j.table + 2, 1);\n"
    "    const uint own_slices = own.size > least ? (own.size - 1) / slice + 1 : 0;\n"
    "    if (s.kind & CLSORT__SEGMENTS_AT_OFFSETS && i < s.segments\n"
    "        && (i == 0 || take_segment(s, i - 1).begin / window < own.begin / window))\n"
    "        *job_window(j, own.begin / window) = i;\n"
    "    uint slices;\n"
    "    sums[t] = own_slices + group_scan_total(own_slices, sums, &slices);\n"
    "    if (own_slices)\n"
    "        atomic_max((volatile global uint *)j.table + 1, own_slices);\n"
    "    if (t == 0)\n"
    "        sums[CLSORT_GROUP] = slices ? atomic_add((volatile global uint *)j.table, slices) : 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    const uint base = sums[CLSORT_GROUP];\n"
    "    for (uint k = t; k < slices && base < j.most && k < j.most - base; k += CLSORT_GROUP) {\n"
    "        uint which = 0;\n"
    "        for (uint step = CLSORT_GROUP / 2; step > 0; step /= 2)\n"
    "            which += sums[which + step - 1] <= k ? step : 0;\n"
    "        j.table[CLSORT__JOB_HEAD + 2 * (base + k)] = first + which;\n"
    "        j.table[CLSORT__JOB_HEAD + 2 * (base + k) + 1] = k - (which ? sums[which - 1] : 0);\n"
    "    }\n"
    "}\n"
    "#endif\n\n",
    "//---- merge: tiles of segments\n"
    "#if CLSORT_SHARE_LOG2 > 0\n"
    "#if CLSORT_IS(SEGMENTS)\n\n"
    "CLSORT_KERNEL void clsort_segment_tile(CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target),\n"
    "                                       CLSORT_ARRAY_ARGS(alt), CLSORT_CODEC_ARGS,\n"
    "                                       CLSORT_SEGMENT_ARGS, CLSORT_JOB_ARGS, local code_t *keys,\n"
    "                                       local uint *words, local uint *splits)\n"
    "{\n"
    "    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target),\n"
    "                  alt = CLSORT_ARRAY(alt);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const jobs_t j = CLSORT_JOBS;\n"
    "    const segments_t given = CLSORT_SEGMENTS, s = sortable_segments(given, j);\n"
    "    const uint all = job_count(j, s);\n"
    "    for (uint i = (uint)get_group_id(0); i < all; i += (uint)get_num_groups(0)) {\n"
    "        const job_t job = take_job(j, s, i);\n"
    "        const uint first = job.slice * CLSORT_TILE_ITEMS,\n"
    "                   size = first < job.segment.size\n"
    "                              ? min(job.segment.size - first, (uint)CLSORT_TILE_ITEMS)\n"
    "                              : 0;\n"
    "        const array_t from = array_at(job.where, source, target, alt);\n"
    "        const array_t to = runs_before(target, alt, segment_passes(job.segment, CLSORT_TILE_ITEMS),\n"
    "                                       0);\n"
    "        sort_tile(from, to, job.segment.begin + first, size, codec, keys, words, splits);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_segment_pass(CLSORT_ARRAY_ARGS(target), CLSORT_ARRAY_ARGS(alt),\n"
    "                                       CLSORT_CODEC_ARGS, CLSORT_SEGMENT_ARGS, CLSORT_JOB_ARGS,\n"
    "                                       uint pass, local code_t *keys, local uint *words,\n"
    "                                       local uint *splits)\n"
    "{\n"
    "    const array_t target = CLSORT_ARRAY(target), alt = CLSORT_ARRAY(alt);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const jobs_t j = CLSORT_JOBS;\n"
    "    const segments_t given = CLSORT_SEGMENTS, s = sortable_segments(given, j);\n"
    "    const uint all = pass_job_count(j, s, pass), run = CLSORT_TILE_ITEMS << pass;\n"
    "    for (uint i = (uint)get_group_id(0); i < all; i += (uint)get_num_groups(0)) {\n"
    "        const job_t job = take_job(j, s, i);\n"
    "        const uint passes = segment_passes(job.segment, CLSORT_TILE_ITEMS),\n"
    "                   first = job.slice * CLSORT_TILE_ITEMS;\n"
    "        const array_t from = advance(runs_before(target, alt, passes, pass), job.segment.begin);\n"
    "        const array_t to = advance(runs_before(target, alt, passes, pass + 1), job.segment.begin);\n"
    "        const pair_t p = find_pair(from, from, first, pass < passes ? job.segment.size : 0, run,\n"
    "                                   2 * run - 1);\n"
    "        merge_tile(p, first, to, 0, 0, codec, keys, words, splits);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "}\n"
    "#endif\n\n",
    "//---- merge: packed segments\n"
    "#if !CLSORT_RANGES\n\n\n"
    "typedef struct { uint base, width, stride; } layout_t;\n\n"
    "CLSORT_INLINE uint layout_place(layout_t s, uint i)\n"
    "{\n"
    "    return s.width ? s.base + i / s.width * s.stride + i % s.width : s.base + i;\n"
    "}\n\n\n\n\n\n\n\n\n\n\n"
    "#define CLSORT_HEAD_WORDS CLSORT__HEAD_WORDS(CLSORT_TILE_ITEMS)\n"
    "typedef struct { local uint *head_flags, *around, *end, *merges; } packing_t;\n\n"
    "CLSORT_INLINE void flag_head(packing_t m, uint index)\n"
    "{\n"
    "    if (index < CLSORT_TILE_ITEMS)\n"
    "        atomic_or(&m.head_flags[index / 32], 1u << index % 32);\n"
    "}\n\n\n"
    "CLSORT_INLINE void flag_inside(packing_t m, uint first, uint end)\n"
    "{\n"
    "    for (uint word = first / 32; word * 32 < end; word++) {\n"
    "        const uint from = max(first, word * 32) % 32, size = min(end, word * 32 + 32) - word * 32;\n"
    "        atomic_or(&m.around[word], (size < 32 ? (1u << size) - 1 : ~0u) & ~0u << from);\n"
    "    }\n"
    "}\n\n\n\n"
    "CLSORT_INLINE uint own_inside(segments_t s, packing_t m)\n"
    "{\n"
    "    uint inside = ~0u;\n"
    "    if (s.kind & CLSORT__SEGMENTS_HAVE_GAPS)\n"
    "        for (uint k = 0; k < CLSORT_ITEMS; k++) {\n"
    "            const uint i = k * CLSORT_GROUP + local_id();\n"
    "            inside ^= (~m.around[i / 32] >> i % 32 & 1) << k;\n"
    "        }\n"
    "    return inside;\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE uint first_of_window(segments_t s, jobs_t j, uint window, uint reach)\n"
    "{\n"
    "    const uint i = s.segments ? min(*job_window(j, window), s.segments - 1) : 0;\n"
    "    const uint begins = s.segments && take_segment(s, i).begin / reach == window;\n"
    "    return begins && (i == 0 || take_segment(s, i - 1).begin / reach < window) ? i : s.segments;\n"
    "}\n\n\n\n\n\n"
    "CLSORT_INLINE layout_t flag_segments(segments_t s, jobs_t j, packing_t m)\n"
    "{\n"
    "    const uint t = local_id(), group = (uint)get_group_id(0),\n"
    "               reach = CLSORT_TILE_ITEMS / 2, window = group * reach, per = j.per;\n"
    "    const uint first = per ? group * per : first_of_window(s, j, group, reach);\n"
    "    const segment_t nothing = { 0, 0 },\n"
    "                    head = first < s.segments ? take_segment(s, first) : nothing;\n"
    "    const layout_t layout = { head.begin, per && s.stride != head.size ? head.size : 0, s.stride };\n"
    "    for (uint i = first + t; i < s.segments && (!per || i - first < per); i += CLSORT_GROUP) {\n"
    "        const segment_t own = take_segment(s, i);\n"
    "        const uint start = per ? (i - first) * own.size : own.begin - head.begin;\n"
    "        if (!per && own.begin - window >= reach)\n"
    "            break;\n"
    "        if (own.size > 0 && own.size <= reach && start <= CLSORT_TILE_ITEMS - own.size) {\n"
    "            flag_head(m, start);\n"
    "            atomic_max(m.end, start + own.size);\n"
    "            if (s.kind & CLSORT__SEGMENTS_HAVE_GAPS) {\n"
    "                flag_head(m, start + own.size);\n"
    "                flag_inside(m, start, start + own.size);\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "    return layout;\n"
    "}\n\n",
    "//---- merge: heads of segments\n\n"
    "CLSORT_INLINE uint last_head(local const uint *head_flags, uint index)\n"
    "{\n"
    "    uint word = index / 32, bits = head_flags[word] & ((1u << index % 32) - 1);\n"
    "    while (bits == 0 && word > 0)\n"
    "        bits = head_flags[--word];\n"
    "    return word * 32 + (bits ? 31 - clz(bits) : 0);\n"
    "}\n\n"
    "CLSORT_INLINE uint next_head(local const uint *head_flags, uint index)\n"
    "{\n"
    "    uint word = index / 32, bits = head_flags[word] & ~((2u << index % 32) - 1);\n"
    "    while (bits == 0 && ++word < CLSORT_HEAD_WORDS)\n"
    "        bits = head_flags[word];\n"
    "    return bits ? word * 32 + 31 - clz(bits & -bits) : CLSORT_TILE_ITEMS;\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE void find_around(packing_t m, uint size)\n"
    "{\n"
    "    const uint t = local_id(), first = t * CLSORT_ITEMS;\n"
    "    const uint cut = first < size && !(m.head_flags[first / 32] >> first % 32 & 1);\n"
    "    m.around[t] = cut ? last_head(m.head_flags, first) | next_head(m.head_flags, first) << 16\n"
    "                      : first | first << 16;\n"
    "    if (cut)\n"
    "        atomic_max(m.merges, 32 - clz(t & -t));\n"
    "}\n\n",
    "//---- merge: packed elements\n\n\n"
    "CLSORT_INLINE void sort_between(item_t *v, uint head_flags, codec_t c)\n"
    "{\n"
    "    #pragma unroll\n"
    "    for (uint round = 0; round < CLSORT_ITEMS; round++) {\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m + 1 < CLSORT_ITEMS; m++)\n"
    "            if (m % 2 == round % 2 && !(head_flags >> (m + 1) & 1))\n"
    "                order_neighbours(&v[m], &v[m + 1], c);\n"
    "    }\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE void merge_inside(item_t *v, local const code_t *keys, local const uint *words,\n"
    "                                uint first, uint middle, uint end, codec_t c)\n"
    "{\n"
    "    const uint own = local_id() * CLSORT_ITEMS,\n"
    "               diagonal = own > first ? min(own, end) - first : 0;\n"
    "    const uint split = split_items(keys, words, first, middle - first, middle, end - middle, diagonal,\n"
    "                                   c);\n"
    "    uint a = own < first ? own : first + split, b = own > end ? own : middle + (diagonal - split);\n"
    "    item_t x = get_item(keys, words, a), y = get_item(keys, words, b);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++) {\n"
    "        const uint second = a >= middle || (a >= first && b < end && comes_before(y, x, c));\n"
    "        v[m] = second ? y : x;\n"
    "        const uint next_place = second ? ++b : ++a;\n"
    "        const item_t next_item = get_item(keys, words, next_place);\n"
    "        x = second ? x : next_item;\n"
    "        y = second ? next_item : y;\n"
    "    }\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void put_own_items(local code_t *keys, local uint *words, const item_t *v)\n"
    "{\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++)\n"
    "        put_item(keys, words, local_id() * CLSORT_ITEMS + m, v[m]);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE void sort_packed(local code_t *keys, local uint *words, packing_t packing,\n"
    "                               codec_t codec)\n"
    "{\n"
    "    const uint t = local_id(), first = t * CLSORT_ITEMS, merges = *packing.merges;\n"
    "    item_t v[CLSORT_ITEMS];\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++)\n"
    "        v[m] = get_item(keys, words, first + m);\n"
    "    sort_between(v, packing.head_flags[first / 32] >> first % 32, codec);\n"
    "    put_own_items(keys, words, v);\n"
    "    #pragma unroll 1\n"
    "    for (uint k = 0; k < merges; k++) {\n"
    "        const uint run = CLSORT_ITEMS << k, start = first & ~(2 * run - 1),\n"
    "                   around = packing.around[(start + run) / CLSORT_ITEMS];\n"
    "        merge_inside(v, keys, words, max(around & 0xFFFF, start), start + run,\n"
    "                     min(around >> 16, start + 2 * run), codec);\n"
    "        put_own_items(keys, words, v);\n"
    "    }\n"
    "}\n\n",
    "//---- merge: pack kernel\n\n"
    "CLSORT_INLINE packing_t clear_packing(local uint *space)\n"
    "{\n"
    "    local uint *const behind = space + CLSORT_HEAD_WORDS + CLSORT_GROUP;\n"
    "    const packing_t packing = { space, space + CLSORT_HEAD_WORDS, behind, behind + 1 };\n"
    "    for (uint i = local_id(); i < CLSORT__PACKING_WORDS(CLSORT_GROUP, CLSORT_TILE_ITEMS);\n"
    "         i += CLSORT_GROUP)\n"
    "        space[i] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    return packing;\n"
    "}\n\n"
    "#if CLSORT_IS(SEGMENTS)\n\n\n"
    "CLSORT_KERNEL void clsort_segment_pack(CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target),\n"
    "                                       CLSORT_CODEC_ARGS, CLSORT_SEGMENT_ARGS, CLSORT_JOB_ARGS,\n"
    "                                       local code_t *keys, local uint *words, local uint *space)\n"
    "{\n"
    "    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const jobs_t j = CLSORT_JOBS;\n"
    "    const segments_t given = CLSORT_SEGMENTS, s = sortable_segments(given, j);\n"
    "    const packing_t packing = clear_packing(space);\n"
    "    const layout_t layout = flag_segments(s, j, packing);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    const uint t = local_id(), size = *packing.end, inside = own_inside(s, packing);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++) {\n"
    "        const uint i = m * CLSORT_GROUP + t;\n"
    "        put_item(keys, words, i,\n"
    "                 i < size && inside >> m & 1\n"
    "                     ? load_whole_item(source, codec, layout_place(layout, i))\n"
    "                     : top_item());\n"
    "    }\n"
    "    if (t == 0)\n"
    "        flag_head(packing, size);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    find_around(packing, size);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    sort_packed(keys, words, packing, codec);\n"
    "    for (uint i = t, m = 0; i < size; i += CLSORT_GROUP, m++)\n"
    "        if (inside >> m & 1)\n"
    "            store_whole_item(target, codec, layout_place(layout, i), get_item(keys, words, i));\n"
    "}\n"
    "#endif\n"
    "#endif\n"
    "#elif CLSORT_IS(SEGMENTS)\n\n",
    "//---- merge: segments serially\n\n\n"
    "CLSORT_KERNEL void clsort_segment_pass(CLSORT_ARRAY_ARGS(target), CLSORT_ARRAY_ARGS(alt),\n"
    "                                       CLSORT_CODEC_ARGS, CLSORT_SEGMENT_ARGS, CLSORT_JOB_ARGS,\n"
    "                                       uint pass, uint piece)\n"
    "{\n"
    "    const array_t target = CLSORT_ARRAY(target), alt = CLSORT_ARRAY(alt);\n"
    "    const codec_t codec = CLSORT_CODEC;\n"
    "    const jobs_t j = CLSORT_JOBS;\n"
    "    const segments_t given = CLSORT_SEGMENTS, s = sortable_segments(given, j);\n"
    "    const uint all = pass_job_count(j, s, pass), run = piece << pass;\n"
    "    for (uint i = (uint)get_global_id(0); i < all; i += (uint)get_global_size(0)) {\n"
    "        const job_t job = take_job(j, s, i);\n"
    "        const uint passes = segment_passes(job.segment, piece), first = job.slice * piece;\n"
    "        if (pass >= passes || first >= job.segment.size)\n"
    "            continue;\n"
    "        const array_t from = advance(runs_before(target, alt, passes, pass), job.segment.begin);\n"
    "        const pair_t p = find_pair(from, from, first, job.segment.size, run, 2 * run - 1);\n"
    "        const uint begin = first - p.start, size = p.na + p.nb, end = min(begin + piece, size),\n"
    "                   a = split_pair(p, begin, codec);\n"
    "        const uint end_a = end == size ? p.na : split_pair(p, end, codec);\n"
    "        merge_slice(p, a, end_a, begin - a, end - end_a,\n"
    "                    advance(runs_before(target, alt, passes, pass + 1), job.segment.begin), first,\n"
    "                    codec);\n"
    "    }\n"
    "}\n"
    "#endif\n"
    "#endif\n"
    "#endif\n"
    "#endif\n\n",
#else
    "#line 3341\n",
#endif
#ifndef CLSORT_NO_RADIX
    "//---- radix: codes\n"
    "#if CLSORT_LANES == 1 && (CLSORT_NEEDS_BINS || CLSORT_IS(CACHED))\n"
    "CLSORT_INLINE code_t load_code(global const uint *words)\n"
    "{\n"
    "    return (code_t)(words[0] | (ulong)words[1] << 32);\n"
    "}\n\n"
    "CLSORT_INLINE void store_code(global uint *words, code_t code)\n"
    "{\n"
    "    words[0] = (uint)code;\n"
    "    words[1] = (uint)((ulong)code >> 32);\n"
    "}\n"
    "#endif\n\n",
    "//---- radix: plan\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
    "#if CLSORT_LANES == 1 && CLSORT_NEEDS_RADIX\n\n"
    "#ifndef CLSORT_DIGIT_BITS\n"
    "#define CLSORT_DIGIT_BITS 8\n"
    "#endif\n"
    "#if CLSORT_DIGIT_BITS < 4 || CLSORT_DIGIT_BITS > (CLSORT_SHARE_LOG2 ? 8 : 11)\n"
    "#error \"CLSORT_DIGIT_BITS must be 4 to 8, or to 11 with CLSORT_SHARE_LOG2 0\"\n"
    "#endif\n\n"
    "#define CLSORT_SWEEP CLSORT_IS(SWEEP)\n"
    "#define CLSORT_DIGITS (1 << CLSORT_DIGIT_BITS)\n\n"
    "#define CLSORT_RADIX_DIGITS CLSORT__DIGITS_OF(CLSORT_KEY_BYTES, CLSORT_DIGIT_BITS)\n\n\n"
    "#if CLSORT_IS(PARTITION)\n"
    "#if CLSORT_SHARE_LOG2 == 0\n"
    "#define CLSORT_SPLITTER_SPACE\n"
    "#else\n"
    "#define CLSORT_SPLITTER_SPACE local\n"
    "#endif\n\n\n"
    "typedef struct { CLSORT_SPLITTER_SPACE const code_t *splitters; uint most; } digit_t;\n"
    "#else\n"
    "typedef struct { uint shift, mask; } digit_t;\n"
    "#endif\n\n\n\n"
    "#define CLSORT_RADIX_ARGS \\\n"
    "    CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target), CLSORT_ARRAY_ARGS(alt), \\\n"
    "        CLSORT_CODEC_ARGS, global uchar *scratch, ulong scratch_at, uint n, uint blocks, \\\n"
    "        uint block_elements, uint first_bit, uint last_bit, uint in_place, uint pass\n"
    "#define CLSORT_RADIX \\\n"
    "    { \\\n"
    "        CLSORT_ARRAY(source), CLSORT_ARRAY(target), CLSORT_ARRAY(alt), CLSORT_CODEC, \\\n"
    "            (global uint *)(scratch + scratch_at), n, blocks, block_elements, first_bit, last_bit, \\\n"
    "            in_place & (CLSORT__GATED - 1), pass, \\\n"
    "            in_place & CLSORT__GATED \\\n"
    "                && ((global const uint *)(scratch + scratch_at))[CLSORT__GATE] != 0, \\\n"
    "            in_place & CLSORT__MENDS \\\n"
    "    }\n"
    "typedef struct {\n"
    "    array_t source, target, alt;\n"
    "    codec_t codec;\n"
    "    global uint *scratch;\n"
    "    uint n, blocks, block_elements, first_bit, last_bit, in_place, pass;\n"
    "    uint done;\n"
    "    uint mends;\n"
    "#if CLSORT_IS(PARTITION)\n"
    "    digit_t digit;\n"
    "#endif\n"
    "} radix_t;\n\n\n"
    "CLSORT_INLINE global uint *radix_seen(radix_t r, uint block)\n"
    "{\n"
    "    return r.scratch + CLSORT__PLAN_WORDS + (size_t)block * CLSORT__SEEN_WORDS;\n"
    "}\n\n"
    "CLSORT_INLINE global uint *radix_table(radix_t r, uint digit)\n"
    "{\n"
    "    return radix_seen(r, r.blocks) + (size_t)digit * r.blocks;\n"
    "}\n\n"
    "CLSORT_INLINE uint radix_passes(radix_t r)\n"
    "{\n"
    "    return max((r.last_bit - r.first_bit + CLSORT_DIGIT_BITS - 1) / CLSORT_DIGIT_BITS, 1u);\n"
    "}\n\n",
    "//---- radix: digits\n"
    "#if CLSORT_IS(PARTITION)\n"
    "CLSORT_INLINE digit_t pass_digit(radix_t r, uint pass)\n"
    "{\n"
    "    return r.digit;\n"
    "}\n\n"
    "CLSORT_INLINE uint digit_of(code_t code, digit_t d)\n"
    "{\n"
    "    uint part = 0;\n"
    "    #pragma unroll\n"
    "    for (uint step = CLSORT_DIGITS / 2; step > 0; step /= 2)\n"
    "        part += d.splitters[part + step - 1] <= code ? step : 0;\n"
    "    return min(part, d.most);\n"
    "}\n"
    "#else\n\n\n"
    "CLSORT_INLINE digit_t pass_digit(radix_t r, uint pass)\n"
    "{\n"
    "    const uint shift = r.first_bit + min(pass, radix_passes(r) - 1) * CLSORT_DIGIT_BITS;\n"
    "    const digit_t d = { shift, (1u << min(r.last_bit - shift, (uint)CLSORT_DIGIT_BITS)) - 1 };\n"
    "    return d;\n"
    "}\n\n"
    "CLSORT_INLINE uint digit_of(code_t code, digit_t d)\n"
    "{\n"
    "    return (uint)(code >> d.shift) & d.mask;\n"
    "}\n"
    "#endif\n\n\n\n"
    "enum { PASS_SORTS = 1, PASS_COPIES = 2, PASS_ODD = 4, PASS_FROM = 3, PASS_TO = 5 };\n\n"
    "enum { TARGET_IS_SOURCE = 1, ALT_IS_SOURCE = 2 };\n\n\n"
    "CLSORT_INLINE void write_plan(radix_t r, code_t differ)\n"
    "{\n"
    "    const uint passes = radix_passes(r);\n"
    "    uint sorts = 0;\n"
    "    for (uint p = 0; p < passes; p++)\n"
    "        sorts += digit_of(differ, pass_digit(r, p)) != 0;\n"
    "    uint copies = r.in_place == ALT_IS_SOURCE ? !(sorts & 1)\n"
    "                  : r.in_place                 ? sorts & 1\n"
    "                                               : sorts == 0,\n"
    "         moves = sorts + copies, from = ARRAY_SOURCE, odd = 0;\n"
    "    for (uint p = 0; p <= passes; p++) {\n"
    "        const uint varies = p < passes && digit_of(differ, pass_digit(r, p)) != 0;\n"
    "        if (r.done || (!varies && !copies)) {\n"
    "            r.scratch[p] = 0;\n"
    "            continue;\n"
    "        }\n"
    "        const uint to = --moves & 1 ? ARRAY_ALT : ARRAY_TARGET;\n"
    "        r.scratch[p] = (varies ? PASS_SORTS | odd : PASS_COPIES) | from << PASS_FROM\n"
    "                       | to << PASS_TO;\n"
    "        odd ^= varies ? PASS_ODD : 0;\n"
    "        copies = varies ? copies : 0;\n"
    "        from = to;\n"
    "    }\n"
    "}\n\n\n"
    "CLSORT_INLINE uint pass_plan(radix_t r)\n"
    "{\n"
    "    return r.scratch[r.pass];\n"
    "}\n\n\n"
    "CLSORT_INLINE uint count_plan(radix_t r)\n"
    "{\n"
    "    return r.pass ? pass_plan(r) : r.done ? 0 : PASS_SORTS;\n"
    "}\n\n"
    "CLSORT_INLINE array_t plan_array(radix_t r, uint plan, uint shift)\n"
    "{\n"
    "    return array_at(plan >> shift & 3, r.source, r.target, r.alt);\n"
    "}\n\n",
    "//---- radix: partition\n"
    "#if CLSORT_IS(PARTITION)\n\n\n"
    "#define CLSORT_PARTITION_ARGS \\\n"
    "    CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target), CLSORT_CODEC_ARGS, \\\n"
    "        global const uchar *splitters, ulong splitters_at, global uchar *starts, \\\n"
    "        ulong starts_at, global uchar *scratch, ulong scratch_at, uint n, uint blocks, \\\n"
    "        uint block_elements, uint splitter_count\n"
    "#define CLSORT_PARTITION(codes) \\\n"
    "    { \\\n"
    "        CLSORT_ARRAY(source), CLSORT_ARRAY(target), CLSORT_ARRAY(target), CLSORT_CODEC, \\\n"
    "            (global uint *)(scratch + scratch_at), n, blocks, block_elements, 0, 0, 0, 0, 0, 0, \\\n"
    "            { codes, splitter_count } \\\n"
    "    }\n\n\n"
    "CLSORT_INLINE code_t splitter_code(global const uchar *splitters, uint i, uint count, codec_t c)\n"
    "{\n"
    "    return i < count ? encode(((global const code_t *)splitters)[i], c) : (code_t)~(code_t)0;\n"
    "}\n"
    "#endif\n\n",
    "//---- radix: blocks\n\n\n"
    "typedef struct { uint begin, size; } block_t;\n\n"
    "CLSORT_INLINE block_t take_block(radix_t r, uint block, uint works)\n"
    "{\n"
    "    const uint begin = block * r.block_elements;\n"
    "    const uint all = works && block < r.blocks;\n"
    "    const block_t b = { begin, all ? min(r.n - begin, r.block_elements) : 0 };\n"
    "    return b;\n"
    "}\n\n\n"
    "typedef struct { code_t set, clear; } seen_t;\n\n"
    "CLSORT_INLINE code_t see_code(seen_t *seen, code_t code)\n"
    "{\n"
    "    seen->set |= code;\n"
    "    seen->clear |= (code_t)~code;\n"
    "    return code;\n"
    "}\n\n\n"
    "CLSORT_INLINE void copy_block(radix_t r, uint plan, block_t b, uint t, uint step)\n"
    "{\n"
    "    const array_t from = plan_array(r, plan, PASS_FROM), to = plan_array(r, plan, PASS_TO);\n"
    "    for (uint i = t; i < b.size; i += step)\n"
    "        store_whole_item(to, r.codec, b.begin + i, load_whole_item(from, r.codec, b.begin + i));\n"
    "}\n\n",
    "//---- radix: a block per work-item\n"
    "#if CLSORT_SHARE_LOG2 == 0\n\n"
    "#define CLSORT_COUNT_COPIES 4\n\n"
    "#define CLSORT_CODES_AT_ONCE 16\n\n\n\n"
    "CLSORT_INLINE seen_t count_block(radix_t r, array_t from, block_t b, uint *bins)\n"
    "{\n"
    "    const digit_t digit = pass_digit(r, r.pass);\n"
    "    seen_t seen = { 0, 0 };\n"
    "    uint i = 0;\n"
    "    for (; b.size - i >= CLSORT_CODES_AT_ONCE; i += CLSORT_CODES_AT_ONCE) {\n"
    "        uint d[CLSORT_CODES_AT_ONCE];\n"
    "        for (uint k = 0; k < CLSORT_CODES_AT_ONCE; k++)\n"
    "            d[k] = digit_of(see_code(&seen, encode(*key_place(from, b.begin + i + k), r.codec)),\n"
    "                            digit);\n"
    "        for (uint k = 0; k < CLSORT_CODES_AT_ONCE; k++)\n"
    "            bins[k % CLSORT_COUNT_COPIES * CLSORT_DIGITS + d[k]]++;\n"
    "    }\n"
    "    for (; i < b.size; i++)\n"
    "        bins[digit_of(see_code(&seen, encode(*key_place(from, b.begin + i), r.codec)), digit)]++;\n"
    "    return seen;\n"
    "}\n\n"
    "CLSORT_INLINE void write_seen(radix_t r, uint block, seen_t seen)\n"
    "{\n"
    "    global uint *place = radix_seen(r, block);\n"
    "    place[0] = (uint)seen.set;\n"
    "    place[1] = (uint)((ulong)seen.set >> 32);\n"
    "    place[2] = (uint)seen.clear;\n"
    "    place[3] = (uint)((ulong)seen.clear >> 32);\n"
    "}\n\n\n"
    "CLSORT_INLINE void write_counts(radix_t r, uint block, const uint *bins)\n"
    "{\n"
    "    for (uint d = 0; d < CLSORT_DIGITS; d++) {\n"
    "        uint count = 0;\n"
    "        for (uint k = 0; k < CLSORT_COUNT_COPIES; k++)\n"
    "            count += bins[k * CLSORT_DIGITS + d];\n"
    "        radix_table(r, 0)[block * CLSORT_DIGITS + d] = count;\n"
    "    }\n"
    "}\n\n"
    "#if CLSORT_IS(RADIX)\n"
    "CLSORT_KERNEL void clsort_radix_count(CLSORT_RADIX_ARGS)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    const uint block = (uint)get_global_id(0), plan = count_plan(r);\n"
    "    const block_t b = take_block(r, block, plan & PASS_SORTS);\n"
    "    uint bins[CLSORT_COUNT_COPIES * CLSORT_DIGITS];\n"
    "    if (b.size == 0)\n"
    "        return;\n"
    "    for (uint d = 0; d < CLSORT_COUNT_COPIES * CLSORT_DIGITS; d++)\n"
    "        bins[d] = 0;\n"
    "    const seen_t seen = count_block(r, plan_array(r, plan, PASS_FROM), b, bins);\n"
    "    if (pass == 0)\n"
    "        write_seen(r, block, seen);\n"
    "    write_counts(r, block, bins);\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_radix_scan(CLSORT_RADIX_ARGS)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    global uint *table = radix_table(r, 0);\n"
    "    ulong set = 0, clear = 0;\n"
    "    uint sum = 0;\n"
    "    if (get_global_id(0) != 0)\n"
    "        return;\n"
    "    for (uint b = 0; pass == 0 && !r.done && b < blocks; b++) {\n"
    "        set |= radix_seen(r, b)[0] | (ulong)radix_seen(r, b)[1] << 32;\n"
    "        clear |= radix_seen(r, b)[2] | (ulong)radix_seen(r, b)[3] << 32;\n"
    "    }\n"
    "    if (pass == 0)\n"
    "        write_plan(r, (code_t)(set & clear));\n"
    "    if (pass_plan(r) & PASS_SORTS)\n"
    "        for (uint d = 0; d < CLSORT_DIGITS; d++)\n"
    "            for (uint b = 0; b < blocks; b++) {\n"
    "                const uint count = table[b * CLSORT_DIGITS + d];\n"
    "                table[b * CLSORT_DIGITS + d] = sum;\n"
    "                sum += count;\n"
    "            }\n"
    "}\n"
    "#endif\n\n",
    "//---- radix: scatter of a block per work-item\n\n\n\n"
    "CLSORT_INLINE void scatter_items(radix_t r, array_t from, array_t to, block_t b, uint *next)\n"
    "{\n"
    "    const digit_t digit = pass_digit(r, r.pass);\n"
    "    for (uint i = 0; i < b.size; i++) {\n"
    "        const item_t item = load_whole_item(from, r.codec, b.begin + i);\n"
    "        const uint place = next[digit_of(item.key, digit)]++;\n"
    "        store_whole_item(to, r.codec, CLSORT_IS(PIECES) ? min(place, r.n - 1) : place, item);\n"
    "    }\n"
    "}\n\n\n\n\n\n"
    "#ifndef CLSORT_STAGE_BYTES\n"
    "#define CLSORT_STAGE_BYTES (1 << 25)\n"
    "#endif\n"
    "#define CLSORT_STAGE_KEYS (64 / CLSORT_KEY_BYTES)\n\n\n"
    "CLSORT_INLINE void write_line(global code_t *to, const code_t *keys, uint count)\n"
    "{\n"
    "#if __has_builtin(__builtin_nontemporal_store)\n"
    "    if (count == CLSORT_STAGE_KEYS) {\n"
    "        __builtin_nontemporal_store(*(const uint16 *)keys, (global uint16 *)to);\n"
    "        return;\n"
    "    }\n"
    "#endif\n"
    "    for (uint k = 0; k < count; k++)\n"
    "        to[k] = keys[k];\n"
    "}\n\n\n"
    "CLSORT_INLINE void stage_key(array_t to, code_t *lines, const uint *first, uint *next, uint digit,\n"
    "                             code_t key)\n"
    "{\n"
    "    const uint skew = (uint)((size_t)to.keys / CLSORT_KEY_BYTES), place = next[digit]++,\n"
    "               slot = (place + skew) % CLSORT_STAGE_KEYS;\n"
    "    code_t *line = lines + digit * CLSORT_STAGE_KEYS;\n"
    "    line[slot] = key;\n"
    "    if (slot == CLSORT_STAGE_KEYS - 1) {\n"
    "        const uint before = min(slot, place - first[digit]);\n"
    "        write_line(key_place(to, place - before), line + (slot - before), before + 1);\n"
    "    }\n"
    "}\n\n\n"
    "CLSORT_INLINE void write_lines(array_t to, const code_t *lines, const uint *first,\n"
    "                               const uint *next, uint digits)\n"
    "{\n"
    "    const uint skew = (uint)((size_t)to.keys / CLSORT_KEY_BYTES);\n"
    "    for (uint d = 0; d < digits; d++) {\n"
    "        const uint slot = (next[d] + skew) % CLSORT_STAGE_KEYS,\n"
    "                   left = min(slot, next[d] - first[d]);\n"
    "        write_line(key_place(to, next[d] - left), lines + (d * CLSORT_STAGE_KEYS + slot - left),\n"
    "                   left);\n"
    "    }\n"
    "    mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
    "}\n\n"
    "CLSORT_INLINE void scatter_keys(radix_t r, array_t from, array_t to, block_t b, uint *next)\n"
    "{\n"
    "    const digit_t digit = pass_digit(r, r.pass);\n"
    "    code_t lines[CLSORT_DIGITS * CLSORT_STAGE_KEYS] __attribute__((aligned(64)));\n"
    "    uint first[CLSORT_DIGITS];\n"
    "    for (uint d = 0; d < CLSORT_DIGITS; d++)\n"
    "        first[d] = next[d];\n"
    "    for (uint i = 0; i < b.size; i++) {\n"
    "        const code_t key = *key_place(from, b.begin + i);\n"
    "        stage_key(to, lines, first, next, digit_of(encode(key, r.codec), digit), key);\n"
    "    }\n"
    "    write_lines(to, lines, first, next, CLSORT_DIGITS);\n"
    "}\n\n"
    "CLSORT_INLINE void scatter_block(radix_t r, uint plan, block_t b, uint *next)\n"
    "{\n"
    "    const array_t from = plan_array(r, plan, PASS_FROM), to = plan_array(r, plan, PASS_TO);\n"
    "    if (CLSORT_VALUE_BYTES == 0 && r.n >= CLSORT_STAGE_BYTES / CLSORT_KEY_BYTES)\n"
    "        scatter_keys(r, from, to, b, next);\n"
    "    else\n"
    "        scatter_items(r, from, to, b, next);\n"
    "}\n\n"
    "#if CLSORT_IS(RADIX)\n"
    "CLSORT_KERNEL void clsort_radix_scatter(CLSORT_RADIX_ARGS)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    const uint block = (uint)get_global_id(0), plan = pass_plan(r);\n"
    "    const block_t b = take_block(r, block, plan & (PASS_SORTS | PASS_COPIES));\n"
    "    uint next[CLSORT_DIGITS];\n"
    "    if (b.size == 0)\n"
    "        return;\n"
    "    if (plan & PASS_COPIES) {\n"
    "        copy_block(r, plan, b, 0, 1);\n"
    "        return;\n"
    "    }\n"
    "    for (uint d = 0; d < CLSORT_DIGITS; d++)\n"
    "        next[d] = radix_table(r, 0)[block * CLSORT_DIGITS + d];\n"
    "    scatter_block(r, plan, b, next);\n"
    "}\n"
    "#endif\n\n",
    "//---- radix: partition by work-items\n"
    "#if CLSORT_IS(PARTITION) && CLSORT_SHARE_LOG2 == 0\n\n\n"
    "#define CLSORT_FINE_DIGITS (CLSORT_DIGITS / 16)\n"
    "typedef CLSORT_JOIN(CLSORT_CODE_NAME, 16) codes16_t;\n"
    "CLSORT_INLINE void digits_of(const code_t *code, uint *digit, digit_t d)\n"
    "{\n"
    "    const codes16_t codes = vload16(0, code);\n"
    "    int16 sum = 0;\n"
    "    #pragma unroll\n"
    "    for (uint k = 1; k < 16; k++)\n"
    "        sum -= convert_int16((codes16_t)d.splitters[k * CLSORT_FINE_DIGITS - 1] <= codes);\n"
    "    vstore16(as_uint16(sum) * CLSORT_FINE_DIGITS, 0, digit);\n"
    "    for (uint step = CLSORT_FINE_DIGITS / 2; step > 0; step /= 2)\n"
    "        for (uint l = 0; l < 16; l++)\n"
    "            digit[l] += d.splitters[digit[l] + step - 1] <= code[l] ? step : 0;\n"
    "    vstore16(min(vload16(0, digit), (uint16)d.most), 0, digit);\n"
    "}\n\n\n"
    "CLSORT_INLINE uint block_digits(radix_t r, block_t b, uint i, uint *digit)\n"
    "{\n"
    "    const uint size = min(b.size - i, (uint)CLSORT_CODES_AT_ONCE);\n"
    "    code_t code[CLSORT_CODES_AT_ONCE];\n"
    "    if (size == CLSORT_CODES_AT_ONCE)\n"
    "        for (uint l = 0; l < CLSORT_CODES_AT_ONCE; l++)\n"
    "            code[l] = encode(*key_place(r.source, b.begin + i + l), r.codec);\n"
    "    else\n"
    "        for (uint l = 0; l < CLSORT_CODES_AT_ONCE; l++)\n"
    "            code[l] = encode(*key_place(r.source, b.begin + i + min(l, size - 1)), r.codec);\n"
    "    digits_of(code, digit, r.digit);\n"
    "    return size;\n"
    "}\n\n\n"
    "CLSORT_KERNEL void clsort_partition_count(CLSORT_PARTITION_ARGS)\n"
    "{\n"
    "    code_t codes[CLSORT_DIGITS];\n"
    "    const radix_t r = CLSORT_PARTITION(codes);\n"
    "    const uint block = (uint)get_global_id(0);\n"
    "    uint bins[CLSORT_COUNT_COPIES * CLSORT_DIGITS], digit[CLSORT_CODES_AT_ONCE];\n"
    "    if (block >= blocks)\n"
    "        return;\n"
    "    const block_t b = take_block(r, block, 1);\n"
    "    for (uint d = 0; d < CLSORT_DIGITS; d++)\n"
    "        codes[d] = splitter_code(splitters + splitters_at, d, splitter_count, r.codec);\n"
    "    for (uint d = 0; d < CLSORT_COUNT_COPIES * CLSORT_DIGITS; d++)\n"
    "        bins[d] = 0;\n"
    "    for (uint i = 0; i < b.size; i += CLSORT_CODES_AT_ONCE) {\n"
    "        const uint size = block_digits(r, b, i, digit);\n"
    "        for (uint l = 0; l < size; l++)\n"
    "            bins[l % CLSORT_COUNT_COPIES * CLSORT_DIGITS + digit[l]]++;\n"
    "    }\n"
    "    write_counts(r, block, bins);\n"
    "}\n\n\n"
    "CLSORT_KERNEL void clsort_partition_scan(CLSORT_PARTITION_ARGS)\n"
    "{\n"
    "    const radix_t r = CLSORT_PARTITION(0);\n"
    "    global uint *table = radix_table(r, 0), *start = (global uint *)(starts + starts_at);\n"
    "    uint sum = 0;\n"
    "    if (get_global_id(0) != 0)\n"
    "        return;\n"
    "    for (uint d = 0; d <= splitter_count; d++) {\n"
    "        start[d] = sum;\n"
    "        for (uint b = 0; b < blocks; b++) {\n"
    "            const uint count = table[b * CLSORT_DIGITS + d];\n"
    "            table[b * CLSORT_DIGITS + d] = sum;\n"
    "            sum += count;\n"
    "        }\n"
    "    }\n"
    "    start[splitter_count + 1] = sum;\n"
    "}\n\n",
    "//---- radix: partition moves\n\n"
    "CLSORT_INLINE void part_block(radix_t r, block_t b, uint *next)\n"
    "{\n"
    "    const uint staged = CLSORT_VALUE_BYTES == 0 && r.n >= CLSORT_STAGE_BYTES / CLSORT_KEY_BYTES;\n"
    "    code_t lines[CLSORT_DIGITS * CLSORT_STAGE_KEYS] __attribute__((aligned(64)));\n"
    "    uint first[CLSORT_DIGITS], digit[CLSORT_CODES_AT_ONCE];\n"
    "    for (uint d = 0; d < CLSORT_DIGITS; d++)\n"
    "        first[d] = next[d];\n"
    "    for (uint i = 0; i < b.size; i += CLSORT_CODES_AT_ONCE) {\n"
    "        const uint size = block_digits(r, b, i, digit);\n"
    "        for (uint l = 0; l < size && staged; l++)\n"
    "            stage_key(r.target, lines, first, next, digit[l],\n"
    "                      *key_place(r.source, b.begin + i + l));\n"
    "        for (uint l = 0; l < size && !staged; l++) {\n"
    "            const uint place = next[digit[l]]++;\n"
    "            uint word[CLSORT_WORDS_OR_1];\n"
    "            *key_place(r.target, place) = *key_place(r.source, b.begin + i + l);\n"
    "            load_words(r.source, b.begin + i + l, word);\n"
    "            store_words(r.target, place, word);\n"
    "        }\n"
    "    }\n"
    "    if (staged)\n"
    "        write_lines(r.target, lines, first, next, CLSORT_DIGITS);\n"
    "}\n\n"
    "CLSORT_KERNEL void clsort_partition_scatter(CLSORT_PARTITION_ARGS)\n"
    "{\n"
    "    code_t codes[CLSORT_DIGITS];\n"
    "    const radix_t r = CLSORT_PARTITION(codes);\n"
    "    const uint block = (uint)get_global_id(0);\n"
    "    uint next[CLSORT_DIGITS];\n"
    "    if (block >= blocks)\n"
    "        return;\n"
    "    for (uint d = 0; d < CLSORT_DIGITS; d++) {\n"
    "        codes[d] = splitter_code(splitters + splitters_at, d, splitter_count, r.codec);\n"
    "        next[d] = d <= splitter_count ? radix_table(r, 0)[block * CLSORT_DIGITS + d] : 0;\n"
    "    }\n"
    "    part_block(r, take_block(r, block, 1), next);\n"
    "}\n"
    "#endif\n\n",
    "//---- radix: small in a work-item\n\n"
    "CLSORT_INLINE code_t count_digits(radix_t r, uint bins[][CLSORT_DIGITS])\n"
    "{\n"
    "    seen_t seen = { 0, 0 };\n"
    "    for (uint p = 0; p < radix_passes(r); p++)\n"
    "        for (uint d = 0; d < CLSORT_DIGITS; d++)\n"
    "            bins[p][d] = 0;\n"
    "    for (uint i = 0; i < r.n; i++) {\n"
    "        const code_t code = see_code(&seen, encode(*key_place(r.source, i), r.codec));\n"
    "        for (uint p = 0; p < radix_passes(r); p++)\n"
    "            bins[p][digit_of(code, pass_digit(r, p))]++;\n"
    "    }\n"
    "    return seen.set & seen.clear;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void sort_small(radix_t r)\n"
    "{\n"
    "    const block_t all = { 0, r.n };\n"
    "    uint bins[CLSORT_RADIX_DIGITS][CLSORT_DIGITS];\n"
    "    write_plan(r, count_digits(r, bins));\n"
    "    for (r.pass = 0; r.pass <= radix_passes(r); r.pass++) {\n"
    "        if (pass_plan(r) & PASS_SORTS) {\n"
    "            uint sum = 0;\n"
    "            for (uint d = 0; d < CLSORT_DIGITS; d++) {\n"
    "                const uint count = bins[r.pass][d];\n"
    "                bins[r.pass][d] = sum;\n"
    "                sum += count;\n"
    "            }\n"
    "            scatter_block(r, pass_plan(r), all, bins[r.pass]);\n"
    "        } else if (pass_plan(r) & PASS_COPIES)\n"
    "            copy_block(r, pass_plan(r), all, 0, 1);\n"
    "    }\n"
    "}\n\n"
    "#if CLSORT_IS(RADIX)\n\n"
    "CLSORT_KERNEL void clsort_radix_small(CLSORT_RADIX_ARGS)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    if (get_global_id(0) == 0)\n"
    "        sort_small(r);\n"
    "}\n"
    "#endif\n\n",
    "//---- radix: vectors\n\n\n\n\n\n\n\n\n\n\n\n\n"
    "#ifndef CLSORT_VECTORS\n"
    "#define CLSORT_VECTORS 1\n"
    "#endif\n"
    "#if CLSORT_VECTORS && (CLSORT_IS(CACHED) || CLSORT_IS(PIECES)) && CLSORT_VALUE_BYTES == 0 \\\n"
    "    && defined(__AVX512F__)\n"
    "#if CLSORT_KEY_BYTES == 4 && __has_builtin(__builtin_ia32_compresssi512_mask) \\\n"
    "    && __has_builtin(__builtin_ia32_expandsi512_mask) \\\n"
    "    && __has_builtin(__builtin_ia32_ucmpd512_mask) \\\n"
    "    && __has_builtin(__builtin_ia32_loaddqusi512_mask) \\\n"
    "    && __has_builtin(__builtin_ia32_storedqusi512_mask)\n"
    "#define CLSORT_ROW 16\n"
    "typedef uint16 row_t;\n"
    "typedef int16 flags_t;\n"
    "typedef ushort mask_t;\n"
    "#define CLSORT_AS_FLAGS as_int16\n"
    "#define CLSORT_AS_ROW as_uint16\n"
    "#define CLSORT_VECTOR_(name) CLSORT_JOIN(CLSORT_JOIN(__builtin_ia32_, name), si512_mask)\n"
    "#define CLSORT_VECTOR_LESS __builtin_ia32_ucmpd512_mask\n"
    "#elif CLSORT_KEY_BYTES == 8 && __has_builtin(__builtin_ia32_compressdi512_mask) \\\n"
    "    && __has_builtin(__builtin_ia32_expanddi512_mask) \\\n"
    "    && __has_builtin(__builtin_ia32_ucmpq512_mask) \\\n"
    "    && __has_builtin(__builtin_ia32_loaddqudi512_mask) \\\n"
    "    && __has_builtin(__builtin_ia32_storedqudi512_mask)\n"
    "#define CLSORT_ROW 8\n"
    "typedef ulong8 row_t;\n"
    "typedef long8 flags_t;\n"
    "typedef uchar mask_t;\n"
    "#define CLSORT_AS_FLAGS as_long8\n"
    "#define CLSORT_AS_ROW as_ulong8\n"
    "#define CLSORT_VECTOR_(name) CLSORT_JOIN(CLSORT_JOIN(__builtin_ia32_, name), di512_mask)\n"
    "#define CLSORT_VECTOR_LESS __builtin_ia32_ucmpq512_mask\n"
    "#endif\n"
    "#endif\n\n"
    "#ifndef CLSORT_ROW\n\n"
    "CLSORT_INLINE uint sorts_by_vectors(radix_t r) { return 0; }\n"
    "CLSORT_INLINE void vector_sort(radix_t r) {}\n"
    "#else\n"
    "CLSORT_INLINE uint sorts_by_vectors(radix_t r)\n"
    "{\n"
    "    return r.first_bit == 0 && r.last_bit == 8 * CLSORT_KEY_BYTES;\n"
    "}\n\n\n"
    "#define CLSORT_LEAF_ROWS 16\n"
    "#define CLSORT_LEAF (CLSORT_LEAF_ROWS * CLSORT_ROW)\n"
    "#define CLSORT_LOAD_ROW(from) CLSORT_JOIN(vload, CLSORT_ROW)(0, from)\n"
    "#define CLSORT_STORE_ROW(v, to) CLSORT_JOIN(vstore, CLSORT_ROW)(v, 0, to)\n\n\n"
    "CLSORT_INLINE row_t compress_row(row_t v, row_t rest, uint mask)\n"
    "{\n"
    "    return CLSORT_AS_ROW(CLSORT_VECTOR_(compress)(CLSORT_AS_FLAGS(v), CLSORT_AS_FLAGS(rest),\n"
    "                                                  (mask_t)mask));\n"
    "}\n\n\n"
    "CLSORT_INLINE row_t expand_row(row_t v, row_t rest, uint mask)\n"
    "{\n"
    "    return CLSORT_AS_ROW(CLSORT_VECTOR_(expand)(CLSORT_AS_FLAGS(v), CLSORT_AS_FLAGS(rest),\n"
    "                                                (mask_t)mask));\n"
    "}\n\n"
    "CLSORT_INLINE uint lanes_below(row_t v, row_t pivot)\n"
    "{\n"
    "    return (mask_t)CLSORT_VECTOR_LESS(CLSORT_AS_FLAGS(v), CLSORT_AS_FLAGS(pivot), 1, (mask_t)~0u);\n"
    "}\n\n\n"
    "CLSORT_INLINE row_t load_row(global const code_t *from, uint lanes, code_t rest)\n"
    "{\n"
    "    return CLSORT_AS_ROW(CLSORT_VECTOR_(loaddqu)((global const void *)from,\n"
    "                                                 CLSORT_AS_FLAGS((row_t)rest),\n"
    "                                                 (mask_t)((1u << lanes) - 1)));\n"
    "}\n\n"
    "CLSORT_INLINE void store_row(row_t v, global code_t *to, uint lanes)\n"
    "{\n"
    "    CLSORT_VECTOR_(storedqu)((global void *)to, CLSORT_AS_FLAGS(v), (mask_t)((1u << lanes) - 1));\n"
    "}\n\n"
    "CLSORT_INLINE row_t toggle_row(row_t k, codec_t c)\n"
    "{\n"
    "    return k ^ (-(k >> (row_t)(code_t)(8 * CLSORT_KEY_BYTES - 1)) & (row_t)c.mask);\n"
    "}\n\n"
    "CLSORT_INLINE row_t encode_row(row_t k, codec_t c)\n"
    "{\n"
    "    return (toggle_row(k, c) ^ (row_t)c.flip) - (row_t)c.rotate;\n"
    "}\n\n"
    "CLSORT_INLINE row_t decode_row(row_t v, codec_t c)\n"
    "{\n"
    "    return toggle_row((v + (row_t)c.rotate) ^ (row_t)c.flip, c);\n"
    "}\n\n",
    "//---- radix: rows\n\n"
    "CLSORT_INLINE row_t swap_lanes(row_t v, uint bits)\n"
    "{\n"
    "#if CLSORT_ROW == 16\n"
    "    return bits == 1 ? v.s1032547698badcfe : bits == 2 ? v.s23016745ab89efcd\n"
    "         : bits == 3 ? v.s32107654ba98fedc : bits == 4 ? v.s45670123cdef89ab\n"
    "         : bits == 7 ? v.s76543210fedcba98 : v.sfedcba9876543210;\n"
    "#else\n"
    "    return bits == 1 ? v.s10325476 : bits == 2 ? v.s23016745\n"
    "         : bits == 3 ? v.s32107654 : v.s76543210;\n"
    "#endif\n"
    "}\n\n\n"
    "CLSORT_INLINE row_t mix_lanes(row_t low, row_t high, uint bits)\n"
    "{\n"
    "#if CLSORT_ROW == 16\n"
    "    const row_t lane = (row_t)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);\n"
    "#else\n"
    "    const row_t lane = (row_t)(0, 1, 2, 3, 4, 5, 6, 7);\n"
    "#endif\n"
    "    return select(low, high, (lane & (row_t)(code_t)(bits & ~(bits >> 1))) != 0);\n"
    "}\n\n"
    "CLSORT_INLINE void order_rows(row_t *a, row_t *b)\n"
    "{\n"
    "    const row_t low = min(*a, *b);\n"
    "    *b = max(*a, *b);\n"
    "    *a = low;\n"
    "}\n\n\n"
    "CLSORT_INLINE void merge_columns(row_t *r, uint rows, uint bit)\n"
    "{\n"
    "    #pragma unroll\n"
    "    for (uint b = bit; b > 0; b /= 2)\n"
    "        #pragma unroll\n"
    "        for (uint i = 0; i < rows; i++)\n"
    "            if (!(i & b))\n"
    "                order_rows(&r[i], &r[i + b]);\n"
    "}\n\n\n"
    "CLSORT_INLINE void mirror_columns(row_t *r, uint rows, uint bits)\n"
    "{\n"
    "    #pragma unroll\n"
    "    for (uint i = 0; i < rows / 2; i++) {\n"
    "        const row_t x = r[i], y = swap_lanes(r[rows - 1 - i], bits), low = min(x, y),\n"
    "                    high = max(x, y);\n"
    "        r[i] = mix_lanes(low, high, bits);\n"
    "        r[rows - 1 - i] = swap_lanes(mix_lanes(high, low, bits), bits);\n"
    "    }\n"
    "}\n\n"
    "CLSORT_INLINE void order_lanes(row_t *r, uint rows, uint bit)\n"
    "{\n"
    "    #pragma unroll\n"
    "    for (uint i = 0; i < rows; i++) {\n"
    "        const row_t y = swap_lanes(r[i], bit);\n"
    "        r[i] = mix_lanes(min(r[i], y), max(r[i], y), bit);\n"
    "    }\n"
    "}\n\n\n"
    "CLSORT_INLINE void join_columns(row_t *r, uint rows, uint width)\n"
    "{\n"
    "    mirror_columns(r, rows, 2 * width - 1);\n"
    "    #pragma unroll\n"
    "    for (uint bit = width / 2; bit > 0; bit /= 2)\n"
    "        order_lanes(r, rows, bit);\n"
    "    merge_columns(r, rows, rows / 2);\n"
    "}\n\n"
    "CLSORT_INLINE void sort_columns(row_t *r, uint rows)\n"
    "{\n"
    "    #pragma unroll\n"
    "    for (uint run = 1; run < rows; run *= 2) {\n"
    "        #pragma unroll\n"
    "        for (uint i = 0; i < rows; i++)\n"
    "            if (!(i & run))\n"
    "                order_rows(&r[i], &r[i ^ (2 * run - 1)]);\n"
    "        merge_columns(r, rows, run / 2);\n"
    "    }\n"
    "}\n\n",
    "//---- radix: leaves of vectors\n"
    "#if CLSORT_ROW == 16\n"
    "#define CLSORT_ZIP(x, y, a, b, c, d, e, f, g, h) \\\n"
    "    (row_t)(x.a, y.a, x.b, y.b, x.c, y.c, x.d, y.d, x.e, y.e, x.f, y.f, x.g, y.g, x.h, y.h)\n"
    "#define CLSORT_ZIP_LOW(x, y) CLSORT_ZIP(x, y, s0, s1, s2, s3, s4, s5, s6, s7)\n"
    "#define CLSORT_ZIP_HIGH(x, y) CLSORT_ZIP(x, y, s8, s9, sa, sb, sc, sd, se, sf)\n"
    "#else\n"
    "#define CLSORT_ZIP(x, y, a, b, c, d) (row_t)(x.a, y.a, x.b, y.b, x.c, y.c, x.d, y.d)\n"
    "#define CLSORT_ZIP_LOW(x, y) CLSORT_ZIP(x, y, s0, s1, s2, s3)\n"
    "#define CLSORT_ZIP_HIGH(x, y) CLSORT_ZIP(x, y, s4, s5, s6, s7)\n"
    "#endif\n\n\n\n"
    "CLSORT_INLINE void lay_columns(row_t *r, uint rows)\n"
    "{\n"
    "    row_t t[CLSORT_LEAF_ROWS];\n"
    "    #pragma unroll\n"
    "    for (uint bit = 1; bit < rows; bit *= 2) {\n"
    "        #pragma unroll\n"
    "        for (uint i = 0; i < rows / 2; i++) {\n"
    "            t[2 * i] = CLSORT_ZIP_LOW(r[i], r[i + rows / 2]);\n"
    "            t[2 * i + 1] = CLSORT_ZIP_HIGH(r[i], r[i + rows / 2]);\n"
    "        }\n"
    "        #pragma unroll\n"
    "        for (uint i = 0; i < rows; i++)\n"
    "            r[i] = t[i];\n"
    "    }\n"
    "}\n\n\n"
    "CLSORT_INLINE uint row_lanes(uint n, uint row)\n"
    "{\n"
    "    return min(max(n, row * CLSORT_ROW) - row * CLSORT_ROW, (uint)CLSORT_ROW);\n"
    "}\n\n\n"
    "CLSORT_INLINE void sort_rows(global const code_t *from, global code_t *to, uint n, codec_t c,\n"
    "                             uint rows, uint are_keys)\n"
    "{\n"
    "    const code_t top = (code_t)~(code_t)0, rest = are_keys ? decode(top, c) : top;\n"
    "    row_t r[CLSORT_LEAF_ROWS];\n"
    "    #pragma unroll\n"
    "    for (uint i = 0; i < rows; i++) {\n"
    "        r[i] = load_row(from + i * CLSORT_ROW, row_lanes(n, i), rest);\n"
    "        if (are_keys)\n"
    "            r[i] = encode_row(r[i], c);\n"
    "    }\n"
    "    sort_columns(r, rows);\n"
    "    #pragma unroll\n"
    "    for (uint width = 1; width < CLSORT_ROW; width *= 2)\n"
    "        join_columns(r, rows, width);\n"
    "    lay_columns(r, rows);\n"
    "    #pragma unroll\n"
    "    for (uint i = 0; i < rows; i++)\n"
    "        store_row(decode_row(r[i], c), to + i * CLSORT_ROW, row_lanes(n, i));\n"
    "}\n\n"
    "CLSORT_INLINE void sort_leaf(global const code_t *from, global code_t *to, uint n, codec_t c,\n"
    "                             uint are_keys)\n"
    "{\n"
    "    if (n <= CLSORT_LEAF / 4)\n"
    "        sort_rows(from, to, n, c, CLSORT_LEAF_ROWS / 4, are_keys);\n"
    "    else if (n <= CLSORT_LEAF / 2)\n"
    "        sort_rows(from, to, n, c, CLSORT_LEAF_ROWS / 2, are_keys);\n"
    "    else\n"
    "        sort_rows(from, to, n, c, CLSORT_LEAF_ROWS, are_keys);\n"
    "}\n\n",
    "//---- radix: partitions of vectors\n\n\n\n"
    "CLSORT_INLINE uint partition_codes(global const code_t *from, global code_t *to, uint n,\n"
    "                                   code_t pivot)\n"
    "{\n"
    "    uint low = 0, high = n, i = 0;\n"
    "    for (; i + 2 * CLSORT_ROW <= n; i += CLSORT_ROW) {\n"
    "        const row_t v = CLSORT_LOAD_ROW(from + i);\n"
    "        const uint below = lanes_below(v, (row_t)pivot), count = popcount(below);\n"
    "        const row_t moved = expand_row(compress_row(v, v, ~below), compress_row(v, v, below),\n"
    "                                       ~0u << count);\n"
    "        CLSORT_STORE_ROW(moved, to + low);\n"
    "        CLSORT_STORE_ROW(moved, to + high - CLSORT_ROW);\n"
    "        low += count;\n"
    "        high -= CLSORT_ROW - count;\n"
    "    }\n"
    "    for (; i < n; i += CLSORT_ROW) {\n"
    "        const uint left = min(n - i, (uint)CLSORT_ROW), all = (1u << left) - 1;\n"
    "        const row_t v = load_row(from + i, left, 0);\n"
    "        const uint below = lanes_below(v, (row_t)pivot) & all, count = popcount(below);\n"
    "        store_row(compress_row(v, v, below), to + low, count);\n"
    "        low += count;\n"
    "        high -= left - count;\n"
    "        store_row(compress_row(v, v, all & ~below), to + high, left - count);\n"
    "    }\n"
    "    return low;\n"
    "}\n\n\n"
    "CLSORT_INLINE code_t median_code(global const code_t *from, uint n)\n"
    "{\n"
    "    code_t sample[CLSORT_ROW];\n"
    "    const uint step = n / CLSORT_ROW;\n"
    "    for (uint i = 0; i < CLSORT_ROW; i++)\n"
    "        sample[i] = from[i * step + step / 2];\n"
    "    row_t v = CLSORT_LOAD_ROW(sample);\n"
    "    #pragma unroll\n"
    "    for (uint width = 1; width < CLSORT_ROW; width *= 2) {\n"
    "        order_lanes(&v, 1, 2 * width - 1);\n"
    "        #pragma unroll\n"
    "        for (uint bit = width / 2; bit > 0; bit /= 2)\n"
    "            order_lanes(&v, 1, bit);\n"
    "    }\n"
    "    CLSORT_STORE_ROW(v, sample);\n"
    "    return sample[CLSORT_ROW / 2];\n"
    "}\n\n\n"
    "CLSORT_INLINE code_t middle_code(global const code_t *from, uint n)\n"
    "{\n"
    "    code_t least = from[0], most = from[0];\n"
    "    for (uint i = 1; i < n; i++) {\n"
    "        least = min(least, from[i]);\n"
    "        most = max(most, from[i]);\n"
    "    }\n"
    "    return least + (most - least) / 2 + (least < most);\n"
    "}\n\n",
    "//---- radix: quicksort of vectors\n\n\n"
    "typedef struct { uint begin, size, moves; } vector_range_t;\n"
    "#define CLSORT_VECTOR_STACK 32\n\n\n\n"
    "CLSORT_INLINE vector_range_t split_range(global code_t *target, global code_t *alt,\n"
    "                                         vector_range_t v, codec_t c, uint most_moves,\n"
    "                                         vector_range_t *stack, uint *top)\n"
    "{\n"
    "    global code_t *const from = (v.moves & 1 ? target : alt) + v.begin,\n"
    "                  *const to = (v.moves & 1 ? alt : target) + v.begin;\n"
    "    const code_t pivot = v.moves < most_moves ? median_code(from, v.size)\n"
    "                                              : middle_code(from, v.size);\n"
    "    uint low = partition_codes(from, to, v.size, pivot);\n"
    "    const vector_range_t below = { v.begin, low, v.moves + 1 },\n"
    "                         above = { v.begin + low, v.size - low, v.moves + 1 };\n"
    "    if (low > 0) {\n"
    "        stack[(*top)++] = low > above.size ? below : above;\n"
    "        return low > above.size ? above : below;\n"
    "    }\n"
    "    low = pivot + 1 == 0 ? v.size : max(partition_codes(from, to, v.size, pivot + 1), 1u);\n"
    "    for (uint i = 0; i < low; i++)\n"
    "        target[v.begin + i] = decode(pivot, c);\n"
    "    const vector_range_t rest = { v.begin + low, v.size - low, v.moves + 1 };\n"
    "    return rest;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void vector_sort(radix_t r)\n"
    "{\n"
    "    global code_t *const target = key_place(r.target, 0), *const alt = key_place(r.alt, 0);\n"
    "    global const code_t *const source = key_place(r.source, 0);\n"
    "    const uint most_moves = 2 * ceil_log2(r.n);\n"
    "    vector_range_t stack[CLSORT_VECTOR_STACK], v = { 0, r.n, 0 };\n"
    "    uint top = 0;\n"
    "    if (r.n <= CLSORT_LEAF) {\n"
    "        sort_leaf(source, target, r.n, r.codec, 1);\n"
    "        return;\n"
    "    }\n"
    "    for (uint i = 0; i < r.n; i++)\n"
    "        alt[i] = encode(source[i], r.codec);\n"
    "    for (;;) {\n"
    "        if (v.size > CLSORT_LEAF) {\n"
    "            v = split_range(target, alt, v, r.codec, most_moves, stack, &top);\n"
    "            continue;\n"
    "        }\n"
    "        if (v.size > 0)\n"
    "            sort_leaf((v.moves & 1 ? target : alt) + v.begin, target + v.begin, v.size, r.codec,\n"
    "                      0);\n"
    "        if (top == 0)\n"
    "            break;\n"
    "        v = stack[--top];\n"
    "    }\n"
    "}\n"
    "#endif\n\n",
    "//---- radix: pieces\n"
    "#if CLSORT_IS(PIECES)\n\n"
    "CLSORT_INLINE void sort_piece(radix_t r, job_t job, uint piece)\n"
    "{\n"
    "    const uint first = job.slice * piece, begin = job.segment.begin + first,\n"
    "               moves = segment_passes(job.segment, piece);\n"
    "    const array_t from = advance(array_at(job.where, r.source, r.target, r.alt), begin);\n"
    "    const array_t to = advance(moves & 1 ? r.alt : r.target, begin),\n"
    "                  alt = advance(moves & 1 ? r.target : r.alt, begin);\n"
    "    r.n = first < job.segment.size ? min(job.segment.size - first, piece) : 0;\n"
    "    r.source = from;\n"
    "    r.target = to;\n"
    "    r.alt = alt;\n"
    "    r.in_place = from.keys == to.keys      ? TARGET_IS_SOURCE\n"
    "                 : from.keys == alt.keys ? ALT_IS_SOURCE\n"
    "                                           : 0;\n"
    "    if (sorts_by_vectors(r))\n"
    "        vector_sort(r);\n"
    "    else if (r.n > CLSORT_INSERTION_MOST)\n"
    "        sort_small(r);\n"
    "    else\n"
    "        insertion_sort(from, to, 0, r.n, r.codec);\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_radix_pieces(CLSORT_RADIX_ARGS, CLSORT_SEGMENT_ARGS, CLSORT_JOB_ARGS,\n"
    "                                       uint piece)\n"
    "{\n"
    "    radix_t r = CLSORT_RADIX;\n"
    "    const jobs_t j = CLSORT_JOBS;\n"
    "    const segments_t given = CLSORT_SEGMENTS, s = sortable_segments(given, j);\n"
    "    const uint step = (uint)get_global_size(0), all = job_count(j, s);\n"
    "    r.scratch += get_global_id(0) * CLSORT__PLAN_WORDS;\n"
    "    for (uint i = (uint)get_global_id(0); i < s.segments && !(s.kind & CLSORT__SEGMENTS_IN_RANGES);\n"
    "         i += step) {\n"
    "        const job_t whole = { take_segment(s, i), 0, ARRAY_SOURCE };\n"
    "        if (whole.segment.size <= piece)\n"
    "            sort_piece(r, whole, piece);\n"
    "    }\n"
    "    for (uint i = (uint)get_global_id(0); i < all; i += step) {\n"
    "        const job_t job = take_job(j, s, i);\n"
    "        if (job.segment.size > piece || s.kind & CLSORT__SEGMENTS_IN_RANGES)\n"
    "            sort_piece(r, job, piece);\n"
    "    }\n"
    "}\n"
    "#endif\n\n",
    "//---- radix: cached\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
    "#if CLSORT_IS(CACHED)\n\n\n"
    "enum { CACHED_TICKET, CACHED_RANGES, CACHED_SHIFT, CACHED_LOW = 4, CACHED_LAST = 6 };\n\n"
    "CLSORT_INLINE global uint *cached_words(radix_t r)\n"
    "{\n"
    "    return r.scratch + CLSORT__PLAN_WORDS;\n"
    "}\n\n"
    "CLSORT_INLINE global uint *cached_starts(radix_t r)\n"
    "{\n"
    "    return cached_words(r) + CLSORT__CACHED_STARTS_AT;\n"
    "}\n\n"
    "CLSORT_INLINE global uint *cached_block(radix_t r, uint block)\n"
    "{\n"
    "    return cached_words(r) + CLSORT__CACHED_WORDS + block * CLSORT__CACHED_RANGES;\n"
    "}\n\n\n"
    "typedef struct { code_t low, last; uint shift; global const uchar *range; } cells_t;\n\n"
    "CLSORT_INLINE cells_t take_cells(radix_t r)\n"
    "{\n"
    "    global const uint *w = cached_words(r);\n"
    "    const cells_t c = { load_code(w + CACHED_LOW), load_code(w + CACHED_LAST), w[CACHED_SHIFT],\n"
    "                        (global const uchar *)(w + CLSORT__CACHED_CELLS_AT) };\n"
    "    return c;\n"
    "}\n\n"
    "CLSORT_INLINE uint cell_of(cells_t c, code_t code)\n"
    "{\n"
    "    return (uint)((min(max(code, c.low), c.last) - c.low) >> c.shift);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void find_cells(cells_t c, codec_t codec, array_t a, uint begin, uint *cell)\n"
    "{\n"
    "    for (uint k = 0; k < CLSORT_CODES_AT_ONCE; k++)\n"
    "        cell[k] = cell_of(c, encode(*key_place(a, begin + k), codec));\n"
    "}\n\n",
    "//---- radix: cached sample\n\n"
    "CLSORT_INLINE void take_sample(radix_t r, uint size_log2, code_t *code)\n"
    "{\n"
    "    for (uint i = 0; i < 1u << size_log2; i++) {\n"
    "        const uint noise = (i + 1) * 0x9E3779B9u, jitter = (noise ^ noise >> 15) * 0x85EBCA6Bu;\n"
    "        const ulong place = ((ulong)i << 32 | jitter) >> size_log2;\n"
    "        code[i] = encode(*key_place(r.source, (size_t)(place * r.n >> 32)), r.codec);\n"
    "    }\n"
    "}\n\n"
    "CLSORT_INLINE cells_t make_cells(radix_t r, const code_t *code, uint size)\n"
    "{\n"
    "    global uint *w = cached_words(r);\n"
    "    code_t low = code[0], last = low;\n"
    "    for (uint i = 1; i < size; i++) {\n"
    "        low = min(low, code[i]);\n"
    "        last = max(last, code[i]);\n"
    "    }\n"
    "    store_code(w + CACHED_LOW, low);\n"
    "    store_code(w + CACHED_LAST, last);\n"
    "    w[CACHED_SHIFT] = 0;\n"
    "    while ((code_t)(last - low) >> w[CACHED_SHIFT] >= CLSORT__CACHED_CELLS)\n"
    "        w[CACHED_SHIFT]++;\n"
    "    return take_cells(r);\n"
    "}\n\n\n"
    "CLSORT_INLINE void mark_mixed(radix_t r, cells_t c, const code_t *code, uint size)\n"
    "{\n"
    "    global uint *mixed = cached_words(r) + CLSORT__CACHED_MIXED_AT;\n"
    "    code_t first[CLSORT__CACHED_RANGES];\n"
    "    uint seen[CLSORT__CACHED_RANGES];\n"
    "    for (uint d = 0; d < CLSORT__CACHED_RANGES; d++)\n"
    "        mixed[d] = seen[d] = 0;\n"
    "    for (uint i = 0; i < size; i++) {\n"
    "        const uint d = c.range[cell_of(c, code[i])];\n"
    "        if (!seen[d])\n"
    "            first[d] = code[i];\n"
    "        seen[d] = 1;\n"
    "        mixed[d] |= first[d] != code[i];\n"
    "    }\n"
    "}\n\n\n"
    "CLSORT_KERNEL void clsort_cached_sample(CLSORT_RADIX_ARGS)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    const uint size_log2 = min((uint)CLSORT__CACHED_SAMPLE_LOG2, 26 - clz(n | 32u)),\n"
    "               size = 1u << size_log2,\n"
    "               ranges = clamp(n >> CLSORT__CACHED_RANGE_LOG2, (uint)CLSORT__CACHED_LEAST_RANGES,\n"
    "                              (uint)CLSORT__CACHED_RANGES);\n"
    "    global uchar *const range = (global uchar *)(cached_words(r) + CLSORT__CACHED_CELLS_AT);\n"
    "    uint count[CLSORT__CACHED_CELLS], before = 0;\n"
    "    code_t code[1 << CLSORT__CACHED_SAMPLE_LOG2];\n"
    "    if (get_global_id(0) != 0)\n"
    "        return;\n"
    "    take_sample(r, size_log2, code);\n"
    "    const cells_t c = make_cells(r, code, size);\n"
    "    for (uint cell = 0; cell < CLSORT__CACHED_CELLS; cell++)\n"
    "        count[cell] = 0;\n"
    "    for (uint i = 0; i < size; i++)\n"
    "        count[cell_of(c, code[i])]++;\n"
    "    for (uint cell = 0; cell < CLSORT__CACHED_CELLS; cell++) {\n"
    "        range[cell] = (uchar)min(before * ranges >> size_log2, ranges - 1);\n"
    "        before += count[cell];\n"
    "    }\n"
    "    cached_words(r)[CACHED_RANGES] = ranges;\n"
    "    mark_mixed(r, c, code, size);\n"
    "}\n\n",
    "//---- radix: cached ranges\n"
    "CLSORT_KERNEL void clsort_cached_count(CLSORT_RADIX_ARGS)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    const uint block = (uint)get_global_id(0);\n"
    "    const block_t b = take_block(r, block, 1);\n"
    "    const cells_t c = take_cells(r);\n"
    "    uint bins[CLSORT_COUNT_COPIES * CLSORT__CACHED_RANGES], i = 0;\n"
    "    if (b.size == 0)\n"
    "        return;\n"
    "    for (uint d = 0; d < CLSORT_COUNT_COPIES * CLSORT__CACHED_RANGES; d++)\n"
    "        bins[d] = 0;\n"
    "    for (; b.size - i >= CLSORT_CODES_AT_ONCE; i += CLSORT_CODES_AT_ONCE) {\n"
    "        uint cell[CLSORT_CODES_AT_ONCE];\n"
    "        find_cells(c, r.codec, r.source, b.begin + i, cell);\n"
    "        for (uint k = 0; k < CLSORT_CODES_AT_ONCE; k++)\n"
    "            bins[k % CLSORT_COUNT_COPIES * CLSORT__CACHED_RANGES + c.range[cell[k]]]++;\n"
    "    }\n"
    "    for (; i < b.size; i++)\n"
    "        bins[c.range[cell_of(c, encode(*key_place(r.source, b.begin + i), r.codec))]]++;\n"
    "    for (uint d = 0; d < CLSORT__CACHED_RANGES; d++) {\n"
    "        uint count = 0;\n"
    "        for (uint k = 0; k < CLSORT_COUNT_COPIES; k++)\n"
    "            count += bins[k * CLSORT__CACHED_RANGES + d];\n"
    "        cached_block(r, block)[d] = count;\n"
    "    }\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_cached_ranges(CLSORT_RADIX_ARGS)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    global const uint *mixed = cached_words(r) + CLSORT__CACHED_MIXED_AT;\n"
    "    uint sum = 0, heaviest = 0;\n"
    "    if (get_global_id(0) != 0)\n"
    "        return;\n"
    "    for (uint d = 0; d < CLSORT__CACHED_RANGES; d++) {\n"
    "        cached_starts(r)[d] = sum;\n"
    "        for (uint b = 0; b < blocks; b++) {\n"
    "            const uint count = cached_block(r, b)[d];\n"
    "            cached_block(r, b)[d] = sum;\n"
    "            sum += count;\n"
    "        }\n"
    "        if (mixed[d])\n"
    "            heaviest = max(heaviest, sum - cached_starts(r)[d]);\n"
    "    }\n"
    "    cached_starts(r)[CLSORT__CACHED_RANGES] = sum;\n"
    "    cached_words(r)[CACHED_TICKET] = 0;\n"
    "    r.scratch[CLSORT__GATE] = !(in_place & CLSORT__GATED) || heaviest <= n / pass;\n"
    "}\n\n",
    "//---- radix: cached split\n\n"
    "CLSORT_INLINE void split_items(radix_t r, cells_t c, block_t b, uint *next)\n"
    "{\n"
    "    uint i = 0;\n"
    "    for (; b.size - i >= CLSORT_CODES_AT_ONCE; i += CLSORT_CODES_AT_ONCE) {\n"
    "        uint cell[CLSORT_CODES_AT_ONCE];\n"
    "        find_cells(c, r.codec, r.source, b.begin + i, cell);\n"
    "        for (uint k = 0; k < CLSORT_CODES_AT_ONCE; k++)\n"
    "            store_whole_item(r.alt, r.codec, next[c.range[cell[k]]]++,\n"
    "                             load_whole_item(r.source, r.codec, b.begin + i + k));\n"
    "    }\n"
    "    for (; i < b.size; i++) {\n"
    "        const item_t item = load_whole_item(r.source, r.codec, b.begin + i);\n"
    "        store_whole_item(r.alt, r.codec, next[c.range[cell_of(c, item.key)]]++, item);\n"
    "    }\n"
    "}\n\n\n"
    "CLSORT_INLINE void split_keys(radix_t r, cells_t c, block_t b, uint *next)\n"
    "{\n"
    "    code_t lines[CLSORT__CACHED_RANGES * CLSORT_STAGE_KEYS] __attribute__((aligned(64)));\n"
    "    uint first[CLSORT__CACHED_RANGES], i = 0;\n"
    "    for (uint d = 0; d < CLSORT__CACHED_RANGES; d++)\n"
    "        first[d] = next[d];\n"
    "    for (; b.size - i >= CLSORT_CODES_AT_ONCE; i += CLSORT_CODES_AT_ONCE) {\n"
    "        uint cell[CLSORT_CODES_AT_ONCE];\n"
    "        find_cells(c, r.codec, r.source, b.begin + i, cell);\n"
    "        for (uint k = 0; k < CLSORT_CODES_AT_ONCE; k++)\n"
    "            stage_key(r.alt, lines, first, next, c.range[cell[k]],\n"
    "                      *key_place(r.source, b.begin + i + k));\n"
    "    }\n"
    "    for (; i < b.size; i++) {\n"
    "        const code_t key = *key_place(r.source, b.begin + i);\n"
    "        stage_key(r.alt, lines, first, next, c.range[cell_of(c, encode(key, r.codec))], key);\n"
    "    }\n"
    "    write_lines(r.alt, lines, first, next, CLSORT__CACHED_RANGES);\n"
    "}\n\n"
    "CLSORT_KERNEL void clsort_cached_split(CLSORT_RADIX_ARGS)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    const uint block = (uint)get_global_id(0);\n"
    "    const block_t b = take_block(r, block, r.scratch[CLSORT__GATE]);\n"
    "    const cells_t c = take_cells(r);\n"
    "    uint next[CLSORT__CACHED_RANGES];\n"
    "    if (b.size == 0)\n"
    "        return;\n"
    "    for (uint d = 0; d < CLSORT__CACHED_RANGES; d++)\n"
    "        next[d] = cached_block(r, block)[d];\n"
    "    if (CLSORT_VALUE_BYTES == 0 && n >= CLSORT_STAGE_BYTES / CLSORT_KEY_BYTES)\n"
    "        split_keys(r, c, b, next);\n"
    "    else\n"
    "        split_items(r, c, b, next);\n"
    "}\n\n",
    "//---- radix: cached buckets\n"
    "CLSORT_INLINE void sort_cached(radix_t r)\n"
    "{\n"
    "    if (sorts_by_vectors(r))\n"
    "        vector_sort(r);\n"
    "    else if (r.n > CLSORT_INSERTION_MOST)\n"
    "        sort_small(r);\n"
    "    else\n"
    "        insertion_sort(r.source, r.target, 0, r.n, r.codec);\n"
    "}\n\n\n"
    "CLSORT_KERNEL void clsort_cached_buckets(CLSORT_RADIX_ARGS)\n"
    "{\n"
    "    radix_t r = CLSORT_RADIX;\n"
    "    global uint *const words = cached_words(r), *const starts = cached_starts(r);\n"
    "    const uint ranges = r.scratch[CLSORT__GATE] ? words[CACHED_RANGES] : 0;\n"
    "    const array_t target_all = r.target, alt_all = r.alt;\n"
    "    r.scratch = cached_block(r, (uint)get_global_id(0));\n"
    "    r.in_place = ALT_IS_SOURCE;\n"
    "    r.done = 0;\n"
    "    for (;;) {\n"
    "        const uint d = ranges ? atomic_inc(&words[CACHED_TICKET]) : 0;\n"
    "        if (d >= ranges)\n"
    "            break;\n"
    "        r.n = starts[d + 1] - starts[d];\n"
    "        r.target = advance(target_all, starts[d]);\n"
    "        r.source = r.alt = advance(alt_all, starts[d]);\n"
    "        sort_cached(r);\n"
    "    }\n"
    "}\n\n"
    "CLSORT_KERNEL void clsort_cached_small(CLSORT_RADIX_ARGS)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    if (get_global_id(0) == 0)\n"
    "        sort_cached(r);\n"
    "}\n"
    "#endif\n"
    "#endif\n\n",
    "//---- radix: a tile per work-group\n"
    "#if CLSORT_SHARE_LOG2 > 0\n\n"
    "#ifndef CLSORT_RADIX_ITEMS\n"
    "#define CLSORT_RADIX_ITEMS (CLSORT_SWEEP ? 17 : 8)\n"
    "#endif\n"
    "#define CLSORT_RADIX_TILE (CLSORT_GROUP * CLSORT_RADIX_ITEMS)\n"
    "#if CLSORT_SWEEP && CLSORT_GROUP < CLSORT_DIGITS\n"
    "#error \"CLSORT_SWEEP needs a work-item for each digit\"\n"
    "#endif\n\n",
    "//---- radix: counting\n\n\n\n\n"
    "#define CLSORT_PACKS (CLSORT_SWEEP && !CLSORT_WARPS)\n"
    "#define CLSORT_COUNTERS (CLSORT_DIGITS * (CLSORT_SWEEP ? CLSORT_RADIX_DIGITS : 1))\n"
    "#ifndef CLSORT_COUNT_COPIES\n"
    "#define CLSORT_COUNT_COPIES \\\n"
    "    (CLSORT_SWEEP ? CLSORT__HISTOGRAM_COPIES(CLSORT_COUNTERS, CLSORT_WARPS) : CLSORT__LEAST_COPIES)\n"
    "#endif\n"
    "#define CLSORT_COUNT_WORDS ((CLSORT_COUNTERS >> CLSORT_PACKS) * CLSORT_COUNT_COPIES)\n\n"
    "#ifndef CLSORT_COUNT_ITEMS\n"
    "#define CLSORT_COUNT_ITEMS (CLSORT_WARPS ? 8 : CLSORT_RADIX_ITEMS)\n"
    "#endif\n"
    "#if CLSORT_COUNT_COPIES & (CLSORT_COUNT_COPIES - 1)\n"
    "#error \"CLSORT_COUNT_COPIES must be a power of two\"\n"
    "#endif\n\n\n"
    "CLSORT_INLINE void clear_bins(local uint *bins)\n"
    "{\n"
    "    for (uint i = local_id(); i < CLSORT_COUNT_WORDS + CLSORT__SEEN_WORDS; i += CLSORT_GROUP)\n"
    "        bins[i] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE void count_block(radix_t r, array_t from, block_t b, uint first, uint last,\n"
    "                               local uint *bins, seen_t *seen)\n"
    "{\n"
    "    local uint *own = bins + local_id() % CLSORT_COUNT_COPIES;\n"
    "    for (uint base = local_id(); base < b.size; base += CLSORT_GROUP * CLSORT_COUNT_ITEMS) {\n"
    "        code_t code[CLSORT_COUNT_ITEMS];\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_COUNT_ITEMS; m++)\n"
    "            if (base + m * CLSORT_GROUP < b.size)\n"
    "                code[m] = *key_place(from, b.begin + base + m * CLSORT_GROUP);\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_COUNT_ITEMS; m++)\n"
    "            if (base + m * CLSORT_GROUP < b.size)\n"
    "                code[m] = see_code(seen, encode(code[m], r.codec));\n"
    "        for (uint p = first; p <= last; p++) {\n"
    "            const digit_t digit = pass_digit(r, p);\n"
    "            #pragma unroll\n"
    "            for (uint m = 0; m < CLSORT_COUNT_ITEMS; m++) {\n"
    "                const uint i = (p - first) * CLSORT_DIGITS + digit_of(code[m], digit);\n"
    "                if (base + m * CLSORT_GROUP < b.size)\n"
    "                    atomic_add(&own[(i >> CLSORT_PACKS) * CLSORT_COUNT_COPIES],\n"
    "                               CLSORT_PACKS ? 1u << i % 2 * 16 : 1u);\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "}\n\n\n"
    "CLSORT_INLINE uint bin_count(local const uint *bins, uint i)\n"
    "{\n"
    "    uint count = 0;\n"
    "    for (uint k = 0; k < CLSORT_COUNT_COPIES; k++) {\n"
    "        const uint word = bins[(i >> CLSORT_PACKS) * CLSORT_COUNT_COPIES + k];\n"
    "        count += CLSORT_PACKS ? word >> i % 2 * 16 & 0xFFFF : word;\n"
    "    }\n"
    "    return count;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void merge_seen(local uint *words, seen_t seen)\n"
    "{\n"
    "    atomic_or(&words[0], (uint)seen.set);\n"
    "    atomic_or(&words[2], (uint)seen.clear);\n"
    "    if (CLSORT_KEY_BYTES == 8) {\n"
    "        atomic_or(&words[1], (uint)((ulong)seen.set >> 32));\n"
    "        atomic_or(&words[3], (uint)((ulong)seen.clear >> 32));\n"
    "    }\n"
    "}\n\n\n\n"
    "CLSORT_INLINE code_t join_seen(radix_t r, uint count, local uint *words)\n"
    "{\n"
    "    for (uint k = local_id(); k < CLSORT__SEEN_WORDS; k += CLSORT_GROUP)\n"
    "        words[k] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint i = local_id(); i < count * CLSORT__SEEN_WORDS; i += CLSORT_GROUP)\n"
    "        atomic_or(&words[i & 3], radix_seen(r, 0)[i]);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    return (code_t)((words[0] & words[2]) | (ulong)(words[1] & words[3]) << 32);\n"
    "}\n\n",
    "//---- radix: tiles\n\n\n\n\n\n\n\n\n"
    "#define CLSORT_STAGED_BYTES \\\n"
    "    (CLSORT_RADIX_TILE \\\n"
    "     * (CLSORT_KEY_BYTES > 4 * CLSORT_WORDS ? CLSORT_KEY_BYTES : 4 * CLSORT_WORDS))\n"
    "#define CLSORT_TEAM_COUNTERS \\\n"
    "    CLSORT__RADIX_COUNTERS(CLSORT_GROUP, CLSORT_TEAM_MOST, CLSORT_DIGITS)\n"
    "#define CLSORT_COUNT_SHIFT (CLSORT_WARPS ? 0 : 16)\n"
    "#define CLSORT_SHARES CLSORT__RADIX_SHARES(CLSORT_TEAM_MOST, CLSORT_WORDS)\n"
    "#if CLSORT_SHARES && !CLSORT_WARPS\n"
    "#error \"teams of CLSORT__WARP need warps\"\n"
    "#endif\n"
    "typedef struct {\n"
    "    local uint *offsets, *next, *counters, *sums;\n"
    "    local code_t *staged;\n"
    "    local ushort *origins;\n"
    "} tile_t;\n\n"
    "CLSORT_INLINE tile_t make_tile(local ulong *space)\n"
    "{\n"
    "    local uint *offsets = (local uint *)space,\n"
    "               *counters = offsets + CLSORT__RADIX_PLACES(CLSORT_DIGITS),\n"
    "               *sums = counters + CLSORT_TEAM_COUNTERS;\n"
    "    const uint words = CLSORT__RADIX_TILE_WORDS(CLSORT_DIGITS, CLSORT_TEAM_COUNTERS,\n"
    "                                                CLSORT__SCAN_WORDS(CLSORT_GROUP),\n"
    "                                                (CLSORT_STAGED_BYTES + 3) / 4, CLSORT_SHARES);\n"
    "    const tile_t tile = { offsets, offsets + CLSORT_DIGITS, counters, sums,\n"
    "                          (local code_t *)(CLSORT_SHARES ? counters : sums),\n"
    "                          (local ushort *)(offsets + words) };\n"
    "    return tile;\n"
    "}\n\n\n"
    "CLSORT_INLINE uint tile_item(uint m)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    return t / CLSORT_TEAM * (CLSORT_TEAM * CLSORT_RADIX_ITEMS) + t % CLSORT_TEAM + m * CLSORT_TEAM;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void load_codes(code_t *code, array_t from, codec_t c, uint size)\n"
    "{\n"
    "    const uint first = tile_item(0);\n"
    "    if (size == CLSORT_RADIX_TILE) {\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)\n"
    "            code[m] = encode(*key_place(from, first + m * CLSORT_TEAM), c);\n"
    "        return;\n"
    "    }\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)\n"
    "        code[m] = first + m * CLSORT_TEAM < size\n"
    "                      ? encode(*key_place(from, first + m * CLSORT_TEAM), c)\n"
    "                      : (code_t) ~(code_t)0;\n"
    "}\n\n",
    "//---- radix: ranks\n\n"
    "#define CLSORT_RANK_WORDS ((CLSORT_RADIX_ITEMS + 1) / 2)\n"
    "CLSORT_INLINE void set_rank(uint *rank, uint m, uint place)\n"
    "{\n"
    "    rank[m / 2] = m % 2 ? rank[m / 2] | place << 16 : place;\n"
    "}\n\n"
    "CLSORT_INLINE uint get_rank(const uint *rank, uint m)\n"
    "{\n"
    "    return m % 2 ? rank[m / 2] >> 16 : rank[m / 2] & 0xFFFF;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void count_team_digits(tile_t tile, const code_t *code, digit_t digit)\n"
    "{\n"
    "    const uint lane = local_id() % CLSORT_TEAM;\n"
    "    local uint *counters = tile.counters + local_id() / CLSORT_TEAM * CLSORT_DIGITS;\n"
    "    for (uint d = lane; d < CLSORT_DIGITS; d += CLSORT_TEAM)\n"
    "        counters[d] = 0;\n"
    "    team_sync();\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)\n"
    "        atomic_add(&counters[digit_of(code[m], digit)], 1u << CLSORT_COUNT_SHIFT);\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE uint find_peers(local uint *counter, uint d, uint lane, uint *place)\n"
    "{\n"
    "#if CLSORT_WARPS\n"
    "    uint peers = 0xFFFFFFFFu;\n"
    "    #pragma unroll\n"
    "    for (uint b = 0; b < CLSORT_DIGIT_BITS; b++) {\n"
    "        uint same;\n"
    "        __asm__ volatile(\"{ .reg .pred p; .reg .b32 bit; and.b32 bit, %1, %2;\"\n"
    "                         \" setp.ne.u32 p, bit, 0; vote.sync.ballot.b32 %0, p, 0xffffffff;\"\n"
    "                         \" @!p not.b32 %0, %0; }\"\n"
    "                         : \"=r\"(same)\n"
    "                         : \"r\"(d), \"r\"(1u << b));\n"
    "        peers &= same;\n"
    "    }\n"
    "    *place = *counter;\n"
    "#else\n"
    "    atomic_or(counter, 1u << lane);\n"
    "    team_sync();\n"
    "    const uint now = *counter, peers = now & 0xFFFF;\n"
    "    *place = now >> 16;\n"
    "#endif\n"
    "    team_sync();\n"
    "    return peers;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE digit_t forget_digit(digit_t d)\n"
    "{\n"
    "#if CLSORT_WARPS\n"
    "    __asm__ volatile(\"mov.b32 %0, %0;\" : \"+r\"(d.shift));\n"
    "#endif\n"
    "    return d;\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE void rank_items(tile_t tile, const code_t *code, digit_t digit, uint *rank)\n"
    "{\n"
    "    const uint lane = local_id() % CLSORT_TEAM;\n"
    "    local uint *counters = tile.counters + local_id() / CLSORT_TEAM * CLSORT_DIGITS;\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {\n"
    "        const uint d = digit_of(code[m], digit);\n"
    "        uint place;\n"
    "        const uint peers = find_peers(&counters[d], d, lane, &place),\n"
    "                   own = place + popcount(peers & ((1u << lane) - 1));\n"
    "        if (peers >> lane == 1)\n"
    "            counters[d] = (own + 1) << CLSORT_COUNT_SHIFT;\n"
    "        set_rank(rank, m, own);\n"
    "        if (!CLSORT_SHARES)\n"
    "            tile.staged[own] = code[m];\n"
    "        team_sync();\n"
    "    }\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void stage_codes(tile_t tile, const code_t *code, const uint *rank)\n"
    "{\n"
    "#if CLSORT_SHARES\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)\n"
    "        tile.staged[get_rank(rank, m)] = code[m];\n"
    "#endif\n"
    "}\n\n",
    "//---- radix: places\n\n"
    "#define CLSORT_OWN_DIGITS ((CLSORT_DIGITS + CLSORT_GROUP - 1) / CLSORT_GROUP)\n"
    "CLSORT_INLINE uint own_digit(uint k)\n"
    "{\n"
    "    return min(local_id() * CLSORT_OWN_DIGITS + k, (uint)CLSORT_DIGITS);\n"
    "}\n\n\n"
    "CLSORT_INLINE uint count_digit(tile_t tile, uint digit)\n"
    "{\n"
    "    uint count = 0;\n"
    "    #pragma unroll\n"
    "    for (uint w = 0; w < CLSORT_TEAMS; w++)\n"
    "        count += tile.counters[w * CLSORT_DIGITS + digit] >> CLSORT_COUNT_SHIFT;\n"
    "    return count;\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE void place_digits(tile_t tile, uint begin)\n"
    "{\n"
    "    for (uint d = own_digit(0); d < own_digit(CLSORT_OWN_DIGITS); d++) {\n"
    "        tile.offsets[d] -= begin;\n"
    "        #pragma unroll\n"
    "        for (uint w = 0; w < CLSORT_TEAMS; w++) {\n"
    "            local uint *counter = &tile.counters[w * CLSORT_DIGITS + d];\n"
    "            const uint count = *counter >> CLSORT_COUNT_SHIFT;\n"
    "            *counter = begin << CLSORT_COUNT_SHIFT;\n"
    "            begin += count;\n"
    "        }\n"
    "    }\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void order_tile(tile_t tile, const code_t *code, digit_t digit, uint *rank)\n"
    "{\n"
    "    uint sum = 0;\n"
    "    count_team_digits(tile, code, digit);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint d = own_digit(0); d < own_digit(CLSORT_OWN_DIGITS); d++) {\n"
    "        const uint count = count_digit(tile, d);\n"
    "        tile.offsets[d] = tile.next[d];\n"
    "        tile.next[d] += count;\n"
    "        sum += count;\n"
    "    }\n"
    "    place_digits(tile, group_scan(sum, tile.sums));\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    rank_items(tile, code, digit, rank);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n",
    "//---- radix: tiles move\n\n\n"
    "CLSORT_INLINE void store_codes(tile_t tile, array_t to, codec_t c, digit_t digit, uint size,\n"
    "                               uint *place)\n"
    "{\n"
    "    const uint t = local_id(), whole = size == CLSORT_RADIX_TILE;\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {\n"
    "        const code_t code = tile.staged[m * CLSORT_GROUP + t];\n"
    "        place[m] = tile.offsets[digit_of(code, digit)] + m * CLSORT_GROUP + t;\n"
    "        if (!CLSORT_RECORDS && (whole || m * CLSORT_GROUP + t < size))\n"
    "            *key_place(to, place[m]) = decode(code, c);\n"
    "    }\n"
    "}\n\n\n"
    "typedef struct { uint word[CLSORT_WORDS_OR_1]; } value_t;\n\n"
    "CLSORT_INLINE void load_values(value_t *value, array_t from, uint size)\n"
    "{\n"
    "#if CLSORT_WORDS\n"
    "    if (size == CLSORT_RADIX_TILE) {\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)\n"
    "            load_words(from, tile_item(m), value[m].word);\n"
    "        return;\n"
    "    }\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)\n"
    "        if (tile_item(m) < size)\n"
    "            load_words(from, tile_item(m), value[m].word);\n"
    "#endif\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void move_values(tile_t tile, const value_t *value, array_t to, uint size,\n"
    "                               const uint *rank, const uint *place)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    local uint *staged = (local uint *)tile.staged;\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)\n"
    "        #pragma unroll\n"
    "        for (uint w = 0; w < CLSORT_WORDS; w++)\n"
    "            if (tile_item(m) < size)\n"
    "                staged[w * CLSORT_RADIX_TILE + get_rank(rank, m)] = value[m].word[w];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {\n"
    "        uint word[CLSORT_WORDS_OR_1];\n"
    "        #pragma unroll\n"
    "        for (uint w = 0; w < CLSORT_WORDS; w++)\n"
    "            word[w] = staged[w * CLSORT_RADIX_TILE + m * CLSORT_GROUP + t];\n"
    "        if (m * CLSORT_GROUP + t < size)\n"
    "            store_words(to, place[m], word);\n"
    "    }\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void store_tile(tile_t tile, const value_t *value, array_t to, codec_t c,\n"
    "                              digit_t digit, uint size, const uint *rank)\n"
    "{\n"
    "    uint place[CLSORT_RADIX_ITEMS];\n"
    "    store_codes(tile, to, c, digit, size, place);\n"
    "#if CLSORT_WORDS\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    move_values(tile, value, to, size, rank, place);\n"
    "#endif\n"
    "}\n\n"
    "#if !CLSORT_SWEEP\n",
    "//---- radix: count and scan\n\n\n"
    "CLSORT_INLINE void scan_digit(radix_t r, uint digit, uint used, local uint *sums)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    global uint *counts = radix_table(r, digit);\n"
    "    const uint share = (used + CLSORT_GROUP - 1) / CLSORT_GROUP, begin = min(t * share, used),\n"
    "               end = min(begin + share, used);\n"
    "    uint sum = 0;\n"
    "    for (uint b = begin; b < end; b++)\n"
    "        sum += counts[b];\n"
    "    sum = group_scan(sum, sums);\n"
    "    for (uint b = begin; b < end; b++) {\n"
    "        const uint count = counts[b];\n"
    "        counts[b] = sum;\n"
    "        sum += count;\n"
    "    }\n"
    "    if (t == CLSORT_GROUP - 1)\n"
    "        radix_table(r, CLSORT_DIGITS)[digit] = sum;\n"
    "}\n\n"
    "#if CLSORT_IS(RADIX)\n\n"
    "CLSORT_KERNEL void clsort_radix_count(CLSORT_RADIX_ARGS, local uint *bins)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    const uint block = (uint)get_group_id(0), t = local_id(), plan = count_plan(r);\n"
    "    const block_t b = take_block(r, block, plan & PASS_SORTS);\n"
    "    seen_t seen = { 0, 0 };\n"
    "    clear_bins(bins);\n"
    "    count_block(r, plan_array(r, plan, PASS_FROM), b, pass, pass, bins, &seen);\n"
    "    merge_seen(bins + CLSORT_COUNT_WORDS, seen);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint d = t; d < CLSORT_DIGITS && b.size != 0; d += CLSORT_GROUP)\n"
    "        radix_table(r, d)[block] = bin_count(bins, d);\n"
    "    for (uint k = t; k < CLSORT__SEEN_WORDS && pass == 0; k += CLSORT_GROUP)\n"
    "        radix_seen(r, block)[k] = bins[CLSORT_COUNT_WORDS + k];\n"
    "}\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_radix_scan(CLSORT_RADIX_ARGS, local uint *sums)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    const uint digit = (uint)get_group_id(0), t = local_id(), first = pass == 0 && digit == 0,\n"
    "               used = r.done ? 0 : blocks;\n"
    "    const code_t differ = join_seen(r, first ? used : 0, sums + 2 * CLSORT_GROUP);\n"
    "    if (first && t == 0)\n"
    "        write_plan(r, differ);\n"
    "    scan_digit(r, digit, used, sums);\n"
    "}\n"
    "#endif\n\n",
    "//---- radix: scatter\n\n\n"
    "CLSORT_INLINE void begin_block(radix_t r, uint block, tile_t tile)\n"
    "{\n"
    "    global const uint *totals = radix_table(r, CLSORT_DIGITS);\n"
    "    uint sum = 0;\n"
    "    for (uint d = own_digit(0); d < own_digit(CLSORT_OWN_DIGITS); d++)\n"
    "        sum += totals[d];\n"
    "    sum = group_scan(sum, tile.sums);\n"
    "    for (uint d = own_digit(0); d < own_digit(CLSORT_OWN_DIGITS); d++) {\n"
    "        tile.next[d] = sum + radix_table(r, d)[block];\n"
    "        sum += totals[d];\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void scatter_tile(tile_t tile, array_t from, array_t to, codec_t codec, digit_t digit,\n"
    "                                uint size)\n"
    "{\n"
    "    code_t code[CLSORT_RADIX_ITEMS];\n"
    "    value_t value[CLSORT_RADIX_ITEMS];\n"
    "    uint rank[CLSORT_RANK_WORDS];\n"
    "    load_codes(code, from, codec, size);\n"
    "    order_tile(tile, code, digit, rank);\n"
    "    load_values(value, from, size);\n"
    "    store_tile(tile, value, to, codec, digit, size, rank);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n"
    "#if CLSORT_IS(RADIX)\n\n"
    "CLSORT_KERNEL void clsort_radix_scatter(CLSORT_RADIX_ARGS, local ulong *space)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    const tile_t tile = make_tile(space);\n"
    "    const uint block = (uint)get_group_id(0), plan = pass_plan(r);\n"
    "    const block_t sorted = take_block(r, block, plan & PASS_SORTS),\n"
    "                  copied = take_block(r, block, plan & PASS_COPIES);\n"
    "    const array_t from = plan_array(r, plan, PASS_FROM), to = plan_array(r, plan, PASS_TO);\n"
    "    copy_block(r, plan, copied, local_id(), CLSORT_GROUP);\n"
    "    if (sorted.size == 0)\n"
    "        return;\n"
    "    begin_block(r, block, tile);\n"
    "    for (uint done = 0; done < sorted.size; done += CLSORT_RADIX_TILE)\n"
    "        scatter_tile(tile, advance(from, sorted.begin + done), to, r.codec, pass_digit(r, pass),\n"
    "                     min(sorted.size - done, (uint)CLSORT_RADIX_TILE));\n"
    "}\n"
    "#endif\n\n",
    "//---- radix: partition by work-groups\n"
    "#if CLSORT_IS(PARTITION)\n\n"
    "#define CLSORT_SPLITTER_ULONGS (CLSORT_DIGITS * CLSORT_KEY_BYTES / 8)\n\n\n"
    "CLSORT_INLINE void load_splitters(local code_t *codes, global const uchar *splitters, uint count,\n"
    "                                  codec_t c)\n"
    "{\n"
    "    for (uint d = local_id(); d < CLSORT_DIGITS; d += CLSORT_GROUP)\n"
    "        codes[d] = splitter_code(splitters, d, count, c);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n\n"
    "CLSORT_KERNEL void clsort_partition_count(CLSORT_PARTITION_ARGS, local ulong *space)\n"
    "{\n"
    "    local code_t *codes = (local code_t *)space;\n"
    "    local uint *bins = (local uint *)(space + CLSORT_SPLITTER_ULONGS);\n"
    "    const radix_t r = CLSORT_PARTITION(codes);\n"
    "    const uint block = (uint)get_group_id(0);\n"
    "    seen_t seen = { 0, 0 };\n"
    "    load_splitters(codes, splitters + splitters_at, splitter_count, r.codec);\n"
    "    clear_bins(bins);\n"
    "    count_block(r, r.source, take_block(r, block, 1), 0, 0, bins, &seen);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint d = local_id(); d < CLSORT_DIGITS; d += CLSORT_GROUP)\n"
    "        radix_table(r, d)[block] = bin_count(bins, d);\n"
    "}\n\n\n"
    "CLSORT_KERNEL void clsort_partition_scan(CLSORT_PARTITION_ARGS, local ulong *space)\n"
    "{\n"
    "    const radix_t r = CLSORT_PARTITION(0);\n"
    "    scan_digit(r, (uint)get_group_id(0), blocks, (local uint *)space);\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_partition_scatter(CLSORT_PARTITION_ARGS, local ulong *space)\n"
    "{\n"
    "    local code_t *codes = (local code_t *)space;\n"
    "    const radix_t r = CLSORT_PARTITION(codes);\n"
    "    const tile_t tile = make_tile(space + CLSORT_SPLITTER_ULONGS);\n"
    "    const uint block = (uint)get_group_id(0);\n"
    "    const block_t b = take_block(r, block, 1);\n"
    "    global uint *start = (global uint *)(starts + starts_at);\n"
    "    load_splitters(codes, splitters + splitters_at, splitter_count, r.codec);\n"
    "    begin_block(r, block, tile);\n"
    "    for (uint d = local_id(); block == 0 && d <= splitter_count; d += CLSORT_GROUP)\n"
    "        start[d] = tile.next[d];\n"
    "    if (block == 0 && local_id() == 0)\n"
    "        start[splitter_count + 1] = n;\n"
    "    for (uint done = 0; done < b.size; done += CLSORT_RADIX_TILE)\n"
    "        scatter_tile(tile, advance(r.source, b.begin + done), r.target, r.codec, r.digit,\n"
    "                     min(b.size - done, (uint)CLSORT_RADIX_TILE));\n"
    "}\n"
    "#endif\n\n",
    "//---- radix: small\n"
    "#if CLSORT_IS(RADIX)\n\n\n"
    "CLSORT_INLINE void order_small(tile_t tile, code_t *code, uint *origin, digit_t digit)\n"
    "{\n"
    "    uint rank[CLSORT_RANK_WORDS];\n"
    "    order_tile(tile, code, digit, rank);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {\n"
    "        code[m] = tile.staged[tile_item(m)];\n"
    "        if (CLSORT_WORDS)\n"
    "            tile.origins[get_rank(rank, m)] = (ushort)origin[m];\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)\n"
    "        origin[m] = CLSORT_WORDS ? tile.origins[tile_item(m)] : 0;\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_radix_small(CLSORT_RADIX_ARGS, local ulong *space)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    const tile_t tile = make_tile(space);\n"
    "    code_t code[CLSORT_RADIX_ITEMS];\n"
    "    item_t items[CLSORT_RADIX_ITEMS];\n"
    "    uint origin[CLSORT_RADIX_ITEMS];\n"
    "    for (uint d = local_id(); d < CLSORT_DIGITS; d += CLSORT_GROUP)\n"
    "        tile.next[d] = 0;\n"
    "    load_codes(code, r.source, r.codec, n);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)\n"
    "        origin[m] = tile_item(m);\n"
    "    for (uint p = 0; p < radix_passes(r); p++)\n"
    "        order_small(tile, code, origin, pass_digit(r, p));\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {\n"
    "        items[m].key = code[m];\n"
    "        if (tile_item(m) < n)\n"
    "            load_words(r.source, origin[m], items[m].word);\n"
    "    }\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)\n"
    "        store_item(r.target, r.codec, tile_item(m), n, items[m]);\n"
    "}\n"
    "#endif\n"
    "#endif\n\n",
    "//---- radix: sweep\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
    "#if CLSORT_SWEEP\n\n"
    "#ifndef CLSORT_SWEEP_AHEAD\n"
    "#define CLSORT_SWEEP_AHEAD 4\n"
    "#endif\n\n"
    "#ifndef CLSORT_SWEEP_WIDE\n"
    "#define CLSORT_SWEEP_WIDE 0\n"
    "#endif\n"
    "#if CLSORT_SWEEP_WIDE\n"
    "typedef ulong status_t;\n"
    "#define CLSORT_STATUS_SHIFT 62\n"
    "#else\n"
    "typedef uint status_t;\n"
    "#define CLSORT_STATUS_SHIFT 30\n"
    "#endif\n\n\n"
    "#if CLSORT_FORWARD_PROGRESS\n"
    "#if CLSORT_SWEEP_WIDE\n"
    "#define CLSORT_STATUS_PTX(op) op \".relaxed.gpu.global.u64 \"\n"
    "#define CLSORT_STATUS_REG \"l\"\n"
    "#else\n"
    "#define CLSORT_STATUS_PTX(op) op \".relaxed.gpu.global.u32 \"\n"
    "#define CLSORT_STATUS_REG \"r\"\n"
    "#endif\n"
    "CLSORT_INLINE status_t load_status(global const status_t *p)\n"
    "{\n"
    "    status_t word;\n"
    "    __asm__ volatile(CLSORT_STATUS_PTX(\"ld\") \"%0, [%1];\"\n"
    "                     : \"=\" CLSORT_STATUS_REG(word)\n"
    "                     : \"l\"(p)\n"
    "                     : \"memory\");\n"
    "    return word;\n"
    "}\n\n"
    "CLSORT_INLINE void store_status(global status_t *p, status_t word)\n"
    "{\n"
    "    __asm__ volatile(CLSORT_STATUS_PTX(\"st\") \"[%0], %1;\"\n"
    "                     :\n"
    "                     : \"l\"(p), CLSORT_STATUS_REG(word)\n"
    "                     : \"memory\");\n"
    "}\n"
    "#else\n"
    "CLSORT_INLINE status_t load_status(global const status_t *p)\n"
    "{\n"
    "    return *(volatile global const status_t *)p;\n"
    "}\n\n"
    "CLSORT_INLINE void store_status(global status_t *p, status_t word)\n"
    "{\n"
    "    *(volatile global status_t *)p = word;\n"
    "}\n"
    "#endif\n\n",
    "//---- radix: sweep scratch\n\n\n"
    "#if CLSORT_RADIX_DIGITS > CLSORT__SWEEP_PASSES\n"
    "#error \"a pass of sweeps needs CLSORT_DIGIT_BITS of an eighth of the key's bits or more\"\n"
    "#endif\n"
    "#if CLSORT__PLAN_WORDS + CLSORT__SEEN_WORDS + CLSORT__SWEEP_PASSES + 2 > CLSORT__SWEEP_HEAD\n"
    "#error \"the tickets of CLSORT__SWEEP_PASSES passes do not fit into CLSORT__SWEEP_HEAD words\"\n"
    "#endif\n"
    "CLSORT_INLINE global uint *sweep_ticket(radix_t r)\n"
    "{\n"
    "    return radix_seen(r, 1) + r.pass;\n"
    "}\n\n"
    "CLSORT_INLINE global uint *mended_bits(radix_t r)\n"
    "{\n"
    "    return radix_seen(r, 1) + CLSORT__SWEEP_PASSES;\n"
    "}\n\n"
    "CLSORT_INLINE global uint *mended_runs(radix_t r)\n"
    "{\n"
    "    return mended_bits(r) + 1;\n"
    "}\n\n"
    "CLSORT_INLINE global uint *sweep_counts(radix_t r, uint pass)\n"
    "{\n"
    "    return r.scratch + CLSORT__SWEEP_HEAD + (size_t)pass * CLSORT_DIGITS;\n"
    "}\n\n"
    "CLSORT_INLINE global status_t *sweep_status(radix_t r, uint tile)\n"
    "{\n"
    "    return (global status_t *)sweep_counts(r, CLSORT_RADIX_DIGITS) + (size_t)tile * CLSORT_DIGITS;\n"
    "}\n\n\n"
    "CLSORT_KERNEL void clsort_radix_clear(CLSORT_RADIX_ARGS)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    const size_t words = r.done ? 0\n"
    "                                : (size_t)((global uint *)sweep_status(r, blocks) - r.scratch);\n"
    "    for (size_t i = get_global_id(0); i < words; i += get_global_size(0))\n"
    "        if (i != CLSORT__GATE)\n"
    "            r.scratch[i] = 0;\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_radix_histogram(CLSORT_RADIX_ARGS, local uint *bins)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    seen_t seen = { 0, 0 };\n"
    "    if (r.done)\n"
    "        return;\n"
    "    clear_bins(bins);\n"
    "    for (uint tile = (uint)get_group_id(0); tile < blocks; tile += (uint)get_num_groups(0))\n"
    "        count_block(r, r.source, take_block(r, tile, 1), 0, radix_passes(r) - 1, bins, &seen);\n"
    "    merge_seen(bins + CLSORT_COUNT_WORDS, seen);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint i = local_id(); i < radix_passes(r) * CLSORT_DIGITS; i += CLSORT_GROUP) {\n"
    "        const uint count = bin_count(bins, i);\n"
    "        if (count != 0)\n"
    "            atomic_add(&sweep_counts(r, 0)[i], count);\n"
    "    }\n"
    "    for (uint k = local_id(); k < CLSORT__SEEN_WORDS; k += CLSORT_GROUP)\n"
    "        atomic_or(&radix_seen(r, 0)[k], bins[CLSORT_COUNT_WORDS + k]);\n"
    "}\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_radix_begin(CLSORT_RADIX_ARGS, local uint *sums)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    const uint p = (uint)get_group_id(0), t = local_id();\n"
    "    const code_t differ = join_seen(r, !r.done, sums + 2 * CLSORT_GROUP);\n"
    "    if (p == 0 && t == 0) {\n"
    "        const uint low = r.mends ? *mended_bits(r) : 0;\n"
    "        write_plan(r, (code_t)(differ >> (first_bit + low) << (first_bit + low)));\n"
    "        if (r.mends)\n"
    "            r.scratch[CLSORT__GATE] = 1;\n"
    "    }\n"
    "    if (r.done)\n"
    "        return;\n"
    "    const uint count = t < CLSORT_DIGITS ? sweep_counts(r, p)[t] : 0,\n"
    "               begin = group_scan(count, sums);\n"
    "    if (t < CLSORT_DIGITS)\n"
    "        sweep_counts(r, p)[t] = begin;\n"
    "}\n\n",
    "//---- radix: look-back\n\n\n\n\n"
    "#define CLSORT_STATUS_PARTIAL ((status_t)1 << CLSORT_STATUS_SHIFT)\n"
    "#define CLSORT_STATUS_INCLUSIVE ((status_t)2 << CLSORT_STATUS_SHIFT)\n\n"
    "CLSORT_INLINE status_t pass_parity_tag(uint plan)\n"
    "{\n"
    "    return plan & PASS_ODD ? CLSORT_STATUS_INCLUSIVE : 0;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE uint look_back(radix_t r, uint plan, uint tile, uint digit, uint count)\n"
    "{\n"
    "    uint before = tile ? 0 : sweep_counts(r, r.pass)[digit];\n"
    "    const status_t tag = pass_parity_tag(plan);\n"
    "    for (uint left = tile; left > 0;) {\n"
    "        status_t word[CLSORT_SWEEP_AHEAD];\n"
    "        #pragma unroll\n"
    "        for (uint k = 0; k < CLSORT_SWEEP_AHEAD; k++)\n"
    "            word[k] = load_status(sweep_status(r, left - 1 - min(k, left - 1)) + digit);\n"
    "        uint known = 1;\n"
    "        #pragma unroll\n"
    "        for (uint k = 0; k < CLSORT_SWEEP_AHEAD; k++) {\n"
    "            const status_t now = word[k] ^ tag;\n"
    "            known = known && left > 0 && now >= CLSORT_STATUS_PARTIAL;\n"
    "            before += known ? (uint)(now & (CLSORT_STATUS_PARTIAL - 1)) : 0;\n"
    "            left = known ? (now >= CLSORT_STATUS_INCLUSIVE ? 0 : left - 1) : left;\n"
    "        }\n"
    "    }\n"
    "    store_status(sweep_status(r, tile) + digit, (CLSORT_STATUS_INCLUSIVE | (before + count)) ^ tag);\n"
    "    return before;\n"
    "}\n\n",
    "//---- radix: sweep pass\n\n\n"
    "CLSORT_INLINE uint draw_tile(radix_t r, tile_t tile, uint sorts)\n"
    "{\n"
    "    if (local_id() == 0)\n"
    "        *tile.sums = sorts ? atomic_inc(sweep_ticket(r)) : 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    return *tile.sums;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE uint publish_counts(radix_t r, uint plan, uint number, tile_t tile)\n"
    "{\n"
    "    const uint t = local_id(), count = t < CLSORT_DIGITS ? count_digit(tile, t) : 0;\n"
    "    if (t < CLSORT_DIGITS) {\n"
    "        if (plan & PASS_SORTS && number > 0)\n"
    "            store_status(sweep_status(r, number) + t,\n"
    "                         (CLSORT_STATUS_PARTIAL | count) ^ pass_parity_tag(plan));\n"
    "        tile.offsets[t] = 0;\n"
    "    }\n"
    "    place_digits(tile, group_scan(count, tile.sums));\n"
    "    return count;\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_radix_sweep(CLSORT_RADIX_ARGS, local ulong *space)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    const tile_t tile = make_tile(space);\n"
    "    const uint t = local_id(), plan = pass_plan(r), sorts = plan & PASS_SORTS;\n"
    "    const digit_t digit = pass_digit(r, pass);\n"
    "    copy_block(r, plan, take_block(r, (uint)get_group_id(0), plan & PASS_COPIES), t, CLSORT_GROUP);\n"
    "    if (CLSORT_FORWARD_PROGRESS && !sorts)\n"
    "        return;\n"
    "    const uint number = draw_tile(r, tile, sorts);\n"
    "    const block_t b = take_block(r, number, sorts);\n"
    "    const array_t from = advance(plan_array(r, plan, PASS_FROM), b.begin);\n"
    "    code_t code[CLSORT_RADIX_ITEMS];\n"
    "    value_t value[CLSORT_RADIX_ITEMS];\n"
    "    uint rank[CLSORT_RANK_WORDS];\n"
    "    load_codes(code, from, r.codec, b.size);\n"
    "    count_team_digits(tile, code, digit);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    const uint count = publish_counts(r, plan, number, tile);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    rank_items(tile, code, forget_digit(digit), rank);\n"
    "    stage_codes(tile, code, rank);\n"
    "    load_values(value, from, b.size);\n"
    "    if (sorts && t < CLSORT_DIGITS)\n"
    "        tile.offsets[t] += look_back(r, plan, number, t, count);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    store_tile(tile, value, plan_array(r, plan, PASS_TO), r.codec, digit, b.size, rank);\n"
    "}\n\n",
    "//---- radix: mending\n\n\n\n\n\n\n\n\n\n\n"
    "#define CLSORT_RUN_MOST 16\n\n\n\n"
    "CLSORT_KERNEL void clsort_radix_measure(CLSORT_RADIX_ARGS, local uint *sums)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    local float *shares = (local float *)sums;\n"
    "    const uint t = local_id(), passes = radix_passes(r);\n"
    "    for (uint i = t; i < CLSORT__SWEEP_PASSES * CLSORT__WARP; i += CLSORT_GROUP) {\n"
    "        const uint p = i / CLSORT__WARP;\n"
    "        float share = 0;\n"
    "        for (uint d = i % CLSORT__WARP; d < (p < passes ? CLSORT_DIGITS : 0); d += CLSORT__WARP) {\n"
    "            const float part = (float)sweep_counts(r, p)[d] / (float)n;\n"
    "            share += part * part;\n"
    "        }\n"
    "        shares[i] = share;\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (t != 0)\n"
    "        return;\n"
    "    float peers = (float)n;\n"
    "    uint p = passes;\n"
    "    while (p > 0 && peers >= 0.5f) {\n"
    "        float share = 0;\n"
    "        p--;\n"
    "        for (uint i = 0; i < CLSORT__WARP; i++)\n"
    "            share += shares[p * CLSORT__WARP + i];\n"
    "        peers *= share;\n"
    "    }\n"
    "    *mended_bits(r) = p * CLSORT_DIGIT_BITS;\n"
    "}\n\n\n"
    "CLSORT_INLINE code_t upper_bits(radix_t r, code_t code, uint low)\n"
    "{\n"
    "    const uint above = 8 * CLSORT_KEY_BYTES - r.last_bit;\n"
    "    return (code_t)((code_t)(code << above) >> (above + r.first_bit + low));\n"
    "}\n\n"
    "CLSORT_INLINE code_t upper_at(radix_t r, size_t i, uint low)\n"
    "{\n"
    "    return upper_bits(r, encode(*key_place(r.target, i), r.codec), low);\n"
    "}\n\n",
    "//---- radix: runs\n\n\n"
    "CLSORT_INLINE uint run_length(radix_t r, size_t first, uint low)\n"
    "{\n"
    "    const code_t upper = upper_at(r, first, low);\n"
    "    uint length = 1;\n"
    "    while (first + length < r.n && length <= CLSORT_RUN_MOST\n"
    "           && upper_at(r, first + length, low) == upper)\n"
    "        length++;\n"
    "    return length;\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_radix_runs(CLSORT_RADIX_ARGS, local ulong *space)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    local uint *list = (local uint *)space;\n"
    "    const uint t = local_id(), low = *mended_bits(r);\n"
    "    const block_t b = take_block(r, (uint)get_group_id(0), low != 0);\n"
    "    local uint2 *found = (local uint2 *)(space + 1);\n"
    "    if (t == 0)\n"
    "        list[0] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint i = t; i < b.size; i += CLSORT_GROUP) {\n"
    "        const size_t at = (size_t)b.begin + i;\n"
    "        const code_t upper = upper_at(r, at, low);\n"
    "        if (at + 1 < n && upper_at(r, at + 1, low) == upper\n"
    "            && (at == 0 || upper_at(r, at - 1, low) != upper))\n"
    "            found[atomic_inc(&list[0])] = (uint2)((uint)at, run_length(r, at, low));\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (t == 0)\n"
    "        list[1] = atomic_add(mended_runs(r), list[0]);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint i = t; i < list[0]; i += CLSORT_GROUP) {\n"
    "        ((global uint2 *)r.alt.keys)[list[1] + i] = found[i];\n"
    "        if (found[i].y > CLSORT_RUN_MOST)\n"
    "            atomic_and(&r.scratch[CLSORT__GATE], 0);\n"
    "    }\n"
    "}\n\n",
    "//---- radix: mend\n\n"
    "CLSORT_INLINE void mend_run(radix_t r, uint first, uint length)\n"
    "{\n"
    "    for (uint i = first + 1; i < first + length; i++) {\n"
    "        const item_t item = load_whole_item(r.target, r.codec, i);\n"
    "        uint place = i;\n"
    "        for (; place > first; place--) {\n"
    "            const item_t before = load_whole_item(r.target, r.codec, place - 1);\n"
    "            if (upper_bits(r, before.key, 0) <= upper_bits(r, item.key, 0))\n"
    "                break;\n"
    "            store_whole_item(r.target, r.codec, place, before);\n"
    "        }\n"
    "        if (place < i)\n"
    "            store_whole_item(r.target, r.codec, place, item);\n"
    "    }\n"
    "}\n\n\n"
    "CLSORT_KERNEL void clsort_radix_mend(CLSORT_RADIX_ARGS)\n"
    "{\n"
    "    const radix_t r = CLSORT_RADIX;\n"
    "    const uint runs = r.scratch[CLSORT__GATE] ? *mended_runs(r) : 0;\n"
    "    for (size_t i = get_global_id(0); i < runs; i += get_global_size(0)) {\n"
    "        const uint2 run = ((global const uint2 *)r.alt.keys)[i];\n"
    "        mend_run(r, run.x, run.y);\n"
    "    }\n"
    "}\n"
    "#endif\n"
    "#endif\n"
    "#endif\n\n",
    "//---- radix: buckets\n\n\n\n"
    "#if CLSORT_NEEDS_BINS && CLSORT_LANES == 1 && CLSORT_SHARE_LOG2 > 0\n"
    "#define CLSORT_BUCKET_ITEMS CLSORT__HYBRID_BUCKET_ITEMS(CLSORT_KEY_BYTES)\n"
    "#define CLSORT_BUCKET_TILE (CLSORT_GROUP * CLSORT_BUCKET_ITEMS)\n"
    "#define CLSORT_BUCKET_BINS_LOG2 (CLSORT_GROUP_LOG2 + CLSORT__HYBRID_OWN_BINS_LOG2)\n"
    "#define CLSORT_OWN_BINS (1 << CLSORT__HYBRID_OWN_BINS_LOG2)\n"
    "#define CLSORT_BUCKET_BINS (1 << CLSORT_BUCKET_BINS_LOG2)\n"
    "#define CLSORT_TOP_CODE ((code_t)~(code_t)0)\n"
    "#if CLSORT__HYBRID_OWN_BINS_LOG2 > 5\n"
    "#error \"the bins of a work-item lie side by side, without padding between them\"\n"
    "#endif\n"
    "#if CLSORT_GROUP_LOG2 > 8 || CLSORT_GROUP_LOG2 < CLSORT__HYBRID_LEAST_GROUP\n"
    "#error \"hybrid needs CLSORT_GROUP_LOG2 of CLSORT__HYBRID_LEAST_GROUP to 8\"\n"
    "#endif\n"
    "#if CLSORT_BUCKET_ITEMS & 1\n"
    "#error \"odd-even transposition needs an even CLSORT__HYBRID_BUCKET_ITEMS\"\n"
    "#endif\n\n",
    "//---- radix: lines\n\n\n\n"
    "typedef struct { code_t low; uint shift, factor; } line_t;\n\n\n"
    "CLSORT_INLINE line_t make_line(code_t low, code_t last, uint parts)\n"
    "{\n"
    "    const ulong span = (code_t)(last - low);\n"
    "    line_t line = { low, 0, 0 };\n"
    "    while (span >> line.shift >= 1UL << 31)\n"
    "        line.shift++;\n"
    "    const ulong width = (span >> line.shift) + 1;\n"
    "    line.factor = (uint)((min((ulong)parts, width) << 31) / width);\n"
    "    return line;\n"
    "}\n\n"
    "CLSORT_INLINE ulong line_product(line_t line, code_t code)\n"
    "{\n"
    "    return (ulong)(uint)((code_t)(code - line.low) >> line.shift) * line.factor;\n"
    "}\n\n"
    "CLSORT_INLINE uint line_part(line_t line, code_t code)\n"
    "{\n"
    "    return (uint)(line_product(line, code) >> 31);\n"
    "}\n\n"
    "CLSORT_INLINE uint line_bin(line_t line, code_t code)\n"
    "{\n"
    "    return (uint)(line_product(line, code) >> (31 - CLSORT_BUCKET_BINS_LOG2))\n"
    "           & (CLSORT_BUCKET_BINS - 1);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE code_t line_start(line_t line, ulong parts, uint bits, code_t last)\n"
    "{\n"
    "    const ulong product = parts << 31 >> bits, x = (product + line.factor - 1) / line.factor;\n"
    "    return x > (ulong)(code_t)(last - line.low) >> line.shift\n"
    "               ? (code_t)(last + 1)\n"
    "               : (code_t)(line.low + (code_t)((code_t)x << line.shift));\n"
    "}\n\n\n"
    "CLSORT_INLINE uint single_parts(line_t line)\n"
    "{\n"
    "    return line.shift == 0 && line.factor == 1u << 31;\n"
    "}\n\n"
    "CLSORT_INLINE uint single_bins(line_t line)\n"
    "{\n"
    "    return line.shift == 0 && line.factor >= 1u << (31 - CLSORT_BUCKET_BINS_LOG2);\n"
    "}\n\n",
    "//---- radix: bins\n\n\n"
    "typedef struct {\n"
    "    local code_t *keys;\n"
    "    local uint *bins, *sums, *words;\n"
    "} bucket_space_t;\n"
    "enum { WORD_LONGEST, WORD_TAKEN, WORD_BIN, WORD_HEAVY, WORD_COLLECTED, WORD_UNORDERED };\n\n"
    "#define CLSORT_KEY_SLOTS (CLSORT_BUCKET_TILE + (CLSORT_BUCKET_TILE >> CLSORT_KEY_PAD_LOG2))\n"
    "#define CLSORT_BIN_SLOTS (CLSORT_BUCKET_BINS + (CLSORT_BUCKET_BINS >> 5))\n\n"
    "CLSORT_INLINE bucket_space_t bucket_space(local ulong *space)\n"
    "{\n"
    "    local uint *bins = (local uint *)(space + (CLSORT_KEY_SLOTS * CLSORT_KEY_BYTES + 7) / 8),\n"
    "               *sums = bins + CLSORT_BIN_SLOTS + CLSORT__HYBRID_SPARE_BINS;\n"
    "    const bucket_space_t l = { (local code_t *)space, bins, sums, sums + 2 * CLSORT_GROUP };\n"
    "    return l;\n"
    "}\n\n\n"
    "CLSORT_INLINE void clear_bucket(bucket_space_t l)\n"
    "{\n"
    "    for (uint i = local_id(); i < CLSORT_BIN_SLOTS + CLSORT__HYBRID_SPARE_BINS; i += CLSORT_GROUP)\n"
    "        l.bins[i] = 0;\n"
    "    if (local_id() < 8)\n"
    "        l.words[local_id()] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE uint place_bins(bucket_space_t l, const uint looked_at)\n"
    "{\n"
    "    local uint *own = l.bins + pad_slot(local_id() * CLSORT_OWN_BINS, 5);\n"
    "    uint sum = 0, longest = 0;\n"
    "    #pragma unroll\n"
    "    for (uint k = 0; k < CLSORT_OWN_BINS; k++) {\n"
    "        sum += own[k];\n"
    "        longest = k < looked_at ? max(longest, own[k]) : longest;\n"
    "    }\n"
    "    if (longest > 1)\n"
    "        atomic_max(&l.words[WORD_LONGEST], longest);\n"
    "    sum = group_scan(sum, l.sums);\n"
    "    #pragma unroll\n"
    "    for (uint k = 0; k < CLSORT_OWN_BINS; k++) {\n"
    "        const uint count = own[k];\n"
    "        own[k] = sum;\n"
    "        sum += count;\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    return l.words[WORD_LONGEST];\n"
    "}\n\n"
    "CLSORT_INLINE void order_codes(code_t *a, code_t *b)\n"
    "{\n"
    "    const code_t least = min(*a, *b);\n"
    "    *b = max(*a, *b);\n"
    "    *a = least;\n"
    "}\n\n",
    "//---- radix: bins are mended\n\n\n"
    "CLSORT_INLINE void mend_bins(bucket_space_t l, uint rounds)\n"
    "{\n"
    "    const uint t = local_id(), first = t * CLSORT_BUCKET_ITEMS, most = CLSORT_BUCKET_ITEMS - 1;\n"
    "    local code_t *borders = (local code_t *)l.bins;\n"
    "    code_t key[CLSORT_BUCKET_ITEMS];\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++)\n"
    "        key[m] = l.keys[pad_slot(first + m, CLSORT_KEY_PAD_LOG2)];\n"
    "    for (uint round = 0; round < rounds; round++) {\n"
    "        local code_t *lower = borders + round % 2 * 2 * CLSORT_GROUP, *upper = lower + CLSORT_GROUP;\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < most; m += 2)\n"
    "            order_codes(&key[m], &key[m + 1]);\n"
    "        lower[t] = key[0];\n"
    "        upper[t] = key[most];\n"
    "        #pragma unroll\n"
    "        for (uint m = 1; m < most; m += 2)\n"
    "            order_codes(&key[m], &key[m + 1]);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        key[0] = t > 0 ? max(key[0], upper[t - 1]) : key[0];\n"
    "        key[most] = t + 1 < CLSORT_GROUP ? min(key[most], lower[t + 1]) : key[most];\n"
    "    }\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++)\n"
    "        l.keys[pad_slot(first + m, CLSORT_KEY_PAD_LOG2)] = key[m];\n"
    "}\n\n",
    "//---- radix: network\n\n"
    "CLSORT_INLINE void order_places(bucket_space_t l, uint a, uint b, uint rows)\n"
    "{\n"
    "    if (b >= rows)\n"
    "        return;\n"
    "    const uint i = pad_slot(a, CLSORT_KEY_PAD_LOG2), j = pad_slot(b, CLSORT_KEY_PAD_LOG2);\n"
    "    const code_t x = l.keys[i], y = l.keys[j];\n"
    "    l.keys[i] = min(x, y);\n"
    "    l.keys[j] = max(x, y);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void sort_by_network(bucket_space_t l, uint rows)\n"
    "{\n"
    "    for (uint run = 1; run < rows; run *= 2) {\n"
    "        for (uint p = local_id(); p / run * 2 * run < rows; p += CLSORT_GROUP)\n"
    "            order_places(l, p / run * 2 * run + p % run,\n"
    "                         p / run * 2 * run + 2 * run - 1 - p % run, rows);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (uint step = run / 2; step > 0; step /= 2) {\n"
    "            for (uint p = local_id(); p / step * 2 * step < rows; p += CLSORT_GROUP)\n"
    "                order_places(l, p / step * 2 * step + p % step,\n"
    "                             p / step * 2 * step + p % step + step, rows);\n"
    "            barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        }\n"
    "    }\n"
    "}\n\n\n\n"
    "CLSORT_INLINE uint is_unordered(bucket_space_t l)\n"
    "{\n"
    "    const uint first = local_id() * CLSORT_BUCKET_ITEMS;\n"
    "    code_t last = l.keys[pad_slot(first, CLSORT_KEY_PAD_LOG2)];\n"
    "    uint found = 0;\n"
    "    #pragma unroll\n"
    "    for (uint m = 1; m <= CLSORT_BUCKET_ITEMS; m++) {\n"
    "        const uint i = min(first + m, CLSORT_BUCKET_TILE - 1u);\n"
    "        const code_t next = l.keys[pad_slot(i, CLSORT_KEY_PAD_LOG2)];\n"
    "        found |= next < last;\n"
    "        last = next;\n"
    "    }\n"
    "    if (found)\n"
    "        atomic_or(&l.words[WORD_UNORDERED], 1);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    return l.words[WORD_UNORDERED];\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE void order_bins(bucket_space_t l, uint rows, uint longest)\n"
    "{\n"
    "    if (longest > 1\n"
    "        && (longest <= CLSORT__HYBRID_MOST_TRUSTED || is_unordered(l))) {\n"
    "        if (longest <= (CLSORT_IS(SAMPLES) ? 2 : 1) * CLSORT__HYBRID_MOST_MENDED)\n"
    "            mend_bins(l, (longest + 1) / 2);\n"
    "        else\n"
    "            sort_by_network(l, rows);\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE uint bucket_item(uint m)\n"
    "{\n"
    "    const uint t = local_id(), warp = CLSORT__WARP;\n"
    "    return CLSORT_IS(SAMPLES) ? t / warp * (warp * CLSORT_BUCKET_ITEMS) + t % warp + m * warp\n"
    "                              : t + m * CLSORT_GROUP;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void fill_bins(bucket_space_t l, const code_t *key, const uint *rank, uint rows)\n"
    "{\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++) {\n"
    "        const uint row = bucket_item(m),\n"
    "                   at = row < rows ? l.bins[rank[m] >> 16] + (rank[m] & 0xFFFF) : row;\n"
    "        l.keys[pad_slot(at, CLSORT_KEY_PAD_LOG2)] = row < rows ? key[m] : CLSORT_TOP_CODE;\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n\n"
    "CLSORT_INLINE void count_bins(bucket_space_t l, const code_t *key, uint *rank, uint rows,\n"
    "                              line_t line)\n"
    "{\n"
    "    const uint spare = CLSORT_BIN_SLOTS + local_id() % CLSORT__HYBRID_SPARE_BINS;\n"
    "    clear_bucket(l);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++) {\n"
    "        const uint inside = bucket_item(m) < rows,\n"
    "                   bin = inside ? pad_slot(line_bin(line, key[m]), 5) : spare;\n"
    "        rank[m] = atomic_inc(&l.bins[bin]) | bin << 16;\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void sort_bins(bucket_space_t l, const code_t *key, uint rows, line_t line)\n"
    "{\n"
    "    uint rank[CLSORT_BUCKET_ITEMS];\n"
    "    count_bins(l, key, rank, rows, line);\n"
    "    const uint longest = place_bins(l, CLSORT_OWN_BINS);\n"
    "    fill_bins(l, key, rank, rows);\n"
    "    order_bins(l, rows, single_bins(line) ? 0 : longest);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void join_edges(local code_t *edges, code_t least, code_t most)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    edges[t] = least;\n"
    "    edges[CLSORT_GROUP + t] = most;\n"
    "    for (uint step = CLSORT_GROUP / 2; step > 0; step >>= 1) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (t < step) {\n"
    "            edges[t] = min(edges[t], edges[t + step]);\n"
    "            edges[CLSORT_GROUP + t] = max(edges[CLSORT_GROUP + t], edges[CLSORT_GROUP + t + step]);\n"
    "        }\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n"
    "#endif\n\n",
    "//---- radix: hybrid\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
    "#if CLSORT_IS(HYBRID) && CLSORT_LANES == 1 && CLSORT_SHARE_LOG2 > 0\n"
    "#ifndef CLSORT_RADIX_ITEMS\n"
    "#define CLSORT_RADIX_ITEMS 16\n"
    "#endif\n"
    "#define CLSORT_SPLIT_TILE (CLSORT_GROUP * CLSORT_RADIX_ITEMS)\n\n\n"
    "#define CLSORT_HYBRID_ARGS \\\n"
    "    CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target), CLSORT_ARRAY_ARGS(alt), \\\n"
    "        CLSORT_CODEC_ARGS, global uchar *scratch, ulong scratch_at, uint n, uint tables, \\\n"
    "        uint slots, local ulong *space\n"
    "#define CLSORT_HYBRID \\\n"
    "    { \\\n"
    "        CLSORT_ARRAY(source), CLSORT_ARRAY(target), CLSORT_ARRAY(alt), CLSORT_CODEC, \\\n"
    "            (global uint *)(scratch + scratch_at) + CLSORT__GATE, \\\n"
    "            (global uint *)(scratch + scratch_at) + tables, n, slots \\\n"
    "    }\n"
    "typedef struct {\n"
    "    array_t source, target, alt;\n"
    "    codec_t codec;\n"
    "    global uint *gate, *tables;\n"
    "    uint n, slots;\n"
    "} hybrid_t;\n\n\n\n"
    "enum { HYBRID_OVER, HYBRID_TILES, HYBRID_DIGITS, HYBRID_SHIFT, HYBRID_FACTOR, HYBRID_FLAT,\n"
    "       HYBRID_LEAST = 6, HYBRID_MOST = 8 };\n"
    "enum { RANGE_LOW, RANGE_LAST = 2, RANGE_SHIFT = 4, RANGE_FACTOR, RANGE_TILES };\n\n"
    "CLSORT_INLINE global uint *hybrid_next(hybrid_t h)\n"
    "{\n"
    "    return h.tables + CLSORT__HYBRID_NEXT_AT;\n"
    "}\n\n"
    "CLSORT_INLINE global uint *hybrid_range(hybrid_t h, uint digit)\n"
    "{\n"
    "    return h.tables + CLSORT__HYBRID_RANGES_AT + digit * CLSORT__HYBRID_RANGE_WORDS;\n"
    "}\n\n"
    "CLSORT_INLINE global uint *hybrid_slots(hybrid_t h)\n"
    "{\n"
    "    return h.tables + CLSORT__HYBRID_SLOTS_AT;\n"
    "}\n\n",
    "//---- radix: hybrid sample\n"
    "#define CLSORT_SLICES (CLSORT__HYBRID_DIGITS - 2)\n"
    "#define CLSORT_INNER_CELLS (CLSORT_SLICES << CLSORT__HYBRID_SLICE_LOG2)\n"
    "#define CLSORT_LAST_CELL (CLSORT_INNER_CELLS + 1)\n"
    "#define CLSORT_CELL_WORDS (CLSORT__HYBRID_CELLS / 2)\n"
    "#define CLSORT_OWN_CELLS (CLSORT__HYBRID_CELLS / CLSORT_GROUP)\n"
    "#define CLSORT_CELL_MASKS (CLSORT__HYBRID_CELLS / CLSORT__HYBRID_MASK_CELLS)\n"
    "#if CLSORT_LAST_CELL >= CLSORT__HYBRID_CELLS\n"
    "#error \"the slices, and a cell on either side of them, must be cells\"\n"
    "#endif\n\n"
    "CLSORT_INLINE uint sample_size(hybrid_t h)\n"
    "{\n"
    "    return min(h.n, 1u << CLSORT__HYBRID_SAMPLE_LOG2);\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_hybrid_sample(CLSORT_HYBRID_ARGS)\n"
    "{\n"
    "    const hybrid_t h = CLSORT_HYBRID;\n"
    "    const uint size = sample_size(h);\n"
    "    for (uint i = (uint)get_global_id(0); i < size; i += (uint)get_global_size(0)) {\n"
    "        const uint noise = (i + 1) * 0x9E3779B9u, jitter = (noise ^ noise >> 15) * 0x85EBCA6Bu;\n"
    "        const ulong place = (ulong)i * n + ((ulong)jitter * n >> 32);\n"
    "        *key_place(h.alt, i)\n"
    "            = *key_place(h.source, size == n ? i : place >> CLSORT__HYBRID_SAMPLE_LOG2);\n"
    "    }\n"
    "}\n\n\n\n"
    "typedef struct {\n"
    "    local uint *counts, *sums;\n"
    "    local code_t *edges;\n"
    "    line_t line;\n"
    "    code_t most;\n"
    "    uint size, flat;\n"
    "} cells_t;\n\n\n\n"
    "CLSORT_INLINE void find_edges(hybrid_t h, cells_t s)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    code_t least = CLSORT_TOP_CODE, most = 0;\n"
    "    #pragma unroll 16\n"
    "    for (uint i = t; i < s.size; i += CLSORT_GROUP) {\n"
    "        const code_t code = encode(*key_place(h.alt, i), h.codec);\n"
    "        least = min(least, code);\n"
    "        most = max(most, code);\n"
    "    }\n"
    "    join_edges(s.edges, least, most);\n"
    "}\n\n\n"
    "CLSORT_INLINE uint cell_count(cells_t s, uint cell)\n"
    "{\n"
    "    return s.counts[pad_slot(cell / 2, 5)] >> cell % 2 * 16 & 0xFFFF;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void count_cells(hybrid_t h, cells_t s)\n"
    "{\n"
    "    for (uint i = local_id(); i < CLSORT_CELL_WORDS; i += CLSORT_GROUP)\n"
    "        s.counts[pad_slot(i, 5)] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    #pragma unroll 16\n"
    "    for (uint i = local_id(); i < s.size; i += CLSORT_GROUP) {\n"
    "        const uint cell = 1 + line_part(s.line, encode(*key_place(h.alt, i), h.codec));\n"
    "        atomic_add(&s.counts[pad_slot(cell / 2, 5)], 1u << cell % 2 * 16);\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n",
    "//---- radix: hybrid cells\n\n\n\n"
    "CLSORT_INLINE uint cell_quota(cells_t s, uint cell, uint before)\n"
    "{\n"
    "    const uint wide = CLSORT_SLICES - CLSORT__HYBRID_EVEN_DIGITS,\n"
    "               scale = ((uint)CLSORT__HYBRID_EVEN_DIGITS << 22) / s.size;\n"
    "    return min(before * scale >> 22, CLSORT__HYBRID_EVEN_DIGITS - 1u)\n"
    "           + cell * wide / CLSORT__HYBRID_CELLS;\n"
    "}\n\n\n"
    "CLSORT_INLINE code_t cell_start(cells_t s, uint cell)\n"
    "{\n"
    "    const code_t start = cell ? line_start(s.line, cell - 1, 0, s.most) : 0;\n"
    "    return cell == CLSORT_LAST_CELL ? (code_t)(s.most + 1) : start;\n"
    "}\n\n\n"
    "CLSORT_INLINE uint begins_range(cells_t s, uint cell, uint quota, uint previous)\n"
    "{\n"
    "    if (cell <= 1 || cell >= CLSORT_LAST_CELL)\n"
    "        return cell <= 1 || (cell == CLSORT_LAST_CELL && s.most != CLSORT_TOP_CODE);\n"
    "    return s.flat ? (cell - 1) % (1 << CLSORT__HYBRID_SLICE_LOG2) == 0 : quota != previous;\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE uint mask_cells(cells_t s, uint first, uint *before, uint *quota)\n"
    "{\n"
    "    uint mask = 0;\n"
    "    for (uint bit = 0; bit < CLSORT__HYBRID_MASK_CELLS; bit++) {\n"
    "        const uint own = cell_quota(s, first + bit, *before);\n"
    "        mask |= begins_range(s, first + bit, own, *quota) << bit;\n"
    "        *quota = own;\n"
    "        *before += cell_count(s, first + bit);\n"
    "    }\n"
    "    return mask;\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE uint write_cells(hybrid_t h, cells_t s, uint before, uint digit, const uint writes)\n"
    "{\n"
    "    const uint first = local_id() * CLSORT_OWN_CELLS, old = digit;\n"
    "    uint quota = first ? cell_quota(s, first - 1, before - cell_count(s, first - 1)) : 0;\n"
    "    for (uint cell = first; cell < first + CLSORT_OWN_CELLS; cell += CLSORT__HYBRID_MASK_CELLS) {\n"
    "        uint mask = mask_cells(s, cell, &before, &quota);\n"
    "        if (writes)\n"
    "            h.tables[CLSORT__HYBRID_MASKS_AT + cell / CLSORT__HYBRID_MASK_CELLS]\n"
    "                = digit << 16 | mask;\n"
    "        for (; mask != 0; mask &= mask - 1, digit++)\n"
    "            if (writes)\n"
    "                store_code(hybrid_range(h, digit) + RANGE_LOW,\n"
    "                           cell_start(s, cell + 31 - clz(mask & -mask)));\n"
    "    }\n"
    "    return digit - old;\n"
    "}\n\n",
    "//---- radix: hybrid cells kernel\n\n"
    "CLSORT_INLINE uint sum_cells(cells_t s, uint *heaviest)\n"
    "{\n"
    "    const uint first = local_id() * CLSORT_OWN_CELLS;\n"
    "    uint sum = 0;\n"
    "    *heaviest = 0;\n"
    "    for (uint c = first; c < first + CLSORT_OWN_CELLS; c++) {\n"
    "        sum += cell_count(s, c);\n"
    "        *heaviest = max(*heaviest, cell_count(s, c));\n"
    "    }\n"
    "    return sum;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE uint is_flat(cells_t s, uint sum)\n"
    "{\n"
    "    uint over;\n"
    "    group_scan_total(sum > CLSORT__HYBRID_FLAT_TIMES * (s.size / CLSORT_GROUP), s.sums, &over);\n"
    "    return over == 0;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void write_head(hybrid_t h, cells_t s, uint digits, uint heaviest)\n"
    "{\n"
    "    for (uint d = local_id(); d < CLSORT__HYBRID_DIGITS; d += CLSORT_GROUP)\n"
    "        hybrid_next(h)[d] = 0;\n"
    "    if (local_id() == 0) {\n"
    "        *h.gate = 1;\n"
    "        h.tables[HYBRID_OVER] = 0;\n"
    "        h.tables[HYBRID_DIGITS] = digits;\n"
    "        h.tables[HYBRID_SHIFT] = s.line.shift;\n"
    "        h.tables[HYBRID_FACTOR] = s.line.factor;\n"
    "        h.tables[HYBRID_FLAT] = s.flat;\n"
    "        store_code(h.tables + HYBRID_LEAST, s.line.low);\n"
    "        store_code(h.tables + HYBRID_MOST, s.most);\n"
    "    }\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    if (heaviest > s.size / CLSORT__HYBRID_HEAVY_PART)\n"
    "        atomic_and(h.gate, 0);\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_hybrid_cells(CLSORT_HYBRID_ARGS)\n"
    "{\n"
    "    const hybrid_t h = CLSORT_HYBRID;\n"
    "    local code_t *edges = (local code_t *)space;\n"
    "    local uint *counts = (local uint *)(edges + 2 * CLSORT_GROUP),\n"
    "               *sums = counts + CLSORT_CELL_WORDS + (CLSORT_CELL_WORDS >> 5);\n"
    "    cells_t s = { counts, sums, edges, { 0, 0, 0 }, 0, sample_size(h), 0 };\n"
    "    uint digits, heaviest;\n"
    "    if (n == 0)\n"
    "        return;\n"
    "    find_edges(h, s);\n"
    "    s.most = edges[CLSORT_GROUP];\n"
    "    s.line = make_line(edges[0], s.most, CLSORT_INNER_CELLS);\n"
    "    count_cells(h, s);\n"
    "    const uint sum = sum_cells(s, &heaviest), before = group_scan_total(sum, s.sums, &digits);\n"
    "    s.flat = is_flat(s, sum);\n"
    "    const uint begun = write_cells(h, s, before, 0, 0),\n"
    "               digit = group_scan_total(begun, s.sums, &digits);\n"
    "    write_cells(h, s, before, digit, 1);\n"
    "    write_head(h, s, digits, heaviest);\n"
    "}\n\n",
    "//---- radix: hybrid digits\n\n\n"
    "enum { BY_MASKS, BY_SLICES, BY_LINE };\n"
    "typedef struct {\n"
    "    line_t line;\n"
    "    code_t span;\n"
    "    local const uint *masks;\n"
    "    uint flat;\n"
    "} splitter_t;\n\n\n"
    "CLSORT_INLINE splitter_t first_splitter(hybrid_t h, local uint *masks)\n"
    "{\n"
    "    const code_t least = load_code(h.tables + HYBRID_LEAST);\n"
    "    const splitter_t s = { { least, h.tables[HYBRID_SHIFT], h.tables[HYBRID_FACTOR] },\n"
    "                           (code_t)(load_code(h.tables + HYBRID_MOST) - least),\n"
    "                           masks, h.tables[HYBRID_FLAT] };\n"
    "    for (uint i = local_id(); i < CLSORT_CELL_MASKS && !s.flat; i += CLSORT_GROUP)\n"
    "        masks[i] = h.tables[CLSORT__HYBRID_MASKS_AT + i];\n"
    "    return s;\n"
    "}\n\n\n"
    "CLSORT_INLINE uint split_digit(splitter_t s, code_t code, const uint by)\n"
    "{\n"
    "    if (by == BY_LINE)\n"
    "        return line_part(s.line, code);\n"
    "    const uint below = code < s.line.low, inside = (code_t)(code - s.line.low) <= s.span,\n"
    "               slice = 1 + (uint)(line_product(s.line, code) >> (31 + CLSORT__HYBRID_SLICE_LOG2));\n"
    "    if (by == BY_SLICES)\n"
    "        return inside ? slice : below ? 0 : CLSORT__HYBRID_DIGITS - 1;\n"
    "    const uint cell = inside ? 1 + line_part(s.line, code) : below ? 0 : CLSORT_LAST_CELL,\n"
    "               word = s.masks[cell / CLSORT__HYBRID_MASK_CELLS];\n"
    "    return (word >> 16) + popcount(word & ((2u << cell % CLSORT__HYBRID_MASK_CELLS) - 1)) - 1;\n"
    "}\n\n"
    "CLSORT_INLINE line_t range_line(hybrid_t h, uint digit)\n"
    "{\n"
    "    global const uint *range = hybrid_range(h, digit);\n"
    "    const line_t line = { load_code(range + RANGE_LOW), range[RANGE_SHIFT], range[RANGE_FACTOR] };\n"
    "    return line;\n"
    "}\n\n",
    "//---- radix: hybrid count\n\n"
    "#define CLSORT_AHEAD 8\n\n\n"
    "CLSORT_INLINE void count_digits(splitter_t s, array_t from, codec_t codec, uint rows,\n"
    "                                local uint *counters, const uint by)\n"
    "{\n"
    "    const uint copies = by == BY_LINE ? 1 : CLSORT__HYBRID_COPIES, own = local_id() % copies;\n"
    "    for (uint at = local_id(); at < rows; at += CLSORT_AHEAD * CLSORT_GROUP) {\n"
    "        code_t code[CLSORT_AHEAD];\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_AHEAD; m++)\n"
    "            code[m] = *key_place(from, min(at + m * CLSORT_GROUP, rows - 1));\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_AHEAD; m++)\n"
    "            if (at + m * CLSORT_GROUP < rows)\n"
    "                atomic_inc(&counters[own + copies\n"
    "                                           * split_digit(s, encode(code[m], codec), by)]);\n"
    "    }\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void add_copies(hybrid_t h, local const uint *counters)\n"
    "{\n"
    "    for (uint d = local_id(); d < CLSORT__HYBRID_DIGITS; d += CLSORT_GROUP) {\n"
    "        uint count = 0;\n"
    "        for (uint k = 0; k < CLSORT__HYBRID_COPIES; k++)\n"
    "            count += counters[d * CLSORT__HYBRID_COPIES + k];\n"
    "        if (count != 0)\n"
    "            atomic_add(&hybrid_next(h)[d], count);\n"
    "    }\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_hybrid_count(CLSORT_HYBRID_ARGS)\n"
    "{\n"
    "    const hybrid_t h = CLSORT_HYBRID;\n"
    "    local uint *counters = (local uint *)space,\n"
    "               *masks = counters + CLSORT__HYBRID_COPIES * CLSORT__HYBRID_DIGITS;\n"
    "    const uint groups = (uint)get_num_groups(0),\n"
    "               tiles = (n + CLSORT_SPLIT_TILE - 1) / CLSORT_SPLIT_TILE;\n"
    "    if (n == 0)\n"
    "        return;\n"
    "    for (uint i = (uint)get_global_id(0); i < CLSORT__HYBRID_DIGITS * slots;\n"
    "         i += groups * CLSORT_GROUP)\n"
    "        hybrid_slots(h)[i] = 0;\n"
    "    if (*h.gate == 0)\n"
    "        return;\n"
    "    const splitter_t s = first_splitter(h, masks);\n"
    "    for (uint i = local_id(); i < CLSORT__HYBRID_COPIES * CLSORT__HYBRID_DIGITS; i += CLSORT_GROUP)\n"
    "        counters[i] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint tile = (uint)get_group_id(0); tile < tiles; tile += groups) {\n"
    "        const uint begin = tile * CLSORT_SPLIT_TILE, rows = min(n - begin, CLSORT_SPLIT_TILE + 0u);\n"
    "        const array_t from = advance(h.source, begin);\n"
    "        if (s.flat) count_digits(s, from, h.codec, rows, counters, BY_SLICES);\n"
    "        else count_digits(s, from, h.codec, rows, counters, BY_MASKS);\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    add_copies(h, counters);\n"
    "}\n\n",
    "//---- radix: hybrid ranges\n\n\n"
    "CLSORT_INLINE void judge_bucket(hybrid_t h, uint rows)\n"
    "{\n"
    "    if (rows <= CLSORT_BUCKET_TILE)\n"
    "        return;\n"
    "    const uint most = h.n / CLSORT__HYBRID_OVER_PART,\n"
    "               before = atomic_add(&h.tables[HYBRID_OVER], rows);\n"
    "    if (before > most || rows > most - before\n"
    "        || rows / CLSORT_BUCKET_TILE >= CLSORT__HYBRID_OVER_TIMES(h.n))\n"
    "        atomic_and(h.gate, 0);\n"
    "}\n\n\n\n\n\n"
    "CLSORT_INLINE line_t cut_range(hybrid_t h, code_t low, code_t last, uint rows, uint outside)\n"
    "{\n"
    "    const uint flat = h.tables[HYBRID_FLAT],\n"
    "               spare = flat ? CLSORT_GROUP + CLSORT_GROUP / 4 : CLSORT_BUCKET_TILE / 8,\n"
    "               parts = (rows / (CLSORT_BUCKET_TILE - spare) + 1) << !flat,\n"
    "               wanted = outside || (code_t)(last - low) < h.slots ? h.slots : parts;\n"
    "    line_t line = make_line(low, last, h.slots ? min(wanted, h.slots) : 1);\n"
    "    if (!flat && !single_parts(line) && h.slots)\n"
    "        line.factor &= ~1u;\n"
    "    return line;\n"
    "}\n\n\n"
    "CLSORT_INLINE void write_range(hybrid_t h, uint digit, uint rows, uint tiles)\n"
    "{\n"
    "    global uint *range = hybrid_range(h, digit);\n"
    "    const uint used = digit < h.tables[HYBRID_DIGITS],\n"
    "               next = digit + 1 < h.tables[HYBRID_DIGITS];\n"
    "    const code_t low = used ? load_code(range + RANGE_LOW) : 0,\n"
    "                 last = next ? load_code(range + CLSORT__HYBRID_RANGE_WORDS + RANGE_LOW) - 1\n"
    "                             : CLSORT_TOP_CODE;\n"
    "    const line_t line = cut_range(h, low, last, rows, digit == 0 || !next);\n"
    "    if (!used)\n"
    "        store_code(range + RANGE_LOW, low);\n"
    "    store_code(range + RANGE_LAST, last);\n"
    "    range[RANGE_SHIFT] = line.shift;\n"
    "    range[RANGE_FACTOR] = line.factor;\n"
    "    range[RANGE_TILES] = tiles;\n"
    "    if (rows > h.n / CLSORT__HYBRID_HEAVY_PART)\n"
    "        atomic_and(h.gate, 0);\n"
    "    if (h.slots == 0 && !single_parts(line))\n"
    "        judge_bucket(h, rows);\n"
    "}\n\n\n"
    "CLSORT_KERNEL void clsort_hybrid_ranges(CLSORT_HYBRID_ARGS)\n"
    "{\n"
    "    const hybrid_t h = CLSORT_HYBRID;\n"
    "    local uint *sums = (local uint *)space;\n"
    "    const uint own = CLSORT__HYBRID_DIGITS / CLSORT_GROUP, first = local_id() * own;\n"
    "    uint rows[CLSORT__HYBRID_DIGITS / CLSORT_GROUP], sum = 0, tiles = 0, total;\n"
    "    if (n == 0)\n"
    "        return;\n"
    "    for (uint k = 0; k < own; k++) {\n"
    "        rows[k] = hybrid_next(h)[first + k];\n"
    "        sum += rows[k];\n"
    "        tiles += (rows[k] + CLSORT_SPLIT_TILE - 1) / CLSORT_SPLIT_TILE;\n"
    "    }\n"
    "    sum = group_scan_total(sum, sums, &total);\n"
    "    tiles = group_scan_total(tiles, sums, &total);\n"
    "    for (uint k = 0; k < own; k++) {\n"
    "        hybrid_next(h)[first + k] = sum;\n"
    "        write_range(h, first + k, rows[k], tiles);\n"
    "        sum += rows[k];\n"
    "        tiles += (rows[k] + CLSORT_SPLIT_TILE - 1) / CLSORT_SPLIT_TILE;\n"
    "    }\n"
    "    if (local_id() == 0)\n"
    "        h.tables[HYBRID_TILES] = total;\n"
    "}\n\n",
    "//---- radix: hybrid a tile moves\n\n\n"
    "#define CLSORT_MOST_SLOTS CLSORT__HYBRID_MOST_SLOTS(CLSORT_KEY_BYTES)\n"
    "typedef struct {\n"
    "    local code_t *staged;\n"
    "    local uint *counters, *offsets, *sums, *masks;\n"
    "} split_space_t;\n\n"
    "CLSORT_INLINE split_space_t split_space(local ulong *space)\n"
    "{\n"
    "    local uint *counters = (local uint *)(space + CLSORT_SPLIT_TILE * CLSORT_KEY_BYTES / 8),\n"
    "               *offsets = counters + CLSORT_MOST_SLOTS, *sums = offsets + CLSORT_MOST_SLOTS;\n"
    "    const split_space_t l = { (local code_t *)space, counters, offsets, sums,\n"
    "                              sums + 2 * CLSORT_GROUP + 2 };\n"
    "    return l;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void reserve_places(split_space_t l, global uint *next, const uint by)\n"
    "{\n"
    "    const uint own = (by == BY_LINE ? CLSORT_MOST_SLOTS : CLSORT__HYBRID_DIGITS) / CLSORT_GROUP,\n"
    "               first = local_id() * own;\n"
    "    uint count[CLSORT_MOST_SLOTS / CLSORT_GROUP], place[CLSORT_MOST_SLOTS / CLSORT_GROUP], sum = 0;\n"
    "    #pragma unroll\n"
    "    for (uint k = 0; k < own; k++) {\n"
    "        count[k] = l.counters[first + k];\n"
    "        place[k] = count[k] ? atomic_add(&next[first + k], count[k]) : 0;\n"
    "        sum += count[k];\n"
    "    }\n"
    "    sum = group_scan(sum, l.sums);\n"
    "    #pragma unroll\n"
    "    for (uint k = 0; k < own; k++) {\n"
    "        l.counters[first + k] = sum;\n"
    "        l.offsets[first + k] = place[k] - sum;\n"
    "        sum += count[k];\n"
    "    }\n"
    "}\n\n\n"
    "typedef struct {\n"
    "    array_t from, to;\n"
    "    global uint *next;\n"
    "    uint rows;\n"
    "} move_t;\n\n\n"
    "CLSORT_INLINE void write_staged(move_t v, splitter_t s, split_space_t l, codec_t codec,\n"
    "                                const uint by)\n"
    "{\n"
    "    const uint whole = v.rows == CLSORT_SPLIT_TILE;\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {\n"
    "        const uint i = local_id() + m * CLSORT_GROUP;\n"
    "        if (whole || i < v.rows) {\n"
    "            const code_t code = l.staged[i];\n"
    "            *key_place(v.to, l.offsets[split_digit(s, code, by)] + i) = decode(code, codec);\n"
    "        }\n"
    "    }\n"
    "}\n\n\n"
    "CLSORT_INLINE void load_tile(code_t *key, move_t v)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    if (v.rows == CLSORT_SPLIT_TILE) {\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)\n"
    "            key[m] = *key_place(v.from, t + m * CLSORT_GROUP);\n"
    "    } else {\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)\n"
    "            key[m] = *key_place(v.from, min(t + m * CLSORT_GROUP, v.rows - 1));\n"
    "    }\n"
    "}\n\n\n"
    "CLSORT_INLINE void move_tile(move_t v, splitter_t s, split_space_t l, codec_t codec,\n"
    "                             const uint by)\n"
    "{\n"
    "    const uint t = local_id(), whole = v.rows == CLSORT_SPLIT_TILE;\n"
    "    code_t code[CLSORT_RADIX_ITEMS];\n"
    "    uint rank[CLSORT_RADIX_ITEMS];\n"
    "    load_tile(code, v);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++) {\n"
    "        code[m] = encode(code[m], codec);\n"
    "        if (whole || t + m * CLSORT_GROUP < v.rows) {\n"
    "            const uint d = split_digit(s, code[m], by);\n"
    "            rank[m] = atomic_inc(&l.counters[d]) | d << 16;\n"
    "        }\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    reserve_places(l, v.next, by);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_RADIX_ITEMS; m++)\n"
    "        if (whole || t + m * CLSORT_GROUP < v.rows)\n"
    "            l.staged[l.counters[rank[m] >> 16] + (rank[m] & 0xFFFF)] = code[m];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    write_staged(v, s, l, codec, by);\n"
    "}\n\n",
    "//---- radix: hybrid split\n\n\n"
    "CLSORT_KERNEL void clsort_hybrid_split(CLSORT_HYBRID_ARGS)\n"
    "{\n"
    "    const hybrid_t h = CLSORT_HYBRID;\n"
    "    const split_space_t l = split_space(space);\n"
    "    const uint begin = (uint)get_group_id(0) * CLSORT_SPLIT_TILE;\n"
    "    if (n == 0 || *h.gate == 0)\n"
    "        return;\n"
    "    const splitter_t s = first_splitter(h, l.masks);\n"
    "    const move_t v = { advance(h.source, begin), h.alt, hybrid_next(h),\n"
    "                       min(n - begin, CLSORT_SPLIT_TILE + 0u) };\n"
    "    for (uint d = local_id(); d < CLSORT__HYBRID_DIGITS; d += CLSORT_GROUP)\n"
    "        l.counters[d] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (!CLSORT_BRANCHES) move_tile(v, s, l, h.codec, s.flat ? BY_SLICES : BY_MASKS);\n"
    "    else if (s.flat) move_tile(v, s, l, h.codec, BY_SLICES);\n"
    "    else move_tile(v, s, l, h.codec, BY_MASKS);\n"
    "}\n\n",
    "//---- radix: hybrid second digits\n\n\n"
    "typedef struct { uint digit, begin, rows, tiles; } part_t;\n\n\n\n"
    "CLSORT_INLINE part_t find_part(hybrid_t h, uint tile, uint most, local uint *found)\n"
    "{\n"
    "    const uint total = h.tables[HYBRID_TILES];\n"
    "    for (uint d = local_id(); d < CLSORT__HYBRID_DIGITS; d += CLSORT_GROUP) {\n"
    "        const uint last = d == CLSORT__HYBRID_DIGITS - 1,\n"
    "                   end = last ? total : hybrid_range(h, d + 1)[RANGE_TILES];\n"
    "        if (hybrid_range(h, d)[RANGE_TILES] <= tile && tile < end)\n"
    "            *found = d;\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    part_t p = { *found, 0, 0, 0 };\n"
    "    const uint start = p.digit ? hybrid_next(h)[p.digit - 1] : 0, end = hybrid_next(h)[p.digit];\n"
    "    p.begin = start + (tile - hybrid_range(h, p.digit)[RANGE_TILES]) * CLSORT_SPLIT_TILE;\n"
    "    p.rows = min(end - p.begin, most * CLSORT_SPLIT_TILE);\n"
    "    p.tiles = (p.rows + CLSORT_SPLIT_TILE - 1) / CLSORT_SPLIT_TILE;\n"
    "    return p;\n"
    "}\n\n\n"
    "CLSORT_KERNEL void clsort_hybrid_recount(CLSORT_HYBRID_ARGS)\n"
    "{\n"
    "    const hybrid_t h = CLSORT_HYBRID;\n"
    "    local uint *counters = (local uint *)space, *found = counters + CLSORT_MOST_SLOTS;\n"
    "    if (n == 0 || *h.gate == 0)\n"
    "        return;\n"
    "    uint tile = (uint)get_group_id(0) * CLSORT__HYBRID_RECOUNT_TILES;\n"
    "    const uint end = min(tile + CLSORT__HYBRID_RECOUNT_TILES, h.tables[HYBRID_TILES]);\n"
    "    while (tile < end) {\n"
    "        const part_t p = find_part(h, tile, end - tile, found);\n"
    "        const splitter_t s = { range_line(h, p.digit), 0, 0, 0 };\n"
    "        for (uint d = local_id(); d < slots; d += CLSORT_GROUP)\n"
    "            counters[d] = 0;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        count_digits(s, advance(h.alt, p.begin), h.codec, p.rows, counters, BY_LINE);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (uint d = local_id(); d < slots; d += CLSORT_GROUP)\n"
    "            if (counters[d] != 0)\n"
    "                atomic_add(&hybrid_slots(h)[p.digit * slots + d], counters[d]);\n"
    "        tile += p.tiles;\n"
    "    }\n"
    "}\n\n",
    "//---- radix: hybrid starts\n\n"
    "CLSORT_INLINE uint part_count(local const uint *counts, uint d, uint slots, uint joins)\n"
    "{\n"
    "    if (d >= (joins ? slots / 2 : slots))\n"
    "        return 0;\n"
    "    return joins ? counts[2 * d] + counts[2 * d + 1] : counts[d];\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE uint join_parts(hybrid_t h, uint digit, local uint *counts, local uint *free)\n"
    "{\n"
    "    const line_t line = range_line(h, digit);\n"
    "    if (local_id() == 0)\n"
    "        *free = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint d = local_id(); d < h.slots / 2; d += CLSORT_GROUP)\n"
    "        if (counts[2 * d] + counts[2 * d + 1] > CLSORT_BUCKET_TILE)\n"
    "            *free = 1;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
    "    const uint joins = !*free && !h.tables[HYBRID_FLAT] && !single_parts(line);\n"
    "    if (joins && local_id() == 0)\n"
    "        hybrid_range(h, digit)[RANGE_FACTOR] = line.factor / 2;\n"
    "    return joins;\n"
    "}\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_hybrid_starts(CLSORT_HYBRID_ARGS)\n"
    "{\n"
    "    const hybrid_t h = CLSORT_HYBRID;\n"
    "    const uint digit = (uint)get_group_id(0), own = (slots + CLSORT_GROUP - 1) / CLSORT_GROUP,\n"
    "               first = local_id() * own;\n"
    "    local uint *sums = (local uint *)space, *counts = sums + 2 * CLSORT_GROUP + 1;\n"
    "    if (n == 0)\n"
    "        return;\n"
    "    global uint *next = hybrid_slots(h) + digit * slots;\n"
    "    const uint single = single_parts(range_line(h, digit));\n"
    "    for (uint d = local_id(); d < slots; d += CLSORT_GROUP)\n"
    "        counts[d] = next[d];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    const uint joins = join_parts(h, digit, counts, sums + 2 * CLSORT_GROUP);\n"
    "    uint sum = 0;\n"
    "    for (uint k = 0; k < own; k++)\n"
    "        sum += part_count(counts, first + k, slots, joins);\n"
    "    sum = group_scan(sum, sums) + (digit ? hybrid_next(h)[digit - 1] : 0);\n"
    "    for (uint k = 0; k < own; k++) {\n"
    "        const uint rows = part_count(counts, first + k, slots, joins);\n"
    "        if (first + k < slots)\n"
    "            next[first + k] = sum;\n"
    "        sum += rows;\n"
    "        judge_bucket(h, single ? 0 : rows);\n"
    "    }\n"
    "}\n\n",
    "//---- radix: hybrid resplit\n\n"
    "CLSORT_KERNEL void clsort_hybrid_resplit(CLSORT_HYBRID_ARGS)\n"
    "{\n"
    "    const hybrid_t h = CLSORT_HYBRID;\n"
    "    const split_space_t l = split_space(space);\n"
    "    const uint tile = (uint)get_group_id(0);\n"
    "    if (n == 0 || *h.gate == 0 || tile >= h.tables[HYBRID_TILES])\n"
    "        return;\n"
    "    for (uint d = local_id(); d < CLSORT_MOST_SLOTS; d += CLSORT_GROUP)\n"
    "        l.counters[d] = 0;\n"
    "    const part_t p = find_part(h, tile, 1, l.sums);\n"
    "    const splitter_t s = { range_line(h, p.digit), 0, 0, 0 };\n"
    "    const move_t v = { advance(h.alt, p.begin), h.target, hybrid_slots(h) + p.digit * slots,\n"
    "                       p.rows };\n"
    "    move_tile(v, s, l, h.codec, BY_LINE);\n"
    "}\n\n",
    "//---- radix: hybrid buckets\n\n\n"
    "typedef struct {\n"
    "    uint begin, rows, again, single;\n"
    "    code_t low, last;\n"
    "    line_t line;\n"
    "} bucket_t;\n\n"
    "CLSORT_INLINE bucket_t take_bucket(hybrid_t h, uint number)\n"
    "{\n"
    "    const uint again = h.slots != 0, digit = again ? number / h.slots : number,\n"
    "               part = again ? number % h.slots : 0;\n"
    "    global const uint *ends = again ? hybrid_slots(h) : hybrid_next(h),\n"
    "                      *range = hybrid_range(h, digit);\n"
    "    bucket_t b = { number ? ends[number - 1] : 0, 0, again, 0, 0, 0, range_line(h, digit) };\n"
    "    const code_t last = load_code(range + RANGE_LAST);\n"
    "    b.rows = ends[number] - b.begin;\n"
    "    b.single = single_parts(b.line);\n"
    "    b.low = line_start(b.line, part, 0, last);\n"
    "    b.last = (code_t)(line_start(b.line, part + 1, 0, last) - 1);\n"
    "    return b;\n"
    "}\n\n",
    "//---- radix: hybrid bucket kernel\n\n\n\n"
    "CLSORT_KERNEL void clsort_hybrid_buckets(CLSORT_HYBRID_ARGS)\n"
    "{\n"
    "    const hybrid_t h = CLSORT_HYBRID;\n"
    "    const bucket_space_t l = bucket_space(space);\n"
    "    const uint t = local_id();\n"
    "    code_t key[CLSORT_BUCKET_ITEMS];\n"
    "    if (n == 0 || *h.gate == 0)\n"
    "        return;\n"
    "    const bucket_t b = take_bucket(h, (uint)get_group_id(0));\n"
    "    const array_t to = advance(h.target, b.begin),\n"
    "                  from = b.again ? to : advance(h.alt, b.begin);\n"
    "    for (uint i = t; i < b.rows && b.single && !b.again; i += CLSORT_GROUP)\n"
    "        *key_place(to, i) = *key_place(from, i);\n"
    "    if (b.rows == 0 || b.rows > CLSORT_BUCKET_TILE || b.single)\n"
    "        return;\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++)\n"
    "        key[m] = encode(*key_place(from, min(t + m * CLSORT_GROUP, b.rows - 1)), h.codec);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
    "    sort_bins(l, key, b.rows, b.line);\n"
    "    for (uint i = t; i < b.rows; i += CLSORT_GROUP)\n"
    "        *key_place(to, i) = decode(l.keys[pad_slot(i, CLSORT_KEY_PAD_LOG2)], h.codec);\n"
    "}\n\n",
    "//---- radix: hybrid windows\n\n\n"
    "typedef struct {\n"
    "    code_t low, top;\n"
    "    line_t line;\n"
    "    uint bin, rows, equal;\n"
    "} window_t;\n\n\n\n"
    "CLSORT_INLINE void fit_bins(bucket_space_t l)\n"
    "{\n"
    "    const uint first = local_id() * CLSORT_OWN_BINS;\n"
    "    uint sum = 0;\n"
    "    for (uint k = 0; k < CLSORT_OWN_BINS; k++)\n"
    "        sum += l.bins[pad_slot(first + k, 5)];\n"
    "    sum = group_scan(sum, l.sums);\n"
    "    for (uint k = 0; k < CLSORT_OWN_BINS; k++) {\n"
    "        const uint count = l.bins[pad_slot(first + k, 5)];\n"
    "        if (sum <= CLSORT_BUCKET_TILE && count > CLSORT_BUCKET_TILE - sum) {\n"
    "            l.words[WORD_TAKEN] = sum;\n"
    "            l.words[WORD_BIN] = first + k;\n"
    "            l.words[WORD_HEAVY] = count;\n"
    "        }\n"
    "        sum += count;\n"
    "    }\n"
    "    if (local_id() == CLSORT_GROUP - 1 && sum <= CLSORT_BUCKET_TILE) {\n"
    "        l.words[WORD_TAKEN] = sum;\n"
    "        l.words[WORD_BIN] = CLSORT_BUCKET_BINS;\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void count_window(bucket_space_t l, array_t from, codec_t codec, uint rows,\n"
    "                                line_t line, code_t top)\n"
    "{\n"
    "    clear_bucket(l);\n"
    "    for (uint at = local_id(); at < rows; at += CLSORT_AHEAD * CLSORT_GROUP) {\n"
    "        code_t code[CLSORT_AHEAD];\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_AHEAD; m++)\n"
    "            code[m] = *key_place(from, min(at + m * CLSORT_GROUP, rows - 1));\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_AHEAD; m++) {\n"
    "            const code_t now = encode(code[m], codec);\n"
    "            if (at + m * CLSORT_GROUP < rows && now >= line.low && now <= top)\n"
    "                atomic_inc(&l.bins[pad_slot(line_bin(line, now), 5)]);\n"
    "        }\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    fit_bins(l);\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE window_t next_window(bucket_space_t l, array_t from, codec_t codec, bucket_t b,\n"
    "                                   code_t *low)\n"
    "{\n"
    "    code_t first = *low, top = b.last;\n"
    "    for (;;) {\n"
    "        const line_t line = make_line(first, top, 1);\n"
    "        count_window(l, from, codec, b.rows, line, top);\n"
    "        const window_t w = { first, top, line, l.words[WORD_BIN], l.words[WORD_TAKEN], 0 };\n"
    "        const uint heavy = l.words[WORD_HEAVY];\n"
    "        const code_t begin = line_start(line, w.bin, CLSORT_BUCKET_BINS_LOG2, top),\n"
    "                     next = line_start(line, w.bin + 1, CLSORT_BUCKET_BINS_LOG2, top);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        *low = begin;\n"
    "        if (w.rows != 0)\n"
    "            return w;\n"
    "        first = begin;\n"
    "        top = (code_t)(next - 1);\n"
    "        if (first == top) {\n"
    "            const window_t equal = { first, top, line, 0, heavy, 1 };\n"
    "            *low = next;\n"
    "            return equal;\n"
    "        }\n"
    "    }\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void collect_window(bucket_space_t l, array_t from, codec_t codec, uint rows,\n"
    "                                  window_t w)\n"
    "{\n"
    "    for (uint at = local_id(); at < rows; at += CLSORT_AHEAD * CLSORT_GROUP) {\n"
    "        code_t code[CLSORT_AHEAD];\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_AHEAD; m++)\n"
    "            code[m] = *key_place(from, min(at + m * CLSORT_GROUP, rows - 1));\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_AHEAD; m++) {\n"
    "            const code_t now = encode(code[m], codec);\n"
    "            if (at + m * CLSORT_GROUP < rows && now >= w.low && now <= w.top\n"
    "                && line_bin(w.line, now) < w.bin)\n"
    "                l.keys[pad_slot(atomic_inc(&l.words[WORD_COLLECTED]), CLSORT_KEY_PAD_LOG2)] = now;\n"
    "        }\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n",
    "//---- radix: hybrid long buckets\n\n\n"
    "CLSORT_INLINE void sort_window(bucket_space_t l, window_t w, code_t low)\n"
    "{\n"
    "    code_t key[CLSORT_BUCKET_ITEMS];\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++)\n"
    "        key[m] = l.keys[pad_slot(local_id() + m * CLSORT_GROUP, CLSORT_KEY_PAD_LOG2)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    sort_bins(l, key, w.rows, make_line(w.low, (code_t)(low - 1), 1));\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void sort_long(hybrid_t h, bucket_space_t l, bucket_t b)\n"
    "{\n"
    "    const array_t alt = advance(h.alt, b.begin), to = advance(h.target, b.begin),\n"
    "                  from = b.again ? to : alt, out = b.again ? alt : to;\n"
    "    code_t low = b.low;\n"
    "    for (uint done = 0; done < b.rows;) {\n"
    "        const window_t w = next_window(l, from, h.codec, b, &low);\n"
    "        if (!w.equal) {\n"
    "            collect_window(l, from, h.codec, b.rows, w);\n"
    "            sort_window(l, w, low);\n"
    "        }\n"
    "        for (uint i = local_id(); i < w.rows; i += CLSORT_GROUP)\n"
    "            *key_place(out, done + i)\n"
    "                = decode(w.equal ? w.low : l.keys[pad_slot(i, CLSORT_KEY_PAD_LOG2)], h.codec);\n"
    "        done += w.rows;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    for (uint i = local_id(); i < b.rows && b.again; i += CLSORT_GROUP)\n"
    "        *key_place(to, i) = *key_place(alt, i);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE void list_long(hybrid_t h, local uint *list, uint first, uint step, uint buckets)\n"
    "{\n"
    "    const uint number = first + local_id() * step;\n"
    "    if (local_id() == 0)\n"
    "        list[CLSORT_GROUP] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (number < buckets) {\n"
    "        const bucket_t b = take_bucket(h, number);\n"
    "        if (b.rows > CLSORT_BUCKET_TILE && !b.single)\n"
    "            list[atomic_inc(&list[CLSORT_GROUP])] = number;\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_hybrid_long(CLSORT_HYBRID_ARGS)\n"
    "{\n"
    "    const hybrid_t h = CLSORT_HYBRID;\n"
    "    const bucket_space_t l = bucket_space(space);\n"
    "    local uint *list = l.words + 8;\n"
    "    const uint step = (uint)get_num_groups(0),\n"
    "               buckets = CLSORT__HYBRID_DIGITS * max(slots, 1u);\n"
    "    if (n == 0 || *h.gate == 0 || h.tables[HYBRID_OVER] == 0)\n"
    "        return;\n"
    "    for (uint first = (uint)get_group_id(0); first < buckets; first += step * CLSORT_GROUP) {\n"
    "        list_long(h, list, first, step, buckets);\n"
    "        for (uint k = 0; k < list[CLSORT_GROUP]; k++)\n"
    "            sort_long(h, l, take_bucket(h, list[k]));\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "}\n"
    "#endif\n\n",
    "//---- radix: samples\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
    "#if CLSORT_IS(SAMPLES) && CLSORT_LANES == 1 && CLSORT_SHARE_LOG2 > 0\n\n\n"
    "#define CLSORT_SAMPLES_ARGS \\\n"
    "    CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target), CLSORT_ARRAY_ARGS(alt), \\\n"
    "        CLSORT_CODEC_ARGS, global uchar *scratch, ulong scratch_at, uint n, uint buckets, \\\n"
    "        uint distance, local ulong *space\n"
    "#define CLSORT_SAMPLES \\\n"
    "    { \\\n"
    "        CLSORT_ARRAY(source), CLSORT_ARRAY(target), CLSORT_ARRAY(alt), CLSORT_CODEC, \\\n"
    "            (global uint *)(scratch + scratch_at), n, buckets, distance \\\n"
    "    }\n"
    "typedef struct {\n"
    "    array_t source, target, alt;\n"
    "    codec_t codec;\n"
    "    global uint *borders;\n"
    "    uint n, buckets, distance;\n"
    "} samples_t;\n\n",
    "//---- radix: samples counting\n\n\n"
    "CLSORT_INLINE uint bins_crowd(uint bin)\n"
    "{\n"
    "#if CLSORT_WARPS\n"
    "    uint peers;\n"
    "    __asm__ volatile(\"{ .reg .pred p; .reg .b32 first; shfl.sync.idx.b32 first, %1, 0, 31, -1;\"\n"
    "                     \" setp.eq.u32 p, first, %1; vote.sync.ballot.b32 %0, p, -1; }\"\n"
    "                     : \"=r\"(peers)\n"
    "                     : \"r\"(bin));\n"
    "    return popcount(peers) >= CLSORT__WARP / 4;\n"
    "#else\n"
    "    return 0;\n"
    "#endif\n"
    "}\n\n\n\n"
    "CLSORT_INLINE uint count_key(local uint *bins, uint bin, uint crowds)\n"
    "{\n"
    "#if CLSORT_WARPS\n"
    "    if (crowds) {\n"
    "        const uint lane = local_id() % CLSORT__WARP;\n"
    "        uint peers, first, base = 0;\n"
    "        __asm__ volatile(\"{ .reg .pred p; shfl.sync.idx.b32 %1, %2, 0, 31, -1;\"\n"
    "                         \" setp.eq.u32 p, %1, %2; vote.sync.ballot.b32 %0, p, -1; }\"\n"
    "                         : \"=r\"(peers), \"=r\"(first)\n"
    "                         : \"r\"(bin));\n"
    "        if (lane == 0)\n"
    "            base = atomic_add(&bins[first], popcount(peers));\n"
    "        __asm__ volatile(\"shfl.sync.idx.b32 %0, %0, 0, 31, -1;\" : \"+r\"(base));\n"
    "        return bin == first ? base + popcount(peers & ((1u << lane) - 1)) : atomic_inc(&bins[bin]);\n"
    "    }\n"
    "#endif\n"
    "    return atomic_inc(&bins[bin]);\n"
    "}\n\n\n\n"
    "typedef struct { float least, factor; } scale_t;\n\n"
    "CLSORT_INLINE float float_of(code_t code, codec_t codec)\n"
    "{\n"
    "#if CLSORT_KEY_BYTES == 4\n"
    "    return as_float((uint)decode(code, codec));\n"
    "#else\n"
    "    return 0;\n"
    "#endif\n"
    "}\n\n\n"
    "CLSORT_INLINE scale_t make_scale(code_t least, code_t most, codec_t codec)\n"
    "{\n"
    "    const float low = float_of(least, codec), high = float_of(most, codec),\n"
    "                factor = (CLSORT_BUCKET_BINS - 1) / (high - low);\n"
    "    const uint usable = CLSORT_KEY_BYTES == 4 && codec.mask != 0 && isfinite(low) && isfinite(high)\n"
    "                        && isfinite(high - low) && isfinite(factor);\n"
    "    const scale_t s = { low, usable ? factor : 0 };\n"
    "    return s;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void count_scaled_bins(bucket_space_t l, const code_t *key, uint *rank, uint rows,\n"
    "                                     line_t line, scale_t scale, codec_t codec)\n"
    "{\n"
    "    const uint spare = CLSORT_BIN_SLOTS + local_id() % CLSORT__HYBRID_SPARE_BINS;\n"
    "    uint crowds = 0;\n"
    "    clear_bucket(l);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++) {\n"
    "        const uint bin = scale.factor != 0\n"
    "                             ? min((uint)((float_of(key[m], codec) - scale.least) * scale.factor),\n"
    "                                   CLSORT_BUCKET_BINS - 1u)\n"
    "                             : line_bin(line, key[m]),\n"
    "                   slot = bucket_item(m) < rows ? pad_slot(bin, 5) : spare;\n"
    "        crowds = m == 0 ? bins_crowd(slot) : crowds;\n"
    "        rank[m] = count_key(l.bins, slot, crowds) | slot << 16;\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n",
    "//---- radix: samples bins\n"
    "CLSORT_INLINE local code_t *splitters_of(bucket_space_t l)\n"
    "{\n"
    "    return (local code_t *)(l.words + 8);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void take_splitters(bucket_space_t l, const code_t *key)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    local code_t *splitters = splitters_of(l);\n"
    "    code_t own = key[0];\n"
    "    uint place = 0;\n"
    "    #pragma unroll\n"
    "    for (uint m = 1; m < CLSORT_BUCKET_ITEMS; m++)\n"
    "        own = t % CLSORT_BUCKET_ITEMS == m ? key[m] : own;\n"
    "    l.keys[t] = own;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    #pragma unroll 8\n"
    "    for (uint i = 0; i < CLSORT_GROUP; i++)\n"
    "        place += l.keys[i] < own || (l.keys[i] == own && i < t);\n"
    "    splitters[place] = place + 1 < CLSORT_GROUP ? own : CLSORT_TOP_CODE;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE uint splitter_bin(local const code_t *splitters, code_t code)\n"
    "{\n"
    "    uint i = 0;\n"
    "    #pragma unroll\n"
    "    for (uint step = CLSORT_GROUP / 2; step > 0; step >>= 1)\n"
    "        i += splitters[i + step - 1] < code ? step : 0;\n"
    "    const code_t high = splitters[i], low = i ? splitters[i - 1] : 0;\n"
    "    const ulong span = (code_t)(high - low);\n"
    "    const uint shift = 32 - min((uint)clz(span), 32u);\n"
    "    const float part = (float)(uint)((code_t)(code - low) >> shift) / (float)(uint)(span >> shift);\n"
    "    const uint inside = min((uint)(part * (CLSORT_OWN_BINS - 1)), CLSORT_OWN_BINS - 2u);\n"
    "    return i * CLSORT_OWN_BINS + (code == high ? CLSORT_OWN_BINS - 1u : inside);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void count_split_bins(bucket_space_t l, const code_t *key, uint *rank, uint rows)\n"
    "{\n"
    "    const uint spare = CLSORT_BIN_SLOTS + local_id() % CLSORT__HYBRID_SPARE_BINS;\n"
    "    uint crowds = 0;\n"
    "    take_splitters(l, key);\n"
    "    clear_bucket(l);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++) {\n"
    "        const uint inside = bucket_item(m) < rows,\n"
    "                   bin = inside ? pad_slot(splitter_bin(splitters_of(l), key[m]), 5) : spare;\n"
    "        crowds = m == 0 ? bins_crowd(bin) : crowds;\n"
    "        rank[m] = count_key(l.bins, bin, crowds) | bin << 16;\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE void sort_held(bucket_space_t l, codec_t codec, const code_t *key, uint rows)\n"
    "{\n"
    "    code_t least = key[0], most = key[0];\n"
    "    uint rank[CLSORT_BUCKET_ITEMS];\n"
    "    #pragma unroll\n"
    "    for (uint m = 1; m < CLSORT_BUCKET_ITEMS; m++) {\n"
    "        least = min(least, key[m]);\n"
    "        most = max(most, key[m]);\n"
    "    }\n"
    "    join_edges(l.keys, least, most);\n"
    "    least = l.keys[0];\n"
    "    most = l.keys[CLSORT_GROUP];\n"
    "    const line_t line = make_line(least, most, 1);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    count_scaled_bins(l, key, rank, rows, line, make_scale(least, most, codec), codec);\n"
    "    uint longest = place_bins(l, CLSORT_OWN_BINS);\n"
    "    longest = single_bins(line) ? 0 : longest;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (!CLSORT_BRANCHES || longest > CLSORT__SAMPLES_MOST_MENDED) {\n"
    "        count_split_bins(l, key, rank, rows);\n"
    "        longest = place_bins(l, CLSORT_OWN_BINS - 1);\n"
    "    }\n"
    "    fill_bins(l, key, rank, rows);\n"
    "    order_bins(l, rows, longest);\n"
    "}\n\n"
    "CLSORT_INLINE void store_held(bucket_space_t l, array_t to, codec_t codec, uint rows)\n"
    "{\n"
    "    for (uint i = local_id(); i < rows; i += CLSORT_GROUP)\n"
    "        *key_place(to, i) = decode(l.keys[pad_slot(i, CLSORT_KEY_PAD_LOG2)], codec);\n"
    "}\n\n\n"
    "CLSORT_KERNEL void clsort_samples_tile(CLSORT_SAMPLES_ARGS)\n"
    "{\n"
    "    const samples_t s = CLSORT_SAMPLES;\n"
    "    const bucket_space_t l = bucket_space(space);\n"
    "    const uint begin = (uint)get_group_id(0) * CLSORT_BUCKET_TILE,\n"
    "               rows = min(n - begin, (uint)CLSORT_BUCKET_TILE);\n"
    "    const array_t from = advance(s.source, begin);\n"
    "    code_t key[CLSORT_BUCKET_ITEMS];\n"
    "    if (n == 0)\n"
    "        return;\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++)\n"
    "        key[m] = encode(*key_place(from, min(bucket_item(m), rows - 1)), s.codec);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
    "    sort_held(l, s.codec, key, rows);\n"
    "    store_held(l, advance(buckets > 1 ? s.alt : s.target, begin), s.codec, rows);\n"
    "}\n\n",
    "//---- radix: samples borders\n\n\n"
    "CLSORT_INLINE uint sample_place(samples_t s, uint sample)\n"
    "{\n"
    "    const uint begin = sample * s.distance, tile = begin / CLSORT_BUCKET_TILE;\n"
    "    return min(begin + ((tile * 40503 & 0xFFFF) * s.distance >> 16), s.n - 1);\n"
    "}\n\n\n\n"
    "typedef struct { code_t code; uint taken, of; } border_t;\n\n"
    "CLSORT_INLINE border_t load_border(samples_t s, uint bucket)\n"
    "{\n"
    "    global const uint *words = s.borders + 4 * bucket;\n"
    "    const border_t b = { load_code(words), words[2], words[3] };\n"
    "    return b;\n"
    "}\n\n\n"
    "CLSORT_INLINE uint search_held(bucket_space_t l, uint rows, code_t code, uint takes_equal)\n"
    "{\n"
    "    uint low = 0, high = rows;\n"
    "    while (low < high) {\n"
    "        const uint middle = (low + high) / 2;\n"
    "        const code_t now = l.keys[pad_slot(middle, CLSORT_KEY_PAD_LOG2)];\n"
    "        const uint before = now < code || (takes_equal && now == code);\n"
    "        low = before ? middle + 1 : low;\n"
    "        high = before ? high : middle;\n"
    "    }\n"
    "    return low;\n"
    "}\n\n\n"
    "CLSORT_KERNEL void clsort_samples_borders(CLSORT_SAMPLES_ARGS)\n"
    "{\n"
    "    const samples_t s = CLSORT_SAMPLES;\n"
    "    const bucket_space_t l = bucket_space(space);\n"
    "    code_t key[CLSORT_BUCKET_ITEMS];\n"
    "    if (n == 0)\n"
    "        return;\n"
    "    const uint samples = (n + distance - 1) / distance;\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++)\n"
    "        key[m] = encode(*key_place(s.alt, sample_place(s, min(bucket_item(m), samples - 1))),\n"
    "                        s.codec);\n"
    "    sort_held(l, s.codec, key, samples);\n"
    "    for (uint bucket = 1 + local_id(); bucket < buckets; bucket += CLSORT_GROUP) {\n"
    "        const uint place = bucket * samples / buckets;\n"
    "        const code_t code = l.keys[pad_slot(place, CLSORT_KEY_PAD_LOG2)];\n"
    "        const uint first = search_held(l, samples, code, 0);\n"
    "        global uint *words = s.borders + 4 * bucket;\n"
    "        store_code(words, code);\n"
    "        words[2] = place - first;\n"
    "        words[3] = search_held(l, samples, code, 1) - first;\n"
    "    }\n"
    "}\n\n",
    "//---- radix: samples search\n\n\n"
    "CLSORT_INLINE uint search_tile(samples_t s, uint low, uint high, code_t code, uint takes_equal)\n"
    "{\n"
    "    while (low < high) {\n"
    "        const uint middle = (low + high) / 2;\n"
    "        const code_t now = encode(*key_place(s.alt, middle), s.codec);\n"
    "        const uint before = now < code || (takes_equal && now == code);\n"
    "        low = before ? middle + 1 : low;\n"
    "        high = before ? high : middle;\n"
    "    }\n"
    "    return low;\n"
    "}\n\n\n"
    "CLSORT_INLINE uint find_border(samples_t s, uint bucket, uint low, uint high)\n"
    "{\n"
    "    if (bucket == 0 || bucket == s.buckets)\n"
    "        return bucket ? high : low;\n"
    "    const border_t b = load_border(s, bucket);\n"
    "    const uint first = search_tile(s, low, high, b.code, 0);\n"
    "    if (b.taken == 0)\n"
    "        return first;\n"
    "    const uint equal = search_tile(s, first, high, b.code, 1) - first;\n"
    "    return first + (uint)((ulong)equal * b.taken / b.of);\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE uint cut_stretch(samples_t s, uint bucket, uint low, uint high, local uint *sums)\n"
    "{\n"
    "    const code_t least = bucket ? load_border(s, bucket).code : 0,\n"
    "                 most = bucket + 1 < s.buckets ? load_border(s, bucket + 1).code : CLSORT_TOP_CODE;\n"
    "    uint bits = 0, sum = 0;\n"
    "    while (bits < 8 * CLSORT_KEY_BYTES && least >> bits != most >> bits)\n"
    "        bits++;\n"
    "    code_t code = bits < 8 * CLSORT_KEY_BYTES ? (code_t)(least >> bits << bits) : 0;\n"
    "    for (uint bit = bits; bit-- > 0;) {\n"
    "        const code_t now = (code_t)(code | (code_t)1 << bit);\n"
    "        group_scan_total(search_tile(s, low, high, now, 0) - low, sums, &sum);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        code = sum <= CLSORT_BUCKET_TILE ? now : code;\n"
    "        if (sum <= CLSORT_BUCKET_TILE && sum >= CLSORT_BUCKET_TILE / 4)\n"
    "            break;\n"
    "    }\n"
    "    const uint below = search_tile(s, low, high, code, 0) - low,\n"
    "               equal = search_tile(s, low + below, high, code, 1) - low - below;\n"
    "    group_scan_total(below, sums, &sum);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    const uint before = sum + group_scan_total(equal, sums, &sum);\n"
    "    return below + min(equal, CLSORT_BUCKET_TILE - min(before, (uint)CLSORT_BUCKET_TILE));\n"
    "}\n\n",
    "//---- radix: samples bucket\n\n\n"
    "typedef struct { local uint *before, *distance; uint tiles; } stretches_t;\n\n\n"
    "CLSORT_INLINE uint find_stretch(stretches_t s, uint i)\n"
    "{\n"
    "    uint low = 0, high = s.tiles;\n"
    "    while (high - low > 1) {\n"
    "        const uint middle = (low + high) / 2;\n"
    "        low = s.before[middle] <= i ? middle : low;\n"
    "        high = s.before[middle] <= i ? high : middle;\n"
    "    }\n"
    "    return low;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE uint sort_stretches(samples_t s, bucket_space_t l, array_t to, uint first, uint own)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    const stretches_t parts = { l.words + 8, l.words + 8 + CLSORT_GROUP,\n"
    "                                (s.n + CLSORT_BUCKET_TILE - 1) / CLSORT_BUCKET_TILE };\n"
    "    code_t key[CLSORT_BUCKET_ITEMS];\n"
    "    uint rows = 0;\n"
    "    const uint before = group_scan_total(own, l.sums, &rows);\n"
    "    parts.before[t] = before;\n"
    "    parts.distance[t] = first - before;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    uint k = find_stretch(parts, min(bucket_item(0), rows - 1));\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++) {\n"
    "        const uint i = min(bucket_item(m), rows - 1);\n"
    "        while (k + 1 < parts.tiles && parts.before[k + 1] <= i)\n"
    "            k++;\n"
    "        key[m] = *key_place(s.alt, i + parts.distance[k]);\n"
    "    }\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_BUCKET_ITEMS; m++)\n"
    "        key[m] = encode(key[m], s.codec);\n"
    "    sort_held(l, s.codec, key, rows);\n"
    "    store_held(l, to, s.codec, rows);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    return rows;\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_samples_bucket(CLSORT_SAMPLES_ARGS)\n"
    "{\n"
    "    const samples_t s = CLSORT_SAMPLES;\n"
    "    const bucket_space_t l = bucket_space(space);\n"
    "    const uint bucket = (uint)get_group_id(0), low = min(local_id() * CLSORT_BUCKET_TILE, n),\n"
    "               high = min(low + CLSORT_BUCKET_TILE, n);\n"
    "    if (n == 0)\n"
    "        return;\n"
    "    const uint end = find_border(s, bucket + 1, low, high);\n"
    "    uint first = find_border(s, bucket, low, high), begin = 0, left = 0;\n"
    "    group_scan_total(first - low, l.sums, &begin);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    group_scan_total(end - first, l.sums, &left);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    while (left > 0) {\n"
    "        const uint own = left > CLSORT_BUCKET_TILE ? cut_stretch(s, bucket, first, end, l.sums)\n"
    "                                                   : end - first;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        const uint rows = sort_stretches(s, l, advance(s.target, begin), first, own);\n"
    "        first += own;\n"
    "        begin += rows;\n"
    "        left -= rows;\n"
    "    }\n"
    "}\n"
    "#endif\n\n",
#else
    "#line 7338\n",
#endif
#ifndef CLSORT_NO_QUICKSORT
    "//---- quicksort\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
    "#if CLSORT_NEEDS_QUICKSORT\n\n\n"
    "#ifndef CLSORT_SCAN\n"
    "#define CLSORT_SCAN CLSORT__SCAN_LOCAL\n"
    "#endif\n\n"
    "#define CLSORT_QUICK_TILE (CLSORT_TILE_ITEMS << CLSORT_LANES_LOG2)\n\n\n\n"
    "#define CLSORT_QUICK_ARGS \\\n"
    "    CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target), CLSORT_ARRAY_ARGS(alt), \\\n"
    "        CLSORT_CODEC_ARGS, global uchar *scratch, ulong scratch_at, uint n, uint capacity, \\\n"
    "        uint leaf_elements, uint block_elements, uint in_place, uint pivot, uint rounds, uint round\n"
    "#define CLSORT_QUICK_JOB \\\n"
    "    { \\\n"
    "        CLSORT_ARRAY(source), CLSORT_ARRAY(target), CLSORT_ARRAY(alt), CLSORT_CODEC, \\\n"
    "            (global uint *)(scratch + scratch_at), n, capacity, leaf_elements, block_elements, \\\n"
    "            in_place, pivot, rounds, round \\\n"
    "    }\n"
    "typedef struct {\n"
    "    array_t source, target, alt;\n"
    "    codec_t codec;\n"
    "    global uint *scratch;\n"
    "    uint n, capacity, leaf_elements, block_elements, in_place, pivot, rounds, round;\n"
    "} quick_t;\n\n\n\n"
    "typedef struct { uint begin, size, array, first; code_t least, most; } range_t;\n\n\n\n"
    "typedef struct { uint less, equal; code_t least, below, above, most; } part_t;\n\n"
    "CLSORT_INLINE uint8 pack_range(range_t r)\n"
    "{\n"
    "    return (uint8)(r.begin, r.size, r.array, r.first, as_uint4((ulong2)(r.least, r.most)));\n"
    "}\n\n"
    "CLSORT_INLINE range_t unpack_range(uint8 v)\n"
    "{\n"
    "    const ulong2 bounds = as_ulong2(v.hi);\n"
    "    const range_t r = { v.s0, v.s1, v.s2, v.s3, (code_t)bounds.x, (code_t)bounds.y };\n"
    "    return r;\n"
    "}\n\n"
    "CLSORT_INLINE range_t make_range(uint begin, uint size, uint array, code_t least, code_t most)\n"
    "{\n"
    "    const range_t r = { begin, size, array, 0, least, most };\n"
    "    return r;\n"
    "}\n\n",
    "//---- quicksort: tables\n\n\n\n\n"
    "CLSORT_INLINE global uint *quick_state(quick_t q, uint round)\n"
    "{\n"
    "    return q.scratch + (round & 1) * 2;\n"
    "}\n\n"
    "CLSORT_INLINE global uint *sequence_at(quick_t q, uint round, uint i)\n"
    "{\n"
    "    return q.scratch + CLSORT__QUICK_STATE_WORDS\n"
    "           + ((size_t)(round & 1) * q.capacity + i) * CLSORT__QUICK_SEQUENCE_WORDS;\n"
    "}\n\n"
    "CLSORT_INLINE global uint *block_at(quick_t q, uint b)\n"
    "{\n"
    "    return q.scratch + CLSORT__QUICK_BLOCKS_AT((size_t)q.capacity)\n"
    "           + (size_t)b * CLSORT__QUICK_BLOCK_WORDS;\n"
    "}\n\n"
    "CLSORT_INLINE global uint *leaf_at(quick_t q, uint i)\n"
    "{\n"
    "    return q.scratch + CLSORT__QUICK_LEAVES_AT((size_t)q.capacity)\n"
    "           + (size_t)i * CLSORT__RANGE_WORDS;\n"
    "}\n\n"
    "CLSORT_INLINE global uint *leftover_at(quick_t q, uint i)\n"
    "{\n"
    "    return q.scratch + CLSORT__QUICK_LEFTOVERS_AT((size_t)q.capacity)\n"
    "           + (size_t)i * CLSORT__RANGE_WORDS;\n"
    "}\n\n"
    "CLSORT_INLINE array_t quick_array(quick_t q, uint which)\n"
    "{\n"
    "    return array_at(which, q.source, q.target, q.alt);\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE uint round_array(quick_t q, uint round)\n"
    "{\n"
    "    return round & 1 ? ARRAY_ALT : round || q.in_place ? ARRAY_TARGET : ARRAY_SOURCE;\n"
    "}\n\n"
    "CLSORT_INLINE uint unequal_array(uint which)\n"
    "{\n"
    "    return which == ARRAY_ALT ? ARRAY_TARGET : ARRAY_ALT;\n"
    "}\n\n"
    "CLSORT_INLINE uint equal_array(uint which)\n"
    "{\n"
    "    return which == ARRAY_TARGET ? ARRAY_ALT : ARRAY_TARGET;\n"
    "}\n\n\n"
    "CLSORT_INLINE uint find_sequence(quick_t q, uint b)\n"
    "{\n"
    "    uint low = 0, high = quick_state(q, q.round)[CLSORT__QUICK_SEQUENCES];\n"
    "    while (high - low > 1) {\n"
    "        const uint middle = low + ((high - low) >> 1);\n"
    "        const uint after = sequence_at(q, q.round, middle)[3] <= b;\n"
    "        low = after ? middle : low;\n"
    "        high = after ? high : middle;\n"
    "    }\n"
    "    return low;\n"
    "}\n\n\n"
    "CLSORT_INLINE uint first_block(quick_t q, uint i)\n"
    "{\n"
    "    global const uint *state = quick_state(q, q.round);\n"
    "    return i < state[CLSORT__QUICK_SEQUENCES] ? sequence_at(q, q.round, i)[3]\n"
    "                                              : state[CLSORT__QUICK_BLOCKS];\n"
    "}\n\n",
    "//---- quicksort: parts\n"
    "CLSORT_INLINE part_t no_part(void)\n"
    "{\n"
    "    const part_t p = { 0, 0, (code_t)~(code_t)0, 0, (code_t)~(code_t)0, 0 };\n"
    "    return p;\n"
    "}\n\n"
    "CLSORT_INLINE void add_code(part_t *p, code_t code, code_t pivot)\n"
    "{\n"
    "    const code_t below = code < pivot ? code : (code_t)0,\n"
    "                 above = code > pivot ? code : (code_t) ~(code_t)0;\n"
    "    p->less += code < pivot;\n"
    "    p->equal += code == pivot;\n"
    "    p->least = min(p->least, code);\n"
    "    p->below = max(p->below, below);\n"
    "    p->above = min(p->above, above);\n"
    "    p->most = max(p->most, code);\n"
    "}\n\n"
    "CLSORT_INLINE part_t join_parts(part_t a, part_t b)\n"
    "{\n"
    "    const part_t p = { a.less + b.less,       a.equal + b.equal,     min(a.least, b.least),\n"
    "                       max(a.below, b.below), min(a.above, b.above), max(a.most, b.most) };\n"
    "    return p;\n"
    "}\n\n"
    "CLSORT_INLINE uint8 pack_bounds(part_t p)\n"
    "{\n"
    "    return as_uint8((ulong4)(p.least, p.below, p.above, p.most));\n"
    "}\n\n"
    "CLSORT_INLINE part_t unpack_part(uint less, uint equal, uint8 bounds)\n"
    "{\n"
    "    const ulong4 v = as_ulong4(bounds);\n"
    "    const part_t p = { less, equal, (code_t)v.x, (code_t)v.y, (code_t)v.z, (code_t)v.w };\n"
    "    return p;\n"
    "}\n\n\n"
    "CLSORT_INLINE code_t code_at(array_t a, codec_t c, uint i)\n"
    "{\n"
    "#if CLSORT_LANES == 1\n"
    "    return encode(*key_place(a, i), c);\n"
    "#else\n"
    "    return encode((codes_t)*key_place(a, i), c).s0;\n"
    "#endif\n"
    "}\n\n\n\n"
    "#define CLSORT_MOST_SAMPLES (CLSORT_SHARE_LOG2 && CLSORT_GROUP < 64 ? CLSORT_GROUP - 1 : 63)\n"
    "CLSORT_INLINE uint count_samples(quick_t q, range_t r)\n"
    "{\n"
    "    const uint known = r.least == r.most || (q.pivot == CLSORT__PIVOT_MIDRANGE && r.least < r.most);\n"
    "    const uint wanted = q.pivot == CLSORT__PIVOT_MEDIAN3 ? 3\n"
    "                        : r.size < 4096                  ? 7\n"
    "                        : r.size < 65536                 ? 15\n"
    "                                                         : 63;\n"
    "    return known || r.size == 0 ? 0 : min(wanted, (uint)CLSORT_MOST_SAMPLES);\n"
    "}\n\n"
    "CLSORT_INLINE code_t take_sample(quick_t q, array_t from, range_t r, uint samples, uint i)\n"
    "{\n"
    "    return code_at(from, q.codec, r.begin + (uint)((ulong)i * (r.size - 1) / max(samples - 1, 1u)));\n"
    "}\n\n"
    "CLSORT_INLINE code_t middle_code(range_t r)\n"
    "{\n"
    "    return (code_t)(r.least + (code_t)((code_t)(r.most - r.least) >> 1));\n"
    "}\n\n\n"
    "typedef struct { uint less, equal, greater; } places_t;\n\n",
    "//---- quicksort: a work-group\n"
    "#if CLSORT_SHARE_LOG2 > 0\n\n"
    "#define CLSORT_QUICK_KEYS \\\n"
    "    ((CLSORT_TILE_ITEMS + (CLSORT_TILE_ITEMS >> CLSORT_KEY_PAD_LOG2)) * CLSORT_KEY_BYTES)\n"
    "typedef struct {\n"
    "    local code_t *keys, *codes;\n"
    "    local uint *words, *sums, *stack;\n"
    "} quick_local_t;\n\n"
    "CLSORT_INLINE quick_local_t quick_space(local ulong *space)\n"
    "{\n"
    "    local code_t *codes = (local code_t *)(space + (CLSORT_QUICK_KEYS + 7) / 8);\n"
    "    local uint *words = (local uint *)(space + (CLSORT_QUICK_KEYS + 7) / 8\n"
    "                                       + (4 * CLSORT_GROUP * CLSORT_KEY_BYTES + 7) / 8);\n"
    "    local uint *sums = words + CLSORT_WORDS * CLSORT_WORD_SLOTS;\n"
    "    const quick_local_t l = { (local code_t *)space, codes, words, sums,\n"
    "                              sums + CLSORT__QUICK_SUMS(CLSORT_GROUP) };\n"
    "    return l;\n"
    "}\n\n"
    "#define quick_sync(fence) barrier(fence)\n\n",
    "//---- quicksort: sums of a work-group\n\n\n\n"
    "CLSORT_INLINE void tree_level(local uint *sums, uint step, uint down)\n"
    "{\n"
    "    const uint right = (2 * local_id() + 2) * step - 1;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (right < CLSORT_GROUP) {\n"
    "        const uint left = sums[right - step];\n"
    "        if (down)\n"
    "            sums[right - step] = sums[right];\n"
    "        sums[right] += left;\n"
    "    }\n"
    "}\n\n\n\n\n\n"
    "CLSORT_INLINE uint blelloch_scan(uint x, local uint *sums, uint *total)\n"
    "{\n"
    "    sums[local_id()] = x;\n"
    "    for (uint step = 1; step < CLSORT_GROUP; step *= 2)\n"
    "        tree_level(sums, step, 0);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    *total = sums[CLSORT_GROUP - 1];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (local_id() == 0)\n"
    "        sums[CLSORT_GROUP - 1] = 0;\n"
    "    for (uint step = CLSORT_GROUP / 2; step > 0; step /= 2)\n"
    "        tree_level(sums, step, 1);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    x = ((volatile local uint *)sums)[local_id()];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    return x;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE uint scan_total(uint x, uint *total, quick_local_t l)\n"
    "{\n"
    "#if CLSORT_SCAN == CLSORT__SCAN_BUILTIN\n"
    "    const uint before = work_group_scan_exclusive_add(x);\n"
    "    *total = work_group_broadcast(before + x, CLSORT_GROUP - 1);\n"
    "    return before;\n"
    "#elif CLSORT_SCAN == CLSORT__SCAN_BLELLOCH\n"
    "    return blelloch_scan(x, l.sums, total);\n"
    "#else\n"
    "    return group_scan_total(x, l.sums, total);\n"
    "#endif\n"
    "}\n\n"
    "CLSORT_INLINE void put_part(quick_local_t l, uint t, part_t p)\n"
    "{\n"
    "    l.sums[t] = p.less;\n"
    "    l.sums[CLSORT_GROUP + t] = p.equal;\n"
    "    l.codes[t] = p.least;\n"
    "    l.codes[CLSORT_GROUP + t] = p.below;\n"
    "    l.codes[2 * CLSORT_GROUP + t] = p.above;\n"
    "    l.codes[3 * CLSORT_GROUP + t] = p.most;\n"
    "}\n\n"
    "CLSORT_INLINE part_t get_part(quick_local_t l, uint t)\n"
    "{\n"
    "    const part_t p = { l.sums[t],\n"
    "                       l.sums[CLSORT_GROUP + t],\n"
    "                       l.codes[t],\n"
    "                       l.codes[CLSORT_GROUP + t],\n"
    "                       l.codes[2 * CLSORT_GROUP + t],\n"
    "                       l.codes[3 * CLSORT_GROUP + t] };\n"
    "    return p;\n"
    "}\n\n\n"
    "CLSORT_INLINE part_t join_group(part_t p, quick_local_t l)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    put_part(l, t, p);\n"
    "    for (uint step = CLSORT_GROUP / 2; step > 0; step >>= 1) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (t < step) {\n"
    "            p = join_parts(p, get_part(l, t + step));\n"
    "            put_part(l, t, p);\n"
    "        }\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    p = get_part(l, 0);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    return p;\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE code_t choose_pivot(quick_t q, quick_local_t l, array_t from, range_t r)\n"
    "{\n"
    "    const uint t = local_id(), samples = count_samples(q, r);\n"
    "    const code_t own = t < samples ? take_sample(q, from, r, samples, t) : middle_code(r);\n"
    "    uint rank = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    l.codes[t] = own;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint k = 0; k < samples; k++)\n"
    "        rank += l.codes[k] < own || (l.codes[k] == own && k < t);\n"
    "    if (samples ? t < samples && rank == samples / 2 : t == 0)\n"
    "        l.codes[CLSORT_GROUP] = own;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    return l.codes[CLSORT_GROUP];\n"
    "}\n\n",
    "//---- quicksort: a tile\n\n\n"
    "CLSORT_INLINE part_t count_part(array_t from, codec_t c, uint begin, uint size, code_t pivot)\n"
    "{\n"
    "    part_t p = no_part();\n"
    "    for (uint base = local_id(); base < size; base += CLSORT_TILE_ITEMS) {\n"
    "        code_t key[CLSORT_ITEMS];\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_ITEMS; m++)\n"
    "            if (base + m * CLSORT_GROUP < size)\n"
    "                key[m] = *key_place(from, begin + base + m * CLSORT_GROUP);\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_ITEMS; m++)\n"
    "            if (base + m * CLSORT_GROUP < size)\n"
    "                add_code(&p, encode(key[m], c), pivot);\n"
    "    }\n"
    "    return p;\n"
    "}\n\n\n\n"
    "#ifndef CLSORT_PART_ITEMS\n"
    "#define CLSORT_PART_ITEMS (CLSORT_ITEMS < 8 ? CLSORT_ITEMS : 8)\n"
    "#endif\n"
    "#define CLSORT_PART_TILE (CLSORT_GROUP * CLSORT_PART_ITEMS)\n\n\n\n"
    "CLSORT_INLINE uint held_item(uint m)\n"
    "{\n"
    "    return CLSORT_BREAK_TIES_BY_INDEX ? local_id() * CLSORT_PART_ITEMS + m\n"
    "                                      : m * CLSORT_GROUP + local_id();\n"
    "}\n\n\n"
    "CLSORT_INLINE uint items_before(uint size)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    return CLSORT_BREAK_TIES_BY_INDEX ? min(t * CLSORT_PART_ITEMS, size)\n"
    "                       : t * (size / CLSORT_GROUP) + min(t, size % CLSORT_GROUP);\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE void load_part_items(quick_local_t l, item_t *v, array_t from, codec_t c, uint begin,\n"
    "                                   uint size)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_PART_ITEMS; m++)\n"
    "        v[m] = m * CLSORT_GROUP + t < size ? load_whole_item(from, c, begin + m * CLSORT_GROUP + t)\n"
    "                                           : top_item();\n"
    "#if CLSORT_BREAK_TIES_BY_INDEX\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_PART_ITEMS; m++)\n"
    "        put_item(l.keys, l.words, m * CLSORT_GROUP + t, v[m]);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_PART_ITEMS; m++)\n"
    "        v[m] = get_item(l.keys, l.words, held_item(m));\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "#endif\n"
    "}\n\n",
    "//---- quicksort: a tile moves\n\n\n\n"
    "CLSORT_INLINE uint order_parts(quick_local_t l, const item_t *v, uint size, code_t pivot)\n"
    "{\n"
    "    uint own = 0, total;\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_PART_ITEMS; m++)\n"
    "        own += held_item(m) < size ? (v[m].key < pivot) + ((v[m].key == pivot) << 16) : 0;\n"
    "    const uint before = scan_total(own, &total, l);\n"
    "    uint less = before & 0xFFFF, equal = (total & 0xFFFF) + (before >> 16);\n"
    "    uint greater = (total & 0xFFFF) + (total >> 16) + items_before(size) - less - (before >> 16);\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_PART_ITEMS; m++) {\n"
    "        const uint is_less = v[m].key < pivot, is_equal = v[m].key == pivot;\n"
    "        if (held_item(m) < size)\n"
    "            put_item(l.keys, l.words, is_less ? less : is_equal ? equal : greater, v[m]);\n"
    "        less += is_less;\n"
    "        equal += is_equal;\n"
    "        greater += !is_less && !is_equal;\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    return total;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void scatter_part(quick_t q, quick_local_t l, uint which, uint begin, uint size,\n"
    "                                code_t pivot, places_t next)\n"
    "{\n"
    "    const array_t from = quick_array(q, which), unequal_to = quick_array(q, unequal_array(which)),\n"
    "                  equal_to = quick_array(q, equal_array(which));\n"
    "    for (uint done = 0; done < size; done += CLSORT_PART_TILE) {\n"
    "        const uint count = min(size - done, (uint)CLSORT_PART_TILE);\n"
    "        item_t v[CLSORT_PART_ITEMS];\n"
    "        load_part_items(l, v, from, q.codec, begin + done, count);\n"
    "        const uint parts = order_parts(l, v, count, pivot), less = parts & 0xFFFF,\n"
    "                   equal = parts >> 16;\n"
    "        #pragma unroll\n"
    "        for (uint m = 0; m < CLSORT_PART_ITEMS; m++) {\n"
    "            const uint i = m * CLSORT_GROUP + local_id(), is_equal = i >= less && i - less < equal;\n"
    "            const array_t to = { is_equal ? equal_to.keys : unequal_to.keys,\n"
    "                                 is_equal ? equal_to.values : unequal_to.values };\n"
    "            const uint place = i < less   ? next.less + i\n"
    "                               : is_equal ? next.equal + (i - less)\n"
    "                                          : next.greater + (i - less - equal);\n"
    "            if (i < count)\n"
    "                store_whole_item(to, q.codec, place, get_item(l.keys, l.words, i));\n"
    "        }\n"
    "        next.less += less;\n"
    "        next.equal += equal;\n"
    "        next.greater += count - less - equal;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "}\n\n"
    "#else\n",
    "//---- quicksort: a work-item\n\n"
    "typedef struct {\n"
    "    local code_t *keys;\n"
    "    local uint *words, *stack;\n"
    "} quick_local_t;\n\n"
    "CLSORT_INLINE quick_local_t quick_space(local ulong *space)\n"
    "{\n"
    "    const quick_local_t l = { (local code_t *)space, (local uint *)space, (local uint *)space };\n"
    "    return l;\n"
    "}\n\n"
    "#define quick_sync(fence)\n"
    "#undef CLSORT_BRANCHES\n"
    "#define CLSORT_BRANCHES 1\n"
    "#define join_group(part, l) (part)\n\n"
    "CLSORT_INLINE uint scan_total(uint x, uint *total, quick_local_t l)\n"
    "{\n"
    "    *total = x;\n"
    "    return 0;\n"
    "}\n\n"
    "CLSORT_INLINE code_t choose_pivot(quick_t q, quick_local_t l, array_t from, range_t r)\n"
    "{\n"
    "    const uint samples = count_samples(q, r);\n"
    "    code_t code[CLSORT_MOST_SAMPLES], pivot = middle_code(r);\n"
    "    for (uint i = 0; i < samples; i++)\n"
    "        code[i] = take_sample(q, from, r, samples, i);\n"
    "    for (uint i = 0; i < samples; i++) {\n"
    "        uint rank = 0;\n"
    "        for (uint k = 0; k < samples; k++)\n"
    "            rank += code[k] < code[i] || (code[k] == code[i] && k < i);\n"
    "        pivot = rank == samples / 2 ? code[i] : pivot;\n"
    "    }\n"
    "    return pivot;\n"
    "}\n\n",
    "//---- quicksort: counting by a work-item\n"
    "#if CLSORT_LANES > 1 && !CLSORT_RECORDS\n\n"
    "CLSORT_CALLED part_t join_lanes(codes_t least, codes_t below, codes_t above, codes_t most,\n"
    "                                words_t less, words_t equal)\n"
    "{\n"
    "    code_t codes[4 * CLSORT_LANES];\n"
    "    uint counts[2 * CLSORT_LANES];\n"
    "    part_t p = no_part();\n"
    "    vstore16(least, 0, codes);\n"
    "    vstore16(below, 1, codes);\n"
    "    vstore16(above, 2, codes);\n"
    "    vstore16(most, 3, codes);\n"
    "    vstore16(less, 0, counts);\n"
    "    vstore16(equal, 1, counts);\n"
    "    for (uint l = 0; l < CLSORT_LANES; l++) {\n"
    "        const part_t lane = { counts[l],\n"
    "                              counts[CLSORT_LANES + l],\n"
    "                              codes[l],\n"
    "                              codes[CLSORT_LANES + l],\n"
    "                              codes[2 * CLSORT_LANES + l],\n"
    "                              codes[3 * CLSORT_LANES + l] };\n"
    "        p = join_parts(p, lane);\n"
    "    }\n"
    "    return p;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE part_t count_vectors(array_t from, codec_t c, uint begin, uint size, code_t pivot,\n"
    "                                   uint *done)\n"
    "{\n"
    "    const codes_t middle = (codes_t)pivot, all = (codes_t)(code_t)~(code_t)0;\n"
    "    codes_t least = all, below = 0, above = all, most = 0;\n"
    "    words_t less = 0, equal = 0;\n"
    "    for (*done = 0; size - *done >= CLSORT_LANES; *done += CLSORT_LANES) {\n"
    "        const codes_t code = encode(vload16(0, key_place(from, begin + *done)), c);\n"
    "        less += CLSORT_WORD_FLAG(code < middle) != 0 ? (words_t)1 : (words_t)0;\n"
    "        equal += CLSORT_WORD_FLAG(code == middle) != 0 ? (words_t)1 : (words_t)0;\n"
    "        least = min(least, code);\n"
    "        most = max(most, code);\n"
    "        below = code < middle ? max(below, code) : below;\n"
    "        above = code > middle ? min(above, code) : above;\n"
    "    }\n"
    "    return join_lanes(least, below, above, most, less, equal);\n"
    "}\n"
    "#endif\n\n"
    "CLSORT_INLINE part_t count_part(array_t from, codec_t c, uint begin, uint size, code_t pivot)\n"
    "{\n"
    "    uint done = 0;\n"
    "#if CLSORT_LANES > 1 && !CLSORT_RECORDS\n"
    "    part_t p = count_vectors(from, c, begin, size, pivot, &done);\n"
    "#else\n"
    "    part_t p = no_part();\n"
    "#endif\n"
    "    for (uint i = done; i < size; i++)\n"
    "        add_code(&p, code_at(from, c, begin + i), pivot);\n"
    "    return p;\n"
    "}\n\n\n"
    "CLSORT_INLINE void move_element(array_t from, uint i, array_t to, uint place)\n"
    "{\n"
    "    uint word[CLSORT_WORDS_OR_1];\n"
    "    if (!CLSORT_RECORDS)\n"
    "        *key_place(to, place) = *key_place(from, i);\n"
    "    load_words(from, i, word);\n"
    "    store_words(to, place, word);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void scatter_part(quick_t q, quick_local_t l, uint which, uint begin, uint size,\n"
    "                                code_t pivot, places_t next)\n"
    "{\n"
    "    const array_t from = quick_array(q, which), unequal_to = quick_array(q, unequal_array(which)),\n"
    "                  equal_to = quick_array(q, equal_array(which));\n"
    "    for (uint i = begin; i < begin + size; i++) {\n"
    "        const code_t code = code_at(from, q.codec, i);\n"
    "        const uint less = code < pivot;\n"
    "        if (code == pivot) {\n"
    "            move_element(from, i, equal_to, next.equal++);\n"
    "            continue;\n"
    "        }\n"
    "        move_element(from, i, unequal_to, less ? next.less : next.greater);\n"
    "        next.less += less;\n"
    "        next.greater += !less;\n"
    "    }\n"
    "}\n"
    "#endif\n\n",
    "//---- quicksort: begin and count\n\n"
    "CLSORT_INLINE void quick_begin(quick_t q)\n"
    "{\n"
    "    const uint8 all = pack_range(make_range(0, q.n, round_array(q, 0), (code_t)~(code_t)0, 0));\n"
    "    const uint leaf = q.n > 0 && q.n <= q.leaf_elements, sequence = q.n > q.leaf_elements;\n"
    "    for (uint k = 0; k < CLSORT__QUICK_STATE_WORDS; k++)\n"
    "        q.scratch[k] = 0;\n"
    "    q.scratch[CLSORT__QUICK_LEAVES] = leaf;\n"
    "    quick_state(q, 0)[CLSORT__QUICK_SEQUENCES] = sequence;\n"
    "    quick_state(q, 0)[CLSORT__QUICK_BLOCKS] = sequence ? (q.n - 1) / q.block_elements + 1 : 0;\n"
    "    if (leaf)\n"
    "        vstore8(all, 0, leaf_at(q, 0));\n"
    "    if (sequence)\n"
    "        vstore8(all, 0, sequence_at(q, 0, 0));\n"
    "}\n\n\n"
    "CLSORT_INLINE uint block_begin(quick_t q, range_t r, uint b)\n"
    "{\n"
    "    return (b - r.first) * q.block_elements;\n"
    "}\n\n"
    "CLSORT_INLINE uint block_count(quick_t q, range_t r, uint b)\n"
    "{\n"
    "    return min(r.size - block_begin(q, r, b), q.block_elements);\n"
    "}\n\n"
    "CLSORT_INLINE void quick_count(quick_t q, quick_local_t l)\n"
    "{\n"
    "    const uint blocks = quick_state(q, q.round)[CLSORT__QUICK_BLOCKS];\n"
    "    const array_t from = quick_array(q, round_array(q, q.round));\n"
    "    for (uint b = (uint)get_group_id(0); b < blocks; b += (uint)get_num_groups(0)) {\n"
    "        global uint *sequence = sequence_at(q, q.round, find_sequence(q, b));\n"
    "        const range_t r = unpack_range(vload8(0, sequence));\n"
    "        const code_t pivot = choose_pivot(q, l, from, r);\n"
    "        const part_t own = count_part(from, q.codec, r.begin + block_begin(q, r, b),\n"
    "                                      block_count(q, r, b), pivot),\n"
    "                     part = join_group(own, l);\n"
    "        if (local_id() == 0) {\n"
    "            vstore2((uint2)(part.less, part.equal), 0, block_at(q, b));\n"
    "            vstore8(pack_bounds(part), 0, block_at(q, b) + 2);\n"
    "            if (b == r.first)\n"
    "                vstore2(as_uint2((ulong)pivot), 0, sequence + 14);\n"
    "        }\n"
    "    }\n"
    "}\n\n",
    "//---- quicksort: sums\n\n"
    "CLSORT_INLINE uint plan_share(uint count)\n"
    "{\n"
    "    return (count + CLSORT_GROUP - 1) / CLSORT_GROUP;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void sum_blocks(quick_t q, quick_local_t l, uint blocks)\n"
    "{\n"
    "    const uint share = plan_share(blocks), first = min(local_id() * share, blocks),\n"
    "               end = min(first + share, blocks);\n"
    "    uint2 sum = 0, total;\n"
    "    for (uint b = first; b < end; b++)\n"
    "        sum += vload2(0, block_at(q, b));\n"
    "    uint all_less, all_equal;\n"
    "    sum.x = scan_total(sum.x, &all_less, l);\n"
    "    sum.y = scan_total(sum.y, &all_equal, l);\n"
    "    for (uint b = first; b < end; b++) {\n"
    "        const uint2 count = vload2(0, block_at(q, b));\n"
    "        vstore2(sum, 0, block_at(q, b));\n"
    "        sum += count;\n"
    "    }\n"
    "    if (local_id() == 0)\n"
    "        vstore2((uint2)(all_less, all_equal), 0, block_at(q, blocks));\n"
    "}\n\n\n"
    "CLSORT_INLINE void store_bounds(quick_t q, uint i, part_t p)\n"
    "{\n"
    "    global uint *sequence = sequence_at(q, q.round, i);\n"
    "    vstore4(as_uint4((ulong2)(p.least, p.most)), 0, sequence + 4);\n"
    "    vstore4(as_uint4((ulong2)(p.below, p.above)), 0, sequence + 10);\n"
    "}\n\n"
    "#if CLSORT_SHARE_LOG2 > 0\n\n\n\n"
    "CLSORT_INLINE void join_bounds(quick_t q, quick_local_t l, uint blocks)\n"
    "{\n"
    "    const uint t = local_id(), share = plan_share(blocks), first = min(t * share, blocks),\n"
    "               end = min(first + share, blocks);\n"
    "    uint now = first < end ? find_sequence(q, first) : 0, open = now, ends = 0;\n"
    "    part_t p = no_part(), head = no_part();\n"
    "    for (uint b = first; b < end; b++) {\n"
    "        p = join_parts(p, unpack_part(0, 0, vload8(0, block_at(q, b) + 2)));\n"
    "        if (b + 1 == first_block(q, now + 1)) {\n"
    "            if (first_block(q, now) < first) {\n"
    "                head = p;\n"
    "                ends = 1;\n"
    "            } else\n"
    "                store_bounds(q, now, p);\n"
    "            p = no_part();\n"
    "            now++;\n"
    "        }\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    put_part(l, t, p);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint k = t; ends && k * share > first_block(q, open);)\n"
    "        head = join_parts(head, get_part(l, --k));\n"
    "    if (ends)\n"
    "        store_bounds(q, open, head);\n"
    "}\n"
    "#else\n"
    "CLSORT_INLINE void join_bounds(quick_t q, quick_local_t l, uint blocks)\n"
    "{\n"
    "    part_t p = no_part();\n"
    "    for (uint b = 0, now = 0; b < blocks; b++) {\n"
    "        p = join_parts(p, unpack_part(0, 0, vload8(0, block_at(q, b) + 2)));\n"
    "        if (b + 1 == first_block(q, now + 1)) {\n"
    "            store_bounds(q, now++, p);\n"
    "            p = no_part();\n"
    "        }\n"
    "    }\n"
    "}\n"
    "#endif\n\n",
    "//---- quicksort: children\n\n"
    "enum { CHILD_DONE, CHILD_LEAF, CHILD_NEXT, CHILD_LEFT };\n\n\n"
    "typedef struct { uint leaves, nexts, blocks, left; } tally_t;\n\n"
    "CLSORT_INLINE uint child_fate(quick_t q, range_t r, uint retire)\n"
    "{\n"
    "    if (retire)\n"
    "        return r.size ? CHILD_LEFT : CHILD_DONE;\n"
    "    if (r.size == 0 || (r.least == r.most && r.array == ARRAY_TARGET))\n"
    "        return CHILD_DONE;\n"
    "    return r.size <= q.leaf_elements  ? CHILD_LEAF\n"
    "           : q.round + 1 < q.rounds ? CHILD_NEXT\n"
    "                                    : CHILD_LEFT;\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE range_t child_of(quick_t q, uint i, uint k, uint retire)\n"
    "{\n"
    "    global const uint *sequence = sequence_at(q, q.round, i);\n"
    "    const range_t r = unpack_range(vload8(0, sequence));\n"
    "    const uint2 before = vload2(0, block_at(q, r.first)),\n"
    "                after = vload2(0, block_at(q, first_block(q, i + 1))), count = after - before;\n"
    "    const ulong2 beside = as_ulong2(vload4(0, sequence + 10));\n"
    "    const code_t pivot = (code_t)as_ulong(vload2(0, sequence + 14));\n"
    "    if (retire)\n"
    "        return make_range(r.begin, k ? 0 : r.size, r.array, r.least, r.most);\n"
    "    if (k == 0)\n"
    "        return make_range(r.begin, count.x, unequal_array(r.array), r.least, (code_t)beside.x);\n"
    "    if (k == 1)\n"
    "        return make_range(r.begin + count.x, r.least == r.most ? 0 : count.y, equal_array(r.array),\n"
    "                          pivot, pivot);\n"
    "    return make_range(r.begin + count.x + count.y, r.size - count.x - count.y,\n"
    "                      unequal_array(r.array), (code_t)beside.y, r.most);\n"
    "}\n\n"
    "CLSORT_INLINE uint blocks_of(quick_t q, range_t r)\n"
    "{\n"
    "    return (r.size - 1) / q.block_elements + 1;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE tally_t tally_children(quick_t q, uint first, uint end, uint retire)\n"
    "{\n"
    "    tally_t tally = { 0, 0, 0, 0 };\n"
    "    for (uint i = 3 * first; i < 3 * end; i++) {\n"
    "        const range_t r = child_of(q, i / 3, i % 3, retire);\n"
    "        const uint fate = child_fate(q, r, retire);\n"
    "        if (fate == CHILD_LEAF)\n"
    "            tally.leaves++;\n"
    "        else if (fate == CHILD_LEFT)\n"
    "            tally.left++;\n"
    "        else if (fate == CHILD_NEXT) {\n"
    "            tally.nexts++;\n"
    "            tally.blocks += blocks_of(q, r);\n"
    "        }\n"
    "    }\n"
    "    return tally;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void write_children(quick_t q, uint first, uint end, uint retire, tally_t next)\n"
    "{\n"
    "    for (uint i = 3 * first; i < 3 * end; i++) {\n"
    "        range_t r = child_of(q, i / 3, i % 3, retire);\n"
    "        const uint fate = child_fate(q, r, retire);\n"
    "        r.first = next.blocks;\n"
    "        if (fate == CHILD_LEAF)\n"
    "            vstore8(pack_range(r), 0, leaf_at(q, next.leaves++));\n"
    "        else if (fate == CHILD_LEFT)\n"
    "            vstore8(pack_range(r), 0, leftover_at(q, next.left++));\n"
    "        else if (fate == CHILD_NEXT) {\n"
    "            vstore8(pack_range(r), 0, sequence_at(q, q.round + 1, next.nexts++));\n"
    "            next.blocks += blocks_of(q, r);\n"
    "        }\n"
    "    }\n"
    "}\n\n",
    "//---- quicksort: plan\n\n\n"
    "CLSORT_INLINE void make_children(quick_t q, quick_local_t l)\n"
    "{\n"
    "    global uint *state = quick_state(q, q.round), *next = quick_state(q, q.round + 1);\n"
    "    const uint count = state[CLSORT__QUICK_SEQUENCES], share = plan_share(count),\n"
    "               first = min(local_id() * share, count), end = min(first + share, count);\n"
    "    const uint leaves = q.scratch[CLSORT__QUICK_LEAVES], left = q.scratch[CLSORT__QUICK_LEFT],\n"
    "               retire = leaves + 3 * count > CLSORT__QUICK_MOST_LEAVES(q.capacity);\n"
    "    const tally_t own = tally_children(q, first, end, retire);\n"
    "    tally_t places, all;\n"
    "    places.leaves = leaves + scan_total(own.leaves, &all.leaves, l);\n"
    "    places.nexts = scan_total(own.nexts, &all.nexts, l);\n"
    "    places.blocks = scan_total(own.blocks, &all.blocks, l);\n"
    "    places.left = left + scan_total(own.left, &all.left, l);\n"
    "    write_children(q, first, end, retire, places);\n"
    "    quick_sync(CLK_GLOBAL_MEM_FENCE);\n"
    "    if (local_id() == 0) {\n"
    "        next[CLSORT__QUICK_SEQUENCES] = all.nexts;\n"
    "        next[CLSORT__QUICK_BLOCKS] = all.blocks;\n"
    "        q.scratch[CLSORT__QUICK_LEAVES] = leaves + all.leaves;\n"
    "        q.scratch[CLSORT__QUICK_LEFT] = left + all.left;\n"
    "        q.scratch[CLSORT__QUICK_ROUNDS] += count > 0;\n"
    "        if (retire)\n"
    "            state[CLSORT__QUICK_BLOCKS] = 0;\n"
    "    }\n"
    "}\n\n"
    "CLSORT_INLINE void quick_plan(quick_t q, quick_local_t l)\n"
    "{\n"
    "    const uint blocks = quick_state(q, q.round)[CLSORT__QUICK_BLOCKS];\n"
    "    sum_blocks(q, l, blocks);\n"
    "    join_bounds(q, l, blocks);\n"
    "    quick_sync(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
    "    make_children(q, l);\n"
    "}\n\n",
    "//---- quicksort: scatter\n"
    "CLSORT_INLINE void quick_scatter(quick_t q, quick_local_t l)\n"
    "{\n"
    "    const uint blocks = quick_state(q, q.round)[CLSORT__QUICK_BLOCKS],\n"
    "               which = round_array(q, q.round);\n"
    "    for (uint b = (uint)get_group_id(0); b < blocks; b += (uint)get_num_groups(0)) {\n"
    "        const uint i = find_sequence(q, b);\n"
    "        global const uint *sequence = sequence_at(q, q.round, i);\n"
    "        const range_t r = unpack_range(vload8(0, sequence));\n"
    "        const uint2 first = vload2(0, block_at(q, r.first)),\n"
    "                    before = vload2(0, block_at(q, b)) - first;\n"
    "        const uint2 all = vload2(0, block_at(q, first_block(q, i + 1))) - first;\n"
    "        const code_t pivot = (code_t)as_ulong(vload2(0, sequence + 14));\n"
    "        const uint begin = block_begin(q, r, b), stays = r.least == r.most && which == ARRAY_TARGET;\n"
    "        const places_t next = { r.begin + before.x, r.begin + all.x + before.y,\n"
    "                                r.begin + all.x + all.y + (begin - before.x - before.y) };\n"
    "        scatter_part(q, l, which, r.begin + begin, stays ? 0 : block_count(q, r, b), pivot, next);\n"
    "    }\n"
    "}\n\n",
    "//---- quicksort: a leaf's tile\n\n\n"
    "CLSORT_INLINE void load_leaf(item_t *v, window_t home, array_t from, codec_t c, uint begin,\n"
    "                             uint end)\n"
    "{\n"
    "#if CLSORT_LANES == 1\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++)\n"
    "        v[m] = load_item(from, c, begin + window_item(home, m), end);\n"
    "#else\n"
    "    load_window(v, home, CLSORT_ITEMS_LOG2, from, c, begin, end);\n"
    "#endif\n"
    "}\n\n"
    "CLSORT_INLINE void store_leaf(const item_t *v, window_t home, array_t to, codec_t c, uint begin,\n"
    "                              uint end)\n"
    "{\n"
    "#if CLSORT_LANES == 1\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++)\n"
    "        store_item(to, c, begin + window_item(home, m), end, v[m]);\n"
    "#else\n"
    "    store_window(v, home, CLSORT_ITEMS_LOG2, to, c, begin, end);\n"
    "#endif\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void sort_leaf_tile(quick_t q, quick_local_t l, array_t from, uint begin, uint size)\n"
    "{\n"
    "    const uint end = size ? begin + size : 0, stages = ceil_log2(size);\n"
    "    const window_t home = tile_window(local_id(), CLSORT_HOME_BIT, 0, 0);\n"
    "    window_t now = home;\n"
    "    item_t v[CLSORT_ITEMS];\n"
    "    load_leaf(v, home, from, q.codec, begin, end);\n"
    "    for (uint stage = 0; stage < CLSORT_LANES_LOG2; stage++)\n"
    "        lane_steps(v, CLSORT_ITEMS, stage);\n"
    "    for (uint stage = CLSORT_LANES_LOG2; stage < stages; stage++) {\n"
    "        now = tile_stage(v, l.keys, l.words, local_id(), now, stage - CLSORT_LANES_LOG2);\n"
    "        lane_steps(v, CLSORT_ITEMS, stage);\n"
    "    }\n"
    "    move_window(v, l.keys, l.words, now, home);\n"
    "    store_leaf(v, home, q.target, q.codec, begin, end);\n"
    "}\n\n\n"
    "CLSORT_INLINE void copy_to_target(quick_t q, uint which, uint begin, uint size)\n"
    "{\n"
    "    const array_t from = quick_array(q, which);\n"
    "    for (uint i = local_id(); i < size; i += CLSORT_GROUP)\n"
    "#if CLSORT_LANES == 1\n"
    "        store_whole_item(q.target, q.codec, begin + i, load_whole_item(from, q.codec, begin + i));\n"
    "#else\n"
    "        store_item(q.target, q.codec, begin + i, begin + i + 1,\n"
    "                   load_item(from, q.codec, begin + i, begin + i + 1));\n"
    "#endif\n"
    "}\n\n",
    "//---- quicksort: a leaf\n\n\n\n"
    "enum { STACK_TOP, STACK_BUDGET };\n\n\n"
    "#define CLSORT_LEAST_LEFTOVER 64\n\n\n"
    "CLSORT_INLINE uint leave_range(quick_t q, range_t r)\n"
    "{\n"
    "    const uint place = atomic_inc((volatile global uint *)&q.scratch[CLSORT__QUICK_LEFT]),\n"
    "               fits = place < CLSORT__QUICK_MOST_LEFTOVERS(q.capacity);\n"
    "    if (fits)\n"
    "        vstore8(pack_range(r), 0, leftover_at(q, place));\n"
    "    return fits;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void push_range(quick_t q, quick_local_t l, range_t r, uint spent)\n"
    "{\n"
    "    if (r.size == 0 || (r.least == r.most && r.array == ARRAY_TARGET))\n"
    "        return;\n"
    "    if (spent && r.size > max(CLSORT_QUICK_TILE, CLSORT_LEAST_LEFTOVER) && leave_range(q, r))\n"
    "        return;\n"
    "    vstore8(pack_range(r), l.stack[STACK_TOP]++, l.stack + CLSORT__STACK_HEAD);\n"
    "}\n\n\n"
    "CLSORT_INLINE void partition_leaf(quick_t q, quick_local_t l, range_t r, uint size)\n"
    "{\n"
    "    const array_t from = quick_array(q, r.array);\n"
    "    const range_t parted = make_range(r.begin, size, r.array, r.least, r.most);\n"
    "    const code_t pivot = choose_pivot(q, l, from, parted);\n"
    "    const part_t part = join_group(count_part(from, q.codec, r.begin, size, pivot), l);\n"
    "    const uint greater = r.begin + part.less + part.equal;\n"
    "    const places_t next = { r.begin, r.begin + part.less, greater };\n"
    "    scatter_part(q, l, r.array, r.begin, size, pivot, next);\n"
    "    quick_sync(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
    "    copy_to_target(q, ARRAY_ALT, next.equal, r.array == ARRAY_TARGET ? part.equal : 0);\n"
    "    if (local_id() == 0 && size != 0) {\n"
    "        const range_t low = make_range(r.begin, part.less, unequal_array(r.array), part.least,\n"
    "                                       part.below);\n"
    "        const range_t high = make_range(greater, size - part.less - part.equal, low.array,\n"
    "                                        part.above, part.most);\n"
    "        const uint budget = l.stack[STACK_BUDGET], spent = budget < size;\n"
    "        l.stack[STACK_BUDGET] = spent ? 0 : budget - size;\n"
    "        push_range(q, l, low.size > high.size ? low : high, spent);\n"
    "        push_range(q, l, low.size > high.size ? high : low, spent);\n"
    "    }\n"
    "}\n\n",
    "//---- quicksort: a leaf's steps\n\n\n"
    "CLSORT_INLINE uint leaf_step(quick_t q, quick_local_t l)\n"
    "{\n"
    "    const uint top = l.stack[STACK_TOP] - 1;\n"
    "    const range_t r = unpack_range(vload8(top, l.stack + CLSORT__STACK_HEAD));\n"
    "    const uint same = r.least == r.most, large = !same && r.size > CLSORT_QUICK_TILE;\n"
    "    quick_sync(CLK_LOCAL_MEM_FENCE);\n"
    "    if (local_id() == 0)\n"
    "        l.stack[STACK_TOP] = top;\n"
    "    if (!CLSORT_BRANCHES || large)\n"
    "        partition_leaf(q, l, r, large ? r.size : 0);\n"
    "    if (!CLSORT_BRANCHES || !large)\n"
    "        sort_leaf_tile(q, l, quick_array(q, r.array), r.begin, large || same ? 0 : r.size);\n"
    "    copy_to_target(q, r.array, r.begin, same && r.array != ARRAY_TARGET ? r.size : 0);\n"
    "    quick_sync(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
    "    return l.stack[STACK_TOP];\n"
    "}\n\n"
    "CLSORT_INLINE void quick_leaf(quick_t q, quick_local_t l)\n"
    "{\n"
    "    const uint leaves = q.scratch[CLSORT__QUICK_LEAVES];\n"
    "    for (uint i = (uint)get_group_id(0); i < leaves; i += (uint)get_num_groups(0)) {\n"
    "        const range_t r = unpack_range(vload8(0, leaf_at(q, i)));\n"
    "        if (local_id() == 0) {\n"
    "            l.stack[STACK_TOP] = 1;\n"
    "            l.stack[STACK_BUDGET] = r.size\n"
    "                                    * (2 * ceil_log2(r.size / CLSORT_QUICK_TILE + 1) + 4);\n"
    "            vstore8(pack_range(r), 0, l.stack + CLSORT__STACK_HEAD);\n"
    "        }\n"
    "        quick_sync(CLK_LOCAL_MEM_FENCE);\n"
    "        for (uint left = 1; left > 0;)\n"
    "            left = leaf_step(q, l);\n"
    "        quick_sync(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "}\n\n",
    "//---- quicksort: kernels\n"
    "#if !CLSORT_IS(RELAUNCH)\n\n\n"
    "CLSORT_KERNEL void clsort_quick_begin(CLSORT_QUICK_ARGS)\n"
    "{\n"
    "    const quick_t q = CLSORT_QUICK_JOB;\n"
    "    if (get_global_id(0) == 0)\n"
    "        quick_begin(q);\n"
    "}\n\n"
    "#define CLSORT_QUICK_STEP(step) \\\n"
    "    { \\\n"
    "        const quick_t q = CLSORT_QUICK_JOB; \\\n"
    "        step(q, quick_space(space)); \\\n"
    "    }\n"
    "CLSORT_KERNEL void clsort_quick_count(CLSORT_QUICK_ARGS, local ulong *space)\n"
    "    CLSORT_QUICK_STEP(quick_count)\n"
    "CLSORT_KERNEL void clsort_quick_plan(CLSORT_QUICK_ARGS, local ulong *space)\n"
    "    CLSORT_QUICK_STEP(quick_plan)\n"
    "CLSORT_KERNEL void clsort_quick_scatter(CLSORT_QUICK_ARGS, local ulong *space)\n"
    "    CLSORT_QUICK_STEP(quick_scatter)\n"
    "CLSORT_KERNEL void clsort_quick_leaf(CLSORT_QUICK_ARGS, local ulong *space)\n"
    "    CLSORT_QUICK_STEP(quick_leaf)\n"
    "#endif\n\n",
    "//---- quicksort: relauncher\n"
    "#if CLSORT_IS(RELAUNCH)\n\n\n"
    "static void relaunch(quick_t q, uint local_bytes)\n"
    "{\n"
    "    const queue_t queue = get_default_queue();\n"
    "    const uint blocks = quick_state(q, q.round)[CLSORT__QUICK_BLOCKS],\n"
    "               works = blocks > 0 && q.round < q.rounds;\n"
    "    const uint wanted = works ? blocks : max(q.scratch[CLSORT__QUICK_LEAVES], 1u);\n"
    "    const ndrange_t many = ndrange_1D((size_t)wanted * CLSORT_GROUP, CLSORT_GROUP),\n"
    "                    one = ndrange_1D(CLSORT_GROUP, CLSORT_GROUP);\n"
    "    clk_event_t first, second, third;\n"
    "    if (!works) {\n"
    "        enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, many,\n"
    "                       ^(local void *s) { quick_leaf(q, quick_space(s)); }, local_bytes);\n"
    "    } else {\n"
    "        quick_t next = q;\n"
    "        next.round++;\n"
    "        enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, many, 0, NULL, &first,\n"
    "                       ^(local void *s) { quick_count(q, quick_space(s)); }, local_bytes);\n"
    "        enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &first, &second,\n"
    "                       ^(local void *s) { quick_plan(q, quick_space(s)); }, local_bytes);\n"
    "        enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, many, 1, &second, &third,\n"
    "                       ^(local void *s) { quick_scatter(q, quick_space(s)); }, local_bytes);\n"
    "        enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1, 1), 1, &third, NULL,\n"
    "                       ^{ relaunch(next, local_bytes); });\n"
    "        release_event(first);\n"
    "        release_event(second);\n"
    "        release_event(third);\n"
    "    }\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_quick_relauncher(CLSORT_QUICK_ARGS, uint local_bytes)\n"
    "{\n"
    "    const quick_t q = CLSORT_QUICK_JOB;\n"
    "    if (get_global_id(0) != 0)\n"
    "        return;\n"
    "    quick_begin(q);\n"
    "    relaunch(q, local_bytes);\n"
    "}\n"
    "#endif\n"
    "#endif\n\n",
#else
    "#line 8454\n",
#endif
    "//---- select: plan\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
    "#if CLSORT_LANES == 1 && !CLSORT_COMPARATOR && CLSORT_NEEDS_SELECT\n"
    "#ifndef CLSORT_DIGIT_BITS\n"
    "#define CLSORT_DIGIT_BITS 8\n"
    "#endif\n"
    "#if CLSORT_NEEDS_PASSES && (CLSORT_DIGIT_BITS < CLSORT_GROUP_LOG2 || CLSORT_DIGIT_BITS > 11)\n"
    "#error \"CLSORT_DIGIT_BITS must be CLSORT_GROUP_LOG2 to 11 where rows are selected from\"\n"
    "#endif\n"
    "#define CLSORT_BINS (1 << CLSORT_DIGIT_BITS)\n\n\n\n"
    "#define CLSORT_SELECT_ARGS \\\n"
    "    global const uchar *keys, ulong keys_at, CLSORT_CODEC_ARGS, ulong minus_zero, \\\n"
    "        uint ignored_high_bits, uint first_bit, uint rows, uint n, ulong stride, uint k, \\\n"
    "        uint select_mode, uint list_capacity, uint passes, global const uchar *bounds, \\\n"
    "        ulong bounds_at, global const uchar *ends, ulong ends_at, global const uchar *number, \\\n"
    "        ulong number_at, uint kind\n"
    "#define CLSORT_SELECT \\\n"
    "    { \\\n"
    "        keys + keys_at, CLSORT_CODEC, (code_t)minus_zero, ignored_high_bits, first_bit, rows, n, \\\n"
    "            stride, k, k, select_mode, list_capacity, passes, \\\n"
    "            (global const uint *)(bounds + bounds_at), (global const uint *)(ends + ends_at), \\\n"
    "            (global const uint *)(number + number_at), kind \\\n"
    "    }\n"
    "typedef struct {\n"
    "    global const uchar *keys;\n"
    "    codec_t codec;\n"
    "    code_t minus_zero;\n"
    "    uint ignored_high_bits, first_bit, rows, n;\n"
    "    ulong stride;\n"
    "    uint k, asked, select_mode, list_capacity, passes;\n"
    "    global const uint *bounds, *ends, *number;\n"
    "    uint kind;\n"
    "} select_t;\n\n\n\n\n\n"
    "CLSORT_INLINE select_t select_from_row(select_t s, uint row)\n"
    "{\n"
    "    const uint most = s.kind & CLSORT__COUNT_ON_DEVICE && row < s.rows ? min(s.n, *s.number) : s.n;\n"
    "    ulong begin = row < s.rows ? row * s.stride : 0;\n"
    "    s.n = most;\n"
    "    if (s.kind & CLSORT__ROW_LENGTHS && row < s.rows)\n"
    "        s.n = min(most, s.bounds[row]);\n"
    "    if (s.kind & CLSORT__SEGMENTS_AT_OFFSETS && row < s.rows) {\n"
    "        const uint first = min(s.bounds[row], most);\n"
    "        begin = first * (ulong)CLSORT_KEY_BYTES;\n"
    "        s.n = max(min(s.ends[row], most), first) - first;\n"
    "    }\n"
    "    s.keys += begin;\n"
    "    s.stride = 0;\n"
    "    s.k = min(s.k, s.n);\n"
    "    return s;\n"
    "}\n\n\n\n"
    "#define CLSORT_OUTPUT_ARGS \\\n"
    "    global uchar *indices, ulong indices_at, global uchar *keys_out, ulong keys_out_at, \\\n"
    "        uint outputs, ulong indices_apart, ulong keys_apart\n"
    "#define CLSORT_OUTPUT \\\n"
    "    { indices + indices_at, keys_out + keys_out_at, outputs, indices_apart, keys_apart }\n"
    "typedef struct {\n"
    "    global uchar *indices, *keys;\n"
    "    uint outputs;\n"
    "    ulong indices_apart, keys_apart;\n"
    "} output_t;\n\n\n"
    "#if CLSORT_GROUP_LOG2 > 0\n"
    "#define add_local(place, x) atomic_add((volatile local uint *)(place), x)\n"
    "#else\n"
    "CLSORT_INLINE uint add_local(local uint *place, uint x)\n"
    "{\n"
    "    return (*place += x) - x;\n"
    "}\n"
    "#endif\n\n",
    "//---- select: parts\n\n\n"
    "typedef struct { global const uchar *keys; uint row, part, first, end; } select_part_t;\n\n"
    "CLSORT_INLINE select_part_t part_number(select_t s, uint number, uint parts, uint part_elements)\n"
    "{\n"
    "    const uint row = number / parts, part = number % parts;\n"
    "    const uint first = (uint)min((ulong)part * part_elements, (ulong)s.n),\n"
    "               whole = min(s.n - first, part_elements);\n"
    "    const select_part_t p = { s.keys + (row < s.rows ? row * s.stride : 0), row, part, first,\n"
    "                              row < s.rows ? first + whole : first };\n"
    "    return p;\n"
    "}\n\n"
    "CLSORT_INLINE select_part_t find_part(select_t s, uint parts, uint part_elements)\n"
    "{\n"
    "    return part_number(s, (uint)get_group_id(0), parts, part_elements);\n"
    "}\n\n\n"
    "CLSORT_INLINE code_t code_of(select_t s, code_t key)\n"
    "{\n"
    "    const code_t code = encode(key == s.minus_zero ? 0 : key, s.codec);\n"
    "    return (code_t)((code_t)(code << s.ignored_high_bits) >> (s.ignored_high_bits + s.first_bit));\n"
    "}\n\n"
    "CLSORT_INLINE code_t select_code(select_t s, select_part_t p, size_t i)\n"
    "{\n"
    "    return code_of(s, ((global const code_t *)p.keys)[i]);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void write_element(select_t s, select_part_t p, output_t out, size_t place, uint i)\n"
    "{\n"
    "    if (out.outputs & CLSORT__WRITES_INDICES)\n"
    "        ((global uint *)(out.indices + p.row * out.indices_apart))[place] = i;\n"
    "    if (out.outputs & CLSORT__WRITES_KEYS)\n"
    "        ((global code_t *)(out.keys + p.row * out.keys_apart))[place]\n"
    "            = i < s.n ? ((global const code_t *)p.keys)[i] : decode((code_t)~(code_t)0, s.codec);\n"
    "}\n\n\n"
    "CLSORT_INLINE void write_marks(select_t s, select_part_t p, output_t out)\n"
    "{\n"
    "    const uint nth = s.select_mode == CLSORT__SELECT_NTH, there = nth ? s.k == s.asked : s.k;\n"
    "    for (uint i = there + local_id(); i < (nth ? 1 : s.asked); i += CLSORT_GROUP)\n"
    "        write_element(s, p, out, i, 0xFFFFFFFFu);\n"
    "}\n\n\n"
    "CLSORT_INLINE select_part_t whole_row(select_t s, uint row)\n"
    "{\n"
    "    const select_part_t p = { s.keys + row * s.stride, row, 0, 0, s.n };\n"
    "    return p;\n"
    "}\n\n",
    "//---- select: ranks\n\n"
    "#if CLSORT_KEY_BYTES <= 4\n"
    "typedef ulong ranked_t;\n"
    "#define CLSORT_RANKED(code, index) ((ulong)(code) << 32 | (index))\n"
    "#define CLSORT_RANKED_CODE(x) ((x) >> 32)\n"
    "#define CLSORT_RANKED_INDEX(x) ((uint)(x))\n"
    "#define CLSORT_RANKED_BEFORE(x, y) ((x) < (y))\n"
    "#else\n"
    "typedef struct { ulong code, index; } ranked_t;\n"
    "CLSORT_INLINE ranked_t make_ranked(ulong code, uint index)\n"
    "{\n"
    "    const ranked_t r = { code, index };\n"
    "    return r;\n"
    "}\n"
    "#define CLSORT_RANKED(code, index) make_ranked(code, index)\n"
    "#define CLSORT_RANKED_CODE(x) ((x).code)\n"
    "#define CLSORT_RANKED_INDEX(x) ((uint)(x).index)\n"
    "#define CLSORT_RANKED_BEFORE(x, y) \\\n"
    "    ((x).code < (y).code || ((x).code == (y).code && (x).index < (y).index))\n"
    "#endif\n\n\n"
    "CLSORT_INLINE uint rank_among(local const ranked_t *x, uint count, ranked_t own)\n"
    "{\n"
    "    uint rank = 0, j = 0;\n"
    "    for (; j + 16 <= count; j += 16) {\n"
    "        #pragma unroll\n"
    "        for (uint b = 0; b < 16; b++)\n"
    "            rank += CLSORT_RANKED_BEFORE(x[j + b], own);\n"
    "    }\n"
    "    for (; j + 4 <= count; j += 4) {\n"
    "        #pragma unroll\n"
    "        for (uint b = 0; b < 4; b++)\n"
    "            rank += CLSORT_RANKED_BEFORE(x[j + b], own);\n"
    "    }\n"
    "    for (; j < count; j++)\n"
    "        rank += CLSORT_RANKED_BEFORE(x[j], own);\n"
    "    return rank;\n"
    "}\n\n\n"
    "CLSORT_INLINE void write_ranked(select_t s, select_part_t p, output_t out, uint rank, uint i)\n"
    "{\n"
    "    const uint nth = s.select_mode == CLSORT__SELECT_NTH;\n"
    "    if (nth ? rank == s.asked - 1 && s.k == s.asked : rank < s.k)\n"
    "        write_element(s, p, out, nth ? 0 : rank, i);\n"
    "}\n\n",
    "//---- select: short rows\n"
    "#if CLSORT_IS(SHORT_ROWS)\n\n\n\n\n\n"
    "#ifndef CLSORT_RADIX_ITEMS\n"
    "#define CLSORT_RADIX_ITEMS 1\n"
    "#endif\n"
    "#define CLSORT_FIRSTS CLSORT_RADIX_ITEMS\n"
    "#define CLSORT_COLUMNS (CLSORT_FIRSTS * CLSORT_GROUP)\n\n"
    "#define CLSORT_RANKED_MOST (CLSORT_GROUP > 64 ? CLSORT_GROUP : 64)\n"
    "#if CLSORT_FIRSTS > CLSORT_ITEMS\n"
    "#error \"CLSORT_FIRSTS must be 1 to CLSORT_ITEMS\"\n"
    "#endif\n\n\n"
    "typedef struct {\n"
    "    local ranked_t *firsts, *list;\n"
    "    local uint *count;\n"
    "} short_row_t;\n\n\n\n"
    "CLSORT_INLINE void load_short_row(select_t s, select_part_t p, code_t *code)\n"
    "{\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++) {\n"
    "        const uint i = m * CLSORT_GROUP + local_id();\n"
    "        code[m] = i < s.n ? select_code(s, p, i) : (code_t)~(code_t)0;\n"
    "    }\n"
    "}\n\n",
    "//---- select: bounds of short rows\n\n\n"
    "CLSORT_INLINE void find_bound(select_t s, const code_t *code, short_row_t l)\n"
    "{\n"
    "    const uint t = local_id();\n"
    "    ranked_t own[CLSORT_FIRSTS];\n"
    "    #pragma unroll\n"
    "    for (uint f = 0; f < CLSORT_FIRSTS; f++) {\n"
    "        code_t first = code[f];\n"
    "        uint at = f;\n"
    "        #pragma unroll\n"
    "        for (uint m = f + CLSORT_FIRSTS; m < CLSORT_ITEMS; m += CLSORT_FIRSTS) {\n"
    "            at = code[m] < first ? m : at;\n"
    "            first = min(first, code[m]);\n"
    "        }\n"
    "        own[f] = CLSORT_RANKED(first, at * CLSORT_GROUP + t);\n"
    "        l.firsts[f * CLSORT_GROUP + t] = own[f];\n"
    "    }\n"
    "    group_sync();\n"
    "    if (t == 0)\n"
    "        *l.count = 0;\n"
    "    #pragma unroll\n"
    "    for (uint f = 0; f < CLSORT_FIRSTS; f++)\n"
    "        if (rank_among(l.firsts, CLSORT_COLUMNS, own[f]) == max(s.k, 1u) - 1)\n"
    "            l.firsts[CLSORT_COLUMNS] = own[f];\n"
    "}\n\n\n"
    "CLSORT_INLINE void list_candidates(const code_t *code, short_row_t l)\n"
    "{\n"
    "    const ranked_t bound = l.firsts[CLSORT_COLUMNS];\n"
    "    const uint t = local_id();\n"
    "    uint taken = 0;\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++)\n"
    "        taken |= (uint)!CLSORT_RANKED_BEFORE(bound, CLSORT_RANKED(code[m], m * CLSORT_GROUP + t))\n"
    "                 << m;\n"
    "    if (!taken)\n"
    "        return;\n"
    "    uint place = atomic_add((volatile local uint *)l.count, popcount(taken));\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++)\n"
    "        if (taken >> m & 1)\n"
    "            l.list[place++] = CLSORT_RANKED(code[m], m * CLSORT_GROUP + t);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void sort_candidates(short_row_t l, uint count)\n"
    "{\n"
    "    const uint size = count > CLSORT_RANKED_MOST ? 1u << ceil_log2(count) : 0;\n"
    "    for (uint i = count + local_id(); i < size; i += CLSORT_GROUP)\n"
    "        l.list[i] = CLSORT_RANKED((code_t)~(code_t)0, 0xFFFFFFFFu);\n"
    "    for (uint block = 2; block <= size; block *= 2)\n"
    "        for (uint step = block; step > 1; step /= 2) {\n"
    "            group_sync();\n"
    "            for (uint t = local_id(); t < size / 2; t += CLSORT_GROUP) {\n"
    "                const uint apart = step / 2, low = (t & ~(apart - 1)) * 2 + (t & (apart - 1)),\n"
    "                           high = step == block ? low ^ (block - 1) : low + apart;\n"
    "                const ranked_t x = l.list[low], y = l.list[high];\n"
    "                if (CLSORT_RANKED_BEFORE(y, x)) {\n"
    "                    l.list[low] = y;\n"
    "                    l.list[high] = x;\n"
    "                }\n"
    "            }\n"
    "        }\n"
    "    group_sync();\n"
    "}\n\n",
    "//---- select: results of short rows\n\n"
    "CLSORT_INLINE void write_candidates(select_t s, select_part_t p, output_t out, short_row_t l,\n"
    "                                    uint count)\n"
    "{\n"
    "    const uint sorted = count > CLSORT_RANKED_MOST;\n"
    "    for (uint c = local_id(); c < (sorted ? s.k : count); c += CLSORT_GROUP) {\n"
    "        const ranked_t own = l.list[c];\n"
    "        write_ranked(s, p, out, sorted ? c : rank_among(l.list, count, own),\n"
    "                     CLSORT_RANKED_INDEX(own));\n"
    "    }\n"
    "    write_marks(s, p, out);\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_select_short(CLSORT_SELECT_ARGS, CLSORT_OUTPUT_ARGS, local ulong *space)\n"
    "{\n"
    "    const select_t all = CLSORT_SELECT;\n"
    "    const output_t out = CLSORT_OUTPUT;\n"
    "    local ranked_t *const firsts = (local ranked_t *)space,\n"
    "                   *const list = firsts + CLSORT_COLUMNS + 1;\n"
    "    const short_row_t l = { firsts, list, (local uint *)(list + all.list_capacity) };\n"
    "    for (uint row = (uint)get_group_id(0); row < all.rows; row += (uint)get_num_groups(0)) {\n"
    "        const select_t s = select_from_row(all, row);\n"
    "        const select_part_t p = whole_row(s, row);\n"
    "        code_t code[CLSORT_ITEMS];\n"
    "        load_short_row(s, p, code);\n"
    "        find_bound(s, code, l);\n"
    "        group_sync();\n"
    "        list_candidates(code, l);\n"
    "        group_sync();\n"
    "        const uint count = *l.count;\n"
    "        sort_candidates(l, count);\n"
    "        write_candidates(s, p, out, l, count);\n"
    "    }\n"
    "}\n"
    "#endif\n\n",
    "//---- select: tiles of rows\n"
    "#if CLSORT_IS(ROW_TILES) && defined(CLSORT_HEAD_WORDS)\n\n\n"
    "CLSORT_INLINE item_t row_item(select_t s, uint first, uint i)\n"
    "{\n"
    "    const uint row = i / s.n, at = i - row * s.n;\n"
    "    const select_t own = select_from_row(s, first + row);\n"
    "    item_t r = top_item();\n"
    "    r.key = at < own.n ? select_code(own, whole_row(own, first + row), at) : (code_t)~(code_t)0;\n"
    "    r.word[0] = at < own.n ? at : 0xFFFFFFFFu;\n"
    "    return r;\n"
    "}\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_select_tile(CLSORT_SELECT_ARGS, CLSORT_OUTPUT_ARGS, uint per,\n"
    "                                      local code_t *codes, local uint *words, local uint *space)\n"
    "{\n"
    "    const select_t s = CLSORT_SELECT;\n"
    "    const output_t out = CLSORT_OUTPUT;\n"
    "    const packing_t packing = clear_packing(space);\n"
    "    const uint t = local_id(), first = (uint)get_group_id(0) * per,\n"
    "               rows_here = s.rows ? min(s.rows - first, per) : 0, size = rows_here * s.n;\n"
    "    const uint nth = s.select_mode == CLSORT__SELECT_NTH, wanted = nth ? 1 : s.k;\n"
    "    #pragma unroll\n"
    "    for (uint m = 0; m < CLSORT_ITEMS; m++) {\n"
    "        const uint i = m * CLSORT_GROUP + t;\n"
    "        put_item(codes, words, i, i < size ? row_item(s, first, i) : top_item());\n"
    "    }\n"
    "    for (uint r = t; r <= rows_here; r += CLSORT_GROUP)\n"
    "        flag_head(packing, r * s.n);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    find_around(packing, size);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    sort_packed(codes, words, packing, s.codec);\n"
    "    for (uint i = t; i < rows_here * wanted; i += CLSORT_GROUP) {\n"
    "        const uint row = i / wanted, at = row * s.n + (nth ? s.k - 1 : i - row * wanted);\n"
    "        const select_t own = select_from_row(s, first + row);\n"
    "        write_element(own, whole_row(own, first + row), out, i - row * wanted,\n"
    "                      get_item(codes, words, at).word[0]);\n"
    "    }\n"
    "}\n"
    "#endif\n\n",
    "//---- select: range\n"
    "#if CLSORT_NEEDS_PASSES\n\n\n\n"
    "typedef struct {\n"
    "    code_t low, high;\n"
    "    uint low_index, high_index, left, size, decided;\n"
    "} select_range_t;\n\n\n"
    "CLSORT_INLINE uint is_decided(select_t s, select_range_t r)\n"
    "{\n"
    "    if (s.select_mode == CLSORT__SELECT_PARTITION)\n"
    "        return r.size <= 1;\n"
    "    return s.select_mode == CLSORT__SELECT_UNORDERED\n"
    "               ? r.size == r.left\n"
    "               : r.size <= s.list_capacity\n"
    "                     && (s.select_mode == CLSORT__SELECT_NTH\n"
    "                         || s.k - r.left <= s.list_capacity - r.size);\n"
    "}\n\n"
    "CLSORT_INLINE select_range_t whole_range(select_t s)\n"
    "{\n"
    "    select_range_t r = { 0, (code_t)~(code_t)0, 0, 0xFFFFFFFFu, s.k, s.n, 0 };\n"
    "    r.decided = is_decided(s, r);\n"
    "    return r;\n"
    "}\n\n"
    "CLSORT_INLINE uint in_range(select_range_t r, code_t code, uint i)\n"
    "{\n"
    "    return code >= r.low && code <= r.high && i >= r.low_index && i <= r.high_index;\n"
    "}\n\n\n"
    "CLSORT_INLINE uint is_taken(select_t s, select_range_t r, code_t code, uint i)\n"
    "{\n"
    "    if (s.select_mode == CLSORT__SELECT_PARTITION)\n"
    "        return code < r.low || (code == r.low && i < r.low_index);\n"
    "    return s.select_mode == CLSORT__SELECT_NTH ? in_range(r, code, i)\n"
    "                                        : code < r.low || (code <= r.high && i <= r.high_index);\n"
    "}\n\n\n"
    "typedef struct { uint by_index, shift; } select_digit_t;\n\n"
    "CLSORT_INLINE select_digit_t digit_of_pass(select_t s, uint pass)\n"
    "{\n"
    "    const uint code_bits = 8 * CLSORT_KEY_BYTES - s.ignored_high_bits - s.first_bit,\n"
    "               index_bits = 32 - clz(s.n - 1);\n"
    "    const uint code_passes = (code_bits + CLSORT_DIGIT_BITS - 1) / CLSORT_DIGIT_BITS,\n"
    "               by_index = pass >= code_passes;\n"
    "    const uint bits = by_index ? index_bits : code_bits,\n"
    "               end = (pass + 1 - (by_index ? code_passes : 0)) * CLSORT_DIGIT_BITS;\n"
    "    const select_digit_t d = { by_index, bits > end ? bits - end : 0 };\n"
    "    return d;\n"
    "}\n\n"
    "CLSORT_INLINE uint digit_inside(select_range_t r, select_digit_t d, code_t code, uint i)\n"
    "{\n"
    "    return d.by_index ? (i - r.low_index) >> d.shift : (uint)((code_t)(code - r.low) >> d.shift);\n"
    "}\n\n",
    "//---- select: narrowing\n\n\n"
    "#define CLSORT_FOUND 1\n"
    "#define CLSORT_SUMS CLSORT__SELECT_SUMS\n"
    "#define CLSORT_LIST CLSORT__SELECT_LIST(CLSORT_GROUP)\n\n\n"
    "CLSORT_INLINE select_range_t take_digit(select_t s, select_range_t r, select_digit_t d, uint digit,\n"
    "                                        uint before, uint size)\n"
    "{\n"
    "    if (d.by_index) {\n"
    "        r.low_index += digit << d.shift;\n"
    "        r.high_index = r.low_index + ((1u << d.shift) - 1);\n"
    "    } else {\n"
    "        r.low = (code_t)(r.low + (code_t)((code_t)digit << d.shift));\n"
    "        r.high = (code_t)(r.low + (code_t)(((code_t)1 << d.shift) - 1));\n"
    "    }\n"
    "    r.left -= before;\n"
    "    r.size = size;\n"
    "    r.decided = is_decided(s, r);\n"
    "    return r;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE select_range_t narrow_range(select_t s, select_range_t r, uint open, uint pass,\n"
    "                                          local uint *space)\n"
    "{\n"
    "    local const uint *bins = space + CLSORT_LIST + local_id() * (CLSORT_BINS / CLSORT_GROUP);\n"
    "    local uint *found = space + CLSORT_FOUND;\n"
    "    uint sum = 0, total, b = 0;\n"
    "    group_sync();\n"
    "    for (uint i = 0; i < CLSORT_BINS / CLSORT_GROUP; i++)\n"
    "        sum += open ? bins[i] : 0;\n"
    "    uint before = group_scan_total(sum, space + CLSORT_SUMS, &total);\n"
    "    if (open && before < r.left && r.left - before <= sum) {\n"
    "        for (; r.left - before > bins[b]; b++)\n"
    "            before += bins[b];\n"
    "        found[0] = local_id() * (CLSORT_BINS / CLSORT_GROUP) + b;\n"
    "        found[1] = before;\n"
    "        found[2] = bins[b];\n"
    "    }\n"
    "    group_sync();\n"
    "    if (open)\n"
    "        return take_digit(s, r, digit_of_pass(s, pass), found[0], found[1], found[2]);\n"
    "    r.decided *= 2;\n"
    "    return r;\n"
    "}\n\n",
    "//---- select: visits\n\n\n"
    "#define CLSORT_IDLE 0\n"
    "#define CLSORT_COUNT_DIGITS 1\n"
    "#define CLSORT_COLLECT 2\n"
    "#define CLSORT_TALLY 3\n\n"
    "CLSORT_INLINE uint choose_action(select_t s, select_range_t r, uint pass)\n"
    "{\n"
    "    if (s.select_mode >= CLSORT__SELECT_UNORDERED && pass == s.passes)\n"
    "        return CLSORT_TALLY;\n"
    "    return !r.decided                                             ? CLSORT_COUNT_DIGITS\n"
    "           : r.decided == 1 && s.select_mode < CLSORT__SELECT_UNORDERED ? CLSORT_COLLECT\n"
    "                                                                 : CLSORT_IDLE;\n"
    "}\n\n\n\n\n"
    "typedef struct { uint digit, count; } streak_t;\n\n"
    "CLSORT_INLINE void end_streak(local uint *space, streak_t streak)\n"
    "{\n"
    "    if (streak.count)\n"
    "        add_local(&space[CLSORT_LIST + streak.digit], streak.count);\n"
    "}\n\n"
    "CLSORT_INLINE void count_element(uint digit, streak_t *streak, local uint *space)\n"
    "{\n"
    "    if (CLSORT_GROUP_LOG2 == 0) {\n"
    "        space[CLSORT_LIST + digit]++;\n"
    "    } else if (digit == streak->digit) {\n"
    "        streak->count++;\n"
    "    } else {\n"
    "        end_streak(space, *streak);\n"
    "        streak->digit = digit;\n"
    "        streak->count = 1;\n"
    "    }\n"
    "}\n\n"
    "CLSORT_INLINE void visit(select_t s, select_range_t r, uint action, select_digit_t d, code_t code,\n"
    "                         uint i, streak_t *streak, local uint *space)\n"
    "{\n"
    "    if (action == CLSORT_COUNT_DIGITS) {\n"
    "        if (in_range(r, code, i))\n"
    "            count_element(digit_inside(r, d, code, i), streak, space);\n"
    "    } else if (is_taken(s, r, code, i)) {\n"
    "        if (action == CLSORT_TALLY) {\n"
    "            count_element(0, streak, space);\n"
    "            return;\n"
    "        }\n"
    "        const uint place = add_local(&space[0], 1);\n"
    "        if (place < s.list_capacity)\n"
    "            space[CLSORT_LIST + place] = i;\n"
    "    } else if (action == CLSORT_TALLY && in_range(r, code, i)) {\n"
    "        space[CLSORT_LIST + 1] = i + 1;\n"
    "    }\n"
    "}\n\n\n\n"
    "#define CLSORT_VISITS 8\n"
    "CLSORT_INLINE void visit_part(select_t s, select_part_t p, select_range_t r, uint action, uint pass,\n"
    "                              local uint *space)\n"
    "{\n"
    "    const select_digit_t d = digit_of_pass(s, pass);\n"
    "    const size_t end = action == CLSORT_IDLE ? 0 : p.end;\n"
    "    streak_t streak = { 0, 0 };\n"
    "    size_t i = p.first + local_id();\n"
    "    for (uint b = local_id();\n"
    "         b < (action == CLSORT_COLLECT || action == CLSORT_IDLE ? 0 : CLSORT_BINS);\n"
    "         b += CLSORT_GROUP)\n"
    "        space[CLSORT_LIST + b] = 0;\n"
    "    group_sync();\n"
    "    for (; i + (CLSORT_VISITS - 1) * CLSORT_GROUP < end; i += CLSORT_VISITS * CLSORT_GROUP) {\n"
    "        code_t code[CLSORT_VISITS];\n"
    "        #pragma unroll\n"
    "        for (uint b = 0; b < CLSORT_VISITS; b++)\n"
    "            code[b] = select_code(s, p, i + b * CLSORT_GROUP);\n"
    "        #pragma unroll\n"
    "        for (uint b = 0; b < CLSORT_VISITS; b++)\n"
    "            visit(s, r, action, d, code[b], (uint)i + b * CLSORT_GROUP, &streak, space);\n"
    "    }\n"
    "    for (; i < end; i += CLSORT_GROUP)\n"
    "        visit(s, r, action, d, select_code(s, p, i), (uint)i, &streak, space);\n"
    "    end_streak(space, streak);\n"
    "}\n\n",
    "//---- select: sorting\n\n"
    "CLSORT_INLINE void order_pairs(local code_t *codes, local uint *list, uint a, uint b)\n"
    "{\n"
    "    const code_t code_a = codes[a], code_b = codes[b];\n"
    "    const uint i = list[a], j = list[b];\n"
    "    if (code_b < code_a || (code_b == code_a && j < i)) {\n"
    "        codes[a] = code_b;\n"
    "        codes[b] = code_a;\n"
    "        list[a] = j;\n"
    "        list[b] = i;\n"
    "    }\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void sort_list(select_t s, select_part_t p, local uint *space, local code_t *codes)\n"
    "{\n"
    "    local uint *list = space + CLSORT_LIST;\n"
    "    group_sync();\n"
    "    const uint count = min(space[0], s.list_capacity), size = 1u << ceil_log2(count);\n"
    "    for (uint i = local_id(); i < size; i += CLSORT_GROUP) {\n"
    "        codes[i] = i < count ? select_code(s, p, list[i]) : (code_t)~(code_t)0;\n"
    "        list[i] = i < count ? list[i] : 0xFFFFFFFFu;\n"
    "    }\n"
    "    group_sync();\n"
    "    for (uint block = 2; block <= size; block *= 2)\n"
    "        for (uint step = block; step > 1; step /= 2) {\n"
    "            for (uint t = local_id(); t < size / 2; t += CLSORT_GROUP) {\n"
    "                const uint apart = step / 2, low = (t & ~(apart - 1)) * 2 + (t & (apart - 1));\n"
    "                order_pairs(codes, list, low, step == block ? low ^ (block - 1) : low + apart);\n"
    "            }\n"
    "            group_sync();\n"
    "        }\n"
    "}\n\n\n"
    "CLSORT_INLINE void write_list(select_t s, select_part_t p, select_range_t r, output_t out,\n"
    "                              local const uint *list)\n"
    "{\n"
    "    const uint nth = s.select_mode == CLSORT__SELECT_NTH, wanted = nth ? 1 : s.asked;\n"
    "    for (uint i = local_id(); i < (p.row < s.rows ? wanted : 0); i += CLSORT_GROUP) {\n"
    "        const uint there = nth ? s.k == s.asked : i < s.k;\n"
    "        write_element(s, p, out, i, there ? list[nth ? r.left - 1 : i] : 0xFFFFFFFFu);\n"
    "    }\n"
    "}\n\n",
    "//---- select: ranks of a list\n"
    "#if CLSORT_GROUP == 1\n\n\n"
    "#define CLSORT_RANK_MOST 128\n\n\n"
    "CLSORT_INLINE void write_by_ranks(select_t s, select_part_t p, select_range_t r, output_t out,\n"
    "                                  local const uint *list, local code_t *codes, uint count)\n"
    "{\n"
    "    const uint nth = s.select_mode == CLSORT__SELECT_NTH;\n"
    "    for (uint i = 0; i < count; i++)\n"
    "        codes[i] = select_code(s, p, list[i]);\n"
    "    for (uint i = 0; i < count; i++) {\n"
    "        const code_t code = codes[i];\n"
    "        const uint index = list[i];\n"
    "        uint rank = 0;\n"
    "        for (uint j = 0; j < count; j++)\n"
    "            rank += (codes[j] < code) | ((codes[j] == code) & (list[j] < index));\n"
    "        if (nth ? rank == r.left - 1 && s.k == s.asked : rank < s.k)\n"
    "            write_element(s, p, out, nth ? 0 : rank, index);\n"
    "    }\n"
    "    write_marks(s, p, out);\n"
    "}\n"
    "#endif\n\n\n\n"
    "CLSORT_INLINE void write_collected(select_t s, select_part_t p, select_range_t r, output_t out,\n"
    "                                   local uint *space, local code_t *codes)\n"
    "{\n"
    "#if CLSORT_GROUP == 1\n"
    "    const uint count = min(space[0], s.list_capacity);\n"
    "    if (count <= CLSORT_RANK_MOST && p.row < s.rows) {\n"
    "        write_by_ranks(s, p, r, out, space + CLSORT_LIST, codes, count);\n"
    "        return;\n"
    "    }\n"
    "#endif\n"
    "    sort_list(s, p, space, codes);\n"
    "    write_list(s, p, r, out, space + CLSORT_LIST);\n"
    "}\n\n",
    "//---- select: rows\n"
    "#if CLSORT_IS(SELECT)\n\n\n"
    "CLSORT_KERNEL void clsort_select_rows(CLSORT_SELECT_ARGS, CLSORT_OUTPUT_ARGS, local uint *space,\n"
    "                                      local code_t *codes)\n"
    "{\n"
    "    const select_t all = CLSORT_SELECT, s = select_from_row(all, (uint)get_group_id(0));\n"
    "    const output_t out = CLSORT_OUTPUT;\n"
    "    const select_part_t p = find_part(s, 1, s.n);\n"
    "    select_range_t r = whole_range(s);\n"
    "    if (local_id() == 0)\n"
    "        space[0] = 0;\n"
    "    for (uint pass = 0; pass <= s.passes; pass++) {\n"
    "        visit_part(s, p, r, choose_action(s, r, pass), pass, space);\n"
    "        r = narrow_range(s, r, !r.decided, pass, space);\n"
    "    }\n"
    "    write_collected(s, p, r, out, space, codes);\n"
    "}\n"
    "#endif\n\n",
    "//---- select: tables\n\n\n\n\n\n\n"
    "#define CLSORT_TABLE_ARGS \\\n"
    "    global uchar *tables, ulong tables_at, uint row_words, uint most_candidates, uint parts, \\\n"
    "        uint part_elements\n"
    "#define CLSORT_TABLES { (global uint *)(tables + tables_at), row_words, most_candidates }\n"
    "typedef struct {\n"
    "    global uint *words;\n"
    "    uint row_words, most_candidates;\n"
    "} tables_t;\n\n"
    "CLSORT_INLINE global uint *row_counts(tables_t t, select_t s, uint row, uint pass)\n"
    "{\n"
    "    return t.words + ((size_t)(pass % 3) * s.rows + row) * CLSORT_BINS;\n"
    "}\n\n"
    "CLSORT_INLINE global uint *row_words_of(tables_t t, select_t s, uint row)\n"
    "{\n"
    "    return t.words + (size_t)3 * s.rows * CLSORT_BINS + (size_t)row * t.row_words;\n"
    "}\n\n\n"
    "CLSORT_INLINE select_part_t open_part(select_t s, tables_t t, select_part_t p, uint times)\n"
    "{\n"
    "    if (t.most_candidates && p.row < s.rows\n"
    "        && row_words_of(t, s, p.row)[CLSORT__ROW_FAILED] < times) {\n"
    "        p.row = s.rows;\n"
    "        p.end = p.first;\n"
    "    }\n"
    "    return p;\n"
    "}\n\n\n"
    "CLSORT_INLINE void store_range(global uint *row, uint pass, select_range_t r)\n"
    "{\n"
    "    global ulong *words = (global ulong *)(row + pass % 2 * 16);\n"
    "    words[0] = r.low;\n"
    "    words[1] = r.high;\n"
    "    words[2] = r.low_index;\n"
    "    words[3] = r.high_index;\n"
    "    words[4] = r.left;\n"
    "    words[5] = r.size;\n"
    "    words[6] = r.decided;\n"
    "}\n\n"
    "CLSORT_INLINE select_range_t load_range(global const uint *row, uint pass)\n"
    "{\n"
    "    global const ulong *words = (global const ulong *)(row + pass % 2 * 16);\n"
    "    const select_range_t r = { (code_t)words[0], (code_t)words[1], (uint)words[2], (uint)words[3],\n"
    "                               (uint)words[4],   (uint)words[5],   (uint)words[6] };\n"
    "    return r;\n"
    "}\n\n",
    "//---- select: passes\n\n\n"
    "CLSORT_INLINE select_range_t find_range(select_t s, tables_t t, select_part_t p, uint pass,\n"
    "                                        local uint *space)\n"
    "{\n"
    "    const uint later = pass && p.row < s.rows;\n"
    "    select_range_t r = whole_range(s);\n"
    "    if (later)\n"
    "        r = load_range(row_words_of(t, s, p.row), pass - 1);\n"
    "    const uint open = later && !r.decided;\n"
    "    for (uint b = local_id(); b < (open ? CLSORT_BINS : 0); b += CLSORT_GROUP)\n"
    "        space[CLSORT_LIST + b] = row_counts(t, s, p.row, pass - 1)[b];\n"
    "    r = narrow_range(s, r, open, pass - 1, space);\n"
    "    if (!later)\n"
    "        r.decided = is_decided(s, r);\n"
    "    return r;\n"
    "}\n\n\n"
    "CLSORT_INLINE void keep_range(select_t s, tables_t t, select_part_t p, select_range_t r, uint pass)\n"
    "{\n"
    "    if (p.part || p.row >= s.rows)\n"
    "        return;\n"
    "    for (uint b = local_id(); b < CLSORT_BINS; b += CLSORT_GROUP)\n"
    "        row_counts(t, s, p.row, pass + 1)[b] = 0;\n"
    "    if (local_id() == 0) {\n"
    "        store_range(row_words_of(t, s, p.row), pass, r);\n"
    "        if (pass == 0)\n"
    "            row_words_of(t, s, p.row)[CLSORT__ROW_COLLECTED] = 0;\n"
    "    }\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void add_to_tables(select_t s, tables_t t, select_part_t p, uint action, uint pass,\n"
    "                                 local uint *space)\n"
    "{\n"
    "    const uint lid = local_id(),\n"
    "               bins = action == CLSORT_COUNT_DIGITS && p.row < s.rows ? CLSORT_BINS : 0;\n"
    "    global uint *counts = row_counts(t, s, p.row, pass), *row = row_words_of(t, s, p.row);\n"
    "    group_sync();\n"
    "    for (uint b = lid; b < bins; b += CLSORT_GROUP)\n"
    "        if (space[CLSORT_LIST + b])\n"
    "            atomic_add((volatile global uint *)&counts[b], space[CLSORT_LIST + b]);\n"
    "    if (lid == 0 && space[0])\n"
    "        space[CLSORT_FOUND] = atomic_add((volatile global uint *)&row[CLSORT__ROW_COLLECTED],\n"
    "                                         space[0]);\n"
    "    if (lid == 0 && action == CLSORT_TALLY && p.row < s.rows) {\n"
    "        row[CLSORT__ROW_LIST + p.part] = space[CLSORT_LIST];\n"
    "        if (space[CLSORT_LIST + 1])\n"
    "            row[CLSORT__ROW_COLLECTED] = space[CLSORT_LIST + 1] - 1;\n"
    "    }\n"
    "    group_sync();\n"
    "    for (uint i = lid; i < space[0]; i += CLSORT_GROUP)\n"
    "        if (space[CLSORT_FOUND] + i < s.list_capacity)\n"
    "            row[CLSORT__ROW_LIST + space[CLSORT_FOUND] + i] = space[CLSORT_LIST + i];\n"
    "}\n\n\n"
    "CLSORT_INLINE void pass_over(select_t s, tables_t t, select_part_t p, local uint *space, uint pass)\n"
    "{\n"
    "    if (local_id() == 0)\n"
    "        space[0] = 0;\n"
    "    const select_range_t r = find_range(s, t, p, pass, space);\n"
    "    const uint action = choose_action(s, r, pass);\n"
    "    keep_range(s, t, p, r, pass);\n"
    "    visit_part(s, p, r, action, pass, space);\n"
    "    add_to_tables(s, t, p, action, pass, space);\n"
    "}\n\n"
    "#if CLSORT_IS(SELECT)\n\n"
    "CLSORT_KERNEL void clsort_select_pass(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, local uint *space,\n"
    "                                      uint pass)\n"
    "{\n"
    "    const select_t all = CLSORT_SELECT,\n"
    "                   s = select_from_row(all, (uint)get_group_id(0) / parts);\n"
    "    const tables_t t = CLSORT_TABLES;\n"
    "    pass_over(s, t, open_part(s, t, find_part(s, parts, part_elements), 1), space, pass);\n"
    "}\n"
    "#endif\n\n\n"
    "CLSORT_INLINE uint draw_below(uint seed, uint end)\n"
    "{\n"
    "    const uint drawn = seed * 0x9E3779B1u;\n"
    "    return mul_hi((drawn ^ drawn >> 15) * 0x85EBCA6Bu, end);\n"
    "}\n\n"
    "#if CLSORT_GROUP_LOG2 > 0\n",
    "//---- select: samples\n\n\n\n\n"
    "#define CLSORT_SAMPLED 16\n\n"
    "CLSORT_INLINE void put_bound(global uint *row, ranked_t bound)\n"
    "{\n"
    "    global ulong *words = (global ulong *)(row + CLSORT__ROW_BOUND);\n"
    "    words[0] = CLSORT_RANKED_CODE(bound);\n"
    "    words[1] = CLSORT_RANKED_INDEX(bound);\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE uint sampled_place(uint x, uint apart, uint again)\n"
    "{\n"
    "    const uint cluster = x / CLSORT__CLUSTER;\n"
    "    return cluster * apart\n"
    "           + draw_below(2 * cluster + again + 1, apart / CLSORT__CLUSTER) * CLSORT__CLUSTER\n"
    "           + x % CLSORT__CLUSTER;\n"
    "}\n\n\n"
    "CLSORT_INLINE ranked_t first_of_sample(select_t s, select_part_t p, uint clusters, uint again)\n"
    "{\n"
    "    const uint sample = clusters * CLSORT__CLUSTER, apart = s.n / max(clusters, 1u);\n"
    "    code_t first = (code_t)~(code_t)0;\n"
    "    uint at = 0xFFFFFFFFu;\n"
    "    for (uint i = local_id(); i < sample; i += CLSORT_GROUP * CLSORT_SAMPLED) {\n"
    "        code_t code[CLSORT_SAMPLED];\n"
    "        uint place[CLSORT_SAMPLED];\n"
    "        #pragma unroll\n"
    "        for (uint b = 0; b < CLSORT_SAMPLED; b++) {\n"
    "            const uint x = i + b * CLSORT_GROUP;\n"
    "            place[b] = sampled_place(x < sample ? x : i, apart, again);\n"
    "            code[b] = select_code(s, p, place[b]);\n"
    "        }\n"
    "        #pragma unroll\n"
    "        for (uint b = 0; b < CLSORT_SAMPLED; b++)\n"
    "            if (code[b] < first || at == 0xFFFFFFFFu) {\n"
    "                first = code[b];\n"
    "                at = place[b];\n"
    "            }\n"
    "    }\n"
    "    return CLSORT_RANKED(first, at);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void sample_row(select_t s, tables_t t, select_part_t p, uint clusters, uint wanted,\n"
    "                              uint again, local ulong *space)\n"
    "{\n"
    "    const uint exists = p.row < s.rows, lid = local_id();\n"
    "    local ranked_t *firsts = (local ranked_t *)space;\n"
    "    global uint *row = row_words_of(t, s, exists ? p.row : 0);\n"
    "    const ranked_t own = first_of_sample(s, p, exists ? clusters : 0, again);\n"
    "    group_sync();\n"
    "    if (lid == 0 && exists)\n"
    "        row[CLSORT__ROW_CANDIDATES] = 0;\n"
    "    firsts[lid] = own;\n"
    "    group_sync();\n"
    "    if (rank_among(firsts, CLSORT_GROUP, own) == min(wanted, (uint)CLSORT_GROUP) - 1 && exists)\n"
    "        put_bound(row, own);\n"
    "}\n\n\n"
    "CLSORT_INLINE void begin_row(select_t s, tables_t t, uint clusters, uint wanted, local ulong *space)\n"
    "{\n"
    "    const select_part_t p = find_part(s, 1, s.n);\n"
    "    global uint *row = row_words_of(t, s, p.row < s.rows ? p.row : 0);\n"
    "    for (uint b = local_id(); b < (p.row < s.rows ? CLSORT_BINS : 0); b += CLSORT_GROUP)\n"
    "        row_counts(t, s, p.row, 0)[b] = 0;\n"
    "    if (local_id() == 0 && p.row < s.rows) {\n"
    "        row[CLSORT__ROW_FAILED] = row[CLSORT__ROW_ANY_FAILED] = 0;\n"
    "        row[CLSORT__ROW_DRAWN] = row[CLSORT__ROW_DONE] = 0;\n"
    "    }\n"
    "    sample_row(s, t, p, clusters, wanted, 0, space);\n"
    "}\n\n"
    "#if CLSORT_IS(SELECT)\n\n"
    "CLSORT_KERNEL void clsort_select_sample(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, uint clusters,\n"
    "                                        uint wanted, local ulong *space)\n"
    "{\n"
    "    const select_t s = CLSORT_SELECT;\n"
    "    const tables_t t = CLSORT_TABLES;\n"
    "    begin_row(s, t, clusters, wanted, space);\n"
    "}\n"
    "#else\n\n"
    "CLSORT_KERNEL void clsort_select_begin(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, uint clusters,\n"
    "                                       uint wanted, local ulong *space)\n"
    "{\n"
    "    const select_t s = CLSORT_SELECT;\n"
    "    const tables_t t = CLSORT_TABLES;\n"
    "    begin_row(s, t, clusters, wanted, space);\n"
    "}\n"
    "#endif\n\n",
    "//---- select: reading once\n\n"
    "#if CLSORT_KEY_BYTES == 1\n"
    "#define CLSORT_PACK 16\n"
    "#define CLSORT_PACKS 1\n"
    "#elif CLSORT_KEY_BYTES == 2\n"
    "#define CLSORT_PACK 8\n"
    "#define CLSORT_PACKS 2\n"
    "#elif CLSORT_KEY_BYTES == 4\n"
    "#define CLSORT_PACK 4\n"
    "#define CLSORT_PACKS 4\n"
    "#else\n"
    "#define CLSORT_PACK 2\n"
    "#define CLSORT_PACKS 4\n"
    "#endif\n"
    "typedef CLSORT_JOIN(CLSORT_CODE_NAME, CLSORT_PACK) pack_t;\n"
    "typedef union { pack_t pack; code_t key[CLSORT_PACK]; } packed_keys_t;\n\n"
    "#define CLSORT_BATCH (CLSORT_PACK * CLSORT_PACKS)\n\n\n\n"
    "typedef struct {\n"
    "    code_t code;\n"
    "    uint index, most;\n"
    "    local ranked_t *list;\n"
    "    local uint *count;\n"
    "    global uint *row;\n"
    "    global ranked_t *all;\n"
    "} reading_t;\n\n"
    "CLSORT_INLINE global ranked_t *row_candidates(tables_t t, select_t s, uint row)\n"
    "{\n"
    "    return (global ranked_t *)(row_words_of(t, s, s.rows)) + (size_t)row * t.most_candidates;\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE void list_taken(reading_t c, const code_t *code, const uint *index, uint taken)\n"
    "{\n"
    "    const uint size = popcount(taken), place = add_local(c.count, size), end = place + size,\n"
    "               late = end > CLSORT__LISTED ? min(size, end - CLSORT__LISTED) : 0;\n"
    "    uint at = place, late_at = c.most;\n"
    "    if (late && !atomic_or((volatile local uint *)&c.count[2], 0)) {\n"
    "        late_at = atomic_add((volatile global uint *)&c.row[CLSORT__ROW_CANDIDATES], late);\n"
    "        if (late_at >= c.most)\n"
    "            atomic_or((volatile local uint *)&c.count[2], 1);\n"
    "    }\n"
    "    #pragma unroll\n"
    "    for (uint b = 0; b < CLSORT_BATCH; b++)\n"
    "        if (taken >> b & 1) {\n"
    "            if (at < CLSORT__LISTED)\n"
    "                c.list[at++] = CLSORT_RANKED(code[b], index[b]);\n"
    "            else if (late_at < c.most)\n"
    "                c.all[late_at++] = CLSORT_RANKED(code[b], index[b]);\n"
    "        }\n"
    "}\n\n\n"
    "CLSORT_INLINE void list_batch(select_part_t p, reading_t c, const code_t *code, const uint *index)\n"
    "{\n"
    "    uint any = 0, taken = 0;\n"
    "    #pragma unroll\n"
    "    for (uint b = 0; b < CLSORT_BATCH; b++)\n"
    "        any |= code[b] <= c.code;\n"
    "    if (!any)\n"
    "        return;\n"
    "    #pragma unroll\n"
    "    for (uint b = 0; b < CLSORT_BATCH; b++)\n"
    "        taken |= (uint)(index[b] < p.end\n"
    "                        && (code[b] < c.code || (code[b] == c.code && index[b] <= c.index)))\n"
    "                 << b;\n"
    "    if (taken)\n"
    "        list_taken(c, code, index, taken);\n"
    "}\n\n\n"
    "CLSORT_INLINE void read_packs(select_t s, select_part_t p, reading_t c, uint whole)\n"
    "{\n"
    "    global const pack_t *packs = (global const pack_t *)((global const code_t *)p.keys + p.first);\n"
    "    for (uint i = local_id(); i < whole; i += CLSORT_GROUP * CLSORT_PACKS) {\n"
    "        packed_keys_t keys[CLSORT_PACKS];\n"
    "        code_t code[CLSORT_BATCH];\n"
    "        uint index[CLSORT_BATCH];\n"
    "        #pragma unroll\n"
    "        for (uint b = 0; b < CLSORT_PACKS; b++)\n"
    "            keys[b].pack = packs[min(i + b * CLSORT_GROUP, whole - 1)];\n"
    "        #pragma unroll\n"
    "        for (uint b = 0; b < CLSORT_BATCH; b++) {\n"
    "            const uint pack = i + b / CLSORT_PACK * CLSORT_GROUP;\n"
    "            code[b] = code_of(s, keys[b / CLSORT_PACK].key[b % CLSORT_PACK]);\n"
    "            index[b] = pack < whole ? p.first + pack * CLSORT_PACK + b % CLSORT_PACK : p.end;\n"
    "        }\n"
    "        list_batch(p, c, code, index);\n"
    "    }\n"
    "}\n\n\n"
    "CLSORT_INLINE void read_keys(select_t s, select_part_t p, reading_t c, uint first)\n"
    "{\n"
    "    for (uint i = first + local_id(); i < p.end; i += CLSORT_GROUP * CLSORT_BATCH) {\n"
    "        code_t code[CLSORT_BATCH];\n"
    "        uint index[CLSORT_BATCH];\n"
    "        #pragma unroll\n"
    "        for (uint b = 0; b < CLSORT_BATCH; b++) {\n"
    "            index[b] = i + b * CLSORT_GROUP;\n"
    "            code[b] = select_code(s, p, min(index[b], p.end - 1));\n"
    "        }\n"
    "        list_batch(p, c, code, index);\n"
    "    }\n"
    "}\n\n",
    "//---- select: a part read once\n\n"
    "CLSORT_INLINE void read_part(select_t s, tables_t t, select_part_t p, local ulong *space)\n"
    "{\n"
    "    const uint lid = local_id();\n"
    "    const uint exists = p.row < s.rows, own_row = exists ? p.row : 0;\n"
    "    global uint *row = row_words_of(t, s, own_row);\n"
    "    global const ulong *bound = (global const ulong *)(row + CLSORT__ROW_BOUND);\n"
    "    local ranked_t *list = (local ranked_t *)space;\n"
    "    local uint *count = (local uint *)(list + CLSORT__LISTED);\n"
    "    const uint behind = exists && bound[1] < p.first;\n"
    "    const reading_t c = { (code_t)(exists ? bound[0] - behind : 0),\n"
    "                          (uint)(exists && !behind ? bound[1] : 0xFFFFFFFFu),\n"
    "                          t.most_candidates, list, count, row, row_candidates(t, s, own_row) };\n"
    "    if (behind && !bound[0])\n"
    "        p.end = p.first;\n"
    "    if (lid == 0)\n"
    "        count[0] = count[2] = 0;\n"
    "    group_sync();\n"
    "    const uint aligned = ((size_t)((global const code_t *)p.keys + p.first) & 15) == 0,\n"
    "               packed = exists && aligned ? (p.end - p.first) / CLSORT_PACK * CLSORT_PACK : 0;\n"
    "    read_packs(s, p, c, packed / CLSORT_PACK);\n"
    "    read_keys(s, p, c, p.first + packed);\n"
    "    group_sync();\n"
    "    const uint listed = min(count[0], (uint)CLSORT__LISTED);\n"
    "    if (lid == 0 && listed)\n"
    "        count[1] = atomic_add((volatile global uint *)&row[CLSORT__ROW_CANDIDATES], listed);\n"
    "    group_sync();\n"
    "    for (uint i = lid; i < listed; i += CLSORT_GROUP)\n"
    "        if (count[1] + i < c.most)\n"
    "            c.all[count[1] + i] = list[i];\n"
    "}\n\n"
    "#if CLSORT_IS(SELECT)\n"
    "CLSORT_KERNEL void clsort_select_read(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, local ulong *space)\n"
    "{\n"
    "    const select_t s = CLSORT_SELECT;\n"
    "    const tables_t t = CLSORT_TABLES;\n"
    "    read_part(s, t, find_part(s, parts, part_elements), space);\n"
    "}\n"
    "#endif\n\n",
    "//---- select: finding ranks\n\n\n"
    "typedef struct { ranked_t low, high; uint has_low, has_high; } share_t;\n\n\n\n\n\n"
    "CLSORT_INLINE share_t find_share(select_t s, global const ranked_t *all, uint count, uint range,\n"
    "                                 uint ranges, local ranked_t *firsts, local ranked_t *sorted)\n"
    "{\n"
    "    const uint lid = local_id(), deep = count > CLSORT__LISTED;\n"
    "    const uint rows = deep ? max(min(count / (2 * s.k), min(count / CLSORT_GROUP, 16u)), 1u) : 0,\n"
    "               apart = deep ? max(count / (rows * CLSORT_GROUP), 1u) : 0;\n"
    "    ranked_t own = CLSORT_RANKED((code_t)~(code_t)0, 0xFFFFFFFFu - lid);\n"
    "    for (uint j = 0; j < rows; j++) {\n"
    "        const uint column = lid + j * CLSORT_GROUP;\n"
    "        const ranked_t x = all[column * apart + draw_below(column + 1, apart)];\n"
    "        if (CLSORT_RANKED_BEFORE(x, own))\n"
    "            own = x;\n"
    "    }\n"
    "    firsts[lid] = own;\n"
    "    group_sync();\n"
    "    if (deep)\n"
    "        sorted[rank_among(firsts, CLSORT_GROUP, own)] = own;\n"
    "    group_sync();\n"
    "    const float before = (float)s.k * (float)(CLSORT_GROUP * rows) / (float)max(count, 1u);\n"
    "    const uint end = (uint)min(before + 4 * sqrt(before) + 4, (float)CLSORT_GROUP);\n"
    "    const uint low = end * range / ranges, high = end * (range + 1) / ranges;\n"
    "    const share_t share = { sorted[low < CLSORT_GROUP ? low : 0],\n"
    "                            sorted[high < CLSORT_GROUP ? high : 0], range > 0,\n"
    "                            deep && high < CLSORT_GROUP };\n"
    "    return share;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void list_share(global const ranked_t *all, uint count, share_t share,\n"
    "                              local ranked_t *list, local uint *counts)\n"
    "{\n"
    "    uint before = 0;\n"
    "    for (uint i = local_id(); i < count; i += CLSORT_GROUP * CLSORT_VISITS) {\n"
    "        ranked_t x[CLSORT_VISITS];\n"
    "        uint taken = 0;\n"
    "        #pragma unroll\n"
    "        for (uint b = 0; b < CLSORT_VISITS; b++)\n"
    "            x[b] = all[min(i + b * CLSORT_GROUP, count - 1)];\n"
    "        #pragma unroll\n"
    "        for (uint b = 0; b < CLSORT_VISITS; b++) {\n"
    "            const uint is_low = share.has_low && CLSORT_RANKED_BEFORE(x[b], share.low),\n"
    "                       is_high = share.has_high && !CLSORT_RANKED_BEFORE(x[b], share.high),\n"
    "                       exists = i + b * CLSORT_GROUP < count;\n"
    "            before += exists && is_low;\n"
    "            taken |= (uint)(exists && !is_low && !is_high) << b;\n"
    "        }\n"
    "        uint place = taken ? add_local(&counts[1], popcount(taken)) : 0;\n"
    "        #pragma unroll\n"
    "        for (uint b = 0; b < CLSORT_VISITS; b++)\n"
    "            if (taken >> b & 1 && place++ < CLSORT__LISTED)\n"
    "                list[place - 1] = x[b];\n"
    "    }\n"
    "    if (before)\n"
    "        add_local(&counts[0], before);\n"
    "}\n\n\n"
    "CLSORT_INLINE void fail_row(select_t s, tables_t t, global uint *row, uint again)\n"
    "{\n"
    "    atomic_max((volatile global uint *)&row[CLSORT__ROW_FAILED], 1 + again);\n"
    "    atomic_max((volatile global uint *)&row_words_of(t, s, 0)[CLSORT__ROW_ANY_FAILED], 1 + again);\n"
    "}\n\n",
    "//---- select: ranks of candidates\n\n\n"
    "CLSORT_INLINE void rank_share(select_t s, tables_t t, output_t out, uint group_row, uint range,\n"
    "                              uint ranges, uint again, local ulong *space)\n"
    "{\n"
    "    const uint lid = local_id(), exists = group_row < s.rows, own_row = exists ? group_row : 0;\n"
    "    global uint *row = row_words_of(t, s, own_row);\n"
    "    global const ranked_t *all = row_candidates(t, s, own_row);\n"
    "    local ranked_t *list = (local ranked_t *)space, *firsts = list + CLSORT__LISTED;\n"
    "    local uint *counts = (local uint *)(firsts + 2 * CLSORT_GROUP);\n"
    "    const uint found = exists ? row[CLSORT__ROW_CANDIDATES] : 0,\n"
    "               fits = found >= s.k && found <= t.most_candidates,\n"
    "               count = fits && (found > CLSORT__LISTED || !range) ? found : 0;\n"
    "    if (lid < 2)\n"
    "        counts[lid] = 0;\n"
    "    const share_t share = find_share(s, all, count, range, ranges, firsts, firsts + CLSORT_GROUP);\n"
    "    list_share(all, count, share, list, counts);\n"
    "    group_sync();\n"
    "    const uint before = counts[0], listed = counts[1],\n"
    "               wanted = before < s.k && listed <= CLSORT__LISTED ? listed : 0;\n"
    "    const uint last = range == ranges - 1 || found <= CLSORT__LISTED;\n"
    "    if (lid == 0 && exists\n"
    "        && (!fits || (before < s.k && listed > CLSORT__LISTED)\n"
    "            || (count && last && before + listed < s.k)))\n"
    "        fail_row(s, t, row, again);\n"
    "    for (uint i = lid; i < wanted; i += CLSORT_GROUP) {\n"
    "        const uint rank = before + rank_among(list, wanted, list[i]);\n"
    "        write_ranked(s, whole_row(s, own_row), out, rank, CLSORT_RANKED_INDEX(list[i]));\n"
    "    }\n"
    "}\n\n"
    "#if CLSORT_IS(SELECT)\n"
    "CLSORT_KERNEL void clsort_select_rank(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, CLSORT_OUTPUT_ARGS,\n"
    "                                      uint ranges, local ulong *space)\n"
    "{\n"
    "    const select_t s = CLSORT_SELECT;\n"
    "    const output_t out = CLSORT_OUTPUT;\n"
    "    const tables_t t = CLSORT_TABLES;\n"
    "    const uint group = (uint)get_group_id(0);\n"
    "    rank_share(s, t, out, group / ranges, group % ranges, ranges, 0, space);\n"
    "}\n"
    "#endif\n\n"
    "#elif CLSORT_IS(SELECT)\n",
    "//---- select: candidates\n\n\n"
    "typedef struct {\n"
    "    local code_t *codes;\n"
    "    local uint *list;\n"
    "    uint count;\n"
    "} candidates_t;\n\n\n\n"
    "CLSORT_INLINE uint pair_precedes(code_t a, uint i, code_t b, uint j)\n"
    "{\n"
    "    return a < b || (a == b && i < j);\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void keep_first(candidates_t *c, uint k)\n"
    "{\n"
    "    int low = 0, high = (int)c->count - 1, wanted = (int)k - 1;\n"
    "    while (low < high) {\n"
    "        const code_t code = c->codes[(low + high) / 2];\n"
    "        const uint index = c->list[(low + high) / 2];\n"
    "        int i = low, j = high;\n"
    "        while (i <= j) {\n"
    "            while (pair_precedes(c->codes[i], c->list[i], code, index))\n"
    "                i++;\n"
    "            while (pair_precedes(code, index, c->codes[j], c->list[j]))\n"
    "                j--;\n"
    "            if (i <= j) {\n"
    "                const code_t code_i = c->codes[i];\n"
    "                const uint index_i = c->list[i];\n"
    "                c->codes[i] = c->codes[j];\n"
    "                c->list[i++] = c->list[j];\n"
    "                c->codes[j] = code_i;\n"
    "                c->list[j--] = index_i;\n"
    "            }\n"
    "        }\n"
    "        low = wanted >= i ? i : wanted > j ? wanted : low;\n"
    "        high = wanted <= j ? j : wanted < i ? wanted : high;\n"
    "    }\n"
    "    c->count = min(c->count, k);\n"
    "}\n\n\n"
    "#define CLSORT_INSERT_MOST 16\n\n\n\n"
    "CLSORT_INLINE code_t insert_candidate(select_t s, candidates_t *c, code_t code, uint i,\n"
    "                                      code_t bound)\n"
    "{\n"
    "    uint place = c->count < s.k ? c->count++ : s.k - 1;\n"
    "    for (; place > 0 && c->codes[place - 1] > code; place--) {\n"
    "        c->codes[place] = c->codes[place - 1];\n"
    "        c->list[place] = c->list[place - 1];\n"
    "    }\n"
    "    c->codes[place] = code;\n"
    "    c->list[place] = i;\n"
    "    return c->count < s.k ? bound : min(bound, c->codes[s.k - 1]);\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE code_t append_candidate(select_t s, candidates_t *c, code_t code, uint i,\n"
    "                                      code_t bound)\n"
    "{\n"
    "    if (s.k <= CLSORT_INSERT_MOST)\n"
    "        return insert_candidate(s, c, code, i, bound);\n"
    "    c->codes[c->count] = code;\n"
    "    c->list[c->count++] = i;\n"
    "    if (c->count < s.list_capacity)\n"
    "        return bound;\n"
    "    keep_first(c, s.k);\n"
    "    return min(bound, c->codes[s.k - 1]);\n"
    "}\n\n",
    "//---- select: streams\n"
    "#define CLSORT_STREAM_BLOCK 32\n"
    "#define CLSORT_STREAM_SAMPLE 64\n\n\n\n"
    "CLSORT_INLINE code_t sample_rest(select_t s, select_part_t p, uint first)\n"
    "{\n"
    "    const uint apart = (p.end - first) / CLSORT_STREAM_SAMPLE;\n"
    "    const float x = (float)s.k / (float)max(apart, 1u);\n"
    "    const uint wanted = (uint)(x + 4 * sqrt(x) + 4);\n"
    "    code_t lowest[CLSORT_INSERT_MOST];\n"
    "    if (apart < 8 || wanted > CLSORT_INSERT_MOST)\n"
    "        return (code_t)~(code_t)0;\n"
    "    for (uint i = 0; i < CLSORT_STREAM_SAMPLE; i++) {\n"
    "        const code_t code = select_code(s, p, first + i * apart + draw_below(i + 1, apart));\n"
    "        uint place = min(i, wanted);\n"
    "        for (; place > 0 && lowest[place - 1] > code; place--)\n"
    "            if (place < wanted)\n"
    "                lowest[place] = lowest[place - 1];\n"
    "        if (place < wanted)\n"
    "            lowest[place] = code;\n"
    "    }\n"
    "    return lowest[wanted - 1];\n"
    "}\n\n\n\n"
    "CLSORT_INLINE code_t append_block(select_t s, candidates_t *c, const code_t *code, size_t i,\n"
    "                                  code_t bound, uint *appended)\n"
    "{\n"
    "    for (uint b = 0; b < CLSORT_STREAM_BLOCK; b++)\n"
    "        if (code[b] < bound) {\n"
    "            bound = append_candidate(s, c, code[b], (uint)i + b, bound);\n"
    "            ++*appended;\n"
    "        }\n"
    "    return bound;\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE uint stream_elements(select_t s, select_part_t p, candidates_t *c, uint patience)\n"
    "{\n"
    "    const uint open_elements = s.k <= CLSORT_INSERT_MOST ? s.k : s.list_capacity;\n"
    "    const size_t open = min((size_t)p.first + open_elements, (size_t)p.end);\n"
    "    code_t bound = (code_t)~(code_t)0, sampled = bound;\n"
    "    uint appended = 0;\n"
    "    size_t i;\n"
    "    for (i = p.first; i < open; i++)\n"
    "        bound = append_candidate(s, c, select_code(s, p, i), (uint)i, bound);\n"
    "    for (; i + CLSORT_STREAM_BLOCK <= p.end; i += CLSORT_STREAM_BLOCK) {\n"
    "        code_t code[CLSORT_STREAM_BLOCK];\n"
    "        uint below = 0;\n"
    "        for (uint b = 0; b < CLSORT_STREAM_BLOCK; b++) {\n"
    "            code[b] = select_code(s, p, i + b);\n"
    "            below |= code[b] < bound;\n"
    "        }\n"
    "        if (!below)\n"
    "            continue;\n"
    "        bound = append_block(s, c, code, i, bound, &appended);\n"
    "        if (appended < patience)\n"
    "            continue;\n"
    "        patience = 0xFFFFFFFFu;\n"
    "        sampled = sample_rest(s, p, (uint)i);\n"
    "        bound = min(bound, (code_t)max((code_t)(sampled + 1), sampled));\n"
    "    }\n"
    "    for (; i < p.end; i++)\n"
    "        if (select_code(s, p, i) < bound)\n"
    "            bound = append_candidate(s, c, select_code(s, p, i), (uint)i, bound);\n"
    "    if (s.k > CLSORT_INSERT_MOST)\n"
    "        keep_first(c, s.k);\n"
    "    return sampled == (code_t)~(code_t)0 || (c->count >= s.k && c->codes[s.k - 1] <= sampled);\n"
    "}\n\n"
    "CLSORT_INLINE void stream_part(select_t s, select_part_t p, candidates_t *c)\n"
    "{\n\n"
    "    const uint often = s.k * (2 + ceil_log2((p.end - p.first) / max(s.k, 1u) + 1));\n"
    "    for (uint patience = 8 + often, done = 0; !done; patience = 0xFFFFFFFFu) {\n"
    "        c->count = 0;\n"
    "        done = stream_elements(s, p, c, patience);\n"
    "    }\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_select_stream(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, CLSORT_OUTPUT_ARGS,\n"
    "                                        local uint *space, local code_t *codes)\n"
    "{\n"
    "    const select_t all = CLSORT_SELECT,\n"
    "                   s = select_from_row(all, (uint)get_group_id(0) / parts);\n"
    "    const output_t out = CLSORT_OUTPUT;\n"
    "    const tables_t t = CLSORT_TABLES;\n"
    "    const select_part_t p = find_part(s, parts, part_elements);\n"
    "    candidates_t c = { codes, space + CLSORT_LIST, 0 };\n"
    "    stream_part(s, p, &c);\n"
    "    if (parts == 1) {\n"
    "        space[0] = c.count;\n"
    "        write_collected(s, p, whole_range(s), out, space, codes);\n"
    "        return;\n"
    "    }\n"
    "    global uint *row = row_words_of(t, s, p.row);\n"
    "    for (uint i = 0; i < c.count; i++)\n"
    "        row[CLSORT__ROW_LIST + p.part * s.k + i] = c.list[i];\n"
    "    if (p.part == (s.n ? s.n - 1 : 0) / part_elements)\n"
    "        row[CLSORT__ROW_COLLECTED] = p.part * s.k + c.count;\n"
    "}\n"
    "#endif\n\n",
    "//---- select: results\n\n"
    "CLSORT_INLINE void sort_row(select_t s, tables_t t, output_t out, select_part_t p,\n"
    "                            local uint *space, local code_t *codes)\n"
    "{\n"
    "    const uint exists = p.row < s.rows;\n"
    "    global const uint *row = row_words_of(t, s, exists ? p.row : 0);\n"
    "    const select_range_t r = exists && s.passes ? load_range(row, s.passes) : whole_range(s);\n"
    "    const uint count = exists ? min(row[CLSORT__ROW_COLLECTED], s.list_capacity) : 0;\n"
    "    for (uint i = local_id(); i < count; i += CLSORT_GROUP)\n"
    "        space[CLSORT_LIST + i] = row[CLSORT__ROW_LIST + i];\n"
    "    if (local_id() == 0)\n"
    "        space[0] = count;\n"
    "    write_collected(s, p, r, out, space, codes);\n"
    "}\n\n"
    "#if CLSORT_IS(SELECT)\n\n"
    "CLSORT_KERNEL void clsort_select_sort(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, CLSORT_OUTPUT_ARGS,\n"
    "                                      local uint *space, local code_t *codes)\n"
    "{\n"
    "    const select_t all = CLSORT_SELECT, s = select_from_row(all, (uint)get_group_id(0));\n"
    "    const output_t out = CLSORT_OUTPUT;\n"
    "    const tables_t t = CLSORT_TABLES;\n"
    "    sort_row(s, t, out, open_part(s, t, find_part(s, 1, s.n), 1), space, codes);\n"
    "}\n"
    "#endif\n\n"
    "#if CLSORT_IS(LONG_ROWS) && CLSORT_GROUP_LOG2 > 0\n",
    "//---- select: one launch\n\n\n\n\n\n"
    "CLSORT_INLINE void fence_memory(void)\n"
    "{\n"
    "#if CLSORT_FORWARD_PROGRESS\n"
    "    __asm__ volatile(\"fence.acq_rel.gpu;\" : : : \"memory\");\n"
    "#else\n"
    "    mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
    "#endif\n"
    "}\n\n\n"
    "CLSORT_INLINE uint draw_number(global uint *head, local uint *word)\n"
    "{\n"
    "    group_sync();\n"
    "    if (local_id() == 0)\n"
    "        *word = atomic_inc((volatile global uint *)&head[CLSORT__ROW_DRAWN]);\n"
    "    group_sync();\n"
    "    const uint number = *word;\n"
    "    group_sync();\n"
    "    return number;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE void wait_until_done(global uint *head, uint wanted)\n"
    "{\n"
    "    if (local_id() == 0)\n"
    "        while (((volatile global uint *)head)[CLSORT__ROW_DONE] < wanted) {}\n"
    "    group_sync();\n"
    "    fence_memory();\n"
    "}\n\n\n"
    "CLSORT_INLINE void tell_done(global uint *head)\n"
    "{\n"
    "    fence_memory();\n"
    "    group_sync();\n"
    "    if (local_id() == 0)\n"
    "        atomic_inc((volatile global uint *)&head[CLSORT__ROW_DONE]);\n"
    "}\n\n\n\n"
    "#define CLSORT_READS 0\n"
    "#define CLSORT_RANKS 1\n"
    "#define CLSORT_SAMPLES 2\n"
    "#define CLSORT_READS_AGAIN 3\n"
    "#define CLSORT_RANKS_AGAIN 4\n"
    "#define CLSORT_PASSES 5\n"
    "typedef struct { uint step, first, size; } step_t;\n"
    "typedef struct { uint parts, part_elements, ranges, clusters, wanted; } long_t;\n\n"
    "CLSORT_INLINE step_t next_step(select_t s, long_t l, step_t at)\n"
    "{\n"
    "    const uint step = at.step + 1,\n"
    "               of_row = step == CLSORT_SAMPLES || step > CLSORT_PASSES + s.passes ? 1\n"
    "                        : step == CLSORT_RANKS || step == CLSORT_RANKS_AGAIN      ? l.ranges\n"
    "                                                                                  : l.parts;\n"
    "    const step_t next = { step, at.first + at.size, s.rows * of_row };\n"
    "    return next;\n"
    "}\n\n",
    "//---- select: steps of one launch\n\n\n"
    "CLSORT_INLINE uint wait_for_step(global uint *head, step_t at, uint once, uint rows)\n"
    "{\n"
    "    if (at.step >= CLSORT_SAMPLES) {\n"
    "        wait_until_done(head, once);\n"
    "        if (head[CLSORT__ROW_ANY_FAILED] < 1)\n"
    "            return 0;\n"
    "    }\n"
    "    if (at.step >= CLSORT_PASSES) {\n"
    "        wait_until_done(head, 2 * once + rows);\n"
    "        if (head[CLSORT__ROW_ANY_FAILED] < 2)\n"
    "            return 0;\n"
    "    }\n"
    "    wait_until_done(head, at.first);\n"
    "    return 1;\n"
    "}\n\n\n"
    "CLSORT_INLINE void do_step(select_t s, tables_t t, output_t out, long_t l, uint step, uint i,\n"
    "                           local uint *space, local code_t *codes, local ulong *lists)\n"
    "{\n"
    "    const uint rows_step = step == CLSORT_SAMPLES || step > CLSORT_PASSES + s.passes,\n"
    "               ranks = step == CLSORT_RANKS || step == CLSORT_RANKS_AGAIN,\n"
    "               again = step > CLSORT_RANKS;\n"
    "    const select_part_t p = open_part(\n"
    "        s, t, part_number(s, ranks ? i / l.ranges : i, ranks || rows_step ? 1 : l.parts,\n"
    "                          ranks || rows_step ? s.n : l.part_elements),\n"
    "        step >= CLSORT_PASSES ? 2 : again);\n"
    "    if (ranks)\n"
    "        rank_share(s, t, out, p.row, i % l.ranges, l.ranges, again, lists);\n"
    "    else if (step == CLSORT_READS || step == CLSORT_READS_AGAIN)\n"
    "        read_part(s, t, p, lists);\n"
    "    else if (step == CLSORT_SAMPLES)\n"
    "        sample_row(s, t, p, l.clusters, l.wanted, 1, lists);\n"
    "    else if (rows_step)\n"
    "        sort_row(s, t, out, p, space, codes);\n"
    "    else\n"
    "        pass_over(s, t, p, space, step - CLSORT_PASSES);\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_select_long(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, CLSORT_OUTPUT_ARGS,\n"
    "                                      uint ranges, uint clusters, uint wanted, local ulong *memory)\n"
    "{\n"
    "    const select_t s = CLSORT_SELECT;\n"
    "    const output_t out = CLSORT_OUTPUT;\n"
    "    const tables_t t = CLSORT_TABLES;\n"
    "    local code_t *codes = (local code_t *)memory;\n"
    "    local uint *space = (local uint *)(memory + (list_capacity * CLSORT_KEY_BYTES + 7) / 8);\n"
    "    const long_t l = { parts, part_elements, ranges, clusters, wanted };\n"
    "    const uint last = CLSORT_PASSES + passes + 1;\n"
    "    global uint *head = row_words_of(t, s, 0);\n"
    "    step_t at = { CLSORT_READS, 0, rows * parts };\n"
    "    while (rows) {\n"
    "        const uint number = draw_number(head, space);\n"
    "        while (number - at.first >= at.size && at.step <= last)\n"
    "            at = next_step(s, l, at);\n"
    "        if (at.step > last)\n"
    "            break;\n"
    "        if (!wait_for_step(head, at, rows * (parts + ranges), rows))\n"
    "            break;\n"
    "        do_step(s, t, out, l, at.step, number - at.first, space, codes, memory);\n"
    "        tell_done(head);\n"
    "    }\n"
    "}\n"
    "#endif\n\n"
    "#if CLSORT_IS(SELECT)\n",
    "//---- select: scattered results\n\n\n"
    "CLSORT_INLINE uint tallied_before(select_t s, select_part_t p, global const uint *row,\n"
    "                                  local uint *sums)\n"
    "{\n"
    "    uint before = 0;\n"
    "    for (uint q = local_id(); q < (p.row < s.rows ? p.part : 0); q += CLSORT_GROUP)\n"
    "        before += row[CLSORT__ROW_LIST + q];\n"
    "    group_scan_total(before, sums, &before);\n"
    "    return before;\n"
    "}\n\n\n\n"
    "CLSORT_KERNEL void clsort_select_scatter(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS, CLSORT_OUTPUT_ARGS,\n"
    "                                         local uint *sums)\n"
    "{\n"
    "    const select_t all = CLSORT_SELECT,\n"
    "                   s = select_from_row(all, (uint)get_group_id(0) / parts);\n"
    "    const output_t out = CLSORT_OUTPUT;\n"
    "    const tables_t t = CLSORT_TABLES;\n"
    "    const select_part_t p = find_part(s, parts, part_elements);\n"
    "    global const uint *row = row_words_of(t, s, p.row < s.rows ? p.row : 0);\n"
    "    const select_range_t r = p.row < s.rows ? load_range(row, s.passes) : whole_range(s);\n"
    "    uint place = tallied_before(s, p, row, sums), total;\n"
    "    for (size_t chunk = p.first; chunk < p.end; chunk += CLSORT_GROUP * CLSORT_VISITS) {\n"
    "        const size_t first = chunk + local_id() * CLSORT_VISITS,\n"
    "                     end = min(first + CLSORT_VISITS, (size_t)p.end);\n"
    "        uint count = 0;\n"
    "        for (size_t i = first; i < end; i++)\n"
    "            count += is_taken(s, r, select_code(s, p, i), (uint)i);\n"
    "        size_t own_place = place + group_scan_total(count, sums, &total);\n"
    "        for (size_t i = first; i < end; i++)\n"
    "            if (is_taken(s, r, select_code(s, p, i), (uint)i) && own_place < s.k)\n"
    "                write_element(s, p, out, own_place++, (uint)i);\n"
    "        place += total;\n"
    "    }\n"
    "    if (p.row < s.rows && p.part == 0)\n"
    "        write_marks(s, p, out);\n"
    "}\n\n",
    "//---- select: partitions\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_select_partition(CLSORT_SELECT_ARGS, CLSORT_TABLE_ARGS,\n"
    "                                           CLSORT_OUTPUT_ARGS, local uint *sums)\n"
    "{\n"
    "    const select_t all = CLSORT_SELECT,\n"
    "                   s = select_from_row(all, (uint)get_group_id(0) / parts);\n"
    "    const output_t out = CLSORT_OUTPUT;\n"
    "    const tables_t t = CLSORT_TABLES;\n"
    "    const select_part_t p = find_part(s, parts, part_elements);\n"
    "    const uint exists = p.row < s.rows;\n"
    "    global const uint *row = row_words_of(t, s, exists ? p.row : 0);\n"
    "    const select_range_t r = exists ? load_range(row, s.passes) : whole_range(s);\n"
    "    const uint nth = exists ? row[CLSORT__ROW_COLLECTED] : 0;\n"
    "    uint before = tallied_before(s, p, row, sums), total;\n"
    "    for (size_t chunk = p.first; chunk < p.end; chunk += CLSORT_GROUP * CLSORT_VISITS) {\n"
    "        const size_t first = chunk + local_id() * CLSORT_VISITS,\n"
    "                     end = min(first + CLSORT_VISITS, (size_t)p.end);\n"
    "        uint ahead = 0;\n"
    "        for (size_t i = first; i < end; i++)\n"
    "            ahead += is_taken(s, r, select_code(s, p, i), (uint)i);\n"
    "        uint place = before + group_scan_total(ahead, sums, &total);\n"
    "        for (uint i = (uint)first; i < end; i++)\n"
    "            if (is_taken(s, r, select_code(s, p, i), i))\n"
    "                write_element(s, p, out, place++, i);\n"
    "            else\n"
    "                write_element(s, p, out, i == nth ? s.k - 1 : s.k + (i - place) - (nth < i), i);\n"
    "        before += total;\n"
    "    }\n"
    "    for (uint i = s.n + local_id(); i < (exists && p.part == 0 ? all.n : 0); i += CLSORT_GROUP)\n"
    "        write_element(s, p, out, i, 0xFFFFFFFFu);\n"
    "}\n"
    "#endif\n"
    "#endif\n"
    "#endif\n\n",
    "//---- utility\n"
    "#if CLSORT_IS(UTILITY)\n\n\n\n\n"
    "CLSORT_INLINE ulong with_one_nan(ulong bits, uint bytes, ulong nans)\n"
    "{\n"
    "    const ulong positive = ~0UL >> (65 - 8 * bytes), infinity = positive - nans;\n"
    "    return nans && (bits & positive) > infinity ? infinity + 1 : bits;\n"
    "}\n\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_extract(global const uchar *source, ulong source_at, global uchar *keys,\n"
    "                                  ulong keys_at, global uchar *indices, ulong indices_at, uint n,\n"
    "                                  uint bytes, ulong stride, ulong minus_zero, ulong nans,\n"
    "                                  uint copies, uint numbers)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    if (copies) {\n"
    "        const ulong bits = load_bits(source + source_at + i * stride, bytes);\n"
    "        store_bits(keys + keys_at + i * bytes, bytes,\n"
    "                   bits == minus_zero ? 0 : with_one_nan(bits, bytes, nans));\n"
    "    }\n"
    "    if (numbers)\n"
    "        *(global uint *)(indices + indices_at + i * 4) = (uint)i;\n"
    "}\n\n\n\n"
    "CLSORT_INLINE uint field_bytes(ulong field)\n"
    "{\n"
    "    return (uint)(field >> CLSORT__FIELD_BYTES) & 127;\n"
    "}\n\n\n"
    "CLSORT_INLINE ulong load_big_endian(global const uchar *place, uint bytes)\n"
    "{\n"
    "    ulong bits = 0;\n"
    "    for (uint k = 0; k < bytes; k++)\n"
    "        bits = bits << 8 | place[k];\n"
    "    return bits;\n"
    "}\n\n"
    "CLSORT_INLINE ulong field_code(global const uchar *record, ulong field)\n"
    "{\n"
    "    const uint bytes = field_bytes(field);\n"
    "    const ulong width = ~0UL >> (64 - 8 * bytes), sign = width ^ width >> 1,\n"
    "                nans = (1UL << (field >> CLSORT__FIELD_MANTISSA & 63)) - 1;\n"
    "    ulong bits = field >> CLSORT__FIELD_BIG_ENDIAN & 1\n"
    "                     ? load_big_endian(record + (uint)field, bytes)\n"
    "                     : load_bits(record + (uint)field, bytes);\n"
    "    if (field >> CLSORT__FIELD_EQUAL_NANS & 1)\n"
    "        bits = with_one_nan(bits, bytes, nans);\n"
    "    if (field >> CLSORT__FIELD_EQUAL_ZEROS & 1 && bits == sign)\n"
    "        bits = 0;\n"
    "    if (field >> CLSORT__FIELD_FLOAT & 1 && bits & sign)\n"
    "        bits ^= width >> 1;\n"
    "    bits ^= (field >> CLSORT__FIELD_DESCENDING & 1 ? width >> 1 : 0)\n"
    "            ^ (field >> CLSORT__FIELD_SIGN & 1 ? sign : 0);\n"
    "    bits = (bits - nans) & width;\n"
    "    return (bits & width >> (field >> CLSORT__FIELD_IGNORED_HIGH_BITS))\n"
    "           >> (field >> CLSORT__FIELD_FIRST_BIT & 63);\n"
    "}\n\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_extract_codes(global const uchar *records, ulong records_at,\n"
    "                                        global uchar *codes, ulong codes_at, global uchar *indices,\n"
    "                                        ulong indices_at, uint n, uint bytes, uint by_index,\n"
    "                                        uint numbers, ulong stride, ulong8 packed,\n"
    "                                        uint field_count)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    global uint *index = (global uint *)(indices + indices_at);\n"
    "    ulong field[8], code = 0;\n"
    "    vstore8(packed, 0, field);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    const uint from = by_index ? index[i] : (uint)i;\n"
    "    if (from >= n)\n"
    "        return;\n"
    "    for (uint f = 0; f < field_count; f++) {\n"
    "        const uint bits = 8 * field_bytes(field[f]);\n"
    "        code = (bits < 64 ? code << bits : 0)\n"
    "               | field_code(records + records_at + from * stride, field[f]);\n"
    "    }\n"
    "    store_bits(codes + codes_at + i * bytes, bytes, code);\n"
    "    if (!by_index && numbers)\n"
    "        index[i] = from;\n"
    "}\n\n",
    "//---- utility: segments\n\n\n\n"
    "CLSORT_INLINE ulong element_at(segments_t s, segment_t own, uint i, ulong bytes, ulong apart)\n"
    "{\n"
    "    return apart && own.size ? own.begin / s.stride * apart + (i - own.begin) * bytes : i * bytes;\n"
    "}\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_number_segments(global const uchar *work, ulong work_at,\n"
    "                                          global uchar *target, ulong target_at,\n"
    "                                          CLSORT_SEGMENT_ARGS, uint n, uint relative,\n"
    "                                          ulong apart)\n"
    "{\n"
    "    const segments_t s = CLSORT_SEGMENTS;\n"
    "    const uint i = (uint)get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    const segment_t own = segment_around(s, i);\n"
    "    const uint inside = own.size > 0;\n"
    "    global uint *place = (global uint *)(target + target_at + element_at(s, own, i, 4, apart));\n"
    "    if (relative && inside)\n"
    "        *place = ((global const uint *)(work + work_at))[i] - own.begin;\n"
    "    else if (!relative)\n"
    "        *place = inside ? i : 0xFFFFFFFFu;\n"
    "}\n\n",
    "//---- utility: gather\n\n"
    "CLSORT_INLINE ulong divide(ulong a, ulong b)\n"
    "{\n"
    "    return (a | b) >> 32 ? a / b : (uint)a / (uint)b;\n"
    "}\n\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_gather(global const uchar *source, ulong source_at,\n"
    "                                 global uchar *target, ulong target_at,\n"
    "                                 global const uchar *indices, ulong indices_at,\n"
    "                                 ulong n, uint count, uint source_count, ulong source_stride,\n"
    "                                 ulong target_stride, ulong index_stride, uint bytes, ulong units,\n"
    "                                 global const uchar *starts, ulong starts_at, uint has_starts)\n"
    "{\n"
    "    const ulong id = get_global_id(0), element = units == 1 ? id : divide(id, units);\n"
    "    if (element >= n)\n"
    "        return;\n"
    "    const ulong row = n > count ? divide(element, count) : 0;\n"
    "    const ulong i = element - row * count, unit = id - element * units;\n"
    "    const uint from = *(global const uint *)(indices + indices_at + row * index_stride + i * 4);\n"
    "    if (from >= source_count)\n"
    "        return;\n"
    "    const ulong first = has_starts ? ((global const uint *)(starts + starts_at))[row] : 0;\n"
    "    source += source_at + row * source_stride + ((first + from) * units + unit) * bytes;\n"
    "    target += target_at + row * target_stride + (i * units + unit) * bytes;\n"
    "    store_bits(target, bytes, load_bits(source, bytes));\n"
    "}\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_copy_rows(global const uchar *keys, ulong keys_at,\n"
    "                                    global uchar *keys_to, ulong keys_to_at,\n"
    "                                    global const uchar *indices, ulong indices_at,\n"
    "                                    global uchar *indices_to, ulong indices_to_at, uint n,\n"
    "                                    uint count, uint piece, uint bytes, ulong keys_stride,\n"
    "                                    ulong keys_to_stride, ulong indices_stride,\n"
    "                                    ulong indices_to_stride, uint has_keys, uint has_indices)\n"
    "{\n"
    "    const uint id = (uint)get_global_id(0), pieces = (count - 1) / piece + 1;\n"
    "    if (id >= n)\n"
    "        return;\n"
    "    const uint row = id / pieces, first = (id - row * pieces) * piece,\n"
    "               end = min(first + piece, count);\n"
    "    keys += keys_at + row * keys_stride;\n"
    "    keys_to += keys_to_at + row * keys_to_stride;\n"
    "    indices += indices_at + row * indices_stride;\n"
    "    indices_to += indices_to_at + row * indices_to_stride;\n"
    "    for (uint i = first; i < (has_indices ? end : 0); i++)\n"
    "        ((global uint *)indices_to)[i] = ((global const uint *)indices)[i];\n"
    "    for (uint i = first; i < (has_keys && bytes == 4 ? end : 0); i++)\n"
    "        ((global uint *)keys_to)[i] = ((global const uint *)keys)[i];\n"
    "    for (uint i = first; i < (has_keys && bytes != 4 ? end : 0); i++)\n"
    "        store_bits(keys_to + (ulong)i * bytes, bytes, load_bits(keys + (ulong)i * bytes, bytes));\n"
    "}\n\n",
    "//---- utility: groups\n\n"
    "CLSORT_INLINE uint keys_below(global const uchar *keys, uint bytes, uint first, uint n, ulong group)\n"
    "{\n"
    "    uint low = first, high = n;\n"
    "    while (low < high) {\n"
    "        const uint middle = low + ((high - low) >> 1);\n"
    "        if (load_bits(keys + (ulong)middle * bytes, bytes) < group)\n"
    "            low = middle + 1;\n"
    "        else\n"
    "            high = middle;\n"
    "    }\n"
    "    return low;\n"
    "}\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_group_starts(global const uchar *keys, ulong keys_at,\n"
    "                                       global uchar *starts, ulong starts_at,\n"
    "                                       global uchar *counts, ulong counts_at,\n"
    "                                       global const uchar *most, ulong most_at, uint n,\n"
    "                                       uint groups, uint bytes, uint has_most, uint writes_starts,\n"
    "                                       uint writes_counts)\n"
    "{\n"
    "    const size_t group = get_global_id(0);\n"
    "    if (group > groups)\n"
    "        return;\n"
    "    const uint size = has_most ? min(n, *(global const uint *)(most + most_at)) : n,\n"
    "               first = keys_below(keys + keys_at, bytes, 0, size, group);\n"
    "    if (writes_starts)\n"
    "        ((global uint *)(starts + starts_at))[group] = first;\n"
    "    if (writes_counts && group < groups)\n"
    "        ((global uint *)(counts + counts_at))[group]\n"
    "            = keys_below(keys + keys_at, bytes, first, size, group + 1) - first;\n"
    "}\n\n",
    "//---- utility: checks\n\n"
    "CLSORT_INLINE ulong field_piece(ulong field, uint first)\n"
    "{\n"
    "    const ulong bytes = min(field_bytes(field) - first, 8u);\n"
    "    return (field & ~(127UL << CLSORT__FIELD_BYTES)) + first | bytes << CLSORT__FIELD_BYTES;\n"
    "}\n\n\n"
    "enum { COMES_FIRST, COMES_EQUAL, COMES_LAST };\n"
    "CLSORT_INLINE uint compare_fields(global const uchar *x, global const uchar *y, ulong8 packed,\n"
    "                                  uint field_count)\n"
    "{\n"
    "    ulong field[8];\n"
    "    uint order = COMES_EQUAL;\n"
    "    vstore8(packed, 0, field);\n"
    "    for (uint f = 0; f < field_count && order == COMES_EQUAL; f++)\n"
    "        for (uint k = 0; k < field_bytes(field[f]) && order == COMES_EQUAL; k += 8) {\n"
    "            const ulong piece = field_piece(field[f], k), code_x = field_code(x, piece),\n"
    "                        code_y = field_code(y, piece);\n"
    "            order = code_x < code_y ? COMES_FIRST : code_x > code_y ? COMES_LAST : COMES_EQUAL;\n"
    "        }\n"
    "    return order;\n"
    "}\n\n\n\n\n"
    "CLSORT_INLINE uint ordered_element(segments_t s, segment_t own, global const uchar *indices,\n"
    "                                   uint by_index, ulong apart, uint i)\n"
    "{\n"
    "    return own.begin\n"
    "           + ordered_place(indices + (by_index ? element_at(s, own, own.begin, 4, apart) : 0),\n"
    "                           by_index, i - own.begin, own.size);\n"
    "}\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_is_sorted(global const uchar *records, ulong records_at,\n"
    "                                    global const uchar *indices, ulong indices_at,\n"
    "                                    global uchar *result, ulong result_at, CLSORT_SEGMENT_ARGS,\n"
    "                                    uint n, uint by_index, uint strict, ulong element, ulong apart,\n"
    "                                    ulong indices_apart, ulong8 packed, uint field_count)\n"
    "{\n"
    "    const segments_t s = CLSORT_SEGMENTS;\n"
    "    const uint i = (uint)get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    for (ulong k = i; k < s.segments; k += n)\n"
    "        if (segment_descends(s, (uint)k))\n"
    "            atomic_min((volatile global uint *)(result + result_at), 0);\n"
    "    const segment_t own = segment_around(s, i);\n"
    "    if (own.size < 2 || i - own.begin >= own.size - 1)\n"
    "        return;\n"
    "    const uint x = ordered_element(s, own, indices + indices_at, by_index, indices_apart, i),\n"
    "               y = ordered_element(s, own, indices + indices_at, by_index, indices_apart, i + 1);\n"
    "    const uint order = compare_fields(records + records_at + element_at(s, own, x, element, apart),\n"
    "                                      records + records_at + element_at(s, own, y, element, apart),\n"
    "                                      packed, field_count);\n"
    "    if (order == COMES_LAST || (order == COMES_EQUAL && strict && y <= x))\n"
    "        atomic_min((volatile global uint *)(result + result_at), i + 1);\n"
    "}\n\n",
    "//---- utility: fingerprints\n\n\n"
    "CLSORT_INLINE ulong mix(ulong x)\n"
    "{\n"
    "    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9UL;\n"
    "    x = (x ^ x >> 27) * 0x94D049BB133111EBUL;\n"
    "    return x ^ x >> 31;\n"
    "}\n\n\n"
    "CLSORT_INLINE ulong mix_bytes(ulong hash, global const uchar *data, ulong bytes)\n"
    "{\n"
    "    for (ulong b = 0; b < bytes; b++)\n"
    "        hash = mix(hash + data[b]);\n"
    "    return hash;\n"
    "}\n\n\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_fingerprint(global const uchar *elements, ulong elements_at,\n"
    "                                      global const uchar *values, ulong values_at,\n"
    "                                      global const uchar *indices, ulong indices_at,\n"
    "                                      global uchar *sums, ulong sums_at, CLSORT_SEGMENT_ARGS,\n"
    "                                      uint n, uint by_index, ulong bytes, ulong value_bytes,\n"
    "                                      ulong apart, ulong values_apart, ulong indices_apart,\n"
    "                                      uint step)\n"
    "{\n"
    "    const segments_t s = CLSORT_SEGMENTS;\n"
    "    uint own_sums[4] = { 0, 0, 0, 0 };\n"
    "    for (ulong at = get_global_id(0); at < n; at += step) {\n"
    "        const uint i = (uint)at;\n"
    "        const segment_t own = segment_around(s, i);\n"
    "        if (own.size == 0)\n"
    "            continue;\n"
    "        const uint from = ordered_element(s, own, indices + indices_at, by_index, indices_apart, i);\n"
    "        const ulong element = elements_at + element_at(s, own, from, bytes, apart),\n"
    "                    value = values_at + element_at(s, own, i, value_bytes, values_apart);\n"
    "        const ulong start = 0x9E3779B97F4A7C15UL + mix(own.begin),\n"
    "                    hash = mix_bytes(start, elements + element, bytes),\n"
    "                    pair = mix_bytes(hash, values + value, value_bytes);\n"
    "        own_sums[0] += (uint)hash;\n"
    "        own_sums[1] += (uint)(hash >> 32);\n"
    "        own_sums[2] += (uint)pair;\n"
    "        own_sums[3] += (uint)(pair >> 32);\n"
    "    }\n"
    "    for (uint k = 0; k < 4; k++)\n"
    "        atomic_add((volatile global uint *)(sums + sums_at) + k, own_sums[k]);\n"
    "}\n\n\n\n\n\n"
    "CLSORT_KERNEL void clsort_fingerprint_indices(global const uchar *indices, ulong indices_at,\n"
    "                                              global uchar *sums, ulong sums_at,\n"
    "                                              CLSORT_SEGMENT_ARGS, uint n, ulong apart, uint step)\n"
    "{\n"
    "    const segments_t s = CLSORT_SEGMENTS;\n"
    "    uint difference[2] = { 0, 0 };\n"
    "    for (ulong i = get_global_id(0); i < n; i += step) {\n"
    "        const segment_t own = segment_around(s, (uint)i);\n"
    "        if (own.size == 0)\n"
    "            continue;\n"
    "        const uint index = *(global const uint *)(indices + indices_at\n"
    "                                                  + element_at(s, own, (uint)i, 4, apart));\n"
    "        const ulong is = mix(index + 1UL + own.begin), should = mix(i + 1);\n"
    "        difference[0] += (uint)is - (uint)should;\n"
    "        difference[1] += (uint)(is >> 32) - (uint)(should >> 32);\n"
    "    }\n"
    "    volatile global uint *sum = (volatile global uint *)(sums + sums_at);\n"
    "    for (uint k = 0; k < 2; k++)\n"
    "        atomic_add(&sum[k], difference[k]);\n"
    "}\n"
    "#endif\n",
};
/* <<<< end of the generated block */

/* ---- >>types --------------------------------------------------------------------------------- */

/* The bit of a family in a set of families: public numbers are below 8, private ones from 32 to
   55. */
#define CLSORT__BIT(family) (1u << ((family) < 32 ? (family) : (family) - 24))

/* The families that are not compiled in. */
enum {
    CLSORT__LEFT_OUT = 0
#ifdef CLSORT_NO_BITONIC
        | 1 << CLSORT_BITONIC
#endif
#ifdef CLSORT_NO_MERGE
        | 1 << CLSORT_MERGE
#endif
#ifdef CLSORT_NO_RADIX
        | 1 << CLSORT_RADIX
#endif
#ifdef CLSORT_NO_QUICKSORT
        | 1 << CLSORT_QUICKSORT
#endif
#ifdef CLSORT_NO_PUBLISHED
        | CLSORT__BIT(CLSORT__FAMILY_PUBLISHED_BITONIC)
        | CLSORT__BIT(CLSORT__FAMILY_PUBLISHED_MERGE)
        | CLSORT__BIT(CLSORT__FAMILY_BATCH)
#endif
};
#define CLSORT__HAS_PUBLISHED (!(CLSORT__LEFT_OUT & CLSORT__BIT(CLSORT__FAMILY_BATCH)))

/* All families of kernels: name, name in messages, and the function that returns the most local
   memory, in bytes, that a launch of their kernels asks for. Selections count theirs apart. */
#define CLSORT__FAMILY_LIST(X) \
    X(BITONIC, "bitonic", clsort__tile_local) \
    X(PUBLISHED_BITONIC, "published bitonic", clsort__tile_local) \
    X(BATCH, "batch", clsort__tile_local) \
    X(MERGE, "merge", clsort__merge_local) \
    X(PUBLISHED_MERGE, "merge-local-only", clsort__tile_local) \
    X(SEGMENTS, "segments", clsort__segment_local) \
    X(PIECES, "radix of segments", clsort__no_local) \
    X(RADIX, "radix", clsort__radix_need) \
    X(SWEEP, "radix sweep", clsort__radix_need) \
    X(HYBRID, "hybrid radix", clsort__hybrid_need) \
    X(SAMPLES, "radix of samples", clsort__samples_need) \
    X(CACHED, "radix in cache", clsort__no_local) \
    X(RUNS, "merge of runs", clsort__runs_local) \
    X(PARTITION, "partition", clsort__partition_local) \
    X(QUICKSORT, "quicksort", clsort__quick_local) \
    X(RELAUNCH, "quicksort-device", clsort__quick_local) \
    X(SELECT, "top-k", clsort__no_local) \
    X(SHORT_ROWS, "top-k of short rows", clsort__no_local) \
    X(ROW_TILES, "top-k by sorted rows", clsort__row_tile_local) \
    X(LONG_ROWS, "top-k of long rows", clsort__no_local) \
    X(UTILITY, "utility", clsort__no_local)

#define CLSORT__ENUMERATOR(name, text, local) CLSORT__##name = CLSORT__FAMILY_##name,
enum { CLSORT__FAMILY_LIST(CLSORT__ENUMERATOR) CLSORT__NO_FAMILY = 0 };
#undef CLSORT__ENUMERATOR

#define CLSORT__HAS_BIT(name, text, local) \
    &&(CLSORT__##name < 8 || (CLSORT__##name >= 32 && CLSORT__##name < 56))
typedef char clsort__each_family_has_a_bit[1 CLSORT__FAMILY_LIST(CLSORT__HAS_BIT) ? 1 : -1];
#undef CLSORT__HAS_BIT

/* Public numbers that kernels know by another name. */
#define CLSORT__SAME(a, b) ((int)(a) == (b))
typedef char clsort__kernels_know_public_numbers
    [CLSORT__SAME(CLSORT_BITONIC, CLSORT__FAMILY_BITONIC)
             && CLSORT__SAME(CLSORT_MERGE, CLSORT__FAMILY_MERGE)
             && CLSORT__SAME(CLSORT_RADIX, CLSORT__FAMILY_RADIX)
             && CLSORT__SAME(CLSORT_QUICKSORT, CLSORT__FAMILY_QUICKSORT)
             && CLSORT__SAME(CLSORT_PIVOT_MEDIAN3, CLSORT__PIVOT_MEDIAN3)
             && CLSORT__SAME(CLSORT_PIVOT_MIDRANGE, CLSORT__PIVOT_MIDRANGE)
             && CLSORT__SAME(CLSORT_PIVOT_SAMPLE, CLSORT__PIVOT_SAMPLE)
             && CLSORT__SAME(CLSORT_SCAN_LOCAL, CLSORT__SCAN_LOCAL)
             && CLSORT__SAME(CLSORT_SCAN_BUILTIN, CLSORT__SCAN_BUILTIN)
             && CLSORT__SAME(CLSORT_SCAN_BLELLOCH, CLSORT__SCAN_BLELLOCH)
             && CLSORT__SAME(CLSORT_MAX_RUNS, CLSORT__MOST_RUNS)
         ? 1
         : -1];

#define CLSORT__KERNEL_LIST(X) \
    X(B2, CLSORT__PUBLISHED_BITONIC, "clsort_bitonic_b2") \
    X(B4, CLSORT__PUBLISHED_BITONIC, "clsort_bitonic_b4") \
    X(B8, CLSORT__PUBLISHED_BITONIC, "clsort_bitonic_b8") \
    X(B16, CLSORT__BITONIC, "clsort_bitonic_b16") \
    X(TILE, CLSORT__BITONIC, "clsort_bitonic_tile") \
    X(TAIL, CLSORT__BITONIC, "clsort_bitonic_tail") \
    X(A, CLSORT__PUBLISHED_BITONIC, "clsort_bitonic_a") \
    X(GLOBAL_TILE, CLSORT__PUBLISHED_BITONIC, "clsort_bitonic_global_tile") \
    X(BATCH_ODD_EVEN, CLSORT__BATCH, "clsort_batch_odd_even") \
    X(BATCH_BITONIC, CLSORT__BATCH, "clsort_batch_bitonic") \
    X(BATCH_LOCAL, CLSORT__BATCH, "clsort_batch_local") \
    X(BATCH_SPLIT, CLSORT__BATCH, "clsort_batch_split") \
    X(MERGE_TILE, CLSORT__MERGE, "clsort_merge_tile") \
    X(MERGE_SPLIT, CLSORT__MERGE, "clsort_merge_split") \
    X(MERGE_CLAMP, CLSORT__MERGE, "clsort_merge_clamp") \
    X(MERGE_ORDERED, CLSORT__MERGE, "clsort_merge_ordered") \
    X(MERGE_PASS, CLSORT__MERGE, "clsort_merge_pass") \
    X(MERGE_LOCAL, CLSORT__PUBLISHED_MERGE, "clsort_merge_local") \
    X(RUNS_SAMPLE, CLSORT__RUNS, "clsort_runs_sample") \
    X(RUNS_SPLIT, CLSORT__RUNS, "clsort_runs_split") \
    X(RUNS_PASS, CLSORT__RUNS, "clsort_runs_pass") \
    X(PARTITION_COUNT, CLSORT__PARTITION, "clsort_partition_count") \
    X(PARTITION_SCAN, CLSORT__PARTITION, "clsort_partition_scan") \
    X(PARTITION_SCATTER, CLSORT__PARTITION, "clsort_partition_scatter") \
    X(SEGMENT_JOBS, CLSORT__SEGMENTS, "clsort_segment_jobs") \
    X(SEGMENT_PACK, CLSORT__SEGMENTS, "clsort_segment_pack") \
    X(SEGMENT_TILE, CLSORT__SEGMENTS, "clsort_segment_tile") \
    X(SEGMENT_PASS, CLSORT__SEGMENTS, "clsort_segment_pass") \
    X(RADIX_PIECES, CLSORT__PIECES, "clsort_radix_pieces") \
    X(RADIX_COUNT, CLSORT__RADIX, "clsort_radix_count") \
    X(RADIX_SCAN, CLSORT__RADIX, "clsort_radix_scan") \
    X(RADIX_SCATTER, CLSORT__RADIX, "clsort_radix_scatter") \
    X(RADIX_SMALL, CLSORT__RADIX, "clsort_radix_small") \
    X(RADIX_CLEAR, CLSORT__SWEEP, "clsort_radix_clear") \
    X(RADIX_HISTOGRAM, CLSORT__SWEEP, "clsort_radix_histogram") \
    X(RADIX_BEGIN, CLSORT__SWEEP, "clsort_radix_begin") \
    X(RADIX_SWEEP, CLSORT__SWEEP, "clsort_radix_sweep") \
    X(RADIX_MEASURE, CLSORT__SWEEP, "clsort_radix_measure") \
    X(RADIX_RUNS, CLSORT__SWEEP, "clsort_radix_runs") \
    X(RADIX_MEND, CLSORT__SWEEP, "clsort_radix_mend") \
    X(HYBRID_SAMPLE, CLSORT__HYBRID, "clsort_hybrid_sample") \
    X(HYBRID_CELLS, CLSORT__HYBRID, "clsort_hybrid_cells") \
    X(HYBRID_COUNT, CLSORT__HYBRID, "clsort_hybrid_count") \
    X(HYBRID_RANGES, CLSORT__HYBRID, "clsort_hybrid_ranges") \
    X(HYBRID_SPLIT, CLSORT__HYBRID, "clsort_hybrid_split") \
    X(HYBRID_RECOUNT, CLSORT__HYBRID, "clsort_hybrid_recount") \
    X(HYBRID_STARTS, CLSORT__HYBRID, "clsort_hybrid_starts") \
    X(HYBRID_RESPLIT, CLSORT__HYBRID, "clsort_hybrid_resplit") \
    X(HYBRID_BUCKETS, CLSORT__HYBRID, "clsort_hybrid_buckets") \
    X(HYBRID_LONG, CLSORT__HYBRID, "clsort_hybrid_long") \
    X(SAMPLES_TILE, CLSORT__SAMPLES, "clsort_samples_tile") \
    X(SAMPLES_BORDERS, CLSORT__SAMPLES, "clsort_samples_borders") \
    X(SAMPLES_BUCKET, CLSORT__SAMPLES, "clsort_samples_bucket") \
    X(CACHED_SAMPLE, CLSORT__CACHED, "clsort_cached_sample") \
    X(CACHED_COUNT, CLSORT__CACHED, "clsort_cached_count") \
    X(CACHED_RANGES, CLSORT__CACHED, "clsort_cached_ranges") \
    X(CACHED_SPLIT, CLSORT__CACHED, "clsort_cached_split") \
    X(CACHED_BUCKETS, CLSORT__CACHED, "clsort_cached_buckets") \
    X(CACHED_SMALL, CLSORT__CACHED, "clsort_cached_small") \
    X(QUICK_BEGIN, CLSORT__QUICKSORT, "clsort_quick_begin") \
    X(QUICK_COUNT, CLSORT__QUICKSORT, "clsort_quick_count") \
    X(QUICK_PLAN, CLSORT__QUICKSORT, "clsort_quick_plan") \
    X(QUICK_SCATTER, CLSORT__QUICKSORT, "clsort_quick_scatter") \
    X(QUICK_LEAF, CLSORT__QUICKSORT, "clsort_quick_leaf") \
    X(QUICK_RELAUNCHER, CLSORT__RELAUNCH, "clsort_quick_relauncher") \
    X(SELECT_SHORT, CLSORT__SHORT_ROWS, "clsort_select_short") \
    X(SELECT_TILE, CLSORT__ROW_TILES, "clsort_select_tile") \
    X(SELECT_ROWS, CLSORT__SELECT, "clsort_select_rows") \
    X(SELECT_STREAM, CLSORT__SELECT, "clsort_select_stream") \
    X(SELECT_SAMPLE, CLSORT__SELECT, "clsort_select_sample") \
    X(SELECT_READ, CLSORT__SELECT, "clsort_select_read") \
    X(SELECT_RANK, CLSORT__SELECT, "clsort_select_rank") \
    X(SELECT_BEGIN, CLSORT__LONG_ROWS, "clsort_select_begin") \
    X(SELECT_LONG, CLSORT__LONG_ROWS, "clsort_select_long") \
    X(SELECT_PASS, CLSORT__SELECT, "clsort_select_pass") \
    X(SELECT_SORT, CLSORT__SELECT, "clsort_select_sort") \
    X(SELECT_SCATTER, CLSORT__SELECT, "clsort_select_scatter") \
    X(SELECT_PARTITION, CLSORT__SELECT, "clsort_select_partition") \
    X(EXTRACT, CLSORT__UTILITY, "clsort_extract") \
    X(EXTRACT_CODES, CLSORT__UTILITY, "clsort_extract_codes") \
    X(NUMBER_SEGMENTS, CLSORT__UTILITY, "clsort_number_segments") \
    X(GATHER, CLSORT__UTILITY, "clsort_gather") \
    X(COPY_ROWS, CLSORT__UTILITY, "clsort_copy_rows") \
    X(GROUP_STARTS, CLSORT__UTILITY, "clsort_group_starts") \
    X(IS_SORTED, CLSORT__UTILITY, "clsort_is_sorted") \
    X(FINGERPRINT, CLSORT__UTILITY, "clsort_fingerprint") \
    X(FINGERPRINT_INDICES, CLSORT__UTILITY, "clsort_fingerprint_indices")

#define CLSORT__ENUMERATOR(name, family, text) CLSORT__KERNEL_##name,
enum { CLSORT__KERNEL_LIST(CLSORT__ENUMERATOR) CLSORT__KERNEL_COUNT };
#undef CLSORT__ENUMERATOR

/* The build options of a program; see the tuning section of kernels.cl. */
typedef struct clsort__config {
    cl_uint family;             /* CLSORT__FAMILY_* */
    cl_uint key_bytes, value_bytes;     /* value_bytes: of values, indices or records */
    cl_uint records;            /* elements are records */
    cl_uint ties;               /* equal keys are ordered by their indices */
    cl_uint group_log2;         /* work-items of a work-group */
    cl_uint share_log2;         /* work-items that share a tile; 0: each has its own */
    cl_uint items_log2;         /* elements of a work-item */
    cl_uint lanes;              /* 16: elements lie in vector registers; else 1 */
    cl_uint comparator;         /* number of the sorter's comparator, from 1; 0: none */
    cl_uint indirect;           /* with a comparator: values are numbers of records */
    cl_uint two_arrays;         /* a merge of two inputs */
    cl_uint digit_bits;         /* radix */
    cl_uint radix_items;        /* radix: elements of a work-item */
    cl_uint team;               /* radix: the most work-items that rank elements together */
    cl_uint wide;               /* sweep: 64-bit words, for 2^30 elements and more */
    cl_uint ranges;             /* segments: long ranges that other kernels left */
    cl_uint language;           /* quicksort on the device: OpenCL C 2 or 3; 0: 1.2 */
    cl_uint scan;               /* quicksort: CLSORT_SCAN_*; 0: no work-group shares a tile */
} clsort__config;

/* A built program and its kernels. Its shape may be smaller than the one asked for, if the limits
   of its kernels demand that. */
typedef struct clsort__program {
    clsort__config asked, config;
    int unsaved;                /* the user's cache does not have it yet */
    cl_program program;
    cl_kernel kernels[CLSORT__KERNEL_COUNT];
} clsort__program;

/* A hash of 128 bits. */
typedef struct clsort__hash { cl_ulong word[2]; } clsort__hash;

/* The layout of scratch memory: parts one after another, in as few buffers as the device can
   allocate. Offsets of parts count through all buffers. */
enum { CLSORT__MOST_PARTS = 10 };
typedef struct clsort__layout {
    size_t most;                /* bytes that one buffer can have */
    size_t bytes;               /* of all parts */
    size_t start[CLSORT__MOST_PARTS];   /* of each buffer */
    cl_uint buffers;
    int too_large;              /* a part exceeds a buffer, or the sum a size_t */
} clsort__layout;

/* The sorter's scratch buffers for one queue. With queue NULL, clsort_prepare made them ahead for
   the next queue that needs some. */
typedef struct clsort__slot {
    cl_command_queue queue;
    cl_mem buffers[CLSORT__MOST_PARTS];
    size_t sizes[CLSORT__MOST_PARTS];
    cl_event last;   /* out-of-order queues: completes when the buffers are free again */
} clsort__slot;

/* The texts of a comparator, in one allocation of the sorter's; a program is compiled from them. */
typedef struct clsort__comparator {
    char *record_type, *precedes;
    size_t record_size;
} clsort__comparator;

/* A sort that checks itself: its proof, which can be read when the event is complete. */
typedef struct clsort__pending {
    cl_mem proof;
    cl_event event;
} clsort__pending;

struct clsort_sorter {
    cl_context context;
    cl_device_id device;
    clsort_options options;
    clsort__hash device_hash;   /* with a cache: of the device, its driver and its platform */
    int quiet;                  /* failures are not reported: there is a remedy */
    int is_cpu;
    int shares_memory;          /* a CPU that can work in memory of the host's */
    int has_vectors;            /* a CPU whose compiler uses vector registers */
    int has_rows;               /* one whose work-items may well hold vectors of AVX-512: only a
                                   reason to choose kernels, which do without these, too */
    int has_progress;           /* NVIDIA: work-groups that have started all make progress */
    int has_warps;              /* NVIDIA: PTX is there, and warps of CLSORT__WARP work-items */
    int releases_late;          /* programs must outlive their launches; see clsort__mark_queue */
    cl_uint enqueues;           /* the version of OpenCL C, 2 or 3, in which kernels can enqueue
                                   kernels and call work-group functions; 0: they cannot */
    size_t max_group;
    cl_uint compute_units;
    cl_ulong local_bytes, max_allocation;
    clsort__program *programs;
    size_t program_count;
    clsort__comparator *comparators;
    size_t comparator_count;
    clsort__slot *slots;
    size_t slot_count;
    clsort__pending *pending;
    size_t pending_count;
    clsort_status verdict;      /* the worst on judged sorts, until clsort_collect returns it */
    cl_event *marks;            /* releases_late: complete when the work on queues that were trimmed
                                   away is done */
    size_t mark_count;
    cl_uint broken;             /* CLSORT__BIT of families that failed the self-test */
    cl_event *waits;            /* room for the caller's wait list and one event more */
    size_t wait_room;
    struct clsort__range *ranges;   /* room for the arrays of a gather */
    size_t range_room;
    cl_command_queue own_queue; /* for host arrays and clsort_prepare */
#ifdef CLSORT_MULTI
    cl_command_queue more_queues[2];    /* for host arrays of any size */
#endif
    cl_command_queue device_queue;  /* the default queue on the device, for quicksort */
    cl_mem dummy;               /* replaces every buffer while kernels are warmed */
    char *build_log;
    const char *function;       /* the public function that runs */
    char message[640];          /* the last error */
};

typedef struct clsort__span { cl_mem buffer; size_t offset; } clsort__span;

/* The scratch memory of a run: its buffers, and the offset that is added to that of each part. */
typedef struct clsort__scratch {
    const clsort__layout *layout;
    clsort__span spans[CLSORT__MOST_PARTS];
    size_t shift;
} clsort__scratch;

/* Keys, and the values or records that travel with them. */
typedef struct clsort__arrays { clsort__span keys, values; } clsort__arrays;

/* The numbers of codec_t in kernels.cl; minus_zero: the bits of -0 if it equals +0, else 0; nans:
   how many NaNs a sign has if all are equal, else 0. */
typedef struct clsort__codec { cl_ulong mask, flip, rotate, minus_zero, nans; } clsort__codec;

/* A key inside a record, packed for kernels: its offset, type and order; see field_code in
   kernels.cl. */
typedef cl_ulong clsort__field;
enum { CLSORT__MAX_PIECES = CLSORT_MAX_FIELDS * (CLSORT_MAX_FIELD_BYTES / 8 + 1) };

/* How a selection (top_k) works on each row. */
typedef struct clsort__selection {
    cl_uint mode;               /* CLSORT__SELECT_* */
    cl_uint ignored_high_bits;  /* of each code */
    cl_uint list_capacity, most_capacity;   /* elements that a work-group sorts at the end */
    cl_uint passes;             /* over each row, before that */
    size_t rows, wanted;        /* wanted: elements written per row */
    size_t parts, part_elements;    /* of a row */
    size_t row_words;           /* of a row's table; enough for any smaller count */
    int streams;                /* a work-item reads each part once */
    int samples;                /* a sample bounds the row, which is read once */
    int in_one_launch;          /* samples: everything after the sample */
    cl_uint clusters, bounding; /* samples: of a row; which of the work-items' firsts it is */
    size_t most_candidates;     /* of a row that may be read once; 0: it never is */
    int scatters;               /* passes narrow each row to the very end; then all of it is read
                                   once more */
    int extracts;               /* keys are taken out of records, or NaNs made equal, first */
    int moves_keys;             /* keys are moved by their indices afterwards */
    int is_short;               /* a work-group has a row in registers */
    int sorts_tiles;            /* whole rows are sorted, tile by tile */
    size_t groups;              /* is_short, sorts_tiles: work-groups */
    size_t tile_rows;           /* sorts_tiles: rows of a tile */
    int spread;                 /* rows are cut into parts, with tables in global memory */
    int sorts_after;            /* k exceeds the list: the k of all rows are written in the row's
                                   order, then sorted */
    int sorts_whole;            /* whole rows are sorted, then the first of each copied */
    size_t order_scratch;       /* offset of the scratch of either sort */
    size_t local;               /* bytes of local memory, at most */
} clsort__selection;

/* The key, and how it becomes a code: an unsigned number that has the key's order. */
typedef struct clsort__key {
    clsort__field fields[CLSORT__MAX_PIECES];   /* the key, or all fields of a key of several, those
                                                   of bytes in pieces of up to 8 */
    cl_uint field_count;
    clsort__codec codec;        /* of a key that kernels encode as they load it */
    int has_codes;              /* codes are made first: of several fields, or of some bits of the
                                   keys of segments */
    size_t bytes;               /* of a sorted key or code */
} clsort__key;

/* The arrays of a call. One that is sorted in place is its own output. */
typedef struct clsort__data {
    clsort__span keys, keys_to, values, values_to, indices;
    clsort__span offsets, ends; /* of segments; ends lie one word behind without gaps */
    clsort__span lengths;       /* of rows */
    clsort__span count;         /* on the device */
    int in_place, values_in_place, writes_keys, has_values, has_indices;
    size_t element_bytes;       /* from one key to the next in `keys` */
    size_t extent;              /* elements from the first to the last */
    size_t segments;            /* or rows; 0: neither */
    size_t stride;              /* elements between the starts of rows */
    size_t wanted;              /* elements written per row */
    size_t keys_apart, values_apart, indices_apart;     /* bytes from a row of an output to the
                                   next */
    int own_strides;            /* these are not like those of the keys */
    int at_offsets, in_ranges;  /* segments lie between offsets, or in ranges that kernels left */
    int has_gaps;               /* segments at offsets have ends of their own */
    int count_on_device, has_lengths;
} clsort__data;

/* The build options of other programs that a plan needs; family 0: not needed. */
typedef struct clsort__helpers {
    clsort__config published;   /* bitonic: variants that only reproduce publications */
    clsort__config tiles;       /* merge on CPUs: the vector kernel that sorts tiles */
    clsort__config passes;      /* radix from the top: the passes for what it would sort slowly */
    clsort__config leftovers;   /* quicksort: the merge of what its rounds leave */
    clsort__config pieces;      /* segments: the kernel whose work-items sort a piece each */
} clsort__helpers;

/* The parts of scratch memory, as offsets in its layout. */
typedef struct clsort__parts {
    clsort__layout layout;
    size_t work_keys, work_indices;     /* (key, index) pairs */
    size_t copied_keys, copied_values;  /* of arrays that are gathered in place */
    size_t extracted;                   /* keys of records that are selected from */
    size_t alt_keys, alt_values;        /* the second array of a sort that is not in place */
    size_t tables;
} clsort__parts;

/* All that is derived from a description before anything is enqueued. */
typedef struct clsort__plan {
    clsort_desc d;              /* with AUTO's choice */
    const struct clsort__algorithm *algorithm;
    int none_left;              /* AUTO found no algorithm */
    int stable;
    int indirect;               /* (key, index) pairs are sorted, then the rest is gathered */
    int sorts_into_output;      /* indirect: the pairs' keys are sorted where the keys end up */
    clsort__key key;
    clsort__data data;
    clsort__config config;      /* of the sort's own kernels */
    clsort__helpers helpers;
    clsort__parts scratch;
    clsort__selection select;   /* top_k */
} clsort__plan;

/* The memory of one sort: elements go from `from` to `to` by way of `alt`; kernels keep tables. */
typedef struct clsort__workspace {
    clsort__arrays from, to, alt;
    clsort__span tables;
    clsort__config shape;       /* that the kernels were built with */
    int in_place;               /* radix, quicksort: `from` is `to` */
} clsort__workspace;

/* One pass: merges pairs of runs from a and b into `to`. `splits` say which elements each
   work-group merges. */
typedef struct clsort__merge_pass {
    clsort__arrays a, b, to;
    size_t n;                   /* elements in all */
    size_t run;                 /* those of a run; with two inputs, of a */
    size_t span;                /* those of a pair of runs, less 1; with two inputs, all bits */
    clsort__span splits;
    int stored;                 /* kernels of their own find the splits, not each work-group */
} clsort__merge_pass;

typedef struct clsort__run clsort__run;
typedef struct clsort__job clsort__job;

/* Abilities that a description may need and that not every algorithm has. */
enum {
    CLSORT__CAN_BITS = 1,
    CLSORT__CAN_CODES = 2,
    CLSORT__CAN_PRECEDES = 4,
    CLSORT__CAN_SEGMENTS = 8
};

/* Does a sort need a second array, in scratch? Never, always, or for kernel A. */
enum { CLSORT__ALT_NEVER, CLSORT__ALT_ALWAYS, CLSORT__ALT_BY_A };

/* A public algorithm, or a form of one: what replaces it for rows, say. Its functions get a NULL
   sorter when only sizes are asked for. */
typedef struct clsort__algorithm {
    cl_uint number;             /* CLSORT_*; of forms, the family of their kernels */
    cl_uint base;               /* of forms, the public algorithm that they belong to */
    const char *name;           /* for messages */
    cl_uint left_out;           /* nonzero: its kernels are not compiled in */
    cl_uint parts;              /* bits of the algorithms that it is made of */
    cl_uint can;                /* CLSORT__CAN_* */
    int stable;                 /* equal keys keep their order */
    int needs_alt;              /* CLSORT__ALT_* */
    /* Sets the plan's config and helpers. */
    void (*plan)(const clsort_sorter *s, clsort__plan *p);
    /* The bytes of its kernels' tables; NULL: none. */
    size_t (*tables)(const clsort_sorter *s, const clsort__plan *p);
    /* Enqueues a sort from w->from to w->to. */
    void (*run)(clsort__run *run, const clsort__plan *p, const clsort__workspace *w);
} clsort__algorithm;

/* One buffer range of a call, for the checks. */
typedef struct clsort__range {
    const char *role;
    cl_mem buffer;
    size_t offset, bytes;
    int reads, writes;
} clsort__range;

/* The purpose of a checked description: only to read keys, to select from rows, to sort. */
enum { CLSORT__TO_READ, CLSORT__TO_SELECT, CLSORT__TO_SORT };

/* The modes of a run. COUNT only counts commands; WARM launches every kernel with its geometry, but
   without elements. */
enum { CLSORT__COUNT, CLSORT__WARM, CLSORT__RUN };

/* The counts of clsort_explain. */
typedef struct clsort__tally {
    cl_uint launches[CLSORT__KERNEL_COUNT];
    cl_uint passes;             /* commands that write elements */
    cl_ulong bytes;             /* of elements, read and written */
} clsort__tally;

/* A set of launches that a driver may compile apart: program, kernel and kind of size. */
enum { CLSORT__MOST_KINDS = 256 };
typedef struct clsort__kinds {
    cl_uint kind[CLSORT__MOST_KINDS];
    size_t count;
} clsort__kinds;

/* The commands of one call. Errors stick: after the first one, nothing more is enqueued. */
struct clsort__run {
    clsort_sorter *s;
    cl_command_queue queue;
    int mode, in_order;         /* in_order: the queue is */
    cl_uint n_wait;
    const cl_event *wait;
    cl_event *done;
    cl_uint issued, total;      /* commands enqueued, and counted before */
    cl_event previous;          /* of the last command; the next one waits for it on an
                                   out-of-order queue */
    clsort__tally *tally;       /* NULL: none */
    clsort__kinds *kinds;       /* of what is counted, where all programs are built; NULL: none */
    int number;                 /* of the kernel, in CLSORT__KERNEL_LIST */
    cl_kernel kernel;
    cl_uint program;            /* its program's place among the sorter's */
    cl_uint argument, group_log2;   /* of the kernel; argument: the next one's number */
    clsort_status status;       /* the first error */
};

/* ---- >>status -------------------------------------------------------------------------------- */

static const struct clsort__code { cl_int code; const char *name; } clsort__codes[] = {
    { 0, "CL_SUCCESS" }, { -1, "CL_DEVICE_NOT_FOUND" }, { -2, "CL_DEVICE_NOT_AVAILABLE" },
    { -3, "CL_COMPILER_NOT_AVAILABLE" }, { -4, "CL_MEM_OBJECT_ALLOCATION_FAILURE" },
    { -5, "CL_OUT_OF_RESOURCES" }, { -6, "CL_OUT_OF_HOST_MEMORY" },
    { -7, "CL_PROFILING_INFO_NOT_AVAILABLE" }, { -8, "CL_MEM_COPY_OVERLAP" },
    { -11, "CL_BUILD_PROGRAM_FAILURE" }, { -13, "CL_MISALIGNED_SUB_BUFFER_OFFSET" },
    { -14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST" }, { -30, "CL_INVALID_VALUE" },
    { -32, "CL_INVALID_PLATFORM" }, { -33, "CL_INVALID_DEVICE" }, { -34, "CL_INVALID_CONTEXT" },
    { -36, "CL_INVALID_COMMAND_QUEUE" }, { -38, "CL_INVALID_MEM_OBJECT" },
    { -42, "CL_INVALID_BINARY" }, { -43, "CL_INVALID_BUILD_OPTIONS" },
    { -44, "CL_INVALID_PROGRAM" }, { -46, "CL_INVALID_KERNEL_NAME" }, { -48, "CL_INVALID_KERNEL" },
    { -49, "CL_INVALID_ARG_INDEX" }, { -50, "CL_INVALID_ARG_VALUE" },
    { -51, "CL_INVALID_ARG_SIZE" }, { -52, "CL_INVALID_KERNEL_ARGS" },
    { -54, "CL_INVALID_WORK_GROUP_SIZE" }, { -55, "CL_INVALID_WORK_ITEM_SIZE" },
    { -57, "CL_INVALID_EVENT_WAIT_LIST" }, { -58, "CL_INVALID_EVENT" },
    { -59, "CL_INVALID_OPERATION" }, { -61, "CL_INVALID_BUFFER_SIZE" },
    { -63, "CL_INVALID_GLOBAL_WORK_SIZE" }, { -1001, "CL_PLATFORM_NOT_FOUND_KHR" }
};

static const char *clsort__opencl_name(cl_int code)
{
    size_t i;
    for (i = 0; i < sizeof clsort__codes / sizeof clsort__codes[0]; i++)
        if (clsort__codes[i].code == code) return clsort__codes[i].name;
    return "an OpenCL error";
}

/* Keeps a failure as the sorter's last error, reports it to the callback and returns its status. */
static clsort_status clsort__fail(clsort_sorter *s, clsort_status status, const char *function,
                                  const char *detail)
{
    const int number = status;
    if (s->quiet) return status;
    snprintf(s->message, sizeof s->message, "%s: %s%s%s (%d)", function, detail ? detail : "",
             detail ? ": " : "", clsort_status_text(status), number);
    if (s->options.diagnostic) s->options.diagnostic(s->options.user, status, function, s->message);
    return status;
}

/* The same for a failure of the public function that runs. Format it as for printf. */
static clsort_status clsort__reject(clsort_sorter *s, clsort_status status, const char *format, ...)
{
    char detail[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    return clsort__fail(s, status, s->function, detail);
}

/* Returns an OpenCL function's code, after keeping it as the last error if it is one. */
static clsort_status clsort__note(clsort_sorter *s, cl_int code, const char *function)
{
    return code == CL_SUCCESS ? CL_SUCCESS : clsort__fail(s, code, function, NULL);
}

/* CLSORT__MUST returns from the current function if a call fails. CLSORT__REQUIRE rejects the call,
   with a message as for printf, if a condition does not hold. */
#define CLSORT__MUST(call) \
    do { \
        const clsort_status clsort__result = (call); \
        if (clsort__result != CL_SUCCESS) return clsort__result; \
    } while (0)
#define CLSORT__REQUIRE(s, condition, status, ...) \
    do { \
        if (!(condition)) return clsort__reject(s, status, __VA_ARGS__); \
    } while (0)

/* Calls an OpenCL function that returns its code: CLSORT__TRY(s, clFinish, (queue)). */
#define CLSORT__TRY(s, function, arguments) \
    clsort__note(s, CLSORT_CL(function) arguments, #function)

/* Queries an object, or the sorter's device, for a value of fixed size. */
#define CLSORT__ASK(s, function, object, what, answer) \
    clsort__note(s, CLSORT_CL(function)(object, what, sizeof(answer), &(answer), NULL), #function)
#define CLSORT__FACT(s, what, answer) CLSORT__ASK(s, clGetDeviceInfo, (s)->device, what, answer)

/* ---- >>arithmetic ---------------------------------------------------------------------------- */

static cl_uint clsort__log2(size_t x)
{
    cl_uint log = 0;
    while (x >>= 1) log++;
    return log;
}

/* log2 of the smallest power of two that is not below n. */
static cl_uint clsort__ceil_log2(size_t n) { return n > 1 ? clsort__log2(n - 1) + 1 : 0; }

static size_t clsort__ceil_divide(size_t n, size_t size) { return n / size + (n % size != 0); }

static size_t clsort__round_up(size_t bytes) { return (bytes + 15) & ~(size_t)15; }

static size_t clsort__smaller(size_t a, size_t b) { return a < b ? a : b; }

static size_t clsort__largest(size_t a, size_t b, size_t c)
{
    const size_t most = a > b ? a : b;
    return most > c ? most : c;
}

static size_t clsort__saturating_add(size_t a, size_t b) { return b > ~a ? ~(size_t)0 : a + b; }

static size_t clsort__saturating_multiply(size_t a, size_t b)
{
    return b && a > ~(size_t)0 / b ? ~(size_t)0 : a * b;
}

static int clsort__power_of_two(cl_uint x, cl_uint least, cl_uint most)
{
    return x >= least && x <= most && !(x & (x - 1));
}

/* Does a number need more than 32 bits? Where a size_t has 32, compilers warn of a plain
   comparison. */
static int clsort__exceeds_32_bits(cl_ulong x) { return x >> 32 != 0; }

/* Largest power of two up to 8 that divides a size. */
static size_t clsort__alignment(size_t size)
{
    return size & 1 ? 1 : size & 2 ? 2 : size & 4 ? 4 : 8;
}

/* ---- >>memory -------------------------------------------------------------------------------- */

/* Grows an array to hold `count` elements and keeps its contents. `array` points to its pointer. */
static clsort_status clsort__grow(clsort_sorter *s, void *array, size_t count, size_t size)
{
    void *old, *grown;
    memcpy(&old, array, sizeof old);
    grown = old ? CLSORT_REALLOC(old, count * size) : CLSORT_MALLOC(count * size);
    if (!grown) return clsort__fail(s, CL_OUT_OF_HOST_MEMORY, "malloc", NULL);
    memcpy(array, &grown, sizeof grown);
    return CL_SUCCESS;
}

static void clsort__free(void *p)
{
    if (p) CLSORT_FREE(p);
}

static clsort__span clsort__make_span(cl_mem buffer, size_t offset)
{
    clsort__span s;
    s.buffer = buffer;
    s.offset = offset;
    return s;
}

static clsort__span clsort__span_from(clsort__span span, size_t offset)
{
    return clsort__make_span(span.buffer, span.offset + offset);
}

static int clsort__same_span(clsort__span a, clsort__span b)
{
    return a.buffer == b.buffer && a.offset == b.offset;
}

static void clsort__release_slot(clsort__slot *slot)
{
    int i;
    if (slot->last) CLSORT_CL(clReleaseEvent)(slot->last);
    for (i = 0; i < CLSORT__MOST_PARTS; i++)
        if (slot->buffers[i]) CLSORT_CL(clReleaseMemObject)(slot->buffers[i]);
    if (slot->queue) CLSORT_CL(clReleaseCommandQueue)(slot->queue);
    memset(slot, 0, sizeof *slot);
}

/* Finds the slot of a queue, or one that no queue owns yet, or makes one. queue may be NULL. */
static clsort_status clsort__find_slot(clsort_sorter *s, cl_command_queue queue,
                                       clsort__slot **found)
{
    size_t i, spare = s->slot_count;
    for (i = 0; i < s->slot_count; i++) {
        *found = &s->slots[i];
        if (s->slots[i].queue == queue) return CL_SUCCESS;
        if (!s->slots[i].queue) spare = i;
    }
    if (spare == s->slot_count) {
        CLSORT__MUST(clsort__grow(s, &s->slots, s->slot_count + 1, sizeof *s->slots));
        memset(&s->slots[s->slot_count++], 0, sizeof *s->slots);
    }
    *found = &s->slots[spare];
    if (!queue) return CL_SUCCESS;
    CLSORT__MUST(CLSORT__TRY(s, clRetainCommandQueue, (queue)));
    (*found)->queue = queue;
    return CL_SUCCESS;
}

/* NVIDIA's driver (580.159) reads a program's memory until its launches are done, although OpenCL
   lets a program be released before. Of 96 processes that released one while a user event held its
   launch back, 31 died of a corrupted heap; neither clFlush nor another order of releases helped.
   So a sorter on such a device keeps a slot for each queue that it was used with, a mark (an event)
   for each such queue that is trimmed away, and its programs until all marks are complete. If no
   mark can be made, it waits for the queue. */
static void clsort__mark_queue(clsort_sorter *s, cl_command_queue queue)
{
    cl_event mark = NULL;
    clsort_status status = clsort__grow(s, &s->marks, s->mark_count + 1, sizeof *s->marks);
    if (status == CL_SUCCESS)
        status = CLSORT__TRY(s, clEnqueueMarkerWithWaitList, (queue, 0, NULL, &mark));
    if (status == CL_SUCCESS) {
        s->marks[s->mark_count++] = mark;
        CLSORT_CL(clFlush)(queue);
    } else {
        CLSORT_CL(clFinish)(queue);
    }
}

/* Is all work that a mark stands for done? */
static int clsort__mark_complete(cl_event mark)
{
    cl_int state = CL_QUEUED;
    const cl_int code = CLSORT_CL(clGetEventInfo)(mark, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                  sizeof state, &state, NULL);
    return code == CL_SUCCESS && state <= CL_COMPLETE;
}

/* Drops marks whose work is done. */
static void clsort__drop_marks(clsort_sorter *s)
{
    size_t i, kept = 0;
    for (i = 0; i < s->mark_count; i++) {
        if (clsort__mark_complete(s->marks[i])) CLSORT_CL(clReleaseEvent)(s->marks[i]);
        else s->marks[kept++] = s->marks[i];
    }
    s->mark_count = kept;
}

/* Bytes of buffer i of a layout. */
static size_t clsort__buffer_bytes(const clsort__layout *l, cl_uint i)
{
    return (i + 1 < l->buffers ? l->start[i + 1] : l->bytes) - l->start[i];
}

/* Creates a buffer, with a copy of `data` unless that is NULL. */
static clsort_status clsort__create_buffer(clsort_sorter *s, size_t bytes, void *data,
                                           cl_mem_flags flags, const char *detail, cl_mem *buffer)
{
    cl_int code;
    const cl_mem created = CLSORT_CL(clCreateBuffer)(s->context, flags, bytes, data, &code);
    if (code != CL_SUCCESS) return clsort__fail(s, code, "clCreateBuffer", detail);
    *buffer = created;
    return CL_SUCCESS;
}

/* Makes a slot's buffers at least as large as a layout needs. OpenCL keeps old buffers alive while
   queued commands use them. */
static clsort_status clsort__grow_slot(clsort_sorter *s, clsort__slot *slot,
                                       const clsort__layout *l)
{
    cl_uint i;
    for (i = 0; i < l->buffers; i++) {
        const size_t bytes = clsort__buffer_bytes(l, i);
        cl_mem buffer = NULL;
        if (slot->sizes[i] >= bytes) continue;
        CLSORT__MUST(clsort__create_buffer(s, bytes, NULL, CL_MEM_READ_WRITE, "scratch", &buffer));
        if (slot->buffers[i]) CLSORT_CL(clReleaseMemObject)(slot->buffers[i]);
        slot->buffers[i] = buffer;
        slot->sizes[i] = bytes;
    }
    return CL_SUCCESS;
}

/* ---- >>device -------------------------------------------------------------------------------- */

/* The most bytes that are believed of a driver: of a build log, and of a context's list of
   devices. */
enum { CLSORT__MOST_LOG = 1 << 20, CLSORT__MOST_DEVICES = 1 << 16 };

/* The first GPU of any platform, else the first device. */
static clsort_status clsort__default_device(clsort_sorter *s, cl_platform_id *platform,
                                            cl_device_id *device)
{
    static const cl_device_type types[2] = { CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ALL };
    cl_platform_id platforms[64];
    cl_uint count = 0, i, t;
    CLSORT__MUST(CLSORT__TRY(s, clGetPlatformIDs, (64, platforms, &count)));
    for (t = 0; t < 2; t++)
        for (i = 0; i < count && i < 64; i++) {
            *platform = platforms[i];
            if (CLSORT_CL(clGetDeviceIDs)(*platform, types[t], 1, device, NULL) == CL_SUCCESS)
                return CL_SUCCESS;
        }
    return clsort__reject(s, CLSORT_ERROR_DEVICE_UNUSABLE, "no OpenCL device found");
}

static clsort_status clsort__keep_device(clsort_sorter *s, cl_device_id device)
{
    CLSORT__MUST(CLSORT__TRY(s, clRetainDevice, (device)));
    s->device = device;
    return CL_SUCCESS;
}

static clsort_status clsort__own_context(clsort_sorter *s)
{
    cl_context_properties properties[3] = { CL_CONTEXT_PLATFORM, 0, 0 };
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    cl_int code;
    CLSORT__MUST(clsort__default_device(s, &platform, &device));
    properties[1] = (cl_context_properties)platform;
    s->context = CLSORT_CL(clCreateContext)(properties, 1, &device, NULL, NULL, &code);
    CLSORT__MUST(clsort__note(s, code, "clCreateContext"));
    return clsort__keep_device(s, device);
}

/* Fails if the device is not one of the context's. `list` has room for `bytes` bytes of devices. */
static clsort_status clsort__check_context(clsort_sorter *s, cl_context context,
                                           cl_device_id device, cl_device_id *list, size_t bytes)
{
    size_t i;
    int found = 0;
    CLSORT__MUST(
        CLSORT__TRY(s, clGetContextInfo, (context, CL_CONTEXT_DEVICES, bytes, list, NULL)));
    for (i = 0; i < bytes / sizeof device; i++) found |= list[i] == device;
    CLSORT__REQUIRE(s, found, CLSORT_ERROR_DEVICE_UNUSABLE,
                    "the device is not one of the context's");
    return CL_SUCCESS;
}

/* Retains the caller's context and device, after checking that they belong together. */
static clsort_status clsort__adopt_context(clsort_sorter *s, cl_context context,
                                           cl_device_id device)
{
    size_t bytes = 0;
    cl_device_id *list = NULL;
    clsort_status status;
    CLSORT__MUST(CLSORT__TRY(s, clGetContextInfo, (context, CL_CONTEXT_DEVICES, 0, NULL, &bytes)));
    if (bytes > CLSORT__MOST_DEVICES)
        return clsort__fail(s, CL_OUT_OF_HOST_MEMORY, "clGetContextInfo", "CL_CONTEXT_DEVICES");
    CLSORT__MUST(clsort__grow(s, &list, bytes + 1, 1));
    status = clsort__check_context(s, context, device, list, bytes);
    clsort__free(list);
    CLSORT__MUST(status);
    CLSORT__MUST(CLSORT__TRY(s, clRetainContext, (context)));
    s->context = context;
    return clsort__keep_device(s, device);
}

/* Do work-groups that have started run to their end, whatever others wait for? NVIDIA's GPUs since
   compute capability 7.0 guarantee that. OpenCL has no query for it; a driver that does not know
   NVIDIA's own query is not NVIDIA's. */
static clsort_status clsort__find_progress(clsort_sorter *s)
{
    enum { NVIDIA = 0x10DE, COMPUTE_CAPABILITY_MAJOR_NV = 0x4000 };
    cl_uint vendor = 0, major = 0;
    cl_int code;
    CLSORT__MUST(CLSORT__FACT(s, CL_DEVICE_VENDOR_ID, vendor));
    if (s->is_cpu || vendor != NVIDIA) return CL_SUCCESS;
    code = CLSORT_CL(clGetDeviceInfo)(s->device, COMPUTE_CAPABILITY_MAJOR_NV, sizeof major, &major,
                                      NULL);
    s->has_progress = s->has_warps = code == CL_SUCCESS && major >= 7;
    s->releases_late = 1;
    return code == CL_INVALID_VALUE ? CL_SUCCESS : clsort__note(s, code, "clGetDeviceInfo");
}

/* Can kernels enqueue kernels and call work-group functions? Both came with OpenCL 2.0 and are
   optional since 3.0. A driver that does not know a query has neither. */
static clsort_status clsort__find_enqueue(clsort_sorter *s)
{
#if !defined(CLSORT__OPENCL_1) && CL_TARGET_OPENCL_VERSION >= 300 \
    && defined(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES)
    char version[256] = "";
    cl_bool functions = CL_FALSE;
    cl_device_device_enqueue_capabilities able = 0;
    /* "OpenCL M.m ..." */
    cl_int code = CLSORT_CL(clGetDeviceInfo)(s->device, CL_DEVICE_VERSION, sizeof version - 1,
                                             version, NULL);
    if (code == CL_SUCCESS && version[7] == '2') {
        s->enqueues = 2;
    } else if (code == CL_SUCCESS && version[7] >= '3') {
        code = CLSORT_CL(clGetDeviceInfo)(s->device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,
                                          sizeof able, &able, NULL);
        if (code == CL_SUCCESS)
            code = CLSORT_CL(clGetDeviceInfo)(s->device,
                                              CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
                                              sizeof functions, &functions, NULL);
        s->enqueues = code == CL_SUCCESS && functions && able & CL_DEVICE_QUEUE_SUPPORTED ? 3 : 0;
    }
    return code == CL_INVALID_VALUE ? CL_SUCCESS : clsort__note(s, code, "clGetDeviceInfo");
#else
    (void)s;
    return CL_SUCCESS;
#endif
}

static clsort_status clsort__device_facts(clsort_sorter *s)
{
    cl_device_type type = 0;
    cl_bool compiler = CL_FALSE, available = CL_FALSE, unified = CL_FALSE;
    cl_uint vector = 0, wide = 0;
    size_t sizes[16];
    CLSORT__MUST(CLSORT__FACT(s, CL_DEVICE_TYPE, type));
    CLSORT__MUST(CLSORT__FACT(s, CL_DEVICE_COMPILER_AVAILABLE, compiler));
    CLSORT__MUST(CLSORT__FACT(s, CL_DEVICE_AVAILABLE, available));
    CLSORT__MUST(CLSORT__FACT(s, CL_DEVICE_MAX_WORK_GROUP_SIZE, s->max_group));
    CLSORT__MUST(CLSORT__FACT(s, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizes));
    CLSORT__MUST(CLSORT__FACT(s, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, vector));
    CLSORT__MUST(CLSORT__FACT(s, CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, wide));
    CLSORT__MUST(CLSORT__FACT(s, CL_DEVICE_MAX_COMPUTE_UNITS, s->compute_units));
    CLSORT__MUST(CLSORT__FACT(s, CL_DEVICE_LOCAL_MEM_SIZE, s->local_bytes));
    CLSORT__MUST(CLSORT__FACT(s, CL_DEVICE_MAX_MEM_ALLOC_SIZE, s->max_allocation));
    CLSORT__REQUIRE(s, compiler, CLSORT_ERROR_DEVICE_UNUSABLE, "CL_DEVICE_COMPILER_AVAILABLE");
    CLSORT__REQUIRE(s, available, CLSORT_ERROR_DEVICE_UNUSABLE, "CL_DEVICE_AVAILABLE");
    if (sizes[0] < s->max_group) s->max_group = sizes[0];
    if (!s->max_group) s->max_group = 1;
    if (!s->compute_units) s->compute_units = 1;   /* of a driver that does not know */
    s->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    if (s->is_cpu) CLSORT__MUST(CLSORT__FACT(s, CL_DEVICE_HOST_UNIFIED_MEMORY, unified));
    s->shares_memory = unified != CL_FALSE;
    s->has_vectors = s->is_cpu && vector >= 4;
    s->has_rows = s->is_cpu && wide >= 16;
    CLSORT__MUST(clsort__find_enqueue(s));
    return clsort__find_progress(s);
}

/* Creates an in-order queue of the sorter's own, if there is none. */
static clsort_status clsort__make_queue(clsort_sorter *s, cl_command_queue *queue)
{
    cl_int code;
    if (*queue) return CL_SUCCESS;
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"   /* OpenCL 2.0 renamed it; 1.2 has
                                                                nothing else */
#endif
    *queue = CLSORT_CL(clCreateCommandQueue)(s->context, s->device, 0, &code);
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
    return clsort__note(s, code, "clCreateCommandQueue");
}

static clsort_status clsort__own_queue(clsort_sorter *s)
{
    return clsort__make_queue(s, &s->own_queue);
}

/* Creates the default queue on the device. There is at most one per device: if the program has made
   it already, OpenCL returns that one. */
static clsort_status clsort__device_queue(clsort_sorter *s)
{
#if !defined(CLSORT__OPENCL_1) && defined(CL_VERSION_2_0)
    const cl_queue_properties properties[3] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0
    };
    cl_int code;
    if (s->device_queue) return CL_SUCCESS;
    s->device_queue = CLSORT_CL(clCreateCommandQueueWithProperties)(s->context, s->device,
                                                                    properties, &code);
    return clsort__note(s, code, "clCreateCommandQueueWithProperties");
#else
    return clsort__fail(s, CLSORT_ERROR_UNSUPPORTED, "clsort", "tuning.scheduler");
#endif
}

/* ---- >>folder -------------------------------------------------------------------------------- */

#ifndef CLSORT_NO_CACHE_FOLDER

/* Room for the path of a file. Where that is too short, nothing is kept. */
enum { CLSORT__MOST_PATH = 1024, CLSORT__NAME_DIGITS = 32 };

/* Is this the name of an entry's file, or of one that is being written? */
static int clsort__is_entry_file(const char *name)
{
    return strspn(name, "0123456789abcdef") == CLSORT__NAME_DIGITS
           && !strncmp(name + CLSORT__NAME_DIGITS, ".clsort", 7);
}

/* Writes folder/name to `path`; 0 if that is too long. */
static int clsort__join_path(char *path, const char *folder, const char *name)
{
    const int length = snprintf(path, CLSORT__MOST_PATH, "%s/%s", folder, name);
    return length > 0 && length < CLSORT__MOST_PATH;
}

/* The folder's bytes in entries; `oldest` receives the path of the one written longest ago. */
static cl_ulong clsort__folder_bytes(const char *folder, char *oldest);

/* Makes a folder that only its owner can open. */
static void clsort__make_folder(const char *path);

/* Can nobody else write to the folder? 0 also if there is none. */
static int clsort__is_private(const char *folder);

#ifdef _WIN32

static cl_ulong clsort__folder_bytes(const char *folder, char *oldest)
{
    char path[CLSORT__MOST_PATH];
    struct _finddata_t found;
    intptr_t list;
    cl_ulong bytes = 0;
    cl_long least = 0;
    if (!clsort__join_path(path, folder, "*.clsort*")) return 0;
    list = _findfirst(path, &found);
    if (list == -1) return 0;
    do {
        if (!clsort__is_entry_file(found.name)) continue;
        if ((!bytes || found.time_write < least) && clsort__join_path(oldest, folder, found.name))
            least = found.time_write;
        bytes += (cl_ulong)found.size + 1;
    } while (!_findnext(list, &found));
    _findclose(list);
    return bytes;
}

static void clsort__make_folder(const char *path) { _mkdir(path); }

static int clsort__is_private(const char *folder) { return folder != NULL; }

static unsigned long clsort__process(void) { return (unsigned long)_getpid(); }

/* Windows does not rename a file to the name of another one. */
static int clsort__replace_file(const char *from, const char *to)
{
    remove(to);
    return !rename(from, to);
}

#else

static cl_ulong clsort__folder_bytes(const char *folder, char *oldest)
{
    char path[CLSORT__MOST_PATH];
    struct stat facts;
    const struct dirent *found;
    DIR *const list = opendir(folder);
    cl_ulong bytes = 0;
    time_t least = 0;
    if (!list) return 0;
    while ((found = readdir(list)) != NULL) {
        if (!clsort__is_entry_file(found->d_name)) continue;
        if (!clsort__join_path(path, folder, found->d_name) || stat(path, &facts)) continue;
        if (!bytes || facts.st_mtime < least) {
            least = facts.st_mtime;
            memcpy(oldest, path, sizeof path);
        }
        bytes += (cl_ulong)facts.st_size + 1;
    }
    closedir(list);
    return bytes;
}

static void clsort__make_folder(const char *path) { mkdir(path, 0700); }

static int clsort__is_private(const char *folder)
{
    struct stat facts;
    return !stat(folder, &facts) && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid()
           && !(facts.st_mode & 022);
}

static unsigned long clsort__process(void) { return (unsigned long)getpid(); }

static int clsort__replace_file(const char *from, const char *to) { return !rename(from, to); }

#endif

/* The parts of the path of the user's folder of caches: the value of a variable, and a folder in
   it. */
static const char *clsort__caches(const char **inside)
{
#if defined(_WIN32)
    *inside = "";
    return getenv("LOCALAPPDATA");
#elif defined(__APPLE__)
    *inside = "/Library/Caches";
    return getenv("HOME");
#else
    const char *const caches = getenv("XDG_CACHE_HOME");
    const int given = caches && *caches == '/';
    *inside = given ? "" : "/.cache";
    return given ? caches : getenv("HOME");
#endif
}

/* Writes the path of the folder: the caller's, or one in the user's folder of caches. Makes the
   folder if `makes`. Returns 0 if there is none to be used. */
static int clsort__open_folder(const char *given, int makes, char *path)
{
    const char *inside = "", *const caches = given ? given : clsort__caches(&inside);
    int length;
    if (!caches || !*caches) return 0;
    length = snprintf(path, CLSORT__MOST_PATH, "%s%s", caches, inside);
    if (length < 0 || length > CLSORT__MOST_PATH - 8) return 0;
    if (makes) clsort__make_folder(path);
    if (!given) memcpy(path + length, "/clsort", 8);
    if (makes && !given) clsort__make_folder(path);
    return clsort__is_private(path);
}

/* Writes the path of an entry's file; 0 if the folder is not to be used. */
static int clsort__entry_path(const char *given, const char *name, int makes, char *folder,
                              char *path)
{
    char file[CLSORT__NAME_DIGITS + 16];
    snprintf(file, sizeof file, "%s.clsort", name);
    return clsort__open_folder(given, makes, folder) && clsort__join_path(path, folder, file);
}

static size_t clsort__load_file(void *given, const char *name, void *data, size_t size)
{
    char folder[CLSORT__MOST_PATH], path[CLSORT__MOST_PATH];
    FILE *file;
    long bytes = -1;
    if (!clsort__entry_path((const char *)given, name, 0, folder, path)) return 0;
    file = fopen(path, "rb");
    if (!file) return 0;
    if (!fseek(file, 0, SEEK_END)) bytes = ftell(file);
    rewind(file);
    if (size && fread(data, 1, size, file) != size) bytes = -1;
    fclose(file);
    return bytes > 0 ? (size_t)bytes : 0;
}

/* Deletes the oldest entries until there is room for one more of `size` bytes. */
static int clsort__make_room(const char *folder, size_t size)
{
    char oldest[CLSORT__MOST_PATH];
    const cl_ulong most = CLSORT_CACHE_BYTES;
    if (size > most) return 0;
    while (clsort__folder_bytes(folder, oldest) > most - size)
        if (remove(oldest)) return 0;
    return 1;
}

static void clsort__save_file(void *given, const char *name, const void *data, size_t size)
{
    char folder[CLSORT__MOST_PATH], path[CLSORT__MOST_PATH], aside[CLSORT__MOST_PATH + 64];
    FILE *file;
    int written;
    if (!clsort__entry_path((const char *)given, name, 1, folder, path)) return;
    if (!clsort__make_room(folder, size)) return;
    /* No other thread has a variable at this address. */
    snprintf(aside, sizeof aside, "%s-%lx-%p", path, clsort__process(), (void *)folder);
    file = fopen(aside, "wb");
    if (!file) return;
    written = fwrite(data, 1, size, file) == size;
    written = !fclose(file) && written;
    if (!written || !clsort__replace_file(aside, path)) remove(aside);
}

#endif

/* ---- >>cache --------------------------------------------------------------------------------- */

/* The head of an entry; the driver's binary follows it. All of it is checked. */
typedef struct clsort__entry {
    char mark[8];
    cl_ulong bytes;             /* of the binary */
    clsort__hash name, binary;
} clsort__entry;

/* The most bytes that an entry has, and the most devices of its program. */
enum { CLSORT__MOST_ENTRY = 1 << 28, CLSORT__ENTRY_DEVICES = 64 };

/* Each step can be undone, so texts of one length that differ in one word have different hashes.
   The factors are those of Vigna's splitmix64. */
static void clsort__add_word(clsort__hash *h, cl_ulong word)
{
    const cl_ulong factors[2] = { 0xBF58476D1CE4E5B9u, 0x94D049BB133111EBu };
    h->word[0] = (h->word[0] ^ word) * factors[0];
    h->word[1] = (h->word[1] + word) * factors[1];
    h->word[0] ^= h->word[0] >> 31;
    h->word[1] ^= h->word[1] >> 29;
}

/* Adds bytes and their number to a hash. */
static void clsort__add_hash(clsort__hash *h, const void *data, size_t bytes)
{
    size_t i;
    for (i = 0; i < bytes; i += 8) {
        cl_ulong word = 0;
        memcpy(&word, (const char *)data + i, bytes - i < 8 ? bytes - i : 8);
        clsort__add_word(h, word);
    }
    clsort__add_word(h, bytes);
}

/* Adds the texts by which a device and its platform say who they are; 0 if one does not. */
static int clsort__add_device(clsort__hash *h, cl_device_id device, cl_platform_id platform)
{
    static const cl_uint facts[7] = { CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION,
                                      CL_DRIVER_VERSION, CL_PLATFORM_NAME, CL_PLATFORM_VENDOR,
                                      CL_PLATFORM_VERSION };
    char text[1024];
    size_t i, bytes = 0;
    for (i = 0; i < 7; i++) {
        const cl_int code = i < 4 ? CLSORT_CL(clGetDeviceInfo)(device, facts[i], sizeof text, text,
                                                               &bytes)
                                  : CLSORT_CL(clGetPlatformInfo)(platform, facts[i], sizeof text,
                                                                 text, &bytes);
        if (code != CL_SUCCESS || bytes > sizeof text) return 0;
        clsort__add_hash(h, text, bytes);
    }
    return 1;
}

/* Hashes what a binary depends on besides its text and options. If the driver does not say, the
   sorter has no cache. */
static void clsort__open_cache(clsort_sorter *s)
{
    cl_platform_id platform = NULL;
    if (!s->options.cache_load && !s->options.cache_save) return;
    clsort__add_word(&s->device_hash, clsort_version());
    clsort__add_word(&s->device_hash, sizeof(void *));
    if (CLSORT_CL(clGetDeviceInfo)(s->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)
            == CL_SUCCESS
        && clsort__add_device(&s->device_hash, s->device, platform))
        return;
    s->options.cache_load = NULL;
    s->options.cache_save = NULL;
}

/* The head of an entry, but for the hash of its binary. */
static clsort__entry clsort__entry_head(clsort__hash name, size_t bytes)
{
    clsort__entry e;
    memset(&e, 0, sizeof e);
    memcpy(e.mark, "clsort 1", sizeof e.mark);
    e.bytes = bytes;
    e.name = e.binary = name;
    return e;
}

/* Writes the name of an entry as text. */
static void clsort__print_hash(clsort__hash h, char text[33])
{
    int i;
    for (i = 0; i < 32; i++) text[i] = "0123456789abcdef"[h.word[i / 16] >> i % 16 * 4 & 15];
    text[32] = 0;
}

/* Reads an entry of `bytes` bytes into `entry`; 0 unless it is right. */
static int clsort__read_entry(clsort_sorter *s, clsort__hash name, const char *text, size_t bytes,
                              unsigned char *entry)
{
    clsort__entry head, wanted = clsort__entry_head(name, bytes - sizeof head);
    if (s->options.cache_load(s->options.cache_user, text, entry, bytes) != bytes) return 0;
    clsort__add_hash(&wanted.binary, entry + sizeof head, bytes - sizeof head);
    memcpy(&head, entry, sizeof head);
    return !memcmp(&head, &wanted, sizeof head);
}

/* Creates a program from a binary, and builds it. */
static clsort_status clsort__build_binary(clsort_sorter *s, const unsigned char *binary,
                                          size_t bytes, const char *options, cl_program *program)
{
    cl_int state = CL_SUCCESS, code;
    const cl_program made = CLSORT_CL(clCreateProgramWithBinary)(s->context, 1, &s->device, &bytes,
                                                                 &binary, &state, &code);
    CLSORT__MUST(code);
    *program = made;
    CLSORT__MUST(state);
    return CLSORT_CL(clBuildProgram)(made, 1, &s->device, options, NULL, NULL);
}

/* Makes a program from an entry of the cache; fails without a message. */
static clsort_status clsort__load_program(clsort_sorter *s, clsort__hash name, const char *options,
                                          cl_program *program)
{
    char text[33];
    unsigned char *entry;
    clsort_status status = CL_INVALID_BINARY;
    size_t bytes;
    clsort__print_hash(name, text);
    bytes = s->options.cache_load(s->options.cache_user, text, NULL, 0);
    if (bytes <= sizeof(clsort__entry) || bytes > CLSORT__MOST_ENTRY) return status;
    entry = (unsigned char *)CLSORT_MALLOC(bytes);
    if (!entry) return CL_OUT_OF_HOST_MEMORY;
    if (clsort__read_entry(s, name, text, bytes, entry))
        status = clsort__build_binary(s, entry + sizeof(clsort__entry),
                                      bytes - sizeof(clsort__entry), options, program);
    CLSORT_FREE(entry);
    return status;
}

/* The bytes of a program's binary for the sorter's device, which is number *device of *count; 0 if
   the driver gives none. */
static size_t clsort__binary_bytes(const clsort_sorter *s, cl_program program, cl_uint *device,
                                   cl_uint *count)
{
    cl_device_id devices[CLSORT__ENTRY_DEVICES];
    size_t sizes[CLSORT__ENTRY_DEVICES], bytes = 0;
    cl_uint i = 0;
    if (CLSORT_CL(clGetProgramInfo)(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &bytes)
        != CL_SUCCESS)
        return 0;
    *count = (cl_uint)(bytes / sizeof *devices);
    while (i < *count && devices[i] != s->device) i++;
    *device = i;
    if (i == *count
        || CLSORT_CL(clGetProgramInfo)(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL)
               != CL_SUCCESS)
        return 0;
    return sizes[i] > CLSORT__MOST_ENTRY - sizeof(clsort__entry) ? 0 : sizes[i];
}

/* Offers a program's binary to the cache. */
static void clsort__write_entry(clsort_sorter *s, clsort__hash name, cl_program program)
{
    unsigned char *entry, *binaries[CLSORT__ENTRY_DEVICES] = { NULL };
    char text[33];
    cl_uint device = 0, count = 0;
    const size_t bytes = clsort__binary_bytes(s, program, &device, &count);
    clsort__entry head = clsort__entry_head(name, bytes);
    if (!bytes) return;
    entry = (unsigned char *)CLSORT_MALLOC(sizeof head + bytes);
    if (!entry) return;
    binaries[device] = entry + sizeof head;
    if (CLSORT_CL(clGetProgramInfo)(program, CL_PROGRAM_BINARIES, count * sizeof *binaries,
                                    binaries, NULL) == CL_SUCCESS) {
        clsort__add_hash(&head.binary, entry + sizeof head, bytes);
        memcpy(entry, &head, sizeof head);
        clsort__print_hash(name, text);
        s->options.cache_save(s->options.cache_user, text, entry, sizeof head + bytes);
    }
    CLSORT_FREE(entry);
}

/* ---- >>program ------------------------------------------------------------------------------- */

/* Does a tile kernel use local memory? It does if a work-group shares the tile, and in the
   published sorts of rows. */
static int clsort__uses_local(const clsort__config *c)
{
    return c->share_log2 > 0 || c->family == CLSORT__BATCH;
}

/* Slots of a tile in local memory, with the padding of kernels.cl. */
static size_t clsort__tile_slots(const clsort__config *c, cl_uint pad_log2)
{
    const size_t items = (size_t)1 << c->items_log2, tile = items << c->share_log2;
    const int merges = c->family == CLSORT__MERGE || c->family == CLSORT__SEGMENTS
                       || c->family == CLSORT__RUNS || c->family == CLSORT__ROW_TILES;
    const size_t slots = tile + (merges ? items : 0);   /* merges read past the tile */
    return slots + (slots >> pad_log2) + 1;
}

/* Local memory of a tile's keys, and of its words, in bytes. If there are none, the least that an
   argument can have: one key, one word. */
static size_t clsort__tile_keys(const clsort__config *c)
{
    const cl_uint pad_log2 = CLSORT__KEY_PAD_LOG2(c->key_bytes);
    return (clsort__uses_local(c) ? clsort__tile_slots(c, pad_log2) : 1) * c->key_bytes;
}

static size_t clsort__tile_words(const clsort__config *c)
{
    const size_t words = (c->value_bytes + 3) / 4;
    return words && clsort__uses_local(c) ? 4 * words * clsort__tile_slots(c, CLSORT__WORD_PAD_LOG2)
                                          : 4;
}

/* Local memory of a merge in bytes, for the splits of its work-items or of the work-group's
   slice. */
static size_t clsort__tile_splits(const clsort__config *c)
{
    return clsort__uses_local(c) ? 4 * (((size_t)1 << c->share_log2) + 4) : 4;
}

/* Local memory in bytes for the layout of segments in a tile that packs them. */
static size_t clsort__packing_bytes(const clsort__config *c)
{
    const size_t group = (size_t)1 << c->share_log2;
    return 4 * CLSORT__PACKING_WORDS(group, group << c->items_log2);
}

/* Local memory in bytes for sums over a work-group. */
static size_t clsort__group_sums(cl_uint group_log2)
{
    return 4 * CLSORT__SCAN_TOTAL_WORDS((size_t)1 << group_log2);
}

/* log2 of the fewest work-items that share a tile of a merge of runs, and of the fewest elements
   that each of them has. */
enum { CLSORT__RUNS_GROUP_LOG2 = 6, CLSORT__RUNS_ITEMS_LOG2 = 3 };

/* log2 of the work-items in a work-group, lowered to what the device can have. */
static cl_uint clsort__lower_group(const clsort_sorter *s, cl_uint log2)
{
    while (s && log2 > 0 && (size_t)1 << log2 > s->max_group) log2--;
    return log2;
}

/* The same for the work-group that the caller names, else for a log2 of `on_cpu` on CPUs and of 8
   elsewhere; at most `most`. s may be NULL. */
static cl_uint clsort__choose_group(const clsort_sorter *s, const clsort_tuning *t, cl_uint on_cpu,
                                    cl_uint most)
{
    const cl_uint log2 = t->work_group ? clsort__log2(t->work_group) : s && s->is_cpu ? on_cpu : 8;
    return clsort__lower_group(s, log2 < most ? log2 : most);
}

/* The choices of a tuning that only reproduce publications; none where these are left out. */
static cl_uint clsort__step_choice(const clsort_tuning *t)
{
    return CLSORT__HAS_PUBLISHED ? t->bitonic_step : (cl_uint)CLSORT_STEP_DEFAULT;
}

static cl_uint clsort__local_choice(const clsort_tuning *t)
{
    return CLSORT__HAS_PUBLISHED ? t->local : (cl_uint)CLSORT_LOCAL_DEFAULT;
}

/* Do the bitonic kernels of this tuning have a form with 16 keys in a vector register? Only tile
   kernels order keys inside a register, so a variant needs them for the tail of each stage. */
static int clsort__has_vector_form(const clsort_tuning *t)
{
    const cl_uint local = clsort__local_choice(t);
    return clsort__step_choice(t) != CLSORT_STEP_A && local != CLSORT_LOCAL_OFF
           && local != CLSORT_LOCAL_GLOBAL_TAIL && local != CLSORT_LOCAL_START;
}

/* Does one work-item hold a tile, in vector registers of 16 elements? Yes if the caller asks for
   more items than other registers hold, and on CPUs with vectors if the caller names no shape. */
static int clsort__wants_lanes(const clsort_sorter *s, const clsort_tuning *t)
{
    return clsort__has_vector_form(t)
           && (t->items > 32 || (s->has_vectors && !t->items && !t->work_group));
}

/* The most local memory that a launch of a program's kernels asks for, in bytes. */
static size_t clsort__local_need(const clsort__config *c);

/* Words of 4 bytes of a key and of the value or record that travels with it. */
static cl_uint clsort__element_words(const clsort__config *c)
{
    return (c->key_bytes + 3) / 4 + (c->value_bytes + 3) / 4;
}

/* Chooses the work-group that shares a tile. Until its kernels fit into local memory, lowers it,
   and then the elements of a work-item. */
static void clsort__share_tile(const clsort_sorter *s, const clsort_tuning *t, cl_uint on_cpu,
                               cl_uint most, clsort__config *c)
{
    c->group_log2 = c->share_log2 = clsort__choose_group(s, t, on_cpu, most);
    while (clsort__uses_local(c) && clsort__local_need(c) > s->local_bytes) {
        if (c->share_log2) c->share_log2 = --c->group_log2;
        else if (c->items_log2 > 1) c->items_log2--;
        else return;
    }
}

/* The smallest tile, in elements, that tables of jobs have room for. Kernels whose work-groups hold
   less have one work-item per job. */
enum { CLSORT__LEAST_TILE = 64 };

static void clsort__least_tile(clsort__config *c)
{
    if (c->family == CLSORT__RUNS && c->share_log2 < CLSORT__RUNS_GROUP_LOG2)
        c->share_log2 = c->group_log2 = 0;
    if (c->family != CLSORT__SEGMENTS) return;
    if (1 << (c->share_log2 + c->items_log2) < CLSORT__LEAST_TILE)
        c->share_log2 = c->group_log2 = 0;
}

static void clsort__release_program(clsort__program *p)
{
    int i;
    for (i = 0; i < CLSORT__KERNEL_COUNT; i++)
        if (p->kernels[i]) CLSORT_CL(clReleaseKernel)(p->kernels[i]);
    if (p->program) CLSORT_CL(clReleaseProgram)(p->program);
    memset(p->kernels, 0, sizeof p->kernels);
    p->program = NULL;
}

/* Keeps the compiler's output. If it is too long, or memory is short, the log is empty. */
static void clsort__keep_log(clsort_sorter *s, cl_program program)
{
    const cl_program_build_info what = CL_PROGRAM_BUILD_LOG;
    char *log;
    size_t bytes = 0;
    if (s->build_log) *s->build_log = 0;
    if (CLSORT_CL(clGetProgramBuildInfo)(program, s->device, what, 0, NULL, &bytes) != CL_SUCCESS)
        return;
    if (bytes > CLSORT__MOST_LOG || clsort__grow(s, &s->build_log, bytes + 1, 1) != CL_SUCCESS)
        return;
    log = s->build_log;
    memset(log, 0, bytes + 1);
    if (CLSORT_CL(clGetProgramBuildInfo)(program, s->device, what, bytes, log, NULL) != CL_SUCCESS)
        *log = 0;
}

/* The number of the chunk of kernels.cl that a comparator's text follows, and the line after it. */
static size_t clsort__comparator_chunk(unsigned *line)
{
    const char *c;
    size_t i = 0;
    *line = 1;
    for (;; i++) {
        for (c = clsort__source[i]; *c; c++) *line += *c == '\n';
        if (!strncmp(clsort__source[i], "//---- comparator", 17)) return i;
    }
}

/* The text of a program: chunks of kernels.cl and, between them, the caller's texts. */
enum { CLSORT__CHUNKS = sizeof clsort__source / sizeof clsort__source[0] };
typedef struct clsort__text_list {
    const char *text[CLSORT__CHUNKS + 5];
    size_t count;
    char resume[60];            /* the text after the caller's */
} clsort__text_list;

/* Lists the text of a program. Compilers report errors in the caller's texts as errors of files
   `record_type` and `precedes`, with lines from 1. */
static void clsort__list_text(const clsort__comparator *comparator, clsort__text_list *l)
{
    unsigned line;
    size_t chunk;
    memcpy((void *)(size_t)l->text, clsort__source, sizeof clsort__source);
    l->count = CLSORT__CHUNKS;
    if (!comparator) return;
    chunk = clsort__comparator_chunk(&line) + 1;
    snprintf(l->resume, sizeof l->resume, "\n) != 0;\n}\n#line %u \"kernels.cl\"\n", line);
    l->text[chunk] = "#line 1 \"record_type\"\n";
    l->text[chunk + 1] = comparator->record_type;
    l->text[chunk + 2] = "\nstatic inline int clsort_precedes(clsort_record a, clsort_record "
                         "b)\n{\nreturn (\n#line 1 \"precedes\"\n";
    l->text[chunk + 3] = comparator->precedes;
    l->text[chunk + 4] = l->resume;
    memcpy((void *)(size_t)(l->text + chunk + 5), clsort__source + chunk,
           (CLSORT__CHUNKS - chunk) * sizeof *l->text);
    l->count += 5;
}

/* Copies a comparator's texts; *number is its place in the list, from 1. */
static clsort_status clsort__add_comparator(clsort_sorter *s, const char *record_type,
                                            const char *precedes, size_t record_size,
                                            cl_uint *number)
{
    const size_t first = strlen(record_type) + 1, second = strlen(precedes) + 1;
    const size_t count = s->comparator_count + 1;
    char *texts = NULL;
    clsort__comparator *c;
    CLSORT__MUST(clsort__grow(s, &s->comparators, count, sizeof *s->comparators));
    CLSORT__MUST(clsort__grow(s, &texts, first + second, 1));
    c = &s->comparators[s->comparator_count++];
    c->record_type = texts;
    c->precedes = texts + first;
    c->record_size = record_size;
    memcpy(c->record_type, record_type, first);
    memcpy(c->precedes, precedes, second);
    *number = (cl_uint)s->comparator_count;
    return CL_SUCCESS;
}

/* The number of a description's comparator; 0 if it has none, or one that is new to the sorter. */
static cl_uint clsort__find_comparator(const clsort_sorter *s, const clsort_desc *d)
{
    cl_uint i;
    for (i = 0; d->precedes && i < s->comparator_count; i++)
        if (s->comparators[i].record_size == d->record_size
            && !strcmp(s->comparators[i].record_type, d->record_type)
            && !strcmp(s->comparators[i].precedes, d->precedes))
            return i + 1;
    return 0;
}

/* The algorithm of a number, or NULL. The public ones are numbered from 1 without gaps. */
static const clsort__algorithm *clsort__find_algorithm(cl_uint number);

/* The name of a family in messages. */
static const char *clsort__family_name(cl_uint family)
{
#define CLSORT__CASE(name, text, local) \
    case CLSORT__##name: return text;
    switch (family) {
        CLSORT__FAMILY_LIST(CLSORT__CASE)
        default: return "";
    }
#undef CLSORT__CASE
}

/* Finds the first line of a compiler's output with the word `error`, else the first line. */
static const char *clsort__first_error(const char *log, size_t *length)
{
    const char *error = strstr(log, "error"), *line = error ? error : log + strspn(log, "\r\n");
    while (line > log && line[-1] != '\n' && error) line--;
    *length = strcspn(line, "\r\n");
    return line;
}

/* Reports a failed build: which kernels, and the compiler's first complaint. The whole log is
   kept. */
static clsort_status clsort__fail_build(clsort_sorter *s, const clsort__config *c, cl_int code)
{
    const char *log = clsort_build_log(s);
    const clsort_status failed = c->comparator ? CLSORT_ERROR_COMPARATOR
                                               : CLSORT_ERROR_BUILD_FAILED;
    char detail[320];
    size_t length;
    const char *line = clsort__first_error(log, &length);
    snprintf(detail, sizeof detail, "%s%s kernels%s%.*s",
             c->comparator ? "record_type, precedes, " : "", clsort__family_name(c->family),
             length ? ": " : "", length < 200 ? (int)length : 200, line);
    return clsort__fail(s, code == CL_BUILD_PROGRAM_FAILURE ? failed : code, "clBuildProgram",
                        detail);
}

/* Writes the options that a program is compiled with. */
static void clsort__build_options(const clsort_sorter *s, const clsort__config *c,
                                  const clsort__comparator *comparator, char *options, size_t size)
{
    snprintf(options, size,
             "-w -cl-std=CL%s -D CLSORT_FAMILY=%u -D CLSORT_KEY_BYTES=%u -D CLSORT_VALUE_BYTES=%u"
             " -D CLSORT_RECORDS=%u -D CLSORT_BREAK_TIES_BY_INDEX=%u -D CLSORT_GROUP_LOG2=%u"
             " -D CLSORT_SHARE_LOG2=%u -D CLSORT_ITEMS_LOG2=%u -D CLSORT_LANES=%u"
             " -D CLSORT_COMPARATOR=%d -D CLSORT_RECORD_BYTES=%.0f -D CLSORT_INDIRECT=%u"
             " -D CLSORT_TWO_ARRAYS=%u -D CLSORT_DIGIT_BITS=%u -D CLSORT_RADIX_ITEMS=%u"
             " -D CLSORT_SWEEP_WIDE=%u -D CLSORT_FORWARD_PROGRESS=%d -D CLSORT_SCAN=%u"
             " -D CLSORT_BRANCHES=%d -D CLSORT_RANGES=%u -D CLSORT_TEAM_MOST=%u",
             c->language == 3   ? "3.0"
             : c->language == 2 ? "2.0"
                                : "1.2",
             (unsigned)c->family, (unsigned)c->key_bytes, (unsigned)c->value_bytes,
             (unsigned)c->records, (unsigned)c->ties, (unsigned)c->group_log2,
             (unsigned)c->share_log2, (unsigned)c->items_log2, (unsigned)c->lanes,
             comparator != NULL, comparator ? (double)comparator->record_size : 4.0,
             (unsigned)c->indirect, (unsigned)c->two_arrays,
             c->digit_bits ? (unsigned)c->digit_bits : 8,
             c->radix_items ? (unsigned)c->radix_items : 16, (unsigned)c->wide,
             s->has_progress
                 && (c->family == CLSORT__SWEEP || c->family == CLSORT__HYBRID
                     || c->family == CLSORT__SAMPLES || c->family == CLSORT__LONG_ROWS),
             c->scan ? (unsigned)c->scan : (unsigned)CLSORT_SCAN_LOCAL,
             !s->is_cpu, (unsigned)c->ranges, c->team ? (unsigned)c->team : 16);
}

/* How a program is built: its text and options. */
typedef struct clsort__recipe {
    clsort__text_list list;
    char options[640];
} clsort__recipe;

static void clsort__make_recipe(const clsort_sorter *s, const clsort__config *c, clsort__recipe *r)
{
    const clsort__comparator *comparator = c->comparator ? &s->comparators[c->comparator - 1]
                                                         : NULL;
    clsort__list_text(comparator, &r->list);
    clsort__build_options(s, c, comparator, r->options, sizeof r->options);
}

/* The name of a program's entry in the cache. */
static clsort__hash clsort__recipe_name(const clsort_sorter *s, const clsort__recipe *r)
{
    clsort__hash name = s->device_hash;
    size_t i;
    for (i = 0; i < r->list.count; i++)
        clsort__add_hash(&name, r->list.text[i], strlen(r->list.text[i]));
    clsort__add_hash(&name, r->options, strlen(r->options));
    return name;
}

static clsort_status clsort__compile(clsort_sorter *s, clsort__program *p, const clsort__recipe *r)
{
    const cl_uint count = (cl_uint)r->list.count;
    cl_int code;
    /* OpenCL's parameter is `const char **` */
    const char **const text = (const char **)(size_t)r->list.text;
    p->program = CLSORT_CL(clCreateProgramWithSource)(s->context, count, text, NULL, &code);
    CLSORT__MUST(clsort__note(s, code, "clCreateProgramWithSource"));
    code = CLSORT_CL(clBuildProgram)(p->program, 1, &s->device, r->options, NULL, NULL);
    if (code == CL_SUCCESS) return CL_SUCCESS;
    clsort__keep_log(s, p->program);
    return clsort__fail_build(s, &p->config, code);
}

static const struct clsort__kernel_entry {
    cl_uint family;
    const char *name;
} clsort__kernel_entries[] = {
#define CLSORT__ENTRY(name, family, text) { family, text },
    CLSORT__KERNEL_LIST(CLSORT__ENTRY)
#undef CLSORT__ENTRY
};

/* Does a program have this kernel? */
static int clsort__has_kernel(const clsort__config *c, int kernel)
{
    if (clsort__kernel_entries[kernel].family != c->family) return 0;
    if (kernel == CLSORT__KERNEL_A || kernel == CLSORT__KERNEL_GLOBAL_TILE) return c->lanes == 1;
    if (kernel == CLSORT__KERNEL_MERGE_TILE) return c->lanes == 1;
    if (kernel == CLSORT__KERNEL_SEGMENT_PACK) return c->share_log2 > 0 && !c->ranges;
    if (kernel == CLSORT__KERNEL_SEGMENT_TILE) return c->share_log2 > 0;
    if (kernel == CLSORT__KERNEL_SELECT_STREAM) return c->share_log2 == 0;
    if (kernel == CLSORT__KERNEL_SELECT_SAMPLE || kernel == CLSORT__KERNEL_SELECT_READ
        || kernel == CLSORT__KERNEL_SELECT_RANK)
        return c->share_log2 > 0;
    if (kernel == CLSORT__KERNEL_MERGE_CLAMP || kernel == CLSORT__KERNEL_MERGE_ORDERED)
        return c->comparator > 0;
    return 1;
}

/* Creates a program's kernels. *fits is 0 when the device refuses one of them at this work-group
   size. */
static clsort_status clsort__create_kernels(clsort_sorter *s, clsort__program *p, int *fits)
{
    const size_t need = clsort__local_need(&p->config);
    const cl_ulong room = s->local_bytes > need ? s->local_bytes - need : 0;   /* for the rest */
    size_t group = 0;
    cl_ulong local_bytes = 0;
    int i;
    *fits = 1;
    for (i = 0; i < CLSORT__KERNEL_COUNT; i++) {
        const char *const name = clsort__kernel_entries[i].name;
        cl_int code;
        if (!clsort__has_kernel(&p->config, i)) continue;
        p->kernels[i] = CLSORT_CL(clCreateKernel)(p->program, name, &code);
        if (code != CL_SUCCESS) return clsort__fail(s, code, "clCreateKernel", name);
        CLSORT__MUST(CLSORT__TRY(s, clGetKernelWorkGroupInfo,
                                 (p->kernels[i], s->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group,
                                  &group, NULL)));
        CLSORT__MUST(CLSORT__TRY(s, clGetKernelWorkGroupInfo,
                                 (p->kernels[i], s->device, CL_KERNEL_LOCAL_MEM_SIZE,
                                  sizeof local_bytes, &local_bytes, NULL)));
        if (group < (size_t)1 << p->config.group_log2 || local_bytes > room) *fits = 0;
    }
    return CL_SUCCESS;
}

/* log2 of the fewest work-items that kernels work with. */
static cl_uint clsort__least_group(const clsort__config *c)
{
    return c->family == CLSORT__HYBRID ? CLSORT__HYBRID_LEAST_GROUP
           : c->family == CLSORT__RUNS && c->share_log2 ? (cl_uint)CLSORT__RUNS_GROUP_LOG2
           : c->family == CLSORT__SHORT_ROWS || c->family == CLSORT__ROW_TILES
                   || c->family == CLSORT__LONG_ROWS || c->family == CLSORT__SAMPLES
               ? c->group_log2
               : 0;
}

/* Makes a program and its kernels from an entry of the cache. Returns 0, in silence and with
   nothing made, if there is none that is right. */
static int clsort__from_cache(clsort_sorter *s, clsort__program *p, const clsort__recipe *r,
                              int *fits)
{
    clsort_status status;
    if (!s->options.cache_load) return 0;
    s->quiet = 1;
    status = clsort__load_program(s, clsort__recipe_name(s, r), r->options, &p->program);
    if (status == CL_SUCCESS) status = clsort__create_kernels(s, p, fits);
    s->quiet = 0;
    if (status == CL_SUCCESS) return 1;
    clsort__release_program(p);
    return 0;
}

/* Offers a program to the cache, unless that has it. Failures do not matter. */
static void clsort__save_program(clsort_sorter *s, clsort__program *p)
{
    clsort__recipe r;
    if (!p->unsaved) return;
    clsort__make_recipe(s, &p->config, &r);
    clsort__write_entry(s, clsort__recipe_name(s, &r), p->program);
    p->unsaved = 0;
}

static void clsort__save_programs(clsort_sorter *s)
{
    size_t i;
    for (i = 0; i < s->program_count; i++) clsort__save_program(s, &s->programs[i]);
}

/* Makes a program and its kernels: from the cache, else from its text. */
static clsort_status clsort__make_program(clsort_sorter *s, clsort__program *p, int *fits)
{
    clsort__recipe r;
    clsort__make_recipe(s, &p->config, &r);
    if (clsort__from_cache(s, p, &r, fits)) return CL_SUCCESS;
    CLSORT__MUST(clsort__compile(s, p, &r));
    p->unsaved = s->options.cache_save != NULL;
    return clsort__create_kernels(s, p, fits);
}

/* Builds p->config, halving the work-group until every kernel fits. */
static clsort_status clsort__build(clsort_sorter *s, clsort__program *p)
{
    for (;;) {
        int fits = 0;
        const clsort_status status = clsort__make_program(s, p, &fits);
        if (status == CL_SUCCESS && fits) return CL_SUCCESS;
        if (status == CL_SUCCESS) clsort__save_program(s, p);   /* the next start tries it, too */
        clsort__release_program(p);
        if (status != CL_SUCCESS) return status;
        if (p->config.group_log2 == clsort__least_group(&p->config))
            return clsort__fail(s, CLSORT_ERROR_DEVICE_LIMITS, "clsort", "work-group size");
        p->config.group_log2--;
        if (p->config.share_log2) p->config.share_log2--;
        clsort__least_tile(&p->config);
    }
}

static clsort__program *clsort__find_program(clsort_sorter *s, const clsort__config *asked)
{
    size_t i;
    for (i = 0; i < s->program_count; i++)
        if (!memcmp(&s->programs[i].asked, asked, sizeof *asked)) return &s->programs[i];
    return NULL;
}

/* Builds a program, unless it is built already. With CLSORT_FLAG_NO_BUILD in flags that is an
   error. */
static clsort_status clsort__need_program(clsort_sorter *s, const clsort__config *asked,
                                          cl_uint flags)
{
    clsort__program *p;
    if (clsort__find_program(s, asked)) return CL_SUCCESS;
    if (flags & CLSORT_FLAG_NO_BUILD)
        return clsort__fail(s, CLSORT_ERROR_NOT_READY, "clsort", NULL);
    CLSORT__MUST(clsort__grow(s, &s->programs, s->program_count + 1, sizeof *s->programs));
    p = &s->programs[s->program_count];
    memset(p, 0, sizeof *p);
    p->asked = p->config = *asked;
    CLSORT__MUST(clsort__build(s, p));
    s->program_count++;
    return CL_SUCCESS;
}

/* The one program of the utility family. */
static clsort__config clsort__utility_config(const clsort_sorter *s)
{
    clsort__config c;
    memset(&c, 0, sizeof c);
    c.family = CLSORT__UTILITY;
    c.key_bytes = 4;
    c.items_log2 = c.lanes = 1;
    c.group_log2 = clsort__lower_group(s, 8);
    return c;
}

/* ---- >>plan ---------------------------------------------------------------------------------- */

/* Is it CLSORT_BYTES + n, with any n? */
static int clsort__is_bytes(cl_uint type)
{
    return type >> 8 == CLSORT_BYTES >> 8;
}

static cl_uint clsort__key_bits(cl_uint type)
{
    return clsort__is_bytes(type) ? 8 * (type & 0xFF) : type & 0xFF;
}

static int clsort__is_float(cl_uint type)
{
    return type >> 8 == CLSORT_F32 >> 8 || type >> 8 == CLSORT_BF16 >> 8;
}

static cl_uint clsort__mantissa_bits(cl_uint type)
{
    return type == CLSORT_F16 ? 10 : type == CLSORT_BF16 ? 7 : type == CLSORT_F32 ? 23 : 52;
}

/* The form of a public algorithm that sorts such a description (rows, segments, as published), or
   the algorithm itself. NULL if the number is unknown or there is no such form. */
static const clsort__algorithm *clsort__form_of(cl_uint algorithm, const clsort_desc *d);

/* Is a number one of the public algorithms? */
static int clsort__is_public(cl_uint algorithm)
{
    const clsort__algorithm *a = clsort__find_algorithm(algorithm);
    return a && a->base == algorithm;
}

/* The numbers that turn keys into codes; see codec_t in kernels.cl. */
static clsort__codec clsort__make_codec(const clsort_field *f)
{
    const cl_uint bits = clsort__key_bits(f->type);
    const cl_ulong sign = (cl_ulong)1 << (bits - 1), all = sign | (sign - 1);
    clsort__codec c = { 0, 0, 0, 0, 0 };
    if (clsort__is_float(f->type)) {
        c.mask = sign - 1;
        if (f->nan_order != CLSORT_NAN_TOTAL)
            c.rotate = ((cl_ulong)1 << clsort__mantissa_bits(f->type)) - 1;
        if (f->nan_order == CLSORT_NAN_EQUAL) c.nans = c.rotate;
        if (f->zero_order == CLSORT_ZERO_EQUAL) c.minus_zero = sign;
    }
    if (f->type >> 8 != CLSORT_U8 >> 8) c.flip = sign;
    if (f->order == CLSORT_DESCENDING) c.flip ^= all;
    return c;
}

/* Do keys of different bits have the same code? */
static int clsort__merges_codes(const clsort__codec *c) { return c->minus_zero || c->nans; }

/* The same in 64 bits, with the key's offset, for kernels that take keys out of records; see
   field_code in kernels.cl. */
static clsort__field clsort__pack_field(const clsort_field *f)
{
    const int is_bytes = clsort__is_bytes(f->type);
    const cl_ulong bytes = clsort__key_bits(f->type) / 8;
    clsort_field number = *f;
    clsort__codec c;
    cl_ulong sign;
    if (is_bytes) number.type = CLSORT_U64;
    c = clsort__make_codec(&number);
    sign = (cl_ulong)1 << (clsort__key_bits(number.type) - 1);
    return (cl_ulong)f->offset | bytes << CLSORT__FIELD_BYTES
           | (cl_ulong)((c.flip & sign) != 0) << CLSORT__FIELD_SIGN
           | (cl_ulong)((c.flip & 1) != 0) << CLSORT__FIELD_DESCENDING
           | (cl_ulong)(c.mask != 0) << CLSORT__FIELD_FLOAT
           | (cl_ulong)(c.minus_zero != 0) << CLSORT__FIELD_EQUAL_ZEROS
           | (cl_ulong)(c.nans != 0) << CLSORT__FIELD_EQUAL_NANS
           | (cl_ulong)is_bytes << CLSORT__FIELD_BIG_ENDIAN
           | (cl_ulong)(c.rotate ? clsort__mantissa_bits(f->type) : 0) << CLSORT__FIELD_MANTISSA;
}

/* The bits of a code that count: the first one, and the number of ignored bits at the top. */
static clsort__field clsort__pack_bits(const clsort_desc *d)
{
    const cl_uint ignored = d->last_bit ? clsort__key_bits(d->key_type) - d->last_bit : 0;
    return (cl_ulong)d->first_bit << CLSORT__FIELD_FIRST_BIT
           | (cl_ulong)ignored << CLSORT__FIELD_IGNORED_HIGH_BITS;
}

/* The bytes of a packed field. */
static size_t clsort__field_bytes(clsort__field f)
{
    return (cl_uint)(f >> CLSORT__FIELD_BYTES & 127);
}

/* `size` bytes of a packed field of bytes, from byte `first` on. */
static clsort__field clsort__field_piece(clsort__field f, size_t first, size_t size)
{
    const clsort__field all = (clsort__field)127 << CLSORT__FIELD_BYTES, bytes = size;
    return ((f & ~all) + first) | bytes << CLSORT__FIELD_BYTES;
}

/* Packs the fields, and cuts those of bytes so that, from the last one on, codes have 8 bytes
   wherever they can. */
static void clsort__plan_fields(const clsort_desc *d, clsort__key *k)
{
    clsort__field pieces[CLSORT__MAX_PIECES];
    cl_uint count = 0, f, i;
    size_t room = 8;
    for (f = d->field_count; f-- > 0;) {
        const clsort__field field = clsort__pack_field(&d->fields[f]);
        size_t left = clsort__field_bytes(field), size;
        for (; left; left -= size) {
            const int whole = !clsort__is_bytes(d->fields[f].type);
            if (!room || (whole && left > room)) room = 8;
            size = whole ? left : clsort__smaller(left, room);
            room -= size;
            pieces[count++] = whole ? field : clsort__field_piece(field, left - size, size);
        }
    }
    for (i = 0; i < count; i++) k->fields[i] = pieces[count - 1 - i];
    k->field_count = count;
}

/* The first of a key's fields that make one code together with field `last`: as many as 8 bytes
   hold. */
static cl_uint clsort__first_field(const clsort__key *k, cl_uint last)
{
    size_t bytes = clsort__field_bytes(k->fields[last]);
    while (last > 0 && bytes + clsort__field_bytes(k->fields[last - 1]) <= 8)
        bytes += clsort__field_bytes(k->fields[--last]);
    return last;
}

static size_t clsort__fields_bytes(const clsort__key *k, cl_uint first, cl_uint end)
{
    size_t bytes = 0;
    for (; first < end; first++) bytes += clsort__field_bytes(k->fields[first]);
    return bytes;
}

/* Do the fields make more than one code? */
static int clsort__several_codes(const clsort_desc *d)
{
    size_t bits = 0;
    cl_uint i;
    for (i = 0; d->fields && i < d->field_count; i++) bits += clsort__key_bits(d->fields[i].type);
    return bits > 64;
}

/* Bytes of the widest code that the fields make: 1, 2, 4 or 8. */
static size_t clsort__code_bytes(const clsort__key *k)
{
    size_t widest = 1;
    cl_uint end = k->field_count, first;
    for (; end > 0; end = first) {
        first = clsort__first_field(k, end - 1);
        while (widest < clsort__fields_bytes(k, first, end)) widest *= 2;
    }
    return widest;
}

/* Are some bits of the code left out? */
static int clsort__some_bits(const clsort_desc *d)
{
    return d->first_bit
           || (d->last_bit && (!d->key_type || d->last_bit != clsort__key_bits(d->key_type)));
}

/* Does the tuning name one of the published sorts of rows? */
static int clsort__is_batch(const clsort_desc *d)
{
    return clsort__local_choice(&d->tuning) >= CLSORT_LOCAL_BATCH_ODD_EVEN;
}

/* Will a call have a buffer: is it given, or announced by a flag? */
static int clsort__will_have(const clsort_desc *d, cl_mem buffer, cl_uint flag)
{
    return buffer || d->flags & flag;
}

/* Are rows or segments sorted, or a count that lies on the device? Rows of top_k are not: they are
   selected from. */
static int clsort__has_segments(const clsort_desc *d)
{
    if (d->top_k) return 0;
    return d->rows > 1 || clsort__is_batch(d) || d->segments || d->segment_count
           || clsort__will_have(d, d->count_buffer, CLSORT_FLAG_COUNT_BUFFER);
}

/* Adds a part to a layout and returns its offset. It begins another buffer if the last one has no
   room for it. */
static size_t clsort__take(clsort__layout *l, size_t bytes)
{
    const size_t offset = l->bytes, limit = ~(size_t)15;
    const size_t part = bytes < limit ? clsort__round_up(bytes) : limit;
    const size_t used = l->buffers ? offset - l->start[l->buffers - 1] : l->most;
    if (part && (used > l->most || part > l->most - used)) l->start[l->buffers++] = offset;
    if (part > l->most || part > limit - offset) l->too_large = 1;
    l->bytes = clsort__saturating_add(offset, part);
    return offset;
}

/* The most bytes of a scratch buffer: the device's limit, or an array of the caller's if that is
   larger. The caller's scratch is one buffer, of any size. */
static size_t clsort__most_bytes(const clsort_sorter *s, const clsort__plan *p)
{
    const size_t keys = p->d.keys ? p->data.extent * p->data.element_bytes : 0;
    const size_t values = p->d.values ? p->data.extent * p->d.value_size : 0;
    const cl_ulong any = ~(size_t)0, most = s && s->max_allocation < any ? s->max_allocation : any;
    if (p->d.scratch) return ~(size_t)0;
    return clsort__largest((size_t)most, keys, values);
}

/* Packs the fields of a description's key, and decides whether it is sorted as it is, or as codes
   that are made first. */
static void clsort__plan_key(const clsort_desc *d, clsort__key *k)
{
    clsort_field key;
    if (d->precedes) {
        k->bytes = 1;
    } else if (d->fields) {
        clsort__plan_fields(d, k);
        k->bytes = clsort__code_bytes(k);
        k->has_codes = 1;
    } else {
        key.offset = 0;   /* key_offset may be large: it is added to the place of the records */
        key.type = d->key_type;
        key.order = d->order;
        key.nan_order = d->nan_order;
        key.zero_order = d->zero_order;
        k->fields[0] = clsort__pack_field(&key) | clsort__pack_bits(d);
        k->field_count = 1;
        k->has_codes = clsort__has_segments(d) && clsort__some_bits(d);
        if (!k->has_codes) k->codec = clsort__make_codec(&key);
        k->bytes = clsort__key_bits(d->key_type) / 8;
    }
}

/* Elements from the first one of the first row to the last one of the last. */
static size_t clsort__extent(const clsort_desc *d, size_t element)
{
    return d->rows > 1 && d->count
               ? (d->rows - 1) * (d->row_stride ? d->row_stride / element : d->count) + d->count
               : d->count;
}

/* Rows of `count` elements of `element_bytes` bytes. */
typedef struct clsort__rows {
    clsort__span span;
    size_t rows, count, element_bytes;
    size_t stride;              /* bytes between the starts of rows */
    clsort__span starts;        /* or the elements that rows begin with, if this has a buffer */
} clsort__rows;

static clsort__rows clsort__make_rows(clsort__span span, size_t rows, size_t count, size_t element,
                                      size_t stride)
{
    clsort__rows r;
    r.span = span;
    r.rows = rows ? rows : 1;
    r.count = count;
    r.element_bytes = element;
    r.stride = stride ? stride : count * element;
    r.starts = clsort__make_span(NULL, 0);
    return r;
}

/* Bytes from the first element of the first row to the last element of the last one. */
static size_t clsort__rows_bytes(const clsort__rows *r)
{
    const size_t gaps = (r->rows - 1) * r->stride;
    return r->count ? gaps + r->count * r->element_bytes : 0;
}

/* Takes the arrays from a description. */
static void clsort__plan_spans(const clsort_desc *d, clsort__data *a)
{
    a->keys = a->keys_to = clsort__make_span(d->keys, d->keys_offset);
    a->values = a->values_to = clsort__make_span(d->values, d->values_offset);
    if (!a->in_place) a->keys_to = clsort__make_span(d->keys_out, d->keys_out_offset);
    if (!a->values_in_place) a->values_to = clsort__make_span(d->values_out, d->values_out_offset);
    a->indices = clsort__make_span(d->indices, d->indices_offset);
    a->offsets = clsort__make_span(d->segments, d->segments_offset);
    a->ends = d->segment_ends ? clsort__make_span(d->segment_ends, d->segment_ends_offset)
                              : clsort__span_from(a->offsets, sizeof(cl_uint));
    a->lengths = clsort__make_span(d->lengths, d->lengths_offset);
    a->count = clsort__make_span(d->count_buffer, d->count_offset);
}

/* Are only some elements of each row written? */
static int clsort__takes_some(const clsort_desc *d)
{
    return d->top_k && !(d->flags & CLSORT_FLAG_TOP_PARTITION);
}

/* Elements that are written per row. */
static size_t clsort__wanted(const clsort_desc *d)
{
    return !clsort__takes_some(d) ? d->count : d->flags & CLSORT_FLAG_TOP_NTH ? 1 : d->top_k;
}

/* The rows of outputs: those of the input, and segments that are selected from. */
static size_t clsort__output_rows(const clsort_desc *d)
{
    const size_t rows = d->segment_count ? clsort__takes_some(d) ? d->segment_count : 1 : d->rows;
    return rows ? rows : 1;
}

/* Is the stride of an output another one than by default? Without row_stride always: then a larger
   count never needs less scratch. */
static int clsort__own_stride(const clsort_desc *d, size_t given, size_t element, size_t key)
{
    if (clsort__takes_some(d)) return given && given != clsort__wanted(d) * element;
    return given && (!d->row_stride || d->row_stride / key * element != given);
}

/* Derives the strides of outputs. Those of sorts are elements apart like the keys; those of
   selections, `wanted` per row, have no gaps. */
static void clsort__plan_strides(const clsort_desc *d, clsort__data *a)
{
    const size_t step = clsort__takes_some(d) ? a->wanted : a->stride, key = a->element_bytes;
    a->keys_apart = d->keys_out_row_stride ? d->keys_out_row_stride : step * key;
    a->values_apart = d->values_out_row_stride ? d->values_out_row_stride : step * d->value_size;
    a->indices_apart = d->indices_row_stride ? d->indices_row_stride : step * 4;
    a->own_strides = clsort__output_rows(d) > 1
                     && (clsort__own_stride(d, d->keys_out_row_stride, key, key)
                         || clsort__own_stride(d, d->values_out_row_stride, d->value_size, key)
                         || clsort__own_stride(d, d->indices_row_stride, 4, key));
}

/* Derives which arrays there are, which of them are written, and how they are cut into segments. */
static void clsort__plan_arrays(const clsort_desc *d, size_t key_bytes, clsort__data *a)
{
    a->element_bytes = d->record_size ? d->record_size
                       : d->key_type  ? clsort__key_bits(d->key_type) / 8
                                      : key_bytes;
    a->at_offsets = d->segments || d->segment_count;
    a->has_gaps = d->segment_ends != NULL;
    a->count_on_device = clsort__will_have(d, d->count_buffer, CLSORT_FLAG_COUNT_BUFFER);
    a->has_lengths = clsort__will_have(d, d->lengths, CLSORT_FLAG_LENGTHS);
    a->segments = a->at_offsets             ? d->segment_count
                  : clsort__has_segments(d) ? d->rows ? d->rows : 1
                                            : 0;
    a->stride = d->row_stride && !a->at_offsets ? d->row_stride / a->element_bytes : d->count;
    a->extent = clsort__extent(d, a->element_bytes);
    a->wanted = clsort__wanted(d);
    a->has_indices = clsort__will_have(d, d->indices, CLSORT_FLAG_INDICES);
    a->has_values = d->value_size > 0;
    a->writes_keys = !a->has_indices || clsort__will_have(d, d->keys_out, CLSORT_FLAG_KEYS_OUT);
    a->in_place = d->keys_out ? d->keys_out == d->keys && d->keys_out_offset == d->keys_offset
                              : !(d->flags & CLSORT_FLAG_KEYS_OUT);
    a->values_in_place = d->values_out ? d->values_out == d->values
                                             && d->values_out_offset == d->values_offset
                                       : !(d->flags & CLSORT_FLAG_VALUES_OUT);
    clsort__plan_spans(d, a);
    clsort__plan_strides(d, a);
}

/* Does an order need a stable algorithm? Bare keys do not: equal ones are the same. Rows do, even a
   single one, so that it is sorted as several are. */
static int clsort__needs_stable(const clsort__plan *p)
{
    const int asked = p->d.stable || (p->d.rows && !clsort__is_batch(&p->d));
    return p->d.precedes || p->d.fields || clsort__merges_codes(&p->key.codec)
           || (asked && (p->data.has_indices || p->data.has_values || p->d.record_size));
}

/* The abilities that a description needs, as CLSORT__CAN_*. */
static cl_uint clsort__demands(const clsort_desc *d)
{
    cl_uint demands = 0;
    if (clsort__is_batch(d) && !d->rows) return ~0u;
    if (clsort__some_bits(d)) demands |= CLSORT__CAN_BITS;
    if (clsort__several_codes(d)) demands |= CLSORT__CAN_CODES;
    if (d->precedes) demands |= CLSORT__CAN_PRECEDES;
    if (!d->top_k
        && (d->segments || d->segment_count
            || clsort__will_have(d, d->count_buffer, CLSORT_FLAG_COUNT_BUFFER)))
        demands |= CLSORT__CAN_SEGMENTS;
    return demands;
}

/* Does an algorithm have the abilities that a description needs? */
static int clsort__can(cl_uint algorithm, const clsort_desc *d)
{
    const clsort__algorithm *a = clsort__form_of(algorithm, d);
    return a && !a->left_out && !(clsort__demands(d) & ~a->can);
}

/* Does any algorithm that the description allows? */
static int clsort__can_any(const clsort_desc *d)
{
    cl_uint a;
    if (d->algorithm) return clsort__can(d->algorithm, d);
    for (a = 1; clsort__is_public(a); a++)
        if (clsort__can(a, d)) return 1;
    return 0;
}

/* Are there keys and nothing else? */
static int clsort__is_bare(const clsort_desc *d)
{
    return !d->value_size && !d->record_size
           && !clsort__will_have(d, d->indices, CLSORT_FLAG_INDICES);
}

/* The crossovers of AUTO, in elements: bitonic up to `bitonic`, radix from `radix` on, else merge;
   radix by hybrid kernels, or on CPUs in cache, where they can sort this, from `hybrid` on.
   The first row that fits the device, the payload and the key's bits is taken. Measured on an
   NVIDIA H200, and on CPUs with PoCL and Intel's runtime; for other GPUs derived from NVIDIA's,
   without sweeps. */
enum { CLSORT__NVIDIA, CLSORT__OTHER_GPU, CLSORT__CPU_ROWS, CLSORT__CPU };
static const struct clsort__crossover {
    int device, bare;
    cl_uint bits;
    cl_uint bitonic, radix, hybrid;
} clsort__crossovers[] = {
#define CLSORT__NEVER 0xFFFFFFFFu
    { CLSORT__NVIDIA, 1, 16, 1u << 12, 1u << 16, CLSORT__NEVER },
    { CLSORT__NVIDIA, 1, 32, 1u << 12, 1u << 20, 1u << 23 },
    { CLSORT__NVIDIA, 0, 16, 0, 1u << 16, CLSORT__NEVER },
    { CLSORT__NVIDIA, 0, 32, 0, 1u << 20, CLSORT__NEVER },
    { CLSORT__NVIDIA, 1, 64, 0, 1u << 22, 1u << 22 },
    { CLSORT__NVIDIA, 0, 64, 0, 1u << 22, CLSORT__NEVER },
    { CLSORT__OTHER_GPU, 1, 32, 1u << 12, CLSORT__NEVER, CLSORT__NEVER },
    { CLSORT__OTHER_GPU, 1, 64, 0, CLSORT__NEVER, CLSORT__NEVER },
    { CLSORT__OTHER_GPU, 0, 64, 0, CLSORT__NEVER, CLSORT__NEVER },
    { CLSORT__CPU_ROWS, 1, 16, CLSORT__NEVER, 1u << 10, CLSORT__NEVER },
    { CLSORT__CPU_ROWS, 1, 32, CLSORT__NEVER, 1u << 9, 1u << 9 },
    { CLSORT__CPU_ROWS, 1, 64, CLSORT__NEVER, 1u << 9, 1u << 9 },
    { CLSORT__CPU_ROWS, 0, 16, CLSORT__NEVER, 1u << 11, CLSORT__NEVER },
    { CLSORT__CPU_ROWS, 0, 64, CLSORT__NEVER, 1u << 11, 1u << 17 },
    { CLSORT__CPU, 1, 16, CLSORT__NEVER, 1u << 10, CLSORT__NEVER },
    { CLSORT__CPU, 1, 32, CLSORT__NEVER, 1u << 18, CLSORT__NEVER },
    { CLSORT__CPU, 1, 64, CLSORT__NEVER, 1u << 22, 1u << 22 },
    { CLSORT__CPU, 0, 16, CLSORT__NEVER, 1u << 12, CLSORT__NEVER },
    { CLSORT__CPU, 0, 64, CLSORT__NEVER, 1u << 12, 1u << 22 }
#undef CLSORT__NEVER
};

/* The row of a device; s may be NULL: of an NVIDIA GPU, where most algorithms are taken. */
static const struct clsort__crossover *clsort__find_crossover(const clsort_sorter *s,
                                                              const clsort_desc *d)
{
    const int device = !s || s->has_progress ? CLSORT__NVIDIA
                       : s->has_rows         ? CLSORT__CPU_ROWS
                       : s->is_cpu           ? CLSORT__CPU
                                             : CLSORT__OTHER_GPU,
              bare = clsort__is_bare(d);
    const struct clsort__crossover *c = clsort__crossovers;
    while (c->device != device || c->bare != bare || c->bits < clsort__key_bits(d->key_type)) c++;
    return c;
}

/* The algorithms in the order of AUTO's preference; merge first if the device is not known. */
static const cl_uint *clsort__preferences(const clsort_sorter *s, const clsort_desc *d)
{
    static const cl_uint orders[3][3] = { { CLSORT_RADIX, CLSORT_MERGE, CLSORT_BITONIC },
                                          { CLSORT_BITONIC, CLSORT_RADIX, CLSORT_MERGE },
                                          { CLSORT_MERGE, CLSORT_RADIX, CLSORT_BITONIC } };
    const struct clsort__crossover *c = s ? clsort__find_crossover(s, d) : NULL;
    return orders[c && d->count >= c->radix ? 0 : c && d->count <= c->bitonic ? 1 : 2];
}

/* AUTO's choice: the first algorithm in its order that can sort this and did not fail the
   self-test. CLSORT_AUTO if none is left. s may be NULL. */
static cl_uint clsort__choose_algorithm(const clsort_sorter *s, const clsort_desc *d)
{
    const cl_uint *algorithms = clsort__preferences(s, d);
    int i;
    for (i = 0; i < 3; i++)
        if (clsort__can(algorithms[i], d) && !(s && s->broken & CLSORT__BIT(algorithms[i])))
            return algorithms[i];
    return CLSORT_AUTO;
}

/* The build options of a plan's kernels of another family. */
static clsort__config clsort__config_of(const clsort__plan *p, cl_uint family)
{
    clsort__config c = p->config;
    c.family = family;
    return c;
}

/* Derives what the kernels of a plan are compiled for. s may be NULL: then only sizes are right. */
static void clsort__plan_config(const clsort_sorter *s, clsort__plan *p)
{
    clsort__config *c = &p->config;
    const clsort_desc *d = &p->d;
    c->family = p->algorithm->number;
    c->key_bytes = (cl_uint)p->key.bytes;
    c->records = d->precedes || (!p->indirect && d->record_size > 0);
    c->value_bytes = p->indirect ? 4 : (cl_uint)(d->record_size ? d->record_size : d->value_size);
    c->ties = p->indirect && p->stable && !p->algorithm->stable;
    c->indirect = d->precedes && p->indirect;
    if (!s) return;
    c->lanes = 1;
    c->comparator = clsort__find_comparator(s, d);
    p->algorithm->plan(s, p);
}

/* Lays out the scratch memory. The header's MEMORY chapter states the same formula. */
static void clsort__plan_scratch(const clsort_sorter *s, clsort__plan *p)
{
    clsort__layout *l = &p->scratch.layout;
    const size_t n = p->data.extent;
    const int alt = p->algorithm->needs_alt;
    l->most = clsort__most_bytes(s, p);
    if (p->indirect) {
        if (!p->sorts_into_output && !p->d.precedes)
            p->scratch.work_keys = clsort__take(l, n * p->key.bytes);
        if (!p->data.has_indices || p->data.segments)
            p->scratch.work_indices = clsort__take(l, n * 4);
        if (!p->sorts_into_output && p->data.writes_keys && p->data.in_place)
            p->scratch.copied_keys = clsort__take(l, n * p->data.element_bytes);
        if (p->data.has_values && p->data.values_in_place)
            p->scratch.copied_values = clsort__take(l, n * p->d.value_size);
    }
    if (alt == CLSORT__ALT_ALWAYS
        || (alt == CLSORT__ALT_BY_A && clsort__step_choice(&p->d.tuning) == CLSORT_STEP_A)) {
        p->scratch.alt_keys = clsort__take(l, p->config.records ? 0 : n * p->key.bytes);
        p->scratch.alt_values = clsort__take(l, n * p->config.value_bytes);
    }
    if (p->algorithm->tables) p->scratch.tables = clsort__take(l, p->algorithm->tables(s, p));
}

/* Derives everything but the layout of scratch from a description whose plain values were checked.
   The description must not be the plan's own. */
static void clsort__make_plan(const clsort_sorter *s, const clsort_desc *d, clsort__plan *p)
{
    memset(p, 0, sizeof *p);
    p->d = *d;
    clsort__plan_key(d, &p->key);
    clsort__plan_arrays(d, p->key.bytes, &p->data);
    if (d->algorithm == CLSORT_AUTO) p->d.algorithm = clsort__choose_algorithm(s, d);
    p->none_left = !p->d.algorithm;
    if (!p->d.algorithm) p->d.algorithm = CLSORT_MERGE;   /* none can: keys are only read */
    p->algorithm = clsort__form_of(p->d.algorithm, d);
    p->stable = p->algorithm->stable || clsort__needs_stable(p);
    p->indirect = p->data.has_indices || clsort__merges_codes(&p->key.codec) || d->value_size > 8
                  || d->record_size > 16 || p->key.has_codes || p->data.own_strides
                  || (p->data.segments && p->data.has_values
                      && p->data.in_place != p->data.values_in_place)
                  || (d->precedes && d->record_size % 4) || (d->record_size && d->value_size)
                  || (!p->algorithm->stable && clsort__needs_stable(p));
    p->sorts_into_output = p->data.writes_keys && !d->record_size
                           && !clsort__merges_codes(&p->key.codec) && !p->key.has_codes
                           && (!p->data.segments || p->data.in_place);
    clsort__plan_config(s, p);
}

/* The most scratch that any choice of AUTO needs for a checked description on any device. */
static clsort__layout clsort__most_scratch(const clsort_desc *desc)
{
    clsort_desc d = *desc;
    clsort__plan p;
    clsort__layout most;
    memset(&most, 0, sizeof most);
    for (d.algorithm = 1; clsort__is_public(d.algorithm); d.algorithm++) {
        if (desc->algorithm && d.algorithm != desc->algorithm) continue;
        if (!clsort__can(d.algorithm, &d)) continue;
        clsort__make_plan(NULL, &d, &p);
        clsort__plan_scratch(NULL, &p);
        if (p.scratch.layout.bytes > most.bytes) most = p.scratch.layout;
    }
    return most;
}

/* ---- >>check --------------------------------------------------------------------------------- */

#define CLSORT__ENUMERATOR(name, code, text) CLSORT__RANK_OF_##name,
enum { CLSORT_STATUS_LIST(CLSORT__ENUMERATOR) CLSORT__RANK_OF_NONE };
#undef CLSORT__ENUMERATOR

/* The index of a status in CLSORT_STATUS_LIST. */
static int clsort__rank(clsort_status status)
{
#define CLSORT__CASE(name, code, text) case code: return CLSORT__RANK_OF_##name;
    switch (status) {
        CLSORT_STATUS_LIST(CLSORT__CASE)
        default: return CLSORT__RANK_OF_NONE;
    }
#undef CLSORT__CASE
}

/* The result of the checks of a call's arguments: of all mistakes, the one whose code comes first
   in CLSORT_STATUS_LIST, whatever the order of the checks. */
typedef struct clsort__checks {
    clsort_sorter *s;
    int needs_buffers;          /* the call sorts now: its buffers must be there */
    clsort_status status;       /* CL_SUCCESS: no mistake */
    char detail[200];
} clsort__checks;

static clsort__checks clsort__begin_checks(clsort_sorter *s)
{
    clsort__checks c;
    memset(&c, 0, sizeof c);
    c.s = s;
    return c;
}

/* Would a mistake of this code be reported? A check that computes with values that other checks
   refuse asks first: it is skipped when an earlier code is already known. */
static int clsort__may_blame(const clsort__checks *c, clsort_status status)
{
    return clsort__rank(status) < clsort__rank(c->status);
}

static void clsort__blame(clsort__checks *c, clsort_status status, const char *format, ...)
{
    va_list arguments;
    if (!clsort__may_blame(c, status)) return;
    c->status = status;
    va_start(arguments, format);
    vsnprintf(c->detail, sizeof c->detail, format, arguments);
    va_end(arguments);
}

/* One possible mistake: whether it was made, and its text for the message. */
typedef struct clsort__mistake { int made; const char *detail; } clsort__mistake;

static void clsort__blame_first(clsort__checks *c, clsort_status status, const clsort__mistake *m,
                                size_t count)
{
    size_t i;
    for (i = 0; i < count; i++)
        if (m[i].made) clsort__blame(c, status, "%s", m[i].detail);
}

#define CLSORT__BLAME(c, status, list) \
    clsort__blame_first(c, status, list, sizeof list / sizeof *list)

/* Reports the mistake, if there is one. */
static clsort_status clsort__conclude(const clsort__checks *c)
{
    return c->status == CL_SUCCESS ? CL_SUCCESS
                                   : clsort__fail(c->s, c->status, c->s->function, c->detail);
}

/* NULL for a sorter without a context: then plans are made for any device. */
static const clsort_sorter *clsort__known_device(const clsort_sorter *s)
{
    return s->context ? s : NULL;
}

static int clsort__known_key_type(cl_uint type)
{
    switch (type) {
        case CLSORT_U8: case CLSORT_U16: case CLSORT_U32: case CLSORT_U64:
        case CLSORT_I8: case CLSORT_I16: case CLSORT_I32: case CLSORT_I64:
        case CLSORT_F16: case CLSORT_F32: case CLSORT_F64: case CLSORT_BF16: return 1;
        default: return 0;
    }
}

static int clsort__known_field_type(cl_uint type)
{
    return clsort__known_key_type(type)
           || (type > CLSORT_BYTES && type <= CLSORT_BYTES + CLSORT_MAX_FIELD_BYTES);
}

/* Blames part `name` of field number i. */
static void clsort__blame_field(clsort__checks *c, clsort_status status, unsigned i,
                                const char *name)
{
    clsort__blame(c, status, "fields[%u].%s", i, name);
}

/* Is the order given once, and completely? */
static void clsort__check_order_given(clsort__checks *c, const clsort_desc *d)
{
    const clsort__mistake mistakes[] = {
        { d->fields && d->precedes, "fields beside precedes: set one of them" },
        { d->precedes && !d->record_type,
          "precedes without record_type, which declares clsort_record" },
        { d->record_type && !d->precedes, "record_type without precedes" },
        { d->fields && !d->field_count, "fields without field_count" },
        { d->field_count && !d->fields, "field_count without fields" },
        { d->field_count > CLSORT_MAX_FIELDS, "field_count is above CLSORT_MAX_FIELDS" },
        { !d->record_size, "fields or precedes without record_size" },
        { d->key_type != 0, "key_type beside fields or precedes" },
        { d->order != 0, "order beside fields or precedes" },
        { d->nan_order != 0, "nan_order beside fields or precedes" },
        { d->zero_order != 0, "zero_order beside fields or precedes" },
        { d->key_offset != 0, "key_offset beside fields or precedes" }
    };
    cl_uint i;
    if (!d->fields && !d->precedes && !d->record_type && !d->field_count) {
        if (!clsort__known_key_type(d->key_type))
            clsort__blame(c, CLSORT_ERROR_KEY_TYPE, "key_type");
        return;
    }
    CLSORT__BLAME(c, CLSORT_ERROR_FIELDS, mistakes);
    for (i = 0; d->fields && i < d->field_count && i < CLSORT_MAX_FIELDS; i++)
        if (!clsort__known_field_type(d->fields[i].type))
            clsort__blame_field(c, CLSORT_ERROR_KEY_TYPE, i, "type");
}

static void clsort__check_field_values(clsort__checks *c, const clsort_desc *d)
{
    cl_uint i;
    for (i = 0; i < d->field_count; i++) {
        const clsort_field *f = &d->fields[i];
        if (f->order > CLSORT_DESCENDING)
            clsort__blame_field(c, CLSORT_ERROR_UNKNOWN_VALUE, i, "order");
        if (f->nan_order > CLSORT_NAN_EQUAL)
            clsort__blame_field(c, CLSORT_ERROR_UNKNOWN_VALUE, i, "nan_order");
        if (f->zero_order > CLSORT_ZERO_EQUAL)
            clsort__blame_field(c, CLSORT_ERROR_UNKNOWN_VALUE, i, "zero_order");
    }
}

static void clsort__check_values(clsort__checks *c, const clsort_desc *d)
{
    static const cl_uint none[sizeof ((clsort_tuning *)0)->reserved / sizeof(cl_uint)] = { 0 };
    const clsort_tuning *t = &d->tuning;
    const clsort__mistake mistakes[] = {
        { memcmp(t->reserved, none, sizeof none) != 0, "tuning.reserved: it must be 0" },
        { d->order > CLSORT_DESCENDING, "order: CLSORT_ASCENDING or CLSORT_DESCENDING" },
        { d->nan_order > CLSORT_NAN_EQUAL, "nan_order: CLSORT_NAN_TOTAL, _LAST or _EQUAL" },
        { d->zero_order > CLSORT_ZERO_EQUAL,
          "zero_order: CLSORT_ZERO_DISTINCT or CLSORT_ZERO_EQUAL" },
        { d->algorithm && !clsort__is_public(d->algorithm),
          "algorithm: CLSORT_AUTO to CLSORT_QUICKSORT" },
        { t->radix > CLSORT_RADIX_CACHED, "tuning.radix" },
        { t->pivot > CLSORT_PIVOT_SAMPLE, "tuning.pivot" },
        { t->scheduler > CLSORT_SCHEDULER_QUEUED, "tuning.scheduler" },
        { t->scan > CLSORT_SCAN_BLELLOCH, "tuning.scan" },
        { t->bitonic_step && !clsort__power_of_two(t->bitonic_step, 1, 16), "tuning.bitonic_step" },
        { t->local > CLSORT_LOCAL_BATCH_SPLIT, "tuning.local" },
        { t->work_group && !clsort__power_of_two(t->work_group, 1, 1u << 31),
          "tuning.work_group: a power of two" },
        { t->items && !clsort__power_of_two(t->items, 1, 512),
          "tuning.items: a power of two up to 512" }
    };
    CLSORT__BLAME(c, CLSORT_ERROR_UNKNOWN_VALUE, mistakes);
    clsort__check_field_values(c, d);
}

/* Is the range of bits one of the key's? */
static void clsort__check_bits(clsort__checks *c, const clsort_desc *d)
{
    const cl_uint width = clsort__key_bits(d->key_type), last = d->last_bit ? d->last_bit : width;
    const clsort__mistake mistakes[] = {
        { !d->key_type, "first_bit, last_bit beside fields or precedes" },
        { last > width, "last_bit is above the key's width" },
        { d->first_bit == last, "no bit lies between first_bit and last_bit" },
        { d->first_bit > last, "first_bit is above last_bit" }
    };
    if (clsort__some_bits(d)) CLSORT__BLAME(c, CLSORT_ERROR_BIT_RANGE, mistakes);
}

static void clsort__check_flags(clsort__checks *c, const clsort_desc *d, int purpose)
{
    const cl_uint others = CLSORT_FLAG_TOP_UNSORTED | CLSORT_FLAG_TOP_NTH,
                  top = others | CLSORT_FLAG_TOP_PARTITION;
    const cl_uint known = CLSORT_FLAG_NO_BUILD | CLSORT_FLAG_INDICES | CLSORT_FLAG_KEYS_OUT
                          | CLSORT_FLAG_VALUES_OUT | CLSORT_FLAG_COUNT_BUFFER | CLSORT_FLAG_LENGTHS
                          | CLSORT_FLAG_ANY_COUNT | top;
    const clsort__mistake mistakes[] = {
        { (d->flags & ~known) != 0, "flags" },
        { (d->flags & top) && purpose != CLSORT__TO_SELECT,
          "flags: CLSORT_FLAG_TOP_UNSORTED, _NTH and _PARTITION need top_k" },
        { (d->flags & CLSORT_FLAG_TOP_PARTITION) && (d->flags & others),
          "flags: CLSORT_FLAG_TOP_PARTITION beside _UNSORTED or _NTH" }
    };
    CLSORT__BLAME(c, CLSORT_ERROR_UNKNOWN_FLAG, mistakes);
}

/* Names the part of a description that an algorithm cannot do. a is NULL if it has no form for such
   rows or segments. */
static const char *clsort__unsupported_part(const clsort__algorithm *a, const clsort_desc *d)
{
    const cl_uint missing = a ? clsort__demands(d) & ~a->can : (cl_uint)CLSORT__CAN_SEGMENTS;
    if (clsort__is_batch(d) && !a) return "tuning.local";
    if (clsort__is_batch(d) && !d->rows) return "rows, which are missing";
    if (missing & CLSORT__CAN_PRECEDES)
        return clsort__has_segments(d) ? "precedes beside rows, segments or count_buffer"
                                       : "precedes";
    if (missing & CLSORT__CAN_BITS) return "first_bit, last_bit";
    if (missing & CLSORT__CAN_CODES) return "fields of more than 8 bytes";
    return d->rows > 1 ? "rows" : d->segments || d->segment_count ? "segments" : "count_buffer";
}

/* Blames the algorithm that a description names, and lists those that could sort it. */
static void clsort__blame_algorithm(clsort__checks *c, const clsort_desc *d)
{
    const int batch = clsort__is_batch(d);
    const cl_uint usual = batch ? CLSORT_BITONIC : CLSORT_MERGE,
                  asked = d->algorithm ? d->algorithm : usual;
    const char *before = " by this algorithm: set it to CLSORT_AUTO, or to ";
    char others[100] = "";
    size_t used = 0;
    cl_uint a;
    for (a = 1; clsort__is_public(a); a++) {
        if (!clsort__can(a, d)) continue;
        snprintf(others + used, sizeof others - used, "%s%s", before,
                 clsort__find_algorithm(a)->name);
        used += strlen(others + used);
        before = ", ";
    }
    clsort__blame(c, CLSORT_ERROR_UNSUPPORTED, "%s%s%s",
                  clsort__unsupported_part(clsort__form_of(asked, d), d),
                  batch ? " with tuning.local of rows as published" : "",
                  used ? others : ": no algorithm does that");
}

static void clsort__check_tuning(clsort__checks *c, const clsort_desc *d)
{
    const clsort_tuning *t = &d->tuning;
    const cl_uint a = d->algorithm;
    const int merge = a == CLSORT_MERGE, quick = a == CLSORT_QUICKSORT;
    const int on_device = quick && t->scheduler == CLSORT_SCHEDULER_DEVICE;
    const int vectors = !merge && !quick && !clsort__is_batch(d) && clsort__has_vector_form(t);
    const clsort__mistake mistakes[] = {
        { on_device && c->s->context && !c->s->enqueues,
          "tuning.scheduler: this device has no CLSORT_SCHEDULER_DEVICE" },
        { quick && t->scan == CLSORT_SCAN_BUILTIN && !on_device,
          "tuning.scan: CLSORT_SCAN_BUILTIN needs CLSORT_SCHEDULER_DEVICE" },
        { t->local == CLSORT_LOCAL_ONLY && clsort__has_segments(d),
          "tuning.local: CLSORT_LOCAL_ONLY beside rows, segments or a count on the device" },
        { t->bitonic_step && clsort__is_batch(d),
          "tuning.bitonic_step beside tuning.local of rows as published" },
        { merge && t->local && t->local != CLSORT_LOCAL_ONLY,
          "tuning.local: CLSORT_MERGE knows CLSORT_LOCAL_ONLY alone" },
        { t->local && a != CLSORT_BITONIC && (d->precedes || d->fields),
          "tuning.local beside fields or precedes: only by CLSORT_BITONIC" },
        { t->items > 32 && !vectors, "tuning.items above 32 with this variant" },
        { t->bitonic_step && a && a != CLSORT_BITONIC,
          "tuning.bitonic_step: only CLSORT_BITONIC has it" },
        { t->local && (a == CLSORT_RADIX || quick),
          "tuning.local: only CLSORT_BITONIC and CLSORT_MERGE have it" },
        { t->radix && a && a != CLSORT_RADIX, "tuning.radix: only CLSORT_RADIX has it" },
        { t->scheduler && a && !quick, "tuning.scheduler: only CLSORT_QUICKSORT has it" }
    };
    CLSORT__BLAME(c, CLSORT_ERROR_UNSUPPORTED, mistakes);
}

static void clsort__check_supported(clsort__checks *c, const clsort_desc *d, int purpose)
{
    const int selects = purpose == CLSORT__TO_SELECT, segments = d->segments || d->segment_count,
              lengths = clsort__will_have(d, d->lengths, CLSORT_FLAG_LENGTHS);
    const clsort__algorithm *a = clsort__find_algorithm(d->algorithm);
    const clsort__mistake mistakes[] = {
        { a && a->left_out, "algorithm: it was left out by CLSORT_NO_*" },
        { !CLSORT__HAS_PUBLISHED && (d->tuning.bitonic_step || d->tuning.local),
          "tuning.bitonic_step, tuning.local: they were left out by CLSORT_NO_PUBLISHED" },
        { selects && d->algorithm, "algorithm beside top_k: set CLSORT_AUTO" },
        { selects && d->precedes, "precedes beside top_k" },
        { selects && clsort__several_codes(d), "fields of more than 8 bytes beside top_k" },
        { !selects && d->top_k, "top_k: only clsort_enqueue_sort selects" },
        { !selects && lengths, "lengths without top_k: sort segments" },
        { lengths && segments, "lengths beside segments: use rows" },
        { d->rows > 1 && segments, "rows beside segments: set one of them" }
    };
    if (!clsort__may_blame(c, CLSORT_ERROR_UNSUPPORTED)) return;
    CLSORT__BLAME(c, CLSORT_ERROR_UNSUPPORTED, mistakes);
    if ((purpose == CLSORT__TO_SORT || d->precedes) && !clsort__can_any(d))
        clsort__blame_algorithm(c, d);
    clsort__check_tuning(c, d);
}

/* Does the size of `count` elements of `size` bytes at an offset fit into a size_t? With a margin
   for rounding and for sums of several arrays. */
static int clsort__fits(size_t count, size_t size, size_t offset)
{
    const size_t most = ~(size_t)0 / 16;
    return offset <= most && (!size || count <= (most - offset) / size);
}

static void clsort__need_room(clsort__checks *c, const char *field, size_t count, size_t size,
                              size_t offset)
{
    if (!clsort__fits(count, size, offset)) clsort__blame(c, CLSORT_ERROR_SIZE_OVERFLOW, field);
}

static void clsort__need_multiple(clsort__checks *c, const char *field, size_t value, size_t unit)
{
    if (value % unit)
        clsort__blame(c, CLSORT_ERROR_MISALIGNED, "%s is %.0f, not a multiple of %.0f", field,
                      (double)value, (double)unit);
}

/* Can the device allocate an array that is not given yet? */
static void clsort__need_allocation(clsort__checks *c, const char *field, size_t count, size_t size)
{
    const cl_ulong most = c->s->max_allocation;
    if (!c->s->context || !size || count <= most / size) return;
    clsort__blame(c, CLSORT_ERROR_COUNT_TOO_LARGE,
                  "%s of %.0f elements of %.0f bytes: the device allocates %.0f bytes at once",
                  field, (double)count, (double)size, (double)most);
}

/* The strides of outputs. */
static void clsort__check_unused_strides(clsort__checks *c, const clsort_desc *d)
{
    const int rows = d->rows || (d->top_k && d->segment_count);
    const int keys_out = clsort__will_have(d, d->keys_out, CLSORT_FLAG_KEYS_OUT);
    const int values_out = clsort__will_have(d, d->values_out, CLSORT_FLAG_VALUES_OUT);
    const int indices = clsort__will_have(d, d->indices, CLSORT_FLAG_INDICES);
    const clsort__mistake mistakes[] = {
        { d->keys_out_row_stride && (!rows || !keys_out),
          "keys_out_row_stride without rows, or without keys_out or CLSORT_FLAG_KEYS_OUT" },
        { d->values_out_row_stride && (!rows || !values_out),
          "values_out_row_stride without rows, or without values_out or CLSORT_FLAG_VALUES_OUT" },
        { d->indices_row_stride && (!rows || !indices),
          "indices_row_stride without rows, or without indices or CLSORT_FLAG_INDICES" }
    };
    CLSORT__BLAME(c, CLSORT_ERROR_UNUSED_FIELD, mistakes);
}

/* Fields that only describe another one, which is not set. Scratch has no flag that announces it:
   until the call, its fields may be set without it. */
static void clsort__check_unused(clsort__checks *c, const clsort_desc *d)
{
    const int keys_out = clsort__will_have(d, d->keys_out, CLSORT_FLAG_KEYS_OUT);
    const int values_out = clsort__will_have(d, d->values_out, CLSORT_FLAG_VALUES_OUT);
    const int indices = clsort__will_have(d, d->indices, CLSORT_FLAG_INDICES);
    const int counts = clsort__will_have(d, d->count_buffer, CLSORT_FLAG_COUNT_BUFFER);
    const int lengths = clsort__will_have(d, d->lengths, CLSORT_FLAG_LENGTHS);
    const int no_scratch = c->needs_buffers && !d->scratch;
    const clsort__mistake mistakes[] = {
        { d->row_stride && !d->rows, "row_stride without rows" },
        { d->segments && !d->segment_count, "segments without segment_count" },
        { d->segments_offset && !d->segment_count, "segments_offset without segments" },
        { d->segment_ends && !d->segment_count, "segment_ends without segments" },
        { d->segment_ends_offset && !d->segment_ends, "segment_ends_offset without segment_ends" },
        { d->count_offset && !counts, "count_offset without count_buffer" },
        { lengths && !d->rows, "lengths without rows" },
        { d->lengths_offset && !lengths, "lengths_offset without lengths or CLSORT_FLAG_LENGTHS" },
        { d->keys_out_offset && !keys_out,
          "keys_out_offset without keys_out or CLSORT_FLAG_KEYS_OUT" },
        { d->values_offset && !d->value_size, "values_offset without values" },
        { d->values_out_offset && !values_out,
          "values_out_offset without values_out or CLSORT_FLAG_VALUES_OUT" },
        { d->indices_offset && !indices, "indices_offset without indices or CLSORT_FLAG_INDICES" },
        { d->scratch_size && no_scratch, "scratch_size without scratch" },
        { d->scratch_offset && no_scratch, "scratch_offset without scratch" }
    };
    CLSORT__BLAME(c, CLSORT_ERROR_UNUSED_FIELD, mistakes);
    clsort__check_unused_strides(c, d);
}

/* Values and records, and whether keys lie inside of these. */
static void clsort__check_payload(clsort__checks *c, const clsort_desc *d, size_t key)
{
    const int values_out = clsort__will_have(d, d->values_out, CLSORT_FLAG_VALUES_OUT);
    const int outside = d->key_offset > d->record_size || d->record_size - d->key_offset < key;
    const clsort__mistake values[] = {
        { (d->values || values_out) && !d->value_size, "value_size, the bytes of a value" },
        { d->values_out && !d->values, "values, for values_out" },
        { c->needs_buffers && d->count && d->value_size && !d->values,
          "values, of value_size bytes each" }
    };
    const clsort__mistake records[] = {
        { d->record_size && outside, "record_size is below key_offset and the key" },
        { d->key_offset && !d->record_size, "key_offset without record_size" }
    };
    cl_uint i;
    CLSORT__BLAME(c, CLSORT_ERROR_VALUE_SIZE, values);
    CLSORT__BLAME(c, CLSORT_ERROR_RECORD_LAYOUT, records);
    for (i = 0; i < d->field_count; i++) {
        const cl_uint type = d->fields[i].type;
        const size_t bytes = clsort__key_bits(type) / 8, offset = d->fields[i].offset;
        if (offset > d->record_size || d->record_size - offset < bytes
            || clsort__exceeds_32_bits(offset + (clsort__is_bytes(type) ? bytes : 0)))
            clsort__blame_field(c, CLSORT_ERROR_RECORD_LAYOUT, i,
                                "offset is not inside the record");
    }
}

/* Can arrays of n elements, and outputs of `results` elements, be addressed and allocated? */
static void clsort__check_arrays(clsort__checks *c, const clsort_desc *d, size_t n, size_t element,
                                 size_t results)
{
    const size_t index = clsort__will_have(d, d->indices, CLSORT_FLAG_INDICES) ? 4 : 0,
                 rows = clsort__output_rows(d);
    if (!d->keys) clsort__need_allocation(c, "keys", n, element);
    if (!d->values) clsort__need_allocation(c, "values", n, d->value_size);
    if (!d->indices) {
        clsort__need_allocation(c, "indices", results, index);
        clsort__need_allocation(c, "indices_row_stride", rows - 1, d->indices_row_stride);
    }
    if (!clsort__may_blame(c, CLSORT_ERROR_SIZE_OVERFLOW)) return;
    clsort__need_room(c, "count, keys_offset", n, element, d->keys_offset);
    clsort__need_room(c, "count, keys_out_offset", results, element, d->keys_out_offset);
    clsort__need_room(c, "count, values_offset, value_size", n, d->value_size, d->values_offset);
    clsort__need_room(c, "count, values_out_offset, value_size", results, d->value_size,
                      d->values_out_offset);
    clsort__need_room(c, "count, indices_offset", results, index, d->indices_offset);
    clsort__need_room(c, "rows, keys_out_row_stride", rows, d->keys_out_row_stride,
                      d->keys_out_offset);
    clsort__need_room(c, "rows, values_out_row_stride", rows, d->values_out_row_stride,
                      d->values_out_offset);
    clsort__need_room(c, "rows, indices_row_stride", rows, d->indices_row_stride,
                      d->indices_offset);
    clsort__need_room(c, "rows, lengths_offset", rows, 4, d->lengths_offset);
    clsort__need_room(c, "scratch_size, scratch_offset", 1, d->scratch_size, d->scratch_offset);
}

/* Limits of rows and segments: from the first row to the last, fewer than 2^32 elements. */
static void clsort__check_parts(clsort__checks *c, const clsort_desc *d, size_t element)
{
    const cl_ulong rows = d->rows, left = 0xFFFFFFFFu - (cl_ulong)d->count,
                   segments = d->segment_count;
    const size_t stride = d->row_stride ? d->row_stride / element : d->count;
    const clsort__mistake mistakes[] = { { clsort__exceeds_32_bits(rows), "rows" },
                                         { rows > 1 && stride && rows - 1 > left / stride,
                                           "rows: from the first to the last, with gaps" },
                                         { segments >= 0xFFFFFFFFu, "segment_count" } };
    if (!clsort__may_blame(c, CLSORT_ERROR_COUNT_TOO_LARGE)) return;
    CLSORT__BLAME(c, CLSORT_ERROR_COUNT_TOO_LARGE, mistakes);
    if (!clsort__may_blame(c, CLSORT_ERROR_COUNT_TOO_LARGE)) return;
    clsort__need_room(c, "segment_count, segments_offset", d->segment_count + 1, 4,
                      d->segments_offset);
    clsort__need_room(c, "segment_count, segment_ends_offset", d->segment_count, 4,
                      d->segment_ends_offset);
    clsort__check_arrays(c, d, clsort__extent(d, element), element, clsort__extent(d, element));
}

/* Limits of a selection's rows: each has fewer than 2^32 elements; all together may have more. */
static void clsort__check_top_rows(clsort__checks *c, const clsort_desc *d, size_t element)
{
    const size_t results = clsort__output_rows(d), rows = d->segment_count ? 1 : results,
                 stride = d->row_stride ? d->row_stride : d->count * element;
    const cl_ulong most = 0xFFFFFFFFu >> 8, number = results;
    if (number > most)
        clsort__blame(c, CLSORT_ERROR_COUNT_TOO_LARGE,
                      "rows, segment_count: at most 2^24 - 1 with top_k");
    if (!clsort__may_blame(c, CLSORT_ERROR_COUNT_TOO_LARGE)) return;
    clsort__need_room(c, "rows, row_stride", rows, stride, 0);
    clsort__need_room(c, "rows, top_k", results, clsort__wanted(d), 0);
    clsort__need_room(c, "segment_count, segments_offset", d->segment_count + 1, 4,
                      d->segments_offset);
    clsort__need_room(c, "segment_count, segment_ends_offset", d->segment_count, 4,
                      d->segment_ends_offset);
    if (clsort__may_blame(c, CLSORT_ERROR_SIZE_OVERFLOW))
        clsort__check_arrays(c, d, (rows - 1) * (stride / element) + d->count, element,
                             results * clsort__wanted(d));
}

static void clsort__check_field_alignment(clsort__checks *c, const clsort_desc *d)
{
    cl_uint i;
    for (i = 0; i < d->field_count; i++) {
        const cl_uint type = d->fields[i].type;
        const size_t bytes = clsort__is_bytes(type) ? 1 : clsort__key_bits(type) / 8;
        if (d->fields[i].offset % bytes)
            clsort__blame_field(c, CLSORT_ERROR_MISALIGNED, i, "offset");
        clsort__need_multiple(c, "record_size", d->record_size, bytes);
        clsort__need_multiple(c, "keys_offset", d->keys_offset, bytes);
        clsort__need_multiple(c, "keys_out_offset", d->keys_out_offset, bytes);
        clsort__need_multiple(c, "keys_out_row_stride", d->keys_out_row_stride, bytes);
    }
}

static void clsort__check_alignment(clsort__checks *c, const clsort_desc *d, size_t key,
                                    size_t element)
{
    const size_t record = d->record_size ? clsort__alignment(element) : 1,
                 value = d->value_size ? clsort__alignment(d->value_size) : 1,
                 keys = record > key ? record : key;
    clsort__need_multiple(c, "keys_offset", d->keys_offset, keys);
    clsort__need_multiple(c, "keys_out_offset", d->keys_out_offset, keys);
    clsort__need_multiple(c, "keys_out_row_stride", d->keys_out_row_stride, keys);
    clsort__need_multiple(c, "record_size", d->record_size, key);
    clsort__need_multiple(c, "key_offset", d->key_offset, key);
    clsort__check_field_alignment(c, d);
    clsort__need_multiple(c, "values_offset", d->values_offset, value);
    clsort__need_multiple(c, "values_out_offset", d->values_out_offset, value);
    clsort__need_multiple(c, "indices_offset", d->indices_offset, 4);
    clsort__need_multiple(c, "values_out_row_stride", d->values_out_row_stride, value);
    clsort__need_multiple(c, "indices_row_stride", d->indices_row_stride, 4);
    clsort__need_multiple(c, "row_stride", d->row_stride, element);
    clsort__need_multiple(c, "segments_offset", d->segments_offset, 4);
    clsort__need_multiple(c, "segment_ends_offset", d->segment_ends_offset, 4);
    clsort__need_multiple(c, "lengths_offset", d->lengths_offset, 4);
    clsort__need_multiple(c, "count_offset", d->count_offset, 4);
    clsort__need_multiple(c, "scratch_offset", d->scratch_offset, 16);
}

/* Are all buffers given that a call needs or that its flags announce? */
static void clsort__check_present(clsort__checks *c, const clsort_desc *d, int purpose)
{
    const int selects = purpose == CLSORT__TO_SELECT && clsort__takes_some(d),
              moves_values = d->value_size && (selects || d->indices);
    const clsort__mistake mistakes[] = {
        { (d->flags & CLSORT_FLAG_INDICES) && !d->indices,
          "indices, which CLSORT_FLAG_INDICES announces" },
        { (d->flags & CLSORT_FLAG_KEYS_OUT) && !d->keys_out,
          "keys_out, which CLSORT_FLAG_KEYS_OUT announces" },
        { (d->flags & CLSORT_FLAG_VALUES_OUT) && !d->values_out,
          "values_out, which CLSORT_FLAG_VALUES_OUT announces" },
        { (d->flags & CLSORT_FLAG_COUNT_BUFFER) && !d->count_buffer,
          "count_buffer, which CLSORT_FLAG_COUNT_BUFFER announces" },
        { (d->flags & CLSORT_FLAG_LENGTHS) && !d->lengths,
          "lengths, which CLSORT_FLAG_LENGTHS announces" },
        { d->count && d->segment_count && !d->segments, "segments, segment_count + 1 offsets" },
        { d->count && !d->keys, "keys" },
        { d->count && moves_values && !d->values_out,
          "values_out, for values beside indices or top_k" },
        { selects && !d->keys_out && !d->indices && !d->values_out,
          "keys_out, indices or values_out: top_k needs one of them" }
    };
    CLSORT__BLAME(c, CLSORT_ERROR_MISSING_BUFFER, mistakes);
}

/* All checks of a description that need no buffer. */
static void clsort__check_desc(clsort__checks *c, const clsort_desc *d, int purpose)
{
    size_t key, element;
    if (!d) clsort__blame(c, CLSORT_ERROR_NULL_ARGUMENT, "desc");
    if (!clsort__may_blame(c, CLSORT_ERROR_KEY_TYPE)) return;
    clsort__check_order_given(c, d);
    if (!clsort__may_blame(c, CLSORT_ERROR_FIELDS)) return;
    key = d->key_type ? clsort__key_bits(d->key_type) / 8 : 1;
    element = d->record_size ? d->record_size : key;
    clsort__check_values(c, d);
    clsort__check_bits(c, d);
    clsort__check_flags(c, d, purpose);
    clsort__check_supported(c, d, purpose);
    clsort__check_payload(c, d, key);
    clsort__check_unused(c, d);
    if (clsort__exceeds_32_bits(d->count)) clsort__blame(c, CLSORT_ERROR_COUNT_TOO_LARGE, "count");
    if (purpose == CLSORT__TO_SELECT) clsort__check_top_rows(c, d, element);
    else clsort__check_parts(c, d, element);
    clsort__check_alignment(c, d, key, element);
    if (purpose == CLSORT__TO_SELECT && d->top_k > d->count)
        clsort__blame(c, CLSORT_ERROR_TOP_K, "top_k");
    if (c->needs_buffers) clsort__check_present(c, d, purpose);
}

/* Properties of a buffer. All buffers of a call are checked for one before any is checked for the
   next. */
enum { CLSORT__KIND, CLSORT__CONTEXT, CLSORT__ACCESS, CLSORT__SIZE, CLSORT__PROPERTY_COUNT };

static clsort_status clsort__check_buffer(clsort_sorter *s, const clsort__range *r, int property)
{
    static const cl_mem_info queries[CLSORT__PROPERTY_COUNT] = { CL_MEM_TYPE, CL_MEM_CONTEXT,
                                                                 CL_MEM_FLAGS, CL_MEM_SIZE };
    union { cl_mem_object_type type; cl_context context; cl_mem_flags flags; size_t size; } value;
    const size_t sizes[CLSORT__PROPERTY_COUNT] = { sizeof value.type, sizeof value.context,
                                                   sizeof value.flags, sizeof value.size };
    cl_int code;
    memset(&value, 0, sizeof value);
    code = CLSORT_CL(clGetMemObjectInfo)(r->buffer, queries[property], sizes[property], &value,
                                         NULL);
    CLSORT__REQUIRE(s, code != CL_INVALID_MEM_OBJECT, CLSORT_ERROR_NOT_A_BUFFER, "%s", r->role);
    CLSORT__MUST(clsort__note(s, code, "clGetMemObjectInfo"));
    CLSORT__REQUIRE(s, property != CLSORT__KIND || value.type == CL_MEM_OBJECT_BUFFER,
                    CLSORT_ERROR_NOT_A_BUFFER, "%s", r->role);
    CLSORT__REQUIRE(s, property != CLSORT__CONTEXT || value.context == s->context,
                    CLSORT_ERROR_BUFFER_CONTEXT, "%s", r->role);
    if (property == CLSORT__ACCESS
        && ((r->writes && (value.flags & CL_MEM_READ_ONLY))
            || (r->reads && (value.flags & CL_MEM_WRITE_ONLY))))
        return clsort__reject(s, CLSORT_ERROR_BUFFER_ACCESS, "%s", r->role);
    if (property == CLSORT__SIZE && (r->offset > value.size || value.size - r->offset < r->bytes))
        return clsort__reject(s, CLSORT_ERROR_BUFFER_TOO_SMALL,
                              "%s holds %.0f bytes, offset %.0f + %.0f bytes are needed", r->role,
                              (double)value.size, (double)r->offset, (double)r->bytes);
    return CL_SUCCESS;
}

/* Turns a range of a sub-buffer into one of the buffer that it is a part of. */
static clsort_status clsort__parent_range(clsort_sorter *s, clsort__range *r)
{
    cl_mem parent = NULL;
    size_t origin = 0;
    CLSORT__MUST(
        CLSORT__ASK(s, clGetMemObjectInfo, r->buffer, CL_MEM_ASSOCIATED_MEMOBJECT, parent));
    if (!parent) return CL_SUCCESS;
    CLSORT__MUST(CLSORT__ASK(s, clGetMemObjectInfo, r->buffer, CL_MEM_OFFSET, origin));
    r->buffer = parent;
    r->offset += origin;
    return CL_SUCCESS;
}

static int clsort__range_before(const clsort__range *a, const clsort__range *b)
{
    return a->buffer == b->buffer ? a->offset < b->offset : (size_t)a->buffer < (size_t)b->buffer;
}

/* Heapsort's sift: moves range i down the heap of `count` ranges until no child comes after it. */
static void clsort__sift_range(clsort__range *r, size_t i, size_t count)
{
    const clsort__range moved = r[i];
    size_t child;
    for (; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && clsort__range_before(&r[child], &r[child + 1])) child++;
        if (!clsort__range_before(&moved, &r[child])) break;
        r[i] = r[child];
    }
    r[i] = moved;
}

/* Sorts by buffer and offset: n log n for a gather of many arrays. Not by qsort, which may
   allocate. */
static void clsort__sort_ranges(clsort__range *r, size_t count)
{
    size_t i;
    for (i = count / 2; i-- > 0;) clsort__sift_range(r, i, count);
    for (i = count; i-- > 1;) {
        const clsort__range last = r[i];
        r[i] = r[0];
        r[0] = last;
        clsort__sift_range(r, 0, i);
    }
}

/* Does a range that is written overlap another one? Sorts the ranges. */
static clsort_status clsort__check_overlaps(clsort_sorter *s, clsort__range *r, size_t count)
{
    const clsort__range *last = NULL, *written = NULL;   /* of this buffer, those that end last */
    size_t i;
    clsort__sort_ranges(r, count);
    for (i = 0; i < count; i++) {
        const clsort__range *other;
        if (!r[i].buffer || !r[i].bytes) continue;
        if (last && last->buffer != r[i].buffer) last = written = NULL;
        other = r[i].writes ? last : written;
        if (other && r[i].offset < other->offset + other->bytes)
            return clsort__reject(s, CLSORT_ERROR_OVERLAP, "%s, %s", other->role, r[i].role);
        if (!last || last->offset + last->bytes < r[i].offset + r[i].bytes) last = &r[i];
        if (r[i].writes) written = &r[i];
    }
    return CL_SUCCESS;
}

/* Checks all buffers of a call; ranges with a NULL buffer are skipped. Changes the ranges to those
   of parent buffers. */
static clsort_status clsort__check_ranges(clsort_sorter *s, clsort__range *r, size_t count)
{
    size_t i;
    int property;
    for (property = 0; property < CLSORT__PROPERTY_COUNT; property++)
        for (i = 0; i < count; i++)
            if (r[i].buffer) CLSORT__MUST(clsort__check_buffer(s, &r[i], property));
    for (i = 0; i < count; i++)
        if (r[i].buffer) CLSORT__MUST(clsort__parent_range(s, &r[i]));
    return clsort__check_overlaps(s, r, count);
}

static clsort__range clsort__make_range(const char *role, clsort__span span, size_t bytes,
                                        int reads, int writes)
{
    clsort__range r;
    r.role = role;
    r.buffer = span.buffer;
    r.offset = span.offset;
    r.bytes = bytes;
    r.reads = reads;
    r.writes = writes;
    return r;
}

/* Writes the ranges of the segments' offsets and ends and of the count on the device to r[0] to
   r[2]. */
static void clsort__segment_ranges(const clsort__data *a, clsort__range *r)
{
    const size_t offsets = a->has_gaps ? a->segments : a->segments + 1;
    r[0] = clsort__make_range("segments", a->offsets, offsets * 4, 1, 0);
    r[1] = clsort__make_range("segment_ends",
                              a->has_gaps ? a->ends : clsort__make_span(NULL, 0), a->segments * 4,
                              1, 0);
    r[2] = clsort__make_range("count_buffer", a->count, 4, 1, 0);
}

/* Rows must not overlap. */
static clsort_status clsort__check_rows(clsort_sorter *s, const clsort__plan *p)
{
    const clsort__data *a = &p->data;
    const clsort_desc *d = &p->d;
    if (clsort__output_rows(d) == 1) return CL_SUCCESS;
    CLSORT__REQUIRE(s, a->stride >= d->count, CLSORT_ERROR_OVERLAP, "row_stride is below a row");
    CLSORT__REQUIRE(s, a->keys_apart >= a->wanted * a->element_bytes, CLSORT_ERROR_OVERLAP,
                    "keys_out_row_stride is below a row");
    CLSORT__REQUIRE(s, a->values_apart >= a->wanted * d->value_size, CLSORT_ERROR_OVERLAP,
                    "values_out_row_stride is below a row");
    CLSORT__REQUIRE(s, a->indices_apart >= a->wanted * 4, CLSORT_ERROR_OVERLAP,
                    "indices_row_stride is below a row");
    CLSORT__REQUIRE(s, !a->in_place || a->keys_apart == a->stride * a->element_bytes,
                    CLSORT_ERROR_OVERLAP, "keys_out_row_stride is not that of keys in place");
    CLSORT__REQUIRE(s, !a->values_in_place || a->values_apart == a->stride * d->value_size,
                    CLSORT_ERROR_OVERLAP, "values_out_row_stride is not that of values in place");
    return CL_SUCCESS;
}

/* Is the caller's scratch enough? */
static clsort_status clsort__check_scratch(clsort_sorter *s, const clsort__plan *p)
{
    CLSORT__REQUIRE(s, !p->d.scratch || p->d.scratch_size >= p->scratch.layout.bytes,
                    CLSORT_ERROR_SCRATCH_TOO_SMALL, "scratch_size is %.0f, %.0f bytes are needed",
                    (double)p->d.scratch_size, (double)p->scratch.layout.bytes);
    return CL_SUCCESS;
}

/* Does the device have the local memory that a plan's kernels need, and has AUTO an algorithm
   left? */
static clsort_status clsort__check_device(clsort_sorter *s, const clsort__plan *p)
{
    size_t leftovers, tiles, need;
    if (!s->context) return CL_SUCCESS;   /* without a device a plan has no shapes */
    leftovers = p->helpers.leftovers.family ? clsort__local_need(&p->helpers.leftovers) : 0;
    if (p->helpers.passes.family) leftovers = clsort__local_need(&p->helpers.passes);
    tiles = p->helpers.tiles.lanes ? clsort__local_need(&p->helpers.tiles) : 0;
    need = clsort__largest(clsort__local_need(&p->config), leftovers, tiles) + p->select.local;
    CLSORT__REQUIRE(s, !p->none_left, CLSORT_ERROR_WRONG_RESULT,
                    "algorithm: the self-test left none to CLSORT_AUTO");
    CLSORT__REQUIRE(s, need <= s->local_bytes, CLSORT_ERROR_DEVICE_LIMITS, "local memory");
    return CL_SUCCESS;
}

/* Can the sorter's own scratch be allocated? */
static clsort_status clsort__check_layout(clsort_sorter *s, const clsort__layout *l)
{
    CLSORT__REQUIRE(s, !l->too_large, CLSORT_ERROR_SCRATCH_TOO_LARGE,
                    "scratch of %.0f bytes, of which a buffer holds at most %.0f", (double)l->bytes,
                    (double)l->most);
    return CL_SUCCESS;
}

/* ---- >>structs ------------------------------------------------------------------------------- */

/* Bytes of the structs in the first version that had struct_size, and of none that may come. */
enum {
    CLSORT__FIRST_DESC = offsetof(clsort_desc, tuning) + sizeof(clsort_tuning),
    CLSORT__FIRST_OPTIONS = offsetof(clsort_options, cache_user) + sizeof(void *),
    CLSORT__FIRST_GATHER = offsetof(clsort_gather, indices_row_stride) + sizeof(size_t),
    CLSORT__FIRST_GROUPS = offsetof(clsort_groups, count_offset) + sizeof(size_t),
    CLSORT__FIRST_MERGE = offsetof(clsort_merge_desc, tuning) + sizeof(clsort_tuning),
    CLSORT__FIRST_MERGE_RUNS = offsetof(clsort_merge_runs_desc, tuning) + sizeof(clsort_tuning),
    CLSORT__FIRST_PARTITION = offsetof(clsort_partition_desc, tuning) + sizeof(clsort_tuning),
#ifdef CLSORT_MULTI
    CLSORT__FIRST_MULTI = offsetof(clsort_multi_desc, reserved) + sizeof(cl_uint),
#endif
    CLSORT__NO_STRUCT = 4096
};

/* The faults that a struct can have as a whole. */
enum { CLSORT__STRUCT_IS_RIGHT, CLSORT__STRUCT_HAS_NO_SIZE, CLSORT__STRUCT_IS_TOO_NEW };

/* The bytes of a struct in the program that gives it, by its first field; 0 if they are not
   plausible. `own` is its size here, `first` that in the first version. */
static size_t clsort__given_size(const void *given, size_t own, size_t first)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    if (!size) return own;
    return size >= first && size < CLSORT__NO_STRUCT && size % sizeof size == 0 ? size : 0;
}

/* Copies a struct of the program, which may have been compiled with another version's header, into
   one of ours. Reads no byte after those that the program's struct has: fields that it lacks are 0.
   A field that we lack must be 0. Without a struct, all of ours is 0. Returns what is wrong. */
static int clsort__adopt(void *ours, size_t own, size_t first, const void *given)
{
    size_t size, i;
    memset(ours, 0, own);
    if (!given) return CLSORT__STRUCT_IS_RIGHT;
    size = clsort__given_size(given, own, first);
    if (!size) return CLSORT__STRUCT_HAS_NO_SIZE;
    memcpy(ours, given, size < own ? size : own);
    memcpy(ours, &own, sizeof own);
    for (i = own; i < size; i++)
        if (((const unsigned char *)given)[i]) return CLSORT__STRUCT_IS_TOO_NEW;
    return CLSORT__STRUCT_IS_RIGHT;
}

/* Rejects argument `name` if something is wrong with its struct. */
static clsort_status clsort__judge_struct(clsort_sorter *s, const char *name, int wrong)
{
    CLSORT__REQUIRE(s, wrong != CLSORT__STRUCT_HAS_NO_SIZE, CLSORT_ERROR_UNKNOWN_VALUE,
                    "%s.struct_size: start from the struct's default function", name);
    CLSORT__REQUIRE(s, wrong != CLSORT__STRUCT_IS_TOO_NEW, CLSORT_ERROR_UNKNOWN_VALUE,
                    "%s: a field is set that this version does not have", name);
    return CL_SUCCESS;
}

/* Gives a description to the program: as many bytes as its struct has. */
static void clsort__give_desc(const clsort_desc *d, clsort_desc *given)
{
    const size_t size = clsort__given_size(given, sizeof *d, CLSORT__FIRST_DESC);
    memset(given, 0, size);
    memcpy(given, d, size < sizeof *d ? size : sizeof *d);
    memcpy(given, &size, sizeof size);
}

/* ---- >>launch -------------------------------------------------------------------------------- */

/* The events that the next command waits for: those of the caller, since a failed dependency must
   stop every command, and on an out-of-order queue the previous command. */
static const cl_event *clsort__waits(clsort__run *run, cl_uint *count)
{
    const int chained = run->previous && !run->in_order;
    *count = run->n_wait + (chained ? 1 : 0);
    if (!chained) return run->wait;
    if (run->n_wait) memcpy(run->s->waits, run->wait, run->n_wait * sizeof *run->wait);
    run->s->waits[run->n_wait] = run->previous;
    return run->s->waits;
}

/* A command about to be enqueued: the events that it waits for, and its own. */
typedef struct clsort__command {
    const cl_event *waits;
    cl_uint count;
    cl_event event, *event_out;
} clsort__command;

/* Is every command reported to the caller? Launches that only warm kernels are not. */
static int clsort__profiles(const clsort__run *run)
{
    return run->s->options.profile && run->mode == CLSORT__RUN;
}

/* Starts a command. Returns 0 if it is only counted, or after an error. The last command, commands
   on out-of-order queues and profiled ones get an event. */
static int clsort__begin_command(clsort__run *run, clsort__command *c)
{
    if (run->status != CL_SUCCESS) return 0;
    if (run->mode == CLSORT__COUNT) {
        run->total++;
        return 0;
    }
    c->waits = clsort__waits(run, &c->count);
    c->event = NULL;
    c->event_out = !run->in_order || clsort__profiles(run) || run->mode == CLSORT__WARM
                           || (run->done && run->issued + 1 == run->total)
                       ? &c->event
                       : NULL;
    return 1;
}

/* Finishes a command that an OpenCL function enqueued with the result `code`. */
static void clsort__end_command(clsort__run *run, const clsort__command *c, cl_int code,
                                const char *function)
{
    run->status = clsort__note(run->s, code, function);
    if (run->status != CL_SUCCESS) return;
    run->issued++;
    if (run->previous) CLSORT_CL(clReleaseEvent)(run->previous);
    run->previous = c->event;
    if (clsort__profiles(run))
        run->s->options.profile(run->s->options.user,
                                strcmp(function, "clEnqueueNDRangeKernel")
                                    ? function
                                    : clsort__kernel_entries[run->number].name,
                                c->event);
}

/* Enqueues a begun command: CLSORT__ENQUEUE(run, &c, clEnqueueFillBuffer, (run->queue, ...)). */
#define CLSORT__ENQUEUE(run, c, function, arguments) \
    clsort__end_command(run, c, CLSORT_CL(function) arguments, #function)

/* A part of scratch memory. */
static clsort__span clsort__scratch_part(const clsort__scratch *m, size_t offset)
{
    const size_t position = m->shift + offset;
    cl_uint i = m->layout->buffers;
    while (i > 1 && m->layout->start[i - 1] > position) i--;
    if (i) i--;
    return clsort__span_from(m->spans[i], position - m->layout->start[i]);
}

static void clsort__arg(clsort__run *run, size_t size, const void *value)
{
    if (run->status == CL_SUCCESS && run->mode != CLSORT__COUNT)
        run->status = CLSORT__TRY(run->s, clSetKernelArg,
                                  (run->kernel, run->argument++, size, value));
}

static void clsort__arg_local(clsort__run *run, size_t bytes) { clsort__arg(run, bytes, NULL); }
static void clsort__arg_uint(clsort__run *run, cl_uint value)
{
    clsort__arg(run, sizeof value, &value);
}
static void clsort__arg_ulong(clsort__run *run, cl_ulong value)
{
    clsort__arg(run, sizeof value, &value);
}

/* A number of elements, or of another unit of work: 0 while kernels are warmed. */
static void clsort__arg_count(clsort__run *run, size_t count)
{
    clsort__arg_uint(run, run->mode == CLSORT__WARM ? 0 : (cl_uint)count);
}

static void clsort__arg_span(clsort__run *run, clsort__span span)
{
    const cl_mem buffer = run->mode == CLSORT__WARM ? run->s->dummy : span.buffer;
    clsort__arg(run, sizeof buffer, &buffer);
    clsort__arg_ulong(run, run->mode == CLSORT__WARM ? 0 : span.offset);
}

/* The arguments of an array for kernels of `config`. Records are one buffer, keys and values
   two. */
static void clsort__arg_arrays(clsort__run *run, const clsort__config *config, clsort__arrays a)
{
    clsort__arg_span(run, a.keys);
    if (config->records) clsort__arg_ulong(run, run->mode == CLSORT__WARM ? 0 : a.values.offset);
    else if (config->value_bytes) clsort__arg_span(run, a.values);
}

/* The codec, and if there is a comparator, the records that it reads by number. */
static void clsort__arg_codec(clsort__run *run, const clsort__plan *p, clsort__span records)
{
    clsort__arg_ulong(run, p->key.codec.mask);
    clsort__arg_ulong(run, p->key.codec.flip);
    clsort__arg_ulong(run, p->key.codec.rotate);
    if (p->d.precedes) clsort__arg_span(run, records);
}

/* The same with the records of the call. */
static void clsort__arg_own_codec(clsort__run *run, const clsort__plan *p)
{
    clsort__arg_codec(run, p, p->data.keys);
}

/* The arguments of a sort: its arrays, the codec and the tables. */
static void clsort__arg_workspace(clsort__run *run, const clsort__plan *p,
                                  const clsort__workspace *w)
{
    clsort__arg_arrays(run, &p->config, w->from);
    clsort__arg_arrays(run, &p->config, w->to);
    clsort__arg_arrays(run, &p->config, w->alt);
    clsort__arg_codec(run, p, w->from.keys);
    clsort__arg_span(run, w->tables);
}

/* Local memory for a tile: its keys and its words. */
static void clsort__arg_tile(clsort__run *run, const clsort__config *shape)
{
    clsort__arg_local(run, clsort__tile_keys(shape));
    clsort__arg_local(run, clsort__tile_words(shape));
}

/* log2 of the elements in a tile of the program that runs. */
static cl_uint clsort__tile_log2(const clsort__config *c, int global_tile)
{
    return (global_tile ? c->group_log2 : c->share_log2) + c->items_log2 + (c->lanes > 1 ? 4 : 0);
}

/* The shape of a built program, or the one that it will be built with. */
static clsort__config clsort__built_shape(clsort_sorter *s, const clsort__config *asked)
{
    const clsort__program *program = clsort__find_program(s, asked);
    return program ? program->config : *asked;
}

/* The shape of a plan's own kernels. */
static clsort__config clsort__tile_shape(clsort_sorter *s, const clsort__plan *p)
{
    const int published = p->d.algorithm == CLSORT_BITONIC
                          && clsort__local_choice(&p->d.tuning) == CLSORT_LOCAL_GLOBAL_TAIL;
    const clsort__config asked = clsort__config_of(p, published ? (cl_uint)CLSORT__PUBLISHED_BITONIC
                                                                : p->config.family);
    return clsort__built_shape(s, &asked);
}

/* Chooses the kernel of the next launch. Its program must be built. */
static void clsort__use_kernel(clsort__run *run, const clsort__config *config, int kernel)
{
    clsort__config asked = *config;
    const clsort__program *p;
    run->number = kernel;
    if ((run->mode == CLSORT__COUNT && !run->kinds) || run->status != CL_SUCCESS) return;
    asked.family = clsort__kernel_entries[kernel].family;
    p = clsort__find_program(run->s, &asked);
    CLSORT_ASSERT(p && p->kernels[kernel]);
    run->program = (cl_uint)(p - run->s->programs);
    run->kernel = p->kernels[kernel];
    run->group_log2 = p->config.group_log2;
    run->argument = 0;
}

static void clsort__use_utility(clsort__run *run, int kernel)
{
    const clsort__config utility = clsort__utility_config(run->s);
    clsort__use_kernel(run, &utility, kernel);
}

/* Counts for clsort_explain the passes over elements of the next command, and the bytes of elements
   that it reads and writes. */
static void clsort__traffic(clsort__run *run, cl_uint passes, cl_ulong bytes)
{
    if (!run->tally) return;
    run->tally->passes += passes;
    run->tally->bytes += bytes;
}

/* Bytes of all elements that a plan's kernels sort: keys and values, or records. */
static cl_ulong clsort__sorted_bytes(const clsort__plan *p)
{
    return p->data.in_ranges
               ? 0
               : (cl_ulong)p->data.extent
                     * (p->config.value_bytes + (p->config.records ? 0 : p->config.key_bytes));
}

/* Adds a kind to a set; returns 1 if it is new. One that there is no room for is always new. */
static int clsort__add_kind(clsort__kinds *k, cl_uint kind)
{
    size_t i;
    for (i = 0; i < k->count; i++)
        if (k->kind[i] == kind) return 0;
    if (k->count < CLSORT__MOST_KINDS) k->kind[k->count++] = kind;
    return 1;
}

/* PoCL compiles a kernel once for launches of fewer work-items than this, and once for others. */
enum { CLSORT__SMALL_LAUNCH = 65535 };

/* Launches the chosen kernel for `items` work-items, rounded up to whole work-groups. */
static void clsort__launch(clsort__run *run, size_t items)
{
    const size_t group = (size_t)1 << run->group_log2,
                 global = (items + group - 1) >> run->group_log2 << run->group_log2;
    clsort__command c;
    if (run->tally) run->tally->launches[run->number]++;
    if (run->kinds && run->status == CL_SUCCESS)
        clsort__add_kind(run->kinds,
                         (run->program * CLSORT__KERNEL_COUNT + (cl_uint)run->number) * 2
                             + (global >= CLSORT__SMALL_LAUNCH));
    if (!clsort__begin_command(run, &c)) return;
    CLSORT__ENQUEUE(run, &c, clEnqueueNDRangeKernel,
                    (run->queue, run->kernel, 1, NULL, &global, &group, c.count, c.waits,
                     c.event_out));
}

static void clsort__copy(clsort__run *run, clsort__span from, clsort__span to, size_t bytes)
{
    const cl_ulong moved = bytes;
    clsort__command c;
    if (run->mode == CLSORT__WARM || !bytes) return;
    clsort__traffic(run, 1, 2 * moved);
    if (!clsort__begin_command(run, &c)) return;
    CLSORT__ENQUEUE(run, &c, clEnqueueCopyBuffer,
                    (run->queue, from.buffer, to.buffer, from.offset, to.offset, bytes, c.count,
                     c.waits, c.event_out));
}

static void clsort__copy_arrays(clsort__run *run, const clsort__plan *p, clsort__arrays from,
                                clsort__arrays to)
{
    if (!p->config.records && !clsort__same_span(from.keys, to.keys))
        clsort__copy(run, from.keys, to.keys, p->d.count * p->key.bytes);
    if (!clsort__same_span(from.values, to.values))
        clsort__copy(run, from.values, to.values, p->d.count * p->config.value_bytes);
}

/* If only one of keys and values would be sorted in place, copies both to `to` and takes them from
   there. */
static clsort__workspace clsort__both_in_place(clsort__run *run, const clsort__plan *p,
                                               const clsort__workspace *asked)
{
    clsort__workspace w = *asked;
    w.in_place = clsort__same_span(w.from.keys, w.to.keys);
    if (p->config.value_bytes && w.in_place != clsort__same_span(w.from.values, w.to.values)) {
        clsort__copy_arrays(run, p, w.from, w.to);
        w.from = w.to;
        w.in_place = 1;
    }
    return w;
}

static void clsort__fill(clsort__run *run, clsort__span target, cl_uint value, size_t bytes)
{
    clsort__command c;
    if (run->mode == CLSORT__WARM || !clsort__begin_command(run, &c)) return;
    CLSORT__ENQUEUE(run, &c, clEnqueueFillBuffer,
                    (run->queue, target.buffer, &value, sizeof value, target.offset, bytes, c.count,
                     c.waits, c.event_out));
}

/* Enqueues a marker if the call enqueued nothing, for the caller's event. */
static void clsort__marker(clsort__run *run)
{
    clsort__command c;
    if (run->issued || !run->done || !clsort__begin_command(run, &c)) return;
    CLSORT__ENQUEUE(run, &c, clEnqueueMarkerWithWaitList, (run->queue, c.count, c.waits, &c.event));
}

/* The events of a wait list that need no memory beyond that of clsort_create. */
enum { CLSORT__FEW_WAITS = 15 };

/* Makes room for wait lists, before the first command. */
static clsort_status clsort__reserve_waits(clsort_sorter *s, cl_uint n_wait)
{
    const size_t room = (size_t)n_wait + 1;
    if (s->wait_room >= room) return CL_SUCCESS;
    CLSORT__MUST(clsort__grow(s, &s->waits, room, sizeof *s->waits));
    s->wait_room = room;
    return CL_SUCCESS;
}

/* Ends a run. The last event goes to the caller and, on an out-of-order queue, to the scratch slot
   that is used until then. */
static clsort_status clsort__end_run(clsort__run *run, clsort__slot *slot)
{
    const int keep = slot && run->previous && !run->in_order,
              give = run->status == CL_SUCCESS && run->done;
    if (keep) {
        if (slot->last) CLSORT_CL(clReleaseEvent)(slot->last);
        slot->last = run->previous;
        if (give) run->status = CLSORT__TRY(run->s, clRetainEvent, (run->previous));
    }
    if (give && run->status == CL_SUCCESS) *run->done = run->previous;
    else if (run->previous && !keep) CLSORT_CL(clReleaseEvent)(run->previous);
    run->previous = NULL;
    return run->status;
}

/* ---- >>job ----------------------------------------------------------------------------------- */

/* A kind of public call. */
typedef struct clsort__operation {
    /* Blames mistakes, and plans a call that has none. */
    void (*check)(clsort__checks *c, clsort__job *j);
    /* Lays out scratch memory; NULL: there is none. */
    void (*scratch)(const clsort_sorter *s, clsort__job *j);
    /* Checks the buffers, then the limits. */
    clsort_status (*buffers)(clsort__job *j);
    /* Builds the programs, finds scratch memory. */
    clsort_status (*ready)(clsort__job *j);
    /* Enqueues all commands. Called in each mode of a run. */
    void (*commands)(clsort__run *run, const clsort__job *j);
} clsort__operation;

/* A public call. */
struct clsort__job {
    const clsort__operation *op;
    clsort_sorter *s;
    int needs_buffers;          /* it is to be enqueued: its buffers must be there */
    const char *missing;        /* the name of an argument that is NULL and must not be, or NULL */
    const clsort_desc *desc;    /* one of these describes it */
    const clsort_gather *gather;
    const clsort_groups *groups;
    const clsort_merge_desc *merge;
    const clsort_merge_runs_desc *runs;
    const clsort_partition_desc *partition;
    const char *argument;       /* the name of that struct in messages */
    int wrong;                  /* what is wrong with it: CLSORT__STRUCT_* */
    clsort__span result;        /* the buffer that receives a number or a proof, if any */
    clsort__plan plan;
    clsort__plan then;          /* of the sort after a selection, or instead of one */
    clsort__merge_pass pass;    /* of a merge */
    clsort__scratch scratch;
    clsort__slot *slot;         /* of the sorter's scratch; NULL: the caller's or none */
    clsort__run run;
    cl_event proven;            /* the event of a sort with a proof, if the caller wants none */
};

static clsort__job clsort__begin_job(clsort_sorter *s, const char *function,
                                     const clsort__operation *op)
{
    clsort__job j;
    memset(&j, 0, sizeof j);
    j.op = op;
    j.s = j.run.s = s;
    if (s) s->function = function;
    return j;
}

/* The first checks of an enqueue call: NULL arguments and the wait list. Then keeps the
   arguments. */
static clsort_status clsort__check_arguments(clsort__job *j, cl_command_queue queue, cl_uint n_wait,
                                          const cl_event *wait, cl_event *done)
{
    clsort_sorter *s = j->s;
    cl_uint i;
    if (done) *done = NULL;
    if (!s) return CLSORT_ERROR_NULL_ARGUMENT;
    if (!queue) j->missing = "queue";
    CLSORT__REQUIRE(s, !j->missing, CLSORT_ERROR_NULL_ARGUMENT, "%s", j->missing);
    CLSORT__REQUIRE(s, !wait == !n_wait, CLSORT_ERROR_WAIT_LIST, n_wait ? "wait" : "n_wait");
    for (i = 0; i < n_wait; i++)
        CLSORT__REQUIRE(s, wait[i], CLSORT_ERROR_WAIT_LIST, "wait[%u]", i);
    j->needs_buffers = 1;
    j->run.queue = queue;
    j->run.n_wait = n_wait;
    j->run.wait = wait;
    j->run.done = done;
    return CL_SUCCESS;
}

/* Checks the arguments of a call, but not its queue, events and buffers, and plans it. */
static clsort_status clsort__plan_job(clsort__job *j)
{
    clsort__checks c = clsort__begin_checks(j->s);
    CLSORT__MUST(clsort__judge_struct(j->s, j->argument, j->wrong));
    c.needs_buffers = j->needs_buffers;
    j->op->check(&c, j);
    CLSORT__MUST(clsort__conclude(&c));
    if (!j->op->scratch) return CL_SUCCESS;
    j->op->scratch(clsort__known_device(j->s), j);
    return clsort__check_layout(j->s, &j->plan.scratch.layout);
}

/* Checks the queue of an enqueue call and the contexts of its events, and notes whether the queue
   is in order. If programs must outlive their launches, the queue gets a slot. */
static clsort_status clsort__check_queue(clsort_sorter *s, clsort__run *run)
{
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_command_queue_properties properties = 0;
    clsort__slot *slot;
    cl_uint i;
    CLSORT__MUST(CLSORT__ASK(s, clGetCommandQueueInfo, run->queue, CL_QUEUE_CONTEXT, context));
    CLSORT__MUST(CLSORT__ASK(s, clGetCommandQueueInfo, run->queue, CL_QUEUE_DEVICE, device));
    CLSORT__MUST(
        CLSORT__ASK(s, clGetCommandQueueInfo, run->queue, CL_QUEUE_PROPERTIES, properties));
    CLSORT__REQUIRE(s, context == s->context && device == s->device, CLSORT_ERROR_QUEUE_MISMATCH,
                    "queue");
    run->in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (i = 0; i < run->n_wait; i++) {
        CLSORT__MUST(CLSORT__ASK(s, clGetEventInfo, run->wait[i], CL_EVENT_CONTEXT, context));
        CLSORT__REQUIRE(s, context == s->context, CLSORT_ERROR_EVENT_MISMATCH, "wait[%u]",
                        i);
    }
    return s->releases_late ? clsort__find_slot(s, run->queue, &slot) : CL_SUCCESS;
}

/* Does a selection sort, too? */
static int clsort__sorts_then(const clsort__plan *p)
{
    return p->select.sorts_after || p->select.sorts_whole;
}

/* The last checks, which need no buffers: overlapping rows, the size of scratch, the device. */
static clsort_status clsort__check_limits(const clsort__job *j)
{
    CLSORT__MUST(clsort__check_rows(j->s, &j->plan));
    CLSORT__MUST(clsort__check_scratch(j->s, &j->plan));
    CLSORT__MUST(clsort__check_device(j->s, &j->plan));
    return clsort__sorts_then(&j->plan) ? clsort__check_device(j->s, &j->then) : CL_SUCCESS;
}

/* Bytes from the first element of an output to the last one. */
static size_t clsort__output_bytes(const clsort__plan *p, size_t element, size_t apart)
{
    const clsort__span none = clsort__make_span(NULL, 0);
    const clsort__rows r = clsort__make_rows(none, clsort__output_rows(&p->d), p->data.wanted,
                                             element, apart);
    return clsort__rows_bytes(&r);
}

/* Checks the buffers of a sort or a selection that are given, and the one of a proof. */
static clsort_status clsort__check_buffers(clsort__job *j)
{
    const clsort__plan *p = &j->plan;
    const clsort_desc *d = &p->d;
    const clsort__data *a = &p->data;
    const int sorts = !d->top_k, reads = sorts || p->select.sorts_after,
              has_scratch = p->scratch.layout.bytes > 0;
    const clsort__span none = clsort__make_span(NULL, 0);
    clsort__range r[11];
    r[0] = clsort__make_range("keys", a->keys, a->extent * a->element_bytes, 1,
                              a->writes_keys && a->in_place);
    r[1] = clsort__make_range("keys_out", a->in_place ? none : a->keys_to,
                              clsort__output_bytes(p, a->element_bytes, a->keys_apart), reads, 1);
    r[2] = clsort__make_range("values", a->values, a->extent * d->value_size, 1,
                              a->values_in_place);
    r[3] = clsort__make_range("values_out", a->values_in_place ? none : a->values_to,
                              clsort__output_bytes(p, d->value_size, a->values_apart), sorts, 1);
    r[4] = clsort__make_range("indices", a->indices, clsort__output_bytes(p, 4, a->indices_apart),
                              reads || a->has_values || p->select.moves_keys, 1);
    r[5] = clsort__make_range("scratch", clsort__make_span(d->scratch, d->scratch_offset),
                              d->scratch_size, has_scratch, has_scratch);
    clsort__segment_ranges(a, r + 6);
    r[9] = clsort__make_range("proof", j->result, sizeof(clsort_proof), 1, 1);
    r[10] = clsort__make_range("lengths", a->lengths, clsort__output_rows(d) * 4, 1, 0);
    CLSORT__MUST(clsort__check_ranges(j->s, r, 11));
    return clsort__check_limits(j);
}

/* Takes the whole scratch memory from one buffer, from `first` on. */
static void clsort__scratch_from(const clsort__plan *p, clsort__span first,
                                 clsort__scratch *scratch)
{
    cl_uint i = 0;
    memset(scratch, 0, sizeof *scratch);
    scratch->layout = &p->scratch.layout;
    do scratch->spans[i] = clsort__span_from(first, p->scratch.layout.start[i]);
    while (++i < p->scratch.layout.buffers);
}

/* Finds a plan's scratch: the caller's, or the slot of the run's queue; then the run waits for the
   slot's last user. */
static clsort_status clsort__find_scratch(clsort__run *run, const clsort__plan *p,
                                          clsort__scratch *scratch, clsort__slot **slot)
{
    cl_int state = CL_COMPLETE;
    cl_uint i;
    cl_event last;
    clsort__scratch_from(p, clsort__make_span(p->d.scratch, p->d.scratch_offset), scratch);
    *slot = NULL;
    if (!p->scratch.layout.bytes || p->d.scratch) return CL_SUCCESS;
    CLSORT__MUST(clsort__find_slot(run->s, run->queue, slot));
    CLSORT__MUST(clsort__grow_slot(run->s, *slot, &p->scratch.layout));
    for (i = 0; i < p->scratch.layout.buffers; i++)
        scratch->spans[i] = clsort__make_span((*slot)->buffers[i], 0);
    last = (*slot)->last;
    if (!last) return CL_SUCCESS;
    CLSORT__MUST(
        CLSORT__ASK(run->s, clGetEventInfo, last, CL_EVENT_COMMAND_EXECUTION_STATUS, state));
    if (state <= CL_COMPLETE) return CL_SUCCESS;
    CLSORT__MUST(CLSORT__TRY(run->s, clRetainEvent, (last)));
    run->previous = last;
    return CL_SUCCESS;
}

/* Runs a clsort_enqueue_* call: the checks in their order, then its commands, counted first and
   then enqueued. */
static clsort_status clsort__enqueue(clsort__job *j, cl_command_queue queue, cl_uint n_wait,
                                     const cl_event *wait, cl_event *done)
{
    clsort__run *run = &j->run;
    CLSORT__MUST(clsort__check_arguments(j, queue, n_wait, wait, done));
    CLSORT__MUST(clsort__plan_job(j));
    CLSORT__MUST(clsort__check_queue(j->s, run));
    CLSORT__MUST(j->op->buffers(j));
    CLSORT__MUST(clsort__reserve_waits(j->s, n_wait));
    run->status = j->op->ready(j);
    run->mode = CLSORT__COUNT;
    if (run->status == CL_SUCCESS) j->op->commands(run, j);
    run->mode = CLSORT__RUN;
    if (run->status == CL_SUCCESS) j->op->commands(run, j);
    clsort__marker(run);
    return clsort__end_run(run, j->slot);
}

/* Plans a call and checks the buffers that are given, for calls that enqueue nothing. */
static clsort_status clsort__check_job(clsort__job *j)
{
    CLSORT__MUST(clsort__plan_job(j));
    return j->op->buffers(j);
}

/* Replaces every buffer of a planned call that is not given yet by the address of a byte: where
   nothing is enqueued, or no elements are, commands only compare buffers. */
static void clsort__fake_buffers(clsort__job *j, char places[6])
{
    clsort_desc *const d = &j->plan.d;
    cl_mem *const buffers[5] = { &d->keys, &d->keys_out, &d->values, &d->values_out, &d->indices };
    int i;
    for (i = 0; i < 5; i++)
        if (!*buffers[i]) *buffers[i] = (cl_mem)(void *)&places[i];
    clsort__plan_spans(d, &j->plan.data);
    clsort__scratch_from(&j->plan, clsort__make_span((cl_mem)(void *)&places[5], 0), &j->scratch);
}

/* Counts the commands of a call and enqueues nothing. */
static clsort_status clsort__count_job(clsort__job *j, clsort__tally *tally)
{
    char places[6];
    CLSORT__MUST(clsort__check_job(j));
    clsort__fake_buffers(j, places);
    memset(tally, 0, sizeof *tally);
    j->run.mode = CLSORT__COUNT;
    j->run.tally = tally;
    j->op->commands(&j->run, j);
    return CL_SUCCESS;
}

/* The buffer that replaces all others while kernels are warmed. Radix kernels without elements
   still write their tables, of 1024 blocks or 8 digits. */
enum { CLSORT__DUMMY_BYTES = 1 << 16 };

/* Launches every kernel of a call with its geometry and no elements, on the run's queue or, without
   one, on the sorter's own, and waits for the last one. */
static clsort_status clsort__warm_job(clsort__job *j)
{
    clsort_sorter *s = j->s;
    clsort__run *run = &j->run;
    char places[6];
    cl_int code;
    if (!run->queue) CLSORT__MUST(clsort__own_queue(s));
    if (!s->dummy)
        CLSORT__MUST(clsort__create_buffer(s, CLSORT__DUMMY_BYTES, NULL, CL_MEM_READ_WRITE, NULL,
                                           &s->dummy));
    if (!run->queue) {
        run->queue = s->own_queue;
        run->in_order = 1;
    }
    run->mode = CLSORT__WARM;
    clsort__fake_buffers(j, places);
    j->op->commands(run, j);
    code = run->previous ? CLSORT_CL(clWaitForEvents)(1, &run->previous) : CL_SUCCESS;
    CLSORT__MUST(clsort__end_run(run, NULL));
    return clsort__note(s, code, "clWaitForEvents");
}

/* Makes the scratch of a plan ahead, for a queue; NULL: for the next one that needs some. */
static clsort_status clsort__prepare_scratch(clsort_sorter *s, cl_command_queue queue,
                                             const clsort__plan *p)
{
    const int needed = p->scratch.layout.bytes > 0 && !p->d.scratch;
    clsort__slot *slot;
    if (!needed && !s->releases_late) return CL_SUCCESS;
    CLSORT__MUST(clsort__find_slot(s, queue, &slot));
    return needed ? clsort__grow_slot(s, slot, &p->scratch.layout) : CL_SUCCESS;
}

/* ---- >>bitonic ------------------------------------------------------------------------------- */

/* One launch over tiles: the stages up to `stage` from `from` to `to`; or, if `tail`, the end of
   that stage in `to`. */
/* The same, and the splits of its work-items. */
static void clsort__arg_merge_tile(clsort__run *run, const clsort__config *shape)
{
    clsort__arg_tile(run, shape);
    clsort__arg_local(run, clsort__tile_splits(shape));
}

static void clsort__tile_pass(clsort__run *run, const clsort__plan *p, const clsort__config *shape,
                              clsort__arrays from, clsort__arrays to, int tail, cl_uint stage)
{
    const int global_tile = clsort__local_choice(&p->d.tuning) == CLSORT_LOCAL_GLOBAL_TAIL;
    const size_t tiles = clsort__ceil_divide(p->d.count,
                                             (size_t)1 << clsort__tile_log2(shape, global_tile));
    clsort__use_kernel(run, &p->config,
                       global_tile ? CLSORT__KERNEL_GLOBAL_TILE
                       : tail      ? CLSORT__KERNEL_TAIL
                                   : CLSORT__KERNEL_TILE);
    if (!global_tile && !tail) clsort__arg_arrays(run, &p->config, from);
    clsort__arg_arrays(run, &p->config, to);
    clsort__arg_own_codec(run, p);
    clsort__arg_count(run, p->d.count);
    if (global_tile) clsort__arg_uint(run, tail ? stage : 0);
    if (global_tile || !tail) clsort__arg_uint(run, stage);
    if (!global_tile) clsort__arg_tile(run, shape);
    clsort__traffic(run, 1, 2 * clsort__sorted_bytes(p));
    clsort__launch(run, tiles << (global_tile ? shape->group_log2 : shape->share_log2));
}

/* The steps of bits top ... low, in place, by the kernel whose windows have 2^bits elements or
   vectors. */
static void clsort__window_pass(clsort__run *run, const clsort__plan *p,
                                const clsort__config *shape, clsort__arrays a, cl_uint bits,
                                cl_uint top, cl_uint low, cl_uint mirror)
{
    const cl_uint lanes_log2 = shape->lanes > 1 ? 4 : 0, hi = top - lanes_log2,
                  shift = hi + 1 > bits ? hi + 1 - bits : 0;
    const cl_ulong items = (p->d.count + shape->lanes - 1) / shape->lanes,
                   block = (cl_ulong)1 << (shift + bits), span = (cl_ulong)1 << shift;
    const cl_ulong rest = items % block,
                   windows = items / block * span + (rest < span ? rest : span);
    clsort__use_kernel(run, &p->config, CLSORT__KERNEL_B2 + (int)bits - 1);
    clsort__arg_arrays(run, &p->config, a);
    clsort__arg_own_codec(run, p);
    clsort__arg_count(run, p->d.count);
    clsort__arg_count(run, (size_t)windows);
    clsort__arg_uint(run, shift);
    clsort__arg_uint(run, hi - shift);
    clsort__arg_uint(run, low - lanes_log2 - shift);
    clsort__arg_uint(run, mirror);
    clsort__traffic(run, 1, 2 * clsort__sorted_bytes(p));
    clsort__launch(run, (size_t)windows);
}

/* One step of kernel A, out of place. */
static void clsort__step_pass(clsort__run *run, const clsort__plan *p, clsort__arrays from,
                              clsort__arrays to, cl_uint bit, cl_uint mirror)
{
    clsort__use_kernel(run, &p->config, CLSORT__KERNEL_A);
    clsort__arg_arrays(run, &p->config, from);
    clsort__arg_arrays(run, &p->config, to);
    clsort__arg_own_codec(run, p);
    clsort__arg_count(run, p->d.count);
    clsort__arg_uint(run, bit);
    clsort__arg_uint(run, mirror);
    clsort__traffic(run, 1, 3 * clsort__sorted_bytes(p));
    clsort__launch(run, p->d.count);
}

/* The steps of one stage from bit `stage` down to bit `floor` over global memory; `now` and `alt`
   are swapped by kernel A. Without a chosen step, windows of 16 items do any number of steps; else
   each number of steps has its own kernel, as published. */
static void clsort__global_steps(clsort__run *run, const clsort__plan *p,
                                 const clsort__config *shape, clsort__arrays *now,
                                 clsort__arrays *alt, cl_uint stage, cl_uint floor)
{
    /* 0 for kernel A */
    const cl_uint step = clsort__step_choice(&p->d.tuning),
                  widest = step ? clsort__log2(step) : 4;
    cl_uint left = stage + 1 - floor;
    while (left) {
        const cl_uint width = !widest         ? 1
                              : left < widest ? left
                                              : widest,
                      top = floor + left - 1, mirror = top == stage;
        left -= width;
        if (widest) {
            clsort__window_pass(run, p, shape, *now, step ? width : widest, top, floor + left,
                                mirror);
        } else {
            clsort__arrays swapped = *now;
            clsort__step_pass(run, p, *now, *alt, top, mirror);
            *now = *alt;
            *alt = swapped;
        }
    }
}

/* Sorts `from` into `to`, which may be the same. Kernel A works out of place, by way of alt. */
static void clsort__bitonic(clsort__run *run, const clsort__plan *p, const clsort__workspace *w)
{
    const cl_uint local = clsort__local_choice(&p->d.tuning),
                  levels = clsort__ceil_log2(p->d.count);
    const int tiles = local != CLSORT_LOCAL_OFF, tails = tiles && local != CLSORT_LOCAL_START,
              global_tile = local == CLSORT_LOCAL_GLOBAL_TAIL;
    const cl_uint tile = tiles ? clsort__tile_log2(&w->shape, global_tile) : 0,
                  floor = tails ? tile : 0;
    const cl_uint start = levels < tile ? levels : tile;
    clsort__arrays now = w->to, alt = w->alt;
    cl_uint stage, steps = 0;
    for (stage = tile; stage < levels; stage++) steps += stage + 1 - floor;
    if (clsort__step_choice(&p->d.tuning) == CLSORT_STEP_A && local != CLSORT_LOCAL_ONLY
        && steps & 1) {
        now = w->alt;
        alt = w->to;
    }
    if (!tiles || global_tile) clsort__copy_arrays(run, p, w->from, now);
    if (tiles) clsort__tile_pass(run, p, &w->shape, w->from, now, 0, start ? start - 1 : 0);
    if (local == CLSORT_LOCAL_ONLY) return;
    for (stage = tile; stage < levels; stage++) {
        clsort__global_steps(run, p, &w->shape, &now, &alt, stage, floor);
        if (tails) clsort__tile_pass(run, p, &w->shape, now, now, 1, stage);
    }
}

/* Work-group and tile of bitonic kernels: what fits, with 16 to 32 words of registers per
   work-item. 32 keys of 4 bytes instead of 16 gain 12 % on an H200 (9.5 against 8.5 Gkey/s at
   2^26), but the kernels then take 0.56 s to build instead of 0.39. */
static void clsort__bitonic_shape(const clsort_sorter *s, const clsort_tuning *t, clsort__config *c)
{
    const int lanes = clsort__wants_lanes(s, t);
    c->lanes = lanes ? 16 : 1;
    c->items_log2 = t->items                       ? clsort__log2(t->items / c->lanes)
                    : clsort__element_words(c) > 2 ? 3
                                                   : 4;
    if (!c->items_log2) c->items_log2 = 1;
    if (s->is_cpu && !lanes && c->items_log2 > 3)
        c->items_log2 = 3;   /* Intel's compiler of 2026.2 crashes at 16 */
    c->share_log2 = 0;
    if (lanes) c->group_log2 = clsort__lower_group(s, 4);
    else clsort__share_tile(s, t, 6, 10, c);
}

static void clsort__plan_bitonic(const clsort_sorter *s, clsort__plan *p)
{
    clsort__bitonic_shape(s, &p->d.tuning, &p->config);
    if (clsort__step_choice(&p->d.tuning)
        || clsort__local_choice(&p->d.tuning) == CLSORT_LOCAL_GLOBAL_TAIL)
        p->helpers.published = clsort__config_of(p, CLSORT__PUBLISHED_BITONIC);
}

/* ---- >>merge --------------------------------------------------------------------------------- */

/* Elements of a tile. */
static size_t clsort__merge_tile(const clsort__config *shape)
{
    return (size_t)1 << (shape->share_log2 + shape->items_log2);
}

/* Elements that one work-group or work-item writes in a pass. Slices of work-items are shorter in
   short arrays, to keep all cores busy. */
static size_t clsort__merge_slice(const clsort__config *shape, size_t n)
{
    size_t slice = 1024;
    if (shape->share_log2) return clsort__merge_tile(shape);
    while (slice < 16384 && slice * 64 < n) slice *= 2;
    return slice;
}

static void clsort__arg_pass(clsort__run *run, const clsort__plan *p, const clsort__merge_pass *m,
                             size_t slice)
{
    clsort__arg_arrays(run, &p->config, m->a);
    if (p->config.two_arrays) clsort__arg_arrays(run, &p->config, m->b);
    clsort__arg_own_codec(run, p);
    clsort__arg_count(run, m->n);
    clsort__arg_uint(run, (cl_uint)m->run);
    clsort__arg_uint(run, (cl_uint)m->span);
    clsort__arg_uint(run, (cl_uint)slice);
}

static void clsort__merge_splits(clsort__run *run, const clsort__plan *p,
                                 const clsort__merge_pass *m, size_t slice)
{
    const cl_uint spread_log2 = run->s->is_cpu ? 0 : 3;
    clsort__use_kernel(run, &p->config, CLSORT__KERNEL_MERGE_SPLIT);
    clsort__arg_pass(run, p, m, slice);
    clsort__arg_span(run, m->splits);
    clsort__arg_uint(run, spread_log2);
    clsort__launch(run, clsort__ceil_divide(m->n, slice) << spread_log2);
    if (!p->d.precedes) return;
    clsort__use_kernel(run, &p->config, CLSORT__KERNEL_MERGE_CLAMP);
    clsort__arg_span(run, m->splits);
    clsort__arg_count(run, m->n);
    clsort__arg_uint(run, (cl_uint)m->span);
    clsort__arg_uint(run, (cl_uint)slice);
    clsort__launch(run, m->n / (m->span + 1) + 1);
}

static void clsort__merge_runs(clsort__run *run, const clsort__plan *p, const clsort__config *shape,
                               const clsort__merge_pass *m)
{
    const size_t slice = clsort__merge_slice(shape, m->n);
    if (m->stored) clsort__merge_splits(run, p, m, slice);
    clsort__use_kernel(run, &p->config, CLSORT__KERNEL_MERGE_PASS);
    clsort__arg_pass(run, p, m, slice);
    clsort__arg_arrays(run, &p->config, m->to);
    clsort__arg_span(run, m->stored ? m->splits : m->a.keys);
    clsort__arg_uint(run, (cl_uint)m->stored);
    clsort__arg_merge_tile(run, shape);
    clsort__traffic(run, 1, 2 * clsort__sorted_bytes(p));
    clsort__launch(run, clsort__ceil_divide(m->n, slice) << shape->share_log2);
}

/* Sorts tiles or, by Bainville's kernel, blocks of a work-group, from w->from to `to`. */
static void clsort__merge_tiles(clsort__run *run, const clsort__plan *p, const clsort__workspace *w,
                                clsort__arrays to)
{
    const clsort__config *shape = &w->shape;
    const int local_only = p->config.family == CLSORT__PUBLISHED_MERGE;
    const size_t slice = local_only ? clsort__merge_tile(shape)
                                    : clsort__merge_slice(shape, p->d.count);
    clsort__use_kernel(run, &p->config,
                       local_only ? CLSORT__KERNEL_MERGE_LOCAL : CLSORT__KERNEL_MERGE_TILE);
    clsort__arg_arrays(run, &p->config, w->from);
    clsort__arg_arrays(run, &p->config, to);
    clsort__arg_own_codec(run, p);
    clsort__arg_count(run, p->d.count);
    if (!local_only) clsort__arg_uint(run, (cl_uint)slice);
    if (local_only) clsort__arg_tile(run, shape);
    else clsort__arg_merge_tile(run, shape);
    clsort__traffic(run, 1, 2 * clsort__sorted_bytes(p));
    clsort__launch(run, clsort__ceil_divide(p->d.count, slice) << shape->share_log2);
}

/* Sorts tiles by bitonic in vector registers, on CPUs. */
static void clsort__vector_tiles(clsort__run *run, const clsort__plan *p, clsort__arrays from,
                                 clsort__arrays to)
{
    const clsort__config shape = clsort__built_shape(run->s, &p->helpers.tiles);
    clsort__plan tiles = *p;
    memset(&tiles.d.tuning, 0, sizeof tiles.d.tuning);
    tiles.config = p->helpers.tiles;
    clsort__tile_pass(run, &tiles, &shape, from, to, 0, clsort__tile_log2(&shape, 0) - 1);
}

/* Does a kernel of its own find a pass's splits? It costs a launch, but no work-group then waits
   for its own search: worth it if many more work-groups are launched than run at once. Splits of a
   comparator must be clamped before use, so they are always stored. */
static int clsort__stores_splits(const clsort_sorter *s, const clsort__plan *p, size_t slice)
{
    if (p->d.precedes) return 1;
    return !s->is_cpu && slice >= 64 && p->d.count / slice > 8 * (size_t)s->compute_units;
}

/* Sorts `from` into `to`, which may be the same, by way of alt. Tiles are sorted to `to` or to alt,
   so that the last pass ends in `to`. */
static void clsort__merge(clsort__run *run, const clsort__plan *p, const clsort__workspace *w)
{
    const clsort__config vectors = clsort__built_shape(run->s, &p->helpers.tiles);
    const cl_uint tile_log2 = p->helpers.tiles.lanes ? clsort__tile_log2(&vectors, 0)
                                                     : w->shape.share_log2 + w->shape.items_log2;
    const cl_uint levels = clsort__ceil_log2(p->d.count),
                  passes = levels > tile_log2 ? levels - tile_log2 : 0;
    clsort__arrays now = passes & 1 ? w->alt : w->to, alt = passes & 1 ? w->to : w->alt;
    clsort__merge_pass m;
    cl_uint i;
    if (p->helpers.tiles.lanes) clsort__vector_tiles(run, p, w->from, now);
    else clsort__merge_tiles(run, p, w, now);
    for (i = 0; i < passes; i++) {
        const clsort__arrays swapped = now;
        m.a = m.b = now;
        m.to = alt;
        m.n = p->d.count;
        m.run = (size_t)1 << (tile_log2 + i);
        m.span = 2 * m.run - 1;
        m.splits = w->tables;
        m.stored = clsort__stores_splits(run->s, p, clsort__merge_slice(&w->shape, m.n));
        clsort__merge_runs(run, p, &w->shape, &m);
        now = alt;
        alt = swapped;
    }
}

/* Sorts the block of each work-group, as published: blocks are not merged. */
static void clsort__merge_only(clsort__run *run, const clsort__plan *p, const clsort__workspace *w)
{
    clsort__merge_tiles(run, p, w, w->to);
}

/* The shape of merge kernels. On a CPU each work-item has a slice, unless the caller names a
   work-group. A comparator is inlined for each pair of elements in registers, so work-items hold
   few. */
static void clsort__merge_shape(const clsort_sorter *s, clsort__plan *p)
{
    const clsort_tuning *t = &p->d.tuning;
    clsort__config *c = &p->config;
    const cl_uint words = clsort__element_words(c);
    const int serial = s->is_cpu && !t->work_group,
              local_only = clsort__local_choice(t) == CLSORT_LOCAL_ONLY;
    c->items_log2 = local_only                      ? 0
                    : t->items                      ? clsort__log2(t->items)
                    : p->d.precedes                 ? 2
                    : serial || words == 2          ? 4
                    : words == 1                    ? 5
                                                    : 3;
    if (c->items_log2 > 5) c->items_log2 = 5;
    if (s->is_cpu && !serial && c->items_log2 > 3) c->items_log2 = 3;
    clsort__share_tile(s, t, local_only ? 8 : 0, 13, c);
}

/* Does merge work in vector registers? On CPUs with vectors, for bare keys, or for keys with
   ascending indices: vector kernels are not stable, so equal elements must be the same, or ordered
   by index. */
static int clsort__merges_vectors(const clsort_sorter *s, const clsort__plan *p)
{
    return p->config.family == CLSORT__MERGE && !p->config.share_log2 && s->has_vectors
           && !(CLSORT__LEFT_OUT & CLSORT__BIT(CLSORT_BITONIC)) && !p->d.precedes
           && !p->d.tuning.items
           && (p->config.value_bytes == 0 || (p->indirect && !clsort__several_codes(&p->d)));
}

/* Plans the kernels of merge, and on CPUs the bitonic kernel that sorts its tiles. */
static void clsort__plan_merge(const clsort_sorter *s, clsort__plan *p)
{
    clsort_tuning none;
    memset(&none, 0, sizeof none);
    clsort__merge_shape(s, p);
    if (!clsort__merges_vectors(s, p)) return;
    p->config.ties = p->indirect != 0;
    p->config.lanes = 16;
    p->helpers.tiles = clsort__config_of(p, CLSORT__BITONIC);
    clsort__bitonic_shape(s, &none, &p->helpers.tiles);
}

static size_t clsort__merge_tables(const clsort_sorter *s, const clsort__plan *p)
{
    (void)s;
    return p->d.precedes ? 2 * p->data.extent + 8 : p->data.extent / 16 + 8;
}

/* The sort that needs the same kernels as a merge, for its checks and its plan. */
static clsort_desc clsort__merge_as_sort(const clsort_merge_desc *m)
{
    clsort_desc d = clsort_desc_default();
    d.count = m->count_a + m->count_b;
    d.key_type = m->key_type;
    d.order = m->order;
    d.nan_order = m->nan_order;
    d.flags = m->flags;
    d.keys = m->keys_out;   /* given arrays are not too large for the device */
    d.values = m->values_out;
    d.value_size = m->value_size;
    d.algorithm = CLSORT_MERGE;
    d.tuning = m->tuning;
    return d;
}

/* The names of an input's or an output's fields in messages. */
typedef struct clsort__part_names {
    const char *keys, *values, *keys_offset, *values_offset;
} clsort__part_names;
#define CLSORT__PART_NAMES(before, after) \
    { before "keys" after, before "values" after, before "keys" after "_offset", \
      before "values" after "_offset" }

static const clsort__part_names clsort__output_names = CLSORT__PART_NAMES("", "_out");

/* An input or the output of a merge or a partition. */
typedef struct clsort__merge_part {
    const clsort__part_names *names;
    size_t count;
    clsort__arrays arrays;
} clsort__merge_part;

/* Input 0 or 1, or the output of a merge of two. */
static clsort__merge_part clsort__get_merge_part(const clsort_merge_desc *m,
                                                 const clsort__merge_pass *pass, size_t i)
{
    static const clsort__part_names names[2] = { CLSORT__PART_NAMES("", "_a"),
                                                 CLSORT__PART_NAMES("", "_b") };
    const clsort__merge_part parts[3] = { { &names[0], m->count_a, pass->a },
                                          { &names[1], m->count_b, pass->b },
                                          { &clsort__output_names, pass->n, pass->to } };
    return parts[i];
}

/* Checks a part. needs_buffers: its buffers must be there. */
static void clsort__check_merge_part(clsort__checks *c, cl_uint key_type, size_t value_size,
                                     int needs_buffers, const clsort__merge_part *p)
{
    const size_t key = clsort__key_bits(key_type) / 8,
                 value = value_size ? clsort__alignment(value_size) : 1;
    const clsort__span keys = p->arrays.keys, values = p->arrays.values;
    const int needed = needs_buffers && p->count;
    if (!clsort__may_blame(c, CLSORT_ERROR_FIELDS)) return;
    if (values.buffer && !value_size)
        clsort__blame(c, CLSORT_ERROR_VALUE_SIZE, "value_size, the bytes of a value");
    if (needed && value_size && !values.buffer)
        clsort__blame(c, CLSORT_ERROR_VALUE_SIZE, p->names->values);
    if (values.offset && !value_size)
        clsort__blame(c, CLSORT_ERROR_UNUSED_FIELD, p->names->values_offset);
    clsort__need_room(c, p->names->keys_offset, p->count, key, keys.offset);
    clsort__need_room(c, p->names->values_offset, p->count, value_size, values.offset);
    clsort__need_multiple(c, p->names->keys_offset, keys.offset, key);
    clsort__need_multiple(c, p->names->values_offset, values.offset, value);
    if (needed && !keys.buffer) clsort__blame(c, CLSORT_ERROR_MISSING_BUFFER, p->names->keys);
}

/* The one pass of a merge. */
static clsort__merge_pass clsort__one_merge(const clsort_merge_desc *m)
{
    clsort__merge_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.a.keys = clsort__make_span(m->keys_a, m->keys_a_offset);
    pass.a.values = clsort__make_span(m->values_a, m->values_a_offset);
    pass.b.keys = clsort__make_span(m->keys_b, m->keys_b_offset);
    pass.b.values = clsort__make_span(m->values_b, m->values_b_offset);
    pass.to.keys = clsort__make_span(m->keys_out, m->keys_out_offset);
    pass.to.values = clsort__make_span(m->values_out, m->values_out_offset);
    pass.n = m->count_a + m->count_b;
    pass.run = m->count_a;
    pass.span = 0xFFFFFFFFu;
    return pass;
}

/* Checks a merge part by part, and plans it. */
static void clsort__check_merge(clsort__checks *c, clsort__job *j)
{
    const clsort_merge_desc *m = j->merge;
    const clsort_desc d = clsort__merge_as_sort(m);
    size_t i;
    j->pass = clsort__one_merge(m);
    c->needs_buffers = 0;
    if (m->flags & ~(cl_uint)CLSORT_FLAG_NO_BUILD)
        clsort__blame(c, CLSORT_ERROR_UNKNOWN_FLAG, "flags");
    if (m->value_size > 8)
        clsort__blame(c, CLSORT_ERROR_UNSUPPORTED,
                      "value_size above 8: merge indices, then gather");
    if (m->tuning.local) clsort__blame(c, CLSORT_ERROR_UNSUPPORTED, "tuning.local");
    if (m->nan_order == CLSORT_NAN_EQUAL && clsort__is_float(m->key_type))
        clsort__blame(c, CLSORT_ERROR_UNSUPPORTED, "nan_order: CLSORT_NAN_EQUAL");
    if (d.count < m->count_a)
        clsort__blame(c, CLSORT_ERROR_COUNT_TOO_LARGE, "count_a, count_b: their sum");
    clsort__check_desc(c, &d, CLSORT__TO_SORT);
    for (i = 0; i < 3; i++) {
        const clsort__merge_part part = clsort__get_merge_part(m, &j->pass, i);
        clsort__check_merge_part(c, m->key_type, m->value_size, 1, &part);
    }
    if (c->status != CL_SUCCESS) return;
    clsort__make_plan(c->s, &d, &j->plan);
    j->plan.config.two_arrays = 1;
}

static clsort_status clsort__check_merge_buffers(clsort__job *j)
{
    clsort__range r[6];
    size_t i;
    for (i = 0; i < 3; i++) {
        const clsort__merge_part part = clsort__get_merge_part(j->merge, &j->pass, i);
        r[i] = clsort__make_range(part.names->keys, part.arrays.keys,
                                  part.count * j->plan.key.bytes, i < 2, i == 2);
        r[3 + i] = clsort__make_range(part.names->values, part.arrays.values,
                                      part.count * j->merge->value_size, i < 2, i == 2);
    }
    CLSORT__MUST(clsort__check_ranges(j->s, r, 6));
    return clsort__check_device(j->s, &j->plan);
}

static clsort_status clsort__ready_merge(clsort__job *j)
{
    return j->pass.n ? clsort__need_program(j->s, &j->plan.config, j->merge->flags) : CL_SUCCESS;
}

/* All commands of a merge. An input without elements is replaced by the other one. */
static void clsort__merge_inputs(clsort__run *run, const clsort__job *j)
{
    const clsort__config shape = clsort__tile_shape(j->s, &j->plan);
    clsort__merge_pass pass = j->pass;
    if (!j->merge->count_a) pass.a = pass.b;
    if (!j->merge->count_b) pass.b = pass.a;
    if (pass.n) clsort__merge_runs(run, &j->plan, &shape, &pass);
}

static const clsort__operation clsort__merging = { clsort__check_merge, NULL,
                                                   clsort__check_merge_buffers, clsort__ready_merge,
                                                   clsort__merge_inputs };

/* ---- >>runs ---------------------------------------------------------------------------------- */

/* Merges of many runs: elements of a tile that one work-item merges, and the fewest for short
   outputs; log2 of the elements between two samples, for work-groups and for work-items; tiles and
   work-items that a core gets at least. */
enum {
    CLSORT__RUNS_SERIAL_TILE = 1 << 15,
    CLSORT__RUNS_LEAST_TILE = 1 << 10,
    CLSORT__RUNS_STEP_LOG2 = 13,
    CLSORT__RUNS_SERIAL_STEP_LOG2 = 17,
    CLSORT__RUNS_PER_CORE = 4
};

/* Local memory in bytes for the shares of a tile. */
static size_t clsort__share_bytes(const clsort__config *c)
{
    return c->share_log2 ? 4 * CLSORT__SHARE_WORDS((size_t)1 << c->share_log2) : 0;
}

static size_t clsort__cores(const clsort_sorter *s)
{
    return s->compute_units ? s->compute_units : 1;
}

/* Elements of a tile. Those of work-items are shorter in short outputs, to keep all cores busy. */
static size_t clsort__runs_tile(const clsort_sorter *s, const clsort__config *shape, size_t n)
{
    const size_t items = (size_t)1 << shape->items_log2;
    size_t tile = CLSORT__RUNS_SERIAL_TILE;
    if (shape->share_log2) return CLSORT__RUNS_TILE((size_t)1 << shape->share_log2, items);
    while (tile > CLSORT__RUNS_LEAST_TILE && n / tile < CLSORT__RUNS_PER_CORE * clsort__cores(s))
        tile /= 2;
    return tile;
}

/* log2 of the elements from a sample to the next one. */
static cl_uint clsort__runs_step(const clsort__config *shape)
{
    return shape->share_log2 ? (cl_uint)CLSORT__RUNS_STEP_LOG2
                             : (cl_uint)CLSORT__RUNS_SERIAL_STEP_LOG2;
}

/* The most tiles that n elements are cut into, whatever the kernels' work-groups turn out to be. */
static size_t clsort__runs_most_tiles(const clsort_sorter *s, const clsort__config *asked, size_t n)
{
    const size_t least = CLSORT__RUNS_TILE((size_t)1 << CLSORT__RUNS_GROUP_LOG2,
                                           (size_t)1 << asked->items_log2);
    return asked->share_log2 ? n / least + 1
                             : n / CLSORT__RUNS_SERIAL_TILE
                                   + 2 * CLSORT__RUNS_PER_CORE * clsort__cores(s) + 1;
}

/* The sort that needs the same arrays as a merge of runs, for its checks and its plan. */
static clsort_desc clsort__runs_as_sort(const clsort_merge_runs_desc *m)
{
    clsort_desc d = clsort_desc_default();
    cl_uint i;
    for (i = 0; i < m->run_count && i < CLSORT_MAX_RUNS; i++)
        d.count = clsort__saturating_add(d.count, m->runs[i].count);
    d.key_type = m->key_type;
    d.order = m->order;
    d.nan_order = m->nan_order;
    d.flags = m->flags;
    d.keys = m->keys_out;
    d.values = m->values_out;
    d.value_size = m->value_size;
    d.scratch = m->scratch;
    d.scratch_offset = m->scratch_offset;
    d.scratch_size = m->scratch_size;
    d.algorithm = CLSORT_MERGE;
    d.tuning = m->tuning;
    return d;
}

/* Run i, or the output if i is run_count. */
static clsort__merge_part clsort__get_run(const clsort_merge_runs_desc *m, size_t n, cl_uint i)
{
#define CLSORT__RUN_NAMES(i) CLSORT__PART_NAMES("runs[" #i "].", "")
    static const clsort__part_names names[CLSORT_MAX_RUNS] = {
        CLSORT__RUN_NAMES(0), CLSORT__RUN_NAMES(1), CLSORT__RUN_NAMES(2), CLSORT__RUN_NAMES(3),
        CLSORT__RUN_NAMES(4), CLSORT__RUN_NAMES(5), CLSORT__RUN_NAMES(6), CLSORT__RUN_NAMES(7),
        CLSORT__RUN_NAMES(8), CLSORT__RUN_NAMES(9), CLSORT__RUN_NAMES(10), CLSORT__RUN_NAMES(11),
        CLSORT__RUN_NAMES(12), CLSORT__RUN_NAMES(13), CLSORT__RUN_NAMES(14), CLSORT__RUN_NAMES(15)
    };
#undef CLSORT__RUN_NAMES
    const int is_run = i < m->run_count;
    clsort__merge_part part;
    part.names = is_run ? &names[i] : &clsort__output_names;
    part.count = is_run ? m->runs[i].count : n;
    part.arrays.keys = is_run ? clsort__make_span(m->runs[i].keys, m->runs[i].keys_offset)
                              : clsort__make_span(m->keys_out, m->keys_out_offset);
    part.arrays.values = is_run ? clsort__make_span(m->runs[i].values, m->runs[i].values_offset)
                                : clsort__make_span(m->values_out, m->values_out_offset);
    return part;
}

/* Mistakes that a merge of runs shares with a partition. `count`: of its output. */
static void clsort__check_pieces(clsort__checks *c, const clsort_desc *d)
{
    if (d->flags & ~(cl_uint)CLSORT_FLAG_NO_BUILD)
        clsort__blame(c, CLSORT_ERROR_UNKNOWN_FLAG, "flags");
    if (d->value_size > 8)
        clsort__blame(c, CLSORT_ERROR_UNSUPPORTED, "value_size above 8: move indices, then gather");
    if (d->tuning.local || d->tuning.radix)
        clsort__blame(c, CLSORT_ERROR_UNSUPPORTED, "tuning.local, tuning.radix");
    if (d->nan_order == CLSORT_NAN_EQUAL && clsort__is_float(d->key_type))
        clsort__blame(c, CLSORT_ERROR_UNSUPPORTED, "nan_order: CLSORT_NAN_EQUAL");
    if (c->needs_buffers && !d->scratch && d->scratch_size)
        clsort__blame(c, CLSORT_ERROR_UNUSED_FIELD, "scratch_size without scratch");
    if (c->needs_buffers && !d->scratch && d->scratch_offset)
        clsort__blame(c, CLSORT_ERROR_UNUSED_FIELD, "scratch_offset without scratch");
}

/* Plans the kernels of a merge of runs. */
static void clsort__plan_runs(const clsort_sorter *s, clsort__plan *p)
{
    clsort__config *c = &p->config;
    memset(&p->helpers, 0, sizeof p->helpers);
    c->family = CLSORT__RUNS;
    c->ties = 0;
    clsort__merge_shape(s, p);
    clsort__least_tile(c);
    c->lanes = 1;
}

/* Checks a merge run by run, and plans it. */
static void clsort__check_runs(clsort__checks *c, clsort__job *j)
{
    const clsort_merge_runs_desc *m = j->runs;
    const clsort_desc d = clsort__runs_as_sort(m);
    const int enqueues = c->needs_buffers, known = m->run_count && m->run_count <= CLSORT_MAX_RUNS;
    cl_uint i;
    clsort__check_pieces(c, &d);
    c->needs_buffers = 0;
    if (!known)
        clsort__blame(c, CLSORT_ERROR_UNKNOWN_VALUE, "run_count: 1 to CLSORT_MAX_RUNS");
    if (m->reserved) clsort__blame(c, CLSORT_ERROR_UNKNOWN_VALUE, "reserved: it must be 0");
    clsort__check_desc(c, &d, CLSORT__TO_SORT);
    for (i = 0; known && i <= m->run_count; i++) {
        const clsort__merge_part part = clsort__get_run(m, d.count, i);
        clsort__check_merge_part(c, d.key_type, d.value_size, enqueues, &part);
    }
    if (c->status != CL_SUCCESS) return;
    clsort__make_plan(c->s, &d, &j->plan);
    clsort__plan_runs(c->s, &j->plan);
}

/* Runs that have elements. */
static cl_uint clsort__full_runs(const clsort_merge_runs_desc *m)
{
    cl_uint i, full = 0;
    for (i = 0; i < m->run_count; i++) full += m->runs[i].count > 0;
    return full;
}

static void clsort__runs_scratch(const clsort_sorter *s, clsort__job *j)
{
    clsort__plan *p = &j->plan;
    clsort__layout *l = &p->scratch.layout;
    const size_t n = p->d.count,
                 rows = clsort__runs_most_tiles(s, &p->config, n) + 1
                        + (n >> clsort__runs_step(&p->config));
    l->most = clsort__most_bytes(s, p);
    if (clsort__full_runs(j->runs) < 2) return;
    p->scratch.tables = clsort__take(l, rows * 4 * CLSORT__MOST_RUNS);
}

static clsort_status clsort__check_run_buffers(clsort__job *j)
{
    const clsort_merge_runs_desc *m = j->runs;
    const size_t n = j->plan.d.count;
    const int has_scratch = j->plan.scratch.layout.bytes > 0;
    clsort__range r[2 * CLSORT_MAX_RUNS + 3];
    cl_uint i;
    for (i = 0; i <= m->run_count; i++) {
        const clsort__merge_part part = clsort__get_run(m, n, i);
        const int is_run = i < m->run_count, looks = part.count > 0;
        const clsort__span none = clsort__make_span(NULL, 0);
        r[2 * i] = clsort__make_range(part.names->keys, looks ? part.arrays.keys : none,
                                      part.count * j->plan.key.bytes, is_run || has_scratch,
                                      !is_run);
        r[2 * i + 1] = clsort__make_range(part.names->values, looks ? part.arrays.values : none,
                                          part.count * m->value_size, is_run || has_scratch,
                                          !is_run);
    }
    r[2 * i] = clsort__make_range("scratch", clsort__make_span(m->scratch, m->scratch_offset),
                                  m->scratch_size, has_scratch, has_scratch);
    CLSORT__MUST(clsort__check_ranges(j->s, r, 2 * (size_t)i + 1));
    return clsort__check_limits(j);
}

static clsort_status clsort__ready_runs(clsort__job *j)
{
    if (clsort__full_runs(j->runs) < 2) return CL_SUCCESS;
    CLSORT__MUST(clsort__need_program(j->s, &j->plan.config, j->runs->flags));
    return clsort__find_scratch(&j->run, &j->plan, &j->scratch, &j->slot);
}

/* A merge of runs: those that have elements, and how their output is cut. */
typedef struct clsort__runs_job {
    const clsort__plan *p;
    clsort__config shape;
    cl_uint runs, step_log2;
    clsort__arrays from[CLSORT_MAX_RUNS], to;
    cl_uint counts[CLSORT_MAX_RUNS];
    size_t n, samples, tile, tiles;
    clsort__span samples_at, splits_at;
} clsort__runs_job;

static void clsort__make_runs(const clsort__job *j, clsort__runs_job *r)
{
    const clsort_merge_runs_desc *m = j->runs;
    const clsort__plan *p = &j->plan;
    cl_uint i;
    memset(r, 0, sizeof *r);
    r->p = p;
    r->shape = clsort__built_shape(j->s, &p->config);
    r->n = p->d.count;
    r->step_log2 = clsort__runs_step(&r->shape);
    r->tile = clsort__runs_tile(j->s, &r->shape, r->n);
    r->tiles = clsort__ceil_divide(r->n, r->tile);
    for (i = 0; i < m->run_count; i++) {
        const clsort__merge_part part = clsort__get_run(m, r->n, i);
        if (!part.count) continue;
        r->from[r->runs] = part.arrays;
        r->counts[r->runs++] = (cl_uint)part.count;
        r->samples += part.count >> r->step_log2;
    }
    for (i = r->runs; r->runs && i < CLSORT_MAX_RUNS; i++) r->from[i] = r->from[0];
    r->to = clsort__get_run(m, r->n, m->run_count).arrays;
    if (!p->scratch.layout.bytes) return;
    r->samples_at = clsort__scratch_part(&j->scratch, p->scratch.tables);
    r->splits_at = clsort__span_from(r->samples_at, r->samples * 4 * CLSORT__MOST_RUNS);
}

/* Arguments: the buffers of one kind of array, then their offsets in a vector. */
static void clsort__arg_run_spans(clsort__run *run, const clsort__runs_job *r, int values)
{
    cl_ulong offsets[CLSORT_MAX_RUNS];
    cl_uint i;
    for (i = 0; i < CLSORT_MAX_RUNS; i++) {
        const clsort__span span = values ? r->from[i].values : r->from[i].keys;
        clsort__arg(run, sizeof span.buffer, &span.buffer);
        offsets[i] = span.offset;
    }
    clsort__arg(run, sizeof offsets, offsets);
}

static void clsort__use_runs(clsort__run *run, const clsort__runs_job *r, int kernel)
{
    clsort__use_kernel(run, &r->p->config, kernel);
    clsort__arg_run_spans(run, r, 0);
    if (r->p->d.value_size) clsort__arg_run_spans(run, r, 1);
    clsort__arg_own_codec(run, r->p);
    clsort__arg(run, sizeof r->counts, r->counts);
}

/* Finds where tiles begin in every run. */
static void clsort__split_runs(clsort__run *run, const clsort__runs_job *r)
{
    const cl_uint spread_log2 = run->s->is_cpu ? 0 : 3;
    if (r->samples) {
        clsort__use_runs(run, r, CLSORT__KERNEL_RUNS_SAMPLE);
        clsort__arg_span(run, r->samples_at);
        clsort__arg_uint(run, r->step_log2);
        clsort__launch(run, r->samples * CLSORT__MOST_RUNS);
    }
    clsort__use_runs(run, r, CLSORT__KERNEL_RUNS_SPLIT);
    clsort__arg_span(run, r->samples_at);
    clsort__arg_span(run, r->splits_at);
    clsort__arg_uint(run, r->step_log2);
    clsort__arg_uint(run, (cl_uint)r->n);
    clsort__arg_uint(run, (cl_uint)r->tile);
    clsort__arg_uint(run, (cl_uint)r->tiles);
    clsort__arg_uint(run, spread_log2);
    clsort__launch(run, (r->tiles + 1) << spread_log2);
}

static void clsort__merge_tiles_of_runs(clsort__run *run, const clsort__runs_job *r)
{
    const size_t workers = CLSORT__RUNS_PER_CORE * clsort__cores(run->s),
                 each = clsort__ceil_divide(r->tiles, workers);
    clsort__use_runs(run, r, CLSORT__KERNEL_RUNS_PASS);
    clsort__arg_arrays(run, &r->p->config, r->to);
    clsort__arg_span(run, r->splits_at);
    clsort__arg_uint(run, (cl_uint)r->n);
    clsort__arg_uint(run, (cl_uint)r->tile);
    clsort__arg_uint(run, clsort__ceil_log2(r->runs));
    if (r->shape.share_log2) {
        clsort__arg_local(run, clsort__share_bytes(&r->shape));
        clsort__arg_tile(run, &r->shape);
    } else {
        clsort__arg_uint(run, (cl_uint)each);
    }
    clsort__traffic(run, 1, 2 * clsort__sorted_bytes(r->p));
    clsort__launch(run, r->shape.share_log2 ? r->tiles << r->shape.share_log2
                                            : clsort__ceil_divide(r->tiles, each));
}

/* All commands of a merge of runs. A single one is copied. */
static void clsort__merge_all_runs(clsort__run *run, const clsort__job *j)
{
    clsort__runs_job r;
    clsort__make_runs(j, &r);
    if (r.runs == 1) {
        clsort__copy(run, r.from[0].keys, r.to.keys, r.n * j->plan.key.bytes);
        clsort__copy(run, r.from[0].values, r.to.values, r.n * j->plan.d.value_size);
    }
    if (r.runs < 2) return;
    clsort__split_runs(run, &r);
    clsort__merge_tiles_of_runs(run, &r);
}

static const clsort__operation clsort__merging_runs = { clsort__check_runs, clsort__runs_scratch,
                                                        clsort__check_run_buffers,
                                                        clsort__ready_runs,
                                                        clsort__merge_all_runs };

/* ---- >>radix --------------------------------------------------------------------------------- */

/* Radix; all but the first are elements. */
enum {
    CLSORT__RADIX_BLOCKS = 1024,      /* the most blocks that a table has room for */
    CLSORT__RADIX_UNIT = 64,          /* blocks of work-items are multiples of these */
    CLSORT__RADIX_SMALL = 1 << 14,    /* the most that one work-item sorts in one launch */
    CLSORT__SWEEP_TILE = 1536,        /* the smallest tile of a sweep, for the size of its tables */
    CLSORT__SWEEP_LARGE = 1 << 22,    /* elements from which on warps take large tiles */
    CLSORT__MEND_LEAST = 1 << 21      /* from which on the low digits of pairs are mended */
};

/* Local memory of radix kernels, in bytes. */
typedef struct clsort__radix_local {
    size_t bins;                /* clsort_radix_count */
    size_t histogram;           /* clsort_radix_histogram */
    size_t sums;                /* clsort_radix_scan, clsort_radix_begin */
    size_t shares, runs;        /* clsort_radix_measure, clsort_radix_runs */
    size_t tile;                /* clsort_radix_scatter, clsort_radix_sweep */
    size_t small;               /* clsort_radix_small */
} clsort__radix_local;

static clsort__radix_local clsort__radix_sizes(const clsort__config *c)
{
    const size_t group = (size_t)1 << c->group_log2, digits = (size_t)1 << c->digit_bits,
                 tile = group * c->radix_items;
    const size_t words = (c->value_bytes + 3) / 4,
                 widest = 4 * words > c->key_bytes ? 4 * words : c->key_bytes;
    const size_t all = CLSORT__DIGITS_OF(c->key_bytes, c->digit_bits) * digits,
                 packed = c->team != CLSORT__WARP,
                 copies = CLSORT__HISTOGRAM_COPIES(all, !packed);
    const size_t counters = CLSORT__RADIX_COUNTERS(group, c->team, digits),
                 sums = CLSORT__SCAN_WORDS(group), staged = (tile * widest + 3) / 4;
    clsort__radix_local l;
    l.bins = (CLSORT__LEAST_COPIES * digits + CLSORT__SEEN_WORDS) * 4;
    l.histogram = ((all >> packed) * copies + CLSORT__SEEN_WORDS) * 4;
    l.sums = (sums + CLSORT__SEEN_WORDS) * 4;
    l.shares = 4 * CLSORT__SWEEP_PASSES * CLSORT__WARP;
    l.runs = 4 * (tile + 2);
    l.tile = 4 * CLSORT__RADIX_TILE_WORDS(digits, counters, sums, staged,
                                          CLSORT__RADIX_SHARES(c->team, words));
    l.small = l.tile + (words ? 2 * tile : 0);
    return l;
}

/* Words of an element's wider part. */
static cl_uint clsort__radix_widest(const clsort__config *c)
{
    const cl_uint words = (c->value_bytes + 3) / 4, key_words = (c->key_bytes + 3) / 4;
    return words > key_words ? words : key_words;
}

/* Elements of a work-item in work-groups of 256: as many as registers allow without losing
   occupancy on an H200. */
static cl_uint clsort__radix_fast(const clsort__config *c)
{
    const cl_uint widest = clsort__radix_widest(c);
    return widest > 2 ? 6 : widest > 1 ? 12 : c->family == CLSORT__SWEEP && !c->value_bytes ? 17 : 16;
}

/* Large tiles for long arrays and warps: their runs of a digit fill more of the sectors that they
   are written to. Registers of an H200 and local memory of 48 KB bound them. */
static void clsort__radix_large(clsort__config *c)
{
    const cl_uint words = (c->key_bytes + 3) / 4 + (c->value_bytes + 3) / 4;
    const int pairs = c->value_bytes > 0;
    c->radix_items = pairs ? (words > 3 ? 19 : words > 2 ? 22 : 28) : words > 1 ? 18 : 30;
}

/* The shape of radix kernels. On a CPU each work-item has a block, unless the caller names a
   work-group. */
static void clsort__radix_shape(const clsort_sorter *s, clsort__plan *p)
{
    const clsort_tuning *t = &p->d.tuning;
    clsort__config *c = &p->config;
    const int sweeps = c->family == CLSORT__SWEEP, parts = c->family == CLSORT__PARTITION;
    const cl_uint most = s->is_cpu ? 8 : 16;
    if (!parts) c->digit_bits = 8;
    c->team = sweeps && s->has_warps ? CLSORT__WARP : 16;
    c->radix_items = t->items ? (t->items < most ? t->items : most)
                     : s->is_cpu ? most : clsort__radix_fast(c);
    if (sweeps && c->radix_items < CLSORT__SWEEP_TILE / 256)
        c->radix_items = CLSORT__SWEEP_TILE / 256;
    c->group_log2 = clsort__choose_group(s, t, 0, 8);
    if (c->team == CLSORT__WARP && !t->items && p->d.count >= CLSORT__SWEEP_LARGE
        && clsort__radix_widest(c) <= 2)
        clsort__radix_large(c);
    c->share_log2 = c->group_log2;
    while (c->share_log2 > 0 && clsort__local_need(c) > s->local_bytes) {
        if (c->radix_items > 8) c->radix_items /= 2;
        else if (c->digit_bits > 4 && !parts) c->digit_bits -= 4;
        else c->share_log2 = --c->group_log2;
    }
    /* PoCL 6.0 crashes at work-groups of 2: nowhere are they faster than single work-items. */
    if (c->group_log2 == 1) c->share_log2 = c->group_log2 = 0;
}

static size_t clsort__radix_need(const clsort__config *c)
{
    const clsort__radix_local l = clsort__radix_sizes(c);
    if (c->family == CLSORT__SWEEP) return clsort__largest(l.histogram, l.sums, l.tile);
    return c->share_log2 ? clsort__largest(l.bins, l.sums, l.small) : 0;
}

/* Chooses sweeps if the device can run them and the array is long enough. */
static cl_uint clsort__radix_family(const clsort_sorter *s, const clsort_desc *d)
{
    const int sweeps = s && s->has_progress && !(s->broken & CLSORT__BIT(CLSORT__SWEEP))
                       && s->max_group >= 256 && s->local_bytes >= 48 << 10;
    return sweeps && d->tuning.radix != CLSORT_RADIX_PORTABLE && !d->tuning.work_group
                   && d->count > CLSORT__SWEEP_TILE
               ? (cl_uint)CLSORT__SWEEP
               : (cl_uint)CLSORT__RADIX;
}

/* The most blocks that n elements are cut into. */
static size_t clsort__radix_most_blocks(size_t n)
{
    return n / CLSORT__RADIX_UNIT < CLSORT__RADIX_BLOCKS ? n / CLSORT__RADIX_UNIT + 1
                                                         : (size_t)CLSORT__RADIX_BLOCKS;
}

/* Bytes of the tables of blocks. */
static size_t clsort__block_tables(size_t n)
{
    const size_t blocks = clsort__radix_most_blocks(n);
    return 4 * (CLSORT__PLAN_WORDS + CLSORT__SEEN_WORDS * blocks + (blocks + 1) * 256);
}

/* Bytes of radix tables: of blocks, or of a sweep's tiles. With sweeps there is room for either:
   they may turn out not to build, and the size must not fall with the count. */
static size_t clsort__radix_tables(const clsort_sorter *s, const clsort__plan *p)
{
    const size_t n = p->d.count;
    const size_t tile = s ? clsort__smaller((size_t)p->config.radix_items << p->config.group_log2,
                                            (size_t)clsort__radix_fast(&p->config) << 8)
                          : (size_t)CLSORT__SWEEP_TILE;
    const size_t of_blocks = clsort__block_tables(n);
    const size_t of_tiles = 4 * (CLSORT__SWEEP_HEAD + 256 * p->key.bytes)
                            + (n / tile + 1) * 1024 * (n >> 30 ? 2 : 1);
    if (s && p->config.family != CLSORT__SWEEP) return of_blocks;
    return of_blocks > of_tiles ? of_blocks : of_tiles;
}

/* The arguments of radix kernels. */
typedef struct clsort__radix_job {
    clsort__workspace w;
    size_t n, blocks, block_elements;
    cl_uint first_bit, last_bit, passes;
    cl_uint gated;              /* CLSORT__GATED: others may have sorted already */
    cl_uint mends;              /* CLSORT__MENDS: sweeps leave low bits to be mended */
} clsort__radix_job;

static void clsort__arg_radix(clsort__run *run, const clsort__plan *p, const clsort__radix_job *j,
                              cl_uint pass)
{
    clsort__arg_workspace(run, p, &j->w);
    clsort__arg_count(run, j->n);
    clsort__arg_count(run, j->blocks);
    clsort__arg_uint(run, (cl_uint)j->block_elements);
    clsort__arg_uint(run, j->first_bit);
    clsort__arg_uint(run, j->last_bit);
    clsort__arg_uint(run, j->gated | j->mends | (cl_uint)j->w.in_place);
    clsort__arg_uint(run, pass);
}

/* Launches that move elements. Where an odd number of passes sorts in place, one more copies the
   result back. */
static cl_uint clsort__radix_moves(const clsort__radix_job *j)
{
    return j->passes + (cl_uint)(j->w.in_place && j->passes % 2);
}

/* Counts the traffic of a radix kernel: counting reads keys, scattering moves elements, and a
   single work-item does everything in one launch. */
static void clsort__radix_traffic(clsort__run *run, const clsort__plan *p,
                                  const clsort__radix_job *j, int kernel)
{
    const cl_ulong keys = (cl_ulong)p->d.count * p->key.bytes, all = clsort__sorted_bytes(p);
    const cl_uint serial = clsort__radix_moves(j);
    if (kernel == CLSORT__KERNEL_RADIX_COUNT || kernel == CLSORT__KERNEL_RADIX_HISTOGRAM)
        clsort__traffic(run, 0, keys);
    else if (kernel == CLSORT__KERNEL_RADIX_SMALL && !p->config.share_log2)
        clsort__traffic(run, serial, keys + 2 * serial * all);
    else if (kernel == CLSORT__KERNEL_RADIX_SCATTER || kernel == CLSORT__KERNEL_RADIX_SWEEP
             || kernel == CLSORT__KERNEL_RADIX_SMALL)
        clsort__traffic(run, 1, 2 * all);
}

/* One launch of a radix kernel. local: the bytes of its local memory, 0: none. */
static void clsort__radix_launch(clsort__run *run, const clsort__plan *p,
                                 const clsort__radix_job *j, int kernel, cl_uint pass,
                                 size_t groups, size_t local)
{
    clsort__use_kernel(run, &p->config, kernel);
    clsort__arg_radix(run, p, j, pass);
    if (local) clsort__arg_local(run, local);
    if (!j->gated) clsort__radix_traffic(run, p, j, kernel);
    clsort__launch(run, groups << run->group_log2);
}

/* Elements that a work-group holds at a time. */
static size_t clsort__radix_tile(const clsort__config *shape)
{
    return (size_t)shape->radix_items << shape->share_log2;
}

/* Elements are cut into blocks of whole tiles: few per core on CPUs, enough for every core on GPUs,
   and never more than fit into a table. */
static void clsort__radix_blocks(const clsort_sorter *s, clsort__radix_job *j)
{
    const clsort__config *shape = &j->w.shape;
    const size_t unit = shape->share_log2 ? clsort__radix_tile(shape) : (size_t)CLSORT__RADIX_UNIT,
                 units = clsort__ceil_divide(j->n, unit);
    const size_t room = clsort__radix_most_blocks(j->n),
                 wanted = s->is_cpu ? 4 * (size_t)s->compute_units : room;
    const size_t most = shape->family == CLSORT__SWEEP ? units : clsort__smaller(wanted, room);
    j->block_elements = clsort__ceil_divide(units, most) * unit;
    j->blocks = clsort__ceil_divide(j->n, j->block_elements);
}

/* Three launches per digit: count, scan, scatter. */
static void clsort__radix_block_passes(clsort__run *run, const clsort__plan *p,
                                       const clsort__radix_job *j)
{
    const clsort__radix_local l = clsort__radix_sizes(&j->w.shape);
    const size_t group = j->w.shape.share_log2 > 0,
                 digits = group ? (size_t)1 << j->w.shape.digit_bits : 1;
    cl_uint pass;
    for (pass = 0; pass < clsort__radix_moves(j); pass++) {
        if (pass < j->passes) {
            clsort__radix_launch(run, p, j, CLSORT__KERNEL_RADIX_COUNT, pass, j->blocks,
                                 group * l.bins);
            clsort__radix_launch(run, p, j, CLSORT__KERNEL_RADIX_SCAN, pass, digits,
                                 group * l.sums);
        }
        clsort__radix_launch(run, p, j, CLSORT__KERNEL_RADIX_SCATTER, pass, j->blocks,
                             group * l.tile);
    }
}

/* One reading for all digits, then one launch per digit. */
static void clsort__radix_sweeps(clsort__run *run, const clsort__plan *p,
                                 const clsort__radix_job *j)
{
    const clsort__radix_local l = clsort__radix_sizes(&j->w.shape);
    const size_t busy = 8 * (size_t)run->s->compute_units,
                 counters = j->n / (CLSORT__COUNTER_MOST * CLSORT__LEAST_COPIES) + 1,
                 enough = clsort__largest(busy, counters, 0);
    cl_uint pass;
    clsort__radix_launch(run, p, j, CLSORT__KERNEL_RADIX_CLEAR, 0,
                         clsort__smaller(j->blocks / 4 + 1, busy), 0);
    clsort__radix_launch(run, p, j, CLSORT__KERNEL_RADIX_HISTOGRAM, 0,
                         clsort__smaller(j->blocks, enough), l.histogram);
    if (j->mends)
        clsort__radix_launch(run, p, j, CLSORT__KERNEL_RADIX_MEASURE, 0, 1, l.shares);
    clsort__radix_launch(run, p, j, CLSORT__KERNEL_RADIX_BEGIN, 0, j->passes, l.sums);
    for (pass = 0; pass < clsort__radix_moves(j); pass++)
        clsort__radix_launch(run, p, j, CLSORT__KERNEL_RADIX_SWEEP, pass, j->blocks, l.tile);
    if (!j->mends) return;
    clsort__radix_launch(run, p, j, CLSORT__KERNEL_RADIX_RUNS, 0, j->blocks, l.runs);
    clsort__radix_launch(run, p, j, CLSORT__KERNEL_RADIX_MEND, 0, busy, 0);
}

/* The most elements that one work-group, or on a CPU one work-item, sorts in one launch. */
static size_t clsort__radix_small(const clsort__config *shape)
{
    return shape->share_log2 ? clsort__radix_tile(shape) : (size_t)CLSORT__RADIX_SMALL;
}

/* May the low digits be mended? Of long keys in pairs that save passes; bare ones have hybrid
   radix. */
static cl_uint clsort__radix_mends(const clsort__plan *p, const clsort__radix_job *j)
{
    return p->config.family == CLSORT__SWEEP && p->config.value_bytes && !j->gated && j->passes > 5
                   && j->n >= CLSORT__MEND_LEAST
               ? (cl_uint)CLSORT__MENDS
               : 0;
}

/* Sorts `from` into `to`, which may be the same, by way of alt; with CLSORT__GATED only what others
   have not sorted. */
static void clsort__radix_passes(clsort__run *run, const clsort__plan *p,
                                 const clsort__workspace *w, cl_uint gated)
{
    const clsort__config *shape = &w->shape;
    clsort__radix_job j;
    memset(&j, 0, sizeof j);
    j.w = clsort__both_in_place(run, p, w);
    j.n = p->d.count;
    j.gated = gated;
    j.first_bit = p->d.first_bit;
    j.last_bit = p->d.last_bit ? p->d.last_bit : (cl_uint)(8 * p->key.bytes);
    j.passes = (j.last_bit - j.first_bit + shape->digit_bits - 1) / shape->digit_bits;
    j.mends = clsort__radix_mends(p, &j);
    clsort__radix_blocks(run->s, &j);
    if (shape->family == CLSORT__SWEEP) clsort__radix_sweeps(run, p, &j);
    else if (gated || j.n > clsort__radix_small(shape)) clsort__radix_block_passes(run, p, &j);
    else
        clsort__radix_launch(run, p, &j, CLSORT__KERNEL_RADIX_SMALL, 0, 1,
                             shape->share_log2 ? clsort__radix_sizes(shape).small : 0);
    if (!j.mends) return;
    j.w.from = j.w.to;
    clsort__radix_passes(run, p, &j.w, CLSORT__GATED);
}

/* Plans the passes. */
static void clsort__plan_passes(const clsort_sorter *s, clsort__plan *p)
{
    p->config.family = clsort__radix_family(s, &p->d);
    p->config.wide = p->config.family == CLSORT__SWEEP && p->d.count >> 30 > 0;
    clsort__radix_shape(s, p);
}

/* ---- >>partition ----------------------------------------------------------------------------- */

/* The bits of the number of a part. */
static cl_uint clsort__part_bits(cl_uint splitter_count) { return splitter_count < 16 ? 4 : 8; }

/* Bytes of the splitters' codes in local memory. */
static size_t clsort__splitter_bytes(const clsort__config *c)
{
    return (size_t)c->key_bytes << c->digit_bits;
}

static size_t clsort__partition_local(const clsort__config *c)
{
    const clsort__radix_local l = clsort__radix_sizes(c);
    return c->share_log2 ? clsort__largest(l.bins, l.tile, l.sums) + clsort__splitter_bytes(c) : 0;
}

/* The sort that needs the same arrays as a partition, for its checks and its plan. */
static clsort_desc clsort__partition_as_sort(const clsort_partition_desc *m)
{
    clsort_desc d = clsort_desc_default();
    d.count = m->count;
    d.key_type = m->key_type;
    d.order = m->order;
    d.nan_order = m->nan_order;
    d.flags = m->flags;
    d.keys = m->keys_out;
    d.values = m->values_out;
    d.value_size = m->value_size;
    d.scratch = m->scratch;
    d.scratch_offset = m->scratch_offset;
    d.scratch_size = m->scratch_size;
    d.algorithm = CLSORT_RADIX;
    d.tuning = m->tuning;
    return d;
}

/* The input, or the output if i is 1. */
static clsort__merge_part clsort__get_partition_part(const clsort_partition_desc *m, int i)
{
    static const clsort__part_names names = CLSORT__PART_NAMES("", "");
    clsort__merge_part part;
    part.names = i ? &clsort__output_names : &names;
    part.count = m->count;
    part.arrays.keys = i ? clsort__make_span(m->keys_out, m->keys_out_offset)
                         : clsort__make_span(m->keys, m->keys_offset);
    part.arrays.values = i ? clsort__make_span(m->values_out, m->values_out_offset)
                           : clsort__make_span(m->values, m->values_offset);
    return part;
}

/* Checks the splitters and the starts. */
static void clsort__check_splitters(clsort__checks *c, const clsort_partition_desc *m, int enqueues)
{
    const size_t key = clsort__key_bits(m->key_type) / 8;
    if (!m->splitter_count || m->splitter_count > CLSORT_MAX_SPLITTERS)
        clsort__blame(c, CLSORT_ERROR_UNKNOWN_VALUE, "splitter_count: 1 to CLSORT_MAX_SPLITTERS");
    if (m->reserved) clsort__blame(c, CLSORT_ERROR_UNKNOWN_VALUE, "reserved: it must be 0");
    if (!clsort__may_blame(c, CLSORT_ERROR_FIELDS)) return;
    clsort__need_room(c, "splitters_offset", m->splitter_count, key, m->splitters_offset);
    clsort__need_room(c, "starts_offset", (size_t)m->splitter_count + 2, 4, m->starts_offset);
    clsort__need_multiple(c, "splitters_offset", m->splitters_offset, key);
    clsort__need_multiple(c, "starts_offset", m->starts_offset, 4);
    if (enqueues && !m->splitters) clsort__blame(c, CLSORT_ERROR_MISSING_BUFFER, "splitters");
    if (enqueues && !m->starts) clsort__blame(c, CLSORT_ERROR_MISSING_BUFFER, "starts");
}

/* Plans the kernels of a partition. */
static void clsort__plan_partition(const clsort_sorter *s, clsort__plan *p, cl_uint part_bits)
{
    clsort__config *c = &p->config;
    memset(&p->helpers, 0, sizeof p->helpers);
    c->family = CLSORT__PARTITION;
    c->lanes = 1;
    c->wide = 0;
    c->digit_bits = part_bits;
    clsort__radix_shape(s, p);
}

static void clsort__check_partition(clsort__checks *c, clsort__job *j)
{
    const clsort_partition_desc *m = j->partition;
    const clsort_desc d = clsort__partition_as_sort(m);
    const int enqueues = c->needs_buffers;
    int i;
    clsort__check_pieces(c, &d);
    c->needs_buffers = 0;
    clsort__check_desc(c, &d, CLSORT__TO_SORT);
    clsort__check_splitters(c, m, enqueues);
    for (i = 0; i < 2; i++) {
        const clsort__merge_part part = clsort__get_partition_part(m, i);
        clsort__check_merge_part(c, d.key_type, d.value_size, enqueues, &part);
    }
    if (c->status != CL_SUCCESS) return;
    clsort__make_plan(c->s, &d, &j->plan);
    clsort__plan_partition(c->s, &j->plan, clsort__part_bits(m->splitter_count));
}

static void clsort__partition_scratch(const clsort_sorter *s, clsort__job *j)
{
    clsort__plan *p = &j->plan;
    p->scratch.layout.most = clsort__most_bytes(s, p);
    p->scratch.tables = clsort__take(&p->scratch.layout, clsort__block_tables(p->d.count));
}

static clsort_status clsort__check_partition_buffers(clsort__job *j)
{
    const clsort_partition_desc *m = j->partition;
    const size_t key = j->plan.key.bytes;
    clsort__range r[7];
    int i;
    for (i = 0; i < 2; i++) {
        const clsort__merge_part part = clsort__get_partition_part(m, i);
        r[i] = clsort__make_range(part.names->keys, part.arrays.keys, m->count * key, !i, i);
        r[2 + i] = clsort__make_range(part.names->values, part.arrays.values,
                                      m->count * m->value_size, !i, i);
    }
    r[4] = clsort__make_range("splitters",
                              clsort__make_span(m->splitters, m->splitters_offset),
                              m->splitter_count * key, 1, 0);
    r[5] = clsort__make_range("starts", clsort__make_span(m->starts, m->starts_offset),
                              ((size_t)m->splitter_count + 2) * 4, 0, 1);
    r[6] = clsort__make_range("scratch", clsort__make_span(m->scratch, m->scratch_offset),
                              m->scratch_size, 1, 1);
    CLSORT__MUST(clsort__check_ranges(j->s, r, 7));
    return clsort__check_limits(j);
}

static clsort_status clsort__ready_partition(clsort__job *j)
{
    CLSORT__MUST(clsort__need_program(j->s, &j->plan.config, j->partition->flags));
    return clsort__find_scratch(&j->run, &j->plan, &j->scratch, &j->slot);
}

/* One launch of a partition's kernel, with `local` bytes of local memory if work-groups share
   blocks. Arrays without elements are replaced by another buffer. */
static void clsort__launch_partition(clsort__run *run, const clsort__job *j,
                                     const clsort__radix_job *b, int kernel, size_t groups,
                                     size_t local)
{
    const clsort_partition_desc *m = j->partition;
    const clsort__span starts = clsort__make_span(m->starts, m->starts_offset);
    clsort__arrays none;
    none.keys = none.values = starts;
    clsort__use_kernel(run, &j->plan.config, kernel);
    clsort__arg_arrays(run, &j->plan.config,
                       m->count ? clsort__get_partition_part(m, 0).arrays : none);
    clsort__arg_arrays(run, &j->plan.config,
                       m->count ? clsort__get_partition_part(m, 1).arrays : none);
    clsort__arg_own_codec(run, &j->plan);
    clsort__arg_span(run, clsort__make_span(m->splitters, m->splitters_offset));
    clsort__arg_span(run, starts);
    clsort__arg_span(run, clsort__scratch_part(&j->scratch, j->plan.scratch.tables));
    clsort__arg_uint(run, (cl_uint)m->count);
    clsort__arg_uint(run, (cl_uint)b->blocks);
    clsort__arg_uint(run, (cl_uint)b->block_elements);
    clsort__arg_uint(run, m->splitter_count);
    if (b->w.shape.share_log2) clsort__arg_local(run, local);
    clsort__launch(run, groups << run->group_log2);
}

/* All commands of a partition: count, scan, scatter. */
static void clsort__partition(clsort__run *run, const clsort__job *j)
{
    const clsort__plan *p = &j->plan;
    const cl_ulong keys = (cl_ulong)p->d.count * p->key.bytes;
    clsort__radix_local l;
    clsort__radix_job b;
    size_t splitters;
    memset(&b, 0, sizeof b);
    b.w.shape = clsort__built_shape(j->s, &p->config);
    b.n = p->d.count ? p->d.count : 1;
    clsort__radix_blocks(j->s, &b);
    l = clsort__radix_sizes(&b.w.shape);
    splitters = clsort__splitter_bytes(&b.w.shape);
    clsort__traffic(run, 0, keys);
    clsort__launch_partition(run, j, &b, CLSORT__KERNEL_PARTITION_COUNT, b.blocks,
                             splitters + l.bins);
    clsort__launch_partition(run, j, &b, CLSORT__KERNEL_PARTITION_SCAN,
                             b.w.shape.share_log2 ? (size_t)1 << b.w.shape.digit_bits : 1, l.sums);
    clsort__traffic(run, 1, 2 * clsort__sorted_bytes(p));
    clsort__launch_partition(run, j, &b, CLSORT__KERNEL_PARTITION_SCATTER, b.blocks,
                             splitters + l.tile);
}

static const clsort__operation clsort__partitioning = { clsort__check_partition,
                                                        clsort__partition_scratch,
                                                        clsort__check_partition_buffers,
                                                        clsort__ready_partition,
                                                        clsort__partition };

/* ---- >>hybrid -------------------------------------------------------------------------------- */

/* The most elements: ranges have second digits for so many. */
enum { CLSORT__HYBRID_MOST = 5 << 26 };

/* Local memory of hybrid kernels, in bytes. */
typedef struct clsort__hybrid_local {
    size_t cells, count, split;     /* clsort_hybrid_cells; _count and _recount; splits, others */
    size_t buckets;                 /* clsort_hybrid_buckets, clsort_hybrid_long */
} clsort__hybrid_local;

static clsort__hybrid_local clsort__hybrid_sizes(const clsort__config *c)
{
    const size_t group = (size_t)1 << c->group_log2, key = c->key_bytes,
                 sums = CLSORT__SCAN_WORDS(group) + 8, slots = CLSORT__HYBRID_MOST_SLOTS(key);
    const size_t digits = CLSORT__HYBRID_DIGITS, cells = CLSORT__HYBRID_CELLS / 2,
                 masks = CLSORT__HYBRID_CELLS / CLSORT__HYBRID_MASK_CELLS;
    const size_t rows = group * CLSORT__HYBRID_BUCKET_ITEMS(key),
                 bins = group << CLSORT__HYBRID_OWN_BINS_LOG2;
    const size_t keys = (rows + (rows >> CLSORT__KEY_PAD_LOG2(key))) * key,
                 spare = (bins >> CLSORT__WORD_PAD_LOG2) + CLSORT__HYBRID_SPARE_BINS;
    clsort__hybrid_local l;
    l.cells = 4 * (cells + (cells >> CLSORT__WORD_PAD_LOG2) + sums) + 2 * group * key;
    l.count = 4 * clsort__largest(CLSORT__HYBRID_COPIES * digits + masks, slots + 1, 0);
    l.split = 4 * (2 * slots + masks + sums) + group * c->radix_items * key;
    l.buckets = clsort__round_up(keys) + 4 * (bins + spare + sums + group + 1);
    return l;
}

static size_t clsort__hybrid_need(const clsort__config *c)
{
    const clsort__hybrid_local l = clsort__hybrid_sizes(c);
    return clsort__largest(clsort__largest(l.cells, l.count, 0), l.split, l.buckets);
}

/* The most second digits of a range, a power of two; 0: a range is a bucket. A range may have half
   as many elements again as on average. s may be NULL. */
static size_t clsort__hybrid_slots(const clsort_sorter *s, const clsort__plan *p)
{
    const cl_uint least = CLSORT__HYBRID_LEAST_GROUP,
                  group_log2 = s ? clsort__choose_group(s, &p->d.tuning, least, 8) : least;
    const size_t mean = p->d.count / CLSORT__HYBRID_EVEN_DIGITS,
                 most = CLSORT__HYBRID_MOST_SLOTS(p->key.bytes),
                 bucket = (size_t)CLSORT__HYBRID_BUCKET_ITEMS(p->key.bytes) << group_log2;
    size_t slots = 2;
    if (mean <= bucket * 2 / 3) return 0;
    while (slots < most && slots * (bucket * 2 / 3) < mean / 2 * 3) slots *= 2;
    return slots;
}

/* Are a plan's elements bare keys that are sorted from the top down? */
static int clsort__top_down_can(const clsort__plan *p)
{
    return p->key.bytes >= 4 && !p->indirect && !p->config.value_bytes && !p->config.records
           && !clsort__some_bits(&p->d);
}

/* May hybrid radix sort a plan's elements: as asked for, or where it is the fastest? s may be NULL:
   on any device. */
static int clsort__hybrid_may(const clsort_sorter *s, const clsort__plan *p)
{
    const clsort_tuning *t = &p->d.tuning;
    const int own = t->radix == CLSORT_RADIX_DEFAULT && !t->work_group && !t->items
                    && !(s && s->is_cpu)
                    && p->d.count >= clsort__find_crossover(s, &p->d)->hybrid;
    return (own || t->radix == CLSORT_RADIX_HYBRID) && clsort__top_down_can(p);
}

/* Says in *c what hybrid kernels are compiled for; 0 if they do not fit the count or the device. */
static int clsort__hybrid_shape(const clsort_sorter *s, const clsort__plan *p, clsort__config *c)
{
    const clsort_tuning *t = &p->d.tuning;
    const cl_uint most = s->is_cpu ? 8 : c->key_bytes == 8 ? 16 : 32;
    if (!clsort__hybrid_may(s, p) || s->broken & CLSORT__BIT(CLSORT__HYBRID)) return 0;
    if (p->d.count < 2 || p->d.count > CLSORT__HYBRID_MOST) return 0;
    c->family = CLSORT__HYBRID;
    c->digit_bits = 8;
    c->radix_items = t->items && t->items < most ? t->items : most;
    c->group_log2 = c->share_log2 = clsort__choose_group(s, t, CLSORT__HYBRID_LEAST_GROUP, 8);
    return c->group_log2 >= CLSORT__HYBRID_LEAST_GROUP && clsort__hybrid_need(c) <= s->local_bytes;
}

/* Where the tables of hybrid radix begin, in bytes: behind those of the passes. */
static size_t clsort__hybrid_at(const clsort_sorter *s, const clsort__plan *p)
{
    clsort__plan passes = *p;
    if (p->helpers.passes.family) passes.config = p->helpers.passes;
    return clsort__round_up(clsort__radix_tables(s, &passes));
}

/* What all launches of hybrid kernels share: where the tables begin, in words; the most second
   digits of a range. */
typedef struct clsort__hybrid_job {
    const clsort__workspace *w;
    size_t tables, slots;
} clsort__hybrid_job;

/* One launch of a hybrid kernel, which reads or writes all elements so many times. local: bytes. */
static void clsort__hybrid_launch(clsort__run *run, const clsort__plan *p,
                                  const clsort__hybrid_job *j, int kernel, size_t groups,
                                  size_t local, cl_uint times)
{
    clsort__use_kernel(run, &p->config, kernel);
    clsort__arg_workspace(run, p, j->w);
    clsort__arg_count(run, p->d.count);
    clsort__arg_count(run, j->tables);
    clsort__arg_count(run, j->slots);
    clsort__arg_local(run, local);
    clsort__traffic(run, times > 1, times * (cl_ulong)p->d.count * p->key.bytes);
    clsort__launch(run, groups << run->group_log2);
}

/* Moves elements to their buckets, and sorts these. */
static void clsort__hybrid_buckets(clsort__run *run, const clsort__plan *p,
                                   const clsort__hybrid_job *j)
{
    const clsort__hybrid_local l = clsort__hybrid_sizes(&j->w->shape);
    const size_t tiles = clsort__ceil_divide(p->d.count, clsort__radix_tile(&j->w->shape)),
                 digits = CLSORT__HYBRID_DIGITS, busy = 8 * (size_t)run->s->compute_units,
                 buckets = j->slots ? digits * j->slots : digits,
                 sample = (size_t)1 << (CLSORT__HYBRID_SAMPLE_LOG2 - j->w->shape.group_log2);
    const size_t parts = clsort__ceil_divide(tiles + digits, CLSORT__HYBRID_RECOUNT_TILES);
    clsort__hybrid_launch(run, p, j, CLSORT__KERNEL_HYBRID_SAMPLE, sample, 8, 0);
    clsort__hybrid_launch(run, p, j, CLSORT__KERNEL_HYBRID_CELLS, 1, l.cells, 0);
    clsort__hybrid_launch(run, p, j, CLSORT__KERNEL_HYBRID_COUNT, clsort__smaller(tiles, busy),
                          l.count, 1);
    clsort__hybrid_launch(run, p, j, CLSORT__KERNEL_HYBRID_RANGES, 1, l.split, 0);
    clsort__hybrid_launch(run, p, j, CLSORT__KERNEL_HYBRID_SPLIT, tiles, l.split, 2);
    if (j->slots) {
        clsort__hybrid_launch(run, p, j, CLSORT__KERNEL_HYBRID_RECOUNT, parts, l.count, 1);
        clsort__hybrid_launch(run, p, j, CLSORT__KERNEL_HYBRID_STARTS, digits, l.split, 0);
        clsort__hybrid_launch(run, p, j, CLSORT__KERNEL_HYBRID_RESPLIT, tiles + digits, l.split,
                              2);
    }
    clsort__hybrid_launch(run, p, j, CLSORT__KERNEL_HYBRID_BUCKETS, buckets, l.buckets, 2);
    clsort__hybrid_launch(run, p, j, CLSORT__KERNEL_HYBRID_LONG, clsort__smaller(buckets, busy),
                          l.buckets, 0);
}

/* Sorts `from` into `to`, which may be the same, by way of alt; then the passes do, or nothing. */
static void clsort__hybrid(clsort__run *run, const clsort__plan *p, const clsort__workspace *w)
{
    clsort__hybrid_job j;
    clsort__plan passes = *p;
    clsort__workspace rest = *w;
    j.w = w;
    j.tables = clsort__hybrid_at(run->s, p) / 4;
    j.slots = clsort__hybrid_slots(run->s, p);
    clsort__hybrid_buckets(run, p, &j);
    passes.config = p->helpers.passes;
    rest.shape = clsort__tile_shape(run->s, &passes);
    clsort__radix_passes(run, &passes, &rest, CLSORT__GATED);
}

/* ---- >>samples ------------------------------------------------------------------------------- */

static size_t clsort__samples_need(const clsort__config *c)
{
    return clsort__hybrid_sizes(c).buckets + (8u << c->group_log2);
}

/* Says in *c what the kernels are compiled for; 0 if they do not fit the count or the device. A
   work-item looks for a bucket in one tile. */
static int clsort__samples_shape(const clsort_sorter *s, const clsort__plan *p, clsort__config *c)
{
    const clsort_tuning *t = &p->d.tuning;
    if (t->radix != CLSORT_RADIX_SAMPLES || !clsort__top_down_can(p)) return 0;
    if (s->broken & CLSORT__BIT(CLSORT__SAMPLES)) return 0;
    c->family = CLSORT__SAMPLES;
    c->radix_items = CLSORT__HYBRID_BUCKET_ITEMS(c->key_bytes);
    c->team = s->has_warps ? CLSORT__WARP : 16;
    c->group_log2 = c->share_log2 = clsort__choose_group(s, t, CLSORT__HYBRID_LEAST_GROUP, 8);
    return c->group_log2 >= CLSORT__HYBRID_LEAST_GROUP && clsort__local_need(c) <= s->local_bytes
           && p->d.count <= clsort__radix_tile(c) << c->group_log2;
}

/* Sorts `from` into `to`, which may be the same, by way of alt. A bucket has half a tile or two
   thirds on average: samples of many tiles stand less well for their keys. */
static void clsort__samples(clsort__run *run, const clsort__plan *p, const clsort__workspace *w)
{
    const size_t n = p->d.count, tile = clsort__radix_tile(&w->shape),
                 tiles = clsort__ceil_divide(n, tile), local = clsort__samples_need(&w->shape);
    clsort__hybrid_job j;
    j.w = w;
    j.tables = tiles <= 1     ? 1
               : tiles <= 128 ? clsort__ceil_divide(3 * n, 2 * tile)
                              : clsort__ceil_divide(2 * n, tile);
    j.slots = clsort__ceil_divide(n, tile);
    clsort__hybrid_launch(run, p, &j, CLSORT__KERNEL_SAMPLES_TILE, tiles, local, 2);
    if (tiles <= 1) return;
    clsort__hybrid_launch(run, p, &j, CLSORT__KERNEL_SAMPLES_BORDERS, 1, local, 0);
    clsort__hybrid_launch(run, p, &j, CLSORT__KERNEL_SAMPLES_BUCKET, j.tables, local, 2);
}

/* ---- >>cached -------------------------------------------------------------------------------- */

/* Radix in cache, in elements: the most that one work-item sorts in one launch; the fewest that
   passes are enqueued behind; and of a device, the fewest cores, since with fewer no range that one
   core sorts makes the others wait for long. */
enum {
    CLSORT__CACHED_SMALL = 1 << 16,
    CLSORT__CACHED_GATED = 1 << 19,
    CLSORT__CACHED_CORES = 3
};

/* May radix in cache sort a plan's elements, for which passes are planned? */
static int clsort__cached_may(const clsort_sorter *s, const clsort__plan *p)
{
    const clsort_tuning *t = &p->d.tuning;
    const int own = t->radix == CLSORT_RADIX_DEFAULT && !t->work_group && !t->items
                    && p->d.count >= clsort__find_crossover(s, &p->d)->hybrid;
    return s->is_cpu && !(s->broken & CLSORT__BIT(CLSORT__CACHED))
           && p->config.family == CLSORT__RADIX && !p->config.share_log2 && p->key.bytes >= 4
           && !p->key.has_codes && !clsort__some_bits(&p->d)
           && (own || t->radix == CLSORT_RADIX_CACHED);
}

/* Are passes enqueued behind? */
static int clsort__cached_gated(const clsort_sorter *s, const clsort__plan *p)
{
    return p->d.count >= CLSORT__CACHED_GATED && s->compute_units >= CLSORT__CACHED_CORES;
}

/* One launch, which reads so many keys per element, and moves each element so often. */
static void clsort__cached_launch(clsort__run *run, const clsort__plan *p,
                                  const clsort__radix_job *j, int kernel, cl_uint part,
                                  size_t groups, cl_uint keys, cl_uint moves)
{
    clsort__use_kernel(run, &p->config, kernel);
    clsort__arg_radix(run, p, j, part);
    clsort__traffic(run, moves,
                    keys * (cl_ulong)p->d.count * p->key.bytes
                        + 2 * moves * clsort__sorted_bytes(p));
    clsort__launch(run, groups << run->group_log2);
}

/* Elements are moved to ranges, which cores then sort. A range may have as many elements as the
   cores would sort in twice the time. */
static void clsort__cached_ranges(clsort__run *run, const clsort__plan *p,
                                  const clsort__radix_job *j)
{
    const size_t cores = clsort__smaller(run->s->compute_units, 32),
                 workers = clsort__smaller(run->s->compute_units, j->blocks);
    clsort__cached_launch(run, p, j, CLSORT__KERNEL_CACHED_SAMPLE, 0, 1, 0, 0);
    clsort__cached_launch(run, p, j, CLSORT__KERNEL_CACHED_COUNT, 0, j->blocks, 1, 0);
    clsort__cached_launch(run, p, j, CLSORT__KERNEL_CACHED_RANGES, (cl_uint)(cores + 1) / 2, 1, 0,
                          0);
    clsort__cached_launch(run, p, j, CLSORT__KERNEL_CACHED_SPLIT, 0, j->blocks, 0, 1);
    clsort__cached_launch(run, p, j, CLSORT__KERNEL_CACHED_BUCKETS, 0, workers, 0, 1);
}

/* Sorts `from` into `to`, which may be the same, by way of alt. Tables of blocks have fewer of them
   than those of passes, for which there is room. */
static void clsort__cached(clsort__run *run, const clsort__plan *p, const clsort__workspace *w)
{
    clsort__plan passes = *p;
    clsort__radix_job j;
    memset(&j, 0, sizeof j);
    j.w = clsort__both_in_place(run, p, w);
    j.n = p->d.count;
    j.last_bit = (cl_uint)(8 * p->key.bytes);
    j.gated = p->helpers.passes.family ? (cl_uint)CLSORT__GATED : 0;
    if (j.n <= CLSORT__CACHED_SMALL) {
        clsort__cached_launch(run, p, &j, CLSORT__KERNEL_CACHED_SMALL, 0, 1, 0, 1);
        return;
    }
    j.blocks = clsort__smaller(clsort__radix_most_blocks(j.n) - CLSORT__CACHED_WORDS / 256,
                               4 * (size_t)run->s->compute_units);
    j.block_elements = clsort__ceil_divide(j.n, j.blocks);
    j.blocks = clsort__ceil_divide(j.n, j.block_elements);
    clsort__cached_ranges(run, p, &j);
    if (!j.gated) return;
    passes.config = p->helpers.passes;
    j.w.shape = clsort__tile_shape(run->s, &passes);
    clsort__radix_passes(run, &passes, &j.w, CLSORT__GATED);
}

/* What CLSORT_RADIX runs: kernels from the top where they may and fit, and passes. */
static void clsort__radix(clsort__run *run, const clsort__plan *p, const clsort__workspace *w)
{
    if (p->config.family == CLSORT__HYBRID) clsort__hybrid(run, p, w);
    else if (p->config.family == CLSORT__SAMPLES) clsort__samples(run, p, w);
    else if (p->config.family == CLSORT__CACHED) clsort__cached(run, p, w);
    else clsort__radix_passes(run, p, w, 0);
}

static void clsort__plan_radix(const clsort_sorter *s, clsort__plan *p)
{
    clsort__config hybrid = p->config, samples = p->config;
    clsort__plan_passes(s, p);
    if (clsort__samples_shape(s, p, &samples)) p->config = samples;
    else if (clsort__hybrid_shape(s, p, &hybrid)) {
        p->helpers.passes = p->config;
        p->config = hybrid;
    } else if (clsort__cached_may(s, p)) {
        if (clsort__cached_gated(s, p)) p->helpers.passes = p->config;
        p->config.family = CLSORT__CACHED;
    }
}

/* Room for hybrid radix too where it may run: the size must not fall with the count. */
static size_t clsort__all_radix_tables(const clsort_sorter *s, const clsort__plan *p)
{
    const size_t words = CLSORT__HYBRID_SLOTS_AT
                         + CLSORT__HYBRID_DIGITS * clsort__hybrid_slots(s, p);
    return clsort__hybrid_may(s, p) ? clsort__hybrid_at(s, p) + 4 * words
                                    : clsort__radix_tables(s, p);
}

/* ---- >>segments ------------------------------------------------------------------------------ */

/* The elements of a piece, which one work-item sorts; of one that it sorts in vectors, if there are
   enough for all cores; the most work-items that sort pieces. */
enum { CLSORT__PIECE = 1 << 14, CLSORT__LONG_PIECE = 1 << 18, CLSORT__PIECE_WORKERS = 1024 };

/* Vectors are faster than merges as long as a core's cache holds the piece. */
static size_t clsort__piece(const clsort_sorter *s, const clsort__plan *p)
{
    const size_t cores = s->compute_units;
    const int enough = p->d.rows >= 2 * cores
                       || p->data.extent / CLSORT__LONG_PIECE >= 4 * cores;
    return s->has_rows && enough && p->key.bytes >= 4 && !p->config.value_bytes
                   && !p->config.comparator
               ? (size_t)CLSORT__LONG_PIECE
               : (size_t)CLSORT__PIECE;
}

/* The most slices of long segments among n elements, for any tile. A long segment has more than
   half a tile, so fewer than three slices for each tile of its elements. */
static size_t clsort__most_jobs(size_t n)
{
    return 3 * (n / CLSORT__LEAST_TILE) + 4;
}

/* Bytes of a table of jobs: its head, the jobs, and windows of half a tile. */
static size_t clsort__job_bytes(size_t n)
{
    return 4 * (CLSORT__JOB_HEAD + 2 * clsort__most_jobs(n) + n / (CLSORT__LEAST_TILE / 2) + 1);
}

/* Work-items that sort pieces, each with a plan of its own. */
static size_t clsort__piece_workers(size_t n)
{
    return n / 64 < CLSORT__PIECE_WORKERS ? n / 64 + 1 : (size_t)CLSORT__PIECE_WORKERS;
}

/* The arguments that describe segments. `any` replaces an absent buffer. */
static void clsort__arg_segments(clsort__run *run, const clsort__plan *p, clsort__span any)
{
    const clsort__data *a = &p->data;
    const cl_uint kind = (a->at_offsets ? (cl_uint)CLSORT__SEGMENTS_AT_OFFSETS : 0)
                         | (a->has_gaps ? (cl_uint)CLSORT__SEGMENTS_HAVE_GAPS : 0)
                         | (a->in_ranges ? (cl_uint)CLSORT__SEGMENTS_IN_RANGES : 0)
                         | (a->count_on_device ? (cl_uint)CLSORT__COUNT_ON_DEVICE : 0);
    clsort__arg_span(run, a->at_offsets || a->in_ranges ? a->offsets : any);
    clsort__arg_span(run, a->at_offsets ? a->ends : any);
    clsort__arg_span(run, a->count_on_device || a->in_ranges ? a->count : any);
    clsort__arg_count(run, a->segments);
    clsort__arg_uint(run, (cl_uint)p->d.count);
    clsort__arg_uint(run, (cl_uint)a->stride);
    clsort__arg_uint(run, kind);
}

/* The bytes from a row of an output to the next, 0 where its elements lie like those of the
   keys. */
static void clsort__arg_apart(clsort__run *run, const clsort__plan *p, size_t apart)
{
    clsort__arg_ulong(run, p->data.own_strides ? apart : 0);
}

/* The arguments of segment kernels; see jobs_t in kernels.cl. */
typedef struct clsort__segment_job {
    clsort__workspace w;
    size_t tile;                /* elements sorted at once */
    size_t most;                /* jobs that the table has room for */
    size_t per;                 /* jobs of each segment; 0: they are listed in the table */
} clsort__segment_job;

static void clsort__arg_jobs(clsort__run *run, const clsort__plan *p, const clsort__segment_job *j)
{
    clsort__arg_segments(run, p, j->w.to.keys);
    clsort__arg_span(run, j->w.tables);
    clsort__arg_uint(run, (cl_uint)j->most);
    clsort__arg_uint(run, (cl_uint)j->per);
}

/* Work-groups, or work-items, for all jobs. Those that read the table take several jobs each, since
   most of it may be empty. */
static size_t clsort__job_groups(const clsort__run *run, const clsort__plan *p,
                                 const clsort__segment_job *j)
{
    const size_t jobs = j->per ? p->data.segments * j->per : p->data.extent / j->tile * 3 + 1,
                 busy = 32 * (size_t)run->s->compute_units;
    return j->per || jobs < busy ? jobs : busy;
}

/* Fills the table with the jobs of segments longer than `least`, and with the windows. */
static void clsort__list_jobs(clsort__run *run, const clsort__plan *p, const clsort__segment_job *j,
                              size_t least)
{
    clsort__fill(run, j->w.tables, 0, 3 * sizeof(cl_uint));
    clsort__use_kernel(run, &p->config, CLSORT__KERNEL_SEGMENT_JOBS);
    clsort__arg_jobs(run, p, j);
    clsort__arg_uint(run, (cl_uint)least);
    clsort__arg_uint(run, (cl_uint)j->tile);
    clsort__arg_local(run, clsort__group_sums(run->group_log2));
    clsort__launch(run, p->data.segments);
}

/* Merges the runs of all segments of more than one tile, in as many passes as `longest` takes. */
static void clsort__segment_passes(clsort__run *run, const clsort__plan *p,
                                   const clsort__segment_job *j, size_t longest)
{
    const cl_uint passes = clsort__ceil_log2(clsort__ceil_divide(longest, j->tile));
    cl_uint pass;
    for (pass = 0; pass < passes; pass++) {
        clsort__use_kernel(run, &p->config, CLSORT__KERNEL_SEGMENT_PASS);
        clsort__arg_arrays(run, &p->config, j->w.to);
        clsort__arg_arrays(run, &p->config, j->w.alt);
        clsort__arg_codec(run, p, j->w.to.keys);
        clsort__arg_jobs(run, p, j);
        clsort__arg_uint(run, pass);
        if (j->w.shape.share_log2) clsort__arg_merge_tile(run, &j->w.shape);
        else clsort__arg_uint(run, (cl_uint)j->tile);
        clsort__traffic(run, !p->data.in_ranges, 2 * clsort__sorted_bytes(p));
        clsort__launch(run, clsort__job_groups(run, p, j) << j->w.shape.share_log2);
    }
}

/* Sorts segments of up to half a tile. A tile holds as many rows as fit, or the segments that begin
   in a window of half a tile. */
static void clsort__segment_pack(clsort__run *run, const clsort__plan *p,
                                 clsort__segment_job packed)
{
    const clsort__segment_job *j = &packed;
    const size_t per = p->data.at_offsets ? 0 : j->tile / p->d.count,
                 groups = clsort__ceil_divide(per ? p->data.segments : p->data.extent,
                                              per ? per : j->tile / 2);
    packed.per = per;
    clsort__use_kernel(run, &p->config, CLSORT__KERNEL_SEGMENT_PACK);
    clsort__arg_arrays(run, &p->config, j->w.from);
    clsort__arg_arrays(run, &p->config, j->w.to);
    clsort__arg_codec(run, p, j->w.to.keys);
    clsort__arg_jobs(run, p, j);
    clsort__arg_tile(run, &j->w.shape);
    clsort__arg_local(run, clsort__packing_bytes(&j->w.shape));
    clsort__traffic(run, 1, 2 * clsort__sorted_bytes(p));
    clsort__launch(run, groups << j->w.shape.share_log2);
}

/* Sorts the tiles of long segments and of rows. */
static void clsort__segment_tiles(clsort__run *run, const clsort__plan *p,
                                  const clsort__segment_job *j)
{
    clsort__use_kernel(run, &p->config, CLSORT__KERNEL_SEGMENT_TILE);
    clsort__arg_arrays(run, &p->config, j->w.from);
    clsort__arg_arrays(run, &p->config, j->w.to);
    clsort__arg_arrays(run, &p->config, j->w.alt);
    clsort__arg_codec(run, p, j->w.to.keys);
    clsort__arg_jobs(run, p, j);
    clsort__arg_merge_tile(run, &j->w.shape);
    clsort__launch(run, clsort__job_groups(run, p, j) << j->w.shape.share_log2);
}

/* Sorts whole segments, or pieces of long ones, by radix, one per work-item. The plans of the
   work-items follow the table of jobs. */
static void clsort__segment_pieces(clsort__run *run, const clsort__plan *p,
                                   const clsort__segment_job *j)
{
    clsort__radix_job r;
    memset(&r, 0, sizeof r);
    r.w = j->w;
    r.w.in_place = 0;
    r.w.tables = clsort__span_from(j->w.tables, clsort__job_bytes(p->data.extent));
    r.last_bit = (cl_uint)(8 * p->key.bytes);
    clsort__use_kernel(run, &p->helpers.pieces, CLSORT__KERNEL_RADIX_PIECES);
    clsort__arg_radix(run, p, &r, 0);
    clsort__arg_jobs(run, p, j);
    clsort__arg_uint(run, (cl_uint)j->tile);
    clsort__traffic(run, !p->data.in_ranges, 2 * clsort__sorted_bytes(p));
    clsort__launch(run, clsort__piece_workers(p->data.extent));
}

/* Sorts every segment of `from` into its place in `to`, which may be the same, by way of alt. */
static void clsort__segments(clsort__run *run, const clsort__plan *p, const clsort__workspace *w)
{
    const int shares = w->shape.share_log2 > 0, ranges = p->data.in_ranges,
              listed = p->data.at_offsets || ranges;
    const size_t tile = shares ? clsort__merge_tile(&w->shape) : clsort__piece(run->s, p),
                 least = ranges   ? 0
                         : shares ? tile / 2
                                  : tile;
    const int fits = p->d.count <= least;   /* no segment is long */
    clsort__segment_job j;
    j.w = *w;
    j.tile = tile;
    j.most = clsort__most_jobs(p->data.extent);
    j.per = listed ? 0 : clsort__ceil_divide(p->d.count, tile);
    if (listed) clsort__list_jobs(run, p, &j, least);
    if (!shares) clsort__segment_pieces(run, p, &j);
    else if (p->data.at_offsets || (fits && !ranges)) clsort__segment_pack(run, p, j);
    if (shares && !fits) clsort__segment_tiles(run, p, &j);
    if (!fits) clsort__segment_passes(run, p, &j, p->d.count);
}

/* The shape for segments of `row` elements on average: the widest tile if shorter ones would not
   hold them, else the fastest. */
static void clsort__segment_shape(const clsort_sorter *s, const clsort_tuning *t, size_t row,
                                  clsort__config *c)
{
    const cl_uint words = clsort__element_words(c), most = words == 1 && row > 4096 ? 5 : 4;
    c->lanes = 1;
    c->items_log2 = t->items ? clsort__log2(t->items) : words > 2 ? 3 : most;
    if (c->items_log2 > 5) c->items_log2 = 5;
    if (s->is_cpu && c->items_log2 > 3) c->items_log2 = 3;
    clsort__share_tile(s, t, 0, 13, c);
    clsort__least_tile(c);
}

/* Plans the kernel whose work-items sort a piece of a segment each. */
static void clsort__plan_pieces(clsort__plan *p)
{
    p->helpers.pieces = clsort__config_of(p, CLSORT__PIECES);
    p->helpers.pieces.group_log2 = p->helpers.pieces.share_log2 = p->helpers.pieces.items_log2 = 0;
    p->helpers.pieces.digit_bits = 8;
    p->helpers.pieces.lanes = 1;
    p->helpers.pieces.ties = p->helpers.pieces.language = p->helpers.pieces.scan = 0;
}

static void clsort__plan_segments(const clsort_sorter *s, clsort__plan *p)
{
    const size_t parts = p->data.at_offsets && p->data.segments ? p->data.segments : 1;
    clsort__segment_shape(s, &p->d.tuning, p->d.count / parts, &p->config);
    clsort__plan_pieces(p);
}

/* The table of jobs, and a plan for each work-item that sorts pieces. */
static size_t clsort__segment_tables(const clsort_sorter *s, const clsort__plan *p)
{
    (void)s;
    return clsort__job_bytes(p->data.extent) + 128 * clsort__piece_workers(p->data.extent);
}

/* ---- >>batch --------------------------------------------------------------------------------- */

/* How often a row is read and written: once per step, or once for all steps inside a block of
   2^tile elements and the step above. */
static cl_uint clsort__batch_passes(const clsort__plan *p, cl_uint tile)
{
    const cl_uint local = p->d.tuning.local,
                  stages = p->d.count > 2 ? clsort__ceil_log2(p->d.count) : 1;
    const cl_uint saved = local == CLSORT_LOCAL_BATCH         ? tile - 1
                          : local == CLSORT_LOCAL_BATCH_SPLIT ? tile
                                                              : 0;
    cl_uint stage, passes = saved ? 1 : 0;
    for (stage = saved ? tile : 0; stage < stages; stage++) passes += stage + 1 - saved;
    return passes;
}

/* Sorts every row of `from` into its place in `to`, which may be the same, as published: one
   launch, a work-group for each row. */
static void clsort__batch(clsort__run *run, const clsort__plan *p, const clsort__workspace *w)
{
    const cl_uint local = p->d.tuning.local,
                  passes = clsort__batch_passes(p, clsort__tile_log2(&w->shape, 0));
    clsort__use_kernel(run, &p->config,
                       CLSORT__KERNEL_BATCH_ODD_EVEN + (int)local - CLSORT_LOCAL_BATCH_ODD_EVEN);
    clsort__arg_arrays(run, &p->config, w->from);
    clsort__arg_arrays(run, &p->config, w->to);
    clsort__arg_codec(run, p, w->to.keys);
    clsort__arg_count(run, p->d.count);
    clsort__arg_uint(run, (cl_uint)p->data.stride);
    if (local == CLSORT_LOCAL_BATCH || local == CLSORT_LOCAL_BATCH_SPLIT)
        clsort__arg_tile(run, &w->shape);
    clsort__traffic(run, passes, 2 * passes * clsort__sorted_bytes(p));
    clsort__launch(run, p->data.segments << w->shape.group_log2);
}

/* The shape of the published sorts of rows: two elements per work-item, unless the caller asks for
   more. */
static void clsort__plan_batch(const clsort_sorter *s, clsort__plan *p)
{
    const clsort_tuning *t = &p->d.tuning;
    clsort__config *c = &p->config;
    const cl_uint most = s->is_cpu ? 3 : 5, items = t->items > 2 ? clsort__log2(t->items) : 1;
    c->items_log2 = items < most ? items : most;
    clsort__share_tile(s, t, 6, 13, c);
}

/* ---- >>quicksort ----------------------------------------------------------------------------- */

/* Local memory of quicksort's kernels, in bytes: the stack of a leaf; and if a work-group shares a
   tile, the tile, codes or samples, and sums. */
static size_t clsort__quick_local(const clsort__config *c)
{
    const size_t group = (size_t)1 << c->share_log2, tile = group << c->items_log2,
                 stack = CLSORT__STACK_WORDS * 4;
    const size_t keys = (tile + (tile >> CLSORT__KEY_PAD_LOG2(c->key_bytes))) * c->key_bytes,
                 codes = 4 * group * c->key_bytes;
    const size_t words = (c->value_bytes + 3) / 4 * 4 * (tile + (tile >> CLSORT__WORD_PAD_LOG2)),
                 sums = CLSORT__QUICK_SUMS(group) * 4;
    return c->share_log2 ? clsort__round_up(keys) + clsort__round_up(codes) + words + sums + stack
                         : stack;
}

/* The shape of quicksort's kernels. On a CPU a work-group is one work-item with its tile in vector
   registers, unless the caller names a work-group. */
static void clsort__quick_shape(const clsort_sorter *s, clsort__plan *p)
{
    const clsort_tuning *t = &p->d.tuning;
    clsort__config *c = &p->config;
    if (s->has_vectors && !t->work_group && !t->items) c->lanes = 16;
    c->items_log2 = t->items ? clsort__log2(t->items) : clsort__element_words(c) > 2 ? 3 : 4;
    if (!c->items_log2) c->items_log2 = 1;
    if (s->is_cpu && c->lanes == 1 && c->items_log2 > 3) c->items_log2 = 3;
    c->group_log2 = c->share_log2 = clsort__choose_group(s, t, 0, 8);
    while (c->share_log2 && clsort__local_need(c) > s->local_bytes) c->share_log2 = --c->group_log2;
    if (c->share_log2)
        c->scan = t->scan ? t->scan
                          : (cl_uint)(c->language ? CLSORT_SCAN_BUILTIN : CLSORT_SCAN_LOCAL);
}

/* The most sequences of a round: each has more than 1024 elements, and more than n / 8192. */
static size_t clsort__quick_capacity(size_t n)
{
    return (n / 1024 < 8192 ? n / 1024 : 8192) + 1;
}

/* The most leftovers; then the bytes of quicksort's tables without their list, and with it. */
static size_t clsort__quick_leftovers(size_t n)
{
    return CLSORT__QUICK_MOST_LEFTOVERS(clsort__quick_capacity(n));
}

static size_t clsort__quick_lists(size_t n)
{
    return 4 * CLSORT__QUICK_LEFTOVERS_AT(clsort__quick_capacity(n));
}

static size_t clsort__quick_tables(size_t n)
{
    return clsort__round_up(clsort__quick_lists(n)
                            + 4 * CLSORT__RANGE_WORDS * clsort__quick_leftovers(n));
}

/* The arguments of quicksort's kernels. */
typedef struct clsort__quick_job {
    clsort__workspace w;
    size_t n, tile, leaf_elements, block_elements, groups;
    cl_uint rounds, pivot;
} clsort__quick_job;

/* How many elements a block of a round and a leaf have, and how many rounds there are: perfect
   halving takes log2(n / leaf_elements), good pivots half as many more. As many work-groups are
   launched as may run at once. */
static void clsort__quick_sizes(const clsort_sorter *s, clsort__quick_job *j)
{
    const clsort__config *shape = &j->w.shape;
    const size_t tile = (size_t)shape->lanes << (shape->share_log2 + shape->items_log2);
    const size_t blocks = shape->share_log2 ? 4096 : 16 * (size_t)s->compute_units,
                 most = (size_t)s->compute_units * (shape->share_log2 ? 16 : 4);
    const size_t block = clsort__largest(1024, clsort__ceil_divide(j->n, 4096),
                                         clsort__ceil_divide(j->n, blocks));
    j->tile = tile;
    j->leaf_elements = clsort__largest(shape->share_log2 ? 1024 : 1 << 14, 4 * tile,
                                       clsort__ceil_divide(j->n, 8192));
    j->block_elements = clsort__ceil_divide(block, tile) * tile;
    j->rounds = j->n > j->leaf_elements
                    ? 3 * clsort__ceil_log2(clsort__ceil_divide(j->n, j->leaf_elements)) / 2 + 4
                    : 0;
    j->groups = clsort__smaller(2 * clsort__ceil_divide(j->n, j->block_elements), most);
}

static void clsort__arg_quick(clsort__run *run, const clsort__plan *p, const clsort__quick_job *j,
                              cl_uint round)
{
    const size_t capacity = clsort__quick_capacity(j->n);
    clsort__arg_workspace(run, p, &j->w);
    clsort__arg_count(run, j->n);
    clsort__arg_count(run, capacity);
    clsort__arg_uint(run, (cl_uint)j->leaf_elements);
    clsort__arg_uint(run, (cl_uint)j->block_elements);
    clsort__arg_uint(run, (cl_uint)j->w.in_place);
    clsort__arg_uint(run, j->pivot);
    clsort__arg_uint(run, j->rounds);
    clsort__arg_uint(run, round);
}

static void clsort__quick_launch(clsort__run *run, const clsort__plan *p,
                                 const clsort__quick_job *j, int kernel, cl_uint round,
                                 size_t groups)
{
    clsort__use_kernel(run, &p->config, kernel);
    clsort__arg_quick(run, p, j, round);
    if (kernel != CLSORT__KERNEL_QUICK_BEGIN)
        clsort__arg_local(run, clsort__quick_local(&j->w.shape));
    if (kernel == CLSORT__KERNEL_QUICK_COUNT)
        clsort__traffic(run, 0, (cl_ulong)p->d.count * p->key.bytes);
    else if (kernel == CLSORT__KERNEL_QUICK_SCATTER || kernel == CLSORT__KERNEL_QUICK_LEAF)
        clsort__traffic(run, 1, 2 * clsort__sorted_bytes(p));
    clsort__launch(run, groups << run->group_log2);
}

/* Merges the ranges that rounds and leaves left unsorted. They are listed on the device, and
   treated as segments. */
static void clsort__quick_finish(clsort__run *run, const clsort__plan *p,
                                 const clsort__quick_job *j)
{
    clsort__plan left = *p;
    clsort__workspace w = j->w;
    if (j->n <= j->tile) return;
    left.config = p->helpers.leftovers;
    left.data.in_ranges = 1;
    left.data.segments = clsort__quick_leftovers(j->n);
    left.data.offsets = clsort__span_from(w.tables, clsort__quick_lists(j->n));
    left.data.count = clsort__span_from(w.tables, CLSORT__QUICK_LEFT * sizeof(cl_uint));
    w.tables = clsort__span_from(w.tables, clsort__quick_tables(j->n));
    w.shape = clsort__tile_shape(run->s, &left);
    clsort__segments(run, &left, &w);
}

static void clsort__quick_round(clsort__run *run, const clsort__plan *p, const clsort__quick_job *j,
                                cl_uint round, size_t groups)
{
    clsort__quick_launch(run, p, j, CLSORT__KERNEL_QUICK_COUNT, round, groups);
    clsort__quick_launch(run, p, j, CLSORT__KERNEL_QUICK_PLAN, round, 1);
    clsort__quick_launch(run, p, j, CLSORT__KERNEL_QUICK_SCATTER, round, groups);
}

/* Scheduler `queued`: enqueues all rounds at once. One round warms the kernels. */
static void clsort__quick_queued(clsort__run *run, const clsort__plan *p,
                                 const clsort__quick_job *j)
{
    const cl_uint rounds = run->mode == CLSORT__WARM && j->rounds ? 1 : j->rounds;
    cl_uint round;
    clsort__quick_launch(run, p, j, CLSORT__KERNEL_QUICK_BEGIN, 0, 1);
    for (round = 0; round < rounds; round++) clsort__quick_round(run, p, j, round, j->groups);
    clsort__quick_launch(run, p, j, CLSORT__KERNEL_QUICK_LEAF, 0, j->groups);
    clsort__quick_finish(run, p, j);
}

/* Reads quicksort's state back and waits for it, for the scheduler `host`. The command was not
   counted before. */
static void clsort__quick_read(clsort__run *run, const clsort__quick_job *j, cl_uint *state)
{
    const size_t bytes = CLSORT__QUICK_STATE_WORDS * sizeof *state;
    clsort__command c;
    memset(state, 0, bytes);
    if (run->mode != CLSORT__RUN || !clsort__begin_command(run, &c)) return;
    run->total++;
    CLSORT__ENQUEUE(run, &c, clEnqueueReadBuffer,
                    (run->queue, j->w.tables.buffer, CL_TRUE, j->w.tables.offset, bytes, state,
                     c.count, c.waits, c.event_out));
}

/* Scheduler `host`: each round is launched when its blocks are known, and the leaves when all
   are. */
static void clsort__quick_host(clsort__run *run, const clsort__plan *p, const clsort__quick_job *j)
{
    cl_uint state[CLSORT__QUICK_STATE_WORDS], round;
    size_t blocks, leaves;
    clsort__quick_launch(run, p, j, CLSORT__KERNEL_QUICK_BEGIN, 0, 1);
    if (run->mode == CLSORT__WARM && j->rounds) clsort__quick_round(run, p, j, 0, j->groups);
    for (round = 0; round < j->rounds && run->mode == CLSORT__RUN; round++) {
        clsort__quick_read(run, j, state);
        blocks = state[round % 2 * 2 + CLSORT__QUICK_BLOCKS];
        if (!blocks || run->status != CL_SUCCESS) break;
        run->total += 3;
        clsort__quick_round(run, p, j, round, blocks);
    }
    clsort__quick_read(run, j, state);
    leaves = run->mode == CLSORT__WARM ? j->groups : state[CLSORT__QUICK_LEAVES];
    clsort__quick_launch(run, p, j, CLSORT__KERNEL_QUICK_LEAF, 0, leaves ? leaves : 1);
    clsort__quick_finish(run, p, j);
}

/* Scheduler `device`: one launch, which launches all rounds and leaves. */
static void clsort__quick_device(clsort__run *run, const clsort__plan *p,
                                 const clsort__quick_job *j)
{
    clsort__use_kernel(run, &p->config, CLSORT__KERNEL_QUICK_RELAUNCHER);
    clsort__arg_quick(run, p, j, 0);
    clsort__arg_uint(run, (cl_uint)clsort__quick_local(&j->w.shape));
    clsort__launch(run, (size_t)1 << run->group_log2);
    clsort__quick_finish(run, p, j);
}

/* Sorts `from` into `to`, which may be the same, by way of alt. */
static void clsort__quicksort(clsort__run *run, const clsort__plan *p, const clsort__workspace *w)
{
    clsort__quick_job j;
    memset(&j, 0, sizeof j);
    j.w = clsort__both_in_place(run, p, w);
    j.n = p->d.count;
    j.pivot = p->d.tuning.pivot ? p->d.tuning.pivot : (cl_uint)CLSORT_PIVOT_MIDRANGE;
    clsort__quick_sizes(run->s, &j);
    if (p->d.tuning.scheduler == CLSORT_SCHEDULER_HOST) clsort__quick_host(run, p, &j);
    else if (p->d.tuning.scheduler == CLSORT_SCHEDULER_DEVICE) clsort__quick_device(run, p, &j);
    else clsort__quick_queued(run, p, &j);
}

/* Plans the kernels of quicksort, and those that merge its leftovers. */
static void clsort__plan_quicksort(const clsort_sorter *s, clsort__plan *p)
{
    if (p->d.tuning.scheduler == CLSORT_SCHEDULER_DEVICE) {
        p->config.family = CLSORT__RELAUNCH;
        p->config.language = s->enqueues;
    }
    clsort__quick_shape(s, p);
    clsort__plan_pieces(p);
    p->helpers.leftovers = clsort__config_of(p, CLSORT__SEGMENTS);
    p->helpers.leftovers.ranges = 1;
    p->helpers.leftovers.ties = p->helpers.leftovers.language = p->helpers.leftovers.scan = 0;
    clsort__segment_shape(s, &p->d.tuning, 0, &p->helpers.leftovers);
}

static size_t clsort__all_quick_tables(const clsort_sorter *s, const clsort__plan *p)
{
    return clsort__quick_tables(p->d.count) + clsort__segment_tables(s, p);
}

/* ---- >>algorithms ---------------------------------------------------------------------------- */

/* Kernels are listed in CLSORT__KERNEL_LIST; AUTO chooses by clsort__crossovers. */

/* What a row says of the families that it needs: which of them are left out, and a function that
   the compiler drops where one is. Merge and segments are planned in any case, for calls that only
   read keys. */
#define CLSORT__OUT(families) (CLSORT__LEFT_OUT & (families))
#define CLSORT__KEPT(families, function) (CLSORT__OUT(families) ? NULL : function)
#define CLSORT__OF_BITONIC CLSORT__BIT(CLSORT_BITONIC)
#define CLSORT__OF_BATCH (CLSORT__BIT(CLSORT_BITONIC) | CLSORT__BIT(CLSORT__BATCH))
#define CLSORT__OF_MERGE CLSORT__BIT(CLSORT_MERGE)
#define CLSORT__OF_LOCAL_MERGE (CLSORT__BIT(CLSORT_MERGE) | CLSORT__BIT(CLSORT__PUBLISHED_MERGE))
#define CLSORT__OF_SEGMENTS (CLSORT__BIT(CLSORT_MERGE) | CLSORT__BIT(CLSORT_RADIX))
#define CLSORT__OF_RADIX CLSORT__BIT(CLSORT_RADIX)
#define CLSORT__OF_QUICKSORT CLSORT__BIT(CLSORT_QUICKSORT)

static const clsort__algorithm clsort__algorithms[] = {
    { CLSORT_BITONIC, CLSORT_BITONIC, "bitonic", CLSORT__OUT(CLSORT__OF_BITONIC), 0, 0, 0,
      CLSORT__ALT_BY_A, CLSORT__KEPT(CLSORT__OF_BITONIC, clsort__plan_bitonic), NULL,
      CLSORT__KEPT(CLSORT__OF_BITONIC, clsort__bitonic) },
    { CLSORT__BATCH, CLSORT_BITONIC, "batch", CLSORT__OUT(CLSORT__OF_BATCH), 0, 0, 0,
      CLSORT__ALT_NEVER, CLSORT__KEPT(CLSORT__OF_BATCH, clsort__plan_batch), NULL,
      CLSORT__KEPT(CLSORT__OF_BATCH, clsort__batch) },
    { CLSORT_MERGE, CLSORT_MERGE, "merge", CLSORT__OUT(CLSORT__OF_MERGE), 0,
      CLSORT__CAN_CODES | CLSORT__CAN_PRECEDES, 1, CLSORT__ALT_ALWAYS, clsort__plan_merge,
      CLSORT__KEPT(CLSORT__OF_MERGE, clsort__merge_tables),
      CLSORT__KEPT(CLSORT__OF_MERGE, clsort__merge) },
    { CLSORT__PUBLISHED_MERGE, CLSORT_MERGE, "merge-local-only",
      CLSORT__OUT(CLSORT__OF_LOCAL_MERGE), 0, CLSORT__CAN_CODES | CLSORT__CAN_PRECEDES, 1,
      CLSORT__ALT_NEVER, CLSORT__KEPT(CLSORT__OF_LOCAL_MERGE, clsort__plan_merge), NULL,
      CLSORT__KEPT(CLSORT__OF_LOCAL_MERGE, clsort__merge_only) },
    { CLSORT__SEGMENTS, CLSORT_MERGE, "segments", CLSORT__OUT(CLSORT__OF_SEGMENTS), 0,
      CLSORT__CAN_BITS | CLSORT__CAN_CODES | CLSORT__CAN_SEGMENTS, 1, CLSORT__ALT_ALWAYS,
      clsort__plan_segments,
      CLSORT__KEPT(CLSORT__OF_SEGMENTS, clsort__segment_tables),
      CLSORT__KEPT(CLSORT__OF_SEGMENTS, clsort__segments) },
    { CLSORT_RADIX, CLSORT_RADIX, "radix", CLSORT__OUT(CLSORT__OF_RADIX), 0,
      CLSORT__CAN_BITS | CLSORT__CAN_CODES, 1, CLSORT__ALT_ALWAYS,
      CLSORT__KEPT(CLSORT__OF_RADIX, clsort__plan_radix),
      CLSORT__KEPT(CLSORT__OF_RADIX, clsort__all_radix_tables),
      CLSORT__KEPT(CLSORT__OF_RADIX, clsort__radix) },
    { CLSORT_QUICKSORT, CLSORT_QUICKSORT, "quicksort", CLSORT__OUT(CLSORT__OF_QUICKSORT),
      CLSORT__OF_BITONIC | CLSORT__OF_MERGE | CLSORT__OF_RADIX, 0, 0, CLSORT__ALT_ALWAYS,
      CLSORT__KEPT(CLSORT__OF_QUICKSORT, clsort__plan_quicksort),
      CLSORT__KEPT(CLSORT__OF_QUICKSORT, clsort__all_quick_tables),
      CLSORT__KEPT(CLSORT__OF_QUICKSORT, clsort__quicksort) }
};

static size_t clsort__tile_local(const clsort__config *c)
{
    return clsort__tile_keys(c) + clsort__tile_words(c);
}

static size_t clsort__merge_local(const clsort__config *c)
{
    return clsort__tile_local(c) + clsort__tile_splits(c);
}

static size_t clsort__segment_local(const clsort__config *c)
{
    return clsort__largest(clsort__tile_local(c) + clsort__packing_bytes(c),
                           clsort__group_sums(c->group_log2), 0);
}

static size_t clsort__runs_local(const clsort__config *c)
{
    return clsort__tile_local(c) + clsort__share_bytes(c);
}

static size_t clsort__row_tile_local(const clsort__config *c)
{
    return clsort__tile_local(c) + clsort__packing_bytes(c);
}

static size_t clsort__no_local(const clsort__config *c)
{
    (void)c;
    return 0;
}

static size_t clsort__local_need(const clsort__config *c)
{
#define CLSORT__CASE(name, text, local) \
    case CLSORT__##name: return local(c);
    switch (c->family) {
        CLSORT__FAMILY_LIST(CLSORT__CASE)
        default: return 0;
    }
#undef CLSORT__CASE
}

static const clsort__algorithm *clsort__find_algorithm(cl_uint number)
{
    size_t i;
    for (i = 0; i < sizeof clsort__algorithms / sizeof *clsort__algorithms; i++)
        if (clsort__algorithms[i].number == number) return &clsort__algorithms[i];
    return NULL;
}

static const clsort__algorithm *clsort__form_of(cl_uint algorithm, const clsort_desc *d)
{
    const int blocks = algorithm == CLSORT_MERGE
                       && clsort__local_choice(&d->tuning) == CLSORT_LOCAL_ONLY;
    const cl_uint form = clsort__is_batch(d)         ? (cl_uint)CLSORT__BATCH
                         : clsort__has_segments(d) ? (cl_uint)CLSORT__SEGMENTS
                         : blocks                  ? (cl_uint)CLSORT__PUBLISHED_MERGE
                                                   : algorithm;
    const clsort__algorithm *a = clsort__find_algorithm(form);
    return a && a->base == algorithm ? a : NULL;
}

/* ---- >>gather -------------------------------------------------------------------------------- */

/* Gathers: the indices of each row pick the elements of the target's row from the source's row. */
static void clsort__gather(clsort__run *run, const clsort__rows *source, const clsort__rows *target,
                           const clsort__rows *indices)
{
    const size_t unit = clsort__alignment(target->element_bytes),
                 units = target->element_bytes / unit;
    const size_t n = target->rows * target->count;
    const cl_ulong elements = n;
    clsort__use_utility(run, CLSORT__KERNEL_GATHER);
    clsort__arg_span(run, source->span);
    clsort__arg_span(run, target->span);
    clsort__arg_span(run, indices->span);
    clsort__arg_ulong(run, run->mode == CLSORT__WARM ? 0 : n);
    clsort__arg_uint(run, (cl_uint)target->count);
    clsort__arg_uint(run, (cl_uint)source->count);
    clsort__arg_ulong(run, source->stride);
    clsort__arg_ulong(run, target->stride);
    clsort__arg_ulong(run, indices->stride);
    clsort__arg_uint(run, (cl_uint)unit);
    clsort__arg_ulong(run, units);
    clsort__arg_span(run, source->starts.buffer ? source->starts : indices->span);
    clsort__arg_uint(run, source->starts.buffer != NULL);
    clsort__traffic(run, 1, elements * (4 + 2 * target->element_bytes));
    clsort__launch(run, n * units);
}

static size_t clsort__given_stride(const clsort_gather *g, size_t i)
{
    const clsort_array *a = i ? &g->arrays[(i - 1) / 2] : NULL;
    return !a ? g->indices_row_stride : i % 2 ? a->source_row_stride : a->target_row_stride;
}

/* Part i of a gather: the indices, then the source and the target of each array in turn. */
static clsort__rows clsort__gather_part(const clsort_gather *g, size_t i)
{
    const clsort_array *a = i ? &g->arrays[(i - 1) / 2] : NULL;
    const size_t count = i % 2 && g->source_count ? g->source_count : g->count;
    const clsort__span span = !a      ? clsort__make_span(g->indices, g->indices_offset)
                              : i % 2 ? clsort__make_span(a->source, a->source_offset)
                                      : clsort__make_span(a->target, a->target_offset);
    return clsort__make_rows(span, g->rows, count, a ? a->element_size : 4,
                             clsort__given_stride(g, i));
}

static const char *clsort__gather_role(size_t i)
{
    return !i ? "indices" : i % 2 ? "source" : "target";
}

/* Blames part i. `what` is appended to its name. */
static void clsort__blame_gather_part(clsort__checks *c, clsort_status status, size_t i,
                                      const char *what)
{
    if (i)
        clsort__blame(c, status, "arrays[%.0f].%s%s", (double)((i - 1) / 2), clsort__gather_role(i),
                      what);
    else clsort__blame(c, status, "indices%s", what);
}

static void clsort__check_gather_part(clsort__checks *c, const clsort_gather *g, size_t i)
{
    const clsort__rows r = clsort__gather_part(g, i);
    const size_t align = clsort__alignment(r.element_bytes);
    const int fits = clsort__fits(r.count, r.element_bytes, 0)
                     && clsort__fits(r.rows, r.stride, r.span.offset);
    if (!g->rows && clsort__given_stride(g, i))
        clsort__blame_gather_part(c, CLSORT_ERROR_UNUSED_FIELD, i, "_row_stride without rows");
    if (!r.element_bytes)
        clsort__blame_gather_part(c, CLSORT_ERROR_VALUE_SIZE, i, ": element_size is 0");
    if (clsort__exceeds_32_bits(r.count))
        clsort__blame_gather_part(c, CLSORT_ERROR_COUNT_TOO_LARGE, i, ": count, source_count");
    if (!fits)
        clsort__blame_gather_part(c, CLSORT_ERROR_SIZE_OVERFLOW, i, "_offset, with all rows");
    if (r.span.offset % align) clsort__blame_gather_part(c, CLSORT_ERROR_MISALIGNED, i, "_offset");
    if (r.stride % align) clsort__blame_gather_part(c, CLSORT_ERROR_MISALIGNED, i, "_row_stride");
    if (g->count && r.count && !r.span.buffer)
        clsort__blame_gather_part(c, CLSORT_ERROR_MISSING_BUFFER, i, "");
}

/* The checks that look at no buffer. */
static void clsort__check_gather(clsort__checks *c, clsort__job *j)
{
    const clsort_gather *g = j->gather;
    size_t i;
    if (g->flags & ~(cl_uint)CLSORT_FLAG_NO_BUILD)
        clsort__blame(c, CLSORT_ERROR_UNKNOWN_FLAG, "flags");
    for (i = 0; i < 2 * (size_t)g->array_count + 1; i++) clsort__check_gather_part(c, g, i);
}

/* The rows of a part must not overlap. */
static clsort_status clsort__check_gather_rows(clsort_sorter *s, const clsort_gather *g)
{
    clsort__checks c = clsort__begin_checks(s);
    size_t i;
    for (i = 0; i < 2 * (size_t)g->array_count + 1; i++) {
        const clsort__rows r = clsort__gather_part(g, i);
        if (r.rows > 1 && r.stride < r.count * r.element_bytes)
            clsort__blame_gather_part(&c, CLSORT_ERROR_OVERLAP, i, "_row_stride is below a row");
    }
    return clsort__conclude(&c);
}

/* Checks the buffers of a gather. The sorter keeps the memory of their list. */
static clsort_status clsort__check_gather_buffers(clsort__job *j)
{
    clsort_sorter *s = j->s;
    const clsort_gather *g = j->gather;
    const size_t count = 2 * (size_t)g->array_count + 1;
    size_t i;
    if (!g->count) return CL_SUCCESS;
    if (s->range_room < count) {
        CLSORT__MUST(clsort__grow(s, &s->ranges, count, sizeof *s->ranges));
        s->range_room = count;
    }
    for (i = 0; i < count; i++) {
        const clsort__rows r = clsort__gather_part(g, i);
        const int writes = i && i % 2 == 0;
        s->ranges[i] = clsort__make_range(clsort__gather_role(i), r.span, clsort__rows_bytes(&r),
                                          !writes, writes);
    }
    CLSORT__MUST(clsort__check_ranges(s, s->ranges, count));
    return clsort__check_gather_rows(s, g);
}

static clsort_status clsort__ready_gather(clsort__job *j)
{
    const clsort__config utility = clsort__utility_config(j->s);
    return clsort__need_program(j->s, &utility, j->gather->flags);
}

/* All commands of a gather. */
static void clsort__gather_all(clsort__run *run, const clsort__job *j)
{
    const clsort_gather *g = j->gather;
    const clsort__rows indices = clsort__gather_part(g, 0);
    size_t i;
    for (i = 0; g->count && i < g->array_count; i++) {
        const clsort__rows source = clsort__gather_part(g, 2 * i + 1);
        const clsort__rows target = clsort__gather_part(g, 2 * i + 2);
        clsort__gather(run, &source, &target, &indices);
    }
}

static const clsort__operation clsort__gathering = { clsort__check_gather, NULL,
                                                     clsort__check_gather_buffers,
                                                     clsort__ready_gather, clsort__gather_all };

/* ---- >>groups -------------------------------------------------------------------------------- */

/* Checks the offsets of a call's arrays. `key`: bytes of a key. */
static void clsort__check_group_offsets(clsort__checks *c, const clsort_groups *g, size_t key)
{
    clsort__need_room(c, "keys_offset", g->count, key, g->keys_offset);
    clsort__need_room(c, "starts_offset", g->groups, 4, g->starts_offset);
    clsort__need_room(c, "counts_offset", g->groups, 4, g->counts_offset);
    clsort__need_room(c, "count_offset", 1, 4, g->count_offset);
    clsort__need_multiple(c, "keys_offset", g->keys_offset, key);
    clsort__need_multiple(c, "starts_offset", g->starts_offset, 4);
    clsort__need_multiple(c, "counts_offset", g->counts_offset, 4);
    clsort__need_multiple(c, "count_offset", g->count_offset, 4);
}

/* The checks that look at no buffer. */
static void clsort__check_groups(clsort__checks *c, clsort__job *j)
{
    const clsort_groups *g = j->groups;
    const cl_uint type = g->key_type;
    const int is_unsigned = type == CLSORT_U8 || type == CLSORT_U16 || type == CLSORT_U32
                            || type == CLSORT_U64;
    if (!is_unsigned) clsort__blame(c, CLSORT_ERROR_KEY_TYPE, "key_type: it must be unsigned");
    if (g->flags & ~(cl_uint)CLSORT_FLAG_NO_BUILD)
        clsort__blame(c, CLSORT_ERROR_UNKNOWN_FLAG, "flags");
    if (g->count_offset && !g->count_buffer)
        clsort__blame(c, CLSORT_ERROR_UNUSED_FIELD, "count_offset without count_buffer");
    if (clsort__exceeds_32_bits(g->count)) clsort__blame(c, CLSORT_ERROR_COUNT_TOO_LARGE, "count");
    if (g->groups >= 0xFFFFFFFFu) clsort__blame(c, CLSORT_ERROR_COUNT_TOO_LARGE, "groups");
    clsort__check_group_offsets(c, g, is_unsigned ? clsort__key_bits(type) / 8 : 1);
    if (!g->keys && g->count) clsort__blame(c, CLSORT_ERROR_MISSING_BUFFER, "keys");
    if (!g->starts && !g->counts)
        clsort__blame(c, CLSORT_ERROR_MISSING_BUFFER, "starts, counts");
}

static clsort_status clsort__check_group_buffers(clsort__job *j)
{
    const clsort_groups *g = j->groups;
    clsort__range r[4];
    r[0] = clsort__make_range("keys", clsort__make_span(g->keys, g->keys_offset),
                              g->count * (clsort__key_bits(g->key_type) / 8), 1, 0);
    r[1] = clsort__make_range("starts", clsort__make_span(g->starts, g->starts_offset),
                              (g->groups + 1) * 4, 0, 1);
    r[2] = clsort__make_range("counts", clsort__make_span(g->counts, g->counts_offset),
                              g->groups * 4, 0, 1);
    r[3] = clsort__make_range("count_buffer", clsort__make_span(g->count_buffer, g->count_offset),
                              4, 1, 0);
    return clsort__check_ranges(j->s, r, 4);
}

static clsort_status clsort__ready_groups(clsort__job *j)
{
    const clsort__config utility = clsort__utility_config(j->s);
    return clsort__need_program(j->s, &utility, j->groups->flags);
}

/* The one command of clsort_enqueue_group_starts. An array that is absent is replaced by one that
   is written, and flags tell the kernel. */
static void clsort__find_groups(clsort__run *run, const clsort__job *j)
{
    const clsort_groups *g = j->groups;
    const clsort__span starts = clsort__make_span(g->starts, g->starts_offset),
                       counts = clsort__make_span(g->counts, g->counts_offset),
                       either = g->starts ? starts : counts,
                       most = clsort__make_span(g->count_buffer, g->count_offset);
    if (!g->groups && !g->starts) return;
    clsort__use_utility(run, CLSORT__KERNEL_GROUP_STARTS);
    clsort__arg_span(run, g->keys ? clsort__make_span(g->keys, g->keys_offset) : either);
    clsort__arg_span(run, either);
    clsort__arg_span(run, g->counts ? counts : starts);
    clsort__arg_span(run, g->count_buffer ? most : either);
    clsort__arg_count(run, g->count);
    clsort__arg_uint(run, (cl_uint)g->groups);
    clsort__arg_uint(run, clsort__key_bits(g->key_type) / 8);
    clsort__arg_uint(run, g->count_buffer != NULL);
    clsort__arg_uint(run, g->starts != NULL);
    clsort__arg_uint(run, g->counts != NULL);
    clsort__launch(run, g->groups + 1);
}

static const clsort__operation clsort__grouping = { clsort__check_groups, NULL,
                                                    clsort__check_group_buffers,
                                                    clsort__ready_groups, clsort__find_groups };

/* ---- >>sort ---------------------------------------------------------------------------------- */

/* Arguments: `count` packed fields in a vector of CLSORT_MAX_FIELDS, and how many there are. */
static void clsort__arg_fields(clsort__run *run, const clsort__field *packed, cl_uint count)
{
    clsort__field fields[CLSORT_MAX_FIELDS];
    memset(fields, 0, sizeof fields);
    memcpy(fields, packed, count * sizeof *fields);
    clsort__arg(run, sizeof fields, fields);
    clsort__arg_uint(run, count);
}

/* The same of the whole key, with fields that are not cut. */
static void clsort__arg_whole_fields(clsort__run *run, const clsort__plan *p)
{
    clsort__field fields[CLSORT_MAX_FIELDS];
    cl_uint i;
    fields[0] = p->key.fields[0];
    for (i = 0; i < p->d.field_count; i++) fields[i] = clsort__pack_field(&p->d.fields[i]);
    clsort__arg_fields(run, fields, i ? i : 1);
}

/* Takes keys out of records, or only numbers them; without pairs.values only the former. */
static void clsort__extract(clsort__run *run, const clsort__plan *p, clsort__arrays pairs)
{
    const clsort__data *a = &p->data;
    const int same = a->element_bytes == p->key.bytes && !clsort__merges_codes(&p->key.codec)
                     && clsort__same_span(a->keys, pairs.keys),
              writes = !same && !p->d.precedes, numbers = pairs.values.buffer != NULL;
    clsort__use_utility(run, CLSORT__KERNEL_EXTRACT);
    clsort__arg_span(run, clsort__span_from(a->keys, p->d.key_offset));
    clsort__arg_span(run, pairs.keys.buffer ? pairs.keys : pairs.values);
    clsort__arg_span(run, numbers ? pairs.values : pairs.keys);
    clsort__arg_count(run, a->extent);
    clsort__arg_uint(run, (cl_uint)p->key.bytes);
    clsort__arg_ulong(run, a->element_bytes);
    clsort__arg_ulong(run, p->key.codec.minus_zero);
    clsort__arg_ulong(run, p->key.codec.nans);
    clsort__arg_uint(run, (cl_uint)writes);
    clsort__arg_uint(run, (cl_uint)numbers);
    clsort__traffic(run, 1, (cl_ulong)a->extent
                                * ((numbers ? 4 : 0) + (writes ? 2 * p->key.bytes : 0)));
    clsort__launch(run, a->extent);
}

/* Makes codes of fields first ... end - 1 of the records, in the order of the indices. The first
   time, writes the indices too, if there is a place for them. */
static void clsort__extract_codes(clsort__run *run, const clsort__plan *p, clsort__arrays pairs,
                                  cl_uint first, cl_uint end)
{
    const clsort__data *a = &p->data;
    const size_t bytes = p->key.bytes, read = clsort__fields_bytes(&p->key, first, end);
    const int numbers = pairs.values.buffer != NULL;
    clsort__use_utility(run, CLSORT__KERNEL_EXTRACT_CODES);
    clsort__arg_span(run, clsort__span_from(a->keys, p->d.key_offset));
    clsort__arg_span(run, pairs.keys);
    clsort__arg_span(run, numbers ? pairs.values : pairs.keys);
    clsort__arg_count(run, a->extent);
    clsort__arg_uint(run, (cl_uint)bytes);
    clsort__arg_uint(run, end < p->key.field_count);
    clsort__arg_uint(run, (cl_uint)numbers);
    clsort__arg_ulong(run, a->element_bytes);
    clsort__arg_fields(run, p->key.fields + first, end - first);
    clsort__traffic(run, 1, (cl_ulong)a->extent * ((numbers ? 4 : 0) + read + bytes));
    clsort__launch(run, a->extent);
}

/* Permutes an array by indices, which count from the first row; in place, through a copy in
   scratch. If outputs have strides of their own, those of this one are `apart` bytes. */
static void clsort__permute(clsort__run *run, const clsort__data *a, clsort__span source,
                            clsort__span target, clsort__span copy, clsort__span indices,
                            size_t element, size_t apart)
{
    const int in_place = clsort__same_span(source, target);
    const size_t rows = a->own_strides ? a->segments : 1,
                 count = a->own_strides ? a->wanted : a->extent;
    clsort__rows from = clsort__make_rows(in_place ? copy : source, rows, a->extent, element, 0);
    const clsort__rows to = clsort__make_rows(target, rows, count, element, apart);
    const clsort__rows by = clsort__make_rows(indices, rows, count, 4, a->stride * 4);
    from.stride = 0;
    if (in_place) clsort__copy(run, source, copy, a->extent * element);
    clsort__gather(run, &from, &to, &by);
}

/* Numbers the elements inside of segments; elements outside get a number that gathers skip. If
   `relative`, turns sorted numbers into those that count inside their segment. */
static void clsort__number_segments(clsort__run *run, const clsort__plan *p, clsort__span from,
                                    clsort__span to, int relative)
{
    clsort__use_utility(run, CLSORT__KERNEL_NUMBER_SEGMENTS);
    clsort__arg_span(run, from);
    clsort__arg_span(run, to);
    clsort__arg_segments(run, p, from);
    clsort__arg_count(run, p->data.extent);
    clsort__arg_uint(run, (cl_uint)relative);
    clsort__arg_apart(run, p, relative ? p->data.indices_apart : 0);
    clsort__launch(run, p->data.extent);
}

/* Sorts `from` into `to`, which may be the same, by the plan's algorithm. */
static void clsort__sort_arrays(clsort__run *run, const clsort__plan *p, clsort__arrays from,
                                clsort__arrays to, const clsort__scratch *scratch)
{
    clsort__workspace w;
    w.from = from;
    w.to = to;
    w.alt.values = clsort__scratch_part(scratch, p->scratch.alt_values);
    w.alt.keys = p->config.records ? clsort__span_from(w.alt.values, p->d.key_offset)
                                   : clsort__scratch_part(scratch, p->scratch.alt_keys);
    w.tables = clsort__scratch_part(scratch, p->scratch.tables);
    w.shape = clsort__tile_shape(run->s, p);
    w.in_place = 0;
    p->algorithm->run(run, p, &w);
}

/* Sorts (key, index) pairs by the key, or by codes of several fields, the least significant ones
   first. With a comparator, sorts only indices. */
static void clsort__sort_pairs(clsort__run *run, const clsort__plan *p, clsort__arrays pairs,
                               const clsort__scratch *scratch)
{
    cl_uint first, end = p->key.field_count;
    do {
        first = p->key.has_codes ? clsort__first_field(&p->key, end - 1) : 0;
        if (p->key.has_codes) clsort__extract_codes(run, p, pairs, first, end);
        else clsort__extract(run, p, pairs);
        if (p->data.segments && end == p->key.field_count)
            clsort__number_segments(run, p, pairs.values, pairs.values, 0);
        clsort__sort_arrays(run, p, pairs, pairs, scratch);
    } while ((end = first) > 0);
}

/* Sorts pairs, then gathers the keys and values that the call moves. */
static void clsort__sort_indirect(clsort__run *run, const clsort__plan *p,
                                  const clsort__scratch *scratch)
{
    const clsort__data *a = &p->data;
    clsort__arrays pairs;
    pairs.values = a->has_indices && !a->segments
                       ? a->indices
                       : clsort__scratch_part(scratch, p->scratch.work_indices);
    pairs.keys = p->d.precedes          ? pairs.values
                 : p->sorts_into_output ? a->keys_to
                                        : clsort__scratch_part(scratch, p->scratch.work_keys);
    clsort__sort_pairs(run, p, pairs, scratch);
    if (a->writes_keys && !p->sorts_into_output)
        clsort__permute(run, a, a->keys, a->keys_to,
                        clsort__scratch_part(scratch, p->scratch.copied_keys), pairs.values,
                        a->element_bytes, a->keys_apart);
    if (a->has_values)
        clsort__permute(run, a, a->values, a->values_to,
                        clsort__scratch_part(scratch, p->scratch.copied_values), pairs.values,
                        p->d.value_size, a->values_apart);
    if (a->has_indices && a->segments) clsort__number_segments(run, p, pairs.values, a->indices, 1);
}

/* All commands of a sort. */
static void clsort__sort(clsort__run *run, const clsort__plan *p, const clsort__scratch *scratch)
{
    const clsort__data *a = &p->data;
    clsort__arrays from, to;
    if (p->indirect) {
        clsort__sort_indirect(run, p, scratch);
        return;
    }
    from.keys = clsort__span_from(a->keys, p->d.key_offset);
    from.values = p->config.records ? a->keys : a->values;
    to.keys = clsort__span_from(a->keys_to, p->d.key_offset);
    to.values = p->config.records ? a->keys_to : a->values_to;
    clsort__sort_arrays(run, p, from, to, scratch);
}

/* Is there nothing to do? One element, or rows of one, are sorted already, unless an output must be
   written. */
static int clsort__trivial(const clsort__plan *p)
{
    return p->d.count == 0 || (p->data.at_offsets && p->data.segments == 0)
           || (p->d.count == 1 && p->data.in_place && !p->data.has_indices
               && (!p->data.has_values || p->data.values_in_place));
}

/* Gives a plan's comparator a number, which is a part of its programs' build options. */
static clsort_status clsort__ready_comparator(clsort_sorter *s, clsort__plan *p)
{
    const clsort_desc *d = &p->d;
    if (!d->precedes || p->config.comparator) return CL_SUCCESS;
    return clsort__add_comparator(s, d->record_type, d->precedes, d->record_size,
                                  &p->config.comparator);
}

/* Builds the programs that gather values and that check results. */
static clsort_status clsort__ready_checks(clsort_sorter *s, clsort__plan *p)
{
    const clsort__config utility = clsort__utility_config(s);
    CLSORT__MUST(clsort__ready_comparator(s, p));
    CLSORT__MUST(clsort__need_program(s, &utility, p->d.flags));
    return p->d.precedes ? clsort__need_program(s, &p->config, p->d.flags) : CL_SUCCESS;
}

/* Builds the sort's own program, and that of the passes of hybrid radix. */
static clsort_status clsort__try_kernels(clsort_sorter *s, clsort__plan *p, cl_uint *family)
{
    *family = p->config.family;
    CLSORT__MUST(clsort__need_program(s, &p->config, p->d.flags));
    if (!p->helpers.passes.family) return CL_SUCCESS;
    *family = p->helpers.passes.family;
    return clsort__need_program(s, &p->helpers.passes, p->d.flags);
}

static void clsort__plan_selection(const clsort_sorter *s, const clsort_desc *d, clsort__plan *p);

/* Plans again without a family of kernels that the sorter gave up. The scratch memory of a
   selection does not depend on it. */
static void clsort__plan_without(const clsort_sorter *s, clsort__plan *p)
{
    const clsort_desc d = p->d;
    const clsort__parts scratch = p->scratch;
    if (d.top_k) {
        clsort__plan_selection(s, &d, p);
        p->scratch = scratch;
    } else {
        clsort__make_plan(s, &d, p);
        clsort__plan_scratch(s, p);
    }
}

/* The families that others replace if their kernels do not build. */
#define CLSORT__OF_ROWS \
    (CLSORT__BIT(CLSORT__SHORT_ROWS) | CLSORT__BIT(CLSORT__ROW_TILES) \
     | CLSORT__BIT(CLSORT__LONG_ROWS))
#define CLSORT__REPLACEABLE \
    (CLSORT__BIT(CLSORT__SWEEP) | CLSORT__BIT(CLSORT__HYBRID) | CLSORT__BIT(CLSORT__SAMPLES) \
     | CLSORT__BIT(CLSORT__CACHED) | CLSORT__OF_ROWS)

/* The same. If sweeps or kernels from the top do not build, the sorter gives them up: radix sorts
   without them. So it is with kernels for rows that a work-group holds. */
static clsort_status clsort__ready_kernels(clsort_sorter *s, clsort__plan *p)
{
    cl_uint family;
    const clsort_status status = clsort__try_kernels(s, p, &family);
    if (!(CLSORT__REPLACEABLE & CLSORT__BIT(family))
        || (status != CLSORT_ERROR_BUILD_FAILED && status != CLSORT_ERROR_DEVICE_LIMITS))
        return status;
    s->broken |= CLSORT__BIT(family);
    clsort__plan_without(s, p);
    return clsort__ready_kernels(s, p);
}

/* Does a selection move keys, records or values by their indices in the end? */
static int clsort__moves_by_index(const clsort__plan *p)
{
    return p->select.moves_keys || p->data.has_values;
}

/* Builds the programs that a plan needs. */
static clsort_status clsort__ready(clsort_sorter *s, clsort__plan *p)
{
    const int verifies = s->options.flags & CLSORT_OPTION_VERIFY && !p->d.top_k;
    const int gathers = p->indirect || verifies || p->d.record_size || p->select.extracts
                        || (p->d.top_k && clsort__moves_by_index(p));
    const clsort__config *segments = p->helpers.leftovers.family ? &p->helpers.leftovers
                                                                 : &p->config;
    CLSORT__MUST(clsort__ready_comparator(s, p));
    CLSORT__MUST(clsort__ready_kernels(s, p));
    if (p->config.family == CLSORT__RELAUNCH) CLSORT__MUST(clsort__device_queue(s));
    if (p->helpers.tiles.family)
        CLSORT__MUST(clsort__need_program(s, &p->helpers.tiles, p->d.flags));
    if (p->helpers.leftovers.family)
        CLSORT__MUST(clsort__need_program(s, &p->helpers.leftovers, p->d.flags));
    if (p->helpers.pieces.family && !clsort__built_shape(s, segments).share_log2)
        CLSORT__MUST(clsort__need_program(s, &p->helpers.pieces, p->d.flags));
    if (p->helpers.published.family)
        CLSORT__MUST(clsort__need_program(s, &p->helpers.published, p->d.flags));
    return gathers ? clsort__ready_checks(s, p) : CL_SUCCESS;
}

/* Checks a sort and plans it. */
static void clsort__check_sort(clsort__checks *c, clsort__job *j)
{
    clsort__check_desc(c, j->desc, CLSORT__TO_SORT);
    if (c->status == CL_SUCCESS) clsort__make_plan(clsort__known_device(c->s), j->desc, &j->plan);
}

static void clsort__sort_scratch(const clsort_sorter *s, clsort__job *j)
{
    clsort__plan_scratch(s, &j->plan);
}

/* Builds the programs of a sort or a selection. */
static clsort_status clsort__ready_plans(clsort__job *j)
{
    CLSORT__MUST(j->plan.select.sorts_whole ? clsort__ready_checks(j->s, &j->plan)
                                            : clsort__ready(j->s, &j->plan));
    return clsort__sorts_then(&j->plan) ? clsort__ready(j->s, &j->then) : CL_SUCCESS;
}

/* ---- >>select -------------------------------------------------------------------------------- */

/* In elements: the longest row that a list takes whole on GPUs, the shortest part of a row on GPUs
   and on CPUs, and the longest list that a work-group sorts if local memory has room for it. */
enum {
    CLSORT__SELECT_SHORT = 2048,
    CLSORT__SELECT_PART = 4096,
    CLSORT__SELECT_CPU_PART = 1 << 13,
    CLSORT__SELECT_CAPACITY = 4096
};

/* Local memory of selection kernels in bytes: of all words, and of the codes in the list. */
static size_t clsort__select_words(const clsort__config *c, cl_uint list_capacity)
{
    const size_t bins = (size_t)1 << c->digit_bits,
                 list = bins > list_capacity ? bins : list_capacity;
    return 4 * (CLSORT__SELECT_LIST((size_t)1 << c->group_log2) + list);
}

static size_t clsort__select_codes(const clsort__config *c, cl_uint list_capacity)
{
    return (size_t)(list_capacity ? list_capacity : 1) * c->key_bytes;
}

/* Chooses work-group, digits and the most capacity of the list for a device; without one, the
   largest. On a CPU each work-item has a row or a part, unless the caller names a work-group. */
static void clsort__select_shape(const clsort_sorter *s, clsort__plan *p)
{
    clsort__config *c = &p->config;
    clsort__selection *t = &p->select;
    c->family = CLSORT__SELECT;
    c->key_bytes = (cl_uint)p->key.bytes;
    c->lanes = c->items_log2 = 1;
    c->digit_bits = 11;
    c->group_log2 = clsort__choose_group(s, &p->d.tuning, 0, 8);
    t->most_capacity = (cl_uint)CLSORT__SELECT_CAPACITY >> (c->key_bytes == 8);
    for (;;) {
        t->local = clsort__select_words(c, t->most_capacity)
                   + clsort__select_codes(c, t->most_capacity);
        if (!s || t->local <= s->local_bytes) break;
        if (t->most_capacity > 1u << c->digit_bits) t->most_capacity /= 2;
        else if (c->digit_bits > 4 && c->digit_bits > c->group_log2) c->digit_bits--;
        else if (c->group_log2 > 0) c->group_log2--;
        else if (t->most_capacity > 1) t->most_capacity /= 2;
        else break;
    }
    c->share_log2 = c->group_log2;
}

/* Rows that are sorted whole, if they fit into a list. */
static cl_uint clsort__select_whole(int is_cpu)
{
    return is_cpu ? 256 : (cl_uint)CLSORT__SELECT_SHORT;
}

/* Is one reading by work-items that work alone the fastest? */
static int clsort__may_stream(const clsort_sorter *s, const clsort_desc *d,
                              const clsort__config *c, const clsort__selection *t)
{
    const size_t k = d->top_k, n = d->count;
    return s && s->is_cpu && !c->group_log2 && t->mode <= CLSORT__SELECT_NTH
           && 4 * k <= t->most_capacity && n >= (n <= clsort__select_whole(1) ? 4 : 16) * k;
}

/* Chooses the capacity of the list: passes narrow a row until the list holds what is left. A long
   list needs fewer passes, a short one is sorted faster. A row that fits into the list is sorted
   whole, without a pass. On a CPU one reading collects what is below the k-th of the list so far,
   if k is small. */
static void clsort__select_list(const clsort_sorter *s, const clsort_desc *d,
                                const clsort__config *c, clsort__selection *t)
{
    const int is_cpu = s && s->is_cpu;
    const size_t k = d->top_k, n = d->count;
    t->streams = clsort__may_stream(s, d, c, t);
    t->list_capacity = t->streams ? 16 : is_cpu ? 64 : 512;
    while ((t->mode == CLSORT__SELECT_FIRST || t->streams)
           && t->list_capacity < (t->streams ? 4 : 2) * k
           && t->list_capacity < t->most_capacity)
        t->list_capacity *= 2;
    if (t->list_capacity > t->most_capacity) t->list_capacity = t->most_capacity;
    if (t->streams) t->passes = 0;
    else if (t->scatters) t->list_capacity = 0;
    else if (n <= t->list_capacity
             || (n <= clsort__select_whole(is_cpu) && n <= t->most_capacity)) {
        t->list_capacity = 1u << clsort__ceil_log2(n);
        t->passes = 0;
    }
}

/* Chooses the mode of a selection, its passes and its list. */
static void clsort__select_mode(const clsort_sorter *s, const clsort_desc *d,
                                const clsort__config *c, clsort__selection *t)
{
    const cl_uint bits = 8 * c->key_bytes - t->ignored_high_bits - d->first_bit,
                  number_bits = clsort__ceil_log2(d->count);
    t->mode = d->flags & CLSORT_FLAG_TOP_NTH ? CLSORT__SELECT_NTH
              : !clsort__takes_some(d)       ? CLSORT__SELECT_PARTITION
              : d->top_k > t->most_capacity  ? CLSORT__SELECT_UNORDERED
                                             : CLSORT__SELECT_FIRST;
    t->scatters = t->mode >= CLSORT__SELECT_UNORDERED;
    t->wanted = clsort__wanted(d);
    t->sorts_after = t->mode != CLSORT__SELECT_NTH && t->mode != CLSORT__SELECT_PARTITION
                     && !(d->flags & CLSORT_FLAG_TOP_UNSORTED)
                     && (!s || t->mode == CLSORT__SELECT_UNORDERED);
    t->passes = (cl_uint)(clsort__ceil_divide(bits, c->digit_bits)
                          + clsort__ceil_divide(number_bits, c->digit_bits));
    clsort__select_list(s, d, c, t);
}

/* Cuts rows into parts if there are too few rows for the device. Without a device the tables have
   the largest list. */
static void clsort__select_parts(const clsort_sorter *s, size_t n, clsort__selection *t)
{
    const int is_cpu = s && s->is_cpu;
    const size_t busy = s ? (is_cpu ? 2 : 8) * (size_t)s->compute_units : (size_t)-1;
    const size_t least = is_cpu ? (size_t)CLSORT__SELECT_CPU_PART : (size_t)CLSORT__SELECT_PART;
    const size_t most = clsort__smaller(busy / t->rows, n / least);
    /* A partition of nothing wants 0 elements. */
    const size_t listed = t->most_capacity / clsort__largest(t->wanted, 1, 0),
                 parts = !most || (!t->passes && !t->streams) ? 1
                         : t->streams                         ? clsort__smaller(most, listed)
                                                              : most;
    t->part_elements = n ? clsort__ceil_divide(n, parts) : 1;
    if (!is_cpu) t->part_elements = (t->part_elements + 63) / 64 * 64;
    t->parts = clsort__ceil_divide(n, t->part_elements);
    t->spread = !s || t->parts > 1 || t->scatters;
    if (t->streams && t->list_capacity < t->parts * t->wanted)
        t->list_capacity = 1u << clsort__ceil_log2(t->parts * t->wanted);
    t->row_words = clsort__largest(s ? t->list_capacity : t->most_capacity, most, 1);
    t->row_words = (CLSORT__ROW_LIST + t->row_words + 3) / 4 * 4;
}

/* Bytes of the tables in global memory of rows that are cut into parts or read once. */
static size_t clsort__select_tables(const clsort__plan *p)
{
    const size_t words = ((size_t)3 << p->config.digit_bits) + p->select.row_words,
                 pairs = CLSORT__RANKED_BYTES(p->key.bytes) * p->select.most_candidates;
    return clsort__saturating_multiply(p->select.rows, 4 * words + pairs);
}

/* Do kernels of a selection write keys where these end up? */
static int clsort__selects_keys(const clsort__plan *p)
{
    return p->data.writes_keys && !p->select.moves_keys;
}

/* The sort after a selection: of the k keys of each row, with their indices if these are wanted.
   They come in the row's order, and the sort is stable: of equal keys the smaller index stays
   first. */
static clsort_desc clsort__select_order(const clsort__plan *p)
{
    const clsort_desc *d = &p->d;
    const int keys = clsort__selects_keys(p);
    clsort_desc order;
    memset(&order, 0, sizeof order);
    order.count = d->top_k;
    order.rows = p->select.rows;
    order.key_type = d->key_type;
    if (p->key.has_codes) order.key_type = CLSORT_U8 + 8 * ((cl_uint)p->key.bytes - 1);
    order.order = d->order;
    /* NaNs that are equal have the same bits by now */
    order.nan_order = d->nan_order ? (cl_uint)CLSORT_NAN_LAST : (cl_uint)CLSORT_NAN_TOTAL;
    order.zero_order = d->zero_order;
    order.first_bit = d->first_bit;
    order.last_bit = d->last_bit;
    order.stable = 1;
    order.value_size = p->data.has_indices || clsort__moves_by_index(p) ? 4 : 0;
    order.flags = d->flags & CLSORT_FLAG_NO_BUILD;
    if (p->data.own_strides) {
        order.flags |= (keys ? (cl_uint)CLSORT_FLAG_KEYS_OUT : 0)
                       | (p->data.has_indices ? (cl_uint)CLSORT_FLAG_VALUES_OUT : 0);
        order.keys_out_row_stride = keys ? p->data.keys_apart : 0;
        order.values_out_row_stride = p->data.has_indices ? p->data.indices_apart : 0;
    }
    order.tuning.work_group = d->tuning.work_group;
    order.tuning.items = d->tuning.items;
    return order;
}

/* The sort of whole rows of `count` keys, with their indices if these are wanted. */
static clsort_desc clsort__whole_order(const clsort__plan *p, size_t count)
{
    clsort_desc order = clsort__select_order(p);
    order.count = count;
    if (order.rows == 1) order.rows = 0;
    if (order.rows && p->d.row_stride) order.row_stride = p->data.stride * p->key.bytes;
    order.value_size = order.keys_out_row_stride = order.values_out_row_stride = 0;
    order.flags = (p->d.flags & CLSORT_FLAG_NO_BUILD)
                  | (p->data.has_indices || clsort__moves_by_index(p) ? (cl_uint)CLSORT_FLAG_INDICES
                                                                      : 0)
                  | (clsort__selects_keys(p) ? (cl_uint)CLSORT_FLAG_KEYS_OUT : 0);
    return order;
}

/* Up to this count sorts take too many launches to replace a selection. */
static size_t clsort__whole_least(const clsort__plan *p)
{
    return p->select.rows < 1000 ? 128 : 16;
}

/* The largest count whose rows are sorted whole, if one reading cannot select from them; 0: none.
   Longer rows take less time to select from. Measured with f32 on an H200 (selections from one row
   took up to 2.2 times as long as sorting it, from several 1.2 times) and on CPUs with PoCL (3.6
   times). Without a device it is the most of all. */
static size_t clsort__whole_most(const clsort_sorter *s, const clsort__plan *p)
{
    const size_t k = p->d.top_k, rows = p->select.rows;
    const size_t on_cpus = rows > 1 ? 5 * k
                                    : clsort__largest(clsort__smaller(32 * k, 1 << 20), 8 * k, 0),
                 on_gpus = rows == 1
                               ? clsort__largest(clsort__smaller(256 * k, 1 << 21), 2 * k, 0)
                           : p->select.mode == CLSORT__SELECT_UNORDERED ? k + k / 7
                                                                        : 0,
                 most = !s ? clsort__largest(on_cpus, on_gpus, 0) : s->is_cpu ? on_cpus : on_gpus;
    const clsort_desc order = clsort__whole_order(p, 2);
    if (p->data.at_offsets || p->data.has_lengths || p->data.count_on_device
        || p->d.tuning.work_group || !clsort__can_any(&order)
        || (p->d.row_stride && rows > 0xFFFFFFFFu / p->data.stride))
        return 0;
    return p->d.row_stride ? most : clsort__smaller(most, 0xFFFFFFFFu / rows);
}

/* Plans the sort after a selection, or instead of one, and adds its scratch: each buffer of that
   sort's layout is one part. */
static void clsort__take_order(const clsort_sorter *s, const clsort_desc *order, clsort__plan *p,
                               clsort__plan *sort)
{
    clsort__layout *l = &p->scratch.layout;
    const clsort__layout *parts = &sort->scratch.layout;
    cl_uint i;
    clsort__make_plan(s, order, sort);
    clsort__plan_scratch(s, sort);
    p->select.order_scratch = l->bytes;
    if (!s) clsort__take(l, clsort__most_scratch(order).bytes);
    for (i = 0; s && i < parts->buffers; i++) clsort__take(l, clsort__buffer_bytes(parts, i));
    l->too_large |= parts->too_large;
}

/* Is the output of a selection not where it is first written to, but in scratch? */
static int clsort__selects_aside(const clsort__plan *p, int written)
{
    return !written || (p->select.sorts_after && p->data.own_strides);
}

/* Bytes from a row of what was selected to the next. */
static size_t clsort__found_keys_apart(const clsort__plan *p)
{
    return clsort__selects_aside(p, clsort__selects_keys(p)) ? p->select.wanted * p->key.bytes
                                                             : p->data.keys_apart;
}

static size_t clsort__found_indices_apart(const clsort__plan *p)
{
    return clsort__selects_aside(p, p->data.has_indices) ? p->select.wanted * 4
                                                         : p->data.indices_apart;
}

/* Lays out the scratch memory of a selection; that of the sort after it comes last. The header's
   MEMORY chapter states the same formula. */
static void clsort__take_selection(const clsort_sorter *s, clsort__plan *p, clsort__plan *sort)
{
    const size_t results = p->select.rows * p->select.wanted;
    clsort__layout *l = &p->scratch.layout;
    if (p->select.spread || p->select.most_candidates)
        p->scratch.tables = clsort__take(l, clsort__select_tables(p));
    if (p->select.extracts)
        p->scratch.extracted = clsort__take(l, p->data.extent * p->key.bytes);
    if (p->data.in_place && p->select.moves_keys)
        p->scratch.copied_keys = clsort__take(l, p->data.extent * p->data.element_bytes);
    if (p->data.values_in_place && p->data.has_values)
        p->scratch.copied_values = clsort__take(l, p->data.extent * p->d.value_size);
    if ((clsort__moves_by_index(p) || p->data.has_indices)
        && clsort__selects_aside(p, p->data.has_indices))
        p->scratch.work_indices = clsort__take(l, results * 4);
    if (p->select.sorts_after && clsort__selects_aside(p, clsort__selects_keys(p)))
        p->scratch.work_keys = clsort__take(l, results * p->key.bytes);
    if (p->select.sorts_after) {
        const clsort_desc order = clsort__select_order(p);
        clsort__take_order(s, &order, p, sort);
    }
}

/* Lays out the scratch memory of rows of `count` keys that are sorted whole. */
static void clsort__take_whole(const clsort_sorter *s, size_t count, clsort__plan *p,
                               clsort__plan *sort)
{
    const clsort_desc order = clsort__whole_order(p, count);
    const size_t extent = clsort__extent(&order, p->key.bytes);
    clsort__layout *l = &p->scratch.layout;
    if (p->select.extracts) p->scratch.extracted = clsort__take(l, extent * p->key.bytes);
    if (p->data.has_indices || clsort__moves_by_index(p))
        p->scratch.work_indices = clsort__take(l, extent * 4);
    if (clsort__selects_keys(p)) p->scratch.work_keys = clsort__take(l, extent * p->key.bytes);
    clsort__take_order(s, &order, p, sort);
}

/* Lays out the scratch memory. It must not fall with the count: if shorter rows were sorted whole,
   it is enough for the longest of these. */
static void clsort__select_scratch(const clsort_sorter *s, clsort__job *j)
{
    clsort__plan *p = &j->plan, whole;
    const size_t most = clsort__smaller(clsort__whole_most(s, p), p->d.count);
    clsort__plan sort;
    size_t other;
    p->scratch.layout.most = clsort__most_bytes(s, p);
    whole = *p;
    clsort__take_selection(s, p, &j->then);
    if (most < p->d.top_k || most <= clsort__whole_least(p)) return;
    clsort__take_whole(s, most, &whole, &sort);
    other = whole.scratch.layout.bytes;
    if (p->select.sorts_whole) {
        other = p->scratch.layout.bytes;
        *p = whole;
        j->then = sort;
    }
    if (other > p->scratch.layout.bytes)
        clsort__take(&p->scratch.layout, other - p->scratch.layout.bytes);
}

/* Rows that a work-group holds: the longest one; in registers log2 of the most elements of a
   work-item, and the most columns of a work-item. */
enum { CLSORT__SHORT_MOST = 4096, CLSORT__SHORT_ITEMS_LOG2 = 5, CLSORT__SHORT_FIRSTS = 2 };

/* Local memory of clsort_select_short in bytes. */
static size_t clsort__short_local(const clsort__config *c, cl_uint list_capacity)
{
    const size_t columns = (size_t)c->radix_items << c->group_log2;
    return (columns + 1 + list_capacity) * CLSORT__RANKED_BYTES(c->key_bytes) + 8;
}

/* The work-group that holds a row, and the columns: enough for 5 of 8 to begin before the bound. */
static void clsort__short_shape(const clsort_sorter *s, const clsort__plan *p, clsort__config *c)
{
    const cl_uint row_log2 = clsort__ceil_log2(p->d.count),
                  own = row_log2 <= 9 ? 5 : row_log2 <= 11 ? 6 : 7;
    c->family = CLSORT__SHORT_ROWS;
    if (!p->d.tuning.work_group) c->group_log2 = clsort__lower_group(s, own);
    c->share_log2 = c->group_log2;
    c->items_log2 = row_log2 > c->group_log2 ? row_log2 - c->group_log2 : 0;
    c->digit_bits = 8;
    c->radix_items = 1;
    while (c->radix_items < CLSORT__SHORT_FIRSTS && c->radix_items < 1u << c->items_log2
           && 8 * p->d.top_k > (size_t)5 * c->radix_items << c->group_log2)
        c->radix_items *= 2;
}

/* Plans rows in registers, if they are short, and k so small that there are few candidates. Returns
   whether it did. */
static int clsort__plan_short_rows(const clsort_sorter *s, clsort__plan *p)
{
    clsort__config c = p->config;
    clsort__selection *t = &p->select;
    const size_t n = p->d.count, k = p->d.top_k, most = 32 * (size_t)s->compute_units;
    size_t columns, candidates;
    clsort__short_shape(s, p, &c);
    columns = (size_t)c.radix_items << c.group_log2;
    candidates = clsort__smaller(n, k * ((1u << c.items_log2) / c.radix_items));
    t->list_capacity = 1u << clsort__ceil_log2(candidates);
    if (c.items_log2 > CLSORT__SHORT_ITEMS_LOG2
        || s->broken & CLSORT__BIT(CLSORT__SHORT_ROWS) || (8 * k > 5 * columns && columns < n)
        || clsort__short_local(&c, t->list_capacity) > s->local_bytes)
        return 0;
    p->config = c;
    t->local = clsort__short_local(&c, t->list_capacity);
    t->groups = clsort__ceil_divide(t->rows, clsort__ceil_divide(t->rows, most));
    return 1;
}

/* Plans whole rows that are sorted tile by tile, if they fit into tiles. Returns whether it did. */
static int clsort__plan_row_tiles(const clsort_sorter *s, clsort__plan *p)
{
    clsort__config c = p->config;
    clsort__selection *t = &p->select;
    const int no_merge = (CLSORT__LEFT_OUT & CLSORT__BIT(CLSORT_MERGE)) != 0;
    size_t tile;
    c.family = CLSORT__ROW_TILES;
    c.value_bytes = 4;
    c.digit_bits = 0;
    c.items_log2 = c.key_bytes == 8 ? 3 : 4;
    clsort__share_tile(s, &p->d.tuning, 0, 8, &c);
    tile = (size_t)1 << (c.share_log2 + c.items_log2);
    if (!c.share_log2 || tile < CLSORT__LEAST_TILE || p->d.count > tile
        || clsort__local_need(&c) > s->local_bytes || no_merge
        || s->broken & CLSORT__BIT(CLSORT__ROW_TILES))
        return 0;
    p->config = c;
    t->local = 0;
    t->tile_rows = tile / p->d.count;
    t->groups = clsort__ceil_divide(t->rows, t->tile_rows);
    return 1;
}

/* Replaces the plan of rows that a work-group can hold, where it has more than one work-item. The
   scratch memory stays as it is: these kernels may turn out not to build. */
static void clsort__plan_held_rows(const clsort_sorter *s, clsort__plan *p)
{
    clsort__selection *t = &p->select;
    const cl_uint list_capacity = t->list_capacity;
    if (!s || !p->config.group_log2 || !p->d.count || p->d.count > CLSORT__SHORT_MOST
        || t->scatters)
        return;
    t->is_short = clsort__plan_short_rows(s, p);
    if (!t->is_short) t->list_capacity = list_capacity;
    t->sorts_tiles = !t->is_short && clsort__plan_row_tiles(s, p);
}

/* The least x whose square is n or more. */
static cl_ulong clsort__ceil_root(cl_ulong n)
{
    cl_ulong x = 0;
    while (x * x < n) x++;
    return x;
}

/* Room for the candidates of each of a few long rows. It must not fall with the count. */
static void clsort__plan_candidates(const clsort_sorter *s, clsort__plan *p)
{
    const size_t n = p->d.count, k = p->d.top_k;
    clsort__selection *t = &p->select;
    if (p->data.at_offsets || p->data.has_lengths || p->data.count_on_device) return;
    if (n > CLSORT__SHORT_MOST && !t->scatters && k <= t->most_capacity
        && (!s || (p->config.group_log2 >= 5 && t->rows <= (size_t)s->compute_units / 2 + 1)))
        t->most_candidates = 4096 + 4 * k + n / 1024;
}

/* Local memory of clsort_select_rank, the one with the most, in bytes. */
static size_t clsort__rank_local(const clsort__config *c)
{
    const size_t pairs = CLSORT__LISTED + ((size_t)2 << c->group_log2);
    return pairs * CLSORT__RANKED_BYTES(c->key_bytes) + 8;
}

/* The fewest keys that one reading is for where it needs a launch for each step: with fewer, those
   of the passes that are left with nothing to do take longer than what it saves. */
enum { CLSORT__LONG_TOTAL = 1 << 22 };

/* Local memory of clsort_select_long in bytes. */
static size_t clsort__long_local(const clsort__plan *p)
{
    const size_t codes = clsort__select_codes(&p->config, p->select.list_capacity);
    return clsort__largest(clsort__rank_local(&p->config),
                           (codes + 7) / 8 * 8
                               + clsort__select_words(&p->config, p->select.list_capacity),
                           0);
}

/* Plans a sample of rows: which of the work-items' firsts is the bound. On average x elements of
   the sample are among the k; x + 4 sqrt(x) + 3 of them are too few once in 100,000 rows. A bound
   far from the smallest first would let too much through: then the sample is smaller. Returns
   whether there is a bound. */
static int clsort__plan_sample(clsort__plan *p)
{
    const size_t n = p->d.count, group = (size_t)1 << p->config.group_log2;
    size_t sample = n >> 26 ? 32768 : n >> 16 ? 16384 : n >> 14 ? 4096 : 1024;
    clsort__selection *t = &p->select;
    do {
        const cl_ulong x = (cl_ulong)16 * sample * p->d.top_k / n;
        t->bounding = (cl_uint)((x + 15) / 16 + clsort__ceil_root(x) + 3);
        t->clusters = (cl_uint)(sample / CLSORT__CLUSTER);
        sample /= 2;
    } while (8 * t->bounding > 5 * group && sample >= 1024);
    return 8 * t->bounding <= 5 * group
           && 2 * t->bounding * (n / (t->clusters * CLSORT__CLUSTER)) <= t->most_candidates;
}

/* Plans one reading of a few long rows. */
static void clsort__plan_reading(const clsort_sorter *s, clsort__plan *p)
{
    clsort__selection *t = &p->select;
    size_t need;
    clsort__plan_candidates(s, p);
    if (!s || !t->most_candidates || !t->passes
        || clsort__rank_local(&p->config) > s->local_bytes || !clsort__plan_sample(p))
        return;
    need = clsort__long_local(p);
    t->in_one_launch = s->has_progress && need <= s->local_bytes
                       && !(s->broken & CLSORT__BIT(CLSORT__LONG_ROWS));
    t->samples = t->in_one_launch || p->d.count >= CLSORT__LONG_TOTAL / t->rows;
    if (t->in_one_launch) p->config.family = CLSORT__LONG_ROWS;
    else need = clsort__rank_local(&p->config);
    if (t->samples && t->local < need) t->local = need;
}

/* Derives everything but the scratch memory from a description that was checked. */
static void clsort__plan_selection(const clsort_sorter *s, const clsort_desc *d, clsort__plan *p)
{
    clsort__selection *t = &p->select;
    memset(p, 0, sizeof *p);
    p->d = *d;
    clsort__plan_key(d, &p->key);
    clsort__plan_arrays(d, p->key.bytes, &p->data);
    if (clsort__takes_some(d)) {
        p->data.in_place = p->data.values_in_place = 0;
        clsort__plan_spans(d, &p->data);
        if (p->data.has_values && !clsort__will_have(d, d->keys_out, CLSORT_FLAG_KEYS_OUT))
            p->data.writes_keys = 0;
    }
    t->extracts = d->record_size || p->key.codec.nans;
    t->moves_keys = p->data.writes_keys && (t->extracts || !clsort__takes_some(d));
    t->rows = clsort__output_rows(d);
    t->ignored_high_bits = d->last_bit ? clsort__key_bits(d->key_type) - d->last_bit : 0;
    clsort__select_shape(s, p);
    clsort__select_mode(s, d, &p->config, t);
    clsort__select_parts(s, d->count, t);
    clsort__plan_held_rows(s, p);
    clsort__plan_reading(s, p);
    if (!s || t->is_short || t->sorts_tiles || t->samples || t->streams) return;
    t->sorts_whole = d->count > clsort__whole_least(p) && d->count <= clsort__whole_most(s, p)
                     && !(s->broken & CLSORT__OF_ROWS);
    if (t->sorts_whole) t->sorts_after = 0;
}

/* Checks the sort after a selection. Without a device, devices with small work-groups may need it
   and others not: then a mistake only drops it. */
static void clsort__check_select_order(clsort__checks *c, clsort__plan *p)
{
    const clsort_desc order = clsort__select_order(p);
    clsort__checks after = clsort__begin_checks(c->s);
    if (!p->select.sorts_after) return;
    clsort__check_desc(&after, &order, CLSORT__TO_SORT);
    if (after.status == CL_SUCCESS) return;
    if (p->select.mode == CLSORT__SELECT_UNORDERED)
        clsort__blame(c, after.status, "%s", after.detail);
    else p->select.sorts_after = 0;
}

static const clsort__operation *clsort__sort_operation(void);

/* A stable sort of whole rows, which is a partition of them, too. */
static clsort_desc clsort__as_sort(const clsort_desc *desc)
{
    clsort_desc d = *desc;
    d.flags &= ~(cl_uint)(CLSORT_FLAG_TOP_PARTITION | CLSORT_FLAG_TOP_UNSORTED);
    d.stable = 1;
    d.top_k = 0;
    return d;
}

/* Are whole rows to be sorted, all elements wanted, and the outputs those of a sort? */
static int clsort__takes_all(const clsort__job *j)
{
    const clsort_desc *d = &j->plan.d;
    return j->plan.select.sorts_whole && d->top_k == d->count && !d->row_stride
           && !(d->flags & CLSORT_FLAG_TOP_NTH) && !d->value_size
           && (j->plan.data.has_indices || clsort__will_have(d, d->keys_out, CLSORT_FLAG_KEYS_OUT));
}

/* Plans a partition as a sort. Measured on an H200 and on CPUs, partitions of bare keys by digits
   take 1.1 to 80 times as long, but for 8 rows of 2^20 keys on the H200 (0.7). Rows with lengths
   cannot be sorted; with a count on the device a sort says nothing about the indices behind it.
   Returns whether it planned. */
static int clsort__plan_sorted_rows(const clsort__checks *c, clsort__job *j)
{
    clsort__checks sort = clsort__begin_checks(c->s);
    const clsort_desc d = clsort__as_sort(j->desc);
    if (clsort__takes_some(j->desc) ? !clsort__takes_all(j)
                                    : j->plan.data.count_on_device && !j->plan.data.at_offsets)
        return 0;
    clsort__check_desc(&sort, &d, CLSORT__TO_SORT);
    if (sort.status != CL_SUCCESS) return 0;
    clsort__make_plan(clsort__known_device(c->s), &d, &j->plan);
    j->op = clsort__sort_operation();
    return 1;
}

/* Checks a selection and plans it. */
static void clsort__check_selection(clsort__checks *c, clsort__job *j)
{
    clsort__check_desc(c, j->desc, CLSORT__TO_SELECT);
    if (!clsort__may_blame(c, CLSORT_ERROR_UNSUPPORTED)) return;
    clsort__plan_selection(clsort__known_device(c->s), j->desc, &j->plan);
    if (clsort__plan_sorted_rows(c, j)) return;
    if (j->plan.data.at_offsets && !clsort__takes_some(j->desc))
        clsort__blame(c, CLSORT_ERROR_UNSUPPORTED, "segments that cannot be sorted, beside "
                                                   "CLSORT_FLAG_TOP_PARTITION");
    clsort__check_select_order(c, &j->plan);
}

/* The arrays that bound rows: lengths or offsets, ends, a count. Absent buffers are replaced. */
static void clsort__arg_bounds(clsort__run *run, const clsort__plan *p)
{
    const clsort__data *a = &p->data;
    clsort__arg_span(run, a->at_offsets ? a->offsets : a->has_lengths ? a->lengths : a->keys);
    clsort__arg_span(run, a->at_offsets ? a->ends : a->keys);
    clsort__arg_span(run, a->count_on_device ? a->count : a->keys);
}

/* Chooses a kernel of a selection and sets the arguments that all of them have. */
static void clsort__use_select_kernel(clsort__run *run, const clsort__plan *p, int kernel)
{
    const cl_uint kind = (p->data.at_offsets ? (cl_uint)CLSORT__SEGMENTS_AT_OFFSETS : 0)
                         | (p->data.has_lengths ? (cl_uint)CLSORT__ROW_LENGTHS : 0)
                         | (p->data.count_on_device ? (cl_uint)CLSORT__COUNT_ON_DEVICE : 0);
    clsort__use_kernel(run, &p->config, kernel);
    clsort__arg_span(run, p->data.keys);
    clsort__arg_codec(run, p, clsort__make_span(NULL, 0));
    clsort__arg_ulong(run, p->key.codec.minus_zero);
    clsort__arg_uint(run, p->select.ignored_high_bits);
    clsort__arg_uint(run, p->d.first_bit);
    clsort__arg_count(run, p->select.rows);
    clsort__arg_count(run, p->d.count);
    clsort__arg_ulong(run, p->data.stride * p->key.bytes);
    clsort__arg_uint(run, (cl_uint)p->d.top_k);
    clsort__arg_uint(run, p->select.mode);
    clsort__arg_uint(run, p->select.list_capacity);
    clsort__arg_uint(run, p->select.passes);
    clsort__arg_bounds(run, p);
    clsort__arg_uint(run, kind);
}

static void clsort__arg_select_tables(clsort__run *run, const clsort__plan *p, clsort__span tables)
{
    const cl_uint most_candidates = p->select.samples ? (cl_uint)p->select.most_candidates : 0;
    clsort__arg_span(run, tables);
    clsort__arg_uint(run, (cl_uint)p->select.row_words);
    clsort__arg_uint(run, most_candidates);
    clsort__arg_uint(run, (cl_uint)p->select.parts);
    clsort__arg_uint(run, (cl_uint)p->select.part_elements);
}

/* The arrays that receive the selected keys and, as their values, their indices. Those that are
   only needed on the way lie in scratch. */
static clsort__arrays clsort__select_results(const clsort__plan *p, const clsort__scratch *scratch)
{
    const clsort__data *a = &p->data;
    const int indices = clsort__moves_by_index(p) || a->has_indices,
              written = clsort__selects_keys(p);
    clsort__arrays found;
    found.keys = p->select.sorts_after && clsort__selects_aside(p, written)
                     ? clsort__scratch_part(scratch, p->scratch.work_keys)
                     : clsort__make_span(written ? a->keys_to.buffer : NULL, a->keys_to.offset);
    found.values = indices && clsort__selects_aside(p, a->has_indices)
                       ? clsort__scratch_part(scratch, p->scratch.work_indices)
                       : a->indices;
    return found;
}

/* An absent output is replaced by the other buffer; the mask says which are real. */
static void clsort__arg_outputs(clsort__run *run, const clsort__plan *p, clsort__arrays found)
{
    clsort__arg_span(run, found.values.buffer ? found.values : found.keys);
    clsort__arg_span(run, found.keys.buffer ? found.keys : found.values);
    clsort__arg_uint(run, (found.values.buffer ? (cl_uint)CLSORT__WRITES_INDICES : 0)
                              | (found.keys.buffer ? (cl_uint)CLSORT__WRITES_KEYS : 0));
    clsort__arg_ulong(run, clsort__found_indices_apart(p));
    clsort__arg_ulong(run, clsort__found_keys_apart(p));
}

/* Bytes of keys that a pass reads; then bytes that the selection writes. */
static cl_ulong clsort__select_read(const clsort__plan *p)
{
    const cl_ulong rows = p->data.at_offsets ? 1 : p->select.rows;
    return rows * p->d.count * p->key.bytes;
}

static cl_ulong clsort__select_written(const clsort__plan *p)
{
    const int keys = clsort__selects_keys(p) || p->select.sorts_after,
              indices = p->data.has_indices || clsort__moves_by_index(p);
    return (cl_ulong)p->select.rows * p->select.wanted
           * ((keys ? p->key.bytes : 0) + (indices ? 4 : 0));
}

/* Adds the local memory of a kernel that sorts its list, and launches a work-group per row. The
   keys of the list are read again. */
static void clsort__launch_rows(clsort__run *run, const clsort__plan *p)
{
    const clsort__selection *t = &p->select;
    clsort__arg_local(run, clsort__select_words(&p->config, t->list_capacity));
    clsort__arg_local(run, clsort__select_codes(&p->config, t->list_capacity));
    if (!t->samples)
        clsort__traffic(run, 0,
                        (cl_ulong)t->rows * clsort__smaller(t->list_capacity, p->d.count)
                            * p->key.bytes);
    clsort__launch(run, t->rows << run->group_log2);
}

/* The passes over rows in parts. Only the number of the pass changes: to set every argument again
   would take the host longer than a pass with nothing to do takes the device. */
static void clsort__select_passes(clsort__run *run, const clsort__plan *p, clsort__span tables)
{
    cl_uint pass, last;
    clsort__use_select_kernel(run, p, CLSORT__KERNEL_SELECT_PASS);
    clsort__arg_select_tables(run, p, tables);
    clsort__arg_local(run, clsort__select_words(&p->config, p->select.list_capacity));
    last = run->argument;
    for (pass = 0; pass <= p->select.passes; pass++) {
        run->argument = last;
        clsort__arg_uint(run, pass);
        if (!p->select.samples) clsort__traffic(run, 0, clsort__select_read(p));
        clsort__launch(run, p->select.rows * p->select.parts << run->group_log2);
    }
}

/* Work-groups that share the candidates of a row out. */
static size_t clsort__select_ranges(const clsort__plan *p)
{
    return p->d.top_k / 128 + 1;
}

/* Chooses a kernel that has the outputs beside the tables, and sets all arguments but its local
   memory. */
static void clsort__use_rank_kernel(clsort__run *run, const clsort__plan *p, int kernel,
                                    clsort__span tables, clsort__arrays found)
{
    clsort__use_select_kernel(run, p, kernel);
    clsort__arg_select_tables(run, p, tables);
    clsort__arg_outputs(run, p, found);
    clsort__arg_uint(run, (cl_uint)clsort__select_ranges(p));
}

/* Enqueues a sample, by which rows are bounded. */
static void clsort__select_sample(clsort__run *run, const clsort__plan *p, clsort__span tables)
{
    const clsort__selection *t = &p->select;
    clsort__use_select_kernel(
        run, p, t->in_one_launch ? CLSORT__KERNEL_SELECT_BEGIN : CLSORT__KERNEL_SELECT_SAMPLE);
    clsort__arg_select_tables(run, p, tables);
    clsort__arg_uint(run, t->clusters);
    clsort__arg_uint(run, t->bounding);
    clsort__arg_local(run, (size_t)CLSORT__RANKED_BYTES(p->key.bytes) << p->config.group_log2);
    clsort__launch(run, t->rows << run->group_log2);
}

/* Reading, ranks. */
static void clsort__select_once(clsort__run *run, const clsort__plan *p, clsort__span tables,
                                clsort__arrays found)
{
    const clsort__selection *t = &p->select;
    clsort__use_select_kernel(run, p, CLSORT__KERNEL_SELECT_READ);
    clsort__arg_select_tables(run, p, tables);
    clsort__arg_local(run, CLSORT__LISTED * CLSORT__RANKED_BYTES(p->key.bytes) + 16);
    clsort__traffic(run, 1, clsort__select_read(p));
    clsort__launch(run, t->rows * t->parts << run->group_log2);
    clsort__use_rank_kernel(run, p, CLSORT__KERNEL_SELECT_RANK, tables, found);
    clsort__arg_local(run, clsort__rank_local(&p->config));
    clsort__traffic(run, 0, clsort__select_written(p));
    clsort__launch(run, t->rows * clsort__select_ranges(p) << run->group_log2);
}

/* Everything after the sample in one launch. */
static void clsort__select_long(clsort__run *run, const clsort__plan *p, clsort__span tables,
                                clsort__arrays found)
{
    const clsort__selection *t = &p->select;
    const size_t busy = 4 * (size_t)run->s->compute_units;
    clsort__use_rank_kernel(run, p, CLSORT__KERNEL_SELECT_LONG, tables, found);
    clsort__arg_uint(run, t->clusters);
    clsort__arg_uint(run, t->bounding);
    clsort__arg_local(run, clsort__long_local(p));
    clsort__traffic(run, 1, clsort__select_read(p) + clsort__select_written(p));
    clsort__launch(run, clsort__smaller(t->rows * t->parts, busy) << run->group_log2);
}

/* Selects from rows in parts: passes narrow each row, then the results are written. Where rows are
   read once, these launches only see to what that could not decide. */
static void clsort__select_spread(clsort__run *run, const clsort__plan *p, clsort__span tables,
                                  clsort__arrays found)
{
    const clsort__selection *t = &p->select;
    const int kernel = t->mode == CLSORT__SELECT_UNORDERED   ? CLSORT__KERNEL_SELECT_SCATTER
                       : t->mode == CLSORT__SELECT_PARTITION ? CLSORT__KERNEL_SELECT_PARTITION
                                                             : CLSORT__KERNEL_SELECT_SORT;
    if (t->samples) clsort__select_sample(run, p, tables);
    if (t->in_one_launch) {
        clsort__select_long(run, p, tables, found);
        return;
    }
    if (t->samples) clsort__select_once(run, p, tables, found);
    else clsort__fill(run, tables, 0, t->rows * 4 << p->config.digit_bits);
    clsort__select_passes(run, p, tables);
    clsort__use_select_kernel(run, p, kernel);
    clsort__arg_select_tables(run, p, tables);
    clsort__arg_outputs(run, p, found);
    if (!t->samples) clsort__traffic(run, 1, clsort__select_written(p));
    if (!t->scatters) {
        clsort__launch_rows(run, p);
        return;
    }
    clsort__traffic(run, 0, clsort__select_read(p));
    clsort__arg_local(run, clsort__group_sums(p->config.group_log2));
    clsort__launch(run, t->rows * t->parts << run->group_log2);
}

/* Moves an array by the indices that were found; in place, through a copy in scratch. If the caller
   wants indices, these are there by now. */
static void clsort__move_selected(clsort__run *run, const clsort__plan *p, clsort__span found,
                                  const clsort__rows *to, clsort__span source, clsort__span copy)
{
    const clsort__data *a = &p->data;
    const size_t size = to->element_bytes, rows = p->select.rows, wanted = p->select.wanted;
    const clsort__span indices = a->has_indices ? a->indices : found;
    const size_t apart = a->has_indices ? a->indices_apart
                         : p->select.sorts_whole ? a->stride * 4 : 0;
    const int in_place = clsort__same_span(source, to->span);
    clsort__rows from = clsort__make_rows(in_place ? copy : source, rows, p->d.count, size,
                                          a->stride * size);
    const clsort__rows by = clsort__make_rows(indices, rows, wanted, 4, apart);
    if (a->at_offsets) {
        from.starts = a->offsets;
        from.stride = 0;
    }
    if (in_place) clsort__copy(run, source, copy, a->extent * size);
    clsort__gather(run, &from, to, &by);
}

/* Moves values, and keys or records, to where the selection puts them. */
static void clsort__move_all_selected(clsort__run *run, const clsort__plan *p,
                                      const clsort__scratch *scratch, clsort__span found)
{
    const clsort__data *a = &p->data;
    const size_t rows = p->select.rows, wanted = p->select.wanted;
    const clsort__rows keys = clsort__make_rows(a->keys_to, rows, wanted, a->element_bytes,
                                                a->keys_apart),
                       values = clsort__make_rows(a->values_to, rows, wanted, p->d.value_size,
                                                  a->values_apart);
    if (p->select.moves_keys)
        clsort__move_selected(run, p, found, &keys, a->keys,
                              clsort__scratch_part(scratch, p->scratch.copied_keys));
    if (a->has_values)
        clsort__move_selected(run, p, found, &values, a->values,
                              clsort__scratch_part(scratch, p->scratch.copied_values));
}

/* Takes the keys out of the records that are selected from, or makes their NaNs equal. */
static void clsort__extract_selected(clsort__run *run, const clsort__plan *p, clsort__span keys)
{
    clsort__arrays pairs;
    pairs.keys = keys;
    pairs.values = clsort__make_span(NULL, 0);
    if (p->key.has_codes) clsort__extract_codes(run, p, pairs, 0, p->key.field_count);
    else clsort__extract(run, p, pairs);
}

/* Sorts what was selected, in place or into the outputs. */
static void clsort__sort_selected(clsort__run *run, const clsort__job *j, clsort__arrays found)
{
    const clsort__data *a = &j->plan.data;
    clsort__plan order = j->then;
    clsort__scratch rest = j->scratch;
    rest.shift += j->plan.select.order_scratch;
    order.data.keys = found.keys;
    order.data.values = found.values;
    order.data.keys_to = order.data.in_place ? found.keys : a->keys_to;
    order.data.values_to = order.data.values_in_place ? found.values : a->indices;
    clsort__sort(run, &order, &rest);
}

/* Copies what is wanted of each sorted row to the outputs. On CPUs a work-item copies several
   elements. */
static void clsort__copy_first(clsort__run *run, const clsort__plan *p, clsort__span keys,
                               clsort__span indices)
{
    const clsort__selection *t = &p->select;
    const clsort__data *a = &p->data;
    const size_t piece = run->s->is_cpu ? 16 : 1, bytes = p->key.bytes,
                 pieces = t->rows * clsort__ceil_divide(t->wanted, piece);
    const int has_keys = keys.buffer && clsort__selects_keys(p),
              has_indices = indices.buffer && a->has_indices;
    const cl_ulong copied = (has_keys ? bytes : 0) + (has_indices ? 4 : 0);
    clsort__use_utility(run, CLSORT__KERNEL_COPY_ROWS);
    clsort__arg_span(run, has_keys ? keys : indices);
    clsort__arg_span(run, has_keys ? a->keys_to : a->indices);
    clsort__arg_span(run, has_indices ? indices : keys);
    clsort__arg_span(run, has_indices ? a->indices : a->keys_to);
    clsort__arg_count(run, pieces);
    clsort__arg_count(run, t->wanted);
    clsort__arg_uint(run, (cl_uint)piece);
    clsort__arg_uint(run, (cl_uint)bytes);
    clsort__arg_ulong(run, a->stride * bytes);
    clsort__arg_ulong(run, a->keys_apart);
    clsort__arg_ulong(run, (cl_ulong)a->stride * 4);
    clsort__arg_ulong(run, a->indices_apart);
    clsort__arg_uint(run, (cl_uint)has_keys);
    clsort__arg_uint(run, (cl_uint)has_indices);
    clsort__traffic(run, 1, 2 * copied * t->rows * t->wanted);
    clsort__launch(run, pieces);
}

/* Sorts whole rows and writes the first of each, keys and indices. Returns the indices of those
   that are wanted. */
static clsort__span clsort__select_sorted(clsort__run *run, const clsort__job *j,
                                          clsort__span keys)
{
    const clsort__plan *p = &j->plan;
    const size_t first = p->select.mode == CLSORT__SELECT_NTH ? p->d.top_k - 1 : 0;
    clsort__plan sort = j->then;
    clsort__scratch rest = j->scratch;
    rest.shift += p->select.order_scratch;
    sort.data.keys = keys;
    if (sort.data.has_indices)
        sort.data.indices = clsort__scratch_part(&j->scratch, p->scratch.work_indices);
    if (sort.data.writes_keys)
        sort.data.keys_to = clsort__scratch_part(&j->scratch, p->scratch.work_keys);
    clsort__sort(run, &sort, &rest);
    sort.data.indices.offset += first * 4;
    sort.data.keys_to.offset += first * p->key.bytes;
    if (clsort__selects_keys(p) || p->data.has_indices)
        clsort__copy_first(run, p, sort.data.keys_to, sort.data.indices);
    return sort.data.indices;
}

/* One reading of each part, then the parts' first are sorted. */
static void clsort__select_streams(clsort__run *run, const clsort__plan *p,
                                   const clsort__scratch *scratch, clsort__arrays found)
{
    const clsort__selection *t = &p->select;
    const clsort__span tables = t->spread ? clsort__scratch_part(scratch, p->scratch.tables)
                                          : p->data.keys;
    clsort__use_select_kernel(run, p, CLSORT__KERNEL_SELECT_STREAM);
    clsort__arg_select_tables(run, p, tables);
    clsort__arg_outputs(run, p, found);
    clsort__arg_local(run, clsort__select_words(&p->config, t->list_capacity));
    clsort__arg_local(run, clsort__select_codes(&p->config, t->list_capacity));
    clsort__traffic(run, 1, clsort__select_read(p) + clsort__select_written(p));
    clsort__launch(run, t->rows * t->parts << run->group_log2);
    if (!t->spread) return;
    clsort__use_select_kernel(run, p, CLSORT__KERNEL_SELECT_SORT);
    clsort__arg_select_tables(run, p, tables);
    clsort__arg_outputs(run, p, found);
    clsort__launch_rows(run, p);
}

/* One launch for rows that a work-group holds. */
static void clsort__select_held(clsort__run *run, const clsort__plan *p, clsort__arrays found)
{
    const clsort__selection *t = &p->select;
    clsort__use_select_kernel(
        run, p, t->is_short ? CLSORT__KERNEL_SELECT_SHORT : CLSORT__KERNEL_SELECT_TILE);
    clsort__arg_outputs(run, p, found);
    if (t->is_short) {
        clsort__arg_local(run, t->local);
    } else {
        clsort__arg_uint(run, (cl_uint)t->tile_rows);
        clsort__arg_tile(run, &p->config);
        clsort__arg_local(run, clsort__packing_bytes(&p->config));
    }
    clsort__traffic(run, 1, clsort__select_read(p) + clsort__select_written(p));
    clsort__launch(run, t->groups << run->group_log2);
}

/* Finds what is selected from each row, and writes the keys and indices. */
static void clsort__find_selected(clsort__run *run, const clsort__plan *p,
                                  const clsort__scratch *scratch, clsort__arrays found)
{
    if (p->select.is_short || p->select.sorts_tiles) {
        clsort__select_held(run, p, found);
    } else if (p->select.streams) {
        clsort__select_streams(run, p, scratch, found);
    } else if (p->select.spread || p->select.samples) {
        clsort__select_spread(run, p, clsort__scratch_part(scratch, p->scratch.tables), found);
    } else {
        clsort__use_select_kernel(run, p, CLSORT__KERNEL_SELECT_ROWS);
        clsort__arg_outputs(run, p, found);
        clsort__traffic(
            run, 1, (p->select.passes + 1) * clsort__select_read(p) + clsort__select_written(p));
        clsort__launch_rows(run, p);
    }
}

/* All commands of a selection. */
static void clsort__select(clsort__run *run, const clsort__job *j)
{
    const clsort__plan *p = &j->plan;
    clsort__plan source = *p;
    clsort__arrays found;
    if (clsort__trivial(p)) return;
    found = clsort__select_results(p, &j->scratch);
    if (p->select.extracts) {
        source.data.keys = clsort__scratch_part(&j->scratch, p->scratch.extracted);
        clsort__extract_selected(run, p, source.data.keys);
    }
    if (p->select.sorts_whole) found.values = clsort__select_sorted(run, j, source.data.keys);
    else clsort__find_selected(run, &source, &j->scratch, found);
    if (p->select.sorts_after) clsort__sort_selected(run, j, found);
    clsort__move_all_selected(run, p, &j->scratch, found.values);
}

/* ---- >>is_sorted ----------------------------------------------------------------------------- */

/* Drops all that a check of order does not read from a description. */
static clsort_desc clsort__order_only(const clsort_desc *desc)
{
    clsort_desc d = *desc;
    d.stable = d.algorithm = 0;
    d.flags &= CLSORT_FLAG_NO_BUILD | CLSORT_FLAG_COUNT_BUFFER | CLSORT_FLAG_LENGTHS;
    d.keys_out = d.values = d.values_out = d.indices = d.scratch = NULL;
    d.keys_out_offset = d.values_offset = d.values_out_offset = d.indices_offset = 0;
    d.value_size = d.scratch_offset = d.scratch_size = d.top_k = 0;
    d.keys_out_row_stride = d.values_out_row_stride = d.indices_row_stride = 0;
    memset(&d.tuning, 0, sizeof d.tuning);
    return d;
}

static void clsort__check_is_sorted(clsort__checks *c, clsort__job *j)
{
    clsort__need_multiple(c, "result_offset", j->result.offset, 4);
    clsort__check_desc(c, j->desc, CLSORT__TO_READ);
    if (c->status == CL_SUCCESS) clsort__make_plan(c->s, j->desc, &j->plan);
}

static clsort_status clsort__check_order_buffers(clsort__job *j)
{
    const clsort__data *a = &j->plan.data;
    clsort__range r[5];
    r[0] = clsort__make_range("keys", a->keys, a->extent * a->element_bytes, 1, 0);
    r[1] = clsort__make_range("result", j->result, 4, 1, 1);
    clsort__segment_ranges(a, r + 2);
    CLSORT__MUST(clsort__check_ranges(j->s, r, 5));
    return clsort__check_rows(j->s, &j->plan);
}

/* Lowers the number at `result` to that of the first unsorted element. With indices, checks the
   order that these give to the keys; else keys may be an output. */
static void clsort__find_unsorted(clsort__run *run, const clsort__plan *p, clsort__span keys,
                                  clsort__span indices, clsort__span result)
{
    const int precedes = p->d.precedes != NULL, written = !indices.buffer;
    if (p->d.count < 2) return;
    keys.offset += p->d.key_offset;
    if (precedes) {
        clsort__use_kernel(run, &p->config, CLSORT__KERNEL_MERGE_ORDERED);
    } else {
        clsort__use_utility(run, CLSORT__KERNEL_IS_SORTED);
        clsort__arg_span(run, keys);
    }
    clsort__arg_span(run, indices.buffer ? indices : keys);
    clsort__arg_span(run, result);
    if (precedes) clsort__arg_codec(run, p, keys);
    else clsort__arg_segments(run, p, keys);
    clsort__arg_count(run, p->data.extent);
    clsort__arg_uint(run, indices.buffer != NULL);
    clsort__arg_uint(run, indices.buffer && p->stable);
    if (!precedes) {
        clsort__arg_ulong(run, p->data.element_bytes);
        clsort__arg_apart(run, p, written ? p->data.keys_apart : 0);
        clsort__arg_apart(run, p, p->data.indices_apart);
        clsort__arg_whole_fields(run, p);
    }
    clsort__launch(run, p->data.extent);
}

/* All commands of clsort_enqueue_is_sorted. */
static void clsort__is_sorted(clsort__run *run, const clsort__job *j)
{
    const clsort__data *a = &j->plan.data;
    clsort__fill(run, j->result, (cl_uint)a->extent, sizeof(cl_uint));
    clsort__find_unsorted(run, &j->plan, a->keys, clsort__make_span(NULL, 0), j->result);
}

static clsort_status clsort__ready_proof(clsort__job *j)
{
    return clsort__ready_checks(j->s, &j->plan);
}

static const clsort__operation clsort__ordering = { clsort__check_is_sorted, NULL,
                                                    clsort__check_order_buffers,
                                                    clsort__ready_proof, clsort__is_sorted };

/* ---- >>host ---------------------------------------------------------------------------------- */

/* Is it at a multiple of `unit` bytes? */
static int clsort__is_aligned(const void *data, size_t unit)
{
    return (size_t)(const char *)data % unit == 0;
}

/* The flag for buffers of host arrays. Where the device shares the host's memory, it sorts the
   arrays where they lie. A driver that wants them at larger multiples copies them by itself. Records
   with an expression contain any type: the largest has 128 bytes. */
static cl_mem_flags clsort__host_flag(const clsort_sorter *s, const clsort_desc *d,
                                      const void *keys, const void *values,
                                      const cl_uint *indices, size_t element)
{
    const size_t unit = d->precedes ? 128 : clsort__alignment(element);
    const int shared = s->shares_memory && clsort__is_aligned(keys, unit)
                       && clsort__is_aligned(values, clsort__alignment(d->value_size))
                       && clsort__is_aligned(indices, sizeof *indices);
    return shared ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR;
}

/* Creates the buffer of a host array; nothing for an array of no bytes. role: who writes it. */
static clsort_status clsort__upload(clsort_sorter *s, void *data, size_t bytes, cl_mem_flags role,
                                    cl_mem_flags flag, cl_mem *buffer)
{
    if (!bytes) return CL_SUCCESS;
    return clsort__create_buffer(s, bytes, data, data ? role | flag : role, NULL, buffer);
}

/* Makes a result visible to the host, when all commands are complete. A read into the memory of the
   buffer itself is allowed then, and copies nothing where the device works in that memory. */
static clsort_status clsort__download(clsort_sorter *s, cl_mem buffer, size_t bytes, void *data)
{
    if (!data || !bytes) return CL_SUCCESS;
    return CLSORT__TRY(s, clEnqueueReadBuffer,
                       (s->own_queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL));
}

/* Blames fields that a description for host arrays must not set. */
static void clsort__check_no_buffers(clsort__checks *c, const clsort_desc *d)
{
    const clsort__mistake mistakes[] = {
        { d->keys || d->keys_offset, "keys, keys_offset: they must be 0 with host arrays" },
        { d->keys_out || d->keys_out_offset,
          "keys_out, keys_out_offset: they must be 0 with host arrays" },
        { d->values || d->values_offset, "values, values_offset: they must be 0 with host arrays" },
        { d->values_out || d->values_out_offset,
          "values_out, values_out_offset: they must be 0 with host arrays" },
        { d->indices || d->indices_offset,
          "indices, indices_offset: they must be 0 with host arrays" },
        { d->scratch || d->scratch_offset || d->scratch_size,
          "scratch: it must be 0 with host arrays" },
        { d->segments || d->segment_count || d->segments_offset || d->segment_ends,
          "segments, segment_count: they must be 0 with host arrays" },
        { d->count_buffer || d->count_offset,
          "count_buffer, count_offset: they must be 0 with host arrays" },
        { d->lengths || d->lengths_offset,
          "lengths, lengths_offset: they must be 0 with host arrays" },
        { d->keys_out_row_stride || d->values_out_row_stride || d->indices_row_stride,
          "row strides of outputs: they must be 0 with host arrays" },
        { (d->flags & ~(cl_uint)CLSORT_FLAG_NO_BUILD) != 0,
          "flags: only CLSORT_FLAG_NO_BUILD goes with host arrays" }
    };
    CLSORT__BLAME(c, CLSORT_ERROR_UNSUPPORTED, mistakes);
}

/* Creates buffers for host arrays and sorts these there; *d then names the buffers. */
static clsort_status clsort__sort_buffers(clsort_sorter *s, clsort_desc *d, void *keys,
                                          void *values, cl_uint *indices, size_t n, size_t element)
{
    const size_t key_bytes = n * element, value_bytes = n * d->value_size,
                 index_bytes = indices ? n * sizeof *indices : 0;
    const cl_mem_flags flag = clsort__host_flag(s, d, keys, values, indices, element),
                       role = indices ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE;
    void *const gaps = flag == CL_MEM_USE_HOST_PTR || d->rows > 1 ? indices : NULL;
    clsort_status status;
    CLSORT__MUST(clsort__own_queue(s));
    CLSORT__MUST(clsort__upload(s, keys, key_bytes, role, flag, &d->keys));
    CLSORT__MUST(clsort__upload(s, values, value_bytes, CL_MEM_READ_WRITE, flag, &d->values));
    CLSORT__MUST(clsort__upload(s, gaps, index_bytes, CL_MEM_READ_WRITE, flag, &d->indices));
    status = clsort_enqueue_sort(s, s->own_queue, d, 0, NULL, NULL);
    if (status != CL_SUCCESS) CLSORT_CL(clFinish)(s->own_queue);   /* the arrays are the caller's */
    CLSORT__MUST(status);
    CLSORT__MUST(CLSORT__TRY(s, clFinish, (s->own_queue)));
    if (indices) return clsort__download(s, d->indices, index_bytes, indices);
    CLSORT__MUST(clsort__download(s, d->keys, key_bytes, keys));
    return clsort__download(s, d->values, value_bytes, values);
}

#ifdef CLSORT_MULTI
/* Does the device not hold at once what can be sorted in chunks? */
static int clsort__is_too_large(const clsort__checks *c, const clsort_desc *d)
{
    const size_t element = d->record_size ? d->record_size : clsort__key_bits(d->key_type) / 8;
    cl_ulong memory = 0;
    size_t bytes = 0;
    clsort_status status;
    if (d->rows || d->precedes || !d->count) return 0;
    if (c->status != CL_SUCCESS) return c->status == CLSORT_ERROR_COUNT_TOO_LARGE;
    if (c->s->shares_memory
        || CLSORT_CL(clGetDeviceInfo)(c->s->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory,
                                      &memory, NULL) != CL_SUCCESS)
        return 0;
    c->s->quiet = 1;   /* what else is wrong is told by the sort */
    status = clsort_scratch_size(c->s, d, &bytes);
    c->s->quiet = 0;
    c->s->function = "clsort_sort_host";
    if (status != CL_SUCCESS) return 0;
    bytes = clsort__saturating_add(bytes, d->count * element);
    return clsort__saturating_add(bytes, d->count * d->value_size) > memory - memory / 8;
}

static clsort_status clsort__sort_in_trips(clsort_sorter *s, const clsort_desc *d, void *keys,
                                           void *values, const cl_uint *indices)
{
    clsort_multi_desc m = clsort_multi_desc_default();
    CLSORT__REQUIRE(s, !indices, CLSORT_ERROR_UNSUPPORTED,
                    "indices: with more elements than the device holds they have 64 bits, by "
                    "clsort_sort_host_on");
    m.sort = d;
    m.keys = keys;
    m.values = values;
    return clsort_sort_host_on(&s, 1, &m);
}
#endif

/* Sorts host arrays by way of buffers, which *d then names. */
static clsort_status clsort__sort_on_device(clsort_sorter *s, clsort_desc *d, void *keys,
                                            void *values, cl_uint *indices)
{
    const size_t element = d->record_size ? d->record_size : clsort__key_bits(d->key_type) / 8;
    const clsort_status status = clsort__sort_buffers(s, d, keys, values, indices,
                                                      clsort__extent(d, element), element);
    if (d->keys) CLSORT_CL(clReleaseMemObject)(d->keys);
    if (d->values) CLSORT_CL(clReleaseMemObject)(d->values);
    if (d->indices) CLSORT_CL(clReleaseMemObject)(d->indices);
    return status;
}

/* ---- >>proof --------------------------------------------------------------------------------- */

/* Work-items of a fingerprint kernel: each takes every step-th element. */
enum { CLSORT__FINGERPRINT_STEP = 4096 };

/* `apart`: of the input 0, of the output the strides of rows of elements and values. */
static void clsort__fingerprint(clsort__run *run, const clsort__plan *p, clsort__span elements,
                                clsort__span values, clsort__span indices, const size_t *apart,
                                clsort__span sums)
{
    clsort__use_utility(run, CLSORT__KERNEL_FINGERPRINT);
    clsort__arg_span(run, elements);
    clsort__arg_span(run, values.buffer ? values : elements);
    clsort__arg_span(run, indices.buffer ? indices : elements);
    clsort__arg_span(run, sums);
    clsort__arg_segments(run, p, elements);
    clsort__arg_count(run, p->data.extent);
    clsort__arg_uint(run, indices.buffer != NULL);
    clsort__arg_ulong(run, p->data.element_bytes);
    clsort__arg_ulong(run, p->d.value_size);
    clsort__arg_apart(run, p, apart[0]);
    clsort__arg_apart(run, p, apart[1]);
    clsort__arg_apart(run, p, p->data.indices_apart);
    clsort__arg_uint(run, CLSORT__FINGERPRINT_STEP);
    clsort__launch(run, CLSORT__FINGERPRINT_STEP);
}

static void clsort__fingerprint_indices(clsort__run *run, const clsort__plan *p,
                                        clsort__span indices, clsort__span sums)
{
    clsort__use_utility(run, CLSORT__KERNEL_FINGERPRINT_INDICES);
    clsort__arg_span(run, indices);
    clsort__arg_span(run, sums);
    clsort__arg_segments(run, p, indices);
    clsort__arg_count(run, p->data.extent);
    clsort__arg_apart(run, p, p->data.indices_apart);
    clsort__arg_uint(run, CLSORT__FINGERPRINT_STEP);
    clsort__launch(run, CLSORT__FINGERPRINT_STEP);
}

/* All commands of clsort_enqueue_fingerprint. */
static void clsort__prove_input(clsort__run *run, const clsort__job *j)
{
    static const size_t apart[2] = { 0, 0 };
    const clsort__data *a = &j->plan.data;
    clsort__fill(run, j->result, 0, sizeof(clsort_proof));
    clsort__fingerprint(run, &j->plan, a->keys, a->values, clsort__make_span(NULL, 0), apart,
                        clsort__span_from(j->result, offsetof(clsort_proof, before)));
}

/* All commands of clsort_enqueue_verify. Keys that were not written are fingerprinted again, with
   the values that indices put beside them: they must not have changed. */
static void clsort__prove_output(clsort__run *run, const clsort__job *j)
{
    const clsort__plan *p = &j->plan;
    const clsort__data *a = &p->data;
    const int beside = a->has_values && !a->writes_keys;
    const size_t apart[2] = { a->writes_keys ? a->keys_apart : 0, a->values_apart };
    const clsort__span keys = a->writes_keys ? a->keys_to : a->keys,
                       none = clsort__make_span(NULL, 0),
                       unsorted = clsort__span_from(j->result, offsetof(clsort_proof, unsorted));
    clsort__fill(run, unsorted, (cl_uint)a->extent, 2 * sizeof(cl_uint));
    clsort__fingerprint(run, p, keys, a->values_to, beside ? a->indices : none, apart,
                        clsort__span_from(j->result, offsetof(clsort_proof, after)));
    if (a->indices.buffer)
        clsort__fingerprint_indices(run, p, a->indices,
                                    clsort__span_from(j->result, offsetof(clsort_proof, indices)));
    clsort__find_unsorted(run, p, keys, a->writes_keys ? none : a->indices, unsorted);
}

static void clsort__check_proof(clsort__checks *c, clsort__job *j)
{
    clsort__need_multiple(c, "proof_offset", j->result.offset, 4);
    clsort__check_sort(c, j);
}

/* The buffer for the proof of one sort. */
static clsort_status clsort__new_proof(clsort_sorter *s, clsort__span *proof)
{
    CLSORT__MUST(clsort__grow(s, &s->pending, s->pending_count + 1, sizeof *s->pending));
    return clsort__create_buffer(s, sizeof(clsort_proof), NULL, CL_MEM_READ_WRITE, NULL,
                                 &proof->buffer);
}

/* The verdict to report of two: a wrong result before all others, else the first. */
static clsort_status clsort__worse(clsort_status a, clsort_status b)
{
    return a == CL_SUCCESS || b == CLSORT_ERROR_WRONG_RESULT ? b : a;
}

/* Finds the state of a sort, after waiting for it if `wait`; *state is negative if it failed on the
   device. A wait that succeeds means that the sort is done. */
static clsort_status clsort__sort_state(clsort_sorter *s, cl_event event, int wait, cl_int *state)
{
    const cl_event_info what = CL_EVENT_COMMAND_EXECUTION_STATUS;
    const cl_int waited = wait ? CLSORT_CL(clWaitForEvents)(1, &event) : CL_SUCCESS;
    const clsort_status status =
        CLSORT__TRY(s, clGetEventInfo, (event, what, sizeof *state, state, NULL));
    if (status != CL_SUCCESS || *state <= CL_COMPLETE) return status;
    if (wait && waited == CL_SUCCESS) *state = CL_COMPLETE;
    return clsort__note(s, waited, "clWaitForEvents");
}

/* Reads and judges the proof of a complete sort. *judged is 0 if the proof cannot be read. */
static clsort_status clsort__judge_proof(clsort_sorter *s, cl_mem buffer, int *judged)
{
    clsort_proof proof;
    clsort_status status = clsort__own_queue(s);
    if (status == CL_SUCCESS) status = clsort__download(s, buffer, sizeof proof, &proof);
    *judged = status == CL_SUCCESS;
    if (status == CL_SUCCESS && clsort_judge(&proof) != CL_SUCCESS)
        status = clsort__fail(s, CLSORT_ERROR_WRONG_RESULT, "clsort_enqueue_sort",
                              proof.unsorted != proof.count ? "order" : "permutation");
    return status;
}

/* Judges a sort that is done. *judged is 0 if it is not done, or its state cannot be had. */
static clsort_status clsort__judge_pending(clsort_sorter *s, const clsort__pending *p, int wait,
                                           int *judged)
{
    cl_int state = CL_QUEUED;
    const clsort_status status = clsort__sort_state(s, p->event, wait, &state);
    *judged = 0;
    if (status != CL_SUCCESS || state > CL_COMPLETE) return status;
    if (state == CL_COMPLETE) return clsort__judge_proof(s, p->proof, judged);
    *judged = 1;
    return clsort__fail(s, state, "clsort_enqueue_sort", "a sort failed on the device");
}

/* Judges the sorts that are done, or with `wait` all, and keeps the worst verdict for
   clsort_collect. Returns why a sort could not be judged: that one stays pending. */
static clsort_status clsort__judge_all(clsort_sorter *s, int wait)
{
    clsort_status first = CL_SUCCESS;
    size_t i, kept = 0;
    for (i = 0; i < s->pending_count; i++) {
        const clsort__pending p = s->pending[i];
        int judged;
        const clsort_status status = clsort__judge_pending(s, &p, wait, &judged);
        if (!judged) {
            s->pending[kept++] = p;
            first = clsort__worse(first, status);
            continue;
        }
        s->verdict = clsort__worse(s->verdict, status);
        CLSORT_CL(clReleaseEvent)(p.event);
        CLSORT_CL(clReleaseMemObject)(p.proof);
    }
    s->pending_count = kept;
    return first;
}

/* Files the proof of an enqueued sort, and judges those that are complete; new_proof made room.
   `own` is the sort's event if the caller wants none. */
static clsort_status clsort__keep_proof(clsort_sorter *s, cl_mem proof, clsort_status status,
                                        cl_event own, cl_event *done)
{
    clsort__pending *p = &s->pending[s->pending_count];
    if (status == CL_SUCCESS && done) {
        status = CLSORT__TRY(s, clRetainEvent, (*done));
        if (status != CL_SUCCESS) {
            CLSORT_CL(clReleaseEvent)(*done);
            *done = NULL;
        }
    }
    if (status != CL_SUCCESS) {
        CLSORT_CL(clReleaseMemObject)(proof);
        return status;
    }
    p->proof = proof;
    p->event = done ? *done : own;
    s->pending_count++;
    clsort__judge_all(s, 0);
    return CL_SUCCESS;
}

/* ---- >>operations ---------------------------------------------------------------------------- */

/* Builds the programs of a sort or a selection, finds its scratch and, if the sorter checks itself,
   creates the buffer of the proof. */
static clsort_status clsort__ready_sort(clsort__job *j)
{
    const int proves = j->s->options.flags & CLSORT_OPTION_VERIFY && !j->plan.d.top_k;
    clsort__slot *slot = NULL;
    if (clsort__trivial(&j->plan)) return CL_SUCCESS;
    CLSORT__MUST(clsort__ready_plans(j));
    CLSORT__MUST(clsort__find_scratch(&j->run, &j->plan, &j->scratch, &slot));
    if (proves) CLSORT__MUST(clsort__new_proof(j->s, &j->result));
    j->slot = slot;
    if (proves && !j->run.done) j->run.done = &j->proven;
    return CL_SUCCESS;
}

/* All commands of a sort; with a buffer for a proof, those of the proof before and after them. */
static void clsort__sort_commands(clsort__run *run, const clsort__job *j)
{
    if (clsort__trivial(&j->plan)) return;
    if (j->result.buffer) clsort__prove_input(run, j);
    clsort__sort(run, &j->plan, &j->scratch);
    if (j->result.buffer) clsort__prove_output(run, j);
}

static const clsort__operation clsort__sorting = { clsort__check_sort, clsort__sort_scratch,
                                                   clsort__check_buffers, clsort__ready_sort,
                                                   clsort__sort_commands };

static const clsort__operation *clsort__sort_operation(void) { return &clsort__sorting; }

static const clsort__operation clsort__selecting = { clsort__check_selection,
                                                     clsort__select_scratch, clsort__check_buffers,
                                                     clsort__ready_sort, clsort__select };

static const clsort__operation clsort__proving_input = { clsort__check_proof, clsort__sort_scratch,
                                                         clsort__check_buffers, clsort__ready_proof,
                                                         clsort__prove_input };

static const clsort__operation clsort__proving_output = { clsort__check_proof, clsort__sort_scratch,
                                                          clsort__check_buffers,
                                                          clsort__ready_proof,
                                                          clsort__prove_output };

/* A call that a description is made for, which is copied into `own`. */
static clsort__job clsort__sort_job(clsort_sorter *s, const char *function, const clsort_desc *desc,
                                    clsort_desc *own)
{
    const int wrong = clsort__adopt(own, sizeof *own, CLSORT__FIRST_DESC, desc);
    clsort__job j = clsort__begin_job(s, function,
                                      own->top_k ? &clsort__selecting : &clsort__sorting);
    j.desc = desc ? own : NULL;
    j.argument = "desc";
    j.wrong = wrong;
    return j;
}

/* A call that checks an order or a result. `name` is that of the buffer of `result`. */
static clsort__job clsort__checking_job(clsort_sorter *s, const char *function,
                                        const clsort__operation *op, const clsort_desc *desc,
                                        clsort_desc *own, clsort__span result, const char *name)
{
    clsort__job j = clsort__sort_job(s, function, desc, own);
    j.op = op;
    j.missing = !desc ? "desc" : result.buffer ? NULL : name;
    j.result = result;
    return j;
}

/* ---- >>prepare ------------------------------------------------------------------------------- */

/* Builds and warms what a call needs whose queue was checked and which was planned, and makes its
   scratch memory. With `warmed`, it warms only what launches that are new to this set, and leaves
   the set of this call's launches in `own`. */
static clsort_status clsort__prepare_job(clsort__job *j, cl_command_queue queue,
                                         clsort__kinds *warmed, clsort__kinds *own)
{
    const clsort__run run = j->run;
    char places[6];
    int is_new = !warmed;
    size_t i;
    j->plan.d.flags &= ~(cl_uint)CLSORT_FLAG_NO_BUILD;   /* the other flags announce buffers */
    j->then.d.flags &= ~(cl_uint)CLSORT_FLAG_NO_BUILD;
    CLSORT__MUST(clsort__ready_plans(j));
    if (warmed && !clsort__trivial(&j->plan)) {
        clsort__fake_buffers(j, places);
        j->run.mode = CLSORT__COUNT;
        j->run.kinds = own;
        j->op->commands(&j->run, j);
        j->run = run;
        for (i = 0; i < own->count; i++) is_new |= clsort__add_kind(warmed, own->kind[i]);
    }
    if (is_new && !clsort__trivial(&j->plan)) CLSORT__MUST(clsort__warm_job(j));
    return clsort__prepare_scratch(j->s, queue, &j->plan);
}

/* A preparation for every count up to a most. */
typedef struct clsort__preparation {
    const clsort__job *most;    /* the call with the largest count */
    cl_command_queue queue;
    clsort__kinds warmed;
} clsort__preparation;

/* Prepares for one count. *kinds receives a number that tells sets of launches, and layouts of
   scratch memory in several buffers, from others. */
static clsort_status clsort__prepare_count(clsort__preparation *a, size_t count, cl_ulong *kinds)
{
    clsort_desc d = *a->most->desc;
    clsort__job j = clsort__begin_job(a->most->s, a->most->s->function, a->most->op);
    clsort__kinds own;
    size_t i;
    d.count = count;
    j.desc = &d;
    j.argument = a->most->argument;
    j.run = a->most->run;
    own.count = 0;
    CLSORT__MUST(clsort__plan_job(&j));
    CLSORT__MUST(clsort__prepare_job(&j, a->queue, &a->warmed, &own));
    *kinds = j.plan.scratch.layout.buffers;
    for (i = 0; i < own.count; i++) {
        const cl_ulong factor = 0x9E3779B97F4A7C15u, x = (own.kind[i] + 1) * factor;
        *kinds += x ^ x >> 29;
    }
    return CL_SUCCESS;
}

/* Prepares for the counts between two that are prepared. Where both launch the same, so do those
   between them; else it halves the range. */
static clsort_status clsort__prepare_between(clsort__preparation *a, size_t low, cl_ulong low_kinds,
                                             size_t high, cl_ulong high_kinds)
{
    const size_t middle = low + (high - low) / 2;
    cl_ulong kinds = 0;
    if (middle == low || low_kinds == high_kinds) return CL_SUCCESS;
    CLSORT__MUST(clsort__prepare_count(a, middle, &kinds));
    CLSORT__MUST(clsort__prepare_between(a, low, low_kinds, middle, kinds));
    return clsort__prepare_between(a, middle, kinds, high, high_kinds);
}

/* Prepares for every count up to that of the call `most`: for some in each octave, and then between
   them. */
static clsort_status clsort__prepare_counts(const clsort__job *most, cl_command_queue queue)
{
    clsort__preparation a;
    size_t count = most->desc->top_k ? most->desc->top_k : 1, next;
    cl_ulong kinds = 0, next_kinds = 0;
    a.most = most;
    a.queue = queue;
    a.warmed.count = 0;
    if (most->desc->count < count) return CL_SUCCESS;
    CLSORT__MUST(clsort__prepare_count(&a, most->desc->count, &kinds));
    CLSORT__MUST(clsort__prepare_count(&a, count, &kinds));
    for (; count < most->desc->count; count = next, kinds = next_kinds) {
        next = count + count / 4 + 1;
        if (next > most->desc->count) next = most->desc->count;
        CLSORT__MUST(clsort__prepare_count(&a, next, &next_kinds));
        CLSORT__MUST(clsort__prepare_between(&a, count, kinds, next, next_kinds));
    }
    return CL_SUCCESS;
}

/* ---- >>sorter -------------------------------------------------------------------------------- */

/* Destroys a sorter that could not be set up, and keeps its last error in `message`. Returns
   status. */
static clsort_status clsort__discard(clsort_sorter **sorter, clsort_status status, char *message)
{
    memcpy(message, (*sorter)->message, sizeof (*sorter)->message);
    clsort_destroy(*sorter);
    *sorter = NULL;
    return status;
}

/* Checks the arguments of clsort_create and queries the device. */
static clsort_status clsort__set_up(clsort_sorter *s, cl_context context, cl_device_id device,
                                    int wrong)
{
    CLSORT__REQUIRE(s, !context == !device, CLSORT_ERROR_NULL_ARGUMENT, "context, device");
    CLSORT__MUST(clsort__judge_struct(s, "options", wrong));
    CLSORT__REQUIRE(s, !(s->options.flags & ~(cl_uint)CLSORT_OPTION_VERIFY),
                    CLSORT_ERROR_UNKNOWN_FLAG, "options");
    CLSORT__MUST(context ? clsort__adopt_context(s, context, device) : clsort__own_context(s));
    CLSORT__MUST(clsort__device_facts(s));
    clsort__open_cache(s);
    return clsort__reserve_waits(s, CLSORT__FEW_WAITS);
}

/* Creates a sorter. If that fails, `message` receives its last error. */
static clsort_status clsort__create(cl_context context, cl_device_id device,
                                    const clsort_options *options, clsort_sorter **sorter,
                                    char *message)
{
    clsort_sorter none, *s = (clsort_sorter *)CLSORT_MALLOC(sizeof *s);
    clsort_status status;
    int wrong;
    memset(&none, 0, sizeof none);
    wrong = clsort__adopt(&none.options, sizeof none.options, CLSORT__FIRST_OPTIONS, options);
    none.function = "clsort_create";
    if (!s) {
        status = clsort__fail(&none, CL_OUT_OF_HOST_MEMORY, "malloc", NULL);
        memcpy(message, none.message, sizeof none.message);
        return status;
    }
    *s = none;
    status = clsort__set_up(s, context, device, wrong);
    *sorter = s;
    return status == CL_SUCCESS ? CL_SUCCESS : clsort__discard(sorter, status, message);
}

/* Gives a clone its own kernels of the programs built so far. */
static clsort_status clsort__share_programs(const clsort_sorter *from, clsort_sorter *to)
{
    size_t i;
    if (!from->program_count) return CL_SUCCESS;
    CLSORT__MUST(clsort__grow(to, &to->programs, from->program_count, sizeof *to->programs));
    for (i = 0; i < from->program_count; i++) {
        clsort__program *p = &to->programs[i];
        int fits;
        *p = from->programs[i];
        p->unsaved = 0;   /* `from` saves it */
        memset(p->kernels, 0, sizeof p->kernels);
        CLSORT__MUST(CLSORT__TRY(to, clRetainProgram, (p->program)));
        to->program_count++;
        CLSORT__MUST(clsort__create_kernels(to, p, &fits));
    }
    return CL_SUCCESS;
}

/* Gives a clone copies of the comparators, under the same numbers. */
static clsort_status clsort__share_comparators(const clsort_sorter *from, clsort_sorter *to)
{
    cl_uint number;
    size_t i;
    for (i = 0; i < from->comparator_count; i++) {
        const clsort__comparator *c = &from->comparators[i];
        CLSORT__MUST(
            clsort__add_comparator(to, c->record_type, c->precedes, c->record_size, &number));
    }
    return CL_SUCCESS;
}

/* The programs of a destroyed sorter, until the work of one queue is done. */
typedef struct clsort__kept_programs {
    size_t count;
    cl_program programs[1];     /* `count` of them */
} clsort__kept_programs;

static void clsort__release_kept(clsort__kept_programs *h)
{
    size_t i;
    for (i = 0; i < h->count; i++) CLSORT_CL(clReleaseProgram)(h->programs[i]);
    CLSORT_FREE(h);
}

static void CL_CALLBACK clsort__work_done(cl_event mark, cl_int state, void *kept)
{
    (void)mark;
    (void)state;
    clsort__release_kept((clsort__kept_programs *)kept);
}

/* Lets a callback release the sorter's programs when a mark is complete. If that cannot be set up,
   waits for the mark. Releases the mark. */
static void clsort__keep_programs_until(clsort_sorter *s, cl_event mark)
{
    const size_t bytes = sizeof(clsort__kept_programs) + s->program_count * sizeof(cl_program);
    clsort__kept_programs *h = (clsort__kept_programs *)CLSORT_MALLOC(bytes);
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    size_t i;
    if (h) {
        h->count = 0;
        for (i = 0; i < s->program_count; i++)
            if (CLSORT_CL(clRetainProgram)(s->programs[i].program) == CL_SUCCESS)
                h->programs[h->count++] = s->programs[i].program;
        if (h->count == s->program_count)
            code = CLSORT_CL(clSetEventCallback)(mark, CL_COMPLETE, clsort__work_done, h);
        if (code != CL_SUCCESS) clsort__release_kept(h);
    }
    if (code != CL_SUCCESS) CLSORT_CL(clWaitForEvents)(1, &mark);
    CLSORT_CL(clReleaseEvent)(mark);
}

/* Releases the programs of a sorter that was trimmed. */
static void clsort__release_programs(clsort_sorter *s)
{
    size_t i;
    if (s->releases_late && s->own_queue) clsort__mark_queue(s, s->own_queue);
    clsort__drop_marks(s);
    for (i = 0; i < s->mark_count; i++) clsort__keep_programs_until(s, s->marks[i]);
    for (i = 0; i < s->program_count; i++) clsort__release_program(&s->programs[i]);
    clsort__free(s->marks);
    clsort__free(s->programs);
}

/* ---- >>presets ------------------------------------------------------------------------------- */

static const struct clsort__preset {
    const char *name;
    cl_uint algorithm, step, local, work_group, items, radix, scheduler;
} clsort__presets[] = {
    { "auto", CLSORT_AUTO, 0, 0, 0, 0, 0, 0 },
#ifndef CLSORT_NO_BITONIC
    { "bitonic", CLSORT_BITONIC, 0, 0, 0, 0, 0, 0 },
#ifndef CLSORT_NO_PUBLISHED
    { "bitonic-a", CLSORT_BITONIC, CLSORT_STEP_A, CLSORT_LOCAL_OFF, 0, 0, 0, 0 },
    { "bitonic-b2", CLSORT_BITONIC, CLSORT_STEP_B2, CLSORT_LOCAL_OFF, 0, 0, 0, 0 },
    { "bitonic-b4", CLSORT_BITONIC, CLSORT_STEP_B4, CLSORT_LOCAL_OFF, 0, 0, 0, 0 },
    { "bitonic-b8", CLSORT_BITONIC, CLSORT_STEP_B8, CLSORT_LOCAL_OFF, 0, 0, 0, 0 },
    { "bitonic-b16", CLSORT_BITONIC, CLSORT_STEP_B16, CLSORT_LOCAL_OFF, 0, 0, 0, 0 },
    { "bitonic-a-local", CLSORT_BITONIC, CLSORT_STEP_A, CLSORT_LOCAL_DEFAULT, 0, 0, 0, 0 },
    { "bitonic-b2-local", CLSORT_BITONIC, CLSORT_STEP_B2, CLSORT_LOCAL_DEFAULT, 0, 0, 0, 0 },
    { "bitonic-b4-local", CLSORT_BITONIC, CLSORT_STEP_B4, CLSORT_LOCAL_DEFAULT, 0, 0, 0, 0 },
    { "bitonic-b8-local", CLSORT_BITONIC, CLSORT_STEP_B8, CLSORT_LOCAL_DEFAULT, 0, 0, 0, 0 },
    { "bitonic-b16-local", CLSORT_BITONIC, CLSORT_STEP_B16, CLSORT_LOCAL_DEFAULT, 0, 0, 0, 0 },
    { "bitonic-b16-global-tail", CLSORT_BITONIC, CLSORT_STEP_B16, CLSORT_LOCAL_GLOBAL_TAIL, 0, 0, 0,
      0 },
    { "bitonic-shared-512", CLSORT_BITONIC, CLSORT_STEP_B2, CLSORT_LOCAL_START, 256, 2, 0, 0 },
#endif
#endif
#ifndef CLSORT_NO_MERGE
    { "merge", CLSORT_MERGE, 0, 0, 0, 0, 0, 0 },
#endif
#ifndef CLSORT_NO_RADIX
    { "radix", CLSORT_RADIX, 0, 0, 0, 0, 0, 0 },
    { "radix-portable", CLSORT_RADIX, 0, 0, 0, 0, CLSORT_RADIX_PORTABLE, 0 },
    { "radix-sweeps", CLSORT_RADIX, 0, 0, 0, 0, CLSORT_RADIX_SWEEPS, 0 },
    { "radix-hybrid", CLSORT_RADIX, 0, 0, 0, 0, CLSORT_RADIX_HYBRID, 0 },
    { "radix-samples", CLSORT_RADIX, 0, 0, 0, 0, CLSORT_RADIX_SAMPLES, 0 },
    { "radix-cached", CLSORT_RADIX, 0, 0, 0, 0, CLSORT_RADIX_CACHED, 0 },
#endif
#ifndef CLSORT_NO_QUICKSORT
    { "quicksort", CLSORT_QUICKSORT, 0, 0, 0, 0, 0, 0 },
    { "quicksort-host", CLSORT_QUICKSORT, 0, 0, 0, 0, 0, CLSORT_SCHEDULER_HOST },
    { "quicksort-device", CLSORT_QUICKSORT, 0, 0, 0, 0, 0, CLSORT_SCHEDULER_DEVICE },
#endif
#ifndef CLSORT_NO_PUBLISHED
#ifndef CLSORT_NO_BITONIC
    { "bitonic-local-only", CLSORT_BITONIC, 0, CLSORT_LOCAL_ONLY, 0, 0, 0, 0 },
#endif
#ifndef CLSORT_NO_MERGE
    { "merge-local-only", CLSORT_MERGE, 0, CLSORT_LOCAL_ONLY, 0, 0, 0, 0 },
#endif
#ifndef CLSORT_NO_BITONIC
    { "batch-odd-even", CLSORT_BITONIC, 0, CLSORT_LOCAL_BATCH_ODD_EVEN, 0, 0, 0, 0 },
    { "batch-bitonic", CLSORT_BITONIC, 0, CLSORT_LOCAL_BATCH_OFF, 0, 0, 0, 0 },
    { "batch-bitonic-local", CLSORT_BITONIC, 0, CLSORT_LOCAL_BATCH, 0, 0, 0, 0 },
    { "batch-bitonic-split", CLSORT_BITONIC, 0, CLSORT_LOCAL_BATCH_SPLIT, 0, 0, 0, 0 },
#endif
#endif
};

/* ---- >>explain ------------------------------------------------------------------------------- */

/* The first name that chooses what a plan runs, else the name of its algorithm. */
static const char *clsort__plan_name(const clsort__plan *p)
{
    const char *name, *similar = "";
    cl_uint i;
    for (i = 0; (name = clsort_algorithm_name(i)) != NULL; i++) {
        clsort_desc d = p->d;
        if (clsort_set_algorithm(&d, name) != CL_SUCCESS || d.algorithm != p->d.algorithm) continue;
        if (!memcmp(&d.tuning, &p->d.tuning, sizeof d.tuning)) return name;
        if (!*similar) similar = name;
    }
    return similar;
}

/* The text of an explanation, cut off at `size`. */
typedef struct clsort__text {
    char *text;
    size_t size, used;
} clsort__text;

/* Appends to the explanation, as printf does. */
static void clsort__report(clsort__text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t->text + t->used, t->size - t->used, format, arguments);
    va_end(arguments);
    t->used += strlen(t->text + t->used);
}

/* Reports the launches of each kernel, and the number of other commands. */
static void clsort__report_launches(clsort__text *t, const clsort__tally *tally, cl_uint commands)
{
    const char *before = ": ";
    cl_uint launches = 0;
    int i;
    for (i = 0; i < CLSORT__KERNEL_COUNT; i++) launches += tally->launches[i];
    clsort__report(t, "launches %u", launches);
    for (i = 0; i < CLSORT__KERNEL_COUNT; i++) {
        if (!tally->launches[i]) continue;
        clsort__report(t, "%s%u %s", before, (unsigned)tally->launches[i],
                       clsort__kernel_entries[i].name);
        before = ", ";
    }
    clsort__report(t, "\ncopies %u\n", commands - launches);
}

/* Resets tuning that belongs to other algorithms: together with the one that AUTO chose it would be
   an error. */
static void clsort__reset_tuning(cl_uint algorithm, clsort_tuning *t)
{
    const int local = algorithm == CLSORT_BITONIC
                      || (algorithm == CLSORT_MERGE && t->local == CLSORT_LOCAL_ONLY);
    if (algorithm != CLSORT_BITONIC) t->bitonic_step = 0;
    if (!local) t->local = 0;
    if (algorithm != CLSORT_RADIX) t->radix = 0;
    if (algorithm != CLSORT_QUICKSORT) t->scheduler = 0;
}

/* The description of a planned call, as it would run. */
static clsort_desc clsort__resolved(const clsort__job *j)
{
    const clsort__plan *p = &j->plan;
    const clsort__config shape = clsort__tile_shape(j->s, p);
    clsort_desc d = p->d;
    d.scratch = j->desc->scratch;
    d.tuning.work_group = 1u << shape.share_log2;
    if (!d.last_bit) d.last_bit = clsort__key_bits(p->d.key_type);
    if (p->d.top_k) {
        if (!p->data.at_offsets) {
            d.rows = p->select.rows;
            d.row_stride = p->data.stride * p->key.bytes;
        }
        d.tuning.items = 1;
    } else {
        clsort__reset_tuning(p->d.algorithm, &d.tuning);
        if (p->config.family == CLSORT__HYBRID) d.tuning.radix = CLSORT_RADIX_HYBRID;
        if (p->config.family == CLSORT__SAMPLES) d.tuning.radix = CLSORT_RADIX_SAMPLES;
        if (p->config.family == CLSORT__CACHED) d.tuning.radix = CLSORT_RADIX_CACHED;
        d.tuning.items = shape.radix_items ? shape.radix_items : shape.lanes << shape.items_log2;
    }
    return d;
}

/* ---- >>self-test ----------------------------------------------------------------------------- */

/* Elements of the longest self-test sorts: of all algorithms; of radix from the top, so many that
   hybrid radix splits ranges again. */
enum { CLSORT__TEST_COUNT = 20011, CLSORT__TEST_HYBRID_COUNT = 700001 };

/* Keys of `bytes` bytes with many ties, and their numbers as values. */
static void clsort__fill_test(unsigned char *keys, size_t bytes, cl_uint *values, size_t count)
{
    cl_ulong x = 88172645463325252u;
    size_t i, b;
    for (i = 0; i < count; i++) {
        x ^= x << 13; x ^= x >> 7; x ^= x << 17;   /* Marsaglia's xorshift */
        for (b = 0; b < bytes; b++)
            keys[i * bytes + b] = (unsigned char)(i % 3 ? x >> 8 * b : x >> 60);
        values[i] = (cl_uint)i;
    }
}

static cl_ulong clsort__load_key(const unsigned char *keys, size_t bytes, size_t i)
{
    cl_ulong key = 0;
    if (bytes == 1) key = keys[i];
    else if (bytes == 2) { cl_ushort k; memcpy(&k, keys + i * bytes, bytes); key = k; }
    else if (bytes == 4) { cl_uint k; memcpy(&k, keys + i * bytes, bytes); key = k; }
    else memcpy(&key, keys + i * bytes, bytes);
    return key;
}

/* Is `sorted` in order and, by a sum of hashes, a permutation of `keys`? */
static int clsort__keys_hold(const unsigned char *keys, const unsigned char *sorted, size_t bytes,
                             size_t count)
{
    const cl_ulong odd = 0x9E3779B97F4A7C15u;
    cl_ulong before = 0, after = 0, x, y;
    size_t i;
    for (i = 0; i < count; i++) {
        if (i && clsort__load_key(sorted, bytes, i) < clsort__load_key(sorted, bytes, i - 1))
            return 0;
        x = (clsort__load_key(keys, bytes, i) + 1) * odd;
        y = (clsort__load_key(sorted, bytes, i) + 1) * odd;
        before += x ^ x >> 29;
        after += y ^ y >> 29;
    }
    return before == after;
}

/* Do the values name each element of `keys` once, at its place? `seen` holds a byte per element. */
static int clsort__values_hold(const unsigned char *keys, const unsigned char *sorted, size_t bytes,
                               const cl_uint *values, unsigned char *seen, size_t count)
{
    size_t i;
    memset(seen, 0, count);
    for (i = 0; i < count; i++)
        if (values[i] >= count || seen[values[i]]++
            || memcmp(keys + values[i] * bytes, sorted + i * bytes, bytes))
            return 0;
    return 1;
}

/* One self-test sort, in memory of 2 * 8 + 4 + 1 bytes per element: keys, sorted keys, values,
   marks. */
static clsort_status clsort__test_sort(clsort_sorter *s, cl_uint algorithm, cl_uint radix,
                                       cl_uint key_type, int pairs, size_t count,
                                       unsigned char *memory)
{
    const size_t bytes = clsort__key_bits(key_type) / 8;
    unsigned char *keys = memory, *sorted = keys + 8 * count,
                  *seen = sorted + 8 * count + 4 * count;
    cl_uint *values = (cl_uint *)(void *)(sorted + 8 * count);
    clsort_desc d = clsort_desc_default();
    d.count = count;
    d.key_type = key_type;
    d.algorithm = algorithm;
    d.tuning.radix = radix;
    d.value_size = pairs ? sizeof *values : 0;
    clsort__fill_test(keys, bytes, values, count);
    memcpy(sorted, keys, bytes * count);
    CLSORT__MUST(clsort_sort_host(s, &d, sorted, pairs ? values : NULL, NULL));
    if (clsort__keys_hold(keys, sorted, bytes, count)
        && clsort__values_hold(keys, sorted, bytes, values, seen, pairs ? count : 0))
        return CL_SUCCESS;
    return clsort__fail(s, CLSORT_ERROR_WRONG_RESULT, "clsort_self_test",
                        clsort__find_algorithm(algorithm)->name);
}

/* The sorts that test one algorithm: every key width, with and without values, at sizes around its
   tiles. */
static clsort_status clsort__test_sorts(clsort_sorter *s, cl_uint algorithm, cl_uint radix,
                                         unsigned char *memory)
{
    static const cl_uint types[4] = { CLSORT_U8, CLSORT_U16, CLSORT_U32, CLSORT_U64 };
    static const size_t counts[4] = { 3, 1000, 4096, CLSORT__TEST_COUNT };
    size_t t, c;
    for (t = 0; t < 8; t++)
        for (c = 0; c < 4; c++)
            CLSORT__MUST(
                clsort__test_sort(s, algorithm, radix, types[t / 2], t & 1, counts[c], memory));
    return CL_SUCCESS;
}

/* A form of radix that CLSORT_RADIX_DEFAULT may take in place of passes, and how it is tested. */
typedef struct clsort__radix_form {
    cl_uint radix, family, cpu, pairs;
    size_t most;
} clsort__radix_form;

/* Tests the forms for this device, and leaves out those that are wrong. */
static clsort_status clsort__test_radix_forms(clsort_sorter *s, unsigned char *memory)
{
    static const cl_uint types[2] = { CLSORT_U32, CLSORT_U64 };
    static const clsort__radix_form forms[4] = {
        { CLSORT_RADIX_SAMPLES, CLSORT__SAMPLES, 0, 0, 200003 },
        { CLSORT_RADIX_HYBRID, CLSORT__HYBRID, 0, 0, CLSORT__TEST_HYBRID_COUNT },
        { CLSORT_RADIX_CACHED, CLSORT__CACHED, 1, 0, CLSORT__TEST_HYBRID_COUNT },
        { CLSORT_RADIX_CACHED, CLSORT__CACHED, 1, 1, CLSORT__TEST_HYBRID_COUNT }
    };
    clsort_status worst = CL_SUCCESS;
    size_t k, i;
    for (k = 0; k < 4; k++) {
        const size_t counts[3] = { 1000, CLSORT__TEST_COUNT, forms[k].most };
        clsort_status status = CL_SUCCESS;
        if (!(forms[k].cpu ? s->is_cpu : s->has_progress)) continue;
        for (i = 0; i < 6 && status == CL_SUCCESS; i++)
            status = clsort__test_sort(s, CLSORT_RADIX, forms[k].radix, types[i / 3],
                                       (int)forms[k].pairs, counts[i % 3], memory);
        if (status != CL_SUCCESS && status != CLSORT_ERROR_WRONG_RESULT) return status;
        if (status == CL_SUCCESS) continue;
        s->broken |= CLSORT__BIT(forms[k].family);
        worst = status;
    }
    return worst;
}

/* Tests an algorithm; AUTO no longer takes one that is wrong. If sweeps are wrong, radix is tested
   again without them; then the other form that CLSORT_RADIX_DEFAULT may take. An algorithm
   made of wrong ones might write anywhere: it fails without a test. */
static clsort_status clsort__test_algorithm(clsort_sorter *s, cl_uint algorithm,
                                            unsigned char *memory)
{
    const clsort__algorithm *const a = clsort__find_algorithm(algorithm);
    const int untested = (s->broken & a->parts) != 0;
    const cl_uint passes = algorithm == CLSORT_RADIX ? CLSORT_RADIX_SWEEPS : CLSORT_RADIX_DEFAULT;
    clsort_status first, status;
    if (a->left_out) return CL_SUCCESS;
    first = status = untested ? CLSORT_ERROR_WRONG_RESULT
                              : clsort__test_sorts(s, algorithm, passes, memory);
    if (algorithm == CLSORT_RADIX && status == CLSORT_ERROR_WRONG_RESULT && s->has_progress) {
        s->broken |= CLSORT__BIT(CLSORT__SWEEP);
        status = clsort__test_sorts(s, algorithm, CLSORT_RADIX_PORTABLE, memory);
    }
    if (algorithm == CLSORT_RADIX && status == CL_SUCCESS) {
        status = clsort__test_radix_forms(s, memory);
        if (status == CLSORT_ERROR_WRONG_RESULT) {
            first = status;
            status = CL_SUCCESS;
        }
    }
    if (status == CLSORT_ERROR_WRONG_RESULT || status == CLSORT_ERROR_BUILD_FAILED) {
        s->broken |= CLSORT__BIT(algorithm);
        status = CLSORT_ERROR_WRONG_RESULT;
    }
    return first == CLSORT_ERROR_WRONG_RESULT ? first : status;
}

/* ---- >>public -------------------------------------------------------------------------------- */

CLSORT_API const char *clsort_status_text(clsort_status status)
{
#define CLSORT__TEXT(name, code, text) case code: return text;
    switch (status) {
        CLSORT_STATUS_LIST(CLSORT__TEXT)
        default: return clsort__opencl_name(status);
    }
#undef CLSORT__TEXT
}

CLSORT_API cl_uint clsort_version(void)
{
    return CLSORT_VERSION_MAJOR * 10000 + CLSORT_VERSION_MINOR * 100 + CLSORT_VERSION_PATCH;
}

CLSORT_API const char *clsort_algorithm_name(cl_uint number)
{
    return number < sizeof clsort__presets / sizeof clsort__presets[0]
               ? clsort__presets[number].name
               : NULL;
}

CLSORT_API clsort_status clsort_set_algorithm(clsort_desc *desc, const char *name)
{
    size_t i;
    if (!desc || !name) return CLSORT_ERROR_NULL_ARGUMENT;
    if (!clsort__given_size(desc, sizeof *desc, CLSORT__FIRST_DESC))
        return CLSORT_ERROR_UNKNOWN_VALUE;
    for (i = 0; i < sizeof clsort__presets / sizeof clsort__presets[0]; i++) {
        const struct clsort__preset *p = &clsort__presets[i];
        if (strcmp(p->name, name)) continue;
        desc->algorithm = p->algorithm;
        desc->tuning.bitonic_step = p->step;
        desc->tuning.local = p->local;
        desc->tuning.radix = p->radix;
        desc->tuning.scheduler = p->scheduler;
        if (p->work_group) desc->tuning.work_group = p->work_group;
        if (p->items) desc->tuning.items = p->items;
        return CL_SUCCESS;
    }
    return CLSORT_ERROR_UNKNOWN_VALUE;
}

#ifndef CLSORT_NO_CACHE_FOLDER
CLSORT_API clsort_status clsort_cache_folder(clsort_options *options, const char *path)
{
    if (!options) return CLSORT_ERROR_NULL_ARGUMENT;
    if (!clsort__given_size(options, sizeof *options, CLSORT__FIRST_OPTIONS))
        return CLSORT_ERROR_UNKNOWN_VALUE;
    options->cache_load = clsort__load_file;
    options->cache_save = clsort__save_file;
    options->cache_user = (void *)(size_t)path;
    return CL_SUCCESS;
}
#endif

CLSORT_API clsort_status clsort_create(cl_context context, cl_device_id device,
                                       const clsort_options *options, clsort_sorter **sorter)
{
    char message[sizeof ((clsort_sorter *)0)->message];
    if (!sorter) return CLSORT_ERROR_NULL_ARGUMENT;
    *sorter = NULL;
    return clsort__create(context, device, options, sorter, message);
}

CLSORT_API clsort_status clsort_clone(clsort_sorter *sorter, clsort_sorter **clone)
{
    clsort_status status;
    if (!sorter || !clone) return CLSORT_ERROR_NULL_ARGUMENT;
    *clone = NULL;
    status = clsort__create(sorter->context, sorter->device, &sorter->options, clone,
                            sorter->message);
    if (status != CL_SUCCESS) return status;
    (*clone)->broken = sorter->broken;
    status = clsort__share_comparators(sorter, *clone);
    if (status == CL_SUCCESS) status = clsort__share_programs(sorter, *clone);
    return status == CL_SUCCESS ? CL_SUCCESS : clsort__discard(clone, status, sorter->message);
}

CLSORT_API void clsort_destroy(clsort_sorter *sorter)
{
    size_t i;
    if (!sorter) return;
    clsort__save_programs(sorter);
    clsort_trim(sorter);
    clsort__release_programs(sorter);
    for (i = 0; i < sorter->pending_count; i++) {
        CLSORT_CL(clReleaseEvent)(sorter->pending[i].event);
        CLSORT_CL(clReleaseMemObject)(sorter->pending[i].proof);
    }
    clsort__free(sorter->pending);
    for (i = 0; i < sorter->comparator_count; i++) clsort__free(sorter->comparators[i].record_type);
    clsort__free(sorter->comparators);
    clsort__free(sorter->waits);
    clsort__free(sorter->ranges);
    clsort__free(sorter->build_log);
    if (sorter->dummy) CLSORT_CL(clReleaseMemObject)(sorter->dummy);
    if (sorter->own_queue) CLSORT_CL(clReleaseCommandQueue)(sorter->own_queue);
#ifdef CLSORT_MULTI
    for (i = 0; i < 2; i++)
        if (sorter->more_queues[i]) CLSORT_CL(clReleaseCommandQueue)(sorter->more_queues[i]);
#endif
    if (sorter->device_queue) CLSORT_CL(clReleaseCommandQueue)(sorter->device_queue);
    if (sorter->device) CLSORT_CL(clReleaseDevice)(sorter->device);
    if (sorter->context) CLSORT_CL(clReleaseContext)(sorter->context);
    CLSORT_FREE(sorter);
}

CLSORT_API clsort_status clsort_trim(clsort_sorter *sorter)
{
    size_t i;
    if (!sorter) return CLSORT_ERROR_NULL_ARGUMENT;
    clsort__drop_marks(sorter);
    for (i = 0; i < sorter->slot_count; i++) {
        if (sorter->releases_late && sorter->slots[i].queue)
            clsort__mark_queue(sorter, sorter->slots[i].queue);
        clsort__release_slot(&sorter->slots[i]);
    }
    clsort__free(sorter->slots);
    sorter->slots = NULL;
    sorter->slot_count = 0;
    return CL_SUCCESS;
}

CLSORT_API const char *clsort_last_error(const clsort_sorter *sorter)
{
    return sorter ? sorter->message : "";
}

CLSORT_API const char *clsort_build_log(const clsort_sorter *sorter)
{
    return sorter && sorter->build_log ? sorter->build_log : "";
}

CLSORT_API cl_context clsort_context(const clsort_sorter *sorter)
{
    return sorter ? sorter->context : NULL;
}

CLSORT_API cl_device_id clsort_device(const clsort_sorter *sorter)
{
    return sorter ? sorter->device : NULL;
}

CLSORT_API clsort_status clsort_check(clsort_sorter *sorter, const clsort_desc *desc)
{
    clsort_desc d;
    clsort__job j = clsort__sort_job(sorter, "clsort_check", desc, &d);
    return sorter ? clsort__check_job(&j) : CLSORT_ERROR_NULL_ARGUMENT;
}

CLSORT_API clsort_status clsort_resolve(clsort_sorter *sorter, const clsort_desc *desc,
                                        clsort_desc *resolved)
{
    clsort_desc d;
    clsort__job j = clsort__sort_job(sorter, "clsort_resolve", desc, &d);
    if (!sorter) return CLSORT_ERROR_NULL_ARGUMENT;
    CLSORT__REQUIRE(sorter, resolved, CLSORT_ERROR_NULL_ARGUMENT, "resolved");
    if (!clsort__given_size(resolved, sizeof d, CLSORT__FIRST_DESC))
        return clsort__judge_struct(sorter, "resolved", CLSORT__STRUCT_HAS_NO_SIZE);
    CLSORT__MUST(clsort__plan_job(&j));
    j.plan.d.scratch = NULL;   /* its size is not checked */
    CLSORT__MUST(clsort__check_limits(&j));
    d = clsort__resolved(&j);
    clsort__give_desc(&d, resolved);
    return CL_SUCCESS;
}

CLSORT_API clsort_status clsort_prepare(clsort_sorter *sorter, cl_command_queue queue,
                                        const clsort_desc *desc)
{
    clsort_desc d;
    clsort__job j = clsort__sort_job(sorter, "clsort_prepare", desc, &d);
    if (!sorter) return CLSORT_ERROR_NULL_ARGUMENT;
    j.run.queue = queue;
    CLSORT__MUST(clsort__plan_job(&j));
    if (queue) CLSORT__MUST(clsort__check_queue(sorter, &j.run));
    CLSORT__MUST(j.op->buffers(&j));
    if (d.flags & CLSORT_FLAG_ANY_COUNT) CLSORT__MUST(clsort__prepare_counts(&j, queue));
    else CLSORT__MUST(clsort__prepare_job(&j, queue, NULL, NULL));
    clsort__save_programs(sorter);
    return CL_SUCCESS;
}

CLSORT_API clsort_status clsort_scratch_size(clsort_sorter *sorter, const clsort_desc *desc,
                                             size_t *bytes)
{
    clsort_sorter none;
    clsort_desc d;
    clsort__job j;
    clsort__layout largest;
    memset(&none, 0, sizeof none);
    j = clsort__sort_job(sorter ? sorter : &none, "clsort_scratch_size", desc, &d);
    CLSORT__REQUIRE(j.s, bytes, CLSORT_ERROR_NULL_ARGUMENT, "bytes");
    *bytes = 0;
    CLSORT__MUST(clsort__plan_job(&j));
    if (d.top_k && !j.plan.d.top_k) d = clsort__as_sort(&d);
    largest = sorter || d.top_k ? j.plan.scratch.layout : clsort__most_scratch(&d);
    j.plan.d.scratch = NULL;   /* its size is what is asked for */
    CLSORT__MUST(clsort__check_layout(j.s, &largest));
    CLSORT__MUST(clsort__check_limits(&j));
    *bytes = largest.bytes;
    return CL_SUCCESS;
}

/* How a selection works, or a partition that is planned as a sort. */
static const char *clsort__select_name(const clsort__plan *p)
{
    const clsort__selection *t = &p->select;
    return t->is_short        ? "registers"
           : t->sorts_tiles   ? "tiles"
           : t->streams       ? "streams"
           : t->in_one_launch ? "a sample in one launch"
           : t->samples       ? "a sample"
           : t->sorts_whole || !p->d.top_k ? "sorting"
                                           : "digits";
}

CLSORT_API clsort_status clsort_explain(clsort_sorter *sorter, const clsort_desc *desc, char *text,
                                        size_t size)
{
    clsort_desc d;
    clsort__job j = clsort__sort_job(sorter, "clsort_explain", desc, &d);
    clsort__tally tally;
    clsort__text t;
    if (!sorter) return CLSORT_ERROR_NULL_ARGUMENT;
    CLSORT__REQUIRE(sorter, text, CLSORT_ERROR_NULL_ARGUMENT, "text");
    CLSORT__REQUIRE(sorter, size, CLSORT_ERROR_NULL_ARGUMENT, "size");
    *text = 0;
    CLSORT__MUST(clsort__count_job(&j, &tally));
    t.text = text;
    t.size = size;
    t.used = 0;
    if (d.top_k) clsort__report(&t, "algorithm top-k by %s", clsort__select_name(&j.plan));
    else clsort__report(&t, "algorithm %s", clsort__plan_name(&j.plan));
    if (clsort__sorts_then(&j.plan)) clsort__report(&t, ", %s", clsort__plan_name(&j.then));
    else if (d.top_k && !j.plan.d.top_k) clsort__report(&t, ", %s", clsort__plan_name(&j.plan));
    clsort__report(&t, "\npasses %u\n", tally.passes);
    clsort__report_launches(&t, &tally, j.run.total);
    clsort__report(&t, "moved %.0f bytes\n", (double)tally.bytes);
    clsort__report(&t, "scratch %.0f bytes\n", (double)j.plan.scratch.layout.bytes);
    return CL_SUCCESS;
}

CLSORT_API clsort_status clsort_enqueue_sort(clsort_sorter *sorter, cl_command_queue queue,
                                             const clsort_desc *desc, cl_uint n_wait,
                                             const cl_event *wait, cl_event *done)
{
    clsort_desc d;
    clsort__job j = clsort__sort_job(sorter, "clsort_enqueue_sort", desc, &d);
    clsort_status status;
    j.missing = desc ? NULL : "desc";
    status = clsort__enqueue(&j, queue, n_wait, wait, done);
    return j.result.buffer ? clsort__keep_proof(sorter, j.result.buffer, status, j.proven, done)
                           : status;
}

CLSORT_API clsort_status clsort_sort_host(clsort_sorter *sorter, const clsort_desc *desc,
                                          void *keys, void *values, cl_uint *indices)
{
    clsort__checks c = clsort__begin_checks(sorter);
    clsort_desc d;
    const int wrong = clsort__adopt(&d, sizeof d, CLSORT__FIRST_DESC, desc);
    if (!sorter) return CLSORT_ERROR_NULL_ARGUMENT;
    sorter->function = "clsort_sort_host";
    CLSORT__MUST(clsort__judge_struct(sorter, "desc", wrong));
    clsort__check_desc(&c, desc ? &d : NULL, CLSORT__TO_SORT);
    if (d.count && !keys) clsort__blame(&c, CLSORT_ERROR_NULL_ARGUMENT, "keys");
    if (d.count && !values != !d.value_size)
        clsort__blame(&c, CLSORT_ERROR_VALUE_SIZE,
                      values ? "value_size, the bytes of a value"
                             : "values, of value_size bytes each");
    clsort__check_no_buffers(&c, &d);
#ifdef CLSORT_MULTI
    if (clsort__is_too_large(&c, &d))
        return clsort__sort_in_trips(sorter, &d, keys, values, indices);
#endif
    if (c.status != CL_SUCCESS || !d.count) return clsort__conclude(&c);
    if (indices) d.value_size = 0;   /* only the permutation is wanted */
    return clsort__sort_on_device(sorter, &d, keys, values, indices);
}

CLSORT_API clsort_status clsort_enqueue_gather(clsort_sorter *sorter, cl_command_queue queue,
                                               const clsort_gather *gather, cl_uint n_wait,
                                               const cl_event *wait, cl_event *done)
{
    clsort__job j = clsort__begin_job(sorter, "clsort_enqueue_gather", &clsort__gathering);
    clsort_gather g;
    j.wrong = clsort__adopt(&g, sizeof g, CLSORT__FIRST_GATHER, gather);
    j.missing = !gather ? "gather" : g.array_count && !g.arrays ? "arrays" : NULL;
    j.gather = &g;
    j.argument = "gather";
    return clsort__enqueue(&j, queue, n_wait, wait, done);
}

CLSORT_API clsort_status clsort_enqueue_group_starts(clsort_sorter *sorter, cl_command_queue queue,
                                                     const clsort_groups *groups, cl_uint n_wait,
                                                     const cl_event *wait, cl_event *done)
{
    clsort__job j = clsort__begin_job(sorter, "clsort_enqueue_group_starts", &clsort__grouping);
    clsort_groups g;
    j.wrong = clsort__adopt(&g, sizeof g, CLSORT__FIRST_GROUPS, groups);
    j.missing = groups ? NULL : "groups";
    j.groups = &g;
    j.argument = "groups";
    return clsort__enqueue(&j, queue, n_wait, wait, done);
}

CLSORT_API clsort_status clsort_enqueue_merge(clsort_sorter *sorter, cl_command_queue queue,
                                              const clsort_merge_desc *merge, cl_uint n_wait,
                                              const cl_event *wait, cl_event *done)
{
    clsort__job j = clsort__begin_job(sorter, "clsort_enqueue_merge", &clsort__merging);
    clsort_merge_desc m;
    j.wrong = clsort__adopt(&m, sizeof m, CLSORT__FIRST_MERGE, merge);
    j.missing = merge ? NULL : "merge";
    j.merge = &m;
    j.argument = "merge";
    return clsort__enqueue(&j, queue, n_wait, wait, done);
}

/* A call that merges runs, whose description is copied into `own`. */
static clsort__job clsort__runs_call(clsort_sorter *s, const char *function,
                                     const clsort_merge_runs_desc *given,
                                     clsort_merge_runs_desc *own)
{
    clsort__job j = clsort__begin_job(s, function, &clsort__merging_runs);
    j.wrong = clsort__adopt(own, sizeof *own, CLSORT__FIRST_MERGE_RUNS, given);
    j.missing = !given ? "merge" : own->run_count && !own->runs ? "runs" : NULL;
    j.runs = own;
    j.argument = "merge";
    return j;
}

CLSORT_API clsort_status clsort_enqueue_merge_runs(clsort_sorter *sorter, cl_command_queue queue,
                                                   const clsort_merge_runs_desc *merge,
                                                   cl_uint n_wait, const cl_event *wait,
                                                   cl_event *done)
{
    clsort_merge_runs_desc m;
    clsort__job j = clsort__runs_call(sorter, "clsort_enqueue_merge_runs", merge, &m);
    return clsort__enqueue(&j, queue, n_wait, wait, done);
}

/* Gives the bytes of a call's scratch memory, and enqueues nothing. */
static clsort_status clsort__tell_scratch(clsort__job *j, size_t *bytes)
{
    if (!j->s || !bytes) return CLSORT_ERROR_NULL_ARGUMENT;
    CLSORT__REQUIRE(j->s, !j->missing, CLSORT_ERROR_NULL_ARGUMENT, "%s", j->missing);
    CLSORT__MUST(clsort__plan_job(j));
    *bytes = j->plan.scratch.layout.bytes;
    return CL_SUCCESS;
}

CLSORT_API clsort_status clsort_merge_runs_scratch_size(clsort_sorter *sorter,
                                                        const clsort_merge_runs_desc *merge,
                                                        size_t *bytes)
{
    clsort_merge_runs_desc m;
    clsort__job j = clsort__runs_call(sorter, "clsort_merge_runs_scratch_size", merge, &m);
    return clsort__tell_scratch(&j, bytes);
}

/* A call that partitions, whose description is copied into `own`. */
static clsort__job clsort__partition_call(clsort_sorter *s, const char *function,
                                          const clsort_partition_desc *given,
                                          clsort_partition_desc *own)
{
    clsort__job j = clsort__begin_job(s, function, &clsort__partitioning);
    j.wrong = clsort__adopt(own, sizeof *own, CLSORT__FIRST_PARTITION, given);
    j.missing = given ? NULL : "partition";
    j.partition = own;
    j.argument = "partition";
    return j;
}

CLSORT_API clsort_status clsort_enqueue_partition(clsort_sorter *sorter, cl_command_queue queue,
                                                  const clsort_partition_desc *partition,
                                                  cl_uint n_wait, const cl_event *wait,
                                                  cl_event *done)
{
    clsort_partition_desc p;
    clsort__job j = clsort__partition_call(sorter, "clsort_enqueue_partition", partition, &p);
    return clsort__enqueue(&j, queue, n_wait, wait, done);
}

CLSORT_API clsort_status clsort_partition_scratch_size(clsort_sorter *sorter,
                                                       const clsort_partition_desc *partition,
                                                       size_t *bytes)
{
    clsort_partition_desc p;
    clsort__job j = clsort__partition_call(sorter, "clsort_partition_scratch_size", partition, &p);
    return clsort__tell_scratch(&j, bytes);
}

CLSORT_API clsort_status clsort_enqueue_is_sorted(clsort_sorter *sorter, cl_command_queue queue,
                                                  const clsort_desc *desc, cl_mem result,
                                                  size_t result_offset, cl_uint n_wait,
                                                  const cl_event *wait, cl_event *done)
{
    clsort_desc d;
    clsort__job j = clsort__checking_job(sorter, "clsort_enqueue_is_sorted", &clsort__ordering,
                                         desc, &d, clsort__make_span(result, result_offset),
                                         "result");
    d = clsort__order_only(&d);
    return clsort__enqueue(&j, queue, n_wait, wait, done);
}

CLSORT_API clsort_status clsort_enqueue_fingerprint(clsort_sorter *sorter, cl_command_queue queue,
                                                    const clsort_desc *desc, cl_mem proof,
                                                    size_t proof_offset, cl_uint n_wait,
                                                    const cl_event *wait, cl_event *done)
{
    clsort_desc d;
    clsort__job j = clsort__checking_job(sorter, "clsort_enqueue_fingerprint",
                                         &clsort__proving_input, desc, &d,
                                         clsort__make_span(proof, proof_offset), "proof");
    return clsort__enqueue(&j, queue, n_wait, wait, done);
}

CLSORT_API clsort_status clsort_enqueue_verify(clsort_sorter *sorter, cl_command_queue queue,
                                               const clsort_desc *desc, cl_mem proof,
                                               size_t proof_offset, cl_uint n_wait,
                                               const cl_event *wait, cl_event *done)
{
    clsort_desc d;
    clsort__job j = clsort__checking_job(sorter, "clsort_enqueue_verify", &clsort__proving_output,
                                         desc, &d, clsort__make_span(proof, proof_offset), "proof");
    return clsort__enqueue(&j, queue, n_wait, wait, done);
}

CLSORT_API clsort_status clsort_judge(const clsort_proof *proof)
{
    if (!proof) return CLSORT_ERROR_NULL_ARGUMENT;
    return proof->unsorted == proof->count
                   && !memcmp(proof->before, proof->after, sizeof proof->before)
                   && !proof->indices[0] && !proof->indices[1]
               ? CL_SUCCESS
               : CLSORT_ERROR_WRONG_RESULT;
}

CLSORT_API clsort_status clsort_collect(clsort_sorter *sorter, int wait)
{
    clsort_status verdict, unjudged;
    if (!sorter) return CLSORT_ERROR_NULL_ARGUMENT;
    unjudged = clsort__judge_all(sorter, wait);
    verdict = sorter->verdict;
    sorter->verdict = CL_SUCCESS;
    return verdict != CL_SUCCESS ? verdict : unjudged;
}

CLSORT_API clsort_status clsort_self_test(clsort_sorter *sorter)
{
    unsigned char *memory;
    clsort_status first = CL_SUCCESS;
    cl_uint algorithm, flags;
    if (!sorter) return CLSORT_ERROR_NULL_ARGUMENT;
    memory = (unsigned char *)CLSORT_MALLOC(21 * (size_t)(sorter->has_progress || sorter->is_cpu
                                                              ? CLSORT__TEST_HYBRID_COUNT
                                                              : CLSORT__TEST_COUNT));
    if (!memory) return clsort__fail(sorter, CL_OUT_OF_HOST_MEMORY, "malloc", NULL);
    flags = sorter->options.flags;
    sorter->options.flags = 0;   /* the host compares; clsort_collect judges only other sorts */
    for (algorithm = 1; clsort__is_public(algorithm); algorithm++) {
        const clsort_status status = clsort__test_algorithm(sorter, algorithm, memory);
        if (first == CL_SUCCESS) first = status;
    }
    sorter->options.flags = flags;
    CLSORT_FREE(memory);
    clsort__save_programs(sorter);
    return first;
}

#ifdef CLSORT_MULTI
/* ---- >>multi --------------------------------------------------------------------------------- */

/* Host arrays of any size. A job takes pieces of arrays in host memory to a device, where they lie
   one after the other, sorts them there and brings them back as one range of other arrays. In the
   first trip a job has one piece, a chunk of the input, and leaves a sorted run. In the second trip
   it has a piece of every run, and leaves a part of the result. Each device has two slots for jobs,
   so that one is moved while the other is sorted. Slots are asked in turn whether they can go
   on. */

enum {
    CLSORT__MULTI_SLOTS = 2,
    CLSORT__MULTI_STAGES = 2,       /* blocks of pinned memory of a slot */
    CLSORT__MULTI_ARRAYS = 2,       /* keys (or records), values */
    CLSORT__MULTI_BLOCK = 4096,     /* keys that are read from a device at once */
    CLSORT__MULTI_RUNS = 8,         /* of an array that stays on the device: so many ... */
    CLSORT__MULTI_MOST_PARTS = 64,  /* ... merged to at most so many parts */
    CLSORT__MULTI_DIRECT_BLOCKS = 64    /* without pinned memory a command moves at most as many
                                           times CLSORT_STAGE_BYTES */
};

/* The state of a slot. */
enum { CLSORT__MULTI_IDLE, CLSORT__MULTI_UP, CLSORT__MULTI_DOWN };

/* Arrays in host memory: keys or records, and values; NULL: none. */
typedef struct clsort__multi_arrays {
    unsigned char *array[CLSORT__MULTI_ARRAYS];
} clsort__multi_arrays;

/* Elements of an array in host memory. */
typedef struct clsort__multi_range { size_t first, count; } clsort__multi_range;

/* A sorted run: in host memory, or on the device that sorts alone. */
typedef struct clsort__multi_run {
    clsort__multi_range range;
    cl_mem arrays[CLSORT__MULTI_ARRAYS];    /* NULL: in host memory */
    size_t block;               /* the number of the block of keys that was read last, from 1; 0:
                                   none */
} clsort__multi_run;

/* The search for a place in a run: it is between low and high. */
typedef struct clsort__multi_cut { size_t low, high, rank; } clsort__multi_cut;

/* An element that others are compared with, and the codes of its fields, but for CLSORT_BYTES. */
typedef struct clsort__multi_pivot {
    const unsigned char *place;
    cl_ulong codes[CLSORT_MAX_FIELDS];
} clsort__multi_pivot;

/* A block of pinned memory, and the command that fills or empties it. */
typedef struct clsort__multi_stage {
    cl_mem memory;
    unsigned char *place;
    cl_event event;             /* NULL: it is free */
    unsigned char *target;      /* host memory that receives its bytes; NULL: none */
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
    cl_command_queue queue;     /* the sorter's */
    cl_mem arrays[CLSORT__MULTI_ARRAYS], merged[CLSORT__MULTI_ARRAYS], scratch;
    const cl_mem *result;       /* `arrays`, or `merged`: only if parts are merged */
    size_t room, scratch_bytes; /* room: elements of an array; 0: there are no buffers */
    clsort__multi_range job;    /* of the arrays that receive the result */
    clsort__multi_range *pieces;
    /* The next block: of which array and piece, from which byte of the piece, to or from which byte
       of the buffer. */
    size_t array, piece, offset, at;
    cl_event last;              /* of the last command, for which the next one waits */
    clsort__multi_stage stages[CLSORT__MULTI_STAGES];
    cl_uint turn;               /* the stage of the next block */
} clsort__multi_slot;

typedef struct clsort__multi_device {
    clsort_sorter *s;
    int direct;                 /* no pinned memory */
    cl_ulong memory;            /* bytes that may be used */
    size_t most;                /* elements of a job */
    clsort_share share;
    clsort__multi_slot slots[CLSORT__MULTI_SLOTS];
} clsort__multi_device;

typedef struct clsort__multi {
    clsort_multi_desc given;
    clsort_desc d;              /* of a sort on a device, without its count and buffers */
    clsort_field fields[CLSORT_MAX_FIELDS];     /* the first one decides, then the next */
    clsort__codec codecs[CLSORT_MAX_FIELDS];    /* theirs */
    cl_uint field_count;
    size_t count, size[CLSORT__MULTI_ARRAYS];   /* size: bytes of an element; 0: no array */
    clsort__multi_arrays in, work, out, from, to;   /* from, to: of this trip */
    void *own_work;
    clsort__multi_device *devices;
    cl_uint device_count;
    cl_uint only;               /* the device that has all jobs; device_count: all have some */
    cl_uint slots;              /* of a device, in this trip */
    int merges;                 /* is this the second trip? */
    int can_merge;              /* by clsort_enqueue_merge_runs; else pieces are sorted once more */
    int stays;                  /* runs stay on the only device until they are merged */
    unsigned char *blocks;      /* of keys, one for each run that stays on the device */
    clsort_status unread;       /* why a block could not be read */
    size_t next;                /* elements that were handed out */
    clsort__multi_range *redo;  /* jobs of devices that failed */
    size_t redo_count, busy;    /* busy: slots that have a job */
    clsort__multi_run *runs;    /* by their first elements, once all are there */
    size_t run_count, job_room; /* job_room: of runs and of redo */
    clsort__multi_cut *cuts;    /* one for each run */
    size_t split;               /* the rank where they are */
    clsort_run *list;           /* of a job's pieces on the device; room for one of each run */
    clsort__multi_range *pieces;    /* of all slots, one for each run */
    size_t random;              /* the last one; not 0 */
    clsort_status status;       /* why the last device was dropped, or why all must end */
    int ends;                   /* the trip must end: host memory is used up, or the only device
                                   failed */
} clsort__multi;

static const char clsort__multi_name[] = "clsort_sort_host_on";

/* -- the order, on the host -- */

/* The code of field i of the element at `place`, without bits that do not decide. */
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
    if (c->nans && (code & (sign - 1)) > sign - 1 - c->nans) code = sign - 1;
    code ^= (code & sign ? c->mask : 0) ^ c->flip;
    code = (code - c->rotate) & all;
    if (m->d.last_bit && m->d.last_bit < bits) code &= ((cl_ulong)1 << m->d.last_bit) - 1;
    return code >> m->d.first_bit;
}

/* Below 0, 0 or above 0: does an element come before a pivot, is it equal, or does it come after it?
   First by one field. */
static int clsort__multi_compare_field(const clsort__multi *m, const unsigned char *place,
                                       const clsort__multi_pivot *pivot, cl_uint i)
{
    const clsort_field *const f = &m->fields[i];
    cl_ulong code;
    if (clsort__is_bytes(f->type)) {
        const int order = memcmp(place + f->offset, pivot->place + f->offset,
                                 clsort__key_bits(f->type) / 8);
        return f->order ? (order < 0) - (order > 0) : order;
    }
    code = clsort__multi_code(m, place, i);
    return (code > pivot->codes[i]) - (code < pivot->codes[i]);
}

static int clsort__multi_compare(const clsort__multi *m, const unsigned char *place,
                                 const clsort__multi_pivot *pivot)
{
    cl_uint i;
    int order = 0;
    for (i = 0; i < m->field_count && !order; i++)
        order = clsort__multi_compare_field(m, place, pivot, i);
    return order;
}

/* Reads a block of keys from the device. */
static clsort_status clsort__multi_read_block(clsort__multi *m, clsort__multi_run *r, size_t block,
                                              unsigned char *to)
{
    clsort_sorter *const s = m->devices[m->only].s;
    const size_t first = block * CLSORT__MULTI_BLOCK,
                 count = clsort__smaller(CLSORT__MULTI_BLOCK, r->range.count - first);
    CLSORT__MUST(clsort__make_queue(s, &s->more_queues[1]));
    return CLSORT__TRY(s, clEnqueueReadBuffer,
                       (s->more_queues[1], r->arrays[0], CL_TRUE, first * m->size[0],
                        count * m->size[0], to, 0, NULL, NULL));
}

/* The element number i of a run. If it cannot be read from the device, m->unread says why. */
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

/* How many elements of a run come before a pivot: at least c->low, at most c->high. With `equal`,
   those that are equal to the pivot do, too. */
static size_t clsort__multi_rank(clsort__multi *m, size_t run, const clsort__multi_cut *c,
                                 const clsort__multi_pivot *pivot, int equal)
{
    size_t low = c->low, high = c->high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = clsort__multi_compare(m, clsort__multi_element(m, run, middle), pivot);
        if (equal ? order <= 0 : order < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Draws one of the `open` elements between low and high of all runs. Returns its run. */
static size_t clsort__multi_draw(clsort__multi *m, size_t open, size_t *place)
{
    size_t run = 0;
    m->random ^= m->random << 13;   /* Marsaglia's xorshift */
    m->random ^= m->random >> 17;
    m->random ^= m->random << 5;
    *place = m->random % open;
    while (*place >= m->cuts[run].high - m->cuts[run].low) {
        *place -= m->cuts[run].high - m->cuts[run].low;
        run++;
    }
    *place += m->cuts[run].low;
    return run;
}

/* Decides for the elements before or after a pivot that was drawn from a run; returns how many are
   left to be decided. `place`: the pivot's in its run. */
static size_t clsort__multi_narrow(clsort__multi *m, size_t rank, size_t run, size_t place)
{
    clsort__multi_pivot pivot;
    size_t i, before = 0, open = 0;
    pivot.place = clsort__multi_element(m, run, place);
    for (i = 0; i < m->field_count; i++)
        pivot.codes[i] = clsort__is_bytes(m->fields[i].type)
                             ? 0 : clsort__multi_code(m, pivot.place, (cl_uint)i);
    for (i = 0; i < m->run_count; i++) {
        clsort__multi_cut *const c = &m->cuts[i];
        c->rank = i == run ? place : clsort__multi_rank(m, i, c, &pivot, i < run);
        before += c->rank;
    }
    for (i = 0; i < m->run_count; i++) {
        clsort__multi_cut *const c = &m->cuts[i];
        if (before < rank) c->low = c->rank + (i == run);
        else c->high = c->rank;
        open += c->high - c->low;
    }
    return open;
}

/* Finds how many elements of each run are among the first `rank` of all in the stable order:
   cuts[i].low. The rank of an element that is drawn decides on which side it lies, and with it all
   that come before or after it in their runs. About 2 log(count) elements are drawn. The end of one
   part is found once more as the start of the next. */
static void clsort__multi_split(clsort__multi *m, size_t rank)
{
    const int goes_on = m->split <= rank;
    size_t i, open = 0;
    for (i = 0; i < m->run_count; i++) {
        if (!goes_on) m->cuts[i].low = 0;
        m->cuts[i].high = goes_on && rank == m->split ? m->cuts[i].low
                                                              : m->runs[i].range.count;
        open += m->cuts[i].high - m->cuts[i].low;
    }
    while (open) {
        size_t place;
        const size_t run = clsort__multi_draw(m, open, &place);
        open = clsort__multi_narrow(m, rank, run, place);
    }
    m->split = rank;
}

/* Finds the pieces of a part of the result, one of each run. */
static void clsort__multi_find_pieces(clsort__multi *m, clsort__multi_slot *slot)
{
    size_t i;
    clsort__multi_split(m, slot->job.first);
    for (i = 0; i < m->run_count; i++) slot->pieces[i].first = m->cuts[i].low;
    clsort__multi_split(m, slot->job.first + slot->job.count);
    for (i = 0; i < m->run_count; i++) {
        slot->pieces[i].count = m->cuts[i].low - slot->pieces[i].first;
        slot->pieces[i].first += m->runs[i].range.first;
    }
}

/* -- devices and slots -- */

/* Does a device have jobs? */
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

static void clsort__multi_release_buffer(cl_mem *buffer)
{
    if (*buffer) CLSORT_CL(clReleaseMemObject)(*buffer);
    *buffer = NULL;
}

static void clsort__multi_release_event(cl_event *event)
{
    if (*event) CLSORT_CL(clReleaseEvent)(*event);
    *event = NULL;
}

/* Waits until no command of a slot uses host memory, and releases all that it has. A driver that
   cannot even wait any more is taken to run nothing any more. */
static void clsort__multi_release_slot(clsort__multi_slot *slot)
{
    int i;
    for (i = 0; i < CLSORT__MULTI_STAGES; i++)
        if (slot->stages[i].place)
            CLSORT_CL(clEnqueueUnmapMemObject)(slot->queue, slot->stages[i].memory,
                                               slot->stages[i].place, 0, NULL, NULL);
    if (slot->queue && CLSORT_CL(clFinish)(slot->queue) != CL_SUCCESS && slot->last)
        CLSORT_CL(clWaitForEvents)(1, &slot->last);
    for (i = 0; i < CLSORT__MULTI_STAGES; i++) {
        clsort__multi_release_event(&slot->stages[i].event);
        clsort__multi_release_buffer(&slot->stages[i].memory);
    }
    for (i = 0; i < CLSORT__MULTI_ARRAYS; i++) {
        clsort__multi_release_buffer(&slot->arrays[i]);
        clsort__multi_release_buffer(&slot->merged[i]);
    }
    clsort__multi_release_buffer(&slot->scratch);
    clsort__multi_release_event(&slot->last);
    memset(slot, 0, sizeof *slot);
}

/* Makes a block of pinned memory. */
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

#ifndef CLSORT__MULTI_CPUS_MERGE
#define CLSORT__MULTI_CPUS_MERGE 0   /* 1: for tests of merges on CPUs */
#endif

/* Does a device merge its pieces in this trip? CPUs sort them once more: PoCL takes 0.6 to 0.7 of
   the CPU time so, with 2^21 u32 and 4 or 8 bytes of values in some 65 jobs, or 2^22 u32 alone, and
   buffers of half the size. */
static int clsort__multi_merges(const clsort__multi *m, const clsort_sorter *s)
{
    return m->merges && m->can_merge && (m->stays || !s->is_cpu || CLSORT__MULTI_CPUS_MERGE);
}

/* Bytes of scratch memory for a job of n elements. */
static clsort_status clsort__multi_scratch(const clsort__multi *m, clsort_sorter *s, size_t n,
                                           size_t *bytes)
{
    clsort_merge_runs_desc merge = clsort_merge_runs_desc_default();
    clsort_desc d = m->d;
    clsort_run runs[2];
    d.count = n;
    if (!clsort__multi_merges(m, s)) return clsort_scratch_size(s, &d, bytes);
    memset(runs, 0, sizeof runs);
    runs[0].count = 1;
    runs[1].count = n - 1;
    merge.runs = runs;
    merge.run_count = 2;
    merge.key_type = d.key_type;
    merge.value_size = d.value_size;
    return clsort_merge_runs_scratch_size(s, &merge, bytes);
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

/* Makes the queue and the buffers of slot number `number`, if it has none in this trip. */
static clsort_status clsort__multi_make_slot(const clsort__multi *m, clsort__multi_device *device,
                                             cl_uint number)
{
    clsort__multi_slot *const slot = &device->slots[number];
    clsort_sorter *const s = device->s;
    const size_t n = device->most;
    int i;
    if (slot->room) return CL_SUCCESS;
    if (number) CLSORT__MUST(clsort__make_queue(s, &s->more_queues[0]));
    else CLSORT__MUST(clsort__own_queue(s));
    slot->queue = number ? s->more_queues[0] : s->own_queue;
    CLSORT__MUST(clsort__multi_scratch(m, s, n, &slot->scratch_bytes));
    if (!m->stays) CLSORT__MUST(clsort__multi_make_arrays(m, s, n, slot->arrays));
    if (clsort__multi_merges(m, s)) CLSORT__MUST(clsort__multi_make_arrays(m, s, n, slot->merged));
    if (slot->scratch_bytes)
        CLSORT__MUST(clsort__create_buffer(s, slot->scratch_bytes, NULL, CL_MEM_READ_WRITE,
                                           "a job's scratch", &slot->scratch));
    for (i = 0; i < CLSORT__MULTI_STAGES && !device->direct; i++)
        CLSORT__MUST(clsort__multi_pin(s, slot->queue, &slot->stages[i]));
    slot->room = n;
    return CL_SUCCESS;
}

/* Ends the jobs of a device, which others may have when its commands have ended. */
static void clsort__multi_stop(clsort__multi *m, clsort__multi_device *device)
{
    int i;
    for (i = 0; i < CLSORT__MULTI_SLOTS; i++) {
        clsort__multi_slot *const slot = &device->slots[i];
        const clsort__multi_range job = slot->job;
        const int busy = slot->state != CLSORT__MULTI_IDLE;
        clsort__multi_range *const pieces = slot->pieces;
        clsort__multi_release_slot(slot);
        slot->pieces = pieces;
        if (!busy) continue;
        m->redo[m->redo_count++] = job;
        m->busy--;
    }
}

/* Do n elements fit into one slot of a device, with scratch memory? */
static int clsort__multi_fits(const clsort__multi *m, const clsort__multi_device *device, size_t n)
{
    const cl_ulong most = device->s->max_allocation;
    const size_t keys = n * m->size[0], values = n * m->size[1], both = keys + values,
                 all = m->stays ? m->count * m->size[0] + m->count * m->size[1] : 0;
    const size_t arrays = m->stays && !m->merges ? 0
                          : !m->stays && clsort__multi_merges(m, device->s) ? 2 * both : both;
    size_t scratch;
    return keys <= most && values <= most && all <= device->memory
           && clsort__multi_scratch(m, device->s, n, &scratch) == CL_SUCCESS && scratch <= most
           && clsort__saturating_add(arrays, scratch) <= (device->memory - all) / m->slots;
}

/* The most elements of a job on a device. */
static size_t clsort__multi_most(const clsort__multi *m, const clsort__multi_device *device)
{
    size_t low = 0, high = clsort__smaller(m->count, 0xFFFFFFFFu);
    device->s->quiet = 1;   /* larger counts may be refused */
    while (low < high) {
        const size_t middle = high - (high - low) / 2;
        if (clsort__multi_fits(m, device, middle)) low = middle;
        else high = middle - 1;
    }
    device->s->quiet = 0;
    return low;
}

/* The same for a trip; an error if the device cannot have a job. */
static clsort_status clsort__multi_find_most(const clsort__multi *m, clsort__multi_device *device)
{
    size_t scratch;
    CLSORT__MUST(clsort__multi_scratch(m, device->s, 1, &scratch));
    device->most = clsort__multi_most(m, device);
    return device->most ? CL_SUCCESS
                        : clsort__fail(device->s, CLSORT_ERROR_SCRATCH_TOO_LARGE,
                                       clsort__multi_name,
                                       "device_memory: less than one element takes");
}

/* Drops a device. Where it has too little memory, it goes on with half. */
static void clsort__multi_drop(clsort__multi *m, clsort__multi_device *device, clsort_status status)
{
    clsort__multi_stop(m, device);
    m->status = status;
    m->ends = m->only < m->device_count;
    if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE && device->memory > 1) {
        device->memory /= 2;
        status = m->ends ? CL_SUCCESS : clsort__multi_find_most(m, device);
    }
    if (status == CL_SUCCESS) return;
    device->share.status = m->status = status;
}

/* -- a job -- */

/* Hands out a job of at most `most` elements: what a dropped device had, else a share of the rest.
   At the end shares get smaller, so that devices end together. Returns 0 if there is none. */
static int clsort__multi_take(clsort__multi *m, size_t most, clsort__multi_range *job)
{
    clsort__multi_range rest, *from = &rest;
    size_t wanted = most;
    rest.first = m->next;
    rest.count = m->count - m->next;
    if (m->redo_count) {
        from = &m->redo[m->redo_count - 1];
    } else if (m->only == m->device_count) {
        wanted = clsort__ceil_divide(rest.count,
                                     2 * (size_t)m->slots * clsort__multi_working(m));
        if (wanted < clsort__ceil_divide(most, 4)) wanted = clsort__ceil_divide(most, 4);
    }
    job->first = from->first;
    job->count = clsort__smaller(clsort__smaller(wanted, most), from->count);
    from->first += job->count;
    from->count -= job->count;
    if (from == &rest) m->next += job->count;
    else if (!from->count) m->redo_count--;
    return job->count != 0;
}

/* The next command of a slot waits for this one. */
static void clsort__multi_chain(clsort__multi_slot *slot, cl_event event)
{
    clsort__multi_release_event(&slot->last);
    slot->last = event;
}

/* Finds the next block to move up or down. Returns 0 if there is none. */
static int clsort__multi_find_block(const clsort__multi *m, const clsort__multi_device *device,
                                    clsort__multi_slot *slot, clsort__multi_block *b)
{
    const int up = slot->state == CLSORT__MULTI_UP;
    const clsort__multi_range *const pieces = up ? slot->pieces : &slot->job;
    const size_t piece_count = up && m->merges ? m->run_count : 1,
                 most = (size_t)CLSORT_STAGE_BYTES
                        * (device->direct ? CLSORT__MULTI_DIRECT_BLOCKS : 1);
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

/* Is a command complete? An error if it failed. */
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

/* Is a stage free? If its command has just ended, its bytes go where they belong. */
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

/* Elements of arrays on the device, as a run. */
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

/* A merge in a slot, without its runs and its output. */
static clsort_merge_runs_desc clsort__multi_merge_desc(const clsort__multi *m,
                                                       const clsort__multi_slot *slot)
{
    clsort_merge_runs_desc r = clsort_merge_runs_desc_default();
    r.key_type = m->d.key_type;
    r.order = m->d.order;
    r.nan_order = clsort__is_float(r.key_type) ? m->d.nan_order : 0;
    r.flags = m->d.flags;
    r.value_size = m->size[1];
    r.scratch = slot->scratch;
    r.scratch_size = slot->scratch_bytes;
    return r;
}

/* Merges the runs of m->list, CLSORT_MAX_RUNS at a time, into other arrays. They become *count
   longer runs. */
static clsort_status clsort__multi_merge_list(const clsort__multi *m, clsort_sorter *s,
                                              clsort__multi_slot *slot, const cl_mem *to,
                                              size_t *count)
{
    size_t i, k, first = 0, end = 0, left = 0;
    for (i = 0; i < *count; i += CLSORT_MAX_RUNS) {
        clsort_merge_runs_desc r = clsort__multi_merge_desc(m, slot);
        cl_event done = NULL;
        r.runs = m->list + i;
        r.run_count = (cl_uint)clsort__smaller(*count - i, CLSORT_MAX_RUNS);
        r.keys_out = to[0];
        r.keys_out_offset = first * m->size[0];
        r.values_out = to[1];
        r.values_out_offset = first * m->size[1];
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

/* Merges the pieces that were moved up. */
static clsort_status clsort__multi_merge(const clsort__multi *m, clsort_sorter *s,
                                         clsort__multi_slot *slot)
{
    size_t i, count = 0, first = 0;
    for (i = 0; i < m->run_count; i++) {
        const clsort__multi_run *const r = &m->runs[i];
        const clsort__multi_range *const piece = &slot->pieces[i];
        if (!piece->count) continue;
        m->list[count++] = m->stays ? clsort__multi_run_of(m, r->arrays,
                                                           piece->first - r->range.first,
                                                           piece->count)
                                    : clsort__multi_run_of(m, slot->arrays, first, piece->count);
        first += piece->count;
    }
    while (count > 1 || (m->stays && slot->result == slot->arrays)) {
        const cl_mem *const to = slot->result == slot->arrays ? slot->merged : slot->arrays;
        CLSORT__MUST(clsort__multi_merge_list(m, s, slot, to, &count));
        slot->result = to;
    }
    return CL_SUCCESS;
}

/* Sorts what was moved up. A stable sort of pieces of sorted runs is a stable merge. */
static clsort_status clsort__multi_sort(const clsort__multi *m, clsort_sorter *s,
                                        clsort__multi_slot *slot)
{
    clsort_desc d = m->d;
    cl_event done = NULL;
    slot->result = slot->arrays;
    if (clsort__multi_merges(m, s)) return clsort__multi_merge(m, s, slot);
    d.count = slot->job.count;
    d.keys = slot->arrays[0];
    d.values = slot->arrays[1];
    d.scratch = slot->scratch;
    d.scratch_size = slot->scratch_bytes;
    CLSORT__MUST(clsort_enqueue_sort(s, slot->queue, &d, 1, &slot->last, &done));
    clsort__multi_chain(slot, done);
    return CL_SUCCESS;
}

/* Begins at the first block of a direction. */
static void clsort__multi_turn(clsort__multi_slot *slot, int state)
{
    slot->state = state;
    slot->array = slot->piece = slot->offset = slot->at = 0;
}

/* A chunk has become a run. If it stays on the device, it takes the slot's arrays. */
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

/* Ends a job if all has arrived. */
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

/* Enqueues and ends all that can be in a job now. */
static clsort_status clsort__multi_go_on(clsort__multi *m, clsort__multi_device *device,
                                         clsort__multi_slot *slot, int *moved)
{
    for (;;) {
        clsort__multi_stage *const stage = device->direct ? NULL : &slot->stages[slot->turn];
        clsort__multi_block block;
        int is_free = 1;
        if (stage) CLSORT__MUST(clsort__multi_settle(device->s, stage, &is_free));
        if (!is_free) return CL_SUCCESS;
        if (clsort__multi_find_block(m, device, slot, &block)) {
            CLSORT__MUST(clsort__multi_move(device->s, slot, stage, &block));
        } else if (slot->state == CLSORT__MULTI_UP) {
            CLSORT__MUST(clsort__multi_sort(m, device->s, slot));
            clsort__multi_turn(slot, CLSORT__MULTI_DOWN);
        } else {
            return clsort__multi_end(m, device, slot, moved);
        }
        *moved = 1;
    }
}

/* Starts a job in a slot that is idle. */
static clsort_status clsort__multi_start(clsort__multi *m, clsort__multi_device *device,
                                         cl_uint number)
{
    clsort__multi_slot *const slot = &device->slots[number];
    clsort__multi_turn(slot, CLSORT__MULTI_UP);
    m->busy++;
    CLSORT__MUST(clsort__multi_make_slot(m, device, number));
    if (m->merges) clsort__multi_find_pieces(m, slot);
    else slot->pieces[0] = slot->job;
    if (!m->merges && m->stays)
        return clsort__multi_make_arrays(m, device->s, slot->job.count, slot->arrays);
    return m->unread;
}

/* Makes room for the run of one more job, and for all jobs if they must be done again. If there is
   none, everything ends. */
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

/* Gives a slot its turn. Returns whether something happened. */
static int clsort__multi_step(clsort__multi *m, clsort__multi_device *device, cl_uint number)
{
    clsort__multi_slot *const slot = &device->slots[number];
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

/* Waits where no slot can go on: for the older job of a device that works alone, else not at
   all. */
static void clsort__multi_pause(clsort__multi *m)
{
    clsort__multi_slot *oldest = NULL;
    clsort_status status;
    cl_uint i = 0, j;
    while (i < m->device_count && !clsort__multi_works(m, i)) i++;
    for (j = 0; i < m->device_count && j < m->slots; j++) {
        clsort__multi_slot *const slot = &m->devices[i].slots[j];
        if (slot->last && (!oldest || slot->job.first < oldest->job.first)) oldest = slot;
    }
    if (!oldest || !m->devices[i].direct || clsort__multi_working(m) > 1) {
        CLSORT_YIELD();
        return;
    }
    status = CLSORT__TRY(m->devices[i].s, clWaitForEvents, (1, &oldest->last));
    if (status != CL_SUCCESS) clsort__multi_drop(m, &m->devices[i], status);
}

/* Moves all elements through the devices once. Fails if no device is left. */
static clsort_status clsort__multi_trip(clsort__multi *m)
{
    m->next = m->redo_count = 0;
    m->ends = 0;
    while (!m->ends && (m->next < m->count || m->redo_count || m->busy)) {
        int moved = 0;
        cl_uint i, j;
        if (!clsort__multi_working(m)) return m->status;
        for (i = 0; i < m->device_count; i++)
            for (j = 0; j < m->slots && clsort__multi_works(m, i); j++)
                moved |= clsort__multi_step(m, &m->devices[i], j);
        if (!moved && !m->ends) clsort__multi_pause(m);
    }
    return m->ends ? m->status : CL_SUCCESS;
}

/* Releases the buffers of all slots. */
static void clsort__multi_empty(clsort__multi *m)
{
    cl_uint i, j;
    for (i = 0; i < m->device_count; i++)
        for (j = 0; j < CLSORT__MULTI_SLOTS; j++)
            clsort__multi_release_slot(&m->devices[i].slots[j]);
    m->busy = 0;
}

/* Forgets all runs. */
static void clsort__multi_drop_runs(clsort__multi *m)
{
    for (; m->run_count; m->run_count--) {
        clsort__multi_release_buffer(&m->runs[m->run_count - 1].arrays[0]);
        clsort__multi_release_buffer(&m->runs[m->run_count - 1].arrays[1]);
    }
}

/* Plans a trip with so many slots of each device. Devices that cannot have jobs are dropped. */
static void clsort__multi_plan(clsort__multi *m, cl_uint slots)
{
    cl_uint i;
    m->only = m->device_count;
    m->slots = slots;
    for (i = 0; i < m->device_count; i++) {
        clsort_status status;
        if (!clsort__multi_works(m, i)) continue;
        status = clsort__multi_find_most(m, &m->devices[i]);
        if (status != CL_SUCCESS) clsort__multi_drop(m, &m->devices[i], status);
    }
}

/* Makes room for the pieces of all slots, `count` of each. */
static clsort_status clsort__multi_make_pieces(clsort__multi *m, size_t count)
{
    cl_uint i, j;
    CLSORT__MUST(clsort__grow(m->devices[0].s, &m->pieces,
                              count * m->device_count * CLSORT__MULTI_SLOTS, sizeof *m->pieces));
    for (i = 0; i < m->device_count; i++)
        for (j = 0; j < CLSORT__MULTI_SLOTS; j++)
            m->devices[i].slots[j].pieces = m->pieces + count * (CLSORT__MULTI_SLOTS * i + j);
    return CL_SUCCESS;
}

/* Makes room for all elements in host memory. */
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

/* Fills what the argsort moves with its keys. */
static void clsort__multi_number(const clsort__multi *m)
{
    size_t i;
    for (i = 0; m->given.indices && i < m->count; i++) m->given.indices[i] = i;
}

/* Copies what lies in m->work to where the result belongs. */
static void clsort__multi_copy_work(const clsort__multi *m)
{
    int i;
    for (i = 0; i < CLSORT__MULTI_ARRAYS; i++)
        if (m->out.array[i])
            memcpy(m->out.array[i], m->work.array[i], m->count * m->size[i]);
}

/* Are keys and values sorted where they are? */
static int clsort__multi_in_place(const clsort__multi *m)
{
    return m->out.array[0] == m->in.array[0];
}

/* Puts runs in the order of their first elements, and makes tables for their merge. */
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
    CLSORT__MUST(clsort__grow(s, &m->cuts, m->run_count, sizeof *m->cuts));
    memset(m->cuts, 0, m->run_count * sizeof *m->cuts);
    if (m->stays) CLSORT__MUST(clsort__grow(s, &m->blocks, m->run_count, block));
    return clsort__grow(s, &m->list, m->run_count, sizeof *m->list);
}

/* The first trip: chunks of the input become runs in m->work. */
static clsort_status clsort__multi_make_runs(clsort__multi *m)
{
    clsort_status status;
    clsort__multi_number(m);
    CLSORT__MUST(clsort__multi_make_work(m));
    CLSORT__MUST(clsort__multi_make_pieces(m, 1));
    m->from = m->in;
    m->to = m->work;
    status = clsort__multi_trip(m);
    clsort__multi_empty(m);
    return status;
}

/* The second trip: parts of all runs become parts of the result. */
static clsort_status clsort__multi_merge_runs(clsort__multi *m)
{
    clsort_status status;
    CLSORT__MUST(clsort__multi_order_runs(m));
    m->merges = 1;
    clsort__multi_plan(m, CLSORT__MULTI_SLOTS);
    CLSORT__MUST(clsort__multi_make_pieces(m, m->run_count));
    m->from = m->work;
    m->to = m->out;
    status = clsort__multi_trip(m);
    clsort__multi_empty(m);
    if (status != CL_SUCCESS && clsort__multi_in_place(m)) clsort__multi_copy_work(m);
    return status;
}

/* Merges the runs that stay on the device. */
static clsort_status clsort__multi_merge_there(clsort__multi *m, const clsort__multi_arrays *to)
{
    CLSORT__MUST(clsort__multi_order_runs(m));
    m->merges = 1;
    CLSORT__MUST(clsort__multi_find_most(m, &m->devices[m->only]));
    CLSORT__MUST(clsort__multi_make_pieces(m, m->run_count));
    memset(&m->from, 0, sizeof m->from);
    m->to = *to;
    return clsort__multi_trip(m);
}

/* Sorts all on one device, in one trip. In place the result goes through m->work, so that a failure
   in the middle leaves the input. */
static clsort_status clsort__multi_sort_alone(clsort__multi *m, cl_uint device)
{
    const int in_place = clsort__multi_in_place(m);
    clsort__multi_arrays to, none;
    clsort_status status;
    memset(&none, 0, sizeof none);
    clsort__multi_number(m);
    if (in_place) CLSORT__MUST(clsort__multi_make_work(m));
    CLSORT__MUST(clsort__multi_make_pieces(m, 1));
    to = in_place ? m->work : m->out;
    m->only = device;
    m->from = m->in;
    m->to = m->stays ? none : to;
    status = clsort__multi_trip(m);
    clsort__multi_empty(m);
    if (status == CL_SUCCESS && m->stays) status = clsort__multi_merge_there(m, &to);
    clsort__multi_empty(m);
    if (status == CL_SUCCESS && in_place) clsort__multi_copy_work(m);
    clsort__multi_drop_runs(m);
    m->merges = 0;
    m->unread = CL_SUCCESS;
    return status;
}

/* Can a device hold all: in one array, or in a few runs that stay there? Plans a trip for it. */
static int clsort__multi_holds(clsort__multi *m, clsort__multi_device *device)
{
    size_t part;
    m->stays = 0;
    m->slots = 1;
    device->most = clsort__multi_most(m, device);
    if (device->most == m->count) return 1;
    m->stays = m->can_merge;
    m->slots = CLSORT__MULTI_SLOTS;
    m->merges = 1;
    part = clsort__multi_most(m, device);
    m->merges = 0;
    device->most = clsort__smaller(clsort__multi_most(m, device),
                                   clsort__ceil_divide(m->count, CLSORT__MULTI_RUNS));
    return m->stays && part >= clsort__ceil_divide(m->count, CLSORT__MULTI_MOST_PARTS)
           && device->most == clsort__ceil_divide(m->count, CLSORT__MULTI_RUNS);
}

/* Sorts by the first device that holds all, else by all devices in two trips. */
static clsort_status clsort__multi_run_all(clsort__multi *m)
{
    cl_uint i;
    for (i = 0; i < m->device_count; i++) {
        clsort_status status;
        m->only = m->device_count;
        if (!clsort__multi_works(m, i) || !clsort__multi_holds(m, &m->devices[i])) continue;
        status = clsort__multi_sort_alone(m, i);
        if (status == CL_SUCCESS) return CL_SUCCESS;
    }
    m->stays = 0;
    clsort__multi_plan(m, CLSORT__MULTI_SLOTS);
    if (!clsort__multi_working(m)) return m->status;
    CLSORT__MUST(clsort__multi_make_runs(m));
    return clsort__multi_merge_runs(m);
}

/* -- the call -- */

/* Sorters, arrays and options of a call; *sort is its description. */
static void clsort__multi_check_given(clsort__checks *c, clsort_sorter *const *sorters,
                                      cl_uint count, const clsort_multi_desc *m,
                                      const clsort_desc *sort)
{
    const int values = sort->value_size && !m->indices;
    const clsort__mistake sizes[] = {
        { sort->count && !m->indices && !m->values != !values, "values, of value_size bytes each" },
        { values && !m->keys_out != !m->values_out, "keys_out and values_out: both or neither" },
        { !values && m->values_out, "values_out without values" }
    };
    const clsort__mistake unknown[] = {
        { m->transfer > CLSORT_TRANSFER_STAGED, "transfer" }, { m->reserved != 0, "reserved" }
    };
    const clsort__mistake unsupported[] = {
        { sort->rows || sort->row_stride, "rows: they must be 0 in host arrays of any size" },
        { sort->precedes != NULL, "precedes: the host cannot compare by it" },
        { sort->top_k != 0, "top_k: it must be 0 with host arrays" }
    };
    cl_uint i, j;
    if (sort->count && !m->keys) clsort__blame(c, CLSORT_ERROR_NULL_ARGUMENT, "keys");
    for (i = 0; i < count; i++)
        for (j = 0; j < i; j++)
            if (sorters[i] == sorters[j])
                clsort__blame(c, CLSORT_ERROR_UNKNOWN_VALUE, "sorters: one is there twice");
    CLSORT__BLAME(c, CLSORT_ERROR_VALUE_SIZE, sizes);
    CLSORT__BLAME(c, CLSORT_ERROR_UNKNOWN_VALUE, unknown);
    CLSORT__BLAME(c, CLSORT_ERROR_UNSUPPORTED, unsupported);
}

/* Can the arrays be addressed, and are they large enough? */
static void clsort__multi_check_sizes(clsort__checks *c, const clsort__multi *m)
{
    const size_t n = m->count;
    size_t bytes;
    if (!clsort__may_blame(c, CLSORT_ERROR_SIZE_OVERFLOW)) return;
    clsort__need_room(c, "count", n, m->size[0], 0);
    clsort__need_room(c, "count, value_size", n, m->size[1], 0);
    if (!clsort__may_blame(c, CLSORT_ERROR_SIZE_OVERFLOW)) return;
    bytes = clsort__round_up(n * m->size[0]) + n * m->size[1];
    if (m->given.work && m->given.work_size < bytes)
        clsort__blame(c, CLSORT_ERROR_SCRATCH_TOO_SMALL, "work_size: %.0f bytes are needed",
                      (double)bytes);
}

/* Takes order and sizes from the description. */
static void clsort__multi_describe(clsort__multi *m, const clsort_desc *sort)
{
    clsort_field key;
    m->d = *sort;
    m->count = sort->count;
    m->d.count = sort->count ? 1 : 0;
    if (m->given.indices) m->d.value_size = sizeof *m->given.indices;
    m->size[0] = sort->record_size ? sort->record_size : clsort__key_bits(sort->key_type) / 8;
    m->size[1] = m->d.value_size;
    memset(&key, 0, sizeof key);
    key.offset = sort->key_offset;
    key.type = sort->key_type;
    key.order = sort->order;
    key.nan_order = sort->nan_order;
    key.zero_order = sort->zero_order;
    m->fields[0] = key;
    m->field_count = 1;
    if (!sort->fields || sort->field_count > CLSORT_MAX_FIELDS) return;
    m->field_count = sort->field_count;
    memcpy(m->fields, sort->fields, sort->field_count * sizeof key);
    m->d.fields = m->fields;
}

/* Can runs be merged as they are? Else a sort of all pieces merges them. */
static int clsort__multi_can_merge(const clsort_desc *d)
{
#ifdef CLSORT_NO_MERGE
    (void)d;
    return 0;
#else
    const int merges_codes = d->nan_order == CLSORT_NAN_EQUAL || d->zero_order == CLSORT_ZERO_EQUAL;
    return !d->record_size && !clsort__some_bits(d) && d->value_size <= 8
           && !(merges_codes && clsort__is_float(d->key_type));
#endif
}

/* Takes the arrays. An argsort moves indices as values. */
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
    int wrong = clsort__adopt(&m->given, sizeof m->given, CLSORT__FIRST_MULTI, multi);
    s->function = clsort__multi_name;
    CLSORT__MUST(clsort__judge_struct(s, "multi", wrong));
    wrong = clsort__adopt(&sort, sizeof sort, CLSORT__FIRST_DESC, m->given.sort);
    CLSORT__MUST(clsort__judge_struct(s, "sort", wrong));
    clsort__multi_describe(m, &sort);
    if (m->given.indices) sort.value_size = 0;
    clsort__multi_check_given(&c, sorters, count, &m->given, &sort);
    clsort__check_desc(&c, m->given.sort ? &m->d : NULL, CLSORT__TO_SORT);
    clsort__check_no_buffers(&c, &m->d);
    clsort__multi_check_sizes(&c, m);
    m->can_merge = clsort__multi_can_merge(&m->d);
    for (i = 0; i < m->field_count && c.status == CL_SUCCESS; i++)
        if (!clsort__is_bytes(m->fields[i].type))
            m->codecs[i] = clsort__make_codec(&m->fields[i]);
    clsort__multi_take_arrays(m);
    return clsort__conclude(&c);
}

/* What a device has, and how it is reached. */
static clsort_status clsort__multi_ask_device(clsort__multi_device *device,
                                              const clsort_multi_desc *given)
{
    clsort_sorter *const s = device->s;
    cl_ulong memory = 0;
    cl_bool shared = CL_FALSE;
    CLSORT__MUST(CLSORT__FACT(s, CL_DEVICE_GLOBAL_MEM_SIZE, memory));
    if (CLSORT_CL(clGetDeviceInfo)(s->device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof shared, &shared,
                                   NULL)
        != CL_SUCCESS)
        shared = CL_FALSE;
    if (s->is_cpu) shared = CL_TRUE;
    device->memory = given->device_memory ? given->device_memory
                     : shared             ? memory / 4
                                          : memory - memory / 8;
    device->direct = given->transfer == CLSORT_TRANSFER_DEFAULT
                         ? shared == CL_TRUE
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
    for (i = 0; i < count; i++) m->devices[i].s = sorters[i];
    for (i = 0; i < count; i++) {
        const clsort_status status = clsort__multi_ask_device(&m->devices[i], &m->given);
        if (status != CL_SUCCESS) clsort__multi_drop(m, &m->devices[i], status);
    }
    return CL_SUCCESS;
}

static void clsort__multi_close(clsort__multi *m)
{
    cl_uint i;
    clsort__multi_empty(m);
    clsort__multi_drop_runs(m);
    for (i = 0; m->given.shares && i < m->device_count; i++)
        m->given.shares[i] = m->devices[i].share;
    clsort__free(m->devices);
    clsort__free(m->redo);
    clsort__free(m->runs);
    clsort__free(m->cuts);
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
    cl_uint i;
    if (!sorters || !sorter_count || !multi) return CLSORT_ERROR_NULL_ARGUMENT;
    for (i = 0; i < sorter_count; i++)
        if (!sorters[i]) return CLSORT_ERROR_NULL_ARGUMENT;
    memset(&m, 0, sizeof m);
    m.random = 1;
    CLSORT__MUST(clsort__multi_check(&m, sorters, sorter_count, multi));
    status = clsort__multi_open(&m, sorters, sorter_count);
    if (status == CL_SUCCESS && m.count) status = clsort__multi_run_all(&m);
    clsort__multi_close(&m);
    return status;
}
#endif

#ifdef __cplusplus
}
#endif

#ifdef _MSC_VER
#pragma warning(pop)
#endif

#endif /* CLSORT_IMPLEMENTED */
#endif /* CLSORT_IMPLEMENTATION */

/* ---- revision history ---------------------------------------------------------------------------

   0.2.0  not released

   Breaks: old -> new
   - clsort_select(d, name) -> clsort_set_algorithm(d, name)
   - clsort_prepare(s, d) -> clsort_prepare(s, NULL, d), or the queue that the sorts will run on
   - clsort_desc_size() -> struct_size, which tells the implementation
   - clsort_desc d = { values in order } -> clsort_desc_default() and the like, or named fields:
     clsort_desc, clsort_options, clsort_gather, clsort_merge_desc begin with struct_size.
     All zeros still mean the defaults.
   - clsort_resolve(s, d, &r) with any r -> r initialised: as many bytes are written as
     r.struct_size says
   - clsort_resolve fills in `rows` -> only for top_k
   - clsort_array with some fields set -> zeroed first: it has new fields
   - clsort_desc_default(), clsort_merge_desc_default() exported -> compiled into the program
   - algorithms that CLSORT_NO_<FAMILY> leaves out are listed -> clsort_algorithm_name does not list
     them and clsort_set_algorithm does not know them: check for the name
   - CLSORT_ERROR_UNKNOWN_VALUE for a range of no bits -> CLSORT_ERROR_BIT_RANGE
   - fields that only say more about one that is not set (row_stride without rows): ignored ->
     CLSORT_ERROR_UNUSED_FIELD
   - bitonic with CLSORT_LOCAL_START and items above 32, which did not sort -> refused
   - quicksort-device where CL_TARGET_OPENCL_VERSION is not set -> set it to 300
   - merge-local-only of rows, segments and a count on the device, which sorted long rows wrongly ->
     refused

   New
   - clsort_options_default(), clsort_gather_default()
   - clsort_enqueue_merge_runs merges up to 16 sorted runs, each element read and written once.
   - clsort_enqueue_partition parts keys by up to 255 sorted splitters, and writes where parts begin.
   - With CLSORT_MULTI, clsort_sort_host_on sorts arrays in host memory of any size, on one device
     or several at once: keys with values, records, argsort with indices of 64 bits. Then
     clsort_sort_host takes arrays that the device does not hold at once, too.
   - clsort_enqueue_group_starts finds where each group of sorted keys begins, and how many it has.
   - tools/mpi_sort.h sorts over the ranks of an MPI job, build/clsort-mpi files and generated keys.
   - clsort_cache_folder keeps built programs for the next start of a program, cache_load and
     cache_save of clsort_options keep them in other storage. build/clsort uses the user's folder of
     caches; --cache and CLSORT_CACHE name another one.
   - clsort_prepare takes a queue: the first sort there makes no object but events. With
     CLSORT_FLAG_ANY_COUNT that holds for sorts of every count up to the one given.
   - "radix-hybrid", CLSORT_RADIX_HYBRID: sorts bare keys of 4 and 8 bytes from the top digit down.
     "radix" and AUTO take it on NVIDIA's GPUs, keys of 4 bytes from 2^23 on, of 8 bytes from 2^22
     on; "radix-sweeps", CLSORT_RADIX_SWEEPS, is radix without it.
   - "radix-samples", CLSORT_RADIX_SAMPLES: sorts up to a million bare keys of 4 or 8 bytes in one
     launch or three. Keys that are spread evenly are sorted fast, skewed ones slowly: AUTO does not
     take it.
   - "radix-cached", CLSORT_RADIX_CACHED: on CPUs, one partition by ranges that a sample chooses, then
     each range in a core's cache. "radix" and AUTO take it, with PoCL on AVX-512 from 512 keys of 4
     bytes on, at 2 to 3 times the speed. Rows and segments of bare keys are sorted 3 to 7 times as
     fast there.
   - clsort_sort_host copies nothing on CPUs that share the host's memory: 1.2 to 1.5 times the
     speed. If it fails there after its first launch, the arrays hold a permutation.
   - On NVIDIA's GPUs sweeps take the same time for skewed keys as for uniform ones, and half the
     time for 2^22 and more pairs with spread keys of 64 bits.
   - build/clsort sort takes files larger than memory and device (--memory, --tmp), by runs and one
     merge, shows progress on a terminal (--quiet: none), and leaves no file behind if it is killed.
   - build/clsort verify reads files once, on all cores, and needs no memory for that: 10^8 u32 take
     1 s of CPU time instead of 6. Where equal elements must keep their order, it needs memory.
   - build/clsort top --partition
   - CLSORT_FLAG_TOP_PARTITION: rows or segments are rearranged around their k-th element, in place
     or not, in the time of a sort.
   - Top-k takes records by their key, or by fields of up to 8 bytes.
   - Top-k takes a length for each row (`lengths`), segments and a count on the device. Where a row
     is shorter than k, the rest of its output is marked.
   - keys_out_row_stride, values_out_row_stride, indices_row_stride: rows of outputs may lie
     elsewhere than those of the keys, in sorts and in top-k.
   - segment_ends: segments may have ends of their own, with gaps between them, in sorts, argsorts
     and top-k.
   - clsort_enqueue_gather takes rows, with indices that count inside their row: those of an argsort
     of rows and of top-k.
   - CLSORT_BYTES + n: a field of records may be n bytes, from 1 to 64, in the order of memcmp.
   - CLSORT_NAN_EQUAL: NaNs keep their original order, as in numpy's stable sorts, and in top-k.
   - Values may move with records: by a key, by fields or by `precedes`; in top-k, too.
   - `precedes` may have any scalar type: 0x100000000ul and 0.5f are true.
   - A sort of one row is stable, as that of several is.
   - The sorter's scratch memory may consist of several buffers.
   - clsort_check knows the device's largest allocation (CLSORT_ERROR_SCRATCH_TOO_LARGE).
   - CLSORT_CL_FUNCTIONS lists the OpenCL functions that are called. Those of OpenCL 2.0 are called
     only where the program sets CL_TARGET_OPENCL_VERSION.
   - `make lib` builds a shared and a static library, with a file for pkg-config.
   - CMake: find_package(clsort) and FetchContent give clsort::clsort and clsort::header.
   - examples/python/clsort.py sorts numpy's and PyOpenCL's arrays; examples/clsort.hpp is for C++.
   - CLSORT_NO_PUBLISHED leaves out what only reproduces publications.
   - Top-k of small k reads rows once on CPUs, and of rows of up to 4096 keys on GPUs, with 2 to 14
     times the speed.
   - Top-k with k near the count sorts the rows where that takes less time. clsort_explain says how
     rows are selected from.
   - Top-k of a few long rows reads them once on GPUs: 2^28 keys with 5 times the speed.
   - CLSORT_NO_* also leave out the host code of what they leave out.
   - A gather of many arrays is checked in n log n.
   - build/clsort replaces files when all outputs are complete and on the disk, or none.
   - build/clsort keeps owners and permissions.
   - build/clsort info says up to which count AUTO takes which plan; counts take suffixes (100k,
     16Mi).
   - build/clsort refuses what the device cannot hold before it reads it, and rows beyond the end of
     a file.

   Mended
   - Where offsets of segments do not ascend, nothing is sorted: no element is lost, and verify and
     is_sorted tell.
   - clsort_collect hands out each verdict, also one that an enqueue call found.
   - clsort_collect judges later what could not be judged.
   - clsort_collect tells of a sort that failed on the device.
   - clsort_check refuses what needs more local memory than the device has.
   - Where the compiler rejects the kernels of radix's sweeps, radix sorts without them.
   - Bitonic with CLSORT_LOCAL_START sorts on CPUs with the default shape.
   - AUTO takes items above 32 for rows and top_k on GPUs.
   - Scratch memory for more elements is enough for fewer on NVIDIA, too.
   - No sum of scratch sizes wraps on hosts of 32 bits.
   - A device that tells 0 compute units sorts.
   - A clone that fails says why.
   - Build logs end at 1 MiB.
   - Destroying a sorter while its work is queued no longer corrupts the heap of NVIDIA's driver.
   - Quicksort no longer crashes in PoCL 6.0 and 7.1, nor radix with work-groups of 2.
   - Intel's compiler no longer takes minutes for some sizes of values and records: no choice of
     AUTO takes it more than a few seconds, and quicksort 2 to 4 s instead of 20 and more.

   0.1.0  2026-11-21

   - the bitonic family: kernels A, B2 to B16, tiles in local memory and in registers
   - all key types, orders, payloads, argsort, records
   - gather and is_sorted; host arrays; proofs and self-test
   - the merge family: stable sorts, several fields, expressions, merge of two inputs
   - the radix family, bit ranges
   - rows, segments, a count on the device
   - top-k
   - the quicksort family
   - sorts of rows as published
   - explanations, profile callback

   ---- licence ------------------------------------------------------------------------------------

   This software is available under two licences. Choose whichever you prefer.

   ALTERNATIVE A - MIT License

   Copyright (c) 2026 the clsort authors

   Permission is hereby granted, free of charge, to any person obtaining a copy of
   this software and associated documentation files (the "Software"), to deal in
   the Software without restriction, including without limitation the rights to
   use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies
   of the Software, and to permit persons to whom the Software is furnished to do
   so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in all
   copies or substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
   IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
   FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
   AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
   LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
   SOFTWARE.

   ALTERNATIVE B - Public Domain (www.unlicense.org)

   This is free and unencumbered software released into the public domain.

   Anyone is free to copy, modify, publish, use, compile, sell, or distribute this
   software, either in source code form or as a compiled binary, for any purpose,
   commercial or non-commercial, and by any means.

   In jurisdictions that recognize copyright laws, the author or authors of this
   software dedicate any and all copyright interest in the software to the public
   domain. We make this dedication for the benefit of the public at large and to
   the detriment of our heirs and successors. We intend this dedication to be an
   overt act of relinquishment in perpetuity of all present and future rights to
   this software under copyright law.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
   IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
   FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
   AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN
   ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
   WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
