// attune/tune/device/cuda/cuda_device.hpp - a CUDA device as the target of a tuning.
// SPDX-License-Identifier: MIT
//
// tested by tune/device_problem.cpp
#pragma once

#include <attune/compile/cuda_compiler.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/tune/device/device_target.hpp>

#include <memory>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// "NVIDIA H200 (sm_90)"; "sm_90" where only the architecture is known.
[[nodiscard]] std::string device_name(device_limits const& device);

/// The device of a cuda_target: make_device_target() gives one.
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
    [[nodiscard]] std::unique_ptr<bench> make_bench(tuning_problem const& problem,
                                                    tuning_options const& options) const override;

private:
    cuda_target const& target_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/cuda/cuda_device.ipp>
#endif
