// tests/declare/nest/evaluate.cpp - plain loops of programs beside loops by hand, and beside an interpreter.
// SPDX-License-Identifier: MIT
#include <attune/declare/nest/evaluate.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/nest/declaration.hpp>
#include <attune/declare/nest/nest_call.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "../../support/nest_both_ways.hpp"

namespace {

using attune::argmax;
using attune::array;
using attune::axes;
using attune::axis;
using attune::cast;
using attune::input;
using attune::padded;
using attune::product;
using attune::sum;
using attune::temporary;
using attune::detail::declare_nest;
using tests::nest_difference;

constexpr auto M = input<"M", int>();
constexpr auto N = input<"N", int>();
constexpr auto K = input<"K", long>();
constexpr auto i = axis<"i">();
constexpr auto j = axis<"j">();
constexpr auto k = axis<"k">();
constexpr auto r = axis<"r">();
constexpr auto A = array<"A", float, M, K>();
constexpr auto B = array<"B", float, K, N>();
constexpr auto C = array<"C", float, M, N>();
constexpr auto X = array<"X", float, M, N>();
constexpr auto Y = array<"Y", float, M, N>();
constexpr auto b = array<"b", float, N>();
constexpr auto m = temporary<"m", float, M>();
constexpr auto e = temporary<"e", float, M, N>();
constexpr auto s = temporary<"s", float, M>();

constexpr auto gelu = [](auto x) {
    return 0.5 * x * (1 + tanh(0.79788456 * (x + 0.044715 * x * x * x)));
};

std::vector<float> some(int count)
{
    std::vector<float> out;
    for (int at = 0; at < count; ++at)
        out.push_back(static_cast<float>((at * 7) % 11 - 5) * 0.25f);
    return out;
}

} // namespace

TEST_CASE("a matrix product continues with what the result holds")
{
    constexpr auto gemm = declare_nest<"gemm">(C[i][j] += A[i][k] * B[k][j]);
    int const rows = 5;
    int const columns = 70; // more than a block
    int const inner = 9;
    std::vector<float> const a = some(rows * inner);
    std::vector<float> const of_b = some(inner * columns);
    std::vector<float> c = some(rows * columns);
    std::vector<float> want = c;
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x)
            for (int z = 0; z < inner; ++z)
                want[static_cast<std::size_t>(y * columns + x)] +=
                    a[static_cast<std::size_t>(y * inner + z)] *
                    of_b[static_cast<std::size_t>(z * columns + x)];
    gemm(std::span<float const>(a), std::span<float const>(of_b), std::span<float>(c), rows,
         long{inner}, columns);
    CHECK(c == want);
}

TEST_CASE("softmax: its maximum, its exponentials, its sum")
{
    constexpr auto softmax =
        declare_nest<"softmax">(m[i] = attune::max(j)(X[i][j]), e[i][j] = exp(X[i][j] - m[i]),
                                s[i] = sum(j)(e[i][j]), Y[i][j] = e[i][j] / s[i]);
    std::vector<float> const x = some(3 * 5);
    std::vector<float> y(15);
    softmax(std::span<float const>(x), std::span<float>(y), 3, 5);
    for (std::size_t row = 0; row < 3; ++row) {
        float const* const of = x.data() + row * 5;
        float const largest = *std::max_element(of, of + 5);
        float total = 0;
        for (std::size_t at = 0; at < 5; ++at)
            total += std::exp(of[at] - largest);
        for (std::size_t at = 0; at < 5; ++at)
            CHECK(y[row * 5 + at] ==
                  doctest::Approx(static_cast<double>(std::exp(of[at] - largest) / total))
                      .epsilon(1e-6));
    }
    CHECK(nest_difference(softmax, {4, 131}).empty());
}

TEST_CASE("a convolution with stride, dilation and padding reads zeros around")
{
    constexpr auto x = array<"x", float, 9>();
    constexpr auto w = array<"w", float, 3>();
    constexpr auto y = array<"y", float, 5>();
    constexpr auto conv = declare_nest<"conv">(y[i] = sum(r)(padded(x)[2 * i + 2 * r - 2] * w[r]));
    std::vector<float> const of_x = some(9);
    std::vector<float> const of_w{1, 2, 3};
    std::vector<float> got(5);
    conv(std::span<float const>(of_x), std::span<float const>(of_w), std::span<float>(got));
    for (int at = 0; at < 5; ++at) {
        float want = 0;
        for (int tap = 0; tap < 3; ++tap)
            if (int const from = 2 * at + 2 * tap - 2; from >= 0 && from < 9)
                want += of_x[static_cast<std::size_t>(from)] * of_w[static_cast<std::size_t>(tap)];
        CHECK(got[static_cast<std::size_t>(at)] == want);
    }
}

TEST_CASE("argmax is the first of equal places; product, minimum and whole numbers that wrap")
{
    constexpr auto v = array<"v", float, 2, 4>();
    constexpr auto p = array<"p", std::int64_t, 2>();
    constexpr auto at = declare_nest<"at">(p[i] = argmax(j)(v[i][j]));
    std::vector<float> const of{1, 3, 3, 2, -4, -4, -9, -5};
    std::vector<std::int64_t> got(2);
    at(std::span<float const>(of), std::span<std::int64_t>(got));
    CHECK(got == std::vector<std::int64_t>{1, 0});

    constexpr auto n = array<"n", std::int32_t, 2>();
    constexpr auto total = array<"total", std::int32_t, 1>();
    constexpr auto wraps = declare_nest<"wraps">(total[i] = sum(j)(n[j] * n[j]));
    std::vector<std::int32_t> const large{46341, 46341};
    std::vector<std::int32_t> out(1);
    wraps(std::span<std::int32_t const>(large), std::span<std::int32_t>(out));
    CHECK(out[0] == static_cast<std::int32_t>(2u * 46341u * 46341u));
}

TEST_CASE("each kind of statement gives what the interpreter of its description gives")
{
    constexpr auto X8 = array<"X8", std::int8_t, M, K>();
    constexpr auto W8 = array<"W8", std::int8_t, N, K>();
    constexpr auto S32 = array<"S32", std::int32_t, M, N>();
    constexpr auto D = array<"D", double, M, N>();
    constexpr auto U = array<"U", std::uint8_t, M, N>();
    for (long const inner : {1L, 7L})
        for (long const columns : {1L, 3L, 67L}) {
            CAPTURE(inner);
            CAPTURE(columns);
            auto const same = [&](auto const& program, std::vector<std::int64_t> inputs) {
                CHECK(nest_difference(program, inputs) == "");
            };
            same(declare_nest<"ffn">(Y[i][j] = gelu(sum(k)(A[i][k] * B[k][j]) + b[j])),
                 {5, inner, columns});
            same(declare_nest<"int8">(S32[i][j] = sum(k)(X8[i][k] * W8[j][k])),
                 {4, inner, columns});
            same(declare_nest<"continued">(D[i][j] *= A[i][k] - cast<double>(B[k][j])),
                 {3, inner, columns});
            same(declare_nest<"elements">(D[i][j] =
                                              select(X[i][j] < b[j], abs(X[i][j]), 2 * i - j) / M,
                                          U[i][j] = min(max(10 * X[i][j], 0), 255)),
                 {4, columns});
            same(declare_nest<"norm">(
                     m[i] = sum(j)(X[i][j]) / N,
                     s[i] = 1 / sqrt(sum(j)((X[i][j] - m[i]) * (X[i][j] - m[i])) / N + 1e-5),
                     Y[i][j] = (X[i][j] - m[i]) * s[i] * b[j] + erf(b[j])),
                 {3, columns});
            same(declare_nest<"added">(Y[i][j] += X[i][j] * b[j]), {3, columns});
        }
}

TEST_CASE("rows with gaps, volumes, windows, and several reductions in one formula")
{
    constexpr auto V = A.with_row_stride();
    constexpr auto W = C.with_row_stride();
    CHECK(nest_difference(declare_nest<"strided">(W[i][j] += V[i][k] * B[k][j]), {5, 3, 66}) == "");

    constexpr auto h = axis<"h">();
    constexpr auto w = axis<"w">();
    constexpr auto c = axis<"c">();
    constexpr auto q = axis<"q", 2>();
    constexpr auto t = axis<"t", 3>();
    constexpr auto image = array<"image", float, 7, 9, 4>();
    constexpr auto pooled = array<"pooled", float, 3, 7, 4>();
    CHECK(nest_difference(
              declare_nest<"pool">(pooled[h][w][c] = attune::max(q, t)(image[2 * h + q][w + t][c])),
              {}) == "");
    CHECK(nest_difference(declare_nest<"spread">(
                              pooled[h][w][c] = attune::max(q, t)(image[2 * h + q][w + t][c]) -
                                                attune::min(q)(padded(image)[h - q][w][3 - c]) *
                                                    product(t)(image[6 - t - h][8 - w][c])),
                          {}) == "");
}

#ifdef ATTUNE_HAS_FLOAT16
TEST_CASE("half precision is computed in float and rounded where it is written")
{
    constexpr auto H = array<"H", _Float16, M, K>();
    constexpr auto G = array<"G", _Float16, K, N>();
    constexpr auto R = array<"R", _Float16, M, N>();
    CHECK(nest_difference(declare_nest<"half">(R[i][j] = sum(k)(H[i][k] * G[k][j])), {5, 9, 67}) ==
          "");
}
#endif

TEST_CASE("arrays that do not fit the extents are refused with both numbers")
{
    constexpr auto gemm = declare_nest<"gemm">(C[i][j] += A[i][k] * B[k][j]);
    std::vector<float> const a = some(6);
    std::vector<float> const of_b = some(6);
    std::vector<float> c(4);
    auto const what = [&](auto const& program, auto... given) -> std::string {
        try {
            program(given...);
        } catch (attune::error const& refused) {
            return refused.what_alone() + ": " + refused.where();
        }
        return {};
    };
    std::span<float const> const in(a);
    CHECK(what(gemm, in, std::span<float const>(of_b), std::span<float>(c), 2, 3L, 2) == "");
    CHECK(what(gemm, in, std::span<float const>(of_b), std::span<float>(c), 3, 3L, 2) ==
          "an array of program 'gemm' has another size than declared: the call gives A 6, its "
          "extents need 9");
    CHECK(what(gemm, in, std::span<float const>(of_b), std::span<float>(c), -2, -3L, 2) ==
          "an extent of program 'gemm' is negative: M = -2");

    constexpr auto doubled = declare_nest<"doubled">(C[i][j] = 2 * X.with_row_stride()[i][j]);
    attune::matrix_view<float const> const tall(a.data(), 3, 2);
    std::vector<float> six(6);
    CHECK(what(doubled, tall, std::span<float>(six), 3, 2) == "");
    CHECK(what(doubled, tall, std::span<float>(six), 2, 3) ==
          "an array of program 'doubled' has another size than declared: the call gives X 3, its "
          "extents need 2");

    constexpr auto x = array<"x", float, K>();
    constexpr auto y = array<"y", float, M>();
    constexpr auto shift = declare_nest<"shift">(y[i] = x[i + 2]);
    CHECK(what(shift, in, std::span<float>(c), 6L, 4) == "");
    CHECK(what(shift, in.first(5), std::span<float>(c), 5L, 4) ==
          "an index of program 'shift' leaves its array: index 1 of x reaches 5, and its extent is "
          "5");
}

namespace {

/// Numbers that differ by seed, at compile time.
template <unsigned Seed>
[[nodiscard]] constexpr int drawn(unsigned which, int from, int to)
{
    std::uint64_t state = Seed * 0x9e3779b97f4a7c15ULL + which * 0xbf58476d1ce4e5b9ULL + 1;
    for (int round = 0; round < 3; ++round) {
        state ^= state >> 29;
        state *= 0x94d049bb133111ebULL;
    }
    return from + static_cast<int>((state >> 33) % static_cast<unsigned>(to - from + 1));
}

/// A window over two dimensions with random extents, strides, dilation, padding and statement.
template <unsigned Seed, class T>
[[nodiscard]] std::string random_program()
{
    constexpr auto draw = [](unsigned which, int from, int to) {
        return drawn<Seed>(which, from, to);
    };
    constexpr int rows = draw(0, 1, 5);
    constexpr int columns = draw(1, 1, 9);
    constexpr int taps = draw(2, 1, 3);
    constexpr int step = draw(3, 1, 3);
    constexpr int dilation = draw(4, 1, 2);
    constexpr int pad = draw(5, 0, 2);
    constexpr int length = step * (columns - 1) + dilation * (taps - 1) + 1;
    constexpr auto in = array<"in", T, M, length>();
    constexpr auto weights = array<"weights", T, taps, columns>();
    constexpr auto out = array<"out", T, rows, columns>();
    constexpr auto place = array<"place", std::int32_t, rows>();
    constexpr auto held = temporary<"held", T, rows, columns>();
    constexpr auto h = axis<"h">();
    constexpr auto w = axis<"w">();
    constexpr auto tap = axis<"tap", taps>();
    constexpr auto window = in[h + pad][step * w + dilation * tap];
    constexpr auto around = padded(in)[2 * h - pad][step * w + dilation * tap - pad];
    constexpr int form = draw(6, 0, 4);
    std::vector<std::int64_t> const inputs{rows + pad + drawn<Seed>(7, 0, 3)};
    if constexpr (form == 0)
        return nest_difference(declare_nest<"p">(out[h][w] += window * weights[tap][w]), inputs,
                               Seed);
    else if constexpr (form == 1)
        return nest_difference(declare_nest<"p">(held[h][w] = sum(tap)(around * weights[tap][w]),
                                                 out[h][w] = max(held[h][columns - 1 - w], 0) + h),
                               inputs, Seed);
    else if constexpr (form == 2)
        return nest_difference(
            declare_nest<"p">(out[h][w] = attune::max(tap)(around) - attune::min(tap)(window)),
            inputs, Seed);
    else if constexpr (form == 3)
        return nest_difference(
            declare_nest<"p">(held[h][w] = product(tap)(window), place[h] = argmax(w)(held[h][w]),
                              out[h][w] = select(w <= h, held[h][w], -weights[taps - 1][w])),
            inputs, Seed);
    else
        return nest_difference(declare_nest<"p">(out[h][w] -= around), inputs, Seed);
}

template <class T, unsigned... Seed>
void random_programs(std::integer_sequence<unsigned, Seed...>)
{
    (
        [] {
            CAPTURE(Seed);
            CHECK(random_program<Seed, T>() == "");
        }(),
        ...);
}

} // namespace

TEST_CASE_TEMPLATE("random programs give what their descriptions mean", T, float, std::int16_t)
{
    random_programs<T>(std::make_integer_sequence<unsigned, 12>{});
}

TEST_CASE("programs of one type have a function each, by their numbers")
{
    constexpr auto w = axis<"w", 3>();
    constexpr auto V = array<"V", float, N>();
    constexpr auto W = array<"W", float, N>();
    constexpr auto twice = declare_nest<"p">(W[i] = V[i] * 2.0f);
    constexpr auto thrice = declare_nest<"p">(W[i] = V[i] * 3.0f);
    constexpr auto left = declare_nest<"p">(W[i] = sum(w)(padded(V)[i + w - 1]));
    constexpr auto right = declare_nest<"p">(W[i] = sum(w)(padded(V)[i + w - 2]));
    auto const of = [](auto const& program) {
        return attune::detail::plain_function<std::remove_cvref_t<decltype(program)>>::of(program);
    };
    std::vector<float> const v{1, 2, 4};
    std::vector<float> out(3);
    CHECK((of(twice) == of(twice)));
    of(twice)(v, out, 3);
    CHECK(out == std::vector<float>{2, 4, 8});
    of(thrice)(v, out, 3);
    CHECK(out == std::vector<float>{3, 6, 12});
    of(left)(v, out, 3);
    CHECK(out == std::vector<float>{3, 7, 6});
    of(right)(v, out, 3);
    CHECK(out == std::vector<float>{1, 3, 7});
    of(thrice)(v, out, 3);
    CHECK(out == std::vector<float>{3, 6, 12});
}

TEST_CASE("arrays overlap where they share a byte")
{
    using attune::detail::do_overlap;
    using attune::detail::nest_memory;
    nest_memory const whole{1000, 1, 400, 400};
    CHECK(do_overlap(whole, whole));
    CHECK(do_overlap(whole, {1399, 1, 4, 4}));
    CHECK_FALSE(do_overlap(whole, {1400, 1, 4, 4}));
    CHECK_FALSE(do_overlap({996, 1, 4, 4}, whole));
    CHECK_FALSE(do_overlap(whole, {1100, 1, 0, 0}));
    CHECK_FALSE(do_overlap(whole, {}));
    nest_memory const left{1000, 4, 40, 100}; // columns 0 to 9 of 25
    CHECK_FALSE(do_overlap(left, {1040, 4, 60, 100}));
    CHECK_FALSE(do_overlap({1240, 2, 60, 100}, left));
    CHECK(do_overlap(left, {1036, 4, 60, 100}));
    CHECK(do_overlap(left, {1040, 4, 64, 100})); // around the end of a row
    CHECK(do_overlap(left, whole));
}

TEST_CASE("a prefix of a longer array is read where it is declared, by a number or an input")
{
    constexpr auto L = input<"L", int>();
    constexpr auto wide = array<"wide", float, 9>();
    constexpr auto any = array<"any", float, L>();
    constexpr auto out = array<"out", float, M, 4>();
    constexpr auto p = declare_nest<"p">(out[i][j] = wide[attune::prefix(j, 4)] +
                                                     any[attune::prefix(i, M)] + wide[j + 5]);
    std::vector<float> const w = some(9);
    std::vector<float> const a = some(11);
    std::vector<float> got(12);
    p(std::span(w), std::span(a), std::span(got), 11, 3);
    for (std::size_t y = 0; y < 3; ++y)
        for (std::size_t x = 0; x < 4; ++x)
            CHECK(got[4 * y + x] == w[x] + a[y] + w[x + 5]);
    std::vector<float> const few = some(2);
    CHECK_THROWS_AS(p(std::span(w), std::span(few), std::span(got), 2, 3), attune::error);
}
