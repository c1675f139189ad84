/* What clsort says about its own work: the profile callback, which hears of every command, and
   clsort_explain, which counts them beforehand. Every sort here is both explained and heard, and
   the two must agree. */

#include "counted.h"

#define CLSORT_IMPLEMENTATION
#include "top.h"

enum { HEARD_MAX = 4096, TEXT_MAX = 2000 };

/* Commands in the order in which the callback heard of them. */
typedef struct heard {
    int count;
    const char *stage[HEARD_MAX];
    cl_event event[HEARD_MAX];
} heard;

static heard ear;

static void hear(void *user, const char *stage, cl_event event)
{
    heard *h = (heard *)user;
    CHECK(stage != NULL && event != NULL);
    if (!CHECK(h->count < HEARD_MAX) || !CHECK(clRetainEvent(event) == CL_SUCCESS)) return;
    h->stage[h->count] = stage;
    h->event[h->count++] = event;
}

static void forget(heard *h)
{
    while (h->count > 0) clReleaseEvent(h->event[--h->count]);
}

static clsort_sorter *listening_sorter(const bench *b)
{
    clsort_options options = clsort_options_default();
    clsort_sorter *s = NULL;
    options.profile = hear;
    options.user = &ear;
    CHECK_OK(clsort_create(b->session.context, b->session.info.id, &options, &s));
    return s;
}

/* ---- what was heard -------------------------------------------------------------------------- */

static int is_kernel(const char *stage)
{
    int i;
    for (i = 0; i < CLSORT__KERNEL_COUNT; i++)
        if (!strcmp(stage, clsort__kernel_entries[i].name)) return 1;
    return 0;
}

/* The stage that belongs to a type of command. */
static void check_stage(const char *stage, cl_command_type type)
{
    if (type == CL_COMMAND_NDRANGE_KERNEL) CHECK(is_kernel(stage));
    else if (type == CL_COMMAND_COPY_BUFFER) CHECK(!strcmp(stage, "clEnqueueCopyBuffer"));
    else if (type == CL_COMMAND_FILL_BUFFER) CHECK(!strcmp(stage, "clEnqueueFillBuffer"));
    else if (type == CL_COMMAND_READ_BUFFER) CHECK(!strcmp(stage, "clEnqueueReadBuffer"));
    else CHECK(type == CL_COMMAND_MARKER && !strcmp(stage, "clEnqueueMarkerWithWaitList"));
}

/* Every event is complete, of the type that its stage names, and none starts before the one that
   came first. */
static void check_events(const heard *h)
{
    cl_ulong before = 0, start = 0;
    int i;
    for (i = 0; i < h->count; i++) {
        cl_int state = CL_QUEUED;
        cl_command_type type = 0;
        CHECK(clWaitForEvents(1, &h->event[i]) == CL_SUCCESS);
        CHECK(clGetEventInfo(h->event[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                             NULL)
                  == CL_SUCCESS
              && state == CL_COMPLETE);
        CHECK(clGetEventInfo(h->event[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL)
              == CL_SUCCESS);
        check_stage(h->stage[i], type);
        CHECK(clGetEventProfilingInfo(h->event[i], CL_PROFILING_COMMAND_START, sizeof start, &start,
                                      NULL)
              == CL_SUCCESS);
        CHECK(start >= before);
        before = start;
    }
}

/* The number behind a word of an explanation; (size_t)-1 if it is not there. */
static size_t explained(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
        if (!strncmp(text, word, length) && text[length] == ' ')
            return (size_t)strtoull(text + length, NULL, 10);
    return (size_t)-1;
}

/* Is kernel k the first one of its name? Two programs may have a kernel of one name. */
static int first_of_name(int k)
{
    int i = 0;
    while (strcmp(clsort__kernel_entries[i].name, clsort__kernel_entries[k].name)) i++;
    return i == k;
}

/* How often a kernel was heard of must be how often its name follows a number in the
   explanation. */
static void check_explained(const heard *h, const char *text)
{
    size_t kernels = 0;
    int i, k;
    CHECK(explained(text, "launches") + explained(text, "copies") == (size_t)h->count);
    for (k = 0; k < CLSORT__KERNEL_COUNT; k++) {
        char line[100];
        size_t times = 0;
        for (i = 0; i < h->count; i++)
            times += !strcmp(h->stage[i], clsort__kernel_entries[k].name);
        if (!times || !first_of_name(k)) continue;
        kernels += times;
        snprintf(line, sizeof line, " %d %s", (int)times, clsort__kernel_entries[k].name);
        if (!CHECK(strstr(text, line) != NULL)) printf("  no \"%s\" in\n%s", line, text);
    }
    CHECK(explained(text, "launches") == kernels);
}

/* ---- every algorithm ------------------------------------------------------------------------- */

/* One sort, explained before, heard, and compared with the reference. `b` has the sorter that
   listens. */
static void hear_case(const bench *b, sort_case *c)
{
    clsort_desc d = c->d;
    char text[TEXT_MAX];
    int launches;
    case_say(c);
    later(&d, case_roles(c));
    if (clsort_set_algorithm(&d, c->algorithm) != CL_SUCCESS
        || clsort_check(b->sorter, &d) != CL_SUCCESS)
        return;
    if (case_sorts_blocks(c->algorithm)) c->block = case_block_length(b, c);
    CHECK_OK(clsort_prepare(b->sorter, NULL, &d));
    CHECK_OK(clsort_explain(b->sorter, &d, text, sizeof text));
    CHECK(ear.count == 0);
    launches = counted.launches;
    case_run(b, c);
    CHECK(ear.count > 0 && ear.count == counted.launches - launches);
    check_events(&ear);
    /* A sort that looks at the data between rounds may need fewer than it explains. */
    if (!case_blocks(c)) check_explained(&ear, text);
    forget(&ear);
}

static void hear_algorithm(const bench *b, const char *algorithm, size_t n, cl_command_queue queue)
{
    int shape;
    for (shape = 0; shape < 5; shape++) {
        sort_case c = case_make(shape == 4 ? CLSORT_U8 : CLSORT_U32, n, "mod-16");
        c.algorithm = algorithm;
        c.queue = queue;
        c.d.value_size = shape == 1 ? 4 : shape == 2 ? 16 : 0;
        c.d.stable = shape == 1;
        c.keys_out = shape == 0 ? CASE_OWN : 0;
        c.indices = shape == 3;
        c.values_out = shape == 2 ? CASE_OWN : 0;
        hear_case(b, &c);
    }
}

static void hears_algorithms(bench *b)
{
    bench listening = *b;
    cl_uint i;
    listening.sorter = listening_sorter(b);
    for (i = 0; clsort_algorithm_name(i); i++) {
        if (!test_takes(b, 6)) continue;
        hear_algorithm(&listening, clsort_algorithm_name(i), 700, b->session.queue);
        if (!b->small)
            hear_algorithm(&listening, clsort_algorithm_name(i), 20000, b->session.queue);
    }
    clsort_destroy(listening.sorter);
}

static void hears_out_of_order(bench *b)
{
    bench listening = *b;
    cl_int error = CL_SUCCESS;
    const cl_command_queue_properties properties =
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    cl_command_queue queue =
        clCreateCommandQueue(b->session.context, b->session.info.id, properties, &error);
    if (!queue) {
        printf("this device has no out-of-order queues with profiling\n");
        return;
    }
    listening.sorter = listening_sorter(b);
    hear_algorithm(&listening, "bitonic", 700, queue);
    hear_algorithm(&listening, "merge", 5000, queue);
    hear_algorithm(&listening, "radix", 20000, queue);
    clsort_destroy(listening.sorter);
    clReleaseCommandQueue(queue);
}

/* Selections: whole rows, rows in parts, and a k that is sorted afterwards. */
static void hears_selections(bench *b)
{
    static const struct { size_t rows, count, k; int outputs;
    } shapes[] = { { 20, 100, 7, TOP_INDICES },
                   { 1, 40000, 7, TOP_VALUES },
                   { 2, 9000, 9000, TOP_KEYS },
                   { 1, 9000, 5000, TOP_KEYS | TOP_VALUES } };
    bench listening = *b;
    size_t i;
    listening.sorter = listening_sorter(b);
    for (i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int launches = counted.launches;
        char text[TEXT_MAX];
        top_case c = top_make(CLSORT_F32, shapes[i].rows, shapes[i].count, shapes[i].k);
        clsort_desc d = c.d;
        c.outputs = shapes[i].outputs;
        c.d.value_size = d.value_size = c.outputs & TOP_VALUES ? 12 : 0;
        if (c.outputs & TOP_INDICES) d.indices = CLSORT_LATER;
        if (c.outputs & TOP_KEYS) d.keys_out = CLSORT_LATER;
        CHECK_OK(clsort_explain(listening.sorter, &d, text, sizeof text));
        CHECK(ear.count == 0 && counted.launches == launches);
        top_run(&listening, &c);
        CHECK(!strncmp(text, "algorithm top-k by ", 19)
              && (strcspn(text, ",") > strcspn(text, "\n")) == (i < 2));
        CHECK(ear.count > 0 && ear.count == counted.launches - launches);
        check_events(&ear);
        check_explained(&ear, text);
        forget(&ear);
    }
    clsort_destroy(listening.sorter);
}

/* ---- the other calls ------------------------------------------------------------------------- */

/* Exactly these stages were heard, and they are complete. */
static void check_heard(const char *const *stages)
{
    int i;
    for (i = 0; stages[i]; i++)
        if (!CHECK(i < ear.count && !strcmp(ear.stage[i], stages[i])))
            printf("  %s, not %s\n", i < ear.count ? ear.stage[i] : "the end", stages[i]);
    CHECK(ear.count == i);
    check_events(&ear);
    forget(&ear);
}

static void hears_every_call(bench *b)
{
    static const char *const ordered[] = { "clEnqueueFillBuffer", "clsort_is_sorted", NULL };
    static const char *const gathered[] = { "clsort_gather", NULL };
    static const char *const printed[] = { "clEnqueueFillBuffer", "clsort_fingerprint", NULL };
    static const char *const verified[] = { "clEnqueueFillBuffer", "clsort_fingerprint",
                                            "clsort_is_sorted", NULL };
    clsort_sorter *s = listening_sorter(b);
    clsort_array array;
    clsort_gather_desc g = clsort_gather_desc_default();
    clsort_desc d = clsort_desc_default();
    cl_mem other = test_buffer(b, 4096, NULL);
    d.key_type = CLSORT_U32;
    d.count = 1000;
    d.keys = test_buffer(b, 4000, NULL);
    memset(&array, 0, sizeof array);
    array.element_size = 4;
    g.count = 10;
    g.indices = array.source = d.keys;
    array.target = other;
    g.arrays = &array;
    g.array_count = 1;
    CHECK_OK(clsort_enqueue_is_sorted(s, b->session.queue, &d, other, 0, 0, NULL, NULL));
    check_heard(ordered);
    CHECK_OK(clsort_enqueue_gather(s, b->session.queue, &g, 0, NULL, NULL));
    check_heard(gathered);
    CHECK_OK(clsort_enqueue_fingerprint(s, b->session.queue, &d, other, 0, 0, NULL, NULL));
    check_heard(printed);
    CHECK_OK(clsort_enqueue_verify(s, b->session.queue, &d, other, 0, 0, NULL, NULL));
    check_heard(verified);
    clReleaseMemObject(d.keys);
    clReleaseMemObject(other);
    clsort_destroy(s);
}

/* An event that is asked for where nothing is to be done is a command, too. */
static void hears_markers(bench *b)
{
    static const char *const marker[] = { "clEnqueueMarkerWithWaitList", NULL };
    clsort_sorter *s = listening_sorter(b);
    clsort_desc d = clsort_desc_default();
    cl_event done = NULL;
    d.key_type = CLSORT_U32;
    CHECK_OK(clsort_enqueue_sort(s, b->session.queue, &d, 0, NULL, NULL));
    CHECK(ear.count == 0);
    CHECK_OK(clsort_enqueue_sort(s, b->session.queue, &d, 0, NULL, &done));
    CHECK(ear.count == 1 && ear.event[0] == done);
    check_heard(marker);
    counted_clReleaseEvent(done);
    clsort_destroy(s);
}

/* The last event is the caller's; those that the callback kept outlive the sorter; a clone tells,
   too; nothing is leaked. */
static void events_and_clones(bench *b)
{
    const int live = counted.live[COUNTED_EVENT];
    clsort_sorter *s = listening_sorter(b), *clone = NULL;
    clsort_desc d = clsort_desc_default();
    cl_event done = NULL;
    d.key_type = CLSORT_U32;
    d.count = 5000;
    d.keys = test_buffer(b, 20000, NULL);
    CHECK_OK(clsort_clone(s, &clone));
    clsort_destroy(s);
    CHECK_OK(clsort_prepare(clone, NULL, &d));
    CHECK(ear.count == 0);
    CHECK_OK(clsort_enqueue_sort(clone, b->session.queue, &d, 0, NULL, &done));
    CHECK(ear.count > 0 && ear.event[ear.count - 1] == done);
    CHECK(counted.live[COUNTED_EVENT] == live + 1);
    CHECK_OK(clsort_enqueue_sort(clone, b->session.queue, &d, 0, NULL, NULL));
    CHECK(counted.live[COUNTED_EVENT] == live + 1);
    counted_clReleaseEvent(done);
    clsort_destroy(clone);
    check_events(&ear);
    forget(&ear);
    clReleaseMemObject(d.keys);
}

/* ---- explanations ---------------------------------------------------------------------------- */

/* The whole text, of a short row that is read once; where no kernel holds it whole, once more to
   list it. tests/plans has the numbers of other calls. */
static void known_text(bench *b)
{
    static const struct { const char *kernel, *name;
    } once[] = { { "clsort_select_stream", "streams" }, { "clsort_select_short", "registers" },
                 { "clsort_select_tile", "tiles" } };
    const char *kernel = "clsort_select_rows", *name = "digits";
    clsort_desc d = clsort_desc_default();
    char text[TEXT_MAX], expected[TEXT_MAX];
    size_t k;
    d.key_type = CLSORT_U32;
    d.count = 100;
    d.rows = 10;
    d.top_k = 5;
    d.value_size = 8;
    CHECK_OK(clsort_explain(b->sorter, &d, text, sizeof text));
    for (k = 0; k < sizeof once / sizeof *once; k++)
        if (strstr(text, once[k].kernel)) kernel = once[k].kernel, name = once[k].name;
    snprintf(expected, sizeof expected,
             "algorithm top-k by %s\npasses 2\nlaunches 2: 1 %s, 1 clsort_gather\ncopies 0\n"
             "moved %u bytes\nscratch 208 bytes\n",
             name, kernel, strcmp(kernel, "clsort_select_rows") ? 5200u : 9200u);
    CHECK(!strcmp(text, expected));
}

static void explains_into_any_room(bench *b)
{
    clsort_desc d = clsort_desc_default();
    char whole[TEXT_MAX], part[TEXT_MAX];
    size_t size;
    d.key_type = CLSORT_U32;
    d.count = 1000;
    CHECK_OK(clsort_explain(b->sorter, &d, whole, sizeof whole));
    CHECK(strlen(whole) > 60 && whole[strlen(whole) - 1] == '\n');
    for (size = 1; size <= strlen(whole) + 2; size++) {
        memset(part, 'x', sizeof part);
        CHECK_OK(clsort_explain(b->sorter, &d, part, size));
        CHECK(strlen(part) == (size <= strlen(whole) ? size - 1 : strlen(whole))
              && !strncmp(part, whole, strlen(part)) && part[size] == 'x');
    }
}

static void explains_nothing_wrong(bench *b)
{
    clsort_desc d = clsort_desc_default();
    char text[TEXT_MAX] = "old";
    d.count = 10;
    CHECK_STATUS(clsort_explain(NULL, &d, text, sizeof text), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_explain(b->sorter, &d, text, 0), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_explain(b->sorter, &d, NULL, 10), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK(!strcmp(text, "old"));
    CHECK_STATUS(clsort_explain(b->sorter, NULL, text, sizeof text), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_explain(b->sorter, &d, text, sizeof text), CLSORT_ERROR_KEY_TYPE);
    CHECK(!*text);
    d.key_type = CLSORT_U32;
    d.tuning.work_group = 3;
    CHECK_STATUS(clsort_explain(b->sorter, &d, text, sizeof text), CLSORT_ERROR_UNKNOWN_VALUE);
}

/* An order that no sorter has met: nothing is built and nothing enqueued. */
static void explains_without_building(bench *b)
{
    clsort_sorter *s = listening_sorter(b);
    clsort_desc d = clsort_desc_default();
    char text[TEXT_MAX];
    const int made = counted.made[COUNTED_PROGRAM], launches = counted.launches;
    d.count = 5000;
    d.record_size = 8;
    d.record_type = "typedef struct { uint key, rest; } clsort_record;";
    d.precedes = "a.key < b.key";
    CHECK_OK(clsort_explain(s, &d, text, sizeof text));
    CHECK(counted.made[COUNTED_PROGRAM] == made && counted.launches == launches);
    CHECK(explained(text, "launches") > 1 && strstr(text, "clsort_merge_pass")
          && !strncmp(text, "algorithm merge\n", 16));
    clsort_destroy(s);
}

/* ---- table ----------------------------------------------------------------------------------- */

static const test_entry tests[] = {
    { "the profile hears of each command on an out-of-order queue", hears_out_of_order },
    { "the profile hears of each command of a selection, and explain counted them",
      hears_selections },
    { "the profile hears of gathers, checks and proofs", hears_every_call },
    { "the profile hears of a marker", hears_markers },
    { "events of a profile belong to the caller, and clones have the callback", events_and_clones },
    { "explain tells an algorithm, passes, launches, copies and bytes", known_text },
    { "explain fills any room", explains_into_any_room },
    { "explain reports what check does", explains_nothing_wrong },
    { "explain builds nothing", explains_without_building },
    TEST_REST,
    { "the profile hears of each command of every algorithm, and explain counted them",
      hears_algorithms }
};

TEST_MAIN(tests)
