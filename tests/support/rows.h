/* rows.h - tests as rows of a table. A row says what is sorted and how; the generator draws the
   rest, and each case is compared byte for byte with the host (cases.h).

     { .name = "pairs of every size are sorted", .forms = "auto bitonic/64x4", .elements = "k4+4",
       .patterns = "uniform mod-16", .counts = "0..1025 ~3t", .with = "order places" }

   .forms      names of algorithms, each with its work-group and items, if it is to have some:
               NAME/GROUP or NAME/GROUPxITEMS. "*": every name that sorts one array
   .elements   keys and what moves with them: KEY[:RECORD@PLACE][+VALUE][#]. KEY is a type, or k1,
               k2, k4, k8: types of that size in turn, which share their programs; RECORD and
               VALUE are bytes, PLACE is where the key is in the record, # asks for indices. "*":
               every type
   .patterns   one of these is drawn for each case; "*": each case is run with all that apply. Those
               for floats draw a float
   .counts     numbers and sums of such: 7, 3t+1 (t: a tile of the form, h: half of one), 64k, 1m;
               ~N: N - 1, N, N + 1; A..B: all; A..B/S: every S-th
   .with       what is drawn, too, or with ! behind it always there: order (descending), nan (NaNs
               last), equals (equal NaNs, zeros), stable, places (outputs, the caller's scratch
               memory, buffers), apart (outputs, always), overwrites (the input, always), queue (out
               of order, wait lists, no event), prove, bits; parts: rows (`counts` are their
               lengths), strides (of outputs), segments (`counts` are their numbers), gaps, descends
               (offsets do not ascend); counted (a count on the device, `counts` are capacities),
               produced (just before)
   .times      the cases of each count; default 1
   .one_in     where compiling takes most of the time, one program of this number: pairs of a form
               and an element. A GPU builds four times as many, others where it is another vendor's
   .device     which sorter; NULL: the device's own
   .kernel     a kernel whose name begins so must be among those that some case runs
   .make       makes the bits of keys; then .times numbers its cases
   .fields     orders records
   .change     changes each case once it is drawn
   .refused    cases that this version does not sort by that form are left out
   .call       what runs a drawn case where that is no sort: a selection, a merge, a partition; it
               may look at more words of .with
   .k          numbers for such a call, one for each of .times in turn; t is the count
   .run        a test of another kind, with nothing but a name

   What a row draws depends on its name and CLSORT_TEST_SEED only. ROWS_MAIN makes a program of a
   table; a row without a name is TEST_REST. A wrong case is said, and made simpler. Include it
   behind the implementation, and pretend.h before. */

#ifndef CLSORT_TESTS_ROWS_H
#define CLSORT_TESTS_ROWS_H

#include "generate.h"
#include "pretenders.h"

/* Which sorter, and what it is told. */
typedef struct row_device {
    int cpu, gpu;               /* only where the device is a CPU, or is none */
    int quick;                  /* builds without PoCL's optimizer */
    int sweeps;                 /* on a CPU a sorter that takes sweeps */
    int checks;                 /* a sorter that checks its results */
    cl_device_type type;        /* what the device says of itself; 0: the truth */
    cl_uint units;
    cl_ulong local_memory;
    const char *options;        /* of builds */
    const char *text, *other;   /* text of the kernels, and what is put in its place */
    void (*change)(clsort_sorter *s);
} row_device;

struct test_row;
typedef int row_call(const bench *b, const struct test_row *r, const sort_case *c,
                     uint64_t *random);

typedef struct test_row {
    const char *name, *forms, *elements, *patterns, *counts, *with, *k;
    unsigned times, one_in;
    const row_device *device;
    const char *kernel;
    case_maker *make;
    const clsort_field *fields;
    cl_uint field_count;
    int refused;
    void (*change)(sort_case *c);
    row_call *call;
    void (*run)(bench *b);
} test_row;

#define ROW_REST { .name = NULL }

enum { ROW_COUNTS = 4096, ROW_PATTERNS = 100, ROW_MOST = 1 << 17 };
enum { ROW_SMALL = 400, ROW_LEAST = 2048 };   /* of CLSORT_TEST_SMALL */

/* ---- words ----------------------------------------------------------------------------------- */

typedef struct row_word { char text[64]; } row_word;

/* Takes the next word of a list; 0 after the last. */
static inline int row_next(const char **list, row_word *w)
{
    size_t n;
    *list += strspn(*list, " ");
    n = strcspn(*list, " ");
    snprintf(w->text, sizeof w->text, "%.*s", (int)n, *list);
    *list += n;
    return n > 0;
}

static inline size_t row_words(const char *list)
{
    row_word w;
    size_t n = 0;
    while (row_next(&list, &w)) n++;
    return n;
}

/* A word at random. */
static inline row_word row_draw_word(uint64_t *random, const char *list)
{
    row_word w = { "" };
    size_t k = draw(random, row_words(list)) + 1;
    while (k--) row_next(&list, &w);
    return w;
}

/* Does the row draw this? 2: always. */
static inline int row_has(const test_row *r, const char *what)
{
    const char *list = r->with ? r->with : "";
    const size_t n = strlen(what);
    row_word w;
    while (row_next(&list, &w))
        if (!strncmp(w.text, what, n) && (!w.text[n] || w.text[n] == '!')) return 1 + !!w.text[n];
    return 0;
}

static inline int row_chance(const test_row *r, const char *what, uint64_t *random,
                             unsigned percent)
{
    const int has = row_has(r, what), drawn = chance(random, percent);
    return has > 1 || (has && drawn);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* A sum of numbers, each with a unit or none; stops at what is no part of it. */
static inline size_t row_number(const char **text, size_t tile)
{
    size_t sum = 0;
    int minus = 0;
    for (;;) {
        char *end;
        size_t n = strtoul(*text, &end, 10);
        if (end == *text) n = 1;
        if (*end == 't') n *= tile, end++;
        else if (*end == 'h') n = n * tile / 2, end++;
        else if (*end == 'k') n <<= 10, end++;
        else if (*end == 'm') n <<= 20, end++;
        sum = minus ? sum - n : sum + n;
        *text = end;
        if (*end != '+' && *end != '-') return sum;
        minus = *end == '-';
        ++*text;
    }
}

static inline void row_add_count(size_t *counts, size_t *n, size_t count)
{
    if (CHECK(*n < ROW_COUNTS)) counts[(*n)++] = count;
}

/* All counts of a row for a tile; with CLSORT_TEST_SMALL those that are small. Where none is, the
   row's kernels want as many as this. */
static inline size_t row_list_counts(const bench *b, const char *list, size_t tile, size_t *counts)
{
    size_t n = 0, kept = 0, i;
    row_word w;
    while (row_next(&list, &w)) {
        const char *text = w.text + (*w.text == '~');
        size_t first = row_number(&text, tile), last = first, step = 1;
        if (*w.text == '~') first -= first > 0, last++;
        if (!strncmp(text, "..", 2)) text += 2, last = row_number(&text, tile);
        if (*text == '/') text++, step = row_number(&text, tile);
        CHECK(!*text);
        for (; first <= last; first += b->small && last - first > 3 ? 13 * step : step)
            row_add_count(counts, &n, first);
    }
    for (i = 0; i < n && b->small; i++)
        if (counts[i] <= ROW_SMALL) counts[kept++] = counts[i];
    if (b->small && !kept) row_add_count(counts, &kept, *counts < ROW_LEAST ? *counts : ROW_LEAST);
    return b->small ? kept : n;
}

/* The number of .k that is this case's turn. */
static inline size_t row_number_k(const test_row *r, const sort_case *c)
{
    const char *list = r->k, *text;
    size_t turn = c->number % row_words(list) + 1, k;
    row_word w = { "" };
    while (turn--) row_next(&list, &w);
    text = w.text;
    k = row_number(&text, c->d.count);
    CHECK(!*text);
    return k;
}

/* ---- forms and elements ---------------------------------------------------------------------- */

/* What the cases of a program have in common. `in_turn`: the type is drawn among all of its
   size. */
typedef struct row_program {
    char name[64];
    sort_case c;
    int in_turn;
} row_program;

/* Writes form number i into a program; 0 after the last one. */
static inline int row_take_form(const char *forms, size_t i, row_program *p)
{
    row_word w = { "" };
    char *slash;
    if (!strcmp(forms, "*")) {
        const char *name = clsort_algorithm_name((cl_uint)i);
        if (!name || case_sorts_rows(name)) return 0;   /* these are the last ones */
        snprintf(p->name, sizeof p->name, "%s", name);
    } else {
        for (i++; i; i--)
            if (!row_next(&forms, &w)) return 0;
        snprintf(p->name, sizeof p->name, "%s", w.text);
    }
    slash = strchr(p->name, '/');
    if (slash) {
        char *items;
        *slash = 0;
        p->c.d.tuning.work_group = (cl_uint)strtoul(slash + 1, &items, 10);
        if (*items == 'x') p->c.d.tuning.items = (cl_uint)strtoul(items + 1, NULL, 10);
    }
    return 1;
}

static inline void row_read_key(row_program *p, const char *text, size_t n)
{
    size_t i;
    p->in_turn = n == 2 && *text == 'k';
    for (i = 0; i < CASE_TYPES; i++) {
        const cl_uint type = case_types[i].type;
        if (p->in_turn ? pattern_key_size(type) == (size_t)(text[1] - '0')
                       : strlen(case_types[i].name) == n && !strncmp(case_types[i].name, text, n)) {
            p->c.d.key_type = type;
            return;
        }
    }
    CHECK(!"an element has no such key");
}

/* Writes element number i into a program; 0 after the last one. */
static inline int row_take_element(const char *elements, size_t i, row_program *p)
{
    row_word w = { "" };
    char *at = w.text;
    if (!strcmp(elements, "*")) {
        if (i >= CASE_TYPES) return 0;
        p->c.d.key_type = case_types[i].type;
        return 1;
    }
    for (i++; i; i--)
        if (!row_next(&elements, &w)) return 0;
    row_read_key(p, at, strcspn(at, ":+#"));
    at += strcspn(at, ":+#");
    if (*at == ':') p->c.d.record_size = strtoul(at + 1, &at, 10);
    if (*at == '@') p->c.d.key_offset = strtoul(at + 1, &at, 10);
    if (*at == '+') p->c.d.value_size = strtoul(at + 1, &at, 10);
    p->c.indices = *at == '#';
    return 1;
}

/* ---- what a row draws ------------------------------------------------------------------------ */

/* A pattern of the row, and a type that it applies to. */
static inline void row_draw_keys(const test_row *r, const row_program *p, const char *pattern,
                                 uint64_t *random, sort_case *c)
{
    int turns = 100;
    size_t number;
    do {
        const row_word w = pattern ? (row_word){ "" } : row_draw_word(random, r->patterns);
        number = pattern_find(pattern ? pattern : w.text);
        if (!CHECK(pattern_name(number) != NULL)) return;
        c->pattern = pattern_name(number);
        while (p->in_turn) {
            c->d.key_type = case_types[draw(random, CASE_TYPES)].type;
            if (pattern_key_size(c->d.key_type) == pattern_key_size(p->c.d.key_type)) break;
        }
    } while (!pattern_applies(number, c->d.key_type) && --turns);
    if (!turns) c->pattern = "uniform";
}

/* Any range, and those around whole digits, to the end, and of one bit. */
static inline void row_draw_bits(uint64_t *random, sort_case *c)
{
    const cl_uint width = (cl_uint)(8 * pattern_key_size(c->d.key_type));
    const size_t kind = draw(random, 6);
    draw_bits(random, c);
    if (kind == 0) c->d.last_bit = 0;
    if (kind == 1) c->d.first_bit = 0, c->d.last_bit = width;
    if (kind == 2) c->d.first_bit = width - 1, c->d.last_bit = width;
    if (kind == 3) c->d.first_bit = 8 * (cl_uint)draw(random, width / 8), c->d.last_bit = 0;
}

static inline void row_draw_order(const test_row *r, uint64_t *random, sort_case *c)
{
    c->d.order = (cl_uint)row_chance(r, "order", random, 50);
    c->d.nan_order = (cl_uint)row_chance(r, "nan", random, 50);
    if (row_chance(r, "equals", random, 50)) {
        c->d.zero_order = (cl_uint)draw(random, 2);
        c->d.nan_order = c->d.zero_order ? (cl_uint)draw(random, 3) : CLSORT_NAN_EQUAL;
    }
    c->d.stable = (cl_uint)row_chance(r, "stable", random, 50);
    if (row_chance(r, "bits", random, 80)) row_draw_bits(random, c);
    c->prove = row_chance(r, "prove", random, 40);
}

static inline void row_draw_arrays(const test_row *r, uint64_t *random, sort_case *c)
{
    if (row_has(r, "places")) draw_places(random, c);
    if (row_has(r, "places") && !r->call && !(r->device && r->device->checks)) may_overwrite(c);
    if (row_chance(r, "apart", random, 100)) c->keys_out = CASE_OWN, c->values_out = CASE_OWN;
    if (row_has(r, "overwrites")) c->d.flags |= CLSORT_FLAG_OVERWRITE_INPUT;
    if (c->indices && c->d.value_size && !c->values_out) c->values_out = CASE_OWN;
    if (!c->d.value_size) c->values_out = 0;
    c->own_scratch |= row_chance(r, "scratch", random, 50);
    if (!row_has(r, "queue")) return;
    c->wait = (int)draw(random, CASE_WAITS);
    c->no_event = chance(random, 30);
}

/* Rows of c->d.count elements. */
static inline void row_draw_rows(const test_row *r, uint64_t *random, sort_case *c)
{
    static const unsigned short numbers[] = { 1,  2,  3,   5,   7,   31,   32,   33,
                                              63, 65, 255, 257, 777, 1025, 4097, 65535 };
    const size_t element = case_element_size(c), length = c->d.count, gap = draw(random, 3) * 7,
                 most = test_now.device->small ? ROW_SMALL : ROW_MOST / 2;
    do c->d.rows = numbers[draw(random, 16)];
    while (c->d.rows > 7 && c->d.rows * (length + gap) > most);
    if (gap || chance(random, 50)) c->d.row_stride = (length + gap) * element;
    if (!row_chance(r, "strides", random, 70)) return;
    if (c->keys_out == CASE_OWN)
        c->d.keys_out_row_stride = (length + draw(random, 20)) * element;
    if (c->values_out == CASE_OWN)
        c->d.values_out_row_stride = (length + draw(random, 20) + 2) * c->d.value_size;
    if (c->indices) c->d.indices_row_stride = (length + draw(random, 20)) * sizeof(cl_uint);
}

/* The length of a segment in one of several styles: tiny, mixed, some huge, most empty, around
   parts of a tile. */
static inline size_t row_draw_length(uint64_t *random, size_t style, size_t tile)
{
    static const size_t parts[] = { 1, 2, 3, 4, 6, 8, 12, 16, 20 };
    switch (style) {
    case 0: return draw(random, 9);
    case 1: return draw(random, 5) ? draw(random, 40) : draw(random, 3 * tile);
    case 2: return draw(random, 60) ? draw(random, 7) : draw(random, ROW_MOST / 3);
    case 3: return draw(random, 4) ? 0 : draw(random, 90);
    default: return parts[draw(random, 9)] * tile / 4 + draw(random, 3) - 1;
    }
}

static uint32_t row_offsets[ROW_MOST / 2 + 2], row_ends[ROW_MOST / 2 + 1];

/* Ends that leave gaps: some segments are empty, some end before they begin. */
static inline void row_draw_gaps(uint64_t *random, sort_case *c)
{
    size_t i;
    for (i = 0; i < c->d.segment_count; i++) {
        const size_t kind = draw(random, 9), length = row_offsets[i + 1] - row_offsets[i];
        row_ends[i] = row_offsets[i + 1];
        if (kind > 2 && length) row_ends[i] -= (uint32_t)draw(random, kind > 5 ? 2 : length + 1);
        if (kind == 8) row_ends[i] = (uint32_t)draw(random, row_offsets[i] + 1);
    }
    c->ends = row_ends;
}

/* Spoils offsets or ends: one, or all of them, also beyond the count. */
static inline void row_draw_descent(uint64_t *random, sort_case *c)
{
    const size_t n = c->d.segment_count, at = draw(random, n), all = draw(random, 3);
    uint32_t *const list = c->ends && chance(random, 50) ? row_ends : row_offsets;
    size_t i;
    for (i = 0; i < n && !all; i++)
        list[i] = (uint32_t)draw(random, c->d.count + (chance(random, 30) ? c->d.count : 1));
    if (list == row_ends) row_ends[at] = row_offsets[at] + (uint32_t)draw(random, 5000);
    else row_offsets[at] = (uint32_t)(at ? draw(random, row_offsets[at] + 1) : c->d.count);
    if (chance(random, 10)) row_offsets[n] = UINT32_MAX;
}

/* c->d.count segments. */
static inline void row_draw_segments(const test_row *r, uint64_t *random, sort_case *c, size_t tile)
{
    const size_t n = c->d.count <= ROW_MOST / 2 ? c->d.count : ROW_MOST / 2 + 1,
                 style = draw(random, 5), few = chance(random, 50) ? 60000 : 4000,
                 most = test_now.device->small ? 2000
                      : style == 2             ? ROW_MOST
                      : n > 20000              ? 2 * ROW_MOST
                                               : few;
    size_t at = draw(random, 3) * 5, i;
    for (i = 0; i < n; i++) {
        const size_t length = row_draw_length(random, style, tile < 64 ? 64 : tile);
        row_offsets[i] = (uint32_t)at;
        at = length < most - at ? at + length : style == 2 ? at : most;
    }
    row_offsets[n] = (uint32_t)at;
    c->offsets = row_offsets;
    c->d.segment_count = n;
    c->d.count = at + draw(random, 4) * 9;
    if (row_chance(r, "gaps", random, 50)) row_draw_gaps(random, c);
    if (row_chance(r, "descends", random, 50)) row_draw_descent(random, c);
}

/* A count on the device: none, one, around a tile, just below, at and above the capacity. */
static inline void row_draw_there(uint64_t *random, sort_case *c, size_t tile)
{
    const size_t n = c->d.count;
    const size_t there[] = { 0,     1,        2, n / 2,    n ? n - 1 : 0, n,
                             n + 1, tile - 1, tile, tile + 1, UINT32_MAX,    draw(random, n + 1) };
    c->counted = 1;
    c->there = (uint32_t)there[draw(random, 12)];
}

/* One case of a program. */
static inline sort_case row_draw(const test_row *r, const row_program *p, const char *pattern,
                                 size_t count, size_t tile, size_t number, uint64_t *random)
{
    sort_case c = p->c;
    c.algorithm = p->name;
    c.d.count = count;
    c.make = r->make;
    c.fields = r->fields;
    c.field_count = r->field_count;
    c.seed = pattern_random(random);
    row_draw_keys(r, p, pattern, random, &c);
    row_draw_order(r, random, &c);
    row_draw_arrays(r, random, &c);
    if (row_chance(r, "rows", random, 50)) row_draw_rows(r, random, &c);
    else if (row_has(r, "segments")) row_draw_segments(r, random, &c, tile);
    if (row_chance(r, "counted", random, 50)) row_draw_there(random, &c, tile);
    c.produced = row_chance(r, "produced", random, 50);
    c.number = number;
    if (r->change) r->change(&c);
    return c;
}

/* ---- running --------------------------------------------------------------------------------- */

typedef struct row_run {
    const test_row *row;
    const bench *b;
    cl_command_queue unordered;
    uint64_t number;            /* cases so far */
    int ran;                    /* the kernel that some case must run */
    uint64_t refused;
} row_run;

/* What a case asks for, without its buffers. */
static inline clsort_desc row_described(const sort_case *c)
{
    clsort_desc d = c->d;
    CHECK_OK(clsort_set_algorithm(&d, c->algorithm));
    case_use_fields(&d, c->fields, c->field_count);
    later(&d, case_roles(c));
    return d;
}

static inline int row_is_refused(const row_run *w, const sort_case *c)
{
    const clsort_desc d = row_described(c);
    return clsort_check(w->b->sorter, &d) == CLSORT_ERROR_UNSUPPORTED;
}

/* Would this case run the row's kernel? */
static inline int row_runs_kernel(const row_run *w, const sort_case *c)
{
    static char text[8192];
    const clsort_desc d = row_described(c);
    return CHECK_OK(clsort_explain(w->b->sorter, &d, text, sizeof text))
           && strstr(text, w->row->kernel) != NULL;
}

static inline int row_run_case(row_run *w, sort_case *c, uint64_t *random)
{
    const int faults = test_now.faults;
    if (row_has(w->row, "queue") && w->number % 2) c->queue = w->unordered;
    if (w->row->call) {
        spare_compiler(w->b, c);
        return w->row->call(w->b, w->row, c, random) && test_now.faults == faults;
    }
    if (w->row->refused && row_is_refused(w, c)) {
        w->refused++;
        return 1;
    }
    if (w->row->kernel && !w->ran) w->ran = row_runs_kernel(w, c);
    if (run_case(w->b, c)) {
        test_now.faults = faults;
        return 1;
    }
    explain(w->b, c);
    test_now.faults = faults + 1;
    return 0;
}

/* All counts of a program, each `times`, with one pattern or all. */
static inline int row_run_program(row_run *w, row_program *p)
{
    static size_t counts[ROW_COUNTS];
    const test_row *r = w->row;
    const int all = r->patterns && !strcmp(r->patterns, "*");
    const unsigned times = r->times ? r->times : 1;
    sort_case asked = p->c;
    size_t tile, n, i, k;
    unsigned t;
    asked.algorithm = p->name;
    asked.d.count = row_has(r, "rows") || row_has(r, "segments") ? 1000 : 1;
    asked.d.rows = row_has(r, "rows") || row_has(r, "segments") ? 2 : 0;
    asked.fields = r->fields;
    tile = strpbrk(r->counts, "th") || asked.d.rows ? case_block_length(w->b, &asked) : 256;
    n = row_list_counts(w->b, r->counts, tile, counts);
    for (i = 0; i < n; i++)
        for (t = 0; t < times; t++)
            for (k = 0; k == 0 || (all && pattern_name(k)); k++) {
                uint64_t random = random_state(test_seed(), w->number++);
                sort_case c;
                if (all && !pattern_applies(k, p->c.d.key_type) && !p->in_turn) continue;
                c = row_draw(r, p, all ? pattern_name(k) : NULL, counts[i], tile, t, &random);
                if (!row_run_case(w, &c, &random)) return 0;
            }
    return 1;
}

/* Does this version sort any of a program's cases by its form? Others are not among those drawn. */
static inline int row_takes_program(const row_run *w, const row_program *p)
{
    uint64_t random = test_seed();
    int turn, takes = !w->row->refused;
    for (turn = 0; turn < 8 && !takes; turn++) {
        const sort_case c = row_draw(w->row, p, NULL, 1000, 256, 0, &random);
        takes = !row_is_refused(w, &c);
    }
    return takes;
}

static inline int row_is_simulated(const bench *b)
{
    return device_name_holds(b->session.info.platform_name, "Oclgrind");
}

/* What programs are drawn by. */
static inline uint64_t row_seed(void)
{
    const char *other_vendor = getenv("CLSORT_TEST_OTHER_VENDOR");
    return test_seed() + (other_vendor && !strcmp(other_vendor, "1"));
}

/* How many programs are drawn as one. */
static inline uint64_t row_one_in(const bench *b, const test_row *r, size_t programs)
{
    uint64_t one_in = b->few_programs && r->one_in < 3 ? 3 : r->one_in ? r->one_in : 1;
    if (getenv("CLSORT_TEST_WHOLE") || row_is_simulated(b)) return 1;
    if (!test_is_cpu(b)) one_in = (one_in + 3) / 4;
    return one_in < programs ? one_in : programs;
}

static inline void row_run_programs(row_run *w)
{
    const test_row *r = w->row;
    size_t form, element, programs = 0;
    sample_draw drawn;
    row_program p;
    int pass;
    for (pass = 0; pass < 2; pass++) {
        drawn = sample_one_in(row_one_in(w->b, r, programs), row_seed());
        for (form = 0;; form++) {
            memset(&p, 0, sizeof p);
            p.c = case_make(CLSORT_U32, 0, "uniform");
            if (!row_take_form(r->forms ? r->forms : "auto", form, &p)) break;
            for (element = 0;; element++) {
                row_program whole = p;
                if (!row_take_element(r->elements, element, &whole)) break;
                if (!row_takes_program(w, &whole)) continue;
                if (!pass) programs++;
                else if (sample_takes(&drawn) && !row_run_program(w, &whole)) return;
            }
        }
    }
}

/* Gives `other` the sorter of a row; 0: this device has none. */
static inline int row_open(const bench *b, const row_device *d, bench *other)
{
    static char options[200];
    *other = *b;
    if (!d) return 1;
    if (test_is_cpu(b) ? d->gpu : d->cpu) return 0;
    if (d->sweeps) {
        if (!sweeping_sorter(b, other)) return 0;
        more_options = sweeping_builds(b);
    } else {
        const char *quick = d->quick ? quick_builds(b) : NULL;
        other->sorter = d->checks
                            ? fresh_sorter(b, CLSORT_OPTION_VERIFY)
                            : pretending_sorter(b, d->type, d->units, d->local_memory);
        snprintf(options, sizeof options, "%s %s", d->options ? d->options : "",
                 quick ? quick : "");
        more_options = options;
    }
    edited.text = d->text;
    edited.other = d->other;
    edited.programs = 0;
    if (other->sorter && d->change) d->change(other->sorter);
    return other->sorter != NULL;
}

static inline void row_close(const row_device *d, bench *other)
{
    if (!d) return;
    if (d->text) CHECK(edited.programs > 0);
    edited.text = NULL;
    if (d->checks) CHECK_OK(clsort_collect(other->sorter, 1));
    if (d->sweeps) end_sweeping(other);
    else clsort_destroy(other->sorter);
    more_options = NULL;
}

static inline void row_run_one(bench *b, const test_row *r)
{
    bench other;
    row_run w;
    memset(&w, 0, sizeof w);
    w.row = r;
    w.b = &other;
    if (!row_open(b, r->device, &other)) {
        printf("  not run: the device has none of this form\n");
        return;
    }
    /* Intel's runtime loses launches on queues that are out of order. */
    if (row_has(r, "queue") && !device_name_holds(b->session.info.platform_name, "Intel(R)"))
        w.unordered = test_unordered_queue(b);
    row_run_programs(&w);
    if (r->kernel && !test_now.faults) CHECK(w.ran);
    CHECK(w.number > w.refused);
    if (w.unordered) clReleaseCommandQueue(w.unordered);
    printf("  %llu cases", (unsigned long long)(w.number - w.refused));
    if (w.refused) printf(", %llu not sorted so", (unsigned long long)w.refused);
    printf("\n");
    row_close(r->device, &other);
}

/* ---- a program of rows ----------------------------------------------------------------------- */

static const test_row *row_table;
static size_t row_table_length;

/* The row whose name the running test has. */
static inline void row_run_named(bench *b)
{
    size_t i = 0;
    while (i < row_table_length && row_table[i].name != test_now.name) i++;
    if (CHECK(i < row_table_length)) row_run_one(b, &row_table[i]);
}

static inline int row_main(const test_row *rows, size_t count)
{
    static test_entry tests[200];
    size_t i;
    row_table = rows;
    row_table_length = count;
    for (i = 0; i < count && i < sizeof tests / sizeof *tests; i++) {
        tests[i].name = rows[i].name;
        tests[i].run = rows[i].run ? rows[i].run : row_run_named;
    }
    return test_main(tests, i);
}

#define ROWS_MAIN(rows) int main(void) { return row_main(rows, sizeof rows / sizeof *rows); }

#endif
