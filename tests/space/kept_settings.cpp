// tests/space/kept_settings.cpp : mirrors include/attune/space/kept_settings.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/kept_settings.hpp>

#include <attune/core/random.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/space/query/setting_list.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <vector>

#include "../laws/tree.hpp"
#include "space_generator.hpp"

using attune::chain_of_trees;
using attune::point;
using attune::detail::kept_settings;
using attune::detail::part_of;
using attune::detail::read_kept_settings;

namespace {

bool is_kept(attune::description const& space, kept_settings const& part, point const& at)
{
    std::uint64_t number = 0;
    for (std::uint32_t const p : part.scope)
        number = number * space.parameters[p].value_count() + at[p].index;
    return part.kept[number];
}

kept_settings drawn(attune::description const& space, attune::random_engine& engine)
{
    kept_settings out;
    std::uint64_t count = 1;
    for (std::uint32_t p = 0; p < space.parameters.size(); ++p)
        if (attune::uniform_below(engine, 2) == 0) {
            out.scope.push_back(p);
            count *= space.parameters[p].value_count();
        }
    std::uint64_t const in_ten = attune::uniform_below(engine, 10);
    for (std::uint64_t i = 0; i < count; ++i)
        out.kept.push_back(attune::uniform_below(engine, 10) < in_ten);
    return out;
}

} // namespace

TEST_CASE("a part has the configurations whose settings are kept, by brute force")
{
    attune_tests::space_generator generator(23);
    attune::random_engine engine(6);
    std::size_t tried = 0;
    std::size_t empty = 0;
    while (tried < 400) {
        attune::description space =
            tried % 4 == 0 ? generator.draw_conditional() : generator.draw();
        attune::detail::settle_conditions(space);
        if (attune_tests::valid_settings(space).empty()) continue;
        CAPTURE(tried);
        ++tried;
        chain_of_trees const whole(space);
        kept_settings const kept = drawn(space, engine);
        std::vector<point> expected;
        std::uint64_t const size = static_cast<std::uint64_t>(*whole.size());
        for (std::uint64_t i = 0; i < size; ++i)
            if (is_kept(space, kept, whole.at(i))) expected.push_back(whole.at(i));
        std::optional<chain_of_trees> const part = part_of(whole, kept);
        CHECK(part.has_value() == !expected.empty());
        empty += expected.empty() ? 1U : 0U;
        if (!part) continue;
        CHECK(part->size() == expected.size());
        for (point const& p : expected)
            CHECK(part->contains(p));
        CHECK(read_kept_settings(space, text_of(kept)) == kept);
    }
    CHECK(empty > 0);
    CHECK(empty < 300);
}

TEST_CASE("the text of settings is short, and no other text is read")
{
    auto const x = attune::ordinal<"X">(attune::range(0, 9));
    auto const real = attune::real<"R">(0.0, 1.0);
    auto const y = attune::ordinal<"Y">(attune::range(0, 9));
    attune::description const space = attune::bind_inputs(attune::lower(attune::space(x, real, y)));
    kept_settings part{{0, 2}, std::vector<bool>(100, false)};
    for (std::size_t i = 5; i < 95; ++i)
        part.kept[i] = true;
    CHECK(text_of(part) == "0 2\n0 5 90 5");
    CHECK(read_kept_settings(space, "0 2\n0 5 90 5") == part);
    for (std::string const odd :
         {"", "0 2", "0 2\n", "0 2\n0 5 90 6", "0 2\n0 5 90 4", "0 2\n0 5 90 5 ", "0  2\n0 5 90 5",
          "2 0\n0 5 90 5", "0 0\n0 5 90 5", "0 3\n0 5 90 5", "0 1\n10",
          "0 2\n0 5 90 18446744073709551615", "0 2\n0 5 90 18446744073709551616", "0 2\n0 -5 90 5",
          "x\n100"})
        CHECK(!read_kept_settings(space, odd));
    CHECK(read_kept_settings(space, "\n1") == kept_settings{{}, {true}});
}

TEST_CASE("a part of a space that has no trees is none, and takes bounded effort")
{
    // settings without any order: a tree over both would need a node for each
    auto const a = attune::ordinal<"A">(attune::range(1, 1024));
    auto const b = attune::ordinal<"B">(attune::range(1, 1024));
    auto const c = attune::array_of<17>(attune::ordinal<"C">(attune::range(0, 9)));
    chain_of_trees const whole = attune::build(attune::space(a, b, c));
    kept_settings part{{0, 1}, {}};
    attune::random_engine engine(7);
    for (std::size_t i = 0; i < 1024U * 1024U; ++i)
        part.kept.push_back(attune::uniform_below(engine, 2) == 0);
    std::optional<chain_of_trees> const made = part_of(whole, part);
    if (made) // small enough after all: then it is right
        for (int i = 0; i < 100; ++i)
            CHECK(is_kept(whole.describe(), part, made->sample(engine)));
    kept_settings first{{0}, std::vector<bool>(1024, false)};
    first.kept[3] = true;
    std::optional<chain_of_trees> const narrow = part_of(whole, first);
    REQUIRE(narrow);
    CHECK(narrow->log2_size() == doctest::Approx(whole.log2_size() - 10));
}
