// tests/declare/group.cpp - values that are one or several parameters, by name and as text.
// SPDX-License-Identifier: MIT
#include <attune/declare/group.hpp>

#include <attune/core/random.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "every_point.hpp"

using attune::description;
using attune::point;
using attune::detail::find_value;
using attune::detail::named_value;
using attune::detail::named_values;
using attune_tests::any_point;

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto tile = attune::ordinal<"TILE">(attune::values(8, 16, 32));
constexpr auto cut = attune::array_of<4>(attune::integer<"CUT">(0, n));
constexpr auto order = attune::permutation<"ORDER", 15>();
constexpr auto few = attune::permutation<"FEW", 3>();
constexpr auto how = attune::array_of<2>(attune::categorical<"HOW">("plain", "very packed"));
constexpr auto share = attune::array_of<3>(attune::real<"SHARE">(0.0, 1.0));
constexpr auto use = attune::array_of<2>(attune::boolean<"USE">());
constexpr auto everything = attune::space(tile, cut, order, few, how, share, use);

description bound()
{
    return attune::bind_inputs(attune::lower(everything),
                               {{"N", attune::number::of(std::int64_t{9})}});
}

} // namespace

TEST_CASE("a description has one value per name, in order of declaration")
{
    description const d = bound();
    CHECK(d.parameters.size() == 1 + 4 + 14 + 1 + 2 + 3 + 2);
    std::vector<std::string> names;
    std::uint32_t next = 0;
    for (named_value const& v : named_values(d)) {
        names.emplace_back(v.name);
        CHECK(v.first == next);
        next += v.count;
        std::optional<named_value> const found = find_value(d, v.name);
        REQUIRE(found);
        CHECK(found->first == v.first);
        CHECK(found->count == v.count);
        CHECK(found->group == v.group);
    }
    CHECK(next == d.parameters.size());
    CHECK(names == std::vector<std::string>{"TILE", "CUT", "ORDER", "FEW", "HOW", "SHARE", "USE"});
    REQUIRE(find_value(d, "CUT[2]")); // an element has a name, too
    CHECK(find_value(d, "CUT[2]")->first == 3);
    CHECK(d.parameters[5].name == attune::detail::name_of_digit("ORDER", 0));
    CHECK_FALSE(find_value(d, "CUT[4]"));
    CHECK_FALSE(find_value(d, "cut"));
}

TEST_CASE("a group is an order or an array, and has as many parts as its text")
{
    description const d = bound();
    attune::random_engine engine(4);
    point const at = any_point(d, engine);
    for (named_value const& v : named_values(d)) {
        CAPTURE(v.name);
        CHECK((v.is_long_order() || v.is_array()) == (v.group != nullptr));
        CHECK_FALSE((v.is_long_order() && v.is_array()));
        if (v.group == nullptr) continue;
        auto const parts = attune::detail::parts_of_list(attune::detail::text_at(d, v, at));
        REQUIRE(parts);
        CHECK(parts->size() == v.group->parts());
        std::vector<std::string> sorted = *parts;
        std::sort(sorted.begin(), sorted.end());
        std::vector<std::string> items;
        for (std::size_t k = 0; k < parts->size(); ++k)
            items.push_back(std::to_string(k));
        std::sort(items.begin(), items.end());
        CHECK((sorted == items) == v.is_long_order());
    }
    CHECK(attune::detail::accepted_text(*find_value(d, "ORDER")->group) == "any order of 0 to 14");
    CHECK(attune::detail::accepted_text(*find_value(d, "CUT")->group) == "{...} with 4 values");
}

TEST_CASE("every value is read back from its text, whatever it is made of")
{
    description const d = bound();
    attune::random_engine engine(17);
    for (int draw = 0; draw < 50; ++draw) {
        point const p = any_point(d, engine);
        point q(d.parameters.size());
        std::string line;
        for (named_value const& v : named_values(d)) {
            std::string const text = attune::detail::text_at(d, v, p);
            CHECK(attune::detail::set_value(d, v, q, text));
            line += (line.empty() ? "" : " ") + std::string(v.name) + '=' + text;
        }
        CHECK(q == p);
        CHECK(attune::text_of(d, p) == line);
    }
}

TEST_CASE("the text of an order has its items by place")
{
    description const d = bound();
    point p(d.parameters.size());
    named_value const v = *find_value(d, "ORDER");
    CHECK(attune::detail::text_at(d, v, p) == "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}");
    std::vector<std::uint16_t> items(15);
    std::iota(items.rbegin(), items.rend(), std::uint16_t{0});
    attune::detail::set_order(d, v.first, p, items);
    CHECK(attune::detail::text_at(d, v, p) == "{14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}");
    p[v.first].index = 15; // there are 15 digits, from 0 to 14
    CHECK(attune::detail::text_at(d, v, p) == "(no order)");
}

TEST_CASE("a text that is no value changes nothing")
{
    description const d = bound();
    attune::random_engine engine(5);
    point const p = any_point(d, engine);
    for (auto const& [name, text] :
         {std::pair{"CUT", "{1, 2, 3}"},
          {"CUT", "{1, 2, 3, 4, 5}"},
          {"CUT", "{1, 2, 3, 10}"},
          {"CUT", "1, 2, 3, 4"},
          {"CUT", ""},
          {"CUT", "{"},
          {"CUT", "{}"},
          {"CUT", "4"},
          {"HOW", "{plain, loose}"},
          {"SHARE", "{0.5, 0.5, 1.5}"},
          {"USE", "{true, 2}"},
          {"ORDER", "{0, 1, 2}"},
          {"ORDER", "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 13}"},
          {"ORDER", "{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}"},
          {"ORDER", "(no order)"},
          {"FEW", "{0, 1}"},
          {"TILE", "9"}}) {
        CAPTURE(name);
        CAPTURE(text);
        point q = p;
        CHECK_FALSE(attune::detail::set_value(d, *find_value(d, name), q, text));
        CHECK(q == p);
    }
    point q = p;
    CHECK(attune::detail::set_value(d, *find_value(d, "HOW"), q, " { very packed ,plain }"));
    CHECK(q[find_value(d, "HOW")->first].index == 1);
    CHECK(q[find_value(d, "HOW")->first + 1].index == 0);
}

TEST_CASE("defaults of arrays and orders are texts of whole values")
{
    description d = attune::lower(everything); // tables are not known yet
    for (named_value const& v : named_values(d))
        CHECK_FALSE(attune::detail::default_text_of(d, v));
    named_value const cuts = *find_value(d, "CUT");
    CHECK(attune::detail::set_default_text(d, cuts, "{3, 1,  4,9}"));
    CHECK(attune::detail::default_text_of(d, cuts) == "{3, 1, 4, 9}");
    CHECK(d.parameters[cuts.first + 2].default_text == "4");
    CHECK_FALSE(attune::detail::set_default_text(d, cuts, "{3, 1, 4}"));
    CHECK_FALSE(attune::detail::set_default_text(d, cuts, "3"));
    CHECK(attune::detail::default_text_of(d, cuts) == "{3, 1, 4, 9}");
    named_value const orders = *find_value(d, "ORDER");
    std::string const text = "{14, 0, 13, 1, 12, 2, 11, 3, 10, 4, 9, 5, 8, 6, 7}";
    CHECK_FALSE(attune::detail::set_default_text(d, orders, "{0, 1, 2}"));
    CHECK_FALSE(attune::detail::set_default_text(d, orders, "{" + text));
    CHECK_FALSE(attune::detail::default_text_of(d, orders));
    CHECK(attune::detail::set_default_text(d, orders, text));
    CHECK(attune::detail::default_text_of(d, orders) == text);
    CHECK(attune::detail::set_default_text(d, *find_value(d, "TILE"), "16"));
    CHECK(attune::detail::default_text_of(d, *find_value(d, "TILE")) == "16");
    // The defaults are values of the tables.
    description const made = attune::bind_inputs(d, {{"N", attune::number::of(std::int64_t{9})}});
    CHECK(attune::detail::default_text_of(made, *find_value(made, "ORDER")) == text);
}

TEST_CASE("a list is told apart at its commas")
{
    using attune::detail::parts_of_list;
    using texts = std::vector<std::string>;
    CHECK(parts_of_list("{1, 4,2 }") == texts{"1", "4", "2"});
    CHECK(parts_of_list(" {a b, c}\n") == texts{"a b", "c"});
    CHECK(parts_of_list("{}") == texts{""});
    CHECK(parts_of_list("{,}") == texts{"", ""});
    CHECK_FALSE(parts_of_list("1, 2"));
    CHECK_FALSE(parts_of_list("{1, 2"));
    CHECK_FALSE(parts_of_list(""));
}
