// tests/support/scripted_driver.cpp : a libcuda with two devices whose every attribute is 1000 * ordinal + its number, and whose memory is the host's. It launches nothing.
// SPDX-License-Identifier: MIT
//
// ATTUNE_TEST_CU_INIT      what cuInit returns
// ATTUNE_TEST_CU_DEVICES   how many devices there are; 2 when not set
// ATTUNE_TEST_CU_MPS       1: contexts are shared by MPS; 0 when not set
// ATTUNE_TEST_CU_MEMORY    bytes one allocation may have
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

int number(char const* variable, int otherwise)
{
    char const* const text = std::getenv(variable);
    return text != nullptr ? std::atoi(text) : otherwise;
}

void* current_context = nullptr;
int retained[2] = {0, 0};

} // namespace

// Those that attune needs and this library has no use for.
#define UNUSED(name)                                                                               \
    extern "C" int name();                                                                         \
    extern "C" int name() { return 801; }
UNUSED(cuModuleLoadData)
UNUSED(cuModuleUnload)
UNUSED(cuModuleGetFunction)
UNUSED(cuFuncSetAttribute)
UNUSED(cuLaunchKernel)
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
UNUSED(cuLaunchKernelEx)

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
    if (attribute == 75) *value = 9;
    if (attribute == 76) *value = 0;
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

/// How many shares there are in a device's primary context: for tests only.
int attune_test_retained(int device);
int attune_test_retained(int device) { return retained[device]; }

} // extern "C"
