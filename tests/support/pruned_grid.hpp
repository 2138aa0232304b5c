// tests/support/pruned_grid.hpp - a scripted grid that states its work, on a machine of known peaks.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/tune/loop/candidate_pruning.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scripted_grid.hpp"

namespace attune_test {

/// One flop, one sum and one byte of loads a second.
inline attune::detail::core_peaks slow_core(double rate = 1)
{
    attune::detail::core_peaks out;
    for (auto* list :
         {&out.f32_flops, &out.f64_flops, &out.f32_sums, &out.f64_sums, &out.load_bytes})
        list->fill(rate);
    return out;
}

/// A hundred configurations, whose flops are (1 + X) (1 + Y): what each takes at least, in seconds.
struct pruned_grid : grid {
    std::vector<std::string> said{};
    std::vector<bool> measured_anew{};
    std::function<attune::detail::core_peaks(bool anew)> core = [](bool) { return slow_core(); };
    std::function<double(unsigned)> memory = [](unsigned) { return 1.0; };
    bool is_even = true;
    attune::tuning_options options{};

    template <class F>
    void state(F f)
    {
        kernel.work([f](attune::configuration_view const& at, std::span<double const>,
                        std::span<double>,
                        double) -> attune::work { return f(at[grid_x], at[grid_y]); });
    }
    pruned_grid()
    {
        options.search.prune = true;
        state([](int x, int y) {
            return attune::work{.flops = (1.0 + x) * (1.0 + y), .threads = 1};
        });
    }
    [[nodiscard]] attune::detail::candidate_pruning pruning()
    {
        return {problem,
                options,
                [this](std::string text) { said.push_back(std::move(text)); },
                {.peaks =
                     [this](bool anew) {
                         measured_anew.push_back(anew);
                         return core(anew);
                     },
                 .bytes_per_s = [this](unsigned threads) { return memory(threads); },
                 .is_even = [this] { return is_even; },
                 .cached = 100}};
    }
    [[nodiscard]] attune::point at(std::uint64_t x, std::uint64_t y) const
    {
        return space.at(10 * x + y);
    }
};

/// Seconds, by the work that pruned_grid states.
inline double bound_of(attune::point const& p) { return (1.0 + p[0].index) * (1.0 + p[1].index); }

} // namespace attune_test
