/* on_device.h - keys made and results checked on the device, by kernels of the tests' own: for
   arrays that a host would take seconds to fill, sort and compare.

   A recipe says how keys are made: as codes, unsigned numbers in the ascending order of the key
   type. A result is right if the codes of neighbours ascend, and if the elements are those of the
   input: two sums of 64 bits over hashes of all elements are the same. */

#ifndef CLSORT_TESTS_ON_DEVICE_H
#define CLSORT_TESTS_ON_DEVICE_H

#include "harness.h"

#include "../../tools/clsort/patterns.h"

enum { DEVICE_PARTS = 72,         /* the most of a recipe */
       DEVICE_GUARD = 1024,       /* elements before and behind an array */
       DEVICE_FILL = 0xA5,        /* each byte of what holds no data */
       DEVICE_ITEMS = 1 << 16 };  /* the most work-items of a kernel */

/* How keys are made; the kernels know these numbers, too. */
enum { DEVICE_MIXED,      /* drawn from the parts */
       DEVICE_RANKED,     /* sorted runs of `length`, 0: one; each other one descends if `down` */
       DEVICE_GEOMETRIC,  /* all lengths of numbers up to `length` bits, counted from `from` */
       DEVICE_UNIT };     /* floats below 1, above -1 if `down`, spread evenly */

/* Part i is drawn by numbers of 32 bits below until[i] and not below until[i - 1]. */
typedef struct device_recipe {
    uint64_t shape, seed, length, from, down;
    uint64_t strays;        /* one of so many keys of runs is random; 0: none */
    uint64_t keep, fixed;   /* the other bits of codes are those of `fixed` */
    uint64_t mantissa;      /* bits; of floats */
    uint64_t parts, low[DEVICE_PARTS], span[DEVICE_PARTS], until[DEVICE_PARTS];
} device_recipe;

/* What the check looks at. */
enum { DEVICE_ORDER = 1,     /* codes ascend */
       DEVICE_STABLE = 2,    /* values of equal ones, too */
       DEVICE_VALUES = 4,    /* `values` are the elements' values ... */
       DEVICE_PLACES = 8,    /* ... or their places are ... */
       DEVICE_INDICES = 16,  /* ... or `values` say where the keys are ... */
       DEVICE_SORTED = 32 }; /* ... which are in `sorted`, too, in their order */

static const char device_codes_text[] =
    "#define SIGN ((K)1 << (WIDTH - 1))\n"
    "K code_of(K bits, uint kind)\n"
    "{\n"
    "    if (kind == 0) return bits;\n"
    "    return kind == 1 || !(bits & SIGN) ? bits ^ SIGN : ~bits;\n"
    "}\n"
    "K bits_of(K code, uint kind)\n"
    "{\n"
    "    if (kind == 0) return code;\n"
    "    return kind == 1 || code & SIGN ? code ^ SIGN : ~code;\n"
    "}\n"
    "ulong mix(ulong a, ulong b)\n"
    "{\n"
    "    ulong z = (a + 1) * 0x9E3779B97F4A7C15UL ^ (b + 1) * 0xD1342543DE82EF95UL;\n"
    "    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9UL;\n"
    "    z = (z ^ z >> 27) * 0x94D049BB133111EBUL;\n"
    "    return z ^ z >> 31;\n"
    "}\n";

static const char device_fill_text[] =
    "typedef struct {\n"
    "    ulong shape, seed, length, from, down, strays, keep, fixed, mantissa;\n"
    "    ulong parts, low[PARTS], span[PARTS], until[PARTS];\n"
    "} recipe;\n"
    "K mixed(global const recipe *r, ulong a, ulong b)\n"
    "{\n"
    "    ulong part = 0;\n"
    "    while (part + 1 < r->parts && (a & 0xFFFFFFFF) >= r->until[part]) part++;\n"
    "    const ulong span = r->span[part];\n"
    "    return (K)(r->low[part] + (span == ~0UL ? b : b % (span + 1)));\n"
    "}\n"
    "K ranked(global const recipe *r, ulong i, ulong n, ulong a, ulong b)\n"
    "{\n"
    "    const ulong length = r->length ? r->length : n, run = i / length;\n"
    "    const ulong at = i % length, place = r->down && run % 2 ? length - 1 - at : at;\n"
    "    if (r->strays && a % r->strays == 0) return (K)b;\n"
    "    return (K)(place * (~0UL / length) >> (64 - WIDTH));\n"
    "}\n"
    "K geometric(global const recipe *r, ulong a, ulong b)\n"
    "{\n"
    "    const ulong far = b >> (63 - a % (r->length + 1)) >> 1;\n"
    "    return (K)(r->down ? r->from - far : r->from + far);\n"
    "}\n"
    "/* The bits of a float b / 2^64. */\n"
    "K unit(global const recipe *r, ulong a, ulong b)\n"
    "{\n"
    "    const ulong zeros = clz(b), bias = ((ulong)1 << (WIDTH - 2 - r->mantissa)) - 1;\n"
    "    const ulong fraction = zeros < 63 ? b << zeros << 1 >> (64 - r->mantissa) : 0;\n"
    "    const K bits = b ? (K)((bias - 1 - zeros << r->mantissa) + fraction) : 0;\n"
    "    return code_of(r->down && a & 1 ? bits | SIGN : bits, 2);\n"
    "}\n"
    "/* One key for each work-item: number places[i], or i. */\n"
    "kernel void fill(global K *keys, ulong at, ulong n, uint kind, global const recipe *r,\n"
    "                 global const uint *places, uint use_places)\n"
    "{\n"
    "    const ulong i = get_global_id(0), to = use_places ? places[i] : i;\n"
    "    const ulong a = mix(r->seed, 2 * i), b = mix(r->seed, 2 * i + 1);\n"
    "    const K code = r->shape == 0   ? mixed(r, a, b)\n"
    "                   : r->shape == 1 ? ranked(r, i, n, a, b)\n"
    "                   : r->shape == 2 ? geometric(r, a, b)\n"
    "                                   : unit(r, a, b);\n"
    "    keys[at + to] = bits_of((K)(code & r->keep | r->fixed & ~r->keep), kind);\n"
    "}\n"
    "kernel void count_up(global uint *values, ulong at)\n"
    "{\n"
    "    values[at + get_global_id(0)] = get_global_id(0);\n"
    "}\n";

static const char device_check_text[] =
    "/* The key of element j, and its value; a wrong index is counted. */\n"
    "K load(global const K *keys, ulong at, global const uint *values, ulong values_at, ulong j,\n"
    "       ulong n, uint what, ulong *value, ulong *wrong)\n"
    "{\n"
    "    *value = what & (VALUES | INDICES) ? values[values_at + j] : what & PLACES ? j : 0;\n"
    "    if (!(what & INDICES)) return keys[at + j];\n"
    "    *wrong += *value >= n;\n"
    "    return *value < n ? keys[at + *value] : 0;\n"
    "}\n"
    "/* For each work-item: two sums of hashes; neighbours in wrong order, and wrong places. */\n"
    "kernel void check(global const K *keys, ulong at, global const uint *values,\n"
    "                  ulong values_at, global const K *sorted, ulong sorted_at, ulong n,\n"
    "                  uint kind, ulong flip, ulong shift, uint what, global ulong *sums)\n"
    "{\n"
    "    ulong one = 0, other = 0, disordered = 0, wrong = 0, ignored = 0, j;\n"
    "    for (j = get_global_id(0); j < n; j += get_global_size(0)) {\n"
    "        ulong value, next_value;\n"
    "        const K bits = load(keys, at, values, values_at, j, n, what, &value, &wrong);\n"
    "        const ulong hash = mix(mix(bits, 7), value);\n"
    "        one += hash;\n"
    "        other += mix(hash, bits);\n"
    "        if (what & SORTED) wrong += sorted[sorted_at + j] != bits;\n"
    "        if (!(what & ORDER) || j + 1 == n) continue;\n"
    "        const K next = load(keys, at, values, values_at, j + 1, n, what, &next_value,\n"
    "                            &ignored);\n"
    "        const K a = (code_of(bits, kind) ^ (K)flip) - (K)shift;\n"
    "        const K b = (code_of(next, kind) ^ (K)flip) - (K)shift;\n"
    "        disordered += a > b || (what & STABLE && a == b && value >= next_value);\n"
    "    }\n"
    "    sums += 4 * get_global_id(0);\n"
    "    sums[0] = one;\n"
    "    sums[1] = other;\n"
    "    sums[2] = disordered;\n"
    "    sums[3] = wrong;\n"
    "}\n"
    "/* Counts words around an array that are not what they were. */\n"
    "kernel void guard(global const uint *words, ulong before, ulong behind, global uint *wrong)\n"
    "{\n"
    "    const ulong i = get_global_id(0);\n"
    "    if (words[i < before ? i : i - before + behind] != FILL) atomic_inc(wrong);\n"
    "}\n"
    "/* And values that are not their places. */\n"
    "kernel void counted(global const uint *values, ulong at, global uint *wrong)\n"
    "{\n"
    "    if (values[at + get_global_id(0)] != get_global_id(0)) atomic_inc(wrong);\n"
    "}\n";

/* Kernels for keys of one size. */
typedef struct device_kernels {
    cl_command_queue queue;
    cl_program program;
    cl_kernel fill, count_up, check, guard, counted;
    cl_mem recipe, sums, wrong;
    uint64_t *host_sums;
} device_kernels;

typedef struct device_sums { uint64_t hash[2], disordered, wrong; } device_sums;

/* ---- recipes --------------------------------------------------------------------------------- */

static inline device_recipe device_recipe_make(uint64_t shape, uint64_t seed)
{
    device_recipe r;
    memset(&r, 0, sizeof r);
    r.shape = shape;
    r.seed = seed;
    r.keep = UINT64_MAX;
    return r;
}

/* span + 1 codes from `low` on; `share` of 2^32 keys. The last part gets the rest. */
static inline void device_add_part(device_recipe *r, uint64_t low, uint64_t span, uint64_t share)
{
    const uint64_t before = r->parts ? r->until[r->parts - 1] : 0;
    r->low[r->parts] = low;
    r->span[r->parts] = span;
    r->until[r->parts++] = before + share;
}

/* How a type's bits become codes. */
static inline cl_uint device_kind(cl_uint type)
{
    return pattern_is_float(type) ? 2u : type == CLSORT_I32 || type == CLSORT_I64;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static inline cl_kernel device_kernel(const device_kernels *k, const char *name)
{
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(k->program, name, &error);
    CHECK(error == CL_SUCCESS);
    return kernel;
}

/* Builds the kernels for keys of 4 or 8 bytes; 0 if that fails. */
static inline int device_build(const bench *b, size_t key, device_kernels *k)
{
    const char *text[] = { device_codes_text, device_fill_text, device_check_text };
    char options[300];
    cl_int error;
    snprintf(options, sizeof options,
             "-DK=%s -DWIDTH=%d -DPARTS=%d -DORDER=%d -DSTABLE=%d -DVALUES=%d -DPLACES=%d"
             " -DINDICES=%d -DSORTED=%d -DFILL=0x%xu",
             key == 8 ? "ulong" : "uint", (int)(8 * key), DEVICE_PARTS, DEVICE_ORDER,
             DEVICE_STABLE, DEVICE_VALUES, DEVICE_PLACES, DEVICE_INDICES, DEVICE_SORTED,
             DEVICE_FILL * 0x1010101u);
    memset(k, 0, sizeof *k);
    k->queue = b->session.queue;
    k->program = clCreateProgramWithSource(b->session.context, 3, text, NULL, &error);
    if (!CHECK(k->program != NULL)
        || !CHECK(clBuildProgram(k->program, 1, &b->session.info.id, options, NULL, NULL)
                  == CL_SUCCESS))
        return 0;
    k->fill = device_kernel(k, "fill");
    k->count_up = device_kernel(k, "count_up");
    k->check = device_kernel(k, "check");
    k->guard = device_kernel(k, "guard");
    k->counted = device_kernel(k, "counted");
    k->recipe = test_buffer(b, sizeof(device_recipe), NULL);
    k->sums = test_buffer(b, DEVICE_ITEMS * sizeof(device_sums), NULL);
    k->wrong = test_buffer(b, sizeof(cl_uint), NULL);
    k->host_sums = (uint64_t *)malloc(DEVICE_ITEMS * sizeof(device_sums));
    return k->fill && k->count_up && k->check && k->guard && k->counted && k->host_sums;
}

static inline void device_release(device_kernels *k)
{
    const cl_mem buffers[] = { k->recipe, k->sums, k->wrong };
    const cl_kernel kernels[] = { k->fill, k->count_up, k->check, k->guard, k->counted };
    size_t i;
    for (i = 0; i < 3; i++)
        if (buffers[i]) clReleaseMemObject(buffers[i]);
    for (i = 0; i < 5; i++)
        if (kernels[i]) clReleaseKernel(kernels[i]);
    if (k->program) clReleaseProgram(k->program);
    free(k->host_sums);
    memset(k, 0, sizeof *k);
}

/* An argument of a kernel: its address and size. */
typedef struct device_argument { const void *value; size_t size; } device_argument;

#define DEVICE_ARGUMENT(x) { &(x), sizeof(x) }

static inline int device_run(const device_kernels *k, cl_kernel kernel, size_t items,
                             const device_argument *arguments, cl_uint count)
{
    cl_int error = CL_SUCCESS;
    cl_uint i;
    if (!items) return 1;
    for (i = 0; i < count && error == CL_SUCCESS; i++)
        error = clSetKernelArg(kernel, i, arguments[i].size, arguments[i].value);
    if (error == CL_SUCCESS)
        error = clEnqueueNDRangeKernel(k->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    return CHECK(error == CL_SUCCESS);
}

#define DEVICE_RUN(k, kernel, items, arguments) \
    device_run(k, kernel, items, arguments, (cl_uint)(sizeof arguments / sizeof *arguments))

/* Makes `items` keys of an array of n that begins with key number `at`: one at each of `places`,
   or, with NULL, all. */
static inline int device_fill(const device_kernels *k, cl_mem keys, cl_ulong at, cl_ulong n,
                              cl_uint type, const device_recipe *r, cl_mem places, size_t items)
{
    const cl_uint kind = device_kind(type), use_places = places != NULL;
    const cl_mem some = places ? places : k->recipe;
    const device_argument arguments[] = { DEVICE_ARGUMENT(keys),   DEVICE_ARGUMENT(at),
                                          DEVICE_ARGUMENT(n),      DEVICE_ARGUMENT(kind),
                                          DEVICE_ARGUMENT(k->recipe), DEVICE_ARGUMENT(some),
                                          DEVICE_ARGUMENT(use_places) };
    return CHECK(clEnqueueWriteBuffer(k->queue, k->recipe, CL_TRUE, 0, sizeof *r, r, 0, NULL, NULL)
                 == CL_SUCCESS)
           && DEVICE_RUN(k, k->fill, items, arguments);
}

static inline int device_count_up(const device_kernels *k, cl_mem values, cl_ulong at, size_t n)
{
    const device_argument arguments[] = { DEVICE_ARGUMENT(values), DEVICE_ARGUMENT(at) };
    return DEVICE_RUN(k, k->count_up, n, arguments);
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* An array of a case: where its first element is, how many, and of which size. */
typedef struct device_array {
    cl_mem buffer;
    cl_ulong at;
    size_t n, element;
} device_array;

static inline size_t device_array_bytes(const device_array *a)
{
    return ((size_t)a->at + a->n + DEVICE_GUARD) * a->element;
}

/* Fills an array with what holds no data, guards included. */
static inline int device_clear(const device_kernels *k, const device_array *a)
{
    static const unsigned char fill = DEVICE_FILL;
    return CHECK(clEnqueueFillBuffer(k->queue, a->buffer, &fill, 1, 0, device_array_bytes(a), 0,
                                     NULL, NULL)
                 == CL_SUCCESS);
}

/* What `wrong` counted of a kernel that counts there; UINT64_MAX if it did not run. */
static inline uint64_t device_count(const device_kernels *k, cl_kernel kernel, size_t items,
                                    const device_argument *arguments, cl_uint count)
{
    cl_uint wrong = 0;
    cl_int error = clEnqueueWriteBuffer(k->queue, k->wrong, CL_TRUE, 0, sizeof wrong, &wrong, 0,
                                        NULL, NULL);
    if (error != CL_SUCCESS || !device_run(k, kernel, items, arguments, count)) return UINT64_MAX;
    error = clEnqueueReadBuffer(k->queue, k->wrong, CL_TRUE, 0, sizeof wrong, &wrong, 0, NULL,
                                NULL);
    return error == CL_SUCCESS ? wrong : UINT64_MAX;
}

/* Words of 4 bytes around an array that have changed. */
static inline uint64_t device_guards_changed(const device_kernels *k, const device_array *a)
{
    const cl_ulong before = a->at * a->element / 4, behind = (a->at + a->n) * a->element / 4;
    const device_argument arguments[] = { DEVICE_ARGUMENT(a->buffer), DEVICE_ARGUMENT(before),
                                          DEVICE_ARGUMENT(behind), DEVICE_ARGUMENT(k->wrong) };
    return device_count(k, k->guard, (size_t)before + DEVICE_GUARD * a->element / 4, arguments, 4);
}

/* Values that are not their places. */
static inline uint64_t device_values_changed(const device_kernels *k, const device_array *a)
{
    const device_argument arguments[] = { DEVICE_ARGUMENT(a->buffer), DEVICE_ARGUMENT(a->at),
                                          DEVICE_ARGUMENT(k->wrong) };
    return device_count(k, k->counted, a->n, arguments, 3);
}

static inline size_t device_items(size_t n)
{
    size_t items = 64;
    while (items < n / 16 && items < DEVICE_ITEMS) items *= 2;
    return items;
}

/* Looks at the elements of `keys` in the order of a description; `values` and `sorted` may be
   NULL where `what` does not name them. Returns 0 if the device fails. */
static inline int device_check(const device_kernels *k, const clsort_desc *d, cl_uint what,
                               const device_array *keys, const device_array *values,
                               const device_array *sorted, device_sums *sums)
{
    const device_array *v = values ? values : keys, *s = sorted ? sorted : keys;
    const cl_ulong n = keys->n, flip = d->order == CLSORT_DESCENDING ? UINT64_MAX : 0;
    const cl_uint kind = device_kind(d->key_type);
    const cl_ulong shift = kind == 2 && d->nan_order == CLSORT_NAN_LAST
                               ? (UINT64_C(1) << reference_mantissa(d->key_type)) - 1
                               : 0;
    const device_argument arguments[] = {
        DEVICE_ARGUMENT(keys->buffer), DEVICE_ARGUMENT(keys->at),  DEVICE_ARGUMENT(v->buffer),
        DEVICE_ARGUMENT(v->at),        DEVICE_ARGUMENT(s->buffer), DEVICE_ARGUMENT(s->at),
        DEVICE_ARGUMENT(n),            DEVICE_ARGUMENT(kind),      DEVICE_ARGUMENT(flip),
        DEVICE_ARGUMENT(shift),        DEVICE_ARGUMENT(what),      DEVICE_ARGUMENT(k->sums)
    };
    const size_t items = device_items(keys->n);
    size_t i;
    memset(sums, 0, sizeof *sums);
    if (!DEVICE_RUN(k, k->check, items, arguments)
        || !CHECK(clEnqueueReadBuffer(k->queue, k->sums, CL_TRUE, 0, items * sizeof *sums,
                                      k->host_sums, 0, NULL, NULL)
                  == CL_SUCCESS))
        return 0;
    for (i = 0; i < items; i++) {
        sums->hash[0] += k->host_sums[4 * i];
        sums->hash[1] += k->host_sums[4 * i + 1];
        sums->disordered += k->host_sums[4 * i + 2];
        sums->wrong += k->host_sums[4 * i + 3];
    }
    return 1;
}

#endif
