// tests/support/open_files.hpp : what a process has left behind.
// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <sys/wait.h>

namespace attune_test {

/// How many descriptors of this process are open.
[[nodiscard]] inline int open_descriptors()
{
    int count = 0;
    for (int descriptor = 0; descriptor < 1024; ++descriptor)
        count += ::fcntl(descriptor, F_GETFD) != -1 ? 1 : 0;
    return count;
}

/// Neither running nor waiting to be reaped.
[[nodiscard]] inline bool has_no_children()
{
    errno = 0;
    return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

} // namespace attune_test
