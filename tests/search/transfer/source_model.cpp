// tests/search/transfer/source_model.cpp : mirrors include/attune/search/transfer/source_model.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/transfer/source_model.hpp>

#include <attune/core/random.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <optional>

#include "../../support/past_sessions.hpp"
#include "../../support/search_spaces.hpp"

using attune::point;
using attune::detail::source_model;

namespace {

struct setting {
    attune::chain_of_trees space = search_spaces::grid(12);
    attune::feature_map features{space};
    attune::feature_table all;

    setting()
    {
        for (std::uint64_t i = 0; i < 144; ++i)
            features.append(space.at(i), all);
    }
    template <class F>
    [[nodiscard]] source_model learnt(std::size_t count, F const& f) const
    {
        return source_model(
            features, attune::detail::translate(space, past_sessions::of(space, count, 3, f)), {});
    }
};

std::optional<double> bowl(point const& p)
{
    double const x = p[0].index - 3.0;
    double const y = p[1].index - 8.0;
    return std::exp(0.02 * (x * x + y * y));
}

} // namespace

TEST_CASE("a smooth session is predicted where it was not, as logarithms but for a constant")
{
    setting const s;
    source_model const model = s.learnt(50, bowl);
    CHECK(model.logarithmic());
    Eigen::ArrayXd mean;
    Eigen::ArrayXd variance;
    model.predict(s.all, mean, variance);
    Eigen::ArrayXd truth(144);
    for (Eigen::Index i = 0; i < 144; ++i)
        truth[i] = std::log(*bowl(s.space.at(static_cast<std::uint64_t>(i))));
    Eigen::Index lowest = 0;
    mean.minCoeff(&lowest);
    CHECK(truth[lowest] < 0.1);
    // Far above the median, values are bent: only the lower half keeps its distances.
    Eigen::ArrayXd const error = (mean - mean[lowest]) - (truth - truth[lowest]);
    for (Eigen::Index i = 0; i < 144; ++i)
        if (truth[i] < 0.4) CHECK(std::abs(error[i]) < 0.1);
    CHECK((variance >= 0).all());
    CHECK((model.chance(s.all) == 1).all());
}

TEST_CASE("values that are not positive are no logarithms")
{
    setting const s;
    source_model const model =
        s.learnt(30, [](point const& p) -> std::optional<double> { return *bowl(p) - 5; });
    CHECK_FALSE(model.logarithmic());
}

TEST_CASE("of noise the model says little: what is left is more than what it explains")
{
    setting const s;
    attune::random_engine engine(9);
    source_model const model = s.learnt(80, [&](point const&) -> std::optional<double> {
        return 1 + attune::uniform_unit(engine);
    });
    Eigen::ArrayXd mean;
    Eigen::ArrayXd variance;
    model.predict(s.all, mean, variance);
    double const explained = (mean - mean.mean()).square().mean();
    CHECK(explained < variance.mean() + model.noise());
}

TEST_CASE("where a session failed a configuration is less likely to work")
{
    setting const s;
    source_model const model = s.learnt(60, [](point const& p) -> std::optional<double> {
        return p[0].index >= 6 ? std::nullopt : bowl(p);
    });
    Eigen::ArrayXd const chance = model.chance(s.all);
    CHECK((chance >= 0).all());
    CHECK((chance <= 1).all());
    CHECK(chance.head(48).mean() > 0.8);
    CHECK(chance.tail(48).mean() < 0.3);
}

TEST_CASE("one outcome is a session")
{
    setting const s;
    source_model const model = s.learnt(1, bowl);
    Eigen::ArrayXd mean;
    Eigen::ArrayXd variance;
    model.predict(s.all, mean, variance);
    CHECK(mean.isFinite().all());
    CHECK(model.hyper().theta.allFinite());
}
