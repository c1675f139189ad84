/* boost.cpp - Boost.Compute's sorts on the OpenCL device that clsort takes: what it takes itself,
   which is radix on GPUs and a merge sort elsewhere; and a merge sort, in an order of the caller's.
   The memory that they allocate is in the time. */

#define CL_TARGET_OPENCL_VERSION 120

#define BATCH_F32
#include "batch.h"
#include "../../clsort/device.h"

#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/sort.hpp>
#include <boost/compute/algorithm/sort_by_key.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/core.hpp>
#include <boost/compute/function.hpp>

namespace compute = boost::compute;

static compute::device chosen_device()
{
    device_info info;
    if (!device_choose(NULL, &info)) throw unavailable("no such OpenCL device");
    return compute::device(info.id);
}

template <class Key> static compute::function<bool(Key, Key)> less_function()
{
    const std::string type = compute::type_name<Key>();
    return compute::make_function_from_source<bool(Key, Key)>(
        "peer_less", "bool peer_less(" + type + " a, " + type + " b) { return a < b; }");
}

template <class Key>
static void sort_on_device(bool own_order, compute::vector<Key> &keys,
                           compute::vector<uint32_t> &values, compute::command_queue &queue)
{
    const compute::function<bool(Key, Key)> less = less_function<Key>();
    if (values.empty() && own_order) compute::sort(keys.begin(), keys.end(), queue);
    else if (values.empty()) compute::sort(keys.begin(), keys.end(), less, queue);
    else if (own_order) compute::sort_by_key(keys.begin(), keys.end(), values.begin(), queue);
    else compute::sort_by_key(keys.begin(), keys.end(), values.begin(), less, queue);
}

template <class Key> double peer_sort(const std::string &name, batch<Key> &b)
{
    static const compute::device device = chosen_device();
    static const compute::context context(device);
    static compute::command_queue queue(context, device);
    if (b.rows > 1) throw unavailable("Boost.Compute sorts one array at a time");
    compute::vector<Key> keys(b.keys.begin(), b.keys.end(), queue);
    compute::vector<uint32_t> values(b.values.begin(), b.values.end(), queue);
    queue.finish();
    const stopwatch watch;
    sort_on_device(name == "Boost.Compute", keys, values, queue);
    queue.finish();
    const double ms = watch.ms();
    compute::copy(keys.begin(), keys.end(), b.keys.begin(), queue);
    compute::copy(values.begin(), values.end(), b.values.begin(), queue);
    return ms;
}

int main(int count, char **words)
{
    static const char *const names[] = { "Boost.Compute", "Boost.Compute-merge", NULL };
    return peer_main(count, words, names);
}
