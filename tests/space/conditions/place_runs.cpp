// tests/space/conditions/place_runs.cpp : mirrors attune/space/conditions/place_runs.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/conditions/place_runs.hpp>

#include <attune/core/random.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/files/read_json.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

using attune::detail::place_runs;

namespace {

/// The places of the first parameter where the first constraint holds, by the evaluator.
place_runs one_by_one(attune::description const& space, bool negated)
{
    attune::detail::evaluator const read(space);
    attune::point at(space.parameters.size());
    place_runs out;
    for (std::uint32_t i = 0; i < space.parameters.front().value_count(); ++i) {
        at[0].index = i;
        if (read.holds(space.constraints.front(), at) != negated) out.push_back({i, i + 1});
    }
    return attune::detail::united(std::move(out));
}

} // namespace

TEST_CASE("runs are united, and have a complement")
{
    CHECK(attune::detail::united({{4, 6}, {0, 1}, {5, 9}, {1, 2}, {3, 3}}) ==
          place_runs{{0, 2}, {4, 9}});
    CHECK(attune::detail::complement({{0, 2}, {4, 9}}, 12) == place_runs{{2, 4}, {9, 12}});
    CHECK(attune::detail::complement({}, 3) == place_runs{{0, 3}});
    CHECK(attune::detail::complement({{0, 3}}, 3).empty());
}

TEST_CASE("the places of any expression of one parameter are those of the evaluator")
{
    char const* const tables[] = {R"("range": [-5, 40])",
                                  R"("values": [1, 2, 4, 8, 16, 32])",
                                  R"("values": [8, 1, 5, 6, -3, 2, 30])",
                                  R"("values": [0.5, 2.0, -1.5, 8.0, 30.0])",
                                  R"("values": ["b", "a", "8", "c"])",
                                  R"("values": [false, true])"};
    char const* const numbers[] = {"x == 8",          "x != 2",     "x < 5",    "x >= 2",
                                   "8 >= x",          "x > 2.5",    "x == 2.0", "x % 3 == 1",
                                   "5 != x",          "2 < x < 30", "x",        "x in [2, 8, 30]",
                                   "x not in [1, 5]", "1 == 1",     "x <= -100"};
    char const* const texts[] = {"x == 'a'", "x != 'c'", "x in ['b', 'z']", "'8' == x"};
    attune::random_engine engine(11);
    std::size_t quick = 0;
    for (int round = 0; round < 600; ++round) {
        std::size_t const t = attune::uniform_below(engine, std::size(tables));
        std::string text;
        for (std::uint64_t k = attune::uniform_below(engine, 5) + 1; k-- > 0;) {
            std::string term = t == 4 ? texts[attune::uniform_below(engine, std::size(texts))]
                                      : numbers[attune::uniform_below(engine, std::size(numbers))];
            if (attune::uniform_below(engine, 3) == 0) term = "not (" + term + ")";
            text = text.empty() ? term : "(" + text + ")" + (k % 2 == 0 ? " and " : " or ") + term;
        }
        INFO(tables[t], " ", text);
        attune::description const space = attune::bind_inputs(
            attune::read_spaces_json(std::string(R"({"params": [{"name": "x", )") + tables[t] +
                                     R"(}], "constraints": [")" + text + "\"]}")
                .front()
                .space);
        std::vector<attune::detail::domain> const domains{
            attune::detail::domain(space.parameters.front().value_count())};
        bool const negated = attune::uniform_below(engine, 2) == 0;
        for (bool const is_quick : {false, true}) {
            attune::detail::place_reader read(space, domains);
            if (is_quick) read.be_quick();
            auto const found = read.where(0, space.constraints.front().root, negated);
            if (is_quick && !found) continue;
            REQUIRE(found);
            CHECK(*found == one_by_one(space, negated));
            quick += is_quick ? 1 : 0;
        }
    }
    CHECK(quick > 200); // comparisons with constants need no visit of each place
}

TEST_CASE("a place without a value gives no runs")
{
    attune::description const space = attune::bind_inputs(
        attune::read_spaces_json(
            R"({"params": [{"name": "x", "range": [0, 9]}], "constraints": ["6 % x == 0 or x == 0"]})")
            .front()
            .space);
    std::vector<attune::detail::domain> const domains{attune::detail::domain(10)};
    CHECK_FALSE(attune::detail::place_reader(space, domains)
                    .where(0, space.constraints.front().root, false));
}
