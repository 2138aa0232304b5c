// tests/search/bayes/candidates.cpp : mirrors include/attune/search/bayes/candidates.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/candidates.hpp>

#include <attune/declare/activity.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "../../support/search_spaces.hpp"

namespace {

struct setting {
    explicit setting(attune::chain_of_trees const& space, std::size_t enumerate)
        : unseen(space)
        , features(unseen.space())
        , prior(unseen.space().describe())
        , rows(unseen, features, prior, enumerate)
    {
    }
    attune::unseen_points unseen;
    attune::feature_map features;
    attune::detail::user_prior prior;
    attune::detail::candidate_rows rows;
    attune::random_engine engine{1};
};

} // namespace

TEST_CASE("a modest space is taken whole, with the seen points closed")
{
    setting s(search_spaces::constrained(), 36);
    s.unseen.mark(s.unseen.space().at(std::uint64_t{3}));
    REQUIRE(s.rows.takes_whole_space());
    CHECK(s.rows.enumerate().points == 36);
    CHECK(s.rows.size() == 36);
    CHECK(std::count(s.rows.open().begin(), s.rows.open().end(), 1) == 35);
    CHECK(s.rows.open()[3] == 0);
    s.rows.close(s.rows.at(7));
    CHECK(s.rows.open()[7] == 0);
    CHECK(s.rows.log_weight().empty());
}

TEST_CASE("rows and points of a whole space name each other")
{
    setting s(search_spaces::constrained(), 36);
    CHECK(!s.rows.row_of(s.rows.at(0))); // before it was enumerated
    (void)s.rows.enumerate();
    for (std::size_t row = 0; row < 36; ++row)
        CHECK(s.rows.row_of(s.rows.at(row)) == row);
}

TEST_CASE("a large space takes what is offered, once, and nothing seen")
{
    setting s(search_spaces::grid(200), 39999);
    REQUIRE(!s.rows.takes_whole_space());
    attune::point const seen = s.unseen.space().at(std::uint64_t{5});
    attune::point const fresh = s.unseen.space().at(std::uint64_t{6});
    s.unseen.mark(seen);
    CHECK(s.rows.offer({seen, fresh, fresh}).points == 1);
    CHECK(s.rows.offer({fresh}).points == 0);
    REQUIRE(s.rows.size() == 1);
    CHECK(s.rows.at(0) == fresh);
    CHECK(s.rows.row_of(fresh) == 0);
    CHECK(!s.rows.row_of(seen));
    s.rows.close(fresh);
    CHECK(s.rows.open()[0] == 0);
    s.rows.clear();
    CHECK(s.rows.size() == 0);
    CHECK(!s.rows.row_of(fresh));
}

TEST_CASE("weights follow the user's belief")
{
    attune::description d;
    d.parameters = {search_spaces::counting("x", 4)};
    d.parameters[0].prior.weights = {1, 2, 4, 8};
    setting s(attune::chain_of_trees(d), 4);
    (void)s.rows.enumerate();
    REQUIRE(s.rows.log_weight().size() == 4);
    for (std::size_t row = 0; row < 4; ++row)
        CHECK(s.rows.log_weight()[row] == s.prior.log_weight(s.rows.at(row)));
}

TEST_CASE("draws around a point are valid, and its neighbours are among them")
{
    attune::chain_of_trees const space = search_spaces::constrained();
    attune::random_engine engine(2);
    attune::point const centre = space.at(std::uint64_t{10});
    std::vector<attune::point> drawn;
    attune::detail::draw_around(space, centre, 5, engine, drawn);
    std::vector<attune::point> const near = space.neighbours(centre);
    CHECK(drawn.size() > near.size());
    for (attune::point const& p : drawn)
        CHECK(space.contains(p));
    for (attune::point const& p : near)
        CHECK(std::find(drawn.begin(), drawn.end(), p) != drawn.end());
}

TEST_CASE("a lonely point has nothing around it, and uniform draws are as many as asked for")
{
    attune::random_engine engine(3);
    std::vector<attune::point> drawn;
    attune::chain_of_trees const one = search_spaces::single();
    attune::detail::draw_around(one, one.at(std::uint64_t{0}), 5, engine, drawn);
    CHECK(drawn.empty());
    attune::detail::draw_uniform(search_spaces::grid(9), 12, engine, drawn);
    CHECK(drawn.size() == 12);
}

TEST_CASE("user_prior multiplies the weights of the values")
{
    attune::description d;
    d.parameters = {search_spaces::ordinal("a", {1, 2, 4}), search_spaces::ordinal("b", {1, 2}),
                    search_spaces::ordinal("c", {1, 2})};
    CHECK(attune::detail::user_prior(d).is_flat());
    d.parameters[0].prior.weights = {1, 5, 2};
    d.parameters[2].prior.weights = {3, 0};
    attune::detail::user_prior const prior(d);
    CHECK_FALSE(prior.is_flat());
    CHECK(prior.log_weight({{1, 0}, {0, 0}, {0, 0}}) == doctest::Approx(std::log(15.0)));
    CHECK(prior.log_weight({{2, 0}, {1, 0}, {0, 0}}) == doctest::Approx(std::log(6.0)));
    CHECK(std::isfinite(prior.log_weight({{0, 0}, {0, 0}, {1, 0}})));
}

TEST_CASE("user_prior is a normal density on the parameter's scale")
{
    attune::description d;
    d.parameters = {search_spaces::real("u", 1, 100), search_spaces::ordinal("b", {1, 10, 100})};
    d.parameters[0].prior.centre = 10;
    d.parameters[0].prior.deviation = 2;
    attune::detail::user_prior const linear(d);
    CHECK(linear.log_weight({{0, 14.0}, {0, 0}}) == doctest::Approx(-2.0));

    d.parameters[1].on = attune::scale::log;
    d.parameters[1].prior.centre = 10;
    d.parameters[1].prior.deviation = std::log(10.0);
    attune::detail::user_prior const both(d);
    CHECK(both.log_weight({{0, 10.0}, {0, 0}}) == doctest::Approx(-0.5));
    CHECK(both.log_weight({{0, 10.0}, {2, 0}}) == doctest::Approx(-0.5));
    CHECK(both.log_weight({{0, 10.0}, {1, 0}}) == doctest::Approx(0.0));
}

TEST_CASE("an inactive parameter counts as the mean weight of its values")
{
    constexpr auto design = attune::categorical<"DESIGN">("plain", "packed");
    constexpr auto width = attune::ordinal<"WIDTH">(attune::values(1, 2, 4));
    attune::description d = attune::bind_inputs(
        attune::lower(attune::space(design, width.prior(1, 2, 9).active_if(design == "packed"))));
    attune::detail::settle_conditions(d);
    attune::detail::user_prior const prior(d);
    CHECK(prior.log_weight({{0, 0}, {0, 0}}) == doctest::Approx(std::log(4)));
    CHECK(prior.log_weight({{1, 0}, {2, 0}}) == doctest::Approx(std::log(9)));
}
