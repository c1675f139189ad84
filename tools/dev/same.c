/* What an implementation of clsort.h answers to descriptions drawn at random, on the driver of
   tests/support/mock.h. tools/dev/same.py compiles it with two headers: SAME_HEADER names one.

     same plans FIRST COUNT      a line for each case: its seed, how many commands it enqueued, a
                                 hash of each kind of answer, and its description
     same case SEED              all answers to one case, in full
     same programs FIRST COUNT FOLDER
                                 a line for each build of devices as they are, untuned: its seed, its
                                 number in the case, its options, and the name of its text, which
                                 lies in FOLDER from then on */

#include "../../tests/support/mock.h"

#define CLSORT_STATIC
#define CLSORT_IMPLEMENTATION
#include SAME_HEADER
#undef CLSORT_IMPLEMENTATION

#include "../../tests/support/draw.h"

static const char *const kinds[] = { "description", "status",  "message", "scratch",
                                     "commands",    "options", "explain" };
enum { DESCRIPTION, STATUS, MESSAGE, MEMORY, COMMANDS, OPTIONS, EXPLAIN, KINDS };

static struct {
    uint64_t hash[KINDS];
    char description[4000];
    size_t length;              /* of that */
    int prints;                 /* each answer in full */
    const char *folder;         /* for texts of programs; NULL: they are not written */
    uint64_t seed;
    int builds;
} now;

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash;
}

/* Takes an answer into the hash of its kind. */
static void say(int kind, const char *format, ...)
{
    static char text[8000];
    va_list arguments;
    char *end;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (end = strchr(text, '\n'); end; end = strchr(end, '\n')) *end = ';';
    if (kind == DESCRIPTION)
        now.length += (size_t)snprintf(now.description + now.length,
                                       sizeof now.description - now.length, " %s", text);
    now.hash[kind] = hash_text(now.hash[kind] * 31 + 1, text);
    if (now.prints) printf("%s: %s\n", kinds[kind], text);
}

static void on_build(void *user, const char *text, const char *options)
{
    char path[1000];
    uint64_t name;
    FILE *f;
    (void)user;
    say(OPTIONS, "%s", options);
    if (!now.folder) return;
    name = hash_text(1, text);
    printf("%llu %d\t%s\t%016llx\n", (unsigned long long)now.seed, now.builds++, options,
           (unsigned long long)name);
    snprintf(path, sizeof path, "%s/%016llx", now.folder, (unsigned long long)name);
    f = fopen(path, "rb");
    if (!f) {
        f = fopen(path, "wb");
        if (f) fputs(text, f);
    }
    if (!f || fclose(f)) exit(2);
}

/* ---- descriptions ---------------------------------------------------------------------------- */

static void say_number(const char *name, unsigned long long number)
{
    if (number) say(DESCRIPTION, "%s %llu", name, number);
}

#define SAY(struct, field) say_number(#field, (unsigned long long)(struct).field);

/* What was drawn and is not 0. */
static void say_description(const drawn *c)
{
    const clsort_desc *d = &c->bare;
    const mock_facts *f = &c->facts;
    cl_uint i;
    say(DESCRIPTION, "%s", f->name);
    SAY(*f, local_bytes) SAY(*f, max_group) SAY(*f, item_sizes[0]) SAY(*f, compute_units)
    SAY(*f, vector_width) SAY(*f, max_allocation) SAY(*f, rejects)
    SAY(*d, count) SAY(*d, key_type) SAY(*d, order) SAY(*d, nan_order) SAY(*d, zero_order)
    SAY(*d, stable) SAY(*d, algorithm) SAY(*d, flags) SAY(*d, first_bit) SAY(*d, last_bit)
    SAY(*d, value_size) SAY(*d, record_size) SAY(*d, key_offset) SAY(*d, rows) SAY(*d, row_stride)
    SAY(*d, keys_out_row_stride) SAY(*d, values_out_row_stride) SAY(*d, indices_row_stride)
    SAY(*d, segment_count) SAY(*d, top_k) SAY(d->tuning, variant) SAY(d->tuning, work_group)
    SAY(d->tuning, items) SAY(*c, has_indices) SAY(*c, has_keys_out) SAY(*c, has_values_out)
    SAY(*c, has_count) SAY(*c, has_lengths) SAY(*c, has_ends)
    if (d->precedes) say(DESCRIPTION, "precedes %s", d->precedes);
    for (i = 0; d->fields && i < d->field_count && i < 9; i++)
        say(DESCRIPTION, "field %x at %zu, %s", (unsigned)d->fields[i].type, d->fields[i].offset,
            d->fields[i].order ? "descending" : "ascending");
}

/* ---- calls ----------------------------------------------------------------------------------- */

static clsort_status answered(const drawn *c, const char *call, clsort_status status)
{
    say(STATUS, "%s %d", call, (int)status);
    if (status) say(MESSAGE, "%s", clsort_last_error(c->sorter));
    return status;
}

/* What all functions that ask say of a description. */
static clsort_status ask(drawn *c, const clsort_desc *d)
{
    clsort_desc r = clsort_desc_default();
    char text[4000] = "";
    size_t known = 0, any = 0;
    const clsort_status checked = answered(c, "check", clsort_check(c->sorter, d));
    if (!answered(c, "resolve", clsort_resolve(c->sorter, d, &r)))
        say(EXPLAIN, "%u %x %u x %u", (unsigned)r.algorithm, (unsigned)r.tuning.variant,
            (unsigned)r.tuning.work_group, (unsigned)r.tuning.items);
    answered(c, "scratch", clsort_scratch_size(c->sorter, d, &known));
    answered(c, "any scratch", clsort_scratch_size(NULL, d, &any));
    say(MEMORY, "%zu of %zu", known, any);
    answered(c, "explain", clsort_explain(c->sorter, d, text, sizeof text));
    say(EXPLAIN, "%s", text);
    return checked;
}

static void sort_drawn(drawn *c)
{
    clsort_desc d = c->full;
    size_t scratch = 0;
    ask(c, &d);
    answered(c, "sort", clsort_enqueue_sort(c->sorter, c->queue, &d, 0, NULL, NULL));
    say(MEMORY, "%llu bytes made", (unsigned long long)mock.allocated);
    clsort_scratch_size(c->sorter, &d, &scratch);
    if (scratch > 16 && add_buffer(c, SCRATCH, &d.scratch, &d.scratch_offset, 16, scratch, 1)) {
        d.scratch_size = scratch;
        answered(c, "sort", clsort_enqueue_sort(c->sorter, c->queue, &d, 0, NULL, NULL));
    }
}

/* Calls that check a sort; `result` receives what they write. */
static void check_drawn(drawn *c, cl_mem result)
{
    const clsort_desc *d = &c->full;
    answered(c, "is_sorted", clsort_enqueue_is_sorted(c->sorter, c->queue, d, result, 0, 0, NULL,
                                                      NULL));
    answered(c, "fingerprint", clsort_enqueue_fingerprint(c->sorter, c->queue, d, result, 0, 0,
                                                          NULL, NULL));
    answered(c, "verify", clsort_enqueue_verify(c->sorter, c->queue, d, result, 0, 0, NULL, NULL));
}

enum { FROM, TO, VALUES_FROM, VALUES_TO, OTHER, OTHER_VALUES, PIECES };

static void merge_drawn(drawn *c, const cl_mem b[PIECES], size_t n, size_t value)
{
    clsort_merge_desc two = clsort_merge_desc_default();
    clsort_merge_runs_desc m = clsort_merge_runs_desc_default();
    clsort_run runs[CLSORT_MAX_RUNS];
    size_t bytes = 0;
    cl_uint i;
    memset(runs, 0, sizeof runs);
    two.key_type = m.key_type = c->bare.key_type;
    two.order = m.order = c->bare.order;
    two.tuning = m.tuning = c->bare.tuning;
    two.value_size = m.value_size = value;
    two.count_a = n / 3;
    two.count_b = n - n / 3;
    two.keys_a = b[FROM], two.keys_b = b[OTHER], two.keys_out = m.keys_out = b[TO];
    if (value) two.values_a = b[VALUES_FROM], two.values_b = b[OTHER_VALUES];
    if (value) two.values_out = m.values_out = b[VALUES_TO];
    m.runs = runs;
    m.run_count = 1 + below(c, CLSORT_MAX_RUNS);
    for (i = 0; i < m.run_count; i++) {
        runs[i].count = below(c, (cl_uint)(n / m.run_count) + 2);
        runs[i].keys = b[FROM];
        if (value) runs[i].values = b[VALUES_FROM];
    }
    answered(c, "merge", clsort_enqueue_merge(c->sorter, c->queue, &two, 0, NULL, NULL));
    answered(c, "scratch", clsort_merge_runs_scratch_size(c->sorter, &m, &bytes));
    say(MEMORY, "%zu of a merge of runs", bytes);
    answered(c, "merge of runs",
             clsort_enqueue_merge_runs(c->sorter, c->queue, &m, 0, NULL, NULL));
}

static void part_drawn(drawn *c, const cl_mem b[PIECES], size_t n, size_t value)
{
    clsort_partition_desc p = clsort_partition_desc_default();
    clsort_groups_desc g = clsort_groups_desc_default();
    size_t bytes = 0;
    p.key_type = c->bare.key_type;
    p.order = c->bare.order;
    p.tuning = c->bare.tuning;
    p.splitter_count = 1 + below(c, one_in(c, 2) ? 20 : CLSORT_MAX_SPLITTERS);
    p.count = g.count = n;
    p.value_size = value;
    p.keys = g.keys = b[FROM], p.keys_out = b[TO];
    if (value) p.values = b[VALUES_FROM], p.values_out = b[VALUES_TO];
    p.splitters = b[OTHER], p.starts = g.starts = b[OTHER_VALUES];
    g.key_type = one_in(c, 2) ? CLSORT_U32 : c->bare.key_type;
    g.groups = below(c, 256);
    answered(c, "scratch", clsort_partition_scratch_size(c->sorter, &p, &bytes));
    say(MEMORY, "%zu of a partition", bytes);
    answered(c, "partition", clsort_enqueue_partition(c->sorter, c->queue, &p, 0, NULL, NULL));
    answered(c, "groups", clsort_enqueue_group_starts(c->sorter, c->queue, &g, 0, NULL, NULL));
}

static void gather_drawn(drawn *c, const cl_mem b[PIECES], size_t n, size_t value)
{
    clsort_gather_desc g = clsort_gather_desc_default();
    clsort_array a[2];
    memset(a, 0, sizeof a);
    a[0].source = b[FROM], a[0].target = b[TO], a[0].element_size = 1 + below(c, 16);
    a[1].source = b[VALUES_FROM], a[1].target = b[VALUES_TO], a[1].element_size = value + 1;
    g.count = n;
    g.indices = b[OTHER];
    g.arrays = a;
    g.array_count = 1 + below(c, 2);
    answered(c, "gather", clsort_enqueue_gather(c->sorter, c->queue, &g, 0, NULL, NULL));
}

/* The calls that are no sorts, in arrays of up to 16 bytes an element. */
static void call_others(drawn *c)
{
    const size_t n = 1 + some_size(c, 24), value = one_in(c, 2) ? 0 : 1 + below(c, 9);
    cl_mem b[PIECES];
    cl_int error;
    int i;
    for (i = 0; i < PIECES; i++)
        b[i] = mock_clCreateBuffer(c->context, CL_MEM_READ_WRITE, 16 * n + 2048, NULL, &error);
    if (c->full.keys) check_drawn(c, b[TO]);
    merge_drawn(c, b, n, value);
    part_drawn(c, b, n, value);
    gather_drawn(c, b, n, value);
    for (i = 0; i < PIECES; i++)
        if (b[i]) mock_clReleaseMemObject(b[i]);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void run_case(uint64_t seed)
{
    static drawn c;
    memset(now.hash, 0, sizeof now.hash);
    now.seed = seed;
    now.length = 0;
    now.builds = 0;
    c.plain = now.folder != NULL;
    draw_seed(&c, seed);
    mock.traces = 2;
    mock.on_build = on_build;
    say_description(&c);
    if (ask(&c, &c.bare) == CL_SUCCESS) {
        if (add_buffers(&c)) sort_drawn(&c);
        else answered(&c, "prepare", clsort_prepare(c.sorter, NULL, &c.bare));
    }
    if (seed % 4 == 0) call_others(&c);
    say(COMMANDS, "%d, hash %016llx", mock.traced, (unsigned long long)mock.trace);
    close_case(&c);
}

int main(int n, char **words)
{
    static bench none;          /* for messages of checks */
    const int plans = n == 4 && !strcmp(words[1], "plans"),
              programs = n == 5 && !strcmp(words[1], "programs");
    uint64_t i, first, last;
    int k;
    if (n < 3) return 2;
    test_now.device = &none;
    test_now.name = "a case";
    first = strtoull(words[2], NULL, 10);
    last = plans || programs ? first + strtoull(words[3], NULL, 10) : first + 1;
    now.prints = !plans && !programs;
    if (programs) now.folder = words[4];
    for (i = first; i < last; i++) {
        run_case(i);
        if (!plans) continue;
        printf("%llu %d", (unsigned long long)i, mock.traced);
        for (k = 0; k < KINDS; k++) printf(" %016llx", (unsigned long long)now.hash[k]);
        printf("%s\n", now.description);
    }
    return test_now.faults || mock.faults || fflush(stdout) ? 2 : 0;
}
