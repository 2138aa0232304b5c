// examples/kernels/spmv.hpp - a sparse matrix times a vector.
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
#include "support/openmp.hpp"
#include "support/sparse.hpp"

namespace kernels {

struct spmv {
    static constexpr char const* name = "spmv";

    static constexpr auto chunk = attune::ordinal<"CHUNK">(attune::powers_of_two(1, 1024));
    static constexpr auto unroll = attune::ordinal<"UNROLL">(attune::powers_of_two(1, 32));
    static constexpr auto sums = attune::ordinal<"SUMS">(attune::powers_of_two(1, 16));
    static constexpr auto prefetch = attune::ordinal<"PREFETCH">(attune::values(0, 8, 16, 32, 64));
    static constexpr auto threads = attune::ordinal<"THREADS">(attune::values(1, 2));
    static constexpr auto is_dynamic = attune::boolean<"IS_DYNAMIC">();
    static constexpr auto space =
        attune::space(chunk, unroll, sums, prefetch, threads, is_dynamic).where(unroll % sums == 0);
    using config = decltype(space)::config_type;
    using signature = void(std::span<int const>, std::span<int const>, std::span<float const>,
                           std::span<float const>, std::span<float>);

    csr_matrix a = make_matrix(pattern::power_law, 30000, 30000, 32, 1);
    std::vector<float> x = random_numbers(static_cast<std::size_t>(a.columns), 2);
    std::vector<float> y = std::vector<float>(static_cast<std::size_t>(a.rows));

    /// A product and a sum for each entry; the matrix, x and y cross the bus once. The sums of a
    /// row are in SUMS parts.
    static constexpr auto cost = [](attune::configuration_view const& at, auto const& start,
                                    auto const& column, auto const& value, auto const& x,
                                    auto const& y) {
        return attune::work{.flops = 2.0 * count_of(value),
                            .bytes = bytes_of(start, column, value, x, y),
                            .threads = static_cast<unsigned>(at[threads]),
                            .sums = count_of(value),
                            .sum_bytes = vector_of(at[sums])};
    };

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        return attune::kernel<signature>{name, with_openmp(attune::source_file("spmv.kernel.cpp")),
                                         space}
            .work(cost);
    }
    void call(auto&& run) { run(a.start, a.column, a.value, x, y); }
    [[nodiscard]] std::span<float const> result() const { return y; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> out(y.size());
        for_each_entry(a, [&](std::size_t i, std::size_t j, double v) {
            out[i] += v * static_cast<double>(x[j]);
        });
        return out;
    }
    /// Rows in chunks of 16 per thread (Senanayake et al. 2020, schedule of SpMV).
    [[nodiscard]] static std::optional<config> expert() { return config{16, 1, 1, 0, 2, true}; }
};

} // namespace kernels
