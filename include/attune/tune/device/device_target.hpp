// attune/tune/device/device_target.hpp - what a tuning asks of a device: the seam to a backend.
// SPDX-License-Identifier: MIT
//
// A backend is a folder beside cuda/ that derives from both classes, and one line in devices.hpp.
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/measure/bench.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct call_frame;
struct kernel_description;
struct tuning_options;
struct tuning_problem;

/// An argument in the host's memory that the kernel has to find in the device's.
struct staged_array {
    std::size_t argument = 0; ///< its position
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    bool writable = false; ///< copied back
};

/// The code of an installed variant, ready to be launched. May be used from several threads.
class loaded_kernel {
public:
    loaded_kernel() = default;
    virtual ~loaded_kernel() = default;
    loaded_kernel(loaded_kernel const&) = delete;
    loaded_kernel& operator=(loaded_kernel const&) = delete;

    /// Begins one call and returns: the kernel may still run.
    /// @param arguments  an address per argument  @param stream  null: the default stream
    /// Errors   attune::error with the words of the device's driver; an earlier kernel's too
    virtual void launch(void** arguments, void* stream) const = 0;

    /// One call on arrays of the host: copied to the device, and back where the kernel may write.
    /// Waits for its end. Calls of several threads wait for one another.
    /// @param arguments  as above; those of `arrays` are set here
    /// Errors   as above; out of memory; the stream is being captured
    virtual void
    launch_staged(void** arguments, std::span<staged_array const> arrays, void* stream) const = 0;
};

/// What is known of compiled code before it is launched.
struct code_review {
    std::vector<double> features{}; ///< the numbers of kernel.features(...)
    std::string objection{};        ///< why the code is not launched; empty: it may be
};

/// One device, by what the stages of a tuning need of it.
class device_target {
public:
    device_target() = default;
    virtual ~device_target() = default;
    device_target(device_target const&) = delete;
    device_target& operator=(device_target const&) = delete;

    /// Identity: results are remembered under this name, "NVIDIA H200 (sm_90)".
    [[nodiscard]] virtual std::string name() const = 0;

    /// Errors   attune::error where there is no such device, with what can be done without one
    virtual void require_device(std::string const& kernel) const = 0;

    /// Limits: adds to `bound` what the device demands of a launch, as constraints and features.
    /// @param bound  the kernel's space with the values of its inputs
    /// Errors   attune::error: the launch is not declared, a demand that no parameter can change
    virtual void add_limits(description& bound, kernel_description const& kernel) const = 0;

    /// What compiled code takes of the device, and whether it can be launched by the rules of
    /// device and kernel.
    [[nodiscard]] virtual code_review review(kernel_description const& kernel,
                                             description const& bound,
                                             point const& at,
                                             callable const& code) const = 0;

    /// Load: code that serves calls. This object's compiler outlives the result.
    /// @param kernel  its name, for errors
    [[nodiscard]] virtual std::unique_ptr<loaded_kernel const> load(callable code,
                                                                    std::string kernel) const = 0;

    /// The default configuration as the program itself holds it for this device; nothing: it does
    /// not. Its callable::compiler is code_of_the_program.
    [[nodiscard]] virtual std::optional<callable> code_in_program(kernel_description const& kernel,
                                                                  description const& bound,
                                                                  point const& at) const = 0;

    /// Capture query: waits for what the caller has launched on a stream, null: in its context.
    /// Errors   attune::error: the stream is being captured, and nothing can be waited for
    virtual void wait_for_caller(void* stream) const = 0;

    /// Errors   attune::error naming an argument that is not in the memory of this device
    virtual void require_arrays(call_frame const& frame) const = 0;

    /// Bench: where variants are run, checked and timed; with tuning_problem::predict one that runs
    /// nothing. @pre  both outlive the result
    /// Errors   attune::error: the device or tuning_options::device.others cannot be used, the
    /// arguments
    ///          do not fit it, out of memory
    [[nodiscard]] virtual std::unique_ptr<bench>
    make_bench(tuning_problem const& problem, tuning_options const& options) const = 0;
};

} // namespace attune::inline ATTUNE_ABI
