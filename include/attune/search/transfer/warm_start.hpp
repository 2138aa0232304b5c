// attune/search/transfer/warm_start.hpp - the models of other sessions, and the first configurations by them.
// SPDX-License-Identifier: MIT
// Source   own: predictions of the sessions' models, standardised over the space, as the features
//          of a linear mean; see warm_process.hpp
// Source   greedy_portfolio(): greedy cover, as for sums of minima (facility location) it is within
//          1 - 1/e of the best
// Source   opening: own. All configurations that sessions recommend are good by their models, so
//          their outcomes alone cannot test the models: equally slow ones may be a slow device. A
//          configuration with another expectation can test them, so the design adds one. On
//          recorded kernels with reversed sessions this gains 0.4 of the optimum after 10
//          evaluations; with right ones it costs 0.01 there and gains 0.005 after 40.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/kernel.hpp>
#include <attune/search/bayes/gp/process.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The prediction of sessions for a configuration. Lower is better.
struct opinion {
    double deviations = 0; ///< weighted mean: distance from the mean over the space
    double value = 0;      ///< the same prediction as a (logarithm of a) value
};

/// A prediction and its outcome.
struct judged_outcome {
    double expected = 0;           ///< opinion::deviations
    std::optional<double> value{}; ///< nothing: failed
    /// The logarithm of the value less opinion::value; infinite for a failure, and if no session
    /// has a level.
    double surprise = 0;
};

/// Agreement of the order of outcomes with the expected order, by pairs weighted by their expected
/// difference: 1 all agree, -1 none, 0 nothing to compare. A failure is slower than every success.
[[nodiscard]] double agreement(std::span<judged_outcome const> told) noexcept;

enum class opening_step : std::uint8_t {
    session, ///< the next of the sessions' portfolio
    design,  ///< the next of the design of a search without sessions
    model    ///< the choice of the model
};

/// Decides the source of the next configuration, until `length` outcomes are known.
class opening {
public:
    static constexpr std::size_t length = 10;
    /// An outcome is a surprise if the logarithm of its ratio to the sessions' value exceeds this.
    /// Other devices of the same kind stay below; on recorded kernels with reversed sessions all
    /// outcomes are above.
    static constexpr double surprising = 1.2;
    /// Smaller differences of expectations do not distinguish right sessions from wrong ones.
    static constexpr double contrast = 1;
    /// After so many outcomes without a surprise, a configuration of the design is due.
    static constexpr std::size_t unsurprised = 5;

    /// @param starts  number of configurations from sessions, if all succeed and agree
    explicit opening(std::size_t starts)
        : starts_(starts)
    {
    }
    /// @param told     in the order of telling
    /// @param waiting  opinion::deviations of pending points
    [[nodiscard]] opening_step next(std::span<judged_outcome const> told,
                                    std::span<double const> waiting);

private:
    static constexpr std::size_t most_designs = 2; ///< for contrast

    [[nodiscard]] opening_step choose(std::span<judged_outcome const> told,
                                      std::span<double const> waiting) const;

    std::size_t starts_;
    std::size_t sessions_ = 0; ///< number of steps of that kind so far
    std::size_t designs_ = 0;
};

/// Weight of a candidate's own value, beside its gain over the earlier candidates.
inline constexpr double portfolio_mean_share = 0.1;
/// The largest slowdown, as a logarithm, that a session counts against a candidate.
inline constexpr double most_slowdown = 2;

/// Up to `count` rows, chosen one by one: each has the least
/// sum over s of weight[s] * (portfolio_mean_share * slowdown[s][row] + min of slowdown[s] over it
/// and those before it), the first of equals.
/// @param slowdown  s x m: slowdown of a candidate against the best of session s, at most
///                  most_slowdown
[[nodiscard]] std::vector<std::size_t>
greedy_portfolio(std::vector<std::vector<double>> const& slowdown,
                 std::vector<double> const& weight, std::size_t count);

/// A process of the successful outcomes; with failures, also a process of success.
class source_model {
public:
    /// Variance of standardised values between an outcome of a session and the outcome here: in the
    /// prior mean `discrepancy`, in the choice of a portfolio `first_discrepancy`. The first
    /// configuration depends only on the portfolio, so a single good outcome counts less there than
    /// good surroundings: on recorded kernels the first configuration reached 0.71 of the optimum
    /// with 0, 0.73 with 0.03 and 0.75 with 0.1. In the mean, 0.1 loses 0.01 after 40 evaluations.
    static constexpr double discrepancy = 0.03;
    static constexpr double first_discrepancy = 0.1;

    /// @param features  of the present space
    /// @param session   with at least one success
    /// Cost   a fit of hyperparameters, two if there are failures
    source_model(feature_map const& features, translated_session const& session,
                 objective_options const& objective);

    /// Returns true if values are logarithms.
    [[nodiscard]] bool logarithmic() const noexcept { return logarithmic_; }
    /// The expectation at each row, less centre(), in the unit of the (logarithms of the) values;
    /// and its variance, in that unit squared.
    void predict(feature_table const& points, Eigen::ArrayXd& mean, Eigen::ArrayXd& variance) const;
    [[nodiscard]] double centre() const noexcept { return centre_; }
    /// The mean with first_discrepancy.
    [[nodiscard]] Eigen::ArrayXd predict_first(feature_table const& points) const;
    /// Variance of the values that no function explains, in that unit squared.
    [[nodiscard]] double noise() const noexcept { return values_.hyper().noise() * unit_ * unit_; }
    /// The chance of success at each row.
    [[nodiscard]] Eigen::ArrayXd chance(feature_table const& points) const;
    /// Hyperparameters of the outcomes, with standardised values.
    [[nodiscard]] gp::hyperparameter_vector const& hyper() const noexcept
    {
        return values_.hyper();
    }

private:
    gp::process values_;
    gp::process first_; ///< of the same values, with first_discrepancy
    std::optional<gp::process> labels_;
    double unit_ = 1;
    double centre_ = 0;
    bool logarithmic_ = false;
};

/// Made once at the start of a search; immutable.
class warm_start {
public:
    /// Ignores sessions without a success.
    /// Cost   a model of each session, and its predictions for the space or a sample of it
    warm_start(chain_of_trees const& space, std::vector<past_session> sessions,
               warm_start_options const& options, bayesian_options const& search);

    [[nodiscard]] warm_start_options const& options() const noexcept { return options_; }
    /// Number of sessions with a model.
    [[nodiscard]] std::size_t size() const noexcept { return models_.size(); }
    [[nodiscard]] bool empty() const noexcept { return models_.empty(); }
    /// Weights of the sessions; their sum is 1.
    [[nodiscard]] Eigen::VectorXd const& weights() const noexcept { return weights_; }
    /// Returns true if all values are logarithms.
    [[nodiscard]] bool logarithmic() const noexcept { return logarithmic_; }
    /// Spread of values over the space, in the unit of their logarithms.
    [[nodiscard]] double unit() const noexcept { return unit_; }
    /// Expectation of each session at each row, less its mean over the space, divided by its
    /// deviation over the space. A session of noise expects about 0 everywhere.  m x size()
    [[nodiscard]] Eigen::MatrixXd prior(feature_table const& points) const;
    /// Returns true if a session has the size of values, not only their order.
    [[nodiscard]] bool has_level() const noexcept { return levels_.sum() > 0; }
    /// The prediction of all sessions for one configuration; the value by those with a level.
    [[nodiscard]] opinion opinion_of(point const& p) const;
    /// The share of their values that the sessions' models explain: in [0, 1], about 0 for noise.
    [[nodiscard]] double trust() const noexcept { return trust_; }
    /// The mean of the hyperparameters of the sessions, weighted by weight and explained share.
    [[nodiscard]] gp::hyperparameter_vector const& hyper() const noexcept { return hyper_; }
    /// warm_portfolio()
    [[nodiscard]] std::vector<point> portfolio(std::size_t count) const;

private:
    /// From this number of successes on, a model is better than the outcomes alone.
    static constexpr std::size_t least_modelled = 3;

    /// Slowdown of each candidate against the best of session s, as a logarithm.
    [[nodiscard]] std::vector<double> slowdown_of(translated_session const& session,
                                                  source_model const& model) const;

    feature_map features_;
    warm_start_options options_;
    std::vector<source_model> models_;
    Eigen::VectorXd weights_;
    Eigen::VectorXd levels_;           ///< weights of sessions with a level: sum 1, or all 0
    Eigen::VectorXd mean_, deviation_; ///< over the space, by session
    std::vector<point> candidates_;
    feature_table table_;                       ///< of the candidates
    Eigen::MatrixXd expected_;                  ///< prior() of the candidates
    std::vector<std::vector<double>> slowdown_; ///< session -> candidate
    gp::hyperparameter_vector hyper_;
    double unit_ = 0;
    double trust_ = 0;
    bool logarithmic_ = true;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/transfer/warm_start.ipp>
#endif
