// tests/search/bayes/forest/coding.cpp - features as bytes.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/forest/coding.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/query/configurations.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <vector>

using attune::feature_map;
using attune::feature_table;
using attune::detail::forest::code_table;
using attune::detail::forest::coding;
using attune::detail::forest::column;

namespace {

template <class... P>
attune::chain_of_trees chain(P const&... parameters)
{
    return attune::chain_of_trees(attune::bind_inputs(attune::lower(attune::space(parameters...))));
}

} // namespace

TEST_CASE("ordered and nominal levels keep their numbers")
{
    feature_map const map(chain(attune::ordinal<"A">(attune::values(1, 2, 4)),
                                attune::categorical<"C">("x", "y", "z", "w")));
    coding const code(map);
    CHECK(code.columns() == std::vector<column>{{3, false}, {4, true}});
    feature_table table;
    map.append({{2, 0}, {3, 0}}, table);
    map.append({{0, 0}, {1, 0}}, table);
    code_table const x = code(table);
    CHECK(x.points == 2);
    CHECK(x.code[0] == std::vector<std::uint8_t>{2, 0});
    CHECK(x.code[1] == std::vector<std::uint8_t>{3, 1});
}

TEST_CASE("an order of items is one column per item: its place")
{
    auto const space = chain(attune::permutation<"O", 3>());
    feature_map const map(space);
    coding const code(map);
    CHECK(code.columns() == std::vector<column>(3, {3, false}));
    feature_table table;
    for (std::uint32_t v = 0; v < 6; ++v)
        map.append({{v, 0}}, table);
    code_table const x = code(table);
    for (std::uint32_t v = 0; v < 6; ++v) {
        auto const order = attune::elements_at(space.describe().parameters[0], v);
        for (std::size_t item = 0; item < 3; ++item)
            CHECK(order[x.code[item][v]] == static_cast<std::int64_t>(item));
    }
}

TEST_CASE("a tile is one column per factor")
{
    feature_map const map(chain(attune::tile<"T", 2>(8)));
    coding const code(map);
    CHECK(code.columns() == std::vector<column>(2, {4, false}));
    feature_table table;
    for (std::uint32_t v = 0; v < 4; ++v)
        map.append({{v, 0}}, table);
    CHECK(code(table).code[0] == std::vector<std::uint8_t>{0, 1, 2, 3});
    CHECK(code(table).code[1] == std::vector<std::uint8_t>{3, 2, 1, 0});
}

TEST_CASE("continuous features and long tables are cut into 256 cells, in order")
{
    feature_map const map(chain(attune::real<"R">(0.0, 1.0), attune::integer<"I">(0, 999)),
                          {.from_alignment = false});
    coding const code(map);
    CHECK(code.columns() == std::vector<column>(2, {256, false}));
    feature_table table;
    for (std::uint32_t i = 0; i < 1000; ++i)
        map.append({{0, i / 999.0}, {i, 0}}, table);
    code_table const x = code(table);
    for (auto const& codes : x.code) {
        CHECK(codes.front() == 0);
        CHECK(codes.back() == 255);
        CHECK(std::is_sorted(codes.begin(), codes.end()));
    }
    CHECK(x.code[0][500] == 128);
}

TEST_CASE("many choices share codes")
{
    attune::description d;
    attune::parameter_description p;
    p.name = "MANY";
    p.kind = attune::parameter_kind::categorical;
    p.type = attune::value_kind::integer;
    for (std::int64_t v = 0; v < 300; ++v)
        p.integers.push_back(v);
    d.parameters = {p};
    feature_map const map{attune::chain_of_trees(d)};
    coding const code(map);
    CHECK(code.columns() == std::vector<column>{{256, true}});
    feature_table table;
    map.append({{299, 0}}, table);
    CHECK(code(table).code[0][0] == 299 - 256);
}

TEST_CASE("rows can be appended later")
{
    feature_map const map(chain(attune::integer<"I">(0, 9)));
    coding const code(map);
    feature_table table;
    code_table x;
    for (std::uint32_t i = 0; i < 10; ++i) {
        map.append({{i, 0}}, table);
        code.append(table, i, x);
    }
    CHECK(x.points == 10);
    CHECK(x.code[0] == code(table).code[0]);
}

TEST_CASE("a set has what was added, in ascending order, across its words")
{
    attune::detail::forest::code_set set;
    std::vector<std::uint8_t> const added{255, 0, 63, 64, 127, 128, 7, 64};
    for (auto const code : added)
        set.add(code);
    std::set<std::uint8_t> const want(added.begin(), added.end());
    for (unsigned v = 0; v < 256; ++v)
        CHECK(set.has(static_cast<std::uint8_t>(v)) == want.contains(static_cast<std::uint8_t>(v)));
    std::vector<std::uint8_t> visited;
    set.for_each([&](std::uint8_t code) { visited.push_back(code); });
    CHECK(visited == std::vector<std::uint8_t>(want.begin(), want.end()));
}

TEST_CASE("an empty set visits nothing and equals another empty one")
{
    attune::detail::forest::code_set const empty;
    empty.for_each([](std::uint8_t) { CHECK(false); });
    CHECK(empty == attune::detail::forest::code_set{});
}
