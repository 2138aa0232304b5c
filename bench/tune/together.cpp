// bench/tune/together.cpp - five kernels on one budget, by several policies.
// SPDX-License-Identifier: MIT
//
// Run      bench.tune.together [--data DIR] [--spaces PART[,PART...]] [--repeats 20] [--budget 150]
//          [--seed 0] [--equal-parts] [--real] [--evaluations 75]
//          --data: five recorded spaces of DIR (see bench.search.replay) for each seed, drawn where
//          there are more, with 67, 22, 7.4, 2.5 and .8 % of the time of the whole; each in turn
//          has each of these parts; an evaluation is a look-up. --budget: of all together. --real:
//          five kernels of examples/kernels with these parts of the time, tuned for each seed by
//          tune_together() with --evaluations together; by an equal split, by turns and by
//          MetaSchedule's gradient scheduler with as many; and by equal splits of twice and of four
//          times as many. Their winners are timed in turns. --equal-parts: each has a fifth of the
//          time
// Prints   a line per policy, means over seeds and turns: t_best= the least possible time of the
//          whole over that of the defaults (--real: with the fastest winner of each kernel), t=
//          what was reached over the least possible, ratio_to_equal= (T_equal - T_best) /
//          (T - T_best) with a 95 % interval over seeds, worse= seeds in which it was worse than
//          the equal split; policy=equal_split_doubled has twice the budget. With --real a line
//          for each kernel and policy before. The last of these lines is total, of the policy of
//          tune_together(): ratio=, and above_equal= the mean of (T - T_equal) / T_best, paired by
//          seeds, with above_low= and above_high= its 95 % interval: worse beyond noise than the
//          equal split where above_low > 0. Intervals are those of 1000 resamples of the seeds:
//          too narrow with less than about ten
// Exit     2 when a file or an argument is wrong
#include <attune/tune/together.hpp>

#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/core/random.hpp>
#include <attune/measure/clock/time_in_turns.hpp>
#include <attune/tune/dispatch/tuning_slice.hpp>
#include <attune/tune/together/shared_budget.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../../examples/kernels/all.hpp"
#include "../support/arguments.hpp"
#include "../support/names.hpp"
#include "../support/recorded.hpp"
#include "together_recorded.hpp"

namespace {

using namespace attune::detail;

struct arguments {
    std::string data;
    std::string spaces;
    std::size_t repeats = 20;
    std::size_t budget = 150;
    std::size_t seed = 0;
    bool equal_parts = false;
    bool real = false;
    std::size_t evaluations = 75;
};

constexpr std::size_t kernels_together = 5;
constexpr std::array<double, kernels_together> parts{81.0 / 121, 27.0 / 121, 9.0 / 121, 3.0 / 121,
                                                     1.0 / 121};

struct named_policy {
    std::string name;
    turn_policy policy;
    std::size_t budget;
};

[[nodiscard]] std::vector<named_policy> policies(std::size_t budget)
{
    double const part = static_cast<double>(budget) / kernels_together;
    return {{"equal_split", equal_split(part), budget},
            {"round_robin", round_robin(), budget},
            {"gradient", gradient(), budget},
            {"most_gain", most_gain(), budget},
            {"equal_split_doubled", equal_split(2 * part), 2 * budget}};
}

/// Means over the turns: T / T_best of each policy, for each seed; and T_best.
struct results {
    std::vector<std::vector<double>> reached; ///< [policy][seed]
    std::vector<double> possible;             ///< [seed]
};

/// (T_equal - T_best) / (T - T_best) by sums over these seeds.
[[nodiscard]] double ratio_of(std::vector<double> const& equal, std::vector<double> const& policy,
                              std::span<std::size_t const> seeds)
{
    double above = 0;
    double below = 0;
    for (std::size_t const s : seeds) {
        above += equal[s] - 1;
        below += policy[s] - 1;
    }
    return above / below;
}

/// T - T_equal over T_best, mean over these seeds.
[[nodiscard]] double above_equal(std::vector<double> const& equal,
                                 std::vector<double> const& policy,
                                 std::span<std::size_t const> seeds)
{
    double out = 0;
    for (std::size_t const s : seeds)
        out += (policy[s] - equal[s]) / static_cast<double>(seeds.size());
    return out;
}

/// A figure of two policies, and its 95 % interval: of 1000 resamples of the seeds.
struct compared_policies {
    double value = 0;
    double low = 0;
    double high = 0;
};

/// @param figure  ratio_of or above_equal
[[nodiscard]] compared_policies
compare(double (*figure)(std::vector<double> const&, std::vector<double> const&,
                         std::span<std::size_t const>),
        std::vector<double> const& equal, std::vector<double> const& policy)
{
    std::vector<std::size_t> seeds(equal.size());
    std::iota(seeds.begin(), seeds.end(), std::size_t{0});
    double const value = figure(equal, policy, seeds);
    attune::random_engine engine(1);
    std::vector<double> all;
    for (int i = 0; i < 1000; ++i) {
        for (std::size_t& s : seeds)
            s = attune::uniform_below(engine, equal.size());
        all.push_back(figure(equal, policy, seeds));
    }
    std::sort(all.begin(), all.end());
    return {value, all[25], all[974]};
}

/// Prints a line of each policy, then the total of the policy `ours`.
void print_policies(char const* kind, std::vector<named_policy> const& compared,
                    results const& found, std::string const& ours)
{
    std::size_t const count = found.possible.size();
    auto const mean = [&](std::vector<double> const& of) {
        double sum = 0;
        for (double const one : of)
            sum += one / static_cast<double>(count);
        return sum;
    };
    std::vector<double> const& equal = found.reached[0];
    for (std::size_t p = 0; p < compared.size(); ++p) {
        std::vector<double> const& its = found.reached[p];
        std::size_t worse = 0;
        for (std::size_t s = 0; s < count; ++s)
            if (its[s] > equal[s]) ++worse;
        compared_policies const ratio = compare(ratio_of, equal, its);
        std::printf("together %spolicy=%s budget=%zu t_best=%.4f t=%.4f ratio_to_equal=%.3f "
                    "low=%.3f high=%.3f worse=%zu/%zu\n",
                    kind, compared[p].name.c_str(), compared[p].budget, mean(found.possible),
                    mean(its), ratio.value, ratio.low, ratio.high, worse, count);
    }
    for (std::size_t p = 0; p < compared.size(); ++p) {
        if (compared[p].name != ours) continue;
        compared_policies const above = compare(above_equal, equal, found.reached[p]);
        std::printf("total ratio=%.3f above_equal=%.4f above_low=%.4f above_high=%.4f\n",
                    compare(ratio_of, equal, found.reached[p]).value, above.value, above.low,
                    above.high);
    }
}

[[nodiscard]] std::vector<bench::recording> recordings_of(arguments const& given)
{
    std::vector<bench::recording> out;
    for (std::string const& path : bench::recorded_paths(given.data)) {
        if (!bench::has_part(path.substr(path.find_last_of('/') + 1), given.spaces)) continue;
        std::vector<std::string> notes;
        if (std::optional<bench::recording> read = bench::read_recording(path, notes))
            out.push_back(std::move(*read));
    }
    if (out.empty()) throw std::runtime_error(given.data + ": no recorded space was replayed");
    return out;
}

/// Five different spaces where there are as many, in any order.
[[nodiscard]] std::vector<std::size_t> drawn(std::size_t spaces, std::uint64_t seed)
{
    attune::random_engine engine(seed + 1000);
    std::vector<std::size_t> order;
    while (order.size() < kernels_together)
        for (std::size_t i = 0; i < spaces; ++i)
            order.push_back(i);
    attune::shuffle(std::span<std::size_t>(order), engine);
    order.resize(kernels_together);
    return order;
}

/// Where a policy gets on these searches; the k-th has the part k + turn of the whole.
/// @param is_equal  each has a fifth
/// @return  the time of the whole over the possible, and the possible over that of the defaults
[[nodiscard]] std::pair<double, double>
reached(named_policy const& by, std::span<std::unique_ptr<bench::recorded_search> const> searches,
        std::size_t turn, bool is_equal)
{
    std::vector<std::unique_ptr<bench::recorded_task>> tasks;
    std::vector<budget_task*> pointers;
    for (std::size_t k = 0; k < searches.size(); ++k) {
        tasks.push_back(std::make_unique<bench::recorded_task>(
            *searches[k],
            is_equal ? 1.0 / kernels_together : parts[(k + turn) % kernels_together]));
        pointers.push_back(tasks.back().get());
    }
    shared_budget all({.evaluations = by.budget}, pointers, by.policy, [] { return 0.0; });
    while (all.step()) {
    }
    double now = 0;
    double possible = 0;
    for (auto const& one : tasks) {
        now += one->now();
        possible += one->possible();
    }
    return {now / possible, possible};
}

void simulate(arguments const& given)
{
    std::vector<bench::recording> const all = recordings_of(given);
    std::vector<named_policy> const compared = policies(given.budget);
    results found;
    found.reached.resize(compared.size());
    for (std::size_t seed = given.seed; seed < given.seed + given.repeats; ++seed) {
        std::fprintf(stderr, "\rseed %zu ", seed);
        std::vector<std::unique_ptr<bench::recorded_search>> searches;
        for (std::size_t const space : drawn(all.size(), seed))
            searches.push_back(std::make_unique<bench::recorded_search>(
                all[space], seed * kernels_together + searches.size()));
        double possible = 0;
        for (std::size_t p = 0; p < compared.size(); ++p) {
            double sum = 0;
            for (std::size_t turn = 0; turn < kernels_together; ++turn) {
                auto const [now, least] = reached(compared[p], searches, turn, given.equal_parts);
                sum += now / kernels_together;
                if (p == 0) possible += least / kernels_together;
            }
            found.reached[p].push_back(sum);
        }
        found.possible.push_back(possible);
    }
    std::fprintf(stderr, "\r%*s\r", 20, "");
    print_policies("", compared, found, "most_gain");
}

/// One kernel, tuned by each of several policies.
struct real_kernel {
    std::string name;
    std::function<attune::tuning_share(std::size_t policy)> share;
    std::function<attune::round_times()> in_turns; ///< the winners of all policies
};

template <class Kernel>
[[nodiscard]] real_kernel real(std::size_t policies, std::uint64_t seed)
{
    using tuned_kernel = attune::tuned<typename Kernel::signature, attune::clang_compiler>;
    auto const problem = std::make_shared<Kernel>();
    auto const by = std::make_shared<std::vector<std::unique_ptr<tuned_kernel>>>();
    attune::tuning_options quiet{.progress = attune::silent_progress()};
    quiet.search.seed = seed;
    for (std::size_t p = 0; p < policies; ++p) {
        attune::clang_options fresh; // none has what another one compiled
        fresh.cache.enabled = false;
        by->push_back(
            std::make_unique<tuned_kernel>(Kernel::kernel(), attune::clang_compiler(fresh), quiet));
    }
    return {Kernel::name,
            [problem, by](std::size_t policy) {
                std::vector<attune::tuning_share> out;
                problem->call([&](auto&&... arguments) {
                    out.push_back(attune::share(*(*by)[policy], arguments...));
                });
                return out.front();
            },
            [problem, by] {
                std::vector<std::function<void()>> runs;
                for (auto const& one : *by)
                    runs.push_back([&] { problem->call(*one); });
                attune::time_in_turns_options how;
                how.clear_by = std::numeric_limits<double>::infinity(); // each has all rounds
                how.max_s = 5;
                return attune::time_in_turns({}, runs, how);
            }};
}

/// tune_together(), and what it is compared with: the other policies with the same budget, and
/// equal splits of twice and of four times as much.
[[nodiscard]] std::vector<named_policy> real_policies(std::size_t budget)
{
    double const part = static_cast<double>(budget) / kernels_together;
    return {{"equal_split", equal_split(part), budget},
            {"round_robin", round_robin(), budget},
            {"gradient", gradient(), budget},
            {"tune_together", {}, budget},
            {"equal_split_doubled", equal_split(2 * part), 2 * budget},
            {"equal_split_fourfold", equal_split(4 * part), 4 * budget}};
}

/// Adds one seed: the five kernels tuned by each policy, their winners timed in turns. T_best has
/// of each kernel the fastest winner.
void tune_really(std::vector<named_policy> const& compared, std::size_t seed, results& found)
{
    std::vector<real_kernel> const all{real<kernels::sgemm>(compared.size(), seed),
                                       real<kernels::convolution2d>(compared.size(), seed),
                                       real<kernels::stencil3d>(compared.size(), seed),
                                       real<kernels::spmm>(compared.size(), seed),
                                       real<kernels::kmeans>(compared.size(), seed)};
    std::vector<attune::together_report> reports;
    for (std::size_t p = 0; p < compared.size(); ++p) {
        std::fprintf(stderr, "\rseed %zu %-22s", seed, compared[p].name.c_str());
        std::vector<attune::tuning_share> shares;
        for (std::size_t k = 0; k < all.size(); ++k)
            shares.push_back(all[k].share(p).of_time(parts[k]));
        attune::search_limits const budget{.evaluations = compared[p].budget};
        reports.push_back(compared[p].policy ? tune_together_by(compared[p].policy, budget, shares)
                                             : attune::tune_together(budget, shares));
    }
    std::fprintf(stderr, "\r%*s\r", 40, "");
    std::vector<double> now(compared.size(), 0);
    double possible = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
        attune::round_times const times = all[k].in_turns();
        double const of_default = times.time(0).value * reports[0].shares[k].report.speedup;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t p = 0; p < compared.size(); ++p) {
            double const part = parts[k] * times.time(p).value / of_default;
            now[p] += part;
            least = std::min(least, part);
            std::printf("together real seed=%zu kernel=%s part=%.3f policy=%s evaluations=%llu "
                        "speedup=%.2f\n",
                        seed, all[k].name.c_str(), parts[k], compared[p].name.c_str(),
                        static_cast<unsigned long long>(reports[p].shares[k].evaluations),
                        parts[k] / part);
        }
        possible += least;
    }
    for (std::size_t p = 0; p < compared.size(); ++p)
        found.reached[p].push_back(now[p] / possible);
    found.possible.push_back(possible); // the defaults take 1
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments given;
        bench::read_arguments(argc, argv,
                              {{"--data", &given.data},
                               {"--spaces", &given.spaces},
                               {"--repeats", &given.repeats, 1},
                               {"--budget", &given.budget, 1},
                               {"--seed", &given.seed},
                               {"--equal-parts", &given.equal_parts},
                               {"--real", &given.real},
                               {"--evaluations", &given.evaluations, 1}});
        if (given.data.empty() && !given.real)
            throw std::runtime_error("--data DIR or --real is needed");
        if (!given.data.empty()) simulate(given);
        if (given.real) {
            std::vector<named_policy> const compared = real_policies(given.evaluations);
            results found;
            found.reached.resize(compared.size());
            for (std::size_t seed = given.seed; seed < given.seed + given.repeats; ++seed)
                tune_really(compared, seed, found);
            print_policies("real ", compared, found, "tune_together");
        }
        return 0;
    });
}
