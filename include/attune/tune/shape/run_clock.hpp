// attune/tune/shape/run_clock.hpp - the time of one run on a machine that other programs use too.
// SPDX-License-Identifier: MIT
// tested by tune/shape/shape_check.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/clock/clocks.hpp>

#include <algorithm>
#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

/// Measures the seconds that a run took, without those in which other programs had its processor.
class run_clock {
public:
    /// Wall seconds of the run so far. If the system took the processor away from this thread,
    /// which waited for nothing, these are the CPU seconds of all threads of the process, if less.
    /// Other threads of the run may have had the processor of this one.
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
