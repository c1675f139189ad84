/* pretend.h - what a device says of itself, the text of its kernels and the options of its builds
   may be changed.

   Included before the implementation of clsort.h, whose calls it takes; pretenders.h, included
   after it, makes sorters for such devices. */

#ifndef CLSORT_TESTS_PRETEND_H
#define CLSORT_TESTS_PRETEND_H

#include "harness.h"

/* Appended to the options of every build; what a device says of itself, 0: the truth; so many times
   fewer elements take the plans of many, as a power of two. */
static const char *more_options;
static struct {
    cl_device_type type;
    cl_uint units;
    cl_ulong local_memory;
    size_t group;
} pretended;
static unsigned test_crossover_log2;

/* The option for kernels that a test builds to run them once or twice: PoCL optimizes each for
   seconds. None where POCL_EXTRA_BUILD_FLAGS says how PoCL builds. */
static inline const char *quick_builds(const bench *b)
{
    return test_draws(b) && !getenv("POCL_EXTRA_BUILD_FLAGS") ? "-cl-opt-disable" : NULL;
}

/* The options for a GPU's sweeps in one launch, whose loops have barriers that depend on other
   work-groups: PoCL 3.1 with its optimizer compiles them wrong, and PoCL 5.0 and 6.0 without it
   abort. POCL_EXTRA_BUILD_FLAGS says which is needed. NULL where the device is a GPU. */
static inline const char *sweeping_builds(const bench *b)
{
    return !test_is_cpu(b)                  ? NULL
         : getenv("POCL_EXTRA_BUILD_FLAGS") ? "-DCLSORT_FORWARD_PROGRESS=0"
                                            : "-DCLSORT_FORWARD_PROGRESS=0 -cl-opt-disable";
}

static cl_int build_with_more(cl_program program, cl_uint count, const cl_device_id *devices,
                              const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                              void *user)
{
    char all[2048];
    snprintf(all, sizeof all, "%s %s", options ? options : "", more_options ? more_options : "");
    return clBuildProgram(program, count, devices, all, notify, user);
}

/* What stands in the text of the kernels, and what is put in its place; NULL: nothing is. How many
   programs had it. */
static struct { const char *text, *other; int programs; } edited;

static cl_program create_edited(cl_context context, cl_uint count, const char **texts,
                                const size_t *lengths, cl_int *error)
{
    const char **own = (const char **)malloc(count * sizeof *own);
    const size_t old = edited.text ? strlen(edited.text) : 0;
    char *changed = NULL;
    cl_program program;
    cl_uint i;
    for (i = 0; i < count; i++) {
        const char *at = edited.text && !changed ? strstr(texts[i], edited.text) : NULL;
        own[i] = texts[i];
        if (!at) continue;
        own[i] = changed = (char *)malloc(strlen(texts[i]) + strlen(edited.other) + 1);
        sprintf(changed, "%.*s%s%s", (int)(at - texts[i]), texts[i], edited.other, at + old);
        edited.programs++;
    }
    program = clCreateProgramWithSource(context, count, own, lengths, error);
    free(changed);
    free(own);
    return program;
}

static cl_int pretend(cl_device_id device, cl_device_info what, size_t size, void *value,
                      size_t *needed)
{
    const cl_device_local_mem_type local = CL_LOCAL;
    const cl_int code = clGetDeviceInfo(device, what, size, value, needed);
    if (code != CL_SUCCESS || !value) return code;
    if (what == CL_DEVICE_TYPE && pretended.type)
        memcpy(value, &pretended.type, sizeof pretended.type);
    if (what == CL_DEVICE_LOCAL_MEM_TYPE && pretended.type == CL_DEVICE_TYPE_GPU)
        memcpy(value, &local, sizeof local);
    if (what == CL_DEVICE_MAX_COMPUTE_UNITS && pretended.units)
        memcpy(value, &pretended.units, sizeof pretended.units);
    if (what == CL_DEVICE_LOCAL_MEM_SIZE && pretended.local_memory)
        memcpy(value, &pretended.local_memory, sizeof pretended.local_memory);
    if (what == CL_DEVICE_MAX_WORK_GROUP_SIZE && pretended.group)
        memcpy(value, &pretended.group, sizeof pretended.group);
    return code;
}

#define clBuildProgram build_with_more
#define clCreateProgramWithSource create_edited
#define clGetDeviceInfo pretend
#define CLSORT__CROSSOVER_LOG2 test_crossover_log2

#endif
