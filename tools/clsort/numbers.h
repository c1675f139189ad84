/* numbers.h - key types by name, and keys as text: parsed exactly or correctly rounded, printed so
   that they round-trip.

   A NaN is printed as nan, -nan or, with any other than the usual quiet bit pattern, as
   nan(0xFRACTION). */

#ifndef CLSORT_TOOLS_NUMBERS_H
#define CLSORT_TOOLS_NUMBERS_H

#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

typedef struct key_type {
    const char *name;
    cl_uint code;       /* CLSORT_U8 ... */
    unsigned size;      /* bytes */
    unsigned fraction;  /* bits of a float's fraction; 0: an integer */
    int is_signed;
} key_type;

enum { KEY_TYPE_COUNT = 12, NUMBER_ROOM = 64 };

static const key_type key_types[KEY_TYPE_COUNT] = {
    { "u8", CLSORT_U8, 1, 0, 0 },    { "i8", CLSORT_I8, 1, 0, 1 },
    { "u16", CLSORT_U16, 2, 0, 0 },  { "i16", CLSORT_I16, 2, 0, 1 },
    { "u32", CLSORT_U32, 4, 0, 0 },  { "i32", CLSORT_I32, 4, 0, 1 },
    { "u64", CLSORT_U64, 8, 0, 0 },  { "i64", CLSORT_I64, 8, 0, 1 },
    { "f16", CLSORT_F16, 2, 10, 1 }, { "bf16", CLSORT_BF16, 2, 7, 1 },
    { "f32", CLSORT_F32, 4, 23, 1 }, { "f64", CLSORT_F64, 8, 52, 1 }
};

/* The type of that name, NULL if there is none. */
static const key_type *key_type_find(const char *name)
{
    size_t i;
    for (i = 0; i < KEY_TYPE_COUNT; i++)
        if (!strcmp(key_types[i].name, name)) return &key_types[i];
    return NULL;
}

/* The bits of key i of an array. */
static uint64_t key_bits(const key_type *type, const void *keys, size_t i)
{
    return reference_bits((const unsigned char *)keys + i * type->size, type->size);
}

static uint64_t sign_bit(const key_type *type)      { return (uint64_t)1 << (type->size * 8 - 1); }
static uint64_t fraction_mask(const key_type *type) { return ((uint64_t)1 << type->fraction) - 1; }
static uint64_t infinity_bits(const key_type *type)
{
    return sign_bit(type) - 1 - fraction_mask(type);
}

/* The magnitude of a finite float of less than 4 bytes is n * 2^q with q = max(exponent, smallest
   exponent) - fraction bits. */
static int smallest_exponent(const key_type *type)
{
    return 2 - (1 << (8 * type->size - 2 - type->fraction));
}

static double small_to_double(const key_type *type, uint64_t bits)
{
    int field = (int)((bits & infinity_bits(type)) >> type->fraction);
    uint64_t n = (bits & fraction_mask(type)) | (field ? fraction_mask(type) + 1 : 0);
    double magnitude = ldexp((double)n, (field ? field - 1 : 0) + smallest_exponent(type)
                                            - (int)type->fraction);
    return bits & sign_bit(type) ? -magnitude : magnitude;
}

/* Rounds to the nearest such float, ties to even; too large values become infinities. */
static uint64_t small_from_double(const key_type *type, double value)
{
    uint64_t sign = signbit(value) ? sign_bit(type) : 0, bits;
    int exponent, low = smallest_exponent(type);
    if (isinf(value)) return sign | infinity_bits(type);
    frexp(value, &exponent);
    exponent = value != 0 && exponent - 1 > low ? exponent - 1 : low;
    if (exponent > 1 - low) return sign | infinity_bits(type);
    bits = (uint64_t)nearbyint(ldexp(fabs(value), (int)type->fraction - exponent));
    /* The leading 1 of a normal number adds the last 1. */
    bits += (uint64_t)(exponent - low) << type->fraction;
    return sign | bits;
}

/* strtod rounded to odd: a second rounding to fewer bits is then as good as one rounding of the
   text itself. */
static double strtod_to_odd(const char *text, char **end)
{
    int mode = fegetround();
    double low, high;
    uint64_t bits;
    fesetround(FE_DOWNWARD);
    low = strtod(text, end);
    fesetround(FE_UPWARD);
    high = strtod(text, end);
    fesetround(mode);
    memcpy(&bits, &low, sizeof bits);
    return bits & 1 ? low : high;
}

/* nan, -nan, nan(0xFRACTION). Returns the end of what it understood, NULL if the text is not a
   NaN. */
static const char *nan_parse(const key_type *type, const char *text, uint64_t *bits)
{
    uint64_t sign = *text == '-' ? sign_bit(type) : 0, fraction = (fraction_mask(type) + 1) >> 1;
    char *end;
    if (*text == '-' || *text == '+') text++;
    if (strncmp(text, "nan", 3) && strncmp(text, "NaN", 3) && strncmp(text, "NAN", 3)) return NULL;
    text += 3;
    if (!strncmp(text, "(0x", 3) && isxdigit((unsigned char)text[3])) {
        fraction = strtoull(text + 1, &end, 16);
        if (*end != ')' || !fraction || fraction > fraction_mask(type)) return text;
        text = end + 1;
    }
    *bits = sign | infinity_bits(type) | fraction;
    return text;
}

/* The three parsers return NULL if [text, end) is a number, and set *bits; else what is wrong. *end
   is '\0'. */
static const char *float_parse(const key_type *type, const char *text, const char *end,
                               uint64_t *bits)
{
    const char *after_nan = nan_parse(type, text, bits);
    char *stop;
    double wide;
    float narrow;
    uint32_t narrow_bits;
    if (after_nan) return after_nan == end ? NULL : "is not a number";
    errno = 0;
    if (type->size == 8) {
        wide = strtod(text, &stop);
        memcpy(bits, &wide, 8);
    } else if (type->size == 4) {
        narrow = strtof(text, &stop);
        memcpy(&narrow_bits, &narrow, 4);
        *bits = narrow_bits;
    } else {
        wide = strtod_to_odd(text, &stop);
        *bits = small_from_double(type, wide);
        if (!isinf(wide)) errno = ERANGE;
    }
    if (stop != end) return "is not a number";
    if (errno == ERANGE && (*bits & ~sign_bit(type)) == infinity_bits(type))
        return "is out of range";
    return NULL;
}

static const char *integer_parse(const key_type *type, const char *text, const char *end,
                                 uint64_t *bits)
{
    int negative = *text == '-';
    uint64_t limit = type->is_signed ? sign_bit(type) - 1 : sign_bit(type) * 2 - 1, value = 0;
    if (*text == '-' || *text == '+') text++;
    if (text == end) return "is not a whole number";
    if (negative) limit = type->is_signed ? limit + 1 : 0;
    for (; text < end; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (*text < '0' || *text > '9') return "is not a whole number";
        if (digit > limit || value > (limit - digit) / 10) return "is out of range";
        value = value * 10 + digit;
    }
    *bits = negative ? 0 - value : value;
    return NULL;
}

static const char *number_parse(const key_type *type, const char *text, const char *end,
                                uint64_t *bits)
{
    if (text == end) return "is not a number";
    return type->fraction ? float_parse(type, text, end, bits)
                          : integer_parse(type, text, end, bits);
}

/* The shortest %g form that reads back as the same bits, starting from the digits that always
   survive. */
static void float_print(const key_type *type, uint64_t bits, char text[NUMBER_ROOM])
{
    int digits = (int)(type->fraction * 30103ul / 100000);
    double value;
    float narrow;
    uint32_t narrow_bits = (uint32_t)bits;
    uint64_t again = ~bits;
    memcpy(&narrow, &narrow_bits, 4);
    memcpy(&value, &bits, 8);
    if (type->size == 4) value = (double)narrow;
    if (type->size < 4) value = small_to_double(type, bits);
    for (; again != bits; digits++) {
        snprintf(text, NUMBER_ROOM, "%.*g", digits, value);
        if (float_parse(type, text, text + strlen(text), &again)) again = ~bits;
    }
}

/* Prints a key given by its bits. */
static void number_print(const key_type *type, uint64_t bits, char text[NUMBER_ROOM])
{
    uint64_t magnitude = bits & ~sign_bit(type), fraction = bits & fraction_mask(type);
    const char *sign = type->is_signed && bits & sign_bit(type) ? "-" : "";
    if (!type->fraction) {
        if (*sign) bits = sign_bit(type) - magnitude;
        snprintf(text, NUMBER_ROOM, "%s%" PRIu64, sign, bits);
    } else if (magnitude < infinity_bits(type)) {
        float_print(type, bits, text);
    } else if (magnitude == infinity_bits(type)) {
        snprintf(text, NUMBER_ROOM, "%sinf", sign);
    } else if (fraction == (fraction_mask(type) + 1) >> 1) {
        snprintf(text, NUMBER_ROOM, "%snan", sign);
    } else {
        snprintf(text, NUMBER_ROOM, "%snan(0x%" PRIx64 ")", sign, fraction);
    }
}

#endif
