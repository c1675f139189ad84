/* reference.h - what clsort must produce, computed on the host by other means: positions in the
   ordered list of all keys of a type, counted from the fields of a float, and a stable merge sort
   of indices, repeated for records of several fields. */

#ifndef CLSORT_TOOLS_REFERENCE_H
#define CLSORT_TOOLS_REFERENCE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../clsort.h"

/* The bits of the key at `place`. */
static inline uint64_t reference_bits(const void *place, size_t size)
{
    uint64_t b8 = 0;
    uint32_t b4 = 0;
    uint16_t b2 = 0;
    if (size == 8) memcpy(&b8, place, 8);
    else if (size == 4) memcpy(&b4, place, 4), b8 = b4;
    else if (size == 2) memcpy(&b2, place, 2), b8 = b2;
    else b8 = *(const unsigned char *)place;
    return b8;
}

/* Bits of the mantissa; 0 for integers. */
static inline unsigned reference_mantissa(cl_uint type)
{
    switch (type) {
    case CLSORT_F16: return 10;
    case CLSORT_BF16: return 7;
    case CLSORT_F32: return 23;
    case CLSORT_F64: return 52;
    default: return 0;
    }
}

/* The place of a key among all keys of its type in ascending order, counted from 0. */
static inline uint64_t reference_place(uint64_t bits, cl_uint type)
{
    unsigned width = type & 0xFFu;
    uint64_t half = UINT64_C(1) << (width - 1);
    if (reference_mantissa(type)) {
        uint64_t magnitude = bits % half;
        return bits >= half ? half - 1 - magnitude : half + magnitude;
    }
    if (type == CLSORT_I8 || type == CLSORT_I16 || type == CLSORT_I32 || type == CLSORT_I64)
        return bits >= half ? bits - half : bits + half;
    return bits;
}

/* A number that orders keys as a clsort description does: a key with a smaller one comes first.
   With all NaNs last they keep the order of the circle that joins the last NaN of the total order
   to the first one: ascending +NaN before -NaN. With all NaNs equal, all count as one of them. */
static inline uint64_t reference_code(uint64_t bits, cl_uint type, cl_uint order, cl_uint nan_order,
                                      cl_uint zero_order)
{
    unsigned width = type & 0xFFu, mantissa = reference_mantissa(type);
    uint64_t last = UINT64_MAX >> (64 - width), place, nans;
    nans = (UINT64_C(1) << mantissa) - 1;
    if (mantissa && nan_order == CLSORT_NAN_EQUAL && (bits & last >> 1) > (last >> 1) - nans)
        bits = (last >> 1) - nans + 1;
    if (mantissa && zero_order == CLSORT_ZERO_EQUAL && bits == (UINT64_C(1) << (width - 1)))
        bits = 0;
    place = reference_place(bits, type);
    if (order == CLSORT_DESCENDING) place = last - place;
    if (!mantissa || nan_order == CLSORT_NAN_TOTAL) return place;
    return place < nans ? last - nans + 1 + place : place - nans;
}

/* The part of a code that a description sorts by. */
static inline uint64_t reference_some_bits(uint64_t code, const clsort_desc *d)
{
    unsigned last = d->last_bit ? d->last_bit : 64;
    return (code & UINT64_MAX >> (64 - last)) >> d->first_bit;
}

/* The codes of n keys that lie `stride` bytes apart, by the options of a description. */
static inline void reference_codes(const void *keys, size_t stride, size_t n, const clsort_desc *d,
                                   uint64_t *codes)
{
    size_t size = (d->key_type & 0xFFu) / 8, i;
    for (i = 0; i < n; i++) {
        uint64_t bits = reference_bits((const unsigned char *)keys + i * stride, size);
        codes[i] = reference_some_bits(
            reference_code(bits, d->key_type, d->order, d->nan_order, d->zero_order), d);
    }
}

/* Merges from[low ... middle) and from[middle ... high), both sorted, into `to`; of equal codes the
   left one comes first. */
static inline void reference_merge(const uint64_t *codes, const uint32_t *from, uint32_t *to,
                                   size_t low, size_t middle, size_t high)
{
    size_t left = low, right = middle, i;
    for (i = low; i < high; i++) {
        int take_right = left == middle || (right < high && codes[from[right]] < codes[from[left]]);
        to[i] = from[take_right ? right++ : left++];
    }
}

static inline void reference_count_up(uint32_t *order, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) order[i] = (uint32_t)i;
}

/* Sorts `order`, which holds numbers of codes, by code; equal ones keep their order. Returns 0 if
   there is no memory. */
static inline int reference_refine(const uint64_t *codes, size_t n, uint32_t *order)
{
    uint32_t *spare = (uint32_t *)malloc(n * sizeof *spare + 1), *from = order, *to = spare, *swap;
    size_t run, i;
    if (!spare) return 0;
    for (run = 1; run < n; run *= 2) {
        for (i = 0; i < n; i += 2 * run) {
            size_t middle = i + run < n ? i + run : n, high = i + 2 * run < n ? i + 2 * run : n;
            reference_merge(codes, from, to, i, middle, high);
        }
        swap = from;
        from = to;
        to = swap;
    }
    if (from != order) memcpy(order, from, n * sizeof *order);
    free(spare);
    return 1;
}

/* order[i] becomes the index of the i-th code in stable order. Returns 0 if there is no memory. */
static inline int reference_argsort(const uint64_t *codes, size_t n, uint32_t *order)
{
    reference_count_up(order, n);
    return reference_refine(codes, n, order);
}

/* Is a field a string of bytes? Then it has a code for each 7 bytes; any other field has one. */
static inline int reference_is_bytes(cl_uint type)
{
    return type >> 8 == CLSORT_BYTES >> 8;
}

/* The bytes of a field. */
static inline size_t reference_field_size(cl_uint type)
{
    return reference_is_bytes(type) ? type & 0xFFu : (type & 0xFFu) / 8;
}

static inline size_t reference_field_parts(const clsort_field *f)
{
    return reference_is_bytes(f->type) ? (reference_field_size(f->type) + 6) / 7 : 1;
}

/* Code `part` of a string of bytes. */
static inline uint64_t reference_bytes_code(const unsigned char *place, const clsort_field *f,
                                            size_t part)
{
    const size_t size = reference_field_size(f->type);
    uint64_t code = 0;
    size_t i;
    for (i = 7 * part; i < 7 * part + 7; i++) code = code * 256 + (i < size ? place[i] : 0);
    return f->order == CLSORT_DESCENDING ? (UINT64_C(1) << 56) - code : code;
}

/* Code `part` of one field of n records. */
static inline void reference_part_codes(const void *records, size_t record_size, size_t n,
                                        const clsort_field *f, size_t part, uint64_t *codes)
{
    const size_t size = reference_field_size(f->type);
    size_t i;
    for (i = 0; i < n; i++) {
        const unsigned char *place = (const unsigned char *)records + i * record_size + f->offset;
        codes[i] = reference_is_bytes(f->type)
                       ? reference_bytes_code(place, f, part)
                       : reference_code(reference_bits(place, size), f->type, f->order,
                                        f->nan_order, f->zero_order);
    }
}

/* codes[i] becomes the place of record i in the order of a description's fields, the same for equal
   records: sorted by the last field, then stably by the one before it, up to the first. Returns 0
   if there is no memory. */
static inline int reference_record_codes(const void *records, size_t n, const clsort_desc *d,
                                         uint64_t *codes)
{
    uint32_t *order = (uint32_t *)malloc(n * sizeof *order + 1);
    unsigned char *differs = (unsigned char *)calloc(n + 1, 1);
    int done = order && differs;
    uint64_t *field = (uint64_t *)malloc(n * sizeof *field + 1), place = 0;
    size_t i, part;
    cl_uint f;
    done = done && field;
    if (done) reference_count_up(order, n);
    for (f = d->field_count; done && f-- > 0;)
        for (part = reference_field_parts(&d->fields[f]); done && part-- > 0;) {
            reference_part_codes(records, d->record_size, n, &d->fields[f], part, field);
            done = reference_refine(field, n, order);
        }
    for (f = 0; done && f < d->field_count; f++)
        for (part = 0; part < reference_field_parts(&d->fields[f]); part++) {
            reference_part_codes(records, d->record_size, n, &d->fields[f], part, field);
            for (i = 1; i < n; i++) differs[i] |= field[order[i - 1]] != field[order[i]];
        }
    for (i = 0; done && i < n; i++) codes[order[i]] = place += differs[i];
    free(order);
    free(differs);
    free(field);
    return done;
}

/* The number of the first code below its predecessor, n if there is none. */
static inline size_t reference_first_unordered(const uint64_t *codes, size_t n)
{
    size_t i;
    for (i = 1; i < n; i++)
        if (codes[i] < codes[i - 1]) return i;
    return n;
}

static inline int reference_is_ordered(const uint64_t *codes, size_t n)
{
    return reference_first_unordered(codes, n) == n;
}

/* Does every number below n occur exactly once? 0 also if there is no memory. */
static inline int reference_is_permutation(const uint32_t *indices, size_t n)
{
    unsigned char *seen = (unsigned char *)calloc(n + 1, 1);
    size_t i = 0;
    if (seen)
        while (i < n && indices[i] < n && !seen[indices[i]]) seen[indices[i++]] = 1;
    else
        n = SIZE_MAX;
    free(seen);
    return i == n;
}

#endif
