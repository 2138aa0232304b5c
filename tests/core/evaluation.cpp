// tests/core/evaluation.cpp : mirrors include/attune/core/evaluation.hpp
// SPDX-License-Identifier: MIT
#include <attune/core/evaluation.hpp>

#include <attune/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "../support/texts.hpp"

using attune::at_least;
using attune::at_most;
using attune::evaluation;
using attune::failure;
using attune::failure_stage;
using attune::measurement;
using attune::quantity_bound;
using attune::detail::bounded_numbers;
using attune::detail::bounds_text;
using attune::detail::excess_over;
using attune::detail::keeps_bound;
using attune::detail::within_bounds;

namespace {

double const not_a_number = std::numeric_limits<double>::quiet_NaN();
double const infinity = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("an evaluation is made of a number, an outcome, a measurement or a failure")
{
    CHECK(attune::succeeded(evaluation{0.5}.result));
    CHECK(!attune::succeeded(evaluation{not_a_number}.result));
    CHECK(!attune::succeeded(evaluation{infinity, {{"error", 0}}}.result));
    CHECK(std::get<measurement>(evaluation{measurement{1, 0.5, 2, 7}}.result).samples == 7);
    CHECK(std::get<failure>(evaluation{failure{failure_stage::crash, "no"}}.result).reason == "no");
    evaluation const two{2, {{"error", 1e-4}, {"bytes", 64}}};
    REQUIRE(two.quantities.size() == 2);
    CHECK(two.quantities[1] == attune::quantity{"bytes", 64});
}

TEST_CASE("the excess is above 0 exactly where the bound is broken, and rises with the quantity")
{
    std::vector<double> const limits{-3, -1e-12, 0, 1e-300, 1e-3, 1, 7e9};
    std::vector<double> const factors{-infinity, -1e300, -2, -1, -1e-9, 0, 1e-20, 0.5, 1, 2, 1e30};
    for (double const limit : limits)
        for (bool const is_most : {true, false}) {
            quantity_bound const bound{"q", limit, is_most};
            double last = is_most ? -infinity : infinity;
            std::vector<double> values{std::nextafter(limit, -infinity),
                                       std::nextafter(limit, infinity)};
            for (double const f : factors)
                values.push_back(f == 0 ? 0 : f * (limit == 0 ? 1 : std::abs(limit)));
            values.push_back(infinity);
            std::sort(values.begin(), values.end());
            for (double const v : values) {
                double const e = excess_over(bound, v);
                CHECK(std::isfinite(e));
                CHECK((e > 0) == !keeps_bound(bound, v));
                CHECK((is_most ? e >= last : e <= last));
                last = e;
            }
            CHECK(excess_over(bound, limit) == 0);
        }
    for (double const limit : {-2.0, 0.0, 1e-9, 0.3, 1e6})
        for (double const v : {1e-3, 0.29, 0.3, 0.31, 7e5})
            for (bool const is_most : {true, false}) {
                quantity_bound const bound{"q", limit, is_most};
                double const e = excess_over(bound, v);
                if (std::abs(e) < 40)
                    CHECK(attune::detail::value_at_excess(bound, e) == doctest::Approx(v));
            }
    CHECK(std::isnan(excess_over(at_most("q", 1), not_a_number)));
    // Far above the limit, each factor of e adds 1.
    CHECK(excess_over(at_most("q", 1), 100 * std::exp(1.0)) - excess_over(at_most("q", 1), 100) ==
          doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("NaN keeps no bound, and equality keeps every bound")
{
    CHECK(keeps_bound(at_most("q", 1), 1));
    CHECK(keeps_bound(at_least("q", 1), 1));
    CHECK(!keeps_bound(at_most("q", 1), not_a_number));
    CHECK(!keeps_bound(at_least("q", 1), not_a_number));
    CHECK(!keeps_bound(at_most("q", 1), infinity));
    CHECK(keeps_bound(at_least("q", 1), infinity));
}

TEST_CASE("a measurement within its bounds stays, one beyond becomes a failure that says by what")
{
    std::vector<quantity_bound> const bounds{at_most("error", 1e-3), at_least("accuracy", 0.9)};
    attune::outcome const fast = measurement::exact(2);
    CHECK(attune::succeeded(within_bounds(bounds, {1e-3, 0.95}, fast)));
    attune::outcome const one = within_bounds(bounds, {2e-3, 0.95}, fast);
    CHECK(std::get<failure>(one).stage == failure_stage::bound);
    CHECK(std::get<failure>(one).reason == "error is 0.002, its bound at most 0.001");
    CHECK(std::get<failure>(within_bounds(bounds, {not_a_number, 0.5}, fast)).reason ==
          "error is NaN, its bound at most 0.001; accuracy is 0.5, its bound at least 0.9");
    attune::outcome const crash = failure{failure_stage::crash, "SIGSEGV"};
    CHECK(std::get<failure>(within_bounds(bounds, {not_a_number, not_a_number}, crash)).reason ==
          "SIGSEGV");
    CHECK(bounds_text(bounds) == "error <= 0.001 and accuracy >= 0.9");
    CHECK(attune::detail::bounded_text(bounds, {0.5, not_a_number}) == "error 0.5, accuracy NaN");
}

TEST_CASE("a quantity with a bound must be measured where the configuration works")
{
    std::vector<quantity_bound> const bounds{at_most("error", 1), at_most("bytes", 8)};
    std::vector<double> const numbers =
        bounded_numbers(bounds, {2, {{"bytes", 4}, {"other", 9}, {"error", 3}}});
    CHECK(numbers == std::vector<double>{3, 4});
    std::string const said = attune_test::error_of(
        [&] { (void)bounded_numbers(bounds, {2, {{"eror", 0}, {"bytes", 4}}}); });
    CHECK(said.find("no quantity 'error'") != std::string::npos);
    for (evaluation const& failed : {evaluation{failure{}}, evaluation{not_a_number}}) {
        std::vector<double> const unknown = bounded_numbers(bounds, failed);
        REQUIRE(unknown.size() == 2);
        CHECK(std::isnan(unknown[0]));
        CHECK(std::isnan(unknown[1]));
    }
}

TEST_CASE("a bound without a name or with a limit that is no number is refused")
{
    CHECK_THROWS_AS(attune::detail::require_bounds({at_most("", 1)}), attune::error);
    CHECK_THROWS_AS(attune::detail::require_bounds({at_most("q", not_a_number)}), attune::error);
    CHECK_THROWS_AS(attune::detail::require_bounds({at_least("q", -infinity)}), attune::error);
    CHECK_NOTHROW(attune::detail::require_bounds({at_least("q", 0), at_most("q", 1)}));
}
