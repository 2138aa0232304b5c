// attune/space/schedule/device/device_space.hpp - the schedules of a program as one launch of a GPU.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/device_limits.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/nest/device_program.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/point.hpp>

#include <cstdint>
#include <optional>

namespace attune::inline ATTUNE_ABI {

/// The space of a program's GPU kernels, and the kernel of each configuration.
///
/// Products, batched products and convolutions, each with statements behind it that only read its
/// result element by element, are computed in tiles: BLOCK_ROWS, BLOCK_COLUMNS, BLOCK_DEPTH,
/// THREAD_ROWS, THREAD_COLUMNS, VECTOR, PADDING, STAGES (tiles of the depth in shared memory; with
/// 3 or 4 they are copied there asynchronously by devices of sm_80 and later). Where both operands
/// are _Float16 or __bf16 and summed up in float, or bytes summed up in int, TENSOR=1 multiplies by
/// tensor cores of sm_80 and later: a warp's tile then has 8 THREAD_ROWS rows and 4 THREAD_COLUMNS
/// columns. The default is 0, which every device runs, unless the device is known to be one of
/// these: then it is 1, with STAGES=3 where shared memory has room. The space for an older device,
/// which compiles none of TENSOR=1, is without it: VECTOR, PADDING and STAGES are then chosen, as
/// for float. All other programs are computed row by row of the axes that all statements share:
/// LANES, GROUPS, PASSES; VECTOR where a row is one line of numbers, of which lanes keep theirs in
/// registers.
///
/// Without such an axis there is one row: LANES. Several blocks share its elements (BLOCKS), each
/// with all temporaries computed for itself, unless a statement reads an array in memory that
/// another one writes, or all results are single numbers: these programs run as one block.
///
/// Constraints keep each configuration below the threads, the shared memory (opt-in) and, as far as
/// they can be predicted, the registers that a block of the device may have. Where no device is
/// known: 1024 threads and 48 KiB, which all of them have, and 96 KiB where tiles are copied
/// asynchronously, which devices before sm_80 may not have. Extents that are inputs of the program
/// are inputs of the space. Rows of a configuration are device_features_of(). They tell programs
/// apart, too: description::structure is empty.
class device_space {
public:
    /// @param device  what the space is for; nothing: any device
    /// Errors   attune::error: an element type that a GPU does not have; a row stride; statements
    ///          that share no axis and pass on more than a block can hold
    explicit device_space(nest_description nest, std::optional<device_limits> const& device = {});

    [[nodiscard]] description const& describe() const noexcept { return space_; }

    /// Nodes of the description: blocks, threads of a block, bytes of dynamic shared memory.
    [[nodiscard]] std::uint32_t blocks() const noexcept { return blocks_; }
    [[nodiscard]] std::uint32_t threads() const noexcept { return threads_; }
    [[nodiscard]] std::uint32_t shared_bytes() const noexcept { return shared_; }

    /// The kernel of one configuration: a coordinate per parameter of the description.
    [[nodiscard]] device_program schedule(point const& at) const;

private:
    device_program start_;
    description space_;
    std::uint32_t blocks_ = no_index;
    std::uint32_t threads_ = no_index;
    std::uint32_t shared_ = no_index; ///< no_index: none
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/device/device_space.ipp>
#endif
