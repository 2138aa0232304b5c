// attune/ship/tool/detail/text_file.hpp - the text of a file.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// Errors  attune::error: it cannot be read
[[nodiscard]] inline std::string text_of_file(std::string const& path)
{
    std::error_code no;
    bool const is_folder = std::filesystem::is_directory(path, no);
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    std::string out;
    if (in && !is_folder) out.assign(std::istreambuf_iterator<char>(in), {});
    if (!in || is_folder || in.bad())
        throw error("the file cannot be read: " +
                        std::generic_category().message(is_folder ? EISDIR : errno),
                    path, "name another file");
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
