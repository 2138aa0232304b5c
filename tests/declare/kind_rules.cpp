// tests/declare/kind_rules.cpp - laws that the rules of every kind keep.
// SPDX-License-Identifier: MIT
#include <attune/declare/kind_rules.hpp>

#include <attune/declare/table.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <vector>

using attune::coordinate;
using attune::parameter_description;
using attune::parameter_kind;
using attune::value_kind;

namespace {

/// One parameter of each discrete kind.
std::vector<parameter_description> one_of_each()
{
    std::vector<parameter_description> out(6);
    out[0].kind = parameter_kind::integer;
    out[0].type = value_kind::integer;
    out[0].integers = {3, 4, 5, 6};
    out[1].kind = parameter_kind::ordinal;
    out[1].type = value_kind::real;
    out[1].reals = {0.5, 1.0, 4.0};
    out[2].kind = parameter_kind::categorical;
    out[2].type = value_kind::text;
    out[2].labels = {"row", "column", "tile"};
    out[3].kind = parameter_kind::boolean;
    out[3].type = value_kind::boolean;
    out[4].kind = parameter_kind::permutation;
    out[4].type = value_kind::list;
    out[4].parts = 3;
    out[5].kind = parameter_kind::tile;
    out[5].type = value_kind::list;
    out[5].parts = 3;
    out[5].integers = attune::detail::factor_table(12, 3);
    return out;
}

} // namespace

TEST_CASE("each kind has rules, and each rule has a function")
{
    for (attune::detail::kind_traits const& is : attune::detail::traits_of_kinds) {
        attune::detail::kind_rules const& rules = attune::detail::rules_of(is.of);
        CHECK(rules.of == is.of);
        CHECK((rules.text && rules.parse && rules.distance && rules.steps));
        CHECK((rules.unit_width && rules.unit_table && rules.to_unit && rules.from_unit));
    }
}

TEST_CASE("a value is found again by its text and by its place in the unit cube")
{
    for (parameter_description const& p : one_of_each()) {
        CAPTURE(p.traits().name);
        attune::detail::kind_rules const& rules = attune::detail::rules_of(p.kind);
        std::vector<double> const table = rules.unit_table(p);
        for (std::uint32_t v = 0; v < p.value_count(); ++v) {
            CHECK(rules.parse(p, rules.text(p, {v, 0})) == coordinate{v, 0});
            std::vector<double> unit(rules.unit_width(p), 0.0);
            rules.to_unit(p, table, {v, 0}, unit);
            CHECK(std::all_of(unit.begin(), unit.end(), [](double u) { return 0 <= u && u <= 1; }));
            CHECK(rules.from_unit(p, table, unit) == coordinate{v, 0});
        }
        CHECK_FALSE(rules.parse(p, "no value of these"));
    }
}

TEST_CASE("distances are symmetric, 0 only to the value itself and at most 1")
{
    for (parameter_description const& p : one_of_each()) {
        CAPTURE(p.traits().name);
        attune::detail::kind_rules const& rules = attune::detail::rules_of(p.kind);
        for (std::uint32_t a = 0; a < p.value_count(); ++a)
            for (std::uint32_t b = 0; b < p.value_count(); ++b) {
                double const far = rules.distance(p, {a, 0}, {b, 0});
                CHECK((far == 0) == (a == b));
                CHECK(far <= 1);
                CHECK(far == rules.distance(p, {b, 0}, {a, 0}));
            }
    }
}

TEST_CASE("steps lead to other values, and by them every value is reached")
{
    for (parameter_description const& p : one_of_each()) {
        CAPTURE(p.traits().name);
        attune::detail::kind_rules const& rules = attune::detail::rules_of(p.kind);
        std::set<std::uint32_t> reached{0};
        std::vector<std::uint32_t> open{0};
        while (!open.empty()) {
            std::uint32_t const at = open.back();
            open.pop_back();
            auto const take = [&](coordinate step) {
                CHECK(step.index != at);
                REQUIRE(step.index < p.value_count());
                if (reached.insert(step.index).second) open.push_back(step.index);
                return true;
            };
            attune::detail::step_taker const taker{
                const_cast<void*>(static_cast<void const*>(&take)),
                [](void* self, coordinate step) -> bool {
                    return (*static_cast<decltype(take)*>(self))(step);
                }};
            rules.steps(p, {at, 0}, taker);
        }
        CHECK(reached.size() == p.value_count());
    }
}
