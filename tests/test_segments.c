/* Rows, segments and a count on the device: every length around a switch, mixed lengths, types,
   payloads, offsets that do not ascend, launches that do not depend on the number of segments, and
   checks of results. A sort of rows or segments is stable, so there is one right result, and each
   case compares every byte with it: the same input gives the same output. */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "cases.h"
#include "pretenders.h"

/* A work-item that works alone sorts up to PIECE rows in one go. */
enum { MOST = 1 << 17, MOST_PARTS = 65537, PIECE = 1 << 14 };

static uint32_t offsets[MOST_PARTS + 1], ends[MOST_PARTS];

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

/* The tile of a case's kernels; 64 where there is none. */
static size_t tile_of(const bench *b, const sort_case *c)
{
    sort_case asked = *c;
    size_t tile;
    asked.d.count = 1000;
    asked.d.rows = 2;
    tile = case_block_length(b, &asked);
    return tile < 64 ? 64 : tile;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Lengths around each switch: half a tile, tiles, pieces and their doubles. */
static size_t edge_lengths(size_t tile, int small, size_t *lengths)
{
    const size_t around[] = { tile / 4, tile / 2, tile, 2 * tile, 4 * tile, PIECE, 2 * PIECE };
    size_t n = 0, i;
    for (i = 0; i < 6; i++) lengths[n++] = i;
    for (i = 0; i < (small ? 4u : 7u); i++) {
        lengths[n++] = around[i] - 1;
        lengths[n++] = around[i];
        lengths[n++] = around[i] + 1;
    }
    lengths[n++] = 5 * tile + tile / 2 + 3;
    return n;
}

static void rows_of_every_length(bench *b)
{
    size_t lengths[40], shape, n, i;
    for (shape = 0; shape < shape_count(b); shape++) {
        const sort_case c = make_shaped(shape);
        if (!test_takes(b, 2)) continue;
        n = edge_lengths(tile_of(b, &c), b->small, lengths);
        for (i = 0; i < n; i++) {
            const size_t rows = lengths[i] > 10000 ? 2 + i % 2 : 3 + i % 5;
            const sort_case rowed = with_rows(c, rows, lengths[i], i % 3 * 7);
            if (!case_run(b, &rowed)) return;
        }
    }
}

static void numbers_of_rows(bench *b)
{
    static const size_t numbers[] = { 1,   2,   3,   31,   32,   33,    63,    64,   65,
                                      255, 256, 257, 1025, 4095, 65535, 65536, 65537 };
    size_t shape, i;
    for (shape = 0; shape < shape_count(b); shape++)
        for (i = 0; i < (b->small ? 9 : sizeof numbers / sizeof *numbers); i++) {
            const size_t many = numbers[i] > 4096,
                         length = 1 + (many ? (i + shape) % 4 : (7 * i + shape) % 65);
            const sort_case c = with_rows(make_shaped(shape), numbers[i], length, i % 2 * 3);
            if (!case_run(b, &c)) return;
        }
}

/* Bare keys take wider tiles. */
static void long_rows(bench *b)
{
    static const size_t counts[][2] = {
        { 1, MOST }, { 3, MOST / 2 + 1 }, { 200, 1000 }, { 9, 8192 }, { 2, 65537 }
    };
    size_t i;
    for (i = 0; i < (b->small ? 1u : 5u); i++) {
        sort_case c = with_rows(make(0), counts[i][0], b->small ? 3000 : counts[i][1], i & 1);
        c.counted = 1;
        c.there = UINT32_MAX;
        c.d.value_size = 0;
        c.pattern = "uniform";
        if (!case_run(b, &c)) return;
    }
}

/* Rows around what a core's cache holds, which a work-item sorts whole where there are enough for
   all cores and its vectors are wide. */
static void rows_of_wide_vectors(bench *b)
{
    enum { LONG_PIECE = 1 << 18 };
    static const cl_uint types[] = { CLSORT_U32, CLSORT_I64 };
    bench other = *b;
    size_t t;
    int edge;
    if (!test_is_cpu(b) || b->small) return;
    other.sorter = fresh_sorter(b, 0);
    if (!CHECK(other.sorter != NULL)) return;
    other.sorter->has_vectors = 1;
    for (t = 0; t < 2; t++)
        for (edge = -1; edge < 2; edge++) {
            sort_case c = make(0);
            other.sorter->compute_units = 2 + (cl_uint)(edge == 0);   /* 5 rows suffice for 2 */
            c.d.key_type = types[t];
            c.d.value_size = 0;
            c.pattern = "uniform";
            c = with_rows(c, 5, (size_t)(LONG_PIECE + edge), 3);
            if (!case_run(&other, &c)) break;
            c = with_rows(c, 5, (size_t)(PIECE + edge), 0);
            if (!case_run(&other, &c)) break;
        }
    clsort_destroy(other.sorter);
}

/* A program of pieces with one kernel more. NULL if it does not build. */
static cl_kernel kernel_beside_pieces(const bench *b, const char *text, const char *name)
{
    clsort__config c = clsort__utility_config(b->sorter, 0);
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

static void strides_of_outputs(bench *b)
{
    static const size_t lengths[] = { 1, 2, 63, 200, 5000, 40000 };
    size_t i;
    for (i = 0; i < (b->small ? 16 : 96); i++) {
        sort_case c = with_rows(make(0), 2 + i % 6, lengths[i / 8 % (b->small ? 3 : 6)], i % 4 * 5);
        c = with_strides(c, i);
        c.counted = i % 7 == 6;
        c.there = (uint32_t)(c.d.count / 2);
        if (!case_run(b, &c)) return;
    }
}

/* The same by some bits, of records, with equal zeros, and by a published sort of rows. */
static void strides_of_other_sorts(bench *b)
{
    size_t i;
    for (i = 0; i < 32; i++) {
        sort_case c = with_rows(make(0), 3, 70 + i, i % 3);
        if (i % 4 == 1) c.d.last_bit = 5;
        if (i % 4 == 2) c.d.record_size = i & 8 ? 12 : 20, c.d.key_offset = 4;
        if (i % 4 == 3) c.d.key_type = CLSORT_F32, c.d.zero_order = CLSORT_ZERO_EQUAL;
        if (i % 4 == 0) CHECK_OK(clsort_set_algorithm(&c.d, "batch-bitonic-local"));
        if (c.d.row_stride) c.d.row_stride = (c.d.count + i % 3) * case_element_size(&c);
        c = with_strides(c, i / 4 + i % 4 * 8);
        c.d.stable = i % 4 == 0;
        if (c.d.record_size) {
            c.d.value_size = 0;
            c.values_out = 0;
            c.d.values_out_row_stride = 0;
        }
        if (!case_run(b, &c)) return;
    }
}

/* Outputs and payloads of all kinds in turn, at an offset that no vector is aligned to. */
static sort_case one_after_another(size_t rows, size_t count, size_t i)
{
    static const cl_uint types[] = { CLSORT_U32, CLSORT_F32, CLSORT_I64, CLSORT_U16 };
    sort_case c = with_rows(case_make(types[i % 4], 0, "mod-256"), rows, count, i % 3 * 7);
    c.d.value_size = 4;
    c.d.order = i % 5 == 1;
    if (i % 4 == 1) c.d.zero_order = CLSORT_ZERO_EQUAL;
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
    return test_is_cpu(b) && clsort__is_bare(d) && d->rows >= 2 * b->sorter->compute_units;
}

/* Lengths just below, at and above the least. */
static void rows_one_after_another(bench *b)
{
    size_t i;
    test_crossover_log2 = test_is_cpu(b) ? 0 : 8;
    for (i = 0; i < (b->small ? 9 : 48); i++) {
        sort_case c = one_after_another(2 + i / 8 % 2, 1, i);
        clsort_desc d = described(&c);
        const size_t least = clsort__long_row_least(b->sorter, &d), side = i / 3 % 3;
        c = one_after_another(c.d.rows, least + side - 1, i);
        d = described(&c);
        if (!test_takes(b, 3)) continue;
        if (!stays_together(b, &d)) CHECK(is_one_by_one(b, &d) == (side > 0));
        if (!case_run(b, &c)) break;
    }
    test_crossover_log2 = 0;
}

/* ---- segments -------------------------------------------------------------------------------- */

enum { TINY, MIXED, SOME_HUGE, MOSTLY_EMPTY, AT_SWITCHES, STYLES };

static size_t draw_length(uint64_t *random, int style, size_t tile)
{
    static const size_t parts[] = { 1, 2, 3, 4, 6, 8, 12, 16, 20 };
    switch (style) {
    case TINY: return draw(random, 9);
    case MIXED: return draw(random, 5) ? draw(random, 40) : draw(random, 3 * tile);
    case SOME_HUGE: return draw(random, 60) ? draw(random, 7) : draw(random, MOST / 3);
    case MOSTLY_EMPTY: return draw(random, 4) ? 0 : draw(random, 90);
    default: return parts[draw(random, 9)] * tile / 4 + draw(random, 3) - 1;
    }
}

/* Ascending offsets of `count` segments from `first` on, none beyond `most`; they are all the
   case's. */
static sort_case with_segments(sort_case c, size_t count, size_t first, size_t most, int style,
                               size_t tile)
{
    uint64_t random = count + 77 * first + (uint64_t)style + tile;
    size_t at = first, i;
    for (i = 0; i < count; i++) {
        const size_t length = draw_length(&random, style, tile);
        offsets[i] = (uint32_t)at;
        at = length < most - at ? at + length : style == SOME_HUGE ? at : most;
    }
    offsets[count] = (uint32_t)at;
    c.offsets = offsets;
    c.d.segment_count = count;
    c.d.count = at;
    c.seed = random;
    return c;
}

/* The same with gaps between segments: a third of these end where the next one begins, others end
   before, some of them before they begin. */
static sort_case with_gaps(sort_case c)
{
    uint64_t random = c.seed + c.d.segment_count;
    size_t i;
    for (i = 0; i < c.d.segment_count; i++) {
        const size_t kind = draw(&random, 9), length = c.offsets[i + 1] - c.offsets[i];
        ends[i] = c.offsets[i + 1];
        if (kind > 2 && length) ends[i] -= (uint32_t)draw(&random, kind > 5 ? 2 : length + 1);
        if (kind == 8) ends[i] = (uint32_t)draw(&random, c.offsets[i] + 1);
    }
    c.ends = ends;
    return c;
}

static void segments_of_all_lengths(bench *b)
{
    static const size_t numbers[] = { 1, 2, 3, 64, 65, 257, 1000 };
    size_t shape, i;
    int style;
    for (shape = 0; shape < shape_count(b); shape++) {
        const size_t tile = tile_of(b, &(sort_case){ .d = make_shaped(shape).d });
        for (i = 0; i < (b->small ? 4 : sizeof numbers / sizeof *numbers); i++)
            for (style = 0; style < STYLES; style++) {
                const size_t most = b->small ? 4000 : style == SOME_HUGE ? MOST : 60000;
                sort_case c = with_segments(make_shaped(shape), numbers[i], i % 3 * 5, most, style,
                                            tile);
                if (!test_takes(b, 2)) continue;
                c.d.count += i % 4 * 9;
                c.prove = i == 3;
                if (!case_run(b, &c)) return;
                c = with_gaps(c);
                c.indices = i == 2;
                c.keys_out = style % 2 ? CASE_OWN : 0;
                c.values_out = style % 2 || c.indices ? CASE_OWN : 0;
                if (!case_run(b, &c)) return;
            }
    }
}

/* A segment that begins or ends at each place around the edges of windows and tiles. */
static void edges_of_windows(bench *b)
{
    size_t shape, edge, begin, length;
    for (shape = 1; shape < shape_count(b); shape++) {
        const size_t tile = tile_of(b, &(sort_case){ .d = make_shaped(shape).d });
        for (edge = tile / 2; edge <= tile; edge += tile / 2)
            for (begin = edge - 1; begin <= edge + 1; begin++)
                for (length = tile / 2 - 1; length <= tile / 2 + 1; length++) {
                    sort_case c = make_shaped(shape);
                    const size_t places[] = { 0,
                                              1,
                                              1,
                                              begin,
                                              begin + length,
                                              begin + length,
                                              2 * begin + length,
                                              4 * tile,
                                              4 * tile + 3 };
                    size_t i;
                    for (i = 0; i < 9; i++) offsets[i] = (uint32_t)places[i];
                    c.offsets = offsets;
                    c.d.segment_count = 8;
                    c.d.count = 4 * tile + 3;
                    c.seed = begin + length;
                    if (!case_run(b, &c)) return;
                    c = with_gaps(c);
                    if (!case_run(b, &c)) return;
                }
    }
}

static void many_segments(bench *b)
{
    size_t shape;
    for (shape = 0; shape < shape_count(b) && !b->small; shape++) {
        sort_case c = with_segments(make_shaped(shape), MOST_PARTS, 3, 4 * MOST, TINY, 0);
        if (!case_run(b, &c)) return;
        c = with_segments(make_shaped(shape), MOST_PARTS, 0, MOST, SOME_HUGE, 0);
        if (!case_run(b, &c)) return;
        c = with_segments(make_shaped(shape), MOST_PARTS - 1, 0, MOST, MOSTLY_EMPTY, 0);
        if (!case_run(b, &c)) return;
        c = with_gaps(with_segments(make_shaped(shape), MOST_PARTS - 1, 0, 4 * MOST, TINY, 0));
        if (!case_run(b, &c)) return;
    }
}

static void no_segment(bench *b)
{
    sort_case c = make(50);
    c.offsets = offsets;
    offsets[0] = offsets[1] = offsets[2] = 50;
    c.d.segment_count = 2;
    CHECK(case_run(b, &c));
    c.d.count = 0;
    CHECK(case_run(b, &c));
    c.wait = CASE_WAIT_LATER;
    CHECK(case_run(b, &c));
}

/* Random offsets: they follow each other in any order, and lie beyond the count. */
static void unsorted_offsets(bench *b)
{
    size_t shape, i, round;
    for (shape = 0; shape < shape_count(b); shape++)
        for (round = 0; round < (b->small ? 4u : 12u); round++) {
            uint64_t random = round + 1;
            sort_case c = make_shaped(shape);
            c.d.count = b->small ? 700 : 5000;
            c.d.segment_count = round % 4 ? 300 : 5;
            for (i = 0; i <= c.d.segment_count; i++)
                offsets[i] = round % 3 == 0
                                 ? (uint32_t)pattern_random(&random)
                                 : (uint32_t)draw(&random,
                                                  round % 3 == 1 ? c.d.count + 1 : 2 * c.d.count);
            c.offsets = offsets;
            c.indices = round % 4 == 2;
            c.keys_out = round % 2 ? CASE_OWN : 0;
            c.values_out = round % 2 || c.indices ? CASE_OWN : 0;
            c.own_scratch = round % 3 == 2;
            c.counted = round % 5 == 4;
            c.there = 600;
            c.prove = 1;
            if (!case_run(b, &c)) return;
        }
}

/* Begins and ends of any order, beyond the count, and segments that overlap in one place. */
static void unsorted_ends(bench *b)
{
    size_t shape, i, round;
    for (shape = 0; shape < shape_count(b); shape++)
        for (round = 0; round < (b->small ? 6u : 18u); round++) {
            uint64_t random = round + 1;
            sort_case c = with_segments(make_shaped(shape), 90, 1, 4000, MIXED, 64);
            const size_t at = draw(&random, 89);
            c = with_gaps(c);
            if (round % 3 == 0) ends[at] = offsets[at + 1] + 1;
            if (round % 3 == 1) offsets[at + 1] = (uint32_t)draw(&random, offsets[at] + 1);
            for (i = 0; i < 90 && round % 3 == 2; i++) {
                offsets[i] = (uint32_t)draw(&random, c.d.count);
                ends[i] = (uint32_t)pattern_random(&random);
            }
            ends[89] = round % 2 ? UINT32_MAX : 0;
            c.indices = round % 4 == 2;
            c.keys_out = round % 2 ? CASE_OWN : 0;
            c.values_out = round % 2 || c.indices ? CASE_OWN : 0;
            c.prove = 1;
            if (!case_run(b, &c)) return;
        }
}

/* Long segments of the same elements, which work-groups must not sort at the same time. Many end
   with the range, where none may write on. */
static void overlapping_segments(bench *b)
{
    size_t shape, i, round;
    for (shape = 0; shape < shape_count(b); shape++)
        for (round = 0; round < (b->small ? 2u : 12u); round++) {
            uint64_t random = round;
            sort_case c = make_shaped(shape);
            if (!test_takes(b, 2)) continue;
            c.d.count = b->small ? 500 : round % 3 ? 2000 : PIECE;
            c.d.segment_count = 200;
            for (i = 0; i <= c.d.segment_count; i++)
                offsets[i] = (uint32_t)(i % 2 ? c.d.count - draw(&random, 2) * draw(&random, 300)
                                              : draw(&random, c.d.count));
            c.offsets = offsets;
            c.pattern = round % 2 ? "uniform" : "mod-256";
            c.d.value_size = round % 4 ? 4 : 0;
            c.seed = round + 1;
            if (!case_run(b, &c)) return;
        }
}

/* Segments of the lengths that each kind of kernel sorts, with two offsets exchanged. The first
   case is one that lost 16384 of 60000 elements. */
static void one_descent(bench *b)
{
    static const uint32_t seen[] = { 0, 40000, 20000, 60000 };
    size_t shape, at;
    for (shape = 0; shape < shape_count(b); shape++) {
        sort_case c = make_shaped(shape);
        c.offsets = seen;
        c.d.segment_count = 3;
        c.d.count = 60000;
        c.prove = 1;
        if (!b->small && !case_run(b, &c)) return;
        for (at = 0; at < 20; at++) {
            uint32_t moved;
            c = with_segments(make_shaped(shape), 20, 1, 9000, at % 2 ? MIXED : AT_SWITCHES, 64);
            c.prove = 1;
            if (offsets[at] == offsets[at + 1]) continue;
            moved = offsets[at];
            offsets[at] = offsets[at + 1];
            offsets[at + 1] = moved;
            if (!CHECK(case_descends(&c)) || !case_run(b, &c)) return;
        }
    }
}

static void produced_offsets(bench *b)
{
    size_t shape;
    for (shape = 0; shape < shape_count(b); shape++) {
        sort_case c = with_segments(make_shaped(shape), 100, 2, 9000, MIXED, 64);
        c.produced = 1;
        c.counted = 1;
        c.there = (uint32_t)c.d.count - 5;
        if (!case_run(b, &c)) return;
        c = with_gaps(c);
        if (!case_run(b, &c)) return;
        c = with_rows(make_shaped(shape), 20, 100, 1);
        c.produced = 1;
        c.counted = 1;
        c.there = 77;
        if (!case_run(b, &c)) return;
    }
}

/* ---- types and payloads ---------------------------------------------------------------------- */

/* Rows and segments of a case, in place and out of it, with proofs. */
static int run_both(const bench *b, sort_case c)
{
    sort_case rowed = with_rows(c, 5, 300, 4), cut = with_segments(c, 40, 1, 2000, MIXED, 64);
    rowed.shift = 1;
    cut.shift = 2;
    rowed.prove = cut.prove = 1;
    cut.placement = CASE_PARENT;
    rowed.placement = CASE_SUB;
    if (!case_run(b, &rowed) || !case_run(b, &cut)) return 0;
    cut = with_gaps(cut);
    return case_run(b, &cut);
}

static void every_type_and_order(bench *b)
{
    static const char *const integers[] = { "uniform", "mod-16", "sign-edges" }, *const floats[] = {
        "uniform", "nans-10", "around-zero"
    };
    size_t shape, t, k;
    for (shape = 0; shape < (b->few_programs ? 1u : 2u); shape++)
        for (t = 0; t < CASE_TYPES; t++)
            for (k = 0; k < 4; k++) {
                sort_case c = make_shaped(shape);
                if (!test_takes(b, 6)) continue;
                c.d.key_type = case_types[t].type;
                c.pattern = pattern_is_float(c.d.key_type) ? floats[k % 3] : integers[k % 3];
                c.d.order = (cl_uint)k & 1;
                c.d.nan_order = k > 1;
                c.keys_out = k == 2 ? CASE_OWN : 0;
                c.values_out = k == 2 ? CASE_OWN : 0;
                if (!run_both(b, c)) return;
            }
}

static void equal_zeros(bench *b)
{
    sort_case c = make(0);
    c.d.key_type = CLSORT_F32;
    c.pattern = "around-zero";
    c.d.zero_order = CLSORT_ZERO_EQUAL;
    for (c.d.order = 0; c.d.order < 2; c.d.order++) {
        c.keys_out = c.d.order ? CASE_OWN : 0;
        if (!run_both(b, c)) return;
    }
}

/* In place, out of it, and each array for itself. */
static int run_places(const bench *b, sort_case c)
{
    static const int outs[][2] = {
        { 0, 0 }, { CASE_OWN, CASE_OWN }, { 0, CASE_OWN }, { CASE_OWN, 0 }, { CASE_SAME, CASE_SAME }
    };
    size_t i;
    for (i = 0; i < 5; i++) {
        c.keys_out = outs[i][0];
        c.values_out = c.d.value_size ? outs[i][1] : 0;
        if (!run_both(b, c)) return 0;
    }
    return 1;
}

static void every_payload(bench *b)
{
    static const size_t sizes[] = { 4, 0, 12, 8, 1, 6 };
    size_t i;
    for (i = 0; i < (b->few_programs ? 3 : sizeof sizes / sizeof *sizes); i++) {
        sort_case c = make(0);
        c.d.value_size = sizes[i];
        c.d.order = i & 1;
        if (!run_places(b, c)) return;
    }
}

static void records(bench *b)
{
    static const struct {
        cl_uint type;
        size_t size, at;
    } kinds[] = {
        { CLSORT_F32, 20, 8 }, { CLSORT_U32, 8, 4 }, { CLSORT_I16, 6, 2 }, { CLSORT_F64, 64, 24 }
    };
    size_t i;
    for (i = 0; i < (b->few_programs ? 1u : 4u); i++) {
        sort_case c = make(0);
        c.d.key_type = kinds[i].type;
        c.d.record_size = kinds[i].size;
        c.d.key_offset = kinds[i].at;
        c.d.value_size = 0;
        if (!run_places(b, c)) return;
        c.indices = 1;
        if (!run_both(b, c)) return;
    }
}

static void fields(bench *b)
{
    static const clsort_field list[] = { { 4, CLSORT_U32, CLSORT_DESCENDING, 0, 0 },
                                         { 0, CLSORT_U8, 0, 0, 0 },
                                         { 8, CLSORT_I16, 0, 0, 0 },
                                         { 8, CLSORT_F32, 1, 1, 1 },
                                         { 1, CLSORT_BYTES + 11, 1, 0, 0 } };
    static const cl_uint counts[] = { 1, 2, 5 };
    size_t i;
    for (i = 0; i < (b->few_programs ? 1u : 3u); i++) {
        sort_case c = make(0);
        c.d.value_size = 0;
        c.d.record_size = 12;
        c.d.key_offset = 4;
        c.fields = list;
        c.field_count = counts[i];
        if (!run_places(b, c)) return;
        c.indices = 1;
        if (!run_both(b, c)) return;
    }
}

/* The source is only read: its buffer does not allow more. */
static void argsort(bench *b)
{
    size_t shape, k;
    for (shape = 0; shape < (b->few_programs ? 1u : 3u); shape++)
        for (k = 0; k < 4; k++) {
            sort_case c = make_shaped(shape);
            c.d.key_type = CLSORT_F32;
            c.pattern = "nans-10";
            c.d.order = 1;
            c.indices = 1;
            c.d.value_size = k == 2 ? 12 : k == 3 ? 4 : 0;
            c.keys_out = k == 1 ? CASE_OWN : k == 3 ? CASE_SAME : 0;
            c.values_out = c.d.value_size ? CASE_OWN : 0;
            if (!run_both(b, c)) return;
        }
}

static void some_bits(bench *b)
{
    static const cl_uint bits[][2] = { { 0, 5 }, { 7, 0 }, { 3, 29 }, { 31, 32 } };
    size_t i;
    for (i = 0; i < 4; i++) {
        sort_case c = make(0);
        c.pattern = "uniform";
        c.d.first_bit = bits[i][0];
        c.d.last_bit = bits[i][1];
        c.indices = i == 3;
        c.d.value_size = i == 3 ? 0 : 4;
        c.d.order = i & 1;
        if (!run_both(b, c)) return;
    }
}

/* ---- a count on the device ------------------------------------------------------------------- */

static void counts_on_the_device(bench *b)
{
    static const uint32_t there[] = { 0, 1, 2, 299, 300, 301, UINT32_MAX };
    size_t shape, i, kind;
    for (shape = 0; shape < shape_count(b); shape++)
        for (i = 0; i < sizeof there / sizeof *there; i++)
            for (kind = 0; kind < 4; kind++) {
                sort_case c = make_shaped(shape);
                c.d.count = 300;
                if (kind == 1) c = with_rows(c, 7, 300, 5);
                if (kind == 2) c = with_segments(c, 30, 0, 300, MIXED, 16);
                if (kind == 2) c.d.count = 300;
                c.counted = 1;
                c.there = there[i];
                c.d.stable = i & 1;
                c.indices = kind == 3;
                if (kind == 3) c.values_out = CASE_OWN;
                c.keys_out = i % 2 ? CASE_OWN : 0;
                c.values_out = i % 2 ? CASE_OWN : c.values_out;
                c.prove = 1;
                if (!case_run(b, &c)) return;
            }
}

static void long_counts_on_the_device(bench *b)
{
    static const uint32_t there[] = { 5, PIECE, PIECE + 1, 3 * PIECE - 1 };
    size_t shape, i;
    for (shape = 0; shape < shape_count(b) && !b->small; shape++)
        for (i = 0; i < 4; i++) {
            sort_case c = make_shaped(shape);
            c.d.count = 3 * PIECE;
            c.d.stable = i & 1;
            c.counted = 1;
            c.there = there[i];
            if (!case_run(b, &c)) return;
            c = with_rows(c, 2, 2 * PIECE + 5, 3);
            if (!case_run(b, &c)) return;
        }
}

/* ---- scratch, queues, building --------------------------------------------------------------- */

static void exact_scratch(bench *b)
{
    static const int fills[] = { 0x00, 0xFF, 0xA5 };
    static const size_t numbers[] = { 256, 64, 200 };   /* listed by a work-group, or more */
    size_t shape, i, kind;
    for (shape = 0; shape < shape_count(b); shape++)
        for (i = 0; i < 3; i++)
            for (kind = 0; kind < 5; kind++) {
                sort_case c = make_shaped(shape);
                c.own_scratch = 1;
                c.scratch_fill = fills[i];
                c.indices = kind == 2;
                c.values_out = kind == 2 ? CASE_OWN : 0;
                c.d.value_size = kind == 3 ? 12 : 4;
                c = kind == 0   ? with_rows(c, 11, 700, 3)
                    : kind == 4 ? with_rows(c, 3, b->small ? 70 : PIECE + 9, 0)
                                : with_segments(c, numbers[kind - 1] + i % 2, 4,
                                                b->small ? 2000 : 40000,
                                                kind == 1 ? SOME_HUGE : MIXED, 300);
                if (kind == 1 && i) c = with_gaps(c);
                if (!case_run(b, &c)) return;
            }
}

static void queues_and_waits(bench *b)
{
    cl_command_queue unordered = test_unordered_queue(b);
    size_t shape, i;
    for (shape = 0; shape < shape_count(b); shape++)
        for (i = 0; i < 6; i++) {
            sort_case c = make_shaped(shape);
            c.queue = unordered;
            c.wait = (int)i % CASE_WAITS;
            c.no_event = i == 3;
            c.own_scratch = i & 1;
            c.d.value_size = i == 4 ? 12 : 4;
            c = i % 2 ? with_rows(c, 6, 3000, 2) : with_segments(c, 90, 0, 30000, SOME_HUGE, 64);
            c.prove = i == 5;
            if (!case_run(b, &c)) break;
        }
    if (unordered) clReleaseCommandQueue(unordered);
}

/* What clsort_prepare built is all that the sort needs, and before it there is none. */
static void nothing_is_built_behind_the_back(bench *b)
{
    bench fresh = *b;
    size_t i;
    for (i = 0; i < 3; i++) {
        sort_case c = i == 1 ? with_rows(make(0), 10, 200, 1)
                             : with_segments(make(0), 20, 0, 3000, MIXED, 64);
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
            c = with_segments(c, numbers[i], 0, MOST, TINY, 0);
            c.d.count = MOST;
            launches = launches_of(&other, &c, &counted);
            if (!CHECK(launches > 0 && (!i || launches == segments))) return;
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

/* Where work-groups make progress, one launch does all passes. */
static void passes_in_one_launch(bench *b)
{
    static const size_t numbers[] = { 1, 3, 64, 65, 300, 5000 };
    bench other = *b;
    size_t shape, i;
    if (b->few_programs || !sweeping_sorter(b, &other)) return;
    more_options = sweeping_builds(b);
    for (shape = 1; shape < 4; shape += 2) {
        const size_t tile = tile_of(&other, &(sort_case){ .d = make_shaped(shape).d });
        for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            sort_case c = with_segments(make_shaped(shape), numbers[i], i, 70000,
                                        i % 2 ? AT_SWITCHES : SOME_HUGE, tile);
            c.own_scratch = 1;
            c.scratch_fill = 0xFF;
            c.indices = i == 3;
            c.values_out = c.indices ? CASE_OWN : 0;
            if (i == 4) c = with_gaps(c);
            if (!case_run(&other, &c)) break;
        }
    }
    end_sweeping(&other);
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

/* The number of the first element that comes before its predecessor, as the device says. */
static cl_uint first_unsorted(const bench *b, const clsort_desc *d)
{
    cl_mem result = test_buffer(b, 4, NULL);
    cl_uint first = 12345;
    CHECK_OK(clsort_enqueue_is_sorted(b->sorter, b->session.queue, d, result, 0, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(b->session.queue, result, CL_TRUE, 0, 4, &first, 0, NULL, NULL)
          == CL_SUCCESS);
    clReleaseMemObject(result);
    return first;
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
    CHECK(first_unsorted(b, &d) == 30 + 7);
    d.count = 7;
    d.row_stride = 40;
    CHECK(first_unsorted(b, &d) == 57);
    d.count = 10;
    d.count_buffer = test_buffer(b, 4, &most);
    CHECK(first_unsorted(b, &d) == 37);
    d.count = 8;
    d.rows = 7;
    d.row_stride = 32;
    CHECK(first_unsorted(b, &d) == 10);
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
    CHECK(first_unsorted(b, &d) == 60);
    clReleaseMemObject(d.segments);
    cuts[4] = cuts[5] = 38;
    d.segments = test_buffer(b, sizeof cuts, cuts);
    CHECK(first_unsorted(b, &d) == 37);
    d.segment_ends = test_buffer(b, 5 * sizeof *ends, cut_ends);
    CHECK(first_unsorted(b, &d) == 60);
    clReleaseMemObject(d.keys);
    clReleaseMemObject(d.segments);
    clReleaseMemObject(d.segment_ends);
}

static void self_checking_sorters_know_parts(bench *b)
{
    bench checking = *b;
    size_t i;
    checking.sorter = fresh_sorter(b, CLSORT_OPTION_VERIFY);
    for (i = 0; i < 5; i++) {
        sort_case c = make(0);
        c.indices = i == 3;
        c.keys_out = c.values_out = i > 1 ? CASE_OWN : 0;
        c = i % 2 ? with_rows(c, 30, 100, 3) : with_segments(c, 100, 3, 3000, MIXED, 64);
        if (i == 2) c = with_gaps(c);
        c.counted = i == 4;
        c.there = 500;
        CHECK(case_run(&checking, &c));
        CHECK_OK(clsort_collect(checking.sorter, 1));
    }
    clsort_destroy(checking.sorter);
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
        CHECK(first_unsorted(b, &d) == 100);
        clReleaseMemObject(d.segments);
        cuts[k] += 3;
        d.segments = test_buffer(b, sizeof cuts, cuts);
        CHECK(first_unsorted(b, &d) == 0);
        d.count = cuts[k + 1];
        CHECK(first_unsorted(b, &d) == d.count);
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
    cl_uint keys[ALL], values[ALL], x = 0, y = 0, k;
    clsort_desc d = clsort_desc_default();
    cl_mem proof = test_buffer(b, sizeof(clsort_proof), NULL), swapped;
    cl_command_queue q = b->session.queue;
    clsort_proof p;
    for (k = 0; k < ALL; k++) keys[k] = (k * 7919u) % 13, values[k] = k;
    d.key_type = CLSORT_U32;
    d.count = LENGTH;
    d.rows = ROWS;
    d.keys = test_buffer(b, sizeof keys, keys);
    d.values = role == CASE_INDICES ? NULL : test_buffer(b, sizeof values, values);
    d.value_size = role == CASE_INDICES ? 0 : 4;
    d.indices = role == CASE_INDICES ? test_buffer(b, sizeof values, NULL) : NULL;
    swapped = role == CASE_KEYS ? d.keys : role == CASE_VALUES ? d.values : d.indices;
    CHECK_OK(clsort_enqueue_fingerprint(b->sorter, q, &d, proof, 0, 0, NULL, NULL));
    CHECK_OK(clsort_enqueue_sort(b->sorter, q, &d, 0, NULL, NULL));
    clEnqueueReadBuffer(q, swapped, CL_TRUE, 4 * i, 4, &x, 0, NULL, NULL);
    clEnqueueReadBuffer(q, swapped, CL_TRUE, 4 * j, 4, &y, 0, NULL, NULL);
    clEnqueueWriteBuffer(q, swapped, CL_TRUE, 4 * i, 4, &y, 0, NULL, NULL);
    clEnqueueWriteBuffer(q, swapped, CL_TRUE, 4 * j, 4, &x, 0, NULL, NULL);
    CHECK_OK(clsort_enqueue_verify(b->sorter, q, &d, proof, 0, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(q, proof, CL_TRUE, 0, sizeof p, &p, 0, NULL, NULL) == CL_SUCCESS);
    clReleaseMemObject(d.keys);
    if (d.values) clReleaseMemObject(d.values);
    if (d.indices) clReleaseMemObject(d.indices);
    clReleaseMemObject(proof);
    return clsort_judge(&p);
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

static const test_entry tests[] = {
    { "any number of rows is sorted", numbers_of_rows },
    { "long rows of bare keys are sorted", long_rows },
    { "rows around what wide vectors sort whole are sorted", rows_of_wide_vectors },
    { "each core gets its part of few rows or pieces", few_jobs_are_spread },
    { "rows of outputs may have strides of their own", strides_of_outputs },
    { "so may those of records, of some bits, of equal zeros, of published sorts",
      strides_of_other_sorts },
    { "AUTO sorts rows one after another from a length on", rows_one_after_another },
    { "segments around the edges of tiles are sorted", edges_of_windows },
    { "many segments are sorted", many_segments },
    { "segments of nothing are sorted", no_segment },
    { "where offsets do not ascend no element moves, and a proof tells", unsorted_offsets },
    { "where segments with gaps overlap or descend no element moves, and a proof tells",
      unsorted_ends },
    { "one offset that does not ascend, at any place, keeps every element", one_descent },
    { "offsets and counts that come from commands before are followed", produced_offsets },
    { "rows and segments with equal zeros are sorted", equal_zeros },
    { "rows and segments with every payload are sorted", every_payload },
    { "rows and segments of records are sorted", records },
    { "rows and segments of records are sorted by fields", fields },
    { "rows and segments are sorted by some bits", some_bits },
    { "a count on the device is followed", counts_on_the_device },
    { "scratch of exactly the documented size is enough, whatever it holds", exact_scratch },
    { "out-of-order queues and wait lists work with rows and segments", queues_and_waits },
    { "nothing is built when that is not wanted", nothing_is_built_behind_the_back },
    { "rows of host arrays are sorted", host_rows },
    { "order is checked inside of each part", order_is_checked_inside_of_parts },
    { "a check of order tells that offsets do not ascend", order_of_offsets },
    { "sorters that check themselves know rows and segments", self_checking_sorters_know_parts },
    { "wrong rows are found", wrong_parts_are_found },
    { "what cannot be done is said without buffers", descriptions },
    TEST_REST,
    { "rows of every length around a switch are sorted", rows_of_every_length },
    { "segments of all lengths are sorted", segments_of_all_lengths },
    { "no element of segments that overlap moves", overlapping_segments },
    { "rows and segments of every type and order are sorted", every_type_and_order },
    { "indices count from the start of their row", argsort },
    { "a count on the device is followed in long rows", long_counts_on_the_device },
    { "the number of launches does not depend on that of the segments", launches_do_not_grow },
    { "passes of merges are done in one launch", passes_in_one_launch }
};

TEST_MAIN(tests)
