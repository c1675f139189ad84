/* Every input pattern; every string of zeros and ones; every permutation of a few keys. */

#define CLSORT_IMPLEMENTATION
#include "cases.h"

/* Runs every pattern that applies to a type. */
static void run_patterns(bench *b, sort_case c)
{
    size_t p;
    for (p = 0; pattern_name(p); p++) {
        c.pattern = pattern_name(p);
        c.seed = p + 1;
        if (pattern_applies(p, c.d.key_type)) case_run(b, &c);
    }
}

static size_t medium_size(const bench *b)
{
    return b->small ? 100 : 3 * b->tile < 20000 ? 3 * b->tile : 20000;
}

static void every_pattern_of_keys(bench *b)
{
    static const cl_uint types[] = { CLSORT_U32, CLSORT_F32, CLSORT_U64, CLSORT_F16, CLSORT_I8 };
    size_t t;
    for (t = 0; t < sizeof types / sizeof *types; t++) {
        run_patterns(b, case_make(types[t], medium_size(b), NULL));
        run_patterns(b, case_make(types[t], b->small ? 33 : 20000, NULL));
    }
}

static void every_pattern_of_pairs(bench *b)
{
    static const cl_uint types[] = { CLSORT_U32, CLSORT_F64 };
    size_t t, k;
    for (t = 0; t < 2; t++)
        for (k = 0; k < 3; k++) {
            sort_case c = case_make(types[t], medium_size(b), NULL);
            c.d.value_size = k == 1 ? 8 : 4;
            c.d.stable = k == 2;
            c.d.order = k & 1;
            run_patterns(b, c);
        }
}

static void every_pattern_on_every_algorithm(bench *b)
{
    cl_uint i;
    for (i = 0; clsort_algorithm_name(i); i++) {
        sort_case c = case_make(i & 1 ? CLSORT_F32 : CLSORT_U32, b->small ? 40 : 5000, NULL);
        c.algorithm = clsort_algorithm_name(i);
        if (case_sorts_rows(c.algorithm)) continue;
        if (case_sorts_blocks(c.algorithm)) c.block = case_block_length(b, &c);
        run_patterns(b, c);
        if (strcmp(c.algorithm, "merge")) continue;
        c.d.value_size = 4;
        run_patterns(b, c);
        c.d.order = CLSORT_DESCENDING;
        run_patterns(b, c);
    }
}

/* ---- short strings: one buffer, one sort each ------------------------------------------------ */

typedef struct string_bench {
    const bench *b;
    clsort_desc d;
    unsigned char keys[16];
} string_bench;

static int open_strings(string_bench *s, const bench *b, const char *algorithm)
{
    cl_int error;
    s->b = b;
    s->d = clsort_desc_default();
    s->d.key_type = CLSORT_U8;
    s->d.keys = clCreateBuffer(b->session.context, CL_MEM_READ_WRITE, sizeof s->keys, NULL, &error);
    return CHECK(error == CL_SUCCESS) && CHECK_OK(clsort_set_algorithm(&s->d, algorithm));
}

/* Sorts the n keys in s->keys and leaves the result there. */
static int sort_string(string_bench *s, size_t n)
{
    cl_command_queue queue = s->b->session.queue;
    s->d.count = n;
    return CHECK(clEnqueueWriteBuffer(queue, s->d.keys, CL_FALSE, 0, n, s->keys, 0, NULL, NULL)
                 == CL_SUCCESS)
           && CHECK_OK(clsort_enqueue_sort(s->b->sorter, queue, &s->d, 0, NULL, NULL))
           && CHECK(clEnqueueReadBuffer(queue, s->d.keys, CL_TRUE, 0, n, s->keys, 0, NULL, NULL)
                    == CL_SUCCESS);
}

/* Bit i of `bits` is key i; sorted, all zeros come before all ones. */
static int sort_bits(string_bench *s, size_t n, unsigned bits)
{
    size_t i, zeros = 0;
    AT("0/1 string of %zu keys, bits %#x", n, bits);
    for (i = 0; i < n; i++) s->keys[i] = (unsigned char)(bits >> i & 1);
    for (i = 0; i < n; i++) zeros += !s->keys[i];
    if (!sort_string(s, n)) return 0;
    for (i = 0; i < n; i++)
        if (!CHECK(s->keys[i] == (i >= zeros))) return 0;
    return 1;
}

/* All strings up to `longest`, on CPUs some of those from 12 keys on; a network that sorts all
   sorts everything of those lengths. */
static void sort_all_bits(bench *b, const char *algorithm, size_t longest)
{
    string_bench s;
    size_t n;
    unsigned bits;
    int good = !case_lacks(b, algorithm) && open_strings(&s, b, algorithm);
    for (n = 2; n <= longest && good; n++)
        for (bits = 0; bits < 1u << n && good; bits++)
            if (n < 12 || test_takes(b, 4)) good = sort_bits(&s, n, bits);
    if (good && s.d.keys) clReleaseMemObject(s.d.keys);
}

static void every_string_of_zeros_and_ones(bench *b)
{
    cl_uint i;
    sort_all_bits(b, "auto", b->small ? 5 : 16);
    for (i = 1; clsort_algorithm_name(i); i++) {
        if (case_sorts_rows(clsort_algorithm_name(i))) continue;
        /* of u8, minutes of Intel's compiler */
        if (b->few_programs && !strncmp(clsort_algorithm_name(i), "quicksort", 9)) continue;
        if (!test_takes(b, 4)) continue;
        sort_all_bits(b, clsort_algorithm_name(i), b->small ? 3 : 9);
    }
}

/* The next permutation in lexical order; 0 after the last. */
static int next_permutation(unsigned char *p, size_t n)
{
    size_t i = n - 1, j = n - 1, k;
    unsigned char swap;
    while (i > 0 && p[i - 1] > p[i]) i--;
    if (!i) return 0;
    while (p[j] < p[i - 1]) j--;
    swap = p[i - 1], p[i - 1] = p[j], p[j] = swap;
    for (k = n - 1; i < k; i++, k--) swap = p[i], p[i] = p[k], p[k] = swap;
    return 1;
}

static int sort_permutation(string_bench *s, const unsigned char *p, size_t n)
{
    size_t i;
    AT("permutation of %zu keys that starts with %d %d", n, p[0], p[1]);
    memcpy(s->keys, p, n);
    if (!sort_string(s, n)) return 0;
    for (i = 0; i < n; i++)
        if (!CHECK(s->keys[i] == i)) return 0;
    return 1;
}

static void sort_every_permutation(bench *b, const char *algorithm, size_t longest)
{
    string_bench s;
    size_t n, i;
    int good = open_strings(&s, b, algorithm);
    for (n = 2; n <= longest && good; n++) {
        unsigned char p[8];
        for (i = 0; i < n; i++) p[i] = (unsigned char)i;
        do good = sort_permutation(&s, p, n);
        while (good && next_permutation(p, n));
    }
    if (s.d.keys) clReleaseMemObject(s.d.keys);
}

static void every_permutation(bench *b)
{
    sort_every_permutation(b, "bitonic-b16", b->small ? 4 : 8);
    sort_every_permutation(b, "merge", b->small ? 4 : 7);
    sort_every_permutation(b, "merge-local-only", b->small ? 4 : 6);
}

static const test_entry tests[] = {
    { "every pattern of keys is sorted", every_pattern_of_keys },
    { "every string of up to 16 zeros and ones is sorted", every_string_of_zeros_and_ones },
    TEST_REST,
    { "every pattern of pairs is sorted", every_pattern_of_pairs },
    { "every pattern is sorted by every algorithm", every_pattern_on_every_algorithm },
    { "every permutation of up to 8 keys is sorted", every_permutation }
};

TEST_MAIN(tests)
