// examples/kernels/cuda/softmax.hpp - the softmax of every row of a matrix, on a GPU.
// SPDX-License-Identifier: MIT
//
// Parameters   M. Milakov, N. Gimelshein, "Online normalizer calculation for softmax",
//              arXiv:1805.02867, 2018 (one pass or two); threads and rows of a block, vectors and
//              the row in shared memory as in OneFlow's softmax kernels, 2021.
#pragma once

#include <attune/attune.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "../support/dense.hpp"

namespace kernels::cuda {

struct softmax {
    static constexpr char const* name = "softmax";
    static constexpr int usual_size = 16384;
    static constexpr int tested_size = 13;
    static constexpr double tolerance = 1e-5;

    static constexpr auto height = attune::input<"HEIGHT", int>();
    static constexpr auto width = attune::input<"WIDTH", int>();
    static constexpr auto threads = attune::ordinal<"THREADS">(attune::powers_of_two(32, 1024));
    static constexpr auto rows = attune::ordinal<"ROWS">(attune::powers_of_two(1, 32));
    static constexpr auto vec = attune::ordinal<"VEC">(attune::powers_of_two(1, 4));
    static constexpr auto online = attune::boolean<"ONLINE">();
    static constexpr auto kept = attune::boolean<"KEPT">();
    static constexpr auto fast_exp = attune::boolean<"FAST_EXP">();
    static constexpr auto unroll = attune::ordinal<"UNROLL">(attune::powers_of_two(1, 8));
    static constexpr auto space = attune::space(threads, rows, vec, online, kept, fast_exp, unroll)
                                      .where(width % vec == 0, threads* rows <= 1024);
    using config = decltype(space)::config_type;
    using signature = void(std::span<float const>, std::span<float>, int, int);

    explicit softmax(int matrix_rows = usual_size)
        : size(matrix_rows)
        , columns(matrix_rows >= usual_size ? 2048 : 300)
    {
        for (float& v : in)
            v *= 20.0f;
    }

    int size; ///< rows
    int columns;
    std::vector<float> in = random_numbers(area(size, columns), 1);
    std::vector<float> out = std::vector<float>(area(size, columns));

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        attune::kernel<signature> k{name, attune::source_file("softmax.kernel.cu"), space};
        k.bind<2>(height)
            .bind<3>(width)
            .grid(attune::ceil_div(height, rows))
            .block(threads, rows)
            .shared_bytes(attune::select(kept, 4 * rows * width, 0));
        return k;
    }
    void call(auto&& run) { run(in, out, size, columns); }
    [[nodiscard]] std::span<float const> result() const { return out; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> shares(out.size());
        auto const n = static_cast<std::size_t>(columns);
        for (std::size_t row = 0; row < static_cast<std::size_t>(size); ++row) {
            auto const* const x = in.data() + row * n;
            double const largest = static_cast<double>(*std::max_element(x, x + n));
            double sum = 0;
            for (std::size_t j = 0; j < n; ++j)
                sum += shares[row * n + j] = std::exp(static_cast<double>(x[j]) - largest);
            for (std::size_t j = 0; j < n; ++j)
                shares[row * n + j] /= sum;
        }
        return shares;
    }
    [[nodiscard]] static std::optional<config> expert() { return std::nullopt; }
    [[nodiscard]] static char const* library() { return ""; }
};

} // namespace kernels::cuda
