// attune/search/hyperband.hpp - gives many configurations a small budget, and the best ones more.
// SPDX-License-Identifier: MIT
// Source   Li, Jamieson, DeSalvo, Rostamizadeh, Talwalkar, "Hyperband", JMLR 18, 2018, Algorithm 1;
//          successive halving: Jamieson & Talwalkar 2016; a searcher instead of random draws: as
//          BOHB, Falkner, Klein, Hutter 2018. Own: a failed configuration is not promoted; the best
//          is only searched at the largest budget, because values of different budgets may not be
//          comparable; within one bracket no configuration is drawn twice
// Bench    bench/search/fidelity.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/owned_state.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A step of successive halving: `count` configurations run, each with this budget.
struct halving_rung {
    std::size_t count = 0; ///< >= 1
    double budget = 0;

    friend bool operator==(halving_rung const&, halving_rung const&) = default;
};

struct hyperband_options {
    static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

    /// Budgets of one evaluation, in the objective's own unit: epochs, samples, seconds. Budgets in
    /// between are most_budget / eta^k, exact if whole.
    double least_budget = 1;
    double most_budget = 81; ///< R of the paper is most_budget / least_budget
    double eta = 3; ///< > 1: one configuration in eta is promoted, with eta times the budget
    /// Number of brackets per round, largest first. 1: successive halving alone.
    std::size_t brackets = all;
    /// Number of rounds over all brackets.
    std::size_t rounds = 1;
    /// Limit of the sum of all budgets. The search ends before a trial that would exceed it.
    double total_budget = std::numeric_limits<double>::infinity();
    /// The first configurations of the first bracket, such as the default; at most as many as the
    /// bracket has. Repeated ones, and those outside the space, are ignored.
    std::vector<point> first{};
};

/// The rungs of each bracket, the bracket with most configurations first. For budgets from 1 to 81
/// and eta 3, as in Table 1 of the paper: 81 at 1, 27 at 3, 9 at 9, 3 at 27, 1 at 81; 34 at 3, 11
/// at 9, ...; 5 at 81.
/// Errors  attune::error: budgets that are not positive and finite, least above most, eta <= 1, or
///         a bracket of more than 2^24 configurations
[[nodiscard]] std::vector<std::vector<halving_rung>>
hyperband_brackets(hyperband_options const& options = {});

/// A configuration to be evaluated with a budget.
struct fidelity_trial {
    point where;
    double budget = 0;
    std::uint32_t bracket = 0; ///< counts all started brackets, from 0
    std::uint32_t rung = 0;    ///< of the bracket, from 0

    friend bool operator==(fidelity_trial const&, fidelity_trial const&) = default;
};

/// A configuration, its value, and its budget.
struct fidelity_best {
    point where;
    double value = 0;
    double budget = 0;
};

/// Ask and tell for objectives with a fidelity. In each bracket, n configurations get a budget r;
/// the n / eta best of them get r * eta, up to the largest budget. Brackets differ in n and r.
///
///   attune::hyperband search(space, seed, {.least_budget = 1, .most_budget = 81});
///   for (auto next = search.ask(4); !next.empty(); next = search.ask(4))
///       for (attune::fidelity_trial const& t : next)
///           search.tell(t, cost(t.where, t.budget));
///
/// - A caller may ask for several trials at once, and tell outcomes in any order. A rung ends after
///   all its outcomes; until then, further brackets start.
/// - A failure is worse than every value, and is never promoted; a bracket ends if all fail. Of
///   equal values, the one asked first is promoted.
/// - A bracket for more configurations than the space has gets them all.
/// - Equal seeds and equal calls give equal trials.
/// Cost   microseconds per trial, without those of the searcher
class hyperband {
public:
    /// @param search  proposes configurations; empty: uniform draws. Each budget has a separate
    ///                searcher. It proposes the configurations that start with this budget, and
    ///                receives all outcomes at it, also of configurations that started with less.
    ///                No searcher compares values of different budgets
    /// Errors   attune::error: see hyperband_brackets()
    explicit hyperband(chain_of_trees space, std::uint64_t seed = 0,
                       hyperband_options const& options = {}, search_factory const& search = {});

    /// Up to `k` trials. Fewer, or none, if all other trials wait for outcomes, or the search
    /// is_finished().
    [[nodiscard]] std::vector<fidelity_trial> ask(std::size_t k = 1);
    /// Sets the outcome of a trial of ask(); an infinite or NaN value is a failure.
    /// Errors  attune::error: the trial is not from ask(), or already has an outcome
    void tell(fidelity_trial const& asked, outcome const& result);

    /// Returns true if ask() has no more trials, whatever the outcomes.
    [[nodiscard]] bool is_finished() const noexcept;
    /// The lowest value at the largest budget with a success, the first one of equals; nothing
    /// before the first success.
    [[nodiscard]] std::optional<fidelity_best> const& best() const noexcept;
    /// The sum of the budgets of all trials of ask().
    [[nodiscard]] double spent() const noexcept;
    [[nodiscard]] chain_of_trees const& space() const noexcept;

private:
    struct state;
    detail::owned_state<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/hyperband.ipp>
#endif
