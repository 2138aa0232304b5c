// attune/unit/techniques_meta.hpp - the definitions of searches and bandits among techniques: search/local/ and search/meta/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target
// attune::techniques. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/search/local/annealing.ipp>
#include <attune/search/local/populations.ipp>
#include <attune/search/meta/auc_bandit.ipp>
#include <attune/search/meta/recommendation.ipp>
#include <attune/search/meta/space_structure.ipp>
#include <attune/search/meta/technique_history.ipp>
