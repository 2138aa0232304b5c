// bench/search/tsp_history.hpp - what random techniques gained on tours, for recommendations.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 5.4: how its historical data was made
#pragma once

#include <attune/core/random.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/meta/technique_history.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tsp_tours.hpp"

namespace bench {

/// A representation of the history: an instance, or the tours among some of its cities.
struct tsp_representation {
    std::string label; ///< "att48", "att48/36"
    tsp_instance tours;
};

/// The instance and three parts of it: 3/4, 1/2 and 1/4 of its cities, at least 13.
[[nodiscard]] inline std::vector<tsp_representation> representations_of(named_tours const& one,
                                                                        tsp_instance const& whole)
{
    std::vector<tsp_representation> out{{one.name, whole}};
    for (std::size_t const quarters : {3U, 2U, 1U}) {
        std::size_t const cities = std::max<std::size_t>(13, whole.cities * quarters / 4);
        out.push_back({std::string(one.name) + '/' + std::to_string(cities),
                       part_of(whole, cities, quarters)});
    }
    return out;
}

/// Adds searches of one representation: each an AUC bandit by chance, of five techniques.
inline void add_random_searches(attune::search::technique_history& to, tsp_representation const& of,
                                std::size_t searches, std::size_t tested, std::uint64_t seed)
{
    attune::chain_of_trees const space(space_of_tours(of.tours.cities));
    std::vector<attune::search::technique> const library = attune::search::technique_library();
    attune::random_engine engine(seed);
    std::vector<attune::search::representation> all;
    for (std::size_t i = 0; i < searches; ++i) {
        attune::search::technique const bandit =
            attune::search::random_bandit(engine, space.describe(), library);
        std::uint64_t const its_seed = engine();
        all.push_back({.label = of.label,
                       .structure = attune::search::structure_of(space.describe()),
                       .uses = search_tours(of.tours, space, bandit.make, tested, its_seed).uses});
    }
    to.add_all(std::move(all));
}

/// The history without an instance and all parts of it.
[[nodiscard]] inline attune::search::technique_history
without_instance(attune::search::technique_history const& all, std::string_view name)
{
    std::vector<attune::search::representation> others;
    for (attune::search::representation const& r : all.representations())
        if (r.label.substr(0, r.label.find('/')) != name) others.push_back(r);
    attune::search::technique_history out;
    out.add_all(std::move(others));
    return out;
}

} // namespace bench
