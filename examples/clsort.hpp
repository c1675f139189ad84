/* clsort for C++11 engines, to be copied: a sorter that releases itself, views of buffers, types
   from C++ types, no exceptions and no allocation. One source of the program defines
   CLSORT_IMPLEMENTATION before it includes this file.

   Calls return CL_SUCCESS or what went wrong, of which error() tells more. Everything that a call
   has no parameter for stands in its clsort_desc: order, stability, NaNs, rows, algorithm, scratch.
   A view that is too short for its call is refused, even if its buffer is larger: no call writes
   behind a view. One thread at a time uses a sorter; clone() makes one for another thread. */

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
    const char *short_view = nullptr;   /* what the last call refused, or NULL */
    struct from_clone {};

    /* `done` may be `after`. */
    clsort_status enqueue(cl_command_queue queue, const clsort_desc &d, const event *after,
                          event *done)
    {
        const cl_event *wait = after ? after->get() : nullptr;
        cl_event e = nullptr;
        short_view = nullptr;
        const clsort_status status =
            clsort_enqueue_sort(s, queue, &d, wait ? 1 : 0, wait, done ? &e : nullptr);
        if (done) *done = event(e);
        return status;
    }

    clsort_status refuse(const char *why, event *done)
    {
        short_view = why;
        if (done) *done = event();
        return CLSORT_ERROR_BUFFER_TOO_SMALL;
    }

    /* Elements from the first row's begin to the last row's end. A product that does not fit is
       left to clsort, which refuses it. */
    static size_t extent(size_t rows, size_t step, size_t each)
    {
        return rows > 1 && each ? (rows - 1) * step + each : each;
    }

    /* Keys or records from one row to the next. */
    static size_t row_step(const clsort_desc &d)
    {
        const size_t bytes = d.record_size ? d.record_size : (d.key_type & 0xff) / 8;
        return d.row_stride && bytes ? d.row_stride / bytes : d.count;
    }

    static size_t value_count(const clsort_desc &d) { return extent(d.rows, row_step(d), d.count); }

    static size_t index_count(const clsort_desc &d)
    {
        const bool selects = d.top_k && !(d.flags & CLSORT_FLAG_TOP_PARTITION);
        const size_t k = d.flags & CLSORT_FLAG_TOP_NTH ? 1 : d.top_k;
        const size_t each = !selects || !d.count ? d.count : k;
        const size_t step = d.indices_row_stride ? d.indices_row_stride / sizeof(cl_uint)
                            : selects            ? each
                                                 : row_step(d);
        return extent(selects && d.segments ? d.segment_count : d.rows, step, each);
    }

    clsort_status write_indices(cl_command_queue queue, clsort_desc &d, view<cl_uint> indices,
                                const event *after, event *done)
    {
        if (indices.size < index_count(d))
            return refuse("the view of indices is shorter than what is written there", done);
        d.indices = indices.buffer;
        if (indices.buffer) d.indices_offset = indices.offset();
        else if (d.count) d.indices = CLSORT_LATER;   /* missing: else keys would be sorted */
        return enqueue(queue, d, after, done);
    }

public:
    /* With NULL for both: the first GPU, else the first device. `if (s)` asks whether that went
       well. */
    explicit sorter(cl_context context = nullptr, cl_device_id device = nullptr,
                    const clsort_options *options = nullptr)
        : made(clsort_create(context, device, options, &s)) {}
    sorter(sorter &&other) noexcept { *this = (std::move)(other); }
    sorter &operator=(sorter &&other) noexcept
    {
        (std::swap)(s, other.s);
        (std::swap)(made, other.made);
        (std::swap)(short_view, other.short_view);
        return *this;
    }
    ~sorter() { clsort_destroy(s); }
    explicit operator bool() const { return s != nullptr; }
    clsort_sorter *get() const { return s; }
    /* What the last failure was, in one line. */
    const char *error() const
    {
        return !s ? clsort_status_text(made) : short_view ? short_view : clsort_last_error(s);
    }
    sorter clone() const { return sorter(s, from_clone()); }

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
        if (values.size < value_count(d))
            return refuse("the view of values is shorter than the keys", done);
        d.values = values.buffer, d.values_offset = values.offset(), d.value_size = sizeof(V);
        return enqueue(queue, d, after, done);
    }

    /* Writes the order of the keys, which are only read. */
    clsort_status argsort(cl_command_queue queue, clsort_desc d, view<cl_uint> indices,
                          const event *after = nullptr, event *done = nullptr)
    {
        return write_indices(queue, d, indices, after, done);
    }

    /* Writes the first indices.size of that order, of one array; with a view of size 0 nothing. */
    clsort_status top(cl_command_queue queue, clsort_desc d, view<cl_uint> indices,
                      const event *after = nullptr, event *done = nullptr)
    {
        d.rows = 1, d.top_k = indices.size;
        if (!indices.size) d.count = 0;   /* top_k 0 would be a whole sort */
        return write_indices(queue, d, indices, after, done);
    }

    /* Builds what a sort needs while the program loads, also for any smaller count. Blocks. */
    clsort_status prepare(cl_command_queue queue, clsort_desc d)
    {
        d.flags |= CLSORT_FLAG_ANY_COUNT;
        short_view = nullptr;
        return clsort_prepare(s, queue, &d);
    }

private:
    sorter(clsort_sorter *other, from_clone) : made(clsort_clone(other, &s)) {}
};

} /* namespace clsort */

#endif
