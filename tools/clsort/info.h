/* info.h - the command `info` of the clsort program: devices, what clsort reads of them, where AUTO
   takes which plan, and its built-in crossovers for all kinds of devices. Lines have HELP_COLUMNS,
   but for those with longer names. */

#ifndef CLSORT_TOOLS_INFO_H
#define CLSORT_TOOLS_INFO_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "options.h"
#include "sample.h"
#include "session.h"

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
    info_wrap("  %s; %u compute units, work-groups up to %zu, local memory %lu KiB, global memory "
              "%lu MiB",
              version, (unsigned)units, group, (unsigned long)(local_bytes >> 10),
              (unsigned long)(global_bytes >> 20));
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* Kinds of devices, each of which has rows of AUTO's table; of CPUs as clsort_choice names them. */
static const char *const info_devices[CLSORT__CPU + 1] = {
    [CLSORT__NVIDIA] = "NVIDIA's GPUs",
    [CLSORT__OTHER_GPU] = "other GPUs",
    [CLSORT__MERGE_GPU] = "GPUs with little local memory",
    [CLSORT__CPU_ROWS] = "CPUs with AVX-512",
    [CLSORT__CPU_LANES] = "CPUs by lanes of vectors",
    [CLSORT__CPU_VECTORS] = "CPUs with vectors",
    [CLSORT__CPU] = "CPUs"
};

static const char *info_text(cl_device_id id, cl_device_info what, char *text, size_t room)
{
    memset(text, 0, room);
    return clGetDeviceInfo(id, what, room - 1, text, NULL) == CL_SUCCESS ? text : "?";
}

/* The widths that work-items run in, where the driver tells: Intel's, AMD's and NVIDIA's have a
   query of their own. clsort reads Intel's. */
static const char *info_widths(cl_device_id id, char *text, size_t room)
{
    static const cl_device_info queries[3] = { 0x4108, 0x4043, 0x4003 };
    size_t sizes[16], bytes, q, i, used = 0;
    cl_uint width = 0;
    if (clGetDeviceInfo(id, queries[0], sizeof sizes, sizes, &bytes) == CL_SUCCESS && bytes) {
        for (i = 0; i < bytes / sizeof *sizes && used < room; i++)
            used += (size_t)snprintf(text + used, room - used, i ? " %zu" : "%zu", sizes[i]);
        return text;
    }
    for (q = 1; q < 3 && !width; q++)
        if (clGetDeviceInfo(id, queries[q], sizeof width, &width, NULL) != CL_SUCCESS) width = 0;
    snprintf(text, room, width ? "%u" : "not told", (unsigned)width);
    return text;
}

/* What clsort reads of a device, and what it makes of that. */
static void info_facts(const clsort_sorter *s)
{
    char text[4][256];
    cl_uint vendor = 0;
    clGetDeviceInfo(s->device, CL_DEVICE_VENDOR_ID, sizeof vendor, &vendor, NULL);
    info_wrap("  %s (0x%04x), driver %s, %s; sub-groups %s",
              info_text(s->device, CL_DEVICE_VENDOR, text[0], sizeof text[0]), (unsigned)vendor,
              info_text(s->device, CL_DRIVER_VERSION, text[1], sizeof text[1]),
              info_text(s->device, CL_DEVICE_OPENCL_C_VERSION, text[2], sizeof text[2]),
              info_widths(s->device, text[3], sizeof text[3]));
    info_wrap("  auto: as for %s; local memory %s, allocations up to %lu MiB%s%s%s%s%s%s%s%s",
              info_devices[clsort__device_kind(s)],
              s->has_local ? "of its own" : "in global memory",
              (unsigned long)(s->max_allocation >> 20),
              s->shares_memory ? ", shares the host's memory" : "",
              s->has_vectors ? ", vector registers" : "", s->has_wide_vectors ? ", AVX-512" : "",
              s->always_lanes ? ", work-items in lanes of vectors" : "",
              s->has_progress ? ", no work-group starves" : "", s->has_warps ? ", warps" : "",
              s->has_narrow ? ", sub-groups from 16" : "",
              s->enqueues ? ", kernels enqueue kernels" : "");
}

/* Prints the algorithms that sort blocks only, or else all that a device cannot run. */
static void info_names(clsort_sorter *sorter, const char *before)
{
    const char *name;
    char text[2000] = "";
    size_t used = 0;
    cl_uint k;
    for (k = 1; used < sizeof text && (name = clsort_algorithm_name(k)) != NULL; k++) {
        clsort_desc d = clsort_desc_default();
        d.count = 2;
        d.key_type = CLSORT_U32;
        clsort_set_algorithm(&d, name);
        d.rows = clsort__is_batch(&d) ? 1 : 0;
        if (sorter ? clsort_check(sorter, &d) == CL_SUCCESS
                   : clsort__local_choice(&d.tuning) != CLSORT__LOCAL_ONLY)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s", used ? "" : before,
                                 name);
    }
    if (used) info_wrap("%s", text);
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
                                        { "100 rows of u32", CLSORT_U32, 0, 100, 0, 0 },
                                        { "top 40, one row", CLSORT_U32, 0, 1, 40, 0 },
                                        { "top 40, 100 rows", CLSORT_U32, 0, 100, 40, 0 } };

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
    if (kind->top_k) d.indices = CLSORT_LATER;
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

/* The columns of the table of plans. A shape is the work-items of a group and the elements of
   each. */
static void info_plan_head(void)
{
    printf("  %-16s %10s %10s %7s %s\n", "auto: keys", "from", "to", "shape",
           "algorithm (kernels)");
}

static void info_plan_line(const char *name, size_t from, size_t last, const info_plan *plan)
{
    const int apart = *plan->kernels && !strstr(plan->algorithm, plan->kernels);
    char shape[24];
    snprintf(shape, sizeof shape, "%ux%u", (unsigned)plan->work_group, (unsigned)plan->items);
    printf("  %-16s %10zu %10zu %7s %s%s%s%s\n", name, from, last, shape, plan->algorithm,
           apart ? " (" : "", apart ? plan->kernels : "", apart ? ")" : "");
}

static void info_kind_lines(clsort_sorter *sorter, const info_kind *kind)
{
    size_t from = kind->top_k ? kind->top_k : 2;
    const char *name = kind->name;
    info_plan plan;
    while (from <= 0xFFFFFFFFu && info_ask(sorter, kind, from, &plan)) {
        const size_t last = info_last(sorter, kind, from, &plan);
        info_plan_line(name, from, last, &plan);
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

/* A number of elements, a power of two as such. */
static const char *info_power(cl_uint n, char *text, size_t room)
{
    int log2 = 0;
    while (n >> log2 > 1) log2++;
    if (n != 1u << log2) snprintf(text, room, "%u", (unsigned)n);
    else snprintf(text, room, "2^%d", log2);
    return text;
}

static void info_crossover_head(const char *after)
{
    printf("  %-4s %-7s %8s %8s %8s %8s\n", "", "", "few", "radix", "hybrid", "bitonic");
    printf("  %-4s %-7s %8s %8s %8s %8s %s\n", "keys", "payload", "up to", "from", "from", "up to",
           after);
}

static void info_crossover(cl_uint few, cl_uint radix, cl_uint hybrid, cl_uint bitonic)
{
    char text[4][16];
    printf(" %8s %8s %8s %8s", info_number(few, "all", text[0], sizeof text[0]),
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
    info_wrap("auto, built in: the first row that fits, by the most bits of keys; "
              "numbers of other GPUs are for 132 compute units; rows of CPUs serve all CPUs");
    info_crossover_head("for");
    for (; c < clsort__crossovers + rows; c++) {
        printf("  %-4u %-7s", (unsigned)c->bits, payloads[c->payload]);
        info_crossover(c->samples, c->radix, c->hybrid, c->bitonic);
        printf(" %s\n", info_devices[c->device]);
    }
}

/* How a choice of sorts came to be, and with what gain. */
static void info_origin(const clsort_choice *c, char *text, size_t room)
{
    char number[16];
    if (c->origin == CLSORT_ORIGIN_DERIVED) snprintf(text, room, "derived");
    else if (c->origin == CLSORT_ORIGIN_BUILT_IN) snprintf(text, room, "measured on %s", c->device);
    else
        snprintf(text, room, "measured here to %s: %.2fx",
                 info_power(c->most, number, sizeof number), c->gain / 1000.0);
}

static const char *const info_payloads[3] = { "none", "4 bytes", "other" };

/* A choice of top-k, which is always a measured one, and above the first one what its columns
   are. */
static void info_way(const clsort_choice *c, int first)
{
    char text[2][16];
    if (first)
        printf("  %-4s %-7s %7s %7s %9s %9s %6s way to select\n", "keys", "payload", "k up to",
               "rows to", "keys from", "to", "gain");
    printf("  %-4u %-7s %7s %7s %9u %9u %5.2fx %s\n", (unsigned)c->bits,
           info_payloads[c->payload], info_number(c->top_k, "all", text[0], sizeof text[0]),
           info_number(c->rows, "all", text[1], sizeof text[1]), (unsigned)c->least,
           (unsigned)c->most, c->gain / 1000.0, c->way);
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
        printf("  %-4u %-7s", (unsigned)c.bits, info_payloads[c.payload]);
        info_crossover(c.few_most, c.radix_least, c.hybrid_least, c.bitonic_most);
        printf(" %s\n", origin);
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
    if (code == DONE_OK) info_plan_head();
    for (i = 0; code == DONE_OK && i < sizeof info_kinds / sizeof info_kinds[0]; i++)
        info_kind_lines(sorter, &info_kinds[i]);
    if (code == DONE_OK) info_choices(sorter);
    clsort_destroy(sorter);
    device_close(&session);
    return code;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void info_algorithms(void)
{
    const char *name;
    char text[2000] = " ";
    size_t used = 1;
    cl_uint k;
    puts("algorithms:");
    for (k = 0; used < sizeof text && (name = clsort_algorithm_name(k)) != NULL; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %s", name);
    info_wrap("%s", text);
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
    info_names(NULL, "for bench only, blocks of a work-group:");
    info_algorithms();
    return code;
}

#endif
