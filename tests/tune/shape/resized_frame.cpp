// tests/tune/shape/resized_frame.cpp - spans become shorter, integers other ones.
// SPDX-License-Identifier: MIT
#include <attune/tune/shape/resized_frame.hpp>

#include <doctest/doctest.h>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

TEST_CASE("lengths and integers change, all else stays")
{
    std::vector<int> x(10, 1);
    std::vector<double> y(20, 2);
    using arguments = std::tuple<std::span<int const>, std::span<double>, int, bool, double, long>;
    arguments const held{x, y, 10, true, 0.5, 20L};
    std::vector<std::int64_t> const sizes{4, -1, 4, 0, 3, 7};
    arguments const made = attune::detail::resized_arguments(
        held, sizes, std::make_index_sequence<std::tuple_size_v<arguments>>{});
    CHECK(std::get<0>(made).size() == 4);
    CHECK(std::get<0>(made).data() == x.data());
    CHECK(std::get<1>(made).size() == 20);
    CHECK(std::get<2>(made) == 4);
    CHECK(std::get<3>(made)); // a boolean is no size
    CHECK(std::get<4>(made) == 0.5);
    CHECK(std::get<5>(made) == 7);
}

TEST_CASE("a span never becomes longer, one of a fixed length never shorter; missing sizes change "
          "nothing")
{
    std::vector<int> x(10, 1);
    using arguments = std::tuple<std::span<int>, std::span<int, 4>, int>;
    arguments const held{x, std::span<int, 4>(x.data(), 4), 10};
    std::vector<std::int64_t> const sizes{99, 2};
    arguments const made =
        attune::detail::resized_arguments(held, sizes, std::make_index_sequence<3>{});
    CHECK(std::get<0>(made).size() == 10);
    CHECK(std::get<1>(made).size() == 4);
    CHECK(std::get<2>(made) == 10);
}
