/* Demonstrates a game's use with Vulkan: in each frame a compute pass makes particles, clsort sorts
   them from back to front, and another compute pass reads them. Both APIs use the same memory and
   wait for each other on the device: the host only enqueues. Beside it: the way through host memory
   that programs take where an extension is missing.

   On Linux, with Debian's libvulkan-dev and glslang-tools:

   glslangValidator -V --vn vulkan_buffer_spv vulkan_buffer.comp -o vulkan_buffer.h
   cc -O2 -I.. -I. vulkan_buffer.c -o vulkan_buffer -lOpenCL -lvulkan */

#define _POSIX_C_SOURCE 199309L
#define CL_TARGET_OPENCL_VERSION 300
#define CL_ENABLE_BETA_EXTENSIONS
#define CLSORT_IMPLEMENTATION
#include "clsort.h"
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan.h>

#include "vulkan_buffer.h"

enum { COUNT = 1 << 20, FRAMES = 20, GROUP = 256, BYTES = 4 * COUNT };
enum { DEPTHS, PARTICLES, RESULT, HOST, BUFFERS };   /* HOST: both arrays, for the other way */

typedef struct buffer { VkBuffer buffer; VkDeviceMemory memory; void *mapped; } buffer;

/* What Vulkan has. */
static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static uint32_t family;
static VkCommandPool pool;
static VkCommandBuffer commands[2];   /* that make particles, and check them */
static VkDescriptorSet set;
static VkPipelineLayout layout;
static VkPipeline pipeline;
static VkFence fence;
static VkSemaphore made, sorted;
static buffer buffers[BUFFERS];

/* What OpenCL has: its names for the same memory and semaphores, and memory of its own. */
static clsort_sorter *sorter;
static cl_command_queue cl_queue;
static cl_mem shared[2], own[2];
static cl_semaphore_khr cl_made, cl_sorted;
static clEnqueueAcquireExternalMemObjectsKHR_fn acquire;
static clEnqueueReleaseExternalMemObjectsKHR_fn release;
static clCreateSemaphoreWithPropertiesKHR_fn create_semaphore;
static clEnqueueWaitSemaphoresKHR_fn wait_semaphore;
static clEnqueueSignalSemaphoresKHR_fn signal_semaphore;

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "%s: %s\n", what, clsort_status_text(status));
    exit(EXIT_FAILURE);
}

static void must(VkResult result, const char *what)
{
    if (result == VK_SUCCESS) return;
    fprintf(stderr, "%s: Vulkan's code %d\n", what, (int)result);
    exit(EXIT_FAILURE);
}

/* ---- the device, which both APIs must show --------------------------------------------------- */

static void need_extensions(void)
{
    static const char *const names[] = {
        "cl_khr_device_uuid", "cl_khr_external_memory", "cl_khr_external_memory_opaque_fd",
        "cl_khr_semaphore", "cl_khr_external_semaphore", "cl_khr_external_semaphore_opaque_fd"
    };
    char list[16384] = "", name[256] = "";
    size_t i;
    clGetDeviceInfo(clsort_device(sorter), CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    clGetDeviceInfo(clsort_device(sorter), CL_DEVICE_EXTENSIONS, sizeof list - 1, list, NULL);
    strcat(list, " ");
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        const char *found = strstr(list, names[i]);
        while (found && found[strlen(names[i])] != ' ') found = strstr(found + 1, names[i]);
        if (found) continue;
        fprintf(stderr, "%s: its driver has no %s, so it shares no memory with Vulkan\n", name,
                names[i]);
        exit(EXIT_FAILURE);
    }
}

static void *function(const char *name)
{
    cl_platform_id platform = NULL;
    void *address;
    clGetDeviceInfo(clsort_device(sorter), CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    address = clGetExtensionFunctionAddressForPlatform(platform, name);
    if (!address) check(CL_INVALID_OPERATION, name);
    return address;
}

static void open_opencl(void)
{
    cl_int status;
    check(clsort_create(NULL, NULL, NULL, &sorter), "clsort_create");
    need_extensions();
    *(void **)&acquire = function("clEnqueueAcquireExternalMemObjectsKHR");
    *(void **)&release = function("clEnqueueReleaseExternalMemObjectsKHR");
    *(void **)&create_semaphore = function("clCreateSemaphoreWithPropertiesKHR");
    *(void **)&wait_semaphore = function("clEnqueueWaitSemaphoresKHR");
    *(void **)&signal_semaphore = function("clEnqueueSignalSemaphoresKHR");
    cl_queue = clCreateCommandQueueWithProperties(clsort_context(sorter), clsort_device(sorter),
                                                  NULL, &status);
    check(status, "clCreateCommandQueueWithProperties");
}

/* Finds the device of OpenCL among those of Vulkan. */
static void find_physical(void)
{
    VkPhysicalDevice list[16];
    unsigned char wanted[CL_UUID_SIZE_KHR];
    uint32_t count = 16, i;
    must(vkEnumeratePhysicalDevices(instance, &count, list), "vkEnumeratePhysicalDevices");
    check(clGetDeviceInfo(clsort_device(sorter), CL_DEVICE_UUID_KHR, sizeof wanted, wanted, NULL),
          "clGetDeviceInfo");
    for (i = 0; i < count; i++) {
        VkPhysicalDeviceIDProperties id = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES
        };
        VkPhysicalDeviceProperties2 p = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2 };
        p.pNext = &id;
        vkGetPhysicalDeviceProperties2(list[i], &p);
        if (memcmp(id.deviceUUID, wanted, sizeof wanted)) continue;
        physical = list[i];
        printf("%s\n", p.properties.deviceName);
        return;
    }
    fprintf(stderr, "Vulkan does not show the device that OpenCL shows\n");
    exit(EXIT_FAILURE);
}

static void find_family(void)
{
    VkQueueFamilyProperties list[32];
    uint32_t count = 32;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, list);
    while (family < count && !(list[family].queueFlags & VK_QUEUE_COMPUTE_BIT)) family++;
}

static void open_vulkan(void)
{
    static const char *const names[] = { VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                                         VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME };
    const float priority = 1;
    VkApplicationInfo app = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO };
    VkInstanceCreateInfo of_instance = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO };
    VkDeviceQueueCreateInfo of_queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO };
    VkDeviceCreateInfo of_device = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO };
    app.apiVersion = VK_API_VERSION_1_1;
    of_instance.pApplicationInfo = &app;
    must(vkCreateInstance(&of_instance, NULL, &instance), "vkCreateInstance");
    find_physical();
    find_family();
    of_queue.queueFamilyIndex = family;
    of_queue.queueCount = 1;
    of_queue.pQueuePriorities = &priority;
    of_device.queueCreateInfoCount = 1;
    of_device.pQueueCreateInfos = &of_queue;
    of_device.enabledExtensionCount = sizeof names / sizeof *names;
    of_device.ppEnabledExtensionNames = names;
    must(vkCreateDevice(physical, &of_device, NULL, &device), "vkCreateDevice");
    vkGetDeviceQueue(device, family, 0, &queue);
}

/* ---- memory and semaphores of both ----------------------------------------------------------- */

static uint32_t memory_type(uint32_t allowed, VkMemoryPropertyFlags flags)
{
    VkPhysicalDeviceMemoryProperties p;
    uint32_t i;
    vkGetPhysicalDeviceMemoryProperties(physical, &p);
    for (i = 0; i < p.memoryTypeCount; i++)
        if (allowed >> i & 1 && (p.memoryTypes[i].propertyFlags & flags) == flags) return i;
    must(VK_ERROR_FEATURE_NOT_PRESENT, "no such type of memory");
    return 0;
}

/* Makes a buffer that other APIs can import, or one that the host sees. Returns the bytes of its
   memory. */
static VkDeviceSize make_buffer(buffer *b, VkDeviceSize bytes, int exported)
{
    VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO
    };
    VkExportMemoryAllocateInfo exports = { .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO };
    VkBufferCreateInfo of_buffer = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO };
    VkMemoryAllocateInfo of_memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
    VkMemoryRequirements needs;
    external.handleTypes = exports.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    of_buffer.pNext = exported ? &external : NULL;
    of_buffer.size = bytes;
    of_buffer.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT
                      | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    must(vkCreateBuffer(device, &of_buffer, NULL, &b->buffer), "vkCreateBuffer");
    vkGetBufferMemoryRequirements(device, b->buffer, &needs);
    of_memory.pNext = exported ? &exports : NULL;
    of_memory.allocationSize = needs.size;
    of_memory.memoryTypeIndex =
        memory_type(needs.memoryTypeBits, exported ? VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
                                                   : VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
                                                         | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    must(vkAllocateMemory(device, &of_memory, NULL, &b->memory), "vkAllocateMemory");
    must(vkBindBufferMemory(device, b->buffer, b->memory, 0), "vkBindBufferMemory");
    if (!exported)
        must(vkMapMemory(device, b->memory, 0, bytes, 0, &b->mapped), "vkMapMemory");
    return needs.size;
}

/* OpenCL's buffer in the memory of one of Vulkan. The driver owns the descriptor from then on. */
static cl_mem import_buffer(const buffer *b, VkDeviceSize bytes)
{
    const PFN_vkGetMemoryFdKHR get_fd =
        (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(device, "vkGetMemoryFdKHR");
    VkMemoryGetFdInfoKHR info = { .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR };
    cl_mem_properties properties[3] = { CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, 0, 0 };
    cl_int status;
    cl_mem imported;
    int fd = -1;
    info.memory = b->memory;
    info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    must(get_fd(device, &info, &fd), "vkGetMemoryFdKHR");
    properties[1] = (cl_mem_properties)fd;
    imported = clCreateBufferWithProperties(clsort_context(sorter), properties, CL_MEM_READ_WRITE,
                                            (size_t)bytes, NULL, &status);
    check(status, "clCreateBufferWithProperties");
    return imported;
}

/* A semaphore of Vulkan, and OpenCL's name for it. */
static cl_semaphore_khr make_semaphore(VkSemaphore *semaphore)
{
    const PFN_vkGetSemaphoreFdKHR get_fd =
        (PFN_vkGetSemaphoreFdKHR)vkGetDeviceProcAddr(device, "vkGetSemaphoreFdKHR");
    VkExportSemaphoreCreateInfo exports = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO
    };
    VkSemaphoreCreateInfo create = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
    VkSemaphoreGetFdInfoKHR info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR };
    cl_semaphore_properties_khr properties[5] = { CL_SEMAPHORE_TYPE_KHR,
                                                  CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                  CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0, 0 };
    cl_semaphore_khr imported;
    cl_int status;
    int fd = -1;
    exports.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    create.pNext = &exports;
    must(vkCreateSemaphore(device, &create, NULL, semaphore), "vkCreateSemaphore");
    info.semaphore = *semaphore;
    info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    must(get_fd(device, &info, &fd), "vkGetSemaphoreFdKHR");
    properties[3] = (cl_semaphore_properties_khr)fd;
    imported = create_semaphore(clsort_context(sorter), properties, &status);
    check(status, "clCreateSemaphoreWithPropertiesKHR");
    return imported;
}

static void make_memory(void)
{
    cl_int status;
    int i;
    for (i = DEPTHS; i <= PARTICLES; i++) {
        shared[i] = import_buffer(&buffers[i], make_buffer(&buffers[i], BYTES, 1));
        own[i] = clCreateBuffer(clsort_context(sorter), CL_MEM_READ_WRITE, BYTES, NULL, &status);
        check(status, "clCreateBuffer");
    }
    make_buffer(&buffers[RESULT], 2 * sizeof(uint32_t), 0);
    make_buffer(&buffers[HOST], 2 * BYTES, 0);
    cl_made = make_semaphore(&made);
    cl_sorted = make_semaphore(&sorted);
}

/* ---- compute passes -------------------------------------------------------------------------- */

static void make_pipeline(VkDescriptorSetLayout set_layout)
{
    const VkPushConstantRange constants = { VK_SHADER_STAGE_COMPUTE_BIT, 0, 12 };
    VkPipelineLayoutCreateInfo of_layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO
    };
    VkShaderModuleCreateInfo of_shader = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO };
    VkComputePipelineCreateInfo info = { .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO };
    of_layout.setLayoutCount = 1;
    of_layout.pSetLayouts = &set_layout;
    of_layout.pushConstantRangeCount = 1;
    of_layout.pPushConstantRanges = &constants;
    must(vkCreatePipelineLayout(device, &of_layout, NULL, &layout), "vkCreatePipelineLayout");
    of_shader.codeSize = sizeof vulkan_buffer_spv;
    of_shader.pCode = vulkan_buffer_spv;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    must(vkCreateShaderModule(device, &of_shader, NULL, &info.stage.module),
         "vkCreateShaderModule");
    info.layout = layout;
    must(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
         "vkCreateComputePipelines");
    vkDestroyShaderModule(device, info.stage.module, NULL);
}

/* Binds the first three buffers. */
static void write_set(void)
{
    uint32_t i;
    for (i = 0; i < 3; i++) {
        const VkDescriptorBufferInfo info = { buffers[i].buffer, 0, VK_WHOLE_SIZE };
        VkWriteDescriptorSet write = { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET };
        write.dstSet = set;
        write.dstBinding = i;
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &info;
        vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    }
}

static void make_set(void)
{
    const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3 };
    VkDescriptorSetLayoutBinding bindings[3];
    VkDescriptorSetLayoutCreateInfo of_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO
    };
    VkDescriptorPoolCreateInfo of_pool = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO };
    VkDescriptorSetAllocateInfo of_set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO
    };
    VkDescriptorSetLayout set_layout;
    uint32_t i;
    memset(bindings, 0, sizeof bindings);
    for (i = 0; i < 3; i++) {
        bindings[i].binding = i;
        bindings[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        bindings[i].descriptorCount = 1;
        bindings[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    }
    of_layout.bindingCount = 3;
    of_layout.pBindings = bindings;
    must(vkCreateDescriptorSetLayout(device, &of_layout, NULL, &set_layout),
         "vkCreateDescriptorSetLayout");
    of_pool.maxSets = of_pool.poolSizeCount = 1;
    of_pool.pPoolSizes = &size;
    must(vkCreateDescriptorPool(device, &of_pool, NULL, &of_set.descriptorPool),
         "vkCreateDescriptorPool");
    of_set.descriptorSetCount = 1;
    of_set.pSetLayouts = &set_layout;
    must(vkAllocateDescriptorSets(device, &of_set, &set), "vkAllocateDescriptorSets");
    write_set();
    make_pipeline(set_layout);
}

static void make_passes(void)
{
    VkCommandPoolCreateInfo of_pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
    VkCommandBufferAllocateInfo of_commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO
    };
    VkFenceCreateInfo of_fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
    make_set();
    of_pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    of_pool.queueFamilyIndex = family;
    must(vkCreateCommandPool(device, &of_pool, NULL, &pool), "vkCreateCommandPool");
    of_commands.commandPool = pool;
    of_commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    of_commands.commandBufferCount = 2;
    must(vkAllocateCommandBuffers(device, &of_commands, commands), "vkAllocateCommandBuffers");
    must(vkCreateFence(device, &of_fence, NULL, &fence), "vkCreateFence");
}

/* Copies both arrays to the host's buffer, or back. */
static void copy_arrays(VkCommandBuffer to, int back)
{
    int i;
    for (i = DEPTHS; i <= PARTICLES; i++) {
        const VkDeviceSize at = (VkDeviceSize)i * BYTES;
        const VkBufferCopy region = { back ? at : 0, back ? 0 : at, BYTES };
        vkCmdCopyBuffer(to, buffers[back ? HOST : i].buffer, buffers[back ? i : HOST].buffer, 1,
                        &region);
    }
}

static void wait_for_memory(VkCommandBuffer in)
{
    VkMemoryBarrier all = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER };
    all.srcAccessMask = all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    vkCmdPipelineBarrier(in, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         0, 1, &all, 0, NULL, 0, NULL);
}

/* Submits pass 0, which makes particles, or pass 1, which checks them. Through the host, the first
   ends with a copy and the second begins with one; else each has its semaphore. */
static void submit(uint32_t pass, uint32_t frame, int through_host)
{
    const uint32_t constants[3] = { COUNT, frame, pass };
    const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkCommandBuffer c = commands[pass];
    VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
    VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO };
    must(vkBeginCommandBuffer(c, &begin), "vkBeginCommandBuffer");
    if (pass && through_host) copy_arrays(c, 1);
    wait_for_memory(c);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants, constants);
    vkCmdDispatch(c, (COUNT + GROUP - 1) / GROUP, 1, 1);
    wait_for_memory(c);
    if (!pass && through_host) copy_arrays(c, 0);
    must(vkEndCommandBuffer(c), "vkEndCommandBuffer");
    info.commandBufferCount = 1;
    info.pCommandBuffers = &c;
    info.pWaitDstStageMask = &all;
    info.waitSemaphoreCount = pass && !through_host;
    info.pWaitSemaphores = &sorted;
    info.signalSemaphoreCount = !pass && !through_host;
    info.pSignalSemaphores = &made;
    must(vkQueueSubmit(queue, 1, &info, pass || through_host ? fence : VK_NULL_HANDLE),
         "vkQueueSubmit");
}

static void wait_for_vulkan(void)
{
    must(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    must(vkResetFences(device, 1, &fence), "vkResetFences");
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Sorts in Vulkan's memory, between its two passes. */
static void sort_shared(const clsort_desc *d)
{
    check(wait_semaphore(cl_queue, 1, &cl_made, NULL, 0, NULL, NULL), "clEnqueueWaitSemaphoresKHR");
    check(acquire(cl_queue, 2, shared, 0, NULL, NULL), "clEnqueueAcquireExternalMemObjectsKHR");
    check(clsort_enqueue_sort(sorter, cl_queue, d, 0, NULL, NULL), "clsort_enqueue_sort");
    check(release(cl_queue, 2, shared, 0, NULL, NULL), "clEnqueueReleaseExternalMemObjectsKHR");
    check(signal_semaphore(cl_queue, 1, &cl_sorted, NULL, 0, NULL, NULL),
          "clEnqueueSignalSemaphoresKHR");
    check(clFlush(cl_queue), "clFlush");
}

/* Sorts in OpenCL's own memory, by way of the host's. */
static void sort_through_host(const clsort_desc *d)
{
    char *const host = (char *)buffers[HOST].mapped;
    int i;
    wait_for_vulkan();
    for (i = DEPTHS; i <= PARTICLES; i++)
        check(clEnqueueWriteBuffer(cl_queue, own[i], CL_FALSE, 0, BYTES, host + i * BYTES, 0, NULL,
                                   NULL),
              "clEnqueueWriteBuffer");
    check(clsort_enqueue_sort(sorter, cl_queue, d, 0, NULL, NULL), "clsort_enqueue_sort");
    for (i = DEPTHS; i <= PARTICLES; i++)
        check(clEnqueueReadBuffer(cl_queue, own[i], CL_FALSE, 0, BYTES, host + i * BYTES, 0, NULL,
                                  NULL),
              "clEnqueueReadBuffer");
    check(clFinish(cl_queue), "clFinish");
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static uint32_t mix_bits(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7FEB352Du;
    x = (x ^ (x >> 15)) * 0x846CA68Bu;
    return x ^ (x >> 16);
}

/* Sorts the particles of some frames, and prints how long a frame takes. Returns how many particles
   were wrong, with those of a frame that has lost some. */
static uint32_t run_frames(const clsort_desc *d, int through_host)
{
    uint32_t *const result = (uint32_t *)buffers[RESULT].mapped, wrong = 0, sum = 0, i;
    double begin = 0;
    for (i = 0; i < COUNT; i++) sum += mix_bits(i);
    for (i = 0; i <= FRAMES; i++) {
        if (i == 1) begin = now();   /* the first frame warms up */
        result[0] = result[1] = 0;
        submit(0, i, through_host);
        if (through_host) sort_through_host(d);
        else sort_shared(d);
        submit(1, i, through_host);
        wait_for_vulkan();
        wrong += result[0] + (result[1] != sum);
    }
    printf("%-22s %.3f ms per frame\n", through_host ? "through host memory:" : "in shared memory:",
           (now() - begin) / FRAMES);
    return wrong;
}

int main(void)
{
    clsort_desc d = clsort_desc_default();
    uint32_t wrong;
    open_opencl();
    open_vulkan();
    make_memory();
    make_passes();
    d.count = COUNT;
    d.key_type = CLSORT_F32;
    d.order = CLSORT_DESCENDING;
    d.keys = shared[DEPTHS];
    d.values = shared[PARTICLES];
    d.value_size = 4;
    check(clsort_prepare(sorter, cl_queue, &d), "clsort_prepare");
    wrong = run_frames(&d, 0);
    d.keys = own[DEPTHS];
    d.values = own[PARTICLES];
    wrong += run_frames(&d, 1);
    printf("%d frames of %d particles, %u wrong\n", 2 * (FRAMES + 1), COUNT, (unsigned)wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;   /* the drivers release what the program holds */
}
