// tests/search/bayes/acquisition/acquisition_policy.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/acquisition/acquisition_policy.hpp>

#include <attune/search/bayes/acquisition/contextual.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

#include "../../../laws/acquisition.hpp"
#include "../../../support/minimal_acquisition.hpp"

TEST_CASE_TEMPLATE_INVOKE(
    acquisition_laws, attune::multi_policy, attune::advanced_multi_policy,
    attune::acquisition_policy<attune::multi_acquisition, minimal_acquisition>);

namespace {

/// Three candidates: the safe improvement, the large one, the one nobody knows.
struct three {
    std::vector<char> open{1, 1, 1};
    std::vector<double> mean{-0.25, 0.0, 1.0};
    std::vector<double> variance{0.0001, 0.25, 9.0};

    [[nodiscard]] attune::scored_candidates all() const { return {open, mean, variance}; }
};

template <class A>
std::size_t first(A& turns)
{
    three const t;
    turns.prepare(t.all(), {});
    return attune::detail::best_rows(t.all(), 1, turns).front().row;
}

} // namespace

TEST_CASE("several functions take turns, and agreeing ones are dropped")
{
    attune::multi_policy turns;
    std::vector<std::size_t> rows;
    for (std::uint32_t i = 0; i < 30; ++i) {
        rows.push_back(first(turns));
        attune::point const p{{i, 0}};
        turns.chose(p);
        turns.observe(p, rows.back() == 2 ? 1.0 : 2.0);
    }
    // The two functions that look for the safe improvement agree: one of them goes.
    CHECK(std::count(rows.begin(), rows.begin() + 3, 2U) == 1);
    CHECK(std::count(rows.end() - 10, rows.end(), 2U) == 5);
}

TEST_CASE("the advanced rule promotes the function whose choices are better")
{
    attune::advanced_multi_policy turns;
    std::size_t last = 9;
    for (std::uint32_t i = 0; i < 60; ++i) {
        last = first(turns);
        attune::point const p{{i, 0}};
        turns.chose(p);
        turns.observe(p, last == 0 ? 1.0 : 2.0);
    }
    CHECK(last == 0);
}

TEST_CASE("members are prepared, and one without candidates takes no turn")
{
    three const t;
    std::vector<char> const closed(3, 0);
    attune::scored_candidates none{closed, t.mean, t.variance};
    attune::multi_policy turns;
    turns.prepare(none, {});
    CHECK(attune::detail::best_rows(none, 1, turns).empty());
    attune::acquisition_policy<attune::multi_acquisition,
                               attune::contextual<attune::probability_of_improvement_rule>>
        exploring;
    three far;
    far.mean = {-0.3, 0.5, 1.0};
    exploring.prepare(far.all(), {2.0, 2.0}); // factor 1: -0.3 is not enough
    CHECK(attune::detail::best_rows(far.all(), 1, exploring).front().row != 0);
}

TEST_CASE("a portfolio of one's own decides when members are dropped")
{
    attune::multi_policy patient(attune::multi_acquisition(3, 1000), {}, {}, {});
    attune::multi_policy strict(attune::multi_acquisition(3, 1), {}, {}, {});
    // One candidate, so that all agree at once.
    std::vector<char> const open{1};
    std::vector<double> const number{0.5};
    attune::scored_candidates const all{open, number, number};
    auto const differs = [&](attune::multi_policy& turns) {
        turns.prepare(all, {});
        double const first = turns.score(0.5, 0.5, 0);
        turns.prepare(all, {});
        return turns.score(0.5, 0.5, 0) != first;
    };
    CHECK(differs(patient));
    CHECK_FALSE(differs(strict));
}
