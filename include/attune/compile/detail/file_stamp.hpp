// attune/compile/detail/file_stamp.hpp - reads files, and detects their changes without reading.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// @return  empty if the path is no regular file or cannot be read
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

/// The folder of a file, which a compiler searches first for quoted includes; "." if the path has
/// none.
[[nodiscard]] inline std::string folder_of(std::string const& path)
{
    std::string const folder = std::filesystem::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

/// The system clock, which file times use, in nanoseconds.
[[nodiscard]] inline std::int64_t system_clock_ns()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}
[[nodiscard]] inline std::int64_t nanoseconds_of(timespec const& t) noexcept
{
    return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

/// Size, times and number of a file; equal while the file does not change. A program can set the
/// time of modification, but neither the time of change nor the number.
struct file_stamp {
    std::int64_t bytes{}, modified_ns{}, changed_ns{}, number{};

    friend bool operator==(file_stamp const&, file_stamp const&) = default;
};

[[nodiscard]] inline file_stamp stamp_of(struct ::stat const& status)
{
    return {static_cast<std::int64_t>(status.st_size), nanoseconds_of(status.st_mtim),
            nanoseconds_of(status.st_ctim), static_cast<std::int64_t>(status.st_ino)};
}
/// @return  empty if `path` is no regular file
[[nodiscard]] inline std::optional<file_stamp> stamp_of(std::string const& path)
{
    struct ::stat status{};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    return stamp_of(status);
}
/// The stamp of a file or folder. A folder's times change if an entry is added, removed or renamed.
/// @return  zeros if there is none
[[nodiscard]] inline file_stamp stamp_of_any(std::string const& path)
{
    struct ::stat status{};
    if (::stat(path.c_str(), &status) != 0) return {};
    return stamp_of(status);
}

[[nodiscard]] inline bool is_folder(std::string const& path)
{
    struct ::stat status{};
    return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}
[[nodiscard]] inline bool is_link(std::string const& path)
{
    struct ::stat status{};
    return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

[[nodiscard]] inline bool is_absent(std::string const& path)
{
    struct ::stat status{};
    return ::stat(path.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

/// Returns true if the last change of the file is older than the resolution of file times: 20 ms on
/// Linux file systems, 2 s for times in whole seconds.
[[nodiscard]] inline bool settled(file_stamp const& stamp, std::int64_t now_ns)
{
    std::int64_t const latest = std::max(stamp.modified_ns, stamp.changed_ns);
    std::int64_t const grain = latest % 1'000'000'000 == 0 ? 2'000'000'000 : 20'000'000;
    return latest + grain < now_ns;
}

/// Returns true if the text contains __DATE__, __TIME__ or __TIMESTAMP__. The code then depends on
/// the clock and must not be cached.
[[nodiscard]] inline bool tells_the_time(std::string_view text)
{
    return text.find("__DATE__") != text.npos || text.find("__TIME__") != text.npos ||
           text.find("__TIMESTAMP__") != text.npos;
}

} // namespace attune::inline ATTUNE_ABI::detail
