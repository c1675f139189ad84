/* pretenders.h - sorters for devices that pretend; see pretend.h. */

#ifndef CLSORT_TESTS_PRETENDERS_H
#define CLSORT_TESTS_PRETENDERS_H

#include "cases.h"
#include "pretend.h"

/* ---- builds that are kept -------------------------------------------------------------------- */

/* Where programs are few, those that such sorters built are kept for the next ones: a compiler
   takes seconds for each, and most tests make sorters of their own. A name and its bytes. */
typedef struct kept_build { char name[256]; void *data; size_t size; struct kept_build *next;
} kept_build;
static kept_build *kept_builds;

/* A build also depends on what pretend.h does to it. */
static inline void kept_name(const char *name, char text[256])
{
    snprintf(text, 256, "%s %s", name, more_options ? more_options : "");
}

static inline size_t load_kept(void *user, const char *name, void *data, size_t size)
{
    const kept_build *k = kept_builds;
    char text[256];
    (void)user;
    kept_name(name, text);
    while (k && strcmp(k->name, text)) k = k->next;
    if (!k || edited.text) return 0;
    if (size) memcpy(data, k->data, size < k->size ? size : k->size);
    return k->size;
}

static inline void save_kept(void *user, const char *name, const void *data, size_t size)
{
    kept_build *k = edited.text ? NULL : (kept_build *)malloc(sizeof *k);
    (void)user;
    if (!k) return;
    kept_name(name, k->name);
    k->data = malloc(size + 1);
    k->size = k->data ? size : 0;
    if (k->data) memcpy(k->data, data, size);
    k->next = kept_builds;
    kept_builds = k;
}

/* ---- sorters --------------------------------------------------------------------------------- */

static inline clsort_sorter *keeping_sorter(const bench *b)
{
    clsort_options options = clsort_options_default();
    clsort_sorter *s = NULL;
    if (b->few_programs) {
        options.cache_load = load_kept;
        options.cache_save = save_kept;
    }
    CHECK_OK(clsort_create(b->session.context, b->session.info.id, &options, &s));
    return s;
}

/* A sorter for a device that pretends: any of the numbers may be 0. */
static inline clsort_sorter *pretending_sorter(const bench *b, cl_device_type type, cl_uint units,
                                               cl_ulong local_memory)
{
    clsort_sorter *s;
    pretended.type = type;
    pretended.units = units;
    pretended.local_memory = local_memory;
    s = keeping_sorter(b);
    memset(&pretended, 0, sizeof pretended);
    return s;
}

/* Gives `other` a sorter that takes sweeps; 0: the device cannot. CPUs run work-groups in the order
   in which they start, and barriers stand for what NVIDIA's warps agree on. */
static inline int sweeping_sorter(const bench *b, bench *other)
{
    if (!test_is_cpu(b)) {
        other->sorter = fresh_sorter(b, 0);
        if (other->sorter && other->sorter->facts.has_progress) return 1;
        clsort_destroy(other->sorter);
        test_skips("this device has no sweeps");
        return 0;
    }
    other->sorter = pretending_sorter(b, CL_DEVICE_TYPE_GPU, 0, 0);
    if (!other->sorter || other->sorter->facts.max_group < 256
        || other->sorter->facts.local_bytes < 48 << 10) {
        clsort_destroy(other->sorter);
        test_skips("sweeps need work-groups of 256 and 48 KiB of local memory");
        return 0;
    }
    more_options = "-DCLSORT_FORWARD_PROGRESS=0";
    other->sorter->facts.has_progress = 1;
    other->sorter->policy = clsort__policy_of(&other->sorter->facts);
    return 1;
}

/* On a CPU, sorters that sort as on a GPU: one that takes sweeps, one with small work-groups, whose
   buckets are small, and one that another vendor's GPU gets. */
enum { SWEEPING, SMALL_GROUPS, OTHER_VENDOR, PRETENDED_GPUS };

static inline int pretending_gpus(const bench *b, clsort_sorter *gpus[PRETENDED_GPUS])
{
    bench other = *b;
    if (!sweeping_sorter(b, &other)) return 0;
    gpus[SWEEPING] = other.sorter;
    more_options = sweeping_builds(b);
    pretended.group = 64;
    gpus[SMALL_GROUPS] = pretending_sorter(b, CL_DEVICE_TYPE_GPU, 0, 0);
    if (gpus[SMALL_GROUPS]) {
        gpus[SMALL_GROUPS]->facts.has_progress = 1;
        gpus[SMALL_GROUPS]->policy = clsort__policy_of(&gpus[SMALL_GROUPS]->facts);
    }
    pretended.group = 256;
    gpus[OTHER_VENDOR] = pretending_sorter(b, CL_DEVICE_TYPE_GPU, 132, 0);
    return gpus[SMALL_GROUPS] && gpus[OTHER_VENDOR];
}

static inline void end_sweeping(bench *other)
{
    CHECK(!(other->sorter->facts.given_up & CLSORT__BIT(CLSORT__SWEEP)));
    more_options = NULL;
    clsort_destroy(other->sorter);
}

#endif
