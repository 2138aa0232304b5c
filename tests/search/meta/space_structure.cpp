// tests/search/meta/space_structure.cpp : mirrors include/attune/search/meta/space_structure.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/meta/space_structure.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/pack.hpp>
#include <attune/declare/parameters.hpp>

#include <doctest/doctest.h>
#include <string>

#include "../../support/search_spaces.hpp"

using attune::search::read_structure;
using attune::search::space_structure;
using attune::search::structure_distance;
using attune::search::structure_of;
using attune::search::structure_text;

namespace {

space_structure counts(std::vector<space_structure::part> parts) { return {std::move(parts)}; }

} // namespace

TEST_CASE("names, values and order of the parameters do not count")
{
    using namespace search_spaces;
    attune::description one;
    one.parameters = {counting("a", 12), categorical("b", {"x", "y"}), counting("c", 99)};
    attune::description other;
    other.parameters = {ordinal("z", {5, 7, 9, 11, 13, 15, 17, 19, 21, 23}), counting("y", 40),
                        categorical("x", {"left", "right", "both"})};
    CHECK(structure_text(structure_of(one)) == "categorical.1*1 ordinal.2*2");
    CHECK(structure_of(one) == structure_of(other));
    other.parameters.push_back(real("w", 0, 1));
    CHECK(structure_text(structure_of(other)) == "categorical.1*1 ordinal.2*2 real.0*1");
}

TEST_CASE("an array and a long permutation are one parameter each")
{
    constexpr auto cut = attune::array_of<8>(attune::integer<"CUT">(1, 40));
    constexpr auto tour = attune::permutation<"TOUR", 16>(); // 16! = 20,922,789,888,000
    constexpr auto short_one = attune::permutation<"ORDER", 4>();
    constexpr auto longest = attune::permutation<"ALL", 1024>();
    auto const structure = structure_of(
        attune::bind_inputs(attune::lower(attune::space(cut, tour, short_one, longest))));
    CHECK(structure_text(structure) ==
          "array_of_integer.2*1 permutation.2*1 permutation.14*1 permutation.309*1");
    CHECK(read_structure(structure_text(structure)) == structure);
}

TEST_CASE("a number of values has its digits, at each power of ten")
{
    using namespace search_spaces;
    for (std::int64_t const values : {1, 2, 9, 10, 99, 100, 101, 999, 1000}) {
        attune::description d;
        d.parameters = {counting("a", values)};
        CHECK(structure_of(d).parts[0].digits == std::to_string(values).size());
    }
}

TEST_CASE("a structure is read back from its text, and nothing else is")
{
    for (std::string const text : {"", "ordinal.2*2", "boolean.1*3 ordinal.1*7 ordinal.3*1"}) {
        auto const read = read_structure(text);
        REQUIRE(read.has_value());
        CHECK(structure_text(*read) == text);
    }
    for (std::string const text :
         {" ", "ordinal", "ordinal.2", "ordinal*2", "ordinal.x*2", "ordinal.2*0", "ordinal.2*-1",
          "ordinal.2*2 ", "ordinal.2*2  real.0*1", "ordinal.2*1 boolean.1*3", "ordinal.02*2",
          "ordinal.2*2 ordinal.2*1", ".1*1", "ordinal.2*99999999999999999999999"}) {
        CAPTURE(text);
        CHECK(!read_structure(text).has_value());
    }
}

TEST_CASE("the distance punishes missing kinds by their number, and others by one")
{
    space_structure const ten = counts({{"boolean", 1, 10}});
    space_structure const thousand = counts({{"boolean", 1, 1000}});
    space_structure const more = counts({{"boolean", 1, 10}, {"ordinal", 2, 100}});
    CHECK(structure_distance(ten, ten) == 0);
    CHECK(structure_distance(ten, thousand) == doctest::Approx(4)); // (1 - 3)^2
    CHECK(structure_distance(ten, more) == doctest::Approx(1));     // all that one needs, and more
    CHECK(structure_distance(more, ten) == doctest::Approx(4));     // log10(100)^2 are missing
    CHECK(structure_distance({}, more) == doctest::Approx(2));
    CHECK(structure_distance(more, {}) == doctest::Approx(5));
}

TEST_CASE("kinds are counted over all sizes of their values")
{
    space_structure const apart = counts({{"ordinal", 1, 40}, {"ordinal", 3, 60}});
    CHECK(structure_distance(apart, counts({{"ordinal", 2, 100}})) == doctest::Approx(0));
}

TEST_CASE("digits tell apart what counts of parameters do not")
{
    attune::search::space_structure const mixed{
        {{"boolean", 1, 3}, {"ordinal", 1, 1}, {"ordinal", 3, 3}}};
    attune::search::space_structure const wide{{{"ordinal", 4, 4}}};
    // Mean digits of ordinal parameters: (1 + 3 * 3) / 4 = 2.5, and 4; booleans are of one alone.
    CHECK(attune::search::digits_distance(mixed, wide) == doctest::Approx(2.25));
    CHECK(attune::search::digits_distance(wide, mixed) == doctest::Approx(2.25));
    CHECK(attune::search::digits_distance(mixed, mixed) == 0.0);
    CHECK(attune::search::digits_distance(mixed, {}) == 0.0);
}
