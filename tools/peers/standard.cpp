/* standard.cpp - sorts on one core: those of the C and C++ libraries, and a plain quicksort to
   compare quicksorts on devices with. */

#include "batch.h"

template <class Row> static int compare(const void *a, const void *b)
{
    const Row &x = *(const Row *)a, &y = *(const Row *)b;
    return (y < x) - (x < y);
}

template <class Row> static void insertion_sort(Row *begin, Row *end)
{
    for (Row *i = begin; i < end; i++) {
        const Row row = *i;
        Row *hole = i;
        for (; hole > begin && row < hole[-1]; hole--) *hole = hole[-1];
        *hole = row;
    }
}

/* Hoare's, with the median of three as its pivot; it goes on with the longer side, so that the
   stack stays short. */
template <class Row> static void quicksort(Row *begin, Row *end)
{
    while (end - begin > 16) {
        const Row a = begin[0], b = begin[(end - begin) / 2], c = end[-1];
        const Row pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        Row *low = begin, *high = end - 1;
        while (low <= high) {
            while (*low < pivot) low++;
            while (pivot < *high) high--;
            if (low <= high) std::swap(*low++, *high--);
        }
        if (high + 1 - begin < end - low) {
            quicksort(begin, high + 1);
            begin = low;
        } else {
            quicksort(low, end);
            end = high + 1;
        }
    }
    insertion_sort(begin, end);
}

/* The four peers over rows of any type. */
struct use_qsort {
    template <class Row> void operator()(Row *begin, Row *end) const
    {
        qsort(begin, (size_t)(end - begin), sizeof *begin, compare<Row>);
    }
};
struct use_quicksort {
    template <class Row> void operator()(Row *begin, Row *end) const { quicksort(begin, end); }
};
struct use_sort {
    template <class Row> void operator()(Row *begin, Row *end) const { std::sort(begin, end); }
};
struct use_stable_sort {
    template <class Row> void operator()(Row *begin, Row *end) const
    {
        std::stable_sort(begin, end);
    }
};

template <class Key> double peer_sort(const std::string &name, batch<Key> &b)
{
    if (name == "qsort") return sort_rows(b, use_qsort());
    if (name == "quicksort") return sort_rows(b, use_quicksort());
    return name == "std::sort" ? sort_rows(b, use_sort()) : sort_rows(b, use_stable_sort());
}

int main(int count, char **words)
{
    static const char *const names[] = { "qsort", "quicksort", "std::sort", "std::stable_sort",
                                         NULL };
    return peer_main(count, words, names);
}
