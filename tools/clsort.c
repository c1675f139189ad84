/* clsort.c - the command-line program: sorts, checks and generates files of keys, and measures.

     cc -std=c99 -O2 tools/clsort.c -o build/clsort -lOpenCL -lm

   `clsort --help` lists the commands; options.h holds their options, bench.h the measurements. */

#define _XOPEN_SOURCE 700
#define CL_TARGET_OPENCL_VERSION 120
#define CLSORT_STATIC
#define CLSORT_IMPLEMENTATION
#include "../clsort.h"

#include "options.h"
#include "bench.h"

/* ---- options of several commands --------------------------------------------------------------------------------- */

/* Is the option's value the second one of two words? Returns an exit code. */
static int choice(const arguments *a, option_id id, const char *first, const char *second, cl_uint *is_second)
{
    const char *word = argument(a, id, first);
    *is_second = !strcmp(word, second);
    if (*is_second || !strcmp(word, first)) return DONE_OK;
    return fail(DONE_USAGE, "--%s must be %s or %s, not '%s'", option_rules[id].name, first, second, word);
}

static int type_option(const arguments *a, const key_type **type)
{
    const char *name = argument(a, OPTION_TYPE, NULL);
    *type = name ? key_type_find(name) : NULL;
    if (*type) return DONE_OK;
    return name ? fail(DONE_USAGE, "unknown type '%s': it must be one of %s", name, option_rules[OPTION_TYPE].help)
                : fail(DONE_USAGE, "--type is missing: %s", option_rules[OPTION_TYPE].help);
}

/* The description and the key type that the options ask for. Returns an exit code. */
static int sort_options(const arguments *a, clsort_desc *d, const key_type **type)
{
    int code = type_option(a, type);
    *d = clsort_desc_default();
    if (code == DONE_OK) code = choice(a, OPTION_ORDER, "asc", "desc", &d->order);
    if (code == DONE_OK) code = choice(a, OPTION_NAN, "total", "last", &d->nan_order);
    if (code == DONE_OK) code = choice(a, OPTION_ZERO, "distinct", "equal", &d->zero_order);
    if (code == DONE_OK) code = algorithm_select(d, argument(a, OPTION_ALGORITHM, "auto"));
    if (code != DONE_OK) return code;
    d->stable = a->given[OPTION_STABLE] > 0;
    d->key_type = (*type)->code;
    if (!(*type)->fraction) d->nan_order = d->zero_order = 0;
    return DONE_OK;
}

/* ---- info -------------------------------------------------------------------------------------------------------- */

/* The name of what a resolved description runs: the first algorithm that resolves to the same. */
static const char *resolved_name(clsort_sorter *sorter, const clsort_desc *asked, const clsort_desc *resolved)
{
    const char *name;
    cl_uint i;
    for (i = 0; (name = clsort_algorithm_name(i)) != NULL; i++) {
        clsort_desc other = *asked, found;
        if (!strcmp(name, "auto") || clsort_select(&other, name) != CL_SUCCESS || clsort_resolve(sorter, &other, &found) != CL_SUCCESS) continue;
        if (found.algorithm == resolved->algorithm && !memcmp(&found.tuning, &resolved->tuning, sizeof found.tuning)) return name;
    }
    return "unnamed";
}

static int info_use(clsort_sorter *sorter, const char *what, cl_uint type, size_t value_size, cl_uint flags)
{
    clsort_desc d = clsort_desc_default(), r;
    int code;
    d.count = (size_t)1 << 20;
    d.key_type = type;
    d.value_size = value_size;
    d.flags = flags;
    code = sorter_check(sorter, clsort_resolve(sorter, &d, &r));
    if (code != DONE_OK) return code;
    printf("  %-22s %s: work-group %u, items %u, step %u, local %u\n", what, resolved_name(sorter, &d, &r), (unsigned)r.tuning.work_group,
           (unsigned)r.tuning.items, (unsigned)r.tuning.bitonic_step, (unsigned)r.tuning.local);
    return DONE_OK;
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
           info->type & CL_DEVICE_TYPE_GPU ? "GPU" : info->type & CL_DEVICE_TYPE_CPU ? "CPU" : "accelerator");
    printf("  %s; %u compute units, work-groups up to %zu, local memory %lu KiB, global memory %lu MiB\n", version, (unsigned)units, group,
           (unsigned long)(local_bytes >> 10), (unsigned long)(global_bytes >> 20));
}

static int info_device(const device_info *info)
{
    device_session session;
    clsort_sorter *sorter = NULL;
    int code;
    info_limits(info);
    if (!device_open(info, &session)) return fail(DONE_OPENCL, "%s: cannot be opened", info->name);
    code = cl_check(clsort_create(session.context, info->id, NULL, &sorter), "clsort_create");
    if (code == DONE_OK) code = info_use(sorter, "u32", CLSORT_U32, 0, 0);
    if (code == DONE_OK) code = info_use(sorter, "u32, 4-byte values", CLSORT_U32, 4, 0);
    if (code == DONE_OK) code = info_use(sorter, "u32, argsort", CLSORT_U32, 0, CLSORT_FLAG_INDICES);
    if (code == DONE_OK) code = info_use(sorter, "f64", CLSORT_F64, 0, 0);
    clsort_destroy(sorter);
    device_close(&session);
    return code;
}

static int command_info(const arguments *a)
{
    device_info list[DEVICE_MAX];
    const char *want = argument(a, OPTION_DEVICE, getenv("CLSORT_DEVICE")), *name;
    size_t count = device_list(want, list, DEVICE_MAX), i;
    cl_uint k;
    int code = DONE_OK;
    if (!count) return fail(DONE_OPENCL, "no OpenCL device%s%s", want ? " has a name with " : "", want ? want : "");
    for (i = 0; i < count; i++) {
        int this_code = info_device(&list[i]);
        if (this_code != DONE_OK) code = this_code;
    }
    puts("algorithms:");
    for (k = 0; (name = clsort_algorithm_name(k)) != NULL; k++) printf("  %s\n", name);
    return code;
}

/* ---- gen --------------------------------------------------------------------------------------------------------- */

static int list_patterns(void)
{
    size_t i;
    for (i = 0; pattern_name(i); i++) printf("%s%s\n", pattern_name(i), pattern_applies(i, CLSORT_U32) ? "" : " (floats only)");
    return DONE_OK;
}

static int command_gen(const arguments *a)
{
    unsigned long long n, seed;
    key_array keys;
    size_t pattern;
    int code;
    if (a->given[OPTION_LIST]) return list_patterns();
    pattern = pattern_find(a->operand[0]);
    if (!pattern_name(pattern)) return fail(DONE_USAGE, "gen: unknown pattern '%s'; `clsort gen --list` lists them", a->operand[0]);
    code = type_option(a, &keys.type);
    if (code != DONE_OK) return code;
    if (!pattern_applies(pattern, keys.type->code)) return fail(DONE_USAGE, "gen: pattern '%s' is for floats, not for %s", a->operand[0], keys.type->name);
    if (!count_parse(argument(a, OPTION_COUNT, ""), &n) || n > SIZE_MAX / 8 - 1) return fail(DONE_USAGE, "gen: -n needs a count such as 1000 or 2^20");
    if (!count_parse(argument(a, OPTION_SEED, "1"), &seed)) return fail(DONE_USAGE, "gen: --seed needs a whole number");
    keys.count = (size_t)n;
    keys.data = (unsigned char *)malloc(keys.count * keys.type->size + 1);
    if (!keys.data) return fail(DONE_IO, "gen: %s", strerror(ENOMEM));
    pattern_fill(pattern, keys.type->code, keys.count, seed, 0, keys.data);
    code = keys_write(argument(a, OPTION_OUTPUT, NULL), a->given[OPTION_TEXT], &keys);
    free(keys.data);
    return code;
}

/* ---- sort and argsort -------------------------------------------------------------------------------------------- */

/* Sorts keys in place, or fills `indices` if that is not NULL, on the device that --device names. Returns an exit code. */
static int sort_on_device(const arguments *a, const clsort_desc *d, void *keys, cl_uint *indices)
{
    const char *want = argument(a, OPTION_DEVICE, NULL);
    device_info info;
    device_session session;
    clsort_sorter *sorter = NULL;
    int code;
    if (!device_choose(want, &info)) return fail(DONE_OPENCL, "no OpenCL device%s%s", want ? " has a name with " : "", want ? want : "");
    if (!device_open(&info, &session)) return fail(DONE_OPENCL, "%s: cannot be opened", info.name);
    code = cl_check(clsort_create(session.context, info.id, NULL, &sorter), "clsort_create");
    if (code == DONE_OK) code = sorter_check(sorter, clsort_sort_host(sorter, d, keys, NULL, indices));
    clsort_destroy(sorter);
    device_close(&session);
    return code;
}

static int command_sort(const arguments *a)
{
    clsort_desc d;
    key_array keys;
    int code = sort_options(a, &d, &keys.type);
    if (code == DONE_OK) code = keys_read(a->operand[0], a->given[OPTION_TEXT], &keys);
    if (code != DONE_OK) return code;
    d.count = keys.count;
    code = sort_on_device(a, &d, keys.data, NULL);
    if (code == DONE_OK) code = keys_write(argument(a, OPTION_OUTPUT, NULL), a->given[OPTION_TEXT], &keys);
    free(keys.data);
    return code;
}

static int command_argsort(const arguments *a)
{
    clsort_desc d;
    key_array keys, indices;
    cl_uint *order;
    int code = sort_options(a, &d, &keys.type);
    if (code == DONE_OK) code = keys_read(a->operand[0], a->given[OPTION_TEXT], &keys);
    if (code != DONE_OK) return code;
    d.count = keys.count;
    order = (cl_uint *)malloc(keys.count * sizeof *order + 1);
    code = order ? sort_on_device(a, &d, keys.data, order) : fail(DONE_IO, "argsort: %s", strerror(ENOMEM));
    indices.type = key_type_find("u32");
    indices.data = (unsigned char *)order;
    indices.count = keys.count;
    if (code == DONE_OK) code = keys_write(argument(a, OPTION_OUTPUT, NULL), a->given[OPTION_TEXT], &indices);
    free(order);
    free(keys.data);
    return code;
}

/* ---- verify ------------------------------------------------------------------------------------------------------ */

static int command_verify(const arguments *a)
{
    clsort_desc d;
    key_array input, output;
    int code = sort_options(a, &d, &input.type);
    if (code != DONE_OK) return code;
    output.type = a->given[OPTION_INDICES] ? key_type_find("u32") : input.type;
    code = keys_read(a->operand[0], a->given[OPTION_TEXT], &input);
    if (code != DONE_OK) return code;
    code = keys_read(a->operand[1], a->given[OPTION_TEXT], &output);
    if (code == DONE_OK) {
        code = a->given[OPTION_INDICES] ? verify_indices(&input, &output, &d) : verify_keys(&input, &output, &d);
        free(output.data);
    }
    free(input.data);
    return code;
}

/* ---- program ----------------------------------------------------------------------------------------------------- */

static const command commands[] = {
    { "info", "", "Lists devices, what clsort uses on each, and the algorithms", "", FOR_INFO, 0, 0, command_info },
    { "gen", " PATTERN", "Writes keys of a pattern", "The same pattern, type, count and seed give the same keys.\n",
      FOR_GEN, 1, 1, command_gen },
    { "sort", " [IN]", "Sorts a file of keys",
      "IN is a file, by default standard input. A raw file holds keys one after the other, little-endian.\n",
      FOR_SORT, 0, 1, command_sort },
    { "argsort", " [IN]", "Writes the permutation that sorts a file of keys",
      "It is one u32 per key: key number indices[i] of IN, counted from 0, belongs at position i.\n",
      FOR_ARGSORT, 0, 1, command_argsort },
    { "verify", " INPUT OUTPUT", "Checks that OUTPUT is INPUT, sorted",
      "It compares every key bit by bit, on the host and without OpenCL, and prints the first wrong position, counted\n"
      "from 0. With --zero equal the zeros must keep their order; with --indices --stable equal keys must.\n",
      FOR_VERIFY, 2, 2, command_verify },
    { "bench", "", "Times sorts and checks every result",
      "Keys are in the device's memory; copies and warm-up are not timed. Prints the median time on the host from enqueue\n"
      "to clFinish, the median by event profiling (0: not available), keys per second by host time, and the bandwidth of device copies.\n"
      "Algorithms whose names end in \"only\" sort blocks: only the set of their keys is checked.\n",
      FOR_BENCH, 0, 0, command_bench }
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void program_help(void)
{
    int i;
    puts("Usage: clsort COMMAND [OPTION]...\n\nCommands:");
    for (i = 0; i < COMMAND_COUNT; i++) printf("  %-8s %s\n", commands[i].name, commands[i].summary);
    printf("\n`clsort COMMAND --help` lists the options of a command; `clsort --version` prints the version.\n\n%s", exit_codes_help);
}

static int command_run(const command *c, int count, char **words)
{
    static arguments a;
    if (!arguments_parse(c, count, words, &a)) {
        fprintf(stderr, "`clsort %s --help` lists the options\n", c->name);
        return DONE_USAGE;
    }
    if (!a.given[OPTION_HELP]) return c->run(&a);
    command_help(c);
    return DONE_OK;
}

static int program_run(int count, char **words)
{
    const char *name = count > 1 ? words[1] : "";
    int i;
    if (!strcmp(name, "--version")) {
        printf("clsort %d.%d.%d\n", CLSORT_VERSION_MAJOR, CLSORT_VERSION_MINOR, CLSORT_VERSION_PATCH);
        return DONE_OK;
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        program_help();
        return DONE_OK;
    }
    for (i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(name, commands[i].name)) return command_run(&commands[i], count - 2, words + 2);
    return fail(DONE_USAGE, *name ? "unknown command '%s'; `clsort --help` lists them" : "no command%s; `clsort --help` lists them", name);
}

int main(int count, char **words)
{
    int code = program_run(count, words);
    if (code == DONE_OK && (fflush(stdout) || ferror(stdout))) return fail(DONE_IO, "standard output: %s", strerror(errno));
    return code;
}
