// tests/search/transfer/warm_process.cpp : mirrors include/attune/search/transfer/warm_process.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/transfer/warm_process.hpp>

#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/search/bayes/gp/conditional.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <memory>
#include <optional>
#include <vector>

#include "../../laws/surrogate.hpp"
#include "../../support/gp_points.hpp"
#include "../../support/past_sessions.hpp"
#include "../../support/search_spaces.hpp"

using attune::point;
using attune::detail::warm_process;
using attune::detail::warm_start;

namespace {

/// Rises along the first index, or falls.
auto slope(double sign)
{
    return [=](point const& p) -> std::optional<double> {
        return std::exp(sign * 0.3 * p[0].index + 0.05 * p[1].index);
    };
}

std::shared_ptr<warm_start const> known(attune::chain_of_trees const& space,
                                        std::vector<double> const& signs,
                                        attune::warm_start_options const& options = {})
{
    std::vector<attune::past_session> sessions;
    for (std::size_t i = 0; i < signs.size(); ++i)
        sessions.push_back(
            past_sessions::of(space, 30, i + 1, slope(signs[i]), 1 / static_cast<double>(i + 1)));
    return std::make_shared<warm_start>(space, sessions, options, attune::bayesian_options{});
}

/// Warm from what another search found in the space of the features; right, or wrong.
template <int Sign>
class warm : public warm_process {
public:
    explicit warm(attune::feature_map const& features)
        : warm_process(features, known(features.space(), {double(Sign), 0.5}))
    {
    }
};

} // namespace

TEST_CASE_TEMPLATE_INVOKE(surrogate_laws, warm_process, warm<1>, warm<-1>);

TEST_CASE("mean and variance are those of the formula with the slopes integrated out")
{
    attune::chain_of_trees const space = search_spaces::grid(10);
    attune::feature_map const features(space);
    auto const sessions = known(space, {1, -0.5});
    attune::feature_table const all = gp_points::rows_of_all(features);
    attune::feature_table points;
    std::vector<double> values;
    attune::random_engine engine(4);
    warm_process model(features, sessions);
    model.assign(all);
    auto const check = [&] {
        Eigen::Index const n = static_cast<Eigen::Index>(values.size());
        auto const basis = [&](attune::feature_table const& t) {
            Eigen::MatrixXd out(static_cast<Eigen::Index>(t.points), 3);
            out << sessions->prior(t), Eigen::VectorXd::Ones(static_cast<Eigen::Index>(t.points));
            return out;
        };
        Eigen::VectorXd variance(3);
        variance << sessions->weights(), 1;
        Eigen::VectorXd expected(3);
        expected << sessions->weights(), 0;
        Eigen::VectorXd const y = gp_points::vector(values);
        Eigen::MatrixXd const h = basis(points);
        Eigen::MatrixXd const g = basis(all);
        expected[2] = (y - h * expected).mean();
        attune::detail::gp::kernel const kernel = attune::detail::objective_process().kernel;
        auto const of = [&](attune::feature_table const& a, attune::feature_table const& b) {
            return Eigen::MatrixXd(gp_points::covariance(features, kernel, model.hyper(), a, b) +
                                   basis(a) * variance.asDiagonal() * basis(b).transpose());
        };
        Eigen::MatrixXd noisy = of(points, points);
        noisy.diagonal().array() += model.hyper().noise();
        Eigen::MatrixXd const inverse = noisy.inverse();
        Eigen::MatrixXd const cross = of(all, points);
        Eigen::ArrayXd const mean = (g * expected + cross * (inverse * (y - h * expected))).array();
        Eigen::ArrayXd const left =
            model.hyper().signal() +
            (g * variance.asDiagonal()).cwiseProduct(g).rowwise().sum().array() -
            (cross * inverse).cwiseProduct(cross).rowwise().sum().array();
        CHECK(n == static_cast<Eigen::Index>(points.points));
        CHECK((model.mean() - mean).abs().maxCoeff() < 2e-3);
        CHECK((model.variance() - left).abs().maxCoeff() < 2e-3);
        Eigen::ArrayXd column;
        model.covariance(17, column);
        CHECK(column[17] == doctest::Approx(model.variance()[17]).epsilon(1e-3));
        auto const [predicted, unsure] = gp_points::predicted(model, all);
        CHECK((predicted - mean).abs().maxCoeff() < 2e-3);
        CHECK((unsure - left).abs().maxCoeff() < 2e-3);
    };
    for (std::size_t const i : {3u, 41u, 77u, 90u}) {
        attune::detail::gp::append_row(all, i, points);
        values.push_back(std::sin(0.4 * static_cast<double>(i)));
    }
    model.fit(points, values, {}, engine);
    model.learn(points, values, {}, engine);
    check();
    model.observe(55, 0.7, 0);
    attune::detail::gp::append_row(all, 55, points);
    values.push_back(0.7);
    check();
    model.observe(all, 12, -0.2, 0);
    attune::detail::gp::append_row(all, 12, points);
    values.push_back(-0.2);
    check();
}

TEST_CASE("outcomes decide how much a session counts, and with which sign")
{
    attune::chain_of_trees const space = search_spaces::grid(10);
    attune::feature_map const features(space);
    for (double const sign : {1.0, -1.0}) {
        warm_process model(features, known(space, {1}));
        attune::feature_table const all = gp_points::rows_of_all(features);
        model.assign(all);
        attune::feature_table points;
        std::vector<double> values;
        for (std::size_t i = 0; i < 100; i += 13) {
            attune::detail::gp::append_row(all, i, points);
            values.push_back(sign * (static_cast<double>(i / 10) - 4.5) / 3);
        }
        attune::random_engine engine(4);
        CHECK(model.slopes()[0] == doctest::Approx(1));
        model.fit(points, values, {}, engine);
        model.learn(points, values, {}, engine);
        CHECK(sign * model.slopes()[0] > 0.3);
        CHECK(sign * (model.mean()[95] - model.mean()[5]) > 1);
    }
}

TEST_CASE("before anything is observed the mean is what the sessions say")
{
    attune::chain_of_trees const space = search_spaces::grid(10);
    attune::feature_map const features(space);
    auto const sessions = known(space, {1, 1});
    warm_process model(features, sessions);
    attune::feature_table const all = gp_points::rows_of_all(features);
    model.assign(all);
    attune::random_engine engine(1);
    model.learn({}, {}, {}, engine);
    Eigen::ArrayXd const expected = (sessions->prior(all) * sessions->weights()).array();
    CHECK((model.mean() - expected).abs().maxCoeff() < 1e-6);
}

TEST_CASE("without sessions, and when they have faded, the process is the default one bit for bit")
{
    attune::chain_of_trees const space = search_spaces::grid(10);
    attune::feature_map const features(space);
    attune::feature_table const all = gp_points::rows_of_all(features);
    attune::feature_table points;
    std::vector<double> values;
    for (std::size_t i = 0; i < 100; i += 7) {
        attune::detail::gp::append_row(all, i, points);
        values.push_back(std::sin(0.4 * static_cast<double>(i)));
    }
    attune::product_surrogate cold(features);
    attune::warm_start_options faded;
    faded.believe_until = faded.hyperparameters_until = 10;
    warm_process without(features);
    warm_process late(features, known(space, {1, -1}, faded));
    auto const teach = [&](auto& model) {
        attune::random_engine engine(2);
        model.assign(all);
        model.fit(points, values, {}, engine);
        model.learn(points, values, {}, engine);
        model.observe(50, 0.2, 0);
    };
    teach(cold);
    teach(without);
    teach(late);
    CHECK((cold.mean() == without.mean()).all());
    CHECK((cold.variance() == without.variance()).all());
    CHECK((cold.mean() == late.mean()).all());
    CHECK((cold.variance() == late.variance()).all());
}
