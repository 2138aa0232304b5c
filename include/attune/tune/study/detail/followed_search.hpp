// attune/tune/study/detail/followed_search.hpp - a search that takes the outcomes of a study, in their order.
// SPDX-License-Identifier: MIT
// tested by tune/study/study_search.cpp
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/table.hpp>
#include <attune/remember/study.hpp>
#include <attune/search/optimizer_core.hpp>
#include <attune/search/stop.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/loop/run_state.hpp>
#include <attune/tune/study/detail/study_link.hpp>
#include <attune/tune/study/study_search.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The search of one process, and its counts. A proposal is held until its outcome is known, or
/// until this process begins to evaluate it: another process may have claimed it.
class followed_search {
public:
    /// @param possible  number of configurations, if less than the limit
    /// @pre   all outlive this object
    followed_search(chain_of_trees const& space, study_configurations const& texts,
                    study_options const& options, std::uint32_t possible)
        : texts_(&texts)
        , options_(&options)
        , search_(space, options.minimize.search, options.minimize.seed, false,
                  without_cost(options.limits), options.minimize.bounds)
        , run_(objective_board(options.minimize.name, options.limits, possible,
                               options.minimize.progress))
    {
    }

    [[nodiscard]] optimizer_core const& search() const noexcept { return search_; }
    [[nodiscard]] run_state const& run() const noexcept { return run_; }
    [[nodiscard]] std::vector<quantity> const& best_quantities() const noexcept
    {
        return best_quantities_;
    }
    void announce(std::string const& text) const { run_.announce(progress_event::notice, text); }

    /// Passes new outcomes of the board to the search.
    /// @return  true if there were any
    bool take_told(study_board const& board)
    {
        std::size_t const before = delivered_;
        while (delivered_ < board.outcomes().size())
            take(board.outcomes()[delivered_++], board);
        return delivered_ > before;
    }

    /// Returns a held proposal that no process evaluates; otherwise the next proposal, which
    /// another process may evaluate. Empty: the search has none now, see search().stopped().
    [[nodiscard]] std::optional<point> next(study_board const& board)
    {
        auto const free = free_held(board);
        if (free != held_.end()) return *free;
        std::vector<point> const asked = search_.ask(1);
        if (asked.empty()) return {};
        if (asked_.insert(asked.front()).second) held_.push_back(asked.front());
        return asked.front();
    }
    /// Returns true if the search holds a proposal that no process evaluates.
    [[nodiscard]] bool has_free(study_board const& board)
    {
        return free_held(board) != held_.end();
    }
    /// Notes that this process evaluates `at`.
    void begins(point const& at) { std::erase(held_, at); }

    /// Returns the work of all workers that ever joined, in their order.
    [[nodiscard]] std::vector<worker_use> uses(study_board const& board) const
    {
        std::vector<worker_use> out;
        for (std::size_t i = 0; i < board.workers().size(); ++i) {
            study_worker const& one = board.workers()[i];
            bool const is_at_work = std::ranges::any_of(
                board.open(), [&](open_claim const& claim) { return claim.worker == i; });
            out.push_back(
                {.name = one.name,
                 .evaluations = one.evaluations,
                 .failures = i < failures_.size() ? failures_[i] : failure_counts{},
                 .first_fault = one.first_fault.empty() ? "" : one.name + ": " + one.first_fault,
                 .is_left = is_at_work});
        }
        return out;
    }

private:
    void take(study_outcome const& one, study_board const& board)
    {
        std::optional<point> const at = texts_->point_at(one.values);
        evaluation seen = one.seen;
        auto* const why = std::get_if<failure>(&seen.result);
        std::string const text = text_of(search_.space().describe(), *at);
        study_worker const& by = board.workers()[one.worker];
        failures_.resize(board.workers().size());
        if (why != nullptr && one.is_fault) {
            bool const is_first = why->reason == by.first_fault;
            why->reason = by.name + ": " + why->reason;
            if (is_first && told_faults_.insert(one.worker).second)
                announce(shown_text(why->reason) + ", at " + text);
        }
        if (asked_.contains(*at))
            search_.tell(*at, seen);
        else
            search_.observe(*at, seen);
        std::vector<quantity_bound> const& bounds = options_->minimize.bounds;
        outcome const checked = within_bounds(bounds, bounded_numbers(bounds, seen), seen.result);
        run_.add(*at, checked, text);
        if (auto const* const failed = std::get_if<failure>(&checked))
            ++failures_[one.worker][static_cast<std::size_t>(failed->stage)];
        if (search_.best() && search_.best()->first == *at)
            best_quantities_ = std::move(seen.quantities);
        std::erase(held_, *at);
    }

    [[nodiscard]] std::vector<point>::iterator free_held(study_board const& board)
    {
        return std::ranges::find_if(held_, [&](point const& at) {
            return board.holder_of(texts_->values_at(at)) == nullptr;
        });
    }

    study_configurations const* texts_;
    study_options const* options_;
    optimizer_core search_;
    run_state run_;
    std::size_t delivered_ = 0;                     ///< outcomes that the search has taken
    std::unordered_set<point, point_hash> asked_{}; ///< proposals of this search
    std::vector<point> held_{};              ///< asked, without an outcome, and not evaluated here
    std::vector<failure_counts> failures_{}; ///< by worker
    std::unordered_set<std::size_t> told_faults_{}; ///< workers whose faults were announced
    std::vector<quantity> best_quantities_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
