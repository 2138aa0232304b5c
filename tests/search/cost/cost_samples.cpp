// tests/search/cost/cost_samples.cpp - scores within tasks, and the text form.
// SPDX-License-Identifier: MIT
#include <attune/search/cost/cost_samples.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "../../support/search_spaces.hpp"

namespace {

attune::program_rows rows(std::vector<double> values) { return {std::move(values), 2}; }

attune::cost_samples example()
{
    attune::cost_samples out;
    out.add("a b", rows({1, 2}), 4.0);
    out.add("other", rows({0.1, -3e-300, std::numeric_limits<double>::infinity(), 0}), 0.25);
    out.add("a b", rows({5, 6}), 1.0);
    out.add("a b", rows({7, 8}), {});
    return out;
}

} // namespace

TEST_CASE("the score of a program is the least value of its task over its own")
{
    attune::cost_samples samples = example();
    CHECK(samples.scores() == std::vector<double>{0.25, 1, 1, 0});
    samples.add("a b", rows({1, 1}), 0.5);
    CHECK(samples.scores() == std::vector<double>{0.125, 1, 0.5, 0, 1});
}

TEST_CASE("the place of a program is the share of its task's others that it is faster than")
{
    attune::random_engine engine(11);
    attune::cost_samples samples;
    for (int i = 0; i < 60; ++i) {
        std::optional<double> value;
        if (attune::uniform_below(engine, 5) > 0) // with equal ones among them
            value = 1 + static_cast<double>(attune::uniform_below(engine, 12));
        samples.add(i % 3 == 0 ? "a" : "b", {{1.0 * i}, 1}, value);
    }
    std::vector<double> const places = samples.places();
    for (std::size_t i = 0; i < samples.size(); ++i) {
        double slower = 0;
        double others = 0;
        for (std::size_t j = 0; j < samples.size(); ++j) {
            if (j == i || samples.task(j) != samples.task(i)) continue;
            others += 1;
            if (!samples.value(i)) continue;
            if (!samples.value(j) || *samples.value(j) > *samples.value(i))
                slower += 1;
            else if (*samples.value(j) == *samples.value(i))
                slower += .5;
        }
        CHECK(places[i] == doctest::Approx(slower / others));
    }
    attune::cost_samples one;
    one.add("alone", {{1}, 1}, 2.0);
    one.add("broken", {{1}, 1}, std::nullopt);
    CHECK(one.places() == std::vector<double>{1, 0});
}

TEST_CASE("programs without rows are left out, and a task of failures alone has scores of 0")
{
    attune::cost_samples samples;
    samples.add("x", {}, 1.0);
    CHECK(samples.size() == 0);
    samples.add("x", rows({1, 2}), {});
    CHECK(samples.scores() == std::vector<double>{0});
}

TEST_CASE("measured programs read back from their text bit for bit")
{
    attune::cost_samples const samples = example();
    attune::cost_samples const read = attune::read_cost_samples(text_of(samples));
    REQUIRE(read.size() == samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        CHECK(read.task(i) == samples.task(i));
        CHECK(read.value(i) == samples.value(i));
        CHECK(read.programs()[i] == samples.programs()[i]);
    }
    CHECK(attune::read_cost_samples("").size() == 0);
    attune::cost_samples both = example();
    both.add(samples);
    CHECK(text_of(both) == text_of(samples) + text_of(samples));
}

TEST_CASE("a text that is none is refused, and the line is named")
{
    for (char const* const bad :
         {"x\n", "x\t1\t2\t1 2\nx\t1\t2\t1 2 3\n", "x\t-1\t2\t1 2\n", "x\t1\t0\t1 2\n",
          "x\t1\t2\t1 b\n", "x\t1\t2\t\n", "x\t1\t2\t1 2\nx\t1\t1\t1 2\n"})
        CHECK_THROWS_WITH_AS((void)attune::read_cost_samples(bad),
                             doctest::Contains("of measured programs"), attune::error);
}

namespace {

attune::description two_rows()
{
    attune::description d;
    d.parameters = {search_spaces::counting("a", 8)};
    d.rows = [](attune::description const&, std::span<attune::coordinate const> at) {
        if (at[0].index == 7) throw attune::error("no such program", "here", "take another");
        return attune::program_rows{{1, 2, 3, 1.0 * at[0].index}, 2};
    };
    return d;
}

} // namespace

TEST_CASE("rows get the logarithm of the expected time, without its level")
{
    attune::description d = two_rows();
    for (double const level : {1.0, 1e-6}) {
        d.expected = [level](std::span<attune::coordinate const> at) {
            return level * std::exp2(static_cast<double>(at[0].index));
        };
        attune::expected_rows const rows{attune::chain_of_trees(d)};
        auto const first = rows.of({{0, 0}});
        REQUIRE(first);
        CHECK(first->width == 3);
        REQUIRE(first->count() == 2);
        CHECK(first->values[0] == 1);
        CHECK(first->values[1] == 2);
        CHECK(first->values[3] == 3);
        CHECK(first->values[4] == 0);
        CHECK(first->values[2] == first->values[5]);
        // The mean of 0 to 7 is 3.5; 64 draws have a standard deviation of 0.29.
        CHECK(std::abs(first->values[2] + 3.5) < 5 * .29);
        for (std::uint32_t i = 1; i < 7; ++i)
            CHECK(rows.of({{i, 0}})->values[2] - first->values[2] == doctest::Approx(i));
        CHECK(!rows.of({{7, 0}}));
    }
}

TEST_CASE("the column is 0 where nothing is expected, or nothing that is a number")
{
    attune::description d = two_rows();
    CHECK(attune::expected_rows{attune::chain_of_trees(d)}.of({{2, 0}})->values[2] == 0);
    d.expected = [](std::span<attune::coordinate const> at) {
        return at[0].index == 2 ? std::numeric_limits<double>::infinity() : 1.0;
    };
    CHECK(attune::expected_rows{attune::chain_of_trees(d)}.of({{2, 0}})->values[2] == 0);
    d.rows = {};
    CHECK(!attune::expected_rows{attune::chain_of_trees(d)}.of({{2, 0}}));
}
