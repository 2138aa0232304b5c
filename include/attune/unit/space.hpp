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
#include <attune/space/query/setting_list.ipp>
#include <attune/space/query/space_report.ipp>
#include <attune/space/schedule/buffers.ipp>
#include <attune/space/schedule/compute_at.ipp>
#include <attune/space/schedule/derived_space.ipp>
#include <attune/space/schedule/device/device_features.ipp>
#include <attune/space/schedule/device/device_space.ipp>
#include <attune/space/schedule/loop_tree.ipp>
#include <attune/space/schedule/metaschedule.ipp>
#include <attune/space/schedule/program_features.ipp>
#include <attune/space/schedule/rewrite.ipp>
#include <attune/space/schedule/rule.ipp>
#include <attune/space/schedule/space_builder.ipp>
#include <attune/space/schedule/structure.ipp>
#include <attune/space/schedule/trace.ipp>
#include <attune/space/schedule/transform.ipp>
#include <attune/space/tree/tree.ipp>
#include <attune/space/tree/wide_tree.ipp>
