// tests/search/bayes/model/bound_models.cpp : mirrors include/attune/search/bayes/model/bound_models.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/model/bound_models.hpp>

#include <attune/search/bayes/model/search_models.hpp>
#include <attune/search/bayes/model/surrogates.hpp>
#include <attune/search/bayes/start/initial_design.hpp>

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "../../../support/search_spaces.hpp"

namespace {

/// On a plane of 12 x 12, the value is lowest at (0, 0), and the quantity falls with the first
/// index: the bound is kept from 6 on.
struct bounded_plane {
    bounded_plane()
        : unseen(search_spaces::grid(12))
        , prior(unseen.space().describe())
        , models(unseen, prior, options, parts, nullptr, nullptr, &bounds)
    {
    }
    void tell(std::uint64_t i, bool measures = true)
    {
        attune::point const p = unseen.space().at(i);
        unseen.mark(p);
        models.rows().close(p);
        double const value = 1.0 + p[0].index + p[1].index;
        double const excess = 5.5 - p[0].index;
        bounds.tell(p, measures ? value : std::nan(""), std::vector<double>{excess});
        if (excess > 0)
            history.tell(p, attune::failure{}, bounds.value_beyond(p));
        else
            history.tell(p, attune::measurement::exact(value));
    }
    /// Of a configuration with this first index.
    [[nodiscard]] double chance(attune::scored_candidates const& of, std::uint32_t first)
    {
        return attune::detail::chance_of(of, *models.rows().row_of({{first, 0.0}, {3, 0.0}}));
    }

    attune::bayesian_options options;
    attune::unseen_points unseen;
    attune::detail::user_prior prior;
    attune::detail::bound_history bounds;
    attune::detail::search_parts_of<attune::product_surrogate, attune::gaussian_feasibility,
                                    attune::expected_improvement_rule, attune::spread_design>
        parts{{}, {}};
    attune::detail::search_models models;
    attune::search_history history;
    attune::random_engine engine{1};
};

} // namespace

TEST_CASE("the chance to keep a bound follows the quantity, not the objective")
{
    bounded_plane f;
    for (std::uint64_t i = 0; i < 20; ++i)
        f.tell(i * 7);
    f.models.update(f.history, f.engine);
    attune::scored_candidates const seen = f.models.view(20, f.models.scale().to_model(7));
    REQUIRE(seen.bounds.size() == 1);
    CHECK(seen.label_mean.empty()); // nothing failed but by the bound
    CHECK(f.chance(seen, 0) < 0.05);
    CHECK(f.chance(seen, 3) < 0.2);
    CHECK(f.chance(seen, 8) > 0.8);
    CHECK(f.chance(seen, 11) > 0.95);
    std::vector<attune::detail::scored_row> const best = attune::detail::best_rows(seen, 1);
    REQUIRE(best.size() == 1);
    CHECK(f.models.rows().at(best.front().row)[0].index >= 5);
}

TEST_CASE("values beyond the bound teach the objective, and unmeasured ones do not")
{
    bounded_plane measured;
    bounded_plane unmeasured;
    for (std::uint64_t i = 0; i < 20; ++i) {
        measured.tell(i * 7);
        unmeasured.tell(i * 7, false);
    }
    auto const mean_at_origin = [](bounded_plane& f) {
        f.models.update(f.history, f.engine);
        attune::scored_candidates const seen = f.models.view(20, 0);
        std::size_t const row = *f.models.rows().row_of({{0, 0.0}, {1, 0.0}});
        return f.models.scale().from_model(seen.mean[row]);
    };
    CHECK(mean_at_origin(measured) == doctest::Approx(2).epsilon(0.2));
    double const blind = mean_at_origin(unmeasured);
    CHECK(std::abs(blind - 2) > 0.4);
    CHECK(std::isfinite(blind));
}

TEST_CASE("before anything keeps the bound, the candidate that most probably does is best")
{
    bounded_plane f;
    for (std::uint32_t row = 0; row < 5; ++row)
        f.tell(std::uint64_t{row} * 12 + row * 2);
    REQUIRE(f.history.worked() == 0);
    f.models.update(f.history, f.engine);
    attune::scored_candidates const seen = f.models.view(5, 0);
    CHECK(seen.mean.empty());
    REQUIRE(seen.bounds.size() == 1);
    std::size_t const chosen = attune::detail::best_rows(seen, 1).front().row;
    for (std::size_t row = 0; row < seen.open.size(); ++row)
        if (seen.open[row] != 0)
            CHECK(attune::detail::chance_of(seen, row) <= attune::detail::chance_of(seen, chosen));
    CHECK(f.models.rows().at(chosen)[0].index > 4);
}

TEST_CASE("the probability of a kept bound is that of a normal number below the limit")
{
    // Phi(1 / sqrt(0.249 + 0.001)) = Phi(2)
    CHECK(attune::detail::kept_probability(-1, 0.249, 0) ==
          doctest::Approx(0.977250).epsilon(1e-5));
    CHECK(attune::detail::kept_probability(3, 0.5, 3) == doctest::Approx(0.5));
    CHECK(attune::detail::kept_probability(4, 0.249, 3) ==
          doctest::Approx(1 - 0.977250).epsilon(1e-4));
}

using attune::point;
using attune::detail::bound_history;

namespace {

point at(std::uint32_t index) { return {{index, 0.0}}; }
void tell(bound_history& h, std::uint32_t p, double value, std::vector<double> const& excess)
{
    h.tell(at(p), value, excess);
}

} // namespace

TEST_CASE("the value beyond a bound is known where a bound was broken, and only there")
{
    bound_history h;
    CHECK(h.count() == 0);
    CHECK(!h.value_beyond(at(0)));
    tell(h, 0, 3, {0.0, -1.0});
    tell(h, 1, 4, {0.5, -1.0});
    tell(h, 2, std::nan(""), {std::nan(""), 1.0});
    tell(h, 3, 5, {std::nan(""), std::nan("")});
    CHECK(h.count() == 2);
    CHECK(!h.value_beyond(at(0)));
    CHECK(h.value_beyond(at(1)) == 4);
    REQUIRE(h.value_beyond(at(2)));
    CHECK(std::isnan(*h.value_beyond(at(2))));
    CHECK(!h.value_beyond(at(3))); // nothing says why it failed
    CHECK(h.of(0).worked() == 2);
    CHECK(h.of(1).worked() == 3);
}

TEST_CASE("what is told again replaces what was told, and a wrong count is ignored")
{
    bound_history h;
    tell(h, 0, 1, {2.0});
    tell(h, 0, 1, {-2.0});
    CHECK(!h.value_beyond(at(0)));
    CHECK(h.of(0).told().size() == 1);
    CHECK(h.of(0).told().front().value == -2);
    tell(h, 0, 1, {std::nan("")});
    CHECK(h.of(0).worked() == 0);
    tell(h, 1, 1, {1.0, 2.0});
    tell(h, 1, 1, {});
    CHECK(!h.value_beyond(at(1)));
    CHECK(h.count() == 1);
}
