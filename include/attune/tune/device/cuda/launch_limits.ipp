// attune/tune/device/cuda/launch_limits.ipp - the conditions of a device on a launch.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/expression/code_quantity.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/conditions/proof.hpp>
#include <attune/tune/device/cuda/launch_limits.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Collects the conditions as nodes of one space, then adds those that are not certain to hold.
class launch_demands {
public:
    launch_demands(description& space, device_limits const& device)
        : space_(space)
        , device_(device)
    {
    }

    [[nodiscard]] std::uint32_t literal(std::int64_t value)
    {
        return intern_node(space_, {.code = op::integer, .integer = value});
    }
    [[nodiscard]] std::uint32_t apply(op code, std::uint32_t left, std::uint32_t right)
    {
        return intern_node(space_, {.code = code, .first = left, .second = right});
    }
    /// The product of the declared extents; no_index when none is declared.
    [[nodiscard]] std::uint32_t product(launch_declaration::extents const& nodes)
    {
        std::uint32_t out = no_index;
        for (std::uint32_t const node : nodes)
            if (node != no_index) out = out == no_index ? node : apply(op::multiply, out, node);
        return out;
    }

    /// @param why  "threads per block"
    void at_most(std::uint32_t node, std::int64_t limit, std::string const& why)
    {
        if (node != no_index)
            demand(apply(op::less_equal, node, literal(limit)), why + " of " + device_.name);
    }
    void at_least(std::uint32_t node, std::int64_t least, std::string why)
    {
        if (node != no_index) demand(apply(op::greater_equal, node, literal(least)), why);
    }
    void demand(std::uint32_t root, std::string const& why)
    {
        constraint_description c;
        c.root = root;
        c.scope = parameters_read(space_, root);
        c.text = text_of_node(space_, space_.nodes[root]) + " (" + why + ')';
        demands_.push_back(std::move(c));
    }

    /// Leaves out conditions that always hold. A failing one without parameters is an error.
    void add_uncertain()
    {
        interval_prover const prover(space_);
        for (constraint_description& c : demands_) {
            if (c.scope.empty() && !evaluator{space_}.holds(c, {})) refuse(c);
            if (!c.scope.empty() && !prover.always_holds(c.root))
                space_.constraints.push_back(std::move(c));
        }
    }

private:
    [[noreturn]] void refuse(constraint_description const& c) const
    {
        std::string where = c.text;
        for (input_description const& input : space_.inputs)
            where += ", " + input.name + " = " + text_of_number(input.value.value_or(number{}));
        throw error("no variant of this kernel can be launched for this call", where,
                    "change grid, block, cluster or shared_bytes of the declaration, or the call");
    }

    description& space_;
    device_limits const& device_;
    std::vector<constraint_description> demands_;
};

inline void demand_extents(launch_demands& demands, launch_declaration const& launch,
                           device_limits const& device)
{
    static constexpr char const* axes[] = {" in x", " in y", " in z"};
    for (std::size_t i = 0; i < 3; ++i) {
        std::string const axis = axes[i];
        demands.at_least(launch.grid[i], 1, "blocks" + axis);
        demands.at_least(launch.block[i], 1, "threads" + axis);
        demands.at_least(launch.cluster[i], 1, "blocks of a cluster" + axis);
        demands.at_most(launch.grid[i], device.grid[i], "blocks" + axis);
        if (device.block[i] < device.threads_per_block) // else implied by the product
            demands.at_most(launch.block[i], device.block[i], "threads per block" + axis);
        if (launch.cluster[i] == no_index) continue;
        std::uint32_t const grid = launch.grid[i] == no_index ? demands.literal(1) : launch.grid[i];
        std::uint32_t const rest = demands.apply(op::modulo, grid, launch.cluster[i]);
        demands.demand(demands.apply(op::equal, rest, demands.literal(0)),
                       "a grid is of whole clusters" + axis);
    }
    demands.at_most(demands.product(launch.block), device.threads_per_block, "threads per block");
    demands.at_most(demands.product(launch.cluster), device.blocks_per_cluster,
                    "blocks per cluster");
}

/// Requires that all blocks are resident if threads were their only resource; the resources of the
/// code are unknown here.
inline void demand_room_for_all(launch_demands& demands, launch_declaration const& launch,
                                device_limits const& device)
{
    std::uint32_t const blocks = demands.product(launch.grid);
    std::string const why = "blocks at once, for a cooperative launch";
    demands.at_most(blocks, device.multiprocessors * device.blocks_per_multiprocessor, why);
    std::uint32_t const warp = demands.literal(device.warp_threads);
    std::uint32_t const warps = demands.apply(op::ceil_divide, demands.product(launch.block), warp);
    std::uint32_t const each = demands.apply(
        op::divide, demands.literal(device.threads_per_multiprocessor / device.warp_threads),
        warps);
    std::uint32_t const room =
        demands.apply(op::multiply, demands.literal(device.multiprocessors), each);
    demands.demand(demands.apply(op::less_equal, blocks, room), why + " of " + device.name);
}

/// Adds a formula as a feature unless it is a parameter alone or the user has declared it.
inline void add_launch_feature(description& space, std::uint32_t root)
{
    if (root == no_index || operand_count(space.nodes[root].code) == 0) return;
    if (parameters_read(space, root).empty()) return;
    for (feature_description const& known : space.features)
        if (known.root == root) return;
    space.features.push_back({root, text_of_node(space, space.nodes[root])});
}

ATTUNE_INLINE void add_launch_limits(description& bound, launch_declaration const& launch,
                                     device_limits const& device)
{
    if (launch.grid[0] == no_index || launch.block[0] == no_index)
        throw error("a kernel for a device needs the geometry of its launch", device.name,
                    "declare kernel.grid(...) and kernel.block(...)");
    if (launch.is_cooperative && !device.can_cooperate)
        throw error("the device has no cooperative launches", device.name,
                    "leave out kernel.cooperative()");
    launch_demands demands(bound, device);
    demand_extents(demands, launch, device);
    demands.at_least(launch.shared_bytes, 0, "shared bytes of a block");
    demands.at_most(launch.shared_bytes, device.shared_bytes_opt_in, "shared bytes per block");
    if (launch.is_cooperative) demand_room_for_all(demands, launch, device);
    demands.add_uncertain();
    add_launch_feature(bound, demands.product(launch.block));
    add_launch_feature(bound, launch.shared_bytes);
    add_launch_feature(bound, demands.product(launch.grid));
}

ATTUNE_INLINE code_numbers numbers_of(code_resources const& code, residency const& resident)
{
    return {{registers.name, number::of(code.registers)},
            {spill_bytes.name, number::of(code.spill_bytes)},
            {stack_bytes.name, number::of(code.stack_bytes)},
            {static_shared_bytes.name, number::of(code.static_shared_bytes)},
            {occupancy.name, number::of(resident.fraction)}};
}

} // namespace attune::inline ATTUNE_ABI::detail
