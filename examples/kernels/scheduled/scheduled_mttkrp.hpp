// examples/kernels/scheduled/scheduled_mttkrp.hpp - a sparse fourth-order tensor, matricised, times
// the Khatri-Rao product of three matrices, by a schedule.
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

struct scheduled_mttkrp {
    static constexpr char const* name = "scheduled_mttkrp";
    static constexpr auto space = schedule::space;
    using config = decltype(space)::config_type;
    using signature = void(std::span<int const>, std::span<int const>, std::span<int const>,
                           std::span<int const>, std::span<float const>, std::span<float const>,
                           std::span<float const>, std::span<float const>, std::span<float>, int);

    int rank = 32;
    slice_tensor b = make_known_tensor("uber", 60'000, 1);
    std::vector<float> c = random_numbers(area(b.extent[1], rank), 2);
    std::vector<float> d = random_numbers(area(b.extent[2], rank), 3);
    std::vector<float> e = random_numbers(area(b.extent[3], rank), 4);
    std::vector<float> a = std::vector<float>(area(b.extent[0], rank));

    /// Three products and a sum for each entry and column; all arrays once.
    static constexpr auto cost = [](auto const& start, auto const& k_of, auto const& l_of,
                                    auto const& m_of, auto const& value, auto const& c,
                                    auto const& d, auto const& e, auto const& a, double rank) {
        return attune::work{.flops = 4.0 * rank * count_of(value),
                            .bytes = bytes_of(start, k_of, l_of, m_of, value, c, d, e, a)};
    };

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        return attune::kernel<signature>{
            name, with_openmp(attune::source_file("scheduled_mttkrp.kernel.cpp")), space}
            .work(cost);
    }
    void call(auto&& run) { run(b.start, b.at[0], b.at[1], b.at[2], b.value, c, d, e, a, rank); }
    [[nodiscard]] std::span<float const> result() const { return a; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> out(a.size());
        std::size_t const wide = static_cast<std::size_t>(rank);
        auto const row = [&](std::size_t axis, std::size_t p) {
            return static_cast<std::size_t>(b.at[axis][p]) * wide;
        };
        for (std::size_t i = 0; i + 1 < b.start.size(); ++i)
            for (int at = b.start[i]; at < b.start[i + 1]; ++at) {
                std::size_t const p = static_cast<std::size_t>(at);
                for (std::size_t r = 0; r < wide; ++r)
                    out[i * wide + r] += static_cast<double>(b.value[p]) *
                                         static_cast<double>(c[row(0, p) + r]) *
                                         static_cast<double>(d[row(1, p) + r]) *
                                         static_cast<double>(e[row(2, p) + r]);
            }
        return out;
    }
    /// Slices in chunks of 16, entries by 8, the columns inside (Senanayake et al. 2020, MTTKRP).
    [[nodiscard]] static std::optional<config> expert()
    {
        return config{16, 8, 32, {0, 1, 2, 3, 4, 5}, 1, 8, 1, true, 2};
    }
};

} // namespace kernels
