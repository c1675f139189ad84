/* Fault injection on real devices: a sample of what tests/test_mock_faults.c does completely, with
   what only a real driver shows. Some OpenCL calls and allocations of each scenario fail, drawn
   from a fixed seed, each in one of four ways: with one of two codes, alone or together with all
   that follow. After each fault:
   - never a false success; code, function and message are right
   - nothing leaked, and no reference count of the caller's changed
   - before the first launch the input is as it was, after it a permutation; guards are untouched
   - every event completes
   - the queue works, the same sorter sorts, and destroying it gives everything back

   A scenario is a line of `scenarios`, or an algorithm of `algorithms` with each line of `shapes`.
   CLSORT_TEST_SCENARIO runs only those whose name holds it. */

#include "counted.h"

#define CLSORT_IMPLEMENTATION
#include "cases.h"

#include "faults.h"

#include <signal.h>
#include <unistd.h>

struct trial;

enum { ORDER_KEY, ORDER_FIELDS, ORDER_COMPARATOR };

typedef struct scenario {
    const char *name;
    clsort_status (*act)(struct trial *t);   /* the calls under test */
    int (*check)(struct trial *t);           /* after a success: is the result right? */
    const char *algorithm, *pattern;         /* pattern: of the keys, default mod-16 */
    size_t count;                            /* 0: two tiles and some more */
    cl_uint work_group, items;
    size_t value_size;
    int stable, indices, keys_out, values_out, own_scratch;
    int wait, event;                         /* the call has a wait list, asks for an event */
    int out_of_order;
    int fresh;                               /* a sorter that has built nothing, a new one for each
                                                fault */
    int verify;                              /* the sorter checks its own results */
    int profile;                             /* it has a callback for commands */
    int alone;                               /* the call makes its own sorter, or keeps its error
                                                elsewhere */
    int order;                               /* records of 8 bytes, ordered by their first 4 in this
                                                way */
    size_t rows;                             /* that many, with gaps */
    int gaps;                                /* segments have ends of their own */
    int segments, counted;                   /* segments of some lengths; a count on the device, of
                                                all but the last element */
    size_t top;                              /* so many of each row are selected into keys_out, and
                                                indices and values_out */
    size_t block;                            /* host arrays are copied: of up to so many bytes by
                                                way of the block, larger ones pinned; 0: what the
                                                device does */
} scenario;

typedef struct trial {
    const bench *b;
    const scenario *c;
    sort_case what;
    case_state state;
    cl_command_queue queue;
    clsort_sorter *sorter;
    clsort_options options;
    said said;
    cl_event gate;                           /* complete */
    int on_host;                             /* the arrays under test are state.image.now, not the
                                                buffers */
} trial;

static void hung(int number)
{
    (void)number;
    printf("FAILED: no return within a minute, with %s\n", test_now.at);
    fflush(stdout);
    _exit(1);
}

/* An element as it is after the call, and as it must be. */
static unsigned char *is(const case_state *s, size_t role, size_t i)
{
    return image_at(&s->image, s->image.now, role, i);
}

static unsigned char *wanted(const case_state *s, size_t role, size_t i)
{
    return image_at(&s->image, s->image.want, role, i);
}

/* ---- the calls under test -------------------------------------------------------------------- */

/* Enqueues a sort behind `gate`; a success has an event that completes, a failure has none. */
static clsort_status enqueue(trial *t, clsort_sorter *sorter, cl_uint n_wait, const cl_event *wait,
                             cl_event *done)
{
    clsort_status status;
    if (done) *done = t->gate;
    status = clsort_enqueue_sort(sorter, t->queue, &t->state.d, n_wait, wait, done);
    if (done) CHECK((*done != NULL) == (status == CL_SUCCESS));
    return status;
}

static void await(cl_event done)
{
    cl_int state = CL_QUEUED;
    if (!done) return;
    CHECK(clWaitForEvents(1, &done) == CL_SUCCESS);
    CHECK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL)
              == CL_SUCCESS
          && state == CL_COMPLETE);
    counted_clReleaseEvent(done);
}

static clsort_status act_sort(trial *t)
{
    cl_event done = NULL;
    clsort_status status = enqueue(t, t->sorter, t->c->wait ? 1 : 0, t->c->wait ? &t->gate : NULL,
                                   t->c->event ? &done : NULL);
    await(done);
    return status;
}

static clsort_status act_host(trial *t)
{
    case_state *s = &t->state;
    clsort_desc d = s->c->d;
    void *values = d.value_size ? is(s, CASE_VALUES, 0) : NULL;
    cl_uint *indices = s->c->indices ? (cl_uint *)(void *)is(s, CASE_INDICES, 0) : NULL;
    if (t->c->block) t->sorter->facts.shares_memory = 0;
    if (t->c->block) t->sorter->facts.block_bytes = t->c->block;
    return clsort_sort_host(t->sorter, &d, is(s, CASE_KEYS, 0), values, indices);
}

/* Says the order of a record's key in another way. The three fields are one and the same, so they
   make two codes. */
static void set_order(const trial *t, clsort_desc *d)
{
    static const clsort_field fields[3] = { { 0, CLSORT_U32, 0, 0, 0 },
                                            { 0, CLSORT_U32, 0, 0, 0 },
                                            { 0, CLSORT_U32, 0, 0, 0 } };
    if (!t->c->order) return;
    d->key_type = 0;
    d->record_size = 8;
    d->fields = t->c->order == ORDER_FIELDS ? fields : NULL;
    d->field_count = t->c->order == ORDER_FIELDS ? 3 : 0;
    d->record_type = t->c->order == ORDER_COMPARATOR
                         ? "typedef struct { uint key, rest; } clsort_record;"
                         : NULL;
    d->precedes = t->c->order == ORDER_COMPARATOR ? "a.key < b.key" : NULL;
}

/* The first half of the keys and the second one are two inputs. */
static clsort_status act_merge(trial *t)
{
    const clsort_desc *d = &t->state.d;
    const size_t n = t->what.d.count, half = n / 2;
    clsort_merge_desc m = clsort_merge_desc_default();
    cl_event done = t->gate;
    clsort_status status;
    m.count_a = half;
    m.count_b = n - half;
    m.key_type = CLSORT_U32;
    m.order = d->order;
    m.keys_a = m.keys_b = d->keys;
    m.keys_a_offset = d->keys_offset;
    m.keys_b_offset = d->keys_offset + 4 * half;
    m.keys_out = d->keys_out;
    m.keys_out_offset = d->keys_out_offset;
    m.value_size = d->value_size;
    m.values_a = m.values_b = d->values;
    m.values_a_offset = d->values_offset;
    m.values_b_offset = d->values_offset + m.value_size * half;
    m.values_out = d->values_out;
    m.values_out_offset = d->values_out_offset;
    m.tuning = d->tuning;
    status = clsort_enqueue_merge(t->sorter, t->queue, &m, 1, &t->gate, &done);
    CHECK((done != NULL) == (status == CL_SUCCESS));
    await(done);
    return status;
}

static clsort_status act_prepare(trial *t)
{
    clsort_desc d = t->what.d;
    later(&d, case_roles(&t->what));
    d.top_k = t->c->top;
    set_order(t, &d);
    return clsort_prepare(t->sorter, NULL, &d);
}

static int reset_arrays(trial *t);

/* A clone, which sorts if it came to be; a comparator comes from its original. */
static clsort_status act_clone(trial *t)
{
    const int at = counted.fail_at;
    clsort_sorter *other = t->sorter;
    clsort_status status;
    disarm();
    if (t->c->order && CHECK_OK(enqueue(t, t->sorter, 0, NULL, NULL)))
        CHECK(clFinish(t->queue) == CL_SUCCESS && reset_arrays(t));
    counted.calls = counted.launches = 0;
    counted.fail_at = at;
    status = clsort_clone(t->sorter, &other);
    CHECK((status == CL_SUCCESS) == (other != NULL));
    disarm();
    if (status == CL_SUCCESS) CHECK_OK(enqueue(t, other, 0, NULL, NULL));
    clsort_destroy(other);
    return status;
}

static clsort_status create(trial *t, cl_context context, cl_device_id device)
{
    clsort_sorter *other = t->sorter;
    clsort_status status = clsort_create(context, device, &t->options, &other);
    CHECK((status == CL_SUCCESS) == (other != NULL));
    disarm();
    if (status == CL_SUCCESS)
        CHECK(clsort_context(other) && clsort_device(other)
              && (!context || clsort_context(other) == context));
    clsort_destroy(other);
    return status;
}

static clsort_status act_create(trial *t)
{
    return create(t, t->b->session.context, t->b->session.info.id);
}
static clsort_status act_create_own(trial *t) { return create(t, NULL, NULL); }

static clsort_status act_gather(trial *t)
{
    clsort_gather_desc g = clsort_gather_desc_default();
    clsort_array a;
    cl_event done = t->gate;
    clsort_status status;
    memset(&a, 0, sizeof a);
    a.source = t->state.d.values;
    a.source_offset = t->state.d.values_offset;
    a.target = t->state.d.values_out;
    a.target_offset = t->state.d.values_out_offset;
    a.element_size = t->c->value_size;
    g.count = t->what.d.count;
    g.indices = t->state.d.indices;
    g.indices_offset = t->state.d.indices_offset;
    g.arrays = &a;
    g.array_count = 1;
    status = clsort_enqueue_gather(t->sorter, t->queue, &g, 1, &t->gate, &done);
    CHECK((done != NULL) == (status == CL_SUCCESS));
    await(done);
    return status;
}

static clsort_status act_is_sorted(trial *t)
{
    cl_event done = t->gate;
    const case_state *s = &t->state;
    clsort_status status = clsort_enqueue_is_sorted(t->sorter, t->queue, &s->d, s->d.indices,
                                                    s->d.indices_offset, 1, &t->gate, &done);
    CHECK((done != NULL) == (status == CL_SUCCESS));
    await(done);
    return status;
}

typedef clsort_status (*pending_call)(trial *t, clsort_sorter *sorter, cl_event gate);

/* Runs `inner` on a clone that is destroyed while all that it enqueued still waits for `gate`. */
static clsort_status while_pending(trial *t, pending_call inner)
{
    const int at = counted.fail_at;
    clsort_sorter *other = NULL;
    clsort_status status;
    cl_int error;
    cl_event gate = clCreateUserEvent(t->b->session.context, &error);
    disarm();
    if (!CHECK(error == CL_SUCCESS) || !CHECK_OK(clsort_clone(t->sorter, &other))) return error;
    counted.calls = counted.launches = 0;
    counted.fail_at = at;
    status = inner(t, other, gate);
    disarm();
    clsort_destroy(other);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
    CHECK(clFinish(t->queue) == CL_SUCCESS);
    clReleaseEvent(gate);
    return status;
}

static clsort_status pending_sort(trial *t, clsort_sorter *sorter, cl_event gate)
{
    return enqueue(t, sorter, 1, &gate, NULL);
}

/* Two sorts, the first of them pending: the second must wait for it or have scratch memory of its
   own. */
static clsort_status pending_sorts(trial *t, clsort_sorter *sorter, cl_event gate)
{
    cl_event first = NULL;
    clsort_status status = enqueue(t, sorter, 1, &gate, &first);
    int buffers = counted.made[COUNTED_BUFFER];
    if (status == CL_SUCCESS) {
        counted.launches_ahead = 0;
        counted.waits = 2;
        status = enqueue(t, sorter, 1, &first, NULL);
        counted.waits = 0;
        CHECK(!counted.launches_ahead || counted.made[COUNTED_BUFFER] > buffers);
        counted_clReleaseEvent(first);
    }
    return status;
}

static clsort_status act_destroy_pending(trial *t) { return while_pending(t, pending_sort); }
static clsort_status act_two_pending(trial *t) { return while_pending(t, pending_sorts); }

/* Two sorters, one after the other on one in-order queue: a single fault of one leaves the other
   alone. */
static clsort_status act_two_sorters(trial *t)
{
    const int at = counted.fail_at;
    clsort_sorter *other = NULL;
    clsort_status first, second = CL_SUCCESS;
    disarm();
    if (!CHECK_OK(clsort_clone(t->sorter, &other))) return CL_SUCCESS;
    counted.calls = counted.launches = 0;
    counted.fail_at = at;
    first = enqueue(t, t->sorter, 0, NULL, NULL);
    if (first == CL_SUCCESS || !counted.fail_after) second = enqueue(t, other, 0, NULL, NULL);
    disarm();
    CHECK(clFinish(t->queue) == CL_SUCCESS);
    if (first != CL_SUCCESS && !counted.fail_after)
        CHECK(second == CL_SUCCESS && image_read(&t->state.image, t->queue) && t->c->check(t));
    clsort_destroy(other);
    return first != CL_SUCCESS ? first : second;
}

/* ---- results --------------------------------------------------------------------------------- */

/* The first elements of each row's order are there, row after row, and nothing else has changed. */
static int check_selected(trial *t)
{
    case_state *s = &t->state;
    const size_t n = s->d.count, k = t->c->top, rows = s->d.rows ? s->d.rows : 1,
                 stride = s->d.row_stride ? s->d.row_stride / 4 : n;
    uint32_t *order = (uint32_t *)malloc(n * sizeof *order);
    size_t row, i;
    int good = CHECK(order != NULL);
    memcpy(s->image.want, s->image.was, s->image.bytes);
    for (row = 0; row < rows && good; row++) {
        reference_codes(case_was(s, CASE_KEYS, row * stride), 4, n, &s->d, s->codes);
        good = CHECK(reference_argsort(s->codes, n, order));
        for (i = 0; i < k && good; i++) {
            const size_t to = row * k + i, from = row * stride + order[i];
            memcpy(wanted(s, CASE_KEYS_OUT, to), case_was(s, CASE_KEYS, from), 4);
            if (s->d.indices) memcpy(wanted(s, CASE_INDICES, to), &order[i], 4);
            if (s->d.values_out)
                memcpy(wanted(s, CASE_VALUES_OUT, to), case_was(s, CASE_VALUES, from),
                       s->d.value_size);
        }
    }
    free(order);
    image_forgive(&s->image, CASE_SCRATCH, s->d.scratch_size);
    return good && image_is_right(&s->image);
}

static int check_sorted(trial *t) { return t->c->top ? check_selected(t) : case_verify(&t->state); }

static int check_untouched(trial *t)
{
    const image *m = &t->state.image;
    return CHECK(!memcmp(m->was, m->now, m->bytes));
}

/* The sorter's own checks found nothing wrong either. */
static int check_verified(trial *t)
{
    return CHECK_OK(clsort_collect(t->sorter, 1)) && case_verify(&t->state);
}

/* After clsort_prepare a sort builds nothing more. */
static int check_prepared(trial *t)
{
    int good = check_untouched(t);
    t->state.d.flags |= CLSORT_FLAG_NO_BUILD;
    good = CHECK_OK(enqueue(t, t->sorter, 0, NULL, NULL)) && good;
    t->state.d.flags = 0;
    return CHECK(clFinish(t->queue) == CL_SUCCESS) && image_read(&t->state.image, t->queue)
           && check_sorted(t) && good;
}

static int check_gathered(trial *t)
{
    case_state *s = &t->state;
    size_t n = s->c->d.count, i;
    memcpy(s->image.want, s->image.was, s->image.bytes);
    for (i = 0; i < n; i++)
        memcpy(wanted(s, CASE_VALUES_OUT, i), case_was(s, CASE_VALUES, n - 1 - i),
               s->c->d.value_size);
    return image_is_right(&s->image);
}

static int check_order(trial *t)
{
    case_state *s = &t->state;
    size_t n = s->c->d.count;
    cl_uint first;
    case_reference_codes(s);
    first = (cl_uint)reference_first_unordered(s->codes, n);
    memcpy(s->image.want, s->image.was, s->image.bytes);
    memcpy(wanted(s, CASE_INDICES, 0), &first, sizeof first);
    return image_is_right(&s->image);
}

/* ---- arrays after a failure ------------------------------------------------------------------ */

static int same_array(const case_state *s, size_t role) { return image_untouched(&s->image, role); }

/* Does the `target` of an array hold the rows of `source` in some order, or what it held before? */
static int check_array(case_state *s, size_t source, size_t target)
{
    if (!s->image.array[target].element || same_array(s, target)) return 1;
    return image_kept(&s->image, source, target, case_extent(s->c));
}

static int check_guards(case_state *s) { return image_keeps_guards(&s->image); }

/* Every array that a sort may write holds a permutation; of pairs that travel together, so do the
   pairs. An interrupted quicksort has left elements in its scratch memory: nothing beyond what it
   may write has changed. */
static int check_permuted(trial *t)
{
    case_state *s = &t->state;
    const sort_case *c = s->c;
    size_t n = c->d.count;
    int good = check_guards(s), by_index = c->d.stable || c->indices || c->d.value_size > 8;
    if (c->keys_out || c->indices) good = CHECK(same_array(s, CASE_KEYS)) && good;
    if (c->values_out || c->indices) good = CHECK(same_array(s, CASE_VALUES)) && good;
    if (s->d.algorithm == CLSORT_QUICKSORT) return good;
    good = check_array(s, CASE_KEYS, c->keys_out ? CASE_KEYS_OUT : CASE_KEYS) && good;
    good = check_array(s, CASE_VALUES, c->values_out ? CASE_VALUES_OUT : CASE_VALUES) && good;
    if (c->indices && !case_has_parts(c) && !same_array(s, CASE_INDICES))
        good = CHECK(reference_is_permutation(
                   (const uint32_t *)(const void *)is(s, CASE_INDICES, 0), n))
               && good;
    if (c->d.value_size && !by_index && !c->keys_out)
        good = image_pairs_kept(&s->image, CASE_KEYS, CASE_VALUES, n) && good;
    return good;
}

/* The permutation of a gather is its input; a check of order writes one number. */
static int check_failed_helper(trial *t)
{
    case_state *s = &t->state;
    int good = check_guards(s) && CHECK(same_array(s, CASE_KEYS))
               && CHECK(same_array(s, CASE_VALUES));
    if (t->c->act == act_gather)
        return CHECK(same_array(s, CASE_INDICES)) && check_array(s, CASE_VALUES, CASE_VALUES_OUT)
               && good;
    memcpy(is(s, CASE_INDICES, 0), case_was(s, CASE_INDICES, 0), sizeof(cl_uint));
    return CHECK(same_array(s, CASE_INDICES)) && good;
}

/* A selection reads its input, and writes so many elements of each output. */
static int check_failed_selection(trial *t)
{
    static const size_t outputs[] = { CASE_KEYS_OUT, CASE_VALUES_OUT, CASE_INDICES };
    case_state *s = &t->state;
    const size_t written = t->c->top * (s->d.rows ? s->d.rows : 1);
    int good = check_guards(s) && CHECK(same_array(s, CASE_KEYS))
               && CHECK(same_array(s, CASE_VALUES));
    size_t i;
    for (i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        const image_array *a = &s->image.array[outputs[i]];
        const size_t end = a->at + written * a->element;
        if (a->element)
            good = CHECK(!memcmp(s->image.was + a->base + end, s->image.now + a->base + end,
                                 a->bytes - end))
                   && good;
    }
    return good;
}

static int check_after_failure(trial *t, int launched)
{
    if (t->on_host && !strcmp(counted.failed_function, "clEnqueueReadBuffer"))
        return check_guards(&t->state);
    if ((t->on_host && !t->sorter->facts.shares_memory) || !launched) return check_untouched(t);
    if (t->c->top) return check_failed_selection(t);
    if (t->c->act == act_gather || t->c->act == act_is_sorted) return check_failed_helper(t);
    return check_permuted(t);
}

/* ---- reports --------------------------------------------------------------------------------- */

/* A driver that does not pin host arrays, or refuses to move them then. */
static int remedies_pins(const trial *t, const char *function)
{
    return t->c->block
           && (!strcmp(function, "clCreateBuffer") || !strcmp(function, "malloc")
               || !strcmp(function, "clEnqueueWriteBuffer")
               || !strcmp(function, "clEnqueueReadBuffer"));
}

/* Calls whose failure has a remedy: success is right then if the result is. A sorter that checks
   itself looks at earlier sorts later. */
static int may_be_survived(const trial *t, const char *function)
{
    if (t->c->verify
        && (!strcmp(function, "clGetEventInfo") || !strcmp(function, "clEnqueueReadBuffer")))
        return 1;
    return !strcmp(function, "clGetProgramBuildInfo") || !strcmp(function, "clGetDeviceIDs")
           || remedies_pins(t, function);
}

/* ---- objects --------------------------------------------------------------------------------- */

enum { REFERENCES = 1 + CASE_ROLES };

/* The reference counts of what the caller owns; but not of the queue, which drivers count up for
   commands that they still keep. There, counted.live knows what the implementation did. */
static void count_references(const trial *t, cl_uint *counts)
{
    size_t role;
    memset(counts, 0, REFERENCES * sizeof *counts);
    clGetEventInfo(t->gate, CL_EVENT_REFERENCE_COUNT, sizeof *counts, &counts[0], NULL);
    for (role = 0; role < CASE_ROLES; role++)
        if (t->state.image.array[role].element)
            clGetMemObjectInfo(t->state.image.array[role].buffer, CL_MEM_REFERENCE_COUNT,
                               sizeof *counts, &counts[1 + role], NULL);
}

/* Drivers keep references of their own for a moment after a command has completed. */
static int check_references(const trial *t, const cl_uint *wanted)
{
    const struct timespec pause = { 0, 1000000 };
    cl_uint counts[REFERENCES];
    int tries;
    for (tries = 0; tries < 300; tries++) {
        count_references(t, counts);
        if (!memcmp(counts, wanted, sizeof counts)) return 1;
        nanosleep(&pause, NULL);
    }
    return CHECK(!memcmp(counts, wanted, sizeof counts));
}

static cl_uint context_references(const bench *b)
{
    cl_uint count = 0;
    clGetContextInfo(b->session.context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL);
    return count;
}

/* Once all of a trial's objects are released, the context has the references that it had. */
static int check_context(const bench *b, cl_uint wanted)
{
    const struct timespec pause = { 0, 1000000 };
    int tries;
    for (tries = 0; tries < 1000 && context_references(b) != wanted; tries++)
        nanosleep(&pause, NULL);
    return CHECK(context_references(b) == wanted);
}

/* ---- trials ---------------------------------------------------------------------------------- */

static int make_sorter(trial *t)
{
    t->sorter = NULL;
    return CHECK_OK(
        clsort_create(t->b->session.context, t->b->session.info.id, &t->options, &t->sorter));
}

static void describe_parts(const scenario *c, sort_case *w)
{
    static const uint32_t offsets[] = { 2, 2, 9, 40, 41, 90 }, ends[] = { 2, 7, 40, 0, 80 };
    w->d.rows = c->rows;
    if (c->rows) w->d.row_stride = (w->d.count + 3) * case_element_size(w);
    w->offsets = c->segments ? offsets : NULL;
    w->ends = c->segments && c->gaps ? ends : NULL;
    w->d.segment_count = c->segments ? 5 : 0;
    w->counted = c->counted;
    w->there = (uint32_t)w->d.count - 1;
}

/* Descending: codes are not keys, so that codes left in an array are no permutation of its keys. */
static sort_case describe(const bench *b, const scenario *c)
{
    size_t count = c->count ? c->count : 2 * b->tile + 5;
    sort_case w = case_make(CLSORT_U32, count, c->pattern ? c->pattern : "mod-16");
    if (!c->order) w.d.order = CLSORT_DESCENDING;
    w.d.value_size = c->value_size;
    w.d.stable = (cl_uint)c->stable;
    w.d.tuning.work_group = c->work_group;
    w.d.tuning.items = c->items;
    w.indices = c->indices;
    w.keys_out = c->keys_out;
    w.values_out = c->values_out;
    w.own_scratch = c->own_scratch;
    if (c->order) w.d.record_size = 8;
    describe_parts(c, &w);
    if (c->algorithm) CHECK_OK(clsort_set_algorithm(&w.d, c->algorithm));
    if (c->algorithm && case_sorts_blocks(c->algorithm)) w.block = case_block_length(b, &w);
    return w;
}

/* Two inputs, each in descending order. */
static void fill_halves(trial *t)
{
    case_state *s = &t->state;
    const size_t n = s->c->d.count;
    size_t i;
    for (i = 0; i < n; i++) {
        const cl_uint key = (cl_uint)(n - (i < n / 2 ? i / 3 : (i - n / 2) / 2));
        memcpy(case_was(s, CASE_KEYS, i), &key, 4);
    }
}

/* A gather reads indices that reverse the order. */
static void refill(trial *t)
{
    case_state *s = &t->state;
    size_t n = s->c->d.count, i;
    if (t->c->act == act_merge) fill_halves(t);
    for (i = 0; i < n && t->c->act == act_gather; i++) {
        cl_uint number = (cl_uint)(n - 1 - i);
        memcpy(case_was(s, CASE_INDICES, i), &number, sizeof number);
    }
}

static int open_arrays(trial *t)
{
    case_state *s = &t->state;
    size_t scratch = 0;
    t->what = describe(t->b, t->c);
    s->c = &t->what;
    s->d = t->what.d;
    later(&s->d, case_roles(&t->what));
    s->d.top_k = t->c->top;
    set_order(t, &s->d);
    if (t->c->own_scratch && !CHECK_OK(clsort_scratch_size(t->b->sorter, &s->d, &scratch)))
        return 0;
    s->d.flags = 0;
    case_lay_out(s, t->b, scratch);
    if (!case_allocate(s)) return 0;
    refill(t);
    if (!case_create(s, t->b)) return 0;
    case_describe(s);
    s->d.scratch_size = scratch;
    return 1;
}

static int open_trial(trial *t, const bench *b, const scenario *c)
{
    cl_int error = CL_SUCCESS, other_error = CL_SUCCESS;
    memset(t, 0, sizeof *t);
    t->b = b;
    t->c = c;
    t->options.diagnostic = hear;
    t->options.user = &t->said;
    t->options.flags = c->verify ? CLSORT_OPTION_VERIFY : 0;
    t->options.profile = c->profile ? hear_command : NULL;
    t->on_host = c->act == act_host;
    t->queue = clCreateCommandQueue(b->session.context, b->session.info.id,
                                    c->out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0,
                                    &error);
    t->gate = clCreateUserEvent(b->session.context, &other_error);
    if (!CHECK(other_error == CL_SUCCESS)
        || !CHECK(clSetUserEventStatus(t->gate, CL_COMPLETE) == CL_SUCCESS))
        return 0;
    if (c->out_of_order && !t->queue)
        printf("%s: this device has no out-of-order queues\n", c->name);
    return t->queue && open_arrays(t);
}

static void close_trial(trial *t)
{
    case_release(&t->state);
    if (t->gate) clReleaseEvent(t->gate);
    if (t->queue) clReleaseCommandQueue(t->queue);
}

/* Gives every array its input again. */
static int reset_arrays(trial *t)
{
    case_state *s = &t->state;
    size_t role;
    cl_int error = CL_SUCCESS;
    image_begin(&s->image);
    for (role = 0; role < CASE_ROLES && error == CL_SUCCESS && !t->on_host; role++) {
        const image_array *a = &s->image.array[role];
        if (a->element)
            error = clEnqueueWriteBuffer(t->b->session.queue, a->buffer, CL_TRUE, 0, a->bytes,
                                         s->image.was + a->base, 0, NULL, NULL);
    }
    return CHECK(error == CL_SUCCESS);
}

/* The scenario without a fault: the result must be right. */
static int run_unharmed(trial *t)
{
    int good;
    disarm();
    good = reset_arrays(t) && CHECK_OK(t->c->act(t));
    good = CHECK(clFinish(t->queue) == CL_SUCCESS) && good;
    return good && (t->on_host || image_read(&t->state.image, t->queue)) && t->c->check(t);
}

/* ---- injection ------------------------------------------------------------------------------- */

/* Runs the scenario with one fault and judges what it left. Returns the failed function's name,
   NULL when there are fewer calls. */
static const char *inject(trial *t, const fault *f)
{
    clsort_status status;
    int launched;
    reset_arrays(t);
    say(t->c->name, f, "?");
    arm(&t->said, f);
    alarm(60);
    status = t->c->act(t);
    disarm();
    launched = counted.launches;
    if (t->c->profile) CHECK(t->said.commands == launched);
    CHECK(clFinish(t->queue) == CL_SUCCESS);
    if (t->on_host && t->sorter->own_queue) /* the call itself could not wait if all calls fail */
        CHECK(clFinish(t->sorter->own_queue) == CL_SUCCESS);
    alarm(0);
    if (!counted.failed) return NULL;
    say(t->c->name, f, counted.failed_function);
    if (!t->on_host) image_read(&t->state.image, t->queue);
    if (status != CL_SUCCESS) {
        check_report(&t->said, t->c->alone ? NULL : t->sorter, status,
                     f->after && remedies_pins(t, counted.failed_function) ? REMEDIES : 0);
        check_after_failure(t, launched);
    } else if (CHECK(may_be_survived(t, counted.failed_function))) {
        t->c->check(t);
    }
    return counted.failed_function;
}

/* One fault and what must hold afterwards. The sorter recovers, or is destroyed at once if it is
   fresh and all calls failed. */
static const char *try_fault(trial *t, const fault *f, const int *idle, int *warm,
                             const cl_uint *references)
{
    const int faults = test_now.faults;
    const char *function = inject(t, f);
    if (!function) return NULL;
    if (!t->c->fresh || !f->after) run_unharmed(t);
    if (t->c->fresh) {
        clsort_destroy(t->sorter);
        check_live(idle);
        check_references(t, references);
        make_sorter(t);
    } else {
        check_live(warm);
        counted_settle();
        memcpy(warm, counted.live, sizeof counted.live);
    }
    figures.injected++;
    figures.passed += test_now.faults == faults;
    return function;
}

/* Builds and clones cost a driver tens of milliseconds: of such scenarios fewer calls fail. */
static int is_slow(const scenario *c)
{
    return c->fresh || c->act == act_destroy_pending || c->act == act_two_pending
           || c->act == act_two_sorters;
}

/* Some calls of a scenario fail, each in one way. The last one drawn lies beyond the end. */
static int fail_some(trial *t, const int *idle, int *warm, const cl_uint *references)
{
    const uint64_t step = is_slow(t->c) ? 80 : t->on_host && !t->c->fresh ? 1 : 30;
    uint64_t random = strlen(t->c->name) + t->c->count;
    int call = 0, injected = 0;
    for (;;) {
        fault f;
        const char *function;
        call += 1 + (int)(pattern_random(&random) % (2 * step));
        f.call = call;
        f.after = (int)(pattern_random(&random) % 2);
        f.code = pattern_random(&random) % 2 ? CL_OUT_OF_RESOURCES : CL_OUT_OF_HOST_MEMORY;
        function = try_fault(t, &f, idle, warm, references);
        if (!function) return injected;
        injected++;
    }
}

static void try_scenario(const bench *b, const scenario *c)
{
    static trial t;
    int idle[COUNTED_KINDS], warm[COUNTED_KINDS], injected = 0;
    cl_uint references[REFERENCES];
    const double start = test_seconds();
    const char *only = getenv("CLSORT_TEST_SCENARIO");
    cl_uint context;
    if ((only && !strstr(c->name, only)) || !test_takes(b, 3)) return;
    describe(b, c);   /* what the device's own sorter builds for it is there to stay */
    context = context_references(b);
    if (open_trial(&t, b, c)) {
        counted_settle();
        memcpy(idle, counted.live, sizeof idle);
        count_references(&t, references);
        AT("%s: no fault", c->name);
        if (make_sorter(&t) && (c->fresh || run_unharmed(&t))) {
            counted_settle();
            memcpy(warm, counted.live, sizeof warm);
            injected = fail_some(&t, idle, warm, references);
        }
        clsort_destroy(t.sorter);
        AT("%s: at its end", c->name);
        check_live(idle);
        check_references(&t, references);
    }
    close_trial(&t);
    check_context(b, context);
    printf("%s: %d faults (%.1f s)\n", c->name, injected, test_seconds() - start);
    fflush(stdout);
}

/* ---- scenarios ------------------------------------------------------------------------------- */

/* Algorithms by name, at a size that makes few but all kinds of passes. A new algorithm is a line
   here. */
static const struct { const char *name; size_t count; cl_uint work_group, items; } algorithms[] = {
    { "bitonic", 0, 0, 0 },
    { "bitonic-a", 12, 0, 8 },
    { "bitonic-b16-global-tail", 100, 16, 2 },
    { "bitonic-shared-512", 1100, 0, 0 },
    { "merge", 100, 0, 0 },
    { "merge", 300, 16, 4 },
    { "merge-local-only", 300, 16, 0 },
    { "radix", 100, 0, 0 },
    { "radix", 300, 16, 4 },
    { "radix-hybrid", 3000, 0, 0 },
    { "radix-samples", 2000, 64, 0 },
    { "radix-samples", 3000, 64, 0 },
    { "quicksort", 2000, 4, 2 },
    { "quicksort-host", 2000, 4, 2 }
};

static const scenario shapes[] = {
    { "keys", .event = 1 },
    { "pairs", .value_size = 4 },
    { "argsort", .indices = 1, .event = 1 },
    { "16-byte values", .value_size = 16 },
    { "stable pairs", .value_size = 4, .stable = 1 }
};

static const scenario scenarios[] = {
    { "create", act_create, check_untouched, .count = 10, .alone = 1 },
    { "create with a context of its own", act_create_own, check_untouched, .count = 10,
      .alone = 1 },
    { "the first sort", act_sort, check_sorted, .fresh = 1, .event = 1 },
    { "the first stable sort", act_sort, check_sorted, .value_size = 4, .stable = 1, .fresh = 1,
      .event = 1 },
    { "the first sort by a published kernel", act_sort, check_sorted, .algorithm = "bitonic-a",
      .count = 12, .items = 8, .fresh = 1 },
    { "hybrid radix whose ranges are split again", act_sort, check_sorted,
      .algorithm = "radix-hybrid", .pattern = "uniform", .count = 170000, .work_group = 64 },
    { "the first merge sort", act_sort, check_sorted, .algorithm = "merge", .count = 100,
      .value_size = 4, .fresh = 1, .event = 1 },
    { "fields", act_sort, check_sorted, .count = 100, .stable = 1, .event = 1,
      .order = ORDER_FIELDS },
    { "argsort by fields, caller's scratch", act_sort, check_sorted, .count = 100, .stable = 1,
      .indices = 1, .own_scratch = 1, .order = ORDER_FIELDS },
    { "fields, self-checking out of order", act_sort, check_verified, .count = 100, .stable = 1,
      .event = 1, .out_of_order = 1, .verify = 1, .order = ORDER_FIELDS },
    { "the first sort by a comparator", act_sort, check_sorted, .count = 20, .stable = 1,
      .fresh = 1, .event = 1, .order = ORDER_COMPARATOR },
    { "comparator", act_sort, check_sorted, .count = 40, .stable = 1, .wait = 1, .event = 1,
      .order = ORDER_COMPARATOR },
    { "argsort by a comparator", act_sort, check_sorted, .count = 20, .stable = 1, .indices = 1,
      .event = 1, .order = ORDER_COMPARATOR },
    { "comparator, caller's scratch, out of place", act_sort, check_sorted, .count = 20,
      .stable = 1, .keys_out = 1, .own_scratch = 1, .order = ORDER_COMPARATOR },
    { "comparator out of order, self-checking", act_sort, check_verified, .count = 20, .stable = 1,
      .event = 1, .out_of_order = 1, .verify = 1, .order = ORDER_COMPARATOR },
    { "prepare a comparator", act_prepare, check_prepared, .count = 20, .stable = 1, .fresh = 1,
      .order = ORDER_COMPARATOR },
    { "clone with a comparator", act_clone, check_sorted, .count = 20, .stable = 1, .alone = 1,
      .order = ORDER_COMPARATOR },
    { "the first merge of two inputs", act_merge, check_sorted, .count = 200, .value_size = 4,
      .stable = 1, .keys_out = 1, .values_out = 1, .fresh = 1 },
    { "merge of two inputs", act_merge, check_sorted, .count = 200, .value_size = 4, .stable = 1,
      .keys_out = 1, .values_out = 1 },
    { "merge of two inputs out of order", act_merge, check_sorted, .count = 3000, .stable = 1,
      .keys_out = 1, .out_of_order = 1 },
    { "prepare", act_prepare, check_prepared, .value_size = 4, .stable = 1, .fresh = 1 },
    { "clone", act_clone, check_sorted, .value_size = 4, .stable = 1, .alone = 1 },
    { "no key", act_sort, check_sorted, .count = 1, .wait = 1, .event = 1 },
    { "host keys", act_host, check_sorted, .count = 0 },
    { "host pairs", act_host, check_sorted, .value_size = 12 },
    { "host indices", act_host, check_sorted, .indices = 1 },
    { "host pairs, pinned", act_host, check_sorted, .value_size = 12, .block = 1 },
    { "host indices, pinned", act_host, check_sorted, .indices = 1, .block = 1 },
    { "host pairs by way of a block", act_host, check_sorted, .value_size = 12, .block = 1 << 22,
      .fresh = 1 },
    { "wait list and event", act_sort, check_sorted, .value_size = 8, .wait = 1, .event = 1 },
    { "out of place", act_sort, check_sorted, .value_size = 4, .keys_out = 1, .values_out = 1,
      .event = 1 },
    { "caller's scratch", act_sort, check_sorted, .value_size = 4, .stable = 1, .own_scratch = 1,
      .event = 1 },
    { "out of order", act_sort, check_sorted, .value_size = 4, .wait = 1, .event = 1,
      .out_of_order = 1 },
    { "out of order without an event", act_sort, check_sorted, .value_size = 4, .out_of_order = 1 },
    { "out of order, stable", act_sort, check_sorted, .value_size = 4, .stable = 1, .wait = 1,
      .event = 1, .out_of_order = 1 },
    { "out of order, kernel A", act_sort, check_sorted, .algorithm = "bitonic-a", .count = 12,
      .items = 8, .event = 1, .out_of_order = 1 },
    { "out of order, caller's scratch", act_sort, check_sorted, .value_size = 4, .stable = 1,
      .own_scratch = 1, .event = 1, .out_of_order = 1 },
    { "the first gather", act_gather, check_gathered, .value_size = 12, .values_out = 1,
      .indices = 1, .fresh = 1 },
    { "gather", act_gather, check_gathered, .value_size = 12, .values_out = 1, .indices = 1 },
    { "gather out of order", act_gather, check_gathered, .value_size = 12, .values_out = 1,
      .indices = 1, .out_of_order = 1 },
    { "check of order", act_is_sorted, check_order, .indices = 1 },
    { "check of order out of order", act_is_sorted, check_order, .indices = 1, .out_of_order = 1 },
    { "destroy while a sort is pending", act_destroy_pending, check_sorted, .count = 100,
      .value_size = 4, .stable = 1, .alone = 1 },
    { "destroy while a sort is pending out of order", act_destroy_pending, check_sorted,
      .count = 100, .value_size = 4, .stable = 1, .out_of_order = 1, .alone = 1 },
    { "two pending sorts out of order", act_two_pending, check_sorted, .count = 100,
      .value_size = 4, .stable = 1, .out_of_order = 1, .alone = 1 },
    { "self-checking", act_sort, check_verified, .value_size = 4, .event = 1, .verify = 1 },
    { "self-checking without an event", act_sort, check_verified, .value_size = 4, .verify = 1 },
    { "self-checking out of order", act_sort, check_verified, .value_size = 4, .stable = 1,
      .event = 1, .out_of_order = 1, .verify = 1 },
    { "profile", act_sort, check_sorted, .count = 300, .value_size = 16, .stable = 1, .wait = 1,
      .profile = 1 },
    { "profile, with an event", act_sort, check_sorted, .algorithm = "merge", .count = 3000,
      .value_size = 4, .event = 1, .profile = 1 },
    { "profile out of order", act_sort, check_sorted, .algorithm = "radix", .count = 300,
      .value_size = 4, .event = 1, .out_of_order = 1, .profile = 1 },
    { "two sorters", act_two_sorters, check_sorted, .value_size = 4, .alone = 1 },
    { "the first sort of segments", act_sort, check_sorted, .count = 90, .value_size = 4,
      .segments = 1, .fresh = 1, .event = 1 },
    { "rows", act_sort, check_sorted, .count = 70, .rows = 3, .value_size = 4, .event = 1 },
    { "rows, argsort, caller's scratch", act_sort, check_sorted, .count = 70, .rows = 3,
      .indices = 1, .own_scratch = 1, .event = 1 },
    { "segments of 16-byte values, out of order", act_sort, check_sorted, .count = 90,
      .segments = 1, .value_size = 16, .wait = 1, .event = 1, .out_of_order = 1 },
    { "segments with gaps, in shared tiles", act_sort, check_sorted, .count = 90, .segments = 1,
      .gaps = 1, .work_group = 16, .items = 4, .event = 1 },
    { "segments in shared tiles", act_sort, check_sorted, .count = 90, .segments = 1,
      .work_group = 16, .items = 4, .event = 1 },
    { "long rows in shared tiles", act_sort, check_sorted, .count = 300, .rows = 2,
      .work_group = 16, .items = 4, .value_size = 4, .event = 1 },
    { "a count on the device, self-checking", act_sort, check_verified, .count = 90, .counted = 1,
      .value_size = 4, .event = 1, .verify = 1 },
    { "segments and a count, self-checking out of order", act_sort, check_verified, .count = 90,
      .segments = 1, .counted = 1, .indices = 1, .event = 1, .out_of_order = 1, .verify = 1 },
    { "prepare rows and a count", act_prepare, check_prepared, .count = 70, .rows = 3, .counted = 1,
      .value_size = 4, .fresh = 1 },
    { "the first selection", act_sort, check_sorted, .count = 70, .rows = 3, .top = 9,
      .keys_out = 1, .fresh = 1, .event = 1 },
    { "selection from rows", act_sort, check_sorted, .count = 70, .rows = 3, .top = 9,
      .keys_out = 1, .indices = 1, .value_size = 4, .values_out = 1, .event = 1 },
    { "selection from a row in parts, out of order", act_sort, check_sorted, .count = 20000,
      .top = 9, .keys_out = 1, .value_size = 12, .values_out = 1, .wait = 1, .event = 1,
      .out_of_order = 1 },
    { "the first selection that is sorted afterwards", act_sort, check_sorted, .count = 4200,
      .rows = 2, .top = 4100, .keys_out = 1, .indices = 1, .fresh = 1 },
    { "selection that is sorted afterwards, caller's scratch", act_sort, check_sorted,
      .count = 4200, .top = 4100, .keys_out = 1, .value_size = 4, .values_out = 1, .own_scratch = 1,
      .event = 1 },
    { "rows selected and sorted afterwards, out of order", act_sort, check_sorted, .count = 4200,
      .rows = 2, .top = 4100, .keys_out = 1, .indices = 1, .wait = 1, .event = 1,
      .out_of_order = 1 },
    { "prepare a selection that is sorted afterwards", act_prepare, check_prepared, .count = 4200,
      .rows = 2, .top = 4100, .keys_out = 1, .indices = 1, .fresh = 1 }
};

static void fail_scenarios(bench *b)
{
    size_t i;
    signal(SIGALRM, hung);
    for (i = 0; i < sizeof scenarios / sizeof *scenarios; i++) try_scenario(b, &scenarios[i]);
    print_figures();
}

static void fail_algorithms(bench *b)
{
    size_t i, j;
    signal(SIGALRM, hung);
    for (i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        for (j = 0; j < sizeof shapes / sizeof *shapes; j++) {
            scenario c = shapes[j];
            char name[80];
            snprintf(name, sizeof name, "%s, %s", algorithms[i].name, shapes[j].name);
            c.name = name;
            c.act = act_sort;
            c.check = check_sorted;
            c.algorithm = algorithms[i].name;
            c.count = algorithms[i].count;
            c.work_group = algorithms[i].work_group;
            c.items = algorithms[i].items;
            try_scenario(b, &c);
        }
    print_figures();
}

static const test_entry tests[] = {
    { "a fault in any call of any function is reported and leaves no harm", fail_scenarios },
    TEST_REST,
    { "a fault in any call of any algorithm is reported and leaves no harm", fail_algorithms }
};

TEST_MAIN(tests)
