// attune/compile/system/libraries.hpp - the libraries of flags such as -lopenblas.
// SPDX-License-Identifier: MIT
// Source   the manual of GNU ld: -l, -L, and files that are linker scripts
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <string>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The values of -L and -l, in the order of the flags.
struct library_flags {
    std::vector<std::string> folders{}; ///< of -L, absolute paths
    std::vector<std::string> names{};   ///< of -l: "openblas", ":libfoo.so.1"

    [[nodiscard]] bool empty() const noexcept { return folders.empty() && names.empty(); }
};

/// Removes -L and -l from the flags, as "-lfoo" or as "-l", "foo", and returns their values.
[[nodiscard]] library_flags take_library_flags(std::vector<std::string>& flags);

/// The folders that linkers search: those of $LIBRARY_PATH, those of Linux distributions, and GCC's
/// own, newest version first.
[[nodiscard]] std::vector<std::string> library_folders();

/// The shared libraries that a linker would use: lib<name>.so in the folders, in $LIBRARY_PATH and
/// in the system's and GCC's folders, in this order; else the library that the loader finds by
/// name. A linker script is replaced by the libraries that it names. Libraries of every C++ program
/// (m, pthread, dl, rt, c, stdc++, gcc_s) are left out.
/// @return  absolute paths; or a failure of stage load that names the missing library and the
/// places
[[nodiscard]] std::variant<std::vector<std::string>, failure>
find_libraries(library_flags const& wanted);

/// The paths at which a linker looks for these names, of each up to the first file.
[[nodiscard]] std::vector<std::string> library_places(std::vector<std::string> const& folders,
                                                      std::vector<std::string> const& names);

/// Linker flags, to follow the source, with which a shared object also finds its libraries when it
/// is loaded: -L, -l, and -Wl,-rpath for each folder.
[[nodiscard]] std::vector<std::string> linker_flags(library_flags const& wanted);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/system/libraries.ipp>
#endif
