/* parallel.cpp - std::sort on all cores, as libstdc++'s parallel mode does it. */

#include "batch.h"

#include <parallel/algorithm>

struct use_parallel {
    template <class Row> void operator()(Row *begin, Row *end) const
    {
        __gnu_parallel::sort(begin, end);
    }
};

template <class Key> double peer_sort(const std::string &, batch<Key> &b)
{
    return sort_rows(b, use_parallel());
}

int main(int count, char **words)
{
    static const char *const names[] = { "parallel-std::sort", NULL };
    return peer_main(count, words, names);
}
