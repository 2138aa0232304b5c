// attune/core/requirements.hpp - the compiler options that every header of attune needs.
// SPDX-License-Identifier: MIT
#pragma once

// An #error would be followed by hundreds of other errors. A missing include file ends the
// compiler, so that this sentence is the only error. Run-time type information is not needed.
#if __cplusplus < 202002L
#include <attune needs C++20: compile with -std=c++20 or later, in CMake cxx_std_20>
#endif
#ifndef __cpp_exceptions
#include <attune needs exceptions: leave out -fno-exceptions for the files that include attune>
#endif
