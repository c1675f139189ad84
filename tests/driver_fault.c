/* Is the device's compiler right about structs in private memory? Mesa's is not, on llvmpipe: 22.3
   reads members of different sizes back wrong, 25.0 keeps only the last of the structs that a loop
   assigns. clsort's kernels cannot be right there either; then the self-test must say so. Passes if
   the two agree: a fault and a refusal, or neither. */

#define CLSORT_IMPLEMENTATION
#include "harness.h"

enum { N = 512 };

/* Each reverses every eight bytes. */
static const struct { const char *what, *source; } faults[] = {
    { "an array of structs with members of two sizes",
      "typedef struct { uchar key; uint word[1]; } row;\n"
      "kernel void reverse_eights(global uchar *p) {\n"
      "    row e[8]; const uint at = 8 * (uint)get_global_id(0);\n"
      "    #pragma unroll 1\n"
      "    for (uint m = 0; m < 8; m++) {\n"
      "        row r; r.key = p[at + m]; r.word[0] = m; e[m] = r;\n"
      "    }\n"
      "    #pragma unroll 1\n"
      "    for (uint m = 0; m < 8; m++) p[at + m] = e[7 - m].key;\n"
      "}\n" },
    { "structs that a loop assigns",
      "typedef struct { uint key; } row;\n"
      "kernel void reverse_eights(global uchar *p) {\n"
      "    row e[8]; const uint at = 8 * (uint)get_global_id(0);\n"
      "    for (uint m = 0; m < 8; m++) { row r; r.key = p[at + m]; e[m] = r; }\n"
      "    for (uint m = 0; m < 8; m++) p[at + m] = (uchar)e[7 - m].key;\n"
      "}\n" }
};

/* Runs the kernel of a fault on `bytes`. */
static int reverse_on_device(bench *b, const char *source, unsigned char *bytes)
{
    const size_t items = N / 8;
    cl_int error;
    cl_context context = b->session.context;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, N, bytes, &error);
    cl_kernel kernel = NULL;
    int ran;
    if (clBuildProgram(program, 1, &b->session.info.id, "-cl-std=CL1.2", NULL, NULL) == CL_SUCCESS)
        kernel = clCreateKernel(program, "reverse_eights", &error);
    ran = kernel && clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS
          && clEnqueueNDRangeKernel(b->session.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL)
                 == CL_SUCCESS
          && clEnqueueReadBuffer(b->session.queue, buffer, CL_TRUE, 0, N, bytes, 0, NULL, NULL)
                 == CL_SUCCESS;
    if (kernel) clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(buffer);
    return ran;
}

/* How many bytes a fault gets wrong. */
static int count_wrong(bench *b, const char *source)
{
    unsigned char bytes[N];
    int i, wrong = 0;
    for (i = 0; i < N; i++) bytes[i] = (unsigned char)(i * 37 + i / 8);
    CHECK(reverse_on_device(b, source, bytes));
    for (i = 0; i < N; i++) wrong += bytes[i] != (unsigned char)((i ^ 7) * 37 + i / 8);
    return wrong;
}

static void the_self_test_agrees_with_the_driver(bench *b)
{
    clsort_status status = clsort_self_test(b->sorter);
    int wrong = 0;
    size_t k;
    for (k = 0; k < sizeof faults / sizeof *faults; k++) {
        const int bytes = count_wrong(b, faults[k].source);
        wrong += bytes;
        printf("%d of %d bytes wrong through %s\n", bytes, (int)N, faults[k].what);
    }
    printf("the self-test says: %s\n", clsort_status_text(status));
    CHECK_STATUS(status, wrong ? CLSORT_ERROR_WRONG_RESULT : CL_SUCCESS);
}

int main(void)
{
    static const test_entry tests[] = { { "the self-test agrees with the driver",
                                          the_self_test_agrees_with_the_driver } };
    return test_main(tests, sizeof tests / sizeof *tests);
}
