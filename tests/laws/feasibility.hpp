// tests/laws/feasibility.hpp : what every model of `feasibility` must obey
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/bayes/model/search_parts.hpp>
#include <attune/search/bayes/surrogate.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "surrogate.hpp"

TEST_CASE_TEMPLATE_DEFINE("a feasibility obeys the laws", F, feasibility_laws)
{
    using namespace surrogate_law;
    static_assert(attune::feasibility<F>);
    slope const f;

    SUBCASE("a chance is in [0, 1], and not 0 where nothing is known")
    {
        for (double const mean : {-3.0, -1.0, 0.0, 0.4, 1.0})
            for (double const variance : {0.0, 0.2, 1.0}) {
                CHECK(F::chance(mean, variance) >= 0);
                if (mean >= 0) CHECK(F::chance(mean, variance) <= 1);
            }
        CHECK(F::chance(0, 1) > 0);
    }
    SUBCASE("it learns where points fail")
    {
        attune::detail::candidate_model<typename F::surrogate_type> model(f.features);
        model.assign(f.all);
        std::vector<double> labels;
        for (double const v : f.values)
            labels.push_back(F::label(v < 0));
        CHECK(labels.front() != labels.back());
        teach(model, f.some, labels);
        auto const mean_chance = [&](Eigen::Index first) {
            double sum = 0;
            for (Eigen::Index i = first; i < first + 27; ++i) {
                double const chance = F::chance(model.mean()[i], model.variance()[i]);
                CHECK(chance >= 0);
                CHECK(chance <= 1);
                sum += chance / 27;
            }
            return sum;
        };
        CHECK(mean_chance(0) > mean_chance(54) + 0.3);
    }
}
