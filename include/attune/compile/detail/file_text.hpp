// attune/compile/detail/file_text.hpp - reads a whole file; the folder of a file.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// @return  empty when the path is no regular file or cannot be read
[[nodiscard]] inline std::optional<std::string> file_text(std::filesystem::path const& path)
{
    std::error_code no_throw;
    if (!std::filesystem::is_regular_file(path, no_throw)) return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
}

/// The folder of a file, where its quoted includes are searched for first; "." without a folder.
[[nodiscard]] inline std::string folder_of(std::string const& path)
{
    std::string const folder = std::filesystem::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

} // namespace attune::inline ATTUNE_ABI::detail
