// attune/tune/program/program_source.hpp - a program as a kernel's source: its space and its text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/compile_request.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/nest/nest_rows.hpp>
#include <attune/tune/program/program_options.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A program without its types.
struct program_text {
    nest_description nest;
    compile_request signature; ///< of the kernel: types of the arguments
    /// By argument: index of an array, or the number of arrays plus index of an input.
    std::vector<std::size_t> arguments;
};

/// @param signature  of the kernel
/// @param form       of the same program, which has the order of the arguments
[[nodiscard]] program_text text_of_program(nest_description nest, compile_request signature,
                                           nest_form const& form);

/// What attune::kernel is made of.
struct program_kernel {
    kernel_source source; ///< its revision: the statements, the rules, the version of the writer
    description space;    ///< with the extents among the inputs, unless one tuning is for all sizes
};

/// Errors   attune::error: no rule schedules a statement
[[nodiscard]] program_kernel kernel_of(program_text const& program, program_options const& options);

/// The C++ text of a configuration with comments: the statements, the configuration, the steps that
/// lead to it. It includes nothing and has one function of C linkage: see write_program().
/// @param configuration  "C_ROWS=8 C_COLUMNS=2", as reports and known_choice have it; parameters
///                       that it does not name have their defaults
/// Errors   as above; attune::error: no such parameter or value, or values that exclude each other
[[nodiscard]] std::string show_program(program_text const& program, std::string_view configuration,
                                       program_options const& options);

/// Each line behind `//`.
[[nodiscard]] std::string as_comment(std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/program/program_source.ipp>
#endif
