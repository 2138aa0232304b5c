// tests/declare/pack.cpp - a declared space keeps its parameters and gathers constraints.
// SPDX-License-Identifier: MIT
#include <attune/declare/pack.hpp>

#include <boost/hana/at.hpp>

#include <doctest/doctest.h>
#include <type_traits>

namespace {

constexpr auto m = attune::ordinal<"M">(attune::powers_of_two(8, 64));
constexpr auto k = attune::ordinal<"K">(attune::values(1, 2, 4));
constexpr auto vec = attune::boolean<"VEC">();
constexpr auto n = attune::input<"N", int>();
constexpr auto base = attune::space(m, k, vec);

template <class P, class... C, class F>
constexpr std::size_t constraint_count(attune::pack<P, attune::detail::type_list<C...>, F> const&)
{
    return sizeof...(C);
}

} // namespace

TEST_CASE("a space knows at compile time how many parameters it has")
{
    static_assert(decltype(base)::size == 3);
    CHECK(boost::hana::at_c<0>(base.parameters).name == "M");
    CHECK(boost::hana::at_c<2>(base.parameters).name == "VEC");
}

TEST_CASE("where() adds constraints to a new space and leaves the old one")
{
    constexpr auto one = base.where(m % k == 0);
    constexpr auto three = one.where(m <= n, attune::predicate(k, [](int v) { return v != 2; }));
    CHECK(constraint_count(base) == 0);
    CHECK(constraint_count(one) == 1);
    CHECK(constraint_count(three) == 3);
    CHECK(constraint_count(base.where()) == 0);
}

TEST_CASE("a boolean parameter is a constraint by itself")
{
    CHECK(constraint_count(base.where(vec)) == 1);
    CHECK(boost::hana::at_c<0>(base.where(vec).constraints).code[0].text == "VEC");
}

TEST_CASE("constraints added in two calls are all kept")
{
    constexpr auto many = base.where(m != 1, m != 2, m != 3, m != 4, m != 5, m != 6, m != 7)
                              .where(k != 5, k != 6, k != 7, k != 8, k != 9, k != 10, k != 11);
    CHECK(constraint_count(many) == 14);
}

TEST_CASE("what has been reported at compile time stays silent afterwards")
{
    constexpr attune::detail::already_reported reported{};
    static_assert(
        std::is_same_v<decltype(attune::space(m, reported)), attune::detail::already_reported>);
    static_assert(
        std::is_same_v<decltype(reported.where(m < 8)), attune::detail::already_reported>);
    CHECK(constraint_count(base.where(reported)) == 0);
}

TEST_CASE("features() adds formulas beside the constraints, in any order of calls")
{
    constexpr auto both = base.features(m * k, vec).where(m % k == 0).features(n % m == 0);
    CHECK(constraint_count(both) == 1);
    CHECK(boost::hana::at_c<0>(both.formulas).code.size() == 3);
    CHECK(boost::hana::at_c<1>(both.formulas).code[0].text == "VEC");
    CHECK(boost::hana::at_c<2>(both.formulas).yields == attune::value_kind::boolean);
    static_assert(std::is_same_v<decltype(base.features()), std::remove_const_t<decltype(base)>>);
    constexpr attune::detail::already_reported reported{};
    static_assert(
        std::is_same_v<decltype(reported.features(m * k)), attune::detail::already_reported>);
    static_assert(
        std::is_same_v<decltype(base.features(reported)), std::remove_const_t<decltype(base)>>);
}
