// attune/tune/device/device_target.hpp - the interface between a tuning and a device backend.
// SPDX-License-Identifier: MIT
//
// A backend is a folder beside cuda/ with classes derived from both classes below. The header of
// its compiler declares make_device_target(), as compile/cuda_compiler.hpp does.
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/core/callable.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

class bench;
struct call_frame;
struct kernel_description;
struct tuning_options;
struct tuning_problem;

/// An argument in host memory that must be copied to the device.
struct staged_array {
    std::size_t argument = 0; ///< position among the arguments
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    bool writable = false; ///< to be copied back after the call
};

/// The loaded code of an installed variant. Any thread.
class loaded_kernel {
public:
    loaded_kernel() = default;
    virtual ~loaded_kernel() = default;
    loaded_kernel(loaded_kernel const&) = delete;
    loaded_kernel& operator=(loaded_kernel const&) = delete;

    /// Begins one call and returns: the kernel may still run.
    /// @param arguments  the address of each argument
    /// @param stream     null: the default stream
    /// Errors   attune::error with the driver's text, also for an error of an earlier kernel
    virtual void launch(void** arguments, void* stream) const = 0;

    /// Makes one call on host arrays: copies them to the device, runs the kernel, copies writable
    /// arrays back, and returns at the end. Calls of several threads run one after another.
    /// @param arguments  as for launch(); this function sets the addresses of `arrays`
    /// Errors   as for launch(); out of memory; the program captures the stream
    virtual void launch_staged(void** arguments, std::span<staged_array const> arrays,
                               void* stream) const = 0;
};

/// From where to where device_target::copy_array() copies.
enum class array_copy { on_device, to_device, to_host };

/// Properties of compiled code before its launch.
struct code_review {
    std::vector<double> features{}; ///< values of kernel.features(...)
    std::string objection{};        ///< why a launch is forbidden; empty: it is allowed
};

/// A device, as the stages of a tuning use it.
///
/// Kernels with arrays in the device's memory are tuned in the background, captured and replayed
/// where the device has make_array() and copy_array().
class device_target {
public:
    device_target() = default;
    virtual ~device_target() = default;
    device_target(device_target const&) = delete;
    device_target& operator=(device_target const&) = delete;

    /// Returns the name of the device in stores, such as "NVIDIA H200 (sm_90)".
    [[nodiscard]] virtual std::string name() const = 0;

    /// Returns true if kernels run on this processor's cores. A session then compiles nothing ahead
    /// by default, because a compiler would take the cores of the kernel.
    [[nodiscard]] virtual bool is_on_processor() const { return false; }

    /// Checks that the device exists.
    /// Errors   attune::error: it does not; the text has the alternatives
    virtual void require_device(std::string const& kernel) const = 0;

    /// Adds to `bound` the device's conditions on a launch, as constraints and features.
    /// @param bound  the kernel's space with the values of its inputs
    /// Errors   attune::error: the kernel declares no launch; a condition can never hold
    virtual void add_limits(description& bound, kernel_description const& kernel) const = 0;

    /// Returns the features of compiled code, and why the device or kernel.require(...) forbids its
    /// launch.
    [[nodiscard]] virtual code_review review(kernel_description const& kernel,
                                             description const& bound, point const& at,
                                             callable const& code) const = 0;

    /// Loads code that serves calls. The compiler of `code` outlives the result.
    /// @param kernel  name of the kernel, for errors
    [[nodiscard]] virtual std::unique_ptr<loaded_kernel const> load(callable code,
                                                                    std::string kernel) const = 0;

    /// Returns the code of the default that the program contains for this device; may be empty. Its
    /// callable::compiler is code_of_the_program.
    [[nodiscard]] virtual std::optional<callable> code_in_program(kernel_description const& kernel,
                                                                  description const& bound,
                                                                  point const& at) const = 0;

    /// Waits for the caller's work on a stream; null: for all work in the caller's context.
    /// Errors   attune::error: the program captures the stream, so that no wait is possible
    virtual void wait_for_caller(void* stream) const = 0;

    /// Checks that device arrays are in the memory of this device.
    /// Errors   attune::error with the argument that is not
    virtual void require_arrays(call_frame const& frame) const = 0;

    /// Returns memory of the device without values. Its address modulo 4096 is `place`.
    /// Errors   attune::error: out of memory, the driver's own; this device has no such function
    [[nodiscard]] virtual std::shared_ptr<std::byte> make_array(std::size_t bytes,
                                                                std::size_t place) const
    {
        static_cast<void>(bytes);
        static_cast<void>(place);
        refuse_copies();
    }
    /// Copies bytes and waits for the end of the copy. Other work of the device may still run.
    /// Errors   as make_array(); a stream is being captured that the copy would wait for
    virtual void copy_array(array_copy how, std::byte* to, std::byte const* from,
                            std::size_t bytes) const
    {
        static_cast<void>(how);
        static_cast<void>(to);
        static_cast<void>(from);
        static_cast<void>(bytes);
        refuse_copies();
    }

    /// Returns the bench that runs, checks and times variants. With tuning_problem::predict,
    /// returns a bench that runs nothing.
    /// @pre     both outlive the result
    /// Errors   attune::error: the device or tuning_options::device.others is unusable, the
    ///          arguments do not fit the device, out of memory
    [[nodiscard]] virtual std::unique_ptr<bench>
    make_bench(tuning_problem const& problem, tuning_options const& options) const = 0;

private:
    [[noreturn]] void refuse_copies() const
    {
        throw error("arrays in the memory of this device cannot be copied", name(),
                    "pass std::span, or tune in the call: miss_policy::tune_if_missing");
    }
};

namespace detail {

/// A function that returns the device of a compiler's code; empty: this processor. A call of the
/// kernel calls it, and nothing earlier does: a program may run on a machine without a device.
/// Errors   errors of the compiler's target()
using device_finder = std::function<std::shared_ptr<device_target const>()>;

/// @param held  the compiler; outlives the result, and the devices that the result returns
template <class Compiler>
[[nodiscard]] device_finder make_device_finder(Compiler const& held)
{
    // Argument-dependent lookup: the header of the target's type declares make_device_target().
    if constexpr (device_compiler<Compiler>)
        return [&held] { return make_device_target(held.target()); };
    else
        return {};
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
