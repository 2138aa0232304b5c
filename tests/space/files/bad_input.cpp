// tests/space/files/bad_input.cpp : what a user reads when a file or an expression is wrong, whole
// SPDX-License-Identifier: MIT
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/files/expression_parser.hpp>
#include <attune/space/files/read_json.hpp>
#include <attune/space/files/t1.hpp>

#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#include "../../support/texts.hpp"

namespace {

/// The text of the error that `act` ends with, or that there was none.
template <class Act>
std::string said_by(Act const& act)
{
    std::string const said = attune_test::error_of(act);
    return said.empty() ? "was read" : said;
}

std::string json_error(std::string const& text)
{
    return said_by([&] { static_cast<void>(attune::read_spaces_json(text, "f.json")); });
}

std::string t1_error(std::string const& parameters, std::string const& conditions = "")
{
    std::string const text = "{\"ConfigurationSpace\": {\"TuningParameters\": [" + parameters +
                             "],\n\"Conditions\": [" + conditions + "]}}";
    return said_by([&] { static_cast<void>(attune::read_t1(text, "f.json")); });
}

std::string expression_error(std::string const& text)
{
    attune::description space =
        attune::read_spaces_json(R"({"params": [{"name": "a", "values": [1, 2]},
                                   {"name": "m", "values": ["x", "y"]}]})")
            .front()
            .space;
    return said_by([&] { static_cast<void>(attune::parse_constraint(space, text)); });
}

} // namespace

TEST_CASE("what is wrong in an expression is one sentence with its place")
{
    CHECK(expression_error("a <= zz") ==
          "attune: expected the name of a parameter or input, found `zz`\n"
          "  where: line 1, column 6: a <= zz\n"
          "  next:  check its spelling, or declare it");
    CHECK(expression_error("(a + 1 <= 3") ==
          "attune: expected an operator or `)` for the bracket opened in column 1, found the end\n"
          "  where: line 1, column 12: (a + 1 <= 3");
    CHECK(expression_error("a + 1) <= 3") == "attune: expected an operator or the end, found `)`\n"
                                             "  where: line 1, column 6: a + 1) <= 3");
    CHECK(expression_error("a == 'x'") ==
          "attune: expected two numbers or two texts, found one of each\n"
          "  where: line 1, column 6: a == 'x'\n"
          "  next:  a text equals no number");
    CHECK(expression_error("m < 'y'") == "attune: expected == or != between texts\n"
                                         "  where: line 1, column 1: m < 'y'\n"
                                         "  next:  texts have no order here");
    CHECK(expression_error("a =") == "attune: expected an operator or a value, found `=`\n"
                                     "  where: line 1, column 3: a =\n"
                                     "  next:  compare with ==");
    CHECK(expression_error("a * 9223372036854775808 > 0") ==
          "attune: the number 9223372036854775808 is too large\n"
          "  where: line 1, column 5: a * 9223372036854775808 > 0\n"
          "  next:  whole numbers have 64 bits, with sign");
    CHECK(expression_error("a in [1, 2") ==
          "attune: expected `,` or `]` for the bracket opened in column 6, found the end\n"
          "  where: line 1, column 11: a in [1, 2");
    CHECK(expression_error("m") == "attune: expected a condition, found a text\n"
                                   "  where: line 1, column 1: m\n"
                                   "  next:  compare it with == or !=");
}

TEST_CASE("what is wrong in a file is one sentence with file, line and column")
{
    std::string const a = "{\"params\": [{\"name\": \"a\", \"values\": [1]},\n  ";
    CHECK(json_error(a + "{\"name\": \"a\", \"values\": [1]}]}") ==
          "attune: expected each parameter once, found a again\n"
          "  where: f.json, line 2, column 12:   {\"name\": \"a\", \"values\": [1]}]}");
    CHECK(json_error(a + "{\"name\": \"b\", \"values\": [1, true]}]}") ==
          "attune: expected a whole number as the values before it, found true or false\n"
          "  where: f.json, line 2, column 31:   {\"name\": \"b\", \"values\": [1, true]}]}");
    CHECK(json_error(a + "{\"name\": \"b\", \"values\": {}}]}") ==
          "attune: expected a list as \"values\", found an object\n"
          "  where: f.json, line 2, column 27:   {\"name\": \"b\", \"values\": {}}]}");
    CHECK(json_error(a + "{\"name\": \"b\", \"values\": [1]}],\n \"constraints\": [\"a < c\"]}") ==
          "attune: expected the name of a parameter or input, found `c`\n"
          "  where: f.json, line 3, column 23:  \"constraints\": [\"a < c\"]}\n"
          "  next:  check its spelling, or declare it");
    CHECK(json_error(a + "{\"name\": \"b\", \"values\": [1]}],\n \"constraints\": [\"(a < b\"]}") ==
          "attune: expected an operator or `)` for the bracket opened in column 1, found the end\n"
          "  where: f.json, line 3, column 25:  \"constraints\": [\"(a < b\"]}");
    CHECK(json_error(a + "{\"name\": \"b\", \"values\": [1]") ==
          "attune: this is no JSON: expected `,` or `}`, found the end\n"
          "  where: f.json, line 2, column 30:   {\"name\": \"b\", \"values\": [1]");
}

TEST_CASE("values that two members give, and conditions of another name, are refused")
{
    for (auto const& [members, said] : std::vector<std::pair<std::string, std::string>>{
             {R"("values": [1], "range": [1, 4])", R"("range" alone, found "values")"},
             {R"("kind": "real", "low": 0, "high": 1, "values": [1])",
              R"("low" alone, found "values")"},
             {R"("kind": "permutation", "parts": 3, "range": [1, 4])",
              R"("parts" alone, found "range")"},
             {R"("values": [1], "low": 0)", R"("values" alone, found "low")"}})
        CHECK(attune_test::has(json_error(R"({"params": [{"name": "A", )" + members + "}]}"),
                               "expected the values of A from " + said));
    std::string const lost = "expected a known member, found \"";
    for (std::string const name : {"Constraints", "conditions", "restrictions", "Condition"})
        CHECK(attune_test::has(json_error(R"({"params": [{"name": "a", "values": [1]}], ")" + name +
                                          "\": [\"a < 2\"]}"),
                               lost + name));
    std::string const begin = R"({"params": [{"name": "a", "values": [1]}], "Conditions": )";
    CHECK(attune::read_spaces_json(begin + "[]}", "x").size() == 1);
    CHECK(attune_test::has(json_error(begin + R"("a < 2"})"), lost)); // a text may be a condition
    CHECK(attune_test::has(json_error(R"({"params": [{"name": "A", "low": 0, "high": 1}]})"),
                           "write \"kind\": \"real\""));
    std::string const parameters =
        R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "A", "Values": [1, 2]}])";
    std::string const condition = R"([{"Expression": "A < 2"}])";
    for (std::string const name : {"conditions", "Constraints", "Restrictions", "Condition"})
        for (std::string const end : {"", "}"}) // inside, and behind the space
            CHECK(attune_test::has(said_by([&] {
                                       static_cast<void>(attune::read_t1(
                                           parameters + end + ", \"" + name + "\": " + condition +
                                           (end.empty() ? "}}" : "}")));
                                   }),
                                   lost + name));
    CHECK(attune_test::has(t1_error(R"({"Name": "A", "Values": [1, 2], "activeif": "A < 2"})"),
                           lost + "activeif"));
    CHECK(attune_test::has(t1_error(R"({"Name": "A", "Values": [1, 2]})",
                                    R"({"Expression": "A < 2", "settles": "A"})"),
                           lost + "settles"));
}

TEST_CASE("what is wrong in a T1 file is one sentence with file, line and column")
{
    std::string const a = R"({"Name": "A", "Type": "int", "Values": "[1, 2]"})";
    CHECK(t1_error(a + ",\n" + a) == "attune: expected each parameter once, found A again\n"
                                     "  where: f.json, line 2, column 10: {\"Name\": \"A\", "
                                     "\"Type\": \"int\", \"Values\": \"[1, 2]\"}],");
    CHECK(t1_error(R"({"Name": "A", "Type": "int", "Values": "[1, 2.5]"})") ==
          "attune: expected a whole number, as the type says, found a number\n"
          "  where: f.json, line 1, column 85: [{\"Name\": \"A\", \"Type\": \"int\", \"Values\": "
          "\"[1, 2.5]\"}],");
    CHECK(t1_error(R"({"Name": "A", "Type": "int", "Values": "[1, 2"})") ==
          "attune: expected `,` or `]`\n"
          "  where: f.json, line 1, column 91: e\": \"A\", \"Type\": \"int\", \"Values\": \"[1, "
          "2\"}],");
    CHECK(t1_error(a, R"({"Parameters": ["A", "B"], "Expression": "A < 2"})") ==
          "attune: expected the name of a parameter, found \"B\"\n"
          "  where: f.json, line 2, column 37: \"Conditions\": [{\"Parameters\": [\"A\", \"B\"], "
          "\"Expression\": \"A < 2\"}]}}");
    CHECK(t1_error(a, R"({"Parameters": ["A"], "Expression": "A < B"})") ==
          "attune: expected the name of a parameter or input, found `B`\n"
          "  where: f.json, line 2, column 57: \"Parameters\": [\"A\"], \"Expression\": \"A < "
          "B\"}]}}\n"
          "  next:  check its spelling, or declare it");
}

TEST_CASE("a constraint that overflows everywhere, or divides by zero, is named")
{
    auto const refusal = [](std::string const& constraint) {
        std::string const text = R"({"params": [{"name": "a", "values": [3, 4]}],
                "constraints": [")" +
                                 constraint + "\"]}";
        return said_by([&] {
            attune::chain_of_trees const chain(
                attune::bind_inputs(attune::read_spaces_json(text).front().space));
        });
    };
    CHECK(refusal("a * 9000000000000000000 > 0") ==
          "attune: the space is empty: a constraint holds for no configuration\n"
          "  where: a * 9000000000000000000 > 0: 3 * 9000000000000000000 > 0: 3 * "
          "9000000000000000000 overflows 64 bits\n"
          "  next:  loosen it, or give its parameters more values");
    CHECK(refusal("1 % (a - a) == 0") ==
          "attune: the space is empty: a constraint holds for no configuration\n"
          "  where: 1 % (a - a) == 0: floor_mod(1, 3 - 3) == 0: floor_mod(1, 0) divides by zero\n"
          "  next:  loosen it, or give its parameters more values");
}

TEST_CASE("what is no selector is one sentence that names the parameter")
{
    std::string const ranges = R"({"name": "R", "range": [1, 3]})";
    std::string const cuts = R"({"name": "C", "values": [8, 16, 32], "elements": 2})";
    std::string const runs = R"({"name": "S", "values": ["a", "b"], "elements": 3})";
    auto const error_of = [](std::string const& r, std::string const& c, std::string const& s) {
        std::string const said =
            json_error("{\"params\": [" + r + ", " + c + ", " + s +
                       "],\n\"selectors\": [{\"first\": \"R\", \"parameters\": 0}]}");
        return said.substr(0, said.find('\n'));
    };
    CHECK(error_of(ranges, cuts, runs) == "was read");
    CHECK(error_of(R"({"name": "R", "values": [1, 2, 3]})", cuts, runs) == "was read");
    CHECK(error_of(ranges, R"({"name": "C", "values": [0.5, 1.5], "elements": 2})", runs) ==
          "was read");
    CHECK(error_of(ranges, R"({"name": "C", "range": [1, 9], "elements": 2})", runs) == "was read");

    std::string const number =
        "attune: expected the whole numbers from 1 to 3 as values of R, the number of ranges";
    for (char const* const other :
         {R"({"name": "R", "range": [2, 3]})", R"({"name": "R", "range": [1, 2]})",
          R"({"name": "R", "range": [1, 4]})", R"({"name": "R", "range": [1, 3], "step": 2})",
          R"({"name": "R", "range": [1, 3], "steps": "doubling"})",
          R"({"name": "R", "values": [2, 3]})", R"({"name": "R", "values": [1, 2, 4]})",
          R"({"name": "R", "values": [1.0, 2.0, 3.5]})",
          R"({"name": "R", "values": [1, 2, 3], "kind": "categorical"})",
          R"({"name": "R", "values": ["1", "2", "3"]})", R"({"name": "R", "kind": "boolean"})",
          R"({"name": "R", "kind": "real", "low": 1, "high": 3})"}) {
        CAPTURE(other);
        CHECK(error_of(other, cuts, runs) == number);
    }
    std::string const ascending =
        "attune: expected ascending numbers as values of C, the cut-offs of a selector";
    for (char const* const other :
         {R"({"name": "C", "kind": "real", "low": 1, "high": 3, "elements": 2})",
          R"({"name": "C", "values": [8, 16], "kind": "categorical", "elements": 2})",
          R"({"name": "C", "values": ["x", "y"], "elements": 2})",
          R"({"name": "C", "kind": "boolean", "elements": 2})"}) {
        CAPTURE(other);
        CHECK(error_of(ranges, other, runs) == ascending);
    }
    CHECK(
        error_of(ranges, cuts,
                 R"({"name": "S", "kind": "real", "low": 1, "high": 3, "elements": 3})") ==
        "attune: expected values that can be counted as those of S, the algorithms of a selector");
    CHECK(error_of(ranges, R"({"name": "C", "values": [8, 16], "elements": 3})", runs)
              .starts_with("attune: expected a selector: "));
    CHECK(error_of(R"({"name": "R", "range": [1, 3], "elements": 1})", cuts, runs)
              .starts_with("attune: expected a selector: "));
    CHECK(
        json_error("{\"params\": [" + ranges +
                   "],\n\"selectors\": [{\"first\": \"R\", \"parameters\": 9223372036854775807}]}")
            .starts_with("attune: expected a selector: "));
}

TEST_CASE("selectors are listed in order, and no two have one parameter")
{
    auto const selector = [](std::string const& name) {
        return R"({"name": "R)" + name + R"(", "range": [1, 2]}, {"name": "C)" + name +
               R"(", "values": [8, 16], "elements": 1}, {"name": "S)" + name +
               R"(", "values": ["a", "b"], "elements": 2})";
    };
    auto const error_of = [&](std::string const& list) {
        std::string const said = json_error("{\"params\": [" + selector("1") + ", " +
                                            selector("2") + "],\n\"selectors\": [" + list + "]}");
        return said.substr(0, said.find('\n'));
    };
    std::string const one = R"({"first": "R1", "parameters": 0})";
    std::string const two = R"({"first": "R2", "parameters": 0})";
    std::string const wrong =
        "attune: expected selectors in the order of their parameters, without a common one";
    CHECK(error_of(one + ", " + two) == "was read");
    CHECK(error_of(two + ", " + one) == wrong);
    CHECK(error_of(one + ", " + one) == wrong);
}
