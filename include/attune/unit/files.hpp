// attune/unit/files.hpp - the definitions of spaces as files: space/files/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::files. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/space/files/expression_parser.ipp>
#include <attune/space/files/read_json.ipp>
#include <attune/space/files/read_nni.ipp>
#include <attune/space/files/read_t1.ipp>
#include <attune/space/files/recorded.ipp>
#include <attune/space/files/syntax_error.ipp>
#include <attune/space/files/write_expression.ipp>
#include <attune/space/files/write_json.ipp>
#include <attune/space/files/write_nni.ipp>
#include <attune/space/files/write_smtlib.ipp>
#include <attune/space/files/write_t1.ipp>
