// attune/tune/device/opencl/opencl_device.hpp - an OpenCL device as the target of a tuning.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/opencl/builder.hpp>
#include <attune/compile/opencl_compiler.hpp>
#include <attune/core/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/measure/message/message_values.hpp>
#include <attune/opencl/device.hpp>
#include <attune/tune/device/cuda/cuda_device.hpp>
#include <attune/tune/device/device_target.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// The name of the build service of workers.
inline constexpr char const opencl_build_service[] = "OpenCL build";

/// Answers a request of a builder from make_opencl_builder(). Runs in a worker.
void serve_opencl_build(message_reader& from, message_writer& to);

/// Returns device_compare_text, the comparison of results, in OpenCL C. Needs doubles. The user's
/// flags apply to it: isnan() is always false with -cl-fast-relaxed-math, so it compares bits.
[[nodiscard]] std::string_view opencl_compare_text() noexcept;

/// Makes workers open the drivers of opencl/. Runs before main().
[[gnu::constructor(101)]] void know_opencl_drivers() noexcept; // GCC needs the number here too

/// The device of an opencl_target, made by make_device_target(). Uses the launches and benches of
/// tune/device/cuda/, with the function table of opencl/driver.hpp.
class opencl_device final : public device_target {
public:
    /// @param target  outlives this object and all objects that this one makes
    explicit opencl_device(opencl_target const& target) noexcept
        : target_(target)
        , launches_(target.device)
    {
    }

    [[nodiscard]] std::string name() const override { return target_.name(); }
    void require_device(std::string const&) const override {} // find_opencl_target() found it
    /// Errors   attune::error also: kernel.require() or kernel.features() reads a quantity of code
    ///          that OpenCL does not report
    void add_limits(description& bound, kernel_description const& kernel) const override;
    /// Gives attune::static_shared_bytes and attune::stack_bytes to rules and features.
    [[nodiscard]] code_review review(kernel_description const& kernel, description const& bound,
                                     point const& at, callable const& code) const override;
    [[nodiscard]] std::unique_ptr<loaded_kernel const> load(callable code,
                                                            std::string kernel) const override;
    [[nodiscard]] std::optional<callable>
    code_in_program(kernel_description const&, description const&, point const&) const override
    {
        return {}; // a kernel in OpenCL C is not compiled with the program
    }
    /// @param stream  a cl_command_queue; null: the device's default queue and attune's own
    void wait_for_caller(void* stream) const override;
    /// Errors   attune::error also: an array begins where the device allows no sub-buffer
    void require_arrays(call_frame const& frame) const override;
    [[nodiscard]] std::shared_ptr<std::byte> make_array(std::size_t bytes,
                                                        std::size_t place) const override;
    void copy_array(array_copy how, std::byte* to, std::byte const* from,
                    std::size_t bytes) const override;
    /// Errors   attune::error also: `problem` asks for a prediction
    [[nodiscard]] std::unique_ptr<bench> make_bench(tuning_problem const& problem,
                                                    tuning_options const& options) const override;
    /// Returns true for a device of the type CPU, such as PoCL's.
    [[nodiscard]] bool is_on_processor() const override;

private:
    opencl_target const& target_;
    cuda_device launches_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/opencl/opencl_device.ipp>
#endif
