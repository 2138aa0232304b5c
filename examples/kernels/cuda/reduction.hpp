// examples/kernels/cuda/reduction.hpp - the sum of many numbers on a GPU.
// SPDX-License-Identifier: MIT
//
// Parameters   M. Harris, "Optimizing parallel reduction in CUDA", NVIDIA 2007 (block size, tree,
//              items per thread); J. Luitjens, "Faster parallel reductions on Kepler", 2014
//              (shuffles, vectors); the last block adds up as in the CUDA sample
//              threadFenceReduction.
#pragma once

#include <attune/attune.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "../support/dense.hpp"

namespace kernels::cuda {

struct reduction {
    static constexpr char const* name = "reduction";
    static constexpr int usual_size = 1 << 26;
    static constexpr int tested_size = 40004;
    static constexpr double tolerance = 0;
    static constexpr int most_blocks = 8192;

    static constexpr auto n = attune::input<"N", int>();
    static constexpr auto block_x = attune::ordinal<"BLOCK_X">(attune::powers_of_two(32, 1024));
    static constexpr auto vec = attune::ordinal<"VEC">(attune::powers_of_two(1, 4));
    static constexpr auto items = attune::ordinal<"ITEMS">(attune::powers_of_two(1, 16));
    static constexpr auto by_shuffles = attune::boolean<"BY_SHUFFLES">();
    static constexpr auto split_sums = attune::boolean<"SPLIT_SUMS">();
    static constexpr auto blocks =
        attune::ordinal<"BLOCKS">(attune::powers_of_two(16, most_blocks));
    static constexpr auto space =
        attune::space(block_x, vec, items, by_shuffles, split_sums, blocks)
            .where(n % vec == 0, vec* items <= 32, !split_sums || items > 1);
    using config = decltype(space)::config_type;
    using signature = void(std::span<float const>, std::span<float>, std::span<float>, int);

    explicit reduction(int count = usual_size)
        : size(count)
    {
        // 1, 2, 3 or 4. Not negative: a sum of absolute values is the same. Not 0, and whole: in a
        // float the sum of tested_size of them is exact in any order, and none can be left out.
        for (float& v : x)
            v = 1.0f + std::floor(3.999f * (v + 0.5f));
    }

    int size;
    std::vector<float> x = random_numbers(static_cast<std::size_t>(size), 1);
    std::vector<float> sums = std::vector<float>(most_blocks);
    std::vector<float> out = std::vector<float>(1);

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        attune::kernel<signature> k{name, attune::source_file("reduction.kernel.cu"), space};
        k.bind<3>(n).grid(blocks).block(block_x).tolerate<1>(attune::any_value); // scratch
        return k;
    }
    void call(auto&& run) { run(x, sums, out, size); }
    [[nodiscard]] std::span<float const> result() const { return out; }
    [[nodiscard]] std::vector<double> expected() const
    {
        double sum = 0;
        for (float const v : x)
            sum += static_cast<double>(v);
        return {sum};
    }
    [[nodiscard]] static std::optional<config> expert()
    {
        return config{256, 4, 4, true, false, 1024};
    }
    [[nodiscard]] static char const* library() { return "cuBLAS cublasSasum"; }
};

} // namespace kernels::cuda
