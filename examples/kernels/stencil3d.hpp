// examples/kernels/stencil3d.hpp - a sweep of the seven-point stencil.
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

struct stencil3d {
    static constexpr char const* name = "stencil3d";

    static constexpr auto tile_x = attune::ordinal<"TILE_X">(attune::powers_of_two(16, 256));
    static constexpr auto tile_y = attune::ordinal<"TILE_Y">(attune::powers_of_two(1, 128));
    static constexpr auto tile_z = attune::ordinal<"TILE_Z">(attune::powers_of_two(1, 128));
    static constexpr auto rows = attune::ordinal<"ROWS">(attune::values(1, 2, 4));
    static constexpr auto order = attune::permutation<"ORDER", 3>();
    static constexpr auto space =
        attune::space(tile_x, tile_y, tile_z, rows, order).where(tile_y % rows == 0);
    using config = decltype(space)::config_type;
    using signature = void(std::span<float const>, std::span<float>, int);

    int n = 160;
    std::vector<float> in = random_numbers(area(n, n) * static_cast<std::size_t>(n), 1);
    std::vector<float> out = in;

    /// Six sums and two products for each element inside; the hull is not written.
    static constexpr auto cost = [](auto const& in, auto const&, double n) {
        double const inside = (n - 2) * (n - 2) * (n - 2);
        return attune::work{.flops = 8.0 * inside, .bytes = bytes_of(in) + 4.0 * inside};
    };

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        return attune::kernel<signature>{name, attune::source_file("stencil3d.kernel.cpp"), space}
            .work(cost);
    }
    void call(auto&& run) { run(in, out, n); }
    [[nodiscard]] std::span<float const> result() const { return out; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> all(in.begin(), in.end());
        auto const place = [&](int z, int y, int x) {
            return area(z * n + y, n) + static_cast<std::size_t>(x);
        };
        auto const at = [&](int z, int y, int x) {
            return static_cast<double>(in[place(z, y, x)]);
        };
        for (int z = 1; z + 1 < n; ++z)
            for (int y = 1; y + 1 < n; ++y)
                for (int x = 1; x + 1 < n; ++x)
                    all[place(z, y, x)] =
                        0.5 * at(z, y, x) +
                        0.08 * (at(z, y, x - 1) + at(z, y, x + 1) + at(z, y - 1, x) +
                                at(z, y + 1, x) + at(z - 1, y, x) + at(z + 1, y, x));
        return all;
    }
    /// Columns of tiles whose three planes stay in cache while the loop over planes runs, which is
    /// not tiled, and neither is the side where elements lie side by side (Rivera and Tseng 2000).
    [[nodiscard]] static std::optional<config> expert()
    {
        return config{256, 16, 128, 2, {1, 2, 0}};
    }
};

} // namespace kernels
