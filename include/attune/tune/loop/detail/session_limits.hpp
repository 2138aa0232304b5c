// attune/tune/loop/detail/session_limits.hpp - whether a session goes on: its time, Ctrl-C, and its rules.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/search/stop.hpp>
#include <attune/tune/loop/interrupt.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/loop/trials_elsewhere.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Says whether a session begins another step: whether that and the final fit into the budget, were
/// the step as long as the longest so far, whether Ctrl-C was pressed, and whether a rule of
/// search_limits is met. Decides what of the time before the first step counts.
class session_limits {
public:
    /// What it works with; all outlives it.
    struct parts {
        run_state& state;
        interrupt_guard const& interrupt;
        trials_elsewhere const* elsewhere = nullptr;          ///< null: all is tried here
        std::function<double()> final_s;                      ///< seconds that the final may take
        std::function<std::optional<double>()> expected_gain; ///< of the search
        std::function<void(std::string)> say;                 ///< receives sentences for the user
    };

    explicit session_limits(parts with)
        : with_(std::move(with))
        , seconds_(with_.state.judge().limits().seconds)
    {
    }

    /// Counts the seconds that reading the memory took, but leaves half of the budget at least: a
    /// store that was slow or locked once is no reason to keep the default as what a whole tuning
    /// found.
    void count_reading(double read_s)
    {
        with_.state.count_earlier(read_s);
        double const half_s = seconds_ / 2;
        if (half_s <= 0 || read_s <= half_s) return;
        stop_judge& judge = with_.state.judge();
        judge.move_limits(judge.limits().evaluations, read_s + half_s);
        with_.say("what the search learns from took " + formatted("%.2g s", read_s) +
                  " to read, of which limits.seconds counts half of itself");
    }

    /// A reference is no part of the search: see tuning_limits::seconds.
    /// @param reference_s  seconds that it took
    void forgive_reference(double reference_s)
    {
        with_.state.forgive(std::min(reference_s, seconds_));
        if (reference_s >= 1)
            with_.say("the reference that results are compared with took " +
                      formatted("%.1f s", reference_s) +
                      (reference_s <= seconds_
                           ? ", which limits.seconds does not count"
                           : ", of which limits.seconds counts what is above itself"));
    }

    /// So many evaluations and seconds are left.
    void allow(std::uint64_t evaluations, double seconds)
    {
        stop_judge& judge = with_.state.judge();
        std::uint64_t const done = judge.evaluations();
        judge.move_limits(evaluations < search_limits::any_number - done
                              ? done + evaluations
                              : search_limits::any_number,
                          with_.state.elapsed_s() + seconds);
    }

    /// Notes the wall seconds of a step.
    void note_step(double seconds) noexcept { longest_s_ = std::max(longest_s_, seconds); }
    [[nodiscard]] double longest_step_s() const noexcept { return longest_s_; }

    /// At this process, or at another one that tries variants.
    [[nodiscard]] bool is_interrupted() const
    {
        return with_.interrupt.requested() ||
               (with_.elsewhere != nullptr && with_.elsewhere->wants_stop());
    }
    /// Whether there is room for one step more.
    /// @param later_steps  that have to fit, too, one after the other
    [[nodiscard]] bool may_begin(int later_steps = 0) const
    {
        return with_.state.budget_left(with_.final_s() + (1 + later_steps) * longest_s_) &&
               !is_interrupted();
    }
    /// Whether what is under way may be waited for: the final and one step here, which a leader
    /// from elsewhere takes, still fit.
    [[nodiscard]] bool may_wait() const
    {
        return !is_interrupted() && with_.state.left_s() > with_.final_s() + longest_s_;
    }

    /// Whether a rule says that it is enough, which is told once.
    /// Cost  every fifth evaluation the search's model is asked, if limits.expected_gain is set
    [[nodiscard]] bool meets_rule()
    {
        stop_judge& judge = with_.state.judge();
        if (judge.wants_gain()) judge.gain(with_.expected_gain());
        auto const verdict = judge.verdict(with_.state.elapsed_s());
        if (!verdict) return false;
        if (!std::exchange(has_met_rule_, true)) with_.say(verdict->text); // there is budget left
        return true;
    }
    [[nodiscard]] bool has_met_rule() const noexcept { return has_met_rule_; }

private:
    parts with_;
    double seconds_; ///< of the budget, before any of it was moved
    double longest_s_ = 0;
    bool has_met_rule_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail
