/* parts.h - what of a file is sorted apart, as the options of a command say it: the whole, rows at
   a stride, or segments between the offsets of another file. */

#ifndef CLSORT_TOOLS_PARTS_H
#define CLSORT_TOOLS_PARTS_H

#include "order.h"

typedef struct file_parts {
    int is_whole;           /* nothing is sorted apart: one row */
    size_t count;
    size_t length, stride;  /* of rows, in elements */
    key_array offsets;      /* of segments, one more than there are; no data: rows */
} file_parts;

static file_parts parts_none(void)
{
    file_parts none;
    none.is_whole = 1;
    none.count = none.length = none.stride = 0;
    none.offsets = keys_none(key_type_find("u32"), 0);
    return none;
}

static size_t part_begin(const file_parts *p, size_t i)
{
    return p->offsets.data ? (size_t)key_bits(p->offsets.type, p->offsets.data, i) : i * p->stride;
}

static size_t part_end(const file_parts *p, size_t i)
{
    return p->offsets.data ? part_begin(p, i + 1) : i * p->stride + p->length;
}

static void parts_free(file_parts *p)
{
    array_free(&p->offsets);
}

/* Elements begin ... end - 1 of an array; not to be freed. */
static key_array array_part(const key_array *all, size_t begin, size_t end)
{
    key_array part = *all;
    part.data += begin * all->size;
    part.count = end - begin;
    return part;
}

/* Rows of n elements altogether; the last one ends with the file. Returns an exit code. */
static int rows_options(const arguments *a, size_t n, size_t element, file_parts *p)
{
    unsigned long long rows = 0, stride;
    if (!count_parse(argument(a, OPTION_ROWS, ""), &rows) || rows == 0 || rows > UINT32_MAX)
        return fail(DONE_USAGE, "--rows must be a count, not '%s'", argument(a, OPTION_ROWS, ""));
    p->count = (size_t)rows;
    if (!a->given[OPTION_STRIDE]) {
        p->length = p->stride = n / p->count;
        return n % p->count == 0
                   ? DONE_OK
                   : fail(DONE_IO, "%zu elements are not %zu rows of the same length", n, p->count);
    }
    if (!count_parse(argument(a, OPTION_STRIDE, ""), &stride) || stride == 0 || stride % element
        || stride > SIZE_MAX)
        return fail(DONE_USAGE, "--stride must be a multiple of an element's %zu bytes, not '%s'",
                    element, argument(a, OPTION_STRIDE, ""));
    p->stride = (size_t)(stride / element);
    p->length = p->count - 1 <= n / p->stride ? n - (p->count - 1) * p->stride : 0;
    if (p->length <= p->stride && (p->length > 0 || (n == 0 && p->count == 1))) return DONE_OK;
    return fail(DONE_IO, "%zu bytes are not %zu rows, %llu bytes apart", n * element, p->count,
                stride);
}

/* Reads the offsets of segments of n elements. Returns an exit code. */
static int segments_read(const arguments *a, size_t n, file_parts *p)
{
    const char *path = argument(a, OPTION_SEGMENTS, NULL), *const name = input_name(path);
    const read_limit limit = limit_of_host();
    size_t i;
    int code = keys_read(path, a->given[OPTION_TEXT], &limit, &p->offsets);
    if (code != DONE_OK) return code;
    if (!p->offsets.count) return fail(DONE_IO, "%s: there is no offset", name);
    p->count = p->offsets.count - 1;
    for (i = 0; i <= p->count; i++)
        if (part_begin(p, i) > n || (i && part_begin(p, i) < part_begin(p, i - 1)))
            return fail(DONE_IO, "%s: offset %zu, counted from 0, is %zu: %s", name, i,
                        part_begin(p, i),
                        part_begin(p, i) > n ? "beyond the end" : "less than the one before");
    return DONE_OK;
}

/* Fills *p, made by parts_none, for a file of keys or records that was read; parts_free afterwards,
   also after a failure. Returns an exit code. */
static int parts_options(const arguments *a, const clsort_desc *d, const key_array *keys,
                         file_parts *p)
{
    const int some = a->given[OPTION_ROWS] || a->given[OPTION_SEGMENTS];
    p->is_whole = !some;
    p->count = 1;
    p->length = p->stride = keys->count;
    if (a->given[OPTION_ROWS] && a->given[OPTION_SEGMENTS])
        return fail(DONE_USAGE, "--rows and --segments exclude each other");
    if (a->given[OPTION_STRIDE] && !a->given[OPTION_ROWS])
        return fail(DONE_USAGE, "--stride needs --rows");
    if (some && d->precedes) return fail(DONE_USAGE, "--rows and --segments go without --precedes");
    if (!some) return DONE_OK;
    return a->given[OPTION_ROWS] ? rows_options(a, keys->count, keys->size, p)
                                 : segments_read(a, keys->count, p);
}

#endif
