/* progress.h - shows on a terminal how far a command is: bytes, bytes per second, time left. */

#ifndef CLSORT_TOOLS_PROGRESS_H
#define CLSORT_TOOLS_PROGRESS_H

#include <time.h>
#include <unistd.h>

#include "options.h"

static struct {
    int on, shown;
    unsigned long long done, total; /* bytes read and written; total 0: unknown */
    double began, last;             /* seconds */
} meter;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Nothing is shown where messages do not go to a terminal. */
static void progress_begin(const arguments *a, unsigned long long total)
{
    meter.on = !a->given[OPTION_QUIET] && isatty(STDERR_FILENO);
    meter.total = total;
    meter.done = 0;
    meter.began = meter.last = seconds_now();
}

static void progress_add(size_t bytes)
{
    const double now = meter.on ? seconds_now() : 0, all = now - meter.began;
    double rate, left;
    meter.done += bytes;
    if (!meter.on || now - meter.last < 0.2 || all < 0.5) return;
    meter.last = now;
    meter.shown = 1;
    rate = (double)meter.done / all;
    fprintf(stderr, "\r%.2f", (double)meter.done / 1e9);
    if (meter.total) fprintf(stderr, " of %.2f", (double)meter.total / 1e9);
    fprintf(stderr, " GB read and written, %.0f MB/s", rate / 1e6);
    left = meter.total > meter.done ? (double)(meter.total - meter.done) / rate : 0;
    if (meter.total)
        fprintf(stderr, ", %d:%02d left", (int)(left / 60), (int)left % 60);
    fputs("\033[K", stderr);
    fflush(stderr);
}

static void progress_end(void)
{
    if (meter.shown) fputs("\r\033[K", stderr);
    meter.on = meter.shown = 0;
}

#endif
