// attune/tune/loop/bench_pool.hpp - the benches of identical devices, which measure at the same time.
// SPDX-License-Identifier: MIT
//
// Jobs are assigned by their order, not by which bench is idle first
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

/// The compiler's own bench, used on the calling thread, and one bench per other device, each used
/// on its own thread. Without other devices no thread is started.
class bench_pool {
public:
    using job = std::function<void(bench&)>;

    /// If the default's times on two devices differ by more than this share, a notice says so.
    static constexpr double alike = 0.05;

    /// @param others  ordinals of their devices; nothing is started yet
    bench_pool(std::unique_ptr<bench> own, std::vector<int> const& others);
    ~bench_pool();
    bench_pool(bench_pool const&) = delete;
    bench_pool& operator=(bench_pool const&) = delete;

    [[nodiscard]] bench& own() noexcept { return *own_; }
    /// Number of benches, including failed ones, so that the number of points asked of a search at
    /// once does not depend on device failures.
    [[nodiscard]] std::size_t size() const noexcept { return 1 + others_.size(); }

    /// Starts the benches of the other devices; all run and time the default at the same time. A
    /// device whose bench fails is not used, with a notice.
    /// @param limit_s   wall seconds of one run
    /// @param own_time  of the default on the compiler's own bench
    void set_up(callable const& trusted, double limit_s, measurement const& own_time);

    /// Does all jobs, as many at once as there are benches. If a bench other than the own one
    /// throws, it is not used any more, a notice says so, and another bench repeats the job.
    /// Errors   those of the own bench, thrown when no other bench is working
    void work(std::span<job const> jobs);

    /// CPU seconds that threads of this pool have used so far.
    [[nodiscard]] double cpu_s() const noexcept { return cpu_s_; }
    /// protection() of the own bench; with other devices, also the number of jobs of each bench.
    [[nodiscard]] std::string protection() const;
    /// Those of the own bench, and those about the others.
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
    std::vector<int> processors_; ///< of the creating thread; for the workers
    std::vector<std::string> notices_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/bench_pool.ipp>
#endif
