// attune/measure/bench.hpp - the interface for running, checking and timing compiled variants.
// SPDX-License-Identifier: MIT
//
// tested by tune/loop/make_bench.cpp
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/call_energy.hpp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/measure/clock/time_in_turns.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/sandbox/isolation.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The result of a run of a variant on copies of a call's arrays. Plain data; see verify_shape()
/// (tested by tune/shape/shape_check.cpp).
struct shape_verdict {
    enum class ending : std::uint8_t {
        right,   ///< the results are those of the trusted code: the variant may be used
        wrong,   ///< wrong result, crash, hang, exception, or a changed process
        unknown, ///< undecided: on the copies, the trusted code fails or takes too long; or a
                 ///< variant does, and may make forms of constant arrays; or the check gets no
                 ///< memory or no child
    };

    ending how = ending::unknown;
    failure why{};           ///< wrong: failure of the variant; unknown: mostly of the trusted code
    double elapsed_s = 0;    ///< wall seconds of the whole check
    double runs_s = 0;       ///< seconds of these inside the trusted code and the variant
    unsigned executions = 0; ///< started runs of the trusted code and of the variant
    double trusted_s = 0;    ///< fastest run of the trusted code, in seconds; 0: not compared
    double tried_s = 0;      ///< fastest run of the variant, in seconds; 0: not compared
    bool is_slower = false;  ///< true: right, but clearly slower than the trusted code
};

/// A call of a kernel, without the kernel's types. The buffers refer to the caller's memory. A
/// function with a parameter `data` uses the memory at these addresses instead, one per buffer.
struct trial_call {
    using addresses = std::span<std::byte* const>;

    std::span<buffer const> buffers{}; ///< one per array
    /// Calls the code at `entry`. Empty if a device runs the code.
    std::function<void(void* entry, addresses data)> call{};
    void* idle = nullptr; ///< code for `call` that does nothing; null: none
    /// Writes the reference results. If empty, the default's results are the reference.
    std::function<void(addresses data)> reference{};
    /// Replaces the comparison: returns an objection to the results, or an empty text. May be
    /// empty.
    std::function<std::string(addresses data)> refusal{};
    /// Called between the default's run from the caller's contents and its run from other contents.
    std::function<void()> after_default{};
    /// The last contestant of compare(), which excludes no slower variant.
    void const* passenger = nullptr;
};

struct bench_options {
    cache_state cache = cache_state::warm; ///< state of the caches before a timed call
    double precision = 0.01;               ///< relative half-width of the interval
    /// Wall seconds for timing one variant; a bench may have a shorter limit.
    double timing_limit_s = std::numeric_limits<double>::infinity();
    double first_run_ratio = detail::usual_first_run_ratio; ///< see tuning_options
    /// compare() stops timing a variant that is clearly slower; false: it times all to the end.
    bool drops_slower = true;
    isolation protect = isolation::automatic;
    trial_limits trial{}; ///< limits of a first run in a forked child, besides its time
    /// Measures the result of energy(); null: no energy.
    std::shared_ptr<detail::energy_source const> energy{};
};

/// Runs code on this processor (cpu_bench), on a device (device_bench) or nowhere
/// (predicted_bench). A bench works on copies or restores: after each function, the caller's data
/// is unchanged.
class bench {
public:
    virtual ~bench() = default;
    bench() = default;
    bench(bench const&) = delete;
    bench& operator=(bench const&) = delete;

    /// Runs the default and keeps its results as reference. Call it before the other functions.
    /// @param limit_s  wall seconds of one run
    /// @return  seconds of a first run, or the reason why the default does not work
    [[nodiscard]] virtual first_run_result establish(callable const& trusted, double limit_s) = 0;

    /// Runs a variant for the first time and compares its results. Parameters: see establish().
    [[nodiscard]] virtual first_run_result first_run(callable const& tried, double limit_s) = 0;

    /// Checks an installed variant, tuned at another shape: runs it and the trusted code on copies
    /// and compares the results. Works without establish(), and replaces its reference.
    /// @param limit_s  wall seconds; a check that would take longer returns `unknown`
    /// @return  the verdict; for a device, `executions` is an upper bound, and `runs_s` has the
    ///          seconds of one run (see device_bench_options if the device repeats its default)
    /// Errors   none: an undecided check is `unknown`
    [[nodiscard]] virtual shape_verdict verify(callable const& trusted, callable const& tried,
                                               double limit_s);

    /// Repeats a variant that passed its first run until its time is precise, or proven longer than
    /// `stop_above_s`.
    /// @param limit_s  wall seconds of one run
    /// @param record  receives the samples, if the bench keeps them
    [[nodiscard]] virtual outcome time(callable const& tried, double stop_above_s, double limit_s,
                                       timing_record& record) = 0;

    /// Times several variants in turns.
    /// @param limit_s  wall seconds of the whole comparison
    /// @return  the times, or the index of a variant that failed
    [[nodiscard]] virtual std::variant<round_times, std::size_t>
    compare(std::span<callable const> tried, double limit_s) = 0;

    /// Takes samples of code with a known time, as those in `how` were taken, to find the machine's
    /// present speed. Empty if the bench has no samples or the code failed.
    /// @param limit_s  wall seconds of one run
    [[nodiscard]] virtual std::vector<time_sample> sample(callable const& /* known */,
                                                          timing_record const& /* how */,
                                                          std::size_t /* count */,
                                                          double /* limit_s */)
    {
        return {};
    }

    /// The reason why energy() has no answer, as a sentence; empty if it has one.
    [[nodiscard]] virtual std::string why_no_energy() const
    {
        return "energy is measured of code that runs on this processor only";
    }
    /// The energy of a call of a variant that passed its first run. The energy to restore the
    /// arguments does not count. The state of the caches is that of a timed call.
    /// @param limit_s  wall seconds of one run
    /// Errors   attune::error: a counter has become unreadable
    [[nodiscard]] virtual std::variant<call_energy, failure> energy(callable const& /* tried */,
                                                                    double /* limit_s */)
    {
        return failure{failure_stage::bound, why_no_energy()};
    }

    /// The protection of the program from variants, and the reason: "fork: as asked".
    [[nodiscard]] virtual std::string protection() const = 0;

    /// Possible disturbances of the times, in sentences.
    [[nodiscard]] virtual std::vector<std::string> notices() const { return {}; }

    /// A bench for the same problem on another device; this bench must outlive it. Another thread
    /// may use this bench during the call and afterwards.
    /// @return  null: there are no devices to choose from
    /// Errors   attune::error: the device is unusable
    [[nodiscard]] virtual std::unique_ptr<bench> on_device(int /* ordinal */) const
    {
        return nullptr;
    }

    /// Sets the CPU time of this process that is not part of any run; see system_clocks.
    virtual void set_background(std::function<double()> /* cpu_s */) {}
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/bench.ipp>
#endif
