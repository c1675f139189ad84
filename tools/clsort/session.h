/* session.h - a device with a sorter, and buffers of arrays there. */

#ifndef CLSORT_TOOLS_SESSION_H
#define CLSORT_TOOLS_SESSION_H

#include "bench.h"
#include "parts.h"

typedef struct sorter_session {
    device_session device;
    clsort_sorter *sorter;
    int shares_memory;      /* a CPU: arrays are sorted where they lie */
    void *scratch;          /* then the memory, from memory_take, of a buffer for scratch memory */
    size_t scratch_size;
    cl_mem scratch_buffer;
} sorter_session;

static const sorter_session sorter_none;

static void scratch_free(sorter_session *s)
{
    if (s->scratch_buffer) clReleaseMemObject(s->scratch_buffer);
    memory_give(s->scratch, s->scratch_size);
    s->scratch_buffer = NULL;
    s->scratch = NULL;
    s->scratch_size = 0;
}

static void sorter_close(sorter_session *s)
{
    if (s->device.queue) clFinish(s->device.queue);
    scratch_free(s);
    clsort_destroy(s->sorter);
    device_close(&s->device);
}

/* Options with the cache of compiled kernels that --cache or CLSORT_CACHE names. */
static clsort_options cached_options(const arguments *a)
{
    clsort_options options = clsort_options_default();
    const char *folder = argument(a, OPTION_CACHE, getenv("CLSORT_CACHE"));
    char path[CLSORT__MOST_PATH];
    if (folder && !*folder) folder = NULL;
    if (folder && !strcmp(folder, "none")) return options;
    clsort_cache_folder(&options, folder);
    if (folder && (!clsort__open_folder(folder, 1, path) || access(path, W_OK | X_OK)))
        warn("%s %s: nothing is kept: it must be a folder of yours that nobody else can write to",
             a->given[OPTION_CACHE] ? "--cache" : "$CLSORT_CACHE", folder);
    return options;
}

/* Fills sorter_none with a sorter on the device that --device names; sorter_close afterwards, also
   after a failure. flags: CLSORT_OPTION_*. Returns an exit code. */
static int sorter_open(const arguments *a, cl_uint flags, sorter_session *s)
{
    const char *want = argument(a, OPTION_DEVICE, NULL);
    clsort_options options = cached_options(a);
    cl_bool unified = CL_FALSE;
    device_info info;
    if (!device_choose(want, &info)) return fail_no_device(want);
    if (!device_open(&info, &s->device))
        return fail(DONE_OPENCL, "%s: cannot be opened", info.name);
    clGetDeviceInfo(info.id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL);
    s->shares_memory = info.type & CL_DEVICE_TYPE_CPU && unified;
    options.flags = flags;
    return cl_check(clsort_create(s->device.context, info.id, &options, &s->sorter),
                    "clsort_create");
}

/* How many elements an open device holds in `copies` pairs of buffers for them, which take `size`
   and `other` bytes of each. */
static read_limit limit_of_device(const sorter_session *s, size_t size, size_t other, size_t copies)
{
    const cl_device_id id = s->device.info.id;
    const size_t widest = size > other ? size : other;
    read_limit limit = limit_of_host();
    cl_ulong most, *const largest = &limit.largest, *const memory = &limit.memory;
    limit.each = copies * (size + other);
    if (clGetDeviceInfo(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof *largest, largest, NULL)
        || clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof *memory, memory, NULL))
        return limit;
    most = *memory / limit.each;
    if (most > *largest / widest) most = *largest / widest;
    if (most >= limit.most) return limit;
    limit.most = (size_t)most;
    limit.device = s->device.info.name;
    return limit;
}

/* Moves an array up to a buffer, or down from it. The array is pinned meanwhile, where that takes
   less time. Returns an exit code. */
static int move_array(sorter_session *s, cl_mem buffer, const key_array *array, int up)
{
    const size_t bytes = array->count * array->size;
    cl_mem pin = clsort__can_pin(s->sorter) ? clsort__pin(s->sorter, array->data, bytes,
                                                          CL_MEM_READ_WRITE)
                                            : NULL;
    const int code =
        up ? cl_check(clEnqueueWriteBuffer(s->device.queue, buffer, CL_TRUE, 0, bytes, array->data,
                                           0, NULL, NULL),
                      "clEnqueueWriteBuffer")
           : cl_check(clEnqueueReadBuffer(s->device.queue, buffer, CL_TRUE, 0, bytes, array->data,
                                          0, NULL, NULL),
                      "clEnqueueReadBuffer");
    clsort__release_buffer(&pin);
    return code;
}

/* Makes a buffer of an array; one of a byte where that is empty. Where the device shares the host's
   memory, the array must stay until the buffer is released. Returns an exit code. */
static int upload(sorter_session *s, const key_array *array, cl_mem *buffer)
{
    const size_t bytes = array->count * array->size;
    const int shared = s->shares_memory && bytes;
    cl_int error;
    int code;
    *buffer = clCreateBuffer(s->device.context,
                             CL_MEM_READ_WRITE | (shared ? CL_MEM_USE_HOST_PTR : 0),
                             bytes ? bytes : 1, shared ? array->data : NULL, &error);
    code = cl_check(error, "clCreateBuffer");
    return code != DONE_OK || shared || !bytes ? code : move_array(s, *buffer, array, 1);
}

/* Copies a buffer to an array. If it is the array of the buffer itself, that makes it visible on
   the host: OpenCL allows it once all commands are complete. */
static int download(sorter_session *s, cl_mem buffer, const key_array *array)
{
    const int code = cl_check(clFinish(s->device.queue), "clFinish");
    return code != DONE_OK || !array->count ? code : move_array(s, buffer, array, 0);
}

/* Gives a description scratch memory that can be given back, if the device shares the host's
   memory. Returns an exit code. */
static int session_scratch(sorter_session *s, clsort_desc *d)
{
    size_t bytes = 0;
    cl_int error;
    int code;
    if (!s->shares_memory || clsort_scratch_size(s->sorter, d, &bytes) || !bytes) return DONE_OK;
    if (bytes > s->scratch_size) {
        scratch_free(s);
        s->scratch = memory_take(bytes);
        if (!s->scratch) return fail(DONE_IO, "%s", strerror(ENOMEM));
        s->scratch_size = bytes;
        s->scratch_buffer = clCreateBuffer(s->device.context,
                                           CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                                           s->scratch, &error);
        code = cl_check(error, "clCreateBuffer");
        if (code != DONE_OK) return code;
    }
    d->scratch = s->scratch_buffer;
    d->scratch_size = s->scratch_size;
    return DONE_OK;
}

static void release(cl_mem *buffers, int count)
{
    int i;
    for (i = 0; i < count; i++)
        if (buffers[i]) clReleaseMemObject(buffers[i]);
}

/* ---- sorts ----------------------------------------------------------------------------------- */

/* Keys or records and, if value_size is not 0, a value for each. */
typedef struct pair_array {
    key_array keys, values;
} pair_array;

static void pairs_free(pair_array *p)
{
    array_free(&p->keys);
    array_free(&p->values);
}

static size_t element_size(const sort_order *o)
{
    return o->type ? o->type->size : o->desc.record_size;
}

/* What is sorted: `count` elements of `size` bytes, in these parts. */
static clsort_desc sort_describe(const clsort_desc *order, size_t count, size_t size,
                                 size_t value_size, const file_parts *parts)
{
    const int at_offsets = parts->offsets.data != NULL, in_rows = !at_offsets && !parts->is_whole;
    clsort_desc d = *order;
    d.count = in_rows ? parts->length : count;
    d.value_size = value_size;
    d.rows = in_rows ? parts->count : 0;
    d.row_stride = in_rows ? parts->stride * size : 0;
    d.segment_count = at_offsets ? parts->count : 0;
    return d;
}

/* Uploads what is sorted, sorts and reads the result back. buffers: keys, values, indices and
   offsets of segments. Returns an exit code. */
static int sort_buffers(sorter_session *s, clsort_desc *d, const pair_array *p,
                        const file_parts *parts, const key_array *indices, cl_mem buffers[4])
{
    int code = upload(s, &p->keys, &buffers[0]);
    if (code == DONE_OK && p->values.size) code = upload(s, &p->values, &buffers[1]);
    if (code == DONE_OK && indices) code = upload(s, indices, &buffers[2]);
    if (code == DONE_OK && parts->offsets.data) code = upload(s, &parts->offsets, &buffers[3]);
    if (code != DONE_OK) return code;
    d->keys = buffers[0];
    d->values = buffers[1];
    d->indices = buffers[2];
    d->segments = buffers[3];
    code = session_scratch(s, d);
    if (code == DONE_OK)
        code = sorter_check(s->sorter,
                            clsort_enqueue_sort(s->sorter, s->device.queue, d, 0, NULL, NULL));
    if (code == DONE_OK && indices) return download(s, buffers[2], indices);
    if (code == DONE_OK) code = download(s, buffers[0], &p->keys);
    return code == DONE_OK && p->values.size ? download(s, buffers[1], &p->values) : code;
}

/* Sorts in place, or fills `indices` if that is not NULL. Returns an exit code. */
static int sort_on_device(sorter_session *s, const clsort_desc *order, const pair_array *p,
                          const file_parts *parts, const key_array *indices)
{
    clsort_desc d = sort_describe(order, p->keys.count, p->keys.size, p->values.size, parts);
    cl_mem buffers[4] = { NULL, NULL, NULL, NULL };
    const int code = sort_buffers(s, &d, p, parts, indices, buffers);
    release(buffers, 4);
    return code;
}

#endif
