/* Demonstrates a program that loads OpenCL by hand, as a game does that must also start where no
   driver is installed. It does not link OpenCL; what clsort calls goes through pointers.

   c++ -std=c++11 -O2 -I.. load_opencl.cpp -o load_opencl -ldl */

#define CL_TARGET_OPENCL_VERSION 120
#include "clsort.h"
#include <cstdio>
#include <dlfcn.h>
#include <vector>

/* A pointer for each function: my_clFinish for clFinish. */
#define DECLARE(name) static decltype(&name) my_##name;
CLSORT_CL_FUNCTIONS(DECLARE)
#undef DECLARE

#define CLSORT_CL(name) my_##name
#define CLSORT_IMPLEMENTATION
#include "clsort.h"

/* Sets one pointer. POSIX has functions in pointers to data. */
template <class function> static bool load(void *library, const char *name, function *pointer)
{
    *pointer = reinterpret_cast<function>(dlsym(library, name));
    if (!*pointer) std::fprintf(stderr, "libOpenCL.so.1 has no %s\n", name);
    return *pointer != nullptr;
}

static bool load_opencl()
{
    void *const library = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!library) {
        std::fprintf(stderr, "no OpenCL here: %s\n", dlerror());
        return false;
    }
#define LOAD(name) \
    if (!load(library, #name, &my_##name)) return false;
    CLSORT_CL_FUNCTIONS(LOAD)
#undef LOAD
    return true;
}

int main()
{
    const cl_uint count = 100000;
    std::vector<cl_uint> keys(count);
    clsort_desc d = clsort_desc_default();
    clsort_sorter *sorter = nullptr;
    clsort_status status;
    cl_uint wrong = 0;
    if (!load_opencl()) return 1;
    for (cl_uint i = 0; i < count; i++) keys[i] = i * 2654435761u;
    d.key_type = CLSORT_U32;
    d.count = count;
    status = clsort_create(nullptr, nullptr, nullptr, &sorter);
    if (status == CL_SUCCESS) status = clsort_sort_host(sorter, &d, keys.data(), nullptr, nullptr);
    if (status != CL_SUCCESS) {
        std::fprintf(stderr, "%s\n", clsort_status_text(status));
        return 1;
    }
    for (cl_uint i = 1; i < count; i++) wrong += keys[i - 1] > keys[i];
    std::printf("%u keys sorted, %u out of order\n", count, wrong);
    clsort_destroy(sorter);
    return wrong ? 1 : 0;
}
