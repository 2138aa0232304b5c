// attune/compile/source/annotations.hpp - the tunable parameters that a kernel file names.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// One ATTUNE_TUNABLE(NAME, default).
struct annotation {
    std::string name;
    std::string default_text; ///< as written, without the spaces around it; may be empty
    std::size_t line{};       ///< 1-based
    std::string file;

    friend bool operator==(annotation const&, annotation const&) = default;
};

/// The annotations of one text, in order; a name that is mentioned twice is there twice. Comments,
/// literals and the definition of the macro itself are skipped; `#if` is not evaluated.
/// Errors   attune::error with file and line: a name that is no identifier, no comma behind it, a
///          missing parenthesis
[[nodiscard]] std::vector<annotation> find_annotations(std::string_view text,
                                                       std::string const& file);

/// The annotations of a kernel and of the files it includes by quotes (see source_parts).
/// Errors   as above; and two different defaults for one name
[[nodiscard]] std::vector<annotation> find_annotations(kernel_source const& kernel);

/// The parameters whose names the kernel's files give to something of their own: a constant, type,
/// enumerator or macro that ATTUNE_TUNABLE initialises (`constexpr bool PACK = ATTUNE_TUNABLE(PACK,
/// false)`), or a variable or template parameter (`template <int TILE>`). Such a name cannot be a
/// macro. None in files that name ATTUNE_COMPILES_VARIANT: these know of the macros. `#if` is not
/// evaluated.
/// @param found  find_annotations(kernel)
/// Errors   attune::error with file and line: an `#if` reads a name that is a constant
[[nodiscard]] std::vector<std::string> own_names(kernel_source const& kernel,
                                                 std::vector<annotation> const& found);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/source/annotations.ipp>
#endif
