// attune/tune/together/shared_budget.ipp - chooses the next of several tunings and its time, and installs winners.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/together/shared_budget.hpp>

#include <algorithm>
#include <exception>
#include <utility>

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

/// @return  false if no evaluation was made, and none will be
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

/// Returns the index of the task with the next final; tasks_.size() if all are finished.
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

ATTUNE_INLINE stepped_tuning::stepped_tuning(dispatch_parts& parts, keyed_call call,
                                             search_limits const& whole, std::size_t sharers,
                                             std::function<double(double)> weight)
    : parts_(parts)
    , call_(std::move(call))
    , weight_(std::move(weight))
    , slice_{.evaluations = whole.evaluations, .seconds = whole.seconds, .sharers = sharers}
    , of_(parts.served_for(call_.inputs))
{
}

ATTUNE_INLINE stepped_tuning::~stepped_tuning() = default;

ATTUNE_INLINE turn_task stepped_tuning::so_far() const
{
    return {.weight = weight_(now_.best.empty() ? 0 : now_.best.front()),
            .best = now_.best,
            .least_s = now_.least_s,
            .expected_gain = now_.expected_gain,
            .spent_s = now_.elapsed_s,
            .is_over = is_over_};
}

ATTUNE_INLINE std::uint64_t stepped_tuning::made() const
{
    return now_.best.size() > known_ ? now_.best.size() - known_ : 0;
}

/// Turns exceptions of `work` into a report: a failed tuning does not end the caller's call.
template <class Work>
void stepped_tuning::guarded(Work const& work)
{
    std::string why;
    bool is_default = false;
    try {
        work_in_progress const at_work;
        return work();
    } catch (default_fails const& e) {
        is_default = fallback_of(parts_.subject.kernel) == nullptr || parts_.subject.find_device;
        why = e.what();
    } catch (std::exception const& e) {
        why = e.what();
    }
    is_over_ = true;
    choice_.reset();
    bool const serves = !is_default && parts_.degrade(*of_, nullptr, why) != nullptr;
    if (serves)
        report_ = of_->outcome;
    else
        parts_.report.set(report_.emplace(
            untuned_report(parts_.subject.kernel.name, decision::call_failed, why)));
}

/// Serves the call by the plain function, because no variant takes it. Other calls with these
/// inputs may be tuned.
ATTUNE_INLINE void stepped_tuning::serve_plain()
{
    is_over_ = true;
    tuning_report& said = report_.emplace();
    try {
        parts_.serve_plain(parts_.shapes.meet(call_.shape).shape, &said);
    } catch (error const& e) {
        said = untuned_report(parts_.subject.kernel.name, decision::call_failed, e.what());
    }
}

ATTUNE_INLINE void stepped_tuning::look()
{
    if (stepped_session* const session = choice_ ? choice_->session() : nullptr)
        now_ = session->state();
}

ATTUNE_INLINE void stepped_tuning::begin(search_limits const& left)
{
    has_begun_ = true;
    dispatched_kernel const& subject = parts_.subject;
    if (!subject.is_taken(call_.frame)) return serve_plain();
    parts_.complete(call_);
    bool const is_known = of_->winner != nullptr && !of_->is_partly_tuned;
    is_over_ = is_known || call_.frame.has_only_empty_arrays();
    if (is_over_) return;
    if (of_->winner == nullptr) {
        of_->is_given_up = false;
        parts_.look_again(*of_);
    }
    parts_.prepare(*of_);
    slice_.left = left;
    choice_.emplace(parts_.choice, of_->problem, call_.frame, call_.shape, false,
                    when_unknown::tune, &slice_);
    is_elsewhere_ = choice_->is_elsewhere();
    if (is_elsewhere_) {
        is_over_ = true;
        choice_.reset();
        return;
    }
    look();
    known_ = choice_->known_before();
    is_over_ = choice_->session() == nullptr;
    if (is_over_) finish(0);
}

/// Waits for the caller's launches since the last step, which use the arrays and the device.
ATTUNE_INLINE void stepped_tuning::wait_for_caller() const
{
    if (auto const device = parts_.subject.target()) device->wait_for_caller(nullptr);
}

ATTUNE_INLINE void stepped_tuning::step(search_limits const& left)
{
    guarded([&] {
        if (!has_begun_) return begin(left);
        wait_for_caller();
        stepped_session& session = *choice_->session();
        session.allow(left.evaluations, left.seconds);
        is_over_ = !session.step();
        look();
    });
}

ATTUNE_INLINE void stepped_tuning::rest()
{
    if (stepped_session* const session = choice_ ? choice_->session() : nullptr) session->rest();
}

ATTUNE_INLINE void stepped_tuning::finish(double left_s)
{
    if (!choice_) return;
    guarded([&] {
        wait_for_caller();
        if (stepped_session* const session = choice_->session()) session->allow(0, left_s);
        known_variant found = choice_->finish();
        choice_.reset();
        install(std::move(found));
    });
}

ATTUNE_INLINE void stepped_tuning::take_of_other()
{
    if (!is_elsewhere_) return;
    guarded([&] {
        choice_.emplace(parts_.choice, of_->problem, call_.frame, call_.shape, false,
                        when_unknown::take_what_is_there, nullptr);
        known_variant found = choice_->finish();
        choice_.reset();
        if (!found.is_missing) return install(std::move(found));
        report_ = untuned_report(parts_.subject.kernel.name, decision::served_default,
                                 "another process or object tunes the same, and has no result yet");
    });
}

ATTUNE_INLINE void stepped_tuning::leave(std::string const& why)
{
    has_left_ = true;
    if (report_ && is_over_ && !choice_ && !is_elsewhere_) return;
    choice_.reset();
    is_over_ = true;
    is_elsewhere_ = false;
    report_ = untuned_report(parts_.subject.kernel.name, decision::served_default, why);
}

ATTUNE_INLINE void stepped_tuning::install(known_variant found)
{
    is_over_ = true;
    if (parts_.install(*of_, call_, std::move(found))) report_ = of_->outcome;
}

} // namespace attune::inline ATTUNE_ABI::detail
