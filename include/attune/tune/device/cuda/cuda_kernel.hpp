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

/// A launch takes place in the calling thread's current context if that belongs to the target's
/// device. Otherwise it takes place in the device's primary context, which the CUDA runtime uses.
/// The code is loaded into a context at its first launch there and is unloaded with this object.
/// Several threads may use it. A context that this object was used with must outlive the object,
/// because destroying a context unloads its code.
class cuda_kernel final : public loaded_kernel {
public:
    /// @param target  with a driver; outlives this object
    /// @param code    of a device_compiler
    /// @param name    of the kernel, for errors
    cuda_kernel(cuda_target const& target, callable code, std::string name);
    ~cuda_kernel() override;

    /// Begins one call and returns like cuLaunchKernel: the kernel may still run.
    /// @param arguments  an address per argument
    /// @param stream     null: the legacy default stream
    /// Errors   attune::error with the driver's text, also for the error of an earlier kernel
    /// Cost     the cost of cuLaunchKernel, cuCtxGetCurrent and a few ns; no lock, no allocation
    void launch(void** arguments, void* stream) const override;

    /// Makes one call on host arrays. Copies them to buffers that this object keeps, runs the
    /// kernel, copies writable arrays back, and returns at the end. Arrays that overlap share one
    /// buffer, as in measurements. Calls of several threads run one after another.
    /// @param arguments  as above; this function sets those of `arrays`
    /// Errors   as above; out of memory (with the bytes requested and free); a capture of `stream`,
    ///          or of another stream that the legacy stream, on which the copies run, waits for
    void launch_staged(void** arguments, std::span<staged_array const> arrays,
                       void* stream) const override;

private:
    struct place;
    struct state;

    [[nodiscard]] place& place_for(cuda::context current) const;
    /// Device memory of at least `bytes`, kept for later calls. @param argument  for errors
    [[nodiscard]] cuda::device_pointer memory_for(place& where, std::size_t slot, std::size_t bytes,
                                                  std::size_t argument) const;
    void require(cuda::result got, char const* doing) const;

    std::unique_ptr<state> state_;
};

/// Waits for the work on a stream before arrays are read; null: for all of the caller's context.
/// Errors   attune::error: the driver's own; `stream` is being captured, or for null a stream that
///          the default one waits for; the capture continues
void wait_for_caller(cuda_target const& target, void* stream);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/cuda/cuda_kernel.ipp>
#endif
