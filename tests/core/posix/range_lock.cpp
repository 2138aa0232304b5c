// tests/core/posix/range_lock.cpp - bytes that one holder at a time has.
// SPDX-License-Identifier: MIT
#include <attune/core/posix/range_lock.hpp>

#include <attune/core/posix/steady_seconds.hpp>

#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "../../support/scratch_directory.hpp"

using attune::detail::lock_state;
using attune::detail::range_lock;

namespace {

struct lock_file {
    support::scratch_directory folder{};
    std::string path = folder.file("lock");
};

} // namespace

TEST_CASE("one holder at a time has a byte, and others have others")
{
    lock_file const file;
    range_lock first = range_lock::take(file.path, {7}, 0.0);
    REQUIRE(first.state() == lock_state::mine);
    CHECK(range_lock::take(file.path, {7}, 0.0).state() == lock_state::busy);
    range_lock const other = range_lock::take(file.path, {8, std::uint64_t{1} << 61}, 0.0);
    CHECK(other.state() == lock_state::mine);
    CHECK(range_lock::take(file.path, {9, 8, 6}, 0.0).state() == lock_state::busy);
    CHECK(range_lock::take(file.path, {9, 6}, 0.0).state() == lock_state::mine); // none was kept
    first.release();
    CHECK(range_lock::take(file.path, {7}, 0.0).state() == lock_state::mine);
    range_lock moved = range_lock::take(file.path, {7}, 0.0);
    first = std::move(moved);
    CHECK(range_lock::take(file.path, {7}, 0.0).state() == lock_state::busy);
}

TEST_CASE("the wait ends when it is over, or when the holder dies")
{
    lock_file const file;
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    ::pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        range_lock const held = range_lock::take(file.path, {1}, 0.0);
        char const done = held.state() == lock_state::mine ? 'y' : 'n';
        if (::write(ready[1], &done, 1) != 1) ::_exit(2);
        ::pause();
        ::_exit(0);
    }
    char answer = 0;
    REQUIRE(::read(ready[0], &answer, 1) == 1);
    CHECK(answer == 'y');
    double const begun = attune::detail::steady_seconds();
    CHECK(range_lock::take(file.path, {1}, 0.05).state() == lock_state::busy);
    CHECK(attune::detail::steady_seconds() - begun >= 0.05);
    ::kill(child, SIGKILL);
    CHECK(range_lock::take(file.path, {1}, 60.0).state() == lock_state::mine);
    int status = 0;
    CHECK(::waitpid(child, &status, 0) == child);
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST_CASE("a child that is forked meanwhile neither keeps the lock nor gives it up")
{
    lock_file const file;
    int to_child[2];
    int to_parent[2];
    REQUIRE(::pipe(to_child) == 0);
    REQUIRE(::pipe(to_parent) == 0);
    range_lock held = range_lock::take(file.path, {1, 2}, 0.0);
    REQUIRE(held.state() == lock_state::mine);
    ::pid_t const child = ::fork();
    REQUIRE(child >= 0);
    char word = 0;
    if (child == 0) {
        ::alarm(20);
        {
            range_lock const inherited = std::move(held);
        }
        static_cast<void>(!::write(to_parent[1], &word, 1));
        ::_exit(::read(to_child[0], &word, 1) == 1 ? 0 : 1);
    }
    REQUIRE(::read(to_parent[0], &word, 1) == 1);
    CHECK(range_lock::take(file.path, {1}, 0.0).state() == lock_state::busy);
    static_cast<void>(!::write(to_child[1], &word, 1));
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    ::pid_t const other = ::fork(); // has the file open for as long as it lives
    REQUIRE(other >= 0);
    if (other == 0) {
        ::alarm(20);
        ::_exit(::read(to_child[0], &word, 1) == 1 ? 0 : 1);
    }
    held.release();
    CHECK(range_lock::take(file.path, {1, 2}, 0.0).state() == lock_state::mine);
    static_cast<void>(!::write(to_child[1], &word, 1));
    REQUIRE(::waitpid(other, &status, 0) == other);
    CHECK(status == 0);
    for (int const end : {to_child[0], to_child[1], to_parent[0], to_parent[1]})
        ::close(end);
}

TEST_CASE("a file that cannot be made or is none leaves the lock unavailable, with a reason")
{
    lock_file const file;
    range_lock const nowhere = range_lock::take(file.folder.file("none/lock"), {1}, 5.0);
    CHECK(nowhere.state() == lock_state::unavailable);
    CHECK(nowhere.why().find("/none/lock: ") != std::string::npos);
    CHECK(range_lock::take(file.folder.path(), {1}, 5.0).state() == lock_state::unavailable);
    std::filesystem::create_symlink(file.folder.file("elsewhere"), file.path);
    CHECK(range_lock::take(file.path, {1}, 0.0).state() == lock_state::unavailable);
    CHECK(range_lock().state() == lock_state::unavailable);
}

TEST_CASE("the file is made as the umask says, or for this user alone")
{
    lock_file const file;
    using whose = attune::detail::lock_file;
    ::mode_t const before = ::umask(027);
    CHECK(range_lock::take(file.path, {1}, 0.0).state() == lock_state::mine);
    CHECK(range_lock::take(file.path + "2", {1}, 0.0, whose::of_this_user).state() ==
          lock_state::mine);
    ::umask(before);
    struct ::stat status{};
    REQUIRE(::stat(file.path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0640);
    REQUIRE(::stat((file.path + "2").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("another user's file is no file of this user's")
{
    if (::geteuid() != 0) return; // only root gives files away
    lock_file const file;
    using whose = attune::detail::lock_file;
    static_cast<void>(range_lock::take(file.path, {1}, 0.0));
    REQUIRE(::chown(file.path.c_str(), 1, 1) == 0);
    CHECK(range_lock::take(file.path, {1}, 0.0).state() == lock_state::mine);
    range_lock const refused = range_lock::take(file.path, {1}, 0.0, whose::of_this_user);
    CHECK(refused.state() == lock_state::unavailable);
    CHECK(refused.why().ends_with(": it belongs to another user"));
}
