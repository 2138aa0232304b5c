// tests/search/bayes/start/spread.cpp : mirrors include/attune/search/bayes/start/spread.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/start/spread.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <unordered_set>
#include <vector>

#include "../../../support/search_spaces.hpp"
#include "../../../support/searcher_trials.hpp"

namespace {

double least_distance(attune::chain_of_trees const& space, std::vector<attune::point> const& design)
{
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < design.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            least = std::min(least, attune::distance(space.describe(), design[i], design[j]));
    return least;
}

/// The mean over designs of the least distance in each: spread and independent.
void compare(attune::chain_of_trees const& space, std::size_t count, double gain)
{
    attune::random_engine engine(7);
    double spread = 0;
    double independent = 0;
    for (int i = 0; i < 40; ++i) {
        spread += least_distance(space, attune::detail::spread_sample(space, count, engine));
        independent += least_distance(space, attune::sample_distinct(space, count, engine));
    }
    CHECK(spread > gain * independent);
}

} // namespace

TEST_CASE("the least distance of a spread design is larger than that of independent draws")
{
    compare(search_spaces::grid(40), 10, 2.0);
    compare(searcher_trials::valley_space(), 10, 1.3);
    compare(searcher_trials::every_kind(), 8, 1.2);
    compare(search_spaces::mixed(), 6, 1.2);
}

TEST_CASE("each configuration of a spread design by itself is uniform over the leaves")
{
    attune::chain_of_trees const space = search_spaces::constrained();
    std::size_t const points = static_cast<std::size_t>(*space.size());
    attune::random_engine engine(11);
    constexpr int designs = 3600;
    std::vector<double> first(points, 0);
    std::vector<double> any(points, 0);
    for (int i = 0; i < designs; ++i) {
        std::vector<attune::point> const design = attune::detail::spread_sample(space, 4, engine);
        REQUIRE(design.size() == 4);
        for (std::size_t j = 0; j < points; ++j) {
            attune::point const p = space.at(std::uint64_t{j});
            first[j] += design.front() == p ? 1 : 0;
            any[j] += std::count(design.begin(), design.end(), p) > 0 ? 1 : 0;
        }
    }
    auto const chi_square = [points](std::vector<double> const& count, double total) {
        double const expected = total / static_cast<double>(points);
        double sum = 0;
        for (double const c : count)
            sum += (c - expected) * (c - expected) / expected;
        return sum;
    };
    CHECK(chi_square(first, designs) < 66.6); // 99.9 % point of 35 degrees of freedom
    CHECK(chi_square(any, 4.0 * designs) < 66.6);
}

TEST_CASE("the rim of a grid is not favoured, as it is by designs of greatest least distance")
{
    attune::chain_of_trees const space = search_spaces::grid(10);
    attune::random_engine engine(13);
    constexpr int designs = 800;
    double rim = 0;
    for (int i = 0; i < designs; ++i)
        for (attune::point const& p : attune::detail::spread_sample(space, 5, engine))
            if (p[0].index % 9 == 0 || p[1].index % 9 == 0) rim += 1;
    CHECK(rim / (5 * designs) == doctest::Approx(0.36).epsilon(0.06)); // 36 of 100 points
}

TEST_CASE("the configurations of a design differ, and a tiny space is given whole")
{
    attune::random_engine engine(17);
    for (std::size_t const count : {1U, 5U, 30U, 36U, 100U}) {
        attune::chain_of_trees const space = search_spaces::constrained();
        std::vector<attune::point> const design =
            attune::detail::spread_sample(space, count, engine);
        CHECK(design.size() == std::min<std::size_t>(count, 36));
        CHECK(std::unordered_set<attune::point, attune::point_hash>(design.begin(), design.end())
                  .size() == design.size());
    }
    CHECK(attune::detail::spread_sample(search_spaces::grid(50), 300, engine).size() == 300);
    CHECK(attune::detail::spread_sample(search_spaces::single(), 4, engine).size() == 1);
    CHECK(attune::detail::spread_sample(search_spaces::grid(3), 0, engine).empty());
}

TEST_CASE("the same engine gives the same design")
{
    attune::random_engine a(3);
    attune::random_engine b(3);
    attune::chain_of_trees const space = searcher_trials::every_kind();
    CHECK(attune::detail::spread_sample(space, 9, a) == attune::detail::spread_sample(space, 9, b));
}

TEST_CASE("every tree and every interval has one configuration in each of its strata")
{
    attune::random_engine engine(1);
    constexpr std::size_t count = 8;
    attune::chain_of_trees const leaves = search_spaces::grid(80);
    for (int round = 0; round < 20; ++round) {
        auto const design = attune::detail::stratified_sample(leaves, count, engine);
        for (std::size_t p = 0; p < 2; ++p) {
            std::set<std::uint32_t> strata;
            for (attune::point const& x : design)
                strata.insert(x[p].index / 10);
            CHECK(strata.size() == count);
        }
    }
    for (attune::point const& p :
         attune::detail::stratified_sample(search_spaces::mixed(), count, engine))
        CHECK(p.size() == 3);
    std::set<int> strata;
    for (attune::point const& p :
         attune::detail::stratified_sample(search_spaces::mixed(), count, engine))
        strata.insert(static_cast<int>((p[0].real + 1) / 2 * count));
    CHECK(strata.size() == count);
}

TEST_CASE("each configuration by itself is uniform, where leaves do not divide into strata too")
{
    // 12 leaves in one tree and 3 in the other, 7 strata.
    attune::chain_of_trees const space = search_spaces::constrained();
    std::size_t const points = static_cast<std::size_t>(*space.size());
    attune::random_engine engine(3);
    for (std::size_t const place : {std::size_t{0}, std::size_t{6}}) {
        std::vector<double> count(points, 0);
        constexpr int designs = 7200;
        for (int i = 0; i < designs; ++i) {
            attune::point const p = attune::detail::stratified_sample(space, 7, engine)[place];
            for (std::size_t j = 0; j < points; ++j)
                if (space.at(std::uint64_t{j}) == p) count[j] += 1;
        }
        double const expected = designs / static_cast<double>(points);
        double chi_square = 0;
        for (double const c : count)
            chi_square += (c - expected) * (c - expected) / expected;
        CHECK(chi_square < 66.6); // 99.9 % point of 35 degrees of freedom
    }
}

TEST_CASE("configurations that constraints over reals refuse are replaced by valid ones")
{
    attune::chain_of_trees const space = searcher_trials::every_kind();
    attune::random_engine engine(4);
    for (int round = 0; round < 50; ++round)
        for (attune::point const& p : attune::detail::stratified_sample(space, 10, engine))
            CHECK(space.contains(p));
}

TEST_CASE("none wanted gives none")
{
    attune::random_engine engine(5);
    CHECK(attune::detail::stratified_sample(search_spaces::grid(3), 0, engine).empty());
}
