// tests/core/error.cpp - the text of an error has what, where and what to do next.
// SPDX-License-Identifier: MIT
#include <attune/core/error.hpp>

#include <array>
#include <csignal>
#include <cstdio>
#include <doctest/doctest.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <type_traits>
#include <unistd.h>

TEST_CASE("an error says what, where and what to do next, one line each")
{
    attune::error const problem("kernel file not found", "sgemm.cpp", "pass a path that exists");
    CHECK(std::string(problem.what()) == "attune: kernel file not found\n"
                                         "  where: sgemm.cpp\n"
                                         "  next:  pass a path that exists");
    CHECK(problem.where() == "sgemm.cpp");
    CHECK(problem.next() == "pass a path that exists");
}

TEST_CASE("what went wrong can be had alone, for texts that are one line")
{
    CHECK(attune::error("no compiler", "PATH", "install one").what_alone() == "no compiler");
    CHECK(attune::error("no compiler", "", "").what_alone() == "no compiler");
    CHECK(attune::error("", "PATH", "").what_alone().empty());
    // The driver's words may have lines of their own, and the prefix.
    CHECK(attune::error("attune: a\nb", "", "").what_alone() == "attune: a");
}

TEST_CASE("an error leaves out the lines that are empty")
{
    CHECK(std::string(attune::error("a", "", "").what()) == "attune: a");
    CHECK(std::string(attune::error("a", "b", "").what()) == "attune: a\n  where: b");
    CHECK(std::string(attune::error("a", "", "c").what()) == "attune: a\n  next:  c");
}

TEST_CASE("an error is caught as a runtime_error, with its text, also after a copy")
{
    static_assert(std::is_base_of_v<std::runtime_error, attune::error>);
    try {
        attune::error const original("no compiler", "PATH", "install one");
        throw original;
    } catch (std::runtime_error const& problem) {
        CHECK(std::string(problem.what()).find("no compiler") != std::string::npos);
    }
}

TEST_CASE("what was thrown has a text, whatever it is")
{
    auto const text = [](auto const& thrown) {
        try {
            throw thrown;
        } catch (...) {
            return attune::detail::text_of_exception();
        }
    };
    CHECK(text(std::runtime_error("no file\nat all")) == "no file\nat all");
    CHECK(text(std::runtime_error("")) == "an exception without a text");
    CHECK(text(7) == "an exception that is not a std::exception");
}

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
    CHECK(result.text.find("error.cpp:") != std::string::npos);
}
#endif
