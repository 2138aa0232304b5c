// attune/ship/tool/detail/files.hpp - the text of a file, and the file of --output, which may not be a store.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/tool/command.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// Errors  attune::error: it cannot be read, or is UTF-16
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
    std::string_view const begin = std::string_view(out).substr(0, 2);
    if (begin == "\xff\xfe" || begin == "\xfe\xff" ||
        (begin.size() == 2 && (begin[0] == '\0') != (begin[1] == '\0') &&
         std::max(begin[0], begin[1]) >= ' '))
        throw error("the file is UTF-16", path, "save it as UTF-8");
    return out;
}

inline constexpr option output_option{"--output", "FILE", "writes there, whole or not at all", 'o'};

/// Returns true if both names are of the same existing file.
[[nodiscard]] inline bool is_same_file(std::string const& a, std::string const& b)
{
    std::error_code no;
    return std::filesystem::equivalent(a, b, no);
}

/// Recognises a store by its first line, which has the format.
[[nodiscard]] inline bool begins_as_store(std::string_view text)
{
    return text.substr(0, text.find('\n')).find("\"attune_store\"") != text.npos;
}

/// Errors   attune::error: a store is at `path`, whose results would be lost
inline void refuse_store(std::string const& path)
{
    std::error_code no;
    if (!std::filesystem::is_regular_file(path, no)) return; // a pipe would block
    std::ifstream there(path);
    std::string line;
    if (there && std::getline(there, line) && begins_as_store(line))
        throw error("the output is a store, which would be lost", path, "choose another name");
}

/// Like replace_file(), but does not replace a store.
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
