// attune/core/posix/steady_seconds.hpp - the clock of all limits and elapsed times.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <ctime>

namespace attune::inline ATTUNE_ABI::detail {

/// Seconds of CLOCK_MONOTONIC, which never goes back; only differences have a meaning. Safe in a
/// signal handler and in a forked child.
[[nodiscard]] inline double steady_seconds() noexcept
{
    std::timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Adds the seconds of its lifetime to a sum.
class counted_seconds {
public:
    explicit counted_seconds(double& sum) noexcept
        : sum_(&sum)
        , begun_s_(steady_seconds())
    {
    }
    ~counted_seconds() { *sum_ += steady_seconds() - begun_s_; }
    counted_seconds(counted_seconds const&) = delete;
    counted_seconds& operator=(counted_seconds const&) = delete;

private:
    double* sum_;
    double begun_s_;
};

} // namespace attune::inline ATTUNE_ABI::detail
