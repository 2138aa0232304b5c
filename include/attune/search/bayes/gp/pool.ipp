// attune/search/bayes/gp/pool.ipp - updates projections and sums.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/search/bayes/gp/blocks.hpp>
#include <attune/search/bayes/gp/detail/process_state.hpp>
#include <attune/search/bayes/gp/pool.hpp>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::gp {

/// The projections of all candidates: (L^-1 K)^T, candidates x observations, with spare columns.
template <class Scalar>
struct projections_of {
    using matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
    using vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

    kernel_columns<Scalar> columns;
    matrix held{};

    /// Allocates all rows and at least `observations` columns. Keeps the contents if `keep`.
    void reserve(Eigen::Index count, Eigen::Index observations, bool keep)
    {
        Eigen::Index rows = held.rows();
        Eigen::Index observed = held.cols();
        if (rows >= count && observed >= observations) return;
        if (observed < observations) observed = std::max(observations, 2 * observed);
        // An odd number of cache lines: columns a power of two apart would share few cache sets.
        constexpr Eigen::Index line = 64 / static_cast<Eigen::Index>(sizeof(Scalar));
        if (rows < count) rows = ((count + line - 1) / line | 1) * line;
        if (keep)
            held.conservativeResize(rows, observed);
        else
            held.resize(rows, observed);
    }
};

struct pool::state {
    using single = projections_of<float>;
    using exact = projections_of<double>;
    /// Rows of projections processed at a time, so that their sums stay in the first cache.
    static constexpr Eigen::Index rows_at_once = 1024;

    state(attune::feature_map const& features, process_options const& options, precision wanted)
        : model(features, options)
        , fixed(wanted)
        , projections(made(wants_exact(model.hyper())))
    {
    }

    [[nodiscard]] conditional& given() noexcept { return model.state_->given; }
    [[nodiscard]] Eigen::Index count() const noexcept
    {
        return static_cast<Eigen::Index>(table.points);
    }

    [[nodiscard]] bool is_exact() const noexcept
    {
        return std::holds_alternative<exact>(projections);
    }
    [[nodiscard]] bool wants_exact(hyperparameter_vector const& hyper) const
    {
        return fixed == precision::by_noise ? hyper.signal() > largest_ratio * hyper.noise()
                                            : fixed == precision::exact;
    }
    [[nodiscard]] std::variant<single, exact> made(bool is_to_be_exact) const
    {
        auto const with = [&]<class Scalar>(Scalar) {
            projections_of<Scalar> out{{model.features(), model.options().kernel}};
            out.columns.use(model.hyper());
            return out;
        };
        if (is_to_be_exact) return with(double());
        return with(float());
    }

    void set_hyper(hyperparameter_vector hyper)
    {
        bool const wanted = wants_exact(hyper);
        model.set_hyper(std::move(hyper));
        if (wanted == is_exact()) return;
        model.condition({}, {});
        projections = made(wanted);
        rebuild();
    }

    /// Computes the projections of rows first .. first + rows - 1, which `points` and `book` list.
    void project_rows(attune::feature_table const& points, code_book const& codes,
                      Eigen::Index first)
    {
        std::visit(
            [&]<class Scalar>(projections_of<Scalar>& p) {
                Eigen::Index const n = given().size();
                Eigen::Index const rows = static_cast<Eigen::Index>(points.points);
                for (Eigen::Index i = 0; i < n && rows > 0; ++i)
                    p.columns.fill(given().points(), static_cast<std::size_t>(i), points, codes, 0,
                                   points.points, &p.held(first, i));
                block_solver<Scalar>(given().factor())
                    .project(p.held.block(first, 0, rows, n), given().of_values(),
                             given().of_ones(), model.hyper().signal(), first, sums);
            },
            projections);
    }

    void rebuild()
    {
        saved.clear();
        std::visit(
            [&](auto& p) {
                p.columns.use(model.hyper());
                p.reserve(count(), given().size(), false);
            },
            projections);
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

    /// Adds sign * (column times its factors) to the sums of rows r .. r + rows - 1.
    template <class Scalar>
    void add_to_sums(Eigen::Index r, Eigen::Index rows, Scalar const* column, double of_value,
                     double of_one, double sign)
    {
        add_scaled(rows, sign * of_value, column, &sums.values[r]);
        add_scaled(rows, sign * of_one, column, &sums.ones[r]);
        add_squares(rows, -sign, column, &sums.variance[r]);
    }

    /// Covariance of a point with every candidate, given the observations.
    /// @param projected  L^-1 k of the point   @param[out] out  one per candidate
    template <class Scalar>
    void posterior_covariance(projections_of<Scalar>& p, attune::feature_table const& from,
                              std::size_t row,
                              typename projections_of<Scalar>::vector const& projected, Scalar* out)
    {
        p.columns.fill(from, row, table, book, 0, table.points, out);
        for (Eigen::Index r = 0; r < count(); r += rows_at_once) {
            Eigen::Index const rows = std::min(rows_at_once, count() - r);
            Eigen::Map<typename projections_of<Scalar>::vector>(out + r, rows).noalias() -=
                p.held.block(r, 0, rows, projected.size()) * projected;
        }
    }

    void observe(attune::feature_table const& from, std::size_t row, double value, double noise)
    {
        if (given().size() == 0) {
            model.condition({}, {}); // keeps hyperparameters and scale
            rebuild();
        }
        auto const added = given().observe(from, row, value, noise);
        Eigen::Index const n = added.first.size();
        double const of_value = given().of_values()[n];
        double const of_one = given().of_ones()[n];
        std::visit(
            [&]<class Scalar>(projections_of<Scalar>& p) {
                p.reserve(count(), n + 1, true);
                if (count() == 0) return;
                posterior_covariance<Scalar>(p, from, row, added.first.template cast<Scalar>(),
                                             &p.held(0, n));
                Scalar const inverse = static_cast<Scalar>(1.0 / added.second);
                for (Eigen::Index r = 0; r < count(); r += rows_at_once) {
                    Eigen::Index const rows = std::min(rows_at_once, count() - r);
                    scale_by(rows, inverse, &p.held(r, n));
                    add_to_sums(r, rows, &p.held(r, n), of_value, of_one, 1.0);
                }
            },
            projections);
        if (count() > 0) finish();
    }

    /// Rotates columns of the projections, and subtracts the last one from the sums.
    void rotate(Eigen::Index first, std::span<plane_rotation const> rotations, double of_value,
                double of_one)
    {
        Eigen::Index const last = first + static_cast<Eigen::Index>(rotations.size());
        std::visit(
            [&]<class Scalar>(projections_of<Scalar>& p) {
                Eigen::Array<Scalar, Eigen::Dynamic, 1> turned(rows_at_once);
                for (Eigen::Index row = 0; row < count(); row += rows_at_once) {
                    Eigen::Index const rows = std::min(rows_at_once, count() - row);
                    Eigen::Index k = first;
                    for (plane_rotation const& r : rotations) {
                        numbers_at<Scalar> a(&p.held(row, k), rows);
                        numbers_at<Scalar> b(&p.held(row, k + 1), rows);
                        Scalar const cosine = static_cast<Scalar>(r.cosine);
                        Scalar const sine = static_cast<Scalar>(r.sine);
                        turned.head(rows) = cosine * a + sine * b;
                        b = cosine * b - sine * a;
                        a = turned.head(rows);
                        ++k;
                    }
                    add_to_sums(row, rows, &p.held(row, last), of_value, of_one, -1.0);
                }
            },
            projections);
    }

    struct snapshot {
        projection_sums sums;
        Eigen::ArrayXd mean;
        Eigen::ArrayXd variance;
    };

    process model;
    precision fixed;
    attune::feature_table table{};
    code_book book{};
    std::variant<single, exact> projections;
    projection_sums sums{};
    Eigen::ArrayXd mean{};
    Eigen::ArrayXd variance{};
    std::vector<snapshot> saved{}; ///< one per pending point: the state before it
};

ATTUNE_INLINE pool::pool(attune::feature_map features, process_options const& options,
                         precision wanted)
    : state_(make_state<state>(std::move(features), options, wanted))
{
}

ATTUNE_INLINE bool pool::is_exact() const noexcept { return state_->is_exact(); }
ATTUNE_INLINE process const& pool::model() const noexcept { return state_->model; }
ATTUNE_INLINE std::size_t pool::rows() const noexcept { return state_->table.points; }
ATTUNE_INLINE attune::feature_table const& pool::table() const noexcept { return state_->table; }
ATTUNE_INLINE std::size_t pool::observations() const noexcept
{
    return state_->model.observations();
}
ATTUNE_INLINE std::size_t pool::pending() const noexcept { return state_->saved.size(); }
ATTUNE_INLINE Eigen::ArrayXd const& pool::mean() const noexcept { return state_->mean; }
ATTUNE_INLINE Eigen::ArrayXd const& pool::variance() const noexcept { return state_->variance; }

ATTUNE_INLINE void pool::covariance(std::size_t row, Eigen::ArrayXd& out)
{
    state& s = *state_;
    Eigen::Index const n = s.given().size();
    std::visit(
        [&]<class Scalar>(projections_of<Scalar>& p) {
            using vector = typename projections_of<Scalar>::vector;
            vector along(n);
            for (Eigen::Index i = 0; i < n; ++i)
                along[i] = p.held(static_cast<Eigen::Index>(row), i);
            vector column(s.count());
            s.posterior_covariance<Scalar>(p, s.table, row, along, column.data());
            out.resize(s.count());
            std::copy(column.data(), column.data() + s.count(), out.data());
        },
        s.projections);
}

ATTUNE_INLINE void pool::set_hyper(hyperparameter_vector hyper)
{
    state_->set_hyper(std::move(hyper));
}

ATTUNE_INLINE void pool::assign(attune::feature_table rows)
{
    state& s = *state_;
    ATTUNE_ASSERT(s.saved.empty(), "candidates change only while no point is pending");
    s.table = std::move(rows);
    s.book = code_book_of(s.model.features(), s.table);
    s.rebuild();
}

ATTUNE_INLINE void pool::append(attune::feature_table const& rows)
{
    state& s = *state_;
    ATTUNE_ASSERT(s.saved.empty(), "candidates change only while no point is pending");
    Eigen::Index const before = s.count();
    for (std::size_t i = 0; i < rows.points; ++i)
        append_row(rows, i, s.table);
    s.book = code_book_of(s.model.features(), s.table);
    std::visit([&](auto& p) { p.reserve(s.count(), s.given().size(), true); }, s.projections);
    projection_sums const old = s.sums;
    s.sums.resize(s.count());
    s.sums.values.head(before) = old.values;
    s.sums.ones.head(before) = old.ones;
    s.sums.variance.head(before) = old.variance;
    s.project_rows(rows, code_book_of(s.model.features(), rows), before);
    s.finish();
}

ATTUNE_INLINE void pool::rescale(double shift, double scale)
{
    ATTUNE_ASSERT(state_->saved.empty(), "values are rescaled only while no point is pending");
    state_->model.rescale(shift, scale);
    if (state_->sums.values.size() > 0) state_->finish();
}

ATTUNE_INLINE void pool::condition(attune::feature_table const& points,
                                   std::span<double const> values, std::span<double const> variance)
{
    state_->model.condition(points, values, variance);
    state_->rebuild();
}

ATTUNE_INLINE void pool::observe(std::size_t row, double value, double variance)
{
    observe(state_->table, row, value, variance);
}
ATTUNE_INLINE void pool::observe(attune::feature_table const& from, std::size_t row, double value,
                                 double variance)
{
    ATTUNE_ASSERT(state_->saved.empty(), "results are taken in only while no point is pending");
    state_->observe(from, row, value, variance);
}

ATTUNE_INLINE void pool::revise(std::size_t i, double value)
{
    state& s = *state_;
    ATTUNE_ASSERT(s.saved.empty(), "results are taken in only while no point is pending");
    Eigen::VectorXd const change = s.given().revise(i, value);
    Eigen::Index const behind = change.size() - static_cast<Eigen::Index>(i);
    std::visit(
        [&]<class Scalar>(projections_of<Scalar>& p) {
            typename projections_of<Scalar>::vector const by =
                change.tail(behind).template cast<Scalar>();
            s.sums.values += (p.held.block(0, static_cast<Eigen::Index>(i), s.count(), behind) * by)
                                 .array()
                                 .template cast<double>();
        },
        s.projections);
    s.finish();
}

ATTUNE_INLINE void pool::forget(std::size_t i)
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
    s.rotate(static_cast<Eigen::Index>(i), rotations, of_values[last], of_ones[last]);
    s.finish();
}

ATTUNE_INLINE void pool::push_pending(std::size_t row, double lie)
{
    push_pending(state_->table, row, lie);
}
ATTUNE_INLINE void pool::push_pending(attune::feature_table const& from, std::size_t row,
                                      double lie)
{
    state& s = *state_;
    state::snapshot before{s.sums, s.mean, s.variance};
    s.observe(from, row, lie, 0);
    s.saved.push_back(std::move(before));
}

ATTUNE_INLINE void pool::pop_pending()
{
    state& s = *state_;
    ATTUNE_ASSERT(!s.saved.empty(), "what is popped has been pushed");
    s.model.forget(s.model.observations() - 1);
    s.sums = std::move(s.saved.back().sums);
    s.mean = std::move(s.saved.back().mean);
    s.variance = std::move(s.saved.back().variance);
    s.saved.pop_back();
}

ATTUNE_INLINE Eigen::MatrixXd pool::whitened(Eigen::MatrixXd const& v) const
{
    ATTUNE_ASSERT(v.rows() == state_->given().size(), "one row per observation");
    return state_->given().factor().triangularView<Eigen::Lower>().solve(v);
}

ATTUNE_INLINE Eigen::MatrixXd pool::response(Eigen::MatrixXd const& white) const
{
    state& s = *state_;
    if (white.rows() == 0) return Eigen::MatrixXd::Zero(s.count(), white.cols());
    return std::visit(
        [&]<class Scalar>(projections_of<Scalar> const& p) -> Eigen::MatrixXd {
            typename projections_of<Scalar>::matrix const cast = white.template cast<Scalar>();
            return (p.held.topLeftCorner(s.count(), s.given().size()) * cast)
                .template cast<double>();
        },
        s.projections);
}

} // namespace attune::inline ATTUNE_ABI::detail::gp
