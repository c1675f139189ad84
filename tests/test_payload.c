/* Values that move with records: by a key inside, by fields and by `precedes`, in place and not,
 * with indices, in rows and in segments. */

#define CLSORT_IMPLEMENTATION
#include "cases.h"

static void records_by_a_key(bench *b)
{
    static const size_t values[] = { 1, 4, 7, 8, 16, 33 }, counts[] = { 0, 1, 2, 300, 5000 };
    static const size_t records[] = { 4, 8, 12, 24 };
    static const char *const names[] = { "auto", "bitonic", "merge", "radix" };
    sample_draw sample = test_sample(b, 8);
    size_t v, r, n, a, way;
    for (v = 0; v < 6; v++)
        for (r = 0; r < 4; r++)
            for (n = 0; n < 5; n++)
                for (a = 0; a < 4; a++)
                    for (way = 0; way < 8; way++) {
                        sort_case c = case_make(CLSORT_F32, counts[n], "mod-256");
                        c.d.value_size = values[v];
                        c.d.record_size = records[r];
                        c.d.key_offset = records[r] - 4;
                        c.d.stable = way & 4 ? 1 : 0;
                        c.algorithm = names[a];
                        c.keys_out = way & 1 ? CASE_OWN : 0;
                        c.values_out = way & 2 ? CASE_OWN : 0;
                        c.indices = way == 3 || way == 7;
                        c.prove = 1;
                        if (!sample_takes(&sample)) continue;
                        if (!case_run(b, &c)) return;
                    }
}

static const clsort_field fields[2] = { { 0, CLSORT_U8, CLSORT_DESCENDING, 0, 0 },
                                        { 4, CLSORT_F32, 0, 0, 0 } };

static void records_by_fields(bench *b)
{
    static const size_t values[] = { 1, 4, 12 }, counts[] = { 2, 77, 5000 };
    size_t v, n, way;
    for (v = 0; v < 3; v++)
        for (n = 0; n < 3; n++)
            for (way = 0; way < 4; way++) {
                sort_case c = case_make(CLSORT_F32, counts[n], "mod-16");
                c.d.value_size = values[v];
                c.d.record_size = 12;
                c.d.key_offset = 4;
                c.fields = fields;
                c.field_count = 2;
                c.keys_out = way & 1 ? CASE_OWN : 0;
                c.values_out = way & 2 ? CASE_OWN : 0;
                c.own_scratch = way == 2;
                if (!case_run(b, &c)) return;
            }
}

static void records_in_parts(bench *b)
{
    static const uint32_t offsets[5] = { 3, 3, 400, 401, 1000 };
    size_t way;
    for (way = 0; way < 8; way++) {
        sort_case c = case_make(CLSORT_U32, way & 1 ? 1000 : 100, "mod-256");
        c.d.value_size = way & 2 ? 4 : 20;
        c.d.record_size = 8;
        c.keys_out = way & 4 ? CASE_OWN : 0;
        c.values_out = c.keys_out;
        if (way & 1) c.offsets = offsets, c.d.segment_count = 4;
        else c.d.rows = 9;
        if (!case_run(b, &c)) return;
    }
}

/* How many of n records of one or two words are out of order, or are not those of their values. */
static cl_uint wrong_records(const cl_uint *records, size_t words, const cl_uint *values, cl_uint n)
{
    cl_uint i, wrong = 0;
    for (i = 0; i < n; i++) {
        wrong += records[words * i] != values[i] * 2654435761u >> 24;
        wrong += words > 1 && records[2 * i + 1] != values[i];
        if (!i) continue;
        wrong += records[words * i] > records[words * (i - 1)];
        wrong += records[words * i] == records[words * (i - 1)] && values[i - 1] > values[i];
    }
    return wrong;
}

/* By an expression; of equal records, and so of their values, the order stays. */
static void records_by_an_expression(bench *b)
{
    enum { N = 3000 };
    static cl_uint records[2 * N], values[N];
    cl_uint i, round;
    for (round = 0; round < 4; round++) {
        const size_t words = round & 1 ? 2 : 1;
        clsort_desc d = clsort_desc_default();
        clsort_sorter *s = fresh_sorter(b, CLSORT_OPTION_VERIFY);
        for (i = 0; i < N; i++) {
            records[words * i] = i * 2654435761u >> 24;
            if (words > 1) records[2 * i + 1] = i;
            values[i] = i;
        }
        d.count = N;
        d.record_size = 4 * words;
        d.record_type = words > 1 ? "typedef struct { uint k, v; } clsort_record;"
                                  : "typedef struct { uint k; } clsort_record;";
        d.precedes = "a.k > b.k";
        d.keys = test_buffer(b, 4 * words * N, records);
        d.values = test_buffer(b, sizeof values, values);
        d.value_size = round & 2 ? 2 : 4;
        if (d.value_size == 2) d.count = N / 2;
        AT("round %u", (unsigned)round);
        CHECK_OK(clsort_enqueue_sort(s, b->session.queue, &d, 0, NULL, NULL));
        CHECK_OK(clsort_collect(s, 1));
        clEnqueueReadBuffer(b->session.queue, d.keys, CL_TRUE, 0, 4 * words * N, records, 0, NULL,
                            NULL);
        clEnqueueReadBuffer(b->session.queue, d.values, CL_TRUE, 0, sizeof values, values, 0, NULL,
                            NULL);
        if (d.value_size == 4) CHECK(!wrong_records(records, words, values, N));
        clReleaseMemObject(d.keys), clReleaseMemObject(d.values);
        clsort_destroy(s);
    }
}

static const test_entry tests[] = {
    { "values move with records by their key", records_by_a_key },
    { "values move with records by fields", records_by_fields },
    { "values move with records in rows and segments", records_in_parts },
    { "values move with records by an expression", records_by_an_expression }
};

TEST_MAIN(tests)
