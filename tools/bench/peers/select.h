/* select.h - peers that select: the K largest keys of each row, in any order, with their indices or
   without. A program includes this, derives a class from loaded_selection, and defines
   peer_load_selection. */

#ifndef CLSORT_TOOLS_PEER_SELECT_H
#define CLSORT_TOOLS_PEER_SELECT_H

#include "peer.h"

/* Adds what is selected from a row to its sums, whatever its order. */
static inline void add_selected(peer_sums &sums, uint64_t code, size_t row)
{
    const uint64_t hash = peer_mix(code ^ peer_mix(row + 1));
    sums.first += hash;
    sums.second += peer_mix(hash + 1);
}

class loaded_selection : public loaded {
    uint64_t code(uint32_t bits) const { return peer_code(bits, 4, c.shape.kind); }
    const uint32_t *row_of(size_t row) const { return (const uint32_t *)c.keys + row * c.shape.n; }

    /* Are the indices of a row different ones, of the keys beside them? */
    bool has_indices(const std::vector<uint32_t> &keys, std::vector<uint32_t> indices,
                     size_t row) const
    {
        for (size_t i = 0; i < keys.size(); i++)
            if (indices[i] >= c.shape.n || row_of(row)[indices[i]] != keys[i]) return false;
        std::sort(indices.begin(), indices.end());
        return std::adjacent_find(indices.begin(), indices.end()) == indices.end();
    }

protected:
    const cell c;
    size_t results;                        /* of all rows */
    std::vector<uint32_t> keys, indices;   /* what the last run selected, row after row */

    explicit loaded_selection(const cell &input)
        : c(input), results(input.rows * input.k), keys(results),
          indices(input.shape.value_bytes ? results : 0)
    {
        if (c.shape.key_bytes != 4 || c.shape.value_bytes == 8 || c.k > c.shape.n)
            throw unavailable("selects up to N keys of 4 bytes, with indices of 4 bytes");
    }

    /* Copies the results of the last run. */
    virtual void fetch() = 0;

public:
    peer_sums input_sums()
    {
        peer_sums sums = { 0, 0, 0 };
        std::vector<uint64_t> codes(c.shape.n);
        for (size_t row = 0; row < c.rows; row++) {
            for (size_t i = 0; i < c.shape.n; i++) codes[i] = ~code(row_of(row)[i]);
            std::nth_element(codes.begin(), codes.begin() + (c.k - 1), codes.end());
            for (size_t i = 0; i < c.k; i++) add_selected(sums, ~codes[i], row);
        }
        return sums;
    }

    peer_sums result_sums()
    {
        peer_sums sums = { 0, 0, 0 };
        fetch();
        for (size_t row = 0; row < c.rows; row++) {
            const size_t first = row * c.k, end = first + c.k;
            for (size_t i = first; i < end; i++) add_selected(sums, code(keys[i]), row);
            if (!indices.empty())
                sums.faults += !has_indices({ keys.begin() + first, keys.begin() + end },
                                            { indices.begin() + first, indices.begin() + end },
                                            row);
        }
        return sums;
    }
};

#endif
