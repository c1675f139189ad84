/* kernels.cl - all device code of clsort. Public domain or MIT, like clsort.h, which carries this file as a string.

   Every kernel sorts unsigned codes: a load encodes the key, a store decodes it, so type, order and the place of NaNs are
   run-time scalars and no floating-point extension is needed. A kernel's text is compiled per key width and payload size.

   BITONIC, the normalised network. Stage s merges sorted blocks of 2^s elements into blocks of 2^(s+1): its first step compares
   each element with its mirror in the block, then the steps of bit s-1, s-2 ... 0 compare i with i + 2^bit. The smaller
   record always goes to the smaller index, so an element beyond the end behaves like a largest one that never moves:
   any count works, in place, without padding.

     stage 2, blocks of 8      mirror        bit 1         bit 0
       0  o----------------o             o---o         o-o
       1  | o------------o |             | o-|-o       o-o
       2  | | o--------o | |             o-|-o |       o-o
       3  | | | o----o | | |               o---o       o-o
       4  | | | o----o | | |             o---o         o-o
       5  | | o--------o | |             | o-|-o       o-o
       6  | o------------o |             o-|-o |       o-o
       7  o----------------o               o---o       o-o

   The passes of a sort of 2^L elements in tiles of 2^T. A window kernel does up to 4 steps (B16) per pass over global
   memory, a tile kernel all the steps whose bits lie inside a tile:

     stages 0 .. T-1     tile
     stage  T            B2(T)                 tile
     stage  T+1          B4(T+1, T)            tile
     stage  T+4          B16(T+4 .. T+1) B2(T) tile      ...

   A row is CLSORT_LANES consecutive elements: one on devices that run work-items side by side, 16 on CPUs, where a work-item
   holds rows in vector registers. Inside a tile each work-item holds 2^CLSORT_ITEMS_LOG2 rows, those of a "window": all
   combinations of that many consecutive index bits. It does these bits' steps in registers, then the work-group moves to
   the next window through local memory.

   Sources: K. E. Batcher, Sorting networks and their applications, 1968; E. Bainville, OpenCL Sorting, 2011. */

//---- tuning
/* Bytes of a key: 1, 2, 4 or 8. */
#ifndef CLSORT_KEY_BYTES
#define CLSORT_KEY_BYTES 4
#endif
/* Bytes that travel with a key: 0 to 8 for values; up to 16 for whole records, which include the key. */
#ifndef CLSORT_VALUE_BYTES
#define CLSORT_VALUE_BYTES 0
#endif
/* 1: the values are whole records; `keys` points at the key inside the first one and is not written on its own. */
#ifndef CLSORT_RECORDS
#define CLSORT_RECORDS 0
#endif
/* 1: equal keys are ordered by their value, a cl_uint index. */
#ifndef CLSORT_TIES
#define CLSORT_TIES 0
#endif
/* log2 of the work-items in a work-group, of every kernel. */
#ifndef CLSORT_GROUP_LOG2
#define CLSORT_GROUP_LOG2 8
#endif
/* log2 of the work-items that share a tile: a whole work-group, or 0 where each has its own and there is no local memory. */
#ifndef CLSORT_SHARE_LOG2
#define CLSORT_SHARE_LOG2 CLSORT_GROUP_LOG2
#endif
/* log2 of the rows that a work-item holds in registers in a tile kernel. */
#ifndef CLSORT_ITEMS_LOG2
#define CLSORT_ITEMS_LOG2 4
#endif
/* The family to build: 0 all, 1 bitonic, 5 utility (the numbers of clsort.h). */
#ifndef CLSORT_FAMILY
#define CLSORT_FAMILY 0
#endif
/* Elements of a row: 1, or 16 with a tile per work-item. */
#ifndef CLSORT_LANES
#define CLSORT_LANES 1
#endif

#if CLSORT_KEY_BYTES != 1 && CLSORT_KEY_BYTES != 2 && CLSORT_KEY_BYTES != 4 && CLSORT_KEY_BYTES != 8
#error "CLSORT_KEY_BYTES must be 1, 2, 4 or 8"
#endif
#if CLSORT_VALUE_BYTES < 0 || CLSORT_VALUE_BYTES > 16
#error "CLSORT_VALUE_BYTES must be 0 to 16"
#endif
#if CLSORT_TIES && (CLSORT_VALUE_BYTES != 4 || CLSORT_RECORDS)
#error "CLSORT_TIES needs a cl_uint value"
#endif
#if CLSORT_GROUP_LOG2 < 0 || CLSORT_GROUP_LOG2 > 10
#error "CLSORT_GROUP_LOG2 must be 0 to 10"
#endif
#if CLSORT_SHARE_LOG2 != 0 && CLSORT_SHARE_LOG2 != CLSORT_GROUP_LOG2
#error "CLSORT_SHARE_LOG2 must be 0 or CLSORT_GROUP_LOG2"
#endif
#if CLSORT_ITEMS_LOG2 < 1 || CLSORT_ITEMS_LOG2 > 5
#error "CLSORT_ITEMS_LOG2 must be 1 to 5"
#endif
#if CLSORT_LANES != 1 && (CLSORT_LANES != 16 || CLSORT_SHARE_LOG2 != 0)
#error "CLSORT_LANES must be 1, or 16 with CLSORT_SHARE_LOG2 0"
#endif

#define CLSORT_GROUP (1 << CLSORT_GROUP_LOG2)
#define CLSORT_ITEMS (1 << CLSORT_ITEMS_LOG2)
#define CLSORT_TILE_ROWS_LOG2 (CLSORT_SHARE_LOG2 + CLSORT_ITEMS_LOG2)
#define CLSORT_TILE_ROWS (1 << CLSORT_TILE_ROWS_LOG2)
#define CLSORT_WORDS ((CLSORT_VALUE_BYTES + 3) / 4)
#define CLSORT_WORDS_OR_1 (CLSORT_WORDS + !CLSORT_WORDS)
#define CLSORT_KERNEL kernel __attribute__((reqd_work_group_size(CLSORT_GROUP, 1, 1)))

#define CLSORT_JOIN_(a, b) a##b
#define CLSORT_JOIN(a, b) CLSORT_JOIN_(a, b)

//---- codec
#if CLSORT_KEY_BYTES == 1
typedef uchar code_t;
#define CLSORT_CODE_NAME uchar
#elif CLSORT_KEY_BYTES == 2
typedef ushort code_t;
#define CLSORT_CODE_NAME ushort
#elif CLSORT_KEY_BYTES == 4
typedef uint code_t;
#define CLSORT_CODE_NAME uint
#else
typedef ulong code_t;
#define CLSORT_CODE_NAME ulong
#endif

/* A row of codes and a row of value words. `flag` turns the result of a comparison of codes into one that selects words. */
#if CLSORT_LANES == 1
#define CLSORT_LANES_LOG2 0
typedef code_t codes_t;
typedef uint words_t;
#define CLSORT_WORD_FLAG(flag) (flag)
#else
#define CLSORT_LANES_LOG2 4
typedef CLSORT_JOIN(CLSORT_CODE_NAME, 16) codes_t;
typedef uint16 words_t;
#define CLSORT_WORD_FLAG(flag) convert_int16(flag)
#endif

/* code = (k ^ (sign(k) ? mask : 0) ^ flip) - rotate, modulo the width. Unsigned: all 0. Signed: flip has the sign bit. Floats: flip
   has the sign bit, mask all others. Descending: flip complemented. NaNs last: rotate is the number of NaN codes at the bottom. */
typedef struct { code_t mask, flip, rotate; } codec_t;

#define CLSORT_CODEC_ARGS ulong mask, ulong flip, ulong rotate
#define CLSORT_CODEC { (code_t)mask, (code_t)flip, (code_t)rotate }

static inline codes_t toggle_magnitude(codes_t k, code_t mask)
{
    codes_t sign = (codes_t)(k >> (code_t)(8 * CLSORT_KEY_BYTES - 1));
    return (codes_t)(k ^ ((codes_t)(-sign) & mask));
}

static inline codes_t encode(codes_t k, codec_t c)
{
    return (codes_t)((codes_t)(toggle_magnitude(k, c.mask) ^ c.flip) - c.rotate);
}

static inline codes_t decode(codes_t code, codec_t c)
{
    return toggle_magnitude((codes_t)((codes_t)(code + c.rotate) ^ c.flip), c.mask);
}

//---- record
/* Keys and values in global memory, each at its byte offset. */
typedef struct { global uchar *keys, *values; } array_t;

#define CLSORT_ARRAY_ARGS(name) global uchar *name##_keys, ulong name##_keys_at, global uchar *name##_values, ulong name##_values_at
#define CLSORT_ARRAY(name) { name##_keys + name##_keys_at, name##_values + name##_values_at }

/* A row of records in registers. */
typedef struct {
    codes_t key;
    words_t word[CLSORT_WORDS_OR_1];
} row_t;

/* The widest unit that a value's alignment allows. */
#if CLSORT_VALUE_BYTES % 8 == 0
typedef ulong unit_t;
#define CLSORT_UNIT 8
#elif CLSORT_VALUE_BYTES % 4 == 0
typedef uint unit_t;
#define CLSORT_UNIT 4
#elif CLSORT_VALUE_BYTES % 2 == 0
typedef ushort unit_t;
#define CLSORT_UNIT 2
#else
typedef uchar unit_t;
#define CLSORT_UNIT 1
#endif

static inline global code_t *key_place(array_t a, size_t i)
{
    return (global code_t *)(a.keys + i * (CLSORT_RECORDS ? CLSORT_VALUE_BYTES : CLSORT_KEY_BYTES));
}

static inline void load_words(array_t a, size_t i, uint *word)
{
    global const unit_t *from = (global const unit_t *)(a.values + i * CLSORT_VALUE_BYTES);
    for (uint w = 0; w < CLSORT_WORDS; w++)
        word[w] = 0;
    #pragma unroll
    for (uint u = 0; u < CLSORT_VALUE_BYTES / CLSORT_UNIT; u++) {
        ulong bits = from[u];
        word[u * CLSORT_UNIT / 4] |= (uint)bits << (u * CLSORT_UNIT % 4 * 8);
        if (CLSORT_UNIT == 8)
            word[(2 * u + 1) % CLSORT_WORDS_OR_1] = (uint)(bits >> 32);
    }
}

static inline void store_words(array_t a, size_t i, const uint *word)
{
    global unit_t *to = (global unit_t *)(a.values + i * CLSORT_VALUE_BYTES);
    #pragma unroll
    for (uint u = 0; u < CLSORT_VALUE_BYTES / CLSORT_UNIT; u++) {
        ulong bits = word[u * CLSORT_UNIT / 4] >> (u * CLSORT_UNIT % 4 * 8);
        if (CLSORT_UNIT == 8)
            bits |= (ulong)word[(2 * u + 1) % CLSORT_WORDS_OR_1] << 32;
        to[u] = (unit_t)bits;
    }
}

/* The record that no other one precedes: it stands for elements beyond the end and is never stored. */
static inline row_t top_row(void)
{
    row_t r;
    r.key = (codes_t)(code_t)~(code_t)0;
    for (uint w = 0; w < CLSORT_WORDS; w++)
        r.word[w] = (words_t)0xFFFFFFFFu;
    return r;
}

//---- record: rows
#if CLSORT_LANES == 1
/* Loads element i of n, or the top record beyond the end. */
static inline row_t load_row(array_t a, codec_t c, uint i, uint n)
{
    row_t r = top_row();
    if (i < n) {
        r.key = encode(*key_place(a, i), c);
        load_words(a, i, r.word);
    }
    return r;
}

/* Stores element i of n; nothing beyond the end. */
static inline void store_row(array_t a, codec_t c, uint i, uint n, row_t r)
{
    if (i < n) {
        if (!CLSORT_RECORDS)
            *key_place(a, i) = decode(r.key, c);
        store_words(a, i, r.word);
    }
}
#else
/* Words of a row as they lie in private memory: word w of lane l at [w * CLSORT_LANES + l]. */
static inline void load_lanes(array_t a, uint i, uint lanes, row_t *r)
{
    code_t key[CLSORT_LANES];
    vstore16(r->key, 0, key);
    for (uint l = 0; l < lanes; l++)
        key[l] = *key_place(a, (size_t)i + l);
    r->key = vload16(0, key);
    uint word[CLSORT_WORDS_OR_1 * CLSORT_LANES];
    for (uint w = 0; w < CLSORT_WORDS; w++)
        vstore16(r->word[w], w, word);
    for (uint l = 0; l < lanes; l++) {
        uint one[CLSORT_WORDS_OR_1];
        load_words(a, (size_t)i + l, one);
        for (uint w = 0; w < CLSORT_WORDS; w++)
            word[w * CLSORT_LANES + l] = one[w];
    }
    for (uint w = 0; w < CLSORT_WORDS; w++)
        r->word[w] = vload16(w, word);
}

static inline void store_lanes(array_t a, uint i, uint lanes, row_t r)
{
    code_t key[CLSORT_LANES];
    vstore16(r.key, 0, key);
    if (!CLSORT_RECORDS)
        for (uint l = 0; l < lanes; l++)
            *key_place(a, (size_t)i + l) = key[l];
    uint word[CLSORT_WORDS_OR_1 * CLSORT_LANES];
    for (uint w = 0; w < CLSORT_WORDS; w++)
        vstore16(r.word[w], w, word);
    for (uint l = 0; l < lanes; l++) {
        uint one[CLSORT_WORDS_OR_1];
        for (uint w = 0; w < CLSORT_WORDS; w++)
            one[w] = word[w * CLSORT_LANES + l];
        store_words(a, (size_t)i + l, one);
    }
}

/* Rows that lie in memory as they do in registers: keys with no value or a 4-byte one. */
#define CLSORT_ROWS_DIRECT (!CLSORT_RECORDS && (CLSORT_VALUE_BYTES == 0 || CLSORT_VALUE_BYTES == 4))

/* Loads the elements i ... i + 15 of n, the top record for those beyond the end. */
static inline row_t load_row(array_t a, codec_t c, uint i, uint n)
{
    row_t r = top_row();
    uint lanes = i < n ? min(n - i, (uint)CLSORT_LANES) : 0;
    codes_t top = r.key;
    if (CLSORT_ROWS_DIRECT && lanes == CLSORT_LANES) {
        r.key = vload16(0, key_place(a, i));
        if (CLSORT_WORDS)
            r.word[0] = vload16(i / CLSORT_LANES, (global const uint *)a.values);
    } else {
        r.key = decode(top, c);
        load_lanes(a, i, lanes, &r);
    }
    r.key = encode(r.key, c);
    return r;
}

/* Stores those of the elements i ... i + 15 that lie below n. */
static inline void store_row(array_t a, codec_t c, uint i, uint n, row_t r)
{
    uint lanes = i < n ? min(n - i, (uint)CLSORT_LANES) : 0;
    r.key = decode(r.key, c);
    if (CLSORT_ROWS_DIRECT && lanes == CLSORT_LANES) {
        vstore16(r.key, 0, key_place(a, i));
        if (CLSORT_WORDS)
            vstore16(r.word[0], i / CLSORT_LANES, (global uint *)a.values);
    } else {
        store_lanes(a, i, lanes, r);
    }
}
#endif

//---- bitonic: order
#if CLSORT_FAMILY == 0 || CLSORT_FAMILY == 1
/* Does a come strictly before b? Lane by lane; the result selects codes. */
#if CLSORT_TIES
#define CLSORT_PRECEDES(a, b) CLSORT_TIE_BREAK((a).key, (b).key, (a).word[0], (b).word[0])
#if CLSORT_LANES == 1
#define CLSORT_TIE_BREAK(ka, kb, ia, ib) ((ka) < (kb) || ((ka) == (kb) && (ia) < (ib)))
#else
#define CLSORT_TIE_BREAK(ka, kb, ia, ib) (((ka) < (kb)) | (((ka) == (kb)) & CLSORT_CODE_FLAG((ia) < (ib))))
#if CLSORT_KEY_BYTES == 1
#define CLSORT_CODE_FLAG(flag) convert_char16(flag)
#elif CLSORT_KEY_BYTES == 2
#define CLSORT_CODE_FLAG(flag) convert_short16(flag)
#elif CLSORT_KEY_BYTES == 4
#define CLSORT_CODE_FLAG(flag) (flag)
#else
#define CLSORT_CODE_FLAG(flag) convert_long16(flag)
#endif
#endif
#else
#define CLSORT_PRECEDES(a, b) ((a).key < (b).key)
#endif

/* Puts the smaller record into *a and the larger one into *b; equal ones stay, so the top record of an element beyond the
   end, always the one of larger index, never moves. */
static inline void order_rows(row_t *a, row_t *b)
{
#if CLSORT_WORDS == 0
    codes_t low = min(a->key, b->key);
    b->key = max(a->key, b->key);
    a->key = low;
#else
    const row_t x = *a, y = *b;
    a->key = CLSORT_PRECEDES(y, x) ? y.key : x.key;
    b->key = CLSORT_PRECEDES(y, x) ? x.key : y.key;
    #pragma unroll
    for (uint w = 0; w < CLSORT_WORDS; w++) {
        a->word[w] = CLSORT_WORD_FLAG(CLSORT_PRECEDES(y, x)) ? y.word[w] : x.word[w];
        b->word[w] = CLSORT_WORD_FLAG(CLSORT_PRECEDES(y, x)) ? x.word[w] : y.word[w];
    }
#endif
}

#if CLSORT_LANES == 1
#define CLSORT_REVERSE(row)
#define lane_steps(v, rows, stage)
#else
#define CLSORT_SWIZZLE_ROW(to, from, s) \
    do { (to).key = (from).key.s; for (uint w = 0; w < CLSORT_WORDS; w++) (to).word[w] = (from).word[w].s; } while (0)
#define CLSORT_REVERSE(row) CLSORT_SWIZZLE_ROW(row, row, sfedcba9876543210)

/* One step inside a row: lane l against its partner in `other`; `upper` marks the lanes that keep the larger record. */
static inline row_t order_lanes(row_t own, row_t other, codes_t upper)
{
#if CLSORT_WORDS == 0
    own.key = upper != (codes_t)0 ? max(own.key, other.key) : min(own.key, other.key);
#else
    const row_t x = own;
    #define CLSORT_TAKES (upper != (codes_t)0 ? CLSORT_PRECEDES(x, other) : CLSORT_PRECEDES(other, x))
    own.key = CLSORT_TAKES ? other.key : x.key;
    for (uint w = 0; w < CLSORT_WORDS; w++)
        own.word[w] = CLSORT_WORD_FLAG(CLSORT_TAKES) ? other.word[w] : x.word[w];
    #undef CLSORT_TAKES
#endif
    return own;
}

/* The steps of a stage whose bits lie inside a row: bits 3 ... 0, or the mirror step of bit `stage` and what follows it. */
static inline void lane_steps(row_t *v, uint rows, uint stage)
{
    const codes_t lane = (codes_t)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    #define CLSORT_LANE_STEP(swizzle, bit) \
        { row_t other; CLSORT_SWIZZLE_ROW(other, r, swizzle); r = order_lanes(r, other, lane & (code_t)(1 << bit)); }
    for (uint m = 0; m < rows; m++) {
        row_t r = v[m];
        if (stage == 3) CLSORT_LANE_STEP(sfedcba9876543210, 3)
        if (stage > 3)  CLSORT_LANE_STEP(s89abcdef01234567, 3)
        if (stage == 2) CLSORT_LANE_STEP(s76543210fedcba98, 2)
        if (stage > 2)  CLSORT_LANE_STEP(s45670123cdef89ab, 2)
        if (stage == 1) CLSORT_LANE_STEP(s32107654ba98fedc, 1)
        if (stage > 1)  CLSORT_LANE_STEP(s23016745ab89efcd, 1)
        CLSORT_LANE_STEP(s1032547698badcfe, 0)
        v[m] = r;
    }
    #undef CLSORT_LANE_STEP
}
#endif

//---- bitonic: windows
/* Register-bit steps hi, hi-1 ... lo of a window of 2^bits rows; the first one is a mirror step if `mirror` is set.
   bits is a constant at each call, so that the loops unroll and v stays in registers. */
static inline void window_steps(row_t *v, const uint bits, uint hi, uint lo, uint mirror)
{
    #pragma unroll
    for (uint below = 1; below <= bits; below++) {
        const uint bit = bits - below;
        if (bit > hi || bit < lo)
            continue;
        #pragma unroll
        for (uint m = 0; m < 1u << bits; m++)
            if (!(m >> bit & 1)) {
                if (mirror && bit == hi) {
                    row_t *partner = &v[m ^ ((2u << bit) - 1)];
                    CLSORT_REVERSE(*partner);
                    order_rows(&v[m], partner);
                    CLSORT_REVERSE(*partner);
                } else {
                    order_rows(&v[m], &v[m | 1u << bit]);
                }
            }
    }
}

/* The row that work-item t holds in register m of a window of 2^bits rows whose lowest bit is `at`. In a mirror step the partner's
   lower bits are complemented too: `flip`, a register bit, says for which half of the registers. */
static inline uint window_row(uint t, uint m, uint bits, uint at, uint flip)
{
    uint below = (1u << at) - 1;
    return (t >> at << (at + bits)) | (m << at) | ((t ^ (m & flip ? below : 0)) & below);
}

/* Steps at + bits - 1 ... at of one stage over global memory, in place: one window per work-item, one read and one write
   of each element. at counts rows. */
static inline void window_pass(array_t a, codec_t c, uint n, uint windows, uint at, uint mirror, const uint bits)
{
    const uint t = (uint)get_global_id(0), flip = mirror ? 1u << (bits - 1) : 0;
    row_t v[16];
    if (t >= windows)
        return;
    #pragma unroll
    for (uint m = 0; m < 1u << bits; m++)
        v[m] = load_row(a, c, window_row(t, m, bits, at, flip) << CLSORT_LANES_LOG2, n);
    window_steps(v, bits, bits - 1, 0, mirror);
    #pragma unroll
    for (uint m = 0; m < 1u << bits; m++)
        store_row(a, c, window_row(t, m, bits, at, flip) << CLSORT_LANES_LOG2, n, v[m]);
}

#define CLSORT_WINDOW_KERNEL(name, bits) \
    CLSORT_KERNEL void name(CLSORT_ARRAY_ARGS(data), CLSORT_CODEC_ARGS, uint n, uint windows, uint at, uint mirror) \
    { \
        const array_t data = CLSORT_ARRAY(data); \
        const codec_t codec = CLSORT_CODEC; \
        window_pass(data, codec, n, windows, at, mirror, bits); \
    }
CLSORT_WINDOW_KERNEL(clsort_bitonic_b2, 1)
CLSORT_WINDOW_KERNEL(clsort_bitonic_b4, 2)
CLSORT_WINDOW_KERNEL(clsort_bitonic_b8, 3)
CLSORT_WINDOW_KERNEL(clsort_bitonic_b16, 4)

//---- bitonic: tile
/* Where row i lies in local memory: columns of a 32-bank line are permuted by the line's number, so that the strides of all windows
   of 16 and 32 rows meet every bank once. Local memory of CPUs has no banks. */
static inline uint word_slot(uint i)
{
    return i ^ ((i >> 5) & 15) ^ (((i >> 8 ^ i >> 9) & 1) << 4);
}

static inline uint key_slot(uint i)
{
    return CLSORT_KEY_BYTES == 8 ? i ^ ((i >> 4) & 15) : word_slot(i);
}

/* A window of a tile: its lowest bit and its flip, as in window_row. */
typedef struct { uint at, flip; } window_t;

static inline uint tile_row(uint t, uint m, window_t w)
{
    return window_row(t, m, CLSORT_ITEMS_LOG2, w.at, w.flip);
}

/* Moves the work-group's rows from one window to another. Called by tile kernels, by all work-items of a group.
   Needs no barrier before: it leaves none of its reads pending. After it every work-item holds its rows of `to`. */
static inline void move_window(row_t *v, local code_t *keys, local uint *words, uint t, window_t from, window_t to)
{
#if CLSORT_SHARE_LOG2 > 0
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        uint i = tile_row(t, m, from);
        keys[key_slot(i)] = v[m].key;
        for (uint w = 0; w < CLSORT_WORDS; w++)
            words[w * CLSORT_TILE_ROWS + word_slot(i)] = v[m].word[w];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        uint i = tile_row(t, m, to);
        v[m].key = keys[key_slot(i)];
        for (uint w = 0; w < CLSORT_WORDS; w++)
            v[m].word[w] = words[w * CLSORT_TILE_ROWS + word_slot(i)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

/* The window that holds the row bits `low` ... of a tile; at the tile's upper end it covers some lower bits too. */
static inline uint window_at(uint low)
{
    return min(low, (uint)(CLSORT_TILE_ROWS_LOG2 - CLSORT_ITEMS_LOG2));
}

/* All steps of a stage whose row bits lie inside the tile. Returns the window that the rows are left in.
   Called by tile kernels; barriers as move_window. */
static inline window_t tile_stage(row_t *v, local code_t *keys, local uint *words, uint t, window_t now, uint stage)
{
    const uint top = min(stage, (uint)CLSORT_TILE_ROWS_LOG2 - 1);
    uint low = top / CLSORT_ITEMS_LOG2 * CLSORT_ITEMS_LOG2, hi = top;
    for (;; low -= CLSORT_ITEMS_LOG2) {
        const uint mirror = hi == stage, at = window_at(low);
        const window_t next = { at, mirror && at ? 1u << (hi - at) : 0 };
        if (next.at != now.at || next.flip != now.flip)
            move_window(v, keys, words, t, now, next);
        window_steps(v, CLSORT_ITEMS_LOG2, hi - at, low - at, mirror);
        now = next;
        if (!low)
            return now;
        hi = low - 1;
    }
}

//---- bitonic: tile kernel
/* The stages first ... last, as far as their steps lie inside a tile, for every tile of n elements, from source to target, which may
   be the same: the first stages of a sort (0 ... the tile's own) or the tail of a later one. One read and one write of each element.
   tile_keys and tile_words hold a tile's keys and words; they are arguments because PoCL 3.1 shares local arrays that a kernel
   declares and hands to a function between work-groups (seen as records of other tiles). */
CLSORT_KERNEL void clsort_bitonic_tile(CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target), CLSORT_CODEC_ARGS,
                                       uint n, uint first, uint last, local code_t *tile_keys, local uint *tile_words)
{
    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);
    const codec_t codec = CLSORT_CODEC;
    const uint t = CLSORT_SHARE_LOG2 ? (uint)get_local_id(0) : 0;
    const uint tile_number = (uint)(CLSORT_SHARE_LOG2 ? get_group_id(0) : get_global_id(0));
    const uint base = tile_number << (CLSORT_TILE_ROWS_LOG2 + CLSORT_LANES_LOG2);
    const window_t home = { CLSORT_TILE_ROWS_LOG2 - CLSORT_ITEMS_LOG2, 0 };
    window_t now = home;
    row_t v[CLSORT_ITEMS];
    if (tile_number > (n - 1) >> (CLSORT_TILE_ROWS_LOG2 + CLSORT_LANES_LOG2) || n == 0)
        return;
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        v[m] = load_row(source, codec, base + (tile_row(t, m, home) << CLSORT_LANES_LOG2), n);
    for (uint stage = first; stage <= last; stage++) {
        if (stage >= CLSORT_LANES_LOG2)
            now = tile_stage(v, tile_keys, tile_words, t, now, stage - CLSORT_LANES_LOG2);
        lane_steps(v, CLSORT_ITEMS, stage);
    }
    if (now.at != home.at || now.flip)
        move_window(v, tile_keys, tile_words, t, now, home);
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++)
        store_row(target, codec, base + (tile_row(t, m, home) << CLSORT_LANES_LOG2), n, v[m]);
}

//---- bitonic: published
#if CLSORT_LANES == 1
/* Bainville's kernel A: one step, out of place, one work-item per element, which reads itself and its partner and writes the winner
   of its own place. Of two equal records each keeps its place, so neither is written twice. */
CLSORT_KERNEL void clsort_bitonic_a(CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target), CLSORT_CODEC_ARGS,
                                    uint n, uint bit, uint mirror)
{
    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);
    const codec_t codec = CLSORT_CODEC;
    const uint i = (uint)get_global_id(0), partner = i ^ (mirror ? (2u << bit) - 1 : 1u << bit);
    if (i >= n)
        return;
    row_t own = load_row(source, codec, i, n), other = load_row(source, codec, partner, n);
    if (i < partner)
        order_rows(&own, &other);
    else
        order_rows(&other, &own);
    store_row(target, codec, i, n, own);
}

/* The same stages as clsort_bitonic_tile, one work-group per tile, with the states between steps in global memory. */
CLSORT_KERNEL void clsort_bitonic_global_tile(CLSORT_ARRAY_ARGS(data), CLSORT_CODEC_ARGS, uint n, uint first, uint last)
{
    const array_t data = CLSORT_ARRAY(data);
    const codec_t codec = CLSORT_CODEC;
    const uint tile_log2 = CLSORT_GROUP_LOG2 + CLSORT_ITEMS_LOG2, base = (uint)get_group_id(0) << tile_log2;
    for (uint stage = first; stage <= last; stage++)
        for (int bit = (int)min(stage, tile_log2 - 1); bit >= 0; bit--) {
            for (uint t = (uint)get_local_id(0); t < 1u << (tile_log2 - 1); t += CLSORT_GROUP) {
                const uint flip = (uint)bit == stage ? 1 : 0;
                const uint i = base + window_row(t, 0, 1, (uint)bit, flip), j = base + window_row(t, 1, 1, (uint)bit, flip);
                row_t a = load_row(data, codec, i, n), b = load_row(data, codec, j, n);
                order_rows(&a, &b);
                store_row(data, codec, i, n, a);
                store_row(data, codec, j, n, b);
            }
            barrier(CLK_GLOBAL_MEM_FENCE);
        }
}
#endif
#endif

//---- utility
#if CLSORT_FAMILY == 0 || CLSORT_FAMILY == 5
/* A key of 1, 2, 4 or 8 bytes as 64 bits. */
static inline ulong load_bits(global const uchar *place, uint bytes)
{
    return bytes == 1 ? *place
         : bytes == 2 ? *(global const ushort *)place
         : bytes == 4 ? *(global const uint *)place : *(global const ulong *)place;
}

static inline void store_bits(global uchar *place, uint bytes, ulong bits)
{
    if (bytes == 1) *place = (uchar)bits;
    else if (bytes == 2) *(global ushort *)place = (ushort)bits;
    else if (bytes == 4) *(global uint *)place = (uint)bits;
    else *(global ulong *)place = bits;
}

/* Takes the keys out of records of `stride` bytes and numbers them: what a sort by index starts from. A key equal to minus_zero
   becomes 0. keys may be source itself where nothing changes: then only the numbers are written. */
CLSORT_KERNEL void clsort_extract(global const uchar *source, ulong source_at, global uchar *keys, ulong keys_at,
                                  global uchar *indices, ulong indices_at, uint n, uint bytes, ulong stride, ulong minus_zero, uint copies)
{
    const size_t i = get_global_id(0);
    if (i >= n)
        return;
    if (copies) {
        const ulong bits = load_bits(source + source_at + i * stride, bytes);
        store_bits(keys + keys_at + i * bytes, bytes, bits == minus_zero ? 0 : bits);
    }
    *(global uint *)(indices + indices_at + i * 4) = (uint)i;
}

/* target[i] = source[indices[i]] for n elements of units * bytes; one work-item per unit. */
CLSORT_KERNEL void clsort_gather(global const uchar *source, ulong source_at, global uchar *target, ulong target_at,
                                 global const uchar *indices, ulong indices_at, uint n, uint source_count, uint bytes, ulong units)
{
    const ulong at = get_global_id(0);
    const ulong i = units == 1 ? at : (at | units) >> 32 ? at / units : (uint)at / (uint)units;
    if (i >= n)
        return;
    const uint from = *(global const uint *)(indices + indices_at + i * 4);
    if (from < source_count)
        store_bits(target + target_at + at * bytes, bytes,
                   load_bits(source + source_at + (from * units + at - i * units) * bytes, bytes));
}

/* Lowers *result to the number of the first key that comes before its predecessor. */
CLSORT_KERNEL void clsort_is_sorted(global const uchar *keys, ulong keys_at, global uchar *result, ulong result_at,
                                    CLSORT_CODEC_ARGS, uint n, uint bytes, ulong stride, ulong minus_zero)
{
    const size_t i = get_global_id(0);
    const ulong width = ~0UL >> (64 - 8 * bytes), sign = width ^ width >> 1;
    ulong code[2];
    if (i + 1 >= n)
        return;
    for (uint k = 0; k < 2; k++) {
        ulong bits = load_bits(keys + keys_at + (i + k) * stride, bytes);
        bits = bits == minus_zero ? 0 : bits;
        code[k] = ((bits ^ (bits & sign ? mask : 0) ^ flip) - rotate) & width;
    }
    if (code[1] < code[0])
        atomic_min((volatile global uint *)(result + result_at), (uint)i + 1);
}
#endif
