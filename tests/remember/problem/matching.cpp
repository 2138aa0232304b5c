// tests/remember/problem/matching.cpp - which record fits a tuning problem, and how well; what its numbers mean.
// SPDX-License-Identifier: MIT
#include <attune/remember/problem/matching.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "../../laws/record_store.hpp"

using attune::problem_objective;
using attune::record_match;
using attune::detail::objective_of;
using laws::example_key;
using laws::example_record;

namespace {

attune::record_key with_inputs(attune::named_texts inputs)
{
    attune::record_key key = example_key();
    key.inputs = std::move(inputs);
    return key;
}

} // namespace

TEST_CASE("equal keys match exactly, whatever the order of the inputs")
{
    CHECK(attune::detail::compare_keys(example_key(), example_key()).how == record_match::exact);
    CHECK(attune::detail::compare_keys(with_inputs({{"M", "512"}, {"N", "1024"}}), example_key())
              .how == record_match::exact);
}

TEST_CASE("another kernel, source or schema never matches")
{
    for (auto const member :
         {&attune::record_key::kernel, &attune::record_key::source, &attune::record_key::schema}) {
        attune::record_key other = example_key();
        other.*member += ' ';
        CHECK(attune::detail::compare_keys(other, example_key()).how == record_match::none);
        other.device += "x";
        CHECK(attune::detail::compare_keys(other, example_key()).how == record_match::none);
    }
}

TEST_CASE("compiler or device may differ when the inputs are the same, the compiler rather")
{
    attune::record_key compiler = example_key(), device = example_key();
    compiler.compiler = "clang 18 -O3";
    device.device = "cpu zen5";
    attune::record_key both = compiler;
    both.device = device.device;
    for (auto const& [key, distance] : {std::pair{compiler, 0.0}, {device, 1.0}, {both, 2.0}}) {
        auto const fit = attune::detail::compare_keys(key, example_key());
        CHECK(fit.how == record_match::other_device);
        CHECK(fit.distance == distance);
    }
    compiler.inputs[0].second = "1025";
    CHECK(attune::detail::compare_keys(compiler, example_key()).how == record_match::none);
}

TEST_CASE("the distance of sizes is the sum of |log ratio|, in both directions")
{
    attune::named_texts const want{{"N", "1024"}, {"M", "512"}};
    auto const distance = [&](attune::named_texts have) {
        auto const there = attune::detail::input_distance(have, want);
        auto const back = attune::detail::input_distance(want, have);
        REQUIRE(there.has_value());
        REQUIRE(back.has_value());
        CHECK(*there == doctest::Approx(*back));
        return *there;
    };
    CHECK(distance({{"N", "1024"}, {"M", "512"}}) == 0.0);
    CHECK(distance({{"N", "2048"}, {"M", "512"}}) == doctest::Approx(std::log(2.0)));
    CHECK(distance({{"N", "2048"}, {"M", "128"}}) == doctest::Approx(std::log(8.0)));
    CHECK(distance({{"M", "128"}, {"N", "512"}}) == doctest::Approx(std::log(8.0)));
    CHECK(distance({{"N", "1.024e3"}, {"M", "512.0"}}) == 0.0);
}

TEST_CASE("the distance is finite for zero, across zero and for the largest ratio")
{
    auto const distance = [](char const* a, char const* b) {
        auto const result = attune::detail::input_distance({{"x", a}}, {{"x", b}});
        REQUIRE(result.has_value());
        CHECK(std::isfinite(*result));
        return *result;
    };
    CHECK(distance("0", "0.0") == 0.0);
    CHECK(distance("0", "1") == doctest::Approx(std::log(2.0)));
    CHECK(distance("0", "100") > distance("0", "10"));
    CHECK(distance("-3", "-6") == doctest::Approx(std::log(2.0)));
    CHECK(distance("-1", "1") == doctest::Approx(2.0 * std::log(2.0)));
    CHECK(distance("1e308", "1e-308") == doctest::Approx(616.0 * std::log(10.0)));
}

TEST_CASE("inputs that are text must be equal; so must the names")
{
    attune::named_texts const want{{"N", "8"}, {"layout", "row"}};
    CHECK(attune::detail::input_distance({{"N", "4"}, {"layout", "row"}}, want).has_value());
    CHECK_FALSE(
        attune::detail::input_distance({{"N", "8"}, {"layout", "column"}}, want).has_value());
    CHECK_FALSE(attune::detail::input_distance({{"N", "8"}, {"layout", "3"}}, want).has_value());
    CHECK_FALSE(attune::detail::input_distance({{"N", "8"}, {"form", "row"}}, want).has_value());
    CHECK_FALSE(attune::detail::input_distance({{"N", "8"}}, want).has_value());
    CHECK_FALSE(attune::detail::input_distance({}, want).has_value());
    CHECK(attune::detail::input_distance({}, {}) == 0.0);
}

TEST_CASE("text that only begins like a number is text")
{
    for (char const* text : {"8x", "", " 8", "8 ", "0x8", "nan", "inf", "-", "1e999"})
        CHECK_FALSE(attune::detail::input_distance({{"N", text}}, {{"N", "8"}}).has_value());
}

TEST_CASE("times that were taken in another way never match; an unknown signature may be any")
{
    attune::record_key other = example_key();
    other.setting = {{"cache", "cold"}};
    CHECK(attune::detail::compare_keys(other, example_key()).how == record_match::none);
    CHECK(attune::detail::compare_keys(other, other).how == record_match::exact);
    other = example_key();
    other.signature = "9a";
    CHECK(attune::detail::compare_keys(example_key(), other).how == record_match::exact);
    attune::record_key third = other;
    third.signature = "9b";
    CHECK(attune::detail::compare_keys(third, other).how == record_match::none);
}

TEST_CASE("the nearest size wins, of equals the latest, and an exact match above all")
{
    std::vector<attune::record> records;
    auto const ask = [&](attune::record_key const& want) {
        attune::best_match best{want};
        for (auto const& entry : records)
            best.offer(entry);
        return best.result();
    };
    auto const add = [&](char const* n, std::uint64_t seed) {
        records.push_back(example_record(with_inputs({{"N", n}, {"M", "512"}}), seed));
    };
    CHECK(ask(example_key()).how == record_match::none);
    attune::record elsewhere = example_record(example_key(), 1);
    elsewhere.key.device = "gpu";
    records.push_back(elsewhere);
    CHECK(ask(example_key()).how == record_match::other_device);
    add("4096", 2);
    add("256", 3); // as far as 4096 from 1024, and later
    CHECK(ask(example_key()).how == record_match::other_size);
    CHECK(ask(example_key()).best->seed == 3);
    add("2048", 4);
    add("8192", 5);
    CHECK(ask(example_key()).best->seed == 4);
    add("1024", 6);
    add("1025", 7);
    CHECK(ask(example_key()).how == record_match::exact);
    CHECK(ask(example_key()).best->seed == 6);
}

TEST_CASE("the numbers of a kernel are seconds, and the lower is better")
{
    problem_objective const of = objective_of({.kernel = "k", .compiler = "clang 19 -O3"});
    CHECK(of.is_seconds);
    CHECK(of.text(1.25e-3) == "1.25 ms");
    CHECK(of.is_better(1, 2));
    CHECK_FALSE(of.is_better(1, 1));
    CHECK(of.gain(1, 4) == 4);
    CHECK(of.gain(0, 4) == 0);
    CHECK(of.gain(-1, 4) == 0);
}

TEST_CASE("the values of a kernel's objective have the unit and the direction of the setting")
{
    attune::named_texts setting{{"cache", "cold"}, {"measured", "objective"}};
    problem_objective const stated{false, "GFLOP/s", true};
    attune::detail::add_objective(setting, stated);
    problem_objective const of =
        objective_of({.kernel = "k", .compiler = "clang 19 -O3", .setting = setting});
    CHECK(of == stated);
    CHECK(of.text(31.5) == "31.5 GFLOP/s");
    CHECK(of.better() == "better");
    CHECK(of.turned(4.0) == 0.25);
    CHECK(of.turned(of.turned(4.0)) == 4);
    CHECK(of.turned(0.0) == 0);
    auto const turned = of.turned(attune::measurement{4, 2, 8, 7});
    CHECK(turned.value == 0.25);
    CHECK(turned.low == 0.125);
    CHECK(turned.high == 0.5);
    CHECK(turned.samples == 7);
    CHECK(problem_objective{}.turned(4.0) == 4);
    CHECK(problem_objective{}.better() == "faster");
}

TEST_CASE("what a program prints has the unit and the direction that the setting names")
{
    auto const of = [](attune::named_texts setting) {
        return objective_of({.kernel = "k", .compiler = "attune minimize", .setting = setting});
    };
    CHECK_FALSE(of({}).is_seconds);
    CHECK(of({}).text(31.5) == "31.5");
    CHECK(of({{"measured", "wall time"}}).text(0.5) == "500 ms");
    problem_objective const rate = of({{"better", "higher"}, {"unit", "GFLOP/s"}});
    CHECK(rate.text(-31.25) == "-31.25 GFLOP/s");
    CHECK(rate.is_better(2, 1));
    CHECK(rate.gain(8, 2) == 4);
    CHECK(of({{"measured", "pattern x"}, {"unit", "J"}}).text(1e9) == "1e+09 J");
}
