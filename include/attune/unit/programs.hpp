// attune/unit/programs.hpp - the definitions of programs: declare/nest/, space/schedule/, compile/nest/, tune/program/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::programs. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/compile/nest/nest_text.ipp>
#include <attune/compile/nest/write_device_program.ipp>
#include <attune/compile/nest/write_program.ipp>
#include <attune/declare/nest/loop_program.ipp>
#include <attune/declare/nest/nest_rows.ipp>
#include <attune/space/schedule/derived_space.ipp>
#include <attune/space/schedule/device/device_features.ipp>
#include <attune/space/schedule/device/device_space.ipp>
#include <attune/space/schedule/loop_tree.ipp>
#include <attune/space/schedule/metaschedule.ipp>
#include <attune/space/schedule/placement.ipp>
#include <attune/space/schedule/program_features.ipp>
#include <attune/space/schedule/rewrite.ipp>
#include <attune/space/schedule/trace.ipp>
#include <attune/space/schedule/transform.ipp>
#include <attune/tune/program/program_facts.ipp>
#include <attune/tune/program/program_source.ipp>
