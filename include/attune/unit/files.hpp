// attune/unit/files.hpp - the definitions of spaces as files: space/files/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::files. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

// clang-format off: nni and t1 use functions of the two before them
#include <attune/space/files/expression_parser.ipp>
#include <attune/space/files/read_json.ipp>
#include <attune/space/files/write_json.ipp>
#include <attune/space/files/nni.ipp>
#include <attune/space/files/recorded.ipp>
#include <attune/space/files/t1.ipp>
#include <attune/space/files/write_smtlib.ipp>
// clang-format on
