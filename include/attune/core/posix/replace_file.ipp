// attune/core/posix/replace_file.ipp - open, write, fsync, rename.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// @return  0, or an errno
[[nodiscard]] inline int write_new_file(std::string const& path, std::string_view text, int mode)
{
    descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file.is_open()) return errno;
    if (mode >= 0 && ::fchmod(file.get(), static_cast<::mode_t>(mode)) != 0) return errno;
    for (std::string_view rest = text; !rest.empty();) {
        ::ssize_t const written = ::write(file.get(), rest.data(), rest.size());
        if (written > 0)
            rest.remove_prefix(static_cast<std::size_t>(written));
        else if (written == 0 || errno != EINTR)
            return written == 0 ? ENOSPC : errno;
    }
    return ::fsync(file.get()) == 0 || errno == EINVAL ? 0 : errno;
}

ATTUNE_INLINE void replace_file(std::string const& path, std::string_view text)
{
    auto const refuse = [&](std::string const& why) {
        throw error("a file cannot be written: " + why,
                    path,
                    "name another one, or see to its folder's permissions and free space");
    };
    std::error_code failed;
    std::filesystem::path target = std::filesystem::weakly_canonical(path, failed);
    if (failed || path.empty()) target = path;
    struct ::stat old{};
    bool const is_there = ::stat(target.c_str(), &old) == 0;
    if (is_there && !S_ISREG(old.st_mode)) refuse("it is not a regular file");
    if (is_there && ::access(target.c_str(), W_OK) != 0)
        refuse(std::generic_category().message(errno));

    static std::atomic<unsigned> count{0};
    std::string const beside = target.string() + '.' + std::to_string(::getpid()) + '-' +
                               std::to_string(count.fetch_add(1)) + ".new";
    quiet_writes const quiet;
    int why = write_new_file(beside, text, is_there ? static_cast<int>(old.st_mode & 07777u) : -1);
    if (why == 0 && std::rename(beside.c_str(), target.c_str()) != 0) why = errno;
    if (why == 0) return;
    ::unlink(beside.c_str());
    refuse(std::generic_category().message(why));
}

} // namespace attune::inline ATTUNE_ABI::detail
