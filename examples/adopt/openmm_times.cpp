/* openmm_times.cpp - times OpenMM's sorts on OpenCL, and steps of a box of water. openmm.sh
   compiles it twice: against OpenMM with a sort of its own, and against OpenMM with clsort.

     openmm_times sorts              ms of a sort, in a queue of many, by length and kind of keys
     openmm_times steps SIDE COUNT   ns per day, then bits that the positions and velocities of
                                     COUNT steps end in; SIDE^3 molecules
   A third and a fourth argument are numbers of a platform and a device. */

#include "OpenCLArray.h"
#include "OpenCLContext.h"
#include "OpenCLSort.h"
#include "OpenMM.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace OpenMM;
using namespace std;

static OpenCLPlatform platform;
static unsigned int state = 1;

static double now()
{
    return chrono::duration<double, milli>(chrono::steady_clock::now().time_since_epoch()).count();
}

static double uniform()
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0;
}

/* ---- sorts ----------------------------------------------------------------------------------- */

/* The neighbour list sorts (size of a block of 32 atoms, block); most blocks of water are alike. */
class Blocks : public OpenCLSort::SortTrait {
public:
    typedef mm_float2 value;
    typedef float key;
    static const char *name() { return "blocks by size"; }
    static float key_of(const value &v) { return v.x; }
    static value make(int i, bool is_uniform)
    {
        double sum = uniform() + uniform() + uniform() + uniform();
        double size = is_uniform ? sum / 4 : 1.4 + 0.2 * (sum - 2);
        return value((float) (is_uniform ? uniform() : size), (float) i);
    }
    int getDataSize() const { return 8; }
    int getKeySize() const { return 4; }
    const char *getDataType() const { return "float2"; }
    const char *getKeyType() const { return "float"; }
    const char *getMinKey() const { return "-MAXFLOAT"; }
    const char *getMaxKey() const { return "MAXFLOAT"; }
    const char *getMaxValue() const { return "(float2) (MAXFLOAT, MAXFLOAT)"; }
    const char *getSortKey() const { return "value.x"; }
};

/* PME sorts (atom, cell of its grid); atoms of a molecule are near each other. */
class Cells : public OpenCLSort::SortTrait {
public:
    typedef mm_int2 value;
    typedef int key;
    static const char *name() { return "atoms by cell"; }
    static int key_of(const value &v) { return v.y; }
    static value make(int i, bool is_uniform)
    {
        static int cell;
        if (is_uniform || i % 3 == 0) cell = (int) (64 * 64 * 64 * uniform());
        return value(i, is_uniform ? cell : (cell + (i % 3) * 65) % (64 * 64 * 64));
    }
    int getDataSize() const { return 8; }
    int getKeySize() const { return 4; }
    const char *getDataType() const { return "int2"; }
    const char *getKeyType() const { return "int"; }
    const char *getMinKey() const { return "INT_MIN"; }
    const char *getMaxKey() const { return "INT_MAX"; }
    const char *getMaxValue() const { return "(int2) (INT_MAX, INT_MAX)"; }
    const char *getSortKey() const { return "value.y"; }
};

/* ms of `repeats` copies of the unsorted array, each with a sort behind it if `sort` is given. */
static double queue_of(OpenCLContext &context, OpenCLArray &from, OpenCLArray &to, OpenCLSort *sort,
                       int repeats)
{
    context.getQueue().finish();
    double start = now();
    for (int i = 0; i < repeats; i++) {
        from.copyTo(to);
        if (sort) sort->sort(to);
    }
    context.getQueue().finish();
    return now() - start;
}

template <class Trait>
static void time_sort(OpenCLContext &context, int length, bool is_uniform)
{
    vector<typename Trait::value> values(length), sorted;
    for (int i = 0; i < length; i++) values[i] = Trait::make(i, is_uniform);
    OpenCLArray from(context, length, 8, "from"), to(context, length, 8, "to");
    from.upload(values);
    OpenCLSort sort(context, new Trait(), length);
    queue_of(context, from, to, &sort, 3);
    int repeats = (int) min(200.0, max(3.0, 50 / queue_of(context, from, to, &sort, 1)));
    double with = 1e30, without = 1e30;     /* the least: others may use the machine, too */
    for (int i = 0; i < 15; i++) {
        with = min(with, queue_of(context, from, to, &sort, repeats));
        without = min(without, queue_of(context, from, to, NULL, repeats));
    }
    queue_of(context, from, to, &sort, 1);
    to.download(sorted);
    bool right = true;
    for (int i = 1; i < length; i++)
        right = right && Trait::key_of(sorted[i - 1]) <= Trait::key_of(sorted[i]);
    printf("%-15s %-10s %8d %10.4f ms%s\n", Trait::name(), is_uniform ? "uniform" : "of water",
           length, (with - without) / repeats, right ? "" : "  NOT SORTED");
    fflush(stdout);
}

static void time_sorts(const char *platform_index, const char *device_index)
{
    static const int lengths[] = { 100, 300, 1000, 3000, 10000, 30000, 100000, 1000000 };
    System system;
    system.addParticle(0.0);
    OpenCLPlatform::PlatformData data(system, platform_index, device_index, "single", "false",
                                      "false", 1, NULL);
    OpenCLContext &context = *data.contexts[0];
    context.initialize();
    for (int is_uniform = 1; is_uniform >= 0; is_uniform--)
        for (int length : lengths) {
            time_sort<Blocks>(context, length, is_uniform);
            time_sort<Cells>(context, length, is_uniform);
        }
}

/* ---- steps ----------------------------------------------------------------------------------- */

static const double spacing = 0.3107;   /* nm from molecule to molecule: 1 g/ml */

/* Rigid water of three sites, on a lattice. The system owns the force. */
static void fill_box(System &system, vector<Vec3> &positions, int side)
{
    NonbondedForce *force = new NonbondedForce();
    const double oh = 0.09572, hh = 0.15139, half = 0.9120;
    for (int i = 0; i < side * side * side; i++) {
        Vec3 at = Vec3(i % side, i / side % side, i / side / side) * spacing;
        Vec3 turn = Vec3(cos(half), sin(half), 0) * oh, other = Vec3(cos(half), -sin(half), 0) * oh;
        if (uniform() < 0.5) { turn = turn * -1; other = other * -1; }
        int first = system.addParticle(15.99943);
        system.addParticle(1.007947);
        system.addParticle(1.007947);
        positions.push_back(at);
        positions.push_back(at + turn);
        positions.push_back(at + other);
        force->addParticle(-0.834, 0.315075, 0.635968);
        force->addParticle(0.417, 1, 0);
        force->addParticle(0.417, 1, 0);
        system.addConstraint(first, first + 1, oh);
        system.addConstraint(first, first + 2, oh);
        system.addConstraint(first + 1, first + 2, hh);
        force->addException(first, first + 1, 0, 1, 0);
        force->addException(first, first + 2, 0, 1, 0);
        force->addException(first + 1, first + 2, 0, 1, 0);
    }
    force->setNonbondedMethod(NonbondedForce::PME);
    force->setCutoffDistance(min(0.9, 0.49 * side * spacing));
    system.addForce(force);
    system.setDefaultPeriodicBoxVectors(Vec3(side * spacing, 0, 0), Vec3(0, side * spacing, 0),
                                        Vec3(0, 0, side * spacing));
}

static unsigned int fingerprint(const vector<Vec3> &vectors, unsigned int hash)
{
    for (const Vec3 &v : vectors)
        for (int i = 0; i < 3; i++) {
            unsigned char bytes[sizeof(double)];
            double x = v[i];
            memcpy(bytes, &x, sizeof x);
            for (unsigned char byte : bytes) hash = (hash ^ byte) * 16777619u;
        }
    return hash;
}

static void time_steps(int side, int count, const char *platform_index, const char *device_index)
{
    System system;
    vector<Vec3> positions;
    fill_box(system, positions, side);
    LangevinMiddleIntegrator integrator(300, 2, 0.001);
    integrator.setRandomNumberSeed(7);
    map<string, string> properties;
    properties["OpenCLPlatformIndex"] = platform_index;
    properties["DeviceIndex"] = device_index;
    Context context(system, integrator, platform, properties);
    context.setPositions(positions);
    context.setVelocitiesToTemperature(100, 7);
    integrator.step(count);
    integrator.setStepSize(0.002);
    integrator.step(count / 10 + 1);
    State warm = context.getState(State::Energy);
    double start = now();
    integrator.step(count);
    State last = context.getState(State::Positions | State::Velocities | State::Energy);
    double ms = now() - start;
    printf("%d atoms: %.2f ns/day, %.3f ms a step, energy %.3f kJ/mol, bits %08x\n",
           system.getNumParticles(), count * 0.002e-3 * 86400e3 / ms, ms / count,
           last.getPotentialEnergy(),
           fingerprint(last.getVelocities(), fingerprint(last.getPositions(), 2166136261u)));
}

int main(int argc, char **argv)
{
    int used = argc > 1 && strcmp(argv[1], "steps") == 0 ? 4 : 2;
    if (argc < used || (used == 2 && strcmp(argv[1], "sorts") != 0)) {
        fputs("usage: openmm_times sorts|steps SIDE COUNT [PLATFORM DEVICE]\n", stderr);
        return 2;
    }
    const char *platform_index = argc > used + 1 ? argv[used] : "";
    const char *device_index = argc > used + 1 ? argv[used + 1] : "";
    try {
        if (used == 2) time_sorts(platform_index, device_index);
        else time_steps(atoi(argv[2]), atoi(argv[3]), platform_index, device_index);
    } catch (const exception &e) {
        fprintf(stderr, "openmm_times: %s\n", e.what());
        return 1;
    }
    return 0;
}
