// bench/search/pareto.cpp - how much of known fronts of two objectives a search covers.
// SPDX-License-Identifier: MIT
//
// Run      bench.search.pareto [--repeats 11] [--budget 60] [--seed 0]
// Prints   a line per problem and way to search: the median over runs of the hypervolume's share of
//          the true front's, after a third, two thirds and all of the budget, and the least one.
//          The true front is that of all configurations. The reference point is a tenth of the
//          front's extent beyond its worst values. Last line: `total`, the means over problems of
//          the medians after all of the budget, of the search and of random search.
// Exit     2 when an argument is wrong
#include <attune/core/random.hpp>
#include <attune/declare/description.hpp>
#include <attune/search/pareto_search.hpp>
#include <attune/search/random.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/median.hpp"
#include "synthetic_objective.hpp"

namespace {

using attune::point;
using attune::two_values;

struct arguments {
    std::size_t repeats = 11;
    std::size_t budget = 60;
    std::uint64_t seed = 0;
};

struct problem {
    std::string name;
    attune::chain_of_trees space;
    std::function<two_values(point const&)> objectives;
};

/// Of parameter i, in [0, 1].
[[nodiscard]] double unit(point const& p, std::size_t i, int values)
{
    return p[i].index / static_cast<double>(values - 1);
}

/// ZDT1 and ZDT2 of Zitzler, Deb, Thiele 2000 with three parameters: fronts 1 - sqrt(f), 1 - f^2.
[[nodiscard]] problem zdt(std::string name, bool is_convex)
{
    return {std::move(name), bench::grid_space(3, 28), [is_convex](point const& p) {
                double const f = unit(p, 0, 28);
                double const g = 1 + 9 * (unit(p, 1, 28) + unit(p, 2, 28)) / 2;
                double const r = f / g;
                return two_values{f, g * (1 - (is_convex ? std::sqrt(r) : r * r))};
            }};
}

/// A quarter of a circle, not convex: DTLZ2 of Deb et al. 2002.
[[nodiscard]] problem circle()
{
    return {"circle", bench::grid_space(3, 28), [](point const& p) {
                double const u = unit(p, 1, 28) - 0.3;
                double const v = unit(p, 2, 28) - 0.7;
                double const radius = 1 + u * u + v * v;
                double const angle = unit(p, 0, 28) * std::numbers::pi / 2;
                return two_values{radius * std::cos(angle), radius * std::sin(angle)};
            }};
}

/// The same two of bench/search/synthetic_objective.hpp, as a time and as another cost.
[[nodiscard]] problem synthetic(std::uint64_t seed)
{
    attune::chain_of_trees const space = bench::grid_space(4, 12);
    bench::synthetic_objective const first(space, 2 * seed + 1000, false);
    bench::synthetic_objective const second(space, 2 * seed + 1001, false);
    return {"synthetic_" + std::to_string(seed), space, [first, second](point const& p) {
                return two_values{std::get<attune::measurement>(first(p)).value,
                                  std::get<attune::measurement>(second(p)).value};
            }};
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments given;
        bench::read_arguments(argc, argv,
                              {{"--repeats", &given.repeats, 1},
                               {"--budget", &given.budget, 3},
                               {"--seed", &given.seed}});
        std::vector<problem> problems{zdt("zdt1", true), zdt("zdt2", false), circle()};
        for (std::uint64_t s = 0; s < 3; ++s)
            problems.push_back(synthetic(s));
        std::vector<std::pair<std::string, attune::search_factory>> const ways{
            {"pareto", {}}, {"random", attune::search_with<attune::random_searcher>()}};
        std::vector<double> sums(ways.size(), 0.0);
        for (problem const& one : problems) {
            std::vector<two_values> all;
            std::uint64_t const size = static_cast<std::uint64_t>(*one.space.size());
            for (std::uint64_t i = 0; i < size; ++i)
                all.push_back(one.objectives(one.space.at(i)));
            std::vector<std::size_t> const front = attune::non_dominated(all);
            two_values const low{all[front.front()][0], all[front.back()][1]};
            two_values const high{all[front.back()][0], all[front.front()][1]};
            two_values const reference{high[0] + 0.1 * (high[0] - low[0]),
                                       high[1] + 0.1 * (high[1] - low[1])};
            double const whole = attune::hypervolume(all, reference);
            for (std::size_t w = 0; w < ways.size(); ++w) {
                std::vector<std::vector<double>> shares(3);
                for (std::size_t r = 0; r < given.repeats; ++r) {
                    attune::pareto_search search(one.space, given.seed + r, {}, ways[w].second);
                    for (std::size_t e = 1; e <= given.budget; ++e) {
                        point const p = search.ask(1).front();
                        search.tell(p, one.objectives(p));
                        for (std::size_t third = 1; third <= 3; ++third)
                            if (e == given.budget * third / 3)
                                shares[third - 1].push_back(search.hypervolume(reference) / whole);
                    }
                }
                double const found = bench::median(shares[2]);
                sums[w] += found / static_cast<double>(problems.size());
                std::printf(
                    "pareto problem=%s way=%s points=%llu front=%zu budget=%zu share_third=%.3f "
                    "share_two_thirds=%.3f share=%.3f least=%.3f runs=%zu\n",
                    one.name.c_str(), ways[w].first.c_str(), static_cast<unsigned long long>(size),
                    front.size(), given.budget, bench::median(shares[0]), bench::median(shares[1]),
                    found, *std::min_element(shares[2].begin(), shares[2].end()), given.repeats);
                std::fflush(stdout);
            }
        }
        std::printf("total problems=%zu share=%.3f random=%.3f\n", problems.size(), sums[0],
                    sums[1]);
        return 0;
    });
}
