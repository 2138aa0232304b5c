// tests/search/bayes/start/initial_design.cpp : mirrors include/attune/search/bayes/start/initial_design.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/start/initial_design.hpp>

#include <doctest/doctest.h>

#include "../../../laws/design.hpp"
#include "../../../support/search_spaces.hpp"
#include "../../../support/searcher_trials.hpp"

TEST_CASE_TEMPLATE_INVOKE(design_laws, attune::spread_design, attune::uniform_design,
                          attune::child_wise_design, attune::latin_hypercube_design);

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
