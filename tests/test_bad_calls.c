/* Bad calls: each gets its documented code, two at once the one that is checked first; nothing is
   enqueued or written. */

#include "harness.h"

#include "../tools/clsort/patterns.h"

/* Counts the implementation's calls that enqueue something. */
static int enqueued;

static void note_call(const char *function) { enqueued += !strncmp(function, "clEnqueue", 9); }

#define CLSORT_CL(function) (note_call(#function), function)
#define CLSORT_IMPLEMENTATION
#include "../clsort.h"

static int bad_calls;   /* of one program run, printed at the end of each test */

/* ---- world: good and bad objects ------------------------------------------------------------- */

enum { N = 100, BYTES = 4096, GOOD_BUFFERS = 6 };
enum { KEYS, KEYS_OUT, VALUES, VALUES_OUT, INDICES, SCRATCH };

typedef struct world {
    const bench *b;
    clsort_sorter *fresh;               /* has built nothing */
    cl_mem good[GOOD_BUFFERS];          /* BYTES each */
    cl_mem read_only, write_only, exact, part, overlapping, read_only_part, image;
    cl_context other_context;
    cl_command_queue other_queue;
    cl_mem other_buffer;
    cl_event event, other_event;
    unsigned char before[BYTES];
} world;

static cl_mem make_buffer(cl_context context, cl_mem_flags flags, size_t bytes,
                          const unsigned char *data)
{
    cl_int error = 0;
    cl_mem buffer = clCreateBuffer(context, flags, bytes, NULL, &error);
    cl_command_queue queue = test_now.device->session.queue;
    if (CHECK(error == CL_SUCCESS) && data)
        CHECK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL)
              == CL_SUCCESS);
    return buffer;
}

static cl_mem make_part(cl_mem parent, size_t origin, size_t size)
{
    cl_buffer_region region;
    cl_int error = 0;
    cl_mem part;
    region.origin = origin;
    region.size = size;
    part = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    CHECK(error == CL_SUCCESS);
    return part;
}

/* An image, NULL on a device without images. */
static cl_mem make_image(cl_context context)
{
    cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };
    cl_image_desc shape;
    cl_int error = 0;
    cl_mem image;
    memset(&shape, 0, sizeof shape);
    shape.image_type = CL_MEM_OBJECT_IMAGE2D;
    shape.image_width = shape.image_height = 32;
    image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &shape, NULL, &error);
    return error == CL_SUCCESS ? image : NULL;
}

static void open_other_context(world *w)
{
    cl_context_properties properties[3] = { CL_CONTEXT_PLATFORM, 0, 0 };
    cl_device_id device = w->b->session.info.id;
    cl_int error = 0;
    properties[1] = (cl_context_properties)w->b->session.info.platform;
    w->other_context = clCreateContext(properties, 1, &device, NULL, NULL, &error);
    CHECK(error == CL_SUCCESS);
    w->other_queue = clCreateCommandQueue(w->other_context, device, 0, &error);
    CHECK(error == CL_SUCCESS);
    w->other_buffer = make_buffer(w->other_context, CL_MEM_READ_WRITE, BYTES, NULL);
    w->other_event = clCreateUserEvent(w->other_context, &error);
    CHECK(error == CL_SUCCESS);
}

static void open_world(world *w, const bench *b)
{
    cl_context context = b->session.context;
    uint64_t noise = 1;
    size_t i;
    cl_int error = 0;
    memset(w, 0, sizeof *w);
    w->b = b;
    for (i = 0; i < BYTES; i++) w->before[i] = (unsigned char)(pattern_random(&noise) >> 56);
    for (i = 0; i < GOOD_BUFFERS; i++)
        w->good[i] = make_buffer(context, CL_MEM_READ_WRITE, BYTES, w->before);
    w->read_only = make_buffer(context, CL_MEM_READ_ONLY, BYTES, w->before);
    w->write_only = make_buffer(context, CL_MEM_WRITE_ONLY, BYTES, w->before);
    w->exact = make_buffer(context, CL_MEM_READ_WRITE, 4 * N, w->before);
    w->part = make_part(w->good[KEYS], 0, BYTES);
    w->overlapping = make_part(w->good[KEYS], 0, 2048);
    w->read_only_part = make_part(w->read_only, 0, BYTES);
    w->image = make_image(context);
    w->event = clCreateUserEvent(context, &error);
    CHECK(error == CL_SUCCESS);
    open_other_context(w);
    CHECK_OK(clsort_create(context, b->session.info.id, NULL, &w->fresh));
}

static void close_world(world *w)
{
    cl_mem all[8];
    size_t i;
    all[0] = w->read_only_part, all[1] = w->overlapping, all[2] = w->part, all[3] = w->exact;
    all[4] = w->write_only, all[5] = w->read_only, all[6] = w->other_buffer, all[7] = w->image;
    for (i = 0; i < 8; i++)
        if (all[i]) clReleaseMemObject(all[i]);
    for (i = 0; i < GOOD_BUFFERS; i++) clReleaseMemObject(w->good[i]);
    clSetUserEventStatus(w->event, CL_COMPLETE);
    clSetUserEventStatus(w->other_event, CL_COMPLETE);
    clReleaseEvent(w->event);
    clReleaseEvent(w->other_event);
    clReleaseCommandQueue(w->other_queue);
    clReleaseContext(w->other_context);
    clsort_destroy(w->fresh);
}

static int buffer_is_intact(const world *w, cl_mem buffer)
{
    unsigned char now[BYTES];
    cl_int error = clEnqueueReadBuffer(w->b->session.queue, buffer, CL_TRUE, 0, BYTES, now, 0, NULL,
                                       NULL);
    return CHECK(error == CL_SUCCESS) && CHECK(!memcmp(now, w->before, BYTES));
}

static int world_is_intact(const world *w)
{
    size_t i;
    int good = buffer_is_intact(w, w->read_only);
    for (i = 0; i < GOOD_BUFFERS; i++) good = buffer_is_intact(w, w->good[i]) && good;
    return good;
}

/* ---- calls and faults ------------------------------------------------------------------------ */

typedef struct call {
    clsort_sorter *sorter;
    cl_command_queue queue;
    clsort_desc d;
    int no_desc;
    cl_uint n_wait;
    const cl_event *wait;
    cl_event list[2];
} call;

/* Parts of a call that a fault changes; two faults meet only if they change different ones.
   values_out needs values. */
enum {
    P_SORTER = 1,
    P_QUEUE = 2,
    P_DESC = 4,
    P_WAIT = 8,
    P_TYPE = 16,
    P_TUNING = 32,
    P_FLAGS = 64,
    P_KEYS = 128,
    P_KEYS_OUT = 256,
    P_VALUES = 512,
    P_VALUES_OUT = 1024 | P_VALUES,
    P_INDICES = 2048,
    P_SCRATCH = 4096,
    P_COUNT = 8192,
    P_EXTRA = 16384,
    P_ORDER = 32768,
    P_PARTS = 65536 | P_TUNING | P_ORDER /* merge alone sorts rows and segments, and by no
                                              comparator */
};

typedef struct fault {
    const char *name;
    void (*apply)(call *c, const world *w);
    clsort_status code;
    int parts;
} fault;

#define FAULT(function, body) static void function(call *c, const world *w) { (void)w; body; }

FAULT(no_sorter, c->sorter = NULL)
FAULT(no_queue, c->queue = NULL)
FAULT(no_desc, c->no_desc = 1)
FAULT(wait_null, c->n_wait = 1)
static void use_name(call *c, const char *name)
{
    CHECK_OK(clsort_set_algorithm(&c->d, name));
}

FAULT(wait_zero, c->wait = c->list; c->list[0] = w->event)
FAULT(wait_hole, c->wait = c->list; c->list[0] = w->event; c->list[1] = NULL; c->n_wait = 2)
FAULT(type_zero, c->d.key_type = 0)
FAULT(type_odd, c->d.key_type = 0x121)
FAULT(type_f8, c->d.key_type = 0x308)
FAULT(type_bf32, c->d.key_type = 0x420)
FAULT(bad_order, c->d.order = 2)
FAULT(bad_nan_order, c->d.nan_order = 3)
FAULT(bad_zero_order, c->d.zero_order = 2)
FAULT(bad_algorithm, c->d.algorithm = 99)
FAULT(bad_variant, c->d.algorithm = CLSORT_BITONIC; c->d.tuning.variant = 4)
FAULT(other_variant, use_name(c, "radix-hybrid"); c->d.algorithm = CLSORT_MERGE)
FAULT(variant_of_auto, use_name(c, "bitonic+start"); c->d.algorithm = CLSORT_AUTO)
FAULT(reserved_tuning, c->d.tuning.reserved_1 = 1)
FAULT(more_reserved_tuning, c->d.tuning.reserved[11] = 1)
FAULT(bad_group, c->d.tuning.work_group = 3)
FAULT(bad_items, c->d.tuning.items = 3)
FAULT(flag_32, c->d.flags = 32)
FAULT(flag_2, c->d.flags = 2)
FAULT(flag_256, c->d.flags = 256)
FAULT(flag_high, c->d.flags = 0x80000000u)
FAULT(merge_items, c->d.algorithm = CLSORT_MERGE; c->d.tuning.items = 64)
FAULT(quicksort_bits, c->d.algorithm = CLSORT_QUICKSORT; c->d.last_bit = 5; c->d.stable = 1)
FAULT(use_first_bit, c->d.algorithm = CLSORT_BITONIC; c->d.first_bit = 1; c->d.stable = 1)
FAULT(use_last_bit, c->d.algorithm = CLSORT_MERGE; c->d.last_bit = 7)
FAULT(first_bit_high, c->d.first_bit = 32)
FAULT(last_bit_high, c->d.last_bit = 33)
FAULT(no_bits, c->d.first_bit = 9; c->d.last_bit = 9)
FAULT(bits_crossed, c->d.first_bit = 10; c->d.last_bit = 9)
FAULT(start_items, use_name(c, "bitonic+start"); c->d.tuning.items = 64)
FAULT(rows_in_blocks, use_name(c, "merge-local-only"); c->d.rows = 2)
FAULT(use_top_k, c->d.top_k = 3; c->d.algorithm = CLSORT_MERGE)
FAULT(queued_scan, use_name(c, "quicksort+builtin"))
FAULT(values_without_size, c->d.value_size = 0)
FAULT(size_without_values, c->d.values = NULL)
FAULT(out_without_values, c->d.values = NULL; c->d.value_size = 0;
      c->d.values_out = w->good[VALUES_OUT])
static void use_record(call *c, size_t size, size_t key_offset)
{
    c->d.values = NULL;
    c->d.value_size = 0;
    c->d.record_size = size;
    c->d.key_offset = key_offset;
}
FAULT(record_short, use_record(c, 2, 0))
FAULT(record_key_outside, use_record(c, 8, 8))
FAULT(record_key_far, use_record(c, 8, ~(size_t)3))
FAULT(key_offset_alone, c->d.key_offset = 4)
FAULT(count_2_32, c->d.count = (size_t)1 << 32)
FAULT(count_max, c->d.count = ~(size_t)0)
FAULT(count_wraps, c->d.count = ~(size_t)0 / 4 + 2)
FAULT(value_size_huge, c->d.value_size = ~(size_t)0 / 2 + 1)
FAULT(value_size_wraps, c->d.value_size = ~(size_t)0 / N + 1)
FAULT(record_huge, use_record(c, ~(size_t)3, 0))
FAULT(keys_offset_huge, c->d.keys_offset = ~(size_t)3)
FAULT(keys_out_offset_huge, c->d.keys_out = w->good[KEYS_OUT]; c->d.keys_out_offset = ~(size_t)3)
FAULT(values_offset_huge, c->d.values_offset = ~(size_t)3)
FAULT(indices_offset_huge, c->d.indices = w->good[INDICES]; c->d.values_out = w->good[VALUES_OUT];
      c->d.indices_offset = ~(size_t)3)
FAULT(scratch_size_huge, c->d.scratch = w->good[SCRATCH]; c->d.scratch_offset = 16;
      c->d.scratch_size = ~(size_t)0)
FAULT(keys_odd, c->d.keys_offset = 2)
FAULT(keys_out_odd, c->d.keys_out = w->good[KEYS_OUT]; c->d.keys_out_offset = 1)
FAULT(values_odd, c->d.values_offset = 2)
FAULT(values_out_odd, c->d.values_out = w->good[VALUES_OUT]; c->d.values_out_offset = 1)
FAULT(indices_odd, c->d.indices = w->good[INDICES]; c->d.values_out = w->good[VALUES_OUT];
      c->d.indices_offset = 2)
FAULT(scratch_odd, c->d.scratch = w->good[SCRATCH]; c->d.scratch_size = 2048;
      c->d.scratch_offset = 8)
FAULT(record_odd, use_record(c, 6, 0))
FAULT(record_key_odd, use_record(c, 8, 2))
FAULT(no_keys, c->d.keys = NULL)
FAULT(keys_later, c->d.keys = CLSORT_LATER)
FAULT(values_later, c->d.values = CLSORT_LATER)
FAULT(scratch_later, c->d.scratch = CLSORT_LATER)
FAULT(no_indices, c->d.indices = CLSORT_LATER; c->d.values_out = w->good[VALUES_OUT])
FAULT(no_keys_out, c->d.keys_out = CLSORT_LATER)
FAULT(no_values_out, c->d.values_out = CLSORT_LATER)
FAULT(indices_no_values_out, c->d.indices = w->good[INDICES])
FAULT(queue_other, c->queue = w->other_queue)
FAULT(event_other, c->wait = c->list; c->list[0] = w->other_event; c->n_wait = 1)
FAULT(event_other_second, c->wait = c->list; c->list[0] = w->event; c->list[1] = w->other_event;
      c->n_wait = 2)
FAULT(keys_image, c->d.keys = w->image)
FAULT(values_image, c->d.values = w->image)
FAULT(scratch_image, c->d.scratch = w->image; c->d.scratch_size = 2048)
FAULT(keys_other, c->d.keys = w->other_buffer)
FAULT(values_other, c->d.values = w->other_buffer)
FAULT(keys_out_other, c->d.keys_out = w->other_buffer)
FAULT(values_out_other, c->d.values_out = w->other_buffer)
FAULT(indices_other, c->d.indices = w->other_buffer; c->d.values_out = w->good[VALUES_OUT])
FAULT(scratch_other, c->d.scratch = w->other_buffer; c->d.scratch_size = 2048; c->d.stable = 1)
FAULT(keys_read_only, c->d.keys = w->read_only)
FAULT(keys_read_only_part, c->d.keys = w->read_only_part)
FAULT(keys_write_only, c->d.keys = w->write_only)
FAULT(values_read_only, c->d.values = w->read_only)
FAULT(values_write_only, c->d.values = w->write_only)
FAULT(keys_out_read_only, c->d.keys_out = w->read_only)
FAULT(keys_out_write_only, c->d.keys_out = w->write_only)
FAULT(values_out_read_only, c->d.values_out = w->read_only)
FAULT(indices_read_only, c->d.indices = w->read_only; c->d.values_out = w->good[VALUES_OUT])
FAULT(indices_write_only, c->d.indices = w->write_only; c->d.values_out = w->good[VALUES_OUT])
FAULT(scratch_read_only, c->d.scratch = w->read_only; c->d.scratch_size = 2048; c->d.stable = 1)
FAULT(scratch_write_only, c->d.scratch = w->write_only; c->d.scratch_size = 2048; c->d.stable = 1)
FAULT(keys_short, c->d.keys = w->exact; c->d.keys_offset = 4)
FAULT(keys_far, c->d.keys_offset = BYTES + 4)
FAULT(values_short, c->d.values = w->exact; c->d.values_offset = 4)
FAULT(values_wide, c->d.values = w->exact; c->d.value_size = 5)
FAULT(keys_out_short, c->d.keys_out = w->exact; c->d.keys_out_offset = 4)
FAULT(values_out_short, c->d.values_out = w->exact; c->d.values_out_offset = 4)
FAULT(indices_short, c->d.indices = w->exact; c->d.values_out = w->good[VALUES_OUT];
      c->d.indices_offset = 4)
FAULT(scratch_short, c->d.scratch = w->good[SCRATCH]; c->d.scratch_size = BYTES + 16;
      c->d.stable = 1)
FAULT(records_short, use_record(c, 44, 0))
FAULT(count_too_big, c->d.count = BYTES / 4 + 1)
FAULT(keys_are_values, c->d.values = c->d.keys)
FAULT(keys_touch_values, c->d.values = c->d.keys; c->d.values_offset = 4 * N - 4)
FAULT(keys_out_shifted, c->d.keys_out = c->d.keys; c->d.keys_out_offset = 4)
FAULT(keys_out_in_part, c->d.keys_out = w->overlapping; c->d.keys_out_offset = 8)
FAULT(keys_out_is_values, c->d.keys_out = c->d.values)
FAULT(values_out_is_keys, c->d.values_out = c->d.keys)
FAULT(indices_are_keys, c->d.indices = c->d.keys; c->d.values_out = w->good[VALUES_OUT])
FAULT(scratch_is_keys, c->d.scratch = c->d.keys; c->d.scratch_size = 2048; c->d.stable = 1)
FAULT(parts_overlap, c->d.keys = w->part; c->d.values = w->overlapping)
FAULT(scratch_small, c->d.scratch = w->good[SCRATCH]; c->d.scratch_size = 16; c->d.stable = 1)
FAULT(scratch_none, c->d.scratch = w->good[SCRATCH]; c->d.scratch_size = 0; c->d.stable = 1)
FAULT(not_built, c->sorter = w->fresh; c->d.flags = CLSORT_FLAG_NO_BUILD)


/* Orders of the caller's own: good ones, and each rule broken. */
static const clsort_field good_fields[3] = { { 0, CLSORT_U32, 0, 0, 0 },
                                             { 4, CLSORT_F32, CLSORT_DESCENDING, CLSORT_NAN_LAST,
                                               CLSORT_ZERO_EQUAL },
                                             { 2, CLSORT_I16, 0, 0, 0 } };
static const clsort_field nine_fields[9] = { { 0, CLSORT_U8, 0, 0, 0 }, { 0, CLSORT_U8, 0, 0, 0 },
                                             { 0, CLSORT_U8, 0, 0, 0 }, { 0, CLSORT_U8, 0, 0, 0 },
                                             { 0, CLSORT_U8, 0, 0, 0 }, { 0, CLSORT_U8, 0, 0, 0 },
                                             { 0, CLSORT_U8, 0, 0, 0 }, { 0, CLSORT_U8, 0, 0, 0 },
                                             { 0, CLSORT_U8, 0, 0, 0 } };
static const char good_record[] = "typedef struct { uint x, y; } clsort_record;",
                  good_precedes[] = "a.x < b.x";

static void use_fields(call *c, const clsort_field *fields, cl_uint count)
{
    use_record(c, 8, 0);
    c->d.key_type = 0;
    c->d.fields = fields;
    c->d.field_count = count;
}

/* One field alone. */
static void use_field(call *c, size_t offset, cl_uint type, cl_uint order, cl_uint nan_order,
                      cl_uint zero_order)
{
    static clsort_field field;
    field.offset = offset;
    field.type = type;
    field.order = order;
    field.nan_order = nan_order;
    field.zero_order = zero_order;
    use_fields(c, &field, 1);
}

static void use_precedes(call *c, const char *record_type, const char *precedes)
{
    use_record(c, 8, 0);
    c->d.key_type = 0;
    c->d.record_type = record_type;
    c->d.precedes = precedes;
}

FAULT(fields_and_precedes, use_fields(c, good_fields, 2); c->d.record_type = good_record;
      c->d.precedes = good_precedes)
FAULT(fields_and_record_type, use_fields(c, good_fields, 2); c->d.record_type = good_record)
FAULT(fields_no_count, use_fields(c, good_fields, 0))
FAULT(fields_missing, use_fields(c, NULL, 2))
FAULT(fields_count_beside_key, c->d.field_count = 1)
FAULT(fields_nine, use_fields(c, nine_fields, 9))
FAULT(fields_no_record, use_fields(c, good_fields, 2); c->d.record_size = 0)
FAULT(fields_and_type, use_fields(c, good_fields, 2); c->d.key_type = CLSORT_U32)
FAULT(fields_and_order, use_fields(c, good_fields, 2); c->d.order = CLSORT_DESCENDING)
FAULT(fields_and_nan_order, use_fields(c, good_fields, 2); c->d.nan_order = CLSORT_NAN_LAST)
FAULT(fields_and_zero_order, use_fields(c, good_fields, 2); c->d.zero_order = CLSORT_ZERO_EQUAL)
FAULT(fields_and_key_offset, use_fields(c, good_fields, 2); c->d.key_offset = 4)
FAULT(precedes_no_type, use_precedes(c, NULL, good_precedes))
FAULT(precedes_missing, use_precedes(c, good_record, NULL))
FAULT(precedes_no_record, use_precedes(c, good_record, good_precedes); c->d.record_size = 0)
FAULT(precedes_and_type, use_precedes(c, good_record, good_precedes); c->d.key_type = CLSORT_U32)
FAULT(precedes_and_order, use_precedes(c, good_record, good_precedes);
      c->d.order = CLSORT_DESCENDING)
FAULT(precedes_and_key_offset, use_precedes(c, good_record, good_precedes); c->d.key_offset = 4)
FAULT(field_type_zero, use_field(c, 0, 0, 0, 0, 0))
FAULT(field_type_odd, use_field(c, 0, 0x121, 0, 0, 0))
FAULT(key_of_bytes, c->d.key_type = CLSORT_BYTES + 8)
FAULT(field_no_bytes, use_field(c, 0, CLSORT_BYTES, 0, 0, 0))
FAULT(field_65_bytes, use_field(c, 0, CLSORT_BYTES + 65, 0, 0, 0); c->d.record_size = 128)
FAULT(field_bytes_outside, use_field(c, 5, CLSORT_BYTES + 4, 0, 0, 0))
FAULT(field_bytes_order, use_field(c, 1, CLSORT_BYTES + 3, 2, 0, 0))
FAULT(field_bytes_far, use_field(c, 0xFFFFFFFFu, CLSORT_BYTES + 5, 0, 0, 0);
      c->d.record_size = (size_t)1 << 33; c->d.count = 1)
FAULT(field_bad_order, use_field(c, 0, CLSORT_F32, 2, 0, 0))
FAULT(field_bad_nan, use_field(c, 0, CLSORT_F32, 0, 3, 0))
FAULT(field_bad_zero, use_field(c, 0, CLSORT_F32, 0, 0, 2))
FAULT(field_outside, use_field(c, 8, CLSORT_U32, 0, 0, 0))
FAULT(field_half_outside, use_field(c, 4, CLSORT_U64, 0, 0, 0))
FAULT(field_far, use_field(c, ~(size_t)3, CLSORT_U32, 0, 0, 0))
FAULT(field_odd, use_field(c, 2, CLSORT_U32, 0, 0, 0))
FAULT(field_odd_record, use_field(c, 0, CLSORT_U32, 0, 0, 0); c->d.record_size = 6)
FAULT(field_odd_keys, use_field(c, 0, CLSORT_U64, 0, 0, 0); c->d.keys_offset = 4)
FAULT(field_odd_keys_out, use_field(c, 0, CLSORT_U64, 0, 0, 0); c->d.keys_out = w->good[KEYS_OUT];
      c->d.keys_out_offset = 4)
FAULT(precedes_odd_keys, use_precedes(c, good_record, good_precedes); c->d.keys_offset = 2)
FAULT(precedes_huge, use_precedes(c, good_record, good_precedes); c->d.record_size = ~(size_t)3)
FAULT(precedes_bitonic, use_precedes(c, good_record, good_precedes);
      c->d.algorithm = CLSORT_BITONIC)
FAULT(precedes_radix, use_precedes(c, good_record, good_precedes); c->d.algorithm = CLSORT_RADIX)
FAULT(precedes_local_only, use_precedes(c, good_record, good_precedes);
      use_name(c, "merge-local-only"))
FAULT(fields_local_only, use_fields(c, good_fields, 2); use_name(c, "merge-local-only"))
FAULT(fields_long_bitonic, use_fields(c, good_fields, 3); c->d.algorithm = CLSORT_BITONIC)
FAULT(fields_keys_short, use_fields(c, good_fields, 2); c->d.keys = w->exact)
FAULT(fields_not_built, c->sorter = w->fresh; use_fields(c, good_fields, 2);
      c->d.flags = CLSORT_FLAG_NO_BUILD)
FAULT(precedes_not_built, c->sorter = w->fresh; use_precedes(c, good_record, good_precedes);
      c->d.flags = CLSORT_FLAG_NO_BUILD)

/* Rows, segments and a count on the device: a good call of each with one thing wrong. */
static void use_segments(call *c, cl_mem segments)
{
    c->d.segments = segments;
    c->d.segment_count = 3;
}

static void use_ends(call *c, cl_mem segments, cl_mem ends)
{
    use_segments(c, segments);
    c->d.segment_ends = ends;
}

FAULT(ends_without_segments, c->d.segment_ends = w->good[INDICES])
FAULT(ends_offset_without_ends, use_segments(c, w->good[INDICES]); c->d.segment_ends_offset = 4)
FAULT(ends_offset_huge, use_ends(c, w->good[INDICES], w->good[INDICES]);
      c->d.segment_ends_offset = ~(size_t)3)
FAULT(ends_odd, use_ends(c, w->good[INDICES], w->good[INDICES]); c->d.segment_ends_offset = 2)
FAULT(ends_without_begins, use_ends(c, NULL, w->good[INDICES]))
FAULT(ends_other, use_ends(c, w->good[INDICES], w->other_buffer))
FAULT(ends_write_only, use_ends(c, w->good[INDICES], w->write_only))
FAULT(ends_short, use_ends(c, w->good[INDICES], w->good[INDICES]);
      c->d.segment_ends_offset = BYTES - 8)
FAULT(rows_and_segments, c->d.rows = 2; use_segments(c, w->good[INDICES]))
FAULT(rows_and_segment_count, c->d.rows = 2; c->d.segment_count = 1)
FAULT(only_segments, use_name(c, "merge-local-only"); use_segments(c, w->good[INDICES]))
FAULT(rows_bitonic, c->d.rows = 2; c->d.algorithm = CLSORT_BITONIC)
FAULT(segments_radix, use_segments(c, w->good[INDICES]); c->d.algorithm = CLSORT_RADIX)
FAULT(counted_quicksort, c->d.count_buffer = w->good[INDICES]; c->d.algorithm = CLSORT_QUICKSORT)
FAULT(rows_precedes, use_precedes(c, good_record, good_precedes); c->d.rows = 2)
FAULT(counted_steps, use_name(c, "bitonic-b4"); c->d.count_buffer = w->good[INDICES])
FAULT(rows_2_32, c->d.rows = (size_t)1 << 32)
FAULT(rows_too_far, c->d.rows = 0x10000; c->d.count = 0x10000)
FAULT(segments_2_32, use_segments(c, w->good[INDICES]); c->d.segment_count = 0xFFFFFFFFu)
FAULT(segments_offset_huge, use_segments(c, w->good[INDICES]); c->d.segments_offset = ~(size_t)3)
FAULT(stride_odd, c->d.rows = 2; c->d.row_stride = 4 * N + 2)
FAULT(segments_odd, use_segments(c, w->good[INDICES]); c->d.segments_offset = 2)
FAULT(count_odd, c->d.count_buffer = w->good[INDICES]; c->d.count_offset = 1)
FAULT(no_segments, c->d.segment_count = 3)
FAULT(segments_later, use_segments(c, CLSORT_LATER))
FAULT(ends_later, use_ends(c, w->good[INDICES], CLSORT_LATER))
FAULT(no_count_buffer, c->d.count_buffer = CLSORT_LATER)
FAULT(segments_image, use_segments(c, w->image))
FAULT(segments_other, use_segments(c, w->other_buffer))
FAULT(count_other, c->d.count_buffer = w->other_buffer)
FAULT(segments_write_only, use_segments(c, w->write_only))
FAULT(count_write_only, c->d.count_buffer = w->write_only)
FAULT(segments_short, use_segments(c, w->good[INDICES]); c->d.segment_count = BYTES / 4)
FAULT(count_short, c->d.count_buffer = w->good[INDICES]; c->d.count_offset = BYTES)
FAULT(rows_short, c->d.rows = 2; c->d.row_stride = BYTES - 4 * N + 4)
FAULT(rows_keys_out_short, c->d.rows = 2; c->d.keys_out = w->exact)
FAULT(rows_values_short, c->d.rows = 2; c->d.values = w->exact)
FAULT(rows_values_out_short, c->d.rows = 2; c->d.values_out = w->exact)
FAULT(rows_indices_short, c->d.rows = 2; c->d.indices = w->exact;
      c->d.values_out = w->good[VALUES_OUT])
FAULT(rows_overlap, c->d.rows = 2; c->d.row_stride = 4 * N - 4)

/* Two rows of N / 2, with outputs at strides of their own. */
static void use_strides(call *c, const world *w, size_t keys, size_t values, size_t indices)
{
    c->d.rows = 2;
    c->d.count = N / 2;
    c->d.keys_out = w->good[KEYS_OUT];
    c->d.values_out = w->good[VALUES_OUT];
    c->d.indices = w->good[INDICES];
    c->d.keys_out_row_stride = keys;
    c->d.values_out_row_stride = values;
    c->d.indices_row_stride = indices;
}

FAULT(keys_stride_alone, c->d.rows = 2; c->d.count = N / 2; c->d.keys_out_row_stride = 4 * N)
FAULT(values_stride_alone, c->d.rows = 2; c->d.count = N / 2; c->d.values_out_row_stride = 4 * N)
FAULT(indices_stride_alone, c->d.rows = 2; c->d.count = N / 2; c->d.indices_row_stride = 4 * N)
FAULT(keys_stride_no_rows, use_strides(c, w, 4 * N, 0, 0); c->d.rows = 0)
FAULT(values_stride_no_rows, use_strides(c, w, 0, 4 * N, 0); c->d.rows = 0)
FAULT(indices_stride_no_rows, use_strides(c, w, 0, 0, 4 * N); c->d.rows = 0)
FAULT(keys_stride_huge, use_strides(c, w, ~(size_t)3, 0, 0))
FAULT(values_stride_huge, use_strides(c, w, 0, ~(size_t)3, 0))
FAULT(indices_stride_huge, use_strides(c, w, 0, 0, ~(size_t)3))
FAULT(keys_stride_odd, use_strides(c, w, 4 * N + 2, 0, 0))
FAULT(values_stride_odd, use_strides(c, w, 0, 4 * N + 2, 0))
FAULT(indices_stride_odd, use_strides(c, w, 0, 0, 4 * N + 2))
FAULT(keys_stride_far, use_strides(c, w, BYTES - 2 * N + 4, 0, 0))
FAULT(values_stride_far, use_strides(c, w, 0, BYTES - 2 * N + 4, 0))
FAULT(indices_stride_far, use_strides(c, w, 0, 0, BYTES - 2 * N + 4))
FAULT(keys_stride_short, use_strides(c, w, 2 * N - 4, 0, 0))
FAULT(values_stride_short, use_strides(c, w, 0, 2 * N - 4, 0))
FAULT(indices_stride_short, use_strides(c, w, 0, 0, 2 * N - 4))
FAULT(keys_stride_in_place, use_strides(c, w, 4 * N, 0, 0); c->d.keys_out = c->d.keys;
      c->d.keys_out_offset = c->d.keys_offset)
FAULT(segments_are_keys, use_segments(c, c->d.keys))
FAULT(count_in_values, c->d.count_buffer = c->d.values; c->d.count_offset = 4 * N - 4)
FAULT(rows_scratch_small, c->d.rows = 2; c->d.scratch = w->good[SCRATCH]; c->d.scratch_size = 16)

enum { P_OWN_ORDER = P_TYPE | P_ORDER | P_VALUES | P_KEYS };
enum { P_STRIDES = P_PARTS | P_COUNT | P_KEYS | P_KEYS_OUT | P_VALUES_OUT | P_INDICES };

static const fault faults[] = {
    { "NULL sorter", no_sorter, CLSORT_ERROR_NULL_ARGUMENT, P_SORTER },
    { "NULL queue", no_queue, CLSORT_ERROR_NULL_ARGUMENT, P_QUEUE },
    { "NULL description", no_desc, CLSORT_ERROR_NULL_ARGUMENT, P_DESC },
    { "a count with no wait list", wait_null, CLSORT_ERROR_WAIT_LIST, P_WAIT },
    { "a wait list with no count", wait_zero, CLSORT_ERROR_WAIT_LIST, P_WAIT },
    { "NULL in the wait list", wait_hole, CLSORT_ERROR_WAIT_LIST, P_WAIT },
    { "key type not set", type_zero, CLSORT_ERROR_KEY_TYPE, P_TYPE },
    { "key type of 33 bits", type_odd, CLSORT_ERROR_KEY_TYPE, P_TYPE },
    { "8-bit float", type_f8, CLSORT_ERROR_KEY_TYPE, P_TYPE },
    { "32-bit bfloat", type_bf32, CLSORT_ERROR_KEY_TYPE, P_TYPE },
    { "unknown order", bad_order, CLSORT_ERROR_UNKNOWN_VALUE, P_ORDER },
    { "unknown NaN order", bad_nan_order, CLSORT_ERROR_UNKNOWN_VALUE, P_ORDER },
    { "unknown zero order", bad_zero_order, CLSORT_ERROR_UNKNOWN_VALUE, P_ORDER },
    { "unknown algorithm", bad_algorithm, CLSORT_ERROR_UNKNOWN_VALUE, P_TUNING },
    { "a step of 0.3", bad_variant, CLSORT_ERROR_UNKNOWN_VALUE, P_TUNING },
    { "a form of radix for merge", other_variant, CLSORT_ERROR_UNKNOWN_VALUE, P_TUNING },
    { "a variant of auto", variant_of_auto, CLSORT_ERROR_UNKNOWN_VALUE, P_TUNING },
    { "a reserved word of tuning", reserved_tuning, CLSORT_ERROR_UNKNOWN_VALUE, P_TUNING },
    { "the last reserved word of tuning", more_reserved_tuning, CLSORT_ERROR_UNKNOWN_VALUE,
      P_TUNING },
    { "work-group of 3", bad_group, CLSORT_ERROR_UNKNOWN_VALUE, P_TUNING },
    { "3 items", bad_items, CLSORT_ERROR_UNKNOWN_VALUE, P_TUNING },
    { "flag 32", flag_32, CLSORT_ERROR_UNKNOWN_FLAG, P_FLAGS },
    { "flag 2, which 0.3 had", flag_2, CLSORT_ERROR_UNKNOWN_FLAG, P_FLAGS },
    { "flag 256, which 0.3 had", flag_256, CLSORT_ERROR_UNKNOWN_FLAG, P_FLAGS },
    { "flag 2^31", flag_high, CLSORT_ERROR_UNKNOWN_FLAG, P_FLAGS },
    { "merge of 64 items", merge_items, CLSORT_ERROR_UNSUPPORTED, P_TUNING },
    { "stable quicksort by bits", quicksort_bits, CLSORT_ERROR_UNSUPPORTED, P_TUNING | P_TYPE },
    { "first_bit with stable bitonic", use_first_bit, CLSORT_ERROR_UNSUPPORTED, P_TUNING | P_TYPE },
    { "last_bit with merge", use_last_bit, CLSORT_ERROR_UNSUPPORTED, P_TUNING | P_TYPE },
    { "first_bit 32", first_bit_high, CLSORT_ERROR_BIT_RANGE, P_TUNING | P_TYPE },
    { "last_bit 33", last_bit_high, CLSORT_ERROR_BIT_RANGE, P_TUNING | P_TYPE },
    { "no bit between first_bit and last_bit", no_bits, CLSORT_ERROR_BIT_RANGE, P_TUNING | P_TYPE },
    { "first_bit above last_bit", bits_crossed, CLSORT_ERROR_BIT_RANGE, P_TUNING | P_TYPE },
    { "shared blocks with 64 items", start_items, CLSORT_ERROR_UNSUPPORTED, P_TUNING },
    { "rows in blocks", rows_in_blocks, CLSORT_ERROR_UNSUPPORTED, P_TUNING | P_PARTS | P_COUNT },
    { "top_k by an algorithm", use_top_k, CLSORT_ERROR_UNSUPPORTED, P_EXTRA | P_TUNING | P_FLAGS },
    { "ends of no segments", ends_without_segments, CLSORT_ERROR_UNUSED_FIELD, P_PARTS },
    { "an offset of no ends", ends_offset_without_ends, CLSORT_ERROR_UNUSED_FIELD, P_PARTS },
    { "segment_ends_offset near SIZE_MAX", ends_offset_huge, CLSORT_ERROR_SIZE_OVERFLOW, P_PARTS },
    { "ends misaligned", ends_odd, CLSORT_ERROR_MISALIGNED, P_PARTS },
    { "ends without begins", ends_without_begins, CLSORT_ERROR_MISSING_BUFFER, P_PARTS },
    { "ends of another context", ends_other, CLSORT_ERROR_BUFFER_CONTEXT, P_PARTS },
    { "ends not readable", ends_write_only, CLSORT_ERROR_BUFFER_ACCESS, P_PARTS },
    { "one end short", ends_short, CLSORT_ERROR_BUFFER_TOO_SMALL, P_PARTS },
    { "rows beside segments", rows_and_segments, CLSORT_ERROR_UNSUPPORTED, P_PARTS },
    { "rows beside a number of segments", rows_and_segment_count, CLSORT_ERROR_UNSUPPORTED,
      P_PARTS },
    { "rows by bitonic", rows_bitonic, CLSORT_ERROR_UNSUPPORTED, P_PARTS | P_TUNING },
    { "segments by blocks only", only_segments, CLSORT_ERROR_UNSUPPORTED, P_PARTS | P_TUNING },
    { "segments by radix", segments_radix, CLSORT_ERROR_UNSUPPORTED, P_PARTS | P_TUNING },
    { "a count on the device by quicksort", counted_quicksort, CLSORT_ERROR_UNSUPPORTED,
      P_PARTS | P_TUNING },
    { "rows by a comparator", rows_precedes, CLSORT_ERROR_UNSUPPORTED, P_PARTS | P_OWN_ORDER },
    { "a count on the device as published", counted_steps, CLSORT_ERROR_UNSUPPORTED,
      P_PARTS | P_TUNING },
    { "2^32 rows", rows_2_32, CLSORT_ERROR_COUNT_TOO_LARGE, P_PARTS | P_COUNT },
    { "rows of 2^32 elements altogether", rows_too_far, CLSORT_ERROR_COUNT_TOO_LARGE,
      P_PARTS | P_COUNT },
    { "2^32 segments", segments_2_32, CLSORT_ERROR_COUNT_TOO_LARGE, P_PARTS },
    { "segments_offset near SIZE_MAX", segments_offset_huge, CLSORT_ERROR_SIZE_OVERFLOW, P_PARTS },
    { "rows half a key apart", stride_odd, CLSORT_ERROR_MISALIGNED, P_PARTS },
    { "segments misaligned", segments_odd, CLSORT_ERROR_MISALIGNED, P_PARTS },
    { "the count misaligned", count_odd, CLSORT_ERROR_MISALIGNED, P_PARTS },
    { "no segments", no_segments, CLSORT_ERROR_MISSING_BUFFER, P_PARTS },
    { "segments left to later", segments_later, CLSORT_ERROR_MISSING_BUFFER, P_PARTS },
    { "ends left to later", ends_later, CLSORT_ERROR_MISSING_BUFFER, P_PARTS },
    { "count_buffer left to later", no_count_buffer, CLSORT_ERROR_MISSING_BUFFER,
      P_FLAGS | P_PARTS },
    { "segments are an image", segments_image, CLSORT_ERROR_NOT_A_BUFFER, P_PARTS },
    { "segments of another context", segments_other, CLSORT_ERROR_BUFFER_CONTEXT, P_PARTS },
    { "the count of another context", count_other, CLSORT_ERROR_BUFFER_CONTEXT, P_PARTS },
    { "segments not readable", segments_write_only, CLSORT_ERROR_BUFFER_ACCESS, P_PARTS },
    { "the count not readable", count_write_only, CLSORT_ERROR_BUFFER_ACCESS, P_PARTS },
    { "one offset short", segments_short, CLSORT_ERROR_BUFFER_TOO_SMALL, P_PARTS },
    { "the count behind the end", count_short, CLSORT_ERROR_BUFFER_TOO_SMALL, P_PARTS },
    { "the last row beyond the end", rows_short, CLSORT_ERROR_BUFFER_TOO_SMALL,
      P_PARTS | P_COUNT | P_KEYS | P_VALUES },
    { "the last row beyond the end of keys_out", rows_keys_out_short, CLSORT_ERROR_BUFFER_TOO_SMALL,
      P_PARTS | P_COUNT | P_KEYS_OUT },
    { "the last row beyond the end of values", rows_values_short, CLSORT_ERROR_BUFFER_TOO_SMALL,
      P_PARTS | P_COUNT | P_VALUES },
    { "the last row beyond the end of values_out", rows_values_out_short,
      CLSORT_ERROR_BUFFER_TOO_SMALL, P_PARTS | P_COUNT | P_VALUES_OUT },
    { "the last row beyond the end of indices", rows_indices_short, CLSORT_ERROR_BUFFER_TOO_SMALL,
      P_PARTS | P_COUNT | P_INDICES | P_VALUES_OUT },
    { "rows that overlap", rows_overlap, CLSORT_ERROR_OVERLAP, P_PARTS | P_COUNT | P_KEYS },
    { "a stride without keys_out", keys_stride_alone, CLSORT_ERROR_UNUSED_FIELD, P_STRIDES },
    { "a stride without values_out", values_stride_alone, CLSORT_ERROR_UNUSED_FIELD, P_STRIDES },
    { "a stride without indices", indices_stride_alone, CLSORT_ERROR_UNUSED_FIELD, P_STRIDES },
    { "a stride of keys_out without rows", keys_stride_no_rows, CLSORT_ERROR_UNUSED_FIELD,
      P_STRIDES },
    { "a stride of values_out without rows", values_stride_no_rows, CLSORT_ERROR_UNUSED_FIELD,
      P_STRIDES },
    { "a stride of indices without rows", indices_stride_no_rows, CLSORT_ERROR_UNUSED_FIELD,
      P_STRIDES },
    { "a stride of keys_out near SIZE_MAX", keys_stride_huge, CLSORT_ERROR_SIZE_OVERFLOW,
      P_STRIDES },
    { "a stride of values_out near SIZE_MAX", values_stride_huge, CLSORT_ERROR_SIZE_OVERFLOW,
      P_STRIDES },
    { "a stride of indices near SIZE_MAX", indices_stride_huge, CLSORT_ERROR_SIZE_OVERFLOW,
      P_STRIDES },
    { "rows of keys_out half a key apart", keys_stride_odd, CLSORT_ERROR_MISALIGNED, P_STRIDES },
    { "rows of values_out half a value apart", values_stride_odd, CLSORT_ERROR_MISALIGNED,
      P_STRIDES },
    { "rows of indices half an index apart", indices_stride_odd, CLSORT_ERROR_MISALIGNED,
      P_STRIDES },
    { "the last row of keys_out beyond the end", keys_stride_far, CLSORT_ERROR_BUFFER_TOO_SMALL,
      P_STRIDES },
    { "the last row of values_out beyond the end", values_stride_far,
      CLSORT_ERROR_BUFFER_TOO_SMALL, P_STRIDES },
    { "the last row of indices beyond the end", indices_stride_far, CLSORT_ERROR_BUFFER_TOO_SMALL,
      P_STRIDES },
    { "rows of keys_out that overlap", keys_stride_short, CLSORT_ERROR_OVERLAP, P_STRIDES },
    { "rows of values_out that overlap", values_stride_short, CLSORT_ERROR_OVERLAP, P_STRIDES },
    { "rows of indices that overlap", indices_stride_short, CLSORT_ERROR_OVERLAP, P_STRIDES },
    { "keys_out in place at another stride", keys_stride_in_place, CLSORT_ERROR_OVERLAP,
      P_STRIDES },
    { "segments over keys", segments_are_keys, CLSORT_ERROR_OVERLAP, P_PARTS | P_KEYS | P_INDICES },
    { "the count in the values", count_in_values, CLSORT_ERROR_OVERLAP,
      P_PARTS | P_VALUES | P_INDICES },
    { "rows and scratch of 16 bytes", rows_scratch_small, CLSORT_ERROR_SCRATCH_TOO_SMALL,
      P_PARTS | P_SCRATCH | P_VALUES | P_COUNT },
    { "work-group functions without kernels that launch kernels", queued_scan,
      CLSORT_ERROR_UNSUPPORTED, P_TUNING },
    { "values without value_size", values_without_size, CLSORT_ERROR_VALUE_SIZE, P_VALUES },
    { "value_size without values", size_without_values, CLSORT_ERROR_VALUE_SIZE, P_VALUES },
    { "values_out without values", out_without_values, CLSORT_ERROR_VALUE_SIZE, P_VALUES_OUT },
    { "record below the key", record_short, CLSORT_ERROR_RECORD_LAYOUT, P_VALUES | P_KEYS },
    { "key behind the record", record_key_outside, CLSORT_ERROR_RECORD_LAYOUT, P_VALUES | P_KEYS },
    { "key far behind the record", record_key_far, CLSORT_ERROR_RECORD_LAYOUT, P_VALUES | P_KEYS },
    { "key_offset without records", key_offset_alone, CLSORT_ERROR_RECORD_LAYOUT,
      P_VALUES | P_KEYS },
    { "count 2^32", count_2_32, CLSORT_ERROR_COUNT_TOO_LARGE, P_COUNT },
    { "count SIZE_MAX", count_max, CLSORT_ERROR_COUNT_TOO_LARGE, P_COUNT },
    { "count SIZE_MAX / 4 + 2", count_wraps, CLSORT_ERROR_COUNT_TOO_LARGE, P_COUNT },
    { "value_size SIZE_MAX / 2 + 1", value_size_huge, CLSORT_ERROR_SIZE_OVERFLOW, P_VALUES },
    { "value_size that wraps", value_size_wraps, CLSORT_ERROR_SIZE_OVERFLOW, P_VALUES },
    { "record_size near SIZE_MAX", record_huge, CLSORT_ERROR_SIZE_OVERFLOW, P_VALUES | P_KEYS },
    { "keys_offset near SIZE_MAX", keys_offset_huge, CLSORT_ERROR_SIZE_OVERFLOW, P_KEYS },
    { "keys_out_offset near SIZE_MAX", keys_out_offset_huge, CLSORT_ERROR_SIZE_OVERFLOW,
      P_KEYS_OUT },
    { "values_offset near SIZE_MAX", values_offset_huge, CLSORT_ERROR_SIZE_OVERFLOW, P_VALUES },
    { "indices_offset near SIZE_MAX", indices_offset_huge, CLSORT_ERROR_SIZE_OVERFLOW,
      P_INDICES | P_VALUES_OUT },
    { "scratch_size SIZE_MAX", scratch_size_huge, CLSORT_ERROR_SIZE_OVERFLOW, P_SCRATCH },
    { "keys misaligned", keys_odd, CLSORT_ERROR_MISALIGNED, P_KEYS },
    { "keys_out misaligned", keys_out_odd, CLSORT_ERROR_MISALIGNED, P_KEYS_OUT },
    { "values misaligned", values_odd, CLSORT_ERROR_MISALIGNED, P_VALUES },
    { "values_out misaligned", values_out_odd, CLSORT_ERROR_MISALIGNED, P_VALUES_OUT },
    { "indices misaligned", indices_odd, CLSORT_ERROR_MISALIGNED, P_INDICES | P_VALUES_OUT },
    { "scratch misaligned", scratch_odd, CLSORT_ERROR_MISALIGNED, P_SCRATCH },
    { "record of 6 bytes", record_odd, CLSORT_ERROR_MISALIGNED, P_VALUES | P_KEYS },
    { "key at 2 in a record", record_key_odd, CLSORT_ERROR_MISALIGNED, P_VALUES | P_KEYS },
    { "no keys", no_keys, CLSORT_ERROR_MISSING_BUFFER, P_KEYS },
    { "keys left to later", keys_later, CLSORT_ERROR_MISSING_BUFFER, P_KEYS },
    { "values left to later", values_later, CLSORT_ERROR_MISSING_BUFFER, P_VALUES },
    { "scratch left to later", scratch_later, CLSORT_ERROR_MISSING_BUFFER, P_SCRATCH },
    { "indices left to later", no_indices, CLSORT_ERROR_MISSING_BUFFER,
      P_FLAGS | P_INDICES | P_VALUES_OUT },
    { "keys_out left to later", no_keys_out, CLSORT_ERROR_MISSING_BUFFER, P_FLAGS | P_KEYS_OUT },
    { "values_out left to later", no_values_out, CLSORT_ERROR_MISSING_BUFFER,
      P_FLAGS | P_VALUES_OUT },
    { "indices and values but no values_out", indices_no_values_out, CLSORT_ERROR_MISSING_BUFFER,
      P_INDICES | P_VALUES_OUT },
    { "queue of another context", queue_other, CLSORT_ERROR_QUEUE_MISMATCH, P_QUEUE },
    { "event of another context", event_other, CLSORT_ERROR_EVENT_MISMATCH, P_WAIT },
    { "second event of another context", event_other_second, CLSORT_ERROR_EVENT_MISMATCH, P_WAIT },
    { "keys are an image", keys_image, CLSORT_ERROR_NOT_A_BUFFER, P_KEYS },
    { "values are an image", values_image, CLSORT_ERROR_NOT_A_BUFFER, P_VALUES },
    { "scratch is an image", scratch_image, CLSORT_ERROR_NOT_A_BUFFER, P_SCRATCH },
    { "keys of another context", keys_other, CLSORT_ERROR_BUFFER_CONTEXT, P_KEYS },
    { "values of another context", values_other, CLSORT_ERROR_BUFFER_CONTEXT, P_VALUES },
    { "keys_out of another context", keys_out_other, CLSORT_ERROR_BUFFER_CONTEXT, P_KEYS_OUT },
    { "values_out of another context", values_out_other, CLSORT_ERROR_BUFFER_CONTEXT,
      P_VALUES_OUT },
    { "indices of another context", indices_other, CLSORT_ERROR_BUFFER_CONTEXT,
      P_INDICES | P_VALUES_OUT },
    { "scratch of another context", scratch_other, CLSORT_ERROR_BUFFER_CONTEXT, P_SCRATCH },
    { "keys not writable", keys_read_only, CLSORT_ERROR_BUFFER_ACCESS,
      P_KEYS | P_KEYS_OUT | P_INDICES },
    { "keys in a part of a read-only buffer", keys_read_only_part, CLSORT_ERROR_BUFFER_ACCESS,
      P_KEYS | P_KEYS_OUT | P_INDICES },
    { "keys not readable", keys_write_only, CLSORT_ERROR_BUFFER_ACCESS, P_KEYS },
    { "values not writable", values_read_only, CLSORT_ERROR_BUFFER_ACCESS, P_VALUES_OUT },
    { "values not readable", values_write_only, CLSORT_ERROR_BUFFER_ACCESS, P_VALUES },
    { "keys_out not writable", keys_out_read_only, CLSORT_ERROR_BUFFER_ACCESS, P_KEYS_OUT },
    { "keys_out not readable", keys_out_write_only, CLSORT_ERROR_BUFFER_ACCESS, P_KEYS_OUT },
    { "values_out not writable", values_out_read_only, CLSORT_ERROR_BUFFER_ACCESS, P_VALUES_OUT },
    { "indices not writable", indices_read_only, CLSORT_ERROR_BUFFER_ACCESS,
      P_INDICES | P_VALUES_OUT },
    { "indices not readable", indices_write_only, CLSORT_ERROR_BUFFER_ACCESS,
      P_INDICES | P_VALUES_OUT },
    { "scratch not writable", scratch_read_only, CLSORT_ERROR_BUFFER_ACCESS, P_SCRATCH },
    { "scratch not readable", scratch_write_only, CLSORT_ERROR_BUFFER_ACCESS, P_SCRATCH },
    { "keys one element short", keys_short, CLSORT_ERROR_BUFFER_TOO_SMALL, P_KEYS | P_COUNT },
    { "keys_offset behind the end", keys_far, CLSORT_ERROR_BUFFER_TOO_SMALL, P_KEYS },
    { "values one element short", values_short, CLSORT_ERROR_BUFFER_TOO_SMALL, P_VALUES | P_COUNT },
    { "values too wide", values_wide, CLSORT_ERROR_BUFFER_TOO_SMALL, P_VALUES | P_COUNT },
    { "keys_out one element short", keys_out_short, CLSORT_ERROR_BUFFER_TOO_SMALL,
      P_KEYS_OUT | P_COUNT },
    { "values_out one element short", values_out_short, CLSORT_ERROR_BUFFER_TOO_SMALL,
      P_VALUES_OUT | P_COUNT },
    { "indices one element short", indices_short, CLSORT_ERROR_BUFFER_TOO_SMALL,
      P_INDICES | P_VALUES_OUT | P_COUNT },
    { "scratch smaller than scratch_size", scratch_short, CLSORT_ERROR_BUFFER_TOO_SMALL,
      P_SCRATCH },
    { "records beyond the end", records_short, CLSORT_ERROR_BUFFER_TOO_SMALL,
      P_VALUES | P_KEYS | P_COUNT },
    { "one key more than fits", count_too_big, CLSORT_ERROR_BUFFER_TOO_SMALL,
      P_COUNT | P_KEYS | P_VALUES },
    { "keys and values in one place", keys_are_values, CLSORT_ERROR_OVERLAP,
      P_KEYS | P_VALUES | P_INDICES },
    { "values over the last key", keys_touch_values, CLSORT_ERROR_OVERLAP,
      P_KEYS | P_VALUES | P_COUNT | P_INDICES },
    { "keys_out one element behind keys", keys_out_shifted, CLSORT_ERROR_OVERLAP,
      P_KEYS | P_KEYS_OUT },
    { "keys_out in a part of keys", keys_out_in_part, CLSORT_ERROR_OVERLAP, P_KEYS | P_KEYS_OUT },
    { "keys_out over values", keys_out_is_values, CLSORT_ERROR_OVERLAP, P_KEYS_OUT | P_VALUES },
    { "values_out over keys", values_out_is_keys, CLSORT_ERROR_OVERLAP, P_KEYS | P_VALUES_OUT },
    { "indices over keys", indices_are_keys, CLSORT_ERROR_OVERLAP,
      P_KEYS | P_INDICES | P_VALUES_OUT },
    { "scratch over keys", scratch_is_keys, CLSORT_ERROR_OVERLAP, P_KEYS | P_SCRATCH },
    { "two parts of one buffer overlap", parts_overlap, CLSORT_ERROR_OVERLAP,
      P_KEYS | P_VALUES | P_INDICES },
    { "scratch of 16 bytes", scratch_small, CLSORT_ERROR_SCRATCH_TOO_SMALL, P_SCRATCH | P_VALUES },
    { "scratch of no bytes", scratch_none, CLSORT_ERROR_SCRATCH_TOO_SMALL, P_SCRATCH | P_VALUES },
    { "fields and precedes", fields_and_precedes, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "fields and record_type", fields_and_record_type, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "fields without field_count", fields_no_count, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "field_count without fields", fields_missing, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "field_count beside a key type", fields_count_beside_key, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "nine fields", fields_nine, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "fields without record_size", fields_no_record, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "fields and key_type", fields_and_type, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "fields and order", fields_and_order, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "fields and nan_order", fields_and_nan_order, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "fields and zero_order", fields_and_zero_order, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "fields and key_offset", fields_and_key_offset, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "precedes without record_type", precedes_no_type, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "record_type without precedes", precedes_missing, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "precedes without record_size", precedes_no_record, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "precedes and key_type", precedes_and_type, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "precedes and order", precedes_and_order, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "precedes and key_offset", precedes_and_key_offset, CLSORT_ERROR_FIELDS, P_OWN_ORDER },
    { "a field's type not set", field_type_zero, CLSORT_ERROR_KEY_TYPE, P_OWN_ORDER },
    { "a field of 33 bits", field_type_odd, CLSORT_ERROR_KEY_TYPE, P_OWN_ORDER },
    { "bytes as a key", key_of_bytes, CLSORT_ERROR_KEY_TYPE, P_TYPE },
    { "a field of no bytes", field_no_bytes, CLSORT_ERROR_KEY_TYPE, P_OWN_ORDER },
    { "a field of 65 bytes", field_65_bytes, CLSORT_ERROR_KEY_TYPE, P_OWN_ORDER },
    { "an unknown order of bytes", field_bytes_order, CLSORT_ERROR_UNKNOWN_VALUE, P_OWN_ORDER },
    { "bytes half outside", field_bytes_outside, CLSORT_ERROR_RECORD_LAYOUT, P_OWN_ORDER },
    { "bytes across 2^32", field_bytes_far, CLSORT_ERROR_RECORD_LAYOUT, P_OWN_ORDER | P_COUNT },
    { "a field's order unknown", field_bad_order, CLSORT_ERROR_UNKNOWN_VALUE, P_OWN_ORDER },
    { "a field's NaN order unknown", field_bad_nan, CLSORT_ERROR_UNKNOWN_VALUE, P_OWN_ORDER },
    { "a field's zero order unknown", field_bad_zero, CLSORT_ERROR_UNKNOWN_VALUE, P_OWN_ORDER },
    { "precedes with bitonic", precedes_bitonic, CLSORT_ERROR_UNSUPPORTED, P_OWN_ORDER | P_TUNING },
    { "precedes with radix", precedes_radix, CLSORT_ERROR_UNSUPPORTED, P_OWN_ORDER | P_TUNING },
    { "precedes with blocks only", precedes_local_only, CLSORT_ERROR_UNSUPPORTED,
      P_OWN_ORDER | P_TUNING },
    { "fields with blocks only", fields_local_only, CLSORT_ERROR_UNSUPPORTED,
      P_OWN_ORDER | P_TUNING },
    { "fields of 10 bytes with bitonic", fields_long_bitonic, CLSORT_ERROR_UNSUPPORTED,
      P_OWN_ORDER | P_TUNING },
    { "a field behind the record", field_outside, CLSORT_ERROR_RECORD_LAYOUT, P_OWN_ORDER },
    { "a field half behind the record", field_half_outside, CLSORT_ERROR_RECORD_LAYOUT,
      P_OWN_ORDER },
    { "a field far behind the record", field_far, CLSORT_ERROR_RECORD_LAYOUT, P_OWN_ORDER },
    { "record_size near SIZE_MAX with precedes", precedes_huge, CLSORT_ERROR_SIZE_OVERFLOW,
      P_OWN_ORDER },
    { "a field misaligned", field_odd, CLSORT_ERROR_MISALIGNED, P_OWN_ORDER },
    { "a field of 4 bytes in records of 6", field_odd_record, CLSORT_ERROR_MISALIGNED,
      P_OWN_ORDER },
    { "keys misaligned for a field", field_odd_keys, CLSORT_ERROR_MISALIGNED, P_OWN_ORDER },
    { "keys_out misaligned for a field", field_odd_keys_out, CLSORT_ERROR_MISALIGNED,
      P_OWN_ORDER | P_KEYS_OUT },
    { "records misaligned for precedes", precedes_odd_keys, CLSORT_ERROR_MISALIGNED, P_OWN_ORDER },
    { "records beyond the end, with fields", fields_keys_short, CLSORT_ERROR_BUFFER_TOO_SMALL,
      P_OWN_ORDER | P_COUNT },
    { "fields: not built and not to be built", fields_not_built, CLSORT_ERROR_NOT_READY,
      P_OWN_ORDER | P_KEYS_OUT | P_SORTER | P_FLAGS },
    { "precedes: not built and not to be built", precedes_not_built, CLSORT_ERROR_NOT_READY,
      P_OWN_ORDER | P_KEYS_OUT | P_SORTER | P_FLAGS },
    { "not built and not to be built", not_built, CLSORT_ERROR_NOT_READY, P_SORTER | P_FLAGS }
};
enum { FAULTS = sizeof faults / sizeof *faults };

/* The place of a code in CLSORT_STATUS_LIST, which is the order of the checks. */
static int rank_of(clsort_status code)
{
    static const clsort_status list[] = {
#define CODE(name, number, text) name,
        CLSORT_STATUS_LIST(CODE)
#undef CODE
    };
    int i = 0;
    while (i + 1 < (int)(sizeof list / sizeof *list) && list[i] != code) i++;
    return i;
}

/* ---- sort ------------------------------------------------------------------------------------ */

static call good_call(const world *w)
{
    call c;
    memset(&c, 0, sizeof c);
    c.sorter = w->b->sorter;
    c.queue = w->b->session.queue;
    c.d = clsort_desc_default();
    c.d.count = N;
    c.d.key_type = CLSORT_U32;
    c.d.keys = w->good[KEYS];
    c.d.values = w->good[VALUES];
    c.d.value_size = 4;
    return c;
}

static int usable(const fault *f, const world *w)
{
    return w->image
           || (f->apply != keys_image && f->apply != values_image && f->apply != scratch_image
               && f->apply != segments_image);
}

/* Makes the call and checks that it fails with `code`, without a trace but a message. */
static int expect_failure(call *c, clsort_status code)
{
    cl_event none = NULL, done;
    clsort_status status;
    int good;
    memset(&done, 0x5A, sizeof done);
    enqueued = 0;
    bad_calls++;
    status = clsort_enqueue_sort(c->sorter, c->queue, c->no_desc ? NULL : &c->d, c->n_wait, c->wait,
                                 &done);
    good = CHECK_STATUS(status, code) && CHECK(enqueued == 0) && CHECK(done == none);
    if (good && c->sorter) good = CHECK(strncmp(clsort_last_error(c->sorter), "clsort", 6) == 0);
    if (good && c->sorter)
        good = CHECK(strstr(clsort_last_error(c->sorter), status_name(code)) != NULL);
    return good;
}

static void every_bad_sort(bench *b)
{
    world w;
    size_t i;
    open_world(&w, b);
    for (i = 0; i < FAULTS; i++) {
        call c = good_call(&w);
        if (!usable(&faults[i], &w)) continue;
        AT("%s", faults[i].name);
        faults[i].apply(&c, &w);
        expect_failure(&c, faults[i].code);
        world_is_intact(&w);
    }
    close_world(&w);
    printf("%d bad calls\n", bad_calls);
}

/* Of two faults the one whose code stands earlier in CLSORT_STATUS_LIST is reported. */
static void two_faults_at_once(bench *b)
{
    world w;
    size_t i, j;
    open_world(&w, b);
    for (i = 0; i < FAULTS; i++)
        for (j = 0; j < i; j++) {
            const fault *f = &faults[i], *g = &faults[j];
            call c = good_call(&w);
            if ((f->parts & g->parts) || !usable(f, &w) || !usable(g, &w)) continue;
            AT("%s; %s", f->name, g->name);
            f->apply(&c, &w);
            g->apply(&c, &w);
            expect_failure(&c, rank_of(f->code) < rank_of(g->code) ? f->code : g->code);
        }
    AT("after all pairs");
    world_is_intact(&w);
    close_world(&w);
    printf("%d bad calls\n", bad_calls);
}

/* clsort_check, prepare, scratch_size and resolve look at the description alone and give the same
   codes. */
static void bad_descriptions(bench *b)
{
    world w;
    size_t i, bytes;
    open_world(&w, b);
    for (i = 0; i < FAULTS; i++) {
        clsort_desc resolved = clsort_desc_default();
        call c = good_call(&w);
        if (rank_of(faults[i].code) < rank_of(CLSORT_ERROR_KEY_TYPE)
            || rank_of(faults[i].code) > rank_of(CLSORT_ERROR_MISALIGNED)
            || faults[i].apply == size_without_values)
            continue;
        AT("%s", faults[i].name);
        faults[i].apply(&c, &w);
        CHECK_STATUS(clsort_check(b->sorter, &c.d), faults[i].code);
        CHECK_STATUS(clsort_prepare(b->sorter, NULL, &c.d), faults[i].code);
        CHECK_STATUS(clsort_scratch_size(b->sorter, &c.d, &bytes), faults[i].code);
        CHECK_STATUS(clsort_scratch_size(NULL, &c.d, &bytes), faults[i].code);
        CHECK_STATUS(clsort_resolve(b->sorter, &c.d, &resolved), faults[i].code);
        bad_calls += 5;
    }
    world_is_intact(&w);
    close_world(&w);
    printf("%d bad calls\n", bad_calls);
}

/* Buffers that are given to clsort_check are checked as in a sort. */
static void bad_buffers_in_check(bench *b)
{
    world w;
    size_t i;
    open_world(&w, b);
    for (i = 0; i < FAULTS; i++) {
        call c = good_call(&w);
        if (faults[i].code > CLSORT_ERROR_NOT_A_BUFFER
            || faults[i].code < CLSORT_ERROR_SCRATCH_TOO_SMALL || !usable(&faults[i], &w))
            continue;
        AT("%s", faults[i].name);
        faults[i].apply(&c, &w);
        bad_calls++;
        CHECK_STATUS(clsort_check(b->sorter, &c.d), faults[i].code);
    }
    close_world(&w);
    printf("%d bad calls\n", bad_calls);
}

static void counts_beyond_the_device(bench *b)
{
    clsort_desc d = clsort_desc_default();
    cl_ulong most = 0;
    size_t bytes = 0;
    clGetDeviceInfo(b->session.info.id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL);
    d.key_type = CLSORT_U32;
    d.record_size = 4 * (size_t)((most >> 32) + 2);
    d.count = 0xFFFFFFFFu;
    CHECK_STATUS(clsort_check(b->sorter, &d), CLSORT_ERROR_COUNT_TOO_LARGE);
    CHECK_OK(clsort_scratch_size(NULL, &d, &bytes));
    d.count = (size_t)1 << 32;
    CHECK_STATUS(clsort_scratch_size(NULL, &d, &bytes), CLSORT_ERROR_COUNT_TOO_LARGE);
    CHECK(bytes == 0);
    bad_calls += 2;
}

static void bad_null_arguments(bench *b)
{
    clsort_desc d = clsort_desc_default(), resolved = d;
    clsort_sorter *s = b->sorter;
    size_t bytes;
    d.key_type = CLSORT_U32;
    CHECK_STATUS(clsort_check(NULL, &d), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_check(s, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_prepare(NULL, NULL, &d), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_prepare(s, NULL, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_resolve(NULL, &d, &resolved), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_resolve(s, NULL, &resolved), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_resolve(s, &d, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_scratch_size(s, NULL, &bytes), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_scratch_size(s, &d, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_clone(NULL, &s), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_clone(b->sorter, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_trim(NULL), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_set_algorithm(NULL, "auto"), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_set_algorithm(&d, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_set_algorithm(&d, "no such sort"), CLSORT_ERROR_UNKNOWN_VALUE);
    CHECK_STATUS(clsort_set_algorithm(&d, ""), CLSORT_ERROR_UNKNOWN_VALUE);
    bad_calls += 16;
    printf("%d bad calls\n", bad_calls);
}

static void bad_creates(bench *b)
{
    clsort_options options = clsort_options_default();
    clsort_sorter *s;
    cl_context context = b->session.context;
    cl_device_id device = b->session.info.id;
    CHECK_STATUS(clsort_create(context, device, NULL, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    s = b->sorter;
    CHECK_STATUS(clsort_create(context, NULL, NULL, &s), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK(s == NULL);
    CHECK_STATUS(clsort_create(NULL, device, NULL, &s), CLSORT_ERROR_NULL_ARGUMENT);
    options.flags = 1u << 31;
    s = b->sorter;
    CHECK_STATUS(clsort_create(context, device, &options, &s), CLSORT_ERROR_UNKNOWN_FLAG);
    CHECK(s == NULL);
    bad_calls += 4;
    printf("%d bad calls\n", bad_calls);
}

/* ---- gather, is_sorted, host arrays ---------------------------------------------------------- */

typedef struct gather_call {
    clsort_gather_desc g;
    clsort_array a[2];
} gather_call;

static void good_gather(const world *w, gather_call *c)
{
    memset(c, 0, sizeof *c);
    c->g.count = N;
    c->g.indices = w->good[INDICES];
    c->g.arrays = c->a;
    c->g.array_count = 2;
    c->a[0].source = w->good[KEYS];
    c->a[0].target = w->good[KEYS_OUT];
    c->a[0].element_size = 4;
    c->a[1].source = w->good[VALUES];
    c->a[1].target = w->good[VALUES_OUT];
    c->a[1].element_size = 12;
}

static void expect_bad_gather(const world *w, gather_call *c, clsort_status code, const char *what)
{
    cl_event done = w->event, none = NULL;
    AT("gather: %s", what);
    enqueued = 0;
    bad_calls++;
    CHECK_STATUS(clsort_enqueue_gather(w->b->sorter, w->b->session.queue, &c->g, 0, NULL, &done),
                 code);
    CHECK(enqueued == 0 && done == none);
    world_is_intact(w);
    good_gather(w, c);
}

static void bad_gather_fields(world *w, gather_call *c)
{
    c->g.flags = 2;
    expect_bad_gather(w, c, CLSORT_ERROR_UNKNOWN_FLAG, "unknown flag");
    c->g.arrays = NULL;
    expect_bad_gather(w, c, CLSORT_ERROR_NULL_ARGUMENT, "no arrays");
    c->a[1].element_size = 0;
    expect_bad_gather(w, c, CLSORT_ERROR_VALUE_SIZE, "element_size 0");
    c->a[0].source_row_stride = 48, c->a[1].element_size = 0;
    expect_bad_gather(w, c, CLSORT_ERROR_VALUE_SIZE, "of a stride and a size the size");
    c->g.count = (size_t)1 << 32;
    expect_bad_gather(w, c, CLSORT_ERROR_COUNT_TOO_LARGE, "count 2^32");
    c->g.source_count = ~(size_t)0;
    expect_bad_gather(w, c, CLSORT_ERROR_COUNT_TOO_LARGE, "source_count SIZE_MAX");
    c->a[0].element_size = ~(size_t)0 / 8;
    expect_bad_gather(w, c, CLSORT_ERROR_SIZE_OVERFLOW, "element_size near SIZE_MAX");
    c->a[1].target_offset = ~(size_t)3;
    expect_bad_gather(w, c, CLSORT_ERROR_SIZE_OVERFLOW, "target_offset near SIZE_MAX");
    c->g.indices_offset = 2;
    expect_bad_gather(w, c, CLSORT_ERROR_MISALIGNED, "indices misaligned");
    c->a[0].source_offset = 2;
    expect_bad_gather(w, c, CLSORT_ERROR_MISALIGNED, "source misaligned");
    c->a[1].target_offset = 2;
    expect_bad_gather(w, c, CLSORT_ERROR_MISALIGNED, "target misaligned");
}

/* Two rows of N / 2 fit where one of N does. */
static void bad_gather_rows(world *w, gather_call *c)
{
    c->g.indices_row_stride = 4 * N;
    expect_bad_gather(w, c, CLSORT_ERROR_UNUSED_FIELD, "a row stride of indices without rows");
    c->a[1].source_row_stride = 12 * N;
    expect_bad_gather(w, c, CLSORT_ERROR_UNUSED_FIELD, "a row stride of a source without rows");
    c->g.rows = ~(size_t)0;
    expect_bad_gather(w, c, CLSORT_ERROR_SIZE_OVERFLOW, "SIZE_MAX rows");
    c->g.rows = 2, c->a[1].target_row_stride = ~(size_t)3;
    expect_bad_gather(w, c, CLSORT_ERROR_SIZE_OVERFLOW, "a row stride near SIZE_MAX");
    c->g.rows = 1, c->a[0].target_row_stride = 4 * N + 2;
    expect_bad_gather(w, c, CLSORT_ERROR_MISALIGNED, "a row stride misaligned");
    c->g.rows = 1, c->g.indices_row_stride = 4 * N + 2;
    expect_bad_gather(w, c, CLSORT_ERROR_MISALIGNED, "a row stride of indices misaligned");
    c->g.rows = BYTES / (12 * N) + 1;
    expect_bad_gather(w, c, CLSORT_ERROR_BUFFER_TOO_SMALL, "more rows than fit");
    c->g.rows = 2, c->g.count = N / 2, c->a[1].source_row_stride = BYTES - 6 * N + 4;
    expect_bad_gather(w, c, CLSORT_ERROR_BUFFER_TOO_SMALL,
                      "the last row of a source one element too far");
    c->g.rows = 2, c->g.count = N / 2, c->a[0].target_row_stride = 2 * N - 4;
    expect_bad_gather(w, c, CLSORT_ERROR_OVERLAP, "rows of a target that overlap");
    c->g.rows = 2, c->g.count = N / 2, c->g.indices_row_stride = 2 * N - 4;
    expect_bad_gather(w, c, CLSORT_ERROR_OVERLAP, "rows of indices that overlap");
    c->g.rows = 2, c->g.count = 1, c->a[0].source_row_stride = c->a[1].source_row_stride = 48;
    c->a[0].target = w->good[KEYS], c->a[0].target_offset = 24;
    expect_bad_gather(w, c, CLSORT_ERROR_OVERLAP, "a target between the rows of a source");
}

static void bad_gather_buffers(world *w, gather_call *c)
{
    c->g.indices = NULL;
    expect_bad_gather(w, c, CLSORT_ERROR_MISSING_BUFFER, "no indices");
    c->a[1].source = NULL;
    expect_bad_gather(w, c, CLSORT_ERROR_MISSING_BUFFER, "no source");
    c->a[1].target = NULL;
    expect_bad_gather(w, c, CLSORT_ERROR_MISSING_BUFFER, "no target");
    c->a[1].source = w->other_buffer;
    expect_bad_gather(w, c, CLSORT_ERROR_BUFFER_CONTEXT, "source of another context");
    c->a[0].target = w->read_only;
    expect_bad_gather(w, c, CLSORT_ERROR_BUFFER_ACCESS, "target not writable");
    c->a[0].source = w->write_only;
    expect_bad_gather(w, c, CLSORT_ERROR_BUFFER_ACCESS, "source not readable");
    c->a[1].source_offset = BYTES - 12 * N + 4;
    expect_bad_gather(w, c, CLSORT_ERROR_BUFFER_TOO_SMALL, "source one element short");
    c->g.source_count = BYTES / 12 + 1;
    expect_bad_gather(w, c, CLSORT_ERROR_BUFFER_TOO_SMALL, "more source elements than fit");
    c->a[0].target = w->exact;
    c->a[0].target_offset = 4;
    expect_bad_gather(w, c, CLSORT_ERROR_BUFFER_TOO_SMALL, "target one element short");
    c->a[1].target = w->good[KEYS];
    expect_bad_gather(w, c, CLSORT_ERROR_OVERLAP, "target of one array over the source of another");
    c->a[1].target = w->good[KEYS_OUT];
    expect_bad_gather(w, c, CLSORT_ERROR_OVERLAP, "two arrays with one target");
    c->a[0].target = w->good[INDICES];
    expect_bad_gather(w, c, CLSORT_ERROR_OVERLAP, "target over the indices");
}

static void bad_gathers(bench *b)
{
    world w;
    gather_call c;
    open_world(&w, b);
    good_gather(&w, &c);
    bad_gather_fields(&w, &c);
    bad_gather_rows(&w, &c);
    bad_gather_buffers(&w, &c);
    bad_calls += 3;
    CHECK_STATUS(clsort_enqueue_gather(NULL, b->session.queue, &c.g, 0, NULL, NULL),
                 CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_enqueue_gather(b->sorter, b->session.queue, NULL, 0, NULL, NULL),
                 CLSORT_ERROR_NULL_ARGUMENT);
    AT("gather: of a flag and a queue the flag");
    c.g.flags = 2;
    CHECK_STATUS(clsort_enqueue_gather(b->sorter, w.other_queue, &c.g, 0, NULL, NULL),
                 CLSORT_ERROR_UNKNOWN_FLAG);
    close_world(&w);
    printf("%d bad calls\n", bad_calls);
}

/* Two inputs of N / 2 pairs each. */
static clsort_merge_desc good_merge(const world *w)
{
    clsort_merge_desc m = clsort_merge_desc_default();
    m.count_a = m.count_b = N / 2;
    m.key_type = CLSORT_U32;
    m.keys_a = w->good[KEYS];
    m.keys_b = w->good[KEYS];
    m.keys_b_offset = 2 * N;
    m.keys_out = w->good[KEYS_OUT];
    m.value_size = 4;
    m.values_a = w->good[VALUES];
    m.values_b = w->good[VALUES];
    m.values_b_offset = 2 * N;
    m.values_out = w->good[VALUES_OUT];
    return m;
}

static void expect_bad_merge_call(const world *w, clsort_sorter *s, cl_command_queue queue,
                                  const clsort_merge_desc *m, cl_uint n_wait, const cl_event *wait,
                                  clsort_status code, const char *what)
{
    cl_event done = w->event, none = NULL;
    AT("merge: %s", what);
    enqueued = 0;
    bad_calls++;
    CHECK_STATUS(clsort_enqueue_merge(s, queue, m, n_wait, wait, &done), code);
    CHECK(enqueued == 0 && done == none);
    if (s) CHECK(strstr(clsort_last_error(s), status_name(code)) != NULL);
    world_is_intact(w);
}

static void expect_bad_merge(const world *w, clsort_merge_desc *m, clsort_status code,
                             const char *what)
{
    expect_bad_merge_call(w, w->b->sorter, w->b->session.queue, m, 0, NULL, code, what);
    *m = good_merge(w);
}

/* Tries a good merge of which one thing is wrong. */
#define WITH(change, code, what) \
    { \
        change; \
        expect_bad_merge(w, m, CLSORT_ERROR_##code, what); \
    }

static void bad_merge_values(world *w, clsort_merge_desc *m)
{
    WITH(m->key_type = 0, KEY_TYPE, "key type not set")
    WITH(m->key_type = 0x121, KEY_TYPE, "key type unknown")
    WITH(m->order = 2, UNKNOWN_VALUE, "order unknown")
    WITH(m->nan_order = 3, UNKNOWN_VALUE, "NaN order unknown")
    WITH(m->nan_order = CLSORT_NAN_EQUAL; m->key_type = CLSORT_F32, UNSUPPORTED, "equal NaNs")
    WITH(m->tuning.work_group = 3, UNKNOWN_VALUE, "work-group of 3")
    WITH(m->tuning.items = 3, UNKNOWN_VALUE, "3 items")
    WITH(m->tuning.items = 64, UNSUPPORTED, "64 items")
    WITH(m->tuning.variant = CLSORT__AS(LOCAL, ONLY), UNSUPPORTED, "blocks only")
    WITH(m->tuning.variant = CLSORT__AS(RADIX, HYBRID), UNKNOWN_VALUE, "a form of radix")
    WITH(m->flags = CLSORT_FLAG_TOP_NTH, UNKNOWN_FLAG, "flag of another call")
    WITH(m->flags = 1u << 31, UNKNOWN_FLAG, "unknown flag")
    WITH(m->value_size = 9, UNSUPPORTED, "values of 9 bytes")
    WITH(m->flags = 1u << 31; m->order = 2, UNKNOWN_VALUE, "of an order and a flag the order")
    WITH(m->value_size = 9; m->key_type = 0, KEY_TYPE, "of a size and a key type the key type")
    WITH(m->value_size = 0, VALUE_SIZE, "values without value_size")
    WITH(m->values_b = NULL, VALUE_SIZE, "value_size without values_b")
    WITH(m->values_out = NULL, VALUE_SIZE, "value_size without values_out")
    WITH(m->count_a = (size_t)1 << 32, COUNT_TOO_LARGE, "count_a 2^32")
    WITH(m->count_a = m->count_b = (size_t)1 << 31, COUNT_TOO_LARGE, "a sum of 2^32")
    WITH(m->count_a = ~(size_t)0, COUNT_TOO_LARGE, "counts that wrap")
    WITH(m->count_a = ~(size_t)0 - N / 2 + 1, COUNT_TOO_LARGE, "counts that wrap to 0")
}

static void bad_merge_places(world *w, clsort_merge_desc *m)
{
    WITH(m->keys_a_offset = ~(size_t)3, SIZE_OVERFLOW, "keys_a_offset near SIZE_MAX")
    WITH(m->keys_out_offset = ~(size_t)3, SIZE_OVERFLOW, "keys_out_offset near SIZE_MAX")
    WITH(m->values_b_offset = ~(size_t)3, SIZE_OVERFLOW, "values_b_offset near SIZE_MAX")
    WITH(m->keys_a_offset = 2, MISALIGNED, "keys_a misaligned")
    WITH(m->keys_b_offset = 2 * N + 1, MISALIGNED, "keys_b misaligned")
    WITH(m->keys_out_offset = 3, MISALIGNED, "keys_out misaligned")
    WITH(m->values_a_offset = 2, MISALIGNED, "values_a misaligned")
    WITH(m->values_b_offset = 2 * N + 2, MISALIGNED, "values_b misaligned")
    WITH(m->values_out_offset = 1, MISALIGNED, "values_out misaligned")
    WITH(m->keys_a = NULL, MISSING_BUFFER, "no keys_a")
    WITH(m->keys_b = NULL, MISSING_BUFFER, "no keys_b")
    WITH(m->keys_out = NULL, MISSING_BUFFER, "no keys_out")
    if (w->image) WITH(m->keys_b = w->image, NOT_A_BUFFER, "keys_b is an image")
    WITH(m->keys_b = w->other_buffer, BUFFER_CONTEXT, "keys_b of another context")
    WITH(m->values_out = w->other_buffer, BUFFER_CONTEXT, "values_out of another context")
    WITH(m->keys_a = w->write_only, BUFFER_ACCESS, "keys_a not readable")
    WITH(m->values_b = w->write_only, BUFFER_ACCESS, "values_b not readable")
    WITH(m->keys_out = w->read_only, BUFFER_ACCESS, "keys_out not writable")
    WITH(m->values_out = w->read_only, BUFFER_ACCESS, "values_out not writable")
    WITH(m->keys_out = w->exact; m->keys_out_offset = 4, BUFFER_TOO_SMALL,
         "keys_out one element short")
    WITH(m->keys_a = w->exact; m->keys_a_offset = 2 * N + 4, BUFFER_TOO_SMALL,
         "keys_a one element short")
    WITH(m->values_b = w->exact; m->values_b_offset = 2 * N + 4, BUFFER_TOO_SMALL,
         "values_b one element short")
    WITH(m->values_out = w->exact; m->values_out_offset = 4 * N, BUFFER_TOO_SMALL,
         "values_out at the buffer's end")
}

static void bad_merge_overlaps(world *w, clsort_merge_desc *m)
{
    WITH(m->keys_out = w->good[KEYS], OVERLAP, "keys_out over keys_a")
    WITH(m->keys_out = w->good[KEYS]; m->keys_out_offset = 4 * N - 4, OVERLAP,
         "keys_out over the last of keys_b")
    WITH(m->keys_out = w->overlapping; m->keys_out_offset = 8, OVERLAP,
         "keys_out in a part of the inputs' buffer")
    WITH(m->values_out = w->good[VALUES]; m->values_out_offset = 4, OVERLAP,
         "values_out over values_a")
    WITH(m->values_out = w->good[KEYS], OVERLAP, "values_out over keys_a")
    WITH(m->values_out = w->good[KEYS_OUT], OVERLAP, "both outputs in one place")
}

#undef WITH

static void bad_merges(bench *b)
{
    world w;
    clsort_merge_desc m;
    clsort_sorter *s = b->sorter;
    cl_event list[2];
    open_world(&w, b);
    m = good_merge(&w);
    bad_merge_values(&w, &m);
    bad_merge_places(&w, &m);
    bad_merge_overlaps(&w, &m);
    expect_bad_merge_call(&w, NULL, b->session.queue, &m, 0, NULL, CLSORT_ERROR_NULL_ARGUMENT,
                          "no sorter");
    expect_bad_merge_call(&w, s, NULL, &m, 0, NULL, CLSORT_ERROR_NULL_ARGUMENT, "no queue");
    expect_bad_merge_call(&w, s, b->session.queue, NULL, 0, NULL, CLSORT_ERROR_NULL_ARGUMENT,
                          "no description");
    list[0] = w.event, list[1] = NULL;
    expect_bad_merge_call(&w, s, b->session.queue, &m, 1, NULL, CLSORT_ERROR_WAIT_LIST,
                          "a count with no wait list");
    expect_bad_merge_call(&w, s, b->session.queue, &m, 0, list, CLSORT_ERROR_WAIT_LIST,
                          "a wait list with no count");
    expect_bad_merge_call(&w, s, b->session.queue, &m, 2, list, CLSORT_ERROR_WAIT_LIST,
                          "NULL in the wait list");
    list[0] = w.other_event;
    expect_bad_merge_call(&w, s, b->session.queue, &m, 1, list, CLSORT_ERROR_EVENT_MISMATCH,
                          "an event of another context");
    expect_bad_merge_call(&w, s, w.other_queue, &m, 0, NULL, CLSORT_ERROR_QUEUE_MISMATCH,
                          "a queue of another context");
    m.flags = 1u << 31;
    expect_bad_merge_call(&w, s, w.other_queue, &m, 0, NULL, CLSORT_ERROR_UNKNOWN_FLAG,
                          "of a flag and a queue the flag");
    m.flags = CLSORT_FLAG_NO_BUILD;
    expect_bad_merge_call(&w, w.fresh, b->session.queue, &m, 0, NULL, CLSORT_ERROR_NOT_READY,
                          "not built and not to be built");
    close_world(&w);
    printf("%d bad calls\n", bad_calls);
}

static void expect_bad_check(const world *w, const call *c, cl_mem result, size_t offset,
                             clsort_status code)
{
    cl_event done = w->event, none = NULL;
    enqueued = 0;
    bad_calls++;
    CHECK_STATUS(clsort_enqueue_is_sorted(c->sorter, c->queue, c->no_desc ? NULL : &c->d, result,
                                          offset, c->n_wait, c->wait, &done),
                 code);
    CHECK(enqueued == 0 && done == none);
    world_is_intact(w);
}

static void bad_check_results(const world *w)
{
    call c = good_call(w);
    expect_bad_check(w, &c, NULL, 0, CLSORT_ERROR_NULL_ARGUMENT);
    expect_bad_check(w, &c, w->good[SCRATCH], 2, CLSORT_ERROR_MISALIGNED);
    expect_bad_check(w, &c, w->good[SCRATCH], BYTES, CLSORT_ERROR_BUFFER_TOO_SMALL);
    expect_bad_check(w, &c, w->good[KEYS], 4 * N - 4, CLSORT_ERROR_OVERLAP);
    expect_bad_check(w, &c, w->read_only, 0, CLSORT_ERROR_BUFFER_ACCESS);
    expect_bad_check(w, &c, w->other_buffer, 0, CLSORT_ERROR_BUFFER_CONTEXT);
    use_segments(&c, w->good[INDICES]);
    expect_bad_check(w, &c, w->good[INDICES], 12, CLSORT_ERROR_OVERLAP);
    expect_bad_check(w, &c, w->read_only, 0, CLSORT_ERROR_BUFFER_ACCESS);
}

FAULT(rows_within_rows, c->d.rows = 2; c->d.row_stride = 4)

static void bad_check_calls(const world *w)
{
    static const fault some[] = {
        { "no keys", no_keys, CLSORT_ERROR_MISSING_BUFFER, 0 },
        { "no description", no_desc, CLSORT_ERROR_NULL_ARGUMENT, 0 },
        { "a queue of another context", queue_other, CLSORT_ERROR_QUEUE_MISMATCH, 0 },
        { "no key type", type_zero, CLSORT_ERROR_KEY_TYPE, 0 },
        { "nine fields", fields_nine, CLSORT_ERROR_FIELDS, 0 },
        { "no record type", precedes_no_type, CLSORT_ERROR_FIELDS, 0 },
        { "an expression not built", precedes_not_built, CLSORT_ERROR_NOT_READY, 0 },
        { "rows within rows", rows_within_rows, CLSORT_ERROR_OVERLAP, 0 },
    };
    size_t i;
    for (i = 0; i < sizeof some / sizeof *some; i++) {
        call c = good_call(w);
        AT("%s", some[i].name);
        some[i].apply(&c, w);
        expect_bad_check(w, &c, w->good[SCRATCH], 0, some[i].code);
    }
}

/* Bad rows, segments and counts, as sorts meet them. */
static void bad_check_parts(const world *w)
{
    size_t i;
    for (i = 0; i < FAULTS; i++) {
        call c = good_call(w);
        if (!(faults[i].parts & (P_PARTS & ~(P_TUNING | P_ORDER))) || faults[i].parts & P_SCRATCH
            || !usable(&faults[i], w))
            continue;
        AT("%s", faults[i].name);
        faults[i].apply(&c, w);
        if (c.d.algorithm || faults[i].code == CLSORT_ERROR_OVERLAP
            || c.d.keys_out || c.d.indices || c.d.values_out || c.d.values == w->exact
            || (faults[i].parts & P_STRIDES) == P_STRIDES)
            continue;   /* it reads keys alone */
        expect_bad_check(w, &c, w->good[SCRATCH], 0, faults[i].code);
    }
}

/* A field of bytes that are too many is told how many there may be. */
static void fields_of_many_bytes(bench *b)
{
    world w;
    call c;
    open_world(&w, b);
    c = good_call(&w);
    field_65_bytes(&c, &w);
    expect_failure(&c, CLSORT_ERROR_KEY_TYPE);
    CHECK(strstr(clsort_last_error(b->sorter), "fields[0].type")
          && strstr(clsort_last_error(b->sorter), "from 1 to 64"));
    close_world(&w);
}

static void bad_order_checks(bench *b)
{
    world w;
    open_world(&w, b);
    bad_check_results(&w);
    bad_check_calls(&w);
    bad_check_parts(&w);
    close_world(&w);
    printf("%d bad calls\n", bad_calls);
}

static void bad_host_sorts(bench *b)
{
    clsort_desc d = clsort_desc_default();
    cl_uint keys[3] = { 3, 1, 2 }, values[3] = { 0, 1, 2 };
    world w;
    open_world(&w, b);
    d.count = 3;
    CHECK_STATUS(clsort_sort_host(b->sorter, &d, keys, NULL, NULL), CLSORT_ERROR_KEY_TYPE);
    d.key_type = CLSORT_U32;
    CHECK_STATUS(clsort_sort_host(NULL, &d, keys, NULL, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_sort_host(b->sorter, NULL, keys, NULL, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_sort_host(b->sorter, &d, NULL, NULL, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_sort_host(b->sorter, &d, keys, values, NULL), CLSORT_ERROR_VALUE_SIZE);
    d.value_size = 4;
    CHECK_STATUS(clsort_sort_host(b->sorter, &d, keys, NULL, NULL), CLSORT_ERROR_VALUE_SIZE);
    d.keys = w.good[KEYS];
    CHECK_STATUS(clsort_sort_host(b->sorter, &d, keys, values, NULL), CLSORT_ERROR_UNSUPPORTED);
    d = clsort_desc_default();
    d.count = 3;
    d.record_size = 4;
    d.fields = good_fields;
    CHECK_STATUS(clsort_sort_host(b->sorter, &d, keys, NULL, NULL), CLSORT_ERROR_FIELDS);
    d.fields = NULL;
    d.precedes = good_precedes;
    CHECK_STATUS(clsort_sort_host(b->sorter, &d, keys, NULL, NULL), CLSORT_ERROR_FIELDS);
    bad_calls += 9;
    CHECK(keys[0] == 3 && keys[1] == 1 && keys[2] == 2 && values[0] == 0 && values[1] == 1
          && values[2] == 2);
    close_world(&w);
    printf("%d bad calls\n", bad_calls);
}

/* ---- what must still work -------------------------------------------------------------------- */

/* A platform with a second device lends its queue in a common context. */
static void queue_of_another_device(bench *b)
{
    cl_context_properties properties[3] = { CL_CONTEXT_PLATFORM, 0, 0 };
    cl_device_id ids[2];
    cl_uint count = 0;
    cl_int error = 0;
    cl_context context;
    cl_command_queue queue;
    clsort_sorter *s = NULL;
    clsort_desc d = clsort_desc_default();
    properties[1] = (cl_context_properties)b->session.info.platform;
    clGetDeviceIDs(b->session.info.platform, CL_DEVICE_TYPE_ALL, 2, ids, &count);
    if (count < 2) {
        printf("only one device on this platform: no queue of another one to pass\n");
        ids[1] = ids[0];
    }
    context = clCreateContext(properties, count < 2 ? 1 : 2, ids, NULL, NULL, &error);
    if (!CHECK(error == CL_SUCCESS)) return;
    queue = clCreateCommandQueue(context, ids[1], 0, &error);
    d.key_type = CLSORT_U32;
    CHECK_OK(clsort_create(context, ids[0], NULL, &s));
    CHECK_STATUS(clsort_enqueue_sort(s, queue, &d, 0, NULL, NULL),
                 count < 2 ? CL_SUCCESS : CLSORT_ERROR_QUEUE_MISMATCH);
    clsort_destroy(s);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

static void the_sorter_still_sorts(bench *b)
{
    world w;
    call c;
    unsigned char now[BYTES];
    cl_uint keys[N], i;
    open_world(&w, b);
    c = good_call(&w);
    c.d.key_type = 0;
    expect_failure(&c, CLSORT_ERROR_KEY_TYPE);
    c = good_call(&w);
    CHECK_OK(clsort_enqueue_sort(c.sorter, c.queue, &c.d, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(c.queue, w.good[KEYS], CL_TRUE, 0, BYTES, now, 0, NULL, NULL)
          == CL_SUCCESS);
    memcpy(keys, now, sizeof keys);
    for (i = 1; i < N; i++)
        if (!CHECK(keys[i - 1] <= keys[i])) break;
    CHECK(!memcmp(now + sizeof keys, w.before + sizeof keys, BYTES - sizeof keys));
    close_world(&w);
}

/* Arrays are left to later, and none is there: on a driver, what is written without elements. */
static void sorts_of_nothing(bench *b)
{
    clsort_proof proof;
    cl_uint first = 1;
    clsort_desc d = clsort_desc_default();
    world w;
    open_world(&w, b);
    d.key_type = CLSORT_U32;
    d.value_size = 4;
    d.segment_count = 3;
    d.indices = d.keys_out = d.values_out = d.count_buffer = CLSORT_LATER;
    CHECK_OK(clsort_enqueue_fingerprint(b->sorter, b->session.queue, &d, w.good[KEYS], 0, 0, NULL,
                                        NULL));
    CHECK_OK(clsort_enqueue_sort(b->sorter, b->session.queue, &d, 0, NULL, NULL));
    CHECK_OK(clsort_enqueue_verify(b->sorter, b->session.queue, &d, w.good[KEYS], 0, 0, NULL,
                                   NULL));
    CHECK_OK(clsort_enqueue_is_sorted(b->sorter, b->session.queue, &d, w.good[VALUES], 0, 0, NULL,
                                      NULL));
    CHECK(clEnqueueReadBuffer(b->session.queue, w.good[KEYS], CL_TRUE, 0, sizeof proof, &proof, 0,
                              NULL, NULL) == CL_SUCCESS);
    CHECK(clEnqueueReadBuffer(b->session.queue, w.good[VALUES], CL_TRUE, 0, 4, &first, 0, NULL,
                              NULL) == CL_SUCCESS);
    CHECK_OK(clsort_judge(&proof));
    CHECK(first == 0);
    close_world(&w);
}

/* The last message is this one. */
static int says(const bench *b, const char *wanted)
{
    AT("%s", clsort_last_error(b->sorter));
    return CHECK(!strcmp(clsort_last_error(b->sorter), wanted));
}

/* A message has the name of its status, no number, and one reason: a particular one where there is
   one, else the general text. */
static void messages_word_for_word(bench *b)
{
    clsort_desc d = clsort_desc_default();
    char general[400];
    d.count = 10;
    CHECK_STATUS(clsort_check(b->sorter, &d), CLSORT_ERROR_KEY_TYPE);
    snprintf(general, sizeof general, "clsort_check: key_type: %s (CLSORT_ERROR_KEY_TYPE)",
             clsort_status_text(CLSORT_ERROR_KEY_TYPE) + sizeof "CLSORT_ERROR_KEY_TYPE:");
    says(b, general);
    d.key_type = CLSORT_U32;
    d.top_k = 11;
    d.indices = CLSORT_LATER;
    CHECK_STATUS(clsort_check(b->sorter, &d), CLSORT_ERROR_TOP_K);
    says(b, "clsort_check: top_k is above count: k = 11, a row has 10 keys (CLSORT_ERROR_TOP_K)");
    CHECK_STATUS(clsort__note(b->sorter, CL_OUT_OF_RESOURCES, "clFinish"), CL_OUT_OF_RESOURCES);
    says(b, "clFinish: CL_OUT_OF_RESOURCES");
    CHECK_STATUS(clsort__note(b->sorter, -9999, "clFinish"), -9999);
    says(b, "clFinish: an OpenCL error -9999");
    clsort__fail(b->sorter, CL_INVALID_KERNEL_NAME, "clCreateKernel", "clsort_merge_pass");
    says(b, "clCreateKernel: clsort_merge_pass (CL_INVALID_KERNEL_NAME)");
}

static const test_entry tests[] = {
    { "every bad sort gets its code and leaves no trace", every_bad_sort },
    { "of two faults the one that is checked first is reported", two_faults_at_once },
    { "bad descriptions get the same codes without buffers", bad_descriptions },
    { "bad buffers get the same codes from clsort_check", bad_buffers_in_check },
    { "counts beyond the device or 2^32 are rejected", counts_beyond_the_device },
    { "NULL arguments are rejected everywhere", bad_null_arguments },
    { "bad creates leave no sorter", bad_creates },
    { "bad gathers get their codes", bad_gathers },
    { "bad merges of two inputs get their codes and leave no trace", bad_merges },
    { "a field of too many bytes is told the limit", fields_of_many_bytes },
    { "bad checks of order get their codes", bad_order_checks },
    { "a message has the name of its status and one reason", messages_word_for_word },
    { "bad sorts of host arrays leave them alone", bad_host_sorts },
    { "a queue of another device is rejected", queue_of_another_device },
    { "the sorter sorts after a bad call", the_sorter_still_sorts },
    { "no elements are sorted and proved without buffers", sorts_of_nothing }
};

TEST_MAIN(tests)
