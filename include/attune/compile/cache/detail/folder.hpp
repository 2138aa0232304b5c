// attune/compile/cache/detail/folder.hpp - the cache folder and its files.
// SPDX-License-Identifier: MIT
//
// Files are opened relative to the folder that was checked, so that the folder cannot be replaced
// between the check and the use.
#pragma once

#include <attune/compile/cache/options.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/posix/checked_open.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/version.hpp>

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// The location of the cache.
struct cache_place {
    std::string folder{};      ///< absolute; empty when the cache is off
    std::string off_because{}; ///< one sentence when the cache is off
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

/// Opens the folder. Creates it with mode 0700, and its parent folders, when they are missing.
/// @return  empty, with one sentence in `problem`, when it is unusable or others may write to it
[[nodiscard]] inline descriptor open_cache_folder(std::string const& folder, std::string& problem)
{
    auto const open = [&] {
        return descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    };
    descriptor opened = open();
    if (!opened && errno == ENOENT) {
        std::error_code no_throw;
        std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), no_throw);
        (void)::mkdir(folder.c_str(), S_IRWXU); // another process may have been quicker
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

/// "ab/cdef..." of a key: folders of a hundred thousand files are slow in many tools.
[[nodiscard]] inline std::string cache_file_name(std::string_view key)
{
    return std::string(key.substr(0, 2)) + '/' + std::string(key.substr(2));
}

/// A file that another user owns, or may write to, is code of others: it cannot be read. One may
/// lie in a folder that others could write to before.
/// @return  nothing when there is no such file; an empty text when it cannot be read
[[nodiscard]] inline std::optional<std::string> read_cache_file(int folder, std::string const& name)
{
    descriptor const file(
        ::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file && errno == ENOENT) return {};
    struct ::stat status{};
    // A larger file, such as a sparse one, could fill the memory; code is never that large.
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

/// Writes a temporary file and renames it, so that the file is complete or absent when a process is
/// killed. Nothing is flushed to the disk: a file damaged by a power failure fails its hash check.
/// @return  false when the file could not be written
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

} // namespace attune::inline ATTUNE_ABI::detail
