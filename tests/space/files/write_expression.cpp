// tests/space/files/write_expression.cpp : mirrors include/attune/space/files/write_expression.hpp, which it includes first.
// SPDX-License-Identifier: MIT
#include <attune/space/files/write_expression.hpp>

#include <attune/space/files/read_json.hpp>

#include <doctest/doctest.h>
#include <string>

namespace {

attune::description sample_space()
{
    return attune::read_spaces_json(R"({"problem": {"N": 12}, "params": [
        {"name": "a", "values": [1, 2]}, {"name": "b b", "values": [1, 2]},
        {"name": "m", "values": ["x", "y"]}, {"name": "o", "kind": "permutation", "parts": 3}]})")
        .front()
        .space;
}

} // namespace

TEST_CASE("an expression is written with the brackets it needs and no others")
{
    for (std::string const text : {"a + 1 + 2",
                                   "a + (1 + 2)",
                                   "(a + 1) * 2",
                                   "-a",
                                   "-(5)",
                                   "-5 * a",
                                   "not a == 1",
                                   "a == 1 or a == 2 and N > 3",
                                   "(a == 1 or a == 2) and N > 3",
                                   "not (a == 1 or N > 3)",
                                   "a // 2 % 3",
                                   "a // (2 % 3)",
                                   "trunc_div(a, 2)",
                                   "a / 3.0",
                                   "(a < 2) == 1",
                                   "min(a, max(N, 3))",
                                   "select(a < 2, 0.5, N)",
                                   "`b b` ** 1",
                                   "m == 'x\\''",
                                   "o[1] < position(o, 2)",
                                   "abs(-a)",
                                   "ceil_div(N, a)",
                                   "--a",
                                   "(a && N) * 2",
                                   "select(a, N, a) * 2"}) {
        attune::description space = sample_space();
        std::uint32_t const root = attune::parse_expression(space, text);
        std::string const written = attune::write_expression(space, root);
        CAPTURE(text);
        CHECK(attune::parse_expression(space, written) == root);
        if (text != "`b b` ** 1") CHECK(written == text);
    }
}

TEST_CASE("a text that means something else in C++ is written anew")
{
    attune::description space = sample_space();
    attune::constraint_description c = attune::parse_constraint(space, "trunc_div(N, a) == 3");
    c.text = "N / a == 3";
    CHECK(attune::constraint_source(space, c) == "trunc_div(N, a) == 3");
    c.text = "trunc_div( N,a ) == 3";
    CHECK(attune::constraint_source(space, c) == c.text);
}
