// attune/compile/system/libraries.hpp - the libraries of -l, and those that code calls.
// SPDX-License-Identifier: MIT
// Source   the manual of GNU ld: -l, -L, and files that are linker scripts
// Source   System V ABI, chapter 5; man page of dl_iterate_phdr
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <string>
#include <string_view>
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

/// The folders that linkers search: from $LIBRARY_PATH, from Linux distributions, and GCC's own,
/// newest version first.
[[nodiscard]] std::vector<std::string> library_folders();

/// The shared libraries that a linker would use. A search for lib<name>.so visits the folders,
/// $LIBRARY_PATH, and the system's and GCC's folders, in this order; then the loader's places. The
/// libraries in a linker script replace the script. Libraries of every C++ program (m, pthread, dl,
/// rt, c, stdc++, gcc_s) are left out.
/// @return  absolute paths; or a failure of stage load that names the missing library and the
///          places
[[nodiscard]] std::variant<std::vector<std::string>, failure>
find_libraries(library_flags const& wanted);

/// The paths where a linker looks for each of these names, up to the first file.
[[nodiscard]] std::vector<std::string> library_places(std::vector<std::string> const& folders,
                                                      std::vector<std::string> const& names);

/// Linker flags that must follow the source: -L, -l, and -Wl,-rpath for each folder. By -rpath, a
/// loaded shared object finds its libraries.
[[nodiscard]] std::vector<std::string> linker_flags(library_flags const& wanted);

/// The names of an ELF object's outside symbols, sorted; empty for other bytes.
[[nodiscard]] std::vector<std::string> outside_names(std::string_view object);

/// 32 hexadecimal digits that depend on the code, and on the loaded libraries or programs that the
/// code calls, with the libraries that these need. A library counts by its name, its build id, size
/// and time of change; without a build id, by its code in memory and its stamp. Code without
/// outside symbols keeps its key.
///
/// @param key        of the code itself, from object_key()
/// @param names      from outside_names()
/// @param libraries  paths or names of loaded libraries that the process does not search by itself
/// @param loaded     dlopen's handle of the code; null: it has none
/// Cost   20 us, and 0.2 ms for each MB of a library without a build id
[[nodiscard]] std::string key_with_callees(std::string const& key,
                                           std::vector<std::string> const& names,
                                           std::vector<std::string> const& libraries,
                                           void* loaded = nullptr);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/system/libraries.ipp>
#endif
