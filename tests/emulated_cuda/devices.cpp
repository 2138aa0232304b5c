// tests/emulated_cuda/devices.cpp - cuInit, cuDevice*, cuCtx*, cuDevicePrimaryCtx*.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <unistd.h>

#include "capability.hpp"
#include "machine.hpp"

using namespace attune_emulated;

namespace {

bool exists(machine const& m, int device)
{
    return device >= 0 && static_cast<std::size_t>(device) < m.devices.size();
}

int attribute_of(device_state const& d, int device, int attribute)
{
    capability_limits const& c = limits_of(d.capability);
    switch (attribute) {
    case 1:
    case 2:
    case 3:
        return 1024; // threads of a block, its x, its y
    case 4:
        return 64;
    case 5:
        return 2147483647;
    case 6:
    case 7:
        return 65535;
    case 8:
        return 48 * 1024;
    case 9:
        return 64 * 1024;
    case 10:
        return 32;
    case 11:
        return 2147483647;
    case 12:
    case 82:
        return 65536; // registers of a block, of a multiprocessor
    case 13:
        return 1'000'000; // kHz
    case 16:
        return d.multiprocessors;
    case 33:
        return device + 1;
    case 36:
        return 2'000'000;
    case 37:
        return 1024;
    case 38:
        return 4 << 20; // L2
    case 39:
        return c.threads;
    case 41:
    case 95:
        return 1;
    case 75:
        return d.capability / 10;
    case 76:
        return d.capability % 10;
    case 81:
        return c.shared_bytes;
    case 97:
        return c.shared_opt_in_bytes;
    case 106:
        return c.blocks;
    case 111:
        return c.reserved_bytes;
    case 120:
        return d.capability >= 90 ? 1 : 0;
    default:
        return 0;
    }
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
    return call("cuDeviceGet", need::initialized, [&](machine& m) {
        if (!exists(m, ordinal)) return 101;
        *out = ordinal;
        return 0;
    });
}

ATTUNE_EMULATED_API int cuDeviceGetName(char* text, int bytes, int device)
{
    return call("cuDeviceGetName", need::initialized, [&](machine& m) {
        if (!exists(m, device)) return 101;
        if (bytes <= 0) return 1;
        std::snprintf(text, static_cast<std::size_t>(bytes), "%s",
                      m.devices[static_cast<std::size_t>(device)].name.c_str());
        return 0;
    });
}

ATTUNE_EMULATED_API int cuDeviceGetAttribute(int* value, int attribute, int device)
{
    return call("cuDeviceGetAttribute", need::initialized, [&](machine& m) {
        if (!exists(m, device)) return 101;
        if (attribute < 1) return 1;
        *value = attribute_of(m.devices[static_cast<std::size_t>(device)], device, attribute);
        return 0;
    });
}

ATTUNE_EMULATED_API int cuDeviceTotalMem_v2(std::size_t* bytes, int device)
{
    return call("cuDeviceTotalMem_v2", need::initialized, [&](machine& m) {
        if (!exists(m, device)) return 101;
        *bytes = m.devices[static_cast<std::size_t>(device)].memory_bytes;
        return 0;
    });
}

ATTUNE_EMULATED_API int cuDeviceGetPCIBusId(char* text, int bytes, int device)
{
    return call("cuDeviceGetPCIBusId", need::initialized, [&](machine& m) {
        if (!exists(m, device)) return 101;
        if (bytes < 13) return 1;
        std::snprintf(text, static_cast<std::size_t>(bytes), "0000:%02X:00.0", device + 1);
        return 0;
    });
}

ATTUNE_EMULATED_API int cuDevicePrimaryCtxRetain(device_context** out, int device)
{
    return call("cuDevicePrimaryCtxRetain", need::initialized, [&](machine& m) {
        if (!exists(m, device)) return 101;
        if (m.sticky != 0) return m.sticky;
        device_state& d = m.devices[static_cast<std::size_t>(device)];
        ++d.retained;
        *out = d.primary;
        return 0;
    });
}

ATTUNE_EMULATED_API int cuDevicePrimaryCtxRelease_v2(int device)
{
    return call("cuDevicePrimaryCtxRelease_v2", need::initialized, [&](machine& m) {
        if (!exists(m, device)) return 101;
        device_state& d = m.devices[static_cast<std::size_t>(device)];
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
