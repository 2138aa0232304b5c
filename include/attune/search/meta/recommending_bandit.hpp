// attune/search/meta/recommending_bandit.hpp - a bandit whose techniques are changed by what the past says.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 6.1. Own: a technique that joins is told all outcomes so
//          far, where the thesis measures a population of its own
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/meta/auc_bandit.hpp>
#include <attune/search/meta/recommendation.hpp>
#include <attune/search/meta/technique.hpp>
#include <attune/search/meta/technique_history.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// Makes the technique of a name; nothing for a name that it does not know.
using technique_maker = std::function<std::optional<technique>(std::string_view name)>;

struct recommending_bandit_options {
    auc_bandit_options bandit{};
    std::size_t interval =
        50; ///< outcomes between two recommendations; the thesis measures with 25
    /// Most techniques to begin with, from the problem with the most similar space; 0: those of the
    /// constructor. What the thesis calls database initialised.
    std::size_t from_history = 5;
    /// Configurations that are asked first where sessions elsewhere are known, at most: see
    /// transferred_starts(). They are no technique's merit, and all techniques are told their
    /// outcomes. 0: none.
    std::size_t starts = 3;

    /// The thesis' `rec`: all techniques of the set are asked equally often.
    [[nodiscard]] static recommending_bandit_options without_bandit()
    {
        return {.bandit = {.exploration = 1e9}};
    }
    bool operator==(recommending_bandit_options const&) const = default;
};

/// An auc_bandit that begins with what was good elsewhere and gives up its worst technique after
/// every `interval` outcomes, if the history recommends another one: see recommend_start() and
/// recommend_next(). Learns nothing for later by itself: uses() are a line of a history.
class recommending_bandit {
public:
    /// @param past   not that of this search
    /// @param make   techniques of the history by name
    /// @param start  at least one; in use as far as the history has fewer than `from_history`
    recommending_bandit(chain_of_trees space, std::uint64_t seed, technique_history past,
                        technique_maker make, std::vector<technique> start,
                        recommending_bandit_options const& options = {});
    ~recommending_bandit();
    recommending_bandit(recommending_bandit&&) noexcept;
    recommending_bandit& operator=(recommending_bandit&&) noexcept;

    [[nodiscard]] std::vector<point> ask(std::size_t k);
    void tell(point const& p, outcome const& result);
    void tell_metrics(point const& p, std::span<double const> numbers);
    void tell_excess(point const& p, double value, std::span<double const> excess);
    /// Sessions elsewhere, for the start and for techniques that learn from them; adds to those of
    /// earlier calls. @pre  nothing was asked or told yet
    void inform(std::vector<past_session> const& past);
    /// Another history in place of the constructor's. @pre  nothing was asked or told yet
    void learn_from(technique_history const& past);

    /// What each technique gained so far, also those that were given up.
    [[nodiscard]] std::vector<technique_use> uses() const;
    /// Name of the technique that proposed `p`; empty: none did, or its outcome was told.
    [[nodiscard]] std::string proposer_of(point const& p) const;
    /// Every recommendation that was followed, in order.
    [[nodiscard]] std::vector<technique_advice> const& advice() const;
    /// What sessions elsewhere recommend to begin with; empty before the first ask().
    [[nodiscard]] std::vector<point> const& starts() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/meta/recommending_bandit.ipp>
#endif
