/* caching.h - a cache of built programs in memory, and damage to it. For programs that include
 * harness.h or mock.h before. */

#ifndef CLSORT_TESTS_CACHING_H
#define CLSORT_TESTS_CACHING_H

#include "harness.h"

#include "../../tools/clsort/patterns.h"

/* ---- entries in memory ----------------------------------------------------------------------- */

typedef struct entry {
    char name[33];
    unsigned char *data;
    size_t size;
} entry;

typedef struct store {
    entry entries[64];
    int count, loads, saves;    /* loads: calls that wanted bytes */
} store;

static inline entry *find_entry(store *s, const char *name)
{
    int i;
    for (i = 0; i < s->count; i++)
        if (!strcmp(s->entries[i].name, name)) return &s->entries[i];
    return NULL;
}

static inline size_t load(void *user, const char *name, void *data, size_t size)
{
    store *s = (store *)user;
    const entry *e = find_entry(s, name);
    if (!e) return 0;
    s->loads += size > 0;
    if (size) memcpy(data, e->data, size < e->size ? size : e->size);
    return e->size;
}

static inline void put_bytes(entry *e, const void *data, size_t size)
{
    unsigned char *bytes = (unsigned char *)malloc(size + 1);
    if (!bytes) abort();
    memcpy(bytes, data, size);
    free(e->data);
    e->data = bytes;
    e->size = size;
}

static inline void save(void *user, const char *name, const void *data, size_t size)
{
    store *s = (store *)user;
    entry *e = find_entry(s, name);
    CHECK(strlen(name) == 32 && strspn(name, "0123456789abcdef") == 32);
    s->saves++;
    if (!e && s->count < 64) {
        e = &s->entries[s->count++];
        snprintf(e->name, sizeof e->name, "%s", name);
    }
    if (CHECK(e != NULL)) put_bytes(e, data, size);
}

static inline void empty_store(store *s)
{
    int i;
    for (i = 0; i < s->count; i++) free(s->entries[i].data);
    memset(s, 0, sizeof *s);
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* Damages an entry in one of several ways; `other` is one of another program, or of another
   device. */
static inline void damage(entry *e, const entry *other, const entry *foreign, uint64_t *random)
{
    const size_t place = (size_t)(pattern_random(random) % e->size), size = e->size;
    unsigned char *const bytes = (unsigned char *)calloc(2, size);
    if (!bytes) abort();
    memcpy(bytes, e->data, size);
    switch (pattern_random(random) % 8) {
    case 0: put_bytes(e, bytes, place); break;
    case 1: e->data[place] ^= (unsigned char)(1u << pattern_random(random) % 8); break;
    case 2: put_bytes(e, other->data, other->size); break;
    case 3: put_bytes(e, foreign->data, foreign->size); break;
    case 4: put_bytes(e, bytes, 0); break;
    case 5: put_bytes(e, bytes, size + (place ? place : 1)); break;
    case 6: memset(e->data + place, 0, size - place), e->data[place] ^= 255; break;
    default: e->size = ((size_t)1 << (28 + pattern_random(random) % 30)) + 1; break;
    }
    free(bytes);
}

#endif
