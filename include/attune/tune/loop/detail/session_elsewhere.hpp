// attune/tune/loop/detail/session_elsewhere.hpp - a session whose configurations other processes try.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/loop/detail/session_limits.hpp>
#include <attune/tune/loop/detail/session_space.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/loop/trials_elsewhere.hpp>
#include <attune/tune/pipeline/variant_pipeline.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// The steps of a session in places elsewhere: each free place gets what the search proposes, and
/// what arrives is taken. Nothing is begun, or waited for, that session_limits does not allow.
class session_elsewhere {
public:
    /// What it works with; all outlives it.
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

    /// Whether the next step is step(). Where no place is left, what has arrived is taken first.
    [[nodiscard]] bool has_place()
    {
        if (with_.others.has_place()) return true;
        take_arrived(0);
        return with_.others.has_place();
    }

    /// Gives free places what the search proposes, and takes what has arrived.
    /// @return  false: nothing is pending that is not overdue, and nothing will be
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

    /// Configurations whose outcomes have not arrived, the overdue ones included.
    [[nodiscard]] std::size_t given() const noexcept { return given_.size(); }
    /// At the last step the search had nothing more to try, and all outcomes have arrived.
    [[nodiscard]] bool is_exhausted() const noexcept { return is_exhausted_; }

private:
    /// Ctrl-C and the end of the budget are noticed within this time.
    static constexpr double longest_wait_s = 0.05;

    /// Places are free, and nothing is under way.
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
    /// What others try, and when it was given to them.
    std::unordered_map<point, double, point_hash> given_{};
    bool is_exhausted_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail
