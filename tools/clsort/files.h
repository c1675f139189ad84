/* files.h - reads the files of the clsort program, and no more of them than can be sorted. */

#ifndef CLSORT_TOOLS_FILES_H
#define CLSORT_TOOLS_FILES_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "numbers.h"
#include "options.h"
#include "patterns.h"
#include "threads.h"

enum {
    LINE_MOST = 4096,     /* bytes of a line of text */
    SOURCE_MOST = 1 << 20 /* bytes of an expression or of a type */
};

/* What clsort sorts at once; where addresses are short, what tables of 16 bytes for each leave. */
#define ELEMENTS_MOST ((size_t)(SIZE_MAX / 16 < UINT32_MAX ? SIZE_MAX / 16 : UINT32_MAX))

typedef struct key_array {
    const key_type *type;  /* NULL: records or values, which have no form as text */
    size_t size;           /* bytes of an element */
    unsigned char *data;   /* from malloc, or from memory_take */
    size_t count;
    size_t room;           /* bytes, if it is from memory_take; else 0 */
} key_array;

/* How much of a file may be read. */
typedef struct read_limit {
    size_t most;              /* elements */
    const char *device;       /* that holds no more; NULL: the limit is ELEMENTS_MOST */
    size_t each;              /* bytes that an element takes there, in all arrays together */
    cl_ulong memory, largest; /* bytes of the device, and of one buffer on it */
    unsigned long long host;  /* bytes of memory that --memory allows; 0: any */
    size_t host_each;         /* bytes that an element takes there */
} read_limit;

static key_array keys_none(const key_type *type, size_t size)
{
    key_array none;
    none.type = type;
    none.size = type ? type->size : size;
    none.data = NULL;
    none.count = none.room = 0;
    return none;
}

/* Memory of zeros that is no burden until it is written. NULL: there is none. Large pages
   (MADV_HUGEPAGE) save 0.1 s of a sort of 10^8 u32 where memory was in use just before, and cost
   0.6 s in a virtual machine that has given its free memory back. */
static void *memory_take(size_t bytes)
{
    void *memory;
#if defined(MAP_NORESERVE)
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#else
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#endif
    memory = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, flags, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void memory_give(void *memory, size_t bytes)
{
    if (memory) munmap(memory, bytes ? bytes : 1);
}

/* Gives an array memory for `count` elements, of zeros. Returns an exit code. */
static int array_take(key_array *array, size_t count)
{
    array->room = count && array->size ? count * array->size : 1;
    array->data = (unsigned char *)memory_take(array->room);
    return array->data ? DONE_OK : fail(DONE_IO, "%s", strerror(ENOMEM));
}

static void array_free(key_array *array)
{
    if (array->room) memory_give(array->data, array->room);
    else free(array->data);
    array->data = NULL;
}

/* The name of an input in messages; NULL and "-" are standard input. */
static const char *input_name(const char *path)
{
    return !path || !strcmp(path, "-") ? "standard input" : *path ? path : "''";
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
    unsigned long long bytes; /* of these, that were read by pieces */
    unsigned long long taken; /* elements so far, where it is read by pieces */
    int ended;                /* by pieces: there are no more elements */
} input_file;

/* A signal may interrupt the wait for a writer, where the input is a pipe. */
static FILE *open_uninterrupted(const char *path)
{
    FILE *file;
    do file = fopen(path, "rb");
    while (!file && errno == EINTR);
    return file;
}

/* Opens a file, or standard input if the path is NULL or "-". Returns an exit code. */
static int input_open(input_file *in, const char *path)
{
    static int stdin_was_read;
    const int is_stdin = !path || !strcmp(path, "-");
    struct stat facts;
    off_t at;
    in->ahead = in->bytes = in->taken = 0;
    in->ended = 0;
    in->name = input_name(path);
    if (is_stdin && stdin_was_read++)
        return fail(DONE_USAGE, "standard input can be read only once");
    in->file = is_stdin ? stdin : open_uninterrupted(path);
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
    int interrupted = 0;
    *data = NULL;
    for (*size = 0; (got > 0 || interrupted) && *size <= most; *size += got) {
        if (!*data || *size + 1 == room) {
            unsigned char *grown = (unsigned char *)realloc(*data, *data ? room * 2 : room);
            if (!grown) return fail(DONE_IO, "%s: %s", in->name, strerror(ENOMEM));
            if (*data) room *= 2;
            *data = grown;
        }
        got = room - *size - 1;
        if (got > most - *size) got = most - *size + 1;
        got = fread(*data + *size, 1, got, in->file);
        interrupted = ferror(in->file) && errno == EINTR;
        if (interrupted) clearerr(in->file);
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
    const unsigned long long fits = limit->host ? limit->host / limit->host_each : ULLONG_MAX;
    const int is_host = count ? count > fits : limit->most == fits;
    if (!count) count = limit->most;
    if (is_host)
        return fail(DONE_USAGE, "%s: %s%llu %s%s need %s%llu bytes of memory: --memory allows %llu",
                    name, more, count, type_word(keys), keys_word(keys), more,
                    count * limit->host_each, limit->host);
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

/* A part of a regular file that several threads read. */
typedef struct file_part {
    int descriptor;
    off_t at;
    unsigned char *data;
    size_t size;
    int missing[THREADS_MOST];
} file_part;

static void part_read(void *user, size_t part, size_t parts)
{
    file_part *p = (file_part *)user;
    size_t at = part_start(p->size, part, parts);
    const size_t end = part_start(p->size, part + 1, parts);
    ssize_t got = 1;
    for (; at < end && got > 0; at += (size_t)got) {
        got = pread(p->descriptor, p->data + at, end - at, p->at + (off_t)at);
        if (got <= 0) break;
    }
    p->missing[part] = at < end;
}

/* Reads bytes of a regular file on all cores: to take memory and to copy are work, too. Returns
   whether all came; if not, the file stays where it is. */
static int shared_read(const input_file *in, unsigned char *data, size_t size)
{
    file_part p;
    size_t i, got = size;
    memset(&p, 0, sizeof p);
    p.descriptor = fileno(in->file);
    p.at = lseek(p.descriptor, 0, SEEK_CUR);
    p.data = data;
    p.size = size;
    if (p.at < 0) return 0;
    work_share(part_read, &p);
    for (i = 0; i < THREADS_MOST; i++)
        if (p.missing[i]) got = 0;
    return lseek(p.descriptor, p.at + (off_t)got, SEEK_SET) >= 0 && got;
}

/* Reads raw elements until keys->count is `room` or the file ends. heard: gets the bytes of each
   piece, or NULL. Returns an exit code. */
static int raw_take(input_file *in, size_t room, key_array *keys, void (*heard)(size_t bytes))
{
    const size_t before = keys->count, most = room * keys->size, piece = (size_t)16 << 20;
    size_t size = before * keys->size;
    while (in->ahead - in->bytes >= 4 * piece && most - size >= 4 * piece
           && shared_read(in, keys->data + size, 4 * piece)) {
        size += 4 * piece;
        in->bytes += 4 * piece;
        if (heard) heard(4 * piece);
    }
    while (!in->ended && size < most) {
        const ssize_t got = read(fileno(in->file), keys->data + size,
                                 most - size < piece ? most - size : piece);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(DONE_IO, "%s: %s", in->name, strerror(errno));
        in->ended = got == 0;
        size += (size_t)got;
        if (in->ahead - in->bytes >= (size_t)got) in->bytes += (size_t)got;
        if (heard) heard((size_t)got);
    }
    keys->count = size / keys->size;
    in->taken += keys->count - before;
    if (size % keys->size == 0) return DONE_OK;
    return fail(DONE_IO, "%s: %llu bytes are not a whole number of %s%s of %zu bytes", in->name,
                in->taken * keys->size + size % keys->size, type_word(keys), keys_word(keys),
                keys->size);
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
    if (in->ahead) {
        code = array_take(keys, (size_t)in->ahead / keys->size + 1);
        return code == DONE_OK ? raw_take(in, keys->room / keys->size, keys, NULL) : code;
    }
    code = bytes_read(in, most, &keys->data, &size);
    if (code != DONE_OK) return code;
    if (size > most) return too_many(in->name, keys, limit, 0);
    keys->count = size / keys->size;
    if (size % keys->size == 0) return DONE_OK;
    return fail(DONE_IO, "%s: %zu bytes are not a whole number of %s%s of %zu bytes", in->name,
                size, type_word(keys), keys_word(keys), keys->size);
}

/* Reports a line that is not a number; what is unprintable in it shows as '?'. */
static int line_fail(const char *name, unsigned long long line, const char *text, const char *end,
                     const char *problem, const key_type *type)
{
    char shown[41];
    size_t i;
    for (i = 0; i + 1 < sizeof shown && text + i < end; i++)
        shown[i] = (char)(isprint((unsigned char)text[i]) ? text[i] : '?');
    shown[i] = '\0';
    return fail(DONE_IO, "%s: line %llu: '%s' %s (type %s)", name, line, shown, problem,
                type->name);
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

/* Reads one number per line, until keys->count is `room` or the file ends. Returns an exit code. */
static int lines_take(input_file *in, size_t room, key_array *keys)
{
    char line[LINE_MOST + 2], *end;
    while (keys->count < room && (end = line_read(in->file, line)) != NULL) {
        const char *problem = end > line + LINE_MOST ? "is too long" : NULL;
        char *at = line;
        uint64_t bits = 0;
        while (at < end && is_blank(*at)) at++;
        while (at < end && is_blank(end[-1])) end--;
        *end = '\0';
        in->taken++;
        if (!problem) problem = number_parse(keys->type, at, end, &bits);
        if (problem) return line_fail(in->name, in->taken, at, end, problem, keys->type);
        pattern_store(keys->data, keys->count++, keys->type->size, bits);
    }
    in->ended = keys->count < room;
    return ferror(in->file) ? fail(DONE_IO, "%s: %s", in->name, strerror(errno)) : DONE_OK;
}

/* Reads one number per line. Returns an exit code. */
static int text_read(input_file *in, const read_limit *limit, key_array *keys)
{
    size_t room = 0;
    int code = DONE_OK;
    while (code == DONE_OK && !in->ended) {   /* no keys have an array, too */
        if (!keys_grow(keys, &room)) return fail(DONE_IO, "%s: %s", in->name, strerror(ENOMEM));
        code = lines_take(in, room <= limit->most ? room : limit->most, keys);
        if (code == DONE_OK && !in->ended && keys->count == limit->most) {
            in->ended = getc_unlocked(in->file) == EOF;
            if (!in->ended) return too_many(in->name, keys, limit, 0);
        }
    }
    return code;
}

/* Fills *keys, made by keys_none, from a file; array_free(keys) afterwards, also after a failure.
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
