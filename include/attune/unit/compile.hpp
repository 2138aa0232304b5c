// attune/unit/compile.hpp - the definitions of the stage compile/ but NVRTC; Clang and LLVM are in the Clang module.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::compile. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/compile/ahead/ahead.ipp>
#include <attune/compile/any_compiler.ipp>
#include <attune/compile/cache/object_cache.ipp>
#include <attune/compile/cache/request_key.ipp>
#include <attune/compile/clang.ipp>
#include <attune/compile/source/annotations.ipp>
#include <attune/compile/source/compile_request.ipp>
#include <attune/compile/source/embedded.ipp>
#include <attune/compile/source/generated.ipp>
#include <attune/compile/source/source.ipp>
#include <attune/compile/system.ipp>
#include <attune/compile/system/called_code.ipp>
#include <attune/compile/system/code_size.ipp>
#include <attune/compile/system/libraries.ipp>
#include <attune/compile/system/object_key.ipp>
#include <attune/compile/system/process.ipp>
#include <attune/compile/system/shared_code.ipp>
