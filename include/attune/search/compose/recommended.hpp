// attune/search/compose/recommended.hpp - a bandit whose techniques change as a history recommends, and a search of recommended techniques.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 6.1 and 7.1: rec-bndt-dbi, if the history has techniques.
//          Own: a technique that joins receives all outcomes so far; in the thesis it measures a
//          separate population
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/meta/auc_bandit.hpp>
#include <attune/search/meta/recommendation.hpp>
#include <attune/search/meta/technique_history.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// Makes the technique of a name; nothing for an unknown name.
using technique_maker = std::function<std::optional<technique>(std::string_view name)>;

struct recommending_bandit_options {
    auc_bandit_options bandit{};
    std::size_t interval = 50; ///< outcomes between two recommendations; the thesis uses 25
    /// The most techniques of the start set that come from the problem with the most similar space;
    /// 0: the start set is that of the constructor. The thesis calls this database initialised.
    std::size_t from_history = 5;
    /// The most configurations of other sessions that are tried first: see transferred_starts().
    /// All techniques receive their outcomes, and none gets credit. 0: none.
    std::size_t starts = 3;

    /// The thesis' `rec`: techniques of the set take equal turns.
    [[nodiscard]] static recommending_bandit_options without_bandit()
    {
        return {.bandit = {.exploration = 1e9}};
    }
    bool operator==(recommending_bandit_options const&) const = default;
};

/// An auc_bandit that starts with techniques that were good elsewhere. After every `interval`
/// outcomes it replaces its worst technique, if the history recommends another one: see
/// recommend_start() and recommend_next(). uses() gives a line of a history, with replaced
/// techniques. inform() also gives starts; @pre no ask() or tell() yet.
class recommending_bandit : public detail::shared_search {
public:
    /// @param past   history of other searches
    /// @param make   makes techniques of the history from names
    /// @param start  at least one; fill up the set if the history has fewer than `from_history`
    recommending_bandit(chain_of_trees space, std::uint64_t seed, technique_history past,
                        technique_maker make, std::vector<technique> start,
                        recommending_bandit_options const& options = {});

    /// Replaces the constructor's history. @pre  no ask() or tell() yet
    void learn_from(technique_history const& past);

    /// All recommendations that were followed, in order.
    [[nodiscard]] std::vector<technique_advice> const& advice() const;
    /// The first configurations from other sessions; empty before the first ask().
    [[nodiscard]] std::vector<point> const& starts() const;

private:
    struct recommending_state;
    [[nodiscard]] recommending_state& own() const;
};

namespace detail {

/// The strategy() of recommended() with its usual options; not a name for parse_technique().
inline constexpr char const* recommended_name = "recommended";

} // namespace detail

/// A recommending_bandit over all techniques that have names. Without a history it starts with
/// technique_set_for() the space.
/// @param past  history; a tuning replaces it by the file of options.search.techniques
/// Example  auto best = attune::minimize(space, f, {.search = attune::search::recommended(past)});
[[nodiscard]] search_factory recommended(technique_history past = {},
                                         recommending_bandit_options const& options = {});

/// The twelve search approaches of the thesis: "bndt-", "rec-bndt-" or "rec-", followed by "A",
/// "pgd", "D" or "dbi".
[[nodiscard]] std::vector<std::string> approach_names();
/// The approach with this name. "bndt" is an AUC bandit. "rec-bndt" is a recommending_bandit that
/// changes a technique after every 25 outcomes; "rec" is the same with equal turns of techniques.
/// Sets A, pgd and D are those of technique_sets.hpp. "dbi" starts with five techniques of the most
/// similar problem of the history, filled up from set A.
/// Errors   attune::error: `name` is not in approach_names()
/// Source   Wu 2015, Table 7.1
[[nodiscard]] search_factory approach(std::string_view name, technique_history past = {});

/// Makes techniques from their names, as parse_technique(), for a recommending_bandit.
[[nodiscard]] technique_maker techniques_by_name();

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/recommended.ipp>
#endif
