// tests/space/order/parameter_set.cpp : mirrors attune/space/order/parameter_set.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/order/parameter_set.hpp>

#include <attune/core/random.hpp>

#include <doctest/doctest.h>
#include <set>
#include <vector>

TEST_CASE_TEMPLATE("a set has the members of std::set", set, attune::detail::parameter_set<1>,
                   attune::detail::parameter_set<3>)
{
    attune::random_engine engine(3);
    for (int i = 0; i < 100; ++i) {
        set a;
        set b;
        std::set<std::size_t> x;
        std::set<std::size_t> y;
        for (int k = 0; k < 20; ++k) {
            std::size_t const m = attune::uniform_below(engine, set::capacity);
            (k % 2 == 0 ? a : b).add(m);
            (k % 2 == 0 ? x : y).insert(m);
        }
        std::vector<std::size_t> members;
        (a | b).for_each([&](std::size_t k) { members.push_back(k); });
        std::set<std::size_t> both = x;
        both.insert(y.begin(), y.end());
        CHECK(members == std::vector<std::size_t>(both.begin(), both.end()));
        for (std::size_t k = 0; k < set::capacity; ++k) {
            CHECK((a & b).has(k) == (x.count(k) > 0 && y.count(k) > 0));
            CHECK((a - b).has(k) == (x.count(k) > 0 && y.count(k) == 0));
        }
        CHECK(a.is_inside(a | b));
        CHECK((a - b).is_inside(b) == (a - b).is_empty());
        CHECK((a - a).is_empty());
        CHECK((a | b) == (b | a));
    }
}
