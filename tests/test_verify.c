/* Proofs: sorts that are right pass, results that were tampered with do not; sorters that check
   themselves; the self-test. */

#include "pretend.h"

#define CLSORT_IMPLEMENTATION
#include "cases.h"
#include "pretenders.h"

enum { N = 5000 };

/* One sort of pairs with its proof. */
typedef struct proven {
    cl_mem keys, values, indices, proof;
    clsort_desc d;
    cl_uint input[N];
} proven;

static void open_proven(bench *b, proven *p, int argsort)
{
    cl_uint order[N], i;
    for (i = 0; i < N; i++) order[i] = i;
    memset(p, 0, sizeof *p);
    pattern_fill(pattern_find("mod-256"), CLSORT_U32, N, 7, 0, p->input);
    p->keys = test_buffer(b, sizeof p->input, p->input);
    p->values = test_buffer(b, sizeof order, order);
    p->indices = test_buffer(b, sizeof order, NULL);
    p->proof = test_buffer(b, sizeof(clsort_proof), NULL);
    p->d = clsort_desc_default();
    p->d.count = N;
    p->d.key_type = CLSORT_U32;
    p->d.keys = p->keys;
    p->d.values = argsort ? NULL : p->values;
    p->d.value_size = argsort ? 0 : 4;
    p->d.indices = argsort ? p->indices : NULL;
    p->d.stable = 1;
}

static void close_proven(proven *p)
{
    clReleaseMemObject(p->keys);
    clReleaseMemObject(p->values);
    clReleaseMemObject(p->indices);
    clReleaseMemObject(p->proof);
}

static void sort_proven(bench *b, proven *p)
{
    CHECK_OK(
        clsort_enqueue_fingerprint(b->sorter, b->session.queue, &p->d, p->proof, 0, 0, NULL, NULL));
    CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &p->d, 0, NULL, NULL));
}

static clsort_status judge_proven(bench *b, proven *p)
{
    clsort_proof proof;
    CHECK_OK(clsort_enqueue_verify(b->sorter, b->session.queue, &p->d, p->proof, 0, 0, NULL, NULL));
    CHECK_OK(clEnqueueReadBuffer(b->session.queue, p->proof, CL_TRUE, 0, sizeof proof, &proof, 0,
                                 NULL, NULL));
    CHECK(proof.count == N);
    return clsort_judge(&proof);
}

/* Swaps (or with `copy` duplicates) two elements of an array on the device. */
static void tamper(bench *b, cl_mem buffer, size_t i, size_t j, int copy)
{
    cl_uint x = 0, y = 0;
    clEnqueueReadBuffer(b->session.queue, buffer, CL_TRUE, i * 4, 4, &x, 0, NULL, NULL);
    clEnqueueReadBuffer(b->session.queue, buffer, CL_TRUE, j * 4, 4, &y, 0, NULL, NULL);
    clEnqueueWriteBuffer(b->session.queue, buffer, CL_TRUE, j * 4, 4, &x, 0, NULL, NULL);
    if (!copy) clEnqueueWriteBuffer(b->session.queue, buffer, CL_TRUE, i * 4, 4, &y, 0, NULL, NULL);
}

static void right_results_are_proven(bench *b)
{
    int argsort;
    for (argsort = 0; argsort < 2; argsort++) {
        proven p;
        AT("argsort %d", argsort);
        open_proven(b, &p, argsort);
        sort_proven(b, &p);
        CHECK_OK(judge_proven(b, &p));
        close_proven(&p);
    }
}

/* What is done to a result: to keys or to what they carry, which are values or indices. */
static const struct {
    const char *what;
    int argsort, keys, copies;      /* copies: one takes the other's place too */
    size_t i, j;
} wrongs[] = {
    { "the order of keys", 0, 1, 0, 0, N - 1 },
    { "a key is lost", 0, 1, 1, 100, 140 },
    { "the last key is lost", 0, 1, 1, 0, N - 1 },
    { "values of different keys", 0, 0, 0, 0, N - 1 },
    { "a value is lost", 0, 0, 1, 17, 18 },
    { "indices of different keys", 1, 0, 0, 0, N - 1 },
    { "indices of equal keys", 1, 0, 0, 4, 5 },     /* not stable */
    { "an index is lost", 1, 0, 1, 40, 41 },
    { "keys of an argsort", 1, 1, 1, 0, 1 },
};

static void wrong_results_are_found(bench *b)
{
    size_t k;
    for (k = 0; k < sizeof wrongs / sizeof *wrongs; k++) {
        proven p;
        AT("%s", wrongs[k].what);
        open_proven(b, &p, wrongs[k].argsort);
        sort_proven(b, &p);
        tamper(b, wrongs[k].keys ? p.keys : wrongs[k].argsort ? p.indices : p.values, wrongs[k].i,
               wrongs[k].j, wrongs[k].copies);
        CHECK_STATUS(judge_proven(b, &p), CLSORT_ERROR_WRONG_RESULT);
        close_proven(&p);
    }
}

/* Equal keys change places. Is that wrong, where the description does not ask for `stable`? */
static void exchanged_equal_keys(bench *b, const char *way, const char *algorithm, cl_uint last_bit,
                                 size_t rows, int counted, clsort_status wanted)
{
    cl_uint n = N;
    const cl_mem count = test_buffer(b, sizeof n, &n);
    proven p;
    AT("%s", way);
    open_proven(b, &p, 1);
    p.d.stable = 0;
    p.d.last_bit = last_bit;
    p.d.rows = rows;
    if (counted) p.d.count_buffer = count;
    CHECK_OK(clsort_set_algorithm(&p.d, algorithm));
    sort_proven(b, &p);
    tamper(b, p.indices, 4, 5, 0);
    CHECK_STATUS(judge_proven(b, &p), wanted);
    close_proven(&p);
    clReleaseMemObject(count);
}

static void the_order_of_equal_keys_counts_where_promised(bench *b)
{
    const clsort_status wrong = CLSORT_ERROR_WRONG_RESULT;
    exchanged_equal_keys(b, "auto", "auto", 0, 0, 0, CL_SUCCESS);
    exchanged_equal_keys(b, "some bits", "auto", 8, 0, 0, CL_SUCCESS);
    exchanged_equal_keys(b, "a count on the device", "auto", 0, 0, 1, CL_SUCCESS);
    exchanged_equal_keys(b, "one row", "auto", 0, 1, 0, wrong);
    exchanged_equal_keys(b, "one row by some bits", "auto", 8, 1, 0, wrong);
    exchanged_equal_keys(b, "merge by name", "merge", 0, 0, 0, wrong);
    exchanged_equal_keys(b, "radix by name", "radix", 8, 0, 0, wrong);
}

/* Each part of a proof decides alone. */
static void judge_reads_every_part(bench *b)
{
    clsort_proof right, wrong;
    size_t i;
    (void)b;
    memset(&right, 0, sizeof right);
    right.unsorted = right.count = 5;
    for (i = 0; i < sizeof right.before / sizeof *right.before; i++)
        right.before[i] = right.after[i] = (cl_uint)(7 * i + 1);
    CHECK_OK(clsort_judge(&right));
    CHECK_STATUS(clsort_judge(NULL), CLSORT_ERROR_NULL_ARGUMENT);
    for (i = 0; i < sizeof right; i += sizeof(cl_uint)) {
        cl_uint word;
        wrong = right;
        AT("word %d", (int)(i / sizeof word));
        memcpy(&word, (unsigned char *)&wrong + i, sizeof word);
        word ^= 4;
        memcpy((unsigned char *)&wrong + i, &word, sizeof word);
        CHECK_STATUS(clsort_judge(&wrong), CLSORT_ERROR_WRONG_RESULT);
    }
}

/* ---- sorters that check themselves ----------------------------------------------------------- */

static int reports;

static void CL_CALLBACK count_report(void *user, clsort_status status, const char *function,
                                     const char *message)
{
    (void)user;
    (void)function;
    (void)message;
    reports += status == CLSORT_ERROR_WRONG_RESULT;
}

static clsort_sorter *self_checking(bench *b)
{
    clsort_options options = clsort_options_default();
    clsort_sorter *s = NULL;
    options.diagnostic = count_report;
    options.flags = CLSORT_OPTION_VERIFY;
    CHECK_OK(clsort_create(b->session.context, b->session.info.id, &options, &s));
    return s;
}

static void self_checking_sorters_pass_right_results(bench *b)
{
    clsort_sorter *s = self_checking(b);
    proven p;
    cl_event done = NULL;
    reports = 0;
    open_proven(b, &p, 0);
    CHECK_OK(clsort_enqueue_sort(s, b->session.queue, &p.d, 0, NULL, NULL));
    CHECK_OK(clsort_enqueue_sort(s, b->session.queue, &p.d, 0, NULL, &done));
    CHECK(done != NULL);
    CHECK_OK(clsort_collect(s, 1));
    CHECK(reports == 0);
    if (done) clReleaseEvent(done);
    close_proven(&p);
    clsort_destroy(s);
}

/* The sort waits for a gate, so that its proof is still to be judged; then the proof is read,
   right, and damaged. The read also waits for the sort: on Intel's runtime under load, a write
   right after clFinish was seen to be lost. */
/* Of indices alone a proof would read keys that are gone. */
static void keys_that_a_proof_reads_stay(bench *b)
{
    clsort_sorter *const checking = self_checking(b);
    clsort_desc d = clsort_desc_default();
    d.count = 1000;
    d.key_type = CLSORT_U32;
    d.indices = CLSORT_LATER;
    d.flags = CLSORT_FLAG_OVERWRITE_INPUT;
    CHECK_OK(clsort_check(b->sorter, &d));
    CHECK_STATUS(clsort_check(checking, &d), CLSORT_ERROR_UNKNOWN_FLAG);
    d.keys_out = CLSORT_LATER;
    CHECK_OK(clsort_check(checking, &d));
    clsort_destroy(checking);
}

static void self_checking_sorters_report_wrong_results(bench *b)
{
    clsort_sorter *s = self_checking(b);
    cl_event gate = clCreateUserEvent(b->session.context, NULL);
    const cl_uint one = 1;
    clsort_proof proof;
    proven p;
    reports = 0;
    open_proven(b, &p, 0);
    CHECK_OK(clsort_enqueue_sort(s, b->session.queue, &p.d, 1, &gate, NULL));
    clSetUserEventStatus(gate, CL_COMPLETE);
    CHECK_OK(clFinish(b->session.queue));
    /* Damaged on the queue that reads it: Intel's runtime was seen to lose a blocking write of
       another queue. */
    if (CHECK(s->pending_count == 1) && CHECK_OK(clsort__own_queue(s))) {
        CHECK_OK(clEnqueueReadBuffer(s->own_queue, s->pending[0].proof, CL_TRUE, 0, sizeof proof,
                                     &proof, 0, NULL, NULL));
        CHECK_OK(clsort_judge(&proof));
        CHECK_OK(clEnqueueWriteBuffer(s->own_queue, s->pending[0].proof, CL_TRUE,
                                      offsetof(clsort_proof, unsorted), 4, &one, 0, NULL, NULL));
    }
    CHECK_STATUS(clsort_collect(s, 1), CLSORT_ERROR_WRONG_RESULT);
    CHECK(reports == 1 && s->pending_count == 0);
    clReleaseEvent(gate);
    close_proven(&p);
    clsort_destroy(s);
}

/* Hybrid radix of pairs writes other keys than it sorted, out of order. */
static const char right_store[] = "((global uint*)a.keys)[i]=(uint)((ulong)key>>32);",
                  wrong_store[] = "((global uint*)a.keys)[i]=(uint)((ulong)key>>32)^4096;";

static void edit_kernels(int wrong)
{
    edited.text = wrong ? right_store : NULL;
    edited.other = wrong_store;
    edited.programs = 0;
}

/* Sorts pairs whose keys span up to so many codes; the verdict. */
static clsort_status sort_wide_pairs(bench *b, clsort_sorter *s, cl_uint span)
{
    enum { PAIRS = 200000 };
    static cl_uint keys[PAIRS], values[PAIRS];
    clsort_desc d = clsort_desc_default();
    uint64_t random = 1;
    cl_uint i;
    for (i = 0; i < PAIRS; i++) {
        keys[i] = 0x12345 + (cl_uint)(pattern_random(&random) % span);
        values[i] = i;
    }
    d.count = PAIRS;
    d.key_type = CLSORT_U32;
    d.value_size = 4;
    d.tuning.work_group = 64;
    d.keys = test_buffer(b, sizeof keys, keys);
    d.values = test_buffer(b, sizeof values, values);
    CHECK_OK(clsort_set_algorithm(&d, "radix-hybrid"));
    CHECK_OK(clsort_enqueue_sort(s, b->session.queue, &d, 0, NULL, NULL));
    CHECK_OK(clFinish(b->session.queue));
    clReleaseMemObject(d.keys);
    clReleaseMemObject(d.values);
    return clsort_collect(s, 1);
}

/* Where keys span a little less than 2^24 codes, hybrid radix leaves pairs to the passes. */
static void self_checking_sorters_find_wrong_kernels(bench *b)
{
    static const struct { int more, wrong; } cases[] = { { -1, 0 }, { 1, 0 }, { 1, 1 } };
    const cl_uint edge = CLSORT__EDGE_LEAST_SPAN;
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int wrong = cases[i].wrong;
        clsort_sorter *s = self_checking(b);
        AT("kernels are %s, span %s", wrong ? "wrong" : "right", cases[i].more > 0 ? "+" : "-");
        edit_kernels(wrong);
        CHECK_STATUS(sort_wide_pairs(b, s, cases[i].more > 0 ? edge + edge / 1024 : edge - 1),
                     wrong ? CLSORT_ERROR_WRONG_RESULT : CL_SUCCESS);
        CHECK(!edited.programs == !wrong);
        clsort_destroy(s);
    }
    edit_kernels(0);
}

/* ---- the self-test --------------------------------------------------------------------------- */

/* What the self-test asks of values: that each names one element, which has the key at its place.
   Equal keys do not hide an element that is named twice in place of another one. */
static void lost_values_are_found(bench *b)
{
    static const unsigned char keys[] = { 5, 7, 5 }, sorted[] = { 5, 5, 7 };
    static const struct { cl_uint values[3]; int hold; } cases[] = {
        { { 0, 2, 1 }, 1 }, { { 2, 0, 1 }, 1 }, { { 0, 0, 1 }, 0 }, { { 2, 2, 1 }, 0 },
        { { 0, 1, 2 }, 0 }, { { 0, 2, 3 }, 0 }, { { 3, 2, 1 }, 0 }
    };
    unsigned char seen[3];
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        AT("case %u", (unsigned)i);
        CHECK(clsort__values_hold(keys, sorted, 1, cases[i].values, seen, 3) == cases[i].hold);
    }
    (void)b;
}

static void the_self_test_passes(bench *b)
{
    CHECK_OK(clsort_self_test(b->sorter));
}

/* Hybrid radix of pairs as NVIDIA's GPUs take it. The self-test builds that of others, too. */
static void test_hybrid(bench *other, unsigned char *memory, int wrong)
{
    clsort_sorter *s = other->sorter;
    const clsort__radix_form *form = clsort__radix_forms;
    const clsort_status right = wrong ? CLSORT_ERROR_WRONG_RESULT : CL_SUCCESS;
    while (form->family != CLSORT__HYBRID) form++;
    AT("kernels are %s", wrong ? "wrong" : "right");
    edit_kernels(wrong);
    CHECK_STATUS(clsort__test_form(s, form, CLSORT_U32, CLSORT__TEST_VALUES, memory), right);
    CHECK(!edited.programs == !wrong);
    CHECK(!(s->facts.given_up & CLSORT__BIT(CLSORT__HYBRID)) == !wrong);
    edit_kernels(0);
}

static void the_self_test_finds_wrong_forms(bench *b)
{
    unsigned char *memory = (unsigned char *)malloc(21 * (size_t)CLSORT__TEST_TOP_DOWN);
    bench other = *b;
    int wrong;
    for (wrong = 0; memory && wrong < 2 && sweeping_sorter(b, &other); wrong++) {
        if (test_draws(b)) more_options = sweeping_builds(b);
        test_hybrid(&other, memory, wrong);
        end_sweeping(&other);
    }
    free(memory);
}

static void a_family_that_failed_is_out_of_auto(bench *b)
{
    clsort_sorter *s = NULL, *clone = NULL;
    clsort_desc d = clsort_desc_default();
    d.count = 10;
    d.key_type = CLSORT_U32;
    CHECK_OK(clsort_create(b->session.context, b->session.info.id, NULL, &s));
    s->facts.given_up = ~0u;
    CHECK_OK(clsort_clone(s, &clone));
    CHECK_STATUS(clsort_check(s, &d), CLSORT_ERROR_WRONG_RESULT);
    CHECK_STATUS(clsort_check(clone, &d), CLSORT_ERROR_WRONG_RESULT);
    d.algorithm = CLSORT_BITONIC;
    CHECK_OK(clsort_check(s, &d));
    clsort_destroy(clone);
    clsort_destroy(s);
}

int main(void)
{
    static const test_entry tests[] = {
        { "right results are proven", right_results_are_proven },
        { "wrong keys, values and indices are found", wrong_results_are_found },
        { "the order of equal keys counts where it is promised",
          the_order_of_equal_keys_counts_where_promised },
        { "every part of a proof is judged", judge_reads_every_part },
        { "self-checking sorters pass right results", self_checking_sorters_pass_right_results },
        { "self-checking sorters report wrong results",
          self_checking_sorters_report_wrong_results },
        { "keys that a proof reads again may not be overwritten", keys_that_a_proof_reads_stay },
        { "values that are lost are found", lost_values_are_found },
        { "a family that failed the self-test is out of AUTO",
          a_family_that_failed_is_out_of_auto },
        TEST_REST,
        { "self-checking sorters find wrong kernels", self_checking_sorters_find_wrong_kernels },
        { "the self-test passes", the_self_test_passes },
        { "the self-test finds a wrong form of radix", the_self_test_finds_wrong_forms },
    };
    return test_main(tests, sizeof tests / sizeof *tests);
}
