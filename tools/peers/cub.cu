/* cub.cu - the sorts of CUB, NVIDIA's library for CUDA, on the first CUDA device: of one array by
   radix and by merge; of many rows by its two segmented sorts. Its scratch memory is there before
   the time starts. */

#include "peer.h"

#include <cub/cub.cuh>

static void check(cudaError_t code)
{
    if (code != cudaSuccess) throw unavailable(cudaGetErrorString(code));
}

/* An array on the device. */
template <class T> class array {
    array(const array &);
    array &operator=(const array &);
public:
    T *data;
    explicit array(size_t count) : data(NULL) { check(cudaMalloc(&data, count * sizeof(T) + 1)); }
    ~array() { cudaFree(data); }
    void upload(const std::vector<T> &from)
    {
        check(cudaMemcpy(data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    void download(std::vector<T> &to) const
    {
        check(cudaMemcpy(to.data(), data, to.size() * sizeof(T), cudaMemcpyDeviceToHost));
    }
};

struct less_than {
    template <class Key> __host__ __device__ bool operator()(const Key &a, const Key &b) const
    {
        return a < b;
    }
};

/* A sort into other arrays, or of merges in place; with space NULL only `bytes` of scratch memory
   are asked for. */
template <class Key> struct call {
    size_t n, rows;
    bool pairs;
    array<Key> keys, keys_out;
    array<uint32_t> values, values_out;
    array<long long> offsets;

    explicit call(const batch<Key> &b)
        : n(b.keys.size()), rows(b.rows), pairs(!b.values.empty()), keys(n), keys_out(n),
          values(b.values.size()), values_out(b.values.size()), offsets(rows + 1)
    {
        std::vector<long long> starts(rows + 1);
        for (size_t r = 0; r <= rows; r++) starts[r] = (long long)(r * b.n);
        keys.upload(b.keys);
        values.upload(b.values);
        offsets.upload(starts);
    }

    cudaError_t radix(void *space, size_t &bytes)
    {
        if (!pairs)
            return cub::DeviceRadixSort::SortKeys(space, bytes, keys.data, keys_out.data, n);
        return cub::DeviceRadixSort::SortPairs(space, bytes, keys.data, keys_out.data, values.data,
                                               values_out.data, n);
    }

    cudaError_t merge(void *space, size_t &bytes)
    {
        if (!pairs) return cub::DeviceMergeSort::SortKeys(space, bytes, keys.data, n, less_than());
        return cub::DeviceMergeSort::SortPairs(space, bytes, keys.data, values.data, n,
                                               less_than());
    }

    cudaError_t segmented_radix(void *space, size_t &bytes)
    {
        const long long *at = offsets.data;
        if (!pairs)
            return cub::DeviceSegmentedRadixSort::SortKeys(space, bytes, keys.data, keys_out.data,
                                                           (int)n, (int)rows, at, at + 1);
        return cub::DeviceSegmentedRadixSort::SortPairs(space, bytes, keys.data, keys_out.data,
                                                        values.data, values_out.data, (int)n,
                                                        (int)rows, at, at + 1);
    }

    cudaError_t segmented(void *space, size_t &bytes)
    {
        const long long *at = offsets.data;
        if (!pairs)
            return cub::DeviceSegmentedSort::SortKeys(space, bytes, keys.data, keys_out.data,
                                                      (int)n, (int)rows, at, at + 1);
        return cub::DeviceSegmentedSort::SortPairs(space, bytes, keys.data, keys_out.data,
                                                   values.data, values_out.data, (int)n, (int)rows,
                                                   at, at + 1);
    }
};

template <class Key> double peer_sort(const std::string &name, batch<Key> &b)
{
    typedef cudaError_t (call<Key>::*method)(void *, size_t &);
    const method sort = name == "CUB-radix"             ? &call<Key>::radix
                        : name == "CUB-merge"           ? &call<Key>::merge
                        : name == "CUB-segmented-radix" ? &call<Key>::segmented_radix
                                                        : &call<Key>::segmented;
    const bool in_place = name == "CUB-merge",
               of_rows = name == "CUB-segmented-radix" || name == "CUB-segmented";
    if (of_rows != (b.rows > 1)) throw unavailable(of_rows ? "for several rows" : "for one array");
    call<Key> c(b);
    size_t bytes = 0;
    check((c.*sort)(NULL, bytes));
    array<char> space(bytes);
    check(cudaDeviceSynchronize());
    const stopwatch watch;
    check((c.*sort)(space.data, bytes));
    check(cudaDeviceSynchronize());
    const double ms = watch.ms();
    (in_place ? c.keys : c.keys_out).download(b.keys);
    (in_place ? c.values : c.values_out).download(b.values);
    return ms;
}

int main(int count, char **words)
{
    static const char *const names[] = { "CUB-radix", "CUB-merge", "CUB-segmented-radix",
                                         "CUB-segmented", NULL };
    return peer_main(count, words, names);
}
