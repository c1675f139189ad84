/* published.h - experiments of the documents that clsort follows, to be repeated, and the rates
   that they give: Bainville's of 2011, on GPUs that he does not name. Rates are texts: millions of
   keys per second, or what the document says instead. Other documents give times, or ratios, which
   tools/bench/bench prints beside ours. */

#ifndef CLSORT_TOOLS_PUBLISHED_H
#define CLSORT_TOOLS_PUBLISHED_H

#include <stddef.h>
#include <string.h>

/* An experiment: the options that repeat it. */
typedef struct published_table {
    const char *name, *source, *algorithms, *sizes, *work_groups;   /* NULL: not part of it */
    int pairs;   /* it has no figures for bare keys */
    size_t rows; /* of `sizes` keys each; 0: one array */
} published_table;

typedef struct published_figure {
    const char *algorithm;
    int pairs;
    size_t n, work_group;   /* 0: any */
    const char *rate;
} published_figure;

static const published_table published_tables[] = {
    { "local-merge", "Bainville 2011", "merge-local-only", "2^20", "1,2,4,8,16,32,64,128,256", 1,
      0 },
    { "bitonic-a", "Bainville 2011", "bitonic-a", "2^9,2^10,2^13,2^14,2^17,2^18,2^21,2^22,2^25",
      NULL, 1, 0 },
    { "bitonic-steps", "Bainville 2011", "bitonic-b2,bitonic-b4,bitonic-b8,bitonic-b16", "2^20",
      NULL, 0, 0 },
    { "shared-512", "", "bitonic-shared-512", "2^17", NULL, 0, 0 },
    { "quicksort", "", "quicksort-host,quicksort-device,quicksort", "2^20", NULL, 0, 0 },
    { "batch", "", "all", "8192,8000", NULL, 0, 200 }
};

static const published_figure published_figures[] = {
    { "merge-local-only", 1, 0, 1, "178" },    { "merge-local-only", 1, 0, 2, "150" },
    { "merge-local-only", 1, 0, 4, "163" },    { "merge-local-only", 1, 0, 8, "203" },
    { "merge-local-only", 1, 0, 16, "280" },   { "merge-local-only", 1, 0, 32, "406" },
    { "merge-local-only", 1, 0, 64, "616" },   { "merge-local-only", 1, 0, 128, "486" },
    { "merge-local-only", 1, 0, 256, "383" },  { "bitonic-a", 1, 1u << 9, 0, "1.1" },
    { "bitonic-a", 1, 1u << 10, 0, "1.9" },    { "bitonic-a", 1, 1u << 13, 0, "10" },
    { "bitonic-a", 1, 1u << 14, 0, "17" },     { "bitonic-a", 1, 1u << 17, 0, "37" },
    { "bitonic-a", 1, 1u << 18, 0, "37" },     { "bitonic-a", 1, 1u << 21, 0, "30" },
    { "bitonic-a", 1, 1u << 22, 0, "28" },     { "bitonic-a", 1, 1u << 25, 0, "21" },
    { "bitonic-b2", 1, 1u << 20, 0, "49" },    { "bitonic-b2", 0, 1u << 20, 0, "73" },
    { "bitonic-b4", 1, 1u << 20, 0, "78" },    { "bitonic-b4", 0, 1u << 20, 0, "115" },
    { "bitonic-b8", 1, 1u << 20, 0, "103" },   { "bitonic-b8", 0, 1u << 20, 0, "160" },
    { "bitonic-b16", 1, 1u << 20, 0, "FAIL" }, { "bitonic-b16", 0, 1u << 20, 0, "FAIL" }
};

/* The table of that name, NULL if there is none. */
static const published_table *published_find(const char *name)
{
    size_t i;
    for (i = 0; i < sizeof published_tables / sizeof published_tables[0]; i++)
        if (!strcmp(published_tables[i].name, name)) return &published_tables[i];
    return NULL;
}

/* The published rate, "" if there is none. */
static const char *published_rate(const char *algorithm, int pairs, size_t n, size_t work_group)
{
    size_t i;
    for (i = 0; i < sizeof published_figures / sizeof published_figures[0]; i++) {
        const published_figure *f = &published_figures[i];
        if (!strcmp(f->algorithm, algorithm) && f->pairs == !!pairs && (!f->n || f->n == n)
            && (!f->work_group || f->work_group == work_group))
            return f->rate;
    }
    return "";
}

#endif
