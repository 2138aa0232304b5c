// tests/support/other_user.hpp : files of another user, which root alone can make.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attune_test {

inline constexpr uid_t other_user = 65534;

/// False, with a line that says so, where this user is not root.
[[nodiscard]] inline bool can_act_as_others()
{
    if (::geteuid() == 0) return true;
    std::puts("skipped: this user may not give a file to another");
    return false;
}

/// Gives a file, or a link itself, to a user.
[[nodiscard]] inline bool give_to(uid_t user, std::string const& path)
{
    return ::lchown(path.c_str(), user, user) == 0;
}

/// Runs `act` as another user, in a child. @return  what it returns; -1: it did not
template <class Act>
[[nodiscard]] int as_user(uid_t user, Act const& act)
{
    pid_t const child = ::fork();
    if (child == 0) {
        if (::setgid(user) != 0 || ::setuid(user) != 0) ::_exit(111);
        int out = 112;
        try {
            out = act();
        } catch (...) {
            out = 113;
        }
        ::_exit(out);
    }
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace attune_test
