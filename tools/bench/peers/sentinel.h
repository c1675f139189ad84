/* sentinel.h - the sorts that watch over speed: what the two halves of tools/bench/bench-before
   share. */

#ifndef CLSORT_TOOLS_SENTINEL_H
#define CLSORT_TOOLS_SENTINEL_H

#include <stddef.h>

/* rows arrays of count keys each; count is halved until all have at most what is asked for. With
   values each key has one of 4 bytes that follows from it. segments: the rows are one array that
   offsets cut. top_k: the k largest keys of each row with their values. */
typedef struct sentinel {
    const char *name;
    int key_bytes, floats, values, segments;
    size_t rows, count, top_k;
} sentinel;

/* Twelve: small, middle, large; keys, pairs, keys of 8 bytes, rows, segments, top-k. */
static const sentinel sentinels[] = {
    { "u32 2^12", 4, 0, 0, 0, 1, (size_t)1 << 12, 0 },
    { "u32 2^17", 4, 0, 0, 0, 1, (size_t)1 << 17, 0 },
    { "f32 2^21", 4, 1, 0, 0, 1, (size_t)1 << 21, 0 },
    { "u32 2^26", 4, 0, 0, 0, 1, (size_t)1 << 26, 0 },
    { "u32 + u32 2^20", 4, 0, 1, 0, 1, (size_t)1 << 20, 0 },
    { "u32 + u32 2^24", 4, 0, 1, 0, 1, (size_t)1 << 24, 0 },
    { "u64 2^20", 8, 0, 0, 0, 1, (size_t)1 << 20, 0 },
    { "u64 2^24", 8, 0, 0, 0, 1, (size_t)1 << 24, 0 },
    { "4096 rows of 4096 u32", 4, 0, 0, 0, 4096, 4096, 0 },
    { "1000 segments of 16,384 u32", 4, 0, 0, 1, 1000, 16384, 0 },
    { "top 40 of f32 2^20", 4, 1, 1, 0, 1, (size_t)1 << 20, 40 },
    { "top 40 of 64 rows of 131,072 f32", 4, 1, 1, 0, 64, 131072, 40 }
};
enum { SENTINELS = sizeof sentinels / sizeof *sentinels };

#endif
