// attune/compile/nest/write_program.hpp - a loop program as C++ text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI {

struct program_text_options {
    std::string function{};                ///< its name; empty: the program's
    bool has_prelude = true;               ///< false: another program in the same file brings it
    std::string linkage = "extern \"C\" "; ///< before the function's type
};

/// A function of C++17 that computes the program, for Clang (any from 14) and GCC (from 12):
///
///     extern "C" void NAME(float const* __restrict A, float* __restrict C, long M)
///
/// Arguments are the arrays in their order, without temporaries (after an array with a row stride:
/// `long A_stride`, in elements), then the inputs in
/// their types. Arrays do not overlap. Parallel loops need
/// -fopenmp; without it they are serial. No file is included. Of bfloat16 elements the text says
/// that GCC 12 cannot compile it.
///
/// A buffer that holds the whole of a constant array is a further argument, behind the inputs, and
/// another function fills it: see kept_forms().
///
/// Vectors of float: exp with a relative error below 2e-7, tanh below 4e-7, erf with an absolute
/// error below 8e-7; other types, and single numbers, use the compiler's functions.
/// Errors   attune::error: an element type that C++ text cannot name; spatial loops inside a
///          reduction loop where the array's type rounds the accumulator's numbers
[[nodiscard]] std::string write_program(loop_program const& program,
                                        program_text_options const& options = {});

namespace detail {

/// Part of the identity of what was tuned. Raised with each change that makes other code of equal
/// programs and values: of write_program(), or of default_schedule_rules().
inline constexpr int program_writer_version = 3;

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/nest/write_program.ipp>
#endif
