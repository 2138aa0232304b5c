// attune/cuda/primary_context.hpp - shared ownership of a device's primary context, and its scope.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, primary context management
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/capture.hpp>
#include <attune/cuda/driver.hpp>

#include <memory>
#include <new>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail::cuda {

/// A share in the primary context, which the CUDA runtime uses too: memory from cudaMalloc is in
/// it. The context and all its memory end with the last share, so every owner of memory holds one.
class primary_context {
public:
    /// Errors   attune::error: no such device, the driver's own
    primary_context(std::shared_ptr<driver const> of, int ordinal)
        : driver_(std::move(of))
    {
        require_success(*driver_, driver_->device_get(&device_, ordinal), "cuDeviceGet");
        require_success(*driver_, driver_->primary_context_retain(&handle_, device_),
                        "cuDevicePrimaryCtxRetain");
    }
    ~primary_context() { driver_->primary_context_release(device_); }
    primary_context(primary_context const&) = delete;
    primary_context& operator=(primary_context const&) = delete;

    [[nodiscard]] context handle() const noexcept { return handle_; }
    [[nodiscard]] std::shared_ptr<driver const> const& of() const noexcept { return driver_; }

private:
    std::shared_ptr<driver const> driver_;
    device device_ = 0;
    context handle_ = nullptr;
};

/// While one exists, the calling thread works in a context, beside captures of other threads; its
/// destructor restores the thread's former context.
class context_scope {
public:
    /// @param in  outlives this object
    /// Errors   attune::error: the driver's own
    explicit context_scope(primary_context const& in)
        : context_scope(*in.of(), in.handle())
    {
    }
    /// @param of  outlives this object
    context_scope(driver const& of, context in)
        : context_scope(of, in, std::nothrow)
    {
        require_success(of, entered_, "cuCtxSetCurrent");
    }
    /// For freeing memory, which cannot report a failure.
    context_scope(driver const& of, context in, std::nothrow_t /*unused*/) noexcept
        : driver_(of)
        , relaxed_(of)
        , entered_(of.context_get_current(&previous_))
    {
        if (entered_ == success) entered_ = of.context_set_current(in);
    }
    ~context_scope()
    {
        if (is_inside()) driver_.context_set_current(previous_);
    }
    context_scope(context_scope const&) = delete;
    context_scope& operator=(context_scope const&) = delete;

    [[nodiscard]] bool is_inside() const noexcept { return entered_ == success; }

private:
    driver const& driver_;
    relaxed_thread relaxed_;
    context previous_ = nullptr;
    result entered_;
};

} // namespace attune::inline ATTUNE_ABI::detail::cuda
