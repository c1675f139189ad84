/* cub.cu - the sorts of CUB, NVIDIA's library for CUDA, on the first CUDA device: of one array by
   radix and by merge; of many rows by its two segmented sorts. All of them sort into other arrays.
   Where CUB has it, its top-k, which gives any order: of one row, and of rows of 256, 1024 or 4096
   keys. Their scratch memory is there before the time starts. */

#define PEER_SELECTS
#include "peer.h"
#include "select.h"

#include <type_traits>

#include <cub/cub.cuh>
#if __has_include(<cub/device/device_batched_topk.cuh>)
#include <cub/device/device_batched_topk.cuh>
#include <cub/device/device_topk.cuh>
#include <cuda/argument>
#define HAS_TOP_K
#endif

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
        if (peer == "CUB-top-k") throw unavailable("it selects");
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
    throw unavailable("this combination is not compiled into tools/bench/peers/cub.cu");
}

#ifdef HAS_TOP_K
/* Any order, and any of equal keys: CUB has no other yet. */
static auto any_order()
{
    return cuda::std::execution::env{ cuda::execution::require(
        cuda::execution::determinism::not_guaranteed, cuda::execution::tie_break::unspecified,
        cuda::execution::output_ordering::unsorted) };
}

class selected_arrays : public loaded_selection {
    array<float> from, to;
    array<uint32_t> numbers, numbers_to;
    array<float *> rows_from, rows_to;
    array<uint32_t *> rows_numbers, rows_numbers_to;
    std::unique_ptr<array<char>> space;

    void fetch()
    {
        check(cudaMemcpy(keys.data(), to.data, to.bytes, cudaMemcpyDeviceToHost));
        check(cudaMemcpy(indices.data(), numbers_to.data, numbers_to.bytes,
                         cudaMemcpyDeviceToHost));
    }

    template <class T> void upload_rows(array<T *> &rows, T *first, size_t apart)
    {
        std::vector<T *> starts(c.rows);
        for (size_t r = 0; r < c.rows; r++) starts[r] = first + r * apart;
        rows.upload(starts.data());
    }

    template <int N> cudaError_t select_rows(void *space, size_t &bytes)
    {
        return cub::DeviceBatchedTopK::MaxPairs(
            space, bytes, rows_from.data, rows_to.data, rows_numbers.data, rows_numbers_to.data,
            cuda::args::constant<N>{}, cuda::args::immediate{ (int)c.k },
            cuda::args::immediate{ (int)c.rows }, any_order());
    }

    cudaError_t select(void *space, size_t &bytes)
    {
        if (c.rows == 1)
            return cub::DeviceTopK::MaxPairs(space, bytes, from.data, to.data, numbers.data,
                                             numbers_to.data, (int)c.shape.n, (int)c.k,
                                             any_order());
        return c.shape.n == 256    ? select_rows<256>(space, bytes)
               : c.shape.n == 1024 ? select_rows<1024>(space, bytes)
                                   : select_rows<4096>(space, bytes);
    }

public:
    explicit selected_arrays(const cell &input)
        : loaded_selection(input), from(c.shape.count), to(results), numbers(c.shape.count),
          numbers_to(results), rows_from(c.rows), rows_to(c.rows), rows_numbers(c.rows),
          rows_numbers_to(c.rows)
    {
        const size_t n = c.shape.n;
        std::vector<uint32_t> own(c.shape.count);   /* each index counts inside its row */
        for (size_t i = 0; i < own.size(); i++) own[i] = (uint32_t)(i % n);
        from.upload(c.keys);
        numbers.upload(own.data());
        upload_rows(rows_from, from.data, n);
        upload_rows(rows_to, to.data, c.k);
        upload_rows(rows_numbers, numbers.data, n);
        upload_rows(rows_numbers_to, numbers_to.data, c.k);
    }

    void choose(const std::string &peer)
    {
        size_t bytes = 0;
        if (peer != "CUB-top-k") throw unavailable("it does not select");
        if (c.type != "f32" || indices.empty()
            || (c.rows > 1 && c.shape.n != 256 && c.shape.n != 1024 && c.shape.n != 4096))
            throw unavailable("this selection is not compiled into tools/bench/peers/cub.cu");
        space.reset();
        check(select(NULL, bytes));
        space.reset(new array<char>(bytes));
    }

    double run()
    {
        to.clear();
        numbers_to.clear();
        check(cudaDeviceSynchronize());
        size_t bytes = space->bytes;
        const stopwatch watch;
        check(select(space->data, bytes));
        check(cudaDeviceSynchronize());
        return watch.ms();
    }
};

static loaded *peer_load_selection(const cell &c) { return new selected_arrays(c); }
#else
static loaded *peer_load_selection(const cell &)
{
    throw unavailable("this CUB has no top-k: try tools/dev/deps cuda");
}
#endif

int main(int count, char **words)
{
    static const char *const names[] = { "CUB-radix", "CUB-merge", "CUB-segmented-radix",
                                         "CUB-segmented", "CUB-top-k", NULL };
    return peer_main(count, words, names);
}
