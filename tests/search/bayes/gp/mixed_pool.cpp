// tests/search/bayes/gp/mixed_pool.cpp : mirrors include/attune/search/bayes/gp/mixed_pool.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/gp/mixed_pool.hpp>

#include <attune/core/random.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

#include "../../../support/gp_points.hpp"

using attune::detail::gp::exact_pool;
using attune::detail::gp::mixed_pool;

namespace {

struct setting {
    attune::random_engine engine{41};
    attune::chain_of_trees space = gp_points::space(true);
    attune::feature_map map{space};
    gp_points::sample seen = gp_points::draw(space, map, 60, engine);
    gp_points::sample rows = gp_points::draw(space, map, 800, engine);

    [[nodiscard]] attune::detail::gp::hyperparameter_vector with_noise(double noise) const
    {
        attune::detail::gp::hyperparameter_vector h = gp_points::some_hyper(map.count());
        h.theta[h.features() + 1] = std::log(noise);
        return h;
    }
    [[nodiscard]] exact_pool exact(double noise) const
    {
        exact_pool out(map);
        out.rescale(1.0, 0.7);
        out.assign(rows.table);
        out.set_hyper(with_noise(noise));
        out.condition(seen.table, seen.values);
        return out;
    }
};

template <class A, class B>
double difference(A const& a, B const& b)
{
    return std::max((a.mean() - b.mean()).abs().maxCoeff(),
                    (a.variance() - b.variance()).abs().maxCoeff());
}

} // namespace

TEST_CASE("precision follows the noise, and candidates and standardisation stay")
{
    setting const s;
    mixed_pool p(s.map);
    CHECK_FALSE(p.is_exact()); // the prior's mode is noisy enough
    p.rescale(1.0, 0.7);
    p.assign(s.rows.table);
    for (double const noise : {1e-2, 1e-6, 1e-2}) {
        p.set_hyper(s.with_noise(noise));
        p.condition(s.seen.table, s.seen.values);
        CHECK(p.is_exact() == (noise < 1e-4));
        CHECK(p.rows() == 800);
        CHECK(p.observations() == 60);
        CHECK(p.model().hyper().noise() == doctest::Approx(noise));
        CHECK(difference(p, s.exact(noise)) < (p.is_exact() ? 1e-14 : 1e-3));
    }
}

TEST_CASE("in either precision a mixed pool does what a pool does")
{
    setting const s;
    for (double const noise : {1e-2, 1e-6}) {
        double const tolerance = noise < 1e-4 ? 1e-14 : 2e-3;
        mixed_pool p(s.map);
        p.set_hyper(s.with_noise(noise));
        p.rescale(1.0, 0.7);
        p.assign(s.rows.table);
        p.condition(s.seen.table, s.seen.values);
        exact_pool want = s.exact(noise);
        auto const both = [&](auto action) {
            action(p);
            action(want);
            CHECK(p.mean().size() == want.mean().size());
            CHECK(difference(p, want) < tolerance);
        };
        both([](auto& q) { q.observe(3, 2.0); });
        both([&](auto& q) { q.observe(s.rows.table, 17, 1.5, 0.1); });
        both([](auto& q) { q.revise(60, 1.9); });
        both([](auto& q) { q.forget(61); });
        both([](auto& q) { q.push_pending(90, 1.0); });
        both([&](auto& q) { q.push_pending(s.rows.table, 91, 1.0); });
        both([](auto& q) { q.pop_pending(); });
        both([](auto& q) { q.pop_pending(); });
        both([&](auto& q) { q.append(s.seen.table); });
        std::vector<char> keep(860, 1);
        keep[5] = 0;
        both([&](auto& q) { q.keep_only(keep); });
        Eigen::ArrayXd ours;
        Eigen::ArrayXd theirs;
        p.covariance(7, ours);
        want.covariance(7, theirs);
        CHECK((ours - theirs).abs().maxCoeff() < tolerance);
        CHECK(p.table().points == 859);
    }
}
