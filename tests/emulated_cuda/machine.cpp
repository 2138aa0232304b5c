// tests/emulated_cuda/machine.cpp - reads the environment, admits calls, opens and closes memory.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <sys/mman.h>
#include <unistd.h>

#include "machine.hpp"

namespace attune_emulated {
namespace {

std::string setting(char const* name, char const* otherwise)
{
    char const* const text = std::getenv(name);
    return text != nullptr && *text != '\0' ? text : otherwise;
}

/// Entry `i` of a list, or its last.
std::string entry(std::string const& list, int i)
{
    std::size_t begin = 0;
    for (; i > 0; --i) {
        std::size_t const comma = list.find(',', begin);
        if (comma == std::string::npos) break;
        begin = comma + 1;
    }
    return list.substr(begin, list.find(',', begin) - begin);
}

int forced_failure(char const* function)
{
    std::string const list = ',' + setting("ATTUNE_EMULATED_FAIL", "");
    std::string const looked_for = ',' + std::string(function) + '=';
    std::size_t const at = list.find(looked_for);
    return at == std::string::npos ? 0 : std::atoi(list.c_str() + at + looked_for.size());
}

/// Handles stay valid as addresses, also of contexts that are gone.
device_context* context_of(int device)
{
    static std::deque<device_context> all;
    while (all.size() <= static_cast<std::size_t>(device))
        all.push_back({static_cast<int>(all.size())});
    return &all[static_cast<std::size_t>(device)];
}

} // namespace

machine& the_machine()
{
    static machine* const the = new machine; // driver calls may come from other destructors
    return *the;
}

device_context*& current_context()
{
    static thread_local device_context* current = nullptr;
    return current;
}

void machine::read_environment()
{
    bool const in_use =
        std::any_of(devices.begin(), devices.end(), [](auto const& d) { return d.retained > 0; });
    if (in_use) return;
    version = std::atoi(setting("ATTUNE_EMULATED_VERSION", "13000").c_str());
    hang_s = std::atof(setting("ATTUNE_EMULATED_HANG_S", "10").c_str());
    newest_first = setting("ATTUNE_EMULATED_ORDER", "oldest") == "newest";
    int const count = std::atoi(setting("ATTUNE_EMULATED_DEVICES", "1").c_str());
    devices.resize(static_cast<std::size_t>(std::max(count, 0)));
    for (int i = 0; i < count; ++i) {
        device_state& d = devices[static_cast<std::size_t>(i)];
        std::string const capability = entry(setting("ATTUNE_EMULATED_CAPABILITY", "90"), i);
        d.capability = std::atoi(capability.c_str());
        d.name = entry(setting("ATTUNE_EMULATED_NAME", ("Emulated sm_" + capability).c_str()), i);
        d.memory_bytes = static_cast<std::size_t>(
            std::atoll(entry(setting("ATTUNE_EMULATED_MEMORY", "1073741824"), i).c_str()));
        d.multiprocessors =
            std::atoi(entry(setting("ATTUNE_EMULATED_MULTIPROCESSORS", "4"), i).c_str());
        d.primary = context_of(i);
    }
}

void machine::reset()
{
    for (auto const& [at, what] : allocations)
        unmap(what);
    allocations.clear();
    sticky = 0;
    launches = 0;
    abandon_captures();
    devices.clear();
    current_context() = nullptr;
    if (is_initialized) read_environment();
}

allocation* machine::find(address at)
{
    auto after = allocations.upper_bound(at);
    if (after == allocations.begin()) return nullptr;
    allocation& a = std::prev(after)->second;
    return at - reinterpret_cast<address>(a.base) < a.bytes ? &a : nullptr;
}

std::byte* machine::view_of(address at, std::size_t bytes, int device)
{
    allocation const* const a = find(at);
    if (a == nullptr || (device >= 0 && a->device != device)) return nullptr;
    std::size_t const offset = at - reinterpret_cast<address>(a->base);
    return bytes <= a->bytes - offset ? a->view + offset : nullptr;
}

int admission(char const* function, need needed)
{
    machine const& m = the_machine();
    if (int const forced = forced_failure(function); forced != 0) return forced;
    if (needed == need::nothing) return 0;
    // A forked child has no driver, whatever its parent had.
    if (!m.is_initialized || m.owner != ::getpid()) return 3;
    if (needed == need::initialized) return 0;
    if (m.sticky != 0) return m.sticky;
    device_context const* const c = current_context();
    if (c == nullptr || static_cast<std::size_t>(c->device) >= m.devices.size()) return 201;
    return current_device().retained > 0 ? 0 : 709;
}

void wait_for_device(std::unique_lock<std::recursive_mutex>& lock)
{
    if (!current_device().hangs) return;
    lock.unlock();
    for (;;)
        ::pause();
}

open_memory::open_memory(int device)
    : device_(device)
{
    for (auto const& [at, a] : the_machine().allocations)
        if (a.device == device_) ::mprotect(a.pages(), a.mapped, PROT_READ | PROT_WRITE);
}

open_memory::~open_memory()
{
    for (auto const& [at, a] : the_machine().allocations)
        if (a.device == device_) ::mprotect(a.pages(), a.mapped, PROT_NONE);
}

} // namespace attune_emulated
