/* AUTO that measures, on devices: sorts are right and stable by what was measured, the bytes of
   bare keys and stable sorts stay the same, and the time is kept. */

#define CLSORT_IMPLEMENTATION
#include "cases.h"

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
    { "sorts are right by what was measured", sorts_by_what_was_measured },
    { "a measurement keeps its time", keeps_its_time }
};

TEST_MAIN(tests)
