/* runs.h - sorts a file that may be larger than memory.

   The input is read in chunks that memory and device hold, and each is sorted. A single chunk is
   the result. Several become runs in a temporary file without a name. Then all runs are merged in
   one go: a window of each is in memory, and in each round the device sorts all elements of the
   windows up to a bound. So each byte is read twice and written twice.

   The bound is the last element in one of the windows, so chosen that no element before it is still
   on the disk. Of elements equal to it, a run before that of the bound gives all, one behind it
   none: so the merge is stable. The device sorts again what is nearly sorted, with any number of
   runs, any type, values and records. */

#ifndef CLSORT_TOOLS_RUNS_H
#define CLSORT_TOOLS_RUNS_H

#include "memory.h"
#include "outputs.h"
#include "progress.h"
#include "session.h"
#include "stream.h"

enum { RUN_KEYS, RUN_VALUES, RUN_ARRAYS };

enum { WINDOW_LEAST = 64 /* elements: with fewer, reading costs more than anything else */ };

typedef struct sort_run {
    off_t at[RUN_ARRAYS]; /* where the rest of it lies in the temporary file */
    size_t left;          /* elements there */
    size_t first, held;   /* elements in the window */
    size_t take;          /* of these, in this round */
} sort_run;

typedef struct run_sort {
    const arguments *a;
    sorter_session *s;
    const sort_order *o;
    unsigned long long memory;
    input_file in[RUN_ARRAYS];  /* in[RUN_VALUES].file: NULL without values */
    pair_array part;            /* what is sorted next */
    size_t size[RUN_ARRAYS];    /* of an element; 0: no values */
    const char *folder;         /* of the temporary file, for messages */
    int temporary;              /* -1: none */
    off_t end;                  /* of that file */
    sort_run *runs;             /* from malloc */
    size_t run_count, run_room;
    key_array windows[RUN_ARRAYS];
    size_t window;              /* elements of each run */
} run_sort;

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Can n elements be sorted in this memory, with `copies` arrays of that many in it? */
static int chunk_fits(const run_sort *r, size_t n, size_t copies)
{
    const cl_device_id id = r->s->device.info.id;
    const file_parts whole = parts_none();
    const unsigned long long each = r->size[0] + r->size[1], widest = r->size[0] > r->size[1]
                                                                          ? r->size[0] : r->size[1];
    const clsort_desc d = sort_describe(&r->o->desc, n, r->size[0], r->size[1], &whole);
    cl_ulong device = 0, largest = 0;
    size_t scratch = 0;
    if (clGetDeviceInfo(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL)
        || clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof device, &device, NULL)
        || n > ELEMENTS_MOST || n * widest > largest
        || clsort_scratch_size(r->s->sorter, &d, &scratch) || n * each + scratch > device)
        return 0;
    return copies * n * each + (r->s->shares_memory ? scratch : 0) <= r->memory;
}

/* The most elements of which that is true, up to `most`. */
static size_t chunk_size(const run_sort *r, size_t most, size_t copies)
{
    size_t low = 0, high = most;
    while (low < high) {
        const size_t middle = high - (high - low) / 2;
        if (chunk_fits(r, middle, copies)) low = middle;
        else high = middle - 1;
    }
    return low;
}

/* Do so many bytes of memory sort n elements: at once, or in runs and merge all of these? */
static int memory_does(const run_sort *r, size_t n, unsigned long long memory)
{
    run_sort other = *r;
    size_t room;
    other.memory = memory;
    room = chunk_size(&other, n, 1);
    return room == n
           || (room && chunk_size(&other, ELEMENTS_MOST, 2) / ((n - 1) / room + 1) >= WINDOW_LEAST);
}

/* The least bytes that do, above those that there are; 0 if none do. */
static unsigned long long memory_least(const run_sort *r, size_t n)
{
    unsigned long long low = r->memory, high = low;
    while (!memory_does(r, n, high)) {
        if (high > ULLONG_MAX / 4) return 0;
        low = high;
        high = high ? 2 * high : 1;
    }
    while (high - low > 1) {
        const unsigned long long middle = low + (high - low) / 2;
        if (memory_does(r, n, middle)) high = middle;
        else low = middle;
    }
    return high;
}

/* Reports that n elements, as far as their number is known, need more memory. Returns an exit
   code. */
static int memory_fail(const run_sort *r, size_t n, const char *what)
{
    const int code = r->a->given[OPTION_MEMORY] ? DONE_USAGE : DONE_IO;
    const unsigned long long least = memory_least(r, n);
    if (!least) return fail(code, "%llu bytes of memory are too few %s", r->memory, what);
    return fail(code, "%llu bytes of memory are too few %s: it takes %llu", r->memory, what, least);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static const char *run_folder(const arguments *a)
{
    const char *folder = argument(a, OPTION_TMP, getenv("TMPDIR"));
    return folder && *folder ? folder : NULL;
}

/* Opens the temporary file: without a name from the start, or without it at once. Returns an exit
   code. */
static int temporary_open(run_sort *r)
{
    static const char name[] = "/.clsort.XXXXXX";
    char *beside = outputs[OUTPUT_KEYS].target ? folder_of(outputs[OUTPUT_KEYS].target) : NULL;
    char *path;
    r->folder = run_folder(r->a);
    if (!r->folder) r->folder = beside ? beside : "/tmp";
    path = (char *)malloc(strlen(r->folder) + sizeof name);
    r->temporary = nameless_open(r->folder);
    if (r->temporary < 0 && path) {
        strcat(strcpy(path, r->folder), name);
        naming_begin();
        r->temporary = mkstemp(path);
        if (r->temporary >= 0) unlink(path);
        naming_end();
    }
    if (r->temporary < 0) fail(DONE_IO, "a temporary file in %s: %s", r->folder, strerror(errno));
    free(path);
    if (r->folder == beside) r->folder = "the folder of the output";
    free(beside);
    return r->temporary < 0 ? DONE_IO : DONE_OK;
}

static int temporary_fail(const run_sort *r)
{
    return fail(DONE_IO, "a temporary file in %s: %s", r->folder, strerror(errno));
}

/* Writes at the end of the temporary file. Returns an exit code. */
static int temporary_write(run_sort *r, const key_array *array)
{
    size_t size = array->count * array->size, done = 0;
    while (done < size) {
        const ssize_t wrote = pwrite(r->temporary, array->data + done,
                                     size - done < PIECE ? size - done : PIECE, r->end);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return temporary_fail(r);
        done += (size_t)wrote;
        r->end += wrote;
        progress_add((size_t)wrote);
    }
    return DONE_OK;
}

/* Makes a run of what was sorted. Returns an exit code. */
static int run_add(run_sort *r)
{
    static const sort_run none;
    sort_run *run;
    int code = r->temporary < 0 ? temporary_open(r) : DONE_OK;
    if (code == DONE_OK && r->run_count == r->run_room) {
        const size_t room = r->run_room ? 2 * r->run_room : 16;
        run = (sort_run *)realloc(r->runs, room * sizeof *run);
        if (!run) return fail(DONE_IO, "%s", strerror(ENOMEM));
        r->runs = run;
        r->run_room = room;
    }
    if (code != DONE_OK) return code;
    run = &r->runs[r->run_count++];
    *run = none;
    run->left = r->part.keys.count;
    run->at[RUN_KEYS] = r->end;
    code = temporary_write(r, &r->part.keys);
    run->at[RUN_VALUES] = r->end;
    return code == DONE_OK && r->size[RUN_VALUES] ? temporary_write(r, &r->part.values) : code;
}

/* ---- the input ------------------------------------------------------------------------------- */

/* How many elements of the first file there are, SIZE_MAX if that is not known. */
static size_t elements_ahead(const run_sort *r)
{
    const unsigned long long ahead = r->in[RUN_KEYS].ahead;
    if (!ahead || r->a->given[OPTION_TEXT] || ahead / r->size[RUN_KEYS] >= SIZE_MAX / 2)
        return SIZE_MAX;
    return (size_t)(ahead / r->size[RUN_KEYS]);
}

static int values_fail(run_sort *r, unsigned long long keys, unsigned long long values)
{
    return fail(DONE_IO, "%s: %llu values for %llu keys", r->in[RUN_VALUES].name, values, keys);
}

/* Reads the next chunk, up to `room` elements. Returns an exit code. */
static int chunk_read(run_sort *r, size_t room)
{
    key_array *keys = &r->part.keys, *values = &r->part.values;
    int code;
    keys->count = values->count = 0;
    code = r->a->given[OPTION_TEXT] ? lines_take(&r->in[RUN_KEYS], room, keys)
                                    : raw_take(&r->in[RUN_KEYS], room, keys, progress_add);
    if (code == DONE_OK && r->size[RUN_VALUES])
        code = raw_take(&r->in[RUN_VALUES], keys->count, values, progress_add);
    return code;
}

/* Are there as many values as keys? Counts what is left of one of them. Returns an exit code. */
static int values_check(run_sort *r, size_t room)
{
    const int more_values = r->part.values.count == r->part.keys.count;
    int code = DONE_OK;
    if (!r->size[RUN_VALUES] || (more_values && !r->in[RUN_KEYS].ended)) return DONE_OK;
    while (code == DONE_OK && !r->in[more_values].ended) {
        key_array *rest = more_values ? &r->part.values : &r->part.keys;
        const key_array kept = *rest;
        key_array one = keys_none(rest->type, rest->size);
        code = array_take(&one, room);
        if (code == DONE_OK)
            code = !more_values && r->a->given[OPTION_TEXT]
                       ? lines_take(&r->in[0], room, &one)
                       : raw_take(&r->in[more_values], room, &one, NULL);
        array_free(&one);
        *rest = kept;
    }
    if (code != DONE_OK || r->in[RUN_VALUES].taken == r->in[RUN_KEYS].taken) return code;
    return values_fail(r, r->in[RUN_KEYS].taken, r->in[RUN_VALUES].taken);
}

/* Reads chunks, sorts each and makes runs of them, if there are several. Returns an exit code. */
static int runs_make(run_sort *r)
{
    const file_parts whole = parts_none();
    const size_t ahead = elements_ahead(r);
    size_t room = chunk_size(r, ahead < ELEMENTS_MOST ? ahead : ELEMENTS_MOST, 1);
    int code;
    if (!room && ahead) return memory_fail(r, ahead == SIZE_MAX ? 1 : ahead, "to sort in");
    progress_begin(r->a, ahead == SIZE_MAX ? 0
                                           : (room < ahead ? 4ull : 2ull) * ahead
                                                 * (r->size[0] + r->size[1]));
    if (room >= ahead) room = ahead + 1;   /* so that it sees where the file ends */
    code = array_take(&r->part.keys, room);
    if (code == DONE_OK && r->size[RUN_VALUES]) code = array_take(&r->part.values, room);
    while (code == DONE_OK && !r->in[RUN_KEYS].ended) {
        code = chunk_read(r, room);
        if (code == DONE_OK) code = values_check(r, room);
        if (code == DONE_OK && r->part.keys.count)
            code = sort_on_device(r->s, &r->o->desc, &r->part, &whole, NULL);
        if (code == DONE_OK && r->part.keys.count && (r->run_count || !r->in[RUN_KEYS].ended))
            code = run_add(r);
    }
    return code;
}

/* ---- merge ----------------------------------------------------------------------------------- */

/* Elements of an array of a run's window, from `first` on. */
static key_array window_part(const run_sort *r, size_t run, size_t array, size_t first,
                             size_t count)
{
    key_array part = r->windows[array];
    if (part.data) part.data += (run * r->window + first) * r->size[array];
    part.count = count;
    part.room = 0;
    return part;
}

static const unsigned char *window_key(const run_sort *r, size_t run, size_t i)
{
    return r->windows[RUN_KEYS].data + (run * r->window + r->runs[run].first + i)
                                           * r->size[RUN_KEYS];
}

/* Reads the next elements of a run if half of its window is free. Returns an exit code. */
static int window_fill(run_sort *r, size_t number)
{
    sort_run *run = &r->runs[number];
    size_t more = r->window - run->held, array, done;
    if (!run->left || run->held > r->window / 2) return DONE_OK;
    if (more > run->left) more = run->left;
    for (array = 0; array < RUN_ARRAYS && r->size[array]; array++) {
        const size_t size = r->size[array], bytes = more * size;
        unsigned char *window = window_part(r, number, array, 0, 0).data;
        if (run->held) memmove(window, window + run->first * size, run->held * size);
        for (done = 0; done < bytes;) {
            const ssize_t got = pread(r->temporary, window + run->held * size + done, bytes - done,
                                      run->at[array]);
            if (got < 0 && errno == EINTR) continue;
            if (got == 0) errno = EIO;
            if (got <= 0) return temporary_fail(r);
            done += (size_t)got;
            run->at[array] += got;
            progress_add((size_t)got);
        }
    }
    run->first = 0;
    run->held += more;
    run->left -= more;
    return DONE_OK;
}

/* Of the runs that are not in memory to their end, the one whose window ends first in the order; of
   equal ones the first. All elements before that end are in memory. run_count: there is none. */
static size_t bound_find(const run_sort *r)
{
    size_t bound = r->run_count, i;
    for (i = 0; i < r->run_count; i++)
        if (r->runs[i].left
            && (bound == r->run_count
                || element_compare(&r->o->desc, window_key(r, i, r->runs[i].held - 1),
                                   window_key(r, bound, r->runs[bound].held - 1)) < 0))
            bound = i;
    return bound;
}

/* How many elements of a window come before the bound, or are equal to it in a run before that of
   the bound. */
static size_t window_take(const run_sort *r, size_t run, size_t bound)
{
    const int most = run < bound ? 0 : -1;
    const unsigned char *key;
    size_t low = 0, high = r->runs[run].held;
    if (bound == r->run_count || run == bound) return high;
    key = window_key(r, bound, r->runs[bound].held - 1);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (element_compare(&r->o->desc, window_key(r, run, middle), key) <= most) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Writes sorted elements to the outputs. Returns an exit code. */
static int result_write(const run_sort *r, const key_array *keys, const key_array *values)
{
    static const int numbers[RUN_ARRAYS] = { OUTPUT_KEYS, OUTPUT_VALUES };
    const key_array *arrays[RUN_ARRAYS];
    size_t i;
    arrays[RUN_KEYS] = keys;
    arrays[RUN_VALUES] = values;
    for (i = 0; i < RUN_ARRAYS; i++) {
        const output_file *o = &outputs[numbers[i]];
        if (r->size[i] && !elements_write(o->file, arrays[i], r->a->given[OPTION_TEXT]))
            return output_fail(o);
        progress_add(arrays[i]->count * arrays[i]->size);
    }
    return DONE_OK;
}

/* Sorts and writes what the runs give in this round. One run's elements are sorted already. Returns
   an exit code. */
static int round_write(run_sort *r, size_t givers, size_t giver)
{
    const file_parts whole = parts_none();
    key_array *const arrays[RUN_ARRAYS] = { &r->part.keys, &r->part.values }, part[RUN_ARRAYS];
    size_t i, array;
    int code;
    if (givers == 1) {
        for (array = 0; array < RUN_ARRAYS; array++)
            part[array] = window_part(r, giver, array, r->runs[giver].first, r->runs[giver].take);
        return result_write(r, &part[RUN_KEYS], &part[RUN_VALUES]);
    }
    for (array = 0; array < RUN_ARRAYS; array++) {
        unsigned char *to = arrays[array]->data;
        for (i = 0; i < r->run_count && r->size[array]; i++) {
            const size_t bytes = r->runs[i].take * r->size[array];
            memcpy(to, window_part(r, i, array, r->runs[i].first, 0).data, bytes);
            to += bytes;
        }
        arrays[array]->count = 0;
        for (i = 0; i < r->run_count && r->size[array]; i++)
            arrays[array]->count += r->runs[i].take;
    }
    code = sort_on_device(r->s, &r->o->desc, &r->part, &whole, NULL);
    return code == DONE_OK ? result_write(r, &r->part.keys, &r->part.values) : code;
}

/* Merges windows until all runs are at their end. Returns an exit code. */
static int runs_merge(run_sort *r)
{
    size_t i, bound, givers = 1, giver = 0;
    int code = DONE_OK;
    while (code == DONE_OK && givers) {
        for (i = 0; i < r->run_count && code == DONE_OK; i++) code = window_fill(r, i);
        if (code != DONE_OK) break;
        bound = bound_find(r);
        for (i = givers = 0; i < r->run_count; i++) {
            r->runs[i].take = window_take(r, i, bound);
            if (r->runs[i].take) givers++, giver = i;
        }
        if (givers) code = round_write(r, givers, giver);
        for (i = 0; i < r->run_count; i++) {
            r->runs[i].first += r->runs[i].take;
            r->runs[i].held -= r->runs[i].take;
        }
    }
    return code;
}

/* Shares out memory: windows, as much again for what is sorted, and its scratch memory. Returns an
   exit code. */
static int windows_make(run_sort *r)
{
    const size_t room = chunk_size(r, ELEMENTS_MOST, 2);
    size_t array;
    int code = DONE_OK;
    array_free(&r->part.keys);
    array_free(&r->part.values);
    scratch_free(r->s);
    r->window = room / r->run_count;
    if (r->window < WINDOW_LEAST)
        return memory_fail(r, (size_t)r->in[RUN_KEYS].taken, "to merge all runs of this file");
    for (array = 0; array < RUN_ARRAYS && code == DONE_OK; array++) {
        r->windows[array] = keys_none(NULL, r->size[array]);
        r->windows[array].type = array ? NULL : r->o->type;
        if (r->size[array]) code = array_take(&r->windows[array], r->run_count * r->window);
    }
    if (code == DONE_OK) code = array_take(&r->part.keys, r->run_count * r->window);
    if (code == DONE_OK && r->size[RUN_VALUES])
        code = array_take(&r->part.values, r->run_count * r->window);
    return code;
}

/* Sorts operand 0, with its values, and writes the open outputs. Returns an exit code. */
static int runs_sort(run_sort *r)
{
    int code = input_open(&r->in[RUN_KEYS], r->a->operand[0]);
    const int has_keys = code == DONE_OK;
    r->temporary = -1;
    if (code == DONE_OK && r->size[RUN_VALUES])
        code = input_open(&r->in[RUN_VALUES], argument(r->a, OPTION_VALUES, NULL));
    r->part.keys = keys_none(r->o->type, r->size[RUN_KEYS]);
    r->part.values = keys_none(NULL, r->size[RUN_VALUES]);
    if (code == DONE_OK) code = runs_make(r);
    if (code == DONE_OK && r->run_count) {
        code = windows_make(r);
        if (code == DONE_OK) code = runs_merge(r);
        r->part.keys.count = r->part.values.count = 0;   /* all is written */
    }
    if (has_keys) input_close(&r->in[RUN_KEYS]);
    if (r->in[RUN_VALUES].file) input_close(&r->in[RUN_VALUES]);
    progress_end();
    return code;
}

static void runs_free(run_sort *r)
{
    if (r->temporary >= 0) close(r->temporary);
    array_free(&r->windows[RUN_KEYS]);
    array_free(&r->windows[RUN_VALUES]);
    pairs_free(&r->part);
    free(r->runs);
}

#endif
