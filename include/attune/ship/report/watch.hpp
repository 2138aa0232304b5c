// attune/ship/report/watch.hpp - a running tuning, seen through the store that it writes to.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/problem/problem.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// What is at work, or was at last, in lines of a terminal: how many outcomes, the best so far, how
/// it came there.
/// @param problems  the latest last
/// @param columns   of the terminal
[[nodiscard]] std::vector<std::string> watch_lines(std::vector<problem_history> const& problems,
                                                   std::size_t columns);

struct watch_settings {
    std::function<void(std::string const&)> write{}; ///< text for the terminal, with its line ends
    std::function<bool()> goes_on{};                 ///< asked after each look at the store
    std::function<void(double)> wait{};              ///< seconds until the next one
    bool is_terminal = false; ///< lines are drawn over the last ones; else new ones follow
    /// Of the terminal, which may change; asked before lines are written.
    std::function<std::size_t()> columns = [] { return std::size_t{80}; };
    std::string kernel{};  ///< only this one; empty: all
    bool waits_for = true; ///< a file that is not there yet; else that is an error
};

/// Looks at the store's file twice a second, or less often where a look takes long, and writes what
/// has changed.
/// Errors  attune::error: the file is no store, or of a newer release
void watch_store(std::string const& path, watch_settings const& with);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/report/watch.ipp>
#endif
