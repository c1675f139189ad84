/* The merge family beyond the sorts that test_rows.c proves: fields, comparators, also those that
   contradict themselves, and checks of such results. */

#include "harness.h"

/* Counts the programs that the implementation builds. */
static int built;

static void note_call(const char *function) { built += !strcmp(function, "clBuildProgram"); }

#define CLSORT_CL(function) (note_call(#function), function)
#define CLSORT_IMPLEMENTATION
#include "judged.h"
#include "records.h"

#include <signal.h>
#include <unistd.h>

static void hung(int number)
{
    (void)number;
    printf("FAILED: no return in time, with %s\n", test_now.at);
    fflush(stdout);
    _exit(1);
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Random fields of one length in every output, by each algorithm that can. */
static void sort_by_fields(bench *b, cl_uint count, size_t widest, uint64_t *random)
{
    static const size_t counts[] = { 0, 1, 2, 37, 500, 2100 };
    clsort_field fields[CLSORT_MAX_FIELDS];
    record_case c = record_make(NULL, counts[draw(random, b->small ? 4 : 6)]);
    record_draw_fields(&c, fields, count, widest, random);
    c.d.algorithm = draw(random, 2)             ? CLSORT_MERGE
                    : widest && draw(random, 2) ? CLSORT_BITONIC
                                                : CLSORT_AUTO;
    c.seed = pattern_random(random);
    c.shift = draw(random, 3);
    c.verify = (int)draw(random, 2);
    for (c.output = 0; c.output < RECORD_OUTPUTS; c.output++)
        if (!record_run(b, &c)) return;
}

static void records_are_sorted_by_fields(bench *b)
{
    uint64_t random = 5;
    cl_uint count, turn;
    for (count = 1; count <= CLSORT_MAX_FIELDS; count++)
        for (turn = 0; turn < (b->small ? 1u : 12u); turn++) {
            sort_by_fields(b, count, 0, &random);
            if (!b->few_programs || turn < 4) sort_by_fields(b, count, 8, &random);
        }
}

/* The edges of the packing: exactly 8 bytes, one more, and eight fields of 8 bytes each, of which
   only the last differs. */
static void wide_fields_take_several_passes(bench *b)
{
    static const clsort_field eight[] = { { 0, CLSORT_U32, 0, 0, 0 },
                                          { 4, CLSORT_U16, 1, 0, 0 },
                                          { 6, CLSORT_I8, 0, 0, 0 },
                                          { 7, CLSORT_U8, 1, 0, 0 } };
    static const clsort_field nine[] = { { 8, CLSORT_U8, 0, 0, 0 },
                                         { 0, CLSORT_F32, 0, 1, 1 },
                                         { 4, CLSORT_U32, 1, 0, 0 } };
    clsort_field many[CLSORT_MAX_FIELDS];
    record_case c = record_make(NULL, b->small ? 40 : 3000);
    cl_uint i;
    memset(many, 0, sizeof many);
    for (i = 0; i < CLSORT_MAX_FIELDS; i++)
        many[i].type = i & 1 ? CLSORT_F64 : CLSORT_I64, many[i].offset = 8 * i,
        many[i].order = i & 1, many[i].zero_order = 1;
    for (c.output = 0; c.output < RECORD_OUTPUTS; c.output++) {
        c.d.fields = eight, c.d.field_count = 4, c.d.record_size = 8;
        record_run(b, &c);
        c.d.fields = nine, c.d.field_count = 3, c.d.record_size = 12;
        record_run(b, &c);
        c.d.fields = many, c.d.field_count = CLSORT_MAX_FIELDS, c.d.record_size = 64;
        record_run(b, &c);
    }
}

/* ---- the first of several codes decides ------------------------------------------------------ */

enum { CODES_COUNT = 1 << 15, CODES_SIZE = 24 };

/* Bytes of keys: without ties in the first 8; with one tie, which the last byte decides; with ties
   of all, none or some of which other bytes decide; with long runs of ties. */
enum { NO_TIE, LAST_TIE, ALL_EQUAL, ALL_TIE, ALL_TIE_BUT_ONE, RUNS_TIE, CODES_KINDS };

static unsigned char *tied_keys(int kind)
{
    unsigned char *keys = (unsigned char *)calloc(CODES_COUNT, CODES_SIZE);
    uint64_t random = 77 + (uint64_t)kind;
    uint32_t i, k;
    for (i = 0; keys && i < CODES_COUNT; i++) {
        unsigned char *key = keys + (size_t)CODES_SIZE * i;
        const uint32_t place = i * 0x9E3779B1u, run = kind == RUNS_TIE ? place % 5 : place;
        for (k = 0; k < 4 && kind <= LAST_TIE; k++)
            key[k] = (unsigned char)(place >> (24 - 8 * k));
        for (k = 0; k < 4 && kind == RUNS_TIE; k++) key[4 + k] = (unsigned char)(run * k);
        if (kind == ALL_TIE_BUT_ONE) key[7] = i == CODES_COUNT / 3;
        for (k = 8; k < CODES_SIZE && kind != ALL_EQUAL; k++)
            key[k] = (unsigned char)(pattern_random(&random) >> 40 & (k == 23 ? 255 : 1));
    }
    if (keys && kind == LAST_TIE) {
        memcpy(keys, keys + (size_t)CODES_SIZE * (CODES_COUNT - 1), CODES_SIZE);
        keys[15] = keys[CODES_SIZE - 1] = 9;
    }
    return keys;
}

static unsigned char *tied;
static size_t tied_bytes;

static int tied_order(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    const int order = memcmp(tied + (size_t)CODES_SIZE * a, tied + (size_t)CODES_SIZE * b,
                             tied_bytes);
    return order ? order : a < b ? -1 : 1;
}

static void sort_tied(bench *b, int kind, size_t key, cl_uint algorithm, cl_uint work_group)
{
    static uint32_t want[CODES_COUNT], got[CODES_COUNT];
    const clsort_field field = { 0, CLSORT_BYTES + (cl_uint)key, 0, 0, 0 };
    clsort_desc d = clsort_desc_default();
    uint32_t i;
    AT("kind %d, a key of %zu bytes, algorithm %u, work_group %u", kind, key, algorithm,
       work_group);
    tied = tied_keys(kind);
    tied_bytes = key;
    if (!CHECK(tied != NULL)) return;
    for (i = 0; i < CODES_COUNT; i++) want[i] = i;
    qsort(want, CODES_COUNT, 4, tied_order);
    d.count = CODES_COUNT;
    d.record_size = CODES_SIZE;
    d.fields = &field;
    d.field_count = 1;
    d.algorithm = algorithm;
    d.tuning.work_group = work_group;
    d.keys = test_buffer(b, (size_t)CODES_SIZE * CODES_COUNT, tied);
    d.indices = test_buffer(b, sizeof got, NULL);
    CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(b->session.queue, d.indices, CL_TRUE, 0, sizeof got, got, 0, NULL,
                              NULL) == CL_SUCCESS);
    CHECK(!memcmp(want, got, sizeof got));
    clReleaseMemObject(d.keys);
    clReleaseMemObject(d.indices);
    free(tied);
}

static void ties_of_first_codes(bench *b)
{
    int kind;
    for (kind = 0; kind < CODES_KINDS; kind++) {
        sort_tied(b, kind, 16, CLSORT_AUTO, 0);
        sort_tied(b, kind, CODES_SIZE, CLSORT_AUTO, 0);
        sort_tied(b, kind, CODES_SIZE, CLSORT_MERGE, kind & 1 ? 16 : 0);
    }
    sort_tied(b, RUNS_TIE, 8, CLSORT_AUTO, 0);
    sort_tied(b, RUNS_TIE, 16, CLSORT_RADIX, 0);
}

/* ---- comparators ----------------------------------------------------------------------------- */

static void sort_by_order(bench *b, record_case c)
{
    static const size_t counts[] = { 0, 1, 2, 5, 17, 70, 1023, 1025, 3001 };
    size_t i;
    for (i = 0; i < (b->small ? 6u : 9u); i++) {
        c.d.count = counts[i];
        c.seed = i + 1;
        c.shift = i % 3;
        c.verify = i & 1;
        if (!record_run(b, &c)) return;
    }
}

static void comparators_sort_records(bench *b)
{
    size_t i;
    for (i = 0; i < (b->few_programs ? 3 : RECORD_TRUTHS); i++) {
        record_case c = record_make(&record_orders[i], 0);
        if (!test_takes(b, 2)) continue;
        sort_by_order(b, c);
        c.output = RECORD_OUT;
        sort_by_order(b, c);
        if (b->few_programs && c.d.record_size <= 16) continue;   /* a program of its own */
        c.output = RECORD_INDICES;
        sort_by_order(b, c);
        c.output = RECORD_INDICES_OUT;
        sort_by_order(b, c);
    }
}

static void truth_of_any_type(bench *b)
{
    size_t i;
    for (i = RECORD_TRUTHS; i < RECORD_ORDERS; i++) {
        record_case c = record_make(&record_orders[i], 64);
        c.verify = 1;
        if (!record_run(b, &c)) return;
        c.d.count = 700;
        c.output = RECORD_OUT;
        if (!record_run(b, &c)) return;
    }
}

static void comparators_sort_in_work_groups(bench *b)
{
    static const cl_uint groups[] = { 16, 4 };
    size_t i;
    for (i = 0; i < (b->few_programs ? 1u : 2u); i++) {
        record_case c = record_make(&record_orders[i], 0);
        c.d.tuning.work_group = groups[i];
        c.d.tuning.items = i & 1 ? 8 : 0;
        sort_by_order(b, c);
        if (b->few_programs || i) continue;
        c.output = RECORD_INDICES;
        sort_by_order(b, c);
    }
}

static char *copy_text(const char *text)
{
    char *copy = (char *)malloc(strlen(text) + 1);
    if (CHECK(copy != NULL)) strcpy(copy, text);
    return copy;
}

/* Sorts with texts of its own, which are overwritten and freed when the call has returned. */
static void sort_with_passing_texts(bench *b, clsort_sorter *s)
{
    char *type = copy_text(record_orders[0].record_type),
         *precedes = copy_text(record_orders[0].precedes);
    clsort_desc d = record_make(&record_orders[0], 50).d;
    cl_int error;
    cl_mem keys = clCreateBuffer(b->session.context, CL_MEM_READ_WRITE, 400, NULL, &error);
    if (type && precedes && CHECK(error == CL_SUCCESS)) {
        d.keys = keys;
        d.record_type = type;
        d.precedes = precedes;
        CHECK_OK(clsort_enqueue_sort(s, b->session.queue, &d, 0, NULL, NULL));
        memset(type, '?', strlen(type));
        memset(precedes, '?', strlen(precedes));
        CHECK(clFinish(b->session.queue) == CL_SUCCESS);
    }
    free(type);
    free(precedes);
    clReleaseMemObject(keys);
}

static void texts_are_compiled_once(bench *b)
{
    clsort_sorter *s = fresh_sorter(b, 0), *clone = NULL;
    record_case c = record_make(&record_orders[0], 60);
    int first;
    built = 0;
    sort_with_passing_texts(b, s);
    first = built;
    CHECK(first > 0);
    sort_with_passing_texts(b, s);
    c.sorter = s;
    c.d.flags = CLSORT_FLAG_NO_BUILD;
    record_run(b, &c);
    CHECK(built == first);
    CHECK_OK(clsort_clone(s, &clone));
    clsort_destroy(s);
    c.sorter = clone;
    record_run(b, &c);
    sort_with_passing_texts(b, clone);
    CHECK(built == first);
    clsort_destroy(clone);
}

/* Either text may differ alone: each pair is a comparator of its own, also for a clone. */
static void comparators_differ_by_either_text(bench *b)
{
    static const char *const types[2] = {
        "typedef struct { uint key, other; } clsort_record;",
        "typedef struct { uint other, key; } clsort_record;"
    };
    static const char *const orders[2] = { "a.key < b.key", "a.key > b.key" };
    clsort_sorter *s = fresh_sorter(b, 0), *clone = NULL;
    clsort_desc d = clsort_desc_default();
    size_t i, k;
    d.count = 3;
    d.record_size = 8;
    for (i = 0; i < 8; i++) {
        cl_uint records[6] = { 1, 6, 2, 4, 3, 5 };
        d.record_type = types[i & 1];
        d.precedes = orders[i >> 1 & 1];
        if (i == 4 && !CHECK_OK(clsort_clone(s, &clone))) break;
        AT("%s, %s%s", d.record_type, d.precedes, i < 4 ? "" : ", a clone");
        CHECK_OK(clsort_sort_host(i < 4 ? s : clone, &d, records, NULL, NULL));
        for (k = 2; k < 6; k += 2) {
            const cl_uint before = records[k - 2 + (i & 1)], after = records[k + (i & 1)];
            CHECK(i >> 1 & 1 ? before > after : before < after);
        }
    }
    clsort_destroy(clone);
    clsort_destroy(s);
}

static void preparing_builds_comparators(bench *b)
{
    clsort_sorter *s = fresh_sorter(b, 0);
    record_case c = record_make(&record_orders[1], 60);
    clsort_desc resolved = clsort_desc_default(), later = resolved;
    int first;
    CHECK_OK(clsort_check(s, &c.d));
    CHECK_OK(clsort_resolve(s, &c.d, &resolved));
    CHECK_OK(clsort_prepare(s, NULL, &c.d));
    first = built;
    c.sorter = s;
    c.d.flags = CLSORT_FLAG_NO_BUILD;
    record_run(b, &c);
    CHECK(built == first);
    CHECK_OK(clsort_resolve(s, &c.d, &later));
    CHECK(resolved.algorithm == CLSORT_MERGE && later.algorithm == CLSORT_MERGE);
    CHECK(resolved.tuning.items == later.tuning.items
          && resolved.tuning.work_group == later.tuning.work_group);
    clsort_destroy(s);
}

/* Does the compiler follow #line? NVIDIA's ignores it and quotes the line instead; Oclgrind's log
   has neither. */
static int log_holds(const bench *b, const char *log, const char *line, const char *text)
{
    if (device_name_holds(b->session.info.platform_name, "Oclgrind")) return 1;
    return strstr(log, device_name_holds(b->session.info.platform_name, "NVIDIA") ? text : line)
           != NULL;
}

/* A text that does not compile: its status, and what the log says: the place and the text of a
   wrong line. */
static void expect_no_compile(bench *b, clsort_sorter *s, const char *record_type,
                              const char *precedes, const char *line, const char *text)
{
    record_case c = record_make(&record_orders[0], 3);
    cl_int error;
    cl_event done = NULL;
    AT("record_type %s, precedes %s", record_type, precedes);
    c.d.keys = clCreateBuffer(b->session.context, CL_MEM_READ_WRITE, 64, NULL, &error);
    c.d.record_type = record_type;
    c.d.precedes = precedes;
    CHECK_STATUS(clsort_enqueue_sort(s, b->session.queue, &c.d, 0, NULL, &done),
                 CLSORT_ERROR_COMPARATOR);
    CHECK(!done);
    CHECK(strstr(clsort_last_error(s), "CLSORT_ERROR_COMPARATOR") != NULL);
    CHECK(clsort_build_log(s)[0] != 0);
    if (line && !CHECK(log_holds(b, clsort_build_log(s), line, text)))
        printf("%.500s\n", clsort_build_log(s));
    CHECK_STATUS(clsort_prepare(s, NULL, &c.d), CLSORT_ERROR_COMPARATOR);
    clReleaseMemObject(c.d.keys);
}

static void compile_errors_name_the_callers_lines(bench *b)
{
    static const char good[] = "typedef struct { uint x, y; } clsort_record;";
    clsort_sorter *s = fresh_sorter(b, 0);
    record_case c = record_make(&record_orders[0], 60);
    expect_no_compile(b, s, good, "a.x\n< b.nothing\n", "precedes:2", "< b.nothing");
    expect_no_compile(b, s, "typedef struct {\n    unit x, y;\n} clsort_record;", "a.x < b.x",
                      "record_type:2", "unit x, y;");
    expect_no_compile(b, s, "typedef struct { uint x, y, z; } clsort_record;", "a.x < b.x", NULL,
                      NULL);
    expect_no_compile(b, s, "typedef struct { uint x; } clsort_record;", "a.x < b.x", NULL, NULL);
    expect_no_compile(b, s, "", "a.x < b.x", NULL, NULL);
    if (!b->few_programs) expect_no_compile(b, s, good, "", NULL, NULL);
    if (!b->few_programs) expect_no_compile(b, s, good, "1); } void f(void) { (", NULL, NULL);
    c.sorter = s;
    record_run(b, &c);
    clsort_destroy(s);
}

/* ---- comparators that contradict themselves -------------------------------------------------- */

static int contradictions;   /* runs so far */

/* Every kind of contradiction at one size and in one shape. */
static void contradict(bench *b, record_case c, size_t n)
{
    uint32_t memory[2] = { 0, 0 };
    for (c.mode = 0; c.mode < RECORD_MODES; c.mode++) {
        if (c.mode == RECORD_REMEMBERING && !test_is_cpu(b)) continue;
        c.d.count = n;
        c.memory = memory;
        c.seed++;
        contradictions++;
        alarm(600);   /* a merge that makes no progress hangs */
        if (!record_run(b, &c)) return;
        if (c.mode == RECORD_REMEMBERING && n > 1) CHECK(memory[0] > 0);
    }
}

static void contradictions_lose_nothing(bench *b)
{
    static const size_t counts[] = { 0,   1,   2,   3,    4,    5,    7,    8,    9,   15,
                                     16,  17,  33,  63,   64,   65,   100,  127,  129, 255,
                                     257, 511, 513, 1023, 1024, 1025, 2049, 3000, 5001 };
    static const struct {
        cl_uint work_group, items;
    } shapes[] = { { 0, 0 }, { 16, 0 }, { 64, 1 } };
    const size_t shape_count = b->small          ? 1
                               : b->few_programs ? 2
                                                 : 3,
                 count_count = b->small ? 12 : sizeof counts / sizeof *counts;
    size_t i, j;
    contradictions = 0;
    for (i = 0; i < shape_count; i++)
        for (j = 0; j < count_count * (b->small ? 1 : 3); j++) {
            record_case c = record_make(&record_illegal, 0);
            c.d.tuning.work_group = shapes[i].work_group;
            c.d.tuning.items = shapes[i].items;
            c.output = j % 2 ? RECORD_OUT : RECORD_IN_PLACE;
            c.shift = j % 5;
            c.seed = 1000 * j;
            contradict(b, c, counts[j % count_count]);
            if (j % 3 || i > 1 || (b->few_programs && i)) continue;
            c.output = j % 2 ? RECORD_INDICES : RECORD_INDICES_OUT;
            contradict(b, c, counts[j % count_count]);
        }
    alarm(0);
    printf("%d runs\n", contradictions);
    CHECK(b->small || contradictions >= 1000);
}

/* ---- checks of results ----------------------------------------------------------------------- */

/* Asks the device for the first unsorted record of n, and compares with the host. */
static void expect_first_unsorted(bench *b, clsort_desc d, const record_order *order, size_t n,
                                  unsigned char *records)
{
    record_case c = record_make(order, n);
    record_state s;
    size_t i = 1;
    memset(&s, 0, sizeof s);
    s.c = &c;
    s.d = d;
    while (i < n
           && record_compare(&s, records + i * d.record_size, records + (i - 1) * d.record_size)
                  >= 0)
        i++;
    d.count = n;
    d.keys = test_buffer(b, n * d.record_size, records);
    CHECK(judged_unsorted(b, &d) == (i > n ? n : i));
    clReleaseMemObject(d.keys);
}

/* A run of equal records that one unlike record interrupts. */
static void order_is_checked_by_fields_and_comparators(bench *b)
{
    static const clsort_field fields[] = { { 4, CLSORT_U16, 1, 0, 0 },
                                           { 0, CLSORT_F32, 0, 1, 1 },
                                           { 6, CLSORT_I16, 0, 0, 0 },
                                           { 4, CLSORT_I32, 0, 0, 0 } };
    unsigned char records[8 * 100];
    size_t at, k;
    for (at = 0; at < 100; at += 11)
        for (k = 0; k < 4; k++) {
            record_case c = record_make(&record_orders[0], 100);
            AT("record %zu, value %zu", at, k);
            memset(records, 1, sizeof records);
            memset(records + 8 * at, k == 3 ? 1 : k == 2 ? 200 : (int)(2 * k), 8);
            expect_first_unsorted(b, c.d, c.order, 100, records);
            c = record_make(NULL, 100);
            c.d.record_size = 8;
            c.d.fields = fields;
            c.d.field_count = 4;
            expect_first_unsorted(b, c.d, NULL, 100, records);
            expect_first_unsorted(b, c.d, NULL, at + 1, records);
        }
}

/* Changes bytes of a sorted result: a proof must then fail. */
static void expect_found(bench *b, record_case c, size_t from, size_t to, int indices)
{
    const size_t size = indices ? 4 : c.d.record_size, bytes = c.d.count * c.d.record_size;
    unsigned char *noise = (unsigned char *)malloc(bytes);
    uint64_t random = 9;
    size_t i;
    record_say(&c);
    if (!CHECK(noise != NULL)) return;
    for (i = 0; i < bytes; i++) noise[i] = (unsigned char)(pattern_random(&random) >> 40);
    c.d.keys = test_buffer(b, bytes, noise);
    if (indices) c.d.indices = test_buffer(b, c.d.count * 4, NULL);
    CHECK_STATUS(judged_swapped(b, &c.d, indices ? c.d.indices : c.d.keys, size, from, to),
                 from == to ? CL_SUCCESS : CLSORT_ERROR_WRONG_RESULT);
    free(noise);
}

/* Swapped ends are out of order; swapped neighbours that are equal show in indices alone. */
static void wrong_orders_are_found(bench *b)
{
    static const clsort_field fields[] = { { 0, CLSORT_U8, 0, 0, 0 } };
    int k;
    for (k = 0; k < 4; k++) {
        record_case c = record_make(k & 1 ? &record_orders[1] : NULL, 4000);
        if (!(k & 1)) c.d.fields = fields, c.d.field_count = 1, c.d.record_size = 20;
        expect_found(b, c, 7, 7, k & 2);
        expect_found(b, c, 0, 3999, k & 2);
        if (k & 2) expect_found(b, c, 0, 1, 1);
    }
}

static void self_checking_sorters_know_the_order(bench *b)
{
    static const clsort_field fields[] = { { 4, CLSORT_F32, 1, 1, 1 },
                                           { 0, CLSORT_U32, 0, 0, 0 },
                                           { 8, CLSORT_U16, 0, 0, 0 } };
    clsort_sorter *s = fresh_sorter(b, CLSORT_OPTION_VERIFY);
    int k;
    for (k = 0; k < 2; k++) {
        record_case c = record_make(k ? &record_orders[1] : NULL, 600);
        if (!k) c.d.fields = fields, c.d.field_count = 3, c.d.record_size = 12;
        c.sorter = s;
        for (c.output = 0; c.output < RECORD_OUTPUTS; c.output++) record_run(b, &c);
        CHECK_OK(clsort_collect(s, 1));
    }
    clsort_destroy(s);
}

static const test_entry tests[] = {
    { "records are sorted by one to eight fields of any type and order",
      records_are_sorted_by_fields },
    { "fields of more than 8 bytes take several passes", wide_fields_take_several_passes },
    { "ties of the first 8 bytes are decided by the others, in no case by chance",
      ties_of_first_codes },
    { "an expression of any scalar type is true where it is not 0", truth_of_any_type },
    { "the texts of a comparator are compiled once and may be freed", texts_are_compiled_once },
    { "comparators differ by either of their texts", comparators_differ_by_either_text },
    { "prepare builds a comparator, and resolve tells its shape", preparing_builds_comparators },
    { "order is checked by fields and by comparators", order_is_checked_by_fields_and_comparators },
    { "wrong orders of fields and comparators are found", wrong_orders_are_found },
    { "sorters that check themselves know fields and comparators",
      self_checking_sorters_know_the_order },
    TEST_REST,
    { "comparators sort records of every size", comparators_sort_records },
    { "comparators sort in work-groups", comparators_sort_in_work_groups },
    { "compile errors name the lines of the caller's text", compile_errors_name_the_callers_lines },
    { "comparators that contradict themselves lose no record and harm nothing",
      contradictions_lose_nothing }
};

int main(void)
{
    signal(SIGALRM, hung);
    return test_main(tests, sizeof tests / sizeof *tests);
}

