// tests/support/scripted_slots.hpp - slots whose durations are scripted, with a clock of their own.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/tune/loop/minimize_slots.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune_test {

inline constexpr double never = std::numeric_limits<double>::infinity();

/// What one evaluation does, by its number in the order of submission, from 0.
struct scripted_act {
    double seconds = 1;
    bool throws = false;
    bool wants_stop = false;
    bool gives_back = false; ///< nothing is evaluated
};

/// A discrete-event simulation: wait() moves the clock to the next event, and nothing sleeps.
class scripted_slots final : public attune::detail::slot_evaluator {
public:
    using slot_evaluator::slot_evaluator;
    struct submission {
        std::size_t slot;
        attune::point at;
        double begun_s;
    };

    /// @param joins_s  for each slot, when it joins
    scripted_slots(std::vector<double> joins_s,
                   std::function<attune::evaluation(attune::point const&)> objective,
                   std::function<scripted_act(std::size_t slot, std::size_t number)> act = {})
        : objective_(std::move(objective))
        , act_(std::move(act))
    {
        for (double const s : joins_s)
            slots_.push_back({.ready_s = s, .next = {{.slot = slots_.size()}}});
    }

    [[nodiscard]] std::size_t slots() const override { return slots_.size(); }
    [[nodiscard]] std::string name(std::size_t slot) const override
    {
        return "slot " + std::to_string(slot);
    }
    void submit(std::size_t slot, attune::point const& at) override
    {
        wrong_submissions += slots_[slot].next || !slots_[slot].is_here ? 1U : 0U;
        scripted_act const act = act_ ? act_(slot, submissions.size()) : scripted_act{};
        submissions.push_back({slot, at, now_s_});
        attune::evaluation seen =
            act.throws
                ? attune::evaluation{attune::failure{attune::failure_stage::crash, "scripted"}}
                : objective_(at);
        slots_[slot].ready_s = now_s_ + act.seconds;
        slots_[slot].next = {.slot = slot,
                             .seen = act.gives_back ? std::optional<attune::evaluation>{}
                                                    : std::optional(std::move(seen)),
                             .is_fault = act.throws,
                             .wants_stop = act.wants_stop};
    }
    [[nodiscard]] std::vector<attune::detail::slot_event> wait(double seconds) override
    {
        double next_s = now_s_ + seconds;
        for (one const& s : slots_)
            if (s.next) next_s = std::min(next_s, std::max(now_s_, s.ready_s));
        now_s_ = next_s;
        std::vector<attune::detail::slot_event> out;
        for (one& s : slots_) {
            if (!s.next || s.ready_s > now_s_) continue;
            s.is_here = true;
            out.push_back(*std::exchange(s.next, {}));
        }
        return out;
    }
    [[nodiscard]] double now() const override { return now_s_; }

    /// The caller is at work for so long.
    void pass(double seconds) { now_s_ += seconds; }

    std::vector<submission> submissions{};
    std::size_t wrong_submissions = 0; ///< to a slot that was not free

private:
    struct one {
        double ready_s = 0;
        std::optional<attune::detail::slot_event> next{};
        bool is_here = false;
    };

    std::function<attune::evaluation(attune::point const&)> objective_;
    std::function<scripted_act(std::size_t, std::size_t)> act_;
    std::vector<one> slots_;
    double now_s_ = 0;
};

} // namespace attune_test
