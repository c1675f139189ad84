/* counts.h - counts on command lines: 1000, 2^20, 100k, 16Mi. */

#ifndef CLSORT_TOOLS_COUNTS_H
#define CLSORT_TOOLS_COUNTS_H

#include <limits.h>
#include <string.h>

/* Reads digits and moves *text behind them. Returns 0 if there are none or the number does not
   fit. */
static int whole_parse(const char **text, unsigned long long *number)
{
    const char *start = *text;
    for (*number = 0; **text >= '0' && **text <= '9'; ++*text) {
        unsigned long long digit = (unsigned long long)(**text - '0');
        if (*number > (ULLONG_MAX - digit) / 10) return 0;
        *number = *number * 10 + digit;
    }
    return *text > start;
}

/* What a suffix stands for: k (or K), M, G and T are powers of 1000, Ki, Mi, Gi and Ti of 1024. 1
   for no suffix, 0 if it is none of these. */
static unsigned long long suffix_parse(const char *text)
{
    static const char letters[] = "kKMGT";
    static const int powers[] = { 1, 1, 2, 3, 4 };
    const char *letter = *text ? strchr(letters, *text) : NULL;
    const int binary = letter && text[1] == 'i';
    unsigned long long factor = 1;
    int i;
    if (!*text) return 1;
    if (!letter || text[1 + binary]) return 0;
    for (i = powers[letter - letters]; i > 0; i--) factor *= binary ? 1024 : 1000;
    return factor;
}

/* A whole number, a power as in 2^20, or either with a suffix: 100k, 16Mi. Returns 0 if the text is
   none of these or does not fit. */
static int count_parse(const char *text, unsigned long long *count)
{
    unsigned long long base, exponent = 1, factor;
    if (!whole_parse(&text, &base)) return 0;
    if (*text == '^') {
        text++;
        if (!whole_parse(&text, &exponent) || exponent > 63) return 0;
    }
    for (*count = 1; exponent > 0; exponent--) {
        if (base && *count > ULLONG_MAX / base) return 0;
        *count *= base;
    }
    factor = suffix_parse(text);
    if (!factor || *count > ULLONG_MAX / factor) return 0;
    *count *= factor;
    return 1;
}

#endif
