// attune/measure/sandbox/fork_exclusions.ipp - selects mappings in /proc/self/smaps and excludes them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/sandbox/fork_exclusions.hpp>
#include <attune/measure/sandbox/isolation.hpp>

#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Removes the pages of `cut` from `whole`.
inline void subtract(std::vector<address_range>& whole, address_range cut, std::uintptr_t page)
{
    cut.first = cut.first / page * page;
    cut.last = (cut.last + page - 1) / page * page;
    std::vector<address_range> rest;
    for (address_range const& r : whole) {
        if (cut.last <= r.first || r.last <= cut.first) {
            rest.push_back(r);
            continue;
        }
        if (r.first < cut.first) rest.push_back({r.first, cut.first});
        if (cut.last < r.last) rest.push_back({cut.last, r.last});
    }
    whole = std::move(rest);
}

/// One mapping of /proc/self/smaps, filled line by line.
struct mapping_lines {
    address_range range{};
    bool is_candidate = false; ///< private, anonymous, readable and writable
    std::size_t resident_kib = 0;
    std::size_t huge_kib = 0;

    /// Parses a first line: "7f00-7f10 rw-p 00000000 00:00 0", then nothing or a name.
    [[nodiscard]] static mapping_lines begun_by(std::string const& line)
    {
        mapping_lines out;
        char* at = nullptr;
        out.range.first = std::strtoull(line.c_str(), &at, 16);
        out.range.last = std::strtoull(at + 1, &at, 16);
        bool const has_name =
            line.find_first_not_of("0123456789 :", line.find(' ') + 6) != std::string::npos;
        out.is_candidate = std::string(at).starts_with(" rw-p 00000000 00:00 0") && !has_name;
        return out;
    }
    [[nodiscard]] bool is_worth_it(std::string const& flags) const
    {
        for (auto const* const special : {" dc", " wf", " ht", " io", " pf"})
            if (flags.find(special) != std::string::npos) return false;
        return is_possible() && resident_kib >= huge_kib + least_left_out_bytes / 1024;
    }
    /// False when the mapping's first line already excludes it.
    [[nodiscard]] bool is_possible() const
    {
        char const here = 0;
        if (range.contains(reinterpret_cast<std::uintptr_t>(&here)))
            return false; // this thread's stack
        return is_candidate && range.last - range.first >= least_left_out_bytes;
    }
};

[[nodiscard]] inline std::vector<address_range> without(std::vector<address_range> whole,
                                                        std::span<address_range const> kept)
{
    auto const page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    for (address_range const& cut : kept)
        subtract(whole, cut, page);
    return whole;
}

inline void advise(std::span<address_range const> list, int advice) noexcept
{
    // madvise() fails for unmapped parts of a range, but applies to the rest.
    for (address_range const& r : list)
        static_cast<void>(::madvise(reinterpret_cast<void*>(r.first), r.last - r.first, advice));
}

ATTUNE_INLINE std::vector<address_range> memory_to_leave_out(std::span<address_range const> kept)
{
    std::vector<address_range> out;
#if defined(__linux__)
    if (has_sanitizer()) return out;
    mapping_lines now;
    auto const kib = [](std::string const& line) -> std::size_t {
        return std::strtoull(line.c_str() + line.find(':') + 1, nullptr, 10);
    };
    std::ifstream file("/proc/self/smaps");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("Rss:"))
            now.resident_kib = kib(line);
        else if (line.starts_with("AnonHugePages:"))
            now.huge_kib = kib(line);
        else if (line.starts_with("VmFlags:")) {
            if (now.is_worth_it(line)) out.push_back(now.range);
        } else if (line.find('-') < line.find(' '))
            now = mapping_lines::begun_by(line);
    }
#endif
    return detail::without(std::move(out), kept);
}

ATTUNE_INLINE std::vector<address_range>
large_memory_to_leave_out(std::span<address_range const> kept)
{
    std::vector<address_range> out;
#if defined(__linux__)
    if (has_sanitizer()) return out;
    std::ifstream file("/proc/self/maps");
    for (std::string line; std::getline(file, line);)
        if (auto const mapping = mapping_lines::begun_by(line); mapping.is_possible())
            out.push_back(mapping.range);
#endif
    return detail::without(std::move(out), kept);
}

ATTUNE_INLINE fork_exclusions::fork_exclusions(std::span<address_range const> excluded) noexcept
    : ranges_(excluded)
{
#if defined(MADV_WIPEONFORK)
    advise(ranges_, MADV_WIPEONFORK);
#endif
}

ATTUNE_INLINE fork_exclusions::~fork_exclusions()
{
#if defined(MADV_WIPEONFORK)
    advise(ranges_, MADV_KEEPONFORK);
#endif
}

/// Excluded memory is mapped in the child and reads as zeros unless it is forbidden.
ATTUNE_INLINE void fork_exclusions::forbid() const noexcept
{
#if defined(MADV_WIPEONFORK)
    for (address_range const& r : ranges_)
        static_cast<void>(
            ::mprotect(reinterpret_cast<void*>(r.first), r.last - r.first, PROT_NONE));
#endif
}

} // namespace attune::inline ATTUNE_ABI::detail
