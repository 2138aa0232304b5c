// attune/ship/report/watch.hpp - a running tuning, read from the store that it writes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/problem/problem.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Lines of a terminal about the running tuning, or the last one: number of outcomes, best result,
/// and its history.
/// @param problems  the latest last
/// @param columns   width of the terminal
[[nodiscard]] std::vector<std::string> watch_lines(std::vector<problem_history> const& problems,
                                                   std::size_t columns);

struct watch_settings {
    std::function<void(std::string const&)> write{}; ///< text for the terminal, with its line ends
    std::function<bool()> goes_on{};                 ///< called after each reading of the store
    std::function<void(double)> wait{}; ///< waits this many seconds before the next reading
    bool is_terminal = false;           ///< new lines replace the last ones; otherwise they follow
    /// Width of the terminal, read before lines are written, because it may change.
    std::function<std::size_t()> columns = [] { return std::size_t{80}; };
    std::string kernel{};  ///< filter by kernel; empty: all
    bool waits_for = true; ///< waits for a missing file; otherwise that is an error
};

/// Reads the store's file twice a second, or less often if a reading takes long, and writes
/// changes.
/// Errors  attune::error: the file is no store, or of a newer release
void watch_store(std::string const& path, watch_settings const& with);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/report/watch.ipp>
#endif
