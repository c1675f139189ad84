/* Is the device's compiler right about arrays of structs in private memory? Mesa 22.3 is not (rusticl on llvmpipe: members of different
   sizes read back wrong), so clsort's kernels cannot be right there either; then the self-test must say so. Passes if the
   two agree: a fault and a refusal, or neither. */

#define CLSORT_IMPLEMENTATION
#include "harness.h"

enum { N = 512 };

static const char *const fault_source =
    "typedef struct { uchar key; uint word[1]; } row;\n"
    "kernel void reverse_eights(global uchar *p) {\n"
    "    row e[8]; const uint at = 8 * (uint)get_global_id(0);\n"
    "    #pragma unroll 1\n"
    "    for (uint m = 0; m < 8; m++) { row r; r.key = p[at + m]; r.word[0] = m; e[m] = r; }\n"
    "    #pragma unroll 1\n"
    "    for (uint m = 0; m < 8; m++) p[at + m] = e[7 - m].key;\n"
    "}\n";

/* Runs reverse_eights on `bytes`. */
static int reverse_on_device(bench *b, unsigned char *bytes)
{
    const size_t items = N / 8;
    cl_int error;
    cl_program program = clCreateProgramWithSource(b->session.context, 1, (const char **)(uintptr_t)&fault_source, NULL, &error);
    cl_mem buffer = clCreateBuffer(b->session.context, CL_MEM_COPY_HOST_PTR, N, bytes, &error);
    cl_kernel kernel = clBuildProgram(program, 1, &b->session.info.id, "-cl-std=CL1.2", NULL, NULL) == CL_SUCCESS
                           ? clCreateKernel(program, "reverse_eights", &error) : NULL;
    int ran = kernel && clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS
              && clEnqueueNDRangeKernel(b->session.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) == CL_SUCCESS
              && clEnqueueReadBuffer(b->session.queue, buffer, CL_TRUE, 0, N, bytes, 0, NULL, NULL) == CL_SUCCESS;
    if (kernel) clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(buffer);
    return ran;
}

static void the_self_test_agrees_with_the_driver(bench *b)
{
    unsigned char bytes[N];
    int i, wrong = 0;
    clsort_status status = clsort_self_test(b->sorter);
    for (i = 0; i < N; i++) bytes[i] = (unsigned char)(i * 37 + i / 8);
    CHECK(reverse_on_device(b, bytes));
    for (i = 0; i < N; i++) wrong += bytes[i] != (unsigned char)((i ^ 7) * 37 + i / 8);
    printf("%d of %d bytes wrong through an array of structs; the self-test says: %s\n", wrong, N, clsort_status_text(status));
    CHECK_STATUS(status, wrong ? CLSORT_ERROR_WRONG_RESULT : CL_SUCCESS);
}

int main(void)
{
    static const test_entry tests[] = { { "the self-test agrees with the driver", the_self_test_agrees_with_the_driver } };
    return test_main(tests, sizeof tests / sizeof *tests);
}
