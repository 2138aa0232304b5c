// tests/declare/expression/evaluate.cpp - lowered formulas give what plain C++ gives, at every point.
// SPDX-License-Identifier: MIT
#include <attune/declare/expression/evaluate.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/pack.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "../every_point.hpp"

using attune::number;
using attune::op;
using attune::point;
using attune::detail::evaluator;

namespace {

using wide = std::int64_t;
constexpr wide lowest = std::numeric_limits<wide>::min();
constexpr wide highest = std::numeric_limits<wide>::max();

constexpr auto a = attune::ordinal<"A">(attune::values(-7, -2, 0, 1, 3, 8));
constexpr auto b = attune::integer<"B">(-3, 4);
constexpr auto x = attune::ordinal<"X">(attune::values(-1.5, 0.0, 0.25, 2.0));
constexpr auto flag = attune::boolean<"FLAG">();
constexpr auto mode = attune::categorical<"MODE">("static", "dynamic");
constexpr auto order = attune::permutation<"ORDER", 3>();
constexpr auto split = attune::tile<"SPLIT", 2>(6);
constexpr auto n = attune::input<"N", int>();
constexpr auto rate = attune::input<"RATE", double>();
constexpr auto mixed = attune::space(a, b, x, flag, mode, order, split);
using config = decltype(mixed)::config_type;

/// The space, all of its points, and each point as the configuration it stands for.
struct mixed_space {
    attune::description space =
        attune::bind_inputs(attune::lower(mixed.where(n > 0 && rate > 0.0)), {n(5), rate(0.5)});
    std::vector<point> points = attune_tests::every_point(space);
    std::vector<config> configs;

    mixed_space()
    {
        for (point const& at : points)
            configs.push_back(attune::decode(mixed, space, at));
    }
};

mixed_space& shared_space()
{
    static mixed_space const original;
    static mixed_space copy = original;
    return copy;
}

template <class T>
number as_number(T v)
{
    if constexpr (std::is_floating_point_v<T>)
        return number::of(static_cast<double>(v));
    else
        return number::of(static_cast<wide>(v));
}

/// Whether the lowered `formula` and the plain C++ `expected` agree at all points of the mixed
/// space. `expected` gives a number, a bool, or an optional that is empty where C++ has no value.
template <class Formula, class F>
bool agree(Formula const& formula, F const& expected)
{
    mixed_space& all = shared_space();
    auto const code = attune::detail::lift(formula);
    attune::constraint_description const lowered = attune::detail::lower_code(all.space, code.code);
    evaluator const read{all.space};
    int found = 0;
    for (std::size_t i = 0; i < all.points.size(); ++i) {
        auto const want = expected(all.configs[i]);
        auto const got = read.value(lowered.root, all.points[i]);
        bool holds = false;
        if constexpr (requires { want.has_value(); }) {
            bool const same = want ? got && *got == as_number(*want) : !got;
            found += same ? 0 : 1;
            holds = want && *want != 0;
        } else {
            found += got && *got == as_number(want) ? 0 : 1;
            holds = want != 0;
        }
        found += read.holds(lowered, all.points[i]) == holds ? 0 : 1;
    }
    return found == 0;
}

using maybe = std::optional<wide>;

} // namespace

TEST_CASE("the small mixed space has every combination")
{
    CHECK(shared_space().points.size() == 6U * 8 * 4 * 2 * 2 * 6 * 4);
}

TEST_CASE("arithmetic on whole numbers is that of C++, negative numbers included")
{
    CHECK(agree(a + b, [](config const& c) { return c[a] + c[b]; }));
    CHECK(agree(a - b, [](config const& c) { return c[a] - c[b]; }));
    CHECK(agree(a * b - 3, [](config const& c) { return c[a] * c[b] - 3; }));
    CHECK(agree(-a, [](config const& c) { return -c[a]; }));
    CHECK(agree(abs(a * b), [](config const& c) { return std::abs(c[a] * c[b]); }));
    CHECK(agree(min(a, b), [](config const& c) { return std::min(c[a], c[b]); }));
    CHECK(agree(max(a, b), [](config const& c) { return std::max(c[a], c[b]); }));
    CHECK(agree(2 - (a - b), [](config const& c) { return 2 - (c[a] - c[b]); }));
    CHECK(agree(a + n * b, [](config const& c) { return c[a] + 5 * c[b]; }));
    CHECK(agree(flag + flag, [](config const& c) { return c[flag] + c[flag]; }));
}

TEST_CASE("division and remainder truncate as in C++, and by zero have no value")
{
    auto const over = [](auto f) {
        return [f](config const& c) { return c[b] == 0 ? maybe{} : maybe{f(c[a], c[b])}; };
    };
    CHECK(agree(a / b, over([](int p, int q) { return p / q; })));
    CHECK(agree(a % b, over([](int p, int q) { return p % q; })));
    CHECK(agree(ceil_div(a, b), over([](int p, int q) {
                    return static_cast<wide>(std::ceil(static_cast<double>(p) / q));
                })));
    CHECK(agree(a % b == 0, over([](int p, int q) { return p % q == 0; })));
    CHECK(agree(!(a / b > 1), over([](int p, int q) { return !(p / q > 1); })));
    CHECK(agree(a / b * 0 == 0, over([](int, int) { return true; })));
}

TEST_CASE("a constraint without a value does not hold, nor does its negation")
{
    mixed_space& all = shared_space();
    auto const divides = attune::detail::lower_code(all.space, (a % b == 0).code);
    auto const not_so = attune::detail::lower_code(all.space, (!(a % b == 0)).code);
    evaluator const read{all.space};
    point const at{{0, 0}, {3, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}; // B is 0
    CHECK_FALSE(read.holds(divides, at));
    CHECK_FALSE(read.holds(not_so, at));
}

TEST_CASE("comparisons are those of C++, whole with real included")
{
    CHECK(agree(a < b, [](config const& c) { return c[a] < c[b]; }));
    CHECK(agree(a <= b, [](config const& c) { return c[a] <= c[b]; }));
    CHECK(agree(a > b, [](config const& c) { return c[a] > c[b]; }));
    CHECK(agree(a >= b, [](config const& c) { return c[a] >= c[b]; }));
    CHECK(agree(a == b, [](config const& c) { return c[a] == c[b]; }));
    CHECK(agree(a != b, [](config const& c) { return c[a] != c[b]; }));
    CHECK(agree(b < x, [](config const& c) { return c[b] < c[x]; }));
    CHECK(agree(x >= b, [](config const& c) { return c[x] >= c[b]; }));
    CHECK(agree(x == b, [](config const& c) { return c[x] == c[b]; }));
    CHECK(agree(2 < a, [](config const& c) { return 2 < c[a]; }));
    CHECK(agree(a - 1U < 0, [](config const& c) { return c[a] - 1 < 0; }));
}

TEST_CASE("real arithmetic is that of C++ doubles, except that division by zero has no value")
{
    using real = std::optional<double>;
    CHECK(agree(a + x, [](config const& c) { return c[a] + c[x]; }));
    CHECK(agree(x - b, [](config const& c) { return c[x] - c[b]; }));
    CHECK(agree(a * x, [](config const& c) { return c[a] * c[x]; }));
    CHECK(agree(-x, [](config const& c) { return -c[x]; }));
    CHECK(agree(abs(x), [](config const& c) { return std::abs(c[x]); }));
    CHECK(agree(min(a, x), [](config const& c) { return std::min(c[a] + 0.0, c[x]); }));
    CHECK(agree(max(x, b), [](config const& c) { return std::max(c[x], c[b] + 0.0); }));
    CHECK(agree(b / x, [](config const& c) { return c[x] == 0 ? real{} : real{c[b] / c[x]}; }));
    CHECK(agree(ceil_div(b, x),
                [](config const& c) { return c[x] == 0 ? real{} : real{std::ceil(c[b] / c[x])}; }));
    CHECK(agree(b % x,
                [](config const& c) { return c[x] == 0 ? real{} : real{std::fmod(c[b], c[x])}; }));
    CHECK(agree(a * rate, [](config const& c) { return c[a] * 0.5; }));
}

TEST_CASE("logic is that of C++ and evaluates its right side only where C++ would")
{
    auto const positive = [](int v) { return v > 0; };
    CHECK(agree(a > 0 && b > 0, [&](config const& c) { return positive(c[a]) && positive(c[b]); }));
    CHECK(agree(a > 0 || b > 0, [&](config const& c) { return positive(c[a]) || positive(c[b]); }));
    CHECK(agree(!flag || a == b, [](config const& c) { return !c[flag] || c[a] == c[b]; }));
    CHECK(
        agree(b == 0 || a % b == 0, [](config const& c) { return c[b] == 0 || c[a] % c[b] == 0; }));
    CHECK(
        agree(b != 0 && a / b == 2, [](config const& c) { return c[b] != 0 && c[a] / c[b] == 2; }));
    CHECK(agree(select(b == 0, -1, a % b),
                [](config const& c) { return c[b] == 0 ? -1 : c[a] % c[b]; }));
    CHECK(agree(select(flag, a < 0, b < 0),
                [](config const& c) { return c[flag] ? c[a] < 0 : c[b] < 0; }));
}

TEST_CASE("a choice between a whole and a real number is real, as in C++")
{
    CHECK(
        agree(select(flag, a, x) / 2, [](config const& c) { return (c[flag] ? c[a] : c[x]) / 2; }));
    CHECK(
        agree(select(flag, a, b) / 2, [](config const& c) { return (c[flag] ? c[a] : c[b]) / 2; }));
}

TEST_CASE("text is compared as text")
{
    CHECK(agree(mode == "dynamic", [](config const& c) { return c[mode] == "dynamic"; }));
    CHECK(agree("static" != mode, [](config const& c) { return c[mode] != "static"; }));
    CHECK(agree(mode == "nothing", [](config const&) { return false; }));
    CHECK(agree(mode == mode, [](config const&) { return true; }));
}

TEST_CASE("items, places and factors are read from permutations and tiles")
{
    CHECK(agree(order[0] * 10 + order[2],
                [](config const& c) { return c[order][0] * 10 + c[order][2]; }));
    CHECK(agree(order.position(0) < order.position(1), [](config const& c) {
        auto const items = c[order];
        auto const place = [&](int item) { return std::ranges::find(items, item); };
        return place(0) < place(1);
    }));
    CHECK(agree(split[0] - split[1], [](config const& c) { return c[split][0] - c[split][1]; }));
}

TEST_CASE("membership is equality with one of the values")
{
    CHECK(agree(attune::one_of(a, -2, 3, 99),
                [](config const& c) { return c[a] == -2 || c[a] == 3; }));
    CHECK(agree(attune::one_of(mode, "x", "static"),
                [](config const& c) { return c[mode] == "static"; }));
}

TEST_CASE("a result beyond 64 bits is no value, and one that just fits is")
{
    auto const none = [](config const&) { return maybe{}; };
    CHECK(agree(highest + a,
                [](config const& c) { return c[a] > 0 ? maybe{} : maybe{highest + c[a]}; }));
    CHECK(agree(lowest - a,
                [](config const& c) { return c[a] > 0 ? maybe{} : maybe{lowest - c[a]}; }));
    CHECK(agree(highest * (a * a + 2), none));
    CHECK(agree(-(lowest + 0 * a), none));
    CHECK(agree(abs(lowest + 0 * a), none));
    CHECK(agree((lowest + 0 * a) / -1, none));
    CHECK(agree(highest * (a * a + 2) > 0, none));
    CHECK(agree(a == a || highest * (a * a + 2) > 0, [](config const&) { return true; }));
}

TEST_CASE("a value that is not a number compares as in C++")
{
    double const infinite = std::numeric_limits<double>::infinity();
    auto const nothing = infinite * 0.0; // not a number
    CHECK(agree(x + nothing == x, [](config const&) { return false; }));
    CHECK(agree(x + nothing != x, [](config const&) { return true; }));
    CHECK(agree(x + nothing <= x, [](config const&) { return false; }));
    CHECK(agree(x + nothing >= x, [](config const&) { return false; }));
    CHECK(agree(x < infinite, [](config const&) { return true; }));
}

TEST_CASE("an input without a value leaves what reads it without a value")
{
    attune::description const unbound = attune::lower(attune::space(a).where(a < n));
    CHECK_FALSE(evaluator{unbound}.holds(unbound.constraints[0], point{{0, 0}}));
}
