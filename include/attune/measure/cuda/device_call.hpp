// attune/measure/cuda/device_call.hpp - the arrays and arguments of a kernel's call on a device.
// SPDX-License-Identifier: MIT
//
// tested by measure/cuda/device_bench.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

enum class memory_place : std::uint8_t { host, device };

/// One array of a call. `where.data` is an address in the memory of `place`.
struct device_buffer {
    buffer where;
    memory_place place = memory_place::device;
};

/// One argument of a kernel: an array, passed by its address, or bytes passed by value.
struct device_argument {
    static constexpr std::size_t by_value = static_cast<std::size_t>(-1);

    std::size_t buffer = by_value;  ///< index into device_call::buffers
    std::vector<std::byte> value{}; ///< when by value
};

/// One call for a device. Refers to the caller's memory.
struct device_call {
    int ordinal = 0; ///< of the device
    std::vector<device_buffer> buffers;
    std::vector<device_argument> arguments; ///< in the kernel's order
};

} // namespace attune::inline ATTUNE_ABI::detail
