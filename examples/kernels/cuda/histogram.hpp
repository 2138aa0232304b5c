// examples/kernels/cuda/histogram.hpp - how often each of 256 numbers occurs, counted on a GPU.
// SPDX-License-Identifier: MIT
//
// Parameters   J. Gomez-Luna et al., "An optimized approach to histogram computation on GPU",
//              Machine Vision and Applications 24, 2013 (copies, their padding and layout);
//              V. Podlozhnyuk, "Histogram calculation in CUDA", NVIDIA 2007.
#pragma once

#include <attune/attune.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "../support/dense.hpp"

namespace kernels::cuda {

struct histogram {
    static constexpr char const* name = "histogram";
    static constexpr int usual_size = 1 << 26;
    static constexpr int tested_size = 30008;
    static constexpr double tolerance = 0;
    static constexpr int bins = 256;

    static constexpr auto n = attune::input<"N", int>();
    static constexpr auto block_x = attune::ordinal<"BLOCK_X">(attune::powers_of_two(32, 1024));
    static constexpr auto vec = attune::ordinal<"VEC">(attune::powers_of_two(1, 4));
    static constexpr auto items = attune::ordinal<"ITEMS">(attune::powers_of_two(1, 8));
    static constexpr auto copies = attune::ordinal<"COPIES">(attune::values(0, 1, 2, 4, 8, 16, 32));
    static constexpr auto by_copy = attune::boolean<"BY_COPY">();
    static constexpr auto pad = attune::ordinal<"PAD">(attune::values(0, 1));
    static constexpr auto merged = attune::boolean<"MERGED">();
    static constexpr auto blocks = attune::ordinal<"BLOCKS">(attune::powers_of_two(16, 4096));
    static constexpr auto space =
        attune::space(block_x, vec, items, copies, by_copy, pad, merged, blocks)
            .where(n % vec == 0,
                   copies > 0 || (by_copy && pad == 0), // else they mean nothing
                   4 * (bins + pad) * (copies + pad) <= 48 * 1024);
    using config = decltype(space)::config_type;
    using signature = void(std::span<int const>, std::span<int>, int);

    explicit histogram(int count = usual_size)
        : size(count)
    {
        // Most numbers are near the middle, as grey levels of a picture are.
        std::vector<float> const a = random_numbers(values.size(), 1);
        std::vector<float> const b = random_numbers(values.size(), 2);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<int>((a[i] + b[i] + 1.0f) * 127.9f);
    }

    int size;
    std::vector<int> values = std::vector<int>(static_cast<std::size_t>(size));
    std::vector<int> counts = std::vector<int>(bins);

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        attune::kernel<signature> k{name, attune::source_file("histogram.kernel.cu"), space};
        k.bind<2>(n).grid(blocks).block(block_x);
        return k;
    }
    void call(auto&& run) { run(values, counts, size); }
    [[nodiscard]] std::span<int const> result() const { return counts; }
    /// Of one call; more calls add to it.
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> out(bins);
        for (int const v : values)
            ++out[static_cast<std::size_t>(v)];
        return out;
    }
    [[nodiscard]] static std::optional<config> expert() { return std::nullopt; }
    [[nodiscard]] static char const* library() { return ""; }
};

} // namespace kernels::cuda
