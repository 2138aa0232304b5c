// attune/ship/tool/detail/recommended_start.hpp - what a search should begin with, by a store.
// SPDX-License-Identifier: MIT
// tested by ship/tool/techniques.cpp
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/text.hpp>
#include <attune/remember/problem/relation.hpp>
#include <attune/remember/record.hpp>
#include <attune/search/meta/space_structure.hpp>
#include <attune/search/meta/technique_history.hpp>
#include <attune/search/transfer/translate.hpp>
#include <attune/search/transfer/warm_portfolio.hpp>
#include <attune/ship/tool/detail/selection.hpp>
#include <attune/tune/dispatch/choice/near_choice.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// A problem of a store whose space is like the one at hand.
struct similar_problem {
    std::string name;
    double distance = 0; ///< problem_relation::distance, by parameters and inputs alone
    past_session session{};
};

/// The `most` nearest problems that have a parameter in common with `space`, the nearest first.
/// Those with predicted times are passed over: they are not comparable with measured ones.
/// @param without  a kernel that is passed over
[[nodiscard]] inline std::vector<similar_problem> similar_problems(store_content& store,
                                                                   description const& space,
                                                                   std::string const& without,
                                                                   std::size_t most)
{
    std::vector<std::string> parameters;
    for (named_value const& v : named_values(space))
        parameters.emplace_back(v.name);
    named_texts const inputs = texts_of_inputs(space);
    std::vector<std::pair<problem_relation, listed_problem>> found;
    for (listed_problem& have : store.problems()) {
        bool const is_alike = std::any_of(
            have.problem.parameters.begin(), have.problem.parameters.end(), [&](auto const& name) {
                return std::find(parameters.begin(), parameters.end(), name) != parameters.end();
            });
        if (!is_alike || have.problem.key.kernel == without) continue;
        if (have.problem.key.device.ends_with(predicted_device)) continue; // no times
        stored_problem wanted = have.problem; // kernel, device and compiler are not known here
        wanted.parameters = parameters;
        wanted.key.inputs = inputs;
        found.emplace_back(relate(have.problem, wanted), std::move(have));
    }
    sort_stably(found,
                [](auto const& a, auto const& b) { return a.first.distance < b.first.distance; });
    if (found.size() > most) found.resize(most);
    std::vector<similar_problem> out;
    for (auto const& [relation, have] : found)
        out.push_back({name_of(have.problem), relation.distance,
                       past_of({.past = store.history(have), .how = relation})});
    return out;
}

/// What whole tunings gained by their strategies, by the winners of a store: kernels with just the
/// parameters of `space`, whose structure stands for theirs. Predicted times do not count.
/// @param without  a kernel that is passed over
[[nodiscard]] inline search::technique_history
strategies_in(store_content& store, description const& space, std::string const& without)
{
    std::vector<std::string> parameters;
    for (named_value const& v : named_values(space))
        parameters.emplace_back(v.name);
    std::sort(parameters.begin(), parameters.end());
    std::vector<search::representation> tunings;
    for (listed_problem const& have : store.problems()) {
        std::vector<std::string> theirs = have.problem.parameters;
        std::sort(theirs.begin(), theirs.end());
        if (theirs != parameters || have.problem.key.kernel == without) continue;
        if (have.problem.key.device.ends_with(predicted_device)) continue; // no times
        for (record const& one : have.best) {
            if (one.strategy.empty() || one.interrupted || !(one.best_s > 0)) continue;
            search::representation of{.label = have.problem.key.kernel,
                                      .structure = search::structure_of(space)};
            of.gains.add(one.default_s / one.best_s);
            of.strategies = {{one.strategy, of.gains}};
            tunings.push_back(std::move(of));
        }
    }
    search::technique_history out;
    out.add_all(std::move(tunings));
    return out;
}

/// A configuration to begin with, and why.
struct start_advice {
    point at;
    std::string problem{}; ///< the nearest problem with it or what is nearest; empty: models say it
    double distance = 0;
    std::optional<double> of_best{}; ///< its time there over the best; nothing: it was not tried
};

/// The best time of just these values in a session, and of any. Nothing: there is none.
struct tried_time {
    std::optional<double> its{};
    std::optional<double> best{};
};

/// Other values that translate() would move to `at` are other configurations: they do not count.
[[nodiscard]] inline tried_time tried_in(past_session const& session, description const& space,
                                         point const& at)
{
    std::vector<std::pair<std::size_t, std::string>> wanted; // column and text
    bool has_all = true;
    for (named_value const& v : named_values(space)) {
        auto const column = std::find(session.parameters.begin(), session.parameters.end(), v.name);
        has_all = has_all && column != session.parameters.end();
        wanted.emplace_back(static_cast<std::size_t>(column - session.parameters.begin()),
                            without_spaces(text_at(space, v, at)));
    }
    tried_time out;
    for (past_outcome const& o : session.outcomes) {
        if (!o.value || !std::isfinite(*o.value)) continue;
        if (!out.best || *o.value < *out.best) out.best = o.value;
        bool const is_it =
            has_all && std::all_of(wanted.begin(), wanted.end(), [&](auto const& one) {
                return one.first < o.values.size() &&
                       without_spaces(o.values[one.first]) == one.second;
            });
        if (is_it && (!out.its || *o.value < *out.its)) out.its = o.value;
    }
    return out;
}

/// What is good in all sessions together, best first; in a wide space what was best in each.
[[nodiscard]] inline std::vector<start_advice>
recommended_starts(chain_of_trees const& space, std::vector<similar_problem> const& similar,
                   std::size_t count)
{
    std::vector<past_session> sessions;
    std::vector<translated_session> here;
    for (similar_problem const& one : similar) {
        sessions.push_back(one.session);
        here.push_back(translate(space, one.session));
    }
    std::vector<start_advice> out;
    for (point& at : transferred_starts(space, sessions, count)) {
        start_advice advice{.at = std::move(at)};
        for (similar_problem const& one : similar) {
            tried_time const tried = tried_in(one.session, space.describe(), advice.at);
            if (!tried.its || !(*tried.best > 0)) continue;
            advice.problem = one.name;
            advice.distance = one.distance;
            advice.of_best = *tried.its / *tried.best;
            break;
        }
        for (std::size_t i = 0; i < here.size() && advice.problem.empty(); ++i)
            for (std::size_t k = 0; k < here[i].where.size(); ++k)
                if (here[i].value[k] && here[i].where[k] == advice.at) {
                    advice.problem = similar[i].name;
                    advice.distance = similar[i].distance;
                }
        out.push_back(std::move(advice));
    }
    return out;
}

/// "start with A=2 B=4: 1.1 times the best time of sgemm N=512 on X (distance 0)".
[[nodiscard]] inline std::string start_text(description const& space, start_advice const& advice)
{
    std::string out = "start with " + text_of(space, advice.at) + ": ";
    if (advice.problem.empty()) return out + "good by models of what similar problems tried";
    std::string const what = advice.of_best
                                 ? formatted("%.3g", *advice.of_best) + " times the best time of "
                                 : "nearest to what was tried there, in ";
    return out + what + advice.problem + formatted(" (distance %.2g)", advice.distance);
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
