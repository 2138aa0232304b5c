// tests/measure/first_runs.cpp - the policy of first runs, at a place that only promises the least.
// SPDX-License-Identifier: MIT
#include <attune/measure/first_runs.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <variant>
#include <vector>

#include "../support/minimal_trial_place.hpp"

using attune_test::minimal_trial_place;
using policy = attune::first_runs<minimal_trial_place>;
using doubles = std::vector<double>;

static_assert(attune::trial_place<minimal_trial_place>);

namespace {

void set(doubles& y) { y.assign(y.size(), 2); }
void add(doubles& y)
{
    for (double& value : y)
        value += 2;
}
/// Halves what is above 10: nothing, of the caller's contents.
void press(doubles& y)
{
    for (double& value : y)
        value = value > 10 ? 10 + (value - 10) / 2 : value;
}
void nothing(doubles&) {}
void only_original(doubles& y)
{
    if (y[0] != 10) throw "not on these";
    add(y);
}

/// Lifts to 10: changes nothing, of the caller's contents nor of larger ones.
void lift(doubles& y)
{
    for (double& value : y)
        value = value < 10 ? 10 : value;
}
void scale(doubles& y)
{
    double sum = 0;
    for (double const value : y)
        sum += value;
    for (double& value : y)
        value /= sum;
}
/// Changes nothing above zero.
void root(doubles& y)
{
    for (double& value : y)
        value = std::sqrt(value) < 0 ? 0 : value < 0 ? std::sqrt(value) : value;
}
void none_below(doubles& y)
{
    for (double const value : y)
        if (value < 0) throw "not on these";
}

bool works(attune::first_run_result const& end) { return std::holds_alternative<double>(end); }

struct subject {
    minimal_trial_place place{doubles(9, 10.0)};
    policy runs{};

    bool establish(minimal_trial_place::code_type const& code, double second_run_up_to_s = 1)
    {
        return works(runs.establish(place, code, 60, second_run_up_to_s));
    }
    bool tried(minimal_trial_place::code_type const& code)
    {
        place.asked.clear();
        return works(runs.first_run(place, code, 5));
    }
};

} // namespace

TEST_CASE("what is overwritten is tried from perturbed contents alone")
{
    subject s;
    REQUIRE(s.establish(set));
    CHECK(s.place.asked == "otptcp");
    CHECK(s.place.limits.back() == 0.25); // a second run has the limit of any other
    CHECK(s.runs.begin_with() == policy::contents::perturbed);
    CHECK(s.runs.expected() != nullptr);
    CHECK(s.tried(set));
    CHECK(s.place.asked == "pr");
    CHECK_FALSE(s.tried(nothing));
    s.place.original.assign(9, 2.0); // the answer stands there already
    CHECK_FALSE(s.tried(nothing));
}

TEST_CASE("what is read is tried from the caller's contents alone")
{
    subject s;
    REQUIRE(s.establish(add));
    CHECK(s.place.asked == "otpt"); // no third run for nothing
    CHECK(s.runs.expected_of_perturbed() == nullptr);
    CHECK(s.tried(add));
    CHECK(s.place.asked == "or");
    CHECK_FALSE(s.tried(set));
}

TEST_CASE("where the caller's contents hide idleness both are tried, the caller's last")
{
    subject s;
    REQUIRE(s.establish(press));
    CHECK(s.runs.begin_with() == policy::contents::both);
    CHECK(s.tried(press));
    CHECK(s.place.asked == "pror");
    CHECK_FALSE(s.tried(nothing));
    CHECK(s.place.asked == "pr"); // one failure is enough
}

TEST_CASE("the caller's contents alone, where perturbed ones are not to be had")
{
    auto const only = [](subject& s, std::string const& asked) {
        CHECK(s.place.asked == asked);
        CHECK(s.runs.begin_with() == policy::contents::original);
        CHECK(s.tried([](doubles& y) { add(y); }));
        CHECK(s.place.asked == "or");
    };
    subject astray;
    REQUIRE(astray.establish(only_original));
    only(astray, "otpt");
    subject apart;
    apart.place.is_apart = false;
    REQUIRE(apart.establish(add));
    only(apart, "ot");
    subject full;
    full.place.has_room = false;
    REQUIRE(full.establish(add));
    only(full, "otp");
    subject slow;
    slow.place.takes_s = 2;
    REQUIRE(slow.establish(add));
    only(slow, "ot");
}

TEST_CASE("where contents away from zero show nothing either, those across it are tried")
{
    subject s;
    REQUIRE(s.establish(lift));
    CHECK(s.place.asked == "otptxtcx");
    CHECK(s.runs.is_across());
    CHECK(s.tried(lift));
    CHECK(s.place.asked[0] == 'x');
    CHECK_FALSE(s.tried(nothing));
}

TEST_CASE("signs stay where contents away from zero show idleness")
{
    subject s{minimal_trial_place(doubles(1001, 1.0 / 1001))};
    REQUIRE(s.establish(scale));
    CHECK(s.place.asked.find('x') == std::string::npos);
    CHECK_FALSE(s.runs.is_across());
}

TEST_CASE("contents across zero that are not for the code change nothing of what is known")
{
    for (auto const code : {root, none_below, nothing}) {
        subject s;
        REQUIRE(s.establish(code));
        CHECK(s.place.asked == "otptxtptcp");
        CHECK_FALSE(s.runs.is_across());
        CHECK(s.runs.begin_with() == policy::contents::perturbed);
        CHECK(s.tried(code));
        CHECK(s.place.asked == "pr");
        CHECK_FALSE(s.tried(add));
    }
}

TEST_CASE("code that comes to another end the second time is not tried from perturbed contents")
{
    subject s;
    int run = 0;
    REQUIRE(s.establish([&](doubles& y) { y.assign(y.size(), ++run > 2 ? 3.0 : 2.0); }));
    CHECK(s.runs.begin_with() == policy::contents::original);
    CHECK(s.runs.expected_of_perturbed() == nullptr);
}

TEST_CASE("trusted code that fails leaves nothing to compare with")
{
    subject s;
    REQUIRE(s.establish(set));
    CHECK_FALSE(s.establish([](doubles&) { throw "no"; }));
    CHECK(s.runs.expected() == nullptr);
    CHECK(s.runs.begin_with() == policy::contents::original);
}
