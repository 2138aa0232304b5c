// attune/measure/sandbox/descriptor_state.ipp - reads, compares and restores descriptors.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/sandbox/descriptor_state.hpp>

#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE descriptor_state::descriptor_state()
{
    DIR* const folder = ::opendir("/proc/self/fd");
    if (folder == nullptr) return;
    int const own = ::dirfd(folder);
    while (::dirent const* const entry = ::readdir(folder)) {
        if (entry->d_name[0] == '.') continue;
        int const descriptor = static_cast<int>(std::strtol(entry->d_name, nullptr, 10));
        struct ::stat about{};
        if (descriptor == own || ::fstat(descriptor, &about) != 0) continue;
        open_file one{.device = about.st_dev,
                      .file = about.st_ino,
                      .size = about.st_size,
                      .written_ns = 1'000'000'000 * about.st_mtim.tv_sec + about.st_mtim.tv_nsec};
        // The positions of the standard streams are also those of other programs.
        if (S_ISREG(about.st_mode) && descriptor > STDERR_FILENO)
            one.position = ::lseek(descriptor, 0, SEEK_CUR);
        one.status = ::fcntl(descriptor, F_GETFL);
        one.flags = ::fcntl(descriptor, F_GETFD);
        all_.emplace(descriptor, one);
    }
    ::closedir(folder);
}

ATTUNE_INLINE bool descriptor_state::open_file::went_on(open_file const& then) const noexcept
{
    bool const is_written = size != then.size || written_ns != then.written_ns;
    return (then.status & O_ACCMODE) != O_RDONLY && position > then.position && is_written;
}

ATTUNE_INLINE std::vector<std::string> descriptor_state::changes(bool with_shared,
                                                                 bool has_written) const
{
    descriptor_state const now;
    std::vector<std::string> out;
    for (auto const& [descriptor, then] : all_) {
        auto const found = now.all_.find(descriptor);
        if (found == now.all_.end() || !found->second.is_file_of(then))
            out.push_back("closed or exchanged file descriptor " + std::to_string(descriptor));
        else if (with_shared && !found->second.is_same(then, has_written))
            out.push_back("changed the flags or the position of file descriptor " +
                          std::to_string(descriptor));
    }
    return out;
}

ATTUNE_INLINE void descriptor_state::restore() const
{
    descriptor_state const now;
    for (auto const& [descriptor, then] : all_) {
        auto const found = now.all_.find(descriptor);
        if (found == now.all_.end() || !found->second.is_file_of(then)) continue;
        open_file const& here = found->second;
        if (here.status != then.status) ::fcntl(descriptor, F_SETFL, then.status);
        if (here.flags != then.flags) ::fcntl(descriptor, F_SETFD, then.flags);
        // Where another process wrote meanwhile, to go back would overwrite its text.
        if (here.position != then.position && !here.went_on(then))
            ::lseek(descriptor, then.position, SEEK_SET);
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
