// tests/search/bayes/start/stratified.cpp : mirrors include/attune/search/bayes/start/stratified.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/start/stratified.hpp>

#include <doctest/doctest.h>
#include <set>
#include <vector>

#include "../../../support/search_spaces.hpp"
#include "../../../support/searcher_trials.hpp"

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
