// attune/tune/loop/bench_pool.hpp - the benches of identical devices, at work at the same time.
// SPDX-License-Identifier: MIT
//
// Which bench does which job depends on their order, not on which one is free first
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

namespace attune::inline ATTUNE_ABI {

/// The compiler's own bench, used on the calling thread, and the benches of other devices, each on
/// a thread of its own. Without other devices it starts no thread.
class bench_pool {
public:
    using job = std::function<void(bench&)>;

    /// A default whose times on two devices differ by more than this is worth a notice.
    static constexpr double alike = 0.05;

    /// @param others  their devices, by ordinal; nothing is started yet
    bench_pool(std::unique_ptr<bench> own, std::vector<int> const& others);
    ~bench_pool();
    bench_pool(bench_pool const&) = delete;
    bench_pool& operator=(bench_pool const&) = delete;

    [[nodiscard]] bench& own() noexcept { return *own_; }
    /// All that were named, also those that are of no use any more: what is asked of a search at
    /// once must not depend on what became of a device.
    [[nodiscard]] std::size_t size() const noexcept { return 1 + others_.size(); }

    /// Starts the benches of the other devices; each runs and times the default, all at once. A
    /// device whose bench fails is left out, with a notice.
    /// @param limit_s   wall seconds of one run
    /// @param own_time  of the default on the own bench
    void set_up(callable const& trusted, double limit_s, measurement const& own_time);

    /// Does all jobs, as many at once as there are benches. A bench other than the own one that
    /// throws is left out from then on, with a notice, and another one does its job again.
    /// Errors   what the own bench throws, when no other is at work any more
    void work(std::span<job const> jobs);

    /// CPU seconds of this process that threads beside the calling one have used so far.
    [[nodiscard]] double cpu_s() const noexcept { return cpu_s_; }
    /// protection() of the own bench; with other devices, also how many jobs each has done.
    [[nodiscard]] std::string protection() const;
    [[nodiscard]] std::vector<std::string> const& notices() const noexcept { return notices_; }

private:
    struct member {
        int ordinal = 0;
        std::unique_ptr<bench> place{}; ///< null: not started, or left out
        std::size_t jobs = 0;
        std::string trouble{}; ///< why its latest job was not done
    };

    void beside(std::span<member* const> members,
                std::function<void(std::size_t)> const& act,
                std::function<void()> const& meanwhile);
    void exclude(member& m);

    std::unique_ptr<bench> own_;
    std::vector<member> others_;
    std::size_t own_jobs_ = 0;
    double cpu_s_ = 0;
    std::vector<int> processors_; ///< of the thread that made this: workers may use them all
    std::vector<std::string> notices_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/bench_pool.ipp>
#endif
