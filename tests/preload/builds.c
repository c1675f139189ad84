/* Preloaded into tests: appends a line for each program of kernels that they build from text to the
   file that CLSORT_TEST_BUILDS names. "own" or, without the compiler's optimizer, "quick"; and a
   number made from text and options, which is the same for the same program. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

static uint64_t hashed(uint64_t hash, const char *text)
{
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

static void note(cl_program program, const char *options)
{
    const char *name = getenv("CLSORT_TEST_BUILDS");
    size_t size = 0;
    char *text;
    FILE *file;
    const char *more = getenv("POCL_EXTRA_BUILD_FLAGS");
    if (!options) options = "";
    if (!more) more = "";
    if (!name || clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size) != CL_SUCCESS
        || size < 2 || !(text = (char *)malloc(size)))
        return;
    if (clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, text, NULL) == CL_SUCCESS
        && (file = fopen(name, "a"))) {
        const uint64_t hash = hashed(hashed(hashed(0xcbf29ce484222325u, text), options), more);
        const int quick = strstr(options, "-cl-opt-disable") || strstr(more, "-cl-opt-disable");
        fprintf(file, "%s %016llx\n", quick ? "quick" : "own", (unsigned long long)hash);
        fclose(file);
    }
    free(text);
}

typedef cl_int build(cl_program program, cl_uint count, const cl_device_id *devices,
                     const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                     void *user);

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                      void *user)
{
    build *real;
    void *found = dlsym(RTLD_NEXT, "clBuildProgram");
    memcpy(&real, &found, sizeof real);
    note(program, options);
    return real(program, count, devices, options, notify, user);
}
