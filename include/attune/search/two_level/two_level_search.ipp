// attune/search/two_level/two_level_search.ipp - rounds of inputs, suggestions, phases and a batch.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/search/bayes/design.hpp>
#include <attune/search/cost/boosted_trees.hpp>
#include <attune/search/history.hpp>
#include <attune/search/local/moves.hpp>
#include <attune/search/two_level/detail/score_optimizer.hpp>
#include <attune/search/two_level/detail/scored_programs.hpp>
#include <attune/search/two_level/two_level_search.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Returns true if a condition compares a parameter with a value, not only by size.
[[nodiscard]] inline bool is_choice_of(description const& space, std::uint32_t condition,
                                       std::uint32_t parameter)
{
    auto const is_it = [&](std::uint32_t node) {
        return node != no_index && space.nodes[node].code == op::parameter &&
               space.nodes[node].subject == parameter;
    };
    bool const is_truth = space.parameters[parameter].traits().is_truth;
    if (is_truth && is_it(condition)) return true;
    std::vector<std::uint32_t> open{condition};
    while (!open.empty()) {
        expression_node const& node = space.nodes[open.back()];
        open.pop_back();
        bool const compares = node.code == op::equal || node.code == op::not_equal || is_truth;
        for (std::uint32_t const operand : {node.first, node.second, node.third}) {
            if (compares && is_it(operand)) return true;
            if (operand != no_index) open.push_back(operand);
        }
    }
    return false;
}

} // namespace detail

ATTUNE_INLINE decision_role default_decision_role(description const& space, std::uint32_t parameter)
{
    for (parameter_description const& other : space.parameters)
        if (other.is_conditional() && detail::is_choice_of(space, other.active.root, parameter))
            return decision_role::design;
    parameter_description const& of = space.parameters[parameter];
    if (of.is_location) return decision_role::compute_location;
    return of.name == "THREADS" || of.name.ends_with("_THREADS") ? decision_role::parallel
                                                                 : decision_role::tuned;
}

struct two_level_search::state {
    state(chain_of_trees searched, std::uint64_t seed, two_level_options const& chosen)
        : options(chosen)
        , engine(seed)
        , unseen(std::move(searched))
        , programs(unseen.space(), options)
        , near(unseen.space())
    {
        description const& d = unseen.space().describe();
        for (std::uint32_t const p : near.varying()) {
            decision_role const role = options.role(d, p);
            if (role != decision_role::tuned) fixed.push_back(p);
            if (role == decision_role::parallel) parallel.push_back(p);
            if (role == decision_role::compute_location) locations.push_back(p);
        }
    }

    /// A suggestion that makes a program.
    struct suggestion {
        point where;
        detail::program_score of;
        std::size_t input = 0;
    };

    [[nodiscard]] bool is_new(suggestion const& s) const
    {
        return !unseen.has_seen(s.where) && !taken.contains(s.of.structure);
    }

    /// An unseen random configuration with a new program; after some attempts one with any program,
    /// then any configuration.
    [[nodiscard]] std::optional<point> fresh()
    {
        constexpr int attempts = 32;
        std::optional<point> out;
        for (int i = 0; i < attempts; ++i) {
            std::optional<point> p = unseen.draw(engine);
            if (!p) break;
            std::optional<detail::program_score> const program = programs.score(*p);
            if (program && !taken.contains(program->structure)) {
                taken.insert(program->structure);
                return p;
            }
            if (program || !out) out = std::move(p);
        }
        return out;
    }

    void take(point p)
    {
        unseen.mark(p);
        queue.push_back(std::move(p));
    }

    /// @param score  of the model, for a point of the batch; no value before the first success
    void expect(point const& p, double score)
    {
        observation const* const best = history.best();
        if (best != nullptr && best->value > 0 && score > 0)
            expected.insert_or_assign(p, best->value / score);
    }

    void begin_round()
    {
        if (history.worked() == 0 && !programs.knows_others()) {
            for (std::size_t i = 0; i < options.batch; ++i) {
                std::optional<point> p = fresh();
                if (!p) return;
                take(std::move(*p));
            }
            return;
        }
        for (observation const& o : history.told())
            if (programs.structure_of(o.where)) taken.insert(*programs.structure_of(o.where));
        programs.learn(history);
        rounds.emplace_back();
        rounds.back().outcomes = history.told().size();
        if (history.best() != nullptr) rounds.back().best = history.best()->value;
        std::vector<point> const inputs = choose_inputs();
        std::vector<suggestion> found = suggest(inputs);
        vary_parallel(found, inputs.size());
        vary_locations(found, inputs.size());
        choose_batch(std::move(found), inputs.size());
    }

    /// The best measured configurations, and random ones with a high score.
    [[nodiscard]] std::vector<point> choose_inputs()
    {
        std::size_t random = 0;
        for (std::size_t i = 0; i < options.inputs; ++i)
            if (uniform_unit(engine) < options.random_inputs) ++random;
        std::vector<point> out;
        for (std::size_t const i : history.best_places(options.inputs - random))
            out.push_back(history.told()[i].where);
        random = options.inputs - out.size();
        std::vector<suggestion> drawn;
        for (std::size_t i = 0; i < random * options.draws; ++i) {
            point p = unseen.space().sample(engine);
            if (auto const score = programs.score(p)) drawn.push_back({std::move(p), *score});
        }
        if (is_hedged()) {
            expected_best = drawn;
            detail::sort_stably(expected_best, [](suggestion const& a, suggestion const& b) {
                return a.of.expected < b.of.expected;
            });
        }
        sort_by_score(drawn);
        for (std::size_t i = 0; i < std::min(random, drawn.size()); ++i)
            out.push_back(std::move(drawn[i].where));
        rounds.back().inputs = out.size();
        return out;
    }

    /// Returns true in the first round after programs of other tasks. Own: their reliability for
    /// this task is unknown, so every second configuration is the one with the least expected time.
    [[nodiscard]] bool is_hedged() const
    {
        return rounds.size() == 1 && programs.knows_others() && programs.expects();
    }

    [[nodiscard]] detail::score_optimizer& group_of(point const& p)
    {
        if (!base) base.emplace(detail::base_of(unseen.space(), options));
        point key;
        if (!options.one_optimizer)
            for (std::uint32_t const parameter : fixed)
                key.push_back(p[parameter]);
        std::unique_ptr<detail::score_optimizer>& group = groups[key];
        if (!group) group = std::make_unique<detail::score_optimizer>(*base, options);
        return *group;
    }

    /// The phase of Bayesian optimization (Rocke 2024 Sec. 3.3.1).
    [[nodiscard]] std::vector<suggestion> suggest(std::vector<point> const& inputs)
    {
        two_level_round& now = rounds.back();
        for (auto& [key, group] : groups)
            group->begin_round();
        std::unordered_set<detail::score_optimizer const*> used;
        for (point const& input : inputs)
            if (auto const score = programs.score(input)) {
                group_of(input).register_input(input, score->value);
                used.insert(&group_of(input));
            }
        now.groups = used.size();
        std::vector<suggestion> found;
        // Own: a random input, the best of several draws by the model, may also be measured.
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (!unseen.has_seen(inputs[i]))
                if (auto const score = programs.score(inputs[i]))
                    found.push_back({inputs[i], *score, i});
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            detail::score_optimizer& group = group_of(inputs[i]);
            if (group.size() == 0) continue;
            group.begin_input(inputs[i], engine);
            for (std::size_t valid = 0, invalid = 0;
                 valid < options.valid && invalid < options.invalid;) {
                std::optional<point> p = group.suggest(engine);
                if (!p) break;
                std::optional<detail::program_score> const score = programs.score(*p);
                group.learn(*p, score ? score->value : 0);
                ++(score ? valid : invalid);
                ++(score ? now.valid : now.invalid);
                if (score) found.push_back({std::move(*p), *score, i});
            }
        }
        for (auto const& [key, group] : groups)
            now.resets += group->resets();
        return found;
    }

    /// The suggestions that later phases vary: the best of each input, or the best of all.
    [[nodiscard]] std::vector<suggestion> best_of(std::vector<suggestion> found,
                                                  std::size_t inputs) const
    {
        sort_by_score(found);
        std::vector<suggestion> out;
        std::vector<char> is_served(inputs, 0);
        std::unordered_set<std::uint64_t> structures;
        for (suggestion& s : found) {
            if (!is_new(s)) continue;
            bool const by_input = options.choice == batch_choice::best_per_input;
            if (by_input && is_served[s.input] != 0) continue;
            if (!structures.insert(s.of.structure).second) continue;
            is_served[s.input] = 1;
            out.push_back(std::move(s));
            if (!by_input && out.size() == options.batch) break;
        }
        return out;
    }

    /// Every combination of parallel parameters (Rocke 2024 Sec. 3.3.2).
    void vary_parallel(std::vector<suggestion>& found, std::size_t inputs)
    {
        constexpr std::size_t most = 64;
        if (parallel.empty()) return;
        for (suggestion const& best : best_of(found, inputs)) {
            std::vector<point> variants{best.where};
            for (std::uint32_t const parameter : parallel) {
                std::size_t const count = variants.size();
                for (std::size_t i = 0; i < count && variants.size() < most; ++i)
                    for (point& p : near.line(variants[i], parameter, most, engine))
                        if (variants.size() < most) variants.push_back(std::move(p));
            }
            for (std::size_t i = 1; i < variants.size(); ++i)
                if (auto const score = programs.score(variants[i]))
                    found.push_back({std::move(variants[i]), *score, best.input});
        }
    }

    /// Random changes of compute locations (Rocke 2024 Sec. 3.3.3); better ones are changed
    /// further.
    void vary_locations(std::vector<suggestion>& found, std::size_t inputs)
    {
        if (locations.empty()) return;
        for (suggestion best : best_of(found, inputs))
            for (std::size_t i = 0; i < options.location_tries; ++i) {
                std::uint32_t const parameter = locations[uniform_below(engine, locations.size())];
                std::vector<point> to = near.line(best.where, parameter, 64, engine);
                if (to.empty()) continue;
                point p = std::move(to[uniform_below(engine, to.size())]);
                auto const score = programs.score(p);
                if (!score) continue;
                suggestion changed{std::move(p), *score, best.input};
                if (changed.of.value > best.of.value) best = changed;
                found.push_back(std::move(changed));
            }
    }

    void choose_batch(std::vector<suggestion> found, std::size_t inputs)
    {
        std::size_t random = 0;
        for (std::size_t i = 0; i < options.batch; ++i)
            if (uniform_unit(engine) < options.random_batch) ++random;
        std::vector<suggestion> best = best_of(std::move(found), inputs);
        std::vector<two_level_round::chosen>& batch = rounds.back().batch;
        if (is_hedged()) {
            std::vector<suggestion> const* const from[] = {&best, &expected_best};
            std::size_t next[] = {0, 0};
            for (std::size_t turn = 0; batch.size() < options.batch; turn = 1 - turn) {
                auto const is_used_up = [&](std::size_t t) { return next[t] == from[t]->size(); };
                if (is_used_up(0) && is_used_up(1)) break;
                if (is_used_up(turn)) continue;
                suggestion const& one = (*from[turn])[next[turn]++];
                if (!is_new(one)) {
                    turn = 1 - turn; // the turn stays
                    continue;
                }
                taken.insert(one.of.structure);
                batch.push_back({one.where, one.of.value, false});
                expect(one.where, one.of.value);
                take(one.where);
            }
            add_random(options.batch - batch.size());
            return;
        }
        for (std::size_t i = 0; i < std::min(best.size(), options.batch - random); ++i) {
            taken.insert(best[i].of.structure);
            batch.push_back({best[i].where, best[i].of.value, false});
            expect(best[i].where, best[i].of.value);
            take(std::move(best[i].where));
        }
        add_random(random);
    }

    /// Adds up to `count` random configurations to the batch.
    void add_random(std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i) {
            std::optional<point> p = fresh();
            if (!p) break;
            auto const score = programs.score(*p);
            rounds.back().batch.push_back({*p, score ? score->value : 0, true});
            if (score) expect(*p, score->value);
            take(std::move(*p));
        }
    }

    /// Sorts by score, highest first; equal ones keep their order.
    static void sort_by_score(std::vector<suggestion>& all)
    {
        detail::sort_stably(
            all, [](suggestion const& a, suggestion const& b) { return a.of.value > b.of.value; });
    }

    two_level_options options;
    random_engine engine;
    unseen_points unseen;
    search_history history;
    detail::scored_programs programs;
    detail::moves near;
    std::vector<std::uint32_t> fixed; ///< parameters that groups do not tune
    std::vector<std::uint32_t> parallel;
    std::vector<std::uint32_t> locations;
    std::vector<suggestion> expected_best; ///< of the hedged round
    std::optional<detail::score_optimizer_base> base;
    struct in_order {
        bool operator()(point const& a, point const& b) const
        {
            return std::lexicographical_compare(
                a.begin(), a.end(), b.begin(), b.end(), [](coordinate x, coordinate y) {
                    return x.index != y.index ? x.index < y.index : x.real < y.real;
                });
        }
    };
    std::map<point, std::unique_ptr<detail::score_optimizer>, in_order> groups;
    std::unordered_set<std::uint64_t> taken; ///< structures of ask() or tell()
    std::deque<point> queue;
    std::vector<two_level_round> rounds;
    std::unordered_map<point, double, point_hash> expected; ///< of chosen points without an outcome
};

ATTUNE_INLINE two_level_search::two_level_search(chain_of_trees space, std::uint64_t seed,
                                                 two_level_options const& options)
    : state_(detail::make_state<state>(std::move(space), seed, options))
{
}

ATTUNE_INLINE std::vector<point> two_level_search::ask(std::size_t k)
{
    std::vector<point> out;
    while (out.size() < k) {
        if (state_->queue.empty()) state_->begin_round();
        if (state_->queue.empty()) {
            std::optional<point> p = state_->fresh();
            if (!p) break;
            state_->take(std::move(*p));
        }
        out.push_back(std::move(state_->queue.front()));
        state_->queue.pop_front();
    }
    return out;
}

ATTUNE_INLINE void two_level_search::tell(point const& p, outcome const& result)
{
    if (!state_->unseen.space().contains(p)) return;
    state_->unseen.mark(p);
    std::erase(state_->queue, p);
    state_->history.tell(p, result);
    state_->expected.erase(p);
}

ATTUNE_INLINE std::optional<double> two_level_search::prediction_of(point const& p) const
{
    auto const found = state_->expected.find(p);
    if (found == state_->expected.end()) return {};
    return found->second;
}

ATTUNE_INLINE void two_level_search::learn_from(cost_samples const& others)
{
    state_->programs.learn_from(others);
}

ATTUNE_INLINE std::span<two_level_round const> two_level_search::rounds() const noexcept
{
    return state_->rounds;
}

} // namespace attune::inline ATTUNE_ABI
