// attune/cuda/loaded_code.hpp - one kernel in one context, ready to be launched.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, module management and execution control
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/driver.hpp>

#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail::cuda {

/// A loaded kernel; the driver already has the attributes that its launches need.
class loaded_code {
public:
    /// Loads into the calling thread's current context. All launches must use this context, and it
    /// must outlive this object.
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

#ifdef ATTUNE_HEADER_ONLY
#include <attune/cuda/loaded_code.ipp>
#endif
