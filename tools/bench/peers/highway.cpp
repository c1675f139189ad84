/* highway.cpp - vqsort of Google's Highway: a quicksort on one core, in its vector registers. */

#include "batch.h"

#include <hwy/contrib/sort/vqsort.h>

static hwy::Sorter sorter;

static void sort_row(uint32_t *keys, size_t n) { sorter(keys, n, hwy::SortAscending()); }
static void sort_row(uint64_t *keys, size_t n) { sorter(keys, n, hwy::SortAscending()); }

/* Pairs go into words of key and value. */
static double sort_pairs(batch<uint32_t> &b)
{
    std::vector<hwy::K32V32> pairs(b.keys.size());
    for (size_t i = 0; i < pairs.size(); i++) pairs[i] = { b.values[i], b.keys[i] };
    const stopwatch watch;
    for (size_t r = 0; r < b.rows; r++) sorter(pairs.data() + r * b.n, b.n, hwy::SortAscending());
    const double ms = watch.ms();
    for (size_t i = 0; i < pairs.size(); i++) {
        b.keys[i] = pairs[i].key;
        b.values[i] = pairs[i].value;
    }
    return ms;
}

static double sort_pairs(batch<uint64_t> &)
{
    throw unavailable("vqsort has no pairs of u64 and u32");
}

template <class Key> double peer_sort(const std::string &, batch<Key> &b)
{
    if (!b.values.empty()) return sort_pairs(b);
    const stopwatch watch;
    for (size_t r = 0; r < b.rows; r++) sort_row(b.keys.data() + r * b.n, b.n);
    return watch.ms();
}

int main(int count, char **words)
{
    static const char *const names[] = { "vqsort", NULL };
    return peer_main(count, words, names);
}
