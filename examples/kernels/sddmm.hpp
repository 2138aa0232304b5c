// examples/kernels/sddmm.hpp - products of rows of two dense matrices where a sparse one has
// entries.
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

struct sddmm {
    static constexpr char const* name = "sddmm";

    static constexpr auto chunk = attune::ordinal<"CHUNK">(attune::powers_of_two(1, 1024));
    static constexpr auto entries = attune::ordinal<"ENTRIES">(attune::powers_of_two(1, 16));
    static constexpr auto depth = attune::ordinal<"DEPTH">(attune::powers_of_two(1, 64));
    static constexpr auto order = attune::permutation<"ORDER", 2>();
    static constexpr auto threads = attune::ordinal<"THREADS">(attune::values(1, 2));
    static constexpr auto space =
        attune::space(chunk, entries, depth, order, threads).where(entries * depth <= 512);
    using config = decltype(space)::config_type;
    using signature = void(std::span<int const>, std::span<int const>, std::span<float const>,
                           std::span<float const>, std::span<float const>, std::span<float>, int);

    int k = 64;
    csr_matrix b = make_matrix(pattern::uniform, 6000, 6000, 40, 1);
    std::vector<float> c = random_numbers(area(b.rows, k), 2);
    std::vector<float> d = random_numbers(area(b.columns, k), 3);
    std::vector<float> a = std::vector<float>(b.value.size());

    /// An inner product of length k and one more product for each entry; all arrays once. The sums
    /// of ENTRIES products, each in DEPTH parts, are independent. The code loads a row of D for
    /// each entry and one of C for ENTRIES of them, DEPTH elements at once.
    static constexpr auto cost = [](attune::configuration_view const& at, auto const& start,
                                    auto const& column, auto const& b, auto const& c, auto const& d,
                                    auto const& a, double k) {
        double const sums = k * count_of(b);
        return attune::work{.flops = (2.0 * k + 1) * count_of(b),
                            .bytes = bytes_of(start, column, b, c, d, a),
                            .threads = static_cast<unsigned>(at[threads]),
                            .sums = sums,
                            .sum_bytes = vector_of(at[entries] * at[depth]),
                            .loads = 4.0 * sums * (1 + 1.0 / at[entries]),
                            .load_bytes = vector_of(at[depth])};
    };

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        return attune::kernel<signature>{name, with_openmp(attune::source_file("sddmm.kernel.cpp")),
                                         space}
            .work(cost);
    }
    void call(auto&& run) { run(b.start, b.column, b.value, c, d, a, k); }
    [[nodiscard]] std::span<float const> result() const { return a; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> out;
        std::size_t const deep = static_cast<std::size_t>(k);
        for_each_entry(b, [&](std::size_t i, std::size_t j, double v) {
            double sum = 0;
            for (std::size_t l = 0; l < deep; ++l)
                sum += static_cast<double>(c[i * deep + l]) * static_cast<double>(d[j * deep + l]);
            out.push_back(v * sum);
        });
        return out;
    }
    /// Chunks of 16 rows, the inner products by 8 (Senanayake et al. 2020, SDDMM).
    [[nodiscard]] static std::optional<config> expert() { return config{16, 1, 8, {0, 1}, 2}; }
};

} // namespace kernels
