/* before.c - two versions of clsort take turns in one process: see tools/bench/bench-before.

     before OLD NEW DEVICE MOST   libraries of sentinel.c, part of a platform's or device's name,
                                  how many elements a sort has at most */

#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../median.h"
#include "sentinel.h"

enum { MOST_TURNS = 401, WARM_UP = 4 };

typedef struct version {
    int (*open)(cl_device_id);
    int (*prepare)(const sentinel *, size_t);
    double (*sort)(void);
    cl_ulong (*sum)(void);
    double times[MOST_TURNS];
} version;

static int has_name(cl_platform_id platform, cl_device_id device, const char *part)
{
    char name[2][256] = { "", "" };
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof *name, name[0], NULL);
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof *name, name[1], NULL);
    return strstr(name[0], part) || strstr(name[1], part);
}

static cl_device_id find_device(const char *part)
{
    cl_platform_id platforms[16];
    cl_device_id devices[16];
    cl_uint p, d, platform_count = 0, device_count;
    clGetPlatformIDs(16, platforms, &platform_count);
    for (p = 0; p < platform_count && p < 16; p++) {
        device_count = 0;
        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &device_count);
        for (d = 0; d < device_count && d < 16; d++)
            if (has_name(platforms[p], devices[d], part)) return devices[d];
    }
    return NULL;
}

static int load(version *v, const char *file)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library) {
        *(void **)&v->open = dlsym(library, "sentinel_open");
        *(void **)&v->prepare = dlsym(library, "sentinel_prepare");
        *(void **)&v->sort = dlsym(library, "sentinel_sort");
        *(void **)&v->sum = dlsym(library, "sentinel_sum");
    }
    return library && v->open && v->prepare && v->sort && v->sum;
}

/* Each version sorts twice in a turn, and its second sort counts: what the other one left in caches
   is gone by then. Who begins changes. Returns how many turns, or 0 after a failure. */
static int take_turns(version v[2])
{
    double spent = 0;
    int turn, i;
    for (turn = -WARM_UP; turn < MOST_TURNS && (turn < 21 || spent < 1500); turn++)
        for (i = 0; i < 2; i++) {
            version *now = v + ((i + turn) & 1);
            double first = now->sort(), second = now->sort();
            if (first < 0 || second < 0) return 0;
            if (turn >= 0) now->times[turn] = second;
            spent += first + second;
        }
    return turn;
}

/* Prints a line; returns the median over turns of the new time in parts of the old one, or 0 after
   a failure. */
static double measure(version v[2], const sentinel *s, size_t most)
{
    size_t count = s->count;
    double old, new, ratio, ratios[MOST_TURNS];
    int turns = 0, i;
    while (count > 1 && s->rows * count > most) count /= 2;
    if (v[0].prepare(s, count) || v[1].prepare(s, count) || !(turns = take_turns(v))) {
        printf("%-34s failed\n", s->name);
        return 0;
    }
    if (!v[0].sum() || v[0].sum() != v[1].sum()) {
        printf("%-34s has two results\n", s->name);
        return 0;
    }
    for (i = 0; i < turns; i++) ratios[i] = v[1].times[i] / v[0].times[i];
    ratio = median(ratios, turns);
    old = median(v[0].times, turns);
    new = median(v[1].times, turns);
    printf("%-34s %9.4f %9.4f  %.3f", s->name, old, new, ratio);
    if (count < s->count) printf("  (%zu elements)", s->rows * count);
    puts(ratio > 1.02 && (old >= .1 || new - old > .001) ? "  slower" : "");
    fflush(stdout);
    return ratio;
}

int main(int argc, char **argv)
{
    static version v[2];
    double product = 1;
    size_t i, most = argc == 5 ? (size_t)strtoull(argv[4], NULL, 10) : 0;
    int failures = 0;
    cl_device_id device;
    if (!most || !load(v, argv[1]) || !load(v + 1, argv[2])) {
        fprintf(stderr, "usage: before OLD NEW DEVICE MOST\n");
        return 2;
    }
    device = find_device(argv[3]);
    if (!device || v[0].open(device) || v[1].open(device)) {
        fprintf(stderr, "before: no device of that name, or none that sorts: %s\n", argv[3]);
        return 2;
    }
    printf("%-34s %9s %9s  new / old\n", "", "old, ms", "new, ms");
    for (i = 0; i < SENTINELS; i++) {
        const double ratio = measure(v, sentinels + i, most);
        failures += ratio == 0;
        if (ratio > 0) product *= pow(ratio, 1.0 / SENTINELS);
    }
    printf("geometric mean of new / old: %.3f\n", product);
    return failures ? 1 : 0;
}
