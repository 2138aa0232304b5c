// attune/tune/device/cuda/cuda_device.hpp - a CUDA device as the target of a tuning: its launch limits, and code in the program.
// SPDX-License-Identifier: MIT
//
// tested by tune/device_problem.cpp
// Source   CUDA C++ programming guide, technical specifications per compute capability
#pragma once

#include <attune/compile/cuda_compiler.hpp>
#include <attune/core/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/device.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/kernel/kernel_description.hpp>
#include <attune/tune/kernel/launch_declaration.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Adds to `bound` the device's conditions on the launch, except those that hold for all parameter
/// values. Conditions bound the extents of block and grid, threads per block, dynamic shared memory
/// and clusters; extents are 1 or more. For a cooperative launch all blocks and threads must be
/// resident at once. Adds threads per block, dynamic shared bytes and blocks as features.
///
/// launch_objection() may still refuse a compiled variant because of its resources.
///
/// @param bound  the kernel's space with the values of its inputs
/// Errors   attune::error: the kernel declares no grid or no block; a condition can never hold
void add_launch_limits(description& bound, launch_declaration const& launch,
                       device_limits const& device);

/// Returns the quantities of compiled code that rules and features may read.
/// @param resident  result of occupancy_of() for the code and its launch
[[nodiscard]] code_numbers numbers_of(code_resources const& code, residency const& resident);

/// Returns the default of a kernel as PTX, which attune_add_kernel(target file.cu) has put into the
/// program, with the declared launch at `at`. cuda_kernel loads the PTX without NVRTC.
/// @param bound  the space with the inputs of the call
/// @param at     the default configuration
/// @return  callable::address points to a device_variant; empty: no PTX fits
[[nodiscard]] std::optional<callable> find_fallback_on_device(kernel_description const& kernel,
                                                              description const& bound,
                                                              point const& at);

/// Returns "NVIDIA H200 (sm_90)"; "sm_90" if only the architecture is known; the name alone for a
/// device that is not a CUDA device.
[[nodiscard]] std::string device_name(device_limits const& device);

/// The device of a cuda_target, made by make_device_target().
class cuda_device final : public device_target {
public:
    /// @param target  outlives this object and all objects that this one makes
    explicit cuda_device(cuda_target const& target) noexcept
        : target_(target)
    {
    }

    [[nodiscard]] std::string name() const override { return device_name(target_.limits); }
    void require_device(std::string const& kernel) const override;
    void add_limits(description& bound, kernel_description const& kernel) const override;
    [[nodiscard]] code_review review(kernel_description const& kernel, description const& bound,
                                     point const& at, callable const& code) const override;
    [[nodiscard]] std::unique_ptr<loaded_kernel const> load(callable code,
                                                            std::string kernel) const override;
    [[nodiscard]] std::optional<callable> code_in_program(kernel_description const& kernel,
                                                          description const& bound,
                                                          point const& at) const override;
    void wait_for_caller(void* stream) const override;
    void require_arrays(call_frame const& frame) const override;
    [[nodiscard]] std::shared_ptr<std::byte> make_array(std::size_t bytes,
                                                        std::size_t place) const override;
    void copy_array(array_copy how, std::byte* to, std::byte const* from,
                    std::size_t bytes) const override;
    [[nodiscard]] std::unique_ptr<bench> make_bench(tuning_problem const& problem,
                                                    tuning_options const& options) const override;

private:
    cuda_target const& target_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/cuda/cuda_device.ipp>
#endif
