// attune/compile/detail/file_stamp.hpp - whether a file is the same as before, without reading it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>

namespace attune::inline ATTUNE_ABI::detail {

/// Nanoseconds of the system clock, which file times are in.
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

/// What the system says of a file; equal for a file that nobody touched.
struct file_stamp {
    std::int64_t bytes{}, modified_ns{}, changed_ns{}, number{};

    friend bool operator==(file_stamp const&, file_stamp const&) = default;
};

[[nodiscard]] inline file_stamp stamp_of(struct ::stat const& status)
{
    return {static_cast<std::int64_t>(status.st_size),
            nanoseconds_of(status.st_mtim),
            nanoseconds_of(status.st_ctim),
            static_cast<std::int64_t>(status.st_ino)};
}
/// @return  nothing for what is no regular file
[[nodiscard]] inline std::optional<file_stamp> stamp_of(std::string const& path)
{
    struct ::stat status{};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    return stamp_of(status);
}
/// Of a folder. Its times change when an entry comes, goes or gets another name.
/// @return  zeros when there is none
[[nodiscard]] inline file_stamp stamp_of_folder(std::string const& path)
{
    struct ::stat status{};
    if (::stat(path.c_str(), &status) != 0) return {};
    return stamp_of(status);
}

[[nodiscard]] inline bool is_absent(std::string const& path)
{
    struct ::stat status{};
    return ::stat(path.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

/// Whether a file was left alone for longer than its times are fine: 20 ms on the file systems of
/// Linux, 2 s where times are whole seconds.
[[nodiscard]] inline bool settled(file_stamp const& stamp, std::int64_t now_ns)
{
    std::int64_t const latest = std::max(stamp.modified_ns, stamp.changed_ns);
    std::int64_t const grain = latest % 1'000'000'000 == 0 ? 2'000'000'000 : 20'000'000;
    return latest + grain < now_ns;
}

/// Whether a text mentions __DATE__, __TIME__ or __TIMESTAMP__: what it compiles to then changes
/// with the clock and is not kept.
[[nodiscard]] inline bool tells_the_time(std::string_view text)
{
    return text.find("__DATE__") != text.npos || text.find("__TIME__") != text.npos ||
           text.find("__TIMESTAMP__") != text.npos;
}

} // namespace attune::inline ATTUNE_ABI::detail
