// examples/kernels/ttv.hpp - a sparse third-order tensor times a vector.
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

struct ttv {
    static constexpr char const* name = "ttv";

    static constexpr auto chunk = attune::ordinal<"CHUNK">(attune::powers_of_two(1, 1024));
    static constexpr auto unroll = attune::ordinal<"UNROLL">(attune::powers_of_two(1, 32));
    static constexpr auto sums = attune::ordinal<"SUMS">(attune::powers_of_two(1, 16));
    static constexpr auto by_fibre = attune::boolean<"BY_FIBRE">();
    static constexpr auto clear = attune::boolean<"CLEAR_BY_SLICE">();
    static constexpr auto threads = attune::ordinal<"THREADS">(attune::values(1, 2));
    static constexpr auto space = attune::space(chunk, unroll, sums, by_fibre, clear, threads)
                                      .where(unroll % sums == 0, !(by_fibre && clear));
    using config = decltype(space)::config_type;
    using signature = void(std::span<int const>, std::span<int const>, std::span<int const>,
                           std::span<int const>, std::span<int const>, std::span<float const>,
                           std::span<float const>, std::span<float>, int);

    csf_tensor b = make_tensor({400, 500, 2000}, 1'000'000, 1);
    std::vector<float> c = random_numbers(static_cast<std::size_t>(b.extent[2]), 2);
    std::vector<float> a = std::vector<float>(area(b.extent[0], b.extent[1]));

    /// A product and a sum for each entry; the tensor, c and a once. The sums of a fibre are in
    /// SUMS parts.
    static constexpr auto cost = [](attune::configuration_view const& at, auto const& slices,
                                    auto const& fibres, auto const& i, auto const& j, auto const& k,
                                    auto const& value, auto const& c, auto const& a, auto) {
        return attune::work{.flops = 2.0 * count_of(value),
                            .bytes = bytes_of(slices, fibres, i, j, k, value, c, a),
                            .threads = static_cast<unsigned>(at[threads]),
                            .sums = count_of(value),
                            .sum_bytes = vector_of(at[sums])};
    };

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        return attune::kernel<signature>{name, with_openmp(attune::source_file("ttv.kernel.cpp")),
                                         space}
            .work(cost);
    }
    void call(auto&& run)
    {
        run(b.slice_start, b.fibre_start, b.i_of, b.j_of, b.k_of, b.value, c, a, b.extent[1]);
    }
    [[nodiscard]] std::span<float const> result() const { return a; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> out(a.size());
        for_each_entry(b, [&](std::size_t i, std::size_t j, std::size_t k, double v) {
            out[i * static_cast<std::size_t>(b.extent[1]) + j] += v * static_cast<double>(c[k]);
        });
        return out;
    }
    /// Slices in chunks of 16 per thread (Senanayake et al. 2020, TTV).
    [[nodiscard]] static std::optional<config> expert()
    {
        return config{16, 1, 1, false, false, 2};
    }
};

} // namespace kernels
