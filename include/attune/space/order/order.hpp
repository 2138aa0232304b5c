// attune/space/order/order.hpp - selects the order of parameters in a tree.
// SPDX-License-Identifier: MIT
// Source   own: an estimate of the values tried (order_cost.hpp), minimised by beam search and then
//          by single moves (order_search.hpp). Ties are broken by name, so that the order of
//          declaration has no influence. More than 1024 parameters are ordered by name.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/space/conditions/clauses.hpp>
#include <attune/space/conditions/domains.hpp>
#include <attune/space/conditions/groups.hpp>
#include <attune/space/order/frontier.hpp>
#include <attune/space/order/order_cost.hpp>
#include <attune/space/order/order_search.hpp>
#include <attune/space/order/parameter_set.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The share of settings of its own scope on which `c` holds, from 128 draws with a fixed seed. 1/2
/// for an opaque predicate, which must not be called where other conditions exclude the setting.
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

/// A low-cost order of `sorted`, for groups that fit in so many words.
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
/// @param attempt  < detail::order_attempts; other attempts may give other orders, to be tried when
///                 the tree of the first is too wide
/// Cost   128 tests per condition, then about 10^5 evaluations of conditions' costs
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
