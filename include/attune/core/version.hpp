// attune/core/version.hpp - the version, and the compiler options that every header needs.
// SPDX-License-Identifier: MIT-0
#pragma once

// After an #error, compilers report hundreds of other errors. A missing include file ends the
// compiler, so the file's name is the only error. attune does not need run-time type information. A
// released program's header (ship/baked.hpp) does not need exceptions.
#if __cplusplus < 202002L
#include <attune needs C++20: compile with -std=c++20 or later, in CMake cxx_std_20>
#endif
#if !defined(__cpp_exceptions) && !defined(ATTUNE_RELEASED)
#include <attune needs exceptions: leave out -fno-exceptions for the files that include attune>
#endif

// attune's compiled libraries use one standard library, which they state here
// (attune_standard_library in AttuneComponents.cmake). With another one, the names of their
// functions differ.
#if defined(ATTUNE_LIBRARY_CXX11_ABI) && !defined(ATTUNE_HEADER_ONLY) && !defined(ATTUNE_OFF)
#include <version>
#ifndef __GLIBCXX__
#include <the libraries of attune were built with libstdc++: leave out -stdlib, or link attune::header_only, or configure with -DATTUNE_FROM_HEADERS=ON>
#elif _GLIBCXX_USE_CXX11_ABI != ATTUNE_LIBRARY_CXX11_ABI
#include <the libraries of attune were built with another _GLIBCXX_USE_CXX11_ABI: leave it out, or link attune::header_only, or configure with -DATTUNE_FROM_HEADERS=ON>
#elif defined(_GLIBCXX_DEBUG) && !ATTUNE_LIBRARY_DEBUG
#include <the libraries of attune were built without _GLIBCXX_DEBUG: leave it out, or link attune::header_only, or configure with -DATTUNE_FROM_HEADERS=ON>
#elif !defined(_GLIBCXX_DEBUG) && ATTUNE_LIBRARY_DEBUG
#include <the libraries of attune were built with _GLIBCXX_DEBUG: define it, or link attune::header_only, or configure with -DATTUNE_FROM_HEADERS=ON>
#endif
#endif

#define ATTUNE_VERSION_MAJOR 0
#define ATTUNE_VERSION_MINOR 4
#define ATTUNE_VERSION_PATCH 0

/// The inline namespace of all of attune, v0_4 for version 0.4: two versions of attune in one
/// process share no symbol.
#define ATTUNE_ABI_NAME(major, minor) v##major##_##minor
#define ATTUNE_ABI_OF(major, minor) ATTUNE_ABI_NAME(major, minor)
#define ATTUNE_ABI ATTUNE_ABI_OF(ATTUNE_VERSION_MAJOR, ATTUNE_VERSION_MINOR)

/// The inline namespace of attune's names in files with ATTUNE_OFF (off/). A file with ATTUNE_OFF
/// shares no symbol with other files.
#define ATTUNE_OFF_ABI_NAME(major, minor) off_v##major##_##minor
#define ATTUNE_OFF_ABI_OF(major, minor) ATTUNE_OFF_ABI_NAME(major, minor)
#define ATTUNE_OFF_ABI ATTUNE_OFF_ABI_OF(ATTUNE_VERSION_MAJOR, ATTUNE_VERSION_MINOR)

/// Precedes every definition in an `.ipp`. With ATTUNE_HEADER_ONLY each header includes its `.ipp`,
/// and the definitions are inline. Without ATTUNE_HEADER_ONLY, one unit per stage compiles the
/// definitions (attune/unit/).
#ifdef ATTUNE_HEADER_ONLY
#define ATTUNE_INLINE inline
#else
#define ATTUNE_INLINE
#endif

namespace attune::inline ATTUNE_ABI {

/// The version of these headers, "major.minor.patch".
inline constexpr char const* version = "0.4.0";

} // namespace attune::inline ATTUNE_ABI
