// tests/declare/constraint.cpp - predicates keep their callable and name their parameters.
// SPDX-License-Identifier: MIT
#include <attune/declare/parameters.hpp>

#include <doctest/doctest.h>
#include <string_view>
#include <type_traits>

namespace {

constexpr auto tile = attune::ordinal<"TILE">(attune::values(1, 2, 4));
constexpr auto mode = attune::categorical<"MODE">("fast", "safe");

bool is_even(int v) { return v % 2 == 0; }

template <class F, class... P>
constexpr std::size_t parameter_count(attune::detail::opaque_constraint<F, P...> const&)
{
    return sizeof...(P);
}

} // namespace

TEST_CASE("a predicate calls what it was given with the values it is given")
{
    constexpr auto both = attune::predicate(
        tile, mode, [](int t, std::string_view m) { return t == 4 && m == "fast"; });
    static_assert(attune::detail::is_opaque<std::remove_const_t<decltype(both)>>);
    CHECK(parameter_count(both) == 2);
    CHECK(both.test(4, "fast"));
    CHECK_FALSE(both.test(4, "safe"));
    CHECK_FALSE(both.test(2, "fast"));
}

TEST_CASE("a predicate may be an ordinary function")
{
    constexpr auto even = attune::predicate(tile, is_even);
    CHECK(even.test(2));
    CHECK_FALSE(even.test(1));
}

TEST_CASE("a predicate may carry what it captured, and name one parameter twice")
{
    int limit = 3;
    auto const bounded =
        attune::predicate(tile, tile, [limit](int a, int b) { return a == b && a < limit; });
    CHECK(parameter_count(bounded) == 2);
    CHECK(bounded.test(2, 2));
    CHECK_FALSE(bounded.test(4, 4));
}
