/* device.h - finds OpenCL devices by name for the programs of this repository (tests, tools, demo).

   CLSORT_DEVICE in the environment holds a part of a platform's or a device's name, upper and lower
   case alike; "all" means every device where a program can use several, "gpu" every GPU. Without it
   a program takes the first GPU, else the first device. */

#ifndef CLSORT_TOOLS_DEVICE_H
#define CLSORT_TOOLS_DEVICE_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#include <CL/cl.h>

enum { DEVICE_MAX = 32 };

typedef struct device_info {
    cl_platform_id platform;
    cl_device_id id;
    cl_device_type type;
    char platform_name[128];
    char name[256];
} device_info;

typedef struct device_session {
    device_info info;
    cl_context context;
    cl_command_queue queue;   /* in order, with profiling */
} device_session;

/* Does `text` hold `part`, upper and lower case alike? An empty part is in every text. */
static inline int device_name_holds(const char *text, const char *part)
{
    size_t n = strlen(part);
    for (; strlen(text) >= n; text++) {
        size_t i = 0;
        while (i < n && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) i++;
        if (i == n) return 1;
        if (!*text) break;
    }
    return 0;
}

/* Lists up to `room` devices whose platform or device name holds `want` (NULL or "all": every one);
   returns how many. */
static inline size_t device_list(const char *want, device_info *list, size_t room)
{
    cl_platform_id platforms[DEVICE_MAX];
    cl_uint platform_count = 0, p;
    size_t found = 0;
    const int gpus = want && !strcmp(want, "gpu");
    const cl_device_type types = gpus ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_ALL;
    if (!want || !strcmp(want, "all") || !strcmp(want, "gpu")) want = "";
    if (clGetPlatformIDs(DEVICE_MAX, platforms, &platform_count) != CL_SUCCESS) return 0;
    for (p = 0; p < platform_count && p < DEVICE_MAX; p++) {
        cl_device_id ids[DEVICE_MAX];
        cl_uint count = 0, i;
        if (clGetDeviceIDs(platforms[p], types, DEVICE_MAX, ids, &count) != CL_SUCCESS) continue;
        for (i = 0; i < count && i < DEVICE_MAX && found < room; i++) {
            device_info *d = &list[found];
            memset(d, 0, sizeof *d);
            d->platform = platforms[p];
            d->id = ids[i];
            clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof d->platform_name - 1,
                              d->platform_name, NULL);
            clGetDeviceInfo(ids[i], CL_DEVICE_NAME, sizeof d->name - 1, d->name, NULL);
            clGetDeviceInfo(ids[i], CL_DEVICE_TYPE, sizeof d->type, &d->type, NULL);
            found += device_name_holds(d->platform_name, want) || device_name_holds(d->name, want);
        }
    }
    return found;
}

/* The device that `want` names (NULL: what CLSORT_DEVICE says); the first GPU among several.
   Returns 0 if there is none. */
static inline int device_choose(const char *want, device_info *chosen)
{
    device_info list[DEVICE_MAX];
    size_t count = device_list(want ? want : getenv("CLSORT_DEVICE"), list, DEVICE_MAX), i;
    if (!count) return 0;
    *chosen = list[0];
    for (i = count; i-- > 0;)
        if (list[i].type & CL_DEVICE_TYPE_GPU) *chosen = list[i];
    return 1;
}

static inline void device_close(device_session *session)
{
    if (session->queue) clReleaseCommandQueue(session->queue);
    if (session->context) clReleaseContext(session->context);
    memset(session, 0, sizeof *session);
}

/* A context and a queue on a device; returns 0, with nothing left open, if the driver refuses. */
static inline int device_open(const device_info *info, device_session *session)
{
    cl_context_properties properties[3] = { CL_CONTEXT_PLATFORM, 0, 0 };
    cl_int error;
    memset(session, 0, sizeof *session);
    session->info = *info;
    properties[1] = (cl_context_properties)info->platform;
    session->context = clCreateContext(properties, 1, &info->id, NULL, NULL, &error);
    if (session->context)
        session->queue = clCreateCommandQueue(session->context, info->id, CL_QUEUE_PROFILING_ENABLE,
                                              &error);
    if (session->queue) return 1;
    device_close(session);
    return 0;
}

#endif
