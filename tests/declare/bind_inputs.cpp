// tests/declare/bind_inputs.cpp - inputs fill the tables, and a wrong one is refused with a sentence.
// SPDX-License-Identifier: MIT
#include <attune/declare/bind_inputs.hpp>

#include <attune/core/error.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/declare/domain.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/pack.hpp>
#include <attune/declare/text.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

using attune::bind_inputs;
using attune::description;
using attune::lower;
using attune::number;
using doctest::Contains;

namespace {

using table = std::vector<std::int64_t>;

constexpr auto n = attune::input<"N", int>();
constexpr auto rate = attune::input<"RATE", double>();

template <class P>
table values_of(P const& parameter, std::vector<attune::input_value> const& inputs = {})
{
    return bind_inputs(lower(attune::space(parameter)), inputs).parameters[0].integers;
}

} // namespace

TEST_CASE("constant ranges become the tables that their words say")
{
    CHECK(values_of(attune::ordinal<"A">(attune::range(-7, 9, 5))) == table{-7, -2, 3, 8});
    CHECK(values_of(attune::ordinal<"A">(attune::powers_of_two(4, 70))) == table{4, 8, 16, 32, 64});
    CHECK(values_of(attune::ordinal<"A">(attune::divisors_of(12))) == table{1, 2, 3, 4, 6, 12});
    CHECK(values_of(attune::integer<"A">(-1, 2)) == table{-1, 0, 1, 2});
    CHECK(values_of(attune::tile<"A", 2>(6)) == table{1, 6, 2, 3, 3, 2, 6, 1});
    CHECK(values_of(attune::ordinal<"A">(attune::values(3, 5))) == table{3, 5});
}

TEST_CASE("a table agrees with the values its domain accepts")
{
    auto const check = [](auto const& p) {
        table const values = values_of(p);
        for (int v = -5; v <= 130; ++v)
            CHECK((std::find(values.begin(), values.end(), v) != values.end()) ==
                  p.domain.may_contain(v));
    };
    for (int end = 4; end <= 128; end += 31) {
        check(attune::ordinal<"A">(attune::range(-3, end, 7)));
        check(attune::ordinal<"A">(attune::powers_of_two(1, end)));
        check(attune::ordinal<"A">(attune::divisors_of(end)));
    }
}

TEST_CASE("ranges at the ends of 64 bits end without overflow")
{
    constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
    constexpr auto highest = std::numeric_limits<std::int64_t>::max();
    CHECK(values_of(attune::ordinal<"A">(attune::range(highest - 3, highest, 2))) ==
          table{highest - 3, highest - 1});
    CHECK(values_of(attune::ordinal<"A">(attune::range(lowest, lowest + 5, 4))) ==
          table{lowest, lowest + 4});
    CHECK(values_of(attune::ordinal<"A">(attune::range(lowest, highest, highest))) ==
          table{lowest, -1, highest - 1});
    CHECK(values_of(attune::ordinal<"A">(attune::powers_of_two(std::int64_t{1}, highest))).size() ==
          63);
    constexpr std::int64_t step = std::int64_t{1} << 34; // 2^30 values: too many for a table
    auto const wide = attune::ordinal<"A">(attune::range(lowest, highest, step));
    auto const bound = bind_inputs(lower(attune::space(wide)), {}).parameters[0];
    CHECK(bound.value_count() == 1U << 30);
    CHECK(bound.integer_at(0) == lowest);
    CHECK(bound.integer_at((1U << 29) + 1) == step);
    CHECK(bound.integer_at((1U << 30) - 1) == highest - step + 1);
    CHECK(coordinate_of(bound, std::to_string(step)) == attune::coordinate{(1U << 29) + 1});
}

TEST_CASE("an input ends ranges and gives the extent of tiles")
{
    CHECK(values_of(attune::ordinal<"A">(attune::powers_of_two(8, n)), {n(40)}) ==
          table{8, 16, 32});
    CHECK(values_of(attune::integer<"A">(3, n), {n(5)}) == table{3, 4, 5});
    CHECK(values_of(attune::ordinal<"A">(attune::divisors_of(n)), {n(9)}) == table{1, 3, 9});
    CHECK(values_of(attune::tile<"A", 2>(n), {n(3)}) == table{1, 3, 3, 1});
}

TEST_CASE("a description may be bound again with another value")
{
    description const first = bind_inputs(lower(attune::space(attune::integer<"A">(1, n))), {n(3)});
    description const second = bind_inputs(first, {n(2)});
    CHECK(first.parameters[0].integers == table{1, 2, 3});
    CHECK(second.parameters[0].integers == table{1, 2});
}

TEST_CASE("an input is named when it has no value")
{
    constexpr auto a = attune::integer<"A">(1, 4);
    CHECK_THROWS_WITH_AS((void)bind_inputs(lower(attune::space(a).where(a < n))),
                         Contains("an input of the space has no value"), attune::error);
    CHECK_THROWS_WITH((void)bind_inputs(lower(attune::space(a).where(a < n))), Contains("input N"));
}

TEST_CASE("a range that its input empties is named with both ends")
{
    constexpr auto a = attune::ordinal<"TILE">(attune::powers_of_two(8, n));
    CHECK_THROWS_WITH_AS((void)values_of(a, {n(4)}), Contains("a range is empty"), attune::error);
    CHECK_THROWS_WITH((void)values_of(a, {n(4)}), Contains("parameter TILE, from 8 to 4"));
    CHECK_THROWS_WITH((void)values_of(attune::ordinal<"A">(attune::divisors_of(n)), {n(0)}),
                      Contains("a range is empty"));
    CHECK_THROWS_WITH((void)values_of(attune::tile<"A", 2>(n), {n(0)}),
                      Contains("the extent of a tile is not positive"));
}

TEST_CASE("a default that the input puts out of reach is refused")
{
    constexpr auto a = attune::ordinal<"TILE">(attune::powers_of_two(8, n)).with_default(64);
    CHECK(values_of(a, {n(64)}).size() == 4);
    CHECK_THROWS_WITH((void)values_of(a, {n(63)}),
                      Contains("the default of a parameter is not one of its values"));
    CHECK_THROWS_WITH((void)values_of(a, {n(63)}), Contains("parameter TILE, default 64"));
}

TEST_CASE("a belief has as many weights as the table has values")
{
    constexpr auto a = attune::ordinal<"TILE">(attune::powers_of_two(8, n)).prior(1, 2, 1);
    CHECK(values_of(a, {n(32)}).size() == 3);
    CHECK_THROWS_WITH_AS((void)values_of(a, {n(64)}),
                         Contains("a prior needs exactly one weight per value"), attune::error);
    CHECK_THROWS_WITH((void)values_of(a, {n(64)}),
                      Contains("parameter TILE, 3 weights for 4 values"));
}

TEST_CASE("a range of more than 2^20 values stays a range")
{
    CHECK(values_of(attune::integer<"A">(1, 1 << 20)).size() == std::size_t{1} << 20);
    constexpr auto every_third = attune::ordinal<"A">(attune::range(-4, n, 3)).with_default(5);
    description const space = bind_inputs(lower(attune::space(every_third)), {n(9'999'999)});
    attune::parameter_description const& a = space.parameters[0];
    CHECK(a.integers.empty());
    REQUIRE(a.value_count() == 3'333'335);
    CHECK(a.integer_at(0) == -4);
    CHECK(a.integer_at(3'333'334) == 9'999'998);
    CHECK(attune::number_at(a, {1, 0}) == number::of(std::int64_t{-1}));
    CHECK(attune::text_of(a, {2, 0}) == "2");
    CHECK(attune::coordinate_of(a, "9999998") == attune::coordinate{3'333'334, 0});
    for (char const* const none : {"-7", "-3", "10000001", "9223372036854775807"})
        CHECK_FALSE(attune::coordinate_of(a, none));
    // Rebound to few values, it has a table again.
    CHECK(bind_inputs(space, {n(5)}).parameters[0].integers ==
          std::vector<std::int64_t>{-4, -1, 2, 5});
    CHECK(bind_inputs(space, {n(5)}).parameters[0].value_count() == 4);
}

TEST_CASE("a table too long to search is refused before it fills the memory")
{
    attune::input_value const size{"N", number::of(std::int64_t{2'147'483'649})};
    CHECK_THROWS_WITH_AS((void)values_of(attune::integer<"A">(1, n), {size}),
                         Contains("more than 2^31 values"), attune::error);
    CHECK_THROWS_WITH_AS((void)values_of(attune::tile<"A", 30>(1 << 30)),
                         Contains("more than 2^20 factorisations"), attune::error);
}

TEST_CASE("a bound that is not a whole number is refused")
{
    CHECK_THROWS_WITH_AS(
        (void)values_of(attune::integer<"A">(1, n), {attune::input_value{"N", number::of(4.5)}}),
        Contains("the bound of parameter A is not a whole number"), attune::error);
}

TEST_CASE("a whole number given for a real input is that real number")
{
    constexpr auto a = attune::integer<"A">(1, 4);
    description const space =
        bind_inputs(lower(attune::space(a).where(a / rate > 0.4)),
                    {attune::input_value{"RATE", number::of(std::int64_t{4})}});
    // 2 / 4 is 0.5 for a real input and would be 0 for a whole one.
    CHECK(attune::detail::evaluator{space}.holds(space.constraints[0], attune::point{{1, 0}}));
    CHECK_FALSE(
        attune::detail::evaluator{space}.holds(space.constraints[0], attune::point{{0, 0}}));
}

TEST_CASE("inputs that the space does not mention are kept")
{
    description const space =
        bind_inputs(lower(attune::space(attune::boolean<"A">())), {n(7), rate(0.25)});
    REQUIRE(space.inputs.size() == 2);
    CHECK(space.inputs[0].name == "N");
    CHECK(space.inputs[0].value == number::of(std::int64_t{7}));
    CHECK(space.inputs[1].value == number::of(0.25));
    CHECK(space.inputs[1].type == attune::value_kind::real);
}

TEST_CASE("figures of the machine get this machine's values by themselves")
{
    namespace machine = attune::machine;
    constexpr auto a = attune::ordinal<"A">(attune::powers_of_two(1, machine::l1_bytes));
    description const bound = bind_inputs(lower(attune::space(a).where(
        a <= machine::l2_bytes, a <= machine::l3_bytes * machine::cores,
        a % machine::page_bytes <= machine::vector_bytes * machine::vector_registers,
        a <= machine::memory_bytes)));
    CHECK(bound.inputs.size() == attune::detail::machine_figure_count);
    for (attune::detail::machine_figure const& one : attune::detail::machine_figures()) {
        CAPTURE(one.name);
        std::uint32_t const i = bound.find_input(one.name);
        REQUIRE(i != attune::no_index);
        CHECK(bound.inputs[i].value == number::of(one.value));
    }
    CHECK(2 * bound.parameters[0].integers.back() >
          attune::detail::machine_figure_named("machine.l1_bytes").value());
}

TEST_CASE("a caller's value stands for a figure of the machine, also when bound again")
{
    constexpr auto a = attune::ordinal<"A">(attune::powers_of_two(1, attune::machine::l2_bytes));
    description const other =
        bind_inputs(lower(attune::space(a)), {attune::machine::l2_bytes(1024)});
    CHECK(other.parameters[0].integers.back() == 1024);
    CHECK(bind_inputs(other).parameters[0].integers.back() == 1024);
    CHECK(bind_inputs(other, {attune::machine::l2_bytes(64)}).parameters[0].integers.back() == 64);
}

TEST_CASE("a space that reads no figure has none, and an unknown figure has no value")
{
    constexpr auto a = attune::integer<"A">(1, 4);
    CHECK(bind_inputs(lower(attune::space(a).where(a < n)), {n(3)}).inputs.size() == 1);
    constexpr auto unknown = attune::input<"machine.l9_bytes", int>();
    CHECK_THROWS_WITH_AS((void)bind_inputs(lower(attune::space(a).where(a < unknown))),
                         Contains("input machine.l9_bytes"), attune::error);
}
