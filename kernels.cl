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

   The passes of a sort of 2^L elements in tiles of 2^T. A window kernel does up to 4 steps per pass over global memory, B16
   any 1 to 4 of them, a tile kernel all the steps whose bits lie inside a tile:

     stages 0 .. T-1     tile
     stage  T            B16(T)                  tail
     stage  T+1          B16(T+1, T)             tail
     stage  T+4          B16(T+4 .. T+1) B16(T)  tail      ...

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
/* The family to build: 0 all, 1 bitonic, 5 utility, 6 the published bitonic kernels that the default
   plan does not need (the numbers of clsort.h). */
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
/* Records must stay in registers: a call would put them into memory. */
#define CLSORT_INLINE static inline __attribute__((always_inline))
/* Rare and long: a call, or compiling takes several times as long. */
#define CLSORT_CALLED static __attribute__((noinline))
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

CLSORT_INLINE codes_t toggle_magnitude(codes_t k, code_t mask)
{
    codes_t sign = (codes_t)(k >> (code_t)(8 * CLSORT_KEY_BYTES - 1));
    return (codes_t)(k ^ ((codes_t)(-sign) & mask));
}

CLSORT_INLINE codes_t encode(codes_t k, codec_t c)
{
    return (codes_t)((codes_t)(toggle_magnitude(k, c.mask) ^ c.flip) - c.rotate);
}

CLSORT_INLINE codes_t decode(codes_t code, codec_t c)
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
#define CLSORT_UNIT_NAME ulong
#elif CLSORT_VALUE_BYTES % 4 == 0
typedef uint unit_t;
#define CLSORT_UNIT 4
#define CLSORT_UNIT_NAME uint
#elif CLSORT_VALUE_BYTES % 2 == 0
typedef ushort unit_t;
#define CLSORT_UNIT 2
#define CLSORT_UNIT_NAME ushort
#else
typedef uchar unit_t;
#define CLSORT_UNIT 1
#define CLSORT_UNIT_NAME uchar
#endif

CLSORT_INLINE global code_t *key_place(array_t a, size_t i)
{
    return (global code_t *)(a.keys + i * (CLSORT_RECORDS ? CLSORT_VALUE_BYTES : CLSORT_KEY_BYTES));
}

CLSORT_INLINE void load_words(array_t a, size_t i, uint *word)
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

CLSORT_INLINE void store_words(array_t a, size_t i, const uint *word)
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
CLSORT_INLINE row_t top_row(void)
{
    row_t r;
    r.key = (codes_t)(code_t)~(code_t)0;
    for (uint w = 0; w < CLSORT_WORDS; w++)
        r.word[w] = (words_t)0xFFFFFFFFu;
    return r;
}

//---- record: rows
#if CLSORT_LANES == 1
/* Loads element i. */
CLSORT_INLINE row_t load_whole_row(array_t a, codec_t c, uint i)
{
    row_t r;
    r.key = encode(*key_place(a, i), c);
    load_words(a, i, r.word);
    return r;
}

/* Loads element i of n, or the top record beyond the end. */
CLSORT_INLINE row_t load_row(array_t a, codec_t c, uint i, uint n)
{
    return i < n ? load_whole_row(a, c, i) : top_row();
}

/* Stores element i. */
CLSORT_INLINE void store_whole_row(array_t a, codec_t c, uint i, row_t r)
{
    if (!CLSORT_RECORDS)
        *key_place(a, i) = decode(r.key, c);
    store_words(a, i, r.word);
}

/* Stores element i of n; nothing beyond the end. */
CLSORT_INLINE void store_row(array_t a, codec_t c, uint i, uint n, row_t r)
{
    if (i < n)
        store_whole_row(a, c, i, r);
}
#else

//---- record: rows of 16
/* Words of a row as they lie in private memory: word w of lane l at [w * CLSORT_LANES + l]. */
CLSORT_CALLED void load_lanes(array_t a, uint i, uint lanes, row_t *r)
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

CLSORT_CALLED void store_lanes(array_t a, uint i, uint lanes, const row_t *r)
{
    code_t key[CLSORT_LANES];
    vstore16(r->key, 0, key);
    if (!CLSORT_RECORDS)
        for (uint l = 0; l < lanes; l++)
            *key_place(a, (size_t)i + l) = key[l];
    uint word[CLSORT_WORDS_OR_1 * CLSORT_LANES];
    for (uint w = 0; w < CLSORT_WORDS; w++)
        vstore16(r->word[w], w, word);
    for (uint l = 0; l < lanes; l++) {
        uint one[CLSORT_WORDS_OR_1];
        for (uint w = 0; w < CLSORT_WORDS; w++)
            one[w] = word[w * CLSORT_LANES + l];
        store_words(a, (size_t)i + l, one);
    }
}

/* Rows of separate keys and values of one unit, which whole-vector loads and stores move. */
#define CLSORT_ROWS_DIRECT (!CLSORT_RECORDS && CLSORT_VALUE_BYTES <= 8 && (CLSORT_VALUE_BYTES & (CLSORT_VALUE_BYTES - 1)) == 0)

/* Loads the elements i ... i + 15. */
CLSORT_INLINE row_t load_whole_row(array_t a, codec_t c, uint i)
{
    row_t r;
#if CLSORT_ROWS_DIRECT
    r.key = vload16(0, key_place(a, i));
#if CLSORT_WORDS == 1
    r.word[0] = convert_uint16(vload16(0, (global const unit_t *)a.values + i));
#elif CLSORT_WORDS == 2
    ulong16 pair = vload16(0, (global const ulong *)a.values + i);
    r.word[0] = convert_uint16(pair);
    r.word[1] = convert_uint16(pair >> 32);
#endif
#else
    r = top_row();
    load_lanes(a, i, CLSORT_LANES, &r);
#endif
    r.key = encode(r.key, c);
    return r;
}

/* Stores the elements i ... i + 15. */
CLSORT_INLINE void store_whole_row(array_t a, codec_t c, uint i, row_t r)
{
    r.key = decode(r.key, c);
#if CLSORT_ROWS_DIRECT
    vstore16(r.key, 0, key_place(a, i));
#if CLSORT_WORDS == 1
    vstore16(CLSORT_JOIN(convert_, CLSORT_JOIN(CLSORT_UNIT_NAME, 16))(r.word[0]), 0, (global unit_t *)a.values + i);
#elif CLSORT_WORDS == 2
    vstore16(convert_ulong16(r.word[0]) | convert_ulong16(r.word[1]) << 32, 0, (global ulong *)a.values + i);
#endif
#else
    store_lanes(a, i, CLSORT_LANES, &r);
#endif
}

/* Loads the elements i ... i + 15 of n, the top record for those beyond the end. */
CLSORT_INLINE row_t load_row(array_t a, codec_t c, uint i, uint n)
{
    row_t r = top_row();
    r.key = decode(r.key, c);
    load_lanes(a, i, i < n ? min(n - i, (uint)CLSORT_LANES) : 0, &r);
    r.key = encode(r.key, c);
    return r;
}

/* Stores those of the elements i ... i + 15 that lie below n. */
CLSORT_INLINE void store_row(array_t a, codec_t c, uint i, uint n, row_t r)
{
    r.key = decode(r.key, c);
    store_lanes(a, i, i < n ? min(n - i, (uint)CLSORT_LANES) : 0, &r);
}
#endif

//---- bitonic: order
#if CLSORT_FAMILY != 5
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
CLSORT_INLINE void order_rows(row_t *a, row_t *b)
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
CLSORT_INLINE row_t order_lanes(row_t own, row_t other, codes_t upper)
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
CLSORT_INLINE void lane_steps(row_t *v, uint rows, uint stage)
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
/* The step of one register bit for 2^bits rows. bits and bit are constants at each call, so that the loop unrolls and v stays
   in registers. */
CLSORT_INLINE void window_step(row_t *v, const uint bits, const uint bit, uint mirror)
{
    if (mirror) {
        #pragma unroll
        for (uint m = 0; m < 1u << bits; m++)
            if (!(m >> bit & 1)) {
                CLSORT_REVERSE(v[m ^ ((2u << bit) - 1)]);
                order_rows(&v[m], &v[m ^ ((2u << bit) - 1)]);
                CLSORT_REVERSE(v[m ^ ((2u << bit) - 1)]);
            }
    } else {
        #pragma unroll
        for (uint m = 0; m < 1u << bits; m++)
            if (!(m >> bit & 1))
                order_rows(&v[m], &v[m | 1u << bit]);
    }
}

/* The steps of register bits hi, hi-1 ... lo; the first one is a mirror step if `mirror` is set. */
CLSORT_INLINE void window_steps(row_t *v, const uint bits, uint hi, uint lo, uint mirror)
{
    if (bits > 4 && hi >= 4 && lo <= 4) window_step(v, bits, 4, mirror && hi == 4);
    if (bits > 3 && hi >= 3 && lo <= 3) window_step(v, bits, 3, mirror && hi == 3);
    if (bits > 2 && hi >= 2 && lo <= 2) window_step(v, bits, 2, mirror && hi == 2);
    if (bits > 1 && hi >= 1 && lo <= 1) window_step(v, bits, 1, mirror && hi == 1);
    if (lo == 0) window_step(v, bits, 0, mirror && hi == 0);
}

//---- bitonic: window rows
/* The rows that a work-item holds of a window of 2^bits rows whose lowest bit is `at`: register m has row
   (m & flip ? flipped : first) + (m << at). In a mirror step the partner's lower bits are complemented too; flip is its register bit. */
typedef struct { uint first, flipped, at, flip; } window_t;

CLSORT_INLINE window_t make_window(uint t, uint bits, uint at, uint flip)
{
    const uint below = (1u << at) - 1, first = (t >> at << (at + bits)) | (t & below);
    const window_t w = { first, first ^ below, at, flip };
    return w;
}

CLSORT_INLINE uint window_row(window_t w, uint m)
{
    return (m & w.flip ? w.flipped : w.first) + (m << w.at);
}

/* Does every row of a window lie below n elements? Rows ascend with m in both halves of a flipped window. */
CLSORT_INLINE uint window_whole(window_t w, uint bits, uint base, uint n)
{
    const uint last = max(w.first, w.flipped) + (((1u << bits) - 1) << w.at);
    return base + (last << CLSORT_LANES_LOG2) + (CLSORT_LANES - 1) < n;
}

//---- bitonic: window loads and stores
/* A window's rows to and from global memory; `base` is the tile's first element. Nearly all windows are whole: their accesses
   are unrolled without bounds. The others go through arrays of their own in rolled loops: unrolled, they would double the time to
   compile; with v itself, they would put v into memory everywhere. One array per member: Mesa 22.3 misreads arrays of structs. */
CLSORT_INLINE void load_window(row_t *v, window_t w, const uint bits, array_t a, codec_t c, uint base, uint n)
{
    if (window_whole(w, bits, base, n)) {
        #pragma unroll
        for (uint m = 0; m < 1u << bits; m++)
            v[m] = load_whole_row(a, c, base + (window_row(w, m) << CLSORT_LANES_LOG2));
    } else {
        codes_t keys[32];
        words_t words[32 * CLSORT_WORDS_OR_1];
        #pragma unroll 1
        for (uint m = 0; m < 1u << bits; m++) {
            const row_t r = load_row(a, c, base + (window_row(w, m) << CLSORT_LANES_LOG2), n);
            keys[m] = r.key;
            for (uint k = 0; k < CLSORT_WORDS; k++)
                words[m * CLSORT_WORDS + k] = r.word[k];
        }
        #pragma unroll
        for (uint m = 0; m < 1u << bits; m++) {
            v[m].key = keys[m];
            for (uint k = 0; k < CLSORT_WORDS; k++)
                v[m].word[k] = words[m * CLSORT_WORDS + k];
        }
    }
}

CLSORT_INLINE void store_window(const row_t *v, window_t w, const uint bits, array_t a, codec_t c, uint base, uint n)
{
    if (window_whole(w, bits, base, n)) {
        #pragma unroll
        for (uint m = 0; m < 1u << bits; m++)
            store_whole_row(a, c, base + (window_row(w, m) << CLSORT_LANES_LOG2), v[m]);
    } else {
        codes_t keys[32];
        words_t words[32 * CLSORT_WORDS_OR_1];
        #pragma unroll
        for (uint m = 0; m < 1u << bits; m++) {
            keys[m] = v[m].key;
            for (uint k = 0; k < CLSORT_WORDS; k++)
                words[m * CLSORT_WORDS + k] = v[m].word[k];
        }
        #pragma unroll 1
        for (uint m = 0; m < 1u << bits; m++) {
            row_t r;
            r.key = keys[m];
            for (uint k = 0; k < CLSORT_WORDS; k++)
                r.word[k] = words[m * CLSORT_WORDS + k];
            store_row(a, c, base + (window_row(w, m) << CLSORT_LANES_LOG2), n, r);
        }
    }
}

/* The steps of register bits hi ... lo of one stage over global memory, in place: one window of 2^bits rows per work-item, one read and
   one write of each element. `at` is the row bit of register bit 0. */
CLSORT_INLINE void window_pass(array_t a, codec_t c, uint n, uint windows, uint at, uint hi, uint lo, uint mirror, const uint bits)
{
    const uint t = (uint)get_global_id(0);
    const window_t w = make_window(t, bits, at, mirror ? 1u << hi : 0);
    row_t v[16];
    if (t >= windows)
        return;
    load_window(v, w, bits, a, c, 0, n);
    window_steps(v, bits, hi, lo, mirror);
    store_window(v, w, bits, a, c, 0, n);
}

#define CLSORT_WINDOW_KERNEL(name, bits) \
    CLSORT_KERNEL void name(CLSORT_ARRAY_ARGS(data), CLSORT_CODEC_ARGS, uint n, uint windows, uint at, uint hi, uint lo, uint mirror) \
    { \
        const array_t data = CLSORT_ARRAY(data); \
        const codec_t codec = CLSORT_CODEC; \
        window_pass(data, codec, n, windows, at, hi, lo, mirror, bits); \
    }
#endif

//---- bitonic: tile
#if CLSORT_FAMILY == 0 || CLSORT_FAMILY == 1
CLSORT_WINDOW_KERNEL(clsort_bitonic_b16, 4)

#if CLSORT_SHARE_LOG2 > 0
/* Where row i lies in local memory: one word of padding after each 32 (keys of 8 bytes: one key after each 16), so that the strides of
   windows meet the 32 banks evenly. Slots of disjoint bits add up, so a window's slots are sums: one addition each. */
#define CLSORT_KEY_PAD_LOG2 (CLSORT_KEY_BYTES == 8 ? 4 : 5)
#define CLSORT_WORD_PAD_LOG2 5
#define CLSORT_WORD_SLOTS (CLSORT_TILE_ROWS + (CLSORT_TILE_ROWS >> CLSORT_WORD_PAD_LOG2))

CLSORT_INLINE uint pad_slot(uint i, const uint pad_log2)
{
    return i + (i >> pad_log2);
}

/* Slots of a window: that of register 0, and what each register bit adds. */
typedef struct { uint first, bit0, bit1, bit2, bit3, bit4; } slots_t;

CLSORT_INLINE uint slot_stride(window_t w, uint bit, const uint pad_log2)
{
    return pad_slot(1u << (w.at + bit), pad_log2)
         + (w.flip >> bit & 1 ? pad_slot(w.flipped, pad_log2) - pad_slot(w.first, pad_log2) : 0);
}

CLSORT_INLINE slots_t window_slots(window_t w, const uint pad_log2)
{
    const slots_t s = { pad_slot(w.first, pad_log2), slot_stride(w, 0, pad_log2), slot_stride(w, 1, pad_log2),
                        slot_stride(w, 2, pad_log2), slot_stride(w, 3, pad_log2), slot_stride(w, 4, pad_log2) };
    return s;
}

CLSORT_INLINE uint window_slot(slots_t s, const uint m)
{
    return s.first + (m & 16 ? s.bit4 : 0) + (m & 8 ? s.bit3 : 0) + (m & 4 ? s.bit2 : 0) + (m & 2 ? s.bit1 : 0) + (m & 1 ? s.bit0 : 0);
}

/* A work-item's rows to local memory and from there. Called by move_window, which has the barriers. */
CLSORT_INLINE void put_rows(const row_t *v, local code_t *keys, local uint *words, window_t w)
{
    const slots_t key_slots = window_slots(w, CLSORT_KEY_PAD_LOG2), word_slots = window_slots(w, CLSORT_WORD_PAD_LOG2);
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        keys[window_slot(key_slots, m)] = v[m].key;
        #pragma unroll
        for (uint k = 0; k < CLSORT_WORDS; k++)
            words[k * CLSORT_WORD_SLOTS + window_slot(word_slots, m)] = v[m].word[k];
    }
}

CLSORT_INLINE void get_rows(row_t *v, local const code_t *keys, local const uint *words, window_t w)
{
    const slots_t key_slots = window_slots(w, CLSORT_KEY_PAD_LOG2), word_slots = window_slots(w, CLSORT_WORD_PAD_LOG2);
    #pragma unroll
    for (uint m = 0; m < CLSORT_ITEMS; m++) {
        v[m].key = keys[window_slot(key_slots, m)];
        #pragma unroll
        for (uint k = 0; k < CLSORT_WORDS; k++)
            v[m].word[k] = words[k * CLSORT_WORD_SLOTS + window_slot(word_slots, m)];
    }
}

/* Moves the work-group's rows from one window to another. Called by tile kernels, by all work-items of a group.
   Needs no barrier before: it leaves none of its reads pending. After it every work-item holds its rows of `to`. */
CLSORT_INLINE void move_window(row_t *v, local code_t *keys, local uint *words, window_t from, window_t to)
{
    put_rows(v, keys, words, from);
    barrier(CLK_LOCAL_MEM_FENCE);
    get_rows(v, keys, words, to);
    barrier(CLK_LOCAL_MEM_FENCE);
}

#else
#define move_window(v, keys, words, from, to)
#endif

//---- bitonic: tile stages
/* The work-item's number among those that share a tile, and the tile's first element. */
typedef struct { uint t, base; } seat_t;

CLSORT_INLINE seat_t take_seat(void)
{
    const uint t = CLSORT_SHARE_LOG2 ? (uint)get_local_id(0) : 0;
    const uint tile = (uint)(CLSORT_SHARE_LOG2 ? get_group_id(0) : get_global_id(0));
    const seat_t s = { t, tile << (CLSORT_TILE_ROWS_LOG2 + CLSORT_LANES_LOG2) };
    return s;
}

/* Is there no tile for this work-item? With a tile for each, the last work-group may be a partial one. */
CLSORT_INLINE uint no_tile(uint n)
{
    return CLSORT_SHARE_LOG2 == 0 && (n == 0 || get_global_id(0) > (n - 1) >> (CLSORT_TILE_ROWS_LOG2 + CLSORT_LANES_LOG2));
}

/* The uppermost window of a tile: rows are loaded and stored in it, for its accesses to global memory lie side by side. */
#define CLSORT_HOME_AT (CLSORT_TILE_ROWS_LOG2 - CLSORT_ITEMS_LOG2)

/* The window whose lowest bit is `at`, or the uppermost one. `mirror`: the first step in it is the mirror step of row bit hi. */
CLSORT_INLINE window_t tile_window(uint t, uint at, uint hi, uint mirror)
{
    at = min(at, (uint)CLSORT_HOME_AT);
    return make_window(t, CLSORT_ITEMS_LOG2, at, mirror && at ? 1u << (hi - at) : 0);
}

/* Row stage `stage` inside a tile: the mirror step of that bit, then the bits below, window by window. Moves before every window, needed
   or not: PoCL 3.1 was seen to miscompile a barrier under a run-time condition. Returns the window that rows are left in. */
CLSORT_INLINE window_t tile_stage(row_t *v, local code_t *keys, local uint *words, uint t, window_t now, uint stage)
{
    uint hi = stage;
    for (uint windows = stage / CLSORT_ITEMS_LOG2 + 1; windows > 0; windows--) {
        const uint low = (windows - 1) * CLSORT_ITEMS_LOG2, mirror = hi == stage;
        const window_t next = tile_window(t, low, hi, mirror);
        move_window(v, keys, words, now, next);
        window_steps(v, CLSORT_ITEMS_LOG2, hi - next.at, low - next.at, mirror);
        now = next;
        hi = low - 1;
    }
    return now;
}

//---- bitonic: tile kernels
/* The first stages, 0 ... last, of every tile of n elements, from source to target, which may be the same. One read and one write
   of each element. tile_keys and tile_words are local memory; they are arguments because PoCL 3.1 shares local arrays that a
   kernel declares and hands to a function between work-groups (seen as records of other tiles). */
CLSORT_KERNEL void clsort_bitonic_tile(CLSORT_ARRAY_ARGS(source), CLSORT_ARRAY_ARGS(target), CLSORT_CODEC_ARGS,
                                       uint n, uint last, local code_t *tile_keys, local uint *tile_words)
{
    const array_t source = CLSORT_ARRAY(source), target = CLSORT_ARRAY(target);
    const codec_t codec = CLSORT_CODEC;
    const seat_t seat = take_seat();
    const window_t home = tile_window(seat.t, CLSORT_HOME_AT, 0, 0);
    window_t now = home;
    row_t v[CLSORT_ITEMS];
    if (no_tile(n))
        return;
    load_window(v, home, CLSORT_ITEMS_LOG2, source, codec, seat.base, n);
    for (uint stage = 0; stage < CLSORT_LANES_LOG2; stage++)
        lane_steps(v, CLSORT_ITEMS, stage);
    for (uint stage = CLSORT_LANES_LOG2; stage <= last; stage++) {
        now = tile_stage(v, tile_keys, tile_words, seat.t, now, stage - CLSORT_LANES_LOG2);
        lane_steps(v, CLSORT_ITEMS, stage);
    }
    move_window(v, tile_keys, tile_words, now, home);
    store_window(v, home, CLSORT_ITEMS_LOG2, target, codec, seat.base, n);
}

/* The tail of a later stage, in place: all steps whose bits lie inside a tile, from the uppermost window down, then home again.
   One read and one write of each element. */
CLSORT_KERNEL void clsort_bitonic_tail(CLSORT_ARRAY_ARGS(data), CLSORT_CODEC_ARGS, uint n, local code_t *tile_keys, local uint *tile_words)
{
    const array_t data = CLSORT_ARRAY(data);
    const codec_t codec = CLSORT_CODEC;
    const seat_t seat = take_seat();
    const window_t home = tile_window(seat.t, CLSORT_HOME_AT, 0, 0);
    window_t now = home;
    row_t v[CLSORT_ITEMS];
    if (no_tile(n))
        return;
    load_window(v, home, CLSORT_ITEMS_LOG2, data, codec, seat.base, n);
    for (uint left = CLSORT_TILE_ROWS_LOG2; left > 0;) {
        window_steps(v, CLSORT_ITEMS_LOG2, left - 1 - now.at, 0, 0);
        left = now.at;
        const window_t next = tile_window(seat.t, left ? left - min(left, (uint)CLSORT_ITEMS_LOG2) : CLSORT_HOME_AT, 0, 0);
        move_window(v, tile_keys, tile_words, now, next);
        now = next;
    }
    lane_steps(v, CLSORT_ITEMS, 32);
    store_window(v, home, CLSORT_ITEMS_LOG2, data, codec, seat.base, n);
}

#endif

//---- bitonic: published
#if CLSORT_FAMILY == 0 || CLSORT_FAMILY == 6
CLSORT_WINDOW_KERNEL(clsort_bitonic_b2, 1)
CLSORT_WINDOW_KERNEL(clsort_bitonic_b4, 2)
CLSORT_WINDOW_KERNEL(clsort_bitonic_b8, 3)

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

/* The stages first ... last as far as they lie inside a tile, like clsort_bitonic_tile (0 ... last) and clsort_bitonic_tail (first and
   last a later stage), one work-group per tile, with the states between steps in global memory. */
CLSORT_KERNEL void clsort_bitonic_global_tile(CLSORT_ARRAY_ARGS(data), CLSORT_CODEC_ARGS, uint n, uint first, uint last)
{
    const array_t data = CLSORT_ARRAY(data);
    const codec_t codec = CLSORT_CODEC;
    const uint tile_log2 = CLSORT_GROUP_LOG2 + CLSORT_ITEMS_LOG2, base = (uint)get_group_id(0) << tile_log2;
    for (uint stage = first; stage <= last; stage++)
        for (int bit = (int)min(stage, tile_log2 - 1); bit >= 0; bit--) {
            for (uint t = (uint)get_local_id(0); t < 1u << (tile_log2 - 1); t += CLSORT_GROUP) {
                const window_t w = make_window(t, 1, (uint)bit, (uint)bit == stage ? 1 : 0);
                const uint i = base + window_row(w, 0), j = base + window_row(w, 1);
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
CLSORT_INLINE ulong load_bits(global const uchar *place, uint bytes)
{
    return bytes == 1 ? *place
         : bytes == 2 ? *(global const ushort *)place
         : bytes == 4 ? *(global const uint *)place : *(global const ulong *)place;
}

CLSORT_INLINE void store_bits(global uchar *place, uint bytes, ulong bits)
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

//---- utility: checks
/* Where element i of the sorted order lies: at i, or at indices[i]. Indices beyond the end count as 0: the fingerprint tells them. */
CLSORT_INLINE size_t sorted_place(global const uchar *indices, ulong indices_at, uint by_index, uint i, uint n)
{
    const uint place = by_index ? *(global const uint *)(indices + indices_at + (ulong)i * 4) : i;
    return place < n ? place : 0;
}

/* Lowers *result to the number of the first key that comes before its predecessor; with `strict`, by index, also of the first of two
   equal keys whose indices do not ascend. */
CLSORT_KERNEL void clsort_is_sorted(global const uchar *keys, ulong keys_at, global const uchar *indices, ulong indices_at,
                                    global uchar *result, ulong result_at, CLSORT_CODEC_ARGS,
                                    uint n, uint bytes, ulong stride, ulong minus_zero, uint by_index, uint strict)
{
    const size_t i = get_global_id(0);
    const ulong width = ~0UL >> (64 - 8 * bytes), sign = width ^ width >> 1;
    ulong code[2], place[2];
    if (i + 1 >= n)
        return;
    for (uint k = 0; k < 2; k++) {
        place[k] = sorted_place(indices, indices_at, by_index, (uint)i + k, n);
        ulong bits = load_bits(keys + keys_at + place[k] * stride, bytes);
        bits = bits == minus_zero ? 0 : bits;
        code[k] = ((bits ^ (bits & sign ? mask : 0) ^ flip) - rotate) & width;
    }
    if (code[1] < code[0] || (strict && code[1] == code[0] && place[1] <= place[0]))
        atomic_min((volatile global uint *)(result + result_at), (uint)i + 1);
}

/* Mixes 64 bits thoroughly. Source: the finaliser of S. Vigna's splitmix64 (public domain constants). */
CLSORT_INLINE ulong mix(ulong x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9UL;
    x = (x ^ x >> 27) * 0x94D049BB133111EBUL;
    return x ^ x >> 31;
}

/* Adds to sums[0 .. 1] a hash of every element of `bytes`, to sums[2 .. 3] one of every element with its value of value_bytes: sums, so
   that the order does not matter. Each work-item takes every step-th element. */
CLSORT_KERNEL void clsort_fingerprint(global const uchar *elements, ulong elements_at, global const uchar *values, ulong values_at,
                                      global uchar *sums, ulong sums_at, uint n, ulong bytes, ulong value_bytes, uint step)
{
    uint alone[2] = { 0, 0 }, paired[2] = { 0, 0 };
    for (ulong i = get_global_id(0); i < n; i += step) {
        ulong hash = 0x9E3779B97F4A7C15UL;
        for (ulong b = 0; b < bytes; b++)
            hash = mix(hash + elements[elements_at + i * bytes + b]);
        alone[0] += (uint)hash;
        alone[1] += (uint)(hash >> 32);
        for (ulong b = 0; b < value_bytes; b++)
            hash = mix(hash + values[values_at + i * value_bytes + b]);
        paired[0] += (uint)hash;
        paired[1] += (uint)(hash >> 32);
    }
    volatile global uint *sum = (volatile global uint *)(sums + sums_at);
    for (uint k = 0; k < 2; k++) {
        atomic_add(&sum[k], alone[k]);
        atomic_add(&sum[2 + k], paired[k]);
    }
}

/* The same for indices: adds a hash of every index to sums[0 .. 1], and subtracts that of every number below n. */
CLSORT_KERNEL void clsort_fingerprint_indices(global const uchar *indices, ulong indices_at, global uchar *sums, ulong sums_at,
                                              uint n, uint step)
{
    uint difference[2] = { 0, 0 };
    for (ulong i = get_global_id(0); i < n; i += step) {
        const ulong is = mix(*(global const uint *)(indices + indices_at + i * 4) + 1UL), should = mix(i + 1);
        difference[0] += (uint)is - (uint)should;
        difference[1] += (uint)(is >> 32) - (uint)(should >> 32);
    }
    volatile global uint *sum = (volatile global uint *)(sums + sums_at);
    for (uint k = 0; k < 2; k++)
        atomic_add(&sum[k], difference[k]);
}
#endif
