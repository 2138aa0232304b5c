// tests/space/files/write_t1.cpp : mirrors include/attune/space/files/write_t1.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/files/write_t1.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/files/read_t1.hpp>
#include <attune/space/query/exact_size.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "published_spaces.hpp"

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
        CHECK_THROWS_WITH_AS(static_cast<void>(attune::write_t1({"", bound(w.json), "", ""})),
                             Contains(w.sentence), attune::error);
    }
    auto const open = read_spaces_json(
        R"({"inputs": {"N": "integer"}, "params": [{"name": "a", "values": [1, 2]}],
            "constraints": ["a < N"]})");
    CHECK_THROWS_WITH_AS(static_cast<void>(attune::write_t1(open.front())), Contains("input N"),
                         attune::error);
    auto const range = read_spaces_json(R"({"params": [{"name": "a", "range": [1, 4]}]})");
    CHECK_THROWS_WITH_AS(static_cast<void>(attune::write_t1(range.front())),
                         Contains("call bind_inputs()"), attune::error);
    attune::description opaque = bound(R"({"params": [{"name": "a", "values": [1, 2]}]})");
    opaque.constraints.push_back(
        {attune::no_index, {0}, [](auto const&, auto) { return true; }, "predicate(a)"});
    CHECK_THROWS_WITH_AS(static_cast<void>(attune::write_t1({"", opaque, "", ""})),
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
        CHECK(written.find("-9223372036854775808") == std::string::npos);
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
