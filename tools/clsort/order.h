/* order.h - the order that the options of a command ask for, as a description: by a key, by fields
   of a record, or by an expression. */

#ifndef CLSORT_TOOLS_ORDER_H
#define CLSORT_TOOLS_ORDER_H

#include "files.h"

/* The description points into the rest: do not copy it. */
typedef struct sort_order {
    clsort_desc desc;
    const key_type *type;                       /* NULL: records */
    clsort_field fields[CLSORT_MAX_FIELDS];
    unsigned char *record_type, *precedes;      /* from malloc, or NULL */
} sort_order;

/* Is the option's value the second one of two words? Returns an exit code. */
static int choice(const arguments *a, option_id id, const char *first, const char *second,
                  cl_uint *is_second)
{
    const char *word = argument(a, id, first);
    *is_second = !strcmp(word, second);
    if (*is_second || !strcmp(word, first)) return DONE_OK;
    return fail(DONE_USAGE, "--%s must be %s or %s, not '%s'", option_rules[id].name, first, second,
                word);
}

/* The place of NaNs. Returns an exit code. */
static int nan_option(const arguments *a, cl_uint *order)
{
    const char *word = argument(a, OPTION_NAN, "total");
    *order = !strcmp(word, "last")    ? (cl_uint)CLSORT_NAN_LAST
             : !strcmp(word, "equal") ? (cl_uint)CLSORT_NAN_EQUAL
                                      : (cl_uint)CLSORT_NAN_TOTAL;
    if (*order || !strcmp(word, "total")) return DONE_OK;
    return fail(DONE_USAGE, "--nan must be total, last or equal, not '%s'", word);
}

/* The number of bytes that an option gives. Returns an exit code. */
static int size_option(const arguments *a, option_id id, size_t *size)
{
    unsigned long long bytes;
    if (!count_parse(argument(a, id, ""), &bytes) || bytes == 0 || bytes > (1u << 30))
        return fail(DONE_USAGE, "--%s must be a number of bytes, not '%s'", option_rules[id].name,
                    argument(a, id, ""));
    *size = (size_t)bytes;
    return DONE_OK;
}

static int type_option(const arguments *a, const key_type **type)
{
    const char *name = argument(a, OPTION_TYPE, NULL);
    *type = name ? key_type_find(name) : NULL;
    if (*type) return DONE_OK;
    return name ? fail(DONE_USAGE, "unknown type '%s': it must be one of %s", name,
                       option_rules[OPTION_TYPE].help)
                : fail(DONE_USAGE, "--type is missing: %s", option_rules[OPTION_TYPE].help);
}

/* The bits that --bits asks for, of keys of `width` bits; all of them without it. Returns an exit
   code. */
static int bits_option(const arguments *a, unsigned width, clsort_desc *d)
{
    const char *text = argument(a, OPTION_BITS, NULL), *at = text;
    unsigned long long first, last;
    if (!text) return DONE_OK;
    if (!whole_parse(&at, &first) || *at++ != ':' || !whole_parse(&at, &last) || *at
        || first >= last || last > width)
        return fail(DONE_USAGE, "--bits must be FIRST:LAST with FIRST < LAST <= %u, not '%s'",
                    width, text);
    d->first_bit = (cl_uint)first;
    d->last_bit = (cl_uint)last;
    return DONE_OK;
}

/* As clsort_set_algorithm, and "auto" leaves the default. Returns an exit code. */
static int algorithm_select(clsort_desc *d, const char *name)
{
    if (!strcmp(name, "auto") || clsort_set_algorithm(d, name) == CL_SUCCESS) return DONE_OK;
    return fail(DONE_USAGE, "unknown algorithm '%s'; `clsort info --verbose` lists them", name);
}

/* ---- algorithms ------------------------------------------------------------------------------ */

/* Appends the names of algorithms that sort what a description asks for: "auto, merge or radix".
   Those that sort rows as published count as one, other variants not. */
static void algorithms_list(const clsort_desc *d, char *text, size_t room)
{
    const char *names[16] = { "auto" }, *name;
    int count = 1, i, is_batch = 0;
    cl_uint k;
    for (k = 1; (name = clsort_algorithm_name(k)) != NULL && count < 16; k++) {
        clsort_desc other = *d;
        memset(&other.tuning, 0, sizeof other.tuning);
        if (clsort_set_algorithm(&other, name) || !clsort__can(other.algorithm, &other)) continue;
        if (clsort__is_batch(&other) && !is_batch++) names[count++] = "batch-...";
        else if (!strcmp(name, clsort__family_name(other.algorithm)))
            names[count++] = name;
    }
    for (i = 0; i < count; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, room - used, "%s%s",
                 !i ? "" : i + 1 < count ? ", " : " or ", names[i]);
    }
}

/* The option that an algorithm does not go with; NULL: none, or clsort itself says it. */
static const char *unsupported_option(const clsort_desc *d)
{
    static const char *const words[][2] = { { "precedes", "--precedes" },
                                            { "first_bit, last_bit", "--bits" },
                                            { "fields of more than 8 bytes",
                                              "--fields of more than 8 bytes" },
                                            { "rows", "--rows" },
                                            { "segments", "--segments" } };
    const char *part;
    size_t i;
    if (!d->algorithm || clsort__can(d->algorithm, d)) return NULL;
    part = clsort__unsupported_part(clsort__form_of(d->algorithm, d), d);
    for (i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(part, words[i][0])) return words[i][1];
    return NULL;
}

/* Does the algorithm of that name sort what its description asks for? Returns an exit code. */
static int algorithm_fits(const clsort_desc *d, const char *name)
{
    const char *option = unsupported_option(d);
    char others[200] = "";
    if (clsort__is_batch(d) && !d->rows)
        return fail(DONE_USAGE, "--algorithm %s needs --rows", name);
    if (!option) return DONE_OK;
    algorithms_list(d, others, sizeof others);
    return fail(DONE_USAGE, "%s goes with --algorithm %s only, not with %s", option, others, name);
}

/* Does the algorithm that --algorithm names sort what the other options ask for? Returns an exit
   code. */
static int algorithm_check(const arguments *a, const clsort_desc *order)
{
    const char *name = argument(a, OPTION_ALGORITHM, "auto");
    unsigned long long rows = 0;
    clsort_desc d = *order;
    if (clsort__local_choice(&d.tuning) == CLSORT__LOCAL_ONLY && a->command != FOR_EXPLAIN)
        return fail(DONE_USAGE, "--algorithm %s sorts blocks of a work-group only: it is for bench",
                    name);
    d.rows = count_parse(argument(a, OPTION_ROWS, "0"), &rows) && rows <= UINT32_MAX
                 ? (size_t)rows
                 : 1;   /* what is no count is refused later */
    d.segment_count = a->given[OPTION_SEGMENTS] && !d.rows;
    return algorithm_fits(&d, name);
}

/* ---- records --------------------------------------------------------------------------------- */

/* Takes what follows the offset of a field: ":desc:nan-last". Returns 0 at the first word that is
   not known. */
static int field_words(char *words, clsort_field *f)
{
    while (words) {
        char *next = strchr(words, ':');
        if (next) *next++ = '\0';
        if (!strcmp(words, "desc")) f->order = CLSORT_DESCENDING;
        else if (!strcmp(words, "nan-last")) f->nan_order = CLSORT_NAN_LAST;
        else if (!strcmp(words, "nan-equal")) f->nan_order = CLSORT_NAN_EQUAL;
        else if (!strcmp(words, "zero-equal")) f->zero_order = CLSORT_ZERO_EQUAL;
        else if (strcmp(words, "asc")) return 0;
        words = next;
    }
    return 1;
}

/* The type of a field: a key's, or "bytes10" for 10 bytes. 0: neither. */
static cl_uint field_type_find(const char *name)
{
    const key_type *type = key_type_find(name);
    unsigned long long bytes;
    if (type) return type->code;
    if (strncmp(name, "bytes", 5) || !count_parse(name + 5, &bytes) || !bytes
        || bytes > CLSORT_MAX_FIELD_BYTES)
        return 0;
    return CLSORT_BYTES + (cl_uint)bytes;
}

/* Parses one field, "f32@8:desc". Returns what is wrong, or NULL. */
static const char *field_parse(char *text, clsort_field *f)
{
    char *offset = strchr(text, '@'), *words = strchr(text, ':');
    unsigned long long bytes;
    memset(f, 0, sizeof *f);
    if (!offset || (words && words < offset)) return "is not TYPE@OFFSET";
    *offset++ = '\0';
    if (words) *words++ = '\0';
    f->type = field_type_find(text);
    if (!f->type) return "has an unknown type";
    if (!count_parse(offset, &bytes) || bytes > (1u << 30))
        return "has no offset in bytes behind @";
    f->offset = (size_t)bytes;
    return field_words(words, f)
               ? NULL
               : "may end in :asc, :desc, :nan-last, :nan-equal and :zero-equal only";
}

/* Does a field, of which the option says `text`, lie in the record, at a multiple of its size, as
   clsort wants it? Returns an exit code. */
static int field_check(const char *text, const clsort_field *f, size_t record)
{
    const int length = (int)strcspn(text, ":,"), type = (int)strcspn(text, "@");
    const size_t size = reference_field_size(f->type),
                 unit = reference_is_bytes(f->type) ? 1 : size;
    if (f->offset + size > record)
        return fail(DONE_USAGE, "--fields: %.*s reaches beyond the record of %zu bytes", length,
                    text, record);
    if (f->offset % unit)
        return fail(DONE_USAGE, "--fields: %.*s: the offset of %s %.*s must be a multiple of %zu",
                    length, text, strchr("if", *text) ? "an" : "a", type, text, unit);
    if (record % unit)
        return fail(DONE_USAGE, "--record-size %zu must be a multiple of %zu, because of %.*s",
                    record, unit, length, text);
    return DONE_OK;
}

static int fields_parse(const char *list, sort_order *o)
{
    cl_uint count = 0;
    while (list) {
        const char *comma = strchr(list, ','), *problem = "is too long";
        size_t length = comma ? (size_t)(comma - list) : strlen(list);
        char text[64];
        if (count == CLSORT_MAX_FIELDS)
            return fail(DONE_USAGE, "--fields: there are more than %d fields", CLSORT_MAX_FIELDS);
        if (length < sizeof text) {
            memcpy(text, list, length);
            text[length] = '\0';
            problem = field_parse(text, &o->fields[count++]);
        }
        if (problem) return fail(DONE_USAGE, "--fields: '%.*s' %s", (int)length, list, problem);
        if (field_check(list, &o->fields[count - 1], o->desc.record_size) != DONE_OK)
            return DONE_USAGE;
        list = comma ? comma + 1 : NULL;
    }
    o->desc.fields = o->fields;
    o->desc.field_count = count;
    return DONE_OK;
}

/* The text of an option, or of the file that it names after '@'. Returns an exit code. */
static int text_option(const arguments *a, option_id id, unsigned char **text)
{
    const char *value = argument(a, id, "");
    if (*value == '@') return source_read(value + 1, text);
    *text = (unsigned char *)strdup(value);
    return *text ? DONE_OK : fail(DONE_IO, "--%s: %s", option_rules[id].name, strerror(ENOMEM));
}

static int comparator_parse(const arguments *a, sort_order *o)
{
    int code = text_option(a, OPTION_RECORD_TYPE, &o->record_type);
    if (code == DONE_OK) code = text_option(a, OPTION_PRECEDES, &o->precedes);
    o->desc.record_type = (const char *)o->record_type;
    o->desc.precedes = (const char *)o->precedes;
    return code;
}

/* Does the command line ask for records? */
static int asks_records(const arguments *a)
{
    return a->given[OPTION_RECORD_SIZE] || a->given[OPTION_FIELDS] || a->given[OPTION_PRECEDES]
           || a->given[OPTION_RECORD_TYPE];
}

/* The option is for keys: says so, and how to write it as a word of the first field, if that has
   such a word. Returns an exit code. */
static int refuse_for_records(const arguments *a, option_id id, const char *prefix)
{
    const char *fields = argument(a, OPTION_FIELDS, "f32@0");
    char word[24] = "", read[24], hint[100] = "";
    clsort_field f;
    if (prefix) snprintf(word, sizeof word, "%s%s", prefix, argument(a, id, ""));
    memcpy(read, word, sizeof read);
    if (prefix && !a->given[OPTION_PRECEDES] && field_words(read, &f))
        snprintf(hint, sizeof hint, ": write %.*s:%s", (int)strcspn(fields, ":,"), fields, word);
    return fail(DONE_USAGE,
                "--%s is for keys: records are ordered by --fields or --precedes alone%s",
                option_rules[id].name, hint);
}

static int record_options(const arguments *a, sort_order *o)
{
    static const struct { option_id id; const char *prefix; } of_keys[] = {
        { OPTION_ORDER, "" },
        { OPTION_NAN, "nan-" },
        { OPTION_ZERO, "zero-" },
        { OPTION_BITS, NULL },
        { OPTION_TEXT, NULL }
    };
    size_t i;
    int code;
    for (i = 0; i < sizeof of_keys / sizeof of_keys[0]; i++)
        if (a->given[of_keys[i].id])
            return refuse_for_records(a, of_keys[i].id, of_keys[i].prefix);
    if (a->given[OPTION_VALUES])
        return fail(DONE_USAGE, "--values go with keys: records carry their own");
    if (!a->given[OPTION_RECORD_SIZE])
        return fail(DONE_USAGE, "--fields and --precedes need --record-size");
    if (a->given[OPTION_FIELDS] && a->given[OPTION_PRECEDES])
        return fail(DONE_USAGE, "--fields and --precedes exclude each other");
    if (!a->given[OPTION_PRECEDES] != !a->given[OPTION_RECORD_TYPE])
        return fail(DONE_USAGE, "--precedes and --record-type go together");
    if (!a->given[OPTION_FIELDS] && !a->given[OPTION_PRECEDES])
        return fail(DONE_USAGE, "--record-size needs either --fields or --precedes");
    code = size_option(a, OPTION_RECORD_SIZE, &o->desc.record_size);
    if (code != DONE_OK) return code;
    return a->given[OPTION_FIELDS] ? fields_parse(argument(a, OPTION_FIELDS, NULL), o)
                                   : comparator_parse(a, o);
}

/* ---- both ------------------------------------------------------------------------------------ */

static int key_options(const arguments *a, sort_order *o)
{
    clsort_desc *d = &o->desc;
    int code = type_option(a, &o->type);
    if (code == DONE_OK) code = choice(a, OPTION_ORDER, "asc", "desc", &d->order);
    if (code == DONE_OK) code = nan_option(a, &d->nan_order);
    if (code == DONE_OK) code = choice(a, OPTION_ZERO, "distinct", "equal", &d->zero_order);
    if (code == DONE_OK) code = bits_option(a, 8 * (unsigned)o->type->size, d);
    if (code != DONE_OK) return code;
    d->key_type = o->type->code;
    if (!o->type->fraction) d->nan_order = d->zero_order = 0;
    return DONE_OK;
}

/* Fields and expressions have types of their own. Returns an exit code. */
static int refuse_type(const arguments *a)
{
    const char *type = argument(a, OPTION_TYPE, ""), *fields = argument(a, OPTION_FIELDS, NULL);
    const char *at = fields ? strchr(fields, '@') : NULL;
    const int known = field_type_find(type) != 0, offset = at ? (int)strcspn(at, ":,") : 0,
              same = at && !strncmp(fields, type, strlen(type)) && fields + strlen(type) == at;
    if (a->given[OPTION_PRECEDES])
        return fail(DONE_USAGE, "--type is for keys: leave out --type");
    if (!fields)
        return fail(DONE_USAGE, "--type is for keys: leave out --type%s%s%s",
                    known ? ", and write --fields " : "", known ? type : "", known ? "@0" : "");
    return fail(DONE_USAGE, "--type is for keys: leave out --type, since --fields say the types%s%s"
                "%.*s", known && at && !same ? ": a key of that type is " : "",
                known && at && !same ? type : "", known && !same ? offset : 0, at ? at : "");
}

static void order_free(sort_order *o)
{
    free(o->record_type);
    free(o->precedes);
}

/* Fills *o from the options; order_free afterwards, also after a failure. Returns an exit code. */
static int order_options(const arguments *a, sort_order *o)
{
    int code;
    memset(o, 0, sizeof *o);
    o->desc.stable = a->given[OPTION_STABLE] > 0;
    if (algorithm_select(&o->desc, argument(a, OPTION_ALGORITHM, "auto")) != DONE_OK)
        return DONE_USAGE;
    if (asks_records(a) && a->given[OPTION_TYPE])
        return refuse_type(a);
    code = asks_records(a) ? record_options(a, o) : key_options(a, o);
    return code == DONE_OK ? algorithm_check(a, &o->desc) : code;
}

#endif
