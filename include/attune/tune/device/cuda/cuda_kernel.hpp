// attune/tune/device/cuda/cuda_kernel.hpp - the installed variant of a kernel for a device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/tune/device/device_target.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// A launch takes place in the calling thread's current context, if that is one of the target's
/// device, else in the device's primary context, where memory of the CUDA runtime lives. The code
/// is loaded into a context at its first launch there, and stays for the life of this object.
/// May be used from several threads. A context that is destroyed takes the code along: it must
/// outlive this object, or never be used with it.
class cuda_kernel final : public loaded_kernel {
public:
    /// @param target  with a driver; outlives this object  @param code  of a device_compiler
    /// @param name    of the kernel, for errors
    cuda_kernel(cuda_target const& target, callable code, std::string name);
    ~cuda_kernel() override;

    /// Begins one call, and returns as cuLaunchKernel does: the kernel may still run.
    /// @param arguments  an address per argument  @param stream  null: the legacy default stream
    /// Errors   attune::error with the driver's words; an earlier kernel's too
    /// Cost     that of cuLaunchKernel, cuCtxGetCurrent and some ns; no lock, no allocation
    void launch(void** arguments, void* stream) const override;

    /// One call on arrays of the host: copied to buffers of this object, which it keeps, and back
    /// where the kernel may write; those that overlap lie in one buffer, as for variants that are
    /// tried. Waits for its end. Calls of several threads wait for one another.
    /// @param arguments  as above; those of `arrays` are set here
    /// Errors   as above; out of memory (with how much was asked and is free); the stream is being
    ///          captured, or another that the legacy stream waits for, which the copies are on
    void launch_staged(void** arguments,
                       std::span<staged_array const> arrays,
                       void* stream) const override;

private:
    struct place;
    struct state;

    [[nodiscard]] place& place_for(cuda::context current) const;
    /// Device memory of at least `bytes`, kept for later calls. @param argument  for errors
    [[nodiscard]] cuda::device_pointer
    memory_for(place& where, std::size_t slot, std::size_t bytes, std::size_t argument) const;
    void require(cuda::result got, char const* doing) const;

    std::unique_ptr<state> state_;
};

/// Waits for what the caller has launched on a stream, or in its context for null: before its
/// arrays are read.
/// Errors   attune::error: the driver's own; the stream is being captured, or for null another that
///          the default one waits for: the capture goes on
void wait_for_caller(cuda_target const& target, void* stream);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/cuda/cuda_kernel.ipp>
#endif
