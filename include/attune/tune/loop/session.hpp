// attune/tune/loop/session.hpp - the loop: ask, try, tell, until the budget is spent; then the final.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
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
    /// A call takes less than a microsecond, or none at all: nothing was tuned, and what was
    /// measured is worth no record.
    bool is_too_short = false;
    std::string ended{};       ///< see record::ended
    std::vector<point> ties{}; ///< that the final could not tell from `at`
    /// What each of the search's gained; of a search that is one technique by its own name, unless
    /// that is unknown.
    std::vector<search::technique_use> techniques{};
    std::string strategy{};  ///< any_searcher::strategy()
    std::string logged_as{}; ///< event_log::id()
    tuning_report report;
};

/// How a session stands, for those who decide whether it goes on.
struct session_state {
    std::vector<double> best{}; ///< seconds of the best after each evaluation, the default's first
    double least_s = 0;         ///< that the best can take by the roofline; 0: unknown
    /// Share of the best that the search's model expects to gain; nothing: it has none yet.
    std::optional<double> expected_gain{};
    double elapsed_s = 0; ///< wall seconds, without rests
    double longest_s = 0; ///< wall seconds of the longest step so far
    double final_s = 0;   ///< that the final may take
};

/// A tuning that goes on when it is asked to. Between two steps other sessions of the same thread,
/// and the program, may have theirs: rest() first.
class stepped_session {
public:
    /// Evaluates the default configuration, and what the memory demands.
    /// @param options  limits.seconds decides how long the final may take
    /// @pre     problem and options outlive this object; wants_tuning(options.limits); all calls
    ///          are made by one thread
    /// Errors   as run_session()
    stepped_session(tuning_problem const& problem, tuning_options const& options,
                    session_memory memory);
    ~stepped_session();
    stepped_session(stepped_session const&) = delete;
    stepped_session& operator=(stepped_session const&) = delete;

    /// As many evaluations as are made at once, unless the limits or a rule say that it is over.
    /// @return  whether another step may bring something
    bool step();
    /// Moves the limits: so many evaluations and seconds are left, the final's among them.
    void allow(std::uint64_t evaluations, double seconds);
    /// Until the next step() or finish(), its clock stands still, nothing is compiled, the thread
    /// is not pinned, Ctrl-C is the program's, and exit() on another thread does not wait for it.
    void rest();
    /// Cost  every other evaluation the search's model is asked
    [[nodiscard]] session_state state();
    /// The final, and what there is to say. Once.
    [[nodiscard]] session_result finish();

private:
    struct parts;
    std::unique_ptr<parts> parts_;
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
                                         tuning_options const& options, session_memory memory = {});

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/session.ipp>
#endif
