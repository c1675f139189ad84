/* clsort in place of Boost.Compute's own sorts. MIT or public domain, as clsort.h

   Include this header before other headers of Boost.Compute, or give it to the compiler:

       g++ -std=c++11 -include boost_compute.hpp ...

   As with clsort.h, one file of the program defines CLSORT_IMPLEMENTATION before. C++11 or later.

   Sorted by clsort, on the caller's queue, without waiting for the device:
       sort, stable_sort                   of buffer_iterator<T>: vector, array, mapped_view
       sort_by_key, stable_sort_by_key     the same; values are buffer_iterator<V>, V any type
       detail::radix_sort, detail::radix_sort_by_key     the same
   T is char or a scalar of OpenCL: char_, uchar_, ..., ulong_, float_, double_. Doubles need no
   support by the device. The order is less<T>, greater<T>, or not given.

   All else stays Boost's: keys that are structs, vectors or bool, other comparators, host
   iterators and other iterators. Templates that were defined before this header still call Boost's
   sorts: include it first.

   Order: as by Boost's radix sort, floats are sorted by their bits, -0 before +0, NaNs at both
   ends. In stable_sort, stable_sort_by_key and sort_by_key, which keep the order of equal keys, -0
   and +0 are equal.

   Errors: clsort_error, which is an opencl_error; what() says more than the name of the code.

   Memory: there is one sorter for each context and device, made at the first sort. It holds that
   context, kernels and scratch memory. clsort_release() destroys all sorters. Nothing else does,
   since a driver may be gone when static objects are destroyed.

   Threads: any function may be called by any thread at any time. Sorts by one sorter take turns
   while they are enqueued, and while the first one builds kernels.

   Options: define BOOST_COMPUTE_CLSORT_OPTIONS as an expression of type const clsort_options *, for
   new sorters. */

#ifndef CLSORT_BOOST_COMPUTE_HPP
#define CLSORT_BOOST_COMPUTE_HPP

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/compute/algorithm/sort.hpp>
#include <boost/compute/algorithm/sort_by_key.hpp>
#include <boost/compute/algorithm/stable_sort.hpp>
#include <boost/compute/algorithm/stable_sort_by_key.hpp>
#include <boost/compute/exception/opencl_error.hpp>
#include <boost/compute/functional/operator.hpp>

#include "clsort.h"

#ifndef BOOST_COMPUTE_CLSORT_OPTIONS
#define BOOST_COMPUTE_CLSORT_OPTIONS NULL
#endif

namespace boost {
namespace compute {

class clsort_error : public opencl_error {
public:
    clsort_error(clsort_status status, const std::string &text)
        : opencl_error(status), text_(text) {}
    ~clsort_error() throw() {}
    const char *what() const throw() { return text_.c_str(); }

private:
    std::string text_;
};

namespace detail {

/* CLSORT_* of a scalar, or 0 for a type that stays Boost's. `char` has a sign in OpenCL. */
template<class T>
struct clsort_type {
    static const bool scalar = std::is_arithmetic<T>::value && !std::is_same<T, bool>::value &&
                               sizeof(T) <= 8;
    static const cl_uint kind = std::is_floating_point<T>::value ? 3 :
        std::is_signed<T>::value || std::is_same<T, char>::value ? 2 : 1;
    static const cl_uint value = scalar ? kind << 8 | cl_uint(8 * sizeof(T)) : 0;
};

/* A sorter, and whose turn it is. */
class clsort_device_sorter {
public:
    explicit clsort_device_sorter(const command_queue &queue)
    {
        clsort_status status = clsort_create(queue.get_context(), queue.get_device().id(),
                                             BOOST_COMPUTE_CLSORT_OPTIONS, &sorter_);
        if (status != CL_SUCCESS) throw clsort_error(status, clsort_status_text(status));
    }
    ~clsort_device_sorter() { clsort_destroy(sorter_); }

    void sort(const clsort_desc &desc, command_queue &queue)
    {
        std::lock_guard<std::mutex> turn(turn_);
        clsort_status status = clsort_enqueue_sort(sorter_, queue, &desc, 0, NULL, NULL);
        if (status != CL_SUCCESS) throw clsort_error(status, clsort_last_error(sorter_));
    }

private:
    clsort_device_sorter(const clsort_device_sorter &);
    clsort_device_sorter &operator=(const clsort_device_sorter &);
    clsort_sorter *sorter_;
    std::mutex turn_;
};

struct clsort_sorters {
    typedef std::shared_ptr<clsort_device_sorter> shared;
    std::mutex turn;
    std::map<std::pair<cl_context, cl_device_id>, shared> made;
};

inline clsort_sorters &clsort_all()
{
    static clsort_sorters *all = new clsort_sorters;
    return *all;
}

/* A sorter retains its context and its device, so no later ones have their handles. */
inline clsort_sorters::shared clsort_for(const command_queue &queue)
{
    clsort_sorters &all = clsort_all();
    std::lock_guard<std::mutex> turn(all.turn);
    clsort_sorters::shared &sorter = all.made[std::make_pair(queue.get_context().get(),
                                                             queue.get_device().id())];
    if (!sorter) sorter = std::make_shared<clsort_device_sorter>(queue);
    return sorter;
}

enum clsort_order { clsort_up = CLSORT_ASCENDING, clsort_down = CLSORT_DESCENDING };

template<class T>
inline clsort_order clsort_order_of(less<T>) { return clsort_up; }

template<class T>
inline clsort_order clsort_order_of(greater<T>) { return clsort_down; }

template<class T>
inline clsort_desc clsort_describe(buffer_iterator<T> first, buffer_iterator<T> last,
                                   clsort_order order)
{
    clsort_desc desc = clsort_desc_default();
    desc.count = iterator_range_size(first, last);
    desc.key_type = clsort_type<T>::value;
    desc.order = cl_uint(order);
    desc.keys = first.get_buffer().get();
    desc.keys_offset = first.get_index() * sizeof(T);
    return desc;
}

inline clsort_desc clsort_stable(clsort_desc desc)
{
    desc.stable = 1;
    desc.zero_order = CLSORT_ZERO_EQUAL;
    return desc;
}

template<class V>
inline clsort_desc clsort_with(clsort_desc desc, buffer_iterator<V> values)
{
    desc.values = values.get_buffer().get();
    desc.values_offset = values.get_index() * sizeof(V);
    desc.value_size = sizeof(V);
    return desc;
}

/* As a return type: void where clsort sorts such keys by such a comparator. */
template<class T, class Compare>
struct clsort_sorts : std::enable_if<clsort_type<T>::value != 0 &&
    (std::is_same<Compare, less<T> >::value || std::is_same<Compare, greater<T> >::value)> {};

template<class T>
inline typename clsort_sorts<T, less<T> >::type
radix_sort(buffer_iterator<T> first, buffer_iterator<T> last, const bool ascending,
           command_queue &queue)
{
    clsort_for(queue)->sort(clsort_describe(first, last, ascending ? clsort_up : clsort_down),
                            queue);
}

template<class T>
inline typename clsort_sorts<T, less<T> >::type
radix_sort(buffer_iterator<T> first, buffer_iterator<T> last, command_queue &queue)
{
    radix_sort(first, last, true, queue);
}

template<class T, class V>
inline typename clsort_sorts<T, less<T> >::type
radix_sort_by_key(buffer_iterator<T> first, buffer_iterator<T> last, buffer_iterator<V> values,
                  const bool ascending, command_queue &queue)
{
    clsort_desc desc = clsort_describe(first, last, ascending ? clsort_up : clsort_down);
    desc.stable = 1;
    clsort_for(queue)->sort(clsort_with(desc, values), queue);
}

template<class T, class V>
inline typename clsort_sorts<T, less<T> >::type
radix_sort_by_key(buffer_iterator<T> first, buffer_iterator<T> last, buffer_iterator<V> values,
                  command_queue &queue)
{
    radix_sort_by_key(first, last, values, true, queue);
}

} // namespace detail

/* Destroys all sorters; the next sort makes a new one. Sorts that are enqueued complete. */
inline void clsort_release()
{
    detail::clsort_sorters &all = detail::clsort_all();
    std::lock_guard<std::mutex> turn(all.turn);
    all.made.clear();
}

template<class T, class Compare>
inline typename detail::clsort_sorts<T, Compare>::type
sort(buffer_iterator<T> first, buffer_iterator<T> last, Compare compare,
     command_queue &queue = system::default_queue())
{
    detail::clsort_for(queue)->sort(
        detail::clsort_describe(first, last, detail::clsort_order_of(compare)), queue);
}

template<class T>
inline typename detail::clsort_sorts<T, less<T> >::type
sort(buffer_iterator<T> first, buffer_iterator<T> last,
     command_queue &queue = system::default_queue())
{
    ::boost::compute::sort(first, last, less<T>(), queue);
}

template<class T, class Compare>
inline typename detail::clsort_sorts<T, Compare>::type
stable_sort(buffer_iterator<T> first, buffer_iterator<T> last, Compare compare,
            command_queue &queue = system::default_queue())
{
    detail::clsort_for(queue)->sort(detail::clsort_stable(
        detail::clsort_describe(first, last, detail::clsort_order_of(compare))), queue);
}

template<class T>
inline typename detail::clsort_sorts<T, less<T> >::type
stable_sort(buffer_iterator<T> first, buffer_iterator<T> last,
            command_queue &queue = system::default_queue())
{
    ::boost::compute::stable_sort(first, last, less<T>(), queue);
}

template<class T, class V, class Compare>
inline typename detail::clsort_sorts<T, Compare>::type
stable_sort_by_key(buffer_iterator<T> first, buffer_iterator<T> last, buffer_iterator<V> values,
                   Compare compare, command_queue &queue = system::default_queue())
{
    detail::clsort_for(queue)->sort(detail::clsort_with(detail::clsort_stable(
        detail::clsort_describe(first, last, detail::clsort_order_of(compare))), values), queue);
}

template<class T, class V>
inline typename detail::clsort_sorts<T, less<T> >::type
stable_sort_by_key(buffer_iterator<T> first, buffer_iterator<T> last, buffer_iterator<V> values,
                   command_queue &queue = system::default_queue())
{
    ::boost::compute::stable_sort_by_key(first, last, values, less<T>(), queue);
}

/* Boost's is stable on all devices, though it does not say so. */
template<class T, class V, class Compare>
inline typename detail::clsort_sorts<T, Compare>::type
sort_by_key(buffer_iterator<T> first, buffer_iterator<T> last, buffer_iterator<V> values,
            Compare compare, command_queue &queue = system::default_queue())
{
    ::boost::compute::stable_sort_by_key(first, last, values, compare, queue);
}

template<class T, class V>
inline typename detail::clsort_sorts<T, less<T> >::type
sort_by_key(buffer_iterator<T> first, buffer_iterator<T> last, buffer_iterator<V> values,
            command_queue &queue = system::default_queue())
{
    ::boost::compute::stable_sort_by_key(first, last, values, less<T>(), queue);
}

} // namespace compute
} // namespace boost

#endif
