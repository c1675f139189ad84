/* json.h - prints one value of JSON to standard output, part by part: json_open and json_close
   around the members of an object or the elements of an array, json_text and json_number for each.
   A name is NULL in arrays. Elements of arrays that are objects begin a line. */

#ifndef CLSORT_TOOLS_JSON_H
#define CLSORT_TOOLS_JSON_H

#include <stdarg.h>
#include <stdio.h>

static int json_depth, json_follows;   /* follows: the next part is not the first one here */

/* What OpenCL says has no encoding: bytes beyond ASCII are printed as characters of Latin-1. */
static void json_quoted(const char *text)
{
    const unsigned char *at;
    putchar('"');
    for (at = (const unsigned char *)text; *at; at++) {
        if (*at == '"' || *at == '\\') printf("\\%c", *at);
        else printf(*at < 32 || *at > 126 ? "\\u%04x" : "%c", (unsigned)*at);
    }
    putchar('"');
}

static void json_name(const char *name)
{
    if (json_follows) printf(name ? ", " : ",");
    if (name) json_quoted(name);
    if (name) printf(": ");
    json_follows = 1;
}

/* bracket: '{' or '['. */
static void json_open(const char *name, char bracket)
{
    json_name(name);
    if (!name && json_depth) putchar('\n');
    putchar(bracket);
    json_depth++;
    json_follows = 0;
}

/* bracket: '}' or ']'. */
static void json_close(char bracket)
{
    putchar(bracket);
    json_depth--;
    json_follows = 1;
}

static void json_text(const char *name, const char *text)
{
    json_name(name);
    json_quoted(text);
}

/* A number as printf writes it; null where that is none, as of infinity. */
static void json_number(const char *name, const char *format, ...)
{
    char text[64];
    const char *digits = text;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (*digits == '-') digits++;
    json_name(name);
    printf("%s", *digits >= '0' && *digits <= '9' ? text : "null");
}

/* What the program prints begins with the version of clsort; json_end afterwards. */
static void json_begin(void)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", CLSORT_VERSION_MAJOR, CLSORT_VERSION_MINOR,
             CLSORT_VERSION_PATCH);
    json_open(NULL, '{');
    json_text("clsort", version);
}

static void json_end(void)
{
    json_close('}');
    putchar('\n');
}

#endif
