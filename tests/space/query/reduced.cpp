// tests/space/query/reduced.cpp : mirrors include/attune/space/query/reduced.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/query/reduced.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/selector.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/space/files/expression_parser.hpp>
#include <attune/space/files/read_json.hpp>
#include <attune/space/files/recorded.hpp>
#include <attune/space/files/write_json.hpp>
#include <attune/space/query/exact_size.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../../laws/tree.hpp"
#include "../../support/scratch_directory.hpp"
#include "../space_generator.hpp"
#include "../space_oracle.hpp"

using attune::chain_of_trees;
using attune::description;
using attune::reduced;
using attune::reduced_space;

namespace {

/// Every configuration that holds, as text, by brute force over the whole tables.
/// @param space  settled
std::set<std::string> held_by(description const& space)
{
    std::set<std::string> out;
    attune_tests::for_each_setting(space, [&](attune::point const& at) {
        if (attune_tests::all_hold(space, at)) out.insert(attune::text_of(space, at));
    });
    return out;
}

bool is_whole_kind(attune::parameter_description const& p)
{
    return p.type == attune::value_kind::list;
}

/// The values of parameter `i`, of all configurations that hold or of its table.
std::set<std::string> values_held(description const& space, std::uint32_t i)
{
    std::set<std::string> out;
    attune_tests::for_each_setting(space, [&](attune::point const& at) {
        if (attune_tests::all_hold(space, at))
            out.insert(attune::text_of(space.parameters[i], at[i]));
    });
    return out;
}
std::set<std::string> values_listed(attune::parameter_description const& p)
{
    std::set<std::string> out;
    for (std::uint32_t v = 0; v < p.value_count(); ++v)
        out.insert(attune::text_of(p, {v, 0}));
    return out;
}

/// Holds a reduction to brute force over the original and over what it gave.
/// @param settled  the original with what its conditions say
void check_reduction(description const& settled, reduced_space const& now)
{
    CHECK(held_by(now.space) == held_by(settled));
    std::map<std::string, std::pair<std::size_t, std::size_t>> cuts;
    for (std::uint32_t i = 0; i < settled.parameters.size(); ++i) {
        std::set<std::string> const before = values_listed(settled.parameters[i]);
        std::set<std::string> const after = values_listed(now.space.parameters[i]);
        CAPTURE(settled.parameters[i].name);
        CHECK(after == (is_whole_kind(settled.parameters[i]) ? before : values_held(settled, i)));
        if (after.size() < before.size())
            cuts[settled.parameters[i].name] = {before.size(), after.size()};
    }
    CHECK(cuts.size() == now.cuts.size());
    for (attune::domain_cut const& c : now.cuts)
        CHECK(cuts[c.name] == std::pair<std::size_t, std::size_t>(c.before, c.after));
}

/// A constraint of `from`, over the tables of `now`, holds wherever inactive parameters stand
/// at their one value.
bool is_fulfilled(description const& now, attune::constraint_description const& constraint)
{
    description alone = now;
    std::erase_if(alone.constraints, [](auto const& c) { return c.settles == attune::no_index; });
    bool out = true;
    attune_tests::for_each_setting(alone, [&](attune::point const& at) {
        if (attune_tests::all_hold(alone, at))
            out = out && attune::detail::evaluator(alone).holds(constraint, at);
    });
    return out;
}

bool has_function(description const& space)
{
    return std::any_of(space.constraints.begin(), space.constraints.end(),
                       [](auto const& c) { return bool(c.test); });
}

chain_of_trees built(std::string const& json)
{
    return chain_of_trees(attune::bind_inputs(attune::read_spaces_json(json).front().space));
}

description read_again(description const& space)
{
    auto const again = attune::read_spaces_json(attune::write_space_json({"again", space, "", ""}));
    return chain_of_trees(attune::bind_inputs(again.front().space)).describe();
}

} // namespace

TEST_CASE("random spaces keep their configurations, and no value without one")
{
    attune_tests::space_generator generator(5);
    int tried = 0, cut = 0, dropped = 0, cut_functions = 0;
    while (tried < 600) {
        description const space = generator.draw();
        if (attune_tests::valid_settings(space).empty()) continue;
        ++tried;
        CAPTURE(attune_tests::to_text(space));
        reduced_space const now = reduced(chain_of_trees(space));
        check_reduction(space, now);
        std::set<std::string> stays;
        for (auto const& c : now.space.constraints) {
            stays.insert(c.text);
            CHECK((c.test || !is_fulfilled(now.space, c)));
        }
        for (auto const& c : space.constraints) {
            if (stays.contains(c.text)) continue;
            ++dropped;
            CHECK(is_fulfilled(now.space, c));
            CHECK(std::count(now.dropped.begin(), now.dropped.end(), c.text) == 1);
        }
        CHECK(now.dropped.size() + now.space.constraints.size() == space.constraints.size());
        cut += now.cuts.empty() ? 0 : 1;
        cut_functions += !now.cuts.empty() && has_function(space) ? 1 : 0;
        // reduced again, nothing more goes
        reduced_space const twice = reduced(chain_of_trees(now.space));
        CHECK((twice.cuts.empty() && twice.dropped.empty()));
    }
    CHECK(cut > 100);
    CHECK(dropped > 100);
    CHECK(cut_functions > 10);
}

TEST_CASE("so do spaces with conditional parameters, and constraints that are added as text")
{
    attune_tests::space_generator generator(6);
    int tried = 0, cut = 0, written = 0, cut_functions = 0;
    while (tried < 300) {
        description space = generator.draw_conditional();
        // the last constraints are given as text, as a user gives them
        std::vector<std::string> texts;
        while (!space.constraints.empty() && !space.constraints.back().test && texts.size() < 2) {
            texts.push_back(attune::write_expression(space, space.constraints.back().root));
            space.constraints.pop_back();
        }
        for (std::string const& text : texts)
            space.constraints.push_back(attune::parse_constraint(space, text));
        description settled = space;
        attune::detail::settle_conditions(settled);
        if (held_by(settled).empty()) continue;
        ++tried;
        CAPTURE(attune_tests::to_text(settled));
        reduced_space const now = reduced(chain_of_trees(space));
        check_reduction(settled, now);
        cut += now.cuts.empty() ? 0 : 1;
        cut_functions += !now.cuts.empty() && has_function(space) ? 1 : 0;
        // a tile that is drawn has no extent, which a file has to say; nor has it functions
        bool const has_tile =
            std::any_of(space.parameters.begin(), space.parameters.end(),
                        [](auto const& p) { return p.kind == attune::parameter_kind::tile; });
        if (has_tile || has_function(space)) continue;
        ++written;
        CHECK(held_by(read_again(now.space)) == held_by(settled));
    }
    CHECK(cut > 50);
    CHECK(written > 50);
    CHECK(cut_functions > 3);
}

TEST_CASE("a function is told the coordinates of the original tables: a recording keeps its rows")
{
    support::scratch_directory const folder;
    std::string const path = folder.file("r.csv");
    support::write_file(path,
                        "# parameters: {\"X\": [0, 1, 2, 4, 8], \"Y\": [1, 2]}\n"
                        "X,Y,time_ms,status\n1,1,4,ok\n2,1,3,ok\n4,1,2,ok\n4,2,1,ok\n8,2,5,ok\n");
    reduced_space const now = reduced(attune::recorded{path}.space());
    CHECK(now.cuts == std::vector<attune::domain_cut>{{"X", 5, 4}});
    CHECK(held_by(now.space) ==
          std::set<std::string>{"X=1 Y=1", "X=2 Y=1", "X=4 Y=1", "X=4 Y=2", "X=8 Y=2"});
    CHECK(chain_of_trees(now.space).size() == attune::leaf_count{5});
}

TEST_CASE("labels that differ only in spaces are two values")
{
    reduced_space const now = reduced(built(R"({
        "params": [{"name": "F", "values": [false, true]},
                   {"name": "W", "values": ["a b", "ab", "c"], "active_if": "F"}],
        "constraints": ["W != 'a b'"]})"));
    CHECK(now.space.parameters[1].labels == std::vector<std::string>{"ab", "c"});
    CHECK(held_by(now.space) == std::set<std::string>{"F=true W=ab", "F=true W=c"});
    reduced_space const moved = reduced(built(R"({
        "params": [{"name": "W", "values": ["a b", "ab", "c"], "default": "a b"}],
        "constraints": ["W != 'a b'"]})"));
    REQUIRE(moved.notes.size() == 1);
    CHECK(moved.notes[0].starts_with("the default of W was a b, now it is "));
}

TEST_CASE("values of a free parameter cost no memory")
{
    // A bit for each of 64 * 2e9 values would be 16 GB.
    std::string params = R"([{"name": "z", "values": [1, 2, 3]})";
    for (int i = 0; i < 64; ++i)
        params += R"(, {"name": "p)" + std::to_string(i) + R"(", "range": [1, 2000000000]})";
    reduced_space const now =
        reduced(built(R"({"params": )" + params + R"(], "constraints": ["z < 3"]})"));
    CHECK(now.cuts == std::vector<attune::domain_cut>{{"z", 3, 2}});
    CHECK(now.notes.empty());
    CHECK(now.space.parameters[64].range_count == 2'000'000'000);
}

TEST_CASE("ranges stay ranges where what is left of them is one, else become tables")
{
    reduced_space const now = reduced(built(R"({"problem": {"N": 4096},
        "params": [{"name": "even", "range": [1, "N"]},
                   {"name": "power", "range": [1, "N"], "steps": "doubling"},
                   {"name": "gap", "range": [1, 8]},
                   {"name": "holes", "range": [1, 64], "steps": "doubling"},
                   {"name": "divisor", "range": [1, "N"], "steps": "divisors"},
                   {"name": "one", "range": [0, 100], "step": 4},
                   {"name": "whole", "range": [1, "N // 2"]},
                   {"name": "long", "range": [0, 8800000], "step": 2},
                   {"name": "odd", "range": [1, 1100000]}],
        "constraints": ["even % 2 == 0 and even > 9 and even < 100", "power > 4 and power < 300",
            "gap != 3", "holes != 8", "divisor > 100", "one == 32", "long % 8 == 0", "odd != 7"]})"));
    auto const& p = now.space.parameters;
    auto const bound = [&](std::size_t i) { return now.space.nodes[p[i].rule.bound_node].integer; };
    CHECK((p[0].rule.first == 10 && p[0].rule.step == 2 && bound(0) == 98));
    CHECK((p[1].rule.first == 8 && bound(1) == 256));
    CHECK(p[1].rule.steps == attune::progression::doubling);
    CHECK(p[2].rule.bound_node == attune::no_index);
    CHECK(p[2].integers == std::vector<std::int64_t>{1, 2, 4, 5, 6, 7, 8});
    CHECK(p[2].kind == attune::parameter_kind::integer);
    CHECK(p[3].integers == std::vector<std::int64_t>{1, 2, 4, 16, 32, 64});
    CHECK(p[3].on == attune::scale::log); // the distance of a doubling range
    CHECK(p[4].integers == std::vector<std::int64_t>{128, 256, 512, 1024, 2048, 4096});
    CHECK(p[5].integers == std::vector<std::int64_t>{32});
    CHECK(now.space.nodes[p[6].rule.bound_node].code != attune::op::integer); // N // 2 as it was
    CHECK((p[7].rule.first == 0 && p[7].rule.step == 8 && p[7].value_count() == 1'100'001));
    CHECK(p[8].value_count() == 1'100'000);
    REQUIRE(now.notes.size() == 1);
    CHECK(now.notes[0] == "odd keeps all 1100000 values, of which 1099999 are valid: a table of "
                          "these would be too long");
    CHECK(now.dropped.size() == 7);
    REQUIRE(now.space.constraints.size() == 1);
    CHECK(now.space.constraints[0].text == "odd != 7");
    CHECK(now.cuts[0] == attune::domain_cut{"even", 4096, 45});
    // the file says the same
    description const again = read_again(now.space);
    for (std::size_t i = 0; i < p.size(); ++i) {
        CHECK(again.parameters[i].integers == p[i].integers);
        CHECK(again.parameters[i].range_count == p[i].range_count);
        CHECK(again.parameters[i].kind == p[i].kind);
        CHECK(again.parameters[i].on == p[i].on);
    }
    CHECK(attune::exact_size(chain_of_trees(again)) ==
          attune::exact_size(chain_of_trees(now.space)));
}

TEST_CASE("permutations and tiles stay whole with the constraints that need them")
{
    reduced_space const now = reduced(built(R"({
        "params": [{"name": "B", "values": [false, true]},
                   {"name": "O", "kind": "permutation", "parts": 3},
                   {"name": "L", "kind": "permutation", "parts": 20},
                   {"name": "T", "kind": "tile", "parts": 2, "extent": 8},
                   {"name": "V", "values": [1, 2, 4], "weights": [1, 2, 3]}],
        "constraints": ["B", "O[0] == 1", "T[0] <= V", "V < 4"]})"));
    CHECK(now.notes == std::vector<std::string>{
                           "O keeps all 6 values, of which 2 are valid: a permutation has every "
                           "order",
                           "T keeps all 4 values, of which 2 are valid: a tile has every "
                           "factorisation"});
    CHECK(now.cuts == std::vector<attune::domain_cut>{{"B", 2, 1}, {"V", 3, 2}});
    CHECK(attune::text_of(now.space.parameters[0], {0, 0}) == "true");
    CHECK(now.space.parameters.back().prior.weights == std::vector<double>{1, 2});
    CHECK(now.dropped == std::vector<std::string>{"B", "V < 4"});
    CHECK(now.space.constraints.size() == 2);
}

TEST_CASE("an array keeps a value that one of its elements has, a selector its number of ranges")
{
    reduced_space const now = reduced(built(R"({
        "params": [{"name": "A", "elements": 3, "values": [1, 2, 4, 8, 16], "default": [1, 8, 2]}],
        "constraints": ["A[0] < 4", "A[1] == 8", "A[2] <= 2"]})"));
    CHECK(now.cuts == std::vector<attune::domain_cut>{{"A", 5, 3}});
    for (auto const& p : now.space.parameters)
        CHECK(p.integers == std::vector<std::int64_t>{1, 2, 8});
    CHECK(now.notes.empty());
    CHECK(now.dropped.empty());
    CHECK(held_by(read_again(now.space)).size() == 4);

    static constexpr auto bits = attune::ordinal<"BITS">(attune::values(4, 8));
    static constexpr auto sort =
        attune::selector<"SORT", 3>(attune::powers_of_two(8, 64), attune::algorithm("insertion"),
                                    attune::algorithm("radix", bits));
    chain_of_trees const all = attune::build(attune::space(sort));
    description fewer = all.describe();
    for (char const* const text : {"SORT_RANGES < 3", "SORT_CUT[0] < 64"})
        fewer.constraints.push_back(attune::parse_constraint(fewer, text));
    chain_of_trees const chosen(fewer);
    reduced_space const less = reduced(chosen);
    CHECK(less.space.parameters[0].value_count() == 3);
    REQUIRE(less.notes.size() == 1);
    CHECK(less.notes[0] == "SORT_RANGES keeps all 3 values, of which 2 are valid: it counts the "
                           "ranges of a selector");
    CHECK(less.cuts == std::vector<attune::domain_cut>{{"SORT_CUT", 4, 3}});
    CHECK(held_by(read_again(less.space)) == held_by(chosen.describe()));
}

TEST_CASE("a default that is gone, or not valid, moves to the nearest valid configuration")
{
    char const* const plain = R"({
        "params": [{"name": "M", "values": [2, 4, 8, 16], "default": 16},
                   {"name": "N", "values": [2, 4, 8, 16], "default": 16}], "constraints": [)";
    auto const with = [&](std::string const& c) {
        return reduced(built(plain + ('"' + c + "\"]}")));
    };
    reduced_space const gone = with("M <= 8");
    CHECK(gone.space.parameters[0].default_text == "8");
    CHECK(gone.space.parameters[1].default_text == "16");
    CHECK(gone.notes == std::vector<std::string>{"the default of M was 16, now it is 8"});
    // 16 x 16 has no valid product, each of them alone a partner: one of the two moves to 8
    reduced_space const pair = with("M * N <= 128");
    CHECK(pair.cuts.empty());
    REQUIRE(pair.notes.size() == 1);
    chain_of_trees const chain(pair.space);
    attune::point standard;
    for (auto const& p : chain.describe().parameters)
        standard.push_back(*attune::coordinate_of(p, *p.default_text));
    CHECK(chain.contains(standard));
    CHECK(with("M >= 2").notes.empty());

    // W stands at 2 where it is inactive: its default stays, and with it none is valid
    reduced_space const tied = reduced(built(R"({
        "params": [{"name": "MODE", "values": ["a", "b"], "default": "a"},
                   {"name": "W", "values": [1, 2], "default": 2, "active_if": "MODE == 'a'"}],
        "constraints": ["MODE == 'b' or W == 1", "MODE == 'a' or W == 2"]})"));
    CHECK(tied.space.parameters[1].default_text == "2");
    CHECK_FALSE((tied.space.parameters[0].default_text == "a"));
    CHECK(chain_of_trees(tied.space).size() == attune::leaf_count{2});
}

TEST_CASE("where a parameter may no longer be inactive, its condition becomes a constraint")
{
    // F is {1, 0}, or W would be 1; a permutation stays whole, and W would stand at 4 otherwise
    reduced_space const now = reduced(built(R"({
        "params": [{"name": "F", "kind": "permutation", "parts": 2},
                   {"name": "W", "values": [1, 4, 8], "active_if": "F[0] == 1"}],
        "constraints": ["W > 2"]})"));
    CHECK(now.space.parameters[1].integers == std::vector<std::int64_t>{4, 8});
    CHECK(held_by(now.space) == std::set<std::string>{"F={1, 0} W=4", "F={1, 0} W=8"});
    CHECK(held_by(read_again(now.space)) == held_by(now.space));
    CHECK(now.notes ==
          std::vector<std::string>{
              "F keeps all 2 values, of which 1 are valid: a permutation has every order",
              "the condition of W is now a constraint: F[0] == 1"});
    // its text is the whole condition: V > 1 says nothing where V is inactive
    chain_of_trees const chain = built(R"({
        "params": [{"name": "F", "kind": "permutation", "parts": 2},
                   {"name": "V", "values": [1, 2, 3], "default": 2, "active_if": "F[0] == 1"},
                   {"name": "W", "values": [1, 4, 8], "active_if": "V > 1"}],
        "constraints": ["W > 2"]})");
    reduced_space const whole = reduced(chain);
    CHECK(whole.notes.back() == "the condition of W is now a constraint: F[0] == 1 && V > 1");
    CHECK(whole.space.constraints.back().text == "F[0] == 1 && V > 1");
    CHECK(held_by(whole.space) == held_by(chain.describe()));
    CHECK(held_by(read_again(whole.space)) == held_by(chain.describe()));
    // where the table says it already, there is no need
    reduced_space const text = reduced(built(R"({
        "params": [{"name": "F", "values": ["no", "yes"]},
                   {"name": "W", "values": [1, 4, 8], "active_if": "F == 'yes'"}],
        "constraints": ["W > 2"]})"));
    CHECK(text.space.parameters[0].labels == std::vector<std::string>{"yes"});
    REQUIRE(text.space.constraints.size() == 1);
    CHECK(text.space.constraints[0].settles == 1);
    CHECK(text.dropped == std::vector<std::string>{"W > 2"});
    CHECK(text.notes.empty());
}

TEST_CASE("what an inactive parameter stands at stays, also where a real one decides")
{
    chain_of_trees const chain = built(R"({
        "params": [{"name": "X", "kind": "real", "low": 0, "high": 1},
                   {"name": "W", "values": [1, 2, 4], "active_if": "X < 0.5"}],
        "constraints": ["W >= 2", "X * W < 3"]})");
    reduced_space const now = reduced(chain);
    CHECK(now.space.parameters[1].integers == std::vector<std::int64_t>{1, 2, 4});
    CHECK(now.space.constraints.size() == 3); // two, and what settles W
    CHECK(now.dropped.empty());
}

TEST_CASE("an expectation is told the coordinates of the original tables")
{
    attune_tests::space_writer w;
    std::uint32_t const a = w.numbers("a", {1, 2, 4, 8, 16});
    w.numbers("b", {3, 5});
    w.require(w.join(attune::op::greater, w.read(a), w.literal(std::int64_t{2})), "a > 2");
    w.out.expected = [](std::span<attune::coordinate const> at) {
        return 10.0 * at[0].index + at[1].index;
    };
    reduced_space const now = reduced(chain_of_trees(w.out));
    CHECK(now.space.parameters[0].integers == std::vector<std::int64_t>{4, 8, 16});
    CHECK(now.space.expected(attune::point{{1, 0}, {1, 0}}) == 31);
}

TEST_CASE("parameters without a tree stay whole, the others are reduced")
{
    description space = attune::bind_inputs(attune::read_spaces_json(R"({"params": [
        {"name": "x", "range": [1, 100000]}, {"name": "y", "values": [3000, 7000]},
        {"name": "z", "values": [1, 2, 3]}], "constraints": ["x % y == 0", "z < 3"]})")
                                                .front()
                                                .space);
    attune::build_options options;
    options.max_visits = 1000;
    options.enumeration.wide_settings = 1000;
    chain_of_trees const chain(space, options);
    REQUIRE_FALSE(chain.is_exact());
    reduced_space const now = reduced(chain);
    CHECK(now.cuts == std::vector<attune::domain_cut>{{"z", 3, 2}});
    CHECK(now.dropped == std::vector<std::string>{"z < 3"});
    std::set<std::string> const told(now.notes.begin(), now.notes.end());
    std::string const rest =
        " keeps all values: its tree, which has the valid ones, is too wide to build";
    CHECK(told == std::set<std::string>{"x" + rest, "y" + rest});
    // an array is told of once
    description const array = attune::bind_inputs(attune::read_spaces_json(R"({"params": [
        {"name": "A", "elements": 2, "range": [1, 100000]}], "constraints": ["A[0] % A[1] == 0"]})")
                                                      .front()
                                                      .space);
    CHECK(reduced(chain_of_trees(array, options)).notes == std::vector<std::string>{"A" + rest});
}

TEST_CASE("what is not counted stays")
{
    std::vector<std::size_t> told;
    reduced_space const now = reduced(built(R"({"params": [{"name": "a", "values": [1, 2, 3]}],
                  "constraints": ["a > 0", "a > 1", "a < 9"]})"),
                                      {.go_on = [&](std::size_t done, std::size_t all) {
                                          told.push_back(10 * done + all);
                                          return done < 1;
                                      }});
    CHECK(told == std::vector<std::size_t>{3, 13});
    CHECK(now.dropped == std::vector<std::string>{"a > 0"});
    CHECK(now.space.constraints.size() == 2);
    CHECK(now.space.parameters[0].integers == std::vector<std::int64_t>{2, 3});
}
