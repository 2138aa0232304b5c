// attune/measure/sandbox/fork_exclusions.hpp - excludes memory of the program from a fork.
// SPDX-License-Identifier: MIT
// Bench    bench/measure/overhead.cpp
//
// By Linux's MADV_WIPEONFORK, set only around the fork
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Addresses from `first` up to, but not including, `last`.
struct address_range {
    std::uintptr_t first = 0;
    std::uintptr_t last = 0;

    [[nodiscard]] constexpr bool contains(std::uintptr_t address) const noexcept
    {
        return first <= address && address < last;
    }
};

/// Mappings with less resident memory in small pages are not excluded.
inline constexpr std::size_t least_left_out_bytes = std::size_t{16} << 20;

/// The private anonymous mappings with at least `least_left_out_bytes` in small pages, except this
/// thread's stack, `kept`, and memory that forks exclude already. Whole pages. None with a
/// sanitizer (has_sanitizer()): its shadow memory would be among them, and a child's fault there
/// has no address.
///
/// A child that accesses excluded memory faults at an address in it, which tells this from other
/// crashes: see sandboxed_run_options::without.
/// Cost  1 ms per GB
[[nodiscard]] std::vector<address_range> memory_to_leave_out(std::span<address_range const> kept);

/// As memory_to_leave_out(), but selected by size of the mapping, not by resident memory.
/// Cost  50 us
[[nodiscard]] std::vector<address_range>
large_memory_to_leave_out(std::span<address_range const> kept);

/// Excludes ranges from every fork while it exists.
class fork_exclusions {
public:
    /// @pre  `excluded` outlive this object
    explicit fork_exclusions(std::span<address_range const> excluded) noexcept;
    ~fork_exclusions();
    fork_exclusions(fork_exclusions const&) = delete;
    fork_exclusions& operator=(fork_exclusions const&) = delete;

    /// Call it in the child: forbids the addresses, so that nothing else is mapped there.
    void forbid() const noexcept;

private:
    std::span<address_range const> ranges_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/fork_exclusions.ipp>
#endif
