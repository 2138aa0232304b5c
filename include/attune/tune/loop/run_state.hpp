// attune/tune/loop/run_state.hpp - counts, best configuration and clock of a running loop.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/search/stop.hpp>
#include <attune/tune/progress.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Counts and best of a run, sent to the progress sink; shared by `minimize` and `tuned`.
class run_state {
public:
    /// @param possible  number of configurations, if less than the limit
    run_state(std::string name, search_limits const& limits, std::uint32_t possible,
              progress_sink sink);

    /// Counts one outcome and tells the sink.
    /// @param text           the configuration, for people
    /// @param is_comparable  false: it is counted, but cannot be the best, because its value is of
    ///                       another kind than the best's
    void add(point const& at, outcome const& result, std::string const& text,
             bool is_comparable = true);
    /// From now on, values are of another kind: none of the earlier ones is the best.
    void forget_best() noexcept { best_.reset(); }
    /// Sends an event that is no evaluation.
    void announce(progress_event event, std::string const& text) const;

    /// Decides whether the loop is over, from all outcomes that were added.
    [[nodiscard]] stop_judge& judge() noexcept { return judge_; }
    /// @param reserve_s  seconds to keep for the work after the loop
    [[nodiscard]] bool budget_left(double reserve_s = 0) const;
    [[nodiscard]] double elapsed_s() const;
    /// Of the limit's seconds; infinity without one.
    [[nodiscard]] double left_s() const { return judge_.limits().seconds - elapsed_s(); }
    /// The clock stands still, or goes on where it did.
    void pause();
    void resume();
    /// Seconds that passed before this object was made, and count.
    void count_earlier(double seconds) noexcept { start_s_ -= seconds; }
    /// Seconds that passed and do not count.
    void forgive(double seconds) noexcept { start_s_ += seconds; }
    [[nodiscard]] std::uint32_t evaluations() const noexcept
    {
        return static_cast<std::uint32_t>(judge_.evaluations());
    }
    [[nodiscard]] failure_counts const& failures() const noexcept { return failures_; }
    /// The first failure of each stage, in order of occurrence.
    [[nodiscard]] std::vector<failure> const& first_failures() const noexcept { return firsts_; }
    /// If at least two evaluations failed, all at one stage, and only the first evaluation
    /// succeeded: a sentence with the reason of the first failure. Else empty.
    [[nodiscard]] std::string common_failure() const;
    /// The best measurement so far and its configuration; nothing before the first success.
    [[nodiscard]] std::optional<std::pair<point, measurement>> const& best() const noexcept
    {
        return best_;
    }
    /// Sets the number of configurations that were not evaluated, because they could not win.
    void set_pruned(std::size_t count) { pruned_ = static_cast<std::uint32_t>(count); }
    /// Sets the value that messages compare with: the time of the default configuration.
    void set_default(double value) { default_value_ = value; }
    /// Sets the time of the user's own code, if the kernel has a baseline.
    void set_baseline(double value) { baseline_value_ = value; }
    void set_unit_is_seconds(bool v) { is_seconds_ = v; }

private:
    [[nodiscard]] struct progress state(progress_event event, std::string const& text) const;

    std::string name_;
    stop_judge judge_;
    std::uint32_t possible_;
    progress_sink sink_;
    double start_s_;
    std::optional<double> paused_s_{}; ///< what the clock shows; nothing: it runs
    failure_counts failures_{};
    std::vector<failure> firsts_;
    std::optional<std::pair<point, measurement>> best_;
    std::uint32_t pruned_ = 0;
    double default_value_ = 0;
    double baseline_value_ = 0;
    bool is_seconds_ = true;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/run_state.ipp>
#endif
