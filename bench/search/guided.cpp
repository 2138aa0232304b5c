// bench/search/guided.cpp - searches that know a bound on weights, beside the same ones that meet it after training.
// SPDX-License-Identifier: MIT
// Source   Gao et al., DnnSAT, Sec. V-A; nets and bounds of HPOBench, Klein & Hutter 2019
//
// Run      bench.search.guided --table FILE [--repeats 50] [--trials 100]
//              [--searches NAME[,NAME...]] [--seed 0]
//          FILE: of train_table.py. On its uniform sample regularized_evolution stagnates, because
//          the neighbours of a net are not in the table, and takes minutes per bound: use --grid
// Prints   a line per way to search, bound and cost of an invalid net. A guided search has the nets
//          of the table within the bound as its space; an unguided one has all nets of the table,
//          pays for an invalid one, and is told that it failed. Time is the sum of the recorded
//          seconds of training. `target` is the median over repeats of the lowest error of a valid
//          net at 36 epochs that `trials` unguided trials found; `gain` the mean time of the
//          unguided searches to the target over that of the guided ones, with a bootstrap interval
//          of 95 %. Searches go on after `trials` until they are there.
//          `invalid`: what an invalid net costs: `trained`, the epochs that it was to get, as the
//          recorded times that the source adds up; `least`, 4 epochs; `none`.
//          `wasted`: share of invalid nets among the unguided trials.
//          `ratios`: the source's measure, the mean over repeats of the time in which one unguided
//          search found its own best over that of one guided search to the same error. Where
//          nothing is to be gained it is not 1, because a short time in a denominator weighs more
//          than a long one: see the lines of share=1.
//          Last line: the least gain at 8 and 16 KiB, `trained`, and its interval; the controls,
//          which are 1 but for chance: gains where all nets are valid, and of random search where
//          invalid ones cost nothing.
// Exit     2 when an argument is wrong
#include <attune/core/outcome.hpp>
#include <attune/core/random.hpp>
#include <attune/search/compose/aging_evolution.hpp>
#include <attune/search/hyperband.hpp>
#include <attune/search/random.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/median.hpp"
#include "../support/names.hpp"
#include "trained_nets.hpp"

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct arguments {
    std::string table;
    std::string searches; ///< empty: all
    std::size_t repeats = 50;
    std::size_t trials = 100;
    std::uint64_t seed = 0;
};

enum class invalid_cost { trained, least, none };
constexpr std::array<char const*, 3> cost_names{"trained", "least", "none"};

/// One training. The search learns nothing of what an invalid net costs, so one course has the
/// times of all three costs.
struct trial {
    bool is_valid = true;
    double seconds = 0;       ///< of the epochs that were asked for
    double least_seconds = 0; ///< of 4 epochs
    double error = infinite;  ///< of a valid net after all epochs; infinite for any other training

    [[nodiscard]] double paid(invalid_cost cost) const
    {
        if (is_valid || cost == invalid_cost::trained) return seconds;
        return cost == invalid_cost::least ? least_seconds : 0;
    }
};

/// What trainings give under a bound.
struct trainer {
    std::shared_ptr<bench::net_table const> table;
    std::int64_t most_bytes;

    /// The error is that of these epochs.
    /// @param budget  an index into trained_net::epochs
    [[nodiscard]] trial operator()(attune::point const& p, std::size_t budget) const
    {
        bench::trained_net const& net = table->nets.at(p);
        bool const is_valid = net.weight_bytes <= most_bytes;
        return {is_valid, net.seconds[budget], net.seconds.front(),
                is_valid ? net.error[budget] : infinite};
    }
};

using next_trial = std::function<trial()>;
/// A search of one space.
using way =
    std::function<next_trial(attune::chain_of_trees const&, std::uint64_t seed, trainer const&)>;

/// Every training has all epochs.
[[nodiscard]] way whole(attune::search_factory const& make)
{
    return [=](attune::chain_of_trees const& space, std::uint64_t seed, trainer const& train) {
        auto const search = std::make_shared<attune::any_searcher>(make(space, seed));
        return [=] {
            std::vector<attune::point> const asked = search->ask(1);
            if (asked.empty()) throw std::runtime_error("a search ended before the target");
            trial const done = train(asked.front(), bench::trained_net::epochs.size() - 1);
            search->tell(asked.front(), attune::outcome_of(done.error));
            return done;
        };
    };
}

[[nodiscard]] next_trial by_budgets(attune::chain_of_trees const& space, std::uint64_t seed,
                                    trainer const& train)
{
    constexpr auto epochs = bench::trained_net::epochs;
    attune::hyperband_options options{.least_budget = epochs.front(), .most_budget = epochs.back()};
    options.rounds = std::numeric_limits<std::uint32_t>::max();
    auto const search = std::make_shared<attune::hyperband>(space, seed, options);
    return [=] {
        attune::fidelity_trial const asked = search->ask().front();
        auto const budget = static_cast<std::size_t>(
            std::find(epochs.begin(), epochs.end(), asked.budget) - epochs.begin());
        trial done = train(asked.where, budget);
        search->tell(asked, attune::outcome_of(done.error));
        if (budget + 1 < epochs.size()) done.error = infinite;
        return done;
    };
}

/// A search as time goes on, which runs as far as it is looked at.
class course {
public:
    explicit course(next_trial next)
        : next_(std::move(next))
    {
    }

    /// The lowest error in `trials` trials.
    [[nodiscard]] double best_of(std::size_t trials)
    {
        while (trials_.size() < trials)
            run();
        double best = infinite;
        for (std::size_t i = 0; i < trials; ++i)
            best = std::min(best, trials_[i].error);
        return best;
    }
    /// When the error was at most `target` for the first time.
    /// Errors  std::runtime_error: not within a million trials
    [[nodiscard]] double seconds_to(double target, invalid_cost cost)
    {
        double seconds = 0;
        for (std::size_t i = 0; i < 1'000'000; ++i) {
            if (i == trials_.size()) run();
            seconds += trials_[i].paid(cost);
            if (trials_[i].error <= target) return seconds;
        }
        throw std::runtime_error("a search did not reach the target in a million trials");
    }
    /// Share of invalid nets in the first `trials` trials. @pre these have run
    [[nodiscard]] double wasted_share(std::size_t trials) const
    {
        auto const end = trials_.begin() + static_cast<std::ptrdiff_t>(trials);
        auto const invalid =
            std::count_if(trials_.begin(), end, [](trial const& t) { return !t.is_valid; });
        return static_cast<double>(invalid) / static_cast<double>(trials);
    }

private:
    void run() { trials_.push_back(next_()); }

    next_trial next_;
    std::vector<trial> trials_;
};

[[nodiscard]] double mean(std::vector<double> const& values)
{
    double sum = 0;
    for (double const v : values)
        sum += v;
    return sum / static_cast<double>(values.size());
}

struct interval {
    double low = 0;
    double high = 0;
};

/// Of mean(above) / mean(below): the percentiles 2.5 and 97.5 over 4,000 pairs of resamples.
[[nodiscard]] interval bootstrap(std::vector<double> const& above, std::vector<double> const& below,
                                 std::uint64_t seed)
{
    attune::random_engine engine(seed);
    auto const resampled = [&](std::vector<double> const& from) {
        double sum = 0;
        for (std::size_t i = 0; i < from.size(); ++i)
            sum += from[attune::uniform_below(engine, from.size())];
        return sum / static_cast<double>(from.size());
    };
    std::vector<double> ratios(4000);
    for (double& ratio : ratios) {
        double const numerator = resampled(above);
        ratio = numerator / resampled(below);
    }
    std::sort(ratios.begin(), ratios.end());
    return {ratios[ratios.size() / 40], ratios[ratios.size() - 1 - ratios.size() / 40]};
}

/// A gain with its interval, and the smallest and largest of several.
struct gains {
    double least = infinite;
    double most = 0;
    interval of_least{};

    void add(double gain, interval const& around)
    {
        if (gain < least) of_least = around;
        least = std::min(least, gain);
        most = std::max(most, gain);
    }
};

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments given;
        bench::read_arguments(argc, argv,
                              {{"--table", &given.table},
                               {"--repeats", &given.repeats, 1},
                               {"--trials", &given.trials, 1},
                               {"--searches", &given.searches},
                               {"--seed", &given.seed}});
        std::vector<std::pair<std::string, way>> ways{
            {"random", whole(attune::search_with<attune::random_searcher>())},
            {"regularized_evolution", whole(attune::search_with<attune::regularized_evolution>())},
            {"hyperband", by_budgets}};
        std::vector<std::string> names;
        for (auto const& one : ways)
            names.push_back(one.first);
        bench::require_known("--searches", given.searches, names);
        std::erase_if(ways, [&](auto const& w) { return !bench::is_in(given.searches, w.first); });
        if (given.table.empty())
            throw std::runtime_error("--table FILE of train_table.py is needed");
        auto const table = std::make_shared<bench::net_table const>(bench::read_nets(given.table));
        constexpr std::int64_t all_kib = 1049; // the largest net has 1,073,156 bytes
        attune::chain_of_trees const all = bench::trained_within(table, all_kib * 1024);
        double const count = static_cast<double>(*all.size());
        gains small;
        gains control;
        for (std::int64_t const kib :
             std::initializer_list<std::int64_t>{8, 16, 40, 80, 100, 160, 400, all_kib}) {
            attune::chain_of_trees const valid = bench::trained_within(table, kib * 1024);
            for (auto const& [name, search] : ways) {
                trainer const train{table, kib * 1024};
                std::vector<course> unguided;
                std::vector<course> guided;
                std::vector<double> best;
                std::vector<double> wasted;
                for (std::size_t r = 0; r < given.repeats; ++r) {
                    // Different seeds: else both would be one search where all is valid.
                    std::uint64_t const seed = given.seed + 2 * r;
                    unguided.emplace_back(search(all, seed, train));
                    guided.emplace_back(search(valid, seed + 1, train));
                    best.push_back(unguided.back().best_of(given.trials));
                    wasted.push_back(unguided.back().wasted_share(given.trials));
                }
                double const target = bench::median(best);
                if (*std::max_element(best.begin(), best.end()) == infinite)
                    throw std::runtime_error("--trials: too few to find a valid net each time");
                for (invalid_cost const cost :
                     {invalid_cost::trained, invalid_cost::least, invalid_cost::none}) {
                    if (kib == all_kib && cost != invalid_cost::trained)
                        continue; // none is invalid
                    std::vector<double> slow;
                    std::vector<double> fast;
                    std::vector<double> ratios;
                    for (std::size_t r = 0; r < given.repeats; ++r) {
                        slow.push_back(unguided[r].seconds_to(target, cost));
                        fast.push_back(guided[r].seconds_to(target, cost));
                        ratios.push_back(unguided[r].seconds_to(best[r], cost) /
                                         guided[r].seconds_to(best[r], cost));
                    }
                    double const gain = mean(slow) / mean(fast);
                    interval const around = bootstrap(slow, fast, given.seed);
                    bool const is_control =
                        kib == all_kib || (cost == invalid_cost::none && name == "random");
                    if (is_control) control.add(gain, around);
                    if (kib <= 16 && cost == invalid_cost::trained) small.add(gain, around);
                    std::printf("guided %s bound_kib=%lld share=%.4f invalid=%s gain=%.2f low=%.2f "
                                "high=%.2f unguided_s=%.3f guided_s=%.3f target=%.4f wasted=%.3f "
                                "ratios=%.2f median_ratio=%.2f\n",
                                name.c_str(), static_cast<long long>(kib),
                                static_cast<double>(*valid.size()) / count,
                                cost_names[static_cast<std::size_t>(cost)], gain, around.low,
                                around.high, mean(slow), mean(fast), target, mean(wasted),
                                mean(ratios), bench::median(ratios));
                    std::fflush(stdout);
                }
            }
        }
        std::printf("total data=%s nets=%.0f trials=%zu runs=%zu worst_gain_8_16=%.2f low=%.2f "
                    "high=%.2f control_least=%.2f control_most=%.2f\n",
                    table->data.c_str(), count, given.trials, given.repeats, small.least,
                    small.of_least.low, small.of_least.high, control.least, control.most);
        return 0;
    });
}
