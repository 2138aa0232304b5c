// tests/search/bayes/gp/conditional.cpp : mirrors include/attune/search/bayes/gp/conditional.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/gp/conditional.hpp>

#include <attune/core/random.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

#include "../../../support/gp_points.hpp"

using attune::detail::gp::conditional;

namespace {

struct setting {
    attune::random_engine engine{8};
    attune::chain_of_trees space = gp_points::space(true);
    attune::feature_map map{space};
    gp_points::sample seen = gp_points::draw(space, map, 40, engine);
    attune::detail::gp::hyperparameter_vector h = gp_points::some_hyper(map.count());
    std::vector<double> extra = std::vector<double>(40, 0.0);

    setting() { extra[7] = 0.3; }
};

/// A conditional given the points, values and variances of `s` at the indices `which`, at once.
conditional at_once(setting const& s, attune::detail::gp::kernel k,
                    std::vector<std::size_t> const& which)
{
    attune::feature_table table;
    std::vector<double> values;
    std::vector<double> extra;
    for (std::size_t const i : which) {
        attune::detail::gp::append_row(s.seen.table, i, table);
        values.push_back(s.seen.values[i]);
        extra.push_back(s.extra[i]);
    }
    conditional out(s.map, k);
    REQUIRE(out.condition(s.h, table, values, extra, 0.5, 2.0));
    return out;
}

void check_same(conditional const& a, conditional const& b)
{
    REQUIRE(a.size() == b.size());
    CHECK((a.factor() - b.factor()).cwiseAbs().maxCoeff() < 1e-11);
    CHECK((a.of_values() - b.of_values()).cwiseAbs().maxCoeff() < 1e-11);
    CHECK((a.of_ones() - b.of_ones()).cwiseAbs().maxCoeff() < 1e-11);
    CHECK(a.points().level == b.points().level);
    CHECK(a.points().real == b.points().real);
    CHECK(a.points().points == b.points().points);
}

std::vector<std::size_t> counting(std::size_t n)
{
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < n; ++i)
        out.push_back(i);
    return out;
}

} // namespace

TEST_CASE("the factor and its products are those of the covariance matrix")
{
    setting const s;
    for (attune::detail::gp::kernel const& k : gp_points::all_kernels()) {
        conditional const c = at_once(s, k, counting(40));
        Eigen::MatrixXd noisy = gp_points::covariance(s.map, k, s.h, s.seen.table, s.seen.table);
        noisy.diagonal().array() += s.h.noise();
        noisy.diagonal() += gp_points::vector(s.extra);
        Eigen::MatrixXd const factor = c.factor();
        CHECK((factor * factor.transpose() - noisy).cwiseAbs().maxCoeff() < 1e-12);
        Eigen::VectorXd const y = (gp_points::vector(s.seen.values).array() - 0.5) / 2.0;
        CHECK((factor * c.of_values() - y).cwiseAbs().maxCoeff() < 1e-11);
        CHECK((factor * c.of_ones() - Eigen::VectorXd::Ones(40)).cwiseAbs().maxCoeff() < 1e-11);
        CHECK(c.shift() == 0.5);
        CHECK(c.scale() == 2.0);
    }
}

TEST_CASE("observing one by one equals conditioning at once")
{
    setting const s;
    for (attune::detail::gp::kernel const& k : gp_points::all_kernels()) {
        conditional one_by_one = at_once(s, k, {});
        for (std::size_t i = 0; i < 40; ++i) {
            auto const [projected, pivot] =
                one_by_one.observe(s.seen.table, i, s.seen.values[i], s.extra[i]);
            CHECK(projected.size() == static_cast<Eigen::Index>(i));
            CHECK(pivot == one_by_one.factor()(projected.size(), projected.size()));
        }
        check_same(one_by_one, at_once(s, k, counting(40)));
    }
}

TEST_CASE("revising equals having observed the other value")
{
    setting s;
    conditional revised = at_once(s, {}, counting(40));
    for (std::size_t const i : {0u, 13u, 39u}) {
        Eigen::VectorXd const before = revised.of_values();
        s.seen.values[i] += 3.0;
        Eigen::VectorXd const change = revised.revise(i, s.seen.values[i]);
        CHECK(change.head(static_cast<Eigen::Index>(i)).norm() == 0.0);
        CHECK((revised.of_values() - before - change).norm() < 1e-12);
    }
    check_same(revised, at_once(s, {}, counting(40)));
}

TEST_CASE("forgetting equals never having observed")
{
    setting const s;
    for (std::size_t const gone : {0u, 20u, 38u, 39u}) {
        conditional c = at_once(s, {}, counting(40));
        CHECK(c.forget(gone).size() == 39 - gone);
        std::vector<std::size_t> rest = counting(40);
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(gone));
        check_same(c, at_once(s, {}, rest));
    }
    // Down to nothing, from the front.
    conditional c = at_once(s, {}, counting(40));
    for (int i = 0; i < 40; ++i)
        (void)c.forget(0);
    CHECK(c.size() == 0);
    CHECK(c.points().points == 0);
    (void)c.observe(s.seen.table, 3, s.seen.values[3], 0);
    check_same(c, at_once(s, {}, {3}));
}

TEST_CASE("the same point again and again leaves a usable factor")
{
    setting s;
    s.h.theta[s.h.features() + 1] = std::log(1e-14); // no noise to speak of
    conditional c = at_once(s, {}, {0, 1, 2});
    for (int i = 0; i < 5; ++i)
        (void)c.observe(s.seen.table, 1, s.seen.values[1], 0);
    CHECK(c.of_values().allFinite());
    CHECK(c.factor().diagonal().minCoeff() > 0);
}

TEST_CASE("a covariance that is no number leaves no observations")
{
    setting s;
    s.h.theta[0] = std::nan("");
    conditional c(s.map, {});
    CHECK_FALSE(c.condition(s.h, s.seen.table, s.seen.values, {}, 0, 1));
    CHECK(c.size() == 0);
}
