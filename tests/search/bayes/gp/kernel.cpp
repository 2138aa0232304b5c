// tests/search/bayes/gp/kernel.cpp : mirrors include/attune/search/bayes/gp/kernel.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/gp/kernel.hpp>

#include <attune/core/random.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

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
        double value = r * r;
        attune::detail::gp::matern52::apply(&value, 1);
        CHECK(value == doctest::Approx(expected).epsilon(1e-12));
    }
    for (double const r : {0.1, 0.5, 1.0, 2.0, 4.0}) {
        double const t = std::sqrt(3.0) * r;
        double const expected =
            std::pow(2.0, -0.5) / std::tgamma(1.5) * std::pow(t, 1.5) * std::cyl_bessel_k(1.5, t);
        double value = r * r;
        attune::detail::gp::matern32::apply(&value, 1);
        CHECK(value == doctest::Approx(expected).epsilon(1e-12));
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

namespace {

template <class Scalar>
double worst(bool with_real, std::size_t points, double shift_of_lengths)
{
    attune::random_engine engine(5);
    attune::chain_of_trees const space = gp_points::space(with_real);
    attune::feature_map const map(space);
    attune::feature_table const rows = gp_points::draw(space, map, points, engine).table;
    attune::feature_table const from = gp_points::draw(space, map, 6, engine).table;
    attune::detail::gp::code_book const book = attune::detail::gp::code_book_of(map, rows);
    attune::detail::gp::hyperparameter_vector h = gp_points::some_hyper(map.count());
    double out = 0;
    for (attune::detail::gp::kernel const& k : gp_points::all_kernels()) {
        attune::detail::gp::kernel_columns<Scalar> columns(map, k);
        for (int pass = 0; pass < 2; ++pass) {
            columns.use(h);
            Eigen::MatrixXd const want = gp_points::covariance(map, k, h, rows, from);
            std::size_t const first = points / 3;
            Eigen::Matrix<Scalar, Eigen::Dynamic, 1> got(static_cast<Eigen::Index>(points - first));
            for (std::size_t i = 0; i < from.points; ++i) {
                columns.fill(from, i, rows, book, first, points - first, got.data());
                out = std::max(out, (got.template cast<double>() -
                                     want.col(static_cast<Eigen::Index>(i)).tail(got.size()))
                                        .cwiseAbs()
                                        .maxCoeff());
            }
            h.theta.array() += shift_of_lengths; // other hyperparameters: no row is stale
        }
    }
    return out;
}

} // namespace

TEST_CASE("columns hold the covariances of the definition")
{
    for (bool const with_real : {false, true})
        for (std::size_t const points : {1u, 40u, 3000u}) {
            CHECK(worst<double>(with_real, points, -0.3) < 1e-14);
            CHECK(worst<float>(with_real, points, -0.3) < 2e-6);
        }
}

TEST_CASE("without features every covariance is the signal")
{
    attune::feature_map const map(search_spaces::single());
    REQUIRE(map.count() == 0);
    attune::feature_table rows;
    rows.points = 3;
    attune::detail::gp::kernel_columns<double> columns(map, {});
    columns.use(gp_points::some_hyper(0));
    Eigen::VectorXd got(3);
    columns.fill(rows, 0, rows, attune::detail::gp::code_book_of(map, rows), 0, 3, got.data());
    CHECK((got.array() - 1.3).abs().maxCoeff() < 1e-14);
}

using attune::detail::gp::code_book;

namespace {

/// Every feature is in one place, and codes give back the levels of the table.
void check_book(code_book const& book, attune::feature_map const& map,
                attune::feature_table const& table)
{
    CHECK(book.points == table.points);
    std::vector<int> listed(map.count(), 0);
    for (std::size_t const f : book.direct)
        ++listed[f];
    for (attune::detail::gp::feature_group const& group : book.groups) {
        REQUIRE(group.code.size() == table.points);
        for (std::size_t k = 0; k < group.features.size(); ++k) {
            ++listed[group.features[k]];
            CHECK(group.level[k].size() == group.combinations());
            for (std::size_t i = 0; i < table.points; ++i)
                REQUIRE(group.level[k][group.code[i]] == table.level[group.features[k]][i]);
        }
    }
    CHECK(std::all_of(listed.begin(), listed.end(), [](int n) { return n == 1; }));
}

} // namespace

TEST_CASE("a code book gives back every level of every point")
{
    attune::random_engine engine(5);
    for (bool const with_real : {false, true})
        for (std::size_t const m : {1u, 17u, 300u, 5000u}) {
            attune::chain_of_trees const space = gp_points::space(with_real);
            attune::feature_map const map(space);
            attune::feature_table const table = gp_points::draw(space, map, m, engine).table;
            code_book const book = attune::detail::gp::code_book_of(map, table);
            check_book(book, map, table);
            CHECK(book.direct.size() == (with_real ? 1 : 0));
        }
}

TEST_CASE("features that others determine join their group at no cost")
{
    // Of 30 * 30 points only the diagonal: the second parameter repeats the first.
    attune::chain_of_trees const space = search_spaces::grid(30);
    attune::feature_map const map(space);
    attune::feature_table table;
    for (std::uint32_t i = 0; i < 600; ++i)
        map.append({{i % 30, 0}, {i % 30, 0}}, table);
    code_book const book = attune::detail::gp::code_book_of(map, table);
    REQUIRE(book.groups.size() == 1);
    CHECK(book.groups[0].combinations() == 30);
    check_book(book, map, table);
}

TEST_CASE("groups stay small against the number of points")
{
    attune::random_engine engine(6);
    attune::chain_of_trees const space = search_spaces::grid(100);
    attune::feature_map const map(space);
    attune::feature_table table;
    for (int i = 0; i < 4000; ++i)
        map.append(space.sample(engine), table);
    code_book const book = attune::detail::gp::code_book_of(map, table);
    CHECK(book.groups.size() == 2);
    check_book(book, map, table);
}

TEST_CASE("the code book of no points is empty")
{
    attune::feature_map const map(search_spaces::grid(3));
    code_book const book = attune::detail::gp::code_book_of(map, {});
    CHECK(book.points == 0);
    CHECK(book.groups.empty());
}
