// tests/tune/shape/derived_shapes.cpp - smaller calls keep the relations of the call they are from.
// SPDX-License-Identifier: MIT
#include <attune/tune/shape/derived_shapes.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <vector>

using attune::detail::derived_shape;
using attune::detail::derived_shapes;
using attune::detail::shape_choice;
using attune::detail::shape_part;
using attune::detail::shape_word;
using words = std::vector<std::int64_t>;

namespace {

/// a: m x k, b: k x n, c: m x n, then m, n, k.
std::vector<shape_word> const product{{shape_part::elements, 0},
                                      {shape_part::elements, 1},
                                      {shape_part::elements, 2},
                                      {shape_part::number, 3},
                                      {shape_part::number, 4},
                                      {shape_part::number, 5},
                                      {shape_part::overlaps, 3},
                                      {shape_part::places, 3}};
words product_key(std::int64_t m, std::int64_t n, std::int64_t k)
{
    return {m * k, k * n, m * n, m, n, k, 0, 16};
}

} // namespace

TEST_CASE("lengths shrink with the integers that they are products of")
{
    auto const made = derived_shapes(product, product_key(500, 400, 300), {}, words{8, 32});
    REQUIRE(made.size() > 200);
    for (derived_shape const& d : made) {
        std::int64_t const m = d.sizes[3];
        std::int64_t const n = d.sizes[4];
        std::int64_t const k = d.sizes[5];
        CHECK(d.key == product_key(m, n, k));
        CHECK(d.sizes == words{m * k, k * n, m * n, m, n, k});
        CHECK((m <= 500 && n <= 400 && k <= 300));
    }
}

TEST_CASE("together they leave every remainder, below and on every divisor, in every order")
{
    words const divisors{8, 24, 100};
    auto const made = derived_shapes(product, product_key(900, 800, 700), {}, divisors);
    for (std::size_t which : {3u, 4u, 5u})
        for (std::int64_t by : {2, 3, 7, 8, 11, 13, 16, 24, 32, 64, 100}) {
            std::set<std::int64_t> remainders;
            for (derived_shape const& d : made)
                remainders.insert(d.sizes[which] % by);
            CHECK(remainders.size() == static_cast<std::size_t>(by));
        }
    std::set<int> orders;
    std::set<std::pair<bool, bool>> on_eight;
    for (derived_shape const& d : made) {
        orders.insert((d.sizes[3] > d.sizes[4]) - (d.sizes[3] < d.sizes[4]));
        on_eight.insert({d.sizes[3] % 8 == 0, d.sizes[4] % 8 == 0});
    }
    CHECK(orders.size() == 3);
    CHECK(on_eight.size() == 4);
}

TEST_CASE("very small sizes come last")
{
    auto const made = derived_shapes(product, product_key(500, 400, 300), {}, {});
    for (std::size_t i = 0; i < 100; ++i)
        for (std::size_t a : {3u, 4u, 5u})
            CHECK(made[i].sizes[a] >= 3);
}

TEST_CASE(
    "without integers the common length of all arrays is the size; with several, there is none")
{
    std::vector<shape_word> const spans{
        {shape_part::elements, 0}, {shape_part::elements, 1}, {shape_part::places, 2}};
    auto const made = derived_shapes(spans, words{1'000, 1'000, 0}, {}, {});
    REQUIRE(made.size() > 100);
    for (derived_shape const& d : made)
        CHECK(d.sizes[0] == d.sizes[1]);
    CHECK(derived_shapes(spans, words{1'000, 999, 0}, {}, {}).empty());
}

TEST_CASE("what is bound or ignored stays; nothing is made of arrays that overlap")
{
    shape_choice choice;
    choice.bound = {false, false, false, true};
    for (derived_shape const& d : derived_shapes(product, product_key(500, 400, 300), choice, {})) {
        CHECK(d.sizes[3] == derived_shape::unchanged);
        CHECK(d.key[3] == 500);
        CHECK(d.sizes[0] == derived_shape::unchanged); // m is no size that could change
    }
    choice.bound.clear();
    choice.ignored = {false, false, false, true, true, true};
    for (derived_shape const& d : derived_shapes(product, product_key(500, 400, 300), choice, {}))
        CHECK(d.sizes[3] == derived_shape::unchanged);
    auto overlapping = product_key(500, 400, 300);
    overlapping[6] = 77;
    CHECK(derived_shapes(product, overlapping, {}, {}).empty());
    CHECK(derived_shapes(product, product_key(1, 1, 1), {}, {}).empty());
}

TEST_CASE("calls with the same relations are told from others")
{
    auto const of = [](words const& key) { return relations_of(product, key, {}); };
    CHECK(of(product_key(500, 400, 300)) == of(product_key(70, 60, 50)));
    CHECK(of(product_key(500, 400, 300)) != of(product_key(500, 500, 300)));
    CHECK(of({7, 8, 9, 500, 400, 300, 0}) != of(product_key(500, 400, 300)));
}
