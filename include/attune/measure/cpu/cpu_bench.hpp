// attune/measure/cpu/cpu_bench.hpp - the bench for this processor.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/content.hpp>
#include <attune/measure/bench.hpp>
#include <attune/measure/cpu/cpu_first_runs.hpp>
#include <attune/measure/cpu/guarded_timed_runs.hpp>
#include <attune/measure/timing_turns.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// cpu_first_runs makes first runs in a forked child; guarded_timed_runs makes timed runs in this
/// process. A timed run waits for its turn among all timings on these processors, see timing_turns.
/// An energy run waits for a turn at all processors, because the counters count whole packages.
class cpu_bench final : public bench {
public:
    /// Copies every writable buffer. @pre the memory of the call outlives this object
    cpu_bench(trial_call call, bench_options const& options);
    ~cpu_bench() override;

    [[nodiscard]] first_run_result establish(callable const& trusted, double limit_s) override;
    [[nodiscard]] first_run_result first_run(callable const& tried, double limit_s) override;
    [[nodiscard]] outcome time(callable const& tried, double stop_above_s, double limit_s,
                               timing_record& record) override;
    [[nodiscard]] std::variant<round_times, std::size_t> compare(std::span<callable const> tried,
                                                                 double limit_s) override;
    [[nodiscard]] std::vector<time_sample> sample(callable const& known, timing_record const& how,
                                                  std::size_t count, double limit_s) override;
    [[nodiscard]] std::string why_no_energy() const override
    {
        return detail::why_no_energy(options_.energy);
    }
    [[nodiscard]] std::variant<call_energy, failure> energy(callable const& tried,
                                                            double limit_s) override;
    [[nodiscard]] std::string protection() const override { return first_runs_.protection().why; }
    [[nodiscard]] std::vector<std::string> notices() const override;
    void set_background(std::function<double()> cpu_s) override
    {
        background_cpu_s_ = std::move(cpu_s);
    }

    /// Guards runs on the caller's arrays; the destructor of the result restores the arrays.
    /// @param limit_s  wall seconds for each run
    /// @param turn     turn of these runs; null: they are not timed
    [[nodiscard]] guarded_timed_runs watch(double limit_s,
                                           timing_turns::turn* turn = nullptr) const;

private:
    /// Runs `body`, which gets a function that wraps the code at an address. Results are not
    /// checked, because the code has passed its checks. Restores the process and the arrays
    /// afterwards.
    /// Errors   `stopped`: crash or timeout
    void unchecked(
        double limit_s,
        std::function<void(std::function<std::function<void()>(void*)> const&)> const& body) const;

    trial_call call_;
    bench_options options_;
    snapshot original_;
    variant_timing timing_;
    cpu_first_runs first_runs_;
    timing_turns turns_;
    timing_turns energy_turns_;
    std::function<double()> background_cpu_s_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cpu/cpu_bench.ipp>
#endif
