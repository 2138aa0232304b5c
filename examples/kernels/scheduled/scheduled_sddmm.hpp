// examples/kernels/scheduled/scheduled_sddmm.hpp - products of rows of two dense matrices where a
// sparse one has entries, by a schedule.
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

struct scheduled_sddmm {
    static constexpr char const* name = "scheduled_sddmm";
    static constexpr auto space = schedule::space_of_sums;
    using config = decltype(space)::config_type;
    using signature = void(std::span<int const>, std::span<int const>, std::span<float const>,
                           std::span<float const>, std::span<float const>, std::span<float>, int);

    int k = 64;
    csr_matrix b = make_known_matrix("email-Enron", 60'000, 1);
    std::vector<float> c = random_numbers(area(b.rows, k), 2);
    std::vector<float> d = random_numbers(area(b.columns, k), 3);
    std::vector<float> a = std::vector<float>(b.value.size());

    /// Two products and a sum for each entry and column, as the schedules have it; all arrays once.
    static constexpr auto cost = [](auto const& start, auto const& column, auto const& b,
                                    auto const& c, auto const& d, auto const& a, double k) {
        return attune::work{.flops = 3.0 * k * count_of(b),
                            .bytes = bytes_of(start, column, b, c, d, a)};
    };

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        return attune::kernel<signature>{
            name, with_openmp(attune::source_file("scheduled_sddmm.kernel.cpp")), space}
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
    [[nodiscard]] static std::optional<config> expert()
    {
        return config{16, 8, 8, {0, 1, 2, 3, 4, 5}, 1, 8, 1, true, 2};
    }
};

} // namespace kernels
