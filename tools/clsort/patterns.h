/* patterns.h - seeded input patterns for tests and measurements, for every key type of clsort.

   pattern_name(i) numbers them from 0 and is NULL past the last; pattern_find finds one by name;
   pattern_fill writes n keys. Most patterns are made as codes, unsigned numbers in the ascending
   order of the key type, so that "sorted" is sorted for every type, NaNs included. For users
   pattern_fill_numbers makes numbers of the NaNs and infinities among them. The float patterns are
   made as bits and apply to float types only: see pattern_applies. */

#ifndef CLSORT_TOOLS_PATTERNS_H
#define CLSORT_TOOLS_PATTERNS_H

#include <stdint.h>
#include <string.h>

#include "reference.h"

typedef struct pattern_state {
    uint64_t random;      /* state of the generator */
    uint64_t n, tile;
    uint64_t top;         /* the largest code */
    uint64_t parameter;   /* of the pattern */
    uint64_t constant;    /* one random number for the whole array */
    unsigned width;       /* bits of a key */
    cl_uint type;
    int numbers;          /* floats that are made as codes are numbers */
} pattern_state;

typedef uint64_t (*pattern_function)(pattern_state *s, uint64_t i);

/* ---- helpers --------------------------------------------------------------------------------- */

static inline uint64_t pattern_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static inline size_t pattern_key_size(cl_uint type) { return (type & 0xFFu) / 8; }

static inline int pattern_is_float(cl_uint type) { return reference_mantissa(type) != 0; }

/* Rank 0 ... of - 1 spread over all codes: strictly increasing as long as the width has room. */
static inline uint64_t pattern_rank(const pattern_state *s, uint64_t rank, uint64_t of)
{
    if (of <= 1) return s->top / 2;
    if (s->width == 64) return rank * (UINT64_MAX / of);
    return (rank << s->width) / of;
}

/* The key bits of a code: the inverse of the type's order. */
static inline uint64_t pattern_bits(cl_uint type, uint64_t code)
{
    unsigned width = type & 0xFFu;
    uint64_t sign = UINT64_C(1) << (width - 1);
    if (type == CLSORT_U8 || type == CLSORT_U16 || type == CLSORT_U32 || type == CLSORT_U64)
        return code;
    if (!pattern_is_float(type) || (code & sign)) return code ^ sign;
    return ~code;
}

/* The code of a number in place of any code of a float, in the same order. All codes are moved
   together until the NaNs and infinities at both ends are covered. */
static inline uint64_t pattern_number_code(cl_uint type, uint64_t code)
{
    const unsigned mantissa = reference_mantissa(type), shift = (type & 0xFFu) - 1 - mantissa;
    return code + (UINT64_C(1) << mantissa) - (code >> shift) - (code >> (shift - 1) & 1);
}

static inline void pattern_store(void *keys, uint64_t i, size_t size, uint64_t bits)
{
    unsigned char *place = (unsigned char *)keys + i * size;
    uint8_t b1 = (uint8_t)bits;
    uint16_t b2 = (uint16_t)bits;
    uint32_t b4 = (uint32_t)bits;
    const void *from = size == 1   ? (const void *)&b1
                       : size == 2 ? (const void *)&b2
                       : size == 4 ? (const void *)&b4
                                   : (const void *)&bits;
    memcpy(place, from, size);
}

/* ---- random ---------------------------------------------------------------------------------- */

static inline uint64_t pattern_uniform(pattern_state *s, uint64_t i)
{
    (void)i;
    return pattern_random(&s->random);
}

static inline uint64_t pattern_modulo(pattern_state *s, uint64_t i)
{
    (void)i;
    return pattern_random(&s->random) % s->parameter;
}

/* The number v has a probability near 1 / v: the exponent is uniform. */
static inline uint64_t pattern_zipf(pattern_state *s, uint64_t i)
{
    uint64_t r = pattern_random(&s->random), low = UINT64_C(1)
                                                   << (r % (s->width < 20 ? s->width : 20));
    (void)i;
    return low + ((r >> 32) & (low - 1));
}

static inline uint64_t pattern_gaussian(pattern_state *s, uint64_t i)
{
    uint64_t sum = 0;
    unsigned k;
    (void)i;
    for (k = 0; k < 4; k++) sum += (pattern_random(&s->random) & s->top) / 4;
    return sum;
}

static inline uint64_t pattern_and(pattern_state *s, uint64_t i)
{
    uint64_t bits = UINT64_MAX, k;
    (void)i;
    for (k = 0; k < s->parameter; k++) bits &= pattern_random(&s->random);
    return bits;
}

static inline uint64_t pattern_mostly_zero(pattern_state *s, uint64_t i)
{
    uint64_t r = pattern_random(&s->random);
    (void)i;
    return r % 20 ? 0 : r >> 8;
}

/* Keys that differ only in the upper (parameter 1) or only in the lower half of their bits. */
static inline uint64_t pattern_half(pattern_state *s, uint64_t i)
{
    uint64_t low = (UINT64_C(1) << (s->width / 2)) - 1, keep = s->parameter ? ~low : low;
    (void)i;
    return (pattern_random(&s->random) & keep) | (s->constant & ~keep);
}

/* The least, the middle three and the largest code: for signed integers min, -1, 0, 1, max. */
static inline uint64_t pattern_sign_edges(pattern_state *s, uint64_t i)
{
    uint64_t middle = s->top / 2 + 1, r = pattern_random(&s->random) % 5;
    (void)i;
    return r == 0 ? 0 : r == 4 ? s->top : middle + r - 2;
}

/* ---- ordered --------------------------------------------------------------------------------- */

static inline uint64_t pattern_sorted(pattern_state *s, uint64_t i)
{
    return pattern_rank(s, i, s->n);
}
static inline uint64_t pattern_reverse(pattern_state *s, uint64_t i)
{
    return pattern_rank(s, s->n - 1 - i, s->n);
}
static inline uint64_t pattern_equal(pattern_state *s, uint64_t i) { (void)i; return s->constant; }
static inline uint64_t pattern_minimum(pattern_state *s, uint64_t i) { (void)s; (void)i; return 0; }
static inline uint64_t pattern_maximum(pattern_state *s, uint64_t i) { (void)i; return s->top; }
static inline uint64_t pattern_min_max(pattern_state *s, uint64_t i) { return i & 1 ? s->top : 0; }

/* Sorted, but for the last 1/64. */
static inline uint64_t pattern_random_tail(pattern_state *s, uint64_t i)
{
    return i + 1 + s->n / 64 < s->n ? pattern_rank(s, i, s->n) : pattern_random(&s->random);
}

/* Sorted, but for one element of 1024, about, that is random. */
static inline uint64_t pattern_outliers(pattern_state *s, uint64_t i)
{
    uint64_t r = pattern_random(&s->random);
    return r % 1024 ? pattern_rank(s, i, s->n) : r >> 10;
}

/* Two sorted runs whose elements interleave. */
static inline uint64_t pattern_two_runs(pattern_state *s, uint64_t i)
{
    uint64_t half = (s->n + 1) / 2;
    return pattern_rank(s, i < half ? 2 * i : 2 * (i - half) + 1, s->n);
}

/* Two sorted runs, the second before the first as a whole. */
static inline uint64_t pattern_runs_apart(pattern_state *s, uint64_t i)
{
    uint64_t half = s->n / 2;
    return pattern_rank(s, i < half ? i + (s->n - half) : i - half, s->n);
}

/* Sorted runs of tile - 1, tile, tile + 1: parameter is 1 more than what is added to the tile. */
static inline uint64_t pattern_tile_runs(pattern_state *s, uint64_t i)
{
    uint64_t run = s->tile + s->parameter - 1;
    if (run < 2) run = 2;
    return pattern_rank(s, i % run, run);
}

static inline uint64_t pattern_organ_pipe(pattern_state *s, uint64_t i)
{
    return pattern_rank(s, i < s->n / 2 ? 2 * i : 2 * (s->n - 1 - i), s->n);
}

static inline uint64_t pattern_valley(pattern_state *s, uint64_t i)
{
    return s->top - pattern_organ_pipe(s, i);
}
static inline uint64_t pattern_rotated(pattern_state *s, uint64_t i)
{
    return pattern_rank(s, (i + s->n / 3) % s->n, s->n);
}
static inline uint64_t pattern_modulo_tile(pattern_state *s, uint64_t i) { return i % s->tile; }

static inline uint64_t pattern_bit_reversed(pattern_state *s, uint64_t i)
{
    uint64_t reversed = 0, size = 1;
    for (; size < s->n; size *= 2, i /= 2) reversed = reversed * 2 + (i & 1);
    return pattern_rank(s, reversed, size);
}

/* Sorted inside each tile, the tiles in reverse. */
static inline uint64_t pattern_tiles_reversed(pattern_state *s, uint64_t i)
{
    uint64_t tiles = (s->n + s->tile - 1) / s->tile;
    return pattern_rank(s, (tiles - 1 - i / s->tile) * s->tile + i % s->tile, tiles * s->tile);
}

/* ---- paper: Cederman and Tsigas, GPU-Quicksort, 2009 ----------------------------------------- */

/* A random code in part number `part` of 128 equal parts of the range. */
static inline uint64_t pattern_part(pattern_state *s, uint64_t part)
{
    return ((part & 127) << (s->width - 7)) + (pattern_random(&s->random) & (s->top >> 7));
}

/* 128 blocks; the sections of each block run through the 128 parts of the range. */
static inline uint64_t pattern_bucket(pattern_state *s, uint64_t i)
{
    uint64_t block = (s->n + 127) / 128, section = (block + 127) / 128;
    return pattern_part(s, i % block / section);
}

static inline uint64_t pattern_staggered(pattern_state *s, uint64_t i)
{
    uint64_t block = i / ((s->n + 127) / 128);
    return pattern_part(s, block < 64 ? 2 * block + 1 : 2 * block - 128);
}

/* ---- adversarial ----------------------------------------------------------------------------- */

/* Musser's sequence: every median of first, middle and last is the second smallest. */
static inline uint64_t pattern_median_killer(pattern_state *s, uint64_t i)
{
    uint64_t half = s->n / 2;
    if (i >= half)
        return pattern_rank(s, 2 * (i - half) + 1 < s->n ? 2 * (i - half) + 1 : s->n - 1, s->n);
    return pattern_rank(s, i & 1 ? half + i / 2 * 2 : i, s->n);
}

static inline uint64_t pattern_powers(pattern_state *s, uint64_t i)
{
    (void)i;
    return UINT64_C(1) << pattern_random(&s->random) % s->width;
}

/* Equal bytes in the upper half, anything in the lower: each byte is spread, but not together. */
static inline uint64_t pattern_echo(pattern_state *s, uint64_t i)
{
    uint64_t r = pattern_random(&s->random), low = s->top >> s->width / 2;
    (void)i;
    return ((r >> 56) * (UINT64_C(~0) / 255) & ~low) | (r & low);
}

/* The places that pivots are sampled from hold the least codes. */
static inline uint64_t pattern_poisoned(pattern_state *s, uint64_t i)
{
    uint64_t step = s->n / 16 + 1;
    if (i % step == 0 || i == s->n / 2 || i == s->n - 1) return i / step;
    return pattern_random(&s->random) | 64;
}

/* One smaller key among equal ones, at 0, n / 2, n - 1, tile - 1 or tile. */
static inline uint64_t pattern_one_different(pattern_state *s, uint64_t i)
{
    uint64_t at[5];
    at[0] = 0;
    at[1] = s->n / 2;
    at[2] = s->n - 1;
    at[3] = s->tile - 1;
    at[4] = s->tile;
    return s->top / 2 - (i == at[s->parameter]);
}

/* ---- adversarial: what cuts codes into ranges ------------------------------------------------ */

/* Random number `which` of the array's own. */
static inline uint64_t pattern_own(const pattern_state *s, uint64_t which)
{
    uint64_t state = s->constant + which * UINT64_C(0xA0761D6478BD642F);
    return pattern_random(&state);
}

/* A number below 2^bits, all its lengths about equally likely. */
static inline uint64_t pattern_any_length(uint64_t random, unsigned bits)
{
    return bits ? (random >> 8 >> 1) >> (55 - random % (bits < 55 ? bits : 55)) : 0;
}

/* A random code of the `span` + 1 that begin somewhere. */
static inline uint64_t pattern_within(pattern_state *s, uint64_t span, uint64_t where)
{
    const uint64_t room = s->top - span, r = pattern_random(&s->random);
    const uint64_t low = room == UINT64_MAX ? where : where % (room + 1);
    return low + (span == UINT64_MAX ? r : r % (span + 1));
}

/* 2^w codes side by side, but for up to 1/1024 of them more or less: w is the parameter, or any up
   to the width. */
static inline uint64_t pattern_span(pattern_state *s, uint64_t i)
{
    const uint64_t kind = pattern_own(s, 1) % 8, drawn = pattern_own(s, 2);
    const unsigned w = s->parameter && s->parameter < s->width ? (unsigned)s->parameter
                                                               : 1 + (unsigned)(drawn % s->width);
    const uint64_t span = s->top >> (s->width - w), edge = (span >> 10) + 1;
    const uint64_t less = kind == 0 ? 1 : kind < 3 ? drawn / 64 % edge : 0,
                   more = kind < 3 ? 0 : kind == 3 ? 1 : kind == 4 ? 16 : kind == 5 ? edge
                          : kind == 6 ? drawn / 64 % edge : 0;
    (void)i;
    return pattern_within(s, span - less + (s->top - span < more ? 0 : more), pattern_own(s, 3));
}

/* A few clusters of any width. */
static inline uint64_t pattern_clusters(pattern_state *s, uint64_t i)
{
    const uint64_t which = 4 + 2 * (pattern_random(&s->random) % (1 + pattern_own(s, 1) % 12));
    (void)i;
    return pattern_within(s, pattern_any_length(pattern_own(s, which), s->width) & s->top,
                          pattern_own(s, which + 1));
}

/* Each length of numbers is as frequent as all others, counted from somewhere, up or down. */
static inline uint64_t pattern_geometric(pattern_state *s, uint64_t i)
{
    const uint64_t far = pattern_any_length(pattern_random(&s->random), s->width),
                   from = pattern_own(s, 1) % 3 ? pattern_own(s, 2) : 0;
    (void)i;
    return pattern_own(s, 3) % 2 ? from + far : from - far;
}

/* Both sides of the middle of all codes, with a gap between them that is about as long as both. */
static inline uint64_t pattern_two_sides(pattern_state *s, uint64_t i)
{
    const uint64_t middle = s->top / 2 + 1, width = pattern_own(s, 1) % (s->width - 2),
                   span = (s->top >> 2 >> width), edge = span / 512 + 1,
                   gap = span + pattern_own(s, 2) % (2 * edge) - edge,
                   far = gap / 2 + pattern_random(&s->random) % (span / 2 + 1);
    (void)i;
    return pattern_random(&s->random) % 2 ? middle + far : middle - far;
}

/* Some codes that about one key in 192 has, or so many that these are about half of all keys. */
static inline uint64_t pattern_heavy(pattern_state *s, uint64_t i)
{
    const uint64_t r = pattern_random(&s->random), codes = 1 + pattern_own(s, 1) % 70,
                   share = pattern_own(s, 2) % 2 ? (UINT64_C(1) << 32) / 192 * codes
                                                 : UINT64_C(1) << 31,
                   part = share - share / 16 + pattern_own(s, 3) % (share / 8);
    (void)i;
    return (r >> 32) < part ? pattern_own(s, 4 + r % codes) : pattern_random(&s->random);
}

/* About a quarter of the keys, or an eighth, in a narrow range. */
static inline uint64_t pattern_quarter(pattern_state *s, uint64_t i)
{
    const uint64_t share = UINT64_C(1) << (29 + pattern_own(s, 1) % 2),
                   part = share - share / 32 + pattern_own(s, 2) % (share / 16);
    (void)i;
    return pattern_random(&s->random) >> 32 < part
               ? pattern_within(s, pattern_own(s, 3) % (s->n + 1) & s->top, pattern_own(s, 4))
               : pattern_random(&s->random);
}

/* Few different upper bits, any lower ones; or the other way round. */
static inline uint64_t pattern_few_high(pattern_state *s, uint64_t i)
{
    const uint64_t which = pattern_random(&s->random) % (1 + pattern_own(s, 1) % 20),
                   low = s->top >> pattern_own(s, 2) % s->width,
                   keep = pattern_own(s, 3) % 4 ? low : ~low;
    (void)i;
    return (pattern_random(&s->random) & keep) | (pattern_own(s, 4 + which) & ~keep);
}

/* Which element goes to place i of the sample of hybrid radix: as clsort_hybrid_sample of
   kernels.cl. */
static inline size_t pattern_hybrid_place(size_t i, size_t n)
{
    const uint32_t noise = ((uint32_t)i + 1) * 0x9E3779B9u;
    const uint64_t jitter = (uint32_t)((noise ^ noise >> 15) * 0x85EBCA6Bu);
    return n <= (size_t)1 << 14 ? i : (size_t)((i * (uint64_t)n + (jitter * n >> 32)) >> 14);
}

/* The same of radix in cache, of 2^17 elements or more. */
static inline size_t pattern_cached_place(size_t i, size_t n)
{
    const uint32_t noise = ((uint32_t)i + 1) * 0x9E3779B9u;
    const uint64_t jitter = (uint32_t)((noise ^ noise >> 15) * 0x85EBCA6Bu);
    return (size_t)((((uint64_t)i << 32 | jitter) >> 12) * n >> 32);
}

/* The sample of hybrid radix sees a part of the codes, or a few; the other keys have all. */
static inline uint64_t pattern_overlooked(pattern_state *s, uint64_t i)
{
    const uint64_t slot = s->n ? (i << 14) / s->n : 0;
    size_t k, seen = 0;
    for (k = slot ? (size_t)slot - 1 : 0; k < slot + 2; k++)
        seen |= k < (size_t)1 << 14 && pattern_hybrid_place(k, (size_t)s->n) == i;
    if (!seen) return pattern_within(s, s->top >> pattern_own(s, 1) % 4, pattern_own(s, 2));
    return pattern_within(s, s->top >> pattern_own(s, 3) % s->width, pattern_own(s, 4));
}

/* ---- floats: bits ---------------------------------------------------------------------------- */

static inline uint64_t pattern_sign_bit(const pattern_state *s)
{
    return UINT64_C(1) << (s->width - 1);
}

static inline uint64_t pattern_infinity(const pattern_state *s)
{
    return (pattern_sign_bit(s) - 1) >> reference_mantissa(s->type) << reference_mantissa(s->type);
}

static inline uint64_t pattern_one(const pattern_state *s)
{
    unsigned mantissa = reference_mantissa(s->type);
    return (pattern_infinity(s) >> (mantissa + 1)) << mantissa;
}

/* A random NaN: quiet or signalling, either sign, any payload. */
static inline uint64_t pattern_nan(pattern_state *s)
{
    uint64_t r = pattern_random(&s->random),
             payload = (UINT64_C(1) << reference_mantissa(s->type)) - 1;
    return (r & pattern_sign_bit(s)) | pattern_infinity(s) | ((r & payload) ? r & payload : 1);
}

/* A random number: no NaN, no infinity. */
static inline uint64_t pattern_number(pattern_state *s)
{
    uint64_t r = pattern_random(&s->random), infinity = pattern_infinity(s),
             lowest = infinity & (~infinity + 1);
    return (r & infinity) == infinity ? r ^ lowest : r;
}

static inline uint64_t pattern_numbers(pattern_state *s, uint64_t i)
{
    (void)i;
    return pattern_number(s);
}

static inline uint64_t pattern_zeros(pattern_state *s, uint64_t i)
{
    (void)i;
    return pattern_random(&s->random) & pattern_sign_bit(s);
}

/* Both zeros among the smallest denormals and a few numbers. */
static inline uint64_t pattern_around_zero(pattern_state *s, uint64_t i)
{
    uint64_t r = pattern_random(&s->random);
    (void)i;
    return r % 8 == 0 ? pattern_number(s) : (r & pattern_sign_bit(s)) | (r >> 8) % 3;
}

static inline uint64_t pattern_one_nan(pattern_state *s, uint64_t i)
{
    return i == s->n / 3 ? pattern_nan(s) : pattern_number(s);
}

/* NaNs, `parameter` percent. */
static inline uint64_t pattern_nans(pattern_state *s, uint64_t i)
{
    (void)i;
    return pattern_random(&s->random) % 100 < s->parameter ? pattern_nan(s) : pattern_number(s);
}

/* Infinities and the NaNs next to them. */
static inline uint64_t pattern_infinities(pattern_state *s, uint64_t i)
{
    uint64_t r = pattern_random(&s->random);
    (void)i;
    return (r & pattern_sign_bit(s)) | (pattern_infinity(s) + (r >> 4) % 3 - 1);
}

static inline uint64_t pattern_denormals(pattern_state *s, uint64_t i)
{
    (void)i;
    return pattern_random(&s->random)
           & (pattern_sign_bit(s) | ((UINT64_C(1) << reference_mantissa(s->type)) - 1));
}

/* Every value of the upper 16 bits in turn: all halves, if the type is one. */
static inline uint64_t pattern_all_halves(pattern_state *s, uint64_t i)
{
    return (i & 0xFFFF) << (s->width - 16);
}

/* 1 and -1 and the floats next to them. */
static inline uint64_t pattern_neighbours(pattern_state *s, uint64_t i)
{
    uint64_t r = pattern_random(&s->random);
    (void)i;
    return (r & pattern_sign_bit(s)) | (pattern_one(s) + r % 9 - 4);
}

/* Numbers that differ in the lower half of their mantissa only: as doubles they are equal after a
   cast to float. */
static inline uint64_t pattern_low_mantissa(pattern_state *s, uint64_t i)
{
    uint64_t r = pattern_random(&s->random);
    (void)i;
    return pattern_one(s) | (r & ((UINT64_C(1) << reference_mantissa(s->type) / 2) - 1));
}

/* The bits of a number from -1024 to 1024, its mantissa cut off; F16's denormals become zero. */
static inline uint64_t pattern_number_bits(const pattern_state *s, double number)
{
    const unsigned mantissa = reference_mantissa(s->type);
    const uint64_t bias = pattern_one(s) >> mantissa;
    uint64_t bits, magnitude;
    memcpy(&bits, &number, sizeof bits);
    magnitude = (bits & ~(UINT64_C(1) << 63)) >> (52 - mantissa);
    bits = bits >> 63 << (s->width - 1);
    if (magnitude >> mantissa <= 1023 - bias) return bits;
    return bits | (magnitude - ((1023 - bias) << mantissa));
}

/* From 0 up to 1, but for 1. */
static inline uint64_t pattern_unit(pattern_state *s, uint64_t i)
{
    (void)i;
    return pattern_number_bits(s, (double)(pattern_random(&s->random) >> 11) / 9007199254740992.0);
}

static inline unsigned pattern_bit_count(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (unsigned)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* Nearly the normal distribution: how many of 64 random bits are set, and random numbers between
   these counts. */
static inline uint64_t pattern_normal(pattern_state *s, uint64_t i)
{
    const uint64_t coins = pattern_random(&s->random), r = pattern_random(&s->random);
    const double between = (double)((r >> 32) + (r & 0xFFFFFFFFu)) / 4294967296.0;
    (void)i;
    return pattern_number_bits(s, ((double)pattern_bit_count(coins) - 33 + between) / 4);
}

/* ---- table ----------------------------------------------------------------------------------- */

enum { PATTERN_CODES, PATTERN_BITS, PATTERN_SWAPS };

typedef struct pattern_entry {
    const char *name;
    pattern_function make;
    uint64_t parameter;
    int kind;   /* PATTERN_CODES; PATTERN_BITS: of floats; PATTERN_SWAPS: codes, then `parameter`
                   random swaps */
} pattern_entry;

static const pattern_entry pattern_table[] = {
    { "uniform", pattern_uniform, 0, PATTERN_CODES },
    { "mod-2", pattern_modulo, 2, PATTERN_CODES },
    { "mod-3", pattern_modulo, 3, PATTERN_CODES },
    { "mod-4", pattern_modulo, 4, PATTERN_CODES },
    { "mod-16", pattern_modulo, 16, PATTERN_CODES },
    { "mod-256", pattern_modulo, 256, PATTERN_CODES },
    { "mod-1024", pattern_modulo, 1024, PATTERN_CODES },
    { "zipf", pattern_zipf, 0, PATTERN_CODES },
    { "gaussian", pattern_gaussian, 0, PATTERN_CODES },
    { "and-2", pattern_and, 2, PATTERN_CODES },
    { "and-4", pattern_and, 4, PATTERN_CODES },
    { "and-10", pattern_and, 10, PATTERN_CODES },
    { "and-16", pattern_and, 16, PATTERN_CODES },
    { "mostly-zero", pattern_mostly_zero, 0, PATTERN_CODES },
    { "upper-half", pattern_half, 1, PATTERN_CODES },
    { "lower-half", pattern_half, 0, PATTERN_CODES },
    { "sign-edges", pattern_sign_edges, 0, PATTERN_CODES },
    { "sorted", pattern_sorted, 0, PATTERN_CODES },
    { "reverse", pattern_reverse, 0, PATTERN_CODES },
    { "equal", pattern_equal, 0, PATTERN_CODES },
    { "minimum", pattern_minimum, 0, PATTERN_CODES },
    { "maximum", pattern_maximum, 0, PATTERN_CODES },
    { "random-tail", pattern_random_tail, 0, PATTERN_CODES },
    { "outliers", pattern_outliers, 0, PATTERN_CODES },
    { "swaps-1", pattern_sorted, 1, PATTERN_SWAPS },
    { "swaps-16", pattern_sorted, 16, PATTERN_SWAPS },
    { "swaps-256", pattern_sorted, 256, PATTERN_SWAPS },
    { "two-runs", pattern_two_runs, 0, PATTERN_CODES },
    { "runs-apart", pattern_runs_apart, 0, PATTERN_CODES },
    { "runs-tile-less-1", pattern_tile_runs, 0, PATTERN_CODES },
    { "runs-tile", pattern_tile_runs, 1, PATTERN_CODES },
    { "runs-tile-plus-1", pattern_tile_runs, 2, PATTERN_CODES },
    { "organ-pipe", pattern_organ_pipe, 0, PATTERN_CODES },
    { "valley", pattern_valley, 0, PATTERN_CODES },
    { "rotated", pattern_rotated, 0, PATTERN_CODES },
    { "min-max", pattern_min_max, 0, PATTERN_CODES },
    { "mod-tile", pattern_modulo_tile, 0, PATTERN_CODES },
    { "bit-reversed", pattern_bit_reversed, 0, PATTERN_CODES },
    { "tiles-reversed", pattern_tiles_reversed, 0, PATTERN_CODES },
    { "zero", pattern_minimum, 0, PATTERN_CODES },
    { "bucket", pattern_bucket, 0, PATTERN_CODES },
    { "staggered", pattern_staggered, 0, PATTERN_CODES },
    { "median-killer", pattern_median_killer, 0, PATTERN_CODES },
    { "powers-of-two", pattern_powers, 0, PATTERN_CODES },
    { "echo", pattern_echo, 0, PATTERN_CODES },
    { "poisoned", pattern_poisoned, 0, PATTERN_CODES },
    { "one-first", pattern_one_different, 0, PATTERN_CODES },
    { "one-middle", pattern_one_different, 1, PATTERN_CODES },
    { "one-last", pattern_one_different, 2, PATTERN_CODES },
    { "one-tile-less-1", pattern_one_different, 3, PATTERN_CODES },
    { "one-tile", pattern_one_different, 4, PATTERN_CODES },
    { "numbers", pattern_numbers, 0, PATTERN_BITS },
    { "zeros", pattern_zeros, 0, PATTERN_BITS },
    { "around-zero", pattern_around_zero, 0, PATTERN_BITS },
    { "one-nan", pattern_one_nan, 0, PATTERN_BITS },
    { "nans-10", pattern_nans, 10, PATTERN_BITS },
    { "nans-100", pattern_nans, 100, PATTERN_BITS },
    { "infinities", pattern_infinities, 0, PATTERN_BITS },
    { "denormals", pattern_denormals, 0, PATTERN_BITS },
    { "all-halves", pattern_all_halves, 0, PATTERN_BITS },
    { "neighbours", pattern_neighbours, 0, PATTERN_BITS },
    { "low-mantissa", pattern_low_mantissa, 0, PATTERN_BITS },
    { "unit", pattern_unit, 0, PATTERN_BITS },
    { "normal", pattern_normal, 0, PATTERN_BITS },
    { "mod-1000", pattern_modulo, 1000, PATTERN_CODES },
    { "span", pattern_span, 0, PATTERN_CODES },
    { "span-24", pattern_span, 24, PATTERN_CODES },
    { "clusters", pattern_clusters, 0, PATTERN_CODES },
    { "geometric", pattern_geometric, 0, PATTERN_CODES },
    { "two-sides", pattern_two_sides, 0, PATTERN_CODES },
    { "heavy", pattern_heavy, 0, PATTERN_CODES },
    { "quarter", pattern_quarter, 0, PATTERN_CODES },
    { "few-high", pattern_few_high, 0, PATTERN_CODES },
    { "overlooked", pattern_overlooked, 0, PATTERN_CODES }
};

static inline const pattern_entry *pattern_get(size_t number)
{
    return number < sizeof pattern_table / sizeof *pattern_table ? &pattern_table[number] : NULL;
}

/* The name of pattern `number`, NULL past the last. */
static inline const char *pattern_name(size_t number)
{
    const pattern_entry *entry = pattern_get(number);
    return entry ? entry->name : NULL;
}

/* The number of a pattern by name; one past the last if there is none. */
static inline size_t pattern_find(const char *name)
{
    size_t i = 0;
    while (pattern_name(i) && strcmp(pattern_name(i), name)) i++;
    return i;
}

/* Is the pattern made for this key type? Float patterns are for float types only. */
static inline int pattern_applies(size_t number, cl_uint type)
{
    const pattern_entry *entry = pattern_get(number);
    return entry && (entry->kind != PATTERN_BITS || pattern_is_float(type));
}

static inline void pattern_swap(pattern_state *s, void *keys, size_t size, uint64_t swaps)
{
    unsigned char *base = (unsigned char *)keys, spare[8];
    for (; swaps > 0 && s->n > 1; swaps--) {
        unsigned char *a = base + pattern_random(&s->random) % s->n * size;
        unsigned char *b = base + pattern_random(&s->random) % s->n * size;
        memcpy(spare, a, size);
        memmove(a, b, size);
        memcpy(b, spare, size);
    }
}

/* The bits of key i; s->random moves on. */
static inline uint64_t pattern_make(const pattern_entry *entry, pattern_state *s, uint64_t i)
{
    uint64_t code = entry->make(s, i);
    if (entry->kind == PATTERN_BITS) return code;
    code &= s->top;
    if (s->numbers && pattern_is_float(s->type)) code = pattern_number_code(s->type, code);
    return pattern_bits(s->type, code);
}

static inline void pattern_fill_as(size_t number, cl_uint type, size_t n, uint64_t seed,
                                   size_t tile, int numbers, void *keys)
{
    const pattern_entry *entry = pattern_get(number);
    size_t size = pattern_key_size(type), i;
    pattern_state s;
    s.random = seed * UINT64_C(0xD1342543DE82EF95) + number;
    s.n = n;
    s.tile = tile ? tile : 1024;
    s.width = type & 0xFFu;
    s.top = UINT64_MAX >> (64 - s.width);
    s.parameter = entry->parameter;
    s.constant = pattern_random(&s.random);
    s.type = type;
    s.numbers = numbers;
    for (i = 0; i < n; i++) pattern_store(keys, i, size, pattern_make(entry, &s, i));
    if (entry->kind == PATTERN_SWAPS) pattern_swap(&s, keys, size, s.parameter);
}

/* Writes n keys of pattern `number`, which must exist and apply. The same arguments give the same
   keys; `tile` is the block length that the tile patterns aim at (0: 1024). */
static inline void pattern_fill(size_t number, cl_uint type, size_t n, uint64_t seed, size_t tile,
                                void *keys)
{
    pattern_fill_as(number, type, n, seed, tile, 0, keys);
}

/* Likewise for users: floats are numbers, except by patterns that are named otherwise. */
static inline void pattern_fill_numbers(size_t number, cl_uint type, size_t n, uint64_t seed,
                                        void *keys)
{
    pattern_fill_as(number, type, n, seed, 0, 1, keys);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Where the sample of a selection has a cluster of four elements, of a row that it cuts into strips
   of `apart` elements: as sampled_place of kernels.cl. */
static inline size_t pattern_sampled(uint32_t cluster, size_t apart, uint32_t seed)
{
    uint32_t drawn = (2 * cluster + seed + 1) * 0x9E3779B1u;
    drawn = (drawn ^ drawn >> 15) * 0x85EBCA6Bu;
    return cluster * apart + (size_t)((uint64_t)drawn * (apart / 4) >> 32) * 4;
}

static inline int pattern_is_sampled(size_t at, uint32_t clusters, size_t apart, uint32_t seed)
{
    const size_t cluster = at / apart;
    return cluster < clusters && at - pattern_sampled((uint32_t)cluster, apart, seed) < 4;
}

/* What a work-item makes of the first `keys` keys of its 16, for the seed of a second sample: as
   seed_of_row of kernels.cl. */
static inline uint32_t pattern_mixed(const uint32_t *row, size_t n, size_t group, size_t item,
                                     size_t keys)
{
    uint32_t mixed = 0;
    size_t b;
    for (b = 0; b < keys; b++)
        mixed = (mixed ^ row[(b * group + item) * (n / (16 * group))]) * 0x9E3779B1u;
    return mixed;
}

static inline uint32_t pattern_inverse(uint32_t odd)
{
    uint32_t x = odd, i;
    for (i = 0; i < 5; i++) x *= 2 - odd * x;   /* Newton: each step doubles the bits */
    return x;
}

/* Changes the last key of a work-item so that the second sample has this seed, which is odd. */
static inline void pattern_aim(uint32_t *row, size_t n, size_t group, size_t item, uint32_t seed)
{
    const size_t last = (15 * group + item) * (n / (16 * group));
    uint32_t sum = 0;
    size_t i;
    for (i = 0; i < group; i++)
        sum += i == item ? 0 : pattern_mixed(row, n, group, i, 16) * (uint32_t)(2 * i + 1);
    row[last] = (seed - sum) * pattern_inverse((uint32_t)(2 * item + 1))
                    * pattern_inverse(0x9E3779B1u)
                ^ pattern_mixed(row, n, group, item, 15);
}

/* Puts a key of 4 bytes where the sample of a row has its clusters; with `twice`, where the second
   sample has them, too, and a key that gives this a known seed. `group`: work-items that draw. */
static inline void pattern_poison(uint32_t *row, size_t n, uint32_t clusters, size_t group,
                                  uint32_t poison, int twice)
{
    const uint32_t seeds[2] = { 0, 77 };
    const size_t apart = n / clusters;
    size_t item = 0, i;
    uint32_t c;
    for (c = 0; c < clusters; c++)
        for (i = 0; i < (twice ? 8 : 4); i++)
            row[pattern_sampled(c, apart, seeds[i / 4]) + i % 4] = poison;
    if (!twice) return;
    while (pattern_is_sampled((15 * group + item) * (n / (16 * group)), clusters, apart, seeds[0])
           || pattern_is_sampled((15 * group + item) * (n / (16 * group)), clusters, apart,
                                 seeds[1]))
        item++;
    pattern_aim(row, n, group, item, seeds[1]);
}

/* ---- records --------------------------------------------------------------------------------- */

/* Records of 100 bytes in the layout of the sort benchmark: a random key of 10 bytes, then what
   tells records apart, with the record's number in hexadecimal digits. Source: gensort of
   sortbenchmark.org. */
enum { PATTERN_RECORD_BYTES = 100, PATTERN_RECORD_KEY = 10 };

static inline void pattern_record(uint64_t *random, uint64_t number, unsigned char *record)
{
    static const unsigned char marks[][4] = { { 0x00, 0x11 }, { 0x88, 0x99, 0xAA, 0xBB },
                                              { 0xCC, 0xDD, 0xEE, 0xFF } };
    static const char digits[] = "0123456789ABCDEF";
    size_t i;
    for (i = 0; i < PATTERN_RECORD_KEY; i++)
        record[i] = (unsigned char)(pattern_random(random) >> 40);
    memcpy(record + 10, marks[0], 2);
    for (i = 0; i < 32; i++)
        record[12 + i] = (unsigned char)digits[i < 16 ? 0 : number >> 4 * (31 - i) & 15];
    memcpy(record + 44, marks[1], 4);
    for (i = 0; i < 48; i++) record[48 + i] = record[12 + 20 + i / 4];
    memcpy(record + 96, marks[2], 4);
}

static inline void pattern_records(size_t n, uint64_t seed, unsigned char *records)
{
    uint64_t random = seed;
    size_t i;
    for (i = 0; i < n; i++) pattern_record(&random, i, records + i * PATTERN_RECORD_BYTES);
}

#endif
