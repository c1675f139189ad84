/* files.h - reads the files of the clsort program, and no more of them than can be sorted. */

#ifndef CLSORT_TOOLS_FILES_H
#define CLSORT_TOOLS_FILES_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "numbers.h"
#include "options.h"
#include "patterns.h"

enum {
    LINE_MOST = 4096,     /* bytes of a line of text */
    SOURCE_MOST = 1 << 20 /* bytes of an expression or of a type */
};

/* What clsort sorts at once; where addresses are short, what tables of 16 bytes for each leave. */
#define ELEMENTS_MOST ((size_t)(SIZE_MAX / 16 < UINT32_MAX ? SIZE_MAX / 16 : UINT32_MAX))

typedef struct key_array {
    const key_type *type;  /* NULL: records or values, which have no form as text */
    size_t size;           /* bytes of an element */
    unsigned char *data;   /* from malloc */
    size_t count;
} key_array;

/* How much of a file may be read. */
typedef struct read_limit {
    size_t most;              /* elements */
    const char *device;       /* that holds no more; NULL: the limit is ELEMENTS_MOST */
    size_t each;              /* bytes that an element takes there, in all arrays together */
    cl_ulong memory, largest; /* bytes of the device, and of one buffer on it */
} read_limit;

static key_array keys_none(const key_type *type, size_t size)
{
    key_array none;
    none.type = type;
    none.size = type ? type->size : size;
    none.data = NULL;
    none.count = 0;
    return none;
}

static read_limit limit_of_host(void)
{
    read_limit limit;
    memset(&limit, 0, sizeof limit);
    limit.most = ELEMENTS_MOST;
    return limit;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

typedef struct input_file {
    FILE *file;
    const char *name;         /* for messages */
    unsigned long long ahead; /* bytes, if it is a regular file; else 0 */
} input_file;

/* Opens a file, or standard input if the path is NULL or "-". Returns an exit code. */
static int input_open(input_file *in, const char *path)
{
    static int stdin_was_read;
    const int is_stdin = !path || !strcmp(path, "-");
    struct stat facts;
    off_t at;
    in->ahead = 0;
    in->name = is_stdin ? "standard input" : path;
    if (is_stdin && stdin_was_read++)
        return fail(DONE_USAGE, "standard input can be read only once");
    in->file = is_stdin ? stdin : fopen(path, "rb");
    if (!in->file) return fail(DONE_IO, "%s: %s", in->name, strerror(errno));
    if (fstat(fileno(in->file), &facts) || !S_ISREG(facts.st_mode)) return DONE_OK;
    at = lseek(fileno(in->file), 0, SEEK_CUR);
    if (at >= 0 && at < facts.st_size) in->ahead = (unsigned long long)(facts.st_size - at);
    return DONE_OK;
}

static void input_close(input_file *in)
{
    if (in->file != stdin) fclose(in->file); /* only read from: nothing can be lost */
}

/* Reads a file to its end, but at most a byte more than `most`, into malloc memory with a '\0'
   behind the last byte. free(*data) afterwards, also after a failure. Returns an exit code. */
static int bytes_read(input_file *in, size_t most, unsigned char **data, size_t *size)
{
    size_t room = (in->ahead < most ? (size_t)in->ahead : 0) + 65536, got = 1;
    *data = NULL;
    for (*size = 0; got > 0 && *size <= most; *size += got) {
        if (!*data || *size + 1 == room) {
            unsigned char *grown = (unsigned char *)realloc(*data, *data ? room * 2 : room);
            if (!grown) return fail(DONE_IO, "%s: %s", in->name, strerror(ENOMEM));
            if (*data) room *= 2;
            *data = grown;
        }
        got = room - *size - 1;
        if (got > most - *size) got = most - *size + 1;
        got = fread(*data + *size, 1, got, in->file);
        if (ferror(in->file)) return fail(DONE_IO, "%s: %s", in->name, strerror(errno));
    }
    (*data)[*size] = '\0';
    return DONE_OK;
}

/* Reads a text for a compiler. free(*text) afterwards, also after a failure. Returns an exit
   code. */
static int source_read(const char *path, unsigned char **text)
{
    input_file in;
    size_t size;
    int code = input_open(&in, path);
    *text = NULL;
    if (code != DONE_OK) return code;
    code = bytes_read(&in, SOURCE_MOST, text, &size);
    input_close(&in);
    if (code != DONE_OK) return code;
    if (memchr(*text, '\0', size))
        return fail(DONE_IO, "%s: has a zero byte: it is not a text", in.name);
    if (size <= SOURCE_MOST) return DONE_OK;
    return fail(DONE_IO, "%s: is longer than %d bytes", in.name, SOURCE_MOST);
}

/* ---- elements -------------------------------------------------------------------------------- */

static const char *type_word(const key_array *keys) { return keys->type ? keys->type->name : ""; }
static const char *keys_word(const key_array *keys) { return keys->type ? " keys" : "elements"; }

/* Reports `count` elements, or if that is 0 more than the limit. Returns an exit code. */
static int too_many(const char *name, const key_array *keys, const read_limit *limit,
                    unsigned long long count)
{
    const char *more = count ? "" : "more than ";
    if (!count) count = limit->most;
    if (!limit->device || count > ELEMENTS_MOST)
        return fail(DONE_IO, "%s: %s%llu %s%s: clsort takes %zu at most", name, more, count,
                    type_word(keys), keys_word(keys), limit->device ? ELEMENTS_MOST : limit->most);
    return fail(DONE_OPENCL,
                "%s: %s%llu %s%s need %s%llu bytes on the device: %s has %llu, %llu in one buffer: "
                "room for %zu",
                name, more, count, type_word(keys), keys_word(keys), more, count * limit->each,
                limit->device, (unsigned long long)limit->memory,
                (unsigned long long)limit->largest, limit->most);
}

/* Reads raw elements. Returns an exit code. */
static int raw_read(input_file *in, const read_limit *limit, key_array *keys)
{
    const size_t fits = SIZE_MAX / 2 / keys->size;   /* where addresses are short */
    const size_t most = (limit->most < fits ? limit->most : fits) * keys->size;
    size_t size;
    int code;
    if (in->ahead / keys->size > limit->most)
        return too_many(in->name, keys, limit, in->ahead / keys->size);
    code = bytes_read(in, most, &keys->data, &size);
    if (code != DONE_OK) return code;
    if (size > most) return too_many(in->name, keys, limit, 0);
    keys->count = size / keys->size;
    if (size % keys->size == 0) return DONE_OK;
    return fail(DONE_IO, "%s: %zu bytes are not a whole number of %s%s of %zu bytes", in->name,
                size, type_word(keys), keys_word(keys), keys->size);
}

/* Reports a line that is not a number; what is unprintable in it shows as '?'. */
static int line_fail(const char *name, size_t line, const char *text, const char *end,
                     const char *problem, const key_type *type)
{
    char shown[41];
    size_t i;
    for (i = 0; i + 1 < sizeof shown && text + i < end; i++)
        shown[i] = (char)(isprint((unsigned char)text[i]) ? text[i] : '?');
    shown[i] = '\0';
    return fail(DONE_IO, "%s: line %zu: '%s' %s (type %s)", name, line, shown, problem, type->name);
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Reads a line without its newline; of one that is too long a byte more than it may have. Returns
   its end, or NULL where the file ends. */
static char *line_read(FILE *file, char line[LINE_MOST + 2])
{
    char *at = line;
    int c = getc_unlocked(file);
    if (c == EOF) return NULL;
    for (; c != EOF && c != '\n' && at <= line + LINE_MOST; c = getc_unlocked(file))
        *at++ = (char)c;
    return at;
}

/* Makes room for twice as many keys. Returns whether there was memory. */
static int keys_grow(key_array *keys, size_t *room)
{
    const size_t more = *room ? *room * 2 : 4096;
    unsigned char *grown = (unsigned char *)realloc(keys->data, more * keys->size);
    if (!grown) return 0;
    keys->data = grown;
    *room = more;
    return 1;
}

/* Reads one number per line. Returns an exit code. */
static int text_read(input_file *in, const read_limit *limit, key_array *keys)
{
    char line[LINE_MOST + 2], *end;
    size_t room = 0;
    int fits = keys_grow(keys, &room); /* no keys have an array, too */
    while (fits && (end = line_read(in->file, line)) != NULL) {
        const char *problem = end > line + LINE_MOST ? "is too long" : NULL;
        char *at = line;
        uint64_t bits = 0;
        if (keys->count == limit->most) return too_many(in->name, keys, limit, 0);
        while (at < end && is_blank(*at)) at++;
        while (at < end && is_blank(end[-1])) end--;
        *end = '\0';
        if (!problem) problem = number_parse(keys->type, at, end, &bits);
        if (problem) return line_fail(in->name, keys->count + 1, at, end, problem, keys->type);
        pattern_store(keys->data, keys->count++, keys->type->size, bits);
        if (keys->count == room) fits = keys_grow(keys, &room);
    }
    if (!fits) return fail(DONE_IO, "%s: %s", in->name, strerror(ENOMEM));
    return ferror(in->file) ? fail(DONE_IO, "%s: %s", in->name, strerror(errno)) : DONE_OK;
}

/* Fills *keys, made by keys_none, from a file; free(keys->data) afterwards, also after a failure.
   Returns an exit code. */
static int keys_read(const char *path, int is_text, const read_limit *limit, key_array *keys)
{
    input_file in;
    int code = input_open(&in, path);
    if (code != DONE_OK) return code;
    code = is_text ? text_read(&in, limit, keys) : raw_read(&in, limit, keys);
    input_close(&in);
    return code;
}

#endif
