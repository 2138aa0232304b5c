// attune/measure/sandbox/detail/child_list.hpp - the child processes of a process.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

namespace attune::inline ATTUNE_ABI::detail {

#if defined(__linux__)
/// Calls `f` with each number in the file.
template <class F>
void for_each_number_in(int file, F const& f) noexcept
{
    char block[512];
    pid_t number = 0;
    for (ssize_t got = 0; (got = ::read(file, block, sizeof block)) > 0;)
        for (ssize_t i = 0; i < got; ++i)
            if (block[i] != ' ') {
                number = 10 * number + (block[i] - '0');
            } else {
                f(number);
                number = 0;
            }
}
#endif

/// Calls `f` with the id of each child process that a thread of a process started, or that it got
/// as an orphan. Each thread has a list of its own. A signal handler may call it.
///
/// @param tasks  "/proc/self/task", or that of another process
/// @return  how many; 0 where the kernel does not list them (CONFIG_PROC_CHILDREN)
template <class F>
std::size_t for_each_child(char const* tasks, F const& f) noexcept
{
    std::size_t count = 0;
#if defined(__linux__)
    int const folder = ::open(tasks, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return 0;
    constexpr std::size_t name_offset = 19; // of linux_dirent64, and 16: that of its length
    alignas(8) char entries[1024];          // readdir() would allocate
    for (long got = 0; (got = ::syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;)
        for (char const* at = entries; at < entries + got;) {
            char path[64] = {};
            std::strncpy(path, at + name_offset, 32);
            std::strcat(path, "/children");
            std::uint16_t length = 0;
            std::memcpy(&length, at + 16, sizeof length);
            at += length;
            int const list = path[0] == '.' ? -1 : ::openat(folder, path, O_RDONLY | O_CLOEXEC);
            if (list < 0) continue;
            for_each_number_in(list, [&](pid_t id) {
                ++count;
                f(id);
            });
            ::close(list);
        }
    ::close(folder);
#else
    static_cast<void>(tasks), static_cast<void>(f);
#endif
    return count;
}

} // namespace attune::inline ATTUNE_ABI::detail
