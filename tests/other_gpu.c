/* other_gpu.c - with CLSORT_TEST_OTHER_VENDOR=1, NVIDIA's GPUs are another vendor's for the program
   that this is linked into with -Wl,--wrap=clGetDeviceInfo: they have another vendor's number, and
   know none of NVIDIA's own queries. What then runs needs nothing of NVIDIA. */

#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

enum { NVIDIA = 0x10DE, AMD = 0x1002, FIRST_OF_NVIDIA = 0x4000, LAST_OF_NVIDIA = 0x4008 };

/* The linker's names for the function itself, and for what calls of it become. */
cl_int __real_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value,
                              size_t *needed);
cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value,
                              size_t *needed);

static int is_disguised(cl_device_id device)
{
    const char *asked = getenv("CLSORT_TEST_OTHER_VENDOR");
    cl_uint vendor = 0;
    return asked && !strcmp(asked, "1")
           && __real_clGetDeviceInfo(device, CL_DEVICE_VENDOR_ID, sizeof vendor, &vendor, NULL)
                  == CL_SUCCESS
           && vendor == NVIDIA;
}

cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value,
                              size_t *needed)
{
    const cl_uint vendor = AMD;
    cl_int code;
    if (!is_disguised(device)) return __real_clGetDeviceInfo(device, what, size, value, needed);
    if (what >= FIRST_OF_NVIDIA && what <= LAST_OF_NVIDIA) return CL_INVALID_VALUE;
    code = __real_clGetDeviceInfo(device, what, size, value, needed);
    if (code == CL_SUCCESS && what == CL_DEVICE_VENDOR_ID && value)
        memcpy(value, &vendor, sizeof vendor);
    return code;
}
