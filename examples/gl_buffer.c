/* Demonstrates a game's use with OpenGL: in each frame a compute shader makes particles, clsort
   sorts them from back to front, and another compute shader reads them. With cl_khr_gl_sharing that
   happens in OpenGL's own buffers. Beside it, or where no driver has that: the way through host
   memory. The context is one of EGL, and there is no window. The shared way is not tested: it needs
   a driver that has the extension.

   On Linux, with Debian's libegl-dev and libopengl-dev:

   cc -O2 -I.. gl_buffer.c -o gl_buffer -lOpenCL -lEGL -lOpenGL */

#define _POSIX_C_SOURCE 199309L
#define CL_TARGET_OPENCL_VERSION 120
#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLEXT_PROTOTYPES
#include <CL/cl_gl.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 1 << 20, FRAMES = 20, GROUP = 256, BYTES = 4 * COUNT };
enum { DEPTHS, PARTICLES, RESULT, BUFFERS };
enum { MAKE, CHECK };

static EGLDisplay display;
static EGLContext gl_context;
static GLuint program, buffers[BUFFERS];
static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static clsort_sorter *sorter;
static cl_mem shared[2], own[2];   /* OpenGL's depths and particles, and others */

static const char shader[] =
    "#version 430\n"
    "layout(local_size_x = 256) in;\n"
    "layout(std430, binding = 0) buffer depth_buffer { float depths[]; };\n"
    "layout(std430, binding = 1) buffer particle_buffer { uint particles[]; };\n"
    "layout(std430, binding = 2) buffer result_buffer { uint wrong, sum; };\n"
    "layout(location = 0) uniform uint count;\n"
    "layout(location = 1) uniform uint frame;\n"
    "layout(location = 2) uniform uint step;\n"
    "uint mix_bits(uint x)\n"
    "{\n"
    "    x = (x ^ (x >> 16)) * 0x7FEB352Du;\n"
    "    x = (x ^ (x >> 15)) * 0x846CA68Bu;\n"
    "    return x ^ (x >> 16);\n"
    "}\n"
    "float depth_of(uint particle)\n"
    "{\n"
    "    return float(mix_bits(particle + (frame << 24)) >> 8) / 16777216.0;\n"
    "}\n"
    "void main()\n"
    "{\n"
    "    const uint i = gl_GlobalInvocationID.x;\n"
    "    if (i >= count) return;\n"
    "    if (step == 0) {\n"
    "        particles[i] = i;\n"
    "        depths[i] = depth_of(i);\n"
    "        return;\n"
    "    }\n"
    "    if (depths[i] != depth_of(particles[i]) || (i > 0 && depths[i - 1] < depths[i]))\n"
    "        atomicAdd(wrong, 1);\n"
    "    atomicAdd(sum, mix_bits(particles[i]));\n"
    "}\n";

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, clsort_status_text(status));
    exit(EXIT_FAILURE);
}

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(EXIT_FAILURE);
}

/* ---- one device of OpenGL and OpenCL --------------------------------------------------------- */

/* A context of OpenGL 4.3 without a surface, on a device of EGL. Returns whether there is one. */
static int open_gl(EGLDeviceEXT egl_device)
{
    static const EGLint of_config[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                        EGL_OPENGL_BIT, EGL_NONE };
    static const EGLint of_context[] = { EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 3,
                                         EGL_NONE };
    EGLConfig config;
    EGLint count = 0;
    display = eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, egl_device, NULL);
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL)) return 0;
    if (!eglChooseConfig(display, of_config, &config, 1, &count) || !count) return 0;
    if (!eglBindAPI(EGL_OPENGL_API)) return 0;
    gl_context = eglCreateContext(display, config, EGL_NO_CONTEXT, of_context);
    return gl_context != EGL_NO_CONTEXT
           && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, gl_context);
}

static void open_any_gl(void)
{
    const PFNEGLQUERYDEVICESEXTPROC query =
        (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
    EGLDeviceEXT devices[16];
    EGLint count = 0, i;
    if (query && query(16, devices, &count))
        for (i = 0; i < count; i++)
            if (open_gl(devices[i])) return;
    fail("EGL has no context of OpenGL 4.3 here");
}

/* Does a device of the platform have the extension? */
static int can_share(cl_platform_id platform)
{
    static char list[16384];
    cl_device_id devices[16];
    cl_uint count = 0, i;
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &count);
    for (i = 0; i < count && i < 16; i++)
        if (clGetDeviceInfo(devices[i], CL_DEVICE_EXTENSIONS, sizeof list, list, NULL) == CL_SUCCESS
            && strstr(list, "cl_khr_gl_sharing"))
            return 1;
    return 0;
}

/* OpenCL's context of OpenGL's device. Returns whether the platform shares memory with OpenGL. */
static int share(cl_platform_id platform)
{
    const cl_context_properties properties[] = {
        CL_GL_CONTEXT_KHR, (cl_context_properties)gl_context, CL_EGL_DISPLAY_KHR,
        (cl_context_properties)display, CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0
    };
    clGetGLContextInfoKHR_fn get_info;
    cl_int status;
    *(void **)&get_info =
        clGetExtensionFunctionAddressForPlatform(platform, "clGetGLContextInfoKHR");
    if (!get_info
        || get_info(properties, CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, sizeof device, &device, NULL)
               != CL_SUCCESS
        || !device)
        return 0;
    context = clCreateContext(properties, 1, &device, NULL, NULL, &status);
    return status == CL_SUCCESS;
}

/* Returns whether OpenCL and OpenGL share memory. */
static int open_both(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0, i;
    cl_int status = clGetPlatformIDs(16, platforms, &count);
    int shares = 0;
    open_any_gl();
    for (i = 0; status == CL_SUCCESS && i < count && i < 16 && !shares; i++)
        shares = can_share(platforms[i]) && share(platforms[i]);
    check(clsort_create(shares ? context : NULL, shares ? device : NULL, NULL, &sorter),
          "clsort_create");
    context = clsort_context(sorter);
    device = clsort_device(sorter);
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    printf("%s%s\n", (const char *)glGetString(GL_RENDERER),
           shares ? "" : ": no OpenCL driver has cl_khr_gl_sharing for it");
    return shares;
}

/* ---- what they use --------------------------------------------------------------------------- */

static void make_program(void)
{
    const GLuint compute = glCreateShader(GL_COMPUTE_SHADER);
    const char *text = shader;
    GLint linked = 0;
    glShaderSource(compute, 1, &text, NULL);
    glCompileShader(compute);
    program = glCreateProgram();
    glAttachShader(program, compute);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!linked) fail("OpenGL does not compile the shader");
}

static void make_buffers(int shares)
{
    cl_int status;
    GLuint i;
    glGenBuffers(BUFFERS, buffers);
    for (i = 0; i < BUFFERS; i++) {
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, i, buffers[i]);
        glBufferData(GL_SHADER_STORAGE_BUFFER, i == RESULT ? 8 : BYTES, NULL, GL_DYNAMIC_COPY);
    }
    glFinish();
    for (i = DEPTHS; i <= PARTICLES; i++) {
        if (shares) {
            shared[i] = clCreateFromGLBuffer(context, CL_MEM_READ_WRITE, buffers[i], &status);
            check(status, "clCreateFromGLBuffer");
        }
        own[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &status);
        check(status, "clCreateBuffer");
    }
    if (glGetError() != GL_NO_ERROR) fail("OpenGL has no memory for the buffers");
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void run_pass(GLuint pass, GLuint frame)
{
    glUseProgram(program);
    glUniform1ui(0, COUNT);
    glUniform1ui(1, frame);
    glUniform1ui(2, pass);
    glDispatchCompute((COUNT + GROUP - 1) / GROUP, 1, 1);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
}

/* Sorts in OpenGL's buffers. Each API waits until the other has ended, as the extension demands;
   cl_khr_gl_event can take the place of glFinish. */
static void sort_shared(const clsort_desc *d)
{
    glFinish();
    check(clEnqueueAcquireGLObjects(queue, 2, shared, 0, NULL, NULL), "clEnqueueAcquireGLObjects");
    check(clsort_enqueue_sort(sorter, queue, d, 0, NULL, NULL), "clsort_enqueue_sort");
    check(clEnqueueReleaseGLObjects(queue, 2, shared, 0, NULL, NULL), "clEnqueueReleaseGLObjects");
    check(clFinish(queue), "clFinish");
}

/* Sorts in OpenCL's own buffers, by way of the host's memory. */
static void sort_through_host(const clsort_desc *d)
{
    static cl_uint host[2][COUNT];
    GLuint i;
    for (i = DEPTHS; i <= PARTICLES; i++) {
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffers[i]);
        glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, BYTES, host[i]);
        check(clEnqueueWriteBuffer(queue, own[i], CL_FALSE, 0, BYTES, host[i], 0, NULL, NULL),
              "clEnqueueWriteBuffer");
    }
    check(clsort_enqueue_sort(sorter, queue, d, 0, NULL, NULL), "clsort_enqueue_sort");
    for (i = DEPTHS; i <= PARTICLES; i++) {
        check(clEnqueueReadBuffer(queue, own[i], CL_TRUE, 0, BYTES, host[i], 0, NULL, NULL),
              "clEnqueueReadBuffer");
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffers[i]);
        glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, BYTES, host[i]);
    }
}

static void write_result(const GLuint result[2])
{
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffers[RESULT]);
    glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, 8, result);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static GLuint mix_bits(GLuint x)
{
    x = (x ^ (x >> 16)) * 0x7FEB352Du;
    x = (x ^ (x >> 15)) * 0x846CA68Bu;
    return x ^ (x >> 16);
}

/* Sorts the particles of some frames, and prints how long a frame takes. Returns how many particles
   were wrong, with those of a frame that has lost some. */
static GLuint run_frames(const clsort_desc *d, int through_host)
{
    const GLuint none[2] = { 0, 0 };
    GLuint result[2], wrong = 0, sum = 0, i;
    double begin = 0;
    for (i = 0; i < COUNT; i++) sum += mix_bits(i);
    for (i = 0; i <= FRAMES; i++) {
        if (i == 1) begin = now();   /* the first frame warms up */
        write_result(none);
        run_pass(MAKE, i);
        if (through_host) sort_through_host(d);
        else sort_shared(d);
        run_pass(CHECK, i);
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffers[RESULT]);
        glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, sizeof result, result);
        wrong += result[0] + (result[1] != sum);
    }
    printf("%-22s %.3f ms per frame\n", through_host ? "through host memory:" : "in shared memory:",
           (now() - begin) / FRAMES);
    return wrong;
}

/* Sorts frames in one way; returns how many particles were wrong. */
static GLuint sort_in(const cl_mem arrays[2], int through_host)
{
    clsort_desc d = clsort_desc_default();
    d.count = COUNT;
    d.key_type = CLSORT_F32;
    d.order = CLSORT_DESCENDING;
    d.keys = arrays[DEPTHS];
    d.values = arrays[PARTICLES];
    d.value_size = 4;
    check(clsort_prepare(sorter, queue, &d), "clsort_prepare");
    return run_frames(&d, through_host);
}

int main(void)
{
    const int shares = open_both();
    GLuint wrong;
    make_program();
    make_buffers(shares);
    wrong = shares ? sort_in(shared, 0) : 0;
    wrong += sort_in(own, 1);
    printf("%d frames of %d particles, %u wrong\n", (1 + shares) * (FRAMES + 1), COUNT,
           (unsigned)wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;   /* the drivers release what the program holds */
}
