// attune/compile/system/called_code.hpp - the libraries whose functions a piece of code calls.
// SPDX-License-Identifier: MIT
// Source   System V ABI, chapter 5; man page of dl_iterate_phdr
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The names that an ELF object takes from outside, sorted; empty for other bytes.
[[nodiscard]] std::vector<std::string> outside_names(std::string_view object);

/// 32 hexadecimal digits that differ where the code differs, or a library or program that it calls,
/// or one that those need, as they are loaded in this process. A library counts by its name, its
/// build id, size and time of change; without a build id, by its code in memory and its stamp. Code
/// that takes nothing from outside keeps its key.
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
#include <attune/compile/system/called_code.ipp>
#endif
