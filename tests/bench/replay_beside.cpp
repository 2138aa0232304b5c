// tests/bench/replay_beside.cpp : what other programs printed is read, and compared space by space
// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "../../bench/search/replay_beside.hpp"

namespace {

bench::replay_table table_of(char const* text)
{
    std::istringstream in(text);
    return bench::read_replay_lines(in);
}

} // namespace

TEST_CASE("lines of spaces are read, others are passed over")
{
    bench::replay_table const t = table_of(
        "baseline strategy=none error=\"no module\"\n"
        "replay space=gemm strategy=a frac20=0.1 frac40=0.5 frac100=0.625 frac220=0.75 mae_ms=1\n"
        "replay mean strategy=a spaces=1 frac20=0.1 frac40=0.5 frac100=0.6 frac220=0.7\n"
        "replay space=gemm strategy=b frac220=1 frac100=0.5 frac40=0.25 error100=0.125\n");
    CHECK(t.size() == 1);
    CHECK(t.at("gemm").at("a").fraction == bench::replay_fractions{0.5, 0.625, 0.75});
    for (double const error : t.at("gemm").at("a").error)
        CHECK(std::isnan(error));
    CHECK(t.at("gemm").at("b").fraction == bench::replay_fractions{0.25, 0.5, 1});
    CHECK(t.at("gemm").at("b").error[1] == 0.125);
}

TEST_CASE("beyond its budget a line has no numbers")
{
    bench::replay_table const t =
        table_of("replay space=x strategy=a frac40=0.5 frac100=0.75 frac220=na error220=na\n");
    bench::replay_line const& of = t.at("x").at("a");
    CHECK(of.fraction[0] == 0.5);
    CHECK(of.fraction[1] == 0.75);
    CHECK(std::isnan(of.fraction[2]));
    CHECK(std::isnan(of.error[2]));
}

TEST_CASE("a line without a number or a name is refused")
{
    CHECK_THROWS_AS(static_cast<void>(table_of("replay space=x strategy=a frac40=0.5 frac100=1\n")),
                    std::runtime_error);
    CHECK_THROWS_AS(
        static_cast<void>(table_of("replay space=x strategy=a frac40=0.5x frac100=1 frac220=1\n")),
        std::runtime_error);
    CHECK_THROWS_AS(static_cast<void>(table_of("replay space=x frac40=0.5 frac100=1 frac220=1\n")),
                    std::runtime_error);
    for (char const* const text : {
             "replay space= strategy=a frac40=0.5 frac100=1 frac220=1\n",
             "replay space=x strategy=a frac40=0 frac100=1 frac220=1\n",
             "replay space=x strategy=a frac40=-1 frac100=1 frac220=1\n",
             "replay space=x strategy=a frac40=nan frac100=1 frac220=1\n",
             "replay space=x strategy=a frac40=1 frac100=1 frac220=nan\n",
             "replay space=x strategy=a frac40=1 frac100=1 frac220=\n",
             "replay space=x strategy=a frac40=1 frac100=1 frac220=1 error40=-1\n",
             "replay space=x strategy=a frac40=1 frac100=1 frac220=1 error40=x\n",
             "replay space=x strategy=a frac40=1 frac100=1 frac220=1\n"
             "replay space=x strategy=a frac40=1 frac100=1 frac220=1\n",
         })
        CHECK_THROWS_AS(static_cast<void>(table_of(text)), std::runtime_error);
}

TEST_CASE("means are over the spaces that both have")
{
    bench::replay_table const ours{{"x", {{"a", {{0.5, 0.75, 1}, {}}}}},
                                   {"y", {{"a", {{1, 1, 1}, {}}}}},
                                   {"only ours", {{"a", {{0.1, 0.1, 0.1}, {}}}}}};
    bench::replay_table const theirs{{"x", {{"b", {{0.25, 0.5, 0.5}, {}}}, {"c", {{1, 1, 1}, {}}}}},
                                     {"y", {{"b", {{0.75, 0.5, 0.5}, {}}}}},
                                     {"only theirs", {{"b", {{1, 1, 1}, {}}}}}};
    std::vector<bench::beside_row> const rows = bench::compare_replays(ours, theirs);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].other == "b");
    CHECK(rows[0].spaces == std::array<std::size_t, 3>{2, 2, 2});
    CHECK(rows[0].its == bench::replay_fractions{0.75, 0.875, 1});
    CHECK(rows[0].others == bench::replay_fractions{0.5, 0.5, 0.5});
    CHECK(rows[0].ratio(0) == doctest::Approx(1.5));
    CHECK(rows[1].other == "c");
    CHECK(rows[1].spaces == std::array<std::size_t, 3>{1, 1, 1});
    CHECK(rows[1].ratio(2) == doctest::Approx(1));
}

TEST_CASE("a checkpoint is compared where both have it")
{
    constexpr double na = std::numeric_limits<double>::quiet_NaN();
    // Ours after 220 is not beside theirs after 100.
    bench::replay_table const ours{{"x", {{"a", {{0.5, 0.75, 1}, {}}}}},
                                   {"y", {{"a", {{0.75, 1, 1}, {}}}}}};
    bench::replay_table const theirs{{"x", {{"b", {{0.5, 0.5, na}, {}}}}},
                                     {"y", {{"b", {{0.25, na, na}, {}}}}}};
    std::vector<bench::beside_row> const rows = bench::compare_replays(ours, theirs);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].spaces == std::array<std::size_t, 3>{2, 1, 0});
    CHECK(rows[0].its[0] == 0.625);
    CHECK(rows[0].others[0] == 0.375);
    CHECK(rows[0].its[1] == 0.75);
    CHECK(rows[0].others[1] == 0.5);
    CHECK(std::isnan(rows[0].its[2]));
    CHECK(std::isnan(rows[0].others[2]));
    CHECK(std::isnan(rows[0].ratio(2)));
}
