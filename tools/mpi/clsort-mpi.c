/* clsort-mpi.c - the program for many machines: sorts files and generated keys over the ranks of an
   MPI job, and checks sorted files.

     mpicc -std=c99 -O2 -I. -Itools/clsort tools/mpi/clsort-mpi.c -o build/clsort-mpi -lOpenCL -lm
     mpirun -n 4 build/clsort-mpi sort keys --type u32 -o sorted

   mpi_sort.h sorts; options.h and order.h hold the options. Every file is read and written by all
   ranks, each its part. All ranks end with the same exit code, and rank 0 prints the message. */

#define _XOPEN_SOURCE 700
#define _GNU_SOURCE   /* files.h: memory by mmap */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CLSORT_STATIC
#define CLSORT_IMPLEMENTATION
#include "../../clsort.h"

#include "mpi_sort.h"

#pragma GCC diagnostic ignored "-Wunused-function"   /* of these, which clsort.c uses, too */
#include "device.h"
#include "order.h"
#include "verify.h"

enum {
    FILE_STEP = 1 << 30,        /* bytes that are read or written at once */
    PATTERN_BLOCK = 1 << 16,    /* generated keys do not depend on the number of ranks */
    VERIFY_BLOCK = 1 << 20,     /* elements */
    CODES_MOST = CLSORT_MAX_FIELDS * 10   /* of an element: a field of 64 bytes has 10 */
};

static int rank, ranks;

/* ---- messages -------------------------------------------------------------------------------- */

static char failure[600];   /* of this rank */

/* Notes the first failure of this rank. Returns the exit code. */
static int failed(int code, const char *format, ...)
{
    va_list list;
    if (*failure) return code;
    va_start(list, format);
    vsnprintf(failure, sizeof failure, format, list);
    va_end(list);
    return code;
}

/* The same for an MPI function: is DONE_OK if that succeeded. */
static int mpi_check(int error, const char *name)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    if (error == MPI_SUCCESS) return DONE_OK;
    MPI_Error_string(error, text, &length);
    return failed(DONE_IO, "%s: %s", name, text);
}

/* All ranks learn of the lowest one that failed: its exit code is that of all, and rank 0 prints
   its message. */
static int agree(int code)
{
    struct { int is_well, rank; } mine, lowest;
    mine.is_well = code == DONE_OK;
    mine.rank = rank;
    MPI_Allreduce(&mine, &lowest, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
    if (lowest.is_well) return DONE_OK;
    MPI_Bcast(&code, 1, MPI_INT, lowest.rank, MPI_COMM_WORLD);
    MPI_Bcast(failure, (int)sizeof failure, MPI_CHAR, lowest.rank, MPI_COMM_WORLD);
    if (*failure) fail(code, "rank %d: %s", lowest.rank, failure);
    *failure = '\0';
    return code;
}

/* ---- shares ---------------------------------------------------------------------------------- */

/* What a rank has of `total` elements. */
typedef struct share {
    cl_ulong total, first;
    size_t count;
} share;

static share share_of(cl_ulong total, cl_ulong before, cl_ulong own, cl_ulong all)
{
    share s;
    const double scale = (double)total / (double)all;
    const cl_ulong end = before + own == all ? total : (cl_ulong)(scale * (double)(before + own));
    s.total = total;
    s.first = before ? (cl_ulong)(scale * (double)before) : 0;
    s.count = (size_t)(own ? end - s.first : 0);
    return s;
}

/* Equal shares, or those of --shares: the weights in turn. Returns an exit code. */
static int share_options(const arguments *a, cl_ulong total, share *s)
{
    const char *list = argument(a, OPTION_SHARES, "1"), *at = list;
    cl_ulong before = 0, own = 0, all = 0;
    int r;
    for (r = 0; r < ranks; r++) {
        unsigned long long weight;
        if (!whole_parse(&at, &weight) || weight > 1000000 || (*at && *at != ','))
            return fail(DONE_USAGE, "--shares must be weights up to 1000000, as in 0,1,3");
        if (r < rank) before += weight;
        if (r == rank) own = weight;
        all += weight;
        at = *at ? at + 1 : list;
    }
    if (!all) return fail(DONE_USAGE, "--shares: no rank has any");
    *s = share_of(total, before, own, all);
    return DONE_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Opens a file to read, on all ranks. Returns an exit code, the same on all. */
static int file_open(const char *path, MPI_File *file, cl_ulong *bytes)
{
    MPI_Offset size = 0;
    int code;
    *file = MPI_FILE_NULL;
    code = mpi_check(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, file),
                     path);
    if (code == DONE_OK) code = mpi_check(MPI_File_get_size(*file, &size), path);
    *bytes = (cl_ulong)size;
    return agree(code);
}

static void file_close(MPI_File *file)
{
    if (*file != MPI_FILE_NULL) MPI_File_close(file);
}

/* Reads bytes of an open file. Returns an exit code of this rank. */
static int file_read(MPI_File file, const char *path, cl_ulong at, unsigned char *data,
                     cl_ulong bytes)
{
    while (bytes > 0) {
        const int step = bytes < FILE_STEP ? (int)bytes : FILE_STEP;
        MPI_Status status;
        int got = 0, code;
        code = mpi_check(MPI_File_read_at(file, (MPI_Offset)at, data, step, MPI_BYTE, &status),
                         path);
        if (code != DONE_OK) return code;
        MPI_Get_count(&status, MPI_BYTE, &got);
        if (got <= 0) return failed(DONE_IO, "%s: ends at byte %llu, %llu too early", path,
                                    (unsigned long long)at, (unsigned long long)bytes);
        at += (cl_ulong)got;
        data += got;
        bytes -= (cl_ulong)got;
    }
    return DONE_OK;
}

/* Opens a file of elements. Returns an exit code, the same on all ranks. */
static int elements_open(const char *path, size_t size, MPI_File *file, cl_ulong *count)
{
    cl_ulong bytes = 0;
    int code = file_open(path, file, &bytes);
    if (code == DONE_OK && bytes % size)
        code = fail(DONE_IO, "%s: %llu bytes are not a whole number of elements of %zu bytes",
                    path, (unsigned long long)bytes, size);
    *count = bytes / size;
    return code;
}

/* Allocates and reads this rank's part of a file. Returns an exit code of this rank. */
static int share_read(MPI_File file, const char *path, const share *s, size_t size,
                      unsigned char **data)
{
    *data = (unsigned char *)malloc(s->count * size + 1);
    if (!*data) return failed(DONE_IO, "%s: %s", path, strerror(ENOMEM));
    return file_read(file, path, s->first * size, *data, s->count * size);
}

/* A file that is written under another name until it is complete. */
typedef struct output {
    const char *path;         /* NULL: none */
    char temporary[4096];
    MPI_File file;
} output;

static int output_open(const char *path, output *o)
{
    unsigned long long number = (unsigned long long)getpid();
    int code;
    o->path = path;
    o->file = MPI_FILE_NULL;
    *o->temporary = '\0';
    if (!path) return DONE_OK;
    MPI_Bcast(&number, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    if (snprintf(o->temporary, sizeof o->temporary, "%s.clsort-mpi.%llu", path, number)
        >= (int)sizeof o->temporary)
        return fail(DONE_IO, "%s: %s", path, strerror(ENAMETOOLONG));
    code = mpi_check(MPI_File_open(MPI_COMM_WORLD, o->temporary,
                                   MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL,
                                   MPI_INFO_NULL, &o->file),
                     path);
    if (code != DONE_OK) *o->temporary = '\0';
    return agree(code);
}

/* Writes this rank's part. Returns an exit code of this rank. */
static int output_write(output *o, cl_ulong at, const unsigned char *data, cl_ulong bytes)
{
    int code = DONE_OK;
    while (o->path && bytes > 0 && code == DONE_OK) {
        const int step = bytes < FILE_STEP ? (int)bytes : FILE_STEP;
        MPI_Status status;
        int done = 0;
        code = mpi_check(MPI_File_write_at(o->file, (MPI_Offset)at, data, step, MPI_BYTE, &status),
                         o->path);
        if (code == DONE_OK) MPI_Get_count(&status, MPI_BYTE, &done);
        if (code == DONE_OK && done <= 0) code = failed(DONE_IO, "%s: %s", o->path,
                                                        strerror(ENOSPC));
        at += (cl_ulong)done;
        data += done;
        bytes -= (cl_ulong)done;
    }
    return code;
}

/* Gives the file its name if the exit code so far, the same on all ranks, is DONE_OK; else removes
   it. Returns an exit code, the same on all ranks. */
static int output_close(output *o, int code)
{
    if (!o->path) return code;
    if (o->file != MPI_FILE_NULL) {
        const int sync = code == DONE_OK ? mpi_check(MPI_File_sync(o->file), o->path) : DONE_OK;
        const int close = mpi_check(MPI_File_close(&o->file), o->path);
        if (code == DONE_OK) code = agree(sync != DONE_OK ? sync : close);
    }
    if (code == DONE_OK) {
        if (!rank && rename(o->temporary, o->path))
            code = failed(DONE_IO, "%s: %s", o->path, strerror(errno));
        code = agree(code);
    }
    if (code != DONE_OK && !rank && *o->temporary) remove(o->temporary);
    return code;
}

/* ---- what is sorted -------------------------------------------------------------------------- */

typedef struct task {
    const arguments *a;
    sort_order order;
    size_t size, value_size;
    share input;
    unsigned char *keys, *values;   /* this rank's input */
    share output;
    size_t room;
    unsigned char *sorted, *sorted_values;
    device_session device;
    clsort_sorter *sorter;
    clsort_mpi_result result;
    cl_ulong *sent, *received;      /* elements to and from each rank */
    double seconds[CLSORT_MPI_PHASES], read, write, alltoallv;
} task;

/* The options of order and values, the same on all ranks. Returns an exit code. */
static int task_options(const arguments *a, int files, task *t)
{
    const int has_values = a->given[OPTION_VALUES] > 0;
    int code;
    t->a = a;
    code = order_options(a, &t->order);
    if (code != DONE_OK) return code;
    t->size = t->order.type ? t->order.type->size : t->order.desc.record_size;
    if (has_values && a->given[OPTION_VALUES] != files)
        return fail(DONE_USAGE, "--values must be given %d time%s here", files,
                    files == 1 ? "" : "s");
    if (has_values && !a->given[OPTION_VALUE_SIZE])
        return fail(DONE_USAGE, "--values need --value-size");
    if (files && !has_values && a->given[OPTION_VALUE_SIZE])
        return fail(DONE_USAGE, "--value-size needs --values");
    if (a->given[OPTION_VALUE_SIZE]) return size_option(a, OPTION_VALUE_SIZE, &t->value_size);
    return DONE_OK;
}

static void task_free(task *t)
{
    clsort_destroy(t->sorter);
    device_close(&t->device);
    order_free(&t->order);
    free(t->keys);
    free(t->values);
    free(t->sorted);
    free(t->sorted_values);
    free(t->sent);
    free(t->received);
}

/* The ranks of a machine take its devices in turn. Returns an exit code of this rank. */
static int task_device(task *t)
{
    const char *want = argument(t->a, OPTION_DEVICE, getenv("CLSORT_DEVICE"));
    const char *folder = argument(t->a, OPTION_CACHE, getenv("CLSORT_CACHE"));
    clsort_options options = clsort_options_default();
    device_info list[DEVICE_MAX];
    MPI_Comm machine;
    int number = 0;
    size_t count = device_list(want ? want : "gpu", list, DEVICE_MAX);
    if (!want && !count) count = device_list(NULL, list, DEVICE_MAX);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &number);
    MPI_Comm_free(&machine);
    if (!count)
        return failed(DONE_OPENCL, "no OpenCL device%s%s", want ? " has a name with " : "",
                      want ? want : "");
    if (folder && !*folder) folder = NULL;
    if (!folder || strcmp(folder, "none")) clsort_cache_folder(&options, folder);
    if (!device_open(&list[(size_t)number % count], &t->device))
        return failed(DONE_OPENCL, "%s: cannot be opened", list[(size_t)number % count].name);
    if (clsort_create(t->device.context, t->device.info.id, &options, &t->sorter))
        return failed(DONE_OPENCL, "%s: clsort_create failed", t->device.info.name);
    return DONE_OK;
}

/* What clsort refuses is refused before anything is read. Returns an exit code of this rank. */
static int task_check(const task *t)
{
    clsort_desc d = t->order.desc;
    d.value_size = t->value_size;
    if (clsort_check(t->sorter, &d) == CL_SUCCESS) return DONE_OK;
    return failed(DONE_USAGE, "%s", clsort_last_error(t->sorter));
}

/* ---- generated input ------------------------------------------------------------------------- */

/* Writes keys first ... first + n - 1 of a pattern `stride` bytes apart. Patterns are cut into
   blocks, each with random numbers of its own. */
static void pattern_share(size_t number, cl_uint type, cl_ulong seed, const share *s, size_t stride,
                          unsigned char *keys)
{
    const pattern_entry *entry = pattern_get(number);
    const cl_ulong end = s->first + s->count;
    cl_ulong i = s->first / PATTERN_BLOCK * PATTERN_BLOCK;
    pattern_state p;
    memset(&p, 0, sizeof p);
    p.random = seed;
    p.n = s->total;
    p.tile = 1024;
    p.width = type & 0xFFu;
    p.top = UINT64_MAX >> (64 - p.width);
    p.parameter = entry->parameter;
    p.constant = pattern_random(&p.random);
    p.type = type;
    p.numbers = 1;
    for (; i < end; i++) {
        uint64_t bits;
        if (i % PATTERN_BLOCK == 0) p.random = (seed << 40 ^ i) * UINT64_C(0xD1342543DE82EF95);
        bits = pattern_make(entry, &p, i);
        if (i >= s->first)
            pattern_store(keys + (i - s->first) * stride, 0, pattern_key_size(type), bits);
    }
}

/* Values hold the number of their element, and so do a record's fields of bytes and what no field
   covers. */
static void number_share(const share *s, size_t size, unsigned char *data)
{
    size_t i, k;
    for (i = 0; i < s->count; i++)
        for (k = 0; k < size; k++)
            data[i * size + k] = (unsigned char)((s->first + i) >> k % 8 * 8);
}

/* Returns an exit code of this rank. */
static int generate(task *t, size_t pattern, cl_ulong seed)
{
    const clsort_desc *d = &t->order.desc;
    cl_uint f;
    t->keys = (unsigned char *)malloc(t->input.count * t->size + 1);
    t->values = (unsigned char *)malloc(t->input.count * t->value_size + 1);
    if (!t->keys || !t->values) return failed(DONE_IO, "%s", strerror(ENOMEM));
    number_share(&t->input, t->value_size, t->values);
    if (t->order.type) {
        pattern_share(pattern, d->key_type, seed, &t->input, t->size, t->keys);
        return DONE_OK;
    }
    number_share(&t->input, t->size, t->keys);
    for (f = 0; f < d->field_count; f++)
        if (!reference_is_bytes(d->fields[f].type))
            pattern_share(pattern, d->fields[f].type, seed + f, &t->input, t->size,
                          t->keys + d->fields[f].offset);
    return DONE_OK;
}

/* The pattern and its seed. Returns an exit code. */
static int pattern_options(const task *t, size_t *pattern, unsigned long long *seed,
                           unsigned long long *count)
{
    const char *name = argument(t->a, OPTION_PATTERN, "uniform");
    const clsort_desc *d = &t->order.desc;
    const pattern_entry *entry;
    cl_uint f;
    *pattern = pattern_find(name);
    entry = pattern_get(*pattern);
    if (!entry || entry->kind == PATTERN_SWAPS)
        return fail(DONE_USAGE, "unknown pattern '%s'; `clsort gen --list` lists them, of which "
                    "those named swaps are not there", name);
    for (f = 0; f < (t->order.type ? 1 : d->field_count); f++) {
        const cl_uint type = t->order.type ? d->key_type : d->fields[f].type;
        if (!reference_is_bytes(type) && !pattern_applies(*pattern, type))
            return fail(DONE_USAGE, "pattern '%s' is for floats", name);
    }
    if (!count_parse(argument(t->a, OPTION_COUNT, ""), count) || *count > SIZE_MAX / 8 - 1)
        return fail(DONE_USAGE, "without a file to sort -n needs a count such as 1000 or 2^20");
    if (!count_parse(argument(t->a, OPTION_SEED, "1"), seed))
        return fail(DONE_USAGE, "--seed needs a whole number");
    return DONE_OK;
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* What is known of elements in order: across blocks, files and ranks. */
typedef struct evidence {
    uint64_t last[CODES_MOST];   /* codes of the last element */
    cl_ulong count;
    cl_ulong wrong;              /* the first element before its predecessor; ~0: none */
    cl_ulong sum;                /* of hashes of elements with their values */
} evidence;

static evidence evidence_none(void)
{
    evidence e;
    memset(&e, 0, sizeof e);
    e.wrong = ~(cl_ulong)0;
    return e;
}

/* The codes of an element, by other means than mpi_sort.h. Returns how many. */
static cl_uint element_codes(const sort_order *o, const unsigned char *element, uint64_t *codes)
{
    const clsort_desc *d = &o->desc;
    cl_uint n = 0, f;
    size_t part;
    if (o->type) reference_codes(element, o->type->size, 1, d, &codes[n++]);
    for (f = 0; f < d->field_count; f++)
        for (part = 0; part < reference_field_parts(&d->fields[f]); part++)
            reference_part_codes(element, d->record_size, 1, &d->fields[f], part, &codes[n++]);
    return n;
}

static uint64_t hash_bytes(uint64_t h, const unsigned char *data, size_t size)
{
    for (; size > 0;) {
        const size_t step = size < 8 ? size : 8;
        uint64_t word = 0;
        memcpy(&word, data, step);
        h ^= word;
        h = pattern_random(&h);
        data += step;
        size -= step;
    }
    return h;
}

/* Takes in one more block. */
static void evidence_add(evidence *e, const task *t, const unsigned char *keys,
                         const unsigned char *values, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++, e->count++) {
        const unsigned char *key = keys + i * t->size;
        uint64_t codes[CODES_MOST], h;
        const cl_uint n = element_codes(&t->order, key, codes);
        cl_uint f = 0;
        while (f < n && codes[f] == e->last[f]) f++;
        if (e->count && f < n && codes[f] < e->last[f] && e->wrong == ~(cl_ulong)0)
            e->wrong = e->count;
        memcpy(e->last, codes, n * sizeof *codes);
        h = hash_bytes(1, key, t->size);
        if (t->value_size) h = hash_bytes(h, values + i * t->value_size, t->value_size);
        e->sum += h;
    }
}

/* Is the first element of this rank before the last one of the ranks before it? e: of this rank;
   `first` are the codes of its first element. */
static int is_joint_wrong(const evidence *e, const uint64_t *first)
{
    evidence *all = (evidence *)calloc((size_t)ranks, sizeof *all);
    int before = rank - 1, is_wrong = !all;
    cl_uint f = 0;
    if (!all) MPI_Abort(MPI_COMM_WORLD, DONE_IO);
    else {
        MPI_Allgather(e, (int)sizeof *e, MPI_BYTE, all, (int)sizeof *e, MPI_BYTE, MPI_COMM_WORLD);
        while (before >= 0 && !all[before].count) before--;
        if (before >= 0 && e->count) {
            while (f < CODES_MOST && first[f] == all[before].last[f]) f++;
            is_wrong = f < CODES_MOST && first[f] < all[before].last[f];
        }
    }
    free(all);
    return is_wrong;
}

/* Says whether elements of all ranks are in order and those that they were. first: the place of
   this rank's first one. Returns an exit code, the same on all ranks. */
static int evidence_judge(const evidence *in, const evidence *out, cl_ulong first, int joint)
{
    cl_ulong mine[2], all[2], wrong = out->wrong, least;
    mine[0] = in->count - out->count;
    mine[1] = in->sum - out->sum;
    if (wrong != ~(cl_ulong)0) wrong += first;
    if (joint) wrong = first;
    MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&wrong, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    if (least == ~(cl_ulong)0 && !all[0] && !all[1]) return DONE_OK;
    if (rank) return DONE_WRONG;
    if (least != ~(cl_ulong)0)
        printf("wrong at position %llu: it comes before its predecessor\n",
               (unsigned long long)least);
    else printf("wrong: the elements of the output are not those of the input\n");
    return DONE_WRONG;
}

/* Checks the result in memory. Returns an exit code, the same on all ranks. */
static int check_result(const task *t)
{
    uint64_t first[CODES_MOST] = { 0 };
    evidence in = evidence_none(), out = evidence_none();
    evidence_add(&in, t, t->keys, t->values, t->input.count);
    evidence_add(&out, t, t->sorted, t->sorted_values, t->output.count);
    if (t->output.count) element_codes(&t->order, t->sorted, first);
    return evidence_judge(&in, &out, t->output.first, is_joint_wrong(&out, first));
}

/* ---- sort ------------------------------------------------------------------------------------ */

/* Opens and reads the input, or generates it. Returns an exit code, the same on all ranks. */
static int sort_read(task *t, size_t pattern, cl_ulong seed, cl_ulong count)
{
    const char *path = t->a->operand[0], *values = argument(t->a, OPTION_VALUES, NULL);
    MPI_File keys_file = MPI_FILE_NULL, values_file = MPI_FILE_NULL;
    cl_ulong value_count = 0;
    int code = DONE_OK;
    if (path) {
        code = elements_open(path, t->size, &keys_file, &count);
        if (code == DONE_OK && values)
            code = elements_open(values, t->value_size, &values_file, &value_count);
        if (code == DONE_OK && values && value_count != count)
            code = fail(DONE_IO, "%s: %llu values for %llu keys", values,
                        (unsigned long long)value_count, (unsigned long long)count);
    }
    if (code == DONE_OK) code = share_options(t->a, count, &t->input);
    if (code == DONE_OK) {
        t->read = MPI_Wtime();
        if (!path) code = generate(t, pattern, seed);
        else code = share_read(keys_file, path, &t->input, t->size, &t->keys);
        if (code == DONE_OK && values)
            code = share_read(values_file, values, &t->input, t->value_size, &t->values);
        code = agree(code);
        t->read = MPI_Wtime() - t->read;
    }
    file_close(&keys_file);
    file_close(&values_file);
    return code;
}

/* What does not change from run to run. */
static clsort_mpi_desc sort_describe(const task *t, cl_uint flags, size_t chunk)
{
    clsort_mpi_desc d = clsort_mpi_desc_default();
    d.order = t->order.desc;
    d.order.value_size = t->value_size;
    d.count = t->input.count;
    d.keys.host = t->keys;
    d.values.host = t->value_size ? t->values : NULL;
    d.keys_out.host = t->sorted;
    d.values_out.host = t->value_size ? t->sorted_values : NULL;
    d.room = t->room;
    d.flags = flags;
    d.chunk_bytes = chunk;
    d.sent = t->sent;
    d.received = t->received;
    return d;
}

/* Sorts the input. A phase takes as long as on the slowest rank; of several runs the least time of
   each counts. Returns an exit code, the same on all ranks. */
static int sort_run(task *t, cl_uint flags, size_t chunk, cl_ulong runs)
{
    const clsort_mpi_desc d = sort_describe(t, flags, chunk);
    double most[CLSORT_MPI_PHASES];
    cl_ulong run;
    int phase;
    for (run = 0; run < runs; run++) {
        clsort_mpi_result *r = &t->result;
        const clsort_status status = clsort_mpi_sort(MPI_COMM_WORLD, t->sorter, t->device.queue,
                                                     &d, r);
        if (status != CL_SUCCESS) return fail(DONE_OPENCL, "%s", r->error);
        MPI_Allreduce(r->seconds, most, CLSORT_MPI_PHASES, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        for (phase = 0; phase < CLSORT_MPI_PHASES; phase++)
            if (!run || most[phase] < t->seconds[phase]) t->seconds[phase] = most[phase];
    }
    t->output.total = t->result.total;
    t->output.first = t->result.first;
    t->output.count = t->result.count;
    return DONE_OK;
}

/* Counts and places of an exchange as MPI_Alltoallv wants them: ranks numbers of each of four
   kinds. Returns an exit code of this rank. */
static int alltoallv_numbers(const task *t, int *numbers)
{
    int k, r;
    for (k = 0; k < 2; k++) {
        const cl_ulong *counts = k ? t->received : t->sent;
        int *number = numbers + k * 2 * ranks, *place = number + ranks;
        cl_ulong at = 0;
        for (r = 0; r < ranks; r++) {
            number[r] = (int)counts[r];
            place[r] = (int)at;
            at += counts[r];
        }
        if (at > INT_MAX)
            return failed(DONE_USAGE, "--alltoallv: more elements than an MPI count holds");
    }
    return DONE_OK;
}

/* Times a bare exchange of this rank's input, `size` bytes of each element, to memory that is as
   fresh as that of a sort. Returns an exit code, the same on all ranks. */
static int time_alltoallv(const task *t, const unsigned char *from, size_t size, double *seconds)
{
    int *numbers = (int *)calloc((size_t)ranks * 4, sizeof *numbers), code = DONE_OK;
    unsigned char *to = (unsigned char *)malloc(t->output.count * size + 1);
    MPI_Datatype element;
    if (!numbers || !to) code = failed(DONE_IO, "%s", strerror(ENOMEM));
    else code = alltoallv_numbers(t, numbers);
    code = agree(code);
    if (code == DONE_OK) {
        MPI_Type_contiguous((int)size, MPI_BYTE, &element);
        MPI_Type_commit(&element);
        *seconds -= MPI_Wtime();
        MPI_Alltoallv(from, numbers, numbers + ranks, element, to, numbers + 2 * ranks,
                      numbers + 3 * ranks, element, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        *seconds += MPI_Wtime();
        MPI_Type_free(&element);
    }
    free(numbers);
    free(to);
    return code;
}

/* The least time of several runs. Returns an exit code, the same on all ranks. */
static int time_alltoallvs(task *t, cl_ulong runs)
{
    cl_ulong run;
    int code = DONE_OK;
    for (run = 0; run < runs && code == DONE_OK; run++) {
        double seconds = 0, most;
        code = time_alltoallv(t, t->keys, t->size, &seconds);
        if (code == DONE_OK && t->value_size)
            code = time_alltoallv(t, t->values, t->value_size, &seconds);
        MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (!run || most < t->alltoallv) t->alltoallv = most;
    }
    return code;
}

/* Writes the result's files. Returns an exit code, the same on all ranks. */
static int sort_write(task *t)
{
    output keys, values;
    int code = output_open(argument(t->a, OPTION_OUTPUT, NULL), &keys);
    values.path = NULL;
    if (code == DONE_OK && !keys.path && !t->a->given[OPTION_VALUES_OUTPUT]) return DONE_OK;
    if (code == DONE_OK) code = output_open(argument(t->a, OPTION_VALUES_OUTPUT, NULL), &values);
    t->write = MPI_Wtime();
    if (code == DONE_OK) {
        code = output_write(&keys, t->output.first * t->size, t->sorted, t->output.count * t->size);
        if (code == DONE_OK)
            code = output_write(&values, t->output.first * t->value_size, t->sorted_values,
                                t->output.count * t->value_size);
        code = agree(code);
    }
    code = output_close(&values, code);
    code = output_close(&keys, code);
    t->write = MPI_Wtime() - t->write;
    return code;
}

/* ---- times ----------------------------------------------------------------------------------- */

enum { TIMES = CLSORT_MPI_PHASES + 2 };

static const char *const time_names[TIMES] = { "read", "load", "sort", "sample", "partition",
                                               "exchange", "merge", "store", "write" };

static const char *task_name(const task *t, char *text, size_t size)
{
    snprintf(text, size, "%s%s%.0zu", t->order.type ? t->order.type->name : "records of ",
             t->order.type && t->value_size ? " + " : "",
             t->order.type ? t->value_size : t->size);
    return text;
}

/* Prints the longest time of any rank in each phase. */
static void times_print(const task *t)
{
    double mine[TIMES + 1], most[TIMES + 1], all = 0;
    char name[64];
    int i;
    mine[0] = t->read;
    memcpy(mine + 1, t->seconds, sizeof t->seconds);
    mine[TIMES - 1] = t->write;
    mine[TIMES] = t->alltoallv;
    MPI_Reduce(mine, most, TIMES + 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank) return;
    for (i = 0; i < TIMES; i++) all += most[i];
    task_name(t, name, sizeof name);
    if (t->a->given[OPTION_CSV]) {
        printf("ranks,elements,count,");
        for (i = 0; i < TIMES; i++) printf("%s,", time_names[i]);
        printf("alltoallv,imbalance,rounds\n%d,%s,%llu,", ranks, name,
               (unsigned long long)t->result.total);
        for (i = 0; i <= TIMES; i++) printf("%.6f,", most[i]);
        printf("%.4f,%d\n", t->result.imbalance, t->result.rounds);
        return;
    }
    printf("%llu %s on %d ranks; imbalance %.3f, rounds %d\n", (unsigned long long)t->result.total,
           name, ranks, t->result.imbalance, t->result.rounds);
    for (i = 0; i < TIMES; i++)
        printf("  %-10s %9.4f s %5.1f %%\n", time_names[i], most[i],
               all > 0 ? 100 * most[i] / all : 0);
    if (t->a->given[OPTION_ALLTOALLV])
        printf("  a bare MPI_Alltoallv of the same bytes: %.4f s, %.2f of the exchange\n",
               most[TIMES], most[TIMES] / most[1 + CLSORT_MPI_EXCHANGE]);
}

/* ---- commands -------------------------------------------------------------------------------- */

typedef struct sort_choices {
    size_t pattern;
    unsigned long long seed, count, runs, chunk;
    cl_uint flags;
} sort_choices;

/* Everything that can be refused before anything is read. Returns an exit code. */
static int sort_options(const arguments *a, task *t, sort_choices *c)
{
    share none;
    int code = task_options(a, a->operand_count, t);
    memset(c, 0, sizeof *c);
    c->runs = 1;
    if (code == DONE_OK) code = share_options(a, 0, &none);
    if (code == DONE_OK && !a->operand_count)
        code = pattern_options(t, &c->pattern, &c->seed, &c->count);
    if (code != DONE_OK) return code;
    if (a->operand_count && (a->given[OPTION_PATTERN] || a->given[OPTION_COUNT]))
        return fail(DONE_USAGE, "sort: a file is sorted, or a --pattern, not both");
    if (a->given[OPTION_VALUES] && !a->given[OPTION_VALUES_OUTPUT])
        return fail(DONE_USAGE, "--values need --values-output: a file for the result");
    if (a->given[OPTION_VALUES_OUTPUT] && !t->value_size)
        return fail(DONE_USAGE, "--values-output needs --value-size");
    if (a->given[OPTION_RUNS]
        && (!count_parse(argument(a, OPTION_RUNS, ""), &c->runs) || !c->runs || c->runs > 1000))
        return fail(DONE_USAGE, "--runs must be 1 to 1000");
    if (a->given[OPTION_CHUNK]
        && (!count_parse(argument(a, OPTION_CHUNK, ""), &c->chunk) || !c->chunk
            || c->chunk > FILE_STEP))
        return fail(DONE_USAGE, "--chunk must be 1 to 2^30 bytes");
    if (a->given[OPTION_BALANCED]) c->flags |= CLSORT_MPI_BALANCED;
    if (a->given[OPTION_STAGED]) c->flags |= CLSORT_MPI_STAGED;
    return DONE_OK;
}

/* Allocates what a sort writes. Returns an exit code, the same on all ranks. */
static int sort_room(task *t, cl_uint flags)
{
    t->room = clsort_mpi_room(t->input.total, ranks, flags);
    t->sorted = (unsigned char *)malloc(t->room * t->size + 1);
    t->sorted_values = (unsigned char *)malloc(t->room * t->value_size + 1);
    t->sent = (cl_ulong *)calloc((size_t)ranks, sizeof *t->sent);
    t->received = (cl_ulong *)calloc((size_t)ranks, sizeof *t->received);
    return agree(t->sorted && t->sorted_values && t->sent && t->received
                     ? DONE_OK : failed(DONE_IO, "%s", strerror(ENOMEM)));
}

static int command_sort(const arguments *a)
{
    static task t;
    sort_choices c;
    int code = sort_options(a, &t, &c);
    if (code == DONE_OK) code = agree(task_device(&t));
    if (code == DONE_OK) code = agree(task_check(&t));
    if (code == DONE_OK) code = sort_read(&t, c.pattern, c.seed, c.count);
    if (code == DONE_OK) code = sort_room(&t, c.flags);
    if (code == DONE_OK) code = sort_run(&t, c.flags, (size_t)c.chunk, c.runs);
    if (code == DONE_OK && a->given[OPTION_CHECK]) code = check_result(&t);
    if (code == DONE_OK && a->given[OPTION_ALLTOALLV]) code = time_alltoallvs(&t, c.runs);
    if (code == DONE_OK) code = sort_write(&t);
    if (code == DONE_OK && (a->given[OPTION_TIMES] || a->given[OPTION_CSV])) times_print(&t);
    task_free(&t);
    return code;
}

/* Reads the share of a file, block by block, and what is before it of an output. Returns an exit
   code of this rank. */
static int verify_file(const task *t, MPI_File files[2], const char *const paths[2], int is_output,
                       evidence *e)
{
    const share *s = &t->input;
    const cl_ulong end = s->first + s->count;
    unsigned char *data[2];
    cl_ulong at = s->first;
    int code = DONE_OK;
    data[0] = (unsigned char *)malloc(VERIFY_BLOCK * t->size);
    data[1] = (unsigned char *)malloc(VERIFY_BLOCK * t->value_size + 1);
    if (!data[0] || !data[1]) code = failed(DONE_IO, "%s", strerror(ENOMEM));
    if (code == DONE_OK && is_output && at > 0 && s->count) {
        code = file_read(files[0], paths[0], (at - 1) * t->size, data[0], t->size);
        if (code == DONE_OK) element_codes(&t->order, data[0], e->last);
        e->count = 1;
    }
    while (at < end && code == DONE_OK) {
        const size_t n = end - at < VERIFY_BLOCK ? (size_t)(end - at) : VERIFY_BLOCK;
        code = file_read(files[0], paths[0], at * t->size, data[0], n * t->size);
        if (code == DONE_OK && t->value_size)
            code = file_read(files[1], paths[1], at * t->value_size, data[1], n * t->value_size);
        if (code == DONE_OK) evidence_add(e, t, data[0], data[1], n);
        at += n;
    }
    free(data[0]);
    free(data[1]);
    return code;
}

/* Opens the files of INPUT or of OUTPUT. Returns an exit code, the same on all ranks. */
static int verify_open(const task *t, const char *const paths[2], MPI_File files[2],
                       cl_ulong *count)
{
    cl_ulong values = 0;
    int code = elements_open(paths[0], t->size, &files[0], count);
    if (code != DONE_OK || !t->value_size) return code;
    code = elements_open(paths[1], t->value_size, &files[1], &values);
    if (code == DONE_OK && values != *count)
        code = fail(DONE_IO, "%s: %llu values for %llu keys", paths[1], (unsigned long long)values,
                    (unsigned long long)*count);
    return code;
}

/* Compares both. Returns an exit code, the same on all ranks. */
static int verify_both(task *t, const char *paths[2][2], MPI_File files[2][2],
                       const cl_ulong count[2])
{
    evidence e[2];
    int k, code = DONE_OK;
    if (count[0] != count[1]) {
        if (!rank)
            printf("wrong: %llu elements in INPUT, %llu in OUTPUT\n",
                   (unsigned long long)count[0], (unsigned long long)count[1]);
        return DONE_WRONG;
    }
    share_options(t->a, count[0], &t->input);
    for (k = 0; k < 2; k++) {
        e[k] = evidence_none();
        if (code == DONE_OK) code = verify_file(t, files[k], paths[k], k, &e[k]);
    }
    code = agree(code);
    if (code != DONE_OK) return code;
    /* An element was read in front of the others. */
    e[0].count = e[1].count = 0;
    return evidence_judge(&e[0], &e[1], t->input.first - (t->input.first && t->input.count), 0);
}

static int command_verify(const arguments *a)
{
    static task t;
    const char *paths[2][2];
    MPI_File files[2][2] = { { MPI_FILE_NULL, MPI_FILE_NULL }, { MPI_FILE_NULL, MPI_FILE_NULL } };
    cl_ulong count[2] = { 0, 0 };
    int k, code = task_options(a, 2, &t);
    for (k = 0; k < 2; k++) {
        paths[k][0] = a->operand[k];
        paths[k][1] = a->value[OPTION_VALUES][k];
    }
    for (k = 0; k < 2 && code == DONE_OK; k++)
        code = verify_open(&t, paths[k], files[k], &count[k]);
    if (code == DONE_OK) code = verify_both(&t, paths, files, count);
    if (code == DONE_OK && !rank)
        printf("sorted: %llu elements, on %d ranks\n", (unsigned long long)count[0], ranks);
    for (k = 0; k < 2; k++) {
        file_close(&files[k][0]);
        file_close(&files[k][1]);
    }
    task_free(&t);
    return code;
}

/* ---- program --------------------------------------------------------------------------------- */

static const command commands[] = {
    { "sort", " [IN]", "Sorts a file, or generated keys, over the ranks of a job",
      "IN holds raw keys or records, as for `clsort sort`. Without it -n keys of a --pattern are "
      "sorted; their values hold their numbers. Each rank reads a share, sorts it on its device, "
      "exchanges parts with the others and writes what it gets. The ranks of a machine take its "
      "devices in turn. An output gets its name when it is complete.\n"
      "  mpirun -n 4 clsort-mpi sort keys --type u64 -o sorted --times\n"
      "  mpirun -n 4 clsort-mpi sort --type f32 --pattern normal -n 2^28 --check\n",
      FOR_MPI_SORT, 0, 1, command_sort },
    { "verify", " INPUT OUTPUT", "Checks that OUTPUT is INPUT, sorted",
      "Each rank checks the order of a share of OUTPUT, with the element before it, and all add "
      "up hashes of the elements with their values. Needs no OpenCL device. The order of equal "
      "keys is not looked at.\n",
      FOR_MPI_VERIFY, 2, 2, command_verify }
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static int command_run(const command *c, int count, char **words)
{
    static arguments a;
    if (!arguments_parse(c, count, words, &a)) return DONE_USAGE;
    if (!a.given[OPTION_HELP]) return c->run(&a);
    if (!rank) command_help(c);
    return DONE_OK;
}

static int program_run(int count, char **words)
{
    const char *name = count > 1 ? words[1] : "";
    int i;
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        for (i = 0; !rank && i < COMMAND_COUNT; i++) command_help(&commands[i]);
        return DONE_OK;
    }
    for (i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(name, commands[i].name)) return command_run(&commands[i], count - 2, words + 2);
    return fail(DONE_USAGE, "the command must be sort or verify, not '%s'", name);
}

int main(int count, char **words)
{
    int code;
    if (MPI_Init(&count, &words) != MPI_SUCCESS) return DONE_IO;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    program_name = "clsort-mpi";
    is_quiet = rank > 0;
    code = program_run(count, words);
    if (code == DONE_OK && !rank && (fflush(stdout) || ferror(stdout)))
        code = fail(DONE_IO, "standard output: %s", strerror(errno));
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    fflush(stdout);
    MPI_Finalize();
    return code;
}
