/* clsort_measure.h - measures what AUTO should take on a device. One file to copy, beside clsort.h.
   MIT or public domain, as you like: clsort.h has the texts.

     #include "clsort.h"
     #include "clsort_measure.h"

     clsort_measure_desc m = clsort_measure_desc_default();
     m.sort = &d;                              types, and the largest count
     status = clsort_measure(s, queue, &m);    AUTO takes the fastest from now on

   The file of a program that defines CLSORT_IMPLEMENTATION includes this header, too: the
   implementation comes with it. It calls private functions of clsort.h, so both headers must be of
   one version. clsort.h says what choices are, keeps them, and writes and reads them as text: a
   program that only uses what another one measured does not need this header. */

#include "clsort.h"   /* above the guard, so that CLSORT_IMPLEMENTATION brings both */

#ifndef CLSORT_MEASURE_H_INCLUDED
#define CLSORT_MEASURE_H_INCLUDED

#if CLSORT_VERSION_MAJOR != 0 || CLSORT_VERSION_MINOR != 5 || CLSORT_VERSION_PATCH != 0
#error "clsort.h and clsort_measure.h are of different versions: take both from one release"
#endif

/* The OpenCL functions that the implementation calls, beside CLSORT_CL_FUNCTIONS. */
#define CLSORT_MEASURE_CL_FUNCTIONS(X) X(clGetEventProfilingInfo)

#ifdef __cplusplus
extern "C" {
#endif

/* Called before each step of a measurement: `done` of `total` are over. Not 0 ends the call. */
typedef int (*clsort_progress)(void *user, cl_uint done, cl_uint total);

typedef struct clsort_measure_desc {
    size_t struct_size;
    /* It gives
       - types, order, sizes
       - the largest count; with top_k also rows, without gaps
       - which arrays there will be: CLSORT_LATER or buffers, neither read nor written */
    const clsort_desc *sort;
    size_t max_bytes;           /* the most of buffers, scratch included; 0: what the device has */
    clsort_progress progress;
    void *user;                 /* handed to it */
    cl_uint max_ms;             /* the most milliseconds, builds included; 0: 10,000 */
    cl_uint flags;              /* CLSORT_MEASURE_* */
} clsort_measure_desc;
CLSORT__DEFAULT(clsort_measure_desc)

enum { CLSORT_MEASURE_ONLY_BUILDS = 1 };    /* builds what the measurement needs, and ends */

/* Measures what AUTO may take for sorts like measure->sort, at counts 256, 512 and so on up to its
   count; for top-k at lengths of rows from 2 k. Blocks.
   - It sorts uniform random keys of its own by all that AUTO could take, and checks the results
     (selections by a sort of whole rows, for which there must be memory): what is wrong once is
     dropped. A candidate replaces the built-in choice where it gains more than 5 % in each of two
     rounds, and only if it is nowhere 5 % slower.
   - Then it prepares for this sort as clsort_prepare with CLSORT_FLAG_ANY_COUNT does on `queue`.
   - It waits for what `queue` holds, then works on a profiling queue of its own: times are the
     device's, max_ms too. Other work there makes the result worse, never wrong.
   - It builds all candidates first; what was built stays, also in the cache. Steps that would
     exceed max_ms are not begun, but a compiler is not interrupted, and saving to the cache comes
     on top. To measure without builds, call this with CLSORT_MEASURE_ONLY_BUILDS before.
   - A later call for the same kind replaces its choice. After a failure AUTO is as it was.
   - Sources: Frigo, Johnson, FFTW; Nugteren, CLBlast.
   Errors: CLSORT_ERROR_NO_CHOICE for rows and segments without top_k; CLSORT_ERROR_UNSUPPORTED for
   segments, lengths and flags beside top_k, records, some bits of keys, a count on the device, an
   algorithm, tuning and scratch; CLSORT_ERROR_CANCELLED; CLSORT_ERROR_OUT_OF_TIME; for max_bytes
   CL_MEM_OBJECT_ALLOCATION_FAILURE; CLSORT_ERROR_WRONG_RESULT if no algorithm sorts right. */
CLSORT_API clsort_status clsort_measure(clsort_sorter *sorter, cl_command_queue queue,
                                        const clsort_measure_desc *measure);

#ifdef __cplusplus
}
#endif

#endif /* CLSORT_MEASURE_H_INCLUDED */

/* ==== implementation ========================================================================== */

#ifdef CLSORT_IMPLEMENTATION
#ifndef CLSORT_MEASURE_IMPLEMENTED
#define CLSORT_MEASURE_IMPLEMENTED

#ifdef __cplusplus
extern "C" {
#endif

/* The least struct_size; it never changes. Trials, the policies that AUTO may take at a count:
   CORNERS, one for each way to be above or below four thresholds; then AUTO's own, OWN_TRIAL.
   MOST_COUNTS: powers of two from the first count on, and one more. */
enum {
    CLSORT__FIRST_MEASURE = offsetof(clsort_measure_desc, flags) + sizeof(cl_uint),
    CLSORT__CORNERS = 16,
    CLSORT__OWN_TRIAL = CLSORT__CORNERS,
    CLSORT__TRIALS = CLSORT__CORNERS + 1,
    CLSORT__MOST_COUNTS = 26,
    CLSORT__MOST_REPEATS = 5
};

/* The buffers of a measurement: input that stays, arrays that are sorted in place, outputs, for
   top-k outputs of a sort of whole rows, a proof, and its content before each sort. */
enum {
    CLSORT__ITS_KEYS, CLSORT__ITS_VALUES, CLSORT__KEYS_IN_PLACE, CLSORT__VALUES_IN_PLACE,
    CLSORT__ITS_KEYS_OUT, CLSORT__ITS_VALUES_OUT, CLSORT__ITS_INDICES, CLSORT__SORTED_KEYS,
    CLSORT__SORTED_VALUES, CLSORT__SORTED_INDICES, CLSORT__ITS_PROOF, CLSORT__FIRST_PROOF,
    CLSORT__ITS_BUFFERS,
    CLSORT__ITS_OUTPUTS = 3     /* outputs, from CLSORT__ITS_KEYS_OUT on */
};

/* The trials at a count. Trials with equal plans share the number of the first of them. ns: its
   times in two rounds; 0: it was dropped. */
typedef struct clsort__timings {
    size_t n;
    int trial[CLSORT__TRIALS];
    const clsort__algorithm *algorithm[CLSORT__TRIALS]; /* NULL: a selection */
    int way[CLSORT__TRIALS];                            /* CLSORT__BY_*, of a selection */
    clsort__config config[CLSORT__TRIALS];
    double ns[CLSORT__TRIALS][2];
    cl_uint out; /* a bit for each trial that does not run */
} clsort__timings;

typedef struct clsort__measurement {
    clsort_sorter *s;
    clsort_measure_desc m;
    clsort_desc d;              /* the sorts, with buffers */
    cl_command_queue queue;     /* the measurement's own, with profiling */
    cl_mem memory[CLSORT__ITS_BUFFERS];
    size_t bytes[CLSORT__ITS_BUFFERS];
    clsort__crossover corners[CLSORT__CORNERS];
    clsort__policy trials[CLSORT__TRIALS];
    cl_ulong start, now;        /* by the device's clock, in ns */
    double spent, build;        /* ns of the count before; ns of the longest build */
    cl_uint done, total;        /* steps, for progress */
    clsort__kinds warmed;
    cl_event first;             /* of the sort that runs */
    unsigned char *found, *right;   /* top-k: the outputs; the right outputs */
    size_t unit[CLSORT__ITS_OUTPUTS], found_bytes;  /* unit: bytes of an element of each output */
    int counts;
    clsort__timings at[CLSORT__MOST_COUNTS];
} clsort__measurement;

/* ---- trials ---- */

/* The row in which the thresholds of the set bits are met, whatever the count. */
static clsort__crossover clsort__corner_row(int corner)
{
    clsort__crossover row = clsort__widest_rows[1];
    row.samples = corner & 1 ? CLSORT__NEVER : 0;
    row.bitonic = corner & 2 ? (cl_uint)CLSORT__MOST_BITONIC : 0;
    row.radix = corner & 4 ? 0 : CLSORT__NEVER;
    row.hybrid = corner & 8 ? 0 : CLSORT__NEVER;
    return row;
}

/* The corner with the choices of a row at a count. */
static int clsort__corner_at(const clsort__crossover *row, size_t n)
{
    return (n <= row->samples) | (n <= row->bitonic) << 1 | (n >= row->radix) << 2
           | (n >= row->hybrid) << 3;
}

/* The policies of trials: rows for all corners, or for top-k all ways; then AUTO's own. It is the
   built-in one, so that the result does not depend on earlier measurements. */
static void clsort__make_trials(clsort__measurement *m)
{
    int f;
    for (f = 0; f < CLSORT__TRIALS; f++) {
        clsort__policy *const p = &m->trials[f];
        *p = *clsort__policy_of(&m->s->facts);
        if (m->d.top_k) p->way = f < CLSORT__WAYS ? 1 + (cl_uint)f : 0;
        else if (f < CLSORT__CORNERS) {
            m->corners[f] = clsort__corner_row(f);
            p->crossover_rows = &m->corners[f];
        }
    }
}

/* Plans m->d by each trial, and finds trials with equal plans. */
static void clsort__find_trials(clsort__measurement *m, clsort__timings *t)
{
    int f;
    for (f = 0; f < CLSORT__TRIALS; f++) {
        clsort__checks c = clsort__begin_checks(m->s);
        clsort_desc d;
        clsort__job j;
        int *same = &t->trial[f];
        clsort__sort_job(&j, m->s, m->s->function, &m->d, &d);
        j.policy = &m->trials[f];
        j.op->judge(&c, &j);
        t->algorithm[f] = j.plan.algorithm;
        t->way[f] = j.plan.select.how;
        t->config[f] = j.plan.config;
        for (*same = 0; *same < f; (*same)++)
            if (t->algorithm[*same] == t->algorithm[f] && t->way[*same] == t->way[f]
                && !memcmp(&t->config[*same], &t->config[f], sizeof t->config[f]))
                break;
    }
}

/* 1 if the time of a trial grows faster than the count. */
static int clsort__outgrows(const clsort__timings *t, int trial)
{
    return t->algorithm[trial] ? t->algorithm[trial]->number != CLSORT_RADIX
                               : t->way[trial] == CLSORT__BY_SORTING;
}

/* 1 if the time of a trial is proportional to the count, whatever the count. */
static int clsort__keeps_pace(const clsort__timings *t, int trial)
{
    const cl_uint family = t->config[trial].family;
    return t->algorithm[trial] ? t->algorithm[trial]->number == CLSORT_RADIX
                                     && family != CLSORT__SAMPLES && family != CLSORT__RANKS
                               : t->way[trial] == CLSORT__BY_DIGITS;
}

/* ---- time ---- */

static clsort_status clsort__event_time(const clsort__measurement *m, cl_event event,
                                        cl_profiling_info what, cl_ulong *ns)
{
    return CLSORT__TRY(m->s, clGetEventProfilingInfo, (event, what, sizeof *ns, ns, NULL));
}

/* Reads the device's clock: the end of a small command. */
static clsort_status clsort__read_clock(clsort__measurement *m)
{
    cl_event done;
    clsort_status status;
    CLSORT__MUST(clsort__touch(m->s, m->queue, m->memory[CLSORT__ITS_PROOF], &done));
    status = clsort__event_time(m, done, CL_PROFILING_COMMAND_END, &m->now);
    CLSORT_CL(clReleaseEvent)(done);
    return status;
}

/* Fails if there is no time for `more` ns. */
static clsort_status clsort__check_time(const clsort__measurement *m, double more)
{
    const double most = 1e6 * (m->m.max_ms ? m->m.max_ms : 10000);
    return (double)(m->now - m->start) + more > most ? CLSORT_ERROR_OUT_OF_TIME : CL_SUCCESS;
}

/* Begins a step of a measurement: asks the caller's callback, then the clock. */
static clsort_status clsort__watch(void *measurement)
{
    clsort__measurement *const m = (clsort__measurement *)measurement;
    if (m->m.progress && m->m.progress(m->m.user, m->done, m->total))
        return CLSORT_ERROR_CANCELLED;
    if (m->done < m->total) m->done++;
    CLSORT__MUST(clsort__read_clock(m));
    return clsort__check_time(m, 0);
}

/* ---- runs ---- */

static clsort_status clsort__copy_whole(clsort__measurement *m, int from, int to, size_t bytes)
{
    if (!m->memory[from] || !m->memory[to]) return CL_SUCCESS;
    return CLSORT__TRY(m->s, clEnqueueCopyBuffer,
                       (m->queue, m->memory[from], m->memory[to], 0, 0, bytes, 0, NULL, NULL));
}

/* Restores arrays that a sort in place changed, and the proof; spoils the outputs of the last
   sort. */
static clsort_status clsort__restore(clsort__measurement *m)
{
    const size_t n = m->d.count, key = clsort__key_bits(m->d.key_type) / 8;
    const cl_uint none = 0xA5A5A5A5u;
    int i;
    for (i = CLSORT__ITS_KEYS_OUT; i < CLSORT__ITS_KEYS_OUT + CLSORT__ITS_OUTPUTS; i++)
        if (m->memory[i])
            CLSORT__CALL(m->s, clEnqueueFillBuffer,
                         (m->queue, m->memory[i], &none, 1, 0, m->bytes[i], 0, NULL, NULL));
    CLSORT__MUST(clsort__copy_whole(m, CLSORT__ITS_KEYS, CLSORT__KEYS_IN_PLACE, n * key));
    CLSORT__MUST(clsort__copy_whole(m, CLSORT__ITS_VALUES, CLSORT__VALUES_IN_PLACE,
                                    n * m->d.value_size));
    CLSORT__MUST(clsort__copy_whole(m, CLSORT__FIRST_PROOF, CLSORT__ITS_PROOF,
                                    sizeof(clsort_proof)));
    return CLSORT__TRY(m->s, clFinish, (m->queue));
}

/* Keeps the event of a sort's first command. Others get none, as each event of a profiling queue
   takes some 0.005 ms on NVIDIA's GPUs. */
static void clsort__keep_first(void *user, const char *stage, cl_event event)
{
    clsort__measurement *const m = (clsort__measurement *)user;
    (void)stage;
    if (CLSORT_CL(clRetainEvent)(event) == CL_SUCCESS) m->first = event;
    m->s->options.profile = NULL;
}

/* The time of a sort, from when its first command was enqueued to the end of its last one. */
static clsort_status clsort__time_of(clsort__measurement *m, cl_event last, double *ns)
{
    cl_ulong from = 0;
    CLSORT__CALL(m->s, clWaitForEvents, (1, &last));
    CLSORT__MUST(clsort__event_time(m, last, CL_PROFILING_COMMAND_END, &m->now));
    CLSORT__MUST(clsort__event_time(m, m->first ? m->first : last, CL_PROFILING_COMMAND_QUEUED,
                                    &from));
    *ns = m->now > from ? (double)(m->now - from) : 1;
    return CL_SUCCESS;
}

/* Proves the result of a sort on the device. */
static clsort_status clsort__prove_sort(clsort__measurement *m, const clsort_desc *d)
{
    clsort_proof proof;
    const cl_mem buffer = m->memory[CLSORT__ITS_PROOF];
    CLSORT__MUST(clsort_enqueue_verify(m->s, m->queue, d, buffer, 0, 0, NULL, NULL));
    CLSORT__CALL(m->s, clEnqueueReadBuffer,
                 (m->queue, buffer, CL_TRUE, 0, sizeof proof, &proof, 0, NULL, NULL));
    return clsort_judge(&proof);
}

/* Reads the first elements of all rows of the outputs, which begin with buffer number `first` and
   have rows of `count` elements. */
static clsort_status clsort__read_rows(clsort__measurement *m, int first, size_t count,
                                       unsigned char *to)
{
    const size_t k = m->d.top_k, rows = clsort__output_rows(&m->d), each = count == k ? 1 : rows;
    size_t i;
    int role;
    for (role = 0; role < CLSORT__ITS_OUTPUTS; role++) {
        const size_t unit = m->unit[role], part = rows / each * k * unit;
        for (i = 0; i < each && unit; i++, to += part)
            CLSORT__CALL(m->s, clEnqueueReadBuffer,
                         (m->queue, m->memory[first + role], CL_FALSE, i * count * unit, part, to,
                          0, NULL, NULL));
    }
    return CLSORT__TRY(m->s, clFinish, (m->queue));
}

/* A buffer; CLSORT_LATER if it is wanted but not made. */
static cl_mem clsort__or_later(cl_mem buffer, int wanted)
{
    return buffer || !wanted ? buffer : CLSORT_LATER;
}

/* A stable sort of whole rows, whose first elements a selection must find. */
static clsort_desc clsort__reference_sort(const clsort__measurement *m)
{
    clsort_desc d = m->d;
    d.top_k = 0;
    d.stable = 1;
    d.keys_out = clsort__or_later(m->memory[CLSORT__SORTED_KEYS], 1);
    d.values_out = clsort__or_later(m->memory[CLSORT__SORTED_VALUES], d.value_size > 0);
    d.indices = clsort__or_later(m->memory[CLSORT__SORTED_INDICES], d.indices != NULL);
    if (clsort__can(CLSORT_MERGE, &d)) d.algorithm = CLSORT_MERGE;
    return d;
}

/* Makes the reference for results: a fingerprint of the input, or for top-k the right output. */
static clsort_status clsort__make_reference(clsort__measurement *m)
{
    const clsort_desc d = clsort__reference_sort(m);
    const cl_mem proof = m->memory[CLSORT__ITS_PROOF];
    if (!m->d.top_k)
        return clsort_enqueue_fingerprint(m->s, m->queue, &m->d, m->memory[CLSORT__FIRST_PROOF], 0,
                                          0, NULL, NULL);
    CLSORT__MUST(clsort_enqueue_fingerprint(m->s, m->queue, &d, proof, 0, 0, NULL, NULL));
    CLSORT__MUST(clsort_enqueue_sort(m->s, m->queue, &d, 0, NULL, NULL));
    CLSORT__MUST(clsort__prove_sort(m, &d));
    return clsort__read_rows(m, CLSORT__SORTED_KEYS, d.count, m->right);
}

/* Sorts once by a trial, and checks the result. */
static clsort_status clsort__run_trial(clsort__measurement *m, int trial, double *ns)
{
    cl_event last = NULL;
    clsort_desc d;
    clsort__job j;
    clsort_status status;
    CLSORT__MUST(clsort__restore(m));
    clsort__sort_job(&j, m->s, m->s->function, &m->d, &d);
    j.policy = &m->trials[trial];
    m->s->options.profile = clsort__keep_first;
    status = clsort__enqueue(&j, m->queue, 0, NULL, &last);
    m->s->options.profile = NULL;
    if (status == CL_SUCCESS) status = clsort__time_of(m, last, ns);
    clsort__replace_event(&m->first, NULL);
    if (last) CLSORT_CL(clReleaseEvent)(last);
    CLSORT__MUST(status);
    if (!m->d.top_k) return clsort__prove_sort(m, &m->d);
    CLSORT__MUST(clsort__read_rows(m, CLSORT__ITS_KEYS_OUT, m->d.top_k, m->found));
    return memcmp(m->found, m->right, m->found_bytes) ? CLSORT_ERROR_WRONG_RESULT : CL_SUCCESS;
}

/* Builds and warms what a trial needs. A build begins only if there is time for one as long as the
   longest so far. */
static clsort_status clsort__prepare_trial(clsort__measurement *m, int trial)
{
    clsort_desc given = m->d, d;
    clsort__kinds own;
    clsort__job j;
    clsort_status status;
    given.flags |= CLSORT_FLAG_NO_BUILD;
    own.count = 0;
    clsort__sort_job(&j, m->s, m->s->function, &given, &d);
    j.run.queue = m->queue;
    j.run.in_order = 1;
    j.policy = &m->trials[trial];
    status = clsort__plan_job(&j);
    if (status == CL_SUCCESS) status = j.op->buffers(&j);
    if (status == CL_SUCCESS) status = clsort__ready_plans(&j);
    if (status == CLSORT_ERROR_NOT_READY) status = clsort__check_time(m, m->build);
    if (status != CL_SUCCESS) return status;
    return clsort__prepare_job(&j, m->queue, &m->warmed, &own);
}

/* 1 if this trial failed, and not the measurement. */
static int clsort__drops(clsort_status status)
{
    return status == CLSORT_ERROR_WRONG_RESULT || status == CLSORT_ERROR_BUILD_FAILED
           || status == CLSORT_ERROR_DEVICE_LIMITS || status == CLSORT_ERROR_SCRATCH_TOO_LARGE
           || status == CLSORT_ERROR_UNSUPPORTED;
}

/* The least time at a count in a round, of all trials, or if `paced`, of trials that keep pace; 0:
   all were dropped. */
static double clsort__least_time(const clsort__timings *t, int round, int paced)
{
    double least = 0;
    int f;
    for (f = 0; f < CLSORT__TRIALS; f++) {
        const int takes_part = t->trial[f] == f && (!paced || clsort__keeps_pace(t, f));
        const double ns = takes_part ? t->ns[f][round] : 0;
        if (ns > 0 && (!(least > 0) || ns < least)) least = ns;
    }
    return least;
}

/* Notes the time of a build that began at `before`, if it is the longest. */
static clsort_status clsort__end_build(clsort__measurement *m, cl_ulong before)
{
    CLSORT__MUST(clsort__read_clock(m));
    if ((double)(m->now - before) > m->build) m->build = (double)(m->now - before);
    return CL_SUCCESS;
}

/* Builds what a trial needs at a count, so that its times are of sorts alone. */
static clsort_status clsort__build_trial(clsort__measurement *m, clsort__timings *t, int trial)
{
    cl_ulong before;
    clsort_status status;
    int f;
    CLSORT__MUST(clsort__watch(m));
    before = m->now;
    status = clsort__prepare_trial(m, trial);
    if (clsort__drops(status))
        for (f = trial; f < CLSORT__TRIALS; f++)
            if (t->trial[f] == trial) t->out |= CLSORT__BIT(f);
    return status == CL_SUCCESS || clsort__drops(status) ? clsort__end_build(m, before) : status;
}

/* Builds the kernels that check results at a count. */
static clsort_status clsort__build_checks(clsort__measurement *m, int count)
{
    const cl_mem proof = m->memory[CLSORT__ITS_PROOF];
    const cl_ulong before = m->now;
    m->d.count = m->at[count].n;
    CLSORT__MUST(clsort__make_reference(m));
    if (!m->d.top_k)
        CLSORT__MUST(clsort_enqueue_verify(m->s, m->queue, &m->d, proof, 0, 0, NULL, NULL));
    return clsort__end_build(m, before);
}

/* Builds what all trials need at all counts, from the largest down: a program for many elements
   also serves few. */
static clsort_status clsort__build_trials(clsort__measurement *m)
{
    int i, f;
    CLSORT__MUST(clsort__build_checks(m, m->counts - 1));
    CLSORT__MUST(clsort__check_time(m, m->d.top_k ? m->build : 0));
    if (m->d.top_k) CLSORT__MUST(clsort__build_checks(m, 0));
    for (i = m->counts; i-- > 0;) {
        m->d.count = m->at[i].n;
        m->done = (cl_uint)((m->counts - 1 - i) * CLSORT__TRIALS);
        clsort__find_trials(m, &m->at[i]);
        for (f = 0; f < CLSORT__TRIALS; f++)
            if (m->at[i].trial[f] == f) CLSORT__MUST(clsort__build_trial(m, &m->at[i], f));
    }
    return CL_SUCCESS;
}

/* 1 if a trial took more than twice as long as one that keeps pace. */
static int clsort__is_behind(const clsort__timings *t, int trial)
{
    const double least = clsort__least_time(t, 0, 1);
    return least > 0 && t->ns[t->trial[trial]][0] > 2 * least;
}

/* The time to assume for a trial that is not run; 0: run it. A trial is not run if its time
   outgrows the count and it took four times as long as another at the count before, or was behind
   at two counts. Its time is taken to double. */
static double clsort__hopeless_time(const clsort__measurement *m, int count, int trial)
{
    const clsort__timings *const t = &m->at[count], *const before = t - 1;
    double ns;
    if (!count || !clsort__outgrows(t, trial) || trial == t->trial[CLSORT__OWN_TRIAL]) return 0;
    ns = before->ns[before->trial[trial]][0];
    return ns > 4 * clsort__least_time(before, 0, 0)
                   || (count > 1 && clsort__is_behind(before, trial)
                       && clsort__is_behind(before - 1, trial))
               ? 2 * ns
               : 0;
}

/* The first run by a trial. It is no repeat, but tells how many repeats follow. */
static clsort_status clsort__first_run(clsort__measurement *m, int count, int trial)
{
    clsort__timings *const t = &m->at[count];
    double *const ns = t->ns[trial];
    clsort_status status;
    if (t->out & CLSORT__BIT(trial)) return CL_SUCCESS;
    CLSORT__MUST(clsort__watch(m));
    ns[0] = ns[1] = clsort__hopeless_time(m, count, trial);
    if (ns[0] > 0) {
        t->out |= CLSORT__BIT(trial);
        return CL_SUCCESS;
    }
    status = clsort__run_trial(m, trial, ns);
    if (status != CL_SUCCESS) ns[0] = 0;
    ns[1] = ns[0];
    return clsort__drops(status) ? CL_SUCCESS : status;
}

static double clsort__median(double *times, int count)
{
    int i, k;
    for (i = 1; i < count; i++) {
        const double time = times[i];
        for (k = i; k > 0 && time < times[k - 1]; k--) times[k] = times[k - 1];
        times[k] = time;
    }
    return times[count / 2];
}

/* 1 if a trial still takes part: it was not dropped, and did not take four times as long as
   another. AUTO's own stays. */
static int clsort__takes_part(const clsort__timings *t, int trial, double least)
{
    return t->trial[trial] == trial && t->ns[trial][0] > 0 && !(t->out & CLSORT__BIT(trial))
           && (t->ns[trial][0] <= 4 * least || trial == t->trial[CLSORT__OWN_TRIAL]);
}

/* A round of repeats, in which trials take turns. first: the least time of the first runs. */
static clsort_status clsort__round(clsort__measurement *m, clsort__timings *t, int round,
                                   double first)
{
    const int repeats = first < 2e6 ? CLSORT__MOST_REPEATS : first < 5e7 ? 3 : 1;
    double times[CLSORT__TRIALS][CLSORT__MOST_REPEATS];
    int part[CLSORT__TRIALS], f, r;
    for (f = 0; f < CLSORT__TRIALS; f++) part[f] = clsort__takes_part(t, f, first);
    for (r = 0; r < repeats; r++)
        for (f = 0; f < CLSORT__TRIALS; f++) {
            clsort_status status;
            if (!part[f]) continue;
            status = clsort__run_trial(m, f, &times[f][r]);
            if (clsort__drops(status)) part[f] = 0, t->ns[f][0] = t->ns[f][1] = 0;
            else CLSORT__MUST(status);
            CLSORT__MUST(clsort__check_time(m, 0));
        }
    for (f = 0; f < CLSORT__TRIALS; f++)
        if (part[f]) t->ns[f][round] = clsort__median(times[f], repeats);
    return CL_SUCCESS;
}

/* Finds the times of all trials at a count. */
static clsort_status clsort__measure_count(clsort__measurement *m, int count)
{
    clsort__timings *t = &m->at[count];
    const cl_ulong began = m->now;
    double first;
    int f;
    if (count) CLSORT__MUST(clsort__check_time(m, m->spent * (double)t->n / (double)t[-1].n));
    m->done = (cl_uint)(m->counts + count) * CLSORT__TRIALS;
    m->d.count = t->n;
    clsort__find_trials(m, t);
    CLSORT__MUST(clsort__restore(m));
    CLSORT__MUST(clsort__make_reference(m));
    for (f = 0; f < CLSORT__TRIALS; f++)
        if (t->trial[f] == f) CLSORT__MUST(clsort__first_run(m, count, f));
    first = clsort__least_time(t, 0, 0);
    if (first > 0) CLSORT__MUST(clsort__round(m, t, 0, first));
    if (first > 0) CLSORT__MUST(clsort__round(m, t, 1, first));
    m->spent = (double)(m->now - began);
    return clsort__least_time(t, 1, 0) > 0 ? CL_SUCCESS : CLSORT_ERROR_WRONG_RESULT;
}

/* ---- thresholds ---- */

/* The cost of a trial at a count: its time as a part of AUTO's own, less 1. It is below 0 only if
   the trial takes more than 5 % less in both rounds. If it takes more than 5 % more in both, or was
   dropped, the cost outweighs all gains. If AUTO's own was dropped, the slowest right trial stands
   for it. */
static double clsort__cost(const clsort__timings *t, int trial)
{
    const double *own = t->ns[t->trial[CLSORT__OWN_TRIAL]], *ns = t->ns[t->trial[trial]];
    const double forbidden = 1e6;
    double ratio[2];
    int f;
    if (!(own[0] > 0))
        for (f = 0; f < CLSORT__TRIALS; f++)
            if (t->ns[t->trial[f]][0] > own[0]) own = t->ns[t->trial[f]];
    if (!(ns[0] > 0)) return forbidden;
    ratio[0] = ns[0] / own[0];
    ratio[1] = ns[1] / own[1];
    if (ratio[0] * 1.05 < 1 && ratio[1] * 1.05 < 1) return (ratio[0] + ratio[1]) / 2 - 1;
    if (ratio[0] > 1.05 && ratio[1] > 1.05) return forbidden;
    return ratio[0] + ratio[1] > 2 ? (ratio[0] + ratio[1]) / 2 - 1 : 0;
}

/* Thresholds by number. most_at: up to a measured count; 0: never. least_at: from a measured count
   on; 0: always; `counts`: never. */
static cl_uint clsort__most_at(const clsort__measurement *m, int place)
{
    return place ? (cl_uint)m->at[place - 1].n : 0;
}

static cl_uint clsort__least_at(const clsort__measurement *m, int place)
{
    return !place ? 0 : place < m->counts ? (cl_uint)m->at[place].n : CLSORT__NEVER;
}

typedef double clsort__costs[CLSORT__MOST_COUNTS][CLSORT__CORNERS];

/* The cost of a row at all counts. */
static double clsort__row_cost(const clsort__measurement *m, clsort__costs cost,
                               const clsort__crossover *row)
{
    double sum = 0;
    int i;
    for (i = 0; i < m->counts; i++) sum += cost[i][clsort__corner_at(row, m->at[i].n)];
    return sum;
}

/* Finds the row of the least cost: AUTO's own unless another one gains. Returns the sum of times at
   all counts, each as a part of the time before; 0: every row loses. */
static double clsort__best_row(const clsort__measurement *m, clsort__crossover *best)
{
    clsort__costs cost;
    const int places = m->counts + 1;
    clsort__crossover row = clsort__corner_row(0);
    double least, sum;
    int i, c;
    for (i = 0; i < m->counts; i++)
        for (c = 0; c < CLSORT__CORNERS; c++) cost[i][c] = clsort__cost(&m->at[i], c);
    *best = clsort__find_crossover(&m->s->facts, &m->trials[CLSORT__OWN_TRIAL], &m->d);
    if (best->bitonic > CLSORT__MOST_BITONIC) best->bitonic = CLSORT__MOST_BITONIC;
    least = clsort__row_cost(m, cost, best);
    for (i = 0; i < places * places * places * places; i++) {
        row.radix = clsort__least_at(m, i % places);
        row.bitonic = clsort__most_at(m, i / places % places);
        row.samples = clsort__most_at(m, i / places / places % places);
        row.hybrid = clsort__least_at(m, i / places / places / places);
        sum = row.bitonic > CLSORT__MOST_BITONIC ? least : clsort__row_cost(m, cost, &row);
        if (sum + 1e-9 >= least) continue;
        least = sum;
        *best = row;
    }
    return least > 0.05 ? 0 : m->counts + least;
}

/* Finds the way of the least cost for each length of rows. If none gains, the built-in plans stay:
   they may tell lengths apart that were not measured. Returns what clsort__best_row does. */
static double clsort__best_ways(const clsort__measurement *m, clsort__measured_row *best)
{
    double after = 0;
    int i, f;
    for (i = 0; i < m->counts; i++) {
        const clsort__timings *const t = &m->at[i];
        double least = clsort__cost(t, CLSORT__OWN_TRIAL);
        int way = CLSORT__OWN_TRIAL;
        for (f = 0; f < CLSORT__WAYS; f++) {
            const double cost = clsort__cost(t, f);
            if (cost + 1e-9 < least) least = cost, way = f;
        }
        after += 1 + least;
        if (t->trial[way] != t->trial[CLSORT__OWN_TRIAL] && !t->algorithm[way])
            best->select[clsort__ceil_log2(t->n)] = (unsigned char)(1 + t->way[way]);
    }
    return after;
}

/* The choice by all times. */
static clsort__measured_row clsort__best_of(clsort__measurement *m)
{
    clsort__measured_row best;
    double after;
    memset(&best, 0, sizeof best);
    clsort__find_class(&m->d, &best.of);
    m->d.count = m->at[m->counts - 1].n;
    after = m->d.top_k ? clsort__best_ways(m, &best) : clsort__best_row(m, &best.row);
    if (after > 0) best.gain = (cl_uint)(1000 * m->counts / after);
    if (best.gain) best.most = (cl_uint)m->d.count;
    return best;
}

/* ---- keeping ---- */

/* Saves all choices of a sorter to its cache. Failures do not matter. */
static void clsort__keep_choices(clsort_sorter *s)
{
    const size_t head = sizeof(clsort__entry);
    unsigned char *kept;
    size_t bytes = 0;
    if (!s->options.cache_save || clsort_save_choices(s, NULL, 0, &bytes) != CL_SUCCESS) return;
    kept = (unsigned char *)CLSORT_MALLOC(head + bytes);
    if (!kept) return;
    if (clsort_save_choices(s, (char *)kept + head, bytes, &bytes) == CL_SUCCESS)
        clsort__save_entry(s, clsort__choices_name(s), kept, bytes);
    CLSORT_FREE(kept);
}

/* Makes the row by all times AUTO's choice, and prepares for it on the caller's queue. If that
   fails, undoes it. */
static clsort_status clsort__take_row(clsort__measurement *m, cl_command_queue queue)
{
    clsort_sorter *const s = m->s;
    const clsort__measured_row row = clsort__best_of(m);
    const clsort__policy *const before = s->policy;
    clsort__measured *after;
    clsort_desc d;
    clsort__job j;
    clsort_status status;
    CLSORT__MUST(clsort__copy_choices(s, before->measured, &after));
    *clsort__make_place(after, &row.of) = row;
    s->policy = &after->policy;
    m->done = m->total;
    clsort__sort_job(&j, s, s->function, m->m.sort, &d);
    j.run.queue = queue;
    status = clsort__plan_job(&j);
    if (status == CL_SUCCESS) status = clsort__check_queue(s, &j.run);
    if (status == CL_SUCCESS) status = clsort__prepare_counts(&j, queue, clsort__watch, m);
    if (status != CL_SUCCESS) s->policy = before;
    clsort__free(status == CL_SUCCESS ? before->measured : after);
    return status;
}

/* ---- the call ---- */

/* Fills the inputs with random bytes, a block at a time. */
static clsort_status clsort__fill_inputs(clsort__measurement *m)
{
    enum { CLSORT__WORDS = 1 << 17 };
    cl_ulong *block = NULL;
    clsort_status status = clsort__grow(m->s, &block, CLSORT__WORDS, sizeof *block);
    int which;
    for (which = CLSORT__ITS_KEYS; which <= CLSORT__ITS_VALUES; which++) {
        cl_ulong x = 0x9E3779B97F4A7C15u + (cl_ulong)which;
        size_t at, i;
        for (at = 0; status == CL_SUCCESS && at < m->bytes[which]; at += CLSORT__WORDS * sizeof x) {
            const size_t bytes = clsort__smaller(m->bytes[which] - at, CLSORT__WORDS * sizeof x);
            for (i = 0; i < CLSORT__WORDS; i++) {
                block[i] = clsort__draw(&x) * 0x2545F4914F6CDD1Du;   /* Vigna's xorshift* */
                block[i] ^= block[i] >> 32;
            }
            status = CLSORT__TRY(m->s, clEnqueueWriteBuffer,
                                 (m->queue, m->memory[which], CL_TRUE, at, bytes, block, 0, NULL,
                                  NULL));
        }
    }
    clsort__free(block);
    return status;
}

/* The bytes of each buffer, for the largest count. */
static void clsort__size_buffers(clsort__measurement *m)
{
    const clsort_desc *d = &m->d;
    const size_t key = clsort__key_bits(d->key_type) / 8, rows = clsort__output_rows(d),
                 n = clsort__saturating_multiply(rows, d->count),
                 wanted = d->top_k ? rows * d->top_k : n;
    const int stays = d->indices || d->top_k;
    int i;
    m->unit[0] = d->keys_out ? key : 0;
    m->unit[1] = d->values_out ? d->value_size : 0;
    m->unit[2] = d->indices ? 4 : 0;
    m->bytes[CLSORT__ITS_KEYS] = clsort__saturating_multiply(n, key);
    m->bytes[CLSORT__ITS_VALUES] = clsort__saturating_multiply(n, d->value_size);
    m->bytes[CLSORT__KEYS_IN_PLACE] = stays || d->keys_out ? 0 : n * key;
    m->bytes[CLSORT__VALUES_IN_PLACE] = stays || d->values_out ? 0 : n * d->value_size;
    for (i = 0; i < CLSORT__ITS_OUTPUTS; i++) {
        const size_t sorted = i ? m->unit[i] : key;
        m->bytes[CLSORT__ITS_KEYS_OUT + i] = wanted * m->unit[i];
        m->bytes[CLSORT__SORTED_KEYS + i] =
            d->top_k ? clsort__saturating_multiply(n, sorted) : 0;
        m->found_bytes += d->top_k ? wanted * m->unit[i] : 0;
    }
    m->bytes[CLSORT__ITS_PROOF] = m->bytes[CLSORT__FIRST_PROOF] = sizeof(clsort_proof);
}

/* Checks that all buffers are within max_bytes, the scratch memory included. */
static clsort_status clsort__check_bytes(clsort__measurement *m)
{
    const clsort_desc reference = clsort__reference_sort(m);
    clsort_sorter *const s = m->s;
    size_t sum = 0, more = 0;
    int i;
    CLSORT__MUST(clsort_scratch_size(s, &m->d, &sum));
    if (m->d.top_k) CLSORT__MUST(clsort_scratch_size(s, &reference, &more));
    clsort__begin_call(s, "clsort_measure");
    sum = clsort__larger(sum, more);   /* of one queue */
    sum = clsort__saturating_add(sum, sum / 4);   /* it may have grown by a quarter */
    for (i = 0; i < CLSORT__ITS_BUFFERS; i++) sum = clsort__saturating_add(sum, m->bytes[i]);
    CLSORT__REQUIRE(s, !m->m.max_bytes || sum <= m->m.max_bytes, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                    "max_bytes: %.0f are needed", (double)sum);
    return CL_SUCCESS;
}

/* Creates the buffers and puts them into the description. */
static clsort_status clsort__make_buffers(clsort__measurement *m)
{
    clsort_sorter *const s = m->s;
    int i;
    clsort__size_buffers(m);
    CLSORT__MUST(clsort__check_bytes(m));
    for (i = 0; i < CLSORT__ITS_BUFFERS; i++)
        if (m->bytes[i])
            CLSORT__MUST(clsort__create_buffer(s, m->bytes[i], NULL, CL_MEM_READ_WRITE, NULL,
                                               &m->memory[i]));
    if (m->found_bytes) CLSORT__MUST(clsort__grow(s, &m->found, m->found_bytes, 1));
    if (m->found_bytes) CLSORT__MUST(clsort__grow(s, &m->right, m->found_bytes, 1));
    m->d.keys = m->memory[m->bytes[CLSORT__KEYS_IN_PLACE] ? CLSORT__KEYS_IN_PLACE
                                                          : CLSORT__ITS_KEYS];
    m->d.values = m->memory[m->bytes[CLSORT__VALUES_IN_PLACE] ? CLSORT__VALUES_IN_PLACE
                                                              : CLSORT__ITS_VALUES];
    m->d.keys_out = m->memory[CLSORT__ITS_KEYS_OUT];
    m->d.values_out = m->memory[CLSORT__ITS_VALUES_OUT];
    m->d.indices = m->memory[CLSORT__ITS_INDICES];
    return CL_SUCCESS;
}

/* Makes the trials, queue, buffers and inputs of a measurement, and chooses its counts. */
static clsort_status clsort__set_up_measurement(clsort__measurement *m)
{
    const size_t most = m->d.count;
    size_t n = (size_t)1 << clsort__first_length(clsort__ceil_log2(m->d.top_k));
    clsort__make_trials(m);
    CLSORT__MUST(clsort__make_queue(m->s, CL_QUEUE_PROFILING_ENABLE, &m->queue));
    CLSORT__MUST(clsort__make_buffers(m));
    CLSORT__MUST(clsort__read_clock(m));
    m->start = m->now;
    CLSORT__MUST(clsort__fill_inputs(m));
    for (m->counts = 0; n < most && m->counts < CLSORT__MOST_COUNTS - 1; n *= 2)
        m->at[m->counts++].n = n;
    m->at[m->counts++].n = most;
    m->total = 2 * (cl_uint)m->counts * CLSORT__TRIALS; /* builds and runs */
    return CL_SUCCESS;
}

/* Releases a measurement, and the sorter's slot for its queue. */
static void clsort__end_measurement(clsort__measurement *m)
{
    clsort_sorter *const s = m->s;
    size_t k;
    int i;
    if (m->queue) CLSORT_CL(clFinish)(m->queue);
    for (k = 0; m->queue && k < s->slot_count; k++)
        if (s->slot_list[k].queue == m->queue) {
            clsort__release_slot(&s->slot_list[k]);
            s->slot_list[k] = s->slot_list[--s->slot_count];
            break;
        }
    for (i = 0; i < CLSORT__ITS_BUFFERS; i++)
        if (m->memory[i]) CLSORT_CL(clReleaseMemObject)(m->memory[i]);
    if (m->queue) CLSORT_CL(clReleaseCommandQueue)(m->queue);
    clsort__free(m->found);
    clsort__free(m->right);
    CLSORT_FREE(m);
}

/* Builds, or builds, measures and prepares for the fastest. Failures on the way have a remedy and
   are not reported; the caller reports the end. */
static clsort_status clsort__measure(clsort__measurement *m, cl_command_queue queue)
{
    clsort_sorter *const s = m->s;
    const clsort_options options = s->options;
    const int measures = !(m->m.flags & CLSORT_MEASURE_ONLY_BUILDS);
    clsort_status status;
    int i;
    clsort__hush(s, 1);
    s->options.flags &= ~(cl_uint)CLSORT_OPTION_VERIFY;
    s->options.profile = NULL;
    s->options.user = m;
    status = clsort__build_trials(m);
    for (i = 0; measures && status == CL_SUCCESS && i < m->counts; i++)
        status = clsort__measure_count(m, i);
    if (measures && status == CL_SUCCESS) status = clsort__take_row(m, queue);
    s->options = options;
    clsort__hush(s, 0);
    if (status == CL_SUCCESS || status == CLSORT_ERROR_OUT_OF_TIME) clsort__save_programs(s);
    if (measures && status == CL_SUCCESS) clsort__keep_choices(s);
    return status;
}

/* Checks that it is a plain sort of one array by AUTO, or the plain first k of rows. Given buffers
   only tell which arrays there will be, and are dropped. */
static clsort_status clsort__check_measured(clsort_sorter *s, clsort_desc *d)
{
    const cl_uint known = CLSORT_FLAG_NO_BUILD | CLSORT_FLAG_ANY_COUNT;
    static const clsort_tuning none = { 0, 0, 0, 0, { 0 } };
    clsort_desc plain = clsort_desc_default();
    CLSORT__REQUIRE(s, !d->algorithm && !d->record_size && !d->count_buffer && !d->fields
                           && !d->precedes && !clsort__some_bits(d) && !(d->flags & ~known)
                           && !d->scratch && !memcmp(&d->tuning, &none, sizeof none)
                           && !(d->top_k && (d->segments || d->segment_count || d->lengths)),
                    CLSORT_ERROR_UNSUPPORTED,
                    "sort: only plain sorts by AUTO, and the plain first k of rows");
    CLSORT__REQUIRE(s, d->top_k || (!d->rows && !d->segments && !d->segment_count),
                    CLSORT_ERROR_NO_CHOICE, "sort: rows and segments are sorted in one way");
    plain.count = d->count;
    plain.key_type = d->key_type;
    plain.order = d->order;
    plain.nan_order = d->nan_order;
    plain.zero_order = d->zero_order;
    plain.stable = d->stable;
    plain.value_size = d->value_size;
    plain.rows = d->rows;
    plain.top_k = d->top_k;
    plain.indices = clsort__or_later(NULL, d->indices != NULL);
    plain.keys_out = clsort__or_later(NULL, !clsort__keys_stay(d));
    plain.values_out = clsort__or_later(NULL, !clsort__values_stay(d));
    *d = plain;
    return CL_SUCCESS;
}

/* Checks the arguments of clsort_measure, and waits until the queue is idle. */
static clsort_status clsort__begin_measure(clsort_sorter *s, cl_command_queue queue,
                                           const clsort_measure_desc *m, clsort_desc *d)
{
    clsort_desc own;
    clsort__job j;
    CLSORT__REQUIRE(s, queue, CLSORT_ERROR_NULL_ARGUMENT, "queue");
    CLSORT__REQUIRE(s, m->sort, CLSORT_ERROR_NULL_ARGUMENT, "measure.sort");
    CLSORT__REQUIRE(s, !(m->flags & ~(cl_uint)CLSORT_MEASURE_ONLY_BUILDS),
                    CLSORT_ERROR_UNKNOWN_VALUE, "measure.flags");
    CLSORT__REQUIRE(s, clsort__may_choose(s), CLSORT_ERROR_UNSUPPORTED,
                    "the sorter has CLSORT_OPTION_BUILT_IN_CHOICES or _FEW_SORTS");
    CLSORT__MUST(clsort__judge_struct(s, "measure.sort", clsort__adopt(d, sizeof *d,
                                                                       CLSORT__FIRST_DESC,
                                                                       m->sort)));
    CLSORT__MUST(clsort__check_measured(s, d));
    clsort__sort_job(&j, s, s->function, d, &own);
    j.run.queue = queue;
    CLSORT__MUST(clsort__plan_job(&j));
    CLSORT__MUST(clsort__check_limits(&j));
    CLSORT__MUST(clsort__check_queue(s, &j.run));
    return CLSORT__TRY(s, clFinish, (queue));
}

CLSORT__ALONE(clsort_measure,
              (clsort_sorter *sorter, cl_command_queue queue, const clsort_measure_desc *measure),
              (sorter, queue, measure))
{
    clsort_measure_desc given;
    clsort__measurement *m = NULL;
    clsort_desc d;
    clsort_status status;
    const int wrong = clsort__adopt(&given, sizeof given, CLSORT__FIRST_MEASURE, measure);
    CLSORT__MUST(clsort__begin_call(sorter, "clsort_measure"));
    CLSORT__REQUIRE(sorter, measure, CLSORT_ERROR_NULL_ARGUMENT, "measure");
    CLSORT__MUST(clsort__judge_struct(sorter, "measure", wrong));
    CLSORT__MUST(clsort__begin_measure(sorter, queue, &given, &d));
    if (d.count < 2) return CL_SUCCESS;
    CLSORT__MUST(clsort__grow(sorter, &m, 1, sizeof *m));
    memset(m, 0, sizeof *m);
    m->s = sorter;
    m->m = given;
    m->m.sort = &d;
    m->d = d;
    status = clsort__set_up_measurement(m);
    if (status == CL_SUCCESS) {
        status = clsort__measure(m, queue);
        clsort__begin_call(sorter, "clsort_measure");
        if (status != CL_SUCCESS) clsort__fail(sorter, status, "clsort_measure", NULL);
    }
    clsort__end_measurement(m);
    return status;
}

#ifdef __cplusplus
}
#endif

#endif /* CLSORT_MEASURE_IMPLEMENTED */
#endif /* CLSORT_IMPLEMENTATION */
