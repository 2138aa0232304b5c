// attune/tune/together/shared_budget.ipp - the loop over several tunings.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/together/shared_budget.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE spent_budget spend_together(search_limits const& whole,
                                          std::span<budget_task* const> tasks,
                                          turn_policy const& whose_turn,
                                          std::function<double()> const& clock)
{
    spent_budget out;
    double const begun_s = clock();
    budget_task* at_work = nullptr;
    while (true) {
        out.interrupted = stop_is_requested();
        out.seconds = clock() - begun_s;
        search_limits const left = what_is_left(whole, out.evaluations, out.seconds);
        if (out.interrupted || !wants_tuning(left)) break;
        double finals_s = 0;
        std::vector<turn_task> turns;
        for (budget_task const* const task : tasks) {
            finals_s += task->final_s();
            turns.push_back(task->so_far());
        }
        for (std::size_t i = 0; i < tasks.size(); ++i)
            if (finals_s + tasks[i]->longest_s() >= left.seconds) turns[i].is_over = true;
        std::optional<std::size_t> const next = whose_turn(turns);
        if (!next) break;
        if (at_work != nullptr && at_work != tasks[*next]) at_work->rest();
        at_work = tasks[*next];
        std::uint64_t const before = at_work->made();
        double const others_s = finals_s - at_work->final_s();
        at_work->step({.evaluations = left.evaluations, .seconds = left.seconds - others_s});
        out.evaluations += at_work->made() - before;
    }
    if (at_work != nullptr) at_work->rest();
    double later_s = 0;
    for (budget_task const* const task : tasks)
        later_s += task->final_s();
    for (budget_task* const task : tasks) {
        later_s -= task->final_s();
        if (task->so_far().best.empty()) continue;
        task->finish(std::max(0.0, whole.seconds - (clock() - begun_s) - later_s));
    }
    out.seconds = clock() - begun_s;
    out.interrupted = out.interrupted || stop_is_requested();
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
