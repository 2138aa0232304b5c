// tests/laws/covariance.hpp : what every correlation function of squared scaled distance must obey
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>

#include <Eigen/Eigenvalues>

#include <cmath>
#include <doctest/doctest.h>
#include <utility>

namespace covariance_law {

/// evaluate() of one pair.
template <class Kernel>
std::pair<double, double> evaluated(double r2)
{
    Eigen::ArrayXd k;
    Eigen::ArrayXd dk;
    Kernel::evaluate(Eigen::ArrayXd::Constant(1, r2), k, dk);
    return {k[0], dk[0]};
}

} // namespace covariance_law

TEST_CASE_TEMPLATE_DEFINE("a covariance obeys the laws", Kernel, covariance_laws)
{
    attune::random_engine engine(11);
    auto const value = [](double r2) { return covariance_law::evaluated<Kernel>(r2).first; };
    auto const slope = [](double r2) { return covariance_law::evaluated<Kernel>(r2).second; };

    SUBCASE("a point is perfectly alike itself, and likeness falls with distance")
    {
        CHECK(value(0.0) == doctest::Approx(1.0));
        double last = 1.0;
        for (double r2 = 0.01; r2 < 100; r2 *= 1.3) {
            double const k = value(r2);
            CHECK(k < last);
            CHECK(k > 0);
            last = k;
        }
    }
    SUBCASE("the slope equals central differences")
    {
        for (double r2 = 0.02; r2 < 20; r2 *= 1.7) {
            double const h = 1e-5 * r2;
            double const numeric = (value(r2 + h) - value(r2 - h)) / (2 * h);
            CHECK(slope(r2) == doctest::Approx(numeric).epsilon(1e-6));
        }
        CHECK(std::isfinite(slope(0.0)));
    }
    SUBCASE("the matrix of any points is symmetric and positive definite")
    {
        Eigen::MatrixXd x(30, 3);
        for (Eigen::Index i = 0; i < x.size(); ++i)
            x.data()[i] = 3 * attune::uniform_unit(engine);
        Eigen::MatrixXd k(30, 30);
        for (Eigen::Index i = 0; i < 30; ++i)
            for (Eigen::Index j = 0; j < 30; ++j)
                k(i, j) = value((x.row(i) - x.row(j)).squaredNorm());
        CHECK((k - k.transpose()).cwiseAbs().maxCoeff() == 0.0);
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> const spectrum(k);
        CHECK(spectrum.eigenvalues().minCoeff() > 0);
    }
    SUBCASE("arrays give what single values give")
    {
        Eigen::ArrayXd r2(40);
        for (Eigen::Index i = 0; i < r2.size(); ++i)
            r2[i] = 5 * attune::uniform_unit(engine);
        r2[0] = 0;
        Eigen::ArrayXd k;
        Eigen::ArrayXd dk;
        Kernel::evaluate(r2, k, dk);
        Eigen::ArrayXXd applied = r2;
        Kernel::apply(applied.data(), applied.size());
        for (Eigen::Index i = 0; i < r2.size(); ++i) {
            CHECK(k[i] == doctest::Approx(value(r2[i])).epsilon(1e-13));
            CHECK(dk[i] == doctest::Approx(slope(r2[i])).epsilon(1e-13));
            CHECK(applied(i, 0) == doctest::Approx(k[i]).epsilon(1e-13));
        }
    }
}
