/* clsort for C++11 engines, to be copied: a sorter that releases itself, views of buffers, types
   from C++ types, no exceptions and no allocation. One source of the program defines
   CLSORT_IMPLEMENTATION before it includes this file.

   Calls return CL_SUCCESS or what went wrong, of which error() tells more. Everything that a call
   has no parameter for stands in its clsort_desc: order, stability, NaNs, algorithm, scratch. One
   thread at a time uses a sorter; clone() makes one for another thread. */

#ifndef CLSORT_HPP
#define CLSORT_HPP

#include "clsort.h"
#include <type_traits>
#include <utility>

namespace clsort {

/* The number of a key type. Specialise it for a half of yours: cl_half is an integer. */
template <class T> struct key;
template <> struct key<cl_uchar> : std::integral_constant<cl_uint, CLSORT_U8> {};
template <> struct key<cl_ushort> : std::integral_constant<cl_uint, CLSORT_U16> {};
template <> struct key<cl_uint> : std::integral_constant<cl_uint, CLSORT_U32> {};
template <> struct key<cl_ulong> : std::integral_constant<cl_uint, CLSORT_U64> {};
template <> struct key<cl_char> : std::integral_constant<cl_uint, CLSORT_I8> {};
template <> struct key<cl_short> : std::integral_constant<cl_uint, CLSORT_I16> {};
template <> struct key<cl_int> : std::integral_constant<cl_uint, CLSORT_I32> {};
template <> struct key<cl_long> : std::integral_constant<cl_uint, CLSORT_I64> {};
template <> struct key<cl_float> : std::integral_constant<cl_uint, CLSORT_F32> {};
template <> struct key<cl_double> : std::integral_constant<cl_uint, CLSORT_F64> {};

/* Elements of a buffer, as std::span is of memory; it owns nothing. `first` counts elements. */
template <class T> struct view {
    cl_mem buffer;
    size_t size, first;
    view(cl_mem b, size_t elements, size_t from = 0) : buffer(b), size(elements), first(from) {}
    size_t offset() const { return first * sizeof(T); }
    view part(size_t from, size_t elements) const { return view(buffer, elements, first + from); }
};

/* An event that is released when it goes out of scope. */
class event {
    cl_event e = nullptr;
public:
    event() = default;
    explicit event(cl_event owned) : e(owned) {}
    event(event &&other) noexcept : e(other.e) { other.e = nullptr; }
    event &operator=(event &&other) noexcept { (std::swap)(e, other.e); return *this; }
    ~event() { if (e) clReleaseEvent(e); }
    const cl_event *get() const { return e ? &e : nullptr; }
    cl_int wait() const { return e ? clWaitForEvents(1, &e) : CL_SUCCESS; }
};

class sorter {
    clsort_sorter *s = nullptr;
    clsort_status made = CLSORT_ERROR_NULL_ARGUMENT;

    clsort_status enqueue(cl_command_queue queue, const clsort_desc &d, const event *after,
                          event *done)
    {
        const cl_event *wait = after ? after->get() : nullptr;
        cl_event e = nullptr;
        const clsort_status status =
            clsort_enqueue_sort(s, queue, &d, wait ? 1 : 0, wait, done ? &e : nullptr);
        if (done) *done = event(e);
        return status;
    }

public:
    /* With NULL for both: the first GPU, else the first device. `if (s)` asks whether that went
       well. */
    explicit sorter(cl_context context = nullptr, cl_device_id device = nullptr,
                    const clsort_options *options = nullptr)
        : made(clsort_create(context, device, options, &s)) {}
    sorter(sorter &&other) noexcept : s(other.s), made(other.made) { other.s = nullptr; }
    sorter &operator=(sorter &&other) noexcept
    {
        (std::swap)(s, other.s);
        made = other.made;
        return *this;
    }
    ~sorter() { clsort_destroy(s); }
    explicit operator bool() const { return s != nullptr; }
    clsort_sorter *get() const { return s; }
    const char *error() const { return s ? clsort_last_error(s) : clsort_status_text(made); }
    sorter clone() const
    {
        sorter other(s);
        return other;
    }

    /* The description of sorts of such keys; set in it what the calls below have no parameter
       for. */
    template <class K> static clsort_desc desc(view<K> keys)
    {
        clsort_desc d = clsort_desc_default();
        d.key_type = key<typename std::remove_const<K>::type>::value;
        d.keys = keys.buffer, d.keys_offset = keys.offset(), d.count = keys.size;
        return d;
    }

    /* Sorts in place, after `after`, and does not wait. */
    clsort_status sort(cl_command_queue queue, const clsort_desc &d, const event *after = nullptr,
                       event *done = nullptr)
    {
        return enqueue(queue, d, after, done);
    }

    /* The same, and moves a value of any size with each key. */
    template <class V>
    clsort_status sort(cl_command_queue queue, clsort_desc d, view<V> values,
                       const event *after = nullptr, event *done = nullptr)
    {
        if (values.size < d.count) return CLSORT_ERROR_BUFFER_TOO_SMALL;
        d.values = values.buffer, d.values_offset = values.offset(), d.value_size = sizeof(V);
        return enqueue(queue, d, after, done);
    }

    /* Writes the order of the keys, which are only read. */
    clsort_status argsort(cl_command_queue queue, clsort_desc d, view<cl_uint> indices,
                          const event *after = nullptr, event *done = nullptr)
    {
        if (indices.size < d.count) return CLSORT_ERROR_BUFFER_TOO_SMALL;
        d.indices = indices.buffer, d.indices_offset = indices.offset();
        return enqueue(queue, d, after, done);
    }

    /* Writes the first indices.size of that order. */
    clsort_status top(cl_command_queue queue, clsort_desc d, view<cl_uint> indices,
                      const event *after = nullptr, event *done = nullptr)
    {
        d.rows = 1, d.top_k = indices.size;
        d.indices = indices.buffer, d.indices_offset = indices.offset();
        return enqueue(queue, d, after, done);
    }

    /* Builds what a sort needs while the program loads, also for any smaller count. Blocks. */
    clsort_status prepare(cl_command_queue queue, clsort_desc d)
    {
        d.flags |= CLSORT_FLAG_ANY_COUNT;
        return clsort_prepare(s, queue, &d);
    }

private:
    explicit sorter(clsort_sorter *other) : made(clsort_clone(other, &s)) {}
};

} /* namespace clsort */

#endif
