// examples/kernels/batched_gemm.hpp - many products of small matrices.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/dense.hpp"

namespace kernels {

struct batched_gemm {
    static constexpr char const* name = "batched_gemm";

    static constexpr auto rows = attune::ordinal<"ROWS">(attune::values(1, 2, 4, 8, 16));
    static constexpr auto columns = attune::ordinal<"COLUMNS">(attune::values(4, 8, 16, 32));
    static constexpr auto fixed = attune::boolean<"FIXED">();
    static constexpr auto local = attune::boolean<"LOCAL">();
    static constexpr auto space =
        attune::space(rows, columns, fixed, local).where(rows * columns <= 256);
    using config = decltype(space)::config_type;
    using signature = void(std::span<float const>, std::span<float const>, std::span<float>, int,
                           int);

    int n = 16;
    int count = 4000;
    std::vector<float> a = random_numbers(area(n * n, count), 1);
    std::vector<float> b = random_numbers(area(n * n, count), 2);
    std::vector<float> c = std::vector<float>(area(n * n, count));

    /// A product and a sum for each n of count n x n elements. For each step along k a block of
    /// ROWS x COLUMNS loads a row of B and a column of A; without LOCAL also C, but for the first
    /// step, and its rows lie apart, so that a vector is no longer than one.
    static constexpr auto cost = [](attune::configuration_view const& at, auto const& a,
                                    auto const& b, auto const& c, double n, double count) {
        double const products = n * n * n * count;
        double const of_c = at[local] ? 0 : 1 - 1 / n;
        int const sums = at[columns] * (at[local] ? at[rows] : 1);
        return attune::work{.flops = 2.0 * products,
                            .bytes = bytes_of(a, b, c),
                            .threads = 1,
                            .sums = products,
                            .sum_bytes = vector_of(sums),
                            .loads = 4 * products * (1.0 / at[rows] + 4.0 / at[columns] + of_c),
                            .load_bytes = vector_of(at[columns])};
    };

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        return attune::kernel<signature>{name, attune::source_file("batched_gemm.kernel.cpp"),
                                         space}
            .work(cost);
    }
    void call(auto&& run) { run(a, b, c, n, count); }
    [[nodiscard]] std::span<float const> result() const { return c; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> out(c.size());
        std::size_t const m = static_cast<std::size_t>(n);
        for (std::size_t base = 0; base < c.size(); base += m * m)
            for (std::size_t i = 0; i < m; ++i)
                for (std::size_t k = 0; k < m; ++k)
                    for (std::size_t j = 0; j < m; ++j)
                        out[base + i * m + j] += static_cast<double>(a[base + i * m + k]) *
                                                 static_cast<double>(b[base + k * m + j]);
        return out;
    }
    /// Whole rows of a result in registers, code for that size, nothing packed (Heinecke et al.
    /// 2016).
    [[nodiscard]] static std::optional<config> expert() { return config{8, 32, true, true}; }
};

} // namespace kernels
