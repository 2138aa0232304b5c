// attune/tune/shape/run_clock.hpp - the time of one run on a machine that other programs use too.
// SPDX-License-Identifier: MIT
// tested by tune/shape/shape_check.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>

#include <algorithm>
#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

/// Measures the seconds of a run without those in which another program had its processor.
class run_clock {
public:
    /// Returns the wall seconds of the run so far. If the system took the processor away from this
    /// thread, and the thread waited for nothing, returns the CPU seconds of the process if they
    /// are less. They count all threads, because another thread of the run may have had the
    /// processor.
    [[nodiscard]] double seconds() const
    {
        double const wall_s = clocks_.wall_s() - begun_s_;
        bool const is_disturbed = clocks_.preemptions() > preemptions_ && clocks_.waits() == waits_;
        return is_disturbed ? std::min(wall_s, clocks_.process_cpu_s() - cpu_s_) : wall_s;
    }

private:
    system_clocks clocks_{};
    std::uint64_t preemptions_ = clocks_.preemptions();
    std::uint64_t waits_ = clocks_.waits();
    double cpu_s_ = clocks_.process_cpu_s();
    double begun_s_ = clocks_.wall_s();
};

} // namespace attune::inline ATTUNE_ABI::detail
