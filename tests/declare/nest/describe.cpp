// tests/declare/nest/describe.cpp - what a typed program is as a description.
// SPDX-License-Identifier: MIT
#include <attune/declare/nest/declaration.hpp>
#include <attune/declare/nest/nest_rows.hpp>

#include <doctest/doctest.h>
#include <type_traits>
#include <vector>

namespace {

using attune::array;
using attune::axis;
using attune::nest_role;
using attune::sum;
using attune::detail::declare_nest;
using attune::detail::describe_nest;

constexpr auto M = attune::input<"M", int>();
constexpr auto N = attune::input<"N", int>();
constexpr auto A = array<"A", float, M, 64>();
constexpr auto B = array<"B", float, 64, N>();
constexpr auto C = array<"C", float, M, N>();
constexpr auto b = array<"b", float, N>();

} // namespace

TEST_CASE("a matrix product: arguments, axes with deduced extents, one statement")
{
    auto const [i, j, k] = attune::axes<"i", "j", "k">();
    constexpr auto gemm = [=] { return declare_nest<"gemm">(C[i][j] += A[i][k] * B[k][j]); }();
    using signature = decltype(gemm)::signature;
    CHECK(std::is_same_v<signature, void(std::span<float const>, std::span<float const>,
                                         std::span<float>, int, int)>);
    attune::nest_description const d = describe_nest(gemm);
    CHECK(d.name == "gemm");
    REQUIRE(d.arrays.size() == 3);
    CHECK(d.arrays[0].name == "A");
    CHECK(d.arrays[0].role == nest_role::read);
    CHECK(d.arrays[2].role == nest_role::updated);
    CHECK(d.arrays[0].extents == std::vector<attune::nest_extent>{{.input = 0}, {.constant = 64}});
    REQUIRE(d.axes.size() == 3); // in order of mention: i, k, j
    CHECK(d.axes[1].name == "k");
    CHECK(d.axes[1].extent == attune::nest_extent{.constant = 64});
    CHECK(d.axes[2].extent == attune::nest_extent{.input = 1});
    REQUIRE(d.statements.size() == 1);
    CHECK(d.statements[0].axes == std::vector<std::uint32_t>{0, 2, 1});
    CHECK(d.statements[0].spatial_count == 2);
    CHECK(d.statements[0].combine == attune::reduction::sum);
    CHECK(d.statements[0].continues);
    CHECK(d.nodes.size() == 3);
}

TEST_CASE("what is made of a reduction is a statement of its own, and equal parts are there once")
{
    constexpr auto i = axis<"i">();
    constexpr auto j = axis<"j">();
    constexpr auto k = axis<"k">();
    constexpr auto silu = [](auto x) { return x / (1 + exp(-x)); };
    constexpr auto ffn = declare_nest<"ffn">(C[i][j] = silu(sum(k)(A[i][k] * B[k][j]) + b[j]));
    attune::nest_description const d = describe_nest(ffn);
    REQUIRE(d.arrays.size() == 5);
    CHECK(d.arrays[4].name == "C_sum");
    CHECK(d.arrays[4].role == nest_role::temporary);
    CHECK(d.arrays[4].extents == d.arrays[3].extents);
    CHECK(d.arrays[3].role == nest_role::written);
    REQUIRE(d.statements.size() == 2);
    CHECK(d.statements[0].target.array == 4);
    CHECK(d.statements[1].combine == attune::reduction::none);
    // A, B, their product; C_sum, b, x, -x, 1, exp, 1 + exp, the quotient: x is computed once.
    CHECK(d.nodes.size() == 11);
    CHECK(d.accesses.size() == 4);
}

TEST_CASE("indices are sums of each axis once")
{
    constexpr auto x = array<"x", float, 64>();
    constexpr auto y = array<"y", double, 10>();
    constexpr auto h = axis<"h">();
    constexpr auto r = axis<"r", 3>();
    constexpr auto program =
        declare_nest<"p">(y[h] = sum(r)(x[4 + 2 * (h + r) + (h - r) - r - 1] * 2));
    attune::nest_description const d = describe_nest(program);
    std::uint32_t const at_h = d.axes[0].name == "h" ? 0 : 1;
    CHECK(d.accesses[0].at[0].offset == 3);
    CHECK(d.accesses[0].at[0].terms == std::vector<attune::affine_term>{{at_h, 3}});
    CHECK(d.statements[0].accumulator == attune::element_type::f32);
}

TEST_CASE("types: narrow elements widen, literals take the type that they stand beside")
{
    constexpr auto i = axis<"i">();
    constexpr auto x8 = array<"x8", std::int8_t, 8>();
    constexpr auto xf = array<"xf", float, 8>();
    constexpr auto xl = array<"xl", std::int64_t, 8>();
    auto const is = []<class T>(auto const& x, T) {
        return std::is_same_v<typename std::remove_cvref_t<decltype(x)>::value_type, T>;
    };
    CHECK(is(x8[i] * x8[i], int{}));
    CHECK(is(0.5 * xf[i], float{}));
    CHECK(is(2 * xl[i], std::int64_t{}));
    CHECK(is(x8[i] * 0.5f, float{}));
    CHECK(is(xl[i] * 0.5, double{}));
    CHECK(is(xf[i] * xl[i], float{}));
    CHECK(is(exp(x8[i]), double{}));
    CHECK(is(attune::argmax(i)(xf[i]), int{}));
}
