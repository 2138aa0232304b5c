// tests/measure/arrays/content.cpp - what belongs to an array, and what is between its rows.
// SPDX-License-Identifier: MIT
#include <attune/measure/arrays/content.hpp>

#include <cstddef>
#include <cstring>
#include <doctest/doctest.h>
#include <numeric>
#include <span>
#include <vector>

namespace {

/// 2 slices of 3 rows of 2 ints; rows 4 apart, slices 16.
attune::buffer volume(std::vector<int>& all)
{
    attune::buffer b = attune::detail::as_buffer(std::span(all).first(16 + 8 + 2), 0);
    b.gaps = {2 * sizeof(int), 3, 4 * sizeof(int), 2, 16 * sizeof(int)};
    return b;
}

std::vector<int> as_ints(std::span<std::byte const> bytes)
{
    std::vector<int> out(bytes.size() / sizeof(int));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
}

} // namespace

TEST_CASE("the content is the rows, and setting it leaves the gaps alone")
{
    std::vector<int> all(32);
    std::iota(all.begin(), all.end(), 0);
    attune::buffer const b = volume(all);
    CHECK(attune::detail::content_bytes(b) == 12 * sizeof(int));
    std::vector<std::byte> content = attune::detail::content_of(b);
    CHECK(as_ints(content) == std::vector<int>{0, 1, 4, 5, 8, 9, 16, 17, 20, 21, 24, 25});
    CHECK(attune::detail::holds(b, content));
    std::vector<std::byte> const zeros(content.size());
    CHECK(!attune::detail::holds(b, zeros));
    attune::detail::set_content(b, zeros);
    for (int i : {2, 3, 6, 7, 10, 15, 18, 23, 27, 31})
        CHECK(all[static_cast<std::size_t>(i)] == i);
    CHECK(all[25] == 0);
    CHECK(attune::detail::holds(b, zeros));
}

TEST_CASE("rows are in the memory from the first to the last element, and none overlap")
{
    std::vector<int> all(32);
    attune::buffer const b = volume(all);
    std::byte* end = b.data;
    attune::detail::for_each_row(b, [&](std::byte* first, std::size_t n) {
        CHECK(first >= end);
        end = first + n;
    });
    CHECK(end == b.data + b.bytes);
}

TEST_CASE("a field is taken out of structures and put back")
{
    struct pair {
        int a;
        float b;
    };
    std::vector<pair> all{{1, 1.5F}, {2, 2.5F}, {3, 3.5F}};
    attune::buffer const b = attune::detail::as_buffer(std::span(all), 0);
    REQUIRE(attune::detail::part_count(b) == 2);
    std::vector<std::byte> content = attune::detail::content_of(b);
    std::vector<std::byte> part = attune::detail::take_part(b, 0, content);
    CHECK(as_ints(part) == std::vector<int>{1, 2, 3});
    part[4] = std::byte{9};
    attune::detail::put_part(b, 0, part, content);
    attune::detail::set_content(b, content);
    CHECK(all[1].a == 9);
    CHECK(all[1].b == 2.5F);
    CHECK(attune::detail::part_of(b, 1, part).type == attune::element_type::f32);
}
