/* sample.h - draws some of many cases from a seed: one of every `one_in` that come after each
   other, so that the cases drawn are spread over all of them, whatever their number is. */

#ifndef CLSORT_TOOLS_SAMPLE_H
#define CLSORT_TOOLS_SAMPLE_H

#include "patterns.h"

typedef struct sample_draw {
    uint64_t random;   /* state of the generator */
    uint64_t one_in;   /* 1: every case is drawn */
    uint64_t next;     /* the next case, of those that come after each other */
    uint64_t drawn;    /* the one of them that is drawn */
} sample_draw;

static inline sample_draw sample_one_in(uint64_t one_in, uint64_t seed)
{
    const sample_draw s = { seed, one_in ? one_in : 1, 0, 0 };
    return s;
}

/* Is the next case drawn? */
static inline int sample_takes(sample_draw *s)
{
    if (s->next == 0) s->drawn = pattern_random(&s->random) % s->one_in;
    s->next++;
    if (s->next < s->one_in) return s->next - 1 == s->drawn;
    s->next = 0;
    return s->drawn == s->one_in - 1;
}

#endif
