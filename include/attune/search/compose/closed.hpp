// attune/search/compose/closed.hpp - techniques that are complete algorithms: own ones and those of search/local/.
// SPDX-License-Identifier: MIT
// tested by search/compose/simplex.cpp
// Source   Wu, "DeepTuner", 2015, Sec. 3.2: techniques besides composable ones
// Source   steps: Hooke & Jeeves, "Direct search", 1961; Kirkpatrick et al. 1983; both as in
//          OpenTuner (Ansel et al. 2014): numbers step up and down, other kinds are mutated. Own:
//          the excess of a neighbour is measured in standard deviations of all values
//          (trials::excess)
// Source   mutation_bandit: Wu 2015, Sec. 3.2.1 for the choice; over mutation operators as in
//          OpenTuner and in Fialho et al. 2010
//
// A search of search/local/ is no base: it reads all its trials, proposes in rounds, and uses parts
// that composed techniques lack, such as ranks in mu + lambda, a temperature, or reflection in the
// unit cube. The name of each search holds its options, so that histories and recommendations
// distinguish `genetic` with different mutation rates.
//
// Example   options.search.strategy =
//               search::technique_of(search::genetic_settings{{.mutation = .3}}).make;
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/compose/settings.hpp>
#include <attune/search/local/annealing.hpp>
#include <attune/search/local/neighbourhood_descent.hpp>
#include <attune/search/local/populations.hpp>
#include <attune/search/local/stepwise.hpp>
#include <attune/search/searcher.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI::search {

/// A closed technique: `name` without blanks, settings (settings.hpp), and run(trials&, A), the
/// coroutine.
template <class A>
concept closed_algorithm = requires(trials& t, A const& with) {
    { A::name } -> std::convertible_to<std::string_view>;
    { A::run(t, with) } -> std::same_as<search_process>;
} && std::copy_constructible<A> && std::default_initializable<A>;

/// A closed technique as a searcher.
template <class A>
class closed_search : public stepwise_searcher {
    static_assert(closed_algorithm<A>,
                  "attune::search::closed_search<A>: 'A' is no closed technique; it needs `name` "
                  "and run(attune::trials&, A) -> attune::search_process");

public:
    explicit closed_search(chain_of_trees searched, std::uint64_t seed = 0, A const& with = {})
        : stepwise_searcher(std::move(searched), seed, [&](trials& t) { return A::run(t, with); })
    {
    }
};

/// Random configurations.
struct pure_random {
    static constexpr std::string_view name = "pure_random";
    [[nodiscard]] static search_process run(trials& t, pure_random)
    {
        for (;;) {
            point const one = t.fresh();
            static_cast<void>(co_await t.evaluate(one));
        }
    }
};

/// Steps all parameters of a centre up and down; the best step becomes the centre. If none is
/// better, steps are halved; if they become too short, another centre follows.
struct pattern_search {
    static constexpr std::string_view name = "pattern_search";
    double least_step = 0.001;
    double step = 0.1; ///< first step, as a share of the range of a number

    static void settings(auto& self, auto const& visit)
    {
        visit("least_step", self.least_step);
        visit("step", self.step);
    }
    [[nodiscard]] static search_process run(trials& t, pattern_search with);
};

/// Measures all steps of a state, and goes through them from the best one: to the next worse one
/// with probability exp(-scaling * excess / temperature). Temperature falls linearly and steps
/// exponentially; both rise again after `rounds`.
struct pseudo_annealing {
    static constexpr std::string_view name = "pseudo_annealing";
    double cold = 0;
    double hot = 30;
    std::size_t rounds = 100;
    double scaling = 50;

    static void settings(auto& self, auto const& visit)
    {
        visit("cold", self.cold);
        visit("hot", self.hot);
        visit("rounds", self.rounds);
        visit("scaling", self.scaling);
    }
    [[nodiscard]] static search_process run(trials& t, pseudo_annealing with);
};

/// Changes one parameter of the best configuration, the last one of equals. Uses the operator that
/// recently found new bests most often, or was seldom used. Operators have one or two parents.
struct mutation_bandit {
    static constexpr std::string_view name = "mutation_bandit";
    double exploration = 0.05;
    std::size_t window = 500;

    static void settings(auto& self, auto const& visit)
    {
        visit("exploration", self.exploration);
        visit("window", self.window);
    }
    [[nodiscard]] static search_process run(trials& t, mutation_bandit with);
};

struct annealing_settings : annealing_options {
    static constexpr std::string_view name = "annealing";
    using searcher = annealing;
    static void settings(auto& self, auto const& visit)
    {
        visit("starts", self.starts);
        visit("evaluations", self.evaluations);
        visit("hot", self.hot);
        visit("cold", self.cold);
        visit("far", self.far);
    }
};

struct coordinate_descent_settings : coordinate_descent_options {
    static constexpr std::string_view name = "coordinate_descent";
    using searcher = coordinate_descent;
    static void settings(auto& self, auto const& visit)
    {
        visit("starts", self.starts);
        visit("most_values", self.most_values);
    }
};

struct differential_evolution_settings : differential_evolution_options {
    static constexpr std::string_view name = "differential_evolution";
    using searcher = differential_evolution;
    static void settings(auto& self, auto const& visit)
    {
        visit("population", self.population);
        visit("difference", self.difference);
        visit("crossover", self.crossover);
    }
};

struct genetic_settings : genetic_options {
    static constexpr std::string_view name = "genetic";
    using searcher = genetic;
    static void settings(auto& self, auto const& visit)
    {
        visit("population", self.population);
        visit("children", self.children);
        visit("mutation", self.mutation);
        visit("selection", self.selection);
    }
};

struct local_search_settings : local_search_options {
    static constexpr std::string_view name = "local_search";
    using searcher = local_search;
    static void settings(auto& self, auto const& visit)
    {
        visit("starts", self.starts);
        visit("most_values", self.most_values);
    }
};

struct neighbourhood_descent_settings : neighbourhood_descent_options {
    static constexpr std::string_view name = "neighbourhood_descent";
    using searcher = neighbourhood_descent;
    static void settings(auto& self, auto const& visit)
    {
        visit("starts", self.starts);
        visit("tries", self.tries);
        visit("candidates", self.candidates);
        visit("neighbours", self.neighbours);
        visit("tabu", self.tabu);
        visit("patience", self.patience);
    }
};

struct particle_swarm_settings : particle_swarm_options {
    static constexpr std::string_view name = "particle_swarm";
    using searcher = particle_swarm;
    static void settings(auto& self, auto const& visit)
    {
        visit("particles", self.particles);
        visit("inertia", self.inertia);
        visit("own", self.own);
        visit("swarm", self.swarm);
    }
};

/// Settings of a searcher, whose constructor takes a space, a seed and the settings.
template <class S>
concept searcher_settings =
    requires {
        { S::name } -> std::convertible_to<std::string_view>;
        typename S::searcher;
    } && std::constructible_from<typename S::searcher, chain_of_trees, std::uint64_t, S const&> &&
    std::copy_constructible<S> && std::default_initializable<S>;

/// A closed technique, or a search with its settings, with its name:
/// "genetic;population,20;children,10;mutation,0.3;selection,2.5".
template <class A>
    requires(closed_algorithm<A> || searcher_settings<A>)
[[nodiscard]] technique technique_of(A const& with)
{
    std::string const name = detail::text_with_settings(with);
    search_factory make;
    if constexpr (closed_algorithm<A>)
        make = search_with<closed_search<A>>(with);
    else
        make = search_with<typename A::searcher>(with);
    return {name, attune::detail::named_search(name, std::move(make))};
}

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/closed.ipp>
#endif
