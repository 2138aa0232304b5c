// attune/compile/nest/write_device_program.hpp - a tensor program as a CUDA kernel.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The arguments of a kernel in their order.
struct device_program_arguments {
    std::vector<std::size_t> order{}; ///< an array, or the number of arrays plus an input's index
    std::vector<std::string> types{}; ///< C++ text: "float const*", "int"
};

/// Arrays without temporaries in their order, then inputs.
[[nodiscard]] device_program_arguments device_arguments_of(nest_description const& nest);

/// A kernel of CUDA C++17 that computes the program, for NVRTC without a header:
///
///     extern "C" __global__ void NAME(float const* __restrict__ A, ..., int M)
///
/// The launch has program.threads() threads in blocks of one dimension. Number of blocks for tiles:
/// that of the batch times those of rows and of columns, in parts of a block. For rows: one block
/// for each groups * passes rows, or program.blocks if no axis is shared. Blocks of a program of
/// rows have dynamic shared memory for groups times the temporaries of a row, each in multiples of
/// 8 bytes. Numbers of 16 bits are computed in float, as the nodes of a nest state. A kernel with
/// tensor cores is code for sm_80 and later. Arrays do not overlap. Wide loads are used if arrays
/// begin at a multiple of 16 bytes, and their lines are as long.
[[nodiscard]] std::string write_device_program(device_program const& program,
                                               device_program_arguments const& arguments);

namespace detail {

/// Part of the identity of a tuning. Increase it with each change that makes other code of equal
/// programs and values.
inline constexpr int device_writer_version = 4;

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/nest/write_device_program.ipp>
#endif
