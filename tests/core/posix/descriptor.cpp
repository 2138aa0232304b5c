// tests/core/posix/descriptor.cpp - a descriptor is closed exactly once.
// SPDX-License-Identifier: MIT
#include <attune/core/posix/descriptor.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

#include "../../support/open_files.hpp"
#include "../../support/other_user.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"

using attune::detail::checked_file;
using attune::detail::create_folders_of;
using attune::detail::descriptor;
using attune::detail::file_lock;
using attune::detail::open_checked;
using attune::detail::other_writer_of;
using attune::detail::place_of;
using attune::detail::take_flock;
using attune_test::can_act_as_others;
using attune_test::give_to;
using attune_test::has;
using attune_test::other_user;

namespace {

bool is_open(int number) { return ::fcntl(number, F_GETFD) >= 0; }
int open_nothing() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

/// Why another user could have written a file; "": nobody could.
std::string others_of(std::string const& path)
{
    checked_file const opened = open_checked(path, O_RDONLY);
    if (!opened.file) return "errno " + std::to_string(opened.error);
    std::string const own = other_writer_of(opened.file.get(), path);
    return own.empty() ? opened.replaced_by_other : own;
}

constexpr int append = O_RDWR | O_APPEND;

/// The same file, opened once more: flock() belongs to an opened file.
int opened_again(std::FILE* file)
{
    return open(("/proc/self/fd/" + std::to_string(fileno(file))).c_str(), O_RDWR | O_CLOEXEC);
}

} // namespace

TEST_CASE("a descriptor is closed with its owner")
{
    int number = -1;
    {
        descriptor const owner(open_nothing());
        number = owner.get();
        REQUIRE(owner.is_open());
        CHECK(owner);
        CHECK(is_open(number));
    }
    CHECK_FALSE(is_open(number));
}

TEST_CASE("a descriptor that was moved from holds nothing")
{
    descriptor from(open_nothing());
    int const number = from.get();
    descriptor to(std::move(from));
    CHECK_FALSE(from.is_open()); // NOLINT(bugprone-use-after-move)
    CHECK(to.get() == number);
    descriptor other;
    CHECK_FALSE(other);
    other = std::move(to);
    CHECK(other.get() == number);
    CHECK(is_open(number));
    static_assert(!std::is_copy_constructible_v<descriptor>);
}

TEST_CASE("a file can be closed before its owner ends")
{
    descriptor owner(open_nothing());
    int const number = owner.get();
    owner.close();
    CHECK_FALSE(owner.is_open());
    CHECK_FALSE(is_open(number));
    owner.close(); // nothing left to close
}

TEST_CASE("a process without free descriptors has none")
{
    using attune::detail::has_free_descriptors;
    CHECK(has_free_descriptors(12));
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    descriptor const next(open_nothing());
    rlimit few = before;
    few.rlim_cur = static_cast<rlim_t>(next.get()) + 3;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    bool const one = has_free_descriptors(1);
    bool const many = has_free_descriptors(12);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(one);
    CHECK(!many);
    CHECK(has_free_descriptors(12));
}

TEST_CASE("a file is this user's where its owner, its mode and its folders say so")
{
    auto const [folder, path] = support::scratch_file("a/b/file");
    std::filesystem::create_directories(folder.file("a/b"));
    support::write_file(path, "text");
    REQUIRE(::chmod(path.c_str(), 0644) == 0);
    CHECK(others_of(path) == "");
    for (mode_t const mode : {0646u, 0664u, 0666u}) {
        bool const is_by_group = mode == 0664 && ::geteuid() >= 1000; // its own group
        REQUIRE(::chmod(path.c_str(), mode) == 0);
        if (!is_by_group) CHECK(has(others_of(path), "chmod go-w"));
    }
    REQUIRE(::chmod(path.c_str(), 0600) == 0);
    REQUIRE(::chmod(folder.file("a").c_str(), 0777) == 0);
    CHECK(has(others_of(path), "the folder " + folder.file("a") + " has mode 0777"));
    REQUIRE(::chmod(folder.file("a").c_str(), 01777) == 0);
    CHECK(others_of(path) == "");
    REQUIRE(::chmod(folder.file("a").c_str(), 0755) == 0);
    CHECK(others_of(path) == "");
}

TEST_CASE("a file of root or in a folder of root is believed, one of another user is not")
{
    CHECK(others_of("/etc/passwd") == "");
    if (!can_act_as_others()) return;
    support::scratch_directory const folder;
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
    std::string const path = folder.file("file");
    support::write_file(path, "text");
    REQUIRE(::chmod(path.c_str(), 0644) == 0);
    CHECK(attune_test::as_user(other_user, [&] { return others_of(path) == "" ? 7 : 8; }) == 7);
    REQUIRE(give_to(other_user, path));
    CHECK(has(others_of(path), "uid 65534 owns"));
    CHECK(attune_test::as_user(other_user, [&] { return others_of(path) == "" ? 7 : 8; }) == 7);
    CHECK(attune_test::as_user(1234, [&] { return others_of(path) == "" ? 7 : 8; }) == 8);
    REQUIRE(give_to(0, path));
    REQUIRE(give_to(other_user, folder.path()));
    CHECK(has(others_of(path), "uid 65534 owns the folder " + folder.path()));
    REQUIRE(give_to(0, folder.path()));
    CHECK(others_of(path) == "");
}

TEST_CASE("the group of a person is the person's own, that of root and nobody is not")
{
    if (!can_act_as_others()) return;
    support::scratch_directory const folder;
    REQUIRE(::chmod(folder.path().c_str(), 01777) == 0);
    auto const is_own = [&](uid_t user) {
        return attune_test::as_user(user, [&] {
            std::string const path = folder.file("of" + std::to_string(user));
            support::write_file(path, "text");
            if (::chmod(path.c_str(), 0664) != 0) return 9;
            return others_of(path).empty() ? 7 : 8;
        });
    };
    CHECK(is_own(4242) == 7);
    CHECK(is_own(other_user) == 8);
    CHECK(is_own(99) == 8);
}

TEST_CASE("own links are followed to files that are there, none is to create a file")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("real"), link = folder.file("link");
    support::write_file(path, "text");
    REQUIRE(::chmod(path.c_str(), 0644) == 0);
    std::filesystem::create_symlink("real", link);
    std::filesystem::create_symlink("link", folder.file("second"));
    CHECK(others_of(folder.file("second")) == "");
    CHECK(open_checked(folder.file("second"), append).file.is_open());
    CHECK(place_of(folder.file("second")).path == std::filesystem::canonical(path).string());
    std::filesystem::create_symlink("none", folder.file("dangling"));
    checked_file const made = open_checked(folder.file("dangling"), append | O_CREAT, 0644);
    CHECK(!made.file.is_open());
    CHECK(has(made.refused, "which is not there"));
    CHECK(!std::filesystem::exists(folder.file("none")));
    CHECK(create_folders_of(folder.file("dangling/x/file")) != 0);
    CHECK(!std::filesystem::exists(folder.file("none")));
    std::filesystem::create_symlink("turn", folder.file("turn"));
    CHECK(open_checked(folder.file("turn"), append | O_CREAT, 0644).error == ELOOP);
    // A link to a folder is no end of the path.
    std::filesystem::create_directory(folder.file("real_folder"));
    std::filesystem::create_symlink("real_folder", folder.file("folder"));
    CHECK(open_checked(folder.file("folder/new"), append | O_CREAT, 0644).file.is_open());
    CHECK(std::filesystem::exists(folder.file("real_folder/new")));
    CHECK(create_folders_of(folder.file("folder/x/y/file")) == 0);
    CHECK(std::filesystem::is_directory(folder.file("real_folder/x/y")));
}

TEST_CASE("links of another user are not followed to write, and tell of who could have written")
{
    if (!can_act_as_others()) return;
    support::scratch_directory const folder;
    std::string const path = folder.file("real"), link = folder.file("link");
    support::write_file(path, "text");
    REQUIRE(::chmod(path.c_str(), 0644) == 0);
    std::filesystem::create_symlink(path, link);
    REQUIRE(give_to(other_user, link));
    CHECK(has(others_of(link), "is a symbolic link of uid 65534"));
    CHECK(!open_checked(link, append).file.is_open());
    CHECK(has(open_checked(link, append | O_CREAT, 0644).refused, "symbolic link of uid 65534"));
    std::filesystem::create_directory(folder.file("f"));
    std::filesystem::create_symlink(folder.file("f"), folder.file("to_f"));
    REQUIRE(give_to(other_user, folder.file("to_f")));
    CHECK(has(open_checked(folder.file("to_f/new"), append | O_CREAT, 0644).refused, "65534"));
    CHECK(create_folders_of(folder.file("to_f/x/y")) == EACCES);
    CHECK(std::filesystem::is_empty(folder.file("f")));
}

TEST_CASE("paths lead where the system says they do")
{
    support::scratch_directory const folder;
    std::filesystem::create_directories(folder.file("a/b"));
    support::write_file(folder.file("a/b/file"), "text");
    std::filesystem::create_symlink("../a", folder.file("a/up"));
    std::filesystem::create_symlink(folder.path(), folder.file("a/b/top"));
    std::filesystem::path const before = std::filesystem::current_path();
    std::filesystem::current_path(folder.file("a"));
    for (std::string const& path :
         {folder.file("a/b/file"), folder.file("a//b/./file"), folder.file("a/b/../../a/b/file"),
          folder.file("a/up/b/file"), folder.file("a/b/top/a/up/b/../b/file"),
          std::string("b/file"), std::string("./b/../up/b/file"), std::string("../a/b/file")}) {
        CAPTURE(path);
        CHECK(place_of(path).path == std::filesystem::canonical(path).string());
        CHECK(open_checked(path, O_RDONLY).file.is_open());
    }
    CHECK(open_checked("", O_RDONLY).error == ENOENT);
    CHECK(open_checked("b/none", O_RDONLY).error == ENOENT);
    CHECK(open_checked("none/x", O_RDONLY).error == ENOENT);
    CHECK(open_checked("b/file/x", O_RDONLY).error == ENOTDIR);
    CHECK(open_checked("/", O_RDONLY).file.is_open());
    CHECK(open_checked("b/", O_RDONLY).file.is_open());
    CHECK(open_checked("..", O_RDONLY).file.is_open());
    std::filesystem::current_path(before);
}

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
    ::pid_t const child =
        attune_test::fork_child([&] { const_cast<file_lock&>(mine).~file_lock(); });
    waitpid(child, nullptr, 0);
    CHECK(take_flock(other, LOCK_SH, 0) == EWOULDBLOCK);
    CHECK(take_flock(-1, LOCK_EX, 3) == EBADF);
    close(other);
    std::fclose(file);
}
