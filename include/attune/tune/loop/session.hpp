// attune/tune/loop/session.hpp - one tuning until its budget is spent, and how many are at work.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
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

/// An object exists while a session tunes. Other work of attune in this process waits meanwhile,
/// because it would disturb the session's times.
class session_at_work {
public:
    session_at_work() noexcept;
    ~session_at_work();
    session_at_work(session_at_work const&) = delete;
    session_at_work& operator=(session_at_work const&) = delete;

    /// Number of these objects in this process. Objects of a parent process do not count.
    [[nodiscard]] static std::uint32_t count() noexcept;

private:
    std::uint32_t process_;
};

struct session_result {
    point at;      ///< the configuration to install
    callable code; ///< its code, loaded
    callable default_code{};
    /// True if a call takes less than a microsecond, or no time at all. The session then tunes
    /// nothing, and its measurements make no record.
    bool is_too_short = false;
    std::string ended{};       ///< see record::ended
    std::vector<point> ties{}; ///< configurations that the final could not distinguish from `at`
    /// Gain of each technique of the search. A search of one technique is listed by the name of its
    /// strategy, if that is known.
    std::vector<search::technique_use> techniques{};
    std::string strategy{};  ///< any_searcher::strategy()
    std::string logged_as{}; ///< event_log::id()
    tuning_report report;
};

/// Facts by which a caller decides if a session continues.
struct session_state {
    std::vector<double> best{}; ///< seconds of the best configuration after each evaluation
    double least_s = 0; ///< least seconds that the best can take, by the roofline; 0: unknown
    /// Share of the best that the search's model expects to gain; empty: no model yet.
    std::optional<double> expected_gain{};
    double elapsed_s = 0; ///< wall seconds, without rests
    double longest_s = 0; ///< wall seconds of the longest step so far
    double final_s = 0;   ///< seconds that the final may take
};

/// A tuning in steps. Call rest() before the thread or the program does other work.
class stepped_session {
public:
    /// Evaluates the default configuration, the baseline, and `rival` and `guard` of the problem.
    /// @param options  limits.seconds bounds the time of the final
    /// @pre     problem and options outlive this object; wants_tuning(options.limits); one thread
    ///          calls
    /// Errors   errors of run_session()
    stepped_session(tuning_problem const& problem, tuning_options const& options,
                    session_memory memory);
    ~stepped_session();
    stepped_session(stepped_session const&) = delete;
    stepped_session& operator=(stepped_session const&) = delete;

    /// Evaluates as many configurations as the benches measure at once, unless a limit or rule ends
    /// the tuning.
    /// @return  true if another step is possible
    bool step();
    /// Sets the evaluations and seconds that are left, including the seconds of the final.
    void allow(std::uint64_t evaluations, double seconds);
    /// Stops the clock until the next step() or finish(). Until then the session compiles nothing
    /// and pins no thread. The program handles Ctrl-C, and exit() on another thread does not wait
    /// for the session.
    void rest();
    /// Cost  one prediction by the search's model for every second evaluation
    [[nodiscard]] session_state state();
    /// Runs the final, and returns the result. Call it once.
    [[nodiscard]] session_result finish();

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

/// Tunes the problem. The session evaluates the default configuration first. Another configuration
/// replaces the default only if it is faster in the final beyond the 95 % interval; see finals.hpp.
/// The time budget covers all work, also compilers and the final. An evaluation begins only if the
/// time left is enough for the final and for an evaluation as long as the longest so far. The
/// session restores the caller's data.
/// @param memory  results of earlier sessions; an event log that can be continued has priority
/// @pre     wants_tuning(options.limits)
/// Errors   attune::error: a default configuration that does not work
[[nodiscard]] session_result run_session(tuning_problem const& problem,
                                         tuning_options const& options, session_memory memory = {});

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/session.ipp>
#endif
