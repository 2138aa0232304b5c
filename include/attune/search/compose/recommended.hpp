// attune/search/compose/recommended.hpp - the search whose techniques are recommended by the past.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 6.1 and 7.1: rec-bndt-dbi, where the history has something
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/meta/recommending_bandit.hpp>
#include <attune/search/meta/technique_history.hpp>
#include <attune/search/searcher.hpp>

namespace attune::inline ATTUNE_ABI::search {

/// A recommending_bandit over all techniques that have names. Without a history it begins as
/// OpenTuner does, with technique_set_a().
/// @param past  a tuning with options.search.techniques gives it the history of that file instead
/// Example  auto best = attune::minimize(space, f, {.search = attune::search::recommended(past)});
[[nodiscard]] search_factory recommended(technique_history past = {},
                                         recommending_bandit_options const& options = {});

/// Makes techniques of their names, as parse_technique(), for a recommending_bandit.
[[nodiscard]] technique_maker techniques_by_name();

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/recommended.ipp>
#endif
