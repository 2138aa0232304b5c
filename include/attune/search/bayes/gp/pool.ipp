// attune/search/bayes/gp/pool.ipp - updates projections and sums.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/gp/blocks.hpp>
#include <attune/search/bayes/gp/columns.hpp>
#include <attune/search/bayes/gp/detail/process_state.hpp>
#include <attune/search/bayes/gp/pool.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
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

template <class Scalar>
basic_pool<Scalar>::basic_pool(attune::feature_map features, process_options const& options)
    : state_(std::make_unique<state>(features, options))
{
}
template <class Scalar>
basic_pool<Scalar>::~basic_pool() = default;
template <class Scalar>
basic_pool<Scalar>::basic_pool(basic_pool&&) noexcept = default;
template <class Scalar>
basic_pool<Scalar>& basic_pool<Scalar>::operator=(basic_pool&&) noexcept = default;

template <class Scalar>
process const& basic_pool<Scalar>::model() const noexcept
{
    return state_->model;
}
template <class Scalar>
std::size_t basic_pool<Scalar>::rows() const noexcept
{
    return state_->table.points;
}
template <class Scalar>
attune::feature_table const& basic_pool<Scalar>::table() const noexcept
{
    return state_->table;
}
template <class Scalar>
std::size_t basic_pool<Scalar>::observations() const noexcept
{
    return state_->model.observations();
}
template <class Scalar>
std::size_t basic_pool<Scalar>::pending() const noexcept
{
    return state_->saved.size();
}
template <class Scalar>
Eigen::ArrayXd const& basic_pool<Scalar>::mean() const noexcept
{
    return state_->mean;
}
template <class Scalar>
Eigen::ArrayXd const& basic_pool<Scalar>::variance() const noexcept
{
    return state_->variance;
}

template <class Scalar>
void basic_pool<Scalar>::covariance(std::size_t row, Eigen::ArrayXd& out)
{
    state& s = *state_;
    Eigen::Index const n = s.given().size();
    typename state::vector const along =
        s.projections.row(static_cast<Eigen::Index>(row)).head(n).transpose();
    typename state::vector column(s.count());
    s.posterior_covariance(s.table, row, along, column.data());
    out = column.array().template cast<double>();
}

template <class Scalar>
void basic_pool<Scalar>::set_hyper(hyperparameter_vector hyper)
{
    state_->model.set_hyper(std::move(hyper));
}

template <class Scalar>
void basic_pool<Scalar>::assign(attune::feature_table rows)
{
    state& s = *state_;
    ATTUNE_ASSERT(s.saved.empty(), "candidates change only while no point is pending");
    s.table = std::move(rows);
    s.book = code_book_of(s.model.features(), s.table);
    s.rebuild();
}

template <class Scalar>
void basic_pool<Scalar>::append(attune::feature_table const& rows)
{
    state& s = *state_;
    ATTUNE_ASSERT(s.saved.empty(), "candidates change only while no point is pending");
    Eigen::Index const before = s.count();
    for (std::size_t i = 0; i < rows.points; ++i)
        append_row(rows, i, s.table);
    s.book = code_book_of(s.model.features(), s.table);
    s.reserve(s.given().size(), true);
    projection_sums const old = s.sums;
    s.sums.resize(s.count());
    s.sums.values.head(before) = old.values;
    s.sums.ones.head(before) = old.ones;
    s.sums.variance.head(before) = old.variance;
    s.project_rows(rows, code_book_of(s.model.features(), rows), before);
    s.finish();
}

template <class Scalar>
void basic_pool<Scalar>::keep_only(std::span<char const> keep)
{
    state& s = *state_;
    ATTUNE_ASSERT(s.saved.empty(), "candidates change only while no point is pending");
    ATTUNE_ASSERT(keep.size() == s.table.points, "one mark per candidate");
    auto const compact = [&](auto& values) {
        if (values.size() == 0) return;
        using index = decltype(values.size());
        index kept = 0;
        for (std::size_t i = 0; i < keep.size(); ++i)
            if (keep[i] != 0) values[kept++] = values[static_cast<index>(i)];
    };
    for (Eigen::Index c = 0; c < s.given().size(); ++c) {
        auto column = s.projections.col(c);
        compact(column);
    }
    s.book.keep_only(keep);
    for (auto& column : s.table.level) {
        compact(column);
        if (!column.empty()) column.resize(s.book.points);
    }
    for (auto& column : s.table.real) {
        compact(column);
        if (!column.empty()) column.resize(s.book.points);
    }
    for (Eigen::ArrayXd* const sum : {&s.sums.values, &s.sums.ones, &s.sums.variance}) {
        compact(*sum);
        sum->conservativeResize(static_cast<Eigen::Index>(s.book.points));
    }
    s.table.points = s.book.points;
    s.finish();
}

template <class Scalar>
void basic_pool<Scalar>::rescale(double shift, double scale)
{
    ATTUNE_ASSERT(state_->saved.empty(), "values are rescaled only while no point is pending");
    state_->model.rescale(shift, scale);
    if (state_->sums.values.size() > 0) state_->finish();
}

template <class Scalar>
void basic_pool<Scalar>::refit(attune::feature_table const& points, std::span<double const> values,
                               std::span<double const> variance, random_engine& engine)
{
    state_->model.refit(points, values, variance, engine);
    condition(points, values, variance);
}

template <class Scalar>
void basic_pool<Scalar>::condition(attune::feature_table const& points,
                                   std::span<double const> values, std::span<double const> variance)
{
    state_->model.condition(points, values, variance);
    state_->rebuild();
}

template <class Scalar>
void basic_pool<Scalar>::observe(std::size_t row, double value, double variance)
{
    observe(state_->table, row, value, variance);
}

template <class Scalar>
void basic_pool<Scalar>::observe(attune::feature_table const& from, std::size_t row, double value,
                                 double variance)
{
    ATTUNE_ASSERT(state_->saved.empty(), "results are taken in only while no point is pending");
    state_->observe(from, row, value, variance);
}

template <class Scalar>
void basic_pool<Scalar>::revise(std::size_t i, double value)
{
    state& s = *state_;
    ATTUNE_ASSERT(s.saved.empty(), "results are taken in only while no point is pending");
    auto const change = s.given().revise(i, value).template cast<Scalar>().eval();
    Eigen::Index const behind = change.size() - static_cast<Eigen::Index>(i);
    s.sums.values +=
        (s.live().rightCols(behind) * change.tail(behind)).array().template cast<double>();
    s.finish();
}

template <class Scalar>
void basic_pool<Scalar>::forget(std::size_t i)
{
    state& s = *state_;
    ATTUNE_ASSERT(s.saved.empty(), "observations go only while no point is pending");
    // After the rotations the last row equals the forgotten one: subtract its part of the sums.
    Eigen::Index const last = s.given().size() - 1;
    Eigen::VectorXd of_values = s.given().of_values();
    Eigen::VectorXd of_ones = s.given().of_ones();
    std::vector<plane_rotation> const rotations = s.given().forget(i);
    Eigen::Index k = static_cast<Eigen::Index>(i);
    for (plane_rotation const& r : rotations) {
        of_values[k + 1] = r.cosine * of_values[k + 1] - r.sine * of_values[k];
        of_ones[k + 1] = r.cosine * of_ones[k + 1] - r.sine * of_ones[k];
        ++k;
    }
    using array = Eigen::Array<Scalar, Eigen::Dynamic, 1>;
    array first;
    for (Eigen::Index row = 0; row < s.count(); row += state::rows_at_once) {
        Eigen::Index const rows = std::min(state::rows_at_once, s.count() - row);
        k = static_cast<Eigen::Index>(i);
        for (plane_rotation const& r : rotations) {
            auto a = s.projections.col(k).segment(row, rows).array();
            auto b = s.projections.col(k + 1).segment(row, rows).array();
            Scalar const cosine = static_cast<Scalar>(r.cosine);
            Scalar const sine = static_cast<Scalar>(r.sine);
            first = cosine * a + sine * b;
            b = cosine * b - sine * a;
            a = first;
            ++k;
        }
        s.add_to_sums(row, s.projections.col(last).segment(row, rows), of_values[last],
                      of_ones[last], -1.0);
    }
    s.finish();
}

template <class Scalar>
void basic_pool<Scalar>::push_pending(std::size_t row, double lie)
{
    push_pending(state_->table, row, lie);
}

template <class Scalar>
void basic_pool<Scalar>::push_pending(attune::feature_table const& from, std::size_t row,
                                      double lie)
{
    state& s = *state_;
    typename state::snapshot before{s.sums, s.mean, s.variance};
    s.observe(from, row, lie, 0);
    s.saved.push_back(std::move(before));
}

template <class Scalar>
void basic_pool<Scalar>::pop_pending()
{
    state& s = *state_;
    ATTUNE_ASSERT(!s.saved.empty(), "what is popped has been pushed");
    s.model.forget(s.model.observations() - 1);
    s.sums = std::move(s.saved.back().sums);
    s.mean = std::move(s.saved.back().mean);
    s.variance = std::move(s.saved.back().variance);
    s.saved.pop_back();
}

template <class Scalar>
Eigen::MatrixXd basic_pool<Scalar>::whitened(Eigen::MatrixXd const& v) const
{
    ATTUNE_ASSERT(v.rows() == state_->given().size(), "one row per observation");
    return state_->given().factor().template triangularView<Eigen::Lower>().solve(v);
}

template <class Scalar>
Eigen::MatrixXd basic_pool<Scalar>::response(Eigen::MatrixXd const& white) const
{
    state& s = *state_;
    if (white.rows() == 0) return Eigen::MatrixXd::Zero(s.count(), white.cols());
    typename state::matrix const cast = white.template cast<Scalar>();
    return (s.live() * cast).template cast<double>();
}

template class basic_pool<float>;
template class basic_pool<double>;

} // namespace attune::inline ATTUNE_ABI::detail::gp
