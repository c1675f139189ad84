/* demo.c - `make demo`: five tasks on one device, beside what C has for them: qsort, and a heap
   that keeps the greatest. Each result is compared with the host's.

   build/demo [--all] [count]     such as 1000, 2^20 or 16Mi, below 2^32; by default 4 Mi
   --all                          every algorithm by its name instead, on uniform u32 keys
   CLSORT_DEVICE=<part of a name> chooses the device */

#define _POSIX_C_SOURCE 199309L   /* clock_gettime */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#include "counts.h"
#include "device.h"
#include <time.h>

enum { RUNS = 3, BAR = 13, BATCH_ROWS = 200, BATCH_ROW = 8192 };

/* What takes longer than this is run once. */
static const double slow_ms = 200;

/* A key of the host, negated where the order is descending, with a number that tells where it
   was. */
typedef struct pair {
    float key;
    cl_uint number;
} pair;

typedef struct demo {
    device_session device;
    clsort_sorter *sorter;
    size_t count;
    double build_ms;
    cl_mem words, scores, numbers;      /* inputs: random u32, random f32, 0 ... count - 1 */
    cl_mem keys_out, numbers_out;
    cl_uint *word, *keys_wanted, *numbers_wanted, *result;
    float *score;
    pair *pairs;
} demo;

/* What is sorted: all at once, in rows, or only the first `top` of all. */
typedef struct task {
    const char *name;
    cl_uint type, order;
    int has_values, has_indices;
    size_t row, top;
} task;

static const task tasks[] = { { "u32 keys", CLSORT_U32, CLSORT_ASCENDING, 0, 0, 0, 0 },
                              { "f32 depth + u32 id", CLSORT_F32, CLSORT_DESCENDING, 1, 0, 0, 0 },
                              { "argsort of f32", CLSORT_F32, CLSORT_ASCENDING, 0, 1, 0, 0 },
                              { "rows of 1024 f32", CLSORT_F32, CLSORT_ASCENDING, 0, 0, 1024, 0 },
                              { "top 100 of f32", CLSORT_F32, CLSORT_DESCENDING, 0, 1, 0, 100 } };
enum { TASKS = sizeof tasks / sizeof *tasks };

/* ---- helpers --------------------------------------------------------------------------------- */

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

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    check(memory ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "malloc");
    return memory;
}

static cl_mem buffer(demo *d, size_t bytes, void *initial)
{
    cl_int status;
    cl_mem made = clCreateBuffer(d->device.context,
                                 CL_MEM_READ_WRITE | (initial ? CL_MEM_COPY_HOST_PTR : 0), bytes,
                                 initial, &status);
    check(status, "clCreateBuffer");
    return made;
}

static int compare_u32(const void *a, const void *b)
{
    const cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;
    return (x > y) - (x < y);
}

static int compare_float(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static int compare_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of equal keys the one with the smaller number comes first, as in a stable sort. */
static int compare_pair(const void *a, const void *b)
{
    const pair *x = (const pair *)a, *y = (const pair *)b;
    const int by_key = (x->key > y->key) - (x->key < y->key);
    return by_key ? by_key : (x->number > y->number) - (x->number < y->number);
}

/* Steele, Lea and Flood's SplitMix64. */
static cl_uint random_u32(cl_ulong *state)
{
    cl_ulong z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (cl_uint)(z >> 32);
}

/* One sort, from its call to the end of its last command. `restore`: it sorts keys_out in place;
   the copy of the input before it does not count. */
static double run_ms(demo *d, const clsort_desc *desc, int restore)
{
    double start;
    if (restore)
        check(clEnqueueCopyBuffer(d->device.queue, d->words, d->keys_out, 0, 0,
                                  d->count * sizeof(cl_uint), 0, NULL, NULL),
              "clEnqueueCopyBuffer");
    check(clFinish(d->device.queue), "clFinish");
    start = now_ms();
    check(clsort_enqueue_sort(d->sorter, d->device.queue, desc, 0, NULL, NULL),
          "clsort_enqueue_sort");
    check(clFinish(d->device.queue), "clFinish");
    return now_ms() - start;
}

/* The median of some runs, after one that does not count. */
static double measure(demo *d, const clsort_desc *desc, int restore)
{
    double ms[RUNS];
    size_t runs = 0;
    if (run_ms(d, desc, restore) < slow_ms) run_ms(d, desc, restore);
    do ms[runs] = run_ms(d, desc, restore);
    while (ms[runs++] < slow_ms && runs < RUNS);
    qsort(ms, runs, sizeof ms[0], compare_double);
    return ms[runs / 2];
}

/* Reads the first `n` words of a buffer into d->result. */
static void read_back(demo *d, cl_mem from, size_t n)
{
    check(clEnqueueReadBuffer(d->device.queue, from, CL_TRUE, 0, n * sizeof(cl_uint), d->result, 0,
                              NULL, NULL),
          "clEnqueueReadBuffer");
}

/* ---- five tasks: the host -------------------------------------------------------------------- */

/* Moves a pair down in a heap, at the top of which stands what comes last in the order. */
static void heap_sift(pair *heap, size_t n, size_t at)
{
    for (;;) {
        size_t child = 2 * at + 1;
        pair other;
        if (child + 1 < n && compare_pair(&heap[child + 1], &heap[child]) > 0) child++;
        if (child >= n || compare_pair(&heap[child], &heap[at]) <= 0) return;
        other = heap[at];
        heap[at] = heap[child];
        heap[child] = other;
        at = child;
    }
}

/* Puts the first `top` of n pairs in front, sorted. */
static void host_top(pair *pairs, size_t n, size_t top)
{
    size_t i;
    for (i = top / 2; i-- > 0;) heap_sift(pairs, top, i);
    for (i = top; i < n; i++)
        if (pairs[i].key < pairs[0].key) {   /* of equal ones the first stays */
            pairs[0] = pairs[i];
            heap_sift(pairs, top, 0);
        }
    qsort(pairs, top, sizeof(pair), compare_pair);
}

/* Fills in what a task must give, in place of its input. Returns the ms of the sort alone. */
static double host_sort(demo *d, const task *t, size_t row, size_t top)
{
    const int is_pairs = t->has_values || t->has_indices;
    const float sign = t->order == CLSORT_DESCENDING ? -1.0f : 1.0f;
    const size_t n = top ? top : d->count;
    double start;
    size_t i;
    if (t->type == CLSORT_U32) memcpy(d->keys_wanted, d->word, d->count * sizeof(cl_uint));
    else memcpy(d->keys_wanted, d->score, d->count * sizeof(float));
    for (i = 0; is_pairs && i < d->count; i++) {
        d->pairs[i].key = sign * d->score[i];
        d->pairs[i].number = (cl_uint)i;
    }
    start = now_ms();
    if (top) host_top(d->pairs, d->count, top);
    else if (is_pairs) qsort(d->pairs, d->count, sizeof(pair), compare_pair);
    for (i = 0; !is_pairs && i + row <= d->count; i += row)
        qsort(d->keys_wanted + i, row, sizeof(cl_uint),
              t->type == CLSORT_U32 ? compare_u32 : compare_float);
    start = now_ms() - start;
    for (i = 0; is_pairs && i < n; i++) {
        memcpy(&d->keys_wanted[i], &d->score[d->pairs[i].number], sizeof(float));
        d->numbers_wanted[i] = d->pairs[i].number;
    }
    return start;
}

/* ---- five tasks: the device ------------------------------------------------------------------ */

static clsort_desc describe(const demo *d, const task *t, size_t row, size_t top)
{
    clsort_desc desc = clsort_desc_default();
    desc.count = row;
    desc.rows = t->row ? d->count / row : 0;
    desc.key_type = t->type;
    desc.order = t->order;
    desc.stable = 1;
    desc.top_k = top;
    desc.keys = t->type == CLSORT_U32 ? d->words : d->scores;
    desc.keys_out = d->keys_out;
    if (t->has_values) {
        desc.values = d->numbers;
        desc.value_size = sizeof(cl_uint);
        desc.values_out = d->numbers_out;
    }
    if (t->has_indices) desc.indices = d->numbers_out;
    return desc;
}

static int is_right(demo *d, const task *t, size_t n)
{
    const size_t bytes = n * sizeof(cl_uint);
    int right;
    read_back(d, d->keys_out, n);
    right = !memcmp(d->result, d->keys_wanted, bytes);
    if (!t->has_values && !t->has_indices) return right;
    read_back(d, d->numbers_out, n);
    return right && !memcmp(d->result, d->numbers_wanted, bytes);
}

/* How a task went. */
typedef struct outcome {
    double ms, host_ms;
    char algorithm[64];   /* that AUTO took */
    int right;
} outcome;

static void do_task(demo *d, const task *t, outcome *o)
{
    const size_t row = t->row && t->row < d->count ? t->row : d->count,
                 top = t->top < d->count ? t->top : d->count;
    const clsort_desc desc = describe(d, t, row, top);
    const size_t n = t->top ? top : desc.rows ? desc.rows * row : d->count;
    const double start = now_ms();
    char text[2000];
    check(clsort_prepare(d->sorter, NULL, &desc), t->name);
    d->build_ms += now_ms() - start;
    check(clsort_explain(d->sorter, &desc, text, sizeof text), "clsort_explain");
    sscanf(text, "algorithm %63[^\n]", o->algorithm);
    o->ms = measure(d, &desc, 0);
    o->host_ms = host_sort(d, t, row, top);
    o->right = is_right(d, t, n);
}

/* The line of a task: its bar is as long as it is fast beside the host, the longest one BAR. */
static void print_task(const task *t, const outcome *o, double most)
{
    const double ratio = o->host_ms / o->ms;
    const int length = (int)(ratio / most * BAR + 0.5);
    printf("  %-18s %10.3f %10.3f %7.1f   %-16s %.*s\n", t->name, o->ms, o->host_ms, ratio,
           o->right ? o->algorithm : "WRONG", length > 0 ? length : 1, "#############");
}

/* Returns how many results are wrong. */
static int demonstrate_tasks(demo *d)
{
    outcome outcomes[TASKS];
    double most = 0;
    int i, wrong = 0;
    memset(outcomes, 0, sizeof outcomes);
    printf("%zu elements in its memory; the host has qsort, for the top 100 a heap\n"
           "Building kernels and sorting takes some seconds.\n", d->count);
    for (i = 0; i < TASKS; i++) {
        do_task(d, &tasks[i], &outcomes[i]);
        if (outcomes[i].host_ms / outcomes[i].ms > most)
            most = outcomes[i].host_ms / outcomes[i].ms;
        wrong += !outcomes[i].right;
    }
    printf("\n  %-18s %10s %10s %7s   %s\n", "task", "clsort ms", "host ms", "x host",
           "auto took");
    for (i = 0; i < TASKS; i++) print_task(&tasks[i], &outcomes[i], most);
    printf("\nKernels were built in %.1f s. `build/demo --all` runs each algorithm by its name.\n",
           d->build_ms / 1e3);
    return wrong;
}

/* ---- all algorithms -------------------------------------------------------------------------- */

/* Algorithms by their names: all that sort whole arrays, parts of sorts, which leave blocks of a
   work-group each, and those that sort rows only. */
enum { WHOLE_SORTS, BLOCKS, ROWS };

static int kind_of(const char *name)
{
    const char *only = strstr(name, "only");
    if (!strncmp(name, "batch", 5)) return ROWS;
    return only && !only[4] ? BLOCKS : WHOLE_SORTS;
}

/* The largest power of two such that every block of as many keys is sorted. */
static size_t sorted_block(const demo *d)
{
    size_t block = 1, i;
    while (block < d->count) block *= 2;
    for (i = 1; i < d->count; i++)
        while (d->result[i - 1] > d->result[i] && i % block) block /= 2;
    return block;
}

/* Returns whether the keys are right, and of blocks how many keys each has. */
static int is_sorted(demo *d, int kind, size_t n, size_t *block)
{
    const size_t bytes = d->count * sizeof(cl_uint);
    read_back(d, d->keys_out, d->count);
    if (kind == BLOCKS) {
        *block = sorted_block(d);
        qsort(d->result, d->count, sizeof(cl_uint), compare_u32);
        return *block > (d->count > 1) && !memcmp(d->result, d->keys_wanted, bytes);
    }
    return !memcmp(d->result, d->keys_wanted, n * sizeof(cl_uint));
}

/* The line of an algorithm; returns whether it did what it promises. */
static int demonstrate(demo *d, const char *name, int kind, size_t row, double host_ms)
{
    clsort_desc desc = clsort_desc_default();
    clsort_status status;
    double ms;
    size_t n, block = 0;
    int right;
    desc.count = row;
    desc.rows = kind == ROWS ? d->count / row < BATCH_ROWS ? d->count / row : BATCH_ROWS : 0;
    desc.key_type = CLSORT_U32;
    desc.keys = d->keys_out;
    n = desc.rows ? row * desc.rows : row;
    check(clsort_set_algorithm(&desc, name), "clsort_set_algorithm");
    status = clsort_prepare(d->sorter, NULL, &desc);
    if (status == CLSORT_ERROR_UNSUPPORTED || status == CLSORT_ERROR_DEVICE_LIMITS) {
        printf("  %-24s %s\n", name, "not on this device");
        return 1;
    }
    check(status, name);
    ms = measure(d, &desc, 1);
    right = is_sorted(d, kind, n, &block);
    printf("  %-24s %10.3f %10.1f", name, ms, (double)n / ms / 1e3);
    if (kind == BLOCKS) printf(" %10zu", block);
    else printf(" %10.2f", host_ms / ms);
    puts(right ? "" : "   WRONG");
    return right;
}

/* The table of a kind of algorithms; returns how many results are wrong. */
static int demonstrate_kind(demo *d, int kind)
{
    static const char *const titles[] = { "sort", "block sort", "sort of rows" };
    const task keys = tasks[0];
    const size_t row = kind == ROWS && d->count > BATCH_ROW ? BATCH_ROW : d->count;
    double host_ms = host_sort(d, &keys, row, 0);
    const char *name;
    cl_uint number;
    int wrong = 0;
    if (kind == ROWS && d->count / row > BATCH_ROWS)
        host_ms *= (double)BATCH_ROWS / (double)(d->count / row);
    if (kind == BLOCKS) printf("\nBlocks of a work-group, sorted on their own: no whole sorts.\n");
    else if (kind == ROWS) printf("\nUp to %d rows of %zu keys.\n", BATCH_ROWS, row);
    printf("\n  %-24s %10s %10s %10s\n", titles[kind], "ms", "Mkey/s",
           kind == BLOCKS ? "of keys" : "x qsort");
    for (number = 0; (name = clsort_algorithm_name(number)) != NULL; number++) {
        if (kind_of(name) != kind && !(kind == ROWS && !number)) continue;
        wrong += !demonstrate(d, name, kind, row, host_ms);
        fflush(stdout);
    }
    return wrong;
}

/* ---- program --------------------------------------------------------------------------------- */

static void make_input(demo *d)
{
    const size_t n = d->count, bytes = n * sizeof(cl_uint);
    cl_ulong state = 1;
    size_t i;
    d->word = (cl_uint *)allocate(bytes);
    d->score = (float *)allocate(bytes);
    d->keys_wanted = (cl_uint *)allocate(bytes);
    d->numbers_wanted = (cl_uint *)allocate(bytes);
    d->result = (cl_uint *)allocate(bytes);
    d->pairs = (pair *)allocate(n * sizeof(pair));
    for (i = 0; i < n; i++) {
        d->word[i] = random_u32(&state);
        d->score[i] = (float)(random_u32(&state) >> 8) / 16384.0f;   /* below 1024 */
        d->result[i] = (cl_uint)i;
    }
    d->words = buffer(d, bytes, d->word);
    d->scores = buffer(d, bytes, d->score);
    d->numbers = buffer(d, bytes, d->result);
    d->keys_out = buffer(d, bytes, NULL);
    d->numbers_out = buffer(d, bytes, NULL);
}

static void free_all(demo *d)
{
    cl_mem buffers[5];
    size_t i;
    buffers[0] = d->words;
    buffers[1] = d->scores;
    buffers[2] = d->numbers;
    buffers[3] = d->keys_out;
    buffers[4] = d->numbers_out;
    clsort_destroy(d->sorter);
    for (i = 0; i < 5; i++) clReleaseMemObject(buffers[i]);
    device_close(&d->device);
    free(d->word);
    free(d->score);
    free(d->keys_wanted);
    free(d->numbers_wanted);
    free(d->result);
    free(d->pairs);
}

/* Opens the device, makes the sorter and names all devices; 0 if there is no device. */
static int open_device(demo *d)
{
    device_info list[DEVICE_MAX], info;
    const size_t count = device_list("all", list, DEVICE_MAX);
    size_t i;
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
    printf("device: %s (%s)\n", info.name, info.platform_name);
    for (i = 0; i < count; i++)
        if (list[i].id != info.id)
            printf("  also here: %s (%s)\n", list[i].name, list[i].platform_name);
    if (count > 1) printf("  CLSORT_DEVICE=<part of a name> chooses another\n");
    return 1;
}

int main(int argc, char **argv)
{
    demo d = { 0 };
    unsigned long long count = (size_t)4 << 20;
    const int all = argc > 1 && !strcmp(argv[1], "--all"), words = argc - all;
    int wrong = 0, kind;
    if (words > 2 || (words == 2 && !count_parse(argv[1 + all], &count)) || !count
        || count > UINT_MAX) {
        fprintf(stderr, "usage: demo [--all] [count]   such as 1000, 2^20 or 16Mi, below 2^32\n");
        return EXIT_FAILURE;
    }
    d.count = (size_t)count;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!open_device(&d)) return EXIT_FAILURE;
    make_input(&d);
    if (!all) wrong = demonstrate_tasks(&d);
    else printf("%zu keys of 32 bits, uniform\n", d.count);
    for (kind = WHOLE_SORTS; all && kind <= ROWS; kind++) wrong += demonstrate_kind(&d, kind);
    free_all(&d);
    if (wrong) printf("\n%d results were wrong\n", wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
