// attune/tune/together/shared_budget.hpp - a budget that several tunings spend, one evaluation at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/dispatch/choice/variant_choice.hpp>
#include <attune/tune/dispatch/dispatch_parts.hpp>
#include <attune/tune/dispatch/tuning_slice.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/report.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A tuning that takes part in a shared budget. One thread makes all calls.
class budget_task {
public:
    budget_task() = default;
    virtual ~budget_task() = default;
    budget_task(budget_task const&) = delete;
    budget_task& operator=(budget_task const&) = delete;

    [[nodiscard]] virtual turn_task so_far() const = 0;   ///< valid until the next call
    [[nodiscard]] virtual std::uint64_t made() const = 0; ///< evaluations, without known ones
    [[nodiscard]] virtual double longest_s() const = 0;   ///< wall seconds of a step so far
    [[nodiscard]] virtual double final_s() const = 0;     ///< seconds that finish() may take
    /// Begins or continues, with at least one evaluation, within `left`. Sets turn_task::is_over if
    /// it has no more.
    virtual void step(search_limits const& left) = 0;
    virtual void rest() = 0; ///< called after a step, before other work
    /// Makes the final. Called once, if the task has begun.
    /// @param left_s  wall seconds
    virtual void finish(double left_s) = 0;
};

struct spent_budget {
    std::uint64_t evaluations = 0;
    double seconds = 0;
    bool interrupted = false; ///< stop_is_requested()
};

/// A budget and its tasks, one step at a time. The policy chooses the task of each evaluation,
/// until the budget is spent or no task can gain. Afterwards the tasks that have begun make their
/// finals. A step begins if the seconds left are enough for all finals and for the task's longest
/// step.
class shared_budget {
public:
    /// @param whole  evaluations and seconds of all tasks; each task has its own other rules
    /// @param tasks  outlive this object
    /// @param clock  wall seconds; time between two steps does not count
    shared_budget(search_limits const& whole, std::vector<budget_task*> tasks,
                  turn_policy whose_turn, std::function<double()> clock);

    /// Makes an evaluation, or the final of a task.
    /// @return  true if there is more to do
    /// Errors   exceptions of a task: the caller must then drop the tasks
    bool step();
    /// Lets the current task rest until the next step(). The time of budget_task::rest() counts,
    /// and a Ctrl-C during that call ends the evaluations.
    void rest();
    /// Ends the evaluations: only finals are left.
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
    budget_task* at_work_ = nullptr; ///< the current task; null: all rest
    std::size_t finished_ = 0;       ///< number of finished tasks, the first ones
    bool has_evaluations_ = true;
};

/// Runs dispatch_table::tune() for a call, one evaluation at a time. If the tuning fails, the
/// report has the reason, and other tunings continue.
class stepped_tuning final : public budget_task {
public:
    /// @param whole    the budget of all tunings
    /// @param sharers  number of tunings that share the budget
    /// @param weight   see turn_task::weight, by the seconds of a call of the default
    /// @pre   the parts outlive this object, and this thread holds their turn as long as this
    ///        object lives
    stepped_tuning(dispatch_parts& parts, keyed_call call, search_limits const& whole,
                   std::size_t sharers, std::function<double(double default_s)> weight);
    ~stepped_tuning() override;

    [[nodiscard]] turn_task so_far() const override;
    [[nodiscard]] std::uint64_t made() const override;
    [[nodiscard]] double longest_s() const override { return now_.longest_s; }
    [[nodiscard]] double final_s() const override { return choice_ ? now_.final_s : 0; }
    void step(search_limits const& left) override;
    void rest() override;
    void finish(double left_s) override;
    /// Serves the stored result of another process or object that tuned the problem, if there is
    /// one. Call it when all tunings of the budget are finished.
    void take_of_other();
    /// Ends the tuning, if it is not over. Its measurements are kept like those of an interrupted
    /// tuning. Afterwards this object does not use the parts.
    /// @param why  for the report
    void leave(std::string const& why);

    [[nodiscard]] dispatch_parts const& parts() const noexcept { return parts_; }
    [[nodiscard]] keyed_call const& call() const noexcept { return call_; }
    [[nodiscard]] served_inputs const& inputs() const noexcept { return *of_; }
    /// The result of the tuning; empty: nothing was tuned, and dispatch_table::tune() serves.
    [[nodiscard]] std::optional<tuning_report> const& report() const noexcept { return report_; }
    [[nodiscard]] bool has_left() const noexcept { return has_left_; }

private:
    void begin(search_limits const& left);
    void serve_plain();
    void look();
    void wait_for_caller() const;
    void install(known_variant found);
    template <class Work>
    void guarded(Work const& work);

    dispatch_parts& parts_;
    keyed_call call_;
    std::function<double(double)> weight_;
    tuning_slice slice_;
    std::shared_ptr<served_inputs> of_;
    std::optional<variant_choice::stepped> choice_{};
    session_state now_{};
    std::optional<tuning_report> report_{};
    std::size_t known_ = 0; ///< evaluations of earlier tunings
    bool has_begun_ = false;
    bool is_over_ = false;
    bool is_elsewhere_ = false; ///< another object or process tunes the problem
    bool has_left_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/together/shared_budget.ipp>
#endif
