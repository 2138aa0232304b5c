// tests/space/query/configurations.cpp : mirrors include/attune/space/query/configurations.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/query/configurations.hpp>

#include <attune/space/query/exact_size.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "../../laws/tree.hpp"
#include "../../support/texts.hpp"
#include "../space_oracle.hpp"

using attune::chain_of_trees;
using attune::configurations;
using attune::op;
using attune::point;
using attune_tests::space_writer;

static_assert(std::input_iterator<attune::configuration_iterator>);
static_assert(std::sentinel_for<std::default_sentinel_t, attune::configuration_iterator>);

TEST_CASE("the range goes through every valid configuration in index order")
{
    attune_tests::for_valid_spaces(31, 400, [](auto const& space, auto const& valid) {
        chain_of_trees const chain(space);
        std::uint64_t i = 0;
        std::size_t wrong = 0;
        for (point const& p : configurations(chain)) {
            REQUIRE(i < valid.size());
            wrong += p != chain.at(i) ? 1U : 0U;
            ++i;
        }
        CHECK(i == valid.size());
        CHECK(wrong == 0);

        std::uint64_t const from = valid.size() * 2 / 3;
        i = from;
        for (point const& p : configurations(chain, *chain.index_of(chain.at(from))))
            wrong += p != chain.at(i++) ? 1U : 0U;
        CHECK(i == valid.size());
        CHECK(wrong == 0);
    });
}

TEST_CASE("a copy of the iterator goes on from where it was made")
{
    space_writer w;
    w.range("a", 0, 2);
    w.range("b", 0, 4);
    auto i = configurations(chain_of_trees(w.out)).begin();
    for (int n = 0; n < 4; ++n)
        ++i;
    auto j = i;
    ++i;
    CHECK(*j == point{{0, 0}, {4, 0}});
    CHECK(*i == point{{1, 0}, {0, 0}});
    j++;
    CHECK(*j == *i);
    CHECK(j->size() == 2);
}

TEST_CASE("a space without parameters has one configuration to go through")
{
    int seen = 0;
    for (point const& p : configurations(chain_of_trees(attune::description{}))) {
        CHECK(p.empty());
        ++seen;
    }
    CHECK(seen == 1);
}

TEST_CASE("the first configurations of a space of 2^208 cost nothing more")
{
    chain_of_trees const chain(attune_tests::ascending_triples(12));
    std::uint64_t i = 0;
    for (point const& p : configurations(chain)) {
        CHECK(p == chain.at(i));
        if (++i == 500) break;
    }
}

TEST_CASE("real parameters stand at the middle of their scale")
{
    space_writer w;
    w.real("x", 0, 1);
    w.boolean("b");
    std::vector<point> seen;
    for (point const& p : configurations(chain_of_trees(w.out)))
        seen.push_back(p);
    CHECK(seen == std::vector<point>{{{0, 0.5}, {0, 0}}, {{0, 0.5}, {1, 0}}});
}

using attune::configuration_range;
using attune::leaf_count;
using attune::part_of;
using attune::whole_range;

namespace {

/// The configurations of all parts, one part after the other, are those of brute force, each once,
/// and follow each other in the order of their numbers.
void check_parts(attune::description const& space)
{
    chain_of_trees const chain(space);
    std::vector<point> const valid = attune_tests::valid_settings(chain.describe());
    attune_tests::point_set const expected(valid.begin(), valid.end());
    configuration_range const all = whole_range(chain);
    REQUIRE(all == configuration_range{0, valid.size()});
    for (std::uint64_t const parts : {1U, 2U, 3U, 7U, 16U, 1000U}) {
        std::vector<point> listed;
        std::size_t shortest = valid.size(), longest = 0;
        for (std::uint64_t part = 1; part <= parts; ++part) {
            std::size_t const before = listed.size();
            for (point const& p : configurations(chain, part_of(all, part, parts)))
                listed.push_back(p);
            shortest = std::min(shortest, listed.size() - before);
            longest = std::max(longest, listed.size() - before);
        }
        CHECK(longest - shortest <= 1);
        REQUIRE(listed.size() == valid.size());
        CHECK(attune_tests::point_set(listed.begin(), listed.end()) == expected);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < listed.size(); ++i)
            wrong += listed[i] != chain.at(std::uint64_t{i}) ? 1U : 0U;
        CHECK(wrong == 0);
    }
}

} // namespace

TEST_CASE("the parts of a space, one after the other, are its valid configurations in order")
{
    attune_tests::space_generator generator(41);
    for (int tried = 0; tried < 60;) {
        attune::description const space = generator.draw(400);
        if (attune_tests::valid_settings(space).empty()) continue;
        CAPTURE(tried);
        check_parts(space);
        ++tried;
    }
}

TEST_CASE("the same where some parameters are conditional")
{
    attune_tests::space_generator generator(42);
    for (int tried = 0; tried < 40;) {
        attune::description space = generator.draw_conditional();
        attune::detail::settle_conditions(space);
        if (attune_tests::valid_settings(space).empty()) continue;
        CAPTURE(tried);
        check_parts(space);
        ++tried;
    }
}

TEST_CASE("parts of a range follow each other without a gap")
{
    configuration_range const whole{5, 22};
    CHECK(part_of(whole, 1, 3) == configuration_range{5, 11});
    CHECK(part_of(whole, 2, 3) == configuration_range{11, 17});
    CHECK(part_of(whole, 3, 3) == configuration_range{17, 22});
    CHECK(part_of(whole, 18, 20).is_empty());
    CHECK(part_of({7, 7}, 1, 2).is_empty());
    for (std::uint64_t const part : {0U, 4U}) // of processes that count from 0
        CHECK_THROWS_AS((void)part_of(whole, part, 3), attune::error);
    CHECK_THROWS_AS((void)part_of(whole, 0, 0), attune::error);
    // 2^127 + 3 numbers, which do not fit 128 bits once they are multiplied by a part
    leaf_count const many = (leaf_count{1} << 127U) + 3;
    leaf_count last = 0;
    for (std::uint64_t part = 1; part <= 1'000'003; ++part) {
        configuration_range const one = part_of({0, many}, part, 1'000'003);
        if (one.first != last) FAIL("a gap before part " << part);
        last = one.last;
    }
    CHECK(last == many);
}

TEST_CASE("a range begins anywhere in a space whose numbers need more than 64 bits")
{
    chain_of_trees const chain(attune_tests::ascending_triples(6));
    configuration_range const all = whole_range(chain); // (100 * 101 * 102 / 6)^6
    REQUIRE(attune::detail::to_exact(all.last) == attune::exact_size(chain));
    attune::exact_integer number = attune::exact_size(chain) * 2 / 3;
    leaf_count const first = attune::detail::from_exact(number);
    int seen = 0;
    for (point const& p : configurations(chain, configuration_range{first, first + 300})) {
        CHECK(p == chain.at(attune::from_integer(chain, number++)));
        ++seen;
    }
    CHECK(seen == 300);
    seen = 0;
    for (point const& p : configurations(chain, configuration_range{all.last - 2, all.last}))
        seen += p.empty() ? 0 : 1;
    CHECK(seen == 2);
}

TEST_CASE("a space of 2^128 configurations or more has no numbers")
{
    space_writer w;
    for (int i = 0; i < 129; ++i)
        w.boolean("b" + std::to_string(i));
    CHECK(attune_test::has(attune_test::error_of([&] { (void)whole_range(chain_of_trees(w.out)); }),
                           "2^128 configurations or more"));
}

using attune::sample_distinct;
using attune_tests::point_set;

namespace {

/// A tree whose first level leads to 5, 1 and 1 leaves: drawing children evenly would fail here.
chain_of_trees skewed()
{
    space_writer w;
    w.range("a", 0, 4);
    w.range("b", 0, 4);
    w.where("a == 0 or b == 4 and a < 3"); // 5 + 2 leaves
    return chain_of_trees(w.out);
}

} // namespace

TEST_CASE("samples without replacement are distinct and valid, for every count up to the size")
{
    attune::random_engine engine(3);
    attune_tests::for_valid_spaces(5, 300, [&](auto const& space, auto const& valid) {
        chain_of_trees const chain(space);
        for (std::size_t const count :
             {std::size_t{0}, valid.size() / 3, valid.size() - 1, valid.size(), valid.size() + 5}) {
            auto const drawn = sample_distinct(chain, count, engine);
            point_set const different(drawn.begin(), drawn.end());
            CHECK(different.size() == std::min(count, valid.size()));
            CHECK(drawn.size() == different.size());
            std::size_t outside = 0;
            for (point const& p : drawn)
                outside += chain.contains(p) ? 0U : 1U;
            CHECK(outside == 0);
        }
    });
}

TEST_CASE("every sequence of different configurations is equally likely")
{
    chain_of_trees const chain = skewed();
    REQUIRE(chain.size() == attune::leaf_count{7});
    attune::random_engine engine(2025);
    // k = 1, 2, 3 and the whole set but one: 7, 42, 210 and 5040 sequences
    for (std::size_t const count : {1U, 2U, 3U, 6U}) {
        double sequences = 1;
        for (std::size_t i = 0; i < count; ++i)
            sequences *= static_cast<double>(7 - i);
        double const per_cell = 20;
        std::map<std::vector<std::uint64_t>, std::size_t> drawn;
        for (std::size_t i = 0; i < static_cast<std::size_t>(sequences * per_cell); ++i) {
            std::vector<std::uint64_t> key;
            for (point const& p : sample_distinct(chain, count, engine))
                key.push_back(static_cast<std::uint64_t>(chain.index_of(p)->leaf.front()));
            ++drawn[key];
        }
        double chi_square = (sequences - static_cast<double>(drawn.size())) * per_cell;
        for (auto const& [key, n] : drawn) {
            double const off = static_cast<double>(n) - per_cell;
            chi_square += off * off / per_cell;
        }
        double const freedom = sequences - 1;
        CAPTURE(count);
        CHECK(chi_square <= freedom + 4 * std::sqrt(2 * freedom));
        CHECK(chi_square >= freedom - 4 * std::sqrt(2 * freedom));
    }
}

TEST_CASE("numbers past 64 bits are drawn over their whole range")
{
    space_writer w;
    for (int i = 0; i < 30; ++i)
        w.range("p" + std::to_string(i), 1, 10);
    chain_of_trees const chain(w.out); // 10^30, about 2^99.7
    attune::random_engine engine(8);
    auto const drawn = sample_distinct(chain, 2000, engine);
    REQUIRE(drawn.size() == 2000);
    for (std::size_t p = 0; p < 30; ++p) {
        double chi_square = 0;
        std::vector<double> seen(10, 0);
        for (point const& q : drawn)
            ++seen[q[p].index];
        for (double const n : seen)
            chi_square += (n - 200) * (n - 200) / 200;
        CHECK(chi_square <= 9 + 6 * std::sqrt(18.0));
    }
}

TEST_CASE("spaces that cannot be numbered give distinct samples too")
{
    space_writer w;
    for (int i = 0; i < 50; ++i)
        w.range("p" + std::to_string(i), 1, 10);
    attune::random_engine engine(8);
    auto drawn = sample_distinct(chain_of_trees(w.out), 100, engine);
    CHECK(point_set(drawn.begin(), drawn.end()).size() == 100);

    space_writer r;
    r.real("x", 0, 1);
    r.boolean("b");
    r.where("x < 0.25");
    chain_of_trees const real(r.out);
    drawn = sample_distinct(real, 100, engine);
    CHECK(point_set(drawn.begin(), drawn.end()).size() == 100);
    for (point const& p : drawn)
        CHECK(real.contains(p));
}

TEST_CASE("an interval of one value does not keep the sampler busy for ever")
{
    space_writer w;
    w.real("x", 2, 2);
    w.boolean("b");
    attune::random_engine engine(8);
    CHECK(sample_distinct(chain_of_trees(w.out), 5, engine).size() == 2);
}
