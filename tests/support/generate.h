/* generate.h - draws sorts at random, runs them, and makes a wrong one simpler as long as it stays
   wrong. A case depends on the state of the generator only. fuzz.c draws all that a sort can be
   asked for, rows.h what a row of a table allows. */

#ifndef CLSORT_TESTS_GENERATE_H
#define CLSORT_TESTS_GENERATE_H

#include "cases.h"

enum { MOST_SEGMENTS = 1000 };

/* ---- drawing --------------------------------------------------------------------------------- */

static inline int chance(uint64_t *random, unsigned percent) { return draw(random, 100) < percent; }

static inline uint64_t random_state(uint64_t seed, uint64_t number)
{
    uint64_t state = seed * UINT64_C(0xD1342543DE82EF95) + number;
    return pattern_random(&state);
}

static inline void draw_record(uint64_t *random, clsort_desc *d)
{
    size_t key = pattern_key_size(d->key_type), keys = (chance(random, 30) ? 48 : 16) / key;
    size_t length = 1 + draw(random, keys);
    d->record_size = key * length;
    d->key_offset = key * draw(random, length);
}

static inline void draw_payload(uint64_t *random, sort_case *c)
{
    static const unsigned char small[] = { 1, 2, 3, 4, 4, 4, 5, 6, 7, 8, 8 },
                               large[] = { 9, 12, 16, 20, 24, 33, 128 };
    size_t kind = draw(random, 10);
    if (kind >= 4) c->d.value_size = small[draw(random, sizeof small)];
    if (kind >= 7) c->d.value_size = large[draw(random, sizeof large)];
    if (kind >= 8) {
        if (chance(random, 70)) c->d.value_size = 0;
        draw_record(random, &c->d);
    }
    c->d.stable = (cl_uint)chance(random, 30);
    c->d.zero_order = chance(random, 15) ? CLSORT_ZERO_EQUAL : CLSORT_ZERO_DISTINCT;
    c->indices = chance(random, 20);
}

static inline void draw_algorithm(uint64_t *random, sort_case *c)
{
    cl_uint names = 0;
    while (clsort_algorithm_name(names)) names++;
    while (case_sorts_rows(clsort_algorithm_name(names - 1))) names--;   /* the last ones */
    if (chance(random, 40)) c->algorithm = clsort_algorithm_name((cl_uint)draw(random, names));
    else if (chance(random, 60))
        c->algorithm = chance(random, 50) ? "merge" : chance(random, 50) ? "radix" : "quicksort";
    if (chance(random, 20)) c->d.tuning.work_group = 1u << draw(random, 11);
    if (chance(random, 20)) c->d.tuning.items = 2u << draw(random, 5);
}

static inline size_t draw_count(uint64_t *random, size_t tile)
{
    size_t kind = draw(random, 100), edge = draw(random, 3);
    if (kind < 10) return draw(random, 18);
    if (kind < 45) return draw(random, 1100);
    if (kind < 65)
        return (tile < 9000 ? tile * (1 + draw(random, 9000 / tile < 5 ? 9000 / tile : 5)) : 9000)
               + edge - 1;
    if (kind < 85) return ((size_t)2 << draw(random, 11)) + edge - 1;
    if (kind < 88) return (chance(random, 50) ? 4096 : 8192) + edge - 1;
    if (kind < 99) return draw(random, 3000);
    return draw(random, 70000);
}

static inline void draw_places(uint64_t *random, sort_case *c)
{
    static const int fills[] = { 0x00, 0xFF, 0xA5 };
    size_t keys = draw(random, 100), values = draw(random, 100);
    c->keys_out = keys < 25 ? CASE_OWN : keys < 33 ? CASE_SAME : 0;
    if (c->d.value_size) c->values_out = values < 25 ? CASE_OWN : values < 33 ? CASE_SAME : 0;
    if (c->d.value_size && c->indices && !c->values_out) c->values_out = CASE_OWN;
    c->own_scratch = chance(random, 30);
    c->scratch_fill = fills[draw(random, 3)];
    c->placement = chance(random, 60) ? CASE_APART : (int)draw(random, 3);
    c->shift = draw(random, 9);
}

/* Lets one sort in three overwrite its input, without a draw: other cases stay as they are. */
static inline void may_overwrite(sort_case *c)
{
    if (c->shift % 3 == 0) c->d.flags |= CLSORT_FLAG_OVERWRITE_INPUT;
}

/* Any range of bits of the key. */
static inline void draw_bits(uint64_t *random, sort_case *c)
{
    const size_t width = 8 * pattern_key_size(c->d.key_type);
    c->d.first_bit = (cl_uint)draw(random, width);
    c->d.last_bit = c->d.first_bit + 1 + (cl_uint)draw(random, width - c->d.first_bit);
}

static inline void draw_type(uint64_t *random, sort_case *c)
{
    size_t key = pattern_key_size(c->d.key_type), patterns = 0, pattern;
    do c->d.key_type = case_types[draw(random, CASE_TYPES)].type;
    while (pattern_key_size(c->d.key_type) != key);
    while (pattern_name(patterns)) patterns++;
    do pattern = draw(random, patterns); while (!pattern_applies(pattern, c->d.key_type));
    c->pattern = pattern_name(pattern);
    c->seed = pattern_random(random);
    c->d.order = (cl_uint)draw(random, 2);
    c->d.nan_order = (cl_uint)draw(random, 3);
    if (c->algorithm && !strncmp(c->algorithm, "radix", 5) && chance(random, 30))
        draw_bits(random, c);
}

/* Cuts the case's elements into segments of any lengths, some of them at the edges of others, or
   sometimes into ones that do not ascend. */
static inline void draw_segments(uint64_t *random, sort_case *c)
{
    static uint32_t offsets[MOST_SEGMENTS + 1], ends[MOST_SEGMENTS];
    const size_t most = c->d.count,
                 longest = chance(random, 30) ? most : 1 + most / (1 + draw(random, 200));
    size_t at = draw(random, 2) * draw(random, most + 1) / 4, i;
    const int ascend = !chance(random, 10);
    c->d.segment_count = chance(random, 20) ? 1 + draw(random, 3) : 1 + draw(random, MOST_SEGMENTS);
    for (i = 0; i <= c->d.segment_count; i++) {
        offsets[i] = ascend ? (uint32_t)at : (uint32_t)draw(random, most + most / 8 + 1);
        if (!chance(random, 30)) at += draw(random, longest + 1) % (most - at + 1);
    }
    c->offsets = offsets;
    if (chance(random, 60)) return;
    for (i = 0; i < c->d.segment_count; i++) {
        ends[i] = offsets[i + 1];
        if (chance(random, 50) && ends[i]) ends[i] -= (uint32_t)draw(random, longest % ends[i] + 1);
        if (chance(random, 5)) ends[i] = (uint32_t)draw(random, ascend ? offsets[i] + 1 : most + 1);
    }
    c->ends = ends;
}

static inline void draw_rows(uint64_t *random, sort_case *c)
{
    const size_t rows = 1 + draw(random, chance(random, 50) ? 4 : 1 + c->d.count);
    c->d.count = c->d.count / rows + draw(random, 2);
    c->d.rows = rows;
    if (chance(random, 60))
        c->d.row_stride = (c->d.count + (chance(random, 50) ? draw(random, 20) : 0))
                          * case_element_size(c);
    if (c->keys_out == CASE_OWN && chance(random, 30))
        c->d.keys_out_row_stride = (c->d.count + draw(random, 20)) * case_element_size(c);
    if (c->values_out == CASE_OWN && c->d.value_size && chance(random, 30))
        c->d.values_out_row_stride = (c->d.count + draw(random, 20)) * c->d.value_size;
    if (c->indices && chance(random, 40))
        c->d.indices_row_stride = (c->d.count + draw(random, 20)) * sizeof(cl_uint);
}

static inline int by_merge(const sort_case *c)
{
    return c->algorithm && !strcmp(c->algorithm, "merge");
}

/* Rows or segments of a sort that merge can do, and counts on the device. Merge by name sorts only
   rows and segments by some bits. */
static inline void draw_parts(uint64_t *random, sort_case *c)
{
    const size_t kind = draw(random, 3);
    if (kind == 0) draw_segments(random, c);
    else if (kind == 1) draw_rows(random, c);
    c->counted = kind == 2 || chance(random, 30);
    c->there = (uint32_t)draw(random, c->d.count + c->d.count / 4 + 2);
    c->prove = chance(random, 20);
    if (case_has_parts(c) && chance(random, 20) && (c->offsets || c->d.rows || !by_merge(c)))
        draw_bits(random, c);
}

/* Can the algorithm of a case sort rows and segments? */
static inline int takes_parts(const sort_case *c)
{
    return !c->algorithm || !strcmp(c->algorithm, "auto") || by_merge(c);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Intel's compiler (2026.2) crashes on tiles of single elements with more than 8 keys per
   work-item. */
static inline void spare_compiler(const bench *b, sort_case *c)
{
    int named = c->algorithm && strcmp(c->algorithm, "auto") && strcmp(c->algorithm, "bitonic");
    if (!device_name_holds(b->session.info.platform_name, "Intel(R)")) return;
    if (c->d.tuning.items > 8 || (!c->d.tuning.items && (named || c->d.tuning.work_group)))
        c->d.tuning.items = 8;
}

static inline int run_case(const bench *b, sort_case *c)
{
    spare_compiler(b, c);
    test_now.faults = 0;
    c->block = c->algorithm && case_sorts_blocks(c->algorithm) ? case_block_length(b, c) : 0;
    return case_run(b, c) && !test_now.faults;
}

static inline void simplify_arrays(sort_case *c, int step)
{
    clsort_desc *d = &c->d;
    switch (step) {
    case 0: d->count /= 2; break;
    case 1: d->count -= d->count / 8; break;
    case 2: d->count -= d->count > 0; break;
    case 3: c->queue = NULL; break;
    case 4: c->wait = CASE_WAIT_NONE; break;
    case 5: c->no_event = 0; break;
    case 6: c->own_scratch = 0; break;
    case 7: c->placement = CASE_APART; break;
    case 8: c->shift = 0; break;
    case 9: c->values_out = c->indices && d->value_size ? CASE_OWN : 0; break;
    case 10: c->keys_out = 0; break;
    case 11: d->value_size = 0; c->values_out = 0; break;
    case 12: d->record_size = d->key_offset = 0; break;
    case 13: c->indices = 0; break;
    }
}

static inline void simplify_sort(sort_case *c, int step)
{
    clsort_desc *d = &c->d;
    const cl_uint more_segments = d->segment_count > 1;
    switch (step) {
    case 14: d->stable = 0; break;
    case 15: d->order = d->nan_order = 0; break;
    case 16: d->zero_order = 0; break;
    case 17: c->algorithm = NULL; break;
    case 18: d->tuning.work_group = 0; break;
    case 19: d->tuning.items = 0; break;
    case 20: c->pattern = "uniform"; break;
    case 21: c->seed = 1; break;
    case 22: d->segment_count -= d->segment_count / 2; break;
    case 23: d->segment_count -= more_segments; break;
    case 24:
        if (c->ends) c->ends += more_segments;
        if (c->offsets) c->offsets += more_segments, d->segment_count -= more_segments;
        break;
    case 25: d->rows /= 2; break;
    case 26: d->rows -= d->rows > 2; break;
    case 27:
        d->row_stride = d->keys_out_row_stride = d->values_out_row_stride = 0;
        d->indices_row_stride = 0;
        break;
    case 28: c->counted = 0; break;
    case 29: c->prove = 0; break;
    case 30: d->first_bit = d->last_bit = 0; break;
    case 31: c->ends = NULL; break;
    case 32: c->make = NULL; break;
    case 33: d->flags &= ~(cl_uint)CLSORT_FLAG_OVERWRITE_INPUT; break;
    }
}

/* Makes one thing about a case simpler; 0 when there is no such step. */
static inline int simplify(sort_case *c, int step)
{
    simplify_arrays(c, step);
    simplify_sort(c, step);
    return step <= 33;
}

/* Strides do not fit elements of another size, or outputs that are gone. */
static inline void drop_strides(sort_case *simpler, const sort_case *c)
{
    if (case_element_size(simpler) != case_element_size(c)) simpler->d.row_stride = 0;
    if (case_element_size(simpler) != case_element_size(c) || simpler->keys_out != CASE_OWN)
        simpler->d.keys_out_row_stride = 0;
    if (simpler->d.value_size != c->d.value_size || simpler->values_out != CASE_OWN)
        simpler->d.values_out_row_stride = 0;
    if (!simpler->indices) simpler->d.indices_row_stride = 0;
}

static inline sort_case shrink(const bench *b, sort_case c)
{
    int step, progress = 1, runs = 0;
    while (progress)
        for (progress = step = 0; runs < 200; step++) {
            sort_case simpler = c;
            if (!simplify(&simpler, step)) break;
            if (simpler.d.rows > 1 && memcmp(&simpler, &c, sizeof c)) drop_strides(&simpler, &c);
            if (!memcmp(&simpler, &c, sizeof c)) continue;
            runs++;
            if (run_case(b, &simpler)) continue;
            c = simpler;
            progress = 1;
        }
    return c;
}

/* Says how often a wrong case is wrong, and its simplest form. */
static inline void explain(const bench *b, const sort_case *c)
{
    sort_case again = *c;
    int wrong = 0, i;
    test_now.quiet = 1;
    for (i = 0; i < 5; i++) wrong += !run_case(b, &again);
    printf("  wrong in %d of 5 repeats%s\n", wrong,
           wrong ? "" : ": it depends on the cases before it, or on chance");
    if (wrong) again = shrink(b, *c);
    test_now.quiet = 0;
    case_say(&again);
    printf("  simplest form: %s\n", test_now.at);
    fflush(stdout);
}

#endif
