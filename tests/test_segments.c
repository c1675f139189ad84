/* Rows, segments and a count on the device beyond right results, which test_rows_parts.c proves:
   how rows are sorted, what is built, how many launches there are, checks of results, descriptions,
   of published sorts of rows, too. */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "judged.h"
#include "pretenders.h"

enum { MOST = 1 << 17, MOST_PARTS = 65537 };

static uint32_t offsets[MOST_PARTS + 1];

/* Work-groups and items: those of the device, and where several work-items share a tile. */
static const struct {
    cl_uint work_group, items;
} shapes[] = { { 0, 0 }, { 64, 8 }, { 64, 1 }, { 256, 4 }, { 1, 0 } };

static size_t shape_count(const bench *b)
{
    return b->few_programs ? 2 : sizeof shapes / sizeof *shapes;
}

/* Pairs, with the number of its element in each value. AUTO may sort long rows in another way. */
static sort_case make(size_t n)
{
    sort_case c = case_make(CLSORT_U32, n, "mod-256");
    c.d.algorithm = CLSORT_MERGE;
    c.d.value_size = 4;
    c.seed = n + 1;
    return c;
}

static sort_case make_shaped(size_t shape)
{
    sort_case c = make(0);
    c.d.tuning.work_group = shapes[shape].work_group;
    c.d.tuning.items = shapes[shape].items;
    return c;
}

static sort_case with_rows(sort_case c, size_t rows, size_t count, size_t gap)
{
    c.d.rows = rows;
    c.d.count = count;
    c.d.row_stride = gap || rows % 2 ? (count + gap) * case_element_size(&c) : 0;
    c.seed = rows + 31 * count + gap;
    return c;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A program of pieces with one kernel more. NULL if it does not build. */
static cl_kernel kernel_beside_pieces(const bench *b, const char *text, const char *name)
{
    clsort__config c = clsort__utility_config(&b->sorter->facts, b->sorter->policy, 0);
    clsort__recipe r;
    cl_program program;
    cl_kernel kernel = NULL;
    cl_int error;
    c.family = CLSORT__SEGMENTS;
    c.group_log2 = c.share_log2 = 0;
    clsort__make_recipe(b->sorter, &c, &r);
    r.list.text[r.list.count++] = text;
    program = clCreateProgramWithSource(clsort_context(b->sorter), (cl_uint)r.list.count,
                                        (const char **)(size_t)r.list.text, NULL, &error);
    if (!error) error = clBuildProgram(program, 1, &b->session.info.id, r.options, NULL, NULL);
    if (!error) kernel = clCreateKernel(program, name, &error);
    if (program) clReleaseProgram(program);
    CHECK_OK(error);
    return kernel;
}

/* Each job is the first of one work-item. */
static void check_first_jobs(const cl_uint *job, size_t items)
{
    unsigned char seen[1024] = { 0 };
    size_t i;
    for (i = 0; i < items; i++)
        if (CHECK(job[i] < items)) CHECK(!seen[job[i]]++);
}

/* Each quarter of the work-items has about a quarter of the jobs, however few: drivers give a core
   work-items that follow one another. Every job may take long, or every other one, as where rows
   are cut into a piece and an element. */
static void check_quarters(const cl_uint *job, size_t items)
{
    size_t i, jobs, step, busy = 0;
    for (jobs = 4; jobs <= items; jobs *= 2)
        for (step = 1; step <= 2; step++)
            for (i = 0; i < items; i++) {
                AT("%u jobs", (unsigned)jobs);
                if (i % (items / 4) == 0) busy = 0;
                busy += job[i] < jobs && job[i] % step == 0;
                CHECK(busy <= jobs / step / 4 + 2);
            }
}

static void few_jobs_are_spread(bench *b)
{
    static const char text[] = "kernel void list_first_jobs(global uint *job, uint jobs)\n"
                               "{\n    job[get_global_id(0)] = (uint)first_job(jobs);\n}\n";
    cl_uint job[1024];
    const cl_uint few = 0;
    const cl_command_queue q = b->session.queue;
    size_t items;
    cl_kernel k = kernel_beside_pieces(b, text, "list_first_jobs");
    cl_mem out = k ? clCreateBuffer(b->session.context, CL_MEM_WRITE_ONLY, sizeof job, NULL, NULL)
                   : NULL;
    if (!CHECK(out != NULL)) return;
    clSetKernelArg(k, 0, sizeof out, &out);
    clSetKernelArg(k, 1, sizeof few, &few);
    for (items = 1; items <= 1024; items *= 2) {
        AT("%zu work-items", items);
        CHECK_OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
        CHECK_OK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, items * 4, job, 0, NULL, NULL));
        check_first_jobs(job, items);
    }
    check_quarters(job, items / 2);
    clReleaseMemObject(out);
    clReleaseKernel(k);
}

/* Outputs closer together than the keys, as far, or farther; in each case one of eight sets. */
static sort_case with_strides(sort_case c, size_t i)
{
    const size_t apart = c.d.count + i % 3 * 9;
    c.indices = i & 1;
    c.keys_out = i & 2 ? CASE_OWN : 0;
    c.values_out = c.indices || i & 4 ? CASE_OWN : 0;
    c.d.value_size = i % 5 == 4 ? 24 : i % 3 ? 4 : 0;
    if (!c.d.value_size) c.values_out = 0;
    if (c.keys_out) c.d.keys_out_row_stride = (apart + i % 2) * case_element_size(&c);
    if (c.values_out) c.d.values_out_row_stride = (apart + 2) * c.d.value_size + 8;
    if (c.indices) c.d.indices_row_stride = apart * sizeof(cl_uint);
    c.own_scratch = i % 4 == 3;
    c.prove = 1;
    return c;
}

/* Outputs and payloads of all kinds in turn, at an offset that no vector is aligned to. */
static sort_case one_after_another(size_t rows, size_t count, size_t i)
{
    static const cl_uint types[] = { CLSORT_U32, CLSORT_F32 };
    sort_case c = with_rows(case_make(types[i % 2], 0, "mod-256"), rows, count, i % 3 * 7);
    c.d.value_size = 4;
    c.d.order = i % 5 == 1;
    if (i % 2 == 1) c.d.zero_order = CLSORT_ZERO_EQUAL;
    if (i % 6 == 2) c.d.last_bit = 11;
    if (c.d.row_stride) c.d.row_stride = (count + i % 3 * 7) * case_element_size(&c);
    c = with_strides(c, i);
    c.shift = 1 + i % 5;
    c.placement = (int)(i % 3);
    return c;
}

/* What a case asks for, without its buffers. */
static clsort_desc described(const sort_case *c)
{
    clsort_desc d = c->d;
    later(&d, case_roles(c));
    return d;
}

static int is_one_by_one(const bench *b, const clsort_desc *d)
{
    char text[2000] = "";
    CHECK_OK(clsort_explain(b->sorter, d, text, sizeof text));
    return !strncmp(text, "algorithm rows one after another", 32);
}

/* Rows of bare keys stay together where there are enough for all cores of a CPU. */
static int stays_together(const bench *b, const clsort_desc *d)
{
    return test_is_cpu(b) && clsort__is_bare(d) && d->rows >= 2 * b->sorter->facts.compute_units;
}

/* Lengths just below, at and above the least. */
static void rows_one_after_another(bench *b)
{
    size_t i;
    test_crossover_log2 = test_is_cpu(b) ? 0 : 8;
    for (i = 0; i < (b->small ? 9 : 48); i++) {
        sort_case c = one_after_another(2 + i / 8 % 2, 1, i);
        clsort_desc d = described(&c);
        const size_t least = clsort__long_row_least(&b->sorter->facts, b->sorter->policy, &d),
                     side = i / 3 % 3;
        c = one_after_another(c.d.rows, least + side - 1, i);
        d = described(&c);
        if (!test_takes(b, 3)) continue;
        if (!stays_together(b, &d)) CHECK(is_one_by_one(b, &d) == (side > 0));
        if (!case_run(b, &c)) break;
    }
    test_crossover_log2 = 0;
}

/* ---- segments -------------------------------------------------------------------------------- */

/* Ascending offsets of `count` segments from `first` on, none beyond `most`, each with fewer than
   `longest` elements; they are all the case's. */
static sort_case with_segments(sort_case c, size_t count, size_t first, size_t most, size_t longest)
{
    uint64_t random = count + 77 * first + longest;
    size_t at = first, i;
    for (i = 0; i < count; i++) {
        offsets[i] = (uint32_t)at;
        at += draw(&random, longest);
        if (at > most) at = most;
    }
    offsets[count] = (uint32_t)at;
    c.offsets = offsets;
    c.d.segment_count = count;
    c.d.count = at;
    c.seed = random;
    return c;
}

/* ---- scratch, queues, building --------------------------------------------------------------- */

/* What clsort_prepare built is all that the sort needs, and before it there is none. */
static void nothing_is_built_behind_the_back(bench *b)
{
    bench fresh = *b;
    size_t i;
    for (i = 0; i < 3; i++) {
        sort_case c = i == 1 ? with_rows(make(0), 10, 200, 1)
                             : with_segments(make(0), 20, 0, 3000, 200);
        const int faults = test_now.faults;
        clsort_desc d;
        int ran;
        if (!CHECK_OK(clsort_create(b->session.context, b->session.info.id, NULL, &fresh.sorter)))
            return;
        c.d.flags = CLSORT_FLAG_NO_BUILD;
        c.counted = i == 2;
        c.there = 1000;
        d = c.d;
        later(&d, case_roles(&c));
        test_now.quiet = 1;
        ran = case_run(&fresh, &c);
        test_now.quiet = 0;
        test_now.faults = faults;
        CHECK(!ran
              && strstr(clsort_last_error(fresh.sorter), "CLSORT_ERROR_NOT_READY")
                     != NULL);
        CHECK_OK(clsort_prepare(fresh.sorter, NULL, &d));
        CHECK(case_run(&fresh, &c));
        clsort_destroy(fresh.sorter);
    }
}

static void count_launch(void *user, const char *stage, cl_event event)
{
    (void)event;
    *(int *)user += !strncmp(stage, "clsort_", 7);
}

/* A sorter that counts its launches. */
static clsort_sorter *counting_sorter(const bench *b, int *launches)
{
    clsort_options options = clsort_options_default();
    clsort_sorter *s = NULL;
    options.profile = count_launch;
    options.user = launches;
    CHECK_OK(clsort_create(b->session.context, b->session.info.id, &options, &s));
    return s;
}

static int launches_of(const bench *b, const sort_case *c, int *launches)
{
    *launches = 0;
    return CHECK(case_run(b, c)) ? *launches : -1;
}

/* A CPU with some segments for each core sorts longer ones whole, which saves launches. */
static void launches_do_not_grow(bench *b)
{
    static const size_t numbers[] = { 2, 100, 5000, MOST_PARTS };
    bench other = *b;
    int counted = 0;
    size_t shape, i;
    other.sorter = counting_sorter(b, &counted);
    more_options = quick_builds(b);
    for (shape = 0; shape < shape_count(b) && !b->small; shape++) {
        int segments = 0, rows = 0;
        for (i = 0; i < 4; i++) {
            sort_case c = make_shaped(shape);
            int launches;
            /* else the tile follows the average length */
            c.d.tuning.items = c.d.tuning.items ? c.d.tuning.items : 8;
            c = with_segments(c, numbers[i], 0, MOST, 9);
            c.d.count = MOST;
            launches = launches_of(&other, &c, &counted);
            if (!CHECK(launches > 0
                       && (!i || launches == segments
                           || (test_is_cpu(b) && launches < segments))))
                return;
            segments = launches;
            c = with_rows(make_shaped(shape), numbers[i], 3, 0);
            launches = launches_of(&other, &c, &counted);
            if (!CHECK(launches > 0 && (!i || launches == rows))) return;
            rows = launches;
        }
    }
    more_options = NULL;
    clsort_destroy(other.sorter);
}

/* ---- host arrays, checks of results, descriptions -------------------------------------------- */

static void host_rows(bench *b)
{
    cl_uint keys[] = { 3, 1, 2, 90, 91, 9, 8, 7, 92, 93, 5, 6, 4 },
            sorted[] = { 1, 2, 3, 90, 91, 7, 8, 9, 92, 93, 4, 5, 6 };
    cl_uint indices[13], want[] = { 1, 2, 0, 77, 77, 2, 1, 0, 77, 77, 2, 0, 1 };
    clsort_desc d = clsort_desc_default();
    size_t i;
    for (i = 0; i < 13; i++) indices[i] = 77;
    d.key_type = CLSORT_U32;
    d.count = 3;
    d.rows = 3;
    d.row_stride = 20;
    CHECK_OK(clsort_sort_host(b->sorter, &d, keys, NULL, indices));
    CHECK(!memcmp(indices, want, sizeof want));
    CHECK_OK(clsort_sort_host(b->sorter, &d, keys, NULL, NULL));
    CHECK(!memcmp(keys, sorted, sizeof sorted));
    d = clsort_desc_default();
    d.key_type = CLSORT_U32;
    d.count = 3;
    d.segment_count = 1;
    CHECK_STATUS(clsort_sort_host(b->sorter, &d, keys, NULL, NULL), CLSORT_ERROR_UNSUPPORTED);
}

/* 60 keys: each part ascends; from one to the next, and in the gaps between rows, keys descend. */
static clsort_desc ascending_parts(const bench *b)
{
    cl_uint keys[60], i;
    clsort_desc d = clsort_desc_default();
    for (i = 0; i < 60; i++) keys[i] = 1000 - 20 * (i / 10) + i % 10;
    for (i = 30; i < 37; i++) keys[i] += 30;
    d.key_type = CLSORT_U32;
    d.keys = test_buffer(b, sizeof keys, keys);
    return d;
}

static void order_is_checked_inside_of_rows(const bench *b)
{
    const cl_uint most = 9;
    clsort_desc d = ascending_parts(b);
    d.count = 10;
    d.rows = 6;
    CHECK(judged_unsorted(b, &d) == 30 + 7);
    d.count = 7;
    d.row_stride = 40;
    CHECK(judged_unsorted(b, &d) == 57);
    d.count = 10;
    d.count_buffer = test_buffer(b, 4, &most);
    CHECK(judged_unsorted(b, &d) == 37);
    d.count = 8;
    d.rows = 7;
    d.row_stride = 32;
    CHECK(judged_unsorted(b, &d) == 10);
    clReleaseMemObject(d.keys);
    clReleaseMemObject(d.count_buffer);
}

static void order_is_checked_inside_of_parts(bench *b)
{
    cl_uint cuts[] = { 0, 10, 10, 20, 37, 37 };
    const cl_uint cut_ends[] = { 10, 0, 20, 37, 40 };
    clsort_desc d = ascending_parts(b);
    order_is_checked_inside_of_rows(b);
    d.count = 60;
    d.segment_count = 5;
    d.segments = test_buffer(b, sizeof cuts, cuts);
    CHECK(judged_unsorted(b, &d) == 60);
    clReleaseMemObject(d.segments);
    cuts[4] = cuts[5] = 38;
    d.segments = test_buffer(b, sizeof cuts, cuts);
    CHECK(judged_unsorted(b, &d) == 37);
    d.segment_ends = test_buffer(b, sizeof cut_ends, cut_ends);
    CHECK(judged_unsorted(b, &d) == 60);
    clReleaseMemObject(d.keys);
    clReleaseMemObject(d.segments);
    clReleaseMemObject(d.segment_ends);
}

/* The keys are in order as they lie. Only the offsets are wrong; behind the count they may be. */
static void order_of_offsets(bench *b)
{
    cl_uint keys[100], i, k;
    clsort_desc d = clsort_desc_default();
    for (i = 0; i < 100; i++) keys[i] = i;
    d.key_type = CLSORT_U32;
    d.count = 100;
    d.keys = test_buffer(b, sizeof keys, keys);
    d.segment_count = 300;
    for (k = 0; k < 300; k += 23) {
        cl_uint cuts[301];
        for (i = 0; i <= 300; i++) cuts[i] = i / 4 + (i > k);
        d.segments = test_buffer(b, sizeof cuts, cuts);
        CHECK(judged_unsorted(b, &d) == 100);
        clReleaseMemObject(d.segments);
        cuts[k] += 3;
        d.segments = test_buffer(b, sizeof cuts, cuts);
        CHECK(judged_unsorted(b, &d) == 0);
        d.count = cuts[k + 1];
        CHECK(judged_unsorted(b, &d) == d.count);
        d.count = 100;
        clReleaseMemObject(d.segments);
    }
    clReleaseMemObject(d.keys);
}

enum { ROWS = 40, LENGTH = 50, ALL = ROWS * LENGTH };

/* Sorts rows of pairs or their indices, swaps elements i and j of an array and has the device
   judge. */
static clsort_status judge_swapped(const bench *b, int role, size_t i, size_t j)
{
    cl_uint keys[ALL], values[ALL], k;
    clsort_desc d = clsort_desc_default();
    for (k = 0; k < ALL; k++) keys[k] = (k * 7919u) % 13, values[k] = k;
    d.key_type = CLSORT_U32;
    d.count = LENGTH;
    d.rows = ROWS;
    d.keys = test_buffer(b, sizeof keys, keys);
    d.values = role == CASE_INDICES ? NULL : test_buffer(b, sizeof values, values);
    d.value_size = role == CASE_INDICES ? 0 : 4;
    d.indices = role == CASE_INDICES ? test_buffer(b, sizeof values, NULL) : NULL;
    return judged_swapped(b, &d, role == CASE_KEYS     ? d.keys
                                 : role == CASE_VALUES ? d.values
                                                       : d.indices, 4, i, j);
}

static void wrong_parts_are_found(bench *b)
{
    CHECK_OK(judge_swapped(b, CASE_KEYS, 5, 5));
    CHECK_OK(judge_swapped(b, CASE_INDICES, 5, 5));
    /* order */
    CHECK_STATUS(judge_swapped(b, CASE_KEYS, 5, 45), CLSORT_ERROR_WRONG_RESULT);
    /* equal keys, values of two rows */
    CHECK_STATUS(judge_swapped(b, CASE_VALUES, 0, LENGTH), CLSORT_ERROR_WRONG_RESULT);
    CHECK_STATUS(judge_swapped(b, CASE_VALUES, 3, 40), CLSORT_ERROR_WRONG_RESULT);
    /* not stable */
    CHECK_STATUS(judge_swapped(b, CASE_INDICES, 0, 1), CLSORT_ERROR_WRONG_RESULT);
    CHECK_STATUS(judge_swapped(b, CASE_INDICES, 2, 47), CLSORT_ERROR_WRONG_RESULT);
    CHECK_STATUS(judge_swapped(b, CASE_INDICES, LENGTH, 3 * LENGTH + 5), CLSORT_ERROR_WRONG_RESULT);
}

/* What cannot be done says so, from a check without buffers; what runs is told. */
static void descriptions(bench *b)
{
    clsort_desc d = clsort_desc_default(), resolved = d;
    size_t bytes = 0, more = 0, bound = 0;
    d.key_type = CLSORT_U32;
    d.count = 1000;
    d.rows = 5;
    CHECK_OK(clsort_resolve(b->sorter, &d, &resolved));
    CHECK(resolved.rows == 5 && resolved.algorithm == CLSORT_MERGE);
    CHECK_OK(clsort_scratch_size(b->sorter, &d, &bytes));
    d.row_stride = 5000;
    CHECK_OK(clsort_scratch_size(b->sorter, &d, &more));
    CHECK_OK(clsort_scratch_size(NULL, &d, &bound));
    CHECK(bytes > 0 && bytes < more && more <= bound);
    d.algorithm = CLSORT_BITONIC;
    CHECK_STATUS(clsort_check(b->sorter, &d), CLSORT_ERROR_UNSUPPORTED);
    d.algorithm = CLSORT_RADIX;
    CHECK_STATUS(clsort_check(b->sorter, &d), CLSORT_ERROR_UNSUPPORTED);
    d.algorithm = CLSORT_MERGE;
    CHECK_OK(clsort_check(b->sorter, &d));
    d.count_buffer = CLSORT_LATER;
    d.rows = d.row_stride = 0;
    CHECK_OK(clsort_check(b->sorter, &d));
}

/* ---- published sorts of rows ----------------------------------------------------------------- */

static const char *const batch_names[] = { "batch-odd-even", "batch-bitonic", "batch-bitonic-local",
                                           "batch-bitonic-split" };
enum { BATCH_NAMES = sizeof batch_names / sizeof *batch_names };

static clsort_desc rows_of_u32(const char *name)
{
    clsort_desc d = clsort_desc_default();
    d.key_type = CLSORT_U32;
    d.count = 100;
    d.rows = 4;
    CHECK_OK(clsort_set_algorithm(&d, name));
    return d;
}

static void only_rows(bench *b)
{
    const clsort_field fields[2] = { { 0, CLSORT_U64, 0, 0, 0 }, { 8, CLSORT_U64, 0, 0, 0 } };
    clsort_desc d, unusable[7];
    size_t i, k;
    for (i = 0; i < BATCH_NAMES; i++) {
        d = rows_of_u32(batch_names[i]);
        CHECK_OK(clsort_check(b->sorter, &d));
        for (k = 0; k < 7; k++) unusable[k] = d;
        unusable[0].rows = 0;
        unusable[1].segment_count = 2;
        unusable[2].count_buffer = CLSORT_LATER;
        unusable[3].first_bit = 3;
        unusable[4].tuning.items = 64;
        unusable[5].key_type = 0, unusable[5].record_size = 16, unusable[5].fields = fields,
        unusable[5].field_count = 2;
        unusable[6].algorithm = CLSORT_MERGE;   /* the name says another */
        for (k = 0; k < 7; k++) {
            AT("%s, description %zu", batch_names[i], k);
            CHECK_STATUS(clsort_check(b->sorter, &unusable[k]),
                         k == 6 ? CLSORT_ERROR_UNKNOWN_VALUE : CLSORT_ERROR_UNSUPPORTED);
        }
    }
}

static void shapes_and_scratch(bench *b)
{
    size_t i, bytes = 1;
    for (i = 0; i < BATCH_NAMES; i++) {
        clsort_desc d = rows_of_u32(batch_names[i]), resolved = d;
        AT("%s", batch_names[i]);
        d.rows = 1;
        d.value_size = 4;
        CHECK(CHECK_OK(clsort_scratch_size(b->sorter, &d, &bytes)) && bytes == 0);
        CHECK(CHECK_OK(clsort_scratch_size(NULL, &d, &bytes)) && bytes == 0);
        CHECK_OK(clsort_prepare(b->sorter, NULL, &d));
        d.flags = CLSORT_FLAG_NO_BUILD;
        CHECK_OK(clsort_resolve(b->sorter, &d, &resolved));
        CHECK(resolved.algorithm == CLSORT_BITONIC && resolved.tuning.variant == d.tuning.variant
              && resolved.rows == 1);
        CHECK(resolved.tuning.work_group > 0 && resolved.tuning.work_group <= 256
              && resolved.tuning.items == 2);
    }
}

/* Two rows of 8 keys, by blocks of 2: every network has six steps, the first block sort one; a
   split does two steps in one trip. */
static void known_passes(bench *b)
{
    static const unsigned passes[BATCH_NAMES] = { 6, 6, 6, 4 };
    size_t i;
    for (i = 0; i < BATCH_NAMES; i++) {
        clsort_desc d = rows_of_u32(batch_names[i]);
        char text[2000], name[64], counts[64], moved[64];
        d.rows = 2;
        d.count = 8;
        d.tuning.work_group = 1;
        d.tuning.items = 2;
        CHECK_OK(clsort_explain(b->sorter, &d, text, sizeof text));
        AT("%s", text);
        snprintf(name, sizeof name, "algorithm %s\n", batch_names[i]);
        snprintf(counts, sizeof counts, "\npasses %u\nlaunches 1:", passes[i]);
        snprintf(moved, sizeof moved, "\nmoved %u", passes[i] * 2 * 2 * 8 * 4);
        CHECK(strstr(text, name) && strstr(text, counts) && strstr(text, moved));
    }
}

static const test_entry tests[] = {
    { "each core gets its part of few rows or pieces", few_jobs_are_spread },
    { "AUTO sorts rows one after another from a length on", rows_one_after_another },
    { "nothing is built when that is not wanted", nothing_is_built_behind_the_back },
    { "rows of host arrays are sorted", host_rows },
    { "order is checked inside of each part", order_is_checked_inside_of_parts },
    { "a check of order tells that offsets do not ascend", order_of_offsets },
    { "wrong rows are found", wrong_parts_are_found },
    { "what cannot be done is said without buffers", descriptions },
    { "what is not a batch of rows is refused", only_rows },
    { "shapes are resolved, and no scratch memory is needed", shapes_and_scratch },
    { "explain knows how often rows are read and written", known_passes },
    TEST_REST,
    { "the number of launches does not grow with that of the segments", launches_do_not_grow },
};

TEST_MAIN(tests)

