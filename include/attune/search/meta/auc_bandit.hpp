// attune/search/meta/auc_bandit.hpp - several searches share their results; the successful are asked.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 3.2.1: the meta techniques of OpenTuner (Ansel et al. 2014)
// Bench    bench/search/bandit.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/meta/technique.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

struct auc_bandit_options {
    std::size_t window = 500;  ///< most events that count; >= 1
    double exploration = 0.05; ///< C: 0.15 and 0.45 ask unsuccessful techniques more often

    bool operator==(auc_bandit_options const&) const = default;
};

/// Asks the technique that found new bests most often of late, the later the better, or that was
/// asked seldom: by credit area + C sqrt(2 log2(events) / uses), see detail::credit_window. One
/// never asked comes first; of equals a random one. A technique that proposes nothing counts as
/// used in vain, and the next one is asked.
///
/// Every outcome is told to all techniques, also those that something else measured. An outcome
/// counts for the technique that proposed its configuration, when it is told. A bandit is a
/// searcher, so that it is a technique of another bandit, too.
/// Cost   O(1) per event and technique, besides what techniques do with outcomes
class auc_bandit {
public:
    /// @param among  at least one
    auc_bandit(chain_of_trees space, std::uint64_t seed, std::vector<technique> among,
               auc_bandit_options const& options = {});
    ~auc_bandit();
    auc_bandit(auc_bandit&&) noexcept;
    auc_bandit& operator=(auc_bandit&&) noexcept;

    [[nodiscard]] std::vector<point> ask(std::size_t k);
    void tell(point const& p, outcome const& result);
    void tell_metrics(point const& p, std::span<double const> numbers);
    void tell_excess(point const& p, double value, std::span<double const> excess);
    void inform(std::vector<past_session> const& past);

    /// What each technique gained so far, in the order of the constructor.
    [[nodiscard]] std::vector<technique_use> uses() const;
    /// Name of the technique that proposed `p`; empty: none did, or its outcome was told.
    [[nodiscard]] std::string proposer_of(point const& p) const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// Asks each technique in turn; every outcome is told to all. Otherwise as auc_bandit.
class round_robin {
public:
    /// @param among  at least one
    round_robin(chain_of_trees space, std::uint64_t seed, std::vector<technique> among);
    ~round_robin();
    round_robin(round_robin&&) noexcept;
    round_robin& operator=(round_robin&&) noexcept;

    [[nodiscard]] std::vector<point> ask(std::size_t k);
    void tell(point const& p, outcome const& result);
    void tell_metrics(point const& p, std::span<double const> numbers);
    void tell_excess(point const& p, double value, std::span<double const> excess);
    void inform(std::vector<past_session> const& past);

    /// What each technique gained so far, in the order of the constructor.
    [[nodiscard]] std::vector<technique_use> uses() const;
    /// Name of the technique that proposed `p`; empty: none did, or its outcome was told.
    [[nodiscard]] std::string proposer_of(point const& p) const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// A bandit as a technique, for another bandit or for options.search. Its name is
/// "auc_bandit;exploration,0.05;window,500 {name of a technique} {...}".
[[nodiscard]] technique auc_bandit_of(std::vector<technique> among,
                                      auc_bandit_options const& options = {});
/// The same for a round robin: "round_robin {name of a technique} {...}".
[[nodiscard]] technique round_robin_of(std::vector<technique> among);

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/meta/auc_bandit.ipp>
#endif
