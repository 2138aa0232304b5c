// bench/tune/contest.hpp - functions of this process and of others, timed in turns.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../support/interleaved.hpp"
#include "../support/median.hpp"

namespace bench {

/// One that takes part.
struct contestant {
    std::string label;
    /// Processor seconds of one call, of `calls` after one that does not count.
    std::function<double(std::size_t calls)> seconds;
};

/// A function of this process.
[[nodiscard]] inline contestant here(std::string label, std::function<void()> call)
{
    return {std::move(label), [call = std::move(call)](std::size_t calls) {
                call();
                double const begin = thread_seconds();
                for (std::size_t n = 0; n < calls; ++n)
                    call();
                return (thread_seconds() - begin) / static_cast<double>(calls);
            }};
}

/// So many calls of each that they take about `turn_s`.
[[nodiscard]] inline std::vector<std::size_t> calls_in(double turn_s,
                                                       std::vector<contestant> const& all)
{
    std::vector<std::size_t> out;
    for (contestant const& one : all)
        out.push_back(static_cast<std::size_t>(
            std::clamp(turn_s / std::max(one.seconds(1), 1e-9), 1.0, 1e6)));
    return out;
}

/// Processor seconds of one call of each, in each round. In a round each has a turn: its calls,
/// after one that brings caches back.
[[nodiscard]] inline std::vector<std::vector<double>>
contest_rounds(std::vector<contestant> const& all, std::size_t rounds,
               std::vector<std::size_t> const& calls)
{
    std::vector<std::vector<double>> seconds(all.size());
    for (std::size_t round = 0; round < rounds; ++round)
        for (std::size_t at = 0; at < all.size(); ++at)
            seconds[at].push_back(all[at].seconds(calls[at]));
    return seconds;
}

/// The medians of 15 rounds, in turns long enough that the clock does not matter.
[[nodiscard]] inline std::vector<double> contest(std::vector<contestant> const& all)
{
    std::vector<double> out;
    for (std::vector<double>& of : contest_rounds(all, 15, calls_in(0.005, all)))
        out.push_back(median(std::move(of)));
    return out;
}

} // namespace bench
