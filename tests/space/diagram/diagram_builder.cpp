// tests/space/diagram/diagram_builder.cpp - the nodes of one program.
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/diagram_maker.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../space_generator.hpp"
#include "../space_writer.hpp"

using attune::op;
using attune::detail::constraint_program;
using attune::detail::diagram_builder;
using attune::detail::diagram_store;
using attune::detail::effort;
using attune_tests::space_writer;

namespace {

/// All conditions of a space in one diagram, parameters in the order of declaration.
struct whole_diagram {
    explicit whole_diagram(attune::description const& space, effort budget = {})
        : left(budget)
        , store(sizes(space), left)
    {
        std::vector<std::uint32_t> order;
        std::vector<std::size_t> levels;
        for (std::uint32_t p = 0; p < space.parameters.size(); ++p) {
            order.push_back(p);
            levels.push_back(p);
        }
        conditions = attune::detail::conditions_of(space);
        std::vector<attune::detail::condition const*> all;
        for (auto const& c : conditions)
            all.push_back(&c);
        attune::point const base(order.size());
        constraint_program program(space, domains, order, base, all);
        root = diagram_builder(space, program, levels, base, store, left).build();
    }
    std::vector<std::size_t> sizes(attune::description const& space)
    {
        std::vector<std::size_t> out;
        for (auto const& p : space.parameters) {
            domains.emplace_back(p.value_count());
            out.push_back(p.value_count());
        }
        return out;
    }
    [[nodiscard]] bool holds(attune::point const& p) const
    {
        std::uint32_t node = root;
        for (std::size_t l = 0; l < p.size(); ++l)
            node = store.child(node, l, p[l].index);
        return node == attune::detail::always_node;
    }

    effort left;
    std::vector<attune::detail::domain> domains;
    std::vector<attune::detail::condition> conditions;
    diagram_store store;
    std::uint32_t root = 0;
};

int disagreements(attune::description const& space)
{
    whole_diagram const diagram(space);
    int wrong = 0;
    attune_tests::for_each_setting(space, [&](attune::point const& p) {
        wrong += diagram.holds(p) != attune_tests::all_hold(space, p);
    });
    return wrong;
}

} // namespace

TEST_CASE("a diagram holds exactly where its conditions hold")
{
    attune_tests::space_generator generator(99);
    for (int i = 0; i < 600; ++i) {
        CAPTURE(i);
        CHECK(disagreements(generator.draw()) == 0);
    }
}

TEST_CASE("wide domains with values that only help or only hurt give the same as brute force")
{
    attune::random_engine engine(17);
    auto const below = [&](std::uint64_t n) { return attune::uniform_below(engine, n); };
    for (int i = 0; i < 200; ++i) {
        space_writer w;
        std::int64_t const low = below(2) == 0 ? 1 : -6;
        for (char const* name : {"a", "b", "c"})
            w.range(name, low, low + 8 + static_cast<std::int64_t>(below(14)));
        auto const value = [&](auto const& self, int depth) -> std::uint32_t {
            if (depth == 0 || below(6) == 0) {
                if (below(5) > 0) return w.read(static_cast<std::uint32_t>(below(3)));
                if (below(12) == 0) return w.literal(std::int64_t{1} << 61U);
                return w.literal(static_cast<std::int64_t>(below(6)));
            }
            static constexpr op codes[] = {op::add,      op::multiply,     op::multiply,
                                           op::subtract, op::floor_divide, op::ceil_divide,
                                           op::minimum,  op::negate};
            op const code = codes[below(8)];
            std::uint32_t const left = self(self, depth - 1);
            return code == op::negate ? w.join(code, left)
                                      : w.join(code, left, self(self, depth - 1));
        };
        auto const compared = [&] {
            static constexpr op codes[] = {op::less, op::less_equal, op::greater_equal, op::equal};
            std::uint32_t const left = value(value, 3);
            std::uint32_t const right = value(value, 1);
            return w.join(codes[below(4)], left, right);
        };
        std::uint32_t root = compared();
        if (below(2) == 0)
            root = w.join(below(2) == 0 ? op::logical_or : op::logical_and, root, compared());
        w.require(root, "drawn");
        CAPTURE(i);
        CHECK(disagreements(w.out) == 0);
    }
}

TEST_CASE("work follows the values exchanged, not the settings")
{
    space_writer w;
    for (char const* name : {"a", "b", "c", "d"})
        w.range(name, 1, 200);
    auto product = w.read(0);
    for (std::uint32_t p = 1; p < 4; ++p)
        product = w.join(op::multiply, product, w.read(p));
    w.require(w.join(op::less_equal, product, w.literal(std::int64_t{1000})), "product <= 1000");
    whole_diagram const diagram(w.out, {1'000'000, 4'000'000, false}); // of 1.6e9 settings
    CHECK_FALSE(diagram.left.is_spent);
    CHECK(diagram.holds({{9, 0}, {9, 0}, {9, 0}, {0, 0}}));
    CHECK_FALSE(diagram.holds({{9, 0}, {9, 0}, {9, 0}, {1, 0}}));
}

TEST_CASE("a budget that is spent stops the work")
{
    space_writer w;
    for (char const* name : {"a", "b", "c"})
        w.range(name, 1, 100);
    auto const sum =
        w.join(op::modulo, w.join(op::add, w.join(op::multiply, w.read(0), w.read(1)), w.read(2)),
               w.literal(std::int64_t{97}));
    w.require(w.join(op::equal, sum, w.literal(std::int64_t{0})), "mod 97");
    CHECK(whole_diagram(w.out, {500, 1'000'000, false}).left.is_spent);
    CHECK(whole_diagram(w.out, {1'000'000, 200, false}).left.is_spent);
    CHECK_FALSE(whole_diagram(w.out).left.is_spent);
}

TEST_CASE("a threshold between two equal nodes needs no work, outside of them it does")
{
    attune::detail::threshold_index index;
    CHECK(index.find(5).second == attune::no_index);
    index.insert(0, 5, 8);
    auto const [above, none] = index.find(9);
    CHECK(none == attune::no_index);
    index.insert(above, 9, 8);
    CHECK(index.find(7).second == 8);
    CHECK(index.find(9).second == 8);
    CHECK(index.find(10).second == attune::no_index);
    index.insert(index.find(20).first, 20, 8); // the run grows, its ends are 5 and 20
    CHECK(index.find(9).second == 8);
    index.insert(index.find(30).first, 30, 3);
    CHECK(index.find(25).second == attune::no_index);
    index.insert(index.find(2).first, 2, 8);
    CHECK(index.find(3).second == 8);
    CHECK(index.find(1).second == attune::no_index);
}
