// tests/search/bayes/basic_bayesian.cpp : mirrors include/attune/search/bayes/basic_bayesian.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/basic_bayesian.hpp>

#include <attune/search/bayes/acquisition/acquisition_policy.hpp>
#include <attune/search/bayes/model/forest_model.hpp>
#include <attune/search/bayesian.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <optional>
#include <utility>
#include <vector>

#include "../../laws/searcher.hpp"
#include "../../support/minimal_acquisition.hpp"
#include "../../support/minimal_design.hpp"
#include "../../support/minimal_feasibility.hpp"
#include "../../support/minimal_surrogate.hpp"

using namespace attune;

TEST_CASE_TEMPLATE_INVOKE(searcher_laws,
                          basic_bayesian_searcher<minimal_surrogate, minimal_feasibility,
                                                  minimal_acquisition, minimal_design>);

TEST_CASE("bayesian_searcher is the searcher with default parts, point for point")
{
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        bayesian_searcher compiled(search_spaces::grid(12), seed);
        basic_bayesian_searcher<> parts(search_spaces::grid(12), seed);
        for (int step = 0; step < 12; ++step) {
            std::vector<point> const asked = compiled.ask(2);
            REQUIRE(parts.ask(2) == asked);
            for (point const& p : asked) {
                compiled.tell(p, searcher_law::judge(p));
                parts.tell(p, searcher_law::judge(p));
            }
            CHECK(compiled.expected_gain() == parts.expected_gain());
        }
        CHECK(compiled.prediction_error() == parts.prediction_error());
    }
}

TEST_CASE_TEMPLATE(
    "a search with any part in place of the default comes to the end of a space", S,
    basic_bayesian_searcher<radial_surrogate>, basic_bayesian_searcher<baco_surrogate>,
    basic_bayesian_searcher<fixed_surrogate>, basic_bayesian_searcher<forest_surrogate>,
    basic_bayesian_searcher<product_surrogate, forest_feasibility>,
    basic_bayesian_searcher<product_surrogate, forest_classification>,
    basic_bayesian_searcher<product_surrogate, no_feasibility>,
    basic_bayesian_searcher<product_surrogate, gaussian_feasibility,
                            contextual<probability_of_improvement_rule>, uniform_design>,
    basic_bayesian_searcher<fixed_surrogate, gaussian_feasibility,
                            contextual<confidence_bound_rule>>,
    basic_bayesian_searcher<fixed_surrogate, gaussian_feasibility, multi_policy>,
    basic_bayesian_searcher<fixed_surrogate, gaussian_feasibility, advanced_multi_policy,
                            child_wise_design>)
{
    S s(search_spaces::constrained(), 1, {.initial_samples = 3});
    CHECK(searcher_law::drive(s, 2, searcher_law::judge).size() == 36);
}

TEST_CASE("an acquisition may be given with values of its own")
{
    // With much exploration the bound is taken where least is known, else where the mean is lowest.
    using search =
        basic_bayesian_searcher<minimal_surrogate, no_feasibility, confidence_bound_rule>;
    search bold(search_spaces::grid(12), 1, {}, {.exploration = 100});
    search timid(search_spaces::grid(12), 1, {}, {.exploration = 0});
    for (std::uint64_t const i : {0U, 1U, 2U, 12U, 13U, 14U}) {
        point const p = search_spaces::grid(12).at(i);
        bold.tell(p, measurement::exact(static_cast<double>(i) + 1));
        timid.tell(p, measurement::exact(static_cast<double>(i) + 1));
    }
    point const far = bold.ask(1).front();
    point const near = timid.ask(1).front();
    CHECK(far[0].index + far[1].index > near[0].index + near[1].index);
}

TEST_CASE("a surrogate's settings reach it")
{
    using chosen = basic_bayesian_searcher<detail::chosen_process>;
    chosen given(search_spaces::grid(12), 1, {}, {}, detail::fixed_objective_process());
    basic_bayesian_searcher<fixed_surrogate> same(search_spaces::grid(12), 1);
    basic_bayesian_searcher<detail::chosen_process> other(search_spaces::grid(12), 1);
    bool differs = false;
    for (int step = 0; step < 30; ++step) {
        std::vector<point> const asked = given.ask(1);
        CHECK(same.ask(1) == asked);
        differs = differs || other.ask(1) != asked;
        outcome const result = searcher_law::judge(asked.front());
        given.tell(asked.front(), result);
        same.tell(asked.front(), result);
        other.tell(asked.front(), result);
    }
    CHECK(differs);
}

namespace {

/// Counts what it gives.
struct counted_design : minimal_design {
    using minimal_design::minimal_design;
    std::optional<point> next(unseen_points const& unseen, std::size_t worked, std::size_t pending,
                              random_engine& engine)
    {
        std::optional<point> out = minimal_design::next(unseen, worked, pending, engine);
        if (out) ++given;
        return out;
    }
    static inline int given = 0;
};

} // namespace

TEST_CASE("the initial design ends after its attempts, however few worked")
{
    for (auto const& [attempts, want] : {std::pair(0, 8), std::pair(4, 4), std::pair(11, 11)}) {
        counted_design::given = 0;
        basic_bayesian_searcher<minimal_surrogate, minimal_feasibility, minimal_acquisition,
                                counted_design>
            s(search_spaces::grid(12), 1,
              {.initial_samples = 4, .initial_attempts = static_cast<std::size_t>(attempts)});
        for (int i = 0; i < 20; ++i)
            for (point const& p : s.ask(1))
                s.tell(p, searcher_law::fail(p));
        CHECK(counted_design::given == want);
    }
}
