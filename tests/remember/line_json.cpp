// tests/remember/line_json.cpp - what is read in place is what nlohmann reads; other lines are left to it.
// SPDX-License-Identifier: MIT
#include <attune/remember/detail/line_json.hpp>

#include <attune/remember/detail/json_fields.hpp>
#include <attune/remember/lines/record_line.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../laws/record_store.hpp"
#include "../support/same_json.hpp"

using namespace attune::detail;

namespace {

bool is_read(std::string_view line) { return line_json::read(line).has_value(); }

/// Whether it is left to nlohmann, or says what that says.
bool is_honest(std::string_view line)
{
    std::optional<line_json> const own = line_json::read(line);
    if (!own) return true;
    record_json const document = record_json::parse(line, nullptr, false);
    return !document.is_discarded() && support::is_same_json(own->root(), document);
}

/// A line of each kind.
std::vector<std::string> own_lines()
{
    attune::record entry = laws::example_record();
    entry.ties = {{"128", "(0, 1, 2)"}, {}};
    entry.asked = {60, 60.0};
    entry.interrupted = true;
    stored_problem problem = problem_of(entry);
    problem.facts = {{"cores", "2"}};
    return {
        problem_line("9f-1f", problem),
        won_line("9f-1f", entry),
        tried_line("9f-1f", {{"64"}, attune::measurement{2e-3, 1.5e-3, 3, 9}, "c0"}),
        tried_line("9f-1f", {{"64"}, attune::failure{attune::failure_stage::crash, "SIGSEGV"}, ""}),
        proven_line("9f-1f", {"c0", {513, -1}, true}),
        over_line("9f-1f")};
}

} // namespace

TEST_CASE("every kind of line that attune writes is read in place")
{
    for (std::string const& line : own_lines()) {
        CAPTURE(line);
        CHECK(is_read(line));
        CHECK(is_honest(line));
    }
}

TEST_CASE("values of each kind are what nlohmann reads")
{
    for (char const* const line :
         {R"({})", R"([])", R"("")", R"(0)",
          R"([-0,-0.0,0.0,-1,18446744073709551615,-9223372036854775808])",
          R"([0.1,1e3,1E-3,1.5e+300,4.9406564584124654e-324,2.2250738585072014e-308])",
          R"([true,false,null,"null",[[[1]],{}]])",
          R"({"":"","a":{"a":{"a":[{"b":1},{"b":2}]}},"b":"x"})"}) {
        CAPTURE(line);
        CHECK(is_read(line));
        CHECK(is_honest(line));
    }
}

TEST_CASE("a line that is not of the form is left to nlohmann")
{
    for (char const* const line :
         {"", " 1", "1 ", R"({"a": 1})", R"(["a", "b"])", R"(["\u0041"])", R"(["a\"b"])",
          "[\"\t\"]", "[\"\xc3\xa4\"]", R"({"a":1,"a":2})", R"({"a":{"b":1,"c":2,"b":3}})",
          R"(18446744073709551616)", R"(-9223372036854775809)", R"(1e999)", R"(1e-999)",
          R"([[[[[[[[[[1]]]]]]]]]])"}) {
        CAPTURE(line);
        CHECK_FALSE(is_read(line));
    }
}

TEST_CASE("what is no JSON is not read")
{
    for (char const* const line :
         {"{",   "}",    "[1",   "[1,]",   R"({"a"})", R"({"a":})", R"({"a":1,})", "01",
          "-",   "-01",  "1.",   ".5",     "1e",       "1e+",       "+1",          "0x10",
          "nan", "inf",  "tru",  "nulll",  R"("a)",    R"({1:2})",  "[1 2]",       "1,2",
          "[[]", "{}{}", "[1]]", R"(''))", "-\"1\"",   "[,1]",      "true1",       "--1"}) {
        CAPTURE(line);
        CHECK_FALSE(is_read(line));
    }
    for (std::string const& line : own_lines())
        for (std::size_t length = 0; length < line.size(); ++length)
            CHECK_FALSE(is_read(std::string_view(line).substr(0, length)));
}

TEST_CASE("whatever becomes of a byte of a line, nothing is read that nlohmann does not read")
{
    constexpr std::string_view bytes = "{}[]\",:\\.-+eE019an \x01\x7f\x80\xff";
    for (std::string const& line : own_lines())
        for (std::size_t at = 0; at < line.size(); ++at)
            for (char const byte : bytes) {
                std::string changed = line;
                changed[at] = byte;
                if (is_honest(changed)) continue;
                FAIL_CHECK(changed);
            }
}
