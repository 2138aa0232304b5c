// attune/core/launch.hpp - the geometry of a launch, and the limits of a CUDA device.
// SPDX-License-Identifier: MIT
// Source   CUDA C++ programming guide, execution configuration and thread block clusters
// Source   CUDA C++ programming guide, technical specifications per compute capability
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// Counts and bytes of one device. A compiler for a device has the limits of its target:
/// compiler.target().limits.
struct device_limits {
    std::string name{};   ///< "NVIDIA H200"; "sm_90" when only the architecture is known
    int architecture = 0; ///< 90: compute capability 9.0
    std::int64_t multiprocessors = 1;
    std::int64_t warp_threads = 32;

    std::int64_t threads_per_block = 1024;
    std::array<std::int64_t, 3> block{1024, 1024, 64};
    std::array<std::int64_t, 3> grid{2147483647, 65535, 65535};
    std::int64_t blocks_per_cluster = 1; ///< 1: the device has no clusters
    bool can_cooperate = true;           ///< supports cooperative launches

    std::int64_t shared_bytes_per_block = 48 * 1024; ///< without cuFuncSetAttribute
    std::int64_t shared_bytes_opt_in = 48 * 1024;    ///< static + dynamic, by cuFuncSetAttribute
    std::int64_t shared_bytes_per_multiprocessor = 64 * 1024;
    std::int64_t shared_bytes_reserved = 0; ///< bytes of each block that the system reserves

    std::int64_t registers_per_thread = 255;
    std::int64_t registers_per_block = 65536;
    std::int64_t registers_per_multiprocessor = 65536;
    std::int64_t threads_per_multiprocessor = 1024;
    std::int64_t blocks_per_multiprocessor = 16;

    std::int64_t l2_bytes = 0;
    std::int64_t global_bytes = 0;

    friend bool operator==(device_limits const&, device_limits const&) = default;
};

/// The geometry of one launch. Arrays are in the order x, y, z.
struct launch_geometry {
    std::array<std::int64_t, 3> grid{1, 1, 1};    ///< blocks
    std::array<std::int64_t, 3> block{1, 1, 1};   ///< threads of a block
    std::array<std::int64_t, 3> cluster{1, 1, 1}; ///< blocks of a cluster; 1, 1, 1: no clusters
    std::int64_t shared_bytes = 0;                ///< dynamic shared memory of a block
    bool is_cooperative = false;                  ///< true: the whole grid may synchronise

    [[nodiscard]] std::int64_t threads_per_block() const noexcept { return product(block); }
    [[nodiscard]] std::int64_t blocks() const noexcept { return product(grid); }
    [[nodiscard]] bool has_clusters() const noexcept { return product(cluster) > 1; }

    friend bool operator==(launch_geometry const&, launch_geometry const&) = default;

private:
    /// Product of three numbers; INT64_MAX if it is larger than that.
    [[nodiscard]] static std::int64_t product(std::array<std::int64_t, 3> const& e) noexcept
    {
        std::int64_t out = 0;
        bool const fits =
            !__builtin_mul_overflow(e[0], e[1], &out) && !__builtin_mul_overflow(out, e[2], &out);
        return fits ? out : INT64_MAX;
    }
};

/// "grid 128x1x1, block 256x1x1, 4096 bytes shared".
[[nodiscard]] inline std::string text_of(launch_geometry const& g)
{
    auto const extents = [](std::array<std::int64_t, 3> const& e) {
        return std::to_string(e[0]) + 'x' + std::to_string(e[1]) + 'x' + std::to_string(e[2]);
    };
    std::string text = "grid " + extents(g.grid) + ", block " + extents(g.block);
    if (g.has_clusters()) text += ", cluster " + extents(g.cluster);
    if (g.shared_bytes > 0) text += ", " + std::to_string(g.shared_bytes) + " bytes shared";
    if (g.is_cooperative) text += ", cooperative";
    return text;
}

} // namespace attune::inline ATTUNE_ABI
