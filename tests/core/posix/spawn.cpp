// tests/core/posix/spawn.cpp - what a started program finds.
// SPDX-License-Identifier: MIT
#include <attune/core/posix/spawn.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using attune::detail::spawn_outcome;
using attune::detail::spawn_request;

namespace {

/// What a shell prints that runs `script`, and its exit status.
std::pair<std::string, int> printed(std::string const& script, int close_from = -1)
{
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    spawn_request request{.path = "/bin/sh",
                          .arguments = {"sh", "-c", script},
                          .environment = {"GREETING=hello", "PATH=/usr/bin:/bin"},
                          .files = {{0, -1}, {1, ends[1]}, {2, -1}},
                          .close_from = close_from};
    spawn_outcome const started = attune::detail::spawn(std::move(request));
    REQUIRE(started.error_code == 0);
    ::close(ends[1]);
    std::string text;
    std::array<char, 256> block{};
    for (ssize_t got = 0; (got = ::read(ends[0], block.data(), block.size())) > 0;)
        text.append(block.data(), static_cast<std::size_t>(got));
    ::close(ends[0]);
    int status = 0;
    REQUIRE(::waitpid(started.process, &status, 0) == started.process);
    return {text, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

} // namespace

TEST_CASE("a program gets its arguments, its environment and its files, and no others")
{
    CHECK(printed("echo $GREETING; exit 3") == std::pair(std::string("hello\n"), 3));
    CHECK(printed("cat").first.empty()); // its input is /dev/null
    CHECK(printed("echo lost >&2; echo kept").first == "kept\n");
}

TEST_CASE("a program is in a process group of its own")
{
    auto const [text, status] = printed("ps -o pgid= -p $$ 2>/dev/null || echo $$; echo $$");
    CHECK(status == 0);
    CHECK(std::stoi(text) == std::stoi(text.substr(text.find('\n') + 1)));
}

TEST_CASE("a program has no signal blocked or ignored that this one has")
{
    sigset_t blocked;
    sigset_t before;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
    auto const former = std::signal(SIGTERM, SIG_IGN);
    int const status = printed("kill -TERM $$; exit 4").second;
    std::signal(SIGTERM, former);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    CHECK(status == -1); // ended by the signal
}

TEST_CASE("a program that is not there is an error code, no process")
{
    spawn_request request;
    request.path = "/no such program";
    request.arguments = {"none"};
    spawn_outcome const started = attune::detail::spawn(std::move(request));
    CHECK(started.error_code == ENOENT);
    CHECK(started.process == -1);
}
