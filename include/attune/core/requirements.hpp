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
