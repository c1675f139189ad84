/* Every key type, order, payload and placement. */

#define CLSORT_IMPLEMENTATION
#include "cases.h"
#include "records.h"

/* Sizes around the switches: within a tile, at its end, several tiles. */
static size_t size_list(const bench *b, size_t *sizes)
{
    size_t tile = b->tile < 4096 ? b->tile : 4096, count = 0;
    sizes[count++] = 37;
    if (b->small) return count;
    sizes[count++] = tile + 1;
    sizes[count++] = 3 * tile - 5;
    return count;
}

/* Runs a case at every size of the list. */
static int run_sizes(bench *b, const sort_case *c)
{
    size_t sizes[8], count = size_list(b, sizes), i;
    for (i = 0; i < count; i++) {
        sort_case one = *c;
        one.d.count = sizes[i];
        if (!case_run(b, &one)) return 0;
    }
    return 1;
}

/* Both orders, and for floats all places of NaNs and both kinds of zero. */
static void run_orders(bench *b, const sort_case *c)
{
    cl_uint k, kinds = pattern_is_float(c->d.key_type) ? 12 : 2;
    for (k = 0; k < kinds; k++) {
        sort_case one = *c;
        one.d.order = k & 1;
        one.d.nan_order = k / 4;
        one.d.zero_order = k >> 1 & 1;
        run_sizes(b, &one);
    }
}

static const char *pattern_for(cl_uint type, size_t turn)
{
    static const char *const floats[] = { "nans-10", "around-zero", "infinities" };
    return pattern_is_float(type) ? floats[turn % 3] : turn & 1 ? "mod-16" : "uniform";
}

static void keys_of_every_type(bench *b)
{
    size_t t, turn;
    for (t = 0; t < CASE_TYPES; t++)
        for (turn = 0; turn < 3; turn++) {
            sort_case c = case_make(case_types[t].type, 0, pattern_for(case_types[t].type, turn));
            run_orders(b, &c);
        }
}

static void stable_pairs_of_every_type(bench *b)
{
    size_t t;
    for (t = 0; t < CASE_TYPES; t++) {
        sort_case c = case_make(case_types[t].type, 0, pattern_for(case_types[t].type, 1));
        if (b->few_programs && pattern_key_size(case_types[t].type) != 4) continue;
        c.d.value_size = 4;
        c.d.stable = 1;
        run_orders(b, &c);
    }
}

static void argsort_of_every_type(bench *b)
{
    size_t t;
    for (t = 0; t < CASE_TYPES; t++) {
        sort_case c = case_make(case_types[t].type, 0, pattern_for(case_types[t].type, t));
        if (b->few_programs && pattern_key_size(case_types[t].type) != 4) continue;
        if (!test_takes(b, 3)) continue;
        c.indices = 1;
        run_orders(b, &c);
        c.d.stable = 1;
        c.keys_out = 1;
        run_orders(b, &c);
    }
}

/* One type of each width. */
static const cl_uint widths[] = { CLSORT_U8, CLSORT_F16, CLSORT_F32, CLSORT_U64 };

/* All sizes beside 32-bit keys, some beside the other widths. */
static void values_of_every_size(bench *b)
{
    static const size_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 128 };
    size_t w, v;
    for (w = b->few_programs ? 2 : 0; w < (b->few_programs ? 3u : 4u); w++)
        for (v = 0; v < sizeof bytes / sizeof *bytes; v += b->few_programs || w != 2 ? 3 : 1) {
            sort_case c = case_make(widths[w], 0, "mod-256");
            if (!test_takes(b, 4)) continue;
            c.d.value_size = bytes[v];
            c.d.order = v & 1;
            if (!run_sizes(b, &c)) continue;
            c.values_out = 1;
            c.keys_out = v & 1;
            run_sizes(b, &c);
            c.d.stable = 1;
            c.shift = 1;
            run_sizes(b, &c);
        }
}

/* A record layout; the key may lie anywhere inside that its alignment allows. */
static void sort_records(bench *b, cl_uint type, size_t bytes, size_t key_offset)
{
    sort_case c = case_make(type, 0, "mod-256");
    c.d.record_size = bytes;
    c.d.key_offset = key_offset;
    if (!run_sizes(b, &c)) return;
    c.keys_out = 1;
    c.d.stable = 1;
    run_sizes(b, &c);
}

static void records_of_every_size(bench *b)
{
    size_t w, bytes;
    for (w = b->few_programs ? 2 : 0; w < (b->few_programs ? 3u : 4u); w++) {
        size_t key = pattern_key_size(widths[w]);
        for (bytes = key; bytes <= 40; bytes += key < 4 ? 6 + key : key) {
            if ((bytes > 16 && bytes % 3) || !test_takes(b, 4)) continue;
            sort_records(b, widths[w], bytes, 0);
            sort_records(b, widths[w], bytes, (bytes / key - 1) * key);
            if (bytes >= 3 * key) sort_records(b, widths[w], bytes, key);
        }
    }
}

/* Every combination of outputs that a call with values can have. */
static void run_outputs(bench *b, sort_case c)
{
    cl_uint k;
    for (k = 0; k < 16; k++) {
        c.indices = k & 1;
        c.keys_out = k >> 1 & 1;
        c.values_out = k >> 2 & 1;
        c.d.stable = k >> 3;
        if (c.indices && !c.values_out) continue;
        case_run(b, &c);
    }
}

static void every_combination_of_outputs(bench *b)
{
    static const char *const names[] = { "auto",
                                         "bitonic-a",
                                         "bitonic-b16",
                                         "bitonic-a-local",
                                         "bitonic-b16-global-tail",
                                         "bitonic-shared-512",
                                         "merge" };
    static const size_t bytes[] = { 4, 8, 16 };
    size_t i, v;
    for (i = 0; i < sizeof names / sizeof *names; i++)
        for (v = 0; v < 3; v++) {
            sort_case c = case_make(CLSORT_F32, b->small ? 50 : 2 * b->tile / 3, "mod-256");
            if ((b->few_programs && (i % 3 || v == 1)) || !test_takes(b, 5)) continue;
            c.algorithm = names[i];
            c.d.value_size = bytes[v];
            run_outputs(b, c);
            c.d.count = 3;
            run_outputs(b, c);
        }
}

static void records_on_every_algorithm(bench *b)
{
    cl_uint i, k;
    for (i = 0; clsort_algorithm_name(i) && strcmp(clsort_algorithm_name(i), "bitonic-local-only");
         i++)
        for (k = 0; k < 4; k++) {
            sort_case c = case_make(CLSORT_U32, b->small ? 50 : 3001, "mod-256");
            if ((b->few_programs && i % 4) || !test_takes(b, 14)) continue;
            c.algorithm = clsort_algorithm_name(i);
            c.d.record_size = 12;
            c.d.key_offset = 4;
            c.keys_out = k & 1;
            c.d.stable = k >> 1;
            case_run(b, &c);
        }
}

/* All 65,536 values of a 16-bit type, in a random order: each occurs once. */
static void sort_all_values(bench *b, cl_uint type, cl_uint order)
{
    sort_case c = case_make(type, b->small ? 700 : 65536,
                            (type & 0xFFu) == 16 ? "bit-reversed" : "uniform");
    c.d.order = order;
    run_orders(b, &c);
    case_run(b, &c);
    c.pattern = "min-max";
    case_run(b, &c);
}

static void every_value_of_small_types(bench *b)
{
    size_t t;
    for (t = 0; t < CASE_TYPES; t++) {
        if (pattern_key_size(case_types[t].type) > 2) continue;
        sort_all_values(b, case_types[t].type, CLSORT_ASCENDING);
        sort_all_values(b, case_types[t].type, CLSORT_DESCENDING);
    }
}

static void every_half(bench *b)
{
    size_t t;
    cl_uint k;
    for (t = 0; t < CASE_TYPES; t++)
        for (k = 0; k < 4 && pattern_is_float(case_types[t].type); k++) {
            sort_case c = case_make(case_types[t].type, b->small ? 700 : 65536, "all-halves");
            c.d.order = k & 1;
            c.d.nan_order = k >> 1;
            case_run(b, &c);
        }
}

static void every_placement(bench *b)
{
    static const cl_uint types[] = { CLSORT_U8, CLSORT_BF16, CLSORT_I32, CLSORT_F64 };
    size_t t, shift;
    int placement;
    cl_uint k;
    for (placement = CASE_APART; placement <= CASE_SUB; placement++)
        for (t = 0; t < 4; t++)
            for (shift = 0; shift < 3; shift++)
                for (k = 0; k < 4; k++) {
                    sort_case c = case_make(types[t], b->small ? 40 : 1500, "uniform");
                    c.placement = placement;
                    c.shift = shift;
                    c.d.value_size = k == 3 ? 12 : 4;
                    c.keys_out = c.values_out = k & 1;
                    c.indices = k == 3;
                    case_run(b, &c);
                }
}

static void scratch_of_the_caller(bench *b)
{
    static const int fill[] = { 0x00, 0xFF, 0xA5 };
    size_t f, i;
    cl_uint k;
    for (f = 0; f < 3; f++)
        for (i = 0; i < 4; i++)
            for (k = 0; k < 4; k++) {
                sort_case c = case_make(widths[i], b->small ? 41 : 2999, "mod-16");
                c.own_scratch = 1;
                c.scratch_fill = fill[f];
                c.d.value_size = k == 0 ? 4 : 20;
                c.algorithm = k & 1 ? "bitonic-a" : "auto";
                c.d.stable = k >> 1;
                c.placement = k == 3 ? CASE_PARENT : CASE_APART;
                case_run(b, &c);
            }
}

/* The whole key says whether it is a NaN or a zero: in a sort of all keys, of rows and of segments,
   and in their proofs. */
static void some_bits_of_floats(bench *b)
{
    static const cl_uint floats[] = { CLSORT_F16, CLSORT_BF16, CLSORT_F32, CLSORT_F64 };
    static const char *const patterns[] = { "nans-10", "around-zero", "all-halves", "infinities",
                                            "uniform" };
    static const uint32_t offsets[] = { 3, 3, 80, 600, 601, 2000 };
    uint64_t random = test_seed();
    size_t i;
    for (i = 0; i < (b->small ? 24 : 240); i++) {
        const cl_uint type = floats[i % 4], width = type & 0xFFu;
        sort_case c = case_make(type, 1 + draw(&random, 2400), patterns[draw(&random, 5)]);
        c.seed = pattern_random(&random);
        c.d.order = (cl_uint)draw(&random, 2);
        c.d.nan_order = (cl_uint)draw(&random, 3);
        c.d.zero_order = (cl_uint)draw(&random, 2);
        c.d.first_bit = (cl_uint)draw(&random, width);
        c.d.last_bit = c.d.first_bit + 1 + (cl_uint)draw(&random, width - c.d.first_bit);
        c.d.stable = 1;
        c.d.rows = i / 4 % 3 == 1 ? 1 + draw(&random, 4) : 0;
        if (i / 4 % 3 == 2) c.offsets = offsets, c.d.segment_count = 5;
        c.indices = i / 12 % 2;
        c.d.value_size = c.indices ? 0 : 4 * draw(&random, 2);
        c.prove = i % 3 == 0;
        if (!case_run(b, &c)) return;
    }
}

/* NaNs of different bits in a field: the next field decides, if there is one. */
static void equal_nans_of_fields(bench *b)
{
    static const cl_uint types[] = { CLSORT_F16, CLSORT_F32, CLSORT_F64 };
    cl_uint t, order;
    for (t = 0; t < 3; t++)
        for (order = 0; order < 2; order++) {
            const size_t key = pattern_key_size(types[t]);
            const clsort_field fields[2] = { { key, types[t], order, CLSORT_NAN_EQUAL, 0 },
                                             { 0, CLSORT_U8, 0, 0, 0 } };
            sort_case c = case_make(types[t], 3000, "nans-10");
            c.d.record_size = 3 * key;
            c.d.key_offset = key;
            c.fields = fields;
            c.field_count = 1;
            if (!case_run(b, &c)) return;
            c.field_count = 2;
            if (!case_run(b, &c)) return;
        }
}

/* NaNs behind the numbers, as the header words it: of each type the first +NaN and the last, the
   last -NaN and the first, as their upper 16 bits. They are sorted as keys, and as a field. */
static void order_of_nans(bench *b)
{
    static const cl_uint types[] = { CLSORT_F16, CLSORT_BF16, CLSORT_F32, CLSORT_F64 };
    static const cl_uint infinities[] = { 0x7C00, 0x7F80, 0x7F80, 0x7FF0 };
    cl_uint t, order, i;
    for (t = 0; t < 4; t++)
        for (order = 0; order < 2; order++) {
            const cl_uint inf = infinities[t], minus = 0x8000, one = 0x3C00, nan = inf + 1;
            const cl_uint rising[7] = { minus + inf, one, inf, nan, 0x7FFF, 0xFFFF, minus + nan },
                          falling[7] = { inf, one, minus + inf, minus + nan, 0xFFFF, 0x7FFF, nan };
            const cl_uint *const wanted = order ? falling : rising;
            const size_t key = pattern_key_size(types[t]);
            const clsort_field field = { 0, types[t], order, CLSORT_NAN_LAST, 0 };
            unsigned char in[2][7 * 8] = { { 0 } }, out[7 * 8] = { 0 };
            clsort_desc d = clsort_desc_default();
            AT("type %x, order %u", types[t], order);
            for (i = 0; i < 7; i++) {
                const cl_ushort half = (cl_ushort)wanted[i], same = (cl_ushort)wanted[i * 3 % 7];
                memcpy(out + i * key + key - 2, &half, 2);
                memcpy(in[0] + i * key + key - 2, &same, 2);
            }
            memcpy(in[1], in[0], sizeof in[0]);
            d.count = 7;
            d.key_type = types[t], d.order = order, d.nan_order = CLSORT_NAN_LAST;
            CHECK_OK(clsort_sort_host(b->sorter, &d, in[0], NULL, NULL));
            CHECK(!memcmp(in[0], out, 7 * key));
            d.key_type = d.order = d.nan_order = 0;
            d.record_size = key, d.fields = &field, d.field_count = 1;
            CHECK_OK(clsort_sort_host(b->sorter, &d, in[1], NULL, NULL));
            CHECK(!memcmp(in[1], out, 7 * key));
        }
}

/* A record of 100 bytes and others, by bytes of every length, alone, beside other fields, cut at
   any place between codes; sorted, argsorted, and proven. */
static void bytes_of_every_length(bench *b)
{
    static const cl_uint others[] = { CLSORT_U32, CLSORT_I8, CLSORT_F32, CLSORT_U16 };
    cl_uint length;
    for (length = 1; length <= CLSORT_MAX_FIELD_BYTES; length += b->small && length > 20 ? 11 : 1) {
        const clsort_field fields[3] = {
            { length % 7, CLSORT_BYTES + length, length & 1, 0, 0 },
            { 72, others[length % 4], length >> 1 & 1, 0, 0 },
            { 76, CLSORT_BYTES + 1 + length % 13, length >> 2 & 1, 0, 0 }
        };
        record_case c;
        memset(&c, 0, sizeof c);
        c.d = clsort_desc_default();
        c.d.count = length % 3 ? 300 : 5000;
        c.d.record_size = 100;
        c.d.fields = fields;
        c.d.algorithm = length % 5 == 4 ? CLSORT_MERGE : 0;
        for (c.d.field_count = 1; c.d.field_count <= 3; c.d.field_count++) {
            c.seed = length * 4 + c.d.field_count;
            c.output = (int)(c.seed % RECORD_OUTPUTS);
            c.verify = 1;
            if (!record_run(b, &c)) return;
        }
    }
}

static const test_entry tests[] = {
    { "NaNs behind the numbers are in the order that the header says", order_of_nans },
    { "equal NaNs of a field leave the order to the next one", equal_nans_of_fields },
    { "some bits of floats decide, wherever NaNs and zeros are", some_bits_of_floats },
    { "keys of every type are sorted in every order", keys_of_every_type },
    { "stable sorts keep equal keys in their order, for every type", stable_pairs_of_every_type },
    { "argsort gives the permutation and leaves the keys, for every type", argsort_of_every_type },
    { "values of every size follow their keys", values_of_every_size },
    { "records of every size are sorted whole", records_of_every_size },
    { "every value of 8 and 16 bits has its place", every_value_of_small_types },
    { "every half, and its bits at the top of wider floats, has its place", every_half },
    { "arrays may lie apart, in one buffer or in sub-buffers, at any aligned offset",
      every_placement },
    TEST_REST,
    { "bytes of every length are sorted as memcmp has them", bytes_of_every_length },
    { "every combination of outputs works on every kind of algorithm",
      every_combination_of_outputs },
    { "every algorithm sorts records", records_on_every_algorithm },
    { "scratch of exactly the documented size is enough, whatever it holds", scratch_of_the_caller }
};

TEST_MAIN(tests)
