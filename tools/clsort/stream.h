/* stream.h - checks of sorted files that read each element once, in order, on all cores: files may
   be larger than memory. They say whether a result is right; what is wrong with one, verify.h says
   in more words where it has the memory. */

#ifndef CLSORT_TOOLS_STREAM_H
#define CLSORT_TOOLS_STREAM_H

#include <fcntl.h>

#include "order.h"
#include "outputs.h"
#include "products.h"

/* ---- order ----------------------------------------------------------------------------------- */

/* Compares two records by a field: below 0, 0 or above 0. */
static int field_compare(const clsort_field *f, const unsigned char *x, const unsigned char *y)
{
    const size_t bytes = reference_field_size(f->type);
    uint64_t a, b;
    if (reference_is_bytes(f->type)) {
        const int order = memcmp(x + f->offset, y + f->offset, bytes);
        return f->order == CLSORT_DESCENDING ? -order : order;
    }
    a = reference_code(reference_bits(x + f->offset, bytes), f->type, f->order, f->nan_order,
                       f->zero_order);
    b = reference_code(reference_bits(y + f->offset, bytes), f->type, f->order, f->nan_order,
                       f->zero_order);
    return a < b ? -1 : a > b;
}

/* Compares two elements as a description by keys or fields does: below 0, 0 or above 0. */
static int element_compare(const clsort_desc *d, const unsigned char *x, const unsigned char *y)
{
    const size_t size = (d->key_type & 0xFFu) / 8;
    uint64_t a, b;
    int order = 0;
    cl_uint i;
    for (i = 0; i < d->field_count && !order; i++) order = field_compare(&d->fields[i], x, y);
    if (d->fields) return order;
    a = reference_some_bits(reference_code(reference_bits(x, size), d->key_type, d->order,
                                           d->nan_order, d->zero_order), d);
    b = reference_some_bits(reference_code(reference_bits(y, size), d->key_type, d->order,
                                           d->nan_order, d->zero_order), d);
    return a < b ? -1 : a > b;
}

/* What reference_code does with all bits of a key and zeros apart, as three constants:
   (bits ^ flip ^ (sign ? mask : 0)) - rotate. */
typedef struct order_codec { uint64_t flip, mask, rotate; } order_codec;

static order_codec codec_of(const clsort_desc *d)
{
    const unsigned width = d->key_type & 0xFFu, mantissa = reference_mantissa(d->key_type);
    const uint64_t last = UINT64_MAX >> (64 - width);
    order_codec c;
    c.flip = reference_place(0, d->key_type);
    c.mask = mantissa ? last / 2 : 0;
    if (d->order == CLSORT_DESCENDING) c.flip ^= last;
    c.rotate = mantissa && d->nan_order == CLSORT_NAN_LAST ? (UINT64_C(1) << mantissa) - 1 : 0;
    return c;
}

/* The first of keys 1 ... n - 1 that comes before its predecessor, else n. */
#define STREAM_FIRST(bits) \
    static size_t first_disorder_##bits(const void *data, size_t n, const order_codec *c) \
    { \
        typedef uint##bits##_t word; \
        const word *keys = (const word *)data; \
        const word flip = (word)c->flip, mask = (word)c->mask, rotate = (word)c->rotate; \
        word before = 0; \
        size_t i; \
        for (i = 0; i < n; i++) { \
            const word key = keys[i], negative = (word)(0 - (word)(key >> (bits - 1))); \
            const word code = (word)((word)(key ^ flip ^ (negative & mask)) - rotate); \
            if (code < before) return i; \
            before = code; \
        } \
        return n; \
    }

STREAM_FIRST(8)
STREAM_FIRST(16)
STREAM_FIRST(32)
STREAM_FIRST(64)

/* ---- two files ------------------------------------------------------------------------------- */

typedef struct stream_check {
    const clsort_desc *d;
    key_array keys[2], values[2]; /* of INPUT and OUTPUT, mapped */
    product_point points;
    uint64_t product[2][THREADS_MOST][PRODUCT_POINTS];
    size_t disorder[THREADS_MOST]; /* where a part of OUTPUT is not sorted; SIZE_MAX: it is */
    size_t parts;
    int by_codec;
} stream_check;

/* Elements begin ... end - 1 of a file: the first that comes before its predecessor, else end. */
static size_t first_disorder(const stream_check *s, const key_array *k, size_t begin, size_t end)
{
    const unsigned char *at = k->data + begin * k->size;
    const size_t n = end - begin;
    size_t i = 1;
    if (s->by_codec) {
        const order_codec c = codec_of(s->d);
        return begin + (k->size == 1   ? first_disorder_8(at, n, &c)
                        : k->size == 2 ? first_disorder_16(at, n, &c)
                        : k->size == 4 ? first_disorder_32(at, n, &c)
                                       : first_disorder_64(at, n, &c));
    }
    while (i < n && element_compare(s->d, at + (i - 1) * k->size, at + i * k->size) <= 0) i++;
    return i < n ? begin + i : end;
}

/* Multiplies the product of a part of a file with that of some elements. */
static void stream_product(stream_check *s, size_t f, size_t part, size_t first, size_t n)
{
    const key_array *keys = &s->keys[f], *values = &s->values[f];
    uint64_t product[PRODUCT_POINTS];
    size_t k;
    product_of(&s->points, keys->data + first * keys->size, keys->size,
               values->size ? values->data + first * values->size : NULL, values->size, n, product);
    for (k = 0; k < PRODUCT_POINTS; k++)
        s->product[f][part][k] = product_multiply(s->product[f][part][k], product[k]);
}

/* A thread's part of both files, a block at a time while a cache has it. */
static void stream_part(void *user, size_t part, size_t parts)
{
    stream_check *s = (stream_check *)user;
    size_t f, i, here;
    s->parts = parts;
    s->disorder[part] = SIZE_MAX;
    for (f = 0; f < 2; f++) {
        const size_t count = s->keys[f].count, end = part_start(count, part + 1, parts);
        for (i = 0; i < PRODUCT_POINTS; i++) s->product[f][part][i] = 1;
        for (i = part_start(count, part, parts); i < end; i += here) {
            here = end - i < PRODUCT_BLOCK ? end - i : PRODUCT_BLOCK;
            stream_product(s, f, part, i, here);
            if (f && s->disorder[part] == SIZE_MAX) {
                const size_t found = first_disorder(s, &s->keys[1], i ? i - 1 : 0, i + here);
                if (found < i + here) s->disorder[part] = found;
            }
        }
    }
}

static int products_agree(const stream_check *s)
{
    size_t f, k, part;
    uint64_t all[2][PRODUCT_POINTS];
    for (f = 0; f < 2; f++)
        for (k = 0; k < PRODUCT_POINTS; k++)
            for (all[f][k] = 1, part = 0; part < s->parts; part++)
                all[f][k] = product_multiply(all[f][k], s->product[f][part][k]);
    for (k = 0; k < PRODUCT_POINTS; k++)
        if (product_value(all[0][k]) != product_value(all[1][k])) return 0;
    return 1;
}

/* Maps a regular file as elements. Returns 0 where that cannot be: a pipe, bytes left over. */
static int stream_map(const char *path, size_t size, key_array *array)
{
    struct stat facts;
    void *data = MAP_FAILED;
    const int descriptor = path && strcmp(path, "-") ? open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
                                                     : -1;
    *array = keys_none(NULL, size);
    if (descriptor < 0) return 0;
    if (!fstat(descriptor, &facts) && S_ISREG(facts.st_mode) && facts.st_size > 0
        && (unsigned long long)facts.st_size < SIZE_MAX / 2 && (size_t)facts.st_size % size == 0)
        data = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (data == MAP_FAILED) return 0;
    signal(SIGBUS, on_lost_page);
#if defined(MADV_SEQUENTIAL)
    madvise(data, (size_t)facts.st_size, MADV_SEQUENTIAL);
#endif
    array->data = (unsigned char *)data;
    array->room = (size_t)facts.st_size;
    array->count = array->room / size;
    return 1;
}

static void stream_unmap(stream_check *s)
{
    size_t f;
    for (f = 0; f < 2; f++) {
        array_free(&s->keys[f]);
        array_free(&s->values[f]);
    }
}

/* Maps what two commands have read and written; element_size 0: there are no values. Returns 0
   where that cannot be. */
static int stream_open(const arguments *a, size_t size, size_t value_size, stream_check *s)
{
    size_t f;
    memset(s, 0, sizeof *s);
    for (f = 0; f < 2; f++) {
        s->values[f] = keys_none(NULL, value_size);
        if (!stream_map(a->operand[f], size, &s->keys[f])) break;
        if (!value_size) continue;
        if (!stream_map(a->value[OPTION_VALUES][f], value_size, &s->values[f])
            || s->values[f].count != s->keys[f].count)
            break;
    }
    if (f < 2) stream_unmap(s);
    return f == 2;
}

/* Reads both files. Returns an exit code; what is wrong is printed if `says`. */
static int stream_compare(stream_check *s, int says)
{
    size_t part, first = SIZE_MAX;
    int code = product_draw(words_of(s->keys[0].size) + words_of(s->values[0].size), &s->points);
    if (code == DONE_OK) work_share(stream_part, s);
    product_forget(&s->points);
    if (code != DONE_OK) return code;
    for (part = s->parts; part-- > 0;)
        if (s->disorder[part] != SIZE_MAX) first = s->disorder[part];
    if (first == SIZE_MAX && s->keys[0].count == s->keys[1].count && products_agree(s))
        return DONE_OK;
    if (!says) return DONE_WRONG;
    if (first != SIZE_MAX)
        printf("wrong at position %zu: it comes before its predecessor\n", first);
    if (s->keys[0].count != s->keys[1].count)
        printf("wrong at the end: %zu elements in INPUT, %zu in OUTPUT\n", s->keys[0].count,
               s->keys[1].count);
    else if (!products_agree(s))
        printf("wrong: the %s of OUTPUT are not those of INPUT\n",
               s->values[0].size ? "keys with their values" : "elements");
    return DONE_WRONG;
}

#endif
