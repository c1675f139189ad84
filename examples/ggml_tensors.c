/* Demonstrates argsort and top-k as operators of a tensor library such as ggml: tensors have up to
   four dimensions, ne elements each, nb bytes apart, and lie somewhere in one buffer. A hook says
   which operators the backend takes; clsort_check answers it without building or running anything.

   cc -O2 -I.. ggml_tensors.c -o ggml_tensors -lOpenCL */

#define CL_TARGET_OPENCL_VERSION 120
#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tensor library's side ---- */

enum { TYPE_F32, TYPE_F16, TYPE_I32, TYPE_COUNT };

typedef struct tensor {
    int type;
    size_t ne[4];           /* elements of each dimension, the innermost first */
    size_t nb[4];           /* bytes from one element of a dimension to the next */
    cl_mem buffer;
    size_t offset;          /* bytes */
} tensor;

enum { OP_ARGSORT, OP_TOP_K };

/* dst, of TYPE_I32, receives indices: all of a row, or as many as it has room for. */
typedef struct operation {
    int op;
    int descending;
    const tensor *src;
    const tensor *dst;
} operation;

/* ---- the backend ---- */

static size_t size_of(int type) { return type == TYPE_F16 ? 2 : 4; }

static cl_uint key_type_of(int type)
{
    static const cl_uint key_types[TYPE_COUNT] = { CLSORT_F32, CLSORT_F16, CLSORT_I32 };
    return key_types[type];
}

/* Dimensions 1 to `dims` - 1 whose rows lie at one distance in both tensors: these are sorted in
   one call. */
static int dims_in_one_call(const operation *o)
{
    int dims = 2;
    while (dims < 4
           && (o->src->ne[dims] == 1
               || (o->src->nb[dims] == o->src->ne[dims - 1] * o->src->nb[dims - 1]
                   && o->dst->nb[dims] == o->dst->ne[dims - 1] * o->dst->nb[dims - 1])))
        dims++;
    return dims;
}

/* The description of the rows in the first `dims` dimensions. */
static clsort_desc describe(const operation *o, int dims)
{
    clsort_desc d = clsort_desc_default();
    int i;
    d.count = o->src->ne[0];
    d.rows = 1;
    for (i = 1; i < dims; i++) d.rows *= o->src->ne[i];
    d.row_stride = o->src->nb[1];
    d.indices_row_stride = o->dst->nb[1];
    d.key_type = key_type_of(o->src->type);
    d.order = o->descending ? CLSORT_DESCENDING : CLSORT_ASCENDING;
    d.nan_order = CLSORT_NAN_LAST;
    d.keys = o->src->buffer;
    d.keys_offset = o->src->offset;
    d.indices = o->dst->buffer;
    d.indices_offset = o->dst->offset;
    d.top_k = o->op == OP_TOP_K ? o->dst->ne[0] : 0;
    if (!d.indices) d.indices = CLSORT_LATER;   /* the tensors have no memory yet */
    return d;
}

/* The hook: would this operator run here? */
static int supports_op(clsort_sorter *sorter, const operation *o)
{
    const size_t wanted = o->op == OP_TOP_K ? o->dst->ne[0] : o->src->ne[0];
    clsort_desc d;
    int i;
    if (o->dst->type != TYPE_I32 || o->dst->ne[0] != wanted) return 0;
    if (o->src->nb[0] != size_of(o->src->type) || o->dst->nb[0] != 4) return 0;   /* transposed */
    for (i = 1; i < 4; i++)
        if (o->src->ne[i] != o->dst->ne[i]) return 0;
    d = describe(o, dims_in_one_call(o));
    return clsort_check(sorter, &d) == CL_SUCCESS;
}

/* Enqueues the operator: one call, or one for each slice of rows that lie at one distance. */
static clsort_status compute(clsort_sorter *sorter, cl_command_queue queue, const operation *o)
{
    const int dims = dims_in_one_call(o);
    const size_t slices_2 = dims > 2 ? 1 : o->src->ne[2], slices_3 = dims > 3 ? 1 : o->src->ne[3];
    size_t i2, i3;
    if (o->dst->ne[0] * o->dst->ne[1] * o->dst->ne[2] * o->dst->ne[3] == 0) return CL_SUCCESS;
    for (i3 = 0; i3 < slices_3; i3++)
        for (i2 = 0; i2 < slices_2; i2++) {
            clsort_desc d = describe(o, dims);
            clsort_status status;
            d.keys_offset += i2 * o->src->nb[2] + i3 * o->src->nb[3];
            d.indices_offset += i2 * o->dst->nb[2] + i3 * o->dst->nb[3];
            status = clsort_enqueue_sort(sorter, queue, &d, 0, NULL, NULL);
            if (status != CL_SUCCESS) return status;
        }
    return CL_SUCCESS;
}

/* ---- a test of it ---- */

enum { WORDS = 1 << 16 };

static char before[WORDS * 4], after[WORDS * 4];

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, clsort_status_text(status));
    exit(EXIT_FAILURE);
}

/* A tensor without gaps but for `padding` bytes between rows. */
static tensor make_tensor(cl_mem buffer, size_t offset, int type, size_t n0, size_t n1, size_t n2,
                          size_t n3, size_t padding)
{
    tensor t;
    t.type = type;
    t.ne[0] = n0, t.ne[1] = n1, t.ne[2] = n2, t.ne[3] = n3;
    t.nb[0] = size_of(type);
    t.nb[1] = n0 * t.nb[0] + padding;
    t.nb[2] = n1 * t.nb[1];
    t.nb[3] = n2 * t.nb[2];
    t.buffer = buffer;
    t.offset = offset;
    return t;
}

/* The same elements with two dimensions exchanged, as ggml_permute leaves them. */
static tensor permuted(tensor t, int a, int b)
{
    const size_t ne = t.ne[a], nb = t.nb[a];
    t.ne[a] = t.ne[b], t.nb[a] = t.nb[b];
    t.ne[b] = ne, t.nb[b] = nb;
    return t;
}

static float element(const tensor *t, const char *memory, const size_t i[4])
{
    float x;
    memcpy(&x, memory + t->offset + i[0] * t->nb[0] + i[1] * t->nb[1] + i[2] * t->nb[2]
               + i[3] * t->nb[3], 4);
    return x;
}

/* How many indices of the row at `at` are not those of a stable sort. */
static int wrong_in_row(const operation *o, const size_t at[4])
{
    size_t i, j, other[4];
    int wrong = 0;
    memcpy(other, at, sizeof other);
    for (i = 0; i < o->dst->ne[0]; i++) {
        size_t rank = 0;
        cl_int index;
        float key, x;
        memcpy(&index, after + o->dst->offset + i * 4 + at[1] * o->dst->nb[1]
                       + at[2] * o->dst->nb[2] + at[3] * o->dst->nb[3], 4);
        if (index < 0 || (size_t)index >= o->src->ne[0]) return 1;
        other[0] = (size_t)index;
        key = element(o->src, before, other);
        for (j = 0; j < o->src->ne[0]; j++) {
            other[0] = j;
            x = element(o->src, before, other);
            if (o->descending ? x > key : x < key) rank++;
            else if (!(x < key) && !(x > key)) rank += j < (size_t)index;
        }
        wrong += rank != i;
    }
    return wrong;
}

static int wrong_in(const operation *o)
{
    size_t at[4] = { 0, 0, 0, 0 };
    int wrong = 0;
    for (at[3] = 0; at[3] < o->src->ne[3]; at[3]++)
        for (at[2] = 0; at[2] < o->src->ne[2]; at[2]++)
            for (at[1] = 0; at[1] < o->src->ne[1]; at[1]++) wrong += wrong_in_row(o, at);
    return wrong;
}

/* Runs one operator, and says how many indices are wrong. */
static int run(clsort_sorter *sorter, cl_command_queue queue, const char *name, operation o)
{
    int wrong;
    if (!supports_op(sorter, &o)) {
        printf("%-26s not supported\n", name);
        return 1;
    }
    check(compute(sorter, queue, &o), "compute");
    check(clEnqueueReadBuffer(queue, o.dst->buffer, CL_TRUE, 0, sizeof after, after, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    wrong = wrong_in(&o);
    printf("%-26s %d call%s, %d wrong\n", name,
           (int)((dims_in_one_call(&o) > 2 ? 1 : o.src->ne[2])
                 * (dims_in_one_call(&o) > 3 ? 1 : o.src->ne[3])),
           dims_in_one_call(&o) > 3 ? "" : "s", wrong);
    return wrong;
}

static int run_all(clsort_sorter *sorter, cl_command_queue queue, cl_mem buffer)
{
    const tensor x = make_tensor(buffer, 64, TYPE_F32, 100, 4, 3, 2, 0);
    const tensor padded = make_tensor(buffer, 64, TYPE_F32, 100, 4, 3, 2, 28);
    const tensor heads = permuted(x, 1, 2), transposed = permuted(x, 0, 1);
    const tensor all = make_tensor(buffer, 65536, TYPE_I32, 100, 4, 3, 2, 0);
    const tensor of_heads = make_tensor(buffer, 65536, TYPE_I32, 100, 3, 4, 2, 0);
    const tensor best = make_tensor(buffer, 65536, TYPE_I32, 8, 4, 3, 2, 0);
    const tensor too_many = make_tensor(buffer, 65536, TYPE_I32, 200, 4, 3, 2, 0);
    operation o;
    int wrong = 0;
    o.op = OP_ARGSORT, o.descending = 1, o.src = &x, o.dst = &all;
    wrong += run(sorter, queue, "argsort", o);
    o.descending = 0, o.src = &padded;
    wrong += run(sorter, queue, "argsort, padded rows", o);
    o.src = &heads, o.dst = &of_heads;
    wrong += run(sorter, queue, "argsort, permuted", o);
    o.op = OP_TOP_K, o.descending = 1, o.src = &padded, o.dst = &best;
    wrong += run(sorter, queue, "top-k, padded rows", o);
    o.dst = &too_many;
    wrong += supports_op(sorter, &o) != 0;
    o.op = OP_ARGSORT, o.src = &transposed, o.dst = &all;
    wrong += supports_op(sorter, &o) != 0;
    printf("%-26s refused by the hook\n", "top-k above a row");
    printf("%-26s refused by the hook\n", "argsort, transposed");
    return wrong;
}

int main(void)
{
    clsort_sorter *sorter;
    cl_command_queue queue;
    cl_mem buffer;
    cl_int status;
    int i, wrong;

    for (i = 0; i < WORDS; i++) {
        const float x = (float)((unsigned)i * 2654435761u >> 25);
        memcpy(before + i * 4, &x, 4);
    }
    check(clsort_create(NULL, NULL, NULL, &sorter), "clsort_create");
    queue = clCreateCommandQueue(clsort_context(sorter), clsort_device(sorter), 0, &status);
    check(status, "clCreateCommandQueue");
    buffer = clCreateBuffer(clsort_context(sorter), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                            sizeof before, before, &status);
    check(status, "clCreateBuffer");
    wrong = run_all(sorter, queue, buffer);
    if (memcmp(before, after, 65536) != 0) wrong++;   /* the sources are only read */
    printf("%d wrong\n", wrong);
    clsort_destroy(sorter);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
