// bench/search/engine.cpp - what the Gaussian process costs: likelihood, fit, prediction, update.
// SPDX-License-Identifier: MIT
//
// Run      bench.search.engine [largest]
// Prints   per number of observations n, from 20 to `largest`, for 10 parameters and 10,000
//          candidates, milliseconds of processor time of one thread, medians of interleaved rounds:
//            likelihood_ms, radial_ms  log likelihood and its gradient, product and radial kernel,
//                                      one of ten in a row, as in a fit
//            fit_ms, evaluations       hyperparameters from a warm start and the prior's mode
//            predict_ms                mean and variance of all candidates, double
//            rebuild_ms                the same for a resident pool, float
//            observe_ms, exact_ms      one observation into a resident pool, float and double
//            forget_ms                 the oldest observation out of it
//            mean_error, variance_error  of float: largest, and largest relative
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
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../support/arguments.hpp"
#include "../support/interleaved.hpp"

namespace {

constexpr std::array<std::int64_t, 10> level_counts{2, 3, 4, 5, 6, 7, 8, 4, 5, 6};
constexpr std::size_t candidate_count = 10000;
constexpr int in_a_row = 10; ///< evaluations of a likelihood, as a fit has them

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
    Eigen::Map<Eigen::ArrayXd const> const y(out.values.data(), static_cast<Eigen::Index>(n));
    out.shift = y.mean();
    out.scale = std::sqrt((y - out.shift).square().mean());
    return out;
}

struct costs {
    double likelihood_ms;
    double predict_ms;
    double rebuild_ms;
    double observe_ms;
};

costs measure(attune::chain_of_trees const& space, attune::feature_map const& map,
              attune::feature_table const& candidates, std::size_t n)
{
    attune::random_engine engine(n);
    sample const seen = draw(space, map, n, engine);
    attune::detail::gp::design const design = attune::detail::gp::design_of(map, seen.table);
    Eigen::VectorXd const y =
        (Eigen::Map<Eigen::ArrayXd const>(seen.values.data(), static_cast<Eigen::Index>(n)) -
         seen.shift) /
        seen.scale;
    attune::detail::gp::kernel const radial{attune::detail::gp::kernel_form::radial,
                                            attune::detail::gp::smoothness::matern52};
    attune::detail::gp::evidence product_evidence(design, {}, y);
    attune::detail::gp::evidence radial_evidence(design, radial, y);
    attune::detail::gp::hyper_density const prior({}, std::vector<char>(map.count(), 0));

    attune::detail::gp::process model(map);
    model.rescale(seen.shift, seen.scale);
    model.refit(seen.table, seen.values, {}, engine);
    model.condition(seen.table, seen.values);
    attune::detail::gp::hyperparameter_vector const fitted = model.hyper();
    attune::detail::gp::pool single(map, {}, attune::detail::gp::precision::single);
    attune::detail::gp::pool exact(map, {}, attune::detail::gp::precision::exact);
    auto const prepare = [&](auto& pool) {
        pool.rescale(seen.shift, seen.scale);
        pool.set_hyper(fitted);
        pool.assign(candidates);
        pool.condition(seen.table, seen.values);
    };
    prepare(single);
    prepare(exact);
    double const mean_error = (single.mean() - exact.mean()).abs().maxCoeff();
    double const variance_error =
        ((single.variance() - exact.variance()) / exact.variance()).abs().maxCoeff();

    Eigen::VectorXd gradient;
    Eigen::ArrayXd mean;
    Eigen::ArrayXd variance;
    int evaluations = 0;
    double sink = 0;
    std::size_t row = 0;
    std::vector<std::function<void()>> const steps{
        [&] {
            for (int i = 0; i < in_a_row; ++i)
                sink += product_evidence(fitted.theta, &gradient);
        },
        [&] {
            for (int i = 0; i < in_a_row; ++i)
                sink += radial_evidence(fitted.theta, &gradient);
        },
        [&] {
            attune::detail::gp::hyperparameter_vector warm = fitted;
            warm.theta.array() += 0.1;
            evaluations = attune::detail::gp::maximise(product_evidence, prior, &warm, engine, {})
                              .evaluations;
        },
        [&] { model.predict(candidates, mean, variance); },
        [&] { single.condition(seen.table, seen.values); },
        [&] { exact.observe(++row, seen.values[0]); },
        [&] { single.observe(row, seen.values[0]); },
        [&] { single.forget(0); },
        [&] { exact.forget(0); },
    };
    std::vector<double> s = bench::interleaved_medians(steps, n > 200 ? 7 : 21);
    for (double& seconds : s)
        seconds *= 1e3;
    s[0] /= in_a_row;
    s[1] /= in_a_row;
    std::printf("engine n=%zu d=%zu candidates=%zu likelihood_ms=%.4f radial_ms=%.4f fit_ms=%.2f "
                "evaluations=%d predict_ms=%.2f rebuild_ms=%.2f observe_ms=%.3f exact_ms=%.3f "
                "forget_ms=%.3f mean_error=%.1e variance_error=%.1e\n",
                n, map.count(), candidates.points, s[0], s[1], s[2], evaluations, s[3], s[4], s[6],
                s[5], s[7], mean_error, variance_error);
    std::fflush(stdout);
    if (!std::isfinite(sink)) std::printf("engine n=%zu skipped: the evidence is no number\n", n);
    return {s[0], s[3], s[4], s[6]};
}

void compare(char const* what, double limit_ms, double measured_ms)
{
    std::printf("engine limit=%s limit_ms=%.2f measured_ms=%.4f within=%s\n", what, limit_ms,
                measured_ms, measured_ms <= limit_ms ? "yes" : "no");
}

} // namespace

int main(int argc, char** argv)
{
    return bench::exit_code_of(argv[0], [&] {
        std::size_t largest = 500;
        bench::read_arguments(argc, argv, {{"largest", &largest, 20}});
        attune::chain_of_trees const space = lattice();
        attune::feature_map const map(space);
        attune::random_engine engine(1);
        attune::feature_table const candidates = draw(space, map, candidate_count, engine).table;
        for (std::size_t const n : {20u, 50u, 100u, 200u, 500u}) {
            if (n > largest) break;
            costs const c = measure(space, map, candidates, n);
            if (n != 100) continue;
            compare("likelihood", 0.15, c.likelihood_ms);
            compare("predict", 9.0, c.predict_ms);
            compare("rebuild", 9.0, c.rebuild_ms);
            compare("observe", 0.6, c.observe_ms);
        }
        return 0;
    });
}
