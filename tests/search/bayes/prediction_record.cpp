// tests/search/bayes/prediction_record.cpp : mirrors include/attune/search/bayes/prediction_record.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/prediction_record.hpp>

#include <doctest/doctest.h>
#include <vector>

namespace {

attune::point at(std::uint32_t i) { return {{i, 0}}; }

/// Values 0, 1, 0, 1, ...; expected is off by `error`.
attune::detail::prediction_record record(std::uint32_t count, double error)
{
    attune::detail::prediction_record r;
    for (std::uint32_t i = 0; i < count; ++i) {
        double const value = i % 2;
        r.expect(at(i), value + error, attune::detail::objective_scale{});
        r.observe(at(i), {at(i), true, value, value, value});
    }
    return r;
}

} // namespace

TEST_CASE("the error is relative to the variance of what was seen")
{
    CHECK(!record(19, 0).error());
    CHECK(record(20, 0).error() == doctest::Approx(0));
    CHECK(record(40, 0.5).error() == doctest::Approx(1)); // 0.25 over 0.25
    CHECK(record(40, 1.5).error() == doctest::Approx(9));
}

TEST_CASE("only the latest count; failures and surprises do not")
{
    attune::detail::prediction_record r = record(40, 5);
    for (std::uint32_t i = 100; i < 130; ++i) {
        r.expect(at(i), i % 2, attune::detail::objective_scale{});
        r.observe(at(i), {at(i), true, static_cast<double>(i % 2), 0, 0});
    }
    CHECK(r.error() == doctest::Approx(0));
    r.observe(at(500), {at(500), true, 99, 99, 99}); // was not expected
    r.expect(at(501), 7, attune::detail::objective_scale{});
    r.observe(at(501), {at(501)}); // failed
    CHECK(r.error() == doctest::Approx(0));
}

TEST_CASE("what is expected of a point is a value of the objective, until its outcome is known")
{
    std::vector<double> const values{1e-3, 2e-3, 4e-3, 5e-2};
    attune::detail::objective_scale const scale{values};
    REQUIRE(scale.logarithmic());
    attune::detail::prediction_record r;
    r.expect(at(1), scale.to_model(3e-3), scale);
    r.expect(at(2), scale.to_model(7.0), scale); // beyond the bend
    CHECK(*r.expected_of(at(1)) == doctest::Approx(3e-3));
    CHECK(*r.expected_of(at(2)) == doctest::Approx(7.0));
    CHECK_FALSE(r.expected_of(at(3)));
    r.observe(at(1), {at(1), true, 1e-3, 1e-3, 1e-3});
    CHECK_FALSE(r.expected_of(at(1)));
    CHECK(r.expected_of(at(2)));
}
