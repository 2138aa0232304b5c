// bench/search/bounded.cpp - the best value within a bound on a second quantity, by a model of that quantity and without.
// SPDX-License-Identifier: MIT
//
// Run      bench.search.bounded [--repeats 11] [--budget 60] [--seed 0]
// Prints   a line per problem and way to search: the median over runs of optimum / value of the
// best
//          within the bound, after a third, two thirds and all of the budget (0 where nothing kept
//          it), and the median number of evaluations beyond it. `bounded` is told quantities,
//          `failures` only that a configuration failed. Last line: `total`, the means over problems
//          of the medians after all of the budget. Objective and quantity are two of
//          synthetic_objective.hpp; the bound is the quantile named in the problem, of all points.
// Exit     2 when an argument is wrong
#include <attune/core/evaluation.hpp>
#include <attune/core/outcome.hpp>
#include <attune/declare/description.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/random.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/median.hpp"
#include "synthetic_objective.hpp"

namespace {

using attune::point;

struct arguments {
    std::size_t repeats = 11;
    std::size_t budget = 60;
    std::uint64_t seed = 0;
};

struct way {
    char const* name;
    attune::search_factory make;
    bool tells_quantities;
};

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments given;
        bench::read_arguments(argc, argv,
                              {{"--repeats", &given.repeats, 1},
                               {"--budget", &given.budget, 3},
                               {"--seed", &given.seed}});
        attune::chain_of_trees const space = bench::grid_space(5, 7);
        std::uint64_t const size = static_cast<std::uint64_t>(*space.size());
        std::vector<way> const ways{
            {"bounded", attune::search_with<attune::search::automatic>(), true},
            {"failures", attune::search_with<attune::search::automatic>(), false},
            {"random", attune::search_with<attune::random_searcher>(), false}};
        std::vector<double> sums(ways.size(), 0.0);
        std::size_t problems = 0;
        for (std::uint64_t pair = 0; pair < 3; ++pair)
            for (double const quantile : {0.02, 0.1, 0.4}) {
                bench::synthetic_objective const objective(space, 2 * pair + 2000, false);
                bench::synthetic_objective const second(space, 2 * pair + 2001, false);
                auto const number = [](bench::synthetic_objective const& of, point const& p) {
                    return std::get<attune::measurement>(of(p)).value;
                };
                std::vector<double> quantities;
                for (std::uint64_t i = 0; i < size; ++i)
                    quantities.push_back(number(second, space.at(i)));
                std::vector<double> sorted = quantities;
                std::sort(sorted.begin(), sorted.end());
                attune::quantity_bound const bound = attune::at_most(
                    "quantity", sorted[static_cast<std::size_t>(quantile * double(size))]);
                double optimum = std::numeric_limits<double>::infinity();
                for (std::uint64_t i = 0; i < size; ++i)
                    if (quantities[i] <= bound.limit)
                        optimum = std::min(optimum, number(objective, space.at(i)));
                ++problems;
                for (std::size_t w = 0; w < ways.size(); ++w) {
                    std::vector<std::vector<double>> shares(3);
                    std::vector<double> beyond;
                    for (std::size_t r = 0; r < given.repeats; ++r) {
                        attune::any_searcher search = ways[w].make(space, given.seed + r);
                        double best = std::numeric_limits<double>::infinity();
                        double broken = 0;
                        for (std::size_t e = 1; e <= given.budget; ++e) {
                            point const p = search.ask(1).front();
                            double const value = number(objective, p);
                            std::vector<double> const measured{number(second, p)};
                            if (ways[w].tells_quantities)
                                search.tell_excess(p, value,
                                                   attune::detail::excesses({bound}, measured));
                            attune::outcome const told = attune::detail::within_bounds(
                                {bound}, measured, attune::measurement::exact(value));
                            search.tell(p, told);
                            if (attune::succeeded(told))
                                best = std::min(best, value);
                            else
                                ++broken;
                            for (std::size_t third = 1; third <= 3; ++third)
                                if (e == given.budget * third / 3)
                                    shares[third - 1].push_back(optimum / best);
                        }
                        beyond.push_back(broken);
                    }
                    double const found = bench::median(shares[2]);
                    sums[w] += found;
                    std::printf("bounded pair=%llu quantile=%.2f way=%s points=%llu budget=%zu "
                                "share_third=%.3f share_two_thirds=%.3f share=%.3f beyond=%.0f "
                                "runs=%zu\n",
                                static_cast<unsigned long long>(pair), quantile, ways[w].name,
                                static_cast<unsigned long long>(size), given.budget,
                                bench::median(shares[0]), bench::median(shares[1]), found,
                                bench::median(beyond), given.repeats);
                    std::fflush(stdout);
                }
            }
        double const count = static_cast<double>(problems);
        std::printf("total problems=%zu share=%.3f failures=%.3f random=%.3f\n", problems,
                    sums[0] / count, sums[1] / count, sums[2] / count);
        return 0;
    });
}
