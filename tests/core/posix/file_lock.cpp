// tests/core/posix/file_lock.cpp : mirrors include/attune/core/posix/file_lock.hpp
// SPDX-License-Identifier: MIT
#include <attune/core/posix/file_lock.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

using attune::detail::file_lock;
using attune::detail::take_flock;

namespace {

/// The same file, opened once more: flock() belongs to an opened file.
int opened_again(std::FILE* file)
{
    return open(("/proc/self/fd/" + std::to_string(fileno(file))).c_str(), O_RDWR | O_CLOEXEC);
}

} // namespace

TEST_CASE("a lock ends with its object, although a child of fork() has the file open")
{
    std::FILE* const file = std::tmpfile();
    REQUIRE(file != nullptr);
    int const other = opened_again(file);
    REQUIRE(other >= 0);
    pid_t child = 0;
    {
        file_lock const mine(fileno(file), 0);
        CHECK(mine.is_mine());
        CHECK(take_flock(other, LOCK_EX, 0.01) == EWOULDBLOCK);
        CHECK_FALSE(file_lock(other, 0).is_mine());
        child = fork();
        if (child == 0)
            for (;;)
                pause();
    }
    std::fclose(file);
    CHECK(take_flock(other, LOCK_EX, 0) == 0);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(other);
}

TEST_CASE("the copy of a lock in a child of fork() ends nothing")
{
    std::FILE* const file = std::tmpfile();
    REQUIRE(file != nullptr);
    int const other = opened_again(file);
    file_lock const mine(fileno(file), 0);
    pid_t const child = fork();
    if (child == 0) {
        const_cast<file_lock&>(mine).~file_lock();
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    CHECK(take_flock(other, LOCK_SH, 0) == EWOULDBLOCK);
    CHECK(take_flock(-1, LOCK_EX, 3) == EBADF);
    close(other);
    std::fclose(file);
}
