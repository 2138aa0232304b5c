// attune/unit/ship.hpp - the definitions of the stage ship/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::ship. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/ship/bake.ipp>
#include <attune/ship/bake/bake_plan.ipp>
#include <attune/ship/bake/bake_text.ipp>
#include <attune/ship/bake/build_proofs.ipp>
#include <attune/ship/bake/device_images.ipp>
#include <attune/ship/bake/opencl_images.ipp>
#include <attune/ship/export_header.ipp>
#include <attune/ship/prepared_compiler.ipp>
#include <attune/ship/report/problem_report.ipp>
#include <attune/ship/report/watch.ipp>
#include <attune/ship/report/write_html.ipp>
