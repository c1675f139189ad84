/* grid_cells.h - the cells of the grid: what is sorted, as words.

     u32 +8 out n=2^20          keys of type u32, values of 8 bytes; to other arrays
     f32 indices n=2^20         the indices that sort the keys
     f32 record=16 n=2^20       records of 16 bytes with the key in front
     key=string n=2^20          records by several fields, see grid_keys; "expression": by a text
     stable  descending  nan=last  nan=equal  zero=equal  bits=0:24  pattern=zipf
     count=all  count=half      a count on the device, of all keys or of half
     rows=64 n=2^14             64 rows of n keys each
     segments=1000 n=2^20       1000 segments of random lengths, n keys in all
     k=40  k=n/8  any  nth      a selection: in order, in any order, only the last

   A line of the grid has alternatives between commas: "u32,u64 n=2^10,2^20" has four cells. Include
   this file behind the implementation of clsort.h, whose table of key types it reads. */

#ifndef CLSORT_TOOLS_GRID_CELLS_H
#define CLSORT_TOOLS_GRID_CELLS_H

#include <stdio.h>

#include "counts.h"
#include "patterns.h"

/* Keys of several fields, and expressions that order records in the same way. */
typedef struct grid_key {
    const char *name;
    size_t record_size;
    clsort_field fields[2];
    cl_uint count;
    const char *record_type, *precedes;   /* NULL: none */
} grid_key;

static const grid_key grid_keys[] = {
    { "two-words", 8, { { 0, CLSORT_U32, 0, 0, 0 }, { 4, CLSORT_U32, 0, 0, 0 } }, 2,
      "typedef struct { uint a, b; } clsort_record;", "a.a < b.a || (a.a == b.a && a.b < b.b)" },
    { "byte-word", 16, { { 0, CLSORT_U8, 0, 0, 0 }, { 4, CLSORT_U32, 0, 0, 0 } }, 2,
      "typedef struct { uchar a; uint b, c, d; } clsort_record;",
      "a.a < b.a || (a.a == b.a && a.b < b.b)" },
    { "long-word", 16, { { 0, CLSORT_U64, 0, 0, 0 }, { 8, CLSORT_U32, 0, 0, 0 } }, 2,
      "typedef struct { ulong a; uint b, c; } clsort_record;",
      "a.a < b.a || (a.a == b.a && a.b < b.b)" },
    { "string", 32, { { 0, CLSORT_BYTES + 16, 0, 0, 0 } }, 1, NULL, NULL }
};
enum { GRID_KEYS = sizeof grid_keys / sizeof *grid_keys, GRID_TEXT = 160, GRID_WORDS = 16 };

typedef struct grid_cell {
    char text[GRID_TEXT];
    clsort_desc d;              /* without buffers */
    cl_uint type;               /* of the key, or that fills records */
    const grid_key *key;        /* NULL: the key has one field */
    const char *pattern;
    int out, indices, expression;
    int counted;                /* 1: a count on the device; 2: of half of the keys */
    size_t total;               /* elements of all rows */
} grid_cell;

/* What users sort. Every line and every alternative that finds a place of its own in the tables of
   AUTO's choices, or shares none with another one. */
static const char *const grid_lines[] = {
    "u32,u64 n=2^10,2^12,2^14,2^16,2^17,2^18,2^19,2^20,2^21,2^22,2^23,2^24,2^26",
    "f32,u16,u8 n=2^10,2^14,2^17,2^20,2^22,2^24,2^26",
    "u32 n=2^10,2^14,2^17,2^20,2^22,2^24 +4,+8,+12,+16,+32 out",
    "u64 n=2^10,2^14,2^17,2^20,2^22,2^24 +4,+8,+16 out",
    "u16,f32 n=2^14,2^20,2^24 +4,+8 out",
    "u32,u64 n=2^14,2^20,2^24 +4,+8",
    "u32,u64 n=2^14,2^20,2^24 +4,+8 stable out",
    "u32,u64,f32,f64,u16 n=2^10,2^14,2^17,2^20,2^22,2^24 indices",
    "u32,u64 n=2^17,2^20,2^24 indices stable",
    "f32,u64 n=2^14,2^20,2^22 record=16,32,64",
    "u32 n=2^14,2^20,2^24 record=8 out",
    "key=two-words,byte-word,long-word,string n=2^14,2^17,2^20,2^22",
    "key=two-words,byte-word n=2^14,2^20,2^22 expression",
    "u32 n=2^16,2^20,2^24 bits=0:12,8:24,0:24",
    "u64 n=2^16,2^20,2^24 bits=0:32",
    "u64 n=2^16,2^20,2^22,2^24 +4 bits=0:45 out",
    "u32,u64 n=2^14,2^20,2^24 count=all,half",
    "u32,u64 n=2^14,2^20,2^22,2^24 +4 out count=all,half",
    "f32 n=2^14,2^20,2^24 indices count=all,half",
    "u32 n=2^10,2^14,2^17,2^20,2^22 rows=4",
    "u32 n=2^7,2^10,2^13,2^17 rows=64",
    "u32 n=32,2^8,2^12,2^14 rows=1024",
    "u32 n=16,2^6,2^8 rows=2^16",
    "f32 n=2^8,2^12,2^14 indices rows=4,64,1024",
    "u32,u64 n=2^12,2^16,2^20 +4,+8 out rows=16",
    "u32 n=2^20,2^24 segments=16,1000,100000",
    "u32 n=2^20,2^22 +4 out segments=16,1000,100000",
    "f32 n=2^14,2^20,2^24 nan=last,equal",
    "f32 n=2^14,2^20,2^22 nan=equal zero=equal indices",
    "f32 n=2^14,2^20,2^24 descending nan=last indices",
    "f32 n=2^14,2^20,2^22 +4 nan=equal stable out",
    "f32 n=2^20,2^24 indices k=1,40,2^10,2^12,2^14,2^16,n/8,n/2",
    "f32 n=2^20,2^24 indices any,nth k=40,2^12,2^14,2^16,n/8,n/4,n/2",
    "u64 n=2^20,2^22 any,nth k=2^12,n/8,n/2",
    "f32 n=2^10,2^14,2^16 indices k=40,n/8,n/2 rows=64",
    "f32 n=2^10,2^14 indices any k=40,n/8,n/2 rows=64",
    "f32 n=2^7,2^10 indices k=8,40 rows=4096",
    "u32 n=2^16,2^20,2^24 pattern=zipf,mostly-zero,sorted,equal,mod-1000,lower-half",
    "u32 n=2^16,2^20,2^24 +4 out pattern=zipf,mostly-zero,sorted,equal",
    "u64 n=2^16,2^20,2^22 +4 out pattern=zipf,mostly-zero,sorted",
    "f32 n=2^17,2^20,2^22,2^24 indices pattern=normal,uniform,around-zero",
    "f32 n=2^17,2^20,2^22,2^24 +4 out pattern=normal,uniform",
    "f32 n=2^20 indices k=40,2^14 pattern=sorted,equal,mostly-zero"
};
enum { GRID_LINES = sizeof grid_lines / sizeof *grid_lines };

/* Writes alternative `number` of a word behind `text`: of "n=1,2" "n=1" or "n=2". Returns how many
   alternatives there are. */
static inline size_t grid_alternative(const char *word, size_t length, size_t number, char *text)
{
    const char *equal = (const char *)memchr(word, '=', length), *at, *end = word + length;
    const size_t head = equal ? (size_t)(equal + 1 - word) : 0;
    size_t count = 1, from = head, i;
    for (at = word; at < end; at++) count += *at == ',';
    number %= count;
    for (i = head; i < length && number; i++)
        if (word[i] == ',') number--, from = i + 1;
    for (i = from; i < length && word[i] != ','; i++) continue;
    sprintf(text, "%.*s%.*s", (int)head, word, (int)(i - from), word + from);
    return count;
}

/* Writes cell `number` of a line to `text`, from the last word's alternatives on. Returns 0 behind
   the last cell. */
static inline int grid_expand(const char *line, size_t number, char *text)
{
    const char *words[GRID_WORDS];
    size_t lengths[GRID_WORDS], chosen[GRID_WORDS], count = 0, i;
    char one[GRID_TEXT];
    for (; *line; line += strspn(line, " ")) {
        words[count] = line;
        lengths[count] = strcspn(line, " ");
        line += lengths[count++];
    }
    for (i = count; i-- > 0;) {
        const size_t some = grid_alternative(words[i], lengths[i], 0, one);
        chosen[i] = number % some;
        number /= some;
    }
    for (i = 0, *text = '\0'; i < count; i++) {
        grid_alternative(words[i], lengths[i], chosen[i], one);
        if (i) strcat(text, " ");
        strcat(text, one);
    }
    return number == 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* The key type of a name such as u32 or bf16; 0: none. */
static inline cl_uint grid_type(const char *word)
{
    static const char *const kinds[] = { "u", "i", "f", "bf" };
    const size_t letters = strcspn(word, "0123456789");
    cl_uint kind, bits = (cl_uint)strtoul(word + letters, NULL, 10);
    for (kind = 0; kind < 4; kind++)
        if (strlen(kinds[kind]) == letters && !strncmp(word, kinds[kind], letters)
            && clsort__find_key_type((kind + 1) << 8 | bits))
            return (kind + 1) << 8 | bits;
    return 0;
}

/* Reads a number behind `name`. Returns 1 if the word is that name with a number. */
static inline int grid_number(const char *word, const char *name, size_t *number)
{
    const size_t length = strlen(name);
    unsigned long long value;
    if (strncmp(word, name, length) || !count_parse(word + length, &value)) return 0;
    *number = (size_t)value;
    return 1;
}

static inline int grid_is_key(grid_cell *c, const char *word)
{
    int i;
    for (i = 0; !strncmp(word, "key=", 4) && i < GRID_KEYS; i++)
        if (!strcmp(word + 4, grid_keys[i].name)) return c->key = &grid_keys[i], 1;
    return 0;
}

/* Reads a word that only sets a field to a number. Returns 0 for other words. */
static inline int grid_plain_word(grid_cell *c, const char *word)
{
    clsort_desc *const d = &c->d;
    const struct { const char *word; cl_uint *field; cl_uint value; } plain[] = {
        { "stable", &d->stable, 1 },
        { "descending", &d->order, CLSORT_DESCENDING },
        { "nan=last", &d->nan_order, CLSORT_NAN_LAST },
        { "nan=equal", &d->nan_order, CLSORT_NAN_EQUAL },
        { "zero=equal", &d->zero_order, CLSORT_ZERO_EQUAL },
        { "any", &d->flags, CLSORT_FLAG_TOP_UNSORTED },
        { "nth", &d->flags, CLSORT_FLAG_TOP_NTH }
    };
    const struct { const char *word; int *field; int value; } own[] = {
        { "out", &c->out, 1 },          { "indices", &c->indices, 1 },
        { "count=all", &c->counted, 1 }, { "count=half", &c->counted, 2 },
        { "expression", &c->expression, 1 }
    };
    size_t i;
    for (i = 0; i < sizeof plain / sizeof *plain; i++)
        if (!strcmp(word, plain[i].word)) return *plain[i].field = plain[i].value, 1;
    for (i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(word, own[i].word)) return *own[i].field = own[i].value, 1;
    return 0;
}

/* Reads a word. "k=n/8" stands behind the n that it divides. Returns 0 for an unknown one. */
static inline int grid_word(grid_cell *c, const char *word, size_t *part)
{
    clsort_desc *const d = &c->d;
    const cl_uint type = grid_type(word);
    if (type) return c->type = type, 1;
    if (!strncmp(word, "pattern=", 8))
        c->pattern = pattern_name(pattern_find(word + 8));
    return grid_plain_word(c, word) || grid_number(word, "n=", &d->count)
           || grid_number(word, "+", &d->value_size) || grid_number(word, "rows=", &d->rows)
           || grid_number(word, "record=", &d->record_size)
           || grid_number(word, "segments=", &d->segment_count)
           || grid_number(word, "k=n/", part) || grid_number(word, "k=", &d->top_k)
           || sscanf(word, "bits=%u:%u", &d->first_bit, &d->last_bit) == 2 || grid_is_key(c, word)
           || (!strncmp(word, "pattern=", 8) && c->pattern);
}

static inline void grid_several_fields(grid_cell *c)
{
    c->d.key_type = 0;
    c->d.record_size = c->key->record_size;
    if (c->expression) {
        c->d.record_type = c->key->record_type;
        c->d.precedes = c->key->precedes;
    } else {
        c->d.fields = c->key->fields;
        c->d.field_count = c->key->count;
    }
}

/* Reads a cell. Returns 0 if it is none. */
static inline int grid_parse(const char *text, grid_cell *c)
{
    char words[GRID_TEXT], *word;
    size_t part = 0;
    memset(c, 0, sizeof *c);
    if (strlen(text) >= GRID_TEXT) return 0;
    strcpy(c->text, text);
    strcpy(words, text);
    c->d = clsort_desc_default();
    c->type = CLSORT_U32;
    for (word = strtok(words, " "); word; word = strtok(NULL, " "))
        if (!grid_word(c, word, &part)) return 0;
    if (part) c->d.top_k = c->d.count / part;
    if (!c->pattern) c->pattern = pattern_is_float(c->type) ? "unit" : "uniform";
    c->d.key_type = c->type;
    if (c->key) grid_several_fields(c);
    c->total = c->d.count * (c->d.rows ? c->d.rows : 1);
    return c->d.count > 0 && pattern_applies(pattern_find(c->pattern), c->type);
}

/* Reads cell `number` of the grid, and sets *line to the number of its line. Returns 0 behind the
   last cell. */
static inline int grid_take(size_t number, grid_cell *c, size_t *line)
{
    char text[GRID_TEXT];
    for (*line = 0; *line < GRID_LINES; ++*line) {
        size_t i = 0;
        while (grid_expand(grid_lines[*line], i, text)) {
            if (!number--) return grid_parse(text, c);
            i++;
        }
    }
    return 0;
}

#endif
