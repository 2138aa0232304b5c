// tests/measure/scripted_clocks.hpp - a source of time that only moves when a test says so.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/measure/clock/clocks.hpp>

#include <cstdint>

namespace attune_test {

/// Models attune::time_source. Reading a clock may cost time, as on a real machine.
struct scripted_clocks {
    double wall = 100;
    double thread = 10;
    double process = 20;
    std::uint64_t given_up = 0;
    std::uint64_t taken_away = 0;
    double cost_of_wall = 0;
    double cost_of_thread = 0;

    double wall_s()
    {
        pass(cost_of_wall);
        return wall;
    }
    double thread_cpu_s()
    {
        pass(cost_of_thread);
        return thread;
    }
    double process_cpu_s() const { return process; }
    std::uint64_t waits() const { return given_up; }
    std::uint64_t preemptions() const { return taken_away; }

    /// One thread works for this long, undisturbed.
    void pass(double seconds)
    {
        wall += seconds;
        thread += seconds;
        process += seconds;
    }
};

static_assert(attune::time_source<scripted_clocks>);

} // namespace attune_test
