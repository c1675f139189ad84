#version 450
/* The particles of vulkan_buffer.c: step 0 makes them, step 1 checks that they are sorted. */

layout(local_size_x = 256) in;
layout(std430, binding = 0) buffer depth_buffer { float depths[]; };
layout(std430, binding = 1) buffer particle_buffer { uint particles[]; };
layout(std430, binding = 2) buffer result_buffer { uint wrong, sum; };
layout(push_constant) uniform frame_constants { uint count, frame, step; };

shared uint group_wrong, group_sum;

uint mix_bits(uint x)
{
    x = (x ^ (x >> 16)) * 0x7FEB352Du;
    x = (x ^ (x >> 15)) * 0x846CA68Bu;
    return x ^ (x >> 16);
}

/* How far a particle is away in this frame, from 0 to 1. */
float depth_of(uint particle)
{
    return float(mix_bits(particle + (frame << 24)) >> 8) / 16777216.0;
}

/* Is one in front of the next, or does it have another one's depth? */
bool is_wrong(uint i)
{
    return depths[i] != depth_of(particles[i]) || (i > 0 && depths[i - 1] < depths[i]);
}

void check_particles(uint i)
{
    const bool first = gl_LocalInvocationIndex == 0;
    if (first) group_wrong = group_sum = 0;
    barrier();
    if (i < count) {
        atomicAdd(group_wrong, uint(is_wrong(i)));
        atomicAdd(group_sum, mix_bits(particles[i]));
    }
    barrier();
    if (first) atomicAdd(wrong, group_wrong);
    if (first) atomicAdd(sum, group_sum);
}

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    if (step == 1) {
        check_particles(i);
    } else if (i < count) {
        particles[i] = i;
        depths[i] = depth_of(i);
    }
}
