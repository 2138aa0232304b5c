// tests/space/conditions/partial.cpp : mirrors include/attune/space/conditions/partial.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/conditions/partial.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

#include "../space_generator.hpp"
#include "../space_writer.hpp"

using attune::op;
using attune_tests::space_writer;

namespace {

/// Whether some completion of the first `set` parameters of `p` satisfies `c`.
bool can_hold(attune::description const& space, attune::detail::condition const& c,
              attune::point const& p, std::size_t set)
{
    bool any = false;
    attune_tests::for_each_setting(space, [&](attune::point const& q) {
        if (!any && std::equal(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(set), q.begin()))
            any = attune::detail::holds(space, c, q);
    });
    return any;
}

} // namespace

TEST_CASE("no condition that can still hold is given up, and full settings are decided exactly")
{
    attune_tests::space_generator generator(41);
    int given_up = 0;
    for (int i = 0; i < 150; ++i) {
        attune::description const space = generator.draw();
        attune::detail::partial_evaluator outlook(space);
        std::vector<std::size_t> levels(space.parameters.size());
        for (std::size_t k = 0; k < levels.size(); ++k)
            levels[k] = k;
        outlook.set_levels(levels);
        std::size_t settings = 1;
        for (auto const& p : space.parameters)
            settings *= p.value_count();
        if (settings > 200) continue;
        std::size_t wrong = 0;
        for (attune::detail::condition const& c : attune::detail::conditions_of(space)) {
            if (c.root == attune::no_index) continue;
            attune_tests::for_each_setting(space, [&](attune::point const& p) {
                for (std::size_t level = 0; level < p.size(); ++level) {
                    if (outlook.may_hold(c, level, p)) continue;
                    wrong += can_hold(space, c, p, level + 1) ? 1U : 0U;
                    given_up += level + 1 < p.size() ? 1 : 0;
                }
                wrong += outlook.may_hold(c, p.size() - 1, p) != attune::detail::holds(space, c, p);
            });
        }
        CHECK(wrong == 0);
    }
    CHECK(given_up > 100);
}

TEST_CASE("a conjunct inside a disjunction refutes it early")
{
    space_writer w;
    auto const a = w.range("a", 0, 1);
    auto const b = w.range("b", 0, 1);
    auto const c = w.range("c", 0, 1);
    auto const left = w.join(op::logical_and, w.read(a), w.read(b));
    auto const right = w.join(op::logical_and, w.read(a), w.read(c));
    w.require(w.join(op::logical_or, left, right), "a && b || a && c");
    attune::detail::partial_evaluator outlook(w.out);
    outlook.set_levels(std::vector<std::size_t>{0, 1, 2});
    auto const condition = attune::detail::conditions_of(w.out).front();
    CHECK_FALSE(outlook.may_hold(condition, 0, attune::point{{0, 0}, {1, 0}, {1, 0}}));
    CHECK(outlook.may_hold(condition, 0, attune::point{{1, 0}, {0, 0}, {0, 0}}));
    CHECK_FALSE(outlook.may_hold(condition, 2, attune::point{{1, 0}, {0, 0}, {0, 0}}));
}
