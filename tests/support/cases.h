/* cases.h - one whole sort on a device, checked against the host reference, byte for byte.

   Every array of a case lies in one host image with at least 127 guard elements before and behind
   it. The image goes to the device, is sorted and comes back; it must then equal the expected
   image: results, inputs and guards alike. Only the bytes of scratch memory are free. */

#ifndef CLSORT_TESTS_CASES_H
#define CLSORT_TESTS_CASES_H

#include "harness.h"

#include "../../clsort.h"   /* its implementation, if a program defines that behind harness.h */
#include "../../tools/clsort/patterns.h"
#include "../../tools/clsort/reference.h"

/* The name of each type, in the order of case_types. */
static const struct { cl_uint type; const char *name;
} case_types[] = { { CLSORT_U8, "u8" },   { CLSORT_I8, "i8" },   { CLSORT_U16, "u16" },
                   { CLSORT_I16, "i16" }, { CLSORT_F16, "f16" }, { CLSORT_BF16, "bf16" },
                   { CLSORT_U32, "u32" }, { CLSORT_I32, "i32" }, { CLSORT_F32, "f32" },
                   { CLSORT_U64, "u64" }, { CLSORT_I64, "i64" }, { CLSORT_F64, "f64" } };
enum { CASE_TYPES = sizeof case_types / sizeof *case_types };

static inline const char *case_type_name(cl_uint type)
{
    size_t i = 0;
    while (i + 1 < CASE_TYPES && case_types[i].type != type) i++;
    return case_types[i].name;
}

enum {
    CASE_KEYS,
    CASE_KEYS_OUT,
    CASE_VALUES,
    CASE_VALUES_OUT,
    CASE_INDICES,
    CASE_SCRATCH,
    CASE_SEGMENTS,
    CASE_ENDS,
    CASE_COUNT,
    CASE_ROLES
};

enum { CASE_APART,   /* a buffer for each array */
       CASE_PARENT,  /* all arrays in one buffer */
       CASE_SUB };   /* sub-buffers of one buffer */

enum { CASE_OWN = 1, CASE_SAME };

enum { CASE_WAIT_NONE,   /* no wait list */
       CASE_WAIT_PAST,   /* events that are complete */
       CASE_WAIT_LATER,  /* and one that completes when the call has returned */
       CASE_WAITS };

/* What to sort and how. */
typedef struct sort_case {
    clsort_desc d;            /* without buffers and offsets: case_run fills them in */
    const char *algorithm;    /* NULL: what d says */
    const char *pattern;
    uint64_t seed;
    size_t block;             /* the algorithm sorts blocks of this length only; 0: everything */
    int indices;              /* which outputs the call has ... */
    int keys_out, values_out; /* ... CASE_OWN, or CASE_SAME: the input's own place */
    cl_command_queue queue;   /* NULL: the bench's */
    int wait;                 /* CASE_WAIT_NONE ... */
    int no_event;             /* the call asks for none */
    int own_scratch;          /* the caller brings scratch memory of exactly the documented size
                                 ... */
    int scratch_fill;         /* ... filled with this byte */
    int placement;            /* CASE_APART ... */
    size_t shift;             /* elements more before each array: moves it to other alignments */
    const uint32_t *offsets;  /* d.segment_count + 1 of them: segments */
    const uint32_t *ends;     /* of segments, d.segment_count of them; then the last offset is not
                                 used */
    int counted;              /* the count lies on the device ... */
    uint32_t there;           /* ... and is this */
    int produced;             /* commands enqueued just before the sort write offsets and count */
    int prove;                /* prove the result on the device, too */
    const clsort_field *fields;   /* records in the order of these; key_type and key_offset then
                                     only say what is filled in */
    cl_uint field_count;
} sort_case;

typedef struct case_array {
    size_t element;     /* bytes; 0: the call has no such array */
    size_t count;
    size_t base;        /* first byte in the image, guards included */
    size_t at;          /* first element, from base */
    size_t bytes;       /* guards included */
    cl_mem buffer;
} case_array;

static const uint32_t CASE_OUTSIDE = UINT32_MAX;

typedef struct case_state {
    const sort_case *c;
    clsort_desc d;
    case_array array[CASE_ROLES];
    cl_mem parent;
    size_t bytes;                          /* of the image */
    unsigned char *before, *after, *want;  /* images */
    uint64_t *codes;
    uint32_t *order;                       /* the reference's permutation; CASE_OUTSIDE for what is
                                              not sorted */
    unsigned char *input;                  /* the keys alone */
} case_state;

/* A random number below `below`, which is at least 1. */
static inline size_t draw(uint64_t *random, size_t below)
{
    return (size_t)(pattern_random(random) >> 24) % below;
}

static inline sort_case case_make(cl_uint type, size_t n, const char *pattern)
{
    sort_case c;
    memset(&c, 0, sizeof c);
    c.d = clsort_desc_default();
    c.d.count = n;
    c.d.key_type = type;
    c.pattern = pattern;
    c.seed = 1;
    return c;
}

/* Another sorter for the same device. */
static inline clsort_sorter *fresh_sorter(const bench *b, cl_uint flags)
{
    clsort_options options = clsort_options_default();
    clsort_sorter *s = NULL;
    options.flags = flags;
    CHECK_OK(clsort_create(b->session.context, b->session.info.id, &options, &s));
    return s;
}

static inline const char *case_out(int kind, const char *name)
{
    return kind == CASE_SAME ? ", output in the input's place by name" : kind ? name : "";
}

static inline void case_say(const sort_case *c)
{
    const clsort_desc *d = &c->d;
    char parts[160] = "";
    if (c->offsets)
        snprintf(parts, sizeof parts, ", %zu segments from %u to %u%s", d->segment_count,
                 (unsigned)c->offsets[0], (unsigned)c->offsets[d->segment_count],
                 c->ends ? " with gaps" : "");
    else if (d->rows)
        snprintf(parts, sizeof parts, ", %zu rows, %zu bytes apart; of outputs %zu, %zu, %zu",
                 d->rows, d->row_stride, d->keys_out_row_stride, d->values_out_row_stride,
                 d->indices_row_stride);
    if (c->counted)
        snprintf(parts + strlen(parts), sizeof parts - strlen(parts), ", %u on the device",
                 (unsigned)c->there);
    AT("n %zu%s, %s, bits %u to %u, %s, %s%s%s%s, algorithm %s, value_size %zu, record_size %zu, "
       "key_offset %zu%s%s%s%s, placement %d, shift %zu, "
       "seed %llu, work_group %u, items %u, %s queue, wait %d%s",
       d->count, parts, case_type_name(d->key_type), (unsigned)d->first_bit, (unsigned)d->last_bit,
       c->pattern, d->order ? "descending" : "ascending", d->stable ? ", stable" : "",
       !d->nan_order ? "" : d->nan_order > 1 ? ", NaNs equal" : ", NaNs last",
       d->zero_order ? ", zeros equal" : "",
       c->algorithm ? c->algorithm : "as described", d->value_size, d->record_size, d->key_offset,
       c->indices ? ", indices" : "", case_out(c->keys_out, ", keys_out"),
       case_out(c->values_out, ", values_out"), c->own_scratch ? ", own scratch" : "", c->placement,
       c->shift, (unsigned long long)c->seed, (unsigned)d->tuning.work_group,
       (unsigned)d->tuning.items, c->queue ? "other" : "first", c->wait,
       c->no_event ? ", no event" : "");
}

/* The roles that receive keys and values, CASE_ROLES for none. */
static inline size_t case_keys_target(const sort_case *c)
{
    return c->keys_out == CASE_OWN      ? CASE_KEYS_OUT
           : c->indices && !c->keys_out ? CASE_ROLES
                                        : CASE_KEYS;
}

static inline size_t case_values_target(const sort_case *c)
{
    if (!c->d.value_size) return CASE_ROLES;
    return c->values_out == CASE_OWN      ? CASE_VALUES_OUT
           : c->indices && !c->values_out ? CASE_ROLES
                                          : CASE_VALUES;
}

/* ---- parts: rows, segments, or all ----------------------------------------------------------- */

static inline size_t case_element_size(const sort_case *c)
{
    return c->d.record_size ? c->d.record_size : pattern_key_size(c->d.key_type);
}

/* Elements from the start of one row to that of the next. */
static inline size_t case_row_step(const sort_case *c)
{
    return c->d.row_stride ? c->d.row_stride / case_element_size(c) : c->d.count;
}

/* Elements from the first to the last. */
static inline size_t case_extent(const sort_case *c)
{
    return c->d.rows > 1 && c->d.count ? (c->d.rows - 1) * case_row_step(c) + c->d.count
                                       : c->d.count;
}

/* Bytes from the start of one row of an array to that of the next. */
static inline size_t case_apart(const sort_case *c, size_t role, size_t element)
{
    const size_t given = role == CASE_KEYS_OUT     ? c->d.keys_out_row_stride
                         : role == CASE_VALUES_OUT ? c->d.values_out_row_stride
                         : role == CASE_INDICES    ? c->d.indices_row_stride
                                                   : 0;
    return given ? given : case_row_step(c) * element;
}

static inline int case_has_parts(const sort_case *c)
{
    return c->offsets || c->d.rows > 1 || c->counted;
}

static inline size_t case_part_count(const sort_case *c)
{
    return c->offsets ? c->d.segment_count : c->d.rows ? c->d.rows : 1;
}

/* The end of the last element that counts. */
static inline size_t case_most(const sort_case *c)
{
    return c->counted && c->there < c->d.count ? c->there : c->d.count;
}

static inline size_t case_offset(const sort_case *c, size_t i)
{
    const size_t most = case_most(c);
    return c->offsets[i] < most ? c->offsets[i] : most;
}

static inline size_t case_end(const sort_case *c, size_t i)
{
    const size_t most = case_most(c);
    if (!c->ends) return case_offset(c, i + 1);
    return c->ends[i] < most ? c->ends[i] : most;
}

/* Part i: where it begins, and how many elements it has. */
static inline size_t case_part(const sort_case *c, size_t i, size_t *begin)
{
    *begin = i * case_row_step(c);
    if (!c->offsets) return case_most(c);
    *begin = case_offset(c, i);
    return case_end(c, i) > *begin ? case_end(c, i) - *begin : 0;
}

/* Do the offsets not ascend, or segments reach beyond the next one's begin? Then nothing is
   sorted. */
static inline int case_descends(const sort_case *c)
{
    size_t begin, i;
    for (i = 0; c->offsets && i + (c->ends != NULL) < c->d.segment_count; i++) {
        const size_t length = case_part(c, i, &begin);
        if (begin + length > case_offset(c, i + 1)) return 1;
    }
    return 0;
}

/* The algorithms that end in "only" sort blocks. */
static inline int case_sorts_blocks(const char *algorithm)
{
    size_t n = strlen(algorithm);
    return n >= 4 && !strcmp(algorithm + n - 4, "only");
}

/* The algorithms that begin with "batch" sort rows only; cases have none. */
static inline int case_sorts_rows(const char *algorithm)
{
    return !strncmp(algorithm, "batch", 5);
}

/* The length of the blocks that the case's algorithm sorts first: known when the kernels are built,
   which may take a smaller work-group. */
static inline size_t case_block_length(const bench *b, const sort_case *c)
{
    clsort_desc d = c->d, resolved = d;
    if (!d.count) d.count = 1;
    if (c->indices) d.flags |= CLSORT_FLAG_INDICES;
    if (c->algorithm && !CHECK_OK(clsort_set_algorithm(&d, c->algorithm))) return 1;
    if (clsort_check(b->sorter, &d) == CLSORT_ERROR_UNSUPPORTED) return 1;
    d.flags &= ~(cl_uint)CLSORT_FLAG_NO_BUILD;
    if (!CHECK_OK(clsort_prepare(b->sorter, NULL, &d))
        || !CHECK_OK(clsort_resolve(b->sorter, &d, &resolved)))
        return 1;
    return (size_t)resolved.tuning.work_group * resolved.tuning.items;
}

/* ---- layout ---------------------------------------------------------------------------------- */

static inline size_t case_base_alignment(const bench *b)
{
    cl_uint bits = 0;
    clGetDeviceInfo(b->session.info.id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL);
    return bits / 8 > 16 ? bits / 8 : 16;
}

static inline void case_set_elements(case_state *s, size_t scratch)
{
    const sort_case *c = s->c;
    size_t row = case_element_size(c);
    s->array[CASE_KEYS].element = row;
    s->array[CASE_KEYS_OUT].element = c->keys_out == CASE_OWN ? row : 0;
    s->array[CASE_VALUES].element = c->d.value_size;
    s->array[CASE_VALUES_OUT].element = c->values_out == CASE_OWN ? c->d.value_size : 0;
    s->array[CASE_INDICES].element = c->indices ? sizeof(cl_uint) : 0;
    s->array[CASE_SCRATCH].element = scratch ? 16 : 0;
    s->array[CASE_SEGMENTS].element = c->offsets ? sizeof(cl_uint) : 0;
    s->array[CASE_ENDS].element = c->offsets && c->ends ? sizeof(cl_uint) : 0;
    s->array[CASE_COUNT].element = c->counted ? sizeof(cl_uint) : 0;
}

/* The elements that an output has more than the input, because its rows are farther apart. */
static inline size_t case_longer(const case_state *s, size_t role)
{
    const size_t element = s->array[role].element, step = case_row_step(s->c) * element,
                 apart = element ? case_apart(s->c, role, element) : 0;
    return s->c->d.rows > 1 && apart > step
               ? ((s->c->d.rows - 1) * (apart - step) + element - 1) / element
               : 0;
}

static inline size_t case_array_count(const case_state *s, size_t role, size_t scratch)
{
    return role == CASE_SCRATCH    ? (scratch + 15) / 16
           : role == CASE_SEGMENTS ? s->c->d.segment_count + !s->c->ends
           : role == CASE_ENDS     ? s->c->d.segment_count
           : role == CASE_COUNT    ? 1
                                   : case_extent(s->c) + case_longer(s, role);
}

/* Gives every array its place in the image. */
static inline void case_lay_out(case_state *s, const bench *b, size_t scratch)
{
    size_t align = case_base_alignment(b), guard = 127 + s->c->shift, role;
    case_set_elements(s, scratch);
    for (role = 0; role < CASE_ROLES; role++) {
        case_array *a = &s->array[role];
        a->count = case_array_count(s, role, scratch);
        a->base = s->bytes;
        a->at = guard * a->element;
        a->bytes = a->element * (a->count + guard + 127);
        s->bytes += (a->bytes + align - 1) / align * align;
    }
}

static inline unsigned char *case_element(const case_state *s, unsigned char *image, size_t role,
                                          size_t i)
{
    const case_array *a = &s->array[role];
    return image + a->base + a->at + i * a->element;
}

/* The place in an output for what is element i among the rows of the input. */
static inline unsigned char *case_place(const case_state *s, unsigned char *image, size_t role,
                                        size_t i)
{
    const case_array *a = &s->array[role];
    const size_t step = case_row_step(s->c);
    if (s->c->d.rows <= 1) return case_element(s, image, role, i);
    return image + a->base + a->at + i / step * case_apart(s->c, role, a->element)
           + i % step * a->element;
}

/* Image before the sort: noise, keys, values that begin with their index as far as it fits, scratch
   with its byte. */
static inline void case_fill(case_state *s)
{
    const sort_case *c = s->c;
    size_t key = pattern_key_size(c->d.key_type), n = case_extent(c), i;
    uint64_t noise = c->seed;
    for (i = 0; i < s->bytes; i += 8) {
        uint64_t bits = pattern_random(&noise);
        memcpy(s->before + i, &bits, s->bytes - i < 8 ? s->bytes - i : 8);
    }
    pattern_fill(pattern_find(c->pattern), c->d.key_type, n, c->seed,
                 s->c->block ? s->c->block : 1024, s->input);
    for (i = 0; i < n; i++) {
        uint32_t number = (uint32_t)i;
        memcpy(case_element(s, s->before, CASE_KEYS, i) + c->d.key_offset, s->input + i * key, key);
        if (c->d.value_size >= 4) memcpy(case_element(s, s->before, CASE_VALUES, i), &number, 4);
    }
    if (s->array[CASE_SCRATCH].element)
        memset(case_element(s, s->before, CASE_SCRATCH, 0), c->scratch_fill,
               16 * s->array[CASE_SCRATCH].count);
    if (c->offsets)
        memcpy(case_element(s, s->before, CASE_SEGMENTS, 0), c->offsets,
               4 * s->array[CASE_SEGMENTS].count);
    if (s->array[CASE_ENDS].element)
        memcpy(case_element(s, s->before, CASE_ENDS, 0), c->ends, 4 * s->array[CASE_ENDS].count);
    if (c->counted) memcpy(case_element(s, s->before, CASE_COUNT, 0), &c->there, 4);
}

/* ---- device ---------------------------------------------------------------------------------- */

/* The least access that the role's contract asks for. */
static inline cl_mem_flags case_access(const case_state *s, size_t role)
{
    if (role == CASE_KEYS && case_keys_target(s->c) != CASE_KEYS) return CL_MEM_READ_ONLY;
    if (role == CASE_VALUES && case_values_target(s->c) != CASE_VALUES) return CL_MEM_READ_ONLY;
    if (role == CASE_SEGMENTS || role == CASE_ENDS || role == CASE_COUNT) return CL_MEM_READ_ONLY;
    return CL_MEM_READ_WRITE;
}

static inline int case_create(case_state *s, const bench *b)
{
    cl_context context = b->session.context;
    cl_int error = CL_SUCCESS;
    size_t role;
    if (s->c->placement != CASE_APART)
        s->parent = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, s->bytes,
                                   s->before, &error);
    for (role = 0; role < CASE_ROLES && error == CL_SUCCESS; role++) {
        case_array *a = &s->array[role];
        cl_buffer_region region;
        if (!a->element) continue;
        region.origin = a->base;
        region.size = a->bytes;
        if (s->c->placement == CASE_APART)
            a->buffer = clCreateBuffer(context, case_access(s, role) | CL_MEM_COPY_HOST_PTR,
                                       a->bytes, s->before + a->base, &error);
        else if (s->c->placement == CASE_SUB)
            a->buffer = clCreateSubBuffer(s->parent, case_access(s, role),
                                          CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    }
    return CHECK(error == CL_SUCCESS);
}

static inline cl_mem case_buffer(const case_state *s, size_t role, size_t *offset)
{
    const case_array *a = &s->array[role];
    *offset = 0;
    if (!a->element) return NULL;
    *offset = a->at + (s->c->placement == CASE_PARENT ? a->base : 0);
    return s->c->placement == CASE_PARENT ? s->parent : a->buffer;
}

static inline void case_describe(case_state *s)
{
    clsort_desc *d = &s->d;
    d->keys = case_buffer(s, CASE_KEYS, &d->keys_offset);
    d->keys_out = case_buffer(s, CASE_KEYS_OUT, &d->keys_out_offset);
    d->values = case_buffer(s, CASE_VALUES, &d->values_offset);
    d->values_out = case_buffer(s, CASE_VALUES_OUT, &d->values_out_offset);
    d->indices = case_buffer(s, CASE_INDICES, &d->indices_offset);
    d->scratch = case_buffer(s, CASE_SCRATCH, &d->scratch_offset);
    d->segments = case_buffer(s, CASE_SEGMENTS, &d->segments_offset);
    d->segment_ends = case_buffer(s, CASE_ENDS, &d->segment_ends_offset);
    d->count_buffer = case_buffer(s, CASE_COUNT, &d->count_offset);
    if (s->c->keys_out == CASE_SAME) d->keys_out = d->keys, d->keys_out_offset = d->keys_offset;
    if (s->c->values_out == CASE_SAME)
        d->values_out = d->values, d->values_out_offset = d->values_offset;
}

static inline int case_read(case_state *s, cl_command_queue queue)
{
    cl_int error = CL_SUCCESS;
    size_t role;
    memcpy(s->after, s->before, s->bytes);
    if (s->parent)
        return CHECK(
            clEnqueueReadBuffer(queue, s->parent, CL_TRUE, 0, s->bytes, s->after, 0, NULL, NULL)
            == CL_SUCCESS);
    for (role = 0; role < CASE_ROLES && error == CL_SUCCESS; role++) {
        const case_array *a = &s->array[role];
        if (a->element)
            error = clEnqueueReadBuffer(queue, a->buffer, CL_TRUE, 0, a->bytes, s->after + a->base,
                                        0, NULL, NULL);
    }
    return CHECK(error == CL_SUCCESS);
}

/* Does the call itself wait until it has sorted? */
static inline int case_blocks(const sort_case *c)
{
    return (c->algorithm && !strcmp(c->algorithm, "quicksort-host"))
           || c->d.tuning.scheduler == CLSORT_SCHEDULER_HOST;
}

/* Wait list of a case: two events, of which the second may still be open. */
static inline int case_waits(const sort_case *c, const bench *b, cl_event *wait)
{
    cl_int error = CL_SUCCESS, error2 = CL_SUCCESS;
    wait[0] = wait[1] = NULL;
    if (c->wait == CASE_WAIT_NONE) return 1;
    wait[0] = clCreateUserEvent(b->session.context, &error);
    wait[1] = clCreateUserEvent(b->session.context, &error2);
    if (!CHECK(error == CL_SUCCESS && error2 == CL_SUCCESS)) return 0;
    if (c->wait == CASE_WAIT_PAST || case_blocks(c)) clSetUserEventStatus(wait[1], CL_COMPLETE);
    return CHECK(clSetUserEventStatus(wait[0], CL_COMPLETE) == CL_SUCCESS);
}

/* Waits for the event or, without one, for the queue. */
static inline int case_finish(const sort_case *c, cl_command_queue queue, cl_event done)
{
    cl_int state = CL_COMPLETE;
    if (c->no_event) return CHECK(clFinish(queue) == CL_SUCCESS);
    if (!CHECK(done != NULL)) return 0;
    if (CHECK(clWaitForEvents(1, &done) == CL_SUCCESS))
        clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    clReleaseEvent(done);
    return CHECK(state == CL_COMPLETE);
}

/* Spoils offsets and count, and enqueues copies that put them right; on in-order queues. */
static inline int case_produce(const case_state *s, const bench *b, cl_command_queue queue,
                               size_t role)
{
    const case_array *a = &s->array[role];
    cl_mem right;
    cl_int error;
    if (!s->c->produced || !a->element) return 1;
    right = clCreateBuffer(b->session.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, a->bytes,
                           s->before + a->base, &error);
    if (!CHECK(error == CL_SUCCESS)) return 0;
    error = clEnqueueWriteBuffer(queue, a->buffer, CL_TRUE, 0, a->bytes, s->before, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        error = clEnqueueCopyBuffer(queue, right, a->buffer, 0, 0, a->bytes, 0, NULL, NULL);
    clReleaseMemObject(right);
    return CHECK(error == CL_SUCCESS);
}

/* The fingerprint of the input, before the sort. */
static inline int case_prove_input(const case_state *s, const bench *b, cl_command_queue queue,
                                   cl_mem *proof)
{
    cl_int error;
    if (!s->c->prove) return 1;
    *proof = clCreateBuffer(b->session.context, CL_MEM_READ_WRITE, sizeof(clsort_proof), NULL,
                            &error);
    return CHECK(error == CL_SUCCESS)
           && CHECK_OK(
               clsort_enqueue_fingerprint(b->sorter, queue, &s->d, *proof, 0, 0, NULL, NULL))
           && CHECK(clFinish(queue) == CL_SUCCESS);
}

/* What the device says of the output; it must tell that offsets do not ascend. */
static inline int case_prove_output(const case_state *s, const bench *b, cl_command_queue queue,
                                    cl_mem proof)
{
    const int wrong = case_descends(s->c) && s->c->d.count > 1;
    clsort_proof p;
    return !proof
           || (CHECK_OK(clsort_enqueue_verify(b->sorter, queue, &s->d, proof, 0, 0, NULL, NULL))
               && CHECK(clFinish(queue) == CL_SUCCESS)
               && CHECK(clEnqueueReadBuffer(queue, proof, CL_TRUE, 0, sizeof p, &p, 0, NULL, NULL)
                        == CL_SUCCESS)
               && CHECK_STATUS(clsort_judge(&p), wrong ? CLSORT_ERROR_WRONG_RESULT : CL_SUCCESS));
}

/* Sorts and waits; the event must be there and complete. */
static inline int case_sort(case_state *s, const bench *b)
{
    cl_command_queue queue = s->c->queue ? s->c->queue : b->session.queue;
    cl_event done = NULL, wait[2], *place = s->c->no_event ? NULL : &done;
    cl_uint n_wait = s->c->wait ? 2 : 0, i;
    cl_mem proof = NULL;
    int good = case_waits(s->c, b, wait) && case_prove_input(s, b, queue, &proof);
    good = good && case_produce(s, b, queue, CASE_SEGMENTS) && case_produce(s, b, queue, CASE_ENDS)
           && case_produce(s, b, queue, CASE_COUNT);
    if (good) {
        good = CHECK_OK(
            clsort_enqueue_sort(b->sorter, queue, &s->d, n_wait, n_wait ? wait : NULL, place));
        if (s->c->wait == CASE_WAIT_LATER && !case_blocks(s->c))
            clSetUserEventStatus(wait[1], CL_COMPLETE);
        good = good && case_finish(s->c, queue, done);
    }
    for (i = 0; i < 2; i++)
        if (wait[i]) clReleaseEvent(wait[i]);
    good = good && case_prove_output(s, b, queue, proof);
    if (proof) clReleaseMemObject(proof);
    return good && case_read(s, queue);
}

/* ---- expectation ----------------------------------------------------------------------------- */

/* The stable permutation of `length` elements from `first` on. */
static inline int case_reference_part(case_state *s, size_t first, size_t length)
{
    size_t i;
    if (!CHECK(reference_argsort(s->codes + first, length, s->order + first))) return 0;
    for (i = 0; i < length; i++) s->order[first + i] += (uint32_t)first;
    return 1;
}

/* The codes of the keys, or of the places of records in the order of fields. */
static inline int case_reference_codes(case_state *s)
{
    size_t n = case_extent(s->c);
    if (s->c->fields)
        return CHECK(
            reference_record_codes(case_element(s, s->before, CASE_KEYS, 0), n, &s->d, s->codes));
    reference_codes(s->input, pattern_key_size(s->c->d.key_type), n, &s->c->d, s->codes);
    return 1;
}

/* That of each part or block. */
static inline int case_reference(case_state *s)
{
    size_t n = case_extent(s->c), block = s->c->block ? s->c->block : n + 1, first, i;
    if (!case_reference_codes(s)) return 0;
    for (first = 0; first < n && !case_has_parts(s->c); first += block)
        if (!case_reference_part(s, first, n - first < block ? n - first : block)) return 0;
    if (!case_has_parts(s->c)) return 1;
    for (i = 0; i < n; i++) s->order[i] = CASE_OUTSIDE;
    for (i = 0; i < case_part_count(s->c); i++) {
        const size_t length = case_part(s->c, i, &first);
        if (length && !case_reference_part(s, first, length)) return 0;
    }
    return 1;
}

/* Kernels that launch kernels are optional: does the device lack what this algorithm needs? */
static inline int case_lacks(const bench *b, const char *algorithm)
{
    clsort_desc d = clsort_desc_default();
    d.key_type = CLSORT_U32;
    return algorithm && !strcmp(algorithm, "quicksort-device")
           && CHECK_OK(clsort_set_algorithm(&d, algorithm))
           && clsort_check(b->sorter, &d) == CLSORT_ERROR_UNSUPPORTED;
}

/* Merge and radix are stable, asked or not, but for hybrid radix of values; so are rows, if only
   one, and segments. */
static inline int case_is_stable(const sort_case *c)
{
    if (case_has_parts(c) || c->d.rows) return 1;
    if (c->algorithm && !strcmp(c->algorithm, "radix-hybrid") && c->d.value_size && !c->indices)
        return c->d.stable != 0;
    if (c->algorithm ? !strncmp(c->algorithm, "merge", 5) || !strncmp(c->algorithm, "radix", 5)
                     : c->d.algorithm == CLSORT_MERGE || c->d.algorithm == CLSORT_RADIX) return 1;
    return c->d.stable || (c->d.zero_order == CLSORT_ZERO_EQUAL && pattern_is_float(c->d.key_type));
}

/* Indices of an unstable argsort are taken from the result, once they are known to be a sorting
   permutation. */
static inline int case_adopt_indices(case_state *s)
{
    size_t n = s->c->d.count, i;
    uint32_t *found = (uint32_t *)malloc(n * 4 + 1);
    int good = CHECK(found != NULL);
    if (good && n) memcpy(found, case_element(s, s->after, CASE_INDICES, 0), n * 4);
    good = good && CHECK(reference_is_permutation(found, n));
    for (i = 0; good && i < n; i++) good = CHECK(s->codes[found[i]] == s->codes[s->order[i]]);
    if (good && n) memcpy(s->order, found, n * 4);
    free(found);
    return good;
}

/* target[i] of the expected image = source[order[i]] of the input. */
static inline void case_permute(case_state *s, size_t source, size_t target)
{
    size_t n = case_extent(s->c), i;
    for (i = 0; i < n; i++)
        if (s->order[i] != CASE_OUTSIDE)
            memcpy(case_place(s, s->want, target, i),
                   case_element(s, s->before, source, s->order[i]), s->array[source].element);
}

/* Indices count from the start of their part. */
static inline void case_expect_indices(case_state *s)
{
    size_t parts = case_has_parts(s->c) ? case_part_count(s->c) : 1, part, i;
    for (part = 0; part < parts; part++) {
        size_t first = 0,
               length = case_has_parts(s->c) ? case_part(s->c, part, &first) : s->c->d.count;
        for (i = 0; i < length; i++) {
            const uint32_t index = s->order[first + i] - (uint32_t)first;
            memcpy(case_place(s, s->want, CASE_INDICES, first + i), &index, sizeof index);
        }
    }
}

/* Where offsets do not ascend, an output may hold anything; what is sorted in place stays. */
static inline void case_expect_unsorted(case_state *s, size_t role)
{
    const case_array *a = &s->array[role];
    if (a->element)
        memcpy(s->want + a->base + a->at, s->after + a->base + a->at, a->count * a->element);
}

static inline void case_expect(case_state *s)
{
    const case_array *scratch = &s->array[CASE_SCRATCH];
    size_t keys = case_keys_target(s->c), values = case_values_target(s->c);
    memcpy(s->want, s->before, s->bytes);
    if (case_descends(s->c)) {
        case_expect_unsorted(s, CASE_KEYS_OUT);
        case_expect_unsorted(s, CASE_VALUES_OUT);
        case_expect_unsorted(s, CASE_INDICES);
    } else {
        if (keys < CASE_ROLES) case_permute(s, CASE_KEYS, keys);
        if (values < CASE_ROLES) case_permute(s, CASE_VALUES, values);
        if (s->c->indices) case_expect_indices(s);
    }
    if (scratch->element)
        memcpy(case_element(s, s->want, CASE_SCRATCH, 0),
               case_element(s, s->after, CASE_SCRATCH, 0), s->d.scratch_size);
}

/* ---- unstable results: rows of equal keys in any order --------------------------------------- */

static size_t case_row_bytes;

static inline int case_compare_rows(const void *a, const void *b)
{
    return memcmp(a, b, case_row_bytes);
}

static inline void case_collect_rows(const case_state *s, unsigned char *image, unsigned char *rows)
{
    size_t keys = case_keys_target(s->c), values = case_values_target(s->c), i;
    size_t key_bytes = s->array[CASE_KEYS].element,
           value_bytes = values < CASE_ROLES ? s->array[values].element : 0;
    for (i = 0; i < s->c->d.count; i++, rows += case_row_bytes) {
        memcpy(rows, case_element(s, image, keys, i), key_bytes);
        if (value_bytes) memcpy(rows + key_bytes, case_element(s, image, values, i), value_bytes);
    }
}

/* Sorts the rows inside each run of equal codes that lies in one block. */
static inline void case_settle_rows(const case_state *s, unsigned char *rows)
{
    size_t n = s->c->d.count, block = s->c->block ? s->c->block : n + 1, i, end;
    for (i = 0; i < n; i = end) {
        uint64_t code = s->codes[s->order[i]];
        for (end = i + 1; end < n && end % block && s->codes[s->order[end]] == code;) end++;
        if (end - i > 1)
            qsort(rows + i * case_row_bytes, end - i, case_row_bytes, case_compare_rows);
    }
}

/* Is the result the expected one but for the order of rows with equal keys? If so it becomes the
   expected one. */
static inline int case_forgive_ties(case_state *s)
{
    size_t keys = case_keys_target(s->c), values = case_values_target(s->c), n = s->c->d.count;
    unsigned char *rows;
    int good;
    case_row_bytes = s->array[CASE_KEYS].element
                     + (values < CASE_ROLES ? s->array[values].element : 0);
    rows = (unsigned char *)malloc(2 * n * case_row_bytes + 1);
    if (!CHECK(rows != NULL)) return 0;
    case_collect_rows(s, s->after, rows);
    case_collect_rows(s, s->want, rows + n * case_row_bytes);
    case_settle_rows(s, rows);
    case_settle_rows(s, rows + n * case_row_bytes);
    good = !memcmp(rows, rows + n * case_row_bytes, n * case_row_bytes);
    free(rows);
    if (!good || !n) return good;
    memcpy(case_element(s, s->want, keys, 0), case_element(s, s->after, keys, 0),
           n * s->array[keys].element);
    if (values < CASE_ROLES)
        memcpy(case_element(s, s->want, values, 0), case_element(s, s->after, values, 0),
               n * s->array[values].element);
    return 1;
}

/* ---- whole ----------------------------------------------------------------------------------- */

static inline int case_verify(case_state *s)
{
    int ties = !case_is_stable(s->c) && !s->c->indices
               && (s->c->d.value_size || s->c->d.record_size);
    if (!case_descends(s->c) && !case_reference(s)) return 0;
    if (s->c->indices && !case_is_stable(s->c) && !case_adopt_indices(s)) return 0;
    case_expect(s);
    if (ties && !CHECK(case_forgive_ties(s))) return 0;
    return CHECK(!memcmp(s->want, s->after, s->bytes));
}

static inline int case_allocate(case_state *s)
{
    size_t n = case_extent(s->c);
    s->before = (unsigned char *)malloc(s->bytes);
    s->after = (unsigned char *)malloc(s->bytes);
    s->want = (unsigned char *)malloc(s->bytes);
    s->input = (unsigned char *)malloc(n * 8 + 1);
    s->codes = (uint64_t *)malloc(n * 8 + 1);
    s->order = (uint32_t *)malloc(n * 4 + 1);
    return CHECK(s->before && s->after && s->want && s->input && s->codes && s->order);
}

static inline void case_release(case_state *s)
{
    size_t role;
    for (role = 0; role < CASE_ROLES; role++)
        if (s->array[role].buffer) clReleaseMemObject(s->array[role].buffer);
    if (s->parent) clReleaseMemObject(s->parent);
    free(s->before);
    free(s->after);
    free(s->want);
    free(s->input);
    free(s->codes);
    free(s->order);
}

/* Flags that tell clsort_scratch_size what the call will have. */
static inline cl_uint case_role_flags(const sort_case *c)
{
    cl_uint flags = 0;
    if (c->indices) flags |= CLSORT_FLAG_INDICES;
    if (c->keys_out) flags |= CLSORT_FLAG_KEYS_OUT;
    if (c->values_out) flags |= CLSORT_FLAG_VALUES_OUT;
    if (c->counted) flags |= CLSORT_FLAG_COUNT_BUFFER;
    return flags;
}

/* Scratch memory by the documented size, from the flags alone. An output in the input's place shows
   only in the buffers: then there is room for more, and case_exact_scratch says how much of it the
   call gets. */
static inline int case_scratch(const bench *b, const sort_case *c, clsort_desc *d, size_t *bytes)
{
    const int same = c->keys_out == CASE_SAME || c->values_out == CASE_SAME;
    size_t n = case_extent(c), in_place = 0;
    int good;
    d->flags |= case_role_flags(c);
    good = CHECK_OK(clsort_scratch_size(b->sorter, d, bytes));
    d->flags &= ~(cl_uint)(CLSORT_FLAG_KEYS_OUT | CLSORT_FLAG_VALUES_OUT);
    if (same && !d->keys_out_row_stride && !d->values_out_row_stride)
        good = CHECK_OK(clsort_scratch_size(b->sorter, d, &in_place)) && good;
    d->flags = c->d.flags;
    if (in_place > *bytes) *bytes = in_place;
    if (c->keys_out == CASE_SAME) *bytes += n * case_element_size(c) + 16;
    if (c->values_out == CASE_SAME) *bytes += n * c->d.value_size + 16;
    /* if only one is in place, by index */
    if (case_has_parts(c) && same) *bytes += n * (case_element_size(c) + 8) + 48;
    return good;
}

/* Gives the call exactly what the description with its buffers needs. */
static inline int case_exact_scratch(case_state *s, const bench *b, size_t room)
{
    clsort_desc d = s->d;
    if (!s->c->own_scratch) return 1;
    d.scratch = NULL;
    d.scratch_offset = 0;
    if (!CHECK_OK(clsort_scratch_size(b->sorter, &d, &s->d.scratch_size))
        || !CHECK(s->d.scratch_size <= room))
        return 0;
    return s->c->keys_out == CASE_SAME || s->c->values_out == CASE_SAME
           || CHECK(s->d.scratch_size == room);
}

/* The description as it is checked without buffers. */
static inline int case_begin(case_state *s, const sort_case *c)
{
    memset(s, 0, sizeof *s);
    s->c = c;
    s->d = c->d;
    if (c->fields) {
        s->d.fields = c->fields;
        s->d.field_count = c->field_count;
        s->d.key_type = 0;
        s->d.key_offset = 0;
    }
    return !c->algorithm || CHECK_OK(clsort_set_algorithm(&s->d, c->algorithm));
}

/* Runs the case and checks everything about it; returns 1 if all is well. */
static inline int case_run(const bench *b, const sort_case *c)
{
    case_state s;
    size_t scratch = 0;
    int good;
    case_say(c);
    if (case_lacks(b, c->algorithm)) return 1;
    if (!case_begin(&s, c)) return 0;
    if (c->own_scratch && !case_scratch(b, c, &s.d, &scratch)) return 0;
    case_lay_out(&s, b, scratch);
    good = case_allocate(&s);
    if (good) case_fill(&s);
    good = good && case_create(&s, b);
    if (good) case_describe(&s);
    good = good && case_exact_scratch(&s, b, scratch) && case_sort(&s, b) && case_verify(&s);
    case_release(&s);
    return good;
}

#endif
