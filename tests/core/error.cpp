// tests/core/error.cpp - the text of an error has what, where and what to do next.
// SPDX-License-Identifier: MIT
#include <attune/core/error.hpp>

#include <doctest/doctest.h>
#include <stdexcept>
#include <string>
#include <type_traits>

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
