// tests/support/minimal_surrogate.hpp : only what the concept `surrogate` promises
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/bayes/surrogate.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

/// The value of the nearest row that was learnt, by the sum of distances over features.
class minimal_surrogate {
public:
    explicit minimal_surrogate(attune::feature_map const& features)
        : features_(features)
    {
    }

    void learn(attune::feature_table const& points, std::span<double const> values,
               std::span<double const>, attune::random_engine&)
    {
        points_ = points;
        values_.assign(values.begin(), values.end());
    }
    void predict(attune::feature_table const& points, Eigen::ArrayXd& mean,
                 Eigen::ArrayXd& variance) const
    {
        mean.resize(static_cast<Eigen::Index>(points.points));
        variance.resize(static_cast<Eigen::Index>(points.points));
        for (std::size_t row = 0; row < points.points; ++row) {
            std::size_t nearest = 0;
            for (std::size_t i = 1; i < values_.size(); ++i)
                if (distance(points, row, i) < distance(points, row, nearest)) nearest = i;
            mean[static_cast<Eigen::Index>(row)] = values_[nearest];
            variance[static_cast<Eigen::Index>(row)] = distance(points, row, nearest);
        }
    }

private:
    [[nodiscard]] double distance(attune::feature_table const& points, std::size_t row,
                                  std::size_t learnt) const
    {
        double sum = 0;
        for (std::size_t f = 0; f < features_.count(); ++f)
            if (features_.levels(f) > 0)
                sum += features_.distance(f, points.level[f][row], points_.level[f][learnt]);
            else
                sum += std::abs(points.real[f][row] - points_.real[f][learnt]);
        return sum;
    }

    attune::feature_map features_;
    attune::feature_table points_;
    std::vector<double> values_;
};
