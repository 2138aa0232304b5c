// bench/search/fidelity.cpp - Hyperband beside searches that spend the whole budget on each evaluation.
// SPDX-License-Identifier: MIT
//
// Run      bench.search.fidelity [--repeats 40] [--most 81] [--rounds 1] [--noise 1] [--seed 0]
// Prints   a line per way to search: the mean over runs of optimum / true value of what is chosen,
//          its standard error, and the ratio of the mean distance from the optimum, in log(value),
//          to that of random search with the same sum of budgets. Six parameters of 16 values
//          under synthetic_objective.hpp; a budget b adds a normal error of `noise` * sqrt(most / b
//          - 1) / 9 to log(value), fixed for each configuration and budget: none at the most.
// Exit     2 when an argument is wrong
#include <attune/core/random.hpp>
#include <attune/declare/description.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/search/compose/aging_evolution.hpp>
#include <attune/search/hyperband.hpp>
#include <attune/search/random.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../support/arguments.hpp"
#include "synthetic_objective.hpp"

namespace {

struct arguments {
    std::size_t repeats = 40;
    std::size_t most = 81;
    std::size_t rounds = 1;
    std::size_t noise = 1;
    std::uint64_t seed = 0;
};

/// log(value) of a configuration, exact and with a budget.
class noisy_objective {
public:
    noisy_objective(attune::chain_of_trees const& space, std::uint64_t seed, arguments const& given)
        : exact_(space, seed, false)
        , seed_(seed)
        , most_(static_cast<double>(given.most))
        , noise_(static_cast<double>(given.noise))
    {
    }
    [[nodiscard]] double exact(attune::point const& p) const
    {
        return std::log(std::get<attune::measurement>(exact_(p)).value);
    }
    [[nodiscard]] double at(attune::point const& p, double budget) const
    {
        attune::random_engine engine(attune::point_hash{}(p) ^ (seed_ * 977) ^
                                     static_cast<std::uint64_t>(budget * 1024));
        double const radius = std::sqrt(-2 * std::log(1 - attune::uniform_unit(engine)));
        double const normal =
            radius * std::cos(2 * std::numbers::pi * attune::uniform_unit(engine));
        return exact(p) + noise_ * std::sqrt(most_ / budget - 1) / 9 * normal;
    }

private:
    bench::synthetic_objective exact_;
    std::uint64_t seed_;
    double most_;
    double noise_;
};

/// What a run chooses, as log(value). @param sum  of the budgets that it may spend
using way = std::function<double(noisy_objective const&, std::uint64_t seed, double sum)>;

/// Every evaluation has the most budget.
[[nodiscard]] way whole(attune::chain_of_trees const& space, attune::search_factory const& make,
                        double most)
{
    return [=](noisy_objective const& objective, std::uint64_t seed, double sum) {
        attune::any_searcher searcher = make(space, seed);
        double best = std::numeric_limits<double>::infinity();
        for (double spent = most; spent <= sum; spent += most) {
            std::vector<attune::point> const asked = searcher.ask(1);
            if (asked.empty()) break;
            double const value = objective.at(asked.front(), most);
            searcher.tell(asked.front(), attune::measurement::exact(value));
            best = std::min(best, value);
        }
        return best;
    };
}

[[nodiscard]] way by_budgets(attune::chain_of_trees const& space,
                             attune::hyperband_options const& options,
                             attune::search_factory const& search = {})
{
    return [=](noisy_objective const& objective, std::uint64_t seed, double) {
        attune::hyperband trials(space, seed, options, search);
        for (auto next = trials.ask(); !next.empty(); next = trials.ask())
            trials.tell(next.front(), attune::measurement::exact(
                                          objective.at(next.front().where, next.front().budget)));
        return objective.exact(trials.best()->where);
    };
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments given;
        bench::read_arguments(argc, argv,
                              {{"--repeats", &given.repeats, 1},
                               {"--most", &given.most, 1},
                               {"--rounds", &given.rounds, 1},
                               {"--noise", &given.noise},
                               {"--seed", &given.seed}});
        attune::chain_of_trees const space = bench::grid_space(6, 16);
        double const most = static_cast<double>(given.most);
        attune::hyperband_options options{.most_budget = most, .rounds = given.rounds};
        double sum = 0;
        for (auto const& bracket : attune::hyperband_brackets(options))
            for (attune::halving_rung const& rung : bracket)
                sum += static_cast<double>(given.rounds * rung.count) * rung.budget;
        attune::hyperband_options halving = options;
        halving.brackets = 1;
        halving.rounds = std::numeric_limits<std::uint32_t>::max();
        halving.total_budget = sum;
        auto const with = [&](attune::search_factory const& make) {
            return whole(space, make, most);
        };
        std::vector<std::pair<std::string, way>> const ways = {
            {"random", with(attune::search_with<attune::random_searcher>())},
            {"regularized_evolution", with(attune::search_with<attune::regularized_evolution>())},
            {"bayesian", with(attune::search_with<attune::bayesian_searcher>())},
            {"hyperband", by_budgets(space, options)},
            {"successive_halving", by_budgets(space, halving)},
            {"hyperband_bayesian",
             by_budgets(space, options, attune::search_with<attune::bayesian_searcher>())}};
        double random_distance = 0;
        for (auto const& [name, search] : ways) {
            double distance = 0;
            double fraction = 0;
            double squares = 0;
            double const runs = static_cast<double>(given.repeats);
            for (std::size_t r = 0; r < given.repeats; ++r) {
                noisy_objective const objective(space, given.seed + r, given);
                double const found = search(objective, given.seed + r, sum);
                distance += found / runs;
                fraction += std::exp(-found) / runs;
                squares += std::exp(-2 * found) / runs;
            }
            if (name == "random") random_distance = distance;
            std::printf("fidelity way=%s most=%zu sum=%.0f evaluations_of_most=%.1f noise=%zu "
                        "fraction=%.3f error=%.3f distance=%.3f of_random=%.3f runs=%zu\n",
                        name.c_str(), given.most, sum, sum / most, given.noise, fraction,
                        std::sqrt(std::max(0.0, squares - fraction * fraction) / runs), distance,
                        distance / random_distance, given.repeats);
            std::fflush(stdout);
        }
        return 0;
    });
}
