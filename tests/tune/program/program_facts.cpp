// tests/tune/program/program_facts.cpp - work and tolerances of programs whose numbers are known.
// SPDX-License-Identifier: MIT
#include <attune/tune/program/program_facts.hpp>

#include <attune/declare/nest/declaration.hpp>
#include <attune/declare/nest/nest_rows.hpp>
#include <attune/declare/nest/operators.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>

namespace {

using attune::array;
using attune::sum;
using attune::detail::declare_nest;
using attune::detail::describe_nest;
using attune::detail::program_tolerance;
using attune::detail::program_work;

constexpr auto M = attune::input<"M", int>();
auto const [i, j, k] = attune::axes<"i", "j", "k">();

} // namespace

TEST_CASE("the work of a product: two operations for each of its terms, each array once")
{
    constexpr auto A = array<"A", float, M, 64>();
    constexpr auto B = array<"B", float, 64, 32>();
    constexpr auto C = array<"C", float, M, 32>();
    std::array<std::int64_t, 1> const inputs{10};
    constexpr auto stored = declare_nest<"p">(C[i][j] = sum(k)(A[i][k] * B[k][j]));
    attune::work const of = program_work(describe_nest(stored), inputs);
    CHECK(of.flops == 2.0 * 10 * 64 * 32);
    CHECK(of.bytes == 4.0 * (10 * 64 + 64 * 32 + 10 * 32));
    CHECK_FALSE(of.double_precision);
    constexpr auto added = declare_nest<"p">(C[i][j] += A[i][k] * B[k][j]);
    CHECK(program_work(describe_nest(added), inputs).bytes == of.bytes + 4.0 * 10 * 32);
    CHECK(program_work(describe_nest(added), inputs).flops == of.flops);
}

TEST_CASE("a value that is added to what the target holds is an addition more")
{
    constexpr auto x = array<"x", float, 8>();
    constexpr auto y = array<"y", float, 8>();
    attune::work const stored =
        program_work(describe_nest(declare_nest<"p">(y[i] = x[i] * 3.0F)), {});
    attune::work const added =
        program_work(describe_nest(declare_nest<"p">(y[i] += x[i] * 3.0F)), {});
    CHECK(stored.flops == 8);
    CHECK(added.flops == 16);
}

TEST_CASE("the step of an argument of the maximum is one operation on reals, a conversion is none")
{
    constexpr auto x = array<"x", float, 4, 8>();
    constexpr auto y = array<"y", int, 4>();
    constexpr auto z = array<"z", double, 4, 8>();
    CHECK(program_work(describe_nest(declare_nest<"p">(y[i] = attune::argmax(j)(x[i][j]))), {})
              .flops == 4 * 8);
    attune::work const widened =
        program_work(describe_nest(declare_nest<"p">(z[i][j] = attune::cast<double>(x[i][j]))), {});
    CHECK(widened.flops == 0);
    CHECK(widened.double_precision);
}

TEST_CASE("whole numbers have no flops, doubles say so")
{
    constexpr auto x = array<"x", int, 8>();
    constexpr auto y = array<"y", int, 8>();
    constexpr auto d = array<"d", double, 8>();
    attune::work const whole = program_work(describe_nest(declare_nest<"p">(y[i] = x[i] * 3)), {});
    CHECK(whole.flops == 0);
    CHECK(whole.bytes == 64);
    attune::work const twice = program_work(describe_nest(declare_nest<"p">(d[i] = exp(x[i]))), {});
    CHECK(twice.flops == 8);
    CHECK(twice.double_precision);
}

TEST_CASE("tolerances grow with what is summed, along statements")
{
    constexpr auto x = array<"x", float, 4, 1048576>();
    constexpr auto t = attune::temporary<"t", float, 4>();
    constexpr auto s = array<"s", float, 4>();
    constexpr auto n = array<"n", float, 4>();
    constexpr auto whole = array<"whole", int, 4>();
    auto const within = [](auto const& program) {
        attune::nest_description const d = describe_nest(program);
        return program_tolerance(d, d.statements.back().target.array);
    };
    double const million = std::sqrt(1048576.0);
    constexpr auto total = declare_nest<"p">(s[i] = sum(j)(x[i][j]));
    CHECK(within(total).relative == doctest::Approx(8 * million * 0x1p-24));
    constexpr auto again = declare_nest<"p">(t[i] = sum(j)(x[i][j]), s[i] = sum(j)(x[i][j] - t[i]));
    CHECK(within(again).relative == doctest::Approx(8 * std::sqrt(2.0) * million * 0x1p-24));
    constexpr auto precise = declare_nest<"p">(s[i] = sum(j)(attune::cast<double>(x[i][j])));
    CHECK(within(precise).relative >= 1e-4); // stored as float
    constexpr auto few = declare_nest<"p">(n[i] = s[i] * 2.0f);
    CHECK(within(few) == attune::tolerance{0, 1e-4});
    constexpr auto rounded = declare_nest<"p">(whole[i] = s[i] * 2.0f);
    CHECK(within(rounded) == attune::tolerance{1, 0});
    constexpr auto counted = declare_nest<"p">(whole[i] = attune::argmax(j)(x[i][j]));
    CHECK(within(counted) == attune::tolerance{});
}
