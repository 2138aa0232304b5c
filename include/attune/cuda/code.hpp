// attune/cuda/code.hpp - a kernel compiled for a device, and the resources it needs.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/launch.hpp>
#include <attune/core/version.hpp>

#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// The resources of compiled code, per thread or block. They are known before a launch.
struct code_resources {
    std::int64_t registers = 0;           ///< 32-bit registers of a thread
    std::int64_t spill_bytes = 0;         ///< of a thread, in local memory: stores and loads
    std::int64_t stack_bytes = 0;         ///< local memory of a thread
    std::int64_t static_shared_bytes = 0; ///< shared memory of a block, without the dynamic part
    std::int64_t constant_bytes = 0;      ///< constant memory, arguments included
    std::int64_t most_threads = 0;        ///< of a block, by __launch_bounds__; 0: no bound

    friend bool operator==(code_resources const&, code_resources const&) = default;
};

/// One kernel for one architecture.
struct device_code {
    std::string image;    ///< a CUBIN, as cuModuleLoadData takes it
    std::string entry;    ///< the kernel's symbol in `image`, mangled for C++ linkage
    int architecture = 0; ///< 90: compute capability 9.0
    code_resources resources{};
    std::string ptx{}; ///< the same as PTX, where it was asked for: nvrtc_options::keep_ptx
};

/// A configuration ready to be launched. A device compiler's `callable::address` points to one.
struct device_variant {
    device_code code;
    launch_geometry launch;
};

/// The device_variant of a device compiler's callable. Valid while a copy of `code` exists.
[[nodiscard]] inline device_variant const& device_variant_of(callable const& code) noexcept
{
    return *static_cast<device_variant const*>(code.address);
}

} // namespace attune::inline ATTUNE_ABI
