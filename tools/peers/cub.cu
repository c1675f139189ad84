/* cub.cu - the sorts of CUB, NVIDIA's library for CUDA, on the first CUDA device: of one array by
   radix and by merge; of many rows by its two segmented sorts. All of them sort into other arrays.
   Their scratch memory is there before the time starts. */

#include "peer.h"

#include <type_traits>

#include <cub/cub.cuh>

static void check(cudaError_t code)
{
    if (code == cudaSuccess) return;
    cudaGetLastError();   /* which would be reported again */
    throw unavailable(std::string("CUDA: ") + cudaGetErrorString(code));
}

/* An array on the device. */
template <class T> class array {
    array(const array &);
    array &operator=(const array &);
public:
    T *data;
    size_t bytes;
    explicit array(size_t count) : data(NULL), bytes(count * sizeof(T))
    {
        check(cudaMalloc(&data, bytes + 1));
    }
    ~array() { cudaFree(data); }
    void upload(const void *from)
    {
        check(cudaMemcpy(data, from, bytes, cudaMemcpyHostToDevice));
    }
    void clear() { check(cudaMemset(data, 0, bytes)); }
};

static __global__ void number(peer_shape s, void *values)
{
    peer_number(s, values, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

static __global__ void sum(peer_shape s, const void *keys, const void *values, peer_sums *sums)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    sums[thread] = peer_sum(s, keys, values, thread, gridDim.x * blockDim.x);
}

struct less_than {
    template <class Key> __host__ __device__ bool operator()(const Key &a, const Key &b) const
    {
        return a < b;
    }
};

struct no_value {};

/* What is compiled: radix sorts of all that is measured, the others for u32 and u64 only. */
template <class Key, class Value> struct combination {
    static const bool pairs = !std::is_same<Value, no_value>::value;
    static const bool all_sorts = std::is_unsigned<Key>::value
                                  && (!pairs || std::is_same<Value, uint32_t>::value);
};

template <class Key, class Value> class loaded_arrays : public loaded {
    typedef combination<Key, Value> of;
    /* With space NULL a sort only asks for its `bytes` of scratch memory. */
    typedef cudaError_t (loaded_arrays::*method)(void *space, size_t &bytes);

    const peer_shape shape;
    const size_t rows;
    array<Key> keys, keys_out;
    array<Value> values, values_out;
    array<long long> offsets;
    array<peer_sums> parts;
    std::unique_ptr<array<char>> space;
    method sort;

    peer_sums sums(const void *k, const void *v)
    {
        const size_t items = check_items(shape.count);
        std::vector<peer_sums> read(items);
        sum<<<items / CHECK_GROUP, CHECK_GROUP>>>(shape, k, v, parts.data);
        check(cudaGetLastError());
        check(cudaMemcpy(read.data(), parts.data, parts.bytes, cudaMemcpyDeviceToHost));
        return add_up(read.data(), items);
    }

    cudaError_t radix(void *space, size_t &bytes)
    {
        if constexpr (of::pairs)
            return cub::DeviceRadixSort::SortPairs(space, bytes, keys.data, keys_out.data,
                                                   values.data, values_out.data, shape.count);
        else
            return cub::DeviceRadixSort::SortKeys(space, bytes, keys.data, keys_out.data,
                                                  shape.count);
    }

    cudaError_t merge(void *space, size_t &bytes)
    {
        if constexpr (!of::all_sorts) return cudaErrorNotSupported;
        else if constexpr (of::pairs)
            return cub::DeviceMergeSort::SortPairsCopy(space, bytes, keys.data, values.data,
                                                       keys_out.data, values_out.data, shape.count,
                                                       less_than());
        else
            return cub::DeviceMergeSort::SortKeysCopy(space, bytes, keys.data, keys_out.data,
                                                      shape.count, less_than());
    }

    cudaError_t segmented_radix(void *space, size_t &bytes)
    {
        const long long *at = offsets.data;
        const int n = (int)shape.count, m = (int)rows;
        if constexpr (!of::all_sorts) return cudaErrorNotSupported;
        else if constexpr (of::pairs)
            return cub::DeviceSegmentedRadixSort::SortPairs(space, bytes, keys.data, keys_out.data,
                                                            values.data, values_out.data, n, m, at,
                                                            at + 1);
        else
            return cub::DeviceSegmentedRadixSort::SortKeys(space, bytes, keys.data, keys_out.data,
                                                           n, m, at, at + 1);
    }

    cudaError_t segmented(void *space, size_t &bytes)
    {
        const long long *at = offsets.data;
        const int n = (int)shape.count, m = (int)rows;
        if constexpr (!of::all_sorts) return cudaErrorNotSupported;
        else if constexpr (of::pairs)
            return cub::DeviceSegmentedSort::SortPairs(space, bytes, keys.data, keys_out.data,
                                                       values.data, values_out.data, n, m, at,
                                                       at + 1);
        else
            return cub::DeviceSegmentedSort::SortKeys(space, bytes, keys.data, keys_out.data, n, m,
                                                      at, at + 1);
    }

public:
    explicit loaded_arrays(const cell &c)
        : shape(c.shape), rows(c.rows), keys(shape.count), keys_out(shape.count),
          values(of::pairs ? shape.count : 0), values_out(of::pairs ? shape.count : 0),
          offsets(rows > 1 ? rows + 1 : 0), parts(check_items(shape.count)), sort(NULL)
    {
        std::vector<long long> starts(rows > 1 ? rows + 1 : 0);
        for (size_t r = 0; r < starts.size(); r++) starts[r] = (long long)(r * shape.n);
        keys.upload(c.keys);
        offsets.upload(starts.data());
        if (of::pairs)
            number<<<check_items(shape.count) / CHECK_GROUP, CHECK_GROUP>>>(shape, values.data);
        check(cudaGetLastError());
    }

    void choose(const std::string &peer)
    {
        const bool of_rows = peer == "CUB-segmented-radix" || peer == "CUB-segmented";
        size_t bytes = 0;
        if (of_rows != (rows > 1))
            throw unavailable(of_rows ? "for several rows" : "for one array");
        sort = peer == "CUB-radix"             ? &loaded_arrays::radix
               : peer == "CUB-merge"           ? &loaded_arrays::merge
               : peer == "CUB-segmented-radix" ? &loaded_arrays::segmented_radix
                                               : &loaded_arrays::segmented;
        space.reset();
        check((this->*sort)(NULL, bytes));
        space.reset(new array<char>(bytes));
    }

    double run()
    {
        keys_out.clear();
        values_out.clear();
        check(cudaDeviceSynchronize());
        size_t bytes = space->bytes;
        const stopwatch watch;
        check((this->*sort)(space->data, bytes));
        check(cudaDeviceSynchronize());
        return watch.ms();
    }

    peer_sums input_sums() { return sums(keys.data, values.data); }
    peer_sums result_sums() { return sums(keys_out.data, values_out.data); }
};

static loaded *peer_load(const cell &c)
{
    const unsigned bytes = c.shape.value_bytes;
    if (c.type == "u32" && bytes == 0) return new loaded_arrays<uint32_t, no_value>(c);
    if (c.type == "u32" && bytes == 4) return new loaded_arrays<uint32_t, uint32_t>(c);
    if (c.type == "u64" && bytes == 0) return new loaded_arrays<uint64_t, no_value>(c);
    if (c.type == "u64" && bytes == 4) return new loaded_arrays<uint64_t, uint32_t>(c);
    if (c.type == "u64" && bytes == 8) return new loaded_arrays<uint64_t, uint64_t>(c);
    if (c.type == "i32" && bytes == 0) return new loaded_arrays<int32_t, no_value>(c);
    if (c.type == "f32" && bytes == 0) return new loaded_arrays<float, no_value>(c);
    if (c.type == "f64" && bytes == 0) return new loaded_arrays<double, no_value>(c);
    throw unavailable("this combination is not compiled into tools/peers/cub.cu");
}

int main(int count, char **words)
{
    static const char *const names[] = { "CUB-radix", "CUB-merge", "CUB-segmented-radix",
                                         "CUB-segmented", NULL };
    return peer_main(count, words, names);
}
