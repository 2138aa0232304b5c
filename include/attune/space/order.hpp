// attune/space/order.hpp - which parameter stands on which level of a tree.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> [space] -> search -> compile -> measure -> remember
// In       one group of parameters, their conditions and domains
// Out      the parameters from the root down
// Source   own. The cost of an order is the number of values tried if equal subtrees are built
//          once: per level, (settings of the parameters above that a condition still open reads)
//          times (values of the level). Greedy from several starts, cheapest kept. Ties go by name,
//          so that the order of declaration has no influence.
// Depends  std only
// Tests    tests/space/order.cpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/space/domains.hpp>
#include <attune/space/groups.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace attune {

namespace detail {

/// The share of settings of its own scope on which `c` holds, from 128 draws with a fixed seed.
/// 1/2 for an opaque predicate: it is not called where other conditions may exclude the setting.
inline double
sampled_density(description const& space, condition const& c, std::vector<domain> const& domains)
{
    constexpr int draws = 128;
    if (c.root == no_index) return 0.5;
    random_engine engine(1);
    point at = first_values(space, domains);
    int good = 0;
    for (int i = 0; i < draws; ++i) {
        for (std::uint32_t const p : c.scope)
            at[p].index = domains[p].value(
                static_cast<std::uint32_t>(uniform_below(engine, domains[p].size())));
        good += holds(space, c, at) ? 1 : 0;
    }
    return (good + 0.5) / (draws + 1.0);
}

/// Estimates what an order costs. Parameters are numbered by their place in `sorted`.
class order_search {
public:
    order_search(description const& space,
                 std::vector<std::uint32_t> const& sorted,
                 std::vector<condition> const& conditions,
                 std::vector<domain> const& domains)
    {
        for (std::uint32_t const p : sorted)
            log_size_.push_back(std::log(static_cast<double>(domains[p].size())));
        for (condition const& c : conditions) {
            std::vector<std::size_t> scope;
            for (std::size_t k = 0; k < sorted.size(); ++k)
                if (std::binary_search(c.scope.begin(), c.scope.end(), sorted[k]))
                    scope.push_back(k);
            scopes_.push_back(std::move(scope));
            log_density_.push_back(std::log(sampled_density(space, c, domains)));
        }
    }

    [[nodiscard]] std::vector<std::size_t> best()
    {
        constexpr std::size_t most_starts = 24;
        std::size_t const n = log_size_.size();
        std::vector<std::size_t> starts(n);
        for (std::size_t k = 0; k < n; ++k)
            starts[k] = k;
        std::sort(starts.begin(), starts.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(log_size_[a], a) < std::pair(log_size_[b], b);
        });
        if (n > most_starts) starts.resize(most_starts);
        std::vector<std::size_t> winner;
        double lowest = std::numeric_limits<double>::infinity();
        for (std::size_t const start : starts) {
            std::vector<std::size_t> order;
            double const cost = extend(start, lowest, order);
            if (order.size() < n || (!winner.empty() && !clearly_less(cost, lowest))) continue;
            lowest = cost;
            winner = std::move(order);
        }
        return winner;
    }

private:
    static bool clearly_less(double a, double b) noexcept { return a < b * (1 - 1e-9); }

    using flags = std::vector<char>;

    /// log of the number of different subtrees below the levels in `set`, at most.
    [[nodiscard]] double log_width(flags const& set)
    {
        cut_.assign(set.size(), 0);
        complete_.clear();
        double prefixes = 0;
        for (std::size_t k = 0; k < set.size(); ++k)
            if (set[k] != 0) prefixes += log_size_[k];
        for (std::size_t c = 0; c < scopes_.size(); ++c) {
            std::vector<std::size_t> const& scope = scopes_[c];
            bool const complete =
                std::all_of(scope.begin(), scope.end(), [&](std::size_t k) { return set[k] != 0; });
            if (complete) {
                prefixes += log_density_[c];
                complete_.push_back(c);
                continue;
            }
            for (std::size_t const k : scope)
                cut_[k] |= set[k];
        }
        double keys = 0;
        for (std::size_t k = 0; k < set.size(); ++k)
            if (cut_[k] != 0) keys += log_size_[k];
        for (std::size_t const c : complete_)
            if (std::all_of(scopes_[c].begin(), scopes_[c].end(), [&](std::size_t k) {
                    return cut_[k] != 0;
                }))
                keys += log_density_[c];
        return std::min(keys, prefixes);
    }

    /// Greedy order from `start`; leaves it unfinished once it costs more than `limit`.
    double extend(std::size_t start, double limit, std::vector<std::size_t>& order)
    {
        std::size_t const n = log_size_.size();
        flags set(n, 0);
        double width = 0;
        double cost = 0;
        for (std::size_t next = start;;) {
            cost += std::exp(width + log_size_[next]);
            if (cost > limit) return cost;
            set[next] = 1;
            order.push_back(next);
            if (order.size() == n) return cost;
            width = log_width(set);
            double lowest = std::numeric_limits<double>::infinity();
            for (std::size_t k = 0; k < n; ++k) {
                if (set[k] != 0) continue;
                set[k] = 1;
                double const step = std::exp(width + log_size_[k]) + std::exp(log_width(set));
                set[k] = 0;
                if (lowest == std::numeric_limits<double>::infinity() ||
                    clearly_less(step, lowest)) {
                    lowest = step;
                    next = k;
                }
            }
        }
    }

    std::vector<double> log_size_;
    std::vector<std::vector<std::size_t>> scopes_;
    std::vector<double> log_density_;
    flags cut_;                         // scratch: set, and read by an open condition
    std::vector<std::size_t> complete_; // scratch: conditions whose parameters are all set
};

} // namespace detail

/// The parameters of `group` in the order of the levels of its tree.
/// Cost   128 tests per condition, and O(n^3) looks at the conditions for n parameters
[[nodiscard]] inline std::vector<std::uint32_t> level_order(description const& space,
                                                            parameter_group const& group,
                                                            std::vector<domain> const& domains)
{
    std::vector<std::uint32_t> sorted = group.parameters;
    std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
        int const by_name = space.parameters[a].name.compare(space.parameters[b].name);
        return by_name != 0 ? by_name < 0 : a < b;
    });
    if (sorted.size() < 2) return sorted;
    detail::order_search search(space, sorted, group.conditions, domains);
    std::vector<std::uint32_t> order;
    for (std::size_t const k : search.best())
        order.push_back(sorted[k]);
    return order;
}

} // namespace attune
