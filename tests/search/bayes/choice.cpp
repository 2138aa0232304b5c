// tests/search/bayes/choice.cpp : mirrors include/attune/search/bayes/choice.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/choice.hpp>

#include <attune/core/random.hpp>
#include <attune/search/bayes/model/forecast.hpp>
#include <attune/search/bayes/model/search_models.hpp>
#include <attune/search/bayes/model/surrogates.hpp>
#include <attune/search/bayes/start/initial_design.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

#include "../../support/search_spaces.hpp"

using attune::scored_candidates;
using attune::detail::scored_row;

namespace {

/// Random opinions on `count` candidates, every fifth of which is closed.
struct opinions {
    explicit opinions(std::size_t count, std::uint64_t seed)
    {
        attune::random_engine engine(seed);
        auto const fill = [&](std::vector<double>& out, double low, double high) {
            for (std::size_t i = 0; i < count; ++i)
                out.push_back(low + (high - low) * attune::uniform_unit(engine));
        };
        fill(mean, -1, 2);
        fill(variance, 0, 0.3);
        fill(label_mean, -1.5, 0.5);
        fill(label_variance, 0, 1);
        fill(weight, -3, 1);
        for (std::size_t i = 0; i < count; ++i)
            open.push_back(i % 5 == 0 ? 0 : 1);
        variance[7] = 0;
        mean[8] = mean[9];
        variance[8] = variance[9];
    }
    [[nodiscard]] scored_candidates all() const
    {
        scored_candidates out{open, mean, variance, label_mean, label_variance, weight};
        out.weight_power = 0.5;
        out.best = -0.8;
        return out;
    }
    std::vector<char> open;
    std::vector<double> mean, variance, label_mean, label_variance, weight;
};

/// The definition: every open row by its score.
template <class Rule>
std::vector<scored_row> by_sorting(scored_candidates const& c, std::size_t count, Rule const& rule)
{
    std::vector<scored_row> out;
    for (std::size_t row = 0; row < c.open.size(); ++row)
        if (c.open[row] != 0 && attune::detail::chance_of(c, row) >= c.feasibility_limit)
            out.push_back({row, attune::detail::score_of(c, row, rule)});
    std::sort(out.begin(), out.end());
    out.resize(std::min(count, out.size()));
    return out;
}

void check_equal(std::vector<scored_row> const& a, std::vector<scored_row> const& b)
{
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        CHECK(a[i].row == b[i].row);
        CHECK(a[i].score == b[i].score);
    }
}

} // namespace

TEST_CASE_TEMPLATE("the best rows are those that sorting all scores gives", Rule,
                   attune::expected_improvement_rule, attune::probability_of_improvement_rule,
                   attune::confidence_bound_rule)
{
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        opinions const o(300, seed);
        for (std::size_t const count : {1U, 7U, 500U}) {
            scored_candidates c = o.all();
            Rule const rule{seed % 2 == 0 ? 0.0 : 0.3};
            c.feasibility_limit = seed % 3 == 0 ? 0.0 : 0.4;
            check_equal(attune::detail::best_rows(c, count, rule), by_sorting(c, count, rule));
            c.log_weight = {};
            c.label_mean = {};
            check_equal(attune::detail::best_rows(c, count, rule), by_sorting(c, count, rule));
        }
    }
}

TEST_CASE("the chance is what the model of failures makes of its posterior")
{
    opinions const o(50, 2);
    scored_candidates c = o.all();
    CHECK(attune::detail::chance_of(c, 3) ==
          attune::detail::feasible_probability(o.label_mean[3], o.label_variance[3]));
    c.chance = [](double, double) { return 0.25; };
    CHECK(attune::detail::chance_of(c, 3) == 0.25);
    c.label_mean = {};
    CHECK(attune::detail::chance_of(c, 3) == 1);
}

TEST_CASE("a limit that leaves nothing is not applied")
{
    opinions const o(50, 3);
    scored_candidates c = o.all();
    c.feasibility_limit = 1.1;
    auto const rows = attune::detail::best_rows(c, 1);
    REQUIRE(rows.size() == 1);
    c.feasibility_limit = 0;
    CHECK(rows.front().row == attune::detail::best_rows(c, 1).front().row);
}

TEST_CASE("without any model the user's weight decides, and closed rows are never given")
{
    opinions const o(20, 4);
    scored_candidates c{o.open};
    CHECK(attune::detail::best_rows(c, 1).front().row == 1); // all alike: the first that is open
    c.log_weight = o.weight;
    c.weight_power = 1;
    auto const rows = attune::detail::best_rows(c, 20);
    CHECK(rows.size() == 16);
    for (scored_row const& r : rows) {
        CHECK(r.row % 5 != 0);
        CHECK(o.weight[r.row] <= o.weight[rows.front().row]);
    }
    std::vector<char> const closed(20, 0);
    c.open = closed;
    CHECK(attune::detail::best_rows(c, 3).empty());
}

TEST_CASE("a climb ends at candidates that no neighbour beats, unless its rounds are over")
{
    attune::bayesian_options const options{.max_pool = 10, .fresh = 30, .walks = 0};
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
