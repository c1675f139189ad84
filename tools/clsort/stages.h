/* stages.h - where the time of a sort goes: sums up the commands that a sorter's profile callback
   hears of, by stage.

   Make the sorter with stage_hear as its callback and a stage_log as its user. Commands are noted
   while `listens` is set; stages_add waits for them, adds their times to the totals and forgets
   them. The queue must have profiling. */

#ifndef CLSORT_TOOLS_STAGES_H
#define CLSORT_TOOLS_STAGES_H

#include <stdlib.h>
#include <string.h>

#include "../../clsort.h"

enum { STAGE_MAX = 64 };

typedef struct stage_total {
    const char *name;
    int commands;
    double ms;
} stage_total;

typedef struct stage_command {
    const char *stage;
    cl_event event;
} stage_command;

typedef struct stage_log {
    int listens, incomplete;           /* incomplete: a command could not be noted */
    stage_command *command;
    size_t command_count, room;
    stage_total total[STAGE_MAX];      /* in the order in which stages came first */
    int total_count;
} stage_log;

static void stage_hear(void *user, const char *stage, cl_event event)
{
    stage_log *log = (stage_log *)user;
    if (!log->listens) return;
    if (log->command_count == log->room) {
        size_t room = log->room ? 2 * log->room : 256;
        stage_command *grown = (stage_command *)realloc(log->command, room * sizeof *grown);
        if (!grown) {
            log->incomplete = 1;
            return;
        }
        log->command = grown;
        log->room = room;
    }
    clRetainEvent(event);
    log->command[log->command_count].stage = stage;
    log->command[log->command_count++].event = event;
}

/* The total of a stage, a new one if need be; NULL if there is no room. */
static stage_total *stage_find(stage_log *log, const char *name)
{
    int i;
    for (i = 0; i < log->total_count; i++)
        if (!strcmp(log->total[i].name, name)) return &log->total[i];
    if (log->total_count == STAGE_MAX) return NULL;
    log->total[i].name = name;
    log->total_count++;
    return &log->total[i];
}

/* Adds a command's time, from its start to its end. Returns 0 if it cannot be told. */
static int stage_add(stage_log *log, const stage_command *c)
{
    stage_total *total = stage_find(log, c->stage);
    cl_ulong start = 0, end = 0;
    if (!total || clWaitForEvents(1, &c->event) != CL_SUCCESS) return 0;
    if (clGetEventProfilingInfo(c->event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL)
        != CL_SUCCESS)
        return 0;
    if (clGetEventProfilingInfo(c->event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL)
        != CL_SUCCESS)
        return 0;
    total->commands++;
    total->ms += end > start ? (double)(end - start) * 1e-6 : 0;
    return 1;
}

/* Returns 0 if the totals are not those of all commands. */
static int stages_add(stage_log *log)
{
    int good = !log->incomplete;
    size_t i;
    for (i = 0; i < log->command_count; i++) {
        good = stage_add(log, &log->command[i]) && good;
        clReleaseEvent(log->command[i].event);
    }
    log->command_count = 0;
    return good;
}

/* Forgets the totals. */
static void stages_clear(stage_log *log)
{
    memset(log->total, 0, sizeof log->total);
    log->total_count = log->incomplete = 0;
}

static double stages_ms(const stage_log *log)
{
    double ms = 0;
    int i;
    for (i = 0; i < log->total_count; i++) ms += log->total[i].ms;
    return ms;
}

#endif
