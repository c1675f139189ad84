/* clsort.hpp - clsort.h for C++11 and later: a sorter that releases itself, views of buffers, key
   types from C++ types. No exceptions, no allocation, no header but clsort.h, which lies beside it
   or on the compiler's path. Exactly one source defines CLSORT_IMPLEMENTATION before it includes
   this file, unless you link the library.

     clsort::sorter s(context, device);                 once; one thread at a time uses it
     clsort::view<float> depths(depth_buffer, n);       n elements of a cl_mem
     clsort::view<particle> particles(particle_buffer, n);
     clsort::event done;
     if (s.sort_by_key(queue, depths, particles, nullptr, &done) != CL_SUCCESS) puts(s.error());

   Calls return CL_SUCCESS or what went wrong, of which error() tells more. They sort after the
   event `after`, do not wait, and set `done`; both may be NULL, or the same event. A view that is
   too short for its call is refused, even if its buffer is larger: no call writes behind a view.

   All else is a field of a description, which every call takes in place of a view of keys: order,
   stability, NaNs, rows, records, algorithm. Here the GPU knows the count, as in a frame of a
   renderer; nothing is compiled and no memory is allocated in that frame:

     clsort_desc d = clsort::sorter::desc(clsort::view<cl_ulong>(tiles, MOST));
     d.count_buffer = visible;                          one cl_uint: how many keys there are
     s.scratch_size<cl_uint>(d, &d.scratch_size);       of pairs with values of 4 bytes
     d.scratch = clCreateBuffer(..., d.scratch_size, ...);
     s.prepare<cl_uint>(queue, d);                      while loading; for any count up to MOST
     d.flags = CLSORT_FLAG_NO_BUILD;
     s.sort_by_key(queue, d, clsort::view<cl_uint>(splats, MOST), &written, &sorted); */

#ifndef CLSORT_HPP
#define CLSORT_HPP

#include "clsort.h"

namespace clsort {

/* The number of a key type: CLSORT_F32 of float, CLSORT_U64 of any unsigned integer of 8 bytes.
   cl_half is an integer: specialise this for a half of yours, whose `value` is CLSORT_F16. */
template <class T> struct key {
    static_assert(!__is_class(T), "a struct is no key: set record_size in a description");
    static const bool is_float = T(0.5) > T(0) && T(2) > T(1), is_unsigned = T(-1) > T(0);
    static const cl_uint kind = is_float ? CLSORT_F32 : is_unsigned ? CLSORT_U32 : CLSORT_I32;
    static const cl_uint value = (kind & 0xff00) | static_cast<cl_uint>(8 * sizeof(T));
};
template <class T> struct key<const T> : key<T> {};

/* Exchanges two values, as std::swap does. */
template <class T> void exchange(T &a, T &b) noexcept
{
    const T kept = a;
    a = b;
    b = kept;
}

/* Elements of a buffer, as std::span is of memory; it owns nothing. `first` counts elements. */
template <class T> struct view {
    cl_mem buffer;
    size_t size, first;
    view(cl_mem b, size_t elements, size_t from = 0) : buffer(b), size(elements), first(from) {}
    size_t offset() const { return first * sizeof(T); }
    view part(size_t from, size_t elements) const { return view(buffer, elements, first + from); }
};

/* What to sort: a view of keys, smallest first, or a description. */
struct input : clsort_desc {
    input(const clsort_desc &d) : clsort_desc(d) {}
    template <class K> input(view<K> from) : clsort_desc(clsort_desc_default())
    {
        key_type = key<K>::value;
        keys = from.buffer, keys_offset = from.offset(), count = from.size;
    }
};

/* An event that is released when it goes out of scope. */
class event {
    cl_event e = nullptr;
public:
    event() = default;
    explicit event(cl_event owned) : e(owned) {}
    event(event &&other) noexcept : e(other.e) { other.e = nullptr; }
    event &operator=(event &&other) noexcept { exchange(e, other.e); return *this; }
    ~event() { if (e) clReleaseEvent(e); }
    const cl_event *get() const { return e ? &e : nullptr; }
    cl_int wait() const { return e ? clWaitForEvents(1, &e) : CL_SUCCESS; }
};

class sorter {
    clsort_sorter *s = nullptr;
    clsort_status made = CLSORT_ERROR_NULL_ARGUMENT;
    const char *short_view = nullptr;   /* what the last call refused, or NULL */
    struct from_clone {};

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
    sorter(sorter &&other) noexcept { *this = static_cast<sorter &&>(other); }
    sorter &operator=(sorter &&other) noexcept
    {
        exchange(s, other.s);
        exchange(made, other.made);
        exchange(short_view, other.short_view);
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
    /* A sorter of the same device for another thread. */
    sorter clone() const { return sorter(s, from_clone()); }

    /* The description of a sort of these keys, to set more fields in. */
    static clsort_desc desc(const input &keys) { return keys; }

    /* Sorts in place. */
    clsort_status sort(cl_command_queue queue, const input &keys, const event *after = nullptr,
                       event *done = nullptr)
    {
        return enqueue(queue, keys, after, done);
    }

    /* Sorts keys in host memory, and waits. `d` says more than their type: order, NaNs, rows. */
    template <class K>
    clsort_status sort_host(K *keys, size_t count, clsort_desc d = clsort_desc_default())
    {
        d.key_type = key<K>::value, d.count = count;
        short_view = nullptr;
        return clsort_sort_host(s, &d, keys, nullptr, nullptr);
    }

    /* Sorts in place, and moves a value of any size with each key. */
    template <class V>
    clsort_status sort_by_key(cl_command_queue queue, input keys, view<V> values,
                              const event *after = nullptr, event *done = nullptr)
    {
        if (values.size < value_count(keys))
            return refuse("the view of values is shorter than the keys", done);
        keys.values = values.buffer, keys.values_offset = values.offset();
        keys.value_size = sizeof(V);
        return enqueue(queue, keys, after, done);
    }

    /* Writes the order of the keys, which are only read, unless the description's flags have
       CLSORT_FLAG_OVERWRITE_INPUT. */
    clsort_status argsort(cl_command_queue queue, input keys, view<cl_uint> indices,
                          const event *after = nullptr, event *done = nullptr)
    {
        return write_indices(queue, keys, indices, after, done);
    }

    /* Writes the first indices.size of that order, of one array; with a view of size 0 nothing. */
    clsort_status top(cl_command_queue queue, input keys, view<cl_uint> indices,
                      const event *after = nullptr, event *done = nullptr)
    {
        keys.rows = 1, keys.top_k = indices.size;
        if (!indices.size) keys.count = 0;   /* top_k 0 would be a whole sort */
        return write_indices(queue, keys, indices, after, done);
    }

    /* Builds while the program loads what a sort needs, also for any smaller count, and allocates
       its scratch memory. Blocks. V is the type of the values of sort_by_key; for argsort the
       description has `indices` CLSORT_LATER, for top also top_k. */
    clsort_status prepare(cl_command_queue queue, input keys)
    {
        keys.flags |= CLSORT_FLAG_ANY_COUNT;
        short_view = nullptr;
        return clsort_prepare(s, queue, &keys);
    }
    template <class V> clsort_status prepare(cl_command_queue queue, input keys)
    {
        keys.value_size = sizeof(V);
        return prepare(queue, keys);
    }

    /* *bytes becomes what scratch memory of yours needs; V is as of prepare. Without `scratch` in
       the description the sorter has its own. */
    clsort_status scratch_size(const input &keys, size_t *bytes)
    {
        short_view = nullptr;
        return clsort_scratch_size(s, &keys, bytes);
    }
    template <class V> clsort_status scratch_size(input keys, size_t *bytes)
    {
        keys.value_size = sizeof(V);
        return scratch_size(keys, bytes);
    }

private:
    sorter(clsort_sorter *other, from_clone) : made(clsort_clone(other, &s)) {}
};

} /* namespace clsort */

#endif
