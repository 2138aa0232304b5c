// bench/search/strategies.hpp - the searchers of the library, by name.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/automatic.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/search/compose/aging_evolution.hpp>
#include <attune/search/compose/recommended.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/local/annealing.hpp>
#include <attune/search/local/neighbourhood_descent.hpp>
#include <attune/search/local/populations.hpp>
#include <attune/search/meta/auc_bandit.hpp>
#include <attune/search/published/other_tools.hpp>
#include <attune/search/random.hpp>
#include <attune/search/searcher.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "../support/names.hpp"
#include "technique_file.hpp"

namespace bench {

struct strategy {
    std::string name;
    attune::search_factory make;
};

/// All of them.
[[nodiscard]] inline std::vector<strategy> strategies()
{
    return {
        {"automatic", attune::search_with<attune::search::automatic>()},
        {"bayesian", attune::search_with<attune::bayesian_searcher>()},
        {"annealing", attune::search_with<attune::annealing>()},
        {"coordinate_descent", attune::search_with<attune::coordinate_descent>()},
        {"differential_evolution", attune::search_with<attune::differential_evolution>()},
        {"genetic", attune::search_with<attune::genetic>()},
        {"local_search", attune::search_with<attune::local_search>()},
        {"neighbourhood_descent", attune::search_with<attune::neighbourhood_descent>()},
        {"particle_swarm", attune::search_with<attune::particle_swarm>()},
        {"regularized_evolution", attune::search_with<attune::regularized_evolution>()},
        {"random", attune::search_with<attune::random_searcher>()},
        {"exhaustive", attune::search_with<attune::exhaustive_searcher>()},
        {"baco", attune::published::baco()},
        {"baco_minus_minus", attune::published::baco_minus_minus()},
        {"kernel_tuner_bo", attune::published::kernel_tuner_bo()},
        {"kernel_tuner_multi",
         attune::published::kernel_tuner_bo(
             {.choose = attune::published::kernel_tuner_options::acquisition::multi})},
        {"opentuner_default", attune::published::opentuner_default()},
        {"cot_sampling", attune::published::cot_sampling()},
        {"bandit_A", attune::search::auc_bandit_of(attune::search::technique_set_a()).make},
        {"recommended", attune::search::recommended()},
    };
}

/// Those in "a,b,c"; "all" stands for every one.
/// Errors  std::runtime_error naming one that does not exist, and those that do
[[nodiscard]] inline std::vector<strategy> strategies_named(std::string const& list)
{
    std::vector<strategy> const known = strategies();
    if (list == "all") return known;
    std::vector<std::string> names;
    for (strategy const& s : known)
        names.push_back(s.name);
    require_known("--strategy", list, names);
    std::vector<strategy> out;
    for (std::string const& name : names_in(list))
        for (strategy const& s : known)
            if (s.name == name) out.push_back(s);
    return out;
}

/// Those of strategies_named(), nothing for an empty list; then the techniques of a file, if one is
/// given, by their names with '_' for blanks.
/// Errors  std::runtime_error: as strategies_named() and techniques_in(), or there is none
[[nodiscard]] inline std::vector<strategy> strategies_and_techniques(std::string const& list,
                                                                     std::string const& file)
{
    std::vector<strategy> out;
    if (!list.empty()) out = strategies_named(list);
    if (!file.empty())
        for (attune::search::technique const& t : techniques_in(file)) {
            out.push_back({t.name, t.make});
            std::replace(out.back().name.begin(), out.back().name.end(), ' ', '_');
        }
    if (out.empty()) throw std::runtime_error("neither --strategy nor --techniques names one");
    return out;
}

} // namespace bench
