// attune/tune/study/detail/own_evaluation.hpp - the evaluation of one process of a study, and its limit.
// SPDX-License-Identifier: MIT
// tested by tune/study/study_search.cpp
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/loop/slot_evaluator.hpp>
#include <attune/tune/over/slots.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Evaluates one configuration at a time, on a separate thread. After its limit an evaluation is a
/// failure, and the objective continues.
class own_evaluation {
public:
    own_evaluation(std::function<evaluation(point const&)> objective, double most_seconds)
        : most_seconds_(most_seconds)
        , slot_(std::move(objective))
    {
    }

    /// @pre     is_idle()
    /// @param number  number of its claim
    void begin(point const& at, std::uint64_t number)
    {
        is_ = stage::busy;
        at_ = at;
        number_ = number;
        since_s_ = steady_seconds();
        slot_.submit(at);
    }

    [[nodiscard]] bool is_idle() const noexcept { return is_ == stage::idle; }
    [[nodiscard]] bool is_busy() const noexcept { return is_ == stage::busy; }
    /// Returns true if the objective has not returned for twice its limit.
    [[nodiscard]] bool is_stuck() const
    {
        return is_ == stage::overdue && steady_seconds() - since_s_ >= 2 * most_seconds_;
    }
    [[nodiscard]] point const& at() const noexcept { return at_; }
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

    /// Waits for the outcome, at most until `until_s` of steady_seconds().
    /// @return  the outcome, once; an overdue outcome is dropped
    [[nodiscard]] std::optional<guarded_evaluation> wait(double until_s)
    {
        double const now = steady_seconds();
        double wait_s = std::max(until_s - now, 0.0);
        if (is_idle()) {
            std::this_thread::sleep_for(std::chrono::duration<double>(wait_s));
            return {};
        }
        if (is_busy()) wait_s = std::clamp(since_s_ + most_seconds_ - now, 0.0, wait_s);
        std::optional<guarded_evaluation> seen = slot_.take(wait_s);
        if (seen) {
            bool const is_late = !is_busy();
            is_ = stage::idle;
            if (is_late) return {};
            return seen;
        }
        if (!is_busy() || steady_seconds() - since_s_ < most_seconds_) return {};
        is_ = stage::overdue;
        return guarded_evaluation{
            failure{failure_stage::timeout,
                    "no outcome within " + formatted("%.4g", most_seconds_) + " s"},
            true};
    }

private:
    enum class stage : std::uint8_t { idle, busy, overdue };

    double most_seconds_;
    stage is_ = stage::idle;
    point at_{};
    std::uint64_t number_ = 0;
    double since_s_ = 0;
    own_slot slot_; // last: its thread ends first
};

} // namespace attune::inline ATTUNE_ABI::detail
