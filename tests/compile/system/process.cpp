// tests/compile/system/process.cpp - runs another program and takes what it says.
// SPDX-License-Identifier: MIT
#include <attune/compile/system/process.hpp>

#include <attune/core/error.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "../../support/open_files.hpp"
#include "../../support/set_variable.hpp"

using attune::detail::run_process;

TEST_CASE("a program's output and exit status come back")
{
    attune::detail::process_result const run =
        run_process({"sh", "-c", "echo out; echo err >&2; exit 3"}, 10);
    CHECK(run.output == "out\nerr\n");
    CHECK(run.exit_status == 3);
    CHECK_FALSE(run.succeeded());
    CHECK(run_process({"sh", "-c", "cat; test -z \"$LANGUAGE\" && test $LC_ALL = C"}, 10)
              .succeeded());
}

TEST_CASE("no shell stands between: arguments arrive as they are")
{
    CHECK(run_process({"printf", "%s|", "a b", "$HOME", "*"}, 10).output == "a b|$HOME|*|");
}

TEST_CASE("a program that takes too long is killed with its children")
{
    attune::detail::process_result const run =
        run_process({"sh", "-c", "echo begun; sleep 100 & wait"}, 0.2);
    CHECK(run.timed_out);
    CHECK(run.signal == SIGKILL);
    CHECK(run.output == "begun\n");
}

TEST_CASE("a program that a signal ends has no exit status")
{
    attune::detail::process_result const run = run_process({"sh", "-c", "kill -TERM $$"}, 10);
    CHECK(run.signal == SIGTERM);
    CHECK(run.exit_status == -1);
}

TEST_CASE("a program that closes its output and lingers is held to the limit")
{
    attune::detail::process_result const run =
        run_process({"sh", "-c", "exec >&- 2>&-; sleep 100"}, 0.2);
    CHECK(run.timed_out);
    CHECK_FALSE(run.succeeded());
    CHECK(run_process({"sh", "-c", "exec >&- 2>&-; sleep 0.1; exit 4"}, 10).exit_status == 4);
}

TEST_CASE(
    "where SIGCHLD is ignored, or children are waited for elsewhere, the status is still told")
{
    struct sigaction former{};
    struct sigaction now{};
    for (bool const ignored : {true, false}) {
        now.sa_handler = ignored ? SIG_IGN : [](int) {
            int const before = errno;
            while (::waitpid(-1, nullptr, WNOHANG) > 0) {
            }
            errno = before;
        };
        ::sigaction(SIGCHLD, &now, &former);
        CHECK(run_process({"sh", "-c", "echo $0; exit 3"}, 10).exit_status == 3);
        CHECK(run_process({"printf", "%s|", "a b", "$HOME", "*"}, 10).output == "a b|$HOME|*|");
        CHECK(run_process({"true"}, 10).succeeded());
        CHECK_FALSE(run_process({"false"}, 10).succeeded());
        CHECK(run_process({"sh", "-c", "kill -TERM $$"}, 10).signal == SIGTERM);
        CHECK(run_process({"sleep", "100"}, 0.2).timed_out);
        CHECK_THROWS_AS((void)run_process({"no-such-program-here"}, 10), attune::error);
        ::sigaction(SIGCHLD, &former, nullptr);
    }
}

TEST_CASE("a status that another thread took is known nevertheless")
{
    std::atomic<bool> is_over{false};
    std::thread thief([&] {
        while (!is_over) {
            if (::waitpid(-1, nullptr, WNOHANG) <= 0) ::usleep(100);
        }
    });
    for (int i = 0; i < 5; ++i) {
        CHECK(run_process({"sh", "-c", "exit 1"}, 10).exit_status == 1);
        CHECK(run_process({"true"}, 10).succeeded());
        CHECK(run_process({"sh", "-c", "kill -TERM $$"}, 10).signal == SIGTERM);
    }
    is_over = true;
    thief.join();
}

TEST_CASE("a program that does not exist is an error that names it")
{
    CHECK_THROWS_AS((void)run_process({"no-such-program-here"}, 10), attune::error);
    CHECK(attune::detail::find_program("no-such-program-here").empty());
    CHECK(attune::detail::find_program("sh").ends_with("/sh"));
}

TEST_CASE("a temporary folder goes with all that is in it")
{
    std::string path;
    {
        attune::detail::temporary_folder const folder;
        path = folder.write("a/b/c.txt", "text");
        std::string text;
        std::ifstream(path) >> text;
        CHECK(text == "text");
    }
    CHECK_FALSE(std::ifstream(path).good());
}

TEST_CASE("temporary folders of processes that were killed are removed, those of others are not")
{
    attune::detail::temporary_folder const parent;
    attune_test::set_variable const variable("TMPDIR", parent.path());
    auto const names = [&] {
        std::set<std::string> out;
        for (auto const& entry : std::filesystem::directory_iterator(parent.path()))
            out.insert(entry.path().filename().string());
        return out;
    };
    std::filesystem::create_directory(parent.path() + "/attune-of-the-users");
    std::array<int, 2> ready{};
    REQUIRE(::pipe(ready.data()) == 0);
    auto const start = [&] {
        pid_t const id = ::fork();
        if (id == 0) {
            attune::detail::temporary_folder const folder;
            (void)folder.write("sub/kernel.cpp", "int f();");
            if (::write(ready[1], "x", 1) == 1)
                for (;;)
                    ::pause();
        }
        char told = 0;
        REQUIRE(::read(ready[0], &told, 1) == 1);
        return id;
    };
    auto const kill = [](pid_t id) {
        ::kill(id, SIGKILL);
        REQUIRE(::waitpid(id, nullptr, 0) == id);
    };
    pid_t const living = start();
    std::set<std::string> const of_living = names();
    CHECK(of_living.size() == 2);
    kill(start());
    CHECK(names().size() == 3); // left behind
    {
        attune::detail::temporary_folder const mine; // the first of this process in that parent
        CHECK(names().size() == 3);
        attune::detail::remove_dead_folders(parent.path());
        CHECK(std::filesystem::exists(mine.path()));
    }
    CHECK(names() == of_living);
    kill(living);
    attune::detail::remove_dead_folders(parent.path());
    CHECK(names() == std::set<std::string>{"attune-of-the-users"});
    attune::detail::remove_dead_folders(parent.path() + "/no such folder");
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST_CASE("a fork of the program leaves a temporary folder to the process that made it")
{
    attune::detail::temporary_folder folder;
    ::pid_t const id = attune_test::fork_child([&] {
        folder.~temporary_folder(); // as exit() does with a static one
    });
    REQUIRE(::waitpid(id, nullptr, 0) == id);
    CHECK(std::filesystem::exists(folder.path()));
}
