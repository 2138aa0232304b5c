// attune/cuda/code.ipp - loads a kernel, sets its attributes, counts resident blocks.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>

#include <algorithm>
#include <cstddef>

namespace attune::inline ATTUNE_ABI::detail::cuda {

/// Most shared bytes of a block without cuFuncSetAttribute. A cluster of more than eight blocks
/// would need another attribute; device_limits allows no such cluster.
inline constexpr std::int64_t shared_bytes_unasked = 48 * 1024;

ATTUNE_INLINE std::variant<loaded_code, failure>
loaded_code::load(std::shared_ptr<driver const> of, device_variant const& what, result* said)
{
    driver const& d = *of;
    auto const failed = [&](result got) {
        if (said != nullptr) *said = got;
        return got != success;
    };
    module loaded = nullptr;
    if (result const got = d.module_load_data(&loaded, what.code.image.c_str()); failed(got))
        return failure{
            failure_stage::load,
            (d.version > 0 ? "cuModuleLoadData: " : "the platform does not load the code: ") +
                text_of(d, got)};
    loaded_code out{std::move(of), loaded, what.launch};
    if (result const got = d.module_get_function(&out.function_, loaded, what.code.entry.c_str());
        failed(got))
        return failure{failure_stage::load,
                       "cuModuleGetFunction of " + what.code.entry + ": " + text_of(d, got)};
    if (result const got = out.set_attributes(what.code.resources); failed(got))
        return failure{failure_stage::launch, "cuFuncSetAttribute for " +
                                                  attune::text_of(what.launch) + ": " +
                                                  text_of(d, got)};
    if ((what.launch.has_clusters() || what.launch.is_cooperative) && d.launch_kernel_ex == nullptr)
        return failure{failure_stage::launch,
                       "this driver has no cuLaunchKernelEx, which clusters and cooperative "
                       "launches need"};
    return out;
}

ATTUNE_INLINE result loaded_code::set_attributes(code_resources const& takes) const
{
    if (launch_.shared_bytes + takes.static_shared_bytes <= shared_bytes_unasked) return success;
    return driver_->function_set_attribute(function_, of_function::dynamic_shared_bytes,
                                           static_cast<int>(launch_.shared_bytes));
}

ATTUNE_INLINE loaded_code::~loaded_code()
{
    if (module_ != nullptr) driver_->module_unload(module_);
}

ATTUNE_INLINE result loaded_code::launch(void** arguments, stream on) const noexcept
{
    auto const number = [](std::int64_t n) { return static_cast<unsigned>(n); };
    launch_geometry const& g = launch_;
    if (!g.has_clusters() && !g.is_cooperative)
        return driver_->launch_kernel(
            function_, number(g.grid[0]), number(g.grid[1]), number(g.grid[2]), number(g.block[0]),
            number(g.block[1]), number(g.block[2]), number(g.shared_bytes), on, arguments, nullptr);
    launch_attribute attributes[2];
    unsigned count = 0;
    if (g.has_clusters()) {
        attributes[count].id = of_launch::cluster;
        for (std::size_t i = 0; i < 3; ++i)
            attributes[count].value.cluster[i] = number(g.cluster[i]);
        ++count;
    }
    if (g.is_cooperative) {
        attributes[count].id = of_launch::cooperative;
        attributes[count].value.cooperative = 1;
        ++count;
    }
    launch_config const how{{number(g.grid[0]), number(g.grid[1]), number(g.grid[2])},
                            {number(g.block[0]), number(g.block[1]), number(g.block[2])},
                            number(g.shared_bytes),
                            on,
                            attributes,
                            count};
    return driver_->launch_kernel_ex(&how, function_, arguments, nullptr);
}

} // namespace attune::inline ATTUNE_ABI::detail::cuda

namespace attune::inline ATTUNE_ABI::detail {

/// The limits that differ between architectures.
struct architecture_row {
    int architecture;
    int multiprocessors;
    int blocks;    ///< resident on a multiprocessor
    int threads;   ///< resident on a multiprocessor
    int shared_kb; ///< of a multiprocessor
};

inline constexpr architecture_row architecture_rows[] = {
    {75, 72, 16, 1024, 64},   {80, 108, 32, 2048, 164},  {86, 84, 16, 1536, 100},
    {87, 16, 16, 1536, 164},  {88, 12, 16, 1536, 100},   {89, 142, 24, 1536, 100},
    {90, 132, 32, 2048, 228}, {100, 148, 32, 2048, 228}, {103, 148, 32, 2048, 228},
    {110, 20, 24, 1536, 228}, {120, 188, 24, 1536, 100}, {121, 48, 24, 1536, 100},
};

ATTUNE_INLINE std::vector<int> const& known_architectures()
{
    static std::vector<int> const known = [] {
        std::vector<int> all;
        for (architecture_row const& row : architecture_rows)
            all.push_back(row.architecture);
        return all;
    }();
    return known;
}

ATTUNE_INLINE device_limits limits_of_architecture(int architecture)
{
    std::string known;
    for (architecture_row const& row : architecture_rows) {
        known += (known.empty() ? "" : ", ") + std::to_string(row.architecture);
        if (row.architecture != architecture) continue;
        device_limits limits;
        limits.name = "sm_" + std::to_string(architecture);
        limits.architecture = architecture;
        limits.multiprocessors = row.multiprocessors;
        limits.blocks_per_multiprocessor = row.blocks;
        limits.threads_per_multiprocessor = row.threads;
        limits.shared_bytes_per_multiprocessor = row.shared_kb * 1024;
        limits.shared_bytes_reserved = architecture >= 80 ? 1024 : 0;
        limits.shared_bytes_opt_in =
            limits.shared_bytes_per_multiprocessor - limits.shared_bytes_reserved;
        limits.blocks_per_cluster = architecture >= 90 ? 8 : 1;
        return limits;
    }
    throw error("attune does not know the CUDA architecture " + std::to_string(architecture), "",
                "use one of " + known + "; 90 is compute capability 9.0");
}

inline constexpr std::int64_t register_unit = 256; ///< registers of a warp, granularity
inline constexpr std::int64_t register_files = 4;  ///< of a multiprocessor

[[nodiscard]] constexpr std::int64_t round_up_to(std::int64_t value, std::int64_t unit) noexcept
{
    return (value + unit - 1) / unit * unit;
}

/// The resources of a block. No field overflows if the extents are below 2^20.
struct block_needs {
    std::int64_t threads;
    std::int64_t warps;
    std::int64_t warp_registers;  ///< registers of each warp
    std::int64_t block_registers; ///< for the check of a launch: warps rounded up to four
    std::int64_t shared_bytes;    ///< including the reserved bytes, rounded up to the unit
};

[[nodiscard]] inline block_needs needs_of_block(device_limits const& device,
                                                code_resources const& code,
                                                launch_geometry const& launch) noexcept
{
    block_needs needs{};
    // No device has 2^40 threads or bytes. The bound prevents overflows of sums and products.
    auto const bounded = [](std::int64_t n) { return std::min(n, std::int64_t{1} << 40); };
    needs.threads = bounded(launch.threads_per_block());
    needs.warps = (needs.threads + device.warp_threads - 1) / device.warp_threads;
    needs.warp_registers = round_up_to(code.registers * device.warp_threads, register_unit);
    needs.block_registers = needs.warp_registers * round_up_to(needs.warps, register_files);
    needs.shared_bytes =
        round_up_to(bounded(code.static_shared_bytes) + bounded(launch.shared_bytes) +
                        device.shared_bytes_reserved,
                    device.architecture >= 80 ? 128 : 256);
    return needs;
}

/// Returns "the grid has 70000 blocks in y, the device allows 65535 there"; empty: all are in
/// range.
[[nodiscard]] inline std::string extent_objection(std::array<std::int64_t, 3> const& extents,
                                                  std::array<std::int64_t, 3> const& most,
                                                  std::string const& what, std::string const& of)
{
    for (std::size_t d = 0; d < 3; ++d) {
        std::string const text =
            "the " + what + " has " + std::to_string(extents[d]) + ' ' + of + " in " + "xyz"[d];
        if (extents[d] < 1) return text;
        if (extents[d] > most[d])
            return text + ", the device allows " + std::to_string(most[d]) + " there";
    }
    return {};
}

[[nodiscard]] inline std::string block_objection(device_limits const& device,
                                                 code_resources const& code,
                                                 launch_geometry const& launch)
{
    constexpr std::int64_t far_too_many = 1 << 20; // three smaller extents: their product fits
    constexpr std::array<std::int64_t, 3> countable{far_too_many, far_too_many, far_too_many};
    std::string text = extent_objection(launch.block, countable, "block", "threads");
    if (!text.empty()) return text;
    std::int64_t const threads = launch.threads_per_block();
    std::string const has = "the block has " + std::to_string(threads) + " threads";
    if (threads > device.threads_per_block)
        return has + ", the device allows " + std::to_string(device.threads_per_block);
    text = extent_objection(launch.block, device.block, "block", "threads");
    if (!text.empty()) return text;
    if (code.most_threads > 0 && threads > code.most_threads)
        return has + ", the kernel allows " + std::to_string(code.most_threads) +
               " by __launch_bounds__";
    if (code.registers > device.registers_per_thread)
        return "a thread has " + std::to_string(code.registers) + " registers, the device allows " +
               std::to_string(device.registers_per_thread);
    block_needs const needs = needs_of_block(device, code, launch);
    if (needs.block_registers > device.registers_per_block)
        return "the block takes " + std::to_string(needs.block_registers) + " registers (" +
               std::to_string(threads) + " threads with " + std::to_string(code.registers) +
               " each), the device allows " + std::to_string(device.registers_per_block);
    return {};
}

[[nodiscard]] inline std::string shared_memory_objection(device_limits const& device,
                                                         code_resources const& code,
                                                         launch_geometry const& launch)
{
    if (launch.shared_bytes < 0)
        return std::to_string(launch.shared_bytes) + " bytes of shared memory are asked for";
    if (code.static_shared_bytes > device.shared_bytes_per_block)
        return "the kernel declares " + std::to_string(code.static_shared_bytes) +
               " bytes of shared memory, the device allows " +
               std::to_string(device.shared_bytes_per_block) + " (more only at the launch)";
    // The first comparison prevents an overflow of the sum in the second one.
    if (launch.shared_bytes > device.shared_bytes_opt_in ||
        code.static_shared_bytes + launch.shared_bytes > device.shared_bytes_opt_in)
        return "the block takes " + std::to_string(code.static_shared_bytes) + " + " +
               std::to_string(launch.shared_bytes) +
               " bytes of shared memory (static + dynamic), the device allows " +
               std::to_string(device.shared_bytes_opt_in);
    return {};
}

[[nodiscard]] inline std::string cluster_objection(device_limits const& device,
                                                   launch_geometry const& launch)
{
    std::string const text = extent_objection(launch.cluster, launch.grid, "cluster", "blocks");
    for (std::int64_t const extent : launch.cluster)
        if (extent < 1) return text;
    if (launch.cluster == std::array<std::int64_t, 3>{1, 1, 1}) return {};
    if (device.blocks_per_cluster <= 1) return "the device has no clusters of blocks";
    std::int64_t blocks = 1;
    for (std::size_t d = 0; d < 3; ++d) {
        if (launch.cluster[d] > device.blocks_per_cluster ||
            (blocks *= launch.cluster[d]) > device.blocks_per_cluster)
            return "the cluster has more than the " + std::to_string(device.blocks_per_cluster) +
                   " blocks that the device allows";
        if (launch.grid[d] % launch.cluster[d] != 0)
            return "the grid has " + std::to_string(launch.grid[d]) + " blocks in " + "xyz"[d] +
                   ", which is no multiple of the cluster's " + std::to_string(launch.cluster[d]);
    }
    return {};
}

ATTUNE_INLINE residency occupancy_of(device_limits const& device, code_resources const& code,
                                     launch_geometry const& launch)
{
    if (!block_objection(device, code, launch).empty()) return {};
    if (!shared_memory_objection(device, code, launch).empty()) return {};

    block_needs const needs = needs_of_block(device, code, launch);
    std::int64_t const most_warps = device.threads_per_multiprocessor / device.warp_threads;
    std::int64_t blocks = std::min(most_warps / needs.warps, device.blocks_per_multiprocessor);
    if (needs.warp_registers > 0) {
        std::int64_t const in_each = device.registers_per_multiprocessor / register_files;
        blocks = std::min(blocks, in_each / needs.warp_registers * register_files / needs.warps);
    }
    if (needs.shared_bytes > 0)
        blocks = std::min(blocks, device.shared_bytes_per_multiprocessor / needs.shared_bytes);
    return {blocks, static_cast<double>(blocks * needs.warps) / static_cast<double>(most_warps)};
}

ATTUNE_INLINE std::string launch_objection(device_limits const& device, code_resources const& code,
                                           launch_geometry const& launch)
{
    std::string text = extent_objection(launch.grid, device.grid, "grid", "blocks");
    if (text.empty()) text = block_objection(device, code, launch);
    if (text.empty()) text = shared_memory_objection(device, code, launch);
    if (text.empty()) text = cluster_objection(device, launch);
    if (!text.empty() || !launch.is_cooperative) return text;

    if (!device.can_cooperate) return "the device has no cooperative launches";
    std::int64_t const resident = occupancy_of(device, code, launch).blocks;
    // A division, because the product of the grid's extents may overflow.
    std::int64_t const room = resident * device.multiprocessors;
    if (launch.grid[0] > room / launch.grid[1] / launch.grid[2])
        return "all blocks of a cooperative grid must be resident at once; the device holds " +
               std::to_string(room) + " such blocks";
    return {};
}

} // namespace attune::inline ATTUNE_ABI::detail
