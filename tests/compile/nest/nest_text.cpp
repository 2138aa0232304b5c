// tests/compile/nest/nest_text.cpp - programs as their statements.
// SPDX-License-Identifier: MIT
#include <attune/compile/nest/nest_text.hpp>

#include <attune/declare/nest/declaration.hpp>
#include <attune/declare/nest/nest_rows.hpp>
#include <attune/declare/nest/operators.hpp>

#include <doctest/doctest.h>
#include <string>

namespace {

using attune::array;
using attune::sum;
using attune::detail::declare_nest;
using attune::detail::describe_nest;

constexpr auto M = attune::input<"M", int>();
constexpr auto a = attune::input<"a", float>();
constexpr auto i = attune::axis<"i">();
constexpr auto j = attune::axis<"j">();
constexpr auto k = attune::axis<"k">();
constexpr auto r = attune::axis<"r", 3>();
constexpr auto A = array<"A", float, M, 64>().with_row_stride();
constexpr auto B = array<"B", float, 64, 8>();
constexpr auto C = array<"C", float, M, 8>();
constexpr auto x = array<"x", float, 16>();
constexpr auto y = array<"y", float, 16>();

template <class Declaration>
std::string text_of(Declaration const& of)
{
    return attune::text_of(describe_nest(of));
}
/// The last line.
std::string statement_of(std::string const& text)
{
    return text.substr(text.rfind('\n', text.size() - 2) + 5);
}

} // namespace

TEST_CASE("arguments, axes and a statement")
{
    constexpr auto gemm = declare_nest<"gemm">(C[i][j] += A[i][k] * B[k][j]);
    CHECK(text_of(gemm) ==
          "gemm(float const A[M][64] with row stride, float const B[64][8], updated float "
          "C[M][8], int M)\n"
          "    i < M, k < 64, j < 8\n"
          "    C[i][j] += sum(k)(A[i][k] * B[k][j])\n");
}

TEST_CASE("as many parentheses as the order of operations needs")
{
    auto const text = [](auto const& program) { return statement_of(text_of(program)); };
    constexpr auto left = declare_nest<"p">(y[i] = (x[i] + 1.0f) + a);
    constexpr auto right = declare_nest<"p">(y[i] = x[i] + (1.0f + a * x[i]));
    constexpr auto sign = declare_nest<"p">(y[i] = -x[i] * 2.0f - -(x[i] * 2.0f));
    constexpr auto choice =
        declare_nest<"p">(y[i] = select(x[i] < 0.5f, -0.5f, max(x[i], exp(x[i] / (a / x[i])))));
    constexpr auto window =
        declare_nest<"p">(y[i] = sum(r)(attune::padded(x)[2 * i + r - 1] * attune::cast<float>(i)));
    CHECK(text(left) == "y[i] = x[i] + 1.0f + a\n");
    CHECK(text(right) == "y[i] = x[i] + (1.0f + a * x[i])\n");
    CHECK(text(sign) == "y[i] = -x[i] * 2.0f - -(x[i] * 2.0f)\n");
    CHECK(text(choice) ==
          "y[i] = select(x[i] < 0.5f, (-0.5f), max(x[i], exp(x[i] / (a / x[i]))))\n");
    CHECK(text(window) == "y[i] = sum(r)(padded(x)[2 * i + r - 1] * cast<float>(i))\n");
}

TEST_CASE("a value that is read several times has a name, so that the text is short")
{
    constexpr auto again = [](auto of) { return of * of; };
    constexpr auto deep = declare_nest<"p">(y[i] = again(again(again(again(x[i] + a)))));
    std::string const text = text_of(deep);
    CHECK(text.size() < 200);
    CHECK(text.find("    $1 = x[i] + a\n    $2 = $1 * $1\n") != std::string::npos);
    CHECK(statement_of(text) == "y[i] = $4 * $4\n");
}

TEST_CASE("programs that compute other things have other texts")
{
    constexpr auto one = declare_nest<"p">(y[i] = x[i] * 2.0f);
    constexpr auto other = declare_nest<"p">(y[i] = x[i] * 2.5f);
    constexpr auto wide = declare_nest<"p">(y[i] = attune::cast<double>(x[i]) * 2.0);
    CHECK(text_of(one) != text_of(other));
    CHECK(text_of(one) != text_of(wide));
}
