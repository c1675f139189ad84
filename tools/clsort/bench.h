/* bench.h - `clsort bench`: times sorts on devices, each run checked.

   The host time of a run goes from the call of clsort_enqueue_sort to the end of clFinish, on a
   queue without profiling. The event time is that of a second run on a queue with profiling: from a
   marker before the sort to its event. With --merge a run merges the two halves of the input,
   sorted beforehand. Records are filled with keys of a type and pattern. With --rows each row of
   the input is sorted on its own. With --stages more runs follow, in which every command is timed
   by its event. */

#ifndef CLSORT_TOOLS_BENCH_H
#define CLSORT_TOOLS_BENCH_H

#include <time.h>
#include <unistd.h>

#include "device.h"
#include "json.h"
#include "order.h"
#include "patterns.h"
#include "published.h"
#include "stages.h"
#include "verify.h"

/* There is no device, or none of a name that the option or the environment asks for. */
static int fail_no_device(const char *want)
{
    device_info list[DEVICE_MAX];
    const size_t count = device_list(NULL, list, DEVICE_MAX);
    char names[2000] = "";
    size_t i, used = 0;
    if (!want) want = getenv("CLSORT_DEVICE");
    if (!count)
        return fail(DONE_OPENCL,
                    "no OpenCL device: install a driver, as your GPU's vendor has one, or PoCL for "
                    "CPUs (on Debian pocl-opencl-icd); if one is installed, it may need a writable "
                    "$HOME (PoCL: $POCL_CACHE_DIR), or the right to use the device");
    for (i = 0; i < count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s: %s", i ? "; " : "",
                                 list[i].platform_name, list[i].name);
    if (want && !strcmp(want, "gpu"))
        return fail(DONE_OPENCL, "no OpenCL device is a GPU; there are: %s", names);
    return fail(DONE_OPENCL, "no OpenCL device or platform has '%s' in its name; there are: %s",
                want ? want : "", names);
}

enum { RUN_MAX = 1000, NAME_MAX_COUNT = 64, COPY_RUNS = 9, WARM_UP_MS = 50,
       LEFT_OUT_NAMES = 4 };

/* The most elements, all rows together, where no -n says how many: on GPUs; on CPUs; and there of
   several algorithms or of an experiment, the slowest of which take minutes for more. */
enum { BENCH_MOST = 1 << 22, BENCH_MOST_CPU = 1 << 20, BENCH_MOST_CPU_LIST = 1 << 18 };

enum { BENCH_TABLE, BENCH_CSV, BENCH_JSON };   /* how it prints results */

typedef struct name_list {
    char text[1024];
    const char *name[NAME_MAX_COUNT];
    int count;
} name_list;

/* What the command line asks for. */
typedef struct bench_plan {
    name_list types, sizes, algorithms, work_groups;   /* work-group 0: clsort's choice */
    const char *against;                  /* NULL: none */
    const published_table *published;     /* NULL: none */
    const char *pattern;
    unsigned long long seed;
    size_t rows;                          /* 0: the input is one array */
    int pairs, runs, how, merge, stages, shows_groups, usual_sizes;
    int skips;                            /* what cannot run is said so, and the rest goes on */
    double until;                         /* when no more rows begin, by now_ms; 0: never */
    sort_order order;                     /* of records; of keys only the bits that count */
} bench_plan;

/* A device under test, and the data of one type and size. */
typedef struct bench_job {
    const bench_plan *plan;
    device_session session;
    cl_command_queue queue;    /* without profiling */
    clsort_sorter *sorter;
    double copy_rate;          /* GB/s */
    const key_type *type;      /* of the keys, or of those that fill the records */
    key_array input, result;
    uint64_t *expected;        /* codes of keys */
    uint32_t *order;           /* of records by fields */
    uint32_t *values;          /* read back */
    cl_mem source, source_values, keys, values_buffer;
    stage_log stages;
    char left_out[1024];       /* the first names of what cannot run, of one type and size */
    int left_out_count;
} bench_job;

typedef struct bench_side {
    const char *algorithm;
    clsort_desc desc;
    size_t work_group;   /* what the device does of the one asked for */
    size_t block;        /* so many keys are sorted on their own; the count for a whole sort */
    double moved;        /* bytes of elements that a run reads and writes */
    double host[RUN_MAX], event[RUN_MAX];   /* ms */
} bench_side;

/* ---- helpers --------------------------------------------------------------------------------- */

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int double_compare(const void *a, const void *b)
{
    const double *x = (const double *)a, *y = (const double *)b;
    return (*x > *y) - (*x < *y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, double_compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Reports a failed OpenCL call; returns an exit code. */
static int cl_check(cl_int code, const char *what)
{
    return code == CL_SUCCESS ? DONE_OK
                              : fail(DONE_OPENCL, "%s: %s", what, clsort_status_text(code));
}

/* The exit code of a status: was it the description, which is made of options, or the device? */
static int status_exit(clsort_status status)
{
    switch (status) {
    case CL_SUCCESS: return DONE_OK;
    case CLSORT_ERROR_WRONG_RESULT: return DONE_WRONG;
    case CLSORT_ERROR_UNSUPPORTED:
    case CLSORT_ERROR_FIELDS:
    case CLSORT_ERROR_VALUE_SIZE:
    case CLSORT_ERROR_RECORD_LAYOUT:
    case CLSORT_ERROR_MISALIGNED:
    case CLSORT_ERROR_COMPARATOR: return DONE_USAGE;
    default: return DONE_OPENCL;
    }
}

/* Reports a failure of a sorter, with the compiler's output if there is some; returns an exit
   code. */
static int sorter_check(const clsort_sorter *sorter, clsort_status status)
{
    static const char hint[] = ": see clsort_build_log";   /* which is printed here */
    const char *error = clsort_last_error(sorter), *found = strstr(error, hint);
    if (status == CL_SUCCESS) return DONE_OK;
    if (found && status == CLSORT_ERROR_COMPARATOR)
        fail(DONE_OPENCL, "%.*s%s", (int)(found - error), error, found + sizeof hint - 1);
    else fail(DONE_OPENCL, "%s", error);
    print_safely(clsort_build_log(sorter), 1);
    return status_exit(status);
}

/* Splits the values of an option at commas. Returns 0 if there is no name, too many or an empty
   one. */
static int names_split(const arguments *a, option_id id, const char *otherwise, name_list *list)
{
    char *at = list->text;
    size_t used = 0;
    int i;
    list->count = 0;
    for (i = 0; i < a->given[id] || i == 0; i++) {
        const char *value = a->given[id] ? a->value[id][i] : otherwise;
        if (used + strlen(value) + 2 > sizeof list->text) return 0;
        used += (size_t)sprintf(list->text + used, "%s%s", i ? "," : "", value);
    }
    while (list->count < NAME_MAX_COUNT) {
        char *comma = strchr(at, ',');
        list->name[list->count++] = at;
        if (comma) *comma = '\0';
        if (!*at) return 0;
        if (!comma) return 1;
        at = comma + 1;
    }
    return 0;
}

/* A name that ends in "only" is of a part of a sort: its result need not be sorted. */
static int sorts_fully(const char *algorithm)
{
    size_t length = strlen(algorithm);
    return length < 4 || strcmp(algorithm + length - 4, "only") != 0;
}

/* Replaces the name "all" by every algorithm that sorts on any device. */
static void names_expand(name_list *list)
{
    const char *name;
    cl_uint i;
    if (list->count != 1 || strcmp(list->name[0], "all")) return;
    list->count = 0;
    for (i = 0; (name = clsort_algorithm_name(i)) != NULL && list->count < NAME_MAX_COUNT; i++)
        if (sorts_fully(name) && strcmp(name, "quicksort-device")) list->name[list->count++] = name;
}

static void progress(const char *format, ...)
{
    va_list list;
    if (!isatty(STDERR_FILENO)) return;
    fputs("\r\033[K", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fflush(stderr);
}

/* ---- copy bandwidth -------------------------------------------------------------------------- */

/* The size of a copy: large, and small enough for the device. */
static size_t copy_bytes(cl_device_id device)
{
    cl_ulong largest = 0, memory = 0, bytes = (cl_ulong)256 << 20;
    clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL);
    clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    while (bytes > 4096 && (bytes > largest || bytes > memory / 4)) bytes /= 2;
    return (size_t)bytes;
}

/* The median rate of copies between two buffers, bytes read and written, the first copy left out.
   Returns an exit code. */
static int copy_time(bench_job *job, cl_mem from, cl_mem to, size_t bytes)
{
    double times[COPY_RUNS];
    int i;
    for (i = -1; i < COPY_RUNS; i++) {
        double start = now_ms();
        int code = cl_check(clEnqueueCopyBuffer(job->queue, from, to, 0, 0, bytes, 0, NULL, NULL),
                            "clEnqueueCopyBuffer");
        if (code == DONE_OK) code = cl_check(clFinish(job->queue), "clFinish");
        if (code != DONE_OK) return code;
        if (i >= 0) times[i] = now_ms() - start;
    }
    job->copy_rate = 2 * (double)bytes / median(times, COPY_RUNS) * 1e-6;
    return DONE_OK;
}

static int copy_measure(bench_job *job)
{
    const cl_uint filler = 0x5A5A5A5A;
    size_t bytes = copy_bytes(job->session.info.id);
    cl_int error_from = 0, error_to = 0;
    cl_mem from = clCreateBuffer(job->session.context, CL_MEM_READ_WRITE, bytes, NULL, &error_from);
    cl_mem to = clCreateBuffer(job->session.context, CL_MEM_READ_WRITE, bytes, NULL, &error_to);
    int code = cl_check(error_from ? error_from : error_to, "clCreateBuffer");
    progress("copy bandwidth");
    if (code == DONE_OK)
        code = cl_check(clEnqueueFillBuffer(job->queue, from, &filler, sizeof filler, 0, bytes, 0,
                                            NULL, NULL),
                        "clEnqueueFillBuffer");
    if (code == DONE_OK) code = copy_time(job, from, to, bytes);
    if (from) clReleaseMemObject(from);
    if (to) clReleaseMemObject(to);
    return code;
}

/* ---- data ------------------------------------------------------------------------------------ */

static void job_free_data(bench_job *job)
{
    cl_mem *buffers[4];
    int i;
    buffers[0] = &job->source;
    buffers[1] = &job->source_values;
    buffers[2] = &job->keys;
    buffers[3] = &job->values_buffer;
    for (i = 0; i < 4; i++) {
        if (*buffers[i]) clReleaseMemObject(*buffers[i]);
        *buffers[i] = NULL;
    }
    free(job->input.data);
    free(job->result.data);
    free(job->expected);
    free(job->order);
    free(job->values);
    job->input.data = job->result.data = NULL;
    job->expected = NULL;
    job->order = NULL;
    job->values = NULL;
}

static int job_buffer(bench_job *job, cl_mem *buffer, size_t bytes, void *initial)
{
    cl_int error;
    *buffer = clCreateBuffer(job->session.context,
                             CL_MEM_READ_WRITE | (initial ? CL_MEM_COPY_HOST_PTR : 0), bytes,
                             initial, &error);
    return cl_check(error, "clCreateBuffer");
}

/* Sorts the two halves of the input on their own. Returns 0 without memory. */
static int halves_sort(key_array *keys)
{
    const clsort_desc ascending = clsort_desc_default();
    size_t first = keys->count / 2, i, half;
    for (half = 0; half < 2; half++) {
        key_array part = *keys;
        uint64_t *codes;
        part.count = half ? keys->count - first : first;
        part.data += half * first * keys->size;
        codes = expected_codes(&part, &ascending);
        for (i = 0; codes && i < part.count; i++)
            pattern_store(part.data, i, part.size, pattern_bits(part.type->code, codes[i]));
        if (!codes) return 0;
        free(codes);
    }
    return 1;
}

/* The codes of every row, sorted on their own, which is stable; NULL without memory. */
static uint64_t *expected_rows(const key_array *keys, const clsort_desc *order, size_t rows)
{
    uint64_t *all = (uint64_t *)malloc(keys->count * sizeof *all);
    clsort_desc stable = *order;
    key_array row = *keys;
    size_t i;
    stable.stable = 1;
    row.count = keys->count / rows;
    for (i = 0; all && i < rows; i++, row.data += row.count * row.size) {
        uint64_t *codes = expected_codes(&row, &stable);
        if (!codes) {
            free(all);
            return NULL;
        }
        memcpy(all + i * row.count, codes, row.count * sizeof *all);
        free(codes);
    }
    return all;
}

/* What the result must be: codes of keys; of records by fields, where each comes from; by an
   expression only a device knows. */
static int job_expect(bench_job *job)
{
    const clsort_desc *order = &job->plan->order.desc;
    if (order->precedes) return DONE_OK;
    if (order->fields) job->order = order_of(&job->input, order);
    else
        job->expected = job->plan->rows ? expected_rows(&job->input, order, job->plan->rows)
                                        : expected_codes(&job->input, order);
    return job->order || job->expected ? DONE_OK : fail(DONE_IO, "bench: %s", strerror(ENOMEM));
}

/* Makes host arrays: input, expected result, room to read back. Returns an exit code. */
static int job_host_data(bench_job *job, const key_type *type, size_t n)
{
    const size_t record = job->plan->order.desc.record_size, size = record ? record : type->size;
    size_t i;
    job->type = type;
    job->input = job->result = keys_none(record ? NULL : type, record);
    job->input.count = job->result.count = n;
    job->input.data = (unsigned char *)calloc(n, size);
    job->result.data = (unsigned char *)malloc(n * size);
    job->values = (uint32_t *)malloc(n * sizeof *job->values);
    if (!job->input.data || !job->result.data || !job->values)
        return fail(DONE_IO, "bench: %s", strerror(ENOMEM));
    pattern_fill_numbers(pattern_find(job->plan->pattern), type->code, n * size / type->size,
                         job->plan->seed, job->input.data);
    if (job->plan->merge && !halves_sort(&job->input))
        return fail(DONE_IO, "bench: %s", strerror(ENOMEM));
    for (i = 0; i < n; i++) job->values[i] = (uint32_t)i;
    return job_expect(job);
}

/* The data of sorts of `count` keys, or of as many in each row. Returns an exit code. */
static int job_data(bench_job *job, const key_type *type, size_t count)
{
    const size_t n = job->plan->rows ? count * job->plan->rows : count;
    int code = job_host_data(job, type, n);
    const size_t bytes = n * job->input.size;
    if (code == DONE_OK) code = job_buffer(job, &job->source, bytes, job->input.data);
    if (code == DONE_OK) code = job_buffer(job, &job->keys, bytes, NULL);
    if (code == DONE_OK && job->plan->pairs)
        code = job_buffer(job, &job->source_values, n * 4, job->values);
    if (code == DONE_OK && job->plan->pairs)
        code = job_buffer(job, &job->values_buffer, n * 4, NULL);
    return code;
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* The first position where the read-back keys are not the expected ones, n if there is none. Of
   blocks sorted on their own it is the first key out of order in its block; all of them together
   must hold the keys of the input. */
static size_t first_wrong_key(const bench_job *job, size_t block)
{
    const clsort_desc ascending = clsort_desc_default();
    uint64_t *codes = codes_apart(&job->result, &ascending);
    size_t n = job->result.count, i = 0, sorted = 1;
    int ready = codes && n > 0;
    if (ready && !job->plan->rows) ready = ties_sort(&job->result, &job->plan->order.desc, codes);
    if (ready && block < n) {
        while (sorted < n && (sorted % block == 0 || codes[sorted - 1] <= codes[sorted])) sorted++;
        ready = codes_sort(codes, n, 0, 64);
    }
    while (ready && i < n && codes[i] == job->expected[i]) i++;
    free(codes);
    return block < n && sorted < n ? sorted : i;
}

/* The first position whose value is not the original index of its key, in the same block, n if
   there is none. */
static size_t first_wrong_value(const bench_job *job, size_t block)
{
    size_t n = job->input.count, i = 0;
    unsigned char *seen = (unsigned char *)calloc(n, 1);
    for (; seen && i < n; i++) {
        size_t from = job->values[i];
        if (from >= n || seen[from] || from / block != i / block) break;
        seen[from] = 1;
        if (key_bits(job->input.type, job->input.data, from)
            != key_bits(job->result.type, job->result.data, i))
            break;
    }
    free(seen);
    return i;
}

/* The first position where a record is not the expected one, n if there is none. */
static size_t first_wrong_record(const bench_job *job)
{
    size_t size = job->input.size, i = 0;
    while (i < job->input.count
           && !memcmp(job->result.data + i * size, job->input.data + job->order[i] * size, size))
        i++;
    return i;
}

/* Has the device check records in the order of an expression. *wrong: the first one out of order,
   or 0, n if there is none. */
static int prove_records(bench_job *job, const bench_side *side, cl_command_queue queue,
                         size_t *wrong)
{
    clsort_desc d = side->desc;
    clsort_proof proof;
    cl_mem place = NULL;
    int code = job_buffer(job, &place, sizeof proof, NULL);
    d.keys = job->source;
    d.keys_out = job->keys;
    if (code == DONE_OK)
        code = sorter_check(
            job->sorter,
            clsort_enqueue_fingerprint(job->sorter, queue, &d, place, 0, 0, NULL, NULL));
    if (code == DONE_OK)
        code = sorter_check(
            job->sorter, clsort_enqueue_verify(job->sorter, queue, &d, place, 0, 0, NULL, NULL));
    if (code == DONE_OK)
        code = cl_check(clEnqueueReadBuffer(queue, place, CL_TRUE, 0, sizeof proof, &proof, 0, NULL,
                                            NULL),
                        "clEnqueueReadBuffer");
    if (place) clReleaseMemObject(place);
    if (code != DONE_OK) return code;
    *wrong = clsort_judge(&proof) == CL_SUCCESS ? d.count
             : proof.unsorted < d.count         ? proof.unsorted
                                                : 0;
    return DONE_OK;
}

static int job_verify(bench_job *job, const bench_side *side, cl_command_queue queue)
{
    size_t n = job->input.count, bytes = n * job->input.size, wrong = n;
    int code = cl_check(clEnqueueReadBuffer(queue, job->keys, CL_TRUE, 0, bytes, job->result.data,
                                            0, NULL, NULL),
                        "clEnqueueReadBuffer");
    if (code == DONE_OK && job->plan->pairs)
        code = cl_check(clEnqueueReadBuffer(queue, job->values_buffer, CL_TRUE, 0, n * 4,
                                            job->values, 0, NULL, NULL),
                        "clEnqueueReadBuffer");
    if (code != DONE_OK) return code;
    if (side->desc.precedes) code = prove_records(job, side, queue, &wrong);
    else
        wrong = job->order ? first_wrong_record(job)
                           : first_wrong_key(job, job->plan->rows ? n : side->block);
    if (code != DONE_OK) return code;
    if (wrong == n && job->plan->pairs) wrong = first_wrong_value(job, side->block);
    if (wrong == n) return DONE_OK;
    progress("%s", "");
    return fail(DONE_WRONG, "%s: %s, %s, n = %zu: wrong result at position %zu",
                job->session.info.name, side->algorithm, job->type->name, n, wrong);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Copies the input back into the buffers that a run sorts. */
static int job_restore(bench_job *job, cl_command_queue queue)
{
    size_t n = job->input.count, bytes = n * job->input.size;
    int code = cl_check(clEnqueueCopyBuffer(queue, job->source, job->keys, 0, 0, bytes, 0, NULL,
                                            NULL),
                        "clEnqueueCopyBuffer");
    if (code == DONE_OK && job->plan->pairs)
        code = cl_check(clEnqueueCopyBuffer(queue, job->source_values, job->values_buffer, 0, 0,
                                            n * 4, 0, NULL, NULL),
                        "clEnqueueCopyBuffer");
    return code == DONE_OK ? cl_check(clFinish(queue), "clFinish") : code;
}

/* Enqueues what is measured: the sort in place, or the merge of the halves of the input. */
static clsort_status side_enqueue(bench_job *job, const bench_side *side, cl_command_queue queue,
                                  cl_event *done)
{
    clsort_merge_desc m = clsort_merge_desc_default();
    if (!job->plan->merge)
        return clsort_enqueue_sort(job->sorter, queue, &side->desc, 0, NULL, done);
    m.count_a = side->desc.count / 2;
    m.count_b = side->desc.count - m.count_a;
    m.key_type = side->desc.key_type;
    m.keys_a = m.keys_b = job->source;
    m.keys_b_offset = m.count_a * job->input.size;
    m.keys_out = side->desc.keys;
    m.value_size = side->desc.value_size;
    m.values_a = m.values_b = job->source_values;
    m.values_b_offset = m.count_a * m.value_size;
    m.values_out = side->desc.values;
    m.tuning.work_group = side->desc.tuning.work_group;
    return clsort_enqueue_merge(job->sorter, queue, &m, 0, NULL, done);
}

static int run_host(bench_job *job, const bench_side *side, double *ms)
{
    int code = job_restore(job, job->queue);
    double start = now_ms();
    if (code == DONE_OK)
        code = sorter_check(job->sorter, side_enqueue(job, side, job->queue, NULL));
    if (code == DONE_OK) code = cl_check(clFinish(job->queue), "clFinish");
    *ms = now_ms() - start;
    return code == DONE_OK ? job_verify(job, side, job->queue) : code;
}

/* Milliseconds between the ends of two events; 0 where the device does not tell. */
static double events_ms(cl_event first, cl_event last)
{
    cl_ulong start = 0, end = 0;
    if (clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_END, sizeof start, &start, NULL)
        != CL_SUCCESS)
        return 0;
    if (clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL)
        != CL_SUCCESS)
        return 0;
    return end > start ? (double)(end - start) * 1e-6 : 0;
}

static int run_event(bench_job *job, const bench_side *side, double *ms)
{
    cl_command_queue queue = job->session.queue;
    cl_event marker = NULL, done = NULL;
    int code = job_restore(job, queue);
    if (code == DONE_OK)
        code = cl_check(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker),
                        "clEnqueueMarkerWithWaitList");
    if (code == DONE_OK) code = sorter_check(job->sorter, side_enqueue(job, side, queue, &done));
    if (code == DONE_OK) code = cl_check(clFinish(queue), "clFinish");
    *ms = code == DONE_OK ? events_ms(marker, done) : 0;
    if (marker) clReleaseEvent(marker);
    if (done) clReleaseEvent(done);
    return code == DONE_OK ? job_verify(job, side, queue) : code;
}

/* Fills the side's description and asks whether it would run. */
static clsort_status side_check(bench_job *job, bench_side *side, const char *algorithm,
                                cl_uint work_group)
{
    const bench_plan *plan = job->plan;
    clsort_desc *d = &side->desc;
    clsort_status status = CL_SUCCESS;
    side->algorithm = algorithm;
    *d = plan->order.desc;
    d->tuning.work_group = work_group;
    d->rows = plan->rows;
    d->count = plan->rows ? job->input.count / plan->rows : job->input.count;
    d->key_type = job->input.type ? job->input.type->code : 0;
    d->keys = job->keys;
    d->values = job->values_buffer;
    d->value_size = job->values_buffer ? 4 : 0;
    if (!plan->merge && strcmp(algorithm, "auto")) status = clsort_set_algorithm(d, algorithm);
    return status == CL_SUCCESS ? clsort_check(job->sorter, d) : status;
}

/* What runs of the side read and write; a merge reads and writes every element once. Returns an
   exit code. */
static int side_moved(bench_job *job, bench_side *side)
{
    char text[2000];
    const char *moved;
    int code;
    side->moved = 2 * (double)job->input.count * (double)(job->input.size + side->desc.value_size);
    if (job->plan->merge) return DONE_OK;
    code = sorter_check(job->sorter, clsort_explain(job->sorter, &side->desc, text, sizeof text));
    moved = code == DONE_OK ? strstr(text, "\nmoved ") : NULL;
    if (moved) side->moved = strtod(moved + 7, NULL);
    return code;
}

/* Fills the side's description, work-group, block and bytes. Returns an exit code. */
static int side_describe(bench_job *job, bench_side *side, const char *algorithm,
                         cl_uint work_group)
{
    clsort_desc resolved = clsort_desc_default();
    int code = sorter_check(job->sorter, side_check(job, side, algorithm, work_group));
    if (code == DONE_OK)
        code = sorter_check(job->sorter, clsort_resolve(job->sorter, &side->desc, &resolved));
    if (code != DONE_OK) return code;
    side->work_group = resolved.tuning.work_group;
    side->block = sorts_fully(algorithm) ? side->desc.count
                                         : side->work_group * resolved.tuning.items;
    return side_moved(job, side);
}

/* Builds, and runs once and as long as WARM_UP_MS are not over: the first runs of a process were
   seen to take four times as long. */
static int side_prepare(bench_job *job, bench_side *side, const char *algorithm, cl_uint work_group)
{
    double ignored, start;
    int code = side_describe(job, side, algorithm, work_group);
    if (code == DONE_OK && !job->plan->merge)
        code = sorter_check(job->sorter, clsort_prepare(job->sorter, NULL, &side->desc));
    start = now_ms();
    do {
        if (code == DONE_OK) code = run_host(job, side, &ignored);
        if (code == DONE_OK) code = run_event(job, side, &ignored);
    } while (code == DONE_OK && now_ms() - start < WARM_UP_MS);
    return code;
}

/* Times the sides in turn. Returns an exit code. */
static int sides_run(bench_job *job, bench_side *sides, int count)
{
    int run, i, code = DONE_OK;
    for (run = 0; run < job->plan->runs && code == DONE_OK; run++) {
        progress("%s %s n = %zu, run %d of %d", sides[0].algorithm, job->type->name,
                 job->input.count, run + 1, job->plan->runs);
        for (i = 0; i < count && code == DONE_OK; i++) {
            code = run_host(job, &sides[i], &sides[i].host[run]);
            if (code == DONE_OK) code = run_event(job, &sides[i], &sides[i].event[run]);
        }
    }
    progress("%s", "");
    return code;
}

/* Runs a side while every command of it is noted. Returns an exit code. */
static int stages_run(bench_job *job, const bench_side *side)
{
    int run, code = DONE_OK;
    stages_clear(&job->stages);
    for (run = 0; run < job->plan->runs && code == DONE_OK; run++) {
        progress("%s %s n = %zu, stages, run %d of %d", side->algorithm, job->type->name,
                 side->desc.count, run + 1, job->plan->runs);
        code = job_restore(job, job->session.queue);
        job->stages.listens = 1;
        if (code == DONE_OK)
            code = sorter_check(job->sorter, side_enqueue(job, side, job->session.queue, NULL));
        job->stages.listens = 0;
        if (!stages_add(&job->stages) && code == DONE_OK)
            code = fail(DONE_OPENCL, "bench: the times of some commands cannot be told");
        if (code == DONE_OK) code = job_verify(job, side, job->session.queue);
    }
    progress("%s", "");
    return code;
}

/* ---- results --------------------------------------------------------------------------------- */

/* Does the experiment have published rates? */
static int shows_published(const bench_plan *plan)
{
    return plan->published && *plan->published->source;
}

static void print_header(const bench_job *job)
{
    const bench_plan *plan = job->plan;
    if (plan->how != BENCH_TABLE) return;
    if (plan->rows) printf("%zu rows of n keys each\n", plan->rows);
    if (plan->order.desc.record_size)
        printf("records of %zu bytes by %s\n", plan->order.desc.record_size,
               plan->order.desc.fields ? "fields" : "an expression");
    if (plan->order.desc.last_bit)
        printf("by bits %u to %u\n", (unsigned)plan->order.desc.first_bit,
               (unsigned)plan->order.desc.last_bit - 1);
    printf("%s, %s: copies %.1f GB/s (read + written)\n", job->session.info.platform_name,
           job->session.info.name, job->copy_rate);
    printf("%-24s %-4s %10s %10s %10s %9s %7s",
           plan->pairs ? "algorithm, u32 values" : "algorithm", "type", "n", "median ms",
           "event ms", "Mkey/s", "of copy");
    if (plan->shows_groups) printf(" %10s", "work-group");
    if (shows_published(plan)) printf("  %s", plan->published->source);
    if (plan->against) printf("  %s ms, ratio", plan->against);
    putchar('\n');
}

static void leave_out(bench_job *job, const char *algorithm)
{
    size_t used = strlen(job->left_out);
    if (++job->left_out_count > LEFT_OUT_NAMES) return;
    snprintf(job->left_out + used, sizeof job->left_out - used, "%s%s", used ? ", " : "",
             algorithm);
}

/* One line for all that was left out, by a few names; beside CSV and JSON. */
static void print_left_out(bench_job *job, size_t n)
{
    FILE *file = job->plan->how == BENCH_TABLE ? stdout : stderr;
    if (*job->left_out)
        fprintf(file, "not supported by this device or build with %s, n = %zu: %s",
                job->type->name, n, job->left_out);
    if (job->left_out_count > LEFT_OUT_NAMES)
        fprintf(file, " and %d more", job->left_out_count - LEFT_OUT_NAMES);
    if (*job->left_out) putc('\n', file);
    fflush(file);
    *job->left_out = '\0';
    job->left_out_count = 0;
}

/* A row of CSV or JSON is printed by its fields: of CSV their values, or above the first row their
   names; else members of an object. Texts that come from a driver are quoted in CSV. */
enum { FIELD_NAME, FIELD_VALUE, FIELD_MEMBER };

typedef struct row_printer {
    int what, follows;
} row_printer;

static void field_text(row_printer *r, const char *name, const char *text, int is_foreign)
{
    if (r->what == FIELD_MEMBER) {
        json_text(name, text);
        return;
    }
    if (r->follows++) putchar(',');
    if (r->what == FIELD_NAME || !is_foreign) {
        printf("%s", r->what == FIELD_NAME ? name : text);
        return;
    }
    putchar('"');
    for (; *text; text++) printf(*text == '"' ? "\"\"" : "%c", *text);
    putchar('"');
}

static void field_number(row_printer *r, const char *name, const char *format, ...)
{
    char text[64];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (r->what == FIELD_MEMBER) json_number(name, "%s", text);
    else field_text(r, name, text, 0);
}

/* A row of results: of a whole run, or of a stage of it. Times are ms. */
typedef struct bench_result {
    const bench_side *side;
    double host, event, other;    /* medians; `other` of the algorithm that --against names */
    double rate, of_copy;         /* Mkey/s; part of the rate of copies */
    const stage_total *stage;     /* NULL: of the whole */
    double share;                 /* of the stage */
} bench_result;

static const char *row_published(const bench_job *job, const bench_result *row)
{
    return strcmp(job->type->name, "u32") ? ""
                                          : published_rate(row->side->algorithm, job->plan->pairs,
                                                           row->side->desc.count,
                                                           row->side->work_group);
}

static void row_fields(row_printer *r, const bench_job *job, const bench_result *row)
{
    const bench_plan *plan = job->plan;
    field_text(r, "device", job->session.info.name, 1);
    field_text(r, "algorithm", row->side->algorithm, 0);
    field_text(r, "type", job->type->name, 0);
    field_number(r, "value_bytes", "%d", plan->pairs ? 4 : 0);
    field_number(r, "n", "%zu", row->side->desc.count);
    field_text(r, "pattern", plan->pattern, 0);
    field_number(r, "runs", "%d", plan->runs);
    if (row->stage) {
        field_text(r, "stage", row->stage->name, 0);
        field_number(r, "commands", "%d", row->stage->commands / plan->runs);
        field_number(r, "ms", "%.6f", row->stage->ms / plan->runs);
        field_number(r, "share", "%.4f", row->share);
        return;
    }
    field_number(r, "median_ms", "%.6f", row->host);
    field_number(r, "event_ms", "%.6f", row->event);
    field_number(r, "mkey_per_s", "%.6g", row->rate);
    field_number(r, "copy_gb_per_s", "%.2f", job->copy_rate);
    field_number(r, "of_copy", "%.4g", row->of_copy);
    if (plan->rows) field_number(r, "rows", "%zu", plan->rows);
    if (plan->shows_groups) field_number(r, "work_group", "%zu", row->side->work_group);
    if (plan->published) field_text(r, "published", row_published(job, row), 0);
    if (!plan->against) return;
    field_text(r, "against", plan->against, 0);
    field_number(r, "against_ms", "%.6f", row->other);
    field_number(r, "ratio", "%.4f", row->other / row->host);
}

/* A line of the table; the ratio says how many times as long the other algorithm takes. */
static void print_line(const bench_job *job, const bench_result *row)
{
    const bench_plan *plan = job->plan;
    const stage_total *stage = row->stage;
    if (stage) {
        printf("    %-32s %5d %s %12.4f ms %6.1f %%\n", stage->name, stage->commands / plan->runs,
               stage->commands == plan->runs ? "command " : "commands", stage->ms / plan->runs,
               100 * row->share);
        return;
    }
    printf("%-24s %-4s %10zu %10.4f %10.4f %9.2f %5.1f %%", row->side->algorithm, job->type->name,
           row->side->desc.count, row->host, row->event, row->rate, 100 * row->of_copy);
    if (plan->shows_groups) printf(" %10zu", row->side->work_group);
    if (shows_published(plan)) printf("  %14s", row_published(job, row));
    if (plan->against) printf("  %.4f, %.3f", row->other, row->other / row->host);
    putchar('\n');
}

/* Prints a row as the plan says; of CSV the names of its fields before the first one. */
static void print_row(const bench_job *job, const bench_result *row)
{
    static int has_names;
    row_printer names = { FIELD_NAME, 0 }, r = { FIELD_VALUE, 0 };
    if (job->plan->how == BENCH_TABLE) print_line(job, row);
    if (job->plan->how == BENCH_CSV && !has_names++) {
        row_fields(&names, job, row);
        putchar('\n');
    }
    if (job->plan->how == BENCH_CSV) {
        row_fields(&r, job, row);
        putchar('\n');
    }
    r.what = FIELD_MEMBER;
    if (job->plan->how == BENCH_JSON) {
        json_open(NULL, '{');
        row_fields(&r, job, row);
        json_close('}');
    }
    fflush(stdout);
}

static void print_result(const bench_job *job, bench_side *sides)
{
    const bench_plan *plan = job->plan;
    bench_result row;
    memset(&row, 0, sizeof row);
    row.side = &sides[0];
    row.host = median(sides[0].host, plan->runs);
    row.event = median(sides[0].event, plan->runs);
    if (plan->against) row.other = median(sides[1].host, plan->runs);
    row.rate = (double)job->input.count / row.host * 1e-3;
    row.of_copy = sides[0].moved / row.host * 1e-6 / job->copy_rate;
    print_row(job, &row);
}

/* Each stage's part of a run. */
static void print_stages(const bench_job *job, const bench_side *side)
{
    const double all = stages_ms(&job->stages);
    bench_result row;
    int i;
    memset(&row, 0, sizeof row);
    row.side = side;
    for (i = 0; i < job->stages.total_count; i++) {
        row.stage = &job->stages.total[i];
        row.share = all > 0 ? row.stage->ms / all : 0;
        print_row(job, &row);
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static int is_too_late(const bench_plan *plan) { return plan->until > 0 && now_ms() > plan->until; }

static int bench_row(bench_job *job, const char *algorithm, cl_uint work_group)
{
    static bench_side sides[2];   /* too large for the stack */
    const bench_plan *plan = job->plan;
    clsort_status status = side_check(job, &sides[0], algorithm, work_group);
    int code;
    if (plan->skips
        && (status == CLSORT_ERROR_UNSUPPORTED || status == CLSORT_ERROR_UNKNOWN_VALUE)) {
        leave_out(job, algorithm);
        return DONE_OK;
    }
    progress("%s %s n = %zu, warm-up", algorithm, job->type->name, job->input.count);
    code = side_prepare(job, &sides[0], algorithm, work_group);
    if (code == DONE_OK && plan->against)
        code = side_prepare(job, &sides[1], plan->against, work_group);
    if (code == DONE_OK) code = sides_run(job, sides, plan->against ? 2 : 1);
    if (code == DONE_OK && !(plan->how != BENCH_TABLE && plan->stages)) print_result(job, sides);
    if (code == DONE_OK && plan->stages) code = stages_run(job, &sides[0]);
    if (code == DONE_OK && plan->stages) print_stages(job, &sides[0]);
    return code;
}

static int bench_algorithms(bench_job *job)
{
    const bench_plan *plan = job->plan;
    int i, g, code = DONE_OK;
    for (i = 0; i < plan->algorithms.count && !(i && is_too_late(plan)); i++)
        for (g = 0; g < plan->work_groups.count && code == DONE_OK; g++) {
            unsigned long long size = 0;
            count_parse(plan->work_groups.name[g], &size);
            code = bench_row(job, plan->algorithms.name[i], (cl_uint)size);
        }
    return code;
}

/* The most of each row where no -n says how many. GPUs repeat experiments as they were, and so does
   every device those of rows. */
static unsigned long long bench_most(const bench_job *job)
{
    const bench_plan *plan = job->plan;
    const int is_cpu = (job->session.info.type & CL_DEVICE_TYPE_CPU) != 0;
    unsigned long long most = is_cpu ? BENCH_MOST_CPU : BENCH_MOST;
    if (plan->published && (!is_cpu || plan->published->rows)) return UINT32_MAX;
    if (is_cpu && (plan->published || plan->algorithms.count > 1)) most = BENCH_MOST_CPU_LIST;
    return most > plan->rows ? most / (plan->rows ? plan->rows : 1) : 1;
}

/* Entry i of the counts: as it was asked for, or, of the usual ones, as many as suit the device. */
static unsigned long long bench_count(const bench_job *job, int i)
{
    const unsigned long long most = job->plan->usual_sizes ? bench_most(job) : UINT32_MAX;
    unsigned long long n = 0;
    count_parse(job->plan->sizes.name[i], &n);
    return n < most ? n : most;
}

static int bench_sizes(bench_job *job)
{
    const bench_plan *plan = job->plan;
    int t, i, code = DONE_OK;
    for (t = 0; t < plan->types.count; t++)
        for (i = 0; i < plan->sizes.count && code == DONE_OK && !(t + i && is_too_late(plan));
             i++) {
            const unsigned long long n = bench_count(job, i);
            if (plan->usual_sizes && i && n == bench_count(job, i - 1)) continue;
            progress("%s n = %llu, input", plan->types.name[t], n);
            code = job_data(job, key_type_find(plan->types.name[t]), (size_t)n);
            if (code == DONE_OK) code = bench_algorithms(job);
            if (code == DONE_OK) print_left_out(job, (size_t)n);
            job_free_data(job);
        }
    return code;
}

/* A sorter that tells of its commands only where stages are asked for: the events cost time. */
static int job_sorter(bench_job *job)
{
    clsort_options options = clsort_options_default();
    options.user = &job->stages;
    options.profile = job->plan->stages ? stage_hear : NULL;
    return cl_check(clsort_create(job->session.context, job->session.info.id, &options,
                                  &job->sorter),
                    "clsort_create");
}

static int bench_device(const bench_plan *plan, const device_info *info)
{
    bench_job job;
    cl_int error = CL_SUCCESS;
    int code;
    memset(&job, 0, sizeof job);
    job.plan = plan;
    if (!device_open(info, &job.session))
        return fail(DONE_OPENCL, "%s: cannot be opened", info->name);
    job.queue = clCreateCommandQueue(job.session.context, info->id, 0, &error);
    code = cl_check(error, "clCreateCommandQueue");
    if (code == DONE_OK) code = job_sorter(&job);
    if (code == DONE_OK) code = copy_measure(&job);
    progress("%s", "");
    if (code == DONE_OK) print_header(&job);
    if (code == DONE_OK) code = bench_sizes(&job);
    clsort_destroy(job.sorter);
    if (job.queue) clReleaseCommandQueue(job.queue);
    device_close(&job.session);
    free(job.stages.command);
    return code;
}

/* Is there such an algorithm and, where what cannot run is an error, does it sort this? Returns an
   exit code. */
static int plan_algorithm(const bench_plan *plan, const char *name)
{
    clsort_desc d = plan->order.desc;
    int code = algorithm_select(&d, name);
    if (!d.record_size) d.key_type = CLSORT_U32;
    d.rows = plan->rows;
    return code == DONE_OK && !plan->skips ? algorithm_fits(&d, name) : code;
}

/* Checks the lists before anything runs. Returns an exit code. */
static int plan_check(const bench_plan *plan)
{
    unsigned long long n;
    int i, code = DONE_OK;
    for (i = 0; i < plan->sizes.count && !plan->usual_sizes; i++)
        if (!count_parse(plan->sizes.name[i], &n) || n == 0 || n > UINT32_MAX
            || n * (plan->rows ? plan->rows : 1) > UINT32_MAX)
            return fail(DONE_USAGE,
                        "bench: '%s' is not a count from 1 to 2^32 - 1, all rows together",
                        plan->sizes.name[i]);
    for (i = 0; plan->shows_groups && i < plan->work_groups.count; i++)
        if (!count_parse(plan->work_groups.name[i], &n) || n == 0 || n > 1u << 16 || (n & (n - 1)))
            return fail(DONE_USAGE,
                        "bench: '%s' is not a work-group size: a power of two up to 2^16",
                        plan->work_groups.name[i]);
    for (i = 0; i < plan->types.count; i++) {
        const key_type *type = key_type_find(plan->types.name[i]);
        if (!type) return fail(DONE_USAGE, "bench: unknown type '%s'", plan->types.name[i]);
        if (!pattern_applies(pattern_find(plan->pattern), type->code))
            return fail(DONE_USAGE, "bench: pattern '%s' is for floats, not for %s", plan->pattern,
                        type->name);
        if (plan->order.desc.last_bit > 8 * type->size)
            return fail(DONE_USAGE, "bench: --bits are beyond those of %s", type->name);
    }
    for (i = 0; !plan->merge && !plan->published && i < plan->algorithms.count && code == DONE_OK;
         i++)
        code = plan_algorithm(plan, plan->algorithms.name[i]);
    return code == DONE_OK && plan->against ? plan_algorithm(plan, plan->against) : code;
}

/* The lists, whose defaults --published and --merge choose. Returns an exit code. */
static int plan_lists(const arguments *a, bench_plan *plan)
{
    static const published_table usual = { "", "", "auto", "2^10,2^14,2^18,2^22", NULL, 0, 0 };
    const published_table *t = plan->published ? plan->published : &usual;
    if (!names_split(a, OPTION_TYPE, "u32", &plan->types)
        || !names_split(a, OPTION_ALGORITHM, t->algorithms, &plan->algorithms)
        || !names_split(a, OPTION_COUNT, t->sizes, &plan->sizes)
        || !names_split(a, OPTION_WORK_GROUP, t->work_groups ? t->work_groups : "0",
                        &plan->work_groups))
        return fail(DONE_USAGE, "bench: a list is too long or has an empty entry");
    names_expand(&plan->algorithms);
    plan->usual_sizes = !a->given[OPTION_COUNT];
    plan->skips = plan->published || plan->algorithms.count > 1;
    plan->shows_groups = t->work_groups || a->given[OPTION_WORK_GROUP];
    plan->pairs = t->pairs || a->given[OPTION_PAIRS];
    if (plan->merge) plan->algorithms.name[0] = "clsort_enqueue_merge";
    return DONE_OK;
}

/* Options that exclude each other. Returns an exit code. */
static int plan_conflicts(const arguments *a, const char *published)
{
    const int merge = a->given[OPTION_MERGE] > 0;
    if (merge && (a->given[OPTION_ALGORITHM] || a->given[OPTION_AGAINST] || published))
        return fail(DONE_USAGE,
                    "bench: --merge goes without --algorithm, --against and --published");
    if (a->given[OPTION_BITS] && (merge || published))
        return fail(DONE_USAGE, "bench: --bits goes without --merge and --published");
    if (asks_records(a) && (merge || published || a->given[OPTION_PAIRS]))
        return fail(DONE_USAGE, "bench: records go without --merge, --published and --pairs");
    if (a->given[OPTION_ROWS] && (merge || published || asks_records(a)))
        return fail(DONE_USAGE, "bench: --rows goes without --merge, --published and records");
    if (a->given[OPTION_CSV] && a->given[OPTION_JSON])
        return fail(DONE_USAGE, "bench: --csv goes without --json");
    if (a->given[OPTION_STAGES] && a->given[OPTION_AGAINST])
        return fail(DONE_USAGE, "bench: --stages goes without --against");
    return DONE_OK;
}

/* The numbers of runs and rows, and the seed. Returns an exit code. */
static int plan_numbers(const arguments *a, bench_plan *plan)
{
    unsigned long long runs, rows;
    if (!count_parse(argument(a, OPTION_RUNS, "9"), &runs) || runs == 0 || runs > RUN_MAX)
        return fail(DONE_USAGE, "bench: --runs must be 1 to %d", RUN_MAX);
    if (!count_parse(argument(a, OPTION_SEED, "1"), &plan->seed))
        return fail(DONE_USAGE, "bench: --seed needs a whole number");
    plan->runs = (int)runs;
    plan->rows = plan->published ? plan->published->rows : 0;
    if (!a->given[OPTION_ROWS]) return DONE_OK;
    if (!count_parse(argument(a, OPTION_ROWS, ""), &rows) || rows == 0 || rows > UINT32_MAX)
        return fail(DONE_USAGE, "bench: --rows must be 1 to 2^32 - 1");
    plan->rows = (size_t)rows;
    return DONE_OK;
}

static int plan_parse(const arguments *a, bench_plan *plan)
{
    const char *published = argument(a, OPTION_PUBLISHED, a->given[OPTION_BATCH] ? "batch" : NULL);
    int code = plan_conflicts(a, published);
    if (code != DONE_OK) return code;
    plan->merge = a->given[OPTION_MERGE] > 0;
    plan->stages = a->given[OPTION_STAGES];
    plan->how = a->given[OPTION_JSON]  ? BENCH_JSON
                : a->given[OPTION_CSV] ? BENCH_CSV
                                       : BENCH_TABLE;
    plan->against = argument(a, OPTION_AGAINST, NULL);
    plan->published = published ? published_find(published) : NULL;
    if (published && !plan->published)
        return fail(DONE_USAGE, "bench: unknown table '%s': %s", published,
                    option_rules[OPTION_PUBLISHED].help);
    plan->pattern = argument(a, OPTION_PATTERN, "uniform");
    if (!pattern_name(pattern_find(plan->pattern)))
        return fail(DONE_USAGE, "bench: unknown pattern '%s'; `clsort gen --list` lists them",
                    plan->pattern);
    code = plan_numbers(a, plan);
    if (code == DONE_OK) code = plan_lists(a, plan);
    if (code == DONE_OK)
        code = asks_records(a) ? record_options(a, &plan->order)
                               : bits_option(a, 64, &plan->order.desc);
    return code == DONE_OK ? plan_check(plan) : code;
}

static int command_bench(const arguments *a)
{
    static bench_plan plan;
    device_info list[DEVICE_MAX];
    const char *want = argument(a, OPTION_DEVICE, getenv("CLSORT_DEVICE"));
    size_t count, i;
    int code = plan_parse(a, &plan);
    count = code != DONE_OK                ? 0
            : want && !strcmp(want, "all") ? device_list(want, list, DEVICE_MAX)
                                           : (size_t)device_choose(want, list);
    if (code == DONE_OK && !count) code = fail_no_device(want);
    if (code == DONE_OK && plan.how == BENCH_JSON) {
        json_begin();
        json_open("rows", '[');
    }
    for (i = 0; i < count && code == DONE_OK; i++) code = bench_device(&plan, &list[i]);
    if (json_depth) {
        json_close(']');
        json_end();
    }
    order_free(&plan.order);
    return code;
}

#endif
