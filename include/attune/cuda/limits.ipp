// attune/cuda/limits.ipp - the limits of each architecture.
// SPDX-License-Identifier: MIT
// Source   CUDA C++ programming guide 13, "Technical Specifications per Compute Capability"; for
//          8.8, 10.3 and 12.1, which have no column there, <cuda/__device/arch_traits.h> of CCCL
//          3.2 (as 8.6, 10.0 and 12.0); clusters: 8 blocks are portable, since 9.0.
//          Multiprocessors: TU102, A100, GA102, Orin, the largest 8.8, AD102, H200, B200, B300,
//          Thor, GB202, GB10
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/limits.hpp>

#include <string>
#include <vector>

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
                "use one of " + known + "; 90 stands for compute capability 9.0");
}

} // namespace attune::inline ATTUNE_ABI::detail
