// tests/space/files/write_json.cpp : mirrors include/attune/space/files/write_json.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/files/write_json.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/selector.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/files/read_json.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../../support/texts.hpp"
#include "published_spaces.hpp"

namespace {

void check_same(attune::description const& a, attune::description const& b)
{
    REQUIRE(a.parameters.size() == b.parameters.size());
    for (std::size_t i = 0; i < a.parameters.size(); ++i) {
        attune::parameter_description const& p = a.parameters[i];
        attune::parameter_description const& q = b.parameters[i];
        CHECK(p.name == q.name);
        CHECK(p.kind == q.kind);
        CHECK(p.type == q.type);
        CHECK(p.on == q.on);
        CHECK(p.integers == q.integers);
        CHECK(p.reals == q.reals);
        CHECK(p.labels == q.labels);
        CHECK(p.low == q.low);
        CHECK(p.high == q.high);
        CHECK(p.parts == q.parts);
        CHECK(p.rule.steps == q.rule.steps);
        CHECK(p.rule.first == q.rule.first);
        CHECK(p.rule.step == q.rule.step);
        CHECK((p.rule.bound_node == attune::no_index) == (q.rule.bound_node == attune::no_index));
        CHECK(p.default_text == q.default_text);
        CHECK(p.prior.weights == q.prior.weights);
        CHECK(p.prior.centre == q.prior.centre);
        CHECK(p.prior.deviation == q.prior.deviation);
    }
    REQUIRE(a.groups.size() == b.groups.size());
    for (std::size_t i = 0; i < a.groups.size(); ++i) {
        CHECK(a.groups[i].name == b.groups[i].name);
        CHECK(a.groups[i].kind == b.groups[i].kind);
        CHECK(a.groups[i].first == b.groups[i].first);
        CHECK(a.groups[i].count == b.groups[i].count);
    }
    CHECK(a.nodes == b.nodes);
    CHECK(a.texts == b.texts);
    REQUIRE(a.constraints.size() == b.constraints.size());
    for (std::size_t i = 0; i < a.constraints.size(); ++i) {
        CHECK(a.constraints[i].root == b.constraints[i].root);
        CHECK(a.constraints[i].scope == b.constraints[i].scope);
        CHECK(a.constraints[i].text == b.constraints[i].text);
    }
    REQUIRE(a.inputs.size() == b.inputs.size());
    for (std::size_t i = 0; i < a.inputs.size(); ++i) {
        CHECK(a.inputs[i].name == b.inputs[i].name);
        CHECK(a.inputs[i].type == b.inputs[i].type);
        CHECK(a.inputs[i].value == b.inputs[i].value);
    }
}

} // namespace

TEST_CASE("a space with parameters of every kind is read back as it was")
{
    auto const read = attune::read_spaces_json(R"({"name": "every kind",
        "problem": {"N": 48, "load": 0.5},
        "params": [{"name": "tile size", "values": [8, 4], "default": 8, "weights": [1, 2]},
                   {"name": "k", "range": [1, "N // 2"], "step": 2, "default": 3},
                   {"name": "p", "range": [1, 64], "steps": "doubling", "scale": "log"},
                   {"name": "q", "kind": "ordinal", "range": [0, 10000000], "step": 5},
                   {"name": "x", "kind": "real", "low": 0.1, "high": 1e3, "scale": "log",
                    "default": 0.5, "centre": 2, "deviation": 0.25},
                   {"name": "r", "values": [0.1, 0.25]},
                   {"name": "c", "kind": "categorical", "values": [3, 1]},
                   {"name": "m", "values": ["a'\"b", "c"], "default": "c"},
                   {"name": "f", "values": [false, true], "default": true},
                   {"name": "no", "values": [false]}, {"name": "yes", "values": [true]},
                   {"name": "o", "kind": "permutation", "parts": 3, "default": [2, 0, 1]},
                   {"name": "t", "kind": "tile", "parts": 2, "extent": "N"}],
        "constraints": ["`tile size` % 4 == 0  or f", "m == 'c' or t[0] <= o[1]", "k / 3 < load * 9"],
        "cartesian": 123456789012345678901234567890, "valid": 7})");
    std::string const written = attune::write_space_json(read.front());
    auto const again = attune::read_spaces_json(written);
    REQUIRE(again.size() == 1);
    check_same(read.front().space, again.front().space);
    CHECK(again.front().name == "every kind");
    CHECK(again.front().cartesian == read.front().cartesian);
    CHECK(again.front().valid == "7");
    CHECK(attune::write_space_json(again.front()) == written);
}

TEST_CASE("the published spaces are read back as they were")
{
    auto const read = attune_tests::published_spaces();
    for (attune::named_space const& one : read) {
        auto const again = attune::read_spaces_json(attune::write_space_json(one));
        REQUIRE(again.size() == 1);
        check_same(one.space, again.front().space);
    }
}

TEST_CASE("a function cannot be written")
{
    auto read = attune::read_spaces_json(R"({"params": [{"name": "a", "values": [1]}]})").front();
    read.space.constraints.emplace_back();
    CHECK_THROWS_AS((void)attune::write_space_json(read), attune::error);
}

TEST_CASE("arrays and long orders are written as one parameter each, and read back as they were")
{
    std::string digits;
    for (int i = 19; i >= 0; --i)
        digits += std::to_string(i) + (i > 0 ? "," : "");
    auto const read = attune::read_spaces_json(R"({"name": "groups", "problem": {"N": 48},
        "params": [{"name": "f", "values": [false, true]},
                   {"name": "CUT", "elements": 4, "range": [0, "N"], "default": [1, 2, 3, 4],
                    "active_if": "f"},
                   {"name": "o", "kind": "permutation", "parts": 20, "default": [)" +
                                               digits + R"(]},
                   {"name": "no default", "kind": "permutation", "parts": 1024},
                   {"name": "m", "elements": 2, "values": ["a b", "c"], "default": ["c", "a b"]},
                   {"name": "x", "elements": 3, "kind": "real", "low": 0.5, "high": 8,
                    "scale": "log", "centre": 1, "deviation": 0.5},
                   {"name": "b", "elements": 2, "values": [false, true], "default": [true, false]},
                   {"name": "k", "elements": 1, "values": [1, 2, 4], "weights": [1, 2, 3]}],
        "constraints": ["CUT[0] <= CUT[1]", "m[1] == 'c' or CUT[3] > 2", "b[0] or x[2] > 1.5"]})");
    attune::description const& space = read.front().space;
    REQUIRE(space.groups.size() == 7);
    CHECK(space.parameters.size() == 1 + 4 + 19 + 1023 + 2 + 3 + 2 + 1);
    CHECK(space.constraints[0].text == "CUT[0] <= CUT[1]");
    CHECK(space.constraints[0].scope == std::vector<std::uint32_t>{1, 2});
    std::string const written = attune::write_space_json(read.front());
    CHECK(written.find(R"({"name":"o","kind":"permutation","parts":20,"default":[)" + digits +
                       "]}") != written.npos);
    CHECK(written.find(R"("name":"CUT","elements":4,"range":[0,"N"],"default":[1,2,3,4],)"
                       R"("active_if":"f"})") != written.npos);
    auto const again = attune::read_spaces_json(written);
    REQUIRE(again.size() == 1);
    check_same(space, again.front().space);
    CHECK(attune::write_space_json(again.front()) == written);
}

TEST_CASE("a selector is written with the condition of each range, and read back as it was")
{
    static constexpr auto bits = attune::ordinal<"BITS">(attune::values(4, 8));
    constexpr auto sort =
        attune::selector<"SORT", 3>(attune::powers_of_two(8, 64), attune::algorithm("insertion"),
                                    attune::algorithm("radix", bits));
    attune::named_space one;
    one.name = "sort";
    one.space = attune::lower(attune::space(sort, attune::boolean<"QUIET">()));
    std::string const written = attune::write_space_json(one);
    auto const again = attune::read_spaces_json(written);
    REQUIRE(again.size() == 1);
    CHECK(attune::write_space_json(again.front()) == written);
    attune::description const& read = again.front().space;
    REQUIRE(read.selectors.size() == 1);
    CHECK(read.selectors[0].first == 0);
    CHECK(read.selectors[0].ranges == 3);
    CHECK(read.selectors[0].parameters == 1);
    attune::chain_of_trees const before{attune::bind_inputs(one.space)};
    attune::chain_of_trees const after{attune::bind_inputs(read)};
    REQUIRE(before.size() == after.size());
    for (std::uint64_t i = 0; i < *before.size(); ++i)
        CHECK(after.contains(before.at(i)));

    auto const changed = [&](std::string const& from, std::string const& to) {
        std::string text = written;
        text.replace(text.find(from), from.size(), to);
        return text;
    };
    CHECK_THROWS_AS(
        (void)attune::read_spaces_json(changed(R"("parameters":1)", R"("parameters":2)")),
        attune::error);
    CHECK_THROWS_AS(
        (void)attune::read_spaces_json(changed(R"("first":"SORT_RANGES")", R"("first":"SORT")")),
        attune::error);
    CHECK_THROWS_AS((void)attune::read_spaces_json(changed(R"(["SORT_RANGES > 1",)", "[")),
                    attune::error);
}

TEST_CASE("figures of the machine are written by name until they are bound, then with their value")
{
    auto const read = attune::read_spaces_json(
        R"({"name": "tiles", "inputs": {"machine.l2_bytes": "integer"},
            "params": [{"name": "a", "range": [1, "`machine.l2_bytes`"], "steps": "doubling"}],
            "constraints": ["a * a <= `machine.l2_bytes`"]})");
    auto const again = attune::read_spaces_json(attune::write_space_json(read.front()));
    check_same(read.front().space, again.front().space);
    CHECK_FALSE(again.front().space.inputs[0].value);
    CHECK(attune::bind_inputs(again.front().space).inputs[0].value ==
          attune::bind_inputs(read.front().space).inputs[0].value);

    attune::named_space other = read.front();
    other.space = attune::bind_inputs(
        other.space, {{"machine.l2_bytes", attune::number::of(std::int64_t{256})}});
    auto const elsewhere = attune::read_spaces_json(attune::write_space_json(other));
    attune::description const bound = attune::bind_inputs(elsewhere.front().space);
    CHECK(bound.inputs[0].value == attune::number::of(std::int64_t{256}));
    CHECK(bound.parameters[0].integers.back() == 256);
    CHECK(attune::chain_of_trees(bound).size() == 5); // 1, 2, 4, 8, 16
}

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
    for (std::string const& text : attune_test::parts_of(
             "a + 1 + 2; a + (1 + 2); (a + 1) * 2; -a; -(5); -5 * a; not a == 1; a == 1 or a == 2 "
             "and N > 3; (a == 1 or a == 2) and N > 3; not (a == 1 or N > 3); a // 2 % 3; a // (2 "
             "% 3); trunc_div(a, 2); a / 3.0; (a < 2) == 1; min(a, max(N, 3)); select(a < 2, 0.5, "
             "N); `b b` ** 1; m == 'x\\''; o[1] < position(o, 2); abs(-a); ceil_div(N, a); --a; (a "
             "&& N) * 2; select(a, N, a) * 2",
             "; ")) {
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
