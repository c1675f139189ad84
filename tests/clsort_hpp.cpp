/* Calls all of clsort.hpp: with views of sizes 0, 1, short, fitting and long, at any place
   of a buffer, and reads what each call says where it refuses. tests/scripts/examples compiles and
   runs it. Ends with the number of checks that failed; the exit status is 1 if there is one. */

#define CL_TARGET_OPENCL_VERSION 120
#include "clsort.hpp"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

using clsort::event;
using clsort::sorter;
using clsort::view;

int failures;

bool check(bool holds, const char *call, const char *what)
{
    if (!holds) std::printf("%s: %s\n", call, what);
    failures += !holds;
    return holds;
}

struct stage {
    sorter s;
    cl_command_queue queue;
    cl_mem keys, target;   /* ROOM elements each */
    std::vector<cl_uint> key;
    cl_mem alive;          /* how many keys of a row are sorted; NULL: all */
};

/* Views begin behind MARGIN elements, and what is around them must not change. */
const size_t ROOM = 400, MARGIN = 3;
const cl_uint LIVING = 7;
const unsigned char MARK = 0xa5;

/* A value that no other member of its buffer has, of some bytes. */
struct triple { cl_uint number, twice, thrice; };
void number_it(cl_uint &v, size_t i) { v = static_cast<cl_uint>(i); }
void number_it(triple &v, size_t i)
{
    const cl_uint n = static_cast<cl_uint>(i);
    v = triple{ n, 2 * n, 3 * n };
}

/* ---- the table ------------------------------------------------------------------------------- */

/* One call: `count` keys in each of `rows`, `stride` elements apart (0: no gaps); a view of `size`
   values or indices. Fields of the description that rows of the table set: `k` and `flags`. */
struct one_call {
    const char *name;
    size_t count, size, rows, stride, k;
    cl_uint flags;
    clsort_status status;
    const char *words;   /* part of error(), where status is not CL_SUCCESS */
};

const clsort_status SHORT = CLSORT_ERROR_BUFFER_TOO_SMALL, TOP_K = CLSORT_ERROR_TOP_K;
const cl_uint PARTITION = CLSORT_FLAG_TOP_PARTITION, NTH = CLSORT_FLAG_TOP_NTH;
const cl_uint OVERWRITE = CLSORT_FLAG_OVERWRITE_INPUT;

const one_call sorts[] = {
    { "sort none", 0, 0, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "sort none, a long view", 0, 5, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "sort one", 1, 1, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "sort one, an empty view", 1, 0, 0, 0, 0, 0, SHORT, "view of values is shorter" },
    { "sort", 100, 100, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "sort, a long view", 100, 130, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "sort, a short view", 100, 99, 0, 0, 0, 0, SHORT, "view of values is shorter" },
    { "sort rows", 10, 40, 4, 0, 0, 0, CL_SUCCESS, "" },
    { "sort rows, a short view", 10, 39, 4, 0, 0, 0, SHORT, "view of values is shorter" },
    { "sort rows with gaps", 10, 46, 4, 12, 0, 0, CL_SUCCESS, "" },
    { "sort rows with gaps, a short view", 10, 45, 4, 12, 0, 0, SHORT, "values is shorter" },
};

const one_call argsorts[] = {
    { "argsort none", 0, 0, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "argsort none, a long view", 0, 5, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "argsort one", 1, 1, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "argsort one, an empty view", 1, 0, 0, 0, 0, 0, SHORT, "view of indices is shorter" },
    { "argsort", 100, 100, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "argsort, a long view", 100, 130, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "argsort, a short view", 100, 99, 0, 0, 0, 0, SHORT, "view of indices is shorter" },
    { "argsort rows with gaps", 10, 46, 4, 12, 0, 0, CL_SUCCESS, "" },
    { "argsort that overwrites", 100, 100, 0, 0, 0, OVERWRITE, CL_SUCCESS, "" },
    { "argsort the top, which overwrites nothing", 10, 12, 4, 0, 3, OVERWRITE,
      CLSORT_ERROR_UNKNOWN_FLAG, "OVERWRITE_INPUT" },
    { "argsort rows with gaps, a short view", 10, 45, 4, 12, 0, 0, SHORT, "indices is shorter" },
    { "argsort the top of rows", 10, 12, 4, 0, 3, 0, CL_SUCCESS, "" },
    { "argsort the top of rows, a short view", 10, 11, 4, 0, 3, 0, SHORT, "indices is shorter" },
    { "argsort the third of rows", 10, 4, 4, 0, 3, NTH, CL_SUCCESS, "" },
    { "argsort the third of rows, a short view", 10, 3, 4, 0, 3, NTH, SHORT, "is shorter" },
    { "argsort with k above n", 10, 44, 4, 0, 11, 0, TOP_K, "top_k" },
};

const one_call tops[] = {
    { "top 0 of none", 0, 0, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "top 0 of one", 1, 0, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "top 0", 100, 0, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "top 1 of one", 1, 1, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "top 1", 100, 1, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "top 8", 100, 8, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "top 8, but there are rows", 100, 8, 2, 0, 0, 0, CL_SUCCESS, "" },
    { "top all", 100, 100, 0, 0, 0, 0, CL_SUCCESS, "" },
    { "top of none", 0, 1, 0, 0, 0, 0, TOP_K, "top_k" },
    { "top 2 of one", 1, 2, 0, 0, 0, 0, TOP_K, "top_k" },
    { "top with k above n", 100, 101, 0, 0, 0, 0, TOP_K, "top_k" },
    { "top writes all of a partition, a short view", 100, 8, 0, 0, 0, PARTITION, SHORT, "indices" },
};

/* ---- running a row --------------------------------------------------------------------------- */

clsort_desc describe(const stage &st, const one_call &c)
{
    clsort_desc d = sorter::desc(view<cl_uint>(c.count ? st.keys : nullptr, c.count, MARGIN));
    d.stable = 1;
    d.rows = c.rows, d.row_stride = c.stride * sizeof(cl_uint), d.top_k = c.k, d.flags = c.flags;
    return d;
}

template <class T> void write(const stage &st, cl_mem buffer, const std::vector<T> &from)
{
    const cl_int status = clEnqueueWriteBuffer(st.queue, buffer, CL_TRUE, 0,
                                               from.size() * sizeof(T), from.data(), 0, nullptr,
                                               nullptr);
    check(status == CL_SUCCESS, "clEnqueueWriteBuffer", "failed");
}

template <class T> void expect(const stage &st, cl_mem buffer, const std::vector<T> &wanted,
                               const char *call)
{
    std::vector<T> is(wanted.size());
    const cl_int status = clEnqueueReadBuffer(st.queue, buffer, CL_TRUE, 0, is.size() * sizeof(T),
                                              is.data(), 0, nullptr, nullptr);
    check(status == CL_SUCCESS && !std::memcmp(is.data(), wanted.data(), is.size() * sizeof(T)),
          call, "the buffer holds something else");
}

/* Of one row that begins at `begin`: the places of its keys in sorted order. */
std::vector<size_t> sorted_places(const stage &st, size_t begin, size_t count)
{
    std::vector<size_t> places(count);
    for (size_t i = 0; i < count; i++) places[i] = i;
    std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) {
        return st.key[begin + a] < st.key[begin + b];
    });
    return places;
}

void judge(const stage &st, const one_call &c, clsort_status status, const event &done)
{
    const char *said = st.s.error();
    if (!check(status == c.status, c.name, "another status"))
        std::printf("    %d in place of %d: %s\n", status, c.status, said);
    check(status == CL_SUCCESS || std::strstr(said, c.words), c.name, said);
    check(status != CL_SUCCESS ? done.get() == nullptr : done.get() != nullptr, c.name,
          "an event after a failure, or none");
    check(done.wait() == CL_SUCCESS, c.name, "waiting failed");
}

/* What a frame of a renderer has: a count that only the device knows, scratch memory of the
   caller's, and nothing to build. */
template <class V> void make_ready(stage &st, clsort_desc &d, const char *name)
{
    size_t bare = 0;
    d.count_buffer = st.alive;
    check(st.s.scratch_size(d, &bare) == CL_SUCCESS
              && st.s.scratch_size<V>(d, &d.scratch_size) == CL_SUCCESS && d.scratch_size > bare,
          name, "pairs take no more scratch memory than keys");
    d.scratch = clCreateBuffer(clsort_context(st.s.get()), CL_MEM_READ_WRITE, d.scratch_size,
                               nullptr, nullptr);
    check(st.s.prepare<V>(st.queue, d) == CL_SUCCESS, name, st.s.error());
    d.flags = CLSORT_FLAG_NO_BUILD;
}

/* Rows of the table of sorts, with values of one type. */
template <class V> void run_sort(stage &st, const one_call &c)
{
    const size_t step = c.stride ? c.stride : c.count;
    const size_t count = st.alive ? std::min<size_t>(c.count, LIVING) : c.count;
    clsort_desc d = describe(st, c);
    if (st.alive) make_ready<V>(st, d, c.name);
    std::vector<V> values(ROOM), sorted_values;
    std::vector<cl_uint> sorted_keys = st.key;
    for (size_t i = 0; i < ROOM; i++) number_it(values[i], i);
    write(st, st.keys, st.key);
    write(st, st.target, values);
    sorted_values = values;
    event done;
    const view<V> moved(c.size ? st.target : nullptr, c.size, MARGIN);
    judge(st, c, st.s.sort_by_key(st.queue, d, moved, nullptr, &done), done);
    if (d.scratch) clReleaseMemObject(d.scratch);
    for (size_t r = 0; c.status == CL_SUCCESS && r < std::max<size_t>(c.rows, 1); r++) {
        const size_t begin = MARGIN + r * step;
        const std::vector<size_t> from = sorted_places(st, begin, count);
        for (size_t i = 0; i < count; i++) {
            sorted_keys[begin + i] = st.key[begin + from[i]];
            sorted_values[begin + i] = values[begin + from[i]];
        }
    }
    expect(st, st.keys, sorted_keys, c.name);
    expect(st, st.target, sorted_values, c.name);
}

/* Rows of the tables of argsorts and of tops; an empty view may have a buffer or none. */
void run_order(stage &st, const one_call &c, bool is_top, bool no_buffer)
{
    const size_t step = c.stride ? c.stride : c.count, k = is_top ? c.size : c.k;
    const size_t rows = is_top ? 1 : std::max<size_t>(c.rows, 1);
    const size_t each = is_top || k ? k : c.count;
    std::vector<cl_uint> wanted(ROOM);
    std::memset(wanted.data(), MARK, ROOM * sizeof wanted[0]);
    write(st, st.keys, st.key);
    write(st, st.target, wanted);
    event done;
    const view<cl_uint> indices(no_buffer ? nullptr : st.target, c.size, MARGIN);
    const clsort_desc d = describe(st, c);
    judge(st, c,
          is_top ? st.s.top(st.queue, d, indices, nullptr, &done)
                 : st.s.argsort(st.queue, d, indices, nullptr, &done),
          done);
    for (size_t r = 0; c.status == CL_SUCCESS && r < rows; r++) {
        const std::vector<size_t> from = sorted_places(st, MARGIN + r * step, c.count);
        const size_t written = c.flags & NTH ? 1 : each;
        const size_t first = c.flags & NTH ? each - 1 : 0;
        const size_t begin = MARGIN + r * (k ? written : step);
        for (size_t i = 0; i < written; i++)
            wanted[begin + i] = static_cast<cl_uint>(from[first + i]);
    }
    if (!(c.flags & OVERWRITE)) expect(st, st.keys, st.key, c.name);
    expect(st, st.target, wanted, c.name);
}

/* ---- what has no table ----------------------------------------------------------------------- */

template <class T> void key_type(cl_uint kind)
{
    const clsort_desc d = sorter::desc(view<const T>(nullptr, 7, 2));
    check(d.key_type == ((kind << 8) | (8 * sizeof(T))) && d.count == 7
              && d.keys_offset == 2 * sizeof(T),
          "desc", "another key type, count or offset");
}

void descriptions()
{
    key_type<cl_uchar>(1), key_type<cl_ushort>(1), key_type<cl_uint>(1), key_type<cl_ulong>(1);
    key_type<cl_char>(2), key_type<cl_short>(2), key_type<cl_int>(2), key_type<cl_long>(2);
    key_type<cl_float>(3), key_type<cl_double>(3), key_type<const cl_float>(3);
    key_type<bool>(1), key_type<unsigned long long>(1), key_type<long>(2), key_type<long long>(2);
    const view<triple> whole(nullptr, 10, 1), part = whole.part(2, 5), none = whole.part(10, 0);
    check(part.size == 5 && part.first == 3 && part.offset() == 3 * sizeof(triple), "part",
          "another size or place");
    check(none.size == 0 && none.first == 11, "part", "an empty one is another");
}

/* An error is of the last failure, whoever refused, and names what is wrong. */
void errors(stage &st)
{
    const auto refuses = [&st](clsort_status is, clsort_status wanted, const char *words) {
        check(is == wanted && std::strstr(st.s.error(), words), words, st.s.error());
    };
    const clsort_desc d = sorter::desc(view<cl_uint>(st.keys, 10));
    const clsort_status missing = CLSORT_ERROR_MISSING_BUFFER;
    const view<cl_uint> nine(st.target, 9), none(nullptr, 10);
    clsort_desc wrong = d;
    wrong.keys = nullptr;
    refuses(st.s.sort_by_key(st.queue, d, nine), SHORT, "view of values");
    refuses(st.s.sort(st.queue, wrong), missing, "keys");
    refuses(st.s.argsort(st.queue, d, none), missing, "indices");
    refuses(st.s.top(st.queue, d, view<cl_uint>(nullptr, 5)), missing, "indices");
    refuses(st.s.sort_by_key(st.queue, d, none), CLSORT_ERROR_VALUE_SIZE, "value");
    refuses(st.s.sort_by_key(st.queue, d, view<cl_uint>(st.target, 10, 3 * ROOM - 9)), SHORT,
            "clsort_enqueue_sort: values");   /* the view is beyond its buffer */
    refuses(st.s.sort(nullptr, d), CLSORT_ERROR_NULL_ARGUMENT, "queue");
    refuses(st.s.argsort(st.queue, d, nine), SHORT, "view of indices");
    wrong.key_type = 0;
    refuses(st.s.prepare(st.queue, wrong), CLSORT_ERROR_KEY_TYPE, "key_type");
    refuses(st.s.argsort(st.queue, d, nine), SHORT, "view of indices");
    refuses(st.s.scratch_size(d, nullptr), CLSORT_ERROR_NULL_ARGUMENT, "bytes");
}

/* A sort of any smaller count is prepared, too, by a sorter that has built nothing yet. */
void preparing(stage &st)
{
    sorter other(clsort_context(st.s.get()), clsort_device(st.s.get()));
    check(other.prepare(st.queue, view<cl_uint>(nullptr, 4096)) == CL_SUCCESS, "prepare",
          other.error());
    for (const size_t count : { size_t(0), size_t(1), size_t(100) }) {
        clsort_desc d = sorter::desc(view<cl_uint>(st.keys, count));
        d.flags = CLSORT_FLAG_NO_BUILD;
        check(other.sort(st.queue, d) == CL_SUCCESS, "a sort that was prepared", other.error());
    }
    clsort_desc d = sorter::desc(view<cl_uint>(st.keys, 100));
    d.top_k = 101;
    check(st.s.prepare(st.queue, d) == TOP_K && std::strstr(st.s.error(), "top_k"),
          "prepare with k above n", st.s.error());
}

/* Views in the place of a description, keys in host memory, and a description that says more. */
void without_description(stage &st)
{
    std::vector<cl_uint> sorted(st.key);
    std::sort(sorted.begin(), sorted.end());
    const view<const cl_uint> read(st.keys, ROOM);
    const view<cl_uint> keys(st.keys, ROOM), indices(st.target, ROOM);
    write(st, st.keys, st.key);
    check(st.s.top(st.queue, read, indices.part(0, 1)) == CL_SUCCESS
              && st.s.argsort(st.queue, read, indices) == CL_SUCCESS
              && st.s.sort_by_key(st.queue, keys, indices) == CL_SUCCESS
              && st.s.sort(st.queue, keys) == CL_SUCCESS
              && st.s.prepare(st.queue, keys) == CL_SUCCESS,
          "a view of keys", st.s.error());
    expect(st, st.keys, sorted, "a view of keys");
    std::vector<cl_uint> host(st.key);
    check(st.s.sort_host(host.data(), ROOM) == CL_SUCCESS && host == sorted, "sort_host",
          st.s.error());
    clsort_desc d = clsort_desc_default();
    d.order = CLSORT_DESCENDING;
    std::reverse(sorted.begin(), sorted.end());
    check(st.s.sort_host(host.data(), ROOM, d) == CL_SUCCESS && host == sorted,
          "sort_host, the largest first", st.s.error());
}

/* All sorts of the table again, by a sorter that has built nothing yet. */
void count_on_device(stage &st, cl_context context)
{
    const std::vector<cl_uint> living(1, LIVING);
    stage other = { sorter(context, clsort_device(st.s.get())), st.queue, st.keys, st.target,
                    st.key, clCreateBuffer(context, CL_MEM_READ_WRITE, 4, nullptr, nullptr) };
    write(other, other.alive, living);
    for (const one_call &c : sorts)
        if (c.status == CL_SUCCESS && c.count > 1) run_sort<triple>(other, c);
    clReleaseMemObject(other.alive);
}

/* An argsort takes a view of `size` indices, and of no fewer. */
void takes(stage &st, const clsort_desc &d, size_t size, const char *name)
{
    check(st.s.argsort(st.queue, d, view<cl_uint>(st.target, size)) == CL_SUCCESS, name,
          st.s.error());
    check(st.s.argsort(st.queue, d, view<cl_uint>(st.target, size - 1)) == SHORT, name,
          "takes a view that is too short");
}

/* How long a view of indices must be, of what the tables do not have. */
void lengths(stage &st)
{
    clsort_desc d = sorter::desc(view<cl_uint>(st.keys, 10));
    d.rows = 4, d.indices_row_stride = 15 * sizeof(cl_uint);
    takes(st, d, 55, "rows of indices with gaps");
    d.indices_row_stride = 0, d.record_size = 8, d.row_stride = 12 * 8;
    takes(st, d, 46, "rows of records");
    d = sorter::desc(view<cl_uint>(st.keys, 10));
    st.key[0] = 0, st.key[1] = 4, st.key[2] = 4, st.key[3] = 10;
    write(st, st.keys, st.key);
    d.keys_offset = 16, d.top_k = 5;
    d.segments = st.keys, d.segment_count = 3;
    takes(st, d, 15, "the top of segments");
    d.top_k = 0;
    takes(st, d, 10, "segments");
}

/* Events move, and what `done` had is released: a call here waits for the event it replaces. */
void events(stage &st)
{
    const clsort_desc d = sorter::desc(view<cl_uint>(st.keys, 100));
    event none, a, b;
    check(!none.get() && none.wait() == CL_SUCCESS, "event", "an empty one is none");
    check(st.s.sort(st.queue, d, &none, &a) == CL_SUCCESS && a.get(), "sort", st.s.error());
    check(st.s.sort(st.queue, d, &a, &a) == CL_SUCCESS && a.get(), "sort", st.s.error());
    const cl_event kept = *a.get();
    event moved(std::move(a));
    b = std::move(moved);
    check(b.get() && *b.get() == kept && !moved.get(), "event", "moved wrong");
    check(b.wait() == CL_SUCCESS, "event", "waiting failed");
    check(st.s.argsort(st.queue, d, view<cl_uint>(st.target, 9), nullptr, &b) == SHORT && !b.get(),
          "a call that fails", "left its event as it was");
}

/* A sorter that holds nothing refuses all, with words; what was moved from is such a one. */
void refuses(sorter &s, const stage &st, clsort_status why, const char *name)
{
    const clsort_desc d = sorter::desc(view<cl_uint>(st.keys, 10));
    event done;
    check(!s && !s.get(), name, "holds a sorter");
    check(s.sort(st.queue, d, nullptr, &done) == CLSORT_ERROR_NULL_ARGUMENT && !done.get(), name,
          "sorts");
    check(s.argsort(st.queue, d, view<cl_uint>(st.target, 10)) != CL_SUCCESS, name, "sorts");
    check(s.top(st.queue, d, view<cl_uint>(st.target, 0)) != CL_SUCCESS, name, "sorts");
    check(s.prepare(st.queue, d) == CLSORT_ERROR_NULL_ARGUMENT, name, "prepares");
    check(!std::strcmp(s.error(), clsort_status_text(why)), name, s.error());
    sorter other = s.clone();
    check(!other && other.error()[0], name, "is cloned");
}

void owners(stage &st)
{
    sorter lone(clsort_context(st.s.get()), nullptr), nobody(nullptr);
    refuses(lone, st, CLSORT_ERROR_NULL_ARGUMENT, "a sorter of a context without a device");
    check(bool(nobody), "sorter(nullptr)", nobody.error());
    sorter one = st.s.clone(), two(std::move(one));
    refuses(one, st, CLSORT_ERROR_NULL_ARGUMENT, "a sorter that was moved from");
    lone = std::move(two);
    refuses(two, st, CLSORT_ERROR_NULL_ARGUMENT, "a sorter that was moved from by =");
    const clsort_desc d = sorter::desc(view<cl_uint>(st.keys, 10));
    check(lone.sort(st.queue, d) == CL_SUCCESS, "a clone that was moved", lone.error());
    check(lone.argsort(st.queue, d, view<cl_uint>(st.target, 9)) == SHORT, "a clone", "took it");
    sorter three(std::move(lone));
    check(std::strstr(three.error(), "view of indices"), "an error after a move", three.error());
    clsort_options options = clsort_options_default();
    options.struct_size = 3;
    sorter unknown(nullptr, nullptr, &options);
    refuses(unknown, st, CLSORT_ERROR_UNKNOWN_VALUE, "a sorter with an unknown option");
}

bool make(stage &st)
{
    if (!check(bool(st.s), "sorter", st.s.error())) return false;
    const cl_context context = clsort_context(st.s.get());
    st.queue = clCreateCommandQueue(context, clsort_device(st.s.get()), 0, nullptr);
    st.keys = clCreateBuffer(context, CL_MEM_READ_WRITE, ROOM * sizeof(cl_uint), nullptr, nullptr);
    st.target = clCreateBuffer(context, CL_MEM_READ_WRITE, ROOM * sizeof(triple), nullptr, nullptr);
    for (size_t i = 0; i < ROOM; i++)   /* some keys are equal */
        st.key.push_back((static_cast<cl_uint>(i) * 2654435761u) >> 26);
    return check(st.queue && st.keys && st.target, "OpenCL", "no queue or buffers");
}

} /* namespace */

int main()
{
    stage st = { sorter(), nullptr, nullptr, nullptr, {}, nullptr };
    if (!make(st)) return 1;
    for (const one_call &c : sorts) run_sort<cl_uint>(st, c), run_sort<triple>(st, c);
    for (int none = 0; none < 2; none++) {
        for (const one_call &c : argsorts)
            if (!none || !c.size) run_order(st, c, false, none);
        for (const one_call &c : tops)
            if (!none || !c.size) run_order(st, c, true, none);
    }
    descriptions();
    errors(st);
    preparing(st);
    lengths(st);
    events(st);
    without_description(st);
    count_on_device(st, clsort_context(st.s.get()));
    owners(st);
    clReleaseMemObject(st.keys);
    clReleaseMemObject(st.target);
    clReleaseCommandQueue(st.queue);
    std::printf("%d checks failed\n", failures);
    return failures != 0;
}
