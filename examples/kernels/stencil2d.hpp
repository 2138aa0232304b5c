// examples/kernels/stencil2d.hpp - a sweep of the five-point stencil.
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

struct stencil2d {
    static constexpr char const* name = "stencil2d";

    static constexpr auto tile_x = attune::ordinal<"TILE_X">(attune::powers_of_two(32, 4096));
    static constexpr auto tile_y = attune::ordinal<"TILE_Y">(attune::powers_of_two(1, 256));
    static constexpr auto rows = attune::ordinal<"ROWS">(attune::values(1, 2, 4, 8));
    static constexpr auto prefetch = attune::ordinal<"PREFETCH">(attune::values(0, 1, 2, 4, 8));
    static constexpr auto by_column = attune::boolean<"BY_COLUMN">();
    static constexpr auto space =
        attune::space(tile_x, tile_y, rows, prefetch, by_column).where(tile_y % rows == 0);
    using config = decltype(space)::config_type;
    using signature = void(std::span<float const>, std::span<float>, int, int);

    int height = 1500;
    int width = 2000;
    std::vector<float> in = random_numbers(area(height, width), 1);
    std::vector<float> out = in;

    /// Four sums and a product for each element inside; the frame is not written.
    static constexpr auto cost = [](auto const& in, auto const&, double height, double width) {
        double const inside = (height - 2) * (width - 2);
        return attune::work{.flops = 5.0 * inside, .bytes = bytes_of(in) + 4.0 * inside};
    };

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        return attune::kernel<signature>{name, attune::source_file("stencil2d.kernel.cpp"), space}
            .work(cost);
    }
    void call(auto&& run) { run(in, out, height, width); }
    [[nodiscard]] std::span<float const> result() const { return out; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> all(in.begin(), in.end());
        auto const at = [&](int y, int x) {
            return static_cast<double>(in[area(y, width) + static_cast<std::size_t>(x)]);
        };
        for (int y = 1; y + 1 < height; ++y)
            for (int x = 1; x + 1 < width; ++x)
                all[area(y, width) + static_cast<std::size_t>(x)] =
                    0.2 * (at(y, x) + at(y, x - 1) + at(y, x + 1) + at(y - 1, x) + at(y + 1, x));
        return all;
    }
    /// Three rows stay in cache by themselves, so that tiles are not needed (Rivera and Tseng
    /// 2000); rows are jammed, and share what they load (Callahan, Cocke and Kennedy 1988).
    [[nodiscard]] static std::optional<config> expert() { return config{4096, 256, 4, 0, false}; }
};

} // namespace kernels
