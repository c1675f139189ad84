/* files.h - reads and writes the files of the clsort program. A file appears under its name only when it is complete. */

#ifndef CLSORT_TOOLS_FILES_H
#define CLSORT_TOOLS_FILES_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "numbers.h"
#include "options.h"
#include "patterns.h"

typedef struct key_array {
    const key_type *type;  /* NULL: records or values, which have no form as text */
    size_t size;           /* bytes of an element */
    unsigned char *data;   /* from malloc */
    size_t count;
} key_array;

static key_array keys_none(const key_type *type, size_t size)
{
    key_array none;
    none.type = type;
    none.size = type ? type->size : size;
    none.data = NULL;
    none.count = 0;
    return none;
}

/* ---- input ------------------------------------------------------------------------------------------------------- */

/* Reads a stream to its end into malloc memory, with a '\0' behind the last byte. Returns 0 with errno set. */
static int stream_read(FILE *file, size_t room, unsigned char **data, size_t *size)
{
    size_t got;
    *data = NULL;
    *size = 0;
    do {
        if (!*data || *size + 1 == room) {
            unsigned char *grown = (unsigned char *)realloc(*data, *data ? room * 2 : room);
            if (!grown) errno = ENOMEM;
            if (!grown) return 0;
            if (*data) room *= 2;
            *data = grown;
        }
        got = fread(*data + *size, 1, room - *size - 1, file);
        if (ferror(file)) return 0;
        *size += got;
    } while (got > 0);
    (*data)[*size] = '\0';
    return 1;
}

/* Reads a whole file, or standard input if the path is NULL or "-". Returns an exit code. */
static int file_read(const char *path, unsigned char **data, size_t *size)
{
    int is_stdin = !path || !strcmp(path, "-");
    const char *name = is_stdin ? "standard input" : path;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    struct stat facts;
    size_t room = 65536;
    int error;
    if (!file) return fail(DONE_IO, "%s: %s", name, strerror(errno));
    if (!fstat(fileno(file), &facts) && S_ISREG(facts.st_mode)) room += (size_t)facts.st_size;
    error = stream_read(file, room, data, size) ? 0 : errno;
    if (!is_stdin) fclose(file);
    if (!error) return DONE_OK;
    free(*data);
    *data = NULL;
    return fail(DONE_IO, "%s: %s", name, strerror(error));
}

/* Reports a line that is not a number; what is unprintable in it shows as '?'. */
static int line_fail(const char *name, size_t line, const char *text, const char *end, const char *problem, const key_type *type)
{
    char shown[41];
    size_t i;
    for (i = 0; i + 1 < sizeof shown && text + i < end; i++) shown[i] = (char)(isprint((unsigned char)text[i]) ? text[i] : '?');
    shown[i] = '\0';
    return fail(DONE_IO, "%s: line %zu: '%s' %s (type %s)", name, line, shown, problem, type->name);
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Parses one number per line of text[0 ... size), which ends with a '\0'; keys->data has room. Returns an exit code. */
static int text_parse(const char *name, char *text, size_t size, key_array *keys)
{
    char *at = text, *stop = text + size;
    while (at < stop) {
        char *newline = (char *)memchr(at, '\n', (size_t)(stop - at)), *end = newline ? newline : stop, *next = end + 1;
        const char *problem;
        uint64_t bits;
        while (at < end && is_blank(*at)) at++;
        while (at < end && is_blank(end[-1])) end--;
        *end = '\0';
        problem = number_parse(keys->type, at, end, &bits);
        if (problem) return line_fail(name, keys->count + 1, at, end, problem, keys->type);
        pattern_store(keys->data, keys->count++, keys->type->size, bits);
        at = next;
    }
    return DONE_OK;
}

static size_t line_count(const unsigned char *text, size_t size)
{
    size_t lines = size > 0 && text[size - 1] != '\n', i;
    for (i = 0; i < size; i++) lines += text[i] == '\n';
    return lines;
}

/* Turns the bytes of a text file, which it frees, into keys. */
static int keys_from_text(const char *name, unsigned char *text, size_t size, key_array *keys)
{
    int code;
    keys->count = 0;
    keys->data = (unsigned char *)malloc(line_count(text, size) * keys->type->size + 1);
    code = keys->data ? text_parse(name, (char *)text, size, keys) : fail(DONE_IO, "%s: %s", name, strerror(ENOMEM));
    free(text);
    if (code != DONE_OK) free(keys->data);
    if (code != DONE_OK) keys->data = NULL;
    return code;
}

/* Fills *keys, made by keys_none, from a file; free(keys->data) afterwards. Returns an exit code. */
static int keys_read(const char *path, int is_text, key_array *keys)
{
    const char *name = !path || !strcmp(path, "-") ? "standard input" : path;
    unsigned char *data = NULL;
    size_t size = 0;
    int code = file_read(path, &data, &size);
    if (code != DONE_OK) return code;
    if (is_text) return keys_from_text(name, data, size, keys);
    keys->data = data;
    keys->count = size / keys->size;
    if (size % keys->size == 0) return DONE_OK;
    free(data);
    keys->data = NULL;
    return fail(DONE_IO, "%s: %zu bytes are not a whole number of %s%s of %zu bytes", name, size, keys->type ? keys->type->name : "",
                keys->type ? " keys" : "elements", keys->size);
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

typedef struct output_file {
    FILE *file;
    const char *name;
    char *target, *temporary;   /* NULL: written directly, as standard output and devices are */
    int error;                  /* errno of the first failure */
} output_file;

/* Makes o->temporary beside o->target and opens it with the target's permissions. Returns 0 with errno set. */
static int temporary_open(output_file *o, const struct stat *old)
{
    mode_t mode = umask(0);
    int descriptor;
    umask(mode);
    mode = old ? old->st_mode & 07777 : 0666 & ~mode;
    o->temporary = (char *)malloc(strlen(o->target) + 8);
    if (!o->temporary) errno = ENOMEM;
    if (!o->temporary) return 0;
    sprintf(o->temporary, "%s.XXXXXX", o->target);
    descriptor = mkstemp(o->temporary);
    if (descriptor < 0) return 0;
    if (fchmod(descriptor, mode) == 0) o->file = fdopen(descriptor, "wb");
    if (o->file) return 1;
    close(descriptor);
    unlink(o->temporary);
    return 0;
}

static void output_free(output_file *o)
{
    free(o->target);
    free(o->temporary);
}

/* Opens a file for writing, or standard output if the path is NULL or "-". Returns an exit code. */
static int output_open(output_file *o, const char *path)
{
    struct stat facts;
    int exists;
    memset(o, 0, sizeof *o);
    o->name = path;
    if (!path || !strcmp(path, "-")) {
        o->name = "standard output";
        o->file = stdout;
        return DONE_OK;
    }
    exists = !stat(path, &facts);
    if (exists && !S_ISREG(facts.st_mode)) {
        o->file = fopen(path, "wb");
    } else {
        o->target = exists ? realpath(path, NULL) : strdup(path);
        if (o->target) temporary_open(o, exists ? &facts : NULL);
    }
    if (o->file) return DONE_OK;
    fail(DONE_IO, "%s: %s", path, strerror(errno));
    output_free(o);
    return DONE_IO;
}

static void output_write(output_file *o, const void *data, size_t size)
{
    if (!o->error && fwrite(data, 1, size, o->file) != size) o->error = errno;
}

/* Completes the file, or removes it if something went wrong. Returns an exit code. */
static int output_close(output_file *o)
{
    if (fflush(o->file) && !o->error) o->error = errno;
    if (o->file != stdout && fclose(o->file) && !o->error) o->error = errno;
    if (o->temporary && !o->error && rename(o->temporary, o->target)) o->error = errno;
    if (o->temporary && o->error) unlink(o->temporary);
    output_free(o);
    return o->error ? fail(DONE_IO, "%s: %s", o->name, strerror(o->error)) : DONE_OK;
}

/* Writes keys raw, or as text with one number per line. Returns an exit code. */
static int keys_write(const char *path, int is_text, const key_array *keys)
{
    output_file o;
    size_t i;
    int code = output_open(&o, path);
    if (code != DONE_OK) return code;
    if (!is_text) output_write(&o, keys->data, keys->count * keys->size);
    for (i = 0; is_text && i < keys->count && !o.error; i++) {
        char text[NUMBER_ROOM + 1];
        number_print(keys->type, key_bits(keys->type, keys->data, i), text);
        strcat(text, "\n");
        output_write(&o, text, strlen(text));
    }
    return output_close(&o);
}

#endif
