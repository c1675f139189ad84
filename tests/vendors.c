/* vendors.c - the programs that a GPU of another vendor would build, for tools/dev/check-vendors,
   which gives them to the vendors' compilers.

     make build/vendors
     build/vendors [SUB_GROUP [ANSWERS [FOLDER]]]

   Devices of mock.h have work-groups, local memory and compute units as such GPUs have them. Prints
   the programs that sorters for them end with, given the descriptions below, a line each: a name,
   the most bytes of local memory that a launch asks for, the build options, the file of its text;
   a tab between them.
   Equal options are printed once.

   SUB_GROUP: the fewest work-items that sub-groups have, for drivers that tell that; 0: for others.
   ANSWERS: a file of what a compiler said before, a line for each
   kernel: the bytes that it spills, its name, the options of its program. The driver of the mock
   repeats that, so that the planner may choose otherwise; what was not said does not spill.
   FOLDER: receives the programs' texts; default: they are not written. */

#include "mock.h"

#define CLSORT_IMPLEMENTATION
#include "harness.h"
#include "later.h"

enum { ALGORITHM = 32, OPTIONS = 1024, MOST_PROGRAMS = 1000, MOST_ANSWERS = 20000 };

/* What is sorted; with top_k, selected from. */
typedef struct sorting {
    char algorithm[ALGORITHM];
    cl_uint type;
    size_t value_size, count, rows, segments, top_k;
    cl_uint flags;
} sorting;

static const sorting sortings[] = {
    { "auto", CLSORT_U8, 0, 1 << 24, 0, 0, 0, 0 },
    { "auto", CLSORT_U16, 0, 1 << 24, 0, 0, 0, 0 },
    { "auto", CLSORT_U32, 0, 1 << 10, 0, 0, 0, 0 },
    { "auto", CLSORT_U32, 0, 1 << 14, 0, 0, 0, 0 },
    { "auto", CLSORT_U32, 0, 1 << 18, 0, 0, 0, 0 },
    { "auto", CLSORT_U32, 0, 1 << 24, 0, 0, 0, 0 },
    { "auto", CLSORT_U32, 0, 3 << 27, 0, 0, 0, 0 },
    { "auto", CLSORT_U64, 0, 1 << 10, 0, 0, 0, 0 },
    { "auto", CLSORT_U64, 0, 1 << 14, 0, 0, 0, 0 },
    { "auto", CLSORT_U64, 0, 1 << 18, 0, 0, 0, 0 },
    { "auto", CLSORT_U64, 0, 1 << 24, 0, 0, 0, 0 },
    { "auto", CLSORT_U32, 4, 1 << 10, 0, 0, 0, 0 },
    { "auto", CLSORT_U32, 4, 1 << 24, 0, 0, 0, 0 },
    { "auto", CLSORT_U32, 0, 1 << 10, 0, 0, 0, LATER_INDICES },
    { "auto", CLSORT_U32, 0, 1 << 24, 0, 0, 0, LATER_INDICES },
    { "auto", CLSORT_U32, 8, 1 << 24, 0, 0, 0, 0 },
    { "auto", CLSORT_U64, 4, 1 << 24, 0, 0, 0, 0 },
    { "auto", CLSORT_U64, 8, 1 << 24, 0, 0, 0, 0 },
    { "auto", CLSORT_U32, 0, 1000, 4000, 0, 0, 0 },
    { "auto", CLSORT_U32, 0, 1 << 16, 64, 0, 0, 0 },
    { "auto", CLSORT_U64, 0, 1000, 4000, 0, 0, 0 },
    { "auto", CLSORT_U64, 0, 2000, 4000, 0, 0, 0 },
    { "auto", CLSORT_U32, 4, 100, 40000, 0, 0, 0 },
    { "auto", CLSORT_U32, 4, 400, 4000, 0, 0, 0 },
    { "auto", CLSORT_U32, 4, 1000, 4000, 0, 0, 0 },
    { "auto", CLSORT_U64, 4, 1000, 4000, 0, 0, 0 },
    { "auto", CLSORT_U64, 4, 1000, 4, 0, 0, 0 },
    { "auto", CLSORT_U64, 4, 3000, 4000, 0, 0, 0 },
    { "auto", CLSORT_U64, 8, 1000, 4000, 0, 0, 0 },
    { "auto", CLSORT_U32, 4, 1 << 22, 0, 1000, 0, 0 },
    { "auto", CLSORT_F32, 0, 1000, 4000, 0, 40, LATER_INDICES | LATER_KEYS_OUT },
    { "auto", CLSORT_F32, 0, 4096, 4000, 0, 40, LATER_INDICES | LATER_KEYS_OUT },
    { "auto", CLSORT_U64, 0, 4096, 4, 0, 40, LATER_KEYS_OUT },
    { "auto", CLSORT_F32, 0, 1000, 4000, 0, 700, LATER_INDICES | LATER_KEYS_OUT },
    { "auto", CLSORT_F32, 0, 1 << 17, 64, 0, 40, LATER_INDICES | LATER_KEYS_OUT },
    { "auto", CLSORT_F32, 0, 1 << 17, 2000, 0, 40, LATER_INDICES | LATER_KEYS_OUT },
    { "auto", CLSORT_U32, 0, 1 << 24, 0, 0, 40, LATER_INDICES | LATER_KEYS_OUT },
    { "auto", CLSORT_U64, 0, 1 << 24, 0, 0, 40, LATER_KEYS_OUT },
    { "radix-samples", CLSORT_U32, 0, 1 << 10, 0, 0, 0, 0 },
    { "radix-samples", CLSORT_U32, 0, 1 << 14, 0, 0, 0, 0 },
    { "radix-samples", CLSORT_U32, 0, 1 << 18, 0, 0, 0, 0 },
    { "radix-samples", CLSORT_U64, 0, 1 << 10, 0, 0, 0, 0 },
    { "radix-samples", CLSORT_U64, 0, 1 << 14, 0, 0, 0, 0 },
    { "radix-samples", CLSORT_U64, 0, 1 << 18, 0, 0, 0, 0 },
    { "radix-samples", CLSORT_U32, 4, 1 << 14, 0, 0, 0, LATER_VALUES_OUT },
    { "radix-samples", CLSORT_U32, 4, 1 << 18, 0, 0, 0, LATER_VALUES_OUT },
    { "radix-samples", CLSORT_U32, 0, 1 << 14, 0, 0, 0, LATER_INDICES },
    { "radix-samples", CLSORT_U32, 0, 1 << 18, 0, 0, 0, LATER_INDICES },
    { "radix-samples", CLSORT_U16, 0, 1 << 14, 0, 0, 0, 0 },
    { "radix-samples", CLSORT_U32, 4, 1 << 14, 0, 0, 0, 0 },
    { "radix-samples", CLSORT_U64, 8, 1 << 14, 0, 0, 0, LATER_VALUES_OUT },
    { "radix-samples", CLSORT_U64, 0, 1 << 14, 0, 0, 0, LATER_INDICES },
    { "radix-hybrid", CLSORT_U32, 0, 1 << 24, 0, 0, 0, 0 },
    { "radix-hybrid", CLSORT_U32, 0, 3 << 27, 0, 0, 0, 0 },
    { "radix-hybrid", CLSORT_U64, 0, 1 << 24, 0, 0, 0, 0 },
    { "radix-hybrid", CLSORT_U32, 4, 1 << 24, 0, 0, 0, 0 },
    { "radix-hybrid", CLSORT_U32, 4, 1 << 26, 0, 0, 0, 0 },
    { "radix-hybrid", CLSORT_U32, 0, 1 << 24, 0, 0, 0, LATER_INDICES },
    { "radix-hybrid", CLSORT_U64, 4, 1 << 24, 0, 0, 0, 0 },
    { "radix-hybrid", CLSORT_U64, 8, 1 << 24, 0, 0, 0, 0 },
    { "radix-hybrid", CLSORT_U32, 8, 1 << 24, 0, 0, 0, 0 },
    { "radix-portable", CLSORT_U8, 0, 1 << 24, 0, 0, 0, 0 },
    { "radix-portable", CLSORT_U16, 0, 1 << 24, 0, 0, 0, 0 },
    { "radix-portable", CLSORT_U32, 8, 1 << 24, 0, 0, 0, 0 },
    { "radix-portable", CLSORT_U64, 4, 1 << 24, 0, 0, 0, 0 },
    { "radix-portable", CLSORT_U64, 8, 1 << 24, 0, 0, 0, 0 },
    { "merge", CLSORT_U32, 0, 1 << 24, 0, 0, 0, 0 },
    { "merge", CLSORT_U64, 0, 1 << 24, 0, 0, 0, 0 },
    { "merge", CLSORT_U32, 4, 1 << 24, 0, 0, 0, 0 }
};

static struct { char *line[MOST_PROGRAMS]; size_t count; } programs;
static const char *folder;      /* of programs' texts; NULL: none */
static struct {
    struct { cl_ulong bytes; char *kernel, *options; } entry[MOST_ANSWERS];
    size_t count;
} answers;

/* Reads what a compiler said; 0 if that is not possible. */
static int read_answers(const char *path)
{
    char line[OPTIONS + 200];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && answers.count < MOST_ANSWERS) {
        const char *const bytes = strtok(line, " "), *const kernel = strtok(NULL, " "),
                   *const options = strtok(NULL, "\n");
        if (!bytes || !kernel || !options) return 0;
        answers.entry[answers.count].bytes = strtoull(bytes, NULL, 10);
        answers.entry[answers.count].kernel = strdup(kernel);
        answers.entry[answers.count++].options = strdup(options);
    }
    return file && !fclose(file);
}

static cl_ulong spilled(void *user, const char *options, const char *kernel)
{
    size_t i;
    (void)user;
    for (i = 0; i < answers.count; i++)
        if (!strcmp(answers.entry[i].kernel, kernel) && !strcmp(answers.entry[i].options, options))
            return answers.entry[i].bytes;
    return 0;
}

/* A name for people: kernels, bytes of a key and of what travels with it, work-items x elements of
   each. */
static void print_name(const clsort__config *c)
{
    printf("%s %u", clsort__family_name(c->family), (unsigned)c->key_bytes);
    if (c->value_bytes) printf("+%u", (unsigned)c->value_bytes);
    printf(" %ux%u", 1u << c->group_log2,
           c->radix_items ? (unsigned)c->radix_items : 1u << c->items_log2);
    if (c->subset) printf(" %s", c->subset == CLSORT__SUBSET_TILES ? "short" : "long");
    if (c->ties) printf(" ties");
    if (c->wide) printf(" wide");
    if (c->ranges) printf(" ranges");
}

/* Writes the text of program `number` to a file, and prints the file's name. */
static void write_text(const clsort__recipe *r, size_t number)
{
    char path[1024];
    FILE *file;
    size_t i;
    snprintf(path, sizeof path, "%s/%zu.cl", folder, number);
    printf("\t%s", path);
    if ((file = fopen(path, "w")) == NULL) exit(2);
    for (i = 0; i < r->list.count; i++) fputs(r->list.text[i], file);
    if (fclose(file)) exit(2);
}

/* Prints the sorter's programs whose options were not printed yet. */
static void print_programs(const clsort_sorter *s)
{
    size_t i, k;
    for (i = 0; i < s->program_count; i++) {
        const clsort__config *const c = &s->programs[i].config;
        clsort__recipe r;
        clsort__make_recipe(s, c, &r);
        for (k = 0; k < programs.count && strcmp(programs.line[k], r.options);) k++;
        if (k < programs.count || k == MOST_PROGRAMS) continue;
        programs.line[programs.count++] = strdup(r.options);
        print_name(c);
        printf("\t%zu\t%s", clsort__local_need(c), r.options);
        if (folder) write_text(&r, programs.count);
        puts("");
    }
}

/* Prepares one sort on a device; 0 if that fails. */
static int prepare(clsort_sorter *s, const sorting *a)
{
    clsort_desc d = clsort_desc_default();
    if (clsort_set_algorithm(&d, a->algorithm) != CL_SUCCESS) return 0;
    d.key_type = a->type;
    d.value_size = a->value_size;
    d.count = a->count;
    d.rows = a->rows;
    d.segment_count = a->segments;
    d.top_k = a->top_k;
    later(&d, a->flags);
    if (clsort_prepare(s, NULL, &d) == CL_SUCCESS) return 1;
    fprintf(stderr, "vendors: %s, %zu elements: %s\n", a->algorithm, a->count,
            clsort_last_error(s));
    return 0;
}

/* Prepares all sorts on a device, each by a sorter of its own: a plan must not find what another
   one built. Returns how many fail. */
static int prepare_all(const mock_facts *facts)
{
    cl_device_id device = (cl_device_id)(void *)&mock_devices[0];
    size_t i;
    int failed = 0;
    mock_reset(*facts);
    mock.on_spills = spilled;
    for (i = 0; i < sizeof sortings / sizeof *sortings; i++) {
        cl_context context = mock_clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
        clsort_sorter *s = NULL;
        if (clsort_create(context, device, NULL, &s) != CL_SUCCESS || !prepare(s, &sortings[i]))
            failed++;
        else print_programs(s);
        clsort_destroy(s);
        mock_clReleaseContext(context);
    }
    return failed;
}

int main(int count, char **words)
{
    static const cl_uint units[] = { 8, 96, 304 };
    size_t group, u;
    cl_ulong local;
    int failed = 0;
    if (count > 4 || (count > 2 && !read_answers(words[2]))) {
        fprintf(stderr, "vendors: see the first lines of tests/vendors.c\n");
        return 2;
    }
    folder = count > 3 ? words[3] : NULL;
    for (group = 256; group <= 1024; group *= 4)
        for (local = 32 << 10; local <= 64 << 10; local *= 2)
            for (u = 0; u < sizeof units / sizeof *units; u++) {
                mock_facts f = mock_gpu();
                f.max_group = f.item_sizes[0] = group;
                f.local_bytes = local;
                f.compute_units = units[u];
                f.sub_group = count > 1 ? strtoul(words[1], NULL, 10) : 0;
                failed += prepare_all(&f);
            }
    return failed != 0;
}
