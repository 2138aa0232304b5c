// attune/compile/system/libraries.hpp - the libraries that flags such as -lopenblas ask for.
// SPDX-License-Identifier: MIT
// Source   the manual of GNU ld: -l, -L, and files that are linker scripts
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <string>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// What -L and -l say, in the order of the flags.
struct library_flags {
    std::vector<std::string> folders{}; ///< of -L, absolute paths
    std::vector<std::string> names{};   ///< of -l: "openblas", ":libfoo.so.1"

    [[nodiscard]] bool empty() const noexcept { return folders.empty() && names.empty(); }
};

/// Takes -L and -l out of the flags, as "-lfoo" or as "-l", "foo".
[[nodiscard]] library_flags take_library_flags(std::vector<std::string>& flags);

/// The shared libraries that a linker would take: lib<name>.so of the folders, of $LIBRARY_PATH and
/// of the system's and GCC's own folders, in this order; else what the loader finds by that name.
/// A linker script stands for the libraries that it names. Libraries that every C++ program has
/// (m, pthread, dl, rt, c, stdc++, gcc_s) stand for nothing.
/// @return  absolute paths; or a failure of stage load that says what was not found, and where
[[nodiscard]] std::variant<std::vector<std::string>, failure>
find_libraries(library_flags const& wanted);

/// Flags with which a shared object finds its libraries when it is loaded, to stand after the
/// source: -L, -l, and -Wl,-rpath for each folder.
[[nodiscard]] std::vector<std::string> linker_flags(library_flags const& wanted);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/system/libraries.ipp>
#endif
