/* batch.h - peers that sort arrays in host memory, or that copy them to a device for each run. A
   program defines peer_sort, for u32 and u64, and calls peer_main. If peer_sort is also for f32, it
   defines BATCH_F32 before this is included. */

#ifndef CLSORT_TOOLS_PEER_BATCH_H
#define CLSORT_TOOLS_PEER_BATCH_H

#include "peer.h"

/* Rows of n keys each, one after the other; values are there or not. */
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

/* Sorts b by the peer of that name and returns the milliseconds that it took. */
template <class Key> double peer_sort(const std::string &name, batch<Key> &b);

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

template <class Key> class loaded_batch : public loaded {
    const peer_shape shape;
    batch<Key> in, out;
    std::string name;

    /* A result of another length is wrong, whatever it holds. */
    peer_sums sums(const batch<Key> &b) const
    {
        const peer_sums wrong = { 1, 0, 0 };
        return b.keys.size() == in.keys.size() && b.values.size() == in.values.size()
                   ? peer_sum(shape, b.keys.data(), b.values.data(), 0, 1)
                   : wrong;
    }

public:
    explicit loaded_batch(const cell &c) : shape(c.shape)
    {
        const Key *keys = (const Key *)c.keys;
        in.n = c.shape.n;
        in.rows = c.rows;
        in.keys.assign(keys, keys + c.shape.count);
        in.values.resize(c.shape.value_bytes ? c.shape.count : 0);
        if (c.shape.value_bytes) peer_number(shape, in.values.data(), 0, 1);
    }
    void choose(const std::string &peer) { name = peer; }
    double run()
    {
        out = in;
        return peer_sort(name, out);
    }
    peer_sums input_sums() { return sums(in); }
    peer_sums result_sums() { return sums(out); }
};

static loaded *peer_load(const cell &c)
{
#ifdef BATCH_F32
    if (c.type == "f32" && c.shape.value_bytes < 8) return new loaded_batch<float>(c);
#endif
    if (c.shape.kind || c.shape.value_bytes == 8)
        throw unavailable("keys of other types than are measured here, or values of 8 bytes");
    if (c.shape.key_bytes == 4) return new loaded_batch<uint32_t>(c);
    return new loaded_batch<uint64_t>(c);
}

#endif
