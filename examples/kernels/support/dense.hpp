// examples/kernels/support/dense.hpp - reproducible dense data, and how two results are compared.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace kernels {

/// `count` numbers, uniform in [-0.5, 0.5).
[[nodiscard]] inline std::vector<float> random_numbers(std::size_t count, std::uint64_t seed)
{
    attune::random_engine engine{seed};
    std::vector<float> out(count);
    for (float& v : out)
        v = static_cast<float>(attune::uniform_unit(engine)) - 0.5f;
    return out;
}

[[nodiscard]] constexpr std::size_t area(int rows, int columns)
{
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

/// Elements of an array, and bytes of several, as numbers that cannot overflow.
[[nodiscard]] double count_of(auto const& array) { return static_cast<double>(array.size()); }
[[nodiscard]] double bytes_of(auto const&... arrays)
{
    return (... + (count_of(arrays) * sizeof(arrays[0])));
}

/// Bytes of a vector of so many floats.
[[nodiscard]] constexpr unsigned vector_of(int floats)
{
    return 4U * static_cast<unsigned>(floats);
}

/// The first element in which two results differ by more than `relative` of the root mean square of
/// the expected ones, as text; empty when there is none.
[[nodiscard]] inline std::string
difference(std::span<float const> got, std::span<double const> expected, double relative = 1e-4)
{
    if (got.size() != expected.size()) return "results of different lengths";
    double squares = 0;
    for (double const v : expected)
        squares += v * v;
    double const allowed =
        relative * (std::sqrt(squares / static_cast<double>(expected.size())) + 1e-30);
    for (std::size_t i = 0; i < got.size(); ++i) {
        double const off = std::abs(static_cast<double>(got[i]) - expected[i]);
        if (off <= allowed + relative * std::abs(expected[i])) continue;
        char text[120];
        std::snprintf(text, sizeof text, "element %zu: got %g, expected %g", i,
                      static_cast<double>(got[i]), expected[i]);
        return text;
    }
    return {};
}

} // namespace kernels
