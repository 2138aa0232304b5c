// tests/space/query/setting_list.cpp : mirrors include/attune/space/query/setting_list.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/query/setting_list.hpp>

#include <attune/core/random.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/space/build_pack.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <vector>

#include "../../laws/tree.hpp"
#include "../space_generator.hpp"

using attune::chain_of_trees;
using attune::point;
using attune::detail::for_each_setting;
using attune::detail::setting_list_size;

namespace {

std::vector<std::uint32_t> drawn_scope(attune::description const& space,
                                       attune::random_engine& engine)
{
    std::vector<std::uint32_t> out;
    for (std::uint32_t p = 0; p < space.parameters.size(); ++p)
        if (attune::uniform_below(engine, 2) == 0) out.push_back(p);
    return out;
}

std::uint64_t number_of(attune::description const& space, std::vector<std::uint32_t> const& scope,
                        point const& at)
{
    std::uint64_t out = 0;
    for (std::uint32_t const p : scope)
        out = out * space.parameters[p].value_count() + at[p].index;
    return out;
}

} // namespace

TEST_CASE("settings, and how many configurations have each, are those of brute force")
{
    attune_tests::space_generator generator(22);
    attune::random_engine engine(5);
    std::size_t tried = 0;
    while (tried < 500) {
        attune::description space =
            tried % 4 == 0 ? generator.draw_conditional() : generator.draw();
        attune::detail::settle_conditions(space);
        auto const valid = attune_tests::valid_settings(space);
        if (valid.empty()) continue;
        CAPTURE(tried);
        ++tried;
        chain_of_trees const chain(space);
        REQUIRE(chain.is_exact());
        std::vector<std::uint32_t> const scope = drawn_scope(space, engine);
        std::map<std::uint64_t, double> expected;
        for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(*chain.size()); ++i)
            expected[number_of(space, scope, chain.at(i))] += 1;
        std::map<std::uint64_t, double> seen;
        bool const all =
            for_each_setting(chain, scope, [&](std::uint64_t number, double count, point const& p) {
                CHECK(chain.contains(p));
                CHECK(number_of(space, scope, p) == number);
                CHECK(seen.emplace(number, count).second);
                return true;
            });
        CHECK(all);
        CHECK(seen == expected);
        CHECK(setting_list_size(space, scope).value() >= seen.size());
    }
}

TEST_CASE("beyond its limits nothing is visited, and a visit may be the last")
{
    auto const x = attune::ordinal<"X">(attune::range(0, 9));
    auto const y = attune::ordinal<"Y">(attune::range(0, 9));
    chain_of_trees const free = attune::build(attune::space(x, y));
    chain_of_trees const tied = attune::build(attune::space(x, y).where(x + y <= 9));
    std::vector<std::uint32_t> const both{0, 1};
    std::size_t visits = 0;
    auto const visit = [&](std::uint64_t, double, point const&) { return ++visits < 3; };
    for (chain_of_trees const* space : {&free, &tied}) {
        CHECK(!for_each_setting(*space, both, visit, {.settings = 9}));
        CHECK(!for_each_setting(*space, both, visit, {.edges = 9}));
        CHECK(visits == 0);
        CHECK(!for_each_setting(*space, both, visit));
        CHECK(visits == 3);
        visits = 0;
    }
}

TEST_CASE("real parameters and too many settings have no numbers")
{
    auto const real = attune::real<"R">(0.0, 1.0);
    auto const x = attune::ordinal<"X">(attune::range(1, 1024));
    auto const y = attune::ordinal<"Y">(attune::range(1, 1024));
    auto const z = attune::boolean<"Z">();
    attune::description const space =
        attune::bind_inputs(attune::lower(attune::space(real, x, y, z)));
    CHECK(!setting_list_size(space, std::vector<std::uint32_t>{0, 1}));
    CHECK(setting_list_size(space, std::vector<std::uint32_t>{1, 2}) == 1024U * 1024U);
    CHECK(!setting_list_size(space, std::vector<std::uint32_t>{1, 2, 3}));
    CHECK(setting_list_size(space, std::vector<std::uint32_t>{}) == 1);
}

TEST_CASE("of a space of 10^17 configurations the few settings are counted")
{
    auto const many = attune::array_of<17>(attune::ordinal<"A">(attune::range(0, 9)));
    auto const x = attune::ordinal<"X">(attune::range(0, 9));
    chain_of_trees const space = attune::build(attune::space(many, x).where(x <= 4));
    std::size_t visits = 0;
    CHECK(for_each_setting(space, std::vector<std::uint32_t>{17},
                           [&](std::uint64_t n, double count, point const&) {
                               CHECK(n == visits++);
                               CHECK(count == doctest::Approx(1e17));
                               return true;
                           }));
    CHECK(visits == 5);
}
