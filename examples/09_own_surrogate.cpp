// 09 - a surrogate and an acquisition of your own in the Bayesian search.
// Shows attune::basic_bayesian_searcher. Needs no compiler, but Eigen. Takes a second.
#include <attune/attune.hpp>
#include <attune/search/bayes/basic_bayesian.hpp>

#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

// A surrogate learns values of configurations and predicts those of others. Here the prediction is
// the mean of all known values, weighted by 1 / distance^4, and the variance is the distance to the
// nearest configuration.
class shepard {
public:
    explicit shepard(attune::feature_map const& features)
        : features_(features)
    {
    }
    void learn(attune::feature_table const& points, std::span<double const> values,
               std::span<double const>, // the variance of each value
               attune::random_engine&)
    {
        points_ = points;
        values_.assign(values.begin(), values.end());
    }
    void predict(attune::feature_table const& at, Eigen::ArrayXd& mean,
                 Eigen::ArrayXd& variance) const
    {
        mean.setZero(static_cast<Eigen::Index>(at.points));
        variance.setOnes(static_cast<Eigen::Index>(at.points));
        for (Eigen::Index row = 0; row < mean.size(); ++row) {
            double total = 0;
            for (std::size_t i = 0; i < values_.size(); ++i) {
                double square = 1e-9;
                for (std::size_t f = 0; f < features_.count(); ++f) { // each has levels here
                    std::uint32_t const level = at.level[f][static_cast<std::size_t>(row)];
                    square += std::pow(features_.distance(f, level, points_.level[f][i]), 2);
                }
                mean[row] += values_[i] / (square * square);
                total += 1 / (square * square);
                variance[row] = std::fmin(variance[row], square);
            }
            mean[row] /= total;
        }
    }

private:
    attune::feature_map features_;
    attune::feature_table points_;
    std::vector<double> values_;
};

// An acquisition scores a candidate by its prediction; the search takes the highest score.
struct optimism {
    double weight = 1;
    double score(double mean, double variance, double) const
    {
        return weight * std::sqrt(variance) - mean;
    }
};

inline constexpr auto x = attune::integer<"X">(0, 40);
inline constexpr auto y = attune::integer<"Y">(0, 40);

int main()
{
    using search = attune::basic_bayesian_searcher<shepard, attune::gaussian_feasibility, optimism>;
    attune::optimizer_options options{.seed = 1};
    options.search = attune::search_with<search>(attune::bayesian_options{}, optimism{.weight = 2});
    attune::optimizer optimizer{attune::space(x, y), options};
    for (int i = 0; i < 60; ++i)
        if (auto const c = optimizer.ask())
            optimizer.tell(*c, 1 + std::pow((*c)[x] - 29, 2) + std::pow((*c)[y] - 12, 2));
    auto const best = optimizer.best().value();
    std::printf("x %d, y %d costs %g\n", best[x], best[y], optimizer.best_value().value());
}
// prints:
// x #, y # costs #
