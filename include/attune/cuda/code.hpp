// attune/cuda/code.hpp - a kernel compiled for a device, its launch, and the blocks that fit on a multiprocessor.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, module management and execution control; CUDA C++ best
//          practices guide, occupancy; the allocation units of the occupancy calculator; CUDA C++
//          programming guide, technical specifications per compute capability
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/launch.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The resources of compiled code, per thread or block, known before a launch.
struct code_resources {
    std::int64_t registers = 0;           ///< 32-bit registers of a thread
    std::int64_t spill_bytes = 0;         ///< bytes that a thread spills to local memory
    std::int64_t stack_bytes = 0;         ///< local memory of a thread
    std::int64_t static_shared_bytes = 0; ///< shared memory of a block, without the dynamic part
    std::int64_t constant_bytes = 0;      ///< constant memory, including arguments
    std::int64_t most_threads = 0;        ///< threads of a block, by __launch_bounds__; 0: no bound

    friend bool operator==(code_resources const&, code_resources const&) = default;
};

/// A kernel for one architecture.
struct device_code {
    std::string image;    ///< a CUBIN for cuModuleLoadData
    std::string entry;    ///< the kernel's symbol in `image`, mangled for C++ linkage
    int architecture = 0; ///< 90: compute capability 9.0
    code_resources resources{};
    std::string ptx{}; ///< PTX of the kernel; empty without nvrtc_options::keep_ptx
};

/// A compiled configuration with its launch. A device compiler's `callable::address` points to one.
struct device_variant {
    device_code code;
    launch_geometry launch;
};

/// Returns the device_variant of a device compiler's callable. Valid while a copy of `code` exists.
[[nodiscard]] inline device_variant const& device_variant_of(callable const& code) noexcept
{
    return *static_cast<device_variant const*>(code.address);
}

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail::cuda {

/// A loaded kernel. load() has set the attributes for its launches.
class loaded_code {
public:
    /// Loads the kernel into the calling thread's current context. All launches must use this
    /// context, and it must outlive the result.
    /// @param said  receives the driver's last result, which may be that of an earlier launch
    /// @return  the kernel, or a failure: `load` (the image, the symbol), `launch` (too much shared
    ///          memory, a driver without clusters)
    [[nodiscard]] static std::variant<loaded_code, failure>
    load(std::shared_ptr<driver const> of, device_variant const& what, result* said = nullptr);
    ~loaded_code();
    loaded_code(loaded_code&& other) noexcept
        : driver_(std::move(other.driver_))
        , module_(std::exchange(other.module_, nullptr))
        , function_(other.function_)
        , launch_(other.launch_)
    {
    }
    loaded_code& operator=(loaded_code&& other) noexcept
    {
        std::swap(driver_, other.driver_);
        std::swap(module_, other.module_);
        std::swap(function_, other.function_);
        std::swap(launch_, other.launch_);
        return *this;
    }

    /// Starts a launch on a stream; null: the context's default stream. Allocates nothing.
    /// @param arguments  the address of each argument
    /// @return  the driver's result, which may be that of an earlier launch
    [[nodiscard]] result launch(void** arguments, stream on) const noexcept;

    [[nodiscard]] function handle() const noexcept { return function_; }
    [[nodiscard]] launch_geometry const& geometry() const noexcept { return launch_; }

private:
    loaded_code(std::shared_ptr<driver const> of, module loaded, launch_geometry const& launch)
        : driver_(std::move(of))
        , module_(loaded)
        , launch_(launch)
    {
    }
    [[nodiscard]] result set_attributes(code_resources const& takes) const;

    std::shared_ptr<driver const> driver_;
    module module_ = nullptr;
    function function_ = nullptr;
    launch_geometry launch_;
};

} // namespace attune::inline ATTUNE_ABI::detail::cuda

namespace attune::inline ATTUNE_ABI::detail {

/// Returns the architectures that limits_of_architecture() accepts, ascending: 75, 80, 86, ...
[[nodiscard]] std::vector<int> const& known_architectures();

/// Returns the limits of all devices of an architecture. `multiprocessors` is the number of the
/// largest such device; memory sizes are 0.
/// Errors   attune::error that lists the accepted architectures
[[nodiscard]] device_limits limits_of_architecture(int architecture);

/// The blocks that fit on a multiprocessor.
struct residency {
    std::int64_t blocks = 0; ///< number of resident blocks; 0: no launch is possible
    double fraction = 0;     ///< resident warps divided by the device's maximum
};

[[nodiscard]] residency occupancy_of(device_limits const& device, code_resources const& code,
                                     launch_geometry const& launch);

/// Returns why the device cannot launch this code with this geometry: "the block has 2048 threads,
/// the device allows 1024". Empty: it can.
[[nodiscard]] std::string launch_objection(device_limits const& device, code_resources const& code,
                                           launch_geometry const& launch);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/cuda/code.ipp>
#endif
