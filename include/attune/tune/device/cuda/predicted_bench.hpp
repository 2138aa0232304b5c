// attune/tune/device/cuda/predicted_bench.hpp - rates variants for a device by their code, without a run.
// SPDX-License-Identifier: MIT
//
// A heuristic that does not read the work of a thread: it ranks only variants that do the same work
// with another launch
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/limits.hpp>
#include <attune/measure/bench.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// Lower is better; 1 is full occupancy without spills and a whole number of waves:
///
///     tail / occupancy * (1 + spill_bytes / (4 * registers))
///
/// where a wave is the blocks resident at once, and tail = waves rounded up / waves.
/// @return  infinite where the code cannot be launched
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
#include <attune/tune/device/cuda/predicted_bench.ipp>
#endif
