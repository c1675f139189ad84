/* choices.c - is what AUTO takes as fast as the best algorithm by name? A line for each kind and
   number of elements: the time of AUTO, that of the fastest name, and their ratio.

     make build/choices
     build/choices [--measure SECONDS] [--most COUNT] [KIND]...

   With --measure, clsort_measure measures each kind first, up to COUNT elements (default: 2^24), in
   so many seconds at most; builds come on top. A KIND is a type of keys and the bytes of a value,
   such as u32+4; without one, there are several. CLSORT_DEVICE names the device, and
   CLSORT_TEST_OTHER_VENDOR=1 makes NVIDIA's GPUs another vendor's. Keys are uniform. Each name
   sorts in turns with AUTO, and the ratio is the median over turns of AUTO's time in parts of that
   of the name; a ratio above 1.05 has a mark. Names that reproduce publications are left out. */

#define _POSIX_C_SOURCE 199309L
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CLSORT_STATIC
#define CLSORT_IMPLEMENTATION
#include "../measure/clsort_measure.h"

#include <time.h>

#include "counts.h"
#include "device.h"
#include "median.h"

enum { TURNS_MOST = 101, TURNS_LEAST = 5, FIRST = 1 << 10, FACTOR = 4 };
static const double most_ms = 150;   /* of a race of two */

/* The names among which AUTO should find the best. */
static const char *const names[] = {
    "bitonic", "merge", "radix", "radix-portable", "radix-sweeps", "radix-hybrid", "radix-samples",
    "radix-cached"
};
enum { NAMES = sizeof names / sizeof *names };

typedef struct kind { cl_uint type; size_t value_size; const char *name; } kind;
static const kind kinds[] = {
    { CLSORT_U32, 0, "u32" }, { CLSORT_U32, 4, "u32+4" }, { CLSORT_U64, 0, "u64" },
    { CLSORT_F32, 0, "f32" }, { CLSORT_U16, 0, "u16" },   { CLSORT_U64, 4, "u64+4" }
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct bench {
    device_session device;
    clsort_sorter *sorter;
    size_t most;
    cl_uint measure_ms;
    cl_mem keys, keys_out, values, values_out;
} bench;

static void must(cl_int code, const char *what)
{
    if (code == CL_SUCCESS) return;
    fprintf(stderr, "choices: %s: %s\n", what, clsort_status_text(code));
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static clsort_desc describe(const bench *b, const kind *k, size_t n)
{
    clsort_desc d = clsort_desc_default();
    d.key_type = k->type;
    d.count = n;
    d.keys = b->keys;
    d.keys_out = b->keys_out;
    d.value_size = k->value_size;
    if (!d.value_size) return d;
    d.values = b->values;
    d.values_out = b->values_out;
    return d;
}

/* From the call to the end of the queue, in ms. */
static double sort(bench *b, const clsort_desc *d)
{
    const double begin = now();
    must(clsort_enqueue_sort(b->sorter, b->device.queue, d, 0, NULL, NULL), "clsort_enqueue_sort");
    must(clFinish(b->device.queue), "clFinish");
    return now() - begin;
}

/* The medians of AUTO and of a name in ms, and of AUTO's time in parts of the name's. Both sort
   twice in a turn, and the second time counts. */
static double race(bench *b, const clsort_desc d[2], double ms[2])
{
    const double begin = now();
    double times[2][TURNS_MOST], ratios[TURNS_MOST];
    int turns, i;
    for (i = 0; i < 2; i++) sort(b, &d[i]);
    for (turns = 0; turns < TURNS_LEAST || (turns < TURNS_MOST && now() - begin < most_ms);
         turns++) {
        for (i = 0; i < 2; i++) {
            const int one = (i + turns) & 1;
            sort(b, &d[one]);
            times[one][turns] = sort(b, &d[one]);
        }
        ratios[turns] = times[0][turns] / times[1][turns];
    }
    for (i = 0; i < 2; i++) ms[i] = median(times[i], turns);
    return median(ratios, turns);
}

/* A line of the table. Returns whether AUTO is within 5 %. */
static int run_cell(bench *b, const kind *k, size_t n)
{
    clsort_desc d[2] = { describe(b, k, n), describe(b, k, n) };
    const char *best = "-";
    double most = 0, ms[2], auto_ms = 0, best_ms = 0;
    int i;
    must(clsort_prepare(b->sorter, b->device.queue, d), "clsort_prepare");
    for (i = 0; i < NAMES; i++) {
        double ratio;
        d[1] = describe(b, k, n);
        if (clsort_set_algorithm(&d[1], names[i]) != CL_SUCCESS
            || clsort_prepare(b->sorter, b->device.queue, &d[1]) != CL_SUCCESS)
            continue;
        ratio = race(b, d, ms);
        if (ratio <= most) continue;
        most = ratio;
        best = names[i];
        auto_ms = ms[0], best_ms = ms[1];
    }
    printf("%-6s %10lu %9.4f %9.4f  %.3f%c %s\n", k->name, (unsigned long)n, auto_ms, best_ms, most,
           most > 1.05 ? '!' : ' ', best);
    fflush(stdout);
    return most <= 1.05;
}

/* Measures up to the largest number. */
static void measure_kind(bench *b, const kind *k)
{
    const clsort_desc d = describe(b, k, b->most);
    clsort_measure_desc m = clsort_measure_desc_default();
    double begin = now(), built;
    clsort_status status;
    m.sort = &d;
    m.max_ms = 600000;
    m.flags = CLSORT_MEASURE_ONLY_BUILDS;
    must(clsort_measure(b->sorter, b->device.queue, &m), "clsort_measure, builds");
    built = now() - begin;
    begin = now();
    m.max_ms = b->measure_ms;
    m.flags = 0;
    status = clsort_measure(b->sorter, b->device.queue, &m);
    if (status != CLSORT_ERROR_OUT_OF_TIME) must(status, "clsort_measure");
    printf("%-6s measured in %.1f s after builds of %.1f s%s\n", k->name, (now() - begin) / 1e3,
           built / 1e3, status == CL_SUCCESS ? "" : ": out of time");
}

static void run_kind(bench *b, const kind *k, int *cells, int *good)
{
    size_t n;
    if (b->measure_ms) measure_kind(b, k);
    for (n = FIRST; n <= b->most; n *= FACTOR) {
        *good += run_cell(b, k, n);
        ++*cells;
    }
}

static cl_mem new_buffer(const bench *b, int filled)
{
    const size_t bytes = b->most * 8;
    cl_int code = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(b->device.context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    cl_ulong *words;
    size_t i;
    must(code, "clCreateBuffer");
    if (!filled) return buffer;
    words = (cl_ulong *)malloc(bytes);
    if (!words) must(CL_OUT_OF_HOST_MEMORY, "malloc");
    for (i = 0; i < b->most; i++) words[i] = (i + 1) * 0x9E3779B97F4A7C15u;
    for (i = 0; i < b->most; i++) words[i] = (words[i] ^ (words[i] >> 29)) * 0xBF58476D1CE4E5B9u;
    for (i = 0; i < b->most; i++) words[i] ^= words[i] >> 32;
    must(clEnqueueWriteBuffer(b->device.queue, buffer, CL_TRUE, 0, bytes, words, 0, NULL, NULL),
         "clEnqueueWriteBuffer");
    free(words);
    return buffer;
}

static void open_bench(bench *b)
{
    device_info info;
    if (!device_choose(NULL, &info) || !device_open(&info, &b->device)) {
        fprintf(stderr, "choices: no such OpenCL device\n");
        exit(2);
    }
    must(clsort_create(b->device.context, info.id, NULL, &b->sorter), "clsort_create");
    b->keys = new_buffer(b, 1);
    b->values = new_buffer(b, 1);
    b->keys_out = new_buffer(b, 0);
    b->values_out = new_buffer(b, 0);
    printf("%s, policy of %s\n%-6s %10s %9s %9s  %-6s best name\n", info.name,
           b->sorter->policy->devices, "kind", "elements", "auto ms", "best ms", "ratio");
}

/* Reads the options; returns how many words they are, or -1. */
static int read_options(bench *b, int count, char **words)
{
    unsigned long long number;
    int i;
    for (i = 1; i + 1 < count && words[i][0] == '-'; i += 2) {
        if (!count_parse(words[i + 1], &number) || !number) return -1;
        if (!strcmp(words[i], "--measure")) b->measure_ms = (cl_uint)(1000 * number);
        else if (!strcmp(words[i], "--most")) b->most = (size_t)number;
        else return -1;
    }
    return i < count && words[i][0] == '-' ? -1 : i;
}

int main(int count, char **words)
{
    bench b;
    int i, first, cells = 0, good = 0;
    memset(&b, 0, sizeof b);
    b.most = 1 << 24;
    if ((first = read_options(&b, count, words)) < 0) {
        fprintf(stderr, "choices: see the first lines of tools/bench/choices.c\n");
        return 2;
    }
    open_bench(&b);
    for (i = 0; i < KINDS; i++) {
        int word, wanted = first == count;
        for (word = first; word < count; word++) wanted |= !strcmp(words[word], kinds[i].name);
        if (wanted) run_kind(&b, &kinds[i], &cells, &good);
    }
    printf("within 5 %% of the best name: %d of %d\n", good, cells);
    return 0;
}
