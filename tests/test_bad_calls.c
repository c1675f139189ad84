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

/* What a size_t of 32 bits cannot say. */
#if SIZE_MAX > 0xFFFFFFFFu
#define WIDE(...) __VA_ARGS__
#else
#define WIDE(...)
#endif
#define TWO_TO_32 ((size_t)1 << 16 << 16)

static clsort_field nine_fields[9];   /* each of a byte */

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
    for (i = 0; i < 9; i++) nine_fields[i].type = CLSORT_U8;
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

static void use_name(call *c, const char *name)
{
    CHECK_OK(clsort_set_algorithm(&c->d, name));
}

static void use_record(call *c, size_t size, size_t key_offset)
{
    c->d.values = NULL;
    c->d.value_size = 0;
    c->d.record_size = size;
    c->d.key_offset = key_offset;
}

/* Orders of the caller's own: good ones, and each rule broken. */
static const clsort_field good_fields[3] = { { 0, CLSORT_U32, 0, 0, 0 },
                                             { 4, CLSORT_F32, CLSORT_DESCENDING, CLSORT_NAN_LAST,
                                               CLSORT_ZERO_EQUAL },
                                             { 2, CLSORT_I16, 0, 0, 0 } };
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

enum { P_OWN_ORDER = P_TYPE | P_ORDER | P_VALUES | P_KEYS };
enum { P_STRIDES = P_PARTS | P_COUNT | P_KEYS | P_KEYS_OUT | P_VALUES_OUT | P_INDICES };

/* In words, the code, the parts of a call that it changes, and how: a few for each code, and what
   stands nowhere else. tests/plans has mistakes that a description tells alone, tests/test_limits.c
   what holds for each array of each call alike. */
#define BAD_SORTS(X) \
    X("NULL sorter", NULL_ARGUMENT, P_SORTER, c->sorter = NULL) \
    X("NULL queue", NULL_ARGUMENT, P_QUEUE, c->queue = NULL) \
    X("NULL description", NULL_ARGUMENT, P_DESC, c->no_desc = 1) \
    X("a count with no wait list", WAIT_LIST, P_WAIT, c->n_wait = 1) \
    X("a wait list with no count", WAIT_LIST, P_WAIT, c->wait = c->list; c->list[0] = w->event) \
    X("NULL in the wait list", WAIT_LIST, P_WAIT, c->wait = c->list; c->list[0] = w->event; \
      c->list[1] = NULL; c->n_wait = 2) \
    X("key type not set", KEY_TYPE, P_TYPE, c->d.key_type = 0) \
    X("unknown order", UNKNOWN_VALUE, P_ORDER, c->d.order = 2) \
    X("unknown algorithm", UNKNOWN_VALUE, P_TUNING, c->d.algorithm = 99) \
    X("a reserved word of tuning", UNKNOWN_VALUE, P_TUNING, c->d.tuning.reserved_1 = 1) \
    X("the last reserved word of tuning", UNKNOWN_VALUE, P_TUNING, c->d.tuning.reserved[11] = 1) \
    X("flag 2^31", UNKNOWN_FLAG, P_FLAGS, c->d.flags = 0x80000000u) \
    X("top_k that overwrites", UNKNOWN_FLAG, P_FLAGS | P_STRIDES, c->d.top_k = 1; \
      c->d.flags = CLSORT_FLAG_OVERWRITE_INPUT) \
    X("first_bit 32", BIT_RANGE, P_TUNING | P_TYPE, c->d.first_bit = 32) \
    X("ends without begins", MISSING_BUFFER, P_PARTS, use_ends(c, NULL, w->good[INDICES])) \
    X("rows beside a number of segments", UNSUPPORTED, P_PARTS, c->d.rows = 2; \
      c->d.segment_count = 1) \
    X("no segments", MISSING_BUFFER, P_PARTS, c->d.segment_count = 3) \
    X("segments left to later", MISSING_BUFFER, P_PARTS, use_segments(c, CLSORT_LATER)) \
    X("ends left to later", MISSING_BUFFER, P_PARTS, use_ends(c, w->good[INDICES], CLSORT_LATER)) \
    X("count_buffer left to later", MISSING_BUFFER, P_FLAGS | P_PARTS, \
      c->d.count_buffer = CLSORT_LATER) \
    X("segments are an image", NOT_A_BUFFER, P_PARTS, use_segments(c, w->image)) \
    X("a stride without indices", UNUSED_FIELD, P_STRIDES, c->d.rows = 2; c->d.count = N / 2; \
      c->d.indices_row_stride = 4 * N) \
    X("a stride of values_out without rows", UNUSED_FIELD, P_STRIDES, \
      use_strides(c, w, 0, 4 * N, 0); c->d.rows = 0) \
    X("a stride of keys_out near SIZE_MAX", SIZE_OVERFLOW, P_STRIDES, \
      use_strides(c, w, ~(size_t)3, 0, 0)) \
    X("rows of keys_out half a key apart", MISALIGNED, P_STRIDES, \
      use_strides(c, w, 4 * N + 2, 0, 0)) \
    X("the last row of keys_out beyond the end", BUFFER_TOO_SMALL, P_STRIDES, \
      use_strides(c, w, BYTES - 2 * N + 4, 0, 0)) \
    X("keys_out in place at another stride", OVERLAP, P_STRIDES, use_strides(c, w, 4 * N, 0, 0); \
      c->d.keys_out = c->d.keys; c->d.keys_out_offset = c->d.keys_offset) \
    X("rows and scratch of 16 bytes", SCRATCH_TOO_SMALL, \
      P_PARTS | P_SCRATCH | P_VALUES | P_COUNT, c->d.rows = 2; c->d.scratch = w->good[SCRATCH]; \
      c->d.scratch_size = 16) \
    X("work-group functions without kernels that launch kernels", UNSUPPORTED, P_TUNING, \
      use_name(c, "quicksort+builtin")) \
    X("values without value_size", VALUE_SIZE, P_VALUES, c->d.value_size = 0) \
    X("value_size without values", VALUE_SIZE, P_VALUES, c->d.values = NULL) \
    X("values_out without values", VALUE_SIZE, P_VALUES_OUT, c->d.values = NULL; \
      c->d.value_size = 0; c->d.values_out = w->good[VALUES_OUT]) \
    WIDE(X("count 2^32", COUNT_TOO_LARGE, P_COUNT, c->d.count = TWO_TO_32)) \
    X("keys_offset near SIZE_MAX", SIZE_OVERFLOW, P_KEYS, c->d.keys_offset = ~(size_t)3) \
    X("scratch_size SIZE_MAX", SIZE_OVERFLOW, P_SCRATCH, c->d.scratch = w->good[SCRATCH]; \
      c->d.scratch_offset = 16; c->d.scratch_size = ~(size_t)0) \
    X("keys misaligned", MISALIGNED, P_KEYS, c->d.keys_offset = 2) \
    X("scratch misaligned", MISALIGNED, P_SCRATCH, c->d.scratch = w->good[SCRATCH]; \
      c->d.scratch_size = 2048; c->d.scratch_offset = 8) \
    X("no keys", MISSING_BUFFER, P_KEYS, c->d.keys = NULL) \
    X("keys left to later", MISSING_BUFFER, P_KEYS, c->d.keys = CLSORT_LATER) \
    X("values left to later", MISSING_BUFFER, P_VALUES, c->d.values = CLSORT_LATER) \
    X("scratch left to later", MISSING_BUFFER, P_SCRATCH, c->d.scratch = CLSORT_LATER) \
    X("indices left to later", MISSING_BUFFER, P_FLAGS | P_INDICES | P_VALUES_OUT, \
      c->d.indices = CLSORT_LATER; c->d.values_out = w->good[VALUES_OUT]) \
    X("keys_out left to later", MISSING_BUFFER, P_FLAGS | P_KEYS_OUT, \
      c->d.keys_out = CLSORT_LATER) \
    X("values_out left to later", MISSING_BUFFER, P_FLAGS | P_VALUES_OUT, \
      c->d.values_out = CLSORT_LATER) \
    X("queue of another context", QUEUE_MISMATCH, P_QUEUE, c->queue = w->other_queue) \
    X("event of another context", EVENT_MISMATCH, P_WAIT, c->wait = c->list; \
      c->list[0] = w->other_event; c->n_wait = 1) \
    X("second event of another context", EVENT_MISMATCH, P_WAIT, c->wait = c->list; \
      c->list[0] = w->event; c->list[1] = w->other_event; c->n_wait = 2) \
    X("keys are an image", NOT_A_BUFFER, P_KEYS, c->d.keys = w->image) \
    X("values are an image", NOT_A_BUFFER, P_VALUES, c->d.values = w->image) \
    X("scratch is an image", NOT_A_BUFFER, P_SCRATCH, c->d.scratch = w->image; \
      c->d.scratch_size = 2048) \
    X("keys of another context", BUFFER_CONTEXT, P_KEYS, c->d.keys = w->other_buffer) \
    X("keys not writable", BUFFER_ACCESS, P_KEYS | P_KEYS_OUT | P_INDICES, \
      c->d.keys = w->read_only) \
    X("keys in a part of a read-only buffer", BUFFER_ACCESS, P_KEYS | P_KEYS_OUT | P_INDICES, \
      c->d.keys = w->read_only_part) \
    X("keys not readable", BUFFER_ACCESS, P_KEYS, c->d.keys = w->write_only) \
    X("keys that may be overwritten, not writable", BUFFER_ACCESS, \
      P_FLAGS | P_PARTS | P_KEYS | P_KEYS_OUT | P_INDICES, c->d.keys = w->read_only; \
      c->d.keys_out = w->good[KEYS_OUT]; c->d.flags = CLSORT_FLAG_OVERWRITE_INPUT) \
    X("values not writable", BUFFER_ACCESS, P_VALUES_OUT, c->d.values = w->read_only) \
    X("keys one element short", BUFFER_TOO_SMALL, P_KEYS | P_COUNT, c->d.keys = w->exact; \
      c->d.keys_offset = 4) \
    X("keys_offset behind the end", BUFFER_TOO_SMALL, P_KEYS, c->d.keys_offset = BYTES + 4) \
    X("values too wide", BUFFER_TOO_SMALL, P_VALUES | P_COUNT, c->d.values = w->exact; \
      c->d.value_size = 5) \
    X("scratch smaller than scratch_size", BUFFER_TOO_SMALL, P_SCRATCH, \
      c->d.scratch = w->good[SCRATCH]; c->d.scratch_size = BYTES + 16; c->d.stable = 1) \
    X("records beyond the end", BUFFER_TOO_SMALL, P_VALUES | P_KEYS | P_COUNT, \
      use_record(c, 44, 0)) \
    X("one key more than fits", BUFFER_TOO_SMALL, P_COUNT | P_KEYS | P_VALUES, \
      c->d.count = BYTES / 4 + 1) \
    X("keys and values in one place", OVERLAP, P_KEYS | P_VALUES | P_INDICES, \
      c->d.values = c->d.keys) \
    X("keys_out one element behind keys", OVERLAP, P_KEYS | P_KEYS_OUT, \
      c->d.keys_out = c->d.keys; c->d.keys_out_offset = 4) \
    X("keys_out in a part of keys", OVERLAP, P_KEYS | P_KEYS_OUT, c->d.keys_out = w->overlapping; \
      c->d.keys_out_offset = 8) \
    X("two parts of one buffer overlap", OVERLAP, P_KEYS | P_VALUES | P_INDICES, \
      c->d.keys = w->part; c->d.values = w->overlapping) \
    X("scratch of 16 bytes", SCRATCH_TOO_SMALL, P_SCRATCH | P_VALUES, \
      c->d.scratch = w->good[SCRATCH]; c->d.scratch_size = 16; c->d.stable = 1) \
    X("scratch of no bytes", SCRATCH_TOO_SMALL, P_SCRATCH | P_VALUES, \
      c->d.scratch = w->good[SCRATCH]; c->d.scratch_size = 0; c->d.stable = 1) \
    X("fields and precedes", FIELDS, P_OWN_ORDER, use_fields(c, good_fields, 2); \
      c->d.record_type = good_record; c->d.precedes = good_precedes) \
    X("fields and record_type", FIELDS, P_OWN_ORDER, use_fields(c, good_fields, 2); \
      c->d.record_type = good_record) \
    X("fields without field_count", FIELDS, P_OWN_ORDER, use_fields(c, good_fields, 0)) \
    X("field_count without fields", FIELDS, P_OWN_ORDER, use_fields(c, NULL, 2)) \
    X("field_count beside a key type", FIELDS, P_OWN_ORDER, c->d.field_count = 1) \
    X("nine fields", FIELDS, P_OWN_ORDER, use_fields(c, nine_fields, 9)) \
    X("fields without record_size", FIELDS, P_OWN_ORDER, use_fields(c, good_fields, 2); \
      c->d.record_size = 0) \
    X("precedes without record_type", FIELDS, P_OWN_ORDER, use_precedes(c, NULL, good_precedes)) \
    X("record_type without precedes", FIELDS, P_OWN_ORDER, use_precedes(c, good_record, NULL)) \
    X("a field's type not set", KEY_TYPE, P_OWN_ORDER, use_field(c, 0, 0, 0, 0, 0)) \
    X("a field of 33 bits", KEY_TYPE, P_OWN_ORDER, use_field(c, 0, 0x121, 0, 0, 0)) \
    X("a field of no bytes", KEY_TYPE, P_OWN_ORDER, use_field(c, 0, CLSORT_BYTES, 0, 0, 0)) \
    X("a field of 65 bytes", KEY_TYPE, P_OWN_ORDER, use_field(c, 0, CLSORT_BYTES + 65, 0, 0, 0); \
      c->d.record_size = 128) \
    X("an unknown order of bytes", UNKNOWN_VALUE, P_OWN_ORDER, \
      use_field(c, 1, CLSORT_BYTES + 3, 2, 0, 0)) \
    X("bytes half outside", RECORD_LAYOUT, P_OWN_ORDER, \
      use_field(c, 5, CLSORT_BYTES + 4, 0, 0, 0)) \
    WIDE(X("bytes across 2^32", RECORD_LAYOUT, P_OWN_ORDER | P_COUNT, \
           use_field(c, 0xFFFFFFFFu, CLSORT_BYTES + 5, 0, 0, 0); \
           c->d.record_size = 2 * TWO_TO_32; c->d.count = 1)) \
    X("a field's order unknown", UNKNOWN_VALUE, P_OWN_ORDER, use_field(c, 0, CLSORT_F32, 2, 0, 0)) \
    X("a field's NaN order unknown", UNKNOWN_VALUE, P_OWN_ORDER, \
      use_field(c, 0, CLSORT_F32, 0, 3, 0)) \
    X("a field's zero order unknown", UNKNOWN_VALUE, P_OWN_ORDER, \
      use_field(c, 0, CLSORT_F32, 0, 0, 2)) \
    X("precedes with blocks only", UNSUPPORTED, P_OWN_ORDER | P_TUNING, \
      use_precedes(c, good_record, good_precedes); use_name(c, "merge-local-only")) \
    X("a field far behind the record", RECORD_LAYOUT, P_OWN_ORDER, \
      use_field(c, ~(size_t)3, CLSORT_U32, 0, 0, 0)) \
    X("a field misaligned", MISALIGNED, P_OWN_ORDER, use_field(c, 2, CLSORT_U32, 0, 0, 0)) \
    X("a field of 4 bytes in records of 6", MISALIGNED, P_OWN_ORDER, \
      use_field(c, 0, CLSORT_U32, 0, 0, 0); c->d.record_size = 6) \
    X("keys misaligned for a field", MISALIGNED, P_OWN_ORDER, \
      use_field(c, 0, CLSORT_U64, 0, 0, 0); c->d.keys_offset = 4) \
    X("keys_out misaligned for a field", MISALIGNED, P_OWN_ORDER | P_KEYS_OUT, \
      use_field(c, 0, CLSORT_U64, 0, 0, 0); c->d.keys_out = w->good[KEYS_OUT]; \
      c->d.keys_out_offset = 4) \
    X("records misaligned for precedes", MISALIGNED, P_OWN_ORDER, \
      use_precedes(c, good_record, good_precedes); c->d.keys_offset = 2) \
    X("records beyond the end, with fields", BUFFER_TOO_SMALL, P_OWN_ORDER | P_COUNT, \
      use_fields(c, good_fields, 2); c->d.keys = w->exact) \
    X("fields: not built and not to be built", NOT_READY, \
      P_OWN_ORDER | P_KEYS_OUT | P_SORTER | P_FLAGS, c->sorter = w->fresh; \
      use_fields(c, good_fields, 2); c->d.flags = CLSORT_FLAG_NO_BUILD) \
    X("precedes: not built and not to be built", NOT_READY, \
      P_OWN_ORDER | P_KEYS_OUT | P_SORTER | P_FLAGS, c->sorter = w->fresh; \
      use_precedes(c, good_record, good_precedes); c->d.flags = CLSORT_FLAG_NO_BUILD) \
    X("not built and not to be built", NOT_READY, P_SORTER | P_FLAGS, c->sorter = w->fresh; \
      c->d.flags = CLSORT_FLAG_NO_BUILD)

typedef struct fault {
    const char *name;
    clsort_status code;
    int parts;
} fault;

#define ROW(name, code, parts, ...) { name, CLSORT_ERROR_##code, parts },
static const fault faults[] = { BAD_SORTS(ROW) };
#undef ROW
enum { FAULTS = sizeof faults / sizeof *faults };

/* Does a fault, by its number, to a call. */
static void spoil(call *c, const world *w, size_t number)
{
    size_t i = 0;
#define CHANGE(name, code, parts, ...) \
    if (i++ == number) { \
        __VA_ARGS__; \
    }
    BAD_SORTS(CHANGE)
#undef CHANGE
}

/* The number of a fault. */
static size_t fault_of(const char *name)
{
    size_t i = 0;
    while (i + 1 < FAULTS && strcmp(faults[i].name, name)) i++;
    CHECK(!strcmp(faults[i].name, name));
    return i;
}

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

/* Makes a good call with one fault; 0 if the device cannot have that. */
static int make_bad(call *c, const world *w, size_t number)
{
    if (faults[number].code == CLSORT_ERROR_NOT_A_BUFFER && !w->image) return 0;
    AT("%s", faults[number].name);
    *c = good_call(w);
    spoil(c, w, number);
    return 1;
}

/* Makes the call and checks that it fails with `code`, without a trace but a message. */
static int expect_failure(call *c, clsort_status code)
{
    cl_event none = NULL, done;
    clsort_status status;
    int good;
    memset(&done, 0x5A, sizeof done);
    enqueued = 0;
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
    call c;
    size_t i;
    open_world(&w, b);
    for (i = 0; i < FAULTS; i++) {
        if (!make_bad(&c, &w, i)) continue;
        expect_failure(&c, faults[i].code);
        world_is_intact(&w);
    }
    close_world(&w);
}

/* Of two faults the one whose code stands earlier in CLSORT_STATUS_LIST is reported. */
static void two_faults_at_once(bench *b)
{
    world w;
    call c;
    size_t i, j;
    open_world(&w, b);
    for (i = 0; i < FAULTS; i++)
        for (j = 0; j < i; j++) {
            const fault *f = &faults[i], *g = &faults[j];
            if (f->parts & g->parts || !make_bad(&c, &w, j) || !make_bad(&c, &w, i)) continue;
            AT("%s; %s", f->name, g->name);
            spoil(&c, &w, j);
            expect_failure(&c, rank_of(f->code) < rank_of(g->code) ? f->code : g->code);
        }
    AT("after all pairs");
    world_is_intact(&w);
    close_world(&w);
}

/* clsort_check, prepare, scratch_size and resolve look at the description alone and give the same
   codes. Without buffers values are told by their size. */
static void bad_descriptions(bench *b)
{
    world w;
    call c;
    size_t i, bytes;
    open_world(&w, b);
    for (i = 0; i < FAULTS; i++) {
        clsort_desc resolved = clsort_desc_default();
        if (rank_of(faults[i].code) < rank_of(CLSORT_ERROR_KEY_TYPE)
            || rank_of(faults[i].code) > rank_of(CLSORT_ERROR_MISALIGNED)
            || !strcmp(faults[i].name, "value_size without values"))
            continue;
        make_bad(&c, &w, i);
        CHECK_STATUS(clsort_check(b->sorter, &c.d), faults[i].code);
        CHECK_STATUS(clsort_prepare(b->sorter, NULL, &c.d), faults[i].code);
        CHECK_STATUS(clsort_scratch_size(b->sorter, &c.d, &bytes), faults[i].code);
        CHECK_STATUS(clsort_scratch_size(NULL, &c.d, &bytes), faults[i].code);
        CHECK_STATUS(clsort_resolve(b->sorter, &c.d, &resolved), faults[i].code);
    }
    world_is_intact(&w);
    close_world(&w);
}

/* Buffers that are given to clsort_check are checked as in a sort. */
static void bad_buffers_in_check(bench *b)
{
    world w;
    call c;
    size_t i;
    open_world(&w, b);
    for (i = 0; i < FAULTS; i++)
        if (faults[i].code <= CLSORT_ERROR_NOT_A_BUFFER
            && faults[i].code >= CLSORT_ERROR_SCRATCH_TOO_SMALL && make_bad(&c, &w, i))
            CHECK_STATUS(clsort_check(b->sorter, &c.d), faults[i].code);
    close_world(&w);
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
    CHECK_STATUS(clsort_scratch_size(NULL, &d, &bytes),
                 sizeof bytes > 4 ? CL_SUCCESS : CLSORT_ERROR_SIZE_OVERFLOW);
    WIDE(d.count = TWO_TO_32;
         CHECK_STATUS(clsort_scratch_size(NULL, &d, &bytes), CLSORT_ERROR_COUNT_TOO_LARGE);)
    CHECK(bytes == 0);
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
}

/* ---- gather, merge, is_sorted, host arrays --------------------------------------------------- */

/* A call failed with a code; it enqueued nothing, gave no event away and changed no buffer. */
static void check_refused(const world *w, clsort_status status, clsort_status code, cl_event done)
{
    CHECK_STATUS(status, code);
    CHECK(enqueued == 0 && done == NULL);
    world_is_intact(w);
}

/* Makes a call, which may give its event to `done`, and which must fail. */
#define REFUSE(w, call, code, words) \
    { \
        cl_event done = (w)->event; \
        clsort_status status; \
        AT("%s", words); \
        enqueued = 0; \
        status = call; \
        check_refused(w, status, CLSORT_ERROR_##code, done); \
    }

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

/* Two rows of N / 2 fit where one of N does. */
static void use_rows(gather_call *c, size_t indices, size_t source, size_t target)
{
    c->g.rows = 2;
    c->g.count = N / 2;
    c->g.indices_row_stride = indices;
    c->a[1].source_row_stride = source;
    c->a[1].target_row_stride = target;
}

/* Tries a good gather of which something is wrong. */
#define WITH(change, code, words) \
    { \
        good_gather(&w, &c); \
        change; \
        REFUSE(&w, clsort_enqueue_gather(s, queue, &c.g, 0, NULL, &done), code, words) \
    }

static void bad_gathers(bench *b)
{
    clsort_sorter *const s = b->sorter;
    cl_command_queue queue = b->session.queue;
    world w;
    gather_call c;
    open_world(&w, b);
    WITH(c.g.flags = 2, UNKNOWN_FLAG, "unknown flag")
    WITH(c.g.arrays = NULL, NULL_ARGUMENT, "no arrays")
    WITH(c.a[1].element_size = 0, VALUE_SIZE, "element_size 0")
    WITH(c.a[0].source_row_stride = 48; c.a[1].element_size = 0, VALUE_SIZE,
         "of a stride and a size the size")
    WIDE(WITH(c.g.count = TWO_TO_32, COUNT_TOO_LARGE, "count 2^32"))
    WIDE(WITH(c.g.source_count = ~(size_t)0, COUNT_TOO_LARGE, "source_count SIZE_MAX"))
    WITH(c.a[0].element_size = ~(size_t)0 / 8, SIZE_OVERFLOW, "element_size near SIZE_MAX")
    WITH(c.g.indices_offset = 2, MISALIGNED, "indices misaligned")
    WITH(c.a[0].source_offset = 2, MISALIGNED, "source misaligned")
    WITH(c.a[1].target_offset = 2, MISALIGNED, "target misaligned")
    WITH(c.g.indices_row_stride = 4 * N, UNUSED_FIELD, "a stride of indices without rows")
    WITH(c.a[1].source_row_stride = 12 * N, UNUSED_FIELD, "a stride of a source without rows")
    WITH(c.g.rows = ~(size_t)0, SIZE_OVERFLOW, "SIZE_MAX rows")
    WITH(use_rows(&c, 0, 0, ~(size_t)3), SIZE_OVERFLOW, "a row stride near SIZE_MAX")
    WITH(use_rows(&c, 0, 0, 12 * N + 2), MISALIGNED, "a row stride misaligned")
    WITH(use_rows(&c, 4 * N + 2, 0, 0), MISALIGNED, "a row stride of indices misaligned")
    WITH(c.g.rows = BYTES / (12 * N) + 1, BUFFER_TOO_SMALL, "more rows than fit")
    WITH(use_rows(&c, 0, BYTES - 6 * N + 4, 0), BUFFER_TOO_SMALL,
         "the last row of a source one element too far")
    WITH(use_rows(&c, 0, 48, 0); c.g.count = 1; c.a[0].source_row_stride = 48;
         c.a[0].target = w.good[KEYS]; c.a[0].target_offset = 24, OVERLAP,
         "a target between the rows of a source")
    WITH(c.g.indices = NULL, MISSING_BUFFER, "no indices")
    WITH(c.a[1].source = NULL, MISSING_BUFFER, "no source")
    WITH(c.a[1].target = NULL, MISSING_BUFFER, "no target")
    WITH(c.g.source_count = BYTES / 12 + 1, BUFFER_TOO_SMALL, "more source elements than fit")
    queue = w.other_queue;
    WITH(c.g.flags = 2, UNKNOWN_FLAG, "of a flag and a queue the flag")
    CHECK_STATUS(clsort_enqueue_gather(NULL, queue, &c.g, 0, NULL, NULL),
                 CLSORT_ERROR_NULL_ARGUMENT);
    CHECK_STATUS(clsort_enqueue_gather(s, queue, NULL, 0, NULL, NULL), CLSORT_ERROR_NULL_ARGUMENT);
    close_world(&w);
}

#undef WITH

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

/* Tries a good merge of which something is wrong. */
#define WITH(change, code, words) \
    { \
        clsort_merge_desc m = good_merge(&w); \
        change; \
        REFUSE(&w, clsort_enqueue_merge(s, queue, &m, 0, NULL, &done), code, words) \
        CHECK(strstr(clsort_last_error(s), status_name(CLSORT_ERROR_##code)) != NULL); \
    }

static void bad_merges(bench *b)
{
    clsort_sorter *s = b->sorter;
    cl_command_queue queue = b->session.queue;
    world w;
    open_world(&w, b);
    WITH(m.key_type = 0, KEY_TYPE, "key type not set")
    WITH(m.key_type = 0x121, KEY_TYPE, "key type unknown")
    WITH(m.order = 2, UNKNOWN_VALUE, "order unknown")
    WITH(m.nan_order = 3, UNKNOWN_VALUE, "NaN order unknown")
    WITH(m.nan_order = CLSORT_NAN_EQUAL; m.key_type = CLSORT_F32, UNSUPPORTED, "equal NaNs")
    WITH(m.tuning.work_group = 3, UNKNOWN_VALUE, "work-group of 3")
    WITH(m.tuning.items = 3, UNKNOWN_VALUE, "3 items")
    WITH(m.tuning.items = 64, UNSUPPORTED, "64 items")
    WITH(m.tuning.variant = CLSORT__AS(LOCAL, ONLY), UNSUPPORTED, "blocks only")
    WITH(m.tuning.variant = CLSORT__AS(RADIX, HYBRID), UNKNOWN_VALUE, "a form of radix")
    WITH(m.flags = CLSORT_FLAG_TOP_NTH, UNKNOWN_FLAG, "flag of another call")
    WITH(m.flags = 1u << 31, UNKNOWN_FLAG, "unknown flag")
    WITH(m.value_size = 9, UNSUPPORTED, "values of 9 bytes")
    WITH(m.flags = 1u << 31; m.order = 2, UNKNOWN_VALUE, "of an order and a flag the order")
    WITH(m.value_size = 9; m.key_type = 0, KEY_TYPE, "of a size and a key type the key type")
    WITH(m.value_size = 0, VALUE_SIZE, "values without value_size")
    WITH(m.values_b = NULL, VALUE_SIZE, "value_size without values_b")
    WITH(m.values_out = NULL, VALUE_SIZE, "value_size without values_out")
    WIDE(WITH(m.count_a = TWO_TO_32, COUNT_TOO_LARGE, "count_a 2^32"))
    WITH(m.count_a = m.count_b = (size_t)1 << 31, COUNT_TOO_LARGE, "a sum of 2^32")
    WITH(m.count_a = ~(size_t)0, COUNT_TOO_LARGE, "counts that wrap")
    WITH(m.count_a = ~(size_t)0 - N / 2 + 1, COUNT_TOO_LARGE, "counts that wrap to 0")
    WITH(m.keys_a_offset = 2, MISALIGNED, "keys_a misaligned")
    WITH(m.keys_b_offset = 2 * N + 1, MISALIGNED, "keys_b misaligned")
    WITH(m.keys_out_offset = 3, MISALIGNED, "keys_out misaligned")
    WITH(m.values_a_offset = 2, MISALIGNED, "values_a misaligned")
    WITH(m.values_b_offset = 2 * N + 2, MISALIGNED, "values_b misaligned")
    WITH(m.values_out_offset = 1, MISALIGNED, "values_out misaligned")
    WITH(m.keys_a = NULL, MISSING_BUFFER, "no keys_a")
    WITH(m.keys_b = NULL, MISSING_BUFFER, "no keys_b")
    WITH(m.keys_out = NULL, MISSING_BUFFER, "no keys_out")
    if (w.image) WITH(m.keys_b = w.image, NOT_A_BUFFER, "keys_b is an image")
    WITH(m.keys_out = w.overlapping; m.keys_out_offset = 8, OVERLAP,
         "keys_out in a part of the inputs' buffer")
    queue = w.other_queue;
    WITH((void)m, QUEUE_MISMATCH, "a queue of another context")
    WITH(m.flags = 1u << 31, UNKNOWN_FLAG, "of a flag and a queue the flag")
    queue = b->session.queue;
    s = w.fresh;
    WITH(m.flags = CLSORT_FLAG_NO_BUILD, NOT_READY, "not built and not to be built")
    close_world(&w);
}

#undef WITH

/* Arguments beside the description. */
static void bad_merge_arguments(bench *b)
{
    clsort_sorter *const s = b->sorter;
    cl_command_queue queue = b->session.queue;
    clsort_merge_desc m;
    cl_event list[2];
    world w;
    open_world(&w, b);
    m = good_merge(&w);
    list[0] = w.event;
    list[1] = NULL;
    REFUSE(&w, clsort_enqueue_merge(NULL, queue, &m, 0, NULL, &done), NULL_ARGUMENT, "no sorter")
    REFUSE(&w, clsort_enqueue_merge(s, NULL, &m, 0, NULL, &done), NULL_ARGUMENT, "no queue")
    REFUSE(&w, clsort_enqueue_merge(s, queue, NULL, 0, NULL, &done), NULL_ARGUMENT, "no struct")
    REFUSE(&w, clsort_enqueue_merge(s, queue, &m, 1, NULL, &done), WAIT_LIST, "no wait list")
    REFUSE(&w, clsort_enqueue_merge(s, queue, &m, 0, list, &done), WAIT_LIST, "no count")
    REFUSE(&w, clsort_enqueue_merge(s, queue, &m, 2, list, &done), WAIT_LIST, "a NULL in it")
    list[0] = w.other_event;
    REFUSE(&w, clsort_enqueue_merge(s, queue, &m, 1, list, &done), EVENT_MISMATCH,
           "an event of another context")
    close_world(&w);
}

static void expect_bad_check(const world *w, const call *c, cl_mem result, size_t offset,
                             clsort_status code)
{
    cl_event done = w->event;
    clsort_status status;
    enqueued = 0;
    status = clsort_enqueue_is_sorted(c->sorter, c->queue, c->no_desc ? NULL : &c->d, result,
                                      offset, c->n_wait, c->wait, &done);
    check_refused(w, status, code, done);
}

static void bad_check_results(const world *w)
{
    call c = good_call(w);
    expect_bad_check(w, &c, NULL, 0, CLSORT_ERROR_NULL_ARGUMENT);
    expect_bad_check(w, &c, w->good[SCRATCH], 2, CLSORT_ERROR_MISALIGNED);
    c.d.rows = 2;
    c.d.row_stride = 4;
    expect_bad_check(w, &c, w->good[SCRATCH], 0, CLSORT_ERROR_OVERLAP);
    c = good_call(w);
    use_segments(&c, w->good[INDICES]);
    expect_bad_check(w, &c, w->good[INDICES], 12, CLSORT_ERROR_OVERLAP);
    expect_bad_check(w, &c, w->read_only, 0, CLSORT_ERROR_BUFFER_ACCESS);
}

static void bad_check_calls(const world *w)
{
    static const char *const some[] = {
        "no keys", "NULL description", "queue of another context", "key type not set",
        "nine fields", "precedes without record_type", "precedes: not built and not to be built"
    };
    size_t i;
    for (i = 0; i < sizeof some / sizeof *some; i++) {
        const size_t number = fault_of(some[i]);
        call c;
        make_bad(&c, w, number);
        expect_bad_check(w, &c, w->good[SCRATCH], 0, faults[number].code);
    }
}

/* Bad rows, segments and counts, as sorts meet them. */
static void bad_check_parts(const world *w)
{
    size_t i;
    for (i = 0; i < FAULTS; i++) {
        call c;
        if (!(faults[i].parts & (P_PARTS & ~(P_TUNING | P_ORDER))) || faults[i].parts & P_SCRATCH
            || !make_bad(&c, w, i))
            continue;
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
    make_bad(&c, &w, fault_of("a field of 65 bytes"));
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
    CHECK(strstr(clsort_last_error(b->sorter), "value_size") != NULL);
    d.value_size = 4;
    CHECK_STATUS(clsort_sort_host(b->sorter, &d, keys, NULL, NULL), CLSORT_ERROR_VALUE_SIZE);
    CHECK(strstr(clsort_last_error(b->sorter), "values") != NULL);
    CHECK(strstr(clsort_last_error(b->sorter), "value_size is 0") == NULL);
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
    CHECK(keys[0] == 3 && keys[1] == 1 && keys[2] == 2 && values[0] == 0 && values[1] == 1
          && values[2] == 2);
    close_world(&w);
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
    { "bad arguments of a merge get their codes", bad_merge_arguments },
    { "a field of too many bytes is told the limit", fields_of_many_bytes },
    { "bad checks of order get their codes", bad_order_checks },
    { "a message has the name of its status and one reason", messages_word_for_word },
    { "bad sorts of host arrays leave them alone", bad_host_sorts },
    { "a queue of another device is rejected", queue_of_another_device },
    { "the sorter sorts after a bad call", the_sorter_still_sorts },
    { "no elements are sorted and proved without buffers", sorts_of_nothing }
};

TEST_MAIN(tests)
