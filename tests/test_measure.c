/* AUTO that measures, on devices: sorts are right and stable by what was measured, the bytes of
   bare keys and stable sorts stay the same, and the time is kept. */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "clsort_measure.h"
#include "pretenders.h"
#include "top.h"

#include <time.h>

static double wall_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static clsort_status measure(const bench *b, clsort_sorter *s, clsort_desc d, cl_uint max_ms)
{
    clsort_measure_desc m = clsort_measure_desc_default();
    m.sort = &d;
    m.max_ms = max_ms;
    return clsort_measure(s, b->session.queue, &m);
}

static clsort_desc some_keys(size_t count, cl_uint type, size_t value_size)
{
    clsort_desc d = clsort_desc_default();
    d.count = count;
    d.key_type = type;
    d.value_size = value_size;
    return d;
}

/* Sorts of a kind, of counts around those that were measured, are right by AUTO. */
static void sorts_by_what_was_measured(bench *b)
{
    static const size_t counts[] = { 1, 200, 256, 700, 2048, 3000 };
    bench measured = *b;
    size_t i, v;
    measured.sorter = fresh_sorter(b, 0);
    for (v = 0; v < (b->few_programs ? 1u : 2u); v++) {
        clsort_choice choice = clsort_choice_default();
        if (!CHECK_OK(measure(b, measured.sorter, some_keys(2048, CLSORT_U32, 4 * v), 1u << 30)))
            break;
        CHECK_OK(clsort_auto_choice(measured.sorter, 3 + (cl_uint)v, &choice));
        CHECK(choice.origin == CLSORT_ORIGIN_MEASURED && choice.most == 2048);
        printf("%u bits, payload %u: few %u, radix %u, hybrid %u, bitonic %u, gain %u\n",
               (unsigned)choice.bits, (unsigned)choice.payload, (unsigned)choice.few_most,
               (unsigned)choice.radix_least, (unsigned)choice.hybrid_least,
               (unsigned)choice.bitonic_most, (unsigned)choice.gain);
        for (i = 0; i < sizeof counts / sizeof *counts; i++) {
            sort_case c = case_make(i % 2 ? CLSORT_U32 : CLSORT_F32, counts[i], "mod-16");
            c.d.value_size = 4 * v;
            c.d.stable = v > 0;
            c.own_scratch = 1;
            if (!case_run(&measured, &c)) break;
        }
    }
    clsort_destroy(measured.sorter);
}

/* Selections of a class, of any count, are right by what was measured: those that were measured are
   compared with whole rows that are sorted. */
static void selections_by_what_was_measured(bench *b)
{
    static const size_t counts[] = { 50, 200, 257, 700, 4096, 6000, 9000 };
    bench measured = *b;
    clsort_choice choice = clsort_choice_default();
    clsort_desc d = some_keys(6000, CLSORT_F32, 0);
    cl_uint number;
    size_t i;
    d.rows = 5;
    d.top_k = 40;
    d.indices = d.keys_out = CLSORT_LATER;
    measured.sorter = fresh_sorter(b, 0);
    if (CHECK_OK(measure(b, measured.sorter, d, 1u << 30))) {
        for (number = 9; clsort_auto_choice(measured.sorter, number, &choice) == CL_SUCCESS;
             number++)
            printf("%u to %u: %s, gain %u\n", (unsigned)choice.least, (unsigned)choice.most,
                   choice.way, (unsigned)choice.gain);
        CHECK(number > 9 && choice.most == 6000 && choice.top_k == 64 && choice.rows == 8);
    }
    for (i = 0; i < sizeof counts / sizeof *counts; i++) {
        top_case c = top_make(i % 2 ? CLSORT_F32 : CLSORT_I32, 5, counts[i], 33 + i);
        c.pattern = i % 3 ? "mod-16" : "uniform";
        c.gap = i % 3;
        c.scratch = 1;
        if (!top_run(&measured, &c)) break;
    }
    clsort_destroy(measured.sorter);
}

/* Whatever is selected, all ways are found right. */
static void selections_of_all_kinds(bench *b)
{
    static const struct {
        cl_uint type, order, nans, zeros, later;
        size_t value_size, rows, k;
    } all[] = {
        { CLSORT_F32, CLSORT_DESCENDING, CLSORT_NAN_EQUAL, 0, LATER_INDICES, 0, 0, 40 },
        { CLSORT_F16, 0, CLSORT_NAN_LAST, CLSORT_ZERO_EQUAL, LATER_KEYS_OUT, 0, 7, 40 },
        { CLSORT_F32, 0, CLSORT_NAN_EQUAL, CLSORT_ZERO_EQUAL,
          LATER_KEYS_OUT | LATER_VALUES_OUT, 12, 7, 10 },
        { CLSORT_U8, 0, 0, 0, LATER_KEYS_OUT | LATER_INDICES, 0, 100, 20 },
        { CLSORT_I64, CLSORT_DESCENDING, 0, 0, LATER_VALUES_OUT, 4, 0, 3000 },
        { CLSORT_U16, 0, 0, 0, LATER_INDICES | LATER_VALUES_OUT, 3, 2, 1 },
        { CLSORT_F64, 0, 0, CLSORT_ZERO_EQUAL, LATER_KEYS_OUT, 0, 1, 5000 }
    };
    size_t i;
    for (i = 0; i < (b->few_programs ? 1u : sizeof all / sizeof *all); i++) {
        clsort_desc d = some_keys(all[i].k < 1000 ? 1000 : 9000, all[i].type, all[i].value_size);
        clsort_sorter *s;
        if (!test_takes(b, 3)) continue;
        s = fresh_sorter(b, 0);
        AT("kind %u", (unsigned)i);
        d.order = all[i].order;
        d.nan_order = all[i].nans;
        d.zero_order = all[i].zeros;
        later(&d, all[i].later);
        d.rows = all[i].rows;
        d.top_k = all[i].k;
        CHECK_OK(measure(b, s, d, 1u << 30));
        CHECK_STATUS(measure(b, s, d, 1), CLSORT_ERROR_OUT_OF_TIME);
        clsort_destroy(s);
    }
}

/* All ways to select, where a measured row takes them. Returns how many cases each had. */
static void select_by_all_ways(const bench *b, int met[CLSORT__WAYS])
{
    static const struct { size_t rows, count, k; cl_uint type; } shapes[] = {
        { 1, 170, 40, CLSORT_F32 },  { 3, 700, 100, CLSORT_U32 }, { 1, 9000, 1000, CLSORT_U64 },
        { 1, 6000, 40, CLSORT_F32 }, { 9, 3000, 70, CLSORT_I16 }, { 2, 33000, 500, CLSORT_U32 },
        { 40, 300, 20, CLSORT_F32 }, { 1, 5000, 5, CLSORT_F64 }
    };
    size_t i;
    int way;
    for (i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (way = 0; way < (int)CLSORT__WAYS; way++) {
            const clsort__policy *const own = b->sorter->policy;
            clsort__policy form = *own;
            top_case c = top_make(shapes[i].type, shapes[i].rows, shapes[i].count, shapes[i].k);
            clsort__plan p;
            c.pattern = i % 2 ? "mod-256" : "uniform";
            c.scratch = 1;
            c.d.keys_out = c.d.indices = CLSORT_LATER;
            form.way = 1 + (cl_uint)way;
            b->sorter->policy = &form;
            clsort__plan_selection(&b->sorter->facts, b->sorter->policy, &c.d, &p);
            later_none(&c.d);
            if (p.select.how == way) {
                met[way]++;
                top_run(b, &c);
            }
            b->sorter->policy = own;
            if (test_now.faults) return;
        }
}

static void all_ways_to_select(bench *b)
{
    clsort_sorter *gpus[PRETENDED_GPUS] = { NULL };
    int met[CLSORT__WAYS] = { 0 }, way;
    bench other = *b;
    select_by_all_ways(b, met);
    if (test_is_cpu(b) && CHECK(pretending_gpus(b, gpus))) {
        other.sorter = gpus[OTHER_VENDOR];
        select_by_all_ways(&other, met);
    }
    for (way = 0; way < PRETENDED_GPUS; way++) clsort_destroy(gpus[way]);
    more_options = NULL;
    memset(&pretended, 0, sizeof pretended);
    for (way = 0; way < (int)CLSORT__WAYS; way++)
        printf("%s: %d\n", clsort__ways[way].name, met[way]);
    CHECK(met[CLSORT__BY_DIGITS] > 2 && met[CLSORT__BY_SORTING] > 2);
    if (!test_is_cpu(b)) return;
    CHECK(met[CLSORT__BY_DIGITS] > 3 && met[CLSORT__BY_SORTING] > 3);
    CHECK(met[CLSORT__BY_STREAMS] > 5 && met[CLSORT__BY_REGISTERS] > 1
          && met[CLSORT__BY_TILES] > 3);
}

/* Once kernels are built, a call ends within its time and 20 %, and a schedule's grain. */
static void keeps_its_time(bench *b)
{
    clsort_sorter *s = fresh_sorter(b, 0);
    const clsort_desc d = some_keys(1 << 12, CLSORT_U32, 0);
    double start, whole, part;
    cl_uint most;
    CHECK_OK(measure(b, s, d, 1u << 30));
    start = wall_ms();
    CHECK_OK(measure(b, s, d, 1u << 30));
    whole = wall_ms() - start;
    most = (cl_uint)(whole / 4) + 1;
    start = wall_ms();
    CHECK_STATUS(measure(b, s, d, most), CLSORT_ERROR_OUT_OF_TIME);
    part = wall_ms() - start;
    printf("%.0f ms; with max_ms %u %.0f ms\n", whole, (unsigned)most, part);
    CHECK(part < 1.2 * most + 50);
    clsort_destroy(s);
}

static const test_entry tests[] = {
    { "a measurement keeps its time", keeps_its_time },
    TEST_REST,
    { "sorts are right by what was measured", sorts_by_what_was_measured },
    { "selections are right by what was measured", selections_by_what_was_measured },
    { "selections of all kinds can be measured", selections_of_all_kinds },
    { "every way to select that a choice may take is right", all_ways_to_select }
};

TEST_MAIN(tests)
