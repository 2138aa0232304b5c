// tests/support/minimal_timer.hpp - the least that is a timer: one warm run, one fixed answer.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>

#include <functional>

namespace attune_test {

/// Promises what the concept `attune::timer` promises and nothing more: it does not race, and it
/// cannot be copied.
class minimal_timer {
public:
    minimal_timer() = default;
    minimal_timer(minimal_timer const&) = delete;
    minimal_timer& operator=(minimal_timer const&) = delete;

    attune::measurement time(std::function<void()> const& prepare, std::function<void()> const& run)
    {
        prepare();
        run();
        return attune::measurement::exact(1.0);
    }
};

} // namespace attune_test
