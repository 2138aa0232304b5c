// tests/search/cost/cost_samples.cpp - scores within tasks, and the text form.
// SPDX-License-Identifier: MIT
#include <attune/search/cost/cost_samples.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

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
