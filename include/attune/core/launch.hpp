// attune/core/launch.hpp - the geometry of a launch: threads, blocks, clusters.
// SPDX-License-Identifier: MIT
// Source   CUDA C++ programming guide, execution configuration and thread block clusters
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI {

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
    /// INT64_MAX when the product is larger than that.
    [[nodiscard]] static std::int64_t product(std::array<std::int64_t, 3> const& e) noexcept
    {
        std::int64_t out = 0;
        bool const fits =
            !__builtin_mul_overflow(e[0], e[1], &out) && !__builtin_mul_overflow(out, e[2], &out);
        return fits ? out : INT64_MAX;
    }
};

/// "grid 128x1x1, block 256x1x1, 4096 bytes shared".
[[nodiscard]] std::string text_of(launch_geometry const& g);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/launch.ipp>
#endif
