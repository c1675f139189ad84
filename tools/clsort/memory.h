/* memory.h - how much memory a command may use: the option --memory, else what is free. */

#ifndef CLSORT_TOOLS_MEMORY_H
#define CLSORT_TOOLS_MEMORY_H

#include "files.h"

/* A number in a file of one number, ULLONG_MAX if there is none. */
static unsigned long long number_in(const char *path)
{
    unsigned long long number = ULLONG_MAX;
    FILE *file = fopen(path, "r");
    if (!file) return number;
    if (fscanf(file, "%llu", &number) != 1) number = ULLONG_MAX;
    fclose(file);
    return number;
}

/* Bytes of memory that are free or can be had at once: of the system, and of a control group. */
static unsigned long long memory_free(void)
{
    const unsigned long long most = number_in("/sys/fs/cgroup/memory.max"),
                             used = number_in("/sys/fs/cgroup/memory.current");
    unsigned long long bytes = 0, kilobytes;
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    while (file && !bytes && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1) bytes = kilobytes * 1024;
    if (file) fclose(file);
    if (!bytes)
        bytes = (unsigned long long)sysconf(_SC_PHYS_PAGES) / 2
                * (unsigned long long)sysconf(_SC_PAGESIZE);
    return most != ULLONG_MAX && used < most && most - used < bytes ? most - used : bytes;
}

/* The bytes that a command may use: three quarters of what is free unless the option says so.
   Returns an exit code. */
static int memory_option(const arguments *a, unsigned long long *bytes)
{
    const char *text = argument(a, OPTION_MEMORY, NULL);
    char number[32] = "";
    size_t length = text ? strlen(text) : 0;
    *bytes = memory_free() / 4 * 3;
    if (!text) return DONE_OK;
    if (length && text[length - 1] == 'B') length--;
    if (length < sizeof number) memcpy(number, text, length);
    if (count_parse(number, bytes) && *bytes) return DONE_OK;
    return fail(DONE_USAGE, "--memory must be a number of bytes as in 4G or 512MiB, not '%s'",
                text);
}

/* Has no more read than --memory allows, if it was given, of elements that take `each` bytes. */
static void limit_memory(const arguments *a, unsigned long long memory, size_t each,
                         read_limit *limit)
{
    if (!a->given[OPTION_MEMORY]) return;
    limit->host = memory;
    limit->host_each = each;
    if (limit->most > memory / each) limit->most = (size_t)(memory / each);
}

#endif
