/* verify.h - exact checks of sorted files on the host, without OpenCL. In the order of an
   expression only the device can tell. */

#ifndef CLSORT_TOOLS_VERIFY_H
#define CLSORT_TOOLS_VERIFY_H

#include "files.h"
#include "reference.h"

/* Sorts codes by their bits first ... last - 1, eight at a time, the lowest ones first, skipping
   those that are all the same. Codes that differ elsewhere only keep their order. Returns 0 if
   there is no memory. */
static int codes_sort(uint64_t *codes, size_t n, unsigned first, unsigned last)
{
    uint64_t *spare = (uint64_t *)malloc(n * sizeof *spare + 1), *from = codes, *to = spare, *swap;
    unsigned shift;
    size_t i;
    if (!spare) return 0;
    for (shift = first; shift < last; shift += 8) {
        const uint64_t mask = last - shift < 8 ? (UINT64_C(1) << (last - shift)) - 1 : 255;
        size_t place[257] = { 0 };
        for (i = 0; i < n; i++) place[(from[i] >> shift & mask) + 1]++;
        if (n == 0 || place[(from[0] >> shift & mask) + 1] == n) continue;
        for (i = 0; i < 256; i++) place[i + 1] += place[i];
        for (i = 0; i < n; i++) to[place[from[i] >> shift & mask]++] = from[i];
        swap = from;
        from = to;
        to = swap;
    }
    if (from != codes) memcpy(codes, from, n * sizeof *codes);
    free(spare);
    return 1;
}

/* Is a part of the keys' codes left out? */
static int some_bits(const key_array *keys, const clsort_desc *d)
{
    return d->first_bit || (d->last_bit && d->last_bit != 8 * keys->size);
}

/* Do keys of different bits have the same code? */
static int merges_codes(const clsort_desc *d)
{
    return d->zero_order == CLSORT_ZERO_EQUAL || d->nan_order == CLSORT_NAN_EQUAL;
}

/* Must elements that are equal in the order of a description keep theirs? */
static int keeps_order(const clsort_desc *d)
{
    return d->stable || d->fields || merges_codes(d);
}

/* Codes by a description's options. Of records they are places among these records, the same for
   equal ones. NULL without memory. */
static uint64_t *codes_of(const key_array *keys, const clsort_desc *d)
{
    clsort_desc options = *d;
    uint64_t *codes = (uint64_t *)malloc(keys->count * sizeof *codes + 1);
    if (codes && d->fields) {
        if (reference_record_codes(keys->data, keys->count, d, codes)) return codes;
        free(codes);
        return NULL;
    }
    options.key_type = keys->type->code;
    if (codes) reference_codes(keys->data, keys->type->size, keys->count, &options, codes);
    return codes;
}

/* An order by all bits, with zeros and NaNs apart, so that each key has a code of its own. */
static clsort_desc order_apart(const clsort_desc *d)
{
    clsort_desc all = *d;
    all.zero_order = CLSORT_ZERO_DISTINCT;
    if (all.nan_order == CLSORT_NAN_EQUAL) all.nan_order = CLSORT_NAN_LAST;
    all.first_bit = all.last_bit = 0;
    return all;
}

/* Codes in that order. NULL without memory. */
static uint64_t *codes_apart(const key_array *keys, const clsort_desc *d)
{
    const clsort_desc all = order_apart(d);
    return codes_of(keys, &all);
}

/* Where each key of a sorted file comes from, in stable order. NULL without memory. */
static uint32_t *order_of(const key_array *keys, const clsort_desc *d)
{
    uint32_t *order = (uint32_t *)malloc(keys->count * sizeof *order + 1);
    uint64_t *codes = codes_of(keys, d);
    int done = order && codes && reference_argsort(codes, keys->count, order);
    free(codes);
    if (done) return order;
    free(order);
    return NULL;
}

/* Brings codes that are equal by some bits, one after the other, into the order of all bits, where
   they may be in any. Returns 0 if there is no memory. */
static int ties_sort(const key_array *keys, const clsort_desc *d, uint64_t *codes)
{
    size_t first = 0, end, n = keys->count;
    int done = 1;
    for (; done && some_bits(keys, d) && !keeps_order(d) && first < n; first = end) {
        const uint64_t code = reference_some_bits(codes[first], d);
        for (end = first + 1; end < n && reference_some_bits(codes[end], d) == code;) end++;
        if (end - first > 1) done = codes_sort(codes + first, end - first, 0, 64);
    }
    return done;
}

/* The codes that a sorted file must have, one after the other, as ties_sort leaves them; they tell
   all keys apart. NULL without memory. */
static uint64_t *expected_codes(const key_array *keys, const clsort_desc *d)
{
    uint64_t *codes = codes_apart(keys, d), *expected = NULL;
    uint32_t *order = NULL;
    size_t i;
    if (merges_codes(d)) {
        order = order_of(keys, d);
        if (order) expected = (uint64_t *)malloc(keys->count * sizeof *expected + 1);
        for (i = 0; codes && expected && i < keys->count; i++) expected[i] = codes[order[i]];
    } else if (codes
               && codes_sort(codes, keys->count, d->first_bit, d->last_bit ? d->last_bit : 64)
               && ties_sort(keys, d, codes)) {
        return codes;
    }
    free(order);
    if (codes) free(codes);
    else free(expected), expected = NULL;
    return expected;
}

static size_t occurrences(const key_array *keys, uint64_t bits)
{
    size_t found = 0, i;
    for (i = 0; i < keys->count; i++) found += key_bits(keys->type, keys->data, i) == bits;
    return found;
}

/* Says how often a key occurs, if that differs. Returns whether it does. */
static int report_occurrences(const key_array *input, const key_array *output, uint64_t bits)
{
    size_t before = occurrences(input, bits), after = occurrences(output, bits);
    char text[NUMBER_ROOM];
    number_print(input->type, bits, text);
    if (before != after) printf("  %s: %zu in INPUT, %zu in OUTPUT\n", text, before, after);
    return before != after;
}

/* The key of `keys` whose code is given: an expected key, for the report. */
static uint64_t bits_of_code(const key_array *keys, const clsort_desc *d, uint64_t code)
{
    const clsort_desc all = order_apart(d);
    size_t i = 0;
    while (i < keys->count
           && reference_code(key_bits(keys->type, keys->data, i), keys->type->code, all.order,
                             all.nan_order, all.zero_order)
                  != code)
        i++;
    return key_bits(keys->type, keys->data, i);
}

/* Reports the first difference between what must be there and what is there, at position p. */
static void report_wrong(const key_array *input, const key_array *output, const clsort_desc *d,
                         const uint64_t *expected, size_t p)
{
    char wanted[NUMBER_ROOM] = "the end", found[NUMBER_ROOM] = "the end";
    uint64_t wanted_bits = 0, found_bits = 0;
    int differs = 0;
    if (p < input->count) wanted_bits = bits_of_code(input, d, expected[p]);
    if (p < output->count) found_bits = key_bits(output->type, output->data, p);
    if (p < input->count) number_print(input->type, wanted_bits, wanted);
    if (p < output->count) number_print(output->type, found_bits, found);
    printf("wrong at position %zu: expected %s, found %s\n", p, wanted, found);
    if (input->count != output->count)
        printf("  %zu keys in INPUT, %zu in OUTPUT\n", input->count, output->count);
    if (p < input->count) differs += report_occurrences(input, output, wanted_bits);
    if (p < output->count && (p >= input->count || found_bits != wanted_bits))
        differs += report_occurrences(input, output, found_bits);
    if (!differs) puts("  the keys there are in a wrong order");
}

/* OUTPUT must be INPUT, sorted: the same keys, bit by bit. A wrong position among keys that are
   equal by some bits is one of theirs. Returns an exit code. */
static int verify_keys(const key_array *input, const key_array *output, const clsort_desc *d)
{
    uint64_t *expected = expected_codes(input, d), *found = codes_apart(output, d);
    size_t p = 0, shorter = input->count < output->count ? input->count : output->count;
    int have = expected && found && ties_sort(output, d, found), right;
    while (have && p < shorter && expected[p] == found[p]) p++;
    right = have && p == input->count && p == output->count;
    if (have && !right) report_wrong(input, output, d, expected, p);
    free(expected);
    free(found);
    if (!have) return fail(DONE_IO, "verify: %s", strerror(ENOMEM));
    return right ? DONE_OK : DONE_WRONG;
}

/* What is wrong with indices[i], NULL if nothing is. `seen` notes the indices so far. */
static const char *index_problem(const uint64_t *codes, const uint32_t *indices, size_t n,
                                 int stable, unsigned char *seen, size_t i)
{
    if (indices[i] >= n) return "is beyond the last key";
    if (seen[indices[i]]) return "occurs twice";
    seen[indices[i]] = 1;
    if (i == 0 || codes[indices[i - 1]] < codes[indices[i]]) return NULL;
    if (codes[indices[i - 1]] > codes[indices[i]])
        return "points to a key that comes before its predecessor";
    return stable && indices[i - 1] > indices[i] ? "changes the order of equal keys" : NULL;
}

/* OUTPUT must hold u32 indices, a permutation that sorts INPUT. Returns an exit code. */
static int verify_indices(const key_array *input, const key_array *output, const clsort_desc *d)
{
    const uint32_t *indices = (const uint32_t *)(const void *)output->data;
    uint64_t *codes = codes_of(input, d);
    unsigned char *seen = (unsigned char *)calloc(input->count + 1, 1);
    const char *problem = NULL;
    size_t i = 0;
    int have = codes && seen, stable = keeps_order(d);
    while (have && !problem && i < input->count && i < output->count)
        problem = index_problem(codes, indices, input->count, stable, seen, i++);
    free(codes);
    free(seen);
    if (!have) return fail(DONE_IO, "verify: %s", strerror(ENOMEM));
    if (problem)
        printf("wrong at position %zu: index %lu %s\n", i - 1, (unsigned long)indices[i - 1],
               problem);
    else if (input->count != output->count)
        printf("wrong at position %zu: %zu keys, %zu indices\n", i, input->count, output->count);
    return problem || input->count != output->count ? DONE_WRONG : DONE_OK;
}

/* ---- records and values ---------------------------------------------------------------------- */

/* The type of a field that is not bytes. */
static const key_type *field_type(const clsort_field *f)
{
    const key_type *type = key_types;
    while (type->code != f->type) type++;
    return type;
}

static void print_fields(const unsigned char *record, const clsort_desc *d)
{
    cl_uint i;
    for (i = 0; i < d->field_count; i++) {
        const clsort_field *f = &d->fields[i];
        const int is_bytes = reference_is_bytes(f->type);
        char text[NUMBER_ROOM];
        size_t k;
        if (!is_bytes)
            number_print(field_type(f), key_bits(field_type(f), record + f->offset, 0), text);
        printf(" %s", is_bytes ? "" : text);
        for (k = 0; is_bytes && k < reference_field_size(f->type); k++)
            printf("%02x", record[f->offset + k]);
    }
}

/* Reports that record p of the output is not record `from` of the input. */
static void report_record(const key_array *input, const key_array *output, const clsort_desc *d,
                          size_t p, size_t from)
{
    printf("wrong at position %zu: expected record %zu of INPUT with", p, from);
    print_fields(input->data + from * input->size, d);
    printf(", found");
    print_fields(output->data + p * output->size, d);
    putchar('\n');
}

/* A sum of hashes of all elements, which does not depend on their order. */
static uint64_t checksum_of(const key_array *elements)
{
    uint64_t sum = 0;
    size_t i, k;
    for (i = 0; i < elements->count; i++) {
        const unsigned char *at = elements->data + i * elements->size;
        uint64_t hash = UINT64_C(14695981039346656037);
        for (k = 0; k < elements->size; k++) hash = (hash ^ at[k]) * UINT64_C(1099511628211);
        sum += (hash ^ hash >> 32) * UINT64_C(0x9E3779B97F4A7C15);
    }
    return sum;
}

/* OUTPUT must be INPUT in the order of its fields, equal records in their order, byte for byte.
   Returns an exit code. */
static int verify_records(const key_array *input, const key_array *output, const clsort_desc *d)
{
    uint32_t *order = order_of(input, d);
    size_t p = 0, size = input->size,
           shorter = input->count < output->count ? input->count : output->count;
    int have = order != NULL, right;
    while (have && p < shorter
           && !memcmp(input->data + order[p] * size, output->data + p * size, size))
        p++;
    right = have && p == input->count && p == output->count;
    if (have && p < shorter) report_record(input, output, d, p, order[p]);
    else if (have && !right)
        printf("wrong at position %zu: %zu records in INPUT, %zu in OUTPUT\n", p, input->count,
               output->count);
    free(order);
    if (!have) return fail(DONE_IO, "verify: %s", strerror(ENOMEM));
    return right ? DONE_OK : DONE_WRONG;
}

/* Numbers of elements by key and, for equal keys, by the bytes of their values. NULL without
   memory. */
static uint32_t *pair_order(const key_array *keys, const key_array *values, const clsort_desc *d)
{
    uint32_t *order = (uint32_t *)malloc(keys->count * sizeof *order + 1);
    uint64_t *codes = codes_apart(keys, d),
             *bytes = (uint64_t *)malloc(keys->count * sizeof *bytes + 1);
    size_t at, i;
    int done = order && codes && bytes;
    if (done) reference_count_up(order, keys->count);
    for (at = values->size; done && at-- > 0;) {
        for (i = 0; i < keys->count; i++) bytes[i] = values->data[i * values->size + at];
        done = reference_refine(bytes, keys->count, order);
    }
    done = done && reference_refine(codes, keys->count, order);
    free(codes);
    free(bytes);
    if (done) return order;
    free(order);
    return NULL;
}

/* The values of OUTPUT, whose keys are right, must be those of INPUT, each with its key, and in
   order if the sort was stable. Returns an exit code. */
static int verify_values(const key_array *input, const key_array *in_values,
                         const key_array *output, const key_array *out_values, const clsort_desc *d)
{
    int stable = keeps_order(d), have;
    uint32_t *from = stable ? order_of(input, d) : pair_order(input, in_values, d);
    uint32_t *to = stable ? (uint32_t *)malloc(input->count * sizeof *to + 1)
                          : pair_order(output, out_values, d);
    size_t size = in_values->size, wrong = 0, i = 0;
    have = from && to;
    if (have && stable) reference_count_up(to, input->count);
    while (have && i < input->count
           && !memcmp(in_values->data + from[i] * size, out_values->data + to[i] * size, size))
        i++;
    if (have && i < input->count) wrong = to[i];
    free(from);
    free(to);
    if (!have) return fail(DONE_IO, "verify: %s", strerror(ENOMEM));
    if (i < input->count)
        printf("wrong at position %zu: the value did not come with this key%s\n", wrong,
               stable ? ", or not in order" : "");
    return i < input->count ? DONE_WRONG : DONE_OK;
}

#endif
