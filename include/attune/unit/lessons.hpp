// attune/unit/lessons.hpp - the definitions of lessons from other tunings, and their files.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::lessons. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/remember/files/sample_file.ipp>
#include <attune/tune/dispatch/choice/kept_lessons.ipp>
#include <attune/tune/lessons.ipp>
