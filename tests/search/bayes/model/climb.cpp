// tests/search/bayes/model/climb.cpp : mirrors include/attune/search/bayes/model/climb.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/model/climb.hpp>

#include <attune/search/bayes/model/search_models.hpp>
#include <attune/search/bayes/model/surrogates.hpp>
#include <attune/search/bayes/start/initial_design.hpp>

#include <doctest/doctest.h>

#include "../../../support/search_spaces.hpp"

TEST_CASE("a climb ends at candidates that no neighbour beats, unless its rounds are over")
{
    attune::bayesian_options options;
    options.max_pool = 10;
    options.fresh = 30;
    options.walks = 0;
    attune::unseen_points unseen(search_spaces::grid(100));
    attune::detail::user_prior const prior(unseen.space().describe());
    attune::detail::search_parts_of<attune::product_surrogate, attune::gaussian_feasibility,
                                    attune::expected_improvement_rule, attune::spread_design>
        parts{{}, {}};
    attune::detail::search_models models(unseen, prior, options, parts);
    attune::search_history history;
    attune::random_engine engine(1);
    for (int i = 0; i < 12; ++i) {
        attune::point const p = unseen.draw(engine).value();
        unseen.mark(p);
        double const x = p[0].index / 50.0 - 1;
        double const y = p[1].index / 50.0 - 1;
        history.tell(p, attune::measurement::exact(1 + x * x + y * y));
    }
    models.update(history, engine);
    double const best = models.scale().to_model(history.best()->value);
    double const before = attune::detail::best_rows(models.view(12, best), 1).front().score;
    std::size_t const rows = models.rows().size();
    attune::detail::climb(models, unseen.space(), 12, best, 2, 0);
    CHECK(models.rows().size() == rows); // no rounds, no steps
    attune::detail::climb(models, unseen.space(), 12, best, 2, 5);
    attune::scored_candidates const after = models.view(12, best);
    attune::detail::scored_row const top = attune::detail::best_rows(after, 1).front();
    CHECK(models.rows().size() > rows);
    CHECK(top.score >= before);
    // Whatever is reached, a second climb does not lose it.
    attune::detail::climb(models, unseen.space(), 12, best, 2, 5);
    CHECK(attune::detail::best_rows(models.view(12, best), 1).front().score >= top.score);
}
