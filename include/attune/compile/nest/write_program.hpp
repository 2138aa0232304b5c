// attune/compile/nest/write_program.hpp - a loop program as C++ text, with packed constant arrays.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A form of a constant array that write_program()'s function only reads. Another function makes
/// the form:
///
///     void FILL(float const* __restrict W, float* __restrict W_copy, int K)
///
/// The form is made again only if the array's elements change.
struct kept_form {
    std::string argument;  ///< "W_copy"
    std::uint32_t array{}; ///< index into the nest's arrays
    std::string element;   ///< "float"
    std::string elements;  ///< number of elements: an expression of type long, of the inputs
    std::string fill;      ///< name of the function: NAME_fill_W_copy
    std::vector<std::uint32_t> inputs; ///< indices of its inputs, which follow the arrays
    /// The contents, apart from the values of these inputs ("#0" is the first one). Forms of one
    /// array with equal names and values have equal elements.
    std::string name;
};

/// The forms of a program, in the order of the function's arguments behind the inputs.
/// @param function  the name given to write_program(); empty: the program's
[[nodiscard]] std::vector<kept_form> kept_forms(loop_program const& program,
                                                std::string const& function = {});

struct program_text_options {
    std::string function{};                ///< name of the function; empty: the program's
    bool has_prelude = true;               ///< false: another program in the same file has it
    std::string linkage = "extern \"C\" "; ///< before the function's type
};

/// A function of C++17 that computes the program, for Clang (any from 14) and GCC (from 12):
///
///     extern "C" void NAME(float const* __restrict A, float* __restrict C, long M)
///
/// Arguments are the arrays in their order, without temporaries (after an array with a row stride:
/// `long A_stride`, in elements), then the inputs in their types. Arrays do not overlap. Parallel
/// loops need -fopenmp; without it they are serial. No file is included. With bfloat16 elements the
/// text reports that GCC 12 cannot compile it.
///
/// A program in slices is a second function, NAME_part, which NAME calls once for each slice.
///
/// A buffer that holds a whole constant array is a further argument, behind the inputs. Another
/// function fills it: see kept_forms().
///
/// Vectors of float: exp with a relative error below 2e-7, tanh below 4e-7, erf with an absolute
/// error below 8e-7. Other types, and single numbers, use the compiler's functions.
/// Errors   attune::error: an element type that C++ text cannot name; spatial loops inside a
///          reduction loop if the array's type rounds the accumulator's numbers
[[nodiscard]] std::string write_program(loop_program const& program,
                                        program_text_options const& options = {});

namespace detail {

/// Part of the identity of a tuning. Increase it with each change of write_program() or
/// default_schedule_rules() that makes other code of equal programs and values.
inline constexpr int program_writer_version = 5;

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/nest/write_program.ipp>
#endif
