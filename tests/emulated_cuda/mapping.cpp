// tests/emulated_cuda/mapping.cpp - arrays of a device: memory that another process can map too.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

#include "machine.hpp"

namespace attune_emulated {
namespace {

constexpr std::size_t guard_bytes = 64 * 1024;
constexpr std::size_t alignment = 256;
constexpr std::size_t most_filled = 64 << 20;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

} // namespace

int map(allocation& made, int device, std::size_t bytes, int file)
{
    auto const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    made.device = device;
    made.bytes = bytes;
    made.mapped = rounded_up(bytes, page);
    made.lead = made.mapped - rounded_up(bytes, std::min(alignment, page));
    bool const is_new = file < 0;
    made.file = is_new ? ::memfd_create("attune emulated device memory", MFD_CLOEXEC) : file;
    if (made.file < 0) return 2;
    if (is_new && ::ftruncate(made.file, static_cast<off_t>(made.mapped)) != 0) return 2;
    void* const view =
        ::mmap(nullptr, made.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, made.file, 0);
    void* const around = ::mmap(nullptr, made.mapped + 2 * guard_bytes, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (view == MAP_FAILED || around == MAP_FAILED) return 2;
    std::byte* const pages = static_cast<std::byte*>(around) + guard_bytes;
    if (::mmap(pages, made.mapped, PROT_NONE, MAP_SHARED | MAP_FIXED, made.file, 0) == MAP_FAILED)
        return 2;
    made.base = pages + made.lead;
    made.view = static_cast<std::byte*>(view) + made.lead;
    if (!is_new) return 0;
    // What is in new memory is anybody's guess: here no numbers.
    std::byte const fresh = allocation::slack;
    if (made.mapped <= most_filled) {
        std::memset(view, std::to_integer<int>(fresh), made.mapped);
    } else {
        std::memset(view, std::to_integer<int>(fresh), made.lead);
        std::memset(made.view + bytes, std::to_integer<int>(fresh),
                    made.mapped - made.lead - bytes);
    }
    return 0;
}

void unmap(allocation const& what)
{
    ::munmap(what.pages() - guard_bytes, what.mapped + 2 * guard_bytes);
    ::munmap(what.view - what.lead, what.mapped);
    ::close(what.file);
}

bool slack_is_whole(int device)
{
    auto const is_fresh = [](std::byte b) { return b == allocation::slack; };
    for (auto const& [at, a] : the_machine().allocations) {
        if (a.device != device || a.is_imported) continue;
        std::byte* const end = a.view - a.lead + a.mapped;
        if (!std::all_of(a.view + a.bytes, end, is_fresh)) return false;
        if (!std::all_of(a.view - a.lead, a.view, is_fresh)) return false;
    }
    return true;
}

} // namespace attune_emulated
