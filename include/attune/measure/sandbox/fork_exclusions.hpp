// attune/measure/sandbox/fork_exclusions.hpp - memory of the program that a trial's child is forked without.
// SPDX-License-Identifier: MIT
// Bench    bench/measure/overhead.cpp
//
// Linux's MADV_WIPEONFORK, for the moment of the fork only
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Addresses [first, last).
struct address_range {
    std::uintptr_t first = 0;
    std::uintptr_t last = 0;

    [[nodiscard]] constexpr bool contains(std::uintptr_t address) const noexcept
    {
        return first <= address && address < last;
    }
};

/// Below this much resident memory in small pages a mapping is not worth leaving out.
inline constexpr std::size_t least_left_out_bytes = std::size_t{16} << 20;

/// The private anonymous mappings with at least `least_left_out_bytes` in small pages, without the
/// stack of this thread, what is `kept`, and what is left out of forks already. Whole pages.
///
/// A child that needs one of them all the same is stopped at its first access, in a way that can be
/// told from other crashes by its address: see sandboxed_run_options::without.
/// Cost  1 ms for each GB
[[nodiscard]] std::vector<address_range> memory_to_leave_out(std::span<address_range const> kept);

/// The same by size alone, without a look at what is resident. Nothing under a sanitizer, whose
/// shadow memory looks like that.
/// Cost  50 us
[[nodiscard]] std::vector<address_range>
large_memory_to_leave_out(std::span<address_range const> kept);

/// Leaves ranges out of every fork while it lives.
class fork_exclusions {
public:
    /// @pre  `ranges` outlive this object
    explicit fork_exclusions(std::span<address_range const> ranges) noexcept;
    ~fork_exclusions();
    fork_exclusions(fork_exclusions const&) = delete;
    fork_exclusions& operator=(fork_exclusions const&) = delete;

    /// In the child: forbids the addresses, so that nothing else is mapped there.
    void forbid() const noexcept;

private:
    std::span<address_range const> ranges_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/fork_exclusions.ipp>
#endif
