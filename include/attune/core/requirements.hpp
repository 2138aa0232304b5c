// attune/core/requirements.hpp - the compiler options that every header of attune needs.
// SPDX-License-Identifier: MIT-0
#pragma once

// An #error would be followed by hundreds of other errors. A missing include file ends the
// compiler, so that this sentence is the only error. Run-time type information is not needed,
// and exceptions are not by what a released program includes (ship/baked.hpp).
#if __cplusplus < 202002L
#include <attune needs C++20: compile with -std=c++20 or later, in CMake cxx_std_20>
#endif
#if !defined(__cpp_exceptions) && !defined(ATTUNE_RELEASED)
#include <attune needs exceptions: leave out -fno-exceptions for the files that include attune>
#endif

// attune's compiled libraries say how their standard library was chosen (attune_standard_library in
// AttuneComponents.cmake). With another choice, no function of theirs has the same name.
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
