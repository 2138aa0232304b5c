// attune/tune/device/cuda/cuda_device.ipp - asks the driver, adds the limits of launches, finds PTX.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/ahead/ahead.hpp>
#include <attune/compile/nvrtc/cubin.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/expression.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/text.hpp>
#include <attune/measure/device/worker/worker_door.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/conditions/proof.hpp>
#include <attune/tune/device/cuda/cuda_bench.hpp>
#include <attune/tune/device/cuda/cuda_device.hpp>
#include <attune/tune/device/cuda/cuda_kernel.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Collects conditions as nodes of one space, then adds those that may fail.
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
    /// Returns the product of the declared extents; no_index: none is declared.
    [[nodiscard]] std::uint32_t product(launch_declaration::extents const& nodes)
    {
        std::uint32_t out = no_index;
        for (std::uint32_t const node : nodes)
            if (node != no_index) out = out == no_index ? node : apply(op::multiply, out, node);
        return out;
    }

    /// @param why  the quantity, such as "threads per block"
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

    /// Adds the conditions, except those that always hold.
    /// Errors   attune::error: a condition without parameters fails
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
        if (device.block[i] < device.threads_per_block) // else the bound of the product is enough
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

/// Requires that all blocks can be resident at once, by threads alone: the other resources of the
/// code are unknown before its compilation.
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

/// Adds a formula as a feature, unless it is a single parameter or the user has declared it.
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

ATTUNE_INLINE std::optional<callable>
find_fallback_on_device(kernel_description const& kernel, description const& bound, point const& at)
{
    if (!kernel.launch) return {};
    found_ptx found = find_ptx(wanted_of(kernel), kernel.signature);
    if (found.text.empty()) return {};
    device_variant made;
    made.code.image = std::move(found.text);
    made.code.entry = std::move(found.entry);
    made.code.architecture = found.architecture;
    made.launch = geometry_at(*kernel.launch, bound, at);
    // PTX does not state the shared bytes: assume the 48 KiB that a block has without opting in.
    if (made.launch.shared_bytes > 0) made.code.resources.static_shared_bytes = 48 * 1024;
    callable code = callable_of_device(std::move(made));
    code.compiler = code_of_the_program;
    return code;
}

ATTUNE_INLINE std::string device_name(device_limits const& device)
{
    if (device.architecture <= 0) return device.name; // not a CUDA device
    std::string const architecture = "sm_" + std::to_string(device.architecture);
    return device.name == architecture ? architecture : device.name + " (" + architecture + ')';
}

ATTUNE_INLINE void cuda_device::require_device(std::string const& kernel) const
{
    if (target_.can_run()) return;
    throw error("there is no device to run kernel '" + kernel + "' on",
                target_.why_no_device.empty() ? "compiled for " + target_.limits.name
                                              : target_.why_no_device,
                "tuned.predict(arguments...) chooses a configuration for " + target_.limits.name +
                    " from compiled code, without a run");
}

ATTUNE_INLINE void cuda_device::add_limits(description& bound,
                                           kernel_description const& kernel) const
{
    add_launch_limits(bound, kernel.launch.value_or(launch_declaration{}), target_.limits);
}

ATTUNE_INLINE code_review cuda_device::review(kernel_description const& kernel,
                                              description const& bound, point const& at,
                                              callable const& code) const
{
    device_variant const& ready = device_variant_of(code);
    code_resources const& takes = ready.code.resources;
    residency const resident = occupancy_of(target_.limits, takes, ready.launch);
    code_numbers const known = numbers_of(takes, resident);
    code_review out{.features = code_metrics_at(kernel, bound, at, known),
                    .objection = launch_objection(target_.limits, takes, ready.launch)};
    if (out.objection.empty()) out.objection = broken_rule(kernel, bound, at, known);
    return out;
}

ATTUNE_INLINE std::unique_ptr<loaded_kernel const> cuda_device::load(callable code,
                                                                     std::string kernel) const
{
    return std::make_unique<cuda_kernel const>(target_, std::move(code), std::move(kernel));
}

ATTUNE_INLINE std::optional<callable> cuda_device::code_in_program(kernel_description const& kernel,
                                                                   description const& bound,
                                                                   point const& at) const
{
    return find_fallback_on_device(kernel, bound, at);
}

ATTUNE_INLINE void cuda_device::wait_for_caller(void* stream) const
{
    attune::detail::wait_for_caller(target_, stream);
}

ATTUNE_INLINE void cuda_device::require_arrays(call_frame const& frame) const
{
    require_on_device(target_, frame);
}

ATTUNE_INLINE std::shared_ptr<std::byte> cuda_device::make_array(std::size_t bytes,
                                                                 std::size_t place) const
{
    constexpr std::size_t page = 4096;
    auto const context = std::make_shared<cuda::primary_context>(target_.driver, target_.ordinal);
    std::shared_ptr<void> const whole =
        cuda::allocate_shared(context, bytes + page, target_.limits.name,
                              "free other arrays, or work on a smaller problem");
    auto* const first = static_cast<std::byte*>(whole.get());
    std::size_t const from = reinterpret_cast<std::uintptr_t>(first) % page;
    return {whole, first + (place + page - from) % page};
}

ATTUNE_INLINE void cuda_device::copy_array(array_copy how, std::byte* to, std::byte const* from,
                                           std::size_t bytes) const
{
    if (bytes == 0) return;
    cuda::driver const& driver = *target_.driver;
    cuda::primary_context const context{target_.driver, target_.ordinal};
    cuda::context_scope const here{context};
    cuda::require_no_capture(driver, "copying an array of the device");
    auto const address = [](std::byte const* of) {
        return static_cast<cuda::device_pointer>(reinterpret_cast<std::uintptr_t>(of));
    };
    cuda::require_success(driver,
                          how == array_copy::to_host ? driver.copy_to_host(to, address(from), bytes)
                          : how == array_copy::to_device
                              ? driver.copy_to_device(address(to), from, bytes)
                              : driver.copy_on_device(address(to), address(from), bytes),
                          "copying an array of the device");
    cuda::require_success(driver, driver.stream_synchronize(nullptr),
                          "copying an array of the device");
}

ATTUNE_INLINE std::unique_ptr<bench> cuda_device::make_bench(tuning_problem const& problem,
                                                             tuning_options const& options) const
{
    if (problem.predict) return std::make_unique<predicted_bench>(target_.limits);
    require_usable_devices(target_, options);
    require_device(problem.kernel.name);
    return make_cuda_bench(problem, options, target_);
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::shared_ptr<device_target const> make_device_target(cuda_target const& target)
{
    hold_worker_door();
    return std::make_shared<detail::cuda_device>(target);
}

} // namespace attune::inline ATTUNE_ABI
