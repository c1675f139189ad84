/* products.h - do two files hold the same elements, in whatever order? It reads each element once,
   on all cores, and needs no memory.

   Each element is split into words w0, w1, ... of 32 bits. The product of all
     r - w0 - w1 s1 - w2 s2 - ...  modulo p = 2^61 - 1
   is a polynomial in r, s1, s2, ... that says how often each element occurs: its factors cannot be
   anything else. If two files of n elements differ, their polynomials agree in at most the fraction
   n / p of all points (Schwartz and Zippel). Two random points are tried, so that a wrong file
   passes with a chance of (n / p)^2 at most: 2^-58 for 2^32 elements. */

#ifndef CLSORT_TOOLS_PRODUCTS_H
#define CLSORT_TOOLS_PRODUCTS_H

#include "files.h"

#define PRODUCT_PRIME ((UINT64_C(1) << 61) - 1)

enum {
    PRODUCT_POINTS = 2,
    PRODUCT_LANES = 8, /* products beside each other: one waits for its last multiplication */
    PRODUCT_BLOCK = 4096
};

/* The random points: for each r, then s of each further word of an element. */
typedef struct product_point {
    uint64_t *at[PRODUCT_POINTS]; /* from malloc */
    size_t words;
} product_point;

/* Takes a number below 2^62 to one with the same remainder, not above the prime. */
static uint64_t product_reduce(uint64_t x) { return (x & PRODUCT_PRIME) + (x >> 61); }

/* The product of two numbers below 2^61 + 2, not above 2^61 + 1. */
static uint64_t product_multiply(uint64_t x, uint64_t y)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)x * y;
    return product_reduce(((uint64_t)product & PRODUCT_PRIME) + (uint64_t)(product >> 61));
#else
    const uint64_t x1 = x >> 31, x0 = x & 0x7FFFFFFF, y1 = y >> 31, y0 = y & 0x7FFFFFFF;
    const uint64_t cross = product_reduce(x1 * y0) + product_reduce(x0 * y1);
    /* 2^62 is 2, and 2^31 c is c's upper bits and its lower 30 ones moved up */
    const uint64_t middle = product_reduce(cross);
    return product_reduce(product_reduce(2 * product_reduce(x1 * y1) + product_reduce(x0 * y0))
                          + (middle >> 30) + ((middle & 0x3FFFFFFF) << 31));
#endif
}

static size_t words_of(size_t size) { return (size + 3) / 4; }

/* Draws the points for elements with a number of words. Returns an exit code. */
static int product_draw(size_t words, product_point *p)
{
    FILE *file = fopen("/dev/urandom", "rb");
    size_t i, k, drawn = 0;
    p->words = words;
    for (k = 0; k < PRODUCT_POINTS; k++) {
        p->at[k] = (uint64_t *)calloc(words, sizeof **p->at);
        if (p->at[k] && file) drawn += fread(p->at[k], sizeof **p->at, words, file);
        for (i = 0; p->at[k] && i < words; i++) p->at[k][i] %= PRODUCT_PRIME;
    }
    if (file) fclose(file);
    if (drawn == words * PRODUCT_POINTS) return DONE_OK;
    return fail(DONE_IO, "/dev/urandom: %s", strerror(file ? ENOMEM : errno));
}

static void product_forget(product_point *p)
{
    size_t k;
    for (k = 0; k < PRODUCT_POINTS; k++) free(p->at[k]);
}

/* Bytes first ... size - 1 of an element as a word, with zeros behind the last one. */
static uint64_t product_word(const unsigned char *element, size_t first, size_t size)
{
    uint32_t word = 0;
    memcpy(&word, element + first, size - first < 4 ? size - first : 4);
    return word;
}

/* A factor: of a key and, if it has one, its value. */
static uint64_t product_factor(const uint64_t *at, const unsigned char *key, size_t key_size,
                               const unsigned char *value, size_t value_size)
{
    uint64_t sum = product_word(key, 0, key_size);
    size_t i, s = 1;
    for (i = 4; i < key_size; i += 4)
        sum = product_reduce(sum + product_multiply(at[s++], product_word(key, i, key_size)));
    for (i = 0; i < value_size; i += 4)
        sum = product_reduce(sum + product_multiply(at[s++], product_word(value, i, value_size)));
    return product_reduce(at[0] + 2 * PRODUCT_PRIME - sum);
}

/* Multiplies factors with the lanes of a product. */
static void product_fold(uint64_t lanes[PRODUCT_LANES], const uint64_t *factors, size_t n)
{
    size_t i, k;
    for (i = 0; i + PRODUCT_LANES <= n; i += PRODUCT_LANES)
        for (k = 0; k < PRODUCT_LANES; k++)
            lanes[k] = product_multiply(lanes[k], factors[i + k]);
    for (; i < n; i++) lanes[0] = product_multiply(lanes[0], factors[i]);
}

/* The factors of n elements at one point; those of bare keys of 4 and 8 bytes are most wanted. */
static void product_factors(const uint64_t *at, const unsigned char *keys, size_t key_size,
                            const unsigned char *values, size_t value_size, size_t n,
                            uint64_t *factors)
{
    const uint64_t far = at[0] + 2 * PRODUCT_PRIME;
    size_t i;
    if (value_size == 0 && key_size == 4)
        for (i = 0; i < n; i++) factors[i] = product_reduce(far - product_word(keys + 4 * i, 0, 4));
    else if (value_size == 0 && key_size == 8)
        for (i = 0; i < n; i++)
            factors[i] = product_factor(at, keys + 8 * i, 8, NULL, 0);
    else
        for (i = 0; i < n; i++)
            factors[i] = product_factor(at, keys + i * key_size, key_size,
                                        value_size ? values + i * value_size : NULL, value_size);
}

/* The products of n elements at both points. */
static void product_of(const product_point *p, const unsigned char *keys, size_t key_size,
                       const unsigned char *values, size_t value_size, size_t n,
                       uint64_t product[PRODUCT_POINTS])
{
    uint64_t lanes[PRODUCT_POINTS][PRODUCT_LANES], factors[PRODUCT_BLOCK];
    size_t i, k, here;
    for (k = 0; k < PRODUCT_POINTS; k++)
        for (i = 0; i < PRODUCT_LANES; i++) lanes[k][i] = 1;
    for (i = 0; i < n; i += here) {
        here = n - i < PRODUCT_BLOCK ? n - i : PRODUCT_BLOCK;
        for (k = 0; k < PRODUCT_POINTS; k++) {
            product_factors(p->at[k], keys + i * key_size, key_size,
                            value_size ? values + i * value_size : NULL, value_size, here, factors);
            product_fold(lanes[k], factors, here);
        }
    }
    for (k = 0; k < PRODUCT_POINTS; k++)
        for (product[k] = 1, i = 0; i < PRODUCT_LANES; i++)
            product[k] = product_multiply(product[k], lanes[k][i]);
}

/* The same number, below the prime. */
static uint64_t product_value(uint64_t x)
{
    x = product_reduce(x);
    return x >= PRODUCT_PRIME ? x - PRODUCT_PRIME : x;
}

#endif
