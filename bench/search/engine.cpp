// bench/search/engine.cpp - what the Gaussian process costs: likelihood, fit, prediction, update.
// SPDX-License-Identifier: MIT
//
// Run      bench.search.engine [largest] [--benchmark_...]
// Prints   per number of observations n, from 20 to `largest`, for 10 parameters and 10,000
//          candidates, the errors of float: largest of the mean, largest relative of the variance;
//          then nanoseconds of processor time of one thread:
//            likelihood/n, radial/n    log likelihood and its gradient, product and radial kernel
//            fit/n, evaluations        hyperparameters from a warm start and the prior's mode
//            predict/n                 mean and variance of all candidates, double
//            rebuild/n                 the same for a resident pool, float
//            observe/n, exact/n        one observation into a resident pool, float and double
//            forget/n                  the oldest observation out of it, float
//          then the limits at n = 100 beside what was measured
// Note     as the library is compiled: -march=native shortens all but the look-ups
#include <attune/core/random.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/evidence.hpp>
#include <attune/search/bayes/gp/pool.hpp>
#include <attune/search/bayes/gp/process.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <Eigen/Core>

#include <array>
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../support/key_value_reporter.hpp"

namespace {

namespace gp = attune::detail::gp;

constexpr std::array<std::int64_t, 10> level_counts{2, 3, 4, 5, 6, 7, 8, 4, 5, 6};
constexpr std::size_t candidate_count = 10000;

attune::chain_of_trees lattice()
{
    attune::description d;
    for (std::int64_t const levels : level_counts) {
        attune::parameter_description p;
        p.name = "p";
        p.name += std::to_string(d.parameters.size());
        p.kind = attune::parameter_kind::ordinal;
        p.type = attune::value_kind::integer;
        for (std::int64_t i = 0; i < levels; ++i)
            p.integers.push_back(i);
        d.parameters.push_back(std::move(p));
    }
    return attune::chain_of_trees(d);
}

/// Smooth, with interactions and 5 % of noise.
double objective(attune::point const& p, attune::random_engine& engine)
{
    double sum = 0;
    std::array<double, level_counts.size()> x{};
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = p[i].index / static_cast<double>(level_counts[i] - 1);
        sum += std::sin(0.7 * static_cast<double>(i) + 2.0 * x[i]);
    }
    return sum + 2.0 * x[3] * x[4] - x[5] * x[6] + 0.05 * attune::uniform_unit(engine);
}

struct sample {
    attune::feature_table table;
    std::vector<double> values;
    double shift = 0;
    double scale = 1;

    [[nodiscard]] Eigen::ArrayXd y() const
    {
        return Eigen::Map<Eigen::ArrayXd const>(values.data(),
                                                static_cast<Eigen::Index>(values.size()));
    }
};

sample draw(attune::chain_of_trees const& space, attune::feature_map const& map, std::size_t n,
            attune::random_engine& engine)
{
    sample out;
    for (std::size_t i = 0; i < n; ++i) {
        attune::point const p = space.sample(engine);
        map.append(p, out.table);
        out.values.push_back(objective(p, engine));
    }
    out.shift = out.y().mean();
    out.scale = std::sqrt((out.y() - out.shift).square().mean());
    return out;
}

/// A process and two pools that know n observations.
struct engines {
    engines(attune::chain_of_trees const& space, attune::feature_map const& map,
            attune::feature_table const& candidates, std::size_t n)
        : engine(n)
        , seen(draw(space, map, n, engine))
        , design(gp::design_of(map, seen.table))
        , product(design, {}, (seen.y() - seen.shift) / seen.scale)
        , radial(design, {gp::kernel_form::radial, gp::smoothness::matern52},
                 (seen.y() - seen.shift) / seen.scale)
        , prior({}, std::vector<char>(map.count(), 0))
        , model(map)
        , single(map, {}, gp::precision::single)
        , exact(map, {}, gp::precision::exact)
    {
        model.rescale(seen.shift, seen.scale);
        model.refit(seen.table, seen.values, {}, engine);
        model.condition(seen.table, seen.values);
        fitted = model.hyper();
        for (gp::pool* const pool : {&single, &exact}) {
            pool->rescale(seen.shift, seen.scale);
            pool->set_hyper(fitted);
            pool->assign(candidates);
            pool->condition(seen.table, seen.values);
        }
    }

    attune::random_engine engine;
    sample seen;
    gp::design design;
    gp::evidence product, radial;
    gp::hyper_density prior;
    gp::process model;
    gp::hyperparameter_vector fitted;
    gp::pool single, exact;
    Eigen::VectorXd gradient;
    Eigen::ArrayXd mean, variance;
    std::size_t row = 0;
};

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        std::size_t largest = 500;
        bench::read_flags(argc, argv, {{"largest", &largest, 20}});
        attune::chain_of_trees const space = lattice();
        attune::feature_map const map(space);
        attune::random_engine engine(1);
        attune::feature_table const candidates = draw(space, map, candidate_count, engine).table;
        std::vector<std::unique_ptr<engines>> all;
        for (std::size_t const n : {20u, 50u, 100u, 200u, 500u}) {
            if (n > largest) break;
            engines& with = *all.emplace_back(std::make_unique<engines>(space, map, candidates, n));
            Eigen::ArrayXd const exact = with.exact.variance();
            std::printf("engine n=%zu d=%zu candidates=%zu mean_error=%.1e variance_error=%.1e\n",
                        n, map.count(), candidates.points,
                        (with.single.mean() - with.exact.mean()).abs().maxCoeff(),
                        ((with.single.variance() - exact) / exact).abs().maxCoeff());
            std::string const at = '/' + std::to_string(n);
            bench::add("likelihood" + at,
                       [&with](auto&) { (void)with.product(with.fitted.theta, &with.gradient); });
            bench::add("radial" + at,
                       [&with](auto&) { (void)with.radial(with.fitted.theta, &with.gradient); });
            bench::add("fit" + at, [&with](auto& state) {
                gp::hyperparameter_vector warm = with.fitted;
                warm.theta.array() += 0.1;
                state.counters["evaluations"] =
                    gp::maximise(with.product, with.prior, &warm, with.engine, {}).evaluations;
            });
            bench::add("predict" + at,
                       [&](auto&) { with.model.predict(candidates, with.mean, with.variance); });
            bench::add("rebuild" + at, [&with](auto&) {
                with.single.condition(with.seen.table, with.seen.values);
            });
            auto const add_update = [&](std::string const& name, gp::pool& pool, bool is_observe) {
                bench::add(name + at, [&with, &pool, is_observe](auto& state) {
                    if (!is_observe) state.PauseTiming();
                    pool.observe(++with.row % candidate_count, with.seen.values[0]);
                    is_observe ? state.PauseTiming() : state.ResumeTiming();
                    pool.forget(0);
                    if (is_observe) state.ResumeTiming();
                });
            };
            add_update("observe", with.single, true);
            add_update("exact", with.exact, true);
            add_update("forget", with.single, false);
        }
        auto const seconds = bench::run();
        if (!seconds.contains("likelihood/100")) return 0;
        for (auto const& [name, limit_ms] : {std::pair{"likelihood", 0.15},
                                             {"predict", 9.0},
                                             {"rebuild", 9.0},
                                             {"observe", 0.6}}) {
            double const ms = 1e3 * seconds.at(name + std::string("/100"));
            std::printf("engine limit=%s limit_ms=%.2f measured_ms=%.4f within=%s\n", name,
                        limit_ms, ms, ms <= limit_ms ? "yes" : "no");
        }
        return 0;
    });
}
