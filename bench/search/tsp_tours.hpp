// bench/search/tsp_tours.hpp - the six tours, smaller ones made of them, and who searches them how well.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 7.2.3: the instances, and how many tours are tested
#pragma once

#include <attune/core/random.hpp>
#include <attune/declare/group.hpp>
#include <attune/search/compose/gene.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tsp_instance.hpp"

namespace bench {

struct named_tours {
    char const* name;
    char const* file;
    double best_known;
    std::size_t tested;
    bool is_counted; ///< p43: the thesis has another optimum, so its ratios compare with nothing
};
inline constexpr named_tours all_tours[] = {
    {"att48", "att48.tsp", 10628, 3000, true}, {"dantzig42", "dantzig42.tsp", 699, 3000, true},
    {"ftv44", "ftv44.atsp", 1613, 3000, true}, {"ftv170", "ftv170.atsp", 2755, 3000, true},
    {"p43", "p43.atsp", 5620, 3000, false},    {"rbg323", "rbg323.atsp", 1326, 6000, true}};

/// The tours among a random choice of the cities.
[[nodiscard]] inline tsp_instance part_of(tsp_instance const& whole, std::size_t cities,
                                          std::uint64_t seed)
{
    attune::random_engine engine(seed);
    std::vector<std::size_t> chosen(whole.cities);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    attune::shuffle(std::span(chosen), engine);
    chosen.resize(std::min(cities, chosen.size()));
    tsp_instance out;
    out.cities = chosen.size();
    for (std::size_t const from : chosen)
        for (std::size_t const to : chosen)
            out.way.push_back(whole.way[from * whole.cities + to]);
    return out;
}

/// A search of tours that has ended.
struct searched_tours {
    double best = std::numeric_limits<double>::infinity();
    std::vector<attune::search::technique_use> uses;
};

/// Asks for one tour at a time until so many different ones were tested.
/// Errors  std::runtime_error when a searcher repeats itself for 10 * tested questions
[[nodiscard]] inline searched_tours search_tours(tsp_instance const& of,
                                                 attune::chain_of_trees const& space,
                                                 attune::search_factory const& make,
                                                 std::size_t tested, std::uint64_t seed)
{
    searched_tours out;
    attune::any_searcher searcher = make(space, seed);
    std::unordered_set<attune::point, attune::point_hash> seen;
    for (std::size_t questions = 0; seen.size() < tested; ++questions) {
        if (questions > 10 * tested) throw std::runtime_error("the searcher repeats itself");
        std::vector<attune::point> const asked = searcher.ask(1);
        if (asked.empty()) break;
        attune::point const& at = asked.front();
        double const length = of.length(attune::detail::order_of(space.describe(), 0, at));
        searcher.tell(at, attune::measurement::exact(length));
        seen.insert(at);
        out.best = std::min(out.best, length);
    }
    out.uses = searcher.uses();
    return out;
}

/// The best of so many tours by random insertions, swaps and inversions of the tour at hand, which
/// is left for one that is not longer.
[[nodiscard]] inline double climb_tours(tsp_instance const& of, std::size_t tested,
                                        std::uint64_t seed)
{
    attune::random_engine engine(seed);
    attune::search::item_order now(of.cities);
    std::iota(now.begin(), now.end(), std::uint16_t{0});
    attune::shuffle(std::span(now), engine);
    double length = of.length(now);
    for (std::size_t i = 1; i < tested; ++i) {
        std::size_t a = attune::uniform_below(engine, of.cities);
        std::size_t b = attune::uniform_below(engine, of.cities - 1);
        b += b < a ? 0 : 1; // another place
        std::uint64_t const kind = attune::uniform_below(engine, 3);
        if (kind == 2 && a > b) std::swap(a, b);
        attune::search::item_order const next = kind == 0 ? attune::search::shifted(now, a, 1, b)
                                                : kind == 1
                                                    ? attune::search::swapped(now, a, b)
                                                    : attune::search::inverted(now, a, b - a + 1);
        double const its = of.length(next);
        if (its > length) continue;
        now = next;
        length = its;
    }
    return length;
}

} // namespace bench
