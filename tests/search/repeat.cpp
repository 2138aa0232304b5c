// tests/search/repeat.cpp - the calls of a session are made again, and nothing else is.
// SPDX-License-Identifier: MIT
#include <attune/search/repeat.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../support/search_spaces.hpp"

using attune::event;
using attune::event_kind;
using attune::point;

namespace {

std::vector<event> sample()
{
    point const one{{3, 0}, {0, 0.1}};
    point const other{{1, 0}, {0, -2.5e-300}};
    return {{.kind = event_kind::asked, .points = {one, other}, .wanted = 2},
            {.kind = event_kind::told, .points = {one}, .result = attune::measurement{}},
            {.kind = event_kind::observed, .points = {other}, .result = attune::measurement{}},
            {.kind = event_kind::asked, .points = {}, .wanted = 1}};
}

std::string fine(event const&) { return {}; }

} // namespace

TEST_CASE("the calls are repeated in order")
{
    std::vector<event> const events = sample();
    std::string order;
    std::string const problem = attune::detail::repeat_events(
        events,
        [&](event const&) {
            order += 'c';
            return std::string{};
        },
        [&](std::size_t wanted) {
            order += "a" + std::to_string(wanted);
            return wanted == 2 ? events.front().points : std::vector<point>{};
        },
        [&](event const& e) {
            order += e.kind == event_kind::asked ? "-" : "t";
            return std::string{};
        });
    CHECK(problem.empty());
    CHECK(order == "ca2-ctctca1-");
}

TEST_CASE("another answer is noticed, with the number of the event")
{
    int taken = 0;
    auto const take = [&](event const&) {
        ++taken;
        return std::string{};
    };
    auto const nothing = [](std::size_t) { return std::vector<point>{}; };
    CHECK(attune::detail::repeat_events(sample(), fine, nothing, take) ==
          "event 1: the search proposes other configurations than it did then");
    CHECK(taken == 0);
}

TEST_CASE("what check and take say ends the repetition")
{
    auto const answer = [](std::size_t wanted) {
        return wanted == 2 ? sample().front().points : std::vector<point>{};
    };
    auto const refuse = [](event const& e) -> std::string {
        return e.kind == event_kind::told ? "no" : "";
    };
    CHECK(attune::detail::repeat_events(sample(), refuse, answer, fine) == "event 2: no");
    CHECK(attune::detail::repeat_events(sample(), fine, answer, refuse) == "event 2: no");
}

TEST_CASE("a count that would fill the memory is damage, and nothing is asked")
{
    std::vector<event> events = sample();
    events.front().wanted = 99'999'999'999;
    int asked = 0;
    auto const ask = [&](std::size_t) {
        ++asked;
        return std::vector<point>{};
    };
    CHECK(attune::detail::repeat_events(events, fine, ask, fine) ==
          "event 1: too many configurations were asked for");
    CHECK(asked == 0);
}

TEST_CASE("different spaces have different identities")
{
    using attune::detail::space_identity;
    CHECK(space_identity(search_spaces::grid(4).describe()) ==
          space_identity(search_spaces::grid(4).describe()));
    CHECK(space_identity(search_spaces::grid(4).describe()) !=
          space_identity(search_spaces::grid(5).describe()));
}
