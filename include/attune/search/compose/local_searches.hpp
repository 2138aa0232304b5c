// attune/search/compose/local_searches.hpp - the searches of search/local/ as closed techniques.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 3.2: techniques besides composable ones
//
// They are no bases: a search of search/local/ sees all its trials, proposes in rounds, and uses
// what composed techniques have no place for, such as ranks in mu + lambda, a temperature, or
// reflection in the unit cube. Here each has a name that holds its options, so that histories and
// recommendations tell `genetic` with one mutation rate from that with another.
//
// Example   options.search.strategy =
//               search::technique_of(search::genetic_settings{{.mutation = .3}}).make;
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/compose/settings.hpp>
#include <attune/search/local/annealing.hpp>
#include <attune/search/local/coordinate_descent.hpp>
#include <attune/search/local/differential_evolution.hpp>
#include <attune/search/local/genetic.hpp>
#include <attune/search/local/local_search.hpp>
#include <attune/search/local/neighbourhood_descent.hpp>
#include <attune/search/local/particle_swarm.hpp>
#include <attune/search/meta/technique.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::search {

struct annealing_settings : annealing_options {
    static constexpr std::string_view name = "annealing";
    using searcher = annealing;
    template <class Self, class Visit>
    static void settings(Self& self, Visit const& visit)
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
    template <class Self, class Visit>
    static void settings(Self& self, Visit const& visit)
    {
        visit("starts", self.starts);
        visit("most_values", self.most_values);
    }
};

struct differential_evolution_settings : differential_evolution_options {
    static constexpr std::string_view name = "differential_evolution";
    using searcher = differential_evolution;
    template <class Self, class Visit>
    static void settings(Self& self, Visit const& visit)
    {
        visit("population", self.population);
        visit("difference", self.difference);
        visit("crossover", self.crossover);
    }
};

struct genetic_settings : genetic_options {
    static constexpr std::string_view name = "genetic";
    using searcher = genetic;
    template <class Self, class Visit>
    static void settings(Self& self, Visit const& visit)
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
    template <class Self, class Visit>
    static void settings(Self& self, Visit const& visit)
    {
        visit("starts", self.starts);
        visit("most_values", self.most_values);
    }
};

struct neighbourhood_descent_settings : neighbourhood_descent_options {
    static constexpr std::string_view name = "neighbourhood_descent";
    using searcher = neighbourhood_descent;
    template <class Self, class Visit>
    static void settings(Self& self, Visit const& visit)
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
    template <class Self, class Visit>
    static void settings(Self& self, Visit const& visit)
    {
        visit("particles", self.particles);
        visit("inertia", self.inertia);
        visit("own", self.own);
        visit("swarm", self.swarm);
    }
};

/// Settings that name a searcher, which is constructed of a space, a seed and them.
template <class S>
concept searcher_settings =
    requires {
        { S::name } -> std::convertible_to<std::string_view>;
        typename S::searcher;
    } && std::constructible_from<typename S::searcher, chain_of_trees, std::uint64_t, S const&> &&
    std::copy_constructible<S> && std::default_initializable<S>;

/// The search with its name, "genetic;population,20;children,10;mutation,0.3;selection,2.5".
template <class S>
    requires(searcher_settings<S>)
[[nodiscard]] technique technique_of(S const& with)
{
    std::string const name = detail::text_with_settings(with);
    return {name, attune::detail::named_search(name, search_with<typename S::searcher>(with))};
}

} // namespace attune::inline ATTUNE_ABI::search
