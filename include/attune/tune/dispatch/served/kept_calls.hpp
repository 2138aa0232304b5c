// attune/tune/dispatch/served/kept_calls.hpp - the calls of a kernel's problems, for the store, when the program ends.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/any_store.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/tune/dispatch/dispatched_kernel.hpp>
#include <attune/tune/dispatch/served/shape_register.hpp>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Numbers the problems of a kernel's calls, and writes how many calls of each the winner ran. Any
/// thread.
///
/// Off with miss_policy::lookup_only, with ATTUNE_FORCE, and for a store that keeps no calls.
class kept_calls {
public:
    /// @pre  `subject` outlives this object
    kept_calls(dispatched_kernel const& subject, any_store const& store);

    [[nodiscard]] bool is_on() const noexcept { return is_on_; }

    /// Returns the number of a problem, from 1. 0: 1,024 others have one.
    [[nodiscard]] std::uint32_t number_of(stored_problem const& problem);

    /// Appends a line for each of the 16 problems with the most seconds of calls, by one write.
    /// If the kernel has no inputs, and one problem, all calls are of it. Otherwise calls without a
    /// known problem are left out.
    ///
    /// Writes nothing in a child of a fork, in a signal handler, or without calls. A failure is not
    /// reported.
    /// Cost     0.1 us for each shape, and an append: see store::count()
    void write(shape_register& shapes) noexcept;

private:
    dispatched_kernel const& subject_;
    any_store store_;
    bool const is_on_;
    int const process_; ///< that made this object
    double const from_s_;
    fork_safe_mutex lock_{lock_use::brief}; ///< guards the members below
    std::vector<stored_problem> problems_{};
    std::unordered_map<std::string, std::uint32_t> numbers_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/served/kept_calls.ipp>
#endif
