// attune/space/query/bound_curve.hpp - the valid share of a space as a function of a constraint's limit.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/space/build_options.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/query/exact_size.hpp>
#include <attune/space/tree/build.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A conjunct `quantity <= limit` (or <, >, >=) of a constraint, or `limit >= quantity`, whose
/// limit reads no parameter.
struct limited_quantity {
    std::uint32_t constraint = 0;      ///< index into description::constraints
    std::uint32_t root = no_index;     ///< node of the conjunct
    std::uint32_t quantity = no_index; ///< node of the limited quantity
    op relation{};                     ///< less, less_equal, greater or greater_equal
    number limit{};

    [[nodiscard]] bool is_upper() const noexcept
    {
        return relation == op::less || relation == op::less_equal;
    }
};

/// The number of valid settings of the discrete parameters.
struct setting_count {
    std::optional<exact_integer> exact; ///< nothing if a tree is too wide
    double log2 = 0;                    ///< of the exact or estimated number; -infinity for none
    double relative_error = 0;          ///< standard error / number; 0 if exact
};

/// A space with another limit.
struct curve_step {
    std::optional<number> limit; ///< nothing: without this limit
    setting_count valid;
    double valid_share = 0;    ///< valid / all, in [0, 1]
    double regained_share = 0; ///< share of the invalid configurations that this limit makes valid
};

/// The effect of other limits of one quantity, such as a resource to buy.
struct bound_curve {
    limited_quantity of;
    setting_count all;             ///< without any constraint; inactive parameters have one value
    setting_count valid;           ///< with the limit of the space
    std::vector<curve_step> steps; ///< in the order of the limits given, then without the limit
};

namespace detail {

/// The relation with its sides exchanged; nothing for another operation.
[[nodiscard]] inline std::optional<op> mirrored(op code) noexcept
{
    switch (code) {
    case op::less:
        return op::greater;
    case op::less_equal:
        return op::greater_equal;
    case op::greater:
        return op::less;
    case op::greater_equal:
        return op::less_equal;
    default:
        return {};
    }
}

[[nodiscard]] inline setting_count count_settings(description space, build_options const& options)
{
    setting_count out;
    try {
        chain_of_trees const chain(space, options);
        size_estimate const size = chain.estimated_size();
        out.log2 = size.log2;
        out.relative_error = size.relative_error;
        if (chain.is_exact()) out.exact = exact_size(chain);
    } catch (error const&) {
        settle_conditions(space);
        std::vector<condition> discrete = conditions_of(space);
        std::erase_if(discrete, [](condition const& c) { return c.reads_real; });
        if (is_satisfiable(space, std::move(discrete), options)) throw;
        out.exact = 0;
        out.log2 = -std::numeric_limits<double>::infinity();
    }
    return out;
}

/// a / b, in [0, 1].  @pre  b is not 0 and a <= b, if both are exact
[[nodiscard]] inline double share_of(setting_count const& a, setting_count const& b)
{
    constexpr unsigned bits = 62;
    if (a.exact && b.exact) {
        exact_integer const scaled = (*a.exact << bits) / *b.exact;
        return std::ldexp(static_cast<double>(scaled), -static_cast<int>(bits));
    }
    return std::min(std::exp2(a.log2 - b.log2), 1.0);
}

/// (after - before) / (all - before): the share of invalid configurations that became valid.
[[nodiscard]] inline double regained(setting_count const& before, setting_count const& after,
                                     setting_count const& all)
{
    if (before.exact && after.exact && all.exact) {
        if (*after.exact <= *before.exact) return 0;
        setting_count in, out;
        in.exact = *after.exact - *before.exact;
        out.exact = *all.exact - *before.exact;
        return share_of(in, out);
    }
    double const was = share_of(before, all), is = share_of(after, all);
    return is <= was || was >= 1 ? 0 : (is - was) / (1 - was);
}

/// The space with another limit in one conjunct, or without it.
[[nodiscard]] inline description with_limit(description space, limited_quantity const& of,
                                            std::optional<number> const& limit)
{
    auto const add = [&](expression_node const& node) {
        space.nodes.push_back(node);
        return static_cast<std::uint32_t>(space.nodes.size() - 1);
    };
    std::uint32_t root = no_index;
    for (condition const& c : conditions_of(space)) {
        if (c.source != of.constraint) continue;
        std::uint32_t part = c.root;
        if (c.root == of.root) {
            if (!limit) continue;
            expression_node literal{.code = limit->is_real ? op::real : op::integer};
            literal.integer = limit->integer;
            literal.real = limit->real;
            std::uint32_t const side = add(literal);
            part = add({.code = of.relation, .first = of.quantity, .second = side});
        }
        root =
            root == no_index ? part : add({.code = op::logical_and, .first = root, .second = part});
    }
    auto const at = space.constraints.begin() + static_cast<std::ptrdiff_t>(of.constraint);
    if (root == no_index) {
        space.constraints.erase(at);
        return space;
    }
    at->root = root;
    at->scope = parameters_read(space, root);
    return space;
}

} // namespace detail

/// The limits of a space, in the order of its constraints, without limits of real parameters.
/// @param bound  with values of inputs, as chain_of_trees::describe() returns it
[[nodiscard]] inline std::vector<limited_quantity> limited_quantities(description const& bound)
{
    std::vector<limited_quantity> out;
    detail::evaluator const read(bound);
    for (detail::condition const& c : detail::conditions_of(bound)) {
        if (c.root == no_index || c.reads_real || c.scope.empty()) continue;
        if (bound.constraints[c.source].settles != no_index) continue;
        expression_node const& n = bound.nodes[c.root];
        std::optional<op> const other_way = detail::mirrored(n.code);
        if (!other_way) continue;
        bool const is_first = detail::parameters_read(bound, n.first).empty();
        if (!is_first && !detail::parameters_read(bound, n.second).empty()) continue;
        std::optional<number> const limit = read.value(is_first ? n.first : n.second, point{});
        if (!limit) continue;
        out.push_back({c.source, c.root, is_first ? n.second : n.first,
                       is_first ? *other_way : n.code, *limit});
    }
    return out;
}

/// Counts a space once for each limit, with all other constraints unchanged.
/// @param bound    as for limited_quantities()
/// @param of       one of limited_quantities(bound)
/// @param options  for each space
/// Errors  those of chain_of_trees, except that a space without a valid configuration counts 0
/// Cost    one space per limit, and three more
[[nodiscard]] inline bound_curve curve_of(description const& bound, limited_quantity const& of,
                                          std::span<number const> limits,
                                          build_options const& options = {})
{
    description free = bound;
    std::erase_if(free.constraints,
                  [](constraint_description const& c) { return c.settles == no_index; });
    bound_curve out{.of = of,
                    .all = detail::count_settings(std::move(free), options),
                    .valid = detail::count_settings(bound, options),
                    .steps = {}};
    auto const count = [&](std::optional<number> const& limit) {
        curve_step made;
        made.limit = limit;
        made.valid = detail::count_settings(detail::with_limit(bound, of, limit), options);
        made.valid_share = detail::share_of(made.valid, out.all);
        made.regained_share = detail::regained(out.valid, made.valid, out.all);
        out.steps.push_back(std::move(made));
    };
    for (number const& limit : limits)
        count(limit);
    count({});
    return out;
}

} // namespace attune::inline ATTUNE_ABI
