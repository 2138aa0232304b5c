// attune/measure/guarded.ipp - mapping, protecting and checking the copies.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/guarded.hpp>

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI {

namespace detail {

inline constexpr std::size_t guarded_alignment = 64;
inline constexpr std::byte guard_pattern{0xA5};
/// On either side: address space only.
inline constexpr std::size_t forbidden_pages = 16;

} // namespace detail

/// One mapping: forbidden pages, pages of content, forbidden pages.
struct guarded_copies::region {
    std::byte* mapping = nullptr;
    std::size_t mapped = 0;
    std::byte* usable = nullptr; ///< first byte between the forbidden pages
    std::byte* usable_end = nullptr;
    std::byte* first = nullptr; ///< of the array
    std::byte* last = nullptr;  ///< one past the array
    std::size_t argument = 0;
    bool writable = false;

    explicit region(buffer const& original)
        : argument(original.argument)
        , writable(original.writable)
    {
        std::size_t const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        std::size_t const needed = original.bytes + 2 * detail::guarded_alignment;
        std::size_t const content = (needed + page - 1) / page * page;
        std::size_t const zone = detail::forbidden_pages * page;
        mapped = content + 2 * zone;
        void* const got = ::mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (got == MAP_FAILED ||
            ::mprotect(static_cast<std::byte*>(got) + zone, content, PROT_READ | PROT_WRITE) != 0)
            throw error("no memory for a copy of the kernel's arguments",
                        "argument " + std::to_string(original.argument) + ", " +
                            std::to_string(original.bytes) + " bytes",
                        "free memory, or tune on a smaller problem");
        mapping = static_cast<std::byte*>(got);
        usable = mapping + zone;
        usable_end = usable + content;
        // The copy ends as close to the forbidden page as its alignment to a cache line allows.
        std::size_t const wanted =
            reinterpret_cast<std::uintptr_t>(original.data) % detail::guarded_alignment;
        first = usable_end - original.bytes;
        std::size_t const has = reinterpret_cast<std::uintptr_t>(first) % detail::guarded_alignment;
        first -= (has + detail::guarded_alignment - wanted) % detail::guarded_alignment;
        last = first + original.bytes;
        mend();
        if (original.bytes > 0) std::memcpy(first, original.data, original.bytes);
        if (!writable) ::mprotect(usable, content, PROT_READ);
    }
    ~region() { ::munmap(mapping, mapped); }
    region(region const&) = delete;
    region& operator=(region const&) = delete;

    [[nodiscard]] std::byte* before() const { return first - detail::guarded_alignment; }
    void mend() const
    {
        std::fill(before(), first, detail::guard_pattern);
        std::fill(last, usable_end, detail::guard_pattern);
    }
    [[nodiscard]] bool intact() const
    {
        auto const is_pattern = [](std::byte b) { return b == detail::guard_pattern; };
        return std::all_of(before(), first, is_pattern) &&
               std::all_of(last, usable_end, is_pattern);
    }
};

guarded_copies::guarded_copies(std::span<buffer const> originals)
{
    for (buffer const& original : originals) {
        regions_.push_back(std::make_shared<region const>(original));
        buffer copy = original;
        copy.data = regions_.back()->first;
        copies_.push_back(copy);
        addresses_.push_back(copy.data);
    }
}

std::string guarded_copies::explain(std::uintptr_t address) const
{
    for (auto const& r : regions_) {
        auto const at = [](std::byte const* p) { return reinterpret_cast<std::uintptr_t>(p); };
        std::string const who = "argument " + std::to_string(r->argument);
        std::string const size = " (it has " + std::to_string(r->last - r->first) + " bytes)";
        if (address >= at(r->usable_end) && address < at(r->mapping + r->mapped)) {
            std::uintptr_t const past = address - at(r->last);
            return (past == 0 ? "just" : std::to_string(past) + " bytes") + " past the end of " +
                   who + size;
        }
        if (address >= at(r->mapping) && address < at(r->usable))
            return std::to_string(at(r->first) - address) + " bytes before the start of " + who +
                   size;
        if (!r->writable && address >= at(r->usable) && address < at(r->usable_end))
            return "in " + who + ", which is only to be read";
    }
    return {};
}

std::string guarded_copies::damage() const
{
    for (auto const& r : regions_)
        if (!r->intact())
            return "argument " + std::to_string(r->argument) + ": written outside of its " +
                   std::to_string(r->last - r->first) + " bytes";
    return {};
}

std::vector<address_range> guarded_copies::ranges() const
{
    std::vector<address_range> out;
    for (auto const& r : regions_)
        out.push_back({reinterpret_cast<std::uintptr_t>(r->mapping),
                       reinterpret_cast<std::uintptr_t>(r->mapping) + r->mapped});
    return out;
}

void guarded_copies::mend() const
{
    for (auto const& r : regions_)
        if (r->writable) r->mend();
}

bool can_guard(std::span<buffer const> originals, std::size_t most_bytes)
{
    std::size_t total = 0;
    for (std::size_t i = 0; i < originals.size(); ++i) {
        total += originals[i].bytes;
        for (std::size_t j = 0; j < i; ++j) {
            buffer const& a = originals[i];
            buffer const& b = originals[j];
            if (!a.writable && !b.writable) continue;
            if (a.data < b.data + b.bytes && b.data < a.data + a.bytes) return false;
        }
    }
    return total <= most_bytes;
}

} // namespace attune::inline ATTUNE_ABI
