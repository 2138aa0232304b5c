// tests/search/bayes/gp/process.cpp : mirrors include/attune/search/bayes/gp/process.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/gp/process.hpp>

#include <attune/core/random.hpp>
#include <attune/search/bayes/gp/evidence.hpp>
#include <attune/search/bayes/gp/kernel.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <utility>
#include <vector>

#include "../../../support/gp_points.hpp"

using attune::detail::gp::process;
using attune::detail::gp::process_options;

namespace {

struct setting {
    attune::random_engine engine{21};
    attune::chain_of_trees space = gp_points::space(true);
    attune::feature_map map{space};
    gp_points::sample seen = gp_points::draw(space, map, 50, engine);
    gp_points::sample where = gp_points::draw(space, map, 700, engine);
    attune::detail::gp::hyperparameter_vector h = gp_points::some_hyper(map.count());
    std::vector<double> extra = std::vector<double>(50, 0.0);

    setting() { extra[3] = 0.5; }
    [[nodiscard]] gp_points::textbook textbook(attune::detail::gp::kernel k) const
    {
        Eigen::VectorXd const y = (gp_points::vector(seen.values).array() - 1.0) / 0.7;
        return {map, k, h, seen.table, y, gp_points::vector(extra), where.table};
    }
};

} // namespace

TEST_CASE("predictions equal the textbook formula with an explicit inverse")
{
    setting const s;
    for (attune::detail::gp::kernel const& k : gp_points::all_kernels()) {
        process_options options;
        options.kernel = k;
        process model(s.map, options);
        model.rescale(1.0, 0.7);
        model.set_hyper(s.h);
        model.condition(s.seen.table, s.seen.values, s.extra);
        CHECK(model.observations() == 50);
        auto const [mean, variance] = gp_points::predicted(model, s.where.table);
        gp_points::textbook const want = s.textbook(k);
        CHECK((mean - want.mean).abs().maxCoeff() < 1e-10);
        CHECK((variance - want.variance).abs().maxCoeff() < 1e-10);
    }
}

TEST_CASE("observations added and forgotten leave what conditioning at once gives")
{
    setting const s;
    process model(s.map);
    model.rescale(1.0, 0.7);
    model.set_hyper(s.h);
    for (std::size_t i = 0; i < 50; ++i)
        model.observe(s.seen.table, i, s.seen.values[i], s.extra[i]);
    model.observe(s.where.table, 5, 3.0);
    model.forget(50);
    auto const [mean, variance] = gp_points::predicted(model, s.where.table);
    gp_points::textbook const want = s.textbook({});
    CHECK((mean - want.mean).abs().maxCoeff() < 1e-10);
    CHECK((variance - want.variance).abs().maxCoeff() < 1e-10);
}

TEST_CASE("rescaling after the fact equals conditioning on the rescaled values")
{
    setting const s;
    process model(s.map);
    model.rescale(-4.0, 3.0);
    model.set_hyper(s.h);
    model.condition(s.seen.table, s.seen.values, s.extra);
    model.rescale(1.0, 0.7);
    auto const [mean, variance] = gp_points::predicted(model, s.where.table);
    CHECK((mean - s.textbook({}).mean).abs().maxCoeff() < 1e-9);
    CHECK(model.shift() == 1.0);
    CHECK(model.scale() == 0.7);
}

TEST_CASE("without observations a process predicts mean 0 and the variance of the signal")
{
    setting const s;
    process model(s.map);
    auto const [mean, variance] = gp_points::predicted(model, s.where.table);
    CHECK(mean.size() == 700);
    CHECK(mean.abs().maxCoeff() == 0.0);
    CHECK((variance == model.hyper().signal()).all());
}

TEST_CASE("a refitted process predicts what it has not seen, and knows where it does not know")
{
    setting s;
    for (process_options const& options : {process_options{}, attune::detail::gp::baco_process(),
                                           attune::detail::gp::kernel_tuner_process()}) {
        process model(s.map, options);
        Eigen::VectorXd const y = gp_points::vector(s.seen.values);
        double const shift = y.mean();
        double const scale = std::sqrt((y.array() - shift).square().mean());
        model.rescale(shift, scale);
        model.refit(s.seen.table, s.seen.values, {}, s.engine);
        model.condition(s.seen.table, s.seen.values);
        auto const [mean, variance] = gp_points::predicted(model, s.where.table);
        Eigen::ArrayXd const truth = (gp_points::vector(s.where.values).array() - shift) / scale;
        CHECK(std::sqrt((mean - truth).square().mean()) < 0.45);
        CHECK((variance > 0).all());
        if (options.fixed_length) continue;
        // Two thirds of the truth lie within one standard deviation, nearly all within three.
        Eigen::ArrayXd const z = (mean - truth).abs() / (variance + model.hyper().noise()).sqrt();
        CHECK((z < 3.0).count() > 650);
        CHECK((z < 1.0).count() > 350);
    }
}

TEST_CASE("Kernel Tuner's length scale is fixed, BaCO's are learnt, and each has its kernel")
{
    setting s;
    process fixed(s.map, attune::detail::gp::kernel_tuner_process(1.5));
    attune::random_engine const before = s.engine;
    fixed.refit(s.seen.table, s.seen.values, {}, s.engine);
    CHECK(attune::random_engine(before)() == attune::random_engine(s.engine)());
    for (Eigen::Index f = 0; f < fixed.hyper().features(); ++f)
        CHECK(fixed.hyper().length(f) == doctest::Approx(1.5));
    CHECK(fixed.hyper().signal() == doctest::Approx(1.0));
    CHECK(fixed.hyper().noise() == doctest::Approx(fixed.options().fixed_noise));
    CHECK(fixed.options().kernel.form == attune::detail::gp::kernel_form::radial);
    CHECK(fixed.options().kernel.matern == attune::detail::gp::smoothness::matern32);

    process learnt(s.map, attune::detail::gp::baco_process());
    learnt.refit(s.seen.table, s.seen.values, {}, s.engine);
    CHECK(attune::random_engine(before)() != attune::random_engine(s.engine)());
    CHECK(learnt.hyper().length(0) != doctest::Approx(learnt.hyper().length(3)));
    CHECK(learnt.options().kernel.matern == attune::detail::gp::smoothness::matern52);
}

TEST_CASE("values known to be noisy count less")
{
    setting s;
    std::vector<double> wild = s.seen.values;
    std::vector<double> extra(50, 0.0);
    for (std::size_t i = 0; i < 50; i += 5) {
        wild[i] += 3.0;
        extra[i] = 100.0;
    }
    auto const error = [&](std::span<double const> variance) {
        process model(s.map);
        model.refit(s.seen.table, wild, variance, s.engine);
        model.condition(s.seen.table, wild, variance);
        Eigen::ArrayXd const mean = gp_points::predicted(model, s.where.table).mean;
        return (mean - gp_points::vector(s.where.values).array()).square().mean();
    };
    CHECK(error(extra) < 0.5 * error({}));
}

TEST_CASE("a process moves with all that it knows")
{
    setting s;
    process model(s.map);
    model.refit(s.seen.table, s.seen.values, {}, s.engine);
    model.condition(s.seen.table, s.seen.values);
    Eigen::ArrayXd const mean = gp_points::predicted(model, s.where.table).mean;
    process const moved = std::move(model);
    CHECK((mean == gp_points::predicted(moved, s.where.table).mean).all());
    CHECK(moved.features().count() == s.map.count());
}

TEST_CASE("Kernel Tuner's smoother function has the shorter length scale that it is given")
{
    setting const s;
    using attune::detail::gp::kernel_form;
    using attune::detail::gp::smoothness;
    process model(s.map, attune::detail::gp::kernel_tuner_process(0.75, smoothness::matern52));
    std::vector<double> values(s.seen.values.begin(), s.seen.values.end());
    model.condition(s.seen.table, values);
    CHECK(model.options().kernel.matern == smoothness::matern52);
    CHECK(model.hyper().length(0) == doctest::Approx(0.75));
    attune::detail::gp::hyperparameter_vector h = s.h;
    h.theta.head(h.features()).setConstant(std::log(0.75));
    h.theta.tail<3>() << 0, std::log(model.options().fixed_noise), 0;
    gp_points::textbook const want(s.map, {kernel_form::radial, smoothness::matern52}, h,
                                   s.seen.table, gp_points::vector(values),
                                   Eigen::VectorXd::Zero(50), s.where.table);
    CHECK((gp_points::predicted(model, s.where.table).variance - want.variance).abs().maxCoeff() <
          1e-6);
}

TEST_CASE("random starts are drawn at the first fit alone, or at every one")
{
    setting const s;
    for (bool const always : {false, true}) {
        process_options options = attune::detail::gp::baco_process();
        options.always_draws = always;
        process model(s.map, options);
        attune::random_engine engine(5);
        model.refit(s.seen.table, s.seen.values, {}, engine);
        attune::random_engine before = engine;
        model.refit(s.seen.table, s.seen.values, {}, engine);
        CHECK((before() != engine()) == always);
    }
}

TEST_CASE("without beliefs hyperparameters are at least as likely as with them")
{
    setting const s;
    using density = attune::detail::gp::belief::density;
    auto const likelihood_of = [&](density of) {
        process_options options = attune::detail::gp::baco_process();
        options.belief.length = options.belief.rest = of;
        options.refined = 8;
        process model(s.map, options);
        attune::random_engine engine(5);
        model.refit(s.seen.table, s.seen.values, {}, engine);
        attune::detail::gp::design const points =
            attune::detail::gp::design_of(s.map, s.seen.table);
        attune::detail::gp::evidence value(points, options.kernel,
                                           gp_points::vector(s.seen.values));
        return value(model.hyper().theta, nullptr);
    };
    CHECK(likelihood_of(density::flat) > likelihood_of(density::log_normal));
}
