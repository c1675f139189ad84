/* posix.h - what the command line and the tests call of POSIX, for Windows, by mingw: included
   before all else (make test-windows). clsort.h needs none of it. What tests need and Windows
   lacks fails with ENOSYS; modes and owners of files, alarms and stacks of signals do nothing. */

#ifndef CLSORT_TOOLS_WINDOWS_POSIX_H
#define CLSORT_TOOLS_WINDOWS_POSIX_H

#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <process.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#undef P_WAIT   /* of process.h */
#define tell posix_tell

/* ---- files ----------------------------------------------------------------------------------- */

/* Windows' own has no number of a file. */
struct posix_stat {
    unsigned long long st_dev, st_ino;
    long long st_size;
    unsigned st_mode, st_nlink, st_uid, st_gid;
};

#undef stat
#undef fstat
#define stat posix_stat
#define lstat posix_stat
#define fstat posix_fstat
#define rename posix_rename
#define O_NOCTTY 0
#define O_NONBLOCK 0
#define fsync _commit
#define getc_unlocked getc
#define mkdir(path, mode) _mkdir(path)
#define realpath(path, room) _fullpath(room, path, 0)

typedef unsigned uid_t, gid_t;

int posix_stat(const char *path, struct posix_stat *facts);
int posix_fstat(int descriptor, struct posix_stat *facts);
int posix_rename(const char *from, const char *to);   /* replaces */
int link(const char *old, const char *path);
static inline int fchmod(int descriptor, unsigned mode) { return (void)descriptor, (void)mode, 0; }
static inline int fchown(int descriptor, uid_t user, gid_t group)
{
    return (void)descriptor, (void)user, (void)group, 0;
}

static inline uid_t geteuid(void) { return 1; }
static inline int chown(const char *path, uid_t user, gid_t group)
{
    return (void)path, (void)user, (void)group, 0;
}

#define F_GETFD 1
#define mkstemp posix_mkstemp
static inline int fcntl(int descriptor, int what)
{
    return (void)what, _get_osfhandle(descriptor) == -1 ? -1 : 0;
}
ssize_t pread(int descriptor, void *data, size_t size, off_t at);   /* moves the file's place */
ssize_t pwrite(int descriptor, const void *data, size_t size, off_t at);
int mkstemp(char *name);   /* may be unlinked while it is open */

/* ---- memory ---------------------------------------------------------------------------------- */

enum { PROT_READ = 1, PROT_WRITE = 2, MAP_PRIVATE = 1, MAP_SHARED = 2, MAP_ANONYMOUS = 4 };
#define MAP_FAILED NULL

void *mmap(void *at, size_t bytes, int access, int flags, int descriptor, off_t from);
int munmap(void *memory, size_t bytes);
static inline int mprotect(void *at, size_t bytes, int access)
{
    return (void)at, (void)bytes, (void)access, errno = ENOSYS, -1;
}

/* ---- system ---------------------------------------------------------------------------------- */

enum { _SC_NPROCESSORS_ONLN, _SC_PHYS_PAGES, _SC_PAGESIZE };
struct utsname { char sysname[16], release[32], machine[16]; };

long sysconf(int name);
int uname(struct utsname *system);
char *strndup(const char *text, size_t most);
char *mkdtemp(char *name);
static inline int setenv(const char *name, const char *value, int replaces)
{
    return (void)replaces, _putenv_s(name, value);
}
static inline int unsetenv(const char *name) { return _putenv_s(name, ""); }
static inline int fork(void) { return errno = ENOSYS, -1; }
static inline int waitpid(int process, int *state, int flags)
{
    return (void)process, (void)state, (void)flags, errno = ENOSYS, -1;
}
static inline int wait(int *state) { return waitpid(-1, state, 0); }
#define WIFEXITED(state) ((void)(state), 1)
#define WEXITSTATUS(state) (state)
#define WIFSIGNALED(state) ((void)(state), 0)
#define WTERMSIG(state) (state)

enum { RLIMIT_MEMLOCK, RLIMIT_FSIZE };
struct rlimit { unsigned long long rlim_cur, rlim_max; };
static inline int getrlimit(int what, struct rlimit *limit)
{
    return (void)what, (void)limit, errno = ENOSYS, -1;
}
static inline int setrlimit(int what, const struct rlimit *limit)
{
    return (void)what, (void)limit, errno = ENOSYS, -1;
}

/* ---- signals --------------------------------------------------------------------------------- */

enum { SIGHUP = 1, SIGQUIT = 3, SIGBUS = 7, SIGPIPE = 13, SIGALRM = 14, SIGXCPU = 24,
       SIGXFSZ = 25 };
enum { SA_ONSTACK = 1, SA_NODEFER = 2, SA_RESTART = 4 };
struct sigaction { void (*sa_handler)(int); int sa_flags, sa_mask; };
typedef struct stack_t { void *ss_sp; size_t ss_size; } stack_t;

int sigaction(int number, const struct sigaction *action, struct sigaction *old);
int pause(void);
static inline unsigned alarm(unsigned seconds) { return (void)seconds, 0; }
static inline int sigemptyset(int *set) { return *set = 0; }
static inline int sigaltstack(const stack_t *stack, stack_t *old)
{
    return (void)stack, (void)old, 0;
}

#endif
