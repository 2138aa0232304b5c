// bench/space/hard_spaces.hpp - spaces that are wider than those of real kernels.
// SPDX-License-Identifier: MIT
//
// Real spaces with every number allowed where the kernel has a few (their valid configurations were
// counted by loops), and sums of products, of which no order of the parameters keeps less than the
// sum so far.
#pragma once

#include <string_view>

namespace bench {

inline constexpr std::string_view hard_spaces = R"json([
{"name": "hotspot_dense", "valid": 6731794,
 "params": [{"name": "block_size_x", "range": [1, 1024]},
            {"name": "block_size_y", "values": [1, 2, 4, 8, 16, 32]},
            {"name": "tile_size_x", "range": [1, 32]}, {"name": "tile_size_y", "range": [1, 32]},
            {"name": "temporal_tiling_factor", "range": [1, 10]},
            {"name": "loop_unroll_factor_t", "range": [1, 10]},
            {"name": "sh_power", "values": [0, 1]}, {"name": "blocks_per_sm", "range": [0, 4]}],
 "constraints": [
   "block_size_x * block_size_y >= 32", "block_size_x * block_size_y <= 1024",
   "temporal_tiling_factor % loop_unroll_factor_t == 0",
   "(block_size_x * tile_size_x + temporal_tiling_factor * 2) * (block_size_y * tile_size_y + temporal_tiling_factor * 2) * (2 + sh_power) * 4 <= 49152",
   "blocks_per_sm == 0 or (((block_size_x * tile_size_x + temporal_tiling_factor * 2) * (block_size_y * tile_size_y + temporal_tiling_factor * 2) * (2 + sh_power) * 4) * blocks_per_sm <= 102400)"]},
{"name": "gemm_dense", "valid": 4605912864,
 "params": [{"name": "MWG", "range": [1, 512]}, {"name": "NWG", "range": [1, 512]},
            {"name": "KWG", "values": [16, 32]},
            {"name": "MDIMC", "range": [1, 64]}, {"name": "NDIMC", "range": [1, 64]},
            {"name": "MDIMA", "range": [1, 64]}, {"name": "NDIMB", "range": [1, 64]},
            {"name": "VWM", "values": [1, 2, 4, 8]}, {"name": "VWN", "values": [1, 2, 4, 8]},
            {"name": "STRM", "values": [0, 1]}, {"name": "STRN", "values": [0, 1]},
            {"name": "SA", "values": [0, 1]}, {"name": "SB", "values": [0, 1]}],
 "constraints": [
   "MWG % (MDIMC * VWM) == 0", "NWG % (NDIMC * VWN) == 0",
   "MWG % (MDIMA * VWM) == 0", "NWG % (NDIMB * VWN) == 0",
   "KWG * MDIMA % (MDIMC * NDIMC) == 0", "KWG * NDIMB % (MDIMC * NDIMC) == 0",
   "MWG != 128 or NWG != 128 or MDIMC != 8 or NDIMC != 8"]},
{"name": "bilinear6_32",
 "params": [{"name": "x0", "range": [1, 32]}, {"name": "y0", "range": [1, 32]},
            {"name": "x1", "range": [1, 32]}, {"name": "y1", "range": [1, 32]},
            {"name": "x2", "range": [1, 32]}, {"name": "y2", "range": [1, 32]},
            {"name": "x3", "range": [1, 32]}, {"name": "y3", "range": [1, 32]},
            {"name": "x4", "range": [1, 32]}, {"name": "y4", "range": [1, 32]},
            {"name": "x5", "range": [1, 32]}, {"name": "y5", "range": [1, 32]}],
 "constraints": ["x0 * y0 + x1 * y1 + x2 * y2 + x3 * y3 + x4 * y4 + x5 * y5 <= 2048"]},
{"name": "bilinear6_64",
 "params": [{"name": "x0", "range": [1, 64]}, {"name": "y0", "range": [1, 64]},
            {"name": "x1", "range": [1, 64]}, {"name": "y1", "range": [1, 64]},
            {"name": "x2", "range": [1, 64]}, {"name": "y2", "range": [1, 64]},
            {"name": "x3", "range": [1, 64]}, {"name": "y3", "range": [1, 64]},
            {"name": "x4", "range": [1, 64]}, {"name": "y4", "range": [1, 64]},
            {"name": "x5", "range": [1, 64]}, {"name": "y5", "range": [1, 64]}],
 "constraints": ["x0 * y0 + x1 * y1 + x2 * y2 + x3 * y3 + x4 * y4 + x5 * y5 <= 8192"]}
])json";

} // namespace bench
