// attune/tune/loop/detail/session_outcomes.hpp - the steps of a session, here or in other processes, and their outcomes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/detail/session_final.hpp>
#include <attune/tune/loop/detail/session_limits.hpp>
#include <attune/tune/loop/detail/session_report.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/loop/time_bounds.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/pipeline/variant_pipeline.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The steps of a session in this process. Each step takes as many configurations as are measured
/// at once, and begins only if session_limits allows it.
class session_here {
public:
    /// The parts that it works with; all outlive it.
    struct parts {
        run_state& state;
        session_limits& limits;
        trial_runner& runner;
        session_log& events;
        variant_pipeline& supply;
        session_space& searched;
        std::function<void(point const&, trial const&)> record; ///< takes each outcome
    };

    explicit session_here(parts with)
        : with_(std::move(with))
    {
    }

    /// @return  false if nothing was tried, and nothing will be
    bool step()
    {
        if (!with_.limits.may_begin() || with_.limits.meets_rule()) return false;
        (void)with_.searched.narrow();
        double const begun_s = with_.state.elapsed_s(); // narrow() measures outside of the step
        batch next = next_batch();
        if (next.at.empty() && with_.searched.finds_more()) next = next_batch();
        is_exhausted_ = next.at.empty();
        if (is_exhausted_) return false;
        std::vector<trial> const tried =
            with_.runner.run_all(std::move(next.codes), with_.state.best()->second.value);
        with_.state.set_pruned(with_.searched.pruned());
        for (std::size_t i = 0; i < tried.size(); ++i)
            if (!tried[i].is_cut) with_.record(next.at[i], tried[i]);
        with_.limits.note_step(with_.state.elapsed_s() - begun_s);
        return true;
    }

    /// Tries a configuration that is not a proposal of the search.
    void try_one(point const& at)
    {
        pipelined_variant next{at, with_.supply.compile(at)};
        with_.events.compiled(next);
        trial const tried =
            with_.runner.run(std::move(next.code), with_.state.best()->second.value);
        if (!tried.is_cut) with_.record(at, tried);
    }

    [[nodiscard]] bool is_exhausted() const noexcept { return is_exhausted_; }

private:
    struct batch {
        std::vector<point> at{};
        std::vector<compile_result> codes{};
    };

    /// Returns as many as are measured at once, fewer at the end.
    [[nodiscard]] batch next_batch()
    {
        batch out;
        std::uint64_t const left = with_.state.judge().evaluations_left();
        while (out.at.size() < std::min<std::uint64_t>(left, with_.runner.at_once())) {
            std::optional<pipelined_variant> next = with_.supply.next(left - out.at.size());
            if (!next) break;
            with_.events.compiled(*next);
            out.at.push_back(std::move(next->at));
            out.codes.push_back(std::move(next->code));
        }
        return out;
    }

    parts with_;
    bool is_exhausted_ = false;
};

/// The steps of a session in places elsewhere. A free place gets the next proposal of the search,
/// and arrived outcomes are recorded. A step begins and waits only if session_limits allows it.
class session_elsewhere {
public:
    /// The parts that it works with; all outlive it.
    struct parts {
        trials_elsewhere& others;
        run_state& state;
        session_limits& limits;
        variant_pipeline& supply;
        session_space& searched;
        std::function<void(tried_variant const&)> record; ///< takes each outcome
    };

    explicit session_elsewhere(parts with)
        : with_(std::move(with))
    {
    }

    /// Returns true if the next step is step(). Without a place, it takes arrived outcomes first.
    [[nodiscard]] bool has_place()
    {
        if (with_.others.has_place()) return true;
        take_arrived(0);
        return with_.others.has_place();
    }

    /// Gives proposals of the search to free places, and takes arrived outcomes.
    /// @return  false if all pending outcomes are overdue and no more will come
    bool step()
    {
        if (with_.limits.may_begin(1) && !with_.limits.meets_rule()) {
            (void)with_.searched.narrow();
            give();
            if (is_idle() && with_.searched.finds_more()) give();
            is_exhausted_ = given_.empty() && with_.others.idle() > 0;
            if (is_idle()) return false;
        } else if (with_.others.pending() == 0 || !with_.limits.may_wait()) {
            return false;
        }
        take_arrived(longest_wait_s);
        with_.state.set_pruned(with_.searched.pruned());
        return true;
    }

    /// Configurations whose outcomes have not arrived, including overdue ones.
    [[nodiscard]] std::size_t given() const noexcept { return given_.size(); }
    /// True if the search had nothing more to try at the last step, and all outcomes have arrived.
    [[nodiscard]] bool is_exhausted() const noexcept { return is_exhausted_; }

private:
    /// Longest delay until Ctrl-C or the end of the budget has an effect.
    static constexpr double longest_wait_s = 0.05;

    [[nodiscard]] bool is_idle() const
    {
        return with_.others.pending() == 0 && with_.others.idle() > 0;
    }

    void give()
    {
        std::uint64_t const left = with_.state.judge().evaluations_left();
        std::uint64_t const room = std::min<std::uint64_t>(
            with_.others.idle(), left - std::min<std::uint64_t>(left, given_.size()));
        for (point& at : with_.supply.next_points(room)) {
            with_.others.submit(at, with_.state.best()->second.value);
            given_.emplace(std::move(at), with_.state.elapsed_s());
        }
    }

    void take_arrived(double wait_s)
    {
        for (tried_variant const& one : with_.others.wait(wait_s))
            take(one);
    }

    void take(tried_variant const& one)
    {
        auto const begun = given_.find(one.at);
        if (begun == given_.end()) return;
        with_.limits.note_step(with_.state.elapsed_s() - begun->second);
        given_.erase(begun);
        if (!one.made.is_cut) with_.record(one);
    }

    parts with_;
    /// Configurations that other places try, with the second at which each was given.
    std::unordered_map<point, double, point_hash> given_{};
    bool is_exhausted_ = false;
};

/// Passes an outcome to the search, the log, the memory, the counts, the final, and the parts that
/// bound times (pruning, roofline). Keeps the facts that a report needs.
class session_outcomes {
public:
    /// The receivers of outcomes; all outlive this object.
    struct parts {
        tuning_problem const& problem;
        tuning_options const& options;
        session_memory const& memory; ///< receives outcomes by keep()
        run_state& state;
        session_log& events;
        variant_pipeline& supply;
        candidate_verdicts& pruning;
        session_space& searched;
        kernel_roof& roofline;
        processor_watch& processor;
        session_final& final;
    };

    explicit session_outcomes(parts const& with)
        : with_(with)
        , joules_(with.events.past_joules(with.problem.kernel))
    {
    }

    /// @param is_past  it was measured and recorded before an interruption
    void record_default(trial const& first, bool is_past)
    {
        point const& at = with_.problem.default_at;
        auto const& time = std::get<measurement>(first.result);
        bool const is_tuned = !is_too_short(with_.problem, time);
        with_.state.set_default(time.value);
        count(at, first.result);
        keep_joules(at, first);
        note_threads(std::max(first.timing.threads, with_.events.past_threads()));
        update_roofline();
        if (is_tuned) with_.searched.measured(at, time);
        if (is_past || first.is_cut) return;
        with_.events.sampled(at, first);
        with_.supply.tell(at, first.result, first.bounded);
        if (is_tuned) keep(at, first);
    }

    /// Adds an outcome from before an interruption.
    /// @param object_key  key of its code; empty: unknown
    void recall(point const& at, outcome const& result, std::string object_key)
    {
        callable code; // not loaded
        code.object_key = std::move(object_key);
        add(at, result, code);
    }

    /// Records a trial in this process.
    void record(point const& at, trial const& tried)
    {
        with_.events.first_run(at, tried.first_run_s);
        with_.events.sampled(at, tried);
        note_threads(tried.timing.threads);
        double const predicted_s = with_.supply.predicted_s(at);
        std::string proposer = with_.supply.proposer_of(at);
        with_.supply.tell(at, tried.result, tried.bounded);
        keep_joules(at, tried);
        keep(at, tried, predicted_s, std::move(proposer));
        double const best_s = with_.state.best()->second.value;
        add(at, tried.result, tried.code);
        if (is_given(at)) return; // not a proposal of the search
        ++of_search_.tried;
        if (with_.state.best()->second.value < best_s) ++of_search_.new_bests;
    }

    /// Records a trial in another process, which also compiled it.
    void record(tried_variant const& one)
    {
        pipelined_variant const made{one.at, code_of(one.made)};
        with_.events.compiled(made);
        with_.supply.compiled_elsewhere(one.at, made.code, one.features);
        record(one.at, one.made);
    }

    /// Records the failure here of a configuration that worked elsewhere, for later tunings.
    void refuse(point const& at, trial const& tried)
    {
        with_.supply.tell(at, tried.result, tried.bounded);
        keep(at, tried);
    }

    /// Seconds of the best after each outcome, the default's first.
    [[nodiscard]] std::vector<double> const& best_after() const noexcept { return best_after_; }
    /// Least seconds that the best can take, by the roofline; 0: unknown.
    [[nodiscard]] double least_s() const noexcept { return least_s_; }
    /// Joules of a call; 0: they were not measured.
    [[nodiscard]] double joules_of(point const& at) const
    {
        auto const found = joules_.find(at);
        return found != joules_.end() ? found->second : 0.0;
    }

    struct proposals {
        std::size_t tried = 0;
        std::size_t new_bests = 0; ///< proposals that were faster than all before
    };
    [[nodiscard]] proposals of_search() const noexcept { return of_search_; }

private:
    /// Returns true for the problem's rival and guard, which always take part in the final.
    [[nodiscard]] bool is_given(point const& at) const
    {
        return with_.problem.rival == at || with_.problem.guard == at;
    }
    void count(point const& at, outcome const& result)
    {
        with_.state.add(at, result, text_of(with_.problem.space.describe(), at));
        best_after_.push_back(with_.state.best()->second.value);
    }

    void add(point const& at, outcome const& result, callable const& code)
    {
        count(at, result);
        if (auto const* m = std::get_if<measurement>(&result)) {
            with_.final.consider({at, *m, code, is_given(at)});
            with_.searched.measured(at, *m);
        }
        if (with_.options.limits.roofline_share > 0) update_roofline();
    }

    /// Passes the least time of the best configuration so far to the judge. Measures the machine,
    /// as part of the budget.
    void update_roofline()
    {
        if (with_.roofline.will_measure())
            with_.supply.settle(); // compilers would slow the measured machine
        auto const& [at, time] = *with_.state.best();
        if (auto const place = with_.roofline.at(at, time.value)) {
            least_s_ = place->least_s;
            with_.state.judge().enough(with_.options.limits.roofline_share, place->least_s);
        }
    }

    void note_threads(std::uint32_t threads)
    {
        with_.roofline.note_threads(threads);
        with_.pruning.note_threads(threads);
        with_.processor.note_threads(threads);
    }

    void keep_joules(point const& at, trial const& tried)
    {
        if (!std::isnan(tried.bounded.joules)) joules_[at] = tried.bounded.joules;
    }

    /// @param predicted_s  expected by the search's model; 0: no model chose it
    /// @param proposer     technique of the search; may be empty
    void keep(point const& at, trial const& tried, double predicted_s = 0,
              std::string proposer = {}) const
    {
        if (with_.memory.keep)
            with_.memory.keep(
                {at, tried.result, tried.code.object_key, predicted_s, std::move(proposer)});
    }

    /// Returns the compiler's result for a configuration that was tried.
    [[nodiscard]] static compile_result code_of(trial const& tried)
    {
        auto const* const why = std::get_if<failure>(&tried.result);
        bool const is_compiled = why == nullptr || (why->stage != failure_stage::compile &&
                                                    why->stage != failure_stage::load);
        if (is_compiled) return tried.code;
        return *why;
    }

    parts with_;
    std::unordered_map<point, double, point_hash> joules_; ///< joules of a call, if measured
    std::vector<double> best_after_{};
    double least_s_ = 0;
    proposals of_search_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
