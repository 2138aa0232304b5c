// attune/tune/roofline.ipp - rooflines and verdicts by measured peaks.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cache/object_cache.hpp>
#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/offer.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/posix/signals.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/timing_turns.hpp>
#include <attune/search/narrowing_search.hpp>
#include <attune/tune/loop/candidate_pruning.hpp>
#include <attune/tune/pipeline/core_pin.hpp>
#include <attune/tune/roofline.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Measurements of the machine that take longer are reported to the user.
inline constexpr double long_measurement_s = 2;

/// The size of the system's processor set; processors in it that do not exist have no effect.
#if defined(__linux__)
inline constexpr std::size_t most_processors = CPU_SETSIZE;
#else
inline constexpr std::size_t most_processors = 1;
#endif

/// Bytes of all arrays, to three binary digits; 0 if far larger than the caches.
[[nodiscard]] inline double footprint_of(std::span<buffer const> buffers)
{
    double sum = 0;
    for (buffer const& b : buffers)
        sum += static_cast<double>(b.bytes);
    if (sum > static_cast<double>(sweep_bytes())) return 0;
    int exponent = 0;
    double const mantissa = std::frexp(sum, &exponent);
    return std::ldexp(std::round(8 * mantissa), exponent - 3);
}

[[nodiscard]] inline unsigned processors()
{
    return std::max(std::thread::hardware_concurrency(), 1U);
}

/// While this object lives, the calling thread and threads that it starts may use these processors.
/// These threads block all signals but faults; the program's other threads handle the signals.
class measuring_ground {
public:
    explicit measuring_ground(std::vector<int> const& processors)
        : before_(allowed_processors())
    {
        static_cast<void>(run_only_on(processors));
    }
    ~measuring_ground() { static_cast<void>(run_only_on(before_)); }
    measuring_ground(measuring_ground const&) = delete;
    measuring_ground& operator=(measuring_ground const&) = delete;

private:
    std::vector<int> before_;
    only_faults_unblocked quiet_{};
};

/// Limits of this machine while the process lives; no file keeps them.
class limits_of_process {
public:
    [[nodiscard]] static limits_of_process& instance()
    {
        static limits_of_process one;
        return one;
    }

    /// Like limits_of_this_machine(). Two threads that ask at once may both measure.
    [[nodiscard]] machine_limits of(unsigned threads, double footprint, bool anew)
    {
        std::optional<machine_limits> known = find(threads, footprint);
        if (known && !anew) return *known;
        machine_limits measured = measure_machine(threads, footprint);
        if (known) raise_to(measured, *known);
        keep(measured);
        return measured;
    }

private:
    using list = std::vector<machine_limits>;

    [[nodiscard]] std::optional<machine_limits> find(unsigned threads, double footprint)
    {
        std::scoped_lock const hold(lock_);
        for (machine_limits const& of : *all_)
            if (of.threads == threads && of.footprint == footprint) return of;
        return {};
    }
    void keep(machine_limits const& of)
    {
        std::scoped_lock const hold(lock_);
        auto longer = std::make_shared<list>(list{of}); // the latest first
        longer->insert(longer->end(), all_->begin(), all_->end());
        all_ = std::move(longer);
    }

    fork_safe_mutex lock_;
    std::shared_ptr<list const> all_ = std::make_shared<list>(); ///< replaced, never changed
};

ATTUNE_INLINE machine_limits limits_of_this_machine(unsigned threads, double footprint, bool anew)
{
    std::string const folder = object_cache{}.statistics().folder;
    if (folder.empty()) return limits_of_process::instance().of(threads, footprint, anew);
    auto const& limits = anew ? machine_measured_anew : known_machine;
    return limits(folder + "/machine_limits",
                  device_name() + ", " + std::to_string(detail::processors()) + " processors",
                  threads, footprint, measure_machine);
}

ATTUNE_INLINE
kernel_roofline::kernel_roofline(tuning_problem const& problem, tuning_options const& options,
                                 std::function<void(std::string)> say, limits_source limits)
    : problem_(problem)
    , say_(std::move(say))
    , source_(std::move(limits))
    , processors_(allowed_processors())
    , is_for_device_(problem.kernel.work != nullptr && problem.device != nullptr)
    , is_stated_(problem.kernel.work != nullptr && !is_for_device_)
{
    if (!is_stated_) return;
    if (options.measuring.cache == cache_state::warm)
        footprint_ = footprint_of(problem.frame.buffers);
}

ATTUNE_INLINE void kernel_roofline::note_threads(unsigned threads) noexcept
{
    threads_ = std::max(threads_, std::min(threads, detail::processors()));
}

/// Measures on the processors of the program, while attune times nothing else.
ATTUNE_INLINE machine_limits kernel_roofline::measured(unsigned threads, double footprint,
                                                       bool anew)
{
    double const begun_s = steady_seconds();
    std::vector<int> where = processors_;
    if (threads > where.size()) { // not pinned to `where`: use all processors
        where.resize(most_processors);
        std::iota(where.begin(), where.end(), 0);
    }
    detail::measuring_ground const ground{where};
    timing_turns turns;
    timing_turns::turn const mine{turns};
    machine_limits const found = source_(threads, footprint, anew);
    double const took_s = steady_seconds() - begun_s;
    if (took_s > long_measurement_s)
        say_("measured the limits of this machine, for the roofline, in " +
             text_of_quantity(took_s, true));
    return found;
}

ATTUNE_INLINE double kernel_roofline::most_bytes_per_s(unsigned threads)
{
    machine_limits const found = measured(threads, 0, false);
    return found.is_optimised ? doubtful * found.bytes : 0;
}

ATTUNE_INLINE machine_limits const& kernel_roofline::limits(bool anew)
{
    auto const found = known_.find(threads_);
    if (found != known_.end() && !anew) return found->second;
    machine_limits limits = measured(threads_, footprint_, anew);
    if (found != known_.end()) raise_to(limits, found->second); // a file may lack these
    machine_limits const& fresh = known_.insert_or_assign(threads_, limits).first->second;
    if (!fresh.is_optimised)
        say_once("the roofline is too low: the code that measures the machine was compiled without "
                 "optimisation or with a sanitizer; compile with -O2");
    return fresh;
}

/// Reports a text only once in a row: many configurations may have the same problem.
ATTUNE_INLINE void kernel_roofline::say_once(std::string text)
{
    if (text != said_) say_(text);
    said_ = std::move(text);
}

ATTUNE_INLINE std::optional<roofline> kernel_roofline::at(point const& at, double seconds)
{
    if (is_for_device_)
        say_once("no roofline: limits of machines are known for processors only, and kernel '" +
                 problem_.kernel.name + "' runs on a device");
    if (!is_stated_) return {};
    try {
        work const stated = work_at(problem_, at);
        roofline const where = roofline_of(limits(false), stated, seconds);
        if (where.fraction < doubtful || !doubted_.insert(threads_).second) return where;
        return roofline_of(limits(true), stated, seconds);
    } catch (error const& e) {
        say_once(std::string("no roofline: ") + e.what());
    } catch (std::bad_alloc const&) {
        say_once("no roofline: there is not enough memory to measure the machine");
    } catch (std::system_error const& e) {
        say_once(std::string("no roofline: the threads that measure the machine cannot be "
                             "started: ") +
                 e.what());
    }
    return {};
}

[[nodiscard]] inline std::unique_ptr<kernel_roof>
measured_roof(tuning_problem const& problem, tuning_options const& options, time_bounds::sayer say)
{
    return std::make_unique<kernel_roofline>(problem, options, std::move(say));
}

[[nodiscard]] inline std::unique_ptr<candidate_verdicts>
measured_verdicts(tuning_problem const& problem, tuning_options const& options,
                  time_bounds::sayer say, std::function<double(unsigned threads)> bytes_per_s)
{
    return std::make_unique<candidate_pruning>(
        problem, options, std::move(say), pruning_machine{.bytes_per_s = std::move(bytes_per_s)});
}

[[nodiscard]] inline any_searcher narrowing(search_factory const& make, chain_of_trees const& space,
                                            std::uint64_t seed)
{
    return narrowing_search{make, space, seed};
}

ATTUNE_INLINE void know_time_bounds() noexcept
{
    keep_this_library_loaded();
    static constexpr time_bounds measured{&measured_roof, &measured_verdicts, &narrowing};
    exchange_offer(&measured);
}

} // namespace attune::inline ATTUNE_ABI::detail
