// tests/space/conditions/groups.cpp - groups of parameters, and the groups that a new description changes.
// SPDX-License-Identifier: MIT
#include <attune/space/conditions/domains.hpp>

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
    w.where("a <= c && b <= d");
    auto const g = group(w);
    REQUIRE(g.groups.size() == 2);
    CHECK(g.groups[0].parameters == std::vector<std::uint32_t>{a, c});
    CHECK(g.groups[1].parameters == std::vector<std::uint32_t>{b, d});
}

TEST_CASE("a condition that always holds is dropped")
{
    space_writer w;
    w.range("a", 1, 4);
    w.range("b", 1, 4);
    w.where("a * b <= 16");
    CHECK(group(w).groups.size() == 2);
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

using attune::number;
using attune::detail::conditions_of;
using marks = std::vector<bool>;

namespace {

struct fixture {
    space_writer w;
    std::uint32_t a, b, c, d;

    /// a < b, c < N, d alone; N = 4 and an input M = 1 that nothing reads.
    fixture()
        : a(w.range("a", 0, 7))
        , b(w.range("b", 0, 7))
        , c(w.range("c", 0, 7))
        , d(w.range("d", 0, 7))
    {
        w.out.inputs.push_back({"N", attune::value_kind::integer, number::of(std::int64_t{4})});
        w.out.inputs.push_back({"M", attune::value_kind::integer, number::of(std::int64_t{1})});
        w.require(w.join(op::less, w.read(a), w.read(b)), "a < b");
        w.require(w.join(op::less, w.read(c), w.read(0, op::input)), "c < N");
    }
    [[nodiscard]] marks against(attune::description const& now) const
    {
        return attune::detail::parameters_to_rebuild(w.out, now, conditions_of(now));
    }
};

} // namespace

TEST_CASE("what reads a changed input is built anew, the rest is not")
{
    fixture const f;
    attune::description now = f.w.out;
    CHECK(f.against(now) == marks{false, false, false, false});
    now.inputs[1].value = number::of(std::int64_t{2});
    CHECK(f.against(now) == marks{false, false, false, false});
    now.inputs[0].value = number::of(std::int64_t{5});
    CHECK(f.against(now) == marks{false, false, true, false});
}

TEST_CASE("a changed table spreads along the conditions")
{
    fixture const f;
    attune::description now = f.w.out;
    now.parameters[f.b].integers.push_back(8);
    CHECK(f.against(now) == marks{true, true, false, false});
    now = f.w.out;
    now.parameters[f.d].integers.pop_back();
    CHECK(f.against(now) == marks{false, false, false, true});
}

TEST_CASE("an opaque condition may read anything")
{
    fixture f;
    f.w.require_opaque({f.d}, [](auto const&, auto) { return true; }, "opaque");
    CHECK(f.against(f.w.out) == marks{false, false, false, true});
}

TEST_CASE("other expressions or parameters share nothing")
{
    fixture const f;
    attune::description now = f.w.out;
    now.nodes.back().code = op::greater;
    CHECK(f.against(now) == marks{true, true, true, true});
    now = f.w.out;
    now.constraints.pop_back();
    CHECK(f.against(now) == marks{true, true, true, true});
    now = f.w.out;
    now.parameters.push_back(now.parameters.back());
    CHECK(f.against(now) == marks(5, true));
}
