// tests/core/outcome.cpp - a measurement or a failure, as one value.
// SPDX-License-Identifier: MIT
#include <attune/core/outcome.hpp>

#include <doctest/doctest.h>
#include <set>
#include <string>
#include <variant>

TEST_CASE("an outcome is a measurement or a failure")
{
    attune::outcome const good = attune::measurement{1.0, 0.9, 1.1, 5};
    attune::outcome const bad =
        attune::failure{attune::failure_stage::compile, "unknown type", "line 1\nline 2"};
    CHECK(attune::succeeded(good));
    CHECK_FALSE(attune::succeeded(bad));
    CHECK(std::get<attune::measurement>(good).samples == 5);
    CHECK(std::get<attune::failure>(bad).reason == "unknown type");
    CHECK(std::get<attune::failure>(bad).log == "line 1\nline 2");
}

TEST_CASE("an exact measurement has an interval of no width and one sample")
{
    constexpr auto exact = attune::measurement::exact(2.5);
    static_assert(exact.value == 2.5 && exact.low == 2.5 && exact.high == 2.5);
    CHECK(exact.samples == 1);
}

TEST_CASE("every failure stage has words of its own")
{
    std::set<std::string> words;
    for (std::size_t i = 0; i < attune::detail::failure_stage_count; ++i)
        words.emplace(attune::describe(static_cast<attune::failure_stage>(i)));
    CHECK(words.size() == attune::detail::failure_stage_count);
    CHECK_FALSE(words.contains("failed"));
    CHECK(attune::describe(attune::failure_stage::compile) == "did not compile");
    CHECK(attune::describe(attune::failure_stage::verify) == "computed a wrong result");
    CHECK(static_cast<std::size_t>(attune::failure_stage::bound) + 1 ==
          attune::detail::failure_stage_count);
}

TEST_CASE("a record without times is that of no timing, and records compare by all they hold")
{
    attune::timing_record const none;
    CHECK(none.times.empty());
    CHECK(none.runs == 1);
    CHECK(none.threads == 1);
    attune::timing_record other{.times = {1.0}, .clock = "wall"};
    CHECK(other != none);
    attune::timing_record const same = other;
    CHECK(other == same);
    other.disturbed = {0};
    CHECK(other != same);
}
