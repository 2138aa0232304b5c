// attune/attune.hpp - everything light: the only header most programs include.
// SPDX-License-Identifier: MIT
//
// What is not a template is compiled once: the CMake targets do that. Without CMake, exactly one
// file defines ATTUNE_IMPLEMENTATION before it includes this header.
#pragma once

#include <attune/compile/source/embedded.hpp>
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
#include <attune/unit/search.hpp>
#include <attune/unit/space.hpp>
#include <attune/unit/tune.hpp>
#endif
