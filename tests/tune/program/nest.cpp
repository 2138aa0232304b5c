// tests/tune/program/nest.cpp - tuned programs beside loops by hand.
// SPDX-License-Identifier: MIT
#include <attune/tune/program/nest.hpp>

#include <attune/compile/clang.hpp>
#include <attune/core/matrix_view.hpp>
#include <attune/tune/tuned.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../../support/program_data.hpp"

using attune::array;
using attune::axis;
using attune::input;
using attune::padded;
using attune::sum;
using attune::temporary;
using support::check_close;
using support::few;
using support::some;

namespace {

constexpr auto M = input<"M", int>();
constexpr auto N = input<"N", int>();
constexpr auto K = input<"K", int>();
auto const [i, j, k] = attune::axes<"i", "j", "k">();

/// c += a b, rows of `row` numbers, the sums in double.
void multiply_by_hand(std::vector<float> const& a, std::vector<float> const& b,
                      std::vector<float>& c, std::size_t m, std::size_t n, std::size_t inner,
                      std::size_t row_of_a, std::size_t row_of_c)
{
    for (std::size_t y = 0; y < m; ++y)
        for (std::size_t x = 0; x < n; ++x) {
            double total = static_cast<double>(c[y * row_of_c + x]);
            for (std::size_t z = 0; z < inner; ++z)
                total +=
                    static_cast<double>(a[y * row_of_a + z]) * static_cast<double>(b[z * n + x]);
            c[y * row_of_c + x] = static_cast<float>(total);
        }
}

} // namespace

TEST_CASE("a matrix product of constant extents")
{
    constexpr auto A = array<"A", float, 33, 20>();
    constexpr auto B = array<"B", float, 20, 48>();
    constexpr auto C = array<"C", float, 33, 48>();
    constexpr auto gemm = attune::nest<"gemm">(C[i][j] += A[i][k] * B[k][j]);
    std::vector<float> const a = some(33 * 20);
    std::vector<float> const b = some(20 * 48);
    std::vector<float> c = some(33 * 48);
    std::vector<float> want = c;
    std::vector<float> plain = c;
    attune::tuned fast{gemm.kernel(), attune::clang_compiler{}, few(4)};
    fast(a, b, c);
    multiply_by_hand(a, b, want, 33, 48, 20, 20, 48);
    check_close(c, want);
    gemm(a, b, plain);
    check_close(plain, want);
    CHECK(fast.report().how != attune::decision::served_fallback);
    CHECK(fast.report().evaluations >= 1);
}

TEST_CASE("rows with gaps: what lies between them stays")
{
    constexpr auto A = array<"A", float, M, K>().with_row_stride();
    constexpr auto B = array<"B", float, K, N>();
    constexpr auto C = array<"C", float, M, N>().with_row_stride();
    constexpr auto gemm = attune::nest<"strided">(C[i][j] += A[i][k] * B[k][j]);
    std::vector<float> const a = some(19 * 30);
    std::vector<float> const b = some(21 * 34);
    std::vector<float> c = some(19 * 50);
    std::vector<float> want = c;
    multiply_by_hand(a, b, want, 19, 34, 21, 30, 50);
    attune::tuned fast{gemm.kernel(), attune::clang_compiler{}, few(4)};
    for (int call = 0; call < 2; ++call) {
        std::vector<float> of = c;
        fast(attune::matrix_view<float const>(a.data(), 19, 21, 30), b,
             attune::matrix_view<float>(of.data(), 19, 34, 50), 19, 21, 34);
        check_close(of, want);
    }
}

TEST_CASE("one variant is right for all extents that are inputs")
{
    constexpr auto A = array<"A", float, M, K>();
    constexpr auto B = array<"B", float, K, N>();
    constexpr auto C = array<"C", float, M, N>();
    constexpr auto gemm = attune::nest<"any_size">(C[i][j] = sum(k)(A[i][k] * B[k][j]))
                              .with_arguments(M, N, K, A, B, C);
    attune::program_options options;
    options.tune_each_size = false;
    attune::kernel const kernel = gemm.kernel(options);
    CHECK(kernel.describe().inputs.empty());
    CHECK(gemm.kernel().describe().inputs.size() == 3);
    int tunings = 0;
    attune::tuning_options tuning = few(4);
    tuning.progress = [&](attune::progress const& p) {
        if (p.event == attune::progress_event::started) ++tunings;
    };
    attune::tuned fast{kernel, attune::clang_compiler{}, tuning};
    for (auto const& [m, n, inner] :
         {std::array{80, 128, 64}, std::array{1, 1, 1}, std::array{17, 3, 65},
          std::array{2, 130, 1}, std::array{0, 5, 3}, std::array{5, 4, 0}}) {
        auto const rows = static_cast<std::size_t>(m);
        auto const columns = static_cast<std::size_t>(n);
        auto const depth = static_cast<std::size_t>(inner);
        std::vector<float> const a = some(rows * depth);
        std::vector<float> const b = some(depth * columns);
        std::vector<float> c(rows * columns, 7.0f);
        std::vector<float> want(rows * columns);
        fast(m, n, inner, a, b, c);
        multiply_by_hand(a, b, want, rows, columns, depth, depth, columns);
        check_close(c, want);
    }
    CHECK(tunings == 1);
}

TEST_CASE("a convolution with its padding, bias and relu")
{
    constexpr std::size_t side = 12, channels = 5, filters = 9;
    constexpr auto x = array<"x", float, 12, 12, 5>();
    constexpr auto w = array<"w", float, 3, 3, 5, 9>();
    constexpr auto b = array<"b", float, 9>();
    constexpr auto y = array<"y", float, 12, 12, 9>();
    constexpr auto h = axis<"h">();
    constexpr auto v = axis<"v">();
    constexpr auto f = axis<"f">();
    constexpr auto c = axis<"c">();
    constexpr auto r = axis<"r", 3>();
    constexpr auto s = axis<"s", 3>();
    constexpr auto conv = attune::nest<"conv">(
        y[h][v][f] =
            max(sum(r, s, c)(padded(x)[h + r - 1][v + s - 1][c] * w[r][s][c][f]) + b[f], 0.0f));
    std::vector<float> const image = some(side * side * channels);
    std::vector<float> const weights = some(9 * channels * filters);
    std::vector<float> const bias = some(filters);
    std::vector<float> out(side * side * filters);
    std::vector<float> want(out.size());
    for (std::size_t at = 0; at < want.size(); ++at) {
        std::size_t const filter = at % filters;
        auto const column = static_cast<int>(at / filters % side);
        auto const row = static_cast<int>(at / filters / side);
        float total = bias[filter];
        for (int dy = 0; dy < 3; ++dy)
            for (int dx = 0; dx < 3; ++dx) {
                int const from_y = row + dy - 1;
                int const from_x = column + dx - 1;
                if (from_y < 0 || from_x < 0 || from_y >= 12 || from_x >= 12) continue;
                for (std::size_t of = 0; of < channels; ++of)
                    total +=
                        image[(static_cast<std::size_t>(from_y) * side +
                               static_cast<std::size_t>(from_x)) *
                                  channels +
                              of] *
                        weights[(static_cast<std::size_t>(dy * 3 + dx) * channels + of) * filters +
                                filter];
            }
        want[at] = std::max(total, 0.0f);
    }
    attune::tuned fast{conv.kernel(), attune::clang_compiler{}, few()};
    fast(image, weights, bias, out);
    check_close(out, want);
}

TEST_CASE("softmax, and the norm of layers")
{
    constexpr auto X = array<"X", float, 14, 75>();
    constexpr auto Y = array<"Y", float, 14, 75>();
    constexpr auto top = temporary<"top", float, 14>();
    constexpr auto e = temporary<"e", float, 14, 75>();
    constexpr auto total = temporary<"total", float, 14>();
    constexpr auto softmax =
        attune::nest<"softmax">(top[i] = attune::max(j)(X[i][j]), e[i][j] = exp(X[i][j] - top[i]),
                                total[i] = sum(j)(e[i][j]), Y[i][j] = e[i][j] / total[i]);
    constexpr auto mean = temporary<"mean", float, 14>();
    constexpr auto spread = temporary<"spread", float, 14>();
    constexpr auto square = [](auto of) { return of * of; };
    constexpr auto norm =
        attune::nest<"norm">(mean[i] = sum(j)(X[i][j]) / 75.0f,
                             spread[i] = sqrt(sum(j)(square(X[i][j] - mean[i])) / 75.0f + 1e-5f),
                             Y[i][j] = (X[i][j] - mean[i]) / spread[i]);
    std::vector<float> const x = some(14 * 75);
    std::vector<float> y(x.size());
    std::vector<float> of_softmax(x.size());
    std::vector<float> of_norm(x.size());
    for (std::size_t row = 0; row < 14; ++row) {
        float const* const in = x.data() + row * 75;
        double largest = -1e9, sums = 0, middle = 0, around = 0;
        for (std::size_t at = 0; at < 75; ++at) {
            largest = std::max(largest, static_cast<double>(in[at]));
            middle += static_cast<double>(in[at]) / 75;
        }
        for (std::size_t at = 0; at < 75; ++at) {
            sums += std::exp(static_cast<double>(in[at]) - largest);
            around += std::pow(static_cast<double>(in[at]) - middle, 2) / 75;
        }
        for (std::size_t at = 0; at < 75; ++at) {
            auto const value = static_cast<double>(in[at]);
            of_softmax[row * 75 + at] = static_cast<float>(std::exp(value - largest) / sums);
            of_norm[row * 75 + at] =
                static_cast<float>((value - middle) / std::sqrt(around + 1e-5));
        }
    }
    attune::tuned fast_softmax{softmax.kernel(), attune::clang_compiler{}, few()};
    fast_softmax(x, y);
    check_close(y, of_softmax);
    attune::tuned fast_norm{norm.kernel(), attune::clang_compiler{}, few()};
    fast_norm(x, y);
    check_close(y, of_norm);
}

TEST_CASE("batches of int8 with sums in int32 are exact, and argmax is the first of several")
{
    constexpr auto l = axis<"l">();
    constexpr auto A = array<"A", std::int8_t, 3, 10, 17>();
    constexpr auto B = array<"B", std::int8_t, 3, 17, 22>();
    constexpr auto C = array<"C", std::int32_t, 3, 10, 22>();
    constexpr auto best = array<"best", std::int32_t, 3, 10>();
    constexpr auto products =
        attune::nest<"products">(C[l][i][j] = sum(k)(A[l][i][k] * B[l][k][j]));
    constexpr auto places = attune::nest<"places">(best[l][i] = attune::argmax(j)(C[l][i][j]));
    std::vector<std::int8_t> a(3 * 10 * 17), b(3 * 17 * 22);
    for (std::size_t at = 0; at < a.size(); ++at)
        a[at] = static_cast<std::int8_t>(static_cast<int>(at * 37 % 255) - 127);
    for (std::size_t at = 0; at < b.size(); ++at)
        b[at] = static_cast<std::int8_t>(static_cast<int>(at * 53 % 255) - 127);
    std::vector<std::int32_t> c(3 * 10 * 22), want(c.size()), found(30), first(30);
    for (std::size_t at = 0; at < want.size(); ++at)
        for (std::size_t z = 0; z < 17; ++z)
            want[at] += a[at / 22 * 17 + z] * b[(at / 220 * 17 + z) * 22 + at % 22];
    attune::tuned multiply{products.kernel(), attune::clang_compiler{}, few()};
    multiply(a, b, c);
    CHECK(c == want);
    c[5] = c[7] = c[21] = 1 << 24; // the first of three
    for (std::size_t row = 0; row < 30; ++row)
        first[row] = static_cast<std::int32_t>(
            std::max_element(c.begin() + static_cast<std::ptrdiff_t>(row * 22),
                             c.begin() + static_cast<std::ptrdiff_t>(row * 22 + 22)) -
            (c.begin() + static_cast<std::ptrdiff_t>(row * 22)));
    attune::tuned look{places.kernel(), attune::clang_compiler{}, few()};
    look(c, found);
    CHECK(found == first);
    CHECK(found[0] == 5);
}

TEST_CASE("programs of a single element, and rules and processors of the user's own")
{
    constexpr auto x = array<"x", float, 1>();
    constexpr auto y = array<"y", float, 1, 1>();
    constexpr auto one = attune::nest<"one">(y[i][j] = 2.0f * x[j]);
    std::vector<float> const from{3};
    std::vector<float> to(1);
    attune::tuned fast{one.kernel(), attune::clang_compiler{}, few()};
    fast(from, to);
    CHECK(to[0] == 6.0f);

    constexpr auto A = array<"A", float, 20, 30>();
    constexpr auto t = array<"t", float, 20>();
    constexpr auto rows = attune::nest<"rows">(t[i] += A[i][j]);
    attune::program_options options;
    options.processor = attune::processor_shape{.vector_bytes = 16, .cores = 2};
    options.rules.push_back(
        {"as_stated", [](attune::rule_subject const&) { return true; },
         [](attune::rule_subject const&, attune::space_builder& space) {
             space.tile("SHARE", 20, 2); // has no default
         },
         [](attune::rule_subject const&, attune::schedule_choices const&,
            attune::traced_program& p) { p.apply(attune::schedule_action::parallelize, {0}); }});
    std::vector<float> const a(600, 0.5f);
    std::vector<float> sums(20, 1.0f);
    attune::tuned total{rows.kernel(options), attune::clang_compiler{}, few()};
    total(a, sums);
    CHECK(sums == std::vector<float>(20, 16.0f));
    attune::kernel_description const made = rows.kernel(options).describe();
    CHECK(made.source.flags == std::vector<std::string>{"-Wno-psabi", "-fopenmp"});
    CHECK(made.source.text.find("as_stated") != std::string::npos);
    CHECK(made.source.text != rows.kernel().describe().source.text);
}
