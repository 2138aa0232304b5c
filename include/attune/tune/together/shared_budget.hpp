// attune/tune/together/shared_budget.hpp - spends one budget on several tunings, an evaluation at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/dispatch/background/turn_policy.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

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

/// A budget and its tasks, a step at a time: evaluations, as the policy says, until the budget is
/// spent or no task has anything to gain; then the finals of those that have begun. A step is begun
/// if it and all finals would still fit, were it as long as the task's longest so far.
class shared_budget {
public:
    /// @param whole  its evaluations and seconds; the other rules are those of each task
    /// @param tasks  outlive this object
    /// @param clock  wall seconds; what passes between two steps does not count
    shared_budget(search_limits const& whole, std::vector<budget_task*> tasks,
                  turn_policy whose_turn, std::function<double()> clock);

    /// An evaluation, or the final of a task.
    /// @return  whether there is more to do
    /// Errors   what a task throws: it is for the caller to drop the tasks
    bool step();
    /// The task at work rests until the next step(). What that takes counts; a Ctrl-C meanwhile
    /// ends the evaluations.
    void rest();
    /// There are no further evaluations: what is left are finals.
    void end_evaluations() noexcept { has_evaluations_ = false; }
    [[nodiscard]] spent_budget const& spent() const noexcept { return spent_; }

private:
    void rest_now();
    [[nodiscard]] bool evaluate(double begun_s);
    [[nodiscard]] std::size_t next_final() const;

    search_limits const whole_;
    std::vector<budget_task*> const tasks_;
    turn_policy const whose_turn_;
    std::function<double()> const clock_;
    spent_budget spent_{};
    budget_task* at_work_ = nullptr; ///< null: all rest
    std::size_t finished_ = 0;       ///< so many of the tasks, the first ones
    bool has_evaluations_ = true;
};

/// All steps.
spent_budget spend_together(search_limits const& whole, std::vector<budget_task*> tasks,
                            turn_policy const& whose_turn, std::function<double()> const& clock);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/together/shared_budget.ipp>
#endif
