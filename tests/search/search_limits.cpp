// tests/search/search_limits.cpp - the limits of a search, and what is left of them.
// SPDX-License-Identifier: MIT
#include <attune/search/search_limits.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <initializer_list>
#include <limits>

using attune::search_limits;
using attune::detail::wants_tuning;
using attune::detail::what_is_left;
using attune::detail::within;

TEST_CASE("a limit that is not given does not limit")
{
    constexpr search_limits none{};
    static_assert(wants_tuning(none));
    CHECK(std::isinf(none.seconds));
    CHECK(none.evaluations == std::numeric_limits<std::uint64_t>::max());
    CHECK(search_limits::of_evaluations(10) == search_limits{.evaluations = 10});
    CHECK(search_limits::of_seconds(60) == search_limits{.seconds = 60});
}

TEST_CASE("limits with which nothing can be evaluated want no tuning")
{
    double const nan = std::numeric_limits<double>::quiet_NaN();
    for (search_limits const limits :
         {search_limits{0, 60}, search_limits{60, 0}, search_limits{60, -1}, search_limits{60, nan},
          search_limits::of_evaluations(0), search_limits::of_seconds(0)})
        CHECK(!wants_tuning(limits));
    CHECK(wants_tuning({1, 1e-9}));
}

TEST_CASE("what is spent is taken off, and no more than there was")
{
    CHECK(what_is_left({10, 60}, 4, 45) == search_limits{6, 15});
    CHECK(what_is_left({10, 60}, 11, 61) == search_limits{0, 0});
    CHECK(what_is_left({10, 60}, search_limits::any_number, search_limits::any_time) ==
          search_limits{0, 0}); // without a limit is more than any
    CHECK(what_is_left(search_limits{}, 100, 1000) == search_limits{});
    CHECK(what_is_left(search_limits::of_seconds(2), 100, 1.5) == search_limits::of_seconds(0.5));
    CHECK(what_is_left(search_limits::of_evaluations(2), 1, 1e9) ==
          search_limits::of_evaluations(1));
    CHECK(!wants_tuning(what_is_left({60, 60}, 60, 1)));
}

TEST_CASE("of two limits the tighter one holds")
{
    CHECK(within({60, 10}, {20, 100}) == search_limits{20, 10});
    CHECK(within(search_limits{}, search_limits::usual()) == search_limits::usual());
}

using attune::measurement;
using attune::stop_reason;
using attune::detail::stop_judge;

namespace {

attune::failure const broken{attune::failure_stage::crash, "no"};

void tell(stop_judge& judge, double value) { judge.add(measurement::exact(value)); }

} // namespace

TEST_CASE("without rules nothing stops")
{
    stop_judge judge{{}};
    for (int i = 0; i < 1000; ++i)
        tell(judge, 1);
    CHECK(!judge.verdict(1e9));
    CHECK(!judge.wants_gain());
}

TEST_CASE("evaluations count failures, and the verdict says when nothing worked")
{
    stop_judge judge{{.evaluations = 3}};
    judge.add(broken);
    judge.add(broken);
    CHECK(judge.evaluations_left() == 1);
    CHECK(!judge.verdict(0));
    judge.add(broken);
    auto const verdict = judge.verdict(0);
    REQUIRE(verdict);
    CHECK(verdict->reason == stop_reason::evaluations);
    CHECK(verdict->text == "3 evaluations are done, and none of them worked");
    CHECK(judge.exhausted().reason == stop_reason::exhausted);
}

TEST_CASE("seconds and a target end a search")
{
    stop_judge judge{{.seconds = 2, .target = 1.5}};
    tell(judge, 2);
    CHECK(!judge.verdict(1.9));
    CHECK(judge.verdict(2)->reason == stop_reason::seconds);
    tell(judge, 1.5);
    CHECK(judge.verdict(0)->reason == stop_reason::target);
}

TEST_CASE("patience ends when nothing better came, by the margin asked for")
{
    stop_judge judge{{.patience = 3, .improvement = 0.1}};
    tell(judge, 10);
    tell(judge, 9.5); // better, but not by a tenth
    judge.add(broken);
    CHECK(!judge.verdict(0));
    tell(judge, 8); // a tenth below 9.5
    tell(judge, 8);
    tell(judge, 8);
    CHECK(!judge.verdict(0));
    tell(judge, 8);
    CHECK(judge.verdict(0)->reason == stop_reason::patience);
}

TEST_CASE("a share of what is possible at most ends a search, once that is known")
{
    stop_judge judge{{}};
    tell(judge, 2.0);
    CHECK(!judge.verdict(0));
    judge.enough(0.5, 0.75);
    CHECK(!judge.verdict(0));
    tell(judge, 1.501);
    CHECK(!judge.verdict(0));
    tell(judge, 1.5);
    auto const verdict = judge.verdict(0);
    REQUIRE(verdict);
    CHECK(verdict->reason == stop_reason::roofline);
    CHECK(verdict->text ==
          "0.5 of the roofline is reached (0.5 was asked for): 1.5 s, where 0.75 s is the least");
    judge.enough(0.5, 0.5); // more threads were seen, which can do more
    CHECK(!judge.verdict(0));

    stop_judge off{{}};
    tell(off, 1.0);
    off.enough(0, 1.0);
    CHECK(!off.verdict(0));
}

TEST_CASE("a small expected gain must be confirmed, and its estimate is reported")
{
    stop_judge judge{{.expected_gain = 0.01}};
    for (int i = 0; i < 4; ++i)
        tell(judge, 1);
    CHECK(!judge.wants_gain());
    tell(judge, 1);
    CHECK(judge.wants_gain());
    judge.gain(0.005);
    CHECK(!judge.wants_gain());
    CHECK(!judge.verdict(0));
    CHECK(judge.expected_gain() == 0.005);
    judge.gain(std::nullopt); // does not know: not small
    judge.gain(0.004);
    CHECK(!judge.verdict(0));
    judge.gain(0.002);
    CHECK(judge.verdict(0)->reason == stop_reason::expected_gain);
    CHECK(judge.verdict(0)->text == "the expected remaining gain is 0.002, less than 0.01");
}
