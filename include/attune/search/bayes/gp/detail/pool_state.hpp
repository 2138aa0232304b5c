// attune/search/bayes/gp/detail/pool_state.hpp - the data of a pool, and how an observation updates it.
// SPDX-License-Identifier: MIT
// Source   see pool.hpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/gp/code_book.hpp>
#include <attune/search/bayes/gp/columns.hpp>
#include <attune/search/bayes/gp/detail/process_state.hpp>
#include <attune/search/bayes/gp/pool.hpp>
#include <attune/search/bayes/gp/projection.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::gp {

template <class Scalar>
struct basic_pool<Scalar>::state {
    using matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
    using vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
    /// Rows of projections processed at a time, so that their sums stay in the first cache.
    static constexpr Eigen::Index rows_at_once = 1024;

    state(attune::feature_map const& features, process_options const& options)
        : model(features, options)
        , columns(features, options.kernel)
    {
        columns.use(model.hyper());
    }

    [[nodiscard]] conditional& given() noexcept { return model.state_->given; }
    [[nodiscard]] Eigen::Index count() const noexcept
    {
        return static_cast<Eigen::Index>(table.points);
    }
    [[nodiscard]] auto live() { return projections.topLeftCorner(count(), given().size()); }

    /// Allocates all rows and at least `observations` columns. Keeps the contents if `keep`.
    void reserve(Eigen::Index observations, bool keep)
    {
        Eigen::Index rows = projections.rows();
        Eigen::Index observed = projections.cols();
        if (rows >= count() && observed >= observations) return;
        if (observed < observations) observed = std::max(observations, 2 * observed);
        // An odd number of cache lines: columns a power of two apart would share few cache sets.
        constexpr Eigen::Index line = 64 / static_cast<Eigen::Index>(sizeof(Scalar));
        if (rows < count()) rows = ((count() + line - 1) / line | 1) * line;
        if (keep)
            projections.conservativeResize(rows, observed);
        else
            projections.resize(rows, observed);
    }

    /// Computes the projections of rows first .. first + rows - 1, which `points` and `book` list.
    void project_rows(attune::feature_table const& points, code_book const& codes,
                      Eigen::Index first)
    {
        Eigen::Index const n = given().size();
        Eigen::Index const rows = static_cast<Eigen::Index>(points.points);
        for (Eigen::Index i = 0; i < n && rows > 0; ++i)
            columns.fill(given().points(), static_cast<std::size_t>(i), points, codes, 0,
                         points.points, &projections(first, i));
        block_solver<Scalar> const solver(given().factor());
        solver.project(projections.block(first, 0, rows, n), given().of_values(), given().of_ones(),
                       model.hyper().signal(), first, sums);
    }

    void rebuild()
    {
        saved.clear();
        columns.use(model.hyper());
        reserve(given().size(), false);
        sums.resize(count());
        project_rows(table, book, 0);
        finish();
    }

    /// Computes mean and variance from the sums.
    void finish()
    {
        mean_of(sums, given(), model.shift(), model.scale(), mean);
        variance = sums.variance.max(0.0);
    }

    /// Adds sign * (column times its factors) to the sums of rows r .. r + column.size() - 1.
    template <class Column>
    void add_to_sums(Eigen::Index r, Column const& column, double of_value, double of_one,
                     double sign)
    {
        Eigen::Index const rows = column.size();
        auto const wide = column.array().template cast<double>();
        sums.values.segment(r, rows) += sign * of_value * wide;
        sums.ones.segment(r, rows) += sign * of_one * wide;
        sums.variance.segment(r, rows) -= sign * wide.square();
    }

    /// Covariance of a point with every candidate, given the observations.
    /// @param projected  L^-1 k of the point   @param[out] out  one per candidate
    void posterior_covariance(attune::feature_table const& from, std::size_t row,
                              vector const& projected, Scalar* out)
    {
        columns.fill(from, row, table, book, 0, table.points, out);
        for (Eigen::Index r = 0; r < count(); r += rows_at_once) {
            Eigen::Index const rows = std::min(rows_at_once, count() - r);
            Eigen::Map<vector>(out + r, rows).noalias() -=
                projections.block(r, 0, rows, projected.size()) * projected;
        }
    }

    void observe(attune::feature_table const& from, std::size_t row, double value, double noise)
    {
        if (given().size() == 0) {
            model.condition({}, {}); // keeps hyperparameters and scale
            rebuild();
        }
        auto const [projected, pivot] = given().observe(from, row, value, noise);
        Eigen::Index const n = projected.size();
        reserve(n + 1, true);
        if (count() == 0) return;
        posterior_covariance(from, row, projected.template cast<Scalar>(), &projections(0, n));
        Scalar const inverse = static_cast<Scalar>(1.0 / pivot);
        double const of_value = given().of_values()[n];
        double const of_one = given().of_ones()[n];
        for (Eigen::Index r = 0; r < count(); r += rows_at_once) {
            auto column = projections.col(n).segment(r, std::min(rows_at_once, count() - r));
            column *= inverse;
            add_to_sums(r, column, of_value, of_one, 1.0);
        }
        finish();
    }

    struct snapshot {
        projection_sums sums;
        Eigen::ArrayXd mean;
        Eigen::ArrayXd variance;
    };

    process model;
    kernel_columns<Scalar> columns;
    attune::feature_table table;
    code_book book;
    matrix projections; ///< (L^-1 K)^T: candidates x observations, with spare columns
    projection_sums sums;
    Eigen::ArrayXd mean;
    Eigen::ArrayXd variance;
    std::vector<snapshot> saved; ///< one per pending point: the state before it
};

} // namespace attune::inline ATTUNE_ABI::detail::gp
