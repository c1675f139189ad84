/* Programs as a driver builds them: their kernels are those that the driver for tests reads out
   of the same text. Where kernels allow smaller work-groups than were asked for, where they spill
   registers and where sub-groups are narrow, all still sort. */

#include "counted.h"

#define CLSORT_IMPLEMENTATION
#include "cases.h"

#include "mock_source.h"

/* ---- kernels --------------------------------------------------------------------------------- */

static char *program_text(cl_program program, cl_device_id device, int options)
{
    size_t bytes = 0;
    char *text;
    if (options) clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, 0, NULL, &bytes);
    else clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &bytes);
    text = (char *)calloc(1, bytes + 1);
    if (options)
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, bytes, text, NULL);
    else clGetProgramInfo(program, CL_PROGRAM_SOURCE, bytes, text, NULL);
    return text;
}

/* Each kernel of the text is in the program, takes as many arguments, and is for the group that the
 * options name. */
static void compare_kernels(bench *b, const clsort__program *p)
{
    char *text = program_text(p->program, b->session.info.id, 0),
         *options = program_text(p->program, b->session.info.id, 1);
    const char *const texts[1] = { text };
    const mock_kernels *kernels = mock_read_kernels(mock_read_source(1, texts), options);
    const mock_signature *s;
    size_t there = 0, read = 0;
    for (s = kernels->first; s; s = s->next) {
        cl_int error = 0;
        cl_kernel kernel = clCreateKernel(p->program, s->name, &error);
        cl_uint count = 0;
        size_t group[3] = { 0, 0, 0 };
        AT("%s with %s", s->name, options);
        if (!CHECK(error == CL_SUCCESS)) continue;
        clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
        clGetKernelWorkGroupInfo(kernel, b->session.info.id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                 sizeof group, group, NULL);
        CHECK(count == (cl_uint)s->count);
        CHECK(group[0] == (size_t)1 << p->config.group_log2);
        clReleaseKernel(kernel);
        read++;
    }
    CHECK(clGetProgramInfo(p->program, CL_PROGRAM_NUM_KERNELS, sizeof there, &there, NULL)
          == CL_SUCCESS);
    CHECK(there == read && !*kernels->error);
    free(text);
    free(options);
}

static void read_kernels(bench *b)
{
    static const clsort_field field = { 0, CLSORT_U64, 0, 0, 0 };
    clsort_sorter *s = fresh_sorter(b, CLSORT_OPTION_VERIFY);
    size_t i;
    for (i = 0; i < 8; i++) {
        clsort_desc d = clsort_desc_default();
        d.count = 1000;
        d.key_type = i % 2 ? CLSORT_U16 : CLSORT_F32;
        d.value_size = i % 3 == 1 ? 4 : 0;
        d.algorithm = (cl_uint)(i < 4 ? i : 0);
        if (i == 4) d.tuning.work_group = 16, d.algorithm = CLSORT_RADIX;
        if (i == 5) d.rows = 3;
        if (i == 6) d.top_k = 5, d.value_size = 0;
        if (i == 7) {
            d.fields = &field;
            d.field_count = 1;
            d.record_size = 16;
            d.key_type = 0;
            d.value_size = 0;
        }
        AT("description %zu", i);
        CHECK_OK(clsort_prepare(s, NULL, &d));
    }
    for (i = 0; i < s->program_count; i++) compare_kernels(b, &s->programs[i]);
    CHECK(s->program_count >= 6);
    clsort_destroy(s);
}

/* ---- limits of kernels ----------------------------------------------------------------------- */

static const uint32_t offsets[] = { 2, 2, 90, 700, 701, 3000 };

/* Sorts that ask for work-groups of 16; of segments, these would be too small for their tables. */
static void sort_lowered(bench *b, cl_uint items)
{
    static const char *const algorithms[] = { "bitonic", "merge", "radix" };
    sort_case c = case_make(CLSORT_U32, 3000, "mod-16");
    size_t i;
    c.d.tuning.work_group = 16;
    c.d.tuning.items = items;
    c.d.value_size = 4;
    for (i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        c.algorithm = algorithms[i];
        c.block = 0;
        case_run(b, &c);
    }
    c.algorithm = NULL;
    c.d.rows = 3;
    c.d.count = 300;
    case_run(b, &c);
    c.d.rows = 0;
    c.d.count = 3000;
    c.offsets = offsets;
    c.d.segment_count = 5;
    case_run(b, &c);
}

static void lower_groups(bench *b)
{
    bench own = *b;
    counted.kernel_group = 4;
    own.sorter = fresh_sorter(b, 0);
    sort_lowered(&own, 4);
    counted.kernel_group = 0;
    clsort_destroy(own.sorter);
}

/* A sorter that takes the device for a GPU, and not for one of NVIDIA's. */
static clsort_sorter *sorter_of_gpu(const bench *b)
{
    clsort_sorter *s = fresh_sorter(b, 0);
    s->facts.is_cpu = s->facts.has_vectors = s->facts.has_wide_vectors = 0;
    s->facts.has_warps = s->facts.has_progress = 0;
    s->policy = clsort__policy_of(&s->facts);
    return s;
}

/* Kernels of GPUs with fewer elements for each work-item. */
static void lower_items(bench *b)
{
    bench own = *b;
    sort_case c = case_make(CLSORT_U32, 20011, "uniform");
    size_t i, lowered = 0;
    own.sorter = sorter_of_gpu(b);
    counted.spills = 64;
    sort_lowered(&own, 16);
    c.algorithm = "radix-hybrid";
    c.d.tuning.work_group = 64;
    case_run(&own, &c);
    counted.spills = 0;
    for (i = 0; i < own.sorter->program_count; i++) {
        const clsort__program *const p = &own.sorter->programs[i];
        lowered += p->config.items_log2 < p->asked.items_log2
                   || p->config.radix_items < p->asked.radix_items;
        if (p->config.family == CLSORT__SEGMENTS)   /* the tile of a row stays one */
            CHECK(p->config.group_log2 + p->config.items_log2
                  == p->asked.group_log2 + p->asked.items_log2);
    }
    CHECK(lowered >= 4);
    clsort_destroy(own.sorter);
}

/* As where the narrowest sub-groups have 16 work-items. NVIDIA's driver says 256 of work-groups of
   512. */
static void ask_for_narrow(bench *b)
{
    bench own = *b;
    sort_case c = case_make(CLSORT_U32, 20011, "uniform");
    if (!test_is_cpu(b)) {
        test_skips("a GPU says itself whether it has narrow sub-groups");
        return;
    }
    own.sorter = sorter_of_gpu(b);
    own.sorter->facts.has_narrow = 1;
    c.algorithm = "radix-samples";
    case_run(&own, &c);
    CHECK(own.sorter->program_count > 0 && own.sorter->programs[0].config.group_log2 == 9);
    clsort_destroy(own.sorter);
}

static const test_entry tests[] = {
    { "a program has the kernels that are read out of its text", read_kernels },
    TEST_REST,
    { "kernels ask for narrow sub-groups, and sort", ask_for_narrow },
    { "where kernels spill registers all sort with fewer elements each", lower_items },
    { "where kernels allow smaller work-groups all still sort", lower_groups }
};

TEST_MAIN(tests)
