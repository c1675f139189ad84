/* options.h - the command line of the clsort program: one table of options, the parser and the help
   made from it. */

#ifndef CLSORT_TOOLS_OPTIONS_H
#define CLSORT_TOOLS_OPTIONS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"

enum { DONE_OK = 0, DONE_WRONG = 1, DONE_USAGE = 2, DONE_IO = 3, DONE_OPENCL = 4 };
enum { HELP_COLUMNS = 80 };

static const char exit_codes_help[] =
    "Exit codes: 0 done; 1 a wrong or unsorted result, or unsorted input of merge; 2 wrong usage, "
    "or a comparator that does not compile; 3 a file cannot be read, understood or written; 4 "
    "OpenCL or clsort failed, or the device is too small.\n";

/* Of commands that write files. */
static const char outputs_help[] =
    "An output is written beside its target: without a name or, where the system cannot do that, "
    "as .clsort.XXXXXX. It replaces the target when every output is complete and on the disk: a "
    "failure or a signal leaves all targets as they were. A file that replaces another has such a "
    "name for a moment, and a kill in that moment leaves it there. It gets the old one's owner "
    "and permissions. Where a link leads is replaced, not the link. Other hard links to a "
    "replaced file keep the old one, and a message says so.\n"
    "\n";

/* Commands, as bits of option_rule.commands. */
enum {
    FOR_INFO = 1,
    FOR_GEN = 2,
    FOR_SORT = 4,
    FOR_ARGSORT = 8,
    FOR_VERIFY = 16,
    FOR_BENCH = 32,
    FOR_MERGE = 64,
    FOR_EXPLAIN = 128,
    FOR_TOP = 256,
    FOR_MPI_SORT = 512,     /* of clsort-mpi */
    FOR_MPI_VERIFY = 1024,
    FOR_MPI = FOR_MPI_SORT | FOR_MPI_VERIFY,
    FOR_TUNE = 2048,
    FOR_REPORT = 4096,
    FOR_ALL = 8191,
    FOR_SORTS = FOR_SORT | FOR_ARGSORT,
    FOR_ORDER = FOR_SORTS | FOR_VERIFY | FOR_EXPLAIN,
    FOR_FILES = FOR_SORTS | FOR_VERIFY | FOR_MERGE | FOR_TOP,
    FOR_RAW = FOR_GEN | FOR_SORTS | FOR_MERGE | FOR_TOP,
    FOR_VALUES = FOR_SORT | FOR_MERGE | FOR_VERIFY | FOR_TOP
};

typedef enum option_id {
    OPTION_TYPE,
    OPTION_COUNT,
    OPTION_SEED,
    OPTION_LIST,
    OPTION_NANS,
    OPTION_OUTPUT,
    OPTION_FORCE,
    OPTION_TEXT,
    OPTION_ORDER,
    OPTION_STABLE,
    OPTION_NAN,
    OPTION_ZERO,
    OPTION_BITS,
    OPTION_RECORD_SIZE,
    OPTION_FIELDS,
    OPTION_RECORD_TYPE,
    OPTION_PRECEDES,
    OPTION_VALUES,
    OPTION_VALUE_SIZE,
    OPTION_VALUES_OUTPUT,
    OPTION_INDICES,
    OPTION_DEVICE,
    OPTION_CACHE,
    OPTION_ALGORITHM,
    OPTION_AGAINST,
    OPTION_PAIRS,
    OPTION_MERGE,
    OPTION_K,
    OPTION_UNSORTED,
    OPTION_NTH,
    OPTION_PARTITION,
    OPTION_INDICES_OUTPUT,
    OPTION_ROWS,
    OPTION_STRIDE,
    OPTION_SEGMENTS,
    OPTION_MEMORY,
    OPTION_TMP,
    OPTION_QUIET,
    OPTION_STAGES,
    OPTION_WORK_GROUP,
    OPTION_PUBLISHED,
    OPTION_BATCH,
    OPTION_PATTERN,
    OPTION_RUNS,
    OPTION_CSV,
    OPTION_JSON,
    OPTION_VERBOSE,
    OPTION_BALANCED,
    OPTION_SHARES,
    OPTION_STAGED,
    OPTION_CHUNK,
    OPTION_CHECK,
    OPTION_TIMES,
    OPTION_ALLTOALLV,
    OPTION_SECONDS,
    OPTION_NO_SELF_TEST,
    OPTION_HELP,
    OPTION_TOTAL
} option_id;

typedef struct option_rule {
    char letter;            /* 0: none */
    const char *name;
    const char *argument;   /* NULL: a switch */
    const char *help;
    int commands;
    int bench_list;         /* may be repeated, or be a comma list, in `bench` */
} option_rule;

static const option_rule option_rules[OPTION_TOTAL] = {
    { 0, "type", "TYPE", "u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64",
      FOR_GEN | FOR_FILES | FOR_EXPLAIN | FOR_BENCH | FOR_MPI, 1 },
    { 'n', "n", "COUNT",
      "number of keys: 1000, 2^20, 100k or 16Mi; k is 1000, Ki 1024",
      FOR_GEN | FOR_EXPLAIN | FOR_BENCH | FOR_TUNE | FOR_REPORT | FOR_MPI_SORT, 1 },
    { 0, "seed", "SEED", "of the pattern (default: 1)", FOR_GEN | FOR_BENCH | FOR_MPI_SORT, 0 },
    { 0, "list", NULL, "list the patterns", FOR_GEN, 0 },
    { 0, "nans", NULL, "infinities and NaNs among the floats of any pattern", FOR_GEN, 0 },
    { 'o', "output", "FILE", "write FILE",
      FOR_GEN | FOR_SORTS | FOR_MERGE | FOR_TOP | FOR_REPORT | FOR_MPI_SORT, 0 },
    { 0, "force", NULL, "write raw elements even to a terminal", FOR_RAW, 0 },
    { 0, "text", NULL,
      "files hold one number per line (default: raw keys); NaNs are nan or, with their bits, "
      "nan(0x...)",
      FOR_GEN | FOR_FILES, 0 },
    { 0, "order", "ORDER", "asc or desc (default: asc)", FOR_FILES | FOR_EXPLAIN | FOR_MPI, 0 },
    { 0, "stable", NULL, "equal keys keep their order", FOR_ORDER | FOR_MPI_SORT, 0 },
    { 0, "nan", "PLACE",
      "total: NaNs by bit pattern; last: after every number; equal: there, in their order "
      "(default: total)",
      FOR_FILES | FOR_EXPLAIN | FOR_MPI, 0 },
    { 0, "zero", "RULE", "distinct: -0 before +0; equal: in their order (default: distinct)",
      FOR_ORDER | FOR_TOP | FOR_MPI, 0 },
    { 0, "bits", "FIRST:LAST",
      "sort by bits FIRST to LAST - 1 alone; keys count as unsigned numbers in their order",
      FOR_ORDER | FOR_TOP | FOR_BENCH | FOR_MPI, 0 },
    { 0, "record-size", "BYTES", "elements are records, ordered by --fields or by --precedes",
      FOR_ORDER | FOR_BENCH | FOR_MPI, 0 },
    { 0, "fields", "LIST",
      "TYPE@OFFSET, then any of :asc :desc :nan-last :nan-equal :zero-equal; the first field "
      "decides; bytes10@0 are 10 bytes in the order of memcmp; OFFSET and --record-size are "
      "multiples of the size of each other TYPE",
      FOR_ORDER | FOR_BENCH | FOR_MPI, 0 },
    { 0, "record-type", "TEXT", "OpenCL C that declares clsort_record; @FILE reads a file",
      FOR_ORDER | FOR_BENCH, 0 },
    { 0, "precedes", "TEXT", "OpenCL C expression: does record a come before b? @FILE reads a file",
      FOR_ORDER | FOR_BENCH, 0 },
    { 0, "values", "FILE",
      "raw values that move with the keys; once for each file of keys that is read",
      FOR_VALUES | FOR_MPI, 0 },
    { 0, "value-size", "BYTES", "size of one value", FOR_VALUES | FOR_EXPLAIN | FOR_MPI, 0 },
    { 0, "values-output", "FILE", "write the values to FILE",
      FOR_SORT | FOR_MERGE | FOR_TOP | FOR_MPI_SORT, 0 },
    { 0, "indices", NULL, "the output is indices, as argsort writes them",
      FOR_VERIFY | FOR_EXPLAIN, 0 },
    { 0, "device", "NAME",
      "part of a device's or platform's name (default: $CLSORT_DEVICE, else a GPU)",
      FOR_INFO | FOR_FILES | FOR_EXPLAIN | FOR_BENCH | FOR_TUNE | FOR_REPORT | FOR_MPI_SORT, 0 },
    { 0, "cache", "FOLDER",
      "keep compiled kernels and what was measured there for the next run; none: nowhere (default: "
      "$CLSORT_CACHE, else clsort in your folder of caches)",
      FOR_FILES | FOR_INFO | FOR_TUNE | FOR_MPI_SORT, 0 },
    { 0, "algorithm", "NAME",
      "auto, bitonic, merge, radix, quicksort or one of their variants, which `clsort info "
      "--verbose` lists (default: auto)",
      FOR_SORTS | FOR_EXPLAIN | FOR_BENCH | FOR_MPI_SORT, 1 },
    { 0, "against", "NAME", "interleave this algorithm and print the ratio", FOR_BENCH, 0 },
    { 0, "pairs", NULL, "move a u32 value with each key", FOR_EXPLAIN | FOR_BENCH, 0 },
    { 0, "merge", NULL, "merge two sorted halves instead of sorting", FOR_BENCH, 0 },
    { 0, "k", "COUNT", "so many of each row: the first ones in the order", FOR_TOP | FOR_EXPLAIN,
      0 },
    { 0, "unsorted", NULL, "with --k: in any order, the same each time", FOR_TOP | FOR_EXPLAIN, 0 },
    { 0, "nth", NULL, "with --k: only the last one of them", FOR_TOP | FOR_EXPLAIN, 0 },
    { 0, "partition", NULL, "with --k: whole rows, the k-th in its place between the others",
      FOR_TOP | FOR_EXPLAIN, 0 },
    { 0, "indices-output", "FILE", "write where in their row they were to FILE, a u32 for each",
      FOR_TOP, 0 },
    { 0, "rows", "COUNT", "so many equal rows, each on its own",
      FOR_SORTS | FOR_TOP | FOR_VERIFY | FOR_EXPLAIN | FOR_BENCH, 0 },
    { 0, "stride", "BYTES",
      "from one row to the next; the last row ends with the file (default: no gaps)",
      FOR_SORTS | FOR_TOP | FOR_VERIFY, 0 },
    { 0, "segments", "FILE",
      "sort segments, each on its own: u32 offsets where they begin, then where the last one ends",
      FOR_SORTS | FOR_VERIFY, 0 },
    { 0, "memory", "BYTES",
      "use that much: 4G, 512MiB (default: 3/4 of what is free)",
      FOR_SORT | FOR_VERIFY, 0 },
    { 0, "tmp", "FOLDER", "for temporary files (default: $TMPDIR, else beside the output)",
      FOR_SORT, 0 },
    { 0, "quiet", NULL, "show no progress, which is only shown on a terminal", FOR_SORT, 0 },
    { 0, "stages", NULL,
      "print the time of each kind of command, too; events for all of them make small sorts slower",
      FOR_BENCH, 0 },
    { 0, "work-group", "SIZE",
      "work-items per work-group, a power of two (default: clsort's choice)", FOR_BENCH, 1 },
    { 0, "published", "TABLE",
      "local-merge, bitonic-a, bitonic-steps, shared-512, quicksort or batch: that experiment, "
      "beside published rates",
      FOR_BENCH, 0 },
    { 0, "batch", NULL, "the same as --published batch: 200 rows of 8192 keys and of 8000",
      FOR_BENCH, 0 },
    { 0, "pattern", "NAME", "what `clsort gen --list` lists (default: uniform)",
      FOR_BENCH | FOR_MPI_SORT, 0 },
    { 0, "runs", "COUNT", "timed runs, 1 to 1000",
      FOR_BENCH | FOR_MPI_SORT, 0 },
    { 0, "csv", NULL, "print comma-separated values", FOR_BENCH | FOR_MPI_SORT, 0 },
    { 0, "json", NULL, "print JSON: one object", FOR_INFO | FOR_BENCH | FOR_TUNE, 0 },
    { 0, "verbose", NULL, "", FOR_INFO | FOR_TUNE, 0 },
    { 0, "balanced", NULL, "all ranks get equally many elements, give or take one", FOR_MPI_SORT,
      0 },
    { 0, "shares", "LIST", "weights of the ranks' inputs, as in 0,1,3 (default: all equal)",
      FOR_MPI_SORT, 0 },
    { 0, "staged", NULL, "exchange through pinned memory even where the device is the CPU",
      FOR_MPI_SORT, 0 },
    { 0, "chunk", "BYTES", "of a message (default: 4 MiB where staged, else the longest)",
      FOR_MPI_SORT, 0 },
    { 0, "check", NULL, "check order and checksum of the result in memory, across ranks",
      FOR_MPI_SORT, 0 },
    { 0, "times", NULL, "print the seconds of each phase", FOR_MPI_SORT, 0 },
    { 0, "alltoallv", NULL, "time a bare MPI_Alltoallv of the same bytes, too", FOR_MPI_SORT, 0 },
    { 0, "seconds", "COUNT", "the most time, builds included",
      FOR_TUNE | FOR_REPORT, 0 },
    { 0, "no-self-test", NULL, "leave out the self-test, which may take a minute", FOR_REPORT, 0 },
    { 'h', "help", NULL, "print this", FOR_ALL, 0 }
};

/* What the help of an option adds in some commands. */
typedef struct option_note {
    option_id option;
    int commands;
    const char *help;
} option_note;

static const option_note option_notes[] = {
    { OPTION_COUNT, FOR_EXPLAIN | FOR_BENCH, "with --rows in each row" },
    { OPTION_COUNT, FOR_BENCH,
      "default: 2^10 to 2^22, all rows together; on CPUs to 2^20, or of several algorithms and of "
      "--published to 2^18" },
    { OPTION_COUNT, FOR_TUNE | FOR_REPORT, "the most that are measured (default: 2^24)" },
    { OPTION_OUTPUT, ~FOR_MPI, "default: standard output" },
    { OPTION_OUTPUT, FOR_MPI, "default: nowhere" },
    { OPTION_RUNS, FOR_BENCH, "default: 9" },
    { OPTION_RUNS, FOR_MPI, "default: 1" },
    { OPTION_SECONDS, FOR_TUNE, "default: 120" },
    { OPTION_SECONDS, FOR_REPORT, "default: 60" },
    { OPTION_VERBOSE, FOR_INFO,
      "print which plan auto takes where, its choices, and all algorithms" },
    { OPTION_VERBOSE, FOR_TUNE, "print the choices for programs, too" },
    { OPTION_VALUE_SIZE, FOR_VALUES | FOR_MPI, "needed with --values" },
    { OPTION_MEMORY, FOR_SORT, "larger files go through temporary files" },
    { OPTION_MEMORY, FOR_VERIFY, "larger files are read once, in order" }
};

enum { OPERAND_MAX = 2, REPEAT_MAX = 32 };

typedef struct arguments {
    int command;                                   /* as a bit */
    const char *operand[OPERAND_MAX];
    int operand_count;
    const char *value[OPTION_TOTAL][REPEAT_MAX];   /* "" for a switch */
    int given[OPTION_TOTAL];                       /* how many times */
} arguments;

typedef struct command {
    const char *name;
    const char *operands;   /* for the usage line */
    const char *summary;    /* one line */
    const char *help;       /* the rest, "" or lines that end in a newline */
    int bit;
    int operand_min, operand_max;
    int (*run)(const arguments *);
} command;

/* Of the program, in messages and in the help. */
static const char *program_name = "clsort";
static int is_quiet;   /* no messages: another rank of clsort-mpi prints the same */

static int is_c1(unsigned char c) { return c >= 0x80 && c < 0xA0; }

/* Is *at a control character, or in UTF-8 a byte of one? `before`: the byte in front of it. */
static int is_control(const unsigned char *at, unsigned char before)
{
    return *at < 32 || *at == 127 || (*at == 0xC2 && is_c1(at[1]))
           || (before == 0xC2 && is_c1(*at));
}

/* Prints a text that may hold anything, as names of files do, to stderr. Lines of a compiler's
   log stay lines. */
static void print_safely(const char *text, int has_lines)
{
    const unsigned char *at;
    unsigned char before = 0;
    for (at = (const unsigned char *)text; *at; before = *at++) {
        if (has_lines && (*at == '\n' || *at == '\t' || *at == '\\')) putc(*at, stderr);
        else if (*at == '\n') fputs("\\n", stderr);
        else if (*at == '\\') fputs("\\\\", stderr);
        else fprintf(stderr, is_control(at, before) ? "\\x%02x" : "%c", (unsigned)*at);
    }
}

static void say(const char *format, va_list list)
{
    va_list again;
    char *text;
    int length;
    if (is_quiet) return;
    va_copy(again, list);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    text = length < 0 ? NULL : (char *)malloc((size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, list);
    fflush(stdout);
    fprintf(stderr, "%s: ", program_name);
    print_safely(text ? text : format, 0);
    fputc('\n', stderr);
    free(text);
}

/* Prints the program's name and a message of one line to stderr; returns the exit code `code`. */
static int fail(int code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
    return code;
}

/* The same for what is no failure. */
static void warn(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
}

/* The value of an option that was given (the last one), else `otherwise`. */
static const char *argument(const arguments *a, option_id id, const char *otherwise)
{
    return a->given[id] ? a->value[id][a->given[id] - 1] : otherwise;
}

/* Prints the words of a line of help, from column `at` on, and of the next ones from `indent` on,
   as many as fit. */
static void help_wrap(const char *text, int length, int at, int indent)
{
    const char *const begin = text, *const end = text + length;
    while (text < end) {
        const char *const blank = (const char *)memchr(text, ' ', (size_t)(end - text));
        const int word = (int)((blank ? blank : end) - text),
                  follows = text > begin || at > indent;
        if (follows && at + 1 + word > HELP_COLUMNS) {
            printf("\n%*s", indent, "");
            at = indent;
        } else if (follows) {
            at += printf(" ");
        }
        at += printf("%.*s", word, text);
        text += word + 1;
    }
    puts("");
}

/* Prints lines of help. Those that begin with a blank are examples, which stay as they are. */
static void help_print(const char *text)
{
    while (*text) {
        const int length = (int)strcspn(text, "\n");
        if (*text == ' ') printf("%.*s\n", length, text);
        else help_wrap(text, length, 0, 0);
        text += length + (text[length] != 0);
    }
}

/* Prints an option of a command and its help. */
static void option_help(const command *c, int id)
{
    enum { INDENT = 27 };
    const option_rule *rule = &option_rules[id];
    char letter[8] = "    ", help[400];
    size_t i, used;
    int column;
    if (rule->letter) sprintf(letter, "-%c, ", rule->letter);
    used = (size_t)snprintf(help, sizeof help, "%s%s", rule->help,
                            c->bit == FOR_BENCH && rule->bench_list ? "; a list, or repeated" : "");
    for (i = 0; i < sizeof option_notes / sizeof option_notes[0]; i++)
        if ((int)option_notes[i].option == id && option_notes[i].commands & c->bit)
            used += (size_t)snprintf(help + used, sizeof help - used, "%s%s", used ? "; " : "",
                                     option_notes[i].help);
    column = printf("  %s--%s%s%s", letter, rule->name, rule->argument ? " " : "",
                    rule->argument ? rule->argument : "");
    printf(column < INDENT ? "%*s" : "\n%*s", column < INDENT ? INDENT - column : INDENT, "");
    help_wrap(help, (int)strlen(help), INDENT, INDENT);
}

static void command_help(const command *c)
{
    int i;
    printf("Usage: %s %s%s [OPTION]...\n%s.\n", program_name, c->name, c->operands, c->summary);
    help_print(c->help);
    puts("\nOptions:");
    for (i = 0; i < OPTION_TOTAL; i++)
        if (option_rules[i].commands & c->bit) option_help(c, i);
    puts("");
    if (option_rules[OPTION_OUTPUT].commands & c->bit & ~FOR_MPI) help_print(outputs_help);
    help_print(exit_codes_help);
}

/* The option that `word` names for a command, OPTION_TOTAL if none; *attached is the text after
   '=', or NULL. */
static option_id option_find(const command *c, const char *word, const char **attached)
{
    int i;
    *attached = NULL;
    for (i = 0; i < OPTION_TOTAL; i++) {
        const option_rule *rule = &option_rules[i];
        size_t length = strlen(rule->name);
        if (!(rule->commands & c->bit)) continue;
        if (rule->letter && word[0] == '-' && word[1] == rule->letter && !word[2]) break;
        if (strncmp(word, "--", 2) || strncmp(word + 2, rule->name, length)) continue;
        if (word[2 + length] == '=') *attached = word + 3 + length;
        if (*attached || !word[2 + length]) break;
    }
    return (option_id)i;
}

/* Is a word an option rather than the argument of the one before it? "-" is a file, and a text may
   begin with a minus sign. */
static int is_option(const command *c, const char *word, const option_rule *before)
{
    const char *attached;
    if (word[0] != '-' || !word[1] || (word[1] >= '0' && word[1] <= '9')) return 0;
    return strcmp(before->argument, "TEXT") || option_find(c, word, &attached) != OPTION_TOTAL;
}

/* Takes the option words[0] and its argument; returns how many words that were, 0 after an error
   message. */
static int option_take(const command *c, int count, char **words, arguments *a)
{
    const char *value;
    const option_id id = option_find(c, words[0], &value);
    int used = 1;
    if (id == OPTION_TOTAL) fail(DONE_USAGE, "%s: unknown option '%s'", c->name, words[0]);
    if (id == OPTION_TOTAL) return 0;
    if (option_rules[id].argument && !value && count > 1) value = words[used++];
    if (used > 1 && is_option(c, value, &option_rules[id])) {
        fail(DONE_USAGE, "%s: %s needs an argument: '%s' follows it", c->name, words[0], value);
        return 0;
    }
    if (!option_rules[id].argument != !value) {
        fail(DONE_USAGE, "%s: option '%s' %s", c->name, words[0],
             value ? "takes no argument" : "needs an argument");
        return 0;
    }
    if (a->given[id] == REPEAT_MAX)
        fail(DONE_USAGE, "%s: '%s' is given too often", c->name, words[0]);
    if (a->given[id] == REPEAT_MAX) return 0;
    a->value[id][a->given[id]++] = value ? value : "";
    return used;
}

/* Sorts the words after the command's name into options and operands. Returns 0 after an error
   message. */
static int arguments_parse(const command *c, int count, char **words, arguments *a)
{
    int i = 0, only_operands = 0;
    memset(a, 0, sizeof *a);
    a->command = c->bit;
    while (i < count) {
        int used = 1;
        if (!only_operands && !strcmp(words[i], "--")) only_operands = 1;
        else if (!only_operands && words[i][0] == '-' && words[i][1])
            used = option_take(c, count - i, words + i, a);
        else if (a->operand_count < c->operand_max) a->operand[a->operand_count++] = words[i];
        else used = 0, fail(DONE_USAGE, "%s: '%s' is one operand too many", c->name, words[i]);
        if (!used) return 0;
        i += used;
    }
    if (a->operand_count >= c->operand_min || a->given[OPTION_HELP] || a->given[OPTION_LIST])
        return 1;
    fail(DONE_USAGE, "%s: missing operand; usage: %s %s%s", c->name, program_name, c->name,
         c->operands);
    return 0;
}

#endif
