// tests/space/files/read_t1.cpp : mirrors include/attune/space/files/read_t1.hpp, which it includes
// first SPDX-License-Identifier: MIT
#include <attune/space/files/read_t1.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace {

std::string file(std::string const& parameters, std::string const& conditions = "")
{
    return R"({"ConfigurationSpace": {"TuningParameters": [)" + parameters +
           R"(], "Conditions": [)" + conditions +
           R"(]}, "KernelSpecification": {"KernelName": "gemm", "GlobalSize": {"X": "1"}}})";
}

} // namespace

TEST_CASE("values are read from a list and from a text")
{
    attune::named_space const read = attune::read_t1(file(
        R"({"Name": "A", "Type": "int", "Values": "[1, 2, 4]", "Default": "2"},
           {"Name": "B", "Type": "int", "Values": [8, -4]},
           {"Name": "C", "Type": "string", "Values": "['x', \"y\"]", "Default": "y"},
           {"Name": "D", "Type": "float", "Values": "[1, .5]", "Default": 1},
           {"Name": "E", "Type": "bool", "Values": "[True, False]"},
           {"Name": "F", "Values": [0, 1]})",
        R"json({"Parameters": ["A", "B"], "Expression": "A * B <= 16 and (B > 0 or A == 1)"})json"));
    CHECK(read.name == "gemm");
    auto const& p = read.space.parameters;
    REQUIRE(p.size() == 6);
    CHECK(p[0].integers == std::vector<std::int64_t>{1, 2, 4});
    CHECK(p[0].default_text == "2");
    CHECK(p[1].integers == std::vector<std::int64_t>{-4, 8});
    CHECK(p[2].labels == std::vector<std::string>{"x", "y"});
    CHECK(p[2].default_text == "y");
    CHECK(p[3].reals == std::vector<double>{0.5, 1});
    CHECK(p[3].default_text == "1.0");
    CHECK(p[4].kind == attune::parameter_kind::boolean);
    CHECK(p[5].integers == std::vector<std::int64_t>{0, 1});
    REQUIRE(read.space.constraints.size() == 1);
    CHECK(read.space.constraints[0].scope == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("what is wrong in a T1 file is named")
{
    std::string const a = R"({"Name": "A", "Type": "int", "Values": [1, 2]})";
    struct wrong {
        std::string text;
        char const* problem;
    };
    for (wrong const& w : std::vector<wrong>{
             {"[]", "expected an object as a T1 file"},
             {"{}", "expected a member \"ConfigurationSpace\""},
             {file(""), "at least one parameter"},
             {file(a + "," + a), "expected each parameter once, found A again"},
             {file(R"({"Name": "A", "Type": "int"})"), "expected a member \"Values\""},
             {file(R"({"Name": "A", "Type": "blob", "Values": [1]})"), "expected int, uint"},
             {file(R"({"Name": "A", "Type": "int", "Values": [1.5]})"), "as the type says"},
             {file(R"({"Name": "A", "Type": "int", "Values": "1, 2"})"), "expected a list"},
             {file(R"({"Name": "A", "Type": "int", "Values": "[1, 2"})"), "expected `,` or `]`"},
             {file(R"({"Name": "A", "Type": "int", "Values": "[1] 2"})"), "expected the end"},
             {file(R"({"Name": "A", "Type": "int", "Values": [1], "Default": 3})"),
              "one of the values of A"},
             {file(a, R"({"Parameters": ["Z"], "Expression": "A > 1"})"), "found \"Z\""},
             {file(a, R"({"Parameters": ["A"], "Expression": "A > q"})"), "found `q`"},
             {file(a, R"({"Parameters": ["A"]})"), "expected a member \"Expression\""},
         }) {
        CAPTURE(w.text);
        try {
            static_cast<void>(attune::read_t1(w.text));
            FAIL_CHECK("was read");
        } catch (attune::syntax_error const& e) {
            CHECK_MESSAGE(e.problem().find(w.problem) != std::string::npos, e.problem());
        }
    }
}
