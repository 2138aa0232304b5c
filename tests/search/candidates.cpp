// tests/search/candidates.cpp : mirrors include/attune/search/candidates.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/candidates.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <unordered_set>
#include <vector>

#include "../support/search_spaces.hpp"

namespace {

struct setting {
    explicit setting(attune::chain_of_trees const& space, std::size_t enumerate, std::size_t fresh)
        : unseen(space)
        , features(unseen.space().describe())
        , prior(unseen.space().describe())
        , source(unseen, features, prior, {enumerate, fresh})
    {
    }
    attune::unseen_points unseen;
    attune::gp::feature_map features;
    attune::user_prior prior;
    attune::candidate_source source;
    attune::random_engine engine{1};
};

} // namespace

TEST_CASE("a modest space is proposed whole, with the seen points closed")
{
    setting s(search_spaces::constrained(), 36, 5);
    attune::point const before = s.unseen.space().at(std::uint64_t{3});
    s.unseen.mark(before);
    CHECK(s.source.takes_whole_space());
    attune::candidate_set const& set = s.source.propose(s.engine, {});
    CHECK(set.points.size() == 36);
    CHECK(set.table.points == 36);
    CHECK(std::count(set.open.begin(), set.open.end(), 1) == 35);
    CHECK(set.open[3] == 0);
    s.source.close(set.points[7]);
    CHECK(s.source.propose(s.engine, {}).open[7] == 0);
}

TEST_CASE("a large space is proposed as draws and neighbours, distinct and not seen")
{
    setting s(search_spaces::grid(200), 39999, 100);
    attune::point const centre = s.unseen.space().at(std::uint64_t{20100});
    s.unseen.mark(centre);
    std::vector<attune::point> const around{centre};
    CHECK_FALSE(s.source.takes_whole_space());
    attune::candidate_set const& set = s.source.propose(s.engine, around);
    CHECK(set.points.size() <= 104);
    CHECK(set.points.size() > 95);
    CHECK(set.open.size() == set.points.size());
    CHECK(set.log_weight.size() == set.points.size());
    std::unordered_set<attune::point, attune::point_hash> distinct;
    for (attune::point const& p : set.points) {
        CHECK(distinct.insert(p).second);
        CHECK(p != centre);
        CHECK(s.unseen.space().contains(p));
    }
    for (attune::point const& p : s.unseen.space().neighbours(centre))
        CHECK(distinct.contains(p));
}

TEST_CASE("a space with real parameters is never taken whole")
{
    setting s(search_spaces::mixed(), 1000, 50);
    CHECK_FALSE(s.source.takes_whole_space());
    CHECK(s.source.propose(s.engine, {}).points.size() == 50);
}
