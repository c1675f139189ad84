/* The radix family beyond a right order, which test_rows_radix.c proves: which bits and elements a
   form takes, what it builds, how hybrid radix cuts its keys, inputs made against samples and
   counters, checks of results by some bits. */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "judged.h"
#include "pretenders.h"

enum { SMALL = 1 << 14 };   /* rows that one work-item of a CPU still sorts alone */

static cl_uint width_of(cl_uint type) { return type & 0xFFu; }

/* Values with the index in them, and stable. */
static sort_case radix_make(cl_uint type, size_t n, const char *pattern)
{
    sort_case c = case_make(type, n, pattern);
    c.algorithm = "radix";
    c.d.stable = 1;
    c.d.value_size = 4;
    c.seed = n + type;
    return c;
}

static const cl_uint widths[] = { CLSORT_U8, CLSORT_U16, CLSORT_U32, CLSORT_U64 };

/* ---- bits ------------------------------------------------------------------------------------ */

static void expect_status(const bench *b, clsort_desc d, clsort_status wanted)
{
    clsort_desc resolved = clsort_desc_default();
    size_t bytes;
    AT("type %#x, algorithm %u, bits %u to %u, record_size %zu", (unsigned)d.key_type,
       (unsigned)d.algorithm, (unsigned)d.first_bit, (unsigned)d.last_bit, d.record_size);
    CHECK_STATUS(clsort_check(b->sorter, &d), wanted);
    if (wanted == CLSORT_ERROR_BIT_RANGE)
        CHECK(strstr(clsort_last_error(b->sorter), "last_bit")
              && strstr(clsort_last_error(b->sorter), "CLSORT_ERROR_BIT_RANGE"));
    CHECK_STATUS(clsort_resolve(b->sorter, &d, &resolved), wanted);
    CHECK_STATUS(clsort_scratch_size(b->sorter, &d, &bytes), wanted);
    CHECK_STATUS(clsort_scratch_size(NULL, &d, &bytes), wanted);
    CHECK_STATUS(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, NULL),
                 wanted == CL_SUCCESS ? CLSORT_ERROR_MISSING_BUFFER : wanted);
}

/* Of keys of that width, by each algorithm. */
static void wrong_bits_of_keys(const bench *b, cl_uint type)
{
    static const cl_uint others[] = { CLSORT_BITONIC, CLSORT_MERGE, CLSORT_QUICKSORT },
                         none = 0xFFFFFFFFu;
    const cl_uint width = width_of(type);
    const cl_uint wrong[][2] = {
        { 0, width + 1 }, { width, 0 },     { width, width }, { 3, 3 },
        { 4, 3 },         { width + 1, 0 }, { 0, none },      { none, 0 }
    };
    clsort_desc d = clsort_desc_default();
    size_t k;
    d.count = 100;
    d.key_type = type;
    for (d.algorithm = 0; d.algorithm <= CLSORT_RADIX; d.algorithm++)
        for (k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            d.first_bit = wrong[k][0];
            d.last_bit = wrong[k][1];
            expect_status(b, d, CLSORT_ERROR_BIT_RANGE);
        }
    d.last_bit = width;
    for (k = 0; k < 3; k++) {
        d.algorithm = others[k];
        d.first_bit = 1;
        expect_status(b, d, others[k] == CLSORT_MERGE ? CLSORT_ERROR_UNSUPPORTED : CL_SUCCESS);
        d.first_bit = 0;
        expect_status(b, d, CL_SUCCESS);   /* all bits */
    }
}

static void wrong_bits_are_rejected(bench *b)
{
    static const clsort_field fields[] = { { 0, CLSORT_U32, 0, 0, 0 } };
    clsort_desc d = clsort_desc_default();
    size_t w;
    for (w = 0; w < 4; w++) wrong_bits_of_keys(b, widths[w]);
    d.count = 100;
    d.record_size = 8;
    d.fields = fields;
    d.field_count = 1;
    d.last_bit = 20;
    expect_status(b, d, CLSORT_ERROR_BIT_RANGE);
    d.fields = NULL;
    d.field_count = 0;
    d.record_type = "typedef uint2 clsort_record;";
    d.precedes = "a.x < b.x";
    expect_status(b, d, CLSORT_ERROR_BIT_RANGE);
}

static void auto_takes_radix(bench *b)
{
    size_t w, n;
    for (w = 0; w < 4; w++)
        for (n = 1; n < 100000; n *= 17) {
            sort_case c = radix_make(widths[w], n, "uniform");
            clsort_desc resolved = clsort_desc_default();
            c.algorithm = NULL;
            c.d.first_bit = 2;
            AT("n %zu, %s", n, case_type_name(widths[w]));
            CHECK_OK(clsort_resolve(b->sorter, &c.d, &resolved));
            CHECK(resolved.algorithm == CLSORT_RADIX && resolved.first_bit == 2
                  && resolved.last_bit == width_of(widths[w]));
            c.d.last_bit = 7;
            CHECK_OK(clsort_resolve(b->sorter, &c.d, &resolved));
            CHECK(resolved.algorithm == CLSORT_RADIX && resolved.first_bit == 2
                  && resolved.last_bit == 7);
            if (!case_run(b, &c)) return;
        }
}

/* Preparing also runs each kernel on no elements: of work-groups, too, on CPUs. */
static void preparing_builds_work_groups(bench *b)
{
    clsort_sorter *s = fresh_sorter(b, 0);
    sort_case c = radix_make(CLSORT_U32, SMALL + 500, "uniform");
    bench other = *b;
    other.sorter = s;
    c.d.tuning.work_group = 16;
    c.algorithm = NULL;
    CHECK_OK(clsort_set_algorithm(&c.d, "radix-portable"));
    CHECK_OK(clsort_prepare(s, b->session.queue, &c.d));
    case_run(&other, &c);
    clsort_destroy(s);
}

static void preparing_builds_radix(bench *b)
{
    clsort_sorter *s = fresh_sorter(b, 0);
    bench other = *b;
    sort_case c = radix_make(CLSORT_U32, SMALL + 500, "uniform");
    other.sorter = s;
    c.d.first_bit = 5;
    c.d.flags = CLSORT_FLAG_NO_BUILD;
    CHECK_STATUS(clsort_enqueue_sort(s, b->session.queue, &c.d, 0, NULL, NULL),
                 CLSORT_ERROR_VALUE_SIZE);
    CHECK_OK(clsort_prepare(s, NULL, &c.d));
    case_run(&other, &c);
    c.d.count = 100;   /* may take other kernels */
    c.d.flags = 0;
    CHECK_OK(clsort_prepare(s, NULL, &c.d));
    c.d.flags = CLSORT_FLAG_NO_BUILD;
    case_run(&other, &c);
    clsort_destroy(s);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void order_is_checked_by_some_bits(bench *b)
{
    uint64_t codes[200];
    unsigned char keys[200 * 8];
    uint64_t random = 31;
    size_t t, turn, n = 200;
    for (t = 0; t < CASE_TYPES; t++)
        for (turn = 0; turn < 20; turn++) {
            clsort_desc d = clsort_desc_default();
            const cl_uint width = width_of(case_types[t].type);
            d.count = n;
            d.key_type = case_types[t].type;
            d.order = turn & 1;
            d.nan_order = turn >> 1 & 1;
            d.first_bit = (cl_uint)draw(&random, width);
            d.last_bit = d.first_bit + 1 + (cl_uint)draw(&random, width - d.first_bit);
            if (turn % 5 == 4) d.last_bit = 0;
            AT("%s, bits %u to %u", case_type_name(d.key_type), (unsigned)d.first_bit,
               (unsigned)d.last_bit);
            pattern_fill(pattern_find(turn % 3 ? "sorted" : "uniform"), d.key_type, n, turn + 1, 0,
                         keys);
            reference_codes(keys, width / 8, n, &d, codes);
            d.keys = test_buffer(b, n * width / 8, keys);
            CHECK(judged_unsorted(b, &d) == reference_first_unordered(codes, n));
            clReleaseMemObject(d.keys);
        }
}

/* Sorts by the upper half of the code, changes places from and to, and expects a proof or none. */
static void judge_swapped(const bench *b, int indices, cl_uint stable, size_t from, size_t to,
                          clsort_status wanted)
{
    enum { N = 3000 };
    cl_uint keys[N], i;
    clsort_desc d = clsort_desc_default();
    AT("indices %d, stable %u, places %zu and %zu", indices, (unsigned)stable, from, to);
    for (i = 0; i < N; i++) keys[i] = (i * 7 % 1000) << 16 | (N - i);
    d.count = N;
    d.key_type = CLSORT_U32;
    d.stable = stable;
    d.first_bit = 16;
    d.keys = test_buffer(b, sizeof keys, keys);
    if (indices) d.indices = test_buffer(b, sizeof keys, NULL);
    CHECK_STATUS(judged_swapped(b, &d, indices ? d.indices : d.keys, 4, from, to), wanted);
}

/* Three keys of each upper half, equal but for bits that do not count. */
static void results_by_some_bits_are_proven(bench *b)
{
    judge_swapped(b, 0, 1, 5, 5, CL_SUCCESS);
    judge_swapped(b, 0, 1, 0, 1, CL_SUCCESS);
    judge_swapped(b, 0, 1, 2, 3, CLSORT_ERROR_WRONG_RESULT);
    judge_swapped(b, 1, 1, 5, 5, CL_SUCCESS);
    judge_swapped(b, 1, 0, 0, 1, CL_SUCCESS);
    judge_swapped(b, 1, 1, 0, 1, CLSORT_ERROR_WRONG_RESULT);
    judge_swapped(b, 1, 0, 2, 3, CLSORT_ERROR_WRONG_RESULT);
}

/* ---- hybrid radix ---------------------------------------------------------------------------- */

/* Would a kernel whose name begins so run for a case? */
static int runs_kernel(const bench *b, const sort_case *c, const char *name)
{
    char text[2048];
    clsort_desc d = c->d;
    CHECK_OK(clsort_set_algorithm(&d, c->algorithm));
    return CHECK_OK(clsort_explain(b->sorter, &d, text, sizeof text)) && strstr(text, name) != NULL;
}

static int is_hybrid(const bench *b, const sort_case *c)
{
    return runs_kernel(b, c, "clsort_hybrid_split");
}

static sort_case hybrid_make(cl_uint type, size_t n, const char *pattern)
{
    sort_case c = case_make(type, n, pattern);
    c.algorithm = "radix-hybrid";
    c.d.order = n & 1;
    c.seed = n + type;
    return c;
}

/* Runs a test of kernels of GPUs with a sorter of its own. */
static void with_kernels_of_gpus(bench *b, void (*run)(bench *))
{
    bench other = *b;
    more_options = quick_builds(b);
    other.sorter = keeping_sorter(b);
    if (other.sorter) run(&other);
    clsort_destroy(other.sorter);
    more_options = NULL;
}

/* A program of hybrid radix with one kernel more. NULL if it does not build. */
static cl_kernel kernel_beside(const bench *b, const char *text, const char *name)
{
    sort_case c = hybrid_make(CLSORT_U64, 1 << 20, "uniform");
    clsort__plan p;
    clsort__recipe r;
    cl_program program;
    cl_kernel kernel = NULL;
    cl_int error;
    CHECK_OK(clsort_set_algorithm(&c.d, c.algorithm));
    clsort__make_plan(&b->sorter->facts, b->sorter->policy, &c.d, &p);
    clsort__make_recipe(b->sorter, &p.config, &r);
    r.list.text[r.list.count++] = text;
    program = clCreateProgramWithSource(clsort_context(b->sorter), (cl_uint)r.list.count,
                                        (const char **)(size_t)r.list.text, NULL, &error);
    if (!error) error = build_with_more(program, 1, &b->session.info.id, r.options, NULL, NULL);
    if (!error) kernel = clCreateKernel(program, name, &error);
    if (program) clReleaseProgram(program);
    CHECK_OK(error);
    return kernel;
}

/* However wide codes are, their parts are hardly longer than even ones; only the last may be
   shorter. What is counted is the first part's share, in thousandths of an even one. */
static void wide_codes_are_cut_evenly(bench *b)
{
    static const char text[] =
        "kernel void share_of_first(global uint *share, ulong span, uint parts)\n"
        "{\n"
        "    const linear_map_t line = make_map(0, span - 1, parts, 0);\n"
        "    *share = (uint)(map_start(line, 1, 0, span - 1) / (span / parts / 1000));\n"
        "}\n";
    const size_t one = 1;
    const cl_command_queue q = b->session.queue;
    cl_ulong span = (cl_ulong)1 << 63;
    cl_uint parts, share = 0;
    cl_kernel k = kernel_beside(b, text, "share_of_first");
    cl_mem out = k ? clCreateBuffer(b->session.context, CL_MEM_WRITE_ONLY, 4, NULL, NULL) : NULL;
    if (!CHECK(out != NULL)) return;
    for (; span > 1 << 20; span = span / 7 * 3)
        for (parts = 2; parts < 40; parts += parts / 4 + 1) {
            AT("%.0f codes, %u parts", (double)span, (unsigned)parts);
            clSetKernelArg(k, 0, sizeof out, &out);
            clSetKernelArg(k, 1, sizeof span, &span);
            clSetKernelArg(k, 2, sizeof parts, &parts);
            CHECK_OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, NULL));
            CHECK_OK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, 4, &share, 0, NULL, NULL));
            CHECK(share >= 990 && share <= 1030);
        }
    clReleaseMemObject(out);
    clReleaseKernel(k);
}

static void hybrid_cuts_wide_codes(bench *b) { with_kernels_of_gpus(b, wide_codes_are_cut_evenly); }

/* Keys that a test made. */
static const cl_uint *made;

static uint64_t key_made(const sort_case *c, size_t i, uint64_t *random)
{
    (void)c, (void)random;
    return made[i];
}

static int sort_made(const bench *b, sort_case c, const cl_uint *keys)
{
    made = keys;
    c.make = key_made;
    c.d.tuning.work_group = 64;
    return case_run(b, &c);
}

/* What the plan of hybrid radix came to: whether it sorted (1), copied keys that ascended (2) or
   descended (3), or left them to the passes (0), and how many keys are in buckets above the
   capacity. */
static cl_uint hybrid_stays, hybrid_over;

static int read_hybrid(const bench *b, const case_state *s)
{
    const unsigned char *tables = image_at(&s->image, s->image.now, CASE_SCRATCH, 0);
    clsort__plan p;
    clsort__make_plan(&b->sorter->facts, b->sorter->policy, &s->d, &p);
    clsort__plan_scratch(&p, &p);
    tables += p.scratch.tables;
    memcpy(&hybrid_stays, tables + 4 * CLSORT__SKIP_PASSES, 4);
    memcpy(&hybrid_over, tables + clsort__hybrid_at(&p), 4);
    return 1;
}

/* A sort out of place by hybrid radix, whose plan is looked at. */
static sort_case hybrid_seen(cl_uint type, size_t n, const char *pattern)
{
    sort_case c = case_make(type, n, pattern);
    c.algorithm = "radix-hybrid";
    c.d.tuning.work_group = 64;
    c.keys_out = CASE_OWN;
    c.own_scratch = 1;
    c.look = read_hybrid;
    return c;
}

/* Numbers from 10^9 to 2 * 10^9; but so many parts in 10,000, which the sample overlooks, are up to
   480,000 larger. */
static void fill_middle(cl_uint *keys, size_t n, unsigned more)
{
    uint64_t random = 7;
    size_t i;
    for (i = 0; i < n; i++) {
        const cl_uint r = (cl_uint)(pattern_random(&random) >> 32);
        keys[i] = i % 10000 < more ? 2000000000 + r % 480000 : 1000000000 + r % 1000000000;
    }
    for (i = 0; i < (size_t)1 << CLSORT__HYBRID_SAMPLE_LOG2; i++)
        keys[pattern_hybrid_place(i, n)]
            = 1000000000 + (cl_uint)(pattern_random(&random) % 1000000000);
}

/* Buckets do not become too long just outside of the sample, nor where keys thin out. */
static void plans_fit_edges(bench *b)
{
    enum { N = 1200007, M = 1 << 23 };
    static cl_uint keys[N];
    const size_t only = test_choice(b, 2);
    if (only != 1) {
        fill_middle(keys, N, 17);
        CHECK(sort_made(b, hybrid_seen(CLSORT_U32, N, "uniform"), keys) && hybrid_stays
              && hybrid_over == 0);
    }
    if (only != 0) {
        const sort_case c = hybrid_seen(CLSORT_F32, M, "normal");
        CHECK(case_run(b, &c) && hybrid_stays && hybrid_over == 0);
    }
}

/* Hybrid radix sorts floats of both signs, whose codes leave out all that lie near 0, and numbers
   that end at once or thin out, without a bucket that is too long. It leaves numbers to the passes
   if hundreds of them share few cells; with values beside keys, also if many are equal. */
static void plans_fit_keys(bench *b)
{
    enum { N = 300007 };
    static const struct { cl_uint type; const char *pattern; cl_uint stays; size_t value; }
        cases[] = {
        { CLSORT_F64, "normal", 1, 0 },   { CLSORT_F32, "normal", 1, 0 },
        { CLSORT_F64, "unit", 1, 0 },     { CLSORT_F32, "unit", 1, 0 },
        { CLSORT_U32, "gaussian", 1, 0 }, { CLSORT_U64, "uniform", 1, 0 },
        { CLSORT_U32, "sorted", 2, 0 },   { CLSORT_I32, "zipf", 1, 0 },
        { CLSORT_U64, "clusters", 0, 0 }, { CLSORT_F64, "sorted", 2, 0 },
        { CLSORT_F32, "reverse", 3, 0 },  { CLSORT_U64, "uniform", 1, 4 },
        { CLSORT_F64, "normal", 1, 8 },   { CLSORT_U32, "sorted", 1, 8 },
        { CLSORT_F32, "unit", 1, 8 },     { CLSORT_I64, "gaussian", 1, 4 },
        { CLSORT_U64, "clusters", 1, 8 }, { CLSORT_I32, "zipf", 0, 8 },
        { CLSORT_I64, "equal", 0, 4 },    { CLSORT_U64, "mod-1024", 1, 4 }
    };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        sort_case c = hybrid_seen(cases[i].type, N, cases[i].pattern);
        c.seed = i + 1;
        c.d.value_size = cases[i].value;
        if (!test_takes_of_few(b, 3)) continue;
        CHECK(case_run(b, &c) && hybrid_stays == cases[i].stays && hybrid_over == 0);
    }
}

/* 601 equal keys, too few for the sample to tell: with values no bucket has room for them, and the
   passes sort. Buckets of keys alone have room. */
static void plans_leave_equals(bench *b)
{
    enum { N = 300007 };
    static cl_uint keys[N];
    uint64_t random = 3;
    cl_uint value;
    size_t i;
    for (i = 0; i < N; i++)
        keys[i] = i % 500 ? (cl_uint)(pattern_random(&random) >> 32) : 123456789;
    for (value = 0; value < 9; value += 8) {
        sort_case c = hybrid_seen(CLSORT_U32, N, "uniform");
        c.d.value_size = value;
        CHECK(sort_made(b, c, keys) && hybrid_stays == !value
              && (hybrid_over != 0) == (value != 0));
    }
}

/* Sorts ascending or descending keys, of which keys `at` and at + 1 change places; at = n: none. */
static cl_uint order_seen(bench *b, size_t n, int descends, int in_place, size_t at)
{
    static cl_uint keys[100003];
    sort_case c = hybrid_seen(CLSORT_U32, n, "uniform");
    size_t i;
    for (i = 0; i < n; i++) keys[descends ? n - 1 - i : i] = (cl_uint)(1000 + 40 * i);
    if (at < n) {
        const cl_uint moved = keys[at];
        keys[at] = keys[at + 1];
        keys[at + 1] = moved;
    }
    if (in_place) c.keys_out = 0;
    return CHECK(sort_made(b, c, keys)) ? hybrid_stays : 9;
}

/* Keys that are in order are copied, mirrored or left where they are. Two keys that are not, at any
   place of a tile or between two tiles, are sorted. */
static void order_is_seen(bench *b)
{
    static const size_t sizes[] = { 300, 511, 512, 513, 2047, 2048, 2049, 16384, 16385, 100003 };
    uint64_t random = 5;
    size_t i, k;
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t n = sizes[i];
        const int descends = (int)(pattern_random(&random) % 2), in_place = i % 3 == 0;
        CHECK(order_seen(b, n, 0, i % 2 == 0, n) == 2);
        CHECK(order_seen(b, n, 1, i % 2 == 1, n) == 3);
        for (k = 0; n > 3 && k < 6; k++) {
            const size_t drawn = (size_t)(pattern_random(&random) % (n - 1)),
                         edge = drawn - drawn % 512, at = k < 2 ? k * (n - 2)
                                                          : k < 4 && edge ? edge - 1 : drawn;
            CHECK(order_seen(b, n, descends, in_place, at) == 1);
        }
    }
}

static void hybrid_sees_order(bench *b) { with_kernels_of_gpus(b, order_is_seen); }

static void hybrid_plans_fit_keys(bench *b)
{
    with_kernels_of_gpus(b, plans_fit_keys);
    with_kernels_of_gpus(b, plans_fit_edges);
    with_kernels_of_gpus(b, plans_leave_equals);
}

/* Sorts pairs in place. Keys of 8 bytes have these in their upper halves, values of 8 bytes in the
   lower halves. */
static int sort_pairs(const bench *b, cl_uint type, size_t value_size, size_t n, cl_uint *keys,
                      cl_uint *values)
{
    const size_t key = clsort__key_bits(type) / 8, words = value_size / 4;
    cl_uint *wide = (cl_uint *)calloc(n * (key + value_size) + 1, 1),
            *k = wide + key / 4 - 1, *v = wide + n * key / 4;
    clsort_desc d = clsort_desc_default();
    size_t i;
    int right;
    d.count = n;
    d.key_type = type;
    d.value_size = value_size;
    d.tuning.work_group = 64;
    for (i = 0; wide && i < n; i++) k[key / 4 * i] = keys[i], v[words * i] = values[i];
    right = CHECK(wide != NULL) && CHECK_OK(clsort_set_algorithm(&d, "radix-hybrid"))
            && CHECK_OK(clsort_sort_host(b->sorter, &d, wide, v, NULL));
    for (i = 0; right && i < n; i++) keys[i] = k[key / 4 * i], values[i] = v[words * i];
    free(wide);
    return right;
}

/* Equal keys come in the order of their values, however these lie before: of 4096 keys that are
   spread evenly, whose values are large, or small, or few. Of 200 different keys many are equal:
   then the network sorts bins. */
static void ties_by_value(bench *b)
{
    enum { N = 30011 };
    static const struct { cl_uint type; size_t value_size; } kinds[] = {
        { CLSORT_I32, 4 }, { CLSORT_I64, 4 }, { CLSORT_I64, 8 }, { CLSORT_I32, 8 }
    };
    static cl_uint keys[2][N], values[2][N];
    uint64_t random = 1;
    unsigned way;
    size_t i;
    for (way = 0; way < 16; way++) {
        const cl_uint most = way % 4 == 0 ? ~0u : way % 4 == 2 ? 200 : N;
        for (i = 0; i < N; i++) {
            const cl_uint key = (cl_uint)(pattern_random(&random) >> 52);
            keys[0][i] = keys[1][i] = way % 4 == 3 ? key % 200 << 24 : key << 20;
            values[0][i] = values[1][i] = (cl_uint)(pattern_random(&random) >> 20) % most;
        }
        for (i = N - 1; i > 0; i--) {
            const size_t j = (size_t)(pattern_random(&random) >> 33) % (i + 1);
            const cl_uint key = keys[1][i], value = values[1][i];
            keys[1][i] = keys[1][j];
            values[1][i] = values[1][j];
            keys[1][j] = key;
            values[1][j] = value;
        }
        if (way == 3) continue;   /* not spread enough for pairs of two words */
        AT("elements %u, keys and values %u", way / 4, way % 4);
        for (i = 0; i < 2; i++)
            if (!sort_pairs(b, kinds[way / 4].type, kinds[way / 4].value_size, N, keys[i],
                            values[i]))
                return;
        CHECK(!memcmp(keys[0], keys[1], sizeof *keys));
        CHECK(!memcmp(values[0], values[1], sizeof *values));
        for (i = 1; i < N; i++)
            if (!CHECK(keys[0][i] != keys[0][i - 1] || values[0][i] >= values[0][i - 1])) return;
    }
}

static void hybrid_orders_ties_by_value(bench *b) { with_kernels_of_gpus(b, ties_by_value); }

/* Second digits that are counted together with the first ones: one of each cell group, several;
   that are counted again since a cell group has too many keys; that have too few codes, and just
   enough. One key lies below the others, and two above. */
static void parts_of_cell_groups(bench *b)
{
    static const struct { size_t n; cl_uint codes; } cases[] = {
        { 200003, 0 }, { 302261, 1 << 30 }, { 302261, 0 }, { 700001, 0 }, { 911861, 0 },
        { 700001, 700 }, { 700001, 800 }, { 700001, 1 << 30 }
    };
    uint64_t random = 1;
    size_t k, i;
    for (k = 0; k < (b->small ? 2 : sizeof cases / sizeof *cases); k++) {
        const cl_uint codes = cases[k].codes;
        cl_uint *keys = malloc(cases[k].n * sizeof *keys);
        int right;
        if (!CHECK(keys != NULL)) return;
        AT("%zu keys of %u codes", cases[k].n, (unsigned)codes);
        for (i = 0; i < cases[k].n; i++) {
            keys[i] = (cl_uint)(pattern_random(&random) >> 20);
            keys[i] = codes ? keys[i] % codes + 1000 : keys[i];
        }
        if (codes) {
            keys[cases[k].n / 4] = 1;
            keys[cases[k].n / 3] = ~0u - 1;
            keys[cases[k].n / 2] = ~0u;
        }
        right = sort_made(b, hybrid_make(CLSORT_U32, cases[k].n, "uniform"), keys);
        free(keys);
        if (!right) return;
    }
}

static void hybrid_counts_parts(bench *b) { with_kernels_of_gpus(b, parts_of_cell_groups); }

/* A work-group counts more equal keys than its counters of 16 bits hold, of which the sample has
   none. */
static void counters_overflow(bench *b)
{
    const size_t tile = 64 * 8, groups = 5 * (size_t)b->sorter->facts.compute_units,
                 n = groups * 140 * tile;
    cl_uint *keys = groups <= 40 ? malloc(n * sizeof *keys) : NULL;
    uint64_t random = 1;
    size_t i;
    if (groups > 40 || !CHECK(keys != NULL)) return;
    for (i = 0; i < n; i++)
        keys[i] = i / tile % groups ? (cl_uint)(pattern_random(&random) >> 20) : 123456789;
    for (i = 0; i < 1 << 14; i++)
        keys[pattern_hybrid_place(i, n)] = (cl_uint)(pattern_random(&random) >> 20);
    sort_made(b, hybrid_make(CLSORT_U32, n, "uniform"), keys);
    free(keys);
}

static void hybrid_notes_overflow(bench *b) { with_kernels_of_gpus(b, counters_overflow); }

static void hybrid_is_for_some_elements(bench *b)
{
    static const struct { cl_uint type, stable; size_t value_size; int indices; cl_uint last_bit;
                          int hybrid; } kinds[] = {
        { CLSORT_U32, 0, 0, 0, 0, 1 },  { CLSORT_F64, 0, 0, 0, 0, 1 },
        { CLSORT_U16, 0, 0, 0, 0, 0 },  { CLSORT_U32, 0, 0, 0, 31, 0 },
        { CLSORT_U32, 0, 4, 0, 0, 1 },  { CLSORT_U32, 1, 4, 0, 0, 0 },
        { CLSORT_F32, 0, 4, 0, 0, 1 },  { CLSORT_F32, 0, 2, 0, 0, 0 },
        { CLSORT_I64, 0, 4, 0, 0, 1 },  { CLSORT_I16, 0, 4, 0, 0, 0 },
        { CLSORT_I32, 0, 4, 0, 31, 0 }, { CLSORT_I32, 1, 0, 1, 0, 1 },
        { CLSORT_U64, 0, 0, 1, 0, 1 },  { CLSORT_U32, 1, 12, 0, 0, 1 },
        { CLSORT_F64, 0, 8, 0, 0, 1 },  { CLSORT_U32, 0, 8, 0, 0, 1 },
        { CLSORT_F64, 1, 8, 0, 0, 0 },  { CLSORT_U64, 0, 6, 0, 0, 0 },
        { CLSORT_I16, 0, 8, 0, 0, 0 },  { CLSORT_U64, 1, 0, 1, 0, 1 },
        { CLSORT_I64, 0, 4, 0, 63, 0 }, { CLSORT_U64, 1, 12, 0, 0, 1 }
    };
    size_t i;
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        sort_case c = hybrid_make(kinds[i].type, 1000, "uniform");
        AT("kind %zu", i);
        c.d.stable = kinds[i].stable;
        c.d.value_size = kinds[i].value_size;
        c.d.last_bit = kinds[i].last_bit;
        if (kinds[i].indices) c.d.indices = CLSORT_LATER;
        CHECK(is_hybrid(b, &c) == kinds[i].hybrid);
    }
}

/* ---- radix of samples ------------------------------------------------------------------------ */

static sort_case samples_make(cl_uint type, size_t n, const char *pattern)
{
    sort_case c = hybrid_make(type, n, pattern);
    c.algorithm = "radix-samples";
    c.d.tuning.work_group = 64;
    return c;
}

/* Keys in place, for radix of samples with small work-groups. */
static clsort_desc samples_desc(size_t n)
{
    clsort_desc d = clsort_desc_default();
    d.key_type = CLSORT_U32;
    d.count = n;
    CHECK_OK(clsort_set_algorithm(&d, "radix-samples"));
    d.tuning.work_group = 64;
    return d;
}

/* As sort_samples of kernels.cl. */
static size_t sample_of_two(cl_uint seed, cl_uint i, size_t n, size_t samples)
{
    const cl_uint noise = (seed + i + 1) * 0x9E3779B9u,
                  jitter = (noise ^ noise >> 15) * 0x85EBCA6Bu;
    return i * (n / samples) + (size_t)((cl_ulong)jitter * (n / samples) >> 32);
}

/* Samples are the lowest codes or, some of them, the highest; the others, more than a work-group
   holds, are in one bucket: any codes, one code, the top code, few codes that are close, powers of
   two. */
static void make_misleading(cl_uint *keys, cl_uint seed, size_t n, size_t samples, cl_uint kind)
{
    size_t i;
    for (i = 0; i < n; i++) {
        const cl_uint noise = (cl_uint)(i + 1) * 0x9E3779B9u;
        keys[i] = kind % 5 == 0   ? noise | 1u << 31
                  : kind % 5 == 1 ? 3000000000u
                  : kind % 5 == 2 ? 0xFFFFFFFFu
                  : kind % 5 == 3 ? 0x80000000u - noise % 3
                                  : 1u << (16 + i % 16);
    }
    for (i = 0; i < samples; i++)
        keys[sample_of_two(seed, (cl_uint)i, n, samples)]
            = kind >= 5 && i % 3 == 0 ? 0xFFFFFFF0u + (cl_uint)i % 8 : (cl_uint)(i * 7 % 256);
}

/* Two launches, with samples that say nothing of most keys: whatever the kind, one bucket has more
   keys than a work-group holds. */
static void misleading_samples(bench *b)
{
    enum { N = 9 * 64 * 16 + 5 };
    static cl_uint keys[N];
    const clsort_desc d = samples_desc(N);
    clsort__plan p;
    cl_uint kind;
    clsort__make_plan(&b->sorter->facts, b->sorter->policy, &d, &p);
    CHECK(p.config.family == CLSORT__SAMPLES && !p.config.subset);
    for (kind = 0; kind < 10; kind++) {
        AT("kind %u", (unsigned)kind);
        make_misleading(keys, b->sorter->seed, N,
                        clsort__cut_samples(b->sorter->policy, &p.config, N).samples, kind);
        sort_made(b, samples_make(CLSORT_U32, N, "uniform"), keys);
    }
}

/* The kernels are not given up, as they are where they do not build. */
static void samples_are_kept(bench *b)
{
    sort_case c = samples_make(CLSORT_U32, 5000, "uniform");
    CHECK(case_run(b, &c) && !(b->sorter->facts.given_up & CLSORT__BIT(CLSORT__SAMPLES)));
    c.d.value_size = 4;
    c.values_out = CASE_OWN;
    CHECK(case_run(b, &c) && !(b->sorter->facts.given_up & CLSORT__BIT(CLSORT__SAMPLES)));
}

static void samples_build(bench *b) { with_kernels_of_gpus(b, samples_are_kept); }

/* The tables have room at every count, although others lay them out. */
static void samples_have_room(bench *b)
{
    static const cl_uint types[] = { CLSORT_U32, CLSORT_U64 };
    size_t n, t;
    for (t = 0; t < 2; t++)
        for (n = 2; n <= 64 * 1024; n += n / 7 + 1) {
            sort_case c = samples_make(types[t], n, "uniform");
            clsort__plan p;
            CHECK_OK(clsort_set_algorithm(&c.d, c.algorithm));
            clsort__make_plan(&b->sorter->facts, b->sorter->policy, &c.d, &p);
            if (p.config.family == CLSORT__SAMPLES && !p.config.subset)
                CHECK(clsort__samples_tables(b->sorter->policy, &p.config, n)
                      <= clsort__radix_tables(&p));
        }
}

static void samples_may_mislead(bench *b) { with_kernels_of_gpus(b, misleading_samples); }

/* ---- radix in cache -------------------------------------------------------------------------- */

static int is_cached(const bench *b, const sort_case *c)
{
    return runs_kernel(b, c, "clsort_cached_");
}

static sort_case cached_make(cl_uint type, size_t n, const char *pattern)
{
    sort_case c = hybrid_make(type, n, pattern);
    c.algorithm = "radix-cached";
    return c;
}

/* Packed elements need keys and values of the second array in one buffer. */
static void cached_needs_one_buffer(bench *b)
{
    sort_case c = cached_make(CLSORT_U32, 200000, "uniform");
    bench other = *b;
    c.d.value_size = 4;
    other.sorter = fresh_sorter(b, 0);
    if (!other.sorter) return;
    other.sorter->facts.max_allocation = 1599999;
    CHECK(!is_cached(&other, &c));
    CHECK(case_run(&other, &c));
    other.sorter->facts.max_allocation = 1600000;
    CHECK(is_cached(&other, &c) == test_is_cpu(b));
    CHECK(case_run(&other, &c));
    clsort_destroy(other.sorter);
}

static void cached_is_for_long_keys(bench *b)
{
    sort_case c = cached_make(CLSORT_F64, 1000, "uniform");
    const int cpu = is_cached(b, &c);
    c.d.value_size = 4;
    CHECK(is_cached(b, &c) == cpu);
    c.d.key_type = CLSORT_U16;
    CHECK(!is_cached(b, &c));
    c.d.key_type = CLSORT_U32;
    CHECK(is_cached(b, &c) == cpu);
    c.d.last_bit = 31;
    CHECK(!is_cached(b, &c));
    c.d.last_bit = 0;
    c.d.tuning.work_group = 64;
    CHECK(!is_cached(b, &c));
}

static const test_entry tests[] = {
    { "wrong bits are rejected", wrong_bits_are_rejected },
    { "AUTO takes radix for some bits", auto_takes_radix },
    { "prepare builds what radix needs", preparing_builds_radix },
    { "prepare runs kernels of work-groups", preparing_builds_work_groups },
    { "order is checked by some bits", order_is_checked_by_some_bits },
    { "results by some bits are proven, wrong ones are found", results_by_some_bits_are_proven },
    TEST_REST,
    { "hybrid radix cuts wide codes evenly", hybrid_cuts_wide_codes },
    { "hybrid radix cuts codes by what keys have", hybrid_plans_fit_keys },
    { "hybrid radix sees that keys are in order", hybrid_sees_order },
    { "hybrid radix orders equal keys by their values", hybrid_orders_ties_by_value },
    { "hybrid radix counts second digits at once", hybrid_counts_parts },
    { "hybrid radix notes that a counter was too small", hybrid_notes_overflow },
    { "hybrid radix takes bare keys, and pairs of words of 4 or 8 bytes",
      hybrid_is_for_some_elements },
    { "radix of samples sorts buckets of any length", samples_may_mislead },
    { "radix of samples has room for its tables", samples_have_room },
    { "radix of samples builds its kernels", samples_build },
    { "radix in cache needs pairs in one buffer", cached_needs_one_buffer },
    { "radix in cache takes keys of 4 and 8 bytes", cached_is_for_long_keys },
};

TEST_MAIN(tests)

