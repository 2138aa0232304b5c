// examples/kernels/harris.hpp - the Harris corner response of an image.
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

struct harris {
    static constexpr char const* name = "harris";

    static constexpr auto tile_x = attune::ordinal<"TILE_X">(attune::powers_of_two(16, 1024));
    static constexpr auto tile_y = attune::ordinal<"TILE_Y">(attune::powers_of_two(1, 128));
    static constexpr auto keep_products = attune::boolean<"KEEP_PRODUCTS">();
    static constexpr auto separable = attune::boolean<"SEPARABLE">();
    static constexpr auto columns = attune::ordinal<"COLUMNS">(attune::values(4, 8, 16, 32, 64));
    static constexpr auto space =
        attune::space(tile_x, tile_y, keep_products, separable, columns)
            .where(tile_x % columns == 0, 12 * (tile_x + 2) * (tile_y + 2) <= 256 * 1024);
    using config = decltype(space)::config_type;
    using signature = void(std::span<float const>, std::span<float>, int, int);

    int height = 600;
    int width = 800;
    std::vector<float> in = random_numbers(area(height, width), 1);
    std::vector<float> out = std::vector<float>(area(height - 4, width - 4));

    /// For each pixel but the frame 12 for two gradients and 3 for their products; for each
    /// response 12 for three sums of 3 x 3, by columns and then by rows, and 7 for itself. The code
    /// loads and adds nine values for each sum, in its order, COLUMNS responses at once, of two
    /// gradients or of three products.
    static constexpr auto cost = [](attune::configuration_view const& at, auto const& in,
                                    auto const& out, double height, double width) {
        return attune::work{.flops = 15.0 * (height - 2) * (width - 2) + 19.0 * count_of(out),
                            .bytes = bytes_of(in, out),
                            .threads = 1,
                            .sums = 27.0 * count_of(out),
                            .sum_bytes = vector_of(at[columns]),
                            .loads = (at[keep_products] ? 108.0 : 72.0) * count_of(out),
                            .load_bytes = vector_of(at[columns])};
    };

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        // The response is a small difference of large products.
        return attune::kernel<signature>{name, attune::source_file("harris.kernel.cpp"), space}
            .tolerate<1>({0, 1e-3})
            .work(cost);
    }
    void call(auto&& run) { run(in, out, height, width); }
    [[nodiscard]] std::span<float const> result() const { return out; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> all;
        all.reserve(out.size());
        auto const at = [&](int y, int x) {
            return static_cast<double>(in[area(y, width) + static_cast<std::size_t>(x)]);
        };
        for (int y = 2; y + 2 < height; ++y)
            for (int x = 2; x + 2 < width; ++x) {
                double xx = 0, xy = 0, yy = 0;
                for (int v = y - 1; v <= y + 1; ++v)
                    for (int u = x - 1; u <= x + 1; ++u) {
                        double const gx = at(v - 1, u + 1) - at(v - 1, u - 1) +
                                          2 * (at(v, u + 1) - at(v, u - 1)) + at(v + 1, u + 1) -
                                          at(v + 1, u - 1);
                        double const gy = at(v + 1, u - 1) - at(v - 1, u - 1) +
                                          2 * (at(v + 1, u) - at(v - 1, u)) + at(v + 1, u + 1) -
                                          at(v - 1, u + 1);
                        xx += gx * gx;
                        xy += gx * gy;
                        yy += gy * gy;
                    }
                all.push_back(xx * yy - xy * xy - 0.04 * (xx + yy) * (xx + yy));
            }
        return all;
    }
    /// Gradients of 32 rows, two vectors of 16 (Halide's own schedule, apps/harris; its strips are
    /// as wide as the image).
    [[nodiscard]] static std::optional<config> expert()
    {
        return config{512, 32, false, false, 32};
    }
};

} // namespace kernels
