/* Sorts by Boost.Compute, compared with std::stable_sort, and times. Run by boost_compute.sh; with
   -DOURS by boost_compute.hpp.

     boost_compute check        all scalars, orders and kinds of values
     boost_compute time LOG2    from 2^10 to 2^LOG2 keys */

#ifdef OURS
#define CLSORT_IMPLEMENTATION
#define BOOST_COMPUTE_CLSORT_OPTIONS counting_options()
struct clsort_options;
static const clsort_options *counting_options();
#include "boost_compute.hpp"
#endif

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/sort.hpp>
#include <boost/compute/algorithm/sort_by_key.hpp>
#include <boost/compute/algorithm/stable_sort.hpp>
#include <boost/compute/algorithm/stable_sort_by_key.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/types/struct.hpp>
#include <boost/compute/types/tuple.hpp>

namespace compute = boost::compute;

struct triple {
    cl_uint a, b, c;
};
BOOST_COMPUTE_ADAPT_STRUCT(triple, triple, (a, b, c))

static int passed, failed;
static int by_clsort;           /* commands of clsort since this was set to 0 */

#ifdef OURS
static void count(void *, const char *, cl_event) { by_clsort++; }

static const clsort_options *counting_options()
{
    static clsort_options options = clsort_options_default();
    options.profile = count;
    return &options;
}
static const bool ours = true;
#else
static const bool ours = false;
#endif

static void check(bool right, const char *what, const char *type, size_t count)
{
    passed += right;
    failed += !right;
    if (!right) printf("WRONG: %s of %s, %u keys\n", what, type, unsigned(count));
}

/* Few values, so that many keys are equal; some below 0 and, of floats, some -0. */
template<class T>
static std::vector<T> draw(size_t count)
{
    std::mt19937 random(unsigned(count) + 1);
    std::vector<T> keys(count);
    for (T &key : keys) {
        int drawn = int(random() % 101) - 50;
        key = std::is_signed<T>::value || drawn >= 0 ? T(drawn) : T(-drawn * 5 / 2);
        if (std::is_floating_point<T>::value && drawn == 50) key = -T(0);
    }
    return keys;
}

/* Where each element of the sorted order was. */
template<class T>
static std::vector<size_t> sorted_places(const std::vector<T> &keys, bool down)
{
    std::vector<size_t> places(keys.size());
    std::iota(places.begin(), places.end(), size_t(0));
    std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) {
        return down ? keys[b] < keys[a] : keys[a] < keys[b];
    });
    return places;
}

enum { BEFORE = 3, BEHIND = 2 };    /* elements around what is sorted, which must stay */

template<class T>
static compute::vector<T> upload(const std::vector<T> &from, compute::command_queue &queue)
{
    std::vector<T> all(BEFORE + from.size() + BEHIND, T());
    std::copy(from.begin(), from.end(), all.begin() + BEFORE);
    return compute::vector<T>(all.begin(), all.end(), queue);
}

/* Do the elements of `from` stand at these places, and is all around them 0? */
template<class T>
static bool holds(compute::vector<T> &found, const std::vector<T> &from,
                  const std::vector<size_t> &places, compute::command_queue &queue,
                  bool (*same)(const T &, const T &))
{
    std::vector<T> all(found.size());
    compute::copy(found.begin(), found.end(), all.begin(), queue);
    const T zero = T();
    for (size_t i = 0; i < all.size(); i++) {
        bool inside = i >= BEFORE && i < BEFORE + from.size();
        if (!same(all[i], inside ? from[places[i - BEFORE]] : zero)) return false;
    }
    return true;
}

template<class T>
static bool bytes_equal(const T &a, const T &b) { return !memcmp(&a, &b, sizeof a); }
template<class T>
static bool numbers_equal(const T &a, const T &b) { return a == b; }

/* One sort of keys, `run`, against the host's. */
template<class T, class Run>
static void check_keys(const char *what, const char *type, const std::vector<T> &keys, bool down,
                       bool stable, compute::command_queue &queue, Run run)
{
    compute::vector<T> device = upload(keys, queue);
    by_clsort = 0;
    run(device.begin() + BEFORE, device.end() - BEHIND);
    bool right = holds(device, keys, sorted_places(keys, down), queue,
                       stable ? bytes_equal<T> : numbers_equal<T>);
    check(right && (!ours || keys.size() < 2 || by_clsort > 0), what, type, keys.size());
}

/* One sort by key; Boost's is stable, too. */
template<class T, class V, class Run>
static void check_pairs(const char *what, const char *type, const std::vector<T> &keys,
                        const std::vector<V> &values, bool down, compute::command_queue &queue,
                        Run run)
{
    compute::vector<T> device = upload(keys, queue);
    compute::vector<V> device_values = upload(values, queue);
    std::vector<size_t> places = sorted_places(keys, down);
    by_clsort = 0;
    run(device.begin() + BEFORE, device.end() - BEHIND, device_values.begin() + BEFORE);
    bool right = holds(device, keys, places, queue, bytes_equal<T>) &&
                 holds(device_values, values, places, queue, bytes_equal<V>);
    check(right && (!ours || keys.size() < 2 || by_clsort > 0), what, type, keys.size());
}

template<class V>
static std::vector<V> number(size_t count)
{
    std::vector<V> values(count);
    for (size_t i = 0; i < count; i++) {
        unsigned char *bytes = reinterpret_cast<unsigned char *>(&values[i]);
        for (size_t byte = 0; byte < sizeof(V); byte++)
            bytes[byte] = (unsigned char)(i >> byte % 4 * 8);
    }
    return values;
}

template<class T, class V>
static void check_values(const char *type, size_t count, compute::command_queue &queue)
{
    std::vector<T> keys = draw<T>(count);
    std::vector<V> values = number<V>(count);
    compute::less<T> up;
    compute::greater<T> down;
    check_pairs("sort_by_key", type, keys, values, false, queue,
                [&](auto a, auto b, auto v) { compute::sort_by_key(a, b, v, queue); });
    check_pairs("sort_by_key, greater", type, keys, values, true, queue,
                [&](auto a, auto b, auto v) { compute::sort_by_key(a, b, v, down, queue); });
    check_pairs("stable_sort_by_key, less", type, keys, values, false, queue,
                [&](auto a, auto b, auto v) { compute::stable_sort_by_key(a, b, v, up, queue); });
    check_pairs("stable_sort_by_key", type, keys, values, false, queue,
                [&](auto a, auto b, auto v) { compute::stable_sort_by_key(a, b, v, queue); });
}

template<class T>
static void check_type(const char *type, size_t count, compute::command_queue &queue)
{
    std::vector<T> keys = draw<T>(count);
    compute::less<T> up;
    compute::greater<T> down;
    check_keys("sort", type, keys, false, false, queue,
               [&](auto a, auto b) { compute::sort(a, b, queue); });
    check_keys("sort, less", type, keys, false, false, queue,
               [&](auto a, auto b) { compute::sort(a, b, up, queue); });
    check_keys("sort, greater", type, keys, true, false, queue,
               [&](auto a, auto b) { compute::sort(a, b, down, queue); });
    check_keys("stable_sort", type, keys, false, true, queue,
               [&](auto a, auto b) { compute::stable_sort(a, b, queue); });
    check_keys("stable_sort, greater", type, keys, true, true, queue,
               [&](auto a, auto b) { compute::stable_sort(a, b, down, queue); });
    check_values<T, compute::uint_>(type, count, queue);
}

/* What is not clsort's is still sorted, by Boost. */
static void check_others(compute::command_queue &queue)
{
    std::vector<int> keys = draw<int>(1000);
    BOOST_COMPUTE_FUNCTION(bool, closer_to_0, (int a, int b), { return abs(a) < abs(b); });
    compute::vector<int> device(keys.begin(), keys.end(), queue);
    by_clsort = 0;
    compute::sort(device.begin(), device.end(), closer_to_0, queue);
    std::vector<int> sorted(keys.size());
    compute::copy(device.begin(), device.end(), sorted.begin(), queue);
    check(std::is_sorted(sorted.begin(), sorted.end(),
                         [](int a, int b) { return abs(a) < abs(b); }) && by_clsort == 0,
          "an order of one's own", "int", keys.size());
    compute::sort(keys.begin(), keys.end(), queue);
    check(std::is_sorted(keys.begin(), keys.end()) && by_clsort == 0, "host iterators", "int",
          keys.size());
}

#ifdef OURS
/* An error is one of OpenCL's, with clsort's text. */
static void check_errors(compute::command_queue &queue)
{
    compute::buffer read_only(queue.get_context(), 64, compute::buffer::read_only);
    compute::buffer_iterator<int> first(read_only, 0);
    std::string text;
    try {
        compute::sort(first, first + 16, queue);
    } catch (const compute::opencl_error &error) {
        text = error.what();
        check(error.error_code() == CLSORT_ERROR_BUFFER_ACCESS, "error code", "int", 16);
    }
    check(text.find("CLSORT_ERROR_BUFFER_ACCESS") != std::string::npos, "error", "int", 16);
}

/* Several threads sort by the one sorter of this device, and others are released meanwhile. */
static void check_threads(compute::command_queue &queue)
{
    std::vector<std::thread> threads;
    std::vector<int> right(4);
    for (int &sorted : right) {
        threads.emplace_back([&] {
            compute::command_queue own(queue.get_context(), queue.get_device());
            for (int round = 0; round < 20; round++) {
                std::vector<int> keys = draw<int>(500), found(500);
                compute::vector<int> device(keys.begin(), keys.end(), own);
                compute::sort(device.begin(), device.end(), own);
                compute::copy(device.begin(), device.end(), found.begin(), own);
                sorted += std::is_sorted(found.begin(), found.end());
            }
        });
    }
    compute::clsort_release();
    for (std::thread &thread : threads) thread.join();
    check(right == std::vector<int>(4, 20), "threads", "int", 500);
}
#endif

/* The median of 7 calls in ms, each from the call to the end of finish(), after one more. */
template<class Run>
static double median(const std::vector<cl_uint> &keys, compute::command_queue &queue, Run run)
{
    compute::vector<cl_uint> source(keys.begin(), keys.end(), queue);
    compute::vector<cl_uint> device(keys.size(), queue.get_context());
    std::vector<double> times;
    for (int call = 0; call < 8; call++) {
        compute::copy(source.begin(), source.end(), device.begin(), queue);
        queue.finish();
        auto start = std::chrono::steady_clock::now();
        run(device.begin(), device.end());
        queue.finish();
        std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        if (call > 0) times.push_back(took.count());
    }
    std::vector<cl_uint> sorted(keys.size());
    compute::copy(device.begin(), device.end(), sorted.begin(), queue);
    check(std::is_sorted(sorted.begin(), sorted.end()), "a timed sort", "uint", keys.size());
    std::nth_element(times.begin(), times.begin() + 3, times.end());
    return times[3];
}

static void print_times(int most, compute::command_queue &queue)
{
    printf("ms for uint_ keys: sort, sort_by_key with uint_ values\n");
    for (int log2 = 10; log2 <= most; log2 += 2) {
        std::mt19937 random(1);
        std::vector<cl_uint> keys(size_t(1) << log2);
        for (cl_uint &key : keys) key = random();
        compute::vector<cl_uint> values(keys.size(), queue.get_context());
        double alone = median(keys, queue, [&](auto a, auto b) { compute::sort(a, b, queue); });
        double pairs = median(keys, queue, [&](auto a, auto b) {
            compute::sort_by_key(a, b, values.begin(), queue);
        });
        printf("2^%d  %8.3f  %8.3f\n", log2, alone, pairs);
    }
}

static void check_all(size_t count, compute::command_queue &queue)
{
    check_type<compute::char_>("char", count, queue);
    check_type<compute::uchar_>("uchar", count, queue);
    check_type<compute::short_>("short", count, queue);
    check_type<compute::ushort_>("ushort", count, queue);
    check_type<compute::int_>("int", count, queue);
    check_type<compute::uint_>("uint", count, queue);
    check_type<compute::long_>("long", count, queue);
    check_type<compute::ulong_>("ulong", count, queue);
    check_type<compute::float_>("float", count, queue);
    // Boost's kernels want the extension; clsort's do not.
    if (ours || queue.get_device().supports_extension("cl_khr_fp64")) {
        check_type<compute::double_>("double", count, queue);
    }
    check_values<compute::int_, compute::char_>("int with char", count, queue);
    check_values<compute::float_, compute::float2_>("float with float2", count, queue);
    check_values<compute::uint_, triple>("uint with a struct", count, queue);
}

int main(int argc, char **argv)
{
    compute::command_queue &queue = compute::system::default_queue();
    printf("%s by %s\n", queue.get_device().name().c_str(), ours ? "clsort" : "Boost.Compute");
    if (argc == 2 && !strcmp(argv[1], "check")) {
        for (size_t count : { 0, 1, 2, 33, 1000, 20000 }) check_all(count, queue);
        check_others(queue);
#ifdef OURS
        check_errors(queue);
        check_threads(queue);
#endif
    } else if (argc == 3 && !strcmp(argv[1], "time")) {
        print_times(atoi(argv[2]), queue);
    } else {
        fprintf(stderr, "usage: boost_compute check | time LOG2\n");
        return 2;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
