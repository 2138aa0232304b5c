// attune/space/order/order.hpp - selects the order of parameters in a tree.
// SPDX-License-Identifier: MIT
// Source   own: an estimate of the values tried (order_cost.hpp), minimised by a beam search over
//          sets of parameters, then by moves of single parameters while the cost falls. Names break
//          ties, so that the order of declaration has no influence. More than 1024 parameters stay
//          in the order of their names. The limit counts estimates of conditions' costs, so that
//          the same group has the same order on every machine.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/space/conditions/clauses.hpp>
#include <attune/space/conditions/domains.hpp>
#include <attune/space/order/frontier.hpp>
#include <attune/space/order/order_cost.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// An order and its cost.
struct ranked_order {
    std::vector<std::size_t> order;
    double cost = 0;
};

/// Searches with one cost model.
template <std::size_t Words>
class order_search {
public:
    explicit order_search(order_cost<Words> cost)
        : cost_(std::move(cost))
    {
    }

    /// A low-cost order of all parameters.
    /// @param credit  bonus of a level for values that are not needed below it, in [0, 1]; another
    ///                credit may give another order
    [[nodiscard]] ranked_order best(double credit)
    {
        std::size_t const n = cost_.parameter_count();
        std::size_t const looks = std::max<std::size_t>(1, n * n * cost_.condition_count() / 2);
        std::size_t const wide = std::min<std::size_t>(grow_looks / looks, 32);
        looks_left_ = move_looks;
        ranked_order found = grow(credit, std::clamp<std::size_t>(wide, 1, 4));
        improve(found);
        if (found.cost < cheap || wide <= 4) return found;
        ranked_order other = grow(credit, wide);
        improve(other);
        return clearly_less(other.cost, found.cost) ? other : found;
    }

private:
    static constexpr std::size_t grow_looks = 10'000;
    static constexpr std::size_t move_looks = 200'000;
    static constexpr double cheap = 5000; // a longer search does not pay at this cost

    struct beginning {
        std::uint32_t above = 0; // number of the set of its parameters
        double score = 0;
        ranked_order made;
    };

    static bool clearly_less(double a, double b) noexcept { return a < b * (1 - 1e-9); }

    /// Extends `width` partial orders in parallel; keeps the cheapest order of each set.
    [[nodiscard]] ranked_order grow(double credit, std::size_t width)
    {
        std::size_t const n = cost_.parameter_count();
        std::vector<beginning> kept{{cost_.number_of({}), 0, {}}};
        std::vector<beginning> grown;
        for (std::size_t l = 0; l < n; ++l) {
            grown.clear();
            for (beginning const& from : kept)
                for (std::size_t k = 0; k < n; ++k)
                    if (!cost_.members(from.above).has(k)) lengthen(from, k, credit, width, grown);
            std::swap(kept, grown);
        }
        return std::move(kept.front().made);
    }

    /// Adds `from` followed by `next` to `grown`, which stays sorted and at most `width` long.
    void lengthen(beginning const& from, std::size_t next, double credit, std::size_t width,
                  std::vector<beginning>& grown)
    {
        std::uint32_t const above = cost_.with(from.above, next);
        double const score =
            cost_.states(above) * std::pow(cost_.settings(cost_.members(above)), -credit);
        double const cost = from.made.cost + cost_.step(from.above, next);
        auto const same = std::find_if(grown.begin(), grown.end(), [&](beginning const& other) {
            return other.above == above;
        });
        if (same != grown.end()) {
            if (!clearly_less(cost, same->made.cost)) return;
            grown.erase(same);
        }
        auto const place = std::find_if(grown.begin(), grown.end(), [&](beginning const& other) {
            return clearly_less(score, other.score);
        });
        if (place == grown.end() && grown.size() >= width) return;
        beginning made{above, score, {from.made.order, cost}};
        made.made.order.push_back(next);
        grown.insert(place, std::move(made));
        if (grown.size() > width) grown.pop_back();
    }

    /// Moves single parameters as long as the cost falls.
    void improve(ranked_order& r)
    {
        constexpr int sweeps = 4;
        std::size_t const n = r.order.size();
        for (int sweep = 0; sweep < sweeps; ++sweep) {
            bool better = false;
            price(r);
            for (std::size_t from = 0; from < n; ++from)
                for (std::size_t to = 0; to < n; ++to)
                    if (from != to && try_move(r, from, to)) better = true;
            if (!better || looks_left_ == 0) return;
        }
    }

    /// Computes the sets above and the costs of all levels.
    void price(ranked_order& r)
    {
        above_.assign(1, cost_.number_of({}));
        price_.clear();
        r.cost = 0;
        for (std::size_t const k : r.order) {
            price_.push_back(cost_.step(above_.back(), k));
            r.cost += price_.back();
            above_.push_back(cost_.with(above_.back(), k));
        }
    }

    bool try_move(ranked_order& r, std::size_t from, std::size_t to)
    {
        auto const [low, high] = std::minmax(from, to);
        std::size_t const looks = (high - low + 1) * cost_.condition_count();
        if (looks > looks_left_) {
            looks_left_ = 0;
            return false;
        }
        looks_left_ -= looks;
        double before = 0;
        for (std::size_t l = low; l <= high; ++l)
            before += price_[l];
        double after = 0;
        std::uint32_t above = above_[low];
        for (std::size_t l = low; l <= high; ++l) {
            std::size_t const moved = l == to     ? r.order[from]
                                      : from < to ? r.order[l + 1]
                                                  : r.order[l - 1];
            after += cost_.step(above, moved);
            if (!(after < before * (1 - 1e-3))) return false;
            if (l < high) above = cost_.with(above, moved);
        }
        auto const at = [&](std::size_t i) {
            return r.order.begin() + static_cast<std::ptrdiff_t>(i);
        };
        if (from < to)
            std::rotate(at(from), at(from + 1), at(to + 1));
        else
            std::rotate(at(to), at(from), at(from + 1));
        price(r);
        return true;
    }

    order_cost<Words> cost_;
    std::size_t looks_left_ = 0;
    std::vector<std::uint32_t> above_; // scratch: the set of the levels above each level
    std::vector<double> price_;        // scratch: values tried on each level
};

/// The share of the settings of its scope on which `c` holds, from 128 draws (8 if `c` is long)
/// with a fixed seed. An opaque predicate counts as 1/2, without a call: other conditions may
/// exclude the drawn setting.
inline double sampled_density(description const& space, condition const& c,
                              std::vector<domain> const& domains)
{
    if (c.root == no_index) return 0.5;
    int const draws = is_long(space, c) ? 8 : 128;
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

/// Number of orders that level_order() offers.
inline constexpr int order_attempts = 3;

/// A low-cost order of `sorted`, which has at most 64 * Words parameters.
template <std::size_t Words>
std::vector<std::uint32_t> searched_order(description const& space,
                                          std::vector<std::uint32_t> const& sorted,
                                          std::vector<condition> const& conditions,
                                          std::vector<domain> const& domains, int attempt)
{
    constexpr double credits[order_attempts] = {0.7, 0.35, 0};
    std::vector<std::uint32_t> place_of(space.parameters.size(), no_index);
    std::vector<double> sizes;
    for (std::uint32_t const p : sorted) {
        if (domains[p].size() > 1) place_of[p] = static_cast<std::uint32_t>(sizes.size());
        sizes.push_back(static_cast<double>(domains[p].size()));
    }
    std::vector<weighed_condition<Words>> weighed;
    for (condition const& c : conditions)
        weighed.push_back(
            {condition_shape<Words>(space, c, place_of), sampled_density(space, c, domains)});
    order_search<Words> search(order_cost<Words>(std::move(sizes), std::move(weighed)));
    std::vector<std::uint32_t> out;
    for (std::size_t const k : search.best(credits[attempt]).order)
        out.push_back(sorted[k]);
    return out;
}

/// The parameters of `group` in the order of the levels of its tree.
/// @param attempt  < order_attempts; another attempt may give another order, for use if the first
///                 tree is too wide
/// Cost   128 tests per condition, then about 10^5 estimates of conditions' costs
[[nodiscard]] inline std::vector<std::uint32_t> level_order(description const& space,
                                                            parameter_group const& group,
                                                            std::vector<domain> const& domains,
                                                            int attempt = 0)
{
    std::vector<std::uint32_t> sorted = group.parameters;
    std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
        int const by_name = space.parameters[a].name.compare(space.parameters[b].name);
        return by_name != 0 ? by_name < 0 : a < b;
    });
    if (sorted.size() < 2 || sorted.size() > parameter_set<16>::capacity) return sorted;
    if (sorted.size() <= parameter_set<1>::capacity)
        return searched_order<1>(space, sorted, group.conditions, domains, attempt);
    return searched_order<16>(space, sorted, group.conditions, domains, attempt);
}

} // namespace attune::inline ATTUNE_ABI::detail
