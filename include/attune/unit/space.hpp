// attune/unit/space.hpp - all of declare and space that is not a template.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of a program: that of the CMake target attune::attune,
// or the file that defines ATTUNE_IMPLEMENTATION.
#pragma once

#include <attune/core/number_text.ipp>
#include <attune/space/chain_of_trees.ipp>
#include <attune/space/neighbours.ipp>
#include <attune/space/query/configurations.ipp>
#include <attune/space/query/explanation.ipp>
#include <attune/space/query/marginals.ipp>
#include <attune/space/query/nearest.ipp>
#include <attune/space/query/sample_distinct.ipp>
#include <attune/space/query/space_report.ipp>
#include <attune/space/tree/tree.ipp>
#include <attune/space/tree/wide_tree.ipp>
#include <attune/unit/declare.hpp>
