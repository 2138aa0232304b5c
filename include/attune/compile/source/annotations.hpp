// attune/compile/source/annotations.hpp - finds the tunable parameters in a kernel file.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

struct annotation {
    std::string name;
    std::string default_text; ///< as written, without outer spaces; may be empty
    std::size_t line{};       ///< 1-based
    std::string file;

    friend bool operator==(annotation const&, annotation const&) = default;
};

/// The annotations of a text, in order; a repeated name is in the result each time. Skips comments,
/// literals and the definition of the macro; does not evaluate `#if`.
/// Errors   attune::error with file and line: a name that is no identifier, a missing comma or
///          parenthesis
[[nodiscard]] std::vector<annotation> find_annotations(std::string_view text,
                                                       std::string const& file);

/// The annotations of a kernel and of its quoted includes (see source_parts). Empty for generated
/// text.
/// Errors   as above; two different defaults of one name
[[nodiscard]] std::vector<annotation> find_annotations(kernel_source const& kernel);

/// The parameters that cannot be macros, because the kernel's files use their names for something
/// else. Such uses are a variable, a template parameter (`template <int TILE>`), and a constant,
/// type, enumerator or macro that ATTUNE_TUNABLE initialises. Example: `constexpr bool PACK =
/// ATTUNE_TUNABLE(PACK, false)`. Empty for files that mention ATTUNE_COMPILES_VARIANT: these are
/// written for the macros. Does not evaluate `#if`.
/// @param found  find_annotations(kernel)
/// Errors   attune::error with file and line: an `#if` reads the name of a constant
[[nodiscard]] std::vector<std::string> own_names(kernel_source const& kernel,
                                                 std::vector<annotation> const& found);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/source/annotations.ipp>
#endif
