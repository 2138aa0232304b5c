// bench/search/permuted_loops.hpp - a synthetic kernel with an order of loops and hidden failures.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/files/expression_parser.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Five loops in any order, two tile sizes, an unroll factor and a switch; 120 * 4 * 2 * 34 valid
/// configurations, since tiles must fit (TX * TY <= 256).
///
///   log t = 0.4 sum_l c_l |place of loop l - its best place| + 0.5 (log2 TX - a)^2 / 4
///           + 0.3 |log2 TX + log2 TY - b| + 0.2 |log2 U - c| + 0.15 [S != s]
///
/// with c = 1, 0.6, 0.36, ... for the loops of the best order: outer loops matter most. The optimum
/// is 1, wherever the seed puts it. A configuration fails when its innermost loop is 0 and U >= 4,
/// or TX = 128: a fifth of them, never the best.
class permuted_loops {
public:
    /// @param metric  between orders; what an ablation compares
    [[nodiscard]] static attune::description space(attune::order_distance metric)
    {
        attune::description out;
        attune::parameter_description order;
        order.name = "ORDER";
        order.kind = attune::parameter_kind::permutation;
        order.type = attune::value_kind::list;
        order.parts = loops;
        order.metric = metric;
        out.parameters.push_back(std::move(order));
        auto const powers = [&](std::string const& name, int count) {
            attune::parameter_description p;
            p.name = name;
            p.kind = attune::parameter_kind::ordinal;
            p.type = attune::value_kind::integer;
            p.on = attune::scale::log;
            for (int i = 0; i < count; ++i)
                p.integers.push_back(std::int64_t{1} << i);
            out.parameters.push_back(std::move(p));
        };
        powers("TX", 8);
        powers("TY", 5);
        powers("U", 4);
        attune::parameter_description flag;
        flag.name = "S";
        flag.kind = attune::parameter_kind::boolean;
        flag.type = attune::value_kind::boolean;
        out.parameters.push_back(std::move(flag));
        out.constraints.push_back(attune::parse_constraint(out, "TX * TY <= 256"));
        return out;
    }

    explicit permuted_loops(std::uint64_t seed)
    {
        attune::random_engine engine(~seed); // not the searcher's
        for (std::uint32_t i = 0; i < loops; ++i)
            best_order_.push_back(i);
        do
            attune::shuffle(std::span(best_order_), engine);
        while (best_order_.back() == 0);
        tx_ = static_cast<double>(2 + attune::uniform_below(engine, 4));
        both_ = tx_ + static_cast<double>(attune::uniform_below(engine, 3));
        unroll_ = static_cast<double>(attune::uniform_below(engine, 4));
        flag_ = static_cast<std::uint32_t>(attune::uniform_below(engine, 2));
    }

    /// The values of the best tile sizes, for priors: TX and TX * TY.
    [[nodiscard]] double best_tx() const { return std::exp2(tx_); }

    [[nodiscard]] attune::outcome operator()(attune::point const& p) const
    {
        std::vector<std::uint32_t> const order = order_of(p[0].index);
        double const tx = p[1].index;
        double const ty = p[2].index;
        double const unroll = p[3].index;
        if ((order.back() == 0 && p[3].index >= 2) || p[1].index == 7)
            return attune::failure{attune::failure_stage::launch, "a hidden constraint"};
        double sum = 0;
        double weight = 0.4;
        for (std::size_t place = 0; place < loops; ++place) {
            auto const found = std::find(order.begin(), order.end(), best_order_[place]);
            sum += weight * std::abs(static_cast<double>(found - order.begin()) -
                                     static_cast<double>(place));
            weight *= 0.6;
        }
        sum += 0.125 * (tx - tx_) * (tx - tx_) + 0.3 * std::abs(tx + ty - both_) +
               0.2 * std::abs(unroll - unroll_) + (p[4].index == flag_ ? 0.0 : 0.15);
        return attune::measurement::exact(std::exp(sum));
    }

private:
    static constexpr std::uint32_t loops = 5;

    /// The order that stands at `index` of all orders in lexicographic order.
    [[nodiscard]] static std::vector<std::uint32_t> order_of(std::uint32_t index)
    {
        std::vector<std::uint32_t> out;
        for (std::uint32_t i = 0; i < loops; ++i)
            out.push_back(i);
        for (; index > 0; --index)
            std::next_permutation(out.begin(), out.end());
        return out;
    }

    std::vector<std::uint32_t> best_order_;
    double tx_ = 0, both_ = 0, unroll_ = 0; ///< exponents of two
    std::uint32_t flag_ = 0;
};

} // namespace bench
