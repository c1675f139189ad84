/* outputs.h - the files that a command writes. All are opened before anything is read, each beside
   its target and without a name, or under another one. They are renamed together when all of them
   are complete and on the disk. Whatever fails before, or a signal, leaves every target as it
   was. */

#ifndef CLSORT_TOOLS_OUTPUTS_H
#define CLSORT_TOOLS_OUTPUTS_H

#include <fcntl.h>
#include <signal.h>

#include "files.h"

enum { OUTPUT_KEYS, OUTPUT_VALUES, OUTPUT_INDICES, OUTPUT_TOTAL };

static const option_id output_options[OUTPUT_TOTAL] = { OPTION_OUTPUT, OPTION_VALUES_OUTPUT,
                                                        OPTION_INDICES_OUTPUT };

typedef struct output_file {
    const char *name; /* for messages; NULL: the command does not write this one */
    FILE *file;
    char *target;    /* NULL: written directly, as standard output, pipes and devices are */
    int has_no_name; /* yet, as it is not complete: whatever ends the program ends it, too */
    char *temporary; /* its name until it is renamed */
    char *backup;    /* another name of the old target while several are renamed, or NULL */
    int existed;
    struct stat facts;      /* of the target, or of the folder of a new one */
    const key_array *array; /* to be written */
} output_file;

static output_file outputs[OUTPUT_TOTAL];

/* ---- signals --------------------------------------------------------------------------------- */

/* A signal, which any thread of the driver may get, removes the temporary files. While files get
   their names it has to wait. */
enum { STAGE_ANY, STAGE_NAMING, STAGE_DYING };
static volatile sig_atomic_t stage = STAGE_ANY, caught;

static void on_signal(int number)
{
    const int error = errno;
    int i;
    caught = number;
    if (!__sync_bool_compare_and_swap(&stage, STAGE_ANY, STAGE_DYING)) return;
    for (i = 0; i < OUTPUT_TOTAL; i++)
        if (outputs[i].temporary) unlink(outputs[i].temporary);
    signal(number, SIG_DFL);
    raise(number);
    errno = error;
}

/* A file that is mapped got shorter, or its disk failed. */
static void on_lost_page(int number)
{
    static const char text[] = "clsort: a file got shorter while it was read, or its disk failed\n";
    int i;
    (void)number;
    for (i = 0; i < OUTPUT_TOTAL; i++)
        if (outputs[i].temporary) unlink(outputs[i].temporary);
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(DONE_IO);
    _exit(DONE_IO);
}

static void naming_begin(void)
{
    while (!__sync_bool_compare_and_swap(&stage, STAGE_ANY, STAGE_NAMING))
        pause(); /* another thread ends the program */
}

static void naming_end(void)
{
    stage = STAGE_ANY;
    __sync_synchronize();
    if (caught) on_signal(caught);
}

/* A signal that is ignored, as by nohup, stays so. */
static void signals_watch(void)
{
    static const int numbers[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGABRT,
                                   SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ };
    struct sigaction action, old;
    size_t i;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!sigaction(numbers[i], NULL, &old) && old.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
}

/* ---- opening --------------------------------------------------------------------------------- */

static int output_fail(const output_file *o)
{
    return fail(DONE_IO, "%s: %s", *o->name ? o->name : "''", strerror(errno));
}

static int is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static const char *last_slash(const char *path)
{
    const char *slash = strrchr(path, '/');
#if defined(_WIN32)
    const char *other = strrchr(path, '\\');
    if (!slash || (other && other > slash)) slash = other;
#endif
    return slash;
}

/* A path up to its last slash, from malloc. */
static char *folder_of(const char *path)
{
    const char *slash = last_slash(path);
    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
}

static const char *name_in_folder(const char *path)
{
    const char *slash = last_slash(path);
    return slash ? slash + 1 : path;
}

/* A target that does not exist yet. Returns an exit code. */
static int output_new(output_file *o)
{
    char *folder = folder_of(o->name);
    const int found = folder && !stat(folder, &o->facts);
    free(folder);
    o->target = found ? strdup(o->name) : NULL;
    return o->target ? DONE_OK : output_fail(o);
}

/* What is there already: a file to be replaced, or what is written directly. Returns an exit
   code. */
static int output_old(output_file *o, int descriptor)
{
    struct stat standard;
    if (fstat(descriptor, &o->facts)) {
        output_fail(o);
        close(descriptor);
        return DONE_IO;
    }
    o->existed = 1;
    if (!fstat(STDOUT_FILENO, &standard) && is_same_file(&standard, &o->facts)) o->file = stdout;
    else if (!S_ISREG(o->facts.st_mode)) o->file = fdopen(descriptor, "wb");
    else o->target = realpath(o->name, NULL);
    if (!o->file && !o->target) output_fail(o);
    if (!o->file || o->file == stdout) close(descriptor); /* it was for facts only */
    return o->file || o->target ? DONE_OK : DONE_IO;
}

/* Finds out where an output goes, standard output if the path is NULL or "-". As with a shell's `>`
   a file that exists must be writable, and links are followed. Returns an exit code. */
static int output_find(output_file *o, const char *path)
{
    int descriptor;
    if (!path || !strcmp(path, "-")) {
        o->name = "standard output";
        o->file = stdout;
        o->existed = 1;
        return fstat(STDOUT_FILENO, &o->facts) ? output_fail(o) : DONE_OK;
    }
    o->name = path;
    descriptor = open(path, O_WRONLY | O_NOCTTY);
    if (descriptor >= 0) return output_old(o, descriptor);
    if (errno != ENOENT) return output_fail(o);
    if (!lstat(path, &o->facts)) return fail(DONE_IO, "%s: is a link that leads nowhere", path);
    return output_new(o);
}

/* Would one of two outputs be lost in the other? */
static int is_same_output(const output_file *a, const output_file *b)
{
    if (!a->name || !b->name || a->existed != b->existed || !is_same_file(&a->facts, &b->facts))
        return 0;
    return a->existed ? !S_ISCHR(a->facts.st_mode)
                      : !strcmp(name_in_folder(a->name), name_in_folder(b->name));
}

/* Opens a file without a name in a folder, if the system can give it one later. -1: it cannot. */
static int nameless_open(const char *folder)
{
#if defined(O_TMPFILE)
    return access("/proc/self/fd", X_OK) ? -1 : open(folder, O_TMPFILE | O_RDWR, 0600);
#else
    (void)folder;
    return -1;
#endif
}

/* The name of a temporary file beside a target, from malloc; NULL without memory. */
static char *temporary_name(const char *target)
{
    static const char name[] = ".clsort.XXXXXX";
    char *folder = folder_of(target);
    char *path = folder ? (char *)malloc(strlen(folder) + sizeof name) : NULL;
    if (path) strcat(strcpy(path, folder), name);
    free(folder);
    return path;
}

/* Opens a new file beside the target. Returns an exit code. */
static int output_begin(output_file *o)
{
    char *folder = folder_of(o->target), *path = NULL;
    int descriptor = folder ? nameless_open(folder) : -1;
    free(folder);
    o->has_no_name = descriptor >= 0;
    if (o->has_no_name) {
        o->file = fdopen(descriptor, "wb");
        return o->file ? DONE_OK : output_fail(o);
    }
    path = temporary_name(o->target);
    naming_begin();
    if (path) descriptor = mkstemp(path);
    if (descriptor >= 0) o->temporary = path;
    naming_end();
    if (descriptor < 0) output_fail(o);
    if (descriptor < 0) free(path);
    if (descriptor < 0) return DONE_IO;
    o->file = fdopen(descriptor, "wb");
    if (!o->file) output_fail(o);
    if (!o->file) close(descriptor);
    return o->file ? DONE_OK : DONE_IO;
}

/* Opens the files that the options name; outputs_finish afterwards, also after a failure. Returns
   an exit code. */
static int outputs_open(const arguments *a)
{
    int i, k, code = DONE_OK;
    signals_watch();
    for (i = 0; i < OUTPUT_TOTAL && code == DONE_OK; i++) {
        if (i != OUTPUT_KEYS && !a->given[output_options[i]]) continue;
        code = output_find(&outputs[i], argument(a, output_options[i], NULL));
        for (k = 0; k < i && code == DONE_OK; k++)
            if (is_same_output(&outputs[k], &outputs[i]))
                code = fail(DONE_USAGE, "%s and %s: two outputs would be the same file",
                            outputs[k].name, outputs[i].name);
    }
    for (i = 0; i < OUTPUT_TOTAL && code == DONE_OK; i++)
        if (outputs[i].target) code = output_begin(&outputs[i]);
    return code;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Gives a file the owner, the group and the permissions of the one that it replaces, or says which
   of them it could not. */
static void facts_keep(const output_file *o, int descriptor)
{
    const struct stat *old = &o->facts;
    const int has_owner = !fchown(descriptor, old->st_uid, (gid_t)-1);
    const int has_group = !fchown(descriptor, (uid_t)-1, old->st_gid);
    mode_t mode = old->st_mode & 07777;
    if (!has_owner || !has_group) mode &= 0777;
    if (!has_group) mode &= (mode_t)(0707 | (mode & 07) << 3); /* another one: as anybody */
    if (!has_owner || !has_group)
        warn("%s: its %s could not be kept", o->name, has_owner ? "group" : "owner");
    if (fchmod(descriptor, mode))
        warn("%s: its permissions could not be kept: %s", o->name, strerror(errno));
    if (old->st_nlink > 1) warn("%s: other hard links keep the old file", o->name);
}

/* A new file gets the permissions that a shell would give it. */
static int facts_new(int descriptor)
{
    const mode_t mask = umask(0);
    umask(mask);
    return fchmod(descriptor, 0666 & ~mask);
}

enum { PIECE = 1 << 20 /* bytes that go to the disk at once */ };

/* Writes bytes, and has the disk begin with each piece while the next one comes: the wait for all
   of them in the end is short then. Returns 0 with errno set. */
static int bytes_write(FILE *file, const unsigned char *data, size_t size)
{
    const int descriptor = fileno(file);
    size_t done, piece;
    if (fflush(file)) return 0;
    for (done = 0; done < size; done += piece) {
        const ssize_t wrote = write(descriptor, data + done, size - done < PIECE ? size - done
                                                                                 : PIECE);
        if (wrote < 0 && errno != EINTR) return 0;
        piece = wrote < 0 ? 0 : (size_t)wrote;
#if defined(SYNC_FILE_RANGE_WRITE)
        sync_file_range(descriptor, lseek(descriptor, 0, SEEK_CUR) - (off_t)piece, (off_t)piece,
                        SYNC_FILE_RANGE_WRITE);   /* fails where the file is none on a disk */
#endif
    }
    return 1;
}

/* Writes elements raw, or as text with one number per line. Returns 0 with errno set. */
static int elements_write(FILE *file, const key_array *array, int is_text)
{
    size_t i;
    if (!is_text || !array->type) return bytes_write(file, array->data, array->count * array->size);
    for (i = 0; i < array->count; i++) {
        char text[NUMBER_ROOM];
        number_print(array->type, key_bits(array->type, array->data, i), text);
        if (fprintf(file, "%s\n", text) < 0) return 0;
    }
    return 1;
}

/* Has a file or a folder on the disk; EINVAL: its file system cannot do that. Returns 0 with errno
   set. */
static int synced(int descriptor) { return !fsync(descriptor) || errno == EINVAL; }

/* Writes an output; what will be renamed is then on the disk. Returns an exit code. */
static int output_complete(output_file *o, int is_text)
{
    const int descriptor = fileno(o->file);
    int done = elements_write(o->file, o->array, is_text) && !fflush(o->file);
    if (done && o->target && o->existed) facts_keep(o, descriptor);
    if (done && o->target && !o->existed) done = !facts_new(descriptor);
    if (done && o->target) done = synced(descriptor);
    if (!done) output_fail(o);
    if (done && o->has_no_name) return DONE_OK;
    if (o->file != stdout && fclose(o->file) && done) output_fail(o), done = 0;
    o->file = NULL;
    return done ? DONE_OK : DONE_IO;
}

/* ---- renaming -------------------------------------------------------------------------------- */

/* Gives a file that has no name a free one. Returns 0 with errno set. */
static int name_take(const output_file *o, const char *path)
{
#if defined(O_TMPFILE)
    char descriptor[40];
    snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", fileno(o->file));
    return !linkat(AT_FDCWD, descriptor, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
#else
    (void)o, (void)path;
    errno = ENOSYS;
    return 0;
#endif
}

/* Names a file that has no name: as its target where there is none, else beside it, since no call
   of the system puts a file without a name in the place of another. Returns an exit code. */
static int output_name(output_file *o)
{
    unsigned number = (unsigned)getpid();
    int named = !o->existed && name_take(o, o->target);
    char *const path = named ? NULL : temporary_name(o->target);
    if (!named) errno = path ? EEXIST : ENOMEM;
    while (!named && errno == EEXIST) {
        snprintf(strrchr(path, '.') + 1, 7, "%06x", number++ & 0xFFFFFF);
        named = name_take(o, path);
    }
    if (!named) output_fail(o);
    if (named) o->temporary = path;
    else free(path);
    fclose(o->file);
    o->file = NULL;
    return named ? DONE_OK : DONE_IO;
}

/* Puts an output in its target's place. Returns an exit code. */
static int output_rename(output_file *o, int may_be_undone)
{
    if (o->has_no_name && output_name(o) != DONE_OK) return DONE_IO;
    if (!o->temporary) return DONE_OK;
    if (o->existed && may_be_undone) {
        o->backup = (char *)malloc(strlen(o->temporary) + 2);
        if (o->backup && link(o->target, strcat(strcpy(o->backup, o->temporary), "~"))) {
            free(o->backup); /* not every file system has links */
            o->backup = NULL;
        }
    }
    if (rename(o->temporary, o->target)) return output_fail(o);
    free(o->temporary);
    o->temporary = NULL;
    return DONE_OK;
}

static void output_undo(output_file *o)
{
    const int undone = o->backup ? !rename(o->backup, o->target)
                                 : !o->existed && !unlink(o->target);
    if (!undone) warn("%s: has been replaced already", o->name);
}

/* Syncs the folder of a target, so that its new name is on the disk, too. Returns an exit code. */
static int folder_sync(const output_file *o)
{
    char *folder = folder_of(o->target);
    const int descriptor = folder ? open(folder, O_RDONLY) : -1;
    int code = DONE_OK;
    free(folder);
    if (descriptor < 0) return DONE_OK; /* a folder that may be written but not read */
    if (!synced(descriptor)) code = output_fail(o);
    close(descriptor);
    return code;
}

/* Renames all outputs, or none. Returns an exit code. */
static int outputs_rename(void)
{
    int i, renamed = 0, several = 0, code = DONE_OK;
    for (i = 0; i < OUTPUT_TOTAL; i++) several += outputs[i].target != NULL;
    naming_begin();
    for (i = 0; i < OUTPUT_TOTAL && code == DONE_OK; i++, renamed += code == DONE_OK)
        code = output_rename(&outputs[i], several > 1);
    while (code != DONE_OK && renamed-- > 0)
        if (outputs[renamed].target) output_undo(&outputs[renamed]);
    for (i = 0; i < OUTPUT_TOTAL; i++)
        if (outputs[i].backup) unlink(outputs[i].backup);
    naming_end();
    for (i = 0; i < OUTPUT_TOTAL && code == DONE_OK; i++)
        if (outputs[i].target) code = folder_sync(&outputs[i]);
    return code;
}

/* Writes all outputs if the exit code so far is DONE_OK, else removes what was begun. Returns an
   exit code. */
static int outputs_finish(const arguments *a, int code)
{
    int direct, i;
    for (direct = 0; direct < 2; direct++) /* these come last: they cannot be undone */
        for (i = 0; i < OUTPUT_TOTAL && code == DONE_OK; i++)
            if (outputs[i].file && direct == !outputs[i].target)
                code = output_complete(&outputs[i], a->given[OPTION_TEXT]);
    if (code == DONE_OK) code = outputs_rename();
    naming_begin();
    for (i = 0; i < OUTPUT_TOTAL; i++) {
        output_file *o = &outputs[i];
        if (o->file && o->file != stdout) fclose(o->file); /* given up */
        if (o->temporary) unlink(o->temporary);
        free(o->target);
        free(o->temporary);
        free(o->backup);
        memset(o, 0, sizeof *o);
    }
    naming_end();
    return code;
}

#endif
