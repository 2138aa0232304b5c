// tests/space/conditions/domains.cpp : mirrors include/attune/space/conditions/domains.hpp, which it includes first
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

struct filtered {
    bool possible = false;
    std::vector<attune::detail::domain> domains;
    std::vector<attune::detail::condition> left;
};

filtered filter(attune::description const& space, attune::enumeration_limits const& limits = {})
{
    filtered out;
    for (auto const& p : space.parameters)
        out.domains.emplace_back(p.value_count());
    out.left = attune::detail::conditions_of(space);
    out.possible = attune::detail::filter_domains(space, out.left, out.domains, limits);
    return out;
}

std::vector<std::uint32_t> values(attune::detail::domain const& d)
{
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < d.size(); ++i)
        out.push_back(d.value(i));
    return out;
}

} // namespace

TEST_CASE("values that no partner supports are dropped from both domains")
{
    space_writer w;
    auto const a = w.numbers("a", {2, 3, 5, 7});
    auto const b = w.numbers("b", {4, 9, 11});
    auto const rest = w.join(op::modulo, w.read(b), w.read(a));
    w.require(w.join(op::equal, rest, w.literal(std::int64_t{0})), "b % a == 0");
    auto const g = filter(w.out);
    CHECK(values(g.domains[a]) == std::vector<std::uint32_t>{0, 1});
    CHECK(values(g.domains[b]) == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("a condition over a wide domain filters it together with those on fewer parameters")
{
    space_writer w;
    auto const a = w.range("a", 1, 1000);
    auto const b = w.range("b", 1, 1000);
    auto const thousand = w.literal(std::int64_t{1000});
    auto const zero = w.literal(std::int64_t{0});
    w.require(w.join(op::equal, w.join(op::modulo, thousand, w.read(a)), zero), "1000 % a == 0");
    w.require(w.join(op::equal, w.join(op::modulo, w.read(a), w.read(b)), zero), "a % b == 0");
    auto const g = filter(w.out);
    CHECK(g.domains[a].size() == 16); // divisors of 1000 = 2^3 5^3
    CHECK(g.domains[b].size() == 16);
}

TEST_CASE("a domain starts whole, without memory per value, and keeps what it is told to")
{
    attune::detail::domain d(4000000000U);
    CHECK(d.is_whole());
    CHECK(d.size() == 4000000000U);
    CHECK(d.value(3999999999U) == 3999999999U);
    attune::detail::domain e(5);
    e.filter({true, true, true, true, true});
    CHECK(e.is_whole());
    e.filter({false, true, false, true, true});
    CHECK(values(e) == std::vector<std::uint32_t>{1, 3, 4});
    e.filter({true, false, true});
    CHECK(values(e) == std::vector<std::uint32_t>{1, 4});
    CHECK_FALSE(e.is_whole());
}

TEST_CASE("conditions past the limits are left alone")
{
    space_writer w;
    auto const a = w.range("a", 1, 10);
    auto const b = w.range("b", 1, 10);
    w.require(w.join(op::less, w.read(a), w.read(b)), "a < b");
    CHECK(filter(w.out, {100, 100, 64}).domains[a].size() == 9);
    auto const none = filter(w.out, {99, 99, 64});
    CHECK(none.domains[a].size() == 10);
    CHECK(none.left.size() == 1);
    CHECK(filter(w.out, {99, 100, 10}).domains[a].size() == 9);
}

TEST_CASE("a condition that its filtered domains imply is dropped")
{
    // Both read the same pair; together only (2, 2) is left, and nothing has to be tested again.
    space_writer w;
    auto const a = w.range("a", 1, 3);
    auto const b = w.range("b", 1, 3);
    w.where("a * b == 4");
    auto const g = filter(w.out);
    CHECK(values(g.domains[a]) == std::vector<std::uint32_t>{1});
    CHECK(values(g.domains[b]) == std::vector<std::uint32_t>{1});
    CHECK(g.left.empty());
}

TEST_CASE("values kept are those of some setting that the conditions left allow")
{
    attune_tests::space_generator generator(71);
    for (int i = 0; i < 100; ++i) {
        attune::description const space = generator.draw();
        auto const g = filter(space);
        std::size_t wrong = 0;
        attune_tests::for_each_setting(space, [&](attune::point const& p) {
            bool inside = g.possible;
            for (std::size_t k = 0; k < p.size(); ++k) {
                auto const left = values(g.domains[k]);
                inside = inside && std::find(left.begin(), left.end(), p[k].index) != left.end();
            }
            for (auto const& c : g.left)
                inside = inside && attune::detail::holds(space, c, p);
            wrong += inside != attune_tests::all_hold(space, p) ? 1U : 0U;
        });
        CHECK(wrong == 0);
    }
}
