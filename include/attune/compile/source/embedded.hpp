// attune/compile/source/embedded.hpp - kernel files that are part of the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/embedded_file.hpp>
#include <attune/core/version.hpp>

#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// The kernel that was embedded from the file with this absolute path; null when there is none.
[[nodiscard]] embedded_file const* embedded_from(embedded_files const& files,
                                                 std::string const& path);

/// The kernel that was embedded with this name.
/// Errors   attune::error that lists the embedded names, or two files of this name
[[nodiscard]] embedded_file const& embedded_under(embedded_files const& files,
                                                  std::string const& name);

/// True when the file with this absolute path was embedded with exactly this text.
[[nodiscard]] bool is_embedded(embedded_files const& files, char const* path,
                               std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/source/embedded.ipp>
#endif
