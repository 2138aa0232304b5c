// attune/compile/cache/detail/folder.hpp - the cache folder: files, their format, size limit.
// SPDX-License-Identifier: MIT
//
// Files are opened relative to the checked folder, so nothing can replace the folder between the
// check and the use.
//
// The checksum is FNV-1a: 1.6 ms per megabyte. Each of its steps is a bijection, so it detects
// every change of a single byte. A second run reads 30 KB of entries in 0.05 ms. The parsed headers
// of clang_compiler, 2 MB, are read only before a compilation. A quicker hash would save less than
// 0.1 ms of a second run.
//
// A file with the running total decides when to scan the cache. A scan takes about 2 us per file
// and corrects the total. Locks are flock(2), which a killed process releases.
#pragma once

#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::string_view cache_entry_magic = "attune cache 1\n";
inline constexpr std::size_t cache_key_length = 32;

struct cache_entry {
    std::string inputs; ///< key of the input list, 32 digits
    std::string bytes;
};

/// "attune cache 1", the hash of all that follows, the key, the input list's key, the bytes.
[[nodiscard]] inline std::string cache_entry_text(std::string_view key, std::string_view inputs,
                                                  std::string_view bytes)
{
    std::string rest;
    rest.reserve(bytes.size() + 3 * cache_key_length);
    rest.append(key).append(inputs).append(bytes);
    return std::string(cache_entry_magic) + content_hash{}.add_raw(rest).hex() + rest;
}

/// @return  empty if `text` is no intact entry of `key`
[[nodiscard]] inline std::optional<cache_entry> parse_cache_entry(std::string_view key,
                                                                  std::string_view text)
{
    if (!text.starts_with(cache_entry_magic)) return {};
    text.remove_prefix(cache_entry_magic.size());
    if (text.size() < 3 * cache_key_length) return {};
    std::string_view const digest = text.substr(0, cache_key_length);
    text.remove_prefix(cache_key_length);
    if (content_hash{}.add_raw(text).hex() != digest || !text.starts_with(key)) return {};
    text.remove_prefix(cache_key_length);
    return cache_entry{std::string(text.substr(0, cache_key_length)),
                       std::string(text.substr(cache_key_length))};
}

struct cache_place {
    std::string folder{};      ///< absolute; empty if the cache is off
    std::string off_because{}; ///< one sentence if the cache is off
};

[[nodiscard]] inline cache_place cache_place_of(cache_options const& options)
{
    if (!options.enabled) return {{}, "the cache is off: an option says so"};
    std::string folder = options.folder;
    if (folder.empty()) folder = environment_variable("ATTUNE_CACHE");
    if (folder == "off" && options.folder.empty())
        return {{}, "the cache is off: ATTUNE_CACHE says so"};
    if (folder.empty()) {
        std::string const shared = environment_variable("XDG_CACHE_HOME");
        std::string const home = environment_variable("HOME");
        if (shared.starts_with('/'))
            folder = shared + "/attune";
        else if (home.starts_with('/'))
            folder = home + "/.cache/attune";
        else
            return {{},
                    is_privileged_start()
                        ? "the cache is off: in a privileged start no variable says where it is"
                        : "the cache is off: none of ATTUNE_CACHE, XDG_CACHE_HOME and HOME is set"};
    }
    std::error_code no_throw;
    return {std::filesystem::absolute(folder, no_throw).string(), {}};
}

/// Opens the folder. Creates it with mode 0700, and its parent folders, if they are missing.
/// @return  empty, with one sentence in `problem`, if it is unusable or others may write to it
[[nodiscard]] inline descriptor open_cache_folder(std::string const& folder, std::string& problem)
{
    auto const open = [&] {
        return descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    };
    descriptor opened = open();
    if (!opened && errno == ENOENT) {
        std::error_code no_throw;
        std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), no_throw);
        (void)::mkdir(folder.c_str(), S_IRWXU); // another process may have made it first
        opened = open();
    }
    struct ::stat status{};
    if (!opened || ::fstat(opened.get(), &status) != 0) {
        problem = "the cache is off: " + folder + ": " + std::generic_category().message(errno);
        return descriptor();
    }
    if (status.st_uid == ::geteuid() && other_writer_of(opened.get(), folder).empty())
        return opened;
    problem = "the cache is off: others may write to " + folder +
              (status.st_uid == ::geteuid() ? " (chmod go-w it)" : ", which another user owns");
    return descriptor();
}

/// "ab/cdef..." for a key, because many tools are slow with a hundred thousand files in one folder.
[[nodiscard]] inline std::string cache_file_name(std::string_view key)
{
    return std::string(key.substr(0, 2)) + '/' + std::string(key.substr(2));
}

/// Does not read a file that another user owns or may write to: it may hold foreign code. The file
/// may date from a time when others could write to the folder.
/// @return  empty if there is no such file; an empty text if it cannot be read
[[nodiscard]] inline std::optional<std::string> read_cache_file(int folder, std::string const& name)
{
    descriptor const file(
        ::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file && errno == ENOENT) return {};
    struct ::stat status{};
    // A larger file, such as a sparse one, could fill the memory. Code is never that large.
    constexpr ::off_t largest = ::off_t{1} << 30;
    if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > largest || status.st_uid != ::geteuid() ||
        !other_writer_of(file.get(), name).empty())
        return "";
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        ssize_t const count = ::read(file.get(), text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        done += static_cast<std::size_t>(count);
    }
    text.resize(done);
    return text;
}

/// Writes a temporary file and renames it, so a killed process leaves a complete file or none.
/// Nothing is flushed to the disk: the hash check finds a file damaged by a power failure.
/// @return  false if the file could not be written
inline bool write_cache_file(int folder, std::string const& name, std::string_view text)
{
    quiet_writes const quiet;
    std::string temporary;
    descriptor file;
    for (int attempt = 0; !file && attempt < 100; ++attempt) {
        temporary = "new." + std::to_string(::getpid()) + '.' + std::to_string(system_clock_ns());
        file = descriptor(::openat(folder, temporary.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                                   S_IRUSR | S_IWUSR));
        if (!file && errno != EEXIST) return false;
    }
    if (!file) return false;
    bool whole = true;
    while (whole && !text.empty()) {
        ssize_t const written = ::write(file.get(), text.data(), text.size());
        if (written >= 0) text.remove_prefix(static_cast<std::size_t>(written));
        whole = written > 0 || (written < 0 && errno == EINTR);
    }
    auto const put_in_place = [&] {
        return ::renameat(folder, temporary.c_str(), folder, name.c_str()) == 0;
    };
    bool placed = whole && put_in_place();
    if (whole && !placed && errno == ENOENT) {
        (void)::mkdirat(folder, name.substr(0, name.find('/')).c_str(), S_IRWXU);
        placed = put_in_place();
    }
    if (!placed) (void)::unlinkat(folder, temporary.c_str(), 0);
    return placed;
}

/// Marks a file as used now: its modification time is the time of its last use.
inline void touch_cache_file(int folder, std::string const& name)
{
    (void)::utimensat(folder, name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

/// The size in blocks of 4096 bytes, which most file systems use.
[[nodiscard]] inline std::uint64_t bytes_on_disk(std::uint64_t bytes)
{
    return (bytes + 4095) / 4096 * 4096;
}

/// A holder needs the lock for some microseconds, unless it was stopped.
inline constexpr double longest_wait_for_total_s = 0.25;

/// Adds to the total in `cache_folder/total`.  @return  the total; empty if it is unknown
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
