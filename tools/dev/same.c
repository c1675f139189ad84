/* What an implementation of clsort.h answers to descriptions drawn at random, on the driver of
   tests/support/mock.h. tools/dev/same.py compiles it with two headers: SAME_HEADER names one.

     same plans FIRST COUNT      a line for each case: its seed, how many commands it enqueued, a
                                 hash of each kind of answer, and its description
     same case SEED              all answers to one case, in full
     same programs FIRST COUNT FOLDER
                                 a line for each build of devices as they are, untuned: its seed,
                                 its options, and the name of its text, which lies in FOLDER from
                                 then on */

#include "../../tests/support/mock.h"

/* The options of a build without those that SAME_NEW_OPTIONS names, which one header lacks. */
static const char *old_options(const char *options)
{
    static char text[4000];
    const char *given = getenv("SAME_NEW_OPTIONS");
    char names[400], *name, *at;
    snprintf(text, sizeof text, "%s", options);
    snprintf(names, sizeof names, "%s", given ? given : "");
    for (name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        char word[100], *end;
        snprintf(word, sizeof word, " -D %s=", name);
        at = strstr(text, word);
        if (!at) continue;
        end = at + strlen(word) + strcspn(at + strlen(word), " ");
        memmove(at, end, strlen(end) + 1);
    }
    return text;
}

static cl_int build_as_before(cl_program program, cl_uint count, const cl_device_id *devices,
                              const char *options,
                              void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    return counted_clBuildProgram(program, count, devices, old_options(options), notify, user);
}
#define counted_clBuildProgram build_as_before

#define CLSORT_STATIC
#define CLSORT_IMPLEMENTATION
#include SAME_HEADER
#undef CLSORT_IMPLEMENTATION

#include "../../tests/support/draw.h"

static const char *const kinds[] = { "description", "status",   "message", "scratch",
                                     "bound",       "commands", "options", "explain" };
enum { DESCRIPTION, STATUS, MESSAGE, MEMORY, BOUND, COMMANDS, OPTIONS, EXPLAIN, KINDS };

static struct {
    uint64_t hash[KINDS];
    char description[4000];
    size_t length;              /* of that */
    int prints;                 /* each answer in full */
    const char *folder;         /* for texts of programs; NULL: they are not written */
    uint64_t seed;
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
    printf("%llu\t%s\t%016llx\n", (unsigned long long)now.seed, options,
           (unsigned long long)name);
    snprintf(path, sizeof path, "%s/%016llx", now.folder, (unsigned long long)name);
    if (!access(path, F_OK)) return;
    f = fopen(path, "wb");
    if (!f || fputs(text, f) < 0 || fclose(f)) exit(2);
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
    SAY(*f, vector_width) SAY(*f, max_allocation)
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

/* ---- what else a device, a sorter and a call may have ---------------------------------------- */

/* A compiler that grants less than the device says, or rejects families. NVIDIA's grants groups,
   and kernels of selections have no local memory of their own. */
static void limit_builds(drawn *c)
{
    mock_facts *f = &mock.facts[0];
    if (one_in(c, 4) && !f->nvidia_major) f->kernel_group = f->max_group >> below(c, 5);
    if (one_in(c, 8) && !c->bare.top_k) f->kernel_local = some_size(c, 14);
    if (one_in(c, 4)) f->rejects |= (cl_ulong)1 << (one_in(c, 8) ? below(c, 5) : 32 + below(c, 19));
    SAY(*f, kernel_group) SAY(*f, kernel_local)
    say_number("rejected", f->rejects);
}

/* A sorter with options. */
static void draw_options(drawn *c)
{
    static const cl_uint flags[] = { CLSORT_OPTION_FEW_SORTS, CLSORT_OPTION_BUILT_IN_CHOICES,
                                     CLSORT_OPTION_VERIFY };
    clsort_options o = clsort_options_default();
    if (!one_in(c, 4)) return;
    o.flags = flags[below(c, 3)];
    clsort_destroy(c->sorter);
    if (clsort_create(c->context, c->device, &o, &c->sorter)) exit(2);
    say(DESCRIPTION, "option %u", (unsigned)o.flags);
}

/* A count for a choice, as likely beside that of the description as anywhere. */
static unsigned some_count(drawn *c)
{
    return one_in(c, 2) ? (unsigned)some_size(c, 32) : (unsigned)(c->bare.count + below(c, 3));
}

/* Loads choices, as if they were measured on this device: of each kind, and of selections like the
   case's. */
static void load_choices(drawn *c)
{
    char text[8000], device[33] = "", letters[40] = "";
    clsort__lines l;
    size_t n, i;
    cl_uint kind, fits = 0;
    if (!clsort__print_device(c->sorter, device)) exit(2);
    n = (size_t)sprintf(text, "clsort choices %d\ndevice %s ?\n", CLSORT__TEXT_VERSION, device);
    for (kind = 0; kind < CLSORT__ARRAY_KINDS; kind++)
        n += (size_t)sprintf(text + n,
                             "choice %u most %u few %u radix %u hybrid %u bitonic %u gain 100\n",
                             (unsigned)kind, some_count(c) | 1u, some_count(c) >> 10,
                             some_count(c), some_count(c), (unsigned)some_size(c, 22));
    for (; c->bare.top_k && kind < CLSORT__MEASURED_KINDS; kind++) {
        for (i = 0; i < CLSORT__MEASURED_LENGTHS; i++)
            letters[i] = clsort__ways[below(c, CLSORT__WAYS)].letter;
        n += (size_t)sprintf(text + n,
                             "choice %u most 4294967295 top 2^%u rows 2^%u ways %s gain 100\n",
                             (unsigned)kind, (unsigned)clsort__ceil_log2(c->bare.top_k),
                             (unsigned)clsort__ceil_log2(c->bare.rows ? c->bare.rows : 1), letters);
    }
    memset(&l, 0, sizeof l);
    for (l.next = text; clsort__read_line(&l);) clsort__hash_line(&l);
    clsort__print_hash(l.hash, device);
    sprintf(text + n, "end %s\n", device);
    if (!clsort_load_choices(c->sorter, text, &fits) && fits) say(DESCRIPTION, "choices");
}

/* All of that. NO_BUILD: now and then when all is built as it is without the choices. */
static void draw_more(drawn *c)
{
    limit_builds(c);
    draw_options(c);
    if (one_in(c, 6)) {
        if (one_in(c, 2)) clsort_prepare(c->sorter, NULL, &c->bare);
        c->bare.flags |= CLSORT_FLAG_NO_BUILD;
        c->full.flags |= CLSORT_FLAG_NO_BUILD;
        say(DESCRIPTION, "NO_BUILD");
    }
    if (one_in(c, 3)) load_choices(c);
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
    say(MEMORY, "%zu", known);
    say(BOUND, "%zu", any);
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

enum { PIECES = 6 };            /* keys, values; others; outputs */

static void merge_drawn(drawn *c, const cl_mem b[PIECES], size_t n, size_t value)
{
    clsort_merge_desc m = clsort_merge_desc_default();
    clsort_merge_runs_desc r = clsort_merge_runs_desc_default();
    clsort_run runs[CLSORT_MAX_RUNS];
    cl_uint i;
    memset(runs, 0, sizeof runs);
    m.key_type = r.key_type = c->bare.key_type;
    m.tuning = r.tuning = c->bare.tuning;
    m.value_size = r.value_size = value;
    m.count_b = n - (m.count_a = n / 3);
    m.keys_a = b[0], m.keys_b = b[2], m.keys_out = r.keys_out = b[4];
    if (value) m.values_a = b[1], m.values_b = b[3], m.values_out = r.values_out = b[5];
    r.runs = runs;
    r.run_count = 1 + below(c, CLSORT_MAX_RUNS);
    for (i = 0; i < r.run_count; i++) {
        runs[i].count = n / r.run_count;
        runs[i].keys = b[0];
        if (value) runs[i].values = b[1];
    }
    answered(c, "merge", clsort_enqueue_merge(c->sorter, c->queue, &m, 0, NULL, NULL));
    answered(c, "merge of runs",
             clsort_enqueue_merge_runs(c->sorter, c->queue, &r, 0, NULL, NULL));
}

static void part_drawn(drawn *c, const cl_mem b[PIECES], size_t n, size_t value)
{
    clsort_partition_desc p = clsort_partition_desc_default();
    p.key_type = c->bare.key_type;
    p.tuning = c->bare.tuning;
    p.splitter_count = 1 + below(c, one_in(c, 2) ? 20 : CLSORT_MAX_SPLITTERS);
    p.count = n;
    p.value_size = value;
    p.keys = b[0], p.splitters = b[2], p.starts = b[3], p.keys_out = b[4];
    if (value) p.values = b[1], p.values_out = b[5];
    answered(c, "partition", clsort_enqueue_partition(c->sorter, c->queue, &p, 0, NULL, NULL));
}

/* Checks, merges and partitions. What they take of scratch memory is seen by what they make. */
static void call_others(drawn *c)
{
    const size_t n = 1 + some_size(c, 24), value = one_in(c, 2) ? 0 : 1 + below(c, 9);
    const clsort_desc *d = &c->full;
    cl_mem b[PIECES];
    cl_int error;
    int i;
    for (i = 0; i < PIECES; i++)
        b[i] = mock_clCreateBuffer(c->context, CL_MEM_READ_WRITE, 16 * n + 2048, NULL, &error);
    if (d->keys) {
        answered(c, "is_sorted",
                 clsort_enqueue_is_sorted(c->sorter, c->queue, d, b[4], 0, 0, NULL, NULL));
        answered(c, "verify",
                 clsort_enqueue_verify(c->sorter, c->queue, d, b[4], 0, 0, NULL, NULL));
    }
    merge_drawn(c, b, n, value);
    part_drawn(c, b, n, value);
    say(MEMORY, "%llu bytes made", (unsigned long long)mock.allocated);
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
    c.plain = now.folder != NULL;
    draw_seed(&c, seed);
    mock.traces = 2;
    mock.fault_quiet = 1;
    mock.on_build = on_build;
    say_description(&c);
    if (!c.plain) draw_more(&c);
    if (ask(&c, &c.bare) == CL_SUCCESS) {
        if (add_buffers(&c)) sort_drawn(&c);
        else answered(&c, "prepare", clsort_prepare(c.sorter, NULL, &c.bare));
    }
    if (seed % 4 == 0) call_others(&c);
    say(COMMANDS, "%d, hash %016llx", mock.traced, (unsigned long long)mock.trace);
    if (mock.faults) {          /* a fault of clsort.h, which this finds by chance */
        say(STATUS, "the driver refused %d calls", mock.faults);
        fprintf(stderr, "seed %llu: the driver refused %d calls\n", (unsigned long long)seed,
                mock.faults);
        mock.faults = 0;
    }
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
    return test_now.faults || fflush(stdout) ? 2 : 0;
}
