// attune/tune/together/together_tuning.ipp - takes the turns of all kernels, and spends the budget on their tunings.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/together/together_tuning.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <new>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

inline void require_weights(std::vector<tuning_share> const& shares)
{
    if (shares.empty())
        throw error("there is nothing to tune", "tune_together", "give it at least one share");
    for (tuning_share const& one : shares) {
        if (!std::isfinite(one.weight()) || one.weight() < 0)
            throw error("the weight of kernel '" + one.kernel() + "' is " +
                            formatted("%.6g", one.weight()),
                        "tune_together", "give share(...).calls(n) a number of calls, at least 0");
        if (one.table().parts().subject.kernel.objective)
            throw error("kernel '" + one.kernel() +
                            "' has an objective of its own, and tune_together adds times",
                        "kernel.objective()", "tune it alone");
        if (one.is_of_time() != shares.front().is_of_time())
            throw error("some shares are given in calls, others as parts of the time",
                        "tune_together", "give all of them calls(n), or all of them of_time(part)");
    }
}

/// Returns most_gain() for a budget of so many tasks, with at most half of the budget for equal
/// parts.
[[nodiscard]] inline turn_policy policy_for(search_limits const& budget, std::size_t tasks)
{
    constexpr std::size_t usual = 8; // after so many most searches have a model
    if (budget.evaluations != search_limits::any_number)
        return most_gain(budget_unit::evaluations,
                         std::clamp<std::size_t>(budget.evaluations / (2 * tasks), 1, usual));
    return most_gain(budget.seconds < search_limits::any_time ? budget_unit::seconds
                                                              : budget_unit::evaluations,
                     usual / 2);
}

ATTUNE_INLINE together_tuning::together_tuning(search_limits const& budget,
                                               std::vector<tuning_share> shares, arrays which,
                                               turn_policy whose_turn)
    : process_(::getpid())
    , shares_(std::move(shares))
{
    require_weights(shares_);
    take_turns();
    until_all_end_.emplace();
    if (which == arrays::copied) copy_arrays();
    make_tunings(budget);
    std::vector<budget_task*> tasks;
    for (auto const& one : tunings_)
        tasks.push_back(one.get());
    budget_.emplace(budget, std::move(tasks),
                    whose_turn ? std::move(whose_turn) : policy_for(budget, shares_.size()),
                    steady_seconds);
    for (auto const& [parts, turn] : turns_)
        parts->before_end = [this, parts] { forget(*parts); };
}

ATTUNE_INLINE together_tuning::~together_tuning()
{
    for (auto const& [parts, turn] : turns_)
        parts->before_end = nullptr;
}

/// Takes the turns in the order of their addresses: two threads that want the same turns then
/// cannot wait for each other.
ATTUNE_INLINE void together_tuning::take_turns()
{
    std::vector<dispatch_parts*> all;
    for (tuning_share const& one : shares_)
        all.push_back(&one.table().parts());
    std::sort(all.begin(), all.end(), std::less<>{});
    for (dispatch_parts* const parts : all) {
        auto const [at, is_new] = turns_.try_emplace(parts, *parts, true);
        if (is_new && !at->second.is_on())
            throw error("kernel '" + parts->subject.kernel.name + "' is being tuned",
                        "tune_together", "call it when the tuning is over");
    }
}

ATTUNE_INLINE void together_tuning::copy_arrays()
{
    for (tuning_share& one : shares_) {
        dispatched_kernel const& subject = one.table().parts().subject;
        keyed_call call = one.call();
        std::shared_ptr<device_target const> device;
        try {
            device = subject.target();
            one.table().parts().complete(call);
        } catch (std::bad_alloc const&) {
            throw;
        } catch (std::exception const&) { // the first step reports it
            continue;
        }
        call.frame = copies_.emplace_back(call.frame, device.get()).frame();
        tuning_share const copied{one.table(), one.kernel(), std::move(call)};
        one = one.is_of_time() ? copied.of_time(one.weight()) : copied.calls(one.weight());
    }
}

ATTUNE_INLINE void together_tuning::make_tunings(search_limits const& budget)
{
    std::vector<double> weights(shares_.size(), 0.0);
    std::vector<tuning_share const*> first;
    std::vector<std::shared_ptr<served_inputs const>> inputs;
    for (tuning_share const& one : shares_) {
        std::shared_ptr<served_inputs const> const of =
            one.table().parts().served_for(one.call().inputs);
        auto const at =
            static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), of) - inputs.begin());
        if (at == inputs.size()) {
            inputs.push_back(of);
            first.push_back(&one);
        }
        tuning_of_.push_back(at);
        weights[at] += one.weight();
    }
    for (std::size_t i = 0; i < first.size(); ++i)
        tunings_.push_back(std::make_unique<stepped_tuning>(
            first[i]->table().parts(), first[i]->call(), budget, first.size(),
            [weight = weights[i], is_of_time = first[i]->is_of_time()](double default_s) {
                return is_of_time && default_s > 0 ? weight / default_s : weight;
            }));
}

/// Runs when the `tuned` of these parts is being destroyed.
ATTUNE_INLINE void together_tuning::forget(dispatch_parts const& parts)
{
    for (auto const& one : tunings_)
        if (&one->parts() == &parts)
            one->leave("its `tuned` was destroyed before the tuning was over");
    std::erase_if(turns_, [&parts](auto const& held) { return held.first == &parts; });
}

ATTUNE_INLINE void together_tuning::give_turns_back()
{
    for (auto const& [parts, turn] : turns_)
        parts->before_end = nullptr;
    turns_.clear();
}

ATTUNE_INLINE bool together_tuning::is_in_child() const noexcept { return ::getpid() != process_; }

ATTUNE_INLINE bool together_tuning::step()
{
    if (report_) return false;
    until_all_end_->resume();
    try {
        bool is_more = budget_->step();
        while (is_more && budget_->spent().interrupted)
            is_more = budget_->step(); // measures nothing
        if (is_more) return true;
        for (auto const& one : tunings_)
            one->take_of_other();
    } catch (...) {
        for (auto const& one : tunings_)
            one->leave("an exception ended the tuning");
        end();
        throw;
    }
    end();
    return false;
}

ATTUNE_INLINE bool together_tuning::step_and_settle()
{
    if (!step()) return false;
    budget_->rest();
    return !budget_->spent().interrupted || step();
}

ATTUNE_INLINE void together_tuning::rest()
{
    budget_->rest();
    until_all_end_->pause();
}

ATTUNE_INLINE together_report together_tuning::finish()
{
    budget_->end_evaluations();
    while (step()) {
    }
    return *report_;
}

ATTUNE_INLINE void together_tuning::end()
{
    give_turns_back();
    report_.emplace(); // there is no other step, even if the code below throws
    std::exception_ptr thrown;
    report_ = make_report(thrown);
    copies_.clear();
    if (thrown) std::rethrow_exception(thrown);
}

/// Returns the result of one share. Registers the call with its kernel, like
/// tuned.tune(arguments...).
/// @pre  the turns are free
ATTUNE_INLINE tuning_report together_tuning::report_of(std::size_t share) const
{
    tuning_share const& one = shares_[share];
    stepped_tuning const& tuning = *tunings_[tuning_of_[share]];
    bool const has_winner = !tuning.has_left() && tuning.inputs().winner != nullptr;
    bool const is_first = tuning.call().shape == one.call().shape;
    if (tuning.report() && (is_first || !has_winner)) return *tuning.report();
    if (!has_winner)
        return untuned_report(one.kernel(), decision::served_default,
                              one.weight() > 0 ? "the budget of tune_together did not reach it"
                                               : "its weight in tune_together is 0");
    try {
        return one.table().tune(one.call().shape, one.call().inputs, one.call().frame);
    } catch (std::exception const& e) {
        return untuned_report(one.kernel(), decision::call_failed, e.what());
    }
}

ATTUNE_INLINE together_report together_tuning::make_report(std::exception_ptr& thrown) const
{
    spent_budget const& spent = budget_->spent();
    together_report out{.evaluations = spent.evaluations,
                        .elapsed_s = spent.seconds,
                        .interrupted = spent.interrupted};
    std::vector<bool> is_told(tunings_.size(), false);
    for (std::size_t i = 0; i < shares_.size(); ++i) {
        std::size_t const at = tuning_of_[i];
        stepped_tuning const& tuning = *tunings_[at];
        share_report line;
        try {
            line.report = report_of(i);
        } catch (...) {
            thrown = std::current_exception();
            line.report = untuned_report(shares_[i].kernel(), decision::call_failed,
                                         "an exception ended the call");
        }
        if (!is_told[at]) {
            line.evaluations = tuning.made();
            line.spent_s = tuning.so_far().spent_s;
            is_told[at] = true;
        }
        double const default_s = line.report.default_time.value;
        double const weight = shares_[i].weight();
        if (default_s > 0 && line.report.best.value > 0) {
            line.calls = shares_[i].is_of_time() ? weight / default_s : weight;
            out.default_s += line.calls * default_s;
            out.best_s += line.calls * line.report.best.value;
        }
        out.shares.push_back(std::move(line));
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
