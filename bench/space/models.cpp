// bench/space/models.cpp - how long it takes to count, sample and explain what bounds leave of a network.
// SPDX-License-Identifier: MIT
//
// Run      bench.space.models [--repeat K] [--solutions N] [--benchmark_...]
//          K: builds of each space, default 11.  N: solutions that Z3 lists of each, default 100;
//          without attune::smt its lines are left out
// Prints   a line per network and bounds: valid configurations, log2 of all of them. Then the times
//          of each: declare of the network; count, from the bounds (quantities) to the exact count;
//          sample, uniform; neighbours of a configuration; allows, the membership test, and explain
//          of a configuration that is not valid. z3_s: seconds that Z3 takes to list all by adding
//          the negation of each found (DnnSAT, Sec. IV-E), from N of them: seconds per solution
//          times valid, which favours Z3, whose formula grows with each. vs_z3: over count. Then a
//          line with the worst of each over the four of the seed.
// Sizes    vgg16: batch 1..256, a kernel of 1, 3, 5 or 7, one width of 16 values for both dense
// layers;
//          seq2seq: batch 1..256, hidden 32..1024 step 8. These four are the total. Wider ones
//          after them: `widths` has two widths, `stages` a kernel for each of the five stages, too,
//          `deep` one for each of the thirteen layers. Bounds: weights; then FLOPs, memory and
//          time, too, except where trees would be too wide to be exact (`stages` and `deep` with
//          FLOPs: each batch makes another sum of all kernels).
// Note     processor time of one thread for attune, wall time for Z3
#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/model/roofline.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/exact_size.hpp>
#include <attune/space/query/explanation.hpp>
#ifdef ATTUNE_BENCH_SMT
#include <attune/space/smt/smt_solver.hpp>
#endif

#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../../tests/support/networks.hpp"
#include "../support/key_value_reporter.hpp"

namespace {

namespace model = attune::model;
using attune_tests::quantity;

constexpr auto batch = attune::integer<"BATCH">(1, 256);
constexpr auto kernel = attune::ordinal<"KERNEL">(attune::values(1, 3, 5, 7));
constexpr auto kernels =
    attune::array_of<13>(attune::ordinal<"KERNELS">(attune::values(1, 3, 5, 7)));
constexpr auto stages = attune::array_of<5>(attune::ordinal<"KERNELS">(attune::values(1, 3, 5, 7)));
constexpr auto first = attune::ordinal<"FIRST">(attune::range(256, 4096, 256));
constexpr auto second = attune::ordinal<"SECOND">(attune::range(256, 4096, 256));
constexpr auto hidden = attune::ordinal<"HIDDEN">(attune::range(32, 1024, 8));

/// A network over parameters, and bounds on it.
struct model_case {
    std::string name;
    bool is_of_seed = false;
    int most_bounds = 4; ///< 1, or 1 and 4
    std::function<model::network()> declare;
    std::function<attune::description(model::network const&, std::vector<quantity> const&)> bound;
    double weight_mb = 400;
    double gflops = 6000;
    double memory_gb = 4;
    double seconds = 1;
};

template <class... P>
auto space_of(P const&... parameters)
{
    return [pack = attune::space(parameters...)](model::network const& net,
                                                 std::vector<quantity> const& limits) {
        return net.space(pack, limits);
    };
}

/// VGG-16 with kernel `of(layer)` in each layer.
template <class Of, class First, class Second>
model::network vgg(Of const& of, First const& first_units, Second const& second_units)
{
    attune_tests::vgg16_sizes sizes{
        .batch = batch, .first_units = first_units, .second_units = second_units};
    for (std::size_t i = 0; i < sizes.kernels.size(); ++i)
        sizes.kernels[i] = of(i);
    return attune_tests::vgg16(sizes);
}

std::vector<model_case> cases()
{
    auto const one = [](std::size_t) { return quantity(kernel); };
    auto const by_stage = [](std::size_t layer) {
        return quantity(stages[layer < 4 ? layer / 2 : (layer + 2) / 3]);
    };
    auto const by_layer = [](std::size_t layer) { return quantity(kernels[layer]); };
    return {
        {"vgg16", true, 4, [=] { return vgg(one, first, first); }, space_of(batch, kernel, first)},
        {"seq2seq", true, 4,
         [] { return attune_tests::seq2seq({.batch = batch, .hidden = hidden}); },
         space_of(batch, hidden), 40, 60, 0.25, 0.02},
        {"vgg16_widths", false, 4, [=] { return vgg(one, first, second); },
         space_of(batch, kernel, first, second)},
        {"vgg16_stages", false, 1, [=] { return vgg(by_stage, first, second); },
         space_of(batch, stages, first, second)},
        {"vgg16_deep", false, 1, [=] { return vgg(by_layer, first, second); },
         space_of(batch, kernels, first, second)}};
}

std::int64_t whole(double value) { return static_cast<std::int64_t>(value); }

std::vector<quantity> limits_of(model_case const& c, model::network const& net, bool all)
{
    std::vector<quantity> out{net.weight_bytes() <= whole(1e6 * c.weight_mb)};
    if (!all) return out;
    out.push_back(net.flops() <= whole(1e9 * c.gflops));
    out.push_back(net.memory_bytes() <= whole(1e9 * c.memory_gb));
    model::roofline_device const device{.name = "P40", .gflops_per_s = 11760, .gbytes_per_s = 346};
    out.push_back(model::time_on(net, device).at_most(c.seconds));
    return out;
}

/// Wall seconds that Z3 takes per solution, listing so many; nothing without Z3.
/// Errors   std::runtime_error: it gave up
[[nodiscard]] std::optional<double>
z3_seconds_each([[maybe_unused]] attune::description const& space, [[maybe_unused]] int most)
{
#ifdef ATTUNE_BENCH_SMT
    auto const begin = std::chrono::steady_clock::now();
    attune::smt_listing const listed =
        attune::smt_solver(space).enumerate({.most = static_cast<std::uint64_t>(most)});
    std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - begin;
    if (listed.points.empty()) throw std::runtime_error("Z3 finds no solution: " + listed.reason);
    return taken.count() / static_cast<double>(listed.points.size());
#else
    return {};
#endif
}

/// A space, and a configuration that its bounds leave out.
struct subject {
    subject(model_case const& with, bool has_all)
        : c(with)
        , name(c.name + (has_all ? "_4" : "_1"))
        , all(has_all)
        , net(c.declare())
        , chain(build())
        , valid(count_of(chain))
        , refused(chain.sample(engine))
    {
        attune::chain_of_trees const any(c.bound(net, {}));
        for (int i = 0; i < 1'000'000 && chain.contains(refused); ++i)
            refused = any.sample(engine);
        std::printf("model %s valid=%s log2_all=%.1f\n", name.c_str(), valid.c_str(),
                    any.log2_size());
    }
    [[nodiscard]] attune::chain_of_trees build() const
    {
        return attune::chain_of_trees(c.bound(net, limits_of(c, net, all)));
    }
    [[nodiscard]] static std::string count_of(attune::chain_of_trees const& of)
    {
        return of.is_exact() ? attune::exact_size(of).str() : "estimated";
    }

    model_case c;
    std::string name;
    bool all;
    model::network net;
    attune::chain_of_trees chain;
    std::string valid;
    attune::random_engine engine{1};
    attune::point refused;
};

void add(subject& s)
{
    bench::add("declare/" + s.name, [&](auto&) { (void)s.c.declare(); });
    bench::add("count/" + s.name, [&](auto&) { (void)s.count_of(s.build()); });
    bench::add("sample/" + s.name,
               [&](auto&) { benchmark::DoNotOptimize(s.chain.sample(s.engine)); });
    bench::add("neighbours/" + s.name, [&, p = s.chain.sample(s.engine)](auto&) {
        benchmark::DoNotOptimize(s.chain.neighbours(p));
    });
    bench::add("allows/" + s.name,
               [&](auto&) { benchmark::DoNotOptimize(s.chain.contains(s.refused)); });
    bench::add("explain/" + s.name, [&](auto&) {
        benchmark::DoNotOptimize(attune::explain(s.chain.describe(), s.refused));
    });
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        int solutions = 100;
        bench::read_flags(argc, argv, {{"--solutions", &solutions, 1}}, 11, "--repeat");
        std::vector<std::unique_ptr<subject>> subjects;
        for (model_case const& c : cases())
            for (bool const all : {false, true})
                if (!all || c.most_bounds == 4)
                    add(*subjects.emplace_back(std::make_unique<subject>(c, all)));
        auto const seconds = bench::run();
        if (seconds.empty()) return 0;
        double count_s = 0, vs_z3 = 0, sample_s = 0, explain_s = 0;
        for (auto const& s : subjects) {
            if (!s->c.is_of_seed) continue;
            double const this_s = seconds.at("count/" + s->name);
            count_s = std::max(count_s, this_s);
            sample_s = std::max(sample_s, seconds.at("sample/" + s->name));
            explain_s = std::max(explain_s, seconds.at("explain/" + s->name));
            std::optional<double> const each_s = z3_seconds_each(s->chain.describe(), solutions);
            if (!each_s) continue;
            double const z3_s = *each_s * std::stod(s->valid);
            std::printf("z3 %s z3_s=%.1f vs_z3=%.3g\n", s->name.c_str(), z3_s, z3_s / this_s);
            vs_z3 = vs_z3 == 0 ? z3_s / this_s : std::min(vs_z3, z3_s / this_s);
        }
        std::printf("total worst_ms=%.3f", 1e3 * count_s);
        if (vs_z3 > 0) std::printf(" vs_z3=%.3g", vs_z3);
        std::printf(" worst_sample_us=%.2f worst_explain_us=%.1f\n", 1e6 * sample_s,
                    1e6 * explain_s);
        return 0;
    });
}
