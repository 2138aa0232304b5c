// attune/tune/loop/session.hpp - the loop: ask, try, tell, until the budget is spent; then the final.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/session_memory.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/report.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct session_result {
    point at;      ///< the configuration to install
    callable code; ///< its code, loaded
    callable default_code{};
    /// True if a call takes less than a microsecond, or none at all: nothing was tuned, and the
    /// measurements are not worth a record.
    bool is_too_short = false;
    std::string ended{};       ///< see record::ended
    std::vector<point> ties{}; ///< configurations that the final could not distinguish from `at`
    /// Gain of each technique of the search; a search of one technique is listed by its own name,
    /// unless that is unknown.
    std::vector<search::technique_use> techniques{};
    std::string strategy{};  ///< any_searcher::strategy()
    std::string logged_as{}; ///< event_log::id()
    tuning_report report;
};

/// The state of a session, for the decision if it continues.
struct session_state {
    std::vector<double> best{}; ///< seconds of the best after each evaluation, the default's first
    double least_s = 0; ///< least seconds that the best can take, by the roofline; 0: unknown
    /// Share of the best that the search's model expects to gain; empty: no model yet.
    std::optional<double> expected_gain{};
    double elapsed_s = 0; ///< wall seconds, without rests
    double longest_s = 0; ///< wall seconds of the longest step so far
    double final_s = 0;   ///< seconds that the final may take
};

/// A tuning in steps. Call rest() before other work of the thread or the program.
class stepped_session {
public:
    /// Evaluates the default configuration, and the configurations that the memory demands.
    /// @param options  limits.seconds bounds the time of the final
    /// @pre     problem and options outlive this object; wants_tuning(options.limits); one thread
    ///          calls
    /// Errors   errors of run_session()
    stepped_session(tuning_problem const& problem, tuning_options const& options,
                    session_memory memory);
    ~stepped_session();
    stepped_session(stepped_session const&) = delete;
    stepped_session& operator=(stepped_session const&) = delete;

    /// Makes as many evaluations as are measured at once, unless a limit or rule ends the tuning.
    /// @return  true if another step is possible
    bool step();
    /// Moves the limits: so many evaluations and seconds are left, including the final's.
    void allow(std::uint64_t evaluations, double seconds);
    /// Stops the clock until the next step() or finish(). Until then nothing is compiled, the
    /// thread is not pinned, Ctrl-C is the program's, and exit() on another thread does not wait.
    void rest();
    /// Cost  every other evaluation a question to the search's model
    [[nodiscard]] session_state state();
    /// Runs the final, and returns the result. Call it once.
    [[nodiscard]] session_result finish();

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

/// Tunes. The default configuration is the first evaluation. Another one replaces it only if it is
/// faster in the final (see finals.hpp), a comparison in turns, beyond its 95 % interval. The time
/// budget holds for everything, also for compilers and the final. An evaluation is begun only if it
/// and the final still fit when it takes as long as the longest so far. The caller's data is
/// restored. Without a budget, see wants_tuning(), the result is the default, compiled but not run:
/// decision::served_default, with nothing to remember.
/// @param memory  of earlier sessions; the event log has priority if it can be continued
/// Errors   attune::error: a default configuration that does not work
[[nodiscard]] session_result run_session(tuning_problem const& problem,
                                         tuning_options const& options, session_memory memory = {});

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/session.ipp>
#endif
