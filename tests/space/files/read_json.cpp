// tests/space/files/read_json.cpp : mirrors include/attune/space/files/read_json.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/files/read_json.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/exact_size.hpp>

#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#include "../../support/texts.hpp"
#include "published_spaces.hpp"

using attune::parameter_kind;
using attune::read_spaces_json;
using attune_test::error_of;
using attune_test::has;

namespace {

attune::description one(std::string const& params, std::string const& rest = "")
{
    return read_spaces_json("{\"params\": [" + params + "]" + rest + "}").front().space;
}

} // namespace

TEST_CASE("every published space has the recorded number of configurations")
{
    for (attune::named_space const& read : attune_tests::published_spaces()) {
        CAPTURE(read.name);
        attune::chain_of_trees const chain(attune::bind_inputs(read.space));
        CHECK(attune::exact_size(chain).str() == read.valid);
        boost::multiprecision::cpp_int combinations = 1;
        for (attune::parameter_description const& p : read.space.parameters)
            combinations *= p.value_count();
        CHECK(combinations.str() == read.cartesian);
    }
}

TEST_CASE("the values of a parameter say what kind it is")
{
    auto const kind = [](std::string const& values) {
        return one("{\"name\": \"p\", \"values\": " + values + "}").parameters[0].kind;
    };
    CHECK(kind("[4, 2]") == parameter_kind::ordinal);
    CHECK(kind("[1, 2.5]") == parameter_kind::ordinal);
    CHECK(kind("[\"b\", \"a\"]") == parameter_kind::categorical);
    CHECK(kind("[true, false]") == parameter_kind::boolean);
    auto const space = one(R"({"name": "p q", "values": [4, 2], "default": 4, "weights": [1, 2.5]},
        {"name": "x", "kind": "real", "low": 0.5, "high": 8, "scale": "log", "default": 1})");
    CHECK(space.parameters[0].integers == std::vector<std::int64_t>{2, 4});
    CHECK(space.parameters[0].default_text == "4");
    CHECK(space.parameters[0].prior.weights == std::vector<double>{1, 2.5});
    CHECK(space.parameters[1].on == attune::scale::log);
    CHECK(space.parameters[1].default_text == "1.0");
}

TEST_CASE("whole numbers may be written as real ones where the kind or the values say so")
{
    auto const space = one(R"({"name": "p", "kind": "integer", "values": [2e3, 1000.0],
        "default": 2000.0}, {"name": "q", "values": [1, 2], "default": 2.0})");
    CHECK(space.parameters[0].kind == parameter_kind::integer);
    CHECK(space.parameters[0].integers == std::vector<std::int64_t>{1000, 2000});
    CHECK(space.parameters[0].default_text == "2000");
    CHECK(space.parameters[1].default_text == "2");
    for (char const* const wrong : {"[1, 2.5]", "[\"a\"]", "[true]"})
        CHECK(has(error_of([&] {
                      return one(std::string("{\"name\": \"p\", \"kind\": \"integer\", "
                                             "\"values\": ") +
                                 wrong + "}");
                  }),
                  "expected a whole number, as the kind says"));
}

TEST_CASE("a boolean with one value is a boolean with that value")
{
    auto const texts = [](attune::description const& space) {
        attune::chain_of_trees const all(space);
        std::string out;
        for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(*all.size()); ++i)
            out += attune::text_of(space.parameters[0], all.at(i)[0]) + ' ';
        return out;
    };
    for (std::string const text : {"true", "false"}) {
        std::string const values = "\"values\": [" + text + "]";
        for (std::string const& parameter :
             {"{\"name\": \"X\", " + values + "}",
              "{\"name\": \"X\", \"kind\": \"boolean\", " + values + "}",
              "{\"name\": \"X\", " + values + ", \"default\": " + text + "}"}) {
            CAPTURE(parameter);
            attune::description const space = one(parameter);
            CHECK(space.parameters[0].kind == parameter_kind::boolean);
            CHECK(space.parameters[0].type == attune::value_kind::boolean);
            CHECK(texts(space) == text + ' ');
            CHECK(attune::coordinate_of(space.parameters[0], text) == attune::coordinate{0, 0});
            CHECK_FALSE(
                attune::coordinate_of(space.parameters[0], text == "true" ? "false" : "true"));
        }
    }
    // Expressions read its value, and conditions put it where it is: at its one value.
    CHECK(texts(one(R"({"name": "X", "kind": "boolean"}, {"name": "Y", "values": [true],
        "active_if": "X"})",
                    R"(, "constraints": ["not X or Y == X"])")) == "false true ");
    CHECK(texts(one(R"({"name": "X", "kind": "boolean", "values": [0, 1]})")) == "false true ");
    CHECK_THROWS_AS((void)attune::chain_of_trees(
                        one(R"({"name": "X", "values": [true]})", R"(, "constraints": ["not X"])")),
                    attune::error);
}

TEST_CASE("a range stays a range until its inputs are known")
{
    auto const space = one(R"({"name": "k", "range": [1, "N // 2"], "step": 3},
        {"name": "d", "range": [1, "N"], "steps": "divisors"},
        {"name": "t", "kind": "tile", "parts": 2, "extent": 12},
        {"name": "big", "range": [1, 10000000]})",
                           R"(, "inputs": {"N": "integer"}, "constraints": ["k <= N"])");
    CHECK(space.parameters[3].value_count() == 0);
    auto const bound = attune::bind_inputs(space, {{"N", attune::number::of(std::int64_t{12})}});
    CHECK(bound.parameters[3].integers.empty());
    CHECK(bound.parameters[3].value_count() == 10'000'000);
    CHECK(bound.parameters[0].integers == std::vector<std::int64_t>{1, 4});
    CHECK(bound.parameters[1].integers == std::vector<std::int64_t>{1, 2, 3, 4, 6, 12});
    CHECK(bound.parameters[2].value_count() == 6);
}

TEST_CASE("numbers of the problem are inputs, unless a parameter has their name")
{
    auto const space = one(R"({"name": "M", "values": [1, 2]})",
                           R"(, "problem": {"N": 4, "M": 7, "size": [1, 2], "x": 0.5})");
    REQUIRE(space.inputs.size() == 2);
    CHECK(space.inputs[0].name == "N");
    CHECK(space.inputs[1].value->real == 0.5);
}

TEST_CASE("what is wrong in a file is named, with line and column")
{
    struct wrong {
        char const* text;
        std::size_t line;
        std::size_t column;
        char const* problem;
    };
    for (wrong const& w : std::vector<wrong>{
             {"", 1, 1, "this is no JSON"},
             {"{\"params\": [\n}", 2, 1, "this is no JSON"},
             {"{\"params\": []} x", 1, 16, "this is no JSON"},
             {"7", 1, 1, "expected an object as a space, found a whole number"},
             {"{\"name\": 3, \"params\": []}", 1, 10, "expected a text as \"name\""},
             {"{\n \"params\": 3}", 2, 12, "expected a list as \"params\", found a whole number"},
             {"{\"a\": 1}", 1, 1, "expected a member \"params\""},
             {"{\"params\": []}", 1, 12, "at least one parameter"},
             {"{\"params\": [{\"name\": \"a\", \"values\": []}]}", 1, 37,
              "at least one value of a"},
             {"{\"params\": [{\"name\": \"a\", \"values\": [1, \"b\"]}]}", 1, 41,
              "expected a whole number as the values before it, found a text"},
             {"{\"params\": [{\"name\": \"a\", \"values\": [1, 2, 1]}]}", 1, 44, "each value once"},
             {"{\"params\": [{\"name\": \"a\", \"values\": [1, null]}]}", 1, 41, "found null"},
             {"{\"params\": [{\"name\": \"a\", \"values\": [99999999999999999999]}]}", 1, 38,
              "too large"},
             {"{\"params\": [{\"name\": \"a\", \"values\": [1]},\n{\"name\": \"a\", \"values\": "
              "[1]}]}",
              2, 10, "expected each parameter once, found a again"},
             {"{\"params\": [{\"name\": \"a\", \"name\": \"b\"}]}", 1, 27, "each name once"},
             {"{\"params\": [{\"name\": \"a\", \"range\": [2, 1]}]}", 1, 40, "not below the first"},
             {"{\"params\": [{\"name\": \"a\", \"range\": [2, \"1\"]}]}", 1, 40,
              "not below the first"},
             {"{\"params\": [{\"name\": \"a\", \"values\": [1], \"default\": 2}]}", 1, 53,
              "expected one of the values of a"},
             {"{\"params\": [{\"name\": \"a\", \"kind\": \"odd\", \"values\": [1]}]}", 1, 35,
              "expected \"integer\""},
             {"{\"params\": [{\"name\": \"a\", \"values\": [1]}],\n\"constraints\": [\"a <\"]}", 2,
              21, "expected a value, found the end"},
             {"{\"params\": [{\"name\": \"a\", \"values\": [1]}],\n\"constraints\": [\"a < zz\"]}",
              2, 22, "found `zz`"},
             {"{\"params\": [{\"name\": \"a\", \"values\": [1]}], \"valid\": -1}", 1, 53,
              "expected a whole number"},
             {"{\"params\": [{\"name\": \"a\", \"values\": [1]}],\n \"constriants\": []}", 2, 2,
              "expected a known member, found \"constriants\""},
             {"{\"params\": [{\"name\": \"a\", \"Values\": [1]}]}", 1, 27, "found \"Values\""},
             {"{\"params\": [{\"name\": \"a\", \"values\": [1, 2], \"defualt\": 2}]}", 1, 45,
              "found \"defualt\""},
         }) {
        CAPTURE(std::string(w.text));
        try {
            (void)read_spaces_json(w.text, "f.json");
            FAIL_CHECK("was read");
        } catch (attune::syntax_error const& e) {
            CHECK(e.line() == w.line);
            CHECK(e.column() == w.column);
            CHECK_MESSAGE(e.problem().find(w.problem) != std::string::npos, e.problem());
            CHECK(e.where().find("f.json, line ") == 0);
        }
    }
    // Other members are ignored.
    CHECK(read_spaces_json(R"({"note": 1, "params": [{"name": "a", "values": [1], "value": 2,
                               "type": 3, "comment": 4}]})")
              .size() == 1);
    CHECK_THROWS_AS((void)read_spaces_json(std::string(100000, '[')), attune::syntax_error);
    CHECK_THROWS_AS((void)attune::read_spaces_file("/no such file"), attune::error);
}

TEST_CASE("where a text stops to be JSON, what was expected and what is there is said")
{
    struct wrong {
        std::string text;
        std::size_t column;
        char const* said;
    };
    for (wrong const& w :
         std::vector<wrong>{{"", 1, "expected a value, found the end"},
                            {"[1,", 4, "expected a value, found the end"},
                            {"[1,,2]", 4, "expected a value, found `,`"},
                            {"[1 2]", 4, "expected `,` or `]`, found `2`"},
                            {"{\"a\" 1}", 6, "expected `:`, found `1`"},
                            {"{\"a\": }", 7, "expected a value, found `}`"},
                            {"{\"a\":1,}", 8, "expected a name in quotes, found `}`"},
                            {"{a:1}", 2, "expected a name in quotes or `}`, found `a`"},
                            {"{\"a\": 1 \"b\": 2}", 9, "expected `,` or `}`, found a text"},
                            {"{\"a\": tru}", 7, "expected a value, found `tru`"},
                            {"[NaN]", 2, "expected a value or `]`, found `NaN`"},
                            {"[1, -Infinity]", 5, "expected a value, found `-Infinity`"},
                            {"[01]", 2, "expected a value or `]`, found `01`"},
                            {"[1.]", 2, "expected a value or `]`, found `1.`"},
                            {"[1] x", 5, "expected the end, found `x`"},
                            {"[1}", 3, "expected `,` or `]`, found `}`"},
                            {"'a'", 1, "expected a value, found `'a'`"},
                            {"[\"ab", 2, "expected a closing quote of this text"},
                            {"[\"ab\n\"]", 5, "expected a closing quote of this text"},
                            {"[\"a\\q\"]", 5, "a text has an unknown escape, a control"},
                            {"[\"\xff\"]", 3, "a text has an unknown escape, a control"},
                            {"[1e999]", 2, "the number 1e999 is too large"}}) {
        CAPTURE(w.text);
        try {
            (void)read_spaces_json(w.text, "f.json");
            FAIL_CHECK("was read");
        } catch (attune::syntax_error const& e) {
            CHECK_MESSAGE(e.problem().find(w.said) != std::string::npos, e.problem());
            CHECK(e.column() == w.column);
            CHECK(std::string(e.what()).find("f.json, line 1, column") != std::string::npos);
            CHECK(std::string(e.what()).find("json.exception") == std::string::npos);
        }
    }
}

TEST_CASE("what is wrong with an array or a long order is named")
{
    struct wrong {
        char const* params;
        char const* problem;
    };
    for (wrong const& w : std::vector<wrong>{
             {R"({"name": "o", "kind": "permutation", "parts": 1025})", "from 1 to 1024 parts"},
             {R"({"name": "o", "kind": "permutation", "parts": 0})", "from 1 to 1024 parts"},
             {R"({"name": "o", "kind": "permutation", "parts": 13, "default": [0, 1]})",
              "the whole numbers from 0 to 12 once each"},
             {R"({"name": "o", "kind": "permutation", "parts": 13, "default": 3})",
              "expected a list as \"default\""},
             {R"({"name": "o", "kind": "permutation", "parts": 13, "active_if": "1"})",
              "expected no \"active_if\""},
             {R"({"name": "o", "kind": "permutation", "parts": 13, "weights": [1]})",
              "expected no \"weights\""},
             {R"({"name": "a", "elements": 0, "values": [1]})", "from 1 to 1024 elements"},
             {R"({"name": "a", "elements": 1025, "values": [1]})", "from 1 to 1024 elements"},
             {R"({"name": "a", "elements": 2, "kind": "tile", "parts": 2, "extent": 4})",
              "elements that are numbers, texts or booleans"},
             {R"({"name": "a", "elements": 2, "kind": "permutation", "parts": 3})",
              "elements that are numbers, texts or booleans"},
             {R"({"name": "a", "elements": 2, "values": ["x,y", "z"]})", "texts without commas"},
             {R"({"name": "a", "elements": 2, "values": [1, 2], "default": [1, 2, 1]})",
              "expected 2 values, found 3"},
             {R"({"name": "a", "elements": 2, "values": [1, 2], "default": [1, 3]})",
              "expected one of the values of a[1]"},
             {R"({"name": "a", "elements": 2, "values": [1, 2], "default": 1})",
              "expected a list as \"default\""},
             {R"({"name": "a", "values": [1]}, {"name": "a", "elements": 2, "values": [1]})",
              "expected each parameter once, found a again"},
             {R"({"name": "a", "elements": 2, "values": [1]}, {"name": "a", "values": [1]})",
              "expected each parameter once, found a again"},
             {R"({"name": "a[1]", "values": [1]}, {"name": "a", "elements": 2, "values": [1]})",
              "expected each parameter once, found a[1] again"},
         }) {
        CAPTURE(w.params);
        CHECK_THROWS_WITH_AS((void)one(w.params), doctest::Contains(w.problem),
                             attune::syntax_error);
    }
    auto const with = [](std::string const& constraint) {
        return one(R"({"name": "a", "elements": 2, "values": [1, 2]},
                {"name": "o", "kind": "permutation", "parts": 13})",
                   R"(, "constraints": [")" + constraint + "\"]");
    };
    CHECK_NOTHROW((void)with("a[1] < 2"));
    for (auto const& [constraint, problem] : {std::pair{"a[2] < 2", "a whole number from 0 to 1"},
                                              {"a < 2", "expected one element of the array a"},
                                              {"o[1] < 2", "at most 12 items, found o"},
                                              {"position(o, 1) < 2", "the name of a permutation"}})
        CHECK_THROWS_WITH_AS((void)with(constraint), doctest::Contains(problem),
                             attune::syntax_error);
}

TEST_CASE("arrays do not make a small file a large space")
{
    std::string params;
    for (int i = 0; i < 65; ++i)
        params += (i > 0 ? ",{" : "{") + std::string("\"name\": \"a") + std::to_string(i) +
                  R"(", "elements": 1024, "values": [1]})";
    CHECK_THROWS_AS((void)one(params), attune::syntax_error);
    // A range is not listed once per element.
    attune::description const space =
        attune::bind_inputs(one(R"({"name": "a", "elements": 1024, "range": [0, 1000000]})"));
    CHECK(space.parameters[1023].integers.empty());
    CHECK(space.parameters[1023].value_count() == 1'000'001);
}
