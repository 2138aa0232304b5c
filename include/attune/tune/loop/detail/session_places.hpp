// attune/tune/loop/detail/session_places.hpp - the steps of a session, in this process or in others.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/loop/detail/session_limits.hpp>
#include <attune/tune/loop/detail/session_log.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/pipeline/variant_pipeline.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
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

} // namespace attune::inline ATTUNE_ABI::detail
