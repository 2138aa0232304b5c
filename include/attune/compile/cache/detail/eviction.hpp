// attune/compile/cache/detail/eviction.hpp - keeps the cache below its size limit.
// SPDX-License-Identifier: MIT
//
// A file with the running total decides when the cache is scanned; a scan takes about 2 us per file
// and corrects the total. Locks are flock(2), so a killed process leaves none behind.
#pragma once

#include <attune/compile/cache/detail/folder.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/posix/file_lock.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <dirent.h>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The size in blocks of 4096 bytes, which most file systems use.
[[nodiscard]] inline std::uint64_t bytes_on_disk(std::uint64_t bytes)
{
    return (bytes + 4095) / 4096 * 4096;
}

/// A holder is done after some microseconds, unless it was stopped.
inline constexpr double longest_wait_for_total_s = 0.25;

/// Adds to the total in `cache_folder/total`.  @return  the total; empty when it is unknown
inline std::optional<std::uint64_t> add_to_total(int folder, std::uint64_t bytes,
                                                 std::optional<std::uint64_t> replace = {})
{
    descriptor const file(
        ::openat(folder, "total", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!file) return {};
    file_lock const alone(file.get(), longest_wait_for_total_s);
    if (!alone.is_mine()) return {};
    std::array<char, 20> digits{};
    ssize_t const length = ::pread(file.get(), digits.data(), digits.size(), 0);
    std::uint64_t total = 0;
    char const* const end = digits.data() + digits.size();
    auto const parsed = std::from_chars(digits.data(), end, total);
    bool known = length == static_cast<ssize_t>(digits.size()) && parsed.ptr == end;
    if (replace) {
        total = *replace;
        known = true;
    }
    total += bytes;
    std::string text = std::to_string(total);
    text.insert(0, digits.size() - text.size(), '0');
    quiet_writes const quiet;
    if (::pwrite(file.get(), text.data(), text.size(), 0) < 0 || !known) return {};
    return total;
}

struct kept_file {
    std::string name; ///< "ab/0123..."
    std::uint64_t bytes{};
    std::int64_t used_ns{};
};

/// Calls `see(name, status)` for every regular file in a subfolder of the cache.
template <class See>
void each_cache_file(int folder, char const* name, See see)
{
    int const opened = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (opened < 0) return;
    std::unique_ptr<DIR, int (*)(DIR*)> const list(::fdopendir(opened), &::closedir);
    if (!list) {
        ::close(opened);
        return;
    }
    while (dirent const* const entry = ::readdir(list.get())) {
        struct ::stat status{};
        if (::fstatat(opened, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(status.st_mode))
            see(std::string(entry->d_name), status);
    }
}

/// Removes the least recently used files until four fifths of the limit are left, and temporary
/// files of killed processes that are older than an hour.
inline void evict(int folder, std::uint64_t limit_bytes)
{
    descriptor const one(
        ::openat(folder, "evicting", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!one) return;
    file_lock const alone(one.get(), 0);
    if (!alone.is_mine()) return; // another process evicts now
    std::vector<kept_file> files;
    std::uint64_t total = 0;
    constexpr char const* digits = "0123456789abcdef";
    for (unsigned shard = 0; shard < 256; ++shard) {
        std::string const name{digits[shard / 16], digits[shard % 16]};
        each_cache_file(folder, name.c_str(), [&](std::string const& file, auto const& status) {
            std::uint64_t const bytes = bytes_on_disk(static_cast<std::uint64_t>(status.st_size));
            total += bytes;
            files.push_back({name + '/' + file, bytes, nanoseconds_of(status.st_mtim)});
        });
    }
    std::int64_t const hour_ago = system_clock_ns() - 3'600'000'000'000;
    each_cache_file(folder, ".", [&](std::string const& file, auto const& status) {
        if (file.starts_with("new.") && nanoseconds_of(status.st_mtim) < hour_ago)
            (void)::unlinkat(folder, file.c_str(), 0);
    });
    if (total > limit_bytes) {
        std::sort(files.begin(), files.end(),
                  [](kept_file const& a, kept_file const& b) { return a.used_ns < b.used_ns; });
        for (kept_file const& file : files) {
            if (total <= limit_bytes / 5 * 4) break;
            if (::unlinkat(folder, file.name.c_str(), 0) == 0) total -= file.bytes;
        }
    }
    (void)add_to_total(folder, 0, total);
}

/// Counts an added file, and evicts when the total exceeds the limit.
inline void account(int folder, std::uint64_t bytes, std::uint64_t limit_bytes)
{
    std::optional<std::uint64_t> const total = add_to_total(folder, bytes_on_disk(bytes));
    if (!total || *total > limit_bytes) evict(folder, limit_bytes);
}

} // namespace attune::inline ATTUNE_ABI::detail
