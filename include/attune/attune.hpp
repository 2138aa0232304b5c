// attune/attune.hpp - everything light: the only header most programs include.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> measure -> remember, closed by tune
// In       the public headers of all stages
// Out      the whole library but the compilers that bring their own dependencies: include
//          <attune/compile/clang.hpp>, or nvrtc.hpp beside it for GPUs
// Source   own
// Depends  std and Boost.Hana; never LLVM, CUDA, Eigen or JSON
// Tests    tests/attune.cpp     Bench  bench/core/include_cost.cpp
//
// What is not a template is compiled once: the CMake targets do that. Without CMake, exactly one
// file defines ATTUNE_IMPLEMENTATION before it includes this header.
#pragma once

#include <attune/compile/embedded.hpp>
#include <attune/compile/system.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/store.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/search/exhaustive.hpp>
#include <attune/search/random.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/tune.hpp>

#ifdef ATTUNE_IMPLEMENTATION
#include <attune/search/search.ipp>
#include <attune/space/space.ipp>
#include <attune/tune/tune.ipp>
#endif
