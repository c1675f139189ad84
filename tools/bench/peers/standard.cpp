/* standard.cpp - sorts and selections on one core: those of the C and C++ libraries, and a plain
   quicksort to compare quicksorts on devices with. */

#define PEER_SELECTS
#include "batch.h"
#include "select.h"

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
    if (name == "std::partial_sort") throw unavailable("it selects");
    if (name == "qsort") return sort_rows(b, use_qsort());
    if (name == "quicksort") return sort_rows(b, use_quicksort());
    return name == "std::sort" ? sort_rows(b, use_sort()) : sort_rows(b, use_stable_sort());
}

/* Selects by std::partial_sort: copies of keys, or the indices of each row. */
template <class Key> class partial_sorts : public loaded_selection {
    std::vector<uint32_t> numbers;
    void fetch() {}
public:
    explicit partial_sorts(const cell &input) : loaded_selection(input), numbers(input.shape.n) {}
    void choose(const std::string &peer)
    {
        if (peer != "std::partial_sort") throw unavailable("it does not select");
    }

    void select_indices(const Key *row, uint32_t *found)
    {
        for (size_t i = 0; i < numbers.size(); i++) numbers[i] = (uint32_t)i;
        std::partial_sort(numbers.begin(), numbers.begin() + c.k, numbers.end(),
                          [row](uint32_t a, uint32_t b) {
                              return row[a] > row[b] || (row[a] == row[b] && a < b);
                          });
        std::copy(numbers.begin(), numbers.begin() + c.k, found);
    }

    double run()
    {
        const Key *from = (const Key *)c.keys;
        Key *to = (Key *)keys.data();
        const stopwatch watch;
        for (size_t row = 0; row < c.rows; row++, from += c.shape.n, to += c.k) {
            if (indices.empty()) {
                std::partial_sort_copy(from, from + c.shape.n, to, to + c.k, std::greater<Key>());
                continue;
            }
            select_indices(from, indices.data() + row * c.k);
            for (size_t i = 0; i < c.k; i++) to[i] = from[indices[row * c.k + i]];
        }
        return watch.ms();
    }
};

static loaded *peer_load_selection(const cell &c)
{
    if (c.type == "f32") return new partial_sorts<float>(c);
    if (c.type == "i32") return new partial_sorts<int32_t>(c);
    return new partial_sorts<uint32_t>(c);
}

int main(int count, char **words)
{
    static const char *const names[] = { "qsort", "quicksort", "std::sort", "std::stable_sort",
                                         "std::partial_sort", NULL };
    return peer_main(count, words, names);
}
