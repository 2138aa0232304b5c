// attune/space/space.ipp - all of declare and space that is not a template.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of a program: that of the CMake target attune::attune,
// or the file that defines ATTUNE_IMPLEMENTATION.
#pragma once

#include <attune/declare/declare.ipp>
#include <attune/space/chain_of_trees.ipp>
#include <attune/space/tree.ipp>
