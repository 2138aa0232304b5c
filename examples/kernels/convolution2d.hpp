// examples/kernels/convolution2d.hpp - a convolution with a filter of 7 x 7 taps.
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

struct convolution2d {
    static constexpr char const* name = "convolution2d";

    static constexpr auto tile_x = attune::ordinal<"TILE_X">(attune::powers_of_two(16, 1024));
    static constexpr auto tile_y = attune::ordinal<"TILE_Y">(attune::powers_of_two(1, 128));
    static constexpr auto columns = attune::ordinal<"COLUMNS">(attune::values(8, 16, 32, 64));
    static constexpr auto rows = attune::ordinal<"ROWS">(attune::values(1, 2, 4));
    static constexpr auto by_column = attune::boolean<"FILTER_BY_COLUMN">();
    static constexpr auto local = attune::boolean<"LOCAL_FILTER">();
    static constexpr auto space =
        attune::space(tile_x, tile_y, columns, rows, by_column, local)
            .where(tile_x % columns == 0, tile_y % rows == 0, rows* columns <= 128);
    using config = decltype(space)::config_type;
    using signature = void(std::span<float const>, std::span<float const>, std::span<float>, int,
                           int);

    static constexpr int extent = 7;
    int height = 500;
    int width = 700;
    std::vector<float> in = random_numbers(area(height, width), 1);
    std::vector<float> filter = random_numbers(area(extent, extent), 2);
    std::vector<float> out = std::vector<float>(area(height - extent + 1, width - extent + 1));

    /// A product and a sum for each tap of each result. A block of ROWS x COLUMNS results needs
    /// each tap and each pixel under it once, however the code loads them.
    static constexpr auto cost = [](attune::configuration_view const& at, auto const& in,
                                    auto const& filter, auto const& out, auto...) {
        double const taps = count_of(filter);
        double const blocks = count_of(out) / (at[rows] * at[columns]);
        double const pixels = (at[columns] + extent - 1.0) * (at[rows] + extent - 1.0);
        return attune::work{.flops = 2.0 * taps * count_of(out),
                            .bytes = bytes_of(in, filter, out),
                            .threads = 1,
                            .sums = taps * count_of(out),
                            .sum_bytes = vector_of(at[rows] * at[columns]),
                            .loads = blocks * 4 * (pixels + taps),
                            .load_bytes = vector_of(at[columns])};
    };

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        return attune::kernel<signature>{name, attune::source_file("convolution2d.kernel.cpp"),
                                         space}
            .work(cost);
    }
    void call(auto&& run) { run(in, filter, out, height, width); }
    [[nodiscard]] std::span<float const> result() const { return out; }
    [[nodiscard]] std::vector<double> expected() const
    {
        int const wide = width - extent + 1;
        std::vector<double> all(out.size());
        for (int y = 0; y + extent <= height; ++y)
            for (int x = 0; x < wide; ++x)
                for (int v = 0; v < extent; ++v)
                    for (int u = 0; u < extent; ++u)
                        all[area(y, wide) + static_cast<std::size_t>(x)] +=
                            static_cast<double>(filter[static_cast<std::size_t>(v * extent + u)]) *
                            static_cast<double>(
                                in[area(y + v, width) + static_cast<std::size_t>(x + u)]);
        return all;
    }
    /// Whole rows, by blocks of as many sums as hide the latency of multiply-adds: eight vectors of
    /// 16 (Low et al. 2016 Sec. 3, for products).
    [[nodiscard]] static std::optional<config> expert()
    {
        return config{1024, 128, 64, 2, false, true};
    }
};

} // namespace kernels
