// attune/unit/compile.hpp - the definitions of compile/ without NVRTC; the Clang module has Clang.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::compile. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/compile/ahead/ahead.ipp>
#include <attune/compile/cache/object_cache.ipp>
#include <attune/compile/clang.ipp>
#include <attune/compile/compiler.ipp>
#include <attune/compile/source/annotations.ipp>
#include <attune/compile/source/source.ipp>
#include <attune/compile/system.ipp>
#include <attune/compile/system/libraries.ipp>
#include <attune/compile/system/object_key.ipp>
#include <attune/compile/system/process.ipp>
#include <attune/compile/system/shared_code.ipp>
