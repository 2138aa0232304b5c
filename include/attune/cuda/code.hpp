// attune/cuda/code.hpp - a kernel compiled for a device, and what it takes there.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/launch.hpp>

#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// What one thread or block of compiled code takes. Known before anything is launched.
struct code_resources {
    std::int64_t registers = 0;           ///< 32-bit registers of a thread
    std::int64_t spill_bytes = 0;         ///< of a thread: stored to and loaded from local memory
    std::int64_t stack_bytes = 0;         ///< local memory of a thread
    std::int64_t static_shared_bytes = 0; ///< shared memory of a block, without the dynamic part
    std::int64_t constant_bytes = 0;      ///< constant memory, arguments included
    std::int64_t most_threads = 0;        ///< of a block, by __launch_bounds__; 0: not stated

    friend bool operator==(code_resources const&, code_resources const&) = default;
};

/// One kernel for one architecture.
struct device_code {
    std::string image;    ///< a CUBIN, as cuModuleLoadData takes it
    std::string entry;    ///< the kernel's symbol in it, mangled where it is C++
    int architecture = 0; ///< 90: compute capability 9.0
    code_resources resources{};
};

/// A configuration ready to be launched: what `callable::address` points to when the compiler makes
/// code for a device.
struct device_variant {
    device_code code;
    launch_geometry launch;
};

/// What the callable of a compiler for a device points to. Valid while a copy of `code` lives.
[[nodiscard]] inline device_variant const& device_variant_of(callable const& code) noexcept
{
    return *static_cast<device_variant const*>(code.address);
}

} // namespace attune::inline ATTUNE_ABI
