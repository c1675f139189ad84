/* Counts that only the device knows: every form that sorts one array, by name and by AUTO, with
   counts around its tiles, none, all and more than there is room for. Guards stand behind the
   count, which nothing may write, and behind the arrays. */

#include "harness.h"

#define CLSORT_IMPLEMENTATION
#include "cases.h"

/* What is sorted. */
typedef struct shape {
    const char *name;
    cl_uint type;
    size_t value_size, record_size, key_offset;
    int keys_out, values_out, indices;      /* as of sort_case */
    cl_uint stable, order, first_bit, last_bit, field_count;
} shape;
static const shape shapes[] = {
    { "u32 in place", CLSORT_U32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "u32 to another array", CLSORT_U32, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0 },
    { "u64 and u32, in place", CLSORT_U64, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "u64 and u32 to other arrays", CLSORT_U64, 4, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0 },
    { "u32 and u32 to other arrays", CLSORT_U32, 4, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0 },
    { "argsort of f32", CLSORT_F32, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0 },
    { "f64, descending", CLSORT_F64, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0 },
    { "only keys in place", CLSORT_U32, 4, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0 },
    { "only values in place", CLSORT_I32, 8, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0 },
    { "bits 0 to 44 of u64 and u32", CLSORT_U64, 4, 0, 0, 1, 1, 0, 1, 0, 0, 45, 0 },
    { "values of 3 bytes", CLSORT_U16, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 },
    { "values of 20 bytes in place", CLSORT_U32, 20, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0 },
    { "records of 12 bytes", CLSORT_F32, 0, 12, 4, 0, 0, 0, 1, 1, 0, 0, 0 },
    { "stable argsort with keys and values", CLSORT_I64, 8, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0 },
    { "records by two fields", CLSORT_U32, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 2 },
    { "records by fields of 16 bytes", CLSORT_U64, 0, 16, 0, 1, 0, 0, 0, 0, 0, 0, 3 }
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* What sorts, with the room for elements that is tried. On CPUs the last ones share tiles. */
static const struct { const char *name; size_t counts[3]; cl_uint work_group; } forms[] = {
    { NULL, { 1, 3000, 70001 }, 0 },
    { "radix-sweeps", { 1, 9000, 70001 }, 0 },
    { "radix-hybrid", { 2, 9000, 70001 }, 0 },
    { "radix-samples", { 2000, 9000, 70001 }, 0 },
    { "radix-cached", { 2, 9000, 200003 }, 0 },
    { "bitonic", { 2, 9000, 70001 }, 0 },
    { "merge", { 2, 9000, 70001 }, 0 },
    { "radix-portable", { 2, 9000, 70001 }, 0 },
    { "bitonic", { 2, 700, 5000 }, 64 },
    { "merge", { 2, 700, 5000 }, 64 },
    { "radix-portable", { 2, 700, 5000 }, 64 }
};
enum { FORMS = sizeof forms / sizeof *forms, SHARED = FORMS - 3 };

static const char *const patterns[] = { "uniform", "zipf", "equal", "sorted", "powers-of-two",
                                        "median-killer", "mostly-zero", "one-last", "poisoned" };

/* Fields of 4 and 1 bytes, then one of 8, of records of 16. */
static const clsort_field fields[] = { { 4, CLSORT_I32, CLSORT_DESCENDING, 0, 0 },
                                       { 13, CLSORT_U8, 0, 0, 0 },
                                       { 0, CLSORT_F64, 0, 0, 0 } };

static sort_case make_case(const shape *h, const char *form, size_t capacity)
{
    sort_case c = case_make(h->type, capacity, "uniform");
    c.algorithm = form;
    c.counted = 1;
    c.d.value_size = h->value_size;
    c.d.record_size = h->record_size;
    c.d.key_offset = h->key_offset;
    c.d.stable = h->stable;
    c.d.order = h->order;
    c.d.first_bit = h->first_bit;
    c.d.last_bit = h->last_bit;
    c.keys_out = h->keys_out;
    c.values_out = h->values_out;
    c.indices = h->indices;
    if (h->field_count) c.fields = fields, c.field_count = h->field_count;
    return c;
}

/* What a call will have, without buffers; 0 if this form does not sort it. */
static int describe(const bench *b, const sort_case *c, int counted, clsort_desc *d)
{
    *d = c->d;
    d->keys_out = c->keys_out ? CLSORT_LATER : NULL;
    d->values_out = c->values_out ? CLSORT_LATER : NULL;
    d->indices = c->indices ? CLSORT_LATER : NULL;
    d->count_buffer = counted ? CLSORT_LATER : NULL;
    if (c->fields) {
        d->fields = c->fields, d->field_count = c->field_count;
        d->key_type = d->order = 0;
        d->key_offset = 0;
    }
    if (c->algorithm && !CHECK_OK(clsort_set_algorithm(d, c->algorithm))) return 0;
    return clsort_check(b->sorter, d) != CLSORT_ERROR_UNSUPPORTED;
}

/* The elements that one work-group or work-item sorts at once. */
static size_t tile_of(const bench *b, const clsort_desc *d)
{
    clsort_desc resolved = *d;
    if (!CHECK_OK(clsort_prepare(b->sorter, NULL, d))
        || !CHECK_OK(clsort_resolve(b->sorter, d, &resolved)))
        return 1;
    return (size_t)resolved.tuning.work_group * resolved.tuning.items;
}

/* Sorts with counts around everything that a kernel may get wrong. */
static int sort_counts(const bench *b, sort_case *c, size_t tile)
{
    const size_t n = c->d.count, half = n / 2;
    const size_t there[] = { 0, 1, 2, tile - 1, tile, tile + 1, 3 * tile + 1, half, n - 1, n,
                             n + 1, UINT32_MAX };
    size_t i;
    for (i = 0; i < sizeof there / sizeof *there; i++) {
        if (there[i] > n + 1 && there[i] != UINT32_MAX) continue;
        if (i > 2 && i < 11 && !test_takes_of_few(b, 3)) continue;
        c->there = (uint32_t)there[i];
        c->seed = n + i;
        c->pattern = patterns[(i + n) % (sizeof patterns / sizeof *patterns)];
        c->own_scratch = i % 2;
        c->scratch_fill = i % 4 > 1 ? 0xFF : 0x55;
        c->placement = (int)(i % 3);
        if (!case_run(b, c)) return 0;
    }
    return 1;
}

static void counts_of_a_form(bench *b, size_t form)
{
    size_t i, k;
    for (i = 0; i < SHAPES; i++)
        for (k = 0; k < 3; k++) {
            const size_t most = b->small ? 300 : 1000000, room = forms[form].counts[k];
            sort_case c = make_case(&shapes[i], forms[form].name, room < most ? room : most);
            clsort_desc d;
            c.d.tuning.work_group = forms[form].work_group;
            if (b->small && k > 1) continue;
            AT("%s, %s", shapes[i].name, forms[form].name ? forms[form].name : "AUTO");
            if (!describe(b, &c, 1, &d) || !test_takes_of_few(b, form < SHARED ? 2 : 4)) continue;
            if (!sort_counts(b, &c, tile_of(b, &d))) return;
        }
}

static void auto_sorts_counts(bench *b) { counts_of_a_form(b, 0); }
static void sweeps_sort_counts(bench *b) { counts_of_a_form(b, 1); }
static void hybrid_sorts_counts(bench *b) { counts_of_a_form(b, 2); }
static void samples_sort_counts(bench *b) { counts_of_a_form(b, 3); }
static void cached_sorts_counts(bench *b) { counts_of_a_form(b, 4); }
static void bitonic_sorts_counts(bench *b) { counts_of_a_form(b, SHARED - 3); }
static void merge_sorts_counts(bench *b) { counts_of_a_form(b, SHARED - 2); }
static void passes_sort_counts(bench *b) { counts_of_a_form(b, SHARED - 1); }

static void work_groups_sort_counts(bench *b)
{
    size_t form;
    for (form = SHARED; form < FORMS; form++) counts_of_a_form(b, form);
}

/* Enough for second digits of hybrid radix; and what AUTO takes for millions on GPUs. */
static void forms_sort_many_counts(bench *b)
{
    static const struct { const char *form; size_t count; } many[] = {
        { "radix-hybrid", 700001 }, { NULL, (1u << 21) + 5 }
    };
    size_t i, k;
    for (i = 0; i < SHAPES; i++)
        for (k = 0; k < 2; k++) {
            sort_case c = make_case(&shapes[i], many[k].form, many[k].count);
            clsort_desc d;
            const size_t there[] = { 0, 70001, many[k].count / 2 + 3, many[k].count };
            size_t t;
            if ((k && i % 3) || !describe(b, &c, 1, &d) || !test_takes_of_few(b, 8)) continue;
            for (t = 0; t < 4; t++) {
                c.there = (uint32_t)there[t];
                c.pattern = patterns[(t + k) % 3];
                if (!case_run(b, &c)) return;
            }
        }
}

/* Few long rows, each with as many elements: AUTO sorts one after another. On CPUs 5000 elements
   make a long row. */
static void rows_have_counts(bench *b)
{
    const size_t n = test_is_cpu(b) || b->small ? 5000 : (1u << 22) + 7;
    size_t i, k;
    for (i = 0; i < SHAPES; i += n > 5000 ? 4 : 1) {
        sort_case c = make_case(&shapes[i], NULL, n);
        const uint32_t there[] = { 1, (uint32_t)n / 3, UINT32_MAX };
        if (!test_takes_of_few(b, 4)) continue;
        c.d.rows = 2;
        c.d.row_stride = (n + 3) * case_element_size(&c);
        for (k = 0; k < 3; k++) {
            c.there = there[k];
            if (!case_run(b, &c)) return;
        }
    }
}

/* ---- promises -------------------------------------------------------------------------------- */

/* AUTO chooses by the room: explain and scratch memory are the same as for a count that the host
   knows. Where only one of keys and values is in place, a kernel copies. */
static void choices_are_those_of_the_hosts_count(bench *b)
{
    static const size_t counts[] = { 1, 500, 5000, 70001, 1u << 20, 3000000, 1u << 24 };
    size_t i, k;
    for (i = 0; i < SHARED * SHAPES; i++)
        for (k = 0; k < sizeof counts / sizeof *counts; k++) {
            const shape *const h = &shapes[i % SHAPES];
            const sort_case c = make_case(h, forms[i / SHAPES].name, counts[k]);
            const int copies = h->value_size && h->value_size <= 8 && h->keys_out != h->values_out;
            char own[3000], hosts[3000];
            size_t bytes = 0, hosts_bytes = 1;
            clsort_desc d;
            /* Where size_t has 32 bits, an array has less than 2^28 bytes. */
            if (counts[k] > SIZE_MAX / 16 / 20) continue;
            if (!describe(b, &c, 0, &d) || (counts[k] > 70001 && !test_takes_of_few(b, 20)))
                continue;
            AT("n %zu, %s, %s", counts[k], h->name, c.algorithm ? c.algorithm : "AUTO");
            CHECK_OK(clsort_scratch_size(b->sorter, &d, &hosts_bytes));
            CHECK_OK(clsort_explain(b->sorter, &d, hosts, sizeof hosts));
            d.count_buffer = CLSORT_LATER;
            CHECK_OK(clsort_scratch_size(b->sorter, &d, &bytes));
            CHECK_OK(clsort_explain(b->sorter, &d, own, sizeof own));
            CHECK(bytes <= hosts_bytes);
            if (!CHECK(copies || !strcmp(own, hosts))) return;
        }
}

/* What was prepared for any count sorts every one at once. */
static void any_count_is_prepared(bench *b)
{
    clsort_sorter *const shared = b->sorter;
    size_t i, k;
    for (i = 0; i < SHAPES; i++) {
        sort_case c = make_case(&shapes[i], NULL, 20000);
        clsort_desc d;
        if (!test_takes_of_few(b, 4) || !describe(b, &c, 1, &d)) continue;
        b->sorter = fresh_sorter(b, 0);
        d.flags = CLSORT_FLAG_ANY_COUNT;
        AT("%s", shapes[i].name);
        CHECK_OK(clsort_prepare(b->sorter, NULL, &d));
        c.d.flags = CLSORT_FLAG_NO_BUILD;
        for (k = 1; k <= 20000; k = k * 3 + 1) {
            c.d.count = k;
            c.there = (uint32_t)(k / 2);
            case_run(b, &c);
        }
        clsort_destroy(b->sorter);
        b->sorter = shared;
    }
}

static void counts_wait_on_every_queue(bench *b)
{
    const cl_command_queue_properties orders[] = { 0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE };
    size_t i;
    for (i = 0; i < 2 * SHAPES; i++) {
        sort_case c = make_case(&shapes[i / 2], NULL, 30000);
        cl_int error;
        c.queue = clCreateCommandQueue(b->session.context, b->session.info.id, orders[i % 2],
                                       &error);
        if (error != CL_SUCCESS || !test_takes_of_few(b, 4)) continue;
        c.there = 12345;
        c.produced = i % 2 == 0;
        c.prove = 1;
        case_run(b, &c);
        clReleaseCommandQueue(c.queue);
    }
}

/* A sort of no elements, then one of few, behind one of many whose tables are left. */
static void tables_of_the_sort_before_do_not_matter(bench *b)
{
    static const uint32_t there[] = { 100000, 0, 300, 0, 1, 99999 };
    size_t i, k;
    for (i = 0; i < FORMS; i++) {
        sort_case c = make_case(&shapes[0], forms[i].name, b->small ? 500 : 100000);
        clsort_desc d;
        if (!describe(b, &c, 1, &d)) continue;
        for (k = 0; k < sizeof there / sizeof *there; k++) {
            c.there = b->small ? there[k] / 200 : there[k];
            c.pattern = k ? "uniform" : "powers-of-two";
            if (!case_run(b, &c)) return;
        }
    }
}

static void what_takes_no_count_says_so(bench *b)
{
    static const char *const names[] = { "quicksort", "bitonic-b4", "bitonic-a",
                                         "bitonic+local-only", "merge-local-only" };
    clsort_desc d = clsort_desc_default();
    size_t i;
    d.count = 1000;
    d.key_type = CLSORT_U32;
    d.count_buffer = CLSORT_LATER;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (clsort_set_algorithm(&d, names[i]) != CL_SUCCESS) continue;
        AT("%s", names[i]);
        CHECK_STATUS(clsort_check(b->sorter, &d), CLSORT_ERROR_UNSUPPORTED);
    }
}

static const test_entry tests[] = {
    { "AUTO sorts as many as the device says", auto_sorts_counts },
    { "choices and scratch memory follow the room, as by the host's count",
      choices_are_those_of_the_hosts_count },
    { "what was prepared for any count sorts every one", any_count_is_prepared },
    { "counts are awaited on every queue, and results are proved", counts_wait_on_every_queue },
    { "what takes no count on the device says so", what_takes_no_count_says_so },
    TEST_REST,
    { "radix in cache sorts as many as the device says", cached_sorts_counts },
    { "tables of the sort before do not matter", tables_of_the_sort_before_do_not_matter },
    { "bitonic sorts as many as the device says", bitonic_sorts_counts },
    { "merge sorts as many as the device says", merge_sorts_counts },
    { "passes sort as many as the device says", passes_sort_counts },
    { "sweeps sort as many as the device says", sweeps_sort_counts },
    { "hybrid radix sorts as many as the device says", hybrid_sorts_counts },
    { "samples sort as many as the device says", samples_sort_counts },
    { "work-groups sort as many as the device says", work_groups_sort_counts },
    { "few long rows are sorted as far as the device says", rows_have_counts },
    { "many elements are sorted as far as the device says", forms_sort_many_counts }
};

int main(void) { return test_main(tests, sizeof tests / sizeof *tests); }
