// tests/search/bayes/gp/evidence.cpp : mirrors include/attune/search/bayes/gp/evidence.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/gp/evidence.hpp>

#include <attune/core/random.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <numbers>
#include <vector>

#include "../../../support/gp_points.hpp"

using attune::detail::gp::evidence;
using attune::detail::gp::hyperparameter_vector;
using attune::detail::gp::kernel;

namespace {

/// log N(y; 0, K) by explicit inverse and determinant.
double dense(Eigen::MatrixXd const& k, Eigen::VectorXd const& y)
{
    return -0.5 * y.dot(k.inverse() * y) - 0.5 * std::log(k.determinant()) -
           0.5 * static_cast<double>(y.size()) * std::log(2 * std::numbers::pi);
}

} // namespace

TEST_CASE("evidence equals the dense formula with explicit inverse and determinant")
{
    attune::random_engine engine(3);
    attune::chain_of_trees const space = gp_points::space(true);
    attune::feature_map const map(space);
    gp_points::sample const seen = gp_points::draw(space, map, 12, engine);
    attune::detail::gp::design const design = attune::detail::gp::design_of(map, seen.table);
    Eigen::VectorXd const y = gp_points::vector(seen.values);
    Eigen::VectorXd extra(12);
    for (Eigen::Index i = 0; i < 12; ++i)
        extra[i] = 0.01 * static_cast<double>(i);
    hyperparameter_vector const h = gp_points::some_hyper(map.count());
    for (kernel const& k : gp_points::all_kernels()) {
        Eigen::MatrixXd noisy = gp_points::covariance(map, k, h, seen.table, seen.table);
        noisy.diagonal().array() += h.noise();
        CHECK(evidence(design, k, y)(h.theta, nullptr) ==
              doctest::Approx(dense(noisy, y)).epsilon(1e-9));
        noisy.diagonal() += extra;
        CHECK(evidence(design, k, y, extra)(h.theta, nullptr) ==
              doctest::Approx(dense(noisy, y)).epsilon(1e-9));
        Eigen::MatrixXd const fixed = y * y.transpose();
        CHECK(evidence(design, k, y, extra, fixed)(h.theta, nullptr) ==
              doctest::Approx(dense(noisy + fixed, y)).epsilon(1e-9));
    }
}

TEST_CASE("the evidence's gradient equals central differences")
{
    attune::random_engine engine(4);
    attune::chain_of_trees const space = gp_points::space(true);
    attune::feature_map const map(space);
    // Few points have about as many levels; of many most levels recur: two ways to sum.
    for (std::size_t const n : {1u, 2u, 9u, 60u}) {
        gp_points::sample const seen = gp_points::draw(space, map, n, engine);
        attune::detail::gp::design const design = attune::detail::gp::design_of(map, seen.table);
        Eigen::VectorXd const y = gp_points::vector(seen.values).array() - 1.0;
        Eigen::VectorXd const extra =
            Eigen::VectorXd::LinSpaced(static_cast<Eigen::Index>(n), 0.0, 0.1);
        Eigen::VectorXd const theta = gp_points::some_hyper(map.count()).theta;
        for (kernel const& k : gp_points::all_kernels()) {
            // Without and with a covariance that no hyperparameter changes.
            bool const is_fixed = k.matern == attune::detail::gp::smoothness::matern52;
            Eigen::MatrixXd fixed;
            if (is_fixed) fixed = 0.3 * y * y.transpose();
            evidence likelihood(design, k, y, extra, fixed);
            Eigen::VectorXd gradient;
            double const value = likelihood(theta, &gradient);
            CHECK(value == doctest::Approx(likelihood(theta, nullptr)).epsilon(1e-12));
            REQUIRE(gradient.size() == theta.size());
            for (Eigen::Index i = 0; i < theta.size(); ++i) {
                Eigen::VectorXd up = theta;
                Eigen::VectorXd down = theta;
                up[i] += 1e-5;
                down[i] -= 1e-5;
                double const numeric = (likelihood(up, nullptr) - likelihood(down, nullptr)) / 2e-5;
                CHECK(std::abs(gradient[i] - numeric) < 1e-6 * (1 + std::abs(numeric)));
            }
        }
    }
}

TEST_CASE("evidence stands repeated points and reports what it cannot factorise")
{
    attune::detail::gp::design design{3, {{{0, 0, 0}, Eigen::MatrixXd::Zero(1, 1)}}};
    Eigen::VectorXd y(3);
    y << 0.1, -0.2, 0.1;
    Eigen::VectorXd theta(4);
    theta << 0, 0, -60, 0;
    evidence repeated(design, {}, y);
    CHECK(std::isfinite(repeated(theta, nullptr)));

    design = {2, {{{0, 1}, Eigen::MatrixXd::Constant(2, 2, std::nan(""))}}};
    evidence broken(design, {}, y.head(2));
    Eigen::VectorXd gradient;
    CHECK(broken(theta, &gradient) == -std::numeric_limits<double>::infinity());
    CHECK(gradient.norm() == 0.0);
}

using attune::detail::gp::belief;
using attune::detail::gp::hyper_density;

namespace {

std::vector<belief> proper_densities()
{
    belief gamma;
    gamma.length = belief::density::gamma;
    belief const normal{.derived_length_median = 3.0, .derived_length_sd = 0.5};
    belief gamma_alone = gamma;
    gamma_alone.rest = belief::density::flat;
    return {normal, gamma, gamma_alone};
}

} // namespace

TEST_CASE("the prior's gradient equals central differences")
{
    for (belief const& b : proper_densities()) {
        hyper_density const prior(b, {0, 1, 0});
        Eigen::VectorXd theta(6);
        theta << -2.0, 0.3, 1.9, -0.7, -4.0, 0.4;
        Eigen::VectorXd gradient = Eigen::VectorXd::Zero(6);
        (void)prior.log_density(theta, &gradient);
        for (Eigen::Index k = 0; k < 6; ++k) {
            Eigen::VectorXd up = theta;
            Eigen::VectorXd down = theta;
            up[k] += 1e-5;
            down[k] -= 1e-5;
            double const numeric =
                (prior.log_density(up, nullptr) - prior.log_density(down, nullptr)) / 2e-5;
            CHECK(gradient[k] == doctest::Approx(numeric).epsilon(1e-6));
        }
    }
}

TEST_CASE("no hyperparameters are more probable than the prior's mode")
{
    for (belief const& b : proper_densities()) {
        hyper_density const prior(b, {0, 0, 1});
        Eigen::VectorXd gradient = Eigen::VectorXd::Zero(6);
        (void)prior.log_density(prior.mode().theta, &gradient);
        CHECK(gradient.norm() < 1e-12);
        Eigen::VectorXd inside = prior.mode().theta;
        prior.clamp(inside);
        CHECK((inside - prior.mode().theta).norm() == 0.0);
    }
}

TEST_CASE("densities are the log-normal and the gamma density of each length scale")
{
    // Density of t = log l: the density of l times l; ratios do not depend on constants.
    for (belief const& b : proper_densities()) {
        hyper_density const prior(b, {0});
        auto const at = [&](double length) {
            Eigen::VectorXd theta = prior.mode().theta;
            theta[0] = std::log(length);
            return prior.log_density(theta, nullptr);
        };
        auto const density = [&](double l) {
            if (b.length == belief::density::gamma)
                return std::pow(l, b.length_shape - 1) * std::exp(-b.length_rate * l) * l;
            double const z = (std::log(l) - std::log(b.length_median)) / b.length_sd;
            return std::exp(-0.5 * z * z);
        };
        CHECK(at(2.0) - at(0.3) == doctest::Approx(std::log(density(2.0) / density(0.3))));
    }
}

TEST_CASE("flat densities favour nothing, and leave the others as they are")
{
    Eigen::VectorXd low(5);
    low << -2.0, 0.3, -0.7, -4.0, 0.4;
    Eigen::VectorXd const high = low.array() + 1.5;
    auto const preference = [&](belief const& b) {
        hyper_density const prior(b, {0, 0});
        return prior.log_density(high, nullptr) - prior.log_density(low, nullptr);
    };
    belief all;
    all.length = all.rest = belief::density::flat;
    CHECK(preference(all) == 0);
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(5);
    (void)hyper_density(all, {0, 0}).log_density(low, &gradient);
    CHECK(gradient.norm() == 0);
    belief const lengths{.length = belief::density::flat};
    belief const rest{.rest = belief::density::flat};
    CHECK(preference(lengths) + preference(rest) == doctest::Approx(preference(belief{})));
}

TEST_CASE("derived features may be believed to matter less")
{
    belief const b{.derived_length_median = 5.0};
    hyper_density const prior(b, {0, 1});
    CHECK(prior.features() == 2);
    CHECK(prior.mode().length(0) == doctest::Approx(b.length_median));
    CHECK(prior.mode().length(1) == doctest::Approx(5.0));
    CHECK(prior.mode().signal() == doctest::Approx(b.signal_median));
    CHECK(prior.mode().noise() == doctest::Approx(b.noise_median));
    CHECK(prior.mode().base() == doctest::Approx(b.base_median));
}

TEST_CASE("the box cuts what is extreme and leaves the rest")
{
    hyper_density const prior({}, {0, 0});
    attune::detail::gp::hyperparameter_vector h{Eigen::VectorXd(5)};
    h.theta << -20, 20, 20, -40, 40;
    prior.clamp(h.theta);
    CHECK(h.length(0) == doctest::Approx(0.02));
    CHECK(h.length(1) == doctest::Approx(50.0));
    CHECK(h.signal() == doctest::Approx(50.0));
    CHECK(h.noise() == doctest::Approx(1e-5));
    CHECK(h.theta[4] == 3.0);
}

TEST_CASE("beliefs move towards those of another search by a share, but for the signal")
{
    hyper_density const cold(belief{}, {0, 1});
    attune::detail::gp::hyperparameter_vector centre = cold.mode();
    centre.theta << -1.0, 2.0, 3.0, -2.0, 1.0;
    Eigen::VectorXd const from = cold.mode().theta;
    CHECK(cold.towards(centre, 0.9, 0).mode().theta == from);
    hyper_density const warm = cold.towards(centre, 0.9, 1);
    Eigen::VectorXd const half = cold.towards(centre, 0.9, 0.5).mode().theta;
    for (Eigen::Index i : {0, 1, 3, 4}) {
        CHECK(warm.mode().theta[i] == doctest::Approx(centre.theta[i]));
        CHECK(half[i] == doctest::Approx(0.5 * (centre.theta[i] + from[i])));
        // A normal density of that deviation: one deviation away, e^-1/2 as likely.
        Eigen::VectorXd away = warm.mode().theta;
        away[i] += 0.9;
        CHECK(warm.log_density(away, nullptr) - warm.log_density(warm.mode().theta, nullptr) ==
              doctest::Approx(-0.5));
    }
    CHECK(warm.mode().theta[2] == from[2]);
    CHECK(warm.with_signal(0.5).mode().signal() == doctest::Approx(0.5));
    CHECK(warm.with_signal(0.5).mode().theta[1] == warm.mode().theta[1]);
}
