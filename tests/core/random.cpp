// tests/core/random.cpp - the random source is xoshiro256++, and what is drawn from it is uniform.
// SPDX-License-Identifier: MIT
#include <attune/core/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace {

/// xoshiro256++ as its paper states it (Blackman & Vigna, section 4 and figure 6).
struct reference_engine {
    std::array<std::uint64_t, 4> s{};

    static std::uint64_t rotate(std::uint64_t x, unsigned by)
    {
        return (x << by) + (x >> (64 - by));
    }
    std::uint64_t next()
    {
        std::uint64_t const result = rotate(s[0] + s[3], 23) + s[0];
        std::array<std::uint64_t, 4> const old = s;
        std::uint64_t const second = old[2] ^ old[0], third = old[3] ^ old[1];
        s[0] = old[0] ^ third;
        s[1] = old[1] ^ second;
        s[2] = second ^ (old[1] * 131072);
        s[3] = rotate(third, 45);
        return result;
    }
};

struct reference_seeder {
    std::uint64_t x;

    std::uint64_t next()
    {
        x += 11400714819323198485U;
        std::uint64_t z = x;
        z ^= z >> 30;
        z *= 13787848793156543929U;
        z ^= z >> 27;
        z *= 10723151780598845931U;
        return z ^ (z >> 31);
    }
};

double chi_square(std::vector<double> const& counts)
{
    double const expected =
        std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
    double sum = 0.0;
    for (double const count : counts)
        sum += (count - expected) * (count - expected) / expected;
    return sum;
}

} // namespace

TEST_CASE("the second implementation gives the published vectors")
{
    reference_engine engine{{1, 2, 3, 4}};
    for (std::uint64_t const expected :
         {std::uint64_t{41943041}, std::uint64_t{58720359}, 3588806011781223U, 3591011842654386U,
          9228616714210784205U, 9973669472204895162U, 14011001112246962877U, 12406186145184390807U,
          15849039046786891736U, 10450023813501588000U})
        CHECK(engine.next() == expected);
    reference_seeder seeder{1234567};
    for (std::uint64_t const expected :
         {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U,
          16408922859458223821U})
        CHECK(seeder.next() == expected);
}

TEST_CASE("random_engine gives the published sequence of seed 0")
{
    attune::random_engine engine;
    for (std::uint64_t const expected :
         {5987356902031041503U, 7051070477665621255U, 6633766593972829180U, 211316841551650330U,
          9136120204379184874U, 379361710973160858U, 15813423377499357806U, 15596884590815070553U,
          5439680534584881407U, 1369371744833522710U})
        CHECK(engine() == expected);
}

TEST_CASE("random_engine agrees with the second implementation for many seeds")
{
    for (std::uint64_t const seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{42},
                                     std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        reference_seeder seeder{seed};
        reference_engine reference;
        for (std::uint64_t& word : reference.s)
            word = seeder.next();
        attune::random_engine engine(seed);
        bool equal = true;
        for (int i = 0; i < 10000; ++i)
            equal = equal && engine() == reference.next();
        CHECK(equal);
    }
}

TEST_CASE("random_engine can drive the standard library and works at compile time")
{
    static_assert(std::uniform_random_bit_generator<attune::random_engine>);
    static_assert(attune::random_engine::min() == 0);
    static_assert(attune::random_engine::max() == ~std::uint64_t{0});
    static_assert([] { return attune::random_engine(0)(); }() == 5987356902031041503U);
    attune::random_engine engine(3);
    CHECK(std::uniform_int_distribution<int>(1, 6)(engine) <= 6);
}

TEST_CASE("uniform_below stays below its bound and reaches every value")
{
    attune::random_engine engine(7);
    for (std::uint64_t bound = 1; bound <= 40; ++bound) {
        std::vector<bool> seen(bound);
        for (int i = 0; i < 2000; ++i) {
            std::uint64_t const drawn = attune::uniform_below(engine, bound);
            REQUIRE(drawn < bound);
            seen[drawn] = true;
        }
        CHECK(std::find(seen.begin(), seen.end(), false) == seen.end());
    }
    CHECK(attune::uniform_below(engine, ~std::uint64_t{0}) < ~std::uint64_t{0});
}

TEST_CASE("uniform_below is uniform for bounds that do not divide 2^64")
{
    attune::random_engine engine(11);
    for (std::size_t const bound : {3U, 7U, 10U, 100U}) {
        std::vector<double> counts(bound);
        for (std::size_t i = 0; i < bound * 2000; ++i)
            counts[attune::uniform_below(engine, bound)] += 1.0;
        // mean + 4.5 standard deviations of chi-square with bound - 1 degrees of freedom
        double const freedom = static_cast<double>(bound - 1);
        CHECK(chi_square(counts) < freedom + 4.5 * std::sqrt(2.0 * freedom));
    }
}

TEST_CASE("uniform_below has no modulo bias where the modulus would show it")
{
    // Of 2^64 values, the remainders by 3 * 2^62 below 2^62 occur twice: without rejection the
    // thirds would get 1/2, 1/4, 1/4, and chi-square would be near 3750 for 30000 draws.
    std::uint64_t const quarter = std::uint64_t{1} << 62;
    auto const statistic = [&](auto draw) {
        std::vector<double> thirds(3);
        attune::random_engine engine(5);
        for (int i = 0; i < 30000; ++i)
            thirds[draw(engine) / quarter] += 1.0;
        return chi_square(thirds);
    };
    CHECK(statistic([&](auto& engine) { return attune::uniform_below(engine, 3 * quarter); }) <
          13.8); // 99.9 % quantile, 2 degrees of freedom
    CHECK(statistic([&](auto& engine) { return engine() % (3 * quarter); }) > 3000.0);
}

TEST_CASE("uniform_unit is in [0, 1), a multiple of 2^-53, and uniform")
{
    attune::random_engine engine(13), twin(13);
    std::vector<double> tenths(10);
    double sum = 0.0;
    for (int i = 0; i < 100000; ++i) {
        double const drawn = attune::uniform_unit(engine);
        REQUIRE(drawn >= 0.0);
        REQUIRE(drawn < 1.0);
        REQUIRE(drawn == std::ldexp(static_cast<double>(twin() / 2048), -53));
        tenths[static_cast<std::size_t>(drawn * 10.0)] += 1.0;
        sum += drawn;
    }
    CHECK(chi_square(tenths) < 27.9);               // 99.9 % quantile, 9 degrees of freedom
    CHECK(std::fabs(sum / 100000.0 - 0.5) < 0.004); // 4.4 standard deviations
}

TEST_CASE("shuffle gives all orders of four items equally often")
{
    attune::random_engine engine(17);
    std::map<std::vector<int>, double> seen;
    for (int i = 0; i < 24000; ++i) {
        std::vector<int> items{1, 2, 3, 4};
        attune::shuffle(std::span(items), engine);
        seen[items] += 1.0;
    }
    REQUIRE(seen.size() == 24);
    std::vector<double> counts;
    for (auto const& [order, count] : seen) {
        CHECK(std::is_permutation(order.begin(), order.end(), std::array{1, 2, 3, 4}.begin()));
        counts.push_back(count);
    }
    CHECK(chi_square(counts) < 49.7); // 99.9 % quantile, 23 degrees of freedom
}

TEST_CASE("shuffle leaves nothing and one item alone")
{
    attune::random_engine engine(19), untouched(19);
    std::vector<int> none, one{5};
    attune::shuffle(std::span(none), engine);
    attune::shuffle(std::span(one), engine);
    CHECK(one == std::vector<int>{5});
    CHECK(engine() == untouched());
}
