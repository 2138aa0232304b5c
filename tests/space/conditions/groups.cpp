// tests/space/conditions/groups.cpp : mirrors include/attune/space/conditions/groups.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/conditions/groups.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

#include "../space_generator.hpp"
#include "../space_writer.hpp"

using attune::op;
using attune_tests::space_writer;

namespace {

attune::detail::grouping group(space_writer const& w)
{
    return attune::detail::make_groups(w.out, attune::detail::conditions_of(w.out));
}

std::vector<std::uint32_t> values(attune::detail::domain const& d)
{
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < d.size(); ++i)
        out.push_back(d.value(i));
    return out;
}

} // namespace

TEST_CASE("parameters without constraints are groups of one, real parameters of none")
{
    space_writer w;
    w.range("a", 1, 4);
    w.real("x", 0, 1);
    w.permutation("order", 12);
    auto const g = group(w);
    REQUIRE(g.groups.size() == 2);
    CHECK(g.groups[0].parameters == std::vector<std::uint32_t>{0});
    CHECK(g.groups[1].parameters == std::vector<std::uint32_t>{2});
    CHECK(g.domains[2].is_whole());
    CHECK(g.domains[2].size() == 479001600);
}

TEST_CASE("a condition on one parameter filters its values and ties nothing")
{
    space_writer w;
    auto const a = w.numbers("a", {1, 2, 4, 8, 16});
    auto const rest = w.join(op::modulo, w.read(a), w.literal(std::int64_t{4}));
    w.require(w.join(op::equal, rest, w.literal(std::int64_t{0})), "a % 4 == 0");
    auto const g = group(w);
    CHECK(values(g.domains[a]) == std::vector<std::uint32_t>{2, 3, 4});
    REQUIRE(g.groups.size() == 1);
    CHECK(g.groups[0].conditions.empty());
}

TEST_CASE("a conjunction ties only what each of its parts reads")
{
    space_writer w;
    auto const a = w.range("a", 1, 4);
    auto const b = w.range("b", 1, 4);
    auto const c = w.range("c", 1, 4);
    auto const d = w.range("d", 1, 4);
    auto const one = w.join(op::less_equal, w.read(a), w.read(c));
    auto const two = w.join(op::less_equal, w.read(b), w.read(d));
    w.require(w.join(op::logical_and, one, two), "a <= c && b <= d");
    auto const g = group(w);
    REQUIRE(g.groups.size() == 2);
    CHECK(g.groups[0].parameters == std::vector<std::uint32_t>{a, c});
    CHECK(g.groups[1].parameters == std::vector<std::uint32_t>{b, d});
}

TEST_CASE("a condition that always holds is dropped")
{
    space_writer w;
    auto const a = w.range("a", 1, 4);
    auto const b = w.range("b", 1, 4);
    auto const product = w.join(op::multiply, w.read(a), w.read(b));
    w.require(w.join(op::less_equal, product, w.literal(std::int64_t{16})), "a * b <= 16");
    auto const g = group(w);
    CHECK(g.groups.size() == 2);
}

TEST_CASE("a parameter with one value left ties nothing")
{
    space_writer w;
    auto const a = w.range("a", 1, 4);
    auto const b = w.range("b", 1, 4);
    auto const c = w.range("c", 1, 4);
    w.require(w.join(op::less_equal, w.read(a), w.read(b)), "a <= b");
    w.require(w.join(op::less_equal, w.read(b), w.read(c)), "b <= c");
    w.require(w.join(op::equal, w.read(b), w.literal(std::int64_t{2})), "b == 2");
    auto const g = group(w);
    REQUIRE(g.groups.size() == 3);
    CHECK(values(g.domains[a]) == std::vector<std::uint32_t>{0, 1});
    CHECK(values(g.domains[b]) == std::vector<std::uint32_t>{1});
    CHECK(values(g.domains[c]) == std::vector<std::uint32_t>{1, 2, 3});
}

TEST_CASE("conditions that nothing satisfies are found")
{
    space_writer w;
    auto const a = w.range("a", 1, 4);
    w.require(w.join(op::greater, w.read(a), w.literal(std::int64_t{9})), "a > 9");
    CHECK(group(w).is_empty);

    space_writer constant;
    constant.range("a", 1, 4);
    constant.require(constant.literal(std::int64_t{0}), "false");
    CHECK(group(constant).is_empty);
}

TEST_CASE("grouping loses no valid setting and groups stay independent")
{
    attune_tests::space_generator generator(23);
    for (int i = 0; i < 100; ++i) {
        attune::description const space = generator.draw();
        auto const g = attune::detail::make_groups(space, attune::detail::conditions_of(space));
        std::size_t wrong = 0;
        attune_tests::for_each_setting(space, [&](attune::point const& p) {
            bool inside = !g.is_empty;
            for (std::size_t k = 0; k < p.size(); ++k) {
                auto const left = values(g.domains[k]);
                inside = inside && std::find(left.begin(), left.end(), p[k].index) != left.end();
            }
            for (auto const& part : g.groups)
                for (auto const& c : part.conditions)
                    inside = inside && attune::detail::holds(space, c, p);
            wrong += inside != attune_tests::all_hold(space, p) ? 1U : 0U;
        });
        CHECK(wrong == 0);
        for (auto const& part : g.groups)
            for (auto const& c : part.conditions)
                for (std::uint32_t const read : c.scope)
                    CHECK(std::binary_search(part.parameters.begin(), part.parameters.end(), read));
    }
}
