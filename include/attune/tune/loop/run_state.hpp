// attune/tune/loop/run_state.hpp - what a loop has seen so far: counts, the best, the clock.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/budget.hpp>
#include <attune/tune/progress.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Counts and best of a run, told to the progress sink; the loops of `minimize` and `tuned` share
/// it.
class run_state {
public:
    /// @param possible  how many configurations there are, if that is less than the budget
    run_state(std::string name, budget limits, std::uint32_t possible, progress_sink sink);

    /// Counts one outcome and tells the sink. @param text  the configuration, for people
    void add(point const& at, outcome const& result, std::string const& text);
    /// Sends an event that is no evaluation.
    void announce(progress_event event, std::string const& text) const;

    /// @param reserve_s  seconds to keep for what comes after the loop
    [[nodiscard]] bool budget_left(double reserve_s = 0) const;
    [[nodiscard]] double elapsed_s() const;
    [[nodiscard]] std::uint32_t evaluations() const noexcept { return evaluations_; }
    [[nodiscard]] failure_counts const& failures() const noexcept { return failures_; }
    /// The first failure of each stage, in the order they came.
    [[nodiscard]] std::vector<failure> const& first_failures() const noexcept { return firsts_; }
    /// Where at least two failed, at one stage, and nothing but the first evaluation worked: that,
    /// with what the first of them said. Else empty.
    [[nodiscard]] std::string common_failure() const;
    /// The best measurement so far and where it stands; nothing before the first success.
    [[nodiscard]] std::optional<std::pair<point, measurement>> const& best() const noexcept
    {
        return best_;
    }
    /// What the values are compared with in messages: the time of the default configuration.
    void set_default(double value) { default_value_ = value; }
    /// The time of the user's own code, where the kernel has a baseline.
    void set_baseline(double value) { baseline_value_ = value; }
    void set_unit_is_seconds(bool v) { is_seconds_ = v; }

private:
    [[nodiscard]] struct progress state(progress_event event, std::string const& text) const;

    std::string name_;
    budget limits_;
    std::uint32_t possible_;
    progress_sink sink_;
    double start_s_;
    std::uint32_t evaluations_ = 0;
    failure_counts failures_{};
    std::vector<failure> firsts_;
    std::optional<std::pair<point, measurement>> best_;
    double default_value_ = 0;
    double baseline_value_ = 0;
    bool is_seconds_ = true;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/run_state.ipp>
#endif
