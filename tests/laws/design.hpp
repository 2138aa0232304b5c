// tests/laws/design.hpp : what every model of `design` must obey
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/bayes/design.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <optional>
#include <utility>
#include <vector>

#include "../support/search_spaces.hpp"

namespace design_law {

struct walk {
    std::vector<attune::point> asked;
    std::size_t worked = 0;
};

/// Asks until the design is complete; `works` says what becomes of each.
template <class D, class Works>
walk drive(attune::chain_of_trees const& space, attune::design_options options, Works const& works)
{
    attune::random_engine engine(1);
    attune::unseen_points unseen(space);
    D design(space, std::move(options), engine);
    walk out;
    while (std::optional<attune::point> p = design.next(unseen, out.worked, 0, engine)) {
        CHECK(space.contains(*p));
        REQUIRE(unseen.mark(*p));
        if (works(*p)) ++out.worked;
        out.asked.push_back(*std::move(p));
    }
    return out;
}

inline bool always(attune::point const&) { return true; }
inline bool never(attune::point const&) { return false; }

} // namespace design_law

TEST_CASE_TEMPLATE_DEFINE("a design obeys the laws", D, design_laws)
{
    using namespace design_law;
    static_assert(attune::design<D>);

    SUBCASE("failures are replaced until enough work")
    {
        walk const w = drive<D>(search_spaces::grid(30), {.working = 10, .attempts = 40},
                                [](attune::point const& p) { return p[0].index % 2 == 0; });
        CHECK(w.worked == 10);
        CHECK(w.asked.size() > 10);
    }
    SUBCASE("when nothing works the attempts end it")
    {
        CHECK(drive<D>(search_spaces::grid(30), {.working = 10, .attempts = 25}, never)
                  .asked.size() == 25);
    }
    SUBCASE("a tiny space is exhausted and the design ends")
    {
        walk const w = drive<D>(search_spaces::grid(3), {.working = 50, .attempts = 100}, always);
        CHECK(w.asked.size() == 9);
    }
    SUBCASE("outcomes that are awaited count as working until they are known to have failed")
    {
        attune::chain_of_trees const space = search_spaces::grid(20);
        attune::random_engine engine(1);
        attune::unseen_points unseen(space);
        D design(space, {.working = 4, .attempts = 10}, engine);
        for (std::size_t pending = 0; pending < 4; ++pending)
            unseen.mark(design.next(unseen, 0, pending, engine).value());
        CHECK_FALSE(design.next(unseen, 0, 4, engine));
        CHECK_FALSE(design.next(unseen, 3, 1, engine));
        CHECK(design.next(unseen, 3, 0, engine)); // one of them failed
    }
    SUBCASE("the same engine gives the same points")
    {
        attune::chain_of_trees const space = search_spaces::constrained();
        CHECK(drive<D>(space, {.working = 8, .attempts = 16}, always).asked ==
              drive<D>(space, {.working = 8, .attempts = 16}, always).asked);
    }
    SUBCASE("configurations seen already are not planned again")
    {
        attune::chain_of_trees const space = search_spaces::grid(4);
        attune::random_engine engine(1);
        attune::unseen_points unseen(space);
        D design(space, {.working = 12, .attempts = 20}, engine);
        for (std::uint64_t i = 0; i < 8; ++i)
            unseen.mark(space.at(i));
        std::size_t worked = 0;
        while (std::optional<attune::point> p = design.next(unseen, worked, 0, engine)) {
            REQUIRE(unseen.mark(*p));
            ++worked;
        }
        CHECK(worked == 8);
    }
}
