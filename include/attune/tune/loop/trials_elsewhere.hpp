// attune/tune/loop/trials_elsewhere.hpp - the seam between a session and other processes that try variants for it.
// SPDX-License-Identifier: MIT
//
// tested by tune/over/slot_trials.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/loop/trial.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// One variant, as another process compiled and tried it.
struct tried_variant {
    point at{};
    trial made{};                   ///< its code is not loaded: key and seconds alone
    std::vector<double> features{}; ///< its code metrics; empty: none
};

/// Places in other processes, each of which compiles, checks and times one configuration at a time
/// by the path of this one: see trial_worker. The session asks, tells, and decides what is over; it
/// gives each free place the next configuration at once, and tells what arrives in the order of
/// arrival. Used by the session's thread alone.
class trials_elsewhere {
public:
    trials_elsewhere() = default;
    trials_elsewhere(trials_elsewhere const&) = delete;
    trials_elsewhere& operator=(trials_elsewhere const&) = delete;
    virtual ~trials_elsewhere() = default;

    /// Once the session has measured its default itself.
    virtual void begin(measurement const& default_time) = 0;
    /// Whether a place is at work, or soon may be: without one the session goes on by itself, and
    /// looks between two evaluations.
    [[nodiscard]] virtual bool has_place() const = 0;
    /// Places that are free.
    [[nodiscard]] virtual std::size_t idle() const = 0;
    /// Configurations that were given, and whose outcomes have not arrived and are not overdue.
    [[nodiscard]] virtual std::size_t pending() const = 0;
    /// Gives a free place a configuration. Returns at once.
    /// @param stop_above_s  timing may end as soon as it is proven slower
    virtual void submit(point const& at, double stop_above_s) = 0;
    /// Returns when something has arrived, with all outcomes that have; else after so many seconds
    /// or so.
    [[nodiscard]] virtual std::vector<tried_variant> wait(double seconds) = 0;
    /// Whether Ctrl-C was pressed at another process.
    [[nodiscard]] virtual bool wants_stop() const = 0;
    /// What there is to say at the end.
    [[nodiscard]] virtual std::vector<std::string> notices() const = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail
