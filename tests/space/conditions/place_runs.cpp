// tests/space/conditions/place_runs.cpp : mirrors attune/space/conditions/place_runs.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/conditions/place_runs.hpp>

#include <attune/core/random.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/files/read_json.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <utility>
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

TEST_CASE("a union of runs and periods has the places of each")
{
    attune::random_engine engine(5);
    auto const below = [&](std::uint64_t end) {
        return static_cast<std::uint32_t>(attune::uniform_below(engine, end));
    };
    for (int round = 0; round < 300; ++round) {
        std::uint32_t const size = below(2000) + 1;
        std::vector<bool> is_in(size, false);
        attune::detail::place_union all(size);
        for (std::uint32_t k = below(4); k-- > 0;) {
            std::uint32_t const first = below(size);
            std::uint32_t const end = first + below(size - first + 1);
            all.add(place_runs{{first, end}});
            std::fill(is_in.begin() + first, is_in.begin() + end, true);
        }
        for (std::uint32_t k = below(4); k-- > 0;) {
            attune::detail::place_period period{below(round % 2 == 0 ? 9 : 900) + 1, {}};
            std::uint32_t const first = below(period.length);
            period.runs = {{first, first + 1 + below(period.length - first)}};
            all.add(period);
            for (std::uint32_t i = 0; i < size; ++i)
                is_in[i] = is_in[i] ||
                           (i % period.length >= first && i % period.length < period.runs[0].end);
        }
        place_runs wanted;
        for (std::uint32_t i = 0; i < size; ++i)
            if (is_in[i]) wanted.push_back({i, i + 1});
        CHECK(std::move(all).take() == attune::detail::united(std::move(wanted)));
    }
}

TEST_CASE("the places of any expression of one parameter are those of the evaluator")
{
    char const* const tables[] = {R"("range": [-5, 40])",
                                  R"("values": [1, 2, 4, 8, 16, 32])",
                                  R"("values": [8, 1, 5, 6, -3, 2, 30])",
                                  R"("range": [-7, 700], "step": 3)",
                                  R"("values": [90, 83, 76, 69, 62, 55, 48, 41, 34])",
                                  R"("range": [0, 40000])",
                                  R"("values": [0.5, 2.0, -1.5, 8.0, 30.0])",
                                  R"("values": ["b", "a", "8", "c"])",
                                  R"("values": [false, true])"};
    char const* const numbers[] = {"x == 8",
                                   "x != 2",
                                   "x < 5",
                                   "x >= 2",
                                   "8 >= x",
                                   "x > 2.5",
                                   "x == 2.0",
                                   "x % 3 == 1",
                                   "5 != x",
                                   "2 < x < 30",
                                   "x",
                                   "x in [2, 8, 30]",
                                   "x not in [1, 5]",
                                   "1 == 1",
                                   "x <= -100",
                                   "x % 4 != 0",
                                   "x % 2",
                                   "3 > x % 5",
                                   "(x + 3) % 7 == 1",
                                   "x % 5 <= 2",
                                   "x % 41 in [0, 7, 8]",
                                   "(9 + x - 2) % 64 > 40",
                                   "x % 99999 == 8",
                                   "x % 6 >= 4.5",
                                   "x % 3 == 3",
                                   "x % 8 != -1",
                                   "(5 - x) % 3 == 1"};
    char const* const texts[] = {"x == 'a'", "x != 'c'", "x in ['b', 'z']", "'8' == x"};
    constexpr std::size_t text_table = 7;
    attune::random_engine engine(11);
    std::size_t quick = 0;
    for (int round = 0; round < 1200; ++round) {
        std::size_t const t = attune::uniform_below(engine, std::size(tables));
        std::string text;
        for (std::uint64_t k = attune::uniform_below(engine, 5) + 1; k-- > 0;) {
            std::string term = t == text_table
                                   ? texts[attune::uniform_below(engine, std::size(texts))]
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
    CHECK(quick > 400); // comparisons with constants need no visit of each place
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
