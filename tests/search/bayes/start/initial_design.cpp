// tests/search/bayes/start/initial_design.cpp : mirrors include/attune/search/bayes/start/initial_design.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/start/initial_design.hpp>

#include <doctest/doctest.h>
#include <optional>
#include <vector>

#include "../../../support/search_spaces.hpp"
#include "../../../support/searcher_trials.hpp"

namespace {

using attune::start_sampling;

struct walk {
    std::vector<attune::point> asked;
    std::size_t worked = 0;
};

/// Asks until the design is complete; `works` says what becomes of each.
template <class Works>
walk drive(attune::chain_of_trees const& space, attune::start_options options, Works const& works)
{
    attune::random_engine engine(1);
    attune::unseen_points unseen(space);
    attune::initial_design design(space, std::move(options), engine);
    walk out;
    while (std::optional<attune::point> p = design.next(unseen, out.worked, 0, engine)) {
        CHECK(space.contains(*p));
        REQUIRE(unseen.mark(*p));
        if (works(*p)) ++out.worked;
        out.asked.push_back(*std::move(p));
    }
    CHECK(design.given() == out.asked.size());
    return out;
}

bool always(attune::point const&) { return true; }
bool never(attune::point const&) { return false; }

} // namespace

TEST_CASE("what is to come first comes first, without what is not valid or named twice")
{
    attune::chain_of_trees const space = search_spaces::constrained();
    attune::point const start = space.at(std::uint64_t{20});
    attune::point const other = space.at(std::uint64_t{3});
    attune::point const invalid{{2, 0}, {4, 0}, {0, 0}};
    for (start_sampling const sampling :
         {start_sampling::spread, start_sampling::uniform, start_sampling::child_wise}) {
        attune::start_options options{.working = 6, .attempts = 12, .sampling = sampling};
        options.first = {start, invalid, other, start};
        walk const w = drive(space, options, always);
        REQUIRE(w.asked.size() == 6);
        CHECK(w.asked[0] == start);
        CHECK(w.asked[1] == other);
    }
}

TEST_CASE("failures are replaced until enough work")
{
    walk const w = drive(search_spaces::grid(30),
                         {.working = 10, .attempts = 40},
                         [](attune::point const& p) { return p[0].index % 2 == 0; });
    CHECK(w.worked == 10);
    CHECK(w.asked.size() > 10);
}

TEST_CASE("when nothing works the attempts end it")
{
    CHECK(drive(search_spaces::grid(30), {.working = 10, .attempts = 25}, never).asked.size() ==
          25);
}

TEST_CASE("a tiny space is exhausted and the design ends")
{
    for (start_sampling const sampling :
         {start_sampling::spread, start_sampling::uniform, start_sampling::child_wise}) {
        walk const w = drive(
            search_spaces::grid(3), {.working = 50, .attempts = 100, .sampling = sampling}, always);
        CHECK(w.asked.size() == 9);
    }
}

TEST_CASE("outcomes that are awaited count as working until they are known to have failed")
{
    attune::chain_of_trees const space = search_spaces::grid(20);
    attune::random_engine engine(1);
    attune::unseen_points unseen(space);
    attune::initial_design design(space, {.working = 4, .attempts = 10}, engine);
    for (std::size_t pending = 0; pending < 4; ++pending)
        unseen.mark(*design.next(unseen, 0, pending, engine));
    CHECK_FALSE(design.next(unseen, 0, 4, engine));
    CHECK_FALSE(design.next(unseen, 3, 1, engine));
    CHECK(design.next(unseen, 3, 0, engine)); // one of them failed
}

TEST_CASE("configurations seen already are not planned again")
{
    attune::chain_of_trees const space = search_spaces::grid(4);
    attune::random_engine engine(1);
    attune::unseen_points unseen(space);
    attune::initial_design design(space, {.working = 12, .attempts = 20}, engine);
    for (std::uint64_t i = 0; i < 8; ++i)
        unseen.mark(space.at(i));
    std::size_t worked = 0;
    while (std::optional<attune::point> p = design.next(unseen, worked, 0, engine)) {
        REQUIRE(unseen.mark(*p));
        ++worked;
    }
    CHECK(worked == 8);
}

TEST_CASE("real parameters are part of the design")
{
    walk const w = drive(searcher_trials::every_kind(), {.working = 20, .attempts = 40}, always);
    CHECK(w.asked.size() == 20);
}
