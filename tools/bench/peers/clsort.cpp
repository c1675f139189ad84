/* clsort.cpp - clsort's own algorithms, from keys to keys_out, and its top-k, on the OpenCL device
   that CLSORT_DEVICE names; clsort-counted is AUTO, with the count in a buffer of the device.
   Kernels are built and scratch memory is allocated before the time starts. */

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CLSORT_STATIC
#define CLSORT_IMPLEMENTATION
#include "../../../clsort.h"

#define PEER_SELECTS
#include "peer.h"
#include "select.h"
#include "../../clsort/device.h"

static void check(cl_int code, const char *call)
{
    if (code == CL_SUCCESS) return;
    throw unavailable(std::string(call) + ": " + clsort_status_text(code));
}

/* The device, with the kernels of the check. */
class device {
    device_info info;
    cl_program program;
public:
    cl_context context;
    cl_command_queue queue;
    clsort_sorter *sorter;
    cl_kernel number, sum;

    device()
    {
        const char *text[] = { peer_opencl_words, peer_check_text, peer_check_kernels };
        cl_int error = CL_SUCCESS;
        if (!device_choose(NULL, &info)) throw unavailable("no such OpenCL device");
        context = clCreateContext(NULL, 1, &info.id, NULL, NULL, &error);
        check(error, "clCreateContext");
        queue = clCreateCommandQueue(context, info.id, 0, &error);
        check(error, "clCreateCommandQueue");
        check(clsort_create(context, info.id, NULL, &sorter), "clsort_create");
        program = clCreateProgramWithSource(context, 3, text, NULL, &error);
        check(error, "clCreateProgramWithSource");
        check(clBuildProgram(program, 1, &info.id, "", NULL, NULL), "clBuildProgram");
        number = clCreateKernel(program, "number", &error);
        check(error, "clCreateKernel");
        sum = clCreateKernel(program, "sum", &error);
        check(error, "clCreateKernel");
    }

    /* Runs a kernel whose arguments are set. */
    void launch(cl_kernel kernel, size_t count)
    {
        const size_t items = check_items(count), group = CHECK_GROUP;
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
    }
};

static device &the_device()
{
    static device d;   /* as long as the program runs */
    return d;
}

class buffer {
    buffer(const buffer &);
    buffer &operator=(const buffer &);
public:
    cl_mem memory;
    size_t bytes;   /* with 0 there is no memory */

    explicit buffer(size_t size) : memory(NULL), bytes(size)
    {
        cl_int error = CL_SUCCESS;
        if (!bytes) return;
        memory = clCreateBuffer(the_device().context, CL_MEM_READ_WRITE, bytes, NULL, &error);
        check(error, "clCreateBuffer");
    }
    ~buffer()
    {
        if (memory) clReleaseMemObject(memory);
    }
    void clear()
    {
        const cl_uint zero = 0;
        if (memory)
            check(clEnqueueFillBuffer(the_device().queue, memory, &zero, sizeof zero, 0, bytes, 0,
                                      NULL, NULL),
                  "clEnqueueFillBuffer");
    }
};

static cl_uint key_type_of(const std::string &type)
{
    static const struct { const char *name; cl_uint code; } types[] = {
        { "u32", CLSORT_U32 }, { "i32", CLSORT_I32 }, { "f32", CLSORT_F32 },
        { "u64", CLSORT_U64 }, { "i64", CLSORT_I64 }, { "f64", CLSORT_F64 },
    };
    size_t i = 0;
    while (type != types[i].name) i++;
    return types[i].code;
}

static void sorter_check(clsort_status status)
{
    if (status != CL_SUCCESS) throw unavailable(clsort_last_error(the_device().sorter));
}

static void upload(const buffer &b, const void *data)
{
    check(clEnqueueWriteBuffer(the_device().queue, b.memory, CL_TRUE, 0, b.bytes, data, 0, NULL,
                               NULL),
          "clEnqueueWriteBuffer");
}

class loaded_buffers : public loaded {
    const peer_shape shape;
    buffer keys, keys_out, values, values_out, parts, count;
    clsort_desc desc, chosen;   /* without and with an algorithm */

    peer_sums sums(const buffer &k, const buffer &v)
    {
        device &d = the_device();
        std::vector<peer_sums> read(check_items(shape.count));
        clSetKernelArg(d.sum, 0, sizeof shape, &shape);
        clSetKernelArg(d.sum, 1, sizeof k.memory, &k.memory);
        clSetKernelArg(d.sum, 2, sizeof v.memory, v.memory ? &v.memory : &k.memory);
        clSetKernelArg(d.sum, 3, sizeof parts.memory, &parts.memory);
        d.launch(d.sum, shape.count);
        check(clEnqueueReadBuffer(d.queue, parts.memory, CL_TRUE, 0, parts.bytes, read.data(), 0,
                                  NULL, NULL),
              "clEnqueueReadBuffer");
        return add_up(read.data(), read.size());
    }

public:
    explicit loaded_buffers(const cell &c)
        : shape(c.shape), keys(shape.count * shape.key_bytes), keys_out(keys.bytes),
          values(shape.count * shape.value_bytes), values_out(values.bytes),
          parts(check_items(shape.count) * sizeof(peer_sums)), count(sizeof(cl_uint)),
          desc(clsort_desc_default())
    {
        device &d = the_device();
        const cl_uint elements = (cl_uint)shape.n;
        desc.count = shape.n;
        desc.rows = c.rows > 1 ? c.rows : 0;
        desc.key_type = key_type_of(c.type);
        desc.keys = keys.memory;
        desc.keys_out = keys_out.memory;
        desc.value_size = shape.value_bytes;
        desc.values = values.memory;
        desc.values_out = values_out.memory;
        upload(keys, c.keys);
        upload(count, &elements);
        if (!values.memory) return;
        clSetKernelArg(d.number, 0, sizeof shape, &shape);
        clSetKernelArg(d.number, 1, sizeof values.memory, &values.memory);
        d.launch(d.number, shape.count);
    }
    ~loaded_buffers() { clsort_trim(the_device().sorter); }

    void choose(const std::string &peer)
    {
        chosen = desc;
        if (peer == "clsort-counted")
            chosen.count_buffer = count.memory;
        else if (clsort_set_algorithm(&chosen, peer.c_str() + strlen("clsort-")) != CL_SUCCESS)
            throw unavailable("no such algorithm");
        sorter_check(clsort_prepare(the_device().sorter, the_device().queue, &chosen));
    }

    double run()
    {
        device &d = the_device();
        keys_out.clear();
        values_out.clear();
        check(clFinish(d.queue), "clFinish");
        const stopwatch watch;
        sorter_check(clsort_enqueue_sort(d.sorter, d.queue, &chosen, 0, NULL, NULL));
        check(clFinish(d.queue), "clFinish");
        return watch.ms();
    }

    peer_sums input_sums() { return sums(keys, values); }
    peer_sums result_sums() { return sums(keys_out, values_out); }
};

static loaded *peer_load(const cell &c) { return new loaded_buffers(c); }

class selected_buffers : public loaded_selection {
    buffer from, to, numbers;
    clsort_desc desc;

    static void download(const buffer &b, void *data)
    {
        if (b.memory)
            check(clEnqueueReadBuffer(the_device().queue, b.memory, CL_TRUE, 0, b.bytes, data, 0,
                                      NULL, NULL),
                  "clEnqueueReadBuffer");
    }

    void fetch()
    {
        download(to, keys.data());
        download(numbers, indices.data());
    }

public:
    explicit selected_buffers(const cell &input)
        : loaded_selection(input), from(c.shape.count * 4), to(results * 4),
          numbers(indices.size() * 4), desc(clsort_desc_default())
    {
        desc.count = c.shape.n;
        desc.rows = c.rows;
        desc.top_k = c.k;
        desc.key_type = key_type_of(c.type);
        desc.order = CLSORT_DESCENDING;
        desc.keys = from.memory;
        desc.keys_out = to.memory;
        desc.indices = numbers.memory;
        upload(from, c.keys);
    }
    ~selected_buffers() { clsort_trim(the_device().sorter); }

    void choose(const std::string &peer)
    {
        if (peer != "clsort-auto") throw unavailable("only AUTO selects");
        sorter_check(clsort_prepare(the_device().sorter, the_device().queue, &desc));
    }

    double run()
    {
        device &d = the_device();
        to.clear();
        numbers.clear();
        check(clFinish(d.queue), "clFinish");
        const stopwatch watch;
        sorter_check(clsort_enqueue_sort(d.sorter, d.queue, &desc, 0, NULL, NULL));
        check(clFinish(d.queue), "clFinish");
        return watch.ms();
    }
};

static loaded *peer_load_selection(const cell &c) { return new selected_buffers(c); }

/* Those that sort anything on any device, or say that they cannot. */
int main(int count, char **words)
{
    static const char *const names[] = { "clsort-auto", "clsort-counted", "clsort-bitonic",
                                         "clsort-merge", "clsort-radix", "clsort-radix-portable",
                                         "clsort-radix-hybrid", "clsort-radix-samples",
                                         "clsort-quicksort", "clsort-quicksort-device",
                                         "clsort-quicksort-host", NULL };
    return peer_main(count, words, names);
}
