// examples/kernels/cuda/sgemm.hpp - the matrix product on a GPU.
// SPDX-License-Identifier: MIT
//
// Parameters   C. Nugteren, "CLBlast: a tuned OpenCL BLAS library", IWOCL 2018 (MWG, NWG, KWG,
//              MDIMC, NDIMC, VWM), with the panels of A. Kerr et al., "CUTLASS: fast linear algebra
//              in CUDA C++", 2017. The default is the product of the CUDA C++ programming guide.
#pragma once

#include <attune/attune.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "../support/dense.hpp"

namespace kernels::cuda {

struct sgemm {
    static constexpr char const* name = "sgemm";
    static constexpr int usual_size = 4096;
    static constexpr int tested_size = 68;
    static constexpr double tolerance = 1e-5;

    static constexpr auto n = attune::input<"N", int>();
    static constexpr auto block_m = attune::ordinal<"BLOCK_M">(attune::powers_of_two(16, 256));
    static constexpr auto block_n = attune::ordinal<"BLOCK_N">(attune::powers_of_two(16, 256));
    static constexpr auto block_k = attune::ordinal<"BLOCK_K">(attune::powers_of_two(4, 32));
    static constexpr auto thread_m = attune::ordinal<"THREAD_M">(attune::powers_of_two(1, 16));
    static constexpr auto thread_n = attune::ordinal<"THREAD_N">(attune::powers_of_two(1, 16));
    static constexpr auto vec = attune::ordinal<"VEC">(attune::powers_of_two(1, 4));
    static constexpr auto stages = attune::ordinal<"STAGES">(attune::values(1, 2));
    static constexpr auto pad = attune::ordinal<"PAD">(attune::values(0, 4));
    static constexpr auto unroll = attune::ordinal<"UNROLL">(attune::powers_of_two(1, 32));
    static constexpr auto min_blocks = attune::ordinal<"MIN_BLOCKS">(attune::values(1, 2, 3));
    static constexpr auto threads = block_m / thread_m * (block_n / thread_n);
    static constexpr auto space =
        attune::space(block_m, block_n, block_k, thread_m, thread_n, vec, stages, pad, unroll,
                      min_blocks)
            .where(n % vec == 0, thread_m % vec == 0, thread_n % vec == 0, block_k % vec == 0,
                   block_k % unroll == 0, threads >= 32, threads* min_blocks <= 1024,
                   thread_m* thread_n <= 128, // registers
                   block_m* block_k % (threads * vec) == 0, block_n* block_k % (threads * vec) == 0,
                   4 * stages * block_k * (block_m + pad + block_n) <= 48 * 1024);
    using config = decltype(space)::config_type;
    using signature = void(std::span<float const>, std::span<float const>, std::span<float>, int);

    explicit sgemm(int rows = usual_size)
        : size(rows)
    {
    }

    int size;
    std::vector<float> a = random_numbers(area(size, size), 1);
    std::vector<float> b = random_numbers(area(size, size), 2);
    std::vector<float> c = std::vector<float>(area(size, size));

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        attune::kernel<signature> k{name, attune::source_file("sgemm.kernel.cu"), space};
        k.bind<3>(n)
            .grid(attune::ceil_div(n, block_n), attune::ceil_div(n, block_m))
            .block(threads);
        return k;
    }
    void call(auto&& run) { run(a, b, c, size); }
    [[nodiscard]] std::span<float const> result() const { return c; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> out(c.size());
        auto const n_ = static_cast<std::size_t>(size);
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t k = 0; k < n_; ++k)
                for (std::size_t j = 0; j < n_; ++j)
                    out[i * n_ + j] +=
                        static_cast<double>(a[i * n_ + k]) * static_cast<double>(b[k * n_ + j]);
        return out;
    }
    /// 128 x 128 x 8 by 256 threads with 8 x 8 each: CUTLASS's usual tile for fp32 without tensor
    /// cores.
    [[nodiscard]] static std::optional<config> expert()
    {
        return config{128, 128, 8, 8, 8, 4, 2, 4, 8, 2};
    }
    [[nodiscard]] static char const* library() { return "cuBLAS cublasSgemm"; }
};

} // namespace kernels::cuda
