// examples/kernels/sgemm.hpp - the matrix product of the first example, with the blocking that
// experts choose.
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

struct sgemm {
    static constexpr char const* name = "sgemm";

    static constexpr auto tile_m = attune::ordinal<"TILE_M">(attune::powers_of_two(8, 256));
    static constexpr auto tile_n = attune::ordinal<"TILE_N">(attune::powers_of_two(8, 64));
    static constexpr auto tile_k = attune::ordinal<"TILE_K">(attune::powers_of_two(8, 256));
    static constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 4, 8));
    static constexpr auto order = attune::permutation<"ORDER", 3>();
    // Clang keeps to 256-bit vectors on many processors that have wider ones.
    static constexpr auto flags = attune::flags<"FLAGS">("-O3", "-mprefer-vector-width=512");
    static constexpr auto space =
        attune::space(tile_m, tile_n, tile_k, unroll, order, flags)
            .where(4 * tile_n * tile_k <= 32 * 1024, tile_m % unroll == 0);
    using config = decltype(space)::config_type;
    using signature = void(std::span<float const>, std::span<float const>, std::span<float>, int);

    int n = 512;
    std::vector<float> a = random_numbers(area(n, n), 1);
    std::vector<float> b = random_numbers(area(n, n), 2);
    std::vector<float> c = std::vector<float>(area(n, n));

    /// A product and a sum for each n of n x n elements. A block of UNROLL x TILE_N sums loads its
    /// part of the packed tile of B, one element of A for each row and step, and, in each tile
    /// along k, C; packing loads B once for each tile of rows.
    static constexpr auto cost = [](attune::configuration_view const& at, auto const& a,
                                    auto const& b, auto const& c, double n) {
        double const of_b = 1.0 / at[unroll] + 1.0 / at[tile_m];
        double const of_others = 4.0 / at[tile_n] + 1.0 / at[tile_k];
        return attune::work{.flops = 2.0 * n * n * n,
                            .bytes = bytes_of(a, b, c),
                            .threads = 1,
                            .sums = n * n * n,
                            .sum_bytes = vector_of(at[unroll] * at[tile_n]),
                            .loads = 4.0 * n * n * n * (of_b + of_others),
                            .load_bytes = vector_of(at[tile_n])};
    };

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        return attune::kernel<signature>{"sgemm", attune::source_file("../sgemm.kernel.cpp"), space}
            .work(cost);
    }
    void call(auto&& run) { run(a, b, c, n); }
    [[nodiscard]] std::span<float const> result() const { return c; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> out(c.size());
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < n; ++k)
                for (int j = 0; j < n; ++j)
                    out[area(i, n) + static_cast<std::size_t>(j)] +=
                        static_cast<double>(a[area(i, n) + static_cast<std::size_t>(k)]) *
                        static_cast<double>(b[area(k, n) + static_cast<std::size_t>(j)]);
        return out;
    }
    /// The order of Goto and van de Geijn 2008: a panel of B stays in cache while rows of A pass.
    [[nodiscard]] static std::optional<config> expert()
    {
        return config{128, 32, 256, 8, {1, 2, 0}, "-mprefer-vector-width=512"};
    }
};

} // namespace kernels
