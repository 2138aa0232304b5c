// tests/support/gp_points.hpp : points of a mixed space, and covariances of them from the definition
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/declare/description.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/gp/kernel.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search_spaces.hpp"

namespace gp_points {

/// The features of every configuration, in the order of their numbers.
inline attune::feature_table rows_of_all(attune::feature_map const& features)
{
    attune::feature_table out;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(*features.space().size()); ++i)
        features.append(features.space().at(i), out);
    return out;
}

struct prediction {
    Eigen::ArrayXd mean, variance;
};

/// What a model says of the rows of a table.
template <class Model>
prediction predicted(Model const& model, attune::feature_table const& at)
{
    prediction out;
    model.predict(at, out.mean, out.variance);
    return out;
}

/// Ordinals, a categorical and, if wanted, a real parameter.
inline attune::chain_of_trees space(bool with_real)
{
    attune::description d;
    d.parameters = {search_spaces::counting("a", 6), search_spaces::ordinal("b", {1, 2, 4, 8, 16}),
                    search_spaces::categorical("c", {"x", "y", "z"}),
                    search_spaces::counting("d", 40)};
    if (with_real) d.parameters.push_back(search_spaces::real("e", 0.0, 2.0));
    return attune::chain_of_trees(d);
}

/// n random points and a smooth function of them with some noise.
struct sample {
    attune::feature_table table;
    std::vector<double> values;
};

inline sample draw(attune::chain_of_trees const& from, attune::feature_map const& map,
                   std::size_t n, attune::random_engine& engine)
{
    sample out;
    for (std::size_t i = 0; i < n; ++i) {
        attune::point const p = from.sample(engine);
        map.append(p, out.table);
        double const e = p.size() > 4 ? p[4].real : 0.5;
        out.values.push_back(std::sin(0.8 * p[0].index + e) + 0.3 * p[1].index * p[2].index +
                             0.02 * p[3].index + 0.1 * attune::uniform_unit(engine));
    }
    return out;
}

inline Eigen::VectorXd vector(std::vector<double> const& v)
{
    return Eigen::Map<Eigen::VectorXd const>(v.data(), static_cast<Eigen::Index>(v.size()));
}

/// Lengths around 1, signal 1.3, noise 0.02, base 0.3: unlike in every feature.
inline attune::detail::gp::hyperparameter_vector some_hyper(std::size_t features)
{
    Eigen::Index const d = static_cast<Eigen::Index>(features);
    attune::detail::gp::hyperparameter_vector h;
    h.theta.resize(d + 3);
    for (Eigen::Index f = 0; f < d; ++f)
        h.theta[f] = -0.4 + 0.3 * static_cast<double>(f);
    h.theta.tail<3>() << std::log(1.3), std::log(0.02), std::log(0.3 / 0.7);
    return h;
}

inline double matern(attune::detail::gp::smoothness s, double r)
{
    if (s == attune::detail::gp::smoothness::matern32)
        return (1 + std::sqrt(3.0) * r) * std::exp(-std::sqrt(3.0) * r);
    return (1 + std::sqrt(5.0) * r + 5 * r * r / 3) * std::exp(-std::sqrt(5.0) * r);
}

/// From the definition, pair by pair. K: rows of a x rows of b, without noise.
inline Eigen::MatrixXd covariance(attune::feature_map const& map, attune::detail::gp::kernel k,
                                  attune::detail::gp::hyperparameter_vector const& h,
                                  attune::feature_table const& a, attune::feature_table const& b)
{
    Eigen::MatrixXd out(static_cast<Eigen::Index>(a.points), static_cast<Eigen::Index>(b.points));
    for (std::size_t i = 0; i < a.points; ++i)
        for (std::size_t j = 0; j < b.points; ++j) {
            double product = 1;
            double square = 0;
            for (std::size_t f = 0; f < map.count(); ++f) {
                double const distance =
                    map.levels(f) == 0 ? std::abs(map.position(f, a, i) - map.position(f, b, j))
                                       : map.distance(f, a.level[f][i], b.level[f][j]);
                double const r = distance / h.length(static_cast<Eigen::Index>(f));
                product *= h.base() + (1 - h.base()) * matern(k.matern, r);
                square += r * r;
            }
            out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
                h.signal() * (k.form == attune::detail::gp::kernel_form::product
                                  ? product
                                  : matern(k.matern, std::sqrt(square)));
        }
    return out;
}

/// Posterior from the textbook, with an explicit inverse.
struct textbook {
    Eigen::ArrayXd mean;
    Eigen::ArrayXd variance;

    textbook(attune::feature_map const& map, attune::detail::gp::kernel k,
             attune::detail::gp::hyperparameter_vector const& h, attune::feature_table const& seen,
             Eigen::VectorXd const& values, Eigen::VectorXd const& extra,
             attune::feature_table const& where)
    {
        Eigen::MatrixXd noisy = covariance(map, k, h, seen, seen);
        noisy.diagonal().array() += h.noise();
        noisy.diagonal() += extra;
        Eigen::MatrixXd const inverse = noisy.inverse();
        Eigen::MatrixXd const cross = covariance(map, k, h, where, seen);
        mean = (cross * (inverse * values)).array();
        variance = h.signal() - (cross * inverse).cwiseProduct(cross).rowwise().sum().array();
    }
};

inline std::vector<attune::detail::gp::kernel> all_kernels()
{
    using attune::detail::gp::kernel_form;
    using attune::detail::gp::smoothness;
    return {{kernel_form::product, smoothness::matern52},
            {kernel_form::product, smoothness::matern32},
            {kernel_form::radial, smoothness::matern52},
            {kernel_form::radial, smoothness::matern32}};
}

} // namespace gp_points
