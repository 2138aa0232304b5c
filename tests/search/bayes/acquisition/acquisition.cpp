// tests/search/bayes/acquisition/acquisition.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/acquisition/acquisition.hpp>

#include <attune/core/random.hpp>
#include <attune/search/bayes/model/forecast.hpp>
#include <attune/search/bayes/model/search_models.hpp>
#include <attune/search/bayes/model/surrogates.hpp>
#include <attune/search/bayes/start/initial_design.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <numbers>
#include <vector>

#include "../../../laws/acquisition.hpp"
#include "../../../support/minimal_acquisition.hpp"
#include "../../../support/monte_carlo.hpp"
#include "../../../support/search_spaces.hpp"

TEST_CASE_TEMPLATE_INVOKE(acquisition_laws, attune::expected_improvement_rule,
                          attune::probability_of_improvement_rule, attune::confidence_bound_rule,
                          minimal_acquisition);

static_assert(!attune::acquisition<int>);

TEST_CASE_TEMPLATE("every score rises with the variance of a mean behind the best", Rule,
                   attune::expected_improvement_rule, attune::probability_of_improvement_rule,
                   attune::confidence_bound_rule)
{
    Rule const rule{0.1};
    CHECK(rule.score(1.0, 2.0, 0.0) > rule.score(1.0, 1.0, 0.0));
    for (double const mean : {-3.0, 0.0, 5.0, 80.0})
        CHECK(rule.score(mean, 1.0, 0.0) > rule.score(mean + 0.5, 1.0, 0.0));
}

TEST_CASE("exploration demands an improvement by so much, as Monte Carlo confirms")
{
    double const exploration = 0.2;
    double const target = 0.3 - exploration;
    monte_carlo::estimate const gain = monte_carlo::expectation(
        0.1, 0.25, [target](double f) { return f < target ? target - f : 0.0; });
    monte_carlo::estimate const chance =
        monte_carlo::expectation(0.1, 0.25, [target](double f) { return f < target ? 1.0 : 0.0; });
    attune::expected_improvement_rule const expected{exploration};
    attune::probability_of_improvement_rule const probable{exploration};
    CHECK(std::abs(std::exp(expected.score(0.1, 0.25, 0.3)) - gain.mean) < 4.5 * gain.error);
    CHECK(std::abs(std::exp(probable.score(0.1, 0.25, 0.3)) - chance.mean) < 4.5 * chance.error);
    CHECK(attune::confidence_bound_rule{0.5}.score(0.1, 0.25, 0.3) ==
          doctest::Approx(-(0.1 - 0.5 * 0.5)));
}

TEST_CASE("the bound of an improvement is never less than its score")
{
    attune::expected_improvement_rule const rule{0.1};
    for (double const variance : {1e-12, 1e-3, 0.4, 2.0})
        for (double mean = -4; mean < 30; mean += 0.25)
            CHECK(rule.bound(mean, variance, 0.0, 0.5 * std::log(2.0)) >=
                  rule.score(mean, variance, 0.0));
}

using attune::expected_improvement;
using attune::log_expected_improvement;

namespace {

/// E[max(best - f, 0)] for f ~ N(mean, s^2) by Simpson's rule over (best - f) / s, times e^(z^2 /
/// 2) when z < 0: with f = best - s u the density is exp(-(u - z)^2 / 2), and the factor keeps the
/// integrand representable for every z.
double integrated_scaled(double z)
{
    auto const integrand = [z](double u) {
        return u * std::exp(-0.5 * u * u + u * z) / std::sqrt(2 * std::numbers::pi);
    };
    double const end = z > 0 ? z + 12 : 12;
    int const steps = 400000;
    double const h = end / steps;
    double sum = integrand(0) + integrand(end);
    for (int i = 1; i < steps; ++i)
        sum += integrand(i * h) * (i % 2 == 1 ? 4 : 2);
    return sum * h / 3;
}

} // namespace

TEST_CASE("expected_improvement equals numerical integration")
{
    for (double const mean : {-1.0, 0.0, 0.7})
        for (double const s : {0.1, 1.0, 3.0})
            for (double const best : {-2.0, 0.1, 1.5}) {
                double const z = (best - mean) / s;
                if (std::abs(z) > 6) continue;
                double const want = s * integrated_scaled(z) * std::exp(-0.5 * z * z);
                CHECK(expected_improvement(mean, s * s, best) ==
                      doctest::Approx(want).epsilon(1e-8));
            }
}

TEST_CASE("expected_improvement without variance is the plain improvement")
{
    CHECK(expected_improvement(1.0, 0.0, 3.0) == 2.0);
    CHECK(expected_improvement(3.0, 0.0, 1.0) == 0.0);
    CHECK(log_expected_improvement(1.0, 0.0, 3.0) == doctest::Approx(std::log(2.0)));
    CHECK(log_expected_improvement(3.0, 0.0, 1.0) == -std::numeric_limits<double>::infinity());
}

TEST_CASE("log_expected_improvement equals numerical integration far below underflow")
{
    for (double const z : {2.0, 0.0, -1.0, -5.0, -20.0, -29.9, -30.1, -50.0, -200.0}) {
        double const s = 0.5;
        double const want = std::log(s) + std::log(integrated_scaled(z)) - 0.5 * z * z;
        CHECK(log_expected_improvement(0.0, s * s, z * s) == doctest::Approx(want).epsilon(1e-9));
    }
    CHECK(std::isfinite(log_expected_improvement(1e6, 1e-6, 0.0)));
}

TEST_CASE("log_expected_improvement rises with the variance and falls with the mean")
{
    double last = -std::numeric_limits<double>::infinity();
    for (double mean = 40; mean > -3; mean -= 0.05) {
        double const score = log_expected_improvement(mean, 1.0, 0.0);
        CHECK(score > last);
        last = score;
    }
    CHECK(log_expected_improvement(1.0, 2.0, 0.0) > log_expected_improvement(1.0, 1.0, 0.0));
}

TEST_CASE("expected_improvement agrees with Monte Carlo")
{
    for (double const mean : {-0.5, 0.0, 1.3})
        for (double const variance : {0.04, 1.0, 4.0}) {
            double const best = 0.4;
            monte_carlo::estimate const drawn = monte_carlo::expectation(
                mean, variance, [best](double f) { return f < best ? best - f : 0.0; });
            CHECK(std::abs(expected_improvement(mean, variance, best) - drawn.mean) <
                  4.5 * drawn.error + 1e-6);
        }
}

using attune::log_probability_of_improvement;
using attune::probability_of_improvement;

namespace {

/// log P(z > t) for a standard normal z and t > 0 by Simpson's rule on exp(-u t - u^2 / 2), the
/// density less its value at t: representable however large t is.
double log_upper_tail(double t)
{
    auto const integrand = [t](double u) { return std::exp(-u * t - 0.5 * u * u); };
    int const steps = 400000;
    double const h = 12.0 / (1 + t) * 4 / steps;
    double sum = integrand(0) + integrand(h * steps);
    for (int i = 1; i < steps; ++i)
        sum += integrand(i * h) * (i % 2 == 1 ? 4 : 2);
    return -0.5 * t * t - 0.5 * std::log(2 * std::numbers::pi) + std::log(sum * h / 3);
}

} // namespace

TEST_CASE("probability_of_improvement agrees with Monte Carlo")
{
    for (double const mean : {-0.5, 0.0, 1.3})
        for (double const variance : {0.04, 1.0, 4.0}) {
            double const best = 0.4;
            monte_carlo::estimate const drawn = monte_carlo::expectation(
                mean, variance, [best](double f) { return f < best ? 1.0 : 0.0; });
            CHECK(std::abs(probability_of_improvement(mean, variance, best) - drawn.mean) <
                  4.5 * drawn.error + 1e-5);
        }
}

TEST_CASE("probability_of_improvement without variance is certain")
{
    CHECK(probability_of_improvement(1.0, 0.0, 3.0) == 1.0);
    CHECK(probability_of_improvement(3.0, 0.0, 1.0) == 0.0);
    CHECK(log_probability_of_improvement(1.0, 0.0, 3.0) == 0.0);
    CHECK(log_probability_of_improvement(3.0, 0.0, 1.0) ==
          -std::numeric_limits<double>::infinity());
}

TEST_CASE("log_probability_of_improvement equals numerical integration far below underflow")
{
    for (double const t : {0.5, 3.0, 7.9, 8.1, 20.0, 60.0, 300.0})
        CHECK(log_probability_of_improvement(t, 1.0, 0.0) ==
              doctest::Approx(log_upper_tail(t)).epsilon(1e-9));
    CHECK(log_probability_of_improvement(-2.0, 4.0, 0.0) ==
          doctest::Approx(std::log(1 - std::exp(log_upper_tail(1.0)))).epsilon(1e-9));
}

TEST_CASE("log_probability_of_improvement falls with the mean without a jump between its forms")
{
    double last = 0;
    for (double t = 7.5; t < 8.5; t += 0.001) {
        double const now = log_probability_of_improvement(t, 1.0, 0.0);
        CHECK(now < last);
        if (t > 7.5) CHECK(last - now < 0.009);
        last = now;
    }
}

using attune::lower_confidence_bound;

TEST_CASE("a bound leaves the share of a normal distribution outside that its deviations say")
{
    for (double const exploration : {0.0, 0.5, 1.0, 2.0}) {
        double const outside = 0.5 * std::erfc(exploration / std::sqrt(2.0));
        double const low = lower_confidence_bound(1.5, 0.49, exploration);
        monte_carlo::estimate const below =
            monte_carlo::expectation(1.5, 0.49, [low](double f) { return f < low ? 1.0 : 0.0; });
        CHECK(std::abs(below.mean - outside) < 4.5 * below.error);
    }
}

TEST_CASE("without exploration or variance the bound is the mean")
{
    CHECK(lower_confidence_bound(2.0, 9.0, 0.0) == 2.0);
    CHECK(lower_confidence_bound(2.0, -1e-18, 3.0) == 2.0); // rounding error of a posterior
    CHECK(lower_confidence_bound(2.0, 9.0, 2.0) == -4.0);
}

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
