// attune/search/compose/recommended.hpp - a search whose techniques a history recommends.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 6.1 and 7.1: rec-bndt-dbi, if the history has techniques
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
