// tests/declare/expression/expression.cpp - formulas as flat postfix code.
// SPDX-License-Identifier: MIT
#include <attune/declare/expression/expression.hpp>

#include <attune/declare/domain.hpp>
#include <attune/declare/expression/operators.hpp>
#include <attune/declare/parameters.hpp>

#include <concepts>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <string_view>

using attune::expression;
using attune::op;
using attune::value_kind;
using attune::detail::parameter_ref;

namespace {

enum class colour { red, green };

struct leaf : attune::detail::term {
    using ref = parameter_ref<"LEAF">;
    [[nodiscard]] constexpr auto as_expression() const
    {
        return expression<value_kind::integer, 1, ref>{{{{op::parameter, 0, 0, ref::name}}}};
    }
};

} // namespace

TEST_CASE("a C++ type is one kind of value")
{
    using attune::detail::kind_of;
    CHECK(kind_of<bool>() == value_kind::boolean);
    CHECK(kind_of<int>() == value_kind::integer);
    CHECK(kind_of<unsigned char>() == value_kind::integer);
    CHECK(kind_of<colour>() == value_kind::integer);
    CHECK(kind_of<float>() == value_kind::real);
    CHECK(kind_of<std::string_view>() == value_kind::text);
    CHECK(kind_of<std::string>() == value_kind::text);
    CHECK(kind_of<std::array<int, 2>>() == value_kind::list);
}

TEST_CASE("literals become one instruction that holds their value")
{
    using attune::detail::lift;
    CHECK(lift(7).code[0].integer == 7);
    CHECK(lift(7).code[0].code == op::integer);
    CHECK(lift(-7LL).code[0].integer == -7);
    CHECK(lift(colour::green).code[0].integer == 1);
    CHECK(lift(0.5F).code[0].real == 0.5);
    CHECK(lift(true).yields == value_kind::boolean);
    CHECK(lift(true).code[0].integer == 1);
    CHECK(lift("static").code[0].text == "static");
    CHECK(lift("static").code[0].code == op::text);
}

TEST_CASE("a constant beyond 64 signed bits is refused when it is met at run time")
{
    std::uint64_t const largest = std::numeric_limits<std::int64_t>::max();
    CHECK(attune::detail::lift(largest).code[0].integer ==
          std::numeric_limits<std::int64_t>::max());
    CHECK_THROWS_WITH_AS(static_cast<void>(attune::detail::lift(largest + 1)),
                         "attune: this constant does not fit in 64 signed bits",
                         attune::declaration_error);
}

TEST_CASE("a term and an expression are symbolic, numbers and strings are literals")
{
    CHECK(attune::symbolic<leaf>);
    CHECK(attune::symbolic<expression<value_kind::integer, 3>>);
    CHECK_FALSE(attune::symbolic<int>);
    CHECK(attune::literal<int>);
    CHECK(attune::literal<char const*>);
    CHECK(attune::literal<colour>);
    CHECK_FALSE(attune::literal<leaf>);
    CHECK_FALSE(attune::literal<void*>);
}

TEST_CASE("an operation is written behind its operands and reads what they read")
{
    constexpr auto sum = attune::detail::apply<value_kind::integer>(op::add, leaf{}.as_expression(),
                                                                    attune::detail::lift(3));
    static_assert(std::same_as<decltype(sum), expression<value_kind::integer, 3, leaf::ref> const>);
    CHECK(sum.code[0].text == "LEAF");
    CHECK(sum.code[1].integer == 3);
    CHECK(sum.code[2].code == op::add);

    constexpr auto minus = attune::detail::apply<value_kind::integer>(op::negate, sum);
    CHECK(minus.code.size() == 4);
    CHECK(minus.code[3].code == op::negate);

    constexpr auto joined = attune::detail::prepend(minus, attune::detail::lift(0.5));
    static_assert(decltype(joined)::yields == value_kind::real);
    CHECK(joined.code.size() == 5);
    CHECK(joined.code[4].real == 0.5);
}

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
