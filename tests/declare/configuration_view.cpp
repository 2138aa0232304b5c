// tests/declare/configuration_view.cpp - values of a configuration, read by parameter.
// SPDX-License-Identifier: MIT
#include <attune/core/error.hpp>
#include <attune/declare/decode.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/space/build_pack.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../support/texts.hpp"

using attune_test::error_of;
using attune_test::has;

namespace {

constexpr auto tile = attune::ordinal<"TILE">(attune::values(4, 8, 16));
constexpr auto pad = attune::boolean<"PAD">();
constexpr auto order = attune::permutation<"ORDER", 3>();
constexpr auto flag = attune::flags<"FLAG">("-O2", "-O3");
constexpr auto sizes = attune::array_of<3>(attune::ordinal<"SIZES">(attune::values(1, 2)));
constexpr auto foreign = attune::ordinal<"FOREIGN">(attune::values(1, 2));
constexpr auto typed = attune::space(tile, pad, order, flag, sizes);

} // namespace

TEST_CASE("a view of a configuration gives what its typed form gives")
{
    attune::chain_of_trees const space = attune::build(typed);
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(*space.size()); i += 7) {
        attune::point const at = space.at(i);
        auto const expected = attune::decode(typed, space.describe(), at);
        attune::configuration_view const view{space.describe(), at};
        CHECK(view[tile] == expected[tile]);
        CHECK(view[pad] == expected[pad]);
        CHECK(view[order] == expected[order]);
        CHECK(view[flag] == expected[flag]);
        CHECK(view[sizes] == expected[sizes]);
    }
}

TEST_CASE("a parameter that is not in the space is an error that names it")
{
    attune::chain_of_trees const space = attune::build(typed);
    attune::point const at = space.at(0);
    std::string const said =
        error_of([&] { (void)attune::configuration_view{space.describe(), at}[foreign]; });
    CHECK(has(said, "parameter FOREIGN"));
}

TEST_CASE("a view marks the parameters that it is asked for, of an array all elements")
{
    attune::chain_of_trees const space = attune::build(typed);
    attune::point const at = space.at(0);
    std::vector<bool> read(space.describe().parameters.size(), false);
    attune::configuration_view const view{space.describe(), at, &read};
    CHECK(std::count(read.begin(), read.end(), true) == 0);
    (void)view[pad];
    (void)view[sizes];
    (void)view[pad];
    for (std::uint32_t i = 0; i < read.size(); ++i) {
        std::string const& name = space.describe().parameters[i].name;
        CHECK(read[i] == (name == "PAD" || name.starts_with("SIZES")));
    }
    CHECK(std::count(read.begin(), read.end(), true) == 4);
}
