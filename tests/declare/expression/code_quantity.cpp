// tests/declare/expression/code_quantity.cpp - what compiled device code takes, as terms of conditions.
// SPDX-License-Identifier: MIT
#include <attune/declare/expression/code_quantity.hpp>

#include <attune/declare/expression/operators.hpp>
#include <attune/declare/input.hpp>
#include <attune/declare/parameters.hpp>

#include <doctest/doctest.h>

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(1, 64));

template <class E>
constexpr bool of_code(E const& e)
{
    return attune::detail::reads_code<decltype(attune::detail::lift(e))>;
}

template <class E>
constexpr bool of_parameters(E const& e)
{
    return attune::detail::reads_parameter<decltype(attune::detail::lift(e))>;
}

} // namespace

TEST_CASE("quantities of code stand in expressions as numbers do")
{
    constexpr auto rule = attune::registers * tile <= 65536;
    CHECK(rule.yields == attune::value_kind::boolean);
    REQUIRE(rule.code.size() == 5);
    CHECK(rule.code[0].code == attune::op::input);
    CHECK(rule.code[0].text == "registers");
    CHECK(attune::detail::kind_yielded<decltype(attune::spill_bytes + n)> ==
          attune::value_kind::integer);
    CHECK(attune::detail::kind_yielded<decltype(attune::occupancy * 2)> ==
          attune::value_kind::real);
}

TEST_CASE("an expression says whether it reads code, and whether it reads parameters")
{
    CHECK(of_code(attune::registers));
    CHECK(of_code(n + 2 * attune::stack_bytes));
    CHECK_FALSE(of_code(n * tile));
    CHECK_FALSE(of_code(3));
    CHECK(of_parameters(n * tile));
    CHECK(of_parameters(tile));
    CHECK_FALSE(of_parameters(n + attune::static_shared_bytes));
    CHECK_FALSE(of_parameters(3));
}

TEST_CASE("the names of all quantities are known, and no others")
{
    for (auto const name : {"registers", "spill_bytes", "stack_bytes", "static_shared_bytes",
                            "occupancy", "code_bytes", "spills", "vector_instructions"})
        CHECK(attune::detail::names_code_quantity(name));
    CHECK_FALSE(attune::detail::names_code_quantity("N"));
    CHECK_FALSE(attune::detail::names_code_quantity("register"));
}
