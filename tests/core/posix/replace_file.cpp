// tests/core/posix/replace_file.cpp - a file is replaced whole, or not at all.
// SPDX-License-Identifier: MIT
#include <attune/core/posix/replace_file.hpp>

#include <attune/core/posix/detail/quiet_writes.hpp>

#include <cerrno>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

#include "../../support/other_user.hpp"
#include "../../support/scratch_directory.hpp"
#include "../../support/texts.hpp"

using attune::detail::create_file;
using attune::detail::replace_file;
using attune::detail::replace_files;
using attune::detail::replaced_file;
using attune_test::error_of;
using attune_test::has;

namespace {

std::size_t files_in(std::string const& folder)
{
    std::filesystem::directory_iterator const all(folder);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

} // namespace

TEST_CASE("a file is created, and replaced with its mode and through a link")
{
    support::scratch_directory const folder;
    std::filesystem::create_directory(folder.file("a"));
    std::string const path = folder.file("a/c.txt");
    replace_file(path, "first");
    CHECK(support::read_file(path) == "first");
    std::filesystem::permissions(path, std::filesystem::perms::owner_read |
                                           std::filesystem::perms::owner_write);
    std::string const link = folder.file("link");
    std::filesystem::create_symlink(path, link);
    replace_file(link, "second");
    CHECK(support::read_file(path) == "second");
    CHECK(std::filesystem::is_symlink(link));
    CHECK(std::filesystem::status(path).permissions() ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    CHECK(files_in(folder.file("a")) == 1);
}

TEST_CASE("a file for this user alone is that, also in the place of another one")
{
    using std::filesystem::perms;
    auto const [folder, path] = support::scratch_file("c.capture");
    for (perms const before : {perms::none, perms::owner_all | perms::others_read}) {
        if (before != perms::none) std::filesystem::permissions(path, before);
        replace_file(path, "data of a call", attune::detail::file_readers::owner);
        CHECK(std::filesystem::status(path).permissions() ==
              (perms::owner_read | perms::owner_write));
    }
}

TEST_CASE("what cannot be written leaves the old text and nothing beside it")
{
    auto const [folder, path] = support::scratch_file("kept");
    replace_file(path, "old");
    ::rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    ::rlimit const small{64, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    std::string const why = error_of([&] { replace_file(path, std::string(1000, 'x')); });
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(has(why, "File too large"));
    CHECK(has(why, path));
    CHECK(support::read_file(path) == "old");
    CHECK(files_in(folder.path()) == 1);
    CHECK(has(error_of([&] { replace_file(folder.path(), "x"); }), "not a regular file"));
    CHECK(has(error_of([&] { replace_file("/proc/none/x", "x"); }), "cannot be written"));
    CHECK(has(error_of([&] { replace_file(folder.file("none/x"), "x"); }), "No such file"));
    CHECK(has(error_of([&] { replace_file("", "x"); }), "cannot be written"));
}

TEST_CASE("of files that belong together all are written, or none")
{
    support::scratch_directory const folder;
    support::write_file(folder.file("a"), "old");
    CHECK(has(
        error_of([&] { replace_files({{folder.file("a"), "1"}, {folder.file("none/b"), "2"}}); }),
        "none/b"));
    CHECK(support::read_file(folder.file("a")) == "old");
    CHECK(files_in(folder.path()) == 1);
    replace_files({{folder.file("a"), "1"}, {folder.file("b"), "2"}});
    CHECK(support::read_file(folder.file("a")) == "1");
    CHECK(support::read_file(folder.file("b")) == "2");
    CHECK(files_in(folder.path()) == 2);
}

TEST_CASE(
    "a text in pieces is there when all are written, and leaves nothing if that never happens")
{
    auto const [folder, path] = support::scratch_file("a", "old");
    {
        replaced_file left(path);
        left.write("half of ");
    }
    CHECK(support::read_file(path) == "old");
    CHECK(files_in(folder.path()) == 1);
    std::string expected;
    replaced_file made(path);
    for (int i = 0; i < 100; ++i) {
        std::string const piece(static_cast<std::size_t>(i) * 1000,
                                static_cast<char>('a' + i % 26));
        made.write(piece);
        expected += piece;
    }
    CHECK(support::read_file(path) == "old");
    made.finish();
    CHECK(support::read_file(path) == expected);
    CHECK(files_in(folder.path()) == 1);
    CHECK(has(error_of([&] { replaced_file none(folder.file("none/x")); }), "No such file"));
    CHECK(has(error_of([&] { replaced_file none(folder.path()); }), "not a regular file"));
    CHECK(has(error_of([&] { made.write("more"); }), "it is finished"));
    CHECK(has(error_of([&] { made.finish(); }), "it is finished"));
    CHECK(support::read_file(path) == expected);
}

TEST_CASE("a file of pieces gets its name where the path led at first")
{
    support::scratch_directory const folder;
    support::scratch_directory const elsewhere;
    std::filesystem::path const before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    replaced_file made("kept");
    std::filesystem::current_path(elsewhere.path());
    made.write("text");
    made.finish();
    std::filesystem::current_path(before);
    CHECK(support::read_file(folder.file("kept")) == "text");
    CHECK(files_in(folder.path()) == 1);
    CHECK(files_in(elsewhere.path()) == 0);
}

TEST_CASE("a piece that finds no room is an error, and the old text stays")
{
    auto const [folder, path] = support::scratch_file("kept");
    replace_file(path, "old");
    ::rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    ::rlimit const small{64, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    std::string const why = error_of([&] {
        replaced_file made(path);
        for (int i = 0; i < 10; ++i)
            made.write(std::string(10, 'x'));
        made.finish();
    });
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(has(why, "File too large"));
    CHECK(has(why, path));
    CHECK(support::read_file(path) == "old");
    CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("what is planted beside a file is neither followed nor written to")
{
    auto const [folder, victim] = support::scratch_file("victim", "mine");
    std::string const path = folder.file("a");
    // The names that this process uses next.
    for (int i = 0; i < 40; ++i)
        std::filesystem::create_symlink(victim, path + '.' + std::to_string(::getpid()) + '-' +
                                                    std::to_string(i) + ".new");
    replace_file(path, "text");
    CHECK(support::read_file(path) == "text");
    CHECK(support::read_file(victim) == "mine");
    CHECK(files_in(folder.path()) == 42);
}

TEST_CASE("a file that is there is not created anew, whatever it is")
{
    auto const [folder, path] = support::scratch_file("a");
    CHECK(create_file(path, "first"));
    CHECK_FALSE(create_file(path, "second"));
    CHECK(support::read_file(path) == "first");
    std::filesystem::create_symlink(folder.file("none"), folder.file("link"));
    CHECK_FALSE(create_file(folder.file("link"), "x"));
    CHECK(has(error_of([&] { static_cast<void>(create_file(folder.file("b/c"), "x")); }),
              "No such file"));
    CHECK(files_in(folder.path()) == 2);
}

TEST_CASE("no file is written at the end of another user's link, or of a link that leads nowhere")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("kept"), link = folder.file("link");
    std::filesystem::create_symlink("none", link);
    CHECK(has(error_of([&] { replace_file(link, "x"); }), "which is not there"));
    CHECK(has(error_of([&] { replaced_file none(link); }), "which is not there"));
    CHECK(files_in(folder.path()) == 1);
    if (!attune_test::can_act_as_others()) return;
    replace_file(path, "old");
    std::filesystem::remove(link);
    std::filesystem::create_symlink(path, link);
    REQUIRE(attune_test::give_to(attune_test::other_user, link));
    CHECK(has(error_of([&] { replace_file(link, "x"); }), "symbolic link of uid 65534"));
    CHECK(has(error_of([&] { replace_files({{path, "1"}, {link, "2"}}); }), "uid 65534"));
    CHECK(has(error_of([&] { replaced_file none(link); }), "uid 65534"));
    CHECK(has(error_of([&] { static_cast<void>(create_file(link, "x")); }), "uid 65534"));
    CHECK(support::read_file(path) == "old");
    CHECK(files_in(folder.path()) == 2);
}

TEST_CASE("a write that fails raises no signal, and the program's own signals stay pending")
{
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    ::close(ends[0]);
    {
        attune::detail::quiet_writes const quiet;
        CHECK(::write(ends[1], "x", 1) == -1);
        CHECK(errno == EPIPE);
    }
    sigset_t both;
    sigset_t before;
    sigset_t pending;
    ::sigemptyset(&both);
    ::sigaddset(&both, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &both, &before);
    ::sigpending(&pending);
    CHECK(sigismember(&pending, SIGPIPE) == 0);
    ::raise(SIGPIPE);
    {
        attune::detail::quiet_writes const quiet;
        CHECK(::write(ends[1], "x", 1) == -1);
    }
    ::sigpending(&pending);
    CHECK(sigismember(&pending, SIGPIPE) == 1);
    int taken = 0;
    ::sigwait(&both, &taken);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::close(ends[1]);
}
