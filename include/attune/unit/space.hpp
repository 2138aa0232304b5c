// attune/unit/space.hpp - the definitions of the stage space/, without its file formats.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::space. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/space/chain_of_trees.ipp>
#include <attune/space/kept_settings.ipp>
#include <attune/space/query/configurations.ipp>
#include <attune/space/query/explanation.ipp>
#include <attune/space/query/marginals.ipp>
#include <attune/space/query/nearest.ipp>
#include <attune/space/query/reduced.ipp>
#include <attune/space/query/sample_distinct.ipp>
#include <attune/space/query/space_report.ipp>
#include <attune/space/tree/tree.ipp>
#include <attune/space/tree/wide_tree.ipp>
