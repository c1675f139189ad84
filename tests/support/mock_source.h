/* mock_source.h - reads OpenCL C as far as a driver for tests needs it: runs the preprocessor with
   a program's options, and finds the kernels that are left with the kinds of their parameters. A
   #error that is met fails the build. Bodies are not looked at.

   mock_read_source(count, texts)       the text of a program; texts that are equal are read once
   mock_read_kernels(source, options)   its kernels; options that are equal are read once

   What these return lives as long as the program that calls them. Threads may call them. */

#ifndef CLSORT_TESTS_MOCK_SOURCE_H
#define CLSORT_TESTS_MOCK_SOURCE_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOCK_PARAMETERS = 64, MOCK_MACROS = 1024, MOCK_EXPANSION = 1 << 14, MOCK_NESTING = 64 };

/* Parameters: a pointer to global or to local memory, or a value of so many bytes. */
enum { MOCK_GLOBAL = -1, MOCK_LOCAL = -2, MOCK_UNKNOWN = -3, MOCK_OPTIONAL = -4 };

typedef struct mock_signature {
    struct mock_signature *next;
    char name[64];
    int count, kinds[MOCK_PARAMETERS];
} mock_signature;

/* The kernels of a program as it is built with some options. */
typedef struct mock_kernels {
    struct mock_kernels *next;
    char *options;
    char error[120];                /* the text of a #error; "" if there is none */
    mock_signature *first;
} mock_kernels;

/* A directive or the head of a kernel. */
typedef struct mock_line {
    struct mock_line *next;
    const char *text;
} mock_line;

typedef struct mock_source {
    struct mock_source *next;
    char *text, *clean;             /* as given; without comments, lines joined */
    mock_line *lines;
    mock_kernels *kernels[MOCK_MACROS];     /* by a hash of the options */
} mock_source;

typedef struct mock_macro {
    const char *name, *parameters, *body;   /* parameters NULL: none, not even brackets */
    size_t length;                          /* of the name; 0: no macro */
} mock_macro;

typedef struct mock_reader {
    mock_macro macros[MOCK_MACROS];
    char *room;                     /* for expansions */
} mock_reader;

static mock_source *mock_sources;

static inline void *mock_keep(size_t bytes)
{
    void *p = calloc(1, bytes);
    if (!p) abort();
    return p;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Copies a text without comments; joins lines that a backslash splits. Strings have none of these.
 */
static inline char *mock_clean_text(const char *from)
{
    char *clean = (char *)mock_keep(strlen(from) + 1), *to = clean;
    while (*from) {
        if (from[0] == '/' && from[1] == '*') {
            const char *const end = strstr(from + 2, "*/");
            from = end ? end + 2 : from + strlen(from);
            *to++ = ' ';
        } else if (from[0] == '/' && from[1] == '/') {
            from += strcspn(from, "\n");
        } else if (from[0] == '\\' && from[1] == '\n') {
            from += 2;
        } else {
            *to++ = *from++;
        }
    }
    return clean;
}

/* Does a line begin the head of a kernel? */
static inline int mock_begins_kernel(const char *line)
{
    const size_t word = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    if (!strncmp(line, "kernel ", 7) || !strncmp(line, "__kernel ", 9)) return 1;
    return word >= 6 && !strncmp(line + word - 6, "KERNEL", 6);
}

/* The end of the head: where brackets are balanced again, but for those of attributes. */
static inline char *mock_head_end(char *c)
{
    int depth = 0;
    for (; *c; c++) {
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
        if (*c == ')' && depth == 0 && strncmp(c, ") void ", 7)) return c + 1;
    }
    return c;
}

/* Lists what matters of a clean text, which it cuts into lines. */
static inline mock_line *mock_list_lines(char *c)
{
    mock_line *first = NULL, **place = &first;
    while (*c) {
        const size_t blank = strspn(c, " \t");
        char *end = c + strcspn(c, "\n");
        if (c[blank] != '#' && !mock_begins_kernel(c)) {
            c = end + (*end != 0);
            continue;
        }
        if (c[blank] != '#') end = mock_head_end(c);
        *place = (mock_line *)mock_keep(sizeof **place);
        (*place)->text = c + blank;
        place = &(*place)->next;
        c = end + (*end != 0);
        *end = 0;
    }
    return first;
}

/* Is a text that is known the same as these together? */
static inline int mock_same_source(const mock_source *s, unsigned count, const char *const *texts)
{
    const char *at = s->text;
    unsigned i;
    for (i = 0; i < count; i++) {
        const size_t length = strlen(texts[i]);
        if (strncmp(at, texts[i], length)) return 0;
        at += length;
    }
    return !*at;
}

static inline const mock_source *mock_read_source(unsigned count, const char *const *texts)
{
    mock_source *s = __atomic_load_n(&mock_sources, __ATOMIC_ACQUIRE);
    size_t length = 1;
    unsigned i;
    for (; s; s = s->next)
        if (mock_same_source(s, count, texts)) return s;
    for (i = 0; i < count; i++) length += strlen(texts[i]);
    s = (mock_source *)mock_keep(sizeof *s);
    s->text = (char *)mock_keep(length);
    for (i = 0, length = 0; i < count; length += strlen(texts[i++]))
        strcpy(s->text + length, texts[i]);
    s->clean = mock_clean_text(s->text);
    s->lines = mock_list_lines(s->clean);
    s->next = __atomic_load_n(&mock_sources, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&mock_sources, &s->next, s, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
        continue;
    return s;
}

/* ---- macros ---------------------------------------------------------------------------------- */

static inline size_t mock_word(const char *c)
{
    size_t n = 0;
    if (isalpha((unsigned char)*c) || *c == '_')
        while (isalnum((unsigned char)c[n]) || c[n] == '_') n++;
    return n;
}

static inline unsigned mock_hash(const char *text, size_t length)
{
    unsigned hash = 2166136261u;
    size_t i;
    for (i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

/* The place of a macro's name in the table. */
static inline mock_macro *mock_find_macro(mock_reader *r, const char *name, size_t length)
{
    unsigned hash = mock_hash(name, length);
    for (;; hash++) {
        mock_macro *m = &r->macros[hash % MOCK_MACROS];
        if (!m->name || (m->length == length && !strncmp(m->name, name, length))) return m;
    }
}

/* "NAME BODY", "NAME(PARAMETERS) BODY" or, in options, "NAME=BODY". A macro that is undefined keeps
 * its place. */
static inline void mock_define(mock_reader *r, const char *text, int undefine)
{
    const size_t length = mock_word(text);
    mock_macro *m = mock_find_macro(r, text, length);
    m->name = text;
    m->length = length;
    m->parameters = text[length] == '(' ? text + length + 1 : NULL;
    m->body =
        m->parameters ? strchr(m->parameters, ')') + 1 : text + length + (text[length] == '=');
    if (undefine) m->body = NULL;
}

typedef struct mock_scope {
    const struct mock_scope *outer;
    const mock_macro *macro;                            /* not expanded again */
    const char *arguments[16];
    size_t lengths[16];
} mock_scope;

static inline char *mock_expand(mock_reader *r, const char *from, const char *end,
                                const mock_scope *scope, char *to);

/* The number of a macro's parameter, -1 if it is none. */
static inline int mock_parameter(const mock_macro *m, const char *word, size_t length)
{
    const char *c = m->parameters;
    int i;
    for (i = 0; c && *c != ')'; i++) {
        c += strspn(c, " ,");
        if (mock_word(c) == length && !strncmp(c, word, length)) return i;
        c += mock_word(c);
        c += strspn(c, " ");
    }
    return -1;
}

/* Finds the arguments of a call behind its bracket; returns what follows it. */
static inline const char *mock_find_arguments(const char *c, const char *end, mock_scope *scope)
{
    int depth = 0, count = 0;
    scope->arguments[0] = c;
    for (; c < end && count < 15; c++) {
        if (depth == 0 && (*c == ',' || *c == ')')) {
            scope->lengths[count] = (size_t)(c - scope->arguments[count]);
            if (*c == ')') return c + 1;
            scope->arguments[++count] = c + 1;
        }
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
    }
    return c;
}

static inline int mock_pastes(const char *c)
{
    c += strspn(c, " ");
    return c[0] == '#' && c[1] == '#';
}

/* Writes an argument of a macro, expanded or as it is. What is expanded on the way lies farther
 * off. */
static inline char *mock_put_argument(mock_reader *r, const mock_scope *scope, int number,
                                      int as_it_is, const mock_scope *outer, char *to)
{
    const char *text = scope->arguments[number], *const end = text + scope->lengths[number];
    char *const room = r->room;
    if (as_it_is) {
        text += strspn(text, " ");
        memcpy(to, text, (size_t)(end - text));
        return to + (end - text);
    }
    r->room = to + MOCK_EXPANSION / 4;
    to = mock_expand(r, text, end, outer, to);
    r->room = room;
    return to;
}

/* Puts the arguments into a macro's body: expanded, but beside ## as they are. */
static inline char *mock_substitute(mock_reader *r, const mock_scope *scope,
                                    const mock_scope *outer, char *to)
{
    const char *c = scope->macro->body, *const end = c + strlen(c);
    int pasted = 0;
    while (c < end) {
        const size_t word = mock_word(c);
        const int number = word ? mock_parameter(scope->macro, c, word) : -1;
        if (mock_pastes(c)) {
            c += strspn(c, " ") + 2;
            c += strspn(c, " ");
            pasted = 1;
            continue;
        }
        if (number < 0) {
            memcpy(to, c, word ? word : 1);
            to += word ? word : 1;
        } else {
            const int as_it_is = pasted || mock_pastes(c + word);
            to = mock_put_argument(r, scope, number, as_it_is, outer, to);
        }
        pasted = 0;
        c += word ? word : 1;
    }
    return to;
}

/* Expands all macros of a text; returns the end of what was written. */
static inline char *mock_expand(mock_reader *r, const char *from, const char *end,
                                const mock_scope *scope, char *to)
{
    while (from < end) {
        const size_t left = (size_t)(end - from), length = mock_word(from),
                     word = length < left ? length : left;   /* older text may lie behind */
        const mock_macro *m = word ? mock_find_macro(r, from, word) : NULL;
        const mock_scope *s;
        mock_scope inner;
        char *body;
        for (s = scope; s && m; s = s->outer)
            if (s->macro == m) m = NULL;
        if (!m || !m->name || !m->body || (m->parameters && from[word] != '(')) {
            memcpy(to, from, word ? word : 1);
            to += word ? word : 1;
            from += word ? word : 1;
            continue;
        }
        memset(&inner, 0, sizeof inner);
        inner.outer = scope;
        inner.macro = m;
        from += word;
        if (m->parameters) from = mock_find_arguments(from + 1, end, &inner);
        body = r->room;
        r->room = mock_substitute(r, &inner, scope, body);
        to = mock_expand(r, body, r->room, &inner, to);
        r->room = body;
    }
    return to;
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* What is left of an expression. */
typedef struct mock_expression { const char *c; } mock_expression;

static inline long mock_evaluate(mock_expression *e, int least);

static inline long mock_operand(mock_expression *e)
{
    long value = 0;
    char *end;
    size_t word;
    e->c += strspn(e->c, " \t");
    switch (*e->c) {
    case '!': e->c++; return !mock_operand(e);
    case '-': e->c++; return -mock_operand(e);
    case '+': e->c++; return mock_operand(e);
    case '~': e->c++; return ~mock_operand(e);
    case '(':
        e->c++;
        value = mock_evaluate(e, 0);
        e->c += strspn(e->c, " \t");
        e->c += *e->c == ')';
        return value;
    default: break;
    }
    word = mock_word(e->c);
    if (word) {
        e->c += word;   /* no macro, so 0 */
        return 0;
    }
    value = strtol(e->c, &end, 0);
    e->c = end + strspn(end, "uUlL");
    return value;
}

/* How strongly operators bind; those of two characters first. */
static const struct { const char *text; int strength;
} mock_operators[] = {
    { "||", 2 }, { "&&", 3 }, { "==", 7 }, { "!=", 7 }, { "<=", 8 }, { ">=", 8 },
    { "<<", 9 }, { ">>", 9 }, { "|", 4 },  { "^", 5 },  { "&", 6 },  { "<", 8 },
    { ">", 8 },  { "+", 10 }, { "-", 10 }, { "*", 11 }, { "/", 11 }, { "%", 11 }
};

static inline long mock_calculate(const char *o, long a, long b)
{
    switch (o[0] + (o[1] ? 256 : 0)) {
    case '|' + 256: return a || b;
    case '&' + 256: return a && b;
    case '=' + 256: return a == b;
    case '!' + 256: return a != b;
    case '<' + 256: return o[1] == '<' ? a << b : a <= b;
    case '>' + 256: return o[1] == '>' ? a >> b : a >= b;
    case '|': return a | b;
    case '^': return a ^ b;
    case '&': return a & b;
    case '<': return a < b;
    case '>': return a > b;
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/': return b ? a / b : 0;
    default: return b ? a % b : 0;
    }
}

/* An expression of operators that bind at least as strongly. */
static inline long mock_evaluate(mock_expression *e, int least)
{
    long value = mock_operand(e);
    for (;;) {
        const size_t all = sizeof mock_operators / sizeof *mock_operators;
        size_t i = 0;
        e->c += strspn(e->c, " \t");
        while (i < all && strncmp(e->c, mock_operators[i].text, strlen(mock_operators[i].text)))
            i++;
        if (*e->c == '?' && least <= 1) {
            long yes, no;
            e->c++;
            yes = mock_evaluate(e, 0);
            e->c += strspn(e->c, " \t:");
            no = mock_evaluate(e, 1);
            return value ? yes : no;
        }
        if (i == all || mock_operators[i].strength < least) return value;
        e->c += strlen(mock_operators[i].text);
        value = mock_calculate(mock_operators[i].text, value,
                               mock_evaluate(e, mock_operators[i].strength + 1));
    }
}

/* Copies a condition with 0 or 1 for each `defined`. */
static inline void mock_answer_defined(mock_reader *r, const char *from, char *to)
{
    while (*from) {
        const size_t word = mock_word(from);
        if (word == 7 && !strncmp(from, "defined", 7)) {
            const mock_macro *m;
            from += 7 + strspn(from + 7, " (");
            m = mock_find_macro(r, from, mock_word(from));
            *to++ = m->name && m->body ? '1' : '0';
            from += mock_word(from);
            from += strspn(from, " )");
        } else {
            memcpy(to, from, word ? word : 1);
            to += word ? word : 1;
            from += word ? word : 1;
        }
    }
    *to = 0;
}

static inline int mock_condition(mock_reader *r, const char *text)
{
    static __thread char answered[1024], expanded[MOCK_EXPANSION];
    mock_expression e;
    mock_answer_defined(r, text, answered);
    *mock_expand(r, answered, answered + strlen(answered), NULL, expanded) = 0;
    e.c = expanded;
    return mock_evaluate(&e, 0) != 0;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* A buffer that may be absent: of a selection, one of those that bound rows, and the indices of its
   first round. */
static inline int mock_optional(const char *parameter)
{
    static const char *const names[] = { "*bounds,", "*ends,", "*number,", "*numbers," };
    const char *end = parameter + strcspn(parameter, ",)") + 1;
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++)
        if ((size_t)(end - parameter) > strlen(names[i])
            && !memcmp(end - strlen(names[i]), names[i], strlen(names[i])))
            return 1;
    return 0;
}

static inline int mock_kind(const char *type)
{
    type += strspn(type, " \n");
    if (!strncmp(type, "global ", 7)) return mock_optional(type) ? MOCK_OPTIONAL : MOCK_GLOBAL;
    if (!strncmp(type, "local ", 6)) return MOCK_LOCAL;
    if (!strncmp(type, "uint ", 5) || !strncmp(type, "int ", 4)) return 4;
    if (!strncmp(type, "ulong ", 6)) return 8;
    if (!strncmp(type, "ulong16 ", 8)) return 128;
    return strncmp(type, "ulong8 ", 7) && strncmp(type, "uint16 ", 7) ? MOCK_UNKNOWN : 64;
}

/* Reads an expanded head: "... void NAME(TYPE NAME, TYPE NAME)". */
static inline mock_signature *mock_read_head(const char *head)
{
    const char *c = strstr(head, "void ");
    mock_signature *s;
    size_t word;
    if (!strstr(head, "kernel ") || !c) return NULL;
    c += 5;
    word = mock_word(c);
    s = (mock_signature *)mock_keep(sizeof *s);
    snprintf(s->name, sizeof s->name, "%.*s", (int)word, c);
    for (c += word; s->count < MOCK_PARAMETERS && (*c == '(' || *c == ','); c += strcspn(c, ",)"))
        s->kinds[s->count++] = mock_kind(++c);
    return s;
}

/* Which of nested conditions hold: whether lines count, and whether a branch was taken. */
typedef struct mock_conditions {
    int depth, counts[MOCK_NESTING], taken[MOCK_NESTING];
} mock_conditions;

static inline int mock_branch(mock_reader *r, mock_conditions *n, const char *word,
                              const char *rest)
{
    const int is_if = !strncmp(word, "if", 2);
    int outer, holds;
    if (is_if) n->depth++, n->taken[n->depth] = 0;
    outer = n->counts[n->depth - 1];
    if (!strncmp(word, "endif", 5)) return n->depth--;
    if (!strncmp(word, "else", 4)) holds = !n->taken[n->depth];
    else if (!outer || n->taken[n->depth]) holds = 0;
    else if (!strncmp(word, "ifdef", 5) || !strncmp(word, "ifndef", 6)) {
        const mock_macro *m = mock_find_macro(r, rest, mock_word(rest));
        holds = (m->name && m->body) == (word[2] == 'd');
    } else holds = mock_condition(r, rest);
    n->counts[n->depth] = outer && holds;
    n->taken[n->depth] |= holds;
    return 1;
}

/* One directive that is no condition. */
static inline void mock_direct(mock_reader *r, mock_kernels *k, const char *word, const char *rest)
{
    if (!strncmp(word, "define", 6)) mock_define(r, rest, 0);
    else if (!strncmp(word, "undef", 5)) mock_define(r, rest, 1);
    else if (!strncmp(word, "error", 5) && !*k->error)
        snprintf(k->error, sizeof k->error, "%.110s", rest);
}

static inline void mock_read_lines(mock_reader *r, const mock_line *line, mock_kernels *k)
{
    static __thread char expanded[MOCK_EXPANSION];
    mock_signature **place = &k->first;
    mock_conditions n;
    memset(&n, 0, sizeof n);
    n.counts[0] = 1;
    for (; line; line = line->next) {
        const char *word = line->text + 1 + strspn(line->text + 1, " "), *rest;
        if (*line->text != '#') {
            if (!n.counts[n.depth]) continue;
            *mock_expand(r, line->text, line->text + strlen(line->text), NULL, expanded) = 0;
            *place = mock_read_head(expanded);
            if (*place) place = &(*place)->next;
            continue;
        }
        rest = word + mock_word(word) + strspn(word + mock_word(word), " ");
        if (!strncmp(word, "if", 2) || !strncmp(word, "el", 2) || !strncmp(word, "endif", 5))
            mock_branch(r, &n, word, rest);
        else if (n.counts[n.depth]) mock_direct(r, k, word, rest);
    }
}

/* Defines the macros of "-D NAME=VALUE" options, in a copy of them that is cut into pieces. */
static inline void mock_define_options(mock_reader *r, char *options)
{
    char *c = options;
    while ((c = strstr(c, "-D ")) != NULL) {
        char *const end = c + 3 + strcspn(c + 3, " ");
        const int last = !*end;
        *end = 0;
        mock_define(r, c + 3, 0);
        if (last) return;
        c = end + 1;
    }
}

static inline const mock_kernels *mock_read_kernels(const mock_source *source, const char *options)
{
    static __thread char room[16 * MOCK_EXPANSION], copy[4096];
    mock_source *const s = (mock_source *)(size_t)source;
    mock_kernels **const list = &s->kernels[mock_hash(options, strlen(options)) % MOCK_MACROS];
    mock_kernels *k = __atomic_load_n(list, __ATOMIC_ACQUIRE);
    mock_reader *r;
    for (; k; k = k->next)
        if (!strcmp(k->options, options)) return k;
    k = (mock_kernels *)mock_keep(sizeof *k);
    k->options = (char *)mock_keep(strlen(options) + 1);
    strcpy(k->options, options);
    snprintf(copy, sizeof copy, "%s", options);
    r = (mock_reader *)mock_keep(sizeof *r);
    r->room = room;
    mock_define_options(r, copy);
    mock_read_lines(r, s->lines, k);
    free(r);
    k->next = __atomic_load_n(list, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(list, &k->next, k, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        continue;
    return k;
}

#endif
