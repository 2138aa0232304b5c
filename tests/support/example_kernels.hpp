// tests/support/example_kernels.hpp - the GPU kernels of the examples, with data and a plain computation to compare with, as those of examples/kernels/cuda have them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "../../examples/kernels/cuda/all_cuda.hpp"

namespace attune_test {

/// examples/saxpy.kernel.cpp, declared as examples/06_cuda_first_tune.cpp does.
struct example_saxpy {
    static constexpr char const* name = "saxpy";
    static constexpr int tested_size = 40003;
    static constexpr double tolerance = 0; // whole numbers

    static constexpr auto n = attune::input<"N", int>();
    static constexpr auto block_x = attune::ordinal<"BLOCK_X">(attune::powers_of_two(32, 1024));
    static constexpr auto vec = attune::ordinal<"VEC">(attune::powers_of_two(1, 16));
    static constexpr auto space = attune::space(block_x, vec);
    using config = decltype(space)::config_type;
    using signature = void(std::span<float const>, std::span<float>, float, int);

    explicit example_saxpy(int elements)
        : size(elements)
    {
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = static_cast<float>(i % 1009);
            y[i] = static_cast<float>(i % 13);
        }
    }

    int size;
    std::vector<float> x = std::vector<float>(static_cast<std::size_t>(size));
    std::vector<float> y = std::vector<float>(static_cast<std::size_t>(size));

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        attune::kernel<signature> k{name, attune::source_file("../../examples/saxpy.kernel.cpp"),
                                    space};
        k.bind<3>(n).grid(attune::ceil_div(n, block_x * vec)).block(block_x);
        return k;
    }
    void call(auto&& run) { run(x, y, 3.0f, size); }
    [[nodiscard]] std::span<float const> result() const { return y; }
    /// Of the first call; more calls add to it.
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> out(y.size());
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<double>(i % 13 + 3 * (i % 1009));
        return out;
    }
    [[nodiscard]] static std::optional<config> expert() { return std::nullopt; }
};

/// examples/gemm.kernel.cu, declared as examples/07_cuda_gemm.cpp does.
struct example_gemm {
    static constexpr char const* name = "gemm";
    static constexpr int tested_size = 70;
    static constexpr double tolerance = 0; // whole numbers

    static constexpr auto n = attune::input<"N", int>();
    static constexpr auto block_m = attune::ordinal<"BLOCK_M">(attune::powers_of_two(16, 128));
    static constexpr auto block_n = attune::ordinal<"BLOCK_N">(attune::powers_of_two(16, 128));
    static constexpr auto block_k = attune::ordinal<"BLOCK_K">(attune::powers_of_two(4, 32));
    static constexpr auto thread_m = attune::ordinal<"THREAD_M">(attune::powers_of_two(1, 8));
    static constexpr auto thread_n = attune::ordinal<"THREAD_N">(attune::powers_of_two(1, 8));
    static constexpr auto threads = block_m / thread_m * (block_n / thread_n);
    static constexpr auto space = attune::space(block_m, block_n, block_k, thread_m, thread_n)
                                      .where(threads >= 32, (block_m * block_k) % threads == 0,
                                             (block_n * block_k) % threads == 0);
    using config = decltype(space)::config_type;
    using signature = void(std::span<float const>, std::span<float const>, std::span<float>, int);

    explicit example_gemm(int rows)
        : size(rows)
    {
        for (std::vector<float>* const matrix : {&a, &b})
            for (float& v : *matrix)
                v = std::round(8.0f * v);
    }

    int size;
    std::vector<float> a = kernels::random_numbers(kernels::area(size, size), 1);
    std::vector<float> b = kernels::random_numbers(kernels::area(size, size), 2);
    std::vector<float> c = std::vector<float>(kernels::area(size, size));

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        attune::kernel<signature> k{name, attune::source_file("../../examples/gemm.kernel.cu"),
                                    space};
        k.bind<3>(n).grid(attune::ceil_div(n, block_n), attune::ceil_div(n, block_m));
        k.block(threads).require(attune::spill_bytes == 0);
        return k;
    }
    void call(auto&& run) { run(a, b, c, size); }
    [[nodiscard]] std::span<float const> result() const { return c; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> out(c.size());
        auto const side = static_cast<std::size_t>(size);
        for (std::size_t i = 0; i < side; ++i)
            for (std::size_t j = 0; j < side; ++j)
                for (std::size_t k = 0; k < side; ++k)
                    out[i * side + j] +=
                        static_cast<double>(a[i * side + k]) * static_cast<double>(b[k * side + j]);
        return out;
    }
    [[nodiscard]] static std::optional<config> expert() { return std::nullopt; }
};

/// visit.operator()<Kernel>() for those of kernels::for_each_cuda_kernel and of the examples.
void for_each_device_kernel(auto&& visit)
{
    kernels::for_each_cuda_kernel(visit);
    visit.template operator()<example_saxpy>();
    visit.template operator()<example_gemm>();
}

} // namespace attune_test
