// tests/search/bayes/gp/columns.cpp : mirrors include/attune/search/bayes/gp/columns.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/gp/columns.hpp>

#include <attune/core/random.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

#include "../../../support/gp_points.hpp"

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
