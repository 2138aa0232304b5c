// bench/search/synthetic_objective.hpp - objectives over any space whose optimum is known.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/distance.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// `parameters` ordinal parameters with the values 0 to values - 1 each; no constraint.
[[nodiscard]] inline attune::chain_of_trees grid_space(int parameters, std::int64_t values)
{
    attune::description d;
    for (int i = 0; i < parameters; ++i) {
        attune::parameter_description p;
        p.name = "p" + std::to_string(i);
        p.kind = attune::parameter_kind::ordinal;
        p.type = attune::value_kind::integer;
        for (std::int64_t v = 0; v < values; ++v)
            p.integers.push_back(v);
        d.parameters.push_back(std::move(p));
    }
    return attune::chain_of_trees(d);
}

/// What a kernel's time is like: few parameters matter much, they matter by their distance from
/// their best value, and some must be changed together.
///
///   log t(x) = sum_i w_i d_i(x)^1.5 + sum_(i, j) v_ij |d_i(x) - d_j(x)|
///
/// with d_i in [0, 1] the distance of parameter i from its value in a configuration x* drawn
/// uniformly; w = 4, 2.8, 1.96, ... in random order; v_ij = 2 for three random pairs. Every term is
/// 0 at x* and none is negative: the optimum is t(x*) = 1.
///
/// With hidden constraints, configurations fail where d_a + d_b >= 1 for some of six random pairs,
/// a quarter to a half of a space; x* never does.
class synthetic_objective {
public:
    static constexpr double optimum = 1.0;

    /// @param seed  of x*, the weights and the pairs
    synthetic_objective(attune::chain_of_trees const& space, std::uint64_t seed, bool hidden)
        : space_(space)
    {
        attune::random_engine engine(~seed); // not the searcher's, which may have the same seed
        best_ = space.sample(engine);
        std::vector<std::size_t> varying;
        for (std::size_t i = 0; i < best_.size(); ++i)
            if (space.describe().parameters[i].value_count() != 1) varying.push_back(i);
        attune::shuffle(std::span(varying), engine);
        weight_.assign(best_.size(), 0);
        double weight = 4;
        for (std::size_t const i : varying) {
            weight_[i] = weight;
            weight *= 0.7;
        }
        auto const pair = [&] {
            std::size_t const a = varying[attune::uniform_below(engine, varying.size())];
            std::size_t const b = varying[attune::uniform_below(engine, varying.size())];
            return std::pair(a, b);
        };
        for (int i = 0; i < 3; ++i)
            together_.push_back(pair());
        for (int i = 0; hidden && i < 6; ++i)
            failing_.push_back(pair());
    }

    [[nodiscard]] attune::outcome operator()(attune::point const& p) const
    {
        std::vector<double> const d = attune::distances(space_.describe(), p, best_);
        for (auto const& [a, b] : failing_)
            if (a != b && d[a] + d[b] >= 1)
                return attune::failure{attune::failure_stage::launch, "a hidden constraint"};
        double sum = 0;
        for (std::size_t i = 0; i < d.size(); ++i)
            sum += weight_[i] * std::pow(d[i], 1.5);
        for (auto const& [a, b] : together_)
            sum += 2 * std::abs(d[a] - d[b]);
        return attune::measurement::exact(std::exp(sum));
    }

private:
    attune::chain_of_trees space_;
    attune::point best_;
    std::vector<double> weight_;
    std::vector<std::pair<std::size_t, std::size_t>> together_;
    std::vector<std::pair<std::size_t, std::size_t>> failing_;
};

} // namespace bench
