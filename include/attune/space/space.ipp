// attune/space/space.ipp - all of declare and space that is not a template.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of a program: that of the CMake target attune::attune,
// or the file that defines ATTUNE_IMPLEMENTATION.
#pragma once

#include <attune/core/number_text.ipp>
#include <attune/declare/declare.ipp>
#include <attune/space/chain_of_trees.ipp>
#include <attune/space/configurations.ipp>
#include <attune/space/explanation.ipp>
#include <attune/space/marginals.ipp>
#include <attune/space/nearest.ipp>
#include <attune/space/neighbours.ipp>
#include <attune/space/sample_distinct.ipp>
#include <attune/space/space_report.ipp>
#include <attune/space/tree.ipp>
#include <attune/space/wide_tree.ipp>
