/* demo.c - `make demo`: sorts 4 Mi random 32-bit keys with every algorithm on one device, then keys
   with values, records and two sorted arrays, checks each result, prints tables.

   build/demo [count]        such as 1000, 2^20 or 16Mi, below 2^32
   CLSORT_DEVICE=<part of a name> chooses the device */

#define _POSIX_C_SOURCE 199309L   /* clock_gettime */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#include "counts.h"
#include "device.h"
#include <time.h>

enum { RUNS = 3 };

/* What takes longer than this is run once. */
static const double slow_ms = 200;

typedef struct demo {
    device_session device;
    clsort_sorter *sorter;
    cl_mem master, keys;          /* the input, and the buffer that is sorted */
    size_t count;
    cl_uint *expected, *result;   /* the input after qsort; what the device made of it */
    double qsort_ms;
} demo;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "demo: %s: %s\n", what, clsort_status_text(status));
    exit(EXIT_FAILURE);
}

static int compare_u32(const void *a, const void *b)
{
    cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;
    return (x > y) - (x < y);
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Steele, Lea and Flood's SplitMix64. */
static cl_uint random_u32(cl_ulong *state)
{
    cl_ulong z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (cl_uint)(z >> 32);
}

static void list_devices(const demo *d)
{
    device_info list[DEVICE_MAX];
    size_t count = device_list("all", list, DEVICE_MAX), i;
    printf("device: %s (%s)\n", d->device.info.name, d->device.info.platform_name);
    for (i = 0; i < count; i++)
        if (list[i].id != d->device.info.id)
            printf("  also here: %s (%s)\n", list[i].name, list[i].platform_name);
    printf("  CLSORT_DEVICE=<part of a name> chooses another\n");
}

/* Makes the input, on the device and sorted on the host. */
static void make_input(demo *d)
{
    cl_ulong state = 1;
    cl_int status;
    const size_t bytes = d->count * sizeof(cl_uint);
    size_t i;
    double start;

    d->expected = (cl_uint *)malloc(bytes);
    d->result = (cl_uint *)malloc(bytes);
    check(d->expected && d->result ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "malloc");
    for (i = 0; i < d->count; i++) d->expected[i] = random_u32(&state);

    d->master = clCreateBuffer(d->device.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                               d->expected, &status);
    check(status, "clCreateBuffer");
    d->keys = clCreateBuffer(d->device.context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    check(status, "clCreateBuffer");

    start = now_ms();
    qsort(d->expected, d->count, sizeof(cl_uint), compare_u32);
    d->qsort_ms = now_ms() - start;
}

/* One sort, or one merge if that is not NULL, from its call to the end of its last command. */
static double timed(demo *d, const clsort_desc *desc, const clsort_merge_desc *merge)
{
    const double start = now_ms();
    if (merge)
        check(clsort_enqueue_merge(d->sorter, d->device.queue, merge, 0, NULL, NULL),
              "clsort_enqueue_merge");
    else
        check(clsort_enqueue_sort(d->sorter, d->device.queue, desc, 0, NULL, NULL),
              "clsort_enqueue_sort");
    check(clFinish(d->device.queue), "clFinish");
    return now_ms() - start;
}

/* A sort in place; the copy of the input before it does not count. */
static double measure(demo *d, const clsort_desc *desc)
{
    check(clEnqueueCopyBuffer(d->device.queue, d->master, d->keys, 0, 0, d->count * sizeof(cl_uint),
                              0, NULL, NULL),
          "clEnqueueCopyBuffer");
    check(clFinish(d->device.queue), "clFinish");
    return timed(d, desc, NULL);
}

/* The largest power of two such that every block of so many keys is sorted. */
static size_t sorted_block(const demo *d)
{
    size_t block = 1, i;
    while (block < d->count) block *= 2;
    for (i = 1; i < d->count; i++)
        while (d->result[i - 1] > d->result[i] && i % block) block /= 2;
    return block;
}

/* Checks order and permutation; says "yes", or what is sorted, or "WRONG". Returns whether the
   result is as it should be. */
static int verify(demo *d, int blocks_only, char *text, size_t room)
{
    const size_t bytes = d->count * sizeof(cl_uint);
    size_t block;
    check(clEnqueueReadBuffer(d->device.queue, d->keys, CL_TRUE, 0, bytes, d->result, 0, NULL,
                              NULL),
          "clEnqueueReadBuffer");
    snprintf(text, room, "yes");
    if (!memcmp(d->result, d->expected, bytes)) return 1;
    block = sorted_block(d);
    qsort(d->result, d->count, sizeof(cl_uint), compare_u32);
    snprintf(text, room, "blocks of %lu", (unsigned long)block);
    if (blocks_only && block > 1 && !memcmp(d->result, d->expected, bytes)) return 1;
    snprintf(text, room, "WRONG");
    return 0;
}

/* One row of the table; returns whether the algorithm did what it promises. */
static int demonstrate(demo *d, const char *name)
{
    const char *only = strstr(name, "only");
    clsort_desc desc = clsort_desc_default();
    clsort_status status;
    double ms[RUNS];
    size_t runs = 0;
    char verified[32];
    int right;

    desc.count = d->count;
    desc.key_type = CLSORT_U32;
    desc.keys = d->keys;
    check(clsort_set_algorithm(&desc, name), "clsort_set_algorithm");
    status = clsort_prepare(d->sorter, NULL, &desc);
    /* sorts rows only */
    if (status == CLSORT_ERROR_UNSUPPORTED && !strncmp(name, "batch", 5)) return 1;
    if (status == CLSORT_ERROR_UNSUPPORTED || status == CLSORT_ERROR_DEVICE_LIMITS) {
        printf("  %-26s %s\n", name,
               status == CLSORT_ERROR_UNSUPPORTED ? "not on this device"
                                                  : clsort_status_text(status));
        return 1;
    }
    check(status, name);

    do ms[runs] = measure(d, &desc);
    while (ms[runs++] < slow_ms && runs < RUNS);
    qsort(ms, runs, sizeof ms[0], compare_double);
    right = verify(d, only && !only[4], verified, sizeof verified);
    printf("  %-26s %10.2f %10.1f %8.2f   %s\n", name, ms[runs / 2],
           (double)d->count / ms[runs / 2] / 1e3, d->qsort_ms / ms[runs / 2], verified);
    fflush(stdout);
    return right;
}

/* ---- values, records, two arrays ------------------------------------------------------------- */

/* A call of a game that draws: back to front, by material at the same depth. `number` tells where
   it was before the sort. */
typedef struct draw { float depth; cl_uint material, number, unused; } draw;

static const char draw_type[] =
    "typedef struct { float depth; uint material, number, unused; } clsort_record;";
static const char draw_precedes[] =
    "a.depth > b.depth || (a.depth == b.depth && a.material < b.material)";

typedef struct scene {
    draw *draws, *result;         /* as they were made; as they came back */
    cl_uint *materials, *numbers; /* of the draws; then what came back of a sort of pairs */
    cl_mem in, materials_in, numbers_in, out, materials_out, numbers_out;
} scene;

static cl_mem buffer(demo *d, size_t bytes, void *initial)
{
    cl_int status;
    cl_mem made = clCreateBuffer(d->device.context,
                                 CL_MEM_READ_WRITE | (initial ? CL_MEM_COPY_HOST_PTR : 0), bytes,
                                 initial, &status);
    check(status, "clCreateBuffer");
    return made;
}

/* Few depths and materials, so that many draws are equal. */
static void make_scene(demo *d, scene *s)
{
    const size_t n = d->count, words = n * sizeof(cl_uint);
    cl_ulong state = 2;
    size_t i;
    s->draws = (draw *)calloc(n, sizeof(draw));
    s->result = (draw *)malloc(n * sizeof(draw));
    s->materials = (cl_uint *)malloc(words);
    s->numbers = (cl_uint *)malloc(words);
    check(s->draws && s->result && s->materials && s->numbers ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY,
          "malloc");
    for (i = 0; i < n; i++) {
        s->draws[i].depth = (float)(random_u32(&state) % 1000) / 8.0f;
        s->draws[i].material = s->materials[i] = random_u32(&state) % 100;
        s->draws[i].number = s->numbers[i] = (cl_uint)i;
    }
    s->in = buffer(d, n * sizeof(draw), s->draws);
    s->out = buffer(d, n * sizeof(draw), NULL);
    s->materials_in = buffer(d, words, s->materials);
    s->numbers_in = buffer(d, words, s->numbers);
    s->materials_out = buffer(d, words, NULL);
    s->numbers_out = buffer(d, words, NULL);
}

static void free_scene(scene *s)
{
    clReleaseMemObject(s->in);
    clReleaseMemObject(s->out);
    clReleaseMemObject(s->materials_in);
    clReleaseMemObject(s->numbers_in);
    clReleaseMemObject(s->materials_out);
    clReleaseMemObject(s->numbers_out);
    free(s->draws);
    free(s->result);
    free(s->materials);
    free(s->numbers);
}

static void read_back(demo *d, cl_mem from, void *to, size_t size)
{
    check(clEnqueueReadBuffer(d->device.queue, from, CL_TRUE, 0, d->count * size, to, 0, NULL,
                              NULL),
          "clEnqueueReadBuffer");
}

/* Equal keys keep their order, so keys with numbers must ascend strictly; numbers in range that all
   differ are a permutation. */
static int right_pairs(demo *d, scene *s)
{
    size_t i;
    read_back(d, s->materials_out, s->materials, sizeof(cl_uint));
    read_back(d, s->numbers_out, s->numbers, sizeof(cl_uint));
    for (i = 0; i < d->count; i++) {
        if (s->numbers[i] >= d->count || s->draws[s->numbers[i]].material != s->materials[i])
            return 0;
        if (i && s->materials[i - 1] >= s->materials[i]
            && (s->materials[i - 1] > s->materials[i] || s->numbers[i - 1] >= s->numbers[i]))
            return 0;
    }
    return 1;
}

/* The same of records: none may be equal to its predecessor in depth, material and number, nor come
   before it. */
static int right_draws(demo *d, scene *s)
{
    size_t i;
    read_back(d, s->out, s->result, sizeof(draw));
    for (i = 0; i < d->count; i++) {
        const draw *b = &s->result[i], *a = b - 1;
        if (b->number >= d->count || memcmp(b, &s->draws[b->number], sizeof *b)) return 0;
        if (!i || a->depth > b->depth) continue;
        if (a->depth < b->depth || a->material > b->material
            || (a->material == b->material && a->number >= b->number))
            return 0;
    }
    return 1;
}

static int right_merge(demo *d, scene *s)
{
    (void)s;
    read_back(d, d->keys, d->result, sizeof(cl_uint));
    return !memcmp(d->result, d->expected, d->count * sizeof(cl_uint));
}

/* One row; returns whether the result is right. */
static int show(demo *d, scene *s, const char *what, const clsort_desc *desc,
                const clsort_merge_desc *merge, int (*right)(demo *, scene *))
{
    double ms[RUNS];
    size_t runs = 0;
    int good;
    timed(d, desc, merge);   /* builds what it needs */
    do ms[runs] = timed(d, desc, merge);
    while (ms[runs++] < slow_ms && runs < RUNS);
    qsort(ms, runs, sizeof ms[0], compare_double);
    good = right(d, s);
    printf("  %-46s %10.2f %10.1f   %s\n", what, ms[runs / 2],
           (double)d->count / ms[runs / 2] / 1e3, good ? "yes" : "WRONG");
    fflush(stdout);
    return good;
}

static int show_pairs(demo *d, scene *s)
{
    clsort_desc desc = clsort_desc_default();
    desc.count = d->count;
    desc.key_type = CLSORT_U32;
    desc.stable = 1;
    desc.keys = s->materials_in;
    desc.keys_out = s->materials_out;
    desc.values = s->numbers_in;
    desc.value_size = sizeof(cl_uint);
    desc.values_out = s->numbers_out;
    return show(d, s, "stable sort of u32 keys with u32 values", &desc, NULL, right_pairs);
}

static int show_draws(demo *d, scene *s, int by_fields)
{
    clsort_field fields[2] = { { 0, CLSORT_F32, CLSORT_DESCENDING, 0, 0 },
                               { 4, CLSORT_U32, 0, 0, 0 } };
    clsort_desc desc = clsort_desc_default();
    desc.count = d->count;
    desc.record_size = sizeof(draw);
    desc.keys = s->in;
    desc.keys_out = s->out;
    desc.fields = by_fields ? fields : NULL;
    desc.field_count = by_fields ? 2 : 0;
    desc.record_type = by_fields ? NULL : draw_type;
    desc.precedes = by_fields ? NULL : draw_precedes;
    return show(d, s,
                by_fields ? "16-byte records by two fields"
                          : "the same by an expression in OpenCL C",
                &desc, NULL, right_draws);
}

/* Merges two sorted arrays: every third key of the sorted ones, and the others. */
static int show_merge(demo *d, scene *s)
{
    clsort_merge_desc merge = clsort_merge_desc_default();
    cl_mem in;
    size_t i, at[2] = { 0, (d->count + 2) / 3 };
    int good;
    for (i = 0; i < d->count; i++) d->result[at[i % 3 != 0]++] = d->expected[i];
    in = buffer(d, d->count * sizeof(cl_uint), d->result);
    merge.count_a = at[0];
    merge.count_b = d->count - at[0];
    merge.key_type = CLSORT_U32;
    merge.keys_a = merge.keys_b = in;
    merge.keys_b_offset = at[0] * sizeof(cl_uint);
    merge.keys_out = d->keys;
    good = show(d, s, "merge of two sorted arrays of u32 keys", NULL, &merge, right_merge);
    clReleaseMemObject(in);
    return good;
}

/* The second table; returns how many results are wrong. */
static int demonstrate_merge(demo *d)
{
    scene s;
    int wrong;
    make_scene(d, &s);
    printf("\n  %-46s %10s %10s   %s\n", "more than keys", "ms", "M/s", "verified");
    wrong = !show_pairs(d, &s);
    wrong += !show_draws(d, &s, 1);
    wrong += !show_draws(d, &s, 0);
    wrong += !show_merge(d, &s);
    free_scene(&s);
    return wrong;
}

/* The number of keys, 0 if the command line is wrong. */
static size_t count_argument(int argc, char **argv)
{
    unsigned long long count;
    if (argc < 2) return (size_t)4 << 20;
    return argc == 2 && count_parse(argv[1], &count) && count <= UINT_MAX ? (size_t)count : 0;
}

/* Opens the device and makes the sorter; 0 if there is no device. */
static int open_device(demo *d)
{
    device_info info;
    if (!device_choose(NULL, &info)) {
        fprintf(stderr, "demo: there is no OpenCL device%s\n",
                getenv("CLSORT_DEVICE") ? " of the name that CLSORT_DEVICE asks for" : "");
        return 0;
    }
    if (!device_open(&info, &d->device)) {
        fprintf(stderr, "demo: %s: no context or queue\n", info.name);
        return 0;
    }
    check(clsort_create(d->device.context, info.id, NULL, &d->sorter), "clsort_create");
    return 1;
}

int main(int argc, char **argv)
{
    demo d = { 0 };
    const char *name;
    cl_uint number;
    int wrong = 0;

    d.count = count_argument(argc, argv);
    if (!d.count) {
        fprintf(stderr, "usage: demo [count]   such as 1000, 2^20 or 16Mi, below 2^32\n");
        return EXIT_FAILURE;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!open_device(&d)) return EXIT_FAILURE;

    list_devices(&d);
    make_input(&d);
    printf("%lu keys of 32 bits, uniform; qsort on the host takes %.0f ms\n\n",
           (unsigned long)d.count, d.qsort_ms);
    printf("  %-26s %10s %10s %8s   %s\n", "algorithm", "ms", "Mkey/s", "x qsort", "verified");
    for (number = 0; (name = clsort_algorithm_name(number)) != NULL; number++)
        wrong += !demonstrate(&d, name);
    wrong += demonstrate_merge(&d);

    clsort_destroy(d.sorter);
    clReleaseMemObject(d.master);
    clReleaseMemObject(d.keys);
    device_close(&d.device);
    free(d.expected);
    free(d.result);
    if (wrong) printf("\n%d results were wrong\n", wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
