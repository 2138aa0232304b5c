// attune/tune/loop/run_state.hpp - counts, best and clock of a running loop, and Ctrl-C, which ends it and then reaches the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/progress.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Handles SIGINT while at least one guard exists, on any thread. Ctrl-C requests a stop from all
/// guards, also from later ones while one exists. After the last guard is destroyed, the program's
/// own handler for SIGINT runs, as if Ctrl-C were pressed at that moment. For example, Python
/// raises KeyboardInterrupt, and a server shuts down. A program that has no handler or ignores
/// SIGINT continues. A second Ctrl-C goes to the program at once.
///
/// A guard does nothing on a thread with a stopped_by, whose work does not belong to the program.
///
/// The last guard restores the program's handler, unless the program has installed another one.
class interrupt_guard {
public:
    /// The effect of Ctrl-C on the program when the last guard is destroyed.
    enum class afterwards : unsigned char {
        handler_runs,
        no_handler, ///< unless another guard has handler_runs
    };
    explicit interrupt_guard(afterwards what = afterwards::handler_runs);
    ~interrupt_guard();
    interrupt_guard(interrupt_guard const&) = delete;
    interrupt_guard& operator=(interrupt_guard const&) = delete;

    /// Acts like the destructor until resume(): the program handles Ctrl-C.
    void pause();
    void resume();
    /// True after Ctrl-C; on a thread with a stopped_by, after that object requests a stop.
    [[nodiscard]] bool requested() const noexcept;

private:
    bool is_idle_; ///< the guard does nothing
    bool is_on_ = false;
    afterwards what_;
};

/// Runs `work`, which Ctrl-C may cut short.
template <class Work>
void until_cut(Work const& work)
{
    try {
        cuttable const here;
        work();
    } catch (cut_short const&) { // the interrupted part of the work is left out
    }
}

/// Number of configurations of the space, if it is finite and below 2^32 - 1; otherwise 2^32 - 1.
[[nodiscard]] std::uint32_t possible_evaluations(chain_of_trees const& space);

/// Counts, best and clock of a loop of `minimize` or `tuned`. Sends them to the progress sink.
class run_state {
public:
    /// @param possible  number of configurations, if less than the limit
    run_state(std::string name, search_limits const& limits, std::uint32_t possible,
              progress_sink sink);

    /// Counts one outcome and reports it to the sink.
    /// @param text           the configuration, as text for the user
    /// @param is_comparable  false: the value is of another kind than the best's; it is counted,
    ///                       but cannot be the best
    void add(point const& at, outcome const& result, std::string const& text,
             bool is_comparable = true);
    /// Drops the best, because later values are of another kind.
    void forget_best() noexcept { best_.reset(); }
    void announce(progress_event event, std::string const& text) const;

    /// Decides if the loop is over, from all added outcomes.
    [[nodiscard]] stop_judge& judge() noexcept { return judge_; }
    /// @param reserve_s  seconds to keep for the work after the loop
    [[nodiscard]] bool budget_left(double reserve_s = 0) const;
    [[nodiscard]] double elapsed_s() const;
    /// Seconds left of the limit; infinity without a limit.
    [[nodiscard]] double left_s() const { return judge_.limits().seconds - elapsed_s(); }
    /// Stops the clock; resume() continues it.
    void pause();
    void resume();
    /// Counts seconds that passed before this object was made.
    void count_earlier(double seconds) noexcept { start_s_ -= seconds; }
    /// Excludes past seconds from the elapsed time.
    void forgive(double seconds) noexcept { start_s_ += seconds; }
    [[nodiscard]] std::uint32_t evaluations() const noexcept
    {
        return static_cast<std::uint32_t>(judge_.evaluations());
    }
    [[nodiscard]] failure_counts const& failures() const noexcept { return failures_; }
    /// The first failure of each stage, in order of occurrence.
    [[nodiscard]] std::vector<failure> const& first_failures() const noexcept { return firsts_; }
    /// Returns a sentence with the reason of the first failure, if at least two evaluations failed,
    /// all at one stage. At most one evaluation may have succeeded. Otherwise empty.
    [[nodiscard]] std::string common_failure() const;
    /// The best measurement so far and its configuration; empty before the first success.
    [[nodiscard]] std::optional<std::pair<point, measurement>> const& best() const noexcept
    {
        return best_;
    }
    void set_pruned(std::size_t count) { pruned_ = static_cast<std::uint32_t>(count); }
    /// Sets the value that messages compare with: the time of the default configuration.
    void set_default(double value) { default_value_ = value; }
    void set_baseline(double value) { baseline_value_ = value; }
    /// Sets the meaning of all values, which are those that a search minimises.
    void set_objective(problem_objective of) { objective_ = std::move(of); }
    [[nodiscard]] problem_objective const& objective() const noexcept { return objective_; }

private:
    [[nodiscard]] struct progress state(progress_event event, std::string const& text) const;

    std::string name_;
    stop_judge judge_;
    std::uint32_t possible_;
    progress_sink sink_;
    double start_s_;
    std::optional<double> paused_s_{}; ///< time on the stopped clock; empty: it runs
    failure_counts failures_{};
    std::vector<failure> firsts_;
    std::optional<std::pair<point, measurement>> best_;
    std::uint32_t pruned_ = 0;
    double default_value_ = 0;
    double baseline_value_ = 0;
    problem_objective objective_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/run_state.ipp>
#endif
