// tests/search/bayes/acquisition/acquisition_policy.cpp : mirrors the header of that name
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/acquisition/acquisition_policy.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
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

using attune::multi_acquisition;
using candidates = std::vector<std::size_t>;

namespace {

/// One round: everybody prefers `preferred`, and what each is given has its value.
void round_of(multi_acquisition& m, candidates const& preferred, std::vector<double> const& value)
{
    for (std::size_t i = 0; i < preferred.size(); ++i) {
        m.prefer(preferred);
        std::size_t const member = m.take_turn();
        m.observe(member, value[member]);
        if (m.portfolio().active().size() != preferred.size()) return;
    }
}

} // namespace

TEST_CASE("members that agree too often are set against each other and the best one stays")
{
    multi_acquisition m;
    std::vector<double> const value{3, 2, 9};
    // The first two agree in every one of the first five suggestions.
    round_of(m, {7, 7, 1}, value);
    CHECK(m.portfolio().active() == candidates{0, 1, 2});
    round_of(m, {4, 4, 5}, value);
    CHECK(m.portfolio().active() == candidates{1, 2}); // member 1 has the lower score
    // The survivor's count began anew: four more suggestions in agreement change nothing.
    for (int i = 0; i < 4; ++i)
        m.prefer(candidates{8, 8});
    CHECK(m.portfolio().active() == candidates{1, 2});
    m.prefer(candidates{8, 8});
    CHECK(m.portfolio().active() == candidates{1});
    m.prefer(candidates{8});
    CHECK(m.take_turn() == 1);
}

TEST_CASE("members that never agree all stay")
{
    multi_acquisition m;
    for (int i = 0; i < 50; ++i)
        round_of(m, {1, 2, 3}, {5, 1, 9});
    CHECK(m.portfolio().active() == candidates{0, 1, 2});
}

TEST_CASE("three that agree leave one, and the threshold decides when")
{
    multi_acquisition m(3, 2);
    m.observe(0, 5);
    m.observe(1, 5);
    m.observe(2, 4);
    m.prefer(candidates{6, 6, 6});
    CHECK(m.portfolio().active().size() == 3);
    m.prefer(candidates{6, 6, 6});
    CHECK(m.portfolio().active() == candidates{2});
}

using attune::detail::acquisition_portfolio;

namespace {

acquisition_portfolio portfolio_of_three(double discount = 0.9)
{
    return acquisition_portfolio(3, discount);
}

} // namespace

TEST_CASE("members take turns, and those that were skipped have none")
{
    acquisition_portfolio p = portfolio_of_three();
    std::vector<std::size_t> turns;
    for (int i = 0; i < 4; ++i)
        turns.push_back(p.take_turn());
    p.skip(1);
    for (int i = 0; i < 4; ++i)
        turns.push_back(p.take_turn());
    CHECK(turns == std::vector<std::size_t>{0, 1, 2, 0, 2, 0, 2, 0});
    CHECK(p.active() == std::vector<std::size_t>{0, 2});
}

TEST_CASE("a score is the mean of the observations with weights 0.9 to the power of their age")
{
    acquisition_portfolio p = portfolio_of_three();
    CHECK(p.score_of(0) == std::numeric_limits<double>::infinity());
    std::vector<double> const observed{5, 3, 8, 2};
    double sum = 0;
    double weights = 0;
    for (std::size_t i = 0; i < observed.size(); ++i) {
        p.observe(0, observed[i]);
        double const weight = std::pow(0.9, static_cast<double>(observed.size() - 1 - i));
        sum += weight * observed[i];
        weights += weight;
    }
    CHECK(p.score_of(0) == doctest::Approx(sum / weights));
    CHECK(p.observations(0) == 4);
    CHECK(p.observations(1) == 0);
}

TEST_CASE("equal observations give equal scores, however many there are")
{
    acquisition_portfolio p = portfolio_of_three();
    p.observe(0, 4);
    for (int i = 0; i < 9; ++i)
        p.observe(1, 4);
    CHECK(p.score_of(0) == doctest::Approx(p.score_of(1)));
}

using attune::advanced_multi_acquisition;
using members = std::vector<std::size_t>;

namespace {

void judged_round(advanced_multi_acquisition& m, std::vector<double> const& value)
{
    members const active = m.portfolio().active();
    for (std::size_t i = 0; i < active.size(); ++i) {
        std::size_t const member = m.take_turn();
        m.observe(member, value[member]);
    }
}

} // namespace

TEST_CASE("a member that is worse than the mean by 5 % five times is skipped")
{
    // The mean is 10.2: the last is 8 % above it, the others 4 % below.
    advanced_multi_acquisition m;
    for (int i = 0; i < 4; ++i)
        judged_round(m, {9.8, 9.8, 11.0});
    CHECK(m.portfolio().active() == members{0, 1, 2});
    judged_round(m, {9.8, 9.8, 11.0});
    CHECK(m.portfolio().active() == members{0, 1});
}

TEST_CASE("a member that is better than the mean by 5 % five times is promoted to be the only one")
{
    // The mean is 10.2: the second is 8 % below it, the others 4 % above.
    advanced_multi_acquisition m;
    for (int i = 0; i < 4; ++i)
        judged_round(m, {10.6, 9.4, 10.6});
    CHECK(m.portfolio().active() == members{0, 1, 2});
    judged_round(m, {10.6, 9.4, 10.6});
    CHECK(m.portfolio().active() == members{1});
    for (int i = 0; i < 10; ++i)
        CHECK(m.take_turn() == 1);
    m.observe(1, 1000); // it stays, whatever comes
    CHECK(m.portfolio().active() == members{1});
}

TEST_CASE("differences below the required improvement change nothing")
{
    advanced_multi_acquisition m;
    for (int i = 0; i < 100; ++i)
        judged_round(m, {10.0, 10.3, 9.8});
    CHECK(m.portfolio().active() == members{0, 1, 2});
}

TEST_CASE("counts start again when a member is skipped")
{
    // With next to no memory a score is the last observation.
    advanced_multi_acquisition m(3, {.discount = 1e-9});
    judged_round(m, {9.8, 9.8, 11.0}); // the last is worse
    for (int i = 0; i < 4; ++i)
        judged_round(m, {9.4, 10.2, 11.1}); // it is again, and the first is better
    CHECK(m.portfolio().active() == members{0, 1});
    for (int i = 0; i < 4; ++i)
        judged_round(m, {9.4, 10.6, 0}); // the first would be promoted with its four from before
    CHECK(m.portfolio().active() == members{0, 1});
    judged_round(m, {9.4, 10.6, 0});
    CHECK(m.portfolio().active() == members{0});
}

TEST_CASE("a single member is never judged")
{
    advanced_multi_acquisition m(1);
    for (int i = 0; i < 20; ++i)
        judged_round(m, {1.0 + i});
    CHECK(m.portfolio().active() == members{0});
}

TEST_CASE_TEMPLATE_INVOKE(acquisition_laws, attune::contextual<attune::expected_improvement_rule>,
                          attune::contextual<attune::probability_of_improvement_rule>,
                          attune::contextual<attune::confidence_bound_rule>);

TEST_CASE("contextual exploration fades with the variance that is left")
{
    // Three candidates: the safe improvement, the large one, the one of which least is known.
    std::vector<char> const open{1, 1, 1};
    std::vector<double> const mean{-0.3, 0.5, 1.0};
    std::vector<double> variance{0.0001, 0.25, 9.0};
    attune::contextual<attune::probability_of_improvement_rule> rule;
    auto const first = [&](attune::search_progress const& so_far) {
        attune::scored_candidates const all{open, mean, variance};
        rule.prepare(all, so_far);
        return attune::detail::best_rows(all, 1, rule).front().row;
    };
    CHECK(first({2.0, 2.0}) != 0); // factor 1: -0.3 is not enough
    variance = {0.0001, 0.0002, 0.0003};
    CHECK(first({2.0, 1.0}) == 0);
}

TEST_CASE("a constant exploration is that of the rule, in the unit of the model or of the values")
{
    std::vector<char> const open{1, 1};
    std::vector<double> const mean{-0.3, 0.5};
    std::vector<double> const variance{0.04, 0.25};
    attune::scored_candidates const all{open, mean, variance};
    auto const score = [&](bool in_values, double unit) {
        attune::contextual<attune::expected_improvement_rule> rule({}, 0.5, in_values);
        rule.prepare(all, {3.0, 2.0, unit});
        return rule.score(mean[1], variance[1], -0.1);
    };
    auto const plain = [&](double exploration) {
        return attune::expected_improvement_rule{exploration}.score(mean[1], variance[1], -0.1);
    };
    CHECK(score(false, 4.0) == plain(0.5));
    CHECK(score(true, 4.0) == plain(0.125)); // 0.5 of the values is an eighth of four
    CHECK(score(true, 0.0) == plain(0.5));   // logarithms have no such unit
}

using attune::detail::contextual_variance;

TEST_CASE("the factor is 1 as long as nothing changed since the initial design")
{
    contextual_variance const context(0.8, 12.0);
    CHECK(context.factor(0.8, 12.0) == doctest::Approx(1.0));
}

TEST_CASE("the factor shrinks with the variance and with the best value")
{
    contextual_variance const context(0.8, 12.0);
    CHECK(context.factor(0.4, 12.0) == doctest::Approx(0.5));
    CHECK(context.factor(0.8, 3.0) == doctest::Approx(0.25));
    CHECK(context.factor(0.2, 6.0) == doctest::Approx(0.125));
    CHECK(context.factor(0.0, 6.0) == 0.0);
}

TEST_CASE("the factor does not depend on the unit of time")
{
    CHECK(contextual_variance(0.8, 12e-3).factor(0.3, 5e-3) ==
          doctest::Approx(contextual_variance(0.8, 12.0).factor(0.3, 5.0)));
}

TEST_CASE("where the ratio has no meaning the factor is the usual one")
{
    double const usual = contextual_variance::usual;
    CHECK(contextual_variance(0.0, 12.0).factor(0.3, 5.0) == usual);
    CHECK(contextual_variance(0.8, -1.0).factor(0.3, 5.0) == usual);
    CHECK(contextual_variance(0.8, 12.0).factor(0.3, 0.0) == usual);
    CHECK(contextual_variance(0.8, 12.0).factor(0.3, std::numeric_limits<double>::infinity()) ==
          usual);
}
