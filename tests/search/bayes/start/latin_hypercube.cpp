// tests/search/bayes/start/latin_hypercube.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/start/latin_hypercube.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "../../../support/search_spaces.hpp"
#include "../../../support/searcher_trials.hpp"

TEST_CASE("every value of a parameter is as frequent as any other, in every design")
{
    attune::random_engine engine(1);
    attune::chain_of_trees const space = search_spaces::grid(12);
    for (int round = 0; round < 20; ++round)
        for (std::size_t const count : {std::size_t{12}, std::size_t{6}}) {
            std::vector<attune::point> const design =
                attune::detail::latin_hypercube(space, count, engine);
            REQUIRE(design.size() == count);
            for (std::size_t p = 0; p < 2; ++p) {
                std::set<std::uint32_t> strata;
                for (attune::point const& at : design)
                    strata.insert(at[p].index / static_cast<std::uint32_t>(12 / count));
                CHECK(strata.size() == count);
            }
        }
}

TEST_CASE("intervals have one configuration in each stratum")
{
    attune::random_engine engine(2);
    std::set<int> strata;
    for (attune::point const& p :
         attune::detail::latin_hypercube(search_spaces::mixed(), 8, engine))
        strata.insert(static_cast<int>((p[0].real + 1) / 2 * 8));
    CHECK(strata.size() == 8);
}

TEST_CASE("by itself each configuration is uniform over the values, where these do not divide")
{
    attune::random_engine engine(3);
    std::map<std::uint32_t, double> count;
    constexpr int designs = 6000;
    for (int i = 0; i < designs; ++i)
        ++count[attune::detail::latin_hypercube(search_spaces::grid(5), 7, engine)[2][0].index];
    double chi_square = 0;
    for (std::uint32_t v = 0; v < 5; ++v)
        chi_square += (count[v] - designs / 5.0) * (count[v] - designs / 5.0) / (designs / 5.0);
    CHECK(chi_square < 18.5); // 99.9 % point of 4 degrees of freedom
}

TEST_CASE("what breaks a constraint is left out, and nothing comes twice")
{
    attune::random_engine engine(4);
    for (attune::chain_of_trees const& space :
         {search_spaces::constrained(), search_spaces::conditional(),
          searcher_trials::every_kind()}) {
        std::size_t fewest = 1000;
        for (int round = 0; round < 20; ++round) {
            std::vector<attune::point> const design =
                attune::detail::latin_hypercube(space, 20, engine);
            std::set<std::vector<std::pair<std::uint32_t, double>>> distinct;
            for (attune::point const& p : design) {
                CHECK(space.contains(p));
                std::vector<std::pair<std::uint32_t, double>> key;
                for (attune::coordinate const at : p)
                    key.emplace_back(at.index, at.real);
                distinct.insert(key);
            }
            CHECK(distinct.size() == design.size());
            fewest = std::min(fewest, design.size());
        }
        CHECK(fewest < 20); // each of these spaces refuses or merges some
    }
    CHECK(attune::detail::latin_hypercube(search_spaces::constrained(), 0, engine).empty());
}
