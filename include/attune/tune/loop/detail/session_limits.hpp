// attune/tune/loop/detail/session_limits.hpp - the part of the space that a session searches, and what ends the session.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/space/kept_settings.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/loop/time_bounds.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/pipeline/variant_pipeline.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Decides if a session begins another step, and how much of the time before the first step counts.
/// The step and the final must fit into the budget when the step takes as long as the longest so
/// far. Ctrl-C and the rules of search_limits end the session.
class session_limits {
public:
    /// The parts that it works with; all outlive it.
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

    /// Counts the seconds that reading the memory took, but leaves at least half of the budget. A
    /// store that was slow or locked once must not make the default the result of a whole tuning.
    void count_reading(double read_s)
    {
        with_.state.count_earlier(read_s);
        double const half_s = seconds_ / 2;
        if (half_s <= 0 || read_s <= half_s) return;
        stop_judge& judge = with_.state.judge();
        judge.move_limits(judge.limits().evaluations, read_s + half_s);
        with_.say("reading the results of other tunings took " + formatted("%.2g s", read_s) +
                  "; half of limits.seconds is left for this tuning");
    }

    /// Excludes the time of a reference, which is no part of the search: see
    /// tuning_limits::seconds.
    /// @param reference_s  seconds that it took
    void forgive_reference(double reference_s)
    {
        with_.state.forgive(std::min(reference_s, seconds_));
        if (reference_s >= 1)
            with_.say("the reference that results are compared with took " +
                      formatted("%.1f s", reference_s) +
                      (reference_s <= seconds_
                           ? ", which limits.seconds does not count"
                           : "; limits.seconds counts only the seconds beyond its own value"));
    }

    /// Sets how many evaluations and seconds are left.
    void allow(std::uint64_t evaluations, double seconds)
    {
        stop_judge& judge = with_.state.judge();
        std::uint64_t const done = judge.evaluations();
        judge.move_limits(evaluations < search_limits::any_number - done
                              ? done + evaluations
                              : search_limits::any_number,
                          with_.state.elapsed_s() + seconds);
    }

    void note_step(double seconds) noexcept { longest_s_ = std::max(longest_s_, seconds); }
    [[nodiscard]] double longest_step_s() const noexcept { return longest_s_; }

    /// Returns true after Ctrl-C at this process, or at another process that tries variants.
    [[nodiscard]] bool is_interrupted() const
    {
        return with_.interrupt.requested() ||
               (with_.elsewhere != nullptr && with_.elsewhere->wants_stop());
    }
    /// @param later_steps  steps that must also fit after this one
    [[nodiscard]] bool may_begin(int later_steps = 0) const
    {
        return with_.state.budget_left(with_.final_s() + (1 + later_steps) * longest_s_) &&
               !is_interrupted();
    }
    /// Returns true if there is time to wait for pending work. The final and a step here, for a
    /// leader from elsewhere, must still fit.
    [[nodiscard]] bool may_wait() const
    {
        return !is_interrupted() && with_.state.left_s() > with_.final_s() + longest_s_;
    }

    /// Returns true if a rule ends the search; the user gets its sentence once.
    /// Cost  every fifth evaluation a question to the model, if limits.expected_gain is set
    [[nodiscard]] bool meets_rule()
    {
        stop_judge& judge = with_.state.judge();
        if (judge.wants_gain()) judge.gain(with_.expected_gain());
        auto const verdict = judge.verdict(with_.state.elapsed_s());
        if (!verdict) return false;
        if (std::exchange(has_met_rule_, true)) return true;
        problem_objective const& of = with_.state.objective();
        with_.say(verdict->reason == stop_reason::target && of.is_higher_better
                      ? "the target " + of.text(of.turned(judge.limits().target)) + " is reached"
                      : verdict->text); // a rule, not the budget, ends the search
        return true;
    }
    [[nodiscard]] bool has_met_rule() const noexcept { return has_met_rule_; }

private:
    parts with_;
    double seconds_; ///< seconds of the budget, before allow()
    double longest_s_ = 0;
    bool has_met_rule_ = false;
};

/// Applies the verdicts of candidate_pruning. The supply leaves out configurations that cannot win,
/// and the search continues in the part that may win. Pruned ones come back once they may win.
class session_space {
public:
    /// Sets the pruning of `supply`, which then leaves out configurations that cannot win.
    /// @param pruned     pruned before an interruption; some may be evaluated since
    /// @param part       the searched part before an interruption; empty: all
    /// @param may_go_on  false: no time is left for it, see candidate_pruning::narrower()
    /// @pre  `pruning` and `supply` outlive this object
    session_space(candidate_verdicts& pruning, variant_pipeline& supply, std::vector<point> pruned,
                  std::optional<kept_settings> part, std::function<bool()> may_go_on)
        : pruning_(pruning)
        , supply_(supply)
        , may_go_on_(std::move(may_go_on))
        , past_pruned_(std::move(pruned))
        , part_(std::move(part))
    {
        supply_.set_pruning([&pruning](point const& at) { return pruning.cannot_win(at); },
                            may_go_on_);
    }

    /// Counts configurations pruned before an interruption; if pruning is off, they are tried.
    /// @param past  all earlier outcomes of the search
    void go_on(std::vector<std::pair<point, outcome>> const& past)
    {
        for (auto const& told : past)
            std::erase(past_pruned_, told.first); // reconsidered, and evaluated
        for (auto const& told : past)
            supply_.note_time(told.second);
        if (pruning_.is_on()) {
            pruning_.add_pruned(past_pruned_.size());
            if (part_ &&
                !pruning_.narrowed(part_, false)) { // the stated work reads other parameters
                (void)supply_.narrow({});
                part_.reset();
            }
        } else {
            bring_back();
        }
    }

    /// Takes the time of a configuration. If the time contradicts the stated work, pruned
    /// configurations come back.
    void measured(point const& at, measurement const& time)
    {
        if (pruning_.measured(at, time)) bring_back();
    }

    /// Moves the search to the part that may still win, if much of the space cannot. If that part
    /// cannot be built, the search uses the whole space, because the earlier part may lack a
    /// winner.
    /// @return  true if the search uses another part
    bool narrow()
    {
        std::optional<kept_settings> part = pruning_.narrower(may_go_on_);
        if (!part) return false;
        std::optional<bool> const is_checked = supply_.narrow(part);
        if (!is_checked) {
            bool const had_part = part_.has_value();
            if (had_part) {
                (void)supply_.narrow({});
                pruning_.narrowed({}, false);
                part_.reset();
            }
            pruning_.stays_wide();
            (void)reconsider();
            return had_part;
        }
        pruning_.narrowed(part, *is_checked);
        part_ = std::move(part);
        (void)reconsider();
        return true;
    }

    /// Brings back configurations that were pruned by lower peaks or fewer threads than the present
    /// ones. No search proposes them again, so they come next.
    /// @return  true if there is any
    bool reconsider()
    {
        std::size_t const count = supply_.reconsider_if(
            [this](point const& at) { return pruning_.may_win(at); }, past_pruned_);
        pruning_.take_back(count);
        return count > 0;
    }

    /// Looks for more configurations when the search proposes nothing, by the facts known since.
    /// @return  true if there are any
    [[nodiscard]] bool finds_more()
    {
        bool const is_elsewhere = narrow();
        return reconsider() || is_elsewhere;
    }

    /// Number of configurations that are left out.
    [[nodiscard]] std::size_t pruned() const noexcept { return pruning_.pruned(); }

private:
    /// Brings back all pruned configurations, and gives the search the whole space again.
    void bring_back()
    {
        supply_.reconsider(std::exchange(past_pruned_, {}));
        if (std::exchange(part_, {})) (void)supply_.narrow({});
    }

    candidate_verdicts& pruning_;
    variant_pipeline& supply_;
    std::function<bool()> may_go_on_;
    std::vector<point> past_pruned_;    ///< before an interruption, not evaluated since
    std::optional<kept_settings> part_; ///< searched part; empty: all
};

} // namespace attune::inline ATTUNE_ABI::detail
