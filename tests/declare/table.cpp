// tests/declare/table.cpp - orders, divisors and factorisations against brute force.
// SPDX-License-Identifier: MIT
#include <attune/declare/table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <numeric>
#include <vector>

using attune::coordinate;
using attune::number;
using attune::parameter_description;
using attune::parameter_kind;

using rows = std::vector<std::vector<std::int64_t>>;

namespace {

/// Tries every number from 1 to extent at every place.
void try_every_row(std::int64_t extent, std::int64_t product, std::vector<std::int64_t>& row,
                   std::size_t place, rows& out)
{
    if (place == row.size()) {
        if (product == extent) out.push_back(row);
        return;
    }
    for (std::int64_t f = 1; f <= extent && product * f <= extent; ++f) {
        row[place] = f;
        try_every_row(extent, product * f, row, place + 1, out);
    }
}

rows brute_force_factors(std::int64_t extent, std::size_t parts)
{
    rows out;
    std::vector<std::int64_t> row(parts, 1);
    try_every_row(extent, 1, row, 0, out);
    return out;
}

} // namespace

TEST_CASE("orders are numbered as std::next_permutation visits them, and the rank inverts that")
{
    for (std::size_t n = 1; n <= 6; ++n) {
        std::vector<std::int64_t> expected(n);
        std::iota(expected.begin(), expected.end(), 0);
        std::uint32_t rank = 0;
        do {
            std::vector<std::int64_t> order(n);
            attune::detail::permutation_at(rank, order);
            CHECK(order == expected);
            CHECK(attune::detail::permutation_rank(expected) == rank);
            ++rank;
        } while (std::next_permutation(expected.begin(), expected.end()));
    }
}

TEST_CASE("the last order of twelve items runs backwards")
{
    std::vector<std::int64_t> order(12);
    attune::detail::permutation_at(479001600U - 1, order);
    CHECK(order == std::vector<std::int64_t>{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
    CHECK(attune::detail::permutation_rank(order) == 479001600U - 1);
}

TEST_CASE("divisors are all numbers that divide, ascending")
{
    for (std::int64_t extent = 1; extent <= 500; ++extent) {
        std::vector<std::int64_t> expected;
        for (std::int64_t d = 1; d <= extent; ++d)
            if (extent % d == 0) expected.push_back(d);
        CHECK(attune::detail::divisors(extent) == expected);
    }
}

TEST_CASE("a factor table holds every ordered factorisation once, in lexicographic order")
{
    for (std::int64_t extent = 1; extent <= 64; ++extent)
        for (std::uint32_t parts = 1; parts <= 4; ++parts) {
            rows const expected = brute_force_factors(extent, parts);
            std::vector<std::int64_t> flat;
            for (auto const& row : expected)
                flat.insert(flat.end(), row.begin(), row.end());
            CHECK(attune::detail::factor_table(extent, parts) == flat);
            CHECK(attune::detail::factorisation_count(extent, parts) ==
                  static_cast<double>(expected.size()));
        }
}

TEST_CASE("a factor table of a prime power has as many rows as stars and bars count")
{
    // 2^10 into 4 ordered factors: C(10 + 3, 3) ways to share ten twos.
    CHECK(attune::detail::factor_table(1024, 4).size() == 4 * 286);
}

TEST_CASE("the elements of a permutation or a tile are read by index")
{
    parameter_description order;
    order.kind = parameter_kind::permutation;
    order.parts = 3;
    CHECK(attune::elements_at(order, 3) == std::vector<std::int64_t>{1, 2, 0});

    parameter_description tile;
    tile.kind = parameter_kind::tile;
    tile.parts = 2;
    tile.integers = {1, 4, 2, 2, 4, 1};
    CHECK(attune::elements_at(tile, 1) == std::vector<std::int64_t>{2, 2});
}

TEST_CASE("the number of a coordinate comes from the table the parameter has")
{
    parameter_description p;
    p.kind = parameter_kind::ordinal;
    p.integers = {8, 16};
    CHECK(attune::number_at(p, {1, 0}) == number::of(std::int64_t{16}));

    parameter_description r;
    r.kind = parameter_kind::ordinal;
    r.reals = {0.5, 0.75};
    CHECK(attune::number_at(r, {1, 0}) == number::of(0.75));

    parameter_description interval;
    interval.kind = parameter_kind::real;
    CHECK(attune::number_at(interval, {0, 0.3}) == number::of(0.3));

    parameter_description flag;
    flag.kind = parameter_kind::boolean;
    CHECK(attune::number_at(flag, {1, 0}) == number::of(std::int64_t{1}));
}

TEST_CASE("prime factors agree with trial division")
{
    for (std::int64_t n = 1; n <= 20000; ++n) {
        std::vector<attune::detail::prime_power> const found = attune::detail::prime_factors(n);
        std::int64_t rest = n;
        std::size_t at = 0;
        for (std::int64_t d = 2; rest > 1; ++d) {
            int exponent = 0;
            for (; rest % d == 0; rest /= d)
                ++exponent;
            if (exponent == 0) continue;
            REQUIRE(at < found.size());
            REQUIRE(found[at].prime == d);
            REQUIRE(found[at].exponent == exponent);
            ++at;
        }
        REQUIRE(at == found.size());
    }
}

TEST_CASE("numbers of 63 bits are taken apart, primes and products of two primes too")
{
    // By trial division each of these takes seconds to minutes.
    std::int64_t const mersenne = (std::int64_t{1} << 61) - 1;
    CHECK(attune::detail::divisors(mersenne) == std::vector<std::int64_t>{1, mersenne});
    CHECK(attune::detail::factorisation_count(mersenne, 3) == 3);
    std::int64_t const p = 2147483647;
    std::int64_t const q = 2147483629;
    CHECK(attune::detail::divisors(p * q) == std::vector<std::int64_t>{1, q, p, p * q});
    CHECK(attune::detail::divisors(p * p) == std::vector<std::int64_t>{1, p, p * p});
    std::int64_t const r = 2097143; // its cube has 63 bits
    CHECK(attune::detail::divisors(r * r * r) == std::vector<std::int64_t>{1, r, r * r, r * r * r});
    CHECK(attune::detail::divisors(std::int64_t{1} << 62).size() == 63);
    std::int64_t const largest =
        std::numeric_limits<std::int64_t>::max(); // 7^2 73 127 337 92737 649657
    CHECK(attune::detail::divisors(largest).size() == 3 * 32);
    // The most divisors that 63 bits can have.
    CHECK(attune::detail::divisors(897612484786617600).size() == 103680);
}
