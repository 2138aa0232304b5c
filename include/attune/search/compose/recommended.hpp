// attune/search/compose/recommended.hpp - the search whose techniques are recommended by the past.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 6.1 and 7.1: rec-bndt-dbi, where the history has something
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/meta/recommending_bandit.hpp>
#include <attune/search/meta/technique_history.hpp>
#include <attune/search/searcher.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

/// The strategy() of recommended() with its usual options: no name of parse_technique().
inline constexpr char const* recommended_name = "recommended";

} // namespace detail

/// A recommending_bandit over all techniques that have names. Without a history it begins with
/// technique_set_for() the space.
/// @param past  a tuning with options.search.techniques gives it the history of that file instead
/// Example  auto best = attune::minimize(space, f, {.search = attune::search::recommended(past)});
[[nodiscard]] search_factory recommended(technique_history past = {},
                                         recommending_bandit_options const& options = {});

/// The twelve search approaches of the thesis: "bndt-A", "bndt-pgd", "bndt-D", "bndt-dbi", the same
/// with "rec-bndt-" and with "rec-".
[[nodiscard]] std::vector<std::string> approach_names();
/// One of them. "bndt" is an AUC bandit, "rec-bndt" a recommending_bandit that changes a technique
/// after every 25 outcomes, "rec" the same where techniques are asked equally often. Sets A, pgd
/// and D are those of technique_sets.hpp; "dbi" begins with five techniques of the most similar
/// problem of the history, with set A as far as it has fewer.
/// Errors   attune::error: none of approach_names()
/// Source   Wu 2015, Table 7.1
[[nodiscard]] search_factory approach(std::string_view name, technique_history past = {});

/// Makes techniques of their names, as parse_technique(), for a recommending_bandit.
[[nodiscard]] technique_maker techniques_by_name();

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/recommended.ipp>
#endif
