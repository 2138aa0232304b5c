// attune/tune/kernel/launch_declaration.ipp - evaluates the formulas of a launch at one configuration.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/tune/kernel/launch_declaration.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Calls visit(what, node) for every formula of a launch; node is no_index if not declared.
template <class Visit>
void for_each_formula(launch_declaration const& launch, Visit const& visit)
{
    for (std::uint32_t const node : launch.grid)
        visit("grid", node);
    for (std::uint32_t const node : launch.block)
        visit("block", node);
    for (std::uint32_t const node : launch.cluster)
        visit("cluster", node);
    visit("shared", launch.shared_bytes);
}

/// The whole number at `node`, whose value may be real if a real argument is bound to an input.
[[nodiscard]] inline std::optional<std::int64_t>
whole_number_at(description const& bound, std::uint32_t node, std::span<coordinate const> at)
{
    ATTUNE_ASSERT(node < bound.nodes.size(), "the space is not the kernel's own");
    std::optional<number> const v = evaluator{bound}.value(node, at);
    if (!v || !v->is_real) return v ? std::optional{v->integer} : std::nullopt;
    bool const is_whole = std::abs(v->real) < 0x1p63 && std::trunc(v->real) == v->real;
    return is_whole ? std::optional{static_cast<std::int64_t>(v->real)} : std::nullopt;
}

/// A formula over compiled code as nodes of `into`. @param what its owner, for errors
[[nodiscard]] inline constraint_description lower_of_code(description& space, description& into,
                                                          std::span<instruction const> code,
                                                          std::string const& what)
{
    require_declared(space, code, what);
    into.parameters = space.parameters; // the same indices, so that a point of `space` fits
    constraint_description out = lower_code(into, code);
    for (instruction const& step : code)
        if (step.code == op::input && !names_code_quantity(step.text))
            (void)intern_input(space, step.text, static_cast<value_kind>(step.integer));
    for (std::string_view const name : code_quantity_names)
        if (space.find_input(name) != no_index)
            throw error("an input has the name of a quantity of compiled code",
                        "input " + std::string(name) + ", " + what, "rename the input");
    return out;
}

ATTUNE_INLINE void add_code_rule(description& space, description& rules,
                                 std::span<instruction const> code)
{
    rules.constraints.push_back(lower_of_code(space, rules, code, "kernel.require(...)"));
}

ATTUNE_INLINE void add_code_feature(description& space, description& into,
                                    std::span<instruction const> code)
{
    constraint_description made = lower_of_code(space, into, code, "kernel.features(...)");
    into.features.push_back({made.root, std::move(made.text)});
}

} // namespace detail

ATTUNE_INLINE launch_geometry geometry_at(launch_declaration const& launch,
                                          description const& bound, point const& at)
{
    launch_geometry out;
    auto const read = [&](std::array<std::int64_t, 3>& to,
                          launch_declaration::extents const& nodes) {
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (nodes[i] != no_index)
                to[i] = detail::whole_number_at(bound, nodes[i], at).value_or(0);
    };
    read(out.grid, launch.grid);
    read(out.block, launch.block);
    read(out.cluster, launch.cluster);
    if (launch.shared_bytes != no_index)
        out.shared_bytes = detail::whole_number_at(bound, launch.shared_bytes, at).value_or(-1);
    out.is_cooperative = launch.is_cooperative;
    return out;
}

namespace detail {

ATTUNE_INLINE bool reads(launch_declaration const& launch, description const& space,
                         std::uint32_t parameter)
{
    bool found = false;
    for_each_formula(launch, [&](char const*, std::uint32_t node) {
        if (node == no_index) return;
        std::vector<std::uint32_t> const read = parameters_read(space, node);
        found = found || std::find(read.begin(), read.end(), parameter) != read.end();
    });
    return found;
}

} // namespace detail

ATTUNE_INLINE std::string text_of(launch_declaration const& launch, description const& space)
{
    std::string out;
    detail::for_each_formula(launch, [&](char const* what, std::uint32_t node) {
        out += what;
        if (node != no_index) out += ' ' + detail::text_of_node(space, space.nodes[node]);
        out += ';';
    });
    return out + (launch.is_cooperative ? "cooperative" : "");
}

} // namespace attune::inline ATTUNE_ABI
