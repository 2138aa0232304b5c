// tests/search/meta/usual_gain.cpp : mirrors include/attune/search/meta/usual_gain.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/meta/usual_gain.hpp>

#include <attune/search/meta/space_structure.hpp>
#include <attune/search/meta/technique_history.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <string>
#include <vector>

using attune::search::space_structure;
using attune::search::technique_history;
using attune::search::usual_gain_of;
using attune::search::usual_gain_text;

namespace {

space_structure const tiles{{{"ordinal", 1, 4}}};
space_structure const more_tiles{{{"ordinal", 1, 40}}};
space_structure const flags{{{"boolean", 1, 4}}};

void add(technique_history& to, std::string const& label, space_structure const& structure,
         std::vector<double> const& gains)
{
    for (double const gain : gains) {
        attune::search::representation one{.label = label, .structure = structure};
        one.gains.add(gain);
        to.add(one);
    }
}

technique_history past()
{
    technique_history out;
    add(out, "one", tiles, {1, 2, 4});
    add(out, "other", tiles, {8, 16});
    add(out, "poor", tiles, {1, 1});
    add(out, "wide", more_tiles, {32});
    add(out, "flags", flags, {64, 64});
    return out;
}

} // namespace

TEST_CASE("the gains of the most similar spaces are pooled, without those of the problem itself")
{
    auto const all = usual_gain_of(past(), tiles);
    REQUIRE(all.has_value());
    CHECK(all->problems == 3);
    CHECK(all->tunings == 7); // 1 1 1 2 4 8 16
    CHECK(all->distance == 0);
    CHECK(all->low == doctest::Approx(1));
    CHECK(all->median == doctest::Approx(2).epsilon(.025));
    CHECK(all->high == doctest::Approx(8).epsilon(.025));
    CHECK(!all->own.has_value());
    CHECK(!all->is_own_poor());

    auto const without = usual_gain_of(past(), tiles, "poor");
    REQUIRE(without.has_value());
    CHECK(without->problems == 2);
    CHECK(without->tunings == 5); // 1 2 4 8 16
    CHECK(without->median == doctest::Approx(4).epsilon(.025));
    CHECK(without->own == 1.0);
    CHECK(!without->is_own_poor()); // a fifth of the others gained as little

    // 40 parameters: log10 40 / 4 squared away from 4 of them, 0 from those of `wide`.
    auto const wide = usual_gain_of(past(), more_tiles, "wide");
    REQUIRE(wide.has_value());
    CHECK(wide->distance == doctest::Approx(1));
    CHECK(wide->tunings == 7);
    CHECK(*wide->own == doctest::Approx(32).epsilon(.025));
}

TEST_CASE("a space whose tunings gained less than four fifths of the others is said to be so")
{
    technique_history h;
    add(h, "good", tiles, {2, 2, 3, 4, 5});
    add(h, "mine", tiles, {1.1, 1.1, 1.1});
    auto const gain = usual_gain_of(h, tiles, "mine");
    REQUIRE(gain.has_value());
    CHECK(gain->is_own_poor());
    std::string const text = usual_gain_text(*gain);
    CHECK(text.starts_with("tuning usually makes such a space 3.07 times as fast"));
    CHECK(text.find("5 tunings of 1 kernel, distance 0; this one 1.1 times: less than four in") !=
          text.npos);
    auto const fine = usual_gain_of(h, tiles, "good");
    REQUIRE(fine.has_value());
    CHECK(!fine->is_own_poor());
    CHECK(usual_gain_text(*fine).ends_with("this one 3.07 times"));
}

TEST_CASE("without a gain of another problem nothing is said")
{
    CHECK(!usual_gain_of({}, tiles).has_value());
    technique_history h;
    add(h, "mine", tiles, {2});
    h.add({.label = "unknown", .structure = tiles});
    CHECK(!usual_gain_of(h, tiles, "mine").has_value());
    CHECK(usual_gain_of(h, tiles).has_value());
}
