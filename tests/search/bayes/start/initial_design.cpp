// tests/search/bayes/start/initial_design.cpp : mirrors include/attune/search/bayes/start/initial_design.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/start/initial_design.hpp>

#include <attune/space/tree/tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../../../laws/design.hpp"
#include "../../../support/minimal_design.hpp"
#include "../../../support/search_spaces.hpp"
#include "../../../support/searcher_trials.hpp"

static_assert(!attune::design<int>);
TEST_CASE_TEMPLATE_INVOKE(design_laws, minimal_design, attune::spread_design,
                          attune::uniform_design, attune::child_wise_design,
                          attune::latin_hypercube_design);

TEST_CASE_TEMPLATE("what is to come first comes first, without what is not valid or named twice", D,
                   attune::spread_design, attune::uniform_design, attune::child_wise_design,
                   attune::latin_hypercube_design)
{
    attune::chain_of_trees const space = search_spaces::constrained();
    attune::point const start = space.at(std::uint64_t{20});
    attune::point const other = space.at(std::uint64_t{3});
    attune::point const invalid{{2, 0}, {4, 0}, {0, 0}};
    attune::design_options options{.working = 6, .attempts = 12};
    options.first = {start, invalid, other, start};
    design_law::walk const w = design_law::drive<D>(space, options, design_law::always);
    REQUIRE(w.asked.size() == 6);
    CHECK(w.asked[0] == start);
    CHECK(w.asked[1] == other);
}

TEST_CASE("the design says how many configurations it gave")
{
    attune::random_engine engine(1);
    attune::unseen_points unseen(search_spaces::grid(9));
    attune::spread_design design(unseen.space(), {.working = 4, .attempts = 9}, engine);
    for (std::size_t i = 0; i < 4; ++i)
        unseen.mark(design.next(unseen, i, 0, engine).value());
    CHECK_FALSE(design.next(unseen, 4, 0, engine));
    CHECK(design.given() == 4);
}

TEST_CASE("real parameters are part of the design")
{
    design_law::walk const w = design_law::drive<attune::spread_design>(
        searcher_trials::every_kind(), {.working = 20, .attempts = 40}, design_law::always);
    CHECK(w.asked.size() == 20);
}

TEST_CASE("child-wise draws choose each child of a node equally often, and so not each leaf")
{
    // a + b <= 4 with a in 0..2, b in 0..4: 5, 4 and 3 leaves below the three values of a.
    attune::chain_of_trees const space = search_spaces::constrained();
    REQUIRE(space.tree_at(0).parameters().front() == 0);
    attune::random_engine engine(1);
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> count;
    constexpr int draws = 36'000;
    for (int i = 0; i < draws; ++i) {
        attune::point const p = attune::detail::sample_child_wise(space, engine);
        REQUIRE(space.contains(p));
        count[{p[0].index, p[1].index}] += 1;
    }
    double chi_square = 0;
    for (auto const& [setting, n] : count) {
        double const expected = draws / 3.0 / (5.0 - setting.first);
        chi_square += (n - expected) * (n - expected) / expected;
    }
    CHECK(count.size() == 12);
    CHECK(chi_square < 31.3); // 99.9 % point of 11 degrees of freedom
    double const uniform = draws / 12.0;
    CHECK(count[{2, 0}] > 1.2 * uniform);
    CHECK(count[{0, 0}] < 0.9 * uniform);
}

TEST_CASE("child-wise draws of real parameters obey the constraints over them")
{
    attune::chain_of_trees const space = searcher_trials::every_kind();
    attune::random_engine engine(2);
    for (int i = 0; i < 500; ++i)
        CHECK(space.contains(attune::detail::sample_child_wise(space, engine)));
}

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
