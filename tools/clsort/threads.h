/* threads.h - shares work among the cores of the host. */

#ifndef CLSORT_TOOLS_THREADS_H
#define CLSORT_TOOLS_THREADS_H

#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

enum { THREADS_MOST = 16 };

/* Where a part of `count` things begins; where it ends, the next one begins. */
static inline size_t part_start(size_t count, size_t part, size_t parts)
{
    const size_t rest = count % parts;
    return count / parts * part + (part < rest ? part : rest);
}

/* Runs work(user, part, parts) for every part, each on a thread of its own where there are any. */
typedef struct shared_work {
    void (*work)(void *user, size_t part, size_t parts);
    void *user;
    size_t part, parts;
} shared_work;

static inline void *shared_run(void *given)
{
    const shared_work *w = (const shared_work *)given;
    w->work(w->user, w->part, w->parts);
    return NULL;
}

static inline void work_share(void (*work)(void *, size_t, size_t), void *user)
{
    shared_work list[THREADS_MOST];
    pthread_t threads[THREADS_MOST];
    int runs[THREADS_MOST];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t parts = cores < 1 ? 1 : cores < THREADS_MOST ? (size_t)cores : THREADS_MOST;
    size_t i;
    for (i = 0; i < parts; i++) {
        list[i].work = work;
        list[i].user = user;
        list[i].part = i;
        list[i].parts = parts;
        runs[i] = i + 1 < parts && !pthread_create(&threads[i], NULL, shared_run, &list[i]);
        if (!runs[i]) shared_run(&list[i]);
    }
    for (i = 0; i < parts; i++)
        if (runs[i]) pthread_join(threads[i], NULL);
}

#endif
