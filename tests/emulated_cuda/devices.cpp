// tests/emulated_cuda/devices.cpp - cuInit, cuDevice*, cuCtx*, cuDevicePrimaryCtx*.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <unistd.h>
#include <utility>

#include "capability.hpp"
#include "machine.hpp"

using namespace attune_emulated;

namespace {

int attribute_of(device_state const& d, int device, int attribute)
{
    capability_limits const& c = limits_of(d.capability);
    // 1 to 4 are the threads of a block, its x, its y and its z, 5 to 7 the grid, 13 is in kHz, 38
    // the L2 cache; 12 and 82 are the registers of a block and of a multiprocessor.
    std::pair<int, int> const known[] = {{1, 1024},
                                         {2, 1024},
                                         {3, 1024},
                                         {4, 64},
                                         {5, 2147483647},
                                         {6, 65535},
                                         {7, 65535},
                                         {8, 48 * 1024},
                                         {9, 64 * 1024},
                                         {10, 32},
                                         {11, 2147483647},
                                         {12, 65536},
                                         {13, 1'000'000},
                                         {16, d.multiprocessors},
                                         {33, device + 1},
                                         {36, 2'000'000},
                                         {37, 1024},
                                         {38, 4 << 20},
                                         {39, c.threads},
                                         {41, 1},
                                         {75, d.capability / 10},
                                         {76, d.capability % 10},
                                         {81, c.shared_bytes},
                                         {82, 65536},
                                         {95, 1},
                                         {97, c.shared_opt_in_bytes},
                                         {106, c.blocks},
                                         {111, c.reserved_bytes},
                                         {120, d.capability >= 90 ? 1 : 0}};
    for (auto const& [name, value] : known)
        if (name == attribute) return value;
    return 0;
}

/// `act` with the device of this number, if there is one.
template <class Act>
int call_of_device(char const* function, int device, Act const& act)
{
    return call(function, need::initialized, [&](machine& m) {
        bool const exists = device >= 0 && static_cast<std::size_t>(device) < m.devices.size();
        return exists ? act(m, m.devices[static_cast<std::size_t>(device)]) : 101;
    });
}

} // namespace

ATTUNE_EMULATED_API int cuInit(unsigned flags)
{
    return call("cuInit", need::nothing, [&](machine& m) {
        if (flags != 0) return 1;
        if (m.is_initialized && m.owner != ::getpid()) return 3; // forked after its parent's
        m.read_environment();
        if (m.devices.empty()) return 100;
        m.is_initialized = true;
        m.owner = ::getpid();
        return 0;
    });
}

ATTUNE_EMULATED_API int cuDriverGetVersion(int* version)
{
    return call("cuDriverGetVersion", need::nothing, [&](machine& m) {
        if (m.devices.empty()) m.read_environment();
        *version = m.version;
        return 0;
    });
}

ATTUNE_EMULATED_API int cuDeviceGetCount(int* count)
{
    return call("cuDeviceGetCount", need::initialized, [&](machine& m) {
        *count = static_cast<int>(m.devices.size());
        return 0;
    });
}

ATTUNE_EMULATED_API int cuDeviceGet(int* out, int ordinal)
{
    return call_of_device("cuDeviceGet", ordinal, [&](machine&, device_state&) {
        *out = ordinal;
        return 0;
    });
}

ATTUNE_EMULATED_API int cuDeviceGetName(char* text, int bytes, int device)
{
    return call_of_device("cuDeviceGetName", device, [&](machine&, device_state& d) {
        if (bytes <= 0) return 1;
        std::snprintf(text, static_cast<std::size_t>(bytes), "%s", d.name.c_str());
        return 0;
    });
}

ATTUNE_EMULATED_API int cuDeviceGetAttribute(int* value, int attribute, int device)
{
    return call_of_device("cuDeviceGetAttribute", device, [&](machine&, device_state& d) {
        if (attribute < 1) return 1;
        *value = attribute_of(d, device, attribute);
        return 0;
    });
}

ATTUNE_EMULATED_API int cuDeviceTotalMem_v2(std::size_t* bytes, int device)
{
    return call_of_device("cuDeviceTotalMem_v2", device, [&](machine&, device_state& d) {
        *bytes = d.memory_bytes;
        return 0;
    });
}

ATTUNE_EMULATED_API int cuDeviceGetPCIBusId(char* text, int bytes, int device)
{
    return call_of_device("cuDeviceGetPCIBusId", device, [&](machine&, device_state&) {
        if (bytes < 13) return 1;
        std::snprintf(text, static_cast<std::size_t>(bytes), "0000:%02X:00.0", device + 1);
        return 0;
    });
}

ATTUNE_EMULATED_API int cuDevicePrimaryCtxRetain(device_context** out, int device)
{
    return call_of_device("cuDevicePrimaryCtxRetain", device, [&](machine& m, device_state& d) {
        if (m.sticky != 0) return m.sticky;
        ++d.retained;
        *out = d.primary;
        return 0;
    });
}

ATTUNE_EMULATED_API int cuDevicePrimaryCtxRelease_v2(int device)
{
    return call_of_device("cuDevicePrimaryCtxRelease_v2", device, [&](machine& m, device_state& d) {
        if (d.retained == 0) return 201;
        if (--d.retained > 0) return 0;
        // With the context goes what was allocated in it.
        for (auto at = m.allocations.begin(); at != m.allocations.end();) {
            bool const gone = at->second.device == device;
            if (gone) unmap(at->second);
            at = gone ? m.allocations.erase(at) : std::next(at);
        }
        d.used_bytes = 0;
        return 0;
    });
}

ATTUNE_EMULATED_API int cuCtxGetCurrent(device_context** out)
{
    return call("cuCtxGetCurrent", need::initialized, [&](machine&) {
        *out = current_context();
        return 0;
    });
}

ATTUNE_EMULATED_API int cuCtxSetCurrent(device_context* to)
{
    return call("cuCtxSetCurrent", need::initialized, [&](machine& m) {
        bool is_known = to == nullptr;
        for (device_state const& d : m.devices)
            is_known = is_known || (to == d.primary && d.retained > 0);
        if (!is_known) return 201;
        current_context() = to;
        return 0;
    });
}

ATTUNE_EMULATED_API int cuCtxGetDevice(int* out)
{
    return call("cuCtxGetDevice", need::context, [&](machine&) {
        *out = current_context()->device;
        return 0;
    });
}

ATTUNE_EMULATED_API int cuCtxSynchronize()
{
    return waiting_call("cuCtxSynchronize", disturbance::context, [](machine&) { return 0; });
}

/// Not of CUDA: everything is as before the first call. For tests in one process.
ATTUNE_EMULATED_API void attune_emulated_reset()
{
    std::unique_lock const lock(the_machine().mutex);
    the_machine().reset();
}

/// Not of CUDA: kernels that have been launched in this process.
ATTUNE_EMULATED_API unsigned long long attune_emulated_launches()
{
    std::unique_lock const lock(the_machine().mutex);
    return the_machine().launches;
}
