// bench/support/interleaved.hpp - times several functions turn by turn, so that drift hits all alike.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <ctime>
#include <functional>
#include <utility>
#include <vector>

#include "median.hpp"

namespace bench {

/// Seconds of processor time of the calling thread: other programs do not count.
[[nodiscard]] inline double thread_seconds()
{
    std::timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Median seconds of each function over `rounds` rounds; each round runs every function once, after
/// one round that does not count.
/// @param rounds  at least 1
/// @param after   called after every function, outside of its time
[[nodiscard]] inline std::vector<double> interleaved_medians(
    std::vector<std::function<void()>> const& functions, std::size_t rounds,
    std::function<void()> const& after = [] {})
{
    std::vector<std::vector<double>> seconds(functions.size());
    for (std::size_t round = 0; round <= rounds; ++round)
        for (std::size_t i = 0; i < functions.size(); ++i) {
            double const begin = thread_seconds();
            functions[i]();
            double const elapsed = thread_seconds() - begin;
            after();
            if (round > 0) seconds[i].push_back(elapsed);
        }
    std::vector<double> medians;
    for (std::vector<double>& s : seconds)
        medians.push_back(median(std::move(s)));
    return medians;
}

} // namespace bench
