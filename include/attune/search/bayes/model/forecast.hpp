// attune/search/bayes/model/forecast.hpp - the gain that a search may still find, and the error of its predictions.
// SPDX-License-Identifier: MIT
// Source   Makarova et al. 2022 stop a search by a bound on this gain (the regret). Candidates are
//          correlated: separate estimates of thousands would add up to an impossible gain, so the
//          code uses the joint posterior.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/objective.hpp>
#include <attune/search/history.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// The prediction error of a model on its own choices.
class prediction_record {
public:
    static constexpr std::size_t window = 30; ///< number of latest points that count
    static constexpr std::size_t fewest = 20; ///< error() needs this many

    /// @param mean   expected value of `p`, in units of `scale`
    void expect(point const& p, double mean, objective_scale const& scale)
    {
        open_.insert_or_assign(p, expectation{mean, scale});
    }
    /// Ignores points without expectation, and failures.
    void observe(point const& p, observation const& seen)
    {
        auto const found = open_.find(p);
        if (found == open_.end()) return;
        expectation const e = found->second;
        open_.erase(found);
        if (!seen.worked || !e.scale.accepts(seen.value)) return;
        latest_.emplace_back(e.mean, e.scale.to_model(seen.value));
        if (latest_.size() > window) latest_.pop_front();
    }

    /// The expected value of `p`, in the objective's unit, until its outcome is observed.
    [[nodiscard]] std::optional<double> expected_of(point const& p) const
    {
        auto const found = open_.find(p);
        if (found == open_.end()) return {};
        return found->second.scale.from_model(found->second.mean);
    }

    /// Mean squared error over the variance of the outcomes; nothing with fewer than `fewest`.
    [[nodiscard]] std::optional<double> error() const
    {
        if (latest_.size() < fewest) return {};
        double const n = static_cast<double>(latest_.size());
        double mean = 0;
        for (auto const& [expected, seen] : latest_)
            mean += seen / n;
        double squared = 0;
        double variance = 0;
        for (auto const& [expected, seen] : latest_) {
            squared += (seen - expected) * (seen - expected) / n;
            variance += (seen - mean) * (seen - mean) / n;
        }
        if (!(variance > 0)) return {};
        return squared / variance;
    }

private:
    struct expectation {
        double mean = 0;
        objective_scale scale;
    };

    std::unordered_map<point, expectation, point_hash> open_;
    std::deque<std::pair<double, double>> latest_; ///< expected, seen
};

/// A standard normal number (Box and Muller 1958).
[[nodiscard]] inline double standard_normal(random_engine& engine)
{
    double const u = std::max(uniform_unit(engine), 0x1.0p-53);
    double const v = uniform_unit(engine);
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

/// The gain of the best candidate, as the mean over `draws` draws of the joint posterior.
///
/// @param mean        q, in model units
/// @param covariance  q x q, of the noise-free function; its diagonal grows if rounding made it
///                    indefinite
/// @param chance      q: probability that each candidate succeeds
/// @param best        lowest value so far, in the objective's own unit
/// @return  a share of `best` if `scale` is logarithmic, else in the objective's unit; >= 0
/// Cost     q^3 / 3 + draws * q^2
[[nodiscard]] inline double remaining_gain(Eigen::VectorXd const& mean, Eigen::MatrixXd covariance,
                                           std::span<double const> chance, double best,
                                           objective_scale const& scale, random_engine& engine,
                                           int draws = 512)
{
    if (mean.size() == 0) return 0;
    Eigen::LLT<Eigen::MatrixXd> factor;
    for (double jitter = 1e-9; jitter < 1; jitter *= 10) {
        covariance.diagonal().array() += jitter;
        factor.compute(covariance);
        if (factor.info() == Eigen::Success) break;
    }
    if (factor.info() != Eigen::Success) return 0;
    Eigen::MatrixXd const lower = factor.matrixL();
    double total = 0;
    Eigen::VectorXd normal(mean.size());
    for (int d = 0; d < draws; ++d) {
        for (double& v : normal)
            v = standard_normal(engine);
        Eigen::VectorXd const values = mean + lower * normal;
        double lowest = std::numeric_limits<double>::infinity();
        for (Eigen::Index i = 0; i < values.size(); ++i)
            if (uniform_unit(engine) < chance[static_cast<std::size_t>(i)])
                lowest = std::min(lowest, values[i]);
        if (std::isfinite(lowest)) total += std::max(0.0, best - scale.from_model(lowest));
    }
    double const gain = total / draws;
    return scale.logarithmic() ? gain / best : gain;
}

} // namespace attune::inline ATTUNE_ABI::detail
