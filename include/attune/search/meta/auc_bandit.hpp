// attune/search/meta/auc_bandit.hpp - several searches share their results; successful ones are asked more often.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 3.2.1: the meta techniques of OpenTuner (Ansel et al. 2014)
// Source   credit_window: Fialho, Da Costa, Schoenauer, Sebag, "Analyzing bandit-based adaptive
//          operator selection mechanisms", 2010 (area under the curve). Own: log2 of the present
//          number of events, where the thesis leaves the base open
// Bench    bench/search/bandit.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/owned_state.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The last events of several techniques. An event is one use of one technique, with or without a
/// new best.
class credit_window {
public:
    /// @param window  the most events that are kept; >= 1
    credit_window(std::size_t techniques, std::size_t window)
        : credits_(techniques)
        , events_(window)
    {
        ATTUNE_ASSERT(window > 0, "a window keeps at least one event");
    }

    /// Adds a technique without uses; its number is the largest.
    void add_technique() { credits_.emplace_back(); }

    /// Adds an event; the oldest leaves a full window.
    /// Cost     O(1)
    void push(std::size_t technique, bool is_best)
    {
        if (count_ == events_.size())
            forget(events_[next_]);
        else
            ++count_;
        credit& of = credits_[technique];
        ++of.uses;
        if (is_best) {
            of.area += of.uses;
            ++of.bests;
        }
        events_[next_] = {static_cast<std::uint32_t>(technique), is_best};
        next_ = next_ + 1 < events_.size() ? next_ + 1 : 0;
    }

    /// Number of events in the window; then of uses of one technique among them.
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] std::size_t uses(std::size_t technique) const { return credits_[technique].uses; }

    /// 2 / (n (n + 1)) times the sum of numbers of uses with a new best; the n uses are numbered
    /// from the oldest. In [0, 1]; late uses count most. 0 without uses.
    /// Cost     O(1)
    [[nodiscard]] double area(std::size_t technique) const
    {
        credit const& of = credits_[technique];
        if (of.uses == 0) return 0;
        double const n = static_cast<double>(of.uses);
        return 2 * static_cast<double>(of.area) / (n * (n + 1));
    }

    /// area + exploration * sqrt(2 log2(events) / uses); infinite without uses.
    /// Cost     O(1)
    [[nodiscard]] double score(std::size_t technique, double exploration) const
    {
        std::size_t const used = uses(technique);
        if (used == 0) return std::numeric_limits<double>::infinity();
        double const events = static_cast<double>(count_);
        return area(technique) +
               exploration * std::sqrt(2 * std::log2(events) / static_cast<double>(used));
    }

private:
    struct event {
        std::uint32_t technique = 0;
        bool is_best = false;
    };
    struct credit {
        std::uint64_t uses = 0;
        std::uint64_t bests = 0;
        std::uint64_t area = 0; ///< sum of the numbers of the uses that were new bests
    };

    /// Every later use of the same technique moves one place down.
    void forget(event const& oldest)
    {
        credit& of = credits_[oldest.technique];
        --of.uses;
        of.area -= of.bests;
        if (oldest.is_best) --of.bests;
    }

    std::vector<credit> credits_;
    std::vector<event> events_; ///< a ring
    std::size_t next_ = 0;
    std::size_t count_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

/// Several techniques that share their results: all receive every outcome, also those measured
/// elsewhere.
class shared_search {
public:
    struct state;

    [[nodiscard]] std::vector<point> ask(std::size_t k);
    void tell(point const& p, outcome const& result);
    void tell_metrics(point const& p, std::span<double const> numbers);
    void tell_excess(point const& p, double value, std::span<double const> excess);
    void inform(std::vector<past_session> const& past);

    /// Gains of each technique so far, in the order of the constructor.
    [[nodiscard]] std::vector<technique_use> uses() const;
    /// Name of the technique that proposed `p`; empty if none did, or after its outcome.
    [[nodiscard]] std::string proposer_of(point const& p) const;

protected:
    explicit shared_search(attune::detail::owned_state<state> with) noexcept;

    attune::detail::owned_state<state> state_;
};

} // namespace detail

struct auc_bandit_options {
    std::size_t window = 500;  ///< the most events that count; >= 1
    double exploration = 0.05; ///< C; 0.15 and 0.45 ask unsuccessful techniques more often

    bool operator==(auc_bandit_options const&) const = default;
};

/// Asks the technique with the highest credit: area + C sqrt(2 log2(events) / uses), see
/// detail::credit_window. The area is large after recent new bests; the root is large after few
/// uses. A technique that was never asked comes first; of equals a random one. A technique without
/// a proposal gets a use without success, and the next one is asked.
///
/// An outcome counts for the technique that proposed its configuration, at the time of tell(). A
/// bandit is a searcher, and can be a technique of another bandit.
/// Cost   O(1) per event and technique, besides the techniques' work on outcomes
class auc_bandit : public detail::shared_search {
public:
    /// @param among  at least one
    auc_bandit(chain_of_trees space, std::uint64_t seed, std::vector<technique> among,
               auc_bandit_options const& options = {});
};

/// Asks each technique in turn.
class round_robin : public detail::shared_search {
public:
    /// @param among  at least one
    round_robin(chain_of_trees space, std::uint64_t seed, std::vector<technique> among);
};

/// A bandit as a technique, for another bandit or for options.search. Its name is
/// "auc_bandit;exploration,0.05;window,500 {name of a technique} {...}".
[[nodiscard]] technique auc_bandit_of(std::vector<technique> among,
                                      auc_bandit_options const& options = {});
/// A round robin as a technique: "round_robin {name of a technique} {...}".
[[nodiscard]] technique round_robin_of(std::vector<technique> among);

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/meta/auc_bandit.ipp>
#endif
