/* The cache of built programs on a real device: what is loaded sorts, and damaged entries are built
 * again without a crash. */

static void note_call(const char *function);
#define CLSORT_CL(function) (note_call(#function), function)
#define CLSORT_IMPLEMENTATION
#include "caching.h"

static int compiled, loaded;

static void note_call(const char *function)
{
    compiled += !strcmp(function, "clCreateProgramWithSource");
    loaded += !strcmp(function, "clCreateProgramWithBinary");
}

enum { KEYS = 3000 };

/* A start of a program: a sorter, prepare, a sort, a look at the result. */
static void run_start(const bench *b, store *s, cl_uint algorithm)
{
    static cl_uint keys[KEYS];
    clsort_options o = clsort_options_default();
    clsort_desc d = clsort_desc_default();
    clsort_sorter *sorter = NULL;
    cl_uint i;
    int good = 1;
    for (i = 0; i < KEYS; i++) keys[i] = i * 2654435761u;
    o.cache_load = load;
    o.cache_save = save;
    o.cache_user = s;
    d.count = KEYS;
    d.key_type = CLSORT_U32;
    d.algorithm = algorithm;
    if (!CHECK_OK(clsort_create(b->session.context, b->session.info.id, &o, &sorter))) return;
    CHECK_OK(clsort_prepare(sorter, NULL, &d));
    CHECK_OK(clsort_sort_host(sorter, &d, keys, NULL, NULL));
    for (i = 1; i < KEYS; i++) good &= keys[i - 1] <= keys[i];
    CHECK(good && !clsort_last_error(sorter)[0]);
    clsort_destroy(sorter);
}

static void loads_what_was_saved(bench *b)
{
    static const cl_uint algorithms[] = { CLSORT_AUTO, CLSORT_BITONIC, CLSORT_MERGE, CLSORT_RADIX };
    size_t i;
    for (i = 0; i < 4; i++) {
        store s = { 0 };
        double start = test_seconds(), first;
        AT("algorithm %u", (unsigned)algorithms[i]);
        run_start(b, &s, algorithms[i]);
        first = test_seconds() - start;
        compiled = loaded = 0;
        start = test_seconds();
        run_start(b, &s, algorithms[i]);
        printf("algorithm %u: %d programs; the first start takes %.3f s, the second one %.3f\n",
               (unsigned)algorithms[i], s.count, first, test_seconds() - start);
        CHECK(!s.count || (!compiled && loaded == s.count));
        empty_store(&s);
    }
}

static void survives_damage(bench *b)
{
    store s = { 0 }, other = { 0 };
    uint64_t random = test_seed();
    int i, count = b->small ? 50 : test_draws(b) ? 80 : 250;
    run_start(b, &s, CLSORT_BITONIC);
    run_start(b, &other, CLSORT_RADIX);
    for (i = 0; s.count && i < count; i++) {
        entry *const e = &s.entries[i % s.count];
        const size_t size = e->size;
        damage(e, &other.entries[0], &other.entries[other.count - 1], &random);
        AT("entry %d of %zu bytes, now %zu", i, size, e->size);
        compiled = loaded = 0;
        run_start(b, &s, CLSORT_BITONIC);
        CHECK(compiled == 1 && loaded == s.count - 1 && e->size > sizeof(clsort__entry));
    }
    printf("%d damaged entries\n", i);
    empty_store(&s);
    empty_store(&other);
}

static const test_entry tests[] = {
    { "a second start loads what the first one saved", loads_what_was_saved },
    TEST_REST,
    { "damaged entries are built again", survives_damage }
};

TEST_MAIN(tests)
