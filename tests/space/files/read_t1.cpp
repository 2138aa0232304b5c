// tests/space/files/read_t1.cpp : mirrors include/attune/space/files/read_t1.hpp, which it includes first
// SPDX-License-Identifier: MIT
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
             {file(R"({"Name": "A", "Type": "int", "Values": "[1] 2"})"),
              "expected `+` or the end behind the list"},
             {file(R"({"Name": "A", "Type": "int", "Values": [1], "Default": "x"})"), "found `x`"},
             {file(R"({"Name": "A", "Type": "int", "Values": [1], "Default": 1.5})"),
              "expected a whole number, as the type says, found a number"},
             {file(R"({"Name": "A", "Type": "int", "Values": [1], "Default": {}})"),
              "as the type says, found an object"},
             {file(R"({"Name": "A", "Type": "int", "Values": [1e300]})"), "as the type says"},
             {file(R"({"Name": "A", "Type": "uint", "Values": [1, -1]})"),
              "expected whole numbers that are not negative, as the type says"},
             {file(R"({"Name": "A", "Type": "bool", "Values": [0, 2]})"),
              "expected true or false, as the type says, found a whole number"},
             {file(R"({"Name": "A", "Type": "string", "Values": [1]})"),
              "expected a text, as the type says, found a whole number"},
             {file(R"({"Name": "A", "Type": 3, "Values": [1]})"), "expected a text as \"Type\""},
             {file(R"({"Name": "A", "Type": "int", "Values": 3})"),
              "expected a list as \"Values\""},
             {file(R"({"Name": 3, "Type": "int", "Values": [1]})"), "expected a text as \"Name\""},
             {file(R"json({"Name": "A", "Type": "int", "Values": "[i for 3 in range(4)]"})json"),
              "expected a name behind `for`"},
             {file(R"({"Name": "A", "Type": "int", "Values": "[i for i in [0.5]]"})"),
              "expected whole numbers behind `in`"},
             {file(R"json({"Name": "A", "Type": "int", "Values": "[i for j in range(4)]"})json"),
              "found `i`"},
             {file(R"json({"Name": "A", "Type": "int", "Values": "range(1, 9, 0)"})json"),
              "step not 0"},
             {file(R"json({"Name": "A", "Type": "int", "Values": "range(1, 9.5)"})json"),
              "whole numbers"},
             {file(R"json({"Name": "A", "Type": "int", "Values": "range(9, 1)"})json"),
              "at least one value of A"},
             {file(R"json({"Name": "A", "Type": "int", "Values": "range(0, 99999999)"})json"),
              "at most 2^20 values"},
             {file(R"({"Name": "A", "Type": "int", "Values": "[1, , 2]"})"), "expected a value"},
             {file(R"({"Name": "A", "Type": "int", "Values": "[1 // 0]"})"), "divides by 0"},
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

TEST_CASE("lists of values may be made as Python makes them")
{
    auto const integers = [](std::string const& values) {
        return attune::read_t1(file(R"({"Name": "A", "Type": "int", "Values": ")" + values + "\"}"))
            .space.parameters[0]
            .integers;
    };
    using list = std::vector<std::int64_t>;
    CHECK(integers("list(range(1, 5))") == list{1, 2, 3, 4});
    CHECK(integers("range(3)") == list{0, 1, 2});
    CHECK(integers("[1, 2, 4] + list(range(32, 64+1, 16))") == list{1, 2, 4, 32, 48, 64});
    CHECK(integers("[2**i for i in range(0, 6)]") == list{1, 2, 4, 8, 16, 32});
    CHECK(integers("[1] + [2 * i for i in range(1, 4)]") == list{1, 2, 4, 6});
    CHECK(integers("[i for i in range(1, 12) if 12 % i == 0]") == list{1, 2, 3, 4, 6});
    CHECK(integers("[-x for x in (1, 2)]") == list{-2, -1});
    CHECK(integers("(8, 4,)") == list{4, 8});
    CHECK(integers("range(9, 0, -4)") == list{1, 5, 9});
    CHECK(integers("[max(1, 2), 0x10, -3, 7 // 2]") == list{-3, 2, 3, 16});
    CHECK(attune::read_t1(
              file(R"({"Name": "A", "Type": "float", "Values": "[i / 4 for i in [1, 2]]"})"))
              .space.parameters[0]
              .reals == std::vector<double>{0.25, 0.5});
}

TEST_CASE("defaults are read as published files write them, and dropped where they are no value")
{
    auto const standard = [](std::string const& written) {
        return attune::read_t1(
                   file(R"({"Name": "A", "Type": "int", "Values": "[10, 20]", "Default": )" +
                        written + "}"))
            .space.parameters[0]
            .default_text;
    };
    CHECK(standard("20") == "20");
    CHECK(standard("[10]") == "10");
    CHECK(standard("\"10\"") == "10");
    CHECK_FALSE(standard("1"));
    CHECK_FALSE(standard("null"));
}

TEST_CASE("the type says what a value is")
{
    auto const of = [](std::string const& type, std::string const& values) {
        return attune::read_t1(file(R"({"Name": "A", "Type": ")" + type + R"(", "Values": )" +
                                    values + R"(, "Default": 16.0})"))
            .space.parameters[0];
    };
    // Python writes 16.0 for a whole number that came from a division.
    for (char const* const type : {"int", "uint32", "long"})
        for (char const* const values : {"[16.0, 32]", "\"[16.0, 32.0]\"", "\"[32 / 2, 2**5]\""}) {
            attune::parameter_description const p = of(type, values);
            CHECK(p.type == attune::value_kind::integer);
            CHECK(p.integers == std::vector<std::int64_t>{16, 32});
            CHECK(p.default_text == "16");
        }
    CHECK(of("float", "[16, 32]").reals == std::vector<double>{16, 32});
    for (char const* const values : {"[true]", "\"[True]\"", "[1]"}) {
        attune::parameter_description const p =
            attune::read_t1(
                file(R"({"Name": "A", "Type": "bool", "Values": )" + std::string(values) + "}"))
                .space.parameters[0];
        CHECK(p.kind == attune::parameter_kind::boolean);
        CHECK(p.value_count() == 1);
    }
    CHECK(of("int", "\"[2**i for i in range(17, 20)]\"").integers ==
          std::vector<std::int64_t>{131'072, 262'144, 524'288});
}

TEST_CASE("a space without the name of a kernel has that of its benchmark")
{
    std::string const body = R"("ConfigurationSpace": {"TuningParameters": [
        {"Name": "A", "Type": "int", "Values": "[1, 2]"}], "Conditions": []}})";
    CHECK(attune::read_t1("{" + body).name.empty());
    CHECK(attune::read_t1(R"({"General": {"BenchmarkName": "hotspot"}, )" + body).name ==
          "hotspot");
    CHECK(attune::read_t1(R"({"General": 3, "KernelSpecification": {"KernelName": "k"}, )" + body)
              .name == "k");
}
