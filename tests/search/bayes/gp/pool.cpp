// tests/search/bayes/gp/pool.cpp : mirrors include/attune/search/bayes/gp/pool.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/gp/pool.hpp>

#include <attune/core/random.hpp>
#include <attune/search/bayes/gp/conditional.hpp>

#include <Eigen/Core>
#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <utility>
#include <vector>

#include "../../../support/gp_points.hpp"

using attune::detail::gp::precision;
using attune::detail::gp::process_options;
using mixed_pool = attune::detail::gp::pool;

namespace {

template <precision Is>
struct pool_with : mixed_pool {
    explicit pool_with(attune::feature_map map, process_options const& options = {})
        : mixed_pool(std::move(map), options, Is)
    {
    }
};
using pool = pool_with<precision::single>;
using exact_pool = pool_with<precision::exact>;

struct setting {
    attune::random_engine engine{31};
    attune::chain_of_trees space = gp_points::space(true);
    attune::feature_map map{space};
    gp_points::sample seen = gp_points::draw(space, map, 60, engine);
    gp_points::sample rows = gp_points::draw(space, map, 1500, engine);
    attune::detail::gp::hyperparameter_vector h = gp_points::some_hyper(map.count());

    template <class Pool>
    [[nodiscard]] Pool empty(attune::detail::gp::kernel k = {}) const
    {
        process_options options;
        options.kernel = k;
        Pool out(map, options);
        out.set_hyper(h);
        out.rescale(1.0, 0.7);
        out.assign(rows.table);
        return out;
    }
    /// The first `count` observed points, at once.
    template <class Pool>
    [[nodiscard]] Pool given(std::size_t count, attune::detail::gp::kernel k = {}) const
    {
        Pool out = empty<Pool>(k);
        attune::feature_table table;
        for (std::size_t i = 0; i < count; ++i)
            attune::detail::gp::append_row(seen.table, i, table);
        out.condition(table, {seen.values.data(), count});
        return out;
    }
};

template <class A, class B>
void check_near(A const& a, B const& b, double tolerance)
{
    REQUIRE(a.mean().size() == b.mean().size());
    CHECK((a.mean() - b.mean()).abs().maxCoeff() < tolerance);
    CHECK((a.variance() - b.variance()).abs().maxCoeff() < tolerance);
}

} // namespace

TEST_CASE("a pool gives what its process predicts, and the textbook")
{
    setting const s;
    for (attune::detail::gp::kernel const& k : gp_points::all_kernels()) {
        exact_pool const p = s.given<exact_pool>(60, k);
        auto const [mean, variance] = gp_points::predicted(p.model(), s.rows.table);
        CHECK((p.mean() - mean).abs().maxCoeff() < 1e-12);
        CHECK((p.variance() - variance).abs().maxCoeff() < 1e-12);
        Eigen::VectorXd const y = (gp_points::vector(s.seen.values).array() - 1.0) / 0.7;
        gp_points::textbook const want(s.map, k, s.h, s.seen.table, y, Eigen::VectorXd::Zero(60),
                                       s.rows.table);
        CHECK((p.mean() - want.mean).abs().maxCoeff() < 1e-10);
        CHECK((p.variance() - want.variance).abs().maxCoeff() < 1e-10);
        check_near(s.given<pool>(60, k), p, 2e-4);
    }
}

TEST_CASE("observing one by one equals conditioning at once")
{
    setting const s;
    for (attune::detail::gp::kernel const& k : gp_points::all_kernels()) {
        exact_pool exact = s.empty<exact_pool>(k);
        pool single = s.empty<pool>(k);
        for (std::size_t i = 0; i < 60; ++i) {
            exact.observe(s.seen.table, i, s.seen.values[i]);
            single.observe(s.seen.table, i, s.seen.values[i]);
        }
        CHECK(exact.observations() == 60);
        check_near(exact, s.given<exact_pool>(60, k), 1e-10);
        check_near(single, s.given<exact_pool>(60, k), 5e-4);
    }
}

TEST_CASE("observing a candidate equals observing the point it is")
{
    setting const s;
    exact_pool by_row = s.given<exact_pool>(20);
    exact_pool by_point = s.given<exact_pool>(20);
    by_row.observe(77, 2.5, 0.1);
    by_point.observe(s.rows.table, 77, 2.5, 0.1);
    check_near(by_row, by_point, 1e-15);
    CHECK(by_row.variance()[77] < 0.11);
}

TEST_CASE("forgetting any observation equals never having observed it")
{
    setting const s;
    for (std::size_t const gone : {0u, 10u, 29u}) {
        exact_pool p = s.given<exact_pool>(30);
        p.forget(gone);
        exact_pool want = s.empty<exact_pool>();
        for (std::size_t i = 0; i < 30; ++i)
            if (i != gone) want.observe(s.seen.table, i, s.seen.values[i]);
        check_near(p, want, 1e-10);
        // And it goes on from there.
        p.observe(s.seen.table, 40, s.seen.values[40]);
        want.observe(s.seen.table, 40, s.seen.values[40]);
        check_near(p, want, 1e-10);
    }
}

TEST_CASE("revising an observation equals having observed the other value")
{
    setting s;
    exact_pool p = s.given<exact_pool>(30);
    for (std::size_t const i : {0u, 17u, 29u}) {
        s.seen.values[i] -= 2.0;
        p.revise(i, s.seen.values[i]);
    }
    check_near(p, s.given<exact_pool>(30), 1e-10);
}

TEST_CASE("rescaling equals conditioning on rescaled values, without a rebuild")
{
    setting const s;
    exact_pool p = s.given<exact_pool>(30);
    p.rescale(-2.0, 5.0);
    exact_pool want = s.empty<exact_pool>();
    want.rescale(-2.0, 5.0);
    for (std::size_t i = 0; i < 30; ++i)
        want.observe(s.seen.table, i, s.seen.values[i]);
    check_near(p, want, 1e-10);
}

TEST_CASE("pending points are popped bit for bit, nested")
{
    setting const s;
    pool p = s.given<pool>(25);
    std::vector<Eigen::ArrayXd> means{p.mean()};
    std::vector<Eigen::ArrayXd> variances{p.variance()};
    for (std::size_t const row : {4u, 900u, 4u}) {
        p.push_pending(row, 0.5);
        CHECK(p.variance()[static_cast<Eigen::Index>(row)] < 0.05);
        means.push_back(p.mean());
        variances.push_back(p.variance());
    }
    p.push_pending(s.seen.table, 50, 0.5);
    CHECK(p.pending() == 4);
    CHECK(p.observations() == 29);
    for (std::size_t k = 3; k + 1 > 0; --k) {
        p.pop_pending();
        CHECK((p.mean() == means[k]).all());
        CHECK((p.variance() == variances[k]).all());
    }
    CHECK(p.pending() == 0);
    p.observe(s.seen.table, 25, s.seen.values[25]);
    check_near(p, s.given<exact_pool>(26), 2e-4);
}

TEST_CASE("the covariance of a candidate with the others is that of the textbook")
{
    setting const s;
    exact_pool p = s.given<exact_pool>(40);
    attune::feature_table seen;
    for (std::size_t i = 0; i < 40; ++i)
        attune::detail::gp::append_row(s.seen.table, i, seen);
    Eigen::MatrixXd noisy = gp_points::covariance(s.map, {}, s.h, seen, seen);
    noisy.diagonal().array() += s.h.noise();
    Eigen::MatrixXd const cross = gp_points::covariance(s.map, {}, s.h, s.rows.table, seen);
    Eigen::MatrixXd const prior = gp_points::covariance(s.map, {}, s.h, s.rows.table, s.rows.table);
    Eigen::ArrayXd found;
    for (Eigen::Index const row : {0, 700, 1499}) {
        p.covariance(static_cast<std::size_t>(row), found);
        Eigen::VectorXd const want =
            prior.col(row) - cross * (noisy.inverse() * cross.row(row).transpose());
        CHECK((found.matrix() - want).cwiseAbs().maxCoeff() < 1e-10);
        CHECK(found[row] == doctest::Approx(p.variance()[row]).epsilon(1e-9));
    }
}

TEST_CASE("candidates come and go, and observations stay")
{
    setting s;
    exact_pool p = s.given<exact_pool>(30);
    exact_pool const all = s.given<exact_pool>(30);
    p.append(s.rows.table);
    REQUIRE(p.rows() == 3000);
    CHECK((p.mean().tail(1500) - all.mean()).abs().maxCoeff() < 1e-12);
    CHECK((p.variance().tail(1500) - all.variance()).abs().maxCoeff() < 1e-12);
    p.observe(s.seen.table, 30, s.seen.values[30]);
    exact_pool const more = s.given<exact_pool>(31);
    CHECK((p.mean().tail(1500) - more.mean()).abs().maxCoeff() < 1e-10);
    CHECK((p.mean().head(1500) - more.mean()).abs().maxCoeff() < 1e-10);
    p.assign(s.seen.table);
    CHECK(p.rows() == 60);
    CHECK(p.observations() == 31);
    auto const [mean, variance] = gp_points::predicted(p.model(), s.seen.table);
    CHECK((p.mean() - mean).abs().maxCoeff() < 1e-12);
}

TEST_CASE("a pool without candidates or observations is no special case")
{
    setting const s;
    pool p(s.map);
    CHECK(p.rows() == 0);
    CHECK(p.mean().size() == 0);
    p.observe(s.seen.table, 0, 1.0);
    p.assign(s.rows.table);
    CHECK(p.variance().minCoeff() < p.model().hyper().signal());
    pool fresh(s.map);
    fresh.assign(s.rows.table);
    CHECK(fresh.mean().abs().maxCoeff() == 0.0);
    CHECK((fresh.variance() - fresh.model().hyper().signal()).abs().maxCoeff() < 1e-12);
    fresh.push_pending(3, 0.0);
    fresh.pop_pending();
    CHECK(fresh.observations() == 0);
    CHECK((fresh.variance() - fresh.model().hyper().signal()).abs().maxCoeff() < 1e-12);
}

TEST_CASE("the response to other values is the mean that they would give")
{
    setting const s;
    exact_pool with = s.empty<exact_pool>();
    with.rescale(0, 1);
    attune::feature_table table;
    std::vector<double> other;
    for (std::size_t i = 0; i < 20; ++i) {
        attune::detail::gp::append_row(s.seen.table, i, table);
        other.push_back(std::cos(static_cast<double>(i)));
    }
    with.condition(table, {s.seen.values.data(), 20});
    with.observe(s.seen.table, 20, 0.3); // observed one by one, too
    attune::detail::gp::append_row(s.seen.table, 20, table);
    other.push_back(-1);
    Eigen::MatrixXd values(21, 2);
    values.col(0) = gp_points::vector(other);
    values.col(1).setOnes();
    Eigen::MatrixXd const response = with.response(with.whitened(values));
    REQUIRE(response.rows() == 1500);
    exact_pool alone = s.empty<exact_pool>();
    alone.rescale(0, 1);
    alone.condition(table, other);
    CHECK((response.col(0).array() - alone.mean()).abs().maxCoeff() < 1e-9);
    CHECK(with.response(Eigen::MatrixXd(0, 2)).isZero());
}

namespace {

struct mixed_setting {
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
    mixed_setting const s;
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
    mixed_setting const s;
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
        both([](auto& q) { q.push_pending(90, 1.0); });
        both([&](auto& q) { q.push_pending(s.rows.table, 91, 1.0); });
        both([](auto& q) { q.pop_pending(); });
        both([](auto& q) { q.pop_pending(); });
        both([&](auto& q) { q.append(s.seen.table); });
        Eigen::ArrayXd ours;
        Eigen::ArrayXd theirs;
        p.covariance(7, ours);
        want.covariance(7, theirs);
        CHECK((ours - theirs).abs().maxCoeff() < tolerance);
        CHECK(p.table().points == 860);
    }
}
