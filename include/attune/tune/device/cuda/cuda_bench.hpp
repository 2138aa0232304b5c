// attune/tune/device/cuda/cuda_bench.hpp - the benches of a problem on CUDA devices: timed runs, or times predicted from code.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/device.hpp>
#include <attune/measure/bench.hpp>
#include <attune/measure/device/device_call.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/options.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns the call in the form of measure/. The result refers to the caller's memory.
[[nodiscard]] device_call make_device_call(cuda_target const& target, call_frame const& frame);

/// Checks that every device array is in the target's memory and has its stated length there.
/// @pre     target.can_run()
/// Errors   attune::error with the argument: not device memory, of another device, or too short
void require_on_device(cuda_target const& target, call_frame const& frame);

/// Returns true if device code runs in this process; false: in a worker.
[[nodiscard]] constexpr bool runs_in_process(isolation how) noexcept
{
    return how == isolation::guard || how == isolation::none;
}

/// Checks tuning_options::device.others. Does nothing if it is empty, or without a device.
/// @param own  the compiler's device
/// Errors   attune::error: variants run in this process; a device is the compiler's own, occurs
///          twice, does not exist, or has other limits
void require_usable_devices(cuda_target const& own, tuning_options const& options);

/// A bench in a worker process with its own context. With tuning_options::measuring.protect =
/// `guard` or `none`, a bench in this process on the device's primary context, which a bad variant
/// may destroy. If no worker starts, `automatic` measures in this process too (protection() gives
/// the reason); `fork` is an error, and so are both on a device that is the processor. The user's
/// reference and check run in this process, on copies in host memory.
/// @pre     problem, options and target outlive the result
/// Errors   attune::error: no device, out of memory, no worker for isolation::fork, or a worker
///          that shares a server with this process (CUDA MPS)
[[nodiscard]] std::unique_ptr<bench> make_cuda_bench(tuning_problem const& problem,
                                                     tuning_options const& options,
                                                     cuda_target const& target);
/// The same for any driver with the functions of a cuda::driver.
/// @param comparison     a kernel device_compare_entry in the device's language
/// @param start_limit_s  wall seconds of a variant's first launch beside its run
[[nodiscard]] std::unique_ptr<bench>
make_device_bench(tuning_problem const& problem, tuning_options const& options,
                  cuda_target const& target, kernel_source const& comparison, double start_limit_s);

/// Predicts a variant's value from its code: lower is better. 1 is full occupancy without spills
/// and with a whole number of waves. The heuristic ignores the work of a thread, so it compares
/// only variants that do the same work with different launches:
///
///     tail / occupancy * (1 + spill_bytes / (4 * registers))
///
/// A wave is a set of blocks that are resident at once; tail = waves rounded up / waves.
/// @return  infinity if no launch is possible
[[nodiscard]] double predicted_objective(device_limits const& device, device_variant const& code);

/// The bench of tuned.predict(). Every variant that the device can launch succeeds, and its time is
/// its predicted_objective().
class predicted_bench final : public bench {
public:
    /// @param device  outlives this object
    explicit predicted_bench(device_limits const& device)
        : device_(device)
    {
    }

    [[nodiscard]] first_run_result establish(callable const& trusted, double limit_s) override;
    [[nodiscard]] first_run_result first_run(callable const& tried, double limit_s) override;
    /// Always `unknown`.
    [[nodiscard]] shape_verdict verify(callable const&, callable const&, double) override
    {
        return {.why = {failure_stage::launch, protection()}};
    }
    [[nodiscard]] outcome time(callable const& tried, double stop_above_s, double limit_s,
                               timing_record&) override;
    [[nodiscard]] std::variant<round_times, std::size_t> compare(std::span<callable const> tried,
                                                                 double limit_s) override;
    [[nodiscard]] std::string protection() const override
    {
        return "nothing runs: predicted for " + device_.name;
    }

private:
    device_limits const& device_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/cuda/cuda_bench.ipp>
#endif
