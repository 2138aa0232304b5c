// tests/tune/minimize.cpp - the loop over a plain function.
// SPDX-License-Identifier: MIT
#include <attune/tune/minimize.hpp>

#include <attune/declare/expression/operators.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/search/random.hpp>

#include <cmath>
#include <csignal>
#include <doctest/doctest.h>
#include <limits>
#include <stdexcept>
#include <string>

#include "../support/recorded_progress.hpp"
#include "../support/texts.hpp"

using attune::minimize;
using attune::outcome;
using attune_test::error_of;
using attune_test::has;
using attune_test::recorded_progress;

namespace {

constexpr auto x = attune::ordinal<"X">(attune::range(-5, 5));
constexpr auto y = attune::ordinal<"Y">(attune::range(-5, 5));
constexpr auto plane = attune::space(x, y).where(x + y >= 0);

attune::minimize_options walking(attune::progress_sink sink = attune::silent_progress())
{
    return {.search = attune::search_with<attune::exhaustive_searcher>(),
            .progress = std::move(sink)};
}
constexpr attune::search_limits all = attune::search_limits::of_evaluations(1000);

/// Lowest at (3, -2), where it is 1.
constexpr auto bowl = [](auto const& c) {
    double const dx = c[x] - 3;
    double const dy = c[y] + 2;
    return 1 + dx * dx + 2 * dy * dy;
};

} // namespace

TEST_CASE("the optimum of a small space is found when all of it is walked")
{
    auto const r = minimize(plane, bowl, all, walking());
    REQUIRE(r.best);
    CHECK((*r.best)[x] == 3);
    CHECK((*r.best)[y] == -2);
    CHECK(r.value == 1);
    CHECK(r.evaluations == 66); // 121 points, 11 with x + y = 0, half of the others
    CHECK(attune::total(r.failures) == 0);
    CHECK(!r.interrupted);
}

TEST_CASE("the default configuration is the first one tried")
{
    constexpr auto space = attune::space(x.with_default(4), y.with_default(5));
    int seen = 0;
    (void)minimize(
        space,
        [&](auto const& c) {
            if (seen++ == 0) {
                CHECK(c[x] == 4);
                CHECK(c[y] == 5);
            }
            return 0;
        },
        attune::search_limits::of_evaluations(3), walking());
    CHECK(seen == 3);
}

TEST_CASE("an objective that is not finite is a failure, and the search goes on")
{
    auto const r = minimize(
        plane,
        [](auto const& c) {
            if (c[x] == 3) return std::nan("");
            return c[x] == 2 ? -std::numeric_limits<double>::infinity() : bowl(c);
        },
        all, walking());
    REQUIRE(r.best);
    CHECK((*r.best)[x] == 4);
    CHECK(r.value == 2);
    CHECK(attune::total(r.failures) == 9 + 8); // x = 3: y >= -3; x = 2: y >= -2
    CHECK(r.evaluations == 66);
}

TEST_CASE("an objective may return an outcome")
{
    auto const r = minimize(
        plane,
        [](auto const& c) -> outcome {
            if (c[x] == 3) return attune::failure{attune::failure_stage::crash, "no"};
            if (c[x] == 4) return attune::measurement::exact(std::nan(""));
            return attune::measurement::exact(bowl(c));
        },
        all, walking());
    REQUIRE(r.best);
    CHECK((*r.best)[x] == 2);
    CHECK(r.value == 2);
    CHECK(r.failures[static_cast<std::size_t>(attune::failure_stage::crash)] == 9);
    CHECK(r.failures[static_cast<std::size_t>(attune::failure_stage::verify)] == 10);
}

TEST_CASE("when everything fails there is no best, and the last line says so")
{
    recorded_progress heard;
    auto const r = minimize(
        plane, [](auto const&) { return std::nan(""); }, attune::search_limits::of_evaluations(4),
        walking(heard.sink()));
    CHECK(!r.best);
    CHECK(attune::total(r.failures) == 4);
    CHECK(has(heard.events().back().text, "every configuration failed"));
    CHECK(has(heard.events().back().text, "; the first reason: "));
}

TEST_CASE("an exception of the objective ends the search and passes on")
{
    struct sigaction before{};
    struct sigaction after{};
    ::sigaction(SIGINT, nullptr, &before);
    int calls = 0;
    auto const failing = [&](auto const&) -> double {
        if (++calls == 3) throw std::runtime_error("mine");
        return 1.0;
    };
    CHECK_THROWS_WITH_AS((void)minimize(plane, failing, all, walking()), "mine",
                         std::runtime_error);
    CHECK(calls == 3);
    ::sigaction(SIGINT, nullptr, &after);
    bool const back = before.sa_handler == after.sa_handler;
    CHECK(back);
}

TEST_CASE("Ctrl-C ends the search and keeps the best so far")
{
    int calls = 0;
    auto const r = minimize(
        plane,
        [&](auto const&) {
            if (++calls == 3) ::raise(SIGINT);
            return -calls;
        },
        all, walking());
    CHECK(r.interrupted);
    CHECK(r.evaluations == 3);
    CHECK(r.value == -3);
}

TEST_CASE("a zero budget evaluates the first configuration alone, and says so")
{
    for (attune::search_limits const none :
         {attune::search_limits{0, 60}, attune::search_limits{60, 0}}) {
        recorded_progress heard;
        auto options = walking(heard.sink());
        auto const r = minimize(plane, bowl, none, options);
        CHECK(r.evaluations == 1);
        CHECK(r.best.has_value());
        CHECK(heard.events().back().text == "nothing was searched: the budget is zero");
    }
}

TEST_CASE("an empty space and a missing input are errors")
{
    auto const one = [](auto const&) { return 1.0; };
    CHECK(has(error_of([&] {
                  (void)minimize(attune::space(x, y).where(x + y > 20), one, all, walking());
              }),
              "X + Y > 20"));
    constexpr auto n = attune::input<"N", int>();
    constexpr auto sized = attune::space(x).where(x <= n);
    CHECK_THROWS_AS((void)minimize(sized, one, all, walking()), attune::error);
    auto options = walking();
    options.inputs = {n(-3)};
    CHECK(minimize(sized, one, all, options).evaluations == 3);
}

TEST_CASE("progress has the name, plain values and the summary")
{
    recorded_progress heard;
    auto options = walking(heard.sink());
    options.name = "bowl";
    (void)minimize(plane, bowl, all, options);
    REQUIRE(heard.events().size() == 67);
    CHECK(heard.events()[0].name == "bowl");
    CHECK(!heard.events()[0].objective.is_seconds);
    CHECK(heard.events()[0].evaluations == 66);
    CHECK(heard.events().back().event == attune::progress_event::finished);
    CHECK(has(heard.events().back().text, "best 1 at X=3 Y=-2 after 66 evaluations"));
}

TEST_CASE("a text in the best configuration can be read after the search is gone")
{
    constexpr auto which =
        attune::categorical<"WHICH">("a name that is too long to be kept inside of a string object",
                                     "another one, just as long as that: it must live on the heap");
    auto const r = minimize(
        attune::space(which),
        [&](auto const& c) { return c[which].starts_with("another") ? 1 : 2; }, all, walking());
    REQUIRE(r.best);
    std::string const overwritten(59, 'x'); // likely to take the memory that was freed
    CHECK((*r.best)[which] == "another one, just as long as that: it must live on the heap");
    CHECK(overwritten.size() == 59);
}
