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

/// Median processor seconds of one call of each. In a round each has a turn of about `turn_s`: so
/// many calls that the clock does not matter, after one that brings caches back.
[[nodiscard]] inline std::vector<double>
contest(std::vector<contestant> const& all, std::size_t rounds = 15, double turn_s = 0.005)
{
    std::vector<std::size_t> calls;
    for (contestant const& one : all)
        calls.push_back(static_cast<std::size_t>(
            std::clamp(turn_s / std::max(one.seconds(1), 1e-9), 1.0, 1e6)));
    std::vector<std::vector<double>> seconds(all.size());
    for (std::size_t round = 0; round < rounds; ++round)
        for (std::size_t at = 0; at < all.size(); ++at)
            seconds[at].push_back(all[at].seconds(calls[at]));
    std::vector<double> out;
    for (std::vector<double>& of : seconds)
        out.push_back(median(std::move(of)));
    return out;
}

} // namespace bench
