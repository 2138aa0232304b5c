// attune/search/two_level/evolutionary_search.ipp - a population, its generations and the batch.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/search/bayes/design.hpp>
#include <attune/search/history.hpp>
#include <attune/search/two_level/detail/mutators.hpp>
#include <attune/search/two_level/detail/scored_programs.hpp>
#include <attune/search/two_level/evolutionary_search.hpp>
#include <attune/search/two_level/two_level_search.hpp>
#include <attune/space/query/configurations.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE mutation_kind default_mutation_kind(description const& space, std::uint32_t parameter)
{
    switch (default_decision_role(space, parameter)) {
    case decision_role::design:
        return mutation_kind::none;
    case decision_role::parallel:
        return mutation_kind::parallel;
    case decision_role::compute_location:
        return mutation_kind::compute_location;
    case decision_role::tuned:
        break;
    }
    std::string const& name = space.parameters[parameter].name;
    return name == "UNROLL" || name.ends_with("_UNROLL") ? mutation_kind::unroll
                                                         : mutation_kind::tile;
}

struct evolutionary_search::state {
    state(chain_of_trees searched, std::uint64_t seed, evolutionary_options const& chosen)
        : options(chosen)
        , engine(seed)
        , unseen(std::move(searched))
        , programs(unseen.space(), options)
        , change(detail::moves(unseen.space()), options)
    {
    }

    struct individual {
        point where;
        detail::program_score of;
    };

    /// The score of a configuration in this round; nothing if it describes no program.
    [[nodiscard]] std::optional<detail::program_score> const& score(point const& p)
    {
        auto const found = scores.find(p);
        return found != scores.end() ? found->second
                                     : scores.emplace(p, programs.score(p)).first->second;
    }

    void take(point p)
    {
        if (std::optional<std::uint64_t> const s = programs.structure_of(p)) taken.insert(*s);
        unseen.mark(p);
        queue.push_back(std::move(p));
    }

    /// An unseen random configuration with a new program; nothing after some failed attempts.
    [[nodiscard]] std::optional<point> fresh()
    {
        constexpr int attempts = 256;
        for (int i = 0; i < attempts; ++i) {
            std::optional<point> p = unseen.draw(engine);
            if (!p) break;
            std::optional<std::uint64_t> const structure = programs.structure_of(*p);
            if (structure && !taken.contains(*structure)) return p;
        }
        return {};
    }

    void begin_round()
    {
        scores.clear();
        for (observation const& o : history.told())
            if (std::optional<std::uint64_t> const s = programs.structure_of(o.where))
                taken.insert(*s);
        std::size_t const random = static_cast<std::size_t>(
            std::lround(options.random_batch * static_cast<double>(options.batch)));
        if (history.worked() > 0 || programs.knows_others()) {
            programs.learn(history);
            for (individual& one : evolve(options.batch - std::min(random, options.batch)))
                take(std::move(one.where));
        }
        while (queue.size() < options.batch) {
            std::optional<point> p = fresh();
            if (!p) break;
            take(std::move(*p));
        }
        if (queue.empty()) ++empty_rounds;
    }

    /// The best measured configurations, and random ones.
    [[nodiscard]] std::vector<individual> first_generation()
    {
        std::vector<individual> out;
        auto const add = [&](point const& p) {
            if (std::optional<detail::program_score> const& s = score(p)) out.push_back({p, *s});
        };
        auto const measured = static_cast<std::size_t>(options.measured_ratio *
                                                       static_cast<double>(options.population));
        for (std::size_t const i : history.best_places(measured))
            add(history.told()[i].where);
        std::size_t const random = options.population - std::min(out.size(), options.population);
        if (random == 0) return out;
        std::unordered_set<point, point_hash> drawn;
        std::size_t const known = out.size();
        for (std::size_t empty = 0; empty < options.empty_draws;) {
            std::size_t const before = out.size();
            for (point const& p : sample_distinct(unseen.space(), random, engine))
                if (drawn.insert(p).second) add(p);
            if (out.size() - known >= options.min_unmeasured) break;
            if (out.size() == before) ++empty;
        }
        return out;
    }

    /// The best of all generations with new programs, best first.
    [[nodiscard]] std::vector<individual> evolve(std::size_t count)
    {
        std::vector<individual> now = first_generation();
        std::vector<individual> met;
        std::unordered_set<std::uint64_t> structures;
        auto const keep = [&](std::vector<individual> const& all) {
            for (individual const& one : all)
                if (!unseen.has_seen(one.where) && !taken.contains(one.of.structure) &&
                    structures.insert(one.of.structure).second)
                    met.push_back(one);
        };
        keep(now);
        for (std::size_t g = 0; g < options.generations && !now.empty(); ++g) {
            now = next_generation(now);
            keep(now);
        }
        detail::sort_stably(
            met, [](individual const& a, individual const& b) { return a.of.value > b.of.value; });
        met.resize(std::min(count, met.size()));
        return met;
    }

    [[nodiscard]] std::vector<individual> next_generation(std::vector<individual> const& parents)
    {
        // Parents in proportion to their scores; with equal probability if no score is above 0.
        std::vector<double> sums;
        double sum = 0;
        for (individual const& one : parents)
            sums.push_back(sum += one.of.value);
        auto const draw = [&]() -> individual const& {
            if (!(sum > 0)) return parents[uniform_below(engine, parents.size())];
            auto const at = std::upper_bound(sums.begin(), sums.end(), uniform_unit(engine) * sum);
            return parents[std::min(static_cast<std::size_t>(at - sums.begin()),
                                    parents.size() - 1)];
        };
        std::vector<individual> out;
        std::size_t const children = std::min(parents.size(), options.population);
        out.reserve(children);
        while (out.size() < children) {
            individual const& parent = draw();
            out.push_back(parent);
            if (!(uniform_unit(engine) < options.mutation_probability)) continue;
            for (std::size_t tries = 0; tries < options.retries; ++tries) {
                std::optional<point> p = change.change(parent.where, engine);
                if (!p) continue;
                std::optional<detail::program_score> const& s = score(*p);
                if (!s) continue;
                out.back() = {std::move(*p), *s};
                break;
            }
        }
        return out;
    }

    evolutionary_options options;
    random_engine engine;
    unseen_points unseen;
    search_history history;
    detail::scored_programs programs;
    detail::mutators change;
    std::unordered_map<point, std::optional<detail::program_score>, point_hash> scores;
    std::unordered_set<std::uint64_t> taken; ///< structures of ask() or tell()
    std::deque<point> queue;
    std::size_t empty_rounds = 0;
};

ATTUNE_INLINE evolutionary_search::evolutionary_search(chain_of_trees space, std::uint64_t seed,
                                                       evolutionary_options const& options)
    : state_(detail::make_state<state>(std::move(space), seed, options))
{
}

ATTUNE_INLINE std::vector<point> evolutionary_search::ask(std::size_t k)
{
    std::vector<point> out;
    while (out.size() < k) {
        while (state_->queue.empty() && state_->empty_rounds < state_->options.empty_rounds)
            state_->begin_round();
        if (state_->queue.empty()) break;
        out.push_back(std::move(state_->queue.front()));
        state_->queue.pop_front();
    }
    return out;
}

ATTUNE_INLINE void evolutionary_search::tell(point const& p, outcome const& result)
{
    if (!state_->unseen.space().contains(p)) return;
    state_->unseen.mark(p);
    std::erase(state_->queue, p);
    state_->history.tell(p, result);
}

ATTUNE_INLINE void evolutionary_search::learn_from(cost_samples const& others)
{
    state_->programs.learn_from(others);
}

} // namespace attune::inline ATTUNE_ABI
