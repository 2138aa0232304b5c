// examples/kernels/cuda/transpose.hpp - rows become columns, on a GPU.
// SPDX-License-Identifier: MIT
//
// Parameters   G. Ruetsch, P. Micikevicius, "Optimizing matrix transpose in CUDA", NVIDIA 2009
//              (tile, rows of a block, padding, diagonal order); vectors and streaming loads are
//              ours.
#pragma once

#include <attune/attune.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "../support/dense.hpp"

namespace kernels::cuda {

struct transpose {
    static constexpr char const* name = "transpose";
    static constexpr int usual_size = 8192;
    static constexpr int tested_size = 148;
    static constexpr double tolerance = 0;

    static constexpr auto n = attune::input<"N", int>();
    static constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(8, 64));
    static constexpr auto rows = attune::ordinal<"ROWS">(attune::powers_of_two(1, 64));
    static constexpr auto vec = attune::ordinal<"VEC">(attune::powers_of_two(1, 4));
    static constexpr auto pad = attune::ordinal<"PAD">(attune::range(0, 4, 1));
    static constexpr auto diagonal = attune::boolean<"DIAGONAL">();
    static constexpr auto streaming = attune::boolean<"STREAMING">();
    static constexpr auto space =
        attune::space(tile, rows, vec, pad, diagonal, streaming)
            .where(n % vec == 0, rows <= tile, tile / vec * rows >= 32, tile / vec * rows <= 1024);
    using config = decltype(space)::config_type;
    using signature = void(std::span<float const>, std::span<float>, int);

    explicit transpose(int side = usual_size)
        : size(side)
    {
    }

    int size;
    std::vector<float> in = random_numbers(area(size, size), 1);
    std::vector<float> out = std::vector<float>(area(size, size));

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        attune::kernel<signature> k{name, attune::source_file("transpose.kernel.cu"), space};
        k.bind<2>(n)
            .grid(attune::ceil_div(n, tile), attune::ceil_div(n, tile))
            .block(tile / vec, rows);
        return k;
    }
    void call(auto&& run) { run(in, out, size); }
    [[nodiscard]] std::span<float const> result() const { return out; }
    [[nodiscard]] std::vector<double> expected() const
    {
        auto const side = static_cast<std::size_t>(size);
        std::vector<double> turned(out.size());
        for (std::size_t i = 0; i < side; ++i)
            for (std::size_t j = 0; j < side; ++j)
                turned[j * side + i] = static_cast<double>(in[i * side + j]);
        return turned;
    }
    /// The kernel at the end of Ruetsch and Micikevicius.
    [[nodiscard]] static std::optional<config> expert() { return config{32, 8, 1, 1, true, false}; }
    [[nodiscard]] static char const* library() { return "cuBLAS cublasSgeam"; }
};

} // namespace kernels::cuda
