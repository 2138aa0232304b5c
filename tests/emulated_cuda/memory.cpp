// tests/emulated_cuda/memory.cpp - cuMem*, cuIpc*, cuPointerGetAttribute. Handles name the process and its file, so that another process really maps the same memory.
// SPDX-License-Identifier: MIT
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "machine.hpp"
#include "streams.hpp"

using namespace attune_emulated;

namespace {

struct handle_content {
    char magic[16];
    std::uint64_t bytes;
    std::int32_t process, file, device;
};
constexpr char magic[16] = "attune emulated";

struct ipc_handle {
    char reserved[64];
};
static_assert(sizeof(handle_content) <= sizeof(ipc_handle));

int free_one(machine& m, address at, bool is_imported)
{
    auto const found = m.allocations.find(at);
    if (found == m.allocations.end() || found->second.is_imported != is_imported) return 1;
    allocation const& a = found->second;
    if (!is_imported) m.devices[static_cast<std::size_t>(a.device)].used_bytes -= a.bytes;
    unmap(a);
    m.allocations.erase(found);
    return 0;
}

} // namespace

ATTUNE_EMULATED_API int cuMemAlloc_v2(address* out, std::size_t bytes)
{
    return call("cuMemAlloc_v2", need::context, [&](machine& m) {
        if (out == nullptr || bytes == 0) return 1;
        if (int const refused = disturb_captures(disturbance::unsafe); refused != 0) return refused;
        device_state& d = current_device();
        if (bytes > d.memory_bytes - d.used_bytes) return 2;
        allocation made;
        if (int const error = map(made, current_context()->device, bytes, -1); error != 0)
            return error;
        d.used_bytes += bytes;
        *out = reinterpret_cast<address>(made.base);
        m.allocations.emplace(*out, made);
        return 0;
    });
}

ATTUNE_EMULATED_API int cuMemFree_v2(address what)
{
    return waiting_call("cuMemFree_v2", disturbance::unsafe,
                        [&](machine& m) { return what == 0 ? 0 : free_one(m, what, false); });
}

ATTUNE_EMULATED_API int cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes)
{
    return call("cuMemGetInfo_v2", need::context, [&](machine&) {
        device_state const& d = current_device();
        *free_bytes = d.memory_bytes - d.used_bytes;
        *total_bytes = d.memory_bytes;
        return 0;
    });
}

ATTUNE_EMULATED_API int cuMemGetAddressRange_v2(address* base, std::size_t* bytes, address of)
{
    return call("cuMemGetAddressRange_v2", need::context, [&](machine& m) {
        allocation const* const a = m.find(of);
        if (a == nullptr) return 500;
        if (base != nullptr) *base = reinterpret_cast<address>(a->base);
        if (bytes != nullptr) *bytes = a->bytes;
        return 0;
    });
}

ATTUNE_EMULATED_API int cuPointerGetAttribute(void* value, int attribute, address of)
{
    return call("cuPointerGetAttribute", need::context, [&](machine& m) {
        allocation const* const a = m.find(of);
        if (a == nullptr || value == nullptr) return 1;
        auto const put = [&](auto what) {
            std::memcpy(value, &what, sizeof what);
            return 0;
        };
        if (attribute == 1) return put(m.devices[static_cast<std::size_t>(a->device)].primary);
        if (attribute == 2) return put(2U); // device memory
        if (attribute == 3) return put(of);
        if (attribute == 8) return put(0U); // is it managed?
        if (attribute == 9) return put(a->device);
        if (attribute == 10) return put(a->is_imported ? 0 : 1);
        if (attribute == 11) return put(reinterpret_cast<address>(a->base));
        if (attribute == 12) return put(a->bytes);
        return attribute == 13 ? put(1) : 1;
    });
}

ATTUNE_EMULATED_API int cuMemcpyHtoD_v2(address to, void const* from, std::size_t bytes)
{
    return waiting_call("cuMemcpyHtoD_v2", disturbance::legacy, [&](machine& m) {
        if (bytes == 0) return 0;
        std::byte* const view = m.view_of(to, bytes);
        if (view == nullptr || from == nullptr) return 1;
        std::memcpy(view, from, bytes);
        return 0;
    });
}

ATTUNE_EMULATED_API int cuMemcpyDtoH_v2(void* to, address from, std::size_t bytes)
{
    return waiting_call("cuMemcpyDtoH_v2", disturbance::legacy, [&](machine& m) {
        if (bytes == 0) return 0;
        std::byte const* const view = m.view_of(from, bytes);
        if (view == nullptr || to == nullptr) return 1;
        std::memcpy(to, view, bytes);
        return 0;
    });
}

ATTUNE_EMULATED_API int cuMemcpyDtoDAsync_v2(address to, address from, std::size_t bytes, void* on)
{
    return call("cuMemcpyDtoDAsync_v2", need::context, [&](machine& m) {
        if (bytes == 0) return 0;
        if (m.view_of(to, bytes) == nullptr || m.view_of(from, bytes) == nullptr) return 1;
        return submit(on, [=](machine& later, device_state& d) {
            std::byte* const target = later.view_of(to, bytes);
            std::byte const* const source = later.view_of(from, bytes);
            if (target == nullptr || source == nullptr) return 700;
            std::memmove(target, source, bytes);
            d.clock_ns += transfer_ns(2 * bytes);
            return 0;
        });
    });
}

ATTUNE_EMULATED_API int cuMemcpyDtoD_v2(address to, address from, std::size_t bytes)
{
    if (int const forced = admission("cuMemcpyDtoD_v2", need::nothing); forced != 0) return forced;
    return cuMemcpyDtoDAsync_v2(to, from, bytes, nullptr);
}

ATTUNE_EMULATED_API int cuMemsetD8Async(address to, unsigned char value, std::size_t bytes,
                                        void* on)
{
    return call("cuMemsetD8Async", need::context, [&](machine& m) {
        if (bytes == 0) return 0;
        if (m.view_of(to, bytes) == nullptr) return 1;
        return submit(on, [=](machine& later, device_state& d) {
            std::byte* const target = later.view_of(to, bytes);
            if (target == nullptr) return 700;
            std::memset(target, value, bytes);
            d.clock_ns += transfer_ns(bytes);
            return 0;
        });
    });
}

ATTUNE_EMULATED_API int cuIpcGetMemHandle(ipc_handle* out, address of)
{
    return call("cuIpcGetMemHandle", need::context, [&](machine& m) {
        allocation const* const a = m.find(of);
        if (a == nullptr || a->is_imported || out == nullptr) return 1;
        handle_content content{{}, a->bytes, ::getpid(), a->file, a->device};
        std::memcpy(content.magic, magic, sizeof magic);
        *out = {};
        std::memcpy(out, &content, sizeof content);
        return 0;
    });
}

ATTUNE_EMULATED_API int cuIpcOpenMemHandle_v2(address* out, ipc_handle from, unsigned flags)
{
    return call("cuIpcOpenMemHandle_v2", need::context, [&](machine& m) {
        handle_content content{};
        std::memcpy(&content, &from, sizeof content);
        if (out == nullptr || flags != 1) return 1; // lazy peer access is the only flag there is
        if (std::memcmp(content.magic, magic, sizeof magic) != 0) return 400;
        if (content.process == ::getpid()) return 201; // not in the process that it is from
        if (static_cast<std::size_t>(content.device) >= m.devices.size()) return 101;
        // Newer drivers count and answer with the same address; those before did this.
        for (auto const& [at, known] : m.allocations)
            if (known.is_imported && known.from_process == content.process &&
                known.from_file == content.file)
                return 208;
        std::string const path =
            "/proc/" + std::to_string(content.process) + "/fd/" + std::to_string(content.file);
        int const file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        if (file < 0) return 400;
        allocation made;
        if (int const error = map(made, content.device, content.bytes, file); error != 0)
            return 205;
        made.is_imported = true;
        made.from_process = content.process;
        made.from_file = content.file;
        *out = reinterpret_cast<address>(made.base);
        m.allocations.emplace(*out, made);
        return 0;
    });
}

ATTUNE_EMULATED_API int cuIpcCloseMemHandle(address of)
{
    return waiting_call("cuIpcCloseMemHandle", disturbance::unsafe,
                        [&](machine& m) { return free_one(m, of, true); });
}
