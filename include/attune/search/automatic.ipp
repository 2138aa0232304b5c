// attune/search/automatic.ipp - chooses between model and local search for each point.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/automatic.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/search/history.hpp>
#include <attune/search/local/neighbourhood_descent.hpp>

#include <unordered_set>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE bool is_narrow(description const& space, std::size_t most)
{
    std::size_t coordinates = 0;
    for (group_description const& g : space.groups)
        coordinates += g.count;
    return coordinates <= most;
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI::search {

struct automatic::state {
    state(chain_of_trees searched, std::uint64_t from, automatic_options const& chosen)
        : options(chosen)
        , space(std::move(searched))
        , seed(from)
        , model(space, seed, options.model)
        , is_modelled(attune::detail::is_narrow(space.describe(), options.most_modelled))
    {
    }

    /// The search beside or instead of the model, with all outcomes so far.
    any_searcher& without_model()
    {
        if (local) return *local;
        if (is_modelled)
            local = neighbourhood_descent(space, seed);
        else
            local = attune::detail::wide_climb(space, seed);
        for (observation const& o : history.told())
            local->tell(o.where, outcome_of_observation(o));
        return *local;
    }

    /// A new point from the search without a model.
    std::optional<point> from_local()
    {
        (void)without_model();
        for (int tries = 0; tries < 64; ++tries) {
            std::vector<point> asked = local->ask(1);
            if (asked.empty()) return {};
            if (!waiting.contains(asked.front())) return std::move(asked.front());
        }
        return {};
    }
    /// A new point from the model. Each point that local search chose is skipped at most once.
    std::optional<point> from_model()
    {
        for (;;) {
            std::vector<point> asked = model.ask(1);
            if (asked.empty()) return {};
            if (!waiting.contains(asked.front())) return std::move(asked.front());
        }
    }

    [[nodiscard]] bool wants_help() const
    {
        if (!is_modelled || history.told().size() >= options.long_run) return true;
        std::optional<double> const error = model.prediction_error();
        return error && *error > options.poor_fit;
    }

    static outcome outcome_of_observation(observation const& o)
    {
        if (!o.worked) return failure{failure_stage::verify, "failed before"};
        return measurement{o.value, o.low, o.high, 1};
    }

    automatic_options options;
    chain_of_trees space;
    std::uint64_t seed;
    bayesian_searcher model;
    std::optional<any_searcher> local; ///< empty before its first use
    search_history history;
    std::unordered_set<point, point_hash> waiting; ///< proposed points without an outcome
    bool is_local_turn = false;
    bool is_modelled; ///< see automatic_options::most_modelled
};

ATTUNE_INLINE
automatic::automatic(chain_of_trees space, std::uint64_t seed, automatic_options const& options)
    : state_(attune::detail::make_state<state>(std::move(space), seed, options))
{
}

ATTUNE_INLINE std::vector<point> automatic::ask(std::size_t k)
{
    std::vector<point> out;
    if (!state_->local && !state_->wants_help()) {
        out = state_->model.ask(k); // one batch is cheaper
        state_->waiting.insert(out.begin(), out.end());
        return out;
    }
    while (out.size() < k) {
        std::optional<point> p;
        state_->is_local_turn = !state_->is_local_turn || !state_->is_modelled;
        if (state_->is_local_turn && state_->wants_help()) p = state_->from_local();
        if (!p && state_->is_modelled) p = state_->from_model();
        if (!p) break;
        state_->waiting.insert(*p);
        out.push_back(std::move(*p));
    }
    return out;
}

ATTUNE_INLINE void automatic::tell(point const& p, outcome const& result)
{
    if (!state_->space.contains(p)) return;
    state_->waiting.erase(p);
    state_->history.tell(p, result);
    if (state_->is_modelled) state_->model.tell(p, result);
    if (state_->local) state_->local->tell(p, result);
}

ATTUNE_INLINE void automatic::tell_metrics(point const& p, std::span<double const> numbers)
{
    if (state_->is_modelled) state_->model.tell_metrics(p, numbers);
}

ATTUNE_INLINE void automatic::tell_excess(point const& p, double value,
                                          std::span<double const> excess)
{
    if (state_->is_modelled) state_->model.tell_excess(p, value, excess);
}

ATTUNE_INLINE void automatic::inform(std::vector<past_session> const& past)
{
    if (state_->is_modelled) state_->model.inform(past);
}

ATTUNE_INLINE bool automatic::learn_from(cost_samples const& others)
{
    auto const session_of = attune::detail::programs_as_session.load();
    if (!state_->is_modelled || session_of == nullptr) return false;
    if (auto session = session_of(state_->space, others))
        state_->model.inform({std::move(*session)});
    return true;
}

ATTUNE_INLINE std::optional<double> automatic::expected_gain()
{
    // Local search chooses every second point now. A question would update the model at other
    // moments, and change its points.
    if (state_->wants_help()) return {};
    return state_->model.expected_gain();
}

ATTUNE_INLINE std::optional<double> automatic::prediction_of(point const& p) const
{
    if (!state_->is_modelled) return {};
    return state_->model.prediction_of(p);
}

} // namespace attune::inline ATTUNE_ABI::search

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE search_factory default_search()
{
    return detail::named_search(detail::automatic_name, search_with<search::automatic>());
}

} // namespace attune::inline ATTUNE_ABI
