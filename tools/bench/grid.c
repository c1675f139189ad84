/* grid.c - does AUTO take the fastest way? For each cell of a grid of what users sort: the time of
   AUTO, that of the fastest other way, and AUTO's regret, which is the ratio of both.

     make build/grid
     build/grid [OPTION]... [CELL]...      build/grid --list
     tools/bench/bench-grid                keeps results in a file and adds them up

   grid_cells.h has the cells and their words. The ways of a cell:
   - each algorithm by its name, and each that AUTO may take by another policy
   - the indices that sort the keys, then a gather; for indices, pairs of keys and numbers
   - rows one after another, all at once, or by a call for each
   - each way to select, and in order where any order will do
   - through another array and a copy; for several fields an expression, and the other way round
   - a count that is read first, as a program can do that waits for the device
   Ways with the same plan run once. Each way's first result is proved: by clsort_enqueue_verify, or
   beside a proved sort of whole rows.

   All ways sort in turns; a way that takes 1.5 times as long as AUTO leaves after two turns. Then
   AUTO and the fastest race alone: their medians are printed, and the median over turns of their
   ratio. Times go from the call to the end of the queue.

     --share I/N     lines I, I + N, I + 2 N ... of the grid; I counts from 0
     --sample N      one of N cells
     --most COUNT    the most elements; default: 2^26 on GPUs, 2^20 on CPUs
     --ms MS         for the races of a cell; default: 400
     --seconds S     begins no cell later
     --builds        only builds kernels: several processes fill the cache of a driver sooner
     --measure S     lets clsort_measure measure each cell before, for S seconds at most
     --ways          also a line for each way
     --list          only prints the cells

   Each line: cell, AUTO's ms, the other way's ms, the regret, AUTO's algorithm, the other way.
   CLSORT_DEVICE names the device, and CLSORT_TEST_OTHER_VENDOR=1 makes NVIDIA's GPUs another
   vendor's. */

#define _POSIX_C_SOURCE 199309L
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CLSORT_STATIC
#define CLSORT_IMPLEMENTATION
#include "../../clsort.h"

#include <time.h>

#include "../measure/clsort_measure.h"
#include "device.h"
#include "grid_cells.h"
#include "median.h"
#include "sample.h"

enum { MOST_WAYS = 64, TURNS_MOST = 41, TURNS_LEAST = 3, RACE_LEAST = 7, NAME_ROOM = 160,
       PLAN_ROOM = 2000, EACH_MOST = 1024 };

enum { SOURCE, SOURCE_VALUES, KEYS, VALUES, KEYS_OUT, VALUES_OUT, INDICES, NUMBERS, OTHER_INDICES,
       OFFSETS, COUNT, PROOF, RIGHT_KEYS, RIGHT_INDICES, BUFFERS };

/* What a way does beside the sort of its description. */
enum { SORTS, GATHERS, PAIRS, EACH, COPIES, READS, FIELDS, EXPRESSION };
static const char *const kind_names[] = { "", "indices and gather, ", "pairs with numbers, ",
                                          "a call for each row, ", "a copy, ", "count read, ",
                                          "fields, ", "expression, " };

typedef struct way {
    int kind;
    clsort_desc d;
    clsort__policy policy;
    char plan[PLAN_ROOM];      /* by clsort_explain, without scratch memory */
    char name[NAME_ROOM];
    int out;                   /* too slow, or wrong */
    double ms[TURNS_MOST];
} way;

typedef struct grid {
    device_session device;
    cl_command_queue queue;    /* without profiling */
    clsort_sorter *sorter;
    const clsort__policy *policy;   /* the sorter's own */
    grid_cell cell;
    clsort_desc d;             /* of the cell, with its buffers */
    cl_mem memory[BUFFERS];
    size_t bytes[BUFFERS];
    unsigned char *input;      /* of the last cell, with what it was made for */
    char input_of[GRID_TEXT];
    cl_uint *offsets;          /* of segments */
    way *ways;
    int count;
    size_t most, share, shares, sample;
    double cell_ms, until;
    unsigned measure_ms;
    int builds, prints_ways, lists, wrong;
} grid;

static void must(cl_int code, const char *what)
{
    if (code == CL_SUCCESS) return;
    fprintf(stderr, "grid: %s: %s\n", what, clsort_status_text(code));
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* All access to what AUTO decides by: AUTO's own policy, or another one. */
static void use_policy(grid *g, const clsort__policy *policy)
{
    g->sorter->policy = policy;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static size_t element_bytes(const grid_cell *c)
{
    return c->d.record_size ? c->d.record_size : pattern_key_size(c->type);
}

static size_t wanted(const clsort_desc *d)
{
    return !d->top_k ? d->count : d->flags & CLSORT_FLAG_TOP_NTH ? 1 : d->top_k;
}

static size_t rows_of(const clsort_desc *d) { return d->rows ? d->rows : 1; }

/* A buffer of at least `bytes` bytes. */
static cl_mem need(grid *g, int which, size_t bytes)
{
    cl_int code;
    if (bytes <= g->bytes[which]) return g->memory[which];
    if (g->memory[which]) clReleaseMemObject(g->memory[which]);
    g->memory[which] = clCreateBuffer(g->device.context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    g->bytes[which] = code == CL_SUCCESS ? bytes : 0;
    must(code, "clCreateBuffer");
    return g->memory[which];
}

static void write_buffer(grid *g, int which, size_t bytes, const void *from)
{
    must(clEnqueueWriteBuffer(g->queue, need(g, which, bytes), CL_TRUE, 0, bytes, from, 0, NULL,
                              NULL),
         "clEnqueueWriteBuffer");
}

static void *read_buffer(grid *g, int which, size_t from, size_t bytes, void *to)
{
    must(clEnqueueReadBuffer(g->queue, g->memory[which], CL_TRUE, from, bytes, to, 0, NULL, NULL),
         "clEnqueueReadBuffer");
    return to;
}

static void copy_buffer(grid *g, int from, int to, size_t bytes)
{
    if (!bytes) return;
    must(clEnqueueCopyBuffer(g->queue, g->memory[from], need(g, to, bytes), 0, 0, bytes, 0, NULL,
                             NULL),
         "clEnqueueCopyBuffer");
}

static void *get_memory(size_t bytes)
{
    void *const memory = malloc(bytes);
    if (!memory) must(CL_OUT_OF_HOST_MEMORY, "malloc");
    return memory;
}

/* Fills the input, unless the last cell had the same one. */
static void make_input(grid *g)
{
    const grid_cell *c = &g->cell;
    const size_t bytes = c->total * element_bytes(c);
    char what[GRID_TEXT];
    need(g, SOURCE, bytes);
    if (g->builds) return;
    snprintf(what, sizeof what, "%x %s %lu", c->type, c->pattern, (unsigned long)bytes);
    if (!strcmp(what, g->input_of)) return;
    free(g->input);
    g->input = (unsigned char *)get_memory(bytes);
    pattern_fill_numbers(pattern_find(c->pattern), c->type, bytes / pattern_key_size(c->type), 7,
                         g->input);
    write_buffer(g, SOURCE, bytes, g->input);
    strcpy(g->input_of, what);
}

/* Offsets of segments at random places. */
static void make_offsets(grid *g)
{
    const size_t count = g->cell.d.segment_count, n = g->cell.d.count;
    uint64_t *codes, random = 3;
    uint32_t *order;
    size_t i;
    if (!count) return;
    codes = (uint64_t *)get_memory((count + 1) * sizeof *codes);
    order = (uint32_t *)get_memory((count + 1) * sizeof *order);
    free(g->offsets);
    g->offsets = (cl_uint *)get_memory((count + 1) * sizeof *g->offsets);
    for (i = 0; i <= count; i++) codes[i] = !i ? 0 : i == count ? n : pattern_random(&random) % n;
    if (!reference_argsort(codes, count + 1, order)) must(CL_OUT_OF_HOST_MEMORY, "malloc");
    for (i = 0; i <= count; i++) g->offsets[i] = (cl_uint)codes[order[i]];
    write_buffer(g, OFFSETS, (count + 1) * sizeof(cl_uint), g->offsets);
    free(codes);
    free(order);
}

/* Values, numbers from 0 on, the count on the device. */
static void make_others(grid *g)
{
    const grid_cell *c = &g->cell;
    const size_t values = c->total * c->d.value_size, numbers = c->total * 4;
    const cl_uint half = (cl_uint)(c->counted == 2 ? c->d.count / 2 : c->d.count);
    size_t i;
    if (values > g->bytes[SOURCE_VALUES] || numbers > g->bytes[NUMBERS]) {
        const size_t bytes = values > numbers ? values : numbers;
        cl_uint *const words = (cl_uint *)get_memory(bytes + 4);
        for (i = 0; i <= bytes / 4; i++) words[i] = (cl_uint)i;
        write_buffer(g, NUMBERS, numbers, words);
        if (values) write_buffer(g, SOURCE_VALUES, values, words);
        free(words);
    }
    write_buffer(g, COUNT, sizeof half, &half);
    make_offsets(g);
}

/* The description of the cell, with buffers. */
static void describe(grid *g)
{
    const grid_cell *c = &g->cell;
    const size_t bytes = c->total * element_bytes(c), values = c->total * c->d.value_size;
    const int selects = c->d.top_k > 0, only_reads = c->out || selects || c->indices;
    clsort_desc *const d = &g->d;
    *d = c->d;
    d->keys = only_reads ? g->memory[SOURCE] : need(g, KEYS, bytes);
    if (c->out || selects) d->keys_out = need(g, KEYS_OUT, bytes);
    if (c->d.value_size) d->values = c->out ? g->memory[SOURCE_VALUES] : need(g, VALUES, values);
    if (c->d.value_size && c->out) d->values_out = need(g, VALUES_OUT, values);
    if (c->indices) d->indices = need(g, INDICES, c->total * 4);
    if (c->counted) d->count_buffer = g->memory[COUNT];
    if (c->d.segment_count) d->segments = g->memory[OFFSETS];
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* The plan of a way, without scratch memory; and the name of its algorithm. Returns 0 if it cannot
   run. */
static int explain(grid *g, way *w)
{
    char text[PLAN_ROOM], *scratch;
    clsort_desc resolved = clsort_desc_default(), named = w->d;
    clsort_status status;
    use_policy(g, &w->policy);
    status = clsort_explain(g->sorter, &w->d, w->plan, PLAN_ROOM);
    if (status == CL_SUCCESS) status = clsort_resolve(g->sorter, &w->d, &resolved);
    if (status == CL_SUCCESS && !named.top_k) {
        named.algorithm = resolved.algorithm;
        named.tuning.variant = resolved.tuning.variant;
    }
    if (status == CL_SUCCESS && clsort_explain(g->sorter, &named, text, PLAN_ROOM) != CL_SUCCESS)
        strcpy(text, w->plan);
    use_policy(g, g->policy);
    if (status != CL_SUCCESS) return 0;
    if ((scratch = strstr(w->plan, "scratch ")) != NULL) *scratch = '\0';
    snprintf(w->name, NAME_ROOM, "%s%.*s", kind_names[w->kind],
             (int)strcspn(text + strlen("algorithm "), "\n"), text + strlen("algorithm "));
    return 1;
}

/* Behind the first line, which names an algorithm. */
static const char *commands_of(const way *w) { return strchr(w->plan, '\n'); }

/* Adds a way, unless it cannot run or an earlier way of its kind has the same plan. */
static void add_way(grid *g, int kind, const clsort_desc *d, const clsort__policy *policy)
{
    way *const w = &g->ways[g->count];
    int i;
    if (g->count == MOST_WAYS) return;
    memset(w, 0, sizeof *w);
    w->kind = kind;
    w->d = *d;
    w->policy = *policy;
    if (!explain(g, w)) return;
    for (i = 0; i < g->count; i++)
        if (g->ways[i].kind == kind && !strcmp(commands_of(&g->ways[i]), commands_of(w))) return;
    g->count++;
}

/* A row of crossovers above or below each of which AUTO is, whatever the count: four bits. Each row
   comes twice, since rows for bare keys serve no others. */
static const clsort__crossover *crossovers_of(int kind, cl_uint bits)
{
    static clsort__crossover rows[16][2];
    const clsort__crossover row = { kind, 1, 64, bits & 1 ? (cl_uint)CLSORT__MOST_BITONIC : 0,
                                    bits & 2 ? 0 : CLSORT__NEVER, bits & 4 ? 0 : CLSORT__NEVER,
                                    bits & 8 ? CLSORT__NEVER : 0 };
    rows[bits][0] = rows[bits][1] = row;
    rows[bits][1].payload = 0;
    return rows[bits];
}

/* A sort by each name, and by each choice of AUTO that a policy can make. On CPUs the forms of
   radix for GPUs take 10 times as long as others, and longer than all of them to build. */
static void add_algorithms(grid *g, const clsort_desc *given, clsort__policy policy)
{
    static const char *const names[] = { "bitonic", "merge", "radix", "radix-portable",
                                         "radix-cached", "radix-sweeps", "radix-hybrid",
                                         "radix-samples" };
    const int cpu = g->sorter->facts.is_cpu;
    clsort_desc d;
    cl_uint i;
    for (i = 0; i < (cpu ? 5 : 8); i++) {
        d = *given;
        must(clsort_set_algorithm(&d, names[i]), "clsort_set_algorithm");
        add_way(g, SORTS, &d, &policy);
    }
    for (i = 0; i < (cpu ? 8 : 16); i++) {
        policy.crossover_rows = crossovers_of(policy.kind, i);
        add_way(g, SORTS, given, &policy);
    }
}

/* Rows one after another, or all at once; and by a call for each, of segments, too. */
static void add_parts(grid *g, clsort__policy policy)
{
    clsort_desc one = g->d;
    const size_t parts = g->d.rows + g->d.segment_count;
    cl_uint least;
    policy.rows.few_units = CLSORT__NEVER;
    for (least = 0; g->d.rows > 1; least = CLSORT__NEVER) {
        policy.least_long_row = policy.least_long_bare_row = least;
        add_algorithms(g, &g->d, policy);
        if (least) break;
    }
    one.rows = one.segment_count = 0;
    one.segments = NULL;
    one.stable = 1;
    one.count = g->cell.total / parts;
    if (parts <= EACH_MOST) add_way(g, EACH, &one, g->policy);
}

/* Each way to select, where it can. Streams are for work-items that work alone, other ways except
   sorting for work-groups, as in the table of the policy. */
static void add_selections(grid *g, clsort__policy policy)
{
    static clsort__select_plan plans[CLSORT__WAYS][3];
    const size_t any = (size_t)-1;
    clsort_desc d = g->d;
    int how, i;
    for (how = 0; how < CLSORT__WAYS; how++) {
        for (i = 0; i < 2; i++) {
            const int sorts = how == CLSORT__BY_SORTING,
                      alone = sorts ? i : how == CLSORT__BY_STREAMS;
            const clsort__select_plan plan = { how, alone ? CLSORT__CPU : 0, 0, 0, sorts ? 3u : 1u,
                                               1, any, 1, any, 1, any, 1 };
            plans[how][i] = plan;
        }
        plans[how][2].how = CLSORT__WAYS;
        policy.select_plans = plans[how];
        add_way(g, SORTS, &d, &policy);
    }
    d.flags &= ~(cl_uint)CLSORT_FLAG_TOP_UNSORTED;
    if (d.flags != g->d.flags) add_way(g, SORTS, &d, g->policy);
}

/* Values or records by the indices of their keys. */
static void add_gather(grid *g)
{
    clsort_desc d = g->d;
    d.indices = need(g, OTHER_INDICES, g->cell.total * 4);
    if (d.record_size) d.keys_out = NULL;
    else if (!d.keys_out) d.keys_out = d.keys;
    d.values = d.values_out = NULL;
    d.value_size = 0;
    need(g, g->cell.d.record_size ? KEYS_OUT : VALUES_OUT,
         g->cell.total * (d.record_size ? d.record_size : g->cell.d.value_size));
    add_way(g, GATHERS, &d, g->policy);
}

/* Indices as values: the numbers from 0 on. */
static void add_pairs(grid *g)
{
    clsort_desc d = g->d;
    d.values = g->memory[NUMBERS];
    d.value_size = 4;
    d.values_out = d.indices;
    d.indices = NULL;
    d.keys_out = need(g, KEYS_OUT, g->cell.total * element_bytes(&g->cell));
    add_way(g, PAIRS, &d, g->policy);
}

/* Through another array, and a copy before or behind. */
static void add_copies(grid *g)
{
    clsort_desc d = g->d;
    const size_t values = g->cell.total * d.value_size;
    if (g->cell.out) {
        d.keys = d.keys_out;
        d.values = d.values_out;
        d.keys_out = d.values_out = NULL;
    } else {
        d.keys_out = need(g, KEYS_OUT, g->cell.total * element_bytes(&g->cell));
        if (values) d.values_out = need(g, VALUES_OUT, values);
    }
    add_way(g, COPIES, &d, g->policy);
}

static void add_other_key(grid *g)
{
    const grid_key *key = g->cell.key;
    clsort_desc d = g->d;
    if (!key->precedes) return;
    d.fields = g->d.fields ? NULL : key->fields;
    d.field_count = g->d.fields ? 0 : key->count;
    d.record_type = g->d.fields ? key->record_type : NULL;
    d.precedes = g->d.fields ? key->precedes : NULL;
    add_way(g, g->d.fields ? EXPRESSION : FIELDS, &d, g->policy);
}

static void add_counted(grid *g)
{
    clsort_desc d = g->d;
    d.count_buffer = NULL;
    if (g->cell.counted == 2) d.count /= 2;
    add_way(g, READS, &d, g->policy);
}

/* All ways of the cell; the first one is AUTO. */
static void find_ways(grid *g)
{
    const clsort_desc *d = &g->d;
    clsort__policy policy = *g->policy;
    policy.measured = NULL;
    g->count = 0;
    add_way(g, SORTS, d, g->policy);
    if (!g->count) must(clsort_check(g->sorter, d), g->cell.text);
    if (d->top_k) add_selections(g, policy);
    else if (d->rows || d->segments) add_parts(g, policy);
    else add_algorithms(g, d, policy);
    if (g->cell.key) add_other_key(g);
    if (g->cell.counted) add_counted(g);
    if (d->top_k || d->segments || g->cell.counted) return;
    if (d->value_size || d->record_size) add_gather(g);
    if (d->indices && !d->rows) add_pairs(g);
    if (!d->indices) add_copies(g);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void sort(grid *g, const clsort_desc *d)
{
    must(clsort_enqueue_sort(g->sorter, g->queue, d, 0, NULL, NULL), clsort_last_error(g->sorter));
}

static void sort_each(grid *g, const clsort_desc *given)
{
    const clsort_desc *all = &g->d;
    const size_t parts = all->segments ? all->segment_count : all->rows,
                 bytes = element_bytes(&g->cell);
    clsort_desc d = *given;
    size_t i;
    for (i = 0; i < parts; i++) {
        const size_t from = all->segments ? g->offsets[i] : i * all->count;
        if (all->segments) d.count = g->offsets[i + 1] - from;
        d.keys_offset = from * bytes;
        d.values_offset = from * d.value_size;
        d.keys_out_offset = d.keys_out ? d.keys_offset : 0;
        d.values_out_offset = d.values_out ? d.values_offset : 0;
        d.indices_offset = d.indices ? 4 * from : 0;
        sort(g, &d);
    }
}

/* Moves values or records by the indices that were sorted. */
static void gather(grid *g)
{
    const grid_cell *c = &g->cell;
    const int records = c->d.record_size > 0, to = records ? KEYS_OUT : VALUES_OUT;
    clsort_gather_desc by = clsort_gather_desc_default();
    clsort_array array;
    memset(&array, 0, sizeof array);
    array.element_size = records ? c->d.record_size : c->d.value_size;
    array.source = records ? g->d.keys : g->d.values;
    array.target = g->memory[to];
    by.count = c->d.count;
    by.rows = c->d.rows;
    by.indices = g->memory[OTHER_INDICES];
    by.arrays = &array;
    by.array_count = 1;
    must(clsort_enqueue_gather(g->sorter, g->queue, &by, 0, NULL, NULL), "clsort_enqueue_gather");
    if (!c->out) copy_buffer(g, to, records ? KEYS : VALUES, c->total * array.element_size);
}

static void sort_by_copy(grid *g, const clsort_desc *d)
{
    const size_t bytes = g->cell.total * element_bytes(&g->cell),
                 values = g->cell.total * g->cell.d.value_size;
    if (g->cell.out) {
        copy_buffer(g, SOURCE, KEYS_OUT, bytes);
        copy_buffer(g, SOURCE_VALUES, VALUES_OUT, values);
    }
    sort(g, d);
    if (g->cell.out) return;
    copy_buffer(g, KEYS_OUT, KEYS, bytes);
    copy_buffer(g, VALUES_OUT, VALUES, values);
}

static void run_way(grid *g, way *w)
{
    clsort_desc d = w->d;
    cl_uint count;
    use_policy(g, &w->policy);
    if (w->kind == READS) {
        read_buffer(g, COUNT, 0, sizeof count, &count);
        d.count = count;
    }
    if (w->kind == EACH) sort_each(g, &d);
    else if (w->kind == COPIES) sort_by_copy(g, &d);
    else sort(g, &d);
    if (w->kind == GATHERS) gather(g);
    use_policy(g, g->policy);
}

/* Brings back what a sort in place changed. */
static void restore(grid *g)
{
    if (g->d.keys == g->memory[KEYS])
        copy_buffer(g, SOURCE, KEYS, g->cell.total * element_bytes(&g->cell));
    if (g->d.values && g->d.values == g->memory[VALUES])
        copy_buffer(g, SOURCE_VALUES, VALUES, g->cell.total * g->d.value_size);
    must(clFinish(g->queue), "clFinish");
}

static double time_way(grid *g, way *w)
{
    double begin;
    restore(g);
    begin = now();
    run_way(g, w);
    must(clFinish(g->queue), "clFinish");
    return now() - begin;
}

/* ---- proofs ---------------------------------------------------------------------------------- */

/* Runs a way that sorts, between a fingerprint and a verification by `d`. */
static int proves_sort(grid *g, way *w, const clsort_desc *d)
{
    clsort_proof proof;
    need(g, PROOF, sizeof proof);
    must(clsort_enqueue_fingerprint(g->sorter, g->queue, d, g->memory[PROOF], 0, 0, NULL, NULL),
         "clsort_enqueue_fingerprint");
    run_way(g, w);
    must(clsort_enqueue_verify(g->sorter, g->queue, d, g->memory[PROOF], 0, 0, NULL, NULL),
         "clsort_enqueue_verify");
    read_buffer(g, PROOF, 0, sizeof proof, &proof);
    return clsort_judge(&proof) == CL_SUCCESS;
}

/* What selections must find: a proved stable sort of whole rows. */
static void find_right(grid *g)
{
    way *const w = &g->ways[MOST_WAYS];
    clsort_desc d = g->d;
    d.top_k = 0;
    d.flags = 0;
    d.stable = 1;
    d.keys_out = need(g, RIGHT_KEYS, g->cell.total * pattern_key_size(g->cell.type));
    d.indices = need(g, RIGHT_INDICES, g->cell.total * 4);
    memset(w, 0, sizeof *w);
    w->d = d;
    w->policy = *g->policy;
    if (!proves_sort(g, w, &d)) must(CLSORT_ERROR_WRONG_RESULT, g->cell.text);
}

/* 1 if each row of an output, of elements of `size` bytes, is equal to that row of the right array
   from element `first` on. In any order a sum of hashes tells. */
static int same_rows(grid *g, int output, int right, size_t size, size_t first, int any)
{
    const size_t some = wanted(&g->d), rows = rows_of(&g->d);
    unsigned char *const a = (unsigned char *)get_memory(2 * some * size), *b = a + some * size;
    size_t row, i;
    int same = 1;
    for (row = 0; row < rows && same; row++) {
        uint64_t sum = 0;
        read_buffer(g, output, row * some * size, some * size, a);
        read_buffer(g, right, (row * g->d.count + first) * size, some * size, b);
        for (i = 0; any && i < some; i++) {
            uint64_t in_a = reference_bits(a + i * size, size),
                     in_b = reference_bits(b + i * size, size);
            sum += pattern_random(&in_a) - pattern_random(&in_b);
        }
        same = any ? !sum : !memcmp(a, b, some * size);
    }
    free(a);
    return same;
}

static int proves_selection(grid *g, way *w)
{
    const size_t first = g->d.flags & CLSORT_FLAG_TOP_NTH ? g->d.top_k - 1 : 0;
    const int any = (w->d.flags & CLSORT_FLAG_TOP_UNSORTED) != 0;
    run_way(g, w);
    return same_rows(g, KEYS_OUT, RIGHT_KEYS, pattern_key_size(g->cell.type), first, any)
           && (!g->d.indices || same_rows(g, INDICES, RIGHT_INDICES, 4, first, any));
}

/* Runs each way once on spoiled outputs, and leaves out what is wrong. */
static void prove_ways(grid *g)
{
    const cl_uint none = 0xA5A5A5A5u;
    const int outputs[] = { KEYS_OUT, VALUES_OUT, INDICES };
    int i, o;
    if (g->d.top_k) find_right(g);
    for (i = 0; i < g->count; i++) {
        way *const w = &g->ways[i];
        for (o = 0; o < 3; o++)
            if (g->bytes[outputs[o]])
                must(clEnqueueFillBuffer(g->queue, g->memory[outputs[o]], &none, 1, 0,
                                         g->bytes[outputs[o]], 0, NULL, NULL),
                     "clEnqueueFillBuffer");
        restore(g);
        if (g->d.top_k ? proves_selection(g, w) : proves_sort(g, w, &g->d)) continue;
        fprintf(stderr, "grid: %s: WRONG by %s\n", g->cell.text, w->name);
        w->out = g->wrong = 1;
    }
}

/* ---- races ----------------------------------------------------------------------------------- */

/* Ways that take too long leave. */
static void drop_slow(grid *g, int turns)
{
    double least[2] = { 0, 0 };
    int i, t;
    for (i = 0; i < g->count; i++) {
        way *const w = &g->ways[i];
        if (w->out) continue;
        for (t = 0; t < turns; t++)
            if (!t || w->ms[t] < least[i > 0]) least[i > 0] = w->ms[t];
        w->out = i && least[1] > 1.5 * least[0];
    }
}

/* Runs all ways that are left in turns, for about `ms` ms. Returns the number of turns. */
static int race(grid *g, double ms, int least)
{
    const double begin = now();
    int turns, i;
    for (turns = 0; turns < least || (turns < TURNS_MOST && now() - begin < ms); turns++) {
        for (i = 0; i < g->count; i++) {
            way *const w = &g->ways[(i + turns) % g->count];
            if (!w->out) w->ms[turns] = time_way(g, w);
        }
        if (turns == 1 && least == TURNS_LEAST) drop_slow(g, 2);
    }
    return turns;
}

/* The median over turns of AUTO's time in parts of that of another way. */
static double ratio_to(const grid *g, const way *w, int turns)
{
    double ratios[TURNS_MOST];
    int t;
    for (t = 0; t < turns; t++) ratios[t] = g->ways[0].ms[t] / w->ms[t];
    return median(ratios, turns);
}

/* The fastest way beside AUTO; NULL: there is none. */
static way *fastest(grid *g, int turns)
{
    way *best = NULL;
    double most = 0;
    int i;
    for (i = 1; i < g->count; i++) {
        const double ratio = ratio_to(g, &g->ways[i], g->ways[i].out ? 2 : turns);
        if (g->prints_ways) printf("#   %.3f %s\n", ratio, g->ways[i].name);
        if (g->ways[i].out || ratio <= most) continue;
        most = ratio;
        best = &g->ways[i];
    }
    return best;
}

/* Races all ways, then AUTO and the fastest, and prints the line of the cell. */
static void race_cell(grid *g)
{
    way *const own = &g->ways[0];
    int turns = race(g, g->cell_ms / 2, TURNS_LEAST), i;
    way *const best = fastest(g, turns);
    double regret = 1;
    for (i = 1; i < g->count; i++) g->ways[i].out |= &g->ways[i] != best;
    if (best) {
        turns = race(g, g->cell_ms / 2, RACE_LEAST);
        regret = ratio_to(g, best, turns);
    }
    printf("%s\t%.4f\t%.4f\t%.3f\t%s\t%s\n", g->cell.text, median(own->ms, turns),
           best ? median(best->ms, turns) : 0, regret, own->name, best ? best->name : "-");
    fflush(stdout);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void measure_cell(grid *g)
{
    clsort_measure_desc m = clsort_measure_desc_default();
    clsort_status status;
    m.sort = &g->d;
    m.max_ms = 600000;
    m.flags = CLSORT_MEASURE_ONLY_BUILDS;
    status = clsort_measure(g->sorter, g->queue, &m);
    m.max_ms = g->measure_ms;
    m.flags = 0;
    if (status == CL_SUCCESS) status = clsort_measure(g->sorter, g->queue, &m);
    if (status != CL_SUCCESS) fprintf(stderr, "grid: %s\n", clsort_last_error(g->sorter));
    g->policy = g->sorter->policy;   /* the one before is freed */
}

/* Builds the kernels of all ways. */
static void build_cell(grid *g)
{
    int i;
    for (i = 0; i < g->count; i++) {
        use_policy(g, &g->ways[i].policy);
        if (clsort_prepare(g->sorter, NULL, &g->ways[i].d) != CL_SUCCESS)
            fprintf(stderr, "grid: %s: %s: %s\n", g->cell.text, g->ways[i].name,
                    clsort_last_error(g->sorter));
    }
    use_policy(g, g->policy);
    must(clsort_trim(g->sorter), "clsort_trim");
}

static void run_cell(grid *g)
{
    make_input(g);
    make_others(g);
    describe(g);
    if (g->measure_ms) measure_cell(g);
    find_ways(g);
    if (g->builds) {
        build_cell(g);
        return;
    }
    prove_ways(g);
    if (!g->ways[0].out) race_cell(g);
    if (g->sorter->facts.given_up)
        fprintf(stderr, "grid: %s: families %x did not build\n", g->cell.text,
                g->sorter->facts.given_up);
    g->sorter->facts.given_up = 0;
}

/* Runs the named cells; without names the cells of the grid that the options choose. */
static void run_cells(grid *g, char **names, int named)
{
    sample_draw draw = sample_one_in(g->sample, 11);
    size_t i, line;
    for (i = 0; named ? i < (size_t)named : grid_take(i, &g->cell, &line); i++) {
        if (named && !grid_parse(names[i], &g->cell)) {
            fprintf(stderr, "grid: not a cell: %s\n", names[i]);
            exit(2);
        }
        if (!named && (g->cell.total > g->most || !sample_takes(&draw)
                       || line % g->shares != g->share))
            continue;
        if (g->until > 0 && now() > g->until) break;
        if (g->lists) puts(g->cell.text);
        else run_cell(g);
    }
}

static void open_grid(grid *g)
{
    device_info info;
    cl_int code;
    if (!device_choose(NULL, &info) || !device_open(&info, &g->device)) {
        fprintf(stderr, "grid: no such OpenCL device\n");
        exit(2);
    }
    g->queue = clCreateCommandQueue(g->device.context, info.id, 0, &code);
    must(code, "clCreateCommandQueue");
    must(clsort_create(g->device.context, info.id, NULL, &g->sorter), "clsort_create");
    g->policy = g->sorter->policy;
    if (!g->most) g->most = info.type & CL_DEVICE_TYPE_GPU ? 1 << 26 : 1 << 20;
    g->ways = (way *)get_memory((MOST_WAYS + 1) * sizeof *g->ways);
    printf("# %s, policy of %s\n", info.name, g->policy->devices);
}

static void close_grid(grid *g)
{
    int i;
    clsort_destroy(g->sorter);
    for (i = 0; i < BUFFERS; i++)
        if (g->memory[i]) clReleaseMemObject(g->memory[i]);
    clReleaseCommandQueue(g->queue);
    device_close(&g->device);
    free(g->ways);
    free(g->input);
    free(g->offsets);
}

/* Reads an option, and a word behind it where it takes one. Returns how many words; 0: unknown. */
static int read_option(grid *g, const char *word, const char *next)
{
    const struct { const char *word; int *field; } flags[] = {
        { "--builds", &g->builds }, { "--ways", &g->prints_ways }, { "--list", &g->lists }
    };
    unsigned long long number = 0;
    size_t i;
    for (i = 0; i < sizeof flags / sizeof *flags; i++)
        if (!strcmp(word, flags[i].word)) return *flags[i].field = 1;
    if (!next) return 0;
    if (!strcmp(word, "--share"))
        return sscanf(next, "%zu/%zu", &g->share, &g->shares) == 2 && g->shares ? 2 : 0;
    if (!count_parse(next, &number)) return 0;
    if (!strcmp(word, "--most")) g->most = (size_t)number;
    else if (!strcmp(word, "--sample")) g->sample = (size_t)number;
    else if (!strcmp(word, "--ms")) g->cell_ms = (double)number;
    else if (!strcmp(word, "--seconds")) g->until = now() + 1e3 * (double)number;
    else if (!strcmp(word, "--measure")) g->measure_ms = (unsigned)(1000 * number);
    else return 0;
    return 2;
}

int main(int count, char **words)
{
    static grid g;
    int i, read = 1;
    g.cell_ms = 400;
    g.shares = 1;
    for (i = 1; i < count && words[i][0] == '-'; i += read)
        if (!(read = read_option(&g, words[i], i + 1 < count ? words[i + 1] : NULL))) {
            fprintf(stderr, "grid: see the first lines of tools/bench/grid.c\n");
            return 2;
        }
    open_grid(&g);
    run_cells(&g, words + i, count - i);
    close_grid(&g);
    return g.wrong;
}
