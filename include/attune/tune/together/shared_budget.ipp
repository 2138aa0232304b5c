// attune/tune/together/shared_budget.ipp - which of several tunings goes on, and for how long.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/together/shared_budget.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE shared_budget::shared_budget(search_limits const& whole,
                                           std::vector<budget_task*> tasks, turn_policy whose_turn,
                                           std::function<double()> clock)
    : whole_(whole)
    , tasks_(std::move(tasks))
    , whose_turn_(std::move(whose_turn))
    , clock_(std::move(clock))
{
}

ATTUNE_INLINE void shared_budget::rest_now()
{
    if (at_work_ != nullptr) at_work_->rest();
    at_work_ = nullptr;
}

ATTUNE_INLINE void shared_budget::rest()
{
    if (at_work_ == nullptr) return;
    double const begun_s = clock_();
    rest_now();
    spent_.interrupted = spent_.interrupted || stop_is_requested();
    spent_.seconds += clock_() - begun_s;
}

/// @return  false: there is none, and will be none
ATTUNE_INLINE bool shared_budget::evaluate(double begun_s)
{
    double const spent_s = spent_.seconds + (clock_() - begun_s);
    search_limits const left = what_is_left(whole_, spent_.evaluations, spent_s);
    if (spent_.interrupted || stop_is_requested() || !wants_tuning(left)) return false;
    double finals_s = 0;
    std::vector<turn_task> turns;
    for (budget_task const* const task : tasks_) {
        finals_s += task->final_s();
        turns.push_back(task->so_far());
    }
    for (std::size_t i = 0; i < tasks_.size(); ++i)
        if (finals_s + tasks_[i]->longest_s() >= left.seconds) turns[i].is_over = true;
    std::optional<std::size_t> const next = whose_turn_(turns);
    if (!next) return false;
    budget_task& task = *tasks_[*next];
    if (at_work_ != &task) rest_now();
    at_work_ = &task;
    std::uint64_t const before = task.made();
    double const others_s = finals_s - task.final_s();
    task.step({.evaluations = left.evaluations, .seconds = left.seconds - others_s});
    spent_.evaluations += task.made() - before;
    return true;
}

/// The index of the task that has the next final; that of none: all are finished.
ATTUNE_INLINE std::size_t shared_budget::next_final() const
{
    std::size_t at = finished_;
    while (at < tasks_.size() && tasks_[at]->so_far().best.empty())
        ++at;
    return at;
}

ATTUNE_INLINE bool shared_budget::step()
{
    double const begun_s = clock_();
    bool const is_evaluation = has_evaluations_ && evaluate(begun_s);
    has_evaluations_ = is_evaluation;
    if (!is_evaluation) {
        rest_now();
        if (std::size_t const at = next_final(); at < tasks_.size()) {
            finished_ = at + 1;
            double later_s = 0;
            for (std::size_t i = finished_; i < tasks_.size(); ++i)
                later_s += tasks_[i]->final_s();
            double const spent_s = spent_.seconds + (clock_() - begun_s);
            tasks_[at]->finish(std::max(0.0, whole_.seconds - spent_s - later_s));
        }
    }
    spent_.interrupted = spent_.interrupted || stop_is_requested();
    spent_.seconds += clock_() - begun_s;
    return is_evaluation || next_final() < tasks_.size();
}

ATTUNE_INLINE spent_budget spend_together(search_limits const& whole,
                                          std::vector<budget_task*> tasks,
                                          turn_policy const& whose_turn,
                                          std::function<double()> const& clock)
{
    shared_budget all(whole, std::move(tasks), whose_turn, clock);
    while (all.step()) {
    }
    return all.spent();
}

} // namespace attune::inline ATTUNE_ABI::detail
