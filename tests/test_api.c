/* Everything about the interface but sorting itself: names, versions, descriptions, sorters, host
   arrays, is_sorted. */

#define CLSORT_IMPLEMENTATION
#include "cases.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- status and version ---------------------------------------------------------------------- */

static const clsort_status all_codes[] = {
#define CODE(name, code, text) name,
    CLSORT_STATUS_LIST(CODE)
#undef CODE
    CL_SUCCESS, CL_OUT_OF_HOST_MEMORY, CL_INVALID_VALUE, CL_MEM_OBJECT_ALLOCATION_FAILURE
};
enum { CODES = sizeof all_codes / sizeof *all_codes };

static void status_texts(bench *b)
{
    size_t i, j;
    (void)b;
    for (i = 0; i < CODES; i++) {
        const char *text = clsort_status_text(all_codes[i]), *name = status_name(all_codes[i]);
        AT("code %d", (int)all_codes[i]);
        CHECK(!strncmp(text, name, strlen(name)) && !strncmp(name, "CL", 2));
        CHECK(!strchr(text, '\n'));
        if (i < CODES - 4) CHECK(!strncmp(text + strlen(name), ": ", 2));
        if (i < CODES - 4) CHECK(all_codes[i] <= -5000 && all_codes[i] > -5099);
        for (j = 0; j < i; j++)
            CHECK(all_codes[i] != all_codes[j] && strcmp(text, clsort_status_text(all_codes[j])));
    }
    CHECK(clsort_status_text(-5098) && clsort_status_text(12345) && clsort_status_text(-99999));
    CHECK(!strcmp(clsort_status_text(CL_SUCCESS), "CL_SUCCESS"));
    CHECK(!strcmp(clsort_status_text(CL_INVALID_GLOBAL_OFFSET), "CL_INVALID_GLOBAL_OFFSET"));
}

static void version_number(bench *b)
{
    (void)b;
    CHECK(clsort_version()
          == CLSORT_VERSION_MAJOR * 10000 + CLSORT_VERSION_MINOR * 100 + CLSORT_VERSION_PATCH);
}

/* A default struct has its size, and zeros. Padding at its end would lie inside the size that a
   program states, and a field that a later version puts into it would hold noise. */
#define IS_DEFAULT(type, first) \
    { \
        const clsort_##type made = clsort_##type##_default(); \
        clsort_##type wanted; \
        AT("%s", #type); \
        memset(&wanted, 0, sizeof wanted); \
        wanted.struct_size = sizeof wanted; \
        CHECK(!memcmp(&made, &wanted, sizeof made) && sizeof made == CLSORT__FIRST_##first); \
    }

static void default_structs(bench *b)
{
    (void)b;
    IS_DEFAULT(desc, DESC)
    IS_DEFAULT(options, OPTIONS)
    IS_DEFAULT(gather_desc, GATHER)
    IS_DEFAULT(groups_desc, GROUPS)
    IS_DEFAULT(merge_desc, MERGE)
    IS_DEFAULT(merge_runs_desc, MERGE_RUNS)
    IS_DEFAULT(partition_desc, PARTITION)
}

/* ---- names ----------------------------------------------------------------------------------- */

/* How many kernels of the embedded text follow `prefix`; each must be in CLSORT__KERNEL_LIST. */
static size_t count_kernels(const char *prefix)
{
    size_t i, k, found = 0;
    for (i = 0; i < CLSORT__CHUNKS; i++) {
        const char *at = clsort__chunks[i].text;
        while ((at = strstr(at, prefix)) != NULL) {
            const size_t length = strcspn(at += strlen(prefix) - strlen("clsort_"), "(,)");
            for (k = 0; k < CLSORT__KERNEL_COUNT; k++)
                if (!strncmp(clsort__kernel_entries[k].name, at, length)
                    && !clsort__kernel_entries[k].name[length])
                    break;
            AT("%.*s", (int)length, at);
            CHECK(k < CLSORT__KERNEL_COUNT);
            found++;
        }
    }
    return found;
}

static void kernels_are_listed(bench *b)
{
    CHECK(count_kernels("KERNEL void clsort_") > 40);
    CHECK(count_kernels("KERNEL(clsort_") == 8);
    (void)b;
}

static int sorts(cl_uint family)
{
    size_t k;
    for (k = 0; k < sizeof clsort__sort_runs / sizeof *clsort__sort_runs; k++)
        if (clsort__sort_runs[k].family == family) return clsort__sort_runs[k].run != NULL;
    return 0;
}

/* A new algorithm that nobody can choose by its name, or that AUTO and the self-test never see, was
   forgotten somewhere. */
static void algorithms_are_complete(bench *b)
{
    cl_uint i, numbered = 0;
    size_t k;
    for (i = 1; clsort__is_public(i); i++) {
        clsort_desc d = clsort_desc_default();
        const char *name = clsort__family_name(i);
        CHECK(clsort_set_algorithm(&d, name) == CL_SUCCESS && d.algorithm == i);
    }
    for (k = 0; k < sizeof clsort__algorithms / sizeof *clsort__algorithms; k++) {
        const clsort__algorithm *a = &clsort__algorithms[k];
        numbered += a->number == a->base;
        CHECK(a->configure && clsort__is_public(a->base) && *clsort__family_name(a->number));
        CHECK(sorts(a->number));
    }
    for (k = 0; k < CLSORT__RADIX_FORMS; k++) CHECK(sorts(clsort__radix_forms[k].family));
    for (k = 0; k < CLSORT__KERNEL_COUNT; k++)
        CHECK(*clsort__family_name(clsort__kernel_entries[k].family) != 0);
    CHECK(numbered == i - 1);   /* numbers have no gaps */
    (void)b;
}

static void algorithm_names(bench *b)
{
    cl_uint i, count = 0, partial = 0;
    for (i = 0; clsort_algorithm_name(i); i++, count++) {
        clsort_desc d = clsort_desc_default(), resolved = d;
        const char *name = clsort_algorithm_name(i), *end = strstr(name, "only");
        AT("%s", name);
        d.key_type = CLSORT_U32;
        CHECK_OK(clsort_set_algorithm(&d, name));
        d.rows = !strncmp(name, "batch", 5);
        if (d.rows) partial = 0;
        resolved = d;
        if (clsort_check(b->sorter, &d) == CLSORT_ERROR_UNSUPPORTED)
            CHECK(!strcmp(name, "quicksort-device"));
        else CHECK_OK(clsort_resolve(b->sorter, &d, &resolved));
        if (d.rows) CHECK(resolved.algorithm == CLSORT_BITONIC);
        else if (!strncmp(name, "bitonic", 7)) CHECK(resolved.algorithm != CLSORT_AUTO);
        else if (!strncmp(name, "merge", 5)) CHECK(resolved.algorithm == CLSORT_MERGE);
        else if (!strncmp(name, "radix", 5)) CHECK(resolved.algorithm == CLSORT_RADIX);
        else if (!strncmp(name, "quicksort", 9)) CHECK(resolved.algorithm == CLSORT_QUICKSORT);
        else CHECK(!strcmp(name, "auto") && resolved.algorithm != CLSORT_AUTO);
        if (end && !end[4]) partial = 1;
        else CHECK(!partial);
    }
    CHECK(count > 0 && !clsort_algorithm_name(count) && !clsort_algorithm_name(count + 1)
          && !clsort_algorithm_name(~0u));
    CHECK(!strcmp(clsort_algorithm_name(0), "auto"));
}

static void documented_names(bench *b)
{
    static const char *const names[] = {
        "auto", "bitonic", "bitonic-a", "bitonic-b2", "bitonic-b4", "bitonic-b8", "bitonic-b16",
        "bitonic-a-local", "bitonic-b2-local", "bitonic-b4-local", "bitonic-b8-local",
        "bitonic-b16-local", "bitonic-b16-global-tail", "bitonic-shared-512", "bitonic-local-only",
        "merge", "merge-local-only"
    };
    size_t i, k;
    (void)b;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        const char *name;
        AT("%s", names[i]);
        for (k = 0; (name = clsort_algorithm_name((cl_uint)k)) && strcmp(name, names[i]); k++)
            continue;
        CHECK(name != NULL);
    }
}

static void select_keeps_the_rest(bench *b)
{
    static const char *const wrong[] = {
        "", "+start", "bitonic-b5", "bitonic-b", "bitonic-b4 ", "bitonic+", "bitonic+start+",
        "bitonic+star", "bitonic+startt", "bitonic+start+start", "bitonic+start+global",
        "bitonic+median3", "radix+start", "quicksort+median3+sample", "quicksort+global", "+median3"
    };
    clsort_desc d = clsort_desc_default(), before;
    size_t i;
    (void)b;
    d.count = 7;
    d.order = CLSORT_DESCENDING;
    d.tuning.work_group = 64;
    d.tuning.items = 8;
    CHECK_OK(clsort_set_algorithm(&d, "bitonic-b4"));
    CHECK(d.count == 7 && d.order == CLSORT_DESCENDING && d.tuning.work_group == 64
          && d.tuning.items == 8);
    CHECK(d.algorithm == CLSORT_BITONIC);
    before = d;
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        AT("%s", wrong[i]);
        CHECK_STATUS(clsort_set_algorithm(&d, wrong[i]), CLSORT_ERROR_UNKNOWN_VALUE);
        CHECK(!memcmp(&before, &d, sizeof d));
    }
    CHECK_OK(clsort_set_algorithm(&d, "bitonic-shared-512"));
    CHECK(d.tuning.work_group == 256 && d.tuning.items == 2);
    CHECK_OK(clsort_set_algorithm(&d, "auto"));
    CHECK(d.algorithm == CLSORT_AUTO && d.tuning.variant == 0 && d.tuning.work_group == 256);
}

/* All names, alone and with each pair of suffixes of their algorithm: a variant is told apart from
   all others, and its own name is found, the shortest of those that mean it. */
static void find_names(bench *b)
{
    const struct clsort__suffix *x, *y;
    cl_uint i;
    (void)b;
    for (i = 0; clsort_algorithm_name(i); i++)
        for (x = clsort__suffixes; x->word; x++)
            for (y = x; y->word; y++) {
                const int same = x == y;
                clsort_desc d = clsort_desc_default(), again = d;
                char name[100], found[CLSORT__NAME_BYTES];
                snprintf(name, sizeof name, "%s%s%s", clsort_algorithm_name(i), x->word,
                         same ? "" : y->word);
                AT("%s", name);
                if (clsort_set_algorithm(&d, name) != CL_SUCCESS) {
                    CHECK(clsort__presets[i].algorithm != x->algorithm
                          || x->algorithm != y->algorithm || (!same && x->at == y->at));
                    continue;
                }
                CHECK(clsort__find_name(&d, found) && strlen(found) <= strlen(name));
                again.tuning = d.tuning;
                again.tuning.variant = 0;
                CHECK_OK(clsort_set_algorithm(&again, found));
                CHECK(!memcmp(&again, &d, sizeof d));
                again.algorithm = d.algorithm % 4 + 1;
                CHECK(!clsort__find_name(&again, found) || again.tuning.variant == 0
                      || again.tuning.variant == CLSORT__AS(LOCAL, ONLY));
            }
}

/* What 0.3 had in the same place, and all that no name means. */
static void refuse_other_words(bench *b)
{
    cl_uint a, bit, value;
    for (a = 0; a <= CLSORT_QUICKSORT; a++)
        for (bit = 0; bit < 32; bit += bit < 8 ? 1 : 4)
            for (value = bit < 8 ? 1 : 6; value < (bit < 8 ? 2u : 16u); value++) {
                clsort_desc d = clsort_desc_default();
                d.count = 10;
                d.key_type = CLSORT_U32;
                d.rows = 2;
                d.algorithm = a;
                d.tuning.variant = value << bit;
                if (bit == CLSORT__AT_LOCAL && value <= CLSORT__LOCAL_BATCH_SPLIT) continue;
                AT("algorithm %u, variant %x", (unsigned)a, (unsigned)d.tuning.variant);
                CHECK_STATUS(clsort_check(b->sorter, &d), CLSORT_ERROR_UNKNOWN_VALUE);
                CHECK(strstr(clsort_last_error(b->sorter), "clsort_set_algorithm") != NULL);
            }
}

static void resolve_fills_in_defaults(bench *b)
{
    clsort_desc d = clsort_desc_default(), resolved = d, again = d;
    d.key_type = CLSORT_F16;
    d.count = 1000;
    CHECK_OK(clsort_resolve(b->sorter, &d, &resolved));
    CHECK(resolved.algorithm != CLSORT_AUTO);
    CHECK(resolved.tuning.work_group > 0 && resolved.tuning.items > 0 && resolved.last_bit == 16
          && resolved.record_size == 0);
    CHECK(resolved.count == 1000 && resolved.key_type == CLSORT_F16);
    CHECK_OK(clsort_resolve(b->sorter, &resolved, &again));
    CHECK(!memcmp(&resolved, &again, sizeof again));
    again.keys = NULL;
    CHECK_OK(clsort_check(b->sorter, &again));
}

/* ---- sorters --------------------------------------------------------------------------------- */

/* Sorts 0 ... n-1 in reverse through host arrays. */
static int sorts_host(clsort_sorter *s, cl_uint n)
{
    cl_uint keys[200], i;
    clsort_desc d = clsort_desc_default();
    d.count = n;
    d.key_type = CLSORT_U32;
    for (i = 0; i < n; i++) keys[i] = n - 1 - i;
    if (!CHECK_OK(clsort_sort_host(s, &d, keys, NULL, NULL))) return 0;
    for (i = 0; i < n; i++)
        if (!CHECK(keys[i] == i)) return 0;
    return 1;
}

static clsort_sorter *new_sorter(const bench *b)
{
    clsort_sorter *s = NULL;
    CHECK_OK(clsort_create(b->session.context, b->session.info.id, NULL, &s));
    return s;
}

static void create_and_destroy(bench *b)
{
    clsort_sorter *s = new_sorter(b);
    CHECK(clsort_context(s) == b->session.context && clsort_device(s) == b->session.info.id);
    CHECK(!clsort_last_error(s)[0] && !clsort_build_log(s)[0]);
    CHECK(!strcmp(clsort_last_error(NULL), "") && !strcmp(clsort_build_log(NULL), ""));
    CHECK(!clsort_context(NULL) && !clsort_device(NULL));
    clsort_destroy(s);
    clsort_destroy(NULL);
}

static void own_context(bench *b)
{
    clsort_sorter *s = NULL;
    (void)b;
    if (!CHECK_OK(clsort_create(NULL, NULL, NULL, &s))) return;
    CHECK(clsort_context(s) != NULL && clsort_device(s) != NULL);
    clsort_destroy(s);
}

static void clones_outlive_their_original(bench *b)
{
    clsort_sorter *s = new_sorter(b), *clone = NULL, *second = NULL;
    sorts_host(s, 100);
    CHECK_OK(clsort_clone(s, &clone));
    CHECK(clsort_context(clone) == b->session.context
          && clsort_device(clone) == b->session.info.id);
    sorts_host(clone, 150);
    clsort_destroy(s);
    sorts_host(clone, 200);
    CHECK_OK(clsort_clone(clone, &second));
    clsort_destroy(clone);
    sorts_host(second, 77);
    clsort_destroy(second);
}

/* A clone knows the programs of its original, so NO_BUILD is satisfied; a sorter that built nothing
   is not. */
static void no_build(bench *b)
{
    clsort_sorter *s = new_sorter(b), *clone = NULL;
    clsort_desc d = clsort_desc_default();
    cl_uint keys[6] = { 2, 0, 1 };   /* also three cl_ulong */
    d.count = 3;
    d.key_type = CLSORT_U32;
    d.flags = CLSORT_FLAG_NO_BUILD;
    CHECK_STATUS(clsort_sort_host(s, &d, keys, NULL, NULL), CLSORT_ERROR_NOT_READY);
    CHECK(keys[0] == 2 && keys[1] == 0 && keys[2] == 1);
    CHECK_OK(clsort_prepare(s, NULL, &d));
    CHECK_OK(clsort_sort_host(s, &d, keys, NULL, NULL));
    CHECK(keys[0] == 0 && keys[1] == 1 && keys[2] == 2);
    CHECK_OK(clsort_clone(s, &clone));
    CHECK_OK(clsort_sort_host(clone, &d, keys, NULL, NULL));
    d.key_type = CLSORT_U64;
    CHECK_STATUS(clsort_sort_host(clone, &d, keys, NULL, NULL), CLSORT_ERROR_NOT_READY);
    clsort_destroy(s);
    clsort_destroy(clone);
}

/* Pairs of keys and values, and of keys and indices, are sorted by one program; indices need one
   more to be made. */
static void no_build_for_indices(bench *b)
{
    clsort_sorter *s = new_sorter(b);
    clsort_desc d = clsort_desc_default();
    cl_uint keys[3] = { 2, 0, 1 }, values[3] = { 0, 1, 2 }, indices[3] = { 7, 7, 7 };
    d.count = 3;
    d.key_type = CLSORT_U32;
    d.algorithm = CLSORT_RADIX;
    d.value_size = 4;
    CHECK_OK(clsort_sort_host(s, &d, keys, values, NULL));
    keys[0] = 2, keys[1] = 0, keys[2] = 1;
    d.value_size = 0;
    d.flags = CLSORT_FLAG_NO_BUILD;
    CHECK_STATUS(clsort_sort_host(s, &d, keys, NULL, indices), CLSORT_ERROR_NOT_READY);
    d.indices = CLSORT_LATER;
    CHECK_OK(clsort_prepare(s, NULL, &d));
    d.indices = NULL;
    CHECK_OK(clsort_sort_host(s, &d, keys, NULL, indices));
    CHECK(indices[0] == 1 && indices[1] == 2 && indices[2] == 0);
    clsort_destroy(s);
}

static void trim_between_sorts(bench *b)
{
    sort_case c = case_make(CLSORT_U32, 500, "mod-16");
    c.d.value_size = 12;
    c.d.stable = 1;
    CHECK(case_run(b, &c));
    CHECK_OK(clsort_trim(b->sorter));
    CHECK_OK(clsort_trim(b->sorter));
    c.d.count = 900;
    CHECK(case_run(b, &c));
}

/* ---- diagnostics ----------------------------------------------------------------------------- */

typedef struct diary {
    int calls;
    clsort_status status;
    char function[64], message[512];
} diary;

static void write_diary(void *user, clsort_status status, const char *function, const char *message)
{
    diary *d = (diary *)user;
    d->calls++;
    d->status = status;
    snprintf(d->function, sizeof d->function, "%s", function);
    snprintf(d->message, sizeof d->message, "%s", message);
}

static void diagnostics(bench *b)
{
    clsort_options options = clsort_options_default();
    clsort_sorter *s = NULL, *clone = NULL;
    clsort_desc d = clsort_desc_default();
    diary book;
    memset(&book, 0, sizeof book);
    options.diagnostic = write_diary;
    options.user = &book;
    options.flags = 8;
    CHECK_STATUS(clsort_create(b->session.context, b->session.info.id, &options, &s),
                 CLSORT_ERROR_UNKNOWN_FLAG);
    CHECK(s == NULL && book.calls == 1 && book.status == CLSORT_ERROR_UNKNOWN_FLAG
          && !strcmp(book.function, "clsort_create"));
    CHECK(strstr(book.message, "CLSORT_ERROR_UNKNOWN_FLAG") != NULL);
    options.flags = 0;
    if (!CHECK_OK(clsort_create(b->session.context, b->session.info.id, &options, &s))) return;
    CHECK(book.calls == 1);
    CHECK_STATUS(clsort_enqueue_sort(s, b->session.queue, &d, 0, NULL, NULL),
                 CLSORT_ERROR_KEY_TYPE);
    CHECK(book.calls == 2 && book.status == CLSORT_ERROR_KEY_TYPE
          && !strcmp(book.function, "clsort_enqueue_sort"));
    CHECK(!strcmp(book.message, clsort_last_error(s)) && !strchr(book.message, '\n'));
    CHECK_OK(clsort_clone(s, &clone));
    CHECK_STATUS(clsort_check(clone, &d), CLSORT_ERROR_KEY_TYPE);
    CHECK(book.calls == 3 && !strcmp(book.function, "clsort_check"));
    clsort_destroy(clone);
    clsort_destroy(s);
}

/* ---- host arrays ----------------------------------------------------------------------------- */

enum { HOST_MOST = 700, HOST_ROWS = 3, HOST_GUARD = 64 };

/* A host array with a guard before it and behind it, at any address. */
typedef struct host_array {
    unsigned char before[HOST_MOST * 16 + 2 * HOST_GUARD + 16],
        after[HOST_MOST * 16 + 2 * HOST_GUARD + 16];
    size_t at, size;
} host_array;

static void fill_noise(unsigned char *data, size_t bytes, uint64_t seed);

static void *host_place(host_array *a, size_t shift, size_t size, uint64_t seed)
{
    const size_t address = (size_t)(const char *)a->after,
                 line = (address + 63) / 64 * 64 - address;
    a->at = line + shift;
    a->size = size;
    fill_noise(a->before, sizeof a->before, seed);
    memcpy(a->after, a->before, sizeof a->after);
    return size ? a->after + a->at : NULL;
}

/* Puts in place what a row must be; the rest stays. */
static void host_expect(host_array *a, const host_array *from, size_t row, size_t apart, size_t n,
                        const cl_uint *order)
{
    size_t i;
    for (i = 0; i < n && a->size; i++)
        memcpy(a->before + a->at + (row * apart + i) * a->size,
               from->after + from->at + (row * apart + order[i]) * a->size, a->size);
}

/* Sorts host arrays that begin `shift` bytes behind a multiple of 64; records: the key is their
   first member. */
static void sort_host_at(bench *b, const clsort_desc *desc, size_t shift, int argsort)
{
    static host_array keys, values, indices, expected[2];
    static cl_ulong codes[HOST_MOST];
    static cl_uint order[HOST_MOST];
    clsort_desc d = *desc;
    const size_t key = d.key_type == CLSORT_U64 ? 8 : 4, rows = d.rows ? d.rows : 1,
                 element = d.record_size ? d.record_size : key,
                 apart = d.row_stride ? d.row_stride / element : d.count;
    size_t row, i;
    unsigned char *const k = (unsigned char *)host_place(&keys, shift, element, 7 + shift),
                        *v = (unsigned char *)host_place(&values, shift, d.value_size, 8 + shift);
    cl_uint *const x = (cl_uint *)host_place(&indices, 4, argsort ? 4 : 0, 9 + shift);
    expected[0] = keys;
    expected[1] = values;
    for (row = 0; row < rows; row++) {
        for (i = 0; i < d.count; i++)
            codes[i] = reference_bits(k + (row * apart + i) * element, key);
        CHECK(reference_argsort(codes, d.count, order));
        host_expect(&expected[0], &keys, row, apart, d.count, order);
        host_expect(&expected[1], &values, row, apart, d.count, order);
        if (argsort) memcpy(indices.before + indices.at + row * apart * 4, order, d.count * 4);
    }
    if (!CHECK_OK(clsort_sort_host(b->sorter, &d, k, v, x))) return;
    CHECK(!memcmp(keys.after, argsort ? keys.before : expected[0].before, sizeof keys.after));
    CHECK(!memcmp(values.after, argsort ? values.before : expected[1].before, sizeof keys.after));
    CHECK(!memcmp(indices.after, indices.before, sizeof indices.after));
}

static void host_arrays_anywhere(bench *b)
{
    static const struct {
        size_t count, rows, stride, value_size, record_size;
        cl_uint type;
    } cases[] = { { HOST_MOST, 0, 0, 0, 0, CLSORT_U32 }, { HOST_MOST, 0, 0, 4, 0, CLSORT_U32 },
                  { HOST_MOST, 0, 0, 12, 0, CLSORT_U32 }, { 2, 0, 0, 0, 0, CLSORT_U32 },
                  { HOST_MOST, 0, 0, 0, 0, CLSORT_U64 }, { 200, HOST_ROWS, 840, 3, 0, CLSORT_U32 },
                  { HOST_MOST, 0, 0, 0, 12, CLSORT_U32 } };
    size_t i, shift;
    int argsort;
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        for (shift = 0; shift <= 16; shift += shift < 5 ? 1 : 4)
            for (argsort = 0; argsort < 2; argsort++) {
                clsort_desc d = clsort_desc_default();
                /* Mesa's compiler sorts keys of 8 bytes wrongly there, wherever they lie. */
                if (device_name_holds(b->session.info.platform_name, "rusticl")
                    && cases[i].type == CLSORT_U64)
                    continue;
                d.count = cases[i].count;
                d.rows = cases[i].rows;
                d.row_stride = cases[i].stride;
                d.value_size = cases[i].value_size;
                d.record_size = cases[i].record_size;
                d.key_type = cases[i].type;
                d.stable = 1;
                AT("case %d, %d bytes behind a multiple of 64%s", (int)i, (int)shift,
                   argsort ? ", argsort" : "");
                sort_host_at(b, &d, shift, argsort);
            }
}

/* A way for host arrays to the device and back, whatever takes it else: 0: as they are, 1: pinned,
   2: by way of the block; 3: that of the device. */
static void with_each_way(bench *b, void (*test)(bench *b))
{
    static const size_t bytes[3] = { 0, 1, (size_t)2 << 20 };
    const int shares = b->sorter->facts.shares_memory;
    const size_t block = b->sorter->facts.block_bytes;
    int way;
    for (way = 0; way < 4; way++) {
        CHECK_OK(clsort_trim(b->sorter));
        b->sorter->facts.shares_memory = way == 3 && shares;
        b->sorter->facts.block_bytes = way == 3 ? block : bytes[way];
        test(b);
        CHECK(way != 2 || (b->sorter->block && b->sorter->block_pin));
    }
    CHECK_OK(clsort_trim(b->sorter));
    CHECK(!b->sorter->block && !b->sorter->block_pin);
}

static void host_arrays_by_each_way(bench *b) { with_each_way(b, host_arrays_anywhere); }

/* Memory that drivers may refuse to pin. */
enum { PRIVATE_FILE, SHARED_FILE, READ_ONLY_FILE, READ_ONLY, MEMORIES };

/* Memory of a kind, with `bytes` of noise. Pages of READ_ONLY were copied from the file before. */
static unsigned char *map_noise(int kind, size_t bytes)
{
    const int reads = kind == READ_ONLY_FILE ? PROT_READ : PROT_READ | PROT_WRITE,
              flags = kind == SHARED_FILE ? MAP_SHARED : MAP_PRIVATE;
    unsigned char *noise = (unsigned char *)malloc(bytes), *place;
    FILE *f = tmpfile();
    fill_noise(noise, bytes, bytes);
    CHECK(fwrite(noise, 1, bytes, f) == bytes && !fflush(f));
    place = (unsigned char *)mmap(NULL, bytes, reads, flags, fileno(f), 0);
    CHECK((void *)place != MAP_FAILED);
    if (kind == READ_ONLY) memcpy(place, noise, bytes);
    if (kind == READ_ONLY) CHECK(!mprotect(place, bytes, PROT_READ));
    fclose(f);
    free(noise);
    return place;
}

/* Keys of a byte that begin at an odd address; what lies before and behind them stays. */
static void sort_mapped(bench *b, int kind, size_t count)
{
    const int reads = kind == READ_ONLY || kind == READ_ONLY_FILE;
    const size_t bytes = count + 4;
    unsigned char *keys = map_noise(kind, bytes), *was = (unsigned char *)malloc(bytes);
    cl_uint *indices = (cl_uint *)malloc(count * sizeof *indices);
    clsort_desc d = clsort_desc_default();
    size_t i, wrong = 0;
    AT("%d bytes of memory %d", (int)count, kind);
    memcpy(was, keys, bytes);
    d.count = count;
    d.key_type = CLSORT_U8;
    d.algorithm = CLSORT_BITONIC;
    d.stable = (cl_uint)reads;
    CHECK_OK(clsort_sort_host(b->sorter, &d, keys + 1, NULL, reads ? indices : NULL));
    for (i = 1; i < count; i++)
        wrong += reads ? keys[1 + indices[i - 1]] > keys[1 + indices[i]] : keys[i] > keys[i + 1];
    CHECK(!wrong && keys[0] == was[0] && !memcmp(keys + count + 1, was + count + 1, 3));
    for (i = 0; i < count; i++) wrong += keys[1 + i] - was[1 + i];
    CHECK(reads ? !memcmp(keys, was, bytes) : !wrong);
    munmap(keys, bytes);
    free(was);
    free(indices);
}

static void sort_all_mapped(bench *b)
{
    static const size_t counts[] = { 1, 2, 4091, 4092, 4096, 4097, 3 * 4096 };
    size_t i;
    int kind;
    for (i = 0; i < sizeof counts / sizeof *counts; i++)
        for (kind = 0; kind < MEMORIES; kind++) sort_mapped(b, kind, counts[i]);
}

/* Does the driver sort bytes of ordinary memory right? Mesa's compiler of 22.3 does not. */
static int sorts_bytes(bench *b)
{
    enum { COUNT = 4091 };
    static unsigned char keys[COUNT];
    clsort_desc d = clsort_desc_default();
    size_t i, wrong = 0;
    for (i = 0; i < COUNT; i++) keys[i] = (unsigned char)(i * 37 >> 2);
    d.count = COUNT;
    d.key_type = CLSORT_U8;
    d.algorithm = CLSORT_BITONIC;
    CHECK_OK(clsort_sort_host(b->sorter, &d, keys, NULL, NULL));
    for (i = 1; i < COUNT; i++) wrong += keys[i - 1] > keys[i];
    if (wrong) printf("skipped: this driver sorts bytes wrong, whatever memory they are in\n");
    return !wrong;
}

/* Files, pages that are only read, and little memory that may be locked. */
static void host_arrays_in_any_memory(bench *b)
{
    struct rlimit old, few;
    if (!sorts_bytes(b)) return;
    if (test_lacks(getrlimit(RLIMIT_MEMLOCK, &old), "limits of memory")) return;
    few = old;
    few.rlim_cur = 65536;
    with_each_way(b, sort_all_mapped);
    if (old.rlim_max >= few.rlim_cur) CHECK(!setrlimit(RLIMIT_MEMLOCK, &few));
    with_each_way(b, sort_all_mapped);
    CHECK(!setrlimit(RLIMIT_MEMLOCK, &old));
}

/* ---- is_sorted ------------------------------------------------------------------------------- */

static void fill_noise(unsigned char *data, size_t bytes, uint64_t seed)
{
    size_t i;
    for (i = 0; i < bytes; i++) data[i] = (unsigned char)(pattern_random(&seed) >> 56);
}

/* Asks the device for the first violation among keys that lie in records of `stride` bytes. */
static cl_uint first_violation(const bench *b, clsort_desc d, const unsigned char *data,
                               size_t stride)
{
    cl_uint answer[3] = { 111, 222, 333 };
    cl_int error = 0;
    cl_mem result = clCreateBuffer(b->session.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   sizeof answer, answer, &error);
    d.keys = clCreateBuffer(b->session.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                            stride * (d.count + 1), (void *)(size_t)data, &error);
    CHECK_OK(clsort_enqueue_is_sorted(b->sorter, b->session.queue, &d, result, 4, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(b->session.queue, result, CL_TRUE, 0, sizeof answer, answer, 0, NULL,
                              NULL)
          == CL_SUCCESS);
    CHECK(answer[0] == 111 && answer[2] == 333);
    clReleaseMemObject(result);
    clReleaseMemObject(d.keys);
    return answer[1];
}

/* Compares with the reference for one array: as it is, and sorted with one pair exchanged. */
static void compare_violations(const bench *b, const clsort_desc *d, const char *pattern)
{
    enum { MOST = 700 };
    unsigned char data[(MOST + 1) * 8], sorted[(MOST + 1) * 8];
    uint64_t codes[MOST];
    uint32_t order[MOST];
    size_t key = pattern_key_size(d->key_type), i;
    AT("%s, %s, n %zu, order %u, NaN order %u, zero order %u", pattern, case_type_name(d->key_type),
       d->count, (unsigned)d->order, (unsigned)d->nan_order, (unsigned)d->zero_order);
    memset(data, 0, sizeof data);
    memset(sorted, 0, sizeof sorted);
    pattern_fill(pattern_find(pattern), d->key_type, d->count, 1, 64, data);
    reference_codes(data, key, d->count, d, codes);
    CHECK(first_violation(b, *d, data, key) == reference_first_unordered(codes, d->count));
    CHECK(reference_argsort(codes, d->count, order));
    for (i = 0; i < d->count; i++) memcpy(sorted + i * key, data + order[i] * key, key);
    CHECK(first_violation(b, *d, sorted, key) == d->count);
    if (d->count < 3) return;
    memcpy(sorted + (d->count - 2) * key, data + order[d->count - 1] * key, key);
    memcpy(sorted + (d->count - 1) * key, data + order[d->count - 2] * key, key);
    reference_codes(sorted, key, d->count, d, codes);
    CHECK(first_violation(b, *d, sorted, key) == reference_first_unordered(codes, d->count));
}

static void violations(bench *b)
{
    static const size_t counts[] = { 0, 1, 2, 3, 300, 700 };
    size_t t, n;
    cl_uint k;
    for (t = 0; t < CASE_TYPES; t++)
        for (n = 0; n < 6; n++)
            for (k = 0; k < 8; k++) {
                clsort_desc d = clsort_desc_default();
                d.key_type = case_types[t].type;
                d.count = counts[n];
                d.order = k & 1;
                d.nan_order = k >> 1 & 1;
                d.zero_order = k >> 2;
                compare_violations(b, &d, pattern_is_float(d.key_type) ? "around-zero" : "sorted");
                if (pattern_is_float(d.key_type)) compare_violations(b, &d, "nans-10");
            }
}

static void violations_in_records(bench *b)
{
    unsigned char records[12 * 101];
    clsort_desc d = clsort_desc_default();
    cl_uint i;
    d.count = 100;
    d.key_type = CLSORT_U32;
    d.record_size = 12;
    d.key_offset = 8;
    fill_noise(records, sizeof records, 9);
    for (i = 0; i < 100; i++) memcpy(records + 12 * i + 8, &i, 4);
    CHECK(first_violation(b, d, records, 12) == 100);
    i = 3;
    memcpy(records + 12 * 57 + 8, &i, 4);
    CHECK(first_violation(b, d, records, 12) == 57);
    d.order = CLSORT_DESCENDING;
    CHECK(first_violation(b, d, records, 12) == 1);
}

/* ---- table ----------------------------------------------------------------------------------- */

static const test_entry tests[] = {
    { "every status has a text of its own, which begins with its name", status_texts },
    { "the version and the size of the description can be queried", version_number },
    { "default structs have their size, zeros, and no padding at their end", default_structs },
    { "algorithm names can be listed, selected and resolved", algorithm_names },
    { "every algorithm has a number, a name and what runs it", algorithms_are_complete },
    { "every kernel of kernels.cl is in the list of kernels", kernels_are_listed },
    { "the documented algorithm names exist", documented_names },
    { "selecting an algorithm keeps the other fields", select_keeps_the_rest },
    { "a variant has one shortest name", find_names },
    { "words that no name means are refused", refuse_other_words },
    { "resolving fills in the defaults and is stable", resolve_fills_in_defaults },
    { "a sorter can be created and destroyed", create_and_destroy },
    { "a sorter can make its own context", own_context },
    { "clones sort on their own and outlive their original", clones_outlive_their_original },
    { "NO_BUILD refuses what is not built, and prepare builds it", no_build },
    { "NO_BUILD refuses indices where only pairs are built", no_build_for_indices },
    { "trimming between sorts does no harm", trim_between_sorts },
    { "the diagnostic callback hears of every failure", diagnostics },
    { "host arrays are sorted at any address, whatever way they go to the device",
      host_arrays_by_each_way },
    { "host arrays in files, and on pages that are only read or cannot be locked, are sorted",
      host_arrays_in_any_memory },
    { "is_sorted finds the first violation for every type and order", violations },
    { "is_sorted looks at keys inside records", violations_in_records }
};

TEST_MAIN(tests)
