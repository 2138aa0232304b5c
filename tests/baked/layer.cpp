// tests/baked/layer.cpp - a release of a program whose text its store has; compares it with loops by hand.
// SPDX-License-Identifier: MIT
#include <attune/ship/baked.hpp>

#include <algorithm>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "layer.hpp"

namespace {

using namespace layer_data;
using type = void(std::span<float const>, std::span<float const>, std::span<float const>,
                  std::span<float>);

attune::baked<type> const layer{attune::baked_kernel<"layer">};

/// What serves, and how many elements are wrong.
void check(char const* what, std::span<float const> x, std::span<float const> w,
           std::span<float const> bias, std::span<float> y)
{
    std::vector<float> right;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            float sum = bias[j];
            for (std::size_t k = 0; k < inner; ++k)
                sum += x[i * inner + k] * w[k * columns + j];
            right.push_back(std::max(sum, 0.0f));
        }
    bool const is_plain = layer.explain(x, w, bias, y).is_default;
    layer(x, w, bias, y);
    std::printf("%s: %s, %s\n", what, is_plain ? "the plain nest" : "a variant",
                std::ranges::equal(right, y) ? "right" : "wrong");
}

} // namespace

int main()
{
    std::vector<float> const x = some(rows * inner + 1, 0);
    std::vector<float> const w = some(inner * columns + 3, 3);
    std::vector<float> const bias = some(columns, 5);
    std::vector<float> y(rows * columns + 2);
    auto const out = std::span(y);
    check("arrays", std::span(x).first(rows * inner), std::span(w).first(inner * columns), bias,
          out.first(rows * columns));
    check("elsewhere in a cache line", std::span(x).subspan(1), std::span(w).subspan(3), bias,
          out.last(rows * columns));
    // Each number of the bias is read for the last time before the result takes its place.
    auto const whole = out.first(rows * columns);
    std::copy(bias.begin(), bias.end(), whole.last(columns).begin());
    check("arrays that overlap", std::span(x).first(rows * inner),
          std::span(w).first(inner * columns), whole.last(columns), whole);
}
