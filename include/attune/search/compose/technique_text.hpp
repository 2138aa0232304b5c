// attune/search/compose/technique_text.hpp - makes techniques of their names.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 5.2
//
//   name       := meta | technique
//   meta       := root {;setting,value} { blank "{" name "}" }          auc_bandit, round_robin
//   technique  := root {;setting,value} { blank kind;operator;[...] }   a base with operators
//              |  root {;setting,value}                                 a closed technique
//   [...]      := [argument,...,[[setting,value],...]]; what is left out has its default
//   Braces are at most 16 deep, whole numbers at most 1,000,000.
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/compose/vocabulary.hpp>
#include <attune/search/meta/technique.hpp>

#include <string_view>

namespace attune::inline ATTUNE_ABI::search {

/// The technique of a name. Its own name is the full one, with all settings.
/// Errors  attune::error, which says where the name is wrong: an unknown word or setting, a value
///         that is no number or too large a one, an operator that the kind does not have or that
///         needs more parents than the base promises, braces that are more than 16 deep
[[nodiscard]] technique parse_technique(std::string_view name, vocabulary const& known = {});

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/technique_text.ipp>
#endif
