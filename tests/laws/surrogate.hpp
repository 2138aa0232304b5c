// tests/laws/surrogate.hpp : what every model of `surrogate` must obey
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/bayes/model/search_parts.hpp>
#include <attune/search/bayes/surrogate.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "../support/gp_points.hpp"
#include "../support/search_spaces.hpp"

namespace surrogate_law {

/// A grid of 9 x 9; the value rises from -1 to 1 along the first index. Every fourth is learnt.
struct slope {
    slope()
        : space(search_spaces::grid(9))
        , features(space)
    {
        for (std::uint64_t i = 0; i < 81; ++i) {
            features.append(space.at(i), all);
            if (i % 4 != 0) continue;
            features.append(space.at(i), some);
            values.push_back(static_cast<double>(i / 9) / 4 - 1);
        }
    }
    attune::chain_of_trees space;
    attune::feature_map features;
    attune::feature_table all;
    attune::feature_table some;
    std::vector<double> values;
};

using gp_points::predicted;
using gp_points::prediction;

template <class S>
void teach(S& s, attune::feature_table const& points, std::vector<double> const& values)
{
    attune::random_engine engine(3);
    if constexpr (requires { s.fit(points, values, {}, engine); })
        s.fit(points, values, {}, engine);
    s.learn(points, values, {}, engine);
}

} // namespace surrogate_law

TEST_CASE_TEMPLATE_DEFINE("a surrogate obeys the laws", S, surrogate_laws)
{
    using namespace surrogate_law;
    static_assert(attune::surrogate<S>);
    static_assert(attune::resident_surrogate<attune::detail::candidate_model<S>>);
    slope const f;

    SUBCASE("it predicts a number and a variance for every row, from one observation on")
    {
        for (std::size_t const count : {std::size_t{1}, f.values.size()}) {
            S s(f.features);
            attune::feature_table some;
            for (std::size_t i = 0; i < count; ++i)
                attune::detail::gp::append_row(f.some, i, some);
            teach(s, some, std::vector<double>(f.values.begin(), f.values.begin() + int(count)));
            prediction const p = predicted(s, f.all);
            REQUIRE(p.mean.size() == 81);
            REQUIRE(p.variance.size() == 81);
            CHECK(p.mean.isFinite().all());
            CHECK(p.variance.isFinite().all());
            CHECK((p.variance >= 0).all());
        }
    }
    SUBCASE("it learns which way is up")
    {
        S s(f.features);
        teach(s, f.some, f.values);
        prediction const p = predicted(s, f.all);
        CHECK(p.mean.tail(27).mean() > p.mean.head(27).mean() + 0.2);
    }
    SUBCASE("the same observations and the same engine give the same predictions")
    {
        S a(f.features);
        S b(f.features);
        teach(a, f.some, f.values);
        teach(b, f.some, f.values);
        CHECK((predicted(a, f.all).mean == predicted(b, f.all).mean).all());
        CHECK((predicted(a, f.all).variance == predicted(b, f.all).variance).all());
    }
    SUBCASE("what is learnt replaces what was learnt")
    {
        S s(f.features);
        std::vector<double> opposite;
        for (double const v : f.values)
            opposite.push_back(-v);
        teach(s, f.some, opposite);
        teach(s, f.some, f.values);
        prediction const p = predicted(s, f.all);
        CHECK(p.mean.tail(27).mean() > p.mean.head(27).mean() + 0.2);
    }
    SUBCASE("candidates have the predictions of their rows, and appended ones as well")
    {
        attune::detail::candidate_model<S> model(f.features);
        model.assign(f.all);
        teach(model, f.some, f.values);
        REQUIRE(model.mean().size() == 81);
        attune::feature_table more;
        attune::detail::gp::append_row(f.all, 40, more);
        model.append(more);
        REQUIRE(model.mean().size() == 82);
        CHECK(model.table().points == 82);
        prediction const p = predicted(model, f.all);
        CHECK((model.mean().head(81) - p.mean).abs().maxCoeff() < 1e-3);
        CHECK((model.variance().head(81) - p.variance).abs().maxCoeff() < 1e-3);
        CHECK(model.mean()[81] == doctest::Approx(model.mean()[40]).epsilon(1e-3));
    }
    SUBCASE("what is pushed is forgotten when it is popped, bit for bit")
    {
        attune::detail::candidate_model<S> model(f.features);
        model.assign(f.all);
        teach(model, f.some, f.values);
        Eigen::ArrayXd const before = model.mean();
        Eigen::ArrayXd const variance = model.variance();
        model.push(10, -3);
        model.push(f.all, 70, 2);
        CHECK(model.mean().isFinite().all());
        model.pop();
        model.pop();
        CHECK((model.mean() == before).all());
        CHECK((model.variance() == variance).all());
    }
    SUBCASE("an observation moves the prediction of its candidate towards it")
    {
        attune::detail::candidate_model<S> model(f.features);
        model.assign(f.all);
        teach(model, f.some, f.values);
        double const before = model.mean()[41];
        model.observe(41, -1.5, 0);
        CHECK(model.mean()[41] <= before);
        Eigen::ArrayXd column;
        model.covariance(41, column);
        CHECK(column.size() == 81);
        CHECK(column[41] == doctest::Approx(model.variance()[41]).epsilon(1e-2));
    }
}
