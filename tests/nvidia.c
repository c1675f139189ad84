/* Is one of the devices under test NVIDIA's, as clsort sees it?

     nvidia [--none]

   The exit status is 0 if one is. With --none that is a failure, and is counted as a test. */

#include "harness.h"

static int is_nvidia(const device_info *device)
{
    enum { COMPUTE_CAPABILITY_MAJOR_NV = 0x4000 };
    cl_uint vendor = 0, major = 0;
    clGetDeviceInfo(device->id, CL_DEVICE_VENDOR_ID, sizeof vendor, &vendor, NULL);
    return vendor == 0x10DE
           || clGetDeviceInfo(device->id, COMPUTE_CAPABILITY_MAJOR_NV, sizeof major, &major, NULL)
                  == CL_SUCCESS;
}

int main(int argc, char **argv)
{
    device_info list[DEVICE_MAX];
    const size_t count = device_list(getenv("CLSORT_DEVICE"), list, DEVICE_MAX);
    const int none = argc > 1 && !strcmp(argv[1], "--none");
    int found = 0;
    size_t i;
    for (i = 0; i < count; i++) {
        if (!is_nvidia(&list[i])) continue;
        found = 1;
        if (none) printf("FAILED: seen as NVIDIA's: %s\n", list[i].name);
    }
    if (none) printf("%d passed, %d failed\n", !found, found);
    return found == none;
}
