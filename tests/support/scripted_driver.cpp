// tests/support/scripted_driver.cpp : a libcuda with two devices whose every attribute is 1000 * ordinal + its number, and whose memory is the host's. Launches are written down.
// SPDX-License-Identifier: MIT
//
// ATTUNE_TEST_CU_INIT      what cuInit returns
// ATTUNE_TEST_CU_DEVICES   how many devices there are; 2 when not set
// ATTUNE_TEST_CU_MPS       1: contexts are shared by MPS; 0 when not set
// ATTUNE_TEST_CU_MEMORY    bytes one allocation may have
// ATTUNE_TEST_CU_SM        compute capability of device 0, such as 86; 90 when not set. Device 1
// has 90 ATTUNE_TEST_CU_ARGUMENTS sizes of a launch's arguments, such as 8484: their bytes are
// noted ATTUNE_TEST_CU_LAUNCH    what a launch returns
//
// attune_test_cu_said() gives what was loaded and launched, a line each.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace {

int number(char const* variable, int otherwise)
{
    char const* const text = std::getenv(variable);
    return text != nullptr ? std::atoi(text) : otherwise;
}

void* current_context = nullptr;
int retained[2] = {0, 0};
std::string said;

struct loaded_module {
    int architecture = 0; ///< 0: a text
};
/// Those not unloaded: baked code stays loaded until the process ends, and a leak checker finds it
/// here.
auto& loaded = *new std::vector<loaded_module*>;

int capability(int device) { return device == 0 ? number("ATTUNE_TEST_CU_SM", 90) : 90; }

/// From the flags of an ELF image.
int architecture_of(void const* image)
{
    auto const* const bytes = static_cast<unsigned char const*>(image);
    if (std::memcmp(bytes, "\177ELF", 4) != 0) return 0;
    return bytes[8] >= 8 ? bytes[49] : bytes[48]; // since CUDA 13 they stand one byte higher
}

std::string shown(unsigned const* extents)
{
    return std::to_string(extents[0]) + 'x' + std::to_string(extents[1]) + 'x' +
           std::to_string(extents[2]);
}

int note_launch(void* function, unsigned const* grid, unsigned const* block,
                unsigned const* cluster, int cooperative, unsigned shared_bytes, void* stream,
                void** arguments)
{
    said += "launch " + *static_cast<std::string*>(function) + " grid " + shown(grid) + " block " +
            shown(block);
    if (cluster != nullptr) said += " cluster " + shown(cluster);
    if (cooperative != 0) said += " cooperative";
    said += " shared " + std::to_string(shared_bytes) + " stream " +
            std::to_string(reinterpret_cast<std::size_t>(stream)) + " context " +
            (current_context == nullptr        ? "none"
             : current_context == &retained[0] ? "0"
                                               : "1");
    char const* const sizes = std::getenv("ATTUNE_TEST_CU_ARGUMENTS");
    for (int i = 0; sizes != nullptr && sizes[i] != '\0'; ++i) {
        said += i == 0 ? " arguments " : ",";
        auto const* const bytes = static_cast<unsigned char const*>(arguments[i]);
        for (int b = sizes[i] - '0' - 1; b >= 0; --b) {
            char text[3];
            std::snprintf(text, sizeof text, "%02x", bytes[b]);
            said += text;
        }
    }
    said += '\n';
    return number("ATTUNE_TEST_CU_LAUNCH", 0);
}

} // namespace

// Those that attune needs and this library has no use for.
#define UNUSED(name)                                                                               \
    extern "C" int name();                                                                         \
    extern "C" int name() { return 801; }
UNUSED(cuMemGetAddressRange_v2)
UNUSED(cuPointerGetAttribute)
UNUSED(cuMemcpyDtoD_v2)
UNUSED(cuMemcpyDtoDAsync_v2)
UNUSED(cuMemsetD8Async)
UNUSED(cuIpcGetMemHandle)
UNUSED(cuIpcOpenMemHandle_v2)
UNUSED(cuIpcCloseMemHandle)
UNUSED(cuStreamCreate)
UNUSED(cuStreamDestroy_v2)
UNUSED(cuEventCreate)
UNUSED(cuEventDestroy_v2)
UNUSED(cuEventRecord)
UNUSED(cuEventQuery)
UNUSED(cuEventElapsedTime)
UNUSED(cuStreamBeginCapture_v2)
UNUSED(cuStreamEndCapture)
UNUSED(cuGraphInstantiateWithFlags)
UNUSED(cuGraphLaunch)
UNUSED(cuGraphExecDestroy)
UNUSED(cuGraphDestroy)

extern "C" {

int cuInit(unsigned flags);
int cuInit(unsigned flags) { return flags == 0 ? number("ATTUNE_TEST_CU_INIT", 0) : 1; }

int cuDriverGetVersion(int* version);
int cuDriverGetVersion(int* version)
{
    *version = 13000;
    return 0;
}

int cuGetErrorName(int error, char const** text);
int cuGetErrorName(int error, char const** text)
{
    *text = error == 100   ? "CUDA_ERROR_NO_DEVICE"
            : error == 803 ? "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"
            : error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : error == 2   ? "CUDA_ERROR_OUT_OF_MEMORY"
                           : nullptr;
    return *text != nullptr ? 0 : 1;
}

int cuGetErrorString(int error, char const** text);
int cuGetErrorString(int error, char const** text)
{
    *text = error == 700 ? "an illegal memory access was encountered" : nullptr;
    return *text != nullptr ? 0 : 1;
}

int cuDeviceGetCount(int* count);
int cuDeviceGetCount(int* count)
{
    *count = number("ATTUNE_TEST_CU_DEVICES", 2);
    return 0;
}

int cuDeviceGet(int* out, int ordinal);
int cuDeviceGet(int* out, int ordinal)
{
    *out = ordinal;
    return ordinal == 0 || ordinal == 1 ? 0 : 101;
}

int cuDeviceGetName(char* text, int bytes, int device);
int cuDeviceGetName(char* text, int bytes, int device)
{
    std::snprintf(text, static_cast<std::size_t>(bytes), "Scripted %d", device);
    return 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int device);
int cuDeviceGetAttribute(int* value, int attribute, int device)
{
    *value = 1000 * device + attribute;
    if (attribute == 75) *value = capability(device) / 10;
    if (attribute == 76) *value = capability(device) % 10;
    if (attribute == 97 && std::getenv("ATTUNE_TEST_CU_ARGUMENTS") != nullptr) *value = 227 * 1024;
    if (attribute == 133) *value = number("ATTUNE_TEST_CU_MPS", 0);
    return 0;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int device);
int cuDeviceTotalMem_v2(std::size_t* bytes, int device)
{
    *bytes = (std::size_t{1} << 40) + static_cast<std::size_t>(device);
    return 0;
}

int cuDeviceGetPCIBusId(char* text, int bytes, int device);
int cuDeviceGetPCIBusId(char* text, int bytes, int device)
{
    std::snprintf(text, static_cast<std::size_t>(bytes), "0000:%02x:00.0", device + 65);
    return 0;
}

int cuDevicePrimaryCtxRetain(void** out, int device);
int cuDevicePrimaryCtxRetain(void** out, int device)
{
    ++retained[device];
    *out = &retained[device];
    return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRelease_v2(int device) { return --retained[device] < 0 ? 201 : 0; }

int cuCtxGetCurrent(void** out);
int cuCtxGetCurrent(void** out)
{
    *out = current_context;
    return 0;
}

int cuCtxSetCurrent(void* to);
int cuCtxSetCurrent(void* to)
{
    current_context = to;
    return 0;
}

int cuCtxGetDevice(int* out);
int cuCtxGetDevice(int* out)
{
    *out = current_context == &retained[1] ? 1 : 0;
    return current_context != nullptr ? 0 : 201;
}

int cuCtxSynchronize();
int cuCtxSynchronize() { return 0; }

int cuStreamSynchronize(void* what);
int cuStreamSynchronize(void* what) { return what == nullptr ? 0 : 400; }

int cuMemAlloc_v2(unsigned long long* out, std::size_t bytes);
int cuMemAlloc_v2(unsigned long long* out, std::size_t bytes)
{
    if (current_context == nullptr) return 201;
    if (bytes > static_cast<std::size_t>(number("ATTUNE_TEST_CU_MEMORY", 1 << 30))) return 2;
    *out = reinterpret_cast<unsigned long long>(std::malloc(bytes));
    return 0;
}

int cuMemFree_v2(unsigned long long what);
int cuMemFree_v2(unsigned long long what)
{
    std::free(reinterpret_cast<void*>(what));
    return current_context == nullptr ? 201 : 0;
}

int cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* all_bytes);
int cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* all_bytes)
{
    *free_bytes = 4096;
    *all_bytes = 8192;
    return 0;
}

int cuMemcpyHtoD_v2(unsigned long long to, void const* from, std::size_t bytes);
int cuMemcpyHtoD_v2(unsigned long long to, void const* from, std::size_t bytes)
{
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return 0;
}

int cuMemcpyDtoH_v2(void* to, unsigned long long from, std::size_t bytes);
int cuMemcpyDtoH_v2(void* to, unsigned long long from, std::size_t bytes)
{
    std::memcpy(to, reinterpret_cast<void const*>(from), bytes);
    return 0;
}

int cuModuleLoadData(void** out, void const* image);
int cuModuleLoadData(void** out, void const* image)
{
    int const of = architecture_of(image);
    int const device = current_context == &retained[1] ? 1 : 0;
    if (of != 0 && (of / 10 != capability(device) / 10 || of > capability(device))) return 209;
    said += "load " +
            (of != 0 ? "sm_" + std::to_string(of)
                     : std::string(static_cast<char const*>(image)).substr(0, 40)) +
            '\n';
    *out = loaded.emplace_back(new loaded_module{of});
    return 0;
}

int cuModuleUnload(void* module);
int cuModuleUnload(void* module)
{
    std::erase(loaded, static_cast<loaded_module*>(module));
    delete static_cast<loaded_module*>(module);
    return 0;
}

int cuModuleGetFunction(void** out, void* module, char const* name);
int cuModuleGetFunction(void** out, void* /*module*/, char const* name)
{
    if (std::strcmp(name, "missing") == 0) return 500;
    *out = new std::string(name);
    return 0;
}

int cuFuncGetAttribute(int* value, int attribute, void* function);
int cuFuncGetAttribute(int* value, int attribute, void* /*function*/)
{
    *value = attribute == 1 ? 1024 : 0;
    return 0;
}

int cuFuncSetAttribute(void* function, int attribute, int value);
int cuFuncSetAttribute(void* /*function*/, int attribute, int value)
{
    said += "attribute " + std::to_string(attribute) + " = " + std::to_string(value) + '\n';
    return 0;
}

int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void* stream, void** arguments, void** extra);
int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void* stream, void** arguments, void** /*extra*/)
{
    unsigned const grid[] = {grid_x, grid_y, grid_z};
    unsigned const block[] = {block_x, block_y, block_z};
    return note_launch(function, grid, block, nullptr, 0, shared_bytes, stream, arguments);
}

struct launch_attribute {
    int id;
    char padding[4];
    alignas(8) char value[64];
};
struct launch_config {
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    void* stream;
    launch_attribute* attributes;
    unsigned attribute_count;
};
int cuLaunchKernelEx(launch_config const* how, void* function, void** arguments, void** extra);
int cuLaunchKernelEx(launch_config const* how, void* function, void** arguments, void** /*extra*/)
{
    unsigned cluster[3] = {};
    bool has_cluster = false;
    int cooperative = 0;
    for (unsigned i = 0; i < how->attribute_count; ++i) {
        launch_attribute const& one = how->attributes[i];
        if (one.id == 2) std::memcpy(&cooperative, one.value, sizeof cooperative);
        if (one.id == 4) std::memcpy(cluster, one.value, sizeof cluster);
        has_cluster = has_cluster || one.id == 4;
    }
    return note_launch(function, how->grid, how->block, has_cluster ? cluster : nullptr,
                       cooperative, how->shared_bytes, how->stream, arguments);
}

/// What was loaded and launched since the last call: for tests only.
char const* attune_test_cu_said();
char const* attune_test_cu_said()
{
    static std::string out;
    out = std::move(said);
    said.clear();
    return out.c_str();
}

/// How many shares there are in a device's primary context: for tests only.
int attune_test_retained(int device);
int attune_test_retained(int device) { return retained[device]; }

} // extern "C"
