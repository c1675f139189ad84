/* clsort_enqueue_group_starts: keys of every width, empty and huge groups, keys beyond the last
 * group, a count that only the device knows, guards around what is written, and bad calls. */

#define TEST_PUBLIC
#include "harness.h"

#include "../tools/clsort/patterns.h"

enum { SHIFT = 16, GUARD = 0xA5 };

/* A call: `count` sorted keys of `bytes` bytes below `top`, in `groups` groups. */
typedef struct grouping {
    size_t count, groups;
    cl_uint bytes;
    cl_ulong top;               /* 1: one huge group */
    size_t most;                /* on the device; (size_t)-1: no count there */
    int starts, counts;         /* are they asked for? */
} grouping;

static int compare_keys(const void *a, const void *b)
{
    const cl_ulong x = *(const cl_ulong *)a, y = *(const cl_ulong *)b;
    return (x > y) - (x < y);
}

/* Sorted keys, as numbers and as the device has them behind `SHIFT` bytes. */
static cl_ulong *make_keys(const grouping *g, unsigned char *packed)
{
    cl_ulong *const keys = (cl_ulong *)malloc((g->count + 1) * sizeof *keys);
    uint64_t random = g->count + 31 * g->groups + g->bytes;
    size_t i;
    cl_uint k;
    if (!keys) abort();
    for (i = 0; i < g->count; i++) keys[i] = pattern_random(&random) % g->top;
    qsort(keys, g->count, sizeof *keys, compare_keys);
    for (i = 0; i < g->count; i++)
        for (k = 0; k < g->bytes; k++)
            packed[SHIFT + i * g->bytes + k] = (unsigned char)(keys[i] >> 8 * k);
    return keys;
}

/* Do the bytes of an output hold `wanted`, between guards? */
static int is_right(const bench *b, cl_mem buffer, size_t bytes, const cl_uint *wanted,
                    size_t words)
{
    unsigned char *const read = (unsigned char *)malloc(bytes);
    size_t i;
    int good;
    if (!read) abort();
    good = CHECK(clEnqueueReadBuffer(b->session.queue, buffer, CL_TRUE, 0, bytes, read, 0, NULL,
                                     NULL)
                 == CL_SUCCESS);
    good = CHECK(!memcmp(read + SHIFT, wanted, words * 4)) && good;
    for (i = 0; i < bytes; i++)
        if (i < SHIFT || i >= SHIFT + words * 4) good = good && CHECK(read[i] == GUARD);
    free(read);
    return good;
}

static cl_mem guarded_buffer(const bench *b, size_t bytes)
{
    unsigned char *const noise = (unsigned char *)malloc(bytes);
    cl_mem buffer;
    if (!noise) abort();
    memset(noise, GUARD, bytes);
    buffer = test_buffer(b, bytes, noise);
    free(noise);
    return buffer;
}

/* Compares with starts and counts that are found by going through the keys. */
static int check_outputs(const bench *b, const grouping *g, const cl_ulong *keys, cl_mem starts,
                         cl_mem counts)
{
    const size_t n = g->count < g->most ? g->count : g->most, bytes = (g->groups + 1) * 4;
    cl_uint *const first = (cl_uint *)malloc(bytes), *const number = (cl_uint *)malloc(bytes);
    size_t group, i = 0;
    int good;
    if (!first || !number) abort();
    for (group = 0; group <= g->groups; group++) {
        while (i < n && keys[i] < group) i++;
        first[group] = (cl_uint)i;
        if (group) number[group - 1] = first[group] - first[group - 1];
    }
    good = is_right(b, starts, bytes + 2 * SHIFT, first, g->starts ? g->groups + 1 : 0);
    good = is_right(b, counts, bytes + 2 * SHIFT, number, g->counts ? g->groups : 0) && good;
    free(first);
    free(number);
    return good;
}

static int run(const bench *b, const grouping *g)
{
    const size_t bytes = (g->groups + 1) * 4 + 2 * SHIFT, key_bytes = g->count * g->bytes + SHIFT;
    unsigned char *const packed = (unsigned char *)calloc(1, key_bytes + 1);
    cl_ulong *const keys = make_keys(g, packed);
    const cl_uint most[2] = { 0, (cl_uint)g->most };
    cl_mem starts = guarded_buffer(b, bytes), counts = guarded_buffer(b, bytes),
           sorted = test_buffer(b, key_bytes, packed), count = test_buffer(b, sizeof most, most);
    clsort_groups_desc d = clsort_groups_desc_default();
    int good;
    AT("%zu keys of %u bytes below %.0f, %zu groups, %zu on the device", g->count,
       (unsigned)g->bytes, (double)g->top, g->groups, g->most);
    d.count = g->count;
    d.groups = g->groups;
    d.key_type = 0x100 + 8 * g->bytes;
    d.keys = sorted;
    d.keys_offset = d.starts_offset = d.counts_offset = SHIFT;
    if (g->starts) d.starts = starts;
    if (g->counts) d.counts = counts;
    if (g->most != (size_t)-1) d.count_buffer = count, d.count_offset = 4;
    good = CHECK_OK(clsort_enqueue_group_starts(b->sorter, b->session.queue, &d, 0, NULL, NULL))
           && check_outputs(b, g, keys, starts, counts);
    clReleaseMemObject(starts), clReleaseMemObject(counts);
    clReleaseMemObject(sorted), clReleaseMemObject(count);
    free(keys);
    free(packed);
    return good;
}

static void every_width(bench *b)
{
    static const size_t counts[] = { 0, 1, 2, 255, 256, 257, 5000 };
    static const size_t groups[] = { 0, 1, 2, 61, 256, 3000 };
    static const cl_ulong tops[] = { 1, 2, 50, 300, 70000, (cl_ulong)1 << 40 };
    grouping g;
    size_t c, k, t;
    g.most = (size_t)-1;
    for (g.bytes = 1; g.bytes <= 8; g.bytes *= 2)
        for (c = 0; c < sizeof counts / sizeof *counts; c++)
            for (k = 0; k < sizeof groups / sizeof *groups; k++)
                for (t = 0; t < sizeof tops / sizeof *tops; t++) {
                    const cl_ulong end = g.bytes < 8 ? (cl_ulong)1 << 8 * g.bytes : ~(cl_ulong)0;
                    g.count = counts[c];
                    g.groups = groups[k];
                    g.top = tops[t] < end ? tops[t] : end;
                    g.starts = (c + k + t) % 3 != 0;
                    g.counts = !g.starts || (c + k) % 2;
                    if (b->small && (c + k + t) % 4) continue;
                    if (!run(b, &g)) return;
                }
}

static void counts_on_the_device(bench *b)
{
    static const size_t most[] = { 0, 1, 999, 1000, 1001, 0xFFFFFFFF };
    size_t i;
    for (i = 0; i < sizeof most / sizeof *most; i++) {
        const grouping g = { 1000, 100, 4, 90, most[i], 1, 1 };
        if (!run(b, &g)) return;
    }
}

/* More groups than keys, and more keys than groups, by far. */
static void large_calls(bench *b)
{
    const grouping cells = { 100000, 1000000, 4, 1 << 20, (size_t)-1, 1, 1 },
                   experts = { 1000000, 64, 1, 61, (size_t)-1, 1, 1 };
    if (b->small) return;
    CHECK(run(b, &cells) && run(b, &experts));
}

/* A sort by group, and the segments between its starts, as README shows. */
static void starts_are_segments(bench *b)
{
    enum { N = 3000, GROUPS = 40 };
    cl_uint keys[N], i, group = 0, wrong = 0, starts[GROUPS + 1];
    float scores[N];
    clsort_desc d = clsort_desc_default();
    clsort_groups_desc g = clsort_groups_desc_default();
    cl_mem offsets = guarded_buffer(b, sizeof starts);
    for (i = 0; i < N; i++) {
        keys[i] = i * 2654435761u >> 27;
        scores[i] = (float)(i * 7919u % 997u);
    }
    d.count = g.count = N;
    d.key_type = g.key_type = CLSORT_U32;
    d.keys = g.keys = test_buffer(b, sizeof keys, keys);
    d.values = test_buffer(b, sizeof scores, scores);
    d.value_size = 4;
    g.starts = offsets;
    g.groups = GROUPS;
    CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, NULL));
    CHECK_OK(clsort_enqueue_group_starts(b->sorter, b->session.queue, &g, 0, NULL, NULL));
    d.keys = d.values;
    d.values = NULL, d.value_size = 0;
    d.key_type = CLSORT_F32;
    d.segments = offsets, d.segment_count = GROUPS;
    CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(b->session.queue, d.keys, CL_TRUE, 0, sizeof scores, scores, 0, NULL,
                              NULL)
          == CL_SUCCESS);
    CHECK(clEnqueueReadBuffer(b->session.queue, offsets, CL_TRUE, 0, sizeof starts, starts, 0, NULL,
                              NULL)
          == CL_SUCCESS);
    for (i = 1; i < N; i++) {
        while (group < GROUPS && starts[group + 1] <= i) group++;
        wrong += i > starts[group] && scores[i - 1] > scores[i];
    }
    CHECK(!wrong && starts[0] == 0 && starts[GROUPS] == N && group == 31);
    clReleaseMemObject(d.keys), clReleaseMemObject(g.keys), clReleaseMemObject(offsets);
}

/* ---- bad calls ------------------------------------------------------------------------------- */

static clsort_groups_desc good_groups(cl_mem keys, cl_mem starts, cl_mem counts)
{
    clsort_groups_desc g = clsort_groups_desc_default();
    g.count = 100;
    g.groups = 10;
    g.key_type = CLSORT_U32;
    g.keys = keys;
    g.starts = starts;
    g.counts = counts;
    return g;
}

#define WITH(change, code) \
    do { \
        cl_event done = NULL; \
        clsort_groups_desc g = good_groups(keys, starts, counts); \
        change; \
        AT("%s", #change); \
        CHECK_STATUS(clsort_enqueue_group_starts(s, b->session.queue, &g, 0, NULL, &done), code); \
        CHECK(!done); \
        CHECK(strstr(clsort_last_error(s), "clsort_enqueue_group_starts")); \
    } while (0)

static void bad_calls(bench *b)
{
    clsort_sorter *const s = b->sorter;
    cl_mem keys = test_buffer(b, 400, NULL), starts = test_buffer(b, 44, NULL),
           counts = test_buffer(b, 40, NULL);
    CHECK_STATUS(clsort_enqueue_group_starts(NULL, b->session.queue, NULL, 0, NULL, NULL),
                 CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_enqueue_group_starts(s, b->session.queue, NULL, 0, NULL, NULL),
                 CLSORT_ERROR_NULL_ARGUMENT);
    WITH(g.key_type = 0, CLSORT_ERROR_KEY_TYPE);
    WITH(g.key_type = CLSORT_I32, CLSORT_ERROR_KEY_TYPE);
    WITH(g.key_type = 0x118, CLSORT_ERROR_KEY_TYPE);
    WITH(g.key_type = 0x1FF, CLSORT_ERROR_KEY_TYPE);
    WITH(g.flags = 2, CLSORT_ERROR_UNKNOWN_FLAG);
    WITH(g.count_offset = 4, CLSORT_ERROR_UNUSED_FIELD);
    if (sizeof(size_t) > 4) WITH(g.count = (size_t)1 << 16 << 16, CLSORT_ERROR_COUNT_TOO_LARGE);
    WITH(g.groups = 0xFFFFFFFF, CLSORT_ERROR_COUNT_TOO_LARGE);
    WITH(g.starts_offset = ~(size_t)3, CLSORT_ERROR_SIZE_OVERFLOW);
    WITH(g.keys_offset = 2, CLSORT_ERROR_MISALIGNED);
    WITH(g.starts_offset = 2, CLSORT_ERROR_MISALIGNED);
    WITH(g.counts_offset = 2, CLSORT_ERROR_MISALIGNED);
    WITH(g.keys = NULL, CLSORT_ERROR_MISSING_BUFFER);
    WITH(g.starts = g.counts = NULL, CLSORT_ERROR_MISSING_BUFFER);
    WITH(g.count = 101, CLSORT_ERROR_BUFFER_TOO_SMALL);
    WITH(g.groups = 11, CLSORT_ERROR_BUFFER_TOO_SMALL);
    WITH(g.counts_offset = 4, CLSORT_ERROR_BUFFER_TOO_SMALL);
    WITH(g.count_buffer = keys; g.count_offset = 400, CLSORT_ERROR_BUFFER_TOO_SMALL);
    WITH(g.counts = keys, CLSORT_ERROR_OVERLAP);
    WITH(g.count_buffer = starts, CLSORT_ERROR_OVERLAP);
    clReleaseMemObject(keys), clReleaseMemObject(starts), clReleaseMemObject(counts);
}

static const test_entry tests[] = {
    { "starts and counts of keys of every width", every_width },
    { "a count on the device", counts_on_the_device },
    { "many groups, and many keys", large_calls },
    { "starts are the segments of a later sort", starts_are_segments },
    { "bad calls are refused", bad_calls }
};

TEST_MAIN(tests)
