// attune/core/version.hpp - the one place where the version is written.
// SPDX-License-Identifier: MIT
//
// Stage    core, under all stages
// In       nothing
// Out      three macros and a string; CMakeLists.txt reads them from here
// Source   own
// Depends  nothing
// Tests    tests/core/version.cpp
#pragma once

#define ATTUNE_VERSION_MAJOR 0
#define ATTUNE_VERSION_MINOR 3
#define ATTUNE_VERSION_PATCH 0

namespace attune {

/// The version of these headers, "major.minor.patch".
inline constexpr char const* version = "0.3.0";

} // namespace attune
