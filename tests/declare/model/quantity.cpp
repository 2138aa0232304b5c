// tests/declare/model/quantity.cpp - a quantity is the number that plain arithmetic gives.
// SPDX-License-Identifier: MIT
#include <attune/declare/model/quantity.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/domain.hpp>
#include <attune/declare/parameters.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <optional>

#include "../../support/quantity_value.hpp"

using attune::model::quantity;

namespace {

constexpr auto a = attune::integer<"A">(0, 6);
constexpr auto b = attune::integer<"B">(1, 5);
constexpr auto c = attune::integer<"C">(0, 3);
constexpr auto flag = attune::boolean<"FLAG">();

/// A formula and its value by C++, which has none where it divides by 0.
struct both_ways {
    quantity formula;
    std::optional<std::int64_t> value;
};

template <class Operation>
both_ways applied(both_ways const& x, both_ways const& y, bool divides, Operation const& operation)
{
    both_ways out{operation(x.formula, y.formula), {}};
    if (x.value && y.value && !(divides && *y.value == 0))
        out.value = static_cast<std::int64_t>(operation(*x.value, *y.value));
    return out;
}

/// A random formula over A, B and C. Sizes are not negative, so that there is no difference of two
/// formulas below max() and min(), which rely on it.
both_ways draw(attune::random_engine& engine, attune_tests::parameter_values const& at, int depth)
{
    if (depth == 0) {
        switch (engine() % 4) {
        case 0:
            return {a, at[0].second};
        case 1:
            return {b, at[1].second};
        case 2:
            return {c, at[2].second};
        default: {
            auto const v = static_cast<std::int64_t>(engine() % 5);
            return {v, v};
        }
        }
    }
    both_ways const x = draw(engine, at, depth - 1);
    both_ways const y = draw(engine, at, depth - 1);
    bool const has_zero_divisor = y.formula.constant() == 0;
    switch (engine() % 9) {
    case 0:
    case 1:
        return applied(x, y, false, [](auto const& p, auto const& q) { return p + q; });
    case 2:
    case 3:
        return applied(x, y, false, [](auto const& p, auto const& q) { return p * q; });
    case 4:
        if (has_zero_divisor) return x;
        return applied(x, y, true, [](auto const& p, auto const& q) { return p / q; });
    case 5:
        if (has_zero_divisor) return x;
        return applied(x, y, true, [](auto const& p, auto const& q) { return p % q; });
    case 6:
        return applied(x, y, false, [](auto const& p, auto const& q) {
            using std::max;
            return max(p, q);
        });
    case 7:
        return applied(x, y, false, [](auto const& p, auto const& q) {
            using std::min;
            return min(p, q);
        });
    default:
        return applied(x, y, false, [](auto const& p, auto const& q) {
            return (p <= q) * p + (p > q) * (p - q);
        });
    }
}

} // namespace

TEST_CASE("3000 random formulas have the values of plain arithmetic")
{
    attune::random_engine engine(5);
    int with_value = 0;
    for (int i = 0; i < 3000; ++i) {
        attune_tests::parameter_values const at{{"A", static_cast<std::int64_t>(engine() % 7)},
                                                {"B", static_cast<std::int64_t>(1 + engine() % 5)},
                                                {"C", static_cast<std::int64_t>(engine() % 4)}};
        both_ways const made = draw(engine, at, 3);
        // Where plain arithmetic divides by zero a folded formula may have a value: 0 * (A / C).
        if (!made.value) continue;
        ++with_value;
        CAPTURE(made.formula.text());
        REQUIRE(attune_tests::try_value_of(made.formula, at) == made.value);
    }
    CHECK(with_value > 2000);
}

TEST_CASE("like terms are one, whatever the order")
{
    quantity const x = (a + 2 * b) * (a + 2 * b);
    quantity const y = quantity(a) * a + 4 * (quantity(b) * b) + 4 * (quantity(a) * b);
    CHECK(x.is_same(y));
    CHECK(x.text() == y.text());
    CHECK((x - y).constant() == 0);
    CHECK((x - y).text() == "0");
    CHECK((3 * quantity(a) - 5).text() == "-5 + 3 * A");
    CHECK((6 * quantity(a) / 3).text() == "2 * A");
    CHECK((6 * quantity(a) % 3).constant() == 0);
}

TEST_CASE("the larger of two is known where their difference is a sum of sizes")
{
    quantity const size = quantity(a) * b;
    CHECK(max(3 * size, 5 * size + c).is_same(5 * size + c));
    CHECK(min(3 * size, 5 * size + c).is_same(3 * size));
    CHECK_FALSE(max(3 * size + c, 5 * size).is_same(5 * size));
    CHECK(max(3 * size + c, 5 * size).text() == "(max(C, 2 * A * B)) + 3 * A * B");
    CHECK(max(quantity(a) - b, 0).text() == "(max(A - B, 0))"); // may be negative: not known
    CHECK((quantity(a) - b).as_extent().is_natural());
}

TEST_CASE("truths are 0 and 1, and a truth and its contrary exclude each other")
{
    quantity const truth = a == 3;
    CHECK(truth.is_truth());
    CHECK((truth * truth).is_same(truth));
    CHECK((truth * !truth).constant() == 0);
    CHECK((truth + !truth).constant() == 1);
    CHECK(quantity(flag).is_truth());
    CHECK((quantity(flag) * flag).is_same(quantity(flag)));
    CHECK((quantity(3) < 4).constant() == 1);
    CHECK((truth && (quantity(3) > 4)).constant() == 0);
    CHECK_THROWS_AS(static_cast<void>(quantity(a) && truth), attune::error);
    CHECK_THROWS_AS(static_cast<void>(!quantity(a)), attune::error);
}

TEST_CASE("a typed expression is the same formula")
{
    CHECK(quantity(4 * a * b + c).is_same(4 * quantity(a) * b + c));
    CHECK(quantity(select(a > 2, b, c)).is_same(select(quantity(a) > 2, b, c)));
    CHECK(quantity(ceil_div(a, 2)).is_same(ceil_div(quantity(a), 2)));
    constexpr auto word = attune::categorical<"WORD">("conv", "pool");
    CHECK(quantity(word == "pool").text() == "(WORD == \"pool\")");
    CHECK(quantity(word == "pool").is_truth());
}

TEST_CASE("names follow a quantity into what is made of it")
{
    quantity const weights = (quantity(a) * b).called("weights");
    CHECK((weights <= 100).name() == "weights <= 100");
    CHECK((weights * 2 >= quantity(c)).name() == "weights * 2 >= C");
    CHECK((weights + 1).is_same(quantity(a) * b + 1));
}

TEST_CASE("a large product of sums stays a product")
{
    quantity wide = 0;
    for (int i = 0; i < 20; ++i)
        wide += quantity(a) % (i + 2) + 0;
    quantity const square = wide * wide;
    CHECK(square.terms().size() == 1);
    attune_tests::parameter_values const at{{"A", 5}};
    CHECK(attune_tests::value_of(square, at) ==
          attune_tests::value_of(wide, at) * attune_tests::value_of(wide, at));
}

TEST_CASE("a constant beyond 64 bits and a division by 0 are errors")
{
    quantity const most = std::numeric_limits<std::int64_t>::max();
    CHECK_THROWS_AS(static_cast<void>(most + 1), attune::error);
    CHECK_THROWS_AS(static_cast<void>(most * a * 2), attune::error);
    CHECK_THROWS_AS(static_cast<void>(quantity(a) / 0), attune::error);
}

TEST_CASE("only a boolean is a truth as it is; a number is one where it is not 0")
{
    quantity const truth = quantity(a).as_truth();
    for (std::int64_t n = 0; n <= 6; ++n) {
        attune_tests::parameter_values const at{{"A", n}};
        CHECK(attune_tests::value_of(truth, at) == (n != 0 ? 1 : 0));
        CHECK(attune_tests::value_of(!truth, at) == (n != 0 ? 0 : 1));
        CHECK(attune_tests::value_of(quantity(a) * a, at) == n * n);
        CHECK(attune_tests::value_of(truth * a, at) == n);
    }
    CHECK(quantity(flag).as_truth().is_same(flag));
    CHECK((quantity(flag) * quantity(!flag)).constant() == 0);
}

TEST_CASE("numbers at the ends of 64 bits are themselves, or an error")
{
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    CHECK_THROWS_AS(quantity{std::numeric_limits<std::uint64_t>::max()}, attune::error);
    CHECK(quantity(std::uint64_t{7}).constant() == 7);
    CHECK(quantity(least).text() == "-9223372036854775808");
    quantity const product = quantity(least) * b;
    CHECK(product.text() == "-9223372036854775808 * B");
    CHECK_THROWS_AS(static_cast<void>(product / -1), attune::error);
    CHECK_THROWS_AS(static_cast<void>(quantity(least) / -1), attune::error);
    CHECK((product % -1).constant() == 0);
    CHECK(attune_tests::value_of(product + c, {{"B", 1}, {"C", 3}}) == least + 3);
}

TEST_CASE("a quotient below 0 is no truth, and an input may be below 0")
{
    quantity const below = quantity(a == 3) / -1;
    CHECK_FALSE(below.is_truth());
    CHECK_FALSE(below.is_natural());
    CHECK(attune_tests::value_of(below, {{"A", 3}}) == -1);
    quantity const limit = attune::input<"LIM", int>();
    CHECK_FALSE(limit.is_natural());
    CHECK_FALSE(max(limit, 0).is_same(limit));
    CHECK(max(quantity(a), 0).is_same(a)); // parameters are sizes
    CHECK((quantity(a) / 2).is_total());
    CHECK_FALSE((6 / quantity(a) + 1).is_total());
}

TEST_CASE("an exact quotient times its divisor is what was divided")
{
    quantity const n = quantity::of_parameter("N", true);
    quantity const t = quantity::of_parameter("T", true);
    CHECK(exact_quotient(12 * n * t, 4 * n)->is_same(3 * t));
    CHECK(exact_quotient(n * n * t, n)->is_same(n * t));
    CHECK(exact_quotient(6 * n + 4 * n * t, 2 * n)->is_same(3 + 2 * t));
    CHECK(exact_quotient(quantity(12), quantity(-4))->constant() == -3);
    CHECK_FALSE(exact_quotient(12 * n, 5));
    CHECK_FALSE(exact_quotient(12 * n, t));
    CHECK_FALSE(exact_quotient(12 * n, n + t));
    CHECK_FALSE(exact_quotient(12 * n, 0));
    CHECK_FALSE(exact_quotient(quantity(flag) * b, quantity(flag))); // 0 / 0 where it is false
    CHECK_FALSE(exact_quotient(quantity(std::numeric_limits<std::int64_t>::min()), -1));
    attune::random_engine engine(5);
    auto const draw = [&] {
        return static_cast<std::int64_t>(attune::uniform_below(engine, 9)) - 4;
    };
    for (int i = 0; i < 500; ++i) {
        quantity const by = (draw() * 2 + 1) * (draw() > 0 ? n : n * t);
        quantity const of = draw() * n + draw() * t + draw() * n * n * t + draw();
        REQUIRE(exact_quotient(of * by, by));
        CHECK(exact_quotient(of * by, by)->is_same(of));
    }
}

TEST_CASE("a parameter by its name is the declared one")
{
    CHECK(quantity::of_parameter("A").is_same(a));
    CHECK_FALSE(quantity::of_parameter("A").is_positive());
    CHECK(quantity::of_parameter("A", true).is_positive());
}
