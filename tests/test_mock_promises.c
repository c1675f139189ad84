/* What the planner promises, whatever device, policy and description it is given. Devices and
   descriptions are drawn by draw.h; then limits and families that were given up, thresholds of the
   policy, and measured rows that are laid over it. Nothing is enqueued.

   CLSORT_TEST_SEED    of the first case; default 1
   CLSORT_TEST_CASES   default 300000; 4000 with CLSORT_TEST_SMALL, 3000000 with
                       CLSORT_TEST_WHOLE */

#include "mock.h"

#define CLSORT_IMPLEMENTATION
#include "draw.h"

static struct {
    const char *number;         /* the one that was moved */
    int cases, taken, kinds[CLSORT__CPU + 1], moved, measured, grew, programs, parts, inners,
        largest;
} seen;

/* ---- plans ----------------------------------------------------------------------------------- */

/* A part of scratch memory, and the bytes that a run may use there. */
typedef struct part { const char *name; size_t at; double bytes; } part;

/* What is decided for a description. Nothing else of this program looks into plans. */
enum { MOST_CONFIGS = 2 * CLSORT__MOST_STEPS, MOST_PLACES = 12, MOST_PARTS = 24 };
typedef struct choice {
    cl_uint algorithm, sorts_by;   /* sorts_by: of the sort inside the call */
    int stable, indirect, inner, none_left, too_large;
    clsort__config configs[MOST_CONFIGS];   /* of each step's program; family 0: none */
    clsort__selection select;
    size_t places[MOST_PLACES], bytes;
} choice;

typedef struct planned {
    clsort_status status;
    choice of;
    part parts[MOST_PARTS];
    size_t part_count;
    size_t local;               /* bytes of local memory of a selection */
} planned;

static void add_part(planned *t, const char *name, int used, size_t at, double bytes)
{
    if (!used || !CHECK(t->part_count < MOST_PARTS)) return;
    t->parts[t->part_count].name = name;
    t->parts[t->part_count].at = at;
    t->parts[t->part_count++].bytes = bytes;
}

/* The parts of a sort, by what clsort__sort and the functions that it calls use. */
static void list_sort(planned *t, const clsort__plan *p)
{
    const clsort__parts *s = &p->scratch;
    const clsort__data *a = &p->data;
    const double n = (double)a->extent, key = (double)p->key.bytes;
    const int alt = (p->indirect || !p->overwrites)
                    && (p->algorithm->needs_alt == CLSORT__ALT_ALWAYS
                        || (p->algorithm->needs_alt && clsort__step_choice(&p->d.tuning) == 1)),
              pairs = p->indirect && !p->sorts_into_output;
    add_part(t, "keys of pairs", pairs && !p->d.precedes && !p->overwrites, s->work_keys, n * key);
    add_part(t, "indices of pairs", p->indirect && !(a->has_indices && !a->segments),
             s->work_indices, n * 4);
    add_part(t, "copied keys", pairs && a->writes_keys && a->in_place, s->copied_keys,
             n * (double)a->element_bytes);
    add_part(t, "copied values", p->indirect && a->has_values && a->values_in_place,
             s->copied_values, n * (double)p->d.value_size);
    add_part(t, "the second array of keys", alt && !p->config.records, s->alt_keys,
             n * key);
    add_part(t, "the second array of values", alt && p->config.value_bytes,
             s->alt_values, n * p->config.value_bytes);
    if (p->algorithm->tables && !p->policy->measured)   /* which may not have planned it */
        add_part(t, "tables", n > 0, s->tables, (double)p->algorithm->tables(p));
}

/* The parts of a selection, by what its steps use. */
static void list_selection(planned *t, const clsort__plan *p)
{
    const clsort__parts *s = &p->scratch;
    const clsort__data *a = &p->data;
    const int sorts = p->select.how == CLSORT__BY_SORTING, selects = !sorts,
              numbers = clsort__moves_by_index(p) || a->has_indices,
              keys = clsort__selects_keys(p);
    const double n = (double)a->extent, key = (double)p->key.bytes,
                 results = (double)p->select.rows * (double)(sorts ? a->stride : p->select.wanted);
    const double rows = sorts && a->extent > results ? n : results;
    add_part(t, "tables of rows", selects && (p->select.spread || clsort__has_sample(p)
                                              || p->select.how == CLSORT__BY_ROUNDS),
             s->tables, (double)clsort__select_tables(p));
    add_part(t, "keys of records", p->select.extracts, s->extracted, n * key);
    add_part(t, "copied keys", a->in_place && p->select.moves_keys, s->copied_keys,
             n * (double)a->element_bytes);
    add_part(t, "copied values", a->values_in_place && a->has_values, s->copied_values,
             n * (double)p->d.value_size);
    add_part(t, "selected indices", numbers && (sorts || clsort__selects_aside(p, a->has_indices)),
             s->work_indices, 4 * (sorts ? n : rows));
    add_part(t, "selected keys",
             sorts ? keys : p->select.sorts_after && clsort__selects_aside(p, keys), s->work_keys,
             key * (sorts ? n : rows));
}

static void list_places(choice *c, const clsort__plan *p)
{
    const clsort__parts *s = &p->scratch;
    const size_t places[] = { s->work_keys, s->work_indices, s->copied_keys, s->copied_values,
                              s->extracted, s->alt_keys, s->alt_values, s->tables };
    size_t i;
    for (i = 0; i < sizeof places / sizeof *places; i++) c->places[i] += places[i];
}

/* What the programs of a plan's steps are compiled for. */
static void list_configs(choice *c, size_t at, const clsort__plan *p)
{
    cl_uint i;
    for (i = 0; i < p->step_count; i++) {
        const clsort__config *config = clsort__step_config(p, &p->steps[i]);
        if (config) c->configs[at + i] = *config;
    }
}

/* Plans a call. */
static void take_plan(clsort_sorter *s, const clsort_desc *d, int has_buffers, planned *t)
{
    static clsort__job j;
    static clsort_desc own;
    const clsort__plan *p = &j.plan;
    choice *c = &t->of;
    memset(t, 0, sizeof *t);
    clsort__sort_job(&j, s, "a test", d, &own);
    j.needs_buffers = has_buffers;
    t->status = clsort__plan_job(&j);
    if (t->status != CL_SUCCESS) return;
    c->algorithm = p->d.algorithm;
    c->stable = p->stable;
    c->indirect = p->indirect;
    c->inner = p->inner_step;
    c->none_left = p->none_left;
    c->select = p->select;
    c->bytes = p->scratch.layout.bytes;
    t->local = p->select.local;
    list_configs(c, 0, p);
    list_places(c, p);
    if (p->d.top_k) list_selection(t, p);
    else if (!p->inner_step) list_sort(t, p);
    if (!p->inner_step) return;
    c->sorts_by = j.inner.d.algorithm;
    list_configs(c, CLSORT__MOST_STEPS, &j.inner);
    list_places(c, &j.inner);
    list_sort(t, &j.inner);
}

/* ---- what must hold -------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const part *x = (const part *)a, *y = (const part *)b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Parts do not overlap, and end before the scratch memory does. */
static void parts_lie_apart(planned *t)
{
    size_t i;
    qsort(t->parts, t->part_count, sizeof *t->parts, by_place);
    for (i = 0; i < t->part_count; i++) {
        const part *p = &t->parts[i];
        const double end = (double)p->at + p->bytes,
                     most = (double)(i + 1 < t->part_count ? p[1].at : t->of.bytes);
        seen.parts += p->bytes > 0;
        if (p->bytes > 0 && !CHECK(end <= most && p->at % 16 == 0))
            printf("  %s at %zu have %.0f bytes, %s begin at %.0f\n", p->name, p->at, p->bytes,
                   i + 1 < t->part_count ? p[1].name : "the end", most);
    }
}

/* The bytes that are told of a count; 0 if it is refused, as fewer elements may be. */
static size_t tell(clsort_sorter *s, const clsort_desc *given, size_t count)
{
    clsort_desc d = *given;
    size_t bytes = 0;
    d.count = count;
    return clsort_scratch_size(s, &d, &bytes) == CL_SUCCESS ? bytes : 0;
}

/* Each kernel of a program stands in its text, and a work-group can run on the device. */
static void program_exists(const clsort_sorter *s, const clsort__config *c)
{
    static cl_uint done[256];
    static size_t count;
    const int shape = clsort__shape(&s->facts, c);
    const cl_uint key = c->family | (cl_uint)shape << 8 | c->subset << 16
                        | (cl_uint)(c->share_log2 > 0) << 20 | (cl_uint)(c->lanes > 1) << 21
                        | c->ranges << 22 | (cl_uint)clsort__may_mend(c) << 23
                        | (cl_uint)(c->comparator > 0) << 24;
    clsort__text_list l;
    size_t i, found = 0;
    int k;
    CHECK((size_t)1 << c->group_log2 <= s->facts.max_group);
    CHECK(clsort__local_need(c) <= s->facts.local_bytes);
    for (i = 0; i < count; i++)
        if (done[i] == key) return;
    if (CHECK(count < sizeof done / sizeof *done)) done[count++] = key;
    CHECK(*clsort__family_name(c->family));
    clsort__list_text(c, shape, NULL, &l);
    for (k = 0; k < CLSORT__KERNEL_COUNT; k++) {
        if (!clsort__has_kernel(c, k)) continue;
        found++;
        for (i = 0; i < l.count; i++)
            if (strstr(l.text[i], clsort__kernel_entries[k].name)) break;
        if (!CHECK(i < l.count))
            printf("  %s.%d lacks %s\n", clsort__family_name(c->family), shape,
                   clsort__kernel_entries[k].name);
    }
    CHECK(found > 0);
    seen.programs++;
}

/* Buffers that a call has in place of those that it will have. No plan looks into them. */
static clsort_desc with_buffers(const clsort_desc *given, int has_scratch)
{
    static char places[ROLES];
    clsort_desc d = *given;
    cl_mem *const all[] = { &d.keys, &d.keys_out, &d.values, &d.values_out, &d.indices, &d.segments,
                            &d.segment_ends, &d.count_buffer, &d.lengths, &d.scratch };
    const int wanted[] = { 1, d.keys_out != NULL, d.value_size > 0, d.values_out != NULL,
                           d.indices != NULL, d.segment_count > 0, d.segment_ends != NULL,
                           d.count_buffer != NULL, d.lengths != NULL, has_scratch };
    size_t i;
    for (i = 0; i < ROLES; i++)
        if (wanted[i]) *all[i] = (cl_mem)(void *)&places[i];
    if (has_scratch) d.scratch_size = (size_t)-1 >> 8;
    return d;
}

static void expect_same(const planned *a, const planned *b, const char *when)
{
    if (!CHECK(a->status == b->status && !memcmp(&a->of, &b->of, sizeof a->of)))
        printf("  %s: status %d and %d, algorithm %u and %u, family %u and %u, %zu and %zu bytes\n",
               when, (int)a->status, (int)b->status, (unsigned)a->of.algorithm,
               (unsigned)b->of.algorithm, (unsigned)a->of.configs[0].family,
               (unsigned)b->of.configs[0].family, a->of.bytes, b->of.bytes);
}

/* A plan asked for again, after another one, and with buffers is the same. */
static void plan_depends_on_nothing_else(drawn *c, const planned *first)
{
    static clsort_desc other;
    const clsort_desc d = with_buffers(&c->bare, 0), all = with_buffers(&c->bare, 1);
    planned again;
    if (other.struct_size) take_plan(c->sorter, &other, 0, &again);
    other = c->bare;
    other.fields = NULL;
    take_plan(c->sorter, &c->bare, 0, &again);
    expect_same(first, &again, "asked again");
    take_plan(c->sorter, &d, 1, &again);
    expect_same(first, &again, "with buffers");
    take_plan(c->sorter, &all, 1, &again);
    expect_same(first, &again, "with scratch memory");
}

/* What is told is enough, none for no elements, and no less for more elements. What is told of any
   device is enough for this one, unless numbers were moved that bound it. */
static void promises_hold(drawn *c, const planned *t)
{
    const clsort_desc *d = &c->bare;
    const int is_bounded =
        !seen.number && c->sorter->policy->select_plans == clsort__select_plans
        && clsort__find_crossover(&c->sorter->facts, c->sorter->policy, d).bitonic
               <= CLSORT__MOST_BITONIC;
    const size_t n = d->count, least = d->top_k ? d->top_k : 1, known = tell(c->sorter, d, n),
                 any = tell(NULL, d, n), more = n > least ? n - least : 0;
    size_t fewer;
    CHECK(known >= t->of.bytes || !is_bounded);
    CHECK(n || !(t->of.bytes || known || any));
    if (!any && sizeof any < 8) return;   /* it exceeds a size_t */
    if (is_bounded && !CHECK(any >= known))
        printf("  %zu bytes of any device, %zu of this one\n", any, known);
    if (!more) return;
    fewer = least
            + (one_in(c, 3) ? some_size(c, 32) : more - 1 - below(c, one_in(c, 2) ? 1 : 9) % more)
                  % more;
    seen.grew++;
    if (!CHECK(tell(c->sorter, d, fewer) <= known))
        printf("  %zu bytes for %zu elements, %zu for %zu\n", tell(c->sorter, d, fewer), fewer,
               known, n);
    if (seen.grew % 4 == 0) CHECK(tell(NULL, d, fewer) <= any);   /* it takes a hundred plans */
}

/* AUTO sorts keys, with or without values, in arrays as large as the device allocates, and no
   larger ones. */
static void arrays_have_any_size(drawn *c)
{
    static const clsort_tuning none = { 0, 0, 0, 0, { 0 } };
    const clsort_desc *d = &c->bare;
    const size_t bytes =
        d->count * clsort__largest(pattern_key_size(d->key_type), d->value_size, 1);
    if (d->algorithm || d->record_size || d->value_size > 8 || d->indices || d->rows || d->top_k
        || d->segment_count || d->count_buffer || clsort__some_bits(d) || bytes < 4u << 20
        || d->nan_order == CLSORT_NAN_EQUAL || d->zero_order || c->sorter->facts.given_up
        || memcmp(&d->tuning, &none, sizeof none)
        || c->sorter->policy->crossover_rows != clsort__crossovers)
        return;
    c->sorter->facts.max_allocation = clsort__round_up(bytes);
    CHECK_STATUS(clsort_check(c->sorter, d), CL_SUCCESS);
    c->sorter->facts.max_allocation = bytes - 1;
    CHECK_STATUS(clsort_check(c->sorter, d), CLSORT_ERROR_COUNT_TOO_LARGE);
    seen.largest++;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static clsort__policy own;      /* of the case */

/* Facts that draw.h leaves as they are. */
static void draw_more_facts(drawn *c)
{
    clsort__facts *f = &c->sorter->facts;
    int i;
    if (one_in(c, 8)) f->few_sorts = 1;
    if (f->is_cpu && one_in(c, 2)) {
        f->has_vectors = !one_in(c, 3);
        f->has_wide_vectors = f->has_vectors && one_in(c, 2);
        f->always_lanes = f->has_vectors && one_in(c, 3);
    } else if (!f->is_cpu && !f->has_warps) f->has_narrow = one_in(c, 4);
    if (one_in(c, 4))
        for (i = 0; i < 3; i++) f->given_up |= 1u << below(c, 32);
    if (one_in(c, 40)) f->given_up |= CLSORT__BIT(CLSORT_MERGE) | CLSORT__BIT(CLSORT_RADIX);
    if (one_in(c, 100)) f->given_up = ~(cl_uint)0;
}

/* A number near a threshold. */
static cl_uint moved(drawn *c, cl_uint was, cl_uint bits)
{
    return one_in(c, 2)              ? was + below(c, 3) - (was ? 1u : 0u)
           : one_in(c, 8)            ? CLSORT__NEVER
           : one_in(c, 3) && c->bare.count < 0xFFFFFFF0u
               ? (cl_uint)c->bare.count + below(c, 3)
               : (cl_uint)some_size(c, bits);
}

enum { ROWS = sizeof clsort__crossovers / sizeof *clsort__crossovers };
static clsort__crossover crossovers[ROWS];
static clsort__measured measured;

static void draw_crossovers(drawn *c)
{
    int i;
    memcpy(crossovers, clsort__crossovers, sizeof crossovers);
    for (i = 0; i < ROWS; i++) {
        clsort__crossover *r = &crossovers[i];
        if (one_in(c, 3)) r->bitonic = moved(c, r->bitonic, 22);
        if (one_in(c, 3)) r->radix = moved(c, r->radix, 30);
        if (one_in(c, 3)) r->hybrid = moved(c, r->hybrid, 30);
        if (one_in(c, 3)) r->samples = moved(c, r->samples, 21);
        if (r->radix > CLSORT__MOST_BITONIC && r->bitonic > CLSORT__MOST_BITONIC)
            r->bitonic = CLSORT__MOST_BITONIC;   /* as a measured row may */
    }
    own.crossover_rows = crossovers;
    seen.moved++;
}

/* Lays a measured row over the policy, for the case's class. */
static void draw_measured(drawn *c)
{
    clsort__measured_row *r;
    clsort__class of;
    int i;
    if (!clsort__find_class(&c->bare, &of)) return;
    memset(&measured, 0, sizeof measured);
    r = clsort__place_of(&measured, &of);
    r->of = of;
    r->gain = 1;
    r->most = one_in(c, 4) ? moved(c, 1, 32) : CLSORT__NEVER;
    if (one_in(c, 8) && !c->bare.top_k) c->bare.algorithm = CLSORT_RADIX;
    r->row.bitonic = (cl_uint)some_size(c, 22);
    r->row.radix = moved(c, 0, 30);
    r->row.hybrid = moved(c, 0, 30);
    r->row.samples = moved(c, 0, 22);
    for (i = 0; i < CLSORT__MEASURED_LENGTHS; i++)
        r->select[i] = (unsigned char)below(c, CLSORT__WAYS + 1);
    own.measured = &measured;
    seen.measured++;
}

/* A count beside one at which the policy decides. */
static void draw_count(drawn *c)
{
    const clsort__crossover row =
        clsort__find_crossover(&c->sorter->facts, c->sorter->policy, &c->bare);
    const clsort__select_plan *w = &c->sorter->policy->select_plans[
        below(c, sizeof clsort__select_plans / sizeof *clsort__select_plans - 1)];
    const size_t places[] = { row.bitonic, row.radix, row.hybrid, row.samples, w->least, w->most,
                              c->bare.top_k * w->least_ks, (size_t)1 << below(c, 32) };
    const size_t at = places[below(c, 8)];
    if (at && at < 0xFFFFFFF0u && at >= c->bare.top_k) c->bare.count = at - 1 + below(c, 3);
}

/* All other numbers of a policy, one after the other. */
#define NUMBER_NAME(name, nvidia, gpu, cpu) #name,
#define NUMBER_OF_ALL(name, all) #name,
#define GROUP_NAME(group) /* nothing */
static const char *const numbers[] = {
    CLSORT__NUMBER_LIST(GROUP_NAME, NUMBER_NAME, NUMBER_OF_ALL, GROUP_NAME)
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static void draw_number(drawn *c)
{
    const cl_uint i = below(c, NUMBERS);
    const size_t first = offsetof(clsort__policy, crossovers);
    cl_uint *const place = (cl_uint *)(void *)((char *)&own + first) + i;
    if (*place > 1 && one_in(c, 2)) --*place;
    else if (*place && *place < CLSORT__NEVER) ++*place;
    else return;
    seen.number = numbers[i];
}

/* Rows of the table of selections with other bounds. */
static void draw_ways(drawn *c)
{
    static clsort__select_plan ways[sizeof clsort__select_plans / sizeof *clsort__select_plans];
    clsort__select_plan *w;
    memcpy(ways, clsort__select_plans, sizeof ways);
    for (w = ways; w->how != CLSORT__WAYS; w++) {
        size_t *const bounds[] = { &w->least_rows, &w->most_rows, &w->least, &w->most, &w->least_ks,
                                   &w->most_ks };
        size_t *const b = bounds[below(c, 6)];
        if (*b && *b != (size_t)-1) *b += *b == 1 || one_in(c, 2) ? 1 : (size_t)-1;
    }
    own.select_plans = ways;
}

/* A selection in place of a sort. */
static void draw_selection(drawn *c)
{
    const cl_uint others = CLSORT__BIT(CLSORT_MERGE) | CLSORT__BIT(CLSORT_RADIX);
    const int long_ones = !(others & ~c->sorter->facts.given_up) || one_in(c, 8);   /* bitonic */
    clsort_desc *d = &c->bare;
    d->algorithm = CLSORT_AUTO;
    memset(&d->tuning, 0, sizeof d->tuning);
    d->top_k = long_ones ? some_size(c, 30) : one_in(c, 2) ? 1 + below(c, 300) : some_size(c, 20);
    d->count = d->top_k + some_size(c, one_in(c, 2) ? 10 : 28);
    d->record_size = d->key_offset = 0;
    if (!d->indices) d->keys_out = CLSORT_LATER;
    if (d->value_size) d->values_out = CLSORT_LATER;
}

static void draw_policy(drawn *c)
{
    draw_more_facts(c);
    if (c->bare.key_type && !c->bare.segment_count && one_in(c, 5)) draw_selection(c);
    own = *clsort__policy_of(&c->sorter->facts);
    c->sorter->policy = &own;
    if (one_in(c, 2)) memset(&c->bare.tuning, 0, sizeof c->bare.tuning);
    if (one_in(c, 2)) c->bare.algorithm = CLSORT_AUTO;
    if (one_in(c, 3)) draw_crossovers(c);
    if (one_in(c, 3)) draw_measured(c);
    seen.number = NULL;
    if (one_in(c, 4)) draw_number(c);
    if (one_in(c, 4)) draw_ways(c);
    if (!memcmp(&own, clsort__policy_of(&c->sorter->facts), sizeof own))
        c->sorter->options.flags |= one_in(c, 2) ? CLSORT_OPTION_BUILT_IN_CHOICES : 0u;
    if (!c->bare.row_stride && one_in(c, 2) && clsort_check(c->sorter, &c->bare) == CL_SUCCESS)
        draw_count(c);
    if (one_in(c, 50) && !c->bare.top_k) c->bare.count = 0;
    seen.kinds[own.kind]++;
}

static void try_case(uint64_t seed)
{
    static drawn c;
    const int faults = test_now.faults;
    const clsort__policy *policy;
    planned first;
    size_t i;
    draw_seed(&c, seed);
    policy = c.sorter->policy;
    draw_policy(&c);
    seen.cases++;
    if (clsort_check(c.sorter, &c.bare) == CL_SUCCESS) {
        seen.taken++;
        take_plan(c.sorter, &c.bare, 0, &first);
        if (CHECK(first.status == CL_SUCCESS && !first.of.none_left)) {
            seen.inners += first.of.sorts_by > 0;
            parts_lie_apart(&first);
            plan_depends_on_nothing_else(&c, &first);
            promises_hold(&c, &first);
            for (i = 0; i < MOST_CONFIGS; i++)
                if (first.of.configs[i].family) program_exists(c.sorter, &first.of.configs[i]);
            arrays_have_any_size(&c);
        }
    }
    if (test_now.faults > faults && seen.number) printf("  with another %s\n", seen.number);
    c.sorter->policy = policy;
    close_case(&c);
}

static void plans_keep_promises(bench *b)
{
    const char *from = getenv("CLSORT_TEST_SEED"), *many = getenv("CLSORT_TEST_CASES");
    const uint64_t first = from ? strtoull(from, NULL, 10) : 1;
    const int count = many ? atoi(many)
                      : b->small ? 4000 : getenv("CLSORT_TEST_WHOLE") ? 3000000 : 300000;
    int i;
    for (i = 0; i < count && test_now.faults < 30; i++) try_case(first + (uint64_t)i);
    printf("%d cases, %d taken, %d with moved thresholds, %d measured, %d grew, %d programs, "
           "%d parts, %d with a sort behind, %d as large as can be\n",
           seen.cases, seen.taken, seen.moved, seen.measured, seen.grew, seen.programs, seen.parts,
           seen.inners, seen.largest);
    for (i = 0; i <= CLSORT__CPU; i++) CHECK(seen.kinds[i] > seen.cases / 50);
    CHECK(seen.taken > seen.cases / 4);
}

static const test_entry tests[] = {
    { "plans keep what they promise", plans_keep_promises }
};

TEST_MAIN_ALONE(tests, "a mock")
