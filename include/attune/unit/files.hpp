// attune/unit/files.hpp - all that reads and writes spaces as text.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of a program: that of the CMake target attune::files.
#pragma once

#include <attune/space/files/expression_parser.ipp>
#include <attune/space/files/read_json.ipp>
#include <attune/space/files/read_t1.ipp>
#include <attune/space/files/write_expression.ipp>
#include <attune/space/files/write_json.ipp>
#include <attune/space/files/write_smtlib.ipp>
#include <attune/space/files/write_t1.ipp>
