// tests/search/bayes/gp/kernel.cpp : mirrors include/attune/search/bayes/gp/kernel.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/gp/kernel.hpp>

#include <attune/core/random.hpp>

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>

#include "../../../laws/covariance.hpp"
#include "../../../support/gp_points.hpp"

TEST_CASE("hyperparameters read their logarithms back")
{
    attune::detail::gp::hyperparameter_vector h{Eigen::VectorXd(5)};
    h.theta << std::log(2.0), std::log(0.5), std::log(3.0), std::log(0.01), std::log(0.2 / 0.8);
    CHECK(h.features() == 2);
    CHECK(attune::detail::gp::hyperparameter_vector::size(2) == 5);
    CHECK(h.length(0) == doctest::Approx(2.0));
    CHECK(h.length(1) == doctest::Approx(0.5));
    CHECK(h.signal() == doctest::Approx(3.0));
    CHECK(h.noise() == doctest::Approx(0.01));
    CHECK(h.base() == doctest::Approx(0.2));
}

TEST_CASE("the default kernel multiplies Matern-5/2 factors")
{
    attune::detail::gp::kernel const k;
    CHECK(k.form == attune::detail::gp::kernel_form::product);
    CHECK(k.matern == attune::detail::gp::smoothness::matern52);
}

TEST_CASE_TEMPLATE_INVOKE(covariance_laws, attune::detail::gp::matern52,
                          attune::detail::gp::matern32);

TEST_CASE("matern52 and matern32 equal the general Matern function with nu = 5/2 and 3/2")
{
    // Rasmussen & Williams 2006 eq. (4.14): 2^(1-nu) / Gamma(nu) t^nu K_nu(t), t = sqrt(2 nu) r
    for (double const r : {0.1, 0.5, 1.0, 2.0, 4.0}) {
        double const t = std::sqrt(5.0) * r;
        double const expected =
            std::pow(2.0, -1.5) / std::tgamma(2.5) * std::pow(t, 2.5) * std::cyl_bessel_k(2.5, t);
        CHECK(attune::detail::gp::matern52::value(r * r) ==
              doctest::Approx(expected).epsilon(1e-12));
    }
    for (double const r : {0.1, 0.5, 1.0, 2.0, 4.0}) {
        double const t = std::sqrt(3.0) * r;
        double const expected =
            std::pow(2.0, -0.5) / std::tgamma(1.5) * std::pow(t, 1.5) * std::cyl_bessel_k(1.5, t);
        CHECK(attune::detail::gp::matern32::value(r * r) ==
              doctest::Approx(expected).epsilon(1e-12));
    }
}

TEST_CASE("arrays of float differ from those of double by rounding")
{
    Eigen::ArrayXd r2 = Eigen::ArrayXd::LinSpaced(50, 0.0, 9.0);
    Eigen::ArrayXf single = r2.cast<float>();
    attune::detail::gp::matern52::apply(r2.data(), r2.size());
    attune::detail::gp::matern52::apply(single.data(), single.size());
    CHECK((r2 - single.cast<double>()).abs().maxCoeff() < 1e-6);
}

TEST_CASE("a design gives the squared distance of every pair of points in every feature")
{
    attune::random_engine engine(3);
    attune::chain_of_trees const space = gp_points::space(true);
    attune::feature_map const map(space);
    attune::feature_table const table = gp_points::draw(space, map, 30, engine).table;
    attune::detail::gp::design const found = attune::detail::gp::design_of(map, table);
    CHECK(found.points == 30);
    REQUIRE(found.features.size() == map.count());
    for (std::size_t f = 0; f < map.count(); ++f) {
        attune::detail::gp::observed_feature const& feature = found.features[f];
        REQUIRE(feature.code.size() == 30);
        for (std::size_t i = 0; i < 30; ++i)
            for (std::size_t j = 0; j < 30; ++j) {
                double const distance = map.levels(f) == 0
                                            ? map.position(f, table, i) - map.position(f, table, j)
                                            : map.distance(f, table.level[f][i], table.level[f][j]);
                CHECK(feature.squared(feature.code[i], feature.code[j]) ==
                      doctest::Approx(distance * distance));
            }
    }
}

TEST_CASE("only levels that occur have a row")
{
    attune::chain_of_trees const space = search_spaces::grid(1000);
    attune::feature_map const map(space);
    attune::feature_table table;
    for (std::uint32_t const x : {7u, 900u, 7u})
        map.append({{x, 0}, {3, 0}}, table);
    attune::detail::gp::design const found = attune::detail::gp::design_of(map, table);
    CHECK(found.features[0].squared.rows() == 2);
    CHECK(found.features[1].squared.rows() == 1);
    CHECK(attune::detail::gp::design_of(map, {}).points == 0);
}
