// tests/bench/replay_lead.cpp : mirrors bench/search/replay_lead.hpp
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "../../bench/search/replay_lead.hpp"

namespace {

constexpr double na = std::numeric_limits<double>::quiet_NaN();

/// The only rival of a strategy with this mean and error by another one with those.
bench::replay_rival rival(double its, double its_error, double other, double other_error)
{
    std::vector<bench::replay_rival> const all =
        bench::rivals_of({{"x", {{its, na, na}, {its_error, na, na}}}},
                         {{"x", {{"b", {{other, na, na}, {other_error, na, na}}}}}});
    REQUIRE(all.size() == 1);
    return all.front();
}

} // namespace

TEST_CASE("errors of independent runs add up by squares")
{
    bench::replay_rival const r = rival(0.75, 0.03, 0.875, 0.04);
    CHECK(r.space == "x");
    CHECK(r.other == "b");
    CHECK(r.after == 40);
    CHECK(r.difference == 0.125);
    CHECK(r.error == doctest::Approx(0.05));
}

TEST_CASE("two are level within two errors of their difference")
{
    for (double const sign : {1.0, -1.0}) {
        CHECK(rival(0.5, 0.0625, 0.5 + sign * 0.125, 0).is_level());
        CHECK_FALSE(rival(0.5, 0.0625, 0.5 + sign * 0.1256, 0).is_level());
    }
    CHECK(rival(0.5, 0.0625, 0.6256, 0).is_ahead());
    CHECK_FALSE(rival(0.5, 0.0625, 0.625, 0).is_ahead());
    CHECK_FALSE(rival(0.5, 0.0625, 0.25, 0).is_ahead());
    CHECK(rival(1, 0, 1, 0).is_level()); // both have the optimum in all runs
    CHECK(rival(0.5, 0, 0.501, 0).is_ahead());
    CHECK(rival(0.9996, 0, 1, 0).is_level()); // of two lines with three digits
    CHECK(rival(0.5, 0, 0.9, na).is_level()); // not known
    CHECK_FALSE(rival(0.5, na, 0.9, 0).is_ahead());
}

TEST_CASE("rivals are those on the same space, at checkpoints that both have")
{
    std::vector<bench::replay_rival> const all = bench::rivals_of(
        {{"x", {{0.5, 0.5, na}, {}}}, {"y", {{0.5, 0.5, 0.5}, {}}}, {"only ours", {{1, 1, 1}, {}}}},
        {{"x", {{"b", {{0.5, na, 1}, {}}}, {"c", {{1, 1, 1}, {}}}}},
         {"y", {{"b", {{1, 1, 1}, {}}}}},
         {"only theirs", {{"b", {{1, 1, 1}, {}}}}}});
    std::vector<std::string> seen;
    for (bench::replay_rival const& r : all)
        seen.push_back(r.space + r.other + std::to_string(r.after));
    CHECK(seen == std::vector<std::string>{"xb40", "xc40", "xc100", "yb40", "yb100", "yb220"});
}
