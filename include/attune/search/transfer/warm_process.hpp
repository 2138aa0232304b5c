// attune/search/transfer/warm_process.hpp - a Gaussian process whose prior mean comes from other sessions.
// SPDX-License-Identifier: MIT
// Source   Rasmussen & Williams 2006 Sec. 2.7, eq. (2.40)-(2.42): a linear mean whose coefficients
//          are integrated out. Own: its features are predictions of other sessions' models.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/conditional.hpp>
#include <attune/search/bayes/gp/process.hpp>
#include <attune/search/bayes/model/surrogates.hpp>
#include <attune/search/transfer/warm_start.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The default surrogate; with sessions:
///
///   value(x) = sum over sessions s of slope_s * prior_s(x) + offset + process(x) + noise
///
/// slope_s is normal about the session's weight w_s with variance w_s; the offset is normal about
/// the mean of the rest. Both are integrated out, so each outcome changes the trust in each
/// session, and its sign. Without sessions this is product_surrogate bit for bit.
class warm_process {
public:
    explicit warm_process(feature_map const& features)
        : inner_(features, objective_process())
        , cold_(inner_.believed())
    {
    }
    /// @param known  null: no sessions
    warm_process(feature_map const& features, std::shared_ptr<warm_start const> known)
        : warm_process(features)
    {
        if (known && !known->empty()) known_ = std::move(known);
        is_believing_ = known_ && known_->options().believe_until > 0;
    }

    void assign(feature_table rows)
    {
        if (is_believing_) prior_ = known_->prior(rows);
        inner_.assign(std::move(rows));
        is_stale_ = true;
    }
    void append(feature_table const& rows)
    {
        if (is_believing_) add_rows(known_->prior(rows), prior_);
        inner_.append(rows);
        is_stale_ = true;
    }
    [[nodiscard]] feature_table const& table() const { return inner_.table(); }

    /// Ignores sessions from warm_start_options::believe_until rows on.
    void fit(feature_table const& points, std::span<double const> values,
             std::span<double const> variance, random_engine& engine)
    {
        is_stale_ = true;
        if (!known_) return inner_.fit(points, values, variance, engine);
        std::size_t const n = points.points;
        if (n >= known_->options().believe_until) is_believing_ = false;
        inner_.believe(density_at(n));
        if (!is_believing_) return inner_.fit(points, values, variance, engine);
        Eigen::MatrixXd const basis = basis_of(known_->prior(points));
        Eigen::VectorXd const coefficients = expected_coefficients(basis, values);
        Eigen::VectorXd const left = as_vector(values) - basis * coefficients;
        Eigen::MatrixXd const fixed = basis * freedom().asDiagonal() * basis.transpose();
        inner_.fit(points, {left.data(), values.size()}, variance, engine, fixed);
    }
    void learn(feature_table const& points, std::span<double const> values,
               std::span<double const> variance, random_engine& engine)
    {
        is_stale_ = true;
        inner_.learn(points, values, variance, engine);
        if (!is_believing_) return;
        points_ = points;
        observed_ = known_->prior(points);
        values_.assign(values.begin(), values.end());
        variance_.assign(variance.begin(), variance.end());
        variance_.resize(values_.size(), 0);
    }
    void observe(feature_table const& from, std::size_t row, double value, double variance)
    {
        if (is_believing_) remember(from, row, value, variance);
        inner_.observe(from, row, value, variance);
    }
    void observe(std::size_t row, double value, double variance)
    {
        if (is_believing_) remember(row, value, variance);
        inner_.observe(row, value, variance);
    }
    void push(feature_table const& from, std::size_t row, double value)
    {
        if (is_believing_) remember(from, row, value, 0);
        inner_.push(from, row, value);
    }
    void push(std::size_t row, double value)
    {
        if (is_believing_) remember(row, value, 0);
        inner_.push(row, value);
    }
    void pop()
    {
        inner_.pop();
        is_stale_ = true;
        if (!is_believing_) return;
        gp::erase_row(points_, points_.points - 1);
        observed_.conservativeResize(observed_.rows() - 1, Eigen::NoChange);
        values_.pop_back();
        variance_.pop_back();
    }

    [[nodiscard]] Eigen::ArrayXd const& mean()
    {
        if (!is_believing_) return inner_.mean();
        refresh();
        return mean_;
    }
    [[nodiscard]] Eigen::ArrayXd const& variance()
    {
        if (!is_believing_) return inner_.variance();
        refresh();
        return of_mean_;
    }
    void covariance(std::size_t row, Eigen::ArrayXd& out)
    {
        inner_.covariance(row, out);
        if (!is_believing_) return;
        refresh();
        Eigen::VectorXd const here = rest_.row(static_cast<Eigen::Index>(row)).transpose();
        out += (rest_ * precision_.solve(here)).array();
    }
    void predict(feature_table const& points, Eigen::ArrayXd& mean, Eigen::ArrayXd& variance) const
    {
        inner_.predict(points, mean, variance);
        if (!is_believing_) return;
        solved const s = solve();
        Eigen::MatrixXd rest = basis_of(known_->prior(points));
        gp::process const& model = inner_.pool().model();
        gp::process of_basis(model.features(), model.options());
        of_basis.set_hyper(model.hyper());
        Eigen::MatrixXd const basis = basis_of(observed_);
        Eigen::ArrayXd response;
        Eigen::ArrayXd unused;
        for (Eigen::Index c = 0; c < basis.cols() && basis.rows() > 0; ++c) {
            of_basis.condition(points_, {&basis(0, c), values_.size()}, variance_);
            of_basis.predict(points, response, unused);
            rest.col(c) -= response.matrix();
        }
        mean += (rest * s.coefficients).array();
        variance += rest.cwiseProduct(s.precision.solve(rest.transpose()).transpose())
                        .rowwise()
                        .sum()
                        .array();
    }

    [[nodiscard]] gp::hyperparameter_vector const& hyper() const
    {
        return inner_.pool().model().hyper();
    }
    /// The present weight of each session; its initial weight before any observation.
    [[nodiscard]] Eigen::VectorXd slopes() const
    {
        return solve().coefficients.head(known_->weights().size());
    }

private:
    static constexpr double offset_variance = 1;
    static constexpr double residual_signal = 0.5; ///< of the process, squared units of the prior

    struct solved {
        Eigen::MatrixXd white; ///< L^-1 H
        Eigen::LLT<Eigen::MatrixXd> precision;
        Eigen::VectorXd coefficients;
    };

    [[nodiscard]] gp::hyper_density density_at(std::size_t n) const
    {
        warm_start_options const& o = known_->options();
        gp::hyper_density out = cold_;
        if (n < o.hyperparameters_until) {
            double const left =
                1 - static_cast<double>(n) / static_cast<double>(o.hyperparameters_until);
            double const share = known_->trust() * left;
            out = out.towards(known_->hyper(), o.hyperparameter_deviation, share);
        }
        return is_believing_ ? out.with_signal(residual_signal) : out;
    }

    [[nodiscard]] static Eigen::Map<Eigen::VectorXd const> as_vector(std::span<double const> v)
    {
        return {v.data(), static_cast<Eigen::Index>(v.size())};
    }
    static void add_rows(Eigen::MatrixXd const& more, Eigen::MatrixXd& to)
    {
        to.conservativeResize(to.rows() + more.rows(), more.cols());
        to.bottomRows(more.rows()) = more;
    }

    void remember(feature_table const& from, std::size_t row, double value, double variance)
    {
        feature_table one;
        gp::append_row(from, row, one);
        remember(one, known_->prior(one), value, variance);
    }
    void remember(std::size_t row, double value, double variance)
    {
        feature_table one;
        gp::append_row(inner_.table(), row, one);
        remember(one, prior_.row(static_cast<Eigen::Index>(row)), value, variance);
    }
    void remember(feature_table const& one, Eigen::MatrixXd const& prior, double value,
                  double variance)
    {
        is_stale_ = true;
        gp::append_row(one, 0, points_);
        add_rows(prior, observed_);
        values_.push_back(value);
        variance_.push_back(variance);
    }

    /// rows x (sessions + 1): priors of the sessions, and ones.
    [[nodiscard]] Eigen::MatrixXd basis_of(Eigen::MatrixXd const& prior) const
    {
        Eigen::MatrixXd out(prior.rows(), known_->weights().size() + 1);
        out.rightCols(1).setOnes();
        if (prior.rows() > 0) out.leftCols(prior.cols()) = prior;
        return out;
    }
    /// Variances of slopes and offset.
    [[nodiscard]] Eigen::VectorXd freedom() const
    {
        Eigen::VectorXd out(known_->weights().size() + 1);
        out << known_->weights(), offset_variance;
        return out;
    }
    /// Slopes and offset before any observation; the offset is the rest of the values.
    [[nodiscard]] Eigen::VectorXd expected_coefficients(Eigen::MatrixXd const& basis,
                                                        std::span<double const> values) const
    {
        Eigen::VectorXd out(known_->weights().size() + 1);
        out << known_->weights(), 0;
        if (!values.empty()) out[out.size() - 1] = (as_vector(values) - basis * out).mean();
        return out;
    }

    [[nodiscard]] solved solve() const
    {
        solved out;
        Eigen::MatrixXd const basis = basis_of(observed_);
        Eigen::VectorXd const expected = expected_coefficients(basis, values_);
        Eigen::VectorXd const certainty = freedom().cwiseInverse();
        Eigen::MatrixXd all(basis.rows(), basis.cols() + 1);
        all << basis, as_vector(values_);
        Eigen::MatrixXd const white = inner_.pool().whitened(all);
        out.white = white.leftCols(basis.cols());
        Eigen::MatrixXd precision = out.white.transpose() * out.white;
        precision.diagonal() += certainty;
        out.precision.compute(precision);
        out.coefficients = out.precision.solve(out.white.transpose() * white.rightCols(1) +
                                               certainty.cwiseProduct(expected));
        return out;
    }

    void refresh()
    {
        if (!is_stale_) return;
        is_stale_ = false;
        solved s = solve();
        rest_ = basis_of(prior_) - inner_.pool().response(s.white);
        precision_ = std::move(s.precision);
        mean_ = inner_.mean() + (rest_ * s.coefficients).array();
        of_mean_ =
            inner_.variance() + rest_.cwiseProduct(precision_.solve(rest_.transpose()).transpose())
                                    .rowwise()
                                    .sum()
                                    .array();
    }

    process_model inner_;
    gp::hyper_density cold_; ///< prior of hyperparameters without sessions
    std::shared_ptr<warm_start const> known_;
    bool is_believing_ = false;
    Eigen::MatrixXd prior_;                            ///< prior of the candidates
    feature_table points_;                             ///< observed
    Eigen::MatrixXd observed_ = Eigen::MatrixXd(0, 0); ///< prior of the observed points
    std::vector<double> values_;
    std::vector<double> variance_;
    bool is_stale_ = true;
    Eigen::MatrixXd rest_; ///< basis of the candidates less its part that observations explain
    Eigen::LLT<Eigen::MatrixXd> precision_;
    Eigen::ArrayXd mean_;
    Eigen::ArrayXd of_mean_; ///< variance of the mean
};

} // namespace attune::inline ATTUNE_ABI::detail
