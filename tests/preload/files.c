/* Preloaded into the command-line program: notes how files get to the disk, and lets calls fail.

     cc -shared -fPIC tests/preload/files.c -o files.so

   FILES_LOG names a file that gets a line for each call: "fsync PATH", "fchown PATH", "link OLD
   NEW", "linkat NEW" or "rename OLD NEW". FILES_FAIL is a pattern of such lines, as in @(fsync
   *|rename *): these calls fail, as on a broken disk. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Notes a call and returns whether it has to fail. */
static int call_fails(const char *call, const char *first, const char *second)
{
    const char *log = getenv("FILES_LOG"), *pattern = getenv("FILES_FAIL");
    FILE *file = log ? fopen(log, "a") : NULL;
    char line[9000];
    snprintf(line, sizeof line, "%s %s%s%s", call, first, *second ? " " : "", second);
    if (file) fprintf(file, "%s\n", line);
    if (file) fclose(file);
    errno = EIO;
    return pattern && !fnmatch(pattern, line, FNM_EXTMATCH);
}

/* The same for a call on an open file. */
static int descriptor_fails(const char *call, int descriptor)
{
    char link_name[64], path[4096];
    ssize_t length;
    snprintf(link_name, sizeof link_name, "/proc/self/fd/%d", descriptor);
    length = readlink(link_name, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    return call_fails(call, path, "");
}

int fsync(int descriptor)
{
    int (*next)(int);
    *(void **)&next = dlsym(RTLD_NEXT, "fsync");
    return descriptor_fails("fsync", descriptor) ? -1 : next(descriptor);
}

int fchown(int descriptor, uid_t owner, gid_t group)
{
    int (*next)(int, uid_t, gid_t);
    *(void **)&next = dlsym(RTLD_NEXT, "fchown");
    return descriptor_fails("fchown", descriptor) ? -1 : next(descriptor, owner, group);
}

int link(const char *old, const char *new_name)
{
    int (*next)(const char *, const char *);
    *(void **)&next = dlsym(RTLD_NEXT, "link");
    return call_fails("link", old, new_name) ? -1 : next(old, new_name);
}

int linkat(int old_folder, const char *old, int new_folder, const char *new_name, int flags)
{
    int (*next)(int, const char *, int, const char *, int);
    *(void **)&next = dlsym(RTLD_NEXT, "linkat");
    return call_fails("linkat", new_name, "") ? -1 : next(old_folder, old, new_folder, new_name,
                                                          flags);
}

int rename(const char *old, const char *new_name)
{
    int (*next)(const char *, const char *);
    *(void **)&next = dlsym(RTLD_NEXT, "rename");
    return call_fails("rename", old, new_name) ? -1 : next(old, new_name);
}
