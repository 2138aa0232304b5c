// attune/tune/device/cuda/cuda_bench.hpp - variants for a CUDA device: a device_bench as the loop's bench.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/measure/cuda/device_bench.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/test_bench.hpp>
#include <attune/tune/options.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// In a worker process with a context of its own, unless tuning_options::measuring.protect is
/// `guard` or `none`: then in this process, on the device's primary context, which a bad variant
/// may take along. Where no worker comes up, `automatic` runs them in this process too, and
/// protection() says why; `fork` is an error then. The user's reference and check run in this
/// process, on copies in the host's memory.
class cuda_bench final : public test_bench {
public:
    /// @pre     problem, options and target outlive this object
    /// Errors   attune::error: no device, out of memory, no worker for isolation::fork, or one that
    ///          shares a server with this process (CUDA MPS)
    cuda_bench(tuning_problem const& problem,
               tuning_options const& options,
               cuda_target const& target);

    [[nodiscard]] probation_result establish(callable const& trusted, double limit_s) override;
    [[nodiscard]] probation_result first_run(callable const& tried, double limit_s) override;
    [[nodiscard]] outcome time(callable const& tried,
                               double stop_above_s,
                               double limit_s,
                               timing_record& record) override;
    [[nodiscard]] std::variant<round_times, std::size_t> compare(std::span<callable const> tried,
                                                                 double limit_s) override;
    [[nodiscard]] std::string protection() const override { return bench_->protection(); }
    /// In a worker, or not at all.
    [[nodiscard]] std::unique_ptr<test_bench> on_device(int ordinal) const override;

private:
    struct shared; ///< what the benches of several devices have in common

    cuda_bench(std::shared_ptr<shared> common, std::unique_ptr<device_bench> bench);
    [[nodiscard]] probation_result checked(probation_result end);

    std::shared_ptr<shared> shared_;
    std::unique_ptr<device_bench> bench_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/device/cuda/cuda_bench.ipp>
#endif
