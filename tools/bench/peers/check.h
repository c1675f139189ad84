/* check.h - the check of every peer's result, and the values that travel with its keys. The text
   between the parentheses of PEER_TEXT is C++, CUDA C++ and OpenCL C at once: it is compiled where
   this file is included, and peer_check_text holds it for OpenCL. peer.py reads it, and what is
   marked for OpenCL, from this file.

   A result is right if each row is in order and has the elements of its input. The elements are
   compared by two sums of 64 bits over their hashes, which take in key, value and row. */

#ifndef CLSORT_TOOLS_PEER_CHECK_H
#define CLSORT_TOOLS_PEER_CHECK_H

#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define PEER_FUNCTION static __host__ __device__
#else
#define PEER_FUNCTION static inline
#endif
#define PEER_GLOBAL
typedef uint32_t peer_uint;
typedef uint64_t peer_ulong;

/* Goes before peer_check_text. */
static const char peer_opencl_words[] = "#define PEER_FUNCTION\n#define PEER_GLOBAL global\n"
                                        "typedef uint peer_uint;\ntypedef ulong peer_ulong;\n";

#define PEER_TEXT(...) \
    __VA_ARGS__ \
    static const char peer_check_text[] = #__VA_ARGS__;

/* Goes after it: kernels, of any number of work-items. */
#define PEER_KERNELS(...) static const char peer_check_kernels[] = #__VA_ARGS__;

/* A device's work-items for a check of `count` elements. */
enum { CHECK_ITEMS_MOST = 1 << 16, CHECK_GROUP = 64 };

static inline size_t check_items(size_t count)
{
    size_t items = CHECK_GROUP;
    while (items < CHECK_ITEMS_MOST && items * 16 < count) items *= 2;
    return items;
}

/* What a cell holds: kind 0: unsigned integers, 1: signed ones, 2: floats. */
PEER_TEXT(

typedef struct peer_shape {
    peer_ulong n, count;                     /* keys in a row, and in all rows */
    peer_uint key_bytes, value_bytes, kind;  /* 4 or 8; 0, 4 or 8 */
    peer_uint unused;
} peer_shape;

/* faults: elements that are less than the one before them in their row. */
typedef struct peer_sums {
    peer_ulong faults, first, second;
} peer_sums;

PEER_FUNCTION peer_ulong peer_mix(peer_ulong z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ul;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBul;
    return z ^ (z >> 31);
}

PEER_FUNCTION peer_ulong peer_read(PEER_GLOBAL const void *array, peer_ulong i, peer_uint bytes)
{
    return bytes == 8 ? ((PEER_GLOBAL const peer_ulong *)array)[i]
                      : ((PEER_GLOBAL const peer_uint *)array)[i];
}

/* An unsigned number in the order of the keys. Both zeros have the same, as CUB sorts them. */
PEER_FUNCTION peer_ulong peer_code(peer_ulong bits, peer_uint bytes, peer_uint kind)
{
    const peer_ulong sign = (peer_ulong)1 << (8 * bytes - 1);
    if (kind == 0) return bits;
    if (kind == 1 || bits < sign) return bits ^ sign;
    return bits == sign ? sign : 2 * sign - 1 - bits;
}

/* Takes in elements `start`, `start` + `step` and so on. */
PEER_FUNCTION peer_sums peer_sum(peer_shape s, PEER_GLOBAL const void *keys,
                                 PEER_GLOBAL const void *values, peer_ulong start, peer_ulong step)
{
    peer_sums sums = { 0, 0, 0 };
    for (peer_ulong i = start; i < s.count; i += step) {
        const peer_ulong row = i < s.n ? 0 : i / s.n;
        const peer_ulong key = peer_read(keys, i, s.key_bytes);
        const peer_ulong value = s.value_bytes ? peer_read(values, i, s.value_bytes) : 0;
        const peer_ulong hash = peer_mix(key ^ peer_mix(value + peer_mix(row + 1)));
        sums.first += hash;
        sums.second += peer_mix(hash + 1);
        if (i > row * s.n)
            sums.faults += peer_code(key, s.key_bytes, s.kind)
                           < peer_code(peer_read(keys, i - 1, s.key_bytes), s.key_bytes, s.kind);
    }
    return sums;
}

/* Values say where they came from: each is its own index. */
PEER_FUNCTION void peer_number(peer_shape s, PEER_GLOBAL void *values, peer_ulong start,
                               peer_ulong step)
{
    for (peer_ulong i = start; i < s.count; i += step) {
        if (s.value_bytes == 8) ((PEER_GLOBAL peer_ulong *)values)[i] = i;
        else ((PEER_GLOBAL peer_uint *)values)[i] = (peer_uint)i;
    }
}

)

PEER_KERNELS(

kernel void number(peer_shape s, global void *values)
{
    peer_number(s, values, get_global_id(0), get_global_size(0));
}

kernel void sum(peer_shape s, global const void *keys, global const void *values,
                global peer_sums *sums)
{
    sums[get_global_id(0)] = peer_sum(s, keys, values, get_global_id(0), get_global_size(0));
}

)

#endif
