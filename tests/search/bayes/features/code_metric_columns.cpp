// tests/search/bayes/features/code_metric_columns.cpp - features that are learnt while a search goes on.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/features/code_metric_columns.hpp>

#include <attune/search/bayes/features/feature_map.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <string>

#include "../../../support/search_spaces.hpp"

using attune::detail::code_metric_columns;

namespace {

/// Says of every point the index of its first parameter over 11, and knows those of the diagonal.
struct first_index final : code_metric_columns {
    std::string called = "first";

    std::size_t count() const override { return 1; }
    std::string const& name(std::size_t) const override { return called; }
    bool has_metrics_of(attune::point const& p) const override { return p[0].index == p[1].index; }
    void append(attune::point const& p, attune::feature_table& table) const override
    {
        table.level.back().push_back(level(p[0].index / 11.0, has_metrics_of(p) ? 0 : 0.125));
    }
};

} // namespace

TEST_CASE("a level stands at the nearest number and deviation")
{
    for (double const at : {0.0, 0.013, 0.5, 0.77, 1.0})
        for (double const deviation : {0.0, 0.06, 0.2, 0.43}) {
            std::uint32_t const level = code_metric_columns::level(at, deviation);
            REQUIRE(level < code_metric_columns::levels);
            double const* const place = &code_metric_columns::places()[2 * level];
            CHECK(std::abs(place[0] - at) <= 0.5 / (code_metric_columns::steps - 1) + 1e-12);
            CHECK(std::abs(place[1] - deviation) <= code_metric_columns::doubt_step / 2 + 1e-12);
        }
    CHECK(code_metric_columns::level(-3) == code_metric_columns::level(0));
    CHECK(code_metric_columns::level(7, 9) == code_metric_columns::levels - 1);
}

TEST_CASE("the squared distance of a guess from what is known is the one that is expected of it")
{
    attune::feature_map const map =
        attune::feature_map(search_spaces::grid(12)).with(std::make_shared<first_index>());
    std::uint32_t const known = code_metric_columns::level(0.0);
    std::uint32_t const guess = code_metric_columns::level(1.0, 0.25);
    std::size_t const f = map.count() - 1;
    CHECK(map.distance(f, known, guess) == 1.0); // features are never further apart
    std::uint32_t const near = code_metric_columns::level(0.0, 0.25);
    CHECK(map.distance(f, known, near) == doctest::Approx(0.25));
}

TEST_CASE("a map has the further features behind its own, and is the same without them")
{
    attune::chain_of_trees const space = search_spaces::grid(12);
    attune::feature_map const own(space);
    attune::feature_map const map = own.with(std::make_shared<first_index>());
    REQUIRE(map.count() == own.count() + 1);
    std::size_t const f = own.count();
    CHECK(map.name(f) == "first");
    CHECK(map.is_derived(f));
    CHECK_FALSE(map.is_nominal(f));
    CHECK(map.levels(f) == code_metric_columns::levels);
    CHECK(map.dimensions(f) == 2);
    attune::feature_table with;
    attune::feature_table without;
    for (std::uint64_t i = 0; i < 144; ++i) {
        map.append(space.at(i), with);
        own.append(space.at(i), without);
        CHECK(map.has_metrics_of(space.at(i)) == (i % 13 == 0));
        CHECK_FALSE(own.has_metrics_of(space.at(i)));
    }
    CHECK(with.points == 144);
    for (std::size_t own_feature = 0; own_feature < own.count(); ++own_feature)
        CHECK(with.level[own_feature] == without.level[own_feature]);
    for (std::uint64_t i = 0; i < 144; ++i)
        CHECK(map.place(f, with.level[f][i])[0] ==
              doctest::Approx(space.at(i)[0].index / 11.0).epsilon(0.02));
}
