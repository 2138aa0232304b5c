// attune/search/fidelity/hyperband.hpp - many configurations get a small budget, the best of them more.
// SPDX-License-Identifier: MIT
// Source   Li, Jamieson, DeSalvo, Rostamizadeh, Talwalkar, "Hyperband", JMLR 18, 2018, Algorithm 1;
//          successive halving: Jamieson & Talwalkar 2016; a searcher instead of random draws: as
//          BOHB, Falkner, Klein, Hutter 2018. Own: a configuration that failed does not go on; the
//          best is looked for at the largest budget alone, because values of different budgets need
//          not be comparable; within one bracket no configuration is drawn twice
// Bench    bench/search/fidelity.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// One step of successive halving: so many configurations run, each with this budget.
struct halving_rung {
    std::size_t count = 0; ///< >= 1
    double budget = 0;

    friend bool operator==(halving_rung const&, halving_rung const&) = default;
};

struct hyperband_options {
    static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

    /// Budgets of one evaluation, in the objective's own unit: epochs, samples, seconds. Those in
    /// between are most_budget / eta^k, whole numbers where that is one.
    double least_budget = 1;
    double most_budget = 81; ///< R of the paper is most_budget / least_budget
    double eta = 3;          ///< > 1: one in eta goes on, with eta times the budget
    /// Of one round, the ones with most configurations. 1: successive halving alone.
    std::size_t brackets = all;
    /// How often all brackets run.
    std::size_t rounds = 1;
    /// The sum of the budgets of all trials; ends the search before the trial that would exceed it.
    double total_budget = std::numeric_limits<double>::infinity();
    /// What the first bracket begins with, such as the default configuration; at most as many as
    /// the bracket has. Repeated ones, and those outside the space, are left out.
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
    std::uint32_t bracket = 0; ///< counts all brackets that began, from 0
    std::uint32_t rung = 0;    ///< of the bracket, from 0

    friend bool operator==(fidelity_trial const&, fidelity_trial const&) = default;
};

/// A configuration, its value, and the budget that it had.
struct fidelity_best {
    point where;
    double value = 0;
    double budget = 0;
};

/// Ask and tell for objectives with a fidelity. In each bracket, n configurations get a budget r;
/// the n / eta best of them get r * eta, and so on up to the most; the brackets differ in n and r.
///
///   attune::hyperband search(space, seed, {.least_budget = 1, .most_budget = 81});
///   for (auto next = search.ask(4); !next.empty(); next = search.ask(4))
///       for (attune::fidelity_trial const& t : next)
///           search.tell(t, cost(t.where, t.budget));
///
/// - Several may be asked for at once, and told in any order. A rung ends when all its outcomes are
///   told; until then, further brackets begin.
/// - A failure is worse than every value, and does not go on; where all fail the bracket ends. Of
///   equal values, the one asked first goes on.
/// - A bracket that wants more configurations than the space has gets them all.
/// - Equal seeds and equal calls give equal trials.
/// Cost   microseconds per trial, without those of the searcher
class hyperband {
public:
    /// @param search  proposes configurations; empty: uniform draws. Each budget has a searcher of
    ///                its own, which proposes the configurations that begin with this budget and is
    ///                told all outcomes at it, also those of configurations that began with less.
    ///                So values of different budgets never meet
    /// Errors   attune::error: see hyperband_brackets()
    explicit hyperband(chain_of_trees space, std::uint64_t seed = 0,
                       hyperband_options const& options = {}, search_factory const& search = {});
    ~hyperband();
    hyperband(hyperband&&) noexcept;
    hyperband& operator=(hyperband&&) noexcept;

    /// Up to `k` trials; fewer, or none, where all others wait for outcomes that are not told yet,
    /// and when the search is finished().
    [[nodiscard]] std::vector<fidelity_trial> ask(std::size_t k = 1);
    /// The outcome of a trial that was asked; a value that is infinite or NaN is a failure.
    /// Errors  attune::error: the trial was never asked, or its outcome is told already
    void tell(fidelity_trial const& asked, outcome const& result);

    /// Whether ask() gives nothing any more, whatever is told.
    [[nodiscard]] bool is_finished() const noexcept;
    /// The lowest value at the largest budget with which anything worked, the first one of equals;
    /// nothing before the first success.
    [[nodiscard]] std::optional<fidelity_best> const& best() const noexcept;
    /// The sum of the budgets of all trials that were asked.
    [[nodiscard]] double spent() const noexcept;
    [[nodiscard]] chain_of_trees const& space() const noexcept;

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/fidelity/hyperband.ipp>
#endif
