// tests/core/assert.cpp - a broken precondition ends the process with three lines; a kept one costs nothing.
// SPDX-License-Identifier: MIT
#include <attune/core/assert.hpp>

#include <array>
#include <csignal>
#include <cstdio>
#include <doctest/doctest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct ending {
    int status = 0;
    std::string text; ///< what the child wrote to stdout and stderr
};

/// Runs `body` in a child, with the signal handlers a plain program has.
template <class Body>
ending run_in_child(Body body)
{
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    std::fflush(nullptr); // or the child may write what this process has not written yet
    ::pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        std::signal(SIGABRT, SIG_DFL);
        ::dup2(ends[1], STDOUT_FILENO);
        ::dup2(ends[1], STDERR_FILENO);
        body();
        ::_exit(0);
    }
    ::close(ends[1]);
    ending result;
    std::array<char, 256> block{};
    for (;;) {
        auto const got = ::read(ends[0], block.data(), block.size());
        if (got <= 0) break;
        result.text.append(block.data(), static_cast<std::size_t>(got));
    }
    ::close(ends[0]);
    REQUIRE(::waitpid(child, &result.status, 0) == child);
    return result;
}

} // namespace

TEST_CASE("a broken precondition aborts and says what, why and where")
{
    ending const result = run_in_child(
        [] { attune::detail::assertion_failed("n > 0", "a tile has a size", "tile.hpp", 42); });
    REQUIRE(WIFSIGNALED(result.status));
    CHECK(WTERMSIG(result.status) == SIGABRT);
    CHECK(result.text == "attune: broken precondition: n > 0\n"
                         "  why:   a tile has a size\n"
                         "  where: tile.hpp:42\n");
}

TEST_CASE("a precondition that holds does nothing, also inside an expression")
{
    int const three = 3;
    ATTUNE_ASSERT(three == 3, "it holds");
    int const value = (ATTUNE_ASSERT(three > 0, "it holds"), three);
    CHECK(value == 3);
}

#ifdef NDEBUG
TEST_CASE("a release build does not even look at the condition")
{
    ending const result = run_in_child([] { ATTUNE_ASSERT((::_exit(7), false), "not looked at"); });
    REQUIRE(WIFEXITED(result.status));
    CHECK(WEXITSTATUS(result.status) == 0);
    CHECK(result.text.empty());
}
#else
TEST_CASE("a debug build checks the condition once and aborts when it is false")
{
    int looks = 0;
    ATTUNE_ASSERT(++looks == 1, "looked at once");
    CHECK(looks == 1);

    ending const result = run_in_child([] { ATTUNE_ASSERT(1 + 1 == 3, "arithmetic"); });
    REQUIRE(WIFSIGNALED(result.status));
    CHECK(WTERMSIG(result.status) == SIGABRT);
    CHECK(result.text.find("broken precondition: 1 + 1 == 3\n") != std::string::npos);
    CHECK(result.text.find("why:   arithmetic\n") != std::string::npos);
    CHECK(result.text.find("assert.cpp:") != std::string::npos);
}
#endif
