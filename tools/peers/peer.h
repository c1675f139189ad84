/* peer.h - what the peer programs share. A peer is a sort of somebody else, given the same input as
   `clsort bench` and checked like it.

     PROGRAM                                      lists the peers in it, one per line
     PROGRAM PEER TYPE VALUE_BYTES N ROWS RUNS    prints the median time of a run in milliseconds

   TYPE is u32 or u64, VALUE_BYTES 0 or 4; ROWS arrays of N keys each are sorted on their own. The
   time goes from the call to the sorted arrays; copies to and from a device are not in it, nor are
   the runs of the first 50 ms, at least one. Exit codes: 0 done, 1 a wrong result, 2 wrong usage, 3
   this peer cannot do that here, which is said on standard error.

   A program defines peer_names and peer_sort, and calls peer_main. */

#ifndef CLSORT_TOOLS_PEER_H
#define CLSORT_TOOLS_PEER_H

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "../patterns.h"

/* Rows of n keys each, one after the other; values are there or not, and say where their key came
   from. */
template <class Key> struct batch {
    size_t n, rows;
    std::vector<Key> keys;
    std::vector<uint32_t> values;
};

template <class Key> struct element {
    Key key;
    uint32_t value;
    bool operator<(const element &other) const { return key < other.key; }
};

/* What a peer throws that cannot do what is asked for. */
struct unavailable : std::runtime_error {
    explicit unavailable(const std::string &why) : std::runtime_error(why) {}
};

/* Sorts b by the peer of that name and returns the milliseconds that it took. */
template <class Key> double peer_sort(const std::string &name, batch<Key> &b);

class stopwatch {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
public:
    double ms() const
    {
        const std::chrono::steady_clock::duration passed = std::chrono::steady_clock::now() - start;
        return std::chrono::duration<double, std::milli>(passed).count();
    }
};

/* Times sort(begin, end) of every row on the host, over keys or over elements of key and value. */
template <class Key, class Sort> double sort_rows(batch<Key> &b, Sort sort)
{
    std::vector<element<Key>> pairs(b.values.size());
    for (size_t i = 0; i < pairs.size(); i++) pairs[i] = { b.keys[i], b.values[i] };
    const stopwatch watch;
    for (size_t r = 0; r < b.rows; r++) {
        if (pairs.empty()) sort(b.keys.data() + r * b.n, b.keys.data() + (r + 1) * b.n);
        else sort(pairs.data() + r * b.n, pairs.data() + (r + 1) * b.n);
    }
    const double ms = watch.ms();
    for (size_t i = 0; i < pairs.size(); i++) {
        b.keys[i] = pairs[i].key;
        b.values[i] = pairs[i].value;
    }
    return ms;
}

/* Is `out` what `in` becomes? Equal keys may have changed their order. `sorted` holds the keys of
   every row in order. */
template <class Key>
bool is_sorted_batch(const batch<Key> &in, const std::vector<Key> &sorted, const batch<Key> &out)
{
    std::vector<bool> seen(in.values.size());
    if (out.keys != sorted || out.values.size() != in.values.size()) return false;
    for (size_t i = 0; i < seen.size(); i++) {
        const size_t from = out.values[i];
        if (from >= seen.size() || seen[from] || from / in.n != i / in.n
            || in.keys[from] != out.keys[i])
            return false;
        seen[from] = true;
    }
    return true;
}

template <class Key>
int peer_time(const std::string &name, size_t n, size_t rows, bool pairs, int runs, cl_uint type)
{
    batch<Key> in = { n, rows, std::vector<Key>(n * rows),
                      std::vector<uint32_t>(pairs ? n * rows : 0) };
    std::vector<double> times;
    pattern_fill(pattern_find("uniform"), type, n * rows, 1, 0, in.keys.data());
    for (size_t i = 0; i < in.values.size(); i++) in.values[i] = (uint32_t)i;
    std::vector<Key> sorted = in.keys;
    for (size_t r = 0; r < rows; r++) std::sort(sorted.data() + r * n, sorted.data() + (r + 1) * n);
    const stopwatch warm_up;
    for (int run = -1; run < runs; run += run >= 0 || warm_up.ms() >= 50) {
        batch<Key> out = in;
        const double ms = peer_sort(name, out);
        if (run >= 0) times.push_back(ms);
        if (!is_sorted_batch(in, sorted, out)) {
            fprintf(stderr, "%s: wrong result\n", name.c_str());
            return 1;
        }
    }
    std::sort(times.begin(), times.end());
    printf("%.6f\n", (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2);
    return 0;
}

/* names ends with NULL. */
static int peer_main(int count, char **words, const char *const *names)
{
    if (count == 1) {
        for (; *names; names++) puts(*names);
        return 0;
    }
    while (*names && (count != 7 || strcmp(*names, words[1]))) names++;
    if (!*names || (strcmp(words[2], "u32") && strcmp(words[2], "u64"))
        || (strcmp(words[3], "0") && strcmp(words[3], "4")) || atoll(words[4]) < 1
        || atoll(words[5]) < 1 || atoi(words[6]) < 1) {
        fputs("usage: PROGRAM [PEER u32|u64 0|4 N ROWS RUNS]\n", stderr);
        return 2;
    }
    const size_t n = (size_t)atoll(words[4]), rows = (size_t)atoll(words[5]);
    const bool pairs = words[3][0] == '4';
    const int runs = atoi(words[6]);
    try {
        return strcmp(words[2], "u64")
                   ? peer_time<uint32_t>(words[1], n, rows, pairs, runs, CLSORT_U32)
                   : peer_time<uint64_t>(words[1], n, rows, pairs, runs, CLSORT_U64);
    } catch (const std::exception &problem) {
        fprintf(stderr, "%s\n", problem.what());
        return 3;
    }
}

#endif
