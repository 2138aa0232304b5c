// bench/tune/together.cpp - five kernels on one budget, by several policies.
// SPDX-License-Identifier: MIT
//
// Run      bench.tune.together [--data DIR] [--spaces PART[,PART...]] [--repeats 20] [--budget 150]
//          [--seed 0] [--equal-parts] [--real] [--evaluations 75]
//          --data: five recorded spaces of DIR (see bench.search.replay) for each seed, drawn where
//          there are more, with 67, 22, 7.4, 2.5 and .8 % of the time of the whole; each in turn
//          has each of these parts; an evaluation is a look-up. --budget: of all together. --real:
//          five kernels of examples/kernels with these parts of the time, tuned by the policy of
//          tune_together() and by the equal split, --evaluations together; winners of the two are
//          timed in turns
//          --equal-parts: each has a fifth of the time
// Prints   a line per policy, means over seeds and turns: t_best= the least possible time of the
//          whole over that of the defaults, t= what was reached over the least possible,
//          ratio_to_equal= (T_equal - T_best) / (T - T_best) with a 95 % interval over seeds,
//          worse= seeds in which it was worse than the equal split; policy=equal_split_doubled has
//          twice the budget. With --real a line per kernel and one for all. The last line is
//          total ratio= of the policy of tune_together(), or of --real T_equal / T.
// Exit     2 when a file or an argument is wrong
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/core/random.hpp>
#include <attune/tune/together/shared_budget.hpp>
#include <attune/tune/together/turn_policy.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../../examples/kernels/all.hpp"
#include "../support/arguments.hpp"
#include "../support/duel.hpp"
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
constexpr std::array<double, kernels_together> parts{
    81.0 / 121, 27.0 / 121, 9.0 / 121, 3.0 / 121, 1.0 / 121};

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
[[nodiscard]] double ratio_of(std::vector<double> const& equal,
                              std::vector<double> const& policy,
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

/// Of 1000 resamples of the seeds.
[[nodiscard]] std::pair<double, double> interval_of(std::vector<double> const& equal,
                                                    std::vector<double> const& policy)
{
    attune::random_engine engine(1);
    std::vector<double> all;
    for (int i = 0; i < 1000; ++i) {
        std::vector<std::size_t> seeds;
        for (std::size_t k = 0; k < equal.size(); ++k)
            seeds.push_back(attune::uniform_below(engine, equal.size()));
        all.push_back(ratio_of(equal, policy, seeds));
    }
    std::sort(all.begin(), all.end());
    return {all[25], all[974]};
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
reached(named_policy const& by,
        std::span<std::unique_ptr<bench::recorded_search> const> searches,
        std::size_t turn,
        bool is_equal)
{
    std::vector<std::unique_ptr<bench::recorded_task>> tasks;
    std::vector<budget_task*> pointers;
    for (std::size_t k = 0; k < searches.size(); ++k) {
        tasks.push_back(std::make_unique<bench::recorded_task>(
            *searches[k],
            is_equal ? 1.0 / kernels_together : parts[(k + turn) % kernels_together]));
        pointers.push_back(tasks.back().get());
    }
    spend_together({.evaluations = by.budget}, pointers, by.policy, [] { return 0.0; });
    double now = 0;
    double possible = 0;
    for (auto const& one : tasks) {
        now += one->now();
        possible += one->possible();
    }
    return {now / possible, possible};
}

[[nodiscard]] double simulate(arguments const& given)
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
    std::vector<std::size_t> seeds(given.repeats);
    for (std::size_t i = 0; i < seeds.size(); ++i)
        seeds[i] = i;
    auto const mean = [&](std::vector<double> const& of) {
        double sum = 0;
        for (double const one : of)
            sum += one / static_cast<double>(of.size());
        return sum;
    };
    double ours = 0;
    for (std::size_t p = 0; p < compared.size(); ++p) {
        std::size_t worse = 0;
        for (std::size_t const s : seeds)
            if (found.reached[p][s] > found.reached[0][s]) ++worse;
        double const ratio = ratio_of(found.reached[0], found.reached[p], seeds);
        auto const [low, high] = interval_of(found.reached[0], found.reached[p]);
        if (compared[p].name == "most_gain") ours = ratio;
        std::printf("together policy=%s budget=%zu t_best=%.4f t=%.4f ratio_to_equal=%.3f "
                    "low=%.3f high=%.3f worse=%zu/%zu\n",
                    compared[p].name.c_str(),
                    compared[p].budget,
                    mean(found.possible),
                    mean(found.reached[p]),
                    ratio,
                    low,
                    high,
                    worse,
                    given.repeats);
    }
    return ours;
}

/// One kernel, tuned by either policy.
struct real_kernel {
    std::string name;
    std::function<attune::tuning_share(bool equal)> share;
    std::function<bench::comparison()> duel; ///< equal over ours
};

template <class Kernel>
[[nodiscard]] real_kernel real()
{
    auto const problem = std::make_shared<Kernel>();
    attune::tuning_options const quiet{.progress = attune::silent_progress()};
    using tuned_kernel = attune::tuned<typename Kernel::signature, attune::clang_compiler>;
    auto const make = [&] {
        attune::clang_options fresh; // neither has what the other one compiled
        fresh.cache.enabled = false;
        return std::make_shared<tuned_kernel>(
            Kernel::kernel(), attune::clang_compiler(fresh), quiet);
    };
    std::array const by{make(), make()};
    return {
        Kernel::name,
        [problem, by](bool equal) {
            std::vector<attune::tuning_share> out;
            problem->call([&](auto&&... arguments) {
                out.push_back(attune::share(*by[equal ? 1 : 0], arguments...));
            });
            return out.front();
        },
        [problem, by] {
            return bench::duel(
                {}, [&] { problem->call(*by[0]); }, [&] { problem->call(*by[1]); }, {.max_s = 3});
        }};
}

[[nodiscard]] double tune_really(arguments const& given)
{
    std::vector<real_kernel> const all{real<kernels::sgemm>(),
                                       real<kernels::convolution2d>(),
                                       real<kernels::stencil3d>(),
                                       real<kernels::spmm>(),
                                       real<kernels::kmeans>()};
    auto const run = [&](bool equal) {
        std::vector<attune::tuning_share> shares;
        for (std::size_t i = 0; i < all.size(); ++i)
            shares.push_back(all[i].share(equal).of_time(parts[i]));
        attune::search_limits const budget{.evaluations = given.evaluations};
        double const part =
            static_cast<double>(given.evaluations) / static_cast<double>(kernels_together);
        return equal ? tune_together_by(equal_split(part), budget, shares)
                     : attune::tune_together(budget, shares);
    };
    attune::together_report const ours = run(false);
    attune::together_report const equal = run(true);
    double sum = 0;
    double sum_equal = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        attune::share_report const& a = ours.shares[i];
        attune::share_report const& b = equal.shares[i];
        double const ratio = all[i].duel().ratio;
        double const now = a.calls * a.report.best.value;
        sum += now;
        sum_equal += now * ratio;
        std::printf("together kernel=%s part=%.3f evaluations=%llu evaluations_equal=%llu "
                    "speedup=%.2f speedup_equal=%.2f equal_over_ours=%.3f\n",
                    all[i].name.c_str(),
                    parts[i],
                    static_cast<unsigned long long>(a.evaluations),
                    static_cast<unsigned long long>(b.evaluations),
                    a.report.speedup,
                    b.report.speedup,
                    ratio);
    }
    std::printf("together real evaluations=%llu seconds=%.1f seconds_equal=%.1f t=%.4f "
                "t_equal=%.4f\n",
                static_cast<unsigned long long>(ours.evaluations),
                ours.elapsed_s,
                equal.elapsed_s,
                sum,
                sum_equal);
    return sum_equal / sum;
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments given;
        bench::read_arguments(argc,
                              argv,
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
        double ratio = 1;
        if (!given.data.empty()) ratio = simulate(given);
        if (given.real) ratio = tune_really(given);
        std::printf("total ratio=%.3f\n", ratio);
        return 0;
    });
}
