// examples/kernels/cuda/point_in_polygon.hpp - which of many points lie inside of a polygon.
// SPDX-License-Identifier: MIT
//
// Parameters   R. Goncalves et al., "A spatial column-store to triangulate the Netherlands on the
//              fly", SIGSPATIAL 2016, as tuned in B. van Werkhoven, "Kernel Tuner", FGCS 90, 2019,
//              example pnpoly.cu: block_size_x, tile_size, between_method, use_method, slopes.
#pragma once

#include <attune/attune.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "../support/dense.hpp"

namespace kernels::cuda {

struct point_in_polygon {
    static constexpr char const* name = "point_in_polygon";
    static constexpr int usual_size = 20'000'000;
    static constexpr int tested_size = 3001;
    static constexpr double tolerance = 0;
    static constexpr int vertex_count = 600;

    static constexpr auto n = attune::input<"N", int>();
    static constexpr auto block_x = attune::ordinal<"BLOCK_SIZE_X">(attune::range(32, 1024, 32));
    static constexpr auto tile = attune::ordinal<"TILE_SIZE">(attune::range(1, 20, 1));
    static constexpr auto between_method = attune::categorical<"BETWEEN_METHOD">(0, 1, 2, 3);
    static constexpr auto use_method = attune::categorical<"USE_METHOD">(0, 1, 2);
    static constexpr auto stored_slopes = attune::boolean<"USE_PRECOMPUTED_SLOPES">();
    static constexpr auto staged = attune::boolean<"STAGED_VERTICES">();
    static constexpr auto unroll = attune::ordinal<"UNROLL">(attune::values(1, 2, 3, 4, 6, 8));
    static constexpr auto space =
        attune::space(block_x, tile, between_method, use_method, stored_slopes, staged, unroll);
    using config = decltype(space)::config_type;
    using signature = void(std::span<int>, std::span<float const>, std::span<float const>,
                           std::span<float const>, int);

    explicit point_in_polygon(int count = usual_size)
        : size(count)
    {
        // A star. No vertex is as high as a point: those are even multiples of a step, these odd.
        float const step = 1.0f / 65536;
        for (float& v : points)
            v = 2 * step * std::round(v / (2 * step));
        std::vector<float> const radii = random_numbers(vertex_count, 2);
        for (std::size_t k = 0; k < vertex_count; ++k) {
            double const angle = 2 * std::numbers::pi * static_cast<double>(k) / vertex_count;
            double const radius = 0.35 + 0.2 * static_cast<double>(radii[k]);
            auto const odd = [&](double v) {
                return step * (2 * std::floor(static_cast<float>(v) / (2 * step)) + 1);
            };
            vertices[2 * k] = odd(radius * std::cos(angle));
            vertices[2 * k + 1] = odd(radius * std::sin(angle));
        }
        for (std::size_t k = 0; k < vertex_count; ++k) {
            std::size_t const before = (k + vertex_count - 1) % vertex_count;
            slopes[k] = (vertices[2 * before] - vertices[2 * k]) /
                        (vertices[2 * before + 1] - vertices[2 * k + 1]);
        }
    }

    int size;
    std::vector<int> inside = std::vector<int>(static_cast<std::size_t>(size));
    std::vector<float> points = random_numbers(area(size, 2), 1);
    std::vector<float> vertices = std::vector<float>(2 * vertex_count);
    std::vector<float> slopes = std::vector<float>(vertex_count);

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        attune::kernel<signature> k{name, attune::source_file("point_in_polygon.kernel.cu"), space};
        k.bind<4>(n).grid(attune::ceil_div(n, block_x * tile)).block(block_x);
        return k;
    }
    void call(auto&& run) { run(inside, points, vertices, slopes, size); }
    [[nodiscard]] std::span<int const> result() const { return inside; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> out(inside.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            double const x = static_cast<double>(points[2 * i]);
            double const y = static_cast<double>(points[2 * i + 1]);
            bool is_inside = false;
            for (std::size_t k = 0, before = vertex_count - 1; k < vertex_count; before = k++) {
                auto const at = [&](std::size_t c) { return static_cast<double>(vertices[c]); };
                if ((at(2 * k + 1) > y) != (at(2 * before + 1) > y) &&
                    x < (at(2 * before) - at(2 * k)) * (y - at(2 * k + 1)) /
                                (at(2 * before + 1) - at(2 * k + 1)) +
                            at(2 * k))
                    is_inside = !is_inside;
            }
            out[i] = is_inside ? 1 : 0;
        }
        return out;
    }
    [[nodiscard]] static std::optional<config> expert() { return std::nullopt; }
    [[nodiscard]] static char const* library() { return ""; }
};

} // namespace kernels::cuda
