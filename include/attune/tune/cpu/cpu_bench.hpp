// attune/tune/cpu/cpu_bench.hpp - variants for this processor: tried in a child, timed in the process.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/snapshot.hpp>
#include <attune/tune/cpu/proving_ground.hpp>
#include <attune/tune/cpu/timing.hpp>
#include <attune/tune/cpu/watched_runs.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/test_bench.hpp>
#include <attune/tune/options.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// First runs are those of proving_ground, all others those of watched_runs.
class cpu_bench final : public test_bench {
public:
    /// Copies every writable buffer. @pre problem and options outlive this object
    cpu_bench(tuning_problem const& problem, tuning_options const& options);
    ~cpu_bench() override;

    [[nodiscard]] probation_result establish(callable const& trusted, double limit_s) override;
    [[nodiscard]] probation_result first_run(callable const& tried, double limit_s) override;
    /// By verify_shape(), on the caller's contents.
    [[nodiscard]] shape_verdict
    verify(callable const& trusted, callable const& tried, double limit_s) override;
    [[nodiscard]] outcome time(callable const& tried,
                               double stop_above_s,
                               double limit_s,
                               timing_record& record) override;
    [[nodiscard]] std::variant<round_times, std::size_t> compare(std::span<callable const> tried,
                                                                 double limit_s) override;
    [[nodiscard]] std::vector<time_sample> sample(callable const& known,
                                                  timing_record const& how,
                                                  std::size_t count,
                                                  double limit_s) override;
    [[nodiscard]] std::string protection() const override { return ground_.protection().why; }
    void set_background(std::function<double()> cpu_s) override
    {
        background_cpu_s_ = std::move(cpu_s);
    }

    /// For other runs: guarded, and restored when the result goes.
    /// @param limit_s  wall seconds for each run
    [[nodiscard]] watched_runs watch(double limit_s) const;

private:
    tuning_problem const& problem_;
    tuning_options const& options_;
    snapshot original_;
    variant_timing timing_;
    proving_ground ground_;
    std::function<double()> background_cpu_s_{};
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/cpu/cpu_bench.ipp>
#endif
