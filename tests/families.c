/* What CLSORT_NO_RADIX and CLSORT_NO_PUBLISHED leave out is gone from the names, from AUTO and
   from the text of the kernels, and the rest still sorts. tests/scripts/header builds this program
   with each of the macros. On the driver of mock.h, which runs no kernels. */

#include "mock.h"

#define CLSORT_IMPLEMENTATION
#include "harness.h"

#ifdef CLSORT_NO_RADIX
enum { RADIX = 0 };
#else
enum { RADIX = 1 };
#endif
#ifdef CLSORT_NO_PUBLISHED
enum { PUBLISHED = 0 };
#else
enum { PUBLISHED = 1 };
#endif
enum { QUICKSORT = PUBLISHED && RADIX };

/* Every name that any build has, in order, and a kernel that only these names need, or "". */
static const struct { const char *name; int there; const char *kernel; } names[] = {
    { "auto", 1, "" },
    { "bitonic", 1, "clsort_bitonic_tile" },
    { "bitonic-a", PUBLISHED, "clsort_bitonic_a(" },
    { "bitonic-b2", PUBLISHED, "clsort_bitonic_b2" },
    { "bitonic-b4", PUBLISHED, "clsort_bitonic_b4" },
    { "bitonic-b8", PUBLISHED, "clsort_bitonic_b8" },
    { "bitonic-b16", PUBLISHED, "" },
    { "bitonic-a-local", PUBLISHED, "" },
    { "bitonic-b2-local", PUBLISHED, "" },
    { "bitonic-b4-local", PUBLISHED, "" },
    { "bitonic-b8-local", PUBLISHED, "" },
    { "bitonic-b16-local", PUBLISHED, "" },
    { "bitonic-b16-global-tail", PUBLISHED, "clsort_bitonic_global_tile" },
    { "bitonic-shared-512", PUBLISHED, "" },
    { "merge", 1, "clsort_merge_pass" },
    { "radix", RADIX, "clsort_radix_sweep" },
    { "radix-portable", RADIX, "clsort_radix_scatter" },
    { "radix-sweeps", RADIX, "" },
    { "radix-hybrid", RADIX, "clsort_hybrid_split" },
    { "radix-samples", RADIX, "clsort_samples_bucket" },
    { "radix-cached", RADIX, "clsort_cached_buckets" },
    { "quicksort", QUICKSORT, "clsort_quick_leaf" },
    { "quicksort-host", QUICKSORT, "" },
    { "quicksort-device", QUICKSORT, "clsort_quick_relauncher" },
    { "bitonic-local-only", PUBLISHED, "" },
    { "merge-local-only", PUBLISHED, "clsort_merge_local" },
    { "batch-odd-even", PUBLISHED, "clsort_batch_odd_even" },
    { "batch-bitonic", PUBLISHED, "clsort_batch_bitonic" },
    { "batch-bitonic-local", PUBLISHED, "clsort_batch_local" },
    { "batch-bitonic-split", PUBLISHED, "clsort_batch_split" }
};
enum { NAMES = sizeof names / sizeof *names };

typedef struct world {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_mem keys, other;
    clsort_sorter *sorter;
} world;

static void open_world(world *w, mock_facts facts)
{
    cl_int error = 0;
    mock_reset(facts);
    counted_reset();
    w->device = (cl_device_id)(void *)&mock_devices[0];
    w->context = mock_clCreateContext(NULL, 1, &w->device, NULL, NULL, &error);
    w->queue = mock_clCreateCommandQueue(w->context, w->device, 0, &error);
    w->keys = mock_clCreateBuffer(w->context, CL_MEM_READ_WRITE, 1 << 20, NULL, &error);
    w->other = mock_clCreateBuffer(w->context, CL_MEM_READ_WRITE, 1 << 20, NULL, &error);
    CHECK_OK(clsort_create(w->context, w->device, NULL, &w->sorter));
}

static void close_world(world *w)
{
    clsort_destroy(w->sorter);
    CHECK(counted_nothing_live());
    mock_clReleaseMemObject(w->keys);
    mock_clReleaseMemObject(w->other);
    mock_clReleaseCommandQueue(w->queue);
    mock_clReleaseContext(w->context);
    CHECK(!mock.faults);
}

static void for_each_device(void (*run)(world *w))
{
    size_t i;
    for (i = 0; i < MOCK_PRESETS; i++) {
        world w;
        open_world(&w, mock_presets[i].facts());
        run(&w);
        close_world(&w);
    }
}

static clsort_desc make_desc(const world *w, size_t count)
{
    clsort_desc d = clsort_desc_default();
    d.count = count;
    d.key_type = CLSORT_U32;
    d.keys = w->keys;
    return d;
}

static clsort_status sort(world *w, const clsort_desc *d)
{
    const clsort_status checked = clsort_check(w->sorter, d);
    CHECK_STATUS(clsort_enqueue_sort(w->sorter, w->queue, d, 0, NULL, NULL), checked);
    return checked;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void list_names(bench *b)
{
    cl_uint i, listed = 0;
    (void)b;
    for (i = 0; i < NAMES; i++) {
        clsort_desc d = clsort_desc_default();
        const char *name = clsort_algorithm_name(listed);
        AT("%s", names[i].name);
        CHECK_STATUS(clsort_set_algorithm(&d, names[i].name),
                     names[i].there ? CL_SUCCESS : CLSORT_ERROR_UNKNOWN_VALUE);
        if (names[i].there) CHECK(name && !strcmp(name, names[i].name));
        listed += names[i].there != 0;
    }
    CHECK(clsort_algorithm_name(listed) == NULL);
}

static void drop_texts(bench *b)
{
    size_t i, k;
    (void)b;
    for (i = 0; i < NAMES; i++) {
        int found = 0;
        if (!*names[i].kernel) continue;
        for (k = 0; k < CLSORT__CHUNKS; k++)
            found |= strstr(clsort__chunks[k].text, names[i].kernel) != NULL;
        AT("%s", names[i].kernel);
        CHECK(found == names[i].there);
    }
}

static void sort_by_each_name(world *w)
{
    cl_uint i;
    for (i = 0; i < NAMES; i++) {
        clsort_desc d = make_desc(w, 3000);
        if (!names[i].there) continue;
        CHECK_OK(clsort_set_algorithm(&d, names[i].name));
        if (!strncmp(names[i].name, "batch", 5)) d.rows = 2;
        AT("%s", names[i].name);
        if (!strcmp(names[i].name, "quicksort-device") && !w->sorter->facts.enqueues) continue;
        CHECK_OK(sort(w, &d));
    }
}

static void sort_by_names(bench *b)
{
    (void)b;
    for_each_device(sort_by_each_name);
}

/* By number. */
static const int there[] = { 1, 1, 1, RADIX, QUICKSORT };

/* An algorithm or a tuning that was left out is refused, and why is said. */
static void ask_for_each(world *w)
{
    clsort_desc d = make_desc(w, 3000);
    for (d.algorithm = 1; d.algorithm <= CLSORT_QUICKSORT; d.algorithm++) {
        AT("algorithm %u", (unsigned)d.algorithm);
        if (there[d.algorithm]) continue;
        CHECK_STATUS(sort(w, &d), CLSORT_ERROR_UNSUPPORTED);
        CHECK(strstr(clsort_last_error(w->sorter), "CLSORT_NO_") != NULL);
    }
    if (PUBLISHED) return;
    CHECK_STATUS(clsort_set_algorithm(&d, "bitonic+start"), CLSORT_ERROR_UNKNOWN_VALUE);
    d.algorithm = CLSORT_BITONIC;
    d.tuning.variant = CLSORT__AS(LOCAL, START);   /* what another build may have set */
    CHECK_STATUS(sort(w, &d), CLSORT_ERROR_UNKNOWN_VALUE);
}

static void refuse_the_rest(bench *b)
{
    (void)b;
    for_each_device(ask_for_each);
}

/* AUTO takes what is there, and refuses what nothing can do that is there. */
static void sort_by_auto(world *w)
{
    size_t count;
    for (count = 10; count < 200000; count = count * 3 + 1) {
        clsort_desc d = make_desc(w, count), rows = d, bits = d, both, stable = d, resolved = d;
        rows.count = count / 10, rows.rows = 10;
        bits.first_bit = 4;
        both = bits, both.stable = 1;
        stable.stable = 1, stable.values = w->other, stable.value_size = 4;
        AT("%zu keys", count);
        CHECK_OK(clsort_resolve(w->sorter, &d, &resolved));
        CHECK(there[resolved.algorithm]);
        CHECK_OK(sort(w, &d));
        CHECK_OK(sort(w, &stable));
        CHECK_OK(sort(w, &bits));
        CHECK_STATUS(sort(w, &both), RADIX ? CL_SUCCESS : CLSORT_ERROR_UNSUPPORTED);
        CHECK_STATUS(sort(w, &rows), RADIX ? CL_SUCCESS : CLSORT_ERROR_UNSUPPORTED);
        CHECK_OK(clsort_enqueue_is_sorted(w->sorter, w->queue, &d, w->other, 0, 0, NULL, NULL));
        CHECK_OK(clsort_enqueue_is_sorted(w->sorter, w->queue, &rows, w->other, 0, 0, NULL, NULL));
    }
}

static void let_auto_choose(bench *b)
{
    (void)b;
    for_each_device(sort_by_auto);
}

/* Kernels that do nothing are found out. */
static void find_fault(world *w)
{
    CHECK_STATUS(clsort_self_test(w->sorter), CLSORT_ERROR_WRONG_RESULT);
}

static void test_oneself(bench *b)
{
    world w;
    (void)b;
    for_each_device(find_fault);
    open_world(&w, mock_gpu());
    mock.sorts = 1;
    CHECK_OK(clsort_self_test(w.sorter));
    close_world(&w);
}

static const test_entry tests[] = {
    { "names are listed of what is there", list_names },
    { "the text has the kernels of what is there", drop_texts },
    { "each name sorts", sort_by_names },
    { "what was left out is refused by its macro's name", refuse_the_rest },
    { "auto takes what is there", let_auto_choose },
    { "the self-test tests what is there", test_oneself }
};

TEST_MAIN_ALONE(tests, "a mock")
