// attune/search/compose/random_technique.hpp - techniques and bandits by chance.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 5.4: how its historical data was made
// tested by search/compose/technique_text.cpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/search/compose/vocabulary.hpp>
#include <attune/search/meta/technique.hpp>

#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// A technique by chance: a base, and for each kind of parameters that the space has an operator
/// with random settings.
/// @param space  bound
[[nodiscard]] technique random_technique(random_engine& engine, description const& space,
                                         vocabulary const& known = {});

/// A bandit by chance: of five random techniques, one in two of `library`; window 500, 200 or 100,
/// exploration 0.05, 0.15 or 0.45.
/// Source  Wu 2015, Sec. 5.4
/// @param library  at least one
[[nodiscard]] technique random_bandit(random_engine& engine, description const& space,
                                      std::vector<technique> const& library,
                                      vocabulary const& known = {});

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/random_technique.ipp>
#endif
