// attune/unit/techniques.hpp - the definitions of the techniques that are made of parts: search/compose/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target
// attune::techniques. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/search/compose/bases.ipp>
#include <attune/search/compose/closed.ipp>
#include <attune/search/compose/composed.ipp>
#include <attune/search/compose/gene.ipp>
#include <attune/search/compose/operators.ipp>
#include <attune/search/compose/order_operators.ipp>
#include <attune/search/compose/recommended.ipp>
#include <attune/search/compose/selector_operators.ipp>
#include <attune/search/compose/simplex.ipp>
#include <attune/search/compose/technique_sets.ipp>
#include <attune/search/compose/technique_text.ipp>
