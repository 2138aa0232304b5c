// attune/tune/device/cuda/cuda_kernel.hpp - the installed variant of a kernel for a device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/tune/device/device_target.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Launches in the calling thread's current context if that belongs to the target's device, else in
/// the device's primary context, which the CUDA runtime uses. Loads the code into a context at the
/// first launch there; the destructor unloads it. Any thread. Each context of a launch must outlive
/// this object, because the end of a context unloads the code.
class cuda_kernel final : public loaded_kernel {
public:
    /// @param target  with a driver; outlives this object
    /// @param code    from a device_compiler
    /// @param name    name of the kernel, for errors
    cuda_kernel(cuda_target const& target, callable code, std::string name);
    ~cuda_kernel() override;

    /// Begins one call and returns like cuLaunchKernel: the kernel may still run.
    /// @param arguments  the address of each argument
    /// @param stream     null: the legacy default stream
    /// Errors   attune::error with the driver's text, also for an error of an earlier kernel
    /// Cost     the cost of cuLaunchKernel, cuCtxGetCurrent and a few ns; no lock, no allocation
    void launch(void** arguments, void* stream) const override;

    /// Makes one call on host arrays. Copies them to buffers that this object keeps, runs the
    /// kernel, copies writable arrays back, and returns at the end. Arrays that overlap share one
    /// buffer, as in measurements. Calls of several threads run one after another.
    /// @param arguments  as for launch(); this function sets the addresses of `arrays`
    /// Errors   as for launch(); out of memory (with the bytes requested and free); a capture of
    ///          `stream`, or of a stream for which the legacy stream of the copies waits
    void launch_staged(void** arguments, std::span<staged_array const> arrays,
                       void* stream) const override;

private:
    struct place;
    struct state;

    [[nodiscard]] place& place_for(cuda::context current) const;
    /// Returns at least `bytes` of device memory, and keeps it for later calls.
    /// @param argument  position of the argument, for errors
    [[nodiscard]] cuda::device_pointer memory_for(place& where, std::size_t slot, std::size_t bytes,
                                                  std::size_t argument) const;
    void require(cuda::result got, char const* doing) const;

    std::unique_ptr<state> state_;
};

/// Waits for the work on a stream; null: for all work of the caller's context.
/// Errors   attune::error: the driver's own; a capture of `stream`, or for null of a stream for
///          which the default stream waits; the capture continues
void wait_for_caller(cuda_target const& target, void* stream);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/cuda/cuda_kernel.ipp>
#endif
