// attune/cuda/primary_context.hpp - a device's primary context, its scope, and captures beside it.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, primary context management
// Source   CUDA driver API reference, cuThreadExchangeStreamCaptureMode and cuStreamIsCapturing
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>

#include <memory>
#include <new>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail::cuda {

/// During its lifetime, the calling thread may allocate memory, load modules and copy during
/// captures of other threads. In a thread's initial mode, such a call fails and destroys a capture
/// that is in the default mode. The driver assumes that a graph may depend on the call, but no
/// graph depends on attune's calls.
class relaxed_thread {
public:
    /// @param of  outlives this object
    explicit relaxed_thread(driver const& of) noexcept
        : driver_(of)
        , is_changed_(of.exchange_capture_mode != nullptr &&
                      of.exchange_capture_mode(&mode_) == success)
    {
    }
    ~relaxed_thread()
    {
        if (is_changed_) driver_.exchange_capture_mode(&mode_);
    }
    relaxed_thread(relaxed_thread const&) = delete;
    relaxed_thread& operator=(relaxed_thread const&) = delete;

private:
    driver const& driver_;
    int mode_ = flag::capture_relaxed; ///< after the exchange: the former mode
    bool is_changed_;
};

/// Returns true if a wait for `on` would end a capture in any mode: a capture of `on`, or for null
/// (the legacy stream) a capture of a stream without cudaStreamNonBlocking.
/// @pre  a context is current, if `on` is null
[[nodiscard]] inline bool is_captured(driver const& of, stream on) noexcept
{
    if (of.stream_is_capturing == nullptr) return false;
    int state = 0;
    result const got = of.stream_is_capturing(on, &state);
    return got == capture_implicit || (got == success && state != 0);
}

/// Checks that no capture forbids work on the legacy stream, such as a synchronous copy.
/// @param doing  a sentence's subject: "copying an array to the device"
/// Errors   attune::error: the work would end a capture; the capture continues
inline void require_no_capture(driver const& of, std::string const& doing)
{
    if (!is_captured(of, nullptr)) return;
    throw error(doing + " would end a capture", "a stream of the same context is being captured",
                "do it before the capture begins, or after it has ended");
}

/// Waits for all work of the current context.
/// Errors   as require_no_capture(); the driver's own
inline void synchronize_context(driver const& of, std::string const& doing)
{
    require_no_capture(of, doing);
    require_success(of, of.context_synchronize(), doing);
}

/// A share in the primary context, which the CUDA runtime uses too: memory of cudaMalloc belongs to
/// it. The end of the last share ends the context with its memory, so each owner of memory has a
/// share.
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

/// During its lifetime, the calling thread works in a context, also during captures of other
/// threads. The destructor restores the thread's former context.
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
    /// The same without errors, to free memory; see is_inside().
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

/// Memory in a primary context, which its last owner frees.
/// @param on, next  the device and advice, for errors
/// Errors   attune::error: out of memory (with the bytes), the driver's own
[[nodiscard]] inline std::shared_ptr<void>
allocate_shared(std::shared_ptr<primary_context const> const& in, std::size_t bytes,
                std::string const& on, std::string const& next)
{
    driver const& of = *in->of();
    context_scope const here{*in};
    device_pointer at = 0;
    result const got = of.memory_allocate(&at, bytes > 0 ? bytes : 1);
    if (got == out_of_memory) throw_out_of_memory(of, bytes, "", on, next);
    require_success(of, got, "asking for memory of the device");
    return {reinterpret_cast<void*>(at), [in, at](void*) {
                context_scope const inside{*in->of(), in->handle(), std::nothrow};
                if (inside.is_inside()) in->of()->memory_free(at);
            }};
}

} // namespace attune::inline ATTUNE_ABI::detail::cuda
