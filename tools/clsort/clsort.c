/* clsort.c - the command-line program: sorts, checks and generates files of keys, and measures.

     cc -std=c99 -O2 -pthread -I. tools/clsort/clsort.c -o build/clsort -lOpenCL -lm

   `clsort --help` lists the commands. options.h holds their options, order.h what they say about
   order, files.h and outputs.h what they read and write, session.h the device, runs.h files
   larger than memory, stream.h and verify.h the checks, bench.h and tune.h the measurements, info.h
   and report.h what is said of a device, json.h how they print JSON. */

#define _XOPEN_SOURCE 700
#define _GNU_SOURCE   /* what Linux has beside POSIX: files without names, early writing */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CLSORT_STATIC
#define CLSORT_IMPLEMENTATION
#include "../measure/clsort_measure.h"

#include "options.h"
#include "bench.h"
#include "info.h"
#include "outputs.h"
#include "parts.h"
#include "report.h"
#include "runs.h"
#include "session.h"
#include "stream.h"
#include "tune.h"

/* ---- gen ------------------------------------------------------------------------------------- */

static int list_patterns(void)
{
    size_t i;
    for (i = 0; pattern_name(i); i++)
        printf("%s%s\n", pattern_name(i), pattern_applies(i, CLSORT_U32) ? "" : " (floats only)");
    printf("records (of 100 bytes, the first 10 of which are a random key; without --type)\n");
    return DONE_OK;
}

/* The number of elements, `most` at most, that -n gives. Returns an exit code. */
static int count_option(const arguments *a, unsigned long long most, unsigned long long *n)
{
    const char *text = argument(a, OPTION_COUNT, NULL);
    if (!text) return fail(DONE_USAGE, "-n is missing: a count such as 1000 or 2^20");
    if (!count_parse(text, n))
        return fail(DONE_USAGE, "-n: '%s' is no count such as 1000, 2^20, 100k or 16Mi", text);
    return *n <= most ? DONE_OK : fail(DONE_USAGE, "-n: '%s' is above %llu", text, most);
}

/* What `gen` writes: the pattern, its number where it is one of keys, and the type or size of an
   element. Returns an exit code. */
static int gen_pattern(const arguments *a, size_t *pattern, key_array *keys)
{
    const key_type *type;
    int code;
    if (!strcmp(a->operand[0], "records")) {
        *keys = keys_none(NULL, PATTERN_RECORD_BYTES);
        return a->given[OPTION_TYPE] || a->given[OPTION_TEXT]
                   ? fail(DONE_USAGE, "gen: records go without --type and --text")
                   : DONE_OK;
    }
    *pattern = pattern_find(a->operand[0]);
    if (!pattern_name(*pattern))
        return fail(DONE_USAGE, "gen: unknown pattern '%s'; `clsort gen --list` lists them",
                    a->operand[0]);
    code = type_option(a, &type);
    if (code != DONE_OK) return code;
    *keys = keys_none(type, 0);
    if (!pattern_applies(*pattern, type->code))
        return fail(DONE_USAGE, "gen: pattern '%s' is for floats, not for %s", a->operand[0],
                    type->name);
    return DONE_OK;
}

static int command_gen(const arguments *a)
{
    unsigned long long n, seed;
    key_array keys;
    size_t pattern = 0;
    int code;
    if (a->given[OPTION_LIST]) return list_patterns();
    code = gen_pattern(a, &pattern, &keys);
    if (code != DONE_OK) return code;
    code = count_option(a, SIZE_MAX / keys.size - 1, &n);
    if (code != DONE_OK) return code;
    if (!count_parse(argument(a, OPTION_SEED, "1"), &seed))
        return fail(DONE_USAGE, "gen: --seed needs a whole number");
    code = outputs_open(a);
    keys.count = (size_t)n;
    keys.data = (unsigned char *)malloc(keys.count * keys.size + 1);
    if (!keys.data && code == DONE_OK) code = fail(DONE_IO, "gen: %s", strerror(ENOMEM));
    if (code == DONE_OK && keys.type)
        pattern_fill_as(pattern, keys.type->code, keys.count, seed, 0, !a->given[OPTION_NANS],
                        keys.data);
    else if (code == DONE_OK) pattern_records(keys.count, seed, keys.data);
    outputs[OUTPUT_KEYS].array = &keys;
    code = outputs_finish(a, code);
    free(keys.data);
    return code;
}

/* ---- keys with values ------------------------------------------------------------------------ */

/* Checks the options of values where `inputs` files of keys are read. *size: of a value, 0 without
   any. Returns an exit code. */
static int values_options(const arguments *a, int inputs, int writes, size_t *size)
{
    *size = 0;
    if (!a->given[OPTION_VALUES] && !a->given[OPTION_VALUE_SIZE] && !a->given[OPTION_VALUES_OUTPUT])
        return DONE_OK;
    if (!a->given[OPTION_VALUES])
        return fail(DONE_USAGE, "--%s needs --values",
                    a->given[OPTION_VALUE_SIZE] ? "value-size" : "values-output");
    if (a->given[OPTION_VALUES] != inputs)
        return fail(DONE_USAGE,
                    inputs == 1 ? "give --values once"
                    : writes    ? "give --values twice: first of A, then of B"
                                : "give --values twice: first of INPUT, then of OUTPUT");
    if (!a->given[OPTION_VALUE_SIZE]) return fail(DONE_USAGE, "--values need --value-size");
    if (writes && !a->given[OPTION_VALUES_OUTPUT])
        return fail(DONE_USAGE, "--values need --values-output: a file for the result");
    return size_option(a, OPTION_VALUE_SIZE, size);
}

/* Reads operand `number` and its values into arrays made by keys_none; pairs_free afterwards.
   Returns an exit code. */
static int pairs_read(const arguments *a, int number, const sort_order *o, size_t value_size,
                      const read_limit *limit, pair_array *p)
{
    const char *path = a->value[OPTION_VALUES][number];
    int code;
    p->keys = keys_none(o->type, o->desc.record_size);
    p->values = keys_none(NULL, value_size);
    code = keys_read(a->operand[number], a->given[OPTION_TEXT], limit, &p->keys);
    if (code == DONE_OK && value_size) code = keys_read(path, 0, limit, &p->values);
    if (code != DONE_OK || !value_size || p->values.count == p->keys.count) return code;
    return fail(DONE_IO, "%s: %zu values for %zu keys", input_name(path), p->values.count,
                p->keys.count);
}

/* Writes a result to the open outputs if the exit code so far is DONE_OK. Returns an exit code. */
static int pairs_write(const arguments *a, const pair_array *p, int code)
{
    outputs[OUTPUT_KEYS].array = &p->keys;
    outputs[OUTPUT_VALUES].array = &p->values;
    return outputs_finish(a, code);
}

/* Makes an array like another one, of `count` zeros. Returns an exit code. */
static int array_room(const key_array *like, size_t count, key_array *out)
{
    *out = keys_none(like->type, like->size);
    out->count = count;
    return array_take(out, count);
}

/* ---- sort and argsort ------------------------------------------------------------------------ */

/* Refuses elements that need more than `memory` (0: any), together with offsets and the scratch
   memory of the sort. Returns an exit code. */
static int parts_memory(const arguments *a, const sorter_session *s, const clsort_desc *order,
                        const pair_array *p, const file_parts *parts, unsigned long long memory)
{
    const clsort_desc d = sort_describe(order, p->keys.count, p->keys.size, p->values.size, parts);
    unsigned long long bytes = (unsigned long long)p->keys.count * (p->keys.size + p->values.size);
    size_t scratch = 0;
    if (parts->offsets.data) bytes += (unsigned long long)parts->offsets.count * sizeof(cl_uint);
    if (s->shares_memory && !clsort_scratch_size(s->sorter, &d, &scratch)) bytes += scratch;
    if (!memory || bytes <= memory) return DONE_OK;
    return fail(DONE_USAGE, "%s: %zu elements need %llu bytes of memory to be sorted: --memory "
                "allows %llu", input_name(a->operand[0]), p->keys.count, bytes, memory);
}

/* Refuses a file before it is read if its arrays and the scratch memory of the sort are more than
   the device has, or than `memory` (0: any). Text and segments would have to be read for that: of
   them it is said later. flags: of the description. Returns an exit code. */
static int scratch_check(const arguments *a, const sorter_session *s, const sort_order *o,
                         size_t value_size, cl_mem indices, const read_limit *limit,
                         unsigned long long memory)
{
    file_parts parts = parts_none();
    pair_array p;
    key_array *const keys = &p.keys;
    size_t scratch = 0;
    struct stat facts;
    clsort_desc d;
    int code;
    p.keys = keys_none(o->type, o->desc.record_size);
    p.values = keys_none(NULL, value_size);
    if (!a->operand_count || a->given[OPTION_TEXT] || a->given[OPTION_SEGMENTS]) return DONE_OK;
    if (!limit->memory || !strcmp(a->operand[0], "-") || stat(a->operand[0], &facts)
        || !S_ISREG(facts.st_mode))
        return DONE_OK;
    if ((unsigned long long)facts.st_size / keys->size > limit->most) return DONE_OK;
    keys->count = (size_t)facts.st_size / keys->size;
    code = parts_options(a, &o->desc, keys, &parts);
    if (code == DONE_OK) code = parts_memory(a, s, &o->desc, &p, &parts, memory);
    d = sort_describe(&o->desc, keys->count, keys->size, value_size, &parts);
    d.indices = indices;
    if (code != DONE_OK || clsort_scratch_size(s->sorter, &d, &scratch)) return code;
    if (keys->count * (cl_ulong)limit->each + scratch <= limit->memory) return DONE_OK;
    return fail(DONE_OPENCL, "%s: %zu elements need %llu bytes on the device and %zu of scratch "
                "memory: %s has %llu", a->operand[0], keys->count,
                (unsigned long long)keys->count * limit->each, scratch, s->device.info.name,
                (unsigned long long)limit->memory);
}

/* Sorts the whole of a file, which may be larger than memory and device. Returns an exit code. */
static int sort_whole(const arguments *a, sorter_session *s, const sort_order *o, size_t value_size,
                      unsigned long long memory)
{
    run_sort r;
    int code;
    memset(&r, 0, sizeof r);
    r.a = a;
    r.s = s;
    r.o = o;
    r.memory = memory;
    r.size[RUN_KEYS] = element_size(o);
    r.size[RUN_VALUES] = value_size;
    code = sorter_check(s->sorter, clsort_check(s->sorter, &o->desc));
    if (code == DONE_OK) code = runs_sort(&r);
    scratch_free(s);   /* its pages can then become those of the output */
    code = pairs_write(a, &r.part, code);
    runs_free(&r);
    return code;
}

/* Sorts parts of a file, or by an expression, which the host cannot compare by. */
static int sort_parts(const arguments *a, sorter_session *s, const sort_order *o, size_t value_size,
                      unsigned long long memory)
{
    static const pair_array none;
    file_parts parts = parts_none();
    pair_array p = none;
    read_limit limit = limit_of_device(s, element_size(o), value_size, 1);
    int code = scratch_check(a, s, o, value_size, NULL, &limit, memory);
    limit_memory(a, memory, element_size(o) + value_size, &limit);
    if (code == DONE_OK) code = pairs_read(a, 0, o, value_size, &limit, &p);
    if (code == DONE_OK) code = parts_options(a, &o->desc, &p.keys, &parts);
    if (code == DONE_OK) code = parts_memory(a, s, &o->desc, &p, &parts, memory);
    if (code == DONE_OK) code = sort_on_device(s, &o->desc, &p, &parts, NULL);
    code = pairs_write(a, &p, code);
    parts_free(&parts);
    pairs_free(&p);
    return code;
}

static int command_sort(const arguments *a)
{
    sorter_session s = sorter_none;
    sort_order o;
    size_t value_size;
    unsigned long long memory;
    const int in_parts = a->given[OPTION_ROWS] || a->given[OPTION_SEGMENTS]
                         || a->given[OPTION_STRIDE] || a->given[OPTION_PRECEDES];
    int code = order_options(a, &o);
    if (code == DONE_OK) code = values_options(a, 1, 1, &value_size);
    if (code == DONE_OK) code = memory_option(a, &memory);
    if (code == DONE_OK) code = outputs_open(a);
    if (code == DONE_OK) code = sorter_open(a, CLSORT_OPTION_FEW_SORTS, &s);
    if (code != DONE_OK) outputs_finish(a, code);
    else if (in_parts) code = sort_parts(a, &s, &o, value_size,
                                         a->given[OPTION_MEMORY] ? memory : 0);
    else code = sort_whole(a, &s, &o, value_size, memory);
    sorter_close(&s);
    order_free(&o);
    return code;
}

static int command_argsort(const arguments *a)
{
    static const pair_array none;
    const key_array numbers = keys_none(key_type_find("u32"), 0);
    file_parts parts = parts_none();
    sorter_session s = sorter_none;
    pair_array p = none, indices = none;
    read_limit limit;
    sort_order o;
    int code = order_options(a, &o);
    if (code == DONE_OK) code = outputs_open(a);
    if (code == DONE_OK) code = sorter_open(a, CLSORT_OPTION_FEW_SORTS, &s);
    if (code == DONE_OK) limit = limit_of_device(&s, element_size(&o), sizeof(cl_uint), 1);
    if (code == DONE_OK) code = scratch_check(a, &s, &o, 0, CLSORT_LATER, &limit, 0);
    if (code == DONE_OK) code = pairs_read(a, 0, &o, 0, &limit, &p);
    if (code == DONE_OK) code = parts_options(a, &o.desc, &p.keys, &parts);
    if (code == DONE_OK) code = array_room(&numbers, p.keys.count, &indices.keys);
    if (code == DONE_OK) code = sort_on_device(&s, &o.desc, &p, &parts, &indices.keys);
    code = pairs_write(a, &indices, code);
    sorter_close(&s);
    parts_free(&parts);
    pairs_free(&indices);
    pairs_free(&p);
    order_free(&o);
    return code;
}

/* ---- top ------------------------------------------------------------------------------------- */

/* How many of each row, and which of them are written how. Returns an exit code. */
static int top_options(const arguments *a, clsort_desc *d)
{
    unsigned long long k;
    if (!a->given[OPTION_K]) return fail(DONE_USAGE, "--k is missing: how many of each row");
    if (!count_parse(argument(a, OPTION_K, ""), &k) || k == 0 || k > UINT32_MAX)
        return fail(DONE_USAGE, "--k must be a count, not '%s'", argument(a, OPTION_K, ""));
    if (a->given[OPTION_NTH] && a->given[OPTION_UNSORTED])
        return fail(DONE_USAGE, "--nth writes one of each row: leave out --unsorted");
    if (a->given[OPTION_PARTITION] && (a->given[OPTION_NTH] || a->given[OPTION_UNSORTED]))
        return fail(DONE_USAGE, "--partition writes whole rows: leave out --nth and --unsorted");
    d->top_k = (size_t)k;
    d->flags = (a->given[OPTION_NTH] ? CLSORT_FLAG_TOP_NTH : 0)
               | (a->given[OPTION_UNSORTED] ? CLSORT_FLAG_TOP_UNSORTED : 0)
               | (a->given[OPTION_PARTITION] ? CLSORT_FLAG_TOP_PARTITION : 0);
    return DONE_OK;
}

/* Uploads a file of rows, selects and reads the result back. buffers: keys and values of the file,
   keys and values of the result, indices. Returns an exit code. */
static int top_buffers(sorter_session *s, clsort_desc *d, const pair_array *in,
                       const pair_array *out, const key_array *indices, cl_mem buffers[5])
{
    const key_array *arrays[5];
    int i, code = DONE_OK;
    arrays[0] = &in->keys;
    arrays[1] = &in->values;
    arrays[2] = &out->keys;
    arrays[3] = &out->values;
    arrays[4] = indices;
    for (i = 0; i < 5 && code == DONE_OK; i++)
        if (arrays[i]->size) code = upload(s, arrays[i], &buffers[i]);
    d->keys = buffers[0];
    d->values = buffers[1];
    d->keys_out = buffers[2];
    d->values_out = buffers[3];
    d->indices = buffers[4];
    if (code == DONE_OK)
        code = sorter_check(s->sorter,
                            clsort_enqueue_sort(s->sorter, s->device.queue, d, 0, NULL, NULL));
    for (i = 2; i < 5 && code == DONE_OK; i++)
        if (arrays[i]->size) code = download(s, buffers[i], arrays[i]);
    return code;
}

/* Selects from the rows of a file. *out and *indices are the caller's to free, also after a
   failure. Returns an exit code. */
static int top_on_device(const arguments *a, sorter_session *s, const clsort_desc *order,
                         const pair_array *in, const file_parts *rows, pair_array *out,
                         key_array *indices)
{
    const key_array numbers = keys_none(key_type_find("u32"), 0);
    cl_mem buffers[5] = { NULL, NULL, NULL, NULL, NULL };
    clsort_desc d = *order;
    const size_t row = d.flags & CLSORT_FLAG_TOP_NTH         ? 1
                       : d.flags & CLSORT_FLAG_TOP_PARTITION ? rows->length
                                                             : d.top_k,
                 results = rows->count * row;
    int code;
    if (d.top_k > rows->length)
        return fail(DONE_IO, "--k is %zu, and a row has %zu keys", d.top_k, rows->length);
    d.count = rows->length;
    d.rows = rows->count;
    d.row_stride = rows->stride * in->keys.size;
    d.value_size = in->values.size;
    if (rows->count > 1) d.keys_out_row_stride = row * in->keys.size;   /* without gaps */
    if (rows->count > 1) d.values_out_row_stride = row * d.value_size;
    if (rows->count > 1 && a->given[OPTION_INDICES_OUTPUT]) d.indices_row_stride = row * 4;
    code = array_room(&in->keys, results, &out->keys);
    if (code == DONE_OK && d.value_size) code = array_room(&in->values, results, &out->values);
    if (code == DONE_OK && a->given[OPTION_INDICES_OUTPUT])
        code = array_room(&numbers, results, indices);
    if (code == DONE_OK) code = top_buffers(s, &d, in, out, indices, buffers);
    release(buffers, 5);
    return code;
}

static int command_top(const arguments *a)
{
    static const pair_array none;
    key_array indices = none.keys;
    file_parts rows = parts_none();
    sorter_session s = sorter_none;
    pair_array in = none, out = none;
    read_limit limit;
    sort_order o;
    size_t value_size = 0;
    int code = order_options(a, &o);
    if (code == DONE_OK) code = top_options(a, &o.desc);
    if (code == DONE_OK) code = values_options(a, 1, 1, &value_size);
    if (code == DONE_OK) code = outputs_open(a);
    if (code == DONE_OK) code = sorter_open(a, CLSORT_OPTION_FEW_SORTS, &s);
    if (code == DONE_OK) limit = limit_of_device(&s, element_size(&o), value_size, 1);
    if (code == DONE_OK) code = pairs_read(a, 0, &o, value_size, &limit, &in);
    if (code == DONE_OK) code = parts_options(a, &o.desc, &in.keys, &rows);
    if (code == DONE_OK) code = top_on_device(a, &s, &o.desc, &in, &rows, &out, &indices);
    outputs[OUTPUT_INDICES].array = &indices;
    code = pairs_write(a, &out, code);
    sorter_close(&s);
    parts_free(&rows);
    array_free(&indices);
    pairs_free(&in);
    pairs_free(&out);
    order_free(&o);
    return code;
}

/* ---- merge ----------------------------------------------------------------------------------- */

/* An input that is not sorted would be merged into something that is not either. Returns an exit
   code. */
static int merge_check(const char *path, const key_array *keys, const clsort_desc *d)
{
    uint64_t *codes = codes_apart(keys, d);
    size_t first = codes ? reference_first_unordered(codes, keys->count) : 0;
    free(codes);
    if (!codes) return fail(DONE_IO, "merge: %s", strerror(ENOMEM));
    return first == keys->count ? DONE_OK
                                : fail(DONE_WRONG,
                                       "%s: key %zu, counted from 0, belongs before its "
                                       "predecessor: sort the file first, or give the --order that "
                                       "it is in",
                                       input_name(path), first);
}

/* Uploads both inputs, merges and reads the result back. buffers: keys and values of a, b and the
   output. Returns an exit code. */
static int merge_buffers(sorter_session *s, const clsort_desc *d, const pair_array *a,
                         const pair_array *b, const pair_array *out, cl_mem buffers[6])
{
    clsort_merge_desc m = clsort_merge_desc_default();
    const pair_array *from[3];
    int i, code = DONE_OK;
    from[0] = a;
    from[1] = b;
    from[2] = out;
    for (i = 0; i < 6 && code == DONE_OK; i++)
        if (i % 2 == 0 || a->values.size)
            code = upload(s, i % 2 ? &from[i / 2]->values : &from[i / 2]->keys, &buffers[i]);
    if (code != DONE_OK) return code;
    m.count_a = a->keys.count;
    m.count_b = b->keys.count;
    m.key_type = d->key_type;
    m.order = d->order;
    m.nan_order = d->nan_order;
    m.value_size = a->values.size;
    m.keys_a = buffers[0];
    m.values_a = buffers[1];
    m.keys_b = buffers[2];
    m.values_b = buffers[3];
    m.keys_out = buffers[4];
    m.values_out = buffers[5];
    code = sorter_check(s->sorter,
                        clsort_enqueue_merge(s->sorter, s->device.queue, &m, 0, NULL, NULL));
    if (code == DONE_OK) code = download(s, buffers[4], &out->keys);
    return code == DONE_OK && out->values.size ? download(s, buffers[5], &out->values) : code;
}

static int merge_on_device(sorter_session *s, const clsort_desc *d, const pair_array *a,
                           const pair_array *b, pair_array *out)
{
    cl_mem buffers[6] = { NULL, NULL, NULL, NULL, NULL, NULL };
    int code = array_room(&a->keys, a->keys.count + b->keys.count, &out->keys);
    if (code == DONE_OK)
        code = array_room(&a->values, a->values.count + b->values.count, &out->values);
    if (code == DONE_OK) code = merge_buffers(s, d, a, b, out, buffers);
    release(buffers, 6);
    return code;
}

static int command_merge(const arguments *a)
{
    static const pair_array none;
    pair_array in[2] = { none, none }, out = none;
    sorter_session s = sorter_none;
    read_limit limit;
    sort_order o;
    size_t value_size = 0;
    int i, code = order_options(a, &o);
    if (code == DONE_OK) code = values_options(a, 2, 1, &value_size);
    if (code == DONE_OK) code = outputs_open(a);
    if (code == DONE_OK) code = sorter_open(a, CLSORT_OPTION_FEW_SORTS, &s);
    if (code == DONE_OK) limit = limit_of_device(&s, element_size(&o), value_size, 2);
    for (i = 0; i < 2 && code == DONE_OK; i++) {
        code = pairs_read(a, i, &o, value_size, &limit, &in[i]);
        if (code == DONE_OK) code = merge_check(a->operand[i], &in[i].keys, &o.desc);
        limit.most -= in[i].keys.count;
    }
    if (code == DONE_OK) code = merge_on_device(&s, &o.desc, &in[0], &in[1], &out);
    code = pairs_write(a, &out, code);
    sorter_close(&s);
    pairs_free(&in[0]);
    pairs_free(&in[1]);
    pairs_free(&out);
    order_free(&o);
    return code;
}

/* ---- verify ---------------------------------------------------------------------------------- */

/* Has the device compare by an expression, neighbours and the sums of all records. Returns an exit
   code. */
static int prove(sorter_session *s, clsort_desc *d, const key_array *input, const key_array *output,
                 cl_mem buffers[3], clsort_proof *proof)
{
    key_array room = keys_none(NULL, sizeof *proof);
    int code = upload(s, input, &buffers[0]);
    room.data = (unsigned char *)proof;
    room.count = 1;
    if (code == DONE_OK) code = upload(s, output, &buffers[1]);
    if (code == DONE_OK) code = upload(s, &room, &buffers[2]);
    if (code != DONE_OK) return code;
    d->count = input->count;
    d->keys = buffers[0];
    if (output->type) d->indices = buffers[1];
    else d->keys_out = buffers[1];
    code = sorter_check(s->sorter, clsort_enqueue_fingerprint(s->sorter, s->device.queue, d,
                                                              buffers[2], 0, 0, NULL, NULL));
    if (code == DONE_OK)
        code = sorter_check(s->sorter, clsort_enqueue_verify(s->sorter, s->device.queue, d,
                                                             buffers[2], 0, 0, NULL, NULL));
    return code == DONE_OK ? download(s, buffers[2], &room) : code;
}

static int verify_on_device(sorter_session *s, const clsort_desc *order, const key_array *input,
                            const key_array *output)
{
    const char *what = output->type ? "indices" : "records";
    cl_mem buffers[3] = { NULL, NULL, NULL };
    clsort_desc d = *order;
    clsort_proof proof;
    int code;
    if (input->count != output->count) {
        printf("wrong at the end: %zu records in INPUT, %zu %s in OUTPUT\n", input->count,
               output->count, what);
        return DONE_WRONG;
    }
    memset(&proof, 0, sizeof proof);
    code = prove(s, &d, input, output, buffers, &proof);
    release(buffers, 3);
    if (code != DONE_OK) return code;
    if (clsort_judge(&proof) == CL_SUCCESS)
        printf("sorted: %zu %s by the device's comparisons\n", input->count, what);
    else if (proof.unsorted < input->count)
        printf("wrong at position %u: it comes before its predecessor\n", (unsigned)proof.unsorted);
    else printf("wrong: the %s of OUTPUT are not those of INPUT\n", what);
    return clsort_judge(&proof) == CL_SUCCESS ? DONE_OK : DONE_WRONG;
}

/* The host's check of one part, or of all. Returns an exit code. */
static int verify_part(const arguments *a, const clsort_desc *d, const pair_array *input,
                       const pair_array *output)
{
    int code = a->given[OPTION_INDICES] ? verify_indices(&input->keys, &output->keys, d)
               : d->fields              ? verify_records(&input->keys, &output->keys, d)
                                        : verify_keys(&input->keys, &output->keys, d);
    return code == DONE_OK && input->values.size
               ? verify_values(&input->keys, &input->values, &output->keys, &output->values, d)
               : code;
}

/* Elements begin ... end - 1 lie in no part: they must be as they were. Returns an exit code. */
static int verify_gap(const key_array *input, const key_array *output, size_t begin, size_t end)
{
    const size_t size = input->size;
    while (begin < end && !memcmp(input->data + begin * size, output->data + begin * size, size))
        begin++;
    if (begin < end)
        printf("wrong at position %zu: it is in no row or segment, and changed\n", begin);
    return begin < end ? DONE_WRONG : DONE_OK;
}

/* Part i and what lies between it and the part before, or with i the number of parts what lies
   behind the last one. Returns an exit code. */
static int verify_at(const arguments *a, const clsort_desc *d, const file_parts *parts, size_t i,
                     const pair_array *input, const pair_array *output)
{
    const size_t last = i ? part_end(parts, i - 1) : 0,
                 begin = i < parts->count ? part_begin(parts, i) : input->keys.count;
    const size_t end = i < parts->count ? part_end(parts, i) : begin;
    pair_array in = *input, out = *output;
    int code = a->given[OPTION_INDICES] ? DONE_OK
                                        : verify_gap(&input->keys, &output->keys, last, begin);
    if (code == DONE_OK && input->values.size)
        code = verify_gap(&input->values, &output->values, last, begin);
    if (code != DONE_OK || begin == end) return code;
    in.keys = array_part(&input->keys, begin, end);
    out.keys = array_part(&output->keys, begin, end);
    if (in.values.size) in.values = array_part(&input->values, begin, end);
    if (in.values.size) out.values = array_part(&output->values, begin, end);
    code = verify_part(a, d, &in, &out);
    if (code == DONE_WRONG)
        printf("  in the row or segment of elements %zu to %zu, counted from its start\n", begin,
               end - 1);
    return code;
}

/* Says what was found in order. */
static void print_sorted(const arguments *a, const pair_array *input, const file_parts *parts)
{
    const key_array *keys = &input->keys;
    printf("sorted: %zu ", keys->count);
    if (a->given[OPTION_INDICES])
        printf("indices of %s", keys->type ? keys->type->name : "records");
    else if (keys->type) printf("%s keys", keys->type->name);
    else printf("records of %zu bytes", keys->size);
    if (a->given[OPTION_ROWS] || a->given[OPTION_SEGMENTS])
        printf(", %zu %s", parts->count, a->given[OPTION_ROWS] ? "rows" : "segments");
    putchar('\n');
    if (input->values.size)
        printf("sorted: %zu values of %zu bytes\n", keys->count, input->values.size);
    if (!keys->type)
        printf("checksum: %016llx in any order\n", (unsigned long long)checksum_of(keys));
}

/* Compares on the host. Returns an exit code. */
static int verify_on_host(const arguments *a, const clsort_desc *d, const file_parts *parts,
                          const pair_array *input, const pair_array *output)
{
    const int whole = !a->given[OPTION_ROWS] && !a->given[OPTION_SEGMENTS];
    int code = DONE_OK;
    size_t i;
    if (whole) code = verify_part(a, d, input, output);
    else if (input->keys.count != output->keys.count) {
        printf("wrong at the end: %zu elements in INPUT, %zu in OUTPUT\n", input->keys.count,
               output->keys.count);
        return DONE_WRONG;
    }
    for (i = 0; !whole && input->keys.count && code == DONE_OK && i <= parts->count; i++)
        code = verify_at(a, d, parts, i, input, output);
    if (code == DONE_OK) print_sorted(a, input, parts);
    return code;
}

/* Reads INPUT and OUTPUT; pairs_free of both afterwards, also after a failure. Returns an exit
   code. */
static int verify_read(const arguments *a, const sort_order *o, size_t value_size,
                       const read_limit *limit, pair_array *input, pair_array *output)
{
    int code = pairs_read(a, 0, o, value_size, limit, input);
    if (code != DONE_OK) return code;
    if (!a->given[OPTION_INDICES]) return pairs_read(a, 1, o, value_size, limit, output);
    output->keys = keys_none(key_type_find("u32"), 0);
    return keys_read(a->operand[1], a->given[OPTION_TEXT], limit, &output->keys);
}

/* Must a result be this one, and no other order of the same elements? */
static int is_unique(const sort_order *o, size_t value_size)
{
    const clsort_desc *d = &o->desc;
    return !d->fields && !d->first_bit && !d->last_bit && d->zero_order != CLSORT_ZERO_EQUAL
           && d->nan_order != CLSORT_NAN_EQUAL && !(d->stable && value_size);
}

/* Checks mapped files, if that says enough or there is no memory to look closer. *done: it did.
   Returns an exit code. */
static int verify_mapped(const arguments *a, const sort_order *o, size_t value_size,
                         unsigned long long memory, int *done)
{
    const size_t size = element_size(o);
    const int unique = is_unique(o, value_size);
    stream_check s;
    int fits, code;
    *done = 0;
    if (o->desc.precedes || a->given[OPTION_INDICES] || a->given[OPTION_TEXT]
        || a->given[OPTION_ROWS] || a->given[OPTION_SEGMENTS]
        || !stream_open(a, size, value_size, &s))
        return DONE_OK;
    s.d = &o->desc;
    s.by_codec = unique;
    fits = s.keys[0].count <= ELEMENTS_MOST && s.keys[1].count <= ELEMENTS_MOST
           && (s.keys[0].count + (unsigned long long)s.keys[1].count) * (size + value_size + 24)
                  <= memory;
    code = unique || !fits ? stream_compare(&s, !fits) : DONE_OK;
    *done = fits ? unique && code != DONE_WRONG : 1;
    if (*done && code == DONE_OK && o->type)
        printf("sorted: %zu %s keys\n", s.keys[0].count, o->type->name);
    else if (*done && code == DONE_OK)
        printf("sorted: %zu records of %zu bytes\n", s.keys[0].count, size);
    if (*done && code == DONE_OK && !o->type)
        printf("checksum: %016llx in any order\n", (unsigned long long)checksum_of(&s.keys[0]));
    if (*done && code == DONE_OK && value_size)
        printf("sorted: %zu values of %zu bytes\n", s.keys[0].count, value_size);
    if (*done && code == DONE_OK && !unique)
        puts("  whether equal ones kept their order was not checked: that takes more --memory");
    stream_unmap(&s);
    return code == DONE_WRONG && !*done ? DONE_OK : code;
}

static int command_verify(const arguments *a)
{
    static const pair_array none;
    file_parts parts = parts_none();
    sorter_session s = sorter_none;
    pair_array input = none, output = none;
    read_limit limit = limit_of_host();
    sort_order o;
    size_t value_size = 0, size;
    unsigned long long memory = 0;
    int done = 0, code = order_options(a, &o);
    if (code == DONE_OK) code = values_options(a, 2, 0, &value_size);
    if (code == DONE_OK) code = memory_option(a, &memory);
    if (code == DONE_OK && value_size && a->given[OPTION_INDICES])
        code = fail(DONE_USAGE, "verify: --indices goes without --values");
    if (code == DONE_OK && o.desc.precedes) {
        code = sorter_open(a, CLSORT_OPTION_FEW_SORTS, &s);
        size = element_size(&o);
        if (code == DONE_OK)
            limit = limit_of_device(&s, size, a->given[OPTION_INDICES] ? sizeof(cl_uint) : size, 1);
    }
    if (code == DONE_OK) code = verify_mapped(a, &o, value_size, memory, &done);
    if (code == DONE_OK)
        limit_memory(a, memory, 2 * (element_size(&o) + value_size + 24), &limit);
    if (code == DONE_OK && !done)
        code = verify_read(a, &o, value_size, &limit, &input, &output);
    if (code == DONE_OK && !done) code = parts_options(a, &o.desc, &input.keys, &parts);
    if (!parts.is_whole && (o.desc.first_bit || o.desc.last_bit)) o.desc.stable = 1;
    if (code == DONE_OK && !done && o.desc.precedes)
        code = verify_on_device(&s, &o.desc, &input.keys, &output.keys);
    else if (code == DONE_OK && !done) code = verify_on_host(a, &o.desc, &parts, &input, &output);
    sorter_close(&s);
    parts_free(&parts);
    pairs_free(&input);
    pairs_free(&output);
    order_free(&o);
    return code;
}

/* ---- explain --------------------------------------------------------------------------------- */

/* The number and the size of what would be sorted. Returns an exit code. */
static int explain_sizes(const arguments *a, clsort_desc *d)
{
    unsigned long long n, rows = 0;
    if (count_option(a, UINT32_MAX, &n) != DONE_OK) return DONE_USAGE;
    if (a->given[OPTION_ROWS]
        && (!count_parse(argument(a, OPTION_ROWS, ""), &rows) || rows == 0 || rows > UINT32_MAX))
        return fail(DONE_USAGE, "--rows must be a count, not '%s'", argument(a, OPTION_ROWS, ""));
    if (a->given[OPTION_PAIRS] && a->given[OPTION_VALUE_SIZE])
        return fail(DONE_USAGE, "explain: --pairs are values of 4 bytes: leave out --value-size");
    d->count = (size_t)n;
    d->rows = (size_t)rows;
    d->value_size = a->given[OPTION_PAIRS] ? 4 : 0;
    if (a->given[OPTION_INDICES]) d->indices = CLSORT_LATER;
    if (!a->given[OPTION_K] && (a->given[OPTION_UNSORTED] || a->given[OPTION_NTH]
                                  || a->given[OPTION_PARTITION]))
        return fail(DONE_USAGE, "explain: --unsorted, --nth and --partition need --k");
    if (a->given[OPTION_K] && top_options(a, d) != DONE_OK) return DONE_USAGE;
    if (d->top_k > d->count)
        return fail(DONE_USAGE, "explain: --k is %zu, and a row has %zu keys", d->top_k, d->count);
    return a->given[OPTION_VALUE_SIZE] ? size_option(a, OPTION_VALUE_SIZE, &d->value_size)
                                       : DONE_OK;
}

static int command_explain(const arguments *a)
{
    char text[2000] = "";
    sorter_session s = sorter_none;
    sort_order o;
    int code = order_options(a, &o);
    if (code == DONE_OK) code = explain_sizes(a, &o.desc);
    if (code == DONE_OK) code = sorter_open(a, 0, &s);
    if (code == DONE_OK)
        code = sorter_check(s.sorter, clsort_explain(s.sorter, &o.desc, text, sizeof text));
    if (code == DONE_OK)
        printf("device %s, %s\n%s", s.device.info.platform_name, s.device.info.name, text);
    sorter_close(&s);
    order_free(&o);
    return code;
}

/* ---- program --------------------------------------------------------------------------------- */

static const command commands[] = {
    { "info", "", "Lists devices, what clsort does on each, and the algorithms",
      "A device has five lines: its name, driver and memory, limits, which algorithm auto takes "
      "for 2^20 elements of 32 bits, and where its choices come from: measured on such devices, "
      "derived from others, or measured here by `clsort tune`.\n"
      "--verbose adds a table of which algorithm auto takes from which count to which. A shape "
      "there is the work-items of a work-group and the elements of each. The choices below it say "
      "up to where few elements are sorted by radix-samples, and from where on radix and "
      "radix-hybrid, on CPUs radix-cached, are taken.\n",
      FOR_INFO, 0, 0, command_info },
    { "gen", " PATTERN", "Writes keys of a pattern",
      "The same pattern, type, count and seed give the same keys. Patterns that integers have, "
      "too, spread over all numbers of a float type: with --nans over all its bit patterns, "
      "infinities and NaNs among them. Floats of `unit` lie between 0 and 1. `gen records` "
      "writes records of 100 bytes as the sort benchmark has them, with a random key of 10 bytes "
      "in front:\n"
      "  clsort gen records -n 2^20 -o records\n"
      "  clsort sort records --record-size 100 --fields bytes10@0 -o sorted\n",
      FOR_GEN, 1, 1, command_gen },
    { "sort", " [IN]", "Sorts a file of keys or records",
      "IN is a file, by default or as - standard input. A raw file holds keys one after the other, "
      "in the machine's byte order. Records in the order of two fields, and of an expression:\n"
      "  clsort sort draws --record-size 16 --fields f32@0:desc,u32@4 -o sorted\n"
      "  clsort sort draws --record-size 8 -o sorted \\\n"
      "      --record-type 'typedef struct { float z; uint id; } clsort_record;' \\\n"
      "      --precedes 'a.z * a.z < b.z * b.z'\n"
      "A file of 200 rows, each sorted on its own:\n"
      "  clsort sort scores --type f32 --order desc --rows 200 -o sorted\n"
      "A file that needs more than --memory is sorted in runs. They go to a temporary file "
      "without a name and are merged from there: each byte is read twice and written twice. With "
      "--rows, --segments or --precedes it must fit into --memory, with what the sort needs beside "
      "it, and into the device's memory.\n",
      FOR_SORT, 0, 1, command_sort },
    { "argsort", " [IN]", "Writes the permutation that sorts a file of keys or records",
      "It is one u32 per key, with --text a line: key number indices[i] of IN, counted from 0, "
      "belongs at position i. "
      "With rows and segments both are counted from the start of each; keys that lie in none of "
      "them get 0. IN must fit into memory and into the device's.\n",
      FOR_ARGSORT, 0, 1, command_argsort },
    { "top", " [IN]", "Writes the first K keys of each row of a file",
      "Rows are not sorted for that. Of equal keys those that come first in their row are taken. "
      "The best 40 of each of 200 rows, and where they were:\n"
      "  clsort top scores --type f32 --order desc --rows 200 --k 40 -o best \\\n"
      "      --indices-output where\n"
      "IN must fit into memory and into the device's.\n",
      FOR_TOP, 0, 1, command_top },
    { "merge", " A B", "Merges two sorted files of keys",
      "Of equal keys those of A come first, each with its value. The result is the stable sort of "
      "A followed by B. Both together must fit into memory, and twice into the device's. "
      "`cat A B` is the input that `clsort verify` compares the result with.\n",
      FOR_MERGE, 2, 2, command_merge },
    { "verify", " INPUT OUTPUT", "Checks that OUTPUT is INPUT, sorted",
      "It works on the host, without OpenCL. It checks the order of all keys, and by two products "
      "modulo 2^61 - 1, at random points, that none is lost or changed: n wrong keys pass with a "
      "chance of n^2 / 2^122 at most. Where something is wrong it compares key by key and prints "
      "the first wrong position, counted from 0.\n"
      "With --zero equal the zeros must keep their order; with --stable the values or indices of "
      "equal keys must, and with --bits keys that are equal in these bits, in rows and segments "
      "also without --stable. Records in the order "
      "of --fields are compared byte by byte: equal ones keep their order. By an expression only "
      "a device can compare: then it checks the order of neighbours, and by sums of hashes that "
      "no record is lost. What lies in no row or segment must be unchanged.\n"
      "Files that need more than --memory are read once, in order. Whether equal elements kept "
      "their order then stays unchecked, and a message says so. Text, pipes, indices, rows, "
      "segments and records by an expression must fit into --memory.\n",
      FOR_VERIFY, 2, 2, command_verify },
    { "bench", "", "Times sorts and checks every result",
      "Keys are in the device's memory; copies and warm-up are not timed. Prints the median time "
      "on the host from enqueue to clFinish, the median by event profiling (0: not available), "
      "keys per second by host time, and the bandwidth of device copies.\n"
      "Algorithms whose names end in \"only\" sort blocks of a work-group: these are checked.\n"
      "Records are filled with keys of --type.\n"
      "\"Of copy\": bytes of elements that a sort reads and writes, as `clsort explain` counts "
      "them, per time, beside that bandwidth.\n"
      "--published repeats an experiment; of Bainville, OpenCL Sorting, 2011, it prints his "
      "Mkey/s (of GPUs of that time, not named).\n"
      "Of several algorithms those that cannot run here are named and left out.\n",
      FOR_BENCH, 0, 0, command_bench },
    { "explain", "", "Says how a sort or a top-k would run",
      "Prints the algorithm, its passes, launches and copies, the bytes of elements that they "
      "read and write, and the bytes of scratch memory. Sorts nothing.\n"
      "  clsort explain --type u32 -n 2^24 --pairs\n",
      FOR_EXPLAIN, 0, 0, command_explain },
    { "tune", "", "Measures which algorithm is best at which count on a device",
      "Measures sorts by all that auto may take, and prints its choices for this device with "
      "their gain; \"no gain here\" is less than 5 %. Choices are kept in the cache, where the "
      "other commands find them; --verbose prints them for programs, too. --seconds counts builds "
      "of kernels, too. After the first one it says how long all may take. Builds of one algorithm "
      "are not cut short. At the end it says up to how many elements each kind was measured. "
      "Please send in what `clsort report` writes of a device that gains.\n",
      FOR_TUNE, 0, 0, command_tune },
    { "report", "", "Writes a text about a device, to be sent in",
      "It has names and versions of device and driver, what clsort reads of the device, and what "
      "the self-test, `tune` and `bench` say: half of --seconds goes to each of these two, the "
      "self-test takes its own. It uses no cache and keeps nothing. Please send it to "
      "the issues of the repository, most of all where something failed:\n"
      "  clsort report -o report.txt\n",
      FOR_REPORT, 0, 0, command_report }
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void program_help(void)
{
    int i;
    puts("Usage: clsort COMMAND [OPTION]...\n\nCommands:");
    for (i = 0; i < COMMAND_COUNT; i++)
        printf("  %-8s %s\n", commands[i].name, commands[i].summary);
    puts("");
    help_print("`clsort COMMAND --help` lists the options of a command.\n"
               "`clsort --version` prints the version.\n\n");
    help_print(exit_codes_help);
}

/* Would raw elements go to a terminal, which nobody asked for? */
static int garbles_terminal(const command *c, const arguments *a)
{
    return c->bit & FOR_RAW && !a->given[OPTION_TEXT] && !a->given[OPTION_FORCE]
           && !a->given[OPTION_LIST] && !strcmp(argument(a, OPTION_OUTPUT, "-"), "-")
           && isatty(STDOUT_FILENO);
}

static int command_run(const command *c, int count, char **words)
{
    static arguments a;
    if (!arguments_parse(c, count, words, &a)) {
        fprintf(stderr, "`clsort %s --help` lists the options\n", c->name);
        return DONE_USAGE;
    }
    if (a.given[OPTION_HELP]) {
        command_help(c);
        return DONE_OK;
    }
    if (garbles_terminal(c, &a))
        return fail(DONE_USAGE, "%s: raw elements are not for a terminal: name a file with -o, or "
                                "add --text or --force", c->name);
    return c->run(&a);
}

/* The command of that name, NULL if there is none. */
static const command *command_find(const char *name)
{
    int i;
    for (i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(name, commands[i].name)) return &commands[i];
    return NULL;
}

static int program_run(int count, char **words)
{
    const char *name = count > 1 ? words[1] : "";
    const int asks_help = !strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help");
    const command *c;
    if (!strcmp(name, "--version")) {
        printf("clsort %d.%d.%d\n", CLSORT_VERSION_MAJOR, CLSORT_VERSION_MINOR,
               CLSORT_VERSION_PATCH);
        return DONE_OK;
    }
    if (asks_help && count == 2) {
        program_help();
        return DONE_OK;
    }
    if (asks_help) name = words[2];
    c = command_find(name);
    if (c && asks_help) command_help(c);
    if (c) return asks_help ? DONE_OK : command_run(c, count - 2, words + 2);
    if (*name) return fail(DONE_USAGE, "unknown command '%s'; `clsort --help` lists them", name);
    program_help();
    return DONE_USAGE;
}

/* A standard stream that is closed would be the next file that is opened: messages could get into
   an output. It becomes one that cannot be used. */
static void streams_guard(void)
{
    int i;
    for (i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
        const int useless = i == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", useless) != i) exit(DONE_IO);
    }
}

int main(int count, char **words)
{
    int code;
    streams_guard();
    code = program_run(count, words);
    if (code == DONE_OK && (fflush(stdout) || ferror(stdout)))
        return fail(DONE_IO, "standard output: %s", strerror(errno));
    return code;
}
