// attune/ship/detail/whole_file.hpp - a file that is written as a whole or not at all.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>

#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// Writes `text` to a file beside `path`, which then takes the place of what was at `path`.
/// Errors   attune::error: the file cannot be written; what was at `path` is as before
inline void write_whole_file(std::string const& path, std::string_view text)
{
    std::string const beside = path + '.' + std::to_string(::getpid()) + ".part";
    std::error_code failed;
    {
        std::ofstream file(beside, std::ios::binary | std::ios::trunc);
        file.write(text.data(), static_cast<std::streamsize>(text.size()));
        file.close();
        if (file) std::filesystem::rename(beside, path, failed);
        if (file && !failed) return;
    }
    std::filesystem::remove(beside, failed);
    throw error(
        "a file cannot be written", path, "name a folder that exists and that you may write to");
}

} // namespace attune::inline ATTUNE_ABI::detail
