// attune/tune/over/own_slot.hpp - a slot of this process, on a thread of its own.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/loop/slot_evaluator.hpp>

#include <functional>
#include <memory>
#include <optional>

namespace attune::inline ATTUNE_ABI::detail {

/// Evaluates one configuration at a time, while the caller searches.
class own_slot {
public:
    explicit own_slot(std::function<evaluation(point const&)> objective);
    /// Waits for the evaluation at work.
    ~own_slot();
    own_slot(own_slot const&) = delete;
    own_slot& operator=(own_slot const&) = delete;

    /// @pre  the outcome of the configuration before was taken
    void submit(point const& at);
    /// The outcome, once; nothing if there is none within `wait_s` seconds.
    [[nodiscard]] std::optional<guarded_evaluation> take(double wait_s = 0);

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/over/own_slot.ipp>
#endif
