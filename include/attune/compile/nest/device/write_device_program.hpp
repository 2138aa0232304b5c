// attune/compile/nest/device/write_device_program.hpp - a tensor program as a CUDA kernel.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/device_program.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The arguments of a kernel in their order.
struct device_program_arguments {
    std::vector<std::size_t> order{}; ///< an array, or the number of arrays plus an input's index
    std::vector<std::string> types{}; ///< C++ text: "float const*", "int"
};

/// Arrays that are no temporaries in their order, then inputs.
[[nodiscard]] device_program_arguments device_arguments_of(nest_description const& nest);

/// A kernel of CUDA C++17 that computes the program, for NVRTC without a header:
///
///     extern "C" __global__ void NAME(float const* __restrict__ A, ..., int M)
///
/// It is launched with program.threads() threads in blocks of one dimension: of tiles as many
/// blocks as the batch, and the rows and columns in parts of a block, have; of rows one for each
/// groups * passes of them, or program.blocks where no axis is shared. Blocks of a program of rows
/// have dynamic shared memory for groups times the temporaries of a row, each in multiples of 8
/// bytes. Numbers of 16 bits are computed with in float, as the nodes of a nest say; a kernel that
/// uses tensor cores is code for sm_80 and later. Arrays do not overlap; where they begin at a
/// multiple of 16 bytes, and lines in them are as long, wide loads are used.
[[nodiscard]] std::string write_device_program(device_program const& program,
                                               device_program_arguments const& arguments);

namespace detail {

/// Part of the identity of what was tuned. Raised with each change that makes other code of equal
/// programs and values.
inline constexpr int device_writer_version = 3;

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/nest/device/write_device_program.ipp>
#endif
