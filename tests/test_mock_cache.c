/* The cache of built programs, on the driver of mock.h: what is in it is loaded, damage costs a
 * build, and no failure of it is one of the caller's. */

#include "mock.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#define CLSORT_CACHE_BYTES 100000
#define CLSORT_IMPLEMENTATION
#include "caching.h"

/* ---- a start of a program -------------------------------------------------------------------- */

typedef struct start {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_mem keys;
    clsort_sorter *sorter;
    int failures;               /* that the diagnostic callback heard of */
} start;

static void hear_failure(void *user, clsort_status status, const char *function,
                         const char *message)
{
    (void)status, (void)function, (void)message;
    ((start *)user)->failures++;
}

static clsort_options cached(start *w, store *s)
{
    clsort_options o = clsort_options_default();
    o.diagnostic = hear_failure;
    o.user = w;
    o.cache_load = load;
    o.cache_save = save;
    o.cache_user = s;
    return o;
}

/* On the second device of a context with two, so that binaries of the first one are not asked
   for; or of a context with a part of a device. */
static void open_start(start *w)
{
    cl_device_id devices[2];
    cl_int error = 0;
    memset(w, 0, sizeof *w);
    devices[0] = (cl_device_id)(void *)&mock_devices[0];
    devices[1] = w->device = (cl_device_id)(void *)&mock_devices[1];
    w->context = mock_clCreateContext(NULL, mock.parts ? 1 : 2, devices + mock.parts, NULL, NULL,
                                      &error);
    w->queue = mock_clCreateCommandQueue(w->context, w->device, 0, &error);
    w->keys = mock_clCreateBuffer(w->context, CL_MEM_READ_WRITE, 1 << 20, NULL, &error);
    CHECK(error == CL_SUCCESS);
}

static void close_start(start *w)
{
    clsort_destroy(w->sorter);
    CHECK(counted_nothing_live() && !mock.faults);
    mock_clReleaseMemObject(w->keys);
    mock_clReleaseCommandQueue(w->queue);
    mock_clReleaseContext(w->context);
}

static clsort_desc some_keys(const start *w, cl_uint type, cl_uint algorithm)
{
    clsort_desc d = clsort_desc_default();
    d.count = 5000;
    d.key_type = type;
    d.algorithm = algorithm;
    d.keys = w->keys;
    return d;
}

/* A start whose sorter has a cache. */
static void open_cached(start *w, store *s)
{
    clsort_options o;
    open_start(w);
    o = cached(w, s);
    CHECK_OK(clsort_create(w->context, w->device, &o, &w->sorter));
}

/* Prepares and enqueues two sorts, by kernels of two programs. */
static clsort_status prepare_and_sort(start *w)
{
    static const cl_uint algorithms[2] = { CLSORT_BITONIC, CLSORT_MERGE };
    clsort_status status = CL_SUCCESS;
    int i;
    for (i = 0; i < 2 && status == CL_SUCCESS; i++) {
        clsort_desc d = some_keys(w, CLSORT_U32, algorithms[i]);
        status = clsort_prepare(w->sorter, w->queue, &d);
        if (status == CL_SUCCESS)
            status = clsort_enqueue_sort(w->sorter, w->queue, &d, 0, NULL, NULL);
    }
    return status;
}

/* A whole run of a program with a cache; returns how many programs were built from their text. */
static int run_start(store *s)
{
    const int builds = mock.builds;
    start w;
    open_cached(&w, s);
    CHECK_OK(prepare_and_sort(&w));
    CHECK(!w.failures && !clsort_last_error(w.sorter)[0]);
    close_start(&w);
    return mock.builds - builds;
}

static void begin(mock_facts facts)
{
    mock_reset(facts);
    counted_reset();
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void loads_what_was_saved(bench *b)
{
    size_t v;
    (void)b;
    for (v = 0; v < 2 * MOCK_PRESETS; v++) {
        store s = { 0 };
        int built;
        AT("device %zu", v);
        begin(mock_presets[v / 2].facts());
        mock.parts = v & 1;
        built = run_start(&s);
        CHECK(built > 0 && s.count == built && s.saves == built && !mock.loads);
        CHECK(run_start(&s) == 0 && mock.loads == built && s.saves == built);
        empty_store(&s);
    }
}

/* Programs whose work-group has to be lowered are loaded, too. */
static void loads_lowered_shapes(bench *b)
{
    store s = { 0 };
    (void)b;
    begin(mock_gpu());
    mock.facts[1].kernel_group = 32;
    CHECK(run_start(&s) > 2 && run_start(&s) == 0);
    empty_store(&s);
}

/* ---- kernels that spill registers ------------------------------------------------------------ */

/* Of the driver's answers: the kernel whose larger shapes spill, NULL: each one of any shape; how
   often it was asked. */
typedef struct spilling {
    const char *kernel;
    cl_uint most_items;
    int asked;
} spilling;

static cl_ulong say_spills(void *user, const char *options, const char *kernel)
{
    spilling *const s = (spilling *)user;
    s->asked++;
    return !s->kernel
                   || (!strcmp(s->kernel, kernel)
                       && mock_option(options, "RADIX_ITEMS") > s->most_items)
               ? 512
               : 0;
}

/* A start that sorts by hybrid radix. Returns how many programs it built; *items: those of a
   work-item in hybrid's own. */
static int run_hybrid_start(store *s, cl_uint *items)
{
    const int builds = mock.builds;
    start w;
    clsort_desc d;
    size_t i;
    open_cached(&w, s);
    d = some_keys(&w, CLSORT_U32, CLSORT_RADIX);
    CHECK_OK(clsort_set_algorithm(&d, "radix-hybrid"));
    CHECK_OK(clsort_prepare(w.sorter, w.queue, &d));
    CHECK_OK(clsort_enqueue_sort(w.sorter, w.queue, &d, 0, NULL, NULL));
    *items = 0;
    for (i = 0; i < w.sorter->program_count; i++)
        if (w.sorter->programs[i].config.family == CLSORT__HYBRID)
            *items = w.sorter->programs[i].config.radix_items;
    close_start(&w);
    return mock.builds - builds;
}

/* What the driver says of spills costs one more build of that program, and none at the next
   start. */
static void remembers_what_spills(bench *b)
{
    static const struct { const char *kernel; cl_uint most, items; int more; } cases[] = {
        { "clsort_hybrid_split", 28, 28, 0 },
        { "clsort_hybrid_split", 27, 16, 1 },
        { "clsort_hybrid_long", 0, 16, 1 },      /* one step, not more */
        { "clsort_radix_scatter", 8, 28, 1 },
        { NULL, 0, 16, 2 }
    };
    size_t i;
    (void)b;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        store known = { 0 }, s = { 0 };
        spilling says = { cases[i].kernel, cases[i].most, 0 };
        cl_uint items;
        int built;
        AT("case %zu", i);
        begin(mock_gpu());
        built = run_hybrid_start(&known, &items);
        CHECK(items == 28);
        mock.on_spills = say_spills;
        mock.user = &says;
        CHECK(run_hybrid_start(&s, &items) == built + cases[i].more && items == cases[i].items);
        CHECK(says.asked > 0 && s.count == s.saves && s.count == built + cases[i].more);
        CHECK(run_hybrid_start(&s, &items) == 0 && items == cases[i].items);
        CHECK(s.saves == s.count);
        empty_store(&s);
        empty_store(&known);
    }
}

/* NVIDIA's GPUs bound registers, and CPUs have other kernels. */
static void spills_do_not_matter_elsewhere(bench *b)
{
    store s = { 0 };
    spilling says = { NULL, 0, 0 };
    cl_uint items;
    (void)b;
    begin(mock_nvidia());
    mock.on_spills = say_spills;
    mock.user = &says;
    CHECK(run_hybrid_start(&s, &items) > 0 && items == 32);
    empty_store(&s);
    begin(mock_cpu());
    mock.on_spills = say_spills;
    mock.user = &says;
    CHECK(run_hybrid_start(&s, &items) > 0 && items == 8 && !says.asked);
    empty_store(&s);
}

/* Does a start ask for sub-groups of 16 work-items? */
static int asks_for_16(const mock_facts *facts, size_t sub_group)
{
    start w;
    clsort__recipe r;
    clsort_desc d;
    begin(*facts);
    mock.facts[1].sub_group = sub_group;
    open_start(&w);
    CHECK_OK(clsort_create(w.context, w.device, NULL, &w.sorter));
    d = some_keys(&w, CLSORT_U32, CLSORT_MERGE);
    CHECK_OK(clsort_prepare(w.sorter, w.queue, &d));
    clsort__make_recipe(w.sorter, &w.sorter->programs[0].config, &r);
    close_start(&w);
    return (int)mock_option(r.options, "SUB_GROUP");
}

static void asks_for_narrow(bench *b)
{
    const mock_facts gpu = mock_gpu(), nvidia = mock_nvidia(), cpu = mock_cpu();
    (void)b;
    CHECK(asks_for_16(&gpu, 16) == 16);
    CHECK(!asks_for_16(&gpu, 0) && !asks_for_16(&gpu, 8) && !asks_for_16(&gpu, 32));
    CHECK(!asks_for_16(&nvidia, 16) && !asks_for_16(&cpu, 16));
}

/* How far ahead do the gathers of a start ask for elements? */
static int asks_ahead(const mock_facts *facts)
{
    start w;
    clsort__recipe r;
    clsort__config utility;
    begin(*facts);
    open_start(&w);
    CHECK_OK(clsort_create(w.context, w.device, NULL, &w.sorter));
    utility = clsort__utility_config(&w.sorter->facts, w.sorter->policy, 0);
    clsort__make_recipe(w.sorter, &utility, &r);
    close_start(&w);
    return (int)mock_option(r.options, "AHEAD");
}

static void only_cpus_ask_ahead(bench *b)
{
    const mock_facts gpu = mock_gpu(), nvidia = mock_nvidia(), cpu = mock_cpu();
    (void)b;
    CHECK(asks_ahead(&cpu) == 32 && !asks_ahead(&gpu) && !asks_ahead(&nvidia));
}

/* Without clsort_prepare, programs are saved when the sorter is destroyed. */
static void saves_at_the_end(bench *b)
{
    store s = { 0 };
    start w;
    clsort_desc d;
    clsort_sorter *clone = NULL;
    (void)b;
    begin(mock_gpu());
    open_cached(&w, &s);
    d = some_keys(&w, CLSORT_U64, CLSORT_MERGE);
    CHECK_OK(clsort_enqueue_sort(w.sorter, w.queue, &d, 0, NULL, NULL));
    CHECK(!s.saves && mock.builds > 0);
    CHECK_OK(clsort_clone(w.sorter, &clone));
    clsort_destroy(clone);
    CHECK(!s.saves);
    close_start(&w);
    CHECK(s.saves == mock.builds);
    empty_store(&s);
}

/* Another text, other options, another version of the driver or device: another entry. */
static void other_programs_have_other_names(bench *b)
{
    store s = { 0 };
    int built;
    (void)b;
    begin(mock_gpu());
    built = run_start(&s);
    mock.facts[1].driver = "2";
    CHECK(run_start(&s) == built);
    mock.facts[1].name = "another mock";
    CHECK(run_start(&s) == built);
    mock.facts[1].version = "OpenCL 1.2 other";
    CHECK(run_start(&s) == built && run_start(&s) == 0 && s.count == 4 * built);
    empty_store(&s);
}

static void comparators_have_names_of_their_own(bench *b)
{
    static const char *const texts[4] = { "a.k < b.k", "a.k > b.k", "a.k < b.k", "a.k< b.k" };
    static const char *const types[2] = { "typedef struct { uint k, v; } clsort_record;",
                                          "typedef struct { int k; uint v; } clsort_record;" };
    store s = { 0 };
    int i;
    (void)b;
    begin(mock_gpu());
    for (i = 0; i < 8; i++) {
        const int builds = mock.builds;
        start w;
        clsort_desc d = clsort_desc_default();
        open_cached(&w, &s);
        d.count = 100;
        d.record_size = 8;
        d.record_type = types[i / 4];
        d.precedes = texts[i % 4];
        AT("text %d", i);
        CHECK_OK(clsort_prepare(w.sorter, w.queue, &d));
        CHECK((mock.builds == builds) == (i % 4 == 2));
        close_start(&w);
    }
    empty_store(&s);
}

/* 1000 entries, each cut, flipped, exchanged, empty or huge: none reaches the driver, and the one
   that is built is saved again. */
static void survives_damage(bench *b)
{
    store s = { 0 }, foreign = { 0 };
    uint64_t random = 1;
    int i, built;
    (void)b;
    begin(mock_gpu());
    mock.facts[1].driver = "2";
    run_start(&foreign);
    mock.facts[1].driver = "1";
    built = run_start(&s);
    for (i = 0; i < 1000; i++) {
        const int n = i % s.count, loads = mock.loads;
        entry *const e = &s.entries[n], before = { "", NULL, 0 };
        entry good = before;
        const size_t size = e->size;
        put_bytes(&good, e->data, e->size);
        damage(e, &s.entries[(n + 1) % s.count], &foreign.entries[n], &random);
        AT("entry %d of %zu bytes, now %zu", i, size, e->size);
        CHECK(run_start(&s) == 1 && mock.loads == loads + built - 1);
        CHECK(e->size == good.size && !memcmp(e->data, good.data, good.size));
        free(good.data);
    }
    empty_store(&s);
    empty_store(&foreign);
}

/* A driver that takes no binary, or one of them back. */
static void survives_drivers(bench *b)
{
    store s = { 0 };
    int built, way;
    (void)b;
    begin(mock_gpu());
    mock.no_binaries = 1;
    built = run_start(&s);
    CHECK(built > 0 && !s.count);
    mock.no_binaries = 0;
    CHECK(run_start(&s) == built && s.count == built);
    for (way = 1; way <= 3; way++) {
        mock.refuse_binary = way;
        AT("refused in way %d", way);
        CHECK(run_start(&s) == built);
    }
    empty_store(&s);
}

/* A start in which call number `call` fails, and all later ones if `after`. Returns 0 if there are
   fewer calls. */
static int fail_a_call(store *s, int call, int after)
{
    start w;
    clsort_options o;
    clsort_status status;
    int in_cache;
    open_start(&w);
    o = cached(&w, s);
    counted.calls = counted.failed = 0;
    counted.code = CL_OUT_OF_RESOURCES;
    counted.fail_after = after;
    counted.fail_at = call;
    status = clsort_create(w.context, w.device, &o, &w.sorter);
    if (status == CL_SUCCESS) status = prepare_and_sort(&w);
    counted.fail_at = 0;
    in_cache = counted.failed
               && (!strcmp(counted.failed_function, "clGetProgramInfo")
                   || !strcmp(counted.failed_function, "clGetPlatformInfo")
                   || !strcmp(counted.failed_function, "clCreateProgramWithBinary"));
    AT("call %d%s: %s gave %d", call, after ? " and all later ones" : "",
       counted.failed ? counted.failed_function : "none", (int)status);
    CHECK((status != CL_SUCCESS) == (w.failures > 0));
    CHECK(after || !in_cache || status == CL_SUCCESS);
    CHECK(!after || !counted.failed || in_cache || status != CL_SUCCESS
          || !strcmp(counted.failed_function, "malloc"));
    if (w.sorter) CHECK_OK(prepare_and_sort(&w));
    close_start(&w);
    return counted.failed;
}

static void survives_faults(bench *b)
{
    int after, filled, call;
    (void)b;
    for (after = 0; after < 2; after++)
        for (filled = 0; filled < 2; filled++) {
            store s = { 0 };
            begin(mock_gpu());
            run_start(&s);
            for (call = 1;; call++) {
                if (!filled) empty_store(&s);
                if (!fail_a_call(&s, call, after)) break;
            }
            CHECK(call > 100);
            empty_store(&s);
        }
}

/* ---- folders --------------------------------------------------------------------------------- */

static char folder[64], parent[32];

/* What differs on Windows, where no folder has a mode. */
#if defined(_WIN32)
#define PARENT "clsort-cache-XXXXXX"
#define REMOVE "rmdir /s /q %s"
#define CACHES "LOCALAPPDATA"
enum { HAS_MODES = 0 };
#else
#define PARENT "/tmp/clsort-cache-XXXXXX"
#define REMOVE "rm -rf %s"
#define CACHES "XDG_CACHE_HOME"
enum { HAS_MODES = 1 };
#endif

static void remove_folders(void)
{
    char command[64];
    snprintf(command, sizeof command, REMOVE, parent);
    if (system(command)) printf("%s stays\n", parent);
}

static void new_folder(const char *name)
{
    if (!parent[0]) {
        snprintf(parent, sizeof parent, PARENT);
        if (CHECK(mkdtemp(parent) != NULL)) atexit(remove_folders);
    }
    snprintf(folder, sizeof folder, "%s/%s", parent, name);
}

static clsort_options in_folder(const char *path)
{
    clsort_options o = clsort_options_default();
    CHECK_OK(clsort_cache_folder(&o, path));
    return o;
}

static void hear_folder(void *user, clsort_status status, const char *function,
                        const char *message)
{
    CHECK(status == CLSORT_ERROR_CACHE_FOLDER && !strcmp(function, "clsort_cache_folder")
          && strstr(message, "CLSORT_ERROR_CACHE_FOLDER"));
    ++*(int *)user;
}

/* A whole run with a folder; how many programs were built from their text. Two are, of one sorter:
   if the folder cannot be used, the callback hears of it once. */
static int run_in_folder(const char *path, int usable)
{
    const int builds = mock.builds;
    int heard = 0;
    start w;
    clsort_options o = in_folder(path);
    o.diagnostic = hear_folder;
    o.user = &heard;
    open_start(&w);
    CHECK_OK(clsort_create(w.context, w.device, &o, &w.sorter));
    CHECK_OK(prepare_and_sort(&w));
    CHECK(heard == !usable);
    close_start(&w);
    CHECK(heard == !usable);
    return mock.builds - builds;
}

/* The number of files in the folder. */
static int count_files(void)
{
    const struct dirent *e;
    DIR *const list = opendir(folder);
    int files = 0;
    if (!list) return -1;
    while ((e = readdir(list)) != NULL) files += e->d_name[0] != '.';
    closedir(list);
    return files;
}

static void keeps_files(bench *b)
{
    struct stat facts;
    int built;
    (void)b;
    begin(mock_gpu());
    new_folder("plain");
    built = run_in_folder(folder, 1);
    CHECK(built > 0 && count_files() == built);
    CHECK(!stat(folder, &facts) && (!HAS_MODES || (facts.st_mode & 0777) == 0700));
    CHECK(run_in_folder(folder, 1) == 0 && count_files() == built);
}

/* The folder of caches: as the variables say. */
static void finds_the_users_folder(bench *b)
{
    int built;
    (void)b;
    begin(mock_gpu());
    new_folder("caches \xC3\xBC");
    CHECK(!mkdir(folder, 0700));
    setenv(CACHES, folder, 1);
    built = run_in_folder(NULL, 1);
    CHECK(built > 0 && run_in_folder(NULL, 1) == 0);
    strcat(folder, "/clsort");
    CHECK(count_files() == built);
    new_folder("home");
    CHECK(!mkdir(folder, 0700));
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", folder, 1);
    if (HAS_MODES) {
        CHECK(run_in_folder(NULL, 1) == built && run_in_folder(NULL, 1) == 0);
        strcat(folder, "/.cache/clsort");
        CHECK(count_files() == built);
    }
    unsetenv(CACHES);
    unsetenv("HOME");
    CHECK(run_in_folder(NULL, 0) == built && run_in_folder(NULL, 0) == built);
}

static void refuses_open_folders(bench *b)
{
    char long_path[3000];
    int built;
    (void)b;
    begin(mock_gpu());
    new_folder("open");
    built = run_in_folder(folder, 1);
    if (HAS_MODES) {
        chmod(folder, 0770);
        CHECK(run_in_folder(folder, 0) == built);
        chmod(folder, 0702);
        CHECK(run_in_folder(folder, 0) == built);
        chmod(folder, 0755);
    } else test_skips("folders have no modes");
    CHECK(run_in_folder(folder, 1) == 0);
    if (!geteuid()) {
        CHECK(!chown(folder, 1, 1));
        CHECK(run_in_folder(folder, 0) == built);
    }
    CHECK(run_in_folder("/dev/null", 0) == built && run_in_folder("/dev/null/x", 0) == built);
    CHECK(run_in_folder("", 0) == built);
    memset(long_path, 'x', sizeof long_path);
    long_path[0] = '/';
    long_path[sizeof long_path - 1] = 0;
    CHECK(run_in_folder(long_path, 0) == built);
}

/* A disk without room: nothing is left of what could not be written. */
static void survives_full_disks(bench *b)
{
    struct rlimit old, none;
    int built;
    (void)b;
    begin(mock_gpu());
    new_folder("full");
    if (test_lacks(getrlimit(RLIMIT_FSIZE, &old), "limits of files")) return;
    none = old;
    none.rlim_cur = 100;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(!setrlimit(RLIMIT_FSIZE, &none));
    built = run_in_folder(folder, 0);
    CHECK(run_in_folder(folder, 0) == built);
    CHECK(!setrlimit(RLIMIT_FSIZE, &old));
    CHECK(built > 0 && count_files() == 0);
}

/* The name of entry number i, and with which folder's files it is. */
static void name_entry(unsigned i, char name[40]) { snprintf(name, 40, "%032x", i); }

/* The oldest files go when there is no room, and files of others stay. */
static void bounds_folders(bench *b)
{
    static unsigned char data[10000];
    const clsort_options o = in_folder(folder);
    struct utimbuf time = { 1000000, 1000000 };
    char name[40], path[200];
    unsigned i;
    (void)b;
    new_folder("bound");
    for (i = 0; i < 30; i++) {
        name_entry(i, name);
        o.cache_save(o.cache_user, name, data, sizeof data);
        snprintf(path, sizeof path, "%s/%s.clsort", folder, name);
        time.actime = ++time.modtime;
        if (!CHECK(!utime(path, &time))) return;
        if (i) continue;
        snprintf(path, sizeof path, "%s/letter", folder);
        fclose(fopen(path, "wb"));
    }
    for (i = 0; i < 30; i++) {
        name_entry(i, name);
        AT("entry %u", i);
        CHECK((o.cache_load(o.cache_user, name, NULL, 0) > 0) == (i >= 21));
    }
    snprintf(path, sizeof path, "%s/letter", folder);
    CHECK(count_files() == 10 && access(path, F_OK) == 0);
    o.cache_save(o.cache_user, "0123456789abcdef0123456789abcdef", data, CLSORT_CACHE_BYTES + 1);
    CHECK(count_files() == 10);
}

/* There is room for all entries and those that are being written. One of several processes that
   save and load the same entries; returns how many loads gave something else than what somebody
   saved. */
static int share_entries(unsigned number)
{
    static unsigned char data[9000], read[9000];
    const clsort_options o = in_folder(folder);
    char name[40];
    int i, wrong = 0;
    for (i = 0; i < 400; i++) {
        size_t k, size;
        name_entry((unsigned)i % 5, name);
        memset(data, (int)number, sizeof data);
        o.cache_save(o.cache_user, name, data, sizeof data);
        size = o.cache_load(o.cache_user, name, read, sizeof read);
        for (k = 1; k < size && read[k] == read[0]; k++) continue;
        wrong += size != sizeof data || k < size;
    }
    return wrong;
}

static void processes_share_folders(bench *b)
{
    unsigned i;
    int status;
    (void)b;
    new_folder("shared");
    fflush(stdout);
    for (i = 1; i <= 4; i++) {
        const int child = (int)fork();
        if (test_lacks(child, "fork")) return;
        if (!child) _exit(share_entries(i) > 0);
    }
    for (i = 1; i <= 4; i++) CHECK(wait(&status) > 0 && WIFEXITED(status) && !WEXITSTATUS(status));
    CHECK(count_files() == 5);
}

static void checks_arguments(bench *b)
{
    clsort_options o = clsort_options_default();
    (void)b;
    CHECK_STATUS(clsort_cache_folder(NULL, "x"), CLSORT_ERROR_NULL_ARGUMENT);
    o.struct_size = offsetof(clsort_options, cache_load);
    CHECK_STATUS(clsort_cache_folder(&o, "x"), CLSORT_ERROR_UNKNOWN_VALUE);
    CHECK(!o.cache_load && !o.cache_save && !o.cache_user);
}

static const test_entry tests[] = {
    { "a second start loads what the first one saved", loads_what_was_saved },
    { "shapes that were lowered are loaded, too", loads_lowered_shapes },
    { "a kernel that spills costs one build, and none at the next start", remembers_what_spills },
    { "NVIDIA's GPUs and CPUs keep their shapes", spills_do_not_matter_elsewhere },
    { "sub-groups of 16 are asked for where these are the narrowest", asks_for_narrow },
    { "only utilities of CPUs ask for elements ahead", only_cpus_ask_ahead },
    { "without prepare, programs are saved when the sorter is destroyed", saves_at_the_end },
    { "another driver, device or version has entries of its own", other_programs_have_other_names },
    { "each comparator has entries of its own", comparators_have_names_of_their_own },
    { "no damaged entry reaches the driver, and each is built again", survives_damage },
    { "a driver that takes no binaries builds in silence", survives_drivers },
    { "a fault in any call of a cache does no harm", survives_faults },
    { "a folder keeps files that only its owner can reach", keeps_files },
    { "the user's folder of caches is found", finds_the_users_folder },
    { "a folder that others can write to is not used", refuses_open_folders },
    { "a full disk only means no cache", survives_full_disks },
    { "the oldest files go first, and no others", bounds_folders },
    { "processes may share a folder", processes_share_folders },
    { "clsort_cache_folder checks its arguments", checks_arguments }
};

TEST_MAIN_ALONE(tests, "a mock")
