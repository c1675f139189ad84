/* info.h - the command `info` of the clsort program: devices, what clsort reads of them and what
   AUTO takes there, in five lines of HELP_COLUMNS each, of which only names may pass. --verbose
   adds all that clsort reads, which algorithm AUTO takes from where to where, and its choices;
   --json prints both. */

#ifndef CLSORT_TOOLS_INFO_H
#define CLSORT_TOOLS_INFO_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "json.h"
#include "options.h"
#include "sample.h"
#include "session.h"

enum { INFO_GAIN = 1050 };   /* AUTO leaves a built-in choice only for more, in thousandths */

/* Prints a text in lines that fit, those after the first one indented. */
static void info_wrap(const char *format, ...)
{
    char text[2000];
    const char *from = text;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    while (*from == ' ') from++;
    printf("%*s", (int)(from - text), "");
    help_wrap(from, (int)strlen(from), (int)(from - text), 4);
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* What a driver says of a device. */
typedef struct info_facts {
    char opencl[64], c[128], vendor[128], driver[64], widths[128];
    cl_uint vendor_id, units;
    size_t group;
    cl_ulong local_bytes, bytes;
} info_facts;

static const char *info_type(const device_info *info)
{
    return info->type & CL_DEVICE_TYPE_GPU   ? "GPU"
           : info->type & CL_DEVICE_TYPE_CPU ? "CPU"
                                             : "accelerator";
}

static void info_text(cl_device_id id, cl_device_info what, char *text, size_t room)
{
    char whole[256] = "";
    if (clGetDeviceInfo(id, what, sizeof whole - 1, whole, NULL) != CL_SUCCESS) strcpy(whole, "?");
    snprintf(text, room, "%.*s", (int)room - 1, whole);
}

/* The widths that work-items run in, where the driver tells: Intel's, AMD's and NVIDIA's have a
   query of their own. clsort reads Intel's. */
static void info_widths(cl_device_id id, char *text, size_t room)
{
    static const cl_device_info queries[3] = { 0x4108, 0x4043, 0x4003 };
    size_t sizes[16], bytes, q, i, used = 0;
    cl_uint width = 0;
    snprintf(text, room, "not told");
    if (clGetDeviceInfo(id, queries[0], sizeof sizes, sizes, &bytes) == CL_SUCCESS && bytes) {
        for (i = 0; i < bytes / sizeof *sizes && used < room; i++)
            used += (size_t)snprintf(text + used, room - used, i ? " %zu" : "%zu", sizes[i]);
        return;
    }
    for (q = 1; q < 3 && !width; q++)
        if (clGetDeviceInfo(id, queries[q], sizeof width, &width, NULL) != CL_SUCCESS) width = 0;
    if (width) snprintf(text, room, "%u", (unsigned)width);
}

static void info_read(cl_device_id id, info_facts *f)
{
    char version[64];
    memset(f, 0, sizeof *f);
    info_text(id, CL_DEVICE_VERSION, version, sizeof version);
    if (sscanf(version, "OpenCL %15s", f->opencl) != 1) strcpy(f->opencl, "?");
    info_text(id, CL_DEVICE_OPENCL_C_VERSION, f->c, sizeof f->c);
    info_text(id, CL_DEVICE_VENDOR, f->vendor, sizeof f->vendor);
    info_text(id, CL_DRIVER_VERSION, f->driver, sizeof f->driver);
    info_widths(id, f->widths, sizeof f->widths);
    clGetDeviceInfo(id, CL_DEVICE_VENDOR_ID, sizeof f->vendor_id, &f->vendor_id, NULL);
    clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof f->units, &f->units, NULL);
    clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof f->group, &f->group, NULL);
    clGetDeviceInfo(id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof f->local_bytes, &f->local_bytes, NULL);
    clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof f->bytes, &f->bytes, NULL);
}

/* Lists the algorithms that sort blocks only, or else all that a device cannot run. Returns the
   next one from number *k on, NULL after the last. */
static const char *info_next_name(clsort_sorter *sorter, cl_uint *k)
{
    const char *name;
    while ((name = clsort_algorithm_name((*k)++)) != NULL) {
        clsort_desc d = clsort_desc_default();
        d.count = 2;
        d.key_type = CLSORT_U32;
        if (*k > 1) clsort_set_algorithm(&d, name);
        d.rows = clsort__is_batch(&d) ? 1 : 0;
        if (sorter ? clsort_check(sorter, &d) != CL_SUCCESS
                   : clsort__local_choice(&d.tuning) == CLSORT__LOCAL_ONLY)
            return name;
    }
    return NULL;
}

/* Prints these names in lines behind a text, or as an array. */
static void info_names(clsort_sorter *sorter, const char *text, const char *json_as)
{
    const char *name;
    char line[2000];
    size_t used = (size_t)snprintf(line, sizeof line, "%s", text ? text : "");
    cl_uint k = 0, found = 0;
    if (json_as) json_open(json_as, '[');
    for (; (name = info_next_name(sorter, &k)) != NULL; found++) {
        if (json_as) json_text(NULL, name);
        else if (used < sizeof line)
            used += (size_t)snprintf(line + used, sizeof line - used, " %s", name);
    }
    if (json_as) json_close(']');
    else if (found) info_wrap("%s", line);
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* Sorts that AUTO tells apart. */
typedef struct info_kind {
    const char *name, *brief;   /* brief: in the line of a device; NULL: not there */
    cl_uint type;
    size_t value_size, rows, top_k;
    cl_uint last_bit;
} info_kind;

static const info_kind info_kinds[]
    = { { "u16", NULL, CLSORT_U16, 0, 0, 0, 0 },
        { "u16 + values", NULL, CLSORT_U16, 4, 0, 0, 0 },
        { "u32", "keys", CLSORT_U32, 0, 0, 0, 0 },
        { "u32 + values", "pairs", CLSORT_U32, 4, 0, 0, 0 },
        { "u64", NULL, CLSORT_U64, 0, 0, 0, 0 },
        { "u64 + values", NULL, CLSORT_U64, 4, 0, 0, 0 },
        { "20 bits of u32", NULL, CLSORT_U32, 0, 0, 0, 20 },
        { "100 rows of u32", "rows", CLSORT_U32, 0, 100, 0, 0 },
        { "top 40, one row", "top 40", CLSORT_U32, 0, 1, 40, 0 },
        { "top 40, 100 rows", NULL, CLSORT_U32, 0, 100, 40, 0 } };
enum { INFO_KINDS = sizeof info_kinds / sizeof *info_kinds };

/* How elements of a kind are sorted: the algorithm by the name that options take, its work-group
   and the elements of a work-item. */
typedef struct info_plan {
    char algorithm[64];
    cl_uint work_group, items;
} info_plan;

/* Names the form of an algorithm that its first kernel is of, where that has a name. */
static void info_name_form(const char *text, char *algorithm, size_t room)
{
    clsort_desc d = clsort_desc_default();
    const char *kernel = strstr(text, "clsort_");
    char form[32] = "", name[100];
    if (kernel) sscanf(kernel, "clsort_%31[a-z]", form);
    snprintf(name, sizeof name, "%s-%s", algorithm, form);
    if (clsort_set_algorithm(&d, name) == CL_SUCCESS) snprintf(algorithm, room, "%.60s", name);
}

/* What AUTO takes for `n` elements; 0 if the device refuses so many. */
static int info_ask(clsort_sorter *sorter, const info_kind *kind, size_t n, info_plan *plan)
{
    clsort_desc d = clsort_desc_default(), r = d;
    char text[2000] = "";
    d.count = n;
    d.key_type = kind->type;
    d.value_size = kind->value_size;
    d.rows = kind->rows;
    d.top_k = kind->top_k;
    d.last_bit = kind->last_bit;
    if (kind->top_k) d.indices = CLSORT_LATER;
    memset(plan, 0, sizeof *plan);
    if (clsort_resolve(sorter, &d, &r) != CL_SUCCESS
        || clsort_explain(sorter, &d, text, sizeof text) != CL_SUCCESS)
        return 0;
    sscanf(text, "algorithm %31[^\n]", plan->algorithm);
    info_name_form(text, plan->algorithm, sizeof plan->algorithm);
    plan->work_group = r.tuning.work_group;
    plan->items = r.tuning.items;
    return 1;
}

/* Does AUTO take the same plan for `n` elements? */
static int info_same(clsort_sorter *sorter, const info_kind *kind, size_t n, const info_plan *plan)
{
    info_plan other;
    return info_ask(sorter, kind, n, &other) && !strcmp(other.algorithm, plan->algorithm);
}

/* The last number of elements from `from` on for which AUTO takes that plan. A plan that is taken
   for less than half of a range may be missed. */
static size_t info_last(clsort_sorter *sorter, const info_kind *kind, size_t from,
                        const info_plan *plan)
{
    const size_t most = 0xFFFFFFFFu;
    size_t low = from, high = from;
    while (low == high && high < most) {
        high = high > most / 2 ? most : 2 * high;
        if (info_same(sorter, kind, high, plan)) low = high;
    }
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (info_same(sorter, kind, middle, plan)) low = middle;
        else high = middle;
    }
    return low;
}

static void info_plan_line(const char *name, size_t from, size_t last, const info_plan *plan)
{
    char shape[24];
    snprintf(shape, sizeof shape, "%ux%u", (unsigned)plan->work_group, (unsigned)plan->items);
    printf("  %-16s %10zu %10zu %7s %s\n", name, from, last, shape, plan->algorithm);
}

static void info_plan_json(const char *name, size_t from, size_t last, const info_plan *plan)
{
    json_open(NULL, '{');
    json_text("sort", name);
    json_number("from", "%zu", from);
    json_number("to", "%zu", last);
    json_text("algorithm", plan->algorithm);
    json_number("work_group", "%u", (unsigned)plan->work_group);
    json_number("items", "%u", (unsigned)plan->items);
    json_close('}');
}

/* Which algorithm AUTO takes from where to where. A shape is the work-items of a group and the
   elements of each. */
static void info_plans(clsort_sorter *sorter, int json)
{
    const info_kind *kind;
    if (json) json_open("plans", '[');
    else printf("  %-16s %10s %10s %7s %s\n", "auto: keys", "from", "to", "shape", "algorithm");
    for (kind = info_kinds; kind < info_kinds + INFO_KINDS; kind++) {
        size_t from = kind->top_k ? kind->top_k : 2, last = 0;
        const char *name = kind->name;
        info_plan plan;
        for (; last < 0xFFFFFFFFu && info_ask(sorter, kind, from, &plan); from = last + 1) {
            last = info_last(sorter, kind, from, &plan);
            if (json) info_plan_json(name, from, last, &plan);
            else info_plan_line(name, from, last, &plan);
            if (!json) name = "";
        }
    }
    if (json) json_close(']');
}

/* ---- choices --------------------------------------------------------------------------------- */

/* A number of elements; `most` stands for the largest one. */
static const char *info_number(cl_uint n, const char *most, char *text, size_t room)
{
    snprintf(text, room, "%u", (unsigned)n);
    return n == 0xFFFFFFFFu ? most : text;
}

/* A number of elements, a power of two as such. */
static const char *info_power(cl_uint n, char *text, size_t room)
{
    int log2 = 0;
    while (n >> log2 > 1) log2++;
    if (n != 1u << log2) snprintf(text, room, "%u", (unsigned)n);
    else snprintf(text, room, "2^%d", log2);
    return text;
}

static int info_measured(const clsort_choice *c) { return c->origin >= CLSORT_ORIGIN_LOADED; }

/* Of top-k the gain is that of all parts, of which some may stay as they are built in. */
static int info_gains(const clsort_choice *c)
{
    return info_measured(c) && c->gain >= INFO_GAIN && strcmp(c->way, "built in");
}

/* What a measured choice gains. */
static const char *info_gain(const clsort_choice *c, char *text, size_t room)
{
    snprintf(text, room, "%.2fx", c->gain / 1000.0);
    return info_gains(c) ? text : "no gain here";
}

/* How a choice of sorts came to be, and with what gain. */
static void info_origin(const clsort_choice *c, char *text, size_t room)
{
    char number[16], gain[16];
    if (c->origin == CLSORT_ORIGIN_DERIVED) snprintf(text, room, "derived");
    else if (c->origin == CLSORT_ORIGIN_BUILT_IN) snprintf(text, room, "built in");
    else
        snprintf(text, room, "to %s: %s", info_power(c->most, number, sizeof number),
                 info_gain(c, gain, sizeof gain));
}

static const char *const info_payloads[3] = { "none", "4 bytes", "other" };

/* A choice of top-k, which is always a measured one, and above the first one what its columns
   are. */
static void info_way(const clsort_choice *c, int first)
{
    char text[2][16], gain[16];
    if (first)
        printf("  %-4s %-7s %7s %7s %9s %9s way to select\n", "keys", "payload", "k up to",
               "rows to", "keys from", "to");
    printf("  %-4u %-7s %7s %7s %9u %9u %s: %s\n", (unsigned)c->bits, info_payloads[c->payload],
           info_number(c->top_k, "all", text[0], sizeof text[0]),
           info_number(c->rows, "all", text[1], sizeof text[1]), (unsigned)c->least,
           (unsigned)c->most, c->way, info_gain(c, gain, sizeof gain));
}

/* The choices of AUTO, and where they come from. */
static void info_choices(clsort_sorter *sorter)
{
    char text[4][16], origin[100];
    clsort_choice c = clsort_choice_default();
    cl_uint i;
    int tops = 0;
    printf("  %-4s %-7s %8s %8s %8s %8s\n", "", "", "few", "radix", "hybrid", "bitonic");
    printf("  %-4s %-7s %8s %8s %8s %8s %s\n", "keys", "payload", "up to", "from", "from", "up to",
           "measured here");
    for (i = 0; clsort_auto_choice(sorter, i, &c) == CL_SUCCESS; i++) {
        if (c.top_k) {
            info_way(&c, !tops++);
            continue;
        }
        info_origin(&c, origin, sizeof origin);
        printf("  %-4u %-7s %8s %8s %8s %8s %s\n", (unsigned)c.bits, info_payloads[c.payload],
               info_number(c.few_most, "all", text[0], sizeof text[0]),
               info_number(c.radix_least, "never", text[1], sizeof text[1]),
               info_number(c.hybrid_least, "never", text[2], sizeof text[2]),
               info_number(c.bitonic_most, "all", text[3], sizeof text[3]), origin);
    }
}

/* As clsort_choice has them; without a limit where that is 2^32 - 1. */
static void info_choices_json(clsort_sorter *sorter)
{
    static const char *const origins[] = { "derived", "built in", "loaded", "measured" };
    clsort_choice c = clsort_choice_default();
    cl_uint i;
    json_open("choices", '[');
    for (i = 0; clsort_auto_choice(sorter, i, &c) == CL_SUCCESS; i++) {
        json_open(NULL, '{');
        json_number("bits", "%u", (unsigned)c.bits);
        json_text("payload", info_payloads[c.payload]);
        json_text("origin", origins[c.origin]);
        json_text("device", c.device);
        json_number("most", "%u", (unsigned)c.most);
        json_number("gain", "%.3f", info_measured(&c) ? c.gain / 1000.0 : 1.0);
        if (c.top_k) {
            json_number("top_k", "%u", (unsigned)c.top_k);
            json_number("rows", "%u", (unsigned)c.rows);
            json_number("least", "%u", (unsigned)c.least);
            json_text("way", c.way);
        } else {
            json_number("few_most", "%u", (unsigned)c.few_most);
            json_number("radix_least", "%u", (unsigned)c.radix_least);
            json_number("hybrid_least", "%u", (unsigned)c.hybrid_least);
            json_number("bitonic_most", "%u", (unsigned)c.bitonic_most);
        }
        json_close('}');
    }
    json_close(']');
}

/* ---- policy ---------------------------------------------------------------------------------- */

/* The numbers that tune, of one kind of device: a group in a line, or in an object. */
typedef struct info_numbers { int json; size_t used; char line[1000]; } info_numbers;

static void info_group(info_numbers *l, const char *name)
{
    if (l->json) json_open(name, '{');
    else l->used = (size_t)snprintf(l->line, sizeof l->line, "  policy, %s:", name);
}

static void info_member(info_numbers *l, const char *name, cl_uint n)
{
    char text[16];
    if (l->json) json_number(name, "%u", (unsigned)n);
    else
        l->used += (size_t)snprintf(l->line + l->used, sizeof l->line - l->used, " %s %s", name,
                                    info_number(n, "never", text, sizeof text));
}

static void info_end_group(info_numbers *l)
{
    if (l->json) json_close('}');
    else info_wrap("%s", l->line);
}

/* All that clsort.h (>>policy) has for the device's kind, but the crossovers, which are choices. */
static void info_policy(const clsort__policy *p, int json)
{
    info_numbers l = { json, 0, "" };
    if (json) json_open("policy", '{');
    info_group(&l, "rows_one_by_one");
    info_member(&l, "least_long_bare_row", p->least_long_bare_row);
    info_member(&l, "least_long_row", p->least_long_row);
    info_end_group(&l);
#define INFO_GROUP(group) \
    { \
        const struct clsort__numbers_of_##group *const of = &p->group; \
        info_group(&l, #group);
#define INFO_OF_KIND(name, nvidia, gpu, cpu) info_member(&l, #name, of->name);
#define INFO_OF_ALL(name, all) info_member(&l, #name, of->name);
#define INFO_END(group) \
        info_end_group(&l); \
    }
    CLSORT__NUMBER_LIST(INFO_GROUP, INFO_OF_KIND, INFO_OF_ALL, INFO_END)
#undef INFO_GROUP
#undef INFO_OF_KIND
#undef INFO_OF_ALL
#undef INFO_END
    if (json) json_close('}');
}

/* ---- a device -------------------------------------------------------------------------------- */

/* The line of what AUTO takes, by the first word of an algorithm's name; of top-k its way. */
static void info_brief_plans(clsort_sorter *sorter)
{
    char line[400] = "";
    size_t used = (size_t)snprintf(line, sizeof line, "  auto for 2^20 u32:");
    int i, some = 0;
    for (i = 0; i < INFO_KINDS; i++) {
        const char *name;
        info_plan plan;
        if (!info_kinds[i].brief || !info_ask(sorter, &info_kinds[i], 1u << 20, &plan)) continue;
        name = strncmp(plan.algorithm, "top-k ", 6) ? plan.algorithm : plan.algorithm + 6;
        used += (size_t)snprintf(line + used, sizeof line - used, "%s %s %.*s", some++ ? "," : "",
                                 info_kinds[i].brief,
                                 (int)(info_kinds[i].top_k ? strlen(name) : strcspn(name, "-")),
                                 name);
    }
    printf("%.*s\n", HELP_COLUMNS, line);
}

/* The line of where AUTO's choices come from. */
static void info_brief_choices(clsort_sorter *sorter)
{
    clsort_choice c = clsort_choice_default(), built = c, best = c;
    char gain[16];
    cl_uint i;
    int measured = 0, gained = 0;
    for (i = 0; clsort_auto_choice(sorter, i, &c) == CL_SUCCESS; i++) {
        if (!info_measured(&c)) built = c;
        measured += info_measured(&c);
        gained += info_gains(&c);
        if (info_gains(&c) && c.gain > best.gain) best = c;
    }
    if (gained)
        printf("  its choices: measured here by `clsort tune`, %d of %d gain, up to %s\n", gained,
               measured, info_gain(&best, gain, sizeof gain));
    else if (measured)
        printf("  its choices: built in, %d measured here by `clsort tune`: no gain\n", measured);
    else if (built.origin == CLSORT_ORIGIN_BUILT_IN)
        printf("  its choices: built in, measured on %s\n", built.device);
    else puts("  its choices: built in, derived from other devices; `clsort tune` measures");
}

/* Five lines. */
static void info_brief(const device_info *info, const info_facts *f, clsort_sorter *s)
{
    printf("%s: %s (%s)\n", info->platform_name, info->name, info_type(info));
    printf("  OpenCL %s, driver %.24s; %u compute units, memory %lu MiB\n", f->opencl, f->driver,
           (unsigned)f->units, (unsigned long)(f->bytes >> 20));
    printf("  work-groups to %zu, local memory %lu KiB%s, buffers to %lu MiB\n", f->group,
           (unsigned long)(f->local_bytes >> 10), s->facts.has_local ? "" : " (global)",
           (unsigned long)(s->facts.max_allocation >> 20));
    info_brief_plans(s);
    info_brief_choices(s);
}

/* What clsort reads of a device beside that, and what it makes of it. */
static void info_verbose(const info_facts *f, clsort_sorter *s)
{
    info_wrap("  %s (0x%04x), %s; sub-groups %s", f->vendor, (unsigned)f->vendor_id, f->c,
              f->widths);
    info_wrap("  auto: as for %s%s%s%s%s%s%s%s%s", s->policy->devices,
              s->facts.shares_memory ? ", shares the host's memory" : "",
              s->facts.has_vectors ? ", vector registers" : "",
              s->facts.has_wide_vectors ? ", AVX-512" : "",
              s->facts.always_lanes ? ", work-items in lanes of vectors" : "",
              s->facts.has_progress ? ", no work-group starves" : "",
              s->facts.has_warps ? ", warps" : "",
              s->facts.has_narrow ? ", sub-groups from 16" : "",
              s->facts.enqueues ? ", kernels enqueue kernels" : "");
    info_names(s, "  cannot run here:", NULL);
    info_plans(s, 0);
    info_choices(s);
    info_policy(s->policy, 0);
}

static void info_json(const device_info *info, const info_facts *f, clsort_sorter *s)
{
    json_text("platform", info->platform_name);
    json_text("name", info->name);
    json_text("type", info_type(info));
    json_text("vendor", f->vendor);
    json_text("opencl", f->opencl);
    json_text("opencl_c", f->c);
    json_text("driver", f->driver);
    json_text("sub_groups", f->widths);
    json_number("compute_units", "%u", (unsigned)f->units);
    json_number("work_group", "%zu", f->group);
    json_number("local_bytes", "%llu", (unsigned long long)f->local_bytes);
    json_number("bytes", "%llu", (unsigned long long)f->bytes);
    json_number("allocation_bytes", "%llu", (unsigned long long)s->facts.max_allocation);
    json_text("auto_as_for", s->policy->devices);
    info_names(s, NULL, "cannot_run");
    info_plans(s, 1);
    info_choices_json(s);
    info_policy(s->policy, 1);
}

enum { INFO_BRIEF, INFO_VERBOSE, INFO_JSON };

static int info_device(const device_info *info, const clsort_options *options, int how)
{
    device_session session;
    clsort_sorter *sorter = NULL;
    info_facts facts;
    int code;
    if (!device_open(info, &session)) return fail(DONE_OPENCL, "%s: cannot be opened", info->name);
    info_read(info->id, &facts);
    code = cl_check(clsort_create(session.context, info->id, options, &sorter),
                    "clsort_create");
    if (how == INFO_JSON) json_open(NULL, '{');
    if (code == DONE_OK && how == INFO_JSON) info_json(info, &facts, sorter);
    else if (code == DONE_OK) info_brief(info, &facts, sorter);
    if (code == DONE_OK && how == INFO_VERBOSE) info_verbose(&facts, sorter);
    if (how == INFO_JSON) json_close('}');
    clsort_destroy(sorter);
    device_close(&session);
    return code;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* All algorithms, or with how they differ by their first words alone. */
static void info_algorithms(int how)
{
    const char *name;
    char text[2000] = " ";
    size_t used = 1;
    cl_uint k;
    if (how == INFO_JSON) json_open("algorithms", '[');
    for (k = 0; used < sizeof text && (name = clsort_algorithm_name(k)) != NULL; k++) {
        if (how == INFO_JSON) json_text(NULL, name);
        else if (how == INFO_VERBOSE || !strchr(name, '-'))
            used += (size_t)snprintf(text + used, sizeof text - used, " %s", name);
    }
    if (how == INFO_JSON) json_close(']');
    else if (how == INFO_VERBOSE) {
        puts("algorithms:");
        info_wrap("%s", text);
    } else info_wrap("algorithms:%s; --verbose has their variants", text + 1);
}

static int command_info(const arguments *a)
{
    device_info list[DEVICE_MAX];
    const char *want = argument(a, OPTION_DEVICE, getenv("CLSORT_DEVICE"));
    size_t count = device_list(want, list, DEVICE_MAX), i;
    const clsort_options options = cached_options(a);
    const int how = a->given[OPTION_JSON]      ? INFO_JSON
                    : a->given[OPTION_VERBOSE] ? INFO_VERBOSE
                                               : INFO_BRIEF;
    int code = DONE_OK;
    if (!count) return fail_no_device(want);
    if (how == INFO_JSON) json_begin();
    if (how == INFO_JSON) json_open("devices", '[');
    for (i = 0; i < count; i++) {
        int this_code = info_device(&list[i], &options, how);
        if (this_code != DONE_OK) code = this_code;
    }
    if (how == INFO_JSON) json_close(']');
    if (how == INFO_VERBOSE) info_names(NULL, "for bench only, blocks of a work-group:", NULL);
    if (how == INFO_JSON) info_names(NULL, NULL, "for_bench_only");
    info_algorithms(how);
    if (how == INFO_JSON) json_end();
    return code;
}

#endif
