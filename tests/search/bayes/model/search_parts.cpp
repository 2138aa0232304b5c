// tests/search/bayes/model/search_parts.cpp : mirrors include/attune/search/bayes/model/search_parts.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/model/search_parts.hpp>

#include <doctest/doctest.h>

#include "../../../laws/surrogate.hpp"
#include "../../../support/minimal_surrogate.hpp"

TEST_CASE_TEMPLATE_INVOKE(surrogate_laws, minimal_surrogate,
                          attune::detail::relearnt<minimal_surrogate>);

TEST_CASE("before anything is observed the mean is 0 and the variance 1")
{
    surrogate_law::slope const f;
    attune::detail::relearnt<minimal_surrogate> model(f.features);
    model.assign(f.all);
    CHECK((model.mean() == 0).all());
    CHECK((model.variance() == 1).all());
    model.observe(7, 0.5, 0);
    CHECK((model.mean() == 0.5).all());
    attune::random_engine engine(1);
    model.learn({}, {}, {}, engine);
    CHECK((model.mean() == 0).all());
}

namespace {

/// Predicts what its engine gave it; fit() says how often it was called.
struct lottery {
    explicit lottery(attune::feature_map const&) {}
    void fit(attune::feature_table const&, std::span<double const>, std::span<double const>,
             attune::random_engine&)
    {
        ++fits;
    }
    void learn(attune::feature_table const&, std::span<double const>, std::span<double const>,
               attune::random_engine& engine)
    {
        drawn = attune::uniform_unit(engine);
    }
    void predict(attune::feature_table const& points, Eigen::ArrayXd& mean,
                 Eigen::ArrayXd& variance) const
    {
        mean.setConstant(static_cast<Eigen::Index>(points.points), drawn + fits);
        variance.setOnes(static_cast<Eigen::Index>(points.points));
    }
    double drawn = 0;
    int fits = 0;
};

} // namespace

TEST_CASE("random choices change at each fit only")
{
    surrogate_law::slope const f;
    attune::detail::relearnt<lottery> model(f.features);
    model.assign(f.all);
    attune::random_engine engine(1);
    model.fit(f.some, f.values, {}, engine);
    model.learn(f.some, f.values, {}, engine);
    double const first = model.mean()[0];
    CHECK(first >= 1); // it was fitted
    model.observe(3, 1.0, 0);
    CHECK(model.mean()[0] == first);
    model.fit(f.some, f.values, {}, engine);
    CHECK(model.mean()[0] != first + 1);
}
