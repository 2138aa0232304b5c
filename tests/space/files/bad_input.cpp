// tests/space/files/bad_input.cpp : what a user reads when a file or an expression is wrong, whole
// SPDX-License-Identifier: MIT
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/files/expression_parser.hpp>
#include <attune/space/files/read_json.hpp>
#include <attune/space/files/read_t1.hpp>

#include <doctest/doctest.h>
#include <string>

namespace {

std::string json_error(std::string const& text)
{
    try {
        static_cast<void>(attune::read_spaces_json(text, "f.json"));
    } catch (attune::error const& e) {
        return e.what();
    }
    return "was read";
}

std::string t1_error(std::string const& parameters, std::string const& conditions = "")
{
    try {
        static_cast<void>(attune::read_t1("{\"ConfigurationSpace\": {\"TuningParameters\": [" +
                                              parameters + "],\n\"Conditions\": [" + conditions +
                                              "]}}",
                                          "f.json"));
    } catch (attune::error const& e) {
        return e.what();
    }
    return "was read";
}

std::string expression_error(std::string const& text)
{
    attune::description space =
        attune::read_spaces_json(R"({"params": [{"name": "a", "values": [1, 2]},
                                   {"name": "m", "values": ["x", "y"]}]})")
            .front()
            .space;
    try {
        static_cast<void>(attune::parse_constraint(space, text));
    } catch (attune::error const& e) {
        return e.what();
    }
    return "was read";
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
          "attune: this is no JSON: unexpected end of input; expected '}'\n"
          "  where: f.json, line 2, column 30:   {\"name\": \"b\", \"values\": [1]");
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
        try {
            attune::chain_of_trees const chain(attune::bind_inputs(
                attune::read_spaces_json(R"({"params": [{"name": "a", "values": [3, 4]}],
                "constraints": [")" + constraint +
                                         "\"]}")
                    .front()
                    .space));
        } catch (attune::error const& e) {
            return std::string(e.what());
        }
        return std::string("was built");
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
