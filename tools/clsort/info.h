/* info.h - the command `info` of the clsort program: devices, what clsort reads of them, where AUTO
   takes which plan, and its built-in crossovers for all kinds of devices. */

#ifndef CLSORT_TOOLS_INFO_H
#define CLSORT_TOOLS_INFO_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "options.h"
#include "sample.h"
#include "session.h"

static void info_limits(const device_info *info)
{
    char version[128] = "";
    cl_uint units = 0;
    size_t group = 0;
    cl_ulong local_bytes = 0, global_bytes = 0;
    clGetDeviceInfo(info->id, CL_DEVICE_VERSION, sizeof version - 1, version, NULL);
    clGetDeviceInfo(info->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    clGetDeviceInfo(info->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    clGetDeviceInfo(info->id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes, NULL);
    clGetDeviceInfo(info->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof global_bytes, &global_bytes, NULL);
    printf("%s: %s (%s)\n", info->platform_name, info->name,
           info->type & CL_DEVICE_TYPE_GPU   ? "GPU"
           : info->type & CL_DEVICE_TYPE_CPU ? "CPU"
                                             : "accelerator");
    printf("  %s; %u compute units, work-groups up to %zu, local memory %lu KiB, global memory %lu "
           "MiB\n",
           version, (unsigned)units, group, (unsigned long)(local_bytes >> 10),
           (unsigned long)(global_bytes >> 20));
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* Kinds of devices, each of which has rows of AUTO's table. */
static const char *const info_devices[] = { "CLSORT__NVIDIA", "CLSORT__OTHER_GPU",
                                            "CLSORT__MERGE_GPU", "CLSORT__CPU_ROWS",
                                            "CLSORT__CPU" };

/* The rows of AUTO's table that serve a device. */
static const char *info_rows(const clsort_sorter *sorter)
{
    return info_devices[clsort__device_kind(sorter)];
}

static const char *info_text(cl_device_id id, cl_device_info what, char *text, size_t room)
{
    memset(text, 0, room);
    return clGetDeviceInfo(id, what, room - 1, text, NULL) == CL_SUCCESS ? text : "?";
}

/* The widths that work-items run in, where the driver tells: Intel's, AMD's and NVIDIA's have a
   query of their own. clsort reads Intel's. */
static void info_widths(cl_device_id id)
{
    static const cl_device_info queries[3] = { 0x4108, 0x4043, 0x4003 };
    size_t sizes[16], bytes, q, i;
    cl_uint width = 0;
    printf("sub-groups");
    if (clGetDeviceInfo(id, queries[0], sizeof sizes, sizes, &bytes) == CL_SUCCESS && bytes) {
        for (i = 0; i < bytes / sizeof *sizes; i++) printf(" %zu", sizes[i]);
        return;
    }
    for (q = 1; q < 3 && !width; q++)
        if (clGetDeviceInfo(id, queries[q], sizeof width, &width, NULL) != CL_SUCCESS) width = 0;
    printf(width ? " %u" : " not told", (unsigned)width);
}

/* What clsort reads of a device, and what it makes of that. */
static void info_facts(const clsort_sorter *s)
{
    char text[3][256];
    cl_uint vendor = 0;
    clGetDeviceInfo(s->device, CL_DEVICE_VENDOR_ID, sizeof vendor, &vendor, NULL);
    printf("  %s (0x%04x), driver %s, %s; ",
           info_text(s->device, CL_DEVICE_VENDOR, text[0], sizeof text[0]), (unsigned)vendor,
           info_text(s->device, CL_DRIVER_VERSION, text[1], sizeof text[1]),
           info_text(s->device, CL_DEVICE_OPENCL_C_VERSION, text[2], sizeof text[2]));
    info_widths(s->device);
    printf("\n  auto: rows of %s; local memory %s, allocations up to %lu MiB%s%s%s%s%s%s%s\n",
           info_rows(s), s->has_local ? "of its own" : "in global memory",
           (unsigned long)(s->max_allocation >> 20),
           s->shares_memory ? ", shares the host's memory" : "",
           s->has_vectors ? ", vectors" : "", s->has_rows ? ", vectors of 16" : "",
           s->has_progress ? ", progress" : "", s->has_warps ? ", warps" : "",
           s->has_narrow ? ", sub-groups from 16" : "",
           s->enqueues ? ", kernels enqueue kernels" : "");
}

/* Prints the algorithms that sort blocks only, or else all that a device cannot run. */
static void info_names(clsort_sorter *sorter, const char *before)
{
    const char *name;
    cl_uint k;
    for (k = 1; (name = clsort_algorithm_name(k)) != NULL; k++) {
        clsort_desc d = clsort_desc_default();
        d.count = 2;
        d.key_type = CLSORT_U32;
        clsort_set_algorithm(&d, name);
        d.rows = clsort__is_batch(&d) ? 1 : 0;
        if (sorter ? clsort_check(sorter, &d) == CL_SUCCESS
                   : d.tuning.local != CLSORT_LOCAL_ONLY)
            continue;
        printf("%s %s", before, name);
        before = "";
    }
    if (!*before) putchar('\n');
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* Sorts that AUTO tells apart. */
typedef struct info_kind {
    const char *name;
    cl_uint type;
    size_t value_size, rows, top_k;
    cl_uint last_bit;
} info_kind;

static const info_kind info_kinds[] = { { "u16", CLSORT_U16, 0, 0, 0, 0 },
                                        { "u16 + values", CLSORT_U16, 4, 0, 0, 0 },
                                        { "u32", CLSORT_U32, 0, 0, 0, 0 },
                                        { "u32 + values", CLSORT_U32, 4, 0, 0, 0 },
                                        { "u64", CLSORT_U64, 0, 0, 0, 0 },
                                        { "u64 + values", CLSORT_U64, 4, 0, 0, 0 },
                                        { "20 bits of u32", CLSORT_U32, 0, 0, 0, 20 },
                                        { "each of 100 rows, u32", CLSORT_U32, 0, 100, 0, 0 },
                                        { "top 40 of one row", CLSORT_U32, 0, 1, 40, 0 },
                                        { "top 40 of 100 rows", CLSORT_U32, 0, 100, 40, 0 } };

/* How elements of a kind are sorted: the algorithm, the family of its first kernel, and its
   shape. */
typedef struct info_plan {
    char algorithm[64], kernels[32];
    cl_uint work_group, items;
} info_plan;

/* What AUTO takes for `n` elements; 0 if the device refuses so many. */
static int info_ask(clsort_sorter *sorter, const info_kind *kind, size_t n, info_plan *plan)
{
    clsort_desc d = clsort_desc_default(), r = d;
    char text[2000] = "";
    const char *kernel;
    d.count = n;
    d.key_type = kind->type;
    d.value_size = kind->value_size;
    d.rows = kind->rows;
    d.top_k = kind->top_k;
    d.last_bit = kind->last_bit;
    d.flags = kind->top_k ? CLSORT_FLAG_INDICES : 0;
    memset(plan, 0, sizeof *plan);
    if (clsort_resolve(sorter, &d, &r) != CL_SUCCESS
        || clsort_explain(sorter, &d, text, sizeof text) != CL_SUCCESS)
        return 0;
    sscanf(text, "algorithm %63[^\n]", plan->algorithm);
    kernel = strstr(text, "clsort_");
    if (kernel) sscanf(kernel, "clsort_%31[a-z]", plan->kernels);
    plan->work_group = r.tuning.work_group;
    plan->items = r.tuning.items;
    return 1;
}

/* Does AUTO take the same plan for `n` elements? */
static int info_same(clsort_sorter *sorter, const info_kind *kind, size_t n, const info_plan *plan)
{
    info_plan other;
    return info_ask(sorter, kind, n, &other) && !strcmp(other.algorithm, plan->algorithm)
           && !strcmp(other.kernels, plan->kernels);
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

static void info_kind_lines(clsort_sorter *sorter, const info_kind *kind)
{
    size_t from = kind->top_k ? kind->top_k : 2;
    const char *name = kind->name;
    info_plan plan;
    while (from <= 0xFFFFFFFFu && info_ask(sorter, kind, from, &plan)) {
        const size_t last = info_last(sorter, kind, from, &plan);
        const int apart = *plan.kernels && !strstr(plan.algorithm, plan.kernels);
        printf("  %-22s %10zu %10zu  %-34s %-8s %10u %5u\n", name, from, last, plan.algorithm,
               apart ? plan.kernels : "", (unsigned)plan.work_group, (unsigned)plan.items);
        if (last == 0xFFFFFFFFu) return;
        from = last + 1;
        name = "";
    }
}

/* ---- choices --------------------------------------------------------------------------------- */

/* A number of elements; `most` stands for the largest one. */
static const char *info_number(cl_uint n, const char *most, char *text, size_t room)
{
    snprintf(text, room, "%u", (unsigned)n);
    return n == 0xFFFFFFFFu ? most : text;
}

static void info_crossover_head(const char *after)
{
    printf("  %-8s %-8s %11s %11s %11s %11s  %s\n", "keys", "payload", "few up to", "radix from",
           "hybrid from", "bitonic to", after);
}

static void info_crossover(cl_uint few, cl_uint radix, cl_uint hybrid, cl_uint bitonic)
{
    char text[4][16];
    printf(" %11s %11s %11s %11s", info_number(few, "all", text[0], sizeof text[0]),
           info_number(radix, "never", text[1], sizeof text[1]),
           info_number(hybrid, "never", text[2], sizeof text[2]),
           info_number(bitonic, "all", text[3], sizeof text[3]));
}

/* The built-in crossovers, as the table of clsort.h has them. */
static void info_built_in(void)
{
    static const char *const payloads[3] = { "any", "none", "4 bytes" };
    const clsort__crossover *c = clsort__crossovers;
    const size_t rows = sizeof clsort__crossovers / sizeof *clsort__crossovers;
    puts("auto, built in: the first row that fits, by the most bits of keys; CLSORT__OTHER_GPU for "
         "132 units");
    info_crossover_head("rows of");
    for (; c < clsort__crossovers + rows; c++) {
        printf("  %-8u %-8s", (unsigned)c->bits, payloads[c->payload]);
        info_crossover(c->samples, c->radix, c->hybrid, c->bitonic);
        printf("  %s\n", info_devices[c->device]);
    }
}

/* How a choice came to be. */
static void info_origin(const clsort_choice *c, char *text, size_t room)
{
    if (c->origin == CLSORT_ORIGIN_DERIVED) snprintf(text, room, "derived");
    else if (c->origin == CLSORT_ORIGIN_BUILT_IN) snprintf(text, room, "measured on %s", c->device);
    else
        snprintf(text, room, "measured here, up to %u: %.2f x as fast", (unsigned)c->most,
                 c->gain / 1000.0);
}

static const char *const info_payloads[3] = { "none", "4 bytes", "other" };

/* A choice of top-k, and above the first one what its columns are. */
static void info_way(const clsort_choice *c, int first)
{
    char text[2][16], origin[100];
    if (first)
        printf("  %-6s %-8s %11s %11s %11s %11s  %s\n", "keys", "payload", "k up to", "rows up to",
               "length from", "to", "way to select");
    info_origin(c, origin, sizeof origin);
    printf("  %-6u %-8s %11s %11s %11u %11u  %s, %s\n", (unsigned)c->bits,
           info_payloads[c->payload], info_number(c->top_k, "all", text[0], sizeof text[0]),
           info_number(c->rows, "all", text[1], sizeof text[1]), (unsigned)c->least,
           (unsigned)c->most, c->way, origin);
}

/* The choices of AUTO, and where they come from. */
static void info_choices(clsort_sorter *sorter)
{
    char origin[100];
    clsort_choice c = clsort_choice_default();
    cl_uint i;
    int tops = 0;
    info_crossover_head("choice");
    for (i = 0; clsort_auto_choice(sorter, i, &c) == CL_SUCCESS; i++) {
        if (c.top_k) {
            info_way(&c, !tops++);
            continue;
        }
        info_origin(&c, origin, sizeof origin);
        printf("  %-8u %-8s", (unsigned)c.bits, info_payloads[c.payload]);
        info_crossover(c.few_most, c.radix_least, c.hybrid_least, c.bitonic_most);
        printf("  %s\n", origin);
    }
}

static int info_device(const device_info *info, const clsort_options *options)
{
    device_session session;
    clsort_sorter *sorter = NULL;
    size_t i;
    int code;
    info_limits(info);
    if (!device_open(info, &session)) return fail(DONE_OPENCL, "%s: cannot be opened", info->name);
    code = cl_check(clsort_create(session.context, info->id, options, &sorter),
                    "clsort_create");
    if (code == DONE_OK) info_facts(sorter);
    if (code == DONE_OK) info_names(sorter, "  cannot run here:");
    if (code == DONE_OK)
        printf("  %-22s %10s %10s  %-34s %-8s %10s %5s\n", "auto: keys", "from", "to", "algorithm",
               "kernels", "work-group", "items");
    for (i = 0; code == DONE_OK && i < sizeof info_kinds / sizeof info_kinds[0]; i++)
        info_kind_lines(sorter, &info_kinds[i]);
    if (code == DONE_OK) info_choices(sorter);
    clsort_destroy(sorter);
    device_close(&session);
    return code;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Names in lines of at most 100 columns. */
static void info_algorithms(void)
{
    const char *name;
    int column = 0;
    cl_uint k;
    puts("algorithms:");
    for (k = 0; (name = clsort_algorithm_name(k)) != NULL; k++) {
        const int length = (int)strlen(name);
        if (column && column + 1 + length > 100) putchar('\n'), column = 0;
        column += printf("%s%s", column ? " " : "  ", name);
    }
    putchar('\n');
}

static int command_info(const arguments *a)
{
    device_info list[DEVICE_MAX];
    const char *want = argument(a, OPTION_DEVICE, getenv("CLSORT_DEVICE"));
    size_t count = device_list(want, list, DEVICE_MAX), i;
    const clsort_options options = cached_options(a);
    int code = DONE_OK;
    if (!count) return fail_no_device(want);
    for (i = 0; i < count; i++) {
        int this_code = info_device(&list[i], &options);
        if (this_code != DONE_OK) code = this_code;
    }
    info_built_in();
    info_names(NULL, "for bench only, as they sort blocks of a work-group:");
    info_algorithms();
    return code;
}

#endif
