// attune/unit/space.hpp - the definitions of chains of trees.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target attune::space.
// With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/space/chain_of_trees.ipp>
#include <attune/space/kept_settings.ipp>
#include <attune/space/tree/tree.ipp>
#include <attune/space/tree/wide_tree.ipp>
