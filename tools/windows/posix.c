/* posix.c - see posix.h. */

#include <windows.h>

#include "posix.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

/* wine's opencl.dll has the functions of OpenCL 1.2. */
cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties *properties,
                                                    cl_int *error)
{
    (void)context, (void)device, (void)properties;
    if (error) *error = CL_INVALID_OPERATION;
    return NULL;
}

/* Files are bytes, standard input and output, too. */
static void __attribute__((constructor)) begin(void)
{
    int i;
    _fmode = _O_BINARY;
    for (i = 0; i < 3; i++) _setmode(i, _O_BINARY);
}

/* The result of a call of Windows, as POSIX has it. */
static int done(BOOL good)
{
    const DWORD error = good ? 0 : GetLastError();
    if (good) return 0;
    errno = error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND ? ENOENT
            : error == ERROR_ALREADY_EXISTS || error == ERROR_FILE_EXISTS ? EEXIST
            : error == ERROR_ACCESS_DENIED || error == ERROR_SHARING_VIOLATION ? EACCES : EIO;
    return -1;
}

static int facts_of(HANDLE file, struct posix_stat *facts)
{
    const DWORD type = GetFileType(file);
    BY_HANDLE_FILE_INFORMATION i;
    memset(facts, 0, sizeof *facts);
    facts->st_nlink = 1;
    facts->st_mode = type == FILE_TYPE_CHAR ? S_IFCHR : type == FILE_TYPE_PIPE ? S_IFIFO : S_IFREG;
    if (type != FILE_TYPE_DISK) return done(type != FILE_TYPE_UNKNOWN);
    /* wine does not tell of a file that standard output may only write to. */
    if (!GetFileInformationByHandle(file, &i)) return 0;
    if (i.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) facts->st_mode = S_IFDIR;
    facts->st_dev = i.dwVolumeSerialNumber;
    facts->st_ino = (unsigned long long)i.nFileIndexHigh << 32 | i.nFileIndexLow;
    facts->st_size = (long long)i.nFileSizeHigh << 32 | i.nFileSizeLow;
    facts->st_nlink = i.nNumberOfLinks;
    return 0;
}

int posix_stat(const char *path, struct posix_stat *facts)
{
    const DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    const HANDLE file = CreateFileA(path, 0, shared, NULL, OPEN_EXISTING,
                                    FILE_FLAG_BACKUP_SEMANTICS, NULL);
    int code;
    if (file == INVALID_HANDLE_VALUE) return done(0);
    code = facts_of(file, facts);
    CloseHandle(file);
    return code;
}

int posix_fstat(int descriptor, struct posix_stat *facts)
{
    return facts_of((HANDLE)_get_osfhandle(descriptor), facts);
}

int posix_rename(const char *from, const char *to)
{
    return done(MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING));
}

int link(const char *old, const char *path) { return done(CreateHardLinkA(path, old, NULL)); }

void *mmap(void *at, size_t bytes, int access, int flags, int descriptor, off_t from)
{
    HANDLE file;
    void *memory = NULL;
    (void)access, (void)from;
    if (flags & MAP_ANONYMOUS)
        return VirtualAlloc(at, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    file = CreateFileMappingA((HANDLE)_get_osfhandle(descriptor), NULL, PAGE_READONLY, 0, 0, NULL);
    if (file) memory = MapViewOfFile(file, FILE_MAP_READ, 0, 0, bytes);
    if (file) CloseHandle(file);
    return memory;
}

int munmap(void *memory, size_t bytes)
{
    (void)bytes;
    return done(UnmapViewOfFile(memory) || VirtualFree(memory, 0, MEM_RELEASE));
}

long sysconf(int name)
{
    SYSTEM_INFO system;
    MEMORYSTATUSEX memory;
    GetSystemInfo(&system);
    memory.dwLength = sizeof memory;
    if (name == _SC_NPROCESSORS_ONLN) return (long)system.dwNumberOfProcessors;
    if (name == _SC_PAGESIZE) return (long)system.dwPageSize;
    if (!GlobalMemoryStatusEx(&memory)) return -1;
    return (long)(memory.ullTotalPhys / system.dwPageSize);
}

int uname(struct utsname *system)
{
    OSVERSIONINFOA version;
    memset(&version, 0, sizeof version);
    version.dwOSVersionInfoSize = sizeof version;
    GetVersionExA(&version);
    strcpy(system->sysname, "Windows");
    snprintf(system->release, sizeof system->release, "%u.%u.%u",
             (unsigned)version.dwMajorVersion, (unsigned)version.dwMinorVersion,
             (unsigned)version.dwBuildNumber);
    strcpy(system->machine, "x86_64");
    return 0;
}

char *strndup(const char *text, size_t most)
{
    const size_t length = strnlen(text, most);
    char *copy = (char *)malloc(length + 1);
    if (copy) memcpy(copy, text, length), copy[length] = '\0';
    return copy;
}

/* Other ends of a name for each try. */
static void draw_name(char *name)
{
    static unsigned tries;
    snprintf(name + strlen(name) - 6, 7, "%06x",
             ((unsigned)_getpid() * 7919u + tries++ * 104729u) & 0xFFFFFF);
}

char *mkdtemp(char *name)
{
    int made;
    do draw_name(name), made = !_mkdir(name);
    while (!made && errno == EEXIST);
    return made ? name : NULL;
}

int mkstemp(char *name)
{
    const DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    HANDLE file;
    do {
        draw_name(name);
        file = CreateFileA(name, GENERIC_READ | GENERIC_WRITE, shared, NULL, CREATE_NEW, 0, NULL);
        if (file == INVALID_HANDLE_VALUE) done(0);
    } while (file == INVALID_HANDLE_VALUE && errno == EEXIST);
    return file == INVALID_HANDLE_VALUE ? -1 : _open_osfhandle((intptr_t)file, _O_BINARY | _O_RDWR);
}

static OVERLAPPED place_of(off_t at)
{
    OVERLAPPED place;
    memset(&place, 0, sizeof place);
    place.Offset = (DWORD)at;
    place.OffsetHigh = (DWORD)(at >> 32);
    return place;
}

/* One call moves no more than this. */
static DWORD part_of(size_t size) { return size < 1u << 30 ? (DWORD)size : 1u << 30; }

ssize_t pread(int descriptor, void *data, size_t size, off_t at)
{
    DWORD got = 0;
    OVERLAPPED place = place_of(at);
    if (ReadFile((HANDLE)_get_osfhandle(descriptor), data, part_of(size), &got, &place)) return got;
    return GetLastError() == ERROR_HANDLE_EOF ? 0 : done(0);
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t at)
{
    DWORD got = 0;
    OVERLAPPED place = place_of(at);
    if (WriteFile((HANDLE)_get_osfhandle(descriptor), data, part_of(size), &got, &place))
        return got;
    return done(0);
}

/* Windows has six signals. */
int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    void (*const before)(int) = signal(number, SIG_DFL);
    if (before == SIG_ERR) return -1;
    signal(number, action ? action->sa_handler : before);
    if (old) old->sa_handler = before;
    return 0;
}

int pause(void) { return Sleep(INFINITE), -1; }
