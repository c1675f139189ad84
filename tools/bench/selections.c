/* selections.c - how long selecting takes beside sorting the same rows: a table over rows, length
   and k. No selection should take more than 1.05 times as long.

     make build/selections
     build/selections [--inputs] [ROWSxLENGTH[:K,K,...]]...

   A K is a number, "n" for all elements of a row, "n-1", or "n/8" for a part of them; without K
   there are several. Without cells there are some for the device that CLSORT_DEVICE names. Keys are
   f32 in [0, 1). Times are medians of runs in turns, in ms, from the call to the end of the queue;
   each beside that of a sort:

     first       the k first keys and their indices, in order
     k-th        only the k-th
     partition   keys only, in the array that they are in; the sort does the same

   A ratio above 1.05 has a mark.

   With --inputs, how long the k first take of inputs that mislead a selection, beside uniform keys.
   A ratio above 3 has a mark. Every result is checked. */

#define _POSIX_C_SOURCE 199309L
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CLSORT_STATIC
#define CLSORT_IMPLEMENTATION
#include "../../clsort.h"

#include <time.h>

#include "device.h"
#include "median.h"
#include "patterns.h"

enum { RUNS_MOST = 31 };

typedef struct measure {
    device_session device;
    clsort_sorter *sorter;
    size_t rows, n;
    int misleads;   /* --inputs */
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
    for (i = 0; i < 2; i++) ms[i] = median(times[i], runs);
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

/* ---- inputs ---------------------------------------------------------------------------------- */

/* Keys that mislead a selection: of a pattern, with poison where the sample of a row looks, or both
   samples do, or with k - 1 larger keys where the first does not look. */
typedef struct input {
    const char *name, *pattern;
    int samples;
    float poison;
    int hides;
} input;

static const input inputs[] = { { "uniform", "unit", 0, 0, 0 },
                                { "sorted", "sorted", 0, 0, 0 },
                                { "reverse", "reverse", 0, 0, 0 },
                                { "equal", "equal", 0, 0, 0 },
                                { "mostly zero", "mostly-zero", 0, 0, 0 },
                                { "sample first", "unit", 1, 2, 0 },
                                { "sample last", "unit", 1, -1, 0 },
                                { "both first", "unit", 2, 2, 0 },
                                { "both last", "unit", 2, -1, 0 },
                                { "hidden", "unit", 0, 0, 1 } };

/* The clusters of the sample by which rows are bounded; 0: there is no sample. */
static uint32_t sample_clusters(const measure *m, const clsort_desc *d)
{
    clsort__plan p;
    clsort__plan_selection(&m->sorter->facts, m->sorter->policy, d, &p);
    return clsort__has_sample(&p) ? p.select.clusters : 0;
}

static void fill_row(const measure *m, const input *in, const clsort_desc *d, uint32_t clusters,
                     uint64_t seed, float *row)
{
    const uint32_t group = 1u << m->sorter->policy->tiles.alone_group_log2;
    const size_t apart = clusters ? d->count / clusters : d->count + 1;
    uint64_t random = seed;
    size_t hidden = 0;
    uint32_t poison;
    pattern_fill(pattern_find(in->pattern), CLSORT_F32, d->count, seed, 0, row);
    memcpy(&poison, &in->poison, 4);
    if (in->samples)
        pattern_poison((uint32_t *)(void *)row, d->count, clusters, group, poison,
                       in->samples > 1);
    while (in->hides && hidden + 1 < d->top_k) {
        const size_t at = (size_t)(pattern_random(&random) % d->count);
        if (pattern_is_sampled(at, clusters, apart, 0) || row[at] > 1) continue;
        row[at] = 2 + (float)hidden++;
    }
}

static uint64_t pair_of(float key, uint32_t index)
{
    uint32_t bits;
    memcpy(&bits, &key, 4);
    return (uint64_t)(bits >> 31 ? bits : ~bits ^ 0x80000000u) << 32 | index;
}

/* Are these the k first of a row, in order? */
static int is_right(const float *row, size_t n, const float *keys, const uint32_t *indices,
                    size_t k)
{
    uint64_t before = 0, last = pair_of(keys[k - 1], indices[k - 1]);
    size_t i, count = 0;
    for (i = 0; i < k; i++) {
        const uint64_t pair = pair_of(keys[i], indices[i]);
        if (indices[i] >= n || memcmp(&row[indices[i]], &keys[i], 4) || (i && pair <= before))
            return 0;
        before = pair;
    }
    for (i = 0; i < n; i++) count += pair_of(row[i], (uint32_t)i) <= last;
    return count == k;
}

static void check_rows(const measure *m, const clsort_desc *d, const float *rows)
{
    const size_t results = m->rows * d->top_k;
    float *keys = (float *)malloc(results * 4);
    uint32_t *indices = (uint32_t *)malloc(results * 4);
    size_t r;
    if (!keys || !indices) exit(1);
    must(clEnqueueReadBuffer(m->device.queue, m->keys_out, CL_TRUE, 0, results * 4, keys, 0, NULL,
                             NULL),
         "clEnqueueReadBuffer");
    must(clEnqueueReadBuffer(m->device.queue, m->indices, CL_TRUE, 0, results * 4, indices, 0,
                             NULL, NULL),
         "clEnqueueReadBuffer");
    for (r = 0; r < m->rows; r++)
        if (!is_right(rows + r * m->n, m->n, keys + r * d->top_k, indices + r * d->top_k,
                      d->top_k)) {
            printf("  row %zu is wrong\n", r);
            exit(1);
        }
    free(keys);
    free(indices);
}

/* The median of a selection from an input. */
static double time_input(measure *m, const clsort_desc *d, const input *in, uint32_t clusters,
                         float *rows)
{
    double times[RUNS_MOST];
    size_t r;
    int i;
    for (r = 0; r < m->rows; r++) fill_row(m, in, d, clusters, r + 1, rows + r * m->n);
    must(clEnqueueWriteBuffer(m->device.queue, m->input, CL_TRUE, 0, m->rows * m->n * 4, rows, 0,
                              NULL, NULL),
         "clEnqueueWriteBuffer");
    for (i = -2; i < RUNS_MOST; i++) times[i < 0 ? 0 : i] = run(m, d, 0);
    check_rows(m, d, rows);
    return median(times, RUNS_MOST);
}

static void measure_inputs(measure *m, size_t k)
{
    clsort_desc d = describe(m, 0);
    float *rows = (float *)malloc(m->rows * m->n * 4);
    uint32_t clusters;
    double uniform = 0;
    size_t i;
    if (!rows) exit(1);
    d.rows = m->rows;
    d.top_k = k;
    clusters = sample_clusters(m, &d);
    for (i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        double ms;
        if (inputs[i].samples && !clusters) continue;
        ms = time_input(m, &d, &inputs[i], clusters, rows);
        if (!i) uniform = ms;
        printf("%8zu x %-8zu %8zu  %-14s %10.4f %6.2f%c\n", m->rows, m->n, k, inputs[i].name, ms,
               ms / uniform, ms > 3 * uniform ? '!' : ' ');
        fflush(stdout);
    }
    free(rows);
}

/* ---- cells ----------------------------------------------------------------------------------- */

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
        if (m->misleads) {
            measure_inputs(m, k);
            continue;
        }
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
        fprintf(stderr, "usage: selections [--inputs] [ROWSxLENGTH[:K,K,...]]...\n");
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

static void print_head(const measure *m)
{
    printf("%s, policy of %s\n%30s", m->device.info.name, m->sorter->policy->devices,
           "rows x length        k");
    if (m->misleads) {
        printf("  %-14s %10s %7s\n", "input", "ms", "ratio");
        return;
    }
    printf(" %10s %10s %7s %10s %10s %7s", "sort", "first", "ratio", "sort", "k-th", "ratio");
    printf(" %10s %10s %7s\n", "sort", "partition", "ratio");
}

/* Opens the device and leaves what it is in *info. Returns whether there is one. */
static int open_measure(measure *m, device_info *info)
{
    cl_int error;
    if (!device_choose(NULL, info) || !device_open(info, &m->device)) return 0;
    clReleaseCommandQueue(m->device.queue);   /* profiling takes time */
    m->device.queue = clCreateCommandQueue(m->device.context, info->id, 0, &error);
    must(error, "clCreateCommandQueue");
    must(clsort_create(m->device.context, m->device.info.id, NULL, &m->sorter), "clsort_create");
    return 1;
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
    size_t count = (size_t)argc - 1, i;
    memset(&m, 0, sizeof m);
    if (count && !strcmp(*cells, "--inputs")) {
        m.misleads = 1;
        cells++;
        count--;
    }
    if (!open_measure(&m, &info)) return 1;
    print_head(&m);
    if (!count) {
        cells = info.type == CL_DEVICE_TYPE_GPU ? many : few;
        count = info.type == CL_DEVICE_TYPE_GPU ? sizeof many / sizeof *many
                                                : sizeof few / sizeof *few;
    }
    for (i = 0; i < count; i++) run_cell(&m, cells[i]);
    clsort_destroy(m.sorter);
    device_close(&m.device);
    return 0;
}
