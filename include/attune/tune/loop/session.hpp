// attune/tune/loop/session.hpp - the loop: ask, try, tell, until the budget is spent; then the final.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/session_memory.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/report.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct session_result {
    point at;      ///< the configuration to install
    callable code; ///< its code, loaded
    callable default_code{};
    /// A call takes less than a microsecond, or none at all: nothing was tuned, and what was
    /// measured is worth no record.
    bool is_too_short = false;
    std::string ended{};       ///< see record::ended
    std::vector<point> ties{}; ///< that the final could not tell from `at`
    tuning_report report;
};

/// Tunes. The default configuration is the first evaluation and stays unless another one is faster
/// in the final (see finals.hpp), a comparison in turns, beyond its 95 % interval. The time budget
/// holds for everything, compilers and the final too: another evaluation is begun only if it and
/// the final would still fit, were it as long as the longest so far. The caller's data is restored.
/// With nothing to spend, see wants_tuning(), that is the default configuration, which was not run:
/// decision::served_default, nothing to remember.
/// @param memory  of earlier sessions; the event log comes first where it can be continued
/// Errors   attune::error: a default configuration that does not work
[[nodiscard]] session_result run_session(tuning_problem const& problem,
                                         tuning_options const& options,
                                         session_memory memory = {});

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/session.ipp>
#endif
