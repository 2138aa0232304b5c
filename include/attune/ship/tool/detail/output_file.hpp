// attune/ship/tool/detail/output_file.hpp - the file that --output names, which is never a store.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/tool/command.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace attune::inline ATTUNE_ABI::detail::tool {

inline constexpr option output_option{"--output", "FILE", "writes there, whole or not at all", 'o'};

/// Two names of one file that is there.
[[nodiscard]] inline bool is_same_file(std::string const& a, std::string const& b)
{
    std::error_code no;
    return std::filesystem::equivalent(a, b, no);
}

/// By how it begins, as attune writes it: with a line that has its format.
[[nodiscard]] inline bool begins_as_store(std::string_view text)
{
    return text.substr(0, text.find('\n')).find("\"attune_store\"") != text.npos;
}

/// Errors   attune::error: a store is at `path`, whose results would be gone
inline void refuse_store(std::string const& path)
{
    std::error_code no;
    if (!std::filesystem::is_regular_file(path, no)) return; // a pipe would be waited for
    std::ifstream there(path);
    std::string line;
    if (there && std::getline(there, line) && begins_as_store(line))
        throw error("the output is a store, which would be lost", path, "choose another name");
}

/// As replace_file(), but a store is not replaced.
inline void write_output(std::string const& path, std::string_view text)
{
    refuse_store(path);
    replace_file(path, text);
}

/// Writes a store.
/// Errors   attune::error: the file exists
inline void create_output(std::string const& path, std::string_view text, std::string const& next)
{
    if (!create_file(path, text)) throw error("the output exists already", path, next);
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
