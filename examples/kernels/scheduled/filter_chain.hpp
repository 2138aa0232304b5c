// examples/kernels/scheduled/filter_chain.hpp - three filters in a row, by 17 yes-or-no decisions.
// SPDX-License-Identifier: MIT
// Source   the kind of space of HPVM2FPGA's Audio in Hellsten et al., "BaCO", ASPLOS 2023, Table 3:
//          mostly booleans, no known constraint, a limit of on-chip memory that the search must
//          find
#pragma once

#include <attune/attune.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "../support/dense.hpp"

namespace kernels {

struct filter_chain {
    static constexpr char const* name = "filter_chain";

    static constexpr auto block = attune::ordinal<"BLOCK">(attune::powers_of_two(256, 4096));
    static constexpr auto space = attune::space(
        block, attune::boolean<"BUFFER_0">(), attune::boolean<"BUFFER_1">(),
        attune::boolean<"BUFFER_2">(), attune::boolean<"UNROLL_0">(), attune::boolean<"UNROLL_1">(),
        attune::boolean<"UNROLL_2">(), attune::boolean<"TAPS_OUTSIDE_0">(),
        attune::boolean<"TAPS_OUTSIDE_1">(), attune::boolean<"TAPS_OUTSIDE_2">(),
        attune::boolean<"SPLIT_0">(), attune::boolean<"SPLIT_1">(), attune::boolean<"SPLIT_2">(),
        attune::boolean<"BACKWARDS_0">(), attune::boolean<"BACKWARDS_1">(),
        attune::boolean<"BACKWARDS_2">(), attune::boolean<"FUSE_0">(), attune::boolean<"FUSE_1">());
    using config = decltype(space)::config_type;
    using signature = void(std::span<float const>, std::span<float const>, std::span<float>,
                           std::span<float>, int);

    static constexpr int taps = 8;
    static constexpr int stages = 3;

    int count = 200'000;
    std::vector<float> in = random_numbers(area(1, count + stages * (taps - 1)), 1);
    std::vector<float> filters = random_numbers(area(stages, taps), 2);
    std::vector<float> work = std::vector<float>(area(2, count + stages * (taps - 1)));
    std::vector<float> out = std::vector<float>(area(1, count));

    /// A product and a sum for each tap and sample of each stage; what is read and written once.
    static constexpr auto cost = [](auto const& in, auto const& filters, auto const& work,
                                    auto const& out, double count) {
        double const made = stages * count + (taps - 1) * (stages * (stages - 1) / 2);
        return attune::work{.flops = 2.0 * taps * made, .bytes = bytes_of(in, filters, work, out)};
    };

    [[nodiscard]] static attune::kernel<signature> kernel()
    {
        // What is left in `work` depends on what is fused.
        return attune::kernel<signature>{name, attune::source_file("filter_chain.kernel.cpp"),
                                         space}
            .template ignore<2>()
            .work(cost);
    }
    void call(auto&& run) { run(in, filters, work, out, count); }
    [[nodiscard]] std::span<float const> result() const { return out; }
    [[nodiscard]] std::vector<double> expected() const
    {
        std::vector<double> now(in.begin(), in.end());
        for (std::size_t s = 0; s < stages; ++s) {
            std::vector<double> next(now.size() - (taps - 1));
            for (std::size_t n = 0; n < next.size(); ++n)
                for (std::size_t t = 0; t < taps; ++t)
                    next[n] += static_cast<double>(filters[s * taps + t]) * now[n + t];
            now = next;
        }
        return now;
    }
    [[nodiscard]] static std::optional<config> expert() { return std::nullopt; }
};

} // namespace kernels
