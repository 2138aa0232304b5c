// tests/space/files/t1.cpp : mirrors include/attune/space/files/t1.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/files/t1.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/query/exact_size.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "published_spaces.hpp"

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
              "expected `+` or the end after the list"},
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
              "expected a name after `for`"},
             {file(R"({"Name": "A", "Type": "int", "Values": "[i for i in [0.5]]"})"),
              "expected whole numbers after `in`"},
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
            FAIL_CHECK("it was read");
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

using attune::bind_inputs;
using attune::read_spaces_json;
using doctest::Contains;

namespace {

attune::description bound(std::string const& json)
{
    return bind_inputs(read_spaces_json(json).front().space);
}

} // namespace

TEST_CASE("what is written is read back, inputs put in")
{
    attune::named_space const given{"gemm", bound(R"({"problem": {"N": 48, "load": 0.5}, "params": [
            {"name": "A", "range": [1, "N // 4"], "step": 2, "default": 3},
            {"name": "B", "values": [0.5, 2]},
            {"name": "C", "values": ["it's", "b\\"], "default": "b\\"},
            {"name": "D", "values": [false, true], "default": true},
            {"name": "if", "values": [1, -3]}, {"name": "on", "values": [true]},
            {"name": "E", "range": [5, 9000000], "step": 5}],
            "constraints": ["N % A == 0 or D", "C == 'it\\'s' or B > load", "`if` < A",
                            "N % A == 0 and E % 100 == 0"]})"),
                                    "", ""};
    std::string const written = attune::write_t1(given);
    attune::named_space const again = attune::read_t1(
        [&] { // a range has no place in what is read: 1.8 million values would be too many
            std::string text = written;
            std::string const range = "list(range(5, 9000001, 5))";
            REQUIRE(text.find(range) != std::string::npos);
            return text.replace(text.find(range), range.size(), "list(range(100, 9000001, 100))");
        }());
    CHECK(again.name == "gemm");
    REQUIRE(again.space.parameters.size() == 7);
    CHECK(again.space.parameters[0].integers == std::vector<std::int64_t>{1, 3, 5, 7, 9, 11});
    CHECK(again.space.parameters[0].default_text == "3");
    CHECK(again.space.parameters[1].reals == std::vector<double>{0.5, 2});
    CHECK(again.space.parameters[2].labels == std::vector<std::string>{"it's", "b\\"});
    CHECK(again.space.parameters[2].default_text == "b\\");
    CHECK(again.space.parameters[3].default_text == "true");
    CHECK(again.space.parameters[5].integers == std::vector<std::int64_t>{1});
    CHECK(again.space.parameters[5].type == attune::value_kind::boolean);
    attune::chain_of_trees const before(given.space);
    attune::chain_of_trees const after(bind_inputs(again.space));
    CHECK(attune::exact_size(before) == attune::exact_size(after));
    CHECK(written.find("48 % A == 0 or D") != std::string::npos);
    CHECK(written.find("\"Parameters\": [\n          \"A\",\n          \"D\"") !=
          std::string::npos);
}

TEST_CASE("published spaces keep their number of configurations")
{
    for (attune::named_space read : attune_tests::published_spaces()) {
        CAPTURE(read.name);
        read.space = bind_inputs(read.space);
        attune::named_space const again = attune::read_t1(attune::write_t1(read));
        CHECK(again.name == read.name);
        CHECK(attune::exact_size(attune::chain_of_trees(bind_inputs(again.space))).str() ==
              read.valid);
    }
}

TEST_CASE("what the format cannot say is refused by name")
{
    struct wrong {
        char const* json;
        char const* sentence;
    };
    for (wrong const& w : std::vector<wrong>{
             {R"({"params": [{"name": "x", "kind": "real", "low": 0, "high": 1}]})", "parameter x"},
             {R"({"params": [{"name": "o", "kind": "permutation", "parts": 3}]})", "parameter o"},
             {R"({"params": [{"name": "e", "elements": 2, "values": [1, 2]}]})", "parameter e"},
             {R"({"params": [{"name": "p", "kind": "permutation", "parts": 13}]})", "parameter p"},
             {R"({"params": [{"name": "t", "kind": "tile", "parts": 2, "extent": 4}]})",
              "parameter t"}}) {
        CHECK_THROWS_WITH_AS((void)attune::write_t1({"", bound(w.json), "", ""}),
                             Contains(w.sentence), attune::error);
    }
    auto const open = read_spaces_json(
        R"({"inputs": {"N": "integer"}, "params": [{"name": "a", "values": [1, 2]}],
            "constraints": ["a < N"]})");
    CHECK_THROWS_WITH_AS((void)attune::write_t1(open.front()), Contains("input N"), attune::error);
    auto const range = read_spaces_json(R"({"params": [{"name": "a", "range": [1, 4]}]})");
    CHECK_THROWS_WITH_AS((void)attune::write_t1(range.front()), Contains("call bind_inputs()"),
                         attune::error);
    attune::description opaque = bound(R"({"params": [{"name": "a", "values": [1, 2]}]})");
    opaque.constraints.push_back(
        {attune::no_index, {0}, [](auto const&, auto) { return true; }, "predicate(a)"});
    CHECK_THROWS_WITH_AS((void)attune::write_t1({"", opaque, "", ""}),
                         Contains("a constraint that is a function"), attune::error);
}

TEST_CASE("figures of the machine are put in as numbers")
{
    auto const open = read_spaces_json(
        R"({"inputs": {"machine.l2_bytes": "integer"},
            "params": [{"name": "a", "range": [1, 64], "steps": "doubling"}],
            "constraints": ["a * 16 <= `machine.l2_bytes`"]})");
    attune::description const small = bind_inputs(
        open.front().space, {{"machine.l2_bytes", attune::number::of(std::int64_t{128})}});
    std::string const written = attune::write_t1({"", small, "", ""});
    CHECK(written.find("machine") == std::string::npos);
    CHECK(written.find("a * 16 <= 128") != std::string::npos);
    CHECK(attune::chain_of_trees(bind_inputs(attune::read_t1(written).space)).size() == 4);
    CHECK_NOTHROW((void)attune::write_t1({"", bind_inputs(open.front().space), "", ""}));
}

TEST_CASE("whole numbers down to -2^63 and up to 2^63 - 1 are read back")
{
    attune::description const given = bound(R"({"params": [
            {"name": "a", "values": [-9223372036854775808, -1, 9223372036854775807],
             "default": -9223372036854775808},
            {"name": "b", "values": [-9223372036854775808]}],
            "constraints": ["a != -9223372036854775808 + 1", "a >= b"]})");
    attune::named_space const again = attune::read_t1(attune::write_t1({"", given, "", ""}));
    REQUIRE(again.space.parameters.size() == 2);
    CHECK(again.space.parameters[0].integers ==
          std::vector<std::int64_t>{INT64_MIN, -1, INT64_MAX});
    CHECK(again.space.parameters[0].default_text == "-9223372036854775808");
    CHECK(again.space.parameters[1].integers == std::vector<std::int64_t>{INT64_MIN});
    CHECK(attune::chain_of_trees(bind_inputs(again.space)).size() == 3);
}

TEST_CASE("a range that ends with the largest whole number is written with numbers of 64 bits")
{
    for (std::string const first : {"9223372036854775797", "9223372036850000001"}) {
        attune::description const given = bound(R"({"params": [{"name": "a", "range": [)" + first +
                                                R"(, 9223372036854775807], "step": 2}]})");
        std::string const written = attune::write_t1({"", given, "", ""});
        CAPTURE(written);
        CHECK(written.find("9223372036854775808") == std::string::npos);
        CHECK(written.find("9223372036854775807]") != std::string::npos);
    }
}

TEST_CASE("what T1 has no form for is said: priors, and no more")
{
    attune::description const none =
        bound(R"({"params": [{"name": "a", "values": [1, 2], "default": 2}]})");
    CHECK(attune::left_out_of_t1(none).empty());
    attune::description const some = bound(
        R"({"params": [{"name": "a", "values": [1, 2], "weights": [3, 1]},
                       {"name": "b", "values": [1, 2]},
                       {"name": "c", "values": [1, 2, 4], "centre": 2, "deviation": 1}]})");
    CHECK(attune::left_out_of_t1(some) ==
          std::vector<std::string>{"T1 has no priors; left out: of a, c"});
    CHECK(attune::read_t1(attune::write_t1({"", some, "", ""}))
              .space.parameters[0]
              .prior.weights.empty());
}
