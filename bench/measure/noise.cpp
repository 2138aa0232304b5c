// bench.measure.noise : what do wrong times cost a search, and what does it miss without any?
// SPDX-License-Identifier: MIT
//
//   bench/bench.measure.noise [--kernels a,b] [--runs 100] [--evaluations 60] [--rounds 20]
//
// All configurations of one kernel with a small space are timed in turns; the lower decile over the
// rounds, which is what a configuration takes while nobody else slows the machine, is its true time
// from then on. Nothing runs any more: the default search is told true times (within 2 %) of a
// machine that has two speeds, each in half of the evaluations; among the leaders the one with the
// best true time is chosen, and again with another seed. A line for each pair of speeds: in which
// share of the runs the chosen one was within 2 % of the best configuration of all, and in which
// one of those was evaluated at all; how much slower than the best the chosen one was on average,
// and at worst; how many took part in the final. The last line has the share where the machine does
// not change (slowdown=1), which no way of measuring can surpass but by luck. Measuring all, before
// the first line, takes a minute or two.
#include <attune/compile/clang.hpp>
#include <attune/core/random.hpp>
#include <attune/tune/loop/finals.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/kernels.hpp"

namespace {

struct arguments {
    std::string kernels = "kmeans";
    std::uint32_t runs = 100;
    std::uint32_t evaluations = 60;
    std::uint32_t rounds = 20;
};

/// Seconds of each configuration that works.
using true_times = std::unordered_map<attune::point, double, attune::point_hash>;

template <class Kernel>
true_times times_of(attune::chain_of_trees const& space, std::uint32_t rounds)
{
    constexpr std::uint64_t most = 2000;
    if (!space.size() || *space.size() > most)
        throw std::runtime_error(std::string(Kernel::name) + ": too large a space to measure all");
    Kernel problem;
    attune::clang_compiler const compiler;
    auto const kernel = Kernel::kernel();
    attune::kernel_description const& d = kernel.describe();
    std::vector<attune::point> points;
    std::vector<attune::callable> codes;
    for (std::uint64_t i = 0; i < *space.size(); ++i) {
        attune::point const at = space.at(i);
        auto compiled =
            compiler.compile(d.source, attune::detail::make_variant(d, space.describe(), at));
        if (!std::holds_alternative<attune::callable>(compiled)) continue;
        points.push_back(at);
        codes.push_back(std::get<attune::callable>(std::move(compiled)));
    }
    std::vector<std::vector<double>> seconds(points.size());
    for (std::uint32_t round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < points.size(); ++i) {
            auto* const entry = codes[i].template as<typename Kernel::signature>();
            problem.call(*entry); // the caches are those of this one then
            auto const begun = std::chrono::steady_clock::now(); // a kernel may use threads
            problem.call(*entry);
            std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - begun;
            seconds[i].push_back(taken.count());
        }
    true_times out;
    for (std::size_t i = 0; i < points.size(); ++i) {
        auto const decile = seconds[i].begin() + static_cast<std::ptrdiff_t>(rounds / 10);
        std::nth_element(seconds[i].begin(), decile, seconds[i].end());
        out[points[i]] = *decile;
    }
    return out;
}

/// What became of one search.
struct found {
    double evaluated_s = std::numeric_limits<double>::infinity(); ///< best of all
    double chosen_s = 0;
    std::size_t finalists = 0;
};

found search_once(attune::chain_of_trees const& space, true_times const& times,
                  std::uint32_t evaluations, double slowdown, std::uint64_t seed)
{
    attune::random_engine engine(seed);
    attune::any_searcher search = attune::default_search()(space, seed);
    std::optional<attune::detail::leaders> leaders;
    found out;
    for (std::uint32_t i = 0; i < evaluations; ++i) {
        std::vector<attune::point> const asked =
            leaders ? search.ask(1)
                    : std::vector<attune::point>{*attune::detail::default_point(space)};
        if (asked.empty()) break;
        auto const at = times.find(asked.front());
        if (at == times.end()) {
            search.tell(asked.front(), attune::failure{attune::failure_stage::compile, "", ""});
            continue;
        }
        double const true_s = at->second;
        bool const is_slow = attune::uniform_unit(engine) < 0.5;
        double const noise = 0.98 + 0.04 * attune::uniform_unit(engine);
        double const told_s = true_s * (is_slow ? slowdown : 1) * noise;
        attune::measurement const told{told_s, 0.98 * told_s, 1.02 * told_s, 24};
        search.tell(at->first, told);
        if (leaders)
            leaders->consider({at->first, told, {}});
        else
            leaders.emplace(told, "");
        out.evaluated_s = std::min(out.evaluated_s, true_s);
    }
    out.chosen_s = times.at(*attune::detail::default_point(space));
    for (attune::detail::finalist const& f : leaders->all())
        out.chosen_s = std::min(out.chosen_s, times.at(f.at));
    out.finalists = leaders->all().size();
    return out;
}

template <class Kernel>
void run(arguments const& asked)
{
    auto const kernel = Kernel::kernel();
    attune::kernel_description const& d = kernel.describe();
    attune::chain_of_trees const space =
        attune::detail::space_of_call(d, attune::detail::with_annotated_defaults(d), {});
    true_times const times = times_of<Kernel>(space, asked.rounds);
    double best_s = std::numeric_limits<double>::infinity();
    for (auto const& [at, seconds] : times)
        best_s = std::min(best_s, seconds);
    double const good_s = 1.02 * best_s;
    auto const good = static_cast<std::size_t>(std::count_if(
        times.begin(), times.end(), [&](auto const& t) { return t.second <= good_s; }));
    std::printf("times kernel=%s configurations=%zu best_ms=%.3f within_2_percent=%zu\n",
                Kernel::name, times.size(), 1e3 * best_s, good);
    std::fflush(stdout);

    double exact_share = 0;
    for (double const slowdown : std::array{1.0, 1.1, 1.2, 1.4, 1.6}) {
        double chosen = 0;
        double evaluated = 0;
        double mean = 0;
        double worst = 0;
        double finalists = 0;
        for (std::uint32_t i = 0; i < asked.runs; ++i) {
            found const f = search_once(space, times, asked.evaluations, slowdown, i + 1);
            double const loss = f.chosen_s / best_s - 1;
            chosen += f.chosen_s <= good_s ? 1.0 / asked.runs : 0;
            evaluated += f.evaluated_s <= good_s ? 1.0 / asked.runs : 0;
            mean += loss / asked.runs;
            worst = std::max(worst, loss);
            finalists += static_cast<double>(f.finalists) / asked.runs;
        }
        if (slowdown == 1) exact_share = chosen;
        std::printf("noise kernel=%s slowdown=%.1f share=%.2f evaluated=%.2f mean_loss=%.3f "
                    "worst_loss=%.3f finalists=%.1f\n",
                    Kernel::name, slowdown, chosen, evaluated, mean, worst, finalists);
        std::fflush(stdout);
    }
    std::printf("total kernel=%s exact_share=%.2f\n", Kernel::name, exact_share);
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        arguments asked;
        bench::read_arguments(argc, argv,
                              {{"--kernels", &asked.kernels},
                               {"--runs", &asked.runs, 1},
                               {"--evaluations", &asked.evaluations, 1},
                               {"--rounds", &asked.rounds, 1}});
        bench::for_kernels_of(asked.kernels, [&]<class Kernel> { run<Kernel>(asked); });
        return 0;
    });
}
