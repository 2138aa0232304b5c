// attune/tune/dispatch/choice/near_choice.ipp - uses a portfolio or the nearest winner.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/search/transfer/warm_portfolio.hpp>
#include <attune/tune/dispatch/choice/near_choice.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE past_session past_of(related_problem const& other)
{
    past_session out{.name = other.how.why,
                     .parameters = other.past.problem.parameters,
                     .weight = std::exp(-other.how.distance)};
    problem_objective const of = objective_of(other.past.problem.key);
    auto const add = [&](value_texts values, outcome const& result) {
        auto const* const m = std::get_if<measurement>(&result);
        bool const is_usable = m != nullptr && (m->value > 0 || !of.is_higher_better);
        out.outcomes.push_back(
            {std::move(values), is_usable ? std::optional(of.turned(m->value)) : std::nullopt});
    };
    for (tried_row const& row : other.past.rows)
        add(row.values, row.result);
    if (std::optional<record> const& best = other.past.best; out.outcomes.empty() && best) {
        out.parameters.clear();
        for (auto const& [name, text] : best->configuration)
            out.parameters.push_back(name);
        add(values_of(best->configuration), measurement::exact(best->best_s));
    }
    return out;
}

/// Returns the outcome of the problem's winner alone, else its best outcome; empty if all failed.
[[nodiscard]] inline std::optional<past_session> winner_of(related_problem const& other)
{
    related_problem winner{.past = {.problem = other.past.problem, .best = other.past.best},
                           .how = other.how};
    if (!winner.past.best) {
        problem_objective const of = objective_of(other.past.problem.key);
        auto const value = [&of](tried_row const& row) {
            auto const* const m = std::get_if<measurement>(&row.result);
            return m ? of.turned(m->value) : std::numeric_limits<double>::infinity();
        };
        auto const& rows = other.past.rows;
        auto const best = std::min_element(rows.begin(), rows.end(),
                                           [&](auto& a, auto& b) { return value(a) < value(b); });
        if (best == rows.end() || !std::isfinite(value(*best))) return {};
        winner.past.rows.push_back(*best);
    }
    return past_of(winner);
}

[[nodiscard]] inline near_choice choice_at(point at, related_problem const& nearest,
                                           std::size_t sources)
{
    bool const is_here = nearest.how.how != problem_difference::device;
    std::string const of_all =
        sources > 1 ? "best of " + std::to_string(sources) + " related problems, the nearest "
                    : std::string("best ");
    return {std::move(at), is_here ? choice_match::near_size : choice_match::near_device,
            nearest.how.distance, of_all + nearest.how.why};
}

ATTUNE_INLINE std::optional<near_choice> near_choice_of(std::span<related_problem const> related,
                                                        chain_of_trees const& space,
                                                        std::span<point const> refused)
{
    auto const is_refused = [&](point const& at) {
        return std::find(refused.begin(), refused.end(), at) != refused.end();
    };
    auto const winner_at = [&](related_problem const& one) -> std::optional<near_choice> {
        std::optional<past_session> const winner = winner_of(one);
        if (!winner) return {};
        translated_session here = translate(space, *winner);
        if (here.where.empty() || is_refused(here.where.front())) return {};
        return choice_at(std::move(here.where.front()), one, 1);
    };
    for (related_problem const& one : related)
        if (one.how.how != problem_difference::device)
            if (std::optional<near_choice> found = winner_at(one)) return found;
    std::vector<past_session> sources;
    related_problem const* nearest = nullptr;
    for (related_problem const& one : related) {
        if (one.past.rows.size() < outcomes_of_a_source) continue;
        if (nearest == nullptr) nearest = &one;
        sources.push_back(past_of(one));
    }
    if (nearest != nullptr)
        for (point& at : warm_portfolio(space, sources, warm_start_options{}.starts))
            if (!is_refused(at)) return choice_at(std::move(at), *nearest, sources.size());
    for (related_problem const& one : related)
        if (std::optional<near_choice> found = winner_at(one)) return found;
    return {};
}

} // namespace attune::inline ATTUNE_ABI::detail
