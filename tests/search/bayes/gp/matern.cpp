// tests/search/bayes/gp/matern.cpp : mirrors include/attune/search/bayes/gp/matern.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/gp/matern.hpp>

#include <cmath>
#include <doctest/doctest.h>

#include "../../../laws/covariance.hpp"

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
