// attune/tune/together/shared_budget.hpp - spends one budget on several tunings, an evaluation at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/together/turn_policy.hpp>

#include <cstdint>
#include <functional>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

/// A tuning with a part in the budget. All calls are made by one thread.
class budget_task {
public:
    budget_task() = default;
    virtual ~budget_task() = default;
    budget_task(budget_task const&) = delete;
    budget_task& operator=(budget_task const&) = delete;

    [[nodiscard]] virtual turn_task so_far() const = 0;   ///< valid until the next call
    [[nodiscard]] virtual std::uint64_t made() const = 0; ///< evaluations, without known ones
    [[nodiscard]] virtual double longest_s() const = 0;   ///< wall seconds of a step so far
    [[nodiscard]] virtual double final_s() const = 0;     ///< that finish() may take
    /// Begins, or goes on, with at least one evaluation, and at most what is left; or is over.
    virtual void step(search_limits const& left) = 0;
    virtual void rest() = 0; ///< after a step, until the next one or finish()
    /// Once, if it has begun. @param left_s  wall seconds
    virtual void finish(double left_s) = 0;
};

/// What all together took.
struct spent_budget {
    std::uint64_t evaluations = 0;
    double seconds = 0;
    bool interrupted = false; ///< stop_is_requested()
};

/// Lets the tasks go on one step at a time, as the policy says, until the budget is spent or no
/// task has anything to gain; then finishes those that have begun. A step is begun if it and all
/// finals would still fit, were it as long as the task's longest so far.
/// @param whole  its evaluations and seconds; the other rules are those of each task
/// @param clock  wall seconds
/// Errors        what a task throws: it is for the caller to drop the tasks
spent_budget spend_together(search_limits const& whole,
                            std::span<budget_task* const> tasks,
                            turn_policy const& whose_turn,
                            std::function<double()> const& clock);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/together/shared_budget.ipp>
#endif
