// attune/unit/lessons.hpp - what tunings learn from others, and the files of it.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::lessons. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/remember/files/sample_file.ipp>
#include <attune/tune/dispatch/choice/kept_samples.ipp>
#include <attune/tune/lessons.ipp>
