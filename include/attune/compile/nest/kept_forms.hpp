// attune/compile/nest/kept_forms.hpp - packed constant arrays that a written program is given.
// SPDX-License-Identifier: MIT
// tested by tune/program/constant_arrays.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A form of a constant array that write_program()'s function only reads. Beside it stands
///
///     void FILL(float const* __restrict W, float* __restrict W_copy, int K)
///
/// which makes the form; it is made again only where the array's elements change.
struct kept_form {
    std::string argument;  ///< "W_copy"
    std::uint32_t array{}; ///< index into the nest's arrays
    std::string element;   ///< "float"
    std::string elements;  ///< how many it has: an expression of type long, of the inputs
    std::string fill;      ///< the function's name: NAME_fill_W_copy
    std::vector<std::uint32_t> inputs; ///< indices of the inputs that it takes behind the arrays
    /// What it holds, but for the values of these inputs ("#0" is the first one): forms of one
    /// array with equal names and values have equal elements.
    std::string name;
};

/// The forms of a program, in the order in which its function takes them behind the inputs.
/// @param function  the name that write_program() is given; empty: the program's
[[nodiscard]] std::vector<kept_form> kept_forms(loop_program const& program,
                                                std::string const& function = {});

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/nest/kept_forms.ipp>
#endif
