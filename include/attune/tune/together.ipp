// attune/tune/together.ipp - takes the turns of all kernels, and spends the budget on them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/quantity_text.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/dispatch/background/stepped_tuning.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/together.hpp>
#include <attune/tune/together/shared_budget.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <functional>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::string together_report::summary() const
{
    std::string out;
    for (share_report const& one : shares) {
        out += one.report.kernel + ": " + one.report.summary();
        if (one.calls > 0) out += detail::formatted("; %.3g calls", one.calls);
        out += '\n';
    }
    out += "together: ";
    if (best_s > 0)
        out += detail::formatted("%.2fx faster than the defaults: ", speedup()) +
               text_of_quantity(best_s, true) + ", was " + text_of_quantity(default_s, true) + "; ";
    return out + std::to_string(evaluations) + " evaluations in " +
           detail::formatted("%.1f s", elapsed_s) + (interrupted ? ", interrupted" : "");
}

namespace detail {

inline void require_weights(std::vector<tuning_share> const& shares)
{
    if (shares.empty())
        throw error("there is nothing to tune", "tune_together", "give it at least one share");
    for (tuning_share const& one : shares) {
        if (!std::isfinite(one.weight()) || one.weight() < 0)
            throw error("the weight of kernel '" + one.kernel() + "' is " +
                            formatted("%.6g", one.weight()),
                        "tune_together",
                        "give share(...).calls(n) a number of calls, at least 0");
        if (one.is_of_time() != shares.front().is_of_time())
            throw error("some shares are given in calls, others as parts of the time",
                        "tune_together",
                        "give all of them calls(n), or all of them of_time(part)");
    }
}

/// The turns of all tables, in the order of their addresses: two threads that want the same ones
/// cannot wait for each other.
[[nodiscard]] inline std::vector<std::unique_ptr<working>>
take_turns(std::vector<tuning_share> const& shares)
{
    std::vector<dispatch_parts*> all;
    for (tuning_share const& one : shares)
        all.push_back(&one.table().parts());
    std::sort(all.begin(), all.end(), std::less<>{});
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::vector<std::unique_ptr<working>> out;
    for (dispatch_parts* const parts : all)
        if (!out.emplace_back(std::make_unique<working>(*parts, true))->is_on())
            throw error("kernel '" + parts->subject.kernel.name + "' is being tuned",
                        "tune_together",
                        "call it when the tuning is over");
    return out;
}

/// The tunings of all shares. Calls with the same inputs have one, which counts for all of them.
struct shared_tunings {
    std::vector<std::unique_ptr<stepped_tuning>> all{};
    std::vector<std::size_t> of_share{}; ///< index into `all`

    shared_tunings(search_limits const& budget, std::vector<tuning_share> const& shares)
    {
        std::vector<double> weights(shares.size(), 0.0);
        std::vector<tuning_share const*> first;
        for (tuning_share const& one : shares) {
            served_inputs const* const of = &one.table().parts().served_for(one.call().inputs);
            std::size_t at = 0;
            while (at < inputs_.size() && inputs_[at] != of)
                ++at;
            if (at == inputs_.size()) {
                inputs_.push_back(of);
                first.push_back(&one);
            }
            of_share.push_back(at);
            weights[at] += one.weight();
        }
        for (std::size_t i = 0; i < first.size(); ++i)
            all.push_back(std::make_unique<stepped_tuning>(
                first[i]->table().parts(),
                first[i]->call(),
                budget,
                first.size(),
                [weight = weights[i], is_of_time = first[i]->is_of_time()](double default_s) {
                    return is_of_time && default_s > 0 ? weight / default_s : weight;
                }));
    }

private:
    std::vector<served_inputs const*> inputs_{};
};

/// How one share went. The call is made known to its kernel, as by tuned.tune(arguments...).
/// @pre  the turns are free
[[nodiscard]] inline tuning_report report_of(tuning_share const& one, stepped_tuning const& tuning)
{
    bool const is_first = tuning.call().shape == one.call().shape;
    if (tuning.report() && (is_first || tuning.inputs().winner == nullptr)) return *tuning.report();
    if (tuning.inputs().winner == nullptr)
        return untuned_report(one.kernel(),
                              decision::served_default,
                              one.weight() > 0 ? "the budget of tune_together did not reach it"
                                               : "its weight in tune_together is 0");
    try {
        return one.table().tune(one.call().shape, one.call().inputs, one.call().frame);
    } catch (std::exception const& e) {
        return untuned_report(one.kernel(), decision::call_failed, e.what());
    }
}

ATTUNE_INLINE together_report tune_together_by(turn_policy const& whose_turn,
                                               search_limits const& budget,
                                               std::vector<tuning_share> const& shares)
{
    require_weights(shares);
    std::vector<std::unique_ptr<working>> turns = take_turns(shares);
    interrupt_guard const until_all_end; // the program's handler for Ctrl-C runs after that
    shared_tunings tunings{budget, shares};
    std::vector<budget_task*> tasks;
    for (auto const& one : tunings.all)
        tasks.push_back(one.get());
    spent_budget const spent = spend_together(budget, tasks, whose_turn, steady_seconds);
    for (auto const& one : tunings.all)
        one->take_of_other();
    turns.clear();

    together_report out{.evaluations = spent.evaluations,
                        .elapsed_s = spent.seconds,
                        .interrupted = spent.interrupted};
    std::vector<bool> is_told(tunings.all.size(), false);
    for (std::size_t i = 0; i < shares.size(); ++i) {
        std::size_t const at = tunings.of_share[i];
        stepped_tuning const& tuning = *tunings.all[at];
        share_report line{.report = report_of(shares[i], tuning)};
        if (!is_told[at]) {
            line.evaluations = tuning.made();
            line.spent_s = tuning.so_far().spent_s;
            is_told[at] = true;
        }
        double const default_s = line.report.default_time.value;
        double const weight = shares[i].weight();
        if (default_s > 0 && line.report.best.value > 0) {
            line.calls = shares[i].is_of_time() ? weight / default_s : weight;
            out.default_s += line.calls * default_s;
            out.best_s += line.calls * line.report.best.value;
        }
        out.shares.push_back(std::move(line));
    }
    return out;
}

} // namespace detail

namespace detail {

/// most_gain() for a budget of so many tasks. What all have at least is half of it at most.
[[nodiscard]] inline turn_policy policy_for(search_limits const& budget, std::size_t tasks)
{
    constexpr std::size_t usual = 8; // after which most searches have a model
    if (budget.evaluations != search_limits::any_number)
        return most_gain(budget_unit::evaluations,
                         std::clamp<std::size_t>(budget.evaluations / (2 * tasks), 1, usual));
    return most_gain(budget.seconds < search_limits::any_time ? budget_unit::seconds
                                                              : budget_unit::evaluations,
                     usual / 2);
}

} // namespace detail

ATTUNE_INLINE together_report tune_together(search_limits const& budget,
                                            std::vector<tuning_share> const& shares)
{
    std::size_t const tasks = std::max<std::size_t>(shares.size(), 1);
    return detail::tune_together_by(detail::policy_for(budget, tasks), budget, shares);
}

} // namespace attune::inline ATTUNE_ABI
