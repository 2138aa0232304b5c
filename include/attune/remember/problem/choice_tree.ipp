// attune/remember/problem/choice_tree.ipp - computes regret, and splits sizes where that saves time.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/remember/problem/choice_tree.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// A variant, or a split, with a smaller total gain is not worth its code.
inline constexpr double least_gain = 1e-6;

ATTUNE_INLINE double octaves_between(std::span<double const> a, std::span<double const> b)
{
    double out = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        double const x = a[i], y = b[i];
        if (x > 0 && y > 0)
            out += std::fabs(std::log2(x / y));
        else if (x != y)
            out += 1;
    }
    return out;
}

ATTUNE_INLINE regret_table::regret_table(std::span<tree_point const> points)
    : choices_(points.empty() ? 0 : points.front().seconds.size())
{
    for (tree_point const& p : points) {
        double best = p.default_s;
        for (std::size_t c = 0; c < choices_; ++c)
            if (p.seconds[c] && p.is_usable[c]) best = std::min(best, *p.seconds[c]);
        auto const loss = [&](double s) { return best > 0 ? s / best - 1 : 0.0; };
        of_default_.push_back(loss(p.default_s));
        std::vector<double> row(choices_, std::numeric_limits<double>::infinity());
        for (std::size_t c = 0; c < choices_; ++c)
            if (p.seconds[c] && p.is_usable[c]) row[c] = loss(*p.seconds[c]);
        of_.push_back(std::move(row));
    }
    std::vector<std::vector<double>> const measured = of_;
    for (std::size_t p = 0; p < points.size(); ++p)
        for (std::size_t c = 0; c < choices_; ++c) {
            if (!points[p].has_failed.empty() && points[p].has_failed[c]) {
                of_[p][c] = std::numeric_limits<double>::infinity();
                continue;
            }
            if (!points[p].is_usable[c]) {
                of_[p][c] = of_default_[p];
                continue;
            }
            if (points[p].seconds[c]) continue;
            for (std::size_t q = 0; q < points.size(); ++q)
                if (std::isfinite(measured[q][c]))
                    of_[p][c] =
                        std::min(of_[p][c], measured[q][c] + regret_per_octave *
                                                                 octaves_between(points[p].inputs,
                                                                                 points[q].inputs));
            if (!std::isfinite(of_[p][c])) of_[p][c] = of_default_[p];
        }
}

ATTUNE_INLINE double regret_table::at(std::size_t point, std::int32_t choice) const
{
    return choice == choice_node::none ? of_default_[point]
                                       : of_[point][static_cast<std::size_t>(choice)];
}

ATTUNE_INLINE std::vector<std::int32_t> choose_variants(regret_table const& regret,
                                                        std::size_t most)
{
    std::vector<double> now(regret.points());
    for (std::size_t p = 0; p < now.size(); ++p)
        now[p] = regret.at(p, choice_node::none);
    std::vector<std::int32_t> out;
    while (out.size() < most) {
        std::int32_t best = choice_node::none;
        double best_gain = least_gain;
        for (std::int32_t c = 0; c < static_cast<std::int32_t>(regret.choices()); ++c) {
            double gain = 0;
            for (std::size_t p = 0; p < now.size(); ++p)
                gain += std::max(0.0, now[p] - regret.at(p, c));
            if (gain > best_gain) {
                best = c;
                best_gain = gain;
            }
        }
        if (best == choice_node::none) break;
        out.push_back(best);
        for (std::size_t p = 0; p < now.size(); ++p)
            now[p] = std::min(now[p], regret.at(p, best));
    }
    return out;
}

class dispatch_tree_grower {
public:
    dispatch_tree_grower(std::span<tree_point const> points, regret_table const& regret,
                         std::vector<std::int32_t> const& among)
        : points_(points)
        , regret_(regret)
        , among_{choice_node::none} // among equal costs the default
    {
        among_.insert(among_.end(), among.begin(), among.end());
    }

    /// @return  index of the node
    std::int32_t grow(std::vector<std::size_t> const& which)
    {
        auto const mine = static_cast<std::int32_t>(nodes.size());
        nodes.push_back({});
        auto const [choice, cost] = leaf_of(which);
        split const best = cost > least_cost(which) + least_gain ? best_split(which) : split{};
        if (best.input == choice_node::none) {
            nodes[static_cast<std::size_t>(mine)].below = choice;
            return mine;
        }
        std::vector<std::size_t> low, high;
        for (std::size_t const p : which)
            (points_[p].inputs[static_cast<std::size_t>(best.input)] < best.threshold ? low : high)
                .push_back(p);
        std::int32_t const below = grow(low);
        std::int32_t const above = grow(high);
        nodes[static_cast<std::size_t>(mine)] = {best.input, best.threshold, below, above};
        return mine;
    }

    std::vector<choice_node> nodes{};

private:
    struct split {
        std::int32_t input = choice_node::none;
        double threshold = 0;
        double gap = 0;
        double cost = std::numeric_limits<double>::infinity();
    };

    [[nodiscard]] std::pair<std::int32_t, double>
    leaf_of(std::vector<std::size_t> const& which) const
    {
        std::pair<std::int32_t, double> best{choice_node::none,
                                             std::numeric_limits<double>::infinity()};
        for (std::int32_t const c : among_) {
            double cost = 0;
            for (std::size_t const p : which)
                cost += regret_.at(p, c);
            if (cost < best.second) best = {c, cost};
        }
        return best;
    }
    /// Cost with a leaf for each point.
    [[nodiscard]] double least_cost(std::vector<std::size_t> const& which) const
    {
        double out = 0;
        for (std::size_t const p : which)
            out += leaf_of({p}).second;
        return out;
    }
    [[nodiscard]] split best_split(std::vector<std::size_t> which) const
    {
        split best;
        std::size_t const inputs = points_[which.front()].inputs.size();
        for (std::size_t i = 0; i < inputs; ++i) {
            auto const value = [&](std::size_t p) { return points_[p].inputs[i]; };
            std::sort(which.begin(), which.end(),
                      [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
            for (std::size_t cut = 1; cut < which.size(); ++cut) {
                double const low = value(which[cut - 1]), high = value(which[cut]);
                if (!(low < high)) continue;
                auto const middle = which.begin() + static_cast<std::ptrdiff_t>(cut);
                split one;
                one.input = static_cast<std::int32_t>(i);
                bool const is_ratio = low > 0;
                one.threshold = is_ratio ? low * std::sqrt(high / low) : low + (high - low) / 2;
                // The midpoint failed: neighbouring numbers, or a ratio beyond all numbers.
                if (!(one.threshold > low && one.threshold <= high)) one.threshold = high;
                one.gap = is_ratio ? std::log2(high) - std::log2(low) : 1;
                one.cost =
                    leaf_of({which.begin(), middle}).second + leaf_of({middle, which.end()}).second;
                bool const is_better = one.cost < best.cost - least_gain ||
                                       (one.cost < best.cost + least_gain && one.gap > best.gap);
                if (is_better) best = one;
            }
        }
        return best;
    }

    std::span<tree_point const> points_;
    regret_table const& regret_;
    std::vector<std::int32_t> among_;
};

ATTUNE_INLINE std::vector<choice_node> grow_tree(std::span<tree_point const> points,
                                                 regret_table const& regret,
                                                 std::vector<std::int32_t> const& among,
                                                 std::vector<std::size_t> const& which)
{
    dispatch_tree_grower out(points, regret, among);
    out.grow(which);
    return std::move(out.nodes);
}

} // namespace attune::inline ATTUNE_ABI::detail
