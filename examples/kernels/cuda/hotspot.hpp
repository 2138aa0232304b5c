// examples/kernels/cuda/hotspot.hpp - the temperature of a chip over some steps of time.
// SPDX-License-Identifier: MIT
//
// Parameters   S. Che et al., "Rodinia: a benchmark suite for heterogeneous computing", IISWC 2009;
//              J. O. Torring et al., "Towards a benchmarking suite for kernel tuners (BAT)", iWAPT
//              2023: block_size, tile_size, temporal_tiling_factor, loop_unroll_factor_t, sh_power.
//              Their launch does temporal_tiling_factor steps; here every launch does all of them,
//              so the grid is cooperative and its size is a parameter.
#pragma once

#include <attune/attune.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "../support/dense.hpp"

namespace kernels::cuda {

struct hotspot {
    static constexpr char const* name = "hotspot";
    static constexpr int usual_size = 4096;
    static constexpr int tested_size = 77;
    static constexpr double tolerance = 1e-5;
    static constexpr int steps = 60;

    static constexpr auto n = attune::input<"N", int>();
    static constexpr auto block_x = attune::ordinal<"BLOCK_SIZE_X">(attune::powers_of_two(8, 256));
    static constexpr auto block_y = attune::ordinal<"BLOCK_SIZE_Y">(attune::powers_of_two(1, 32));
    static constexpr auto tile_x = attune::ordinal<"TILE_SIZE_X">(attune::range(1, 10, 1));
    static constexpr auto tile_y = attune::ordinal<"TILE_SIZE_Y">(attune::range(1, 10, 1));
    static constexpr auto fused =
        attune::ordinal<"TEMPORAL_TILING_FACTOR">(attune::values(1, 2, 3, 4, 5, 6, 10));
    static constexpr auto unroll =
        attune::ordinal<"LOOP_UNROLL_FACTOR_T">(attune::values(1, 2, 3, 4, 5, 6, 10));
    static constexpr auto shared_power = attune::boolean<"SH_POWER">();
    static constexpr auto blocks = attune::ordinal<"BLOCKS">(
        attune::values(64, 96, 128, 132, 192, 264, 396, 528, 792, 1056, 2112));
    static constexpr auto span_x = block_x * tile_x + 2 * fused;
    static constexpr auto span_y = block_y * tile_y + 2 * fused;
    static constexpr auto space =
        attune::space(block_x, block_y, tile_x, tile_y, fused, unroll, shared_power, blocks)
            .where(block_x * block_y >= 32, block_x* block_y <= 1024, fused % unroll == 0,
                   span_x* span_y* attune::select(shared_power, 12, 8) <= 48 * 1024);
    using config = decltype(space)::config_type;
    using signature = void(std::span<float const>, std::span<float const>, std::span<float>,
                           std::span<float>, int, int);

    explicit hotspot(int cells = usual_size)
        : size(cells)
    {
        for (float& v : first)
            v = 324.0f + 20.0f * v;
        for (float& v : power)
            v = 0.5f + v;
    }

    int size; ///< cells of a side
    std::vector<float> first = random_numbers(area(size, size), 1);
    std::vector<float> power = random_numbers(area(size, size), 2);
    std::vector<float> scratch = std::vector<float>(area(size, size));
    std::vector<float> last = std::vector<float>(area(size, size));

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        attune::kernel<signature> k{name, attune::source_file("hotspot.kernel.cu"), space};
        k.bind<4>(n)
            .grid(attune::min(blocks, attune::ceil_div(n, block_x * tile_x) *
                                          attune::ceil_div(n, block_y * tile_y)))
            .block(block_x, block_y)
            .cooperative()
            .tolerate<2>(attune::any_value); // scratch
        return k;
    }
    void call(auto&& run) { run(first, power, scratch, last, size, steps); }
    [[nodiscard]] std::span<float const> result() const { return last; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> now(first.begin(), first.end());
        std::vector<double> next(now.size());
        auto const at = [&](int y, int x) {
            return now[area(std::clamp(y, 0, size - 1), size) +
                       static_cast<std::size_t>(std::clamp(x, 0, size - 1))];
        };
        for (int step = 0; step < steps; ++step) {
            for (int y = 0; y < size; ++y)
                for (int x = 0; x < size; ++x) {
                    std::size_t const cell = area(y, size) + static_cast<std::size_t>(x);
                    double const here = now[cell];
                    next[cell] = here + 0.341333 * (static_cast<double>(power[cell]) +
                                                    (at(y + 1, x) + at(y - 1, x) - 2 * here) * 0.1 +
                                                    (at(y, x + 1) + at(y, x - 1) - 2 * here) * 0.1 +
                                                    (80 - here) * 0.0000128);
                }
            now.swap(next);
        }
        return now;
    }
    [[nodiscard]] static std::optional<config> expert() { return std::nullopt; }
    [[nodiscard]] static char const* library() { return ""; }
};

} // namespace kernels::cuda
