// tests/search/bayes/gp/maximise.cpp : the maximum of the evidence, by maximise() and by NLopt
// SPDX-License-Identifier: MIT
#include <attune/core/random.hpp>
#include <attune/search/bayes/gp/evidence.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <vector>

#include "../../../support/gp_points.hpp"

#ifdef ATTUNE_TEST_NLOPT
#include <nlopt.hpp>
#endif

using attune::detail::gp::belief;
using attune::detail::gp::evidence;
using attune::detail::gp::hyper_density;
using attune::detail::gp::maximise;
using attune::detail::gp::maximise_options;
using attune::detail::gp::maximum;

namespace {

/// Forty observed points of the mixed space, standardised.
struct problem {
    attune::random_engine engine{6};
    attune::chain_of_trees space = gp_points::space(true);
    attune::feature_map map{space};
    attune::detail::gp::design design;
    Eigen::VectorXd y;

    explicit problem(std::size_t n)
    {
        gp_points::sample const seen = gp_points::draw(space, map, n, engine);
        design = attune::detail::gp::design_of(map, seen.table);
        y = gp_points::vector(seen.values);
        y.array() -= y.mean();
        y /= std::sqrt(y.squaredNorm() / static_cast<double>(n));
    }
    [[nodiscard]] hyper_density prior(belief const& b = {}) const
    {
        return {b, std::vector<char>(map.count(), 0)};
    }
};

maximise_options patient() { return {.iterations = 500, .least_gain = 1e-9}; }

} // namespace

TEST_CASE("maximise ends where nothing nearby is more probable")
{
    problem p(30);
    hyper_density const prior = p.prior();
    for (attune::detail::gp::kernel const& k : gp_points::all_kernels()) {
        evidence likelihood(p.design, k, p.y);
        maximum const found = maximise(likelihood, prior, nullptr, p.engine, patient());
        auto const density = [&](Eigen::VectorXd const& theta) {
            return likelihood(theta, nullptr) + prior.log_density(theta, nullptr);
        };
        CHECK(density(found.best.theta) == doctest::Approx(found.log_density));
        CHECK(found.log_density > density(prior.mode().theta));
        for (int i = 0; i < 100; ++i) {
            Eigen::VectorXd theta = found.best.theta;
            for (Eigen::Index j = 0; j < theta.size(); ++j)
                theta[j] += 0.2 * attune::uniform_unit(p.engine) - 0.1;
            CHECK(density(theta) < found.log_density + 1e-6);
        }
    }
}

TEST_CASE("with its defaults maximise ends within 0.1 of where patience ends, in few evaluations")
{
    problem p(60);
    hyper_density const prior = p.prior();
    evidence likelihood(p.design, {}, p.y);
    maximum const quick = maximise(likelihood, prior, nullptr, p.engine);
    maximum const slow = maximise(likelihood, prior, nullptr, p.engine, patient());
    CHECK(quick.log_density > slow.log_density - 0.1);
    CHECK(quick.evaluations <= 40);
}

TEST_CASE("a warm start never ends lower than where it began, and draws nothing")
{
    problem p(40);
    hyper_density const prior = p.prior();
    evidence likelihood(p.design, {}, p.y);
    maximise_options options{.draws = 8};
    attune::random_engine const before = p.engine;
    maximum const cold = maximise(likelihood, prior, nullptr, p.engine, options);
    CHECK(attune::random_engine(before)() != attune::random_engine(p.engine)());
    attune::random_engine const between = p.engine;
    maximum const warm = maximise(likelihood, prior, &cold.best, p.engine, options);
    CHECK(attune::random_engine(between)() == attune::random_engine(p.engine)());
    CHECK(warm.log_density >= cold.log_density - 1e-9);
    options.from_prior = false;
    maximum const alone = maximise(likelihood, prior, &cold.best, p.engine, options);
    CHECK(alone.evaluations < warm.evaluations);
}

TEST_CASE("maximise survives data that defeat it")
{
    attune::random_engine engine(9);
    hyper_density const prior({}, {0});
    attune::detail::gp::design repeated{4, {{{0, 0, 0, 0}, Eigen::MatrixXd::Zero(1, 1)}}};
    evidence flat(repeated, {}, Eigen::VectorXd::Zero(4));
    CHECK(maximise(flat, prior, nullptr, engine).best.theta.allFinite());

    attune::detail::gp::design broken{2, {{{0, 1}, Eigen::MatrixXd::Constant(2, 2, std::nan(""))}}};
    evidence lost(broken, {}, Eigen::VectorXd::Ones(2));
    CHECK((maximise(lost, prior, nullptr, engine).best.theta - prior.mode().theta).norm() == 0.0);

    attune::detail::gp::design nothing;
    evidence empty(nothing, {}, {});
    hyper_density const no_features({}, {});
    CHECK(maximise(empty, no_features, nullptr, engine).best.theta.size() == 3);
}

#ifdef ATTUNE_TEST_NLOPT
namespace {

using arguments = std::vector<double>;

/// What maximise() maximises, in the form that NLopt takes.
struct posterior {
    evidence& likelihood;
    hyper_density const& prior;

    static double evaluate(arguments const& x, arguments& gradient, void* self)
    {
        posterior const& p = *static_cast<posterior*>(self);
        Eigen::VectorXd const theta = gp_points::vector(x);
        Eigen::VectorXd slope;
        double const value = p.likelihood(theta, &slope) + p.prior.log_density(theta, &slope);
        if (!gradient.empty()) gradient.assign(slope.begin(), slope.end());
        return value;
    }
};

} // namespace
#endif

TEST_CASE("NLopt finds no more probable hyperparameters on the same posterior")
{
#ifdef ATTUNE_TEST_NLOPT
    problem p(40);
    belief gamma;
    gamma.length = belief::density::gamma;
    for (belief const& b : {belief{}, gamma})
        for (attune::detail::gp::kernel const& k : gp_points::all_kernels()) {
            hyper_density const prior = p.prior(b);
            evidence likelihood(p.design, k, p.y);
            maximum const ours = maximise(likelihood, prior, nullptr, p.engine, patient());

            Eigen::VectorXd low = Eigen::VectorXd::Constant(prior.mode().theta.size(), -1e3);
            Eigen::VectorXd high = -low;
            prior.clamp(low);
            prior.clamp(high);
            nlopt::opt optimizer(nlopt::LD_SLSQP, static_cast<unsigned>(low.size()));
            optimizer.set_lower_bounds(arguments(low.begin(), low.end()));
            optimizer.set_upper_bounds(arguments(high.begin(), high.end()));
            posterior target{likelihood, prior};
            optimizer.set_max_objective(&posterior::evaluate, &target);
            optimizer.set_xtol_rel(1e-9);
            optimizer.set_maxeval(5000);
            Eigen::VectorXd const mode = prior.mode().theta;
            arguments x(mode.begin(), mode.end());
            double theirs = 0;
            optimizer.optimize(x, theirs);
            CHECK(ours.log_density == doctest::Approx(theirs).epsilon(1e-6));
        }
#else
    MESSAGE("skipped: NLopt was not found (Debian: libnlopt-cxx-dev)");
#endif
}
