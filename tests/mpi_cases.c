/* Checks tools/mpi/mpi_sort.h on the ranks of a job: every result is gathered and compared byte for
   byte with a stable sort on the host. tests/scripts/mpi builds and starts it. Rank 0 prints "N
   passed, N failed".

     mpirun -n 4 build/mpi_cases

   Cases that compile kernels of their own are those with other keys than u32 and with values above
   4 bytes. Two of these run. CLSORT_TEST_WHOLE=1 runs all, CLSORT_TEST_ONLY those with a part of
   the name. */

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CLSORT_STATIC
#define CLSORT_IMPLEMENTATION
#include "clsort.h"

#include "mpi_sort.h"
#include "device.h"
#include "patterns.h"
#include "reference.h"

enum { MOST = 60000 };

/* How the input is spread over the ranks. */
enum { EQUAL, UNEVEN, EVEN_RANKS_EMPTY, LAST_HAS_ALL, SPREADS };

static int rank, ranks, passed, failures;
static device_session device;
static clsort_sorter *sorter;

/* One sort. */
typedef struct test_case {
    const char *name, *pattern;
    cl_uint type;          /* 0: records of 16 bytes by three fields; 1: by a field of bytes */
    size_t value_size, n;  /* n: of all ranks */
    int spread;
    cl_uint flags;
    int in_buffers;        /* input and output; 2: the same ones; 3: keys only */
    size_t chunk;
    cl_uint order, nan_order, zero_order, first_bit, last_bit;
} test_case;

static const clsort_field fields[4] = { { 4, CLSORT_U16, CLSORT_DESCENDING, 0, 0 },
                                        { 8, CLSORT_F32, 0, 0, CLSORT_ZERO_EQUAL },
                                        { 6, CLSORT_I8, 0, 0, 0 },
                                        { 3, CLSORT_BYTES + 11, CLSORT_DESCENDING, 0, 0 } };

static const test_case cases[] = {
    { "uniform keys", "uniform", CLSORT_U32, 0, 50000, EQUAL, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "bell-shaped keys", "gaussian", CLSORT_U32, 0, 50001, EQUAL, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "Zipf's keys", "zipf", CLSORT_U32, 0, 50002, EQUAL, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "equal keys", "equal", CLSORT_U32, 0, 50003, EQUAL, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "sorted keys", "sorted", CLSORT_U32, 0, 50000, EQUAL, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "reversed keys", "reverse", CLSORT_U32, 0, 50000, EQUAL, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "unequal inputs", "uniform", CLSORT_U32, 0, 50000, UNEVEN, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "empty ranks", "uniform", CLSORT_U32, 0, 50000, EVEN_RANKS_EMPTY, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "one rank has all", "zipf", CLSORT_U32, 0, 50000, LAST_HAS_ALL, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "nothing", "uniform", CLSORT_U32, 0, 0, EQUAL, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "one key", "uniform", CLSORT_U32, 0, 1, LAST_HAS_ALL, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "fewer keys than samples", "mod-3", CLSORT_U32, 0, 77, UNEVEN, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "balanced counts", "zipf", CLSORT_U32, 0, 49999, UNEVEN, CLSORT_MPI_BALANCED, 0, 0, 0, 0, 0,
      0, 0 },
    { "balanced counts of equal keys", "equal", CLSORT_U32, 4, 49998, LAST_HAS_ALL,
      CLSORT_MPI_BALANCED, 0, 0, 0, 0, 0, 0, 0 },
    { "staged, in small chunks", "uniform", CLSORT_U32, 0, 50000, EQUAL, CLSORT_MPI_STAGED, 0, 1000,
      0, 0, 0, 0, 0 },
    { "staged, with values", "zipf", CLSORT_U32, 4, 50000, UNEVEN, CLSORT_MPI_STAGED, 0, 0, 0, 0,
      0, 0, 0 },
    { "staged, empty ranks", "zipf", CLSORT_U32, 4, 50000, EVEN_RANKS_EMPTY, CLSORT_MPI_STAGED, 1,
      4096, 0, 0, 0, 0, 0 },
    { "messages of 999 bytes", "uniform", CLSORT_U32, 4, 30000, EQUAL, 0, 0, 999, 0, 0, 0, 0, 0 },
    { "buffers", "zipf", CLSORT_U32, 4, 50000, UNEVEN, 0, 1, 0, 0, 0, 0, 0, 0 },
    { "keys in buffers, values not", "zipf", CLSORT_U32, 4, 50000, UNEVEN, 0, 3, 0, 0, 0, 0, 0, 0 },
    { "values not in buffers, staged", "zipf", CLSORT_U32, 8, 40000, UNEVEN, CLSORT_MPI_STAGED, 3,
      0, 0, 0, 0, 0, 0 },
    { "the same buffers", "zipf", CLSORT_U32, 4, 50000, UNEVEN, 0, 2, 0, 0, 0, 0, 0, 0 },
    { "the same buffers, staged", "uniform", CLSORT_U32, 0, 50000, EQUAL, CLSORT_MPI_STAGED, 2, 0,
      0, 0, 0, 0, 0 },
    { "bytes downwards", "zipf", CLSORT_I8, 4, 30000, EQUAL, 0, 0, 0, CLSORT_DESCENDING, 0, 0, 0,
      0 },
    { "halves with NaNs last", "nans-10", CLSORT_F16, 4, 30000, EQUAL, 0, 0, 0, CLSORT_DESCENDING,
      CLSORT_NAN_LAST, 0, 0, 0 },
    { "nothing but NaNs, all last", "nans-100", CLSORT_F32, 0, 30000, EQUAL, 0, 0, 0, 0,
      CLSORT_NAN_LAST, 0, 0, 0 },
    { "floats with equal NaNs and zeros", "nans-10", CLSORT_F32, 4, 30000, EQUAL, 0, 0, 0, 0,
      CLSORT_NAN_EQUAL, CLSORT_ZERO_EQUAL, 0, 0 },
    { "equal zeros", "around-zero", CLSORT_F32, 4, 30000, EQUAL, CLSORT_MPI_STAGED, 0, 0, 0, 0,
      CLSORT_ZERO_EQUAL, 0, 0 },
    { "doubles with values of 12 bytes", "normal", CLSORT_F64, 12, 30000, UNEVEN, 0, 0, 0, 0, 0, 0,
      0, 0 },
    { "some bits", "uniform", CLSORT_U64, 4, 30000, EQUAL, 0, 0, 0, 0, 0, 0, 3, 11 },
    { "some bits of floats with equal NaNs and zeros", "nans-10", CLSORT_F32, 4, 30000, EQUAL, 0, 0,
      0, 0, CLSORT_NAN_EQUAL, CLSORT_ZERO_EQUAL, 2, 25 },
    { "records by fields", "mod-4", 0, 0, 30000, UNEVEN, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "records by bytes downwards", "mod-4", 1, 0, 30000, UNEVEN, 0, 0, 0, 0, 0, 0, 0, 0 },
    { "records by fields, staged in buffers", "mod-4", 0, 0, 30000, EQUAL, CLSORT_MPI_STAGED, 1,
      5000, 0, 0, 0, 0, 0 }
};

static unsigned char all_keys[MOST * 16], all_values[MOST * 16], got_keys[MOST * 16],
    got_values[MOST * 16], own_keys[MOST * 16], own_values[MOST * 16];

static void check(int is_good, const char *name, const char *why)
{
    if (is_good) passed++;
    else failures++;
    if (!is_good && !rank) printf("FAILED: %s on %d ranks: %s\n", name, ranks, why);
}

/* Elements on the ranks before r. */
static size_t spread_first(const test_case *c, int r)
{
    const size_t half = (size_t)(ranks / 2), i = (size_t)r;
    switch (r == ranks ? EQUAL : c->spread) {
    case UNEVEN: return c->n * i * i / (size_t)(ranks * ranks);
    case EVEN_RANKS_EMPTY: return half ? c->n * (i / 2) / half : 0;
    case LAST_HAS_ALL: return 0;
    default: return c->n * i / (size_t)ranks;
    }
}

static clsort_desc describe(const test_case *c)
{
    clsort_desc d = clsort_desc_default();
    d.key_type = c->type > 1 ? c->type : 0;
    d.value_size = c->value_size;
    d.stable = 1;
    d.order = c->order;
    d.nan_order = c->nan_order;
    d.zero_order = c->zero_order;
    d.first_bit = c->first_bit;
    d.last_bit = c->last_bit;
    if (c->type > 1) return d;
    d.record_size = 16;
    d.fields = c->type ? fields + 3 : fields;
    d.field_count = c->type ? 1 : 3;
    return d;
}

static size_t key_size(const test_case *c) { return c->type > 1 ? pattern_key_size(c->type) : 16; }

/* The same input on all ranks. Values, and what no field of a record covers, are numbers. */
static void make_input(const test_case *c)
{
    const size_t pattern = pattern_find(c->pattern);
    size_t i;
    memset(all_values, 0, sizeof all_values);
    for (i = 0; i < c->n; i++)
        if (c->value_size) memcpy(all_values + i * c->value_size, &i, 4);
    if (c->type > 1) {
        pattern_fill(pattern, c->type, c->n, 7, 0, all_keys);
        return;
    }
    memset(all_keys, 0, sizeof all_keys);
    pattern_fill(pattern, CLSORT_U32, c->n, 7, 0, got_keys);
    for (i = 0; i < c->n; i++) {
        memcpy(all_keys + 16 * i, &i, 4);
        all_keys[16 * i + 4] = got_keys[4 * i];
        all_keys[16 * i + 6] = (unsigned char)(i % 3 - 1);
        all_keys[16 * i + 11] = (unsigned char)(i % 2 << 7);   /* a zero of either sign */
    }
}

/* Are the gathered elements those of a stable sort? */
static int is_sorted(const test_case *c)
{
    static uint64_t codes[MOST];
    static uint32_t order[MOST];
    const clsort_desc d = describe(c);
    const size_t size = key_size(c);
    size_t i;
    if (c->type > 1) reference_codes(all_keys, size, c->n, &d, codes);
    else if (!reference_record_codes(all_keys, c->n, &d, codes)) return 0;
    if (!reference_argsort(codes, c->n, order)) return 0;
    for (i = 0; i < c->n; i++)
        if (memcmp(got_keys + i * size, all_keys + order[i] * size, size)
            || memcmp(got_values + i * c->value_size, all_values + order[i] * c->value_size,
                      c->value_size))
            return 0;
    return 1;
}

/* Gathers bytes of all ranks on all. */
static void gather(const unsigned char *own, size_t count, unsigned char *to)
{
    int counts[64], places[64], mine = (int)count, r;
    MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (places[0] = 0, r = 1; r < ranks; r++) places[r] = places[r - 1] + counts[r - 1];
    MPI_Allgatherv(own, mine, MPI_BYTE, to, counts, places, MPI_BYTE, MPI_COMM_WORLD);
}

/* An array in host memory, or in a buffer behind 16 bytes that nobody asked for. */
static clsort_mpi_array make_array(int in_buffer, unsigned char *host, size_t bytes)
{
    clsort_mpi_array a = { NULL, NULL, 0 };
    if (!in_buffer) a.host = host;
    if (!in_buffer || !bytes) return a;
    a.offset = 16;
    a.buffer = clCreateBuffer(device.context, CL_MEM_READ_WRITE, 16 + bytes, NULL, NULL);
    if (a.buffer)
        clEnqueueWriteBuffer(device.queue, a.buffer, CL_TRUE, 16, bytes, host, 0, NULL, NULL);
    return a;
}

static void take_array(const clsort_mpi_array *a, unsigned char *host, size_t bytes)
{
    if (a->buffer && bytes)
        clEnqueueReadBuffer(device.queue, a->buffer, CL_TRUE, a->offset, bytes, host, 0, NULL,
                            NULL);
}

/* Do the ranks know where their elements are in the whole? */
static int is_placed(const clsort_mpi_result *r)
{
    cl_ulong mine[2], all[2 * 64];
    int i;
    mine[0] = r->first;
    mine[1] = r->count;
    MPI_Allgather(mine, 2, MPI_UINT64_T, all, 2, MPI_UINT64_T, MPI_COMM_WORLD);
    for (i = 1; i < ranks; i++)
        if (all[2 * i] != all[2 * i - 2] + all[2 * i - 1]) return 0;
    return all[0] == 0;
}

/* Is no rank's count too large? */
static int is_even(const test_case *c, const clsort_mpi_result *r)
{
    const double share = (double)c->n / ranks;
    if (c->flags & CLSORT_MPI_BALANCED) return r->count <= share + 1 && r->count + 1 >= share;
    return share < 10 ? r->count <= share + 1 : r->imbalance <= 1.1;
}

static void run_case(const test_case *c)
{
    const size_t first = spread_first(c, rank), count = spread_first(c, rank + 1) - first,
                 size = key_size(c);
    clsort_mpi_desc d = clsort_mpi_desc_default();
    clsort_mpi_result r;
    clsort_status status;
    int good[2], all[2];
    make_input(c);
    d.order = describe(c);
    d.count = count;
    d.flags = c->flags;
    d.chunk_bytes = c->chunk;
    d.room = clsort_mpi_room(c->n, ranks, c->flags);
    memcpy(own_keys, all_keys + first * size, count * size);
    memcpy(own_values, all_values + first * c->value_size, count * c->value_size);
    d.keys = make_array(c->in_buffers, own_keys, (c->in_buffers == 2 ? MOST : count) * size);
    d.values = make_array(c->value_size && c->in_buffers && c->in_buffers != 3, own_values,
                          (c->in_buffers == 2 ? MOST : count) * c->value_size);
    d.keys_out = c->in_buffers == 2 ? d.keys : make_array(c->in_buffers, own_keys, d.room * size);
    d.values_out = c->in_buffers == 2
                       ? d.values : make_array(c->in_buffers == 1, own_values,
                                               d.room * c->value_size);
    status = clsort_mpi_sort(MPI_COMM_WORLD, sorter, device.queue, &d, &r);
    if (status != CL_SUCCESS && !rank) printf("%s: %s\n", c->name, r.error);
    take_array(&d.keys_out, own_keys, r.count * size);
    take_array(&d.values_out, own_values, r.count * c->value_size);
    gather(own_keys, r.count * size, got_keys);
    gather(own_values, r.count * c->value_size, got_values);
    good[0] = is_placed(&r) && status == CL_SUCCESS && r.total == c->n && is_sorted(c);
    good[1] = is_even(c, &r) && r.rounds <= CLSORT_MPI_MAX_ROUNDS;
    MPI_Allreduce(good, all, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    check(all[0], c->name, "not the stable order of the input");
    check(all[1], c->name, "a rank has more than 1.1 times its share");
    if (d.keys.buffer) clReleaseMemObject(d.keys.buffer);
    if (d.values.buffer) clReleaseMemObject(d.values.buffer);
    if (c->in_buffers != 2 && d.keys_out.buffer) clReleaseMemObject(d.keys_out.buffer);
    if (c->in_buffers != 2 && d.values_out.buffer) clReleaseMemObject(d.values_out.buffer);
}

/* A mistake on the last rank: all ranks must hear of it. */
static void expect(const char *name, const clsort_mpi_desc *d, clsort_status wanted)
{
    clsort_mpi_result r;
    char last[32];
    const clsort_status status = clsort_mpi_sort(MPI_COMM_WORLD, sorter, device.queue, d, &r);
    int good, all;
    snprintf(last, sizeof last, "rank %d: ", ranks - 1);
    good = status == wanted && r.failed_rank >= 0 && strstr(r.error, "rank ");
    if (wanted != CLSORT_MPI_ERROR_DISAGREE)
        good = good && r.failed_rank == ranks - 1 && !strncmp(r.error, last, strlen(last));
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!good) printf("rank %d: status %d, \"%s\"\n", rank, (int)status, r.error);
    check(all, name, "another status");
}

static void run_mistakes(void)
{
    clsort_mpi_desc good = clsort_mpi_desc_default(), d;
    const int is_last = rank == ranks - 1;
    memset(own_keys, 0, sizeof own_keys);
    good.order.key_type = CLSORT_U32;
    good.count = 1000;
    good.keys.host = good.keys_out.host = own_keys;
    good.room = 2000;
    d = good;
    if (is_last) d.room = 100;
    expect("too little room on one rank", &d, CLSORT_MPI_ERROR_ROOM);
    d = good;
    if (is_last) d.keys.host = NULL;
    expect("no keys on one rank", &d, CLSORT_ERROR_MISSING_BUFFER);
    d = good;
    if (is_last) d.order.rows = 1;
    expect("rows on one rank", &d, CLSORT_ERROR_UNSUPPORTED);
    d = good;
    if (is_last) d.flags = 64;
    expect("an unknown flag on one rank", &d, CLSORT_ERROR_UNKNOWN_FLAG);
    d = good;
    if (is_last) d.order.keys_offset = 1, d.order.key_type = 1;
    expect("an unknown type on one rank", &d, CLSORT_ERROR_KEY_TYPE);
    d = good;
    if (is_last) d.order.order = CLSORT_DESCENDING;
    if (ranks > 1) expect("another order on one rank", &d, CLSORT_MPI_ERROR_DISAGREE);
}

/* No rank can receive more than 1.1 times its share, and with counts balanced one element more. */
static void run_rooms(void)
{
    cl_ulong total;
    int good = clsort_mpi_room(1000, 4, 0) > 260, many;
    for (total = 0; total < 3000; total++)
        for (many = 1; many < 40; many++) {
            const double share = (double)total / many,
                         room = (double)clsort_mpi_room(total, many, 0);
            good = good && room >= share && (room <= 1.1 * share || room < share + 1);
            good = good && clsort_mpi_room(total, many, CLSORT_MPI_BALANCED) < share + 1;
        }
    check(good, "room for 1.1 shares", "too much or too little");
}

static int is_wanted(const test_case *c)
{
    const char *only = getenv("CLSORT_TEST_ONLY");
    if (only) return strstr(c->name, only) != NULL;
    if (getenv("CLSORT_TEST_WHOLE")) return 1;
    return (c->type == CLSORT_U32 && c->value_size <= 4)
           || !strcmp(c->name, "floats with equal NaNs and zeros")
           || !strcmp(c->name, "records by fields, staged in buffers");
}

int main(int count, char **words)
{
    device_info info;
    clsort_options options = clsort_options_default();
    size_t i;
    const char *only = getenv("CLSORT_TEST_ONLY");
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    clsort_cache_folder(&options, getenv("CLSORT_CACHE"));
    if (!device_choose(NULL, &info) || !device_open(&info, &device)
        || clsort_create(device.context, info.id, &options, &sorter)) {
        fprintf(stderr, "no OpenCL device\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        if (is_wanted(&cases[i])) run_case(&cases[i]);
    if (!only) run_mistakes();
    if (!only) run_rooms();
    clsort_destroy(sorter);
    device_close(&device);
    if (!rank) printf("%d passed, %d failed\n", passed, failures);
    MPI_Finalize();
    return failures > 0;
}
