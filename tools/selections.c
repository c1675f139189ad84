/* selections.c - how long selecting takes beside sorting the same rows: a table over rows, length
   and k. No selection should take more than 1.05 times as long.

     make build/selections
     build/selections [ROWSxLENGTH[:K,K,...]]...

   A K is a number, "n" for all elements of a row, "n-1", or "n/8" for a part of them; without K
   there are several. Without cells there are some for the device that CLSORT_DEVICE names. Keys are
   f32 in [0, 1). Times are medians of runs in turns, in ms, from the call to the end of the queue;
   each beside that of a sort:

     first       the k first keys and their indices, in order
     k-th        only the k-th
     partition   keys only, in the array that they are in; the sort does the same

   A ratio above 1.05 has a mark. */

#define _POSIX_C_SOURCE 199309L
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CLSORT_STATIC
#define CLSORT_IMPLEMENTATION
#include "../clsort.h"

#include <time.h>

#include "device.h"
#include "patterns.h"

enum { RUNS_MOST = 31 };

typedef struct measure {
    device_session device;
    clsort_sorter *sorter;
    size_t rows, n;
    cl_mem input, keys, keys_out, indices;
} measure;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void must(cl_int code, const char *what)
{
    if (code == CL_SUCCESS) return;
    fprintf(stderr, "selections: %s: %s\n", what, clsort_status_text(code));
    exit(1);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One run in ms. In place, the input is copied before. */
static double run(measure *m, const clsort_desc *d, int in_place)
{
    double begin;
    if (in_place)
        must(clEnqueueCopyBuffer(m->device.queue, m->input, m->keys, 0, 0, m->rows * m->n * 4, 0,
                                 NULL, NULL),
             "clEnqueueCopyBuffer");
    must(clFinish(m->device.queue), "clFinish");
    begin = now();
    if (clsort_enqueue_sort(m->sorter, m->device.queue, d, 0, NULL, NULL) != CL_SUCCESS) {
        fprintf(stderr, "selections: %s\n", clsort_last_error(m->sorter));
        exit(1);
    }
    must(clFinish(m->device.queue), "clFinish");
    return now() - begin;
}

/* The medians of runs in turns: ms[0] of a sort, ms[1] of a selection. */
static void race(measure *m, const clsort_desc *sort, const clsort_desc *select, int in_place,
                 double *ms)
{
    const double start = now();
    double times[2][RUNS_MOST];
    int runs = 0, i;
    for (i = 0; i < 2; i++) run(m, i ? select : sort, in_place);
    for (; runs < RUNS_MOST && (runs < 3 || now() - start < 600); runs++)
        for (i = 0; i < 2; i++) times[i][runs] = run(m, i ? select : sort, in_place);
    for (i = 0; i < 2; i++) {
        qsort(times[i], (size_t)runs, sizeof *times[i], compare);
        ms[i] = times[i][runs / 2];
    }
}

static clsort_desc describe(const measure *m, int in_place)
{
    clsort_desc d = clsort_desc_default();
    d.count = m->n;
    d.rows = m->rows > 1 ? m->rows : 0;
    d.key_type = CLSORT_F32;
    d.order = CLSORT_DESCENDING;
    d.keys = in_place ? m->keys : m->input;
    if (in_place) return d;
    d.keys_out = m->keys_out;
    d.indices = m->indices;
    return d;
}

static void print_race(measure *m, const clsort_desc *sort, const clsort_desc *select,
                       int in_place)
{
    double ms[2];
    race(m, sort, select, in_place, ms);
    printf(" %10.4f %10.4f %6.2f%c", ms[0], ms[1], ms[1] / ms[0], ms[1] > 1.05 * ms[0] ? '!' : ' ');
    fflush(stdout);
}

static size_t read_k(const char *word, size_t n)
{
    if (*word != 'n') return (size_t)strtoull(word, NULL, 0);
    if (word[1] == '/') return n / (size_t)strtoull(word + 2, NULL, 0);
    return word[1] == '-' ? n - (size_t)strtoull(word + 2, NULL, 0) : n;
}

static void measure_all(measure *m, const char *list)
{
    const clsort_desc apart = describe(m, 0), here = describe(m, 1);
    char words[200], *word;
    size_t last = 0;
    snprintf(words, sizeof words, "%s", list);
    for (word = strtok(words, ","); word; word = strtok(NULL, ",")) {
        clsort_desc top = apart, nth = apart, partition = here;
        const size_t k = read_k(word, m->n);
        if (!k || k > m->n || k == last) continue;
        last = top.top_k = nth.top_k = partition.top_k = k;
        top.rows = nth.rows = partition.rows = m->rows;
        nth.flags = CLSORT_FLAG_TOP_NTH;
        partition.flags = CLSORT_FLAG_TOP_PARTITION;
        printf("%8zu x %-8zu %8zu", m->rows, m->n, k);
        print_race(m, &apart, &top, 0);
        print_race(m, &apart, &nth, 0);
        print_race(m, &here, &partition, 1);
        printf("\n");
    }
}

static cl_mem new_buffer(const measure *m, size_t bytes)
{
    cl_int error;
    const cl_mem buffer = clCreateBuffer(m->device.context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    must(error, "clCreateBuffer");
    return buffer;
}

static void fill(const measure *m)
{
    const size_t count = m->rows * m->n;
    float *keys = (float *)malloc(count * 4);
    uint64_t state = 1;
    size_t i;
    if (!keys) exit(1);
    for (i = 0; i < count; i++) keys[i] = (float)(pattern_random(&state) >> 40) / 16777216.0f;
    must(clEnqueueWriteBuffer(m->device.queue, m->input, CL_TRUE, 0, count * 4, keys, 0, NULL,
                              NULL),
         "clEnqueueWriteBuffer");
    free(keys);
}

static void run_cell(measure *m, const char *cell)
{
    const char *list = strchr(cell, ':');
    size_t bytes;
    if (sscanf(cell, "%zux%zu", &m->rows, &m->n) != 2 || !m->rows || !m->n) {
        fprintf(stderr, "usage: selections [ROWSxLENGTH[:K,K,...]]...\n");
        exit(2);
    }
    bytes = m->rows * m->n * 4;
    m->input = new_buffer(m, bytes);
    m->keys = new_buffer(m, bytes);
    m->keys_out = new_buffer(m, bytes);
    m->indices = new_buffer(m, bytes);
    fill(m);
    measure_all(m, list ? list + 1 : "1,8,40,n/32,n/8,n/2,n-1,n");
    clReleaseMemObject(m->input);
    clReleaseMemObject(m->keys);
    clReleaseMemObject(m->keys_out);
    clReleaseMemObject(m->indices);
    clsort_trim(m->sorter);
}

int main(int argc, char **argv)
{
    static const char *const few[] = { "10000x64", "512x256", "512x2048", "16x65536", "1x524288",
                                       "1x4194304" },
                      *const many[] = { "100000x64",  "100000x256", "4096x1024", "1024x4096",
                                        "1000x16384", "64x131072",  "1x1048576", "1x16777216" };
    const char *const *cells = (const char *const *)argv + 1;
    measure m;
    device_info info;
    cl_int error;
    size_t count = (size_t)argc - 1, i;
    memset(&m, 0, sizeof m);
    if (!device_choose(NULL, &info) || !device_open(&info, &m.device)) return 1;
    clReleaseCommandQueue(m.device.queue);   /* profiling takes time */
    m.device.queue = clCreateCommandQueue(m.device.context, info.id, 0, &error);
    must(error, "clCreateCommandQueue");
    must(clsort_create(m.device.context, m.device.info.id, NULL, &m.sorter), "clsort_create");
    printf("%s\n%30s %10s %10s %7s", m.device.info.name, "rows x length        k", "sort", "first",
           "ratio");
    printf(" %10s %10s %7s %10s %10s %7s\n", "sort", "k-th", "ratio", "sort", "partition", "ratio");
    if (argc < 2) {
        cells = info.type == CL_DEVICE_TYPE_GPU ? many : few;
        count = info.type == CL_DEVICE_TYPE_GPU ? sizeof many / sizeof *many
                                                : sizeof few / sizeof *few;
    }
    for (i = 0; i < count; i++) run_cell(&m, cells[i]);
    clsort_destroy(m.sorter);
    device_close(&m.device);
    return 0;
}
