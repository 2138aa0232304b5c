// attune/space/schedule/device/device_space.hpp - the schedules of a program as one launch of a GPU.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/launch.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/nest/loop_program.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/point.hpp>

#include <cstdint>
#include <optional>

namespace attune::inline ATTUNE_ABI {

/// The space of a program's GPU kernels, and the kernel of each configuration.
///
/// A product, batched product or convolution, with later statements that only read its result
/// element by element, has tiles: BLOCK_ROWS, BLOCK_COLUMNS, BLOCK_DEPTH, THREAD_ROWS,
/// THREAD_COLUMNS, VECTOR, PADDING, STAGES (tiles of the depth in shared memory; devices of sm_80
/// and later copy 3 or 4 asynchronously).
///
/// TENSOR=1 multiplies by tensor cores of sm_80 and later. Both operands are _Float16 or __bf16
/// with sums in float, or bytes with sums in int. The tile of a warp then has 8 THREAD_ROWS rows
/// and 4 THREAD_COLUMNS columns. The default is 1 for a device known to be sm_80 or later, with
/// STAGES=3 if shared memory has room; else 0, which every device runs. The space of an older
/// device has no TENSOR, but VECTOR, PADDING and STAGES, as for float.
///
/// All other programs run row by row of the axes that all statements share: LANES, GROUPS, PASSES.
/// They have VECTOR if a row is one line of numbers that lanes keep in registers. Without a shared
/// axis the program is one row: LANES. Several blocks (BLOCKS) divide its elements, and each block
/// computes all temporaries. The program runs as one block if a statement reads an array in memory
/// that another statement writes, or if all results are single numbers.
///
/// Constraints keep each configuration within the limits of the device for a block: threads, shared
/// memory (opt-in), and predicted registers. Without a known device the limits are 1024 threads and
/// 48 KiB, which all devices have, and 96 KiB for asynchronous copies, which devices before sm_80
/// may lack. Extents that are inputs of the program are inputs of the space. The rows of a
/// configuration are device_features_of(). They also identify programs, so description::structure
/// is empty.
class device_space {
public:
    /// @param device  limits of the device; nothing: any device
    /// Errors   attune::error: a GPU does not have an element type; an array has a row stride; the
    ///          temporaries of one row exceed the shared memory of a block
    explicit device_space(nest_description nest, std::optional<device_limits> const& device = {});

    [[nodiscard]] description const& describe() const noexcept { return space_; }

    /// Nodes of the description: blocks; threads of a block; bytes of dynamic shared memory.
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
