// attune/search/techniques.hpp - techniques with names, the classical searches, and bandits among them.
// SPDX-License-Identifier: MIT
// tested by search/compose/technique_text.cpp
//
// Compiled by the target attune::techniques.
#pragma once

#include <attune/search/compose/closed.hpp>
#include <attune/search/compose/composed.hpp>
#include <attune/search/compose/recommended.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/compose/technique_text.hpp>
#include <attune/search/meta/auc_bandit.hpp>
