/* Every combination of tuning values sorts, with scratch memory of exactly the documented size, or
   is refused. */

#define CLSORT_IMPLEMENTATION
#include "cases.h"
#include "names.h"

typedef struct tally { int sorted, refused; } tally;

/* Sorts some of the descriptions that can be sorted. */
static int sort_or_refuse(const bench *b, sort_case c, tally *t)
{
    clsort_desc d = c.d;
    clsort_status status;
    later(&d, case_roles(&c));
    status = clsort_check(b->sorter, &d);
    case_say(&c);
    t->sorted += status == CL_SUCCESS;
    t->refused += status == CLSORT_ERROR_UNSUPPORTED;
    if (status == CLSORT_ERROR_UNSUPPORTED) return 1;
    if (!CHECK_OK(status)) return 0;
    if (!test_takes(b, 3)) return 1;
    if (clsort__local_choice(&d.tuning) == CLSORT__LOCAL_ONLY)
        c.block = case_block_length(b, &c);
    return case_run(b, &c);
}

/* Bare keys in one shape by every name, which some of them refuse; a batch has rows. */
static int sort_by_names(const bench *b, cl_uint work_group, cl_uint items, tally *t)
{
    char name[2 * CLSORT__NAME_BYTES];
    cl_uint i;
    for (i = 0; names_take(i, name); i++) {
        sort_case c = case_make(CLSORT_U32, 700, "uniform");
        if (!*name || !strncmp(name, "quicksort", 9)) continue;   /* compiling it takes long */
        c.own_scratch = 1;
        CHECK_OK(clsort_set_algorithm(&c.d, name));
        c.d.tuning.work_group = work_group;
        c.d.tuning.items = items;
        if (clsort__is_batch(&c.d)) c.d.rows = 3, c.d.count = 233;
        if (!sort_or_refuse(b, c, t)) return 0;
    }
    return 1;
}

static void every_shape(bench *b)
{
    static const cl_uint items[] = { 0, 1, 64, 512 };
    tally t = { 0, 0 };
    size_t i;
    for (i = 0; i < 4; i++)
        if (!sort_by_names(b, items[i] % 2 ? 32 : 0, items[i], &t)) return;
    CHECK(t.sorted > 64 && t.refused > 32);
    printf("%d sorted, %d refused\n", t.sorted, t.refused);
}

/* AUTO sorts with any number of items, or refuses it. */
static void every_value_with_auto(bench *b)
{
    tally t = { 0, 0 };
    cl_uint items;
    for (items = 0; items <= 512; items = items ? 8 * items : 8) {
        sort_case c = case_make(CLSORT_U32, 700, "mod-256");
        c.own_scratch = 1;
        c.d.tuning.items = items;
        if (!sort_or_refuse(b, c, &t)) return;
        c.d.value_size = 4;
        if (!sort_or_refuse(b, c, &t)) return;
    }
    CHECK(t.sorted >= 4);
}

/* Rows, segments and a count on the device, in place and out of it. */
static void parts_in_every_shape(bench *b)
{
    static const uint32_t offsets[] = { 0, 3, 300, 300, 700 };
    tally t = { 0, 0 };
    static const char *const names[] = { "auto", "merge", "merge-local-only" };
    cl_uint items;
    size_t kind, n;
    for (items = 0; items <= 512; items = items ? 8 * items : 8)
        for (n = 0; n < 3; n++)
            for (kind = 0; kind < 4; kind++) {
                sort_case c = case_make(CLSORT_U32, 700, "mod-256");
                c.own_scratch = kind < 2;
                CHECK_OK(clsort_set_algorithm(&c.d, names[n]));
                c.d.tuning.items = items;
                c.d.value_size = 4;
                if (kind == 0) c.d.rows = 2, c.d.count = 350;
                if (kind == 1) c.d.rows = 7, c.d.count = 100;
                if (kind == 2) c.offsets = offsets, c.d.segment_count = 4;
                if (kind == 3) c.counted = 1, c.there = 650;
                if (!sort_or_refuse(b, c, &t)) return;
            }
    CHECK(t.sorted > 10 && t.refused > 10);
}

/* Equal keys of one row keep their order, as those of several rows do, by every algorithm. */
static void one_row(bench *b)
{
    static const size_t counts[] = { 2, 100, 5000 };
    size_t i, k;
    cl_uint a;
    for (a = CLSORT_AUTO; a <= CLSORT_QUICKSORT; a++)
        for (i = 0; i < (b->few_programs ? 2u : 3u); i++)
            for (k = 0; k < 3; k++) {
                sort_case c = case_make(CLSORT_U32, counts[i], "mod-2");
                if (a == CLSORT_QUICKSORT && b->few_programs)
                    continue; /* compiling it takes long */
                c.d.algorithm = a;
                c.d.rows = 1;
                c.d.value_size = k == 1 ? 4 : 0;
                c.d.record_size = k == 2 ? 8 : 0;
                c.d.key_offset = k == 2 ? 4 : 0;
                c.indices = k == 0;
                c.own_scratch = 1;
                if (!case_run(b, &c)) return;
            }
}

static const test_entry tests[] = {
    { "AUTO sorts with the tuning of any algorithm, or refuses it", every_value_with_auto },
    { "parts are sorted with every tuning, or refused", parts_in_every_shape },
    { "one row is sorted as stably as several", one_row },
    TEST_REST,
    { "every step, use of local memory and number of items sorts, or is refused", every_shape }
};

TEST_MAIN(tests)
