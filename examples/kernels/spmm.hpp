// examples/kernels/spmm.hpp - a sparse matrix times a dense one.
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

struct spmm {
    static constexpr char const* name = "spmm";

    static constexpr auto chunk = attune::ordinal<"CHUNK">(attune::powers_of_two(1, 1024));
    static constexpr auto columns = attune::ordinal<"COLUMNS">(attune::values(8, 16, 32, 64));
    static constexpr auto unroll = attune::ordinal<"UNROLL">(attune::powers_of_two(1, 32));
    static constexpr auto order = attune::permutation<"ORDER", 3>();
    static constexpr auto local = attune::boolean<"LOCAL">();
    static constexpr auto threads = attune::ordinal<"THREADS">(attune::values(1, 2));
    static constexpr auto space =
        attune::space(chunk, columns, unroll, order, local, threads)
            .where(order.position(0) < order.position(1), !local || order.position(2) < 2);
    using config = decltype(space)::config_type;
    using signature = void(std::span<int const>, std::span<int const>, std::span<float const>,
                           std::span<float const>, std::span<float>, int);

    int k = 64;
    csr_matrix a = make_matrix(pattern::banded, 10000, 10000, 24, 1);
    std::vector<float> b = random_numbers(area(a.columns, k), 2);
    std::vector<float> c = std::vector<float>(area(a.rows, k));

    /// A product and a sum for each entry and each column of B; all arrays once. For each sum the
    /// code loads B, and without LOCAL also C, in vectors no longer than COLUMNS; for so many sums
    /// it loads an entry and its column.
    static constexpr auto cost = [](attune::configuration_view const& at, auto const& start,
                                    auto const& column, auto const& value, auto const& b,
                                    auto const& c, double k) {
        double const sums = count_of(value) * k;
        return attune::work{.flops = 2.0 * sums,
                            .bytes = bytes_of(start, column, value, b, c),
                            .threads = static_cast<unsigned>(at[threads]),
                            .sums = sums,
                            .sum_bytes = vector_of(at[columns]),
                            .loads = sums * ((at[local] ? 4.0 : 8.0) + 32.0 / at[columns]),
                            .load_bytes = vector_of(at[columns])};
    };

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        return attune::kernel<signature>{name, with_openmp(attune::source_file("spmm.kernel.cpp")),
                                         space}
            .work(cost);
    }
    void call(auto&& run) { run(a.start, a.column, a.value, b, c, k); }
    [[nodiscard]] std::span<float const> result() const { return c; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> out(c.size());
        std::size_t const wide = static_cast<std::size_t>(k);
        for_each_entry(a, [&](std::size_t i, std::size_t l, double v) {
            for (std::size_t j = 0; j < wide; ++j)
                out[i * wide + j] += v * static_cast<double>(b[l * wide + j]);
        });
        return out;
    }
    /// Chunks of 16 rows, entries by 8, the columns inside (Senanayake et al. 2020, SpMM).
    [[nodiscard]] static std::optional<config> expert()
    {
        return config{16, 64, 8, {0, 1, 2}, false, 2};
    }
};

} // namespace kernels
