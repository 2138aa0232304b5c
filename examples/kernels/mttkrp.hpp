// examples/kernels/mttkrp.hpp - a sparse third-order tensor, matricised, times the Khatri-Rao
// product of two matrices.
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

struct mttkrp {
    static constexpr char const* name = "mttkrp";

    static constexpr auto chunk = attune::ordinal<"CHUNK">(attune::powers_of_two(1, 256));
    static constexpr auto columns = attune::ordinal<"COLUMNS">(attune::values(8, 16, 32));
    static constexpr auto unroll = attune::ordinal<"UNROLL">(attune::powers_of_two(1, 32));
    static constexpr auto factored = attune::boolean<"FACTORED">();
    static constexpr auto order = attune::permutation<"ORDER", 3>();
    static constexpr auto threads = attune::ordinal<"THREADS">(attune::values(1, 2));
    static constexpr auto space = attune::space(chunk, columns, unroll, factored, order, threads)
                                      .where(order.position(0) < order.position(1));
    using config = decltype(space)::config_type;
    using signature = void(std::span<int const>, std::span<int const>, std::span<int const>,
                           std::span<int const>, std::span<float const>, std::span<float const>,
                           std::span<float const>, std::span<float>, int);

    int rank = 32;
    csf_tensor b = make_tensor({300, 300, 1000}, 300'000, 1);
    std::vector<float> c = random_numbers(area(b.extent[1], rank), 2);
    std::vector<float> d = random_numbers(area(b.extent[2], rank), 3);
    std::vector<float> a = std::vector<float>(area(b.extent[0], rank));

    /// For each column two products and a sum for each entry; or, with C(j, r) applied once, a
    /// product and a sum for each entry and for each fibre: whichever is less. All arrays once. For
    /// each sum the code loads D, and where it is not FACTORED also C and A, in vectors no longer
    /// than COLUMNS; for so many sums it loads an entry and its place.
    static constexpr auto cost = [](attune::configuration_view const& at, auto const& slices,
                                    auto const& fibres, auto const& j, auto const& k,
                                    auto const& value, auto const& c, auto const& d, auto const& a,
                                    double rank) {
        double const entries = count_of(value);
        return attune::work{.flops = rank * std::min(3 * entries, 2 * (entries + count_of(j))),
                            .bytes = bytes_of(slices, fibres, j, k, value, c, d, a),
                            .threads = static_cast<unsigned>(at[threads]),
                            .sums = rank * entries,
                            .sum_bytes = vector_of(at[columns]),
                            .loads =
                                rank * entries * ((at[factored] ? 4.0 : 12.0) + 32.0 / at[columns]),
                            .load_bytes = vector_of(at[columns])};
    };

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        return attune::kernel<signature>{
            name, with_openmp(attune::source_file("mttkrp.kernel.cpp")), space}
            .work(cost);
    }
    void call(auto&& run)
    {
        run(b.slice_start, b.fibre_start, b.j_of, b.k_of, b.value, c, d, a, rank);
    }
    [[nodiscard]] std::span<float const> result() const { return a; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> out(a.size());
        std::size_t const wide = static_cast<std::size_t>(rank);
        for_each_entry(b, [&](std::size_t i, std::size_t j, std::size_t k, double v) {
            for (std::size_t r = 0; r < wide; ++r)
                out[i * wide + r] +=
                    v * static_cast<double>(c[j * wide + r]) * static_cast<double>(d[k * wide + r]);
        });
        return out;
    }
    /// Slices in chunks of 16, entries by 8, the columns inside (Senanayake et al. 2020, MTTKRP).
    [[nodiscard]] static std::optional<config> expert()
    {
        return config{16, 32, 8, false, {0, 1, 2}, 2};
    }
};

} // namespace kernels
