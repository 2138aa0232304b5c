// attune/tune/loop/detail/session_here.hpp - a session whose configurations are tried in this process.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/loop/detail/session_limits.hpp>
#include <attune/tune/loop/detail/session_log.hpp>
#include <attune/tune/loop/detail/session_space.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/pipeline/variant_pipeline.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The steps of a session in this process: each takes as many configurations as are measured at
/// once. None is begun that session_limits does not allow.
class session_here {
public:
    /// What it works with; all outlives it.
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

    /// Tries what the search proposes.
    /// @return  false: nothing was tried, and nothing will be
    bool step()
    {
        if (!with_.limits.may_begin() || with_.limits.meets_rule()) return false;
        (void)with_.searched.narrow();
        double const begun_s = with_.state.elapsed_s(); // what it measures is part of no step
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

    /// Tries a configuration that the search has not asked for, and will not any more.
    void try_one(point const& at)
    {
        pipelined_variant next{at, with_.supply.compile(at)};
        with_.events.compiled(next);
        trial const tried =
            with_.runner.run(std::move(next.code), with_.state.best()->second.value);
        if (!tried.is_cut) with_.record(at, tried);
    }

    /// The search had nothing more to try.
    [[nodiscard]] bool is_exhausted() const noexcept { return is_exhausted_; }

private:
    struct batch {
        std::vector<point> at{};
        std::vector<compile_result> codes{};
    };

    /// As many as are measured at once, fewer at the end.
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

} // namespace attune::inline ATTUNE_ABI::detail
