// attune/tune/loop/make_bench.hpp - makes the bench for a problem, or one for each of identical devices.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/bench.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The compiler's own bench, used on the calling thread, and a bench per other device, each used on
/// a separate thread. Without other devices the pool starts no thread. The order of the jobs
/// decides which bench gets which job, not which bench is idle first.
class bench_pool {
public:
    using job = std::function<void(bench&)>;

    /// If the default's times on two devices differ by more than this share, a notice says so.
    static constexpr double alike = 0.05;

    /// @param others  ordinals of the other devices; set_up() starts their benches
    bench_pool(std::unique_ptr<bench> own, std::vector<int> const& others);
    ~bench_pool();
    bench_pool(bench_pool const&) = delete;
    bench_pool& operator=(bench_pool const&) = delete;

    [[nodiscard]] bench& own() noexcept { return *own_; }
    /// Number of benches, including failed ones: device failures must not change how many points a
    /// search proposes at once.
    [[nodiscard]] std::size_t size() const noexcept { return 1 + others_.size(); }

    /// Starts the benches of the other devices; all run and time the default at the same time. If a
    /// bench fails, the pool excludes its device, with a notice.
    /// @param limit_s   wall seconds of one run
    /// @param own_time  time of the default on the compiler's own bench
    void set_up(callable const& trusted, double limit_s, measurement const& own_time);

    /// Does all jobs, as many at once as there are benches. If a bench of another device throws,
    /// the pool excludes the bench, with a notice, and another bench repeats the job.
    /// Errors   exceptions of the own bench, thrown when no other bench is working
    void work(std::span<job const> jobs);

    /// CPU seconds that threads of this pool have used so far.
    [[nodiscard]] double cpu_s() const noexcept { return cpu_s_; }
    /// protection() of the own bench; with other devices, also the number of jobs of each bench.
    [[nodiscard]] std::string protection() const;
    /// Notices of the own bench, and notices about the other devices.
    [[nodiscard]] std::vector<std::string> notices() const;

private:
    struct member {
        int ordinal = 0;
        std::unique_ptr<bench> place{}; ///< null: not started, or failed
        std::size_t jobs = 0;
        std::string trouble{}; ///< why the latest job failed
    };

    void beside(std::span<member* const> members, std::function<void(std::size_t)> const& act,
                std::function<void()> const& meanwhile);
    void exclude(member& m);

    std::unique_ptr<bench> own_;
    std::vector<member> others_;
    std::size_t own_jobs_ = 0;
    double cpu_s_ = 0;
    std::vector<int> processors_; ///< processors of the creating thread, which workers may use
    std::vector<std::string> notices_;
};

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

struct tuning_options;
struct tuning_problem;

namespace detail {

/// The problem's call in the form that a bench repeats.
/// @pre  the problem outlives the result
[[nodiscard]] trial_call trial_call_of(tuning_problem const& problem);

/// The bench options of a tuning: one timing takes at most a twentieth of the time budget.
[[nodiscard]] bench_options bench_options_of(tuning_options const& options);

/// The offer of tune/objective.hpp, see offer.hpp: the bench of a kernel with kernel.objective().
struct objective_benches {
    std::unique_ptr<bench> (*make)(tuning_problem const& problem,
                                   bench_options const& how) = nullptr;
};

/// Makes the bench for a problem: selected by tuning_measuring::make_bench, tuning_problem::device
/// and tuning_problem::predict.
/// @pre  both outlive the result
/// Errors   attune::error: the device cannot be used, the arguments do not fit it, out of memory;
///          see device_target::make_bench(); the kernel has an objective that this bench, or this
///          program, does not measure
[[nodiscard]] std::unique_ptr<bench> make_bench(tuning_problem const& problem,
                                                tuning_options const& options);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/make_bench.ipp>
#endif
