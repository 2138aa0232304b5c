// tests/search/bayes/gp/kernel.cpp : mirrors include/attune/search/bayes/gp/kernel.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/gp/kernel.hpp>

#include <cmath>
#include <doctest/doctest.h>

TEST_CASE("hyperparameters read their logarithms back")
{
    attune::detail::gp::hyperparameter_vector h{Eigen::VectorXd(5)};
    h.theta << std::log(2.0), std::log(0.5), std::log(3.0), std::log(0.01), std::log(0.2 / 0.8);
    CHECK(h.is_set());
    CHECK(h.features() == 2);
    CHECK(attune::detail::gp::hyperparameter_vector::size(2) == 5);
    CHECK(h.length(0) == doctest::Approx(2.0));
    CHECK(h.length(1) == doctest::Approx(0.5));
    CHECK(h.signal() == doctest::Approx(3.0));
    CHECK(h.noise() == doctest::Approx(0.01));
    CHECK(h.base() == doctest::Approx(0.2));
    CHECK_FALSE(attune::detail::gp::hyperparameter_vector{}.is_set());
}

TEST_CASE("the default kernel multiplies Matern-5/2 factors")
{
    attune::detail::gp::kernel const k;
    CHECK(k.form == attune::detail::gp::kernel_form::product);
    CHECK(k.matern == attune::detail::gp::smoothness::matern52);
}
