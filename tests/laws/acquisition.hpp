// tests/laws/acquisition.hpp : what every model of `acquisition` must obey
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/bayes/acquisition/acquisition.hpp>

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

TEST_CASE_TEMPLATE_DEFINE("an acquisition obeys the laws", A, acquisition_laws)
{
    static_assert(attune::acquisition<A>);

    SUBCASE("a lower mean never scores less, and no score is NaN")
    {
        A const a;
        for (double const variance : {0.0, 1e-6, 0.3, 2.0})
            for (double mean = -6; mean < 60; mean += 0.5) {
                CHECK(a.score(mean, variance, 0.0) >= a.score(mean + 0.5, variance, 0.0));
                CHECK_FALSE(std::isnan(a.score(mean, variance, 0.0)));
            }
    }
    SUBCASE("step by step, an open candidate is chosen while there is one")
    {
        A a;
        std::vector<char> open(12, 1);
        std::vector<double> const mean{-1, 0, 1, 2, -1, 0, 1, 2, 0, 0, 0, 0};
        std::vector<double> const variance{1, 1, 1, 1, 2, 2, 2, 2, 0, 0.1, 0.2, 0.3};
        for (std::uint32_t step = 0; step < 12; ++step) {
            attune::scored_candidates c{open, mean, variance};
            if constexpr (requires { a.prepare(c, attune::search_progress{}); })
                a.prepare(c, {3.0, 2.0});
            std::vector<attune::detail::scored_row> const rows = attune::detail::best_rows(c, 1, a);
            REQUIRE(rows.size() == 1);
            CHECK(open[rows.front().row] == 1);
            open[rows.front().row] = 0;
            attune::point const p{{step, 0}};
            if constexpr (requires { a.chose(p); }) a.chose(p);
            if constexpr (requires { a.observe(p, 1.0); }) a.observe(p, mean[rows.front().row]);
        }
        attune::scored_candidates c{open, mean, variance};
        if constexpr (requires { a.prepare(c, attune::search_progress{}); }) a.prepare(c, {});
        CHECK(attune::detail::best_rows(c, 1, a).empty());
    }
}
