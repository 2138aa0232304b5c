// attune/unit/remember.hpp - the definitions of the stage remember/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::remember. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/remember/call_coverage.ipp>
#include <attune/remember/files/event_log.ipp>
#include <attune/remember/files/t4.ipp>
#include <attune/remember/layers.ipp>
#include <attune/remember/lines/line_index.ipp>
#include <attune/remember/lines/record_line.ipp>
#include <attune/remember/lines/record_table.ipp>
#include <attune/remember/lines/store_content.ipp>
#include <attune/remember/lines/store_lines.ipp>
#include <attune/remember/memory_store.ipp>
#include <attune/remember/problem/call_facts.ipp>
#include <attune/remember/problem/choice_tree.ipp>
#include <attune/remember/problem/problem.ipp>
#include <attune/remember/record_store.ipp>
#include <attune/remember/shipped.ipp>
#include <attune/remember/store.ipp>
