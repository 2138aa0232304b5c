// examples/kernels/cuda/convolution2d.hpp - a 17 x 17 filter over an image, on a GPU.
// SPDX-License-Identifier: MIT
//
// Parameters   B. van Werkhoven, "Kernel Tuner: a search-optimizing GPU code auto-tuner", FGCS 90,
//              2019, and its example convolution.cu (block_size, tile_size, use_padding,
//              read_only).
#pragma once

#include <attune/attune.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "../support/dense.hpp"

namespace kernels::cuda {

struct convolution2d {
    static constexpr char const* name = "convolution2d";
    static constexpr int usual_size = 4096;
    static constexpr int tested_size = 70;
    static constexpr double tolerance = 1e-5;
    static constexpr int filter_size = 17;

    static constexpr auto width = attune::input<"WIDTH", int>();
    static constexpr auto height = attune::input<"HEIGHT", int>();
    static constexpr auto block_x = attune::ordinal<"BLOCK_SIZE_X">(attune::range(16, 128, 16));
    static constexpr auto block_y = attune::ordinal<"BLOCK_SIZE_Y">(attune::powers_of_two(1, 32));
    static constexpr auto tile_x = attune::ordinal<"TILE_SIZE_X">(attune::range(1, 8, 1));
    static constexpr auto tile_y = attune::ordinal<"TILE_SIZE_Y">(attune::range(1, 8, 1));
    static constexpr auto use_padding = attune::boolean<"USE_PADDING">();
    static constexpr auto read_only = attune::boolean<"READ_ONLY">();
    static constexpr auto span_x = block_x * tile_x + (filter_size - 1);
    static constexpr auto span_y = block_y * tile_y + (filter_size - 1);
    static constexpr auto space =
        attune::space(block_x, block_y, tile_x, tile_y, use_padding, read_only)
            .where(block_x * block_y >= 32, block_x* block_y <= 1024,
                   !use_padding || block_x % 32 != 0, // else rows lie on all banks as they are
                   4 * (span_x + 1) * span_y + 4 * filter_size * filter_size <= 48 * 1024);
    using config = decltype(space)::config_type;
    using signature = void(std::span<float const>, std::span<float const>, std::span<float>, int,
                           int);

    explicit convolution2d(int pixels = usual_size)
        : size(pixels)
    {
    }

    int size; ///< pixels of a side of the result
    std::vector<float> image =
        random_numbers(area(size + filter_size - 1, size + filter_size - 1), 1);
    std::vector<float> filter = random_numbers(area(filter_size, filter_size), 2);
    std::vector<float> out = std::vector<float>(area(size, size));

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        attune::kernel<signature> k{name, attune::source_file("convolution2d.kernel.cu"), space};
        k.bind<3>(width)
            .bind<4>(height)
            .grid(attune::ceil_div(width, block_x * tile_x),
                  attune::ceil_div(height, block_y * tile_y))
            .block(block_x, block_y);
        return k;
    }
    void call(auto&& run) { run(image, filter, out, size, size); }
    [[nodiscard]] std::span<float const> result() const { return out; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> sums(out.size());
        auto const side = static_cast<std::size_t>(size);
        auto const taps = static_cast<std::size_t>(filter_size);
        for (std::size_t y = 0; y < side; ++y)
            for (std::size_t x = 0; x < side; ++x)
                for (std::size_t j = 0; j < taps; ++j)
                    for (std::size_t i = 0; i < taps; ++i)
                        sums[y * side + x] +=
                            static_cast<double>(image[(y + j) * (side + taps - 1) + x + i]) *
                            static_cast<double>(filter[j * taps + i]);
        return sums;
    }
    [[nodiscard]] static std::optional<config> expert() { return std::nullopt; }
    [[nodiscard]] static char const* library() { return ""; }
};

} // namespace kernels::cuda
