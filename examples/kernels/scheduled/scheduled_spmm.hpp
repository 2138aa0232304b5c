// examples/kernels/scheduled/scheduled_spmm.hpp - a sparse matrix times a dense one, by a schedule.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "../support/dense.hpp"
#include "../support/known_tensors.hpp"
#include "../support/openmp.hpp"
#include "schedule.hpp"

namespace kernels {

struct scheduled_spmm {
    static constexpr char const* name = "scheduled_spmm";
    static constexpr auto space = schedule::space;
    using config = decltype(space)::config_type;
    using signature = void(std::span<int const>, std::span<int const>, std::span<float const>,
                           std::span<float const>, std::span<float>, int);

    int k = 64;
    csr_matrix a = make_known_matrix("scircuit", 60'000, 1);
    std::vector<float> b = random_numbers(area(a.columns, k), 2);
    std::vector<float> c = std::vector<float>(area(a.rows, k));

    /// A product and a sum for each entry and each column of B; all arrays once.
    static constexpr auto cost = [](auto const& start, auto const& column, auto const& value,
                                    auto const& b, auto const& c, double k) {
        return attune::work{.flops = 2.0 * count_of(value) * k,
                            .bytes = bytes_of(start, column, value, b, c)};
    };

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        return attune::kernel<signature>{
            name, with_openmp(attune::source_file("scheduled_spmm.kernel.cpp")), space}
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
        return config{16, 8, 64, {0, 1, 2, 3, 4, 5}, 1, 8, 1, true, 2};
    }
};

} // namespace kernels
