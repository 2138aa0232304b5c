// tests/space/files/write_smtlib.cpp : mirrors include/attune/space/files/write_smtlib.hpp, which it includes first.
// SPDX-License-Identifier: MIT
#include <attune/space/files/write_smtlib.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/space/files/read_json.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../../support/texts.hpp"
#include "every_assignment.hpp"
#include "smtlib_reference.hpp"

TEST_CASE("a script accepts exactly the valid configurations")
{
    for (std::string const& text : attune_test::parts_of(
             "a // b == -1; a % b == 1; trunc_div(a, b) == -1; trunc_mod(a, b) == -1; "
             "ceil_div(a, b) == 0; b == 0 or a % b == 0; not (a % b == 0); a / b < 0.5; "
             "abs(a) + min(a, b) * max(a, b) > 2; a in (1, -2) and m == 'x'; m != 'y' or f; "
             "f != yes or a == no; select(f, a, b) == 1; r * a >= 0.5; r // 0.5 % 2 == 1; "
             "2 * (a < b) == 2; (a or b) * 2 == 4; o[0] < o[2] and position(o, 1) == 1; "
             "t[0] * a == t[1]; a * 6000000000000000000 > 0; N - a > 4; 1 <= a < b",
             "; ")) {
        auto const space = attune::read_spaces_json(
                               R"({"problem": {"N": 5}, "params": [
            {"name": "a", "values": [-2, -1, 0, 1, 2]}, {"name": "b", "values": [-2, 0, 1, 3]},
            {"name": "yes", "values": [true]}, {"name": "no", "values": [false]},
            {"name": "f", "values": [false, true]}, {"name": "m", "values": ["x", "y"]},
            {"name": "r", "values": [0.5, 1.25]},
            {"name": "o", "kind": "permutation", "parts": 3},
            {"name": "t", "kind": "tile", "parts": 2, "extent": 4}],
            "constraints": [")" +
                               text + "\"]}")
                               .front()
                               .space;
        CAPTURE(text);
        attune_tests::check_every_assignment(attune::bind_inputs(space));
    }
}

TEST_CASE("names that the language would misread are changed, and stay apart")
{
    auto const space = attune::bind_inputs(
        attune::read_spaces_json(
            R"({"params": [{"name": "a|b", "values": [1]}, {"name": "a_b", "values": [1]},
                           {"name": "#1", "values": [1]}]})")
            .front()
            .space);
    CHECK(attune::smtlib_name(space, 0) != attune::smtlib_name(space, 1));
    CHECK(attune::smtlib_name(space, 0).substr(1).find('|') ==
          attune::smtlib_name(space, 0).size() - 2);
    CHECK(attune::smtlib_name(space, 2) != "|#1|");
}

TEST_CASE("figures of the machine are numbers in a script")
{
    auto const open = attune::read_spaces_json(
                          R"({"inputs": {"machine.cores": "integer"},
                              "params": [{"name": "a", "values": [1, 2, 3, 4, 5, 6, 7, 8]}],
                              "constraints": ["`machine.cores` % a == 0"]})")
                          .front()
                          .space;
    attune_tests::check_every_assignment(
        attune::bind_inputs(open, {{"machine.cores", attune::number::of(std::int64_t{6})}}));
    attune_tests::check_every_assignment(attune::bind_inputs(open));
}

TEST_CASE("what SMT-LIB has no form for stands in comments, in a line each")
{
    auto const space = attune::bind_inputs(
        attune::read_spaces_json(
            R"({"params": [{"name": "a\nb", "values": [1, 2], "weights": [3, 1]},
                           {"name": "c", "values": [1, 2, 4], "default": 2},
                           {"name": "d", "elements": 2, "values": [1, 2], "weights": [1, 2]}],
                "constraints": ["c > 1"]})")
            .front()
            .space);
    CHECK(attune::left_out_of_smtlib(space) ==
          std::vector<std::string>{"SMT-LIB has no defaults; left out: of c",
                                   "SMT-LIB has no priors; left out: of a\nb, d"});
    CHECK(attune::write_smtlib(space).starts_with(
        "; SMT-LIB has no defaults; left out: of c\n"
        "; SMT-LIB has no priors; left out: of a b, d\n(set-logic QF_NIA)\n"));
    attune_tests::check_every_assignment(space);
    auto const plain = attune::bind_inputs(
        attune::read_spaces_json(R"({"params": [{"name": "a", "values": [1, 2]}]})").front().space);
    CHECK(attune::left_out_of_smtlib(plain).empty());
    CHECK(attune::write_smtlib(plain).starts_with("(set-logic"));
}
