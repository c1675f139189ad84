/* draw.h - descriptions drawn at random, on devices drawn at random, on the driver of mock.h, with
   buffers of exactly the sizes that they need. The same seed draws the same case, if algorithms
   have the same names. Include it behind mock.h.

   draw_seed(c, seed)   draws a case, and makes its context, queue and sorter
   add_buffers(c)       gives c->full, whose description was checked as c->bare, its buffers
   close_case(c)        releases all; nothing may be left
   c->plain             set before: devices are as in draw_kinds, and nothing is tuned */

#ifndef CLSORT_TESTS_DRAW_H
#define CLSORT_TESTS_DRAW_H

#include "harness.h"
#include "later.h"
#include "names.h"

#include "../../tools/clsort/patterns.h"

enum {
    KEYS, KEYS_OUT, VALUES, VALUES_OUT, INDICES, SEGMENTS, ENDS, COUNT, LENGTHS, SCRATCH, ROLES
};

/* One case: a device, a description, and what has happened to it. */
typedef struct drawn {
    uint64_t random;
    int plain;
    mock_facts facts;
    clsort_desc bare, full;         /* without and with buffers */
    int has_indices, has_keys_out, has_values_out, has_count, has_lengths, has_ends;
    int overwrites;
    clsort_field fields[9];
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_mem buffer[ROLES];
    clsort_sorter *sorter;
} drawn;

/* ---- chance ---------------------------------------------------------------------------------- */

static inline cl_uint below(drawn *c, cl_uint n)
{
    return (cl_uint)(pattern_random(&c->random) % n);
}

static inline int one_in(drawn *c, cl_uint n) { return below(c, n) == 0; }

/* Around 2^bits at most, small ones as likely as large ones. */
static inline size_t some_size(drawn *c, cl_uint bits)
{
    const uint64_t x = pattern_random(&c->random) >> (64 - 1 - below(c, bits));
    return (size_t)(one_in(c, 3) ? x & (x - 1) : x);
}

static inline cl_uint power(drawn *c, cl_uint most) { return 1u << below(c, most); }

/* ---- devices --------------------------------------------------------------------------------- */

/* How a further kind differs from the device of mock.h that it begins with; 0: not at all. */
static const struct draw_kind {
    const char *name;
    mock_facts (*facts)(void);
    size_t group, sub_group;
    cl_ulong local_bytes;
    cl_uint units, width, local_type, nvidia;
    cl_bool unified;
} draw_kinds[] = {
    { "CPU", mock_cpu, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "GPU", mock_gpu, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "NVIDIA", mock_nvidia, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "launcher", mock_launcher, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "CPU of one work-item", mock_cpu, 1, 0, 0, 1, 16, 0, 0, 0 },
    { "GPU with groups of 256", mock_gpu, 256, 64, 64 << 10, 60, 0, 0, 0, 0 },
    { "GPU in a CPU", mock_gpu, 512, 8, 64 << 10, 96, 0, 0, 0, 1 },
    { "GPU without local memory", mock_gpu, 256, 0, 32 << 10, 4, 4, CL_GLOBAL, 0, 1 },
    { "small GPU", mock_gpu, 64, 0, 16 << 10, 2, 0, 0, 0, 0 },
    { "old NVIDIA", mock_nvidia, 0, 32, 0, 15, 0, 0, 5, 0 }
};
enum { DRAW_KINDS = sizeof draw_kinds / sizeof *draw_kinds };

static inline mock_facts draw_facts(const struct draw_kind *k)
{
    mock_facts f = k->facts();
    f.name = k->name;
    if (k->group) f.max_group = f.item_sizes[0] = k->group;
    if (k->sub_group) f.sub_group = k->sub_group;
    if (k->local_bytes) f.local_bytes = k->local_bytes;
    if (k->units) f.compute_units = k->units;
    if (k->width) f.vector_width = k->width;
    if (k->local_type) f.local_type = k->local_type;
    if (k->nvidia) f.nvidia_major = k->nvidia;
    if (k->unified) f.unified = k->unified;
    return f;
}

static inline void draw_device(drawn *c)
{
    mock_facts *f = &c->facts;
    *f = draw_facts(&draw_kinds[below(c, DRAW_KINDS)]);
    if (c->plain) return;
    if (one_in(c, 3)) f->local_bytes = some_size(c, 18);
    if (one_in(c, 3)) f->max_group = one_in(c, 4) ? some_size(c, 13) : power(c, 14);
    if (!f->max_group) f->max_group = 1;
    if (one_in(c, 6)) f->item_sizes[0] = power(c, 12);
    if (one_in(c, 4)) f->compute_units = below(c, 300);
    if (one_in(c, 4)) f->vector_width = below(c, 17);
    if (one_in(c, 3)) f->max_allocation = some_size(c, 34) + (1 << 16);
    if (one_in(c, 6)) f->rejects = 1u << 8;
}

/* ---- descriptions ---------------------------------------------------------------------------- */

/* Some bits of the key; seldom such that no key has. */
static inline void draw_bits(drawn *c)
{
    clsort_desc *d = &c->bare;
    const cl_uint width = one_in(c, 20) ? 66 : 8 * (cl_uint)pattern_key_size(d->key_type);
    if (width) d->first_bit = below(c, width);
    if (width) d->last_bit = one_in(c, 2) ? 0 : d->first_bit + 1 + below(c, width - d->first_bit);
    if (!d->top_k && one_in(c, 2)) d->algorithm = CLSORT_RADIX;
}

static inline void draw_order(drawn *c)
{
    static const cl_uint types[] = { CLSORT_U8,   CLSORT_I8,  CLSORT_U16, CLSORT_F16,
                                     CLSORT_BF16, CLSORT_U32, CLSORT_I32, CLSORT_F32,
                                     CLSORT_U64,  CLSORT_I64, CLSORT_F64 };
    clsort_desc *d = &c->bare;
    cl_uint i;
    d->key_type = one_in(c, 100) ? below(c, 0x500) : types[below(c, 11)];
    d->order = one_in(c, 100) ? 2 : below(c, 2);
    d->nan_order = one_in(c, 100) ? 3 : below(c, 3);
    d->zero_order = one_in(c, 100) ? 2 : one_in(c, 4) ? 1 : 0;
    d->stable = below(c, 2);
    if (one_in(c, 8)) draw_bits(c);
    if (one_in(c, 8)) {
        for (i = 0; i < 9; i++) {
            c->fields[i].type = one_in(c, 200)  ? 1
                                : one_in(c, 5) ? CLSORT_BYTES + below(c, one_in(c, 9) ? 70 : 12)
                                               : types[below(c, 11)];
            c->fields[i].offset = 8 * below(c, 8);
            c->fields[i].order = below(c, 2);
        }
        d->fields = c->fields;
        d->field_count = 1 + below(c, 9);
        d->record_size = one_in(c, 20) ? 12 : 64;
    } else if (one_in(c, 8)) {
        d->record_type = "typedef struct { uint key, rest; } clsort_record;";
        d->precedes = one_in(c, 2) ? "a.key < b.key" : "a.rest > b.rest";
        d->record_size = 8;
    }
    if ((d->fields || d->precedes) && !one_in(c, 20))
        d->key_type = d->order = d->nan_order = d->zero_order = 0;
    if ((d->fields || d->precedes) && !one_in(c, 20)) d->first_bit = d->last_bit = 0;
}

static inline void draw_arrays(drawn *c)
{
    static const size_t sizes[] = { 1, 2, 3, 4, 5, 8, 12, 16, 100 };
    clsort_desc *d = &c->bare;
    const size_t key = pattern_key_size(d->key_type);
    d->count = one_in(c, 30) ? (size_t)-1 >> below(c, 30) : some_size(c, 33);
    if (!d->record_size && one_in(c, 6)) d->record_size = key * (1 + below(c, 6));
    if (d->record_size && key && one_in(c, 3)) d->key_offset = key * below(c, 4);
    if ((!d->record_size || one_in(c, 4)) && one_in(c, 2)) d->value_size = sizes[below(c, 9)];
    c->has_indices = one_in(c, 4);
    c->has_keys_out = one_in(c, 4);
    c->has_values_out = d->value_size && (c->has_indices || one_in(c, 3));
    c->overwrites = (c->has_keys_out || c->has_indices) && one_in(c, 3);
    if (c->overwrites) d->flags |= 1024u;   /* CLSORT_FLAG_OVERWRITE_INPUT */
}

/* Strides of outputs, now and then too short. */
static inline void draw_strides(drawn *c, size_t element)
{
    clsort_desc *d = &c->bare;
    const size_t row = d->count >= 1u << 24                   ? 0
                       : !d->top_k || d->flags & 128u         ? d->count
                       : d->flags & CLSORT_FLAG_TOP_NTH       ? 1
                                                              : d->top_k;
    const size_t apart = row + below(c, 9) - (row && one_in(c, 20) ? 1 : 0);
    if (c->has_keys_out && one_in(c, 2)) d->keys_out_row_stride = apart * element;
    if (c->has_values_out && one_in(c, 2)) d->values_out_row_stride = (apart + 1) * d->value_size;
    if (c->has_indices && one_in(c, 2)) d->indices_row_stride = (apart + 2) * 4;
}

static inline void draw_parts(drawn *c)
{
    clsort_desc *d = &c->bare;
    const size_t element = d->record_size ? d->record_size : pattern_key_size(d->key_type);
    const cl_uint kind = below(c, 12);
    if (kind == 0 || kind == 1) d->rows = some_size(c, 12);
    if (kind == 1 && element && d->count < 1u << 30)
        d->row_stride = (d->count + below(c, 9)) * element;
    if (kind == 2) d->segment_count = some_size(c, 20);
    if (kind == 3 || (kind < 3 && one_in(c, 4))) c->has_count = 1;
    if (kind == 4 || kind == 5) d->top_k = one_in(c, 3) ? some_size(c, 20) : 1 + below(c, 100);
    if (kind == 5) d->rows = some_size(c, 12);
    if (d->top_k && !one_in(c, 8)) d->record_size = d->key_offset = 0;
    if (d->top_k)   /* CLSORT_FLAG_TOP_* */
        d->flags |= one_in(c, 4) ? 32u : one_in(c, 4) ? 64u : one_in(c, 4) ? 128u : 0u;
    if (d->top_k && !one_in(c, 8)) d->flags &= ~1024u;
    if (kind == 4 && one_in(c, 3)) d->segment_count = some_size(c, 12);
    if (d->top_k && one_in(c, 5)) c->has_count = 1;
    c->has_ends = d->segment_count && one_in(c, 2);
    c->has_lengths = d->top_k && d->rows && one_in(c, 3);
    if (d->top_k && d->value_size) c->has_values_out = 1;
    if (d->top_k && !d->value_size && !c->has_indices) c->has_keys_out = 1;
    if ((d->rows || (d->top_k && d->segment_count)) && one_in(c, 3)) draw_strides(c, element);
}

static inline void draw_algorithm(drawn *c)
{
    clsort_desc *d = &c->bare;
    char name[2 * CLSORT__NAME_BYTES] = "";
    const cl_uint way = one_in(c, 3) ? below(c, NAMES_WAYS) : 0,
                  i = NAMES_WAYS * below(c, CLSORT__PRESETS) + way;
    const int named = !one_in(c, 4) && names_take(i, name) && *name;
    if (named && !d->precedes && (!d->top_k || one_in(c, 8)))
        CHECK(clsort_set_algorithm(d, name) == CL_SUCCESS);
    if (named && !strncmp(name, "batch", 5) && !d->rows) d->rows = 1;
    if (!named && !d->top_k) d->algorithm = one_in(c, 50) ? 5 : below(c, 5);
    if ((d->segment_count || d->rows > 1 || d->precedes) && !one_in(c, 6))
        CHECK_OK(clsort_set_algorithm(d, one_in(c, 2) ? "auto" : "merge"));
    if (c->plain) return;
    if (one_in(c, 4)) d->tuning.work_group = one_in(c, 20) ? 3 : power(c, 15);
    if (one_in(c, 4)) d->tuning.items = one_in(c, 20) ? 1024 : power(c, 7);
    if (one_in(c, 100)) d->tuning.variant = 1u << below(c, 32);
    if (one_in(c, 200)) d->flags |= 1u << (9 + below(c, 23));
}

static inline void draw(drawn *c)
{
    draw_device(c);
    c->bare = clsort_desc_default();
    draw_order(c);
    draw_arrays(c);
    draw_parts(c);
    draw_algorithm(c);
    c->full = c->bare;
    later(&c->bare, (c->has_indices ? LATER_INDICES : 0u) | (c->has_keys_out ? LATER_KEYS_OUT : 0u)
                        | (c->has_values_out ? LATER_VALUES_OUT : 0u)
                        | (c->has_count ? LATER_COUNT : 0u)
                        | (c->has_lengths ? LATER_LENGTHS : 0u));
}

/* ---- worlds ---------------------------------------------------------------------------------- */

static inline void open_case(drawn *c)
{
    cl_int error = 0;
    mock_reset(c->facts);
    counted_reset();
    mock.traces = 1;
    c->device = (cl_device_id)(void *)&mock_devices[0];
    c->context = mock_clCreateContext(NULL, 1, &c->device, NULL, NULL, &error);
    c->queue = mock_clCreateCommandQueue(
        c->context, c->device, one_in(c, 3) ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
    CHECK_OK(clsort_create(c->context, c->device, NULL, &c->sorter));
}

static inline void close_case(drawn *c)
{
    size_t i;
    clsort_destroy(c->sorter);
    CHECK(counted_nothing_live());
    for (i = 0; i < ROLES; i++)
        if (c->buffer[i]) mock_clReleaseMemObject(c->buffer[i]);
    mock_clReleaseCommandQueue(c->queue);
    mock_clReleaseContext(c->context);
    CHECK(!mock.faults);
}

/* A buffer that ends with its array; 0 if the device cannot have it. */
static inline int add_buffer(drawn *c, int role, cl_mem *place, size_t *offset, size_t step,
                             size_t count, size_t size)
{
    cl_int error = 0;
    if (size && count > ((size_t)-1 >> 8) / size) return 0;
    *offset = step * below(c, 4);
    if (*offset + count * size == 0) *offset = step;
    c->buffer[role] = *place =
        mock_clCreateBuffer(c->context, CL_MEM_READ_WRITE, *offset + count * size, NULL, &error);
    return error == CL_SUCCESS;
}

/* The same for rows of `bytes` bytes, `apart` bytes from one to the next. */
static inline int add_output(drawn *c, int role, cl_mem *place, size_t *offset, size_t step,
                             size_t rows, size_t apart, size_t bytes)
{
    if (apart && rows > ((size_t)-1 >> 8) / apart) return 0;
    return add_buffer(c, role, place, offset, step, bytes ? (rows - 1) * apart + bytes : 0, 1);
}

/* Adds outputs of rows that are `stride` elements apart; `step`: keys begin at multiples of it. */
static inline int add_outputs(drawn *c, size_t element, size_t step, size_t rows, size_t stride)
{
    clsort_desc *d = &c->full;
    const int some = d->top_k && !(d->flags & CLSORT_FLAG_TOP_PARTITION);
    const size_t parts = d->top_k && d->segment_count ? d->segment_count : rows,
                 wanted = !some ? d->count : d->flags & CLSORT_FLAG_TOP_NTH ? 1 : d->top_k,
                 apart = some ? wanted : stride;
    int good = 1;
    if (c->has_keys_out)
        good =
            good
            && add_output(c, KEYS_OUT, &d->keys_out, &d->keys_out_offset, step, parts,
                          d->keys_out_row_stride ? d->keys_out_row_stride : apart * element,
                          wanted * element);
    if (c->has_values_out)
        good = good
               && add_output(c, VALUES_OUT, &d->values_out, &d->values_out_offset, 8, parts,
                             d->values_out_row_stride ? d->values_out_row_stride
                                                      : apart * d->value_size,
                             wanted * d->value_size);
    if (c->has_indices)
        good = good
               && add_output(c, INDICES, &d->indices, &d->indices_offset, 4, parts,
                             d->indices_row_stride ? d->indices_row_stride : apart * 4,
                             wanted * 4);
    return good;
}

/* Gives the description that was checked all its buffers, of exactly the size that they need. */
static inline int add_buffers(drawn *c)
{
    clsort_desc *d = &c->full;
    const size_t element = d->record_size ? d->record_size : pattern_key_size(d->key_type);
    const size_t rows = d->rows ? d->rows : 1,
                 stride = d->row_stride ? d->row_stride / element : d->count;
    const size_t extent = d->count ? (rows - 1) * stride + d->count : 0;
    const size_t step = d->fields ? 8 : d->record_size ? clsort__alignment(element) : element;
    int good = add_buffer(c, KEYS, &d->keys, &d->keys_offset, step, extent, element);
    if (d->value_size)
        good =
            good && add_buffer(c, VALUES, &d->values, &d->values_offset, 8, extent, d->value_size);
    good = good && add_outputs(c, element, step, rows, stride);
    if (c->has_lengths)
        good = good && add_buffer(c, LENGTHS, &d->lengths, &d->lengths_offset, 4, rows, 4);
    if (d->segment_count)
        good = good
               && add_buffer(c, SEGMENTS, &d->segments, &d->segments_offset, 4,
                             d->segment_count + !c->has_ends, 4);
    if (d->segment_count && c->has_ends)
        good = good
               && add_buffer(c, ENDS, &d->segment_ends, &d->segment_ends_offset, 4,
                             d->segment_count, 4);
    if (c->has_count)
        good = good && add_buffer(c, COUNT, &d->count_buffer, &d->count_offset, 4, 1, 4);
    return good;
}

/* Draws a case; the same one for the same seed. */
static inline void draw_seed(drawn *c, uint64_t seed)
{
    const int plain = c->plain;
    memset(c, 0, sizeof *c);
    c->plain = plain;
    c->random = seed;
    draw(c);
    AT("seed %llu on a %s: n %zu, type %x, algorithm %u, values %zu, records %zu, rows %zu, top "
       "%zu, segments %zu, "
       "flags %x, variant %x, work_group %u, items %u",
       (unsigned long long)seed, c->facts.name, c->bare.count, (unsigned)c->bare.key_type,
       (unsigned)c->bare.algorithm, c->bare.value_size, c->bare.record_size, c->bare.rows,
       c->bare.top_k, c->bare.segment_count, (unsigned)c->bare.flags,
       (unsigned)c->bare.tuning.variant, (unsigned)c->bare.tuning.work_group,
       (unsigned)c->bare.tuning.items);
    open_case(c);
}

#endif
