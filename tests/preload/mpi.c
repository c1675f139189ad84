/* Preloaded into the ranks of an MPI job: lets a call fail, or kills its rank there.

     mpicc -shared -fPIC tests/preload/mpi.c -o mpi.so

   MPI_FAULT_RANK is the rank. MPI_FAULT_AT is the name of one of the functions below; its first
   call has the fault, or its first one after MPI_FAULT_AFTER was called. MPI_FAULT_KIND is
     kill    the rank is killed
     fail    an OpenCL function returns CL_OUT_OF_RESOURCES, a read MPI_ERR_IO, a write
             MPI_ERR_NO_SPACE
     short   a read or a write transfers nothing, and succeeds
   With MPI_FAULT_KIND=discrete the device of that rank says that it does not share the host's
   memory. */

#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int is_kind(const char *kind) { return !strcmp(getenv("MPI_FAULT_KIND"), kind); }

/* Is it this rank's turn? */
static int is_chosen(void)
{
    const char *rank = getenv("MPI_FAULT_RANK"), *mine = getenv("OMPI_COMM_WORLD_RANK");
    if (!mine) mine = getenv("PMI_RANK");
    return rank && mine && !strcmp(rank, mine);
}

/* Notes a call. Returns whether it has the fault. */
static int is_faulty(const char *function)
{
    static int is_armed, is_over;
    const char *at = getenv("MPI_FAULT_AT"), *after = getenv("MPI_FAULT_AFTER");
    if (!at || is_over || !is_chosen()) return 0;
    if (!after || !strcmp(after, function)) is_armed = 1;
    if (!is_armed || strcmp(at, function)) return 0;
    is_over = 1;
    if (is_kind("kill")) raise(SIGKILL);
    return 1;
}

static void *next(const char *function) { return dlsym(RTLD_NEXT, function); }

/* ---- OpenCL ---------------------------------------------------------------------------------- */

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t room, void *value,
                       size_t *size)
{
    cl_int (*real)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    cl_int code;
    *(void **)&real = next("clGetDeviceInfo");
    if (!real) return CL_INVALID_DEVICE;   /* mpirun itself looks for devices */
    code = real(device, name, room, value, size);
    if (name == CL_DEVICE_HOST_UNIFIED_MEMORY && value && is_chosen() && is_kind("discrete"))
        *(cl_bool *)value = CL_FALSE;
    return code;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint n_wait, const cl_event *wait, cl_event *event)
{
    cl_int (*real)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                   const size_t *, cl_uint, const cl_event *, cl_event *);
    *(void **)&real = next("clEnqueueNDRangeKernel");
    return is_faulty("clEnqueueNDRangeKernel") ? CL_OUT_OF_RESOURCES
                                               : real(queue, kernel, dimensions, offset, global,
                                                      local, n_wait, wait, event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset,
                           size_t size, void *to, cl_uint n_wait, const cl_event *wait,
                           cl_event *event)
{
    cl_int (*real)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint,
                   const cl_event *, cl_event *);
    *(void **)&real = next("clEnqueueReadBuffer");
    return is_faulty("clEnqueueReadBuffer")
               ? CL_OUT_OF_RESOURCES
               : real(queue, buffer, blocks, offset, size, to, n_wait, wait, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset,
                            size_t size, const void *from, cl_uint n_wait, const cl_event *wait,
                            cl_event *event)
{
    cl_int (*real)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint,
                   const cl_event *, cl_event *);
    *(void **)&real = next("clEnqueueWriteBuffer");
    return is_faulty("clEnqueueWriteBuffer")
               ? CL_OUT_OF_RESOURCES
               : real(queue, buffer, blocks, offset, size, from, n_wait, wait, event);
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocks, cl_map_flags flags,
                         size_t offset, size_t size, cl_uint n_wait, const cl_event *wait,
                         cl_event *event, cl_int *error)
{
    void *(*real)(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t, cl_uint,
                  const cl_event *, cl_event *, cl_int *);
    *(void **)&real = next("clEnqueueMapBuffer");
    if (!is_faulty("clEnqueueMapBuffer"))
        return real(queue, buffer, blocks, flags, offset, size, n_wait, wait, event, error);
    *error = CL_OUT_OF_RESOURCES;
    return NULL;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                      cl_int *error)
{
    cl_mem (*real)(cl_context, cl_mem_flags, size_t, void *, cl_int *);
    *(void **)&real = next("clCreateBuffer");
    if (!is_faulty("clCreateBuffer")) return real(context, flags, size, host, error);
    *error = CL_OUT_OF_RESOURCES;
    return NULL;
}

/* ---- MPI ------------------------------------------------------------------------------------- */

int MPI_Allgather(const void *from, int count, MPI_Datatype type, void *to, int to_count,
                  MPI_Datatype to_type, MPI_Comm comm)
{
    is_faulty("MPI_Allgather");
    return PMPI_Allgather(from, count, type, to, to_count, to_type, comm);
}

int MPI_Alltoall(const void *from, int count, MPI_Datatype type, void *to, int to_count,
                 MPI_Datatype to_type, MPI_Comm comm)
{
    is_faulty("MPI_Alltoall");
    return PMPI_Alltoall(from, count, type, to, to_count, to_type, comm);
}

int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    is_faulty("MPI_Isend");
    return PMPI_Isend(from, count, type, to, tag, comm, request);
}

int MPI_File_read_at(MPI_File file, MPI_Offset at, void *to, int count, MPI_Datatype type,
                     MPI_Status *status)
{
    const int is_bad = is_faulty("MPI_File_read_at");
    if (is_bad && is_kind("fail")) return MPI_ERR_IO;
    return PMPI_File_read_at(file, at, to, is_bad ? 0 : count, type, status);
}

int MPI_File_write_at(MPI_File file, MPI_Offset at, const void *from, int count, MPI_Datatype type,
                      MPI_Status *status)
{
    const int is_bad = is_faulty("MPI_File_write_at");
    if (is_bad && is_kind("fail")) return MPI_ERR_NO_SPACE;
    return PMPI_File_write_at(file, at, from, is_bad ? 0 : count, type, status);
}
