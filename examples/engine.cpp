/* Demonstrates clsort in a C++ engine: an owner of the sorter, views of buffers, no exceptions.
   Each frame sorts another number of particles from back to front, and picks the nearest ones. Only
   the device knows that number. Kernels are built and scratch memory is made while the program
   loads, so that no frame waits for either.

   c++ -std=c++11 -O2 -fno-exceptions -fno-rtti -I.. -I../tools/cpp engine.cpp -o engine -lOpenCL */

#define CL_TARGET_OPENCL_VERSION 120
#define CLSORT_IMPLEMENTATION
#include "clsort.hpp"
#include <cstdio>
#include <vector>

namespace {

struct particle {
    float place[3];
    cl_uint number;
};

const size_t MOST = 50000, NEAREST = 8;

/* Buffers of a scene: three arrays, the number of particles, and scratch memory of both sorts. */
struct scene {
    cl_mem depths, particles, nearest, alive, scratch;
    std::vector<float> depth;
};

cl_mem make_buffer(const clsort::sorter &s, size_t bytes)
{
    return clCreateBuffer(clsort_context(s.get()), CL_MEM_READ_WRITE, bytes, nullptr, nullptr);
}

/* A number for each particle and frame, without order: all different for up to 2^24 particles. */
float depth_of(size_t i, size_t frame)
{
    return static_cast<float>((static_cast<cl_uint>(i + frame) * 2654435761u) >> 8);
}

/* Stands for a simulation, whose kernels write all this. */
bool upload(cl_command_queue queue, scene &sc, size_t count, size_t frame)
{
    const cl_uint alive = static_cast<cl_uint>(count);
    std::vector<particle> particles(count);
    sc.depth.resize(count);
    for (size_t i = 0; i < count; i++) {
        const particle p = { { 0, 0, depth_of(i, frame) }, static_cast<cl_uint>(i) };
        sc.depth[i] = p.place[2];
        particles[i] = p;
    }
    return clEnqueueWriteBuffer(queue, sc.depths, CL_TRUE, 0, count * sizeof(float),
                                sc.depth.data(), 0, nullptr, nullptr) == CL_SUCCESS
           && clEnqueueWriteBuffer(queue, sc.particles, CL_TRUE, 0, count * sizeof(particle),
                                   particles.data(), 0, nullptr, nullptr) == CL_SUCCESS
           && clEnqueueWriteBuffer(queue, sc.alive, CL_TRUE, 0, sizeof alive, &alive, 0, nullptr,
                                   nullptr) == CL_SUCCESS;
}

/* Is every particle there, from back to front, and are the nearest those at the end? */
size_t wrong_in(cl_command_queue queue, const scene &sc, size_t count)
{
    std::vector<particle> sorted(count);
    std::vector<cl_uint> nearest(NEAREST);
    size_t wrong = 0;
    if (clEnqueueReadBuffer(queue, sc.particles, CL_TRUE, 0, count * sizeof(particle),
                            sorted.data(), 0, nullptr, nullptr) != CL_SUCCESS
        || clEnqueueReadBuffer(queue, sc.nearest, CL_TRUE, 0, NEAREST * sizeof(cl_uint),
                               nearest.data(), 0, nullptr, nullptr) != CL_SUCCESS)
        return count;
    std::vector<bool> seen(count);
    for (size_t i = 0; i < count; i++) {
        const particle &p = sorted[i];
        wrong += p.number >= count || seen[p.number] || p.place[2] < sc.depth[p.number]
                 || p.place[2] > sc.depth[p.number] || (i && sorted[i - 1].place[2] <= p.place[2]);
        if (p.number < count) seen[p.number] = true;
    }
    for (size_t i = 0; i < NEAREST; i++) wrong += nearest[i] != sorted[count - 1 - i].number;
    return wrong;
}

/* Both sorts of a frame, described once: of the most particles that there may be. */
struct sorts {
    clsort_desc pick, draw;
};

/* What a frame needs is built and allocated here. */
clsort_status load(clsort::sorter &s, cl_command_queue queue, scene &sc, sorts &both)
{
    size_t pick = 0, draw = 0;
    both.pick = both.draw = clsort::sorter::desc(clsort::view<float>(sc.depths, MOST));
    both.pick.count_buffer = both.draw.count_buffer = sc.alive;
    both.pick.top_k = NEAREST;
    both.pick.indices = sc.nearest;
    both.draw.order = CLSORT_DESCENDING;
    both.draw.stable = 1;   /* particles at the same depth do not flicker */
    clsort_status status = s.scratch_size(both.pick, &pick);
    if (status == CL_SUCCESS) status = s.scratch_size<particle>(both.draw, &draw);
    if (status != CL_SUCCESS) return status;
    both.pick.scratch_size = both.draw.scratch_size = pick > draw ? pick : draw;
    sc.scratch = make_buffer(s, both.draw.scratch_size);
    both.pick.scratch = both.draw.scratch = sc.scratch;
    status = s.prepare(queue, both.pick);
    if (status == CL_SUCCESS) status = s.prepare<particle>(queue, both.draw);
    both.pick.flags = both.draw.flags = CLSORT_FLAG_NO_BUILD;   /* an error rather than a hitch */
    return status;
}

/* The nearest are picked first, from the depths as they are; then the sort moves depths and
   particles. It waits for the pick, so that both may use the same scratch memory. */
clsort_status draw_frame(clsort::sorter &s, cl_command_queue queue, const scene &sc,
                         const sorts &both)
{
    const clsort::view<cl_uint> nearest(sc.nearest, NEAREST);
    const clsort::view<particle> particles(sc.particles, MOST);
    clsort::event picked, sorted;
    clsort_status status = s.top(queue, both.pick, nearest, nullptr, &picked);
    if (status != CL_SUCCESS) return status;
    status = s.sort_by_key(queue, both.draw, particles, &picked, &sorted);
    return status != CL_SUCCESS ? status : sorted.wait();
}

} /* namespace */

int main()
{
    clsort::sorter s;
    if (!s) {
        std::fprintf(stderr, "%s\n", s.error());
        return 1;
    }
    cl_command_queue queue =
        clCreateCommandQueue(clsort_context(s.get()), clsort_device(s.get()), 0, nullptr);
    scene sc = { make_buffer(s, MOST * sizeof(float)), make_buffer(s, MOST * sizeof(particle)),
                 make_buffer(s, NEAREST * sizeof(cl_uint)), make_buffer(s, sizeof(cl_uint)),
                 nullptr, {} };
    sorts both;
    if (load(s, queue, sc, both) != CL_SUCCESS) {
        std::fprintf(stderr, "%s\n", s.error());
        return 1;
    }
    size_t wrong = 0, frames = 0;
    for (size_t count = 100; count <= MOST; count = count * 22 + 1, frames++) {
        if (!upload(queue, sc, count, frames) || draw_frame(s, queue, sc, both) != CL_SUCCESS) {
            std::fprintf(stderr, "%s\n", s.error());
            return 1;
        }
        wrong += wrong_in(queue, sc, count);
    }
    /* A sorter for another thread, and a description that is refused, with its reason. */
    clsort::sorter other = s.clone();
    const clsort::view<float> none(nullptr, 10);
    wrong += !other || other.sort(queue, none) != CLSORT_ERROR_MISSING_BUFFER;
    std::printf("%d frames, %d wrong; %s\n", static_cast<int>(frames), static_cast<int>(wrong),
                other.error());
    clReleaseMemObject(sc.depths);
    clReleaseMemObject(sc.particles);
    clReleaseMemObject(sc.nearest);
    clReleaseMemObject(sc.alive);
    clReleaseMemObject(sc.scratch);
    clReleaseCommandQueue(queue);
    return wrong != 0;
}
